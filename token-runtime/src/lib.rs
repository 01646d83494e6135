//! Runs the ranks of an MPI program in turn on one processing unit, and records or measures them.
//!
//! `host` starts, watches and ends the ranks; `kernel` is the state of all messages in shared
//! memory as pure state machines; `recorder` and `measure` are what a rank keeps of itself;
//! `solo` is what ranks leave for each other that run one by one;
//! `confidence` is how well means are known, `linear_model` whether they follow work terms; `classes` and `compute` merge what the ranks left into base data, `co_run` what copies measured at once, `virtual_recording` makes it of some ranks; `topology` is what
//! communicators know of neighbours; `mpich` holds the values of the
//! binary interface that MPI libraries and programs share.
//!
//! This crate contains no unsafe code. The package in `mpi/` is the MPI library: it maps the memory, sleeps in
//! futexes and copies the program's buffers. `native/` contains what depends on the machine.
#![forbid(unsafe_code)]

pub mod allocations;
pub mod assumed_conditions;
pub mod classes;
pub mod clock;
pub mod co_run;
pub mod compute;
pub mod confidence;
pub mod datatypes;
pub mod emulation;
pub mod environment;
pub mod event_stream;
pub mod fork_events;
pub mod headers;
pub mod host;
pub mod intern;
mod invariant_loops;
pub mod kernel;
pub mod linear_model;
pub mod measure;
pub mod mpich;
pub mod observed_run;
pub mod recorder;
pub mod replay_input;
pub mod representatives;
pub mod section_call_path;
pub mod solo;
pub mod termination;
pub mod topology;
pub mod virtual_recording;
pub mod warnings;
