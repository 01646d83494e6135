//! Representatives: ranks that measure sequentially, each with no other rank running. The run's
//! shared memory stays, so that each rank finds its own place there; their replay input lies in a folder of
//! its own, which exists before and after.

use super::launch::{RunEnvironment, recordings, with_output};
use super::supervision::Ranks;
use super::{Launch, RunError};
use crate::{replay_input, termination};
use base_data::program_data::Variant;
use base_data::rank_recording::RankRecording;
use std::path::Path;

/// Measuring, rank by rank.
pub struct Measuring<'a> {
    launch: &'a Launch<'a>,
    place: RunEnvironment,
}

impl<'a> Measuring<'a> {
    /// Nothing runs yet.
    ///
    /// # Errors
    ///
    /// [`RunError::Setup`] if the launch cannot be carried out.
    pub fn new(launch: &'a Launch<'a>) -> Result<Self, RunError> {
        Ok(Self {
            launch,
            place: RunEnvironment::new(launch)?,
        })
    }

    /// What a rank measures; its loops do not go on for the sake of variants that are known.
    ///
    /// # Errors
    ///
    /// [`RunError::NeedsOtherRanks`] if it comes to a call that takes other ranks, else as [`super::run`].
    pub fn run(&mut self, rank: u32, known: &[Variant]) -> Result<RankRecording, RunError> {
        let folder = self.place.folder.path();
        let replay_input = self.launch.replay_input.as_deref().unwrap_or(folder);
        leave_known(replay_input, known)?;
        let mut ranks =
            Ranks::from(rank, folder).map_err(|e| RunError::setup("cannot make a pipe", e))?;
        self.place.starter(self.launch).start(rank, &mut ranks)?;
        let refused = |_: &mut Ranks| Err(super::supervision::init_not_called());
        let ended = ranks.wait(&self.place.segment, folder, self.launch, 1, refused);
        ended.map_err(|error| match self.launch.interrupted() {
            true => RunError::Interrupted,
            false => with_output(error, "", self.place.segment.has_cut()),
        })?;
        let left = recordings(self.launch, folder, std::iter::once(rank))?
            .into_iter()
            .next();
        left.ok_or_else(|| RunError::Program(format!("rank {rank} left no recording")))
    }
}

fn leave_known(replay_input: &Path, known: &[Variant]) -> Result<(), RunError> {
    termination::write(
        &replay_input::known_variants_path(replay_input),
        &known.to_vec(),
    )
    .map_err(|e| RunError::setup("cannot write into the folder of the message log", e))
}
