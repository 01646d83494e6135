//! The messages of a whole collective in rounds: what `mpiete show collective` prints.

use super::step::{Operation, Received, Sent, Step};
use std::collections::{BTreeMap, VecDeque};

/// A message of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Message {
    /// The round in which it arrives, from 1, if every message takes one round and a rank sends one at a time unless
    /// it starts several at once.
    pub round: u32,
    /// Sender.
    pub from: u32,
    /// Receiver.
    pub to: u32,
    /// Length.
    pub bytes: u64,
    /// Its place among the messages that its sender sends, from 0.
    pub order: u32,
}

/// A rank on its way through its steps.
struct Progress {
    steps: Vec<Step>,
    next: usize,
    /// The round that the rank has come to.
    round: u32,
    /// Messages sent so far.
    sent: u32,
    has_sent: bool,
    /// Messages under way by slot: the round in which a sent one arrives, or what is to be received.
    open: BTreeMap<u32, StartedMessage>,
}

/// A started message that is not completed: the round in which a sent one arrives, or the receive.
#[derive(Clone, Copy)]
enum StartedMessage {
    Sent(u32),
    Posted(Received),
}

struct Traffic<'a> {
    operations: &'a [Operation<'a>],
    ranks: Vec<Progress>,
    /// Rounds of messages that have not been received, by sender and receiver.
    arriving: BTreeMap<(u32, u32), VecDeque<u32>>,
    messages: Vec<Message>,
}

/// All messages of a schedule, by round; `operations` has one entry for each rank, in order.
pub fn messages(
    schedule: fn(&Operation<'_>) -> Vec<Step>,
    operations: &[Operation<'_>],
) -> Vec<Message> {
    let mut ranks = Vec::new();
    for operation in operations {
        ranks.push(Progress {
            steps: schedule(operation),
            next: 0,
            round: 0,
            sent: 0,
            has_sent: false,
            open: BTreeMap::new(),
        });
    }
    let mut traffic = Traffic {
        operations,
        ranks,
        arriving: BTreeMap::new(),
        messages: Vec::new(),
    };
    let mut has_moved = true;
    // Every sweep lets each rank run as far as it can. Sends never block here, so the order of ranks does not
    // change rounds.
    while has_moved {
        has_moved = false;
        for rank in 0..operations.len() {
            while traffic.advance(rank) {
                has_moved = true;
            }
        }
    }
    traffic.messages.sort_unstable();
    traffic.messages
}

impl Traffic<'_> {
    fn send(&mut self, rank: usize, sent: Sent) -> u32 {
        let operation = &self.operations[rank];
        let progress = &mut self.ranks[rank];
        let (round, order) = (progress.round + 1, progress.sent);
        progress.sent += 1;
        self.messages.push(Message {
            round,
            from: operation.rank,
            to: sent.to,
            bytes: operation.sent.bytes(sent.part, operation.ranks),
            order,
        });
        let channel = (operation.rank, sent.to);
        self.arriving.entry(channel).or_default().push_back(round);
        round
    }

    /// Receives a message, if it has been sent.
    fn take(&mut self, rank: usize, received: Received) -> bool {
        let channel = (received.from, self.operations[rank].rank);
        let Some(round) = self.arriving.entry(channel).or_default().pop_front() else {
            return false;
        };
        let progress = &mut self.ranks[rank];
        // A message that came in an earlier round than the rank has reached was waiting and costs no further
        // round.
        progress.round = progress.round.max(round);
        true
    }

    /// Does the next step of a rank; whether it could.
    fn advance(&mut self, rank: usize) -> bool {
        let progress = &self.ranks[rank];
        let Some(&step) = progress.steps.get(progress.next) else {
            return false;
        };
        let is_done = match step {
            Step::Send(sent) | Step::Forward(sent) => {
                let round = self.send(rank, sent);
                self.ranks[rank].round = round;
                true
            }
            Step::Receive(received) => self.take(rank, received),
            Step::Exchange(sent, received) => {
                if !self.ranks[rank].has_sent {
                    let round = self.send(rank, sent);
                    let progress = &mut self.ranks[rank];
                    progress.has_sent = true;
                    // What is received meanwhile may have been sent in the same round.
                    progress.open.insert(u32::MAX, StartedMessage::Sent(round));
                }
                let is_taken = self.take(rank, received);
                if is_taken {
                    self.complete(rank, u32::MAX);
                }
                is_taken
            }
            Step::StartSend(slot, sent) => {
                let round = self.send(rank, sent);
                self.ranks[rank]
                    .open
                    .insert(slot, StartedMessage::Sent(round));
                true
            }
            Step::StartReceive(slot, received) => {
                self.ranks[rank]
                    .open
                    .insert(slot, StartedMessage::Posted(received));
                true
            }
            Step::Wait(slot) => self.complete(rank, slot),
        };
        if is_done {
            let progress = &mut self.ranks[rank];
            progress.next += 1;
            progress.has_sent = false;
        }
        is_done
    }

    fn complete(&mut self, rank: usize, slot: u32) -> bool {
        let is_done = match self.ranks[rank].open.get(&slot).copied() {
            None => true,
            Some(StartedMessage::Posted(received)) => self.take(rank, received),
            Some(StartedMessage::Sent(round)) => {
                let progress = &mut self.ranks[rank];
                progress.round = progress.round.max(round);
                true
            }
        };
        if is_done {
            self.ranks[rank].open.remove(&slot);
        }
        is_done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::proof::operation;

    #[test]
    fn rounds_of_a_dissemination_and_a_tree() {
        let mut operations = Vec::new();
        for rank in 0..8 {
            operations.push(Operation {
                rank,
                ..operation(8, 64)
            });
        }
        let barrier = messages(super::super::barrier_dissemination::schedule, &operations);
        assert_eq!(barrier.len(), 24);
        assert_eq!(barrier.iter().map(|message| message.round).max(), Some(3));
        let broadcast = messages(super::super::broadcast_binomial::schedule, &operations);
        assert_eq!(broadcast.len(), 7);
        assert_eq!(broadcast[6].round, 3);
    }
}
