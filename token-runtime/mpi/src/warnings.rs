//! Warnings of a rank: kept once each, and written to the run's folder for the host, which prints them.

use crate::process::Process;
use token_runtime::warnings::{self, Warning};

/// Warnings of one rank that are kept; more of the same kind add no information.
const MOST: usize = 32;

/// What a rank has warned of.
#[derive(Default)]
pub struct Warnings(Vec<Warning>);

impl Process {
    /// Keeps a warning, unless it is kept already. What cannot be written is not known to the host; the run goes on.
    pub fn warn(&mut self, warning: Warning) {
        let Warnings(kept) = &mut self.warnings;
        if kept.len() >= MOST || kept.contains(&warning) {
            return;
        }
        kept.push(warning);
        if let Some(settings) = &self.settings {
            let _ = warnings::leave(&settings.folder, self.rank, kept);
        }
    }
}
