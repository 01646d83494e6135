//! How often loops ran, from recordings: what a run of the whole program says of the conditions of which
//! something is assumed, kept as assumptions of its program data (`prepare --check`), and taken from there
//! (`--trips-from`).

use crate::view::{assumptions, numbers};
use crate::{call_based_trip_counts, files};
use anyhow::{Result, bail};
use base_data::program_data::{AssumedOutcome, Assumption, AssumptionOrigin, ProgramData};
use base_data::rank_recording::ConditionCount;
use frontend::Analysis;
use frontend::analysis::{
    OTHER_BOUND, Replacement, SelectionBranch, Slice, Substitution, UPPER_BOUND,
};
use frontend::options::AssumptionRequest;
use std::path::Path;

/// What to do to have a recording that says how often loops run.
pub const REMEDY: &str = "`mpiete prepare PROJECT -o STUDY --check -n P` writes one with trip counts, \
    STUDY/reference-nP.mpiete";

/// Puts in place of what was assumed what happened, of each assumption of which it can be told.
pub fn observed(slice: &Slice, ranks: &[Vec<ConditionCount>]) -> Vec<Assumption> {
    let of_number = |number: usize| {
        let counts = ranks.iter().flatten();
        counts
            .filter(|count| count.assumption as usize == number)
            .copied()
            .collect::<Vec<_>>()
    };
    let assumed = slice
        .assumptions
        .iter()
        .map(|(_, assumption)| assumption)
        .zip(&slice.substitutions);
    let outcome_on_ranks =
        |(number, (assumption, substitution)): (usize, (&Assumption, &Substitution))| {
            let repeats = counts_repetitions(assumption, substitution);
            let (outcome, reason) = outcome_on_ranks(substitution, repeats, &of_number(number))?;
            Some(Assumption {
                outcome,
                reason,
                origin: AssumptionOrigin::Recording,
                ..assumption.clone()
            })
        };
    assumed.enumerate().filter_map(outcome_on_ranks).collect()
}

/// Where counts come from, and what else is to be said of them.
pub fn reason(on: &str, said: &str) -> String {
    if said.is_empty() {
        on.into()
    } else {
        format!("{on}: {said}")
    }
}

/// What became of a condition on all ranks. Where its repetitions differ in length the longest counts.
fn outcome_on_ranks(
    substitution: &Substitution,
    repeats: bool,
    counts: &[ConditionCount],
) -> Option<(AssumedOutcome, String)> {
    let (evaluations, held) = counts.iter().fold((0, 0), |(all, held), count| {
        (all + count.evaluations, held + count.held)
    });
    let ended = counts.iter().filter_map(|count| count.ended);
    let span = ended.reduce(|(least, most), (low, high)| (least.min(low), most.max(high)));
    let unended = counts
        .iter()
        .map(|count| count.unended)
        .max()
        .unwrap_or_default();
    match span.filter(|_| repeats) {
        Some((least, most)) => {
            let most = most.max(unended);
            let differ = format!("between {least} and {most} times; the maximum is used");
            Some((
                AssumedOutcome::Trips(most),
                if least == most { String::new() } else { differ },
            ))
        }
        None if evaluations == 0 => None,
        None if held == 0 => Some((
            outcome_if_never(substitution),
            never_message(substitution).into(),
        )),
        None if held == evaluations => Some((outcome_if_always(substitution)?, String::new())),
        None => None,
    }
}

/// Says in reasons how many iterations loops made that are assumed to run to another bound.
pub fn append_iteration_counts(all: &mut [Assumption], ranks: &[Vec<ConditionCount>]) {
    for (number, assumption) in all.iter_mut().enumerate() {
        let Some(reason) = assumption.reason.strip_suffix(UPPER_BOUND) else {
            continue;
        };
        let own = ranks
            .iter()
            .flatten()
            .filter(|count| count.assumption as usize == number);
        let made = own.filter_map(|count| {
            count
                .ended
                .or((count.unended > 0).then_some((count.unended, count.unended)))
        });
        let Some((least, most)) = made.reduce(|(a, b), (c, d)| (a.min(c), b.max(d))) else {
            continue;
        };
        let iterations = match least == most {
            true => numbers::counted(most, "iteration", "iterations"),
            false => format!(
                "{} to {}",
                numbers::count(least),
                numbers::counted(most, "iteration", "iterations")
            ),
        };
        assumption.reason = format!("{reason} ({iterations}){UPPER_BOUND}");
    }
}

