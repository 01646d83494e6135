//! Edges of a graph with numbered nodes, as a sorted list of pairs: it takes less memory and time to build than a list per node.

/// A node, and a node that depends on it.
pub(crate) type Edge = (usize, usize);

/// The nodes that depend on a node, by edges in ascending order.
pub(crate) fn dependents(edges: &[Edge], node: usize) -> impl Iterator<Item = usize> + '_ {
    let first = edges.partition_point(|&(operand, _)| operand < node);
    edges[first..]
        .iter()
        .take_while(move |&&(operand, _)| operand == node)
        .map(|&(_, dependent)| dependent)
}
