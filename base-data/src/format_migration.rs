//! What files of older versions lack: put in where it stands today, empty. Which versions are read at all is in
//! [`crate::file_contents`].

use crate::block_table::{BlockTable, SourceSpan};
use crate::compute_data::Unit;
use crate::explanation::Explanation;
use crate::format::encoded;
use crate::ids::{BlockId, CallSiteId};
use crate::mpi::Datatype;
use crate::program_data::{
    Allocation, Assumption, Communicator, Formula, RankClass, RecordMethod, RequestedMemory,
    TimeDependentPlace, Variant,
};
use crate::provenance::Provenance;
use serde::de::DeserializeOwned;

/// Program data before version 5, field by field.
type ProgramDataBefore5 = (
    (
        Provenance,
        u32,
        RecordMethod,
        BlockTable,
        Vec<Variant>,
        Vec<Datatype>,
        Vec<Communicator>,
        Vec<Vec<i64>>,
    ),
    (
        Vec<Vec<Vec<u64>>>,
        Vec<Formula>,
        Vec<Vec<CallSiteId>>,
        Vec<RankClass>,
        Option<SourceSpan>,
    ),
    (
        Vec<Assumption>,
        Vec<TimeDependentPlace>,
        Vec<Allocation>,
        Option<(u64, u64)>,
    ),
);

/// Version 5 added requested memory, at the end.
pub(crate) fn with_memory_at_end(version: u32, mut content: Vec<u8>) -> Vec<u8> {
    if version < 5 {
        content.extend(no_memory());
    }
    content
}

/// Version 3 added the explanation of an estimate, at the end, and version 5 which blocks do not follow their work
/// terms; its program data are within.
pub(crate) fn estimate(version: u32, mut content: Vec<u8>) -> Option<Vec<u8>> {
    // In the order of the versions: each adds behind what the one before has added.
    if version < 3 {
        content.extend(encoded(&Explanation::default()));
    }
    if version < 5 {
        content.extend(encoded(&Vec::<BlockId>::new()));
    }
    with_memory_after::<(Provenance, Unit, ProgramDataBefore5)>(version, content)
}

/// Program data come first in it.
pub(crate) fn observation(version: u32, content: Vec<u8>) -> Option<Vec<u8>> {
    with_memory_after::<ProgramDataBefore5>(version, content)
}

fn no_memory() -> Vec<u8> {
    encoded(&Vec::<RequestedMemory>::new())
}

fn with_memory_after<T: DeserializeOwned>(version: u32, mut content: Vec<u8>) -> Option<Vec<u8>> {
    if version < 5 {
        // Only the old type knows where its bytes end.
        let (_, rest) = postcard::take_from_bytes::<T>(&content).ok()?;
        let end = content.len() - rest.len();
        // Postcard writes fields in sequence without names or lengths, so an added field is inserted bytes.
        content.splice(end..end, no_memory());
    }
    Some(content)
}
