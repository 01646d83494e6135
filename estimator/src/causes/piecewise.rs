//! A convex, piecewise linear function of one factor, found from values and slopes at few places: where
//! the tangents of two neighbours meet, the function either bends (its value is that of the tangents)
//! or lies above, and then both halves are looked at (Eisner and Severance, Journal of the ACM 23, 1976).
//!
//! Totals of programs whose messages are matched by order are such functions of every time parameter:
//! made of maxima and sums alone. Times are rounded to picoseconds, so equality has a tolerance.

use base_data::explanation::SensitivityPoint;

/// The present value of every factor.
pub(crate) const PRESENT: f64 = 1.0;

/// Relative difference of totals that rounding alone can make.
const TOLERANCE: f64 = 1e-7;

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Piecewise {
    /// Ascending.
    pub(crate) points: Vec<SensitivityPoint>,
    /// Ends of the straight piece around the present.
    pub(crate) straight: [f64; 2],
    /// Whether it bends at both, or they are the ends of what was looked at.
    pub(crate) exact: bool,
}

/// Points in order, and which gaps between them are known to hold nothing new.
struct Search {
    points: Vec<SensitivityPoint>,
    /// By the gap behind each point.
    closed: Vec<bool>,
}

/// Finds the function between the first and the last of `places`, which ascend and hold
/// [`PRESENT`], asking at most `most` times.
///
/// # Errors
/// Those of `ask`.
pub(crate) fn find<E>(
    places: &[f64],
    most: usize,
    mut ask: impl FnMut(f64) -> Result<SensitivityPoint, E>,
) -> Result<Piecewise, E> {
    let points = places
        .iter()
        .map(|factor| ask(*factor))
        .collect::<Result<Vec<_>, E>>()?;
    let mut search = Search {
        closed: vec![false; points.len()],
        points,
    };
    let mut asked = places.len();
    while let Some((gap, factor)) = search.next() {
        if asked >= most {
            break;
        }
        let point = ask(factor)?;
        search.add(gap, point);
        asked += 1;
    }
    Ok(search.finish())
}

/// The tangent of a point at another factor.
fn tangent(point: &SensitivityPoint, factor: f64) -> f64 {
    point.total.picoseconds() as f64 + point.slope.picoseconds() as f64 * (factor - point.factor)
}

/// Whether a point lies on a tangent.
fn lies_on(point: &SensitivityPoint, of: &SensitivityPoint) -> bool {
    let total = point.total.picoseconds() as f64;
    // A picosecond of the slope may be rounded, too.
    (total - tangent(of, point.factor)).abs() <= (total.abs() * TOLERANCE).max(2.0)
}

impl Search {
    /// The gap to look into, the one nearest to the present first, and where its tangents meet.
    fn next(&mut self) -> Option<(usize, f64)> {
        for gap in 0..self.points.len().saturating_sub(1) {
            let [low, high] = [self.points[gap], self.points[gap + 1]];
            // A convex function that touches a tangent at both ends of a gap is that line in between.
            self.closed[gap] |= lies_on(&high, &low) || lies_on(&low, &high);
        }
        let distance = |gap: &usize| {
            let [low, high] = [self.points[*gap].factor, self.points[gap + 1].factor];
            (PRESENT - high).max(low - PRESENT)
        };
        let open = (0..self.points.len().saturating_sub(1)).filter(|gap| !self.closed[*gap]);
        let gap = open.min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        Some((gap, intersection(&self.points[gap], &self.points[gap + 1])))
    }

    fn add(&mut self, gap: usize, point: SensitivityPoint) {
        // On a tangent at the intersection means on both: the function bends here and is straight on either
        // side.
        let bends = lies_on(&point, &self.points[gap]) || lies_on(&point, &self.points[gap + 1]);
        self.points.insert(gap + 1, point);
        self.closed[gap] = bends;
        self.closed.insert(gap + 1, bends);
    }

