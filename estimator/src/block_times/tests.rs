//! Entries found, extrapolated, missing.

use super::*;
use crate::replay::program::{RankSteps, StepList};
use base_data::block_table::{Block, BlockKey, BlockKind, BlockTable};
use base_data::compute_data::{ComputeEntry, Coordinates, Feed, Unit};
use base_data::program_data::Variant;
use base_data::{BlockId, Digest};

fn table(procedures: &[&str]) -> BlockTable {
    let block = |procedure: &&str| Block {
        key: BlockKey {
            digest: Digest(1),
            procedure: (*procedure).into(),
            ordinal: 0,
        },
        kind: BlockKind::Compute,
        span: Default::default(),
        loop_path: Vec::new(),
        work_terms: Vec::new(),
        data_dependent: false,
    };
    BlockTable {
        blocks: procedures.iter().map(block).collect(),
        ..Default::default()
    }
}

/// One variant per (block, term) on a single rank.
fn program(procedures: &[&str], variants: &[(u32, i64)]) -> (ProgramData, Steps) {
    let variant = |&(block, term): &(u32, i64)| Variant {
        block: BlockId(block),
        terms: vec![term],
    };
    let data = ProgramData {
        ranks: 1,
        table: table(procedures),
        variants: variants.iter().map(variant).collect(),
        ..Default::default()
    };
    let step = |(variant, &(block, _)): (usize, &(u32, i64))| Step::Compute {
        block,
        variant: variant as u32,
        index: 0,
    };
    let list = StepList {
        steps: variants.iter().enumerate().map(step).collect(),
        slots: 2,
        ..StepList::default()
    };
    let steps = Steps {
        lists: vec![list],
        variants: variants.len(),
        ..Default::default()
    };
    (data, steps)
}

fn entry(block: u32, term: i64, ranks_per_node: u32, first: &[i64], warm: &[i64]) -> ComputeEntry {
    ComputeEntry {
        block: BlockId(block),
        terms: vec![term],
        ranks_per_node,
        threads: 1,
        feed: Feed::All,
        first: Distribution::of(first.to_vec()),
        warm: Distribution::of(warm.to_vec()),
        disturbed: 0,
        coordinates: Vec::new(),
    }
}

fn compute(procedures: &[&str], entries: Vec<ComputeEntry>) -> ComputeData {
    ComputeData {
        table: table(procedures),
        entries,
        ..Default::default()
    }
}

/// All ranks have the same compute data.
fn block_times(
    program: &ProgramData,
    steps: &Steps,
    compute: &[ComputeData],
    wanted: Conditions,
) -> Result<BlockTimesTable, EstimateError> {
    super::block_times(program, steps, &ComputeSets::given(compute), wanted)
}

const ONE: Conditions = Conditions {
    unit: Unit::Time,
    ranks_per_node: 1,
    threads: 1,
};

#[test]
fn keys_join_files_with_other_ids() {
    let (data, steps) = program(&["a", "b"], &[(0, 5), (1, 5)]);
    // In the compute data block 0 is b.
    let measured = compute(&["b"], vec![entry(0, 5, 1, &[30], &[10, 20])]);
    let times = block_times(&data, &steps, &[measured], ONE).unwrap();
    assert_eq!(times.variants[0].coverage, Coverage::Missing);
    assert_eq!(times.variants[1].coverage, Coverage::Measured);
    assert_eq!(
        (times.variants[1].first.mean, times.variants[1].warm.mean),
        (30.0, 15.0)
    );
    assert!((times.variants[1].warm.relative_error - 5.0 / 15.0).abs() < 1e-9);
}

#[test]
fn first_and_warm_times_substitute_each_other() {
    let (data, steps) = program(&["a", "b"], &[(0, 5), (1, 5)]);
    let measured = compute(
        &["a", "b"],
        vec![entry(0, 5, 1, &[30], &[]), entry(1, 5, 1, &[], &[7])],
    );
    let times = block_times(&data, &steps, &[measured], ONE).unwrap();
    assert_eq!(
        (times.variants[0].first.mean, times.variants[0].warm.mean),
        (30.0, 30.0)
    );
    assert_eq!(
        (times.variants[1].first.mean, times.variants[1].warm.mean),
        (7.0, 7.0)
    );
}

