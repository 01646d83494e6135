//! Whether the order in which a drain goes matters ([`crate::nondeterminism::completion_loops`]). It does not if all that depends on which
//! request completed depends on that request alone: then each order runs the same blocks with the same work, each as
//! often. So of what may depend on it, in the loop:
//!
//! - conditions and bounds read nothing but what is the same in all iterations, and what their own
//!   iteration has computed from such things and the request (*pure*), and decide over nothing else;
//! - what is assigned is read in the same iteration only; or it is an element that belongs to the request (`t(index)
//!   = …`), or a sum or product of integers, and nobody reads it before the loop has ended.
//!
//! Nothing outside the loop may depend on it, and no call of MPI, which the wait alone is in the loop.
//!
//! What is the request's own is in [`per_request_results`], sums and elements are in [`left_alike`].

mod commutative_updates;
mod per_request_results;

use crate::dataflow::loop_carried::{LoopCarried, is_pure, live, read_by};
use crate::effects::statement_effects::Via;
use crate::graphs::call_graph;
use crate::graphs::control_flow_graph::CfgNode;
use crate::ir::bit_set::BitSet;
use crate::ir::statement_tree;
use crate::ir::{Callee, Expression, StatementId, StatementKind};
use crate::memory::locations::LocationId;
use crate::nondeterminism::completion_loops::{self, CompletionLoop};
use crate::nondeterminism::mpi_outputs::{Readers, argument, mpi_call};
use base_data::mpi::{Kind, Role};
use std::collections::{BTreeMap, BTreeSet};

/// Whether a drain leaves the same behind in any order.
pub(crate) fn holds(readers: &Readers, completion_loop: &CompletionLoop) -> bool {
    let body = Body::of(readers, completion_loop);
    body.dependent()
        .is_some_and(|dependent| dependent.into_iter().all(|id| body.pure.contains(&id)))
}

/// The loop of a drain.
pub(crate) struct Body<'a, 'b> {
    readers: &'b Readers<'a>,
    completion_loop: &'b CompletionLoop,
    /// What stays in the loop each iteration of which is of one request, and where probes stand.
    inside: Vec<StatementId>,
    /// Who writes each place in the loop.
    writers: BTreeMap<LocationId, Vec<StatementId>>,
    /// What an iteration reads before it writes it for certain.
    exposed: BitSet,
    /// What depends on the request of its iteration alone, if it depends on it at all.
    pub(crate) pure: BTreeSet<StatementId>,
}

impl<'a, 'b> Body<'a, 'b> {
    /// What is known of a drain.
    pub(crate) fn of(readers: &'b Readers<'a>, completion_loop: &'b CompletionLoop) -> Self {
        let mut writers: BTreeMap<LocationId, Vec<StatementId>> = BTreeMap::new();
        let whole = completion_loops::inside(readers, completion_loop.repeat)
            .into_iter()
            .chain([completion_loop.repeat]);
        for id in whole.filter(|id| readers.kept[id.0 as usize] || *id == completion_loop.each) {
            for definition in &readers.control.effects(readers.model, id).definitions {
                writers.entry(definition.location).or_default().push(id);
            }
        }
        let inside = completion_loops::inside(readers, completion_loop.each);
        let pure = inside.iter().copied().collect();
        let mut body = Body {
            readers,
            completion_loop,
            inside,
            writers,
            exposed: BitSet::default(),
            pure,
        };
        body.exposed = body.exposed_at_top();
        body.shrink();
        body
    }

    /// What an iteration reads before it has written it.
    fn exposed_at_top(&self) -> BitSet {
        let Readers { model, control, .. } = *self.readers;
        let procedure = model.program.statement(self.completion_loop.each).procedure;
        let flow = control.flow(model, procedure, &control.assumed);
        let mut points = BTreeMap::new();
        for id in statement_tree::subtree(model.program, self.completion_loop.each).split_off(1) {
            let mut one = LoopCarried::default();
            self.readers
                .read_at(id)
                .into_iter()
                .for_each(|place| _ = one.exposed.insert(place.index()));
            if self.readers.kept[id.0 as usize] {
                self.certain(id)
                    .into_iter()
                    .for_each(|place| _ = one.always.insert(place.index()));
            }
            points.insert(flow.number(CfgNode::Statement(id)), one);
        }
        let before = live(&flow, &points);
        let mut exposed = BitSet::default();
        for first in
            flow.augmented_successors(flow.number(CfgNode::Statement(self.completion_loop.each)))
        {
            if points.contains_key(&first) {
                exposed.union(&before[first]);
            }
        }
        exposed
    }

    /// What a statement writes whenever it runs; the wait also its answers, if they are whole variables.
    fn certain(&self, id: StatementId) -> Vec<LocationId> {
        let model = self.readers.model;
        let definitions = &self.readers.control.effects(model, id).definitions;
        let own = definitions
            .iter()
            .filter(|d| d.certain && matches!(d.via, Via::Own | Via::Envelope));
        let mut certain: Vec<LocationId> = own.map(|d| d.location).collect();
        if let Some((function, arguments)) =
            mpi_call(model, id).filter(|_| id == self.completion_loop.wait)
            && let Some(status) = argument(function, &arguments, Role::Status)
            && let Expression::Variable(whole) = status
            && model.program.variable(*whole).shape.len() < 2
        {
            certain.extend(read_by(model, status));
        }
        certain
    }

