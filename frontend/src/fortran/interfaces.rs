//! What is known of procedure pointers and of interface bodies: the dummies of calls through them.

use super::names::ScopeId;
use crate::ir::{Program, VariableId};
use std::collections::BTreeMap;

/// A declared entity: a variable, or a component of a derived type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeclaredEntity {
    /// A variable.
    Variable(VariableId),
    /// Type and name of a component.
    Component(String, String),
}

/// What a declaration says of the calls through a procedure pointer.
#[derive(Clone, Debug)]
pub struct Through {
    /// Where the name of its interface is known.
    pub scope: ScopeId,
    /// The procedure or interface body whose dummies it has.
    pub interface: Option<String>,
    /// Whether the object is passed.
    pub passes: bool,
    /// The dummy it is passed as; the first without.
    pub pass: Option<String>,
}

/// What is known of procedure pointers and of interface bodies.
#[derive(Default)]
pub struct Interfaces {
    /// What is said of calls through each.
    pub pointers: BTreeMap<DeclaredEntity, Through>,
    /// Names of the dummies of interface bodies; `None` where bodies of one name differ.
    pub bodies: BTreeMap<String, Option<Vec<String>>>,
    /// The same of the procedures that variables are declared like.
    pub variables: BTreeMap<VariableId, Vec<String>>,
}

impl Interfaces {
    /// Whether a variable is a procedure pointer.
    pub fn is_pointer(&self, id: VariableId) -> bool {
        self.pointers.contains_key(&DeclaredEntity::Variable(id))
    }

    /// Position of a dummy of a procedure pointer or dummy procedure.
    pub fn position(&self, program: &Program, id: VariableId, dummy: &str) -> Option<usize> {
        match self.variables.get(&id) {
            Some(names) => names.iter().position(|one| one == dummy),
            // A dummy procedure with an interface body of its own name.
            None => self.place_in_body(&program.variable(id).name, dummy),
        }
    }

    /// Position of a dummy of an interface body.
    pub fn place_in_body(&self, name: &str, dummy: &str) -> Option<usize> {
        let names = self.bodies.get(name)?.as_ref()?;
        names.iter().position(|one| one == dummy)
    }
}
