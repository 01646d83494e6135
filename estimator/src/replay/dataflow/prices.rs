//! Costs of each start of a transfer in one replay: looked up once, so that the replay queries no
//! model.

use super::LinkScales;
use crate::replay::code::Post;
use crate::replay::program::{MachineSide, Size, Steps};
use machine::network::CallCosts;

/// A start of a transfer with its costs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Price {
    /// The time in the network as this replay scales it.
    pub(super) costs: CallCosts,
    pub(super) post: Post,
}

/// Prices of all starts of transfers.
pub(super) fn prices(steps: &Steps, machine: &MachineSide, scales: LinkScales) -> Vec<Price> {
    let scaled = |(costs, size): (&CallCosts, &Size)| CallCosts {
        network: costs.network.scaled(scales.of(size.link)),
        ..*costs
    };
    let costs: Vec<CallCosts> = machine.costs.iter().zip(&steps.sizes).map(scaled).collect();
    let price = |post: &Post| Price {
        costs: costs[post.size as usize],
        post: *post,
    };
    steps.code().posts.iter().map(price).collect()
}
