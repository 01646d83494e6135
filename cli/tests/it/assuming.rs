//! Assumptions: the smallest program of each kind. Where what is assumed holds, the slice makes the
//! original's calls; where it does not, the check names both sides.

use crate::program::{Answer, done, mpiete};
use std::path::Path;

/// A program with `body` between MPI_Init and MPI_Finalize; the body begins at line 7.
fn program(body: &str) -> String {
    format!(
        "program trial
use mpi
integer :: ierr, i, k, n
real :: a(100), s, total, t
call mpi_init(ierr)
a = 1; t = 0; k = 0; n = 0
{body}call mpi_finalize(ierr)
end program
"
    )
}

const WHILE: &str = "s = 1
do while (s > 0.01)
  a = a*0.5
  s = sum(a)/100
  call mpi_barrier(mpi_comm_world, ierr)
end do
";

const EXIT: &str = "do i = 1, 30
  a = a*0.5
  s = sum(a)/100
  if (s < 0.01) exit
  call mpi_barrier(mpi_comm_world, ierr)
end do
";

const GOTO: &str = "10 continue
a = a*0.5
s = sum(a)/100
call mpi_barrier(mpi_comm_world, ierr)
if (s > 0.01) goto 10
";

const STEPS: &str = "do while (t < 1)
  do i = 1, 100
    a(i) = a(i) + 0.1*i
  end do
  s = 1/a(1)
  call mpi_allreduce(s, total, 1, mpi_real, mpi_min, mpi_comm_world, ierr)
  t = t + total
end do
";

const EARLY: &str = "do
  do i = 1, 100
    a(i) = a(i)*0.5
  end do
  s = sum(a)/100
  if (s < 0.01) then
    n = n + 1
    exit
  end if
  call mpi_barrier(mpi_comm_world, ierr)
end do
";

const STOP: &str = "do i = 1, 100
  a(i) = sin(real(i))
end do
if (sum(a) > 90) stop 'too much'
call mpi_barrier(mpi_comm_world, ierr)
";

const COUNTED: &str = "do i = 1, 100
  a(i) = i*0.1
end do
n = int(sum(a) + 0.5) - 500
do k = 1, n, 2
  call mpi_barrier(mpi_comm_world, ierr)
end do
";

const ELSE_IF: &str = "do i = 1, 100
  a(i) = i*0.1
end do
s = sum(a)
if (n > 0) then
  call mpi_barrier(mpi_comm_world, ierr)
else if (s < 600) then
  call mpi_bcast(k, 1, mpi_integer, 0, mpi_comm_world, ierr)
else
  call mpi_allreduce(s, total, 1, mpi_real, mpi_min, mpi_comm_world, ierr)
end if
";

fn check(here: &Path, body: &str, assume: &[&str]) -> Answer {
    std::fs::write(here.join("t.f90"), program(body)).unwrap();
    let mut words = vec!["prepare", "t.f90", "-o", "study", "--check", "-n", "2"];
    words.extend(assume.iter().flat_map(|one| ["--assume", one]));
    mpiete(here, &words)
}

fn share(out: &str) -> u64 {
    let kept = out.split(" of ").next().unwrap_or_default();
    kept.rsplit(' ').next().unwrap_or_default().parse().unwrap()
}

#[test]
fn streams_are_equal_where_assumptions_hold() {
    let folder = tempfile::tempdir().unwrap();
    for (body, assume) in [
        (WHILE, &["t.f90:8=trips=7"][..]),
        (EXIT, &["t.f90:10=trips=7"]),
        (GOTO, &["t.f90:11=trips=7"]),
        (STEPS, &["t.f90:7=trips=2"]),
        (EARLY, &["t.f90:12=trips=7"]),
        (STOP, &["t.f90:10=not-taken"]),
        (COUNTED, &["t.f90:11=trips=3"]),
        (ELSE_IF, &["t.f90:13=taken"]),
    ] {
        let answer = check(folder.path(), body, assume);
        assert_eq!(answer.code, 0, "{body}{}", answer.err);
        assert!(answer.out.contains("equal event streams"), "{body}{}", answer.out);
        let whole = mpiete(folder.path(), &["prepare", "t.f90", "-o", "study", "--strict"]).out;
        assert!(share(&answer.out) < share(&whole), "{body}{}{whole}", answer.out);
    }
}

#[test]
fn what_contradicts_an_assumption_is_told_with_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    for (body, assume, told) in [
        (
            WHILE,
            "t.f90:8=trips=6",
            "t.f90:8: assumed was that the loop runs 6 times, but on rank 0 it ran 7 times",
        ),
        (GOTO, "t.f90:11=trips=9", "assume what happens with --assume t.f90:11=trips=7"),
        (
            EXIT,
            "t.f90:10=not-taken",
            "t.f90:10: assumed was that the branch is not taken, but on rank 0 it was taken",
        ),
        (
            STOP,
            "t.f90:10=taken",
            "t.f90:10: assumed was that the branch is taken, but on rank 0 it was taken 0 times of 1",
        ),
    ] {
        let answer = check(folder.path(), body, &[assume]);
        assert_eq!(answer.code, 3, "{body}{}", answer.err);
        assert!(answer.err.contains(told), "{body}{}", answer.err);
    }
}

/// What is proposed is listed, and says in which sense the time is one of bounds.
#[test]
fn proposals_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    for (body, told) in [
        (WHILE, "t.f90:8: the loop runs 10 times (proposed by mpiete, not confirmed)"),
        (EXIT, "t.f90:10: the branch is not taken (proposed by mpiete, not confirmed)"),
        (GOTO, "t.f90:11: the loop runs 10 times (proposed by mpiete, not confirmed)"),
        (STEPS, "t.f90:7: the loop runs 10 times (proposed by mpiete, not confirmed)"),
        (STOP, "an error exit whose condition hangs on computed data: a at line 6"),
    ] {
        std::fs::write(folder.path().join("t.f90"), program(body)).unwrap();
        let out = done(folder.path(), &["analyze", "t.f90"]).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(out.contains(told), "{out}");
    }
}

#[test]
fn a_file_beside_the_sources_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[[assume]]\nat = \"t.f90:8\"\noutcome = \"trips\"\ncount = 7\n";
    std::fs::write(folder.path().join("mpiete.toml"), text).unwrap();
    let answer = check(folder.path(), WHILE, &[]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    // The command line comes first.
    assert_eq!(check(folder.path(), WHILE, &["t.f90:8=trips=6"]).code, 3);
}

#[test]
fn bad_assumptions_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (assume, told) in [
        ("t.f90:8", "write FILE:LINE=taken"),
        ("t.f90:9=taken", "no IF, ELSE IF or DO begins there"),
        ("u.f90:8=taken", "no such file among the sources"),
        ("t.f90:8=taken", "how often it is run is assumed with trips=N"),
    ] {
        let answer = check(folder.path(), WHILE, &[assume]);
        assert_eq!(answer.code, 2, "{assume}: {}", answer.err);
        assert!(answer.err.contains(told), "{assume}: {}", answer.err);
    }
    std::fs::write(folder.path().join("mpiete.toml"), "[[assume]]\nat = \"t.f90:8\"\n").unwrap();
    let answer = check(folder.path(), WHILE, &[]);
    assert!(answer.code == 2 && answer.err.contains("mpiete.toml:1:"), "{}", answer.err);
}
