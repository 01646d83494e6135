//! Resolves the steps of directives to procedures, loops, and the statements at positions.

use super::selection::{self, nth};
use super::{LoopKind, Position, Step};
use crate::plan::InsertionPoint;
use frontend::analysis::Analysis;
use frontend::ir::{Callee, ProcedureId, StatementId, StatementKind};
use frontend::source::Sources;
use std::collections::BTreeSet;
use std::ops;

/// A procedure, or a loop in it.
pub(in crate::plan) struct Range {
    pub(in crate::plan) procedure: ProcedureId,
    /// All statements of the procedure, in the order of the text.
    all: Vec<StatementId>,
    /// The loop and what is inside it.
    block: Option<ops::Range<usize>>,
}

impl Range {
    /// The loop.
    pub(in crate::plan) fn block(&self) -> Option<StatementId> {
        let block = self.block.as_ref()?;
        self.all.get(block.start).copied()
    }

    /// Whether a statement is inside.
    pub(super) fn contains(&self, id: StatementId) -> bool {
        self.inside().contains(&id)
    }

    /// The statements inside, without the loop itself.
    fn inside(&self) -> &[StatementId] {
        match &self.block {
            Some(block) => &self.all[block.start + 1..block.end],
            None => &self.all,
        }
    }
}

pub(in crate::plan) struct StepResolver<'a> {
    sources: &'a Sources,
    analysis: &'a Analysis,
    /// The construct around each statement.
    parents: Vec<Option<StatementId>>,
}

impl<'a> StepResolver<'a> {
    pub(in crate::plan) fn of(sources: &'a Sources, analysis: &'a Analysis) -> Self {
        let statements = &analysis.program.statements;
        let mut parents = vec![None; statements.len()];
        for (id, statement) in (0..).map(StatementId).zip(statements) {
            for body in statement.kind.bodies() {
                for inner in body {
                    parents[inner.0 as usize] = Some(id);
                }
            }
        }
        Self {
            sources,
            analysis,
            parents,
        }
    }

    /// `FILE:LINE` of a statement.
    pub(in crate::plan) fn place(&self, id: StatementId) -> String {
        let map = &self.analysis.source_map;
        let span = map.statement(id).whole;
        let place = map.place(span.file, span.start);
        format!("{}:{}", self.sources.file(place.file).path, place.line)
    }

    /// The procedure of a name.
    pub(in crate::plan) fn procedure(&self, name: &str) -> Result<ProcedureId, String> {
        let program = &self.analysis.program;
        let procedures = (0..).map(ProcedureId).zip(&program.procedures);
        let found: Vec<ProcedureId> = procedures
            .filter(|(_, procedure)| procedure.name == name)
            .map(|(id, _)| id)
            .collect();
        match (&found[..], program.main) {
            ([one], _) => Ok(*one),
            ([], Some(main)) if name == "main" => Ok(main),
            ([], _) => {
                let names: Vec<&str> = program
                    .procedures
                    .iter()
                    .map(|procedure| procedure.name.as_str())
                    .collect();
                Err(selection::no_procedure("procedure", name, &names))
            }
            _ => Err(selection::several_procedures(
                "procedure",
                name,
                found.len(),
            )),
        }
    }

    /// The procedure or loop that a step names.
    pub(in crate::plan) fn range(&self, step: &Step) -> Result<Range, String> {
        let procedure = self.procedure(&step.function)?;
        let own = self.analysis.program.procedure(procedure);
        if own.is_pure {
            return Err(format!(
                "{} is PURE or ELEMENTAL, so nothing can be measured in it; remove this, or name the function that calls it",
                own.name
            ));
        }
        let mut range = Range {
            procedure,
            all: Vec::new(),
            block: None,
        };
        self.append(&own.body, &mut range.all);
        let Some(number) = step.block else {
            if step.kind.is_some() {
                return Err(selection::NO_BLOCK_NUMBER.into());
            }
            return Ok(range);
        };
        let is_counted = |id: &StatementId| {
            let kind = kind_of(&self.analysis.program.statement(*id).kind);
            kind.is_some_and(|kind| step.kind.is_none_or(|wanted| wanted == kind))
        };
        let loops: Vec<StatementId> = range.all.iter().copied().filter(is_counted).collect();
        let Some(chosen) = nth(&loops, number) else {
            let places: Vec<String> = loops.iter().map(|&id| self.place(id)).collect();
            return Err(selection::no_block(&own.name, number, step.kind, &places));
        };
        let mut inside = Vec::new();
        self.append(&[chosen], &mut inside);
        let start = range.all.iter().position(|id| *id == chosen).unwrap_or(0);
        range.block = Some(start..start + inside.len());
        Ok(range)
    }

