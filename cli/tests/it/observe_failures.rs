//! Observed runs that do not end well: what is there then says what is missing.

use crate::command::{CommandOutput, answer, mpiete, root};
use crate::observe::{complete, read};
use crate::real_mpi::{Mpi, processors};
use base_data::observation::Observation;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

const MPIETE: &str = env!("CARGO_BIN_EXE_mpiete");

/// A folder with the program of many ends.
fn world(mpi: &Mpi) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let source = root().join("cli/tests/it/programs/ends.c");
    mpi.compile(folder.path(), "ends", &[source], &["-O1", "-g", "-pthread"]);
    folder
}

fn observed(mpi: &Mpi, here: &Path, how: &str) -> CommandOutput {
    let _alone = processors();
    mpi.run(
        here,
        2,
        &[MPIETE, "observe", "-o", "seen.mpiete", "./ends", how],
    )
}

fn missing(here: &Path) -> String {
    read::<Observation>(here, "seen.mpiete").missing.join("; ")
}

/// Nothing of the run but the observation.
fn is_tidy(here: &Path) {
    let names = std::fs::read_dir(here)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["ends", "seen.mpiete"]);
}

#[test]
fn exit_of_the_program_is_unchanged() {
    let Some(mpi) = Mpi::mpich() else { return };
    let world = world(&mpi);
    assert_eq!(observed(&mpi, world.path(), "well").code, 0);
    assert_eq!(observed(&mpi, world.path(), "with 3").code, 3);
    complete(world.path(), "seen.mpiete");
    is_tidy(world.path());
}

#[test]
fn a_rank_that_aborts_is_named() {
    let Some(mpi) = Mpi::mpich() else { return };
    let world = world(&mpi);
    assert_eq!(observed(&mpi, world.path(), "abort").code, 7);
    assert_eq!(
        missing(world.path()),
        "rank 1 ended the run by MPI_Abort with code 7"
    );
    is_tidy(world.path());
    let compared = mpiete(world.path(), &["compare", "seen.mpiete", "seen.mpiete"]);
    assert!(
        compared.code == 2 && compared.err.contains("MPI_Abort"),
        "{}",
        compared.err
    );
}

#[test]
fn a_run_that_is_killed_is_incomplete() {
    let Some(mpi) = Mpi::mpich() else { return };
    let world = world(&mpi);
    let here = world.path();
    let mut launcher = mpi.launch(2);
    launcher.args([MPIETE, "observe", "-o", "seen.mpiete", "./ends", "wait"]);
    launcher
        .current_dir(here)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut run = launcher.spawn().unwrap();
    let mut said = String::new();
    BufReader::new(run.stdout.take().unwrap())
        .read_line(&mut said)
        .unwrap();
    run.kill().unwrap();
    run.wait().unwrap();
    assert_eq!(said, "waiting\n");
    assert_eq!(
        missing(here),
        "the run did not reach MPI_Finalize on all ranks"
    );
    is_tidy(here);
}

#[test]
fn concurrent_threads_in_mpi_are_reported() {
    let Some(mpi) = Mpi::mpich() else { return };
    let world = world(&mpi);
    assert_eq!(observed(&mpi, world.path(), "threads").code, 0);
    let missing = missing(world.path());
    assert!(
        missing.starts_with("ranks 0-1: two threads were inside MPI at once"),
        "{missing}"
    );
}

/// A program linked with the observer and started without `mpiete observe`: only the user can merge the parts of its ranks.
#[test]
fn parts_are_merged_later() {
    let Some(mpi) = Mpi::mpich() else { return };
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let libraries = Path::new(MPIETE).parent().unwrap().display().to_string();
    let (search, found) = (format!("-L{libraries}"), format!("-Wl,-rpath,{libraries}"));
    let flags = [
        "-O1",
        "-pthread",
        "-Wl,--no-as-needed",
        &search,
        "-lmpiete_observer",
        &found,
    ];
    let source = root().join("cli/tests/it/programs/ends.c");
    mpi.compile(here, "ends", &[source], &flags);
    let run = {
        let _alone = processors();
        mpi.run(
            here,
            2,
            &["env", "MPIETE_OBSERVE_TOOL=./missing", "./ends", "well"],
        )
    };
    assert_eq!(run.code, 0, "{}", run.err);
    let waiting: Observation = read(here, "observation.mpiete");
    assert!(
        waiting.missing[0].contains("./missing cannot be started"),
        "{:?}",
        waiting.missing
    );
    let remedy = run
        .err
        .split('`')
        .nth(1)
        .unwrap_or_else(|| panic!("{}", run.err));
    let words: Vec<&str> = remedy.split(' ').skip(1).collect();
    assert_eq!(mpiete(here, &words).code, 0, "{remedy}");
    assert_eq!(complete(here, "observation.mpiete").ranks.len(), 2);
}

