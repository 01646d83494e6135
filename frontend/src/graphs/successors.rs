//! The edges of a large directed graph with numbered nodes: one array of targets, ordered by source (compressed sparse rows). It
//! takes 4 bytes an edge, and a search reads it in order.

/// The successors of each node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Successors {
    /// Where the successors of each node begin in `targets`; one more than there are nodes.
    starts: Vec<usize>,
    targets: Vec<u32>,
}

impl Successors {
    /// From a list of edges, each from a node below `nodes` to one below it. Successors keep the order of the list.
    pub(crate) fn of(nodes: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        // Counting sort: how many edges each node has, then where they begin.
        let mut starts = vec![0; nodes + 1];
        for (from, _) in edges.clone() {
            starts[from as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut targets = vec![0; starts[nodes]];
        for (from, to) in edges {
            targets[next[from as usize]] = to;
            next[from as usize] += 1;
        }
        Successors { starts, targets }
    }

    /// The same edges, each once; the successors of each node in ascending order.
    pub(crate) fn sorted(mut self) -> Self {
        let mut kept = 0;
        for node in 0..self.nodes() {
            let row = self.starts[node]..self.starts[node + 1];
            self.targets[row.clone()].sort_unstable();
            // Rows move to the front, over what is left out of those before them.
            self.starts[node] = kept;
            for at in row {
                if kept == self.starts[node] || self.targets[kept - 1] != self.targets[at] {
                    self.targets[kept] = self.targets[at];
                    kept += 1;
                }
            }
        }
        if let Some(end) = self.starts.last_mut() {
            *end = kept;
        }
        self.targets.truncate(kept);
        self
    }

    /// The number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The successors of a node.
    pub(crate) fn of_node(&self, node: usize) -> &[u32] {
        &self.targets[self.starts[node]..self.starts[node + 1]]
    }

    /// All edges, by source.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (u32, u32)> + Clone + '_ {
        (0..self.nodes()).flat_map(|from| {
            let targets = self.of_node(from).iter();
            targets.map(move |&to| (from as u32, to))
        })
    }

    /// The same edges, each in the other direction.
    pub(crate) fn reversed(&self) -> Self {
        Successors::of(self.nodes(), self.edges().map(|(from, to)| (to, from)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn successors_keep_the_order_of_edges() {
        let edges = [(2, 1), (0, 2), (2, 0), (0, 1)];
        let graph = Successors::of(3, edges.into_iter());
        assert_eq!(graph.of_node(0), [2, 1]);
        assert!(graph.of_node(1).is_empty());
        assert_eq!(graph.of_node(2), [1, 0]);
        assert_eq!(graph.reversed().of_node(1), [0, 2]);
        assert_eq!(Successors::default().nodes(), 0);
    }

    #[test]
    fn sorted_edges_are_distinct() {
        let edges = [(1, 2), (0, 2), (1, 0), (0, 2), (1, 2), (2, 2), (1, 0)];
        let sorted = Successors::of(4, edges.into_iter()).sorted();
        let edges: Vec<(u32, u32)> = sorted.edges().collect();
        assert_eq!(edges, [(0, 2), (1, 0), (1, 2), (2, 2)]);
    }
}
