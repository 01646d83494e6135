//! CALL: who is called, what is passed, and when it ends the run.

use super::expressions::keyword_of;
use super::known_names::STOPPING;
use super::lower::Lowering;
use super::names::{Entity, ScopeId};
use super::syntax::At;
use crate::diagnostics::Severity;
use crate::ir::{Callee, Expression, StatementKind};

impl<'a> Lowering<'a> {
    /// CALL.
    pub fn call(&mut self, scope: ScopeId, at: At<'a>) -> StatementKind {
        if self.stops(scope, at) {
            return StatementKind::Stop;
        }
        let list = at.child("argument_list").map_or(Vec::new(), |list| list.named());
        let mut arguments: Vec<(Option<String>, Expression)> = Vec::new();
        let mut alternate = Vec::new();
        for (index, argument) in list.iter().enumerate() {
            if argument.name().starts_with('*') {
                alternate.push(index);
            }
            arguments.push((keyword_of(*argument), self.expression(scope, *argument)));
        }
        let callee = self.called(scope, at, &arguments);
        let mut arguments = self.in_order(&callee, arguments);
        if !alternate.is_empty() {
            let sentence = format!(
                "{}: alternate returns are not supported: use an argument and GOTO",
                self.line(at.statement_span())
            );
            self.say(Severity::Error, at.statement_span(), sentence);
        }
        alternate
            .into_iter()
            .filter(|&index| index < arguments.len())
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|index| arguments[index] = None);
        StatementKind::Call { callee, arguments }
    }

    /// Whether a CALL is of the library's EXIT or ABORT.
    fn stops(&mut self, scope: ScopeId, at: At<'a>) -> bool {
        let name = at.field("subroutine").map_or(String::new(), |name| name.name());
        let own = self.globals.contains_key(&name)
            || matches!(self.lookup(scope, &name), Some(Entity::Procedure(_)));
        STOPPING.contains(&name.as_str()) && !own
    }

    fn called(&mut self, scope: ScopeId, at: At<'a>, arguments: &[(Option<String>, Expression)]) -> Callee {
        let Some(name) = at.field("subroutine") else { return Callee::External(String::new()) };
        if !name.is("identifier") {
            // A procedure component or a type-bound procedure.
            let span = at.statement_span();
            let sentence =
                format!("{}: type-bound procedures are not supported: call them by name", self.line(span));
            self.say(Severity::Error, span, sentence);
            return Callee::External(name.name());
        }
        let name = name.name();
        match self.lookup(scope, &name) {
            Some(Entity::Procedure(id)) => Callee::Procedure(id),
            Some(Entity::Generic(specifics)) => self.generic(scope, &name, &specifics, arguments),
            Some(Entity::Intrinsic(name)) => Callee::Intrinsic(name),
            Some(Entity::Variable(id)) if self.is_procedure_variable(id) => Callee::Variable(id),
            // A local scalar may bear the name of a global procedure.
            Some(
                Entity::Variable(_)
                | Entity::External(_)
                | Entity::Inline(_)
                | Entity::DerivedType
                | Entity::Namelist(_)
                | Entity::Alias(_),
            )
            | None => self.external(scope, &name),
        }
    }

    /// Dummy procedures, and procedure pointers.
    fn is_procedure_variable(&self, id: crate::ir::VariableId) -> bool {
        let variable = self.program.variable(id);
        matches!(variable.storage, crate::ir::Storage::Dummy(_)) || self.procedure_pointers.contains(&id)
    }
}
