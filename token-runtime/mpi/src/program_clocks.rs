//! The clocks that the program reads: the C library's functions stand here, too, and come first where
//! programs are linked with this library, so that it is known when a program looks at the time, and where a
//! recorded one does. They hand on to the C library, or to the system where there is no shared one.

use crate::interposed;
use crate::interposed::processor_times::{
    Milliseconds, read_milliseconds, read_processor_time, read_ticks, read_timespec, read_usage,
};
use crate::interposed::system_calls::system_call;
use crate::virtual_clock;
use base_data::rank_recording::ClockReads;
use native::loaded_objects::{self, Loaded};
use std::ffi::{c_int, c_long, c_void};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use token_runtime::fork_events::ForkObstacle;

/// How often the program read a clock.
static READINGS: AtomicU64 = AtomicU64::new(0);
/// The C library's `clock_gettime`, once it was looked up.
static OWN: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

type Reads = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int;

/// How often a clock was read so far.
pub fn readings() -> u64 {
    READINGS.load(Ordering::Relaxed)
}

fn read(clock: libc::clockid_t) -> libc::timespec {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    READINGS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: `time` is a local variable that the system call fills in.
    unsafe { forward(clock, &raw mut time) };
    time
}

/// The C library's function, if a shared one is loaded.
fn own() -> Option<Reads> {
    let mut own = OWN.load(Ordering::Relaxed);
    if own.is_null() {
        // SAFETY: a `CStr` ends with a zero byte, and looking up a symbol runs no code of the library.
        own = unsafe { libc::dlsym(libc::RTLD_NEXT, c"clock_gettime".as_ptr()) };
        OWN.store(own, Ordering::Relaxed);
    }
    // SAFETY: it is null, or the C library's function of this name, which has these arguments.
    unsafe { std::mem::transmute::<*mut c_void, Option<Reads>>(own) }
}

/// What the C library's function does.
///
/// # Safety
///
/// `time` must be a place for the answer.
unsafe fn system(clock: libc::clockid_t, time: *mut libc::timespec) -> c_int {
    READINGS.fetch_add(1, Ordering::Relaxed);
    if let Some(nanoseconds) = virtual_clock::system_time(clock) {
        let virtual_time = libc::timespec {
            tv_sec: (nanoseconds / 1_000_000_000) as libc::time_t,
            tv_nsec: (nanoseconds % 1_000_000_000) as libc::c_long,
        };
        // SAFETY: the caller guarantees a place of this type that may be written.
        unsafe { time.write(virtual_time) };
        return 0;
    }
    // Clocks with negative numbers are those of single processes and threads, too.
    if clock < 0
        || [
            libc::CLOCK_PROCESS_CPUTIME_ID,
            libc::CLOCK_THREAD_CPUTIME_ID,
        ]
        .contains(&clock)
    {
        interposed::report_obstacle(ForkObstacle::ProcessorTime);
    } else {
        interposed::report_obstacle(ForkObstacle::Clock);
    }
    // SAFETY: the caller guarantees a place of this type that may be written.
    unsafe { forward(clock, time) }
}

/// # Safety
///
/// `time` must be a place for the answer.
unsafe fn forward(clock: libc::clockid_t, time: *mut libc::timespec) -> c_int {
    match own() {
        // SAFETY: `own` is the C library's `clock_gettime`, and the caller guarantees that `time` may be written.
        Some(own) => unsafe { own(clock, time) },
        // SAFETY: the system call takes the same arguments.
        None => unsafe {
            let clock = c_long::from(clock);
            system_call(libc::SYS_clock_gettime, clock, time as c_long, 0, 0, 0, 0) as c_int
        },
    }
}