    /// Statements with all that is inside them, in the order of the text.
    fn append(&self, body: &[StatementId], all: &mut Vec<StatementId>) {
        for &id in body {
            all.push(id);
            for inner in self.analysis.program.statement(id).kind.bodies() {
                self.append(inner, all);
            }
        }
    }

    /// The statements that a step names: the one at its position, or without position all inside. `count` says how many of the
    /// counted things are in a statement.
    pub(in crate::plan) fn at(
        &self,
        range: &Range,
        position: Option<Position>,
        count: &dyn Fn(StatementId) -> usize,
        what: &str,
    ) -> Result<Vec<StatementId>, String> {
        let wanted = |list: &mut dyn Iterator<Item = StatementId>| -> Vec<StatementId> {
            list.flat_map(|id| std::iter::repeat_n(id, count(id)))
                .collect()
        };
        let inside = || wanted(&mut range.inside().iter().copied());
        let found = match (position, &range.block) {
            (None, _) => {
                let mut found = inside();
                found.dedup();
                if !found.is_empty() {
                    return Ok(found);
                }
                found
            }
            (Some(Position::Inside(_)), _) => inside(),
            (Some(Position::Before(_)), Some(block)) => {
                // Counted from the loop backward: before(1) is the nearest one.
                let before = range.all[..block.start].iter().rev().copied();
                wanted(&mut before.into_iter())
            }
            (Some(Position::After(_)), Some(block)) => {
                let after = range.all[block.end..].iter().copied();
                wanted(&mut after.into_iter())
            }
            (Some(Position::Before(_) | Position::After(_)), None) => {
                return Err(selection::NO_BLOCK_FOR_SIDE.into());
            }
        };
        if let Some(chosen) = nth(&found, selection::side(position).0) {
            return Ok(vec![chosen]);
        }
        let name = &self.analysis.program.procedure(range.procedure).name;
        let whole = match range.block() {
            Some(block) => format!("the block of {name} at {}", self.place(block)),
            None => name.clone(),
        };
        let places: Vec<String> = found.iter().map(|&id| self.place(id)).collect();
        Err(selection::no_position(position, what, &whole, &places))
    }

    /// Whether every way out of a procedure or loop is known, and it is not entered again before it is left.
    pub(in crate::plan) fn check_left_once(&self, range: &Range) -> Result<(), String> {
        let own = self.analysis.program.procedure(range.procedure);
        if own.is_whole {
            return Err(format!(
                "{} has ENTRY, alternate returns or assigned GOTO, so what is executed in it is not measured; name another function",
                own.name
            ));
        }
        let reached = self.reached(range.procedure);
        if reached.contains(&range.procedure) {
            return Err(selection::calls_itself(&own.name));
        }
        Ok(())
    }

    /// The procedures that a procedure calls, directly or not.
    fn reached(&self, from: ProcedureId) -> BTreeSet<ProcedureId> {
        let mut reached = BTreeSet::new();
        let mut open = vec![from];
        while let Some(caller) = open.pop() {
            for &(from, to) in &self.analysis.call_graph {
                if from == caller && reached.insert(to) {
                    open.push(to);
                }
            }
        }
        reached
    }

    /// The procedures that are executed in ranges, those of the ranges apart.
    pub(super) fn executed(&self, ranges: &[Range]) -> BTreeSet<ProcedureId> {
        let mut executed = BTreeSet::new();
        for range in ranges {
            // Calls of other kinds, as those of a final procedure, are known for the whole procedure only.
            executed.extend(self.reached(range.procedure));
        }
        executed
    }

