//! USE association: names of modules, with ONLY and renames. Generic resolution: the specific procedures that fit a call.

use super::arguments::{Given, placed};
use super::bindings::one_of;
use super::derived_types::{generic_name, plain_type_name, type_name};
use super::known_names::{
    MPI_TYPES, dummies_of, functions_of_module, intrinsic_module, is_intrinsic_function,
    is_intrinsic_subroutine, is_mpi_module,
};
use super::lower::Lowering;
use super::mpi_constants::VisibleConstants;
use super::names::{Entity, MpiNames, Scope, ScopeId};
use super::syntax::At;
use super::unit::UnitKind;
use super::value_types::{rank_of, type_of};
use crate::ir::{Callee, Expression, ProcedureId, Storage, Type, VariableId};
use crate::source::diagnostics::Severity;
use std::collections::BTreeMap;

impl<'a> Lowering<'a> {
    /// Brings a module's names into a scope.
    pub fn use_module(&mut self, scope: ScopeId, item: At<'a>) {
        let Some(module) = item.child("module_name").map(|name| name.name()) else {
            return;
        };
        let list = UseList::of(item);
        if is_mpi_module(&module) {
            self.use_mpi(scope, &module, &list);
            return;
        }
        let Some(exported) = self.exported(&module) else {
            let sentence = format!(
                "{}: module {module} has no source here: its names are assumed to be written",
                self.line(item.statement_span())
            );
            self.say(Severity::Warning, item.statement_span(), sentence);
            self.scopes[scope.0].foreign = true;
            self.scopes[scope.0].sourceless = true;
            return;
        };
        // Of intrinsic modules only the constants that matter are known.
        if intrinsic_module(&module).is_some() {
            self.name_unknown_constants(scope, list.only.as_deref(), &exported);
        }
        if let Some(&unit) = self.modules.get(&module) {
            // A module that uses an MPI module passes its names on.
            let source = self.units[unit].scope;
            let (mpi, foreign) = (self.scope(source).mpi, self.scope(source).foreign);
            let sourceless = self.scope(source).sourceless;
            let names = &mut self.scopes[scope.0].mpi;
            *names = (*names).max(mpi);
            self.scopes[scope.0].foreign |= foreign;
            self.scopes[scope.0].sourceless |= sourceless;
            self.import_mpi_constants(scope, source, &list);
        }
        for (name, entity) in exported {
            let is_type = plain_type_name(&name).is_some();
            let written = plain_type_name(&name).unwrap_or(&name).to_string();
            for local in list.local_names(&written) {
                if let (Entity::Variable(id), true) = (&entity, local != written) {
                    self.program.variables[id.0 as usize].attributes.inner = true;
                }
                let local = if is_type { type_name(&local) } else { local };
                self.import(scope, local, entity.clone());
            }
        }
    }

    fn use_mpi(&mut self, scope: ScopeId, module: &str, list: &UseList) {
        self.scopes[scope.0].mpi = MpiNames::Used;
        let declared = VisibleConstants::declared_by(module);
        let visible = declared.filtered(|name| list.keeps_name(name));
        self.scopes[scope.0].mpi_constants.add(&visible);
        for rename in &list.renames {
            self.rename_mpi(scope, rename.local.clone(), &rename.original);
        }
    }

    /// Imports the MPI constants that a module makes accessible.
    fn import_mpi_constants(&mut self, scope: ScopeId, module: ScopeId, list: &UseList) {
        let source = self.scope(module);
        let exported = source
            .mpi_constants
            .filtered(|name| source.accessibility.exports(name));
        for rename in &list.renames {
            if exported.contains(&rename.original) {
                self.rename_mpi(scope, rename.local.clone(), &rename.original);
            }
        }
        let visible = exported.filtered(|name| list.keeps_name(name));
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
        for name in only {
            let is_known = known.iter().any(|(known, _)| known == name);
            if is_known || is_intrinsic_function(name) || is_intrinsic_subroutine(name) {
                continue;
            }
            let id = self.add_constant(name, None);
            self.import(scope, name.clone(), Entity::Variable(id));
        }
    }

