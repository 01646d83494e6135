//! Which random numbers a draw takes. Streams belong to (seed, draw, rank or block), so that neither the order of
//! ranks nor the number of threads changes a digit.

use crate::random::{Random, normal_quantile};

/// What random streams of one draw are named by.
#[derive(Clone, Copy)]
pub(super) struct Seeds {
    pub(super) seed: u64,
    /// Which batch of the headline's; 0 for the draws of the interval.
    pub(super) batch: u64,
    pub(super) draw: u64,
    /// How many draws there are in the batch.
    pub(super) draws: u64,
}

/// Kinds of streams within a draw.
pub(super) const NOISE: u64 = 1;
pub(super) const SAMPLING: u64 = 2;
pub(super) const EXTRAPOLATION: u64 = 3;
pub(super) const CALIBRATION: u64 = 4;
pub(super) const RUNS: u64 = 5;
pub(super) const FULL_NODES: u64 = 6;
pub(super) const UNEQUAL_RANKS: u64 = 7;
pub(super) const MESSAGES: u64 = 8;

impl Seeds {
    /// A stream of the draw's own.
    pub(super) fn stream(self, kind: u64, number: u64) -> Random {
        Random::stream(&[self.seed, self.draw, kind, number])
    }

    /// A stream that all draws of the batch share.
    pub(super) fn shared_stream(self, kind: u64, number: u64) -> Random {
        Random::stream(&[self.seed, u64::MAX - self.batch, kind, number])
    }

    /// Where the draw stands among all, which are evenly from below −1 to above 1, one in ten beyond either: the median
    /// is what nothing varies.
    pub(super) fn place(self) -> f64 {
        let last = self.draws.saturating_sub(1).max(1) as f64;
        if self.draws > 1 {
            1.25 * (2.0 * self.draw as f64 / last - 1.0)
        } else {
            0.0
        }
    }

    /// Share of all draws that lie below this one where draws differ in one number alone. Each of the shares belongs to one
    /// draw (stratified sampling), and that of the draw from the other end is opposite (antithetic variates: Hammersley and
    /// Morton, Proc. Cambridge Phil. Soc. 52, 1956): the median of the draws is what nothing varies, and their percentiles
    /// are those of the number, whatever the seed. Which draw has which share differs from number to number.
    pub(super) fn stratum(self, kind: u64, number: u64) -> f64 {
        // Draws i and n − 1 − i are a pair; an odd number of draws has a middle one, which is the median.
        let opposite = self.draws.saturating_sub(1 + self.draw);
        let (pairs, pair) = (self.draws / 2, self.draw.min(opposite));
        if self.draw == opposite || pairs == 0 {
            return 0.5;
        }
        let mut random = self.shared_stream(kind, number);
        // An offset and a factor without common divisor permute the pairs.
        let offset = random.below(pairs);
        let mut factor = 1 + random.below(pairs);
        while common_divisor(factor, pairs) != 1 {
            factor = 1 + random.below(pairs);
        }
        let place =
            (u128::from(factor) * u128::from(pair) + u128::from(offset)) % u128::from(pairs);
        // The outermost would be infinitely far off.
        let (draws, place) = (self.draws as f64, place as f64);
        let share = (place / (draws - 1.0)).max(0.5 / draws);
        let is_upper = (Random::stream(&[self.seed, pair, kind, number, 1]).unit() < 0.5)
            != (self.draw > opposite);
        if is_upper { 1.0 - share } else { share }
    }

    /// The stream of a rank's noise, of blocks or messages: one for all draws of a batch, which have strata of it.
    pub(super) fn noise(self, kind: u64, rank: u64) -> Random {
        match self.batch {
            0 => self.stream(kind, rank),
            // Draws of a batch read the same numbers and take different strata of them.
            _ => self.shared_stream(kind, rank),
        }
    }

    /// The stream by which data are dealt out.
    pub(super) fn deal(self, number: u64) -> Random {
        match self.batch {
            0 => self.stream(UNEQUAL_RANKS, number),
            batch => Random::stream(&[self.seed, batch, self.draw, UNEQUAL_RANKS, number]),
        }
    }

    /// Normal with deviation 1.
    pub(super) fn normal(self, kind: u64, number: u64) -> f64 {
        normal_quantile(self.stratum(kind, number))
    }
}

/// Euclid's.
fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_from_both_ends_are_opposite() {
        for draws in [1, 2, 21, 100] {
            let seeds = |draw| Seeds {
                seed: 1,
                batch: 0,
                draw,
                draws,
            };
            for draw in 0..draws {
                let [one, other] = [draw, draws - 1 - draw].map(seeds);
                assert!((one.normal(3, 7) + other.normal(3, 7)).abs() < 1e-9);
                assert!((one.place() + other.place()).abs() < 1e-12);
            }
        }
        let places: Vec<f64> = (0..21)
            .map(|draw| {
                Seeds {
                    seed: 1,
                    batch: 0,
                    draw,
                    draws: 21,
                }
                .place()
            })
            .collect();
        assert_eq!(
            (places[2], places[10], places[18]),
            (-1.0, 0.0, 1.0),
            "percentiles 10, 50 and 90"
        );
        for seed in 0..20 {
            let normal = |draw| {
                Seeds {
                    seed,
                    batch: 0,
                    draw,
                    draws: 21,
                }
                .normal(CALIBRATION, 2)
            };
            let mut normals: Vec<f64> = (0..21).map(normal).collect();
            normals.sort_by(f64::total_cmp);
            assert_eq!(normals[10], 0.0);
            assert!(
                (normals[2] + 1.2816).abs() < 1e-4 && (normals[18] - 1.2816).abs() < 1e-4,
                "{normals:?}"
            );
        }
    }
}
