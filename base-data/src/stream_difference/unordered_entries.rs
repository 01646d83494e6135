//! Entries in one order, whatever the order in which requests completed or messages of any source came: of calls
//! whose order does not matter, and of blocks between them, only the number of occurrences counts. The frontend
//! determines which calls these are.

use super::EvaluatedEntry;
use crate::ids::CallSiteId;
use crate::program_data::{Call, Completion, Op, Operand};
use std::collections::VecDeque;

/// The entries, each run of such calls and of what is computed after them in an order of its own.
pub(super) fn sorted<'a>(
    entries: impl Iterator<Item = EvaluatedEntry> + 'a,
    any_order: &'a [CallSiteId],
) -> impl Iterator<Item = EvaluatedEntry> + 'a {
    let mut entries = entries.fuse();
    let (mut run, mut ready): (Vec<EvaluatedEntry>, VecDeque<EvaluatedEntry>) =
        (Vec::new(), VecDeque::new());
    std::iter::from_fn(move || {
        while ready.is_empty() {
            let next = entries.next();
            match next {
                Some(entry) if is_free(&entry.op, any_order) => run.extend(completions(entry)),
                // Blocks between such calls belong to the run: which of them comes first depends on the
                // order, too.
                Some(entry) if matches!(entry.op, Op::Block { .. }) && !run.is_empty() => {
                    run.push(entry)
                }
                other => {
                    let is_last = other.is_none();
                    // By meaning, so that both recordings sort alike although their numbers differ. Equal
                    // entries need no order.
                    run.sort_by_key(|entry| rank_of(&entry.means));
                    ready.extend(run.drain(..).chain(other));
                    if is_last {
                        break;
                    }
                }
            }
        }
        ready.pop_front()
    })
}

/// Whether an entry is a call whose order does not matter.
fn is_free(op: &Op, any_order: &[CallSiteId]) -> bool {
    match op {
        Op::Call {
            site,
            call:
                Call::Wait { .. }
                | Call::Test { .. }
                | Call::Probe { .. }
                | Call::Receive { request: None, .. },
        } => any_order.contains(site),
        Op::Call { .. } | Op::Block { .. } | Op::Loop { .. } | Op::Mark(_) => false,
    }
}

/// One entry for each request that a call completed, or for a message; looking for messages completes none.
fn completions(entry: EvaluatedEntry) -> Vec<EvaluatedEntry> {
    if let Op::Call {
        call: Call::Receive { .. },
        ..
    } = entry.op
    {
        return vec![entry];
    }
    let alone = |op: &Op| -> Vec<Op> {
        let Op::Call {
            site,
            call:
                Call::Wait {
                    completed,
                    requests,
                    completion,
                    ..
                },
        } = op
        else {
            let Op::Call {
                site,
                call: Call::Test { completed, .. },
            } = op
            else {
                // Looking for messages: how often that is in vain depends on time.
                return Vec::new();
            };
            return completed
                .iter()
                .map(|request| completes(*site, *request))
                .collect();
        };
        let done = if *completion == Completion::All {
            requests
        } else {
            completed
        };
        done.iter()
            .map(|request| completes(*site, *request))
            .collect()
    };
    let pairs = alone(&entry.op).into_iter().zip(alone(&entry.means));
    pairs
        .map(|(op, means)| EvaluatedEntry { op, means })
        .collect()
}

fn completes(site: CallSiteId, request: crate::ids::RequestId) -> Op {
    let (requests, completed, observed) = (Vec::new(), vec![request], Vec::new());
    Op::Call {
        site,
        call: Call::Wait {
            completion: Completion::Any,
            requests,
            completed,
            observed,
        },
    }
}

/// The place of an entry in a run.
fn rank_of(op: &Op) -> (u32, u32, i64) {
    match op {
        Op::Call {
            site,
            call: Call::Wait { completed, .. },
        } => (
            0,
            site.0,
            completed.first().map_or(0, |request| i64::from(request.0)),
        ),
        Op::Call {
            site,
            call: Call::Receive { observed, .. },
        } => (0, site.0, observed.map_or(-1, |found| found.source)),
        Op::Block {
            block,
            variant: Operand::Constant(variant),
        } => (1, block.0, *variant),
        Op::Block { block, .. } => (1, block.0, i64::MAX),
        Op::Call { site, .. } => (2, site.0, 0),
        Op::Loop { .. } | Op::Mark(_) => (3, 0, 0),
    }
}
