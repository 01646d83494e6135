//! Assumptions: the smallest program of each kind. Where what is assumed holds, the slice makes the
//! original's calls; where it does not, the check names both sides.

use crate::command::{CommandOutput, done, mpiete};
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

const COUNTING: &str = "s = 1
do while (k < 30 .and. s > 0.01)
  k = k + 1
  a = a*0.5
  s = sum(a)/100
  call mpi_barrier(mpi_comm_world, ierr)
end do
";

const COUNTING_EXIT: &str = "do
  k = k + 1
  a = a*0.5
  s = sum(a)/100
  call mpi_barrier(mpi_comm_world, ierr)
  if (s < 0.01 .or. k >= 30) exit
end do
";

const COUNTING_GOTO: &str = "10 k = k + 1
a = a*0.5
s = sum(a)/100
call mpi_barrier(mpi_comm_world, ierr)
if (.not. (s < 0.01 .or. k >= 30)) goto 10
";

const COUNTED_BESIDE: &str = "s = 1
do while (s > 0.01)
  k = k + 1
  a = a*0.5
  s = sum(a)/100
  call mpi_barrier(mpi_comm_world, ierr)
  if (k >= 30) exit
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

const CASES: &str = "a = a*0.1
select case (nint(sum(a)))
case (:5)
  call mpi_barrier(mpi_comm_world, ierr)
case (6:20)
  call mpi_bcast(k, 1, mpi_integer, 0, mpi_comm_world, ierr)
case default
  n = 1
end select
";

const NO_CASE: &str = "a = a*0.1
select case (nint(sum(a)))
case (1, 2)
  call mpi_barrier(mpi_comm_world, ierr)
end select
";

const LAST_CASE: &str = "do
  a = a*0.5
  select case (sum(a)/100 < 0.01)
  case (.true.)
    exit
  end select
  call mpi_barrier(mpi_comm_world, ierr)
end do
";

const JUMP: &str = "a = a*0.03
goto (10, 20, 10), nint(sum(a))
k = 7
10 call mpi_barrier(mpi_comm_world, ierr)
20 call mpi_barrier(mpi_comm_world, ierr)
";

const SIGN: &str = "10 a = a*0.5
call mpi_barrier(mpi_comm_world, ierr)
if (sum(a)/100 - 0.01) 20, 20, 10
20 continue
";

const BOUNDED_SIGN: &str = "do i = 1, 20
  a = a*0.5
  if (sum(a)/100 - 0.01) 20, 20, 10
10 call mpi_barrier(mpi_comm_world, ierr)
end do
20 continue
";

const NO_STEP: &str = "do i = 1, 100
  a(i) = i*0.1
end do
n = int(sum(a) + 0.5) - 500
do k = 1, n
  call mpi_barrier(mpi_comm_world, ierr)
end do
";

fn check(here: &Path, body: &str, assume: &[&str]) -> CommandOutput {
    std::fs::write(here.join("t.f90"), program(body)).unwrap();
    let mut words = vec!["prepare", "t.f90", "-o", "study", "--check", "-n", "2"];
    words.extend(assume.iter().flat_map(|one| ["--assume", one]));
    mpiete(here, &words)
}

