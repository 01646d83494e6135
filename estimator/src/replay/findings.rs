//! Findings of the matching pass, as values and as sentences.

use base_data::CallSiteId;

/// Whether a finding forbids an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The program cannot run like this, or not to its end.
    Error,
    /// The program runs, but probably not as intended.
    Warning,
}

/// Something wrong with the calls of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Whether it forbids an estimate.
    pub severity: Severity,
    /// The call sites involved, the one to look at first in front.
    pub sites: Vec<CallSiteId>,
    /// One sentence, places as file and line.
    pub sentence: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.sentence)
    }
}
