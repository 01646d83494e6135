//! Text about the section: its lines, the reason for them, and the remedy if they do not run exactly once. Program data store the
//! reason in the method of their provenance.

use crate::assumption_check::times;
use crate::study::Study;

use base_data::program_data::ProgramData;

use token_runtime::classes::MergeError;

/// Remedy for a section that is not executed exactly once.
pub const REMEDY: &str = "choose another one that every rank executes exactly once, after MPI_Init \
    and before MPI_Finalize, with --section, or the whole run with --whole";

/// Separates the method of program data from the reason for their section.
const REASON: &str = "; the section is ";

/// A reason in parentheses; nothing without one.
pub fn in_parentheses(reason: &str) -> String {
    if reason.is_empty() {
        String::new()
    } else {
        format!(" ({reason})")
    }
}

/// The method of program data, with the reason for their section.
pub fn with_reason(method: &str, reason: &str) -> String {
    if reason.is_empty() {
        method.into()
    } else {
        format!("{method}{REASON}{reason}")
    }
}

/// The section of program data and its reason; empty for the whole run.
pub fn of_program(data: &ProgramData) -> String {
    let Some(section) = &data.section else {
        return String::new();
    };
    let place = data.table.place(section);
    match data.provenance.method.split_once(REASON) {
        Some((_method, reason)) => place + &in_parentheses(reason),
        None => place,
    }
}

/// The error of a merge, with the lines of the study's section if it concerns the section.
pub fn merge_error(error: MergeError, study: &Study) -> anyhow::Error {
    let Some(section) = &study.section else {
        return error.into();
    };
    let happened = match &error {
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
