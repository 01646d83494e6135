//! Which expressions can be evaluated anywhere, also where the program does not: what guards them there may be a plain
//! flag, and nobody knows what it guards against. Made of scalar integers and logicals that always exist, and of
//! operations that have an answer for all of them.
//!
//! Not here: whether what they read has been given a value.

use crate::expressions::loop_sums;
use crate::fortran::{mpi_constant_functions, spell};
use crate::ir::constant_values;
use crate::ir::iterations::{binary, intrinsic};
use crate::ir::references;
use crate::ir::{
    Callee, Component, Expression, Operator, Program, Storage, Subscript, Type, Variable,
    VariableId,
};
use crate::memory::array_shapes::{self, Inquiry};

/// What an expression answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Integer,
    Logical,
}

/// Whether it is a condition that can be evaluated anywhere.
pub(crate) fn is_condition(program: &Program, expression: &Expression) -> bool {
    answer(program, expression) == Some(Answer::Logical)
}

/// Whether it is an integer that can be evaluated anywhere.
pub(crate) fn is_integer(program: &Program, expression: &Expression) -> bool {
    answer(program, expression) == Some(Answer::Integer)
}

/// A condition, or a count under one, can be evaluated even where the program would not.
pub(crate) fn is_harmless(expression: &Expression) -> bool {
    let mut harmless = true;
    references::walk(expression, &mut |part| {
        harmless &= match part {
            Expression::Integer(_)
            | Expression::Literal(_)
            | Expression::Variable(_)
            | Expression::Unary { .. } => true,
            Expression::Binary { operator, .. } => !matches!(
                operator,
                Operator::Divide | Operator::Power | Operator::Defined
            ),
            Expression::Call { callee, .. } => is_mpi_constant(callee),
            Expression::Reference { .. } | Expression::Other(_) => false,
        };
    });
    harmless
}

/// Whether a callee only returns what a constant of MPI is.
fn is_mpi_constant(callee: &Callee) -> bool {
    matches!(callee, Callee::Intrinsic(name) if mpi_constant_functions().any(|function| function == name))
}

/// Intrinsic functions that answer whatever they are asked.
const TOTAL_INTRINSICS: [&str; 7] = ["abs", "iabs", "max", "max0", "merge", "min", "min0"];

/// An integer, [`guarded`], that can be evaluated wherever another expression can, and is the same where the program
/// evaluates it.
pub(crate) fn integer_beside(
    program: &Program,
    expression: &Expression,
    other: &Expression,
) -> Option<Expression> {
    is_integer_beside(program, expression, other).then(|| with_safe_divisors(program, expression))
}

/// An integer that can be evaluated anywhere, and is the same where the program evaluates it: nothing in it divides by 0.
pub(crate) fn speculatable_integer(
    program: &Program,
    expression: &Expression,
) -> Option<Expression> {
    let safe = with_safe_divisors(program, expression);
    is_integer(program, &safe).then_some(safe)
}

/// Whether it divides by a constant 0, which compilers reject.
pub(crate) fn divides_by_zero(program: &Program, expression: &Expression) -> bool {
    let mut found = false;
    references::walk(expression, &mut |part| {
        let divisor = match part {
            Expression::Binary {
                operator: Operator::Divide,
                right,
                ..
            } => Some(&**right),
            _ => of_remainder(part).map(|[_, divisor]| divisor),
        };
        found |= divisor.and_then(|divisor| constant_values::constant(program, divisor)) == Some(0);
    });
    found
}

/// How large arrays are, as 0 where they may not be there.
pub(crate) fn guarded(program: &Program, expression: &Expression) -> Expression {
    let part = |part: &Expression| guarded(program, part);
    match expression {
        Expression::Call { .. } if array_shapes::is_guarded(expression) => expression.clone(),
        Expression::Call { .. } if let Some(asked) = array_shapes::inquiry(expression) => {
            let is_sure = answers(program, &asked) || !is_allocatable(program, &asked);
            if is_sure {
                expression.clone()
            } else {
                array_shapes::guarded(&asked)
            }
        }
        Expression::Call { callee, arguments } => Expression::Call {
            callee: callee.clone(),
            arguments: arguments.iter().map(part).collect(),
        },
        Expression::Binary {
            operator,
            left,
            right,
        } => binary(*operator, part(left), part(right)),
        Expression::Unary { operator, operand } => Expression::Unary {
            operator: *operator,
            operand: Box::new(part(operand)),
        },
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Variable(_)
        | Expression::Reference { .. }
        | Expression::Other(_) => expression.clone(),
    }
}

