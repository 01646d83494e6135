//! How sure the estimate is: replays with draws, all sources of doubt together for the headline and
//! its percentiles, each source alone for its width.
//!
//! - *noise*: each execution of a block draws from the block's measured distribution;
//! - *sampling*: each block's mean is off by its standard error;
//! - *extrapolation*: blocks timed by their rate are off by the spread of the rate, and work that hangs on data is dealt out
//!   among ranks of other numbers than were measured;
//! - *runs*: all blocks are off together by how much measuring runs differ;
//! - *full nodes*: where the platform's nodes are fuller than those measured on, blocks are slower by up to what
//!   that may cost;
//! - *calibration*: network times of each kind of link are off by the residual of the fit.
//!
//! Draws are numbered, and random streams belong to (seed, draw, rank or block), so that neither the
//! order of ranks nor the number of threads changes a digit.

use crate::EstimateError;
use crate::block_times::{BlockTimesTable, Course, Coverage, Progress, UnequalRanks, VariantTime};
use crate::random::Random;
use crate::replay::dataflow::{BlockTimes, LinkScales};
use crate::replay::observer::Nobody;
use crate::replay::workspace::{Outcome, Workspace};
use crate::setup::{Setup, check_length, headline};
use base_data::Time;
use base_data::compute_data::Unit;
use base_data::estimate_file::IntervalSource;

/// What varies in a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Varying {
    noise: bool,
    sampling: bool,
    extrapolation: bool,
    runs: bool,
    full_nodes: bool,
    calibration: bool,
}

const NOTHING: Varying = Varying {
    noise: false,
    sampling: false,
    extrapolation: false,
    runs: false,
    full_nodes: false,
    calibration: false,
};
const EVERYTHING: Varying = Varying {
    noise: true,
    sampling: true,
    extrapolation: true,
    runs: true,
    full_nodes: true,
    calibration: true,
};

/// The sources by name.
const SOURCES: [(&str, Varying); 6] = [
    ("noise", Varying { noise: true, ..NOTHING }),
    ("sampling", Varying { sampling: true, ..NOTHING }),
    ("extrapolation", Varying { extrapolation: true, ..NOTHING }),
    ("runs", Varying { runs: true, ..NOTHING }),
    ("full nodes", Varying { full_nodes: true, ..NOTHING }),
    ("calibration", Varying { calibration: true, ..NOTHING }),
];

/// Events of all draws together that are full replays: half an hour at the most.
const MOST_DRAWN_EVENTS: u64 = 1 << 36;

/// Percentiles of the draws.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interval {
    pub(crate) median: Time,
    pub(crate) p10: Time,
    pub(crate) p90: Time,
    pub(crate) draws: u32,
    pub(crate) sources: Vec<IntervalSource>,
    /// Why there are fewer draws than asked for.
    pub(crate) remark: Option<String>,
}

/// Draws `wanted` times, and a quarter as often (but 10 times at least) for each source alone; less often
/// where that would take too long after what the replay with `means` had to do, and for single sources only
/// `with_sources`. Without draws everything is
/// the total with means; a single draw has no width.
///
/// # Errors
/// Those of making the network model; totals beyond [`Time::MAX`].
pub(crate) fn interval(
    setup: &Setup<'_>,
    wanted: u32,
    seed: u64,
    means: &Outcome,
    with_sources: bool,
) -> Result<Interval, EstimateError> {
    let draws = affordable(setup, wanted, means.events);
    let remark = (draws < wanted).then(|| fewer(draws, wanted, means.events));
    if draws == 0 {
        let mean = headline(&means.ranks);
        return Ok(Interval { median: mean, p10: mean, p90: mean, draws, sources: Vec::new(), remark });
    }
    if !can_vary(setup, &EVERYTHING) {
        // Every draw is the replay with means.
        let mean = headline(&means.ranks);
        return Ok(Interval { median: mean, p10: mean, p90: mean, draws, sources: Vec::new(), remark });
    }
    let all = sorted_draws(setup, EVERYTHING, draws, seed)?;
    let mut sources = Vec::new();
    let widens = |varying: &Varying| with_sources && draws > 1 && can_vary(setup, varying);
    for (name, varying) in SOURCES.into_iter().filter(|(_, varying)| widens(varying)) {
        let alone = sorted_draws(setup, varying, (draws / 4).max(10).min(draws), seed)?;
        let width = percentile(&alone, 0.9) - percentile(&alone, 0.1);
        sources.push(IntervalSource { name: name.into(), width });
    }
    sources.sort_by_key(|source| std::cmp::Reverse(source.width));
    let (median, p10, p90) = (percentile(&all, 0.5), percentile(&all, 0.1), percentile(&all, 0.9));
    Ok(Interval { median, p10, p90, draws, sources, remark })
}