/// Statements that the slice keeps.
fn share(out: &str) -> u64 {
    let kept = out
        .split("keeps ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    kept.and_then(|kept| kept.parse().ok())
        .unwrap_or_else(|| panic!("{out}"))
}

/// Bodies, and what holds of each.
const HOLDING: &[(&str, &str)] = &[
    (WHILE, "t.f90:8=trips=7"),
    (EXIT, "t.f90:10=trips=7"),
    (GOTO, "t.f90:11=trips=7"),
    (STEPS, "t.f90:7=trips=2"),
    (EARLY, "t.f90:12=trips=7"),
    (STOP, "t.f90:10=not-taken"),
    (COUNTED, "t.f90:11=trips=3"),
    (ELSE_IF, "t.f90:13=taken"),
    (NO_STEP, "t.f90:11=trips=5"),
    (CASES, "t.f90:11=taken"),
    (NO_CASE, "t.f90:8=not-taken"),
    (LAST_CASE, "t.f90:10=trips=7"),
    (JUMP, "t.f90:8=goto=10"),
    (SIGN, "t.f90:9=trips=7"),
    (BOUNDED_SIGN, "t.f90:9=trips=7"),
    (COUNTING, "t.f90:8=trips=7"),
    (COUNTING_EXIT, "t.f90:12=trips=7"),
    (COUNTING_GOTO, "t.f90:11=trips=7"),
    (COUNTED_BESIDE, "t.f90:8=trips=7"),
];

/// Bodies, what does not hold of each, and what is said of that.
const CONTRADICTED: &[(&str, &str, &str)] = &[
    (
        WHILE,
        "t.f90:8=trips=6",
        "t.f90:8: assumed that the loop runs 6 times, but on rank 0 it ran 7 times",
    ),
    (GOTO, "t.f90:11=trips=9", "use --assume t.f90:11=trips=7"),
    (
        EXIT,
        "t.f90:10=not-taken",
        "t.f90:10: assumed that the branch is not taken, but on rank 0 it was taken",
    ),
    (
        COUNTING,
        "t.f90:8=not-taken",
        "t.f90:8: assumed that the test does not end the loop, but on rank 0 it did after 7 \
        iterations; use --assume t.f90:8=trips=7",
    ),
    (
        COUNTING_EXIT,
        "t.f90:12=not-taken",
        "t.f90:12: assumed that the test does not end the loop, but on rank 0 it did after 7 \
        iterations; use --assume t.f90:12=trips=7",
    ),
    (
        COUNTING_GOTO,
        "t.f90:11=not-taken",
        "use --assume t.f90:11=trips=7",
    ),
    (
        COUNTED_BESIDE,
        "t.f90:8=not-taken",
        "use --assume t.f90:8=trips=7",
    ),
    (
        STOP,
        "t.f90:10=taken",
        "t.f90:10: assumed that the branch is taken, but on rank 0 it was never taken",
    ),
    (
        CASES,
        "t.f90:9=taken",
        "t.f90:9: assumed that the branch is taken, but on rank 0 it was never taken",
    ),
    (
        CASES,
        "t.f90:11=not-taken",
        "but on rank 0 it was taken each time (once)",
    ),
    (NO_CASE, "t.f90:9=taken", "use --assume t.f90:9=not-taken"),
    (
        LAST_CASE,
        "t.f90:10=trips=6",
        "use --assume t.f90:10=trips=7",
    ),
    (
        JUMP,
        "t.f90:8=goto=20",
        "t.f90:8: assumed that control continues at label 20, but on rank 0 control continued \
        elsewhere once of 1",
    ),
    (
        JUMP,
        "t.f90:8=not-taken",
        "but on rank 0 it was taken each time (once)",
    ),
    (SIGN, "t.f90:9=trips=9", "use --assume t.f90:9=trips=7"),
];

/// All bodies in one program, each in a procedure of its own; and where their seventh lines are.
fn together<'a>(bodies: impl Iterator<Item = &'a str>) -> (String, Vec<usize>) {
    let (mut procedures, mut calls, mut places) = (String::new(), String::new(), Vec::new());
    for (number, body) in bodies.enumerate() {
        procedures += &format!(
            "subroutine s{number}\nuse mpi\ninteger :: ierr, i, k, n\nreal :: a(100), s, total, t\n"
        );
        procedures += "a = 1; t = 0; k = 0; n = 0\n";
        places.push(procedures.lines().count() + 1);
        procedures += &format!("{body}end subroutine\n");
        calls += &format!("call s{number}\n");
    }
    let main = format!(
        "program trial\nuse mpi\ninteger :: ierr\ncall mpi_init(ierr)\n{calls}call mpi_finalize(ierr)\nend program\n"
    );
    (procedures + &main, places)
}

/// What is said of a line of a body, said of that line in the whole program.
fn moved(said: &str, place: usize) -> String {
    let Some((before, rest)) = said.split_once("t.f90:") else {
        return said.into();
    };
    let digits = rest
        .find(|byte: char| !byte.is_ascii_digit())
        .unwrap_or(rest.len());
    let line: usize = rest[..digits].parse().unwrap();
    format!(
        "{before}t.f90:{}{}",
        line - 7 + place,
        moved(&rest[digits..], place)
    )
}

