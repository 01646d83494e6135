//! Same-shape arrays: allocatable arrays that have equal shapes whenever both are allocated, because adjacent statements
//! allocate them with the same bounds and adjacent statements deallocate them. An assignment of one to the other
//! (`u = u_new`) reallocates nothing. Assignments that keep the shape for other reasons are in
//! [`crate::ir::reallocation_on_assignment`].
//!
//! Greatest fixpoint: all arrays with equal allocation sites begin as one class, and an array leaves it if an
//! array of another class is assigned to it.

use crate::graphs::call_graph;
use crate::ir::array_inquiries;
use crate::ir::canonical_text;
use crate::ir::reallocation_on_assignment::may_allocate;
use crate::ir::references;
use crate::ir::{
    Callee, Component, Expression, Operator, ProcedureId, Program, StatementId, StatementKind,
    Storage, Subscript, VariableId,
};
use crate::memory::array_shapes;
use std::collections::{BTreeMap, BTreeSet};

/// Such arrays.
#[derive(Clone, Debug, Default)]
pub(crate) struct SameShapeArrays {
    /// Arrays with equal lifetimes have the same shape.
    of: BTreeMap<VariableId, Lifetime>,
}

/// Where an array is allocated and deallocated.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Lifetime {
    /// Of module variables none.
    owner: Option<ProcedureId>,
    is_local: bool,
    /// The first of the statements side by side one of which allocates it, and with what bounds.
    made: (StatementId, String),
    /// The same of those that free it.
    freed: BTreeSet<StatementId>,
}

impl SameShapeArrays {
    /// Those of a program.
    pub(crate) fn of(program: &Program, order: &[StatementId]) -> Self {
        let mut search = Search {
            program,
            made: BTreeMap::new(),
            freed: BTreeMap::new(),
            others: BTreeSet::new(),
        };
        for procedure in &program.procedures {
            search.list(&procedure.body);
        }
        let mut assigned = Vec::new();
        for &id in order {
            let kind = &program.statement(id).kind;
            for body in kind.bodies() {
                search.list(body);
            }
            search.changed(kind);
            assigned.extend(search.assigned(kind));
        }
        let mut arrays = SameShapeArrays {
            of: search.lifetimes(),
        };
        // An array to which another shape is assigned leaves its class, and so does every array to which it is assigned.
        loop {
            let mut others = Vec::new();
            for &(to, from) in &assigned {
                if !arrays.are(to, from) {
                    others.push(to);
                }
            }
            let mut has_changed = false;
            for id in others {
                has_changed |= arrays.of.remove(&id).is_some();
            }
            if !has_changed {
                return arrays;
            }
        }
    }

    fn are(&self, one: VariableId, other: VariableId) -> bool {
        match self.of.get(&one) {
            Some(lifetime) => self.of.get(&other) == Some(lifetime),
            None => false,
        }
    }

    /// Whether an assignment to a whole array keeps its shape, since the value has the shape of a same-shape array.
    pub(crate) fn keep_shape(
        &self,
        program: &Program,
        target: &Expression,
        value: &Expression,
    ) -> bool {
        let Expression::Variable(target) = target else {
            return false;
        };
        let Some(Expression::Variable(like)) = array_shapes::shaped_like(program, value) else {
            return false;
        };
        self.are(*target, *like)
    }
}

/// Allocation sites of the statements seen so far.
struct Search<'a> {
    program: &'a Program,
    /// Where each array is allocated; `None` if at several places or with unknown bounds.
    made: BTreeMap<VariableId, Option<(StatementId, String)>>,
    freed: BTreeMap<VariableId, BTreeSet<StatementId>>,
    /// Those that something else may allocate or free.
    others: BTreeSet<VariableId>,
}

