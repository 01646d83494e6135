//! Which lengths were disturbed, and the curve through the others.
//!
//! A length counts for nothing if
//! - it takes several times as long as two longer ones do, however many shorter ones are as slow;
//! - it lies above the isotonic regression over all lengths, so that longer messages took less;
//! - it is among the last, no longer one confirms it, and it takes several times what the bytes that it has
//!   more than the one before explain; or
//! - it is bimodal: its quickest repetitions lie on the curve of the other lengths, its median does not. Such
//!   neighbours may rise like a curve, so that the regression over all lengths finds nothing.
//!
//! A step up is none of these. What several samples with a small spread agree on is none either, if the quickest repetition agrees:
//! some MPI libraries have a quicker protocol for long messages, and the curve falls there. Disturbances last a few slices of the
//! scheduler, so that disturbed samples agree, too, but not their quickest repetitions. Lengths that do not count and are far off the
//! curve of the others are called disturbed.

use super::isotonic::{lower_median, regression};
use super::{Knot, residual, time};
use base_data::comm_data::CurvePoint;

/// Factor above the regression, or below, from which on a length counts for nothing.
const OFF: f64 = 1.1;
/// Factor between a length and the curve from which on the length is called disturbed.
pub(in crate::calibrate) const FAR_OFF: f64 = 1.4;
/// Factor above longer lengths from which on a length counts for nothing before any regression. A message may be copied on both sides
/// where a longer one is not, which takes as long again each; no protocol costs several times a longer message.
const MOST_FALL: f64 = 4.0;
/// Lengths without two modes below which there is no curve to confirm the quicker mode of the others.
const FEWEST_STEADY: usize = 2;
/// Factor beyond what the bytes explain from which on a last length with a wide spread counts for nothing.
const JUMP_OF_WIDE: f64 = 3.0;
/// The same for the very last length, whatever its spread, if no second sample confirms it.
const JUMP_OF_LAST: f64 = 4.0;
/// A minimum may lie outside the neighbours' times by this factor, and takes the neighbour's then.
const SLACK: f64 = 1.1;
/// A minimum behind the last length that counts may be this factor above what the bytes explain.
const MOST_BEYOND: f64 = 2.0;

/// What [`find`] finds.
pub(super) struct Outliers {
    pub(super) curve: Vec<CurvePoint>,
    /// Numbers of the disturbed lengths, ascending.
    pub(super) disturbed: Vec<usize>,
}

/// Separates disturbed lengths from the others, and fits these. `knots` ascend in length and are not empty.
pub(super) fn find(knots: &[Knot]) -> Outliers {
    let mut left_out = unconfirmed_jumps(knots);
    for at in above_longer(knots) {
        if !left_out.contains(&at) {
            left_out.push(at);
        }
    }
    left_out.extend(bimodal(knots, &left_out));
    let mut fitted = fit_without(knots, &mut left_out);
    put_minima_in(knots, &left_out, &mut fitted);
    let curve = curve_of(knots, &fitted);
    let is_far_off = |at: &usize| {
        let predicted = residual::predicted(&curve, knots[*at].bytes);
        predicted.is_some_and(|time| {
            is_off_by(FAR_OFF, knots[*at].picoseconds, super::picoseconds(time))
        })
    };
    // A length that does not count and yet lies near the curve was not disturbed much: it needs no warning.
    left_out.retain(is_far_off);
    Outliers {
        curve,
        disturbed: left_out,
    }
}

/// The regression over the lengths that are not left out, `None` for the others. Leaves out those that lie above it.
fn fit_without(knots: &[Knot], left_out: &mut Vec<usize>) -> Vec<Option<f64>> {
    let rest: Vec<usize> = (0..knots.len())
        .filter(|at| !left_out.contains(at))
        .collect();
    let mut fitted: Vec<Option<f64>> = vec![None; knots.len()];
    for part in parts_between_falls(knots, &rest) {
        let values = fitted_values(knots, &part);
        let mut kept = Vec::new();
        for (at, value) in part.into_iter().zip(values) {
            if is_off_by(OFF, knots[at].picoseconds, value) {
                left_out.push(at);
            } else {
                kept.push(at);
            }
        }
        // Once more without them, since pools take them for members.
        for (&at, value) in kept.iter().zip(fitted_values(knots, &kept)) {
            fitted[at] = Some(value);
        }
    }
    left_out.sort_unstable();
    fitted
}

