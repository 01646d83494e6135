//! Values: numbers, truth values, and cost objects whose value is computed where it is needed.

use crate::fault::{Fault, Span};
use crate::rank_vectors::VectorId;
use crate::syntax::{BinaryOperator, Expression, Function, UnaryOperator};
use std::rc::Rc;

/// The value of an expression.
#[derive(Clone, Debug)]
pub(crate) enum Value<'p> {
    Number(f64),
    Truth(bool),
    /// `NONE`: no partner.
    NoPeer,
    /// `ANY`: a message from any rank, or with any tag.
    Any,
    /// Not evaluated yet.
    Late(Rc<Late<'p>>),
    /// The value depends on a random outcome; the line of the IF or FOR.
    Varies(u32),
    /// A number for each rank.
    ByRank(VectorId),
}

/// An expression that is not evaluated yet.
#[derive(Debug)]
pub(crate) struct Late<'p> {
    pub(crate) kind: LateKind<'p>,
    pub(crate) span: Span,
    /// How deep expressions of expressions are.
    depth: u32,
}

#[derive(Debug)]
pub(crate) enum LateKind<'p> {
    Expression(&'p Expression),
    Unary(UnaryOperator, Value<'p>),
    Binary(BinaryOperator, Value<'p>, Value<'p>),
    Function(Function, Vec<Value<'p>>),
}

/// Cost objects are made of each other this deep at most: readers recurse over them.
const DEEPEST_COST: u32 = 200;

impl<'p> Value<'p> {
    pub(crate) fn late(kind: LateKind<'p>, span: Span) -> Result<Self, Fault> {
        let depth = match &kind {
            LateKind::Expression(_) => 0,
            LateKind::Unary(_, operand) => operand.depth(),
            LateKind::Binary(_, left, right) => left.depth().max(right.depth()),
            LateKind::Function(_, arguments) => {
                arguments.iter().map(Value::depth).max().unwrap_or(0)
            }
        } + 1;
        if depth > DEEPEST_COST {
            let message = format!(
                "the cost is made of more than {DEEPEST_COST} costs, each of the one before; give \
                 the unknown value with --arg"
            );
            return Err(Fault::new(span, message));
        }
        Ok(Self::Late(Rc::new(Late { kind, span, depth })))
    }

    fn depth(&self) -> u32 {
        match self {
            Self::Late(late) => late.depth,
            Self::Number(_)
            | Self::Truth(_)
            | Self::NoPeer
            | Self::Any
            | Self::Varies(_)
            | Self::ByRank(_) => 0,
        }
    }

    pub(crate) fn is_late(&self) -> bool {
        matches!(self, Self::Late(_))
    }
}

/// Whether replacing one value by the other changes nothing.
impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.to_bits() == b.to_bits(),
            (Self::Truth(a), Self::Truth(b)) => a == b,
            (Self::NoPeer, Self::NoPeer) | (Self::Any, Self::Any) => true,
            (Self::Late(a), Self::Late(b)) => Rc::ptr_eq(a, b) || a.kind == b.kind,
            // The line is for messages only.
            (Self::Varies(_), Self::Varies(_)) => true,
            (Self::ByRank(a), Self::ByRank(b)) => a == b,
            _ => false,
        }
    }
}

impl PartialEq for LateKind<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            // Names are looked up when the value is needed, wherever the text stands, so equal texts are one value. Spans do not
            // count. The comparison of places is a short cut: iterations of a loop find the same place.
            (Self::Expression(a), Self::Expression(b)) => std::ptr::eq(*a, *b) || a == b,
            (Self::Unary(o, a), Self::Unary(p, b)) => o == p && a == b,
            (Self::Binary(o, a, b), Self::Binary(p, c, d)) => o == p && a == c && b == d,
            (Self::Function(f, a), Self::Function(g, b)) => f == g && a == b,
            _ => false,
        }
    }
}

/// The value of an operation on values that are known.
pub(crate) fn binary<'p>(
    operator: BinaryOperator,
    left: &Value<'p>,
    right: &Value<'p>,
    span: Span,
) -> Result<Value<'p>, Fault> {
    // The only comparisons of conditions; all others below compare numbers.
    if let (BinaryOperator::Equal | BinaryOperator::Unequal, Value::Truth(a), Value::Truth(b)) =
        (operator, left, right)
    {
        let is_equal = a == b;
        return Ok(Value::Truth(
            is_equal == (operator == BinaryOperator::Equal),
        ));
    }
    if let BinaryOperator::And | BinaryOperator::Or = operator {
        let (a, b) = (truth(left, span)?, truth(right, span)?);
        let result = match operator {
            BinaryOperator::And => a && b,
            _ => a || b,
        };
        return Ok(Value::Truth(result));
    }
    let (a, b) = (number(left, span)?, number(right, span)?);
    let result = match operator {
        BinaryOperator::Equal => return Ok(Value::Truth(a == b)),
        BinaryOperator::Unequal => return Ok(Value::Truth(a != b)),
        BinaryOperator::Less => return Ok(Value::Truth(a < b)),
        BinaryOperator::LessEqual => return Ok(Value::Truth(a <= b)),
        BinaryOperator::Greater => return Ok(Value::Truth(a > b)),
        BinaryOperator::GreaterEqual => return Ok(Value::Truth(a >= b)),
        BinaryOperator::Add => a + b,
        BinaryOperator::Subtract => a - b,
        BinaryOperator::Multiply => a * b,
        BinaryOperator::Divide | BinaryOperator::Modulo if b == 0.0 => {
            let message = "this divides by zero; exclude it with an IF, or write max(DIVISOR, 1)";
            return Err(Fault::new(span, message));
        }
        // All numbers are real: 7 / 2 is 3.5.
        BinaryOperator::Divide => a / b,
        // The non-negative remainder: (ID - 1) % RANKS is a rank.
        BinaryOperator::Modulo => a.rem_euclid(b),
        BinaryOperator::Power => a.powf(b),
        BinaryOperator::And | BinaryOperator::Or => unreachable!("returned above"),
    };
    finite(result, span)
}

