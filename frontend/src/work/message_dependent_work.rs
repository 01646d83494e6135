//! Message-dependent work: compute blocks whose work may depend on what other ranks send. A rank that is measured solo may
//! receive different payloads.
//!
//! A forward may-analysis from the payloads and statuses of receives, through all values that are computed from them, to the control
//! locations of blocks. The lattice is the power set of locations and procedures, ordered by inclusion; the analysis is
//! flow-insensitive, so it may classify a block as message-dependent that is not. Payloads that the slice needs are the
//! same in a solo execution, and a broadcast or scatter delivers what its root has.
//!
//! The replay of messages is in the token runtime; whether loops change the control locations is in
//! [`crate::work::iteration_dependent_work`].

use crate::blocks::block_finder::{ElementKind, ProgramElement};
use crate::blocks::control_statement_blocks::ControlBlocks;
use crate::dataflow::control::Control;
use crate::dataflow::control_locations::{of_amounts, of_evaluated};
use crate::dataflow::loop_carried::{argument, reads};
use crate::dataflow::sorted_edges::{Edge, dependents};
use crate::effects::message_class::MessageClass;
use crate::effects::message_levels::Needed;
use crate::effects::model::Model;
use crate::effects::statement_effects::{IndirectEffect, Via};
use crate::ir::bit_set::BitSet;
use crate::ir::statement_tree;
use crate::ir::{ProcedureId, StatementId};
use std::collections::BTreeSet;

/// Collectives that deliver the data of one member.
const OF_A_ROOT: [&str; 3] = ["MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"];

/// By compute block in order: whether its control locations may depend on data of other ranks.
pub(crate) fn find(model: &Model, found: &[ProgramElement], base: Base) -> Vec<bool> {
    let mut flow = Flow {
        model,
        base,
        edges: Vec::new(),
        received: BitSet::default(),
        arguments: 0,
    };
    for id in model.outline.all() {
        flow.add(id);
    }
    flow.connect_kept();
    // Solved before the blocks: a later statement may pass a payload to an earlier one in a loop.
    let dependent = flow.closure();
    let mut blocks = Vec::new();
    for found in found {
        match &found.kind {
            ElementKind::Compute(statements) => {
                blocks.push(decides_in(model, statements, base, &dependent));
            }
            ElementKind::Own(statement, _) => {
                blocks.push(decides_in_control_block(
                    model, *statement, base, &dependent,
                ));
            }
            ElementKind::Site(..)
            | ElementKind::Loop(_)
            | ElementKind::Unknown(..)
            | ElementKind::Structure(_) => {}
        }
    }
    blocks
}

/// What is correct in a solo execution, too.
#[derive(Clone, Copy)]
pub(crate) struct Base<'a> {
    /// Statements of the slice.
    pub(crate) kept: &'a [bool],
    /// The messages whose payload the slice needs.
    pub(crate) needed: &'a Needed,
    /// The assumptions about conditions.
    pub(crate) control: &'a Control,
}

impl Base<'_> {
    /// Whether the slice evaluates a branch, or its outcome is assumed.
    fn decides(&self, id: StatementId) -> bool {
        self.kept[id.0 as usize] || self.control.assumed[id.0 as usize].is_any()
    }
}

/// Whether one of some locations determines how much the block of a control statement evaluates.
fn decides_in_control_block(
    model: &Model,
    id: StatementId,
    base: Base,
    locations: &BitSet,
) -> bool {
    for location in of_evaluated(model, id) {
        if locations.contains(location.index()) {
            return true;
        }
    }
    for procedure in ControlBlocks::of_model(model).local_procedures(id) {
        let body = &model.program.procedure(procedure).body;
        if decides_in(model, body, base, locations) {
            return true;
        }
    }
    false
}

/// Whether one of some locations determines what a block executes.
fn decides_in(model: &Model, block: &[StatementId], base: Base, locations: &BitSet) -> bool {
    let mut open = Vec::new();
    for &id in block {
        open.extend(statement_tree::subtree(model.program, id));
    }
    // A block includes the procedures that it calls.
    let mut called: BTreeSet<ProcedureId> = BTreeSet::new();
    while let Some(id) = open.pop() {
        let is_dependent = if !model.program.statement(id).kind.is_branch() {
            let amounts = of_amounts(model, id);
            amounts.iter().any(|one| locations.contains(one.index()))
        } else if base.decides(id) {
            false
        } else {
            let read = reads(model, id);
            read.iter().any(|&one| locations.contains(one))
        };
        if is_dependent {
            return true;
        }
        for call in &model.effects.of_statement(id).calls {
            if called.insert(call.target) {
                open.extend(model.outline.of_procedure(call.target));
            }
        }
    }
    false
}

/// The dependence graph of a program, over locations. A node for each procedure represents whether it is called and how far
/// control gets in it. Two nodes for each statement represent what it reads, and the conditions around it; without them, each of its
/// definitions would have an edge to each of these.
struct Flow<'a> {
    model: &'a Model<'a>,
    base: Base<'a>,
    edges: Vec<Edge>,
    /// Locations that receive payloads, or statuses, of messages of other ranks.
    received: BitSet,
    /// Nodes of arguments, behind that of kept addresses.
    arguments: usize,
}

