//! Assumptions of the slice as a section: shown above everything that hangs on them.

use super::document::{Part, Section};
use super::numbers;
use base_data::block_table::BlockTable;
use base_data::estimate_file::Estimate;
use base_data::program_data::{AssumedOutcome, Assumption, AssumptionOrigin};

/// The assumptions, one sentence each.
pub fn section(table: &BlockTable, assumptions: &[Assumption]) -> Section {
    let sentences = assumptions.iter().map(|assumption| sentence(table, assumption)).collect();
    Section::new("assumptions", [Part::List(sentences)])
}

/// The assumptions of an estimate, and how much of the program they leave in the slice; nothing where there
/// are none.
pub fn above_time(estimate: &Estimate) -> Section {
    let mut sentences: Vec<String> =
        estimate.assumptions.iter().map(|assumption| sentence(&estimate.program.table, assumption)).collect();
    if let (false, Some((kept, all))) = (sentences.is_empty(), estimate.program.slice_share) {
        let share = numbers::percent(kept as f64 / all.max(1) as f64);
        sentences.push(format!(
            "with them, {kept} of {all} executable statements ({share}) were run to record the calls"
        ));
    }
    Section::new("assumptions", [Part::List(sentences)])
}

/// Words before the time: it is a lower bound where loops may run more often than is assumed, and not even
/// that where it was guessed how often they run.
pub fn at_least(estimate: &Estimate) -> &'static str {
    let has = |origin| estimate.assumptions.iter().any(|one| counts(one) && one.origin == origin);
    match (has(AssumptionOrigin::Proposed), has(AssumptionOrigin::BoundedRun)) {
        (true, _) => "with guessed iterations ",
        (false, true) => "at least ",
        (false, false) => "",
    }
}

/// Whether it is assumed how often a loop runs.
fn counts(assumption: &Assumption) -> bool {
    matches!(assumption.outcome, AssumedOutcome::Trips(_))
}

/// What to say of loops of which nobody knows how often they run, one sentence each.
pub fn lower_bounds(table: &BlockTable, assumptions: &[Assumption]) -> Vec<String> {
    let sentence = |assumption: &Assumption| {
        let place = table.place(&assumption.span);
        let outcome = outcome(assumption.outcome);
        let why = match assumption.origin {
            AssumptionOrigin::Proposed => format!(
                "how often a loop runs is a guess: {place}: {outcome} in this estimate, and the time is more where it is \
                 more, and less where it is less"
            ),
            AssumptionOrigin::BoundedRun => format!(
                "the time is a lower bound: {place}: {outcome} in this estimate, {}, and the time is more where it is more",
                assumption.reason
            ),
            AssumptionOrigin::User | AssumptionOrigin::Recording => return None,
        };
        Some(format!("{why}; give it with --assume {place}=trips=N, or --trips-from a recording"))
    };
    assumptions.iter().filter(|one| counts(one)).filter_map(sentence).collect()
}

fn sentence(table: &BlockTable, assumption: &Assumption) -> String {
    let place = table.place(&assumption.span);
    let outcome = outcome(assumption.outcome);
    let origin = origin(assumption.origin);
    match assumption.reason.as_str() {
        "" => format!("{place}: {outcome} ({origin})"),
        reason => format!("{place}: {outcome} ({origin}): {reason}"),
    }
}

/// What is assumed, as a clause.
pub fn outcome(outcome: AssumedOutcome) -> String {
    match outcome {
        AssumedOutcome::Taken => "the branch is taken".into(),
        AssumedOutcome::NotTaken => "the branch is not taken".into(),
        AssumedOutcome::Label(label) => format!("control goes on at label {label}"),
        AssumedOutcome::Trips(1) => "the loop runs once".into(),
        AssumedOutcome::Trips(trips) => format!("the loop runs {} times", super::numbers::count(trips)),
    }
}

fn origin(origin: AssumptionOrigin) -> &'static str {
    match origin {
        AssumptionOrigin::Proposed => "proposed by mpiete, not confirmed",
        AssumptionOrigin::User => "given by the user",
        AssumptionOrigin::Recording => "taken from a recording",
        AssumptionOrigin::BoundedRun => "seen in a run that was cut off",
    }
}
