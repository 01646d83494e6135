//! Statement counters: where they stand, that they count what is executed, and that they are all that
//! is added.

use crate::compiled::{Planner, probe, run};
use crate::random_source;
use frontend::options::Options;
use frontend::source::Sources;
use instrumenter::plan::structure::Structure;
use instrumenter::plan::{self, ProbePlan, counters};

fn counted(analysis: &frontend::Analysis) -> ProbePlan {
    counters::counted(
        analysis,
        &Structure::of(analysis),
        plan::compute::observed(analysis),
    )
}

fn counted_timed(analysis: &frontend::Analysis) -> ProbePlan {
    counters::counted(
        analysis,
        &Structure::of(analysis),
        plan::compute::timed(analysis),
    )
}

/// Only the counters.
fn counters_alone(analysis: &frontend::Analysis) -> ProbePlan {
    counters::counted(analysis, &Structure::default(), ProbePlan::default())
}

/// The lines of a probe without directives, trimmed; `mpiete_` is left out.
fn lines(name: &str, source: &str, planner: Planner) -> String {
    let text = probe(name, source, planner);
    let lines = text
        .lines()
        .filter(|line| !line.starts_with("# "))
        .map(str::trim);
    lines
        .map(|line| line.replace("call mpiete_", "call ") + "\n")
        .collect()
}

#[track_caller]
fn check(name: &str, source: &str, planner: Planner, expected: &str) {
    let found = lines(name, source, planner);
    let expected: String = expected
        .lines()
        .map(|line| line.trim().to_string() + "\n")
        .collect();
    assert_eq!(found, expected, "found:\n{found}");
}

#[test]
fn a_basic_block_counts_its_statements_as_it_begins() {
    check(
        "a.f90",
        "subroutine s(n)\ninteger n\nn = 1\nn = 2\ndo i = 1, n\nn = 3\nif (n > 2) n = 4\nend do\nn = 5\nend\n",
        counters_alone,
        "subroutine s(n)
         integer n
         call count(3_4)
         n = 1
         n = 2
         do i = 1, n
         call count(3_4)
         n = 3
         if (n > 2) then
         call count(1_4)
         n = 4
         end if
         end do
         call count(1_4)
         n = 5
         end",
    );
}

#[test]
fn every_way_of_a_branch_counts_for_itself() {
    check(
        "a.f90",
        "subroutine s(n)\nif (n > 2) then\nn = 4\nelse if (n > 1) then\nelse\nn = 1\nn = 2\nend if\nselect case (n)\ncase (1)\nn = 3\ncase default\nn = 5\nend select\nend\n",
        counters_alone,
        "subroutine s(n)
         call count(1_4)
         if (n > 2) then
         call count(1_4)
         n = 4
         else if (n > 1) then
         else
         call count(2_4)
         n = 1
         n = 2
         end if
         call count(1_4)
         select case (n)
         case (1)
         call count(1_4)
         n = 3
         case default
         call count(1_4)
         n = 5
         end select
         end",
    );
}

#[test]
fn labels_that_are_jumped_to_begin_a_basic_block() {
    check(
        "a.f",
        "      SUBROUTINE S(N)\n      N = 1\n   10 N = N + 1\n   20 N = N * 2\n      IF (N .LT. 9) GOTO 10\n      DO 30 I = 1, N\n   30 N = N + I\n      END\n",
        counters_alone,
        "SUBROUTINE S(N)
         call count(1_4)
         N = 1
         10 continue
         call count(3_4)
         N = N + 1
         20 N = N * 2
         IF (N .LT. 9) then
         call count(1_4)
         GOTO 10
         end if
         call count(1_4)
         DO 30 I = 1, N
         call count(2_4)
         30 N = N + I
         END",
    );
}