/// What is to be said of what never went the way that is watched.
fn never_message(substitution: &Substitution) -> &'static str {
    match substitution.replacement {
        Replacement::Conjunct(_) => OTHER_BOUND,
        _ => "",
    }
}

/// Whether a number of iterations can be assumed where this was: not where a jump or a case always goes one way, unless
/// the other one ends a loop.
pub fn counts_repetitions(assumption: &Assumption, substitution: &Substitution) -> bool {
    match substitution.replacement {
        Replacement::Goes(SelectionBranch::Case(way)) if substitution.clause > 0 => {
            substitution.clause != way
        }
        Replacement::Goes(_) => assumptions::is_upper_bound(assumption),
        Replacement::Constant(_)
        | Replacement::Conjunct(_)
        | Replacement::Counted { .. }
        | Replacement::Bound(_)
        | Replacement::LeftAfter(_)
        | Replacement::Turns { .. } => true,
    }
}

/// What can be assumed of what never went the way that is watched.
pub fn outcome_if_never(substitution: &Substitution) -> AssumedOutcome {
    match substitution.replacement {
        Replacement::Goes(SelectionBranch::Label(label))
        | Replacement::Turns {
            stays: SelectionBranch::Label(label),
            ..
        } => AssumedOutcome::Label(label),
        // What goes back each time.
        Replacement::Counted { at_last: false, .. } => AssumedOutcome::Taken,
        Replacement::Goes(SelectionBranch::Next | SelectionBranch::Case(_))
        | Replacement::Turns {
            stays: SelectionBranch::Next | SelectionBranch::Case(_),
            ..
        }
        | Replacement::Constant(_)
        | Replacement::Conjunct(_)
        | Replacement::Counted { at_last: true, .. }
        | Replacement::Bound(_)
        | Replacement::LeftAfter(_) => AssumedOutcome::NotTaken,
    }
}

/// What can be assumed of what always went that way.
pub fn outcome_if_always(substitution: &Substitution) -> Option<AssumedOutcome> {
    match substitution.replacement {
        Replacement::Turns {
            leaves: SelectionBranch::Label(label),
            ..
        } => Some(AssumedOutcome::Label(label)),
        Replacement::Goes(SelectionBranch::Label(_) | SelectionBranch::Next)
        | Replacement::Turns {
            leaves: SelectionBranch::Next,
            ..
        } => None,
        Replacement::Goes(SelectionBranch::Case(_)) if substitution.clause == 0 => None,
        Replacement::Counted { at_last: false, .. } => Some(AssumedOutcome::NotTaken),
        Replacement::Goes(SelectionBranch::Case(_))
        | Replacement::Turns {
            leaves: SelectionBranch::Case(_),
            ..
        }
        | Replacement::Constant(_)
        | Replacement::Conjunct(_)
        | Replacement::Counted { at_last: true, .. }
        | Replacement::Bound(_)
        | Replacement::LeftAfter(_) => Some(AssumedOutcome::Taken),
    }
}

/// Reads a recording that may say how often loops ran.
pub fn read(path: &Path) -> Result<ProgramData> {
    files::decode_program(path, &files::read_bytes(path)?)
}

/// What a recording says of loops and conditions, as requests; nothing where only its calls tell it.
pub fn requests(path: &Path, data: &ProgramData) -> Result<Vec<AssumptionRequest>> {
    let is_known = |one: &&Assumption| match one.origin {
        AssumptionOrigin::User | AssumptionOrigin::Recording => true,
        AssumptionOrigin::Proposed | AssumptionOrigin::BoundedRun => false,
    };
    let request = |one: &Assumption| {
        let file = &data.table.files.get(one.span.file as usize)?.path;
        Some(AssumptionRequest {
            file: file.rsplit('/').next().unwrap_or(file).into(),
            line: one.span.first_line,
            outcome: one.outcome,
            origin: AssumptionOrigin::Recording,
        })
    };
    let found: Vec<AssumptionRequest> = data
        .assumptions
        .iter()
        .filter(is_known)
        .filter_map(request)
        .collect();
    if found.is_empty() && !call_based_trip_counts::is_unsliced(data) {
        bail!(
            "--trips-from {}: this recording contains no trip counts; {REMEDY}",
            path.display()
        );
    }
    Ok(found)
}

