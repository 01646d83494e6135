//! A study that was copied to another machine: its links lead nowhere there.

use crate::command::{answer, done};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

const EMPTY: &str = "\
program empty
  use mpi
  implicit none
  integer :: error
  call mpi_init(error)
  call mpi_barrier(mpi_comm_world, error)
  call mpi_finalize(error)
end program empty
";

/// A study whose folder of libraries is one of another machine.
fn moved(here: &Path) {
    std::fs::write(here.join("empty.f90"), EMPTY).unwrap();
    done(here, &["prepare", "empty.f90", "-o", "study"]);
    std::fs::remove_dir_all(here.join("study/lib")).unwrap();
    symlink("/nowhere", here.join("study/lib")).unwrap();
}

fn make(here: &Path, program: &str) -> Command {
    let mut make = Command::new("make");
    make.args(["-s", "-C", "study", "compute", &format!("MPIETE={program}")])
        .current_dir(here);
    for name in ["FFLAGS", "MPIETE_LIB", "MPI_LIB", "MAKEFLAGS"] {
        make.env_remove(name);
    }
    make
}

#[test]
fn make_links_libraries_beside_the_program() {
    let folder = tempfile::tempdir().unwrap();
    // `make` takes a blank for the end of a name.
    let here = &folder.path().join("two words");
    std::fs::create_dir(here).unwrap();
    moved(here);
    let made = answer(&mut make(here, env!("CARGO_BIN_EXE_mpiete")));
    assert_eq!(made.code, 0, "{}\n{}", made.out, made.err);
    assert!(
        here.join("study/compute/probe").is_file() && here.join("study/lib/libmpi.so.12").is_file()
    );
}

#[test]
fn make_reports_missing_libraries() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    moved(here);
    let made = answer(&mut make(here, "/nowhere/mpiete"));
    assert_eq!(made.code, 2, "{}", made.err);
    assert!(
        made.err.contains("lib/libmpi.so does not exist") && made.err.contains("MPIETE="),
        "{}",
        made.err
    );
    assert!(!here.join("study/compute/probe").exists());
}

#[test]
fn commands_renew_the_links() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    moved(here);
    done(here, &["record", "study", "-n", "2"]);
    assert!(here.join("study/lib/libmpi.so.12").is_file());
}
