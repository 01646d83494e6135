//! What a network model is made of: one fit for each kind of link in use, and the shape of the network. A platform makes
//! these values, models read them.

use base_data::comm_data::ModelFit;
use base_data::platform_file::Topology;

/// The fits of one model for the kinds of links that some ranks use.
#[derive(Clone, Debug)]
pub struct LinkFits<'a> {
    /// Messages of a rank to itself; `None` means that they take no time.
    pub to_self: Option<&'a ModelFit>,
    /// Messages inside a node; `None` where no two ranks share one.
    pub inside_node: Option<&'a ModelFit>,
    /// Messages between nodes; `None` where all ranks are on one node.
    pub between_nodes: Option<&'a ModelFit>,
    /// What was put in place of what is missing, as sentences.
    pub warnings: Vec<String>,
    /// How the nodes are connected.
    pub shape: NetworkShape,
}

/// Nodes, and how they are connected.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkShape {
    /// Topology.
    pub topology: Topology,
    /// Number of nodes.
    pub nodes: u32,
    /// PUs of each node, numbered in a row.
    pub ranks_per_node: u32,
}