/// Checks all bodies in one program, each with what is assumed of it.
fn check_together(here: &Path, bodies: &[(&str, &str)]) -> (CommandOutput, Vec<usize>) {
    let (text, places) = together(bodies.iter().map(|(body, _)| *body));
    std::fs::write(here.join("t.f90"), text).unwrap();
    let assumed: Vec<String> = bodies
        .iter()
        .zip(&places)
        .map(|((_, assumed), place)| moved(assumed, *place))
        .collect();
    let mut words = vec!["prepare", "t.f90", "-o", "study", "--check", "-n", "2"];
    words.extend(assumed.iter().flat_map(|one| ["--assume", one]));
    (mpiete(here, &words), places)
}

#[test]
fn streams_are_equal_where_assumptions_hold() {
    let folder = tempfile::tempdir().unwrap();
    let (answer, _) = check_together(folder.path(), HOLDING);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("equal event streams"), "{}", answer.out);
}

#[test]
fn assumptions_make_the_slice_smaller() {
    let folder = tempfile::tempdir().unwrap();
    for (body, assume) in HOLDING {
        std::fs::write(folder.path().join("t.f90"), program(body)).unwrap();
        let kept = |rest: &[&str]| {
            share(&done(
                folder.path(),
                &[&["analyze", "t.f90", "--strict"], rest].concat(),
            ))
        };
        assert!(kept(&["--assume", assume]) < kept(&[]), "{body}");
    }
}

#[test]
fn contradicted_assumptions_name_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    let bodies: Vec<(&str, &str)> = CONTRADICTED
        .iter()
        .map(|(body, assume, _)| (*body, *assume))
        .collect();
    let (answer, places) = check_together(folder.path(), &bodies);
    assert_eq!(answer.code, 3, "{}", answer.err);
    for ((.., expected), place) in CONTRADICTED.iter().zip(places) {
        let expected = moved(expected, place);
        assert!(answer.err.contains(&expected), "{expected}\n{}", answer.err);
    }
}

/// Several conditions of one IF: one ends the loop, one the run, one is any other.
#[test]
fn conditions_of_an_if_are_assumed_separately() {
    const CHAIN: &str = "10 continue
a = a*0.5
s = sum(a)/100
call mpi_barrier(mpi_comm_world, ierr)
if (s < 0.01) then
  goto 20
else if (s > 1e9) then
  stop 4
else if (s > 0.6) then
  call mpi_bcast(k, 1, mpi_integer, 0, mpi_comm_world, ierr)
end if
goto 10
20 continue
";
    let folder = tempfile::tempdir().unwrap();
    let assumed = |last| {
        check(
            folder.path(),
            CHAIN,
            &["t.f90:11=trips=7", "t.f90:13=not-taken", last],
        )
    };
    let answer = assumed("t.f90:15=not-taken");
    assert_eq!(answer.code, 0, "{}", answer.err);
    let answer = assumed("t.f90:15=taken");
    assert_eq!(answer.code, 3, "{}", answer.err);
    assert!(
        answer
            .err
            .contains("t.f90:15: assumed that the branch is taken"),
        "{}",
        answer.err
    );
    let answer = assumed("t.f90:13=taken");
    assert!(
        answer
            .err
            .contains("--assume t.f90:13 is given twice; keep one"),
        "{}",
        answer.err
    );
}

/// What is proposed is listed, and says in which sense the time is one of bounds.
#[test]
fn proposals_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    for (body, expected) in [
        (
            WHILE,
            "t.f90:8: the loop runs 10 times (proposed by mpiete, not confirmed)",
        ),
        (
            EXIT,
            "t.f90:10: the test does not end the loop (proposed by mpiete, not confirmed)",
        ),
        (
            COUNTING,
            "`a` (line 6); the rest of its condition ends the loop, so the time is an upper bound",
        ),
        (
            COUNTING_EXIT,
            "t.f90:12: the test does not end the loop (proposed by mpiete, not confirmed)",
        ),
        (
            COUNTED_BESIDE,
            "t.f90:8: the test does not end the loop (proposed by mpiete, not confirmed)",
        ),
        (
            GOTO,
            "t.f90:11: the loop runs 10 times (proposed by mpiete, not confirmed)",
        ),
        (
            STEPS,
            "t.f90:7: the loop runs 10 times (proposed by mpiete, not confirmed)",
        ),
        (
            LAST_CASE,
            "t.f90:10: the loop runs 10 times (proposed by mpiete, not confirmed)",
        ),
        (
            SIGN,
            "t.f90:9: the loop runs 10 times (proposed by mpiete, not confirmed)",
        ),
        (
            BOUNDED_SIGN,
            "t.f90:9: control continues at label 10 (proposed by mpiete, not confirmed)",
        ),
        (
            STOP,
            "an error exit that depends on computed data: `a` (line 6)",
        ),
    ] {
        std::fs::write(folder.path().join("t.f90"), program(body)).unwrap();
        let out = done(folder.path(), &["analyze", "t.f90"])
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(out.contains(expected), "{out}");
    }
}

