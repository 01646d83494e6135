//! Compares assumptions with a run of the unsliced program: an assumption that does not hold is an error with both sides. The
//! message of a run that fails under assumptions names them. Event streams are compared elsewhere.

use crate::failure::{Differs, ProgramFailed};
use crate::study::Study;
use crate::trip_counts::ConditionTotals;
use crate::{trip_counts, view};
use anyhow::Result;
use base_data::block_table::SourceSpan;
use base_data::program_data::{AssumedOutcome, Assumption, AssumptionOrigin};
use base_data::rank_recording::ConditionCount;
use frontend::analysis::{Slice, Substitution};

/// Fails if a condition turned out otherwise than assumed on some rank.
pub fn check(study: &Study, slice: &Slice, ranks: &[Vec<ConditionCount>]) -> Result<()> {
    let mut contradictions = Vec::new();
    let assumptions = study.assumptions.iter().zip(&slice.substitutions);
    for (number, (assumption, substitution)) in assumptions.enumerate() {
        let mut counts = Vec::new();
        let mut first_difference = None;
        for (rank, conditions) in ranks.iter().enumerate() {
            let own = conditions
                .iter()
                .filter(|count| count.assumption as usize == number);
            for (index, count) in own.enumerate() {
                counts.push(count);
                if index == 0 && first_difference.is_none() {
                    let outcome = ended_early(assumption, count)
                        .or_else(|| observed_outcome(assumption.outcome, count));
                    first_difference = outcome.map(|outcome| (rank, outcome));
                }
            }
        }
        if let Some((rank, outcome)) = first_difference {
            let suggestion = Suggestion::of(assumption, substitution, &counts);
            contradictions.push(contradiction(
                study,
                assumption,
                rank,
                &outcome,
                &suggestion,
            ));
        }
    }
    if contradictions.is_empty() {
        return Ok(());
    }
    Err(Differs(contradictions.join("\n")).into())
}

/// A failure of the program, with the proposed assumptions that may have caused it: the program's own error exits do not show
/// that a loop ran longer in the slice than in the original.
pub fn with_suspects(error: anyhow::Error, study: &Study) -> anyhow::Error {
    let Some(failed) = error.downcast_ref::<ProgramFailed>() else {
        return error;
    };
    let mut message = format!(
        "{failed}\nthe program may reject its input or number of ranks: run it with `mpiete run` and read its \
        output; or an unconfirmed assumption is wrong:"
    );
    let mut has_suspects = false;
    for assumption in &study.assumptions {
        if assumption.origin == AssumptionOrigin::Proposed {
            has_suspects = true;
            message.push('\n');
            message += &suspect(study, assumption);
        }
    }
    if has_suspects {
        ProgramFailed(message).into()
    } else {
        error
    }
}

fn suspect(study: &Study, assumption: &Assumption) -> String {
    let place = study.table.place(&SourceSpan {
        // `--assume` names a place by one line.
        last_line: assumption.span.first_line,
        ..assumption.span.clone()
    });
    let assumed = view::assumptions::of(assumption);
    let repeats = matches!(assumption.outcome, AssumedOutcome::Trips(_))
        || view::assumptions::is_upper_bound(assumption);
    let instead = if repeats { "trips=N" } else { "taken" };
    format!("{place}: {assumed}; if that is wrong, use --assume {place}={instead}")
}

fn contradiction(
    study: &Study,
    assumption: &Assumption,
    rank: usize,
    observed_outcome: &str,
    suggestion: &Suggestion,
) -> String {
    let span = SourceSpan {
        // As above: the remedy repeats the place.
        last_line: assumption.span.first_line,
        ..assumption.span.clone()
    };
    let place = study.table.place(&span);
    let assumed = view::assumptions::of(assumption);
    let remedy = match suggestion {
        Suggestion::Assume(outcome) => {
            format!("; use --assume {place}={}", spelled(*outcome))
        }
        Suggestion::Differs(least, most) => format!(
            "; the trip count varies between executions or ranks ({least} to {}), so no single \
            count is right; with --assume {place}=trips={most} the time is an upper bound",
            times(*most)
        ),
        Suggestion::Nothing => String::new(),
    };
    format!("{place}: assumed that {assumed}, but on rank {rank} {observed_outcome}{remedy}")
}

