//! Emulation: the engine that gives running ranks their virtual times.
//!
//! The engine is the time-ordered replay of estimates ([`crate::estimate`]): a rank's calls are replayed while the rank
//! makes them, so that a message that any call may receive, and a request that any wait may complete, are those of the
//! predicted run. What the ranks leave is an observation ([`crate::import::of_observation`]), whose estimate is that of
//! the run with its split, timeline and causes.

use crate::EstimateError;
use crate::replay::timed::by_time;
use crate::setup::{self, ChosenModel};
use base_data::Time;
use base_data::emulation::{Engine, Submission, Turn};
use machine::Platform;
use machine::network::Sharing;

/// The engine of a run.
#[derive(Debug)]
pub struct Emulation<'p> {
    engine: by_time::Emulation<'p>,
    model: &'static str,
}

impl<'p> Emulation<'p> {
    /// The engine of a run of so many ranks on a platform, under a network model, or the first that the platform has
    /// parameters for.
    ///
    /// # Errors
    /// Links in use without parameters, parameters that make no model, and models whose replay knows no order of
    /// arrivals.
    pub fn new(
        platform: &'p Platform,
        model: Option<&str>,
        ranks: u32,
    ) -> Result<Self, EstimateError> {
        let chosen = ChosenModel::choose(platform, model, ranks)?;
        let network = chosen.network(ranks)?;
        if network.sharing() == Sharing::Processors {
            return Err(EstimateError::NoModel(format!(
                "programs cannot be emulated under model '{}', in which arriving messages interrupt computation; choose \
                 another with --model",
                chosen.name()
            )));
        }
        let rules = setup::rules_of(platform);
        Ok(Self {
            engine: by_time::Emulation::new(platform, network, rules, ranks)?,
            model: chosen.name(),
        })
    }

    /// Name of the network model.
    pub fn model(&self) -> &'static str {
        self.model
    }

    /// When the last rank ended, in virtual time.
    pub fn end(&self) -> Time {
        self.engine.end()
    }
}

impl Engine for Emulation<'_> {
    fn speed(&self, rank: u32) -> f64 {
        self.engine.speed(rank)
    }

    fn node(&self, rank: u32) -> u32 {
        self.engine.node(rank)
    }

    fn submit(&mut self, rank: u32, submission: &Submission) -> Result<(), String> {
        self.engine.submit(rank, submission)
    }

    fn next_turn(&mut self) -> Turn {
        self.engine.next_turn()
    }
}
