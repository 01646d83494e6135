//! Iterations of a loop as entries of a stream: equal ones that follow each other become a loop, and so do periods of iterations,
//! as those of `compute(k % 7)`. The replay passes equal iterations at once, so a stream should contain loops where it can.

use base_data::hashing::{NumberHasher, NumberMap};
use base_data::program_data::{Count, Op};
use std::hash::{Hash, Hasher};

/// Longest period that is looked for, in groups of equal iterations.
const LONGEST_PERIOD: usize = 64;

/// The iterations of a loop that were executed.
#[derive(Default)]
pub(crate) struct Iterations {
    /// Different iterations.
    bodies: Vec<Vec<Op>>,
    /// How many groups have each of them.
    uses: Vec<u32>,
    by_hash: NumberMap<u64, Vec<usize>>,
    /// Groups of equal iterations in the order of execution.
    groups: Vec<Group>,
    /// Entries of all bodies.
    entries: usize,
}

/// Equal iterations that follow each other.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Group {
    body: usize,
    times: u64,
}

impl Iterations {
    /// Adds equal iterations. Those without entries leave no trace.
    pub(crate) fn add(&mut self, ops: Vec<Op>, times: u64) {
        if ops.is_empty() {
            return;
        }
        let mut hasher = NumberHasher::default();
        ops.hash(&mut hasher);
        let candidates = self.by_hash.entry(hasher.finish()).or_default();
        let known = candidates
            .iter()
            .copied()
            .find(|&body| self.bodies[body] == ops);
        let body = known.unwrap_or_else(|| {
            candidates.push(self.bodies.len());
            self.entries += ops.len();
            self.bodies.push(ops);
            self.uses.push(0);
            self.bodies.len() - 1
        });
        match self.groups.last_mut() {
            Some(last) if last.body == body => last.times += times,
            _ => {
                self.groups.push(Group { body, times });
                self.uses[body] += 1;
            }
        }
    }

    /// What is kept of the iterations: entries and groups.
    pub(crate) fn len(&self) -> usize {
        self.entries + self.groups.len()
    }

    /// Adds the entries to a stream that may grow to `most`; `None` if they are more. `is_rolled` says whether periods become
    /// loops.
    pub(crate) fn write(&self, ops: &mut Vec<Op>, is_rolled: bool, most: usize) -> Option<()> {
        let mut rest = &self.groups[..];
        while !rest.is_empty() {
            let period = match is_rolled {
                true => self.period(rest),
                false => None,
            };
            match period {
                None => {
                    self.write_groups(&rest[..1], ops, most)?;
                    rest = &rest[1..];
                }
                Some((length, times)) => {
                    let at = ops.len();
                    self.write_groups(&rest[..length], ops, most)?;
                    let body = (ops.len() - at) as u32;
                    let count = Count::Constant(times as u64);
                    ops.insert(at, Op::Loop { count, body });
                    rest = &rest[length * times..];
                }
            }
        }
        Some(())
    }

    fn write_groups(&self, groups: &[Group], ops: &mut Vec<Op>, most: usize) -> Option<()> {
        for group in groups {
            let body = &self.bodies[group.body];
            if ops.len() + body.len() >= most {
                return None;
            }
            if group.times > 1 {
                ops.push(Op::Loop {
                    count: Count::Constant(group.times),
                    body: body.len() as u32,
                });
            }
            ops.extend(body.iter().cloned());
        }
        Some(())
    }

    /// The period at the beginning that saves most groups, and how often it is repeated.
    fn period(&self, groups: &[Group]) -> Option<(usize, usize)> {
        let first = groups.first()?;
        // Most iterations of a loop that does not repeat come once.
        if self.uses[first.body] == 1 {
            return None;
        }
        let mut best = None;
        let mut most_saved = 0;
        for length in 1..=LONGEST_PERIOD.min(groups.len() / 2) {
            if groups[length] != *first {
                continue;
            }
            let pairs = groups.iter().zip(&groups[length..]);
            let equal = pairs.take_while(|(one, other)| one == other).count();
            let times = equal / length + 1;
            let saved = length * (times - 1);
            if saved > most_saved {
                most_saved = saved;
                best = Some((length, times));
            }
        }
        best
    }
}
