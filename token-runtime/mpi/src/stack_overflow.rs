//! A stack that is full ends a process with no word, since no handler can run on it, and so does shared
//! memory that the system has no room for when it is first written. From `MPI_Init` on a handler with a
//! stack of its own looks whether that is what happened, and says so; any other fault goes where it went
//! before.

use crate::failure::end_run;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use token_runtime::termination::{Termination, TerminationReport};

/// Room for the handler, which writes the report.
const HANDLER_STACK: usize = 256 << 10;
/// Below the stack pointer lies what functions without calls use, above the limit the guard pages.
const SLACK: u64 = 64 << 10;

struct Watch {
    rank: u32,
    folder: PathBuf,
    /// What the signals of [`FAULTS`] did before.
    before: [libc::sigaction; 2],
    /// Highest address of the main thread's stack.
    top: u64,
    /// Addresses of the shared memory.
    shared: Range<u64>,
}

/// What is caught.
const FAULTS: [i32; 2] = [libc::SIGSEGV, libc::SIGBUS];

static WATCH: OnceLock<Watch> = OnceLock::new();
/// Whether a report was begun: a fault in it is not looked at again.
static REPORTING: AtomicU64 = AtomicU64::new(0);

/// From now on a full stack of this thread, the program's first, and shared memory at these addresses that
/// the system has no room for end the run with a sentence.
pub fn watch(rank: u32, folder: PathBuf, shared: Range<u64>) {
    // Its pages are taken when it is used.
    let stack = Box::leak(Box::<[u8]>::new_uninit_slice(HANDLER_STACK));
    // SAFETY: the new stack is never freed; all zeros are valid values of these plain structures, and
    // the calls fill them in; the handler is written for this.
    unsafe {
        let alternative = libc::stack_t {
            ss_sp: stack.as_mut_ptr().cast(),
            ss_flags: 0,
            ss_size: HANDLER_STACK,
        };
        let before = FAULTS.map(|signal| {
            let mut before: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &mut before);
            before
        });
        let watch = Watch {
            rank,
            folder,
            before,
            top: top(),
            shared,
        };
        if WATCH.set(watch).is_err() || libc::sigaltstack(&alternative, std::ptr::null_mut()) != 0 {
            return;
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction =
            on_fault as extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        FAULTS
            .into_iter()
            .for_each(|signal| _ = libc::sigaction(signal, &action, std::ptr::null_mut()));
    }
}

/// The end of the mapping that this function's own frame is in.
fn top() -> u64 {
    let here = 0u8;
    let here = std::ptr::from_ref(&here) as u64;
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let range = |line: &str| {
        let (from, to) = line.split(' ').next()?.split_once('-')?;
        Some((
            u64::from_str_radix(from, 16).ok()?,
            u64::from_str_radix(to, 16).ok()?,
        ))
    };
    maps.lines()
        .filter_map(range)
        .find(|(from, to)| (*from..*to).contains(&here))
        .map_or(0, |(_, to)| to)
}

extern "C" fn on_fault(signal: i32, information: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let Some(watch) = WATCH.get() else { return };
    // SAFETY: the system passes both to a handler of this kind.
    let (fault, pointer) = unsafe { ((*information).si_addr() as u64, stack_pointer(context)) };
    if let Some(sentence) = sentence(watch, signal, fault, pointer)
        && REPORTING.swap(1, Ordering::AcqRel) == 0
    {
        end_run(
            TerminationReport::new(watch.rank, Termination::Failure(sentence.into())),
            Some(&watch.folder),
            true,
        );
    }
    // SAFETY: what was there before. A faulting instruction is run again, and goes there; a signal
    // that another process has sent is sent again.
    unsafe {
        for (fault, before) in FAULTS
            .iter()
            .zip(&watch.before)
            .filter(|(fault, _)| **fault == signal)
        {
            libc::sigaction(*fault, before, std::ptr::null_mut());
        }
        if (*information).si_code <= 0 {
            libc::raise(signal);
        }
    }
}

/// Message for a fault, if it is one of the reported kinds.
fn sentence(watch: &Watch, signal: i32, fault: u64, pointer: Option<u64>) -> Option<&'static str> {
    if signal == libc::SIGBUS {
        return if watch.shared.contains(&fault) {
            Some(
                "the system has no room left for messages that were sent and not received, in memory or on the \
             disk of TMPDIR; choose less with MPIETE_HEAP=BYTES and MPIETE_DISK=BYTES, or another TMPDIR",
            )
        } else {
            None
        };
    }
    pointer
        .filter(|&pointer| is_full(fault, pointer, watch.top, limit()))
        .map(|_| {
            "after this call the program's stack was full; raise its limit (`ulimit -s unlimited`) \
         or put large local arrays elsewhere (gfortran: -fmax-stack-var-size)"
        })
}

/// Whether an access at `fault` was one to a stack that has reached its limit.
fn is_full(fault: u64, pointer: u64, top: u64, limit: u64) -> bool {
    let lowest = top.saturating_sub(limit).saturating_add(SLACK);
    fault < lowest && pointer < top && fault.saturating_add(SLACK) >= pointer
}

fn limit() -> u64 {
    // SAFETY: all zeros is a valid value, and the call fills it in.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        libc::getrlimit(libc::RLIMIT_STACK, &mut limit);
        limit.rlim_cur
    }
}

/// The stack pointer of the interrupted instruction, if we know where it is kept.
///
/// # Safety
///
/// `context` must be what the system passed to a handler.
unsafe fn stack_pointer(context: *mut libc::c_void) -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: the program guarantees what the C library's function requires: each text ends with a zero
        // byte, each list with a null pointer.
        let registers = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
        Some(registers[libc::REG_RSP as usize] as u64)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = context;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_faults_near_a_full_stack_are_overflows() {
        let (top, limit) = (0x7fff_0000_0000u64, 8u64 << 20);
        let bottom = top - limit;
        assert!(
            is_full(bottom - 8, bottom - 8, top, limit),
            "a deep recursion"
        );
        assert!(
            is_full(bottom - (1 << 30), bottom - (1 << 30), top, limit),
            "a large local array"
        );
        assert!(
            is_full(bottom - (1 << 20), bottom - (1 << 30), top, limit),
            "within it"
        );
        assert!(!is_full(0, top - 4096, top, limit), "a null pointer");
        assert!(
            !is_full(bottom - (1 << 30), top - 4096, top, limit),
            "a wild pointer"
        );
        assert!(
            !is_full(bottom - 8, bottom - 8, top, u64::MAX),
            "a stack without a limit"
        );
    }
}