/// Exports a function of the C library under its name, whose body gets the address that it returns to behind its
/// arguments; 0 where that is not known. Calls of MPI keep theirs elsewhere (`native::entry`), which clocks that are
/// read in them must not touch.
macro_rules! clock {
    ($symbol:ident: ($($name:ident: $kind:ty),*) -> $result:ty, $register:literal, $body:path) => {
        #[cfg(target_arch = "x86_64")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $symbol($($name: $kind),*) -> $result {
            // The caller's `call` has put the return address on top of the stack; the register is that of the
            // argument behind the last, which callers do not expect to be kept.
            ::std::arch::naked_asm!(
                concat!("mov ", $register, ", qword ptr [rsp]"),
                "jmp {body}",
                body = sym $body,
            )
        }

        #[cfg(not(target_arch = "x86_64"))]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol($($name: $kind),*) -> $result {
            // SAFETY: `$body` requires of each argument what the C function of this symbol requires, and gets the program's
            // arguments unchanged.
            unsafe { $body($($name,)* 0) }
        }
    };
}

// All clocks of the C library. `syscall` reads them, too (`read_by_number`). No function stands before the processor's cycle counter:
// commands look for its instructions in the program.
clock! { clock_gettime: (clock: libc::clockid_t, time: *mut libc::timespec) -> c_int, "rdx", read_clock }
clock! { gettimeofday: (place: *mut libc::timeval, zone: *mut [c_int; 2]) -> c_int, "rdx", read_time_of_day }
clock! { time: (place: *mut libc::time_t) -> libc::time_t, "rsi", read_seconds }
clock! { timespec_get: (place: *mut libc::timespec, base: c_int) -> c_int, "rdx", read_timespec }
clock! { ftime: (place: *mut Milliseconds) -> c_int, "rsi", read_milliseconds }
clock! { clock: () -> c_long, "rdi", read_processor_time }
clock! { times: (buffer: *mut libc::tms) -> libc::clock_t, "rsi", read_ticks }
clock! { getrusage: (who: c_int, usage: *mut libc::rusage) -> c_int, "rdx", read_usage }

/// What the system call of this number does, if it is one of a clock.
///
/// # Safety
///
/// As the system call's.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub unsafe extern "C" fn read_by_number(
    number: c_long,
    a: c_long,
    b: c_long,
    caller: u64,
) -> c_long {
    // SAFETY: the program guarantees the arguments of the call of this number, which the function of the same name has, too.
    unsafe {
        match number {
            libc::SYS_clock_gettime => c_long::from(read_clock(
                a as libc::clockid_t,
                b as *mut libc::timespec,
                caller,
            )),
            libc::SYS_gettimeofday => c_long::from(read_time_of_day(
                a as *mut libc::timeval,
                b as *mut [c_int; 2],
                caller,
            )),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_time => read_seconds(a as *mut libc::time_t, caller),
            libc::SYS_times => read_ticks(a as *mut libc::tms, caller),
            libc::SYS_getrusage => {
                c_long::from(read_usage(a as c_int, b as *mut libc::rusage, caller))
            }
            _ => system_call(number, a, b, 0, 0, 0, 0),
        }
    }
}

/// What the C library's `clock_gettime` does.
///
/// # Safety
///
/// `time` must be a place for the answer.
unsafe extern "C" fn read_clock(
    clock: libc::clockid_t,
    time: *mut libc::timespec,
    caller: u64,
) -> c_int {
    watch(caller);
    // SAFETY: the caller guarantees a place of this type that may be written.
    unsafe { system(clock, time) }
}

/// The time of day, which is virtual in an emulation.
pub fn time_of_day() -> libc::timespec {
    match virtual_clock::system_time(libc::CLOCK_REALTIME) {
        Some(nanoseconds) => libc::timespec {
            tv_sec: (nanoseconds / 1_000_000_000) as libc::time_t,
            tv_nsec: (nanoseconds % 1_000_000_000) as libc::c_long,
        },
        None => read(libc::CLOCK_REALTIME),
    }
}

