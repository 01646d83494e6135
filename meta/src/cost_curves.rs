//! Costs that change with the index of a loop: a line or a parabola for each rank.

/// Coefficients by power of the index, each for all ranks.
pub(crate) type Curve = Vec<Vec<f64>>;

/// How far a cost may be from its curve, as a share of the largest: an estimate is to stay within 1 %. Least squares leave the sum
/// of all costs as it is.
const LARGEST_RESIDUAL: f64 = 0.01;

/// Costs below this share of the largest, where a curve ends, might become negative by rounding.
const LEAST_END: f64 = 1e-3;

/// The curve of the lowest degree on which costs are; `costs` are lists over the ranks, one for each iteration.
pub(crate) fn curve(costs: &[&[f64]]) -> Option<Curve> {
    let ranks = costs.first()?.len();
    for degree in 1..=2 {
        // A curve through as many points as it has coefficients means nothing.
        if costs.len() < degree + 2 {
            break;
        }
        let mut curve = vec![Vec::with_capacity(ranks); degree + 1];
        let mut fits = true;
        for rank in 0..ranks {
            let values: Vec<f64> = costs.iter().map(|costs| costs[rank]).collect();
            let coefficients = fitted(&values, degree);
            if !is_near(&values, &coefficients) {
                fits = false;
                break;
            }
            for (all, coefficient) in curve.iter_mut().zip(coefficients) {
                all.push(coefficient);
            }
        }
        if fits {
            return Some(curve);
        }
    }
    None
}

fn value(coefficients: &[f64], at: f64) -> f64 {
    let sum = |sum: f64, coefficient: &f64| sum * at + coefficient;
    coefficients.iter().rev().fold(0.0, sum)
}

fn is_near(values: &[f64], coefficients: &[f64]) -> bool {
    let largest = values
        .iter()
        .fold(0.0, |most: f64, value| most.max(value.abs()));
    for (at, &own) in values.iter().enumerate() {
        let fitted = value(coefficients, at as f64);
        if (fitted - own).abs() > LARGEST_RESIDUAL * largest {
            return false;
        }
        if own >= 0.0 && fitted != 0.0 && fitted < LEAST_END * largest {
            return false;
        }
    }
    true
}

/// Coefficients by least squares, in orthogonal polynomials over 0, 1, …, n − 1.
fn fitted(values: &[f64], degree: usize) -> Vec<f64> {
    let count = values.len() as f64;
    let middle = (count - 1.0) / 2.0;
    let spread = (count * count - 1.0) / 12.0;
    // 1, u and u² − spread with u = index − middle are orthogonal to each other.
    let basis = |power: usize, at: usize| {
        let u = at as f64 - middle;
        match power {
            0 => 1.0,
            1 => u,
            _ => u * u - spread,
        }
    };
    let weight = |power: usize| {
        let (mut sum, mut norm) = (0.0, 0.0);
        for (at, value) in values.iter().enumerate() {
            sum += basis(power, at) * value;
            norm += basis(power, at) * basis(power, at);
        }
        sum / norm
    };
    let (mean, slope) = (weight(0), weight(1));
    // Ends at which the line passes 0 within rounding begin at 0.
    let clean = |value: f64| {
        if value.abs() <= 1e-9 * mean.abs() {
            0.0
        } else {
            value
        }
    };
    if degree == 1 {
        return vec![clean(mean - slope * middle), slope];
    }
    let bend = weight(2);
    vec![
        clean(mean - slope * middle + bend * (middle * middle - spread)),
        slope - 2.0 * bend * middle,
        bend,
    ]
}
