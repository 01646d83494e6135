//! Graphs that all ranks know, and graphs of which each knows its own edges.

use super::{member, natural};
use crate::arguments::{Flag, Int, Ints, Out, OutWeights, Weights};
use crate::failure::{Failure, Outcome, wrong};
use crate::process::Process;
use token_runtime::kernel::communicator::Communicator;
use token_runtime::mpich::{UNDEFINED, class};
use token_runtime::topology::graph::Edge;
use token_runtime::topology::{Graph, Neighbourhood, Topology};

impl Process {
    fn graph(&self, comm: Int) -> Result<(usize, &Graph), Failure> {
        let index = self.communicator_index(comm.0)?;
        match &self.communicator(index).topology {
            Topology::Graph(graph) => Ok((index, graph)),
            Topology::None | Topology::Cartesian(_) | Topology::Distributed(_) => {
                wrong(class::TOPOLOGY, "the communicator has no graph topology")
            }
        }
    }

    fn neighbourhood(&self, comm: Int) -> Result<&Neighbourhood, Failure> {
        let index = self.communicator_index(comm.0)?;
        match &self.communicator(index).topology {
            Topology::Distributed(own) => Ok(own),
            Topology::None | Topology::Cartesian(_) | Topology::Graph(_) => wrong(
                class::TOPOLOGY,
                "the communicator has no distributed graph topology",
            ),
        }
    }
}

fn graph(
    process: &Process,
    parent: usize,
    nnodes: Int,
    index: Ints,
    edges: Ints,
) -> Result<Graph, Failure> {
    let count = natural(nnodes, "the number of nodes", class::ARG)?;
    let index: Vec<i32> = index.all(count).collect();
    let edge_count = natural(
        Int(index.last().copied().unwrap_or(0)),
        "the index of the last node",
        class::ARG,
    )?;
    let graph = Graph {
        index,
        edges: edges.all(edge_count).collect(),
    };
    match graph.fault(process.communicator(parent).size()) {
        Some(fault) => wrong(class::ARG, fault),
        None => Ok(graph),
    }
}

/// Ranks are not renumbered.
pub fn create(
    process: &mut Process,
    comm_old: Int,
    nnodes: Int,
    index: Ints,
    edges: Ints,
    _reorder: Flag,
    comm_graph: Out,
) -> Outcome {
    let parent = process.intracommunicator(comm_old)?;
    let graph = graph(process, parent, nnodes, index, edges)?;
    process.exchange(parent, &[])?;
    comm_graph.set(process.make_communicator(parent, |parent, sequence| {
        let ranks: Vec<u32> = (0..graph.index.len() as u32).collect();
        let made = parent.subset(sequence, &ranks)?;
        Some(Communicator {
            topology: Topology::Graph(graph),
            ..made
        })
    }));
    Ok(())
}

pub fn map(
    process: &mut Process,
    comm: Int,
    nnodes: Int,
    index: Ints,
    edges: Ints,
    newrank: Out,
) -> Outcome {
    let parent = process.intracommunicator(comm)?;
    let graph = graph(process, parent, nnodes, index, edges)?;
    let own = process.communicator(parent).rank;
    newrank.set(if (own as usize) < graph.index.len() {
        own as i32
    } else {
        UNDEFINED
    });
    Ok(())
}

pub fn sizes(process: &mut Process, comm: Int, nnodes: Out, nedges: Out) -> Outcome {
    let graph = process.graph(comm)?.1;
    nnodes.set(graph.index.len() as i32);
    nedges.set(graph.edges.len() as i32);
    Ok(())
}

pub fn get(
    process: &mut Process,
    comm: Int,
    maxindex: Int,
    maxedges: Int,
    index: Out,
    edges: Out,
) -> Outcome {
    let graph = process.graph(comm)?.1;
    put(&graph.index, maxindex, index)?;
    put(&graph.edges, maxedges, edges)
}

/// Writes as much of a list as the array has room for.
fn put(list: &[i32], room: Int, place: Out) -> Outcome {
    let room = natural(room, "the length of the array", class::ARG)?;
    list.iter()
        .take(room)
        .enumerate()
        .for_each(|(at, &value)| place.set_at(at, value));
    Ok(())
}

pub fn neighbour_count(process: &mut Process, comm: Int, rank: Int, nneighbors: Out) -> Outcome {
    let (index, graph) = process.graph(comm)?;
    nneighbors.set(graph.neighbours(member(process, index, rank)?).len() as i32);
    Ok(())
}

pub fn neighbours(
    process: &mut Process,
    comm: Int,
    rank: Int,
    maxneighbors: Int,
    neighbors: Out,
) -> Outcome {
    let (index, graph) = process.graph(comm)?;
    put(
        graph.neighbours(member(process, index, rank)?),
        maxneighbors,
        neighbors,
    )
}

/// Partners that are ranks of the communicator, or `MPI_PROC_NULL`.
fn partners(
    process: &Process,
    parent: usize,
    list: Ints,
    count: usize,
) -> Result<Vec<i32>, Failure> {
    list.all(count)
        .map(|rank| member(process, parent, Int(rank)).map(|rank| rank as i32))
        .collect()
}

fn weights(given: Weights, count: usize) -> Option<Vec<i32>> {
    match given {
        Weights::Unweighted => None,
        Weights::At(list) => Some(if count == 0 {
            Vec::new()
        } else {
            list.all(count).collect()
        }),
    }
}

