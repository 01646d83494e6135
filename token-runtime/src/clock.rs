//! The clock of a rank's own computation, as a trait: the cycle counter and the counter of
//! statements are in the package `native`, tests give the times they want.

use base_data::compute_data::Unit;
use std::time::Duration;

/// A clock that one rank reads.
pub trait Clock {
    /// Ticks since some point in the past; must be as cheap as possible to read.
    fn now(&mut self) -> u64;

    /// The same, cheaper, and perhaps some nanoseconds early: for intervals that are much longer.
    #[inline]
    fn glance(&mut self) -> u64 {
        self.now()
    }

    /// Processor time of this thread in ticks, if the system reports it; may cost a system call.
    fn processor(&mut self) -> Option<u64>;

    /// Ticks for which this thread has waited for a processor that others had, if the system reports it; costs a system call.
    fn queued(&mut self) -> Option<u64> {
        None
    }

    /// Pages of memory that this process has found missing so far; costs a system call. None by a clock that no page delays.
    fn page_faults(&mut self) -> u64 {
        0
    }

    /// Picoseconds of a tick (1 for a clock of statements, of which one stands for a picosecond); best
    /// known at the end of the run.
    fn picoseconds_per_tick(&mut self) -> f64;

    /// What its ticks measure.
    fn unit(&self) -> Unit;

    /// Time that has passed since some point in the past, whatever the ticks measure: what budgets are
    /// spent in.
    fn wall(&mut self) -> Duration;
}

/// A clock whose readings are set beforehand.
#[derive(Clone, Debug, Default)]
pub struct MockClock {
    /// The time it shows; a tick is a picosecond.
    pub time: u64,
    /// The processor time it shows.
    pub processor: Option<u64>,
    /// The waits for a processor that it shows.
    pub queued: Option<u64>,
    /// What its ticks measure.
    pub unit: Unit,
    /// Pages that were found missing.
    pub page_faults: u64,
}

impl Clock for MockClock {
    fn now(&mut self) -> u64 {
        self.time
    }

    fn processor(&mut self) -> Option<u64> {
        self.processor
    }

    fn queued(&mut self) -> Option<u64> {
        self.queued
    }

    fn page_faults(&mut self) -> u64 {
        self.page_faults
    }

    fn picoseconds_per_tick(&mut self) -> f64 {
        1.0
    }

    fn unit(&self) -> Unit {
        self.unit
    }

    fn wall(&mut self) -> Duration {
        Duration::from_nanos(self.time / 1000)
    }
}
