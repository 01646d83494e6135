//! Aliases through pointers: points-to analysis by unification (Steensgaard, Points-to Analysis in Almost Linear Time, 1996),
//! flow-insensitive, with a single level: a pointer and everything that it may point at are one class. Variables and components
//! are in classes ([`crate::memory::alias_nodes`]). An object of which another part may be one with something is one location.
//! COMMON and EQUIVALENCE are in [`crate::memory::locations`].

use crate::graphs::call_graph::{self, Call, CallGraph};
use crate::ir::object_components::{self, may_have_component};
use crate::ir::references;
use crate::ir::rules::{self, Rule};
use crate::ir::{
    Callee, Expression, Holder, ProcedureId, Program, StatementId, StatementKind, Storage, Type,
    VariableId,
};
use crate::memory::alias_nodes::{AliasNodes, Leaf, Source};
use crate::memory::union_find::Classes;
use std::collections::{BTreeMap, BTreeSet};

/// What pointers may make one.
pub(crate) struct Aliases {
    /// The classes of all nodes.
    pub(crate) classes: Classes,
    /// By representative, the derived type of what is taken apart.
    pub(crate) types: Vec<Option<String>>,
    /// Components that may be one with something else.
    pub(crate) components: Vec<SharedComponent>,
}

/// A component that shares its storage with other variables, or with the same component of other objects.
pub(crate) struct SharedComponent {
    /// The derived type.
    pub(crate) holder: String,
    /// Its name.
    pub(crate) name: String,
    /// Its class.
    pub(crate) class: usize,
    /// Whether a COMMON or module variable may contain it or lead to it.
    pub(crate) is_global: bool,
}

/// What the pointers of a program may make one. `join_storage` joins variables that share storage.
pub(crate) fn merge(
    program: &Program,
    order: &[StatementId],
    calls: &CallGraph,
    join_storage: impl FnOnce(&mut Classes),
) -> Aliases {
    let nodes = AliasNodes::of(program);
    let count = nodes.count();
    let mut classes = Classes::new(count);
    join_storage(&mut classes);
    let mut merging = Merging {
        program,
        calls,
        leaves: nodes.leaves(),
        nodes,
        classes,
        associated: vec![false; count],
        whole: vec![true; count],
        shared: vec![false; count],
        closed: BTreeSet::new(),
    };
    merging.declared();
    for &id in order {
        merging.statement(&program.statement(id).kind);
    }
    merging.pointers_of_addresses(order);
    merging.finals();
    let mut bottom_up = order.to_vec();
    let mut place = vec![0usize; program.procedures.len()];
    for (at, procedure) in calls.bottom_up.iter().enumerate() {
        place[procedure.0 as usize] = at;
    }
    bottom_up.sort_by_key(|id| place[program.statement(*id).procedure.0 as usize]);
    // A round that changes anything joins two classes or marks one, so the rounds end.
    while merging.pass_on(&bottom_up) | merging.moved_allocations(order) | merging.close() {}
    merging.result()
}

struct Merging<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    nodes: AliasNodes<'a>,
    /// Components that stay one location although their types have components.
    leaves: Vec<Leaf<'a>>,
    classes: Classes,
    /// By representative: whether a pointer is among the class, or something is pointed at.
    associated: Vec<bool>,
    /// By representative: whether all that is one is so as a whole.
    whole: Vec<bool>,
    /// By node: whether a component may be one with something else.
    shared: Vec<bool>,
    /// Types whose objects are not taken apart.
    closed: BTreeSet<&'a str>,
}

