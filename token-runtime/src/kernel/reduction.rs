//! Reductions element by element over bytes, always combined in the order of ranks, so that the
//! same run gives the same bits.

use base_data::mpi::ReduceOp;

/// How the bytes of an element are to be read. Pairs are (value, index).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Arithmetic {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
    /// Complex of two `f32`.
    C32,
    /// Complex of two `f64`.
    C64,
    /// Fortran's default logical, or C's int used as one.
    Logical,
    /// Bytes: only bitwise operations.
    Bytes,
    /// Two `i32`.
    PairI32,
    /// Two `f32`.
    PairF32,
    /// Two `f64`.
    PairF64,
    /// `f32`, `i32`.
    PairF32I32,
    /// `f64`, `i32`, padded to 16 bytes.
    PairF64I32,
    /// `i64`, `i32`, padded to 16 bytes.
    PairI64I32,
    /// No arithmetic here (characters, 16-byte floating point).
    None,
}

fn each<const N: usize>(total: &mut [u8], next: &[u8], f: impl Fn([u8; N], [u8; N]) -> [u8; N]) -> bool {
    for (a, b) in total.chunks_exact_mut(N).zip(next.chunks_exact(N)) {
        let mut left = [0; N];
        left.copy_from_slice(a);
        let mut right = [0; N];
        right.copy_from_slice(b);
        a.copy_from_slice(&f(left, right));
    }
    true
}

macro_rules! apply {
    ($t:ty, $total:expr, $next:expr, $f:expr) => {{
        let f: fn($t, $t) -> $t = $f;
        each($total, $next, |a, b| f(<$t>::from_ne_bytes(a), <$t>::from_ne_bytes(b)).to_ne_bytes())
    }};
}

macro_rules! integers {
    ($t:ty, $op:expr, $total:expr, $next:expr) => {
        match $op {
            ReduceOp::Sum => apply!($t, $total, $next, |a, b| a.wrapping_add(b)),
            ReduceOp::Product => apply!($t, $total, $next, |a, b| a.wrapping_mul(b)),
            ReduceOp::Maximum => apply!($t, $total, $next, |a, b| a.max(b)),
            ReduceOp::Minimum => apply!($t, $total, $next, |a, b| a.min(b)),
            ReduceOp::LogicalAnd => apply!($t, $total, $next, |a, b| (a != 0 && b != 0) as $t),
            ReduceOp::LogicalOr => apply!($t, $total, $next, |a, b| (a != 0 || b != 0) as $t),
            ReduceOp::LogicalXor => apply!($t, $total, $next, |a, b| ((a != 0) != (b != 0)) as $t),
            ReduceOp::BitAnd => apply!($t, $total, $next, |a, b| a & b),
            ReduceOp::BitOr => apply!($t, $total, $next, |a, b| a | b),
            ReduceOp::BitXor => apply!($t, $total, $next, |a, b| a ^ b),
            ReduceOp::MaximumLocation | ReduceOp::MinimumLocation | ReduceOp::User { .. } => false,
        }
    };
}

macro_rules! floats {
    ($t:ty, $op:expr, $total:expr, $next:expr) => {
        match $op {
            ReduceOp::Sum => apply!($t, $total, $next, |a, b| a + b),
            ReduceOp::Product => apply!($t, $total, $next, |a, b| a * b),
            ReduceOp::Maximum => apply!($t, $total, $next, |a, b| if b > a { b } else { a }),
            ReduceOp::Minimum => apply!($t, $total, $next, |a, b| if b < a { b } else { a }),
            ReduceOp::LogicalAnd
            | ReduceOp::LogicalOr
            | ReduceOp::LogicalXor
            | ReduceOp::BitAnd
            | ReduceOp::BitOr
            | ReduceOp::BitXor
            | ReduceOp::MaximumLocation
            | ReduceOp::MinimumLocation
            | ReduceOp::User { .. } => false,
        }
    };
}

