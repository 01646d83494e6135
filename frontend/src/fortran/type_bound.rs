//! Type-bound procedures, procedure components, and operators and assignments that the program defines:
//! who may be called.

use super::derived_types::generic_name;
use super::expressions::keyword_of;
use super::lower::Lowering;
use super::modules::Given;
use super::names::{Entity, ScopeId};
use super::procedure_pointers::insert_object;
use super::syntax::At;
use super::value_types::type_of;
use crate::ir::{Callee, Expression, ProcedureId, Storage, Type, Variable};
use crate::source::diagnostics::Severity;
use std::collections::BTreeSet;

/// What is bound to a derived type.
pub struct Bound {
    /// Where its procedures' names are known.
    pub scope: ScopeId,
    /// Its own bindings.
    pub bindings: Vec<Binding>,
}

/// One binding.
#[derive(Clone, Debug)]
pub enum Binding {
    /// `PROCEDURE :: name => procedure`.
    Specific {
        /// By which it is called.
        name: String,
        /// Who is called; `None` if extensions must say so (DEFERRED).
        procedure: Option<String>,
        /// Whether the object is passed.
        passes: bool,
        /// The dummy it is passed as; the first without.
        pass: Option<String>,
    },
    /// `GENERIC :: name => specifics`.
    Generic {
        /// By which it is called; `operator(+)` and the like in one spelling.
        name: String,
        /// Names of specific bindings.
        specifics: Vec<String>,
    },
    /// FINAL: called when an object goes.
    Final(String),
}

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
        if !self.may_be_bound(&name) {
            return None;
        }
        let object = self.expression_at(scope, node, depth + 1);
        let of_type = type_of(&self.program, &object);
        if let Type::Derived(of) = &of_type
            && let Some(component) = self.program.component(of, &name)
        {
            let through = component
                .is_procedure
                .then(|| crate::ir::references::base(&object))
                .flatten()?;
            let arguments = self.given(scope, list, depth);
            let arguments = self.component_arguments(of, member, object, arguments);
            return Some((Callee::Variable(through), arguments));
        }
        let arguments = self.given(scope, list, depth);
        let candidates = self.candidates(&of_type, &name, &object, &arguments);
        (!candidates.is_empty()).then(|| self.call_of(&candidates, object, arguments))
    }

    /// Whether a procedure component or a binding has this name somewhere.
    fn may_be_bound(&self, name: &str) -> bool {
        self.bound_names.contains(name)
    }

    /// Actual arguments with their keywords.
    pub fn given(&mut self, scope: ScopeId, list: &[At<'a>], depth: usize) -> Vec<Given> {
        list.iter()
            .map(|&at| (keyword_of(at), self.expression_at(scope, at, depth + 1)))
            .collect()
    }

    fn call_of(
        &self,
        candidates: &[Candidate],
        object: Expression,
        mut arguments: Vec<Given>,
    ) -> (Callee, Vec<Option<Expression>>) {
        let callee = one_of(candidates.iter().map(|one| one.procedure).collect());
        self.insert_object(&candidates[0], &object, &mut arguments);
        let arguments = self.in_order(&callee, arguments);
        (callee, arguments)
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
        let dummy = self
            .program
            .procedure(candidate.procedure)
            .dummies
            .get(position)
            .copied()
            .flatten();
        let name = dummy.map(|id| self.program.variable(id).name.clone());
        insert_object(position, name, object.clone(), arguments);
    }

    /// Who may be meant by a binding of an object. Its dynamic type may be any extension of the declared
    /// one, and any type at all if nothing is known of it.
    fn candidates(
        &mut self,
        of_type: &Type,
        name: &str,
        object: &Expression,
        arguments: &[Given],
    ) -> Vec<Candidate> {
        let types = match of_type {
            Type::Derived(of) if self.program.derived_type(of).is_some() => self.extensions(of),
            _ => self
                .program
                .types
                .iter()
                .map(|one| one.name.clone())
                .collect(),
        };
        let mut found = BTreeSet::new();
        for of in types {
            for procedure in self.bound_to(&of, name, 0) {
                found.insert(procedure);
            }
        }
        let found: Vec<Candidate> = found.into_iter().collect();
        if found.len() < 2 {
            return found;
        }
        let fits = |one: &&Candidate| {
            let mut all = arguments.to_vec();
            self.insert_object(one, object, &mut all);
            self.fits(one.procedure, &all)
        };
        let fitting: Vec<Candidate> = found.iter().filter(fits).copied().collect();
        if fitting.is_empty() { found } else { fitting }
    }

    /// The procedures that a name is bound to in a type or those it extends.
    fn bound_to(&mut self, of: &str, name: &str, depth: usize) -> Vec<Candidate> {
        let line: Vec<String> = self
            .program
            .lineage(of)
            .map(|one| one.name.clone())
            .collect();
        let mut found = Vec::new();
        for above in line {
            let Some(bound) = self.bound.get(&above) else {
                continue;
            };
            let (scope, bindings) = (bound.scope, bound.bindings.clone());
            let mut overridden = false;
            for binding in bindings
                .iter()
                .filter(|binding| binding.name() == Some(name))
            {
                match binding {
                    Binding::Specific {
                        procedure,
                        passes,
                        pass,
                        ..
                    } => {
                        overridden = true;
                        let id = procedure
                            .as_ref()
                            .and_then(|name| self.procedure_named(scope, name));
                        found.extend(id.map(|id| self.candidate(id, *passes, pass.as_deref())));
                    }
                    // Specifics are bindings by themselves, which extensions may override.
                    Binding::Generic { specifics, .. } if depth < 2 => {
                        found.extend(
                            specifics
                                .iter()
                                .flat_map(|specific| self.bound_to(of, specific, depth + 1)),
                        );
                    }
                    Binding::Generic { .. } | Binding::Final(_) => {}
                }
            }
            if overridden {
                break;
            }
        }
        found
    }

    fn candidate(&self, procedure: ProcedureId, passes: bool, pass: Option<&str>) -> Candidate {
        let dummies = &self.program.procedure(procedure).dummies;
        let named = |dummy: &Option<_>| {
            dummy.is_some_and(|id| Some(self.program.variable(id).name.as_str()) == pass)
        };
        let position = pass.map_or(Some(0), |_| dummies.iter().position(named));
        Candidate {
            procedure,
            object: position.filter(|_| passes),
        }
    }

    /// A procedure by a name that a scope knows.
    pub fn procedure_named(&mut self, scope: ScopeId, name: &str) -> Option<ProcedureId> {
        match self.lookup(scope, name) {
            Some(Entity::Procedure(id)) => Some(id),
            // Declared by an interface: whoever bears its name here is another one.
            Some(Entity::External(_)) => None,
            _ => self.program.find(name),
        }
    }

    /// Those of a generic name: they need not be known where it is used (PRIVATE, ONLY).
    pub fn specific_procedures(&mut self, specifics: &[(ScopeId, String)]) -> Vec<ProcedureId> {
        specifics
            .iter()
            .filter_map(|(scope, name)| self.procedure_named(*scope, name))
            .collect()
    }

    /// The procedures that an operator (`+`) or assignment (`=`) may call for these operands; none if it
    /// is the language's own.
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
        let mut found: BTreeSet<ProcedureId> =
            self.specific_procedures(&generic).into_iter().collect();
        for operand in operands {
            if let Type::Derived(of) = type_of(&self.program, operand) {
                for of in self.extensions(&of) {
                    found.extend(self.bound_to(&of, name, 0).iter().map(|one| one.procedure));
                }
            }
        }
        let given: Vec<Given> = operands
            .iter()
            .map(|operand| (None, (*operand).clone()))
            .collect();
        found
            .into_iter()
            .filter(|id| self.fits(*id, &given))
            .collect()
    }

    /// The type-bound assignments that an assignment of the language's own may call for components.
    pub fn assigned_by_components(&mut self, target: &Expression) -> Vec<ProcedureId> {
        let mut found = BTreeSet::new();
        if let (true, Type::Derived(of)) = (
            self.bound_names.contains("assignment(=)"),
            type_of(&self.program, target),
        ) {
            let mut parts = BTreeSet::new();
            self.collect_parts(&of, &mut parts);
            for part in parts {
                let bound = self
                    .bound_to(&part, "assignment(=)", 0)
                    .into_iter()
                    .map(|one| one.procedure);
                let of_type = Type::Derived(part);
                found.extend(bound.filter(|id| self.is_assigned(*id, &of_type)));
            }
        }
        found.into_iter().collect()
    }

    /// Whether a procedure's second dummy, what it assigns, may have this type.
    fn is_assigned(&self, id: ProcedureId, of_type: &Type) -> bool {
        let second = self.program.procedure(id).dummies.get(1).copied().flatten();
        second.is_some_and(|dummy| self.same_type(of_type, &self.program.variable(dummy).of_type))
    }

    /// The derived types of the components of a type and of all that extend it, and of theirs.
    fn collect_parts(&self, of: &str, parts: &mut BTreeSet<String>) {
        for of in self.extensions(of) {
            let line: Vec<_> = self.program.lineage(&of).collect();
            let above = line.iter().skip(1).map(|one| one.name.clone());
            let components = line.iter().flat_map(|one| &one.components);
            let inside = components
                .filter(|one| !one.is_procedure)
                .filter_map(|one| match &one.of_type {
                    Type::Derived(part) => Some(self.extensions(part)),
                    _ => None,
                });
            for part in above.chain(inside.flatten()).collect::<Vec<_>>() {
                if parts.insert(part.clone()) {
                    self.collect_parts(&part, parts);
                }
            }
        }
    }

    /// The procedures that read or write objects of these types, by the names of their generics.
    pub fn transfers(
        &mut self,
        scope: ScopeId,
        names: &[&str],
        types: &[Type],
    ) -> Vec<ProcedureId> {
        let mut found = Vec::new();
        for name in names {
            if let Some(Entity::Generic(specifics)) =
                self.lookup(scope, name).filter(|_| !types.is_empty())
            {
                found.extend(self.specific_procedures(&specifics));
            }
            for of_type in types {
                let Type::Derived(of) = of_type else { continue };
                found.extend(self.bound_to(of, name, 0).iter().map(|one| one.procedure));
            }
        }
        found
    }

    /// A type and all that extend it.
    fn extensions(&self, of: &str) -> Vec<String> {
        let all = self.program.types.iter().map(|one| &one.name);
        all.filter(|other| self.program.lineage(other).any(|above| above.name == of))
            .cloned()
            .collect()
    }

    /// FINAL procedures run where no statement calls them.
    pub fn mark_finals(&mut self) {
        let name = |binding: &Binding| match binding {
            Binding::Final(name) => Some(name.clone()),
            Binding::Specific { .. } | Binding::Generic { .. } => None,
        };
        let all = self.bound.iter().flat_map(|(of, bound)| {
            bound
                .bindings
                .iter()
                .filter_map(name)
                .map(|n| (of.clone(), bound.scope, n))
        });
        for (of, scope, name) in all.collect::<Vec<_>>() {
            let Some(id) = self.procedure_named(scope, &name) else {
                continue;
            };
            self.program.procedures[id.0 as usize].is_final = true;
            let own = self.program.types.iter_mut().find(|one| one.name == of);
            own.into_iter().for_each(|own| own.finals.push(id));
        }
    }
}