/// As many of the wanted draws as can be made: with noise each is a full replay.
fn affordable(setup: &Setup<'_>, wanted: u32, events: u64) -> u32 {
    if !setup.times.varies() {
        return wanted;
    }
    u32::try_from(MOST_DRAWN_EVENTS / events.max(1)).map_or(wanted, |most| most.min(wanted))
}

fn fewer(draws: u32, wanted: u32, events: u64) -> String {
    let made = match draws {
        0 => "none is made, and the time is that with mean times".into(),
        draws => format!("{draws} are made"),
    };
    format!(
        "the program is too long for {wanted} draws, in which each of its {events} events is replayed as block times          vary; {made}"
    )
}

/// Whether a source has anything to vary.
fn can_vary(setup: &Setup<'_>, varying: &Varying) -> bool {
    let any = |vary: &dyn Fn(&VariantTime) -> bool| setup.times.variants.iter().any(vary);
    varying.noise && setup.times.varies()
        || varying.sampling && any(&|time| time.first.relative_error + time.warm.relative_error > 0.0)
        || varying.extrapolation
            && (any(&|time| spread(time) > 0.0)
                || setup.times.courses.iter().any(Course::goes_on)
                || !setup.times.unequal.is_empty())
        || varying.runs && setup.times.runs.spread() > 0.0
        || varying.full_nodes && any(&|time| time.slowdown > 0.0)
        || varying.calibration && setup.residuals.iter().any(|residual| residual.is_some_and(|r| r > 0.0))
}

fn spread(time: &VariantTime) -> f64 {
    match time.coverage {
        Coverage::Extrapolated { spread } => spread,
        Coverage::Measured | Coverage::Missing => 0.0,
    }
}

/// Linear between the values, which are sorted and not empty.
fn percentile(sorted: &[Time], share: f64) -> Time {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below).scaled(place.fract())
}

fn sorted_draws(
    setup: &Setup<'_>,
    varying: Varying,
    draws: u32,
    seed: u64,
) -> Result<Vec<Time>, EstimateError> {
    if !SOURCES.iter().any(|(_, source)| can_vary(setup, &both(*source, varying))) {
        // Nothing varies: every draw is the same.
        let only = draw_all(setup, varying, 0, 1, 1, seed)?;
        return Ok(only.into_iter().cycle().take(draws as usize).collect());
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(draws as usize) as u32;
    let parts: Vec<Result<Vec<Time>, EstimateError>> = std::thread::scope(|scope| {
        let start = |first| scope.spawn(move || draw_all(setup, varying, first, draws, threads, seed));
        let running: Vec<_> = (0..threads).map(start).collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause)))
            .collect()
    });
    let mut times: Vec<Time> =
        parts.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    times.sort_unstable();
    Ok(times)
}

fn both(a: Varying, b: Varying) -> Varying {
    Varying {
        noise: a.noise && b.noise,
        sampling: a.sampling && b.sampling,
        extrapolation: a.extrapolation && b.extrapolation,
        runs: a.runs && b.runs,
        full_nodes: a.full_nodes && b.full_nodes,
        calibration: a.calibration && b.calibration,
    }
}

/// Draws number `first`, `first + stride`, … below `end`.
fn draw_all(
    setup: &Setup<'_>,
    varying: Varying,
    first: u32,
    end: u32,
    stride: u32,
    seed: u64,
) -> Result<Vec<Time>, EstimateError> {
    let mut work = Workspace::default();
    let mut times = Vec::new();
    for draw in (first..end).step_by(stride as usize) {
        let seeds = Seeds { seed, draw: u64::from(draw), draws: u64::from(end) };
        let scales = if varying.calibration { link_scales(setup, seeds) } else { LinkScales::ONE };
        let drawn = DrawnTimes::new(setup, varying, seeds);
        let (_, outcome) = setup.run(&mut work, scales, drawn, Nobody)?;
        check_length(setup, &outcome.ranks)?;
        times.push(headline(&outcome.ranks));
    }
    Ok(times)
}

/// What random streams of one draw are named by.
#[derive(Clone, Copy)]
struct Seeds {
    seed: u64,
    draw: u64,
    /// How many draws there are.
    draws: u64,
}

/// Kinds of streams within a draw.
const NOISE: u64 = 1;
const SAMPLING: u64 = 2;
const EXTRAPOLATION: u64 = 3;
const CALIBRATION: u64 = 4;
const RUNS: u64 = 5;
const FULL_NODES: u64 = 6;
const UNEQUAL_RANKS: u64 = 7;

