//! Poll timeout: how long ranks have polled without progress. A run in which
//! all ranks that do not wait have done so for too long will never progress. The package `mpi` reads the
//! clocks and ends the run.
//!
//! Each failed poll adds its duration to a sum of the whole run. The failed time of a rank is the part of
//! the sum that was added since the last progress, such as a message or a collective, and
//! since the rank last worked. A rank that sleeps between polls may wait for something outside the
//! program; a tenth of its sleep counts.

use super::layout::header;
use super::slot::{self, word};
use super::{Memory, dispatcher};

/// Default poll timeout in nanoseconds.
pub const DEFAULT_POLL_TIMEOUT: u64 = 500_000_000;
/// The most that one look can add: what it takes to let another rank run on a busy computer.
const MAX_POLL_COST: u64 = 100_000;
/// The share of its sleep that a rank's look adds, and the share of the timeout that it adds at most.
const SLEEP_DIVISOR: u64 = 10;
/// Work of a rank reduces its failed time by this multiple of the duration of the work. An interruption of the
/// process, which cannot be distinguished from work, is short and rare.
const WORK_CREDIT: u64 = 50;

/// What a rank did between two looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BetweenPolls {
    /// Next to nothing.
    Nothing,
    /// It slept for so many nanoseconds.
    Sleep(u64),
    /// It worked for so many nanoseconds.
    Work(u64),
}

/// Something has happened that a rank may look for.
pub fn record_progress(memory: Memory<'_>) {
    memory.set(header::LAST_PROGRESS, memory.get(header::FAILED_POLL_TIME));
}

/// A rank can go on in ways that are not seen here.
pub fn mark_active(memory: Memory<'_>, rank: u32) {
    memory.set(
        slot::at(rank, word::LAST_ACTIVE),
        memory.get(header::FAILED_POLL_TIME),
    );
}

/// A poll of a rank has failed at `now` (nanoseconds of a clock that all ranks share). Returns whether
/// the run has reached its poll timeout.
pub fn failed_poll(memory: Memory<'_>, rank: u32, now: u64, since_last: BetweenPolls) -> bool {
    // The time since any rank's last failed poll, limited: a rank that was preempted between two polls would
    // otherwise use up the timeout of all.
    let since = now
        .saturating_sub(memory.get(header::LAST_FAILED_POLL))
        .min(MAX_POLL_COST);
    memory.set(header::LAST_FAILED_POLL, now);
    match since_last {
        BetweenPolls::Nothing => memory.add(header::FAILED_POLL_TIME, since),
        BetweenPolls::Sleep(time) => {
            let most = memory.get(header::POLL_TIMEOUT) / SLEEP_DIVISOR;
            memory.add(header::FAILED_POLL_TIME, (time / SLEEP_DIVISOR).min(most))
        }
        BetweenPolls::Work(time) => {
            // Work may be progress towards the condition that the rank polls for. It never moves the start into
            // the future, or the timeout would not be reached after the work ends.
            let active = failed_since(memory, rank) + time.saturating_mul(WORK_CREDIT);
            memory.set(
                slot::at(rank, word::LAST_ACTIVE),
                active.min(memory.get(header::FAILED_POLL_TIME)),
            );
            return false;
        }
    };
    has_timed_out(memory, rank)
}

/// Whether this rank, and then each that could go on, has reached the poll timeout.
fn has_timed_out(memory: Memory<'_>, rank: u32) -> bool {
    let exceeds_timeout = |rank| {
        let poll_timeout = memory.get(header::POLL_TIMEOUT);
        poll_timeout > 0
            && memory.get(header::FAILED_POLL_TIME) - failed_since(memory, rank) >= poll_timeout
    };
    let ranks = memory.get(header::RANKS) as u32;
    // The polling rank first: the scan over all ranks then happens only when the run is about to end. A rank that is
    // not runnable waits for one of the others.
    exceeds_timeout(rank)
        && (0..ranks)
            .filter(|&rank| dispatcher::is_runnable(memory, rank))
            .all(exceeds_timeout)
}

