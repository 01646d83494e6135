//! Models that know at injection when a message arrives: what a message costs depends on its length
//! and its kind of link alone. The formulas are in each model's file.

use super::deliveries::Deliveries;
use super::{CallCosts, Delivery, Message, NetworkModel, PerLink, Sharing, TransferId};
use base_data::Time;

/// Costs of messages over one kind of link.
pub(super) trait LinkCosts {
    /// Costs of a message of so many bytes.
    fn costs(&self, bytes: u64) -> CallCosts;
}

/// A network of links with known costs.
#[derive(Debug)]
pub(super) struct ByLength<C> {
    name: &'static str,
    sharing: Sharing,
    links: PerLink<C>,
    deliveries: Deliveries,
}

impl<C> ByLength<C> {
    /// A network in which no message delays another.
    pub(super) fn new(name: &'static str, links: PerLink<C>) -> Self {
        Self {
            name,
            sharing: Sharing::Nothing,
            links,
            deliveries: Deliveries::default(),
        }
    }

    /// A network whose messages share what is at their ends.
    pub(super) fn with_sharing(name: &'static str, sharing: Sharing, links: PerLink<C>) -> Self {
        Self {
            sharing,
            ..Self::new(name, links)
        }
    }
}

impl<C: LinkCosts> NetworkModel for ByLength<C> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn sharing(&self) -> Sharing {
        self.sharing
    }

    fn costs(&self, message: &Message) -> CallCosts {
        self.links
            .get(message.link)
            .map_or(CallCosts::FREE, |link| link.costs(message.bytes))
    }

    fn inject(&mut self, message: &Message, at: Time) -> TransferId {
        self.deliveries
            .add(at + self.costs(message).network.scaled(message.scale))
    }

    fn next_delivery(&mut self, until: Time) -> Option<Delivery> {
        self.deliveries.next(until)
    }
}
