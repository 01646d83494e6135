//! USE: names of modules, with ONLY and renames; and generic names.

use super::derived_types::{generic_name, plain_type_name, type_name};
use super::known_names::{
    MPI_TYPES, dummies_of, functions_of_module, intrinsic_module, is_intrinsic_function,
    is_intrinsic_subroutine, is_mpi_module,
};
use super::lower::Lowering;
use super::mpi_constants::VisibleConstants;
use super::names::{Entity, MpiNames, Scope, ScopeId};
use super::syntax::At;
use super::type_bound::one_of;
use super::units::UnitKind;
use super::value_types::{rank_of, type_of};
use crate::ir::{Callee, Expression, ProcedureId, Storage, Type, VariableId};
use crate::source::diagnostics::Severity;
use std::collections::BTreeMap;

/// An actual argument with its keyword.
pub type Given = (Option<String>, Expression);

impl<'a> Lowering<'a> {
    /// Brings a module's names into a scope.
    pub fn use_module(&mut self, scope: ScopeId, item: At<'a>) {
        let Some(module) = item.child("module_name").map(|name| name.name()) else {
            return;
        };
        let (only, renames) = included_items(item);
        if is_mpi_module(&module) {
            self.scopes[scope.0].mpi = MpiNames::Used;
            let declared = VisibleConstants::declared_by(&module);
            let visible = declared.filtered(|name| is_plain(name, only.as_deref(), &renames));
            self.scopes[scope.0].mpi_constants.add(&visible);
            renames
                .into_iter()
                .for_each(|(local, name)| self.rename_mpi(scope, local, &name));
            return;
        }
        let Some(exported) = self.exported(&module) else {
            let sentence = format!(
                "{}: module {module} has no source here: its names are assumed to be written",
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
            let names = &mut self.scopes[scope.0].mpi;
            *names = (*names).max(mpi);
            self.scopes[scope.0].foreign |= foreign;
            self.import_mpi_constants(scope, source, only.as_deref(), &renames);
        }
        for (name, entity) in exported {
            let is_type = plain_type_name(&name).is_some();
            let written = plain_type_name(&name).unwrap_or(&name).to_string();
            let mut locals: Vec<String> = renames
                .iter()
                .filter(|(_, of)| *of == written)
                .map(|(local, _)| local.clone())
                .collect();
            let plain = is_plain(&written, only.as_deref(), &renames);
            locals.extend(plain.then(|| written.clone()));
            for local in locals {
                if let (Entity::Variable(id), true) = (&entity, local != written) {
                    self.program.variables[id.0 as usize].attributes.inner = true;
                }
                let local = if is_type { type_name(&local) } else { local };
                self.import(scope, local, entity.clone());
            }
        }
    }

    /// Brings constants of MPI that a module makes known into a scope.
    fn import_mpi_constants(
        &mut self,
        scope: ScopeId,
        module: ScopeId,
        only: Option<&[String]>,
        renames: &[(String, String)],
    ) {
        let source = self.scope(module);
        let exported = source
            .mpi_constants
            .filtered(|name| source.accessibility.exports(name));
        for (local, name) in renames {
            if exported.contains(name) {
                self.rename_mpi(scope, local.clone(), name);
            }
        }
        let visible = exported.filtered(|name| is_plain(name, only, renames));
        self.scopes[scope.0].mpi_constants.add(&visible);
    }

    /// `use mpi_f08, only: world => MPI_COMM_WORLD`: a function, a type or a constant under another name.
    fn rename_mpi(&mut self, scope: ScopeId, local: String, name: &str) {
        if base_data::mpi::functions::find_any(name).is_some() {
            let meant = self.declared_external(name, None);
            self.scopes[scope.0].names.insert(local, meant);
        } else if MPI_TYPES.contains(&name) {
            let names = &mut self.scopes[scope.0].names;
            names.insert(type_name(&local), Entity::DerivedType(name.to_string()));
        } else if let Some(Entity::Variable(constant)) = self.lookup(scope, name) {
            // A constant of its own, as a PARAMETER of that value would be: probes can spell it.
            let renamed = self.add_constant(&local, Some(Expression::Variable(constant)));
            self.scopes[scope.0]
                .names
                .insert(local, Entity::Variable(renamed));
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
        for name in only
            .iter()
            .filter(|name| !known.iter().any(|(known, _)| known == *name))
        {
            if !is_intrinsic_function(name) && !is_intrinsic_subroutine(name) {
                let id = self.add_constant(name, None);
                self.import(scope, name.clone(), Entity::Variable(id));
            }
        }
    }

    fn import(&mut self, scope: ScopeId, name: String, entity: Entity<'a>) {
        let Scope {
            names, ambiguous, ..
        } = &mut self.scopes[scope.0];
        match (names.get_mut(&name), &entity) {
            (Some(Entity::Generic(known)), Entity::Generic(more)) => {
                known.extend(more.iter().cloned())
            }
            (Some(Entity::Variable(known)), Entity::Variable(same)) if known == same => {}
            (known, _) => {
                if known.is_some() {
                    ambiguous.insert(name.clone());
                }
                names.insert(name, entity);
            }
        }
    }

    /// The public names of a module; `None` if it is not known.
    fn exported(&mut self, module: &str) -> Option<Vec<(String, Entity<'a>)>> {
        if let Some(constants) = intrinsic_module(module) {
            let entity = |(name, value): &(&str, i64)| {
                let id = self.add_constant(name, Some(Expression::Integer(*value)));
                (name.to_string(), Entity::Variable(id))
            };
            let functions = functions_of_module(module).iter();
            let functions =
                functions.map(|name| (name.to_string(), Entity::Intrinsic(name.to_string())));
            return Some(constants.iter().map(entity).chain(functions).collect());
        }
        let unit = *self.modules.get(module)?;
        self.declare(unit);
        let scope = self.scope(self.units[unit].scope);
        let is_public = |name: &str| {
            scope
                .accessibility
                .exports(plain_type_name(name).unwrap_or(name))
        };
        let public = scope.names.iter().filter(|(name, _)| is_public(name));
        Some(
            public
                .map(|(name, entity)| (name.clone(), entity.clone()))
                .collect(),
        )
    }

    /// Notes which variables procedures can name, and what names mean in constructs: all names that stand in their scopes are
    /// known by now.
    pub fn note_visible(&mut self) {
        for unit in &self.units {
            let UnitKind::Procedure(id) = unit.kind else {
                continue;
            };
            let scopes = std::iter::successors(Some(unit.scope), |&scope| self.scope(scope).host);
            let mut meant: BTreeMap<&str, Option<VariableId>> = BTreeMap::new();
            for scope in scopes.map(|scope| self.scope(scope)) {
                for (name, entity) in &scope.names {
                    meant
                        .entry(name)
                        .or_insert_with(|| self.by_own_name(scope, name, entity));
                }
                for (name, id) in self.mpi_constants_of(scope) {
                    meant.entry(name).or_insert(Some(id));
                }
            }
            let mut known: Vec<VariableId> = meant.into_values().flatten().collect();
            known.sort_unstable();
            self.program.procedures[id.0 as usize].known = known;
        }
        for &(construct, scope) in &self.own_scopes {
            let hiding = self.hiding_procedures(scope);
            if !hiding.is_empty() {
                self.program.hiding_procedures.insert(construct, hiding);
            }
            let scope = self.scope(scope);
            let meant = scope.names.iter();
            let meant =
                meant.map(|(name, entity)| (name.clone(), self.by_own_name(scope, name, entity)));
            let mut meant: BTreeMap<String, Option<VariableId>> = meant.collect();
            for (name, id) in self.mpi_constants_of(scope) {
                meant.entry(name.to_string()).or_insert(Some(id));
            }
            self.program.own_names.insert(construct, meant);
        }
    }

    /// The names of variables that a construct declares and that are procedures' names outside.
    fn hiding_procedures(&self, construct: ScopeId) -> Vec<String> {
        let is_declared_here = |entity: &Entity| match entity {
            Entity::Variable(id) => {
                let is_own = matches!(
                    self.program.variable(*id).storage,
                    Storage::Local | Storage::Static
                );
                is_own && !self.interfaces.is_pointer(*id)
            }
            _ => false,
        };
        let own = self
            .scope(construct)
            .names
            .iter()
            .filter(|(_, entity)| is_declared_here(entity));
        own.map(|(name, _)| name)
            .filter(|name| self.is_procedure_around(construct, name))
            .cloned()
            .collect()
    }

    /// Whether a name is a procedure's in some scope around a construct.
    fn is_procedure_around(&self, construct: ScopeId, name: &String) -> bool {
        let mut around =
            std::iter::successors(self.scope(construct).host, |&scope| self.scope(scope).host);
        let is_procedure = |entity: &Entity| {
            matches!(
                entity,
                Entity::Procedure(_) | Entity::Generic(_) | Entity::External(_) | Entity::Inline(_)
            )
        };
        // External procedures are known everywhere.
        self.program
            .procedures
            .iter()
            .any(|procedure| procedure.name == *name)
            || around.any(|scope| self.scope(scope).names.get(name).is_some_and(is_procedure))
    }

    /// The constants of MPI that the program names and that come into a scope itself.
    fn mpi_constants_of(&self, scope: &Scope<'a>) -> impl Iterator<Item = (&str, VariableId)> {
        let named = self
            .mpi_constants
            .iter()
            .filter(|(name, _)| scope.mpi_constants.contains(name));
        named.map(|(name, &id)| (name.as_str(), id))
    }

    /// The variable that a name of a scope means, if that is its own name.
    fn by_own_name(
        &self,
        scope: &Scope<'a>,
        name: &String,
        entity: &Entity<'a>,
    ) -> Option<VariableId> {
        match entity {
            Entity::Variable(id) if !scope.ambiguous.contains(name) => {
                Some(*id).filter(|id| self.program.variable(*id).name == *name)
            }
            _ => None,
        }
    }

    /// Which of a generic name's procedures is called: those that fit the arguments.
    pub fn generic(
        &mut self,
        scope: ScopeId,
        name: &str,
        specifics: &[(ScopeId, String)],
        arguments: &[Given],
    ) -> Callee {
        let mut all = self.specific_procedures(specifics);
        all.sort_unstable();
        all.dedup();
        let fitting: Vec<ProcedureId> = all
            .iter()
            .copied()
            .filter(|id| self.fits(*id, arguments))
            .collect();
        match (&fitting[..], &all[..]) {
            ([_, ..], _) => one_of(fitting),
            ([], _) if super::known_names::is_intrinsic_function(name) => {
                Callee::Intrinsic(name.to_string())
            }
            ([], []) => self.external(scope, specifics.first().map_or(name, |(_, only)| only)),
            ([], _) => one_of(all),
        }
    }

    /// Whether arguments can be a procedure's: number, types and ranks, as far as they are known.
    pub fn fits(&self, id: ProcedureId, arguments: &[Given]) -> bool {
        let dummies = &self.program.procedure(id).dummies;
        let dummy = |index: usize| {
            dummies
                .get(index)
                .copied()
                .flatten()
                .map(|id| self.program.variable(id))
        };
        let mut given = vec![false; dummies.len()];
        for (index, (keyword, argument)) in arguments.iter().enumerate() {
            let named = |name: &String| {
                (0..dummies.len()).find(|&at| dummy(at).is_some_and(|one| one.name == *name))
            };
            let place = keyword.as_ref().map_or(Some(index), named);
            let Some((place, dummy)) = place.and_then(|at| Some((at, dummy(at)?))) else {
                return false;
            };
            given[place] = true;
            let fits = self.same_type(&type_of(&self.program, argument), &dummy.of_type)
                && rank_of(&self.program, argument)
                    .is_none_or(|rank| rank == dummy.shape.len() || self.is_elemental(id));
            if !fits {
                return false;
            }
        }
        (0..dummies.len())
            .all(|at| given[at] || dummy(at).is_none_or(|one| one.attributes.optional))
    }

    /// Elemental procedures take arguments of any rank.
    fn is_elemental(&self, id: ProcedureId) -> bool {
        self.program.procedure(id).is_elemental
    }

    /// Whether an actual argument of a type may be a dummy's of another: the same, an extension, or unknown.
    pub fn same_type(&self, actual: &Type, dummy: &Type) -> bool {
        match (actual, dummy) {
            (Type::Unknown, _) | (_, Type::Unknown) => true,
            (Type::Derived(actual), Type::Derived(dummy)) => {
                let extends = |one: &str, other: &str| {
                    self.program.lineage(one).any(|above| above.name == *other)
                };
                actual == dummy || extends(actual, dummy) || extends(dummy, actual)
            }
            _ => actual == dummy,
        }
    }

    fn dummy_position(&self, id: ProcedureId, name: &str) -> Option<usize> {
        let is_it = |dummy: &Option<VariableId>| {
            dummy.is_some_and(|id| self.program.variable(id).name == name)
        };
        self.program.procedure(id).dummies.iter().position(is_it)
    }

    /// Arguments in the order of the dummies; keyword arguments find theirs by name.
    pub fn in_order(&self, callee: &Callee, arguments: Vec<Given>) -> Vec<Option<Expression>> {
        if arguments.iter().all(|(keyword, _)| keyword.is_none()) {
            return arguments
                .into_iter()
                .map(|(_, argument)| Some(argument))
                .collect();
        }
        let position = |keyword: &str| match callee {
            Callee::Variable(id) => self.interfaces.position(&self.program, *id, keyword),
            Callee::Procedure(id) => self.dummy_position(*id, keyword),
            Callee::Mpi(function) => {
                let named = function
                    .arguments
                    .iter()
                    .position(|argument| argument.name == keyword);
                named.or((keyword == "ierror").then_some(function.arguments.len()))
            }
            Callee::OneOf(all) => all.iter().find_map(|id| self.dummy_position(*id, keyword)),
            Callee::Intrinsic(name) => dummies_of(name).iter().position(|dummy| *dummy == keyword),
            Callee::UnknownMpi(_) | Callee::External(_) => None,
        };
        placed(arguments, position)
    }
}

/// Arguments at their positions; those with keywords where `position` says.
pub fn placed(
    arguments: Vec<Given>,
    position: impl Fn(&str) -> Option<usize>,
) -> Vec<Option<Expression>> {
    let mut ordered: Vec<Option<Expression>> = Vec::new();
    for (index, (keyword, argument)) in arguments.into_iter().enumerate() {
        let place = keyword
            .and_then(|keyword| position(&keyword))
            .unwrap_or(index);
        if ordered.len() <= place {
            ordered.resize(place + 1, None);
        }
        ordered[place] = Some(argument);
    }
    ordered
}

/// Whether USE brings a name of a module under that name.
fn is_plain(name: &str, only: Option<&[String]>, renames: &[(String, String)]) -> bool {
    match only {
        Some(only) => only.iter().any(|listed| listed == name),
        None => !renames.iter().any(|(_, renamed)| renamed == name),
    }
}

/// Names after ONLY (`None` without it) and renames, as `(local, of the module)`.
fn included_items(item: At) -> (Option<Vec<String>>, Vec<(String, String)>) {
    let items = item.child("included_items");
    let list = items.unwrap_or(item);
    let mut renames = Vec::new();
    for alias in list
        .all("use_alias")
        .into_iter()
        .chain(item.all("use_alias"))
    {
        if let (Some(local), Some(name)) = (alias.child("local_name"), alias.child("identifier")) {
            renames.push((generic_name(&local.name()), generic_name(&name.name())));
        }
    }
    let only = items.map(|items| {
        let wanted = |one: &At| {
            [
                "identifier",
                "operator",
                "assignment",
                "defined_io_procedure",
            ]
            .contains(&one.kind())
        };
        items
            .named()
            .iter()
            .filter(|one| wanted(one))
            .map(|one| generic_name(&one.name()))
            .collect()
    });
    (only, renames)
}
