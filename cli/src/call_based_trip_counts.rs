//! Trip counts of a program that was recorded unsliced, from the numbers of its MPI calls. The frontend determines which calls
//! show the trip count of which loop.

use crate::project::Project;
use crate::trip_counts;
use crate::view::assumptions;
use anyhow::{Result, bail};
use base_data::block_table::SourceSpan;
use base_data::program_data::{
    AssumedOutcome, Assumption, AssumptionOrigin, Op, ProgramData, RankClass, RecordMethod,
};
use base_data::{CallSiteId, RankSet, stream};
use frontend::ir::StatementId;
use frontend::trip_count_calls::{self, LoopCalls};
use std::collections::BTreeSet;
use std::path::Path;

/// Whether a recording is one of a program as it is, whose calls may have lines.
pub fn is_unsliced(data: &ProgramData) -> bool {
    data.method == RecordMethod::Unsliced
        && data.assumptions.is_empty()
        && data.table.blocks.is_empty()
}

/// Assumes the recorded trip counts of loops whose count is unknown.
///
/// # Errors
/// A loop whose trip count the recording does not show, and why.
pub fn assume(project: &mut Project, path: &Path, data: &ProgramData) -> Result<()> {
    if data.table.call_sites.iter().all(|site| site.span.is_none()) {
        bail!(
            "--trips-from {}: its calls have no lines; compile the program with -g and record it again",
            path.display()
        );
    }
    let mut known = Vec::new();
    for (number, (_, assumption)) in project.analysis.slice.assumptions.iter().enumerate() {
        // The user's own counts stay; so do exact conditions, whose outcome calls do not show.
        let is_guessed = assumption.origin == AssumptionOrigin::Proposed
            && matches!(assumption.outcome, AssumedOutcome::Trips(_));
        let has_bound = assumptions::is_upper_bound(assumption);
        if !is_guessed && !has_bound {
            continue;
        }
        let place = project.analysis.table.place(&assumption.span);
        let counted = if has_bound {
            early_end(project, number, data)
        } else {
            trips(project, number, data).map(Some)
        };
        match counted {
            Ok(counted) => {
                let on = format!(
                    "on {} ranks, {}, from how often calls were made",
                    data.ranks,
                    path.display()
                );
                let (outcome, remark) = match counted {
                    Some((most, remark)) => (AssumedOutcome::Trips(most), remark),
                    None => (assumption.outcome, "it ran to its other bound".to_string()),
                };
                known.push(Assumption {
                    outcome,
                    reason: trip_counts::reason(&on, &remark),
                    origin: AssumptionOrigin::Recording,
                    ..assumption.clone()
                });
            }
            Err(why) if has_bound => report!(
                "mpiete: {place}: {} does not show whether this test ends its loop: {why}; it is \
                assumed not to, give --assume {place}=trips=N if it does",
                path.display()
            ),
            Err(why) => {
                bail!(
                    "{place}: {} does not contain the trip count of this loop: {why}; give --assume \
                    {place}=trips=N, or record it again: {}",
                    path.display(),
                    trip_counts::REMEDY
                )
            }
        }
    }
    project.assume(&known);
    Ok(())
}

/// How often a loop ran that a test ended before its other bound did; `None` where it never did.
fn early_end(
    project: &Project,
    number: usize,
    data: &ProgramData,
) -> Result<Option<(u64, String)>, String> {
    let calls = trip_count_calls::find(&project.analysis, number)?;
    if calls.without > 0 {
        return Err("no call before the test shows its last iteration".into());
    }
    let (most, said) = trips(project, number, data)?;
    let Some(behind) = calls.behind else {
        let bound = trip_count_calls::other_bound(&project.analysis, number);
        let open = "if its other bound did not end it then";
        return Ok(match bound {
            Some(bound) if bound == most => None,
            Some(_) => Some((most, said)),
            None => Some((
                most,
                if said.is_empty() {
                    open.into()
                } else {
                    format!("{said}, {open}")
                },
            )),
        });
    };
    let (before, behind) = (
        sites(project, data, calls.iteration)?,
        sites(project, data, behind)?,
    );
    let entry = calls
        .entry
        .map(|entry| sites(project, data, entry))
        .transpose()?;
    let mut ended = BTreeSet::new();
    for class in &data.classes {
        let runs = entry.as_ref().map_or(1, |entry| executions(class, entry));
        // The last iteration of an execution that the test ends makes the call before the test and
        // not the one after it.
        let cut = executions(class, &before).saturating_sub(executions(class, &behind));
        if runs == 0 {
            continue;
        }
        ended.insert(match cut {
            0 => EarlyExit::Never,
            cut if cut == runs => EarlyExit::Always,
            _ => EarlyExit::Sometimes,
        });
    }
    match ended.into_iter().collect::<Vec<_>>()[..] {
        [EarlyExit::Always] => Ok(Some((most, said))),
        [EarlyExit::Never] => Ok(None),
        _ => Err("it ends the loop in some executions only".into()),
    }
}