macro_rules! complex {
    ($t:ty, $op:expr, $total:expr, $next:expr) => {
        match $op {
            // A sum of complex numbers is a sum of their parts.
            ReduceOp::Sum => apply!($t, $total, $next, |a, b| a + b),
            ReduceOp::Product => {
                const HALF: usize = std::mem::size_of::<$t>();
                each::<{ 2 * HALF }>($total, $next, |a, b| {
                    let part = |bytes: [u8; 2 * HALF], i: usize| {
                        let mut half = [0; HALF];
                        half.copy_from_slice(&bytes[i * HALF..(i + 1) * HALF]);
                        <$t>::from_ne_bytes(half)
                    };
                    let (ar, ai, br, bi) = (part(a, 0), part(a, 1), part(b, 0), part(b, 1));
                    let mut product = [0; 2 * HALF];
                    product[..HALF].copy_from_slice(&(ar * br - ai * bi).to_ne_bytes());
                    product[HALF..].copy_from_slice(&(ar * bi + ai * br).to_ne_bytes());
                    product
                })
            }
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
    };
}

macro_rules! pairs {
    ($value:ty, $index:ty, $at:expr, $size:expr, $op:expr, $total:expr, $next:expr) => {{
        let read = |bytes: &[u8; $size]| {
            let mut value = [0; std::mem::size_of::<$value>()];
            value.copy_from_slice(&bytes[..std::mem::size_of::<$value>()]);
            let mut index = [0; std::mem::size_of::<$index>()];
            index.copy_from_slice(&bytes[$at..$at + std::mem::size_of::<$index>()]);
            (<$value>::from_ne_bytes(value), <$index>::from_ne_bytes(index))
        };
        // Of equal values the one with the smaller index.
        let choose = |larger: bool| {
            move |a: [u8; $size], b: [u8; $size]| {
                let ((av, ai), (bv, bi)) = (read(&a), read(&b));
                let beats = if larger { bv > av } else { bv < av };
                if beats || (bv == av && bi < ai) { b } else { a }
            }
        };
        match $op {
            ReduceOp::MaximumLocation => each::<$size>($total, $next, choose(true)),
            ReduceOp::MinimumLocation => each::<$size>($total, $next, choose(false)),
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
            | ReduceOp::User { .. } => false,
        }
    }};
}

fn logicals(op: ReduceOp, total: &mut [u8], next: &[u8]) -> bool {
    match op {
        ReduceOp::LogicalAnd | ReduceOp::LogicalOr | ReduceOp::LogicalXor => integers!(i32, op, total, next),
        ReduceOp::Sum
        | ReduceOp::Product
        | ReduceOp::Maximum
        | ReduceOp::Minimum
        | ReduceOp::BitAnd
        | ReduceOp::BitOr
        | ReduceOp::BitXor
        | ReduceOp::MaximumLocation
        | ReduceOp::MinimumLocation
        | ReduceOp::User { .. } => false,
    }
}

fn bytes(op: ReduceOp, total: &mut [u8], next: &[u8]) -> bool {
    match op {
        ReduceOp::BitAnd | ReduceOp::BitOr | ReduceOp::BitXor => integers!(u8, op, total, next),
        ReduceOp::Sum
        | ReduceOp::Product
        | ReduceOp::Maximum
        | ReduceOp::Minimum
        | ReduceOp::LogicalAnd
        | ReduceOp::LogicalOr
        | ReduceOp::LogicalXor
        | ReduceOp::MaximumLocation
        | ReduceOp::MinimumLocation
        | ReduceOp::User { .. } => false,
    }
}

/// Combines `next` into `total`, element by element: `total = total op next`. `Err` if the
/// operation is not defined for the elements; the sentence's subject is the operation.
pub fn combine(how: Arithmetic, op: ReduceOp, total: &mut [u8], next: &[u8]) -> Result<(), &'static str> {
    use Arithmetic::*;
    let done = match how {
        I8 => integers!(i8, op, total, next),
        I16 => integers!(i16, op, total, next),
        I32 => integers!(i32, op, total, next),
        I64 => integers!(i64, op, total, next),
        U8 => integers!(u8, op, total, next),
        U16 => integers!(u16, op, total, next),
        U32 => integers!(u32, op, total, next),
        U64 => integers!(u64, op, total, next),
        F32 => floats!(f32, op, total, next),
        F64 => floats!(f64, op, total, next),
        C32 => complex!(f32, op, total, next),
        C64 => complex!(f64, op, total, next),
        Logical => logicals(op, total, next),
        Bytes => bytes(op, total, next),
        PairI32 => pairs!(i32, i32, 4, 8, op, total, next),
        PairF32 => pairs!(f32, f32, 4, 8, op, total, next),
        PairF64 => pairs!(f64, f64, 8, 16, op, total, next),
        PairF32I32 => pairs!(f32, i32, 4, 8, op, total, next),
        PairF64I32 => pairs!(f64, i32, 8, 16, op, total, next),
        PairI64I32 => pairs!(i64, i32, 8, 16, op, total, next),
        None => false,
    };
    if done { Ok(()) } else { Err("is not defined for elements of this datatype") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(how: Arithmetic, op: ReduceOp, total: &[u8], next: &[u8], expect: &[u8]) {
        let mut total = total.to_vec();
        combine(how, op, &mut total, next).unwrap();
        assert_eq!(total, expect, "{how:?} {op:?}");
    }

    fn f64s(values: &[f64]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_ne_bytes()).collect()
    }

    fn i32s(values: &[i32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_ne_bytes()).collect()
    }

    #[test]
    fn combines_element_by_element() {
        use Arithmetic::*;
        check(F64, ReduceOp::Sum, &f64s(&[1.0, 2.0]), &f64s(&[0.5, -2.0]), &f64s(&[1.5, 0.0]));
        check(F64, ReduceOp::Maximum, &f64s(&[1.0, 2.0]), &f64s(&[3.0, -2.0]), &f64s(&[3.0, 2.0]));
        check(C64, ReduceOp::Product, &f64s(&[0.0, 1.0]), &f64s(&[0.0, 1.0]), &f64s(&[-1.0, 0.0]));
        check(I32, ReduceOp::LogicalXor, &i32s(&[5, 0]), &i32s(&[6, 7]), &i32s(&[0, 1]));
        check(I32, ReduceOp::Sum, &i32s(&[i32::MAX]), &i32s(&[1]), &i32s(&[i32::MIN]));
        check(Logical, ReduceOp::LogicalAnd, &i32s(&[1, 1]), &i32s(&[0, 1]), &i32s(&[0, 1]));
        check(
            PairI32,
            ReduceOp::MaximumLocation,
            &i32s(&[4, 3, 1, 0]),
            &i32s(&[4, 2, 2, 1]),
            &i32s(&[4, 2, 2, 1]),
        );
        check(PairF64, ReduceOp::MinimumLocation, &f64s(&[1.0, 0.0]), &f64s(&[1.0, 1.0]), &f64s(&[1.0, 0.0]));
    }

    #[test]
    fn refuses_what_has_no_meaning() {
        let cases = [
            (Arithmetic::F64, ReduceOp::BitAnd),
            (Arithmetic::Logical, ReduceOp::Sum),
            (Arithmetic::C64, ReduceOp::Maximum),
            (Arithmetic::None, ReduceOp::Sum),
            (Arithmetic::F64, ReduceOp::MaximumLocation),
        ];
        for (how, op) in cases {
            assert!(combine(how, op, &mut [0; 16], &[0; 16]).is_err(), "{how:?} {op:?}");
        }
    }
}
