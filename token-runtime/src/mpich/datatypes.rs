//! Datatype and operation handles: what they stand for. The low byte of a basic
//! type's handle is its number, the byte above its size; pairs of unequal types have their own.

use crate::kernel::reduction::Arithmetic;
use base_data::mpi::{BasicDatatype, Datatype, ReduceOp};

/// A predefined datatype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predefined {
    /// Its handle.
    pub handle: i32,
    /// The standard's name of it, which every MPI library has.
    pub name: &'static str,
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

    /// What value and index of a pair are.
    pub fn parts(&self) -> Option<(BasicDatatype, BasicDatatype)> {
        let Pair(value, index) = self.basic else {
            return None;
        };
        let (real_value, real_index) = match self.name {
            "MPI_2REAL" | "MPI_2DOUBLE_PRECISION" => (true, true),
            "MPI_FLOAT_INT" | "MPI_DOUBLE_INT" | "MPI_LONG_DOUBLE_INT" => (true, false),
            _ => (false, false),
        };
        let part = |is_real, bytes| if is_real { Real(bytes) } else { Integer(bytes) };
        Some((part(real_value, value), part(real_index, index)))
    }

    /// As the recording writes it.
    pub fn canonical(&self) -> Datatype {
        Datatype {
            extent: self.extent as i64,
            ..Datatype::basic(self.basic)
        }
    }
}

