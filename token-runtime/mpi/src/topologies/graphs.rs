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

/// Partners that are ranks of the communicator, or nobody.
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

#[allow(clippy::too_many_arguments)]
pub fn create_adjacent(
    process: &mut Process,
    comm_old: Int,
    indegree: Int,
    sources: Ints,
    sourceweights: Weights,
    outdegree: Int,
    destinations: Ints,
    destweights: Weights,
    info: Int,
    _reorder: Flag,
    comm_dist_graph: Out,
) -> Outcome {
    let parent = process.intracommunicator(comm_old)?;
    process.info(info.0)?;
    let (inward, outward) = (
        natural(indegree, "the number of sources", class::ARG)?,
        natural(outdegree, "the number of destinations", class::ARG)?,
    );
    let weights = (
        weights(sourceweights, inward),
        weights(destweights, outward),
    );
    if weights.0.is_some() != weights.1.is_some() {
        return wrong(
            class::TOPOLOGY,
            "either both lists of weights are MPI_UNWEIGHTED, or none",
        );
    }
    let own = Neighbourhood {
        sources: partners(process, parent, sources, inward)?,
        destinations: partners(process, parent, destinations, outward)?,
        weights: weights.0.zip(weights.1),
    };
    process.exchange(parent, &[])?;
    comm_dist_graph.set(make(process, parent, own));
    Ok(())
}

/// Each rank names any edges; those that begin or end at a rank are put together there.
#[allow(clippy::too_many_arguments)]
pub fn create_distributed(
    process: &mut Process,
    comm_old: Int,
    n: Int,
    sources: Ints,
    degrees: Ints,
    destinations: Ints,
    given: Weights,
    info: Int,
    _reorder: Flag,
    comm_dist_graph: Out,
) -> Outcome {
    let parent = process.intracommunicator(comm_old)?;
    process.info(info.0)?;
    let nodes = natural(n, "the number of sources", class::ARG)?;
    let sources = partners(process, parent, sources, nodes)?;
    let degrees = degrees
        .all(nodes)
        .map(|degree| natural(Int(degree), "a degree", class::ARG));
    let degrees = degrees.collect::<Result<Vec<usize>, Failure>>()?;
    let destinations = partners(process, parent, destinations, degrees.iter().sum())?;
    let weights = weights(given, destinations.len());
    let begin = sources
        .iter()
        .zip(&degrees)
        .flat_map(|(&source, &degree)| std::iter::repeat_n(source, degree));
    let weight = |at: usize| weights.as_ref().map_or(0, |weights| weights[at]);
    let named = begin.zip(&destinations).enumerate();
    let words: Vec<i64> = named
        .flat_map(|(at, (source, &end))| [source, end, weight(at)].map(i64::from))
        .collect();
    let edges: Vec<Edge> = process
        .exchange(parent, &words)?
        .iter()
        .flat_map(|words| edges(words))
        .collect();
    let own = Neighbourhood::of(process.communicator(parent).rank, &edges, weights.is_some());
    comm_dist_graph.set(make(process, parent, own));
    Ok(())
}

fn edges(words: &[i64]) -> impl Iterator<Item = Edge> {
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

/// Weights are asked for unless the program passes `MPI_UNWEIGHTED`.
#[allow(clippy::too_many_arguments)]
pub fn own_neighbours(
    process: &mut Process,
    comm: Int,
    maxindegree: Int,
    sources: Out,
    sourceweights: OutWeights,
    maxoutdegree: Int,
    destinations: Out,
    destweights: OutWeights,
) -> Outcome {
    let own = process.neighbourhood(comm)?;
    put(&own.sources, maxindegree, sources)?;
    put(&own.destinations, maxoutdegree, destinations)?;
    let Some((inward, outward)) = &own.weights else {
        return Ok(());
    };
    let places = [
        (inward, maxindegree, sourceweights),
        (outward, maxoutdegree, destweights),
    ];
    places
        .into_iter()
        .try_for_each(|(list, room, place)| match place.0 {
            Some(place) => put(list, room, place),
            None => Ok(()),
        })
}
