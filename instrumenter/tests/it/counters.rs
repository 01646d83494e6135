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

pub fn counted_timed(analysis: &frontend::Analysis) -> ProbePlan {
    counters::counted(
        analysis,
        &Structure::of(analysis),
        plan::compute::timed(analysis),
    )
}

/// Only the counters.
pub fn counters_alone(analysis: &frontend::Analysis) -> ProbePlan {
    counters::counted(analysis, &Structure::default(), ProbePlan::default())
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
fn concurrent_loops_are_named() {
    let source = "program p\ninteger i, a(4)\ndo concurrent (i = 1:4)\na(i) = i\nend do\ndo i = 1, 4\na(i) = i\nend do\nend\n";
    let mut sources = Sources::default();
    sources.add("a.f90", source.as_bytes());
    let analysis = frontend::analyze(&mut sources, &Options::default(), &|_, _| None);
    assert_eq!(counters::uncounted_loops(&analysis).count(), 1);
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