/// How many executions of a loop the test ended on the ranks of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum EarlyExit {
    Never,
    Sometimes,
    Always,
}

/// The maximum trip count of a loop with a remark if it varies, or why the recording does not show it.
fn trips(project: &Project, number: usize, data: &ProgramData) -> Result<(u64, String), String> {
    let calls = trip_count_calls::find(&project.analysis, number)?;
    let iteration = sites(project, data, calls.iteration)?;
    let entry = calls
        .entry
        .map(|entry| sites(project, data, entry))
        .transpose()?;
    let (mut least, mut most) = (u64::MAX, 0);
    for class in &data.classes {
        let runs = entry.as_ref().map_or(1, |entry| executions(class, entry));
        let counted = executions(class, &iteration);
        if runs == 0 {
            continue;
        }
        let trips =
            per_run(counted, runs, calls).ok_or_else(|| uneven_message(class, counted, runs))?;
        (least, most) = (least.min(trips), most.max(trips));
    }
    match (least, most) {
        (_, 0) => Err("it never ran".into()),
        (least, most) if least == most => Ok((most, String::new())),
        (least, most) => Ok((
            most,
            format!("between {least} and {most} times; the maximum is used"),
        )),
    }
}

fn per_run(counted: u64, runs: u64, calls: LoopCalls) -> Option<u64> {
    // Only totals are known. If they do not divide, executions of the loop had different trip counts.
    if !counted.is_multiple_of(runs) {
        return None;
    }
    Some(counted / runs + calls.without)
}

fn uneven_message(class: &RankClass, counted: u64, runs: u64) -> String {
    let on: RankSet = class.ranks.clone();
    format!(
        "on ranks {on} it ran {runs} times with {counted} calls in all, so its trip count \
        varies"
    )
}

/// The call sites of a recording at the lines of a statement.
fn sites(
    project: &Project,
    data: &ProgramData,
    statement: StatementId,
) -> Result<Vec<CallSiteId>, String> {
    let place = crate::diagnostics::place_of(project, statement);
    let span = project.analysis.source_map.statement(statement).whole;
    let (first, last) = project.analysis.source_map.lines(span);
    // Debug information may contain another folder than the one that the user named, so only the
    // file's name is compared.
    let name = file_name(&project.sources.file(first.file).path);
    let is_there = |own: &SourceSpan| {
        let file = data
            .table
            .files
            .get(own.file as usize)
            .map(|file| file_name(&file.path));
        file == Some(name) && (first.line..=last).contains(&own.first_line)
    };
    let all = (0..).map(CallSiteId).zip(&data.table.call_sites);
    let found: Vec<CallSiteId> = all
        .filter(|(_, site)| site.span.as_ref().is_some_and(is_there))
        .map(|(id, _)| id)
        .collect();
    if found.is_empty() {
        Err(format!("it contains no call made at {place}"))
    } else {
        Ok(found)
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// How often some sites call on each rank of a class.
fn executions(class: &RankClass, sites: &[CallSiteId]) -> u64 {
    let own = stream::executions(&class.stream)
        .filter(|(op, _)| matches!(op, Op::Call { site, .. } if sites.contains(site)));
    own.map(|(_, times)| times).fold(0, u64::saturating_add)
}
