//! The clock of an emulated rank, which everything that reads a clock in its process reads: virtual time since `MPI_Init`.
//! It goes on while the program computes, by the processor's time and the speed of the platform's processing unit,
//! stands while a call of MPI waits for the engine, and is set by the engine's answer.
//!
//! What the program computes is cut into stretches: up to each call that needs the engine, up to each poll and its end,
//! and up to each reading of a clock. The lengths of stretches are kept, and may be given instead of measured: then
//! everything is equal again.
//!
//! Where the rank goes on without the engine's answer, the clock is behind: it shows how much later it is than at the last
//! call, until the answer says when that was. Before the program reads it, it must catch up.

use crate::emulation;
use base_data::Time;
use native::system_clock;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// How often the cost of a measurement is measured.
const TRIALS: usize = 200;
/// The processor's time is read at the end of stretches of so many nanoseconds, to leave out what other programs took of them.
/// Reading it is a system call, which takes longer than many a stretch. A program that interrupts another runs for
/// a slice of the scheduler, so that the stretch is long.
const LONG: u64 = 20_000;
/// Nanoseconds after which it is read in any case: what other programs took of short stretches is not left out of a
/// long one then.
const CHECK_AGAIN: u64 = 1_000_000;

/// Whether the process is emulated. In other modes nothing else is looked at: a handler of a signal may read a clock, too.
static IS_RUNNING: AtomicBool = AtomicBool::new(false);
/// What the program was last shown, in picoseconds.
static LAST_SHOWN: AtomicI64 = AtomicI64::new(0);

/// Whether the time of the last call is not known.
static IS_BEHIND: AtomicBool = AtomicBool::new(false);

