//! The dependence graph of a slice: what each need depends on, dominators and minimum cuts in it. [`crate::slice::slicer`] finds the
//! dependences.

use crate::graphs::successors::Successors;
use crate::graphs::vertex_cut;
use crate::ir::bit_set::BitSet;
use crate::slice::needs::{Need, NeedNumbers};
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeMap, VecDeque};

/// The node of what the slice is made for.
const CRITERION: usize = 0;

/// A set of needs of one graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct NeedSet {
    /// Their nodes.
    nodes: BitSet,
}

/// What needs what, as a slicer notes it: once for each time that it finds it.
#[derive(Clone, Default)]
pub(crate) struct NotedNeeds {
    numbers: NeedNumbers,
    /// What needs, and what is needed, by numbers.
    pairs: Vec<(u32, u32)>,
    /// The number of what needed something last: it is noted many times in a row.
    last: Option<u32>,
}

impl NotedNeeds {
    /// Notes that a need has another one.
    pub(crate) fn note(&mut self, from: Need, to: Need) {
        let from = match self.last {
            Some(last) if self.numbers.need(last) == from => last,
            Some(_) | None => self.numbers.number(from),
        };
        self.last = Some(from);
        let to = self.numbers.number(to);
        self.pairs.push((from, to));
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
    /// What each node is.
    needs: Vec<Need>,
    /// What each node needs, by nodes, in the order of needs.
    successors: Successors,
    /// The nodes in the order of their needs.
    in_order: Vec<u32>,
}

impl DependenceGraph {
    /// From what a slicer noted.
    pub(crate) fn of(mut noted: NotedNeeds) -> Self {
        noted.numbers.number(Need::Criterion);
        let NotedNeeds { numbers, pairs, .. } = noted;
        let needs = numbers.into_needs();
        // Results depend on the order of needs, not on that in which they were found.
        let mut order: Vec<u32> = (0..needs.len() as u32).collect();
        order.sort_unstable_by_key(|&number| needs[number as usize]);
        let mut ranks = vec![0; needs.len()];
        for (rank, &number) in (0..).zip(&order) {
            ranks[number as usize] = rank;
        }
        let rank = |number: u32| ranks[number as usize];
        let by_rank = pairs.iter().map(|&(from, to)| (rank(from), rank(to)));
        let by_rank = Successors::of(needs.len(), by_rank).sorted();
        drop(pairs);

        // The criterion is the first node. The others are numbered from the last edge to the first: a minimum cut lists nodes by
        // number, and its members are tried in this order.
        let criterion = order.partition_point(|&number| needs[number as usize] < Need::Criterion);
        let mut numbering = Numbering::new(needs.len());
        numbering.add(criterion as u32);
        for from in (0..needs.len() as u32).rev() {
            for &to in by_rank.of_node(from as usize).iter().rev() {
                numbering.add(from);
                numbering.add(to);
            }
        }
        let Numbering { added, in_order } = numbering;
        let node = |rank: u32| in_order[rank as usize];
        let edges = by_rank.edges().map(|(from, to)| (node(from), node(to)));
        let successors = Successors::of(needs.len(), edges);
        let mut of_nodes = Vec::with_capacity(needs.len());
        for rank in added {
            of_nodes.push(needs[order[rank as usize] as usize]);
        }
        DependenceGraph {
            needs: of_nodes,
            successors,
            in_order,
        }
    }

    /// The node of a need that the graph contains.
    fn node(&self, need: Need) -> Option<usize> {
        let need_at = |&node: &u32| self.needs[node as usize];
        let rank = self.in_order.binary_search_by_key(&need, need_at).ok()?;
        Some(self.in_order[rank] as usize)
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
            found.push(self.needs[node]);
        }
        found
    }

