//! The processor's cycle counter as a [`Clock`], calibrated against the monotonic clock over the
//! whole run; the monotonic clock itself where the counter does not run evenly.

use crate::page_faults;
use crate::run_queue::RunQueueWait;
use crate::system_clock::{self, RealInstant};
use base_data::compute_data::Unit;
use std::time::Duration;
use token_runtime::clock::Clock;

/// The rate of the counter is taken over at least this time: 50 ns of reading error are then
/// 0.01 %.
const SHORTEST: Duration = Duration::from_micros(500);

/// Reads the counter; knows how long a tick takes once it has run for a while.
#[derive(Debug)]
pub struct CycleClock {
    counter: bool,
    start: RealInstant,
    start_ticks: u64,
    /// Ticks per nanosecond, first estimate; 0 until it is asked for.
    rate: f64,
    /// Opened when it is asked for.
    run_queue: Option<RunQueueWait>,
}

impl Default for CycleClock {
    fn default() -> Self {
        Self::new()
    }
}

impl CycleClock {
    /// A clock that is calibrated from now on.
    pub fn new() -> Self {
        let counter = counter_is_even();
        let start = RealInstant::now();
        let mut clock = Self {
            counter,
            start,
            start_ticks: 0,
            rate: 0.0,
            run_queue: None,
        };
        clock.start_ticks = clock.now();
        clock
    }

    /// The same clock where it is the counter, which is read without a question.
    #[inline(always)]
    pub fn even(&mut self) -> Option<EvenClock<'_>> {
        if self.counter {
            Some(EvenClock(self))
        } else {
            None
        }
    }

    /// What it shows, of a reading of the counter that was taken beforehand.
    pub fn shown(&mut self, counter: u64) -> u64 {
        if self.counter { counter } else { self.now() }
    }

    /// A time in ticks.
    fn ticks(&mut self, time: Duration) -> u64 {
        if self.rate == 0.0 {
            self.rate = 1e3 / self.picoseconds_per_tick();
        }
        (time.as_nanos() as f64 * self.rate) as u64
    }

    fn elapsed(&mut self) -> (f64, f64) {
        while self.start.elapsed() < SHORTEST {
            std::hint::spin_loop();
        }
        let ticks = self.now() - self.start_ticks;
        (ticks as f64, self.start.elapsed().as_secs_f64() * 1e12)
    }
}

impl Clock for CycleClock {
    #[inline]
    fn now(&mut self) -> u64 {
        if self.counter {
            counter()
        } else {
            self.start.elapsed().as_nanos() as u64
        }
    }

    #[inline]
    fn glance(&mut self) -> u64 {
        if self.counter {
            counter_now()
        } else {
            self.now()
        }
    }

    fn processor(&mut self) -> Option<u64> {
        Some(self.ticks(system_clock::thread_time()))
    }

    fn queued(&mut self) -> Option<u64> {
        let run_queue = self
            .run_queue
            .get_or_insert_with(RunQueueWait::of_this_thread);
        let waited = run_queue.total()?;
        Some(self.ticks(waited))
    }

    fn page_faults(&mut self) -> u64 {
        page_faults::page_faults()
    }

    fn picoseconds_per_tick(&mut self) -> f64 {
        if !self.counter {
            return 1e3;
        }
        let (ticks, picoseconds) = self.elapsed();
        picoseconds / ticks.max(1.0)
    }

    fn unit(&self) -> Unit {
        Unit::Time
    }

    fn wall(&mut self) -> Duration {
        self.start.elapsed()
    }
}

/// A [`CycleClock`] that is the processor's counter.
#[derive(Debug)]
pub struct EvenClock<'a>(&'a mut CycleClock);

impl Clock for EvenClock<'_> {
    #[inline(always)]
    fn now(&mut self) -> u64 {
        counter()
    }

    #[inline(always)]
    fn glance(&mut self) -> u64 {
        counter_now()
    }

    fn processor(&mut self) -> Option<u64> {
        self.0.processor()
    }

    fn queued(&mut self) -> Option<u64> {
        self.0.queued()
    }

    fn page_faults(&mut self) -> u64 {
        self.0.page_faults()
    }

    fn picoseconds_per_tick(&mut self) -> f64 {
        self.0.picoseconds_per_tick()
    }

    fn unit(&self) -> Unit {
        Unit::Time
    }

    fn wall(&mut self) -> Duration {
        self.0.wall()
    }
}

/// Whether the counter runs at one rate in all states of the processor.
#[cfg(target_arch = "x86_64")]
fn counter_is_even() -> bool {
    const ADVANCED_POWER: u32 = 0x8000_0007;
    use std::arch::x86_64::__cpuid;
    __cpuid(0x8000_0000).eax >= ADVANCED_POWER && __cpuid(ADVANCED_POWER).edx & (1 << 8) != 0
}

#[cfg(not(target_arch = "x86_64"))]
fn counter_is_even() -> bool {
    false
}

/// The counter, read after all earlier instructions are done; 0 where there is none.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn counter() -> u64 {
    // SAFETY: every x86-64 processor has the instruction.
    unsafe { std::arch::x86_64::_mm_lfence() };
    counter_now()
}

/// The counter, read as soon as the processor gets to it.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn counter_now() -> u64 {
    // SAFETY: every x86-64 processor has the instruction.
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
pub fn counter() -> u64 {
    0
}

#[cfg(not(target_arch = "x86_64"))]
fn counter_now() -> u64 {
    0
}
