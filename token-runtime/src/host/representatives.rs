//! Representatives: ranks that measure one after the other, each with no other rank beside it. The run's
//! shared memory stays, so that each rank finds its own place there; what they are fed lies in a folder of
//! its own, which is there before and after.

use super::launch::{Place, recordings, told};
use super::watch::Ranks;
use super::{Launch, RunError};
use crate::{ending, feeding};
use base_data::program_data::Variant;
use base_data::rank_recording::RankRecording;
use std::path::Path;

/// Measuring, rank by rank.
pub struct Measuring<'a> {
    launch: &'a Launch<'a>,
    place: Place,
}

impl<'a> Measuring<'a> {
    /// Nothing runs yet.
    ///
    /// # Errors
    ///
    /// [`RunError::Setup`] if the launch cannot be carried out.
    pub fn new(launch: &'a Launch<'a>) -> Result<Self, RunError> {
        Ok(Self { launch, place: Place::new(launch)? })
    }

    /// What a rank measures; its loops do not go on for the sake of variants that are known.
    ///
    /// # Errors
    ///
    /// [`RunError::NotAlone`] if it comes to a call that takes other ranks, else as [`super::run`].
    pub fn run(&mut self, rank: u32, known: &[Variant]) -> Result<RankRecording, RunError> {
        let folder = self.place.folder.path();
        let feed = self.launch.feed.as_deref().unwrap_or(folder);
        leave_known(feed, known)?;
        let mut ranks = Ranks::from(rank, folder).map_err(|e| RunError::setup("cannot make a pipe", e))?;
        self.place.starter(self.launch).start(rank, &mut ranks)?;
        let refused = |_: &mut Ranks| Err(super::watch::never_called());
        let ended = ranks.wait(&self.place.segment, folder, self.launch, 1, refused);
        ended.map_err(|error| match self.launch.interrupted() {
            true => RunError::Interrupted,
            false => told(error, "", self.place.segment.has_cut()),
        })?;
        let left = recordings(self.launch, folder, std::iter::once(rank))?.into_iter().next();
        left.ok_or_else(|| RunError::Program(format!("rank {rank} left no recording")))
    }
}

fn leave_known(feed: &Path, known: &[Variant]) -> Result<(), RunError> {
    ending::write(&feeding::known_path(feed), &known.to_vec())
        .map_err(|e| RunError::setup("cannot write into the folder that ranks are fed from", e))
}
