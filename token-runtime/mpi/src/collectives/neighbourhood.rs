//! Plans of neighbourhood collectives: each rank exchanges data with its neighbours in the
//! communicator's topology, and waits for none but those it receives from.

use super::buffer_segments::{BufferSegment, BufferSegments};
use super::plan::{Dependency, Incoming, IncomingPiece, Outgoing, PieceSelector, Plan, Planned};
use super::recording::{Edge, RecordedAs, Transfers};
use crate::arguments::{Aints, Blocks, Data, Int, TypedBlocks};
use crate::failure::{Failure, wrong};
use crate::process::Process;
use std::rc::Rc;
use token_runtime::mpich::class;
use token_runtime::topology::Topology;

/// The edges of a rank's neighbourhood.
struct Edges {
    communicator: usize,
    /// Ranks it receives from, in order; negative beyond the edge of a grid.
    sources: Vec<i32>,
    destinations: Vec<i32>,
    is_grid: bool,
    rank: u32,
}

/// The rank of a neighbour; `None` beyond the edge of a grid that is not periodic.
fn neighbour(rank: i32) -> Option<u32> {
    u32::try_from(rank).ok()
}

impl Edges {
    fn of(process: &Process, comm: Int) -> Result<Self, Failure> {
        let index = process.communicator_index(comm.0)?;
        let communicator = process.communicator(index);
        match communicator.neighbours() {
            Some((sources, destinations)) => Ok(Self {
                communicator: index,
                sources,
                destinations,
                is_grid: matches!(communicator.topology, Topology::Cartesian(_)),
                rank: communicator.rank,
            }),
            None => wrong(class::TOPOLOGY, "the communicator has no topology"),
        }
    }

    fn indegree(&self) -> u32 {
        self.sources.len() as u32
    }

    fn outdegree(&self) -> u32 {
        self.destinations.len() as u32
    }

    fn plan(
        &self,
        outgoing: Outgoing,
        into: BufferSegments,
        piece: impl Fn(usize, u32) -> PieceSelector,
    ) -> Plan {
        let sources: Vec<(usize, u32)> = (0..)
            .zip(&self.sources)
            .filter_map(|(segment, &source)| Some((segment, neighbour(source)?)))
            .collect();
        let incoming = sources.iter().map(|&(segment, member)| IncomingPiece {
            member,
            piece: piece(segment, member),
            segment: segment as u64,
        });
        let recorded = Some(RecordedAs::Transfers(Rc::new(
            self.transfers(&outgoing, &into),
        )));
        Plan {
            recorded,
            outgoing: Some(outgoing),
            readers: self
                .destinations
                .iter()
                .filter_map(|&rank| neighbour(rank))
                .count() as u64,
            incoming: Incoming::Listed(incoming.collect()),
            dependencies: Dependency::Members(sources.iter().map(|&(_, source)| source).collect()),
            into: Some(into),
            ..Plan::nothing(self.communicator)
        }
    }

    /// What it exchanges with whom. A piece and where it goes have the same number.
    fn transfers(&self, outgoing: &Outgoing, into: &BufferSegments) -> Transfers {
        let edges = |neighbours: &[i32], segment: &dyn Fn(usize) -> BufferSegment, turned: u32| {
            let edge = |(at, &rank): (usize, &i32)| {
                let (
                    partner,
                    BufferSegment {
                        count, datatype, ..
                    },
                ) = (neighbour(rank)?, segment(at));
                let earlier = neighbours[..at]
                    .iter()
                    .filter(|&&other| other == rank)
                    .count() as u32;
                let number = if self.is_grid {
                    at as u32 ^ turned
                } else {
                    earlier
                };
                Some(Edge {
                    partner,
                    number,
                    count,
                    datatype,
                })
            };
            neighbours.iter().enumerate().filter_map(edge).collect()
        };
        let piece = |at: usize| {
            outgoing
                .segments
                .get(if outgoing.pieces == 1 { 0 } else { at as u64 })
        };
        Transfers {
            receives: edges(&self.sources, &|at| into.get(at as u64), 1),
            sends: edges(&self.destinations, &piece, 0),
        }
    }

    /// Each neighbour gets the same.
    fn gathered(&self, own: BufferSegment, into: BufferSegments) -> Plan {
        self.plan(Outgoing::one(own), into, |_, _| PieceSelector::Number(0))
    }

    /// Each neighbour gets a piece of its own. Where two ranks are neighbours more than once, the edges
    /// match in their order; in a grid, what goes to one side comes from the other.
    fn exchanged(&self, from: BufferSegments, into: BufferSegments) -> Plan {
        let labels = self
            .destinations
            .iter()
            .map(|&rank| neighbour(rank).map_or(u64::MAX, u64::from));
        let outgoing = Outgoing {
            segments: from,
            pieces: self.outdegree(),
            labels: Some(labels.collect()),
        };
        self.plan(outgoing, into, |segment, source| {
            if self.is_grid {
                return PieceSelector::Number(segment as u64 ^ 1);
            }
            let earlier = self.sources[..segment]
                .iter()
                .filter(|&&other| neighbour(other) == Some(source));
            PieceSelector::Labelled {
                label: self.rank.into(),
                nth: earlier.count() as u64,
            }
        })
    }
}

pub fn allgather(process: &Process, send: Data, receive: Data, comm: Int) -> Planned {
    let own = BufferSegment::new(process, send)?;
    let into = BufferSegments::Same(BufferSegment::new(process, receive)?);
    Ok(Edges::of(process, comm)?.gathered(own, into))
}

pub fn allgatherv(process: &Process, send: Data, receive: Blocks, comm: Int) -> Planned {
    let edges = Edges::of(process, comm)?;
    let own = BufferSegment::new(process, send)?;
    let into = BufferSegments::listed(process, edges.indegree(), receive)?;
    Ok(edges.gathered(own, into))
}

pub fn alltoall(process: &Process, send: Data, receive: Data, comm: Int) -> Planned {
    let from = BufferSegments::Same(BufferSegment::new(process, send)?);
    let into = BufferSegments::Same(BufferSegment::new(process, receive)?);
    Ok(Edges::of(process, comm)?.exchanged(from, into))
}

pub fn alltoallv(process: &Process, send: Blocks, receive: Blocks, comm: Int) -> Planned {
    let edges = Edges::of(process, comm)?;
    let from = BufferSegments::listed(process, edges.outdegree(), send)?;
    let into = BufferSegments::listed(process, edges.indegree(), receive)?;
    Ok(edges.exchanged(from, into))
}

pub fn alltoallw(
    process: &Process,
    send: TypedBlocks<Aints>,
    receive: TypedBlocks<Aints>,
    comm: Int,
) -> Planned {
    let edges = Edges::of(process, comm)?;
    let from = BufferSegments::typed(process, edges.outdegree(), send)?;
    let into = BufferSegments::typed(process, edges.indegree(), receive)?;
    Ok(edges.exchanged(from, into))
}
