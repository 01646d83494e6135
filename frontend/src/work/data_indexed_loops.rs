//! Loops whose iterations go over different data: their index, or what is computed from it, chooses elements of
//! arrays or bounds of other loops, in them or in procedures that it is passed to. Planes of a sweep are so, time
//! steps are not.
//!
//! Not here: that such a loop, left early, leaves other data in the caches than it usually does
//! (`token_runtime::measure`).

use crate::blocks::block_finder::{self, Found};
use crate::effects::model::Model;
use crate::graphs::call_graph::{self, Call};
use crate::ir::references;
use crate::ir::statement_tree;
use crate::ir::{Expression, ProcedureId, StatementId, StatementKind, VariableId};
use std::collections::BTreeSet;

/// Those of the loops with communication.
pub(crate) fn loops(model: &Model, found: &[Found]) -> BTreeSet<StatementId> {
    block_finder::loops(found)
        .filter(|&id| traverses_data(model, id))
        .collect()
}

fn traverses_data(model: &Model, id: StatementId) -> bool {
    let statements = statement_tree::subtree(model.program, id)[1..].to_vec();
    let variables = indices(model, id, &statements);
    let mut index = Index {
        model,
        statements,
        variables,
        procedures: BTreeSet::new(),
    };
    while index.propagate() {}
    index
        .statements
        .iter()
        .any(|&id| index.is_selection(&model.program.statement(id).kind))
}

/// What counts the iterations of a loop: its variable, or what is made of itself and asked by its condition.
fn indices(model: &Model, id: StatementId, inside: &[StatementId]) -> BTreeSet<VariableId> {
    let kind = &model.program.statement(id).kind;
    if let StatementKind::Do { variable, .. } = kind {
        return [*variable].into();
    }
    let StatementKind::While {
        condition: Some(condition),
        ..
    } = kind
    else {
        return BTreeSet::new();
    };
    let counts = |variable: &VariableId| {
        inside.iter().any(|&id| {
            matches!(&model.program.statement(id).kind, StatementKind::Assign { target: Expression::Variable(target), value }
                if target == variable && references::variables(value).contains(variable))
        })
    };
    references::variables(condition)
        .into_iter()
        .filter(counts)
        .collect()
}

/// Where the index of a loop gets to.
struct Index<'a> {
    model: &'a Model<'a>,
    /// The loop's, and those of procedures that it is passed to.
    statements: Vec<StatementId>,
    /// Scalars that depend on it.
    variables: BTreeSet<VariableId>,
    procedures: BTreeSet<ProcedureId>,
}

impl Index<'_> {
    /// Whether it got further.
    fn propagate(&mut self) -> bool {
        let before = (self.variables.len(), self.procedures.len());
        for id in self.statements.clone() {
            let kind = &self.model.program.statement(id).kind;
            self.is_assigned(kind);
            self.is_passed(kind);
        }
        before != (self.variables.len(), self.procedures.len())
    }

    fn is_assigned(&mut self, kind: &StatementKind) {
        if let StatementKind::Assign {
            target: Expression::Variable(target),
            value,
        } = kind
            && self.is_in(value)
        {
            self.variables.insert(*target);
        }
    }

    fn is_passed(&mut self, kind: &StatementKind) {
        for call in call_graph::calls(kind) {
            let targets = self.model.calls.targets(call.callee);
            for procedure in targets {
                self.is_passed_to(procedure, &call);
            }
        }
    }

    fn is_passed_to(&mut self, procedure: ProcedureId, call: &Call) {
        let dummies = self.model.program.procedure(procedure).dummies.iter();
        let is_in =
            |argument: &Option<&Expression>| argument.is_some_and(|argument| self.is_in(argument));
        let passed = dummies
            .zip(&call.arguments)
            .filter(|(_, argument)| is_in(argument));
        let passed: Vec<VariableId> = passed.filter_map(|(dummy, _)| *dummy).collect();
        if !passed.is_empty() && self.procedures.insert(procedure) {
            self.statements
                .extend(self.model.outline.of_procedure(procedure));
        }
        self.variables.extend(passed);
    }

    fn is_in(&self, expression: &Expression) -> bool {
        references::variables(expression)
            .iter()
            .any(|variable| self.variables.contains(variable))
    }

    /// Whether it chooses what a statement works on, or how much of it.
    fn is_selection(&self, kind: &StatementKind) -> bool {
        let is_bound = matches!(kind, StatementKind::Do { .. });
        references::expressions(kind).into_iter().any(|expression| {
            let mut is_selection = is_bound && self.is_in(expression);
            references::walk(expression, &mut |part| {
                is_selection |= references::address(part)
                    .into_iter()
                    .any(|subscript| self.is_in(subscript));
            });
            is_selection
        })
    }
}
