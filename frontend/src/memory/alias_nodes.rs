//! What pointer aliases make one: variables, and ALLOCATABLE and POINTER components. A component is one node for all objects of its
//! type (field-based, as in Heintze and Tardieu, Ultra-fast Aliasing Analysis using CLA, 2001). Only types that extend no other, and
//! that none extends, have such nodes: their components have one name each.

use crate::ir::object_components::{self, ComponentTree};
use crate::ir::references::Designated;
use crate::ir::{Component, Program, Type};
use std::collections::{BTreeMap, BTreeSet};

/// An ALLOCATABLE or POINTER component.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ComponentNode<'a> {
    /// The derived type.
    pub(crate) holder: &'a str,
    /// The component.
    pub(crate) component: &'a Component,
}

/// Storage that something may point at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    /// The node of the storage.
    pub(crate) node: usize,
    /// Whether it is the whole variable or component, or an element of it, rather than a part.
    pub(crate) whole: bool,
}

impl Source {
    /// All of a node.
    pub(crate) fn whole(node: usize) -> Self {
        Source { node, whole: true }
    }

    /// A part of a node.
    pub(crate) fn part(node: usize) -> Self {
        Source { node, whole: false }
    }
}

/// A component without parts of its own in an object that is taken apart, although its type has components.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf<'a> {
    /// The type of the object.
    pub(crate) object: &'a str,
    /// The node of the component; `None` if it lies within the object.
    pub(crate) node: Option<usize>,
    /// The component.
    pub(crate) component: &'a Component,
}

/// The nodes of a program: variables by number, then components.
pub(crate) struct AliasNodes<'a> {
    program: &'a Program,
    components: Vec<ComponentNode<'a>>,
    by_name: BTreeMap<(&'a str, &'a str), usize>,
    /// The types whose components may be nodes.
    alone: BTreeSet<&'a str>,
    /// By type, the components that an object of it may contain or lead to.
    within: BTreeMap<&'a str, BTreeSet<usize>>,
    /// By type, whether all that an object of it may contain or lead to has known types of known components.
    is_known: BTreeMap<&'a str, bool>,
    all: BTreeSet<usize>,
}

impl<'a> AliasNodes<'a> {
    /// The nodes of a program.
    pub(crate) fn of(program: &'a Program) -> Self {
        let mut nodes = AliasNodes {
            program,
            components: Vec::new(),
            by_name: BTreeMap::new(),
            alone: BTreeSet::new(),
            within: BTreeMap::new(),
            is_known: BTreeMap::new(),
            all: BTreeSet::new(),
        };
        for of_type in &program.types {
            if !object_components::stands_alone(program, of_type) {
                continue;
            }
            nodes.alone.insert(&of_type.name);
            for component in &of_type.components {
                let is_separate = component.attributes.pointer || component.attributes.allocatable;
                let name = (of_type.name.as_str(), component.name.as_str());
                if is_separate && !component.is_procedure && !nodes.by_name.contains_key(&name) {
                    let node = nodes.count();
                    nodes.by_name.insert(name, node);
                    nodes.all.insert(node);
                    nodes.components.push(ComponentNode {
                        holder: &of_type.name,
                        component,
                    });
                }
            }
        }
        for of_type in &program.types {
            let (within, is_known) = nodes.search(&of_type.name);
            nodes.within.insert(&of_type.name, within);
            nodes.is_known.insert(&of_type.name, is_known);
        }
        nodes
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.program.variables.len() + self.components.len()
    }

    /// The components.
    pub(crate) fn components(&self) -> impl Iterator<Item = (usize, ComponentNode<'a>)> + '_ {
        let first = self.program.variables.len();
        (first..).zip(self.components.iter().copied())
    }

    /// The derived type of what is at a node; `None` if it is of none, or may be of several.
    pub(crate) fn type_of(&self, node: usize) -> Option<&'a str> {
        let of_type = match self.program.variables.get(node) {
            Some(variable) => &variable.of_type,
            None => {
                &self.components[node - self.program.variables.len()]
                    .component
                    .of_type
            }
        };
        match of_type {
            Type::Derived(name) => Some(name),
            Type::Unknown
            | Type::Integer(_)
            | Type::Real(_)
            | Type::Complex(_)
            | Type::Logical(_)
            | Type::Character => None,
        }
    }

    /// The components that what is at a node may contain or lead to.
    pub(crate) fn within(&self, node: usize) -> &BTreeSet<usize> {
        match self.program.variables.get(node) {
            Some(variable) => self.within_value(&variable.of_type, variable.attributes.polymorphic),
            None => {
                let at = node - self.program.variables.len();
                self.within_component(self.components[at].component)
            }
        }
    }

    /// The same of a component of any object.
    pub(crate) fn within_component(&self, component: &Component) -> &BTreeSet<usize> {
        self.within_value(&component.of_type, component.attributes.polymorphic)
    }

