//! Parts of syntax trees that are written, not read: without places in a text.

use crate::syntax::{
    Action, BinaryOperator, Block, Expression, ExpressionKind, Name, Statement, StatementKind,
    UnaryOperator,
};
use base_data::{Rank, RankSet};

/// Ranges of ranks in one condition or comment: a line stays readable.
pub(crate) const FEW_RANGES: usize = 6;

/// Conditions that each hold on some of the ranks, together on all.
pub(crate) fn conditions(ranks: &RankSet) -> Vec<Expression> {
    let mut conditions = Vec::new();
    for ranges in ranks.ranges().chunks(FEW_RANGES) {
        let mut whole: Option<Expression> = None;
        for range in ranges {
            let set = RankSet::from_ranges(vec![*range]);
            let Some((Rank(first), Rank(last))) = set.bounds() else {
                continue;
            };
            let id = || variable("ID");
            let mut condition = if first == last {
                binary(BinaryOperator::Equal, id(), number(f64::from(first)))
            } else {
                binary(
                    BinaryOperator::And,
                    binary(BinaryOperator::GreaterEqual, id(), number(f64::from(first))),
                    binary(BinaryOperator::LessEqual, id(), number(f64::from(last))),
                )
            };
            let stride = range.stride.unsigned_abs();
            if first != last && stride > 1 {
                let distance = binary(BinaryOperator::Subtract, id(), number(f64::from(first)));
                let rest = binary(BinaryOperator::Modulo, distance, number(f64::from(stride)));
                let is_member = binary(BinaryOperator::Equal, rest, number(0.0));
                condition = binary(BinaryOperator::And, condition, is_member);
            }
            whole = Some(match whole {
                Some(before) => binary(BinaryOperator::Or, before, condition),
                None => condition,
            });
        }
        conditions.extend(whole);
    }
    conditions
}

pub(crate) fn expression(kind: ExpressionKind) -> Expression {
    Expression {
        kind,
        span: Default::default(),
    }
}

/// A number; negative ones are written with a sign.
pub(crate) fn number(value: f64) -> Expression {
    let magnitude = value.abs();
    let number = expression(ExpressionKind::Number(magnitude, magnitude.to_string()));
    if value < 0.0 {
        expression(ExpressionKind::Unary(
            UnaryOperator::Minus,
            Box::new(number),
        ))
    } else {
        number
    }
}

pub(crate) fn variable(name: &str) -> Expression {
    expression(ExpressionKind::Name(name.into()))
}

pub(crate) fn binary(operator: BinaryOperator, left: Expression, right: Expression) -> Expression {
    expression(ExpressionKind::Binary(
        operator,
        Box::new(left),
        Box::new(right),
    ))
}

pub(crate) fn named(name: &str) -> Name {
    Name {
        text: name.into(),
        span: Default::default(),
    }
}

pub(crate) fn statement(kind: StatementKind) -> Statement {
    Statement {
        leading: Vec::new(),
        kind,
        comment: None,
        span: Default::default(),
    }
}

pub(crate) fn assignment(name: &str, value: Expression) -> Statement {
    statement(StatementKind::Assign {
        target: named(name),
        value,
    })
}

pub(crate) fn block(statements: Vec<Statement>) -> Block {
    Block {
        statements,
        ..Block::default()
    }
}

pub(crate) fn act(action: Action, arguments: Vec<Expression>) -> Statement {
    statement(StatementKind::Act { action, arguments })
}
