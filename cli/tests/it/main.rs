//! Tests of the program as a user runs it, and of the house it is built in.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used)]

mod alignment;
mod assumptions;
mod bad_input;
mod binary_recording;
mod builds;
mod calibrate;
mod check;
mod clock_dependence;
mod co_run;
mod command;
mod compare;
mod concurrent;
mod convert;
mod coverage;
mod datatype_addresses;
mod documents;
mod emulate;
mod evaluated_assumptions;
mod external_procedures;
mod frontend_table;
mod help;
mod iteration_dependent_work;
mod loop_cuts;
mod many_variants;
mod measure;
mod memory;
mod meta;
mod meta_profiling;
mod moved_study;
mod npb_verification;
mod observe;
mod observe_calls;
mod observe_failures;
mod one_at_a_time;
mod option_values;
mod order_independence;
mod other_rank_counts;
mod prologue_blocks;
mod rank_dependent_branches;
mod real_mpi;
mod recorded_calls;
mod run_environment;
mod section;
mod slice_explanations;
mod solo_ranks;
mod statement_clock;
mod suggested_assumptions;
mod sweep;
mod tasks;
mod threads;
mod tidy;
mod virtual_recording;
mod workflow;
