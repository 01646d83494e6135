//! Communicator constructors in recordings: the members agree on a context for the messages of the new
//! communicator, and the leaders of two groups exchange their members.

use crate::process::Process;
use base_data::ids::RequestId;
use base_data::mpi::ReduceOp;
use base_data::program_data::{Call, CollectiveKind, Counts, Operand, Peer, Tag, Transfer};
use token_runtime::mpich::datatypes::{INT, INT64};

/// The exchange between the leaders of two groups, from the view of one of them.
pub struct LeaderPair {
    /// Index of the peer communicator of both leaders.
    pub peer: usize,
    /// Rank of the other among all members of it.
    pub other: u32,
    pub tag: i32,
    /// Sizes of both groups, whose members the leaders exchange.
    pub own_size: usize,
    pub remote_size: usize,
}

impl Process {
    /// All members of a communicator have agreed on a new one; this rank may be none of its.
    pub fn record_construction(&mut self, parent: usize, made: Option<usize>) {
        self.record(|stream| Call::MakeCommunicator {
            parent: stream.communicator(parent),
            made: made.map_or(Operand::Constant(-1), |made| stream.communicator(made)),
        });
    }

    /// The members of a communicator begin to agree on a copy of it: the request stands for the
    /// collective that an agreement is.
    pub fn record_started_construction(&mut self, parent: usize, request: u32) {
        let Ok(number) = self.datatype(INT64).cloned() else {
            return;
        };
        self.record(|stream| Call::Collective {
            kind: CollectiveKind::Allreduce,
            communicator: stream.communicator(parent),
            root: None,
            counts: Counts::Same(Operand::Constant(1)),
            receive_counts: None,
            datatype: stream.datatype_of(&number),
            reduce_op: Some(ReduceOp::BitAnd),
            request: Some(RequestId(request)),
        });
    }

    /// Records the construction of an intercommunicator: the leaders, for which the exchange is known, exchange the
    /// members of their groups, and each leader broadcasts them in its own group.
    pub fn record_leader_exchange(
        &mut self,
        local: usize,
        leader: u32,
        remote_size: usize,
        met: Option<&LeaderPair>,
    ) {
        let Ok(integer) = self.datatype(INT).cloned() else {
            return;
        };
        if let (Some(met), Some(stream)) = (met, &mut self.stream) {
            let peer = self.communicators[met.peer]
                .as_ref()
                .map(|peer| stream.separate(peer, met.peer));
            let datatype = stream.datatype_of(&integer);
            let transfer = |count: usize, communicator| Transfer {
                peer: Peer::Rank(Operand::Constant(met.other.into())),
                tag: Tag::Value(Operand::Constant(met.tag.into())),
                count: Operand::Constant(count as i64),
                datatype,
                communicator,
            };
            if let Some(peer) = peer {
                let (send, receive) = (
                    transfer(met.own_size, peer),
                    transfer(met.remote_size, peer),
                );
                self.record(|_| Call::SendReceive {
                    send,
                    receive,
                    observed: None,
                });
            }
        }
        self.record(|stream| Call::Collective {
            kind: CollectiveKind::Broadcast,
            communicator: stream.communicator(local),
            root: Some(Operand::Constant(leader.into())),
            counts: Counts::Same(Operand::Constant(remote_size as i64)),
            receive_counts: None,
            datatype: stream.datatype_of(&integer),
            reduce_op: None,
            request: None,
        });
    }
}
