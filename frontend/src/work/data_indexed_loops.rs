//! Data-indexed loops: loops whose iterations process different data. Their index, or a value computed from it, selects array
//! elements or bounds of other loops, in the loop or in procedures that receive it as an argument. The planes of a sweep
//! are an example, time steps are not.
//!
//! A forward may-analysis over scalar variables from the index, to the least fixpoint. If such a loop is left early, the
//! caches contain other data than usual; `token_runtime::measure` accounts for that.

use crate::blocks::block_finder::{self, ProgramElement};
use crate::effects::model::Model;
use crate::graphs::call_graph::{self, Call};
use crate::ir::references;
use crate::ir::statement_tree;
use crate::ir::{Expression, ProcedureId, StatementId, StatementKind, VariableId};
use std::collections::BTreeSet;

/// The data-indexed loops with communication.
pub(crate) fn loops(model: &Model, found: &[ProgramElement]) -> BTreeSet<StatementId> {
    block_finder::loops(found)
        .filter(|&id| traverses_data(model, id))
        .collect()
}

fn traverses_data(model: &Model, id: StatementId) -> bool {
    // Without the loop statement itself: its bounds are evaluated before its index has a value.
    let statements = statement_tree::subtree(model.program, id)[1..].to_vec();
    let variables = indices(model, id, &statements);
    let mut index = Index {
        model,
        statements,
        variables,
        procedures: BTreeSet::new(),
    };
    // Procedures are added as the index is passed to them, so their statements are visited in a later pass.
    while index.propagate() {}
    for &id in &index.statements {
        if index.is_selection(&model.program.statement(id).kind) {
            return true;
        }
    }
    false
}

/// The variables that count the iterations of a loop: its DO variable, or the variables in its condition that the body
/// computes from themselves.
fn indices(model: &Model, id: StatementId, inside: &[StatementId]) -> BTreeSet<VariableId> {
    let condition = match &model.program.statement(id).kind {
        StatementKind::Do { variable, .. } => return [*variable].into(),
        StatementKind::While {
            condition: Some(condition),
            ..
        } => condition,
        _ => return BTreeSet::new(),
    };
    let mut counted = BTreeSet::new();
    for &id in inside {
        if let StatementKind::Assign {
            target: Expression::Variable(target),
            value,
        } = &model.program.statement(id).kind
            && references::variables(value).contains(target)
        {
            counted.insert(*target);
        }
    }
    let mut found: BTreeSet<VariableId> = references::variables(condition).into_iter().collect();
    found.retain(|variable| counted.contains(variable));
    found
}

/// The values that depend on the index of a loop.
struct Index<'a> {
    model: &'a Model<'a>,
    /// The statements of the loop, and of procedures that receive the index.
    statements: Vec<StatementId>,
    /// Scalars that depend on the index.
    variables: BTreeSet<VariableId>,
    procedures: BTreeSet<ProcedureId>,
}

impl Index<'_> {
    /// One pass over all statements; whether anything is new.
    fn propagate(&mut self) -> bool {
        let before = (self.variables.len(), self.procedures.len());
        // A copy, since an index that is passed on adds statements.
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
            for procedure in self.model.calls.targets(call.callee) {
                self.is_passed_to(procedure, &call);
            }
        }
    }

    fn is_passed_to(&mut self, procedure: ProcedureId, call: &Call) {
        let model = self.model;
        let dummies = &model.program.procedure(procedure).dummies;
        let mut passed = Vec::new();
        for (dummy, argument) in dummies.iter().zip(&call.arguments) {
            if let (Some(dummy), Some(argument)) = (dummy, argument)
                && self.is_in(argument)
            {
                passed.push(*dummy);
            }
        }
        if !passed.is_empty() && self.procedures.insert(procedure) {
            self.statements
                .extend(model.outline.of_procedure(procedure));
        }
        self.variables.extend(passed);
    }

    fn is_in(&self, expression: &Expression) -> bool {
        let variables = references::variables(expression);
        variables.iter().any(|one| self.variables.contains(one))
    }

    /// Whether the index selects the elements that a statement accesses, or the bounds of a loop.
    fn is_selection(&self, kind: &StatementKind) -> bool {
        let is_loop = matches!(kind, StatementKind::Do { .. });
        for expression in references::expressions(kind) {
            let mut is_selection = is_loop && self.is_in(expression);
            references::walk(expression, &mut |part| {
                for subscript in references::address(part) {
                    is_selection |= self.is_in(subscript);
                }
            });
            if is_selection {
                return true;
            }
        }
        false
    }
}
