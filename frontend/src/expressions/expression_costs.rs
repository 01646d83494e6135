//! Static cost model of expressions: the cost of functions and operators, in units of a usual statement, beyond the cost of
//! the statement itself. The values are rough times on current processors: an exponential takes as long as some twenty
//! additions with their loads and stores, a power with a real exponent twice that. They only have to separate expensive
//! from cheap statements.
//!
//! Statements are in [`crate::expressions::own_costs`]; [`crate::work::statement_costs`] descends into bodies and procedures.

use crate::ir::constant_values::constant;
use crate::ir::references;
use crate::ir::{Callee, Expression, Operator, Program, StatementKind, Type};

/// A multiplication of those that a power with a constant exponent is made of.
const PRODUCT: f64 = 0.25;
/// A division by what is no constant.
const DIVISION: f64 = 4.0;
const ROOT: f64 = 5.0;
/// Exponentials, logarithms, sines.
const TRANSCENDENTAL: f64 = 20.0;
/// Those that are made of several such.
const COMPOSED: f64 = 40.0;
/// A power with a real exponent.
const POWER: f64 = 40.0;
/// One with an integer exponent that is no constant.
const INTEGER_POWER: f64 = 8.0;
/// A product of matrices, beside going over their elements once.
const MATRICES: f64 = 16.0;

/// Names of intrinsic functions, and what each costs.
const FUNCTIONS: [(&str, f64); 4] = [
    ("sqrt dsqrt csqrt zsqrt mod modulo amod dmod hypot", ROOT),
    (
        "exp dexp cexp zexp log dlog alog clog log10 dlog10 alog10 sin dsin csin cos dcos ccos tan dtan \
         sind cosd tand asin dasin acos dacos atan datan",
        TRANSCENDENTAL,
    ),
    (
        "atan2 datan2 asind acosd atand sinh dsinh cosh dcosh tanh dtanh asinh acosh atanh erf erfc derf derfc gamma \
         dgamma log_gamma bessel_j0 bessel_j1 bessel_y0 bessel_y1 bessel_jn bessel_yn erfc_scaled",
        COMPOSED,
    ),
    ("matmul", MATRICES),
];

/// The cost of the expressions of a statement, without the statements in its body, per execution.
pub(crate) fn of_statement(program: &Program, kind: &StatementKind) -> f64 {
    let mut sum = 0.0;
    for expression in references::expressions(kind) {
        references::walk(expression, &mut |part| sum += itself(program, part));
    }
    sum
}

/// The cost of an expression without its operands.
fn itself(program: &Program, expression: &Expression) -> f64 {
    match expression {
        Expression::Call {
            callee: Callee::Intrinsic(name),
            ..
        } => {
            for (names, cost) in FUNCTIONS {
                if names.split_ascii_whitespace().any(|known| known == name) {
                    return cost;
                }
            }
            0.0
        }
        Expression::Binary {
            operator: Operator::Divide,
            right,
            ..
        } => {
            // Compilers multiply by the reciprocal of a constant, or shift.
            if is_number(program, right) {
                0.0
            } else {
                DIVISION
            }
        }
        Expression::Binary {
            operator: Operator::Power,
            right,
            ..
        } => power(program, right),
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Variable(_)
        | Expression::Reference { .. }
        | Expression::Call { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Other(_) => 0.0,
    }
}

/// The cost of a power with an exponent.
fn power(program: &Program, exponent: &Expression) -> f64 {
    if let Some(number) = constant(program, exponent) {
        // Compilers expand it by repeated squaring (Knuth, The Art of Computer Programming 2, 4.6.3).
        let number_of_squares = number.unsigned_abs().checked_ilog2().unwrap_or(0);
        let products = number_of_squares + number.unsigned_abs().count_ones().saturating_sub(1);
        return f64::from(products) * PRODUCT + if number < 0 { DIVISION } else { 0.0 };
    }
    // The type of an expression with operators is not computed: it counts as real.
    let Some(named) = references::designated(exponent) else {
        return POWER;
    };
    match program.type_of_part(named.base, named.path) {
        Type::Integer(_) => INTEGER_POWER,
        _ => POWER,
    }
}

/// Whether a divisor is a constant.
fn is_number(program: &Program, divisor: &Expression) -> bool {
    matches!(divisor, Expression::Literal(_)) || constant(program, divisor).is_some()
}
