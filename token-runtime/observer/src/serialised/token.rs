//! The token of one computer: a rank that has it computes, the others sleep in the kernel and use no
//! time of the processor. Those that it goes round among are bound to one processor.

use super::queue::{Queue, Ticket};
use super::segment::Segment;
use native::affinity::{self, Allowed};
use std::time::Duration;

/// After so long a waiting rank looks whether the one that has the token still lives. A rank may
/// compute longer; looking takes microseconds.
const LIVENESS_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// In nanoseconds.
const SECOND: libc::c_long = 1_000_000_000;

/// This rank's share in the token.
pub struct Token {
    segment: Segment,
    process: u32,
    check_interval: Duration,
    /// The processor of all ranks of the computer; `None` if this one is not to be bound to it.
    processor: Option<u32>,
    /// Where this rank could run before it was bound.
    allowed: Option<Allowed>,
    /// This rank's place in the queue: it has the token while it is there, outside of [`Token::take`].
    ticket: Option<Ticket>,
}

impl Token {
    /// The token in memory that all ranks of the computer share. This rank does not have it.
    pub fn new(segment: Segment, processor: Option<u32>) -> Self {
        let process = std::process::id();
        Self {
            segment,
            process,
            check_interval: LIVENESS_CHECK_INTERVAL,
            processor,
            allowed: None,
            ticket: None,
        }
    }

    /// From now on this rank has the token whenever the program runs.
    pub fn begin(&mut self) {
        self.allowed = self.processor.and_then(affinity::bind);
        self.take();
    }

    /// This rank runs without the token again.
    pub fn end(&mut self) {
        self.release();
        self.allowed.take().into_iter().for_each(affinity::release);
    }

    /// Does something that waits in ways that are not known.
    pub fn without<T>(&mut self, wait: impl FnOnce() -> T) -> T {
        self.end();
        let result = wait();
        self.begin();
        result
    }

    /// Waits for the token.
    fn take(&mut self) {
        let queue = self.segment.queue();
        let ticket = queue.join(self.process);
        loop {
            let current = queue.current();
            if current == ticket {
                break;
            }
            if !sleep(&queue, current, ticket, self.check_interval) {
                wake(&queue, queue.remove_dead(is_alive));
            }
        }
        self.ticket = Some(ticket);
    }

    /// Gives the token up, if this rank has it.
    fn release(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            let queue = self.segment.queue();
            wake(&queue, queue.leave(ticket));
        }
    }

    /// Lets all ranks that wait for the token have it once.
    pub fn yield_to_waiters(&mut self) {
        let queue = self.segment.queue();
        if self
            .ticket
            .is_some_and(|ticket| queue.has_successor(ticket))
        {
            self.release();
            self.take();
        } else {
            // What this rank waits for is done by a process without the token.
            std::thread::yield_now();
        }
    }
}

/// Sleeps until this ticket may be served. `false` if it has waited long.
fn sleep(queue: &Queue, current: Ticket, ticket: Ticket, check_interval: Duration) -> bool {
    let mut until = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the clock writes to `until`. The kernel returns at once unless the word still has the
    // value that was seen, and otherwise when woken, interrupted, or at this time.
    unsafe {
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut until);
        until.tv_nsec += libc::c_long::from(check_interval.subsec_nanos());
        until.tv_sec += check_interval.as_secs() as libc::time_t + until.tv_nsec / SECOND;
        until.tv_nsec %= SECOND;
        let word = queue.served_word().as_ptr();
        let unused_word: *const u32 = std::ptr::null();
        let waited = libc::syscall(
            libc::SYS_futex,
            word,
            libc::FUTEX_WAIT_BITSET,
            current.0,
            &raw const until,
            unused_word,
            bit(ticket),
        );
        waited == 0 || *libc::__errno_location() != libc::ETIMEDOUT
    }
}

/// Wakes the process that waits with this ticket.
fn wake(queue: &Queue, ticket: Option<Ticket>) {
    let Some(ticket) = ticket else { return };
    let nothing: *const libc::timespec = std::ptr::null();
    let word = queue.served_word().as_ptr();
    // SAFETY: FUTEX_WAKE_BITSET uses the address as a key only, and ignores both null pointers.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word,
            libc::FUTEX_WAKE_BITSET,
            i32::MAX,
            nothing,
            nothing,
            bit(ticket),
        );
    }
}

/// The bit of this ticket in the futex bitset: the kernel wakes only sleepers that share a bit.
fn bit(ticket: Ticket) -> u32 {
    1 << (ticket.0 % u32::BITS)
}

/// Whether a process of this computer still runs; one that was killed and not yet waited for does not.
fn is_alive(process: u32) -> bool {
    let Ok(line) = std::fs::read_to_string(format!("/proc/{process}/stat")) else {
        return false;
    };
    // The state follows the name, which is in parentheses and may hold anything.
    let state = line
        .rsplit(')')
        .next()
        .and_then(|rest| rest.trim_start().chars().next());
    !matches!(state, Some('Z' | 'X'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Threads stand for ranks.
    fn token(segment: Segment) -> Token {
        Token {
            check_interval: Duration::from_millis(1),
            ..Token::new(segment, None)
        }
    }

    #[test]
    fn ranks_compute_one_at_a_time_in_order() {
        const RANKS: u32 = 5;
        const ROUNDS: u32 = 200;
        let segment = Segment::private(RANKS);
        let (inside, rounds) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..RANKS {
                scope.spawn(|| {
                    let mut token = token(segment);
                    token.begin();
                    for round in 0..ROUNDS {
                        assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0);
                        rounds.fetch_add(1, Ordering::Relaxed);
                        assert_eq!(inside.fetch_sub(1, Ordering::Relaxed), 1);
                        match round % 10 {
                            0 => token.without(std::thread::yield_now),
                            _ => token.yield_to_waiters(),
                        }
                    }
                    token.end();
                });
            }
        });
        assert_eq!(rounds.into_inner(), RANKS * ROUNDS);
    }

    #[test]
    fn token_of_a_dead_process_is_handed_over() {
        let segment = Segment::private(3);
        let mut child = Command::new("true").spawn().unwrap();
        segment.queue().join(child.id());
        child.wait().unwrap();
        segment.queue().join(child.id());
        let mut token = token(segment);
        token.begin();
        assert!(
            token
                .ticket
                .is_some_and(|ticket| segment.queue().current() == ticket)
        );
    }

    #[test]
    fn zombie_process_counts_as_dead() {
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        assert!(is_alive(child.id()));
        child.kill().unwrap();
        while is_alive(child.id()) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(!is_alive(child.id()));
    }
}
