//! Procedures without source that make the slice large, since any side effect is assumed: their names, and the size of the slice
//! if they were declared data-only. Only the user knows whether they are.

use crate::project::Project;
use crate::slice_explanation;
use crate::view::parse_statistics;
use frontend::Analysis;
use frontend::analysis::{AssumptionCandidate, RemovalConditions};
use serde::Serialize;

/// Maximum number of procedures that are tried individually: each attempt computes the slice anew.
const MAXIMUM_TRIED: usize = 6;

/// Procedures without source that are worth declaring data-only.
#[derive(Debug, Serialize)]
pub struct DataOnlyProposal {
    /// Their names: a minimal set, unless there are more than [`MAXIMUM_TRIED`].
    pub names: Vec<String>,
    /// Executable statements that the slice would keep, and all.
    pub slice_share: (u64, u64),
}

/// The procedures whose declaration would make the slice smaller by at least 1 % of the program.
pub fn propose(project: &Project) -> Option<DataOnlyProposal> {
    let names = unknown(project);
    if names.is_empty() {
        return None;
    }
    let kept = |names: &[String]| project.share_with_data_only(names).0;
    let (now, all) = project.analysis.slice.share;
    let best = kept(&names);
    // Each declaration is a claim that the user must verify, so a small gain is not proposed.
    if best + (all / 100).max(1) > now {
        return None;
    }
    let names = minimal_subset(names, |others| kept(others) <= best);
    Some(DataOnlyProposal {
        names,
        slice_share: (best, all),
    })
}

/// The procedures whose declaration would remove a statement from the slice, and the assumptions needed in addition.
pub fn blocking_externals(
    project: &mut Project,
    asked: &RemovalConditions,
) -> Option<slice_explanation::BlockingExternals> {
    let at = asked.statement.0 as usize;
    let names = unknown(project);
    if names.is_empty() || !project.analysis.slice.kept[at] {
        return None;
    }
    let assume = needed_assumptions(&project.with_data_only(&names), at)?;
    // A declaration is worth a proposal only if it saves assumptions.
    let count = assume.len();
    if !asked.assume.is_empty() && count >= asked.assume.len() {
        return None;
    }
    let names = minimal_subset(names, |others| {
        let analysis = project.with_data_only(others);
        needed_assumptions(&analysis, at).is_some_and(|needed| needed.len() <= count)
    });
    Some(slice_explanation::BlockingExternals { names, assume })
}

/// The assumptions that remove the statement with index `at`: none if it is removed already, `None` if no assumption does.
fn needed_assumptions(analysis: &Analysis, at: usize) -> Option<Vec<AssumptionCandidate>> {
    if !analysis.slice.kept[at] {
        return Some(Vec::new());
    }
    match &analysis.removal_conditions {
        Some(found) if !found.assume.is_empty() => Some(found.assume.clone()),
        Some(_) | None => None,
    }
}

/// Procedures without source that the user did not declare data-only and of which symbols prove nothing, in alphabetical order.
pub fn unknown(project: &Project) -> Vec<String> {
    let mut names = Vec::new();
    for name in parse_statistics::without_source(&project.analysis) {
        let proven = &project.analysis.proven_externals;
        if !project.is_data_only(name) && !proven.iter().any(|one| one == name) {
            names.push(name.to_string());
        }
    }
    names
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

/// A minimal sufficient subset of the procedures: removes each in turn if the others are sufficient.
fn minimal_subset(
    mut names: Vec<String>,
    mut is_sufficient: impl FnMut(&[String]) -> bool,
) -> Vec<String> {
    let mut at = 0;
    while at < names.len() && names.len() <= MAXIMUM_TRIED {
        let mut others = names.clone();
        others.remove(at);
        if !others.is_empty() && is_sufficient(&others) {
            names = others;
        } else {
            at += 1;
        }
    }
    names
}
