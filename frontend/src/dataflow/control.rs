//! Control dependences and reaching definitions of all procedures under a set of assumptions about conditions.
//!
//! Assumptions remove edges of the flow graphs, so each set of assumptions has results of its own. Procedures for which
//! two sets agree share them.

use crate::dataflow::dependence::{ReachingDefinitions, control_dependence};
use crate::effects::assumed_effects;
use crate::effects::model::Model;
use crate::effects::statement_effects::StatementEffects;
use crate::graphs::assumed_outcomes::{Assumed, Clause};
use crate::graphs::control_flow_graph::{CfgNode, ControlFlowGraph};
use crate::graphs::statement_ends::Surroundings;
use crate::graphs::statement_ends::Terminations;
use crate::graphs::termination::CallRounds;
use crate::ir::{ProcedureId, StatementId};
use crate::memory::location_id::LocationId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Control flow facts under a set of assumptions.
pub(crate) struct Control {
    /// What is assumed of each statement; index = statement id.
    pub(crate) assumed: Vec<Assumed>,
    /// Effects of statements about which something is assumed.
    substituted: BTreeMap<StatementId, StatementEffects>,
    /// Statements that cannot be executed under the assumptions, but could without them.
    pub(crate) dead: Vec<bool>,
    /// The same without the statements that the assumptions replace themselves.
    pub(crate) unreachable: Vec<bool>,
    /// How each procedure may end.
    ends: CallRounds,
    /// The branches that each statement is control dependent on; index = statement id.
    pub(crate) deciders: Vec<Vec<StatementId>>,
    /// Reaching definitions; index = procedure id.
    pub(crate) reaching: Vec<Arc<ReachingDefinitions>>,
}

impl Control {
    /// Computes the facts under `assumed`; procedures with the same assumptions in `other` take its results.
    pub(crate) fn of(model: &Model, assumed: Vec<Assumed>, other: Option<&Control>) -> Self {
        let Model {
            program,
            outline,
            calls,
            ..
        } = model;
        let procedures = || (0..program.procedures.len() as u32).map(ProcedureId);
        let mut alike: Vec<bool> = vec![false; program.procedures.len()];
        let mut known = None;
        if let Some(other) = other {
            for p in procedures() {
                alike[p.0 as usize] = alike_in(model, p, &assumed, &other.assumed);
            }
            known = Some((&other.ends, &alike[..]));
        }
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
        let nothing = vec![Assumed::Nothing; count];
        for p in procedures() {
            match other {
                // Equal assumptions inside do not suffice: a callee that no longer returns changes the flow graph.
                Some(other) if alike[p.0 as usize] && other.calls_end_as(&control, model, p) => {
                    control.take_over(other, model, p);
                }
                _ => control.add_procedure(model, p, &nothing),
            }
        }
        control
    }

    /// Computes the facts of one procedure; `nothing` assumes nothing of any statement.
    fn add_procedure(&mut self, model: &Model, procedure: ProcedureId, nothing: &[Assumed]) {
        let flow = self.flow(model, procedure, &self.assumed);
        control_dependence(&flow, &mut self.deciders);
        let followed = |l: LocationId| model.followed[l.index()];
        let reaching = ReachingDefinitions::of(&flow, &model.effects, followed);
        self.reaching.push(Arc::new(reaching));
        let statements = model.outline.of_procedure(procedure);
        // Without assumptions in the procedure, both flow graphs are the same.
        if statements
            .iter()
            .any(|id| self.assumed[id.0 as usize].is_any())
        {
            // Code that no path reaches even without assumptions is not dead in this sense: only
            // what the assumptions cut off is.
            let whole = self.flow(model, procedure, nothing);
            self.find_dead(model, procedure, &flow, &whole);
        }
    }

    /// The effects of a statement under the assumptions.
    pub(crate) fn effects<'a>(&'a self, model: &'a Model, id: StatementId) -> &'a StatementEffects {
        // Of most statements nothing is assumed, and the slicer asks for each many times.
        if !self.assumed[id.0 as usize].is_any() {
            return model.effects.of_statement(id);
        }
        match self.substituted.get(&id) {
            Some(effects) => effects,
            None => model.effects.of_statement(id),
        }
    }

    /// Whether a clause may be evaluated, and nothing is assumed about it.
    pub(crate) fn is_free(&self, clause: Clause) -> bool {
        let assumed = self.assumed[clause.statement.0 as usize];
        // Other assumptions replace the whole statement.
        let is_evaluated = matches!(assumed, Assumed::Nothing | Assumed::Conditions(_));
        is_evaluated
            && !self.dead[clause.statement.0 as usize]
            && !assumed.replaces(clause.number)
            && (0..clause.number).all(|before| assumed.may_pass(before))
    }

    /// How each procedure may end; index = procedure id.
    pub(crate) fn ends(&self) -> &[Terminations] {
        self.ends.last()
    }

    /// Whether the callees of a procedure end in the same ways under both sets of assumptions. If the assumptions in the
    /// procedure are equal, too, all facts of the procedure are.
    fn calls_end_as(&self, other: &Control, model: &Model, procedure: ProcedureId) -> bool {
        for callee in &model.calls.callees[procedure.0 as usize] {
            let callee = callee.0 as usize;
            if self.ends()[callee] != other.ends()[callee] {
                return false;
            }
        }
        true
    }

    fn take_over(&mut self, other: &Control, model: &Model, procedure: ProcedureId) {
        for id in model.outline.of_procedure(procedure) {
            let id = id.0 as usize;
            self.deciders[id].clone_from(&other.deciders[id]);
            self.dead[id] = other.dead[id];
            self.unreachable[id] = other.unreachable[id];
        }
        self.reaching
            .push(Arc::clone(&other.reaching[procedure.0 as usize]));
    }

    /// The flow graph of a procedure under some assumptions.
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

    /// Finds the statements that only the flow graph without assumptions (`whole`) reaches.
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
            let is_removed = self.assumed[id.0 as usize].removes(&model.program.statement(id).kind);
            let is_cut_off = before[number] && !now[number];
            self.unreachable[id.0 as usize] = is_cut_off && !is_removed;
            self.dead[id.0 as usize] = is_cut_off || is_removed;
        }
    }

    /// The branches outside `block` that its first statement is control dependent on.
    pub(crate) fn deciders_of_block(
        &self,
        model: &Model,
        block: &[StatementId],
    ) -> Vec<StatementId> {
        let Some(first) = block.first() else {
            return Vec::new();
        };
        // A block has one entry, its first statement, so what controls that controls the block.
        let mut outside = self.deciders[first.0 as usize].clone();
        for &statement in block {
            outside.retain(|&id| !model.outline.is_within(id, statement));
        }
        outside
    }
}

fn substituted(model: &Model, assumed: &[Assumed]) -> BTreeMap<StatementId, StatementEffects> {
    let mut substituted = BTreeMap::new();
    for (id, &assumed) in (0..).map(StatementId).zip(assumed) {
        if assumed.is_any() {
            substituted.insert(id, assumed_effects::effects(model, id, assumed));
        }
    }
    substituted
}

/// Whether two sets of assumptions agree in a procedure.
fn alike_in(model: &Model, procedure: ProcedureId, one: &[Assumed], other: &[Assumed]) -> bool {
    let mut statements = model.outline.of_procedure(procedure).iter();
    statements.all(|id| one[id.0 as usize] == other[id.0 as usize])
}
