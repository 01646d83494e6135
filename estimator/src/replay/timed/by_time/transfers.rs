//! The stages of messages: when the send may begin, when send and receive match, when each of them completes. Also credit-based
//! flow control of eager messages: a sender waits until the receiver has room for a message whose receive is not posted.

use super::super::super::dataflow::BlockTimes;
use super::super::super::observer::{MessageEndpoint, Observer};
use super::super::super::protocol::{self, Completion};
use super::{Event, Run, Waiting};
use base_data::Time;
use machine::Message;
use machine::network::{CallCosts, Protocol, Stage};

/// A receive that was called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Posted {
    pub(super) slot: u32,
    pub(super) site: u32,
    pub(super) size: u32,
    pub(super) at: Time,
}

/// Phase of a rendezvous over shared links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The request to send, to the receiver.
    Request,
    /// The request has arrived: it waits for the receive, or for the receiver to be inside MPI.
    Requested,
    /// The grant, back to the sender.
    Grant,
    /// The grant has arrived, and waits for the sender to be inside MPI.
    Granted,
    /// The message itself; every message without a handshake is in this phase.
    Data,
}

/// A message, from the call of its send on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    pub(super) channel: u32,
    pub(super) size: u32,
    /// The sender's slot and call.
    slot: u32,
    pub(super) site: u32,
    /// When the send was called; once a sender has waited for room, when it got it.
    called: Time,
    /// Whether the sender waits for room at the receiver.
    pub(super) waits_for_room: bool,
    /// Room it takes at the receiver.
    room: u64,
    /// Whether it is visible to a rank with wildcards.
    pub(super) noticed: bool,
    /// Whether its receiver has looked at its request.
    pub(super) request_seen: bool,
    posted: Option<Posted>,
    arrived: Option<Time>,
    stage: Stage,
    phase: Phase,
    /// When the stage began.
    began: Time,
    /// A rendezvous' time to move that is left, since when it moves, and how often it was stopped.
    pub(super) left: Time,
    pub(super) moves_since: Option<Time>,
    pub(super) version: u32,
}

impl Transfer {
    /// A message whose send is called.
    pub(super) fn called(channel: u32, size: u32, slot: u32, site: u32, called: Time) -> Self {
        Self {
            channel,
            size,
            slot,
            site,
            called,
            waits_for_room: false,
            room: 0,
            noticed: false,
            request_seen: false,
            posted: None,
            arrived: None,
            stage: Stage::Send,
            phase: Phase::Data,
            began: called,
            left: Time::ZERO,
            moves_since: None,
            version: 0,
        }
    }
}

impl<T: BlockTimes, O: Observer> Run<'_, '_, T, O> {
    pub(super) fn costs_of(&self, transfer: u32) -> &CallCosts {
        &self.replay.machine.costs[self.work.transfers[transfer as usize].size as usize]
    }

    pub(super) fn sender(&self, transfer: u32) -> u32 {
        self.replay.steps.channels[self.work.transfers[transfer as usize].channel as usize].source
    }

    pub(super) fn receiver(&self, transfer: u32) -> u32 {
        self.replay.steps.channels[self.work.transfers[transfer as usize].channel as usize]
            .destination
    }

    fn add_transfer(&mut self, transfer: Transfer) -> u32 {
        match self.work.free_transfers.pop() {
            Some(place) => {
                // Events of the message that was here before must not be taken for this one's.
                let version = self.work.transfers[place as usize].version + 1;
                self.work.transfers[place as usize] = Transfer {
                    version,
                    ..transfer
                };
                place
            }
            None => {
                self.work.transfers.push(transfer);
                self.work.transfers.len() as u32 - 1
            }
        }
    }

