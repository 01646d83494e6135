//! Identifies the process that the host started as the rank. Its environment contains the path of the shared memory, and programs that
//! a rank starts (`system`, `popen`, `fork` and `exec`) get the same environment: they are MPI programs of one rank each.
//!
//! The rank's process writes its process id into the environment, in place: what lies in the program's memory is not moved. A
//! shell that was started as a rank writes none, so the program that it starts can become the rank.

use crate::other_launcher;
use native::loaded_objects;
use std::ffi::CStr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use token_runtime::environment::{HOST, LIBRARIES, OWNER, OWNER_DIGITS, SEGMENT, Settings};

/// Whether this process may be the rank that its environment describes: its own process, or a fork of it that has
/// not run another program.
static MAY_BE_RANK: AtomicBool = AtomicBool::new(true);
/// The process that is the rank or is going to be, once it is known.
static CLAIMED_BY: AtomicI32 = AtomicI32::new(0);
/// Whether this process, or the one that it was forked from, has become a rank.
static HAS_BECOME_RANK: AtomicBool = AtomicBool::new(false);

/// When the library is loaded. A rank must not outlive its host.
pub fn on_load() {
    if std::env::var_os(SEGMENT).is_none() {
        return;
    }
    let (owner, own) = (owner(), process());
    let is_ours = (owner == 0 || owner == own) && !other_launcher::has_started_process();
    MAY_BE_RANK.store(is_ours, Ordering::Relaxed);
    if !may_be_rank() {
        return;
    }
    let needs_mpi = loaded_objects::needs_library("libmpi");
    if needs_mpi {
        claim();
    }
    if needs_mpi || is_started_by_host() {
        end_with_parent();
    }
}

/// This process ends when its parent does.
pub fn end_with_parent() {
    // SAFETY: asks for a signal when the parent is gone, and changes nothing else.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}

fn is_started_by_host() -> bool {
    let host = std::env::var(HOST)
        .ok()
        .and_then(|host| host.parse::<libc::c_long>().ok());
    // SAFETY: the call takes no addresses and returns a number.
    host == Some(unsafe { libc::syscall(libc::SYS_getppid) })
}

/// Whether this process may be a rank of a run.
pub fn may_be_rank() -> bool {
    MAY_BE_RANK.load(Ordering::Relaxed)
}

/// Whether a program may become the rank that this process starts: in its own place, or as a child.
pub fn may_become_rank(is_same_process: bool) -> bool {
    let owner = CLAIMED_BY.load(Ordering::Relaxed);
    let is_open = may_be_rank() && !HAS_BECOME_RANK.load(Ordering::Relaxed);
    is_open && (owner == 0 || is_same_process && owner == process())
}

/// What the host has said to this process, `None` if it is no rank of a run.
pub fn settings() -> Result<Option<Settings>, String> {
    if !may_be_rank() {
        return Ok(None);
    }
    Settings::read(|name| std::env::var(name).ok())
}

/// This process is the rank; programs that it starts are none.
pub fn claim() {
    let digits = format!("{:0width$}", process(), width = OWNER_DIGITS);
    overwrite(OWNER, digits.as_bytes());
    CLAIMED_BY.store(process(), Ordering::Relaxed);
}

/// The loader is to take the program's own libraries for programs that this process starts from now on.
pub fn load_nothing_in_children() {
    HAS_BECOME_RANK.store(true, Ordering::Relaxed);
    let Ok(folder) = std::env::var(LIBRARIES) else {
        return;
    };
    let Ok(loaded) = std::env::var(PRELOAD) else {
        return;
    };
    // By components: /a/library/x.so is not in /a/lib.
    let is_ours = |path: &&str| Path::new(path).starts_with(&folder);
    let others: Vec<&str> = loaded
        .split([':', ' '])
        .filter(|path| !is_ours(path))
        .collect();
    overwrite(PRELOAD, others.join(":").as_bytes());
}

const PRELOAD: &str = "LD_PRELOAD";

/// Replaces the value of an environment variable by one that is not longer, where it lies.
fn overwrite(name: &str, value: &[u8]) {
    let name = [name.as_bytes(), b"\0"].concat();
    // SAFETY: the name ends with a zero byte; the value belongs to this process, is a text that ends with a zero byte, and no
    // more than its length is written. Another thread that reads it meanwhile finds one text or the other, or a mixture.
    unsafe {
        let place = libc::getenv(name.as_ptr().cast());
        if place.is_null() || CStr::from_ptr(place).count_bytes() < value.len() {
            return;
        }
        std::ptr::copy_nonoverlapping(value.as_ptr(), place.cast::<u8>(), value.len());
        place.add(value.len()).write(0);
    }
}

fn owner() -> i32 {
    std::env::var(OWNER)
        .ok()
        .and_then(|owner| owner.parse().ok())
        .unwrap_or(0)
}

/// The number of this process, without being noticed.
fn process() -> i32 {
    // SAFETY: the call takes no addresses and returns a number.
    unsafe { libc::syscall(libc::SYS_getpid) as i32 }
}