impl Flow<'_> {
    /// Adds the dependences that a statement creates.
    fn add(&mut self, id: StatementId) {
        let model = self.model;
        let statement = model.program.statement(id);
        let effects = model.effects.of_statement(id);
        let (read, conditions) = (self.read_node(id), self.read_node(id) + 1);
        self.add_operands(read, &reads(model, id));
        if let Some(above) = model.outline.parent[id.0 as usize] {
            let above_read = self.read_node(above);
            self.add_operands(conditions, &[above_read + 1]);
            // Branches of the slice have the same outcome in a solo execution.
            if !self.base.decides(above) {
                self.add_operands(conditions, &[above_read]);
            }
        }
        let control = [conditions, self.node(statement.procedure)];
        for definition in &effects.definitions {
            let location = definition.location.index();
            match definition.via {
                Via::Payload(class) => self.receive(id, location, class),
                Via::Envelope => self.receive_envelope(id, location),
                Via::Dummy(_, dummy) => {
                    self.add_operands(location, &control);
                    self.add_operands(location, &[dummy.index()]);
                }
                Via::Own => {
                    self.add_operands(location, &control);
                    self.add_operands(location, &[read]);
                }
            }
        }
        // What code without source has kept the addresses of: one node stands for all of it, each of which any such call may read
        // and write.
        if effects.touches_globals {
            let kept = self.kept_node();
            self.add_operands(read, &[kept]);
            self.add_operands(kept, &control);
            self.add_operands(kept, &[read]);
        }
        for call in &effects.calls {
            let dummies = &model.program.procedure(call.target).dummies;
            for (position, dummy) in dummies.iter().enumerate() {
                let Some(dummy) = *dummy else {
                    continue;
                };
                let passed = self.one_of(&argument(model, call, position));
                for part in model.locations.innermost_of(dummy) {
                    self.add_operands(part.index(), &passed);
                }
            }
            self.add_operands(self.node(call.target), &control);
        }
        // What follows a conditional jump depends on its condition.
        if statement.kind.is_jump() {
            self.add_operands(self.node(statement.procedure), &[conditions]);
        }
    }

    /// Adds a source, tag, count or completion. Where the slice needs none, the recording contains none: a solo execution takes
    /// tag 0 for MPI_ANY_TAG, and as many elements as the buffer holds.
    fn receive_envelope(&mut self, id: StatementId, location: usize) {
        let is_same_in_solo = self.base.kept[id.0 as usize] && self.base.needed.envelope;
        if !is_same_in_solo {
            self.received.insert(location);
        }
    }

    /// Adds the dependences of a payload.
    fn receive(&mut self, id: StatementId, location: usize, class: MessageClass) {
        let effects = self.model.effects.of_statement(id);
        if let MessageClass::Collective(name, _) = class
            && OF_A_ROOT.contains(&name)
        {
            for (_, sent) in &effects.sends {
                self.add_operands(location, &[sent.index()]);
            }
            return;
        }
        // The replay delivers payloads that the slice needs, as the other ranks sent them.
        let is_same_in_solo =
            self.base.kept[id.0 as usize] && self.base.needed.payload.contains(&effects.class);
        if !is_same_in_solo {
            self.received.insert(location);
        }
    }

    fn node(&self, procedure: ProcedureId) -> usize {
        2 * self.model.locations.count() + procedure.0 as usize
    }

    /// The node of what a statement reads. The next node is that of the conditions around the statement.
    fn read_node(&self, id: StatementId) -> usize {
        self.node(ProcedureId(0)) + self.model.program.procedures.len() + 2 * id.0 as usize
    }

    /// The node of what code without source has kept the addresses of, after those of the last statement.
    fn kept_node(&self) -> usize {
        self.read_node(StatementId(self.model.program.statements.len() as u32))
    }

    fn connect_kept(&mut self) {
        let calls = self.model.effects.callers(IndirectEffect::WithoutSource);
        if calls.is_empty() {
            return;
        }
        let node = self.kept_node();
        for location in self.model.locations.kept_by_any().iter() {
            self.edges.push((location.index(), node));
            self.edges.push((node, location.index()));
        }
    }

    /// One node that stands for several operands: an object with many parts that is passed for one would otherwise have an edge
    /// from each part to each.
    fn one_of(&mut self, operands: &[usize]) -> Vec<usize> {
        if operands.len() < 2 {
            return operands.to_vec();
        }
        self.arguments += 1;
        let node = self.kept_node() + self.arguments;
        self.add_operands(node, operands);
        vec![node]
    }

    fn add_operands(&mut self, node: usize, operands: &[usize]) {
        for &operand in operands {
            self.edges.push((operand, node));
        }
    }

    /// Received payloads, and all that depends on them.
    fn closure(self) -> BitSet {
        let Flow {
            mut edges,
            mut received,
            ..
        } = self;
        edges.sort_unstable();
        let mut open: Vec<usize> = received.iter().collect();
        while let Some(node) = open.pop() {
            for dependent in dependents(&edges, node) {
                if received.insert(dependent) {
                    open.push(dependent);
                }
            }
        }
        received
    }
}
