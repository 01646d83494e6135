//! Ranks that run alone, one after the other, leave what they leave when they run together.

use crate::world::World;
use base_data::block_table::BlockTable;
use base_data::program_data::{ProgramData, RecordMethod};
use base_data::provenance::Provenance;
use base_data::stream_difference::first_difference;
use std::path::Path;
use token_runtime::host::{Launch, Mode, RunError, merge_program, run};
use token_runtime::virtual_recording::{self, Care};

fn record(launch: &Launch<'_>) -> Result<ProgramData, RunError> {
    let ranks = run(launch)?.ranks;
    let provenance = Provenance::default();
    Ok(merge_program(ranks, BlockTable::default(), provenance, RecordMethod::Virtual).unwrap())
}

fn launch(world: &World, program: &Path, ranks: u32, live: &str) -> Launch<'static> {
    Launch { alone: true, arguments: vec![live.into()], ..world.launch(program, ranks, Mode::Record) }
}

#[test]
fn lone_ranks_leave_the_same_data() {
    let world = World::new();
    let program = world.compile(&["lone.c"]);
    for ranks in [1, 2, 3, 4, 7, 16, 33] {
        let alone = launch(&world, &program, ranks, "");
        let together = Launch { alone: false, ..alone.clone() };
        assert_eq!(record(&alone), record(&together), "{ranks} ranks");
    }
}

/// The data of all ranks from few of them, and of how many.
fn from_few(launch: &Launch<'_>) -> (ProgramData, Option<usize>) {
    let (launch, care) = (Launch { alone: true, ..launch.clone() }, Care { checks: 100, at_borders: 4 });
    let made =
        virtual_recording::record(&launch, BlockTable::default(), Provenance::default(), care).unwrap();
    (made.data, made.checked.map(|_| made.run.len()))
}

#[test]
fn some_ranks_tell_what_all_do() {
    let world = World::new();
    let program = world.compile(&["grid_of_ranks.c"]);
    let together = world.launch(&program, 1024, Mode::Record);
    let (made, run) = from_few(&together);
    assert_eq!(made.method, RecordMethod::Virtual);
    assert!(run.is_some_and(|run| run <= 512), "{run:?} were run");
    assert_eq!(first_difference(&made, &record(&together).unwrap()), None);
    assert!(made.tables.len() <= 12, "{} operands are tables", made.tables.len());
}

#[test]
fn all_are_run_where_some_do_not_tell() {
    let world = World::new();
    let program = world.compile(&["lone.c"]);
    let together = world.launch(&program, 210, Mode::Record);
    let (made, run) = from_few(&together);
    assert_eq!((made, run), (record(&together).unwrap(), None));
}

#[test]
fn a_call_that_takes_others_is_named() {
    let world = World::new();
    let program = world.compile(&["lone.c"]);
    for (live, call) in
        [("sum", "in MPI_Allreduce"), ("message", "needs the answer"), ("nobody", "in MPI_Bcast")]
    {
        match record(&launch(&world, &program, 4, live)) {
            Err(RunError::NotAlone(sentence)) => assert!(sentence.contains(call), "{live}: {sentence}"),
            other => panic!("{live}: {other:?}"),
        }
    }
}

#[test]
fn failures_of_lone_ranks_are_the_programs() {
    let world = World::new();
    let program = world.compile(&["lone.c"]);
    for (live, what) in [("abort", "error code 3"), ("crash", "signal 6")] {
        match record(&launch(&world, &program, 4, live)) {
            Err(RunError::Program(sentence)) => {
                assert!(sentence.contains("rank 1") && sentence.contains(what), "{live}: {sentence}");
            }
            other => panic!("{live}: {other:?}"),
        }
    }
}

/// What was done before `MPI_Init` cannot be done once more for each rank.
#[test]
fn a_process_that_cannot_be_forked_is_refused() {
    let world = World::new();
    let program = world.compile(&["before.c"]);
    std::fs::write(world.path().join("words"), "one two three").unwrap();
    let refused = record(&launch(&world, &program, 3, "threads"));
    assert!(matches!(&refused, Err(RunError::NotAlone(why)) if why.contains("MPI_Init")), "{refused:?}");
    let echo = record(&launch(&world, "/bin/echo".as_ref(), 3, ""));
    assert!(matches!(echo, Err(RunError::NotAlone(_))), "{echo:?}");
    let wrong = Launch { mode: Mode::Token, ..launch(&world, &program, 3, "") };
    assert!(matches!(run(&wrong), Err(RunError::Setup(_))));
}
