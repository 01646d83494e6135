//! Collectives in recordings: the numbers of elements that this rank sends and receives, and their datatypes. A
//! neighbourhood collective is recorded as its transfers.

use super::buffer_segments::BufferSegments;
use super::members::{Members, Role};
use crate::datatypes::Type;
use crate::emulation::TimedOperation;
use crate::event_stream::RankEventStream;
use crate::failure::{Failure, Outcome};
use crate::process::Process;
use base_data::emulation::{self, Operation};
use base_data::ids::RequestId;
use base_data::mpi::ReduceOp;
use base_data::program_data::{
    Call, CollectiveKind, Completion, Counts, Operand, Peer, SendMode, Tag, Transfer,
};
use std::rc::Rc;
use token_runtime::termination::Termination;

/// Recorded form of a call.
#[derive(Clone)]
pub enum RecordedAs {
    /// A collective of all members.
    Collective(RecordedCollective),
    /// Transfers with some of them.
    Transfers(Rc<Transfers>),
}

/// The transfers of a neighbourhood collective.
pub struct Transfers {
    pub receives: Vec<Edge>,
    pub sends: Vec<Edge>,
}

/// A transfer with a neighbour.
pub struct Edge {
    /// Rank of the communicator.
    pub partner: u32,
    /// The same for what is sent and received, different for all between the same two ranks.
    pub number: u32,
    pub count: u64,
    pub datatype: Rc<Type>,
}

/// All of it but the communicator.
#[derive(Clone)]
pub struct RecordedCollective {
    pub kind: CollectiveKind,
    /// Rank of the communicator.
    pub root: Option<u32>,
    pub sent: RecordedCounts,
    /// Where it may differ from what is sent.
    pub received: Option<RecordedCounts>,
    pub datatype: Rc<Type>,
    pub reduce_op: Option<ReduceOp>,
}

/// Element counts of a recorded collective.
#[derive(Clone)]
pub enum RecordedCounts {
    Same(u64),
    /// One for each rank.
    Each(Vec<u64>),
}

impl RecordedCounts {
    /// The count of a rank.
    fn of(&self, rank: usize) -> u64 {
        match self {
            RecordedCounts::Same(count) => *count,
            RecordedCounts::Each(counts) => counts[rank],
        }
    }

    fn timed(&self) -> emulation::ElementCounts {
        match self {
            RecordedCounts::Same(count) => emulation::ElementCounts::Same(*count),
            RecordedCounts::Each(counts) => emulation::ElementCounts::Each(counts.clone()),
        }
    }

    fn counts(&self, stream: &mut RankEventStream) -> Counts {
        match self {
            RecordedCounts::Same(count) => Counts::Same(Operand::Constant(*count as i64)),
            RecordedCounts::Each(counts) => Counts::PerRank(stream.recorder.count_list(counts)),
        }
    }
}

impl RecordedCollective {
    /// What is recorded of a call that moves data of one type; `None` if each partner has its own.
    pub fn moved(
        kind: CollectiveKind,
        sent: RecordedCounts,
        segments: &BufferSegments,
    ) -> Option<Self> {
        let datatype = segments.datatype()?.clone();
        Some(Self {
            kind,
            root: None,
            sent,
            received: None,
            datatype,
            reduce_op: None,
        })
    }

    /// Its form. On an intercommunicator, which recordings know as one group, each rank exchanges its data
    /// with each partner whose data it needs.
    pub fn recorded_as(self, members: &Members, role: Option<Role>) -> RecordedAs {
        let root = role.and_then(|role| role.root);
        match members.is_inter && self.kind != CollectiveKind::Barrier {
            true => RecordedAs::Transfers(Rc::new(self.between_groups(members, role))),
            false => RecordedAs::Collective(Self { root, ..self }),
        }
    }

