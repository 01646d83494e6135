//! All ranks on one processor: one runs at a time anyway, and handing the token to a rank on
//! another, idle processor takes that one's wake-up, several times what a switch takes here.
//!
//! A rank with threads of its own keeps all processors: its threads are to run together.

use crate::process::Process;
use std::ffi::CStr;
use token_runtime::environment::PIN;
use token_runtime::kernel::layout::header;

/// Entries of the OpenMP libraries: programs that have them make threads later.
const OPENMP: [&CStr; 2] = [c"GOMP_parallel", c"__kmpc_fork_call"];

/// The processors a process may run on.
#[derive(Clone, Copy)]
pub struct Allowed(libc::cpu_set_t);

/// Binds this rank, which has the token, to the processor of the first rank that had it. Gives the
/// processors it could run on before; `None` if it was not bound.
pub fn bind(process: &Process) -> Option<Allowed> {
    if process.ranks == 1 || std::env::var(PIN).is_ok_and(|value| value == "0") || has_threads() {
        return None;
    }
    let memory = process.memory();
    if memory.get(header::PROCESSOR) == 0 {
        // SAFETY: asks for a number.
        let processor = unsafe { libc::sched_getcpu() };
        memory.set(header::PROCESSOR, u64::try_from(processor).ok()? + 1);
    }
    let processor = memory.get(header::PROCESSOR) as usize - 1;
    // SAFETY: all zeros is the empty set; the functions write within the sets they are given, and
    // the number of a processor of this computer is within them.
    unsafe {
        let mut before: libc::cpu_set_t = std::mem::zeroed();
        let mut one: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(processor, &mut one);
        let size = size_of::<libc::cpu_set_t>();
        let done =
            libc::sched_getaffinity(0, size, &mut before) == 0 && libc::sched_setaffinity(0, size, &one) == 0;
        done.then_some(Allowed(before))
    }
}

/// Lets this process run everywhere again.
pub fn release(allowed: Option<Allowed>) {
    if let Some(Allowed(before)) = allowed {
        // SAFETY: the set is one that the system gave.
        unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &before) };
    }
}

fn has_threads() -> bool {
    let started = std::fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() > 1);
    let one = std::env::var("OMP_NUM_THREADS").is_ok_and(|number| number == "1");
    // SAFETY: the names end with zero bytes; looking up a symbol changes nothing.
    let openmp =
        || OPENMP.iter().any(|name| unsafe { !libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()).is_null() });
    started || !one && openmp()
}
