//! Merges the ranks' recordings into program base data: ranks whose streams are equal but for
//! operands form a class; each operand becomes a constant, an expression of the rank, or a table.

pub(crate) mod operands;
pub(crate) mod section;
pub(crate) mod tables;
pub(crate) mod unify;

use base_data::block_table::BlockTable;
use base_data::ids::Rank;
use base_data::program_data::{
    Call, Formula, Op, Peer, ProgramData, RankClass, RecordMethod, RequestedMemory,
    TimeDependentPlace,
};
use base_data::provenance::Provenance;
use base_data::rank_recording::RankRecording;
use base_data::rank_set::RankSet;
use std::collections::{BTreeMap, HashMap};
use tables::SharedTables;
use unify::OperandTables;

/// Why recordings are not program base data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// A rank did not come to its end.
    #[error("rank {0} did not reach MPI_Finalize, so its recording is not whole")]
    NotFinalized(u32),
    /// The section is not executed once.
    #[error(
        "the section must be executed exactly once on every rank: rank {rank} begins it {begins} times and ends it {ends} times; choose lines or a procedure that run once (--section)"
    )]
    SectionNotOnce {
        /// The rank.
        rank: u32,
        /// How often it executes the section's first line.
        begins: u64,
        /// How often it executes the section's end.
        ends: u64,
    },
    /// The section ends before it begins.
    #[error(
        "rank {rank} reaches the end of the section before its beginning; choose lines in the order they are executed (--section)"
    )]
    SectionReversed {
        /// The rank.
        rank: u32,
    },
    /// A recording refers to something it does not hold.
    #[error("the recording of rank {rank} is damaged: {what}")]
    Damaged {
        /// The rank.
        rank: u32,
        /// What is wrong.
        what: &'static str,
    },
}

/// Program base data from the recordings of all ranks, by rank. Calls at places that the block
/// table does not know get call sites of their own at its end, one per place.
///
/// # Errors
///
/// If a rank did not end well, or a marked section is not executed exactly once on every rank.
pub fn merge_program(
    recordings: Vec<RankRecording>,
    table: BlockTable,
    provenance: Provenance,
    method: RecordMethod,
) -> Result<ProgramData, MergeError> {
    for (rank, recording) in (0..).zip(&recordings) {
        if !recording.finalized {
            return Err(MergeError::NotFinalized(rank));
        }
    }
    section::check((0..).zip(recordings.iter().map(|recording| &recording.stream[..])))?;
    let ranks = recordings.len() as u32;
    let requested = requested_memory(&recordings);
    let mut shared = SharedTables::new(table, &provenance, ranks);
    let mut streams = Vec::with_capacity(recordings.len());
    for (rank, recording) in (0..).zip(recordings) {
        streams.push(shared.adopt(rank, recording)?);
    }
    let mut tables = OperandTables::default();
    let classes = classes(&streams, &mut tables);
    let merged = Merged {
        shared,
        classes,
        tables,
        formulas: Vec::new(),
    };
    let mut data = merged.into_data(provenance, ranks, method);
    match method {
        RecordMethod::Sliced | RecordMethod::Virtual => data.requested_memory = requested,
        RecordMethod::Unsliced | RecordMethod::Given => {}
    }
    Ok(data)
}

/// What the ranks of some recordings allocate, those of equal amounts together, by rank.
pub(crate) fn requested_memory(recordings: &[RankRecording]) -> Vec<RequestedMemory> {
    let mut by_bytes: BTreeMap<u64, Vec<Rank>> = BTreeMap::new();
    for (place, recording) in (0..).zip(recordings) {
        let rank = recording.rank.unwrap_or(Rank(place));
        by_bytes
            .entry(recording.requested_memory)
            .or_default()
            .push(rank);
    }
    let together = by_bytes.into_iter();
    together
        .map(|(bytes, ranks)| RequestedMemory {
            ranks: RankSet::from_ranks(ranks),
            bytes,
        })
        .collect()
}

/// What ranks have in common.
pub(crate) struct Merged {
    pub shared: SharedTables,
    pub classes: Vec<RankClass>,
    pub tables: OperandTables,
    pub formulas: Vec<Formula>,
}

impl Merged {
    pub fn into_data(
        self,
        provenance: Provenance,
        ranks: u32,
        method: RecordMethod,
    ) -> ProgramData {
        let (tables, count_tables) = self
            .tables
            .into_tables(&self.shared.count_lists.into_list());
        ProgramData {
            provenance,
            ranks,
            method,
            time_dependent: time_dependent(&self.classes),
            classes: self.classes,
            tables,
            count_tables,
            formulas: self.formulas,
            variants: self.shared.variants.into_list(),
            datatypes: self.shared.datatypes.into_list(),
            communicators: self.shared.communicators.into_list(),
            table: self.shared.table,
            ..ProgramData::default()
        }
    }
}

/// Groups ranks by shape, in order of the first rank of each.
fn classes(streams: &[Vec<Op>], tables: &mut OperandTables) -> Vec<RankClass> {
    let mut by_shape: HashMap<Vec<Op>, usize> = HashMap::new();
    let mut members: Vec<Vec<u32>> = Vec::new();
    for (rank, stream) in (0..).zip(streams) {
        let class = *by_shape
            .entry(operands::shape(stream))
            .or_insert(members.len());
        match members.get_mut(class) {
            Some(class) => class.push(rank),
            None => members.push(vec![rank]),
        }
    }
    let class = |ranks: Vec<u32>| RankClass {
        stream: unify::stream(&ranks, streams, tables),
        ranks: RankSet::from_ranks(ranks.into_iter().map(Rank)),
    };
    members.into_iter().map(class).collect()
}

/// Receives from any source: which message comes first may differ on another machine.
fn time_dependent(classes: &[RankClass]) -> Vec<TimeDependentPlace> {
    let mut places = BTreeMap::new();
    for op in classes.iter().flat_map(|class| &class.stream) {
        if let Op::Call { site, call } = op
            && receives_from_any(call)
        {
            places.insert(*site, "a receive from MPI_ANY_SOURCE".to_string());
        }
    }
    places
        .into_iter()
        .map(|(site, reason)| TimeDependentPlace { site, reason })
        .collect()
}

fn receives_from_any(call: &Call) -> bool {
    match call {
        Call::Receive { transfer, .. }
        | Call::SendReceive {
            receive: transfer, ..
        }
        | Call::Probe { transfer, .. }
        | Call::MakePersistent { transfer, .. } => transfer.peer == Peer::Any,
        Call::Init
        | Call::Finalize
        | Call::Abort
        | Call::Send { .. }
        | Call::Wait { .. }
        | Call::Test { .. }
        | Call::StartPersistent { .. }
        | Call::Collective { .. }
        | Call::MakeCommunicator { .. } => false,
    }
}

#[cfg(test)]
mod tests;
