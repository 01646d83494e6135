//! What decides whether statements run, and which definitions reach them, under a set of assumptions.

use crate::dataflow::dependence::{Reaching, control_dependence};
use crate::effects::model::Model;
use crate::effects::statement_effects::StatementEffects;
use crate::graphs::assumed_outcomes::{self, Assumed, Clause};
use crate::graphs::control_flow_graph::{CfgNode, ControlFlowGraph, Surroundings};
use crate::graphs::termination::{CallRounds, Terminations};
use crate::ir::{ProcedureId, StatementId};
use crate::memory::locations::LocationId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Control under a set of assumptions.
pub(crate) struct Control {
    /// What is assumed; index = statement id.
    pub(crate) assumed: Vec<Assumed>,
    /// What statements do of which something is assumed.
    substituted: BTreeMap<StatementId, StatementEffects>,
    /// Statements that cannot run under the assumptions, but could without.
    pub(crate) dead: Vec<bool>,
    /// Whether each statement could run, but for what is assumed.
    pub(crate) unreachable: Vec<bool>,
    /// How each procedure may end.
    ends: CallRounds,
    /// Who decides whether each statement runs; index = statement id.
    pub(crate) deciders: Vec<Vec<StatementId>>,
    /// By procedure id.
    pub(crate) reaching: Vec<Rc<Reaching>>,
}

impl Control {
    /// Control of a program of which something is assumed; what is as in `other` is taken from there.
    pub(crate) fn of(model: &Model, assumed: Vec<Assumed>, other: Option<&Control>) -> Self {
        let Model {
            program,
            outline,
            calls,
            ..
        } = model;
        let procedures = || (0..program.procedures.len() as u32).map(ProcedureId);
        let alike: Option<Vec<bool>> = other.map(|other| {
            procedures()
                .map(|p| alike_in(model, p, &assumed, &other.assumed))
                .collect()
        });
        let known = other
            .zip(alike.as_deref())
            .map(|(other, alike)| (&other.ends, alike));
        let ends = CallRounds::of(program, outline, calls, &assumed, known);
        let count = program.statements.len();
        let mut control = Control {
            substituted: substituted(model, &assumed),
            assumed,
            dead: vec![false; count],
            unreachable: vec![false; count],
            ends,
            deciders: vec![Vec::new(); count],
            reaching: Vec::new(),
        };
        let free = vec![Assumed::Nothing; count];
        for p in procedures() {
            let alike = alike.as_ref().is_some_and(|alike| alike[p.0 as usize]);
            if let Some(other) =
                other.filter(|other| alike && other.calls_end_as(&control, model, p))
            {
                control.take_over(other, model, p);
                continue;
            }
            let flow = control.flow(model, p, &control.assumed);
            control_dependence(&flow, &mut control.deciders);
            let followed = |l: LocationId| model.followed[l.index()];
            control
                .reaching
                .push(Rc::new(Reaching::of(&flow, &model.effects, followed)));
            if model
                .outline
                .of_procedure(p)
                .iter()
                .any(|id| control.assumed[id.0 as usize].is_any())
            {
                let whole = control.flow(model, p, &free);
                control.find_dead(model, p, &flow, &whole);
            }
        }
        control
    }

    /// What a statement does.
    pub(crate) fn effects<'a>(&'a self, model: &'a Model, id: StatementId) -> &'a StatementEffects {
        self.substituted
            .get(&id)
            .unwrap_or_else(|| model.effects.of_statement(id))
    }

    /// Whether a clause may be evaluated, and nothing is assumed of it.
    pub(crate) fn is_free(&self, clause: Clause) -> bool {
        let assumed = self.assumed[clause.statement.0 as usize];
        let is_of_others = matches!(assumed, Assumed::Nothing | Assumed::Conditions(_));
        is_of_others
            && !self.dead[clause.statement.0 as usize]
            && !assumed.replaces(clause.number)
            && (0..clause.number).all(|before| assumed.may_pass(before))
    }

    /// How each procedure may end; index = procedure id.
    pub(crate) fn ends(&self) -> &[Terminations] {
        self.ends.last()
    }

    /// Whether what a procedure calls may end in the same ways under both: under the same assumptions, all else
    /// of the procedure is the same then.
    fn calls_end_as(&self, other: &Control, model: &Model, procedure: ProcedureId) -> bool {
        let callees = &model.calls.callees[procedure.0 as usize];
        callees
            .iter()
            .all(|callee| self.ends()[callee.0 as usize] == other.ends()[callee.0 as usize])
    }

    fn take_over(&mut self, other: &Control, model: &Model, procedure: ProcedureId) {
        for id in model
            .outline
            .of_procedure(procedure)
            .iter()
            .map(|id| id.0 as usize)
        {
            self.deciders[id].clone_from(&other.deciders[id]);
            self.dead[id] = other.dead[id];
            self.unreachable[id] = other.unreachable[id];
        }
        self.reaching
            .push(Rc::clone(&other.reaching[procedure.0 as usize]));
    }

    /// The flow of a procedure.
    pub(crate) fn flow(
        &self,
        model: &Model,
        procedure: ProcedureId,
        assumed: &[Assumed],
    ) -> ControlFlowGraph {
        let (program, outline, calls) = (model.program, &model.outline, &model.calls);
        ControlFlowGraph::of(
            procedure,
            Surroundings {
                program,
                outline,
                calls,
                assumed,
                ends: self.ends(),
            },
        )
    }

    fn find_dead(
        &mut self,
        model: &Model,
        procedure: ProcedureId,
        flow: &ControlFlowGraph,
        whole: &ControlFlowGraph,
    ) {
        let now = flow.reachable(flow.number(CfgNode::Entry));
        let before = whole.reachable(whole.number(CfgNode::Entry));
        for &id in model.outline.of_procedure(procedure) {
            let number = flow.number(CfgNode::Statement(id));
            let goes = self.assumed[id.0 as usize].removes(&model.program.statement(id).kind);
            self.unreachable[id.0 as usize] = before[number] && !now[number] && !goes;
            self.dead[id.0 as usize] = goes || (before[number] && !now[number]);
        }
    }

    /// The statements outside `block` that decide whether its first one is reached.
    pub(crate) fn deciders_of_block(
        &self,
        model: &Model,
        block: &[StatementId],
    ) -> Vec<StatementId> {
        let Some(first) = block.first() else {
            return Vec::new();
        };
        let inside = |id: StatementId| {
            block
                .iter()
                .any(|&outer| model.outline.is_within(id, outer))
        };
        self.deciders[first.0 as usize]
            .iter()
            .copied()
            .filter(|&id| !inside(id))
            .collect()
    }
}

fn substituted(model: &Model, assumed: &[Assumed]) -> BTreeMap<StatementId, StatementEffects> {
    let all = (0..)
        .map(StatementId)
        .zip(assumed)
        .filter(|(_, assumed)| assumed.is_any());
    all.map(|(id, &assumed)| (id, assumed_outcomes::effects(model, id, assumed)))
        .collect()
}

/// Whether the same is assumed of a procedure twice.
fn alike_in(model: &Model, procedure: ProcedureId, one: &[Assumed], other: &[Assumed]) -> bool {
    model
        .outline
        .of_procedure(procedure)
        .iter()
        .all(|id| one[id.0 as usize] == other[id.0 as usize])
}