impl<'a> Lowering<'a> {
    /// Procedures whose own objects have FINAL procedures stay together: compilers finalise only objects that
    /// some statement names.
    pub fn keep_finalised(&mut self) {
        let ends =
            |one: &&Variable| matches!(one.storage, Storage::Local) && !one.attributes.pointer;
        let local = self.program.variables.iter().filter(ends);
        let owners = local.filter(|one| !self.program.finals_of(&one.of_type).is_empty());
        let owners: BTreeSet<ProcedureId> = owners.filter_map(|one| one.owner).collect();
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
    /// The name that is called; FINAL procedures are called by nobody.
    pub fn name(&self) -> Option<&str> {
        match self {
            Binding::Specific { name, .. } | Binding::Generic { name, .. } => Some(name),
            Binding::Final(_) => None,
        }
    }
}

/// A callee that is one of these.
pub fn one_of(mut procedures: Vec<ProcedureId>) -> Callee {
    procedures.sort_unstable();
    procedures.dedup();
    match procedures[..] {
        [only] => Callee::Procedure(only),
        _ => Callee::OneOf(procedures),
    }
}

/// The name under which an operator's procedures are known.
fn operator_name(spelling: &str) -> String {
    generic_name(&format!("operator({})", spelling.to_ascii_lowercase()))
}
