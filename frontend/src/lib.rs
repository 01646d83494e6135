//! Fortran MPI sources to blocks and slice: `analyze(&Sources, …) -> Analysis`, from data to data.
//!
//! The frontend has never heard of time, of probes or of files: sources arrive as bytes, included
//! files through a loader. It never fails on code; it reports diagnostics.
#![forbid(unsafe_code)]

mod aliased_dummies;
mod aliases;
mod allocations;
pub mod analysis;
mod analyze;
mod answers;
mod any_order;
mod anywhere;
mod asked_conditions;
mod assumed;
mod assumptions;
mod bit_set;
mod blocks;
mod bulk;
mod call_graph;
mod call_weights;
mod callbacks;
mod canonical;
mod carried;
mod changing_loops;
mod changing_work;
mod clock;
mod control;
mod costly_exits;
mod counting;
mod data_branches;
mod data_loops;
mod deciding_expressions;
mod deciding_places;
mod dependence;
pub mod diagnostics;
mod digests;
mod drains;
mod drains_of_some;
#[cfg(test)]
mod dump;
mod effects;
mod ends;
mod epochs;
mod error_exits;
mod file_order;
mod files;
mod finals;
mod flow_graph;
mod fortran;
mod free_units;
mod gather;
mod gathers;
mod invariant;
pub mod ir;
pub mod language;
mod levels;
pub mod line_markers;
mod locations;
pub mod loop_calls;
mod loop_tests;
mod model;
mod needs;
mod offers;
mod open_requests;
pub mod options;
mod ordered_files;
mod outline;
mod parallel_regions;
mod parts;
mod polls;
mod reallocation;
mod reasons;
mod references;
mod remarks;
mod requests;
mod rests;
#[cfg(feature = "mutations")]
pub mod rules;
#[cfg(not(feature = "mutations"))]
mod rules;
mod section;
mod selections;
mod slice;
mod small_cut;
pub mod source;
pub mod source_map;
mod stretch;
mod summaries;
pub mod survey;
mod tables;
mod time_dependence;
mod timed_section;
mod timers;
mod trip_counts;
mod unit_numbers;
mod unit_values;
mod unwanted_values;
mod why_not;
mod wildcards;
mod work_in_any_order;
mod work_terms;

pub use analysis::Analysis;
pub use analyze::analyze;
pub use options::Options;
