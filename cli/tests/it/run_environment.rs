//! Programs run whatever the surroundings are: names of folders, limits, how their MPI was linked; and nothing of them is left.

use crate::command::answer;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use token_runtime::headers;
use token_runtime::host::library_folder;

const SUM: &str = "\
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf(\"%d\\n\", sum);
    return MPI_Finalize();
}
";

/// A program in a folder of its own, compiled with our headers and library.
fn compiled(name: &str, source: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (name, text) in headers::ALL {
        std::fs::write(here.join(name), text).unwrap();
    }
    let library = Path::new(env!("CARGO_BIN_EXE_mpiete")).with_file_name("libmpiete_mpi.so");
    library_folder(&here.join("lib"), &library).unwrap();
    gcc(here, name, source, &["-I.", "-Llib", "-lmpi"]);
    folder
}

fn gcc(here: &Path, name: &str, source: &str, flags: &[&str]) {
    let file = format!("{name}.c");
    std::fs::write(here.join(&file), source).unwrap();
    let made = answer(
        Command::new("gcc")
            .current_dir(here)
            .args([file.as_str(), "-o", name])
            .args(flags),
    );
    assert_eq!(made.code, 0, "{}", made.err);
}

fn mpiete(here: &Path) -> Command {
    let mut mpiete = Command::new(env!("CARGO_BIN_EXE_mpiete"));
    mpiete.current_dir(here);
    mpiete
}

#[test]
fn temporary_folder_may_have_any_name() {
    let folder = compiled("sum", SUM);
    for name in ["a:b", "a b", "a;b", "$ORIGIN"] {
        let place = folder.path().join(name);
        std::fs::create_dir(&place).unwrap();
        let ran = answer(
            mpiete(folder.path())
                .env("TMPDIR", &place)
                .args(["run", "-n", "3", "./sum"]),
        );
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (0, "3\n"),
            "{name}: {}",
            ran.err
        );
        assert_eq!(std::fs::read_dir(&place).unwrap().count(), 0, "{name}");
    }
}

#[test]
fn shared_memory_fits_into_limited_address_space() {
    let folder = compiled("sum", SUM);
    let run = |limit: &str, variables: &str| {
        let line = format!("ulimit -v {limit} && {variables} exec \"$0\" run -n 4 ./sum");
        let mut shell = Command::new("bash");
        answer(
            shell
                .args(["-c", &line, env!("CARGO_BIN_EXE_mpiete")])
                .current_dir(folder.path()),
        )
    };
    for variables in [
        "",
        "MPIETE_HEAP=1000000",
        "MPIETE_HEAP=1000000 MPIETE_DISK=0",
        "MPIETE_DISK=1000000",
    ] {
        let ran = run("2000000", variables);
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (0, "6\n"),
            "{variables}: {}",
            ran.err
        );
    }
    let refused = run("2000000", "MPIETE_HEAP=4000000000");
    let says = |part: &str| refused.err.contains(part);
    assert!(
        refused.code == 1 && says("ulimit -v") && says("MPIETE_HEAP=BYTES"),
        "{}",
        refused.err
    );
}

#[test]
fn program_with_static_mpi_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let source = "int PMPI_Init(int *c, char ***v) { (void)c; (void)v; return 0; }\nint main(void) { return PMPI_Init(0, 0); }\n";
    gcc(folder.path(), "inside", source, &[]);
    for command in [
        &["run", "-n", "2", "./inside"][..],
        &["record", "-n", "2", "--", "./inside"],
    ] {
        let ran = answer(mpiete(folder.path()).args(command));
        assert!(
            ran.code == 2 && ran.err.contains("statically"),
            "{} {}",
            ran.code,
            ran.err
        );
    }
}

#[test]
fn program_without_mpi_is_run_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let ran = answer(mpiete(folder.path()).args(["run", "-n", "3", "true"]));
    assert!(
        ran.code == 0 && ran.err.contains("independently of each other"),
        "{}",
        ran.err
    );
    let ran = answer(mpiete(folder.path()).args(["run", "true"]));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn spawned_ranks_give_the_same_result() {
    let folder = compiled("sum", SUM);
    let ran = answer(mpiete(folder.path()).args(["run", "--spawn", "-n", "3", "./sum"]));
    assert_eq!((ran.code, ran.out.as_str()), (0, "3\n"), "{}", ran.err);
    let recorded =
        answer(mpiete(folder.path()).args(["record", "--spawn", "-n", "3", "--", "./sum"]));
    assert_eq!(recorded.code, 0, "{}", recorded.err);
}

/// Asks until there is an answer, half a minute at most.
fn until<T>(ask: impl Fn() -> Option<T>) -> T {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(30) {
        if let Some(answer) = ask() {
            return answer;
        }
        std::thread::yield_now();
    }
    panic!("it does not come")
}

/// Asks until it is so, half a minute at most.
fn until_true(ask: impl Fn() -> bool) {
    until(|| if ask() { Some(()) } else { None });
}

fn until_empty(place: &Path) {
    until_true(|| folders(place).is_empty());
}

fn folders(place: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(place)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect()
}

#[test]
fn temporary_folders_are_private_and_do_not_outlive_a_killed_command() {
    const HOLD: &str = "\
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    fclose(fopen(\"here\", \"w\"));
    pause();
    return MPI_Finalize();
}
";
    let folder = compiled("hold", HOLD);
    let place = tempfile::tempdir().unwrap();
    let mut recording = mpiete(folder.path())
        .args(["record", "-n", "2", "--", "./hold"])
        .env("TMPDIR", place.path())
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let made = until(|| {
        let made = folders(place.path());
        made.iter()
            .any(|folder| folder.join("here").is_file())
            .then_some(made)
    });
    recording.kill().unwrap();
    recording.wait().unwrap();
    let has_run = made
        .iter()
        .any(|folder| folder.to_string_lossy().contains("mpiete-run-"));
    assert!(has_run && made.len() == 2, "{made:?}");
    until_empty(place.path());
}

