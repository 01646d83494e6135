//! The cases of a SELECT CASE as conditions, as those of an IF with ELSE IF.

use crate::fortran::is_integer;
use crate::ir::expression_builders::binary;
use crate::ir::{CaseValue, Expression, Operator, Program, StatementId};

/// A case that is no CASE DEFAULT: when it is taken, and its statements.
pub(crate) struct ConditionalCase<'a> {
    /// `None` where no condition on integers says it.
    pub(crate) condition: Option<Expression>,
    pub(crate) body: &'a [StatementId],
}

/// The cases with values, and the statements of CASE DEFAULT, which is taken if no other is, wherever it stands.
pub(crate) fn conditional<'a>(
    program: &Program,
    selector: &Expression,
    cases: &'a [(Vec<CaseValue>, Vec<StatementId>)],
) -> (Vec<ConditionalCase<'a>>, &'a [StatementId]) {
    // Characters and logicals are compared in other ways, and nothing is counted by them.
    let is_of_integers = is_integer(program, selector);
    let mut conditional = Vec::new();
    let mut default: &[StatementId] = &[];
    for (values, body) in cases {
        if values.is_empty() {
            default = body;
            continue;
        }
        conditional.push(ConditionalCase {
            condition: any_of(selector, values).filter(|_| is_of_integers),
            body,
        });
    }
    (conditional, default)
}

/// Whether the selector is one of some values.
fn any_of(selector: &Expression, values: &[CaseValue]) -> Option<Expression> {
    let mut any = None;
    for value in values {
        let one = is_selected(selector, value)?;
        any = Some(match any {
            None => one,
            Some(before) => binary(Operator::Or, before, one),
        });
    }
    any
}

fn is_selected(selector: &Expression, value: &CaseValue) -> Option<Expression> {
    let compare = |operator, value: &Expression| binary(operator, selector.clone(), value.clone());
    match value {
        CaseValue::One(value) => Some(compare(Operator::Equal, value)),
        CaseValue::Range {
            from: Some(from),
            to: Some(to),
        } => Some(binary(
            Operator::And,
            compare(Operator::GreaterEqual, from),
            compare(Operator::LessEqual, to),
        )),
        CaseValue::Range {
            from: Some(from),
            to: None,
        } => Some(compare(Operator::GreaterEqual, from)),
        CaseValue::Range {
            from: None,
            to: Some(to),
        } => Some(compare(Operator::LessEqual, to)),
        CaseValue::Range {
            from: None,
            to: None,
        }
        | CaseValue::TypeOrRank => None,
    }
}
