//! Whether a marked section is executed exactly once on every rank (MPIETE §3.2.1).

use super::MergeError;
use base_data::program_data::{Mark, Op};

/// How often a stream passes the two marks, and whether the first pass is the beginning.
#[derive(Default)]
struct Passes {
    begins: u64,
    ends: u64,
    ends_first: bool,
}

/// Of each stream and a rank that has it.
pub(crate) fn check<'a>(streams: impl Iterator<Item = (u32, &'a [Op])>) -> Result<(), MergeError> {
    let passes: Vec<(u32, Passes)> = streams.map(|(rank, stream)| (rank, count(stream))).collect();
    if passes.iter().all(|(_, p)| p.begins == 0 && p.ends == 0) {
        return Ok(());
    }
    for (rank, p) in passes {
        if (p.begins, p.ends) != (1, 1) {
            return Err(MergeError::SectionNotOnce { rank, begins: p.begins, ends: p.ends });
        }
        if p.ends_first {
            return Err(MergeError::SectionReversed { rank });
        }
    }
    Ok(())
}

fn count(stream: &[Op]) -> Passes {
    let mut passes = Passes::default();
    // Ends and counts of the loops around the current entry.
    let mut loops: Vec<(usize, u64)> = Vec::new();
    for (at, op) in stream.iter().enumerate() {
        while loops.last().is_some_and(|&(end, _)| at >= end) {
            loops.pop();
        }
        let times = loops.iter().fold(1u64, |times, &(_, count)| times.saturating_mul(count));
        match op {
            Op::Loop { count, body } => loops.push((at + 1 + *body as usize, count.get())),
            Op::Mark(Mark::SectionBegin) => passes.begins += times,
            Op::Mark(Mark::SectionEnd) => {
                passes.ends_first |= passes.begins == 0;
                passes.ends += times;
            }
            Op::Mark(Mark::Clock { .. }) | Op::Block { .. } | Op::Call { .. } => {}
        }
    }
    passes
}
