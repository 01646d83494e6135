//! How long the ranks have done nothing but look in vain whether something has happened. What happens
//! ends that time; a rank that has something else to do between its looks takes much more from it than
//! a look adds. Not here: what happens when it gets too long, and the clock (package `mpi`).

use super::Memory;
use super::layout::header;

/// Nanoseconds of looking in vain after which the ranks will go on for ever.
const ENDLESS: u64 = 500_000_000;
/// The most that one look can add: what it takes to let another rank run on a busy computer.
const LONGEST: u64 = 100_000;
/// What a rank takes away that did something else between its looks: an interruption of the process,
/// which cannot be told from that, comes much more rarely.
const FORGIVEN: u64 = 100_000;

/// Something has happened that a rank may look for.
pub fn happened(memory: Memory<'_>) {
    memory.set(header::IDLE, 0);
}

/// A rank has looked in vain at `now` (nanoseconds of a clock that all ranks share). Gives whether
/// this has gone on for so long that nothing will ever happen.
pub fn looked(memory: Memory<'_>, now: u64) -> bool {
    let since = now.saturating_sub(memory.get(header::LAST_LOOK)).min(LONGEST);
    memory.set(header::LAST_LOOK, now);
    let idle = memory.get(header::IDLE) + since;
    memory.set(header::IDLE, idle);
    idle >= ENDLESS
}

/// A rank has looked in vain at `now`, after it did something else.
pub fn was_busy(memory: Memory<'_>, now: u64) {
    memory.set(header::LAST_LOOK, now);
    memory.set(header::IDLE, memory.get(header::IDLE).saturating_sub(FORGIVEN));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::layout::tests::fresh;

    /// Looks every `period` nanoseconds, the first of `group` after something else; gives the time
    /// until it is endless, if that is within 10 s.
    fn endless(period: u64, group: Option<u64>) -> Option<u64> {
        let words = fresh(2, 0);
        let memory = Memory::new(&words);
        (1..10_000_000_000 / period).map(|number| (number, number * period)).find_map(|(number, now)| {
            match group {
                Some(group) if number % group == 0 => {
                    was_busy(memory, now);
                    None
                }
                Some(_) | None => looked(memory, now).then_some(now),
            }
        })
    }

    #[test]
    fn half_a_second_of_looking_is_endless_however_quick_a_look_is() {
        for period in [500, 3_000, 40_000] {
            let time = endless(period, None).unwrap();
            assert!((500_000_000..501_000_000).contains(&time), "{time} ns at {period} ns");
        }
    }

    #[test]
    fn a_rank_that_does_something_else_may_look_for_ever() {
        assert_eq!(endless(10_000, Some(2)), None);
        assert_eq!(endless(2_000, Some(10)), None);
    }

    #[test]
    fn an_interruption_now_and_then_is_nothing_else_to_do() {
        assert!(endless(1_000, Some(4_000)).is_some_and(|time| time < 600_000_000));
    }

    #[test]
    fn what_happens_begins_anew() {
        let words = fresh(2, 0);
        let memory = Memory::new(&words);
        let mut looks = (1..).map(|number| looked(memory, number * LONGEST));
        assert!(looks.by_ref().take(4_999).all(|endless| !endless));
        happened(memory);
        assert!(looks.by_ref().take(4_999).all(|endless| !endless));
        assert_eq!(looks.next(), Some(true));
    }
}
