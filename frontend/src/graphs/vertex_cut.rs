//! Minimum vertex cuts: the fewest nodes that lie on all paths from a source to some targets. Maximum flow over split nodes by
//! blocking flows (Dinitz, Algorithm for solution of a problem of maximum flow in networks with power estimation, 1970).
//!
//! A search for one path at a time would take time proportional to the size of the cut times that of the graph. Blocking flows need
//! one search for each length of shortest augmenting paths, and the network contains only what lies between nodes that can be cut.

use crate::graphs::successors::Successors;

/// Capacity of what cannot be cut: more than there are nodes.
const UNCUT: u32 = u32::MAX / 2;
/// The level of a node that a search has not reached, or from which no path leads on.
const NO_LEVEL: u32 = u32::MAX;
/// Nodes of a network.
const SOURCE: u32 = 0;
const SINK: u32 = 1;

/// The fewest nodes that can be cut without which no path leads from the source to any target, in ascending order; of all
/// smallest cuts, the one nearest to the source. The source cannot be cut. Each path must contain a node that can.
pub(crate) fn nearest_minimum_cut(
    graph: &Successors,
    can_cut: impl Fn(usize) -> bool,
    source: usize,
    targets: &[usize],
) -> Vec<usize> {
    let mut can_be_cut = Vec::with_capacity(graph.nodes());
    for node in 0..graph.nodes() {
        can_be_cut.push(node != source && can_cut(node));
    }
    let mut network = Network::between(graph, &can_be_cut, source, targets);
    network.maximize();
    // By the max-flow min-cut theorem, the saturated arcs that leave what the residual network reaches from the source are a
    // minimum cut, and of all minimum cuts the nearest. Only the arcs inside nodes that can be cut are narrow enough for that.
    let mut cut = Vec::new();
    for (node, can_be_cut) in can_be_cut.into_iter().enumerate() {
        let inner = network.inner[node];
        if can_be_cut && inner != SINK && network.is_cut(inner) {
            cut.push(node);
        }
    }
    cut
}

/// A flow network with its residual capacities.
struct Network {
    /// The point at which each node of the graph is entered. [`SOURCE`]: reached without a cut. [`SINK`]: on no path that a cut could
    /// interrupt, or behind all that can be cut. Nodes that can be cut have a second point, the next one, where they are left.
    inner: Vec<u32>,
    /// Arcs in pairs: one at an even position, and the next one in the opposite direction.
    arcs: Vec<Arc>,
    /// The arcs that leave each point.
    leaving: Successors,
    /// The length of a shortest path with residual capacity from the source to each point, or [`NO_LEVEL`].
    levels: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Arc {
    from: u32,
    to: u32,
    residual: u32,
}

impl Network {
    /// The network of all paths from the source to the targets. All nodes that are reached without a cut are one point, and so are all
    /// from which a target is.
    fn between(graph: &Successors, can_be_cut: &[bool], source: usize, targets: &[usize]) -> Self {
        let backward = graph.reversed();
        let (mut uncut, mut cuttable) = (Vec::new(), Vec::new());
        for &target in targets {
            if can_be_cut[target] {
                cuttable.push(target);
            } else {
                uncut.push(target);
            }
        }
        let is_near = reached(graph, &[source], |node| !can_be_cut[node]);
        let is_far = reached(&backward, &uncut, |node| !can_be_cut[node]);
        let is_reached = reached(graph, &[source], |_| true);
        let reaches = reached(&backward, targets, |_| true);

        let mut inner = vec![SINK; graph.nodes()];
        let mut points = SINK + 1;
        for node in 0..graph.nodes() {
            if is_near[node] {
                inner[node] = SOURCE;
            } else if is_reached[node] && reaches[node] && !is_far[node] {
                inner[node] = points;
                points += 1 + u32::from(can_be_cut[node]);
            }
        }
        let mut arcs = Vec::new();
        let mut add = |from: u32, to: u32, residual: u32| {
            arcs.push(Arc { from, to, residual });
            arcs.push(Arc {
                from: to,
                to: from,
                residual: 0,
            });
        };
        for node in 0..graph.nodes() {
            if inner[node] == SINK {
                continue;
            }
            let outer = inner[node] + u32::from(can_be_cut[node]);
            if outer != inner[node] {
                add(inner[node], outer, 1);
            }
            let mut ends = false;
            for &next in graph.of_node(node) {
                let to = inner[next as usize];
                ends |= is_far[next as usize];
                if to != SOURCE && to != SINK {
                    add(outer, to, UNCUT);
                }
            }
            if ends {
                add(outer, SINK, UNCUT);
            }
        }
        for target in cuttable {
            if inner[target] != SINK {
                add(inner[target] + 1, SINK, UNCUT);
            }
        }
        let numbered = (0..).zip(&arcs).map(|(number, arc)| (arc.from, number));
        let leaving = Successors::of(points as usize, numbered);
        Network {
            inner,
            leaving,
            arcs,
            levels: Vec::new(),
        }
    }

