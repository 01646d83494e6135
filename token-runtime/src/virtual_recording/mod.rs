//! Virtual recording: the data of all ranks from some of them, each run alone. Streams are taken apart
//! into shapes and values (`streams`); which rank has which shape is a decision tree over its places in
//! grids of ranks (`feature`, `tree`), values are expressions of the rank (`expression`, `fitting`); and
//! ranks are run until nothing contradicts what was made of those before (`search`).
//!
//! `host` and the MPI library execute a rank solo.

mod expression;
mod feature;
mod fitting;
mod generator;
mod model;
mod search;
mod streams;
#[cfg(test)]
mod tests;
mod tree;

use crate::classes::{MergeError, merge_program, requested_memory};
use crate::host::{Launch, RunError, SoloRanks};
use base_data::block_table::BlockTable;
use base_data::program_data::{ProgramData, RecordMethod};
use base_data::provenance::Provenance;
use base_data::rank_recording::RankRecording;
use model::Behaviour;
use search::Ranks;
pub use search::ValidationLevel;
use streams::Streams;

/// Program data, and how many ranks they come from.
#[derive(Clone, Debug)]
pub struct VirtualRecording {
    /// The data of all ranks.
    pub data: ProgramData,
    /// What those left that were run, by rank, without streams and lists.
    pub run: Vec<RankRecording>,
    /// How many of them were run at random only to check what was made of the others; `None` if all ranks
    /// were run.
    pub checked: Option<usize>,
}

/// Why there are none.
#[derive(Clone, Debug, thiserror::Error)]
pub enum VirtualError {
    /// Ranks could not be run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Their recordings cannot be merged into program data.
    #[error(transparent)]
    Merge(#[from] MergeError),
}

/// Records a program from ranks that are run alone. Data of ranks that were not run are checked, see
/// [`VirtualRecording::checked`]: how sure they are
/// is a matter of `validation`.
///
/// # Errors
///
/// As [`crate::host::run`] and [`merge_program`].
pub fn record(
    launch: &Launch<'_>,
    table: BlockTable,
    provenance: Provenance,
    validation: ValidationLevel,
) -> Result<VirtualRecording, VirtualError> {
    let ranks = launch.total_ranks();
    let streams = Streams::new(ranks, table.clone(), &provenance);
    let mut runner = Runner {
        solo_ranks: SoloRanks::new(launch)?,
        streams,
        run: Vec::new(),
    };
    if let Some(found) = search::find(ranks, &mut runner, validation)?
        && !runner.streams.is_ambiguous()
    {
        let merged = runner.streams.into_data(&found.model)?;
        let how = format!(
            ", {} of {ranks} ranks, {} of them to check",
            found.run, found.checked
        );
        let provenance = Provenance {
            method: provenance.method.clone() + &how,
            ..provenance
        };
        runner.run.sort_by_key(|recording| recording.rank);
        let mut data = merged.into_data(provenance, ranks, RecordMethod::Virtual);
        data.requested_memory = requested_memory(&runner.run);
        return Ok(VirtualRecording {
            data,
            run: runner.run,
            checked: Some(found.checked),
        });
    }
    let all: Vec<u32> = (0..ranks).collect();
    let recordings = runner.solo_ranks.run(&all)?;
    let run = recordings.iter().map(without_stream).collect();
    let data = merge_program(recordings, table, provenance, RecordMethod::Virtual)?;
    Ok(VirtualRecording {
        data,
        run,
        checked: None,
    })
}

struct Runner<'a> {
    solo_ranks: SoloRanks<'a>,
    streams: Streams,
    run: Vec<RankRecording>,
}

impl Ranks for Runner<'_> {
    type Error = VirtualError;

    fn run(&mut self, ranks: &[u32]) -> Result<Vec<Behaviour>, VirtualError> {
        let recordings = self.solo_ranks.run(ranks)?;
        self.run.extend(recordings.iter().map(without_stream));
        let adopted = ranks.iter().zip(recordings);
        Ok(adopted
            .map(|(&rank, left)| self.streams.adopt(rank, left))
            .collect::<Result<_, _>>()?)
    }

    fn is_known(&self, rank: u32, does: &Behaviour) -> bool {
        self.streams.is_known(rank, does)
    }
}

/// What a rank left without its stream and the lists that this refers to.
pub fn without_stream(recording: &RankRecording) -> RankRecording {
    RankRecording {
        rank: recording.rank,
        finalized: recording.finalized,
        unit: recording.unit,
        unmarked: recording.unmarked.clone(),
        conditions: recording.conditions.clone(),
        peak_memory: recording.peak_memory,
        requested_memory: recording.requested_memory,
        outside_mpi: recording.outside_mpi,
        cpu: recording.cpu,
        clock_reads: recording.clock_reads,
        ..RankRecording::default()
    }
}