#[test]
fn other_variants_give_the_rate() {
    let (data, steps) = program(&["a"], &[(0, 40)]);
    let measured = compute(
        &["a"],
        vec![entry(0, 10, 1, &[], &[1000]), entry(0, 20, 1, &[], &[2000])],
    );
    let times = block_times(&data, &steps, &[measured], ONE).unwrap();
    assert!((times.variants[0].warm.mean - 4000.0).abs() < 1e-6);
    assert!(
        matches!(times.variants[0].coverage, Coverage::Extrapolated { spread } if spread < 1e-9)
    );
}

#[test]
fn data_dependent_work_is_extrapolated_to_rank_count() {
    let (mut data, steps) = program(&["a"], &[(0, 5)]);
    let measured_with = |ranks, warm| ComputeEntry {
        coordinates: vec![Coordinates {
            rank: 0,
            ranks,
            indices: Vec::new(),
        }],
        ..entry(0, 5, 1, &[], &[warm])
    };
    let measured = compute(&["a"], vec![measured_with(2, 200), measured_with(8, 50)]);
    let found = |data: &ProgramData| {
        let times = block_times(data, &steps, std::slice::from_ref(&measured), ONE).unwrap();
        (
            times.variants[0].warm.mean,
            times.warnings.first().cloned().unwrap_or_default(),
        )
    };
    assert_eq!(
        found(&data),
        (125.0, String::new()),
        "the same work on every number of ranks"
    );
    data.table.blocks[0].data_dependent = true;
    data.ranks = 8;
    assert_eq!(found(&data), (50.0, String::new()));
    data.ranks = 3;
    let (mean, warning) = found(&data);
    // A quarter of the work on four times as many ranks: as one over their number.
    assert!((mean - 400.0 / 3.0).abs() < 1e-6, "{mean}");
    assert!(
        warning.contains("measured with 2 ranks, the program data have 3"),
        "{warning}"
    );
    data.ranks = 32;
    assert!((found(&data).0 - 12.5).abs() < 1e-6);
}

#[test]
fn each_rank_has_its_own_share_of_the_data() {
    let (mut data, steps) = program(&["a"], &[(0, 5), (0, 6)]);
    let measured_on = |rank, term, warm| ComputeEntry {
        coordinates: vec![Coordinates {
            rank,
            ranks: 3,
            indices: Vec::new(),
        }],
        ..entry(0, term, 1, &[], &[warm])
    };
    let entries = vec![
        measured_on(0, 5, 100),
        measured_on(2, 5, 300),
        measured_on(1, 7, 1),
    ];
    let measured = [compute(&["a"], entries)];
    (data.ranks, data.table.blocks[0].data_dependent) = (3, true);
    let means = |data: &ProgramData, variant| {
        let times = block_times(data, &steps, &measured, ONE).unwrap();
        [0, 1, 2].map(|rank| times.variants[times.place(rank, variant)].warm.mean)
    };
    assert_eq!(
        means(&data, 0),
        [100.0, 200.0, 300.0],
        "rank 1 was not seen, so it takes the mean"
    );
    assert!(
        means(&data, 1).windows(2).all(|pair| pair[0] == pair[1]),
        "no rank was measured at 6"
    );
    data.table.blocks[0].data_dependent = false;
    assert_eq!(means(&data, 0), [200.0; 3]);
}

