//! Processor affinity of a process. Ranks of which one runs at a time are bound to one processor:
//! waking a rank on another, idle one takes several times what a switch takes, and caches stay warm.

use std::ffi::CStr;
use std::os::unix::fs::MetadataExt;

/// Entries of the OpenMP libraries: programs that have them make threads later.
const OPENMP: [&CStr; 2] = [c"GOMP_parallel", c"__kmpc_fork_call"];

/// The processors a process may run on.
#[derive(Clone, Copy)]
pub struct Allowed(libc::cpu_set_t);

/// The processor that this thread is on.
pub fn here() -> Option<u32> {
    // SAFETY: the call takes no addresses and returns a number.
    u32::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// Binds this thread, and those it makes, to a processor of this computer. Gives those it could run
/// on before; `None` if it may not run there.
pub fn bind(processor: u32) -> Option<Allowed> {
    // SAFETY: all zeros is the empty set; the functions write within the sets they are given, and
    // the number of a processor of this computer is within them.
    unsafe {
        let mut before: libc::cpu_set_t = std::mem::zeroed();
        let mut one: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(processor as usize, &mut one);
        let size = size_of::<libc::cpu_set_t>();
        let done = libc::sched_getaffinity(0, size, &mut before) == 0
            && libc::sched_setaffinity(0, size, &one) == 0;
        if done { Some(Allowed(before)) } else { None }
    }
}

/// Lets this thread run again where it could before.
pub fn release(Allowed(before): Allowed) {
    // SAFETY: the set is one that the system gave.
    unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &before) };
}

/// Threads of this process now.
pub fn threads() -> u64 {
    // Two links of the folder are its own.
    std::fs::metadata("/proc/self/task").map_or(1, |folder| folder.nlink().saturating_sub(2))
}

/// Whether the process has threads or is likely to make some: they are to run together.
pub fn has_threads() -> bool {
    let started = threads() > 1;
    let one = std::env::var("OMP_NUM_THREADS").is_ok_and(|number| number == "1");
    let is_loaded = |name: &&std::ffi::CStr| {
        // SAFETY: a `CStr` ends with a zero byte, and looking up a symbol runs no code of the library.
        let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        !symbol.is_null()
    };
    started || !one && OPENMP.iter().any(is_loaded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn processors(Allowed(set): &Allowed) -> i32 {
        // SAFETY: counts.
        unsafe { libc::CPU_COUNT(set) }
    }

    #[test]
    fn bound_thread_stays_on_its_processor_until_release() {
        let processor = here().unwrap();
        let all = bind(processor).unwrap();
        assert_eq!(here(), Some(processor));
        assert_eq!(bind(processor).map(|one| processors(&one)), Some(1));
        release(all);
        assert_eq!(
            bind(processor).map(|again| processors(&again)),
            Some(processors(&all))
        );
        release(all);
    }
}
