//! Checks that a marked section is executed exactly once on every rank (MPIETE §3.2.1).

use super::MergeError;
use base_data::program_data::{Mark, Op};
use base_data::stream;

/// How often a stream passes the two marks, and whether the first pass is the beginning.
#[derive(Default)]
struct Passes {
    begins: u64,
    ends: u64,
    ends_first: bool,
}

/// Of each stream and a rank that has it.
pub(crate) fn check<'a>(streams: impl Iterator<Item = (u32, &'a [Op])>) -> Result<(), MergeError> {
    let passes: Vec<(u32, Passes)> = streams
        .map(|(rank, stream)| (rank, count(stream)))
        .collect();
    if passes.iter().all(|(_, p)| p.begins == 0 && p.ends == 0) {
        return Ok(());
    }
    for (rank, p) in passes {
        if (p.begins, p.ends) != (1, 1) {
            return Err(MergeError::SectionNotOnce {
                rank,
                begins: p.begins,
                ends: p.ends,
            });
        }
        if p.ends_first {
            return Err(MergeError::SectionReversed { rank });
        }
    }
    Ok(())
}

fn count(stream: &[Op]) -> Passes {
    let mut passes = Passes::default();
    for (op, times) in stream::executions(stream) {
        match op {
            Op::Mark(Mark::SectionBegin) => passes.begins += times,
            Op::Mark(Mark::SectionEnd) => {
                passes.ends_first |= passes.begins == 0;
                passes.ends += times;
            }
            Op::Mark(Mark::Clock { .. }) | Op::Loop { .. } | Op::Block { .. } | Op::Call { .. } => {
            }
        }
    }
    passes
}
