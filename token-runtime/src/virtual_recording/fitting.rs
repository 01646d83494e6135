//! Fits expressions to the recorded values of ranks: one for all of them, or a few and a decision tree
//! that selects the expression of a rank.

use super::expression::Expression;
use super::feature::{Digit, Feature, digits, features, sides};
use super::generator::Generator;
use super::tree::{Labels, Tree};
use std::collections::BTreeMap;

/// What gives a value to each rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// One expression.
    One(Expression),
    /// The tree's labels are indices.
    Several {
        expressions: Vec<Expression>,
        tree: Tree,
    },
}

impl Fit {
    pub fn value(&self, rank: u32) -> i64 {
        match self {
            Fit::One(expression) => expression.value(rank),
            Fit::Several { expressions, tree } => {
                expressions[tree.label(rank) as usize].value(rank)
            }
        }
    }
}

/// Expressions that one value may be pieced together from, at most.
const MOST_PIECES: usize = 24;
/// Values that must confirm an expression with free numbers, beyond those that give the numbers.
const CONFIRMATIONS: usize = 3;
/// Ranks that are tried as the ones that free numbers are taken from.
const TRIES: usize = 12;

/// What ranks are described by, for so many ranks.
pub(super) struct HypothesisSpace {
    pub features: Vec<Feature>,
    /// Divisors and moduli of digits with an end that neighbours may lie beyond.
    rings: Vec<(u32, u32)>,
    /// Digits that make up a rank, two or three of them.
    bases: Vec<Vec<Digit>>,
}

impl HypothesisSpace {
    pub fn of(ranks: u32) -> Self {
        let sides = sides(ranks);
        let two = |&first: &u32| {
            vec![
                Digit {
                    divisor: 1,
                    modulus: Some(first),
                },
                Digit {
                    divisor: first,
                    modulus: None,
                },
            ]
        };
        let mut bases: Vec<Vec<Digit>> = sides.iter().map(two).collect();
        for &first in &sides {
            for &second in sides
                .iter()
                .filter(|&&second| u64::from(first) * u64::from(second) < ranks.into())
            {
                bases.push(vec![
                    Digit {
                        divisor: 1,
                        modulus: Some(first),
                    },
                    Digit {
                        divisor: first,
                        modulus: Some(second),
                    },
                    Digit {
                        divisor: first * second,
                        modulus: None,
                    },
                ]);
            }
        }
        let ring = |digit: Digit| match digit.modulus {
            Some(modulus) => Some((digit.divisor, modulus)),
            None if ranks.is_multiple_of(digit.divisor) => {
                Some((digit.divisor, ranks / digit.divisor))
            }
            None => None,
        };
        let rings = digits(ranks).into_iter().filter_map(ring).collect();
        Self {
            features: features(ranks),
            rings,
            bases,
        }
    }

    /// What fits these values of ranks; `None` if too many expressions would be needed.
    pub fn fit(&self, seen: &[(u32, i64)]) -> Option<Fit> {
        if let Some(expression) = self.whole(seen) {
            return Some(Fit::One(expression));
        }
        let expressions = self.pieces(seen)?;
        let values: BTreeMap<u32, i64> = seen.iter().copied().collect();
        let ranks: Vec<u32> = values.keys().copied().collect();
        let tree = Tree::learn(
            &ranks,
            &Pieces {
                expressions: &expressions,
                values: &values,
            },
            &self.features,
        );
        Some(Fit::Several { expressions, tree })
    }

    /// One expression for all, the simplest.
    fn whole(&self, seen: &[(u32, i64)]) -> Option<Expression> {
        let fits = |expression: &Expression| {
            seen.iter()
                .all(|&(rank, value)| expression.value(rank) == value)
        };
        let &first = seen.first()?;
        simple(first)
            .into_iter()
            .chain(self.shifted(first))
            .find(fits)
            // Last, because solving costs most. In random order, the first values already have full rank in most cases.
            .or_else(|| {
                let spread = spread(seen, &mut Generator::new(0));
                let solved = self.bases.iter().filter_map(|base| solved(base, &spread));
                solved.into_iter().find(fits)
            })
    }

