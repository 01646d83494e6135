//! Data that roots distributed to all members of a communicator, stored for representatives that run after them.

use super::message_log::CallInstance;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A call of all members of a communicator: context and leader of that, the place and number of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CollectiveOccurrence {
    context: u64,
    leader: u32,
    site: u32,
    number: u64,
}

impl CollectiveOccurrence {
    /// Of a call on the communicator with this context whose first member has this world rank.
    pub fn new(context: u64, leader: u32, call_instance: CallInstance) -> Self {
        Self {
            context,
            leader,
            site: call_instance.site,
            number: call_instance.number as u64,
        }
    }
}

/// Pieces that were given, by occasion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootData {
    pieces: BTreeMap<CollectiveOccurrence, Vec<Vec<u8>>>,
}

impl RootData {
    /// A root gives a piece for each member, or one for all.
    pub fn insert(&mut self, occurrence: CollectiveOccurrence, pieces: Vec<Vec<u8>>) {
        self.pieces.insert(occurrence, pieces);
    }

    /// The piece with this number, if a root that ran before has given it.
    pub fn piece(&self, occurrence: CollectiveOccurrence, number: usize) -> Option<&[u8]> {
        self.pieces.get(&occurrence)?.get(number).map(Vec::as_slice)
    }

    /// What another gave, too.
    pub fn add(&mut self, other: RootData) {
        self.pieces.extend(other.pieces);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_stored_per_call_and_communicator() {
        let (mut ours, mut theirs) = (RootData::default(), RootData::default());
        let call_instance = CallInstance { site: 3, number: 1 };
        let occurrence = CollectiveOccurrence::new(5, 0, call_instance);
        theirs.insert(occurrence, vec![vec![1], vec![2]]);
        ours.add(theirs);
        assert_eq!(ours.piece(occurrence, 1), Some(&[2][..]));
        assert_eq!(ours.piece(occurrence, 2), None);
        for other in [
            CollectiveOccurrence::new(5, 4, call_instance),
            CollectiveOccurrence::new(6, 0, call_instance),
            CollectiveOccurrence::new(
                5,
                0,
                CallInstance {
                    number: 0,
                    ..call_instance
                },
            ),
        ] {
            assert_eq!(ours.piece(other, 0), None);
        }
    }
}
