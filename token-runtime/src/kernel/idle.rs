//! How long ranks have done nothing but look in vain whether something has happened. A run in which
//! all ranks that do not wait have done so for too long will never go on. Not here: clocks, and what
//! happens then (package `mpi`).
//!
//! Time goes by in looks: each adds the little that it took to a sum of the whole run. A rank's own
//! time in vain is what was added since something last happened, a message or a collective for one, and
//! since the rank last worked. A rank that sleeps between its looks may wait for something outside the
//! program; its sleep counts a tenth.

use super::layout::header;
use super::slot::{self, word};
use super::{Memory, dispatcher};

/// Nanoseconds of looking in vain after which a run ends, where nobody has said otherwise.
pub const PATIENCE: u64 = 500_000_000;
/// The most that one look can add: what it takes to let another rank run on a busy computer.
const LONGEST: u64 = 100_000;
/// The share of its sleep that a rank's look adds, and of the patience that it adds at most.
const SLEEPING: u64 = 10;
/// A rank that has worked takes so many times as long from its time in vain. An interruption of the
/// process, which cannot be told from work, is short and rare.
const FORGIVEN: u64 = 50;

/// What a rank did between two looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Next to nothing.
    Nothing,
    /// It slept for so many nanoseconds.
    Sleep(u64),
    /// It worked for so many nanoseconds.
    Work(u64),
}

/// Something has happened that a rank may look for.
pub fn happened(memory: Memory<'_>) {
    memory.set(header::HAPPENED, memory.get(header::IN_VAIN));
}

/// A rank can go on in ways that are not seen here.
pub fn is_active(memory: Memory<'_>, rank: u32) {
    memory.set(slot::at(rank, word::ACTIVE), memory.get(header::IN_VAIN));
}

/// A rank has looked in vain at `now` (nanoseconds of a clock that all ranks share). Gives whether
/// nothing will ever happen.
pub fn looked(memory: Memory<'_>, rank: u32, now: u64, between: Between) -> bool {
    let since = now.saturating_sub(memory.get(header::LAST_LOOK)).min(LONGEST);
    memory.set(header::LAST_LOOK, now);
    match between {
        Between::Nothing => memory.add(header::IN_VAIN, since),
        Between::Sleep(time) => {
            let most = memory.get(header::PATIENCE) / SLEEPING;
            memory.add(header::IN_VAIN, (time / SLEEPING).min(most))
        }
        Between::Work(time) => {
            let active = begin(memory, rank) + time.saturating_mul(FORGIVEN);
            memory.set(slot::at(rank, word::ACTIVE), active.min(memory.get(header::IN_VAIN)));
            return false;
        }
    };
    is_endless(memory, rank)
}

/// Whether this rank, and then each that could go on, has looked in vain for too long.
fn is_endless(memory: Memory<'_>, rank: u32) -> bool {
    let is_out_of_patience = |rank| {
        let patience = memory.get(header::PATIENCE);
        patience > 0 && memory.get(header::IN_VAIN) - begin(memory, rank) >= patience
    };
    let ranks = memory.get(header::RANKS) as u32;
    is_out_of_patience(rank)
        && (0..ranks).filter(|&rank| dispatcher::is_runnable(memory, rank)).all(is_out_of_patience)
}

/// Where a rank's time in vain begins.
fn begin(memory: Memory<'_>, rank: u32) -> u64 {
    memory.get(slot::at(rank, word::ACTIVE)).max(memory.get(header::HAPPENED))
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use crate::kernel::layout::tests::fresh;

    /// Two ranks that can go on look in turn, every `period` nanoseconds, and between two looks of its
    /// own the second does what `between` says of its n-th; gives the time until the run is endless, if
    /// that is within 2 s.
    fn endless(period: u64, between: impl Fn(u64) -> Between) -> Option<u64> {
        let words = fresh(2, 0);
        let memory = Memory::new(&words);
        (0..2).for_each(|rank| dispatcher::set_runnable(memory, rank, true));
        let look = |number: u64| match number % 2 {
            0 => looked(memory, 0, number * period, Between::Nothing),
            _ => looked(memory, 1, number * period, between(number / 2)),
        };
        (1..2_000_000_000 / period).find(|&number| look(number)).map(|number| number * period)
    }

    #[test]
    fn half_a_second_of_looking_is_endless_however_quick_a_look_is() {
        for period in [1_000, 40_000] {
            let time = endless(period, |_| Between::Nothing).unwrap();
            assert!((500_000_000..501_000_000).contains(&time), "{time} ns at {period} ns");
        }
    }

    #[test]
    fn a_rank_that_works_may_look_for_ever_whatever_others_do() {
        assert_eq!(endless(10_000, |_| Between::Work(5_000)), None);
        let now_and_then = |number| if number % 10 == 0 { Between::Work(3_000) } else { Between::Nothing };
        assert_eq!(endless(2_000, now_and_then), None);
        let words = fresh(2, 0);
        let memory = Memory::new(&words);
        (0..2).for_each(|rank| dispatcher::set_runnable(memory, rank, true));
        for now in (0..500_000_000_000).step_by(100_000_000) {
            assert!(!looked(memory, 0, now, Between::Sleep(50_000_000)));
            assert!(!looked(memory, 1, now, Between::Work(50_000_000)));
        }
    }

    #[test]
    fn sleep_counts_a_tenth() {
        // Ten looks at least, however long a sleep is.
        for (sleep, looks) in [(100_000, 50_000), (10_000_000, 500), (2 * PATIENCE, 10), (10 * PATIENCE, 10)]
        {
            let words = fresh(1, 0);
            let look = |number: &u64| looked(Memory::new(&words), 0, number * sleep, Between::Sleep(sleep));
            assert_eq!((1..).find(look), Some(looks), "{sleep} ns");
        }
    }

    #[test]
    fn an_interruption_now_and_then_is_no_work() {
        let rarely = |number| if number % 2_000 == 0 { Between::Work(5_000) } else { Between::Nothing };
        assert!(endless(1_000, rarely).is_some_and(|time| time < 600_000_000));
    }

    #[test]
    fn those_who_wait_do_not_count_and_threads_may_always_go_on() {
        let words = fresh(3, 0);
        let memory = Memory::new(&words);
        dispatcher::set_runnable(memory, 1, true);
        let look = |number: u64| looked(memory, 1, number * LONGEST, Between::Nothing);
        assert_eq!((1..).find(|&number| look(number)), Some(5_000));
        dispatcher::set_runnable(memory, 2, true);
        is_active(memory, 2);
        assert!(!look(5_001));
        assert_eq!((5_002..).find(|&number| look(number)), Some(10_000));
    }

    #[test]
    fn what_happens_begins_anew_and_patience_can_be_endless() {
        let words = fresh(2, 0);
        let memory = Memory::new(&words);
        let mut looks = (1..).map(|number| looked(memory, 0, number * LONGEST, Between::Nothing));
        assert!(looks.by_ref().take(4_999).all(|endless| !endless));
        happened(memory);
        assert!(looks.by_ref().take(4_999).all(|endless| !endless));
        assert_eq!(looks.next(), Some(true));
        memory.set(header::PATIENCE, 0);
        assert_eq!(looks.next(), Some(false));
    }
}
