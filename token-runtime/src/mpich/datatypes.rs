//! Datatype and operation handles: what they stand for. The low byte of a basic
//! type's handle is its number, the byte above its size; pairs of unequal types have their own.

use crate::kernel::reduction::Arithmetic;
use base_data::mpi::{BasicDatatype, Datatype, ReduceOp};

/// A predefined datatype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predefined {
    /// Its handle.
    pub handle: i32,
    /// What its elements are.
    pub basic: BasicDatatype,
    /// How reductions compute with it.
    pub arithmetic: Arithmetic,
    /// Distance between elements in memory; larger than the data for padded pairs.
    pub extent: u64,
}

impl Predefined {
    /// Bytes of data in one element.
    pub fn size(&self) -> u64 {
        self.basic.bytes()
    }

    /// As the recording writes it.
    pub fn canonical(&self) -> Datatype {
        Datatype { extent: self.extent as i64, ..Datatype::basic(self.basic) }
    }
}

macro_rules! table {
    ($($handle:literal $basic:expr, $arithmetic:ident;)+) => {
        &[$(Predefined {
            handle: $handle as u32 as i32,
            basic: $basic,
            arithmetic: Arithmetic::$arithmetic,
            extent: ($handle as u32 as u64) >> 8 & 0xff,
        }),+]
    };
}

use BasicDatatype::{Byte, Character, Complex, Integer, Logical, Pair, Real, Unsigned};

/// All predefined datatypes with a size of their own in the handle.
pub static BASIC: &[Predefined] = table! {
    // C
    0x4c00_0101 Character, None;      // MPI_CHAR
    0x4c00_0118 Integer(1), I8;       // MPI_SIGNED_CHAR
    0x4c00_0102 Unsigned(1), U8;      // MPI_UNSIGNED_CHAR
    0x4c00_010d Byte, Bytes;          // MPI_BYTE
    0x4c00_040e Unsigned(4), None;    // MPI_WCHAR
    0x4c00_0203 Integer(2), I16;      // MPI_SHORT
    0x4c00_0204 Unsigned(2), U16;     // MPI_UNSIGNED_SHORT
    0x4c00_0405 Integer(4), I32;      // MPI_INT
    0x4c00_0406 Unsigned(4), U32;     // MPI_UNSIGNED
    0x4c00_0807 Integer(8), I64;      // MPI_LONG
    0x4c00_0808 Unsigned(8), U64;     // MPI_UNSIGNED_LONG
    0x4c00_040a Real(4), F32;         // MPI_FLOAT
    0x4c00_080b Real(8), F64;         // MPI_DOUBLE
    0x4c00_100c Real(16), None;       // MPI_LONG_DOUBLE
    0x4c00_0809 Integer(8), I64;      // MPI_LONG_LONG_INT
    0x4c00_0819 Unsigned(8), U64;     // MPI_UNSIGNED_LONG_LONG
    0x4c00_010f Byte, None;           // MPI_PACKED
    0x4c00_0816 Pair(4, 4), PairI32;  // MPI_2INT
    0x4c00_0137 Integer(1), I8;       // MPI_INT8_T
    0x4c00_0238 Integer(2), I16;      // MPI_INT16_T
    0x4c00_0439 Integer(4), I32;      // MPI_INT32_T
    0x4c00_083a Integer(8), I64;      // MPI_INT64_T
    0x4c00_013b Unsigned(1), U8;      // MPI_UINT8_T
    0x4c00_023c Unsigned(2), U16;     // MPI_UINT16_T
    0x4c00_043d Unsigned(4), U32;     // MPI_UINT32_T
    0x4c00_083e Unsigned(8), U64;     // MPI_UINT64_T
    0x4c00_013f Logical(1), U8;       // MPI_C_BOOL
    0x4c00_0840 Complex(8), C32;      // MPI_C_FLOAT_COMPLEX
    0x4c00_1041 Complex(16), C64;     // MPI_C_DOUBLE_COMPLEX
    0x4c00_0843 Integer(8), I64;      // MPI_AINT
    0x4c00_0844 Integer(8), I64;      // MPI_OFFSET
    0x4c00_0845 Integer(8), I64;      // MPI_COUNT
    // Fortran
    0x4c00_081e Complex(8), C32;      // MPI_COMPLEX
    0x4c00_1022 Complex(16), C64;     // MPI_DOUBLE_COMPLEX
    0x4c00_041d Logical(4), Logical;  // MPI_LOGICAL
    0x4c00_041c Real(4), F32;         // MPI_REAL
    0x4c00_081f Real(8), F64;         // MPI_DOUBLE_PRECISION
    0x4c00_041b Integer(4), I32;      // MPI_INTEGER
    0x4c00_0820 Pair(4, 4), PairI32;  // MPI_2INTEGER
    0x4c00_0821 Pair(4, 4), PairF32;  // MPI_2REAL
    0x4c00_1023 Pair(8, 8), PairF64;  // MPI_2DOUBLE_PRECISION
    0x4c00_011a Character, None;      // MPI_CHARACTER
    0x4c00_0427 Real(4), F32;         // MPI_REAL4
    0x4c00_0829 Real(8), F64;         // MPI_REAL8
    0x4c00_102b Real(16), None;       // MPI_REAL16
    0x4c00_0828 Complex(8), C32;      // MPI_COMPLEX8
    0x4c00_102a Complex(16), C64;     // MPI_COMPLEX16
    0x4c00_012d Integer(1), I8;       // MPI_INTEGER1
    0x4c00_022f Integer(2), I16;      // MPI_INTEGER2
    0x4c00_0430 Integer(4), I32;      // MPI_INTEGER4
    0x4c00_0831 Integer(8), I64;      // MPI_INTEGER8
};