fn spelled(outcome: AssumedOutcome) -> String {
    match outcome {
        AssumedOutcome::Taken => "taken".into(),
        AssumedOutcome::NotTaken => "not-taken".into(),
        AssumedOutcome::Trips(trips) => format!("trips={trips}"),
        AssumedOutcome::Label(label) => format!("goto={label}"),
    }
}

/// Remedy for an assumption that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Suggestion {
    /// Assume this outcome, which holds on all ranks.
    Assume(AssumedOutcome),
    /// The trip count varies: minimum and maximum.
    Differs(u64, u64),
    /// No single outcome holds.
    Nothing,
}

impl Suggestion {
    /// The remedy for the outcomes of a condition on all ranks.
    fn of(
        assumption: &Assumption,
        substitution: &Substitution,
        counts: &[&ConditionCount],
    ) -> Suggestion {
        let totals = ConditionTotals::of(counts.iter().copied());
        let is_loop = matches!(assumption.outcome, AssumedOutcome::Trips(_))
            || view::assumptions::is_upper_bound(assumption);
        let constant = if totals.held == 0 {
            Some(trip_counts::outcome_if_never(substitution))
        } else if totals.held == totals.evaluations {
            trip_counts::outcome_if_always(substitution)
        } else {
            None
        };
        let counts_repetitions = trip_counts::counts_repetitions(assumption, substitution);
        if let Some((least, most)) = totals.ended
            && counts_repetitions
        {
            // Where another exit ended the loop, this condition was evaluated less often than the trip count.
            if least == most && totals.unended < least.max(1) {
                let repeated = AssumedOutcome::Trips(most);
                return match constant {
                    Some(constant) if !is_loop => Suggestion::Assume(constant),
                    Some(_) | None => Suggestion::Assume(repeated),
                };
            }
            if is_loop {
                return Suggestion::Differs(least, most.max(totals.unended));
            }
        }
        match constant {
            Some(outcome) => Suggestion::Assume(outcome),
            None => Suggestion::Nothing,
        }
    }
}

/// The outcome of a condition on a rank, if it contradicts the assumption.
fn observed_outcome(assumed: AssumedOutcome, count: &ConditionCount) -> Option<String> {
    match assumed {
        AssumedOutcome::Taken if count.held < count.evaluations => Some(branch_outcome(count)),
        AssumedOutcome::Label(_) if count.held > 0 => Some(format!(
            "control continued elsewhere {} of {}",
            times(count.held),
            count.evaluations
        )),
        AssumedOutcome::NotTaken if count.held > 0 => Some(branch_outcome(count)),
        AssumedOutcome::Trips(trips) => repetitions(trips, count),
        AssumedOutcome::Taken | AssumedOutcome::NotTaken | AssumedOutcome::Label(_) => None,
    }
}

fn branch_outcome(count: &ConditionCount) -> String {
    match count.held {
        0 => "it was never taken".into(),
        held if held == count.evaluations => format!("it was taken each time ({})", times(held)),
        held => format!("it was taken {} of {}", times(held), count.evaluations),
    }
}

/// The outcome of a test that is assumed not to end its loop, if it did.
fn ended_early(assumption: &Assumption, count: &ConditionCount) -> Option<String> {
    if !view::assumptions::is_test_of_loop(assumption) {
        return None;
    }
    let (least, most) = count.ended?;
    if least == most {
        Some(format!("it did after {}", iterations(least)))
    } else {
        Some(format!("it did after {least} to {}", iterations(most)))
    }
}

fn iterations(count: u64) -> String {
    view::numbers::counted(count, "iteration", "iterations")
}

fn repetitions(trips: u64, count: &ConditionCount) -> Option<String> {
    if let Some((least, most)) = count.ended {
        if least != most {
            return Some(format!("it ran between {least} and {}", times(most)));
        }
        if least != trips {
            return Some(format!("it ran {}", times(least)));
        }
    }
    if count.unended >= trips.max(1) {
        let ran = times(count.unended);
        return Some(format!("it ran {ran}, and this condition did not end it"));
    }
    None
}

