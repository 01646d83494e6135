//! Messages: their sends and receives, when the receiver's processor takes them, and which transfers are complete then.

use super::super::super::dataflow::BlockTimes;
use super::super::super::observer::{MessageEndpoint, Observer, Start};
use super::super::host::{Arrival, Cause, NextAction};
use super::{ANY_CHANNEL, QueuedEndpoint, Run, Slot, UNDER_WAY};
use base_data::Time;
use base_data::estimate_file::Category;
use machine::network::Protocol;

impl<T: BlockTimes, O: Observer> Run<'_, '_, T, O> {
    pub(super) fn started(&mut self, rank: u32, post: &Post, at: Time, sends: bool) {
        let site = self.work.hosts[rank as usize].site;
        let Post {
            channel,
            size,
            slot,
            blocking,
        } = *post;
        self.replay.observer.started(&Start {
            rank,
            site,
            channel,
            size,
            slot,
            at,
            sends,
            blocking,
        });
    }

    pub(super) fn send(&mut self, rank: u32, post: Post, at: Time) {
        self.outcome.messages += 1;
        // What is left of the gap between two sends counts as overhead of the second.
        self.account_until(rank, at, Category::SendOverhead);
        self.started(rank, &post, at, true);
        let costs = &self.replay.machine.costs[post.size as usize];
        let completed_at = match costs.protocol {
            // An eager send is complete at its call; its processor time delays the rank's next step by
            // itself.
            Protocol::Eager | Protocol::Paired => at,
            Protocol::Rendezvous { .. } => UNDER_WAY,
        };
        let (processor, interface) = (costs.send, costs.send_interface);
        self.occupy(rank, at, processor, Category::SendOverhead);
        let host = &mut self.work.hosts[rank as usize];
        host.sending_free = at + interface;
        let (site, slot) = (host.site, post.slot);
        self.work.slots[(host.first_slot + slot) as usize] = Slot {
            completed_at,
            channel: post.channel,
            sends: true,
        };
        let arrival = Arrival {
            at: at + self.work.latencies[post.size as usize],
            cause: Cause {
                at,
                rank,
                next_action: false,
            },
            channel: post.channel,
            size: post.size,
            slot,
            site,
        };
        let receiver = self.work.receivers[post.channel as usize];
        self.work.hosts[receiver as usize].push_arrival(arrival);
        if self.strict {
            self.schedule_ordered(receiver);
            return;
        }
        let awaited = self.work.awaited[receiver as usize];
        if awaited == post.channel || awaited == ANY_CHANNEL {
            self.work.calendar.enter(receiver, arrival.at);
        }
    }

    pub(super) fn receive(&mut self, rank: u32, post: Post, at: Time) {
        self.started(rank, &post, at, false);
        let host = &mut self.work.hosts[rank as usize];
        host.cause = Cause {
            at,
            rank,
            next_action: true,
        };
        // Calling a receive takes no processor time, but a message that the processor is taking delays what
        // follows.
        host.ready = host.processor_free.max(at);
        let side = QueuedEndpoint {
            slot: post.slot,
            site: host.site,
            size: post.size,
        };
        self.work.slots[(host.first_slot + post.slot) as usize] = Slot {
            completed_at: UNDER_WAY,
            channel: post.channel,
            sends: false,
        };
        if let Some(sent) = self
            .work
            .pairing
            .match_or_enqueue(post.channel, false, side)
        {
            self.match_message(rank, post.channel, sent, side, at);
        }
    }

    /// The processor begins to take a message at `at`.
    pub(super) fn take_message(&mut self, rank: u32, arrival: Arrival, at: Time) {
        let costs = &self.replay.machine.costs[arrival.size as usize];
        let host = &mut self.work.hosts[rank as usize];
        host.processor_free = at + costs.receive;
        // Processor and interface are taken at the same time; the longer of both delays the next message.
        host.receiving_free = at + costs.receive_interface;
        host.taken += costs.receive;
        let sent = QueuedEndpoint {
            slot: arrival.slot,
            site: arrival.site,
            size: arrival.size,
        };
        if let Some(posted) = self
            .work
            .pairing
            .match_or_enqueue(arrival.channel, true, sent)
        {
            return self.match_message(rank, arrival.channel, sent, posted, at);
        }
        let host = &mut self.work.hosts[rank as usize];
        if host.next_action == NextAction::WaitsWithSchedules {
            let ready = host.ready;
            return self.continue_with_schedules(rank, ready, at);
        }
        if host.next_action
            == (NextAction::Probes {
                channel: arrival.channel,
            })
        {
            host.ready = host.ready.max(host.processor_free);
            host.cause.at = at;
            self.outcome.events += 1;
            self.probed(rank, arrival.channel);
            self.advance_rank(rank);
        }
    }

    /// Matches a message with its receive at `at`.
    pub(super) fn match_message(
        &mut self,
        receiver: u32,
        channel: u32,
        sent: QueuedEndpoint,
        posted: QueuedEndpoint,
        at: Time,
    ) {
        let ends = &self.replay.steps.channels[channel as usize];
        let side = |side: QueuedEndpoint| MessageEndpoint {
            site: side.site,
            size: side.size,
        };
        self.replay
            .observer
            .message_matched(ends, side(sent), side(posted));
        self.replay
            .observer
            .matched(channel, sent.slot, posted.slot);
        self.complete_transfer(receiver, posted.slot, at);
        match self.replay.machine.costs[sent.size as usize].protocol {
            Protocol::Eager | Protocol::Paired => {}
            Protocol::Rendezvous { .. } => {
                let sender = self.replay.steps.channels[channel as usize].source;
                self.complete_transfer(sender, sent.slot, at);
                // The sender may be able to continue at this instant. Where it is another rank, the order is strict.
                if self.strict {
                    self.schedule_ordered(sender);
                }
            }
        }
    }

    /// Completes the transfer of a slot at `at`.
    pub(super) fn complete_transfer(&mut self, rank: u32, slot: u32, at: Time) {
        let host = &mut self.work.hosts[rank as usize];
        self.work.slots[(host.first_slot + slot) as usize].completed_at = at;
        if host.next_action == NextAction::WaitsWithSchedules {
            return self.continue_with_schedules(rank, at, at);
        }
        if let NextAction::Waits {
            slot: waited,
            blocking,
            collective,
        } = host.next_action
            && waited == slot
        {
            host.ready = host.ready.max(host.processor_free).max(at);
            host.cause.at = at;
            self.finish(rank, slot, blocking, collective);
            self.advance_rank(rank);
        }
    }
}

/// The start of a transfer.
#[derive(Clone, Copy)]
pub(super) struct Post {
    pub(super) channel: u32,
    pub(super) size: u32,
    pub(super) slot: u32,
    pub(super) blocking: bool,
}
