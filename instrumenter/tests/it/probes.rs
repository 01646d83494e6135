//! Probe programs as text, and as programs: what is inserted compiles, begins and ends in pairs,
//! and changes nothing of what the original prints.

use crate::compiled::{Planner, probe, probe_with, run};
use frontend::options::Options;
use frontend::source::Sources;
use instrumenter::plan::structure::Structure;
use instrumenter::plan::{self, counters};
use instrumenter::{ProbePlan, instrument};

/// The observed probe with statement counters.
fn counted(analysis: &frontend::Analysis) -> ProbePlan {
    counters::counted(
        analysis,
        &Structure::of(analysis),
        plan::compute::observed(analysis),
    )
}

/// The compute probe with statement counters.
fn counted_timed(analysis: &frontend::Analysis) -> ProbePlan {
    counters::counted(
        analysis,
        &Structure::of(analysis),
        plan::compute::timed(analysis),
    )
}

/// Expects the probes of `source` to print what it prints itself.
fn same_output(name: &str, source: &str) {
    let folder = tempfile::tempdir().unwrap();
    let original = run(folder.path(), name, source);
    assert!(!original.is_empty());
    let planners: [Planner; 5] = [
        plan::compute::timed,
        plan::compute::observed,
        plan::program::reference,
        counted,
        counted_timed,
    ];
    for planner in planners {
        let probe = probe(name, source, planner);
        assert_eq!(run(folder.path(), name, &probe), original, "{probe}");
    }
}

const FREE: &str = "\
program p
  integer :: i, n, e, r
  real :: a(10)
  call mpi_comm_rank(0, r, e)
  n = 5; a = 0
  do i = 1, n
    a(i) = i
    if (i == 3) call mpi_barrier(0, e)   ! with a remark
    a(i) = a(i) * 2
  end do
  if (n > 3) &
    call mpi_barrier(0, e)
  print *, sum(a)
end program p
";

/// A labelled DO whose terminal statement is a compute block: the timer must end inside the loop.
const SHARED_TERMINAL: &str = "c
      PROGRAM P
      INTEGER I, J, E
      REAL A(3,4), S
      S = 0
      DO 10 I = 1, 3
         CALL MPI_BARRIER(0, E)
         DO 10 J = 1, 4
            IF (J .EQ. 2) GOTO 10
            A(I,J) = I*J
            S = S + A(I,J)
   10 CONTINUE
      DO 20 I = 1, 3
         CALL MPI_BARRIER(0, E)
         S = S + 1
         IF (I .EQ. 2) GOTO 20
         S = S*2
   20 S = S + 0.5
      PRINT *, S
      END
";

/// An MPI call ends two loops, with jumps to it; then two at once with something between the DOs.
const SHARED_CALL: &str = "c
      PROGRAM P
      INTEGER I, J, K, L, E
      REAL A(3,4), S, X
      S = 0
      X = 1
      DO 30 I = 1, 3
      DO 30 J = 1, 4
   30 CALL MPI_BCAST(X, 1, 1, 0, 0, E)
      DO 40 I = 1, 3
         S = S + I
         DO 40 J = 1, 4
            IF (J .EQ. I) GOTO 40
            S = S*2 + J
   40 CALL MPI_BARRIER(0, E)
      PRINT *, S, X, I, J
      END
";

/// A logical IF with an MPI call, and one without, end two loops.
const SHARED_IF: &str = "c
      PROGRAM P
      INTEGER I, J, K, L, E
      REAL A(3,4), S, X
      S = 0
      X = 1
      DO 30 I = 1, 3
         S = S + 1
         DO 30 J = 1, 4
            S = S + J
            IF (S .GT. 20) GOTO 30
            S = S + 2
   30 IF (J .GT. I) CALL MPI_BARRIER(0, E)
      DO 40 I = 1, 3
      DO 40 J = 1, 4
         CALL MPI_BARRIER(0, E)
         IF (J .EQ. 3) GOTO 40
         S = S + J
   40 IF (S .GT. 30) S = S - 1
      PRINT *, S, X, I, J
      END
";

