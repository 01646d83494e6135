//! Field sensitivity: an abstract memory location for each component of a derived type (a path of
//! components without subscripts), so that a write to one component does not affect its neighbours. An
//! object is all its components; only the innermost are read and written. Objects with aliases stay one
//! location ([`crate::memory::aliases`]).

use crate::ir::{Attributes, Component, DerivedType, Program, Type};

/// How deep objects are taken apart.
const MAX_DEPTH: usize = 6;

/// Most parts of one object; one with more is taken apart less deep.
const MAX_COUNT: usize = 400;

/// A component of an object, and its own components.
#[derive(Clone, Debug)]
pub(crate) struct ComponentTree {
    /// Name of the component.
    pub(crate) name: String,
    /// Whether it contains more than one scalar, or is not always the same storage.
    pub(crate) is_array: bool,
    /// Whether its data lie outside the object: ALLOCATABLE or POINTER.
    pub(crate) is_separate: bool,
    /// The type of its values.
    pub(crate) value_type: Type,
    /// Its derived type, if it has components.
    pub(crate) of_type: Option<String>,
    /// Its own components.
    pub(crate) parts: Vec<ComponentTree>,
}

/// The components of an object of a type; none if it stays one location.
pub(crate) fn of_type(program: &Program, name: &str) -> Vec<ComponentTree> {
    // The number of components can grow exponentially with the depth.
    let fits = |depth: &usize| count(&parts(program, name, *depth)) <= MAX_COUNT;
    let depth = (1..=MAX_DEPTH).rev().find(fits).unwrap_or(0);
    parts(program, name, depth)
}

/// Whether an object of a type may have a component, at any depth, with attributes that are looked for; what is not known may.
pub(crate) fn may_have_component(
    program: &Program,
    of_type: &Type,
    is_wanted: fn(&Attributes) -> bool,
) -> bool {
    may_have(program, of_type, is_wanted, &mut Vec::new())
}

/// `seen` are the types that are being searched.
fn may_have<'p>(
    program: &'p Program,
    of_type: &'p Type,
    is_wanted: fn(&Attributes) -> bool,
    seen: &mut Vec<&'p str>,
) -> bool {
    let name = match of_type {
        Type::Derived(name) => name.as_str(),
        Type::Unknown => return true,
        Type::Integer(_)
        | Type::Real(_)
        | Type::Complex(_)
        | Type::Logical(_)
        | Type::Character => return false,
    };
    // MPI's derived types contain only a handle, an integer.
    if name.starts_with("mpi_") || seen.contains(&name) {
        return false;
    }
    if program.derived_type(name).is_none() {
        return true;
    }
    seen.push(name);
    for one in program.lineage(name) {
        for component in &one.components {
            if is_wanted(&component.attributes) {
                return true;
            }
            if !component.is_procedure && may_have(program, &component.of_type, is_wanted, seen) {
                return true;
            }
        }
    }
    false
}

fn count(parts: &[ComponentTree]) -> usize {
    parts.iter().map(|part| 1 + count(&part.parts)).sum()
}

fn parts(program: &Program, name: &str, depth: usize) -> Vec<ComponentTree> {
    match program
        .derived_type(name)
        .filter(|one| depth > 0 && stands_alone(program, one))
    {
        Some(one) => one
            .components
            .iter()
            .map(|component| part(program, component, depth))
            .collect(),
        None => Vec::new(),
    }
}

/// What a pointer points at, and what may be of several types, has no parts.
fn part(program: &Program, component: &Component, depth: usize) -> ComponentTree {
    let attributes = component.attributes;
    let opaque = attributes.pointer || attributes.polymorphic || component.is_procedure;
    let (name, parts) = match &component.of_type {
        Type::Derived(name) if !opaque => (Some(name.clone()), parts(program, name, depth - 1)),
        Type::Derived(_)
        | Type::Unknown
        | Type::Integer(_)
        | Type::Real(_)
        | Type::Complex(_)
        | Type::Logical(_)
        | Type::Character => (None, Vec::new()),
    };
    let is_scalar = !matches!(
        component.of_type,
        Type::Derived(_) | Type::Character | Type::Unknown
    );
    ComponentTree {
        name: component.name.clone(),
        is_array: opaque || attributes.allocatable || component.rank > 0 || !is_scalar,
        is_separate: attributes.allocatable || attributes.pointer,
        value_type: component.of_type.clone(),
        of_type: name.filter(|_| !parts.is_empty()),
        parts,
    }
}

/// Whether a type extends no other and is extended by none: its components have one path each.
pub(crate) fn stands_alone(program: &Program, one: &DerivedType) -> bool {
    one.parent.is_none()
        && !program
            .types
            .iter()
            .any(|other| other.parent.as_ref() == Some(&one.name))
}