    /// Neighbours in periodic grids that give a rank this value.
    fn shifted(&self, (rank, value): (u32, i64)) -> impl Iterator<Item = Expression> {
        let distance = value - i64::from(rank);
        self.rings.iter().filter_map(move |&(divisor, modulus)| {
            let steps = distance / i64::from(divisor);
            let shifted = Expression::Shifted {
                divisor,
                modulus,
                by: steps.rem_euclid(i64::from(modulus)) as u32,
            };
            if steps != 0 && shifted.value(rank) == value {
                Some(shifted)
            } else {
                None
            }
        })
    }

    /// Expressions each value is given by one of, those first that give the most.
    fn pieces(&self, seen: &[(u32, i64)]) -> Option<Vec<Expression>> {
        let mut left: Vec<(u32, i64)> = seen.to_vec();
        let mut chosen = Vec::new();
        while !left.is_empty() {
            if chosen.len() == MOST_PIECES {
                return None;
            }
            let best = self.most_explained(&left)?;
            left.retain(|&(rank, value)| best.value(rank) != value);
            chosen.push(best);
        }
        Some(chosen)
    }

    /// The expression that gives the most of these values.
    fn most_explained(&self, left: &[(u32, i64)]) -> Option<Expression> {
        let mut generator = Generator::new(left.len() as u64);
        let mut best: Option<(usize, Expression)> = None;
        let mut consider = |expression: Expression, least: usize| {
            let given = left
                .iter()
                .filter(|&&(rank, value)| expression.value(rank) == value)
                .count();
            if given >= least && best.as_ref().is_none_or(|(most, _)| given > *most) {
                best = Some((given, expression));
            }
        };
        for _ in 0..TRIES {
            let pair = left[generator.below(left.len())];
            for expression in simple(pair) {
                consider(expression, 1);
            }
            // A shift has two free numbers, so two ranks always agree with it.
            for expression in self.shifted(pair) {
                consider(expression, 2 + CONFIRMATIONS);
            }
        }
        for base in &self.bases {
            for _ in 0..2 {
                let spread = spread(left, &mut generator);
                let least = base.len() + 1 + CONFIRMATIONS;
                if let Some(expression) = solved(base, &spread) {
                    consider(expression, least);
                }
            }
        }
        best.map(|(_, expression)| expression)
    }
}

/// Expressions with one number that give a rank this value.
fn simple((rank, value): (u32, i64)) -> [Expression; 3] {
    let rank = i64::from(rank);
    [
        Expression::Constant(value),
        Expression::Plus(value.wrapping_sub(rank)),
        Expression::Xor(value ^ rank),
    ]
}

/// The values in an order in which those of any contiguous range are spread.
fn spread(seen: &[(u32, i64)], generator: &mut Generator) -> Vec<(u32, i64)> {
    let mut spread = seen.to_vec();
    for at in (1..spread.len()).rev() {
        spread.swap(at, generator.below(at + 1));
    }
    spread
}

/// The sum of multiples of these digits that gives the first values of the list that decide it, and some
/// more; `None` if there is none with whole numbers.
fn solved(base: &[Digit], seen: &[(u32, i64)]) -> Option<Expression> {
    let unknowns = base.len() + 1;
    // Rows in echelon form; a row's last entry is the value.
    let mut rows: Vec<Vec<i128>> = Vec::new();
    let mut confirmed = 0;
    for &(rank, value) in seen.iter().take(16 * unknowns) {
        let places = base.iter().map(|digit| i128::from(digit.of(rank)));
        let mut row: Vec<i128> = std::iter::once(1)
            .chain(places)
            .chain([i128::from(value)])
            .collect();
        for known in &rows {
            let pivot = known.iter().position(|&entry| entry != 0)?;
            let (factor, by) = (row[pivot], known[pivot]);
            for (entry, other) in row.iter_mut().zip(known) {
                // Fraction-free elimination: integers stay exact, and an overflow rejects the base.
                *entry = entry
                    .checked_mul(by)?
                    .checked_sub(other.checked_mul(factor)?)?;
            }
        }
        // Keeps the entries small, which elimination multiplies.
        reduce(&mut row);
        match row.iter().position(|&entry| entry != 0) {
            None => confirmed += 1,
            // 0 = value: the equations contradict each other.
            Some(pivot) if pivot == unknowns => return None,
            Some(_) => rows.push(row),
        }
        if rows.len() == unknowns && confirmed >= CONFIRMATIONS {
            break;
        }
    }
    // As many equations as unknowns always have a solution: only further ones confirm it.
    if confirmed < CONFIRMATIONS {
        return None;
    }
    back(base, rows)
}

