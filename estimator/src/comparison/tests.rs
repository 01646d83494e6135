//! Small comparisons by hand: two ranks, a few calls, round numbers of microseconds.

mod properties;
mod refused;
mod windows;

use super::*;
use base_data::compute_data::Unit;
use base_data::estimate_file::{Activity, Cell, Estimate};
use base_data::observation::{Observation, ObservedRank, ProcessorTime, Stretch};
use base_data::program_data::ProgramData;
use base_data::{BlockId, CallSiteId, Time};

fn us(microseconds: i64) -> Time {
    Time::from_nanoseconds(microseconds * 1000)
}

fn times(microseconds: &[i64]) -> Vec<Time> {
    microseconds.iter().copied().map(us).collect()
}

/// Program data of two ranks with this stream, after the tables that all tests share.
fn program(stream: &str) -> ProgramData {
    let tables = "mpiete program text 1\nranks 2\nprovenance program cg\nfile 0 cg.f\n\
                  block 0 compute cg.f:20-29 in cg digest 20\nblock 1 compute cg.f:40-49 in cg digest 40\n\
                  site 0 MPI_Init cg.f:10 digest 1\nsite 1 MPI_Barrier cg.f:30 digest 2\n\
                  site 2 MPI_Allreduce cg.f:50 digest 3\nsite 3 MPI_Finalize cg.f:60 digest 4\n\
                  site 4 MPI_Wtime cg.f:15 digest 5\nsite 5 MPI_Wtime cg.f:55 digest 6\n";
    base_data::program_text::read(&format!("{tables}class 0-1\n{stream}")).unwrap()
}

/// Two rounds of block, barrier, block, reduction.
const ROUNDS: &str = "init site=0\nclock site=4\nloop 2\nblock 0\nbarrier site=1 count=0\nblock 1\n\
                      allreduce site=2 count=1 type=real8 op=sum\nend\nclock site=5\nfinalize site=3\n";

/// The same calls without blocks, as a binary shows them.
const CALLS: &str = "init site=0\nclock site=4\nloop 2\nbarrier site=1 count=0\n\
                     allreduce site=2 count=1 type=real8 op=sum\nend\nclock site=5\nfinalize site=3\n";

fn cell(rank: u32, activity: Activity, count: u64, microseconds: i64) -> Cell {
    let mut split = [Time::ZERO; 6];
    let compute = matches!(activity, Activity::Block(_));
    split[if compute { 0 } else { 5 }] = us(microseconds);
    Cell {
        rank,
        activity,
        count,
        split,
    }
}

/// Of [`ROUNDS`]: blocks take 100 and 200 us on rank 0, 100 and 300 us on rank 1, the calls make 500 us
/// of each rank.
fn estimate() -> Estimate {
    let block = |id| Activity::Block(BlockId(id));
    let site = |id| Activity::Site(CallSiteId(id));
    Estimate {
        program: program(ROUNDS),
        platform: "lab".into(),
        ranks: 2,
        headline: us(505),
        p10: us(480),
        p90: us(520),
        draws: 21,
        cells: vec![
            cell(0, block(0), 2, 100),
            cell(0, block(1), 2, 200),
            cell(0, site(1), 2, 20),
            cell(0, site(2), 2, 180),
            cell(1, block(0), 2, 100),
            cell(1, block(1), 2, 300),
            cell(1, site(1), 2, 20),
            cell(1, site(2), 2, 80),
        ],
        ..Estimate::default()
    }
}

/// Gaps and durations at the entries of [`CALLS`], rank 0 first.
fn observation(ranks: [([i64; 8], [i64; 8]); 2]) -> Observation {
    let rank = |(gaps, durations): ([i64; 8], [i64; 8])| ObservedRank {
        host: "node1".into(),
        gaps: times(&gaps),
        durations: times(&durations),
        ..ObservedRank::default()
    };
    Observation {
        program: program(CALLS),
        ranks: ranks.map(rank).into(),
        ..Observation::default()
    }
}

/// As the estimate has it, but the second block takes 30 us longer each time.
fn slower_run() -> Observation {
    observation([
        (
            [0, 0, 50, 130, 50, 130, 0, 0],
            [1000, 0, 10, 90, 10, 90, 0, 7],
        ),
        (
            [0, 0, 50, 180, 50, 180, 0, 0],
            [1200, 0, 10, 40, 10, 40, 0, 7],
        ),
    ])
}

