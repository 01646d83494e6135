//! Features of a rank that may determine its behaviour: its coordinate along one side of a grid of ranks, and
//! sums of such coordinates. `tree` selects among them.

use base_data::program_data::FormulaStep;

/// `(rank / divisor) mod modulus`: a digit of the rank, or its place along a side of a grid. The
/// last digit has no modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Digit {
    pub divisor: u32,
    pub modulus: Option<u32>,
}

impl Digit {
    pub fn of(self, rank: u32) -> u32 {
        let quotient = rank / self.divisor;
        self.modulus.map_or(quotient, |modulus| quotient % modulus)
    }

    /// As a formula.
    pub fn steps(self) -> Vec<FormulaStep> {
        let mut steps = vec![FormulaStep::Rank];
        if self.divisor > 1 {
            steps.extend([
                FormulaStep::Number(i64::from(self.divisor)),
                FormulaStep::Divide,
            ]);
        }
        if let Some(modulus) = self.modulus {
            steps.extend([FormulaStep::Number(i64::from(modulus)), FormulaStep::Modulo]);
        }
        steps
    }
}

/// A number that a rank has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Feature {
    /// One digit.
    Digit(Digit),
    /// Sum of all digits to these divisors, mod a number: red and black.
    Sum { sides: [u32; 2], modulus: u32 },
    /// Difference of the two digits of a grid of so many columns, mod that number: diagonals.
    Diagonal { columns: u32 },
}

impl Feature {
    pub fn of(self, rank: u32) -> u32 {
        match self {
            Feature::Digit(digit) => digit.of(rank),
            Feature::Sum {
                sides: [first, second],
                modulus,
            } => {
                let (x, rest) = (rank % first, rank / first);
                let (y, z) = (rest % second, rest / second);
                (x + y + z) % modulus
            }
            Feature::Diagonal { columns } => {
                (rank % columns + rank / columns * (columns - 1)) % columns
            }
        }
    }
}

/// Most lengths of sides that are tried, so that numbers with many divisors cost no more than others.
const MOST_SIDES: usize = 32;

/// Lengths that a side of a grid of so many ranks may have: divisors, and those of the largest power
/// of two and the largest square that fit in.
pub(super) fn sides(ranks: u32) -> Vec<u32> {
    let root = ranks.isqrt();
    let power: u32 = 1 << ranks.ilog2();
    let divides =
        |side: u32| ranks.is_multiple_of(side) || power.is_multiple_of(side) || root == side;
    let mut sides: Vec<u32> = (2..=ranks / 2).filter(|&side| divides(side)).collect();
    while sides.len() > MOST_SIDES {
        // Those in the middle are near the sides of square grids; the largest go.
        sides.pop();
    }
    sides
}

/// All digits, simple ones first: the rank, places along first sides, along last ones, in between.
pub(super) fn digits(ranks: u32) -> Vec<Digit> {
    let sides = sides(ranks);
    let last = |&divisor: &u32| Digit {
        divisor,
        modulus: None,
    };
    let first = |&modulus: &u32| Digit {
        divisor: 1,
        modulus: Some(modulus),
    };
    let between = |&divisor: &u32| {
        let fits =
            move |modulus: &&u32| u64::from(**modulus) * u64::from(divisor) < u64::from(ranks);
        sides.iter().filter(fits).map(move |&modulus| Digit {
            divisor,
            modulus: Some(modulus),
        })
    };
    std::iter::once(last(&1))
        .chain(sides.iter().map(first))
        .chain(sides.iter().map(last))
        .chain(sides.iter().flat_map(between))
        .collect()
}

/// All features, simple ones first.
pub(super) fn features(ranks: u32) -> Vec<Feature> {
    let sides = sides(ranks);
    let mut features: Vec<Feature> = digits(ranks).into_iter().map(Feature::Digit).collect();
    for &first in &sides {
        features.push(Feature::Sum {
            sides: [first, ranks],
            modulus: 2,
        });
        features.push(Feature::Sum {
            sides: [first, ranks],
            modulus: first,
        });
        features.push(Feature::Diagonal { columns: first });
        let fits = |second: &&u32| u64::from(first) * u64::from(**second) < u64::from(ranks);
        let sum = |&second: &u32| Feature::Sum {
            sides: [first, second],
            modulus: 2,
        };
        features.extend(sides.iter().filter(fits).map(sum));
    }
    features
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::ids::Rank;
    use base_data::program_data::Formula;

    #[test]
    fn grid_sides_are_candidates() {
        assert_eq!(sides(12), [2, 3, 4, 6]);
        assert_eq!(sides(13), [2, 3, 4]);
        for feature in [
            Digit {
                divisor: 1,
                modulus: Some(4),
            },
            Digit {
                divisor: 4,
                modulus: None,
            },
        ] {
            assert!(digits(12).contains(&feature));
        }
    }

    #[test]
    fn digit_equals_its_formula() {
        for digit in digits(24) {
            let formula = Formula(digit.steps());
            for rank in 0..24 {
                assert_eq!(
                    formula.value(Rank(rank), 24),
                    Some(i64::from(digit.of(rank))),
                    "{digit:?}"
                );
            }
        }
    }

    #[test]
    fn diagonal_and_colouring_features() {
        let diagonal = Feature::Diagonal { columns: 4 };
        assert_eq!([0, 5, 10, 15].map(|rank| diagonal.of(rank)), [0; 4]);
        assert_eq!([1, 6, 11, 12].map(|rank| diagonal.of(rank)), [1; 4]);
        let colour = Feature::Sum {
            sides: [3, 12],
            modulus: 2,
        };
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(|rank| colour.of(rank)),
            [0, 1, 0, 1, 0, 1]
        );
    }
}
