//! The interval of the estimate: replays with draws, all sources of uncertainty together for the percentiles, each
//! source alone for its width. The headline is the replay with mean times plus the mean delay by noise
//! ([`headline_time`]).
//!
//! - *noise*: each execution of a block draws from the block's measured distribution;
//! - *messages*: each message's time in the network draws from what the network probe measured;
//! - *sampling*: each block's mean is off by its standard error;
//! - *extrapolation*: blocks timed by their rate are off by the spread of the rate, and work that depends on data is dealt out
//!   among ranks of other numbers than were measured;
//! - *runs*: all blocks are off together by how much measuring runs differ;
//! - *full nodes*: where the platform's nodes are fuller than those measured on, blocks are slower by up to what
//!   that may cost;
//! - *calibration*: network times of each kind of link are off by the residual of the fit.
//!
//! Draws are numbered, and random streams belong to (seed, draw, rank or block), so that neither the
//! order of ranks nor the number of threads changes a digit.

mod drawn_times;
mod headline;
mod seeds;

use crate::EstimateError;
use crate::block_times::{Coverage, TimeSeries, VariantTime};
use crate::random::STRATA;
use crate::replay::dataflow::LinkScales;
use crate::replay::observer::NoObserver;
use crate::replay::workspace::{Outcome, Workspace};
use crate::setup::{Setup, check_length, headline};
use base_data::Time;
use base_data::estimate_file::IntervalSource;
use drawn_times::DrawnTimes;
pub(crate) use drawn_times::MeanTimes;
use headline::headline_time;
use seeds::{CALIBRATION, Seeds};

/// What varies in a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Varying {
    noise: bool,
    messages: bool,
    sampling: bool,
    extrapolation: bool,
    runs: bool,
    node_occupancy: bool,
    calibration: bool,
    /// Which rank has much of the data, where that is not known.
    deals: bool,
}

const NOTHING: Varying = Varying {
    noise: false,
    messages: false,
    sampling: false,
    extrapolation: false,
    runs: false,
    node_occupancy: false,
    calibration: false,
    deals: false,
};
/// What makes a run longer on average and does not average out.
const HEADLINE: Varying = Varying {
    noise: true,
    messages: true,
    deals: true,
    ..NOTHING
};
const EVERYTHING: Varying = Varying {
    noise: true,
    messages: true,
    sampling: true,
    extrapolation: true,
    runs: true,
    node_occupancy: true,
    calibration: true,
    deals: true,
};

/// The sources by name.
const SOURCES: [(&str, Varying); 7] = [
    (
        "noise",
        Varying {
            noise: true,
            ..NOTHING
        },
    ),
    (
        "messages",
        Varying {
            messages: true,
            ..NOTHING
        },
    ),
    (
        "sampling",
        Varying {
            sampling: true,
            ..NOTHING
        },
    ),
    (
        "extrapolation",
        Varying {
            extrapolation: true,
            deals: true,
            ..NOTHING
        },
    ),
    (
        "runs",
        Varying {
            runs: true,
            ..NOTHING
        },
    ),
    (
        "full nodes",
        Varying {
            node_occupancy: true,
            ..NOTHING
        },
    ),
    (
        "calibration",
        Varying {
            calibration: true,
            ..NOTHING
        },
    ),
];

/// Events of all draws together that are full replays: half an hour at the most.
const MOST_DRAWN_EVENTS: u64 = 1 << 36;

/// Percentiles of the draws.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interval {
    pub(crate) headline: Time,
    pub(crate) p10: Time,
    pub(crate) p90: Time,
    pub(crate) draws: u32,
    pub(crate) sources: Vec<IntervalSource>,
    /// The reason for fewer draws than requested.
    pub(crate) remark: Option<String>,
}