/// Handle of `MPI_BYTE`.
pub const BYTE: i32 = 0x4c00_010d;

macro_rules! pair {
    ($handle:literal, $value:literal, $index:literal, $arithmetic:ident, $extent:literal) => {
        Predefined {
            handle: $handle as u32 as i32,
            basic: Pair($value, $index),
            arithmetic: Arithmetic::$arithmetic,
            extent: $extent,
        }
    };
}

/// Pairs of unequal C types, padded as C structures are.
pub static PAIRS: &[Predefined] = &[
    pair!(0x8c00_0000u32, 4, 4, PairF32I32, 8),  // MPI_FLOAT_INT
    pair!(0x8c00_0001u32, 8, 4, PairF64I32, 16), // MPI_DOUBLE_INT
    pair!(0x8c00_0002u32, 8, 4, PairI64I32, 16), // MPI_LONG_INT
];

/// Index of each basic type in [`BASIC`] by the low byte of its handle, plus 1.
static BY_NUMBER: [u8; 256] = {
    let mut index = [0; 256];
    let mut at = 0;
    while at < BASIC.len() {
        index[(BASIC[at].handle & 0xff) as usize] = at as u8 + 1;
        at += 1;
    }
    index
};

/// Number of predefined datatypes.
pub const COUNT: usize = BASIC.len() + PAIRS.len();

/// The datatype of a handle, with its place among all of them.
pub fn find(handle: i32) -> Option<(usize, &'static Predefined)> {
    let at = usize::from(BY_NUMBER[(handle & 0xff) as usize]).wrapping_sub(1);
    if let Some(found) = BASIC.get(at).filter(|found| found.handle == handle) {
        return Some((at, found));
    }
    let at = PAIRS.iter().position(|pair| pair.handle == handle)?;
    Some((BASIC.len() + at, &PAIRS[at]))
}

/// The operation of a handle; `MPI_REPLACE` and `MPI_NO_OP` are for one-sided calls only.
pub fn reduce_op(handle: i32) -> Option<ReduceOp> {
    Some(match handle.checked_sub(0x5800_0000)? {
        1 => ReduceOp::Maximum,
        2 => ReduceOp::Minimum,
        3 => ReduceOp::Sum,
        4 => ReduceOp::Product,
        5 => ReduceOp::LogicalAnd,
        6 => ReduceOp::BitAnd,
        7 => ReduceOp::LogicalOr,
        8 => ReduceOp::BitOr,
        9 => ReduceOp::LogicalXor,
        10 => ReduceOp::BitXor,
        11 => ReduceOp::MinimumLocation,
        12 => ReduceOp::MaximumLocation,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_handle_finds_its_own_row() {
        for (at, row) in BASIC.iter().chain(PAIRS).enumerate() {
            assert_eq!(find(row.handle), Some((at, row)), "{:#x}", row.handle);
            assert!(row.extent >= row.size(), "{:#x}", row.handle);
        }
        assert_eq!(find(0x0c00_0000), None);
        assert_eq!(find(0x4c00_0805), None);
    }
}
