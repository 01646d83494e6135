//! The counter of executed statements as a [`Clock`]: probes that count call `mpiete_count_`, which
//! both libraries export. A library that finds a count above zero when `MPI_Init` is entered measures
//! with this clock instead of the cycle counter. It needs no setting, and other load on the machine does not change it.

use crate::cycle_clock::{CycleClock, EvenClock};
use crate::system_clock::RealInstant;
use base_data::compute_data::Unit;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use token_runtime::clock::Clock;

/// Statements this process has executed, over all its threads.
static EXECUTED: AtomicU64 = AtomicU64::new(0);

/// So many statements are executed now.
#[inline]
pub fn count(statements: u64) {
    EXECUTED.fetch_add(statements, Ordering::Relaxed);
}

/// Shows the statements counted; a tick is a statement, and one picosecond stands for it.
#[derive(Debug)]
pub struct StatementClock {
    started: RealInstant,
}

impl StatementClock {
    /// The clock, if any statement was counted up to now.
    pub fn if_counting() -> Option<Self> {
        if EXECUTED.load(Ordering::Relaxed) > 0 {
            Some(Self {
                started: RealInstant::now(),
            })
        } else {
            None
        }
    }
}

impl Clock for StatementClock {
    #[inline]
    fn now(&mut self) -> u64 {
        EXECUTED.load(Ordering::Relaxed)
    }

    fn processor(&mut self) -> Option<u64> {
        None
    }

    fn picoseconds_per_tick(&mut self) -> f64 {
        1.0
    }

    fn unit(&self) -> Unit {
        Unit::Statements
    }

    fn wall(&mut self) -> Duration {
        self.started.elapsed()
    }
}

/// The clock of a rank: whichever its program brings.
#[derive(Debug)]
pub enum RankClock {
    /// Of a program that counts nothing.
    Cycles(CycleClock),
    /// Of a probe that counts.
    Statements(StatementClock),
}

impl RankClock {
    /// The clock to use from `MPI_Init` on.
    pub fn new() -> Self {
        StatementClock::if_counting()
            .map_or_else(|| Self::Cycles(CycleClock::new()), Self::Statements)
    }
}

impl RankClock {
    /// The processor's counter, if that is this rank's clock.
    #[inline(always)]
    pub fn even(&mut self) -> Option<EvenClock<'_>> {
        match self {
            RankClock::Cycles(clock) => clock.even(),
            RankClock::Statements(_) => None,
        }
    }

    /// What it shows, of a reading of the counter that was taken beforehand.
    pub fn shown(&mut self, counter: u64) -> u64 {
        match self {
            RankClock::Cycles(clock) => clock.shown(counter),
            RankClock::Statements(clock) => clock.now(),
        }
    }
}

impl Default for RankClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for RankClock {
    #[inline]
    fn now(&mut self) -> u64 {
        match self {
            RankClock::Cycles(clock) => clock.now(),
            RankClock::Statements(clock) => clock.now(),
        }
    }

    #[inline]
    fn glance(&mut self) -> u64 {
        match self {
            RankClock::Cycles(clock) => clock.glance(),
            RankClock::Statements(clock) => clock.glance(),
        }
    }

    fn processor(&mut self) -> Option<u64> {
        match self {
            RankClock::Cycles(clock) => clock.processor(),
            RankClock::Statements(clock) => clock.processor(),
        }
    }

    fn queued(&mut self) -> Option<u64> {
        match self {
            RankClock::Cycles(clock) => clock.queued(),
            RankClock::Statements(clock) => clock.queued(),
        }
    }

    fn page_faults(&mut self) -> u64 {
        match self {
            RankClock::Cycles(clock) => clock.page_faults(),
            RankClock::Statements(clock) => clock.page_faults(),
        }
    }

    fn picoseconds_per_tick(&mut self) -> f64 {
        match self {
            RankClock::Cycles(clock) => clock.picoseconds_per_tick(),
            RankClock::Statements(clock) => clock.picoseconds_per_tick(),
        }
    }

    fn unit(&self) -> Unit {
        match self {
            RankClock::Cycles(clock) => clock.unit(),
            RankClock::Statements(clock) => clock.unit(),
        }
    }

    fn wall(&mut self) -> Duration {
        match self {
            RankClock::Cycles(clock) => clock.wall(),
            RankClock::Statements(clock) => clock.wall(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_statement_counts_select_the_statement_clock() {
        assert_eq!(RankClock::new().unit(), Unit::Time);
        count(3);
        let mut clock = RankClock::new();
        assert_eq!(
            (clock.unit(), clock.now(), clock.processor()),
            (Unit::Statements, 3, None)
        );
        count(4);
        assert_eq!((clock.now(), clock.picoseconds_per_tick()), (7, 1.0));
    }
}
