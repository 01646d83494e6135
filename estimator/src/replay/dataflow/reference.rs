//! The replay written down as plainly as it can be, to compare the fast one with: loops written out,
//! maps instead of rings, every rank asked in turn, everything that is known in full.

use super::BlockTimes;
use crate::replay::program::{MachineSide, Step, Steps};
use crate::replay::protocol::{self, Completion};
use base_data::Time;
use base_data::estimate_file::Category;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What the plain replay leaves of a rank.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Rank {
    pub(super) clock: Time,
    pub(super) split: [Time; 6],
    pub(super) blocks: u64,
    pub(super) ended: bool,
}

/// A send or receive that has no partner yet.
#[derive(Clone, Copy)]
struct PostedEndpoint {
    rank: usize,
    slot: u32,
    size: u32,
    time: Time,
}

#[derive(Clone, Copy)]
struct Transfer {
    completion: Option<Completion>,
    least: Time,
    sends: bool,
}

pub(super) struct Reference<'a, T> {
    steps: &'a Steps,
    machine: &'a MachineSide,
    times: T,
    written_out: Vec<VecDeque<Step>>,
    seen: BTreeSet<(usize, u32)>,
    transfers: BTreeMap<(usize, u32), Transfer>,
    sent: BTreeMap<u32, VecDeque<PostedEndpoint>>,
    posted: BTreeMap<u32, VecDeque<PostedEndpoint>>,
    pub(super) ranks: Vec<Rank>,
    pub(super) messages: u64,
    pub(super) events: u64,
}

fn written_out(steps: &[Step], to: &mut VecDeque<Step>) {
    let mut rest = steps;
    while let [step, after @ ..] = rest {
        rest = after;
        if let Step::Repeat { count, body } = step {
            let (inside, after) = rest.split_at(*body as usize);
            (0..count.get()).for_each(|_| written_out(inside, to));
            rest = after;
        } else {
            to.push_back(*step);
        }
    }
}

impl<'a, T: BlockTimes> Reference<'a, T> {
    pub(super) fn run(steps: &'a Steps, machine: &'a MachineSide, times: T) -> Self {
        let stream = |rank: usize| {
            let mut steps_of_rank = VecDeque::new();
            written_out(steps.of(rank), &mut steps_of_rank);
            steps_of_rank
        };
        let ranks = steps.ranks.len();
        let mut reference = Self {
            steps,
            machine,
            times,
            written_out: (0..ranks).map(stream).collect(),
            seen: BTreeSet::new(),
            transfers: BTreeMap::new(),
            sent: BTreeMap::new(),
            posted: BTreeMap::new(),
            ranks: (0..ranks).map(|_| Rank::default()).collect(),
            messages: 0,
            events: 0,
        };
        while (0..ranks).filter(|&rank| reference.step(rank)).count() > 0 {}
        reference
    }

    fn spend(&mut self, rank: usize, category: Category, time: Time) {
        self.ranks[rank].clock += time;
        self.ranks[rank].split[category.index()] += time;
    }

    /// The next step of a rank; false if it waits or has ended.
    fn step(&mut self, rank: usize) -> bool {
        let Some(&step) = self.written_out[rank].front() else {
            self.ranks[rank].ended = true;
            return false;
        };
        match step {
            Step::Compute { variant, .. } => {
                let first = self.seen.insert((rank, variant));
                let time = self.times.time(rank as u32, variant, first);
                self.ranks[rank].blocks += 1;
                self.spend(rank, Category::Compute, time);
            }
            Step::Send {
                channel,
                size,
                slot,
                blocking,
            } => self.post(rank, channel, size, slot, blocking, true),
            Step::Receive {
                channel,
                size,
                slot,
                blocking,
            } => {
                self.post(rank, channel, size, slot, blocking, false);
            }
            Step::Finish {
                slot,
                blocking,
                collective,
            } => {
                let transfer = self.transfers[&(rank, slot)];
                // The step stays at the front: it is tried again when the partner has posted its side.
                let Some(completion) = transfer.completion else {
                    return false;
                };
                // A blocking call has paid its overhead when it posted.
                let least = if blocking { Time::ZERO } else { transfer.least };
                let waited = protocol::wait(completion, self.ranks[rank].clock, least);
                let (overhead, waiting) = protocol::wait_categories(transfer.sends, collective);
                let rest = waited.end - self.ranks[rank].clock - waited.waiting;
                self.spend(rank, waiting, waited.waiting);
                self.spend(rank, overhead, rest);
            }
            Step::Probe { channel } => {
                let channel = self.steps.channel(rank as u32, channel);
                let Some(sent) = self.sent.get(&channel).and_then(|sent| sent.front()) else {
                    return false;
                };
                let costs = &self.machine.costs[sent.size as usize];
                let found = protocol::noticed(
                    costs,
                    protocol::visible(costs, sent.time),
                    self.ranks[rank].clock,
                );
                let rest = found.end - self.ranks[rank].clock - found.waiting;
                self.spend(rank, Category::ReceiveWait, found.waiting);
                self.spend(rank, Category::ReceiveOverhead, rest);
            }
            _ => {}
        }
        self.written_out[rank].pop_front();
        self.events += 1;
        true
    }

    fn post(
        &mut self,
        rank: usize,
        channel: u32,
        size: u32,
        slot: u32,
        blocking: bool,
        sends: bool,
    ) {
        let costs = self.machine.costs[size as usize];
        let channel = self.steps.channel(rank as u32, channel);
        let called = self.ranks[rank].clock;
        let (completion, time) = if sends {
            self.messages += 1;
            let sending = protocol::start_send(&costs, called);
            (sending.completion, sending.time)
        } else {
            (None, called)
        };
        self.transfers.insert(
            (rank, slot),
            Transfer {
                completion,
                least: costs.complete,
                sends,
            },
        );
        if !blocking {
            let category = if sends {
                Category::SendOverhead
            } else {
                Category::ReceiveOverhead
            };
            self.spend(rank, category, costs.start);
        }
        let sides = if sends {
            &mut self.sent
        } else {
            &mut self.posted
        };
        sides.entry(channel).or_default().push_back(PostedEndpoint {
            rank,
            slot,
            size,
            time,
        });
        self.match_messages(channel);
    }

    fn match_messages(&mut self, channel: u32) {
        let (sent, posted) = (
            self.sent.entry(channel).or_default(),
            self.posted.entry(channel).or_default(),
        );
        let (Some(&send), Some(&receive)) = (sent.front(), posted.front()) else {
            return;
        };
        sent.pop_front();
        posted.pop_front();
        let costs = &self.machine.costs[send.size as usize];
        let met = protocol::matched_completions(costs, send.time, receive.time);
        let mut complete = |side: PostedEndpoint, completion| {
            if let Some(transfer) = self.transfers.get_mut(&(side.rank, side.slot)) {
                transfer.completion = Some(completion);
            }
        };
        if let Some(completion) = met.send {
            complete(send, completion);
        }
        complete(receive, met.receive);
    }
}