    /// Where a procedure or loop is left.
    pub(in crate::plan) fn exits(
        &self,
        range: &Range,
    ) -> Result<Vec<(StatementId, InsertionPoint)>, String> {
        let program = &self.analysis.program;
        let inside: BTreeSet<StatementId> = range.inside().iter().copied().collect();
        let stays = |id: StatementId| inside.contains(&id) || range.block() == Some(id);
        let mut exits = Vec::new();
        for &id in range.inside() {
            let kind = &program.statement(id).kind;
            let leaves = match kind {
                StatementKind::Return => true,
                StatementKind::Exit(construct) | StatementKind::Cycle(construct) => {
                    !stays(*construct)
                }
                _ => is_finalize(kind),
            };
            if leaves {
                exits.push((id, InsertionPoint::Before));
            }
            for &label in kind.jump_labels() {
                let target = range
                    .all
                    .iter()
                    .copied()
                    .find(|&id| program.statement(id).label == Some(label));
                let Some(target) = target else {
                    return Err(format!(
                        "{} jumps to label {label}, which stands at no statement that is executed; give the label to a CONTINUE",
                        self.place(id)
                    ));
                };
                // Others may jump to the label, too: leaving what is not open does nothing.
                if !inside.contains(&target) {
                    exits.push((target, InsertionPoint::Before));
                }
            }
        }
        let last = match range.block() {
            Some(block) => Some(block),
            None => program.procedure(range.procedure).body.last().copied(),
        };
        let Some(last) = last else {
            let name = &program.procedure(range.procedure).name;
            return Err(format!("{name} has no statements; name another function"));
        };
        // RETURN and STOP as last statement: nothing behind them is executed, and RETURN has its exit already.
        let never_ends = matches!(
            program.statement(last).kind,
            StatementKind::Return | StatementKind::Stop
        );
        if !never_ends {
            exits.push((last, InsertionPoint::After));
        }
        exits.sort();
        exits.dedup();
        Ok(exits)
    }

    /// The calls of MPI_Finalize.
    pub(in crate::plan) fn finalize_calls(&self) -> Vec<StatementId> {
        let statements = (0..)
            .map(StatementId)
            .zip(&self.analysis.program.statements);
        statements
            .filter(|(_, statement)| is_finalize(&statement.kind))
            .map(|(id, _)| id)
            .collect()
    }

    /// The statements in a range with calls of procedures that may execute MPI_Finalize.
    pub(super) fn calls_that_finalize(&self, range: &Range) -> Vec<StatementId> {
        let program = &self.analysis.program;
        let mut ending: BTreeSet<ProcedureId> = BTreeSet::new();
        let mut open: Vec<ProcedureId> = Vec::new();
        for id in self.finalize_calls() {
            open.push(program.statement(id).procedure);
        }
        while let Some(callee) = open.pop() {
            if !ending.insert(callee) {
                continue;
            }
            for &(from, to) in &self.analysis.call_graph {
                if to == callee {
                    open.push(from);
                }
            }
        }
        let calls = |id: &StatementId| {
            let procedures = called_procedures(&program.statement(*id).kind);
            procedures.iter().any(|one| ending.contains(one))
        };
        range.inside().iter().copied().filter(calls).collect()
    }

    /// Whether a statement is no DO CONCURRENT and in none, where nothing may be counted.
    pub(in crate::plan) fn check_concurrency(&self, id: StatementId) -> Result<(), String> {
        let mut around = Some(id);
        while let Some(id) = around {
            if self.analysis.program.is_concurrent_loop(id) {
                return Err(format!(
                    "nothing can be measured in the DO CONCURRENT at {}; name a block around it, or the function",
                    self.place(id)
                ));
            }
            around = self.parents[id.0 as usize];
        }
        Ok(())
    }
}

/// The procedures that a statement itself may call.
pub(super) fn called_procedures(kind: &StatementKind) -> Vec<ProcedureId> {
    let mut procedures = Vec::new();
    if let StatementKind::Call { callee, .. } = kind {
        procedures.extend(callee.procedures());
    }
    for expression in kind.expressions() {
        for callee in expression.callees() {
            procedures.extend(callee.procedures());
        }
    }
    procedures
}

fn is_finalize(kind: &StatementKind) -> bool {
    matches!(kind, StatementKind::Call { callee: Callee::Mpi(function), .. } if function.name == "MPI_Finalize")
}

fn kind_of(kind: &StatementKind) -> Option<LoopKind> {
    match kind {
        StatementKind::Do { .. } => Some(LoopKind::For),
        StatementKind::While {
            condition: Some(_), ..
        } => Some(LoopKind::While),
        StatementKind::While {
            condition: None, ..
        } => Some(LoopKind::Do),
        _ => None,
    }
}