#[test]
fn unsampled_ranks_take_mean_with_spread_of_sampled_ranks() {
    let (mut data, steps) = program(&["a"], &[(0, 5)]);
    (data.ranks, data.table.blocks[0].data_dependent) = (3, true);
    let measured_on = |rank, feed, warm| ComputeEntry {
        coordinates: vec![Coordinates {
            rank,
            ranks: 3,
            indices: Vec::new(),
        }],
        feed,
        ..entry(0, 5, 1, &[], &[warm])
    };
    let fed = |feed| {
        [compute(
            &["a"],
            vec![measured_on(0, feed, 100), measured_on(2, feed, 300)],
        )]
    };
    let sampled = block_times(&data, &steps, &fed(Feed::Echo), ONE).unwrap();
    let coverage = [0, 1, 2].map(|rank| sampled.variants[sampled.place(rank, 0)].coverage);
    let spread = 2f64.sqrt() / 2.0;
    assert_eq!(
        coverage,
        [Coverage::Extrapolated { spread }; 3],
        "what the others were fed may be wrong, too"
    );
    assert_eq!(
        sampled.partial_measurements,
        ["on 2 of 3 ranks and with echoed messages"]
    );
    assert_eq!(
        sampled.warnings_without_shares(),
        [
            "times of data-dependent blocks are extrapolated: they were measured on 2 of 3 ranks and with echoed \
            messages; measure with --all-ranks"
        ]
    );
    assert_eq!(
        block_times(&data, &steps, &fed(Feed::All), ONE)
            .unwrap()
            .warnings_without_shares(),
        [""; 0],
        "others do not run it"
    );
}

#[test]
fn the_nearest_ranks_per_node_count() {
    let (data, steps) = program(&["a"], &[(0, 5)]);
    let measured = compute(
        &["a"],
        vec![entry(0, 5, 1, &[], &[100]), entry(0, 5, 4, &[], &[400])],
    );
    let times = |ranks_per_node| {
        let wanted = Conditions {
            ranks_per_node,
            ..ONE
        };
        block_times(&data, &steps, std::slice::from_ref(&measured), wanted).unwrap()
    };
    assert_eq!(
        (times(4).variants[0].warm.mean, times(4).warnings.len()),
        (400.0, 0)
    );
    let between = times(6);
    assert_eq!(between.variants[0].warm.mean, 400.0);
    assert!(between.warnings[0].contains("measured with 4 ranks per node, the platform has 6"));
}

#[test]
fn a_full_node_executes_no_more_statements() {
    let (data, steps) = program(&["a"], &[(0, 5)]);
    let measured = ComputeData {
        unit: Unit::Statements,
        ..compute(&["a"], vec![entry(0, 5, 2, &[], &[100])])
    };
    let times = block_times(
        &data,
        &steps,
        &[measured],
        Conditions {
            unit: Unit::Statements,
            ..ONE
        },
    )
    .unwrap();
    assert_eq!(
        (times.variants[0].warm.mean, times.warnings),
        (100.0, Vec::new())
    );
}

#[test]
fn between_two_numbers_of_ranks_per_node_times_are_in_proportion() {
    let (data, steps) = program(&["a", "b"], &[(0, 5), (0, 6), (1, 5)]);
    // Of block a, 6 was measured alone only: it slows down as 5 does. Block b does not slow down.
    let (alone, full) = (entry(0, 5, 1, &[], &[100]), entry(0, 5, 5, &[], &[180]));
    let entries = vec![
        alone,
        full,
        entry(0, 6, 1, &[], &[200]),
        entry(1, 5, 1, &[], &[7]),
        entry(1, 5, 5, &[], &[7]),
    ];
    let measured = compute(&["a", "b"], entries);
    let times = |ranks_per_node| {
        let wanted = Conditions {
            ranks_per_node,
            ..ONE
        };
        block_times(&data, &steps, std::slice::from_ref(&measured), wanted).unwrap()
    };
    let means = |ranks| {
        times(ranks)
            .variants
            .iter()
            .map(|time| time.warm.mean.round())
            .collect::<Vec<_>>()
    };
    assert_eq!(means(1), [100.0, 200.0, 7.0]);
    assert_eq!(means(3), [140.0, 280.0, 7.0]);
    assert_eq!(times(3).warnings, [""; 0]);
    let fuller = times(9);
    assert_eq!(fuller.variants[0].warm.mean, 180.0);
    // From 180 by 20 per rank: 80 more.
    assert!(
        (fuller.variants[0].slowdown - 80.0 / 180.0).abs() < 1e-9,
        "{}",
        fuller.variants[0].slowdown
    );
    assert_eq!(
        (fuller.variants[2].slowdown, fuller.warnings.len()),
        (0.0, 1)
    );
}

