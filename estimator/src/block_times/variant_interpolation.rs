//! Times between measured variants by those of the next smaller and the next larger one: where a block's work is no sum of
//! its terms (a triangle with a condition in it grows with their square), many variants still determine it. Leaving
//! out each variant in turn gives the error. [`super::rate`] fits rates, and determines which of both is better.

/// Fewest sizes to interpolate between.
const FEWEST: usize = 8;

/// Measured times by size.
#[derive(Clone, Debug)]
pub(super) struct Neighbours {
    /// Sizes, ascending, and the mean time of variants of that size.
    known: Vec<(f64, f64)>,
    /// Relative error (root mean square) of a size that is interpolated from its two neighbours.
    pub(super) error: f64,
}

impl Neighbours {
    /// Of sizes in ascending order, with a time; `None` if there are too few.
    pub(super) fn of(variants: impl Iterator<Item = (f64, f64)>) -> Option<Self> {
        let variants: Vec<(f64, f64)> = variants.collect();
        // Sizes must differ for a line between them, so variants of one size become their mean.
        let alike: Vec<&[(f64, f64)]> = variants.chunk_by(|a, b| a.0 == b.0).collect();
        if alike.len() < FEWEST {
            return None;
        }
        let mean = |alike: &&[(f64, f64)]| {
            let sum: f64 = alike.iter().map(|one| one.1).sum();
            (alike[0].0, sum / alike.len() as f64)
        };
        let known: Vec<(f64, f64)> = alike.iter().map(mean).collect();
        let with_spread = known
            .windows(3)
            .map(|three| between(three[0], three[2], three[1].0));
        let off = |(with_spread, alike): (f64, &&[(f64, f64)])| {
            let off = |one: &(f64, f64)| {
                if one.1 > 0.0 {
                    (with_spread / one.1 - 1.0).powi(2)
                } else {
                    0.0
                }
            };
            alike.iter().map(off).sum::<f64>()
        };
        // The ends have no neighbour on one side and cannot be left out.
        let inside = &alike[1..alike.len() - 1];
        let count: usize = inside.iter().map(|alike| alike.len()).sum();
        let squares: f64 = with_spread.zip(inside).map(off).sum();
        Some(Self {
            error: (squares / count as f64).sqrt(),
            known,
        })
    }

    /// The time of a size; `None` beyond those that were measured.
    pub(super) fn time(&self, size: f64) -> Option<f64> {
        let above = self.known.partition_point(|one| one.0 < size);
        let larger = self.known.get(above)?;
        if larger.0 == size {
            return Some(larger.1);
        }
        Some(between(
            *self.known.get(above.checked_sub(1)?)?,
            *larger,
            size,
        ))
    }
}

/// Linear.
fn between(small: (f64, f64), large: (f64, f64), size: f64) -> f64 {
    small.1 + (large.1 - small.1) * (size - small.0) / (large.0 - small.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quadratic_times_are_interpolated_not_extrapolated() {
        let squares = (1..=100).map(|size| (f64::from(10 * size), f64::from(size * size)));
        let found = Neighbours::of(squares).unwrap();
        assert!(found.error < 0.05, "{}", found.error);
        for (size, expected) in [
            (10.0, Some(1.0)),
            (505.0, Some(2550.5)),
            (9.9, None),
            (1000.1, None),
        ] {
            assert_eq!(found.time(size), expected, "{size}");
        }
    }

    #[test]
    fn equal_sizes_are_averaged_and_few_sizes_rejected() {
        let two = |size: i32| [1.0, 3.0].map(|time| (f64::from(size), time));
        let found = Neighbours::of((0..9).flat_map(two)).unwrap();
        assert_eq!(found.time(4.0), Some(2.0));
        assert!(found.error > 0.5, "one size has two times");
        assert!(Neighbours::of((0..7).flat_map(two)).is_none());
    }
}