/// `a/b` as `a/(b + merge(1, 0, b == 0))`, and so with remainders.
fn with_safe_divisors(program: &Program, expression: &Expression) -> Expression {
    let safe = |part: &Expression| with_safe_divisors(program, part);
    match expression {
        Expression::Binary {
            operator: Operator::Divide,
            left,
            right,
        } => binary(Operator::Divide, safe(left), safe_divisor(program, right)),
        Expression::Call { callee, arguments }
            if let Some([number, divisor]) = of_remainder(expression) =>
        {
            let arguments = vec![safe(number), safe_divisor(program, divisor)];
            Expression::Call {
                callee: callee.clone(),
                arguments,
            }
        }
        Expression::Binary {
            operator,
            left,
            right,
        } => binary(*operator, safe(left), safe(right)),
        Expression::Unary { operator, operand } => Expression::Unary {
            operator: *operator,
            operand: Box::new(safe(operand)),
        },
        Expression::Call { callee, arguments } => Expression::Call {
            callee: callee.clone(),
            arguments: arguments.iter().map(safe).collect(),
        },
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Variable(_)
        | Expression::Reference { .. }
        | Expression::Other(_) => expression.clone(),
    }
}

/// What is divided by, but 1 where that is 0.
fn safe_divisor(program: &Program, divisor: &Expression) -> Expression {
    let safe = with_safe_divisors(program, divisor);
    if constant_values::constant(program, divisor).is_some() || is_safe_divisor(program, divisor) {
        return safe;
    }
    let is_nought = binary(Operator::Equal, safe.clone(), Expression::Integer(0));
    let arguments = vec![Expression::Integer(1), Expression::Integer(0), is_nought];
    binary(Operator::Add, safe, intrinsic("merge", arguments))
}

/// A step that is 1 where the program's is 0, which no loop has that is entered.
pub(crate) fn never_zero(program: &Program, step: &Expression) -> Expression {
    safe_divisor(program, step)
}

/// The number and the divisor of MOD or MODULO.
fn of_remainder(expression: &Expression) -> Option<&[Expression; 2]> {
    let Expression::Call {
        callee: Callee::Intrinsic(name),
        arguments,
    } = expression
    else {
        return None;
    };
    ["mod", "modulo"]
        .contains(&name.as_str())
        .then(|| arguments[..].try_into().ok())?
}

/// Whether a divisor is made so.
fn is_safe_divisor(program: &Program, divisor: &Expression) -> bool {
    let Expression::Binary {
        operator: Operator::Add,
        left,
        right,
    } = divisor
    else {
        return false;
    };
    let Expression::Call {
        callee: Callee::Intrinsic(name),
        arguments,
    } = &**right
    else {
        return false;
    };
    let [
        Expression::Integer(1),
        Expression::Integer(0),
        Expression::Binary {
            operator,
            left: asked,
            right,
        },
    ] = &arguments[..]
    else {
        return false;
    };
    let is_nought = *operator == Operator::Equal && matches!(**right, Expression::Integer(0));
    name == "merge" && is_nought && spell(program, asked) == spell(program, left)
}

/// Whether it names nothing that may not exist, and no elements but constant ones and those chosen as there; and divides
/// by nothing but integers, which may be 0.
fn is_integer_beside(program: &Program, expression: &Expression, other: &Expression) -> bool {
    let named = references::variables(other);
    let mut chosen = Vec::new();
    references::walk(other, &mut |part| {
        chosen.extend(
            references::address(part)
                .into_iter()
                .filter_map(|subscript| spell(program, subscript)),
        );
    });
    let mut guarded = Vec::new();
    references::walk(expression, &mut |part| {
        let asked = array_shapes::inquiry(part).filter(|asked| is_allocatable(program, asked));
        guarded.extend(asked.and_then(|asked| spell(program, asked.array)));
    });
    let exists = |id: VariableId| named.contains(&id) || always_exists(program, id);
    let is_guarded =
        |part: &Expression| spell(program, part).is_some_and(|text| guarded.contains(&text));
    let is_chosen = |subscript: &Subscript| match subscript {
        Subscript::Element(index) => {
            constant_values::constant(program, index).is_some()
                || spell(program, index).is_some_and(|index| chosen.contains(&index))
        }
        Subscript::Section { .. } => false,
    };
    let divides = |divisor: &Expression| match constant_values::constant(program, divisor) {
        Some(value) => value != 0,
        None => is_safe_divisor(program, divisor) || is_integer(program, divisor),
    };
    // MOD and MODULO want arguments of one kind, and 1 is a default integer.
    let is_of_a_kind = |divisor: &Expression| {
        let is_default = |id: &VariableId| program.variable(*id).of_type == Type::Integer(4);
        references::variables(divisor).iter().all(is_default)
    };
    let mut answers = true;
    references::walk(expression, &mut |part| {
        answers &= match part {
            Expression::Integer(_) | Expression::Literal(_) | Expression::Unary { .. } => true,
            Expression::Variable(variable) => exists(*variable) || is_guarded(part),
            Expression::Reference {
                base,
                path,
                subscripts,
            } => {
                let is_there = if path.is_empty() {
                    exists(*base)
                } else {
                    named.contains(base)
                };
                is_there && subscripts.iter().all(is_chosen)
                    || is_guarded(part)
                    || of_component(program, *base, path).is_some_and(|_| subscripts.is_empty())
            }
            Expression::Binary {
                operator: Operator::Divide,
                right,
                ..
            } => divides(right),
            Expression::Binary {
                operator: Operator::Power,
                right,
                ..
            } => constant_values::constant(program, right).is_some_and(|exponent| exponent >= 0),
            Expression::Binary { operator, .. } => {
                !matches!(operator, Operator::Defined | Operator::Concatenate)
            }
            Expression::Call { callee, .. } if is_mpi_constant(callee) => true,
            Expression::Call {
                callee: Callee::Intrinsic(name),
                ..
            } => match of_remainder(part) {
                Some([_, divisor]) => divides(divisor) && is_of_a_kind(divisor),
                None => {
                    TOTAL_INTRINSICS.contains(&name.as_str())
                        || array_shapes::inquiry(part).is_some()
                }
            },
            Expression::Call { .. } | Expression::Other(_) => false,
        };
    });
    answers
}

