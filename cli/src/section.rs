//! The section in words: which lines, why these, and what to do where they do not run once. Program data keep
//! the reason with how they were made.

use crate::assumption_check::times;
use crate::study::Study;
use base_data::block_table::BlockTable;
use base_data::program_data::ProgramData;
use base_data::provenance::Provenance;
use token_runtime::classes::MergeError;

/// What to do about a section that is not passed exactly once.
pub const REMEDY: &str = "choose another one that every rank executes exactly once, after MPI_Init \
    and before MPI_Finalize, with --section, or the whole run with --whole";

/// Stands between how program data were made and why they have their section.
const REASON: &str = "; the section is ";

/// A reason in parentheses; nothing without one.
pub fn in_parentheses(reason: &str) -> String {
    if reason.is_empty() {
        String::new()
    } else {
        format!(" ({reason})")
    }
}

/// How program data are made, with the reason of their section.
pub fn with_reason(method: &str, reason: &str) -> String {
    if reason.is_empty() {
        method.into()
    } else {
        format!("{method}{REASON}{reason}")
    }
}

/// The section of program data and why it is that; nothing if it is the whole run.
pub fn of_program(data: &ProgramData) -> String {
    let reason = |provenance: &Provenance| {
        provenance
            .method
            .split_once(REASON)
            .map(|(_, reason)| in_parentheses(reason))
            .unwrap_or_default()
    };
    let place = |table: &BlockTable, span| table.place(span);
    data.section
        .as_ref()
        .map(|span| format!("{}{}", place(&data.table, span), reason(&data.provenance)))
        .unwrap_or_default()
}

/// Why recordings of a study cannot be merged: of its section, with its lines.
pub fn merge_error(error: MergeError, study: &Study) -> anyhow::Error {
    let (what, Some(section)) = (&error, &study.section) else {
        return error.into();
    };
    let happened = match what {
        MergeError::SectionNotOnce { rank, begins, ends } => {
            format!(
                "between MPI_Init and MPI_Finalize rank {rank} begins it {} and ends it {}",
                times(*begins),
                times(*ends)
            )
        }
        MergeError::SectionReversed { rank } => {
            format!("rank {rank} reaches its end before its beginning")
        }
        MergeError::NotFinalized(_) | MergeError::Damaged { .. } => return error.into(),
    };
    let place = study.table.place(section);
    anyhow::anyhow!(
        "section {place}{}: {happened}; {REMEDY}",
        in_parentheses(&study.section_reason)
    )
}
