//! Fortran MPI sources to blocks and slice: `analyze(&Sources, …) -> Analysis`, from data to data.
//!
//! The frontend has never heard of time, of probes or of files: sources arrive as bytes, included
//! files through a loader. It never fails on code; it reports diagnostics.
#![forbid(unsafe_code)]

pub mod analysis;
pub mod diagnostics;
mod fortran;
pub mod ir;
pub mod language;
pub mod source;
pub mod source_map;

pub use analysis::Analysis;
