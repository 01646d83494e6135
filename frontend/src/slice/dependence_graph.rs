//! The dependence graph of a slice: what each need depends on, and minimum cuts in it (maximum flow over split nodes, Ford and
//! Fulkerson). [`crate::slice::slicer`] finds the dependences.

use crate::effects::message_levels::MessageClass;
use crate::effects::statement_effects::IndirectEffect;
use crate::graphs::assumed_outcomes::Clause;
use crate::graphs::control_flow_graph::CfgNode;
use crate::ir::bit_set::BitSet;
use crate::ir::{ProcedureId, StatementId};
use crate::memory::locations::LocationId;
use petgraph::algo::dominators::simple_fast;
use petgraph::algo::ford_fulkerson;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};

/// Something that a slice needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Need {
    /// The sequence of MPI calls, and what else the slice is made for.
    Criterion,
    /// A statement.
    Statement(StatementId),
    /// What a clause of a statement that stays reads and calls; clause 0 of one that has none.
    Evaluation(Clause),
    /// Which way control goes after a statement.
    Decision(StatementId),
    /// What a place holds; at a point, for places that are followed closely.
    Place(LocationId, Option<CfgNode>),
    /// What a dummy argument holds when its procedure is entered.
    Entry(LocationId),
    /// The data of messages, as they are received.
    Data(MessageClass),
    /// What is sent in calls of a class, which may match received messages of that or another class.
    Sent(MessageClass),
    /// Whether the run ends in a procedure.
    Terminations(ProcedureId),
    /// The local variables of a procedure.
    Frame(ProcedureId),
    /// Everything that a procedure without source may read.
    Globals,
    /// The calls of those who write something without being passed it.
    CallsOf(IndirectEffect),
}

impl Need {
    /// The statement that stays, if that is what is needed.
    pub(crate) fn kept(self) -> Option<StatementId> {
        if let Need::Statement(id) = self {
            Some(id)
        } else {
            None
        }
    }

    /// The clause whose evaluation is needed.
    pub(crate) fn evaluated(self) -> Option<Clause> {
        if let Need::Evaluation(clause) = self {
            Some(clause)
        } else {
            None
        }
    }
}

/// Capacity of what cannot be cut: more than there are needs that can.
const UNCUT: u64 = 1 << 32;

/// A set of needs of one graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct NeedSet {
    /// Their nodes.
    nodes: BitSet,
}

/// What needs what, as a slicer notes it: once for each time that it finds it.
#[derive(Clone, Default)]
pub(crate) struct NotedNeeds {
    // Nothing iterates over it, so no result depends on its order.
    numbers: FxHashMap<Need, u32>,
    /// Index = number.
    needs: Vec<Need>,
    /// What needs, and what is needed, by numbers.
    pairs: Vec<(u32, u32)>,
    /// What needed something last: it is noted many times in a row.
    last: Option<(Need, u32)>,
}

impl NotedNeeds {
    /// Notes that a need has another one.
    pub(crate) fn note(&mut self, from: Need, to: Need) {
        let from = match self.last {
            Some((need, number)) if need == from => number,
            Some(_) | None => self.number(from),
        };
        self.last = Some((self.needs[from as usize], from));
        let to = self.number(to);
        self.pairs.push((from, to));
    }

    fn number(&mut self, need: Need) -> u32 {
        let next = self.needs.len() as u32;
        let number = *self.numbers.entry(need).or_insert(next);
        if number == next {
            self.needs.push(need);
        }
        number
    }
}

impl FromIterator<(Need, Need)> for NotedNeeds {
    fn from_iter<I: IntoIterator<Item = (Need, Need)>>(pairs: I) -> Self {
        let mut noted = NotedNeeds::default();
        for (from, to) in pairs {
            noted.note(from, to);
        }
        noted
    }
}

/// What needs what.
pub(crate) struct DependenceGraph {
    graph: DiGraph<Need, ()>,
    /// The needs in order, and the node of each.
    nodes: Vec<(Need, NodeIndex)>,
}

impl DependenceGraph {
    /// From what a slicer noted.
    pub(crate) fn of(mut noted: NotedNeeds) -> Self {
        noted.number(Need::Criterion);
        let NotedNeeds { needs, pairs, .. } = noted;
        // Nodes and edges are numbered by the order of needs, not by that in which they were found: results depend on it.
        let mut order: Vec<u32> = (0..needs.len() as u32).collect();
        order.sort_unstable_by_key(|&number| needs[number as usize]);
        let mut ranks = vec![0_u32; needs.len()];
        for (rank, &number) in order.iter().enumerate() {
            ranks[number as usize] = rank as u32;
        }
        let mut edges: Vec<(u32, u32)> = Vec::with_capacity(pairs.len());
        for (from, to) in pairs {
            edges.push((ranks[from as usize], ranks[to as usize]));
        }
        edges.sort_unstable();
        edges.dedup();
        let mut graph = DiGraph::with_capacity(needs.len(), edges.len());
        let mut nodes: Vec<Option<NodeIndex>> = vec![None; needs.len()];
        let need = |rank: u32| needs[order[rank as usize] as usize];
        let criterion = order.partition_point(|&number| needs[number as usize] < Need::Criterion);
        nodes[criterion] = Some(graph.add_node(Need::Criterion));
        // The graph gives neighbours last first.
        for (from, to) in edges.into_iter().rev() {
            let [from, to] = [from, to].map(|rank| {
                *nodes[rank as usize].get_or_insert_with(|| graph.add_node(need(rank)))
            });
            graph.add_edge(from, to, ());
        }
        let mut numbered = Vec::with_capacity(nodes.len());
        for (rank, node) in nodes.into_iter().enumerate() {
            if let Some(node) = node {
                numbered.push((need(rank as u32), node));
            }
        }
        DependenceGraph {
            graph,
            nodes: numbered,
        }
    }

