//! Why statements stay in the slice, and what would have to be assumed for them to go.

use crate::command::{answer, done, mpiete};

const SOLVER: &str = "program t
  use mpi
  implicit none
  integer :: i, n, ierr
  real :: a(100), total, eps, unused
  call mpi_init(ierr)
  n = 10
  unused = n*2.0
  do i = 1, 100
    a(i) = i
  end do
  eps = 1.0
  do while (eps > 1e-2)
    call mpi_allreduce(a, total, 1, mpi_real, mpi_sum, mpi_comm_world, ierr)
    a(1) = a(1)*0.5
    eps = a(1)
  end do
  call mpi_bcast(a, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
";

#[track_caller]
fn check(words: &[&str], expect: &str) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.f90"), SOLVER).unwrap();
    assert_eq!(
        done(folder.path(), &[&["analyze", "t.f90"], words].concat()),
        expect
    );
}

#[test]
fn chain_ends_at_the_slicing_criterion() {
    check(
        &["--why", "t.f90:7"],
        "t.f90:7: n = 10
    defines `n`, which t.f90:18 needs
t.f90:18: call mpi_bcast(a, n, mpi_real, 0, mpi_comm_world, ierr)
    is an MPI call
",
    );
    check(
        &["--strict", "--why", "t.f90:10"],
        "t.f90:10: a(i) = i
    defines `a`, which t.f90:16 needs
t.f90:16: eps = a(1)
    defines `eps`, which t.f90:13 needs
t.f90:13: do while (eps > 1e-2)
    decides whether the block at line 15 runs, which is recorded
",
    );
}

#[test]
fn removed_statements_are_explained() {
    check(
        &["--why", "t.f90:8"],
        "t.f90:8: unused = n*2.0
    not in the slice: no MPI call or argument, no work term of a block and no section end depends on it, \
given the assumptions at t.f90:13
",
    );
}

/// For a loop and a branch that no work term covers, the blocks that depend on them are printed; none for a counted loop.
#[test]
fn block_work_may_depend_on_removed_statements() {
    const SOURCE: &str = "program p
include 'mpif.h'
integer i, n, ierr
real a(100), b(100)
call mpi_init(ierr)
n = 10
call mpi_bcast(a, n, mpi_real, 0, mpi_comm_world, ierr)
do i = 1, n
  b(i) = i
end do
do i = 1, int(a(1))
  b(i) = b(i)*2
end do
if (a(2) > 0) then
  b = sqrt(b)
end if
call mpi_finalize(ierr)
end
";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.f90"), SOURCE).unwrap();
    let left_out = "not in the slice: no MPI call or argument, no work term of a block and no \
        section end depends on it";
    let untold = "; the work of the block at t.f90:8-16 depends on it, but no work term does";
    for (line, hangs) in [(8, ""), (9, ""), (11, untold), (14, untold)] {
        let said = done(
            folder.path(),
            &["analyze", "t.f90", "--why", &format!("t.f90:{line}")],
        );
        assert!(
            said.ends_with(&format!("\n    {left_out}{hangs}\n")),
            "{line}: {said}"
        );
    }
}

#[test]
fn minimal_assumptions_are_found() {
    check(
        &["--strict", "--why-not", "t.f90:10"],
        "t.f90:10: a(i) = i\n    would leave the slice with 1 assumption:\n    --assume \
        t.f90:13=trips=N\n",
    );
    check(
        &["--why-not", "t.f90:7"],
        "t.f90:7: n = 10
    stays under any assumption: it leads to t.f90:18: call mpi_bcast(a, n, mpi_real, 0, mpi_comm_world, ierr)
    which is an MPI call; --why t.f90:7 prints the chain
",
    );
    check(
        &["--why-not", "t.f90:18"],
        "t.f90:18: call mpi_bcast(a, n, mpi_real, 0, mpi_comm_world, ierr)
    stays under any assumption: it is an MPI call
",
    );
}

#[test]
fn explanations_are_available_as_json() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.f90"), SOLVER).unwrap();
    let json = done(
        folder.path(),
        &[
            "analyze",
            "t.f90",
            "--strict",
            "--why-not",
            "t.f90:10",
            "--format",
            "json",
        ],
    );
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["kind"], "explanation");
    assert_eq!(value["content"]["assume"][0], "t.f90:13=trips=N");
}

