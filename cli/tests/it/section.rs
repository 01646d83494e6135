//! The section that is predicted where nothing is said: what the program itself times.

use crate::command::{done, mpiete, root};
use std::path::Path;

/// A solver that is called to warm up and then in earnest, with timers kept by procedures.
const TWICE: &str = "program twice
  use mpi
  implicit none
  integer :: ierr, n
  call mpi_init(ierr)
  n = 5
  call solve(1)
  call solve(n)
  call mpi_finalize(ierr)
end program
subroutine solve(n)
  use mpi
  implicit none
  integer :: n, i, ierr
  call mpi_barrier(mpi_comm_world, ierr)
  call start(1)
  do i = 1, n
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call finish(1)
end subroutine
subroutine start(timer)
  use mpi
  implicit none
  integer :: timer
  double precision :: begun(3)
  common /timers/ begun
  begun(timer) = mpi_wtime()
end subroutine
subroutine finish(timer)
  use mpi
  implicit none
  integer :: timer
  double precision :: begun(3)
  common /timers/ begun
  begun(timer) = mpi_wtime() - begun(timer)
end subroutine
";

/// The entries of the recorded stream that are marks of the section or calls, one word each.
fn stream(here: &Path, study: &str) -> Vec<String> {
    done(here, &["record", study, "-n", "2"]);
    let text = done(
        here,
        &[
            "show",
            &format!("{study}/program-n2.mpiete"),
            "--format",
            "stream",
        ],
    );
    let entries = text.lines().map(str::trim);
    let wanted = entries.filter(|line| {
        ["section begin", "section end", "barrier", "loop"]
            .iter()
            .any(|word| line.starts_with(word))
    });
    wanted
        .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn timed_call_after_warm_up_is_the_section() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("t.f90"), TWICE).unwrap();
    let out = done(here, &["analyze", "t.f90"])
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let why = "t.f90:16-20 (timed by the program itself, from start(1) to finish(1), in the call at \
        t.f90:8)";
    assert!(out.contains(&format!("section {why}")), "{out}");
    done(
        here,
        &["prepare", "t.f90", "-o", "study", "--check", "-n", "2"],
    );
    let found = stream(here, "study");
    let marks: Vec<usize> = (0..found.len())
        .filter(|&at| found[at].starts_with("section"))
        .collect();
    // One barrier and the loop stand between the marks, which are the last of their kind.
    assert_eq!(marks.len(), 2, "{found:?}");
    assert_eq!(marks[1] + 1, found.len(), "{found:?}");
    done(here, &["prepare", "t.f90", "-o", "whole", "--whole"]);
    assert!(
        stream(here, "whole")
            .iter()
            .all(|entry| !entry.starts_with("section"))
    );
}

#[test]
fn estimates_say_which_section_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let predict = |rest: &[&str]| {
        let program = root()
            .join("npb-fixtures/programs/patterns/section.f")
            .display()
            .to_string();
        let words = [
            "predict",
            &program,
            "-n",
            "2",
            "--platform",
            "fast-ethernet",
            "-o",
            "study",
        ];
        done(folder.path(), &[&words[..], rest].concat())
    };
    let text = predict(&[])
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        text.contains("section.f:14-21 (timed by the program itself, clock readings in t0)"),
        "{text}"
    );
    assert!(!predict(&["--whole"]).contains("timed by the program itself"));
}

/// `prepare` also reports that the predicted section is smaller or larger than the interval that the program times.
#[test]
fn unused_timed_sections_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let begun = "  call start(1)\n  do i = 1, n";
    let under_condition = TWICE.replace(begun, "  if (n > 1) call start(1)\n  do i = 1, n");
    std::fs::write(
        here.join("t.f90"),
        under_condition.replace("  call solve(1)\n", ""),
    )
    .unwrap();
    let answer = mpiete(
        here,
        &["prepare", "t.f90", "-o", "study", "--kind", "program"],
    );
    assert_eq!(answer.code, 0, "{}", answer.err);
    for part in [
        "t.f90:15:",
        "note: the section timed from here is not used, since a condition \
        decides",
    ] {
        assert!(
            answer.err.contains(part),
            "'{part}' is missing in {}",
            answer.err
        );
    }
}

/// What ends a section that a loop ends stands behind the loop, which the probe may cut to its first iterations.
#[test]
fn repeating_loop_may_end_the_section() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = "program p
  use mpi
  implicit none
  integer :: ierr, i
  call mpi_init(ierr)
  call solve
  call mpi_finalize(ierr)
contains
  subroutine solve
    do i = 1, 3
      call mpi_barrier(mpi_comm_world, ierr)
    end do
  end subroutine
end program
";
    std::fs::write(here.join("p.f90"), text).unwrap();
    for section in ["solve", "p.f90:10-12"] {
        done(
            here,
            &[
                "prepare",
                "p.f90",
                "-o",
                "study",
                "--section",
                section,
                "--check",
                "-n",
                "2",
            ],
        );
        let found = stream(here, "study");
        assert_eq!(
            found.last().map(String::as_str),
            Some("section end"),
            "{found:?}"
        );
        assert_eq!(
            found
                .iter()
                .filter(|entry| entry.starts_with("section"))
                .count(),
            2,
            "{found:?}"
        );
    }
}

/// What is counted lies between `MPI_Init` and `MPI_Finalize`.
#[test]
fn section_around_mpi_init_or_finalize_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("twice.f90"), TWICE).unwrap();
    for section in ["twice", "twice.f90:8-9"] {
        done(
            here,
            &["prepare", "twice.f90", "-o", "study", "--section", section],
        );
        let failed = mpiete(here, &["record", "study", "-n", "2"]);
        assert!(
            failed.code == 2 && failed.err.contains("between MPI_Init and MPI_Finalize"),
            "{}",
            failed.err
        );
    }
}
