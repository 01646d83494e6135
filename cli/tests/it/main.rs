//! Tests of the program as a user runs it, and of the house it is built in.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used)]

mod addresses;
mod advised;
mod alignment;
mod alone;
mod any_order;
mod asking;
mod assuming;
mod bad_input;
mod builds;
mod changing;
mod check;
mod clock_reads;
mod co_run;
mod compare;
mod concurrent;
mod convert;
mod counted;
mod coverage;
mod cuts;
mod explaining;
mod frontend_table;
mod heads;
mod help;
mod measuring;
mod memory;
mod moved_study;
mod observe;
mod observe_calls;
mod observe_failures;
mod one_at_a_time;
mod options;
mod program;
mod real_mpi;
mod recorded_calls;
mod reuse;
mod section;
mod surroundings;
mod sweep;
mod taken;
mod threads;
mod tidy;
mod unsliced;
mod variants;
mod verify;
mod virtual_recording;
mod walk;
mod without_source;
