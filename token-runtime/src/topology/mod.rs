//! Virtual topologies: what a communicator knows of the neighbours of its ranks. Grids (`cartesian`),
//! graphs that every rank knows in full and graphs of which each rank knows its own edges (`graph`),
//! balanced grids (`dimensions`).
//!
//! The package `mpi` makes the communicator that has a topology.

pub mod cartesian;
pub mod dimensions;
pub mod graph;

pub use cartesian::Cartesian;
pub use graph::{Graph, Neighbourhood};

/// The topology of a communicator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Topology {
    /// It has none.
    #[default]
    None,
    /// A grid.
    Cartesian(Cartesian),
    /// A graph that all ranks know.
    Graph(Graph),
    /// A graph of which each rank knows its own edges.
    Distributed(Neighbourhood),
}

/// The partner beyond an edge of a grid that is not periodic, `MPI_PROC_NULL`.
pub const NO_NEIGHBOUR: i32 = -1;

impl Topology {
    /// Ranks that `rank` receives from and sends to in neighbourhood collectives, in the order of the
    /// standard: for a grid the two of each dimension, [`NO_NEIGHBOUR`] beyond its edges. `None` without a topology.
    pub fn neighbours(&self, rank: u32) -> Option<(Vec<i32>, Vec<i32>)> {
        match self {
            Self::None => None,
            Self::Cartesian(grid) => {
                let all = grid.neighbours(rank);
                Some((all.clone(), all))
            }
            Self::Graph(graph) => {
                let all = graph.neighbours(rank).to_vec();
                Some((all.clone(), all))
            }
            Self::Distributed(own) => Some((own.sources.clone(), own.destinations.clone())),
        }
    }
}