/// A number of times in words.
pub fn times(count: u64) -> String {
    if count == 1 {
        "once".into()
    } else {
        format!("{count} times")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontend::analysis::Replacement;

    fn count(
        evaluations: u64,
        held: u64,
        ended: Option<(u64, u64)>,
        unended: u64,
    ) -> ConditionCount {
        ConditionCount {
            assumption: 0,
            evaluations,
            held,
            ended,
            unended,
        }
    }

    #[test]
    fn contradictions_name_both_sides() {
        let check = |assumed, count: ConditionCount, expect: Option<&str>| {
            assert_eq!(observed_outcome(assumed, &count).as_deref(), expect);
        };
        check(AssumedOutcome::NotTaken, count(9, 0, None, 9), None);
        check(
            AssumedOutcome::NotTaken,
            count(9, 1, Some((9, 9)), 0),
            Some("it was taken once of 9"),
        );
        check(AssumedOutcome::Taken, count(9, 9, None, 0), None);
        check(
            AssumedOutcome::Taken,
            count(9, 8, None, 0),
            Some("it was taken 8 times of 9"),
        );
        check(AssumedOutcome::Trips(4), count(8, 2, Some((4, 4)), 0), None);
        check(AssumedOutcome::Trips(4), count(3, 0, None, 3), None);
        check(
            AssumedOutcome::Trips(4),
            count(9, 2, Some((4, 5)), 0),
            Some("it ran between 4 and 5 times"),
        );
        check(
            AssumedOutcome::Trips(4),
            count(1, 1, Some((1, 1)), 0),
            Some("it ran once"),
        );
        let unended = |n: &str| format!("it ran {n} times, and this condition did not end it");
        check(
            AssumedOutcome::Trips(4),
            count(9, 0, None, 9),
            Some(&unended("9")),
        );
        check(
            AssumedOutcome::Trips(4),
            count(4, 0, None, 4),
            Some(&unended("4")),
        );
        check(AssumedOutcome::Trips(0), count(0, 0, Some((0, 0)), 0), None);
    }

    #[test]
    fn suggestions_hold_on_all_ranks() {
        use AssumedOutcome::{NotTaken, Taken, Trips};
        let check = |outcome, at_last: bool, counts: &[ConditionCount], expect: Suggestion| {
            let replacement = match outcome {
                Trips(evaluations) => Replacement::Counted {
                    evaluations,
                    at_last,
                },
                Taken | NotTaken | AssumedOutcome::Label(_) => {
                    Replacement::Constant(outcome == Taken)
                }
            };
            let assumption = Assumption {
                span: SourceSpan {
                    file: 0,
                    first_line: 1,
                    last_line: 1,
                    included_through: vec![],
                    moved: vec![],
                },
                outcome,
                reason: String::new(),
                origin: AssumptionOrigin::User,
            };
            let counts: Vec<&ConditionCount> = counts.iter().collect();
            let statement = frontend::ir::StatementId(0);
            let substitution = Substitution {
                statement,
                clause: 0,
                replacement,
                is_asked: false,
            };
            assert_eq!(
                Suggestion::of(&assumption, &substitution, &counts),
                expect,
                "{outcome:?} {counts:?}"
            );
        };
        check(
            Trips(10),
            true,
            &[count(17, 1, Some((17, 17)), 0)],
            Suggestion::Assume(Trips(17)),
        );
        // Another test ended the loop.
        check(
            Trips(10),
            true,
            &[count(16, 0, None, 16)],
            Suggestion::Assume(NotTaken),
        );
        // One that goes back was always true.
        check(
            Trips(10),
            false,
            &[count(16, 0, None, 16)],
            Suggestion::Assume(Taken),
        );
        check(
            Trips(10),
            true,
            &[count(20, 2, Some((8, 12)), 0)],
            Suggestion::Differs(8, 12),
        );
        let ranks = [count(9, 1, Some((9, 9)), 0), count(7, 1, Some((7, 7)), 0)];
        check(Trips(10), true, &ranks, Suggestion::Differs(7, 9));
        // Ended by it in one repetition, by another test in one that was longer.
        check(
            Trips(4),
            true,
            &[count(15, 1, Some((5, 5)), 10)],
            Suggestion::Differs(5, 10),
        );
        check(
            Trips(4),
            true,
            &[count(9, 1, Some((5, 5)), 4)],
            Suggestion::Assume(Trips(5)),
        );
        check(
            NotTaken,
            true,
            &[count(12, 1, Some((12, 12)), 0)],
            Suggestion::Assume(Trips(12)),
        );
        check(
            NotTaken,
            true,
            &[count(3, 3, Some((1, 1)), 0)],
            Suggestion::Assume(Taken),
        );
        check(
            Taken,
            true,
            &[count(3, 0, None, 3)],
            Suggestion::Assume(NotTaken),
        );
        check(
            Taken,
            true,
            &[count(9, 4, Some((1, 5)), 0)],
            Suggestion::Nothing,
        );
    }
}
