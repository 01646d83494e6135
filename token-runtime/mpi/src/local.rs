//! Calls that are answered from local state, clocks, and `MPI_Abort`.

use crate::arguments::{Int, Out};
use crate::entries::row;
use crate::entry_guard::{self, State};
use crate::failure::{Failure, Outcome};
use crate::process::{Current, Level, Process};
use crate::threads;
use crate::virtual_clock;
use base_data::program_data::{Call, Mark};
use token_runtime::kernel::poll_timeout;
use token_runtime::termination::Termination;

/// Who we are; some programs look for the name of a library they know.
pub const LIBRARY_VERSION: &str = concat!(
    "mpiete ",
    env!("CARGO_PKG_VERSION"),
    " token runtime (MPICH ABI, one rank at a time)"
);

pub fn abort(process: &mut Process, _comm: Int, errorcode: Int) -> Outcome {
    process.record(|_| Call::Abort);
    // SAFETY: writes out what the program has printed; nothing else runs in this process.
    unsafe { libc::fflush(std::ptr::null_mut()) };
    Err(Failure::Fatal(Termination::Abort { code: errorcode.0 }))
}

/// The thread level that `MPI_Init_thread` or `MPI_Init` provided.
pub fn query_thread(_: &mut Process, provided: Out) -> Outcome {
    provided.set(threads::provided());
    Ok(())
}

/// The thread that called `MPI_Init` is the process's first one, whose number is the process's.
pub fn is_main_thread(_: &mut Process, flag: Out) -> Outcome {
    // SAFETY: both only ask for a number.
    let (process, thread) = unsafe { (libc::getpid(), libc::gettid()) };
    flag.set((process == thread).into());
    Ok(())
}

/// Seconds since some point in the past. Recorded as a mark.
pub fn wtime() -> f64 {
    let virtual_time = entry_guard::enter(|library| {
        let announced = library.announced.take();
        if let State::Running(process) = &library.state {
            // A polling loop that reads the clock may have a time limit of its own, so the run must not end first.
            poll_timeout::record_progress(process.memory());
        }
        if let State::Running(process) = &mut library.state
            && let Some(stream) = &mut process.stream
        {
            let call = Current::entered(const { row("MPI_Wtime") }, announced, Level::Payload);
            let site = stream.site(call);
            stream.recorder.mark(Mark::Clock { site, path: None });
        }
        let virtual_time = virtual_clock::shown_after(|| {
            if let State::Running(process) = &library.state {
                process.catch_up();
            }
        });
        if let State::Running(process) = &library.state {
            process.note_clock_entry();
        }
        virtual_time
    });
    if let Some(time) = virtual_time {
        return time.seconds();
    }
    monotonic(|time| {
        // SAFETY: `time` is a local variable that the system call fills in.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, time) }
    })
}

/// Resolution of [`wtime`] in seconds.
pub fn wtick() -> f64 {
    monotonic(|time| {
        // SAFETY: `time` is a local variable that the system call fills in.
        unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC, time) }
    })
}

fn monotonic(read: impl FnOnce(&mut libc::timespec) -> libc::c_int) -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    read(&mut time);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Name of the computer; in an emulation, of the platform's node.
pub fn processor_name(state: &State) -> String {
    if let State::Running(process) = state
        && process.emulated.is_some()
    {
        return format!("node-{}", process.node);
    }
    /// `MPI_MAX_PROCESSOR_NAME` of the ABI, without the zero byte of C.
    const LONGEST: usize = 127;
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() {
        "localhost".into()
    } else {
        name.chars().filter(char::is_ascii).take(LONGEST).collect()
    }
}