fn compared(a: Content<'_>, b: Content<'_>) -> Result<Comparison, CompareError> {
    compare(
        Both {
            a: ComparedFile {
                name: "a",
                content: a,
            },
            b: ComparedFile {
                name: "b",
                content: b,
            },
        },
        None,
    )
}

/// `parts` as lines: name, executions, means of A and B and difference in microseconds, share.
fn lines(parts: &[ComponentDifference]) -> Vec<String> {
    let line = |part: &ComponentDifference| {
        let name = match &part.what {
            TimeComponent::Call { at } | TimeComponent::Block { at } => at.place.clone(),
            TimeComponent::Gap { from, to } => format!("{}>{}", from.place, to.place),
            other => format!("{other:?}"),
        };
        let (mean, difference) = (
            part.mean.map(Time::microseconds),
            part.difference.microseconds(),
        );
        let share = part
            .share
            .map_or("none".into(), |share| format!("{:.0}%", share * 100.0));
        format!(
            "{name} {} {} {} {difference} {share}",
            part.executions.a, mean.a, mean.b
        )
    };
    parts.iter().map(line).collect()
}

#[test]
fn a_prediction_and_a_run_without_block_marks() {
    let (estimate, run) = (estimate(), slower_run());
    let found = compared(Content::Estimate(&estimate), Content::Observation(&run)).unwrap();
    assert_eq!(found.streams, None);
    let times = found.times.unwrap();
    assert_eq!(
        lines(&times.parts),
        ["Computing 14 350 410 60 100%", "Calls 12 150 150 0 0%"]
    );
    assert_eq!(
        lines(&times.calls),
        ["cg.f:50 4 130 130 0 0%", "cg.f:30 4 20 20 0 0%"]
    );
    let gaps = [
        "cg.f:30>cg.f:50 4 250 310 60 100%",
        "cg.f:50>cg.f:30 2 50 50 0 0%",
        "cg.f:15>cg.f:30 2 50 50 0 0%",
    ];
    assert_eq!(lines(&times.gaps), gaps);
    assert!(times.blocks.is_empty());
    assert_eq!(
        (times.totals.time, times.totals.interval),
        (
            Both {
                a: us(505),
                b: us(560)
            },
            Some(Position::Above)
        )
    );
    assert_eq!(
        times.totals.mean,
        Both {
            a: us(500),
            b: us(560)
        }
    );
    assert_eq!(
        times.totals.start_up.b,
        Some(StartUp {
            init: us(1100),
            finalize: us(7)
        })
    );
    assert_eq!(
        times.ranks[1].computing,
        Both {
            a: us(400),
            b: us(460)
        }
    );
}

/// An observed probe marks its blocks; what is beside them has a row of its own.
#[test]
fn per_block_where_both_have_blocks() {
    let (estimate, mut run) = (estimate(), slower_run());
    run.program = program(ROUNDS);
    for (rank, second) in run.ranks.iter_mut().zip([130, 180]) {
        rank.gaps = times(&[0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0]);
        rank.durations = times(&[1000, 0, 50, 10, second, 90, 50, 10, second, 90, 0, 7]);
    }
    let found = compared(Content::Estimate(&estimate), Content::Observation(&run)).unwrap();
    let blocks = found.times.unwrap().blocks;
    let of_112 = |difference: f64| format!("{:.0}%", difference / 112.0 * 100.0);
    let expected = [
        format!("cg.f:40-49 4 250 310 60 {}", of_112(60.0)),
        format!("BesideBlocks 0 0 2 2 {}", of_112(2.0)),
        format!("cg.f:20-29 4 100 100 0 {}", of_112(0.0)),
    ];
    assert_eq!(lines(&blocks), expected);
}

/// Where another rank had the processor, the rank neither computed nor waited for a message.
#[test]
fn processor_wait_is_a_separate_category() {
    let (estimate, mut run) = (estimate(), slower_run());
    let had = |entry, microseconds| ProcessorTime {
        entry,
        stretch: Stretch::Gap,
        time: us(microseconds),
    };
    run.ranks[0].processor = vec![had(3, 100), had(5, 500)];
    let times = compared(Content::Estimate(&estimate), Content::Observation(&run))
        .unwrap()
        .times
        .unwrap();
    let expected = [
        "Computing 14 350 395 45 75%",
        "Waiting 0 0 15 15 25%",
        "Calls 12 150 150 0 0%",
    ];
    assert_eq!(lines(&times.parts), expected);
    assert_eq!(
        times.ranks[0].waiting,
        Both {
            a: Time::ZERO,
            b: us(30)
        }
    );
}

