//! DO WHILE loops that count: the condition compares a variable with a bound, and each iteration changes the variable once, by
//! the same step (`do while (k <= n) … k = k + np`). A DO without control that begins with `if (k > n) exit` is the same loop. Their
//! trip counts are those of DO loops. Where each iteration multiplies or
//! divides the variable by a constant (`p = 2*p`), the trip count has no closed form, but it is small.

use crate::dataflow::loop_carried::is_pure;
use crate::effects::model::Model;
use crate::fortran::is_integer;
use crate::ir::constant_values::constant;
use crate::ir::expression_builders::{intrinsic, plus};
use crate::ir::iterations::trips;
use crate::ir::references;
use crate::ir::statement_tree;
use crate::ir::{
    Callee, Expression, Operator, Program, StatementId, StatementKind, Type, VariableId,
};
use crate::work::writes::Writes;
use std::collections::BTreeSet;

/// The iterations of a loop, by the values when it is reached; `None` if it does not count.
pub(crate) fn iterations(model: &Model, id: StatementId) -> Option<Expression> {
    let program = model.program;
    let (condition, is_end, body) = parts(model, id)?;
    let Comparison {
        counter,
        bound,
        goes_up,
        is_strict,
    } = Comparison::of(program, (condition, is_end), &body)?;
    let step = body.step_of(counter, goes_up)?;
    if !is_integer(program, bound) || !body.is_invariant(bound) || !body.is_invariant(step.size) {
        return None;
    }
    let step = step.at_least_one(program)?;
    // The last value with which an iteration begins.
    let last = match (is_strict, goes_up) {
        (false, _) => bound.clone(),
        (true, true) => plus(bound, -1),
        (true, false) => plus(bound, 1),
    };
    let first = Expression::Variable(counter);
    let (from, to) = match goes_up {
        true => (first, last),
        false => (last, first),
    };
    trips(program, &from, &to, Some(&step), is_integer)
}

/// Whether a loop of a valid program makes no more iterations than an integer has bits: each iteration multiplies or divides by a
/// constant what its condition reads. Then a product exceeds all integers, which is invalid, and a quotient stays 0.
pub(crate) fn is_logarithmic(model: &Model, id: StatementId) -> bool {
    let program = model.program;
    let Some((condition, _, body)) = parts(model, id) else {
        return false;
    };
    let mut scaled = 0;
    for variable in references::variables(condition) {
        let is_integer = matches!(program.variable(variable).of_type, Type::Integer(_));
        if body.is_invariant(&Expression::Variable(variable)) {
            continue;
        }
        if !is_integer || !body.scales(variable) {
            return false;
        }
        scaled += 1;
    }
    let mut calls = references::calls(condition).into_iter();
    scaled > 0 && calls.all(|call| matches!(call.callee, Callee::Intrinsic(name) if is_pure(name)))
}

/// The condition of an IF that is the first statement of a DO without control and contains only EXIT.
fn first_exit<'a>(
    program: &'a Program,
    id: StatementId,
    body: &[StatementId],
) -> Option<&'a Expression> {
    let StatementKind::If {
        branches,
        otherwise: None,
        ..
    } = &program.statement(*body.first()?).kind
    else {
        return None;
    };
    let [(condition, inner)] = &branches[..] else {
        return None;
    };
    let [exit] = inner[..] else {
        return None;
    };
    match program.statement(exit).kind {
        StatementKind::Exit(target) if target == id => Some(condition),
        _ => None,
    }
}

/// Whether a statement is the IF that ends a loop which counts, or the EXIT in it.
pub(crate) fn is_end_of_counted(model: &Model, statement: StatementId) -> bool {
    let program = model.program;
    for around in model.outline.ancestors(statement) {
        if let StatementKind::While {
            condition: None,
            body,
            ..
        } = &program.statement(around).kind
        {
            let is_first = body
                .first()
                .is_some_and(|&first| model.outline.is_within(statement, first));
            return is_first
                && first_exit(program, around, body).is_some()
                && iterations(model, around).is_some();
        }
    }
    false
}

/// Condition and body of a loop, and whether the condition ends it.
fn parts<'a>(model: &'a Model<'a>, id: StatementId) -> Option<(&'a Expression, bool, Body<'a>)> {
    let StatementKind::While {
        condition, body, ..
    } = &model.program.statement(id).kind
    else {
        return None;
    };
    let (condition, is_end) = match condition {
        Some(condition) => (condition, false),
        None => (first_exit(model.program, id, body)?, true),
    };
    let all = statement_tree::subtree(model.program, id);
    let body = Body {
        model,
        id,
        top: body,
        writes: Writes::of(model, &all),
        all,
    };
    Some((condition, is_end, body))
}

/// A condition `counter < bound`, or the like.
struct Comparison<'a> {
    counter: VariableId,
    bound: &'a Expression,
    /// Whether the loop ends above the bound.
    goes_up: bool,
    /// Whether it also ends at the bound.
    is_strict: bool,
}

