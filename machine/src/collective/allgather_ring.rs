//! Allgather around a ring: in each of P − 1 rounds a rank passes the block that it received last to the next one, its
//! own at first. With segments (MPICH's `MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE`) a long block is passed in pieces:
//! the next piece arrives while one is passed on. Blocks without bytes are not sent where lengths differ.

use super::step::{Blocks, DataPart, Operation, Received, Sent, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let (to, from) = (operation.above(1), operation.below(1));
    let lengths_differ = matches!(operation.received, Blocks::Each(_));
    if lengths_differ || operation.parameters.segment > 0 {
        return in_pieces(operation, to, from);
    }
    let mut steps = Vec::new();
    for round in 1..operation.ranks {
        let sent = Sent {
            to,
            part: DataPart::block(operation.below(round - 1)),
        };
        let received = Received::store(from, DataPart::block(operation.below(round)));
        steps.push(Step::Exchange(sent, received));
    }
    steps
}

/// The pieces that pass a rank, in order: all blocks from that of `first` on downwards, `blocks` of them.
fn pieces(operation: &Operation<'_>, first: u32, blocks: u32) -> Vec<DataPart> {
    let longest = operation.received.longest();
    let mut piece = operation.parameters.segment / operation.element * operation.element;
    if longest <= operation.parameters.segment || piece == 0 {
        piece = longest;
    }
    let mut pieces = Vec::new();
    for behind in 0..blocks {
        let block = (first + operation.ranks - behind) % operation.ranks;
        let bytes = operation.received.of(block);
        let mut begin = 0;
        while begin < bytes {
            let length = piece.min(bytes - begin);
            pieces.push(DataPart::Segment {
                block,
                first: begin,
                bytes: length,
            });
            begin += length;
        }
        // A block without bytes takes its turn without a message, as do two that meet.
        if bytes == 0 {
            pieces.push(DataPart::Nothing);
        }
    }
    pieces
}

fn in_pieces(operation: &Operation<'_>, to: u32, from: u32) -> Vec<Step> {
    let others = operation.ranks - 1;
    let passed = pieces(operation, operation.rank, others);
    let arriving = pieces(operation, from, others);
    let mut steps = Vec::new();
    for turn in 0..passed.len().max(arriving.len()) {
        let sent = passed.get(turn).copied().unwrap_or(DataPart::Nothing);
        let received = arriving.get(turn).copied().unwrap_or(DataPart::Nothing);
        match (sent, received) {
            (DataPart::Nothing, DataPart::Nothing) => {}
            (DataPart::Nothing, part) => steps.push(Step::receive(from, part)),
            (part, DataPart::Nothing) => steps.push(Step::send(to, part)),
            (part, received) => {
                let received = Received::store(from, received);
                steps.push(Step::Exchange(Sent { to, part }, received));
            }
        }
    }
    steps
}