impl Search<'_> {
    /// Adds the ALLOCATE and DEALLOCATE statements of a statement list; adjacent ones count as one.
    fn list(&mut self, list: &[StatementId]) {
        let program = self.program;
        // Nothing is executed between adjacent statements that could change a bound.
        let is_adjacent = |a: &StatementId, b: &StatementId| {
            let (one, other) = (program.statement(*a), program.statement(*b));
            std::mem::discriminant(&one.kind) == std::mem::discriminant(&other.kind)
            // A jump to the label would execute the second statement alone.
            && other.label.is_none()
        };
        for together in list.chunk_by(is_adjacent) {
            let first = together[0];
            let mut are_plain = true;
            for &id in together {
                are_plain &= self.is_plain_allocate(&program.statement(id).kind);
            }
            for &id in together {
                match &program.statement(id).kind {
                    StatementKind::Allocate { objects, .. } => {
                        for object in objects {
                            self.made(first, object, are_plain);
                        }
                    }
                    StatementKind::Deallocate { objects, .. } => {
                        for object in objects {
                            if let Some(variable) = self.variable(object) {
                                self.freed.entry(variable).or_default().insert(first);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// The lifetimes of the arrays that are allocated at one place only, and in no other way.
    fn lifetimes(mut self) -> BTreeMap<VariableId, Lifetime> {
        let mut lifetimes = BTreeMap::new();
        for (id, made) in self.made {
            let Some(made) = made else { continue };
            if self.others.contains(&id) {
                continue;
            }
            let variable = self.program.variable(id);
            let lifetime = Lifetime {
                owner: variable.owner,
                is_local: matches!(variable.storage, Storage::Local),
                made,
                freed: self.freed.remove(&id).unwrap_or_default(),
            };
            lifetimes.insert(id, lifetime);
        }
        lifetimes
    }

    /// The allocatable array that a designator is: with bounds, if it is allocated.
    fn variable(&self, object: &Expression) -> Option<VariableId> {
        let named = references::designated(object)?;
        let variable = self.program.variable(named.base);
        let is_own = !matches!(variable.storage, Storage::Dummy(_));
        let is_array = !variable.shape.is_empty() && variable.of_type.is_numeric();
        if named.path.is_empty() && variable.attributes.allocatable && is_own && is_array {
            Some(named.base)
        } else {
            None
        }
    }

    /// Whether an ALLOCATE statement only allocates (no STAT=, SOURCE= or type), and with bounds that it does not change.
    fn is_plain_allocate(&self, kind: &StatementKind) -> bool {
        let StatementKind::Allocate {
            length: None,
            objects,
            status: None,
        } = kind
        else {
            return false;
        };
        let mut bounds = objects.iter().flat_map(references::address);
        bounds.all(|bound| is_plain(self.program, bound))
    }

    /// An array is allocated by one of the adjacent statements that begin with `first`.
    fn made(&mut self, first: StatementId, object: &Expression, are_plain: bool) {
        let Some(id) = self.variable(object) else {
            return;
        };
        let mut known = None;
        if let Expression::Reference { subscripts, .. } = object
            && are_plain
            && !subscripts.is_empty()
        {
            let bounds: Vec<String> = subscripts.iter().map(|one| self.bound(one)).collect();
            known = Some((first, bounds.join(",")));
        }
        // A second ALLOCATE may give it another shape.
        if self.made.contains_key(&id) {
            known = None;
        }
        self.made.insert(id, known);
    }

    fn bound(&self, bounds: &Subscript) -> String {
        let (lower, upper) = match bounds {
            Subscript::Element(upper) => (None, Some(upper)),
            Subscript::Section { lower, upper, .. } => (lower.as_ref(), upper.as_ref()),
        };
        format!("{}:{}", self.spelled(lower), self.spelled(upper))
    }

    fn spelled(&self, bound: Option<&Expression>) -> String {
        match bound {
            Some(bound) => canonical_text::spell(self.program, bound),
            None => "1".to_string(),
        }
    }

    /// Arrays that a statement may allocate or deallocate in other ways than by ALLOCATE and DEALLOCATE.
    fn changed(&mut self, kind: &StatementKind) {
        let mut changed: Vec<&Expression> = Vec::new();
        if let StatementKind::Opaque { reads, writes } = kind {
            changed.extend(reads.iter().chain(writes));
        }
        for call in call_graph::calls(kind) {
            for (position, argument) in call.arguments.iter().enumerate() {
                if self.may_allocate_argument(call.callee, position) {
                    changed.extend(argument);
                }
            }
        }
        for object in changed {
            if array_inquiries::is_whole(object)
                && let Some(variable) = self.variable(object)
            {
                self.others.insert(variable);
            }
        }
    }

    /// Whether a callee may allocate or deallocate an actual argument: only an allocatable dummy allows that.
    fn may_allocate_argument(&self, callee: &Callee, position: usize) -> bool {
        match callee {
            Callee::Procedure(procedure) => self.is_allocatable_dummy(*procedure, position),
            Callee::OneOf(all) => all
                .iter()
                .any(|procedure| self.is_allocatable_dummy(*procedure, position)),
            Callee::Intrinsic(name) => ["move_alloc", "c_f_pointer"].contains(&name.as_str()),
            Callee::External(_) | Callee::Variable(_) => true,
            Callee::Mpi(_) | Callee::UnknownMpi(_) => false,
        }
    }

    fn is_allocatable_dummy(&self, procedure: ProcedureId, position: usize) -> bool {
        match self.program.procedure(procedure).dummies.get(position) {
            Some(Some(dummy)) => self.program.variable(*dummy).attributes.allocatable,
            Some(None) | None => true,
        }
    }

    /// The array that an assignment may reallocate, and an array that has the shape of the value; adds the target to
    /// `others` if no such array is known.
    fn assigned(&mut self, kind: &StatementKind) -> Option<(VariableId, VariableId)> {
        let StatementKind::Assign {
            target: target @ Expression::Variable(_),
            value,
        } = kind
        else {
            return None;
        };
        let id = self.variable(target)?;
        if !may_allocate(self.program, target, value) {
            return None;
        }
        let like = array_shapes::shaped_like(self.program, value);
        let Some(Expression::Variable(like)) = like else {
            self.others.insert(id);
            return None;
        };
        Some((id, *like))
    }
}

/// Whether a bound answers the same each time it is evaluated: it calls nothing that could do otherwise, and asks nothing
/// that ALLOCATE statements make anew.
fn is_plain(program: &Program, bound: &Expression) -> bool {
    let mut plain = true;
    references::walk(bound, &mut |part| {
        plain &= match part {
            Expression::Call {
                callee: Callee::Intrinsic(name),
                ..
            } => ["int", "max", "min", "mod", "modulo"].contains(&name.as_str()),
            Expression::Call { .. } | Expression::Other(_) => false,
            Expression::Binary { operator, .. } | Expression::Unary { operator, .. } => {
                *operator != Operator::Defined
            }
            Expression::Variable(base) | Expression::Reference { base, .. } => {
                let attributes = &program.variable(*base).attributes;
                !attributes.allocatable && !attributes.pointer && has_no_indirection(program, part)
            }
            Expression::Integer(_) | Expression::Literal(_) => true,
        };
    });
    plain
}

/// Whether no component on the way to a part is allocated or points.
fn has_no_indirection(program: &Program, part: &Expression) -> bool {
    let Expression::Reference { base, path, .. } = part else {
        return true;
    };
    let is_indirect = |one: &Component| one.attributes.allocatable || one.attributes.pointer;
    let chosen = program.components_along(*base, path);
    chosen.is_some_and(|chosen| !chosen.into_iter().any(is_indirect))
}