/// Three loops with one terminal statement: a call, a computation, a CONTINUE, a block as innermost loop.
const SHARED_BY_THREE: &str = "c
      PROGRAM P
      INTEGER I, J, K, L, E
      REAL A(3,4), S, X
      S = 0
      X = 1
      DO 30 I = 1, 3
      DO 30 J = 1, 2
         S = S + J
         DO 30 K = 1, 2
   30 CALL MPI_BARRIER(0, E)
      DO 40 I = 1, 3
      DO 40 J = 1, 2
         DO 40 K = 1, 2
         CALL MPI_BARRIER(0, E)
         IF (K .EQ. J) GOTO 40
         S = S*2
   40 S = S + 1
      DO 50 I = 1, 3
         S = S + 1
         DO 50 J = 1, 2
         CALL MPI_BARRIER(0, E)
         DO 50 K = 1, 2
            IF (K .EQ. J) GOTO 50
            S = S + K
   50 CONTINUE
      DO 60 I = 1, 3
         CALL MPI_BARRIER(0, E)
         DO 60 J = 1, 2
         DO 60 K = 1, 2
            IF (K .EQ. I) GOTO 60
            S = S + K
   60 S = S + J
      DO 70 I = 1, 3
      DO 70 J = 1, 2
         CALL MPI_BARRIER(0, E)
         DO 70 K = 1, 2
         DO 70 L = 1, 2
   70 S = S + K*L
      PRINT *, S, X, I, J
      END
";

/// A CONTINUE ends two loops, after a call, after a block and alone.
const SHARED_CONTINUE: &str = "c
      PROGRAM P
      INTEGER I, J, K, L, E
      REAL A(3,4), S, X
      S = 0
      X = 1
      DO 30 I = 1, 3
      DO 30 J = 1, 4
         IF (J .EQ. 2) GOTO 30
         CALL MPI_BARRIER(0, E)
   30 CONTINUE
      DO 40 I = 1, 3
      DO 40 J = 1, 4
         CALL MPI_BARRIER(0, E)
         IF (J .EQ. 2) GOTO 40
         S = S + I*J
   40 CONTINUE
      PRINT *, S, X, I, J
      END
";

/// Jumps round MPI calls, into labelled statements that begin a block, and out of loops.
const JUMPS: &str = "c
      PROGRAM P
      INTEGER I, E, K
      K = 0
  100 K = K + 1
      CALL MPI_BARRIER(0, E)
      IF (K .LT. 3) GOTO 100
      DO 30 I = 1, 10
         IF (I .EQ. 4) GOTO 200
         CALL MPI_BARRIER(0, E)
         K = K + I
   30 CONTINUE
  200 K = K*2
      IF (K .GT. 5) CALL MPI_BARRIER(0, E)
      PRINT *, K
      END
";

/// Labels on END statements, with jumps to them.
const END_LABELS: &str = "\
program p
  integer :: i, s, e
  s = 0
  do i = 1, 5
    call mpi_barrier(0, e)
    s = s + 1
    if (s == 2) goto 10
    s = s + 3
10 end do
  call mpi_barrier(0, e)
  if (s > 3) then
    if (s > 4) goto 20
    s = s + 1
20 end if
  s = s * 2
  call mpi_barrier(0, e)
  print *, s
end program p
";

/// Statements on the lines of PROGRAM, SUBROUTINE and CONTAINS, and labels within lines.
const SHARED_LINES: &str = "\
program p; implicit none; integer :: e, i; real :: s = 0; do i = 1, 3; call mpi_barrier(0, e); end do
  if (i == 2) goto 10; i = 1; 10 call mpi_barrier(0, e); i = i + 1; if (i < 4) goto 10
  do 20 i = 1, 3; s = s + i; 20 call mpi_barrier(0, e)
  call work(s); print *, s, i
contains; subroutine work(x); real, intent(inout) :: x; call mpi_bcast(x, 1, 1, 0, 0, e)
  x = x * 2; end subroutine; end program p
";

/// A procedure with two ways out and a long call in fixed form.
const PROCEDURE: &str = "c
      PROGRAM P
      REAL X
      X = 1
      CALL WORK(X, 3)
      CALL WORK(X, -1)
      PRINT *, X
      END
      SUBROUTINE WORK(X, N)
      REAL X
      INTEGER N, E, I
      IF (N .LT. 0) RETURN
      DO I = 1, N
         X = X + I
      ENDDO
      CALL MPI_BCAST(X, 1, 1, 0, 0,
     &               E)
      IF (X .GT. 100.0) THEN
         X = 0
         RETURN
      ENDIF
      X = X + 1
      END
";

/// The programs in fixed form.
const FIXED: [&str; 7] = [
    SHARED_TERMINAL,
    SHARED_CALL,
    SHARED_IF,
    SHARED_BY_THREE,
    SHARED_CONTINUE,
    JUMPS,
    PROCEDURE,
];

#[test]
fn probes_change_nothing_of_what_is_computed() {
    same_output("free.f90", FREE);
    same_output("labels.f90", END_LABELS);
    same_output("shared.f90", SHARED_LINES);
    for source in FIXED {
        same_output("fixed.f", source);
    }
}

#[test]
fn the_slice_compiles_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    run(
        folder.path(),
        "free.f90",
        &probe("free.f90", FREE, plan::program::sliced),
    );
    run(
        folder.path(),
        "labels.f90",
        &probe("labels.f90", END_LABELS, plan::program::sliced),
    );
    run(
        folder.path(),
        "shared.f90",
        &probe("shared.f90", SHARED_LINES, plan::program::sliced),
    );
    for source in FIXED {
        run(
            folder.path(),
            "fixed.f",
            &probe("fixed.f", source, plan::program::sliced),
        );
    }
}

