//! Sums of an observed run's times: per rank, per call site, per gap between two calls, per block. [`super::observation`] formats
//! them.

use base_data::observation::{Observation, ObservedRank, Stretch};
use base_data::program_data::{Mark, Op};
use base_data::stream::entries;
use base_data::{BlockId, CallSiteId, Rank, Time};
use std::collections::BTreeMap;

/// All sums of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// In rank order.
    pub ranks: Vec<RankSums>,
    /// Time in calls.
    pub calls: BTreeMap<CallSiteId, PlaceTime>,
    /// Computation between two calls or reads of the clock; `None` is the begin or end of the run.
    pub gaps: BTreeMap<(Option<CallSiteId>, Option<CallSiteId>), PlaceTime>,
    /// Computation in blocks.
    pub blocks: BTreeMap<BlockId, PlaceTime>,
}

/// Split of one rank's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankSums {
    /// Outside MPI, on a processor.
    pub computing: Time,
    /// Outside MPI, while another process had the processor.
    pub waiting: Time,
    /// In MPI calls.
    pub inside: Time,
    /// MPI calls.
    pub calls: u64,
}

impl RankSums {
    /// All of the rank's time.
    pub fn whole(&self) -> Time {
        self.computing + self.waiting + self.inside
    }
}

/// Time spent at one place by all ranks together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaceTime {
    /// How often.
    pub times: u64,
    /// In all.
    pub sum: Time,
    /// The longest single one.
    pub longest: Time,
}

impl PlaceTime {
    fn add(&mut self, time: Time) {
        self.times += 1;
        self.sum += time;
        self.longest = self.longest.max(time);
    }
}

/// The sums of a run. Ranks without a recording have none.
pub fn sums(observation: &Observation) -> Sums {
    let mut sums = Sums::default();
    for (times, rank) in observation.ranks.iter().zip((0..).map(Rank)) {
        let mut walk = StreamWalk {
            sums: &mut sums,
            rank: RankSums::default(),
            last: None,
            gap: Time::ZERO,
        };
        walk.follow(observation, times, rank);
        let found = walk.rank;
        sums.ranks.push(found);
    }
    sums
}

/// State of the walk along one rank's stream.
struct StreamWalk<'a> {
    sums: &'a mut Sums,
    rank: RankSums,
    /// The last call or clock read.
    last: Option<CallSiteId>,
    /// Computation since then.
    gap: Time,
}

impl StreamWalk<'_> {
    fn follow(&mut self, observation: &Observation, times: &ObservedRank, rank: Rank) {
        let mut processor: BTreeMap<(u32, Stretch), Time> = BTreeMap::new();
        for found in &times.processor {
            processor.insert((found.entry, found.stretch), found.time);
        }
        let durations = times.gaps.iter().zip(&times.durations);
        for ((op, (&gap, &time)), entry) in entries(&observation.program, rank)
            .zip(durations)
            .zip(0u32..)
        {
            self.compute(gap, processor.get(&(entry, Stretch::Gap)));
            match op {
                Op::Block { block, .. } => {
                    let computed = self.compute(time, processor.get(&(entry, Stretch::Entry)));
                    self.sums.blocks.entry(*block).or_default().add(computed);
                }
                Op::Call { site, .. } => {
                    self.stop(Some(*site));
                    self.rank.inside += time;
                    self.rank.calls += 1;
                    self.sums.calls.entry(*site).or_default().add(time);
                }
                Op::Mark(Mark::Clock { site, .. }) => self.stop(Some(*site)),
                Op::Mark(Mark::SectionBegin | Mark::SectionEnd) | Op::Loop { .. } => {}
            }
        }
        if self.gap != Time::ZERO {
            self.stop(None);
        }
    }

    /// Adds a time outside MPI and returns the part of it that was computation.
    fn compute(&mut self, wall: Time, processor: Option<&Time>) -> Time {
        // Processor time is recorded for long times only, since reading it costs a system call. Its
        // clock may be slightly ahead of the wall clock.
        let computing = match processor {
            Some(&processor) => processor.min(wall),
            None => wall,
        };
        self.rank.computing += computing;
        self.rank.waiting += wall - computing;
        self.gap += computing;
        computing
    }

    fn stop(&mut self, site: Option<CallSiteId>) {
        let gap = std::mem::take(&mut self.gap);
        // Nothing lies before the first call.
        if self.last.is_some() || gap != Time::ZERO {
            self.sums
                .gaps
                .entry((self.last, site))
                .or_default()
                .add(gap);
        }
        self.last = site;
    }
}