/// What the C library's `gettimeofday` does; time zones are as old as unused.
///
/// # Safety
///
/// `place` must be a place for the answer or null, `zone` one for two integers or null.
unsafe extern "C" fn read_time_of_day(
    place: *mut libc::timeval,
    zone: *mut [c_int; 2],
    caller: u64,
) -> c_int {
    watch(caller);
    interposed::report_obstacle(ForkObstacle::Clock);
    let time = time_of_day();
    let answer = libc::timeval {
        tv_sec: time.tv_sec,
        tv_usec: time.tv_nsec / 1000,
    };
    // SAFETY: the program guarantees places of these types, as the C library's function requires.
    unsafe {
        if !place.is_null() {
            place.write(answer);
        }
        if !zone.is_null() {
            zone.write([0, 0]);
        }
    }
    0
}

/// What the C library's `time` does. It gives seconds, so processes that are started in sequence read the same as
/// forks do: it keeps no process from being forked.
///
/// # Safety
///
/// `place` must be a place for the answer, too, or null.
unsafe extern "C" fn read_seconds(place: *mut libc::time_t, caller: u64) -> libc::time_t {
    watch(caller);
    let seconds = time_of_day().tv_sec;
    if !place.is_null() {
        // SAFETY: `place` is not null, so it is the address of a `time_t` that the program lets `time` write.
        unsafe { place.write(seconds) };
    }
    seconds
}

/// Whether it is to be found out where clocks are read.
static IS_WATCHING: AtomicBool = AtomicBool::new(false);
/// The clock reads observed so far.
static FOUND: Mutex<ObservedClockReads> = Mutex::new(ObservedClockReads {
    reads: ClockReads::None,
    known: Vec::new(),
});

/// Clock reads observed so far, and the objects that made them.
struct ObservedClockReads {
    reads: ClockReads,
    /// Objects that have read one.
    known: Vec<(Loaded, ClockReads)>,
}

/// From now on it is found out where clocks are read.
pub fn start_watching() {
    IS_WATCHING.store(true, Ordering::Relaxed);
}

/// Where clocks were read since [`start_watching`].
pub fn stop_watching() -> ClockReads {
    IS_WATCHING.store(false, Ordering::Relaxed);
    FOUND.lock().unwrap_or_else(PoisonError::into_inner).reads
}

/// A clock is read by code that goes on at this address. Once other code than a compiler's has done so, nothing more
/// is to be found out.
pub fn watch(caller: u64) {
    if !IS_WATCHING.load(Ordering::Relaxed) {
        return;
    }
    // Where another thread finds out, or this one in the middle of it, one reading more or less does not matter.
    let Ok(mut found) = FOUND.try_lock() else {
        return;
    };
    let known = found
        .known
        .iter()
        .find(|(object, _)| object.offset(caller).is_some());
    let reads = match known {
        Some((_, reads)) => *reads,
        None => {
            let Some(object) = loaded_objects::loaded()
                .into_iter()
                .find(|object| object.offset(caller).is_some())
            else {
                return;
            };
            let reads = reads_of(&object);
            found.known.push((object, reads));
            reads
        }
    };
    found.reads = found.reads.max(reads);
    if found.reads == ClockReads::OtherCode {
        IS_WATCHING.store(false, Ordering::Relaxed);
    }
}

/// The C library, and this one, which read clocks for purposes of their own.
const OF_THE_SYSTEM: [&str; 6] = ["libc.", "libc-", "ld-", "libpthread", "librt", "libm"];
/// Run-time libraries of compilers, which read clocks where a source asks for the time.
const OF_COMPILERS: [&str; 8] = [
    "libgfortran",
    "libgomp",
    "libiomp",
    "libomp",
    "libifcore",
    "libifport",
    "libflang",
    "libnvf",
];

fn reads_of(object: &Loaded) -> ClockReads {
    let path = object.path().unwrap_or_default();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_one_of = |names: &[&str]| names.iter().any(|start| name.starts_with(start));
    if object.offset(reads_of as *const () as u64).is_some() || is_one_of(&OF_THE_SYSTEM) {
        ClockReads::None
    } else if is_one_of(&OF_COMPILERS) {
        ClockReads::RuntimeLibrary
    } else {
        ClockReads::OtherCode
    }
}
