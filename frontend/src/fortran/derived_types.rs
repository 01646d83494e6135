//! Derived types: their names, which are apart from all others, their components, and what is bound to
//! them. Who is called through a binding is in `bound`.

use super::declared_attributes::DeclaredAttributes;
use super::lower::Lowering;
use super::names::{Entity, ScopeId};
use super::procedure_pointers::{Place, passing};
use super::syntax::At;
use super::type_bound::{Binding, Bound};
use crate::ir::{Attributes, Component, DerivedType, Program, Type};

/// What a type's name is prefixed with among the names of a scope.
const PREFIX: &str = "type ";

/// The name under which a scope knows a derived type: a generic procedure may bear the same.
pub fn type_name(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// The name of a derived type that a scope knows under this name; `None` for other names.
pub fn plain_type_name(name: &str) -> Option<&str> {
    name.strip_prefix(PREFIX)
}

impl<'a> Lowering<'a> {
    /// Makes the types of a unit known before anything refers to them.
    pub fn name_types(&mut self, scope: ScopeId, items: &[At<'a>]) {
        for item in items
            .iter()
            .filter(|item| item.is("derived_type_definition"))
        {
            let Some(name) = defined_name(*item) else {
                continue;
            };
            let same = |one: &&DerivedType| one.name.split('.').next() == Some(name.as_str());
            let others = self.program.types.iter().filter(same).count();
            let key = if others == 0 {
                name.clone()
            } else {
                format!("{name}.{}", others + 1)
            };
            self.program.types.push(DerivedType {
                name: key.clone(),
                ..DerivedType::default()
            });
            let names = &mut self.scopes[scope.0].names;
            names
                .entry(name.clone())
                .or_insert(Entity::DerivedType(key.clone()));
            names.insert(type_name(&name), Entity::DerivedType(key));
        }
    }

    /// The type that a name means in a scope.
    pub fn type_by_name(&mut self, scope: ScopeId, name: &str) -> Type {
        match self.lookup(scope, &type_name(name)) {
            Some(Entity::DerivedType(key)) => Type::Derived(key),
            _ => Type::Derived(name.to_string()),
        }
    }

    /// Components and bindings, once the constants of the unit are known.
    pub fn define_types(&mut self, scope: ScopeId, gathered: &DeclaredAttributes<'a>) {
        for &item in &gathered.types {
            let Some(Type::Derived(key)) =
                defined_name(item).map(|name| self.type_by_name(scope, &name))
            else {
                continue;
            };
            let parent = self.parent(scope, item);
            let components = self.components(scope, &key, item);
            if let Some(own) = self.program.types.iter_mut().find(|one| one.name == key) {
                (own.parent, own.components) = (parent, components);
            }
            let bindings = bindings(item);
            let procedures = components_that_are_called(&self.program, &key);
            self.bound_names.extend(
                bindings
                    .iter()
                    .filter_map(|one| one.name().map(String::from))
                    .chain(procedures),
            );
            self.defines_operators |= self.bound_names.iter().any(|name| name.contains('('));
            self.bound.insert(key, Bound { scope, bindings });
        }
    }

    fn parent(&mut self, scope: ScopeId, item: At<'a>) -> Option<String> {
        let base = item
            .child("derived_type_statement")?
            .field("base")?
            .child("identifier")?;
        match self.type_by_name(scope, &base.name()) {
            Type::Derived(key) => Some(key),
            _ => None,
        }
    }

    fn components(&mut self, scope: ScopeId, of: &str, item: At<'a>) -> Vec<Component> {
        let mut said = DeclaredAttributes::default();
        for declaration in item.all("variable_declaration") {
            super::declared_attributes::collect_declaration(declaration, &mut said);
        }
        item.all("private_statement")
            .into_iter()
            .for_each(|statement| said.accessibility.gather(statement));
        let accessibility = std::mem::take(&mut said.accessibility);
        let names = std::mem::take(&mut said.names);
        for (name, said) in &names {
            self.note_pointer(scope, Place::Component(of.to_string(), name.clone()), said);
        }
        let component = |(name, said): (String, super::declared_attributes::Said<'a>)| Component {
            is_private: !accessibility.exports(&name),
            name,
            of_type: said
                .of_type
                .map_or(Type::Unknown, |node| self.declared_type(scope, node).0),
            rank: said.dimensions.map_or(0, |list| list.named().len()),
            attributes: said.attributes(),
            is_procedure: said.external,
        };
        names.into_iter().map(component).collect()
    }
}

fn components_that_are_called(program: &Program, of: &str) -> Vec<String> {
    let components = program
        .derived_type(of)
        .map_or(&[][..], |one| &one.components);
    components
        .iter()
        .filter(|one| one.is_procedure)
        .map(|one| one.name.clone())
        .collect()
}

fn defined_name(item: At) -> Option<String> {
    Some(
        item.child("derived_type_statement")?
            .child("type_name")?
            .name(),
    )
}

/// What stands behind CONTAINS in a definition.
fn bindings(item: At) -> Vec<Binding> {
    let Some(procedures) = item.child("derived_type_procedures") else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for statement in procedures.named() {
        match statement.kind() {
            "procedure_statement" => specific_bindings(statement, &mut found),
            "generic_statement" => {
                let list = statement.field("declarator");
                let name = list.and_then(|list| list.child("binding_name"));
                let specifics = list.map_or(Vec::new(), |list| list.all("method_name"));
                found.extend(name.map(|name| Binding::Generic {
                    name: generic_name(&name.name()),
                    specifics: specifics.iter().map(At::name).collect(),
                }));
            }
            "final_statement" => {
                let names = statement.fields("declarator");
                found.extend(names.iter().map(|name| Binding::Final(name.name())));
            }
            _ => {}
        }
    }
    found
}

fn specific_bindings(statement: At, found: &mut Vec<Binding>) {
    let deferred = statement
        .all("procedure_attribute")
        .iter()
        .any(|one| one.name() == "deferred");
    let (passes, pass) = passing(statement);
    for declarator in statement.fields("declarator") {
        let name = declarator
            .child("binding_name")
            .unwrap_or(declarator)
            .name();
        let procedure = declarator
            .child("method_name")
            .map_or(name.clone(), |method| method.name());
        let procedure = (!deferred).then_some(procedure);
        found.push(Binding::Specific {
            name,
            procedure,
            passes,
            pass: pass.clone(),
        });
    }
}

/// One spelling of `operator(.eq.)`, `OPERATOR( == )`, `assignment(=)` and plain names.
pub fn generic_name(text: &str) -> String {
    let name: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let old = ["(.eq.)", "(.ne.)", "(.lt.)", "(.le.)", "(.gt.)", "(.ge.)"];
    let new = ["(==)", "(/=)", "(<)", "(<=)", "(>)", "(>=)"];
    old.iter()
        .zip(new)
        .fold(name, |name, (old, new)| name.replace(old, new))
}

impl super::declared_attributes::Said<'_> {
    /// What the declaration says beside type and shape.
    pub fn attributes(&self) -> Attributes {
        let class = self
            .of_type
            .is_some_and(|of_type| of_type.name().starts_with("class"));
        Attributes {
            pointer: self.pointer,
            allocatable: self.allocatable,
            optional: self.optional,
            intent_out: self.intent_out,
            polymorphic: class,
            initialised: self.initial,
            begins_null: self.begins_null,
            in_pieces: false,
            inner: false,
            of_mpi: false,
        }
    }
}