    /// Whether the maximum flow fills a node that can be cut, and the residual network reaches it from the source.
    fn is_cut(&self, inner: u32) -> bool {
        self.levels[inner as usize] != NO_LEVEL && self.levels[inner as usize + 1] == NO_LEVEL
    }

    /// Sends as much as possible from the source to the sink. Then the levels are those of the residual network.
    fn maximize(&mut self) {
        loop {
            self.find_levels();
            // A path without anything that can be cut has no bound.
            if self.levels[SINK as usize] == NO_LEVEL || self.levels[SINK as usize] == 1 {
                return;
            }
            self.block();
        }
    }

    /// Breadth-first search along residual capacity.
    fn find_levels(&mut self) {
        self.levels.clear();
        self.levels.resize(self.leaving.nodes(), NO_LEVEL);
        self.levels[SOURCE as usize] = 0;
        let mut found = vec![SOURCE];
        let mut next = 0;
        while next < found.len() {
            let point = found[next];
            for &arc in self.leaving.of_node(point as usize) {
                let Arc { to, residual, .. } = self.arcs[arc as usize];
                if residual > 0 && self.levels[to as usize] == NO_LEVEL {
                    self.levels[to as usize] = self.levels[point as usize] + 1;
                    found.push(to);
                }
            }
            next += 1;
        }
    }

    /// Sends along shortest paths until each contains a saturated arc: depth-first, and no arc is looked at again once it leads nowhere.
    fn block(&mut self) {
        // How many of its arcs each point has done with.
        let mut done = vec![0; self.leaving.nodes()];
        let mut path: Vec<u32> = Vec::new();
        let mut point = SOURCE;
        loop {
            if point == SINK {
                self.augment(&path);
                // The next path begins with what this one has left open.
                let saturated = path
                    .iter()
                    .position(|&arc| self.arcs[arc as usize].residual == 0);
                path.truncate(saturated.unwrap_or(0));
                point = match path.last() {
                    Some(&arc) => self.arcs[arc as usize].to,
                    None => SOURCE,
                };
                continue;
            }
            let leaving = self.leaving.of_node(point as usize);
            match leaving.get(done[point as usize]) {
                Some(&arc) => {
                    let Arc { to, residual, .. } = self.arcs[arc as usize];
                    let next_level = self.levels[point as usize] + 1;
                    if residual > 0 && self.levels[to as usize] == next_level {
                        path.push(arc);
                        point = to;
                    } else {
                        done[point as usize] += 1;
                    }
                }
                // A dead end.
                None => {
                    let Some(arc) = path.pop() else {
                        return;
                    };
                    point = self.arcs[arc as usize].from;
                    done[point as usize] += 1;
                }
            }
        }
    }

