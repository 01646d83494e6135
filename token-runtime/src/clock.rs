//! The clock of a rank's own computation, as a trait: the cycle counter is read in the package
//! `mpi` (it needs an instruction of the processor), tests give the times they want.

/// A clock that one rank reads.
pub trait Clock {
    /// Ticks since some point in the past; must be as cheap as possible to read.
    fn now(&mut self) -> u64;

    /// Processor time of this thread in ticks, if the system tells; may cost a system call.
    fn processor(&mut self) -> Option<u64>;

    /// Picoseconds of a tick; called once, at the end of the run.
    fn picoseconds_per_tick(&mut self) -> f64;
}

/// A clock whose readings are set beforehand.
#[derive(Clone, Debug, Default)]
pub struct MockClock {
    /// The time it shows; a tick is a picosecond.
    pub time: u64,
    /// The processor time it shows.
    pub processor: Option<u64>,
}

impl Clock for MockClock {
    fn now(&mut self) -> u64 {
        self.time
    }

    fn processor(&mut self) -> Option<u64> {
        self.processor
    }

    fn picoseconds_per_tick(&mut self) -> f64 {
        1.0
    }
}
