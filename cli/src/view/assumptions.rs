//! Assumptions of the slice as a section: shown above everything that depends on them.

use super::document::{Section, SectionElement};
use super::numbers;
use base_data::block_table::BlockTable;
use base_data::estimate_file::Estimate;
use base_data::program_data::{AssumedOutcome, Assumption, AssumptionOrigin};
use frontend::analysis::{
    ENDS_NO_LOOP, GUESSED_BRANCH, OTHER_BOUND, REST_OF_CONDITION, UPPER_BOUND,
};

/// The assumptions, one sentence each.
pub fn section(table: &BlockTable, assumptions: &[Assumption]) -> Section {
    let sentences = assumptions
        .iter()
        .map(|assumption| sentence(table, assumption))
        .collect();
    Section::new("assumptions", [SectionElement::List(sentences)])
}

/// The share of the program that the slice keeps with the assumptions of an estimate; empty without assumptions.
pub fn slice_share(estimate: &Estimate) -> String {
    match estimate.program.slice_share {
        Some((kept, all)) if !estimate.assumptions.is_empty() => {
            let share = numbers::percent(kept as f64 / all.max(1) as f64);
            format!("{kept} of {all} executable statements ({share})")
        }
        Some(_) | None => String::new(),
    }
}

/// Words before the time: it is a lower bound if loops may run more often than assumed, an upper bound if they may end before
/// their other bound does, and no bound if trip counts or branches are guessed or both cases occur.
pub fn bounds(estimate: &Estimate) -> &'static str {
    let has = |origin| {
        estimate
            .assumptions
            .iter()
            .any(|one| is_trip_count(one) && one.origin == origin)
    };
    let is_guessed = has(AssumptionOrigin::Proposed);
    if !is_guessed && estimate.assumptions.iter().any(is_guessed_branch) {
        return "with guessed branches ";
    }
    match (
        has(AssumptionOrigin::BoundedRun),
        estimate.assumptions.iter().any(is_upper_bound),
    ) {
        (false, false) if !is_guessed => "",
        (true, false) if !is_guessed => "at least ",
        (false, true) if !is_guessed => "at most ",
        (_, _) => "with guessed trip counts ",
    }
}

/// Whether a loop is assumed to run to its other bound since its trip count is unknown.
pub fn is_upper_bound(assumption: &Assumption) -> bool {
    assumption.origin == AssumptionOrigin::Proposed && assumption.reason.ends_with(UPPER_BOUND)
}

/// Whether the assumption is about a branch in a loop that ends no loop.
pub fn is_branch(assumption: &Assumption) -> bool {
    assumption.reason.contains(ENDS_NO_LOOP)
}

/// Whether nothing shows that the outcome of such a branch is right.
pub fn is_guessed_branch(assumption: &Assumption) -> bool {
    assumption.origin == AssumptionOrigin::Proposed && assumption.reason.ends_with(GUESSED_BRANCH)
}

/// Whether the assumption is a trip count.
fn is_trip_count(assumption: &Assumption) -> bool {
    matches!(assumption.outcome, AssumedOutcome::Trips(_)) && !is_branch(assumption)
}

/// One sentence for each loop with an unknown trip count.
pub fn unknown_counts(table: &BlockTable, assumptions: &[Assumption]) -> Vec<String> {
    let sentence = |assumption: &Assumption| {
        let place = table.place(&assumption.span);
        let why = match assumption.origin {
            // Before the kinds of trip counts: such a test has an origin like them, but no count of
            // its own.
            _ if is_upper_bound(assumption) => {
                format!(
                    "the time is an upper bound: {place}: this test may end its loop earlier than \
                    the other bound{}",
                    iterations(assumption)
                )
            }
            _ if is_guessed_branch(assumption) => {
                return Some(format!(
                    "the outcome of a branch is a guess: {place}: {} in this estimate; give it with --assume {place}=taken, \
                    not-taken or trips=N, or --trips-from a recording",
                    of(assumption)
                ));
            }
            _ if !is_trip_count(assumption) => return None,
            AssumptionOrigin::Proposed => format!(
                "a loop's trip count is a guess: {place}: {} in this estimate; the time grows and \
                shrinks with it",
                outcome(assumption.outcome)
            ),
            AssumptionOrigin::BoundedRun => format!(
                "the time is a lower bound: {place}: {} in this estimate, {}; the time grows with \
                it",
                outcome(assumption.outcome),
                assumption.reason
            ),
            AssumptionOrigin::User | AssumptionOrigin::Recording => return None,
        };
        Some(format!(
            "{why}; the interval is valid only for the assumed trip counts; give the count with \
            --assume {place}=trips=N, or --trips-from a recording"
        ))
    };
    assumptions.iter().filter_map(sentence).collect()
}

/// The counted iterations of a loop up to its other bound, if there are any.
fn iterations(assumption: &Assumption) -> String {
    let counted = assumption
        .reason
        .strip_suffix(UPPER_BOUND)
        .and_then(|reason| reason.strip_suffix(" iterations)"));
    let count = counted
        .and_then(|reason| reason.rsplit_once('('))
        .map(|(_, count)| count);
    count.map_or(String::new(), |count| {
        format!(", {count} iterations in this estimate")
    })
}

fn sentence(table: &BlockTable, assumption: &Assumption) -> String {
    let place = table.place(&assumption.span);
    let outcome = of(assumption);
    let origin = origin(assumption.origin);
    match assumption.reason.as_str() {
        "" => format!("{place}: {outcome} ({origin})"),
        reason => format!("{place}: {outcome} ({origin}): {reason}"),
    }
}

/// The assumption as a clause.
pub fn of(assumption: &Assumption) -> String {
    if is_test_of_loop(assumption) {
        // "The branch is not taken" would not say that a loop continues.
        return "the test does not end the loop".into();
    }
    match assumption.outcome {
        AssumedOutcome::Trips(evaluations) if is_branch(assumption) => format!(
            "the branch is taken every {} evaluations in an execution of its loop",
            numbers::count(evaluations)
        ),
        other => outcome(other),
    }
}

/// Whether a test is assumed not to end its loop.
pub fn is_test_of_loop(assumption: &Assumption) -> bool {
    let has_bound = [OTHER_BOUND, REST_OF_CONDITION]
        .iter()
        .any(|bound| assumption.reason.contains(bound));
    has_bound && assumption.outcome == AssumedOutcome::NotTaken
}

/// The assumed outcome as a clause.
pub fn outcome(outcome: AssumedOutcome) -> String {
    match outcome {
        AssumedOutcome::Taken => "the branch is taken".into(),
        AssumedOutcome::NotTaken => "the branch is not taken".into(),
        AssumedOutcome::Label(label) => format!("control continues at label {label}"),
        AssumedOutcome::Trips(1) => "the loop runs once".into(),
        AssumedOutcome::Trips(trips) => {
            format!("the loop runs {} times", super::numbers::count(trips))
        }
    }
}

/// The origin of an assumption, as a clause.
pub fn origin(origin: AssumptionOrigin) -> &'static str {
    match origin {
        AssumptionOrigin::Proposed => "proposed by mpiete, not confirmed",
        AssumptionOrigin::User => "given by the user",
        AssumptionOrigin::Recording => "taken from a recording",
        AssumptionOrigin::BoundedRun => "observed in a run that was stopped",
    }
}
