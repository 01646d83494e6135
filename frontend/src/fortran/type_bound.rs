//! Type-bound procedures, procedure components, defined operators and defined assignments: the procedures
//! that a call may execute.

use super::arguments::Given;
use super::arguments::insert_object;
use super::arguments::keyword_of;
use super::bindings::{Binding, one_of};
use super::derived_types::generic_name;
use super::lower::Lowering;
use super::names::{Entity, ScopeId};
use super::syntax::At;
use super::value_types::type_of;
use crate::ir::{Callee, Expression, ProcedureId, Storage, Type};
use crate::source::diagnostics::Severity;
use std::collections::BTreeSet;

/// A procedure that a binding may mean, and where its object goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    procedure: ProcedureId,
    /// Position of the dummy that is the object.
    object: Option<usize>,
}

impl<'a> Lowering<'a> {
    /// A call through a component of an object: `object%name(list)`. `None` if the name is that of data.
    pub fn bound_call(
        &mut self,
        scope: ScopeId,
        member: At<'a>,
        list: &[At<'a>],
        depth: usize,
    ) -> Option<(Callee, Vec<Option<Expression>>)> {
        let name = member.child("type_member")?.name();
        let node = member.named().first().copied()?;
        if !self.bound_names.contains(&name) {
            return None;
        }
        let object = self.expression_at(scope, node, depth + 1);
        let of_type = type_of(&self.program, &object);
        if let Type::Derived(of) = &of_type
            && let Some(component) = self.program.component(of, &name)
        {
            if !component.is_procedure {
                return None;
            }
            let through = crate::ir::references::base(&object)?;
            let arguments = self.given(scope, list, depth);
            let arguments = self.component_arguments(of, member, object, arguments);
            return Some((Callee::Variable(through), arguments));
        }
        let mut arguments = self.given(scope, list, depth);
        let candidates = self.candidates(&of_type, &name, &object, &arguments);
        // Overriding procedures pass the object at the same position (F2018 7.5.7.3).
        let first = candidates.first()?;
        self.insert_object(first, &object, &mut arguments);
        let callee = one_of(candidates.iter().map(|one| one.procedure).collect());
        let arguments = self.in_order(&callee, arguments);
        Some((callee, arguments))
    }

    /// Actual arguments with their keywords.
    pub fn given(&mut self, scope: ScopeId, list: &[At<'a>], depth: usize) -> Vec<Given> {
        let mut given = Vec::with_capacity(list.len());
        for &at in list {
            let argument = self.expression_at(scope, at, depth + 1);
            given.push((keyword_of(at), argument));
        }
        given
    }

    fn insert_object(
        &self,
        candidate: &Candidate,
        object: &Expression,
        arguments: &mut Vec<Given>,
    ) {
        let Some(position) = candidate.object else {
            return;
        };
        let dummies = &self.program.procedure(candidate.procedure).dummies;
        let name = match dummies.get(position) {
            Some(Some(id)) => Some(self.program.variable(*id).name.clone()),
            _ => None,
        };
        insert_object(position, name, object.clone(), arguments);
    }

    /// The procedures that a binding of an object may mean. Its dynamic type may be any extension of the
    /// declared one, and any type at all if the declared type is not known.
    fn candidates(
        &mut self,
        of_type: &Type,
        name: &str,
        object: &Expression,
        arguments: &[Given],
    ) -> Vec<Candidate> {
        let types: Vec<String> = match of_type {
            Type::Derived(of) if self.program.derived_type(of).is_some() => self.extensions(of),
            _ => {
                let all = &self.program.types;
                all.iter().map(|one| one.name.clone()).collect()
            }
        };
        let mut found = BTreeSet::new();
        for of in types {
            found.extend(self.bound_to(&of, name, 0));
        }
        let found: Vec<Candidate> = found.into_iter().collect();
        if found.len() < 2 {
            return found;
        }
        let mut fitting = Vec::new();
        for one in &found {
            let mut all = arguments.to_vec();
            self.insert_object(one, object, &mut all);
            if self.fits(one.procedure, &all) {
                fitting.push(*one);
            }
        }
        // If none fits, types are wrong here: a call to all is safe.
        if fitting.is_empty() { found } else { fitting }
    }

    /// The procedures that a name is bound to in a type or those it extends.
    fn bound_to(&mut self, of: &str, name: &str, depth: usize) -> Vec<Candidate> {
        let lineage = self.program.lineage(of);
        let ancestors: Vec<String> = lineage.map(|one| one.name.clone()).collect();
        let mut found = Vec::new();
        for ancestor in ancestors {
            let Some(bound) = self.bound.get(&ancestor) else {
                continue;
            };
            let (scope, bindings) = (bound.scope, bound.bindings.clone());
            let mut overridden = false;
            for binding in &bindings {
                if binding.name() != Some(name) {
                    continue;
                }
                match binding {
                    Binding::Specific {
                        procedure,
                        passes,
                        pass,
                        ..
                    } => {
                        overridden = true;
                        if let Some(procedure) = procedure
                            && let Some(id) = self.procedure_named(scope, procedure)
                        {
                            found.push(self.candidate(id, *passes, pass.as_deref()));
                        }
                    }
                    // Specifics are bindings of their own, which extensions may override.
                    Binding::Generic { specifics, .. } if depth < 2 => {
                        for specific in specifics {
                            found.extend(self.bound_to(of, specific, depth + 1));
                        }
                    }
                    Binding::Generic { .. } | Binding::Final(_) => {}
                }
            }
            // A specific binding hides the inherited one (F2018 7.5.7.3); generics add to it.
            if overridden {
                break;
            }
        }
        found
    }

    fn candidate(&self, procedure: ProcedureId, passes: bool, pass: Option<&str>) -> Candidate {
        let object = match pass {
            _ if !passes => None,
            Some(pass) => self.dummy_position(procedure, pass),
            None => Some(0),
        };
        Candidate { procedure, object }
    }

    /// A procedure by a name that a scope knows.
    pub fn procedure_named(&mut self, scope: ScopeId, name: &str) -> Option<ProcedureId> {
        match self.lookup(scope, name) {
            Some(Entity::Procedure(id)) => Some(id),
            // Declared by an interface: a procedure of that name here is another one.
            Some(Entity::External(_)) => None,
            _ => self.program.find(name),
        }
    }

    /// Those of a generic name: they need not be known where it is used (PRIVATE, ONLY).
    pub fn specific_procedures(&mut self, specifics: &[(ScopeId, String)]) -> Vec<ProcedureId> {
        let mut procedures = Vec::new();
        for (scope, name) in specifics {
            procedures.extend(self.procedure_named(*scope, name));
        }
        procedures
    }

    /// The procedures that an operator (`+`) or assignment (`=`) may call for these operands; none if it
    /// is intrinsic.
    pub fn defined(
        &mut self,
        scope: ScopeId,
        spelling: &str,
        operands: &[&Expression],
    ) -> Vec<ProcedureId> {
        if !self.defines_operators {
            return Vec::new();
        }
        let name = &if spelling == "=" {
            "assignment(=)".to_string()
        } else {
            operator_name(spelling)
        };
        let generic = match self.lookup(scope, name) {
            Some(Entity::Generic(specifics)) => specifics,
            _ if self.bound_names.contains(name) => Vec::new(),
            _ => return Vec::new(),
        };
        let mut found: BTreeSet<ProcedureId> = BTreeSet::new();
        found.extend(self.specific_procedures(&generic));
        for operand in operands {
            if let Type::Derived(of) = type_of(&self.program, operand) {
                for of in self.extensions(&of) {
                    found.extend(self.procedures_bound_to(&of, name));
                }
            }
        }
        let mut given: Vec<Given> = Vec::new();
        for operand in operands {
            given.push((None, (*operand).clone()));
        }
        found.retain(|id| self.fits(*id, &given));
        found.into_iter().collect()
    }

    fn procedures_bound_to(&mut self, of: &str, name: &str) -> Vec<ProcedureId> {
        let candidates = self.bound_to(of, name, 0);
        candidates.iter().map(|one| one.procedure).collect()
    }

    /// The type-bound assignments that an intrinsic assignment may call for components (F2018 10.2.1.3).
    pub fn assigned_by_components(&mut self, target: &Expression) -> Vec<ProcedureId> {
        const ASSIGNMENT: &str = "assignment(=)";
        if !self.bound_names.contains(ASSIGNMENT) {
            return Vec::new();
        }
        let Type::Derived(of) = type_of(&self.program, target) else {
            return Vec::new();
        };
        let mut parts = BTreeSet::new();
        self.collect_parts(&of, &mut parts);
        let mut found = BTreeSet::new();
        for part in parts {
            let bound = self.procedures_bound_to(&part, ASSIGNMENT);
            let of_type = Type::Derived(part);
            for id in bound {
                if self.is_assigned(id, &of_type) {
                    found.insert(id);
                }
            }
        }
        found.into_iter().collect()
    }

    /// Whether a procedure's second dummy, what it assigns, may have this type.
    fn is_assigned(&self, id: ProcedureId, of_type: &Type) -> bool {
        match self.program.procedure(id).dummies.get(1) {
            Some(Some(second)) => self.same_type(of_type, &self.program.variable(*second).of_type),
            _ => false,
        }
    }

    /// The derived types of the components of a type and of all that extend it, and of theirs.
    fn collect_parts(&self, of: &str, parts: &mut BTreeSet<String>) {
        for of in self.extensions(of) {
            let mut inside: Vec<String> = Vec::new();
            for (distance, ancestor) in self.program.lineage(&of).enumerate() {
                // An object has its parent type's part as a component.
                if distance > 0 {
                    inside.push(ancestor.name.clone());
                }
                for component in &ancestor.components {
                    if let Type::Derived(part) = &component.of_type
                        && !component.is_procedure
                    {
                        inside.extend(self.extensions(part));
                    }
                }
            }
            for part in inside {
                if parts.insert(part.clone()) {
                    self.collect_parts(&part, parts);
                }
            }
        }
    }

    /// The defined input/output procedures for objects of these types (F2018 12.6.4.8), by the names of
    /// their generics.
    pub fn transfers(
        &mut self,
        scope: ScopeId,
        names: &[&str],
        types: &[Type],
    ) -> Vec<ProcedureId> {
        let mut found = Vec::new();
        if types.is_empty() {
            return found;
        }
        for name in names {
            if let Some(Entity::Generic(specifics)) = self.lookup(scope, name) {
                found.extend(self.specific_procedures(&specifics));
            }
            for of_type in types {
                let Type::Derived(of) = of_type else { continue };
                found.extend(self.procedures_bound_to(of, name));
            }
        }
        found
    }

    /// A type and all that extend it.
    fn extensions(&self, of: &str) -> Vec<String> {
        let mut extensions = Vec::new();
        for one in &self.program.types {
            if self.extends(&one.name, of) {
                extensions.push(one.name.clone());
            }
        }
        extensions
    }

    /// Marks the FINAL procedures: they run where no statement calls them.
    pub fn mark_finals(&mut self) {
        let mut finals = Vec::new();
        for (of, bound) in &self.bound {
            for binding in &bound.bindings {
                if let Binding::Final(name) = binding {
                    finals.push((of.clone(), bound.scope, name.clone()));
                }
            }
        }
        for (of, scope, name) in finals {
            let Some(id) = self.procedure_named(scope, &name) else {
                continue;
            };
            self.program.procedures[id.0 as usize].is_final = true;
            for one in &mut self.program.types {
                if one.name == of {
                    one.finals.push(id);
                    break;
                }
            }
        }
    }
}

impl<'a> Lowering<'a> {
    /// Procedures whose own objects have FINAL procedures are opaque: gfortran finalises only objects that
    /// some statement names, so that a slice without these statements would finalise fewer.
    pub fn keep_finalised(&mut self) {
        let mut owners: BTreeSet<ProcedureId> = BTreeSet::new();
        for variable in &self.program.variables {
            let is_finalised_on_return =
                matches!(variable.storage, Storage::Local) && !variable.attributes.pointer;
            if is_finalised_on_return && !self.program.finals_of(&variable.of_type).is_empty() {
                owners.extend(variable.owner);
            }
        }
        for owner in owners {
            let own = &mut self.program.procedures[owner.0 as usize];
            own.is_whole = true;
            let (name, span) = (own.name.clone(), self.map.procedure(owner).whole);
            let line = self.line(span);
            let sentence = format!(
                "{line}: an object with a FINAL procedure: all statements of {name} are kept together"
            );
            self.say(Severity::Warning, span, sentence);
        }
    }
}

impl Binding {
    /// The name in calls; no statement calls a FINAL procedure.
    pub fn name(&self) -> Option<&str> {
        match self {
            Binding::Specific { name, .. } | Binding::Generic { name, .. } => Some(name),
            Binding::Final(_) => None,
        }
    }
}

/// The name under which an operator's procedures are known.
fn operator_name(spelling: &str) -> String {
    generic_name(&format!("operator({})", spelling.to_ascii_lowercase()))
}