#[test]
fn lines_without_statements_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.f90"), SOLVER).unwrap();
    for flag in ["--why", "--why-not"] {
        for (place, expected) in [
            ("t.f90:99", "no executable statement begins there"),
            ("t.f90", "write FILE:LINE"),
        ] {
            let answer = mpiete(folder.path(), &["analyze", "t.f90", flag, place]);
            assert!(
                answer.code == 2 && answer.err.contains(expected),
                "{}",
                answer.err
            );
        }
    }
}

/// The trip counts that the check of one study finds are used by the next; they are unknown without it.
#[test]
fn trips_are_taken_from_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("t.f90"), SOLVER).unwrap();
    let first = mpiete(
        here,
        &["prepare", "t.f90", "-o", "first", "--check", "-n", "2"],
    );
    assert!(
        first.code == 3 && first.err.contains("trips=7"),
        "{}",
        first.err
    );
    let recording = ["--trips-from", "first/reference-n2.mpiete"];
    done(
        here,
        &[
            &["prepare", "t.f90", "-o", "second", "--check", "-n", "2"],
            &recording[..],
        ]
        .concat(),
    );
    let predict = [
        "predict",
        "t.f90",
        "-n",
        "2",
        "--platform",
        "fast-ethernet",
        "-o",
        "third",
    ];
    let text = |rest: &[&str]| {
        let out = done(here, &[&predict[..], rest].concat());
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let known = text(&recording);
    assert!(
        known.contains("t.f90:13: the loop runs 7 times (taken from a recording): on 2 ranks"),
        "{known}"
    );
    assert!(!known.contains("at least"), "{known}");
    let unknown = text(&["--bounded-run", "0"]);
    assert!(
        unknown.contains("predicted time with guessed trip counts"),
        "{unknown}"
    );
    assert!(
        unknown.contains(
            "give the count with --assume t.f90:13=trips=N, or --trips-from a \
            recording"
        ),
        "{unknown}"
    );
    // Of another program it says nothing.
    done(here, &["record", "third", "-n", "2", "-o", "none.mpiete"]);
    let refused = mpiete(here, &["analyze", "t.f90", "--trips-from", "none.mpiete"]);
    assert!(
        refused.code == 2
            && refused
                .err
                .contains("this recording contains no trip counts"),
        "{}",
        refused.err
    );
}

/// A run of the whole program shows unknown trip counts: exactly at its end, or as a lower bound.
#[test]
fn loops_are_counted_in_a_bounded_run() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let predict = |seconds: &str, source: &str| {
        std::fs::write(here.join("t.f90"), source).unwrap();
        let words = [
            "predict",
            "t.f90",
            "-n",
            "2",
            "--platform",
            "fast-ethernet",
            "--bounded-run",
            seconds,
        ];
        let answer = mpiete(here, &words);
        assert_eq!(answer.code, 0, "{}", answer.err);
        answer
            .out
            .split_whitespace()
            .chain(["|"])
            .chain(answer.err.split_whitespace())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let ended = predict("600", SOLVER);
    assert!(
        ended.contains("t.f90:13: the loop runs 7 times (taken from a recording): on 2 ranks, in a run of the whole program"),
        "{ended}"
    );
    assert!(
        !ended.contains("at least") && !ended.contains("guess"),
        "{ended}"
    );
    let endless = SOLVER.replace("a(1)*0.5", "a(1)*0.5 + 1");
    let cut_off = predict("0.5", &endless);
    assert!(cut_off.contains("predicted time at least"), "{cut_off}");
    assert!(
        cut_off.contains("(observed in a run that was stopped): lower bound from 0.5 s"),
        "{cut_off}"
    );
    assert!(
        cut_off.contains("the time is a lower bound: t.f90:13: the loop runs"),
        "{cut_off}"
    );
}