    fn between_groups(&self, members: &Members, role: Option<Role>) -> Transfers {
        let is_root = role.is_some_and(|role| role.is_root);
        let (sends, receives) = match self.kind {
            CollectiveKind::Broadcast | CollectiveKind::Scatter => (is_root, !is_root),
            CollectiveKind::Gather | CollectiveKind::Reduce => (!is_root, is_root),
            CollectiveKind::Barrier
            | CollectiveKind::Allreduce
            | CollectiveKind::Allgather
            | CollectiveKind::Alltoall
            | CollectiveKind::ReduceScatter
            | CollectiveKind::Scan
            | CollectiveKind::ExclusiveScan => (true, true),
        };
        let partners: Vec<u32> = match role.and_then(|role| role.root).filter(|_| !is_root) {
            Some(root) => vec![root],
            None => (0..members.partners)
                .map(|rank| members.partner(rank))
                .collect(),
        };
        let edges = |takes_part: bool, elements: &RecordedCounts| {
            let edge = |(at, &partner)| {
                let (count, datatype) = (elements.of(at), self.datatype.clone());
                Edge {
                    partner,
                    number: 0,
                    count,
                    datatype,
                }
            };
            partners
                .iter()
                .enumerate()
                .filter(|_| takes_part)
                .map(edge)
                .collect()
        };
        let [sent, received] = match self.kind == CollectiveKind::ReduceScatter {
            true => self.evenly_scattered(members),
            false => [
                self.sent.clone(),
                self.received.as_ref().unwrap_or(&self.sent).clone(),
            ],
        };
        Transfers {
            receives: edges(receives, &received),
            sends: edges(sends, &sent),
        }
    }

    /// What goes to each partner of a reduction that is scattered, and comes from each: how much of it each
    /// rank of the other group gets is known there only, and taken as equal.
    fn evenly_scattered(&self, members: &Members) -> [RecordedCounts; 2] {
        let total: u64 = (0..members.size as usize)
            .map(|rank| self.sent.of(rank))
            .sum();
        [members.partners, members.size]
            .map(|ranks| RecordedCounts::Same(total.div_ceil(ranks.into())))
    }

    fn call(
        &self,
        stream: &mut RankEventStream,
        communicator: usize,
        request: Option<u32>,
    ) -> Call {
        Call::Collective {
            kind: self.kind,
            communicator: stream.communicator(communicator),
            root: self.root.map(|root| Operand::Constant(i64::from(root))),
            counts: self.sent.counts(stream),
            receive_counts: self
                .received
                .as_ref()
                .map(|received| received.counts(stream)),
            datatype: stream.datatype_of(&self.datatype),
            reduce_op: self.reduce_op,
            request: request.map(RequestId),
        }
    }
}

impl RecordedAs {
    /// A rank that has no part in the call.
    pub fn nothing() -> Self {
        RecordedAs::Transfers(Rc::new(Transfers {
            receives: Vec::new(),
            sends: Vec::new(),
        }))
    }
}

impl Transfers {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.receives.len() + self.sends.len()
    }
}

impl Edge {
    fn transfer(&self, stream: &mut RankEventStream, communicator: Operand) -> Transfer {
        Transfer {
            peer: Peer::Rank(Operand::Constant(self.partner.into())),
            tag: Tag::Value(Operand::Constant(self.number.into())),
            count: Operand::Constant(self.count as i64),
            datatype: stream.datatype_of(&self.datatype),
            communicator,
        }
    }
}

impl Process {
    /// Records a blocking collective on a communicator, in mode `record`.
    pub fn record_collective(
        &mut self,
        communicator: usize,
        recorded_as: Option<&RecordedAs>,
    ) -> Outcome {
        if self.stream.is_none() {
            return Ok(());
        }
        match recorded_as {
            None => return Err(not_recordable()),
            Some(RecordedAs::Collective(recorded)) => {
                self.record(|stream| recorded.call(stream, communicator, None));
            }
            Some(RecordedAs::Transfers(transfers)) => {
                let parts: Vec<RequestId> = (0..transfers.len())
                    .map(|_| self.add_part_request())
                    .collect();
                self.record_transfers(communicator, transfers, &parts);
                self.record_wait(&parts);
                self.free_parts(&parts);
            }
        }
        Ok(())
    }