/// An interpreter's modules see each other's libraries only if they were loaded for all.
#[test]
fn library_loaded_for_one_module_is_found() {
    let Some(mpi) = Mpi::mpich() else { return };
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let source = |name: &str| vec![root().join("cli/tests/it/programs").join(name)];
    mpi.compile(
        here,
        "module.so",
        &source("module.c"),
        &["-shared", "-fPIC"],
    );
    let sources = source("interpreter.c");
    let compiled = answer(
        Command::new("gcc")
            .args(&sources)
            .args(["-o", "ends", "-ldl"])
            .current_dir(here),
    );
    assert_eq!(compiled.code, 0, "{}", compiled.err);
    assert_eq!(observed(&mpi, here, "").code, 0);
    let seen = complete(here, "seen.mpiete");
    let functions: Vec<&str> = seen
        .program
        .table
        .call_sites
        .iter()
        .map(|site| site.function.as_str())
        .collect();
    assert_eq!(functions, ["MPI_Init", "MPI_Barrier", "MPI_Finalize"]);
}

/// As on a full disk: a file that grows beyond what is allowed cannot be written.
#[test]
fn unwritable_part_is_reported() {
    let Some(mpi) = Mpi::mpich() else { return };
    let world = world(&mpi);
    let here = world.path();
    let run = observed(&mpi, here, "full");
    assert_eq!(run.code, 0, "{}", run.err);
    let missing = missing(here);
    assert!(
        missing.starts_with("rank 1 of 2 cannot write its part") && missing.contains("too large"),
        "{missing}"
    );
    assert!(run.err.contains("incomplete: rank 1"), "{}", run.err);
    is_tidy(here);
}

#[test]
fn run_ends_if_the_observation_cannot_start() {
    let Some(mpi) = Mpi::mpich() else { return };
    let world = world(&mpi);
    let words = [
        MPIETE,
        "observe",
        "-o",
        "nowhere/seen.mpiete",
        "./ends",
        "well",
    ];
    let run = {
        let _alone = processors();
        // One rank: a launcher may end the others, and drop what they said, as soon as one has ended.
        mpi.run(world.path(), 1, &words)
    };
    assert!(
        run.code == 2 && run.err.contains("nowhere/seen.mpiete cannot be written"),
        "{}",
        run.err
    );
    assert!(run.err.contains("observe -o FILE"), "{}", run.err);
}

/// One machine, outside a launcher.
#[test]
fn started_command_reports_its_end() {
    let Some(mpi) = Mpi::mpich() else { return };
    let world = world(&mpi);
    let here = world.path();
    let start = |words: &[&str]| {
        let _alone = processors();
        let mut command = Command::new(MPIETE);
        answer(
            command
                .args(["observe", "-o", "seen.mpiete", "--"])
                .args(words)
                .current_dir(here),
        )
    };
    let launch = |how| start(&["mpirun.mpich", "-n", "2", "./ends", how]);
    let done = launch("well");
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(complete(here, "seen.mpiete").ranks.len(), 2);
    assert_eq!(start(&["./ends", "well"]).code, 0);
    assert_eq!(complete(here, "seen.mpiete").ranks.len(), 1);
    let failed = launch("abort");
    assert!(
        failed.code == 1
            && failed.err.contains(
                "seen.mpiete contains the incomplete \
        observation"
            ),
        "{}",
        failed.err
    );
    let nothing = start(&["true"]);
    assert!(
        nothing.code == 2 && nothing.err.contains("MPI_Init"),
        "{}",
        nothing.err
    );
    let unknown = start(&["./missing"]);
    assert!(
        unknown.code == 2 && unknown.err.contains("'./missing' cannot be started"),
        "{}",
        unknown.err
    );
    is_tidy(here);
}

/// One-sided calls are not in the table of MPI functions.
#[test]
fn unsupported_calls_are_named() {
    let Some(mpi) = Mpi::mpich() else { return };
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let source = npb_fixtures::Pattern::named("unknown_mpi")
        .unwrap()
        .source();
    mpi.compile(
        here,
        "ends",
        &[source],
        &["-g", "-w", "-fallow-argument-mismatch"],
    );
    let run = observed(&mpi, here, "");
    assert_eq!(run.code, 0, "{}", run.err);
    let missing = missing(here);
    assert!(
        missing.contains("ranks 0-1: MPI_Put is not in the stream (2 calls)"),
        "{missing}"
    );
    let compared = mpiete(here, &["compare", "seen.mpiete", "seen.mpiete"]);
    assert!(
        compared.code == 2 && compared.err.contains("MPI_Put"),
        "{}",
        compared.err
    );
}