/// The value of an operation on a value that is known.
pub(crate) fn unary<'p>(
    operator: UnaryOperator,
    operand: &Value<'p>,
    span: Span,
) -> Result<Value<'p>, Fault> {
    match operator {
        UnaryOperator::Minus => finite(-number(operand, span)?, span),
        UnaryOperator::Not => Ok(Value::Truth(!truth(operand, span)?)),
    }
}

/// The value of a function of values that are known; the parser has checked how many.
pub(crate) fn function<'p>(
    function: Function,
    arguments: &[Value<'p>],
    span: Span,
) -> Result<Value<'p>, Fault> {
    let argument = |index: usize| match arguments.get(index) {
        Some(value) => number(value, span),
        None => Err(Fault::new(span, "an argument is missing")),
    };
    let first = argument(0)?;
    let result = match function {
        Function::Floor => first.floor(),
        Function::Ceil => first.ceil(),
        Function::Round => first.round(),
        Function::Abs => first.abs(),
        Function::Sqrt if first < 0.0 => {
            let message = format!("{} has no square root; write max(…, 0) in it", short(first));
            return Err(Fault::new(span, message));
        }
        Function::Sqrt => first.sqrt(),
        Function::Log2 if first <= 0.0 => {
            let message = format!("{} has no logarithm; write max(…, 1) in it", short(first));
            return Err(Fault::new(span, message));
        }
        Function::Log2 => first.log2(),
        Function::Min => first.min(argument(1)?),
        Function::Max => first.max(argument(1)?),
        Function::Xor => {
            let second = argument(1)?;
            // Beyond 2^53 the low bits are lost, and a negative number has no fixed number of bits.
            let whole = |value: f64| value.fract() == 0.0 && (0.0..MOST_EXACT).contains(&value);
            if !whole(first) || !whole(second) {
                let message = format!(
                    "xor takes whole numbers from 0, found {} and {}; use floor",
                    short(first),
                    short(second)
                );
                return Err(Fault::new(span, message));
            }
            ((first as u64) ^ (second as u64)) as f64
        }
    };
    finite(result, span)
}

/// 2^53: whole numbers from here on are not all representable.
pub(crate) const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// A number for messages: those with more digits than are exact in scientific notation.
pub(crate) fn short(number: f64) -> String {
    let magnitude = number.abs();
    // Rust prints all digits of 1e300, and all zeros of 1e-300.
    if magnitude >= MOST_EXACT || magnitude > 0.0 && magnitude < 1e-9 {
        format!("{number:e}")
    } else {
        format!("{number}")
    }
}

fn finite<'p>(result: f64, span: Span) -> Result<Value<'p>, Fault> {
    if result.is_finite() {
        // Without -0, which would differ from 0 where states are compared.
        return Ok(Value::Number(result + 0.0));
    }
    Err(Fault::new(
        span,
        "the value is no finite number; use smaller numbers",
    ))
}

/// The number that a known value is.
pub(crate) fn number(value: &Value<'_>, span: Span) -> Result<f64, Fault> {
    match value {
        Value::Number(number) => Ok(*number),
        Value::Truth(_) => Err(Fault::new(span, "a number is expected, found a condition")),
        Value::NoPeer => Err(Fault::new(span, "NONE is a partner, not a number")),
        Value::Any => Err(Fault::new(
            span,
            "ANY is the partner or tag of a receive, not a number",
        )),
        Value::Late(_) | Value::Varies(_) | Value::ByRank(_) => {
            Err(Fault::new(span, "the value is not known"))
        }
    }
}

fn truth(value: &Value<'_>, span: Span) -> Result<bool, Fault> {
    match value {
        Value::Truth(truth) => Ok(*truth),
        Value::Number(_) | Value::NoPeer | Value::Any => {
            let message =
                "a condition is expected, found a number; write a comparison, such as x > 0";
            Err(Fault::new(span, message))
        }
        Value::Late(_) | Value::Varies(_) | Value::ByRank(_) => {
            Err(Fault::new(span, "the value is not known"))
        }
    }
}