impl<'a> Comparison<'a> {
    /// The comparison of a variable that the body writes with something else. `is_end` is whether the loop ends where it is true.
    fn of(
        program: &Program,
        (condition, is_end): (&'a Expression, bool),
        body: &Body,
    ) -> Option<Self> {
        let Expression::Binary {
            operator,
            left,
            right,
        } = condition
        else {
            return None;
        };
        let (is_less, is_strict) = match operator {
            Operator::Less => (true, true),
            Operator::LessEqual => (true, false),
            Operator::Greater => (false, true),
            Operator::GreaterEqual => (false, false),
            _ => return None,
        };
        // `.not. (k > n)` is `k <= n`.
        let (is_less, is_strict) = (is_less != is_end, is_strict != is_end);
        for (side, bound, goes_up) in [(left, right, is_less), (right, left, !is_less)] {
            let Expression::Variable(counter) = **side else {
                continue;
            };
            let variable = program.variable(counter);
            let is_counter =
                variable.shape.is_empty() && matches!(variable.of_type, Type::Integer(_));
            if is_counter && body.update_of(counter).is_some() {
                return Some(Comparison {
                    counter,
                    bound,
                    goes_up,
                    is_strict,
                });
            }
        }
        None
    }
}

/// What an iteration adds to the counter or, if the loop goes down, subtracts from it.
struct Step<'a> {
    size: &'a Expression,
    /// Whether it is `-size`.
    is_negated: bool,
}

impl Step<'_> {
    /// As a step that is never below 1: a loop with another one never ends, or makes no iteration.
    fn at_least_one(&self, program: &Program) -> Option<Expression> {
        if let Some(size) = constant(program, self.size) {
            let size = if self.is_negated { -size } else { size };
            return (size > 0).then_some(Expression::Integer(size));
        }
        // MAX requires arguments of one kind.
        let bytes = kind_of(program, self.size)?;
        let size = match self.is_negated {
            true => Expression::Unary {
                operator: Operator::Negate,
                operand: Box::new(self.size.clone()),
            },
            false => self.size.clone(),
        };
        let one = match bytes {
            4 => Expression::Integer(1),
            bytes => Expression::Literal(format!("1_{bytes}")),
        };
        Some(intrinsic("max", vec![size, one]))
    }
}

/// Bytes of an expression whose variables are integers of one kind, and whose literals are default integers.
fn kind_of(program: &Program, expression: &Expression) -> Option<u8> {
    if !is_integer(program, expression) {
        return None;
    }
    let mut kinds = BTreeSet::new();
    let mut is_plain = true;
    references::walk(expression, &mut |part| match part {
        Expression::Variable(variable) => match program.variable(*variable).of_type {
            Type::Integer(bytes) => {
                kinds.insert(bytes);
            }
            _ => is_plain = false,
        },
        Expression::Integer(_) | Expression::Unary { .. } | Expression::Binary { .. } => {}
        _ => is_plain = false,
    });
    match (is_plain, kinds.first()) {
        (true, Some(&bytes)) if kinds.len() == 1 => Some(bytes),
        _ => None,
    }
}

/// The body of a loop, and what it writes.
struct Body<'a> {
    model: &'a Model<'a>,
    id: StatementId,
    top: &'a [StatementId],
    all: Vec<StatementId>,
    writes: Writes,
}

impl<'a> Body<'a> {
    /// The value of the only assignment to a variable, if each iteration executes it once.
    fn update_of(&self, counter: VariableId) -> Option<&'a Expression> {
        let location = self.model.locations.of_variable(counter)?;
        let (&only, others) = self.writes.writers(location)?.split_first()?;
        if others.iter().any(|&other| other != only) {
            return None;
        }
        // CYCLE may skip it. Whatever else leaves the body makes the trip count of the loop a mere bound.
        let may_skip = |one: &StatementId| match self.model.program.statement(*one).kind {
            StatementKind::Cycle(target) => target == self.id,
            _ => false,
        };
        if !self.top.contains(&only) || self.all.iter().any(may_skip) {
            return None;
        }
        match &self.model.program.statement(only).kind {
            StatementKind::Assign {
                target: Expression::Variable(target),
                value,
            } if *target == counter => Some(value),
            _ => None,
        }
    }

    /// Whether each iteration multiplies or divides a variable by a constant of at least 2.
    fn scales(&self, variable: VariableId) -> bool {
        let Some(Expression::Binary {
            operator,
            left,
            right,
        }) = self.update_of(variable)
        else {
            return false;
        };
        let is_itself =
            |part: &Expression| matches!(part, Expression::Variable(v) if *v == variable);
        let is_factor = |part: &Expression| {
            constant(self.model.program, part).is_some_and(|factor| factor >= 2)
        };
        match operator {
            Operator::Multiply => {
                is_itself(left) && is_factor(right) || is_factor(left) && is_itself(right)
            }
            Operator::Divide => is_itself(left) && is_factor(right),
            _ => false,
        }
    }

    /// By how much each iteration moves the counter towards the end of the loop.
    fn step_of(&self, counter: VariableId, goes_up: bool) -> Option<Step<'a>> {
        let Expression::Binary {
            operator,
            left,
            right,
        } = self.update_of(counter)?
        else {
            return None;
        };
        let is_counter =
            |part: &Expression| matches!(part, Expression::Variable(v) if *v == counter);
        let (size, is_added) = match operator {
            Operator::Add if is_counter(left) => (right, true),
            Operator::Add if is_counter(right) => (left, true),
            Operator::Subtract if is_counter(left) => (right, false),
            _ => return None,
        };
        Some(Step {
            size,
            is_negated: is_added != goes_up,
        })
    }

    /// Whether an expression has the same value in all iterations.
    fn is_invariant(&self, expression: &Expression) -> bool {
        for call in references::calls(expression) {
            if !matches!(call.callee, Callee::Intrinsic(name) if is_pure(name)) {
                return false;
            }
        }
        let locations = &self.model.locations;
        for named in references::named(expression) {
            let Some(place) = locations.at(named) else {
                continue;
            };
            for location in locations.innermost(place) {
                for one in [location, locations.existence(location)] {
                    if self.writes.writers(one) != Some(&[]) {
                        return false;
                    }
                }
            }
        }
        true
    }
}
