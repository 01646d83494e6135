//! Sums of an observed run's times: per rank, per call site, per gap between two calls, per block.
//! Numbers only; how they are shown is in [`super::observation`].

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

/// Where one rank's time went.
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

/// The sums of a run; ranks that left nothing have none.
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

/// On the way along one rank.
struct StreamWalk<'a> {
    sums: &'a mut Sums,
    rank: RankSums,
    last: Option<CallSiteId>,
    /// Computation since then.
    gap: Time,
}

impl StreamWalk<'_> {
    fn follow(&mut self, observation: &Observation, times: &ObservedRank, rank: Rank) {
        let had: BTreeMap<(u32, Stretch), Time> = times
            .processor
            .iter()
            .map(|found| ((found.entry, found.stretch), found.time))
            .collect();
        let durations = times.gaps.iter().zip(&times.durations);
        for ((op, (&gap, &time)), entry) in entries(&observation.program, rank)
            .zip(durations)
            .zip(0u32..)
        {
            self.compute(gap, had.get(&(entry, Stretch::Gap)));
            match op {
                Op::Block { block, .. } => {
                    let computed = self.compute(time, had.get(&(entry, Stretch::Entry)));
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

    /// Books a stretch outside MPI; gives what of it was computation.
    fn compute(&mut self, wall: Time, had: Option<&Time>) -> Time {
        let computing = had.map_or(wall, |&had| had.min(wall));
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
