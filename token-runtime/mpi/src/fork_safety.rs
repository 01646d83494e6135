//! Decides whether the process of rank 0 may become all ranks: it must have no state that would be different in
//! processes that were started one by one. Without certainty, it may not.
//!
//! What is seen here is what the process has at `MPI_Init`; what it did before is in `interposed`.

use crate::{interposed, random_instructions};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::os::fd::RawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use token_runtime::fork_events::ForkObstacle;

/// Devices that are the same for all.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];
const TERMINALS: &str = "/dev/pts/";
/// Standard input, output and error.
const STANDARD: RawFd = 3;

unsafe extern "C" {
    static mut stdin: *mut libc::FILE;
    fn __fbufsize(file: *mut libc::FILE) -> usize;
}

/// What the standard descriptors led to when the program began.
static BEGAN_WITH: OnceLock<Vec<Option<(u64, u64)>>> = OnceLock::new();

/// When the library is loaded into a process that may become a rank.
pub fn on_load() {
    let _ = BEGAN_WITH.set(standard());
}

fn standard() -> Vec<Option<(u64, u64)>> {
    (0..STANDARD)
        .map(|descriptor| identity(&of_process("self", descriptor)))
        .collect()
}

/// What a process has that its forks share with it, or lack.
pub struct Process {
    /// Process id of the host.
    pub host: u32,
    /// The descriptor that leads to the host.
    pub pipe: RawFd,
    /// Addresses of the memory that all ranks are to share.
    pub shared: Range<u64>,
    /// The program that the host started.
    pub program: Option<PathBuf>,
    /// What the program did before.
    pub reported_obstacle: Option<ForkObstacle>,
}

impl Process {
    /// The descriptors that each fork opens for itself again; `Err` with what forbids to fork.
    pub fn descriptors_to_open(&self) -> Result<Vec<RawFd>, ForkObstacle> {
        if !interposed::is_interposing() {
            return Err(ForkObstacle::Unknown);
        }
        self.reported_obstacle.map_or(Ok(()), Err)?;
        // SAFETY: the call takes no addresses and returns a number.
        let parent = unsafe { libc::syscall(libc::SYS_getppid) };
        refuse(
            parent != libc::c_long::from(self.host),
            ForkObstacle::Parent,
        )?;
        refuse(self.is_behind_wrapper(), ForkObstacle::Wrapper)?;
        refuse(native::affinity::threads() != 1, ForkObstacle::Threads)?;
        refuse(has_written() != Some(false), ForkObstacle::Output)?;
        refuse(has_timers(), ForkObstacle::Timers)?;
        refuse(has_children(), ForkObstacle::Children)?;
        // SAFETY: the C library's stream, which no other thread uses: there is none.
        refuse(unsafe { __fbufsize(stdin) } > 0, ForkObstacle::Input)?;
        refuse(
            BEGAN_WITH.get() != Some(&standard()),
            ForkObstacle::Descriptors,
        )?;
        refuse(
            self.has_shared_memory() != Some(false),
            ForkObstacle::SharedMemory,
        )?;
        refuse(has_memory_that_forks_lack(), ForkObstacle::Inheritance)?;
        let descriptors = self
            .private_descriptors()
            .ok_or(ForkObstacle::Descriptors)?;
        refuse(!descriptors.is_empty() && has_locks(), ForkObstacle::Locks)?;
        refuse(has_random_instructions(), ForkObstacle::RandomInstructions)?;
        Ok(descriptors)
    }

    /// Whether the host started another program, which then executed this one in its place. What that did, such as opening a
    /// log under the name of its rank, it has to do for each rank.
    fn is_behind_wrapper(&self) -> bool {
        let started = self.program.as_deref().and_then(identity);
        started != identity(Path::new("/proc/self/exe"))
    }

    /// Whether memory is mapped that a fork would share and write.
    fn has_shared_memory(&self) -> Option<bool> {
        let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
        Some(
            maps.lines()
                .any(|line| is_shared(line) && !is_within(line, &self.shared)),
        )
    }

    /// Files and folders that this process opened itself; `None` if something is open that cannot be opened again.
    fn private_descriptors(&self) -> Option<Vec<RawFd>> {
        let mut own = Vec::new();
        for descriptor in descriptors().ok()? {
            let link = |process: &str| std::fs::read_link(of_process(process, descriptor)).ok();
            let Some(path) =
                link("self").filter(|_| descriptor >= STANDARD && descriptor != self.pipe)
            else {
                continue;
            };
            if link(&self.host.to_string()).as_ref() == Some(&path) {
                continue;
            }
            let opened = std::fs::metadata(of_process("self", descriptor)).ok()?;
            let kind = opened.file_type();
            // A file that was removed, and memory that looks like one, cannot be opened again. A file about this process would
            // stay one about it.
            let is_there =
                identity(&path) == Some((opened.dev(), opened.ino())) && !path.starts_with("/proc");
            match (kind.is_file() || kind.is_dir()) && is_there {
                true => own.push(descriptor),
                false if kind.is_char_device() && is_common_device(&path) => {}
                false => return None,
            }
        }
        Some(own)
    }
}

fn refuse(it: bool, own: ForkObstacle) -> Result<(), ForkObstacle> {
    if it { Err(own) } else { Ok(()) }
}

fn of_process(process: &str, descriptor: RawFd) -> PathBuf {
    PathBuf::from(format!("/proc/{process}/fd/{descriptor}"))
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path)
        .ok()
        .map(|file| (file.dev(), file.ino()))
}

fn is_common_device(path: &Path) -> bool {
    path.to_str()
        .is_some_and(|path| DEVICES.contains(&path) || path.starts_with(TERMINALS))
}

