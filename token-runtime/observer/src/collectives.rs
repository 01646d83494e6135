//! Collectives: how many elements this rank sends and receives, of what, with whom.

use crate::observer::Observer;
use crate::passed_arguments::PassedArguments;
use crate::rows::{CallKind, ElementArguments, Row};
use base_data::program_data::{Call, CollectiveKind, Counts, Operand};

/// This rank in the communicator of a call.
#[derive(Clone, Copy)]
struct Member {
    rank: u32,
    size: u32,
    is_root: bool,
}

impl Observer {
    /// The recorded form of a collective, as far as its arguments determine it; `None` on an unknown
    /// communicator.
    pub fn collective(&mut self, passed: &PassedArguments, what: &CallKind) -> Option<Call> {
        let &CallKind::Collective {
            kind,
            communicator,
            root,
            reduce_op,
            send,
            receive,
            ..
        } = what
        else {
            return None;
        };
        let index = self.communicators.index(passed.handle(communicator))?;
        let root = root.map(|root| passed.int(root));
        let (rank, size) = self.communicators.rank_and_size(index);
        let member = Member {
            rank,
            size,
            is_root: root == Some(rank as i32),
        };
        let (send, receive) = significant(kind, member, send, receive);
        let in_place = send.is_some_and(|at| passed.is_in_place(at.buffer, &self.special));
        let (counts, receive_counts) = match (send.filter(|_| !in_place), receive) {
            (Some(sent), received) => {
                let differs = received.filter(|at| {
                    let is_another = at.count != sent.count && (at.per_rank || sent.per_rank);
                    is_another && !passed.is_in_place(at.buffer, &self.special)
                });
                (
                    self.counts(passed, sent, member),
                    differs.map(|at| self.counts(passed, at, member)),
                )
            }
            (None, Some(received)) => self.counts_in_place(kind, passed, received, member),
            (None, None) => (Counts::Same(Operand::Constant(0)), None),
        };
        let elements = send.filter(|_| !in_place).or(receive);
        Some(Call::Collective {
            kind,
            communicator: Operand::Constant(i64::from(index)),
            root: root.map(|root| Operand::Constant(i64::from(root))),
            counts,
            receive_counts,
            datatype: match elements {
                Some(at) => {
                    let handle = passed.handle(at.datatype);
                    self.datatypes
                        .index(&self.mpi, &mut self.stream, handle, passed.binding())
                }
                None => self.datatypes.of_bytes(&mut self.stream),
            },
            reduce_op: reduce_op.map(|at| {
                self.reduce_ops
                    .get(&self.mpi, passed.handle(at), passed.binding())
            }),
            request: None,
        })
    }

    fn counts(&mut self, passed: &PassedArguments, at: ElementArguments, member: Member) -> Counts {
        if !at.per_rank {
            return Counts::Same(Operand::Constant(i64::from(passed.int(at.count))));
        }
        let counts = (0..member.size as usize).map(|rank| passed.written(at.count, rank));
        let counts: Vec<u64> = counts
            .map(|count| u64::try_from(count).unwrap_or(0))
            .collect();
        Counts::PerRank(self.stream.count_list(&counts))
    }

    /// A rank whose data are where they arrive sends as many elements as it receives from itself.
    fn counts_in_place(
        &mut self,
        kind: CollectiveKind,
        passed: &PassedArguments,
        at: ElementArguments,
        member: Member,
    ) -> (Counts, Option<Counts>) {
        let received = self.counts(passed, at, member);
        if !at.per_rank
            || matches!(
                kind,
                CollectiveKind::Alltoall | CollectiveKind::ReduceScatter
            )
        {
            return (received, None);
        }
        let own = passed.written(at.count, member.rank as usize);
        (
            Counts::Same(Operand::Constant(i64::from(own))),
            Some(received),
        )
    }

    /// The call, now that it is over.
    pub fn communicated(
        &mut self,
        row: &Row,
        passed: &PassedArguments,
        mut call: Call,
        failed: bool,
    ) -> Call {
        if let (Call::Collective { request, .. }, CallKind::Collective { request: at, .. }) =
            (&mut call, row.what)
        {
            *request = self.started(passed, at, failed, false);
        }
        call
    }
}

/// The sides whose arguments mean something on this rank.
fn significant(
    kind: CollectiveKind,
    member: Member,
    send: Option<ElementArguments>,
    receive: Option<ElementArguments>,
) -> (Option<ElementArguments>, Option<ElementArguments>) {
    match kind {
        CollectiveKind::Gather => (send, receive.filter(|_| member.is_root)),
        CollectiveKind::Scatter => (send.filter(|_| member.is_root), receive),
        CollectiveKind::Barrier
        | CollectiveKind::Broadcast
        | CollectiveKind::Reduce
        | CollectiveKind::Allreduce
        | CollectiveKind::Allgather
        | CollectiveKind::Alltoall
        | CollectiveKind::ReduceScatter
        | CollectiveKind::Scan
        | CollectiveKind::ExclusiveScan => (send, receive),
    }
}