#[test]
fn every_line_of_the_original_keeps_its_number() {
    let fixed = FIXED.map(|source| ("a.f", source));
    for (name, source) in [("a.f90", FREE)].into_iter().chain(fixed) {
        let planners: [Planner; 3] = [plan::program::sliced, plan::compute::timed, counted_timed];
        for planner in planners {
            numbers_fit(name, source, &probe(name, source, planner));
        }
    }
}

/// Counts lines as the compiler does, and expects each line that stems from the original at its number.
fn numbers_fit(name: &str, source: &str, probe: &str) {
    let original: Vec<&str> = source.lines().collect();
    let mut number = 1;
    let mut met = 0;
    for line in probe.lines() {
        if let Some(directive) = line.strip_prefix("# ") {
            let (digits, path) = directive.split_once(' ').unwrap();
            assert_eq!(path, format!("\"{name}\""));
            number = digits.parse().unwrap();
            continue;
        }
        let stem = line.trim_start_matches('!').trim();
        // A new label in a DO is the only change of a line that stays.
        let stem = stem.strip_prefix("DO 9999").map_or(stem, |rest| &rest[1..]);
        if original
            .get(number - 1)
            .is_some_and(|own| !stem.is_empty() && own.contains(stem))
        {
            met += 1;
        }
        number += 1;
    }
    assert!(
        met * 10 >= original.len() * 8,
        "{met} of {} lines at their numbers in\n{probe}",
        original.len()
    );
}

/// Statements that INCLUDE lines and a preprocessor bring are probed and sliced where they stand, and
/// messages name the user's own lines.
#[test]
fn statements_of_included_files_carry_probes() {
    const MAIN: &str = "program a\ninteger e, i\ndo i = 1, 2\ninclude 'body.inc'\nend do\nend\n";
    let load = |name: &str, _: &str| {
        let text: &[u8] = match name {
            "body.inc" => b"e = 1\ninclude '../more.inc'\ncall mpi_barrier(0, e)",
            _ => b"print *, e, i\n",
        };
        Some((name.to_string(), text.to_vec()))
    };
    let mut sources = Sources::default();
    sources.add("a.f90", MAIN.as_bytes());
    let analysis = frontend::analyze(&mut sources, &Options::default(), &load);
    let place = |span| analysis.table.place(span);
    let blocks: Vec<String> = analysis
        .table
        .blocks
        .iter()
        .map(|block| place(&block.span))
        .collect();
    assert_eq!(blocks, ["body.inc:1-2", "body.inc:3", "body.inc:3"]);
    let text = |plan: ProbePlan| {
        let files = instrument(&sources, &analysis, &plan).unwrap();
        String::from_utf8(files[0].text.clone()).unwrap()
    };
    let whole = "program a\ninteger e, i\ndo i = 1, 2\ne = 1\nprint *, e, i\ncall mpi_barrier(0, e)\nend do\nend\n";
    let folder = tempfile::tempdir().unwrap();
    let original = run(folder.path(), "a.f90", whole);
    let counted = counted(&analysis);
    for plan in [
        plan::compute::timed(&analysis),
        plan::program::reference(&analysis),
        counted,
    ] {
        let probe = text(plan);
        assert_eq!(run(folder.path(), "a.f90", &probe), original, "{probe}");
    }
    let sliced = text(plan::program::sliced(&analysis));
    assert!(
        sliced.contains("!print *, e, i\n")
            && sliced.contains("# 3 \"body.inc\"\ncall mpi_barrier"),
        "{sliced}"
    );
}

/// GNU Fortran 12 takes `q` for the procedure where nothing but an argument is left of it.
#[test]
fn variables_of_a_block_that_hide_procedures_stay_variables() {
    const SOURCE: &str = "\
module m
contains
  subroutine o(a)
    integer :: a
    print *, a
  end subroutine
end module
module w
  use m, q => o
contains
  subroutine h(f)
    integer :: f, e
    named: block
      integer :: q
      if (modulo(f, 2) == 0) then
        call mpi_barrier(modulo(q, 2), e)
      end if
      q = 4
      print *, q
    end block named
  end subroutine
end module
program a
  use w
  call h(2)
  call q(3)
end program
";
    let folder = tempfile::tempdir().unwrap();
    let probe = probe_with("a.f90", SOURCE, &Options::default(), plan::program::sliced);
    assert!(
        probe.contains("!      q = 4\n") && probe.contains("associate (mpiete_named => q)\n"),
        "{probe}"
    );
    run(folder.path(), "a.f90", &probe);
}
