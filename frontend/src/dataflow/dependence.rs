//! Control dependence and reaching definitions of one procedure, on its control-flow graph.
//!
//! Control dependence follows from postdominators (Ferrante, Ottenstein and Warren, 1987).
//!
//! Reaching definitions (Aho, Lam, Sethi and Ullman, Compilers, chapter 9) are a forward may-analysis: the lattice is
//! the power set of definitions, joined by union, with `after(s) = gen(s) ∪ (before(s) \ kill(s))` and
//! `before(s) = ⋃ after(predecessors)`. Only certain writes kill. The value of a location at entry is a definition of the entry node.

use crate::effects::program_effects::Effects;
use crate::graphs::control_flow_graph::{CfgNode, ControlFlowGraph};
use crate::ir::StatementId;
use crate::ir::bit_set::BitSet;
use crate::memory::location_id::LocationId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Adds to `deciders[s]`, for each statement `s` of the procedure, the branches that it is control
/// dependent on (Ferrante, Ottenstein and Warren, The Program Dependence Graph, 1987; on the
/// augmented graph also the jumps around it).
pub(crate) fn control_dependence(flow: &ControlFlowGraph, deciders: &mut [Vec<StatementId>]) {
    let post_dominators = flow.post_dominators();
    for (number, point) in flow.points().into_iter().enumerate() {
        let CfgNode::Statement(decider) = point else {
            continue;
        };
        let successors = flow.augmented_successors(number);
        // A node with one successor decides nothing: its successor runs whenever it does.
        if successors.len() < 2 {
            continue;
        }
        for successor in successors {
            // All nodes from the successor up to the node's own post-dominator depend on this branch.
            let mut at = Some(successor);
            while let Some(dependent) = at
                && at != post_dominators[number]
            {
                if let CfgNode::Statement(statement) = flow.points_at(dependent) {
                    let list = &mut deciders[statement.0 as usize];
                    // Paths from two successors may meet below their common post-dominator.
                    if !list.contains(&decider) {
                        list.push(decider);
                    }
                }
                at = post_dominators[dependent];
            }
        }
    }
}

/// The definitions that reach each node of one procedure, for the locations that the model follows.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReachingDefinitions {
    /// Definitions by number: node and location.
    sites: Vec<CfgNode>,
    /// The definitions of each location, ascending. Nothing iterates over it, so no result depends on its order.
    of_location: FxHashMap<LocationId, Vec<u32>>,
    /// The number of each node.
    numbers: FxHashMap<CfgNode, u32>,
    /// The definitions that reach each node; index = its number.
    before: Vec<BitSet>,
}

impl ReachingDefinitions {
    /// Solves the equations for the locations that `followed` selects.
    pub(crate) fn of(
        flow: &ControlFlowGraph,
        effects: &Effects,
        followed: impl Fn(LocationId) -> bool,
    ) -> Self {
        let mut reaching = ReachingDefinitions::default();
        let points = flow.points();
        let mut locations = BTreeSet::new();
        let mut generated: Vec<BitSet> = vec![BitSet::default(); points.len()];
        for (number, &point) in points.iter().enumerate() {
            let CfgNode::Statement(id) = point else {
                continue;
            };
            for definition in &effects.of_statement(id).definitions {
                if followed(definition.location) {
                    locations.insert(definition.location);
                    generated[number].insert(reaching.add(point, definition.location));
                }
            }
            // A location that is only read has no definition yet; below it gets that of the entry.
            for &used in &effects.of_statement(id).uses {
                if followed(used) {
                    locations.insert(used);
                }
            }
        }
        // A location that no statement defines still has its value at entry.
        let entry = flow.number(CfgNode::Entry);
        for location in locations {
            generated[entry].insert(reaching.add(CfgNode::Entry, location));
        }
        // After all definitions are numbered: a kill set contains those of later statements, too.
        let mut killed = Vec::new();
        for &point in &points {
            killed.push(reaching.killed(point, effects));
        }
        reaching.before = flow_forward(flow, &generated, &killed);
        reaching.numbers = points.into_iter().zip(0..).collect();
        reaching
    }

    fn add(&mut self, point: CfgNode, location: LocationId) -> usize {
        let number = self.sites.len();
        self.sites.push(point);
        let all = self.of_location.entry(location).or_default();
        all.push(number as u32);
        number
    }

    /// The definitions that a node certainly overwrites.
    fn killed(&self, point: CfgNode, effects: &Effects) -> BitSet {
        let mut killed = BitSet::default();
        let CfgNode::Statement(id) = point else {
            return killed;
        };
        for definition in &effects.of_statement(id).definitions {
            if definition.certain
                && let Some(all) = self.of_location.get(&definition.location)
            {
                for &number in all {
                    killed.insert(number as usize);
                }
            }
        }
        killed
    }

    /// The nodes whose definitions of a location reach a node; [`CfgNode::Entry`] for its value at
    /// entry. `None` if the location is not followed.
    pub(crate) fn definitions(&self, location: LocationId, at: CfgNode) -> Option<Vec<CfgNode>> {
        let all = self.of_location.get(&location)?;
        let before = &self.before[*self.numbers.get(&at)? as usize];
        let mut found = Vec::new();
        for &number in all {
            if before.contains(number as usize) {
                found.push(self.sites[number as usize]);
            }
        }
        // A statement that defines the location twice has two definitions, which are neighbours
        // here.
        found.dedup();
        Some(found)
    }
}

/// The least solution of a forward may-analysis, by a worklist: the facts before each node.
fn flow_forward(flow: &ControlFlowGraph, generated: &[BitSet], killed: &[BitSet]) -> Vec<BitSet> {
    let mut before: Vec<BitSet> = vec![BitSet::default(); generated.len()];
    let mut pending: BTreeSet<usize> = (0..generated.len()).collect();
    // Nodes are numbered in source order, so the smallest number first visits most nodes once.
    while let Some(number) = pending.pop_first() {
        // The sets only grow, so a node is visited at most once for each definition.
        let mut after = before[number].clone();
        after.subtract(&killed[number]);
        after.union(&generated[number]);
        for successor in flow.successors(number) {
            if before[successor].union(&after) {
                pending.insert(successor);
            }
        }
    }
    before
}
