//! `mpiete analyze --why` and `--why-not`: the dependences that keep a statement in the slice, from it to an MPI call, and the
//! assumptions that would remove it.

use crate::diagnostics;
use crate::project::Project;
use crate::view::numbers;
use frontend::analysis::{AssumptionCandidate, RemovalConditions};
use frontend::ir::{StatementId, StatementKind};
use serde::Serialize;

/// A statement, and the reason why it is in the slice or not.
#[derive(Serialize)]
pub struct Explanation {
    place: String,
    text: String,
    kept: bool,
    /// From the statement to a criterion of the slice.
    chain: Vec<Step>,
    /// The reason for a removed statement, in a sentence.
    reason: String,
}

/// A statement of the chain, and why the next one depends on it.
#[derive(Serialize)]
struct Step {
    place: String,
    text: String,
    because: String,
}

/// The reason why a statement is in the slice, or why it is not.
pub fn why(project: &Project, statement: StatementId) -> Explanation {
    let kept = project.analysis.slice.kept[statement.0 as usize];
    let (chain, reason) = if kept {
        (chain(project, statement), String::new())
    } else {
        (Vec::new(), reason_removed(project, statement))
    };
    Explanation {
        place: diagnostics::place_of(project, statement),
        text: text(project, statement),
        kept,
        chain,
        reason,
    }
}

fn chain(project: &Project, statement: StatementId) -> Vec<Step> {
    let reasons = &project.analysis.slice.reasons;
    let mut chain = Vec::new();
    let mut seen = Vec::new();
    let mut next = Some(statement);
    while let Some(id) = next {
        // Dependences of a loop may lead back to a statement of the chain.
        if seen.contains(&id) {
            break;
        }
        seen.push(id);
        let (mut because, needed_by) = match reasons.get(id.0 as usize) {
            Some(Some(reason)) => (reason.because.clone(), reason.needed_by),
            Some(None) | None => ("is kept".to_string(), None),
        };
        // Reasons of these kinds do not name the statement that depends on this one.
        let is_open = because.starts_with("defines ") || because.starts_with("may end");
        if let Some(user) = needed_by
            && is_open
        {
            because += &format!(", which {} needs", diagnostics::place_of(project, user));
        } else if needed_by.is_none() && because.starts_with("decides") {
            because += ", which is recorded";
        }
        chain.push(Step {
            place: diagnostics::place_of(project, id),
            text: text(project, id),
            because,
        });
        next = needed_by;
    }
    chain
}

fn reason_removed(project: &Project, statement: StatementId) -> String {
    let slice = &project.analysis.slice;
    let mut assumed = Vec::new();
    for (id, _) in &slice.assumptions {
        assumed.push(diagnostics::place_of(project, *id));
    }
    let mut given = String::new();
    if !assumed.is_empty() {
        given = format!(", given the assumptions at {}", assumed.join(", "));
    }
    if slice.dead[statement.0 as usize] {
        return format!("not in the slice: it cannot run{given}");
    }
    format!(
        "not in the slice: no MPI call or argument, no work term of a block and no section end \
        depends on it{given}{}",
        dependent_blocks(project, statement)
    )
}

/// The blocks whose work depends on a removed statement that no work term covers.
fn dependent_blocks(project: &Project, statement: StatementId) -> String {
    let analysis = &project.analysis;
    let mut places = Vec::new();
    for block in &analysis.blocks {
        if block.untold.contains(&statement) {
            let span = &analysis.table.blocks[block.id.index()].span;
            places.push(analysis.table.place(span));
        }
    }
    let blocks = match places.len() {
        0 => return String::new(),
        1 => "block",
        _ => "blocks",
    };
    format!(
        "; the work of the {blocks} at {} depends on it, but no work term does",
        places.join(", ")
    )
}

/// The first line of the statement's source text.
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

/// The assumptions that would remove a statement from the slice.
#[derive(Serialize)]
pub struct RemovalExplanation {
    place: String,
    text: String,
    kept: bool,
    /// The fewest sufficient assumptions, each as `--assume` takes it; empty if none are sufficient.
    assume: Vec<String>,
    /// Procedures without source that would have to be declared data-only, if that is sufficient.
    data_only: Vec<String>,
    /// Assumptions needed in addition to `data_only`.
    also_assume: Vec<String>,
    /// The dependences that keep it under any assumption.
    kept_by: Vec<Step>,
}

/// Procedures without source that keep a statement in the slice unless they are declared data-only.
pub struct BlockingExternals {
    /// Their names.
    pub names: Vec<String>,
    /// Assumptions needed in addition.
    pub assume: Vec<AssumptionCandidate>,
}

/// The assumptions that would remove a statement.
pub fn removal_conditions(
    project: &Project,
    found: &RemovalConditions,
    externals: Option<BlockingExternals>,
) -> RemovalExplanation {
    let kept = project.analysis.slice.kept[found.statement.0 as usize];
    let is_removable = !found.assume.is_empty() || externals.is_some();
    let mut kept_by = Vec::new();
    if kept && !is_removable {
        kept_by = chain(project, found.statement);
    }
    let (data_only, also_assume) = match externals {
        Some(externals) => (externals.names, options(project, &externals.assume)),
        None => (Vec::new(), Vec::new()),
    };
    RemovalExplanation {
        place: diagnostics::place_of(project, found.statement),
        text: text(project, found.statement),
        kept,
        assume: options(project, &found.assume),
        data_only,
        also_assume,
        kept_by,
    }
}

fn options(project: &Project, all: &[AssumptionCandidate]) -> Vec<String> {
    all.iter().map(|one| option(project, one)).collect()
}

/// The possible assumptions about a decision, as `--assume` takes them.
pub fn option(project: &Project, open: &AssumptionCandidate) -> String {
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
    // Clause 0 is the statement's own header; the ELSE IF and CASE lines after it count from 1.
    let span = match clause {
        0 => &place.header,
        later => place.clauses.get(later - 1).unwrap_or(&place.header),
    };
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
            for one in &self.assume {
                writeln!(f, "    --assume {one}")?;
            }
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
        if self.also_assume.is_empty() {
            return writeln!(f);
        }
        writeln!(f, "; with {}:", count(&self.also_assume))?;
        for one in &self.also_assume {
            writeln!(f, "    --assume {one}")?;
        }
        Ok(())
    }
}