/// Says where the counts of an analysis come from; refuses it if a loop has none.
pub fn complete(path: &Path, data: &ProgramData, analysis: &mut Analysis) -> Result<()> {
    for (_, assumption) in &mut analysis.slice.assumptions {
        let place = analysis.table.place(&assumption.span);
        match (assumption.origin, assumption.outcome) {
            (AssumptionOrigin::Recording, _) => {
                let same = |one: &&Assumption| one.span.first_line == assumption.span.first_line;
                let said = data
                    .assumptions
                    .iter()
                    .find(same)
                    .map_or("", |one| one.reason.as_str());
                let on = format!("on {} ranks, {}", data.ranks, path.display());
                assumption.reason = reason(&on, said);
            }
            (AssumptionOrigin::Proposed, AssumedOutcome::Trips(_)) => bail!(
                "{place}: {} does not contain the trip count of this loop; give --assume \
                {place}=trips=N, or record it again: {REMEDY}",
                path.display()
            ),
            (
                AssumptionOrigin::Proposed | AssumptionOrigin::User | AssumptionOrigin::BoundedRun,
                _,
            ) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontend::ir::StatementId;

    /// Evaluations, how many held, the shortest and longest repetition that was ended, the longest that was not.
    type Counted = (u64, u64, Option<(u64, u64)>, u64);

    fn substitution(replacement: Replacement) -> Substitution {
        Substitution {
            statement: StatementId(0),
            clause: 0,
            replacement,
            is_asked: false,
        }
    }

    #[track_caller]
    fn check(counts: &[Counted], expect: Option<(AssumedOutcome, &str)>) {
        let count = |&(evaluations, held, ended, unended)| ConditionCount {
            assumption: 0,
            evaluations,
            held,
            ended,
            unended,
        };
        let counts: Vec<ConditionCount> = counts.iter().map(count).collect();
        assert_eq!(
            outcome_on_ranks(&substitution(Replacement::Constant(false)), true, &counts),
            expect.map(|(outcome, reason)| (outcome, reason.to_string()))
        );
    }

    #[test]
    fn longest_repetition_is_taken() {
        use AssumedOutcome::{NotTaken, Taken, Trips};
        check(
            &[(14, 2, Some((7, 7)), 0), (7, 1, Some((7, 7)), 0)],
            Some((Trips(7), "")),
        );
        let differ = "between 5 and 9 times; the maximum is used";
        check(
            &[(14, 2, Some((5, 9)), 0), (7, 1, Some((7, 7)), 0)],
            Some((Trips(9), differ)),
        );
        let some = "between 0 and 15 times; the maximum is used";
        check(&[(15, 0, Some((0, 15)), 0)], Some((Trips(15), some)));
        check(&[(0, 0, Some((0, 0)), 0)], Some((Trips(0), "")));
        check(&[(9, 0, None, 9)], Some((NotTaken, "")));
        check(&[(9, 9, None, 0)], Some((Taken, "")));
        check(&[(9, 4, None, 0)], None);
        check(&[(0, 0, None, 0)], None);
        check(&[], None);
    }

    #[test]
    fn jumps_are_identified_by_label() {
        let count = |held| {
            [ConditionCount {
                evaluations: 4,
                held,
                unended: 4,
                ..ConditionCount::default()
            }]
        };
        let outcome = |replacement, held| {
            outcome_on_ranks(&substitution(replacement), false, &count(held))
                .map(|(outcome, _)| outcome)
        };
        let turns = Replacement::Turns {
            evaluations: 9,
            leaves: SelectionBranch::Label(20),
            stays: SelectionBranch::Label(10),
        };
        assert_eq!(outcome(turns, 0), Some(AssumedOutcome::Label(10)));
        let goes = Replacement::Goes(SelectionBranch::Label(20));
        assert_eq!(
            [outcome(goes, 0), outcome(goes, 3), outcome(goes, 4)],
            [Some(AssumedOutcome::Label(20)), None, None]
        );
        let next = Replacement::Goes(SelectionBranch::Next);
        assert_eq!(
            [outcome(next, 0), outcome(next, 4)],
            [Some(AssumedOutcome::NotTaken), None]
        );
    }
}