/// Where no test ends a loop before its count does, the slice makes as many iterations, and says how many.
#[test]
fn counted_loops_run_to_their_count() {
    let folder = tempfile::tempdir().unwrap();
    let shown = |file: &str| {
        let out = done(folder.path(), &["show", file]);
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (body, line) in [
        (COUNTING, 8),
        (COUNTING_EXIT, 12),
        (COUNTING_GOTO, 11),
        (COUNTED_BESIDE, 8),
    ] {
        let body = body.replace("0.01", "1e-20");
        let answer = check(folder.path(), &body, &[]);
        assert_eq!(answer.code, 0, "{body}{}", answer.err);
        done(folder.path(), &["record", "study", "-n", "2"]);
        let program = shown("study/program-n2.mpiete");
        assert!(
            program.contains(" (30 iterations), so the time is an upper bound"),
            "{program}"
        );
        // What the run of the whole program showed is assumed from there on.
        let from = [
            "analyze",
            "t.f90",
            "--trips-from",
            "study/reference-n2.mpiete",
        ];
        let out = done(folder.path(), &from)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let known =
            format!("t.f90:{line}: the test does not end the loop (taken from a recording)");
        assert!(out.contains(&known), "{out}");
    }
    let answer = check(folder.path(), EXIT.replace("0.01", "1e-20").as_str(), &[]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    done(folder.path(), &["record", "study", "-n", "2"]);
    assert!(
        shown("study/program-n2.mpiete")
            .contains("the loop runs to its other bound (30 iterations), so")
    );
}

#[test]
fn configuration_file_equals_options() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[[assume]]\nat = \"t.f90:8\"\noutcome = \"trips\"\ncount = 7\n";
    std::fs::write(folder.path().join("mpiete.toml"), text).unwrap();
    let answer = check(folder.path(), WHILE, &[]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    // The command line comes first.
    assert_eq!(check(folder.path(), WHILE, &["t.f90:8=trips=6"]).code, 3);
}

#[test]
fn invalid_assumptions_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    for (assume, expected) in [
        ("t.f90:8", "write FILE:LINE=taken"),
        ("t.f90:9=taken", "no IF, ELSE IF, CASE or DO begins there"),
        (
            "t.f90:8=goto=10",
            "no computed GOTO or arithmetic IF begins there",
        ),
        ("u.f90:8=taken", "no such file among the sources"),
        ("t.f90:8=taken", "assume its trip count with trips=N"),
    ] {
        let answer = check(folder.path(), WHILE, &[assume]);
        assert_eq!(answer.code, 2, "{assume}: {}", answer.err);
        assert!(answer.err.contains(expected), "{assume}: {}", answer.err);
    }
    std::fs::write(
        folder.path().join("mpiete.toml"),
        "[[assume]]\nat = \"t.f90:8\"\n",
    )
    .unwrap();
    let answer = check(folder.path(), WHILE, &[]);
    assert!(
        answer.code == 2
            && answer
                .err
                .contains("mpiete.toml:1: the key outcome is missing"),
        "{}",
        answer.err
    );
    let second = "[[assume]]\nat = \"t.f90:8\"\noutcome = \"trips\"\n";
    let text = format!("{}count = 7\n\n{second}count = -5\n", second);
    std::fs::write(folder.path().join("mpiete.toml"), text).unwrap();
    let answer = check(folder.path(), WHILE, &[]);
    assert!(
        answer.code == 2 && answer.err.contains("mpiete.toml:6: t.f90:8: count is -5"),
        "{}",
        answer.err
    );
}
