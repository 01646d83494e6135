//! Floating point that Rust does not have: the x87's extended precision, which is C's `long double`,
//! and quadruple precision, both in 16 bytes.

use super::each;
use base_data::mpi::ReduceOp;
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Quad, X87DoubleExtended};
use std::cmp::Ordering;

/// A format.
pub trait Wide {
    /// Its arithmetic.
    type Value: Float;
    /// The bits that hold the value; others are padding.
    const BITS: u128;
}

/// `long double`.
pub struct Extended;
/// `REAL(16)`.
pub struct Quadruple;

impl Wide for Extended {
    type Value = X87DoubleExtended;
    const BITS: u128 = (1 << 80) - 1;
}

impl Wide for Quadruple {
    type Value = Quad;
    const BITS: u128 = u128::MAX;
}

const BYTES: usize = 16;
type Bytes = [u8; BYTES];

fn value<W: Wide>(bytes: Bytes) -> W::Value {
    W::Value::from_bits(u128::from_ne_bytes(bytes) & W::BITS)
}

fn bytes<W: Wide>(value: W::Value) -> Bytes {
    value.to_bits().to_ne_bytes()
}

fn truth<W: Wide>(truth: bool) -> W::Value {
    W::Value::from_u128(u128::from(truth)).value
}

/// The function of an operation on two values.
type Function<V> = fn(V, V) -> V;

fn function<W: Wide>(op: ReduceOp) -> Option<Function<W::Value>> {
    Some(match op {
        ReduceOp::Sum => |a, b| (a + b).value,
        ReduceOp::Product => |a, b| (a * b).value,
        ReduceOp::Maximum => |a, b| if b > a { b } else { a },
        ReduceOp::Minimum => |a, b| if b < a { b } else { a },
        ReduceOp::LogicalAnd => |a, b| truth::<W>(!a.is_zero() && !b.is_zero()),
        ReduceOp::LogicalOr => |a, b| truth::<W>(!a.is_zero() || !b.is_zero()),
        ReduceOp::LogicalXor => |a, b| truth::<W>(a.is_zero() != b.is_zero()),
        ReduceOp::BitAnd
        | ReduceOp::BitOr
        | ReduceOp::BitXor
        | ReduceOp::MaximumLocation
        | ReduceOp::MinimumLocation
        | ReduceOp::User { .. } => return None,
    })
}

/// Combines real numbers.
pub fn real<W: Wide>(op: ReduceOp, earlier: &[u8], later: &mut [u8]) -> bool {
    let Some(function) = function::<W>(op) else {
        return false;
    };
    each::<BYTES>(earlier, later, |a, b| {
        bytes::<W>(function(value::<W>(a), value::<W>(b)))
    })
}

fn halves(both: [u8; 2 * BYTES]) -> [Bytes; 2] {
    let (mut first, mut second) = ([0; BYTES], [0; BYTES]);
    first.copy_from_slice(&both[..BYTES]);
    second.copy_from_slice(&both[BYTES..]);
    [first, second]
}

/// Combines complex numbers.
pub fn complex<W: Wide>(op: ReduceOp, earlier: &[u8], later: &mut [u8]) -> bool {
    match op {
        // A sum of complex numbers is a sum of their parts.
        ReduceOp::Sum => real::<W>(op, earlier, later),
        ReduceOp::Product => each::<{ 2 * BYTES }>(earlier, later, product::<W>),
        ReduceOp::Maximum
        | ReduceOp::Minimum
        | ReduceOp::LogicalAnd
        | ReduceOp::LogicalOr
        | ReduceOp::LogicalXor
        | ReduceOp::BitAnd
        | ReduceOp::BitOr
        | ReduceOp::BitXor
        | ReduceOp::MaximumLocation
        | ReduceOp::MinimumLocation
        | ReduceOp::User { .. } => false,
    }
}

fn product<W: Wide>(a: [u8; 2 * BYTES], b: [u8; 2 * BYTES]) -> [u8; 2 * BYTES] {
    let ([ar, ai], [br, bi]) = (halves(a).map(value::<W>), halves(b).map(value::<W>));
    let real = ((ar * br).value - (ai * bi).value).value;
    let imaginary = ((ar * bi).value + (ai * br).value).value;
    let mut both = [0; 2 * BYTES];
    both[..BYTES].copy_from_slice(&bytes::<W>(real));
    both[BYTES..].copy_from_slice(&bytes::<W>(imaginary));
    both
}

/// Bytes of a packed `long double` with its index.
const PAIR: usize = BYTES + 4;

/// Combines pairs of `long double` and `int`: of equal values the one with the smaller index.
pub fn pair(op: ReduceOp, earlier: &[u8], later: &mut [u8]) -> bool {
    let wanted = match op {
        ReduceOp::MaximumLocation => Ordering::Greater,
        ReduceOp::MinimumLocation => Ordering::Less,
        ReduceOp::Sum
        | ReduceOp::Product
        | ReduceOp::Maximum
        | ReduceOp::Minimum
        | ReduceOp::LogicalAnd
        | ReduceOp::LogicalOr
        | ReduceOp::LogicalXor
        | ReduceOp::BitAnd
        | ReduceOp::BitOr
        | ReduceOp::BitXor
        | ReduceOp::User { .. } => return false,
    };
    each::<PAIR>(earlier, later, |a, b| {
        let ((av, ai), (bv, bi)) = (parts(a), parts(b));
        let order = bv.partial_cmp(&av);
        if order == Some(wanted) || order == Some(Ordering::Equal) && bi < ai {
            b
        } else {
            a
        }
    })
}

fn parts(pair: [u8; PAIR]) -> (X87DoubleExtended, i32) {
    let (mut first, mut index) = ([0; BYTES], [0; 4]);
    first.copy_from_slice(&pair[..BYTES]);
    index.copy_from_slice(&pair[BYTES..]);
    (value::<Extended>(first), i32::from_ne_bytes(index))
}
