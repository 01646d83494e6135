//! Messages on their way in a model that knows each delivery time at injection: handed out in the
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
        let transfer = TransferId(self.injected);
        self.injected += 1;
        self.waiting.push(Reverse(Delivery { at, transfer }));
        transfer
    }

    /// Takes the earliest.
    pub(super) fn next(&mut self) -> Option<Delivery> {
        self.waiting.pop().map(|Reverse(delivery)| delivery)
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
        let order: Vec<u64> =
            std::iter::from_fn(|| deliveries.next()).map(|delivery| delivery.transfer.0).collect();
        assert_eq!(order, [3, 1, 0, 2]);
    }
}
