//! Parameters in which every measured time is linear, from samples of all kinds at once.
//!
//! Weighted least squares of relative errors, robust by Huber's weights (see [`super::line_fit`]), with parameters of at least 0.
//! The equations are solved by orthogonalisation of the columns (modified Gram-Schmidt, twice), since normal equations would lose a gap
//! of 0.04 ns beside overheads of 10 ns. A column that depends on the columns before it has no value of its own: its parameter is
//! *undetermined*.
//!
//! Confidence intervals and residual come from leaving out one message length at a time (Efron's jackknife), or one group of lengths where
//! there are many: samples of one length are disturbed together, so single samples are no independent observations. A large error counts in
//! the residual what its row counts in the fit, so that a disturbed length does not stand for the others.

use super::line_fit::{HUBER, MEDIAN_IN_SIGMAS, ROUNDS, median};
use super::samples::Prediction;
use std::collections::{BTreeMap, BTreeSet};

/// One measured time as a sum of parameters.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The kind of sample, for messages to the user.
    pub(super) what: &'static str,
    /// Message length.
    pub(super) bytes: u64,
    /// How often each parameter is in the time.
    pub(super) coefficients: Vec<f64>,
    /// The time that the parameters explain, in nanoseconds.
    pub(super) time: f64,
    /// The measured time, of which `time` is a part; errors are relative to it.
    pub(super) measured: f64,
}

/// The solution of a set of rows.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    /// A value for each parameter; 0 where it is undetermined.
    pub(super) values: Vec<f64>,
    /// Whether each parameter has a value of its own.
    pub(super) is_determined: Vec<bool>,
    /// What each row counts.
    pub(super) weights: Vec<f64>,
}

/// A column counts as dependent on others if less than this share of its length is its own.
const DEPENDENT: f64 = 1e-6;
/// Rounds of reweighting that show which of two choices is better.
const ROUGH_ROUNDS: usize = 4;
/// Weights that change by less than this are final.
const SETTLED: f64 = 1e-3;

impl Solution {
    /// Whether all these parameters have values of their own. Without rows, none has.
    pub(super) fn determines(&self, parameters: &[usize]) -> bool {
        let is_known = |&index: &usize| self.is_determined.get(index) == Some(&true);
        parameters.iter().all(is_known)
    }
}

impl Row {
    fn predicted(&self, values: &[f64]) -> f64 {
        let terms = self.coefficients.iter().zip(values);
        terms.map(|(coefficient, value)| coefficient * value).sum()
    }

    /// Predicted over measured, minus 1.
    pub(super) fn error(&self, values: &[f64]) -> f64 {
        (self.predicted(values) - self.time) / self.measured
    }

    /// Whether the measured time contains something that no parameter explains. Relative to the whole, errors of the rest are small
    /// whatever the parameters are, so they show nothing of the fit.
    pub(super) fn is_diluted(&self) -> bool {
        self.time < self.measured
    }
}

/// The parameters of rows with positive times.
pub(super) fn solve(rows: &[Row]) -> Solution {
    solve_in(rows, ROUNDS)
}

/// The same with so few rounds of reweighting that it serves to compare choices.
pub(super) fn solve_roughly(rows: &[Row]) -> Solution {
    solve_in(rows, ROUGH_ROUNDS)
}

/// The parameters of rows whose weights are known.
pub(super) fn solve_weighted(rows: &[Row], weights: Vec<f64>) -> Solution {
    let mut solution = weighted(rows, &weights);
    solution.weights = weights;
    solution
}

fn solve_in(rows: &[Row], rounds: usize) -> Solution {
    let mut solution = solve_weighted(rows, vec![1.0; rows.len()]);
    for _ in 0..rounds {
        let deviations = robust_deviations(rows, &solution.values);
        let mut weights = Vec::with_capacity(rows.len());
        for row in rows {
            let limit = HUBER * deviations[row.what];
            let size = row.error(&solution.values).abs();
            weights.push(if size <= limit { 1.0 } else { limit / size });
        }
        let has_changed = |(new, old): (&f64, &f64)| (new - old).abs() > SETTLED;
        if !weights.iter().zip(&solution.weights).any(has_changed) {
            break;
        }
        solution = solve_weighted(rows, weights);
    }
    solution
}