macro_rules! table {
    ($($handle:literal $name:literal $basic:expr, $arithmetic:ident;)+) => {
        &[$(Predefined {
            handle: $handle as u32 as i32,
            name: $name,
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
    0x4c00_0101 "MPI_CHAR" Character, I8;
    0x4c00_0118 "MPI_SIGNED_CHAR" Integer(1), I8;
    0x4c00_0102 "MPI_UNSIGNED_CHAR" Unsigned(1), U8;
    0x4c00_010d "MPI_BYTE" Byte, Bytes;
    0x4c00_040e "MPI_WCHAR" Unsigned(4), None;
    0x4c00_0203 "MPI_SHORT" Integer(2), I16;
    0x4c00_0204 "MPI_UNSIGNED_SHORT" Unsigned(2), U16;
    0x4c00_0405 "MPI_INT" Integer(4), I32;
    0x4c00_0406 "MPI_UNSIGNED" Unsigned(4), U32;
    0x4c00_0807 "MPI_LONG" Integer(8), I64;
    0x4c00_0808 "MPI_UNSIGNED_LONG" Unsigned(8), U64;
    0x4c00_040a "MPI_FLOAT" Real(4), F32;
    0x4c00_080b "MPI_DOUBLE" Real(8), F64;
    0x4c00_100c "MPI_LONG_DOUBLE" Real(16), F80;
    0x4c00_0809 "MPI_LONG_LONG_INT" Integer(8), I64;
    0x4c00_0819 "MPI_UNSIGNED_LONG_LONG" Unsigned(8), U64;
    0x4c00_010f "MPI_PACKED" Byte, None;
    0x4c00_0816 "MPI_2INT" Pair(4, 4), PairI32;
    0x4c00_0137 "MPI_INT8_T" Integer(1), I8;
    0x4c00_0238 "MPI_INT16_T" Integer(2), I16;
    0x4c00_0439 "MPI_INT32_T" Integer(4), I32;
    0x4c00_083a "MPI_INT64_T" Integer(8), I64;
    0x4c00_013b "MPI_UINT8_T" Unsigned(1), U8;
    0x4c00_023c "MPI_UINT16_T" Unsigned(2), U16;
    0x4c00_043d "MPI_UINT32_T" Unsigned(4), U32;
    0x4c00_083e "MPI_UINT64_T" Unsigned(8), U64;
    0x4c00_013f "MPI_C_BOOL" Logical(1), LogicalByte;
    0x4c00_0840 "MPI_C_FLOAT_COMPLEX" Complex(8), C32;
    0x4c00_1041 "MPI_C_DOUBLE_COMPLEX" Complex(16), C64;
    0x4c00_2042 "MPI_C_LONG_DOUBLE_COMPLEX" Complex(32), C80;
    0x4c00_0133 "MPI_CXX_BOOL" Logical(1), LogicalByte;
    0x4c00_0834 "MPI_CXX_FLOAT_COMPLEX" Complex(8), C32;
    0x4c00_1035 "MPI_CXX_DOUBLE_COMPLEX" Complex(16), C64;
    0x4c00_2036 "MPI_CXX_LONG_DOUBLE_COMPLEX" Complex(32), C80;
    0x4c00_0246 "MPIX_C_FLOAT16" Real(2), None;
    0x4c00_0843 "MPI_AINT" Integer(8), I64;
    0x4c00_0844 "MPI_OFFSET" Integer(8), I64;
    0x4c00_0845 "MPI_COUNT" Integer(8), I64;
    // Fortran
    0x4c00_081e "MPI_COMPLEX" Complex(8), C32;
    0x4c00_1022 "MPI_DOUBLE_COMPLEX" Complex(16), C64;
    0x4c00_041d "MPI_LOGICAL" Logical(4), Logical;
    0x4c00_041c "MPI_REAL" Real(4), F32;
    0x4c00_081f "MPI_DOUBLE_PRECISION" Real(8), F64;
    0x4c00_041b "MPI_INTEGER" Integer(4), I32;
    0x4c00_0820 "MPI_2INTEGER" Pair(4, 4), PairI32;
    0x4c00_0821 "MPI_2REAL" Pair(4, 4), PairF32;
    0x4c00_1023 "MPI_2DOUBLE_PRECISION" Pair(8, 8), PairF64;
    0x4c00_011a "MPI_CHARACTER" Character, I8;
    0x4c00_0427 "MPI_REAL4" Real(4), F32;
    0x4c00_0829 "MPI_REAL8" Real(8), F64;
    0x4c00_102b "MPI_REAL16" Real(16), F128;
    0x4c00_0828 "MPI_COMPLEX8" Complex(8), C32;
    0x4c00_102a "MPI_COMPLEX16" Complex(16), C64;
    0x4c00_202c "MPI_COMPLEX32" Complex(32), C128;
    0x4c00_012d "MPI_INTEGER1" Integer(1), I8;
    0x4c00_022f "MPI_INTEGER2" Integer(2), I16;
    0x4c00_0430 "MPI_INTEGER4" Integer(4), I32;
    0x4c00_0831 "MPI_INTEGER8" Integer(8), I64;
};

/// Handle of `MPI_BYTE`.
pub const BYTE: i32 = 0x4c00_010d;
/// Handle of `MPI_INT`.
pub const INT: i32 = 0x4c00_0405;
/// Handle of `MPI_INT64_T`.
pub const INT64: i32 = 0x4c00_083a;
/// What the handles of reduction operations count from; 1 is the first.
pub const OPERATIONS: i32 = 0x5800_0000;

macro_rules! pair {
    ($handle:literal $name:literal, $value:literal, $index:literal, $arithmetic:ident, $extent:literal) => {
        Predefined {
            handle: $handle as u32 as i32,
            name: $name,
            basic: Pair($value, $index),
            arithmetic: Arithmetic::$arithmetic,
            extent: $extent,
        }
    };
}

/// Pairs of unequal C types, padded as C structures are.
pub static PAIRS: &[Predefined] = &[
    pair!(0x8c00_0000u32 "MPI_FLOAT_INT", 4, 4, PairF32I32, 8),
    pair!(0x8c00_0001u32 "MPI_DOUBLE_INT", 8, 4, PairF64I32, 16),
    pair!(0x8c00_0002u32 "MPI_LONG_INT", 8, 4, PairI64I32, 16),
    pair!(0x8c00_0003u32 "MPI_SHORT_INT", 2, 4, PairI16I32, 8),
    pair!(0x8c00_0004u32 "MPI_LONG_DOUBLE_INT", 16, 4, PairF80I32, 32),
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

/// The datatype with this name of the standard's.
pub fn named(name: &str) -> Option<&'static Predefined> {
    BASIC
        .iter()
        .chain(PAIRS)
        .find(|predefined| predefined.name == name)
}

/// Types of the value and of the index of pairs, and the pairs.
const VALUE_INDEX: &[(&str, &str, &str)] = &[
    ("MPI_FLOAT", "MPI_INT", "MPI_FLOAT_INT"),
    ("MPI_DOUBLE", "MPI_INT", "MPI_DOUBLE_INT"),
    ("MPI_LONG", "MPI_INT", "MPI_LONG_INT"),
    ("MPI_SHORT", "MPI_INT", "MPI_SHORT_INT"),
    ("MPI_LONG_DOUBLE", "MPI_INT", "MPI_LONG_DOUBLE_INT"),
    ("MPI_INT", "MPI_INT", "MPI_2INT"),
    ("MPI_REAL", "MPI_REAL", "MPI_2REAL"),
    (
        "MPI_DOUBLE_PRECISION",
        "MPI_DOUBLE_PRECISION",
        "MPI_2DOUBLE_PRECISION",
    ),
    ("MPI_INTEGER", "MPI_INTEGER", "MPI_2INTEGER"),
];

/// The pair of a value and an index with these handles, if there is one.
pub fn pair_of(value: i32, index: i32) -> Option<&'static Predefined> {
    let (value, index) = (find(value)?.1.name, find(index)?.1.name);
    let row = VALUE_INDEX
        .iter()
        .find(|row| (row.0, row.1) == (value, index))?;
    named(row.2)
}

/// The operation of a handle; `MPI_REPLACE` and `MPI_NO_OP` are for one-sided calls only.
pub fn reduce_op(handle: i32) -> Option<ReduceOp> {
    Some(match handle.checked_sub(OPERATIONS)? {
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
    fn every_handle_finds_its_datatype() {
        for (at, row) in BASIC.iter().chain(PAIRS).enumerate() {
            assert_eq!(find(row.handle), Some((at, row)), "{:#x}", row.handle);
            assert_eq!(named(row.name), Some(row));
            assert!(row.extent >= row.size(), "{:#x}", row.handle);
        }
        assert_eq!(find(0x0c00_0000), None);
        assert_eq!(find(0x4c00_0805), None);
    }
}
