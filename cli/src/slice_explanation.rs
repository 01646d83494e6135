//! `mpiete analyze --why` and `--why-not`: what keeps a statement in the slice, step by step from it to an MPI
//! call, and what would have to be assumed for it to go.

use crate::diagnostics;
use crate::project::Project;
use crate::view::numbers;
use frontend::analysis::{Open, RemovalConditions};
use frontend::ir::{StatementId, StatementKind};
use serde::Serialize;

/// A statement, and why it stays or goes.
#[derive(Serialize)]
pub struct Explanation {
    place: String,
    text: String,
    kept: bool,
    /// From the statement to what the slice is made for.
    chain: Vec<Step>,
    /// In a sentence, where it does not stay.
    reason: String,
}

/// A statement of the chain, and for what the next one needs it.
#[derive(Serialize)]
struct Step {
    place: String,
    text: String,
    because: String,
}

/// Why a statement stays, or why it need not.
pub fn why(project: &Project, statement: StatementId) -> Explanation {
    let slice = &project.analysis.slice;
    let kept = slice.kept[statement.0 as usize];
    Explanation {
        place: diagnostics::place_of(project, statement),
        text: text(project, statement),
        kept,
        chain: if kept {
            chain(project, statement)
        } else {
            Vec::new()
        },
        reason: if kept {
            String::new()
        } else {
            reason_removed(project, statement)
        },
    }
}

fn chain(project: &Project, statement: StatementId) -> Vec<Step> {
    let reasons = &project.analysis.slice.reasons;
    let (mut chain, mut seen, mut at) = (Vec::new(), Vec::new(), Some(statement));
    while let Some(id) = at.filter(|id| !seen.contains(id)) {
        seen.push(id);
        let reason = reasons.get(id.0 as usize).and_then(Option::as_ref);
        let because = reason
            .map_or("is kept", |reason| reason.because.as_str())
            .to_string();
        at = reason.and_then(|reason| reason.needed_by);
        let wants_it = at.map(|id| format!(", which {} needs", diagnostics::place_of(project, id)));
        let named = because.starts_with("defines ") || because.starts_with("may end");
        let recorded = at.is_none() && because.starts_with("decides");
        let because = match wants_it.filter(|_| named) {
            Some(wants_it) => because + &wants_it,
            None if recorded => because + ", which is recorded",
            None => because,
        };
        chain.push(Step {
            place: diagnostics::place_of(project, id),
            text: text(project, id),
            because,
        });
    }
    chain
}

fn reason_removed(project: &Project, statement: StatementId) -> String {
    let slice = &project.analysis.slice;
    let assumed: Vec<String> = slice
        .assumptions
        .iter()
        .map(|(id, _)| diagnostics::place_of(project, *id))
        .collect();
    let given = match assumed.len() {
        0 => String::new(),
        _ => format!(", given the assumptions at {}", assumed.join(", ")),
    };
    if slice.dead[statement.0 as usize] {
        return format!("not in the slice: it cannot run{given}");
    }
    format!(
        "not in the slice: no MPI call or argument, no work term of a block and no section end \
        depends on it{given}{}",
        dependent_blocks(project, statement)
    )
}

/// What depends on a statement that is left out: how much a block executes, without a work term for it.
fn dependent_blocks(project: &Project, statement: StatementId) -> String {
    let analysis = &project.analysis;
    let untold = analysis
        .blocks
        .iter()
        .filter(|block| block.untold.contains(&statement));
    let places: Vec<String> = untold
        .map(|block| {
            analysis
                .table
                .place(&analysis.table.blocks[block.id.index()].span)
        })
        .collect();
    match places.len() {
        0 => String::new(),
        1 => format!(
            "; the work of the block at {} depends on it, but no work term does",
            places[0]
        ),
        _ => {
            format!(
                "; the work of the blocks at {} depends on it, but no work term does",
                places.join(", ")
            )
        }
    }
}

/// The statement as it is written, its first line.
fn text(project: &Project, statement: StatementId) -> String {
    let span = project.analysis.source_map.statement(statement).header;
    let text = String::from_utf8_lossy(project.sources.text(span)).into_owned();
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().trim().to_string();
    if lines.next().is_some() {
        format!("{first} …")
    } else {
        first
    }
}

impl std::fmt::Display for Explanation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.kept {
            return writeln!(f, "{}: {}\n    {}", self.place, self.text, self.reason);
        }
        for step in &self.chain {
            writeln!(f, "{}: {}\n    {}", step.place, step.text, step.because)?;
        }
        Ok(())
    }
}