/// Standard deviation of the relative errors of each kind, from their median size. Kinds differ: a delay that is part of the measured time
/// makes its relative errors small.
fn robust_deviations(rows: &[Row], values: &[f64]) -> BTreeMap<&'static str, f64> {
    let mut sizes: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
    for row in rows {
        let size = row.error(values).abs();
        sizes.entry(row.what).or_default().push(size);
    }
    sizes
        .into_iter()
        .map(|(what, sizes)| (what, median(&sizes) / MEDIAN_IN_SIGMAS))
        .collect()
}

/// Least squares without negative parameters: the most negative one becomes 0 until none is left.
fn weighted(rows: &[Row], weights: &[f64]) -> Solution {
    let parameters = rows.first().map_or(0, |row| row.coefficients.len());
    let mut is_free = vec![true; parameters];
    let mut is_determined = None;
    loop {
        let mut solution = orthogonalised(rows, weights, &is_free);
        // What the samples determine does not depend on the values: a parameter that is held at 0 makes no other one known.
        solution.is_determined = is_determined
            .get_or_insert_with(|| solution.is_determined.clone())
            .clone();
        let mut most_negative: Option<usize> = None;
        for (index, &value) in solution.values.iter().enumerate() {
            let lowest = most_negative.map_or(0.0, |other| solution.values[other]);
            if value < lowest {
                most_negative = Some(index);
            }
        }
        let Some(negative) = most_negative else {
            return solution;
        };
        // One at a time: without it others may no longer be negative.
        is_free[negative] = false;
    }
}

fn orthogonalised(rows: &[Row], weights: &[f64], is_free: &[bool]) -> Solution {
    let parameters = is_free.len();
    // Squares are minimised, hence the root; errors are relative to the measured time, hence the division.
    let scale = |row: &Row, weight: f64| weight.sqrt() / row.measured;
    let mut basis: Vec<Basis> = Vec::new();
    let mut is_determined = vec![false; parameters];
    for parameter in 0..parameters {
        let column: Vec<f64> = rows
            .iter()
            .zip(weights)
            .map(|(row, &weight)| row.coefficients[parameter] * scale(row, weight))
            .collect();
        let length = dot(&column, &column).sqrt();
        if length == 0.0 || !is_free[parameter] {
            continue;
        }
        let mut rest = column;
        let mut shares = vec![0.0; basis.len()];
        // Once leaves rounding errors of the removed parts; twice is enough (Kahan, Parlett).
        for _ in 0..2 {
            for (other, share) in basis.iter().zip(&mut shares) {
                let part = dot(&other.direction, &rest);
                *share += part;
                for (value, direction) in rest.iter_mut().zip(&other.direction) {
                    *value -= part * direction;
                }
            }
        }
        let own = dot(&rest, &rest).sqrt();
        if own <= DEPENDENT * length {
            continue;
        }
        rest.iter_mut().for_each(|value| *value /= own);
        is_determined[parameter] = true;
        basis.push(Basis {
            parameter,
            direction: rest,
            own,
            shares,
        });
    }
    let times: Vec<f64> = rows
        .iter()
        .zip(weights)
        .map(|(row, &weight)| row.time * scale(row, weight))
        .collect();
    let mut values = vec![0.0; parameters];
    // From the last one back: a column has parts along earlier directions only.
    for (place, column) in basis.iter().enumerate().rev() {
        let mut value = dot(&column.direction, &times);
        for later in &basis[place + 1..] {
            value -= later.shares[place] * values[later.parameter];
        }
        values[column.parameter] = value / column.own;
    }
    Solution {
        values,
        is_determined,
        weights: Vec::new(),
    }
}

/// The part of a column that the columns before it do not explain.
struct Basis {
    parameter: usize,
    /// Of length 1.
    direction: Vec<f64>,
    /// Length of the part.
    own: f64,
    /// What of the column lies along each earlier direction.
    shares: Vec<f64>,
}

fn dot(first: &[f64], second: &[f64]) -> f64 {
    first.iter().zip(second).map(|(a, b)| a * b).sum()
}

/// What leaving out lengths shows.
pub(super) struct CrossValidation {
    /// Covariance of the parameters, row by row.
    pub(super) covariance: Vec<f64>,
    /// Root of the weighted mean square of the relative errors at the lengths that were left out.
    pub(super) residual: f64,
    /// Each of these errors.
    pub(super) errors: Vec<Prediction>,
}

