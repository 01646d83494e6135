//! How far the curve is off the samples.

use super::{Length, QUARTILES_IN_SIGMAS, certainty, relative_spread};
use crate::network::mpiete::Curve;
use base_data::Time;
use base_data::comm_data::{CommSample, CurvePoint};

/// Disturbed lengths that are more than one in so many are no exceptions: their samples count, too.
const EXCEPTIONS: usize = 3;

/// Relative standard deviation of the samples around the curve: by cross-validation, or by their own spread
/// where there are too few lengths to predict one from the others.
pub(super) fn residual(
    lengths: &[Length<'_>],
    curve: &[CurvePoint],
    disturbed: &[usize],
) -> Option<f64> {
    // Where more than a third of the lengths is disturbed, disturbance is what a run meets, and the interval
    // must contain it.
    let is_exception =
        |at: &usize| disturbed.len() * EXCEPTIONS <= lengths.len() && disturbed.contains(at);
    let counted: Vec<&Length<'_>> = lengths
        .iter()
        .enumerate()
        .filter(|(at, _)| !is_exception(at))
        .map(|(_, length)| length)
        .collect();
    cross_validated(&counted, curve).or_else(|| spread(&counted))
}

/// Root mean square of the relative errors with which the samples of each inner length are predicted from the
/// curve without its knot, samples with a wide spread counting less; `None` for fewer than three lengths. The ends
/// are left out: predicting them is extrapolation, which the curve is asked for only beyond what was measured.
fn cross_validated(lengths: &[&Length<'_>], curve: &[CurvePoint]) -> Option<f64> {
    let inner = lengths.get(1..lengths.len().saturating_sub(1))?;
    let mut squares = Vec::new();
    for length in inner {
        let others: Vec<CurvePoint> = curve
            .iter()
            .copied()
            // The knot itself would predict its own samples exactly.
            .filter(|point| point.bytes != length.bytes)
            .collect();
        let Some(predicted) = predicted(&others, length.bytes) else {
            continue;
        };
        let samples = length
            .samples
            .iter()
            .filter(|sample| sample.median > Time::ZERO);
        squares.extend(samples.map(|sample| {
            let error = predicted.seconds() / sample.median.seconds() - 1.0;
            (error.powi(2), certainty(sample).powi(2))
        }));
    }
    root_mean(&squares)
}

/// The curve's time at a length; `None` if it has no points.
pub(super) fn predicted(curve: &[CurvePoint], bytes: u64) -> Option<Time> {
    Some(Curve::new(curve.to_vec()).ok()?.time(bytes))
}

/// Relative standard deviation by the samples' own spread.
fn spread(lengths: &[&Length<'_>]) -> Option<f64> {
    let square =
        |sample: &&CommSample| ((relative_spread(sample) / QUARTILES_IN_SIGMAS).powi(2), 1.0);
    let samples = lengths.iter().flat_map(|length| &length.samples);
    let squares: Vec<(f64, f64)> = samples
        .filter(|sample| sample.median > Time::ZERO)
        .map(square)
        .collect();
    root_mean(&squares)
}

/// The root of the weighted mean.
fn root_mean(squares: &[(f64, f64)]) -> Option<f64> {
    let weights: f64 = squares.iter().map(|(_, weight)| weight).sum();
    let sum: f64 = squares.iter().map(|(square, weight)| square * weight).sum();
    if weights > 0.0 {
        Some((sum / weights).sqrt())
    } else {
        None
    }
}