/// The points of the lengths that have a fitted value.
fn curve_of(knots: &[Knot], fitted: &[Option<f64>]) -> Vec<CurvePoint> {
    let mut curve = Vec::new();
    for (knot, value) in knots.iter().zip(fitted) {
        if let Some(value) = value {
            curve.push(CurvePoint {
                bytes: knot.bytes,
                time: time(*value),
            });
        }
    }
    curve
}

/// The lengths with two modes of which the quicker is the network's: the median is far above both the quickest
/// repetition and the curve of the lengths without such a difference, the quickest repetition is on that curve.
///
/// The curve must confirm the quicker mode, since a network may be slow by itself: behind a rate limiter, a few
/// messages pass at once and most wait, and the waiting ones are what a program sees.
fn bimodal(knots: &[Knot], left_out: &[usize]) -> Vec<usize> {
    let ratio = ratio_of_narrow(knots);
    let is_suspect = |at: usize| !knots[at].is_confirmed && has_two_modes(&knots[at], ratio);
    let suspects: Vec<usize> = (0..knots.len()).filter(|&at| is_suspect(at)).collect();
    // Where the clock is too coarse for the quickest repetition, it cannot separate two modes either.
    let is_steady = |at: &usize| !suspects.contains(at) && knots[*at].minimum > 0.0;
    let steady_lengths = (0..knots.len()).filter(is_steady).count();
    if suspects.is_empty() || steady_lengths < FEWEST_STEADY {
        return Vec::new();
    }
    let mut others = [left_out, &suspects].concat();
    let fitted = fit_without(knots, &mut others);
    let steady = curve_of(knots, &fitted);
    let mut found = Vec::new();
    for at in suspects {
        let Some(expected) = residual::predicted(&steady, knots[at].bytes) else {
            continue;
        };
        let expected = super::picoseconds(expected);
        let is_median_above = knots[at].picoseconds > FAR_OFF * expected;
        let quick = ratio * knots[at].minimum;
        if is_median_above && !is_off_by(FAR_OFF, quick, expected) && !left_out.contains(&at) {
            found.push(at);
        }
    }
    found
}

/// Whether the median of a length is far above its quickest repetition, which median and quickest repetition of other lengths are apart
/// by a factor of `ratio`.
fn has_two_modes(knot: &Knot, ratio: f64) -> bool {
    knot.minimum > 0.0 && knot.picoseconds > FAR_OFF * ratio * knot.minimum
}

/// The lengths that take several times as long as longer ones: a running minimum from the longest to the shortest. The regression needs
/// a third of the lengths in a row to be right, and many short ones may have been disturbed.
fn above_longer(knots: &[Knot]) -> Vec<usize> {
    let ratio = ratio_of_narrow(knots);
    let mut found = Vec::new();
    // The two smallest times of longer messages: a single one may be wrong itself.
    let (mut least, mut second) = (f64::INFINITY, f64::INFINITY);
    for (at, knot) in knots.iter().enumerate().rev() {
        let is_certain = knot.is_confirmed && !has_two_modes(knot, ratio);
        if knot.picoseconds > MOST_FALL * second && !is_certain {
            found.push(at);
        }
        // No time at all is that of a coarse clock.
        if knot.picoseconds > 0.0 {
            second = second.min(knot.picoseconds.max(least));
            least = least.min(knot.picoseconds);
        }
    }
    found
}

/// The usual ratio of the lengths whose repetitions spread little.
fn ratio_of_narrow(knots: &[Knot]) -> f64 {
    usual_ratio(knots.iter().filter(|knot| !knot.is_wide))
}

/// The usual ratio of a length's median to its quickest repetition, at most [`FAR_OFF`].
fn usual_ratio<'a>(knots: impl Iterator<Item = &'a Knot>) -> f64 {
    let mut ratios: Vec<(f64, f64)> = knots
        .filter(|knot| knot.minimum > 0.0)
        .map(|knot| (knot.picoseconds / knot.minimum, 1.0))
        .collect();
    lower_median(&mut ratios).clamp(1.0, FAR_OFF)
}

fn fitted_values(knots: &[Knot], picked: &[usize]) -> Vec<f64> {
    let pairs: Vec<(f64, f64)> = picked
        .iter()
        .map(|&at| (knots[at].picoseconds, knots[at].weight))
        .collect();
    regression(&pairs)
}

/// Whether two times are further apart than by a factor; not where either is nothing, since clocks may be that
/// coarse.
pub(super) fn is_off_by(factor: f64, a: f64, b: f64) -> bool {
    a > 0.0 && b > 0.0 && (a / b).max(b / a) > factor
}

