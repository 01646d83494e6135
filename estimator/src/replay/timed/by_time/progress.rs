//! Rendezvous that move only while both sides are inside MPI: from when the receiver can know of the
//! request until the sender is through with the message, every picosecond in which either side computes
//! is lost. The way through the network, and the receiver's own part after it, need neither side.
//!
//! Over shared links only the handshake needs both sides: what was sent goes through by itself. There a rank looks at requests
//! and grants only while a call waits. Calls that start transfers look at nothing that has arrived, so of two ranks that exchange
//! messages the later one requests its own before it grants the other's. A receive that starts grants a request that an earlier wait
//! has seen.
//!
//! Where the sender's part is what messages share at a receiver, only the handshake moves so.

use super::super::super::dataflow::BlockTimes;
use super::super::super::observer::Observer;
use super::{Event, Run};
use base_data::Time;
use machine::network::{Protocol, Stage};

/// Rendezvous whose receive is posted, by rank.
#[derive(Debug, Default)]
pub(super) struct Moves {
    of_rank: Vec<Vec<u32>>,
    /// Handshakes over shared links that advance when the rank enters MPI.
    awaiting_entry: Vec<Vec<u32>>,
    /// Transfers whose requests arrived while the rank was outside MPI, or too late for it to look at them.
    unseen_requests: Vec<Vec<u32>>,
    /// Transfers whose requests arrived in the current wait, each with the time from which on the rank can look at it.
    requests_in_wait: Vec<Vec<(u32, Time)>>,
}

/// An empty list for each rank, in the memory of an earlier replay.
fn clear_for<T>(lists: &mut Vec<Vec<T>>, ranks: usize) {
    lists.iter_mut().for_each(Vec::clear);
    lists.resize_with(ranks, Vec::new);
}

impl Moves {
    pub(super) fn reset(&mut self, ranks: usize) {
        clear_for(&mut self.of_rank, ranks);
        clear_for(&mut self.awaiting_entry, ranks);
        clear_for(&mut self.unseen_requests, ranks);
        clear_for(&mut self.requests_in_wait, ranks);
    }

    /// Lets a handshake wait until a rank enters MPI.
    pub(super) fn await_entry(&mut self, rank: u32, transfer: u32) {
        self.awaiting_entry[rank as usize].push(transfer);
    }
}

impl<T: BlockTimes, O: Observer> Run<'_, '_, T, O> {
    /// The request is there and the receive is called.
    pub(super) fn may_move(&mut self, transfer: u32, now: Time) {
        let costs = *self.costs_of(transfer);
        let handshake = match costs.protocol {
            Protocol::Eager | Protocol::Paired => Time::ZERO,
            Protocol::Rendezvous {
                confirm,
                acknowledge,
                ..
            } => confirm + acknowledge,
        };
        let send = if costs.shared == Some(Stage::Send) {
            Time::ZERO
        } else {
            costs.send
        };
        // Time that both sides must be inside MPI together, not a point in time.
        self.work.transfers[transfer as usize].left = handshake + send;
        for rank in [self.sender(transfer), self.receiver(transfer)] {
            self.work.moves.of_rank[rank as usize].push(transfer);
        }
        self.try_to_move(transfer, now);
    }

    fn try_to_move(&mut self, transfer: u32, now: Time) {
        let outside = |rank: u32| self.work.ranks[rank as usize].outside;
        if outside(self.sender(transfer)) || outside(self.receiver(transfer)) {
            return;
        }
        let state = &mut self.work.transfers[transfer as usize];
        if state.moves_since.is_none() {
            state.moves_since = Some(now);
            let (over, version) = (now + state.left, state.version);
            self.schedule(over, Event::Moved { transfer, version });
        }
    }

    /// Whether handshakes need calls that wait.
    fn needs_waits(&self) -> bool {
        self.rules.in_call && self.shares_links
    }

    /// A rank goes on with its next step, after a block or a wait.
    pub(super) fn continue_rank(&mut self, rank: u32, now: Time) {
        if self.needs_waits() {
            self.work.ranks[rank as usize].outside = true;
            self.end_wait(rank, now);
        } else {
            self.enter_mpi(rank, now);
        }
    }

    /// A call of a rank begins to wait.
    pub(super) fn begin_wait(&mut self, rank: u32, now: Time) {
        if self.needs_waits() {
            self.enter_mpi(rank, now);
        }
    }

    /// A request has arrived.
    pub(super) fn request_arrived(&mut self, transfer: u32, at: Time) {
        let (sender, receiver) = (self.sender(transfer), self.receiver(transfer) as usize);
        let state = &self.work.ranks[receiver];
        if state.outside {
            self.work.moves.unseen_requests[receiver].push(transfer);
        } else {
            // The rank first takes what arrived earlier over the same connection. Between the packets of a message, it looks at
            // the other connections.
            let readable = if state.receiving_from == sender {
                at.max(state.receiving_free)
            } else {
                at
            };
            self.work.moves.requests_in_wait[receiver].push((transfer, readable));
        }
    }

    /// A wait of a rank is over, with what it has not looked at by then: a request that follows the awaited message on its
    /// connection is left for the next wait.
    fn end_wait(&mut self, rank: u32, now: Time) {
        for (transfer, readable) in
            std::mem::take(&mut self.work.moves.requests_in_wait[rank as usize])
        {
            if readable < now {
                self.work.transfers[transfer as usize].request_seen = true;
            } else {
                self.work.moves.unseen_requests[rank as usize].push(transfer);
            }
        }
    }

    /// A rank is back inside MPI.
    fn enter_mpi(&mut self, rank: u32, now: Time) {
        let state = &mut self.work.ranks[rank as usize];
        if !std::mem::take(&mut state.outside) {
            return;
        }
        for place in 0..self.work.moves.of_rank[rank as usize].len() {
            let transfer = self.work.moves.of_rank[rank as usize][place];
            self.try_to_move(transfer, now);
        }
        for transfer in std::mem::take(&mut self.work.moves.unseen_requests[rank as usize]) {
            self.work.transfers[transfer as usize].request_seen = true;
        }
        // Taken as a whole: a handshake that must wait again is entered anew and not looked at twice.
        for transfer in std::mem::take(&mut self.work.moves.awaiting_entry[rank as usize]) {
            self.advance_handshake(transfer, now);
        }
    }

    /// A rank begins to compute.
    pub(super) fn leave_mpi(&mut self, rank: u32, now: Time) {
        self.work.ranks[rank as usize].outside = true;
        for &transfer in &self.work.moves.of_rank[rank as usize] {
            let state = &mut self.work.transfers[transfer as usize];
            if let Some(since) = state.moves_since.take() {
                state.left -= now - since;
                // Its `Moved` event is in the heap already and must be ignored.
                state.version += 1;
            }
        }
    }

    /// A rendezvous has moved, unless it was stopped before.
    pub(super) fn moved(&mut self, transfer: u32, version: u32, now: Time) {
        let state = &self.work.transfers[transfer as usize];
        if state.version != version || state.moves_since.is_none() {
            return;
        }
        for rank in [self.sender(transfer), self.receiver(transfer)] {
            self.work.moves.of_rank[rank as usize].retain(|&other| other != transfer);
        }
        let send = match self.costs_of(transfer).shared {
            Some(Stage::Send) => Time::ZERO,
            Some(Stage::Network | Stage::Receive) | None => self.costs_of(transfer).send,
        };
        self.begin_stage(Stage::Send, transfer, now - send);
    }
}
