//! The times of compute blocks in one draw, and those without draws.

use super::seeds::{EXTRAPOLATION, FULL_NODES, MESSAGES, NOISE, RUNS, SAMPLING, Seeds};
use super::{HEADLINE, Varying, around_one, spread};
use crate::block_times::{BlockTimesTable, LoadImbalance, Progress, VariantTime};
use crate::random::{Random, normal_quantile};
use crate::replay::dataflow::BlockTimes;
use crate::setup::Setup;
use base_data::Time;
use base_data::compute_data::Unit;

/// Mean in picoseconds and shape of one kind of executions.
#[derive(Clone, Copy)]
struct Drawn {
    mean: f64,
    shape: u32,
    /// As [`VariantTime::time_series`], of later executions.
    time_series: u32,
    /// As [`VariantTime::unequal`].
    unequal: u32,
}

/// Times of one draw.
pub(super) struct DrawnTimes<'a> {
    table: &'a BlockTimesTable,
    speeds: &'a [f64],
    /// First and warm executions by place in the table, as this draw has them.
    drawn: Vec<[Drawn; 2]>,
    /// Factors by rank where ranks may be unequal, as the table numbers them; empty where that does not vary.
    unequal: Vec<Vec<f64>>,
    /// One stream per rank; none without noise or where no block varies.
    noise: Vec<Random>,
    /// The same for the noise of messages.
    messages: Vec<Random>,
    /// Which of the draws this is whose streams of noise are the same; `None` where each has its own.
    stratum: Option<u64>,
    rounding: Rounding,
    progress: Progress,
}

impl<'a> DrawnTimes<'a> {
    pub(super) fn new(setup: &Setup<'a>, varying: Varying, seeds: Seeds) -> Self {
        // One run has one machine and one use of its nodes: all blocks are off together.
        let spread_of_runs = if varying.runs {
            setup.times.runs.spread()
        } else {
            0.0
        };
        let run = around_one(
            spread_of_runs,
            if varying.runs {
                seeds.normal(RUNS, 0)
            } else {
                0.0
            },
        );
        let fullness = if varying.node_occupancy {
            seeds.stratum(FULL_NODES, 0)
        } else if varying == HEADLINE {
            0.5
        } else {
            0.0
        };
        let mean = |(variant, time): (usize, &VariantTime)| {
            let (mut first, mut warm) = (time.first.mean, time.warm.mean);
            if varying.sampling {
                let number = 2 * variant as u64;
                first *= sampled(seeds, number, time.first.relative_error);
                warm *= sampled(seeds, number + 1, time.warm.relative_error);
            }
            if varying.extrapolation && spread(time) > 0.0 {
                // The rate is the block's: all its variants are off together.
                let normal = seeds.normal(EXTRAPOLATION, u64::from(time.block));
                let rate = around_one(spread(time), normal);
                (first, warm) = (first * rate, warm * rate);
            }
            let together = run * (1.0 + fullness * time.slowdown);
            (first, warm) = (first * together, warm * together);
            let unequal = time.unequal;
            let first = Drawn {
                mean: first,
                shape: time.first.shape,
                time_series: 0,
                unequal,
            };
            [
                first,
                Drawn {
                    mean: warm,
                    shape: time.warm.shape,
                    time_series: time.time_series,
                    unequal,
                },
            ]
        };
        let place = if varying.extrapolation {
            seeds.place()
        } else {
            0.0
        };
        let unequal = |(number, unequal): (u64, &LoadImbalance)| match varying.deals {
            true => {
                let mut random = seeds.deal(number);
                unequal.factors_off(setup.speeds.len(), &mut random, place)
            }
            false => Vec::new(),
        };
        // What changes one block's work, or divides it, does so with that of others, on all ranks.
        let ranks = if varying.noise && setup.times.varies() {
            setup.speeds.len()
        } else {
            0
        };
        let senders = if varying.messages && setup.messages_vary() {
            setup.speeds.len()
        } else {
            0
        };
        // Batch 0 has streams of its own for each draw; the draws of others share them.
        let stratum = if seeds.batch > 0 {
            Some(seeds.draw)
        } else {
            None
        };
        let streams = |kind: u64, ranks: usize| {
            (0..ranks as u64)
                .map(|rank| seeds.noise(kind, rank))
                .collect()
        };
        Self {
            table: setup.times,
            speeds: setup.speeds,
            drawn: setup.times.variants.iter().enumerate().map(mean).collect(),
            unequal: (0..).zip(&setup.times.unequal).map(unequal).collect(),
            noise: streams(NOISE, ranks),
            messages: streams(MESSAGES, senders),
            stratum,
            rounding: Rounding::of(setup.times, setup.speeds.len()),
            progress: progress(setup.times, setup.speeds.len(), place),
        }
    }
}

