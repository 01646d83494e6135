//! Trip counts from recordings: a run of the whole program shows the outcomes of assumed conditions. `prepare --check` stores
//! them as assumptions in its program data, and `--trips-from` reads them from there.

use crate::view::{assumptions, numbers};
use crate::{call_based_trip_counts, files};
use anyhow::{Result, bail};
use base_data::program_data::{AssumedOutcome, Assumption, AssumptionOrigin, ProgramData};
use base_data::rank_recording::ConditionCount;
use frontend::Analysis;
use frontend::analysis::{
    ENDS_NO_LOOP, OTHER_BOUND, Replacement, SelectionBranch, Slice, Substitution, UPPER_BOUND,
};
use frontend::options::AssumptionRequest;
use std::path::Path;

/// Remedy for a recording without trip counts.
pub const REMEDY: &str = "`mpiete prepare PROJECT -o STUDY --check -n P` writes one with trip counts, \
    STUDY/reference-nP.mpiete";

/// The observed outcome of each assumed condition, as far as it is the same on all ranks.
pub fn observed(slice: &Slice, ranks: &[Vec<ConditionCount>]) -> Vec<Assumption> {
    let mut observed = Vec::new();
    let assumed = slice.assumptions.iter().zip(&slice.substitutions);
    for (number, ((_, assumption), substitution)) in assumed.enumerate() {
        let totals = ConditionTotals::of_assumption(number, ranks);
        let found = if assumptions::is_branch(assumption) {
            totals
                .branch_outcome()
                .map(|outcome| (outcome, format!("a branch that {ENDS_NO_LOOP}")))
        } else {
            let repeats = counts_repetitions(assumption, substitution);
            outcome_on_ranks(substitution, repeats, &totals)
        };
        let Some((outcome, reason)) = found else {
            continue;
        };
        observed.push(Assumption {
            outcome,
            reason,
            origin: AssumptionOrigin::Recording,
            ..assumption.clone()
        });
    }
    observed
}

/// Outcomes of one condition on all ranks.
#[derive(Default)]
pub struct ConditionTotals {
    /// Evaluations.
    pub evaluations: u64,
    /// Evaluations in which the condition held.
    pub held: u64,
    /// Minimum and maximum trip count of the loop executions that the condition ended.
    pub ended: Option<(u64, u64)>,
    /// Maximum number of evaluations in a loop execution that the condition did not end.
    pub unended: u64,
}

impl ConditionTotals {
    /// Totals of the counts of single ranks.
    pub fn of<'a>(counts: impl IntoIterator<Item = &'a ConditionCount>) -> Self {
        let mut totals = Self::default();
        for count in counts {
            totals.evaluations += count.evaluations;
            totals.held += count.held;
            totals.unended = totals.unended.max(count.unended);
            totals.ended = hull(totals.ended, count.ended);
        }
        totals
    }

    /// Totals of the condition of an assumption, by its number, on all ranks.
    pub fn of_assumption(number: usize, ranks: &[Vec<ConditionCount>]) -> Self {
        let counts = ranks.iter().flatten();
        Self::of(counts.filter(|count| count.assumption as usize == number))
    }

    /// The outcome of a branch that ends no loop, if one is right for all evaluations: it held never, always, or every N evaluations
    /// in each execution of the loop around it.
    pub fn branch_outcome(&self) -> Option<AssumedOutcome> {
        if self.evaluations == 0 {
            return None;
        }
        if self.held == 0 {
            return Some(AssumedOutcome::NotTaken);
        }
        if self.held == self.evaluations {
            return Some(AssumedOutcome::Taken);
        }
        let (least, most) = self.ended?;
        if least == most && self.unended < least {
            return Some(AssumedOutcome::Trips(least));
        }
        None
    }
}

/// The proposed branches that end no loop and were taken in some evaluations only, so that no assumption about them is right.
pub fn irregular_branches<'a>(
    slice: &'a Slice,
    ranks: &[Vec<ConditionCount>],
) -> Vec<&'a Assumption> {
    let mut irregular = Vec::new();
    for (number, (_, assumption)) in slice.assumptions.iter().enumerate() {
        if !assumptions::is_guessed_branch(assumption) {
            continue;
        }
        let totals = ConditionTotals::of_assumption(number, ranks);
        if totals.evaluations > 0 && totals.branch_outcome().is_none() {
            irregular.push(assumption);
        }
    }
    irregular
}