    /// Records a collective that is started, as this request.
    pub fn record_started(
        &mut self,
        communicator: usize,
        recorded_as: Option<&RecordedAs>,
        request: u32,
    ) -> Outcome {
        if let (Some(RecordedAs::Transfers(transfers)), Some(_)) = (recorded_as, &self.stream) {
            self.make_composite(request, transfers.len());
        }
        self.record_started_again(communicator, recorded_as, request)
    }

    /// The same of a persistent request, which is divided already.
    pub fn record_started_again(
        &mut self,
        communicator: usize,
        recorded_as: Option<&RecordedAs>,
        request: u32,
    ) -> Outcome {
        let Some(stream) = &mut self.stream else {
            return Ok(());
        };
        match recorded_as {
            None => return Err(not_recordable()),
            Some(RecordedAs::Collective(recorded)) => {
                stream.composite.renew(request);
                self.record(|stream| recorded.call(stream, communicator, Some(request)));
            }
            Some(RecordedAs::Transfers(transfers)) => {
                stream.composite.renew(request);
                let parts = stream.composite.parts(request);
                self.record_transfers(communicator, transfers, &parts);
            }
        }
        Ok(())
    }

    /// Receives are posted first, as MPI libraries do.
    fn record_transfers(
        &mut self,
        communicator: usize,
        transfers: &Transfers,
        parts: &[RequestId],
    ) {
        let (Some(stream), Some(members)) = (&mut self.stream, &self.communicators[communicator])
        else {
            return;
        };
        let separate = stream.separate(members, communicator);
        let (receives, sends) = parts.split_at(transfers.receives.len());
        for (edge, &part) in transfers.receives.iter().zip(receives) {
            self.record(|stream| Call::Receive {
                transfer: edge.transfer(stream, separate),
                request: Some(part),
                observed: None,
            });
        }
        for (edge, &part) in transfers.sends.iter().zip(sends) {
            self.record(|stream| Call::Send {
                mode: SendMode::Standard,
                transfer: edge.transfer(stream, separate),
                request: Some(part),
            });
        }
    }

    fn record_wait(&mut self, requests: &[RequestId]) {
        if !requests.is_empty() {
            let (requests, nothing) = (requests.to_vec(), Vec::new());
            let completion = Completion::All;
            self.record(|_| Call::Wait {
                completion,
                requests,
                completed: nothing,
                observed: Vec::new(),
            });
        }
    }
}

/// A call as the engine of an emulation costs it.
pub fn timed_operation(recorded: Option<&RecordedAs>) -> Result<TimedOperation, Failure> {
    match recorded {
        None => Err(not_recordable()),
        Some(RecordedAs::Collective(recorded)) => Ok(TimedOperation::All(Operation::Data {
            kind: recorded.kind,
            root: recorded.root,
            sent: recorded.sent.timed(),
            received: recorded.received.as_ref().map(RecordedCounts::timed),
            datatype: recorded.datatype.canonical(),
            reduce_op: recorded.reduce_op,
        })),
        Some(RecordedAs::Transfers(transfers)) => {
            let edges = |edges: &[Edge]| {
                let mut timed = Vec::new();
                for edge in edges {
                    let bytes = edge.datatype.bytes(edge.count);
                    timed.push((edge.partner, edge.number, bytes));
                }
                timed
            };
            Ok(TimedOperation::Transfers {
                receives: edges(&transfers.receives),
                sends: edges(&transfers.sends),
            })
        }
    }
}

/// The call has no form in recordings.
pub fn not_recordable() -> Failure {
    Failure::Fatal(Termination::Failure(
        "cannot be recorded: recordings have no form for it".into(),
    ))
}
