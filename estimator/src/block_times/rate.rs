//! Times of variants that were not measured, from those of the same block that were: a straight line
//! over the sum of the work terms, fitted by least squares of the relative errors, so that small and
//! large variants count alike.

/// A measured variant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// Sum of the work terms.
    pub(super) total: f64,
    /// Mean time in picoseconds.
    pub(super) time: f64,
}

/// A computed time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Predicted {
    /// Picoseconds.
    pub(super) time: f64,
    /// Relative standard deviation.
    pub(super) spread: f64,
}

/// Relative standard deviation of a time computed from a single measured variant: one point says
/// nothing about how the time grows, so this is a guess on the wide side.
const UNKNOWN_SPREAD: f64 = 0.25;

/// Sum of the work terms.
pub(super) fn total(terms: &[i64]) -> f64 {
    terms.iter().map(|&term| term as f64).sum()
}

/// The time of a variant whose terms sum up to `total`. `points` is not empty.
pub(super) fn predict(points: &[Point], total: f64) -> Predicted {
    let proportional = proportional(points, total);
    if points.len() == 1 {
        return Predicted { time: proportional, spread: UNKNOWN_SPREAD };
    }
    let Some((offset, slope)) = line(points) else {
        return mean(points);
    };
    let time = offset + slope * total;
    if slope < 0.0 || time <= 0.0 {
        // More work never takes less time: what looks so is spread.
        return mean(points);
    }
    let spread = match points.len() {
        // A line through two points has no residual; the other way to draw it tells how far off it
        // may be.
        2 => (proportional / time - 1.0).abs().min(1.0),
        _ => residual(points, |total| offset + slope * total),
    };
    Predicted { time, spread }
}

/// By the mean rate; the mean time where there is no work to divide by.
fn proportional(points: &[Point], total: f64) -> f64 {
    let work: f64 = points.iter().map(|point| point.total).sum();
    let time: f64 = points.iter().map(|point| point.time).sum();
    if work > 0.0 { time / work * total.max(0.0) } else { time / points.len() as f64 }
}

/// Offset and slope; `None` if all points have the same total or no time.
fn line(points: &[Point]) -> Option<(f64, f64)> {
    let (mut weights, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for point in points.iter().filter(|point| point.time > 0.0) {
        let weight = 1.0 / (point.time * point.time);
        weights += weight;
        x += weight * point.total;
        y += weight * point.time;
        xx += weight * point.total * point.total;
        xy += weight * point.total * point.time;
    }
    let determinant = weights * xx - x * x;
    if determinant <= 1e-12 * weights * xx {
        return None;
    }
    let slope = (weights * xy - x * y) / determinant;
    Some(((y - slope * x) / weights, slope))
}

fn mean(points: &[Point]) -> Predicted {
    let time = points.iter().map(|point| point.time).sum::<f64>() / points.len() as f64;
    Predicted { time, spread: residual(points, |_| time) }
}

/// Relative standard deviation of the points around `predicted`, with the degrees of freedom of a line.
fn residual(points: &[Point], predicted: impl Fn(f64) -> f64) -> f64 {
    let squares: f64 = points
        .iter()
        .filter(|point| point.time > 0.0)
        .map(|point| (predicted(point.total) / point.time - 1.0).powi(2))
        .sum();
    (squares / (points.len() as f64 - 2.0).max(1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn predicted(points: &[(f64, f64)], total: f64) -> Predicted {
        let points: Vec<Point> = points.iter().map(|&(total, time)| Point { total, time }).collect();
        predict(&points, total)
    }

    #[test]
    fn follows_the_rate() {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-6 * b.abs().max(1.0);
        let line = predicted(&[(10.0, 120.0), (20.0, 220.0), (40.0, 420.0)], 100.0);
        assert!(near(line.time, 1020.0) && line.spread < 1e-9, "{line:?}");
        let single = predicted(&[(10.0, 120.0)], 5.0);
        assert_eq!(single, Predicted { time: 60.0, spread: UNKNOWN_SPREAD });
        let no_terms = predicted(&[(0.0, 120.0)], 0.0);
        assert_eq!(no_terms.time, 120.0);
        let pair = predicted(&[(10.0, 100.0), (20.0, 100.0)], 40.0);
        assert!(near(pair.time, 100.0) && pair.spread == 1.0, "{pair:?}");
    }

    #[test]
    fn never_falls_with_work() {
        let falling = predicted(&[(10.0, 200.0), (20.0, 100.0), (30.0, 150.0)], 1000.0);
        assert_eq!(falling.time, 150.0);
        assert!(falling.spread > 0.2);
    }
}
