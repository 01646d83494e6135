//! Matching of messages with receives: in order per (communicator, source, tag), wildcards in
//! the order the messages were sent (which under the token is an order in time).
//!
//! A message finds the first posted receive that wants it, a receive the first unexpected message
//! it wants; what finds nothing is queued. Payloads are blocks of the heap that the caller fills
//! and empties.

use super::layout;
use super::slot::{self, word};
use super::{Memory, OutOfMemory, heap};

/// A message on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Context of the communicator.
    pub context: u64,
    /// Sender's rank of the communicator.
    pub source: u32,
    /// Tag.
    pub tag: i32,
    /// Length in bytes.
    pub bytes: u64,
    /// Block of the heap with the data; 0 for an empty message or one that only its envelope is
    /// wanted of.
    pub payload: u64,
}

/// What a receive asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Context of the communicator.
    pub context: u64,
    /// Rank of the communicator, or any.
    pub source: Option<u32>,
    /// Tag, or any.
    pub tag: Option<i32>,
}

// Words of a node, which is a queued message or a posted receive.
const NEXT: u64 = 0;
const CONTEXT: u64 = 1;
const SOURCE: u64 = 2;
const TAG: u64 = 3;
const BYTES: u64 = 4;
const PAYLOAD: u64 = 5;
const STATE: u64 = 6;
const NODE_WORDS: u64 = 7;

// A wildcard in a receive's words: no rank or tag has this value.
const ANY: u64 = u64::MAX;
// States of a receive.
const POSTED: u64 = 0;
const WAITED_FOR: u64 = 1;
const MATCHED: u64 = 2;

/// Sends `message` to world rank `receiver`: to the first posted receive that wants it, else into
/// the queue of unexpected messages.
pub fn send(memory: Memory<'_>, receiver: u32, message: Message) -> Result<(), OutOfMemory> {
    let queue = layout::slot(receiver) + word::POSTED;
    if let Some(receive) = take_first(memory, queue, |node| wants(memory, node, &message)) {
        fulfil(memory, receive, message);
        if memory.get(receive + STATE) == WAITED_FOR {
            slot::happened(memory, receiver);
        }
        memory.set(receive + STATE, MATCHED);
        return Ok(());
    }
    let node = heap::allocate(memory, NODE_WORDS)?;
    fulfil(memory, node, message);
    append(memory, layout::slot(receiver) + word::UNEXPECTED, node);
    Ok(())
}

/// Posts a receive of world rank `receiver`; gives its node, which may be matched already.
pub fn post(memory: Memory<'_>, receiver: u32, wanted: Wanted) -> Result<u64, OutOfMemory> {
    let node = heap::allocate(memory, NODE_WORDS)?;
    memory.set(node + CONTEXT, wanted.context);
    memory.set(node + SOURCE, wanted.source.map_or(ANY, u64::from));
    memory.set(node + TAG, wanted.tag.map_or(ANY, |tag| tag as u32 as u64));
    let queue = layout::slot(receiver) + word::UNEXPECTED;
    match take_first(memory, queue, |candidate| wants(memory, node, &message_of(memory, candidate))) {
        Some(unexpected) => {
            fulfil(memory, node, message_of(memory, unexpected));
            heap::free(memory, unexpected);
            memory.set(node + STATE, MATCHED);
        }
        None => {
            memory.set(node + STATE, POSTED);
            append(memory, layout::slot(receiver) + word::POSTED, node);
        }
    }
    Ok(node)
}

/// The message a posted receive got, if it has one.
pub fn arrived(memory: Memory<'_>, receive: u64) -> Option<Message> {
    (memory.get(receive + STATE) == MATCHED).then(|| message_of(memory, receive))
}

/// Marks an unmatched receive as waited for by its owner: when its message comes,
/// [`slot::happened`] will be called.
pub fn wait_for(memory: Memory<'_>, receive: u64) {
    memory.set(receive + STATE, WAITED_FOR);
}

/// Takes back what [`wait_for`] marked, unless it is matched by now.
pub fn forget(memory: Memory<'_>, receive: u64) {
    if memory.get(receive + STATE) == WAITED_FOR {
        memory.set(receive + STATE, POSTED);
    }
}

/// Gives back a matched receive and its payload.
pub fn retire(memory: Memory<'_>, receive: u64) {
    let payload = memory.get(receive + PAYLOAD);
    if payload != 0 {
        heap::free(memory, payload);
    }
    heap::free(memory, receive);
}

fn message_of(memory: Memory<'_>, node: u64) -> Message {
    Message {
        context: memory.get(node + CONTEXT),
        source: memory.get(node + SOURCE) as u32,
        tag: memory.get(node + TAG) as u32 as i32,
        bytes: memory.get(node + BYTES),
        payload: memory.get(node + PAYLOAD),
    }
}

