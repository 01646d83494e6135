//! Times of variants that were not measured, from those of the same block that were: an offset and a rate
//! per work term, by least squares of relative errors, so that small and large variants count alike and
//! less certain ones for less; none is negative. What the measured variants leave open (few of them, terms that
//! grow together) a prior determines: all terms have one rate. Cross-validation determines the weight of the prior, and
//! whether small and large variants have rates of their own (another cache level): each variant is predicted from all
//! others, which also gives a computed time its error. Where the two neighbouring variants predict much better
//! ([`super::variant_interpolation`]), times are interpolated between them. Where single variants do not follow
//! the rates, these are such that all measured executions together take what they took.

use super::least_squares::Normal;
use super::variant_interpolation::Neighbours;

/// A measured variant.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// Its work terms.
    pub(super) terms: Vec<f64>,
    /// Mean time in picoseconds.
    pub(super) time: f64,
    /// Standard error of the mean, relative to it.
    pub(super) error: f64,
    /// How many executions it is the mean of.
    pub(super) count: f64,
}

impl Point {
    /// The same with the sum of the terms alone.
    pub(super) fn by_size(self) -> Self {
        Self {
            terms: vec![total(&self.terms)],
            ..self
        }
    }
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
/// Lower bound of a variant's relative error: all that are known better have the same weight.
const LEAST_ERROR: f64 = 0.005;
/// Weights of the prior that all terms have one rate, relative to that of the variants, ascending.
const REGULARISATIONS: [f64; 4] = [1e-9, 1e-5, 1e-2, 1e2];
/// Weight of the prior that the offset is 0.
const NO_OFFSET: f64 = 1e-9;
/// Variants that rates of their own need.
const FEWEST_IN_PIECE: usize = 3;
/// How often variants are split in two: one level of cache fewer than processors have.
const MOST_SPLITS: u32 = 2;
/// Errors below this are no reason to split; a split must halve the error.
const GOOD: f64 = 0.03;
/// Relative error from which on a variant counts for less in what all of them took together.
const CERTAIN: f64 = 0.05;
/// Variants that a fit looks at; of more, these evenly by size.
const MOST_POINTS: usize = 64;

/// Sum of the work terms.
fn total(terms: &[f64]) -> f64 {
    terms.iter().sum()
}

/// A model of a block's time, fitted to its measured variants.
#[derive(Clone, Debug)]
pub(super) struct Rates {
    /// Ascending in size.
    pieces: Vec<RegressionSegment>,
    /// Smallest and largest value of each term.
    ranges: Vec<(f64, f64)>,
    /// Smallest and largest size.
    sizes: (f64, f64),
    /// Times by size, where they predict much better than rates.
    neighbours: Option<Neighbours>,
}

/// A segment of the segmented regression: the rates of variants up to a size.
#[derive(Clone, Debug)]
struct RegressionSegment {
    up_to: f64,
    offset: f64,
    rates: Vec<f64>,
    /// Relative error of each variant when predicted from the others, ascending in size; empty for one variant.
    errors: Vec<f64>,
}

impl Rates {
    /// Fits `points`, of which there is at least one; all have the same number of terms.
    pub(super) fn of(mut points: Vec<Point>) -> Self {
        points.sort_by(|a, b| total(&a.terms).total_cmp(&total(&b.terms)));
        let neighbours =
            Neighbours::of(points.iter().map(|point| (total(&point.terms), point.time)));
        let all = points;
        let points = thinned(&all);
        let mut pieces = Vec::new();
        split(&points, MOST_SPLITS, f64::INFINITY, &mut pieces);
        let mut rest = &all[..];
        for piece in &mut pieces {
            let (own, larger) =
                rest.split_at(rest.partition_point(|one| total(&one.terms) <= piece.up_to));
            piece.remove_unused_rates(own);
            rest = larger;
        }
        let range = |term: usize| {
            let values = points.iter().map(|point| point.terms[term]);
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
                (low.min(v), high.max(v))
            })
        };
        let terms = points.first().map_or(0, |point| point.terms.len());
        let size = |point: Option<&Point>| point.map_or(0.0, |point| total(&point.terms));
        let errors: Vec<f64> = pieces
            .iter()
            .flat_map(|piece: &RegressionSegment| &piece.errors)
            .copied()
            .collect();
        let by_rates = root_mean_square(&errors);
        // Interpolation says nothing beyond the measured sizes, so rates are left only for a clear gain.
        let is_better = |found: &Neighbours| by_rates > GOOD && found.error < by_rates / 2.0;
        Self {
            neighbours: neighbours.filter(is_better),
            pieces,
            ranges: (0..terms).map(range).collect(),
            sizes: (size(points.first()), size(points.last())),
        }
    }

    /// The time of a variant with these terms; their sum, where there are as many as in no variant.
    pub(super) fn predict(&self, terms: &[f64]) -> Predicted {
        let size = total(terms);
        if let Some((neighbours, time)) = self
            .neighbours
            .as_ref()
            .and_then(|all| Some((all, all.time(size)?)))
        {
            return Predicted {
                time,
                spread: neighbours.error.min(1.0),
            };
        }
        // Variants with different numbers of terms have only the sum in common ([`Point::by_size`]).
        let by_size = [size];
        let terms = if terms.len() == self.ranges.len() {
            terms
        } else {
            &by_size
        };
        let Some(piece) = self
            .pieces
            .iter()
            .find(|piece| size <= piece.up_to)
            .or(self.pieces.last())
        else {
            return Predicted {
                time: 0.0,
                spread: UNKNOWN_SPREAD,
            };
        };
        let is_inside = self
            .ranges
            .iter()
            .zip(terms)
            .all(|((low, high), term)| low <= term && term <= high);
        let spread = if is_inside {
            piece.error()
        } else {
            // The logarithm of the ratio of sizes: an error of the exponent of growth is proportional to it.
            piece.end_error() * self.distance(size)
        };
        Predicted {
            time: piece.time(terms),
            spread: spread.min(1.0),
        }
    }

    /// Cross-validated relative error over all variants; `None` if there is one only.
    pub(super) fn error(&self) -> Option<f64> {
        if let Some(neighbours) = &self.neighbours {
            return Some(neighbours.error);
        }
        let errors: Vec<f64> = self
            .pieces
            .iter()
            .flat_map(|piece| &piece.errors)
            .copied()
            .collect();
        if errors.is_empty() {
            return None;
        }
        Some(root_mean_square(&errors))
    }

    /// How much less sure a time beyond the measured sizes is than one at their end.
    fn distance(&self, size: f64) -> f64 {
        let (least, most) = self.sizes;
        let beyond = |larger: f64, smaller: f64| {
            if larger > smaller && smaller > 0.0 {
                (larger / smaller).ln()
            } else {
                0.0
            }
        };
        1.0 + beyond(size, most).max(beyond(least, size))
    }
}

