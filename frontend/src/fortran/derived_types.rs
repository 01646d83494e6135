//! Derived types: their names, which are separate from all others, their components and their bindings.
//! The procedures that a call through a binding may execute are in `type_bound`.

use super::bindings::{Binding, Bound};
use super::declared_attributes::{DeclaredAttributes, collect_declaration};
use super::interfaces::DeclaredEntity;
use super::lower::Lowering;
use super::names::{Entity, ScopeId};
use super::procedure_pointers::passing;
use super::syntax::At;
use crate::ir::{Attributes, Component, DerivedType, Type};

/// What a type's name is prefixed with among the names of a scope.
const PREFIX: &str = "type ";

/// The name under which a scope knows a derived type. A generic procedure may have the name of a type
/// and take the place of its structure constructor (F2018 7.5.10), so that types are kept apart.
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
        for item in items {
            if !item.is("derived_type_definition") {
                continue;
            }
            let Some(name) = defined_name(*item) else {
                continue;
            };
            // Types of one name in different scopes get numbers.
            let mut others = 0;
            for one in &self.program.types {
                if one.name.split('.').next() == Some(name.as_str()) {
                    others += 1;
                }
            }
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
            let Some(name) = defined_name(item) else {
                continue;
            };
            let Type::Derived(key) = self.type_by_name(scope, &name) else {
                continue;
            };
            let parent = self.parent(scope, item);
            let components = self.components(scope, &key, item);
            for component in &components {
                if component.is_procedure {
                    self.bound_names.insert(component.name.clone());
                }
            }
            if let Some(own) = self.program.types.iter_mut().find(|one| one.name == key) {
                (own.parent, own.components) = (parent, components);
            }
            let bindings = bindings(item);
            for binding in &bindings {
                if let Some(name) = binding.name() {
                    self.bound_names.insert(name.to_string());
                    // `operator(+)` and `assignment(=)` have parentheses.
                    self.defines_operators |= name.contains('(');
                }
            }
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
            collect_declaration(declaration, &mut said);
        }
        for statement in item.all("private_statement") {
            said.accessibility.gather(statement);
        }
        let accessibility = std::mem::take(&mut said.accessibility);
        let names = std::mem::take(&mut said.names);
        for (name, said) in &names {
            self.note_pointer(
                scope,
                DeclaredEntity::Component(of.to_string(), name.clone()),
                said,
            );
        }
        let mut components = Vec::new();
        for (name, said) in names {
            let of_type = match said.of_type {
                Some(node) => self.declared_type(scope, node).0,
                None => Type::Unknown,
            };
            let rank = match said.dimensions {
                Some(list) => list.named().len(),
                None => 0,
            };
            components.push(Component {
                is_private: !accessibility.exports(&name),
                name,
                of_type,
                rank,
                attributes: said.attributes(),
                is_procedure: said.external,
            });
        }
        components
    }
}

fn defined_name(item: At) -> Option<String> {
    Some(
        item.child("derived_type_statement")?
            .child("type_name")?
            .name(),
    )
}

/// The bindings behind CONTAINS in a definition.
fn bindings(item: At) -> Vec<Binding> {
    let Some(procedures) = item.child("derived_type_procedures") else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for statement in procedures.named() {
        match statement.kind() {
            "procedure_statement" => specific_bindings(statement, &mut found),
            "generic_statement" => found.extend(generic_binding(statement)),
            "final_statement" => {
                for name in statement.fields("declarator") {
                    found.push(Binding::Final(name.name()));
                }
            }
            _ => {}
        }
    }
    found
}

fn generic_binding(statement: At) -> Option<Binding> {
    let list = statement.field("declarator")?;
    let name = list.child("binding_name")?;
    Some(Binding::Generic {
        name: generic_name(&name.name()),
        specifics: list.all("method_name").iter().map(At::name).collect(),
    })
}

fn specific_bindings(statement: At, found: &mut Vec<Binding>) {
    let mut is_deferred = false;
    for attribute in statement.all("procedure_attribute") {
        is_deferred |= attribute.name() == "deferred";
    }
    let (passes, pass) = passing(statement);
    for declarator in statement.fields("declarator") {
        let name = declarator
            .child("binding_name")
            .unwrap_or(declarator)
            .name();
        // Without `=>` the procedure has the binding's name (F2018 7.5.5).
        let procedure = match declarator.child("method_name") {
            _ if is_deferred => None,
            Some(method) => Some(method.name()),
            None => Some(name.clone()),
        };
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
    // Both spellings are the same operator (F2018 10.1.5.5.1).
    const SPELLINGS: [(&str, &str); 6] = [
        ("(.eq.)", "(==)"),
        ("(.ne.)", "(/=)"),
        ("(.lt.)", "(<)"),
        ("(.le.)", "(<=)"),
        ("(.gt.)", "(>)"),
        ("(.ge.)", "(>=)"),
    ];
    let mut name: String = text.split_whitespace().collect();
    for (old, new) in SPELLINGS {
        name = name.replace(old, new);
    }
    name
}

impl super::declared_attributes::Said<'_> {
    /// The attributes beside type and shape.
    pub fn attributes(&self) -> Attributes {
        let is_class = match self.of_type {
            Some(of_type) => of_type.name().starts_with("class"),
            None => false,
        };
        Attributes {
            pointer: self.pointer,
            allocatable: self.allocatable,
            optional: self.optional,
            intent_out: self.intent_out,
            polymorphic: is_class,
            initialised: self.initial,
            begins_null: self.begins_null,
            value: self.value,
            in_pieces: false,
            inner: false,
            of_mpi: false,
        }
    }
}
