//! Reductions element by element over packed data, always combined in the order of ranks, so that
//! the same run gives the same bits. What C and Fortran call long or quadruple floating point is in
//! `wide`; functions of the program are called by the package `mpi`.

mod wide;

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
    /// Extended precision of the x87: `long double`, in 16 bytes.
    F80,
    /// Quadruple precision.
    F128,
    /// Complex of two of the former.
    C80,
    /// Complex of two of the former.
    C128,
    /// Fortran's default logical.
    Logical,
    /// C's `_Bool`.
    LogicalByte,
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
    /// `f64`, `i32`.
    PairF64I32,
    /// `i64`, `i32`.
    PairI64I32,
    /// `i16`, `i32`.
    PairI16I32,
    /// `long double`, `i32`.
    PairF80I32,
    /// No arithmetic.
    None,
}

fn each<const N: usize>(
    earlier: &[u8],
    later: &mut [u8],
    f: impl Fn([u8; N], [u8; N]) -> [u8; N],
) -> bool {
    for (a, b) in earlier.chunks_exact(N).zip(later.chunks_exact_mut(N)) {
        let mut left = [0; N];
        left.copy_from_slice(a);
        let mut right = [0; N];
        right.copy_from_slice(b);
        b.copy_from_slice(&f(left, right));
    }
    true
}

fn of(truth: bool) -> u8 {
    u8::from(truth)
}

macro_rules! apply {
    ($t:ty, $earlier:expr, $later:expr, $f:expr) => {{
        let f: fn($t, $t) -> $t = $f;
        each($earlier, $later, |a, b| {
            f(<$t>::from_ne_bytes(a), <$t>::from_ne_bytes(b)).to_ne_bytes()
        })
    }};
}

macro_rules! integers {
    ($t:ty, $op:expr, $earlier:expr, $later:expr) => {
        match $op {
            ReduceOp::Sum => apply!($t, $earlier, $later, |a, b| a.wrapping_add(b)),
            ReduceOp::Product => apply!($t, $earlier, $later, |a, b| a.wrapping_mul(b)),
            ReduceOp::Maximum => apply!($t, $earlier, $later, |a, b| a.max(b)),
            ReduceOp::Minimum => apply!($t, $earlier, $later, |a, b| a.min(b)),
            ReduceOp::LogicalAnd => apply!($t, $earlier, $later, |a, b| of(a != 0 && b != 0) as $t),
            ReduceOp::LogicalOr => apply!($t, $earlier, $later, |a, b| of(a != 0 || b != 0) as $t),
            ReduceOp::LogicalXor => {
                apply!($t, $earlier, $later, |a, b| of((a != 0) != (b != 0)) as $t)
            }
            ReduceOp::BitAnd => apply!($t, $earlier, $later, |a, b| a & b),
            ReduceOp::BitOr => apply!($t, $earlier, $later, |a, b| a | b),
            ReduceOp::BitXor => apply!($t, $earlier, $later, |a, b| a ^ b),
            ReduceOp::MaximumLocation | ReduceOp::MinimumLocation | ReduceOp::User { .. } => false,
        }
    };
}

macro_rules! floats {
    ($t:ty, $op:expr, $earlier:expr, $later:expr) => {
        match $op {
            ReduceOp::Sum => apply!($t, $earlier, $later, |a, b| a + b),
            ReduceOp::Product => apply!($t, $earlier, $later, |a, b| a * b),
            ReduceOp::Maximum => apply!($t, $earlier, $later, |a, b| if b > a { b } else { a }),
            ReduceOp::Minimum => apply!($t, $earlier, $later, |a, b| if b < a { b } else { a }),
            ReduceOp::LogicalAnd => {
                apply!($t, $earlier, $later, |a, b| of(a != 0.0 && b != 0.0).into())
            }
            ReduceOp::LogicalOr => {
                apply!($t, $earlier, $later, |a, b| of(a != 0.0 || b != 0.0).into())
            }
            ReduceOp::LogicalXor => {
                apply!($t, $earlier, $later, |a, b| of((a != 0.0) != (b != 0.0))
                    .into())
            }
            ReduceOp::BitAnd
            | ReduceOp::BitOr
            | ReduceOp::BitXor
            | ReduceOp::MaximumLocation
            | ReduceOp::MinimumLocation
            | ReduceOp::User { .. } => false,
        }
    };
}