impl Interval {
    /// Whether its ends differ.
    pub(crate) fn has_width(&self) -> bool {
        self.p10 < self.p90
    }
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
    let remark = if draws < wanted {
        Some(fewer(draws, wanted, means.events))
    } else {
        None
    };
    if draws == 0 {
        let mean = headline(&means.ranks);
        return Ok(Interval {
            headline: mean,
            p10: mean,
            p90: mean,
            draws,
            sources: Vec::new(),
            remark,
        });
    }
    if !can_vary(setup, &EVERYTHING) {
        // Every draw is the replay with means.
        let mean = headline(&means.ranks);
        return Ok(Interval {
            headline: mean,
            p10: mean,
            p90: mean,
            draws,
            sources: Vec::new(),
            remark,
        });
    }
    let found = headline_time(setup, means)?;
    if draws == 1 {
        let (p10, p90) = (found.time, found.time);
        return Ok(Interval {
            headline: found.time,
            p10,
            p90,
            draws,
            sources: Vec::new(),
            remark,
        });
    }
    let all = sorted_draws(setup, EVERYTHING, draws, seed)?;
    let mut sources = Vec::new();
    let widens = |varying: &Varying| with_sources && can_vary(setup, varying);
    for (name, varying) in SOURCES.into_iter().filter(|(_, varying)| widens(varying)) {
        // A source alone only needs its width, which fewer draws give well enough.
        let wanted = (draws / 4).max(10).min(draws);
        // The headline's draws are those of noise alone where no data are dealt out and messages do not vary.
        let is_known = name == "noise"
            && setup.times.unequal.is_empty()
            && !setup.messages_vary()
            && found.draws.len() >= wanted as usize;
        let alone = if is_known {
            found.draws.clone()
        } else {
            sorted_draws(setup, varying, wanted, seed)?
        };
        let width = percentile(&alone, 0.9) - percentile(&alone, 0.1);
        sources.push(IntervalSource {
            name: name.into(),
            width,
        });
    }
    // Stable: sources of equal width keep the order of `SOURCES`.
    sources.sort_by_key(|source| std::cmp::Reverse(source.width));
    // Few draws may all lie on one side of the headline.
    let (p10, p90) = (
        percentile(&all, 0.1).min(found.time),
        percentile(&all, 0.9).max(found.time),
    );
    Ok(Interval {
        headline: found.time,
        p10,
        p90,
        draws,
        sources,
        remark,
    })
}

/// The draw of a program that is one sample of `count`, each of which has one: its time with what a headline is the mean of, and
/// with all that is uncertain. Draws of samples are those of one program where the samples agree.
///
/// # Errors
/// Those of making the network model; totals beyond [`Time::MAX`].
pub(crate) fn draws_of_sample(
    setup: &Setup<'_>,
    (number, count): (u32, u32),
    seed: u64,
    means: &Outcome,
) -> Result<[Time; 2], EstimateError> {
    if affordable(setup, count, means.events) < count || !can_vary(setup, &EVERYTHING) {
        return Ok([headline(&means.ranks); 2]);
    }
    let (number, count) = (u64::from(number), u64::from(count));
    let of_headline = Seeds {
        seed,
        batch: 1 + number / STRATA,
        draw: number % STRATA,
        draws: STRATA,
    };
    let of_interval = Seeds {
        seed,
        batch: 0,
        draw: number,
        draws: count,
    };
    let mut work = Workspace::default();
    Ok([
        draw(setup, HEADLINE, of_headline, &mut work)?,
        draw(setup, EVERYTHING, of_interval, &mut work)?,
    ])
}

/// As many of the wanted draws as can be made: with noise each is a full replay.
fn affordable(setup: &Setup<'_>, wanted: u32, events: u64) -> u32 {
    if !setup.times.varies() && !setup.messages_vary() {
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
        "the program is too long for {wanted} draws, in which each of its {events} events is replayed as times vary; {made}"
    )
}

/// Whether a source has anything to vary.
fn can_vary(setup: &Setup<'_>, varying: &Varying) -> bool {
    // Without any source, draws would be equal replays: none is made.
    let any = |vary: &dyn Fn(&VariantTime) -> bool| setup.times.variants.iter().any(vary);
    varying.noise && setup.times.varies()
        || varying.messages && setup.messages_vary()
        || varying.sampling
            && any(&|time| time.first.relative_error + time.warm.relative_error > 0.0)
        || varying.extrapolation
            && (any(&|time| spread(time) > 0.0)
                || setup
                    .times
                    .time_series_table
                    .iter()
                    .any(TimeSeries::rises_or_falls_at_end)
                || !setup.times.unequal.is_empty())
        || varying.runs && setup.times.runs.spread() > 0.0
        || varying.node_occupancy && any(&|time| time.slowdown > 0.0)
        || varying.calibration
            && setup
                .residuals
                .iter()
                .any(|residual| residual.is_some_and(|r| r > 0.0))
}

fn spread(time: &VariantTime) -> f64 {
    match time.coverage {
        Coverage::Extrapolated { spread } => spread,
        Coverage::Measured | Coverage::Missing => 0.0,
    }
}