/// What the beginning of a run shows of a loop that is entered again is a guess: later it may run less often.
#[test]
fn repeatedly_entered_loop_has_no_lower_bound() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let again = SOLVER
        .replace("  eps = 1.0\n", "  do n = 1, 2\n  eps = 1.0\n")
        .replace("a(1)*0.5", "a(1)*0.5 + n - 1")
        .replace("  call mpi_bcast", "  end do\n  call mpi_bcast");
    std::fs::write(here.join("t.f90"), again).unwrap();
    let words = [
        "predict",
        "t.f90",
        "-n",
        "2",
        "--platform",
        "fast-ethernet",
        "--bounded-run",
        "0.5",
    ];
    let out = done(here, &words)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        out.contains("predicted time with guessed trip counts"),
        "{out}"
    );
    assert!(out.contains("t.f90:14: the loop runs 7 times"), "{out}");
    assert!(
        out.contains("a guess from the first 0.5 s of a run of the whole program"),
        "{out}"
    );
}

/// A loop with an end of its own, which a test may leave before.
#[test]
fn early_exits_are_counted_in_a_bounded_run() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let bounded = SOLVER
        .replace(
            "  do while (eps > 1e-2)\n",
            "  do i = 1, 50\n    if (eps <= 1e-2) exit\n",
        )
        .replace("  call mpi_bcast", "  if (n > 10) stop 1\n  call mpi_bcast");
    let predict = |source: &str, rest: &[&str]| {
        std::fs::write(here.join("t.f90"), source).unwrap();
        let words = ["predict", "t.f90", "-n", "2", "--platform", "fast-ethernet"];
        let answer = mpiete(here, &[&words, rest].concat());
        let words = [answer.out, answer.err].concat();
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let counted = predict(&bounded, &[]);
    assert!(
        counted.contains("t.f90:14: the loop runs 8 times (taken from a recording)"),
        "{counted}"
    );
    assert!(
        !counted.contains("time at most") && !counted.contains("bound:"),
        "{counted}"
    );
    let free = predict(&bounded, &["--bounded-run", "0"]);
    assert!(free.contains("predicted time at most"), "{free}");
    assert!(
        free.contains("the time is an upper bound: t.f90:14:"),
        "{free}"
    );
    // The program's own word that it did not converge is an assumption's fault.
    let misled = predict(
        &bounded.replace("n > 10", "i > 50"),
        &["--bounded-run", "0"],
    );
    assert!(
        misled.contains("t.f90:14: the test does not end the loop"),
        "{misled}"
    );
    assert!(misled.contains("--assume t.f90:14=trips=N"), "{misled}");
}

/// Branches and a selection for which no assumption can be proposed, and a procedure without source before them.
const DECIDED: &str = "program t
  use mpi
  implicit none
  integer :: i, n, ierr, k
  real :: a(100)
  call mpi_init(ierr)
  n = 10; k = 3
  do i = 1, 100
    a(i) = sin(real(i))
  end do
  if (k > 4) then
    call mpi_barrier(mpi_comm_world, ierr)
  else if (sum(a) > 3) then
    call mpi_bcast(k, 1, mpi_integer, 0, mpi_comm_world, ierr)
  else if (a(3) > 7) then
    call mpi_bcast(k, n, mpi_integer, 0, mpi_comm_world, ierr)
  end if
  select case (nint(a(4)))
  case (1)
    call mpi_barrier(mpi_comm_world, ierr)
  end select
  call mpi_finalize(ierr)
end program
";

/// What is suggested does what it says.
#[test]
fn unproposed_decisions_are_suggested() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("t.f90"), DECIDED).unwrap();
    let analyze = |rest: &[&str]| {
        let out = done(here, &[&["analyze", "t.f90"], rest].concat());
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let offered = analyze(&[]);
    let expected = "--assume t.f90:19=taken, or another CASE of the SELECT at t.f90:18; --assume t.f90:13=taken";
    assert!(offered.contains(expected), "{offered}");
    let asked = analyze(&["--why-not", "t.f90:9"]);
    let expected = "would leave the slice with 2 assumptions: --assume t.f90:19=taken, or another \
        CASE of the SELECT at t.f90:18 --assume t.f90:13=taken";
    assert!(asked.contains(expected), "{asked}");
    let gone = analyze(&[
        "--why-not",
        "t.f90:9",
        "--assume",
        "t.f90:18=not-taken",
        "--assume",
        "t.f90:13=taken",
    ]);
    assert!(gone.ends_with("not in the slice as it is"), "{gone}");
    let only = analyze(&[
        "--why-not",
        "t.f90:9",
        "--assume",
        "t.f90:18=not-taken",
        "--assume",
        "t.f90:15=taken",
    ]);
    assert!(
        only.contains(
            "would leave the slice with 1 assumption: --assume t.f90:13=taken or \
        not-taken"
        ),
        "{only}"
    );
}