    /// The send of a message is called.
    pub(super) fn start(&mut self, transfer: Transfer) {
        let (channel, now) = (transfer.channel, transfer.called);
        let transfer = self.add_transfer(transfer);
        let receiver = self.receiver(transfer);
        if self.has_room(transfer) {
            self.begin_send(transfer, now);
        } else {
            self.work.transfers[transfer as usize].waits_for_room = true;
            self.work.ranks[receiver as usize]
                .waiting_for_room
                .push_back(transfer);
        }
        if self.work.mailboxes.has_mailbox(receiver) {
            return self.expect_message(transfer, now);
        }
        match self
            .work
            .pairing
            .match_or_enqueue(channel, true, Waiting::Send(transfer))
        {
            Some(Waiting::Receive(posted)) => self.match_transfer(transfer, posted, now),
            Some(Waiting::Send(_)) | None => self.retry_probe(receiver, now),
        }
    }

    /// A receive is called; with a pattern, for the first message that fits.
    pub(super) fn post(
        &mut self,
        rank: u32,
        channel: u32,
        pattern: Option<u32>,
        posted: Posted,
        now: Time,
    ) {
        if self.work.mailboxes.has_mailbox(rank) {
            return self.post_in_mailbox(rank, channel, pattern, posted, now);
        }
        let found = self
            .work
            .pairing
            .match_or_enqueue(channel, false, Waiting::Receive(posted));
        if let Some(Waiting::Send(transfer)) = found {
            self.match_transfer(transfer, posted, now);
        }
    }

    /// Whether an eager message may be sent: its receive has been called, or there is room for it,
    /// which it then takes.
    fn has_room(&mut self, transfer: u32) -> bool {
        let Some(credit) = self.rules.eager_credit else {
            return true;
        };
        match self.costs_of(transfer).protocol {
            Protocol::Eager | Protocol::Paired => {}
            Protocol::Rendezvous { .. } => return true,
        }
        let Transfer { channel, size, .. } = self.work.transfers[transfer as usize];
        let bytes = self.replay.steps.sizes[size as usize].bytes;
        let receiver = self.receiver(transfer);
        // A message whose receive is posted goes into the user's buffer and takes no room.
        if self.is_awaited(receiver, channel) {
            return true;
        }
        let state = &mut self.work.ranks[receiver as usize];
        let fits = state.unexpected_bytes + bytes <= credit;
        if fits {
            state.unexpected_bytes += bytes;
            self.work.transfers[transfer as usize].room = bytes;
        }
        fits
    }

    /// Whether a receive waits for the next message of a channel.
    fn is_awaited(&self, receiver: u32, channel: u32) -> bool {
        if self.work.mailboxes.has_mailbox(receiver) {
            return self.mailbox_awaits(receiver, channel);
        }
        self.work.pairing.first(channel, false).is_some()
    }

    /// Releases the room of a matched message at the receiver, for the messages that wait for room.
    fn release_room(&mut self, transfer: u32, now: Time) {
        let receiver = self.receiver(transfer) as usize;
        let room = std::mem::take(&mut self.work.transfers[transfer as usize].room);
        self.work.ranks[receiver].unexpected_bytes -= room;
        while let Some(&next) = self.work.ranks[receiver].waiting_for_room.front() {
            if self.work.transfers[next as usize].waits_for_room {
                // The first that waits gets the next room, even if the message of a later one would fit.
                if !self.has_room(next) {
                    return;
                }
                self.resume_sender(next, now);
            }
            self.work.ranks[receiver].waiting_for_room.pop_front();
        }
    }

    /// Resumes a sender that waited for room.
    fn resume_sender(&mut self, transfer: u32, now: Time) {
        let state = &mut self.work.transfers[transfer as usize];
        (state.waits_for_room, state.called) = (false, now);
        self.begin_send(transfer, now);
    }

