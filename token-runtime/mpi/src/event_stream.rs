//! Numbers of the program's datatypes, communicators and requests in this rank's event stream.
//! `token_runtime::event_stream` translates calls to events.

use crate::call_cache::CallCache;
use crate::process::Current;
use base_data::ids::{CallSiteId, CommId, Rank, RequestId};
use base_data::mpi::Datatype;
use base_data::program_data::{Communicator as Recorded, Operand};
use base_data::rank_set::RankSet;
use std::collections::HashMap;
use token_runtime::event_stream::EventStream;
use token_runtime::kernel::communicator::Communicator;

/// Number of the constructor call that a recording gives to the communicator on which the transfers of
/// another's neighbourhood collectives, and exchanges of leaders, are: no program makes as many.
const APART: u32 = u32::MAX;

/// What is kept for the event stream.
#[derive(Default)]
pub struct RankEventStream {
    pub recorder: EventStream,
    /// Index in the recording of each datatype that was used, plus 1; by number of the datatype.
    pub known_datatypes: Vec<u32>,
    /// The same by what they are: a program may make one again and again.
    pub datatype_indices: HashMap<Datatype, u32>,
    /// Numbers of the requests that a call waits for, reused from call to call.
    pub numbers: Vec<u32>,
    /// What the recording calls the communicators, by their index in this process.
    communicators: Vec<Known>,
    /// Requests that are not what the recording calls them.
    pub composite: CompositeRequests,
    /// Calls that were made before.
    pub call_cache: CallCache,
    /// How many entries calls have left, and the last.
    pub recorded: u64,
    pub last_entry: u32,
}

/// A communicator in the recording.
struct Known {
    index: u32,
    /// The one for transfers that no call of the program may receive.
    separate: Option<u32>,
}

/// Requests that stand in the recording for several, or for none.
#[derive(Default)]
pub struct CompositeRequests(HashMap<u32, Parts>);

struct Parts {
    requests: Vec<RequestId>,
    /// Whether a call that left the request as it is was recorded as the one that completes it.
    is_settled: bool,
}

impl RankEventStream {
    /// A stream whose first two communicators are the world and self.
    pub fn of_ranks(ranks: u32) -> Self {
        let mut stream = Self::default();
        for group in [RankSet::all(ranks), RankSet::default()] {
            stream.add(Recorded {
                parent: None,
                sequence: 0,
                group,
            });
        }
        stream
    }

    /// The site of a call.
    pub fn site(&mut self, call: Current) -> CallSiteId {
        match call.announced {
            Some(announced) => CallSiteId(announced.site),
            None => self.recorder.unmarked_site(call.row, call.address),
        }
    }

    fn add(&mut self, recorded: Recorded) -> u32 {
        let index = self.recorder.add_communicator(recorded);
        self.communicators.push(Known {
            index,
            separate: None,
        });
        index
    }

    /// The communicator that was made as the next of this process, by a constructor call on `parent`.
    pub fn add_made(&mut self, made: &Communicator, parent: usize, sequence: u32) {
        let parent = CommId(self.communicators[parent].index);
        self.add(Recorded {
            parent: Some(parent),
            sequence,
            group: members(made),
        });
    }

    /// The communicator that was made as the next of this process, by some ranks of other communicators: a
    /// child of the world, which its context distinguishes from others of the same members. Does nothing if
    /// the recording contains it already.
    pub fn add_other(&mut self, made: &Communicator, index: usize) {
        const OTHER: u32 = 1 << 31;
        if index == self.communicators.len() {
            self.add_made(made, 0, made.context as u32 >> 2 | OTHER);
        }
    }

    /// A communicator of this process.
    pub fn communicator(&self, index: usize) -> Operand {
        Operand::Constant(self.communicators[index].index.into())
    }

    /// The communicator for transfers among the members of `communicator`, the one with this index, that no
    /// call of the program may receive.
    pub fn separate(&mut self, communicator: &Communicator, index: usize) -> Operand {
        let Known {
            index: parent,
            separate,
        } = self.communicators[index];
        let made = separate.unwrap_or_else(|| {
            let parent = Some(CommId(parent));
            self.recorder.add_communicator(Recorded {
                parent,
                sequence: APART,
                group: members(communicator),
            })
        });
        self.communicators[index].separate = Some(made);
        Operand::Constant(made.into())
    }
}

fn members(communicator: &Communicator) -> RankSet {
    RankSet::from_ranks(communicator.members().into_iter().map(Rank))
}

impl CompositeRequests {
    /// A request stands for these; each is free until it is removed.
    pub fn add(&mut self, number: u32, requests: Vec<RequestId>) {
        self.0.insert(
            number,
            Parts {
                requests,
                is_settled: false,
            },
        );
    }

    /// What a request stands for, whether it was settled or not.
    pub fn parts(&self, number: u32) -> Vec<RequestId> {
        self.0
            .get(&number)
            .map_or_else(|| vec![RequestId(number)], |parts| parts.requests.clone())
    }

    /// Whether each request stands for itself.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What some requests stand for that a call completes.
    pub fn named(&self, numbers: impl Iterator<Item = u32>) -> Vec<RequestId> {
        let mut named = Vec::new();
        for number in numbers {
            match self.0.get(&number) {
                None => named.push(RequestId(number)),
                Some(parts) if parts.is_settled => {}
                Some(parts) => named.extend(&parts.requests),
            }
        }
        named
    }

    /// The request is complete for the recording, while the program has not completed it.
    pub fn settle(&mut self, number: u32) {
        let requests = vec![RequestId(number)];
        self.0
            .entry(number)
            .or_insert(Parts {
                requests,
                is_settled: true,
            })
            .is_settled = true;
    }

    /// The request is complete, or started again.
    pub fn renew(&mut self, number: u32) {
        self.0
            .entry(number)
            .and_modify(|parts| parts.is_settled = false);
    }

    /// The request is gone; gives what it stood for besides itself.
    pub fn remove(&mut self, number: u32) -> Vec<RequestId> {
        let parts = self
            .0
            .remove(&number)
            .map_or_else(Vec::new, |parts| parts.requests);
        parts.into_iter().filter(|part| part.0 != number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn composite_request_expands_to_its_parts() {
        let mut composite = CompositeRequests::default();
        composite.add(1, vec![RequestId(1), RequestId(2)]);
        composite.add(5, Vec::new());
        assert_eq!(
            composite.named([0, 1, 5].into_iter()),
            [0, 1, 2].map(RequestId)
        );
        composite.settle(1);
        composite.settle(7);
        assert_eq!(composite.named([7, 1, 3].into_iter()), [RequestId(3)]);
        composite.renew(1);
        assert_eq!(composite.named([1].into_iter()), composite.parts(1));
        assert_eq!(
            (composite.remove(1), composite.remove(7)),
            (vec![RequestId(2)], Vec::new())
        );
        assert_eq!(composite.named([1, 7].into_iter()), [1, 7].map(RequestId));
    }
}