    /// Takes out of `pure` what reads or depends on anything else.
    fn shrink(&mut self) {
        loop {
            let lost: Vec<StatementId> = self
                .pure
                .iter()
                .copied()
                .filter(|&id| !self.remains_pure(id))
                .collect();
            if lost.is_empty() {
                return;
            }
            lost.iter().for_each(|id| _ = self.pure.remove(id));
        }
    }

    fn remains_pure(&self, id: StatementId) -> bool {
        if id == self.completion_loop.wait {
            return true;
        }
        let own = self.gathered(id);
        let told = self.told(id);
        let read = self
            .readers
            .read_at(id)
            .into_iter()
            .filter(|place| !told.contains(place));
        let is_inquiry = call_graph::calls(&self.readers.model.program.statement(id).kind)
            .iter()
            .all(|call| match call.callee {
                Callee::Intrinsic(name) => call.is_function && is_pure(name),
                Callee::Mpi(function) => {
                    function.kind == Kind::Local && function.position(Role::StatusIn).is_some()
                }
                Callee::Procedure(_)
                | Callee::UnknownMpi(_)
                | Callee::External(_)
                | Callee::Variable(_)
                | Callee::OneOf(_) => false,
            });
        let is_probe_only = !self.readers.kept[id.0 as usize];
        (is_probe_only || is_inquiry)
            && { read }.all(|place| Some(place) == own || self.is_pure_place(place))
            && self
                .deciders(id)
                .into_iter()
                .all(|decider| self.pure.contains(&decider))
    }

    /// Whether a place is the same in all iterations, or made anew in each from what is.
    pub(crate) fn is_pure_place(&self, place: LocationId) -> bool {
        match self.writers.get(&place) {
            None => true,
            Some(writers) => {
                !self.exposed.contains(place.index())
                    && writers.iter().all(|id| self.pure.contains(id))
            }
        }
    }

    /// What decides in the loop whether a statement runs.
    pub(crate) fn deciders(&self, id: StatementId) -> Vec<StatementId> {
        let Readers { model, control, .. } = *self.readers;
        let all = control.deciders[id.0 as usize].iter().copied();
        let is_in = |decider: &StatementId| {
            *decider != self.completion_loop.each
                && model.outline.is_within(*decider, self.completion_loop.each)
        };
        // A block's own decisions are part of it.
        all.filter(|decider| is_in(decider) && self.readers.kept[decider.0 as usize])
            .collect()
    }

    /// All that depends on which request completed; `None` if something does that must not.
    fn dependent(&self) -> Option<Vec<StatementId>> {
        let mut dependent = Vec::new();
        let mut written = self.answers();
        loop {
            let is_new =
                |id: &StatementId| !dependent.contains(id) && !self.completion_loop.is_frame(*id);
            let mut depends = self
                .readers
                .all()
                .filter(is_new)
                .filter(|id| self.depends(*id, &dependent, &written));
            let Some(id) = depends.next() else { break };
            written.extend(self.passed_on(id)?.into_iter().map(|place| (id, place)));
            dependent.push(id);
        }
        let places: Vec<LocationId> = written.iter().map(|(_, place)| *place).collect();
        let handed = self.readers.handed_out(&places);
        let is_left = handed.is_used || self.readers.is_any_read(&handed.written);
        (!is_left && !self.readers.shapes_read(&places)).then_some(dependent)
    }

    /// Whether a statement depends on what others have written, or on those who decide whether it runs.
    pub(crate) fn depends(
        &self,
        id: StatementId,
        dependent: &[StatementId],
        written: &[(StatementId, LocationId)],
    ) -> bool {
        let read = self.readers.read_at(id);
        let reads = |(writer, place): &(StatementId, LocationId)| {
            read.contains(place) && self.readers.reaches(*writer, *place, id)
        };
        written.iter().any(reads)
            || self.readers.control.deciders[id.0 as usize]
                .iter()
                .any(|decider| dependent.contains(decider))
    }

    /// The places through which a statement that depends on the request passes that on; `None` if it must not hang
    /// on it.
    fn passed_on(&self, id: StatementId) -> Option<Vec<LocationId>> {
        let model = self.readers.model;
        if !self.inside.contains(&id) {
            return None;
        }
        if !self.readers.kept[id.0 as usize] {
            return Some(Vec::new());
        }
        let written = || {
            let definitions = &self.readers.control.effects(model, id).definitions;
            definitions
                .iter()
                .map(|definition| definition.location)
                .collect::<Vec<_>>()
        };
        match &model.program.statement(id).kind {
            StatementKind::Assign { .. } => {
                let is_left = self.gathered(id).is_some() || self.is_spread(id);
                Some(if is_left { Vec::new() } else { written() })
            }
            StatementKind::Do { .. } | StatementKind::If { .. } | StatementKind::While { .. } => {
                Some(written())
            }
            StatementKind::Call {
                callee: Callee::Mpi(_),
                ..
            } => Some(written()),
            StatementKind::Select { .. }
            | StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Continue => Some(Vec::new()),
            StatementKind::Call { .. }
            | StatementKind::Scoped { .. }
            | StatementKind::PointerAssignment { .. }
            | StatementKind::Entry
            | StatementKind::Goto { .. }
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::InputOutput(_)
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. }
            | StatementKind::Opaque { .. } => None,
        }
    }
}
