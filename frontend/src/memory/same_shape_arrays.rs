//! Allocatable arrays that have the same shape whenever they are there: allocated side by side with the same bounds, and freed
//! side by side. An assignment of one to the other (`u = u_new`) changes no shape.
//!
//! Not here: assignments that keep a shape by themselves ([`crate::ir::reallocation_on_assignment`]).

use crate::graphs::call_graph;
use crate::ir::canonical_text;
use crate::ir::reallocation_on_assignment::may_allocate;
use crate::ir::references;
use crate::ir::statement_tree::Outline;
use crate::ir::{
    Callee, Component, Expression, Operator, ProcedureId, Program, StatementId, StatementKind,
    Storage, Subscript, VariableId,
};
use crate::memory::array_shapes;
use std::collections::{BTreeMap, BTreeSet};

/// Such arrays.
#[derive(Clone, Debug, Default)]
pub(crate) struct SameShapeArrays {
    /// What twins have in common.
    of: BTreeMap<VariableId, Life>,
}

/// Where an array comes from and goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Life {
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
    pub(crate) fn of(program: &Program, outline: &Outline) -> Self {
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
        for id in outline.all() {
            let kind = &program.statement(id).kind;
            kind.bodies().into_iter().for_each(|body| search.list(body));
            search.changed(kind);
            assigned.extend(search.assigned(kind));
        }
        let Search {
            made,
            mut freed,
            others,
            ..
        } = search;
        let mut of = BTreeMap::new();
        for (id, places) in made {
            let Some(made) = places.filter(|_| !others.contains(&id)) else {
                continue;
            };
            let variable = program.variable(id);
            let is_local = matches!(variable.storage, Storage::Local);
            let freed = freed.remove(&id).unwrap_or_default();
            of.insert(
                id,
                Life {
                    owner: variable.owner,
                    is_local,
                    made,
                    freed,
                },
            );
        }
        let mut twins = SameShapeArrays { of };
        // What is assigned something else is nobody's twin, and so on.
        loop {
            let strangers: Vec<VariableId> = assigned
                .iter()
                .filter(|(to, from)| !twins.are(*to, *from))
                .map(|(to, _)| *to)
                .collect();
            if !strangers.iter().any(|id| twins.of.remove(id).is_some()) {
                return twins;
            }
        }
    }

    fn are(&self, one: VariableId, other: VariableId) -> bool {
        self.of
            .get(&one)
            .is_some_and(|life| self.of.get(&other) == Some(life))
    }

    /// Whether an assignment gives a whole array the shape of its twin.
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

/// What has been seen.
struct Search<'a> {
    program: &'a Program,
    /// Where each array is allocated; once if it may have a twin.
    made: BTreeMap<VariableId, Option<(StatementId, String)>>,
    freed: BTreeMap<VariableId, BTreeSet<StatementId>>,
    /// Those that something else may allocate or free.
    others: BTreeSet<VariableId>,
}

