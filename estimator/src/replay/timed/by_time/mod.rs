//! Discrete-event simulation: the replay that processes one event queue in the order of time, for models whose messages divide a
//! receiver's bandwidth, for wildcards that take what arrives first, for rendezvous that move only while
//! both sides are inside MPI, and for senders that wait until a receiver has room.
//!
//! Ranks run ahead on their own as long as no other rank can notice: only the starts of transfers, probes
//! and what [`Rules`] ask for are events. Events of one time have an order: [`Event`].
//!
//! By [`super::super::protocol`] a message goes through stages (send, network, receive); a stage
//! that its model shares ends when the model says so, the others when their own time is over. Where
//! nothing is shared, the result is that of the dataflow replay.

mod emulation;
mod mailbox;
mod progress;
mod schedules;
mod steps;
mod transfers;

use super::super::dataflow::{BlockTimes, Replay};
use super::super::observer::Observer;
use super::super::program::{Step, Steps};
use super::super::protocol::Completion;
use super::super::workspace::{BlockedRank, Executed, Outcome, RankOutcome, Unmatched};
use super::cursor::Cursor;
use super::open_schedule::OpenSchedule;
use super::pairing::Pairing;
use base_data::Time;
use base_data::hashing::NumberMap;
use emulation::Processes;
use machine::NetworkModel;
use machine::network::{Sharing, TransferId};
use mailbox::Mailboxes;
use progress::Moves;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use transfers::{Posted, Transfer};

pub(crate) use emulation::Emulation;

/// What the platform says about transfers, beside the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rules {
    /// A rendezvous moves only while both sides are inside MPI.
    pub(crate) in_call: bool,
    /// Bytes of messages without receive that a receiver takes before eager senders wait.
    pub(crate) eager_credit: Option<u64>,
}

/// An event. Events of equal time are processed in the order of the variants; of one variant, by number of transfer or rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A message, or its request to send, becomes visible to a rank with wildcards.
    Noticed { transfer: u32 },
    /// A rendezvous may begin its transfer.
    MayMove { transfer: u32 },
    /// A rendezvous has made its transfer, unless it was stopped since.
    Moved { transfer: u32, version: u32 },
    /// A message begins its shared stage, or over shared links the request or grant of one its way: there in
    /// the order in which the ranks had them sent, since what one connection carries follows each other.
    Enters { order: u64, transfer: u32 },
    /// A rank continues.
    Runs { rank: u32 },
    /// A rank that waits with schedules looks at what has completed, unless it has looked since.
    Looks { rank: u32, looks: u32 },
    /// Something that a rank's process asks for may have come, unless it was answered since.
    Asks { rank: u32, version: u32 },
}

/// Activity of a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum RankActivity {
    /// It executes steps.
    #[default]
    Runs,
    /// It waits for the completion of a transfer.
    Waits {
        slot: u32,
        blocking: bool,
        collective: bool,
    },
    /// It waits for a message without receiving it.
    Probes { channel: u32 },
    /// It waits for what its next step waits for, and meanwhile proceeds with its schedules ([`schedules`]).
    WaitsWithSchedules,
    /// Its process waits for the first of several things, or computes ([`emulation`]).
    Asks,
    /// It has ended.
    Ended,
}

#[derive(Debug, Default)]
struct RankState {
    cursor: Cursor,
    activity: RankActivity,
    clock: Time,
    site: u32,
    first_slot: u32,
    /// How many slots it has; only kept where steps come from processes.
    slots: u32,
    /// Where its variants begin in [`Executed`].
    first_variant: u32,
    /// Whether it computes, outside MPI; only kept where [`Rules::in_call`].
    outside: bool,
    /// Before `MPI_Init`.
    before: bool,
    /// When it can take the next message from shared links.
    receiving_free: Time,
    /// The sender of the message that it takes until then.
    receiving_from: u32,
    /// When it has handed over the data of granted messages, as [`Self::receiving_free`].
    sending_free: Time,
    outcome: RankOutcome,
    /// Collectives that it has started and not completed.
    schedules: Vec<OpenSchedule>,
    /// In emulations, when its schedules would have come this far had it waited since it began to poll.
    clock_of_wait: Time,
    /// How often it has looked at what has completed, while it waited with schedules.
    looks: u32,
    /// Bytes of eager messages that have no receive here, and transfers that wait for room.
    unexpected_bytes: u64,
    waiting_for_room: VecDeque<u32>,
}

