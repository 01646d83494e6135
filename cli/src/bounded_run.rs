//! Trip counts from a bounded run, where the user gives none: the whole program runs for some seconds, and its loops are
//! counted. If it ends by then, the counts are exact. Otherwise the count of a loop that is entered once is a lower bound, and
//! that of any other loop a guess. The same run shows the outcomes of branches that end no loop; those that are taken in some
//! evaluations only become part of the slice.

use crate::args::BoundedRunArgs;
use crate::compile::{self, Compiler};
use crate::input::ProgramInput;
use crate::project::Project;
use crate::record::{self, RunSettings};
use crate::study::{Probe, Study};
use crate::study_lock::StudyLock;
use crate::trip_counts::ConditionTotals;
use crate::view::assumptions;
use crate::{failure, predict, prepare, trip_counts};
use anyhow::Result;
use base_data::program_data::{AssumedOutcome, Assumption, AssumptionOrigin};
use base_data::rank_recording::ConditionCount;
use frontend::analysis::{ENDS_NO_LOOP, GUESSED_BRANCH};
use frontend::ir::StatementId;
use frontend::{Analysis, trip_count_calls};
use std::path::Path;
use std::time::Duration;
use token_runtime::host::{Mode, RunError};

/// Counted conditions of a run of the whole program, by rank.
enum RunCounts {
    /// The program ended.
    Complete(Vec<Vec<ConditionCount>>),
    /// The run was stopped at the time limit.
    Truncated(Vec<Vec<ConditionCount>>),
}

impl RunCounts {
    fn by_rank(&self) -> &[Vec<ConditionCount>] {
        match self {
            RunCounts::Complete(counts) | RunCounts::Truncated(counts) => counts,
        }
    }
}

/// A study that this command has written and locked.
pub struct LockedStudy<'a> {
    /// The study.
    pub study: Study,
    /// Its folder.
    pub folder: &'a Path,
    /// Excludes other commands.
    pub lock: StudyLock,
}

/// Completes the study with trip counts from a run of the whole program on `ranks` ranks.
///
/// # Errors
/// The study cannot be written again. A failing run is no error: the command warns that trip counts are unknown.
pub fn refine_trip_counts(
    project: &mut Project,
    prepared: LockedStudy<'_>,
    ranks: u32,
    arguments: &BoundedRunArgs,
    input: &ProgramInput,
) -> Result<(Study, StudyLock)> {
    let LockedStudy {
        study,
        folder,
        lock,
    } = prepared;
    let limit = arguments.bounded_run;
    // Trip counts that the user gave or a recording contains are never replaced.
    if limit.is_zero() || !study.assumptions.iter().any(is_unknown) {
        return Ok((study, lock));
    }
    predict::report_progress(&format!(
        "running the whole program for at most {} s to count loop iterations",
        limit.as_secs_f64()
    ));
    let counts = match run(folder, &study, ranks, limit, input) {
        Ok(counts) => counts,
        Err(error) => {
            let text = error.to_string();
            // The other lines are the output of the failed program.
            let why = failure::sanitized(text.lines().next().unwrap_or_default());
            report!(
                "mpiete: loop trip counts are unknown, since the whole program could not be run: \
                {why}"
            );
            return Ok((study, lock));
        }
    };
    let known = assumptions_from(&project.analysis, &counts, ranks, limit);
    let mut irregular = Vec::new();
    for branch in trip_counts::irregular_branches(&project.analysis.slice, counts.by_rank()) {
        let place = project.analysis.table.place(&branch.span);
        report!(
            "mpiete: {place} is computed: the branch is taken in some evaluations only, so no assumption about it is right"
        );
        irregular.push(branch.clone());
    }
    if known.is_empty() && irregular.is_empty() {
        report!(
            "mpiete: loop trip counts are unknown: in {} s the whole program reached none of the \
            loops",
            limit.as_secs_f64()
        );
        return Ok((study, lock));
    }
    project.compute(&irregular);
    project.assume(&known);
    prepare::write_again(project, &prepare::StudyContents::default(), folder, lock)
}

/// Whether a bounded run can show more: a loop's trip count is a guess, or an upper bound from its other condition, or the outcome of
/// a branch is a guess.
fn is_unknown(assumption: &Assumption) -> bool {
    is_guessed(assumption)
        || assumptions::is_upper_bound(assumption)
        || assumptions::is_guessed_branch(assumption)
}

fn is_guessed(assumption: &Assumption) -> bool {
    matches!(assumption.outcome, AssumedOutcome::Trips(_)) && is_proposed(assumption)
}

fn is_proposed(assumption: &Assumption) -> bool {
    assumption.origin == AssumptionOrigin::Proposed
}