macro_rules! complex {
    ($t:ty, $op:expr, $earlier:expr, $later:expr) => {
        match $op {
            // A sum of complex numbers is a sum of their parts.
            ReduceOp::Sum => apply!($t, $earlier, $later, |a, b| a + b),
            ReduceOp::Product => {
                const HALF: usize = std::mem::size_of::<$t>();
                each::<{ 2 * HALF }>($earlier, $later, |a, b| {
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
    ($value:ty, $index:ty, $at:expr, $size:expr, $op:expr, $earlier:expr, $later:expr) => {{
        let read = |bytes: &[u8; $size]| {
            let mut value = [0; std::mem::size_of::<$value>()];
            value.copy_from_slice(&bytes[..std::mem::size_of::<$value>()]);
            let mut index = [0; std::mem::size_of::<$index>()];
            index.copy_from_slice(&bytes[$at..$at + std::mem::size_of::<$index>()]);
            (
                <$value>::from_ne_bytes(value),
                <$index>::from_ne_bytes(index),
            )
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
            ReduceOp::MaximumLocation => each::<$size>($earlier, $later, choose(true)),
            ReduceOp::MinimumLocation => each::<$size>($earlier, $later, choose(false)),
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

// MPI 4.0, section 6.9.2: logical types allow MPI_LAND, MPI_LOR and MPI_LXOR only.
macro_rules! logicals {
    ($t:ty, $op:expr, $earlier:expr, $later:expr) => {
        if is_logical($op) {
            integers!($t, $op, $earlier, $later)
        } else {
            false
        }
    };
}

fn is_logical(op: ReduceOp) -> bool {
    match op {
        ReduceOp::LogicalAnd | ReduceOp::LogicalOr | ReduceOp::LogicalXor => true,
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

// MPI 4.0, section 6.9.2: of the predefined operations, MPI_BYTE allows the bitwise ones only.
fn bytes(op: ReduceOp, earlier: &[u8], later: &mut [u8]) -> bool {
    match op {
        ReduceOp::BitAnd | ReduceOp::BitOr | ReduceOp::BitXor => integers!(u8, op, earlier, later),
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

/// Adds data up so many times, at least once: what they sum up to on as many ranks that have the same.
/// `Err` as for [`combine`].
pub fn multiply(how: Arithmetic, data: &mut Vec<u8>, times: u64) -> Result<(), &'static str> {
    if times < 2 {
        return Ok(());
    }
    // By doubling, so that the additions grow with the logarithm of `times`.
    let once = data.clone();
    combine(how, ReduceOp::Sum, &once, data)?;
    multiply(how, data, times / 2)?;
    if times % 2 == 1 {
        combine(how, ReduceOp::Sum, &once, data)
    } else {
        Ok(())
    }
}

/// Combines the data of earlier ranks into those of a later one, element by element:
/// `later = earlier op later`. `Err` if the operation is not defined for the elements; the sentence's
/// subject is the operation.
pub fn combine(
    how: Arithmetic,
    op: ReduceOp,
    earlier: &[u8],
    later: &mut [u8],
) -> Result<(), &'static str> {
    use Arithmetic::*;
    let done = match how {
        I8 => integers!(i8, op, earlier, later),
        I16 => integers!(i16, op, earlier, later),
        I32 => integers!(i32, op, earlier, later),
        I64 => integers!(i64, op, earlier, later),
        U8 => integers!(u8, op, earlier, later),
        U16 => integers!(u16, op, earlier, later),
        U32 => integers!(u32, op, earlier, later),
        U64 => integers!(u64, op, earlier, later),
        F32 => floats!(f32, op, earlier, later),
        F64 => floats!(f64, op, earlier, later),
        C32 => complex!(f32, op, earlier, later),
        C64 => complex!(f64, op, earlier, later),
        F80 => wide::real::<wide::Extended>(op, earlier, later),
        F128 => wide::real::<wide::Quadruple>(op, earlier, later),
        C80 => wide::complex::<wide::Extended>(op, earlier, later),
        C128 => wide::complex::<wide::Quadruple>(op, earlier, later),
        Logical => logicals!(i32, op, earlier, later),
        LogicalByte => logicals!(u8, op, earlier, later),
        Bytes => bytes(op, earlier, later),
        PairI32 => pairs!(i32, i32, 4, 8, op, earlier, later),
        PairF32 => pairs!(f32, f32, 4, 8, op, earlier, later),
        PairF64 => pairs!(f64, f64, 8, 16, op, earlier, later),
        PairF32I32 => pairs!(f32, i32, 4, 8, op, earlier, later),
        PairF64I32 => pairs!(f64, i32, 8, 12, op, earlier, later),
        PairI64I32 => pairs!(i64, i32, 8, 12, op, earlier, later),
        PairI16I32 => pairs!(i16, i32, 2, 6, op, earlier, later),
        PairF80I32 => wide::pair(op, earlier, later),
        None => false,
    };
    if done {
        Ok(())
    } else {
        Err("is not defined for elements of this datatype")
    }
}

#[cfg(test)]
mod tests;
