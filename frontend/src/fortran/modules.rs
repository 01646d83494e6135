//! USE: names of modules, with ONLY and renames; and generic names.

use super::known_names::{intrinsic_module, is_intrinsic_function, is_intrinsic_subroutine, is_mpi_module};
use super::lower::Lowering;
use super::names::{Entity, ScopeId};
use super::syntax::At;
use super::value_types::type_of;
use crate::diagnostics::Severity;
use crate::ir::{Callee, Expression, ProcedureId, Type};

impl<'a> Lowering<'a> {
    /// Brings a module's names into a scope.
    pub fn use_module(&mut self, scope: ScopeId, item: At<'a>) {
        let Some(module) = item.child("module_name").map(|name| name.name()) else { return };
        if is_mpi_module(&module) {
            self.scopes[scope.0].mpi = true;
            return;
        }
        let (only, renames) = included_items(item);
        let Some(exported) = self.exported(&module) else {
            let sentence = format!(
                "{}: module {module} has no source here: its names are taken as written",
                self.line(item.statement_span())
            );
            self.say(Severity::Warning, item.statement_span(), sentence);
            self.scopes[scope.0].foreign = true;
            return;
        };
        if intrinsic_module(&module).is_some() {
            self.name_unknown_constants(scope, only.as_deref(), &exported);
        }
        if let Some(&unit) = self.modules.get(&module) {
            let source = self.units[unit].scope;
            let (mpi, foreign) = (self.scope(source).mpi, self.scope(source).foreign);
            self.scopes[scope.0].mpi |= mpi;
            self.scopes[scope.0].foreign |= foreign;
        }
        for (name, entity) in exported {
            let mut locals: Vec<String> =
                renames.iter().filter(|(_, of)| *of == name).map(|(local, _)| local.clone()).collect();
            let plain = only.as_ref().map_or(locals.is_empty(), |only| only.contains(&name));
            if plain {
                locals.push(name);
            }
            for local in locals {
                self.import(scope, local, entity.clone());
            }
        }
    }