fn fulfil(memory: Memory<'_>, node: u64, message: Message) {
    memory.set(node + CONTEXT, message.context);
    memory.set(node + SOURCE, u64::from(message.source));
    memory.set(node + TAG, message.tag as u32 as u64);
    memory.set(node + BYTES, message.bytes);
    memory.set(node + PAYLOAD, message.payload);
}

fn wants(memory: Memory<'_>, receive: u64, message: &Message) -> bool {
    let fits = |word: u64, value: u64| {
        let asked = memory.get(receive + word);
        asked == ANY || asked == value
    };
    memory.get(receive + CONTEXT) == message.context
        && fits(SOURCE, u64::from(message.source))
        && fits(TAG, message.tag as u32 as u64)
}

/// Appends to the queue whose first and last nodes are the words at `queue`.
fn append(memory: Memory<'_>, queue: u64, node: u64) {
    memory.set(node + NEXT, 0);
    match memory.get(queue) {
        0 => memory.set(queue, node),
        _ => memory.set(memory.get(queue + 1) + NEXT, node),
    }
    memory.set(queue + 1, node);
}

/// Takes the first node that `fits` out of a queue.
fn take_first(memory: Memory<'_>, queue: u64, fits: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut before, mut node) = (0, memory.get(queue));
    while node != 0 {
        let next = memory.get(node + NEXT);
        if fits(node) {
            memory.set(if before == 0 { queue } else { before + NEXT }, next);
            if next == 0 {
                memory.set(queue + 1, before);
            }
            return Some(node);
        }
        (before, node) = (node, next);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::layout::tests::fresh;
    use proptest::prelude::*;

    fn message(source: u32, tag: i32, bytes: u64) -> Message {
        Message { context: 7, source, tag, bytes, payload: 0 }
    }

    fn wanted(source: Option<u32>, tag: Option<i32>) -> Wanted {
        Wanted { context: 7, source, tag }
    }

    #[test]
    fn another_communicator_is_another_world() {
        let words = fresh(2, 1000);
        let memory = Memory::new(&words);
        send(memory, 1, Message { context: 8, ..message(0, 1, 4) }).unwrap();
        let receive = post(memory, 1, wanted(None, None)).unwrap();
        assert_eq!(arrived(memory, receive), None);
    }

    #[test]
    fn a_waiting_rank_becomes_runnable_with_the_last_message() {
        let words = fresh(2, 1000);
        let memory = Memory::new(&words);
        let receives: Vec<u64> =
            (0..2).map(|tag| post(memory, 1, wanted(Some(0), Some(tag))).unwrap()).collect();
        receives.iter().for_each(|&receive| wait_for(memory, receive));
        slot::wait_for(memory, 1, 2);
        for tag in [1, 0] {
            assert!(!super::super::dispatcher::is_runnable(memory, 1));
            send(memory, 1, message(0, tag, 4)).unwrap();
        }
        assert!(super::super::dispatcher::is_runnable(memory, 1));
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Send(u32, i32),
        Post(Option<u32>, Option<i32>),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0u32..3, 0i32..3).prop_map(|(s, t)| Step::Send(s, t)),
            (prop::option::of(0u32..3), prop::option::of(0i32..3)).prop_map(|(s, t)| Step::Post(s, t)),
        ]
    }

    /// The rule, written down plainly: messages are numbered by their length.
    fn by_the_rule(steps: &[Step]) -> Vec<Option<u64>> {
        let fits = |s: Option<u32>, t: Option<i32>, (ms, mt): (u32, i32)| {
            s.is_none_or(|s| s == ms) && t.is_none_or(|t| t == mt)
        };
        let (mut got, mut open, mut queued) = (Vec::new(), Vec::new(), Vec::new());
        for (number, &step) in steps.iter().enumerate() {
            match step {
                Step::Send(s, t) => match open.iter().position(|&(_, ps, pt)| fits(ps, pt, (s, t))) {
                    Some(i) => {
                        let (receive, _, _): (usize, _, _) = open.remove(i);
                        got[receive] = Some(number as u64);
                    }
                    None => queued.push((number as u64, (s, t))),
                },
                Step::Post(s, t) => match queued.iter().position(|&(_, m)| fits(s, t, m)) {
                    Some(i) => got.push(Some(queued.remove(i).0)),
                    None => {
                        open.push((got.len(), s, t));
                        got.push(None);
                    }
                },
            }
        }
        got
    }

    proptest! {
        #[test]
        fn matches_by_the_rule(steps in prop::collection::vec(step(), 0..60)) {
            let words = fresh(1, 5000);
            let memory = Memory::new(&words);
            let mut receives = Vec::new();
            for (number, &step) in steps.iter().enumerate() {
                match step {
                    Step::Send(s, t) => send(memory, 0, message(s, t, number as u64)).unwrap(),
                    Step::Post(s, t) => receives.push(post(memory, 0, wanted(s, t)).unwrap()),
                }
            }
            let got: Vec<_> = receives.iter().map(|&r| arrived(memory, r).map(|m| m.bytes)).collect();
            prop_assert_eq!(got, by_the_rule(&steps));
        }
    }
}