    /// Begins the part of a send that does not depend on the receive.
    fn begin_send(&mut self, transfer: u32, at: Time) {
        match self.costs_of(transfer).protocol {
            Protocol::Eager => self.begin_stage(Stage::Send, transfer, at),
            Protocol::Paired => self.sender_done(
                transfer,
                Completion {
                    at,
                    overhead: Time::ZERO,
                },
            ),
            Protocol::Rendezvous { confirm, .. } if self.shares_links => {
                self.work.transfers[transfer as usize].phase = Phase::Request;
                // The sender handles its own request before that is on the wire; `request` is the time of
                // both on an idle network.
                self.schedule_injection(at + confirm, transfer);
            }
            Protocol::Rendezvous { .. } => {}
        }
    }

    /// Advances the handshake of a rendezvous over shared links, if the next rank can: the receiver once it
    /// has called the receive and seen the request, the sender once it is inside MPI.
    pub(super) fn advance_handshake(&mut self, transfer: u32, now: Time) {
        let Transfer {
            phase,
            posted,
            request_seen,
            ..
        } = self.work.transfers[transfer as usize];
        let (side, next, is_seen) = match phase {
            Phase::Requested if posted.is_some() => {
                (self.receiver(transfer), Phase::Grant, request_seen)
            }
            Phase::Granted => (self.sender(transfer), Phase::Data, false),
            Phase::Requested | Phase::Request | Phase::Grant | Phase::Data => return,
        };
        // A receive grants a request that an earlier wait has seen, whatever has arrived since.
        if self.work.ranks[side as usize].outside && !is_seen {
            return self.work.moves.await_entry(side, transfer);
        }
        self.work.transfers[transfer as usize].phase = next;
        // A rank that hands data over to the network grants a request only after that, so the grant follows these data.
        let free = self.work.ranks[side as usize].sending_free;
        let handled = now.max(free) + self.control_time(transfer);
        if next == Phase::Grant {
            self.schedule_injection(handled, transfer);
        } else {
            self.work.ranks[side as usize].sending_free = handled + self.costs_of(transfer).send;
            self.begin_stage(Stage::Send, transfer, handled);
        }
    }

    /// Time in which a rank handles a request or a grant.
    fn control_time(&self, transfer: u32) -> Time {
        match self.costs_of(transfer).protocol {
            Protocol::Rendezvous { confirm, .. } => confirm,
            Protocol::Eager | Protocol::Paired => Time::ZERO,
        }
    }

    /// A message, or the request or grant of one, has left the network.
    pub(super) fn delivered(&mut self, transfer: u32, at: Time) {
        let state = &mut self.work.transfers[transfer as usize];
        match state.phase {
            Phase::Request => {
                state.phase = Phase::Requested;
                self.request_arrived(transfer, at);
                self.envelope_arrived(transfer, at);
            }
            Phase::Grant => state.phase = Phase::Granted,
            Phase::Requested | Phase::Granted | Phase::Data => {
                return self.finish_stage(transfer, at);
            }
        }
        self.advance_handshake(transfer, at);
    }

    fn sender_done(&mut self, transfer: u32, completion: Completion) {
        let (sender, slot) = (
            self.sender(transfer),
            self.work.transfers[transfer as usize].slot,
        );
        self.complete(sender, slot, completion);
    }