/// A transfer of a rank.
#[derive(Clone, Copy, Debug)]
struct Slot {
    completion: Option<Completion>,
    least: Time,
    channel: u32,
    sends: bool,
}

const FREE: Slot = Slot {
    completion: None,
    least: Time::ZERO,
    channel: 0,
    sends: false,
};

/// The state of a replay, kept for the next one.
#[derive(Debug, Default)]
pub(crate) struct ByTime {
    ranks: Vec<RankState>,
    slots: Vec<Slot>,
    transfers: Vec<Transfer>,
    free_transfers: Vec<u32>,
    pairing: Pairing<Waiting>,
    mailboxes: Mailboxes,
    moves: Moves,
    events: BinaryHeap<Reverse<(Time, Event)>>,
    in_network: BTreeMap<TransferId, u32>,
    executed: Executed,
    /// How often something was sent over shared links.
    entered: u64,
    /// By ends of a connection over shared links: when the last that its sender had sent enters the network.
    last_entries: NumberMap<(u32, u32), Time>,
    /// The time of the last event.
    now: Time,
    /// The ranks' processes, where steps come from them.
    processes: Option<Processes>,
}

/// A send or receive without partner so far.
#[derive(Clone, Copy, Debug)]
enum Waiting {
    Send(u32),
    Receive(Posted),
}

impl Default for Waiting {
    fn default() -> Self {
        Waiting::Send(0)
    }
}

/// One replay under way.
struct Run<'r, 'a, T, O> {
    replay: &'r mut Replay<'a, T, O>,
    network: &'r mut dyn NetworkModel,
    work: &'r mut ByTime,
    rules: Rules,
    /// Whether messages share links, those of handshakes included.
    shares_links: bool,
    outcome: Outcome,
}

/// Replays a program from start to end.
pub(crate) fn run<T: BlockTimes, O: Observer>(
    replay: &mut Replay<'_, T, O>,
    network: &mut dyn NetworkModel,
    rules: Rules,
    work: &mut ByTime,
) -> Outcome {
    work.reset(replay.steps);
    let shares_links = network.sharing() == Sharing::Links;
    let mut run = Run {
        replay,
        shares_links,
        network,
        work,
        rules,
        outcome: Outcome::default(),
    };
    for rank in 0..run.work.ranks.len() as u32 {
        run.schedule(Time::ZERO, Event::Runs { rank });
    }
    run.process_events();
    run.into_outcome()
}

impl ByTime {
    /// The sides of messages of a program without open wildcards whose other side never came, by channel.
    pub(crate) fn unmatched(&self, steps: &Steps) -> Vec<Unmatched> {
        let mut unmatched = Vec::new();
        for channel in 0..steps.channels.len() as u32 {
            for side in self.pairing.waiting(channel) {
                unmatched.push(match side {
                    Waiting::Send(transfer) => Unmatched {
                        channel,
                        site: self.transfers[transfer as usize].site,
                        size: self.transfers[transfer as usize].size,
                        sent: true,
                    },
                    Waiting::Receive(posted) => Unmatched {
                        channel,
                        site: posted.site,
                        size: posted.size,
                        sent: false,
                    },
                });
            }
        }
        unmatched
    }

    fn reset(&mut self, steps: &Steps) {
        self.ranks
            .resize_with(steps.ranks.len(), RankState::default);
        let (mut slots, mut variants) = (0, 0);
        for (rank, (state, activity)) in self.ranks.iter_mut().zip(&steps.ranks).enumerate() {
            let mut cursor = std::mem::take(&mut state.cursor);
            cursor.rewind(steps.of(rank).len());
            let before = steps.of(rank).contains(&Step::Begin);
            *state = RankState {
                cursor,
                first_slot: slots,
                first_variant: variants,
                before,
                ..RankState::default()
            };
            let list = &steps.lists[activity.list as usize];
            slots += list.slots;
            variants += list.variants;
        }
        self.slots.clear();
        self.slots.resize(slots as usize, FREE);
        self.transfers.clear();
        self.free_transfers.clear();
        self.pairing.reset(steps.channels.len());
        self.mailboxes.reset(steps);
        self.moves.reset(steps.ranks.len());
        self.events.clear();
        self.in_network.clear();
        self.last_entries.clear();
        self.executed.reset(variants);
        (self.entered, self.now, self.processes) = (0, Time::ZERO, None);
    }
}

impl<T: BlockTimes, O: Observer> Run<'_, '_, T, O> {
    fn schedule(&mut self, at: Time, event: Event) {
        self.work.events.push(Reverse((at, event)));
    }

