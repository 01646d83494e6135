//! Graphs of ranks.

/// A graph that all ranks know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// For each node, the number of edges of it and all before it.
    pub index: Vec<i32>,
    /// The neighbours of all nodes, one node after the other.
    pub edges: Vec<i32>,
}

impl Graph {
    /// The neighbours of a node.
    pub fn neighbours(&self, rank: u32) -> &[i32] {
        let end = |node: u32| {
            self.index
                .get(node as usize)
                .map_or(self.edges.len(), |&end| end as usize)
        };
        let start = rank.checked_sub(1).map_or(0, end);
        &self.edges[start..end(rank)]
    }

    /// What is wrong with it for so many ranks, if something is.
    pub fn fault(&self, ranks: u32) -> Option<String> {
        if self.index.len() > ranks as usize {
            return Some(format!(
                "the graph has {} nodes, the communicator {ranks} ranks",
                self.index.len()
            ));
        }
        if self.index.windows(2).any(|pair| pair[0] > pair[1])
            || self.index.first().is_some_and(|&end| end < 0)
        {
            return Some("the index of the graph does not ascend".into());
        }
        let nodes = 0..self.index.len() as i32;
        let stray = self.edges.iter().find(|edge| !nodes.contains(edge))?;
        Some(format!(
            "an edge of the graph leads to {stray}, which is no node"
        ))
    }
}

/// The edges of one rank in a distributed graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbourhood {
    /// Ranks it receives from.
    pub sources: Vec<i32>,
    /// Ranks it sends to.
    pub destinations: Vec<i32>,
    /// A weight for each of the above; `None` if the graph has none.
    pub weights: Option<(Vec<i32>, Vec<i32>)>,
}

/// A directed edge with its weight, 0 in a graph without weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it begins.
    pub source: i32,
    /// Where it ends.
    pub destination: i32,
    /// Its weight.
    pub weight: i32,
}

impl Neighbourhood {
    /// What `rank` has of the edges that all ranks named, in that order.
    pub fn of(rank: u32, edges: &[Edge], weighted: bool) -> Self {
        let mut sources = Vec::new();
        let mut source_weights = Vec::new();
        let mut destinations = Vec::new();
        let mut destination_weights = Vec::new();
        // An edge from a rank to itself is in both lists.
        for edge in edges {
            if edge.destination == rank as i32 {
                sources.push(edge.source);
                source_weights.push(edge.weight);
            }
            if edge.source == rank as i32 {
                destinations.push(edge.destination);
                destination_weights.push(edge.weight);
            }
        }
        let weights = if weighted {
            Some((source_weights, destination_weights))
        } else {
            None
        };
        Self {
            weights,
            sources,
            destinations,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_node_has_its_neighbours() {
        let graph = Graph {
            index: vec![2, 3, 4, 6],
            edges: vec![1, 3, 0, 3, 0, 2],
        };
        assert_eq!(
            (graph.neighbours(0), graph.neighbours(3)),
            (&[1, 3][..], &[0, 2][..])
        );
        assert_eq!((graph.fault(4), graph.fault(3).is_some()), (None, true));
        assert!(
            Graph {
                edges: vec![1, 3, 0, 3, 0, 4],
                ..graph
            }
            .fault(4)
            .is_some()
        );
    }

    #[test]
    fn distributed_edges_reach_both_ends() {
        let edges = [
            Edge {
                source: 0,
                destination: 1,
                weight: 5,
            },
            Edge {
                source: 1,
                destination: 1,
                weight: 7,
            },
        ];
        let own = Neighbourhood::of(1, &edges, true);
        assert_eq!((own.sources, own.destinations), (vec![0, 1], vec![1]));
        assert_eq!(own.weights, Some((vec![5, 7], vec![7])));
    }
}
