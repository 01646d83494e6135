//! Operand formulas: values that are functions of rank and number of ranks, without recursion in
//! file or memory.

use crate::ids::Rank;
use serde::{Deserialize, Serialize};

/// A formula in postfix order over 64-bit integers; overflow wraps, division by zero gives 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Formula(pub Vec<FormulaStep>);

/// One step of a [`Formula`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FormulaStep {
    /// Pushes the world rank.
    Rank,
    /// Pushes the number of ranks.
    Ranks,
    /// Pushes a number.
    Number(i64),
    /// Pops two, pushes their sum.
    Add,
    /// Pops two, pushes first − second.
    Subtract,
    /// Pops two, pushes their product.
    Multiply,
    /// Pops two, pushes the quotient rounded down.
    Divide,
    /// Pops two, pushes the non-negative remainder.
    Modulo,
    /// Pops two, pushes their exclusive or.
    Xor,
}

impl Formula {
    /// The value for a rank of so many; `None` if the steps do not form an expression.
    pub fn value(&self, rank: Rank, ranks: u32) -> Option<i64> {
        let mut stack: Vec<i64> = Vec::new();
        for step in &self.0 {
            let value = match *step {
                FormulaStep::Rank => i64::from(rank.0),
                FormulaStep::Ranks => i64::from(ranks),
                FormulaStep::Number(number) => number,
                FormulaStep::Add => binary(&mut stack, i64::wrapping_add)?,
                FormulaStep::Subtract => binary(&mut stack, i64::wrapping_sub)?,
                FormulaStep::Multiply => binary(&mut stack, i64::wrapping_mul)?,
                FormulaStep::Divide => {
                    // Euclid's division, so that grid coordinates of negative offsets wrap around as MODULO
                    // does.
                    binary(&mut stack, |a, b| a.checked_div_euclid(b).unwrap_or(0))?
                }
                FormulaStep::Modulo => {
                    binary(&mut stack, |a, b| a.checked_rem_euclid(b).unwrap_or(0))?
                }
                FormulaStep::Xor => binary(&mut stack, |a, b| a ^ b)?,
            };
            stack.push(value);
        }
        let value = stack.pop()?;
        // Values left over: the steps are no single expression.
        if stack.is_empty() { Some(value) } else { None }
    }
}

fn binary(stack: &mut Vec<i64>, apply: impl Fn(i64, i64) -> i64) -> Option<i64> {
    let second = stack.pop()?;
    // Postfix: the second operand is on top.
    let first = stack.pop()?;
    Some(apply(first, second))
}
