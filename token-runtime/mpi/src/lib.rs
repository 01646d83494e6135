//! The MPI library of the token runtime: the C and Fortran entries of the MPICH ABI for every
//! function that the table of MPI functions marks as supported, and the entries of the probes.
//!
//! Functions of MPI that it does not have yet are there, too, and end the run with their name
//! (`entries::missing`).
//!
//! It is loaded before all other libraries (`interposed`), and knows whether its process is a rank (`ownership`).
//!
//! All unsafe code of the runtime is here: mapping the shared memory (`segment`), sleeping in
//! futexes (`token`), reading the program's arguments and buffers (`arguments`, `segment`), and the
//! C symbols themselves (`entries`, `probes`). Every entry goes through `guard`: no panic leaves
//! it. What happens inside is decided by the state machines of `token_runtime::kernel`.
//!
//! The crate is never linked by Rust code: its symbols would capture another MPI's.

mod allocations;
mod alone;
mod arguments;
mod arrivals;
mod attributes;
mod collectives;
mod communicators;
mod completion;
mod conditions;
mod datatypes;
mod dividing;
mod entries;
mod error_codes;
mod errors;
mod failure;
mod fed;
mod fork;
mod forkable;
mod generalized;
mod groups;
mod guard;
mod handles;
mod info;
mod interposed;
mod local;
mod lone_ranks;
mod looking;
mod managing;
mod memo;
mod memory;
mod mpi_constants;
mod objects;
mod open_loops;
mod other_mpi;
mod ownership;
mod parallel_regions;
mod placement;
mod polling;
mod probes;
mod process;
mod program_clocks;
mod receives;
mod repeats;
mod request_status;
mod requests;
mod segment;
mod send_buffers;
mod sends;
mod sessions;
mod special_addresses;
mod stack;
mod start;
mod statuses;
mod stream;
mod threads;
mod token;
mod topologies;
mod transfers;
mod warnings;

use native::own_memory::OwnMemory;

/// The program's heap is the program's.
#[global_allocator]
static MEMORY: OwnMemory = OwnMemory;