/// Lengths at the end that take several times what their bytes explain: those with a wide spread behind all
/// others, and the last if no second sample confirms it.
fn unconfirmed_jumps(knots: &[Knot]) -> Vec<usize> {
    let certain = knots
        .iter()
        .rposition(|knot| !knot.is_wide)
        .map_or(0, |last| last + 1);
    let last = knots.len() - 1;
    let mut found = Vec::new();
    for at in certain.min(last).max(1)..knots.len() {
        let Some(before) = (0..at).rev().find(|before| !found.contains(before)) else {
            continue;
        };
        let most = if knots[at].is_wide {
            JUMP_OF_WIDE
        } else if knots[at].is_confirmed {
            continue;
        } else {
            JUMP_OF_LAST
        };
        if knots[at].picoseconds
            > most * explained(&knots[before], knots[before].picoseconds, knots[at].bytes)
        {
            found.push(at);
        }
    }
    found
}

/// The most that a longer message takes if each byte takes no longer than those of a shorter one did.
fn explained(shorter: &Knot, picoseconds: f64, bytes: u64) -> f64 {
    if shorter.bytes == 0 || picoseconds <= 0.0 {
        return f64::INFINITY;
    }
    picoseconds * bytes as f64 / shorter.bytes as f64
}

/// The picked lengths cut where the network's times really fall: behind lengths that several samples agree on,
/// although longer messages took less.
fn parts_between_falls(knots: &[Knot], picked: &[usize]) -> Vec<Vec<usize>> {
    let mut parts = Vec::new();
    let mut rest = picked;
    while let Some(end) = first_fall(knots, rest) {
        let (part, after) = rest.split_at(end + 1);
        parts.push(part.to_vec());
        rest = after;
    }
    parts.push(rest.to_vec());
    parts
}

/// Which of the picked lengths is the last before times really fall.
fn first_fall(knots: &[Knot], picked: &[usize]) -> Option<usize> {
    let fitted = fitted_values(knots, picked);
    let ratio = ratio_of_narrow(knots);
    let is_above = |place: usize| {
        let knot = &knots[picked[place]];
        knot.is_confirmed
            && !has_two_modes(knot, ratio)
            && knot.picoseconds > fitted[place]
            && is_off_by(OFF, knot.picoseconds, fitted[place])
    };
    let first = (0..picked.len()).find(|&place| is_above(place))?;
    // Of neighbours that all lie above, the fall is behind the last that takes no less than those before.
    let mut last = first;
    while last + 1 < picked.len()
        && is_above(last + 1)
        && knots[picked[last + 1]].picoseconds >= knots[picked[last]].picoseconds
    {
        last += 1;
    }
    Some(last)
}

/// Gives lengths that do not count their smallest repetition, as much longer as medians of the others are,
/// where that lies between what their neighbours take.
fn put_minima_in(knots: &[Knot], left_out: &[usize], fitted: &mut [Option<f64>]) {
    let counting_knots = knots
        .iter()
        .zip(fitted.iter())
        .filter(|(_, value)| value.is_some());
    let factor = usual_ratio(counting_knots.map(|(knot, _)| knot));
    let counting = fitted.to_vec();
    for &at in left_out {
        let likely = factor * knots[at].minimum;
        let shorter = (0..at)
            .rev()
            .find_map(|place| Some((place, counting[place]?)));
        let longer = (at..knots.len()).find_map(|place| counting[place]);
        let least = shorter.map_or(0.0, |(_, value)| value);
        let most = match (longer, shorter) {
            (Some(longer), _) => longer,
            (None, Some((place, value))) => {
                MOST_BEYOND * explained(&knots[place], value, knots[at].bytes)
            }
            (None, None) => f64::INFINITY,
        };
        let is_confirmed =
            most.is_finite() && likely > 0.0 && likely * SLACK >= least && likely <= most * SLACK;
        if is_confirmed && least <= most {
            fitted[at] = Some(likely.clamp(least, most));
        }
    }
    keep_order(left_out, fitted);
}

/// Several minima in a row may fall; the lower ones win then, as they do for all others.
fn keep_order(left_out: &[usize], fitted: &mut [Option<f64>]) {
    let mut next: Option<(usize, f64)> = None;
    for &at in left_out.iter().rev() {
        let Some(value) = fitted[at] else { continue };
        let are_neighbours =
            |longer: usize| (at + 1..=longer).all(|place| left_out.contains(&place));
        let lowest = match next {
            Some((longer, most)) if are_neighbours(longer) => value.min(most),
            _ => value,
        };
        fitted[at] = Some(lowest);
        next = Some((at, lowest));
    }
}