fn run(
    folder: &Path,
    study: &Study,
    ranks: u32,
    limit: Duration,
    input: &ProgramInput,
) -> Result<RunCounts> {
    let compiler = Compiler::find(study)?;
    let program = compile::binary(folder, study, Probe::Reference, &compiler)?;
    let run_settings = RunSettings {
        mode: Mode::Record,
        limit: Some(limit),
        ..RunSettings::default()
    };
    let error = match record::start(&program, ranks, run_settings, Some(&study.table), input) {
        Ok(recording) => {
            let ranks = recording.ranks.into_iter();
            return Ok(RunCounts::Complete(
                ranks.map(|rank| rank.conditions).collect(),
            ));
        }
        Err(error) => error,
    };
    match error.downcast()? {
        RunError::OutOfTime(counts) => Ok(RunCounts::Truncated(counts)),
        other => Err(other.into()),
    }
}

/// The assumptions that the counts allow, each with its reason.
fn assumptions_from(
    analysis: &Analysis,
    counts: &RunCounts,
    ranks: u32,
    limit: Duration,
) -> Vec<Assumption> {
    let on = format!("on {}", crate::view::numbers::ranks(ranks));
    let assumed = &analysis.slice.assumptions;
    match counts {
        RunCounts::Complete(counts) => {
            let on = format!("{on}, in a run of the whole program");
            let mut found = trip_counts::observed(&analysis.slice, counts);
            // The user's own assumptions stay.
            found.retain(|one| {
                assumed
                    .iter()
                    .any(|(_, assumption)| assumption.span == one.span && is_proposed(assumption))
            });
            found.extend(never_evaluated(assumed, counts));
            for one in &mut found {
                one.reason = trip_counts::reason(&on, &one.reason);
            }
            found
        }
        RunCounts::Truncated(counts) => {
            let run = format!(
                "{} s of a run of the whole program {on}",
                limit.as_secs_f64()
            );
            let mut found = Vec::new();
            for (number, (_, assumption)) in assumed.iter().enumerate() {
                if assumptions::is_guessed_branch(assumption) {
                    found.extend(observed_branch(assumption, number, counts, &run));
                    continue;
                }
                let Some(least) = minimum_trips(assumption, number, counts) else {
                    continue;
                };
                let (origin, reason) =
                    partial_run_origin(trip_count_calls::is_entered_once(analysis, number), &run);
                found.push(Assumption {
                    outcome: AssumedOutcome::Trips(least),
                    origin,
                    reason,
                    ..assumption.clone()
                });
            }
            found
        }
    }
}

/// The outcome of a branch in the beginning of a run. The rest of the run may show another one.
fn observed_branch(
    assumption: &Assumption,
    number: usize,
    ranks: &[Vec<ConditionCount>],
    run: &str,
) -> Option<Assumption> {
    Some(Assumption {
        outcome: ConditionTotals::of_assumption(number, ranks).branch_outcome()?,
        reason: format!("a branch that {ENDS_NO_LOOP}, in the first {run}{GUESSED_BRANCH}"),
        ..assumption.clone()
    })
}

/// The branches that a complete run has not evaluated. What is assumed of them is of no account.
fn never_evaluated(
    assumed: &[(StatementId, Assumption)],
    ranks: &[Vec<ConditionCount>],
) -> Vec<Assumption> {
    let mut found = Vec::new();
    for (number, (_, assumption)) in assumed.iter().enumerate() {
        let is_evaluated = ConditionTotals::of_assumption(number, ranks).evaluations > 0;
        if assumptions::is_guessed_branch(assumption) && !is_evaluated {
            found.push(Assumption {
                origin: AssumptionOrigin::Recording,
                reason: format!("a branch that {ENDS_NO_LOOP}, never evaluated"),
                ..assumption.clone()
            });
        }
    }
    found
}

/// Origin and reason of a count from the beginning of a run. It is a lower bound for a loop that is entered once; a loop that
/// is entered repeatedly may run less often later.
fn partial_run_origin(is_entered_once: bool, run: &str) -> (AssumptionOrigin, String) {
    if is_entered_once {
        let reason = format!("lower bound from {run}, which was then stopped");
        return (AssumptionOrigin::BoundedRun, reason);
    }
    let reason =
        format!("a guess from the first {run}; the loop is entered repeatedly, or may be later");
    (AssumptionOrigin::Proposed, reason)
}

/// The lowest trip count of a loop on all ranks that reached it. Completed executions count, and those still running if the
/// count was a guess: a loop with an upper bound from its other condition may not have ended by this one. `None` if unknown,
/// or if the loop has not made an iteration yet.
fn minimum_trips(
    assumption: &Assumption,
    number: usize,
    ranks: &[Vec<ConditionCount>],
) -> Option<u64> {
    if !is_unknown(assumption) {
        return None;
    }
    let mut least: Option<u64> = None;
    let mut has_ended_at_once = false;
    for count in ranks.iter().flatten() {
        if count.assumption as usize != number {
            continue;
        }
        let trips = match count.ended {
            Some((shortest, _)) => shortest,
            None if is_guessed(assumption) => count.unended,
            None => continue,
        };
        has_ended_at_once |= count.ended.is_some() && trips == 0;
        least = Some(least.map_or(trips, |least| least.min(trips)));
    }
    if least == Some(0) && !has_ended_at_once {
        return None;
    }
    least
}
