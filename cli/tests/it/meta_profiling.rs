//! Values of profiling directives: measured in a run, kept in a file, and used by estimates.

use crate::command::{CommandOutput, done, mpiete, root};
use crate::real_mpi::{Mpi, processors};
use npb_fixtures::skipped::skip;
use std::path::Path;

/// Loops that end in every way, a call path, and messages: all values are known.
const PROGRAM: &str = "\
program main_program
  use mpi
  implicit none
  integer :: me, ranks, i, total, ierr
  integer :: status(MPI_STATUS_SIZE)
  double precision :: data(100)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  total = 0
  data = 0
  do i = 1, 4
    call work(i, total)
  end do
  call work(50, total)
  if (me == 0) then
    do i = 1, ranks - 1
      call MPI_Recv(data, 10*i, MPI_DOUBLE_PRECISION, i, 0, MPI_COMM_WORLD, status, ierr)
    end do
  else
    call MPI_Send(data, 10*me, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Finalize(ierr)
contains
  subroutine work(n, total)
    integer, intent(in) :: n
    integer, intent(inout) :: total
    integer :: j, k
    do j = 1, 2*n, 2
      total = total + j
      if (total < 0) return
    end do
    do j = 10, 1, -3
      if (j < n) exit
    end do
    k = 0
    do while (k < n)
      k = k + 1
      if (k == 3) goto 10
    end do
10  continue
    k = 0
    do
      k = k + 2
      if (k >= n) return
    end do
  end subroutine work
end program main_program
";

fn folder(model: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.f90"), PROGRAM).unwrap();
    std::fs::write(folder.path().join("a.meta"), model).unwrap();
    folder
}

fn profile(here: &Path, arguments: &[&str]) -> CommandOutput {
    let mut words = vec!["meta", "a.meta", "--profile", "a.f90", "--costs"];
    words.extend(arguments);
    mpiete(here, &words)
}

/// The lines of ranks below a directive of a profile.
pub fn values(text: &str, directive: &str) -> Vec<String> {
    let mut lines = text.lines();
    let name = format!("directive {directive}");
    assert!(lines.any(|line| line == name), "{directive}: {text}");
    let values = lines.take_while(|line| !line.starts_with("directive"));
    values.map(|line| line.trim().to_string()).collect()
}

/// Each directive is refused with its message, which points at its place. `program` is the text of a source for the case of a number.
pub fn check_refusals(cases: &[(&str, &str)], source: &str, program: impl Fn(usize) -> String) {
    for (number, (directive, message)) in cases.iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(source), program(number)).unwrap();
        let model = format!("a = {directive}\n");
        std::fs::write(folder.path().join("a.meta"), model).unwrap();
        let words = ["meta", "a.meta", "--profile", source, "--costs", "-n", "2"];
        let answer = mpiete(folder.path(), &words);
        assert_eq!(answer.code, 2, "{directive}: {}", answer.err);
        assert!(answer.err.contains(message), "{directive}: {}", answer.err);
        assert!(answer.err.contains("  1 | a = get"), "{}", answer.err);
    }
}