impl RegressionSegment {
    /// Where single variants do not follow the rates, all of them together do: rates by relative errors are drawn to the
    /// variants that take least, of which there may be many.
    fn remove_unused_rates(&mut self, points: &[Point]) {
        // Weighted by executions, because it is their sum that the factor preserves.
        let known = |one: &Point| one.count / (1.0 + (one.error / CERTAIN).powi(2));
        let sum =
            |of: &dyn Fn(&Point) -> f64| points.iter().map(|one| known(one) * of(one)).sum::<f64>();
        let factor = sum(&|one| one.time) / sum(&|one| self.time(&one.terms));
        if root_mean_square(&self.errors) > GOOD && factor.is_finite() && factor > 0.0 {
            self.offset *= factor;
            self.rates.iter_mut().for_each(|rate| *rate *= factor);
        }
    }

    fn time(&self, terms: &[f64]) -> f64 {
        self.offset
            + self
                .rates
                .iter()
                .zip(terms)
                .map(|(rate, term)| rate * term.max(0.0))
                .sum::<f64>()
    }

    /// Between the variants.
    fn error(&self) -> f64 {
        if self.errors.is_empty() {
            UNKNOWN_SPREAD
        } else {
            root_mean_square(&self.errors)
        }
    }

    /// Beyond them: that of the smallest and largest, which were predicted from one side only.
    fn end_error(&self) -> f64 {
        match self.errors.as_slice() {
            [] => UNKNOWN_SPREAD,
            [first, .., last] => first.abs().max(last.abs()).max(self.error()),
            [only] => only.abs(),
        }
    }
}

fn root_mean_square(errors: &[f64]) -> f64 {
    (errors.iter().map(|error| error * error).sum::<f64>() / errors.len().max(1) as f64).sqrt()
}

/// At most [`MOST_POINTS`] of the points, evenly, the ends among them.
fn thinned(points: &[Point]) -> Vec<Point> {
    // Cross-validation solves once per variant and weight, so the points of a fit are bounded.
    let (count, most) = (points.len(), MOST_POINTS);
    if count <= most {
        return points.to_vec();
    }
    (0..most)
        .map(|i| points[i * (count - 1) / (most - 1)].clone())
        .collect()
}

/// The pieces of `points`, which ascend in size, up to a size.
fn split(points: &[Point], splits: u32, up_to: f64, pieces: &mut Vec<RegressionSegment>) {
    let whole = piece(points, up_to);
    let error = root_mean_square(&whole.errors);
    if splits > 0
        && error > GOOD
        && let Some(at) = best_split(points)
    {
        let (small, large) = points.split_at(at);
        let errors = [piece(small, 0.0).errors, piece(large, 0.0).errors].concat();
        // Two pieces always fit better than one; only a halved error of held-out variants shows a change of
        // rate.
        if root_mean_square(&errors) < error / 2.0 {
            let middle = (total(&points[at - 1].terms) + total(&points[at].terms)) / 2.0;
            split(small, splits - 1, middle, pieces);
            split(large, splits - 1, up_to, pieces);
            return;
        }
    }
    pieces.push(whole);
}

