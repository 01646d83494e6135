//! Messages on their way whose delivery times are known: handed out in the
//! order of time, equal times in the order of injection.

use super::{Delivery, TransferId};
use base_data::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Known deliveries that were not asked for yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Deliveries {
    injected: u64,
    waiting: BinaryHeap<Reverse<Delivery>>,
}

impl Deliveries {
    /// Notes a message that will be delivered at a time.
    pub(super) fn add(&mut self, at: Time) -> TransferId {
        let transfer = self.number();
        self.deliver(transfer, at);
        transfer
    }

    /// A number for a message whose delivery time is not known yet.
    pub(super) fn number(&mut self) -> TransferId {
        let transfer = TransferId(self.injected);
        self.injected += 1;
        transfer
    }

    /// Notes when a message will be delivered.
    pub(super) fn deliver(&mut self, transfer: TransferId, at: Time) {
        self.waiting.push(Reverse(Delivery { at, transfer }));
    }

    /// Takes the earliest, if it is not after `until`.
    pub(super) fn next(&mut self, until: Time) -> Option<Delivery> {
        self.earliest().filter(|&at| at <= until)?;
        self.waiting.pop().map(|Reverse(delivery)| delivery)
    }

    /// When the earliest will be.
    pub(super) fn earliest(&self) -> Option<Time> {
        self.waiting.peek().map(|Reverse(delivery)| delivery.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earliest_first_then_first_injected() {
        let mut deliveries = Deliveries::default();
        for at in [5, 3, 5, 1] {
            deliveries.add(Time::from_picoseconds(at));
        }
        let order: Vec<u64> = std::iter::from_fn(|| deliveries.next(Time::from_picoseconds(3)))
            .map(|delivery| delivery.transfer.0)
            .collect();
        assert_eq!(order, [3, 1]);
        let order: Vec<u64> = std::iter::from_fn(|| deliveries.next(Time::MAX))
            .map(|delivery| delivery.transfer.0)
            .collect();
        assert_eq!(order, [0, 2]);
    }
}