    fn process_events(&mut self) {
        loop {
            // A process continues before the next event: its next action may be earlier.
            if self.is_turn_of_process() {
                return;
            }
            let next = self
                .work
                .events
                .peek()
                .map_or(Time::MAX, |Reverse((at, _))| *at);
            // Deliveries come before events of the same time: all of these see the delivered message.
            if let Some(delivery) = self.network.next_delivery(next) {
                self.work.now = delivery.at;
                self.wake_idle_polls(delivery.at);
                if let Some(transfer) = self.work.in_network.remove(&delivery.transfer) {
                    self.delivered(transfer, delivery.at);
                }
                continue;
            }
            let Some(Reverse((now, event))) = self.work.events.pop() else {
                return;
            };
            self.work.now = now;
            match event {
                Event::Asks { .. } => {}
                // Ranks that poll in vain are no events for each other.
                Event::Runs { rank } if self.polls_in_vain(rank) => {}
                _ => self.wake_idle_polls(now),
            }
            match event {
                Event::Noticed { transfer } => self.noticed(transfer, now),
                Event::MayMove { transfer } => self.may_move(transfer, now),
                Event::Moved { transfer, version } => self.moved(transfer, version, now),
                Event::Enters { transfer, .. } => self.inject_message(transfer, now),
                Event::Asks { rank, version } => self.ask_again(rank, version, now),
                Event::Looks { rank, looks } => self.look(rank, looks, now),
                Event::Runs { rank } => self.run_rank(rank, now),
            }
        }
    }

    /// Sets the completion of a slot's transfer. A rank that waits for it continues then.
    fn complete(&mut self, rank: u32, slot: u32, completion: Completion) {
        let state = &mut self.work.ranks[rank as usize];
        self.work.slots[(state.first_slot + slot) as usize].completion = Some(completion);
        if state.activity == RankActivity::Asks {
            return self.wake(rank, completion.at);
        }
        if state.activity == RankActivity::WaitsWithSchedules {
            return self.look_at(rank, completion.at);
        }
        if let RankActivity::Waits {
            slot: waited,
            blocking,
            collective,
        } = state.activity
            && waited == slot
        {
            state.activity = RankActivity::Runs;
            self.finish(rank, slot, blocking, collective, completion);
            // The rank's clock is at the end of the wait, which may be later than now.
            let clock = self.work.ranks[rank as usize].clock;
            self.schedule(clock, Event::Runs { rank });
        }
    }

    /// Lets a rank that waits for a message repeat its probe.
    fn retry_probe(&mut self, rank: u32, now: Time) {
        let state = &mut self.work.ranks[rank as usize];
        if state.activity == RankActivity::Asks {
            return self.wake(rank, now);
        }
        if state.activity == RankActivity::WaitsWithSchedules {
            return self.look_at(rank, now);
        }
        if let RankActivity::Probes { .. } = state.activity {
            state.activity = RankActivity::Runs;
            let at = now.max(state.clock);
            self.schedule(at, Event::Runs { rank });
        }
    }

    fn into_outcome(mut self) -> Outcome {
        let stuck = |(rank, state): (usize, &RankState)| match state.activity {
            RankActivity::Waits { slot, .. } => {
                let slot = &self.work.slots[(state.first_slot + slot) as usize];
                Some(BlockedRank {
                    rank: rank as u32,
                    site: state.site,
                    channel: slot.channel,
                    sends: slot.sends,
                })
            }
            RankActivity::Probes { channel } => Some(BlockedRank {
                rank: rank as u32,
                site: state.site,
                channel,
                sends: false,
            }),
            RankActivity::WaitsWithSchedules => self.blocked_with_schedules(rank as u32),
            RankActivity::Runs | RankActivity::Asks | RankActivity::Ended => None,
        };
        self.outcome.stuck = self
            .work
            .ranks
            .iter()
            .enumerate()
            .filter_map(stuck)
            .collect();
        let has_section = self.replay.steps.has_section;
        let of_rank = |state: &RankState| match has_section {
            true => RankOutcome {
                last: state.clock,
                ..state.outcome
            },
            false => RankOutcome {
                begins: 1,
                ends: 1,
                begin: Time::ZERO,
                end: state.clock,
                last: state.clock,
            },
        };
        self.outcome.ranks = self.work.ranks.iter().map(of_rank).collect();
        self.outcome
    }
}
