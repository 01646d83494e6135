//! Observed runs in which one rank computes at a time: the program behaves the same, the streams are
//! equal, and no rank waits for ever.

use crate::command::{done, mpiete, root};
use crate::observe::{compile, complete, is_observable, read};
use crate::observe_calls;
use crate::real_mpi::{Mpi, processors};
use base_data::observation::Observation;
use base_data::program_data::ProgramData;
use base_data::stream_difference::first_difference;
use npb_fixtures::{KERNELS, PATTERNS, ProblemClass};
use std::path::Path;

const ONE: &str = "--one-at-a-time";

/// A run of `./program` in which one rank computes at a time, and what it printed.
fn one(mpi: &Mpi, here: &Path, ranks: u32, words: &[&str]) -> (Observation, String) {
    let _alone = processors();
    let said = mpi.observe(
        here,
        ranks,
        "one.mpiete",
        &[&[ONE, "./program"], words].concat(),
    );
    let observation = complete(here, "one.mpiete");
    assert!(observation.one_at_a_time);
    (observation, said)
}

/// The kernels' streams are those that are recorded on the token runtime, and their results right.
fn kernels(mpi: &Mpi, ranks: &[u32]) {
    for kernel in &KERNELS {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        compile(
            mpi,
            here,
            &kernel.sources(),
            &kernel.include_directories(ProblemClass::S),
        );
        for &ranks in ranks {
            let (seen, said) = one(mpi, here, ranks, &[]);
            assert!(
                said.contains(&kernel.success_line()),
                "{}, {ranks} ranks: {said}",
                kernel.name
            );
            as_recorded(here, ranks, &seen, kernel.name);
        }
    }
}

fn patterns(mpi: &Mpi, ranks: &[u32]) {
    for pattern in PATTERNS.iter().filter(|pattern| is_observable(pattern)) {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        compile(mpi, here, &[pattern.source()], &[]);
        for &ranks in ranks {
            let (seen, _) = one(mpi, here, ranks, &[]);
            as_recorded(here, ranks, &seen, pattern.name);
        }
    }
}

fn as_recorded(here: &Path, ranks: u32, seen: &Observation, what: &str) {
    done(
        here,
        &[
            "record",
            "-n",
            &ranks.to_string(),
            "-o",
            "recorded.mpiete",
            "--",
            "./program",
        ],
    );
    let recorded: ProgramData = read(here, "recorded.mpiete");
    assert_eq!(
        first_difference(&recorded, &seen.program),
        None,
        "{what}, {ranks} ranks"
    );
}

/// Programs that look at everything a call gives: results, statuses, errors.
fn waits(mpi: &Mpi, ranks: &[u32]) {
    for (source, flag) in [
        ("waits.c", "-w"),
        ("waits.F90", "-w"),
        ("waits.F90", "-DF08"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        let source = root().join("cli/tests/it/programs").join(source);
        let flags: &[&str] = match source.extension().is_some_and(|ending| ending == "c") {
            true => &["-O1", flag],
            false => &["-O1", "-fallow-argument-mismatch", flag],
        };
        mpi.compile(here, "program", &[source], flags);
        for &ranks in ranks {
            let (seen, said) = one(mpi, here, ranks, &[]);
            assert!(said.contains("all was so"), "{said}");
            let free = {
                let _alone = processors();
                mpi.observe(here, ranks, "free.mpiete", &["./program"]);
                complete(here, "free.mpiete")
            };
            assert!(!free.one_at_a_time);
            assert_eq!(
                first_difference(&free.program, &seen.program),
                None,
                "{flag}, {ranks} ranks"
            );
            // How often it looks in vain is chance, and erroneous calls make no observation.
            let _alone = processors();
            let words = [
                env!("CARGO_BIN_EXE_mpiete"),
                "observe",
                "-o",
                "more.mpiete",
                ONE,
                "./program",
                "more",
            ];
            let more = mpi.run(here, ranks, &words);
            assert!(
                more.code == 0 && more.out.contains("all was so"),
                "{}{}",
                more.out,
                more.err
            );
        }
    }
}

#[test]
fn serialised_execution_is_invisible_under_mpich() {
    let Some(mpi) = Mpi::mpich() else { return };
    waits(&mpi, &[2]);
}

#[test]
fn mpich_streams_equal_recorded_ones() {
    let Some(mpi) = Mpi::mpich() else { return };
    kernels(&mpi, &[2]);
    patterns(&mpi, &[2]);
}

#[test]
fn every_call_of_every_binding_under_mpich() {
    let Some(mpi) = Mpi::mpich() else { return };
    observe_calls::check(&mpi, &[ONE, "./calls"]);
}

/// One rank at a time runs there anyway: the flag asks for nothing more.
#[test]
fn token_runtime_ignores_serialised_execution() {
    let Some(mpi) = Mpi::mpich() else { return };
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let ring = PATTERNS
        .iter()
        .find(|pattern| pattern.name == "ring")
        .unwrap();
    compile(&mpi, here, &[ring.source()], &[]);
    let inner = [
        env!("CARGO_BIN_EXE_mpiete"),
        "observe",
        "-o",
        "one.mpiete",
        ONE,
        "./program",
    ];
    let run = mpiete(here, &[&["run", "-n", "3"], &inner[..]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let seen = complete(here, "one.mpiete");
    assert!(seen.one_at_a_time);
    as_recorded(here, 3, &seen, ring.name);
}

/// What a second thread calls meanwhile is not observed, but matches what other ranks call.
#[test]
fn concurrent_threads_in_mpi_continue() {
    let Some(mpi) = Mpi::mpich() else { return };
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    mpi.compile(
        here,
        "program",
        &[root().join("cli/tests/it/programs/threads.c")],
        &["-O1", "-pthread"],
    );
    let _alone = processors();
    let said = mpi.observe(here, 3, "one.mpiete", &[ONE, "./program"]);
    assert!(said.contains("all was so"), "{said}");
}

#[test]
#[ignore = "many ranks on few processors: in make test-all"]
fn more_ranks_than_processors_under_mpich() {
    let Some(mpi) = Mpi::mpich() else { return };
    waits(&mpi, &[4]);
    kernels(&mpi, &[4, 8, 16]);
    patterns(&mpi, &[4, 7]);
}

#[test]
#[ignore = "needs the blocking MPICH: in make test-all"]
fn more_ranks_than_processors_under_blocking_mpich() {
    let Some(mpi) = Mpi::blocking_mpich() else {
        return;
    };
    waits(&mpi, &[2, 4, 8]);
    kernels(&mpi, &[4, 8, 16]);
    patterns(&mpi, &[4, 7]);
}

#[test]
#[ignore = "needs Open MPI: in make test-all"]
fn more_ranks_than_processors_under_open_mpi() {
    let Some(mpi) = Mpi::open_mpi() else { return };
    waits(&mpi, &[2, 4]);
    observe_calls::check(&mpi, &[ONE, "./calls"]);
}
