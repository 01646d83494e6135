//! Sections, clocks, coverage, interval and timeline.

use crate::builder::*;
use base_data::Time;
use base_data::block_table::SourceSpan;
use base_data::estimate_file::{Activity, Category, Estimate};
use base_data::ids::*;
use base_data::program_data::*;
use estimator::{Inputs, Options};

fn mark(mark: Mark) -> Op {
    Op::Mark(mark)
}

fn clock(line: u32) -> Op {
    mark(Mark::Clock {
        site: CallSiteId(line - 1),
        path: None,
    })
}

#[test]
fn only_the_section_counts() {
    let rank = |before| {
        vec![
            work(before),
            mark(Mark::SectionBegin),
            work(2),
            barrier(1),
            mark(Mark::SectionEnd),
            work(30),
        ]
    };
    let found = estimate(&program(vec![rank(5), rank(9)], &[]), &mpiete());
    // Rank 0 begins at 5 µs, waits for rank 1 at 11 µs.
    assert_eq!(nanoseconds(found.headline), 11_100 - 5000);
    let times: Vec<(i64, i64)> = found
        .per_rank
        .iter()
        .map(|rank| (nanoseconds(rank.begin), nanoseconds(rank.end)))
        .collect();
    assert_eq!(times, [(5000, 11_100), (9000, 11_100)]);
    let blocks = |found: &Estimate| {
        found
            .cells
            .iter()
            .filter(|cell| matches!(cell.activity, Activity::Block(_)))
            .count()
    };
    assert_eq!(blocks(&found), 2);
}

#[test]
fn a_section_must_be_executed_once() {
    let twice = repeat(
        2,
        vec![mark(Mark::SectionBegin), work(2), mark(Mark::SectionEnd)],
    );
    for (stream, expected) in [
        (twice, "rank 0 begins the section 2 times"),
        (
            vec![mark(Mark::SectionBegin)],
            "rank 0 ends the section 0 times",
        ),
        (
            vec![mark(Mark::SectionEnd), work(1), mark(Mark::SectionBegin)],
            "rank 0 ends the section 1 times",
        ),
    ] {
        let error = try_estimate(&program(vec![stream], &[]), &mpiete(), &means())
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    }
    let mut unmarked = program(vec![vec![work(1)]], &[]);
    unmarked.section = Some(SourceSpan::default());
    let error = try_estimate(&unmarked, &mpiete(), &means())
        .unwrap_err()
        .to_string();
    assert!(error.contains("begins the section 0 times"), "{error}");
}

#[test]
fn clocks_read_once_give_intervals() {
    let rank = |first| {
        let inner = repeat(2, vec![clock(2), work(1)]);
        [
            vec![clock(1), work(first)],
            inner,
            vec![clock(3), work(1), clock(4)],
        ]
        .concat()
    };
    let found = estimate(&program(vec![rank(1), rank(4)], &[]), &mpiete());
    let shown: Vec<(u32, u32, i64, i64)> = found
        .clock_intervals
        .iter()
        .map(|i| {
            (
                i.from.0 + 1,
                i.to.0 + 1,
                nanoseconds(i.longest),
                nanoseconds(i.rank_zero),
            )
        })
        .collect();
    assert_eq!(shown, [(1, 3, 6000, 3000), (3, 4, 1000, 1000)]);
}

#[test]
fn timing_routine_is_distinguished_by_caller() {
    let path = |line: u32, path| {
        mark(Mark::Clock {
            site: CallSiteId(line - 1),
            path: Some(path),
        })
    };
    let mut data = program(vec![vec![path(9, 0), work(2), path(9, 1)]], &[]);
    data.call_paths = vec![
        vec![CallSiteId(20), CallSiteId(8)],
        vec![CallSiteId(30), CallSiteId(8)],
    ];
    let found = estimate(&data, &mpiete()).clock_intervals;
    assert_eq!(
        (found[0].from, found[0].to, nanoseconds(found[0].longest)),
        (CallSiteId(20), CallSiteId(30), 2000)
    );
}

