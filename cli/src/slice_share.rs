//! The share of the program that the slice keeps and the cause of a large share. `prepare`, `record` and `predict` print them,
//! since the cost of recording depends on the slice.

use crate::diagnostics::place_of;
use crate::project::Project;
use crate::slice_explanation::option;
use crate::study::Study;
use crate::view::numbers;
use frontend::analysis::SliceChange;

/// The share above which the cause is printed.
const LARGE: f64 = 0.3;
/// Whether a share is so large that its cause is printed.
fn is_large((kept, all): (u64, u64)) -> bool {
    kept as f64 > LARGE * all as f64
}

/// What accounts for most of a large slice, and the change that would remove it; empty if the slice is small.
pub fn cause(project: &Project) -> String {
    let share @ (kept, all) = project.analysis.slice.share;
    let Some(cause) = project
        .analysis
        .slice_cause
        .as_ref()
        .filter(|_| is_large(share))
    else {
        return String::new();
    };
    let left = kept.saturating_sub(cause.removed);
    let percent = numbers::percent(left as f64 / all.max(1) as f64);
    match &cause.changes[..] {
        [] => format!(
            "no change removes a tenth of them: {} are MPI calls, what their arguments need, and the control flow around them",
            cause.inevitable
        ),
        [only] => {
            let (reason, remedy) = change(project, only);
            format!("mostly for {reason}: without it about {left} of {all} ({percent}); {remedy}")
        }
        several => {
            let (mut reasons, mut remedies) = (Vec::new(), Vec::new());
            for one in several {
                let (reason, remedy) = change(project, one);
                reasons.push(reason);
                remedies.push(remedy);
            }
            let (reasons, remedies) = (reasons.join(" and "), remedies.join("; "));
            format!(
                "mostly for {reasons}: without all of these about {left} of {all} ({percent}); {remedies}"
            )
        }
    }
}

/// What a change would remove, and how to make it.
fn change(project: &Project, change: &SliceChange) -> (String, String) {
    match change {
        SliceChange::Decision(open) => (
            format!("the decision at {}", place_of(project, open.statement)),
            format!("assume an outcome: --assume {}", option(project, open)),
        ),
        SliceChange::Messages {
            at,
            mixed: Some(mixed),
        } => (
            format!("message data, which {} needs", place_of(project, *at)),
            format!(
                "give the call at {} a datatype of integer or real numbers, not of bytes",
                place_of(project, *mixed)
            ),
        ),
        SliceChange::Messages { at, mixed: None } => (
            format!("message data, which {} needs", place_of(project, *at)),
            "assume the decisions that depend on them (--assume), or send them with another datatype than bulk data"
                .into(),
        ),
        SliceChange::File { at } => (
            format!(
                "a file that the program may have written itself, read at {}",
                place_of(project, *at)
            ),
            "give output files a name suffix that no input file has (trim(name)//'.out')".into(),
        ),
        SliceChange::WithoutSource { at } => (
            format!(
                "procedures without source, which {} needs",
                place_of(project, *at)
            ),
            "give their sources, or name them in mpiete.toml, [externals] data_only".into(),
        ),
    }
}

/// The share that a study's slice keeps and, if it is large, why.
pub fn sentence(study: &Study) -> String {
    let (kept, all) = study.slice_share;
    let share = numbers::percent(kept as f64 / all.max(1) as f64);
    let mut sentence = format!("the slice keeps {kept} of {all} statements ({share})");
    if !study.slice_cause.is_empty() {
        sentence += &format!("; {}", study.slice_cause);
    }
    sentence
}