/// Start of the failed time of a rank, on the axis of the sum.
fn failed_since(memory: Memory<'_>, rank: u32) -> u64 {
    memory
        .get(slot::at(rank, word::LAST_ACTIVE))
        .max(memory.get(header::LAST_PROGRESS))
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use crate::kernel::layout::tests::fresh;

    /// Two ranks that can go on look in turn, every `period` nanoseconds, and between two looks of its
    /// own the second does what `since_last` says of its n-th; gives the time until the run is endless, if
    /// that is within 2 s.
    fn endless(period: u64, since_last: impl Fn(u64) -> BetweenPolls) -> Option<u64> {
        let words = fresh(2, 0);
        let memory = Memory::new(&words);
        (0..2).for_each(|rank| dispatcher::set_runnable(memory, rank, true));
        let look = |number: u64| match number % 2 {
            0 => failed_poll(memory, 0, number * period, BetweenPolls::Nothing),
            _ => failed_poll(memory, 1, number * period, since_last(number / 2)),
        };
        (1..2_000_000_000 / period)
            .find(|&number| look(number))
            .map(|number| number * period)
    }

    #[test]
    fn polling_times_out_independent_of_poll_cost() {
        for period in [1_000, 40_000] {
            let time = endless(period, |_| BetweenPolls::Nothing).unwrap();
            assert!(
                (500_000_000..501_000_000).contains(&time),
                "{time} ns at {period} ns"
            );
        }
    }

    #[test]
    fn working_rank_never_times_out() {
        assert_eq!(endless(10_000, |_| BetweenPolls::Work(5_000)), None);
        let now_and_then = |number| {
            if number % 10 == 0 {
                BetweenPolls::Work(3_000)
            } else {
                BetweenPolls::Nothing
            }
        };
        assert_eq!(endless(2_000, now_and_then), None);
        let words = fresh(2, 0);
        let memory = Memory::new(&words);
        (0..2).for_each(|rank| dispatcher::set_runnable(memory, rank, true));
        for now in (0..500_000_000_000).step_by(100_000_000) {
            assert!(!failed_poll(
                memory,
                0,
                now,
                BetweenPolls::Sleep(50_000_000)
            ));
            assert!(!failed_poll(memory, 1, now, BetweenPolls::Work(50_000_000)));
        }
    }

    #[test]
    fn sleep_counts_a_tenth() {
        // Ten looks at least, however long a sleep is.
        for (sleep, looks) in [
            (100_000, 50_000),
            (10_000_000, 500),
            (2 * DEFAULT_POLL_TIMEOUT, 10),
            (10 * DEFAULT_POLL_TIMEOUT, 10),
        ] {
            let words = fresh(1, 0);
            let look = |number: &u64| {
                failed_poll(
                    Memory::new(&words),
                    0,
                    number * sleep,
                    BetweenPolls::Sleep(sleep),
                )
            };
            assert_eq!((1..).find(look), Some(looks), "{sleep} ns");
        }
    }

    #[test]
    fn rare_interruptions_do_not_count_as_work() {
        let rarely = |number| {
            if number % 2_000 == 0 {
                BetweenPolls::Work(5_000)
            } else {
                BetweenPolls::Nothing
            }
        };
        assert!(endless(1_000, rarely).is_some_and(|time| time < 600_000_000));
    }

    #[test]
    fn waiting_ranks_are_ignored_and_threads_never_time_out() {
        let words = fresh(3, 0);
        let memory = Memory::new(&words);
        dispatcher::set_runnable(memory, 1, true);
        let look =
            |number: u64| failed_poll(memory, 1, number * MAX_POLL_COST, BetweenPolls::Nothing);
        assert_eq!((1..).find(|&number| look(number)), Some(5_000));
        dispatcher::set_runnable(memory, 2, true);
        mark_active(memory, 2);
        assert!(!look(5_001));
        assert_eq!((5_002..).find(|&number| look(number)), Some(10_000));
    }

    #[test]
    fn progress_resets_the_timeout_and_zero_disables_it() {
        let words = fresh(2, 0);
        let memory = Memory::new(&words);
        let mut looks = (1..)
            .map(|number| failed_poll(memory, 0, number * MAX_POLL_COST, BetweenPolls::Nothing));
        assert!(looks.by_ref().take(4_999).all(|endless| !endless));
        record_progress(memory);
        assert!(looks.by_ref().take(4_999).all(|endless| !endless));
        assert_eq!(looks.next(), Some(true));
        memory.set(header::POLL_TIMEOUT, 0);
        assert_eq!(looks.next(), Some(false));
    }
}