/// The value below which a share of values lies. Linear between the values, which are sorted and not empty.
pub fn percentile(sorted: &[Time], share: f64) -> Time {
    // The definition with both ends included (type 7 of Hyndman and Fan, 1996).
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (
        sorted[place.floor() as usize],
        sorted[place.ceil() as usize],
    );
    below + (above - below).scaled(place.fract())
}

fn sorted_draws(
    setup: &Setup<'_>,
    varying: Varying,
    draws: u32,
    seed: u64,
) -> Result<Vec<Time>, EstimateError> {
    if !SOURCES
        .iter()
        .any(|(_, source)| can_vary(setup, &both(*source, varying)))
    {
        // Nothing varies: every draw is the same.
        let only = draw(
            setup,
            varying,
            Seeds {
                seed,
                batch: 0,
                draw: 0,
                draws: 1,
            },
            &mut Workspace::default(),
        )?;
        return Ok(vec![only; draws as usize]);
    }
    let mut times = draws_of(
        setup,
        varying,
        Seeds {
            seed,
            batch: 0,
            draw: 0,
            draws: u64::from(draws),
        },
    )?;
    times.sort_unstable();
    Ok(times)
}

/// All draws of a batch.
fn draws_of(setup: &Setup<'_>, varying: Varying, seeds: Seeds) -> Result<Vec<Time>, EstimateError> {
    // Each draw has a seed of its own, so the result does not depend on the number of threads.
    let threads = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(seeds.draws as usize);
    let parts: Vec<Result<Vec<Time>, EstimateError>> = std::thread::scope(|scope| {
        let start = |first| scope.spawn(move || draw_all(setup, varying, first, threads, seeds));
        let running: Vec<_> = (0..threads as u64).map(start).collect();
        running
            .into_iter()
            .map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|cause| std::panic::resume_unwind(cause))
            })
            .collect()
    });
    Ok(parts
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect())
}

fn both(a: Varying, b: Varying) -> Varying {
    Varying {
        noise: a.noise && b.noise,
        messages: a.messages && b.messages,
        sampling: a.sampling && b.sampling,
        extrapolation: a.extrapolation && b.extrapolation,
        runs: a.runs && b.runs,
        node_occupancy: a.node_occupancy && b.node_occupancy,
        calibration: a.calibration && b.calibration,
        deals: a.deals && b.deals,
    }
}

/// Draws number `first`, `first + stride`, … of a batch.
fn draw_all(
    setup: &Setup<'_>,
    varying: Varying,
    first: u64,
    stride: usize,
    seeds: Seeds,
) -> Result<Vec<Time>, EstimateError> {
    let mut work = Workspace::default();
    let mut times = Vec::new();
    for number in (first..seeds.draws).step_by(stride) {
        times.push(draw(
            setup,
            varying,
            Seeds {
                draw: number,
                ..seeds
            },
            &mut work,
        )?);
    }
    Ok(times)
}

/// The total of one draw.
fn draw(
    setup: &Setup<'_>,
    varying: Varying,
    seeds: Seeds,
    work: &mut Workspace,
) -> Result<Time, EstimateError> {
    let scales = if varying.calibration {
        link_scales(setup, seeds)
    } else {
        LinkScales::ONE
    };
    let drawn = DrawnTimes::new(setup, varying, seeds);
    let (_, outcome) = setup.run(work, scales, drawn, NoObserver)?;
    check_length(setup, &outcome.ranks)?;
    Ok(headline(&outcome.ranks))
}

/// A factor around 1. The normal distribution has no lower bound, so the factor has one: no time becomes negative or
/// vanishes.
fn around_one(deviation: f64, normal: f64) -> f64 {
    (1.0 + deviation * normal).max(0.05)
}

fn link_scales(setup: &Setup<'_>, seeds: Seeds) -> LinkScales {
    let scale = |link: usize| {
        let deviation = setup.residuals[link].unwrap_or(0.0);
        around_one(deviation, seeds.normal(CALIBRATION, link as u64))
    };
    LinkScales {
        to_self: scale(0),
        inside_node: scale(1),
        between_nodes: scale(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_linear_between_values() {
        let values: Vec<Time> = [10, 20, 30, 40, 50].map(Time::from_picoseconds).to_vec();
        let found = [0.0, 0.1, 0.5, 0.9, 1.0].map(|share| percentile(&values, share).picoseconds());
        assert_eq!(found, [10, 14, 30, 46, 50]);
        assert_eq!(percentile(&values[..1], 0.9).picoseconds(), 10);
    }
}
