//! CALL statements: callee, arguments, and calls that end the run.

use super::arguments::Given;
use super::known_names::STOPPING;
use super::lower::Lowering;
use super::names::{Entity, MpiNames, ScopeId};
use super::syntax::At;
use crate::ir::source_map::folded;
use crate::ir::{ALTERNATE_RETURN, Callee, Expression, StatementKind};
use crate::source::diagnostics::Severity;

impl<'a> Lowering<'a> {
    /// CALL.
    pub fn call(&mut self, scope: ScopeId, at: At<'a>) -> StatementKind {
        if self.stops(scope, at) {
            return StatementKind::Stop;
        }
        let list = at
            .child("argument_list")
            .map_or(Vec::new(), |list| list.named());
        let named = at.field("subroutine");
        if let Some(member) = named.filter(|name| name.is("derived_type_member_expression"))
            && let Some((callee, arguments)) = self.bound_call(scope, member, &list, 0)
        {
            return StatementKind::Call { callee, arguments };
        }
        let arguments = self.given(scope, &list, 0);
        let callee = self.called(scope, at, &arguments);
        let name = named.map_or(String::new(), |name| name.name());
        // `*10`: masks keep its length, so that the original text still shows the asterisk.
        let alternate: Vec<bool> = list
            .iter()
            .map(|argument| argument.name().starts_with('*'))
            .collect();
        if !alternate.contains(&true) {
            let arguments = self.in_order(&callee, self.entered(&callee, &name, arguments));
            self.count_arguments(scope, at, &callee, arguments.len());
            return StatementKind::Call { callee, arguments };
        }
        self.keep_whole(scope, at, "an alternate return");
        let label = || Expression::Literal(ALTERNATE_RETURN.to_string());
        let given = arguments.into_iter().zip(alternate);
        let arguments =
            given.map(|((_, one), is_label)| Some(if is_label { label() } else { one }));
        StatementKind::Call {
            callee,
            arguments: arguments.collect(),
        }
    }

    /// Records an MPI call with too few or too many arguments. No compiler detects it where `mpif.h` is
    /// included, and the program crashes.
    fn count_arguments(&mut self, scope: ScopeId, at: At<'a>, callee: &Callee, found: usize) {
        let Callee::Mpi(function) = callee else {
            return;
        };
        // IERROR, which is optional with `mpi_f08` only: that module has interfaces.
        let expected = function.arguments.len() + 1;
        if found == expected || self.has_interfaces(scope) {
            return;
        }
        let names = function
            .arguments
            .iter()
            .map(|argument| argument.name)
            .chain(["ierror"]);
        let sentence = format!(
            "{} is called with {found} argument{} and has {expected} in Fortran: {}",
            function.name,
            if found == 1 { "" } else { "s" },
            names.collect::<Vec<_>>().join(", ")
        );
        self.miscounted
            .entry(sentence)
            .or_default()
            .push(at.statement_span());
    }

    /// Reports MPI calls with too few or too many arguments.
    pub fn report_miscounted(&mut self) {
        for (sentence, spans) in std::mem::take(&mut self.miscounted) {
            self.diagnostics.push(folded(
                Severity::Warning,
                &sentence,
                spans,
                &self.map,
                self.sources,
            ));
        }
    }

    /// Whether a module may give the compiler interfaces of MPI's procedures.
    fn has_interfaces(&self, scope: ScopeId) -> bool {
        let mut scopes = std::iter::successors(Some(scope), |&id| self.scope(id).host);
        scopes.any(|id| self.scope(id).mpi == MpiNames::Used || self.scope(id).foreign)
    }

    /// Makes a procedure with control flow that is not followed opaque, and reports it.
    pub fn keep_whole(&mut self, scope: ScopeId, at: At<'a>, what: &str) {
        let Some(procedure) = self.scope(scope).procedure else {
            return;
        };
        let own = &mut self.program.procedures[procedure.0 as usize];
        own.is_whole = true;
        let name = own.name.clone();
        let span = at.statement_span();
        let sentence = format!(
            "{}: {what}: all statements of {name} are kept together",
            self.line(span)
        );
        self.say(Severity::Warning, span, sentence);
    }

    /// Whether a CALL is of the library's EXIT or ABORT.
    fn stops(&mut self, scope: ScopeId, at: At<'a>) -> bool {
        let name = at
            .field("subroutine")
            .map_or(String::new(), |name| name.name());
        // The program may define a procedure of that name.
        let own = self.globals.contains_key(&name)
            || matches!(self.lookup(scope, &name), Some(Entity::Procedure(_)));
        STOPPING.contains(&name.as_str()) && !own
    }

    fn called(&mut self, scope: ScopeId, at: At<'a>, arguments: &[Given]) -> Callee {
        let Some(name) = at.field("subroutine") else {
            return Callee::External(String::new());
        };
        if !name.is("identifier") {
            // A component of a type without source.
            let last = name.child("type_member").unwrap_or(name);
            let last = last.name();
            self.program.ambiguous_externals.insert(last.clone());
            return self.external(scope, &last);
        }
        let name = name.name();
        match self.lookup(scope, &name) {
            Some(Entity::Procedure(id)) => Callee::Procedure(id),
            Some(Entity::Generic(specifics)) => self.generic(scope, &name, &specifics, arguments),
            Some(Entity::Intrinsic(name)) => Callee::Intrinsic(name),
            // Of MPI, under a name that USE gave it.
            Some(Entity::External(written)) => self.without_source(scope, &written),
            Some(Entity::Variable(id)) if self.is_procedure_variable(id) => Callee::Variable(id),
            // A local scalar may bear the name of a global procedure.
            Some(
                Entity::Variable(_)
                | Entity::Inline(_)
                | Entity::DerivedType(_)
                | Entity::Namelist(_)
                | Entity::Alias(_),
            )
            | None => self.undeclared_external(scope, &name),
        }
    }

    /// Dummy procedures, and procedure pointers.
    fn is_procedure_variable(&self, id: crate::ir::VariableId) -> bool {
        let variable = self.program.variable(id);
        matches!(variable.storage, crate::ir::Storage::Dummy(_))
            || self.procedure_pointers.contains(&id)
    }
}
