//! Solo ranks leave the same recordings as ranks that run together.

use crate::world::World;
use base_data::block_table::BlockTable;
use base_data::program_data::{ProgramData, RecordMethod};
use base_data::provenance::Provenance;
use base_data::stream_difference::first_difference;
use std::path::Path;
use token_runtime::host::{Launch, Mode, RunError, merge_program, run};
use token_runtime::virtual_recording::{self, ValidationLevel};

fn record(launch: &Launch<'_>) -> Result<ProgramData, RunError> {
    let ranks = run(launch)?.ranks;
    let provenance = Provenance::default();
    Ok(merge_program(
        ranks,
        BlockTable::default(),
        provenance,
        RecordMethod::Virtual,
    )
    .unwrap())
}

fn launch(world: &World, program: &Path, ranks: u32, live: &str) -> Launch<'static> {
    Launch {
        solo: true,
        arguments: vec![live.into()],
        ..world.launch(program, ranks, Mode::Record)
    }
}

#[test]
fn solo_ranks_record_the_same_data() {
    let world = World::new();
    let program = world.compile(&["solo.c"]);
    for ranks in [1, 2, 3, 4, 7, 16, 33] {
        let solo = launch(&world, &program, ranks, "");
        let together = Launch {
            solo: false,
            ..solo.clone()
        };
        assert_eq!(record(&solo), record(&together), "{ranks} ranks");
    }
}

/// The data of all ranks from few of them, and of how many.
fn from_few(launch: &Launch<'_>) -> (ProgramData, Option<usize>) {
    let (launch, care) = (
        Launch {
            solo: true,
            ..launch.clone()
        },
        ValidationLevel {
            random_checks: 100,
            per_boundary: 4,
        },
    );
    let made =
        virtual_recording::record(&launch, BlockTable::default(), Provenance::default(), care)
            .unwrap();
    (made.data, made.checked.map(|_| made.run.len()))
}

#[test]
fn virtual_recording_from_some_ranks_equals_full_recording() {
    let world = World::new();
    let program = world.compile(&["grid_of_ranks.c"]);
    let together = world.launch(&program, 1024, Mode::Record);
    let (made, run) = from_few(&together);
    assert_eq!(made.method, RecordMethod::Virtual);
    assert!(run.is_some_and(|run| run <= 512), "{run:?} were run");
    assert_eq!(first_difference(&made, &record(&together).unwrap()), None);
    assert!(
        made.tables.len() <= 12,
        "{} operands are tables",
        made.tables.len()
    );
}

#[test]
fn irregular_programs_run_all_ranks() {
    let world = World::new();
    let program = world.compile(&["solo.c"]);
    let together = world.launch(&program, 210, Mode::Record);
    let (made, run) = from_few(&together);
    assert_eq!((made, run), (record(&together).unwrap(), None));
}

#[test]
fn call_that_needs_other_ranks_is_reported() {
    let world = World::new();
    let program = world.compile(&["solo.c"]);
    for (live, call) in [
        ("sum", "in MPI_Allreduce"),
        ("message", "needs messages of other ranks"),
        ("unused", "in MPI_Bcast"),
    ] {
        match record(&launch(&world, &program, 4, live)) {
            Err(RunError::NeedsOtherRanks(sentence)) => {
                assert!(sentence.contains(call), "{live}: {sentence}")
            }
            other => panic!("{live}: {other:?}"),
        }
    }
}

#[test]
fn failures_of_solo_ranks_are_program_failures() {
    let world = World::new();
    let program = world.compile(&["solo.c"]);
    for (live, what) in [("abort", "error code 3"), ("crash", "signal 6")] {
        match record(&launch(&world, &program, 4, live)) {
            Err(RunError::Program(sentence)) => {
                assert!(
                    sentence.contains("rank 1") && sentence.contains(what),
                    "{live}: {sentence}"
                );
            }
            other => panic!("{live}: {other:?}"),
        }
    }
}

/// What was done before `MPI_Init` cannot be done once more for each rank.
#[test]
fn unforkable_process_is_rejected() {
    let world = World::new();
    let program = world.compile(&["before_init.c"]);
    std::fs::write(world.path().join("words"), "one two three").unwrap();
    let refused = record(&launch(&world, &program, 3, "threads"));
    assert!(
        matches!(&refused, Err(RunError::NeedsOtherRanks(why)) if why.contains("MPI_Init")),
        "{refused:?}"
    );
    let echo = record(&launch(&world, "/bin/echo".as_ref(), 3, ""));
    assert!(
        matches!(echo, Err(RunError::NeedsOtherRanks(_))),
        "{echo:?}"
    );
    let wrong = Launch {
        mode: Mode::Token,
        ..launch(&world, &program, 3, "")
    };
    assert!(matches!(run(&wrong), Err(RunError::Setup(_))));
}