#[test]
fn cells_sum_to_the_split() {
    let rank = |r: u32| {
        [
            repeat(3, vec![work(r), send_receive(1, 1 - r, 1 - r, 8)]),
            vec![barrier(2)],
        ]
        .concat()
    };
    let found = estimate(&program(vec![rank(0), rank(1)], &[]), &loggps());
    for (rank, time) in found.per_rank.iter().enumerate() {
        let cells = found.cells.iter().filter(|cell| cell.rank == rank as u32);
        let sum = |category: usize| cells.clone().map(|cell| cell.split[category]).sum::<Time>();
        assert_eq!(time.split, std::array::from_fn(sum));
    }
    let counts: Vec<u64> = found.cells.iter().map(|cell| cell.count).collect();
    assert_eq!(counts, [3, 3, 1, 3, 3, 1]);
    assert_eq!(
        (found.replayed_messages, found.model.as_str()),
        (8, "loggps-p")
    );
}

#[test]
fn blocks_without_data_are_named() {
    let data = program(vec![vec![work(1), work(2), work(2), work(3)]], &[]);
    let compute = [compute_of(vec![(1, vec![1_000_000]), (3, vec![3_000_000])])];
    let found = estimator::estimate(
        &Inputs {
            program: &data,
            compute: &compute,
        },
        &mpiete(),
        &means(),
    )
    .unwrap();
    assert_eq!(nanoseconds(found.headline), 4000);
    let expected = "no time for the blocks at t.f:103; they count as 0 (50.0 % of all executions";
    assert!(
        found
            .warnings
            .iter()
            .any(|warning| warning.contains(expected)),
        "{:?}",
        found.warnings
    );
}

#[test]
fn extrapolated_time_is_counted() {
    let mut data = program(vec![vec![work(1), work(3)]], &[]);
    data.variants[3] = Variant {
        block: BlockId(3),
        terms: vec![3],
    };
    let compute = [compute_of(vec![(1, vec![1_000_000]), (3, vec![1_000_000])])];
    let found = estimator::estimate(
        &Inputs {
            program: &data,
            compute: &compute,
        },
        &mpiete(),
        &means(),
    )
    .unwrap();
    assert_eq!(
        (nanoseconds(found.headline), found.extrapolated_share),
        (4000, 0.75)
    );
}

#[test]
fn different_compiler_flags_cause_warning() {
    let mut data = program(vec![vec![work(1)]], &[]);
    data.provenance.flags = "-O2".into();
    let mut measured = compute();
    measured.provenance.flags = "-O3".into();
    let found = estimator::estimate(
        &Inputs {
            program: &data,
            compute: &[measured],
        },
        &mpiete(),
        &means(),
    )
    .unwrap();
    let expected = "compute times may not hold for the program data: compiler flags differ: '-O2' against \
        '-O3'; record and measure with the same compiler, flags and input";
    assert!(
        found.warnings.iter().any(|warning| warning == expected),
        "{:?}",
        found.warnings
    );
}

#[test]
fn zero_cost_causes_warning() {
    let reduce = collective(1, CollectiveKind::Allreduce, 0, None, 5000);
    let to_self = vec![ireceive(2, 0, 8, 0), send(3, 0, 8), wait(4, &[0])];
    let streams = vec![[vec![reduce.clone()], to_self].concat(), vec![reduce]];
    let warnings = estimate(&program(streams, &[]), &mpiete()).warnings;
    for expected in [
        "combining 2500 elements takes no time",
        "messages of a rank to itself take no time",
    ] {
        assert!(
            warnings.iter().any(|warning| warning.contains(expected)),
            "{warnings:?}"
        );
    }
}

fn drawn(values: Vec<i64>, residual: f64, stream: Vec<Op>, seed: u64) -> Estimate {
    let receiver = vec![receive(2, 0, 0)];
    let data = program(vec![stream, receiver], &[]);
    let compute = [compute_of(vec![(1, values)])];
    let platform = mpiete_with(&format!("residual = {residual:?}"));
    let options = Options {
        draws: 200,
        seed,
        ..Options::default()
    };
    estimator::estimate(
        &Inputs {
            program: &data,
            compute: &compute,
        },
        &platform,
        &options,
    )
    .expect("an estimate")
}