/// `None` if it may have no answer, or if a function gives it.
fn answer(program: &Program, expression: &Expression) -> Option<Answer> {
    match expression {
        Expression::Integer(_) => Some(Answer::Integer),
        Expression::Literal(text) => of_literal(text),
        Expression::Variable(variable) => of_variable(program, *variable),
        Expression::Unary { operator, operand } => of_unary(*operator, answer(program, operand)?),
        Expression::Binary {
            operator: Operator::Divide,
            left,
            right,
        } => of_quotient(program, left, right),
        Expression::Binary {
            operator,
            left,
            right,
        } => {
            let (left, right) = (answer(program, left)?, answer(program, right)?);
            (left == right).then(|| of_binary(*operator, left))?
        }
        Expression::Call { callee, .. } if is_mpi_constant(callee) => Some(Answer::Integer),
        _ if let Some(sum) = loop_sums::sum(expression) => {
            let parts = [sum.from, sum.to, sum.step, sum.trips, sum.summed];
            parts
                .into_iter()
                .all(|part| is_integer(program, part))
                .then_some(Answer::Integer)
        }
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } => match &arguments[..] {
            [number, Expression::Integer(_)] if name == "int" => {
                is_integer(program, number).then_some(Answer::Integer)
            }
            [number, divisor] if ["mod", "modulo"].contains(&name.as_str()) => {
                // The guard of a divisor is of the default kind, and both arguments must be of one.
                let is_constant = constant_values::constant(program, divisor).is_some();
                is_constant.then(|| of_quotient(program, number, divisor))?
            }
            [_, _, ..]
                if ["max", "merge", "min"].contains(&name.as_str())
                    && !array_shapes::is_guarded(expression) =>
            {
                let all: Option<Vec<Answer>> =
                    arguments.iter().map(|one| answer(program, one)).collect();
                let wanted = |at: usize| {
                    if name == "merge" && at == 2 {
                        Answer::Logical
                    } else {
                        Answer::Integer
                    }
                };
                let fits = all?
                    .iter()
                    .enumerate()
                    .all(|(at, answer)| *answer == wanted(at));
                fits.then_some(Answer::Integer)
            }
            _ if array_shapes::is_guarded(expression) => Some(Answer::Integer),
            _ => array_shapes::inquiry(expression)
                .filter(|asked| answers(program, asked))
                .map(|_| Answer::Integer),
        },
        Expression::Reference {
            base,
            path,
            subscripts,
        } if subscripts.is_empty() => of_component(program, *base, path),
        // An element may lie outside its array; what leads to a component may point at nothing.
        Expression::Reference { .. } | Expression::Call { .. } | Expression::Other(_) => None,
    }
}

fn of_literal(text: &str) -> Option<Answer> {
    if loop_sums::is_index(text) {
        return Some(Answer::Integer);
    }
    let value = text.split('_').next()?;
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let truth = [".true.", ".false."]
        .iter()
        .any(|truth| value.eq_ignore_ascii_case(truth));
    match (digits, truth) {
        (true, _) => Some(Answer::Integer),
        (false, true) => Some(Answer::Logical),
        (false, false) => None,
    }
}