impl Seeds {
    fn stream(self, kind: u64, number: u64) -> Random {
        Random::stream(&[self.seed, self.draw, kind, number])
    }

    /// Where the draw stands among all, which are evenly from below −1 to above 1, one in ten beyond either: the median
    /// is what nothing varies.
    fn place(self) -> f64 {
        let last = self.draws.saturating_sub(1).max(1) as f64;
        if self.draws > 1 { 1.25 * (2.0 * self.draw as f64 / last - 1.0) } else { 0.0 }
    }

    /// Normal with deviation 1, and the opposite in the draw that stands as far from the other end (antithetic variates:
    /// Hammersley and Morton, Proc. Cambridge Phil. Soc. 52, 1956): however much varies, few draws have the median of many.
    fn mirrored_normal(self, kind: u64, number: u64) -> f64 {
        let opposite = self.draws.saturating_sub(1 + self.draw);
        let normal = Self { draw: self.draw.min(opposite), ..self }.stream(kind, number).normal();
        match self.draw.cmp(&opposite) {
            std::cmp::Ordering::Less => normal,
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Greater => -normal,
        }
    }
}

/// A factor around 1; times are never negative, and never so small that a deviation of several sigma
/// would make them vanish.
fn factor(random: &mut Random, deviation: f64) -> f64 {
    around_one(deviation, random.normal())
}

fn around_one(deviation: f64, normal: f64) -> f64 {
    (1.0 + deviation * normal).max(0.05)
}

fn link_scales(setup: &Setup<'_>, seeds: Seeds) -> LinkScales {
    let scale = |link: usize| {
        let deviation = setup.residuals[link].unwrap_or(0.0);
        factor(&mut seeds.stream(CALIBRATION, link as u64), deviation)
    };
    LinkScales { to_self: scale(0), inside_node: scale(1), between_nodes: scale(2) }
}

/// Mean in picoseconds and shape of one kind of executions.
#[derive(Clone, Copy)]
struct Drawn {
    mean: f64,
    shape: u32,
    /// As [`VariantTime::course`], of later executions.
    course: u32,
    /// As [`VariantTime::unequal`].
    unequal: u32,
}

/// Times of one draw.
struct DrawnTimes<'a> {
    table: &'a BlockTimesTable,
    speeds: &'a [f64],
    /// First and warm executions by place in the table, as this draw has them.
    drawn: Vec<[Drawn; 2]>,
    /// Factors by rank where ranks may be unequal, as the table numbers them; empty where that does not vary.
    unequal: Vec<Vec<f64>>,
    /// One stream per rank; none without noise or where no block varies.
    noise: Vec<Random>,
    rounding: Rounding,
    progress: Progress,
}

impl<'a> DrawnTimes<'a> {
    fn new(setup: &Setup<'a>, varying: Varying, seeds: Seeds) -> Self {
        // One run has one machine and one use of its nodes: all blocks are off together.
        let spread_of_runs = if varying.runs { setup.times.runs.spread() } else { 0.0 };
        let run = factor(&mut seeds.stream(RUNS, 0), spread_of_runs);
        let fullness = if varying.full_nodes { seeds.stream(FULL_NODES, 0).unit() } else { 0.0 };
        let mean = |(variant, time): (usize, &VariantTime)| {
            let (mut first, mut warm) = (time.first.mean, time.warm.mean);
            if varying.sampling {
                let mut random = seeds.stream(SAMPLING, variant as u64);
                first *= factor(&mut random, time.first.relative_error);
                warm *= factor(&mut random, time.warm.relative_error);
            }
            if varying.extrapolation && spread(time) > 0.0 {
                // The rate is the block's: all its variants are off together.
                let normal = seeds.mirrored_normal(EXTRAPOLATION, u64::from(time.block));
                let rate = around_one(spread(time), normal);
                (first, warm) = (first * rate, warm * rate);
            }
            let together = run * (1.0 + fullness * time.slowdown);
            (first, warm) = (first * together, warm * together);
            let unequal = time.unequal;
            let first = Drawn { mean: first, shape: time.first.shape, course: 0, unequal };
            [first, Drawn { mean: warm, shape: time.warm.shape, course: time.course, unequal }]
        };
        let unequal = |(number, unequal): (u64, &UnequalRanks)| match varying.extrapolation {
            true => {
                let mut random = seeds.stream(UNEQUAL_RANKS, number);
                unequal.factors_off(setup.speeds.len(), &mut random, seeds.place())
            }
            false => Vec::new(),
        };
        // What changes one block's work, or divides it, does so with that of others, on all ranks.
        let behind = if varying.extrapolation { seeds.place() } else { 0.0 };
        let ranks = if varying.noise && setup.times.varies() { setup.speeds.len() } else { 0 };
        Self {
            table: setup.times,
            speeds: setup.speeds,
            drawn: setup.times.variants.iter().enumerate().map(mean).collect(),
            unequal: (0..).zip(&setup.times.unequal).map(unequal).collect(),
            noise: (0..ranks).map(|rank| seeds.stream(NOISE, rank as u64)).collect(),
            rounding: Rounding::of(setup.times, setup.speeds.len()),
            progress: progress(setup.times, setup.speeds.len(), behind),
        }
    }
}

