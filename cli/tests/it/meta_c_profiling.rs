//! Values of profiling directives in C programs.

use crate::command::{CommandOutput, done, mpiete, root};
use crate::meta_profiling::{
    CASES, check_figures, check_long_buffers, check_refusals, mandelbrot_iterations, values,
};
use crate::real_mpi::{Mpi, processors};
use npb_fixtures::skipped::skip;
use std::path::Path;

/// Loops that end in every way, a call path, and messages: all values are known.
const PROGRAM: &str = r#"#include <mpi.h>
#include <stdio.h>
#define EACH(i, first, last) for (i = first; i <= last; i++)
static double data[100];
static int calls;

static int odd(int n)
{
  calls++;
  return n % 2;
}

static void work(int n, int *total)
{
  int j, k;
#pragma GCC ivdep
  for (j = 1; j <= 2 * n; j += 2) {
    *total += j;
    if (*total < 0) return;
  }
  for (j = 10; j >= 1; j -= 3)
    if (j < n) break;
  k = 0;
  while (k < n) {
    k = k + 1;
    if (k == 3) goto out;
  }
out:
  k = 0;
  do {
    k += 2;
    if (k >= n) return;
  } while (1);
}

static void finish(void) { MPI_Finalize(); }

int main(int argc, char **argv)
{
  int me, ranks, i, total = 0;
  unsigned char small = 250;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#ifdef NEVER
  for (;;) ;
#endif
  EACH(i, 1, 4) work(i, &total);
  work(50, &total);
  if (me == 0)
    for (i = 1; i < ranks; i++)
      MPI_Recv(data, 10 * i, MPI_DOUBLE, i, 0, MPI_COMM_WORLD, &status);
  else
    MPI_Send(data, 10 * me, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  MPI_Gather(me ? data : MPI_IN_PLACE, 5, MPI_INT, data, 5, MPI_INT, 0, MPI_COMM_WORLD);
  for (int step = 7; step < 10; ++step) {
    double half = step / 2.0;
    if (odd(step) && odd(step + 1)) small--;
    printf("%d %g\n", small++, half);
  }
  do {
    total = 5;
    finish();
  } while (0);
  return 0;
}
"#;

fn folder(model: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.c"), PROGRAM).unwrap();
    std::fs::write(folder.path().join("a.meta"), model).unwrap();
    folder
}

fn profile(here: &Path, arguments: &[&str]) -> CommandOutput {
    let mut words = vec!["meta", "a.meta", "--profile", "a.c", "--costs"];
    words.extend(arguments);
    mpiete(here, &words)
}

/// Directives of what Fortran does not have, beside those of [`CASES`].
const OWN_CASES: [(&str, [&str; 2]); 9] = [
    // A variable of the function, where it returns.
    (
        "getValueOfVariable.tailOf(work(variableName=k))",
        ["0 5 50", "1 5 50"],
    ),
    // A declaration, ++ before and -- behind a variable.
    (
        "getValueOfVariable.averageOf(main(position=1, variableName=half))",
        ["0 3 4", "1 3 4"],
    ),
    (
        "getValueOfVariable.of(main(position=1, variableName=step))",
        ["0 1 7 7 7", "1 1 7 7 7"],
    ),
    (
        "getValueOfVariable.averageOf(main(position=2, variableName=step))",
        ["0 3 9", "1 3 9"],
    ),
    (
        "getValueOfVariable.maxOf(main(position=3, variableName=small))",
        ["0 3 253", "1 3 253"],
    ),
    // A call in a condition is marked alone: that of odd(8) and of odd(10) alone.
    (
        "getValueOfVariable.averageOf(odd(variableName=n) <- main(position=2))",
        ["0 2 9", "1 2 9"],
    ),
    // A variable of the file.
    (
        "getValueOfVariable.maxOf(odd(variableName=calls))",
        ["0 5 5", "1 5 5"],
    ),
    // Open when another function ends MPI.
    (
        "getValueOfVariable.of(main(variableName=total))",
        ["0 1 5 5 5", "1 1 5 5 5"],
    ),
    (
        "getValueOfVariable.of(main(blockName=do, blockCount=1))",
        ["0 1 1 1 1", "1 1 1 1 1"],
    ),
];

#[test]
fn directives_have_the_values_of_the_run() {
    let mut model = String::new();
    for (directive, _) in CASES.iter().chain(&OWN_CASES) {
        model += &format!("x = {directive}\n");
    }
    model += "y = getAmountOfMessage.of(main(position=1))\nz = getAmountOfMessage.of(main)\n\
              w = getAmountOfMessage.of(main(position=3))\n";
    let folder = folder(&model);
    let here = folder.path();
    let answer = profile(here, &["-n", "2", "--profile-output", "a.profile"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let text = std::fs::read_to_string(here.join("a.profile")).unwrap();
    assert!(
        text.contains("\nprogram a\nranks 2\nclock processor\n"),
        "{text}"
    );
    for (directive, expected) in CASES.iter().chain(&OWN_CASES) {
        let found = values(&text, directive);
        assert_eq!(found, expected, "{directive}");
    }
    // Rank 0 receives 80 bytes from rank 1, which does not execute this call.
    let found = values(&text, "getAmountOfMessage.of(main(position=1))");
    assert_eq!(found, ["0 1 80 80 80"]);
    let found = values(&text, "getAmountOfMessage.of(main(position=3))");
    assert_eq!(found, ["0 1 20 20 20", "1 1 20 20 20"]);
    let found = values(&text, "getAmountOfMessage.of(main)");
    assert_eq!(found, ["0 1 100 100 100", "1 1 100 100 100"]);
}

#[test]
fn places_that_do_not_exist_are_bad_input() {
    let cases = [
        (
            "getTime.of(other)",
            "a.meta:1:16: the program has no function other; write the name of one that it has: odd, work, finish, main",
        ),
        (
            "getTime.of(work(blockCount=7))",
            "a.meta:1:16: work has no block 7; blocks are its loops, counted from 1: a.c:17, a.c:21, a.c:24, a.c:30",
        ),
        (
            "getTime.of(work(bn=while, bc=2))",
            "work has no block 2 of the kind while",
        ),
        ("getTime.of(work(position=1))", "leave out position"),
        (
            "getValueOfVariable.of(work(variableName=q))",
            "work has no variable q; correct variableName",
        ),
        (
            "getValueOfVariable.of(main(variableName=data))",
            "data is an array",
        ),
        (
            "getValueOfVariable.of(main(variableName=status))",
            "status is a structure",
        ),
        (
            "getValueOfVariable.of(work(variableName=total))",
            "total is a pointer",
        ),
        (
            "getValueOfVariable.of(main(variableName=half))",
            "half (a.c:58) is not known where the block or function ends",
        ),
        (
            "getValueOfVariable.of(work)",
            "add blockCount or variableName",
        ),
        (
            "getValueOfVariable.of(work(variableName=k, position=9))",
            "there is no position 9 among the assignments to k in work, counted from 1: a.c:23",
        ),
        (
            "getAmountOfMessage.of(main(position=4))",
            "there is no position 4 among the calls that transfer messages in main, counted from 1: a.c:53, a.c:55, a.c:56",
        ),
        (
            "getTime.of(work <- main(blockCount=2))",
            "a.meta:1:24: there are no calls of work in the block of main at a.c:52",
        ),
    ];
    check_refusals(&cases, "a.c", |_| PROGRAM.into());
}

/// Programs in which something cannot be measured, with the directive and the message.
#[test]
fn what_cannot_be_measured_is_refused() {
    let cases = [
        (
            "int f(int n) { return n ? f(n - 1) : 0; }",
            "f(1)",
            "getTime.of(f)",
            "f may call itself",
        ),
        (
            "int f(int n) { if (n) goto in; while (n < 9) { n++; in: n++; } return n; }",
            "f(1)",
            "getTime.of(f(bc=1))",
            "the label at a.c:2 is jumped to from outside",
        ),
        (
            "int f(int n) { return n; }",
            "f(f(1))",
            "getTime.of(f <- main(pt=1))",
            "an argument of the call of f at a.c:5 executes this function, too",
        ),
        (
            "int f(int n) { return n; }",
            "MPI_Bcast(argv, f(0), MPI_INT, 0, MPI_COMM_WORLD)",
            "getAmountOfMessage.of(main)",
            "count or datatype of MPI_Bcast at a.c:5 cannot be evaluated once more",
        ),
        (
            "int f(register int n) { return n; }",
            "f(1)",
            "getValueOfVariable.of(f(vn=n))",
            "n is declared register",
        ),
    ];
    let refusals: Vec<(&str, &str)> = cases.iter().map(|case| (case.2, case.3)).collect();
    check_refusals(&refusals, "a.c", |number| {
        let (function, statement, ..) = cases[number];
        format!(
            "#include <mpi.h>\n{function}\nint main(int argc, char **argv) {{\n  MPI_Init(&argc, &argv);\n  {statement};\n  \
             MPI_Finalize();\n  return 0;\n}}\n"
        )
    });
}

/// The three programs of the paper, in both languages: with measured values, meta-programs cost what those with constants do.
#[test]
fn profiled_meta_programs_cost_the_same_in_both_languages() {
    let programs = root().join("meta/tests/programs");
    let path = |name: &str| programs.join(name).display().to_string();
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let costs = |words: &[&str]| done(here, &[words, &["--costs", "--format", "csv"]].concat());
    let wave_fortran = path("wave.f90");
    for source in [&path("wave.c"), &wave_fortran] {
        let described = costs(&["meta", &path("wave.meta"), "-n", "4"]);
        let profiled = costs(&[
            "meta",
            &path("wave-profiled.meta"),
            "--profile",
            source,
            "-n",
            "4",
        ]);
        assert_eq!(profiled, described, "{source}");
    }
    let described = costs(&[
        "meta",
        &path("ep.meta"),
        "-n",
        "3",
        "--arg",
        "log2_pairs=18",
    ]);
    let mut words = vec![
        "meta".to_string(),
        path("ep-profiled.meta"),
        "--profile".into(),
    ];
    words.extend([path("ep.c"), "-n".into(), "3".into(), "--costs".into()]);
    words.extend(["--format", "csv", "--", "18"].map(String::from));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert_eq!(done(here, &words), described);
    let model = path("mandelbrot-profiled.meta");
    let text = costs(&[
        "meta",
        &model,
        "--profile",
        &path("mandelbrot.c"),
        "-n",
        "4",
    ]);
    let total: f64 = text
        .lines()
        .skip(1)
        .map(|row| row.split(',').nth(1).unwrap().parse::<f64>().unwrap())
        .sum();
    assert_eq!(total.round(), f64::from(mandelbrot_iterations()), "{text}");
}

#[test]
fn builds_of_c_programs_are_profiled() {
    let folder = folder("x = getValueOfVariable.maxOf(work(blockCount=1))\ncompute(x)\n");
    let here = folder.path();
    // A macro of the command line, and a file of its own.
    let text = PROGRAM.replace("work(50, &total)", "work(MOST, &total)");
    std::fs::write(here.join("a.c"), text).unwrap();
    let mut words = vec![
        "meta",
        "a.meta",
        "--from-build",
        "$CC -DMOST=60 -c a.c && $CC a.o -o a",
    ];
    words.extend(["-n", "2", "--costs", "--format", "csv"]);
    let answer = mpiete(here, &words);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("0,60,"), "{}", answer.out);
}

#[test]
fn real_mpi_runs_profiled_programs() {
    if Mpi::mpich().is_none() {
        skip("no MPICH");
        return;
    }
    let _alone = processors();
    let model = "x = getValueOfVariable.maxOf(work(blockCount=1))\ny = getTime.averageOf(work)\ncompute(x + y)\n";
    let folder = folder(model);
    let here = folder.path();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mpiete"));
    command
        .args(["meta", "a.meta", "--profile", "a.c", "--costs"])
        .args([
            "--launch",
            "mpirun.mpich -n 2",
            "--profile-output",
            "a.profile",
        ])
        .env("MPICC", "mpicc.mpich")
        .current_dir(here);
    let answer = crate::command::answer(&mut command);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let text = std::fs::read_to_string(here.join("a.profile")).unwrap();
    assert!(text.contains("\nranks 2\nclock elapsed\n"), "{text}");
    let found = values(&text, "getValueOfVariable.maxOf(work(blockCount=1))");
    assert_eq!(found, ["0 5 50", "1 5 50"]);
}

/// Macros of system headers, calls without arguments, a function of a header in two files, and a call whose counts are not measured.
#[test]
fn further_places_of_c_programs_are_measured() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).unwrap();
    write(
        "w.h",
        "static inline int w(int n) { int k = n + 1; return k; }\n",
    );
    write("b.c", "#include \"w.h\"\nvoid b(void) { w(10); }\n");
    write(
        "a.c",
        r#"#include <mpi.h>
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include "w.h"
void b(void);
static int last(int n, ...)
{
  va_list list;
  int k;
  va_start(list, n);
  k = va_arg(list, int);
  va_end(list);
  assert(n > 0);
  if (list == NULL || errno < 0) fprintf(stderr, "none");
  k = k + 1;
  return k;
}
static void count(void) { static int number; number++; }
static void never(void)
{
  int counts[1] = {1}, starts[1] = {0}, x = 1, y;
  MPI_Gatherv(&x, 1, MPI_INT, &y, counts, starts, MPI_INT, 0, MPI_COMM_WORLD);
}
static void shift(int n)
{
  int data[20] = {0};
  MPI_Sendrecv_replace(data, n, MPI_INT, 0, 0, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  last(1, 4);
  count();
  count();
  w(1);
  b();
  shift(5);
  shift(15);
  if (argc > 10) never();
  MPI_Finalize();
  return 0;
}
"#,
    );
    let mut model = String::new();
    let cases = [
        ("getValueOfVariable.of(last(vn=k, pt=2))", 5.0),
        ("getValueOfVariable.of(count(vn=number) <- main(pt=2))", 2.0),
        ("getValueOfVariable.of(w(vn=k, pt=1) <- b)", 11.0),
        ("getValueOfVariable.averageOf(w(vn=k, pt=1))", 6.5),
        ("getAmountOfMessage.averageOf(shift)", 80.0),
        ("getAmountOfMessage.of(shift(pt=1))", 20.0),
    ];
    for (directive, _) in cases {
        model += &format!("output({directive})\n");
    }
    write("a.meta", &model);
    let sum: f64 = cases.iter().map(|(_, value)| value).sum();
    let words = ["meta", "a.meta", "--profile", "a.c", "b.c", "-n", "1"];
    let text = done(here, &[&words[..], &["--costs"]].concat());
    let row = text.lines().find(|line| line.contains("strmout_cost"));
    let total = row.and_then(|row| row.split_whitespace().nth(1));
    assert_eq!(total, Some(format!("{sum:.3}").as_str()), "{text}");
    // What is executed must be measured.
    write("c.meta", "output(getAmountOfMessage.of(main))\n");
    let refused = mpiete(
        here,
        &["meta", "c.meta", "--profile", "a.c", "b.c", "-n", "1"],
    );
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(
        refused.err.contains("a count for each rank"),
        "{}",
        refused.err
    );
}

#[test]
fn receives_have_the_bytes_of_their_messages() {
    let program = r#"#include <mpi.h>
int main(int argc, char **argv)
{
  int data[400] = {0}, me;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (me == 0) MPI_Send(data, 5, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (me == 0) MPI_Send(data, 6, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (me == 1 && MPI_Recv(data, 400, MPI_INT, 0, 0, MPI_COMM_WORLD, &status) != MPI_SUCCESS) return 1;
  if (me == 1) MPI_Recv(data, 400, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(data, 1, MPI_INT, me, 0, data + 10, 40, MPI_INT, me, 0, MPI_COMM_WORLD, &status);
  MPI_Finalize();
  return 0;
}
"#;
    check_long_buffers("a.c", program);
}

#[test]
fn sources_of_both_languages_are_refused() {
    let folder = folder("x = getTime.of(main)\n");
    let here = folder.path();
    std::fs::write(here.join("b.f90"), "end\n").unwrap();
    let answer = mpiete(
        here,
        &[
            "meta",
            "a.meta",
            "--profile",
            "a.c",
            "b.f90",
            "-n",
            "1",
            "--costs",
        ],
    );
    assert_eq!(answer.code, 2, "{}", answer.err);
    assert!(
        answer.err.contains("programs of one language"),
        "{}",
        answer.err
    );
}

#[test]
fn directives_of_the_figures_are_measured() {
    check_figures(
        "a.c",
        r#"#include <mpi.h>
#include <stdio.h>
static double data[10];
static int me;

static void step(void)
{
  if (me == 1)
    MPI_Send(data, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  if (me == 0)
    MPI_Send(data, 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  MPI_Recv(data, 2, MPI_DOUBLE, 1 - me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void run(void)
{
  int i, n;
  n = 7;
  MPI_Bcast(data, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Bcast(data, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (i = 0; i < 3; i++)
    step();
  MPI_Bcast(data, 5, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  n = 9;
  if (data[0] > n) printf("%d\n", n);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  run();
  MPI_Finalize();
  return 0;
}
"#,
    );
}
