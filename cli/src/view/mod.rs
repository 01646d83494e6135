//! What people see: pure functions from data to text for a terminal, HTML for a browser and JSON
//! for programs.
//!
//! A kind of data becomes a [`document::Document`] once; [`text`] and [`html`] draw any document.
//! Only the page of an estimate is more than that (interval, timeline, ranks). No I/O, no clock
//! and no command-line arguments here: the same data give the same bytes.

pub mod analysis;
pub mod assumptions;
mod blocks;
mod breakdown;
mod call_graph;
mod chart;
pub mod collective;
pub mod comm;
pub mod comparison;
pub mod compute;
mod csv_fields;
mod document;
pub mod estimate;
pub mod estimate_csv;
mod explanation;
pub mod html;
pub mod json;
pub mod meta_costs;
pub mod numbers;
pub mod observation;
mod observation_sums;
pub mod parse_statistics;
pub mod platform;
pub mod program;
mod provenance;
mod study;
pub mod sweep;
mod text;
mod traffic;

pub use study::{study, study_page};

#[cfg(test)]
mod goldens;
#[cfg(test)]
mod samples;