/// Directives, each with its values on ranks 0 and 1: rank, executions, value, and for `of` the range. The program in C has the same
/// loops and calls.
pub const CASES: [(&str, [&str; 2]); 15] = [
    // Work is called with 1, 2, 3, 4 and 50.
    (
        "getValueOfVariable.averageOf(work(blockCount=1))",
        ["0 5 12", "1 5 12"],
    ),
    (
        "getValueOfVariable.maxOf(work(blockCount=1))",
        ["0 5 50", "1 5 50"],
    ),
    (
        "getValueOfVariable.minOf(work(blockCount=1))",
        ["0 5 1", "1 5 1"],
    ),
    (
        "getValueOfVariable.tailOf(work(blockCount=1))",
        ["0 5 50", "1 5 50"],
    ),
    (
        "getValueOfVariable.of(work(blockCount=1))",
        ["0 5 1 1 50", "1 5 1 1 50"],
    ),
    // 10, 7, 4, 1: with an exit where j is less than n: 4 iterations for 1, 2, 3 (1 < 2), 4; 1 for 50.
    (
        "getValueOfVariable.averageOf(work(blockCount=2))",
        ["0 5 3.4", "1 5 3.4"],
    ),
    // DO WHILE, left by GOTO after 3 iterations.
    (
        "getValueOfVariable.averageOf(work(blockName=while, blockCount=1))",
        ["0 5 2.4", "1 5 2.4"],
    ),
    // DO, left by RETURN: 1, 1, 2, 2 and 25 iterations.
    (
        "getValueOfVariable.averageOf(work(blockName=do, blockCount=1))",
        ["0 5 6.2", "1 5 6.2"],
    ),
    // The first call alone is in the loop.
    (
        "getValueOfVariable.maxOf(work(blockCount=1) <- main(blockCount=1))",
        ["0 4 4", "1 4 4"],
    ),
    (
        "getValueOfVariable.of(work(blockCount=1) <- main(position=2))",
        ["0 1 50 50 50", "1 1 50 50 50"],
    ),
    (
        "getValueOfVariable.of(work(blockCount=1) <- main(blockCount=1, position=after(1)))",
        ["0 1 50 50 50", "1 1 50 50 50"],
    ),
    (
        "getValueOfVariable.of(main(blockCount=1, variableName=i))",
        ["0 1 5 5 5", "1 1 5 5 5"],
    ),
    (
        "getValueOfVariable.headOf(work(variableName=n))",
        ["0 5 1", "1 5 1"],
    ),
    // Assignments to k in the text: 0, k + 1, 0, k + 2.
    (
        "getValueOfVariable.maxOf(work(position=4, variableName=k))",
        ["0 31 50", "1 31 50"],
    ),
    (
        "getValueOfVariable.of(work(blockCount=3, position=before(1), variableName=k))",
        ["0 5 0 0 0", "1 5 0 0 0"],
    ),
];