fn of_variable(program: &Program, id: VariableId) -> Option<Answer> {
    let variable = program.variable(id);
    if !always_exists(program, id) || !variable.shape.is_empty() {
        return None;
    }
    of_type(&variable.of_type)
}

fn of_type(of_type: &Type) -> Option<Answer> {
    match of_type {
        Type::Integer(_) => Some(Answer::Integer),
        Type::Logical(_) => Some(Answer::Logical),
        Type::Real(_) | Type::Complex(_) | Type::Character | Type::Derived(_) | Type::Unknown => {
            None
        }
    }
}

/// A component of an object that always exists, if nothing on the way to it can be missing.
fn of_component(program: &Program, base: VariableId, path: &[String]) -> Option<Answer> {
    let last = component(program, base, path)?;
    (!last.attributes.allocatable && last.rank == 0).then(|| of_type(&last.of_type))?
}

/// A component that is there whenever its object is, which always exists, if it is allocated.
fn component<'a>(program: &'a Program, base: VariableId, path: &[String]) -> Option<&'a Component> {
    let is_object = always_exists(program, base) && program.variable(base).shape.is_empty();
    let chosen = program.components_along(base, path)?;
    let (&last, above) = chosen.split_last()?;
    let is_there = above
        .iter()
        .all(|one| !one.attributes.allocatable && one.rank == 0);
    (is_object && is_there && !chosen.iter().any(|one| one.attributes.pointer)).then_some(last)
}

/// Whether a question how large an array is has an answer anywhere: the array always exists, or is a dummy that takes over
/// another's shape. (What is not allocated may be told so by the compiler's checks, and the run ends.)
fn answers(program: &Program, asked: &Inquiry) -> bool {
    let is_there =
        matches!(asked.array, Expression::Variable(array) if always_exists(program, *array));
    is_there
        && asked
            .dimension
            .is_none_or(|dimension| constant_values::constant(program, dimension).is_some())
}

/// Whether what is asked of is an allocatable array, of which ALLOCATED can be asked anywhere.
fn is_allocatable(program: &Program, asked: &Inquiry) -> bool {
    match asked.array {
        Expression::Variable(array) => {
            let Variable {
                attributes, shape, ..
            } = program.variable(*array);
            attributes.allocatable && !attributes.optional && !shape.is_empty()
        }
        Expression::Reference { base, path, .. } => component(program, *base, path)
            .is_some_and(|last| last.attributes.allocatable && last.rank > 0),
        _ => false,
    }
}

fn always_exists(program: &Program, id: VariableId) -> bool {
    let variable = program.variable(id);
    let attributes = &variable.attributes;
    let may_lack = attributes.allocatable || attributes.pointer || attributes.optional;
    // A dummy argument of one ENTRY is nothing behind another.
    let is_dummy = matches!(variable.storage, Storage::Dummy(_));
    let by_other_ways = variable
        .owner
        .is_some_and(|owner| program.procedure(owner).is_whole);
    !(may_lack || is_dummy && by_other_ways)
}

fn of_unary(operator: Operator, operand: Answer) -> Option<Answer> {
    match (operator, operand) {
        (Operator::Plus | Operator::Negate, Answer::Integer) | (Operator::Not, Answer::Logical) => {
            Some(operand)
        }
        (_, Answer::Integer | Answer::Logical) => None,
    }
}

/// Of two that answer the same.
fn of_binary(operator: Operator, operands: Answer) -> Option<Answer> {
    match operator {
        Operator::Add | Operator::Subtract | Operator::Multiply => {
            (operands == Answer::Integer).then_some(Answer::Integer)
        }
        Operator::Equal
        | Operator::NotEqual
        | Operator::Less
        | Operator::LessEqual
        | Operator::Greater
        | Operator::GreaterEqual => (operands == Answer::Integer).then_some(Answer::Logical),
        Operator::And | Operator::Or | Operator::Equivalent | Operator::NotEquivalent => {
            (operands == Answer::Logical).then_some(Answer::Logical)
        }
        Operator::Divide
        | Operator::Power
        | Operator::Concatenate
        | Operator::Not
        | Operator::Negate
        | Operator::Plus
        | Operator::Defined => None,
    }
}

/// A quotient or remainder by what is not 0.
fn of_quotient(program: &Program, number: &Expression, divisor: &Expression) -> Option<Answer> {
    let divides = match constant_values::constant(program, divisor) {
        Some(value) => value != 0,
        None => is_safe_divisor(program, divisor),
    };
    (divides && is_integer(program, number) && is_integer(program, divisor))
        .then_some(Answer::Integer)
}
