//! The fit of one curve: a knot at each measured length that is not disturbed, the times never falling
//! (isotonic quantile regression, [`isotonic`]); the residual by leaving one knot out at a time.
//!
//! At each length half round trips count, where there are any: they hold the whole way from the call
//! of the send to the end of the receive, which is what the model adds. Times of receives alone fill
//! the lengths that have no round trips, and on the link to the own rank samples of that kind count.
//!
//! Other programs and the operating system only ever make a message slower, and often for as long as one
//! length takes to be measured. So a length is *disturbed* if it takes longer than longer messages do
//! ([`outliers`]). Its median then counts for nothing; its minimum stands in where the other lengths confirm it.

mod isotonic;
mod outliers;
mod residual;

pub(super) use outliers::FAR_OFF;

use base_data::Time;
use base_data::comm_data::{CommSample, CurvePoint, SampleKind};
use std::collections::BTreeMap;

/// A fitted curve.
pub(super) struct Fitted {
    pub(super) curve: Vec<CurvePoint>,
    pub(super) residual: Option<f64>,
    /// How many samples count.
    pub(super) samples: usize,
    /// The lengths whose medians do not count, ascending.
    pub(super) disturbed: Vec<Disturbed>,
    /// How many lengths were measured.
    pub(super) lengths: usize,
    /// At how many of them the repetitions of each sample are far apart.
    pub(super) wide_lengths: usize,
}

/// A length at which something else than the network was measured.
pub(super) struct Disturbed {
    pub(super) bytes: u64,
    /// Median over its samples.
    pub(super) measured: Time,
    /// What the curve says instead.
    pub(super) fitted: Time,
}

/// The samples of one length.
struct Length<'a> {
    bytes: u64,
    samples: Vec<&'a CommSample>,
}

/// A length with what was measured there.
#[derive(Clone, Copy, Debug)]
struct Knot {
    bytes: u64,
    /// Median over the samples of their medians.
    picoseconds: f64,
    /// The smallest repetition of all.
    minimum: f64,
    /// How much it counts beside other lengths.
    weight: f64,
    /// Whether the repetitions of each sample are far apart.
    is_wide: bool,
    /// Whether several samples with a small spread agree on the median.
    is_confirmed: bool,
}

/// Quartiles of a normal distribution are this many standard deviations apart.
const QUARTILES_IN_SIGMAS: f64 = 1.349;
/// Two runs without disturbance differ by this much.
const RUN_TO_RUN: f64 = 0.05;
/// Repetitions follow each other closely: what disturbs one disturbs the next. More than these add no certainty.
const INDEPENDENT_REPETITIONS: u64 = 10;
/// Quartiles further apart than this share of the median are a sign of disturbance.
const WIDE: f64 = 0.25;
/// Medians of two samples that are no further apart than by this factor agree.
const AGREEING: f64 = 1.15;
/// Weight of no time at all, beside others: a clock that is too coarse.
const WEIGHT_OF_NO_TIME: f64 = 1e-3;

/// Fits the samples of one kind of link; `None` if none of them counts.
pub(super) fn fit(samples: &[&CommSample]) -> Option<Fitted> {
    let lengths = counted_lengths(samples);
    let knots: Vec<Knot> = lengths.iter().map(knot).collect();
    if knots.is_empty() {
        return None;
    }
    let found = outliers::find(&knots);
    let curve = found.curve;
    let residual = residual::residual(&lengths, &curve, &found.disturbed);
    let disturbed = found
        .disturbed
        .iter()
        .map(|&at| disturbed(&knots[at], &curve))
        .collect();
    let samples = lengths.iter().map(|length| length.samples.len()).sum();
    Some(Fitted {
        curve,
        residual,
        samples,
        disturbed,
        lengths: knots.len(),
        wide_lengths: knots.iter().filter(|knot| knot.is_wide).count(),
    })
}