static CLOCK: Mutex<VirtualClock> = Mutex::new(VirtualClock {
    stands: true,
    polls: false,
    base: Time::ZERO,
    since_base: Time::ZERO,
    since: 0,
    entered: 0,
    checked: Reading {
        processor: 0,
        wall: 0,
    },
    has_waited: false,
    cost: 0,
    speed: 1.0,
    clocks: [0; 2],
    own: Time::ZERO,
    slept: Time::ZERO,
    readings: 0,
    stretches: Vec::new(),
    given: None,
    is_out_of_times: false,
    is_sliced: false,
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
    /// In a call that has asked the engine.
    stands: bool,
    /// In a poll that has found nothing, whose time counts from `since` on.
    polls: bool,
    /// Virtual time of the engine's last answer, and sleep since then.
    base: Time,
    /// What the program has computed since then. It is scaled as a whole, as the replay does with the computation
    /// between two calls, so that both are equal to the picosecond.
    since_base: Time,
    /// When the present stretch began.
    since: u64,
    /// When the present call was entered.
    entered: u64,
    /// The last reading of the processor's time.
    checked: Reading,
    /// Whether the process has slept since then.
    has_waited: bool,
    /// Nanoseconds between two readings with nothing in between.
    cost: u64,
    /// The program's own time in a unit of virtual time.
    speed: f64,
    /// What the system's clocks show at virtual time 0: time of day, and since the computer started.
    clocks: [u64; 2],
    /// What the program has computed, by the processor that runs it, and slept.
    own: Time,
    /// What of that it has slept.
    slept: Time,
    readings: u64,
    stretches: Vec<Time>,
    given: Option<std::vec::IntoIter<Time>>,
    is_out_of_times: bool,
    /// Whether the program is a slice, whose own computation takes no time.
    is_sliced: bool,
}

fn clock() -> MutexGuard<'static, VirtualClock> {
    CLOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Nanoseconds since some point in the past.
fn read() -> u64 {
    system_clock::monotonic().as_nanos() as u64
}

fn read_both() -> Reading {
    Reading {
        processor: system_clock::process_time().as_nanos() as u64,
        wall: read(),
    }
}

impl VirtualClock {
    /// Ends the present stretch of the program at a reading.
    fn advance(&mut self, to: u64) {
        if self.is_sliced {
            // What it stands for has passed at the marks of its blocks.
            self.since = to;
            return;
        }
        self.measure(to);
    }

    /// Ends the present stretch at a reading, that of a slice or a poll, too.
    fn measure(&mut self, to: u64) {
        let mut is_later = false;
        let time = match &mut self.given {
            Some(given) => given.next().unwrap_or_else(|| {
                self.is_out_of_times = true;
                Time::ZERO
            }),
            None => {
                let wall = to.saturating_sub(self.since).saturating_sub(self.cost);
                let is_long = wall >= LONG;
                is_later = is_long || to.saturating_sub(self.checked.wall) >= CHECK_AGAIN;
                let away = if is_later { self.check() } else { 0 };
                // Threads compute together, so the processor's time exceeds the wall's, and nothing is left out.
                let nanoseconds = if is_long {
                    wall.saturating_sub(away)
                } else {
                    wall
                };
                Time::from_nanoseconds(nanoseconds as i64)
            }
        };
        is_later |= self.stretches.len() == self.stretches.capacity();
        self.stretches.push(time);
        self.own += time;
        self.since_base += time;
        // Reading the processor's time, and moving what is kept, are no part of the next stretch.
        self.since = if is_later { read() } else { to };
    }

    /// Reads the processor's time; gives the nanoseconds since the last reading in which it did not work for this process.
    fn check(&mut self) -> u64 {
        let now = read_both();
        let before = std::mem::replace(&mut self.checked, now);
        let wall = now.wall.saturating_sub(before.wall);
        wall.saturating_sub(now.processor.saturating_sub(before.processor))
    }

    /// The program computes from now on.
    fn begin(&mut self) {
        if std::mem::take(&mut self.has_waited) && self.given.is_none() {
            self.check();
        }
        self.since = read();
    }

    fn now(&self) -> Time {
        self.base + self.scaled(self.since_base)
    }

    /// Virtual time of own time.
    fn scaled(&self, own: Time) -> Time {
        if self.speed == 1.0 {
            own
        } else {
            own.scaled(1.0 / self.speed)
        }
    }
}

/// The clock begins to go, at 0.
pub fn start(speed: f64, clocks: [u64; 2], given: Option<Vec<Time>>) {
    let mut cost = u64::MAX;
    for _ in 0..TRIALS {
        let (first, second) = (read(), read());
        cost = cost.min(second.saturating_sub(first));
    }
    let mut clock = clock();
    clock.has_waited = true;
    IS_RUNNING.store(true, Ordering::Relaxed);
    clock.cost = cost;
    clock.speed = speed;
    clock.clocks = clocks;
    clock.given = given.map(Vec::into_iter);
}

/// The program is a slice: its own computation takes no time, but its blocks and polls do.
pub fn leave_out_own() {
    clock().is_sliced = true;
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

/// Whether the process is emulated.
pub fn is_running() -> bool {
    IS_RUNNING.load(Ordering::Relaxed)
}

/// Virtual time that the program asks for outside MPI; `None` if the process is not emulated.
pub fn shown() -> Option<Time> {
    shown_after(emulation::catch_up_outside)
}

/// Virtual time that the program asks for; the function lets the clock catch up.
pub fn shown_after(catch_up: impl FnOnce()) -> Option<Time> {
    if !is_running() {
        return None;
    }
    // A handler of a signal, or another thread, reads it while it is read.
    let last = || Some(Time::from_picoseconds(LAST_SHOWN.load(Ordering::Relaxed)));
    let Some(mut clock) = try_clock() else {
        return last();
    };
    clock.readings += 1;
    if !clock.stands {
        clock.advance(read());
    }
    if is_behind() {
        drop(clock);
        catch_up();
        match try_clock() {
            Some(again) => clock = again,
            None => return last(),
        }
        if !clock.stands {
            clock.begin();
        }
    }
    let now = clock.now();
    LAST_SHOWN.store(now.picoseconds(), Ordering::Relaxed);
    Some(now)
}

fn try_clock() -> Option<MutexGuard<'static, VirtualClock>> {
    match CLOCK.try_lock() {
        Ok(clock) => Some(clock),
        Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Whether the time of the last call is not known.
pub fn is_behind() -> bool {
    IS_BEHIND.load(Ordering::Relaxed)
}

/// What one of the system's clocks would show, in nanoseconds; `None` if the process is not emulated.
pub fn system_time(kind: libc::clockid_t) -> Option<u64> {
    let now = shown()?.picoseconds() as u64 / 1000;
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

/// The program sleeps.
pub fn sleep(nanoseconds: u64) {
    let mut clock = clock();
    if !clock.stands {
        clock.advance(read());
    }
    let time = Time::from_nanoseconds(nanoseconds.min(i64::MAX as u64) as i64);
    clock.base += time;
    let own = time.scaled(clock.speed);
    clock.own += own;
    clock.slept += own;
}

/// Ends the present stretch between calls of MPI; gives the program's own time so far.
pub fn end_stretch() -> Time {
    let mut clock = clock();
    if !clock.stands {
        clock.advance(read());
    }
    clock.own
}

/// The program has skipped computation that takes so long.
pub fn add(time: Time) {
    let mut clock = clock();
    clock.own += time;
    clock.since_base += time;
}

/// The program has come to the mark of a block that takes so long in virtual time.
pub fn pass(time: Time) {
    let mut clock = clock();
    clock.base += time;
    let own = time.scaled(clock.speed);
    clock.own += own;
}

/// A call is entered: if it asks the engine, the program has computed until now.
pub fn enter() {
    let reading = read();
    clock().entered = reading;
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

/// The call is submitted, and the rank goes on without the engine's answer: the clock goes on from what it showed after the last
/// one.
pub fn fall_behind(answered: Time) {
    let mut clock = clock();
    clock.base = answered;
    clock.since_base = Time::ZERO;
    IS_BEHIND.store(true, Ordering::Relaxed);
}

/// The engine's answer to the last call: the clock is so much later.
pub fn catch_up(later: Time) {
    let mut clock = clock();
    clock.base += later;
    clock.has_waited = true;
    IS_BEHIND.store(false, Ordering::Relaxed);
}

/// The present call is a poll that has found nothing without the engine: all of its time counts.
pub fn count_poll() {
    clock().polls = true;
}

/// The same of a poll that the engine has answered: its time from now on counts.
pub fn count_answered_poll() {
    let mut clock = clock();
    clock.polls = true;
    clock.begin();
}

/// The call is left: the program computes again. Gives the own time of a poll that has found nothing.
pub fn leave() -> Option<Time> {
    let mut clock = clock();
    if !clock.stands {
        return None;
    }
    clock.stands = false;
    if std::mem::take(&mut clock.polls) {
        let before = clock.own;
        clock.measure(read());
        return Some(clock.own - before);
    }
    clock.begin();
    None
}

/// What the clock shows as of the last stretch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reached {
    /// Virtual time.
    pub now: Time,
    /// Own computation and sleep.
    pub own: Time,
    /// What of that is sleep.
    pub slept: Time,
    /// How often the program has read a clock.
    pub readings: u64,
}

impl Reached {
    /// What the program has computed since then, without sleep.
    pub fn worked_since(&self, before: &Self) -> Time {
        self.own - before.own - (self.slept - before.slept)
    }
}

/// What the clock shows as of the last stretch.
pub fn reached() -> Reached {
    let clock = clock();
    Reached {
        now: clock.now(),
        own: clock.own,
        slept: clock.slept,
        readings: clock.readings,
    }
}

/// Virtual time of own time.
pub fn scaled(own: Time) -> Time {
    clock().scaled(own)
}

/// Own time of virtual time.
pub fn unscaled(time: Time) -> Time {
    let speed = clock().speed;
    if speed == 1.0 {
        time
    } else {
        time.scaled(speed)
    }
}

/// Whether the given times have not been enough.
pub fn is_out_of_times() -> bool {
    clock().is_out_of_times
}