/// So many groups of lengths are left out in turn: each length alone up to so many lengths, else every so-manieth together. The time of
/// the cross-validation then grows with the samples, not with their square.
pub(super) const MOST_GROUPS: usize = 64;

/// Leaves out one group of lengths at a time. `fit` returns the parameters of the rest, and the predicted relative errors of what was
/// left out; `None` where the rest does not determine the parameters. Without two groups that can be left out there is no spread, and the
/// result is `None`.
pub(super) fn cross_validate(
    lengths: &[u64],
    parameters: usize,
    fit: impl Fn(&BTreeSet<u64>) -> Option<LeftOut>,
) -> Option<CrossValidation> {
    let mut found: Vec<Vec<f64>> = Vec::new();
    let mut errors: Vec<Prediction> = Vec::new();
    let (mut squares, mut weights) = (0.0, 0.0);
    let groups = lengths.len().min(MOST_GROUPS);
    for group in 0..groups {
        // Neighbours are in different groups, so that the rest surrounds each length.
        let group: BTreeSet<u64> = lengths
            .iter()
            .skip(group)
            .step_by(groups)
            .copied()
            .collect();
        let Some(left_out) = fit(&group) else {
            continue;
        };
        for (prediction, weight) in left_out.errors {
            squares += weight * prediction.error.powi(2);
            weights += weight;
            errors.push(prediction);
        }
        found.push(left_out.values);
    }
    if found.len() < 2 || weights <= 0.0 {
        return None;
    }
    let count = found.len() as f64;
    let means: Vec<f64> = (0..parameters)
        .map(|index| found.iter().map(|values| values[index]).sum::<f64>() / count)
        .collect();
    let mut covariance = vec![0.0; parameters * parameters];
    for values in &found {
        for row in 0..parameters {
            for column in 0..parameters {
                let product = (values[row] - means[row]) * (values[column] - means[column]);
                covariance[row * parameters + column] += product * (count - 1.0) / count;
            }
        }
    }
    Some(CrossValidation {
        covariance,
        residual: (squares / weights).sqrt(),
        errors,
    })
}

/// A fit without a group of lengths.
pub(super) struct LeftOut {
    pub(super) values: Vec<f64>,
    /// Its predictions at these lengths, and what each counts.
    pub(super) errors: Vec<(Prediction, f64)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(bytes: u64, coefficients: &[f64], time: f64) -> Row {
        Row {
            what: "test",
            bytes,
            coefficients: coefficients.to_vec(),
            time,
            measured: time,
        }
    }

    #[test]
    fn exact_times_return_their_parameters_beside_an_outlier() {
        let mut rows: Vec<Row> = (0..12)
            .map(|power| {
                let bytes = 1u64 << power;
                let length = bytes as f64;
                row(bytes, &[1.0, length], 500.0 + 0.25 * length)
            })
            .collect();
        rows[4].time *= 7.0;
        rows[4].measured = rows[4].time;
        let found = solve(&rows).values;
        assert!((found[0] / 500.0 - 1.0).abs() < 1e-5, "{found:?}");
        assert!((found[1] / 0.25 - 1.0).abs() < 1e-5, "{found:?}");
    }

    #[test]
    fn dependent_columns_are_undetermined() {
        let rows = [
            row(1, &[1.0, 1.0, 2.0, 0.0], 5.0),
            row(2, &[1.0, 2.0, 4.0, 0.0], 9.0),
            row(3, &[1.0, 3.0, 6.0, 0.0], 13.0),
        ];
        let found = solve(&rows);
        assert_eq!(found.is_determined, [true, true, false, false]);
        assert!((found.values[1] - 4.0).abs() < 1e-9);
    }

    #[test]
    fn parameters_are_never_negative() {
        let rows = [
            row(0, &[1.0, 0.0], 10.0),
            row(10, &[1.0, 10.0], 8.0),
            row(20, &[1.0, 20.0], 6.0),
        ];
        let found = solve(&rows);
        assert_eq!(found.values[1], 0.0);
        assert!(found.values[0] > 6.0 && found.is_determined[1]);
    }
}