/// The edges of the calling rank in one direction.
pub struct AdjacentEdges {
    pub degree: Int,
    pub neighbours: Ints,
    pub weights: Weights,
}

pub fn create_adjacent(
    process: &mut Process,
    comm_old: Int,
    incoming: AdjacentEdges,
    outgoing: AdjacentEdges,
    info: Int,
    _reorder: Flag,
    comm_dist_graph: Out,
) -> Outcome {
    let parent = process.intracommunicator(comm_old)?;
    process.info(info.0)?;
    let indegree = natural(incoming.degree, "the number of sources", class::ARG)?;
    let outdegree = natural(outgoing.degree, "the number of destinations", class::ARG)?;
    let source_weights = weights(incoming.weights, indegree);
    let destination_weights = weights(outgoing.weights, outdegree);
    if source_weights.is_some() != destination_weights.is_some() {
        return wrong(
            class::TOPOLOGY,
            "either both lists of weights are MPI_UNWEIGHTED, or none",
        );
    }
    let own = Neighbourhood {
        sources: partners(process, parent, incoming.neighbours, indegree)?,
        destinations: partners(process, parent, outgoing.neighbours, outdegree)?,
        weights: source_weights.zip(destination_weights),
    };
    process.exchange(parent, &[])?;
    comm_dist_graph.set(make(process, parent, own));
    Ok(())
}

/// The edges that one rank contributes to a distributed graph: `degrees[i]` edges begin at `sources[i]`.
pub struct ContributedEdges {
    pub n: Int,
    pub sources: Ints,
    pub degrees: Ints,
    pub destinations: Ints,
    pub weights: Weights,
}

/// Each rank contributes any edges of the graph; those that begin or end at a rank are collected there.
pub fn create_distributed(
    process: &mut Process,
    comm_old: Int,
    contributed: ContributedEdges,
    info: Int,
    _reorder: Flag,
    comm_dist_graph: Out,
) -> Outcome {
    let parent = process.intracommunicator(comm_old)?;
    process.info(info.0)?;
    let nodes = natural(contributed.n, "the number of sources", class::ARG)?;
    let sources = partners(process, parent, contributed.sources, nodes)?;
    let mut degrees = Vec::with_capacity(nodes);
    for degree in contributed.degrees.all(nodes) {
        degrees.push(natural(Int(degree), "a degree", class::ARG)?);
    }
    let edge_count = degrees.iter().sum();
    let destinations = partners(process, parent, contributed.destinations, edge_count)?;
    let weights = weights(contributed.weights, edge_count);
    // Three words for each edge: source, destination, weight.
    let mut words: Vec<i64> = Vec::with_capacity(3 * edge_count);
    let mut edge = 0;
    for (&source, &degree) in sources.iter().zip(&degrees) {
        for _ in 0..degree {
            let weight = match &weights {
                Some(weights) => weights[edge],
                None => 0,
            };
            words.extend([source, destinations[edge], weight].map(i64::from));
            edge += 1;
        }
    }
    let mut edges: Vec<Edge> = Vec::new();
    for words in process.exchange(parent, &words)? {
        edges.extend(edges_of(&words));
    }
    let own = Neighbourhood::of(process.communicator(parent).rank, &edges, weights.is_some());
    comm_dist_graph.set(make(process, parent, own));
    Ok(())
}

fn edges_of(words: &[i64]) -> impl Iterator<Item = Edge> {
    words.chunks_exact(3).map(|edge| Edge {
        source: edge[0] as i32,
        destination: edge[1] as i32,
        weight: edge[2] as i32,
    })
}

fn make(process: &mut Process, parent: usize, own: Neighbourhood) -> i32 {
    process.make_communicator(parent, |parent, sequence| {
        let ranks: Vec<u32> = (0..parent.size()).collect();
        let made = parent.subset(sequence, &ranks)?;
        Some(Communicator {
            topology: Topology::Distributed(own),
            ..made
        })
    })
}

pub fn own_counts(
    process: &mut Process,
    comm: Int,
    indegree: Out,
    outdegree: Out,
    weighted: Out,
) -> Outcome {
    let own = process.neighbourhood(comm)?;
    indegree.set(own.sources.len() as i32);
    outdegree.set(own.destinations.len() as i32);
    weighted.set(own.weights.is_some().into());
    Ok(())
}

/// Places for the neighbours in one direction.
pub struct NeighbourPlaces {
    /// Number of neighbours that both arrays can take.
    pub room: Int,
    pub neighbours: Out,
    /// No place if the program passes `MPI_UNWEIGHTED`.
    pub weights: OutWeights,
}

pub fn own_neighbours(
    process: &mut Process,
    comm: Int,
    incoming: NeighbourPlaces,
    outgoing: NeighbourPlaces,
) -> Outcome {
    let own = process.neighbourhood(comm)?;
    put(&own.sources, incoming.room, incoming.neighbours)?;
    put(&own.destinations, outgoing.room, outgoing.neighbours)?;
    let Some((source_weights, destination_weights)) = &own.weights else {
        return Ok(());
    };
    if let Some(place) = incoming.weights.0 {
        put(source_weights, incoming.room, place)?;
    }
    if let Some(place) = outgoing.weights.0 {
        put(destination_weights, outgoing.room, place)?;
    }
    Ok(())
}