impl Merging<'_> {
    fn join(&mut self, one: Source, other: Source) -> bool {
        if !rules::holds(Rule::PointersAlias) {
            return false;
        }
        let (a, b) = (self.classes.find(one.node), self.classes.find(other.node));
        let fresh = self.share(one.node) | self.share(other.node);
        let whole = self.whole[a] && self.whole[b] && one.whole && other.whole;
        let known = a == b && self.associated[a] && self.whole[a] == whole;
        self.classes.union(a, b);
        let joined = self.classes.find(a);
        self.associated[joined] = true;
        self.whole[joined] = whole;
        fresh || !known
    }

    /// A node may be one with another; whether that is new, of a component.
    fn share(&mut self, node: usize) -> bool {
        let is_component = node >= self.program.variables.len();
        is_component && !std::mem::replace(&mut self.shared[node], true)
    }

    /// An object of a type is copied or passed, so that another object has the same pointers: these are one for all objects of
    /// their types. What is new; `None` if not all pointers are known.
    fn share_pointers(&mut self, of_type: &Type) -> Option<bool> {
        let mut fresh = false;
        for node in self.nodes.pointers_within(of_type)? {
            fresh |= self.share(node);
        }
        Some(fresh)
    }

    fn source(&self, expression: &Expression) -> Option<Source> {
        references::designated(expression).map(|found| self.nodes.source(found))
    }

    /// The type of a variable, a part of one, or of what a function returns.
    fn type_of(&self, expression: &Expression) -> Option<Type> {
        if let Expression::Call { callee, .. } = expression {
            let [target] = self.calls.targets(callee)[..] else {
                return None;
            };
            let result = self.program.procedure(target).result?;
            return Some(self.program.variable(result).of_type.clone());
        }
        let designated = references::designated(expression)?;
        Some(self.program.type_of_part(designated.base, designated.path))
    }

    /// Joins components with what objects of their types cannot keep apart from them; whether anything is new.
    fn close(&mut self) -> bool {
        let mut grown = false;
        for at in 0..self.leaves.len() {
            let leaf = self.leaves[at];
            let within = self.nodes.within_component(leaf.component);
            if !within.iter().any(|&node| self.shared[node]) {
                continue;
            }
            match leaf.node {
                Some(node) => grown |= self.share(node),
                None => grown |= self.closed.insert(leaf.object),
            }
        }
        let types = self.types();
        for node in 0..self.nodes.count() {
            let class = self.classes.find(node);
            if types[class].is_some() || !self.is_storage(node) {
                continue;
            }
            let mut within = Vec::new();
            for &part in self.nodes.within(node) {
                if self.shared[part] && self.classes.find(part) != class {
                    within.push(part);
                }
            }
            for part in within {
                grown |= self.join(Source::part(node), Source::part(part));
            }
        }
        grown
    }

    /// Whether a node has a location of its own: variables, and components that are shared.
    fn is_storage(&self, node: usize) -> bool {
        node < self.program.variables.len() || self.shared[node]
    }

    /// By representative, the derived type of what is taken apart: all of its class are of that type and of no other, and only as
    /// wholes are they one. (A polymorphic object is of its declared type if nothing extends that, and only such types have
    /// parts.) What may contain itself is not taken apart.
    fn types(&mut self) -> Vec<Option<String>> {
        let mut types: Vec<Option<Option<&str>>> = vec![None; self.nodes.count()];
        for node in 0..self.nodes.count() {
            if !self.is_storage(node) {
                continue;
            }
            let class = self.classes.find(node);
            let own = self.nodes.type_of(node).filter(|_| self.whole[class]);
            let known = types[class].get_or_insert(own);
            if *known != own {
                *known = None;
            }
        }
        for node in self.program.variables.len()..self.nodes.count() {
            let class = self.classes.find(node);
            if let Some(Some(name)) = types[class]
                && self.shared[node]
                && self.nodes.within_type(name).contains(&node)
            {
                types[class] = Some(None);
            }
        }
        let mut apart: BTreeMap<&str, bool> = BTreeMap::new();
        let mut found = Vec::with_capacity(types.len());
        for of_type in types {
            let of_type = of_type.flatten().filter(|&name| {
                *apart.entry(name).or_insert_with(|| {
                    let parts = object_components::of_type(self.program, name);
                    !parts.is_empty() && !self.closed.contains(name)
                })
            });
            found.push(of_type.map(String::from));
        }
        found
    }

    fn result(mut self) -> Aliases {
        let types = self.types();
        let mut reached = vec![false; self.nodes.count()];
        for (node, variable) in self.program.variables.iter().enumerate() {
            if !matches!(
                variable.storage,
                Storage::Common { .. } | Storage::Module(_)
            ) {
                continue;
            }
            for &component in self.nodes.within(node) {
                reached[component] = true;
            }
        }
        let mut components = Vec::new();
        for (node, one) in self.nodes.components() {
            if self.shared[node] {
                components.push(SharedComponent {
                    holder: one.holder.into(),
                    name: one.component.name.clone(),
                    class: self.classes.find(node),
                    is_global: reached[node],
                });
            }
        }
        Aliases {
            classes: self.classes,
            types,
            components,
        }
    }

    fn join_all(&mut self, one: Source, others: Vec<Source>) {
        for other in others {
            self.join(one, other);
        }
    }

    /// Declarations may let pointers point, too: variables, or components of every object of a type.
    fn declared(&mut self) {
        for one in &self.program.from_start {
            let Some(target) = self.source(&one.target) else {
                continue;
            };
            match &one.holder {
                Holder::Variable(pointer) => drop(self.join(whole(*pointer), target)),
                Holder::Type(of) => match self.nodes.pointers_of(of) {
                    Some(pointers) => {
                        self.join_all(target, pointers.into_iter().map(Source::whole).collect())
                    }
                    None => self.join_all(target, objects_with(self.program, of)),
                },
            }
        }
    }

    fn statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::PointerAssignment { pointer, target } => {
                let sources = self.sources(target);
                if let Some(pointer) = self.source(pointer) {
                    self.join_all(pointer, sources);
                }
            }
            // A copy of an object points where the object does. What a pointer points at is written, it points there still.
            StatementKind::Assign { target, value } => {
                if let Some(copy) = self.source(target)
                    && self.value_carries(target)
                {
                    let of_type = self.type_of(target);
                    if let Some(of_type) =
                        of_type.filter(|one| Some(one) == self.type_of(value).as_ref())
                        && self.share_pointers(&of_type).is_some()
                    {
                        return;
                    }
                    let sources = self.sources(value);
                    self.join_all(copy, sources);
                }
            }
            // ALLOCATE (…, SOURCE=…) copies, too.
            StatementKind::Opaque { reads, writes } => {
                let sources = self.sources_of_all(reads);
                for target in writes {
                    if let Some(base) = references::base(target)
                        && self.carries(target)
                    {
                        self.join_all(part(base), sources.clone());
                    }
                }
            }
            StatementKind::Call { .. }
            | StatementKind::If { .. }
            | StatementKind::Do { .. }
            | StatementKind::While { .. }
            | StatementKind::Select { .. }
            | StatementKind::Scoped { .. }
            | StatementKind::Entry
            | StatementKind::Goto { .. }
            | StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::Continue
            | StatementKind::InputOutput(_)
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. } => {}
        }
    }

    /// Whether an expression that is a variable or a part of one may hold pointers.
    fn carries(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Variable(id) => self.variable_carries(*id),
            Expression::Reference { base, path, .. } => {
                may_hold(self.program, &self.program.type_of_part(*base, path))
            }
            Expression::Integer(_)
            | Expression::Literal(_)
            | Expression::Call { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Other(_) => false,
        }
    }

    fn variable_carries(&self, id: VariableId) -> bool {
        self.program.variable(id).attributes.pointer || self.object_carries(id)
    }

    /// Whether what a variable has as its value, or what it points at has, may hold pointers.
    fn object_carries(&self, id: VariableId) -> bool {
        let variable = self.program.variable(id);
        // An extension of a CLASS may hold more than the class.
        let extended = variable.attributes.polymorphic
            && self
                .program
                .types
                .iter()
                .any(|one| may_hold(self.program, &Type::Derived(one.name.clone())));
        extended || may_hold(self.program, &variable.of_type)
    }

    /// Whether what is assigned to a variable or a part of one may hold pointers.
    fn value_carries(&self, target: &Expression) -> bool {
        match target {
            Expression::Variable(id) => self.object_carries(*id),
            _ => self.carries(target),
        }
    }

    /// The variables whose storage the value of an expression may point at.
    fn sources(&self, expression: &Expression) -> Vec<Source> {
        match expression {
            Expression::Variable(_) | Expression::Reference { .. } => {
                self.source(expression).into_iter().collect()
            }
            Expression::Call { callee, arguments } => {
                let mut results = Vec::new();
                for target in self.calls.targets(callee) {
                    if let Some(result) = self.program.procedure(target).result {
                        results.push(whole(result));
                    }
                }
                if results.is_empty() {
                    // MERGE, TRANSFER, C_LOC and functions without source may return what their arguments point at.
                    return self.sources_of_all(arguments);
                }
                results
            }
            Expression::Other(parts) => self.sources_of_all(parts),
            Expression::Unary { operand, .. } => self.sources(operand),
            Expression::Binary { left, right, .. } => {
                [self.sources(left), self.sources(right)].concat()
            }
            Expression::Integer(_) | Expression::Literal(_) => vec![],
        }
    }

    fn sources_of_all(&self, expressions: &[Expression]) -> Vec<Source> {
        let mut sources = Vec::new();
        for expression in expressions {
            sources.extend(self.sources(expression));
        }
        sources
    }

    /// C_F_POINTER makes a pointer of an address, which may be the value of a function: `c_loc(x)`.
    fn pointers_of_addresses(&mut self, order: &[StatementId]) {
        for (address, pointer) in arguments_of(self.program, order, "c_f_pointer") {
            let sources = self.sources(address);
            if let Some(pointer) = self.source(pointer) {
                self.join_all(pointer, sources);
            }
        }
    }

    /// MOVE_ALLOC moves an allocation to another variable. A pointer at the allocation then points at that variable (Fortran
    /// 2018, 16.9.137). Without such a pointer, and if the elements hold none, the two share no storage at any time.
    fn moved_allocations(&mut self, order: &[StatementId]) -> bool {
        let mut grown = false;
        for (from, to) in arguments_of(self.program, order, "move_alloc") {
            let (Some(source), Some(target)) = (self.source(from), self.source(to)) else {
                continue;
            };
            let class = self.classes.find(source.node);
            if self.associated[class] || self.carries(from) || self.carries(to) {
                grown |= self.join(source, target);
            }
        }
        grown
    }

    /// A FINAL procedure's dummy may be any object of its type.
    fn finals(&mut self) {
        let program = self.program;
        for (id, variable) in (0..).map(VariableId).zip(&program.variables) {
            for procedure in program.finals_of(&variable.of_type) {
                for &dummy in program.procedure(procedure).dummies.iter().flatten() {
                    if self.variable_carries(dummy) {
                        self.join(part(id), part(dummy));
                    }
                }
            }
        }
    }

    /// Dummies that hold pointers, or are pointed at, are one with all that is passed for them.
    fn pass_on(&mut self, order: &[StatementId]) -> bool {
        let program = self.program;
        let mut grown = false;
        for &id in order {
            for call in call_graph::calls(&program.statement(id).kind) {
                let targets = self.calls.targets(call.callee);
                for &target in &targets {
                    grown |= self.pass(&call, target);
                }
                grown |= self.answer(&targets);
            }
        }
        grown
    }

    /// The pointer results of the functions that one call may reach are one class.
    fn answer(&mut self, targets: &[ProcedureId]) -> bool {
        let mut pointers: Vec<VariableId> = Vec::new();
        for &target in targets {
            if let Some(result) = self.program.procedure(target).result
                && self.program.variable(result).attributes.pointer
            {
                pointers.push(result);
            }
        }
        let mut grown = false;
        for pair in pointers.windows(2) {
            grown |= self.join(whole(pair[0]), whole(pair[1]));
        }
        grown
    }

    fn pass(&mut self, call: &Call, target: ProcedureId) -> bool {
        let mut grown = false;
        for (actual, dummy) in call
            .arguments
            .iter()
            .zip(&self.program.procedure(target).dummies)
        {
            let (Some(actual), Some(dummy)) = (actual, dummy) else {
                continue;
            };
            let class = self.classes.find(dummy.0 as usize);
            if !self.associated[class] && !self.variable_carries(*dummy) {
                continue;
            }
            // Of an object that nothing points at, the components of the dummy are those of the actual argument.
            let variable = self.program.variable(*dummy);
            if !self.associated[class]
                && !variable.attributes.pointer
                && self.type_of(actual).as_ref() == Some(&variable.of_type)
                && let Some(fresh) = self.share_pointers(&variable.of_type)
            {
                grown |= fresh;
                continue;
            }
            for source in self.sources(actual) {
                grown |= self.join(source, whole(*dummy));
            }
        }
        grown
    }
}