#[test]
fn external_procedures_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let source = DECIDED.replace("k = 3\n", "k = 3\n  call fill(a, n)\n  call unused(k)\n");
    let source = source.replace(
        "end program\n",
        "end program\nsubroutine unused(k)\n  integer :: k\n  print *, k\nend subroutine\n",
    );
    let source = source
        .replace("nint(a(4))", "n")
        .replace("sum(a)", "n")
        .replace("a(3)", "n");
    std::fs::write(here.join("t.f90"), source).unwrap();
    let answer = mpiete(here, &["analyze", "t.f90"])
        .out
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        answer.contains("[externals] data_only, and the slice keeps "),
        "{answer}"
    );
    let asked = mpiete(here, &["analyze", "t.f90", "--why-not", "t.f90:8"]).out;
    assert!(asked.contains("([externals] data_only): fill\n"), "{asked}");
    std::fs::write(
        here.join("mpiete.toml"),
        "[externals]\ndata_only = [\"fill\"]\n",
    )
    .unwrap();
    let heard = mpiete(here, &["analyze", "t.f90"]).err;
    assert!(!heard.contains("data_only"), "{heard}");
    std::fs::write(
        here.join("mpiete.toml"),
        "[externals]\ndata_only = [\"fill\", \"fil\"]\n",
    )
    .unwrap();
    let unheard = mpiete(here, &["analyze", "t.f90"]).err;
    assert!(
        unheard.contains("data_only: no called procedure without source has this name: fil\n"),
        "{unheard}"
    );
    let gone = mpiete(here, &["analyze", "t.f90", "--why-not", "t.f90:8"]).out;
    assert!(gone.contains("not in the slice as it is"), "{gone}");
}

/// Of a line with several statements, one that stays is explained.
#[test]
fn kept_statement_of_a_line_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let source = "program t\n  use mpi\n  integer :: n, ierr\n  real :: x\n  call mpi_init(ierr)\n  n = 3; x = 2\n  \
                  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)\n  call mpi_finalize(ierr)\nend program\n";
    std::fs::write(here.join("t.f90"), source).unwrap();
    for question in ["--why", "--why-not"] {
        let explained = done(here, &["analyze", "t.f90", question, "t.f90:6"]);
        assert!(explained.starts_with("t.f90:6: n = 3\n"), "{explained}");
    }
}

/// Loops of all kinds around calls; what a recording of the program as it is says of them.
const LOOPS: &str = "program t
  use mpi
  implicit none
  integer :: ierr, step, i
  real :: a(100), s, total
  call mpi_init(ierr)
  a = 1
  do step = 1, 3
    call solve
    a = a*128
  end do
  do
    a = a*0.5
    s = sum(a)/100
    if (s < 0.01) exit
    call mpi_barrier(mpi_comm_world, ierr)
  end do
10 a = a*2
  call mpi_barrier(mpi_comm_world, ierr)
  if (sum(a)/100 - 100) 10, 20, 20
20 call mpi_finalize(ierr)
contains
  subroutine solve
    call mpi_barrier(mpi_comm_world, ierr)
    s = 1
    do while (s > 0.01)
      a = a*0.5
      s = sum(a)/100
      call norm
    end do
  end subroutine
  subroutine norm
    call mpi_allreduce(s, total, 1, mpi_real, mpi_max, mpi_comm_world, ierr)
  end subroutine
end program
";

/// Loops that a test may end before their other bound does: it never does, or that is unknown, or it does.
const BOUNDED: &str = "program t
  use mpi
  implicit none
  integer :: ierr, step, i
  real :: a(100), s, total
  call mpi_init(ierr)
  do step = 1, 3
    call solve
  end do
  do i = 1, 8
    a = a*0.5
    s = sum(a)/100
    call mpi_allreduce(s, total, 1, mpi_real, mpi_max, mpi_comm_world, ierr)
    if (s > 1e9) exit
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  do i = 1, 8
    a = a*0.5
    s = sum(a)/100
    if (s > 1e9) exit
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  do i = 1, 8
    a = a*2 + 1
    call mpi_barrier(mpi_comm_world, ierr)
    if (sum(a) > 500) exit
  end do
  call mpi_finalize(ierr)
