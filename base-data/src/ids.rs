//! Small typed ids. A dense id (`BlockId`, `CallSiteId`, …) is only an order within one file;
//! what stays the same between files are the keys in [`crate::block_table`].

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! dense_id {
    ($(#[$doc:meta] $name:ident),+ $(,)?) => {$(
        #[$doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into the table that owns it.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of the entry at `index` of its table.
            pub fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("a table never holds 2^32 entries"))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )+};
}

dense_id! {
    /// Index of a block in a [`crate::block_table::BlockTable`].
    BlockId,
    /// Index of a call site in a [`crate::block_table::BlockTable`].
    CallSiteId,
    /// Index of a loop that contains communication in a [`crate::block_table::BlockTable`].
    LoopId,
    /// A rank of the world communicator, 0-based.
    Rank,
    /// Index of a communicator in a program data file; 0 is the world, 1 is self.
    CommId,
    /// Number of a request within its rank: the lowest free one when the request was started.
    RequestId,
    /// Index of a (block, work terms) pair in a program data file.
    VariantId,
    /// Index of a table of per-rank operand values in a program data file.
    TableId,
    /// Index of an operand formula in a program data file.
    FormulaId,
}

impl CommId {
    /// `MPI_COMM_WORLD`.
    pub const WORLD: CommId = CommId(0);
    /// `MPI_COMM_SELF`.
    pub const SELF: CommId = CommId(1);
}

/// A 128-bit digest (XXH3) of a text or of a set of texts. It distinguishes versions; it does not
/// protect against a deliberate collision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub u128);

impl Digest {
    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(xxhash_rust::xxh3::xxh3_128(bytes))
    }

    /// The digest of several parts, each kept apart from the next.
    pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = xxhash_rust::xxh3::Xxh3::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(hasher.digest128())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl std::str::FromStr for Digest {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u128::from_str_radix(text, 16).map(Self)
    }
}

// Text formats (JSON, TOML) show a digest as 32 hexadecimal digits; TOML has no 128-bit integers.
impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            self.0.serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = String::deserialize(deserializer)?;
            text.parse().map_err(serde::de::Error::custom)
        } else {
            u128::deserialize(deserializer).map(Self)
        }
    }
}