    /// The node of a need that the graph contains.
    fn node(&self, need: Need) -> Option<NodeIndex> {
        let position = self.nodes.binary_search_by_key(&need, |&(known, _)| known);
        Some(self.nodes[position.ok()?].1)
    }

    /// The node of what the slice is made for.
    fn criterion(&self) -> NodeIndex {
        // The first that was added.
        NodeIndex::new(0)
    }

    /// Adds to `reached` what is needed for some needs, themselves included, as far as it does not arise
    /// from what is blocked; what is new, nearest first.
    pub(crate) fn reach(
        &self,
        from: &[Need],
        blocked: impl Fn(Need) -> bool,
        reached: &mut NeedSet,
    ) -> Vec<Need> {
        let mut found = Vec::new();
        for node in self.breadth_first(from, blocked, &mut reached.nodes) {
            found.push(self.graph[node]);
        }
        found
    }

    /// As [`Self::reach`], by nodes.
    fn breadth_first(
        &self,
        from: &[Need],
        blocked: impl Fn(Need) -> bool,
        reached: &mut BitSet,
    ) -> Vec<NodeIndex> {
        // The queue of the search, of which nothing is removed: in the end, all that is new.
        let mut found: Vec<NodeIndex> = Vec::new();
        for need in from {
            if let Some(node) = self.node(*need)
                && reached.insert(node.index())
            {
                found.push(node);
            }
        }
        let mut next = 0;
        while next < found.len() {
            for neighbor in self.graph.neighbors(found[next]) {
                if !reached.contains(neighbor.index()) && !blocked(self.graph[neighbor]) {
                    reached.insert(neighbor.index());
                    found.push(neighbor);
                }
            }
            next += 1;
        }
        found
    }

    /// Whether a set contains a need.
    pub(crate) fn contains(&self, set: &NeedSet, need: Need) -> bool {
        match self.node(need) {
            Some(node) => set.nodes.contains(node.index()),
            None => false,
        }
    }

    /// Takes a need out of a set.
    pub(crate) fn remove(&self, set: &mut NeedSet, need: Need) {
        if let Some(node) = self.node(need) {
            set.nodes.remove(node.index());
        }
    }

    /// How many of the needs are statements in the slice.
    pub(crate) fn kept_count(&self, set: &NeedSet) -> usize {
        let mut count = 0;
        for node in set.nodes.iter() {
            if self.graph[NodeIndex::new(node)].kept().is_some() {
                count += 1;
            }
        }
        count
    }

    /// What arises from the criterion, nearest first, each with the number of statements that stay only because of it: those that it
    /// dominates (every chain of needs from the criterion to them passes through it), itself included.
    pub(crate) fn dominated_statements(&self) -> Vec<(Need, usize)> {
        let root = self.criterion();
        let dominators = simple_fast(&self.graph, root);
        let found = self.breadth_first(&[Need::Criterion], |_| false, &mut BitSet::default());
        let mut counts = vec![0; self.graph.node_count()];
        // A dominator lies on every chain to a need, so on the shortest: it is found first.
        for &node in found.iter().rev() {
            if self.graph[node].kept().is_some() {
                counts[node.index()] += 1;
            }
            if let Some(dominator) = dominators.immediate_dominator(node) {
                counts[dominator.index()] += counts[node.index()];
            }
        }
        let mut dominated = Vec::with_capacity(found.len());
        for node in found {
            dominated.push((self.graph[node], counts[node.index()]));
        }
        dominated
    }

    /// A shortest chain of needs from the criterion to one, both included; empty if there is none.
    pub(crate) fn chain_to(&self, target: Need) -> Vec<Need> {
        let mut from: BTreeMap<Need, Need> = BTreeMap::new();
        let mut pending = VecDeque::from([Need::Criterion]);
        while let Some(need) = pending.pop_front() {
            if need == target {
                let mut chain: Vec<Need> =
                    std::iter::successors(Some(need), |one| from.get(one).copied()).collect();
                chain.reverse();
                return chain;
            }
            let Some(node) = self.node(need) else {
                continue;
            };
            for next in self.graph.neighbors(node).map(|next| self.graph[next]) {
                if next != Need::Criterion && !from.contains_key(&next) {
                    from.insert(next, need);
                    pending.push_back(next);
                }
            }
        }
        Vec::new()
    }