/// The samples that count, by length.
fn counted_lengths<'a>(samples: &[&'a CommSample]) -> Vec<Length<'a>> {
    let mut by_length: BTreeMap<u64, Vec<&CommSample>> = BTreeMap::new();
    for &sample in samples
        .iter()
        .filter(|sample| rank_of_kind(sample.kind).is_some())
    {
        by_length.entry(sample.bytes).or_default().push(sample);
    }
    let length = |(bytes, samples)| Length {
        bytes,
        samples: best_kind(samples),
    };
    by_length.into_iter().map(length).collect()
}

/// Which kinds tell the time of a transfer, the best first.
fn rank_of_kind(kind: SampleKind) -> Option<u8> {
    match kind {
        SampleKind::PingPong => Some(0),
        SampleKind::ToSelf => Some(1),
        SampleKind::Receive => Some(2),
        SampleKind::Delayed
        | SampleKind::NonblockingSend
        | SampleKind::BlockingSend
        | SampleKind::Wait
        | SampleKind::Flood
        | SampleKind::Poll
        | SampleKind::LateReceive
        | SampleKind::NonblockingReceive
        | SampleKind::Exchange
        | SampleKind::Incast
        | SampleKind::Behind
        | SampleKind::ExchangeFlood => None,
    }
}

fn best_kind(mut samples: Vec<&CommSample>) -> Vec<&CommSample> {
    let best = samples
        .iter()
        .filter_map(|sample| rank_of_kind(sample.kind))
        .min();
    // One kind only, since kinds measure different parts of a message's way.
    samples.retain(|sample| rank_of_kind(sample.kind) == best);
    samples
}

/// One run, or one repetition, that was disturbed does not move the median over runs of the medians over
/// repetitions. All lengths count alike, however wide their spread: half of the repetitions took less than the
/// median, so a wide spread makes it no less of an upper bound.
fn knot(length: &Length<'_>) -> Knot {
    let mut medians: Vec<(f64, f64)> = length
        .samples
        .iter()
        .map(|sample| (picoseconds(sample.median), 1.0))
        .collect();
    let median = isotonic::lower_median(&mut medians);
    let agrees = |sample: &&&CommSample| {
        relative_spread(sample) <= WIDE
            && !outliers::is_off_by(AGREEING, picoseconds(sample.median), median)
    };
    let agreeing = length.samples.iter().filter(agrees).count();
    let minima = length
        .samples
        .iter()
        .map(|sample| picoseconds(sample.minimum));
    Knot {
        bytes: length.bytes,
        picoseconds: median,
        minimum: minima.fold(f64::INFINITY, f64::min),
        // A length with more samples moves pools more.
        weight: if median > 0.0 {
            medians.len() as f64
        } else {
            WEIGHT_OF_NO_TIME
        },
        is_wide: length
            .samples
            .iter()
            .all(|sample| relative_spread(sample) > WIDE),
        is_confirmed: agreeing > 1,
    }
}

fn disturbed(knot: &Knot, curve: &[CurvePoint]) -> Disturbed {
    let fitted = residual::predicted(curve, knot.bytes).unwrap_or_default();
    Disturbed {
        bytes: knot.bytes,
        measured: time(knot.picoseconds),
        fitted,
    }
}

/// Distance of the quartiles as a share of the median.
fn relative_spread(sample: &CommSample) -> f64 {
    if sample.median > Time::ZERO {
        sample.spread.seconds() / sample.median.seconds()
    } else {
        0.0
    }
}

/// Reciprocal of the relative standard error of a sample's median.
fn certainty(sample: &CommSample) -> f64 {
    let deviation = relative_spread(sample) / QUARTILES_IN_SIGMAS;
    let repetitions = sample.repetitions.clamp(1, INDEPENDENT_REPETITIONS) as f64;
    // Two independent sources of error: runs differ, and the median of one run has a standard error.
    1.0 / (RUN_TO_RUN.powi(2) + deviation.powi(2) / repetitions).sqrt()
}

fn picoseconds(time: Time) -> f64 {
    time.picoseconds() as f64
}

fn time(picoseconds: f64) -> Time {
    Time::from_picoseconds(picoseconds.round() as i64)
}
