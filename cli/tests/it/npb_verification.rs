//! The fixtures under the token runtime: they verify against the official values on any number of
//! ranks. Under MPICH they do in `npb-fixtures/tests`.

use crate::command::{answer, done, mpiete};
use npb_fixtures::{CG, EP, KERNELS, Kernel, LU, ProblemClass};
use std::path::Path;
use std::process::Command;

/// Compiles the kernel against mpiete's MPI, with the headers and links that a study holds.
pub fn compile(here: &Path, kernel: &Kernel, class: ProblemClass, flags: &[&str]) {
    let sources: Vec<String> = kernel
        .sources()
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let include: Vec<String> = kernel
        .include_directories(class)
        .iter()
        .map(|path| format!("-I{}", path.display()))
        .collect();
    let mut compiler = Command::new("gfortran");
    compiler.args(flags).args([
        "-o",
        "kernel",
        "-Istudy/include",
        "-J.",
        "study/include/mpi.f90",
    ]);
    compiler
        .args(include)
        .args(sources)
        .args(["-Lstudy/lib", "-lmpi"])
        .current_dir(here);
    let compiled = answer(&mut compiler);
    assert_eq!(compiled.code, 0, "{}", compiled.err);
}

fn verifies(kernels: &[Kernel], class: ProblemClass) {
    let ring = crate::command::root()
        .join("npb-fixtures/programs/patterns/ring.f90")
        .display()
        .to_string();
    for kernel in kernels {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        // Any study brings the headers; recording it makes the links to the library.
        done(here, &["prepare", &ring, "-o", "study"]);
        done(here, &["record", "study", "-n", "1"]);
        compile(here, kernel, class, &["-O2"]);
        for ranks in ["1", "2", "4", "8", "16"] {
            let run = mpiete(here, &["run", "-n", ranks, "./kernel"]);
            assert_eq!(run.code, 0, "{}", run.err);
            assert!(
                run.out.contains(&kernel.success_line()),
                "{ranks} ranks: {}",
                run.out
            );
        }
    }
}

#[test]
fn problem_classes_s_and_w() {
    verifies(&KERNELS, ProblemClass::S);
    verifies(&[EP, CG], ProblemClass::W);
}

#[test]
#[ignore = "minutes: in make test-all"]
fn problem_classes_a_and_b() {
    verifies(&[EP, CG], ProblemClass::A);
    verifies(&[EP, CG], ProblemClass::B);
}

#[test]
#[ignore = "minutes: in make test-all"]
fn lu_problem_classes_w_and_a() {
    verifies(&[LU], ProblemClass::W);
    verifies(&[LU], ProblemClass::A);
}