#[test]
fn variants_measured_only_under_other_conditions_are_kept() {
    let (data, steps) = program(&["a"], &[(0, 5), (0, 600)]);
    // Of 600 it is unknown how it slows down but as 5 does.
    let alone = vec![entry(0, 5, 1, &[], &[100]), entry(0, 600, 1, &[], &[300])];
    let found = |more: ComputeEntry, wanted: Conditions| {
        let measured = compute(&["a"], [alone.clone(), vec![more]].concat());
        let times = block_times(&data, &steps, &[measured], wanted).unwrap();
        (
            times.variants[0].warm.mean,
            times.variants[1].warm.mean,
            times.variants[1].coverage,
        )
    };
    let slower = Coverage::Extrapolated { spread: 0.5 };
    let full = entry(0, 5, 2, &[], &[150]);
    assert_eq!(
        found(
            full.clone(),
            Conditions {
                ranks_per_node: 2,
                ..ONE
            }
        ),
        (150.0, 450.0, slower)
    );
    assert_eq!(
        found(
            full,
            Conditions {
                ranks_per_node: 3,
                ..ONE
            }
        ),
        (150.0, 450.0, slower)
    );
    let threads = ComputeEntry {
        threads: 2,
        ..entry(0, 5, 1, &[], &[150])
    };
    assert_eq!(
        found(threads, Conditions { threads: 2, ..ONE }),
        (150.0, 450.0, slower)
    );
    // With no variant in common it is a guess.
    let other = entry(0, 7, 2, &[], &[140]);
    let guess = Coverage::Extrapolated { spread: 0.25 };
    assert_eq!(
        found(
            other,
            Conditions {
                ranks_per_node: 2,
                ..ONE
            }
        ),
        (100.0, 300.0, guess)
    );
}

#[test]
fn one_measurement_in_two_files_counts_once() {
    let (data, steps) = program(&["a"], &[(0, 5)]);
    let file = |runs: &[i64]| {
        compute(
            &["a"],
            runs.iter()
                .map(|&mean| entry(0, 5, 1, &[], &[mean, mean + 2]))
                .collect(),
        )
    };
    let times = block_times(&data, &steps, &[file(&[10]), file(&[10, 40])], ONE).unwrap();
    assert_eq!((times.variants[0].warm.mean, times.runs.count), (26.0, 2));
}

#[test]
fn data_dependent_work_of_another_input_is_extrapolated() {
    let (mut data, steps) = program(&["a"], &[(0, 5)]);
    data.table.blocks[0].data_dependent = true;
    data.provenance.input = Some(Digest(7));
    let file = |input: u128, warm| {
        let mut file = compute(&["a"], vec![entry(0, 5, 1, &[], &[warm])]);
        file.provenance.input = Some(Digest(input));
        file
    };
    let found = |data: &ProgramData, files: &[ComputeData]| {
        let time = block_times(data, &steps, files, ONE).unwrap().variants[0];
        (time.warm.mean, time.coverage)
    };
    let guess = Coverage::Extrapolated { spread: 0.25 };
    assert_eq!(found(&data, &[file(8, 100)]), (100.0, guess));
    assert_eq!(
        found(&data, &[file(8, 100), file(7, 30)]),
        (30.0, Coverage::Measured)
    );
    data.table.blocks[0].data_dependent = false;
    assert_eq!(
        found(&data, &[file(8, 100), file(7, 30)]),
        (65.0, Coverage::Measured)
    );
}

