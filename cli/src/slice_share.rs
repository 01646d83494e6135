//! The share of the program that the slice keeps and the cause of a large share. `prepare`, `record` and `predict` print them,
//! since the cost of recording depends on the slice.

use crate::diagnostics::place_of;
use crate::project::Project;
use crate::slice_explanation::option;
use crate::study::Study;
use crate::view::numbers;
use frontend::analysis::SliceCause;

/// The share above which the cause is printed.
const LARGE: f64 = 0.3;
/// Minimum statements of a program for the sentence that no single change would help. In a smaller program, MPI calls and their
/// dependences are a large share in any case, and recording is cheap.
const MINIMUM_STATEMENTS: u64 = 200;

/// Whether a share is so large that its cause is printed.
fn is_large((kept, all): (u64, u64)) -> bool {
    kept as f64 > LARGE * all as f64
}

/// What accounts for most of a large slice, and the one change that would remove it; empty if the slice is small.
pub fn cause(project: &Project) -> String {
    let share @ (_, all) = project.analysis.slice.share;
    if !is_large(share) {
        return String::new();
    }
    let left = |without: u64| {
        format!(
            "without it about {without} of {all} ({})",
            numbers::percent(without as f64 / all.max(1) as f64)
        )
    };
    match &project.analysis.slice_cause {
        // In a program of a few statements every one is a large share.
        None if all < MINIMUM_STATEMENTS => String::new(),
        None => "no single assumption or change would remove as much as 1 % of them".into(),
        Some(SliceCause::Decision { open, without }) => {
            let at = place_of(project, open.statement);
            format!(
                "mostly for the decision at {at}: {}; assume an outcome: --assume {}",
                left(*without),
                option(project, open)
            )
        }
        Some(SliceCause::Messages { at, mixed, without }) => {
            let at = place_of(project, *at);
            let change = if *mixed {
                "use integer or real datatypes, not bytes or characters, in all such calls"
            } else {
                "assume the decisions that depend on them (--assume), or send them with another \
                datatype than bulk data"
            };
            format!(
                "mostly for message data, which {at} needs: {}; {change}",
                left(*without)
            )
        }
        Some(SliceCause::File { at, without }) => format!(
            "mostly for a file that the program may have written itself, read at {}: {}; give \
            output files a name suffix that no input file has (trim(name)//'.out')",
            place_of(project, *at),
            left(*without)
        ),
        Some(SliceCause::WithoutSource { at, without }) => format!(
            "mostly for procedures without source, which {} needs: {}; give their sources, or name them in mpiete.toml, \
             [externals] data_only",
            place_of(project, *at),
            left(*without)
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
