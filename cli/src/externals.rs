//! Procedures without source that make the slice large, as they may do anything: which ones they are, and what it
//! would be if they only computed. Whether they do, the user must say.

use crate::explaining;
use crate::project::Project;
use crate::view::survey;
use frontend::Analysis;
use frontend::analysis::WhyNot;
use serde::Serialize;

/// More of them than these are not tried one by one.
const MOST_TRIED: usize = 6;

/// Procedures without source that are worth being vouched for.
#[derive(Debug, Serialize)]
pub struct Trust {
    /// Their names; no smaller part of them would do, if they are not too many to find out.
    pub names: Vec<String>,
    /// Executable statements that the slice would keep, and all.
    pub slice_share: (u64, u64),
}

/// Those that would make the slice smaller by a hundredth of the program at least.
pub fn offer(project: &mut Project) -> Option<Trust> {
    let names = unknown(project);
    if names.is_empty() {
        return None;
    }
    let kept = |analysis: &Analysis| analysis.slice.share.0;
    let (now, all) = project.analysis.slice.share;
    let best = kept(&project.trusting(&names));
    if best + (all / 100).max(1) > now {
        return None;
    }
    let names = fewest(project, names, |analysis| kept(analysis) <= best);
    Some(Trust { names, slice_share: (best, all) })
}

/// Those without which a statement would leave the slice, and what would have to be assumed then.
pub fn without(project: &mut Project, asked: &WhyNot) -> Option<explaining::Trusting> {
    let at = asked.statement.0 as usize;
    let names = unknown(project);
    if names.is_empty() || !project.analysis.slice.kept[at] {
        return None;
    }
    // Fewer assumptions than without, or none.
    let assumptions = |analysis: &Analysis| match (analysis.slice.kept[at], &analysis.why_not) {
        (false, _) => Some(Vec::new()),
        (true, Some(found)) if !found.assume.is_empty() => Some(found.assume.clone()),
        (true, _) => None,
    };
    let assume = assumptions(&project.trusting(&names))?;
    let is_better = |count: usize| asked.assume.is_empty() || count < asked.assume.len();
    if !is_better(assume.len()) {
        return None;
    }
    let count = assume.len();
    let names =
        fewest(project, names, |analysis| assumptions(analysis).is_some_and(|one| one.len() <= count));
    Some(explaining::Trusting { names, assume })
}

/// Procedures without source for which nobody vouches, in alphabetical order.
fn unknown(project: &Project) -> Vec<String> {
    let all = survey::without_source(&project.analysis).into_iter();
    all.filter(|name| !project.is_trusted(name)).map(str::to_string).collect()
}

/// Names that are vouched for, of which no procedure without source is called.
pub fn vouched_in_vain(project: &Project) -> Vec<&str> {
    let all = survey::without_source(&project.analysis);
    let is_called = |name: &str| all.iter().any(|one| one.eq_ignore_ascii_case(name));
    project.trusted().filter(|name| !is_called(name)).collect()
}

/// As few of some procedures as will do.
fn fewest(project: &mut Project, mut names: Vec<String>, will_do: impl Fn(&Analysis) -> bool) -> Vec<String> {
    let mut at = 0;
    while at < names.len() && names.len() <= MOST_TRIED {
        let mut others = names.clone();
        let tried = others.remove(at);
        if !others.is_empty() && will_do(&project.trusting(&others)) {
            names.retain(|name| *name != tried);
        } else {
            at += 1;
        }
    }
    names
}
