//! The MPI library of the token runtime: the C and Fortran entries of the MPICH ABI for every
//! function that the table of MPI functions marks as supported, and the entries of the probes.
//!
//! Functions of MPI that it does not have yet are there, too, and end the run with their name
//! (`entries::missing`).
//!
//! It is loaded before all other libraries (`interposed`), and knows whether its process is a rank (`rank_process`).
//!
//! All unsafe code of the runtime is here: mapping the shared memory (`segment`), sleeping in
//! futexes (`token`), reading the program's arguments and buffers (`arguments`, `segment`), and the
//! C symbols themselves (`entries`, `probes`). Every entry goes through `entry_guard`: no panic leaves
//! it. What happens inside is decided by the state machines of `token_runtime::kernel`.
//!
//! The crate is never linked by Rust code: its symbols would capture another MPI's.

mod affinity;
mod allocations;
mod arguments;
mod assumed_conditions;
mod attributes;
mod call_cache;
mod collectives;
mod communicators;
mod completion;
mod composite_requests;
mod cut_loops;
mod datatypes;
mod emulation;
mod entries;
mod entry_guard;
mod error_codes;
mod errors;
mod event_stream;
mod failure;
mod fork;
mod fork_safety;
mod generalized;
mod groups;
mod handle_tables;
mod handles;
mod info;
mod interposed;
mod invariant_loops;
mod local;
mod memory;
mod message_probe;
mod mpi_constants;
mod other_launcher;
mod other_mpi;
mod parallel_regions;
mod polling;
mod probes;
mod process;
mod program_clocks;
mod random_instructions;
mod rank_process;
mod receive_completion;
mod receives;
mod replay;
mod request_lifecycle;
mod request_status;
mod requests;
mod sampled_tasks;
mod segment;
mod send_buffers;
mod sends;
mod sessions;
mod sliced_blocks;
mod solo;
mod solo_scheduler;
mod special_addresses;
mod stack_overflow;
mod start;
mod statuses;
mod threads;
mod token;
mod topologies;
mod transfers;
mod virtual_clock;
mod warnings;

use native::private_heap::OwnMemory;

/// The program's heap is the program's.
#[global_allocator]
static MEMORY: OwnMemory = OwnMemory;
