//! Which share of the program the slice keeps and, if it is large, why: printed by `prepare`, `record` and `predict`, since
//! recording costs what the slice keeps.

use crate::diagnostics::place_of;
use crate::explaining::option;
use crate::project::Project;
use crate::study::Study;
use crate::view::numbers;
use frontend::analysis::SliceCause;

/// The share above which the cause is printed.
const LARGE: f64 = 0.3;
/// Statements of a program from which on it is worth a sentence that no single change would help. Of a smaller one the MPI calls
/// and what leads to them are a large share whatever it computes, and recording costs next to nothing.
const NOT_TINY: u64 = 200;

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
        None if all < NOT_TINY => String::new(),
        None => {
            "no single condition, message, file or procedure without source accounts for a hundredth of it"
                .into()
        }
        Some(SliceCause::Decision { open, without }) => {
            let at = place_of(project, open.statement);
            format!(
                "mostly for what decides at {at}: {}; assume an outcome: --assume {}",
                left(*without),
                option(project, open)
            )
        }
        Some(SliceCause::Messages { at, mixed, without }) => {
            let at = place_of(project, *at);
            let change = match mixed {
                true => "pass datatypes of integers or of reals, not of bytes or text, in all such calls",
                false => {
                    "assume what is decided with them (--assume), or send them as another sort of data than fields"
                }
            };
            format!("mostly for data of messages, which {at} needs: {}; {change}", left(*without))
        }
        Some(SliceCause::File { at, without }) => format!(
            "mostly for a file that the program may have written itself, read at {}: {}; end the names of output files \
             in a text that no input file's name ends in (trim(name)//'.out')",
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
    let cause = match study.slice_cause.is_empty() {
        true => String::new(),
        false => format!("; {}", study.slice_cause),
    };
    format!("the slice keeps {kept} of {all} statements ({share}){cause}")
}
