//! An event queue of ranks, a calendar queue (R. Brown, Communications of the ACM 31(10), 1988): time is divided into
//! buckets of equal width, each with the ranks whose next event falls into it, in no order. The width is at
//! most the lookahead, the shortest latency of a message to another rank. So the events of different ranks
//! within one bucket are independent.
//!
//! The buckets near the current one lie in a ring; later events lie in a heap until the ring reaches them.

use base_data::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Buckets in the ring; a multiple of [`WORD`].
const RING: u64 = 4096;
const WORD: u64 = 64;

/// Ranks by the bucket of their next event.
#[derive(Debug)]
pub(super) struct CalendarQueue {
    bucket_width: i64,
    current_bucket: u64,
    ring: Vec<Vec<u32>>,
    /// Memory of buckets that were taken, the last on top: that is still in the cache.
    spare: Vec<Vec<u32>>,
    /// One bit per bucket of the ring: whether it has any rank.
    occupied: Vec<u64>,
    overflow: BinaryHeap<Reverse<(u64, u32)>>,
    /// By rank: the earliest bucket it is entered in.
    entered: Vec<u64>,
}

/// Entered in no bucket.
const NEVER: u64 = u64::MAX;

impl Default for CalendarQueue {
    fn default() -> Self {
        Self {
            bucket_width: 1,
            current_bucket: 0,
            ring: (0..RING).map(|_| Vec::new()).collect(),
            spare: Vec::new(),
            occupied: vec![0; (RING / WORD) as usize],
            overflow: BinaryHeap::new(),
            entered: Vec::new(),
        }
    }
}

impl CalendarQueue {
    /// Empties the queue for a number of ranks and a bucket width.
    pub(super) fn reset(&mut self, ranks: usize, bucket_width: Time) {
        self.bucket_width = bucket_width.picoseconds().max(1);
        self.current_bucket = 0;
        self.ring.iter_mut().for_each(Vec::clear);
        self.occupied.fill(0);
        self.overflow.clear();
        self.entered.clear();
        self.entered.resize(ranks, NEVER);
    }

    /// When the current bucket ends.
    pub(super) fn end_of_bucket(&self) -> Time {
        let end = i128::from(self.bucket_width) * (i128::from(self.current_bucket) + 1);
        Time::from_picoseconds(i64::try_from(end).unwrap_or(i64::MAX))
    }

    /// Enters a rank into the bucket of its next event, which is not before the current bucket.
    #[inline]
    pub(super) fn enter(&mut self, rank: u32, at: Time) {
        // A rank may be entered again in the current bucket; one before it would never be taken.
        let bucket = ((at.picoseconds() / self.bucket_width) as u64).max(self.current_bucket);
        let entered = &mut self.entered[rank as usize];
        // Only an earlier bucket changes when the rank is taken. The later entry stays and is ignored when
        // its bucket is taken.
        if bucket < *entered {
            *entered = bucket;
            self.put(bucket, rank);
        }
    }

    #[inline]
    fn put(&mut self, bucket: u64, rank: u32) {
        if bucket - self.current_bucket < RING {
            let place = bucket % RING;
            let bucket = &mut self.ring[place as usize];
            if bucket.capacity() == 0
                && let Some(spare) = self.spare.pop()
            {
                *bucket = spare;
            }
            bucket.push(rank);
            self.occupied[(place / WORD) as usize] |= 1 << (place % WORD);
        } else {
            self.overflow.push(Reverse((bucket, rank)));
        }
    }

    /// Takes the ranks of the next bucket that has any into `ranks`; false if there is none.
    pub(super) fn next_bucket(&mut self, ranks: &mut Vec<u32>) -> bool {
        ranks.clear();
        while ranks.is_empty() {
            // The ring has moved with the current bucket: entries of the heap may fall into it now.
            self.refill_buckets();
            if let Some(ahead) = self.first_occupied() {
                self.current_bucket += ahead;
            } else if let Some(&Reverse((bucket, _))) = self.overflow.peek() {
                self.current_bucket = bucket;
                continue;
            } else {
                return false;
            }
            self.take_current_bucket(ranks);
        }
        true
    }

    fn take_current_bucket(&mut self, ranks: &mut Vec<u32>) {
        let place = self.current_bucket % RING;
        self.occupied[(place / WORD) as usize] &= !(1 << (place % WORD));
        let bucket = std::mem::take(&mut self.ring[place as usize]);
        ranks.clear();
        self.spare.push(std::mem::replace(ranks, bucket));
        let Self {
            entered,
            current_bucket,
            ..
        } = self;
        // A rank that was entered in an earlier bucket afterwards has been taken with that bucket.
        ranks.retain(|&rank| {
            let valid = entered[rank as usize] == *current_bucket;
            if valid {
                entered[rank as usize] = NEVER;
            }
            valid
        });
        // Their order does not matter; neighbours in memory are mostly neighbours in the program, too. That makes
        // `replay.timed_growth_8192` a fifth smaller.
        ranks.sort_unstable();
    }

    /// Moves the entries of the heap that fall into the ring.
    fn refill_buckets(&mut self) {
        while let Some(&Reverse((bucket, rank))) = self.overflow.peek() {
            if bucket - self.current_bucket >= RING {
                return;
            }
            self.overflow.pop();
            self.put(bucket, rank);
        }
    }

    /// How many buckets ahead the next one with any rank is.
    fn first_occupied(&self) -> Option<u64> {
        let (start, words) = (self.current_bucket % RING, RING / WORD);
        // The first word is visited twice: first its buckets from the current one on, last those that have
        // wrapped around.
        (0..=words).find_map(|step| {
            let word = (start / WORD + step) % words;
            let bits = self.occupied[word as usize];
            let bits = match step {
                0 => bits & (u64::MAX << (start % WORD)),
                last if last == words => bits & !(u64::MAX << (start % WORD)),
                _ => bits,
            };
            let place = word * WORD + u64::from(bits.trailing_zeros());
            (bits != 0).then(|| (place + RING - start) % RING)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Ranks are taken from buckets while they are entered in later ones.
    #[test]
    fn ranks_leave_the_queue_in_time_order() {
        let mut random = Random::stream(&[7]);
        for bucket_width in [1, 10, 1000] {
            let mut calendar = CalendarQueue::default();
            calendar.reset(5, Time::from_picoseconds(bucket_width));
            let mut expected = [None; 5];
            let mut bucket = 0;
            let mut ranks = Vec::new();
            for turn in 0..2000 {
                let rank = (random.unit() * 5.0) as usize;
                let far = [3.0, 300.0, 30_000.0, 3_000_000.0][turn % 4];
                let at = (bucket + (random.unit() * far) as u64 + 1) * bucket_width as u64;
                expected[rank] = Some(expected[rank].map_or(at, |known: u64| known.min(at)));
                calendar.enter(rank as u32, Time::from_picoseconds(at as i64));
                if turn % 3 > 0 {
                    continue;
                }
                assert!(calendar.next_bucket(&mut ranks));
                let earliest = expected.iter().flatten().min().copied().unwrap();
                bucket = earliest / bucket_width as u64;
                let due = |rank: &usize| {
                    expected[*rank].is_some_and(|at| at / bucket_width as u64 == bucket)
                };
                let due: Vec<u32> = (0..5).filter(due).map(|rank| rank as u32).collect();
                ranks.sort_unstable();
                assert_eq!(ranks, due);
                due.iter().for_each(|&rank| expected[rank as usize] = None);
                assert_eq!(
                    calendar.end_of_bucket().picoseconds(),
                    (bucket as i64 + 1) * bucket_width
                );
            }
        }
    }
}