/// The smallest range that contains both.
fn hull(a: Option<(u64, u64)>, b: Option<(u64, u64)>) -> Option<(u64, u64)> {
    match (a, b) {
        (Some((least, most)), Some((low, high))) => Some((least.min(low), most.max(high))),
        (range, None) | (None, range) => range,
    }
}

/// Origin of a count, with a remark if there is one.
pub fn reason(on: &str, said: &str) -> String {
    if said.is_empty() {
        on.into()
    } else {
        format!("{on}: {said}")
    }
}

/// The outcome of a condition on all ranks. The maximum counts where trip counts differ.
fn outcome_on_ranks(
    substitution: &Substitution,
    repeats: bool,
    totals: &ConditionTotals,
) -> Option<(AssumedOutcome, String)> {
    if let Some((least, most)) = totals.ended
        && repeats
    {
        // An execution that another exit ended ran at least this often.
        let most = most.max(totals.unended);
        let remark = if least == most {
            String::new()
        } else {
            format!("between {least} and {most} times; the maximum is used")
        };
        return Some((AssumedOutcome::Trips(most), remark));
    }
    if totals.evaluations == 0 {
        return None;
    }
    // A condition that held in some evaluations only has no constant outcome, so nothing is assumed
    // of it.
    if totals.held == 0 {
        let remark = never_message(substitution).to_string();
        return Some((outcome_if_never(substitution), remark));
    }
    if totals.held == totals.evaluations {
        return Some((outcome_if_always(substitution)?, String::new()));
    }
    None
}

/// Adds the observed numbers of iterations to the reasons of loops that are assumed to run to another bound.
pub fn append_iteration_counts(all: &mut [Assumption], ranks: &[Vec<ConditionCount>]) {
    for (number, assumption) in all.iter_mut().enumerate() {
        let Some(reason) = assumption.reason.strip_suffix(UPPER_BOUND) else {
            continue;
        };
        let mut range = None;
        for count in ranks.iter().flatten() {
            if count.assumption as usize != number {
                continue;
            }
            let mut iterations = count.ended;
            if iterations.is_none() && count.unended > 0 {
                iterations = Some((count.unended, count.unended));
            }
            range = hull(range, iterations);
        }
        let Some((least, most)) = range else {
            continue;
        };
        let mut iterations = numbers::counted(most, "iteration", "iterations");
        if least != most {
            iterations = format!("{} to {iterations}", numbers::count(least));
        }
        assumption.reason = format!("{reason} ({iterations}){UPPER_BOUND}");
    }
}

/// Remark for a condition that never had the counted outcome.
fn never_message(substitution: &Substitution) -> &'static str {
    match substitution.replacement {
        Replacement::Conjunct(_) => OTHER_BOUND,
        _ => "",
    }
}

/// Whether a trip count can be assumed for a condition: not for a jump or case that is assumed to go one way, unless the other
/// way leaves a loop.
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

/// The assumption for a condition that never had the counted outcome.
pub fn outcome_if_never(substitution: &Substitution) -> AssumedOutcome {
    match substitution.replacement {
        Replacement::Goes(SelectionBranch::Label(label))
        | Replacement::Turns {
            stays: SelectionBranch::Label(label),
            ..
        } => AssumedOutcome::Label(label),
        // This condition is true to repeat the loop. If it never ended one, it was always true.
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

/// The assumption for a condition that always had the counted outcome.
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

/// Reads a recording that may contain trip counts.
pub fn read(path: &Path) -> Result<ProgramData> {
    files::decode_program(path, &files::read_bytes(path)?)
}

/// The recorded outcomes as assumptions; empty for an unsliced recording, which contains calls only.
pub fn requests(path: &Path, data: &ProgramData) -> Result<Vec<AssumptionRequest>> {
    let is_known = |one: &&Assumption| match one.origin {
        AssumptionOrigin::User | AssumptionOrigin::Recording => true,
        AssumptionOrigin::Proposed | AssumptionOrigin::BoundedRun => false,
    };
    let request = |one: &Assumption| {
        let file = &data.table.files.get(one.span.file as usize)?.path;
        Some(AssumptionRequest {
            // The recording may have been made in another folder.
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
        let totals = ConditionTotals::of(&counts);
        assert_eq!(
            outcome_on_ranks(&substitution(Replacement::Constant(false)), true, &totals),
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
            let totals = ConditionTotals::of(&count(held));
            outcome_on_ranks(&substitution(replacement), false, &totals).map(|(outcome, _)| outcome)
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
