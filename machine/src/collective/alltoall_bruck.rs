//! All-to-all by Bruck's algorithm (Bruck et al. 1997): a block travels from its source to its destination by one hop
//! per digit of the distance that is not 0, so that ⌈log P⌉ messages per digit value suffice. For short blocks.

use super::step::{DataPart, Operation, Received, Sent, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let radix = operation.parameters.radix.max(2);
    let mut steps = Vec::new();
    let mut stride = 1u32;
    while stride < operation.ranks {
        for digit in 1..radix {
            // In 64 bits: the product may exceed 32 before it is compared with the number of ranks.
            let hop = u64::from(digit) * u64::from(stride);
            if hop >= operation.ranks.into() {
                break;
            }
            let part = DataPart::InTransit {
                stride,
                radix,
                digit,
            };
            let sent = Sent {
                to: operation.above(hop as u32),
                part,
            };
            let received = Received::store(operation.below(hop as u32), part);
            steps.push(Step::Exchange(sent, received));
        }
        // A saturated stride ends the loop.
        stride = stride.saturating_mul(radix);
    }
    steps
}