contains
  subroutine solve
    call mpi_barrier(mpi_comm_world, ierr); a = 4
    do i = 1, 20
      a = a*0.5; s = sum(a)/100; call mpi_bcast(i, 1, mpi_integer, 0, mpi_comm_world, ierr)
      if (s < 0.01) exit
      call mpi_barrier(mpi_comm_world, ierr)
    end do
  end subroutine
end program
";

#[test]
fn trip_counts_come_from_a_binary_recording() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let record = |source: &str, flags: &[&str]| {
        std::fs::write(here.join("t.f90"), source).unwrap();
        done(here, &["prepare", "t.f90", "-o", "study", "--whole"]);
        let mut compiler = std::process::Command::new("gfortran");
        compiler.args(flags).args([
            "-Istudy/include",
            "-J.",
            "study/include/mpi.f90",
            "t.f90",
            "-o",
            "t",
        ]);
        let built = answer(compiler.args(["-Lstudy/lib", "-lmpi"]).current_dir(here));
        assert_eq!(built.code, 0, "{}", built.err);
        done(
            here,
            &["record", "-n", "2", "-o", "whole.mpiete", "--", "./t"],
        );
    };
    let check = || {
        mpiete(
            here,
            &[
                "prepare",
                "t.f90",
                "-o",
                "study",
                "--check",
                "-n",
                "2",
                "--trips-from",
                "whole.mpiete",
            ],
        )
    };
    record(LOOPS, &["-O2", "-g"]);
    let answer = check();
    assert!(
        answer.code == 0 && answer.out.contains("equal event streams"),
        "{}",
        answer.err
    );
    let listed = done(here, &["analyze", "t.f90", "--trips-from", "whole.mpiete"]);
    let listed = listed.split_whitespace().collect::<Vec<_>>().join(" ");
    for trips in [
        "t.f90:15: the loop runs ",
        "t.f90:20: the loop runs ",
        "t.f90:26: the loop runs ",
    ] {
        let line = listed
            .split(trips)
            .nth(1)
            .unwrap_or_else(|| panic!("{listed}"));
        assert!(
            line.contains(
                "times (taken from a recording): on 2 ranks, whole.mpiete, from how often"
            ),
            "{listed}"
        );
    }
    // The first time it runs longer than later.
    record(&LOOPS.replace("a = a*128", "a = a*256"), &["-O2", "-g"]);
    let uneven = check();
    assert!(
        uneven.code == 2 && uneven.err.contains("so its trip count varies"),
        "{}",
        uneven.err
    );
    record(
        &LOOPS.replace(
            "      call norm",
            "      do i = 1, 2\n      call norm\n      end do",
        ),
        &["-g"],
    );
    let none = check();
    assert!(
        none.err
            .contains("no iteration of it makes an MPI call exactly once"),
        "{}",
        none.err
    );
    record(BOUNDED, &["-g"]);
    let answer = check();
    assert!(
        answer.code == 0 && answer.out.contains("equal event streams"),
        "{}",
        answer.err
    );
    assert!(
        answer
            .err
            .contains("t.f90:20: whole.mpiete does not show whether this test ends"),
        "{}",
        answer.err
    );
    let listed = done(here, &["analyze", "t.f90", "--trips-from", "whole.mpiete"]);
    let listed = listed.split_whitespace().collect::<Vec<_>>().join(" ");
    for line in [
        "t.f90:34: the loop runs 9 times (taken from a recording)",
        "t.f90:14: the branch is not taken (taken from a recording)",
        "t.f90:26: the loop runs 3 times (taken from a recording)",
    ] {
        assert!(listed.contains(line), "{listed}");
    }
    record(LOOPS, &[]);
    let bare = check();
    assert!(
        bare.code == 2 && bare.err.contains("compile the program with -g"),
        "{}",
        bare.err
    );
}
