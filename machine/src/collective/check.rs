//! Runs a schedule on sets of contributions: every message must have its receive, and nothing may
//! be combined twice. For tests of the algorithms alone.

use super::{Part, Step};
use std::collections::{BTreeSet, VecDeque};

/// What happens to a rank's set when one arrives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Contributions {
    /// It takes the place of what the rank had.
    Replace,
    /// Both together; the same contribution may come twice (a barrier only tells who arrived).
    Union,
    /// Both together at the next [`Step::Combine`]; none may come twice. A set received and never
    /// combined takes the place of what the rank had.
    Combine,
}

/// The set of ranks whose contributions each rank holds in the end, as bits.
pub(super) fn run(
    schedule: fn(u32, u32, u32) -> Vec<Step>,
    ranks: u32,
    root: u32,
    rule: Contributions,
) -> Vec<u64> {
    let mut machine = Machine {
        rule,
        ranks: ranks as usize,
        held: (0..ranks).map(|rank| 1 << rank).collect(),
        received: vec![None; ranks as usize],
        channels: vec![VecDeque::new(); (ranks * ranks) as usize],
    };
    let steps: Vec<Vec<Step>> = (0..ranks).map(|rank| schedule(rank, ranks, root)).collect();
    let mut next = vec![(0, false); ranks as usize];
    while let Some(rank) = (0..steps.len()).find(|&rank| {
        next[rank].0 < steps[rank].len()
            && machine.can(rank, steps[rank][next[rank].0], next[rank].1)
    }) {
        next[rank] = machine.step(rank, steps[rank][next[rank].0], next[rank]);
    }
    for rank in 0..steps.len() {
        assert_eq!(
            next[rank].0,
            steps[rank].len(),
            "{ranks} ranks: rank {rank} waits for ever"
        );
        machine.complete_rounds(rank);
    }
    assert!(
        machine.channels.iter().all(VecDeque::is_empty),
        "{ranks} ranks: a message is left over"
    );
    machine.held
}

struct Machine {
    rule: Contributions,
    ranks: usize,
    held: Vec<u64>,
    received: Vec<Option<u64>>,
    channels: Vec<VecDeque<u64>>,
}

impl Machine {
    fn channel(&mut self, from: usize, to: usize) -> &mut VecDeque<u64> {
        assert!(
            from < self.ranks && to < self.ranks && from != to,
            "{from} to {to}"
        );
        &mut self.channels[from * self.ranks + to]
    }

    /// Whether the next half of a step can be done; an exchange sends first.
    fn can(&mut self, rank: usize, step: Step, sent: bool) -> bool {
        match step {
            Step::Send { .. } | Step::Combine(_) => true,
            Step::Receive { from, .. } => !self.channel(from as usize, rank).is_empty(),
            Step::Exchange { from, .. } => !sent || !self.channel(from as usize, rank).is_empty(),
        }
    }

    fn step(&mut self, rank: usize, step: Step, (index, sent): (usize, bool)) -> (usize, bool) {
        match step {
            Step::Send { to, .. } => self.send(rank, to as usize),
            Step::Receive { from, .. } => self.receive(rank, from as usize),
            Step::Exchange { to, .. } if !sent => {
                self.send(rank, to as usize);
                return (index, true);
            }
            Step::Exchange { from, .. } => self.receive(rank, from as usize),
            Step::Combine(_) => {
                let received = self.received[rank].take().expect("something to combine");
                assert_eq!(
                    self.held[rank] & received,
                    0,
                    "combined twice on rank {rank}"
                );
                self.held[rank] |= received;
            }
        }
        (index + 1, false)
    }

    fn send(&mut self, rank: usize, to: usize) {
        self.complete_rounds(rank);
        let held = self.held[rank];
        self.channel(rank, to).push_back(held);
    }

    fn receive(&mut self, rank: usize, from: usize) {
        self.complete_rounds(rank);
        self.received[rank] = self.channel(from, rank).pop_front();
    }

    /// What was received and is not combined takes its place.
    fn complete_rounds(&mut self, rank: usize) {
        if let Some(received) = self.received[rank].take() {
            match self.rule {
                Contributions::Union => self.held[rank] |= received,
                Contributions::Replace | Contributions::Combine => self.held[rank] = received,
            }
        }
    }
}

/// The messages of a schedule of single blocks as (from, to, part): each is sent once and received once.
pub(super) fn messages(
    schedule: fn(u32, u32, u32) -> Vec<Step>,
    ranks: u32,
    root: u32,
) -> BTreeSet<(u32, u32, Part)> {
    let (mut sent, mut received) = (BTreeSet::new(), BTreeSet::new());
    for rank in 0..ranks {
        for step in schedule(rank, ranks, root) {
            let (to, from) = match step {
                Step::Send { to, part } => (Some((to, part)), None),
                Step::Receive { from, part } => (None, Some((from, part))),
                Step::Exchange {
                    to,
                    sent,
                    from,
                    received,
                } => (Some((to, sent)), Some((from, received))),
                Step::Combine(_) => (None, None),
            };
            let once = to.is_none_or(|(to, part)| sent.insert((rank, to, part)))
                && from.is_none_or(|(from, part)| received.insert((from, rank, part)));
            assert!(once, "{ranks} ranks: rank {rank} repeats {step:?}");
        }
    }
    assert_eq!(sent, received, "{ranks} ranks");
    sent
}
