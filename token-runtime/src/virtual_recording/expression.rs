//! Expressions of the rank: partners, message lengths and iteration counts as functions of the rank's number.
//! `fitting` selects the expression that fits the recorded values.

use super::feature::Digit;
use base_data::program_data::{FormulaStep, Operand};

/// A value of every rank. Sums wrap, as those of formulas do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expression {
    /// The same for all.
    Constant(i64),
    /// The rank and this.
    Plus(i64),
    /// The rank exclusive-or this.
    Xor(i64),
    /// The rank with one digit moved on, round its end: a neighbour in a periodic grid.
    Shifted { divisor: u32, modulus: u32, by: u32 },
    /// A sum of multiples of digits: a row, a column, the partner in a transposed grid.
    Digits {
        offset: i64,
        terms: Vec<(Digit, i64)>,
    },
}

impl Expression {
    pub fn value(&self, rank: u32) -> i64 {
        let number = i64::from(rank);
        match self {
            Expression::Constant(value) => *value,
            Expression::Plus(offset) => number.wrapping_add(*offset),
            Expression::Xor(mask) => number ^ mask,
            Expression::Shifted {
                divisor,
                modulus,
                by,
            } => {
                let (divisor, modulus) = (i64::from(*divisor), i64::from(*modulus));
                let digit = number / divisor % modulus;
                number + ((digit + i64::from(*by)) % modulus - digit) * divisor
            }
            Expression::Digits { offset, terms } => {
                let add = |sum: i64, (digit, factor): &(Digit, i64)| {
                    sum.wrapping_add(factor.wrapping_mul(i64::from(digit.of(rank))))
                };
                terms.iter().fold(*offset, add)
            }
        }
    }

    /// As an operand that is not a formula, if it is one.
    pub fn operand(&self) -> Option<Operand> {
        match self {
            Expression::Constant(value) => Some(Operand::Constant(*value)),
            Expression::Plus(offset) => Some(Operand::RankPlus(*offset)),
            Expression::Xor(mask) => Some(Operand::RankXor(*mask)),
            Expression::Shifted { .. } | Expression::Digits { .. } => None,
        }
    }

    /// As a formula of program data.
    pub fn steps(&self) -> Vec<FormulaStep> {
        use FormulaStep::{Add, Modulo, Multiply, Number, Rank, Subtract, Xor};
        match self {
            Expression::Constant(value) => vec![Number(*value)],
            Expression::Plus(offset) => vec![Rank, Number(*offset), Add],
            Expression::Xor(mask) => vec![Rank, Number(*mask), Xor],
            Expression::Shifted {
                divisor,
                modulus,
                by,
            } => {
                let digit = Digit {
                    divisor: *divisor,
                    modulus: Some(*modulus),
                }
                .steps();
                let moved = [
                    Number(i64::from(*by)),
                    Add,
                    Number(i64::from(*modulus)),
                    Modulo,
                ];
                let scaled = [Number(i64::from(*divisor)), Multiply, Add];
                let parts = [&[Rank][..], &digit, &moved, &digit, &[Subtract], &scaled];
                parts.concat()
            }
            Expression::Digits { offset, terms } => {
                let term = |(digit, factor): &(Digit, i64)| {
                    [&digit.steps()[..], &[Number(*factor), Multiply, Add]].concat()
                };
                std::iter::once(Number(*offset))
                    .chain(terms.iter().flat_map(term))
                    .collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::ids::Rank;
    use base_data::program_data::Formula;

    #[test]
    fn expression_equals_its_formula() {
        let digit = |divisor, modulus| Digit { divisor, modulus };
        let transposed = Expression::Digits {
            offset: 0,
            terms: vec![(digit(1, Some(4)), 6), (digit(4, None), 1)],
        };
        let east = Expression::Shifted {
            divisor: 1,
            modulus: 4,
            by: 1,
        };
        let south = Expression::Shifted {
            divisor: 4,
            modulus: 6,
            by: 5,
        };
        assert_eq!([4, 5, 6, 7].map(|rank| east.value(rank)), [5, 6, 7, 4]);
        assert_eq!([3, 4, 20].map(|rank| south.value(rank)), [23, 0, 16]);
        assert_eq!(
            [0, 1, 4, 5].map(|rank| transposed.value(rank)),
            [0, 6, 1, 7]
        );
        let others = [
            Expression::Constant(-3),
            Expression::Plus(-2),
            Expression::Xor(5),
        ];
        for expression in others.into_iter().chain([transposed, east, south]) {
            let formula = Formula(expression.steps());
            for rank in 0..24 {
                assert_eq!(
                    formula.value(Rank(rank), 24),
                    Some(expression.value(rank)),
                    "{expression:?}"
                );
            }
        }
    }
}
