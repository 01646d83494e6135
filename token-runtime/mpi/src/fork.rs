//! One process becomes all ranks: at `MPI_Init` rank 0's process forks every rank and stays behind
//! as their supervisor, which reports to the host how each one ended and ends all of them at the host's
//! request. Pages that no rank writes are shared.
//!
//! Only a process that has nothing of its own is forked (`fork_safety`): another one stays rank 0, and the host
//! starts the others.

use crate::fork_safety;
use crate::rank_process;
use crate::solo::SoloRank;
use crate::solo_scheduler::SoloScheduler;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::ops::Range;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicUsize, Ordering};
use token_runtime::environment::{LAUNCHER_RANKS, RANK, Settings};
use token_runtime::fork_events::{self, ForkEvent, ForkObstacle};
use token_runtime::solo::ExchangeFolder;

/// Which rank the calling process is from now on, and what it knows if it runs alone. Returns in every
/// rank.
pub fn fork_ranks(
    settings: &Settings,
    ranks: u32,
    (reported_obstacle, shared): (Option<ForkObstacle>, Range<u64>),
) -> (u32, Option<SoloRank>) {
    let Some(host) = settings.fork.filter(|_| ranks > 1) else {
        return (settings.rank, None);
    };
    let Ok(mut pipe) = OpenOptions::new()
        .write(true)
        .open(fork_events::pipe(&settings.folder))
    else {
        return (settings.rank, None);
    };
    let process = fork_safety::Process {
        host,
        pipe: pipe.as_raw_fd(),
        program: settings.program.clone(),
        shared,
        reported_obstacle,
    };
    let own = match process.descriptors_to_open() {
        Ok(own) => own,
        Err(own) => {
            send_event(&mut pipe, ForkEvent::StartOthers(own));
            return (settings.rank, None);
        }
    };
    if settings.solo {
        let (rank, solo_rank) = SoloScheduler {
            exchange_folder: ExchangeFolder::new(&settings.folder),
            pipe,
            own,
        }
        .run(ranks);
        return (rank, Some(solo_rank));
    }
    (fork_all(ranks, pipe, &own), None)
}

/// Forks all ranks, which run in turn.
fn fork_all(ranks: u32, mut pipe: File, own: &[RawFd]) -> u32 {
    send_event(&mut pipe, ForkEvent::Forking);
    // SAFETY: the call takes no addresses and returns a number.
    let supervisor = unsafe { libc::getpid() };
    let mut processes = Vec::with_capacity(ranks as usize);
    for rank in 0..ranks {
        // SAFETY: this process has one thread.
        match unsafe { libc::fork() } {
            0 => {
                drop(pipe);
                become_rank(rank, supervisor, own);
                return rank;
            }
            -1 => {
                let error = io::Error::last_os_error().raw_os_error().unwrap_or(0);
                send_event(&mut pipe, ForkEvent::NotForked { rank, error });
                break;
            }
            process => processes.push(AtomicI32::new(process)),
        }
    }
    supervise(processes, pipe)
}

/// Reports to the host.
pub fn send_event(pipe: &mut File, event: ForkEvent) {
    // A host that is gone takes this process with it.
    let _ = pipe.write_all(&event.record());
}

/// Turns a forked process into a rank: it ends with its supervisor, reopens its files and input, and has a rank number.
pub fn become_rank(rank: u32, supervisor: i32, own: &[RawFd]) {
    // SAFETY: these calls only read and write attributes of this process. The supervisor may have ended before `prctl`
    // took effect; then the parent is another process, and no signal will come.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() != supervisor {
            libc::_exit(1);
        }
    }
    own.iter().for_each(|&descriptor| reopen(descriptor));
    if rank > 0
        && let Ok(nothing) = File::open("/dev/null")
    {
        // SAFETY: both are open; standard input becomes another file.
        unsafe { libc::dup2(nothing.as_raw_fd(), 0) };
    }
    // SAFETY: this process has one thread.
    unsafe { std::env::set_var(RANK, rank.to_string()) };
    for name in LAUNCHER_RANKS {
        if std::env::var_os(name).is_some() {
            // SAFETY: as above.
            unsafe { std::env::set_var(name, rank.to_string()) };
        }
    }
    rank_process::claim();
}

