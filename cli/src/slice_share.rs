//! The share of the program that the slice keeps and the cause of a large share. `prepare`, `record` and `predict` print them,
//! since the cost of recording depends on the slice.

use crate::diagnostics::place_of;
use crate::external_procedures;
use crate::project::Project;
use crate::slice_explanation::option;
use crate::study::Study;
use crate::view::numbers;
use frontend::Analysis;
use frontend::analysis::{MixedMessages, SliceChange};
use frontend::ir::StatementId;

/// The share above which the cause is printed.
const LARGE: f64 = 0.3;
/// A change is named if it removes at least this part, a tenth, of the kept statements; the frontend names no smaller one.
const WORTHWHILE: u64 = 10;
/// Most procedures that a sentence names.
const MAX_NAMES: usize = 4;

/// Whether a share is so large that its cause is printed.
fn is_large((kept, all): (u64, u64)) -> bool {
    kept as f64 > LARGE * all as f64
}

/// Changes that make a slice smaller.
#[derive(Default)]
struct Changes {
    /// The decisions whose outcomes are assumed: their places, and the arguments of `--assume`.
    decisions: Vec<(String, String)>,
    /// What each other change removes, and how to make it.
    others: Vec<(String, String)>,
    /// Statements that stay.
    left: u64,
}

impl Changes {
    /// Those that an analysis of the same program names.
    fn of(project: &Project, analysis: &Analysis) -> Self {
        let mut found = Changes {
            left: analysis.slice.share.0,
            ..Changes::default()
        };
        let Some(cause) = &analysis.slice_cause else {
            return found;
        };
        found.left = found.left.saturating_sub(cause.removed);
        for change in &cause.changes {
            match change {
                SliceChange::Decision(open) => found
                    .decisions
                    .push((place_of(project, open.statement), option(project, open))),
                SliceChange::Messages { at, mixed } => {
                    found
                        .others
                        .push(message_change(project, *at, mixed.as_ref()));
                }
                SliceChange::File { at, is_by_name } => found.others.push((
                    format!(
                        "a file that the program may have written itself, read at {}",
                        place_of(project, *at)
                    ),
                    match is_by_name {
                        true => "give output files a name suffix that no input file has (trim(name)//'.out')",
                        false => "read it before the first communication; or, if it reads another file than it writes, open each \
                                  with a unit of its own (newunit=) and a literal name",
                    }
                    .into(),
                )),
            }
        }
        found
    }

    fn count(&self) -> usize {
        self.decisions.len() + self.others.len()
    }

    fn sentence(&self, all: u64) -> String {
        let (mut reasons, mut remedies) = (Vec::new(), Vec::new());
        for (reason, remedy) in &self.others {
            push_new(&mut reasons, reason.clone());
            push_new(&mut remedies, remedy.clone());
        }
        let (mut places, mut options) = (Vec::new(), Vec::new());
        for (place, option) in &self.decisions {
            push_new(&mut places, place.clone());
            push_new(&mut options, format!("--assume {option}"));
        }
        let causes = reasons.len() + places.len();
        match &places[..] {
            [] => {}
            [only] => {
                reasons.push(format!("the decision at {only}"));
                remedies.push(format!("assume an outcome: {}", options.join("; ")));
            }
            several => {
                reasons.push(format!("the decisions at {}", several.join(", ")));
                remedies.push(format!("assume outcomes: {}", options.join("; ")));
            }
        }
        let these = match causes {
            1 => "it",
            _ => "all of these",
        };
        format!(
            "mostly for {}: without {these} about {} of {all} ({}); {}",
            reasons.join(" and "),
            self.left,
            numbers::percent(self.left as f64 / all.max(1) as f64),
            remedies.join("; ")
        )
    }
}

/// Adds a text unless it is there: several statements of a line, or several messages of a statement, are one cause for the user.
fn push_new(texts: &mut Vec<String>, text: String) {
    if !texts.contains(&text) {
        texts.push(text);
    }
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
    let mut best = Changes::of(project, &project.analysis);
    let mut inevitable = cause.inevitable;
    // What procedures without source may do is in more than the dependences between statements: they may also enable traps,
    // synchronise and access files. So the analysis is repeated without it.
    let names = external_procedures::unknown(project);
    if !names.is_empty() {
        let computing = project.with_data_only(&names);
        if let Some(cause) = &computing.slice_cause {
            inevitable = inevitable.min(cause.inevitable);
        }
        best = with_sources(project, &names, &computing, best);
    }
    let removed = kept.saturating_sub(best.left);
    if best.count() == 0 || removed * WORTHWHILE < kept {
        return format!(
            "no single change removes a tenth of these {kept}: {inevitable} are MPI calls, or their arguments and \
            control flow need them"
        );
    }
    best.sentence(all)
}

/// The better of some changes and of sources for the procedures without, alone or with what then keeps most.
fn with_sources(
    project: &Project,
    names: &[String],
    computing: &Analysis,
    others: Changes,
) -> Changes {
    let kept = project.analysis.slice.share.0;
    let removed = |changes: &Changes| kept.saturating_sub(changes.left);
    let named = numbers::named(names, MAX_NAMES);
    let sources = Changes {
        others: vec![(
            format!("procedures without source ({named})"),
            "give their sources, or name those that only compute in mpiete.toml, [externals] data_only".into(),
        )],
        left: computing.slice.share.0,
        ..Changes::default()
    };
    let mut together = Changes::of(project, computing);
    together.others.splice(0..0, sources.others.iter().cloned());
    let single = if removed(&sources) > removed(&others) {
        sources
    } else {
        others
    };
    // As in the frontend: several changes are worth it if they remove twice as much.
    if removed(&together) >= 2 * removed(&single).max(1) {
        together
    } else {
        single
    }
}

/// Data of messages that are not delivered: what needs them, and how to do without.
fn message_change(
    project: &Project,
    at: StatementId,
    mixed: Option<&MixedMessages>,
) -> (String, String) {
    let remedy = match mixed {
        Some(MixedMessages {
            call,
            handle: Some(handle),
        }) => format!(
            "keep the datatype that the call at {} names, {handle}, in a variable of its own that only MPI's constructors of \
             datatypes set, with numbers of one sort and displacements in elements",
            place_of(project, *call)
        ),
        Some(MixedMessages { call, handle: None }) => format!(
            "give the call at {} a datatype of integer or real numbers, not of bytes",
            place_of(project, *call)
        ),
        None => "assume the decisions that depend on them (--assume), or send them with another datatype than bulk data".into(),
    };
    let reason = format!("message data, which {} needs", place_of(project, at));
    (reason, remedy)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_is_printed_once() {
        let pair = |first: &str, second: &str| (first.to_string(), second.to_string());
        let mut changes = Changes {
            others: vec![pair("message data", "assume"); 3],
            left: 1,
            ..Changes::default()
        };
        assert_eq!(
            changes.sentence(4),
            "mostly for message data: without it about 1 of 4 (25.0 %); assume"
        );
        changes.others.push(pair("a file", "assume"));
        changes.decisions = vec![pair("a.f90:1", "a.f90:1=true"); 2];
        assert_eq!(
            changes.sentence(4),
            "mostly for message data and a file and the decision at a.f90:1: without all of these about 1 of 4 (25.0 %); assume; \
             assume an outcome: --assume a.f90:1=true"
        );
    }
}
