//! Some ranks of a program, each run alone, a few at a time: the run's folder stays, with what the ranks
//! have left there for each other, and the program is started anew for each few.

use super::launch::{RunEnvironment, recordings};
use super::supervision::Ranks;
use super::{Launch, RunError};
use crate::{solo, termination};
use base_data::rank_recording::RankRecording;

/// A run of ranks that are alone.
pub struct SoloRanks<'a> {
    launch: &'a Launch<'a>,
    place: RunEnvironment,
}

impl<'a> SoloRanks<'a> {
    /// Nothing runs yet.
    ///
    /// # Errors
    ///
    /// [`RunError::Setup`] if the launch cannot be carried out, or not with ranks that are alone.
    pub fn new(launch: &'a Launch<'a>) -> Result<Self, RunError> {
        Ok(Self {
            launch,
            place: RunEnvironment::new(launch)?,
        })
    }

    /// What these ranks leave, in their order. One that was run before is not run again.
    ///
    /// # Errors
    ///
    /// As [`super::run`].
    pub fn run(&mut self, ranks: &[u32]) -> Result<Vec<RankRecording>, RunError> {
        let folder = self.place.folder.path();
        let is_new = |rank: &&u32| !termination::recording_path(folder, **rank).exists();
        let new: Vec<u32> = ranks.iter().filter(is_new).copied().collect();
        if !new.is_empty() {
            termination::write(&solo::selected_ranks_path(folder), &new)
                .map_err(|e| RunError::setup("cannot write into the run's folder", e))?;
            self.run_new(new.len() as u32)?;
        }
        recordings(self.launch, folder, ranks.iter().copied())
    }

    fn run_new(&self, count: u32) -> Result<(), RunError> {
        let folder = self.place.folder.path();
        let mut ranks = Ranks::new(folder).map_err(|e| RunError::setup("cannot make a pipe", e))?;
        let starter = self.place.starter(self.launch);
        starter.start(0, &mut ranks)?;
        let refused = |_: &mut Ranks| Err(super::supervision::init_not_called());
        let ended = ranks.wait(&self.place.segment, folder, self.launch, count, refused);
        ended.map_err(|error| {
            if self.launch.interrupted() {
                RunError::Interrupted
            } else {
                error
            }
        })
    }
}