#[test]
fn what_a_compute_block_executes_is_counted_within_it() {
    check(
        "a.f90",
        "program p\ninteger i, e\ncall mpi_init(e)\nx = 0\ndo i = 1, 3\nx = x + 1\ncall mpi_barrier(0, e)\nend do\nx = 2\ncall mpi_finalize(e)\nend\n",
        counted_timed,
        "program p
         integer i, e
         logical(4) mpiete_cut
         external mpiete_cut
         call begin(5_4, 0_4, (/ 0_8 /))
         call count(1_4)
         call end(5_4)
         call call(0_4, 0_4)
         call mpi_init(e)
         call begin(0_4, 0_4, (/ 0_8 /))
         call count(1_4)
         x = 0
         call end(0_4)
         call begin(6_4, 0_4, (/ 0_8 /))
         call count(1_4)
         call end(6_4)
         call loop(0_4)
         do i = 1, 3
         if (mpiete_cut(0_4)) exit
         call begin(7_4, 0_4, (/ 0_8 /))
         call count(1_4)
         call end(7_4)
         call begin(1_4, 0_4, (/ 0_8 /))
         call count(1_4)
         x = x + 1
         call end(1_4)
         call begin(8_4, 0_4, (/ 0_8 /))
         call count(1_4)
         call end(8_4)
         call call(1_4, 0_4)
         call mpi_barrier(0, e)
         end do
         call begin(4_4, 0_4, (/ 0_8 /))
         call count(1_4)
         x = 2
         call end(4_4)
         call begin(9_4, 0_4, (/ 0_8 /))
         call count(1_4)
         call end(9_4)
         call call(2_4, 0_4)
         call mpi_finalize(e)
         end",
    );
}

#[test]
fn pure_procedures_are_not_counted_and_named() {
    let source = "program p\nprint *, f(1)\ncontains\npure integer function f(n)\ninteger, intent(in) :: n\nf = n\nend\nend\n";
    let mut sources = Sources::default();
    sources.add("a.f90", source.as_bytes());
    let analysis = frontend::analyze(&mut sources, &Options::default(), &|_, _| None);
    let names: Vec<&str> = counters::uncounted(&analysis)
        .map(|id| analysis.program.procedure(id).name.as_str())
        .collect();
    assert_eq!(
        (names, counters_alone(&analysis).insertions.len()),
        (vec!["f"], 1)
    );
}

#[test]
fn a_logical_if_that_fills_its_line_goes_on_in_the_next() {
    let condition = "      IF (N .EQ. 1111 .OR. N .EQ. 2222 .OR. N .EQ. 333333 .OR. N.EQ.4)";
    assert_eq!(condition.len(), 70);
    let source = format!(
        "      SUBROUTINE S(N)\n{condition}N=\n     &3                                                                 0010\n      END\n"
    );
    let text = probe("a.f", &source, counters_alone);
    let code = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('!').next().unwrap());
    assert!(code.into_iter().all(|line| line.len() <= 72), "{text}");
    assert!(
        text.contains("\n     &then\n") && text.contains("\n      end if !"),
        "{text}"
    );
}

/// Without logical IFs and labels counters are lines of their own: what remains is the original.
#[test]
fn without_its_counts_a_probe_is_the_original() {
    for seed in 0..20 {
        let (plain, _) = random_source::program(seed, 3);
        let is_plain = |line: &&str| {
            let is_logical_if = line.starts_with("if (") && !line.ends_with(" then");
            !is_logical_if && !line.contains("goto") && !line.contains(';')
        };
        let source: Vec<String> = plain.lines().filter(is_plain).map(unlabelled).collect();
        let text = probe("a.f90", &(source.join("\n") + "\n"), counters_alone);
        let is_own = |line: &&str| !line.starts_with("# ") && !line.contains("call mpiete_count(");
        let own: Vec<&str> = text.lines().filter(is_own).collect();
        let differs = own
            .iter()
            .zip(&source)
            .position(|(own, original)| own != original);
        assert_eq!((differs, own.len()), (None, source.len()), "seed {seed}");
    }
}

fn unlabelled(line: &str) -> String {
    line.trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start()
        .to_string()
}

#[test]
fn the_counters_count_what_is_executed() {
    let planners: [Planner; 3] = [counters_alone, counted, counted_timed];
    for (seed, planner) in (0..6).zip(planners.into_iter().cycle()) {
        let (plain, by_hand) = random_source::program(seed, 12);
        let folder = tempfile::tempdir().unwrap();
        let expected = run(folder.path(), "a.f90", &by_hand);
        let text = probe("a.f90", &plain, planner);
        assert_eq!(
            run(folder.path(), "a.f90", &text),
            expected,
            "seed {seed}\n{text}"
        );
    }
}
