//! How often the entries of a loop-compressed stream are executed, without unrolling it. Bodies
//! that reach beyond the stream end with it: what is shown need not be whole.

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
                let end = (index + 1).saturating_add(*body as usize);
                enclosing.push((end, times.saturating_mul(count.get())));
                None
            }
            Op::Block { .. } | Op::Mark(_) | Op::Call { .. } => Some((op, times)),
        }
    })
}

/// Number of entries after unrolling, loops themselves not counted.
pub fn expanded(stream: &[Op]) -> u64 {
    executions(stream).map(|(_, times)| times).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::CallSiteId;
    use base_data::program_data::{Call, Count};

    fn call(site: u32) -> Op {
        Op::Call { site: CallSiteId(site), call: Call::Init }
    }

    fn repeat(count: u64, body: u32) -> Op {
        Op::Loop { count: Count::Constant(count), body }
    }

    fn check(stream: &[Op], times: &[u64]) {
        let found: Vec<u64> = executions(stream).map(|(_, times)| times).collect();
        assert_eq!(found, times);
    }

    #[test]
    fn multiplies_the_counts_of_nested_loops() {
        check(&[call(0), repeat(2, 3), call(1), repeat(5, 1), call(2), call(3)], &[1, 2, 10, 1]);
        check(&[repeat(3, 2), repeat(2, 1), call(7), call(8)], &[6, 1]);
        check(&[repeat(u64::MAX, 2), repeat(0, 1), call(0), repeat(2, 9), call(1)], &[0, 2]);
        assert_eq!(expanded(&[repeat(u64::MAX, 2), call(0), call(1)]), u64::MAX);
    }
}
