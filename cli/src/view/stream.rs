//! Reading loop-compressed streams: how often each entry is executed, and the calls one by one.
//! Bodies that reach beyond the stream end with it: what is shown need not be whole.

use base_data::CallSiteId;
use base_data::program_data::Op;

/// The entries that are not loops, each with the product of the counts of the loops around it.
pub fn executions(stream: &[Op]) -> impl Iterator<Item = (&Op, u64)> {
    let mut enclosing: Vec<(usize, u64)> = Vec::new();
    stream.iter().enumerate().filter_map(move |(index, op)| {
        while enclosing.last().is_some_and(|&(end, _)| index >= end) {
            enclosing.pop();
        }
        let times = enclosing.last().map_or(1, |&(_, times)| times);
        match op {
            Op::Loop { count, body } => {
                enclosing.push((loop_end(stream, index, *body), times.saturating_mul(count.get())));
                None
            }
            Op::Block { .. } | Op::Mark(_) | Op::Call { .. } => Some((op, times)),
        }
    })
}

/// Number of entries after expansion, loops themselves not counted.
pub fn expanded(stream: &[Op]) -> u64 {
    executions(stream).map(|(_, times)| times).fold(0, u64::saturating_add)
}

/// The sites of the stream's calls in the order of execution, loops expanded one step at a time.
pub struct Calls<'a> {
    stream: &'a [Op],
    /// Calls with at least one execution before each entry; one longer than the stream.
    calls_before: Vec<usize>,
    /// The loops around the next entry: `(first of body, end of body, iterations left)`.
    running: Vec<(usize, usize, u64)>,
    next: usize,
}

impl<'a> Calls<'a> {
    /// From the first call on.
    pub fn of(stream: &'a [Op]) -> Self {
        Self { stream, calls_before: calls_before(stream), running: Vec::new(), next: 0 }
    }

    /// Enters the loop at `self.next`, or steps over one without calls, however often it runs.
    fn enter(&mut self, count: u64, body: u32) {
        let (first, end) = (self.next + 1, loop_end(self.stream, self.next, body));
        if count > 0 && self.calls_before[first] < self.calls_before[end] {
            self.running.push((first, end, count - 1));
            self.next = first;
        } else {
            self.next = end;
        }
    }

    /// Goes back to the start of a body that has ended, or leaves it.
    fn turn(&mut self) {
        while let Some((first, end, left)) = self.running.last_mut() {
            if self.next < *end {
                return;
            }
            if *left > 0 {
                *left -= 1;
                self.next = *first;
                return;
            }
            self.running.pop();
        }
    }
}

impl Iterator for Calls<'_> {
    type Item = CallSiteId;

    fn next(&mut self) -> Option<CallSiteId> {
        loop {
            self.turn();
            match self.stream.get(self.next)? {
                Op::Loop { count, body } => self.enter(count.get(), *body),
                Op::Block { .. } | Op::Mark(_) => self.next += 1,
                Op::Call { site, .. } => {
                    self.next += 1;
                    return Some(*site);
                }
            }
        }
    }
}

fn loop_end(stream: &[Op], index: usize, body: u32) -> usize {
    (index + 1).saturating_add(body as usize).min(stream.len())
}

fn calls_before(stream: &[Op]) -> Vec<usize> {
    let mut executed = executions(stream).peekable();
    let mut before = vec![0];
    for op in stream {
        let times = executed.next_if(|(next, _)| std::ptr::eq(*next, op)).map_or(0, |(_, times)| times);
        let counts = times > 0 && matches!(op, Op::Call { .. });
        before.push(before[before.len() - 1] + usize::from(counts));
    }
    before
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::program_data::{Call, Count};

    fn call(site: u32) -> Op {
        Op::Call { site: CallSiteId(site), call: Call::Init }
    }

    fn repeat(count: u64, body: u32) -> Op {
        Op::Loop { count: Count::Constant(count), body }
    }

    fn check(stream: &[Op], calls: &[u32], entries: u64) {
        let found: Vec<u32> = Calls::of(stream).take(20).map(|site| site.0).collect();
        assert_eq!((found.as_slice(), expanded(stream)), (calls, entries));
    }

    #[test]
    fn expands_nested_loops_in_order() {
        check(
            &[call(0), repeat(2, 3), call(1), repeat(2, 1), call(2), call(3)],
            &[0, 1, 2, 2, 1, 2, 2, 3],
            8,
        );
        check(&[repeat(3, 2), repeat(2, 1), call(7)], &[7; 6], 6);
    }

    #[test]
    fn loops_without_calls_take_no_time() {
        let endless = u64::MAX;
        check(&[repeat(endless, 2), repeat(0, 1), call(0), call(1)], &[1], 1);
        check(&[repeat(endless, 99), call(5)], &[5; 20], endless);
        check(&[repeat(2, 0)], &[], 0);
    }
}