/// What would have to be assumed for a statement to leave the slice.
#[derive(Serialize)]
pub struct RemovalExplanation {
    place: String,
    text: String,
    kept: bool,
    /// The fewest assumptions that would do, each as `--assume` takes it; empty where none do.
    assume: Vec<String>,
    /// Procedures without source that would have to do nothing but compute, where that would do.
    data_only: Vec<String>,
    /// What would have to be assumed beside them.
    also_assume: Vec<String>,
    /// What keeps it whatever is assumed.
    kept_by: Vec<Step>,
}

/// Procedures without source that keep a statement in the slice unless they are declared data-only.
pub struct BlockingExternals {
    /// Their names.
    pub names: Vec<String>,
    /// What would have to be assumed beside.
    pub assume: Vec<Open>,
}

/// The assumptions without which a statement stays.
pub fn removal_conditions(
    project: &Project,
    found: &RemovalConditions,
    externals: Option<BlockingExternals>,
) -> RemovalExplanation {
    let kept = project.analysis.slice.kept[found.statement.0 as usize];
    let spelled = |all: &[Open]| {
        all.iter()
            .map(|one| option(project, one))
            .collect::<Vec<_>>()
    };
    let nothing_does = found.assume.is_empty() && externals.is_none();
    let also_assume = externals
        .as_ref()
        .map_or(Vec::new(), |externals| spelled(&externals.assume));
    RemovalExplanation {
        place: diagnostics::place_of(project, found.statement),
        text: text(project, found.statement),
        kept,
        assume: spelled(&found.assume),
        data_only: externals.map_or(Vec::new(), |externals| externals.names),
        also_assume,
        kept_by: if kept && nothing_does {
            chain(project, found.statement)
        } else {
            Vec::new()
        },
    }
}

/// What can be assumed of a decision, as `--assume` takes it.
pub fn option(project: &Project, open: &Open) -> String {
    let place = place_of_clause(project, open.statement, open.clause);
    match &project.analysis.program.statement(open.statement).kind {
        StatementKind::If { .. } if open.only_taken => format!("{place}=taken"),
        StatementKind::If { .. } if open.repeats => format!("{place}=taken, not-taken or trips=N"),
        StatementKind::If { .. } => format!("{place}=taken or not-taken"),
        StatementKind::Select { .. } => {
            let first = place_of_clause(project, open.statement, 1);
            format!("{first}=taken, or another CASE of the SELECT at {place}")
        }
        StatementKind::Goto {
            labels,
            falls_through,
            ..
        } => {
            let labels: Vec<String> = labels.iter().map(|label| format!("goto={label}")).collect();
            let none = if *falls_through { " or not-taken" } else { "" };
            format!("{place}={}{none}", labels.join(", "))
        }
        _ => format!("{place}=trips=N"),
    }
}

/// `file:line` of an IF, ELSE IF, SELECT or CASE.
fn place_of_clause(project: &Project, statement: StatementId, clause: usize) -> String {
    let map = &project.analysis.source_map;
    let place = map.statement(statement);
    let span = clause
        .checked_sub(1)
        .and_then(|later| place.clauses.get(later))
        .unwrap_or(&place.header);
    let at = map.place(span.file, span.start);
    format!("{}:{}", project.sources.file(at.file).path, at.line)
}

impl std::fmt::Display for RemovalExplanation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}: {}", self.place, self.text)?;
        if !self.kept {
            return writeln!(f, "    not in the slice as it is");
        }
        match &self.kept_by[..] {
            [] => {}
            [only] => return writeln!(f, "    stays under any assumption: it {}", only.because),
            [.., last] => {
                let Step {
                    place,
                    text,
                    because,
                } = last;
                return writeln!(
                    f,
                    "    stays under any assumption: it leads to {place}: {text}\n    which \
                    {because}; --why {} prints the chain",
                    self.place
                );
            }
        }
        let count =
            |all: &[String]| numbers::counted(all.len() as u64, "assumption", "assumptions");
        if !self.assume.is_empty() {
            writeln!(f, "    would leave the slice with {}:", count(&self.assume))?;
            self.assume
                .iter()
                .try_for_each(|one| writeln!(f, "    --assume {one}"))?;
        }
        if self.data_only.is_empty() {
            return Ok(());
        }
        let names = self.data_only.join(", ");
        write!(
            f,
            "    would leave the slice if these call no MPI and write only real and complex \
            arguments ([externals] data_only): {names}"
        )?;
        match &self.also_assume[..] {
            [] => writeln!(f),
            all => {
                writeln!(f, "; with {}:", count(all))?;
                all.iter()
                    .try_for_each(|one| writeln!(f, "    --assume {one}"))
            }
        }
    }
}