    /// Matches a send with its receive.
    pub(super) fn match_transfer(&mut self, transfer: u32, posted: Posted, now: Time) {
        if self.work.transfers[transfer as usize].waits_for_room {
            let receiver = self.receiver(transfer) as usize;
            self.work.ranks[receiver]
                .waiting_for_room
                .retain(|&waiting| waiting != transfer);
            self.resume_sender(transfer, now);
        }
        let state = &mut self.work.transfers[transfer as usize];
        state.posted = Some(posted);
        let state = *state;
        let ends = &self.replay.steps.channels[state.channel as usize];
        let (send, receive) = (
            MessageEndpoint {
                site: state.site,
                size: state.size,
            },
            MessageEndpoint {
                site: posted.site,
                size: posted.size,
            },
        );
        self.replay.observer.message_matched(ends, send, receive);
        self.replay
            .observer
            .matched(state.channel, state.slot, posted.slot);
        let costs = *self.costs_of(transfer);
        match costs.protocol {
            Protocol::Eager => {
                if let Some(arrived) = state.arrived {
                    self.begin_stage(Stage::Receive, transfer, arrived.max(posted.at));
                }
            }
            Protocol::Paired => {
                self.begin_stage(Stage::Network, transfer, state.called.max(posted.at))
            }
            Protocol::Rendezvous {
                request,
                confirm,
                acknowledge,
            } => {
                // As in the dataflow replay ([`super::super::super::protocol::matched_completions`]); the same sum gives the
                // same picosecond.
                let requested = (state.called + request).max(posted.at);
                if self.shares_links {
                    self.advance_handshake(transfer, now);
                } else if self.rules.in_call {
                    self.schedule(requested.max(now), Event::MayMove { transfer });
                } else {
                    self.begin_stage(Stage::Send, transfer, requested + confirm + acknowledge);
                }
            }
        }
        self.release_room(transfer, now);
    }

    /// Begins a stage, now or later.
    pub(super) fn begin_stage(&mut self, stage: Stage, transfer: u32, at: Time) {
        let at = if stage == Stage::Receive {
            self.free_to_receive(transfer, at)
        } else {
            at
        };
        let state = &mut self.work.transfers[transfer as usize];
        (state.stage, state.began) = (stage, at);
        if self.costs_of(transfer).shared == Some(stage) {
            self.schedule_injection(at, transfer);
        } else {
            let alone = self.time_alone(stage, transfer);
            self.finish_stage(transfer, at + alone);
        }
    }

    /// Lets what of a message is next enter the network at a time, over shared links not before what was sent earlier over the
    /// same connection.
    fn schedule_injection(&mut self, at: Time, transfer: u32) {
        let mut at = at;
        if self.shares_links {
            self.work.entered += 1;
            let (sender, receiver) = (self.sender(transfer), self.receiver(transfer));
            let connection = match self.work.transfers[transfer as usize].phase {
                Phase::Grant => (receiver, sender),
                Phase::Request | Phase::Requested | Phase::Granted | Phase::Data => {
                    (sender, receiver)
                }
            };
            let last = self.work.last_entries.entry(connection).or_default();
            *last = at.max(*last);
            at = *last;
        }
        let order = self.work.entered;
        self.schedule(at, Event::Enters { order, transfer });
    }

    /// When a receiver begins with a message that it may take from `at` on. Over shared links it takes messages one
    /// after another; other models compute this themselves.
    fn free_to_receive(&mut self, transfer: u32, at: Time) -> Time {
        if !self.shares_links {
            return at;
        }
        let (receiver, receive) = (self.receiver(transfer), self.costs_of(transfer).receive);
        let sender = self.sender(transfer);
        let state = &mut self.work.ranks[receiver as usize];
        let at = at.max(state.receiving_free);
        (state.receiving_free, state.receiving_from) = (at + receive, sender);
        at
    }

    fn time_alone(&self, stage: Stage, transfer: u32) -> Time {
        let costs = self.costs_of(transfer);
        match stage {
            Stage::Send => costs.send,
            Stage::Network => costs.network.scaled(self.scale(transfer)),
            Stage::Receive => costs.receive,
        }
    }

    fn scale(&self, transfer: u32) -> f64 {
        let size = self.work.transfers[transfer as usize].size;
        self.replay
            .scales
            .of(self.replay.steps.sizes[size as usize].link)
    }

