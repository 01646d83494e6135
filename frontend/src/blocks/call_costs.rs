//! Static cost model of MPI calls: about how many of them statements make, with constant trip counts where known and
//! [`DEFAULT_TRIP_COUNT`] otherwise. Only the choice of the timed section uses it.

use crate::graphs::call_graph::{self, CallGraph};
use crate::ir::constant_values::constant;
use crate::ir::references;
use crate::ir::statement_tree::Outline;
use crate::ir::{Callee, Expression, ProcedureId, Program, StatementId, StatementKind, VariableId};
use base_data::mpi::Kind;
use std::collections::BTreeMap;

/// Iterations of a loop whose bounds are not constants: more than a few.
const DEFAULT_TRIP_COUNT: u64 = 16;

/// Weights of a program.
pub(crate) struct CallCosts<'a> {
    program: &'a Program,
    outline: &'a Outline,
    calls: &'a CallGraph,
    /// Calls that one call of a procedure makes.
    known: BTreeMap<ProcedureId, u64>,
}

impl<'a> CallCosts<'a> {
    /// Of no procedure yet.
    pub(crate) fn new(program: &'a Program, outline: &'a Outline, calls: &'a CallGraph) -> Self {
        CallCosts {
            program,
            outline,
            calls,
            known: BTreeMap::new(),
        }
    }

    /// The calls of some statements of a procedure, where `called_by` called it: its dummies are what that
    /// statement passes.
    pub(crate) fn of(&mut self, statements: &[StatementId], called_by: Option<StatementId>) -> u64 {
        let Some(&first) = statements.first() else {
            return 0;
        };
        let bound =
            called_by.map(|call| self.constants(call, self.program.statement(first).procedure));
        self.sum(statements, &bound.unwrap_or_default())
    }

    fn sum(&mut self, statements: &[StatementId], bound: &BTreeMap<VariableId, i64>) -> u64 {
        let mut sum = 0_u64;
        for &id in statements
            .iter()
            .filter(|id| self.calls.communicates[id.0 as usize])
        {
            let around = self
                .outline
                .ancestors(id)
                .map(|above| self.trips(above, bound));
            let times = around.fold(1, u64::saturating_mul);
            sum = sum.saturating_add(self.own(id).saturating_mul(times));
        }
        sum
    }

    /// The calls that a statement itself makes.
    fn own(&mut self, id: StatementId) -> u64 {
        let mut found = 0_u64;
        for call in call_graph::calls(&self.program.statement(id).kind) {
            if let Callee::Mpi(function) = call.callee {
                found += u64::from(!matches!(function.kind, Kind::Local | Kind::Clock));
            }
            for target in self.calls.targets(call.callee) {
                found = found.saturating_add(self.procedure(target));
            }
        }
        found
    }

    fn procedure(&mut self, procedure: ProcedureId) -> u64 {
        if let Some(&known) = self.known.get(&procedure) {
            return known;
        }
        // One that calls itself counts once.
        self.known.insert(procedure, 0);
        let outline = self.outline;
        let weight = self.sum(outline.of_procedure(procedure), &BTreeMap::new());
        self.known.insert(procedure, weight);
        weight
    }

    /// The dummies of a procedure that a statement passes constants for.
    fn constants(&self, call: StatementId, procedure: ProcedureId) -> BTreeMap<VariableId, i64> {
        let calls = call_graph::calls(&self.program.statement(call).kind);
        let passing = calls
            .iter()
            .filter(|call| self.calls.targets(call.callee).contains(&procedure));
        let dummies = &self.program.procedure(procedure).dummies;
        let pairs = passing.flat_map(|call| dummies.iter().zip(&call.arguments));
        pairs
            .filter_map(|(dummy, argument)| {
                Some(((*dummy)?, constant(self.program, (*argument)?)?))
            })
            .collect()
    }

    fn trips(&self, id: StatementId, bound: &BTreeMap<VariableId, i64>) -> u64 {
        let value = |expression: &Expression| {
            let passed =
                references::base(expression).and_then(|variable| bound.get(&variable).copied());
            constant(self.program, expression).or(passed)
        };
        let kind = &self.program.statement(id).kind;
        if let StatementKind::Do {
            from,
            to,
            step: None,
            ..
        } = kind
        {
            let span = value(to)
                .zip(value(from))
                .map(|(to, from)| to.saturating_sub(from).saturating_add(1));
            return span.map_or(DEFAULT_TRIP_COUNT, |span| {
                u64::try_from(span).unwrap_or_default()
            });
        }
        let repeats = matches!(kind, StatementKind::Do { .. } | StatementKind::While { .. });
        if repeats { DEFAULT_TRIP_COUNT } else { 1 }
    }
}