    /// Names of an intrinsic module that have no value here (types, procedures, NULL pointers).
    fn name_unknown_constants(
        &mut self,
        scope: ScopeId,
        only: Option<&[String]>,
        known: &[(String, Entity<'a>)],
    ) {
        let Some(only) = only else {
            self.scopes[scope.0].foreign = true;
            return;
        };
        for name in only.iter().filter(|name| !known.iter().any(|(known, _)| known == *name)) {
            if !is_intrinsic_function(name) && !is_intrinsic_subroutine(name) {
                let id = self.add_constant(name, None);
                self.import(scope, name.clone(), Entity::Variable(id));
            }
        }
    }

    fn import(&mut self, scope: ScopeId, name: String, entity: Entity<'a>) {
        let names = &mut self.scopes[scope.0].names;
        match (names.get_mut(&name), &entity) {
            (Some(Entity::Generic(known)), Entity::Generic(more)) => known.extend(more.iter().cloned()),
            _ => drop(names.insert(name, entity)),
        }
    }

    /// All names of a module; `None` if it is not known. Whether names are PRIVATE is not asked:
    /// a compiler has accepted the program.
    fn exported(&mut self, module: &str) -> Option<Vec<(String, Entity<'a>)>> {
        if let Some(constants) = intrinsic_module(module) {
            let entity = |(name, value): &(&str, i64)| {
                let id = self.add_constant(name, Some(Expression::Integer(*value)));
                (name.to_string(), Entity::Variable(id))
            };
            return Some(constants.iter().map(entity).collect());
        }
        let unit = *self.modules.get(module)?;
        self.declare(unit);
        let scope = self.scope(self.units[unit].scope);
        Some(scope.names.iter().map(|(name, entity)| (name.clone(), entity.clone())).collect())
    }

    /// Which of a generic name's procedures is called: the only one that fits the arguments.
    pub fn generic(
        &mut self,
        scope: ScopeId,
        name: &str,
        specifics: &[String],
        arguments: &[(Option<String>, Expression)],
    ) -> Callee {
        let mut fitting: Vec<ProcedureId> = Vec::new();
        for specific in specifics {
            let found = match self.lookup(scope, specific) {
                Some(Entity::Procedure(id)) => Some(id),
                // A specific procedure that is not imported itself (ONLY names the generic).
                _ => self.program.find(specific),
            };
            fitting.extend(found.filter(|id| self.fits(*id, arguments)));
        }
        fitting.sort_unstable();
        fitting.dedup();
        match fitting[..] {
            [only] => Callee::Procedure(only),
            _ if specifics.is_empty() && super::known_names::is_intrinsic_function(name) => {
                Callee::Intrinsic(name.to_string())
            }
            [] => self.external(scope, name),
            [first, ..] => {
                let sentence = format!(
                    "which procedure the generic name {name} stands for is not known here: all calls of it are taken for {}",
                    self.program.procedure(first).name
                );
                self.say_once(Severity::Error, sentence);
                Callee::Procedure(first)
            }
        }
    }

    fn say_once(&mut self, severity: Severity, sentence: String) {
        if !self.diagnostics.iter().any(|known| known.sentence == sentence) {
            self.diagnostics.push(crate::diagnostics::Diagnostic { severity, span: None, sentence });
        }
    }

    /// Whether arguments can be a procedure's: number, types and ranks, as far as they are known.
    fn fits(&self, id: ProcedureId, arguments: &[(Option<String>, Expression)]) -> bool {
        let dummies = &self.program.procedure(id).dummies;
        arguments.len() <= dummies.len()
            && arguments.iter().zip(dummies).all(|((keyword, argument), dummy)| {
                let Some(dummy) = dummy.map(|dummy| self.program.variable(dummy)) else { return false };
                keyword.is_some()
                    || (same_type(&type_of(&self.program, argument), &dummy.of_type)
                        && self.rank(argument).is_none_or(|rank| rank == dummy.shape.len()))
            })
    }

    fn rank(&self, argument: &Expression) -> Option<usize> {
        match argument {
            Expression::Integer(_) | Expression::Literal(_) => Some(0),
            Expression::Variable(id) => Some(self.program.variable(*id).shape.len()),
            Expression::Reference { path, subscripts, .. } if path.is_empty() => {
                let sections =
                    subscripts.iter().filter(|s| matches!(s, crate::ir::Subscript::Section { .. })).count();
                Some(sections)
            }
            Expression::Reference { .. }
            | Expression::Call { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Other(_) => None,
        }
    }

    /// Arguments in the order of the dummies; keyword arguments find theirs by name.
    pub fn in_order(
        &self,
        callee: &Callee,
        arguments: Vec<(Option<String>, Expression)>,
    ) -> Vec<Option<Expression>> {
        if arguments.iter().all(|(keyword, _)| keyword.is_none()) {
            return arguments.into_iter().map(|(_, argument)| Some(argument)).collect();
        }
        let position = |keyword: &str| match callee {
            Callee::Procedure(id) => {
                let dummies = &self.program.procedure(*id).dummies;
                dummies
                    .iter()
                    .position(|dummy| dummy.is_some_and(|dummy| self.program.variable(dummy).name == keyword))
            }
            Callee::Mpi(function) => {
                let named = function.arguments.iter().position(|argument| argument.name == keyword);
                named.or((keyword == "ierror").then_some(function.arguments.len()))
            }
            Callee::UnknownMpi(_) | Callee::Intrinsic(_) | Callee::External(_) | Callee::Variable(_) => None,
        };
        let mut ordered: Vec<Option<Expression>> = Vec::new();
        for (index, (keyword, argument)) in arguments.into_iter().enumerate() {
            let place = keyword.and_then(|keyword| position(&keyword)).unwrap_or(index);
            if ordered.len() <= place {
                ordered.resize(place + 1, None);
            }
            ordered[place] = Some(argument);
        }
        ordered
    }
}

fn same_type(actual: &Type, dummy: &Type) -> bool {
    *actual == Type::Unknown || *dummy == Type::Unknown || actual == dummy
}

/// Names after ONLY (`None` without it) and renames, as `(local, of the module)`.
fn included_items(item: At) -> (Option<Vec<String>>, Vec<(String, String)>) {
    let items = item.child("included_items");
    let list = items.unwrap_or(item);
    let mut renames = Vec::new();
    for alias in list.all("use_alias").into_iter().chain(item.all("use_alias")) {
        if let (Some(local), Some(name)) = (alias.child("local_name"), alias.child("identifier")) {
            renames.push((local.name(), name.name()));
        }
    }
    let only = items.map(|items| items.all("identifier").iter().map(At::name).collect());
    (only, renames)
}