    fn within_value(&self, of_type: &Type, polymorphic: bool) -> &BTreeSet<usize> {
        match of_type {
            Type::Derived(name) if !polymorphic || self.is_alone(name) => self.within_type(name),
            _ if polymorphic => &self.all,
            _ => self.within_type(""),
        }
    }

    /// The components that an object of a type may contain or lead to.
    pub(crate) fn within_type(&self, name: &str) -> &BTreeSet<usize> {
        static NONE: BTreeSet<usize> = BTreeSet::new();
        self.within.get(name).unwrap_or(&NONE)
    }

    /// The pointers among the components that an object of a type may contain or lead to, if all of these are known.
    pub(crate) fn pointers_within(&self, of_type: &Type) -> Option<Vec<usize>> {
        let Type::Derived(name) = of_type else {
            return None;
        };
        if !*self.is_known.get(name.as_str())? {
            return None;
        }
        let first = self.program.variables.len();
        let mut pointers = Vec::new();
        for &node in self.within.get(name.as_str())? {
            if self.components[node - first].component.attributes.pointer {
                pointers.push(node);
            }
        }
        Some(pointers)
    }

    /// The pointer components of a type itself; `None` if it has no nodes.
    pub(crate) fn pointers_of(&self, holder: &str) -> Option<Vec<usize>> {
        if !self.is_alone(holder) {
            return None;
        }
        let mut pointers = Vec::new();
        for (node, one) in self.components() {
            if one.holder == holder && one.component.attributes.pointer {
                pointers.push(node);
            }
        }
        Some(pointers)
    }

    /// The storage of a variable or a part of one.
    pub(crate) fn source(&self, designated: Designated) -> Source {
        let mut source = Source::whole(designated.base.0 as usize);
        let mut of_type = Some(&self.program.variable(designated.base).of_type);
        for name in designated.path {
            let holder = match of_type {
                Some(Type::Derived(holder)) if self.is_alone(holder) => holder,
                _ => {
                    source.whole = false;
                    break;
                }
            };
            let component = self.program.component(holder, name);
            match self.by_name.get(&(holder.as_str(), name.as_str())) {
                Some(&node) => source = Source::whole(node),
                None => source.whole = false,
            }
            of_type = component.map(|one| &one.of_type);
        }
        source
    }

    /// The components that stay one location in objects that are taken apart, although they may contain or lead to components.
    pub(crate) fn leaves(&self) -> Vec<Leaf<'a>> {
        let mut leaves = Vec::new();
        for of_type in &self.program.types {
            let parts = object_components::of_type(self.program, &of_type.name);
            self.add_leaves(&of_type.name, &of_type.name, &parts, &mut leaves);
        }
        leaves
    }

    fn add_leaves(
        &self,
        object: &'a str,
        holder: &str,
        parts: &[ComponentTree],
        leaves: &mut Vec<Leaf<'a>>,
    ) {
        for part in parts {
            if let Some(of_type) = &part.of_type {
                self.add_leaves(object, of_type, &part.parts, leaves);
                continue;
            }
            let Some(component) = self.program.component(holder, &part.name) else {
                continue;
            };
            if !self.within_component(component).is_empty() {
                leaves.push(Leaf {
                    object,
                    node: self.by_name.get(&(holder, part.name.as_str())).copied(),
                    component,
                });
            }
        }
    }

    fn is_alone(&self, name: &str) -> bool {
        self.alone.contains(name)
    }

    /// What an object of a type may contain or lead to, and whether all of it is known.
    fn search(&self, name: &'a str) -> (BTreeSet<usize>, bool) {
        let mut within = BTreeSet::new();
        let mut is_known = true;
        let mut seen = BTreeSet::from([name]);
        let mut pending = vec![name];
        while let Some(name) = pending.pop() {
            // MPI's derived types contain only a handle.
            if name.starts_with("mpi_") {
                continue;
            }
            is_known &= self.is_alone(name);
            for one in self.program.lineage(name) {
                for component in &one.components {
                    within.extend(self.by_name.get(&(&one.name, &component.name)));
                    if component.is_procedure {
                        continue;
                    }
                    is_known &= !component.attributes.polymorphic;
                    match &component.of_type {
                        Type::Derived(of) => {
                            if component.attributes.polymorphic && !self.is_alone(of) {
                                return (self.all.clone(), false);
                            }
                            if seen.insert(of) {
                                pending.push(of);
                            }
                        }
                        Type::Unknown => {
                            is_known = false;
                            if component.attributes.polymorphic {
                                return (self.all.clone(), false);
                            }
                        }
                        Type::Integer(_)
                        | Type::Real(_)
                        | Type::Complex(_)
                        | Type::Logical(_)
                        | Type::Character => {}
                    }
                }
            }
        }
        (within, is_known)
    }
}
