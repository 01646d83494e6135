//! Interrupted runs: the ranks are ended, and as after any failure nothing is left behind.

use crate::world::{World, until};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use token_runtime::host::{Mode, RunError, run};

/// What rank `rank` of `endless.c` left, if it was started: its process id, and the run's folder.
fn left(world: &World, rank: u32) -> Option<(String, String)> {
    let text = std::fs::read_to_string(world.path().join(rank.to_string())).ok()?;
    text.split_once(' ')
        .map(|(process, folder)| (process.into(), folder.into()))
}

fn assert_gone((process, folder): &(String, String)) {
    assert!(
        !Path::new("/proc").join(process).exists(),
        "process {process} is left"
    );
    assert!(!Path::new(folder).exists(), "{folder} is left");
}

#[test]
fn an_interrupt_ends_ranks_that_compute() {
    for mode in [Mode::Token, Mode::Record, Mode::Measure] {
        let world = World::new();
        let mut launch = world.launch(&world.compile(&["endless.c"]), 2, mode);
        let interrupt = Arc::new(AtomicBool::new(false));
        launch.interrupt = Some(interrupt.clone());
        let running = std::thread::spawn(move || run(&launch));
        let started = || {
            (0..2)
                .map(|rank| left(&world, rank))
                .collect::<Option<Vec<_>>>()
        };
        let traces = until(started);
        let interrupted = Instant::now();
        interrupt.store(true, Ordering::Relaxed);
        assert_eq!(running.join().unwrap(), Err(RunError::Interrupted));
        assert!(
            interrupted.elapsed() < Duration::from_secs(5),
            "{:?}",
            interrupted.elapsed()
        );
        traces
            .expect("the ranks start")
            .iter()
            .for_each(assert_gone);
    }
}

#[test]
fn run_ends_at_its_time_limit() {
    let world = World::new();
    let mut launch = world.launch(&world.compile(&["endless.c"]), 2, Mode::Record);
    // Long enough for the ranks to start, as far as the test needs it: what has begun is gone in any case.
    launch.limit = Some(Duration::from_millis(500));
    assert_eq!(run(&launch), Err(RunError::OutOfTime(vec![Vec::new(); 2])));
    (0..2)
        .filter_map(|rank| left(&world, rank))
        .for_each(|trace| assert_gone(&trace));
}

#[test]
fn no_rank_starts_after_an_interrupt() {
    let world = World::new();
    let mut launch = world.launch(&world.compile(&["endless.c"]), 2, Mode::Token);
    launch.interrupt = Some(Arc::new(AtomicBool::new(true)));
    assert_eq!(run(&launch), Err(RunError::Interrupted));
    assert_eq!(left(&world, 0), None);
}

#[test]
fn failure_leaves_no_process_or_folder() {
    let world = World::new();
    let mut launch = world.launch(&world.compile(&["endless.c"]), 1, Mode::Token);
    launch.arguments = vec!["fail".into()];
    assert!(matches!(run(&launch), Err(RunError::Program(_))));
    assert_gone(&left(&world, 0).expect("the rank starts"));
}
