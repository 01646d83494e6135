//! Streams as they are executed: one rank's entries in order, loops unrolled lazily, or how often each is
//! executed. [`crate::stream_difference`] finds where two recordings differ.

use crate::ids::Rank;
use crate::program_data::{Op, ProgramData};

/// The entries of `rank`'s stream in the order of execution, loops unrolled. The data must have
/// passed their check.
pub fn entries(data: &ProgramData, rank: Rank) -> Entries<'_> {
    let stream = data
        .class_of(rank)
        .map_or(&[][..], |(class, _)| &data.classes[class].stream[..]);
    Entries {
        stream,
        at: 0,
        frames: Vec::new(),
    }
}

/// How many entries [`entries`] gives for `rank`, without giving them.
pub fn entry_count(data: &ProgramData, rank: Rank) -> u64 {
    data.class_of(rank)
        .map_or(0, |(class, _)| expanded(&data.classes[class].stream))
}

/// The entries that are not loops, each with the product of the counts of the loops around it. Bodies
/// that reach beyond the stream end with it: what is shown need not be whole.
pub fn executions(stream: &[Op]) -> impl Iterator<Item = (&Op, u64)> {
    let mut enclosing: Vec<(usize, u64)> = Vec::new();
    stream.iter().enumerate().filter_map(move |(index, op)| {
        // A loop around this entry has ended; several may end at the same entry.
        while enclosing.last().is_some_and(|&(end, _)| index >= end) {
            enclosing.pop();
        }
        let times = enclosing.last().map_or(1, |&(_, times)| times);
        match op {
            Op::Loop { count, body } => {
                let end = (index + 1).saturating_add(*body as usize);
                // Data that are only shown need not have passed the check, which bounds the product.
                enclosing.push((end, times.saturating_mul(count.get())));
                None
            }
            Op::Block { .. } | Op::Mark(_) | Op::Call { .. } => Some((op, times)),
        }
    })
}

/// Number of entries after unrolling, loops themselves not counted.
pub fn expanded(stream: &[Op]) -> u64 {
    executions(stream)
        .map(|(_, times)| times)
        .fold(0, u64::saturating_add)
}

/// See [`entries`].
pub struct Entries<'a> {
    stream: &'a [Op],
    at: usize,
    frames: Vec<Frame>,
}

struct Frame {
    begin: usize,
    end: usize,
    left: u64,
}

impl<'a> Iterator for Entries<'a> {
    type Item = &'a Op;

    fn next(&mut self) -> Option<&'a Op> {
        loop {
            // Several loops may end at the same entry: the innermost is left first.
            while let Some(frame) = self.frames.last_mut()
                && self.at == frame.end
            {
                frame.left -= 1;
                if frame.left > 0 {
                    self.at = frame.begin;
                    break;
                }
                self.frames.pop();
            }
            let op = self.stream.get(self.at)?;
            self.at += 1;
            let Op::Loop { count, body } = op else {
                return Some(op);
            };
            let end = self.at + *body as usize;
            match count.get() {
                0 => self.at = end,
                left => self.frames.push(Frame {
                    begin: self.at,
                    end,
                    left,
                }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::CallSiteId;
    use crate::program_data::{Call, Count, RankClass};
    use crate::rank_set::RankSet;

    fn mark(site: u32) -> Op {
        Op::Call {
            site: CallSiteId(site),
            call: Call::Init,
        }
    }

    fn data(stream: Vec<Op>) -> ProgramData {
        let class = RankClass {
            ranks: RankSet::all(1),
            stream,
        };
        ProgramData {
            ranks: 1,
            classes: vec![class],
            ..ProgramData::default()
        }
    }

    fn looped(count: u64, body: u32) -> Op {
        Op::Loop {
            count: Count::Constant(count),
            body,
        }
    }

    #[test]
    fn unrolls_nested_loops() {
        let nested = data(vec![
            mark(0),
            looped(2, 3),
            mark(1),
            looped(2, 1),
            mark(2),
            looped(0, 1),
            mark(9),
            mark(3),
        ]);
        let sites: Vec<String> = entries(&nested, Rank(0))
            .map(|op| format!("{op:?}"))
            .collect();
        let expected = [0, 1, 2, 2, 1, 2, 2, 3].map(|site| format!("{:?}", mark(site)));
        assert_eq!(sites, expected);
    }

    #[test]
    fn counts_without_unrolling() {
        let nested = vec![
            looped(1 << 40, 3),
            mark(1),
            looped(1 << 40, 1),
            mark(2),
            mark(3),
        ];
        assert_eq!(entry_count(&data(nested), Rank(0)), u64::MAX);
        let small = data(vec![
            mark(0),
            looped(2, 3),
            mark(1),
            looped(2, 1),
            mark(2),
            looped(0, 1),
            mark(9),
        ]);
        assert_eq!(
            entry_count(&small, Rank(0)),
            entries(&small, Rank(0)).count() as u64
        );
    }

    fn check(stream: &[Op], times: &[u64]) {
        let found: Vec<u64> = executions(stream).map(|(_, times)| times).collect();
        assert_eq!(found, times);
    }

    #[test]
    fn multiplies_the_counts_of_nested_loops() {
        check(
            &[
                mark(0),
                looped(2, 3),
                mark(1),
                looped(5, 1),
                mark(2),
                mark(3),
            ],
            &[1, 2, 10, 1],
        );
        check(&[looped(3, 2), looped(2, 1), mark(7), mark(8)], &[6, 1]);
        check(
            &[
                looped(u64::MAX, 2),
                looped(0, 1),
                mark(0),
                looped(2, 9),
                mark(1),
            ],
            &[0, 2],
        );
        assert_eq!(expanded(&[looped(u64::MAX, 2), mark(0), mark(1)]), u64::MAX);
    }
}