impl Search<'_> {
    /// ALLOCATE and DEALLOCATE statements, those side by side together.
    fn list(&mut self, list: &[StatementId]) {
        let program = self.program;
        let side_by_side = |a: &StatementId, b: &StatementId| {
            let (one, other) = (program.statement(*a), program.statement(*b));
            std::mem::discriminant(&one.kind) == std::mem::discriminant(&other.kind)
                && other.label.is_none()
        };
        for together in list.chunk_by(side_by_side) {
            let told = together
                .iter()
                .all(|id| self.is_covered(&program.statement(*id).kind));
            for &id in together {
                match &program.statement(id).kind {
                    StatementKind::Allocate { objects, .. } => {
                        objects
                            .iter()
                            .for_each(|object| self.made(together[0], object, told));
                    }
                    StatementKind::Deallocate { objects, .. } => {
                        let variables = objects.iter().filter_map(|object| self.variable(object));
                        let variables: Vec<VariableId> = variables.collect();
                        for id in variables {
                            self.freed.entry(id).or_default().insert(together[0]);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// The allocatable array that an object is: with bounds, if it is allocated.
    fn variable(&self, object: &Expression) -> Option<VariableId> {
        let named = references::designated(object).filter(|named| named.path.is_empty())?;
        let variable = self.program.variable(named.base);
        let is_own = !matches!(variable.storage, Storage::Dummy(_));
        let is_array = !variable.shape.is_empty() && variable.of_type.is_numeric();
        (variable.attributes.allocatable && is_own && is_array).then_some(named.base)
    }

    /// Whether an ALLOCATE statement does no more than to allocate with bounds that it leaves as they are.
    fn is_covered(&self, kind: &StatementKind) -> bool {
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

    /// Allocated by one of the statements side by side that begin with `first`; all of them are `told`.
    fn made(&mut self, first: StatementId, object: &Expression, told: bool) {
        let Some(id) = self.variable(object) else {
            return;
        };
        let bounds = match object {
            Expression::Reference { subscripts, .. } => &subscripts[..],
            _ => &[],
        };
        let text = || {
            bounds
                .iter()
                .map(|one| self.bound(one))
                .collect::<Vec<_>>()
                .join(",")
        };
        let known = (told && !bounds.is_empty()).then(|| (first, text()));
        // Another one may give it another shape.
        self.made
            .entry(id)
            .and_modify(|one| *one = None)
            .or_insert(known);
    }

    fn bound(&self, one: &Subscript) -> String {
        let text = |bound: &Option<Expression>| {
            bound.as_ref().map_or("1".to_string(), |bound| {
                canonical_text::spell(self.program, bound)
            })
        };
        match one {
            Subscript::Element(upper) => {
                format!("1:{}", canonical_text::spell(self.program, upper))
            }
            Subscript::Section { lower, upper, .. } => format!("{}:{}", text(lower), text(upper)),
        }
    }

    /// Arrays that a statement may allocate or free in other ways.
    fn changed(&mut self, kind: &StatementKind) {
        let mut changed: Vec<&Expression> = Vec::new();
        if let StatementKind::Opaque { reads, writes } = kind {
            changed.extend(reads.iter().chain(writes));
        }
        for call in call_graph::calls(kind) {
            let takes = |procedure: &ProcedureId, position: usize| {
                let dummy = self
                    .program
                    .procedure(*procedure)
                    .dummies
                    .get(position)
                    .copied()
                    .flatten();
                dummy.is_none_or(|dummy| self.program.variable(dummy).attributes.allocatable)
            };
            let takes = |position: usize| match call.callee {
                Callee::Procedure(procedure) => takes(procedure, position),
                Callee::OneOf(all) => all.iter().any(|procedure| takes(procedure, position)),
                Callee::Intrinsic(name) => ["move_alloc", "c_f_pointer"].contains(&name.as_str()),
                Callee::External(_) | Callee::Variable(_) => true,
                Callee::Mpi(_) | Callee::UnknownMpi(_) => false,
            };
            let passed = call
                .arguments
                .iter()
                .enumerate()
                .filter(|(position, _)| takes(*position));
            changed.extend(passed.filter_map(|(_, argument)| *argument));
        }
        let whole = changed
            .into_iter()
            .filter(|one| array_shapes::is_whole(one));
        let whole: Vec<VariableId> = whole.filter_map(|one| self.variable(one)).collect();
        self.others.extend(whole);
    }

    /// The array that is assigned to, if that may give it another shape, and one that has the shape of what it is given;
    /// itself if nobody knows such a one.
    fn assigned(&mut self, kind: &StatementKind) -> Option<(VariableId, VariableId)> {
        let StatementKind::Assign {
            target: target @ Expression::Variable(_),
            value,
        } = kind
        else {
            return None;
        };
        let id = self
            .variable(target)
            .filter(|_| may_allocate(self.program, target, value))?;
        match array_shapes::shaped_like(self.program, value) {
            Some(Expression::Variable(like)) => Some((id, *like)),
            _ => {
                self.others.insert(id);
                None
            }
        }
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
