//! What is refused, with the sentence that says so.

use super::*;

fn sentence(a: Content<'_>, b: Content<'_>) -> String {
    compared(a, b).unwrap_err().to_string()
}

#[test]
fn an_incomplete_run() {
    let (estimate, mut run) = (estimate(), slower_run());
    run.ranks[1] = ObservedRank::default();
    let refused = sentence(Content::Estimate(&estimate), Content::Observation(&run));
    assert!(
        refused.starts_with("b is incomplete and cannot be compared: rank 1 has no times"),
        "{refused}"
    );
    run.missing = vec!["rank 1 was killed after 12 entries".into()];
    let refused = sentence(
        Content::Observation(&run),
        Content::Program(&estimate.program),
    );
    assert!(
        refused.contains("rank 1 was killed after 12 entries"),
        "{refused}"
    );
}

#[test]
fn other_numbers_of_ranks() {
    let (estimate, mut run) = (estimate(), slower_run());
    run.program.ranks = 4;
    run.ranks.extend(run.ranks.clone());
    let refused = sentence(Content::Estimate(&estimate), Content::Observation(&run));
    assert!(
        refused.starts_with("a is of 2 ranks, b of 4 ranks"),
        "{refused}"
    );
}

#[test]
fn other_units() {
    let (mut estimate, run) = (estimate(), slower_run());
    estimate.unit = Unit::Statements;
    let refused = sentence(Content::Estimate(&estimate), Content::Observation(&run));
    assert!(
        refused.starts_with("a counts statements, b counts time"),
        "{refused}"
    );
}

#[test]
fn other_programs() {
    let (estimate, mut run) = (estimate(), slower_run());
    run.program = program("init site=0\nfinalize site=3\n");
    run.program.provenance.program = "ep".into();
    for rank in &mut run.ranks {
        (rank.gaps, rank.durations) = (times(&[0, 9]), times(&[5, 5]));
    }
    // The same file name: the streams differ, that is all.
    assert!(compared(Content::Estimate(&estimate), Content::Observation(&run)).is_ok());
    run.program.table.files[0].path = "ep.f".into();
    let refused = sentence(Content::Estimate(&estimate), Content::Observation(&run));
    assert!(
        refused.contains("a is of program 'cg' and b of program 'ep'"),
        "{refused}"
    );
}
