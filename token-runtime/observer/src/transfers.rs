//! Sends, receives and probes: what they ask for, and what wildcards among them got.

use crate::calls::Before;
use crate::observer::Observer;
use crate::passed_arguments::PassedArguments;
use crate::requests::Active;
use crate::rows::{CallKind, Row, TransferArguments};
use base_data::ids::RequestId;
use base_data::mpi::ReduceOp;
use base_data::program_data::{Call, ObservedMatch, Operand, Peer, Tag, Transfer};

/// Whether source or tag of the message are known only after the receive.
pub fn is_wildcard(transfer: &Transfer) -> bool {
    transfer.peer != Peer::Null && (transfer.peer == Peer::Any || transfer.tag == Tag::Any)
}

/// The message that a call without wildcards receives; `None` for `MPI_PROC_NULL`.
fn requested_match(transfer: &Transfer) -> Option<ObservedMatch> {
    match (transfer.peer, transfer.tag) {
        (Peer::Rank(Operand::Constant(source)), Tag::Value(Operand::Constant(tag))) => {
            Some(ObservedMatch { source, tag })
        }
        _ => None,
    }
}

/// Whether a call with the same arguments is the same entry: not if it depends on what wildcards got,
/// or on an operation of the program's own, whose handle may come to mean another.
pub fn is_repeatable(call: &Call) -> bool {
    match call {
        Call::Receive { transfer, .. }
        | Call::SendReceive {
            receive: transfer, ..
        } => !is_wildcard(transfer),
        Call::Collective { reduce_op, .. } => !matches!(reduce_op, Some(ReduceOp::User { .. })),
        Call::Send { .. } => true,
        Call::Init
        | Call::Finalize
        | Call::Abort
        | Call::Wait { .. }
        | Call::Test { .. }
        | Call::Probe { .. }
        | Call::MakePersistent { .. }
        | Call::StartPersistent { .. }
        | Call::MakeCommunicator { .. } => false,
    }
}

impl Observer {
    /// One direction of a call; `None` on a communicator that is not known.
    #[inline]
    pub fn transfer(
        &mut self,
        passed: &PassedArguments,
        at: &TransferArguments,
    ) -> Option<Transfer> {
        let datatype = passed.handle(at.datatype);
        Some(Transfer {
            peer: self.peer(passed.int(at.peer)),
            tag: self.tag(passed.int(at.tag)),
            count: Operand::Constant(i64::from(passed.int(at.count))),
            communicator: self.communicator(passed, at.communicator)?,
            datatype: self
                .datatypes
                .index(&self.mpi, &mut self.stream, datatype, passed.binding()),
        })
    }

    #[inline]
    pub fn communicator(&mut self, passed: &PassedArguments, at: usize) -> Option<Operand> {
        let index = self.communicators.index(passed.handle(at))?;
        Some(Operand::Constant(i64::from(index)))
    }

    #[inline]
    fn peer(&self, rank: i32) -> Peer {
        match rank {
            rank if rank == self.numbers.proc_null => Peer::Null,
            rank if rank == self.numbers.any_source => Peer::Any,
            rank => Peer::Rank(Operand::Constant(i64::from(rank))),
        }
    }

    #[inline]
    fn tag(&self, tag: i32) -> Tag {
        match tag {
            tag if tag == self.numbers.any_tag => Tag::Any,
            tag => Tag::Value(Operand::Constant(i64::from(tag))),
        }
    }

    /// A receive; a blocking one with a wildcard needs a status.
    pub fn receive(
        &mut self,
        passed: &mut PassedArguments,
        at: &TransferArguments,
        status: Option<usize>,
    ) -> Option<Before> {
        let transfer = self.transfer(passed, at)?;
        if let Some(status) = status.filter(|_| is_wildcard(&transfer)) {
            self.need_statuses(passed, status, 1);
        }
        Some(Before::Transfer(transfer))
    }

    /// Both directions of an exchange.
    pub fn exchange(
        &mut self,
        passed: &mut PassedArguments,
        send: &TransferArguments,
        receive: &TransferArguments,
        status: usize,
    ) -> Option<Before> {
        let (send, receive) = (
            self.transfer(passed, send)?,
            self.transfer(passed, receive)?,
        );
        if is_wildcard(&receive) {
            self.need_statuses(passed, status, 1);
        }
        Some(Before::Exchange { send, receive })
    }

