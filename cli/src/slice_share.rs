//! The share of the program that the slice keeps and the cause of a large share. `prepare`, `record` and `predict` print them,
//! since the cost of recording depends on the slice.

use crate::diagnostics::place_of;
use crate::external_procedures;
use crate::project::Project;
use crate::slice_explanation::option;
use crate::study::Study;
use crate::view::numbers;
use frontend::Analysis;
use frontend::analysis::SliceChange;

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
    /// What each removes, and how to make it.
    each: Vec<(String, String)>,
    /// Statements that stay.
    left: u64,
}

impl Changes {
    /// Those that an analysis of the same program names.
    fn of(project: &Project, analysis: &Analysis) -> Self {
        let kept = analysis.slice.share.0;
        let Some(cause) = &analysis.slice_cause else {
            return Changes {
                each: Vec::new(),
                left: kept,
            };
        };
        let mut each = Vec::new();
        for one in &cause.changes {
            each.push(change(project, one));
        }
        Changes {
            each,
            left: kept.saturating_sub(cause.removed),
        }
    }

    fn sentence(&self, all: u64) -> String {
        let (mut reasons, mut remedies) = (Vec::new(), Vec::new());
        for (reason, remedy) in &self.each {
            reasons.push(reason.as_str());
            remedies.push(remedy.as_str());
        }
        let these = match &self.each[..] {
            [_] => "it",
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
    if best.each.is_empty() || removed * WORTHWHILE < kept {
        return format!(
            "no change removes a tenth of them: {inevitable} are MPI calls, what their arguments need, and the control flow \
            around them"
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
    let mut named = names[..names.len().min(MAX_NAMES)].join(", ");
    if names.len() > MAX_NAMES {
        named += &format!(" and {} more", names.len() - MAX_NAMES);
    }
    let sources = Changes {
        each: vec![(
            format!("procedures without source ({named})"),
            "give their sources, or name those that only compute in mpiete.toml, [externals] data_only".into(),
        )],
        left: computing.slice.share.0,
    };
    let mut together = Changes::of(project, computing);
    together.each.splice(0..0, sources.each.iter().cloned());
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
