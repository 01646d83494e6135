//! What the count of a statement is a product of: iterations of loops, and conditions. [`crate::expressions::trip_count_factors`]
//! makes them evaluable, [`crate::expressions::loop_sums`] sums them over loops.

use crate::ir::expression_builders::intrinsic;
use crate::ir::sums::INDEX;
use crate::ir::{Expression, Program, StatementId, StatementKind, Type, VariableId};

/// A loop in whose iterations something may differ.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    /// Names the index in expressions.
    pub(crate) index: String,
    pub(crate) from: Expression,
    pub(crate) to: Expression,
    pub(crate) step: Expression,
}

impl Control {
    /// Of a DO loop that counts in an integer; its bounds as they are in the source.
    pub(crate) fn of(program: &Program, id: StatementId) -> Option<Self> {
        let StatementKind::Do {
            variable,
            from,
            to,
            step,
            ..
        } = &program.statement(id).kind
        else {
            return None;
        };
        bytes(program, *variable)?;
        let step = step.clone().unwrap_or(Expression::Integer(1));
        Some(Control {
            index: index_name(id),
            from: from.clone(),
            to: to.clone(),
            step,
        })
    }

    /// With each of its expressions replaced.
    pub(crate) fn map(
        &self,
        mut replace: impl FnMut(&Expression) -> Option<Expression>,
    ) -> Option<Self> {
        let (from, to, step) = (
            replace(&self.from)?,
            replace(&self.to)?,
            replace(&self.step)?,
        );
        Some(Control {
            index: self.index.clone(),
            from,
            to,
            step,
        })
    }
}

/// The kind of an integer variable.
pub(crate) fn bytes(program: &Program, variable: VariableId) -> Option<u8> {
    match program.variable(variable).of_type {
        Type::Integer(bytes) => Some(bytes),
        _ => None,
    }
}

pub(crate) fn index_name(id: StatementId) -> String {
    format!("{INDEX}{}", id.0)
}

/// What the total count of one loop is a product of.
#[derive(Clone, Debug)]
pub(crate) enum Factor {
    /// Iterations of a loop, each time it is entered; negative means none.
    Count(Expression),
    /// One if this holds, otherwise none.
    If(Expression),
    /// No number: the loop whose iterations the factor before counts, for counts behind it that read its index.
    Loop(Control),
}

impl Factor {
    /// What is evaluated.
    pub(crate) fn expressions(&self) -> Vec<&Expression> {
        match self {
            Factor::Count(expression) | Factor::If(expression) => vec![expression],
            Factor::Loop(Control { from, to, step, .. }) => vec![from, to, step],
        }
    }
}

/// A factor in 64 bits, at least 0.
pub(crate) fn clamped(factor: &Factor) -> Expression {
    let wide = |value: i64| Expression::Literal(format!("{value}_8"));
    match factor {
        Factor::Count(Expression::Integer(value)) => wide((*value).max(0)),
        Factor::Count(count) => {
            let count = intrinsic("int", vec![count.clone(), Expression::Integer(8)]);
            intrinsic("max", vec![wide(0), count])
        }
        Factor::If(condition) => intrinsic("merge", vec![wide(1), wide(0), condition.clone()]),
        Factor::Loop(_) => wide(1),
    }
}