#[test]
fn an_interval_holds_its_sources() {
    let values: Vec<i64> = (900_000..=1_100_000).step_by(2000).collect();
    let stream = || vec![work(1), send(1, 1, 0)];
    let found = drawn(values.clone(), 0.1, stream(), 1);
    assert!(
        found.p10 < found.headline && found.headline < found.p90,
        "{found:?}"
    );
    // An even distribution between 0.9 and 1.1 µs: 80 % of it is 160 ns wide.
    let names: Vec<&str> = found
        .sources
        .iter()
        .map(|source| source.name.as_str())
        .collect();
    assert_eq!(names, ["noise", "calibration", "sampling"]);
    let width = found.sources[0].width.picoseconds() as f64;
    assert!((width / 160_000.0 - 1.0).abs() < 0.25, "{width}");
    // 100 ns ± 10 %: 2 × 1.28 × 10 ns.
    let width = found.sources[1].width.picoseconds() as f64;
    assert!((width / 25_600.0 - 1.0).abs() < 0.35, "{width}");
    assert_eq!(drawn(values.clone(), 0.1, stream(), 1), found);
    assert_ne!(drawn(values, 0.1, stream(), 2).p90, found.p90);
}

#[test]
fn constant_times_give_zero_width() {
    let found = drawn(vec![1_000_000; 3], 0.0, vec![work(1), send(1, 1, 0)], 1);
    assert_eq!(
        (found.p10, found.p90, found.sources.len()),
        (found.headline, found.headline, 0)
    );
    assert_eq!((nanoseconds(found.headline), found.draws), (1100, 200));
}

#[test]
fn timelines_have_no_gaps() {
    let rank = |r: u32| repeat(50, vec![work(r + 1), send_receive(1, 1 - r, 1 - r, 8)]);
    let data = program(vec![rank(0), rank(1)], &[]);
    let found = try_estimate(
        &data,
        &loggps(),
        &Options {
            timeline: true,
            ..means()
        },
    )
    .unwrap();
    for (line, time) in found.timeline.ranks.iter().zip(&found.per_rank) {
        assert!(line.windows(2).all(|pair| pair[0].end < pair[1].end));
        assert_eq!(line.last().unwrap().end, time.end);
    }
    let computes = found.timeline.ranks[0]
        .iter()
        .filter(|segment| segment.category == Category::Compute);
    assert_eq!(computes.count(), 50);
    assert_eq!(
        found.timeline.ranks[0][0].activity,
        Some(Activity::Block(BlockId(1)))
    );
    assert!(estimate(&data, &loggps()).timeline.ranks.is_empty());
}

#[test]
fn data_dependent_and_rarely_executed_blocks_are_reported() {
    let mut data = program(vec![vec![work(10), work(20)]], &[]);
    data.table.blocks[20].data_dependent = true;
    let often = |block, count| (block, vec![1_000_000; count]);
    let compute = [compute_of(vec![often(10, 2), often(20, 9)])];
    let inputs = Inputs {
        program: &data,
        compute: &compute,
    };
    let warnings = estimator::estimate(&inputs, &mpiete(), &means())
        .unwrap()
        .warnings;
    for expected in [
        "50 % of the compute time is in data-dependent blocks",
        "fewer than 5 times",
    ] {
        assert!(
            warnings.iter().any(|warning| warning.contains(expected)),
            "{warnings:?}"
        );
    }
    let often = [compute_of(vec![often(10, 9), often(20, 9)])];
    let inputs = Inputs {
        program: &program(vec![vec![work(10), work(20)]], &[]),
        compute: &often,
    };
    // The table of these tests has 50 blocks: what is left is that the run entered so few of them.
    let warnings = estimator::estimate(&inputs, &mpiete(), &means())
        .unwrap()
        .warnings;
    assert!(
        warnings.len() == 1 && warnings[0].contains("entered only 2 of the program's 50"),
        "{warnings:?}"
    );
}