    /// The fewest of the needs that can be cut without which none of `targets` arises from the criterion, those
    /// nearest to it where there is a choice. Targets that arise without any of them must not be among them.
    pub(crate) fn minimum_cut(
        &self,
        can_cut: impl Fn(Need) -> bool,
        targets: &[Need],
    ) -> Vec<Need> {
        // Each need is two points, with a way between them that is narrow where it can be cut.
        let mut network: DiGraph<(), u64> =
            DiGraph::with_capacity(2 * self.graph.node_count() + 1, 0);
        (0..=2 * self.graph.node_count()).for_each(|_| _ = network.add_node(()));
        let (inner, outer) = (
            |n: NodeIndex| NodeIndex::new(2 * n.index()),
            |n: NodeIndex| NodeIndex::new(2 * n.index() + 1),
        );
        let sink = NodeIndex::new(2 * self.graph.node_count());
        for node in self.graph.node_indices() {
            // By the max-flow min-cut theorem, the saturated edges between the two sides of the
            // residual network are a minimum cut. All of them are inner edges, since the others are
            // wider than any cut.
            let width = if can_cut(self.graph[node]) { 1 } else { UNCUT };
            network.add_edge(inner(node), outer(node), width);
        }
        for edge in self.graph.edge_references() {
            network.add_edge(outer(edge.source()), inner(edge.target()), UNCUT);
        }
        for node in targets.iter().filter_map(|target| self.node(*target)) {
            network.add_edge(outer(node), sink, UNCUT);
        }
        let source = inner(self.criterion());
        let (_, flows) = ford_fulkerson(&network, source, sink);
        // Of all minimum cuts, the boundary of what the residual network reaches from the source is
        // the one nearest to the criterion.
        let reached = residual(&network, &flows, source);
        let mut cut = Vec::new();
        for node in self.graph.node_indices() {
            // The edge inside the node is saturated: it crosses from the source's side to the sink's.
            if reached[inner(node).index()] && !reached[outer(node).index()] {
                cut.push(self.graph[node]);
            }
        }
        cut
    }
}

/// Which nodes of the network are reached from one along edges with residual capacity.
fn residual(network: &DiGraph<(), u64>, flows: &[u64], from: NodeIndex) -> Vec<bool> {
    let mut reached = vec![false; network.node_count()];
    let mut stack = vec![from];
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut reached[node.index()], true) {
            continue;
        }
        for edge in network.edges(node) {
            if flows[edge.id().index()] < *edge.weight() {
                stack.push(edge.target());
            }
        }
        for edge in network.edges_directed(node, petgraph::Direction::Incoming) {
            if flows[edge.id().index()] > 0 {
                stack.push(edge.source());
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn need(number: u32) -> Need {
        if number == 0 {
            Need::Criterion
        } else {
            Need::Statement(StatementId(number))
        }
    }

    fn reaches(needs: &DependenceGraph, cut: &[Need], target: Need) -> bool {
        let mut reached = NeedSet::default();
        needs.reach(&[Need::Criterion], |need| cut.contains(&need), &mut reached);
        needs.contains(&reached, target)
    }

    proptest! {
        /// No smaller set of needs separates the target, and this one does.
        #[test]
        fn cuts_are_smallest(pairs in prop::collection::vec((0u32..9, 1u32..10), 1..30)) {
            let needs = DependenceGraph::of(pairs.iter().map(|&(from, to)| (need(from), need(to))).collect());
            let can_cut = |need: Need| matches!(need, Need::Statement(StatementId(1..=7)));
            let target = need(9);
            let candidates: Vec<Need> = (1..=7).map(need).collect();
            prop_assume!(!reaches(&needs, &candidates, target));
            let cut = needs.minimum_cut(can_cut, &[target]);
            prop_assert!(cut.iter().all(|&need| can_cut(need)));
            prop_assert!(!reaches(&needs, &cut, target));
            for subset in 0u32..1 << 7 {
                let other: Vec<Need> = (0..7).filter(|i| subset >> i & 1 == 1).map(|i| need(i + 1)).collect();
                prop_assert!(other.len() >= cut.len() || reaches(&needs, &other, target));
            }
        }

        /// What a need dominates is what is no longer reached without it.
        #[test]
        fn dominated_statements_are_unreached_without_their_dominator(
            pairs in prop::collection::vec((0u32..9, 1u32..10), 1..30)
        ) {
            let needs = DependenceGraph::of(pairs.iter().map(|&(from, to)| (need(from), need(to))).collect());
            let mut all = NeedSet::default();
            let order = needs.reach(&[Need::Criterion], |_| false, &mut all);
            let dominated = needs.dominated_statements();
            prop_assert_eq!(dominated.iter().map(|&(need, _)| need).collect::<Vec<_>>(), order);
            for (candidate, count) in dominated {
                if candidate != Need::Criterion {
                    let mut others = NeedSet::default();
                    needs.reach(&[Need::Criterion], |need| need == candidate, &mut others);
                    prop_assert_eq!(needs.kept_count(&others) + count, needs.kept_count(&all));
                }
            }
        }
    }
}
