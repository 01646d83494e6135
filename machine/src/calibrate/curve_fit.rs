//! The fit of one curve: knots at the measured lengths, each the median of what was measured there,
//! made monotone; residual by leaving one knot out at a time.
//!
//! At each length half round trips count, where there are any: they hold the whole way from the call
//! of the send to the end of the receive, which is what the model adds. Times of receives alone fill
//! the lengths that have no round trips, and on the link to the own rank samples of that kind count.

use crate::network::mpiete::Curve;
use base_data::Time;
use base_data::comm_data::{CommSample, CurvePoint, SampleKind};
use std::collections::BTreeMap;

/// A fitted curve.
pub(super) struct Fitted {
    pub(super) curve: Vec<CurvePoint>,
    pub(super) residual: Option<f64>,
    /// How many samples count.
    pub(super) samples: usize,
}

/// A length with what was measured there.
#[derive(Clone, Copy)]
struct Knot {
    bytes: u64,
    picoseconds: f64,
    weight: f64,
}

/// Quartiles of a normal distribution are this many standard deviations apart.
const QUARTILES_IN_SIGMAS: f64 = 1.349;

/// Fits the samples of one kind of link; `None` if none of them counts.
pub(super) fn fit(samples: &[&CommSample]) -> Option<Fitted> {
    let mut by_length: BTreeMap<u64, Vec<&CommSample>> = BTreeMap::new();
    for sample in samples.iter().filter(|sample| rank_of_kind(sample.kind).is_some()) {
        by_length.entry(sample.bytes).or_default().push(sample);
    }
    let counted: Vec<Vec<&CommSample>> = by_length.into_values().map(best_kind).collect();
    let mut knots: Vec<Knot> = counted.iter().map(|samples| knot(samples)).collect();
    make_monotone(&mut knots);
    if knots.is_empty() {
        return None;
    }
    let curve: Vec<CurvePoint> = knots.iter().map(point).collect();
    let residual = cross_validated(&curve).or_else(|| spread(&counted));
    Some(Fitted { curve, residual, samples: counted.iter().map(Vec::len).sum() })
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
        | SampleKind::Poll => None,
    }
}

fn best_kind(mut samples: Vec<&CommSample>) -> Vec<&CommSample> {
    let best = samples.iter().filter_map(|sample| rank_of_kind(sample.kind)).min();
    samples.retain(|sample| rank_of_kind(sample.kind) == best);
    samples
}

/// The median over runs of the medians over repetitions: one run or one repetition that went wrong
/// does not move it.
fn knot(samples: &[&CommSample]) -> Knot {
    let mut medians: Vec<i64> = samples.iter().map(|sample| sample.median.picoseconds()).collect();
    medians.sort_unstable();
    let (low, high) = (medians[(medians.len() - 1) / 2], medians[medians.len() / 2]);
    Knot {
        bytes: samples[0].bytes,
        picoseconds: (low as f64 + high as f64) / 2.0,
        weight: samples.iter().map(|sample| sample.repetitions.max(1) as f64).sum(),
    }
}

fn point(knot: &Knot) -> CurvePoint {
    CurvePoint { bytes: knot.bytes, time: Time::from_picoseconds(knot.picoseconds.round() as i64) }
}

/// Isotonic regression by pooling adjacent violators: the nearest monotone curve in the sense of
/// weighted least squares. Leaves a monotone curve as it is.
fn make_monotone(knots: &mut [Knot]) {
    // Pools as (mean, weight, number of knots).
    let mut pools: Vec<(f64, f64, usize)> = Vec::with_capacity(knots.len());
    for knot in knots.iter() {
        pools.push((knot.picoseconds, knot.weight, 1));
        while let [.., (mean, weight, count), (last_mean, last_weight, last_count)] = pools[..]
            && mean > last_mean
        {
            let both = weight + last_weight;
            pools.truncate(pools.len() - 2);
            pools.push(((mean * weight + last_mean * last_weight) / both, both, count + last_count));
        }
    }
    let means = pools.iter().flat_map(|&(mean, _, count)| std::iter::repeat_n(mean, count));
    for (knot, mean) in knots.iter_mut().zip(means) {
        knot.picoseconds = mean;
    }
}

/// Root mean square of the relative errors with which each inner knot is predicted from the others;
/// `None` for fewer than three knots. The ends are left out: predicting them is extrapolation, which
/// the curve is asked for only beyond what was measured.
fn cross_validated(curve: &[CurvePoint]) -> Option<f64> {
    let mut squares = Vec::new();
    for inner in 1..curve.len().saturating_sub(1) {
        let mut others = curve.to_vec();
        let left_out = others.remove(inner);
        let predicted = Curve::new(others).ok()?.time(left_out.bytes).seconds();
        if left_out.time > Time::ZERO {
            squares.push((predicted / left_out.time.seconds() - 1.0).powi(2));
        }
    }
    root_mean(&squares)
}

/// Relative standard deviation by the samples' own spread: what is left where there are too few
/// knots to predict one from the others.
fn spread(counted: &[Vec<&CommSample>]) -> Option<f64> {
    let relative = |sample: &&CommSample| {
        (sample.median > Time::ZERO)
            .then(|| (sample.spread.seconds() / QUARTILES_IN_SIGMAS / sample.median.seconds()).powi(2))
    };
    root_mean(&counted.iter().flatten().filter_map(relative).collect::<Vec<f64>>())
}

fn root_mean(squares: &[f64]) -> Option<f64> {
    (!squares.is_empty()).then(|| (squares.iter().sum::<f64>() / squares.len() as f64).sqrt())
}