impl BlockTimes for DrawnTimes<'_> {
    #[inline(always)]
    fn time(&mut self, rank: u32, variant: u32, first: bool) -> Time {
        let place = self.table.place(rank, variant);
        let Drawn {
            mean,
            shape,
            time_series,
            unequal,
        } = self.drawn[place][usize::from(!first)];
        let noise = match self.noise.get_mut(rank as usize) {
            Some(random) if shape > 0 => {
                let unit = unit_of(random, self.stratum);
                self.table.shapes[shape as usize].at(unit)
            }
            _ => 1.0,
        };
        let mean = match self.table.time_series(time_series) {
            None => mean,
            Some(time_series) => mean * self.progress.factor(rank, variant, time_series),
        };
        let mean = match unequal {
            0 => mean,
            number => {
                mean * self.unequal[number as usize - 1]
                    .get(rank as usize)
                    .copied()
                    .unwrap_or(1.0)
            }
        };
        let speed = self.speeds[rank as usize];
        // Most PUs are those of the compute data; a division takes as long as all else here.
        let time = if speed == 1.0 {
            mean * noise
        } else {
            mean * noise / speed
        };
        self.rounding.rounded(rank, time)
    }

    fn state(&self, rank: u32) -> Option<u64> {
        // With noise, each execution takes another time, so no state comes again.
        if !self.noise.is_empty() {
            return None;
        }
        Some(self.rounding.state(rank) ^ self.progress.state(rank))
    }

    fn message_factor(&mut self, rank: u32, noise: f64) -> f64 {
        let Some(random) = self.messages.get_mut(rank as usize) else {
            return 1.0;
        };
        // A normal number has a value for each unit but 0.
        let unit = unit_of(random, self.stratum).max(f64::EPSILON);
        around_one(noise, normal_quantile(unit))
    }
}

/// The next number of a stream, evenly between 0 and 1.
#[inline(always)]
fn unit_of(random: &mut Random, stratum: Option<u64>) -> f64 {
    match stratum {
        None => random.unit(),
        Some(draw) => random.stratified_unit(draw),
    }
}

/// Times as whole picoseconds. A block of few statements would be off by a good part if its mean were
/// rounded each time: for statements, what rounding left over goes into the rank's next block.
struct Rounding {
    /// By rank; empty where nothing is kept.
    left: Vec<f64>,
}

impl Rounding {
    fn of(times: &BlockTimesTable, ranks: usize) -> Self {
        let kept = match times.unit {
            Unit::Time => 0,
            Unit::Statements => ranks,
        };
        Self {
            left: vec![0.0; kept],
        }
    }

    /// What is left over of a rank, bit by bit.
    fn state(&self, rank: u32) -> u64 {
        self.left
            .get(rank as usize)
            .map_or(0, |left| left.to_bits())
    }

    /// To the nearest; for times, which are never negative.
    #[inline]
    fn rounded(&mut self, rank: u32, picoseconds: f64) -> Time {
        // As nothing is below −0.5, cutting off the fraction rounds down.
        let nearest = |exact: f64| (exact + 0.5) as i64;
        let whole = match self.left.get_mut(rank as usize) {
            None => nearest(picoseconds),
            Some(left) => {
                let exact = picoseconds + *left;
                *left = exact - nearest(exact) as f64;
                nearest(exact)
            }
        };
        Time::from_picoseconds(whole)
    }
}

/// Nothing is counted where no block has a time series; `trailing` says how far executions behind it are off.
fn progress(times: &BlockTimesTable, ranks: usize, trailing: f64) -> Progress {
    Progress::of(
        if times.time_series_table.is_empty() {
            0
        } else {
            ranks
        },
        trailing,
    )
}

/// Times without draws: every execution takes the mean.
pub(crate) struct MeanTimes<'a> {
    table: &'a BlockTimesTable,
    speeds: &'a [f64],
    rounding: Rounding,
    progress: Progress,
}

impl<'a> MeanTimes<'a> {
    pub(crate) fn new(table: &'a BlockTimesTable, speeds: &'a [f64]) -> Self {
        let (rounding, progress) = (
            Rounding::of(table, speeds.len()),
            progress(table, speeds.len(), 0.0),
        );
        Self {
            table,
            speeds,
            rounding,
            progress,
        }
    }
}

impl BlockTimes for MeanTimes<'_> {
    fn time(&mut self, rank: u32, variant: u32, first: bool) -> Time {
        let time = self.table.of(rank, variant);
        let mean = match self.table.time_series(time.time_series) {
            _ if first => time.first.mean,
            None => time.warm.mean,
            Some(time_series) => time.warm.mean * self.progress.factor(rank, variant, time_series),
        };
        self.rounding
            .rounded(rank, mean / self.speeds[rank as usize])
    }

    fn state(&self, rank: u32) -> Option<u64> {
        Some(self.rounding.state(rank) ^ self.progress.state(rank))
    }
}

/// The factor by which a mean is off that is known to so much.
fn sampled(seeds: Seeds, number: u64, relative_error: f64) -> f64 {
    if relative_error > 0.0 {
        around_one(relative_error, seeds.normal(SAMPLING, number))
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_statements_are_not_lost() {
        let times = |unit| BlockTimesTable {
            unit,
            ..BlockTimesTable::default()
        };
        let sum = |unit| -> i64 {
            let mut rounding = Rounding::of(&times(unit), 1);
            (0..8)
                .map(|_| rounding.rounded(0, 2.25).picoseconds())
                .sum()
        };
        assert_eq!((sum(Unit::Statements), sum(Unit::Time)), (18, 16));
    }
}
