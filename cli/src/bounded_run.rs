//! How often loops run, where nobody has said it: the whole program is run for some seconds, and its loops are
//! counted. If it comes to its end, that is known; if not, it is a lower bound of what is entered once, and a guess of
//! the rest.

use crate::args::BoundedArgs;
use crate::compile::{self, Compiler};
use crate::input::ProgramInput;
use crate::project::Project;
use crate::record::{self, Purpose};
use crate::study::{Probe, Study};
use crate::study_lock::StudyLock;
use crate::view::assumptions;
use crate::{failure, predict, prepare, trips};
use anyhow::Result;
use base_data::block_table::SourceSpan;
use base_data::program_data::{AssumedOutcome, Assumption, AssumptionOrigin};
use base_data::rank_recording::ConditionCount;
use frontend::ir::StatementId;
use frontend::{Analysis, loop_calls};
use std::path::Path;
use std::time::Duration;
use token_runtime::host::{Mode, RunError};

/// What a run of the whole program showed, by rank.
enum Seen {
    /// It came to its end.
    Whole(Vec<Vec<ConditionCount>>),
    /// It was cut off.
    Part(Vec<Vec<ConditionCount>>),
}

/// A study that this command has written, and goes on having for itself.
pub struct Prepared<'a> {
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
pub fn learn(
    project: &mut Project,
    prepared: Prepared<'_>,
    ranks: u32,
    arguments: &BoundedArgs,
    input: &ProgramInput,
) -> Result<(Study, StudyLock)> {
    let Prepared { study, folder, lock } = prepared;
    let limit = arguments.bounded_run;
    if limit.is_zero() || !study.assumptions.iter().any(is_unknown) {
        return Ok((study, lock));
    }
    predict::say(&format!(
        "running the whole program for at most {} s to count its loops",
        limit.as_secs_f64()
    ));
    let seen = match run(folder, &study, ranks, limit, input) {
        Ok(seen) => seen,
        Err(error) => {
            let text = error.to_string();
            let why = failure::shown(text.lines().next().unwrap_or_default());
            tell!(
                "mpiete: how often loops run is not known, since the whole program could not be run: {why}"
            );
            return Ok((study, lock));
        }
    };
    let known = told(&project.analysis, &seen, ranks, limit);
    if known.is_empty() {
        tell!(
            "mpiete: how often loops run is not known: in {} s the whole program came to none of them",
            limit.as_secs_f64()
        );
        return Ok((study, lock));
    }
    project.assume(&known);
    prepare::write_again(project, &prepare::Wanted::default(), folder, lock)
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

fn run(folder: &Path, study: &Study, ranks: u32, limit: Duration, input: &ProgramInput) -> Result<Seen> {
    let compiler = Compiler::find(study)?;
    let program = compile::binary(folder, study, Probe::Reference, &compiler)?;
    let purpose = Purpose { mode: Mode::Record, limit: Some(limit), ..Purpose::default() };
    match record::start(&program, ranks, purpose, Some(&study.table), input) {
        Ok(recording) => Ok(Seen::Whole(recording.ranks.into_iter().map(|rank| rank.conditions).collect())),
        Err(error) => match error.downcast()? {
            RunError::OutOfTime(counts) => Ok(Seen::Part(counts)),
            other => Err(other.into()),
        },
    }
}

/// What can be assumed now, each with its reason.
fn told(analysis: &Analysis, seen: &Seen, ranks: u32, limit: Duration) -> Vec<Assumption> {
    let on = format!("on {ranks} ranks");
    let slice = &analysis.slice;
    match seen {
        Seen::Whole(counts) => {
            let is_open = |span: &SourceSpan| {
                slice.assumptions.iter().any(|(_, one)| one.span == *span && is_proposed(one))
            };
            let mut found = trips::observed(slice, counts);
            found.retain(|one| is_open(&one.span));
            let on = format!("{on}, in a run of the whole program");
            found.iter_mut().for_each(|one| one.reason = trips::reason(&on, &one.reason));
            found
        }
        Seen::Part(counts) => {
            let run = format!("{} s of a run of the whole program {on}", limit.as_secs_f64());
            let bounded = |(number, (_, assumption)): (usize, &(StatementId, Assumption))| {
                let least = fewest(assumption, number, counts)?;
                let (origin, reason) = begun(loop_calls::is_entered_once(analysis, number), &run);
                Some(Assumption {
                    outcome: AssumedOutcome::Trips(least),
                    origin,
                    reason,
                    ..assumption.clone()
                })
            };
            slice.assumptions.iter().enumerate().filter_map(bounded).collect()
        }
    }
}

/// What the beginning of a run says of a loop: it ran so often at least if it is entered once. Of one that is entered
/// again and again it may run less often later.
fn begun(is_entered_once: bool, run: &str) -> (AssumptionOrigin, String) {
    match is_entered_once {
        true => {
            (AssumptionOrigin::BoundedRun, format!("so often at least within {run}, which was then cut off"))
        }
        false => (
            AssumptionOrigin::Proposed,
            format!("a guess from the first {run}, in which it was entered again and again, or may be later"),
        ),
    }
}

/// How often a loop has run on every rank that came to it: in its shortest run that is over, which may have made no
/// iteration, or until now. What another bound ends, too, is known only if it has ended otherwise.
fn fewest(assumption: &Assumption, number: usize, ranks: &[Vec<ConditionCount>]) -> Option<u64> {
    let counts = ranks.iter().flatten().filter(|count| count.assumption as usize == number);
    let until_now = |count: &ConditionCount| is_guessed(assumption).then_some(count.unended);
    let least = |count: &ConditionCount| count.ended.map(|(least, _)| least).or_else(|| until_now(count));
    let least = counts.clone().filter(|_| is_unknown(assumption)).filter_map(least).min();
    let made_none = || counts.into_iter().any(|count| count.ended.is_some_and(|(least, _)| least == 0));
    least.filter(|least| *least > 0 || made_none())
}