#[test]
fn distant_extrapolation_is_reported() {
    let (data, mut steps) = program(&["a", "b"], &[(0, 5), (1, 100), (1, 5)]);
    steps.ranks = vec![RankSteps {
        list: 0,
        first_channel: 0,
    }];
    let found = |a, b| {
        let measured = compute(
            &["a", "b"],
            vec![entry(0, a, 1, &[], &[100]), entry(1, b, 1, &[], &[100])],
        );
        block_times(&data, &steps, &[measured], ONE)
            .unwrap()
            .distant_blocks
    };
    assert_eq!(
        found(20, 100),
        BTreeMap::new(),
        "four times, and little of the time"
    );
    assert_eq!(found(50, 10), BTreeMap::from([(0, 10.0), (1, 10.0)]));
}

#[test]
fn entries_of_one_variant_give_run_variation() {
    let (data, steps) = program(&["a"], &[(0, 5)]);
    let with = |means: &[i64]| {
        let entries = means
            .iter()
            .map(|&mean| entry(0, 5, 1, &[], &[mean, mean]))
            .collect();
        block_times(&data, &steps, &[compute(&["a"], entries)], ONE)
            .unwrap()
            .runs
    };
    assert_eq!((with(&[100]).count, with(&[100]).spread()), (1, 0.0));
    assert!(with(&[90, 110]).count == 2 && with(&[90, 110]).spread() > 0.1);
}

#[test]
fn foreign_data_are_errors() {
    let (mut data, steps) = program(&["a"], &[(0, 5)]);
    data.provenance.program = "cg".into();
    let mut foreign = compute(&["z"], vec![entry(0, 5, 1, &[], &[100])]);
    foreign.provenance.program = "ep".into();
    let error = block_times(&data, &steps, &[foreign], ONE)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("program 'cg'") && error.contains("program 'ep'"),
        "{error}"
    );
    let error = block_times(&data, &steps, &[], ONE)
        .unwrap_err()
        .to_string();
    assert!(error.contains("no file given"), "{error}");
    let counted = ComputeData {
        unit: Unit::Statements,
        ..Default::default()
    };
    let error = block_times(&data, &steps, &[counted], ONE)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("counts of statements, expected times"),
        "{error}"
    );
}

#[test]
fn unequal_processing_units_have_their_own_data() {
    let (mut data, steps) = program(&["a"], &[(0, 5)]);
    data.ranks = 4;
    let platform = platform_of(NewUnit);
    let given = [compute(&["a"], vec![entry(0, 5, 1, &[], &[100])])];
    let found = |given: &[ComputeData]| {
        let sets = ComputeSets::of_platform(given, &platform, 4);
        super::block_times(&data, &steps, &sets, ONE)
    };
    let times = found(&given).unwrap();
    assert_eq!(
        [0, 1, 2, 3].map(|rank| times.of(rank, 0).warm.mean),
        [100.0, 100.0, 30.0, 30.0]
    );
    let error = found(&[]).unwrap_err().to_string();
    assert!(error.contains("no file given"), "{error}");
    // Another program that begins alike.
    let foreign = platform_of(OtherProgram);
    let sets = ComputeSets::of_platform(&given, &foreign, 4);
    assert!(
        super::block_times(&data, &steps, &sets, ONE).is_ok(),
        "all that was measured is in common"
    );
    let given = [compute(
        &["a", "b"],
        vec![entry(0, 5, 1, &[], &[100]), entry(1, 5, 1, &[], &[90_000])],
    )];
    let sets = ComputeSets::of_platform(&given, &foreign, 4);
    let error = super::block_times(&data, &steps, &sets, ONE)
        .unwrap_err()
        .to_string();
    assert!(error.contains("different programs"), "{error}");
}

#[test]
fn data_of_different_processing_units_are_not_averaged() {
    let (data, steps) = program(&["a"], &[(0, 5)]);
    let of = |model: &str| {
        let mut measured = compute(&["a"], vec![entry(0, 5, 1, &[], &[100])]);
        measured.pu.model = model.into();
        measured
    };
    assert!(block_times(&data, &steps, &[of("old"), of(""), of("old")], ONE).is_ok());
    let error = block_times(&data, &steps, &[of("old"), of("new")], ONE)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("'old' and of 'new'") && error.contains("[[pu]]"),
        "{error}"
    );
}