fn whole(id: VariableId) -> Source {
    Source::whole(id.0 as usize)
}

fn part(id: VariableId) -> Source {
    Source::part(id.0 as usize)
}

/// The first two arguments of the calls of an intrinsic procedure.
fn arguments_of<'a>(
    program: &'a Program,
    order: &[StatementId],
    intrinsic: &str,
) -> Vec<(&'a Expression, &'a Expression)> {
    let mut found = Vec::new();
    for &id in order {
        for call in call_graph::calls(&program.statement(id).kind) {
            if matches!(call.callee, Callee::Intrinsic(name) if name == intrinsic)
                && let [Some(first), Some(second), ..] = call.arguments[..]
            {
                found.push((first, second));
            }
        }
    }
    found
}

/// The variables that may contain an object of a derived type.
fn objects_with(program: &Program, of: &str) -> Vec<Source> {
    let mut objects = Vec::new();
    for (id, variable) in (0..).map(VariableId).zip(&program.variables) {
        if variable.attributes.polymorphic
            || contains(program, &variable.of_type, of, &mut Vec::new())
        {
            objects.push(part(id));
        }
    }
    objects
}

/// Whether a value of this type may contain an object of the derived type `of`.
fn contains(program: &Program, of_type: &Type, of: &str, seen: &mut Vec<String>) -> bool {
    let Type::Derived(name) = of_type else {
        return false;
    };
    if seen.contains(name) {
        return false;
    }
    seen.push(name.clone());
    for one in program.lineage(name) {
        if one.name == of {
            return true;
        }
        for part in &one.components {
            if part.attributes.polymorphic || contains(program, &part.of_type, of, seen) {
                return true;
            }
        }
    }
    false
}

/// Whether a value of this type may hold pointers; what is not known may.
pub(crate) fn may_hold(program: &Program, of_type: &Type) -> bool {
    may_have_component(program, of_type, |of_component| {
        of_component.pointer || of_component.polymorphic
    })
}
