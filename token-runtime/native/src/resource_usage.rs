//! What this process has used of the computer, asked of the system: the C library's function would be the MPI library's own, which shows
//! virtual times.

/// Processor times and page faults of this process so far. Its peak memory is [`peak_memory`].
pub fn of_process() -> libc::rusage {
    // SAFETY: the structure has integer members only, for which zero is valid; the call fills it in.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::syscall(libc::SYS_getrusage, libc::RUSAGE_SELF, &raw mut usage);
        usage
    }
}

/// Peak resident memory of this process so far, in bytes.
///
/// Linux keeps `ru_maxrss` over `exec`: it is at least the peak of the process that started this one, such as mpiete after
/// it analysed a large program. `VmHWM` belongs to the address space, which `exec` makes anew.
pub fn peak_memory() -> u64 {
    match std::fs::read_to_string("/proc/self/status") {
        Ok(status) => high_water_mark(&status).unwrap_or_else(peak_since_start),
        // No /proc, or no free file descriptor.
        Err(_) => peak_since_start(),
    }
}

/// The upper limit that the system knows without /proc.
fn peak_since_start() -> u64 {
    of_process().ru_maxrss as u64 * 1024
}

/// `VmHWM` of a process in bytes.
fn high_water_mark(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn high_water_mark_is_read_in_kibibytes() {
        let status = "Name:\tlu\nVmPeak:\t  900 kB\nVmHWM:\t   20 kB\nThreads:\t1\n";
        assert_eq!(high_water_mark(status), Some(20 * 1024));
        assert_eq!(high_water_mark("Name:\tlu\n"), None);
    }
}
