//! Options of an analysis.

use crate::source::dialect::Dialect;
use base_data::program_data::{AssumedOutcome, AssumptionOrigin};

/// What to look at, and what the user vouches for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Options of the compiler's command line.
    pub dialect: Dialect,
    /// The part of the run to be predicted; `None` for all of it.
    pub section: Option<SectionRequest>,
    /// Names, in any case, of procedures without source that only compute: they call no MPI function and
    /// touch nothing but their array arguments. Others may do anything.
    pub data_only: Vec<String>,
    /// What is assumed of conditions and bounds.
    pub assumptions: Vec<AssumptionRequest>,
    /// What may be assumed beside.
    pub proposals: Proposals,
    /// Whether to look for what could be assumed beside.
    pub suggested_assumptions: bool,
    /// Whether to look for what makes a large slice large.
    pub slice_cause: bool,
    /// Statement for which to report the assumptions that would remove it from the slice.
    pub removal_conditions: Option<LineRequest>,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineRequest {
    /// Path, or its last components, as the user types it.
    pub file: String,
    /// The line, 1-based.
    pub line: u32,
}

/// Which assumptions are made without a user's request; each is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proposals {
    /// None: whatever decides an MPI call is computed.
    None,
    /// Error exits on computed data are not taken.
    #[default]
    ErrorExits,
    /// Also the small cut: tests of computed values that end loops.
    All,
}

/// A user's statement about a condition or bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssumptionRequest {
    /// Path, or its last components, as the user types it.
    pub file: String,
    /// Line where the IF, ELSE IF or loop begins.
    pub line: u32,
    /// What is assumed.
    pub outcome: AssumedOutcome,
    /// Who says so.
    pub origin: AssumptionOrigin,
}

/// The part of the run to be predicted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionRequest {
    /// From line `first` to line `last` of a file, both inclusive, 1-based.
    Lines {
        /// Path, or its last components, as the user types it.
        file: String,
        /// First line.
        first: u32,
        /// Last line.
        last: u32,
    },
    /// The body of this procedure, in any case.
    Procedure(String),
    /// What the program itself times; the whole run where it times nothing that calls MPI.
    Timed,
}
