//! Static cost model of MPI calls: about how many of them statements make, with constant trip counts where known and
//! [`DEFAULT_TRIP_COUNT`] otherwise. Only the choice of the timed section uses it.

use crate::graphs::call_graph::{self, CallGraph};
use crate::ir::constant_values::constant;
use crate::ir::references;
use crate::ir::statement_tree::Outline;
use crate::ir::{Callee, Expression, ProcedureId, Program, StatementId, StatementKind, VariableId};
use base_data::mpi::FunctionKind;
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
            // Nests of unknown loops overflow quickly, and only the order of the sums matters.
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
                found += u64::from(!matches!(
                    function.kind,
                    FunctionKind::Local | FunctionKind::Clock
                ));
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

    /// The dummies of a procedure for which a statement passes constants.
    fn constants(&self, call: StatementId, procedure: ProcedureId) -> BTreeMap<VariableId, i64> {
        let mut constants = BTreeMap::new();
        let dummies = &self.program.procedure(procedure).dummies;
        for call in call_graph::calls(&self.program.statement(call).kind) {
            if !self.calls.targets(call.callee).contains(&procedure) {
                continue;
            }
            for (dummy, argument) in dummies.iter().zip(&call.arguments) {
                if let (Some(dummy), Some(argument)) = (dummy, argument)
                    && let Some(value) = constant(self.program, argument)
                {
                    constants.insert(*dummy, value);
                }
            }
        }
        constants
    }

    fn trips(&self, id: StatementId, bound: &BTreeMap<VariableId, i64>) -> u64 {
        match &self.program.statement(id).kind {
            StatementKind::Do {
                from,
                to,
                step: None,
                ..
            } => match (self.value(from, bound), self.value(to, bound)) {
                (Some(from), Some(to)) => {
                    let span = to.saturating_sub(from).saturating_add(1);
                    u64::try_from(span).unwrap_or_default()
                }
                _ => DEFAULT_TRIP_COUNT,
            },
            StatementKind::Do { .. } | StatementKind::While { .. } => DEFAULT_TRIP_COUNT,
            _ => 1,
        }
    }

    /// The value of a constant, or of a dummy that is bound to one.
    fn value(&self, expression: &Expression, bound: &BTreeMap<VariableId, i64>) -> Option<i64> {
        match constant(self.program, expression) {
            Some(value) => Some(value),
            None => bound.get(&references::base(expression)?).copied(),
        }
    }
}