    /// A probe asks for a message of any length.
    pub fn probe(
        &mut self,
        passed: &mut PassedArguments,
        (peer, tag, communicator): (usize, usize, usize),
        status: usize,
    ) -> Option<Before> {
        let transfer = Transfer {
            peer: self.peer(passed.int(peer)),
            tag: self.tag(passed.int(tag)),
            count: Operand::Constant(0),
            communicator: self.communicator(passed, communicator)?,
            datatype: self.datatypes.of_bytes(&mut self.stream),
        };
        if is_wildcard(&transfer) {
            self.need_statuses(passed, status, 1);
        }
        Some(Before::Transfer(transfer))
    }

    /// Passes room for statuses on if the program ignores them.
    pub fn need_statuses(&mut self, passed: &mut PassedArguments, at: usize, count: usize) {
        if !passed.ignores_status(at, &self.special) {
            return;
        }
        let words = (count * self.mpi.family.status().bytes).div_ceil(size_of::<u64>());
        self.statuses.clear();
        self.statuses.resize(words, 0);
        // SAFETY: the list has room for so many statuses and is left alone until the call is over.
        unsafe { passed.replace(at, self.statuses.as_mut_ptr().expose_provenance()) };
    }

    /// What status `index` of an argument says.
    pub fn observed(
        &self,
        passed: &PassedArguments,
        at: usize,
        index: usize,
    ) -> Option<ObservedMatch> {
        let (source, tag) = passed.status(at, index, &self.special)?;
        Some(ObservedMatch {
            source: i64::from(source),
            tag: i64::from(tag),
        })
    }

    /// The call of a function with one direction, now that it is over.
    pub fn transferred(
        &mut self,
        row: &Row,
        passed: &PassedArguments,
        transfer: Transfer,
        failed: bool,
    ) -> Call {
        let wildcard = is_wildcard(&transfer);
        match row.what {
            CallKind::Send { mode, request, .. } => {
                let request = self.started(passed, request, failed, false);
                Call::Send {
                    mode,
                    transfer,
                    request,
                }
            }
            CallKind::MakePersistent { mode, request, .. } => {
                let receives_any = mode.is_none() && wildcard;
                let request = self.made_request(passed, request, receives_any, Some(false));
                Call::MakePersistent {
                    send: mode,
                    transfer,
                    request,
                }
            }
            CallKind::Probe { flag, status, .. } => {
                let found = flag.is_none_or(|flag| passed.written(flag, 0) != 0);
                let observed = match (found, wildcard) {
                    (false, _) => None,
                    (true, true) => self.observed(passed, status, 0),
                    // Without wildcards the match carries one bit only: whether `MPI_Iprobe` has found a message.
                    (true, false) => flag.and_then(|_| requested_match(&transfer)),
                };
                Call::Probe {
                    transfer,
                    blocking: flag.is_none(),
                    observed,
                }
            }
            CallKind::Receive {
                request, status, ..
            } => {
                let status = status.filter(|_| wildcard && !failed);
                let observed = status.and_then(|status| self.observed(passed, status, 0));
                let request = self.started(passed, request, failed, wildcard);
                Call::Receive {
                    transfer,
                    request,
                    observed,
                }
            }
            _ => unreachable!("{} has no transfer", row.function.name),
        }
    }

    /// The request that the call has made, if it makes one.
    #[inline]
    pub fn started(
        &mut self,
        passed: &PassedArguments,
        at: Option<usize>,
        failed: bool,
        wildcard: bool,
    ) -> Option<RequestId> {
        let at = at.filter(|_| !failed)?;
        Some(self.made_request(passed, at, wildcard, None))
    }

    #[inline]
    pub fn made_request(
        &mut self,
        passed: &PassedArguments,
        at: usize,
        wildcard: bool,
        persistent: Option<bool>,
    ) -> RequestId {
        let variable = passed.place(at, 0);
        let handle = passed.stored(variable);
        RequestId(self.requests.add(Active {
            handle,
            variable,
            wildcard,
            persistent,
        }))
    }

    /// The call of a function with both directions, now that it is over.
    pub fn exchanged(
        &mut self,
        row: &Row,
        passed: &PassedArguments,
        send: Transfer,
        receive: Transfer,
    ) -> Call {
        let CallKind::SendReceive { status, .. } = row.what else {
            unreachable!("{} has one direction", row.function.name)
        };
        let observed = if is_wildcard(&receive) {
            self.observed(passed, status, 0)
        } else {
            None
        };
        Call::SendReceive {
            send,
            receive,
            observed,
        }
    }
}