/// Two nodes with the processing units of the given data, and two with those of a file.
fn platform_of(files: impl machine::platform::PlatformFiles) -> machine::Platform {
    let text = "format = 1\nname = \"two\"\nnodes = 4\nlinks = []\n\
                pu = [{ first_node = 0, nodes = 2 }, { first_node = 2, nodes = 2, compute = \"new\" }]";
    let file = base_data::platform_file::PlatformFile::parse(text).unwrap();
    machine::Platform::with_files(file, &files).unwrap()
}

/// Block a takes 30 picoseconds, and another all else.
struct OtherProgram;

impl machine::platform::PlatformFiles for OtherProgram {
    fn comm(&self, name: &str) -> Result<base_data::comm_data::CommData, String> {
        Err(name.into())
    }

    fn compute(&self, _: &str) -> Result<ComputeData, String> {
        let entries = vec![entry(0, 5, 1, &[], &[30]), entry(1, 5, 1, &[], &[80_000])];
        Ok(compute(&["a", "z"], entries))
    }

    fn placement(&self, name: &str) -> Result<String, String> {
        Err(name.into())
    }
}

/// Block a takes 30 picoseconds.
struct NewUnit;

impl machine::platform::PlatformFiles for NewUnit {
    fn comm(&self, name: &str) -> Result<base_data::comm_data::CommData, String> {
        Err(name.into())
    }

    fn compute(&self, _: &str) -> Result<ComputeData, String> {
        Ok(compute(&["a"], vec![entry(0, 5, 1, &[], &[30])]))
    }

    fn placement(&self, name: &str) -> Result<String, String> {
        Err(name.into())
    }
}

/// The sampling error and whether single executions vary, of a rank's own block that executes `later` times more, with
/// these warm executions measured, in order or not.
fn own_error(later: u64, warm: &[i64], in_order: bool, unit: Unit) -> (f64, bool) {
    let (mut data, mut steps) = program(&["a"], &[(0, 5)]);
    (data.ranks, data.table.blocks[0].data_dependent) = (1, true);
    let repeat = Step::repeat(later + 1, 1);
    steps.lists[0].steps.insert(0, repeat);
    steps.ranks = vec![crate::replay::program::RankSteps {
        list: 0,
        ..Default::default()
    }];
    let indices = if in_order {
        vec![1, warm.len() as i64]
    } else {
        Vec::new()
    };
    let coordinates = vec![Coordinates {
        rank: 0,
        ranks: 1,
        indices,
    }];
    let measured = ComputeEntry {
        coordinates,
        ..entry(0, 5, 1, &[7], warm)
    };
    let measured = ComputeData {
        unit,
        ..compute(&["a"], vec![measured])
    };
    let times = block_times(&data, &steps, &[measured], Conditions { unit, ..ONE }).unwrap();
    let time = times.of(0, 0).warm;
    (time.relative_error, time.shape > 0)
}

#[test]
fn full_sample_has_no_sampling_error() {
    let warm = [10, 20, 30, 40];
    let all = Distribution::of(warm.to_vec());
    let error = all.standard_error() / all.mean;
    let near = |(found, _): (f64, bool), expected: f64| {
        assert!((found - expected).abs() < 1e-12, "{found}")
    };
    near(own_error(4, &warm, false, Unit::Time), 0.0);
    near(
        own_error(16, &warm, false, Unit::Time),
        error * 0.75f64.sqrt(),
    );
    let varies = |in_order, unit| own_error(4, &warm, in_order, unit).1;
    assert!(varies(true, Unit::Time) && varies(false, Unit::Statements));
    assert!(
        !varies(true, Unit::Statements),
        "the time series contains the variation"
    );
}