    /// Sends as much along a path as it takes.
    fn augment(&mut self, path: &[u32]) {
        let mut amount = UNCUT;
        for &arc in path {
            amount = amount.min(self.arcs[arc as usize].residual);
        }
        for &arc in path {
            self.arcs[arc as usize].residual -= amount;
            self.arcs[arc as usize ^ 1].residual += amount;
        }
    }
}

/// Which nodes are reached from some along nodes that paths may enter; the first ones are, if they may be entered.
fn reached(graph: &Successors, from: &[usize], may_enter: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut reached = vec![false; graph.nodes()];
    let mut pending = from.to_vec();
    while let Some(node) = pending.pop() {
        if reached[node] || !may_enter(node) {
            continue;
        }
        reached[node] = true;
        for &next in graph.of_node(node) {
            if !reached[next as usize] {
                pending.push(next as usize);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use petgraph::algo::ford_fulkerson;
    use petgraph::graph::{DiGraph, NodeIndex};
    use petgraph::visit::EdgeRef;
    use proptest::prelude::*;

    /// The same cut by a search for one augmenting path at a time in the network of the whole graph.
    fn by_single_paths(
        graph: &Successors,
        can_cut: impl Fn(usize) -> bool,
        source: usize,
        targets: &[usize],
    ) -> Vec<usize> {
        let point = |number: usize| NodeIndex::new(number);
        let mut network: DiGraph<(), u64> = DiGraph::new();
        for _ in 0..=2 * graph.nodes() {
            network.add_node(());
        }
        let sink = point(2 * graph.nodes());
        for node in 0..graph.nodes() {
            let width = if can_cut(node) { 1 } else { 1 << 32 };
            network.add_edge(point(2 * node), point(2 * node + 1), width);
        }
        for (from, to) in graph.edges() {
            let (from, to) = (point(2 * from as usize + 1), point(2 * to as usize));
            network.add_edge(from, to, 1 << 32);
        }
        for target in targets {
            network.add_edge(point(2 * target + 1), sink, 1 << 32);
        }
        let (_, flows) = ford_fulkerson(&network, point(2 * source), sink);
        let mut reached = vec![false; network.node_count()];
        let mut pending = vec![point(2 * source)];
        while let Some(node) = pending.pop() {
            if std::mem::replace(&mut reached[node.index()], true) {
                continue;
            }
            for edge in network.edges(node) {
                if flows[edge.id().index()] < *edge.weight() {
                    pending.push(edge.target());
                }
            }
            for edge in network.edges_directed(node, petgraph::Direction::Incoming) {
                if flows[edge.id().index()] > 0 {
                    pending.push(edge.source());
                }
            }
        }
        let is_cut = |node: &usize| reached[2 * node] && !reached[2 * node + 1];
        (0..graph.nodes()).filter(is_cut).collect()
    }

    proptest! {
        /// The nearest minimum cut is unique, whatever the search.
        #[test]
        fn cut_is_that_of_single_augmenting_paths(
            edges in prop::collection::vec((0_u32..24, 0_u32..24), 1..90),
            narrow in prop::collection::vec(any::<bool>(), 24),
            targets in prop::collection::vec(1_usize..24, 1..4),
        ) {
            let graph = Successors::of(24, edges.into_iter());
            let can_cut = |node: usize| node != 0 && narrow[node];
            let uncut = reached(&graph, &[0], |node| !can_cut(node));
            prop_assume!(targets.iter().all(|&target| !uncut[target]));
            let cut = nearest_minimum_cut(&graph, can_cut, 0, &targets);
            prop_assert_eq!(cut, by_single_paths(&graph, can_cut, 0, &targets));
        }
    }

    /// Paths of a later search may have to take back what an earlier one has sent.
    #[test]
    fn flow_is_taken_back() {
        // Two disjoint paths 0-1-2-5 and 0-3-4-5, and a shorter one, 0-1-4-5, that blocks both.
        let edges = [
            (0, 1),
            (1, 2),
            (2, 6),
            (6, 5),
            (0, 3),
            (3, 7),
            (7, 4),
            (4, 5),
            (1, 4),
        ];
        let graph = Successors::of(8, edges.into_iter());
        let cut = nearest_minimum_cut(&graph, |node| (1..5).contains(&node), 0, &[5]);
        assert_eq!(cut, [1, 3]);
    }
}
