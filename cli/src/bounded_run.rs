//! How often loops run, where nobody has said it: the whole program is run for some seconds, and its loops are
//! counted. If it comes to its end, that is known; if not, it is a lower bound of what is entered once, and a guess of
//! the rest.

use crate::args::BoundedRunArgs;
use crate::compile::{self, Compiler};
use crate::input::ProgramInput;
use crate::project::Project;
use crate::record::{self, RunSettings};
use crate::study::{Probe, Study};
use crate::study_lock::StudyLock;
use crate::view::assumptions;
use crate::{failure, predict, prepare, trip_counts};
use anyhow::Result;
use base_data::block_table::SourceSpan;
use base_data::program_data::{AssumedOutcome, Assumption, AssumptionOrigin};
use base_data::rank_recording::ConditionCount;
use frontend::ir::StatementId;
use frontend::{Analysis, trip_count_calls};
use std::path::Path;
use std::time::Duration;
use token_runtime::host::{Mode, RunError};

/// What a run of the whole program showed, by rank.
enum RunCounts {
    /// It came to its end.
    Complete(Vec<Vec<ConditionCount>>),
    /// It was cut off.
    Truncated(Vec<Vec<ConditionCount>>),
}

/// A study that this command has written, and goes on having for itself.
pub struct LockedStudy<'a> {
    /// What it holds.
    pub study: Study,
    /// Where it is.
    pub folder: &'a Path,
    /// Keeps others from it.
    pub lock: StudyLock,
}

/// The study in its folder, with what a run of the whole program on so many ranks shows of its loops.
///
/// # Errors
/// Only what keeps the study from being written again: where the run fails, nothing is known, and that is told.
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
            let why = failure::sanitized(text.lines().next().unwrap_or_default());
            report!(
                "mpiete: loop trip counts are unknown, since the whole program could not be run: \
                {why}"
            );
            return Ok((study, lock));
        }
    };
    let known = assumptions_from(&project.analysis, &counts, ranks, limit);
    if known.is_empty() {
        report!(
            "mpiete: loop trip counts are unknown: in {} s the whole program reached none of the \
            loops",
            limit.as_secs_f64()
        );
        return Ok((study, lock));
    }
    project.assume(&known);
    prepare::write_again(project, &prepare::StudyContents::default(), folder, lock)
}

/// Whether a guess or another bound stands for how often a loop runs.
fn is_unknown(assumption: &Assumption) -> bool {
    is_guessed(assumption) || assumptions::is_upper_bound(assumption)
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
    match record::start(&program, ranks, run_settings, Some(&study.table), input) {
        Ok(recording) => Ok(RunCounts::Complete(
            recording
                .ranks
                .into_iter()
                .map(|rank| rank.conditions)
                .collect(),
        )),
        Err(error) => match error.downcast()? {
            RunError::OutOfTime(counts) => Ok(RunCounts::Truncated(counts)),
            other => Err(other.into()),
        },
    }
}

/// What can be assumed now, each with its reason.
fn assumptions_from(
    analysis: &Analysis,
    counts: &RunCounts,
    ranks: u32,
    limit: Duration,
) -> Vec<Assumption> {
    let on = format!("on {ranks} ranks");
    let slice = &analysis.slice;
    match counts {
        RunCounts::Complete(counts) => {
            let is_open = |span: &SourceSpan| {
                slice
                    .assumptions
                    .iter()
                    .any(|(_, one)| one.span == *span && is_proposed(one))
            };
            let mut found = trip_counts::observed(slice, counts);
            found.retain(|one| is_open(&one.span));
            let on = format!("{on}, in a run of the whole program");
            found
                .iter_mut()
                .for_each(|one| one.reason = trip_counts::reason(&on, &one.reason));
            found
        }
        RunCounts::Truncated(counts) => {
            let run = format!(
                "{} s of a run of the whole program {on}",
                limit.as_secs_f64()
            );
            let bounded = |(number, (_, assumption)): (usize, &(StatementId, Assumption))| {
                let least = minimum_trips(assumption, number, counts)?;
                let (origin, reason) =
                    partial_run_origin(trip_count_calls::is_entered_once(analysis, number), &run);
                Some(Assumption {
                    outcome: AssumedOutcome::Trips(least),
                    origin,
                    reason,
                    ..assumption.clone()
                })
            };
            slice
                .assumptions
                .iter()
                .enumerate()
                .filter_map(bounded)
                .collect()
        }
    }
}

/// What the beginning of a run says of a loop: it ran so often at least if it is entered once. Of one that is entered
/// again and again it may run less often later.
fn partial_run_origin(is_entered_once: bool, run: &str) -> (AssumptionOrigin, String) {
    match is_entered_once {
        true => (
            AssumptionOrigin::BoundedRun,
            format!("lower bound from {run}, which was then stopped"),
        ),
        false => (
            AssumptionOrigin::Proposed,
            format!(
                "a guess from the first {run}; the loop is entered repeatedly, or may be later"
            ),
        ),
    }
}

/// How often a loop has run on every rank that came to it: in its shortest run that is over, which may have made no
/// iteration, or until now. What another bound ends, too, is known only if it has ended otherwise.
fn minimum_trips(
    assumption: &Assumption,
    number: usize,
    ranks: &[Vec<ConditionCount>],
) -> Option<u64> {
    let counts = ranks
        .iter()
        .flatten()
        .filter(|count| count.assumption as usize == number);
    let until_now = |count: &ConditionCount| is_guessed(assumption).then_some(count.unended);
    let least = |count: &ConditionCount| {
        count
            .ended
            .map(|(least, _)| least)
            .or_else(|| until_now(count))
    };
    let least = counts
        .clone()
        .filter(|_| is_unknown(assumption))
        .filter_map(least)
        .min();
    let made_none = || {
        counts
            .into_iter()
            .any(|count| count.ended.is_some_and(|(least, _)| least == 0))
    };
    least.filter(|least| *least > 0 || made_none())
}
