//! Resolution of callees: procedures of the program, MPI's functions, intrinsics, procedures without
//! source. Generic names are resolved in `modules`.

use super::arguments::Given;
use super::derived_types::type_name;
use super::expressions::MAX_DEPTH;
use super::known_names::{is_intrinsic_function, is_intrinsic_subroutine};
use super::lower::Lowering;
use super::names::{Entity, Inline, ScopeId};
use super::syntax::At;
use crate::ir::{BindingName, Callee, Expression, Storage, VariableId};
use base_data::mpi::functions::{find_any, is_mpi_name};

impl<'a> Lowering<'a> {
    /// What a name means that is called and declared nowhere.
    pub fn undeclared_callee(&self, name: &str) -> Entity<'a> {
        match self.declared_external(name, None) {
            Entity::External(name) if is_intrinsic_function(&name) => Entity::Intrinsic(name),
            found => found,
        }
    }

    /// A function's value.
    pub fn function_call(
        &mut self,
        scope: ScopeId,
        name: &str,
        entity: Entity<'a>,
        list: Vec<At<'a>>,
        depth: usize,
    ) -> Expression {
        if let Entity::Inline(inline) = entity {
            return self.inline_call(scope, inline, list, depth);
        }
        let arguments = self.given(scope, &list, depth);
        if self.constructs(scope, name, &entity, &arguments) {
            return Expression::Other(
                arguments
                    .into_iter()
                    .map(|(_, argument)| argument)
                    .collect(),
            );
        }
        let callee = self.function_callee(scope, name, entity, &arguments);
        let arguments = self.in_order(&callee, self.entered(&callee, name, arguments));
        let given =
            |argument: Option<Expression>| argument.unwrap_or(Expression::Other(Vec::new()));
        Expression::Call {
            callee,
            arguments: arguments.into_iter().map(given).collect(),
        }
    }

    /// Whether a list behind a name makes a value of a derived type. A generic function of the type's name goes
    /// first.
    fn constructs(
        &mut self,
        scope: ScopeId,
        name: &str,
        entity: &Entity<'a>,
        arguments: &[Given],
    ) -> bool {
        match entity {
            Entity::DerivedType(_) | Entity::Alias(_) | Entity::Namelist(_) => true,
            Entity::Generic(specifics) if self.lookup(scope, &type_name(name)).is_some() => {
                let ids = self.specific_procedures(specifics);
                !ids.into_iter().any(|id| self.fits(id, arguments))
            }
            Entity::Generic(_)
            | Entity::Variable(_)
            | Entity::Procedure(_)
            | Entity::External(_)
            | Entity::Intrinsic(_)
            | Entity::Inline(_) => false,
        }
    }

    /// Arguments of a call by the name of an ENTRY, each with the name of its dummy; of one by an interface body, keywords
    /// as the procedure itself has them.
    pub fn entered(&self, callee: &Callee, name: &str, arguments: Vec<Given>) -> Vec<Given> {
        let Callee::Procedure(id) = callee else {
            return arguments;
        };
        let Some(dummies) = self.entries.get(&(*id, name.to_string())) else {
            return self.as_own_dummies(*id, name, arguments);
        };
        let given = arguments.into_iter().enumerate();
        given
            .map(|(at, (keyword, argument))| {
                (keyword.or_else(|| dummies.get(at).cloned()), argument)
            })
            .collect()
    }

    fn function_callee(
        &mut self,
        scope: ScopeId,
        name: &str,
        entity: Entity<'a>,
        arguments: &[Given],
    ) -> Callee {
        match entity {
            Entity::Procedure(id) => Callee::Procedure(id),
            Entity::Intrinsic(name) => Callee::Intrinsic(name),
            Entity::External(name) => self.without_source(scope, &name),
            Entity::Generic(specifics) => self.generic(scope, name, &specifics, arguments),
            Entity::Variable(id) => self.typed_function(scope, name, id),
            Entity::Inline(_) | Entity::DerivedType(_) | Entity::Namelist(_) | Entity::Alias(_) => {
                Callee::External(name.to_string())
            }
        }
    }

    /// A scalar variable with an argument list: a function whose type was declared.
    fn typed_function(&mut self, scope: ScopeId, name: &str, id: VariableId) -> Callee {
        let own_result = self
            .program
            .variable(id)
            .owner
            .filter(|&owner| self.program.procedure(owner).result == Some(id));
        match &self.program.variable(id).storage {
            Storage::Dummy(_) => Callee::Variable(id),
            _ if self.procedure_pointers.contains(&id) => Callee::Variable(id),
            // A function that calls itself by its name.
            _ if own_result.is_some_and(|owner| self.program.procedure(owner).name == name) => {
                own_result.map_or(Callee::Variable(id), Callee::Procedure)
            }
            Storage::Local
            | Storage::Static
            | Storage::Module(_)
            | Storage::Common { .. }
            | Storage::Constant(_) => match self.undeclared_callee(name) {
                Entity::Procedure(id) => Callee::Procedure(id),
                Entity::Intrinsic(name) => Callee::Intrinsic(name),
                _ => self.undeclared_external(scope, name),
            },
        }
    }

    /// A procedure by name that no declaration here binds: global, MPI's, or without source.
    pub fn external(&mut self, scope: ScopeId, name: &str) -> Callee {
        if let Entity::Procedure(id) = self.declared_external(name, None) {
            return Callee::Procedure(id);
        }
        self.without_source(scope, name)
    }

    /// The same of a name without declaration.
    pub fn undeclared_external(&mut self, scope: ScopeId, name: &str) -> Callee {
        self.note_undeclared(scope, name);
        self.external(scope, name)
    }

    /// Records that a procedure without declaration is called: it has no label, and may come from a module without source.
    pub fn note_undeclared(&mut self, scope: ScopeId, name: &str) {
        self.note_symbol(name, BindingName::Fortran);
        if self.scope(scope).sourceless {
            self.program.names_of_modules.insert(name.to_string());
        }
    }

    /// One that no procedure of the sources is: MPI's, intrinsic, or without source.
    pub fn without_source(&mut self, scope: ScopeId, name: &str) -> Callee {
        if is_mpi_name(name) {
            return find_any(name)
                .map_or_else(|| Callee::UnknownMpi(name.to_string()), Callee::Mpi);
        }
        if is_intrinsic_subroutine(name) {
            return Callee::Intrinsic(name.to_string());
        }
        if let Some(owner) = self.scope(scope).procedure {
            let externals = &mut self.program.procedures[owner.0 as usize].externals;
            if !externals.iter().any(|known| known == name) {
                externals.push(name.to_string());
            }
        }
        Callee::External(name.to_string())
    }

    /// A statement function's value depends on its arguments and on all that its expression names; its
    /// dummies are among them, which is more than needed, never less.
    fn inline_call(
        &mut self,
        scope: ScopeId,
        inline: Inline<'a>,
        list: Vec<At<'a>>,
        depth: usize,
    ) -> Expression {
        let mut parts: Vec<Expression> = list
            .into_iter()
            .map(|at| self.expression_at(scope, at, depth + 1))
            .collect();
        parts.push(self.expression_at(scope, inline.value, depth + MAX_DEPTH / 8));
        Expression::Other(parts)
    }
}
