//! Memory for what an MPI layer keeps itself, apart from the program's heap: pages of its own from the system, none of the
//! C library's.
//!
//! What a program allocates must find its heap as it is without this library. Where something else lies above
//! what the program frees, the C library does not give the end of the heap back, and each block of the library's own that it frees
//! as a mapping changes what becomes a mapping from then on. Either decides whether pages are there
//! already when the program touches them next, which is most of the time of large temporaries.
//!
//! `MPI_Alloc_mem` allocates from the program's heap, as in other MPI libraries.

use std::sync::Once;

/// The allocator, for a library to declare as its global one.
pub use dlmalloc::GlobalDlmalloc as OwnMemory;

/// Lets a process go on allocating that was forked while another thread did. To be called when the library is loaded.
pub fn survive_forks() {
    static DONE: Once = Once::new();
    // SAFETY: registers handlers that hold the allocator's lock while a process forks; once only.
    DONE.call_once(|| unsafe { dlmalloc::enable_alloc_after_fork() });
}
