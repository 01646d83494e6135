//! Control dependence, and which definitions of a variable reach a statement. Both inside one
//! procedure, from its flow graph.

use crate::effects::statement_effects::Effects;
use crate::graphs::control_flow_graph::{CfgNode, ControlFlowGraph};
use crate::ir::StatementId;
use crate::ir::bit_set::BitSet;
use crate::memory::locations::LocationId;
use std::collections::BTreeMap;

/// Adds to `deciders[s]`, for each statement `s` of the procedure, the statements that decide
/// whether it runs (Ferrante, Ottenstein and Warren, The Program Dependence Graph, 1987; on the
/// augmented graph also the jumps round it).
pub(crate) fn control_dependence(flow: &ControlFlowGraph, deciders: &mut [Vec<StatementId>]) {
    let above = flow.post_dominators();
    for (number, point) in flow.points().into_iter().enumerate() {
        let CfgNode::Statement(decider) = point else {
            continue;
        };
        let successors = flow.augmented_successors(number);
        if successors.len() < 2 {
            continue;
        }
        for successor in successors {
            let mut at = Some(successor);
            while let Some(dependent) = at.filter(|_| at != above[number]) {
                if let CfgNode::Statement(statement) = flow.points_at(dependent) {
                    let list = &mut deciders[statement.0 as usize];
                    if !list.contains(&decider) {
                        list.push(decider);
                    }
                }
                at = above[dependent];
            }
        }
    }
}

/// Which definitions reach which points of one procedure, for places that are followed closely.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reaching {
    /// Definitions by number: where, of what.
    sites: Vec<(CfgNode, LocationId)>,
    of_location: BTreeMap<LocationId, BitSet>,
    before: BTreeMap<CfgNode, BitSet>,
}

impl Reaching {
    /// For the places that `followed` says.
    pub(crate) fn of(
        flow: &ControlFlowGraph,
        effects: &Effects,
        followed: impl Fn(LocationId) -> bool,
    ) -> Self {
        let mut reaching = Reaching::default();
        let points = flow.points();
        let mut made: Vec<BitSet> = vec![BitSet::default(); points.len()];
        for (number, &point) in points.iter().enumerate() {
            let CfgNode::Statement(id) = point else {
                continue;
            };
            for definition in effects
                .of_statement(id)
                .definitions
                .iter()
                .filter(|d| followed(d.location))
            {
                made[number].insert(reaching.add(point, definition.location));
            }
            for &used in effects
                .of_statement(id)
                .uses
                .iter()
                .filter(|&&l| followed(l))
            {
                reaching.of_location.entry(used).or_default();
            }
        }
        let entry = flow.number(CfgNode::Entry);
        for location in reaching.of_location.keys().copied().collect::<Vec<_>>() {
            made[entry].insert(reaching.add(CfgNode::Entry, location));
        }
        let killed: Vec<BitSet> = points
            .iter()
            .map(|&point| reaching.killed(point, effects))
            .collect();
        let before = flow_forward(flow, &made, &killed);
        reaching.before = points.into_iter().zip(before).collect();
        reaching
    }

    fn add(&mut self, point: CfgNode, location: LocationId) -> usize {
        let number = self.sites.len();
        self.sites.push((point, location));
        self.of_location.entry(location).or_default().insert(number);
        number
    }

    fn killed(&self, point: CfgNode, effects: &Effects) -> BitSet {
        let mut killed = BitSet::default();
        if let CfgNode::Statement(id) = point {
            for definition in effects
                .of_statement(id)
                .definitions
                .iter()
                .filter(|d| d.certain)
            {
                if let Some(all) = self.of_location.get(&definition.location) {
                    killed.union(all);
                }
            }
        }
        killed
    }

    /// The points whose definitions of a place reach a point; [`CfgNode::Entry`] for its value at
    /// entry. `None` if nothing is known of the place.
    pub(crate) fn definitions(&self, location: LocationId, at: CfgNode) -> Option<Vec<CfgNode>> {
        let all = self.of_location.get(&location)?;
        let before = self.before.get(&at)?;
        let mut found: Vec<CfgNode> = all
            .iter()
            .filter(|&number| before.contains(number))
            .map(|number| self.sites[number].0)
            .collect();
        found.dedup();
        Some(found)
    }
}

/// Forward may-analysis: what holds before each point.
fn flow_forward(flow: &ControlFlowGraph, made: &[BitSet], killed: &[BitSet]) -> Vec<BitSet> {
    let mut before: Vec<BitSet> = vec![BitSet::default(); made.len()];
    let mut pending: std::collections::BTreeSet<usize> = (0..made.len()).collect();
    while let Some(number) = pending.pop_first() {
        let mut after = before[number].clone();
        after.subtract(&killed[number]);
        after.union(&made[number]);
        for successor in flow.successors(number) {
            if before[successor].union(&after) {
                pending.insert(successor);
            }
        }
    }
    before
}
