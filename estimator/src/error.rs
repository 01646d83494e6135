//! Why there is no estimate.

use crate::replay::Finding;
use base_data::compute_data::Unit;
use machine::PlatformError;
use machine::network::ModelError;

/// Why there is no estimate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EstimateError {
    /// The program data hold something that this version cannot replay, or that is broken.
    #[error("{place}: {reason}")]
    Program {
        /// File and line of the call, or the name of the program.
        place: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// Calls that do not fit together.
    #[error("{}", list(.0))]
    Matching(Vec<Finding>),
    /// The section to be predicted is not executed exactly once.
    #[error(
        "rank {rank} {what} the section {times} times; choose a section whose first and last line every rank \
         executes once, the first line first"
    )]
    Section {
        /// Rank.
        rank: u32,
        /// `begins` or `ends`.
        what: &'static str,
        /// How often.
        times: u64,
    },
    /// More time than can be counted.
    #[error(
        "rank {rank} takes more than {}, the most that can be counted; look for a number that is too large in \
         the platform, its variation or the compute data",
        most(*.unit)
    )]
    TooLong {
        /// Rank.
        rank: u32,
        /// What is counted.
        unit: Unit,
    },
    /// Compute data that have nothing to do with the program.
    #[error(
        "no executed block of program '{program}' has a time in the compute data ({compute}); measure \
         this program, or give the program data that belong to the compute data"
    )]
    NothingMeasured {
        /// Program of the program data.
        program: String,
        /// Programs of the compute data, as words.
        compute: String,
    },
    /// Compute data of PU types that are of different programs.
    #[error(
        "compute data of the platform's processing units are of different programs: '{first}' and \
        '{second}' have almost no measured block in common; give each [[pu]] compute data of the \
        program that is predicted"
    )]
    OtherProgram {
        /// Program of the first.
        first: String,
        /// Program of the second.
        second: String,
    },
    /// Compute data in another unit than the estimate.
    #[error(
        "compute data of program '{program}' contain {}, expected {}; an estimate uses one kind: \
        measure again, or omit the files of the other kind",
        counted(*.found), counted(*.wanted)
    )]
    OtherUnit {
        /// Program of the compute data.
        program: String,
        /// What they count.
        found: Unit,
        /// Unit of the estimate.
        wanted: Unit,
    },
    /// Compute data of different PUs for the same ranks.
    #[error(
        "compute data of '{first}' and of '{second}' are given for the same ranks; give those of one PU, and name the \
         others in the platform, for the nodes that have such PUs ([[pu]] with compute = \"FILE\")"
    )]
    UnequalPus {
        /// Model of a PU.
        first: String,
        /// Model of another.
        second: String,
    },
    /// The platform does not fit.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// The model does not fit.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// No model has parameters for all links in use.
    #[error("{0}")]
    NoModel(String),
}

fn counted(unit: Unit) -> &'static str {
    match unit {
        Unit::Time => "times",
        Unit::Statements => "counts of statements",
    }
}

fn most(unit: Unit) -> &'static str {
    match unit {
        Unit::Time => "9,000,000 s",
        Unit::Statements => "9 million million million statements",
    }
}

/// Findings as sentences, one a line.
fn list(findings: &[Finding]) -> String {
    findings
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}