    /// Injects a message, or its request or grant, into the network.
    pub(super) fn inject_message(&mut self, transfer: u32, now: Time) {
        let size = &self.replay.steps.sizes[self.work.transfers[transfer as usize].size as usize];
        let pus = &self.replay.machine.pus;
        let sender = pus[self.sender(transfer) as usize];
        let receiver = pus[self.receiver(transfer) as usize];
        let (from, to, bytes) = match self.work.transfers[transfer as usize].phase {
            Phase::Request => (sender, receiver, 0),
            Phase::Grant => (receiver, sender, 0),
            Phase::Requested | Phase::Granted | Phase::Data => (sender, receiver, size.bytes),
        };
        let mut scale = self.scale(transfer);
        let noise = self.costs_of(transfer).noise;
        // Requests and grants are short.
        if noise > 0.0 && bytes > 0 {
            let rank = self.sender(transfer);
            scale *= self.replay.times.message_factor(rank, noise);
        }
        let message = Message {
            from,
            to,
            bytes,
            link: size.link,
            scale,
        };
        let number = self.network.inject(&message, now);
        self.work.in_network.insert(number, transfer);
    }

    /// Ends the current stage of a message at `at`, which may be later than now.
    pub(super) fn finish_stage(&mut self, transfer: u32, at: Time) {
        let state = self.work.transfers[transfer as usize];
        let spent = at - state.began;
        let noticing = match self.costs_of(transfer).protocol {
            Protocol::Eager | Protocol::Paired => [Time::ZERO; 2],
            Protocol::Rendezvous {
                request,
                confirm,
                acknowledge,
            } => [request + confirm + acknowledge, confirm],
        };
        match state.stage {
            Stage::Send => {
                self.sender_done(
                    transfer,
                    Completion {
                        at,
                        overhead: spent + noticing[0],
                    },
                );
                self.begin_stage(Stage::Network, transfer, at);
            }
            Stage::Network => self.arrived(transfer, at),
            Stage::Receive => {
                if let Some(posted) = state.posted {
                    let receiver = self.receiver(transfer);
                    let overhead = spent + noticing[1];
                    self.complete(receiver, posted.slot, Completion { at, overhead });
                }
                // The receive is the last stage, so no event but stale ones refers to the transfer any more.
                self.work.free_transfers.push(transfer);
            }
        }
    }

    fn arrived(&mut self, transfer: u32, at: Time) {
        if let Some(posted) = self.work.transfers[transfer as usize].posted {
            self.begin_stage(Stage::Receive, transfer, at.max(posted.at));
        } else {
            self.envelope_arrived(transfer, at);
        }
    }

    /// What the receiver finds of a message has arrived: an eager message, or the request of a rendezvous over shared links.
    fn envelope_arrived(&mut self, transfer: u32, at: Time) {
        let state = &mut self.work.transfers[transfer as usize];
        state.arrived = Some(at);
        let Transfer {
            posted, noticed, ..
        } = *state;
        let receiver = self.receiver(transfer);
        if posted.is_some() {
            return;
        }
        if !noticed && self.work.mailboxes.has_mailbox(receiver) {
            self.schedule(at, Event::Noticed { transfer });
        } else {
            self.retry_probe(receiver, at);
        }
    }

    /// From when on a probe finds a message; `None` while that is not known.
    pub(super) fn seen_by_probe(&self, transfer: u32) -> Option<(u32, Time)> {
        let state = &self.work.transfers[transfer as usize];
        let costs = self.costs_of(transfer);
        let visible = if self.is_found_on_arrival(transfer) {
            state.arrived?
        } else {
            protocol::visible(costs, state.called)
        };
        Some((transfer, visible))
    }

    /// Whether a message can be found once its envelope has left the network, which depends on what else is sent.
    fn is_found_on_arrival(&self, transfer: u32) -> bool {
        match self.costs_of(transfer).protocol {
            Protocol::Eager => true,
            Protocol::Rendezvous { .. } => self.shares_links,
            Protocol::Paired => false,
        }
    }

    /// When a message becomes visible to a rank with wildcards; `None`: on arrival.
    pub(super) fn notice_at(&self, transfer: u32) -> Option<Time> {
        let state = &self.work.transfers[transfer as usize];
        if self.is_found_on_arrival(transfer) && !state.waits_for_room {
            return None;
        }
        Some(protocol::visible(self.costs_of(transfer), state.called))
    }
}