fn reduce(row: &mut [i128]) {
    let divisor = row.iter().fold(0, |a: i128, &b| gcd(a.abs(), b.abs()));
    if divisor > 1 {
        row.iter_mut().for_each(|entry| *entry /= divisor);
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Solves from the last row to the first; unknowns that nothing decides are 0.
fn back(base: &[Digit], mut rows: Vec<Vec<i128>>) -> Option<Expression> {
    let unknowns = base.len() + 1;
    let pivot = |row: &Vec<i128>| row.iter().position(|&entry| entry != 0).unwrap_or(unknowns);
    rows.sort_by_key(pivot);
    let mut solution = vec![0i128; unknowns];
    for row in rows.iter().rev() {
        let at = pivot(row);
        let mut rest = 0;
        for other in at + 1..unknowns {
            rest += row[other] * solution[other];
        }
        let right = row[unknowns] - rest;
        // Factors and offset of an expression are integers.
        if right % row[at] != 0 {
            return None;
        }
        solution[at] = right / row[at];
    }
    // The first unknown is the offset, the others are the factors of the digits.
    let offset = i64::try_from(solution[0]).ok()?;
    let mut terms = Vec::new();
    for (&digit, &factor) in base.iter().zip(&solution[1..]) {
        if factor != 0 {
            terms.push((digit, i64::try_from(factor).ok()?));
        }
    }
    Some(Expression::Digits { offset, terms })
}

struct Pieces<'a> {
    expressions: &'a [Expression],
    values: &'a BTreeMap<u32, i64>,
}

impl Labels for Pieces<'_> {
    fn label(&self, rank: u32) -> u32 {
        (0..self.expressions.len() as u32)
            .find(|&label| self.admits(rank, label))
            .unwrap_or(0)
    }

    fn admits(&self, rank: u32, label: u32) -> bool {
        self.expressions[label as usize].value(rank) == self.values[&rank]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All values of so many ranks, found from a part of them.
    fn check(ranks: u32, is_one: bool, rule: impl Fn(i64) -> i64) {
        let seen = |step| {
            (0..ranks)
                .step_by(step)
                .map(|rank| (rank, rule(i64::from(rank))))
                .collect::<Vec<_>>()
        };
        let fit = HypothesisSpace::of(ranks).fit(&seen(1)).unwrap();
        assert_eq!(matches!(fit, Fit::One(_)), is_one, "{fit:?}");
        assert!(
            seen(1)
                .iter()
                .all(|&(rank, value)| fit.value(rank) == value),
            "{fit:?}"
        );
    }

    #[test]
    fn values_are_fitted_as_rank_expressions() {
        check(64, true, |_| 5);
        check(64, true, |rank| rank - 8);
        check(64, true, |rank| rank ^ 16);
        check(60, true, |rank| (rank + 1) % 12 + rank / 12 * 12);
        check(64, true, |rank| rank % 8 * 8 + rank / 8);
        check(32, true, |rank| {
            2 * (rank / 2 % 4 * 4 + rank / 8) + rank % 2
        });
        check(60, true, |rank| 7 * (rank / 10) + 3);
        check(50, false, |rank| if rank < 7 { 13 } else { 12 });
        check(50, false, |rank| 12 * rank + rank.min(7));
        check(64, true, |rank| (rank + 61) % 64);
    }

    #[test]
    fn irregular_values_have_no_fit() {
        let mut generator = Generator::new(3);
        let seen: Vec<(u32, i64)> = (0..200)
            .map(|rank| (rank, generator.below(1 << 30) as i64))
            .collect();
        assert_eq!(HypothesisSpace::of(1024).fit(&seen), None);
    }
}