#[test]
fn serialised_run_compares_computation_only() {
    let (estimate, mut run) = (estimate(), slower_run());
    run.one_at_a_time = true;
    let found = compared(Content::Observation(&run), Content::Estimate(&estimate)).unwrap();
    let times = found.times.unwrap();
    assert!(
        times
            .computation_only
            .starts_with("the ranks of a computed one at a time"),
        "{}",
        times.computation_only
    );
    assert!(times.calls.is_empty());
    assert_eq!(lines(&times.parts), ["Computing 14 410 350 -60 100%"]);
    assert_eq!(
        (times.totals.time, times.totals.interval),
        (
            Both {
                a: us(460),
                b: us(400)
            },
            None
        )
    );
}

#[test]
fn statements_are_counted_without_calls() {
    let (mut estimate, mut run) = (estimate(), slower_run());
    (estimate.unit, run.unit) = (Unit::Statements, Unit::Statements);
    let times = compared(Content::Estimate(&estimate), Content::Observation(&run))
        .unwrap()
        .times
        .unwrap();
    assert_eq!(
        (times.unit, times.calls.len(), times.parts.len()),
        (Unit::Statements, 0, 1)
    );
}

/// The estimate's own report prints its headline: so does the comparison, though calls are not compared.
#[test]
fn estimate_in_statements_is_compared_by_its_headline() {
    let (mut estimate, mut run) = (estimate(), slower_run());
    (estimate.unit, run.unit) = (Unit::Statements, Unit::Statements);
    estimate.headline += us(90);
    let times = compared(Content::Estimate(&estimate), Content::Observation(&run))
        .unwrap()
        .times
        .unwrap();
    assert_eq!(times.totals.time.a, estimate.headline);
    let predicted = times.totals.predicted.a.unwrap();
    assert_eq!(predicted.time, estimate.headline);
}

/// A stripped binary has no line numbers: its calls are identified by their number.
#[test]
fn calls_of_a_stripped_binary_get_the_lines_of_the_other_side() {
    let (estimate, mut run) = (estimate(), slower_run());
    run.program.table.files.clear();
    for (offset, site) in (1u64..).zip(&mut run.program.table.call_sites) {
        site.span = None;
        site.key = base_data::block_table::CallSiteKey::Object {
            object: "cg".into(),
            offset,
        };
    }
    for (a, b) in [
        (Content::Estimate(&estimate), Content::Observation(&run)),
        (Content::Observation(&run), Content::Estimate(&estimate)),
    ] {
        let times = compared(a, b).unwrap().times.unwrap();
        assert!(
            lines(&times.gaps)[0].starts_with("cg.f:30>cg.f:50 4"),
            "{:?}",
            lines(&times.gaps)
        );
    }
}

#[test]
fn different_streams_report_first_difference_and_add_up() {
    let estimate = estimate();
    let mut run = slower_run();
    let two = CALLS.replace("allreduce site=2 count=1", "allreduce site=2 count=2");
    run.program = program(&two);
    let found = compared(Content::Estimate(&estimate), Content::Observation(&run)).unwrap();
    let differ = found.streams.unwrap();
    assert_eq!((differ.rank, differ.entry), (0, 4));
    assert_eq!(differ.does.a, "MPI_Allreduce at cg.f:50 of 1 x real8, sum");
    assert_eq!(differ.does.b, "MPI_Allreduce at cg.f:50 of 2 x real8, sum");
    let times = found.times.unwrap();
    assert_eq!(lines(&times.gaps)[0], "cg.f:30>cg.f:50 4 250 310 60 100%");
}

#[test]
fn program_data_are_compared_by_their_streams() {
    let (estimate, whole) = (estimate(), program(CALLS));
    let found = compared(Content::Estimate(&estimate), Content::Program(&whole)).unwrap();
    assert_eq!((found.streams, found.times), (None, None));
    let other = program(&CALLS.replace("barrier site=1 count=0\n", ""));
    let found = compared(Content::Program(&other), Content::Program(&whole)).unwrap();
    let differ = found.streams.unwrap();
    assert_eq!(differ.does.b, "MPI_Barrier at cg.f:30");
}
