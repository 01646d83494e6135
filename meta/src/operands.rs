//! Values that differ between ranks as expressions of the rank and the number of ranks.

use crate::syntax::{
    BinaryOperator, Expression, ExpressionKind, Function, Statement, StatementKind,
};
use crate::syntax_builders::{
    assignment, binary, block, conditions, expression, number, statement, variable,
};
use base_data::program_data::{FormulaStep, Operand, ProgramData, RankClass};
use base_data::{Rank, RankSet};
use std::collections::BTreeMap;

/// Operands of a rank class.
pub(crate) struct Operands<'a> {
    program: &'a ProgramData,
    class: &'a RankClass,
    ranks: Vec<u32>,
    /// Values that no expression gives, with their variables.
    tables: BTreeMap<Vec<i64>, String>,
}

impl<'a> Operands<'a> {
    pub(crate) fn of(program: &'a ProgramData, class: &'a RankClass) -> Self {
        Self {
            program,
            class,
            ranks: class.ranks.iter().map(|rank| rank.0).collect(),
            tables: BTreeMap::new(),
        }
    }

    /// An operand times a number of bytes.
    ///
    /// # Errors
    /// An operand without a value.
    pub(crate) fn scaled(&mut self, operand: Operand, factor: i64) -> Result<Expression, String> {
        let plain = match operand {
            Operand::Constant(value) => return Ok(number((value * factor) as f64)),
            Operand::RankPlus(offset) => Some(shifted(variable("ID"), offset)),
            Operand::RankXor(mask) => Some(xor(variable("ID"), mask)),
            Operand::Formula(id) => {
                let formula = self.program.formulas.get(id.index());
                formula.and_then(|formula| of_formula(&formula.0))
            }
            Operand::Table(_) => None,
        };
        let plain = match plain {
            Some(plain) => plain,
            None => self.of_values(operand)?,
        };
        if factor == 1 {
            return Ok(plain);
        }
        Ok(binary(
            BinaryOperator::Multiply,
            number(factor as f64),
            plain,
        ))
    }

    /// An expression for the values of an operand, or a variable that is assigned at the beginning.
    fn of_values(&mut self, operand: Operand) -> Result<Expression, String> {
        let program = self.program;
        self.each(&|rank, position| {
            let value = program.value(operand, rank, position);
            value.ok_or_else(|| "an operand has no value".into())
        })
    }

    /// The ranks of the class with their positions.
    pub(crate) fn ranks(&self) -> impl Iterator<Item = (usize, Rank)> + use<'a> {
        self.class.ranks.iter().enumerate()
    }

    /// An expression for the values that ranks have by their positions in the class, or a variable.
    ///
    /// # Errors
    /// That of a value.
    pub(crate) fn each(
        &mut self,
        value: &dyn Fn(Rank, usize) -> Result<i64, String>,
    ) -> Result<Expression, String> {
        let mut values = Vec::with_capacity(self.ranks.len());
        for (position, rank) in self.ranks() {
            values.push(value(rank, position)?);
        }
        if let Some(found) = self.fitted(&values) {
            return Ok(found);
        }
        let next = self.tables.len() + 1;
        let name = self
            .tables
            .entry(values)
            .or_insert_with(|| format!("value_{next}"));
        Ok(variable(name))
    }

    /// The simplest of some expressions that gives these values.
    fn fitted(&self, values: &[i64]) -> Option<Expression> {
        let size = i64::from(self.program.ranks);
        let first = *values.first()?;
        let own = i64::from(*self.ranks.first()?);
        let fits = |value: &dyn Fn(i64) -> i64| {
            self.ranks
                .iter()
                .zip(values)
                .all(|(&rank, &expected)| value(i64::from(rank)) == expected)
        };
        let id = || variable("ID");
        if values.iter().all(|&value| value == first) {
            return Some(number(first as f64));
        }
        // A straight line through the first two ranks.
        if let ([first, second, ..], [rank, next, ..]) = (values, &self.ranks[..]) {
            let (rise, run) = (second - first, i64::from(*next) - i64::from(*rank));
            if run != 0 && rise % run == 0 {
                let slope = rise / run;
                let start = first - slope * i64::from(*rank);
                if fits(&|rank| start + slope * rank) {
                    let product = match slope {
                        1 => id(),
                        _ => binary(BinaryOperator::Multiply, number(slope as f64), id()),
                    };
                    return Some(shifted(product, start));
                }
            }
        }
        // Neighbours in a ring.
        let offset = (first - own).rem_euclid(size);
        if fits(&|rank| (rank + offset).rem_euclid(size)) {
            // (ID - 1) % RANKS reads better than (ID + 63) % RANKS.
            let near = if offset > size / 2 {
                offset - size
            } else {
                offset
            };
            let sum = shifted(id(), near);
            return Some(binary(BinaryOperator::Modulo, sum, variable("RANKS")));
        }
        let mask = first ^ own;
        // xor takes no negative numbers.
        if mask > 0 && fits(&|rank| rank ^ mask) {
            return Some(xor(id(), mask));
        }
        // Grids with rows of so many ranks.
        for row in 2..size {
            if size % row != 0 {
                continue;
            }
            if let Some(found) = in_grid(row, size, first, own, &fits) {
                return Some(found);
            }
        }
        None
    }

    /// Assignments of the variables.
    pub(crate) fn assignments(&self) -> Vec<Statement> {
        let mut statements = Vec::new();
        for (values, name) in &self.tables {
            let by_rank: ByRank = self
                .ranks
                .iter()
                .zip(values)
                .map(|(&rank, &value)| (rank, value as f64))
                .collect();
            statements.extend(by_rank.assignments(name, None));
        }
        statements
    }
}

