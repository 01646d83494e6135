//! What roots gave to all members of a communicator, kept for representatives that run after them.

use super::log::Ticket;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A call of all members of a communicator: context and leader of that, the place and number of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Occasion {
    context: u64,
    leader: u32,
    site: u32,
    number: u64,
}

impl Occasion {
    /// Of a call on the communicator with this context whose first member has this world rank.
    pub fn new(context: u64, leader: u32, ticket: Ticket) -> Self {
        Self { context, leader, site: ticket.site, number: ticket.number as u64 }
    }
}

/// Pieces that were given, by occasion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    pieces: BTreeMap<Occasion, Vec<Vec<u8>>>,
}

impl Given {
    /// A root gives a piece for each member, or one for all.
    pub fn give(&mut self, occasion: Occasion, pieces: Vec<Vec<u8>>) {
        self.pieces.insert(occasion, pieces);
    }

    /// The piece with this number, if a root that ran before has given it.
    pub fn piece(&self, occasion: Occasion, number: usize) -> Option<&[u8]> {
        self.pieces.get(&occasion)?.get(number).map(Vec::as_slice)
    }

    /// What another gave, too.
    pub fn add(&mut self, other: Given) {
        self.pieces.extend(other.pieces);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_those_of_one_call_on_one_communicator() {
        let (mut ours, mut theirs) = (Given::default(), Given::default());
        let ticket = Ticket { site: 3, number: 1 };
        let occasion = Occasion::new(5, 0, ticket);
        theirs.give(occasion, vec![vec![1], vec![2]]);
        ours.add(theirs);
        assert_eq!(ours.piece(occasion, 1), Some(&[2][..]));
        assert_eq!(ours.piece(occasion, 2), None);
        for other in [
            Occasion::new(5, 4, ticket),
            Occasion::new(6, 0, ticket),
            Occasion::new(5, 0, Ticket { number: 0, ..ticket }),
        ] {
            assert_eq!(ours.piece(other, 0), None);
        }
    }
}
