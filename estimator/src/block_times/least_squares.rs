//! Least squares with coefficients that are never negative (Lawson and Hanson, Solving Least Squares
//! Problems, 1974, chapter 23), on normal equations, for the few unknowns that a block's rates are.
//! [`super::rate`] defines the unknowns.

/// Sums over the equations: all that a solution needs. Equations can be added and taken out again.
#[derive(Clone, Debug)]
pub(crate) struct Normal {
    unknowns: usize,
    /// Row by row: the matrix of products of columns.
    products: Vec<f64>,
    /// Products of columns and right side.
    right: Vec<f64>,
}

impl Normal {
    /// No equation yet.
    pub(crate) fn new(unknowns: usize) -> Self {
        Self {
            unknowns,
            products: vec![0.0; unknowns * unknowns],
            right: vec![0.0; unknowns],
        }
    }

    /// Adds `weight` times the equation `row · x = value`; a negative weight takes it out.
    pub(crate) fn add(&mut self, row: &[f64], value: f64, weight: f64) {
        for (i, left) in row.iter().enumerate() {
            self.right[i] += weight * left * value;
            for (j, right) in row.iter().enumerate() {
                self.products[i * self.unknowns + j] += weight * left * right;
            }
        }
    }

    /// Sum of the squares of a column.
    pub(super) fn square(&self, column: usize) -> f64 {
        self.products[column * self.unknowns + column]
    }

    /// The unknowns, none negative, with the least sum of weighted squares of residuals. Unknowns that no
    /// equation holds are 0.
    pub(crate) fn solve(&self) -> Vec<f64> {
        let mut free = vec![false; self.unknowns];
        let mut found = vec![0.0; self.unknowns];
        // Each round frees one unknown or ends; none returns more often than rounding makes it.
        for _ in 0..4 * self.unknowns {
            let Some(next) = self.steepest(&found, &free) else {
                break;
            };
            free[next] = true;
            self.improve(&mut found, &mut free);
        }
        found
    }

    /// The bound unknown whose growth lowers the sum most, if any does.
    fn steepest(&self, found: &[f64], free: &[bool]) -> Option<usize> {
        let slope = |i: usize| {
            let row = &self.products[i * self.unknowns..(i + 1) * self.unknowns];
            let reached: f64 = row.iter().zip(found).map(|(product, x)| product * x).sum();
            // Per unit of the column's length, so that units of terms do not decide.
            (self.right[i] - reached) / self.square(i).sqrt()
        };
        let scale = (0..self.unknowns).filter(|&i| self.square(i) > 0.0);
        let scale = scale
            .map(|i| self.right[i].abs() / self.square(i).sqrt())
            .fold(0.0, f64::max);
        let grows = |&i: &usize| !free[i] && self.square(i) > 0.0 && slope(i) > 1e-13 * scale;
        (0..self.unknowns)
            .filter(grows)
            .max_by(|&a, &b| slope(a).total_cmp(&slope(b)))
    }

    /// Goes towards the best values of the free unknowns; those that would fall below 0 are bound on the way.
    fn improve(&self, found: &mut [f64], free: &mut [bool]) {
        while let Some(best) = self.unbound(free) {
            let below = (0..self.unknowns).filter(|&i| free[i] && best[i] <= 0.0);
            // How far one can go towards `best` until this unknown is 0.
            let share = |&i: &usize| found[i] / (found[i] - best[i]).max(f64::MIN_POSITIVE);
            let Some(first) = below.min_by(|a, b| share(a).total_cmp(&share(b))) else {
                found.copy_from_slice(&best);
                return;
            };
            let share = share(&first).clamp(0.0, 1.0);
            for i in (0..self.unknowns).filter(|&i| free[i]) {
                found[i] += share * (best[i] - found[i]);
            }
            (found[first], free[first]) = (0.0, false);
        }
    }

    /// The solution in the free unknowns, without bounds; `None` if none is free.
    fn unbound(&self, free: &[bool]) -> Option<Vec<f64>> {
        let places: Vec<usize> = (0..self.unknowns).filter(|&i| free[i]).collect();
        if places.is_empty() {
            return None;
        }
        let size = places.len();
        // Cholesky on columns of length 1: work terms may differ by many orders of magnitude.
        let scales: Vec<f64> = places.iter().map(|&i| self.square(i).sqrt()).collect();
        let mut lower = vec![0.0; size * size];
        for row in 0..size {
            for column in 0..=row {
                let mut sum = self.products[places[row] * self.unknowns + places[column]]
                    / (scales[row] * scales[column]);
                sum -= (0..column)
                    .map(|k| lower[row * size + k] * lower[column * size + k])
                    .sum::<f64>();
                lower[row * size + column] = if row == column {
                    // Columns that say the same: the later one then adds next to nothing.
                    sum.max(1e-15).sqrt()
                } else {
                    sum / lower[column * size + column]
                };
            }
        }
        let mut values: Vec<f64> = places
            .iter()
            .zip(&scales)
            .map(|(&i, scale)| self.right[i] / scale)
            .collect();
        for row in 0..size {
            let known: f64 = (0..row).map(|k| lower[row * size + k] * values[k]).sum();
            values[row] = (values[row] - known) / lower[row * size + row];
        }
        for row in (0..size).rev() {
            let known: f64 = (row + 1..size)
                .map(|k| lower[k * size + row] * values[k])
                .sum();
            values[row] = (values[row] - known) / lower[row * size + row];
        }
        let mut all = vec![0.0; self.unknowns];
        for ((&place, value), scale) in places.iter().zip(values).zip(scales) {
            all[place] = value / scale;
        }
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solved(equations: &[(&[f64], f64)]) -> Vec<f64> {
        let mut sums = Normal::new(equations[0].0.len());
        equations
            .iter()
            .for_each(|(row, value)| sums.add(row, *value, 1.0));
        sums.solve()
    }

    fn near(found: &[f64], expected: &[f64]) -> bool {
        found
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-9 * b.abs().max(1.0))
    }

    #[test]
    fn solves_where_no_bound_holds() {
        let found = solved(&[(&[1.0, 0.0], 2.0), (&[1.0, 1.0], 5.0), (&[1.0, 3.0], 11.0)]);
        assert!(near(&found, &[2.0, 3.0]), "{found:?}");
    }

    #[test]
    fn negative_solutions_become_zero() {
        // Without bounds −1 and 2.
        let found = solved(&[(&[1.0, 1.0], 1.0), (&[1.0, 2.0], 3.0)]);
        assert!(near(&found, &[0.0, 1.4]), "{found:?}");
        assert_eq!(solved(&[(&[1.0], -3.0)]), [0.0]);
    }

    #[test]
    fn an_equation_can_be_taken_out() {
        let mut sums = Normal::new(1);
        sums.add(&[2.0], 8.0, 0.5);
        sums.add(&[1.0], 100.0, 3.0);
        sums.add(&[1.0], 100.0, -3.0);
        assert!(near(&sums.solve(), &[4.0]));
    }

    #[test]
    fn unconstrained_unknown_stays_undetermined() {
        assert_eq!(solved(&[(&[0.0, 2.0], 6.0)]), [0.0, 3.0]);
        assert_eq!(Normal::new(2).solve(), [0.0, 0.0]);
    }

    #[test]
    fn collinear_columns_share_their_coefficient() {
        let found = solved(&[(&[1.0, 2.0], 6.0), (&[2.0, 4.0], 12.0)]);
        assert!((found[0] + 2.0 * found[1] - 6.0).abs() < 1e-6, "{found:?}");
    }
}
