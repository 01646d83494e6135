//! The system's clocks, read without the C library: the MPI library replaces its functions, which show an emulated program virtual
//! time. What the runtime itself measures is real time.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// A point of real time, as [`std::time::Instant`] is where no clock is virtual.
#[derive(Clone, Copy, Debug)]
pub struct RealInstant(Duration);

impl RealInstant {
    /// Now.
    pub fn now() -> Self {
        Self(monotonic())
    }

    /// Time since then.
    pub fn elapsed(&self) -> Duration {
        monotonic().saturating_sub(self.0)
    }
}

/// Time since some point in the past, the same for all processes.
pub fn monotonic() -> Duration {
    read(ClockId::Monotonic)
}

/// Time that the processor has worked for this thread.
pub fn thread_time() -> Duration {
    read(ClockId::ThreadCPUTime)
}

/// Time that processors have worked for this process.
pub fn process_time() -> Duration {
    read(ClockId::ProcessCPUTime)
}

fn read(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    // Neither is negative: both clocks begin at 0.
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes() {
        let start = RealInstant::now();
        let before = thread_time();
        while start.elapsed() < Duration::from_millis(2) {
            std::hint::spin_loop();
        }
        assert!(thread_time() > before);
    }
}