    fn import(&mut self, scope: ScopeId, name: String, entity: Entity<'a>) {
        let Scope {
            names, ambiguous, ..
        } = &mut self.scopes[scope.0];
        match (names.get_mut(&name), &entity) {
            // Generic interfaces of one name from several modules merge (F2018 14.2.2).
            (Some(Entity::Generic(known)), Entity::Generic(more)) => {
                known.extend(more.iter().cloned())
            }
            // The same entity through two modules is no conflict.
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
        let mut exported = Vec::new();
        if let Some(constants) = intrinsic_module(module) {
            for (name, value) in constants {
                let id = self.add_constant(name, Some(Expression::Integer(*value)));
                exported.push((name.to_string(), Entity::Variable(id)));
            }
            for name in functions_of_module(module) {
                exported.push((name.to_string(), Entity::Intrinsic(name.to_string())));
            }
            return Some(exported);
        }
        let unit = *self.modules.get(module)?;
        self.declare(unit);
        let scope = self.scope(self.units[unit].scope);
        for (name, entity) in &scope.names {
            let written = plain_type_name(name).unwrap_or(name);
            if scope.accessibility.exports(written) {
                exported.push((name.clone(), entity.clone()));
            }
        }
        Some(exported)
    }

    /// Records the variables that each procedure can name, and the meaning of names in constructs. It runs
    /// after all units are declared, because USE and host association need complete scopes.
    pub fn note_visible(&mut self) {
        for unit in &self.units {
            let UnitKind::Procedure(id) = unit.kind else {
                continue;
            };
            // From the inside out: an inner declaration hides that of its host.
            let mut meant: BTreeMap<&str, Option<VariableId>> = BTreeMap::new();
            let mut next = Some(unit.scope);
            while let Some(id) = next {
                let scope = self.scope(id);
                for (name, entity) in &scope.names {
                    if !meant.contains_key(name.as_str()) {
                        meant.insert(name, self.by_own_name(scope, name, entity));
                    }
                }
                for (name, id) in self.mpi_constants_of(scope) {
                    meant.entry(name).or_insert(Some(id));
                }
                next = scope.host;
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
            let mut meant: BTreeMap<String, Option<VariableId>> = BTreeMap::new();
            for (name, entity) in &scope.names {
                meant.insert(name.clone(), self.by_own_name(scope, name, entity));
            }
            for (name, id) in self.mpi_constants_of(scope) {
                meant.entry(name.to_string()).or_insert(Some(id));
            }
            self.program.own_names.insert(construct, meant);
        }
    }

    /// The names of variables that a construct declares and that are procedures' names outside.
    fn hiding_procedures(&self, construct: ScopeId) -> Vec<String> {
        let mut hiding = Vec::new();
        for (name, entity) in &self.scope(construct).names {
            let Entity::Variable(id) = entity else {
                continue;
            };
            let storage = &self.program.variable(*id).storage;
            let is_own = matches!(storage, Storage::Local | Storage::Static);
            if is_own
                && !self.interfaces.is_pointer(*id)
                && self.is_procedure_around(construct, name)
            {
                hiding.push(name.clone());
            }
        }
        hiding
    }

    /// Whether a name is a procedure's in some scope around a construct.
    fn is_procedure_around(&self, construct: ScopeId, name: &String) -> bool {
        // External procedures are global identifiers (F2018 19.2).
        for procedure in &self.program.procedures {
            if procedure.name == *name {
                return true;
            }
        }
        let mut around = self.scope(construct).host;
        while let Some(scope) = around {
            if let Some(
                Entity::Procedure(_) | Entity::Generic(_) | Entity::External(_) | Entity::Inline(_),
            ) = self.scope(scope).names.get(name)
            {
                return true;
            }
            around = self.scope(scope).host;
        }
        false
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
        let Entity::Variable(id) = entity else {
            return None;
        };
        let is_own = self.program.variable(*id).name == *name;
        if is_own && !scope.ambiguous.contains(name) {
            Some(*id)
        } else {
            None
        }
    }

    /// Resolves a generic name: the specific procedures that fit the arguments (F2018 15.5.5.2). More than
    /// one can remain where types are unknown.
    pub fn generic(
        &mut self,
        scope: ScopeId,
        name: &str,
        specifics: &[(ScopeId, String)],
        arguments: &[Given],
    ) -> Callee {
        let mut all = Vec::new();
        let mut without_source = Vec::new();
        for specific in specifics {
            let found = self.specific_procedures(std::slice::from_ref(specific));
            if found.is_empty() {
                without_source.push(specific.1.clone());
            }
            all.extend(found);
        }
        all.sort_unstable();
        all.dedup();
        let mut fitting: Vec<ProcedureId> = Vec::new();
        for id in &all {
            if self.fits(*id, arguments) {
                fitting.push(*id);
            }
        }
        if !fitting.is_empty() {
            return one_of(fitting);
        }
        // A generic name may extend an intrinsic function, which serves all other arguments.
        if is_intrinsic_function(name) {
            return Callee::Intrinsic(name.to_string());
        }
        if !all.is_empty() && without_source.is_empty() {
            return one_of(all);
        }
        let Some(first) = without_source.first().cloned() else {
            return self.undeclared_external(scope, name);
        };
        // Which of several is called is not known; a module without source may add others.
        if without_source.len() > 1 || self.scope(scope).sourceless {
            let ambiguous = &mut self.program.ambiguous_externals;
            ambiguous.extend(without_source);
        }
        self.external(scope, &first)
    }

    /// Whether arguments can be a procedure's: number, types and ranks, as far as they are known.
    pub fn fits(&self, id: ProcedureId, arguments: &[Given]) -> bool {
        let procedure = self.program.procedure(id);
        let dummies = &procedure.dummies;
        let mut given = vec![false; dummies.len()];
        for (index, (keyword, argument)) in arguments.iter().enumerate() {
            let position = match keyword {
                Some(keyword) => self.dummy_position(id, keyword),
                None => Some(index),
            };
            let Some(position) = position else {
                return false;
            };
            // An alternate return is a dummy without a variable.
            let Some(Some(dummy)) = dummies.get(position) else {
                return false;
            };
            let dummy = self.program.variable(*dummy);
            given[position] = true;
            if !self.same_type(&type_of(&self.program, argument), &dummy.of_type) {
                return false;
            }
            // Elemental procedures take arguments of any rank (F2018 15.8).
            let rank = rank_of(&self.program, argument);
            if rank.is_some_and(|rank| rank != dummy.shape.len()) && !procedure.is_elemental {
                return false;
            }
        }
        for (dummy, given) in dummies.iter().zip(given) {
            let Some(dummy) = dummy else { continue };
            if !given && !self.program.variable(*dummy).attributes.optional {
                return false;
            }
        }
        true
    }

    /// Whether an actual argument of a type may be a dummy's of another: the same, an extension, or unknown.
    pub fn same_type(&self, actual: &Type, dummy: &Type) -> bool {
        match (actual, dummy) {
            (Type::Unknown, _) | (_, Type::Unknown) => true,
            // Both directions: with CLASS the dynamic type can be an extension of the declared one.
            (Type::Derived(actual), Type::Derived(dummy)) => {
                actual == dummy || self.extends(actual, dummy) || self.extends(dummy, actual)
            }
            _ => actual == dummy,
        }
    }

    /// Whether a derived type is another or extends it.
    pub fn extends(&self, of_type: &str, ancestor: &str) -> bool {
        self.program
            .lineage(of_type)
            .any(|above| above.name == *ancestor)
    }

    /// Position of a dummy by its name.
    pub fn dummy_position(&self, id: ProcedureId, name: &str) -> Option<usize> {
        for (position, dummy) in self.program.procedure(id).dummies.iter().enumerate() {
            if let Some(dummy) = dummy
                && self.program.variable(*dummy).name == name
            {
                return Some(position);
            }
        }
        None
    }

    /// Arguments in the order of the dummies; keyword arguments find theirs by name.
    pub fn in_order(&mut self, callee: &Callee, arguments: Vec<Given>) -> Vec<Option<Expression>> {
        if let Callee::External(name) = callee {
            let mut keywords = arguments.iter().filter_map(|(keyword, _)| keyword.as_ref());
            if keywords.any(|keyword| self.interfaces.place_in_body(name, keyword).is_none()) {
                // Positions are not known, so no argument is known to keep its value.
                let dummies = &mut self.program.external_dummies;
                dummies.insert(name.clone(), Vec::new());
                return placed(arguments, |_| None);
            }
        }
        let this = &*self;
        placed(arguments, |keyword| this.keyword_position(callee, keyword))
    }

    fn keyword_position(&self, callee: &Callee, keyword: &str) -> Option<usize> {
        match callee {
            Callee::Variable(id) => self.interfaces.position(&self.program, *id, keyword),
            Callee::Procedure(id) => self.dummy_position(*id, keyword),
            Callee::Mpi(function) => {
                for (position, argument) in function.arguments.iter().enumerate() {
                    if argument.name == keyword {
                        return Some(position);
                    }
                }
                // IERROR is last in every Fortran binding and is not in the table, which follows C.
                if keyword == "ierror" {
                    return Some(function.arguments.len());
                }
                None
            }
            Callee::OneOf(all) => all.iter().find_map(|id| self.dummy_position(*id, keyword)),
            Callee::Intrinsic(name) => dummies_of(name).iter().position(|dummy| *dummy == keyword),
            Callee::External(name) => self.interfaces.place_in_body(name, keyword),
            Callee::UnknownMpi(_) => None,
        }
    }
}

/// The list of a USE statement.
struct UseList {
    /// Names after ONLY that are not renamed; `None` without ONLY.
    only: Option<Vec<String>>,
    renames: Vec<Rename>,
}

/// `local => original`.
struct Rename {
    local: String,
    original: String,
}

/// Names after ONLY (`None` without it) and renames, as `(local, of the module)`.
impl UseList {
    fn of(item: At) -> UseList {
        // With ONLY the renames are inside the list of items, without it beside the module's name.
        let items = item.child("included_items");
        let list = items.unwrap_or(item);
        let mut renames = Vec::new();
        for alias in list
            .all("use_alias")
            .into_iter()
            .chain(item.all("use_alias"))
        {
            if let (Some(local), Some(original)) =
                (alias.child("local_name"), alias.child("identifier"))
            {
                renames.push(Rename {
                    local: generic_name(&local.name()),
                    original: generic_name(&original.name()),
                });
            }
        }
        let only = items.map(only_names);
        UseList { only, renames }
    }

    /// Whether a name of the module is accessible under that name.
    fn keeps_name(&self, name: &str) -> bool {
        match &self.only {
            Some(only) => only.iter().any(|listed| listed == name),
            None => !self.renames.iter().any(|rename| rename.original == name),
        }
    }

    /// All names under which a name of the module is accessible: it can be renamed more than once.
    fn local_names(&self, original: &str) -> Vec<String> {
        let mut locals = Vec::new();
        for rename in &self.renames {
            if rename.original == original {
                locals.push(rename.local.clone());
            }
        }
        if self.keeps_name(original) {
            locals.push(original.to_string());
        }
        locals
    }
}

fn only_names(items: At) -> Vec<String> {
    const NAMES: [&str; 4] = [
        "identifier",
        "operator",
        "assignment",
        "defined_io_procedure",
    ];
    let mut names = Vec::new();
    for item in items.named() {
        if NAMES.contains(&item.kind()) {
            names.push(generic_name(&item.name()));
        }
    }
    names
}
