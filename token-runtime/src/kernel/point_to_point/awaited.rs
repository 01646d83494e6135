//! Transfers that ranks wait for, for the report of a deadlock. Ranks that sleep cannot describe their requests, so the rank that
//! ends the run reads them from the queues.

use super::queues::Queues;
use super::{Node, ORDER, OWNER, SENDER, STATE, TAG, WAITED_FOR, wanted};
use crate::kernel::Memory;
use serde::{Deserialize, Serialize};

/// Transfers of one rank that a report contains; the others are counted.
const MOST: usize = 64;

/// A transfer that its owner waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AwaitedTransfer {
    /// World rank that waits.
    pub rank: u32,
    /// Whether it is a synchronous send; else a receive.
    pub is_send: bool,
    /// Context of the communicator.
    pub context: u64,
    /// Of a send: world rank of the receiver. Of a receive: rank of the communicator, or any.
    pub partner: Option<u32>,
    /// Tag, or any.
    pub tag: Option<i32>,
}

/// The transfers that ranks wait for, rank by rank: receives in the order of their posting, then sends in the order of
/// their receivers. At most [`MOST`] of each rank.
pub fn awaited(memory: Memory<'_>, ranks: u32) -> Vec<AwaitedTransfer> {
    let is_awaited = |node: Node| memory.get(node + STATE) == WAITED_FOR;
    let mut found: Vec<Vec<AwaitedTransfer>> = Vec::new();
    found.resize_with(ranks as usize, Vec::new);
    for rank in 0..ranks {
        let mut receives = Queues::of(memory, rank).receives();
        receives.retain(|&receive| is_awaited(receive));
        receives.sort_by_key(|&receive| memory.get(receive + ORDER));
        for receive in receives {
            let wanted = wanted(memory, receive);
            found[rank as usize].push(AwaitedTransfer {
                rank,
                is_send: false,
                context: wanted.context,
                partner: wanted.source,
                tag: wanted.tag,
            });
        }
    }
    for receiver in 0..ranks {
        for message in Queues::of(memory, receiver).messages() {
            let send = memory.get(message + SENDER);
            if send == 0 || !is_awaited(send) {
                continue;
            }
            let rank = memory.get(send + OWNER) as u32;
            if let Some(of_rank) = found.get_mut(rank as usize) {
                of_rank.push(AwaitedTransfer {
                    rank,
                    is_send: true,
                    context: memory.get(message + super::CONTEXT),
                    partner: Some(receiver),
                    tag: Some(memory.get(message + TAG) as u32 as i32),
                });
            }
        }
    }
    for of_rank in &mut found {
        of_rank.truncate(MOST);
    }
    found.concat()
}
