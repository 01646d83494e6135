//! What the MPI library and the observer need of the machine beneath them: the cycle counter, the
//! counter of statements, the places their entries are called from, the objects a process has
//! loaded, symbols of the program, the processors it runs on, memory apart from the program's,
//! pages that are missing.
//!
//! Unsafe code is allowed here, so that it stands once. No MPI function lives here, nor anything
//! that knows what is recorded.

pub mod affinity;
pub mod cycle_clock;
pub mod entry;
pub mod fortran;
pub mod loaded_objects;
pub mod page_faults;
pub mod private_heap;
pub mod resource_usage;
pub mod run_queue;
pub mod statement_clock;
pub mod system_clock;