fn descriptors() -> std::io::Result<Vec<RawFd>> {
    let names = std::fs::read_dir("/proc/self/fd")?.map(|entry| Ok(entry?.file_name()));
    let names = names.collect::<std::io::Result<Vec<_>>>()?;
    // The folder's own descriptor is closed by now; reading its link fails, and it is passed over.
    Ok(names
        .iter()
        .filter_map(|name| name.to_str()?.parse().ok())
        .collect())
}

/// Whether a line of `/proc/self/maps` is of memory that is shared and may be written.
fn is_shared(line: &str) -> bool {
    let access = line.split(' ').nth(1).unwrap_or_default().as_bytes();
    access.get(1) == Some(&b'w') && access.get(3) == Some(&b's')
}

/// Whether a line of `/proc/self/maps` lies within a range of addresses.
fn is_within(line: &str, range: &Range<u64>) -> bool {
    let ends = line.split(' ').next().and_then(|part| part.split_once('-'));
    let number = |text| u64::from_str_radix(text, 16).ok();
    ends.is_some_and(|(from, to)| {
        number(from).is_some_and(|from| from >= range.start)
            && number(to).is_some_and(|to| to <= range.end)
    })
}

/// Flags in `/proc/self/smaps` of memory that a fork gets without its locks, not at all, or empty.
const NOT_INHERITED: [&str; 3] = ["lo", "dc", "wf"];

/// Whether this process has memory that forks do not get as it is. It is looked for here since allocators call `madvise` before a
/// function that stands in for it could look up the C library's.
fn has_memory_that_forks_lack() -> bool {
    // Kernels without this file are rare, and so is such memory.
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    maps.lines().any(is_not_inherited)
}

/// Whether a line of `/proc/self/smaps` has the flags of memory that forks do not get as it is.
fn is_not_inherited(line: &str) -> bool {
    line.strip_prefix("VmFlags:").is_some_and(|flags| {
        flags
            .split_whitespace()
            .any(|flag| NOT_INHERITED.contains(&flag))
    })
}

/// Whether this process has written anything: calls that write are counted from its beginning, those of children that
/// have ended included.
fn has_written() -> Option<bool> {
    let counters = std::fs::read_to_string("/proc/self/io").ok()?;
    let line = counters
        .lines()
        .find_map(|line| line.strip_prefix("syscw:"))?;
    Some(line.trim() != "0")
}

fn has_timers() -> bool {
    let has_interval = [libc::ITIMER_REAL, libc::ITIMER_VIRTUAL, libc::ITIMER_PROF]
        .into_iter()
        .any(|which| {
            // SAFETY: all zeros is a timer that is off; the call fills it in.
            let timer = unsafe {
                let mut timer: libc::itimerval = std::mem::zeroed();
                libc::getitimer(which, &mut timer);
                timer
            };
            timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0
        });
    // A kernel that does not list the others has none of that kind as a rule.
    has_interval || std::fs::read("/proc/self/timers").is_ok_and(|list| !list.is_empty())
}

/// Whether this process has child processes, or had some.
fn has_children() -> bool {
    // SAFETY: all zeros are valid values of these plain structures, which the calls fill in. The call looks for a child that has
    // ended and leaves it as it is.
    unsafe {
        let mut child: MaybeUninit<libc::siginfo_t> = MaybeUninit::zeroed();
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        let mut usage: MaybeUninit<libc::rusage> = MaybeUninit::zeroed();
        libc::waitid(libc::P_ALL, 0, child.as_mut_ptr(), flags) == 0
            || libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr()) != 0
            || usage.assume_init().ru_maxrss > 0
    }
}

/// Whether this process holds a lock of a file.
fn has_locks() -> bool {
    let own = std::process::id().to_string();
    let locks = std::fs::read_to_string("/proc/locks").unwrap_or_default();
    locks
        .lines()
        .any(|line| line.split_whitespace().any(|word| word == own))
}

/// Libraries that have such instructions for functions which are noticed when they are called.
const KNOWN: [&str; 6] = [
    "libc.",
    "libstdc++",
    "libcrypto",
    "libgcrypt",
    "libgnutls",
    "libmpi",
];
const SYSTEM: [&str; 2] = ["/lib", "/usr/lib"];

/// Whether the program, or a library of its own, has instructions that return random numbers: their execution cannot be intercepted.
fn has_random_instructions() -> bool {
    if !cfg!(target_arch = "x86_64") {
        return false;
    }
    native::loaded_objects::loaded().iter().any(|object| {
        let name = object.name();
        let file_name = name
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let is_program = name.as_os_str().is_empty();
        let is_known = KNOWN.iter().any(|known| file_name.starts_with(known));
        let is_of_system = SYSTEM
            .iter()
            .any(|folder| name.starts_with(folder) || name.starts_with(format!("{folder}64")));
        // The kernel's own object has no file.
        let is_searched = is_program || name.is_absolute() && !is_known && !is_of_system;
        let path = if is_program {
            Path::new("/proc/self/exe")
        } else {
            name
        };
        is_searched
            && object
                .code_in_file()
                .any(|part| random_instructions::contains(path, part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_map_lines_are_parsed() {
        let line = "7f00-7f80 rw-s 00000000 00:01 7 /memfd:mpiete (deleted)";
        assert!(
            is_shared(line)
                && is_within(line, &(0x7f00..0x7f80))
                && !is_within(line, &(0x7f00..0x7f40))
        );
        assert!(!is_shared(
            "7f00-7f80 r--s 00000000 08:01 7 /usr/lib/gconv/gconv-modules.cache"
        ));
        assert!(!is_shared("7f00-7f80 rw-p 00000000 00:00 0"));
        assert!(is_not_inherited("VmFlags: rd mr mw me wf ac sd"));
        assert!(!is_not_inherited("VmFlags: rd mr mw me ac sd"));
    }
}
