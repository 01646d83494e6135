//! Procedures without source that make the slice large, as they may do anything: which ones they are, and what it
//! would be if they only computed. Whether they do, the user must say.

use crate::project::Project;
use crate::slice_explanation;
use crate::view::parse_statistics;
use frontend::Analysis;
use frontend::analysis::RemovalConditions;
use serde::Serialize;

/// More of them than these are not tried one by one.
const MAXIMUM_TRIED: usize = 6;

/// Procedures without source that are worth declaring data-only.
#[derive(Debug, Serialize)]
pub struct DataOnlyProposal {
    /// Their names; no smaller part of them would do, if they are not too many to find out.
    pub names: Vec<String>,
    /// Executable statements that the slice would keep, and all.
    pub slice_share: (u64, u64),
}

/// Those that would make the slice smaller by a hundredth of the program at least.
pub fn propose(project: &mut Project) -> Option<DataOnlyProposal> {
    let names = unknown(project);
    if names.is_empty() {
        return None;
    }
    let kept = |analysis: &Analysis| analysis.slice.share.0;
    let (now, all) = project.analysis.slice.share;
    let best = kept(&project.with_data_only(&names));
    if best + (all / 100).max(1) > now {
        return None;
    }
    let names = minimal_subset(project, names, |analysis| kept(analysis) <= best);
    Some(DataOnlyProposal {
        names,
        slice_share: (best, all),
    })
}

/// Those without which a statement would leave the slice, and what would have to be assumed then.
pub fn blocking_externals(
    project: &mut Project,
    asked: &RemovalConditions,
) -> Option<slice_explanation::BlockingExternals> {
    let at = asked.statement.0 as usize;
    let names = unknown(project);
    if names.is_empty() || !project.analysis.slice.kept[at] {
        return None;
    }
    // Fewer assumptions than without, or none.
    let assumptions =
        |analysis: &Analysis| match (analysis.slice.kept[at], &analysis.removal_conditions) {
            (false, _) => Some(Vec::new()),
            (true, Some(found)) if !found.assume.is_empty() => Some(found.assume.clone()),
            (true, _) => None,
        };
    let assume = assumptions(&project.with_data_only(&names))?;
    let is_better = |count: usize| asked.assume.is_empty() || count < asked.assume.len();
    if !is_better(assume.len()) {
        return None;
    }
    let count = assume.len();
    let names = minimal_subset(project, names, |analysis| {
        assumptions(analysis).is_some_and(|one| one.len() <= count)
    });
    Some(slice_explanation::BlockingExternals { names, assume })
}

/// Procedures without source that the user did not declare data-only, in alphabetical order.
fn unknown(project: &Project) -> Vec<String> {
    let all = parse_statistics::without_source(&project.analysis).into_iter();
    all.filter(|name| !project.is_data_only(name))
        .map(str::to_string)
        .collect()
}

/// Names declared data-only that no called procedure without source has.
pub fn unused_data_only_names(project: &Project) -> Vec<&str> {
    let all = parse_statistics::without_source(&project.analysis);
    let is_called = |name: &str| all.iter().any(|one| one.eq_ignore_ascii_case(name));
    project
        .data_only_names()
        .filter(|name| !is_called(name))
        .collect()
}

/// As few of some procedures as will do.
fn minimal_subset(
    project: &mut Project,
    mut names: Vec<String>,
    will_do: impl Fn(&Analysis) -> bool,
) -> Vec<String> {
    let mut at = 0;
    while at < names.len() && names.len() <= MAXIMUM_TRIED {
        let mut others = names.clone();
        let tried = others.remove(at);
        if !others.is_empty() && will_do(&project.with_data_only(&others)) {
            names.retain(|name| *name != tried);
        } else {
            at += 1;
        }
    }
    names
}