    /// As [`Self::reach`], by nodes.
    fn breadth_first(
        &self,
        from: &[Need],
        blocked: impl Fn(Need) -> bool,
        reached: &mut BitSet,
    ) -> Vec<usize> {
        // The queue of the search, of which nothing is removed: in the end, all that is new.
        let mut found: Vec<usize> = Vec::new();
        for need in from {
            if let Some(node) = self.node(*need)
                && reached.insert(node)
            {
                found.push(node);
            }
        }
        let mut next = 0;
        while next < found.len() {
            for &needed in self.successors.of_node(found[next]) {
                let needed = needed as usize;
                if !reached.contains(needed) && !blocked(self.needs[needed]) {
                    reached.insert(needed);
                    found.push(needed);
                }
            }
            next += 1;
        }
        found
    }

    /// Whether a set contains a need.
    pub(crate) fn contains(&self, set: &NeedSet, need: Need) -> bool {
        match self.node(need) {
            Some(node) => set.nodes.contains(node),
            None => false,
        }
    }

    /// Takes a need out of a set.
    pub(crate) fn remove(&self, set: &mut NeedSet, need: Need) {
        if let Some(node) = self.node(need) {
            set.nodes.remove(node);
        }
    }

    /// How many statements the slice contains: each is noted when it is kept.
    pub(crate) fn statement_count(&self) -> usize {
        let statements = self.needs.iter().filter(|need| need.kept().is_some());
        statements.count()
    }

    /// How many of the needs are statements in the slice.
    pub(crate) fn kept_count(&self, set: &NeedSet) -> usize {
        let mut count = 0;
        for node in set.nodes.iter() {
            if self.needs[node].kept().is_some() {
                count += 1;
            }
        }
        count
    }

    /// What arises from the criterion, nearest first, each with the number of statements that stay only because of it: those that it
    /// dominates (every chain of needs from the criterion to them passes through it), itself included.
    pub(crate) fn dominated_statements(&self) -> Vec<(Need, usize)> {
        let graph: DiGraph<(), ()> = DiGraph::from_edges(self.successors.edges());
        let found = self.breadth_first(&[Need::Criterion], |_| false, &mut BitSet::default());
        let mut counts = vec![0; self.needs.len()];
        // The criterion of an empty slice is in no edge.
        let mut dominators = None;
        if graph.node_count() > 0 {
            dominators = Some(simple_fast(&graph, NodeIndex::new(CRITERION)));
        }
        // A dominator lies on every chain to a need, so on the shortest: it is found first.
        for &node in found.iter().rev() {
            if self.needs[node].kept().is_some() {
                counts[node] += 1;
            }
            let dominator = dominators
                .as_ref()
                .and_then(|all| all.immediate_dominator(NodeIndex::new(node)));
            if let Some(dominator) = dominator {
                counts[dominator.index()] += counts[node];
            }
        }
        let mut dominated = Vec::with_capacity(found.len());
        for node in found {
            dominated.push((self.needs[node], counts[node]));
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
            for &next in self.successors.of_node(node) {
                let next = self.needs[next as usize];
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
        let mut nodes = Vec::new();
        for &target in targets {
            nodes.extend(self.node(target));
        }
        let can_cut = |node: usize| can_cut(self.needs[node]);
        let cut = vertex_cut::nearest_minimum_cut(&self.successors, can_cut, CRITERION, &nodes);
        let mut needs = Vec::new();
        for node in cut {
            needs.push(self.needs[node]);
        }
        needs
    }
}

/// Nodes by the order in which they are added.
struct Numbering {
    /// What was added, each once.
    added: Vec<u32>,
    /// The node of each.
    in_order: Vec<u32>,
}

impl Numbering {
    const NONE: u32 = u32::MAX;

    fn new(count: usize) -> Self {
        Numbering {
            added: Vec::with_capacity(count),
            in_order: vec![Self::NONE; count],
        }
    }

    fn add(&mut self, rank: u32) {
        let node = &mut self.in_order[rank as usize];
        if *node == Self::NONE {
            *node = self.added.len() as u32;
            self.added.push(rank);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::StatementId;
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