/// A compiler that is killed removes none of its files.
#[test]
fn temporary_files_of_compilers_do_not_outlive_a_killed_command() {
    const COMPILER: &str = "\
#!/bin/sh
case $* in
*--version*) echo Compiler ;;
*) : > \"$TMPDIR/assembly.s\"; exec sleep 60 ;;
esac
";
    use std::os::unix::process::CommandExt;
    let folder = tempfile::tempdir().unwrap();
    let place = tempfile::tempdir().unwrap();
    let compiler = folder.path().join("compiler");
    std::fs::write(&compiler, COMPILER).unwrap();
    std::fs::set_permissions(&compiler, Permissions::from_mode(0o755)).unwrap();
    std::fs::write(
        folder.path().join("a.f90"),
        "use mpi\ncall MPI_Init(i)\ncall MPI_Finalize(i)\nend\n",
    )
    .unwrap();
    let prepared = answer(mpiete(folder.path()).args(["prepare", "a.f90", "-o", "study"]));
    assert_eq!(prepared.code, 0, "{}", prepared.err);
    let mut recording = mpiete(folder.path())
        .args(["record", "study", "-n", "2"])
        .env("FC", &compiler)
        .env("TMPDIR", place.path())
        .stdin(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    until_true(|| {
        let has_file = |folder: &PathBuf| folder.join("assembly.s").is_file();
        folders(place.path()).iter().any(has_file)
    });
    let group = format!("-{}", recording.id());
    let killed = answer(Command::new("kill").args(["-s", "KILL", "--", &group]));
    assert_eq!(killed.code, 0, "{}", killed.err);
    recording.wait().unwrap();
    until_empty(place.path());
}

/// What is made while a build is watched is as private.
#[test]
fn other_users_cannot_look_into_temporary_folders() {
    let folder = tempfile::tempdir().unwrap();
    let place = tempfile::tempdir().unwrap();
    let modes = folder.path().join("modes");
    let build = format!(
        "umask 000; stat -c %a {}/* > {}; false",
        place.path().display(),
        modes.display()
    );
    let mut mpiete = mpiete(folder.path());
    answer(
        mpiete
            .args(["analyze", "--from-build", &build])
            .env("TMPDIR", place.path()),
    );
    let modes = std::fs::read_to_string(modes).unwrap();
    assert!(
        modes.lines().count() == 1 && modes.lines().all(|mode| mode == "700"),
        "{modes}"
    );
    assert!(folders(place.path()).is_empty());
}

#[test]
fn command_runs_with_a_small_stack() {
    let said = answer(Command::new("sh").args([
        "-c",
        &format!("ulimit -s 200; {} --version", env!("CARGO_BIN_EXE_mpiete")),
    ]));
    assert_eq!((said.code, said.err.as_str()), (0, ""));
}

/// Messages that have no room because addresses are limited: the limit is named before the runtime's own settings.
#[test]
fn limit_of_addresses_is_named_where_messages_have_no_room() {
    let source = "\
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int rank, ranks, length = 100000000;
    char *data = calloc(length, 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Allreduce(MPI_IN_PLACE, data, length, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD);
    return MPI_Finalize();
}
";
    let folder = compiled("large", source);
    let program = env!("CARGO_BIN_EXE_mpiete");
    let line = format!("ulimit -v 400000; {program} run -n 2 ./large");
    let said = answer(
        Command::new("sh")
            .args(["-c", &line])
            .current_dir(folder.path()),
    );
    assert_eq!(said.code, 1, "{}", said.err);
    let limit = said.err.find("`ulimit -v`");
    let variable = said.err.find("MPIETE_HEAP");
    assert!(limit.is_some() && limit < variable, "{}", said.err);
}

#[test]
fn unusable_folder_of_temporary_files_is_named() {
    let folder = compiled("sum", SUM);
    let here = folder.path();
    let run = answer(
        mpiete(here)
            .args(["run", "-n", "1", "./sum"])
            .env("TMPDIR", "/there/is/none"),
    );
    assert_eq!(run.code, 2, "{}", run.err);
    for part in ["nothing was run", "/there/is/none", "set TMPDIR"] {
        assert!(run.err.contains(part), "{}", run.err);
    }
    let place = here.join("a:b");
    std::fs::create_dir(&place).unwrap();
    let build = ["prepare", "--from-build", "true", "-o", "study"];
    let built = answer(mpiete(here).args(build).env("TMPDIR", &place));
    assert_eq!(built.code, 2, "{}", built.err);
    for part in ["nothing was built", "a:b", "set TMPDIR"] {
        assert!(built.err.contains(part), "{}", built.err);
    }
}

#[test]
fn current_folder_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("empty.f90");
    let text =
        "program empty\ninclude 'mpif.h'\ninteger e\ncall mpi_init(e)\ncall mpi_finalize(e)\nend\n";
    std::fs::write(&source, text).unwrap();
    // Not even the superuser may write there.
    let said = answer(
        mpiete(Path::new("/proc"))
            .args(["predict", "-n", "2", "--platform", "fast-ethernet"])
            .arg(&source),
    );
    assert_eq!(said.code, 2, "{}", said.err);
    for part in ["the current folder cannot be written", "-o STUDY"] {
        assert!(said.err.contains(part), "{}", said.err);
    }
}
