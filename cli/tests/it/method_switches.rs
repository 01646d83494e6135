//! Branches in loops that end none and depend on results of collectives: a bounded run shows whether an assumption about them is right.

use crate::command::{done, mpiete};
use std::path::Path;

/// A method that changes in the inner loop when `test` holds; the outer loop begins with `start`. The test is in line 17.
fn program(start: &str, test: &str) -> String {
    format!(
        "program t
use mpi
implicit none
integer :: i, it, k, ierr
real :: a(100), b(100), s
logical :: fine
call mpi_init(ierr)
do k = 1, 2
a = {start}; fine = .false.
do it = 1, 12
do i = 1, 100
b(i) = 0.5*a(i); a(i) = b(i)
end do
s = maxval(a)
call mpi_allreduce(mpi_in_place, s, 1, mpi_real, mpi_max, mpi_comm_world, ierr)
if (.not. fine) then
if ({test}) fine = .true.
end if
if (fine) call mpi_barrier(mpi_comm_world, ierr)
end do
end do
call mpi_finalize(ierr)
end program
"
    )
}

/// What `mpiete predict` prints, words only.
fn predicted(folder: &Path, source: &str, rest: &[&str]) -> String {
    std::fs::write(folder.join("t.f90"), source).unwrap();
    let words = ["predict", "t.f90", "-n", "2", "--platform", "fast-ethernet"];
    let answer = mpiete(folder, &[&words, rest].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    let text = [answer.err, answer.out].join(" ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(start: &str, test: &str, expect: &str) {
    let folder = tempfile::tempdir().unwrap();
    let text = predicted(folder.path(), &program(start, test), &[]);
    assert!(text.contains(expect), "{text}");
    assert!(!text.contains("guess"), "{text}");
}

#[test]
fn outcomes_are_those_of_the_bounded_run() {
    let on = "(taken from a recording): on 2 ranks, in a run of the whole program: a branch that ends no loop";
    check(
        "1.0",
        "s < -1.0",
        &format!("t.f90:17: the branch is not taken {on}"),
    );
    check(
        "1.0",
        "s < 0.1",
        &format!(
            "t.f90:17: the branch is taken every 4 evaluations in an execution of its loop {on}"
        ),
    );
    check(
        "1.0",
        "s < 2.0",
        &format!("t.f90:17: the branch is taken {on}"),
    );
}

/// The branch is taken after another number of evaluations in each execution of the inner loop.
#[test]
fn branch_with_irregular_outcomes_is_computed() {
    let source = program("4.0**k", "s < 0.1");
    let folder = tempfile::tempdir().unwrap();
    let text = predicted(folder.path(), &source, &[]);
    let expect = "t.f90:17 is computed: the branch is taken in some evaluations only";
    assert!(text.contains(expect), "{text}");
    assert!(!text.contains("assumptions"), "{text}");
}

#[test]
fn branch_is_guessed_without_a_run_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = predicted(here, &program("1.0", "s < 0.1"), &["--bounded-run", "0"]);
    assert!(
        text.contains("predicted time with guessed branches"),
        "{text}"
    );
    assert!(
        text.contains("the outcome of a branch is a guess: t.f90:17: the branch is not taken"),
        "{text}"
    );
    let prepare = ["prepare", "t.f90", "-o", "s", "--check", "-n", "2"];
    let refused = mpiete(here, &prepare);
    assert_eq!(refused.code, 3, "{}", refused.err);
    let expect = "assumed that the branch is not taken, but on rank 0 it was taken 2 times of 8; use --assume t.f90:17=trips=4";
    let words = refused.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(expect), "{words}");
    done(
        here,
        &[&prepare[..], &["--assume", "t.f90:17=trips=4"]].concat(),
    );
}
