//! The clock of an emulated rank, which everything that reads a clock in its process reads: virtual time since `MPI_Init`.
//! It goes on while the program computes, by the processor's time and the speed of the platform's processing unit,
//! stands while a call of MPI waits for the engine, and is set by the engine's answer.
//!
//! What the program computes is cut into stretches: up to each call that needs the engine, and up to each reading of a
//! clock. The lengths of stretches are kept, and may be given instead of measured: then everything is equal again.

use base_data::Time;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How often the cost of a measurement is measured.
const TRIALS: usize = 200;

static CLOCK: Mutex<VirtualClock> = Mutex::new(VirtualClock {
    is_running: false,
    stands: true,
    now: Time::ZERO,
    since: Reading {
        processor: 0,
        wall: 0,
    },
    entered: Reading {
        processor: 0,
        wall: 0,
    },
    cost: 0,
    slowness: 1.0,
    clocks: [0; 2],
    own: Time::ZERO,
    unanswered: Time::ZERO,
    stretches: Vec::new(),
    given: None,
    is_out_of_times: false,
});

/// The system's clocks.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    /// Nanoseconds that the processor has worked for this process.
    processor: u64,
    /// Nanoseconds since some point in the past.
    wall: u64,
}

struct VirtualClock {
    is_running: bool,
    /// In a call that has asked the engine.
    stands: bool,
    now: Time,
    /// When the present stretch began.
    since: Reading,
    /// When the present call was entered.
    entered: Reading,
    /// Nanoseconds between two readings with nothing in between.
    cost: u64,
    /// Virtual time of a unit of the program's own.
    slowness: f64,
    /// What the system's clocks show at virtual time 0: time of day, and since the computer started.
    clocks: [u64; 2],
    /// What the program has computed, by the processor that runs it.
    own: Time,
    /// What of the virtual time the engine does not know.
    unanswered: Time,
    stretches: Vec<Time>,
    given: Option<std::vec::IntoIter<Time>>,
    is_out_of_times: bool,
}

fn clock() -> MutexGuard<'static, VirtualClock> {
    CLOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads the system's clocks without being noticed.
fn read() -> Reading {
    Reading {
        processor: system(libc::CLOCK_PROCESS_CPUTIME_ID),
        wall: system(libc::CLOCK_MONOTONIC),
    }
}

fn system(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a local variable that the system call fills in. The C library's function would be this
    // library's own.
    unsafe { libc::syscall(libc::SYS_clock_gettime, clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

impl VirtualClock {
    /// Ends the present stretch at a reading.
    fn advance(&mut self, to: Reading) {
        let time = match &mut self.given {
            Some(given) => given.next().unwrap_or_else(|| {
                self.is_out_of_times = true;
                Time::ZERO
            }),
            None => {
                let processor = to.processor.saturating_sub(self.since.processor);
                let wall = to.wall.saturating_sub(self.since.wall);
                // Threads compute together, so the processor's time exceeds the wall's; a process that is preempted
                // needs less than the wall's.
                let nanoseconds = processor.min(wall).saturating_sub(self.cost);
                Time::from_nanoseconds(nanoseconds as i64)
            }
        };
        self.stretches.push(time);
        self.own += time;
        let scaled = if self.slowness == 1.0 {
            time
        } else {
            time.scaled(self.slowness)
        };
        self.now += scaled;
        self.unanswered += scaled;
        self.since = to;
    }
}

/// The clock begins to go, at 0.
pub fn start(speed: f64, clocks: [u64; 2], given: Option<Vec<Time>>) {
    let mut cost = u64::MAX;
    for _ in 0..TRIALS {
        let (first, second) = (read(), read());
        cost = cost.min(second.processor - first.processor);
    }
    let mut clock = clock();
    clock.is_running = true;
    clock.cost = cost;
    clock.slowness = 1.0 / speed;
    clock.clocks = clocks;
    clock.given = given.map(Vec::into_iter);
}

/// Gives the stretches so far.
pub fn stretches() -> Vec<Time> {
    std::mem::take(&mut clock().stretches)
}

/// The present call asks the engine, as soon as it can.
pub fn settle() {
    let mut clock = clock();
    if !clock.stands {
        let entered = clock.entered;
        clock.advance(entered);
        clock.stands = true;
    }
}

/// Virtual time now; `None` if the process is not emulated.
pub fn now() -> Option<Time> {
    let mut clock = clock();
    if !clock.is_running {
        return None;
    }
    if !clock.stands {
        clock.advance(read());
    }
    Some(clock.now)
}

/// What one of the system's clocks would show, in nanoseconds; `None` if the process is not emulated.
pub fn system_time(kind: libc::clockid_t) -> Option<u64> {
    let now = now()?.picoseconds() as u64 / 1000;
    let [time_of_day, since_start] = clock().clocks;
    Some(match kind {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => time_of_day + now,
        libc::CLOCK_MONOTONIC
        | libc::CLOCK_MONOTONIC_RAW
        | libc::CLOCK_MONOTONIC_COARSE
        | libc::CLOCK_BOOTTIME => since_start + now,
        // A rank that waits for messages keeps its processor busy, so its processor's time is all time.
        _ => now,
    })
}

/// The program sleeps; false if the process is not emulated.
pub fn sleep(nanoseconds: u64) -> bool {
    if now().is_none() {
        return false;
    }
    let mut clock = clock();
    let time = Time::from_nanoseconds(nanoseconds.min(i64::MAX as u64) as i64);
    clock.now += time;
    clock.unanswered += time;
    let own = time.scaled(1.0 / clock.slowness);
    clock.own += own;
    true
}

/// A call is entered: if it asks the engine, the program has computed until now.
pub fn enter() {
    let reading = read();
    clock().entered = reading;
}

/// The call asks the engine. Gives what the engine does not know of the virtual time.
pub fn stand() -> Time {
    settle();
    std::mem::take(&mut clock().unanswered)
}

/// A function of the program was called in a call, which goes on.
pub fn resume_call() {
    let reading = read();
    let mut clock = clock();
    if !clock.stands {
        clock.advance(reading);
        clock.stands = true;
    }
}

/// The engine's answer.
pub fn set(now: Time) {
    clock().now = now;
}

/// The call is left: the program computes again.
pub fn leave() {
    let mut clock = clock();
    if clock.stands {
        clock.stands = false;
        clock.since = read();
    }
}

/// Virtual time and own computation as of the last stretch.
pub fn reached() -> (Time, Time) {
    let clock = clock();
    (clock.now, clock.own)
}

/// Length of the last stretch.
pub fn last_stretch() -> Time {
    clock().stretches.last().copied().unwrap_or_default()
}

/// Whether the given times have not been enough.
pub fn is_out_of_times() -> bool {
    clock().is_out_of_times
}
