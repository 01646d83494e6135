//! Processor time within observed computation. The observer queries it around long
//! computations only; a short one that took thousands of times its usual time was interrupted, by the
//! rule that the compute probe applies to its measurements (`token_runtime::measure`).

use base_data::compute_data::Unit;
use base_data::observation::{Observation, ObservedRank, Stretch};
use base_data::program_data::Op;
use base_data::stream::entries;
use base_data::{Rank, Time};
use std::collections::{BTreeMap, HashMap};

/// Others' turns on a processor last at least so long.
const LONG: Time = Time::from_picoseconds(20_000_000);
/// A stretch is suspicious from this many times its usual length on.
const SUSPICIOUS: i64 = 10;
/// Share of executions above which those that take longer do more work: others' turns do not come so often.
const OFTEN: f64 = 0.05;
/// Executions from which on one of them is usual.
const ENOUGH: usize = 5;

/// Processor times of one rank.
pub(crate) struct ProcessorTimes {
    /// Those that the observer queried, by entry and stretch.
    asked: BTreeMap<(u32, Stretch), Time>,
    /// Usual times of interrupted stretches.
    usual: BTreeMap<(u32, Stretch), Time>,
}

impl ProcessorTimes {
    /// Those of a rank.
    pub(crate) fn of(observation: &Observation, rank: Rank, times: &ObservedRank) -> Self {
        let asked = times
            .processor
            .iter()
            .map(|found| ((found.entry, found.stretch), found.time))
            .collect();
        let mut found = Self {
            asked,
            usual: BTreeMap::new(),
        };
        if observation.unit == Unit::Time {
            found.usual = found.interrupted(observation, rank, times);
        }
        found
    }

    /// How long a stretch of this length had the processor.
    pub(crate) fn had(&self, entry: u32, stretch: Stretch, wall: Time) -> Time {
        let place = (entry, stretch);
        self.asked
            .get(&place)
            .or_else(|| self.usual.get(&place))
            .copied()
            // Without a sign of an interruption, the rank had the processor all the time.
            .unwrap_or(wall)
    }

    fn interrupted(
        &self,
        observation: &Observation,
        rank: Rank,
        times: &ObservedRank,
    ) -> BTreeMap<(u32, Stretch), Time> {
        let mut alike: HashMap<(u32, u32, Stretch), Vec<(u32, Time)>> = HashMap::new();
        let (mut ops, mut before) = (Ops::default(), u32::MAX);
        let spent = times.gaps.iter().zip(&times.durations);
        for ((op, (&gap, &duration)), entry) in
            entries(&observation.program, rank).zip(spent).zip(0u32..)
        {
            let own = ops.number(op);
            alike
                .entry((before, own, Stretch::Gap))
                .or_default()
                .push((entry, gap));
            if matches!(op, Op::Block { .. }) {
                alike
                    .entry((own, own, Stretch::Entry))
                    .or_default()
                    .push((entry, duration));
            }
            before = own;
        }
        // The map has no order; what is found goes into an ordered one.
        let found = alike.iter().flat_map(|(&(.., stretch), times)| {
            suspicious(times)
                .into_iter()
                .map(move |(entry, time)| ((entry, stretch), time))
        });
        found.collect()
    }
}

/// Equal entries of a stream have one number, wherever they stand.
#[derive(Default)]
struct Ops<'a> {
    numbers: HashMap<&'a Op, u32>,
    /// By address, since entries in loops come again and again.
    seen: HashMap<*const Op, u32>,
}

impl<'a> Ops<'a> {
    fn number(&mut self, op: &'a Op) -> u32 {
        *self.seen.entry(op).or_insert_with(|| {
            let next = self.numbers.len() as u32;
            *self.numbers.entry(op).or_insert(next)
        })
    }
}

/// Of times of the same thing those that others must have interrupted, with the usual one.
fn suspicious(times: &[(u32, Time)]) -> Vec<(u32, Time)> {
    if times.len() < ENOUGH || times.iter().all(|(_, time)| *time < LONG) {
        return Vec::new();
    }
    let mut sorted: Vec<Time> = times.iter().map(|(_, time)| *time).collect();
    sorted.sort_unstable();
    let usual = sorted[sorted.len() / 2];
    let bound = LONG.max(Time::from_picoseconds(
        usual.picoseconds().saturating_mul(SUSPICIOUS),
    ));
    let found: Vec<_> = times
        .iter()
        .filter(|(_, time)| *time > bound)
        .map(|&(entry, _)| (entry, usual))
        .collect();
    let is_work = found.len() > 1 && found.len() as f64 > OFTEN * times.len() as f64;
    if is_work { Vec::new() } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlier_executions_count_as_interrupted() {
        let found = |microseconds: &[i64]| {
            let time = |us: &i64| Time::from_picoseconds(us * 1_000_000);
            let times: Vec<(u32, Time)> = (0..).zip(microseconds.iter().map(time)).collect();
            let shown = |(entry, time): (u32, Time)| (entry, time.picoseconds() / 1_000_000);
            suspicious(&times)
                .into_iter()
                .map(shown)
                .collect::<Vec<_>>()
        };
        assert_eq!(found(&[3, 3, 4000, 4, 3]), [(2, 3)]);
        assert_eq!(found(&[3, 3, 29, 4, 3]), [], "not ten times as long");
        assert_eq!(found(&[1, 1, 15, 1, 1]), [], "shorter than any time slice");
        assert_eq!(
            found(&[3, 3, 4000, 4]),
            [],
            "too few to know the usual time"
        );
        assert_eq!(found(&[3, 3, 4000, 5000, 4000]), [], "most are long");
        assert_eq!(
            found(&[3, 3, 4000, 3, 3, 3, 4000]),
            [],
            "so often it is work"
        );
    }
}