#[test]
fn directives_have_the_values_of_the_run() {
    let mut model = String::new();
    for (directive, _) in &CASES {
        model += &format!("x = {directive}\n");
    }
    model += "y = getAmountOfMessage.of(main(position=1))\nz = getAmountOfMessage.of(main)\n";
    let folder = folder(&model);
    let here = folder.path();
    let answer = profile(here, &["-n", "2", "--profile-output", "a.profile"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let text = std::fs::read_to_string(here.join("a.profile")).unwrap();
    for (directive, expected) in &CASES {
        let found = values(&text, directive);
        assert_eq!(found, expected, "{directive}");
    }
    // Rank 0 receives 80 bytes from rank 1, which does not execute this call.
    let found = values(&text, "getAmountOfMessage.of(main(position=1))");
    assert_eq!(found, ["0 1 80 80 80"]);
    let found = values(&text, "getAmountOfMessage.of(main)");
    assert_eq!(found, ["0 1 80 80 80", "1 1 80 80 80"]);
    // The first of several values stands for all.
    let note = "getValueOfVariable.of(work(blockCount=1)) is the first of 5 values from 1 to 50";
    assert!(answer.err.contains(note), "{}", answer.err);
}

/// Another procedure ends MPI while ranges are open: their values are those of that moment.
#[test]
fn values_of_open_ranges_are_taken_where_mpi_ends() {
    let program = "\
program a
  implicit none
  integer :: i, k, ierr
  call MPI_Init(ierr)
  k = 0
  do i = 1, 9
    k = k + 10
    if (i == 4) call finish(k)
  end do
  do while (k < 2)
    call finish(k)
  end do
end program a
subroutine finish(k)
  integer :: k, ierr
  if (k > 0) call MPI_Finalize(ierr)
  if (k > 0) stop
end subroutine finish
";
    let model = "x = getValueOfVariable.of(a(variableName=k))\ny = getValueOfVariable.of(a(blockCount=1))\n\
        z = getValueOfVariable.of(a(blockCount=2))\n";
    let folder = folder(model);
    let here = folder.path();
    let run = |text: &str| {
        std::fs::write(here.join("a.f90"), text).unwrap();
        let answer = profile(here, &["-n", "1", "--profile-output", "a.profile"]);
        assert_eq!(answer.code, 0, "{}", answer.err);
        std::fs::read_to_string(here.join("a.profile")).unwrap()
    };
    let text = run(program);
    let of =
        |text: &str, options: &str| values(text, &format!("getValueOfVariable.of(a({options}))"));
    assert_eq!(of(&text, "variableName=k"), ["0 1 40 40 40"]);
    assert_eq!(of(&text, "blockCount=1"), ["0 1 4 4 4"]);
    let text = run(&program.replace("i == 4", "i > 9").replace("k < 2", "k > 0"));
    assert_eq!(of(&text, "variableName=k"), ["0 1 90 90 90"]);
    assert_eq!(of(&text, "blockCount=1"), ["0 1 9 9 9"]);
    assert_eq!(of(&text, "blockCount=2"), ["0 1 1 1 1"]);
}

/// MPI ignores count and type beside MPI_IN_PLACE.
#[test]
fn amount_of_a_collective_in_place_is_that_of_its_other_operand() {
    let program = "\
program a
  use mpi
  implicit none
  integer :: data(20), ierr
  call MPI_Init(ierr)
  data = 0
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, 5, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program a
";
    let folder = folder("x = getAmountOfMessage.of(a(position=1))\ny = getAmountOfMessage.of(a)\n");
    let here = folder.path();
    std::fs::write(here.join("a.f90"), program).unwrap();
    let answer = profile(here, &["-n", "2", "--profile-output", "a.profile"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let text = std::fs::read_to_string(here.join("a.profile")).unwrap();
    for options in ["(position=1)", ""] {
        let found = values(&text, &format!("getAmountOfMessage.of(a{options})"));
        assert_eq!(found, ["0 1 20 20 20", "1 1 20 20 20"]);
    }
}

/// Directives of a program whose receives have more room than their messages need, and their values.
pub const LONG_BUFFERS: [(&str, &[&str]); 4] = [
    ("getAmountOfMessage.of(main(position=3))", &["1 1 20 20 20"]),
    ("getAmountOfMessage.of(main(position=4))", &["1 1 24 24 24"]),
    (
        "getAmountOfMessage.of(main(position=5))",
        &["0 1 4 4 4", "1 1 4 4 4"],
    ),
    (
        "getAmountOfMessage.of(main)",
        &["0 1 52 52 52", "1 1 52 52 52"],
    ),
];

/// Profiles the program in a source on two ranks.
pub fn check_long_buffers(source: &str, program: &str) {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let mut model = String::new();
    for (directive, _) in LONG_BUFFERS {
        model += &format!("x = {directive}\n");
    }
    std::fs::write(here.join("a.meta"), model).unwrap();
    std::fs::write(here.join(source), program).unwrap();
    let words = ["meta", "a.meta", "--profile", source, "--costs", "-n", "2"];
    done(here, &[&words[..], &["--profile-output", "p"]].concat());
    let text = std::fs::read_to_string(here.join("p")).unwrap();
    for (directive, expected) in LONG_BUFFERS {
        assert_eq!(values(&text, directive), expected, "{directive}");
    }
}

#[test]
fn receives_have_the_bytes_of_their_messages() {
    let program = "\
program a
  use mpi
  implicit none
  integer :: data(400), ierr, me, status(MPI_STATUS_SIZE)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  data = 0
  if (me == 0) call MPI_Send(data, 5, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
  if (me == 0) call MPI_Send(data, 6, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
  if (me == 1) call MPI_Recv(data, 400, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status, ierr)
  if (me == 1) call MPI_Recv(data, 400, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Sendrecv(data, 1, MPI_INTEGER, me, 0, data(11), 40, MPI_INTEGER, me, 0, MPI_COMM_WORLD, &
                    status, ierr)
  call MPI_Finalize(ierr)
end program a
";
    check_long_buffers("a.f90", program);
}

/// Times in fixed form, whose inserted statements need several lines, and messages beside a call whose counts are not measured.
#[test]
fn fixed_form_and_uncalled_procedures_are_no_obstacle() {
    let program = "      PROGRAM P
      INCLUDE 'mpif.h'
      INTEGER IERR, I
      CALL MPI_INIT(IERR)
      DO I = 10, 1, -3
        CALL S(I)
      END DO
      CALL MPI_FINALIZE(IERR)
      END
      SUBROUTINE S(N)
      INCLUDE 'mpif.h'
      INTEGER N, IERR, A(10), B(10)
      CALL MPI_SENDRECV(A, N, MPI_INTEGER, 0, 0, B, N, MPI_INTEGER,
     & 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, IERR)
      END
      SUBROUTINE NEVER
      INCLUDE 'mpif.h'
      INTEGER C(1), D(1), X, Y, IERR
      CALL MPI_GATHERV(X, 1, MPI_INTEGER, Y, C, D, MPI_INTEGER, 0,
     & MPI_COMM_WORLD, IERR)
      END
";
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("a.f"), program).unwrap();
    let model = "compute(getTime.of(s))
compute(getTime.headOf(main(bc=1)))
input(getValueOfVariable.of(main(bc=1)))
output(getAmountOfMessage.averageOf(s))
";
    std::fs::write(here.join("a.meta"), model).unwrap();
    let words = ["meta", "a.meta", "--profile", "a.f", "-n", "1", "--costs"];
    let text = done(here, &words);
    let total = |method: &str| {
        let row = text.lines().find(|line| line.contains(method)).unwrap();
        row.split_whitespace().nth(1).unwrap().to_string()
    };
    assert_eq!(total("strmin_cost"), "4", "{text}");
    // 10, 7, 4 and 1 numbers in both directions.
    assert_eq!(total("strmout_cost"), "44", "{text}");
}

#[test]
fn times_are_in_units_of_compute() {
    let folder = folder("compute(getTime.of(main_program))\n");
    let here = folder.path();
    let arguments = ["-n", "2", "--profile-output", "a.profile"];
    let answer = profile(here, &arguments);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let costs = |unit: &str| {
        let words = ["meta", "a.meta", "--profile-from", "a.profile", "--costs"];
        let text = done(
            here,
            &[&words[..], &["--compute-unit", unit, "--format", "csv"]].concat(),
        );
        let row = text.lines().nth(1).unwrap().to_string();
        row.split(',').nth(1).unwrap().parse::<f64>().unwrap()
    };
    let nanoseconds = costs("1ns");
    assert!(nanoseconds > 1000.0, "{nanoseconds}");
    let microseconds = costs("1us");
    assert!((nanoseconds / microseconds / 1000.0 - 1.0).abs() < 1e-6);
}

#[test]
fn places_that_do_not_exist_are_bad_input() {
    let cases = [
        (
            "getTime.of(other)",
            "a.meta:1:16: the program has no procedure other",
        ),
        (
            "getTime.of(work(blockCount=7))",
            "a.meta:1:16: work has no block 7; blocks are its loops",
        ),
        (
            "getTime.of(work(bn=while, bc=2))",
            "work has no block 2 of the kind while",
        ),
        ("getTime.of(work(position=1))", "leave out position"),
        (
            "getValueOfVariable.of(work(variableName=q))",
            "work has no variable q",
        ),
        (
            "getValueOfVariable.of(main(variableName=data))",
            "data is an array",
        ),
        (
            "getValueOfVariable.of(work)",
            "add blockCount or variableName",
        ),
        (
            "getValueOfVariable.of(work(variableName=k, position=9))",
            "there is no position 9 among the assignments to k in work",
        ),
        (
            "getAmountOfMessage.of(main(position=3))",
            "there is no position 3 among the calls that transfer messages in main_program",
        ),
        (
            "getTime.of(work <- main(blockCount=2))",
            "a.meta:1:24: there are no calls of work in the block of main_program",
        ),
    ];
    check_refusals(&cases, "a.f90", |_| PROGRAM.into());
}

/// A position counts calls, in Fortran as in C.
#[test]
fn position_in_a_statement_with_several_calls_is_refused() {
    let program = "\
program a
  use mpi
  implicit none
  integer :: ierr, n
  call MPI_Init(ierr)
  n = fn(3) + fn(fn(2))
  n = fn(n)
  call MPI_Finalize(ierr)
contains
  integer function fn(m)
    integer, intent(in) :: m
    fn = m + 1
  end function fn
end program a
";
    let run = |position: &str| {
        let folder = folder(&format!(
            "x = getValueOfVariable.of(fn(vn=m) <- main({position}))\n"
        ));
        std::fs::write(folder.path().join("a.f90"), program).unwrap();
        let answer = profile(folder.path(), &["-n", "1", "--profile-output", "a.profile"]);
        let text = std::fs::read_to_string(folder.path().join("a.profile"));
        (answer, text.unwrap_or_default())
    };
    let (answer, _) = run("pt=1");
    assert_eq!(answer.code, 2, "{}", answer.err);
    let message = "the statement at a.f90:6 calls fn 3 times";
    assert!(answer.err.contains(message), "{}", answer.err);
    let (answer, text) = run("pt=4");
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(text.contains("\n  0 1 8 8 8\n"), "{text}");
}

/// A procedure of a few nanoseconds, and a loop that contains the readings of the clock for it.
#[test]
fn times_that_are_short_beside_readings_cause_a_warning() {
    let program = "\
program a
  use mpi
  implicit none
  integer :: ierr, k
  double precision :: s
  call MPI_Init(ierr)
  s = 0
  do k = 1, 1000
    call tiny(s)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
contains
  subroutine tiny(s)
    double precision, intent(inout) :: s
    s = s*0.5d0 + 1
  end subroutine tiny
end program a
";
    let folder = folder("x = getTime.of(a(bc=1))\ny = getTime.averageOf(tiny)\ncompute(x)\n");
    std::fs::write(folder.path().join("a.f90"), program).unwrap();
    let answer = profile(folder.path(), &["-n", "1"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let message = "the value of getTime.of(a(blockCount=1)) may be off by";
    assert!(answer.err.contains(message), "{}", answer.err);
}

#[test]
fn number_of_profiled_ranks_is_that_of_parallel() {
    let folder =
        folder("x = getValueOfVariable.maxOf(work(bc=1))\nPARALLEL 2 DO\n compute(x)\nEND\n");
    let here = folder.path();
    let answer = profile(here, &["--profile-output", "a.profile"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let text = std::fs::read_to_string(here.join("a.profile")).unwrap();
    assert!(text.contains("\nranks 2\n"), "{text}");
}

#[test]
fn places_that_are_not_reached_are_reported() {
    let model = "x = getValueOfVariable.of(work(bc=1) <- main(pt=1))\ncompute(x)\n";
    let folder = folder(model);
    let here = folder.path();
    let text = PROGRAM.replace("do i = 1, 4", "do i = 1, 4, -1");
    std::fs::write(here.join("a.f90"), text).unwrap();
    let answer = profile(here, &["-n", "2"]);
    assert_eq!(answer.code, 2, "{}", answer.err);
    let message = "the place of this directive was never reached on any rank";
    assert!(answer.err.contains(message), "{}", answer.err);
    let answer = profile(here, &["-n", "2", "--arg", "x=3"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(
        answer.err.contains("was reached on none of 2 ranks"),
        "{}",
        answer.err
    );
}

/// The sum of values that ranks measured is what the program prints.
#[test]
fn mandelbrot_costs_its_iterations() {
    let programs = root().join("meta/tests/programs");
    let source = programs.join("mandelbrot.f90").display().to_string();
    let model = programs
        .join("mandelbrot-profiled.meta")
        .display()
        .to_string();
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let mut words = vec!["meta", &model, "--profile", &source, "-n", "4"];
    words.extend([
        "--profile-output",
        "a.profile",
        "--costs",
        "--format",
        "csv",
    ]);
    let text = done(here, &words);
    let total: f64 = text
        .lines()
        .skip(1)
        .map(|row| row.split(',').nth(1).unwrap().parse::<f64>().unwrap())
        .sum();
    // Counted by hand in another program: iterations of the points, 251 at most.
    assert_eq!(total.round(), f64::from(mandelbrot_iterations()), "{text}");
    // On another number of ranks the values are those of all ranks together.
    let words = [
        "meta",
        &model,
        "--profile-from",
        "a.profile",
        "-n",
        "2",
        "-o",
        "a.mpiete",
    ];
    let text = done(here, &words);
    assert!(
        text.contains("those of all ranks together, since they were measured on 4 ranks"),
        "{text}"
    );
}

/// What mandelbrot.f90 computes, in the arithmetic of its compiler.
pub fn mandelbrot_iterations() -> u32 {
    let mut total = 0;
    for row in 1..=64 {
        for column in 1..=64 {
            let (re, im) = (
                -2.0 + 3.0 * column as f32 / 64.0,
                -1.5 + 3.0 * row as f32 / 64.0,
            );
            let (mut x, mut y) = (0.0f32, 0.0f32);
            let mut iterations = 0;
            while iterations < 251 {
                iterations += 1;
                (x, y) = (x * x - y * y + re, 2.0 * x * y + im);
                if x.hypot(y) > 2.0 {
                    break;
                }
            }
            total += iterations;
        }
    }
    total
}

#[test]
fn real_mpi_runs_profiled_programs() {
    let Some(mpi) = Mpi::mpich() else {
        skip("no MPICH");
        return;
    };
    let _alone = processors();
    let model = "x = getValueOfVariable.maxOf(work(blockCount=1))\ny = getTime.averageOf(work)\ncompute(x + y)\n";
    let folder = folder(model);
    let here = folder.path();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mpiete"));
    command
        .args(["meta", "a.meta", "--profile", "a.f90", "--costs"])
        .args([
            "--launch",
            "mpirun.mpich -n 2",
            "--profile-output",
            "a.profile",
        ])
        .env("MPIFC", &mpi.fortran)
        .current_dir(here);
    let answer = crate::command::answer(&mut command);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let text = std::fs::read_to_string(here.join("a.profile")).unwrap();
    assert!(text.contains("\nranks 2\nclock elapsed\n"), "{text}");
    let found = values(&text, "getValueOfVariable.maxOf(work(blockCount=1))");
    assert_eq!(found, ["0 5 50", "1 5 50"]);
}

/// Figures 9, 10, 12 and 14 of the paper, table 3 and the short names: their directives, with the values of both languages.
pub const FIGURES: [(&str, [&str; 2]); 12] = [
    // Figure 12: the sends of a step, with both names of the directive.
    ("getAmountOfMessage.of(step(position=1))", ["1 3 8 8 8", ""]),
    (
        "getAmountMessage.of(step(position=2))",
        ["0 3 16 16 16", ""],
    ),
    ("getAmountMessage.maxOf(step(pt=2))", ["0 3 16", ""]),
    ("getAmountOfMessage.minOf(step(pt=1))", ["1 3 8", ""]),
    // Table 3: calls in, before and behind a block.
    (
        "getAmountOfMessage.of(run(blockCount=1, position=after(1)))",
        ["0 1 40 40 40", "1 1 40 40 40"],
    ),
    (
        "getAmountOfMessage.of(run(bc=1, pt=before(1)))",
        ["0 1 32 32 32", "1 1 32 32 32"],
    ),
    (
        "getAmountMessage.of(run(pt=before(2), bc=1))",
        ["0 1 24 24 24", "1 1 24 24 24"],
    ),
    // Figures 9 and 10: a loop by its kind, and its count by a name that the compiler gave it.
    (
        "getValueOfVariable.of(run(blockName=for, blockCount=1, variableName=_L_1))",
        ["0 1 3 3 3", "1 1 3 3 3"],
    ),
    // Figure 14: the count of the first loop.
    ("getValue.maxOf(run(bc=1))", ["0 1 3", "1 1 3"]),
    ("getValue.of(run(vn=n, pt=1))", ["0 1 7 7 7", "1 1 7 7 7"]),
    (
        "getValue.of(run(bn=for, bc=1, vn=n, pt=before(1)))",
        ["0 1 7 7 7", "1 1 7 7 7"],
    ),
    (
        "getValue.tailOf(run(vn=\"n\", bc=1, pt=after(1)))",
        ["0 1 9", "1 1 9"],
    ),
];

/// Profiles a program with all of [`FIGURES`].
pub fn check_figures(source: &str, program: &str) {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join(source), program).unwrap();
    let model: String = FIGURES
        .iter()
        .map(|(directive, _)| format!("x = {directive}\n"))
        .collect();
    std::fs::write(here.join("a.meta"), &model).unwrap();
    let words = ["meta", "a.meta", "--profile", source, "-n", "2", "--costs"];
    let output = ["--profile-output", "a.profile"];
    let answer = mpiete(here, &[&words[..], &output].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    let text = std::fs::read_to_string(here.join("a.profile")).unwrap();
    // The profile names directives in standard form.
    let standard = done(here, &["meta", "a.meta", "--format-source"]);
    let names = standard
        .lines()
        .filter_map(|line| line.strip_prefix("x = "));
    let names: Vec<&str> = names.collect();
    assert_eq!(names.len(), FIGURES.len(), "{standard}");
    for ((directive, expected), name) in FIGURES.iter().zip(names) {
        let expected: Vec<&str> = expected
            .iter()
            .copied()
            .filter(|one| !one.is_empty())
            .collect();
        assert_eq!(values(&text, name), expected, "{directive}");
    }
}

#[test]
fn directives_of_the_figures_are_measured() {
    check_figures(
        "a.f90",
        "\
program main
  use mpi
  implicit none
  integer :: ierr, me
  double precision :: data(10)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  data = 0
  call run
  call MPI_Finalize(ierr)
contains
  subroutine run
    integer :: i, n
    n = 7
    call MPI_Bcast(data, 3, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    call MPI_Bcast(data, 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    do i = 1, 3
      call step
    end do
    call MPI_Bcast(data, 5, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    n = 9
    if (data(1) > n) print *, n
  end subroutine run
  subroutine step
    if (me == 1) then
      call MPI_Send(data, 1, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, ierr)
    end if
    if (me == 0) then
      call MPI_Send(data, 2, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierr)
    end if
    call MPI_Recv(data, 2, MPI_DOUBLE_PRECISION, 1 - me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine step
end program main
",
    );
}
