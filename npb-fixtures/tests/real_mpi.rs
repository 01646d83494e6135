//! The fixtures under a real MPI (MPICH): they compile without warnings or permissive flags and
//! give the official answers on one and two ranks. Where MPICH is not installed these tests say so
//! and pass. Debian's MPICH busy-waits: never more than two ranks, and one run at a time.

// The lint's exception for tests does not reach the functions that the tests here share.
#![allow(clippy::unwrap_used)]
#![forbid(unsafe_code)]

use npb_fixtures::skipped::skip;
use npb_fixtures::{CG, EP, Kernel, LU, Outcome, PATTERNS, ProblemClass};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

const COMPILER: &str = "mpif90.mpich";
const LAUNCHER: &str = "mpirun.mpich";

/// Held by the one test that compiles or runs something.
static MACHINE: Mutex<()> = Mutex::new(());

fn has_mpich() -> bool {
    let here = [COMPILER, LAUNCHER]
        .iter()
        .all(|tool| Command::new(tool).arg("--version").output().is_ok());
    if !here {
        skip(&format!(
            "there is no {COMPILER} or no {LAUNCHER}; install gfortran and mpich"
        ));
    }
    here
}

/// Compiles into `folder`; both outputs of the compiler must be empty.
fn compile(sources: &[PathBuf], include: &[PathBuf], folder: &Path) -> PathBuf {
    let program = folder.join("program");
    let output = Command::new(COMPILER)
        .args(["-O2", "-Wall", "-Werror", "-fno-allow-argument-mismatch"])
        .args(
            include
                .iter()
                .map(|directory| format!("-I{}", directory.display())),
        )
        .args(sources)
        .arg("-o")
        .arg(&program)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    program
}

/// Standard output of a run that ends well.
fn run(program: &Path, ranks: u32, folder: &Path) -> String {
    let output = Command::new(LAUNCHER)
        .args(["-n", &ranks.to_string()])
        .arg(program)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{ranks} ranks: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn has_line(output: &str, start: &str) -> bool {
    output
        .lines()
        .any(|line| line.trim_start().starts_with(start))
}

fn verifies(kernel: &Kernel, classes: &[ProblemClass]) {
    if !has_mpich() {
        return;
    }
    let _alone = MACHINE
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    for &class in classes {
        let folder = tempfile::tempdir().unwrap();
        let program = compile(
            &kernel.sources(),
            &kernel.include_directories(class),
            folder.path(),
        );
        for ranks in [1, 2] {
            let output = run(&program, ranks, folder.path());
            assert!(
                has_line(&output, &kernel.success_line()),
                "{class:?}, {ranks} ranks:\n{output}"
            );
        }
    }
}

#[test]
fn ep_verifies() {
    verifies(&EP, &[ProblemClass::S, ProblemClass::W]);
}

#[test]
fn cg_verifies() {
    verifies(&CG, &[ProblemClass::S, ProblemClass::W]);
}

#[test]
fn lu_verifies() {
    verifies(&LU, &[ProblemClass::S, ProblemClass::W]);
}

#[test]
#[ignore = "minutes"]
fn large_ep_verifies() {
    verifies(&EP, &[ProblemClass::A, ProblemClass::B]);
}

#[test]
#[ignore = "minutes"]
fn large_cg_verifies() {
    verifies(&CG, &[ProblemClass::A, ProblemClass::B]);
}

#[test]
#[ignore = "minutes"]
fn large_lu_verifies() {
    verifies(&LU, &[ProblemClass::A, ProblemClass::B]);
}

#[test]
fn timers_are_reported_with_a_flag_file() {
    if !has_mpich() {
        return;
    }
    let _alone = MACHINE
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    for (kernel, flag, line) in [
        (CG, "2\n", "shortest scalars"),
        (CG, "", "longest  scalars"),
        (EP, "", "longest comp"),
        (LU, "2\n", "shortest upper sweep"),
        (LU, "", "longest  ghost points"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let program = compile(
            &kernel.sources(),
            &kernel.include_directories(ProblemClass::S),
            folder.path(),
        );
        std::fs::write(folder.path().join("timer.flag"), flag).unwrap();
        let output = run(&program, 2, folder.path());
        assert!(
            has_line(&output, line) && has_line(&output, &kernel.success_line()),
            "{output}"
        );
    }
}

#[test]
fn successful_patterns_succeed() {
    if !has_mpich() {
        return;
    }
    let _alone = MACHINE
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    for pattern in PATTERNS {
        let Outcome::Ends(word) = pattern.outcome else {
            continue;
        };
        let folder = tempfile::tempdir().unwrap();
        let program = compile(&[pattern.source()], &[], folder.path());
        for ranks in [1, 2] {
            let output = run(&program, ranks, folder.path());
            assert!(
                has_line(&output, word),
                "{}, {ranks} ranks:\n{output}",
                pattern.name
            );
        }
    }
}
