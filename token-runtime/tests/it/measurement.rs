//! Mode `measure`: times of blocks, and loops that all ranks leave at the same iteration.

use crate::world::World;
use base_data::block_table::BlockTable;
use base_data::compute_data::{Feed, ProcessingUnit};
use base_data::provenance::Provenance;
use std::time::Duration;
use token_runtime::host::{Launch, MeasureSettings, Measuring, Mode, RunError, merge_compute, run};

#[test]
fn blocks_are_timed_and_loops_are_cut() {
    let world = World::new();
    let program = world.compile(&["mpi.f90", "blocks.f90"]);
    let mut launch = world.launch(&program, 3, Mode::Measure);
    // However noisy the machine is: the loop ends when the budget is spent.
    launch.measure = MeasureSettings {
        budget: Duration::from_millis(50),
        ..Default::default()
    };
    let recording = run(&launch).unwrap();
    let iterations: u64 = recording.output.trim().parse().unwrap();
    assert!((6..2_000).contains(&iterations), "{iterations} iterations");
    let data = merge_compute(
        &recording.ranks,
        BlockTable::default(),
        Provenance::default(),
        ProcessingUnit::default(),
        Feed::All,
    );
    let [long, short] = &data.entries[..] else {
        panic!("{:?}", data.entries)
    };
    assert_eq!(
        (
            long.terms.as_slice(),
            long.first.count,
            long.coordinates.len()
        ),
        (&[20_000][..], 3, 3)
    );
    assert_eq!(long.warm.count + long.disturbed, 3 * (iterations - 1));
    // 20,000 dependent multiplications and additions: at least 4 cycles each pair.
    assert!(
        long.warm.quantile(0.0) > 5e6,
        "{} ps",
        long.warm.quantile(0.0)
    );
    assert!(
        short.warm.median() < long.warm.median() / 10.0,
        "{} ps",
        short.warm.median()
    );
    assert!(data.peak_memory.iter().all(|memory| memory.bytes > 0));
}

#[test]
fn compute_probe_runs_whole_in_other_modes() {
    let world = World::new();
    let program = world.compile(&["mpi.f90", "blocks.f90"]);
    assert_eq!(world.run(&program, 1, Mode::Token).output, "2000\n");
}

#[test]
fn silent_solo_rank_is_killed() {
    let world = World::new();
    let endless = world.launch(&world.compile(&["endless.c"]), 2, Mode::Measure);
    let replay_input = Some(world.path().to_path_buf());
    let launch = Launch {
        silence: Some(Duration::from_millis(200)),
        replay_input,
        ..endless
    };
    let ended = Measuring::new(&launch).unwrap().run(1, &[]);
    let Err(RunError::NeedsOtherRanks(message)) = ended else {
        panic!("{ended:?}")
    };
    assert!(
        message.starts_with("rank 1 has made no MPI call for 0.2 s"),
        "{message}"
    );
}
