//! What this process has used of the computer, asked of the system: the C library's function would be the MPI library's own, which shows
//! virtual times.

/// Processor times, page faults and peak memory of this process so far.
pub fn of_process() -> libc::rusage {
    // SAFETY: the structure has integer members only, for which zero is valid; the call fills it in.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::syscall(libc::SYS_getrusage, libc::RUSAGE_SELF, &raw mut usage);
        usage
    }
}