/// Four ranks took 200 for each execution; of two it is not known whether each takes that, or all together what they took.
#[test]
fn single_rank_count_bounds_total_work() {
    let (mut data, mut steps) = program(&["a"], &[(0, 5)]);
    data.table.blocks[0].data_dependent = true;
    data.ranks = 2;
    steps.ranks = vec![crate::replay::program::RankSteps::default(); 2];
    let measured = |rank| ComputeEntry {
        coordinates: vec![Coordinates {
            rank,
            ranks: 4,
            indices: Vec::new(),
        }],
        ..entry(0, 5, 1, &[], &[200, 200])
    };
    for ranks in [1, 4] {
        let measured = compute(&["a"], (0..ranks).map(measured).collect());
        let times = block_times(&data, &steps, &[measured], ONE).unwrap();
        let unequal = &times.unequal[times.variants[0].unequal as usize - 1];
        let factor =
            |place| unequal.factors_off(2, &mut crate::random::Random::stream(&[1]), place)[1];
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(near(factor(-1.0), 0.8) && near(factor(0.0), 1.0) && near(factor(1.0), 2.0));
        assert_eq!(times.variants[0].warm.mean, 200.0);
    }
}

/// An entry of a data-dependent block in which a loop over the first term's elements is followed by one of as many iterations as the
/// second term says.
fn two_terms([rank, ranks]: [u32; 2], trips: i64, time: i64) -> ComputeEntry {
    ComputeEntry {
        terms: vec![10_000, trips],
        coordinates: vec![Coordinates {
            rank,
            ranks,
            indices: Vec::new(),
        }],
        ..entry(0, 5, 1, &[time], &[])
    }
}

/// The times of that block on 16 ranks, which execute 39 or 40 iterations.
fn on_sixteen_ranks(measured: Vec<ComputeEntry>) -> BlockTimesTable {
    let (mut data, mut steps) = program(&["a"], &[(0, 39), (0, 40)]);
    data.table.blocks[0].data_dependent = true;
    data.ranks = 16;
    for variant in &mut data.variants {
        variant.terms.insert(0, 10_000);
    }
    steps.ranks = vec![crate::replay::program::RankSteps::default(); 16];
    block_times(&data, &steps, &[compute(&["a"], measured)], ONE).unwrap()
}

/// An iteration takes 331 with 4 ranks and 98 with 8; with 16 as much less again. The time with 8 ranks is no estimate.
#[test]
fn extrapolated_time_is_proportional_to_known_trip_count() {
    let four = (0..4).map(|rank| two_terms([rank, 4], 625, 206_875));
    let eight = (0..8).map(|rank| match rank {
        0..4 => two_terms([rank, 8], 157, 15_386),
        _ => two_terms([rank, 8], 156, 15_288),
    });
    let times = on_sixteen_ranks(four.chain(eight).collect());
    let iteration = 98.0 * 98.0 / 331.0;
    for (variant, trips) in times.variants.iter().zip([39.0, 40.0]) {
        let off = variant.first.mean / (iteration * trips) - 1.0;
        assert!(off.abs() < 0.01, "{} {off}", variant.first.mean);
        // The power may be wrong: twice the time is within the interval.
        let Coverage::Extrapolated { spread } = variant.coverage else {
            panic!("{:?}", variant.coverage);
        };
        assert!((0.55..0.7).contains(&spread), "{spread}");
    }
}

/// With one measured number of ranks, the block may follow its constant term or the one that is a quarter of what it was.
#[test]
fn single_rank_count_allows_any_term_to_determine_the_time() {
    let times = on_sixteen_ranks(
        (0..8)
            .map(|rank| two_terms([rank, 8], 156, 15_288))
            .collect(),
    );
    let unequal = &times.unequal[times.variants[0].unequal as usize - 1];
    let factors = unequal.factors_off(16, &mut crate::random::Random::stream(&[1]), -1.0);
    let least = times.variants[0].first.mean * factors[0];
    let by_trips = 15_288.0 * 39.5 / 156.0;
    assert!((least / by_trips - 1.0).abs() < 0.02, "{least} {by_trips}");
}
