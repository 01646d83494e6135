//! Canonical datatypes and reduction operations: what they are, without any library's handles.

use serde::{Deserialize, Serialize};

/// Type of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BasicDatatype {
    /// Uninterpreted bytes (`MPI_BYTE`, `MPI_PACKED`).
    Byte,
    /// Characters.
    Character,
    /// Signed integers of this many bytes.
    Integer(u8),
    /// Unsigned integers of this many bytes.
    Unsigned(u8),
    /// Floating point of this many bytes.
    Real(u8),
    /// Complex of this many bytes in all.
    Complex(u8),
    /// Logical of this many bytes.
    Logical(u8),
    /// A value of the first kind with an index of the second, as for MAXLOC: bytes of the value's
    /// and of the index's type.
    Pair(u8, u8),
}

impl BasicDatatype {
    /// Bytes of one element.
    pub fn bytes(self) -> u64 {
        u64::from(match self {
            Self::Byte | Self::Character => 1,
            Self::Integer(n)
            | Self::Unsigned(n)
            | Self::Real(n)
            | Self::Complex(n)
            | Self::Logical(n) => n,
            Self::Pair(value, index) => return u64::from(value) + u64::from(index),
        })
    }
}

impl BasicDatatype {
    /// Bytes of one number of an element: a complex one has two.
    pub fn number_bytes(self) -> u64 {
        match self {
            Self::Complex(bytes) => u64::from(bytes / 2),
            Self::Byte
            | Self::Character
            | Self::Integer(_)
            | Self::Unsigned(_)
            | Self::Real(_)
            | Self::Logical(_)
            | Self::Pair(..) => self.bytes(),
        }
    }
}

/// A datatype as its data: runs of basic elements. A basic type is one run of one element.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Datatype {
    /// Runs `(element, how many, displacement in bytes)` in order.
    pub runs: Vec<(BasicDatatype, u64, i64)>,
    /// Distance between consecutive elements of this type in bytes.
    pub extent: i64,
}

impl Datatype {
    /// One basic element.
    pub fn basic(element: BasicDatatype) -> Self {
        Self {
            runs: vec![(element, 1, 0)],
            extent: element.bytes() as i64,
        }
    }

    /// Bytes of data in one element of this type.
    pub fn bytes(&self) -> u64 {
        self.runs
            .iter()
            .map(|(element, count, _)| element.bytes().saturating_mul(*count))
            .fold(0, u64::saturating_add)
    }

    /// The same data contiguously, without gaps.
    pub fn close_together(&self) -> Self {
        let mut runs: Vec<(BasicDatatype, u64, i64)> = Vec::new();
        let mut bytes = 0_i64;
        for &(element, count, _) in &self.runs {
            match runs.last_mut() {
                // Without gaps, neighbouring runs of one element are one run.
                Some((same, number, _)) if *same == element => {
                    *number = number.saturating_add(count)
                }
                _ => runs.push((element, count, bytes)),
            }
            bytes = bytes.saturating_add_unsigned(element.bytes().saturating_mul(count));
        }
        Self {
            runs,
            extent: bytes,
        }
    }
}

/// A reduction operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReduceOp {
    /// Sum.
    Sum,
    /// Product.
    Product,
    /// Maximum.
    Maximum,
    /// Minimum.
    Minimum,
    /// Logical and.
    LogicalAnd,
    /// Logical or.
    LogicalOr,
    /// Logical exclusive or.
    LogicalXor,
    /// Bitwise and.
    BitAnd,
    /// Bitwise or.
    BitOr,
    /// Bitwise exclusive or.
    BitXor,
    /// Maximum with its index.
    MaximumLocation,
    /// Minimum with its index.
    MinimumLocation,
    /// A function of the program's own; whether it commutes.
    User {
        /// Whether its operands may be swapped.
        commutes: bool,
    },
}