    fn finish(self) -> Piecewise {
        let Self { points, closed } = self;
        let present = points
            .iter()
            .position(|point| point.factor == PRESENT)
            .unwrap_or(0);
        let on = |index: &usize| lies_on(&points[*index], &points[present]);
        let low = (0..present).rev().take_while(on).last().unwrap_or(present);
        let high = (present + 1..points.len())
            .take_while(on)
            .last()
            .unwrap_or(present);
        let exact = (low == 0 || closed[low - 1]) && (high + 1 == points.len() || closed[high]);
        Piecewise {
            straight: [points[low].factor, points[high].factor],
            exact,
            points,
        }
    }
}

/// Factor at which the tangents of two points intersect; the middle where rounding puts that outside the gap.
fn intersection(low: &SensitivityPoint, high: &SensitivityPoint) -> f64 {
    let steeper = (high.slope - low.slope).picoseconds() as f64;
    // What the tangent of the higher point is below the lower one, per difference of the slopes.
    let factor = low.factor + (tangent(low, low.factor) - tangent(high, low.factor)) / steeper;
    if factor > low.factor && factor < high.factor {
        factor
    } else {
        (low.factor + high.factor) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::Time;
    use proptest::prelude::*;

    /// The largest of lines, given as (value at 0, slope).
    fn ask(lines: &[(i64, i64)], factor: f64) -> SensitivityPoint {
        let value = |&(zero, slope): &(i64, i64)| zero as f64 + slope as f64 * factor;
        let highest = lines
            .iter()
            .max_by(|a, b| value(a).total_cmp(&value(b)))
            .unwrap();
        let time = Time::from_picoseconds;
        SensitivityPoint {
            factor,
            total: time(value(highest).round() as i64),
            slope: time(highest.1),
        }
    }

    fn found(lines: &[(i64, i64)], most: usize) -> Piecewise {
        find::<()>(&[0.0, PRESENT, 2.0], most, |factor| Ok(ask(lines, factor))).unwrap()
    }

    const NANO: i64 = 1_000_000;

    #[test]
    fn bends_are_found() {
        let straight = found(&[(5 * NANO, NANO)], 20);
        assert_eq!(
            (straight.straight, straight.exact, straight.points.len()),
            ([0.0, 2.0], true, 3)
        );
        // Bends at 0.5 and at 1.5.
        let bent = found(&[(5 * NANO, 0), (4 * NANO, 2 * NANO), (NANO, 4 * NANO)], 20);
        assert_eq!((bent.straight, bent.exact), ([0.5, 1.5], true));
        assert_eq!(
            bent.points
                .iter()
                .map(|point| point.factor)
                .collect::<Vec<_>>(),
            [0.0, 0.5, 1.0, 1.5, 2.0]
        );
    }

    #[test]
    fn skipped_comparisons_are_reported() {
        let lines: Vec<(i64, i64)> = (0..40).map(|i| (-i * i * NANO, 20 * i * NANO)).collect();
        assert!(!found(&lines, 5).exact);
        assert!(found(&lines, 200).exact);
    }

    proptest! {
        #[test]
        fn every_value_is_between_its_neighbours(
            lines in prop::collection::vec((0..9000i64, 0..9000i64), 1..30), factor in 0.0..2.0f64,
        ) {
            let lines: Vec<(i64, i64)> = lines.iter().map(|&(a, b)| (a * NANO, b * NANO)).collect();
            let whole = found(&lines, 200);
            let value = ask(&lines, factor).total.picoseconds() as f64;
            let after = whole.points.partition_point(|point| point.factor < factor).max(1);
            let [low, high] = [whole.points[after - 1], whole.points[after]];
            let share = (factor - low.factor) / (high.factor - low.factor);
            let [a, b] = [low, high].map(|point| point.total.picoseconds() as f64);
            let line = a + (b - a) * share;
            prop_assert!((value - line).abs() <= value * 1e-6 + 4.0, "{value} {line}");
            let [low, high] = whole.straight;
            prop_assert!(low <= PRESENT && PRESENT <= high);
        }
    }
}