/// Gives a file an offset of its own, where it stands; a file that cannot be opened again is shared.
pub fn reopen(descriptor: RawFd) {
    let path = format!("/proc/self/fd/{descriptor}\0");
    // SAFETY: the path ends with a zero byte; the calls change nothing but this descriptor.
    unsafe {
        let offset = libc::lseek(descriptor, 0, libc::SEEK_CUR);
        let flags = libc::fcntl(descriptor, libc::F_GETFL)
            & !(libc::O_CREAT | libc::O_EXCL | libc::O_TRUNC);
        let close_on_exec = libc::fcntl(descriptor, libc::F_GETFD) & libc::FD_CLOEXEC != 0;
        let again = libc::open(path.as_ptr().cast(), flags);
        if again < 0 {
            return;
        }
        if libc::lseek(again, offset, libc::SEEK_SET) == offset {
            libc::dup3(
                again,
                descriptor,
                if close_on_exec { libc::O_CLOEXEC } else { 0 },
            );
        }
        libc::close(again);
    }
}

/// The processes of the ranks by rank, 0 once ended; the supervisor's signal handler reads them.
static PROCESSES: AtomicPtr<AtomicI32> = AtomicPtr::new(std::ptr::null_mut());
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The signals that the supervisor passes on to the ranks; `SIGTERM` ends them.
const FORWARDED: [i32; 3] = [libc::SIGUSR1, libc::SIGUSR2, libc::SIGWINCH];
/// What the terminal sends to all processes: the ranks have got it, too, and the host decides.
const IGNORED: [i32; 3] = [libc::SIGINT, libc::SIGQUIT, libc::SIGHUP];

/// Waits for the ranks and reports to the host how each one ended.
fn supervise(processes: Vec<AtomicI32>, mut pipe: File) -> ! {
    let processes: &'static [AtomicI32] = Vec::leak(processes);
    PROCESSES.store(processes.as_ptr().cast_mut(), Ordering::Release);
    COUNT.store(processes.len(), Ordering::Release);
    catch_signals();
    let mut left = processes.len();
    while left > 0 {
        let Some(rank) = next_ended(processes) else {
            continue;
        };
        // From here on the number may be another process's.
        let process = processes[rank].swap(0, Ordering::AcqRel);
        let mut status = 0;
        // SAFETY: a child that has ended and was not reaped; `status` is a place for the answer.
        unsafe { libc::waitpid(process, &mut status, 0) };
        send_event(
            &mut pipe,
            ForkEvent::Ended {
                rank: rank as u32,
                status,
            },
        );
        left -= 1;
    }
    // SAFETY: `_exit` has no precondition. It skips the exit handlers of the program, which run in the ranks.
    unsafe { libc::_exit(0) }
}

/// A rank whose process has ended and is still to be reaped.
fn next_ended(processes: &[AtomicI32]) -> Option<usize> {
    // SAFETY: the structure has integer members only, for which zero is valid; the call fills it in.
    let process = unsafe {
        let mut ended: libc::siginfo_t = std::mem::zeroed();
        libc::waitid(libc::P_ALL, 0, &mut ended, libc::WEXITED | libc::WNOWAIT);
        ended.si_pid()
    };
    let found = processes
        .iter()
        .position(|known| known.load(Ordering::Acquire) == process);
    if found.is_none() && process > 0 {
        // A child that the program had made before MPI_Init.
        // SAFETY: reaps it; its status is not needed.
        unsafe { libc::waitpid(process, std::ptr::null_mut(), 0) };
    }
    found.filter(|_| process > 0)
}

fn catch_signals() {
    let catch = |signal: i32, handler: libc::sighandler_t| {
        // SAFETY: the handler does nothing but send signals, or is one of the system's own.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler;
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    };
    let send = forward_signal as extern "C" fn(i32) as libc::sighandler_t;
    FORWARDED
        .into_iter()
        .chain([libc::SIGTERM])
        .for_each(|signal| catch(signal, send));
    IGNORED
        .into_iter()
        .for_each(|signal| catch(signal, libc::SIG_IGN));
    catch(libc::SIGCHLD, libc::SIG_DFL);
    // SAFETY: an empty set is a valid one; signals that the program had blocked reach the supervisor.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
    }
}

extern "C" fn forward_signal(signal: i32) {
    let sent = if signal == libc::SIGTERM {
        libc::SIGKILL
    } else {
        signal
    };
    let (start, count) = (
        PROCESSES.load(Ordering::Acquire),
        COUNT.load(Ordering::Acquire),
    );
    for index in 0..count {
        // SAFETY: the list is leaked and as long as `COUNT` says; a process that was not reaped is
        // this supervisor's child.
        unsafe {
            let process = (*start.add(index)).load(Ordering::Acquire);
            if process > 0 {
                libc::kill(process, sent);
            }
        }
    }
}
