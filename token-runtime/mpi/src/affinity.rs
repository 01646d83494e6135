//! All ranks on one processor: one runs at a time anyway. A rank with threads of its own keeps all
//! processors: its threads are to run together.

use crate::process::Process;
use native::affinity::{self, Allowed};
use token_runtime::environment::PIN;
use token_runtime::kernel::layout::header;

/// Binds this rank, which has the token, to the processor of the first rank that had it. Gives the
/// processors it could run on before; `None` if it was not bound.
pub fn bind(process: &Process) -> Option<Allowed> {
    if process.ranks == 1
        || process.solo_rank.is_some()
        || std::env::var(PIN).is_ok_and(|value| value == "0")
        || affinity::has_threads()
    {
        return None;
    }
    let memory = process.memory();
    if memory.get(header::PROCESSOR) == 0 {
        memory.set(header::PROCESSOR, u64::from(affinity::here()?) + 1);
    }
    affinity::bind(u32::try_from(memory.get(header::PROCESSOR) - 1).ok()?)
}
