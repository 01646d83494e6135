//! Fortran MPI sources to blocks and slice: `analyze(&Sources, …) -> Analysis`, from data to data.
//!
//! The frontend depends neither on times, nor on probes, nor on files: sources arrive as bytes, included
//! files through a loader. It never fails on code; it reports diagnostics.
#![forbid(unsafe_code)]

mod analysis_diagnostics;
mod assumptions;
mod blocks;
pub mod c;
mod dataflow;
mod effects;
mod expressions;
mod fortran;
mod graphs;
mod io;
pub mod ir;
pub mod language;
mod memory;
mod nondeterminism;
pub mod options;
mod pipeline;
mod slice;
pub mod source;
mod work;

pub use ir::analysis;
pub use ir::conjuncts;
pub use ir::line_markers;
#[cfg(feature = "mutations")]
pub use ir::rules;
pub use ir::source_map;
pub use source::diagnostics;
pub use source::directives;
pub use source::parse_statistics;
pub use work::trip_count_calls;

pub use ir::analysis::Analysis;
pub use options::Options;
pub use pipeline::{Stage, analyze, analyze_by_stage, slice_share};