impl BlockTimes for DrawnTimes<'_> {
    #[inline(always)]
    fn time(&mut self, rank: u32, variant: u32, first: bool) -> Time {
        let place = self.table.place(rank, variant);
        let Drawn { mean, shape, course, unequal } = self.drawn[place][usize::from(!first)];
        let noise = match self.noise.get_mut(rank as usize) {
            Some(random) if shape > 0 => self.table.shapes[shape as usize].at(random.unit()),
            _ => 1.0,
        };
        let mean = match self.table.course(course) {
            None => mean,
            Some(course) => mean * self.progress.factor(rank, variant, course),
        };
        let mean = match unequal {
            0 => mean,
            number => mean * self.unequal[number as usize - 1].get(rank as usize).copied().unwrap_or(1.0),
        };
        let speed = self.speeds[rank as usize];
        // Most PUs are those of the compute data; a division takes as long as all else here.
        let time = if speed == 1.0 { mean * noise } else { mean * noise / speed };
        self.rounding.rounded(rank, time)
    }

    fn state(&self, rank: u32) -> Option<u64> {
        self.noise.is_empty().then(|| self.rounding.state(rank) ^ self.progress.state(rank))
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
        Self { left: vec![0.0; kept] }
    }

    /// What is left over of a rank, bit by bit.
    fn state(&self, rank: u32) -> u64 {
        self.left.get(rank as usize).map_or(0, |left| left.to_bits())
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

/// Nothing is counted where no block has a course; `behind` says how far executions behind it are off.
fn progress(times: &BlockTimesTable, ranks: usize, behind: f64) -> Progress {
    Progress::of(if times.courses.is_empty() { 0 } else { ranks }, behind)
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
        let (rounding, progress) = (Rounding::of(table, speeds.len()), progress(table, speeds.len(), 0.0));
        Self { table, speeds, rounding, progress }
    }
}

impl BlockTimes for MeanTimes<'_> {
    fn time(&mut self, rank: u32, variant: u32, first: bool) -> Time {
        let time = self.table.of(rank, variant);
        let mean = match self.table.course(time.course) {
            _ if first => time.first.mean,
            None => time.warm.mean,
            Some(course) => time.warm.mean * self.progress.factor(rank, variant, course),
        };
        self.rounding.rounded(rank, mean / self.speeds[rank as usize])
    }

    fn state(&self, rank: u32) -> Option<u64> {
        Some(self.rounding.state(rank) ^ self.progress.state(rank))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_statements_are_not_lost() {
        let times = |unit| BlockTimesTable { unit, ..BlockTimesTable::default() };
        let sum = |unit| -> i64 {
            let mut rounding = Rounding::of(&times(unit), 1);
            (0..8).map(|_| rounding.rounded(0, 2.25).picoseconds()).sum()
        };
        assert_eq!((sum(Unit::Statements), sum(Unit::Time)), (18, 16));
    }

    #[test]
    fn percentiles_are_linear_between_values() {
        let values: Vec<Time> = [10, 20, 30, 40, 50].map(Time::from_picoseconds).to_vec();
        let found = [0.0, 0.1, 0.5, 0.9, 1.0].map(|share| percentile(&values, share).picoseconds());
        assert_eq!(found, [10, 14, 30, 46, 50]);
        assert_eq!(percentile(&values[..1], 0.9).picoseconds(), 10);
    }

    #[test]
    fn draws_from_both_ends_are_opposite() {
        for draws in [1, 2, 21, 100] {
            let seeds = |draw| Seeds { seed: 1, draw, draws };
            for draw in 0..draws {
                let [one, other] = [draw, draws - 1 - draw].map(seeds);
                assert_eq!(one.mirrored_normal(3, 7), -other.mirrored_normal(3, 7));
                assert!((one.place() + other.place()).abs() < 1e-12);
            }
        }
        let places: Vec<f64> = (0..21).map(|draw| Seeds { seed: 1, draw, draws: 21 }.place()).collect();
        assert_eq!((places[2], places[10], places[18]), (-1.0, 0.0, 1.0), "percentiles 10, 50 and 90");
    }
}
