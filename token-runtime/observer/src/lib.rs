//! The recorder as a layer over any real MPI: it stands before the MPI library (by `LD_PRELOAD`, or
//! linked before it), lets every call through, and writes down what was called and how long it and
//! the computation before it took.
//!
//! `entries` are the symbols the program calls; `entry_lock` lets one call at a time be observed and those
//! that an MPI library makes of its own pass; `calls` reads a call's arguments before and after the
//! real one; `observer` is what a rank keeps; `start` and `output` are the two ends of a run. Which
//! MPI it is (`family`) decides how handles and statuses look.
//!
//! The crate links no MPI and is linked by no Rust code: its symbols would capture another MPI's.

mod calls;
mod collectives;
mod communicators;
mod completion;
#[cfg(test)]
mod coverage_page;
mod datatypes;
mod entries;
mod entry_lock;
mod family;
mod handles;
mod unsupported;
// The build script uses the rest of it.
mod call_cache;
mod mpi;
mod mpi_constants;
mod observer;
mod output;
mod passed_arguments;
mod probes;
mod real_functions;
mod requests;
mod rows;
mod serialised;
mod start;
mod times;
mod transfers;
#[allow(dead_code)]
mod unsupported_functions;

use native::private_heap::OwnMemory;

/// The program's heap is the program's.
#[global_allocator]
static MEMORY: OwnMemory = OwnMemory;