/// The partner of each rank.
type Partner<'a> = &'a dyn Fn(i64) -> i64;

/// Values in a grid: neighbours in the row, the mirrored place, the number of the row and the place in it.
fn in_grid(
    row: i64,
    size: i64,
    first: i64,
    own: i64,
    fits: &dyn Fn(Partner<'_>) -> bool,
) -> Option<Expression> {
    let id = || variable("ID");
    let width = || number(row as f64);
    let place_in_row = || binary(BinaryOperator::Modulo, id(), width());
    let row_number = || {
        let quotient = binary(BinaryOperator::Divide, id(), width());
        expression(ExpressionKind::Function(Function::Floor, vec![quotient]))
    };
    let shift = (first % row - own % row).rem_euclid(row);
    if fits(&|rank| rank / row * row + (rank + shift).rem_euclid(row)) {
        let near = if shift > row / 2 { shift - row } else { shift };
        let start = binary(BinaryOperator::Multiply, row_number(), width());
        let place = binary(BinaryOperator::Modulo, shifted(id(), near), width());
        return Some(binary(BinaryOperator::Add, start, place));
    }
    // Transposition: the row and the place in it change roles.
    let rows = size / row;
    if fits(&|rank| rank % row * rows + rank / row) {
        let start = binary(
            BinaryOperator::Multiply,
            place_in_row(),
            number(rows as f64),
        );
        return Some(binary(BinaryOperator::Add, start, row_number()));
    }
    let offset = first - own / row;
    if fits(&|rank| rank / row + offset) {
        return Some(shifted(row_number(), offset));
    }
    let offset = first - own % row;
    if fits(&|rank| rank % row + offset) {
        return Some(shifted(place_in_row(), offset));
    }
    None
}

fn shifted(value: Expression, offset: i64) -> Expression {
    match offset {
        0 => value,
        1.. => binary(BinaryOperator::Add, value, number(offset as f64)),
        _ => binary(
            BinaryOperator::Subtract,
            value,
            number(offset.unsigned_abs() as f64),
        ),
    }
}

fn xor(value: Expression, mask: i64) -> Expression {
    let mask = number(mask as f64);
    expression(ExpressionKind::Function(Function::Xor, vec![value, mask]))
}

/// A formula as an expression, if it has one.
fn of_formula(steps: &[FormulaStep]) -> Option<Expression> {
    let mut stack: Vec<Expression> = Vec::new();
    for step in steps {
        let operator = match step {
            FormulaStep::Rank => {
                stack.push(variable("ID"));
                continue;
            }
            FormulaStep::Ranks => {
                stack.push(variable("RANKS"));
                continue;
            }
            FormulaStep::Number(value) => {
                stack.push(number(*value as f64));
                continue;
            }
            FormulaStep::Add => BinaryOperator::Add,
            FormulaStep::Subtract => BinaryOperator::Subtract,
            FormulaStep::Multiply => BinaryOperator::Multiply,
            FormulaStep::Divide => BinaryOperator::Divide,
            FormulaStep::Modulo => BinaryOperator::Modulo,
            // The function takes no negative numbers: the values are fitted instead.
            FormulaStep::Xor => return None,
        };
        let (second, first) = (stack.pop()?, stack.pop()?);
        let result = binary(operator, first, second);
        // Formulas divide whole numbers, meta-programs real ones.
        stack.push(if operator == BinaryOperator::Divide {
            expression(ExpressionKind::Function(Function::Floor, vec![result]))
        } else {
            result
        });
    }
    match &stack[..] {
        [_] => stack.pop(),
        _ => None,
    }
}

/// A number for each of some ranks.
pub(crate) struct ByRank(Vec<(u32, f64)>);

impl FromIterator<(u32, f64)> for ByRank {
    fn from_iter<T: IntoIterator<Item = (u32, f64)>>(values: T) -> Self {
        Self(values.into_iter().collect())
    }
}

/// Values that differ by less than this share are one.
pub(crate) const SAME_COST: f64 = 1e-3;

impl ByRank {
    /// Assigns the value that most ranks have, and to the others theirs.
    pub(crate) fn assignments(&self, name: &str, comment: Option<String>) -> Vec<Statement> {
        let mut groups: Vec<(f64, Vec<Rank>)> = Vec::new();
        for &(rank, value) in &self.0 {
            let known = groups.iter_mut().find(|(of, _)| {
                (value - *of).abs() <= SAME_COST * of.abs().max(value.abs())
                    && are_equal_if_whole(value, *of)
            });
            match known {
                Some((_, ranks)) => ranks.push(Rank(rank)),
                None => groups.push((value, vec![Rank(rank)])),
            }
        }
        // Stable: of equally large groups, the first one.
        groups.sort_by_key(|(_, ranks)| std::cmp::Reverse(ranks.len()));
        let mut statements = Vec::new();
        for (index, (value, ranks)) in groups.into_iter().enumerate() {
            let mut assign = assignment(name, number(rounded(value)));
            if index == 0 {
                assign.comment = comment.as_ref().map(|text| format!("# {text}"));
                statements.push(assign);
                continue;
            }
            for condition in conditions(&RankSet::from_ranks(ranks)) {
                statements.push(statement(StatementKind::If {
                    condition,
                    then: block(vec![assign.clone()]),
                    otherwise: None,
                }));
            }
        }
        statements
    }
}

/// Whole numbers, such as ranks, are equal or not; others may differ by [`SAME_COST`].
fn are_equal_if_whole(value: f64, other: f64) -> bool {
    let are_whole = value.fract() == 0.0 && other.fract() == 0.0;
    !are_whole || value == other
}

/// Six digits.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || value.fract() == 0.0 {
        return value;
    }
    format!("{value:.5e}").parse().unwrap_or(value)
}
