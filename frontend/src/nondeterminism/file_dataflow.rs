//! Flow of data through files: which READ statements may read what a WRITE of the same run wrote. The slice
//! ([`crate::memory::files`]) keeps every pair that may access one file; here only pairs with the same unit or name count, so that a
//! log of times is no input.

use crate::effects::statement_effects::IndirectEffect;
use crate::graphs::control_flow_graph::{CfgNode, ControlFlowGraph};
use crate::ir::canonical_text;
use crate::ir::constant_values::constant;
use crate::ir::{
    Expression, InputOutput, IoOperation, IoUnit, ProcedureId, StatementId, StatementKind,
};
use crate::memory::files::Unit;
use crate::nondeterminism::mpi_outputs::Readers;
use std::collections::{BTreeMap, BTreeSet};

/// Files of the program that statements of a slice write and read.
pub(crate) struct FileDataflow<'a> {
    readers: &'a Readers<'a>,
    /// The kept READ statements with a unit.
    reads: Vec<StatementId>,
    /// The literal names that units with a number are opened by.
    names: BTreeMap<i64, BTreeSet<&'a str>>,
    /// What was asked before.
    known: BTreeMap<StatementId, Vec<StatementId>>,
    flows: BTreeMap<ProcedureId, ControlFlowGraph>,
}

impl<'a> FileDataflow<'a> {
    /// Those of a slice.
    pub(crate) fn of(readers: &'a Readers<'a>) -> Self {
        let program = readers.model.program;
        let mut found = FileDataflow {
            readers,
            reads: Vec::new(),
            names: BTreeMap::new(),
            known: BTreeMap::new(),
            flows: BTreeMap::new(),
        };
        for id in readers.model.outline.all() {
            if !readers.kept[id.0 as usize] {
                continue;
            }
            let StatementKind::InputOutput(io) = &program.statement(id).kind else {
                continue;
            };
            // Units that are opened for one file name share its data, so names are noted by unit
            // number.
            match (io.operation, &io.unit, &io.file) {
                (IoOperation::Read, IoUnit::Number(_), _) => found.reads.push(id),
                (IoOperation::Open, IoUnit::Number(unit), Some(Expression::Literal(name))) => {
                    let name = name.trim_matches(['\'', '"']).trim_end();
                    if let Some(number) = constant(program, unit) {
                        found.names.entry(number).or_default().insert(name);
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Whether a statement writes to a file.
    pub(crate) fn writes(&self, id: StatementId) -> bool {
        match self.of_statement(id) {
            Some((io, _)) => io.operation == IoOperation::Write,
            None => false,
        }
    }

    /// The READ statements that may come after a WRITE of their file.
    pub(crate) fn read_after(&mut self, write: StatementId) -> Vec<StatementId> {
        if let Some(known) = self.known.get(&write) {
            return known.clone();
        }
        let mut found = Vec::new();
        for read in self.reads.clone() {
            if self.is_same_file(write, read) && self.is_after(write, read) {
                found.push(read);
            }
        }
        self.known.insert(write, found.clone());
        found
    }

    fn of_statement(&self, id: StatementId) -> Option<(&'a InputOutput, &'a Expression)> {
        let StatementKind::InputOutput(io) = &self.readers.model.program.statement(id).kind else {
            return None;
        };
        let IoUnit::Number(unit) = &io.unit else {
            return None;
        };
        Some((io, unit))
    }

    fn is_same_file(&self, one: StatementId, other: StatementId) -> bool {
        let (Some((_, first)), Some((_, second))) =
            (self.of_statement(one), self.of_statement(other))
        else {
            return false;
        };
        let model = self.readers.model;
        let class = |id: StatementId| match model.locations.files.unit(id) {
            Unit::Class(class) => Some(class),
            Unit::Output | Unit::Internal | Unit::Any => None,
        };
        if class(one).is_none() || class(one) != class(other) {
            return false;
        }
        let names = |number: i64| self.names.get(&number).into_iter().flatten();
        match (
            constant(model.program, first),
            constant(model.program, second),
        ) {
            (Some(one), Some(other)) => {
                one == other || names(one).any(|n| names(other).any(|m| m == n))
            }
            (None, None) => {
                canonical_text::spell(model.program, first)
                    == canonical_text::spell(model.program, second)
            }
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// Whether control may come from one statement to another, also through calls and returns.
    fn is_after(&mut self, one: StatementId, other: StatementId) -> bool {
        let (from, to) = (self.leading_to(one), self.leading_to(other));
        let Readers { model, control, .. } = *self.readers;
        for first in from {
            // Both, or calls that lead to them, stand in a common procedure.
            let procedure = model.program.statement(first).procedure;
            let mut ends = Vec::new();
            for &id in &to {
                if model.program.statement(id).procedure == procedure {
                    ends.push(id);
                }
            }
            if ends.is_empty() {
                continue;
            }
            let flow = self
                .flows
                .entry(procedure)
                .or_insert_with(|| control.flow(model, procedure, &control.assumed));
            for next in flow.successors(flow.number(CfgNode::Statement(first))) {
                let reached = flow.reachable(next);
                for &end in &ends {
                    if reached[flow.number(CfgNode::Statement(end))] {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// A statement, and the calls that lead to it.
    fn leading_to(&self, id: StatementId) -> BTreeSet<StatementId> {
        let model = self.readers.model;
        let mut found = BTreeSet::from([id]);
        let mut open = vec![id];
        while let Some(next) = open.pop() {
            let procedure = model.program.statement(next).procedure;
            for &caller in model.effects.callers(IndirectEffect::Procedure(procedure)) {
                if found.insert(caller) {
                    open.push(caller);
                }
            }
        }
        found
    }
}
