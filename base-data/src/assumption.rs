//! Assumptions: values that a slice assumes instead of computing them.

use crate::block_table::SourceSpan;
use serde::{Deserialize, Serialize};

/// A condition or bound the slice did not compute but took for granted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assumption {
    /// Where the condition or bound stands.
    pub span: SourceSpan,
    /// The assumed value.
    pub outcome: AssumedOutcome,
    /// The data on which it depends, for reports.
    pub reason: String,
    /// Origin of the assumption.
    pub origin: AssumptionOrigin,
}

/// The assumed value of a branch or a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AssumedOutcome {
    /// The branch is taken.
    Taken,
    /// The branch is not taken.
    NotTaken,
    /// The loop makes this many iterations.
    Trips(u64),
    /// Control goes on at this label.
    Label(u32),
}

/// Origin of an assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AssumptionOrigin {
    /// Proposed by the tool, not confirmed.
    Proposed,
    /// Given by the user.
    User,
    /// Taken from a recording.
    Recording,
    /// Seen in a run that was cut off: a lower bound.
    BoundedRun,
}
