//! What decides whether statements run, and which definitions reach them, under a set of assumptions.

use crate::dependence::{Reaching, control_dependence};
use crate::ends::{Ends, Rounds};
use crate::flow_graph::{FlowGraph, Point, Surroundings};
use crate::ir::{ProcedureId, StatementId};
use crate::locations::LocationId;
use crate::model::Model;
use std::rc::Rc;

/// Control under a set of assumptions.
pub(crate) struct Control {
    /// IF statements whose branch is assumed not taken; index = statement id.
    pub(crate) cut: Vec<bool>,
    /// Statements that cannot run under the assumptions, but could without.
    pub(crate) dead: Vec<bool>,
    /// How each procedure may end.
    ends: Rounds,
    /// Who decides whether each statement runs; index = statement id.
    pub(crate) deciders: Vec<Vec<StatementId>>,
    /// By procedure id.
    pub(crate) reaching: Vec<Rc<Reaching>>,
}

impl Control {
    /// Control of the program without the branches of `cut`.
    pub(crate) fn of(model: &Model, cut: Vec<bool>) -> Self {
        Self::beside(model, cut, None)
    }

    /// The same; what is as in `other` is taken from there.
    pub(crate) fn beside(model: &Model, cut: Vec<bool>, other: Option<&Control>) -> Self {
        let Model { program, outline, calls, .. } = model;
        let procedures = || (0..program.procedures.len() as u32).map(ProcedureId);
        let alike: Option<Vec<bool>> =
            other.map(|other| procedures().map(|p| cut_alike(model, p, &cut, &other.cut)).collect());
        let known = other.zip(alike.as_deref()).map(|(other, alike)| (&other.ends, alike));
        let ends = Rounds::of(program, outline, calls, &cut, known);
        let count = program.statements.len();
        let mut control = Control {
            cut,
            dead: vec![false; count],
            ends,
            deciders: vec![Vec::new(); count],
            reaching: Vec::new(),
        };
        let uncut = vec![false; count];
        for p in procedures() {
            let alike = alike.as_ref().is_some_and(|alike| alike[p.0 as usize]);
            if let Some(other) = other.filter(|other| alike && other.calls_end_as(&control, model, p)) {
                control.take_over(other, model, p);
                continue;
            }
            let flow = control.flow(model, p, &control.cut);
            control_dependence(&flow, &mut control.deciders);
            let followed = |l: LocationId| model.followed[l.index()];
            control.reaching.push(Rc::new(Reaching::of(&flow, &model.effects, followed)));
            if model.outline.of_procedure(p).iter().any(|id| control.cut[id.0 as usize]) {
                let whole = control.flow(model, p, &uncut);
                control.find_dead(model, p, &flow, &whole);
            }
        }
        control
    }

    /// How each procedure may end; index = procedure id.
    pub(crate) fn ends(&self) -> &[Ends] {
        self.ends.last()
    }

    /// Whether what a procedure calls may end in the same ways under both: with the same cuts, all else
    /// of the procedure is the same then.
    fn calls_end_as(&self, other: &Control, model: &Model, procedure: ProcedureId) -> bool {
        let callees = &model.calls.callees[procedure.0 as usize];
        callees.iter().all(|callee| self.ends()[callee.0 as usize] == other.ends()[callee.0 as usize])
    }

    fn take_over(&mut self, other: &Control, model: &Model, procedure: ProcedureId) {
        for id in model.outline.of_procedure(procedure).iter().map(|id| id.0 as usize) {
            self.deciders[id].clone_from(&other.deciders[id]);
            self.dead[id] = other.dead[id];
        }
        self.reaching.push(Rc::clone(&other.reaching[procedure.0 as usize]));
    }

    /// The flow of a procedure.
    pub(crate) fn flow(&self, model: &Model, procedure: ProcedureId, cut: &[bool]) -> FlowGraph {
        let (program, outline, calls) = (model.program, &model.outline, &model.calls);
        FlowGraph::of(procedure, Surroundings { program, outline, calls, cut, ends: self.ends() })
    }

    fn find_dead(&mut self, model: &Model, procedure: ProcedureId, flow: &FlowGraph, whole: &FlowGraph) {
        let now = flow.reachable(flow.number(Point::Entry));
        let before = whole.reachable(whole.number(Point::Entry));
        for &id in model.outline.of_procedure(procedure) {
            let number = flow.number(Point::Statement(id));
            // The IF itself goes with its branch.
            self.dead[id.0 as usize] = self.cut[id.0 as usize] || (before[number] && !now[number]);
        }
    }

    /// The statements outside `block` that decide whether its first one is reached.
    pub(crate) fn deciders_of_block(&self, model: &Model, block: &[StatementId]) -> Vec<StatementId> {
        let Some(first) = block.first() else { return Vec::new() };
        let inside = |id: StatementId| block.iter().any(|&outer| model.outline.is_within(id, outer));
        self.deciders[first.0 as usize].iter().copied().filter(|&id| !inside(id)).collect()
    }
}

/// Whether two sets of cuts are the same in a procedure.
fn cut_alike(model: &Model, procedure: ProcedureId, one: &[bool], other: &[bool]) -> bool {
    model.outline.of_procedure(procedure).iter().all(|id| one[id.0 as usize] == other[id.0 as usize])
}