/// Where two sets of rates leave the least residuals; `None` for too few points.
fn best_split(points: &[Point]) -> Option<usize> {
    let last = points.len().checked_sub(FEWEST_IN_PIECE)?;
    let residual = |at: usize| {
        let (small, large) = points.split_at(at);
        [small, large]
            // A weak prior: the choice of the place needs comparable residuals, not the best weight.
            .map(|part| Equations::new(part, REGULARISATIONS[1]).residual())
            .iter()
            .sum::<f64>()
    };
    let tried = (FEWEST_IN_PIECE..=last).map(|at| (at, residual(at)));
    tried.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
}

/// One set of rates, with the largest weight of the prior that predicts about as well as the best.
fn piece(points: &[Point], up_to: f64) -> RegressionSegment {
    let fits = REGULARISATIONS.map(|regularisation| {
        let equations = Equations::new(points, regularisation);
        let errors = equations.cross_validated();
        (equations, errors)
    });
    let least = fits
        .iter()
        .map(|(_, errors)| root_mean_square(errors))
        .fold(f64::INFINITY, f64::min);
    let is_good =
        // About equal errors do not distinguish the weights; the absolute part is rounding.
        |(_, errors): &&(Equations, Vec<f64>)| root_mean_square(errors) <= 1.05 * least + 1e-7;
    let mut good = fits.iter().filter(is_good);
    // Of a single variant all say the same; with two, how the rate changes is all that is known.
    let chosen = if points.len() > 2 {
        good.next_back()
    } else {
        good.next()
    };
    let (equations, errors) = chosen.unwrap_or(&fits[0]);
    let solution = equations.sums.solve();
    let terms = points.first().map_or(0, |point| point.terms.len());
    RegressionSegment {
        up_to,
        offset: solution[0],
        rates: solution[1..=terms].to_vec(),
        errors: errors.clone(),
    }
}

/// The equations of a set of variants. Unknown 0 is the offset, then come the terms' rates, then the rate that
/// all have by the prior.
struct Equations<'a> {
    points: &'a [Point],
    sums: Normal,
}

impl<'a> Equations<'a> {
    fn new(points: &'a [Point], regularisation: f64) -> Self {
        let terms = points.first().map_or(0, |point| point.terms.len());
        let mut sums = Normal::new(terms + 2);
        for point in points.iter().filter(|point| point.time > 0.0) {
            sums.add(&row(point), point.time, weight(point));
        }
        // The prior, as further equations: the offset is 0, and each term's rate is the common rate. Its weight is relative
        // to that of the term's own samples, but at least to the least of any term, so that a term that is 0 in every
        // sample gets the common rate.
        let squares: Vec<f64> = (0..=terms).map(|unknown| sums.square(unknown)).collect();
        let least = squares[1..]
            .iter()
            .copied()
            .filter(|&square| square > 0.0)
            .fold(f64::INFINITY, f64::min);
        for (unknown, square) in squares.into_iter().enumerate() {
            let mut row = vec![0.0; terms + 2];
            row[unknown] = 1.0;
            let strength = match unknown {
                0 => NO_OFFSET * square,
                _ if least.is_infinite() => continue,
                _ => {
                    row[terms + 1] = -1.0;
                    regularisation * square.max(least)
                }
            };
            sums.add(&row, 0.0, strength);
        }
        Self { points, sums }
    }

    /// Sum of the squares of the relative errors of the variants that are fitted.
    fn residual(&self) -> f64 {
        let solution = self.sums.solve();
        let error = |point: &Point| dot(&solution, &row(point)) / point.time.max(1.0) - 1.0;
        self.points.iter().map(|point| error(point).powi(2)).sum()
    }

    /// Each variant's relative error when it is predicted from all others, in order.
    fn cross_validated(&self) -> Vec<f64> {
        if self.points.len() < 2 {
            return Vec::new();
        }
        let error = |point: &Point| {
            // A negative weight removes the variant from the normal equations.
            let mut others = self.sums.clone();
            others.add(&row(point), point.time, -weight(point));
            dot(&others.solve(), &row(point)) / point.time - 1.0
        };
        self.points
            .iter()
            .map(|point| if point.time > 0.0 { error(point) } else { 0.0 })
            .collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn row(point: &Point) -> Vec<f64> {
    std::iter::once(1.0)
        .chain(point.terms.iter().copied())
        .chain(std::iter::once(0.0))
        .collect()
}

/// One over the square of a variant's error; times are at least a picosecond.
fn weight(point: &Point) -> f64 {
    let error = point.time * point.error.hypot(LEAST_ERROR);
    1.0 / (error * error)
}

#[cfg(test)]
mod tests;
