//! Outlines of streams: the entries in which ranks of one class may differ, each once. Ranks whose outlines become the same steps have
//! the same steps in the whole stream, so the stream itself is lowered for one of them.

use crate::numbered::Numbered;
use base_data::program_data::{Call, Op, Operand, RankClass, Transfer};

/// An outline is used if it has at most this share of the entries: making it costs about as much as the lowering of some ranks.
const SMALLEST_SAVING: usize = 4;

/// The outline of a class's stream; `None` if it would save little, or if steps depend on entries before them.
pub(super) fn outline(class: &RankClass) -> Option<Vec<Op>> {
    let stream = &class.stream;
    if class.ranks.len() < 2 {
        return None;
    }
    let most = stream.len() / SMALLEST_SAVING;
    let mut known: Numbered<Op> = Numbered::default();
    let mut outline = Vec::new();
    let mut at = 0;
    while let Some(op) = stream.get(at) {
        at += 1;
        match op {
            // Its entries are never executed.
            Op::Loop { count, body } if count.get() == 0 => at += *body as usize,
            // The same on all ranks.
            Op::Loop { .. } | Op::Mark(_) => {}
            Op::Block {
                variant: Operand::Constant(_),
                ..
            } => {}
            _ => {
                let kind = kind(op)?;
                let next = outline.len();
                if known.number(kind) as usize == next {
                    outline.push(op.clone());
                }
                if outline.len() > most {
                    return None;
                }
            }
        }
    }
    Some(outline)
}

/// An entry without what its steps contain on all ranks alike; `None` if its steps depend on entries before it.
fn kind(op: &Op) -> Option<Op> {
    let mut kind = op.clone();
    if let Op::Call { call, .. } = &mut kind {
        match call {
            Call::Init | Call::Finalize => {}
            Call::Send {
                transfer, request, ..
            }
            | Call::Receive {
                transfer, request, ..
            } => {
                if request.is_some() {
                    return None;
                }
                without_length(transfer);
            }
            Call::SendReceive { send, receive, .. } => {
                without_length(send);
                without_length(receive);
            }
            Call::Probe { transfer, .. } => without_length(transfer),
            // Schedules depend on lengths.
            Call::Collective { request, .. } => {
                if request.is_some() {
                    return None;
                }
            }
            Call::Abort
            | Call::Wait { .. }
            | Call::Test { .. }
            | Call::MakePersistent { .. }
            | Call::StartPersistent { .. }
            | Call::MakeCommunicator { .. } => return None,
        }
    }
    Some(kind)
}

/// Whether two ranks number the sizes of their messages alike depends on their links, whatever a length that both have in common.
fn without_length(transfer: &mut Transfer) {
    if let Operand::Constant(count) = &mut transfer.count {
        *count = 0;
    }
}
