//! Matching of messages with receives: in order per (communicator, source, tag), wildcards in
//! the order the messages were sent (which under the token is an order in time).
//!
//! A message finds the first posted receive that wants it, a receive the first unexpected message
//! it wants; what finds nothing is queued (`queues`). Payloads are blocks of the heap that the caller
//! fills and empties. A synchronous send has a node of its own, which is matched with its message.

mod awaited;
mod queues;
#[cfg(test)]
mod tests;

use super::slot::{self, word};
use super::{Memory, OutOfSharedMemory, heap, poll_timeout};
pub use awaited::{AwaitedTransfer, awaited};
use queues::Queues;

/// Offset of a message, a receive or a synchronous send in shared memory.
pub type Node = u64;

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
    /// What was sent, as [`crate::datatypes::Datatype::signature_word`] says.
    pub signature: u64,
    /// Node of the synchronous send that waits for it to be matched; 0 if none does.
    pub sender: Node,
    /// Its number among those of its sender, by which it can be cancelled ([`cancel_message`]).
    pub number: u64,
    /// The call that sent it ([`slot::call_word`]).
    pub call: u64,
}

/// The matching criteria of a receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Context of the communicator.
    pub context: u64,
    /// Rank of the communicator, or any.
    pub source: Option<u32>,
    /// Tag, or any.
    pub tag: Option<i32>,
}

impl Wanted {
    fn words(self) -> [u64; 3] {
        [
            self.context,
            self.source.map_or(ANY, u64::from),
            self.tag.map_or(ANY, |tag| tag as u32 as u64),
        ]
    }
}

// Words of a node, which is a queued message, a posted receive or, up to its state, a synchronous send.
const NEXT: u64 = 0;
const PREVIOUS: u64 = 1;
const STATE: u64 = 2;
const CONTEXT: u64 = 3;
const SOURCE: u64 = 4;
const TAG: u64 = 5;
const BYTES: u64 = 6;
const PAYLOAD: u64 = 7;
const SIGNATURE: u64 = 8;
const SENDER: u64 = 9;
const ORDER: u64 = 10;
const ALL_NEXT: u64 = 11;
const ALL_PREVIOUS: u64 = 12;
const NUMBER: u64 = 13;
const CALL: u64 = 14;
const NODE_WORDS: u64 = 15;
// Words of a synchronous send: its owner, and receiver and node of its message while that is queued.
const OWNER: u64 = 0;
const RECEIVER: u64 = 1;
const QUEUED: u64 = 3;
const SEND_WORDS: u64 = 4;

// A wildcard in a receive's words: no rank or tag has this value.
const ANY: u64 = u64::MAX;
// States of a receive or a synchronous send.
const POSTED: u64 = 0;
const WAITED_FOR: u64 = 1;
const MATCHED: u64 = 2;

/// Sends `message` to world rank `receiver`: to the first matching posted receive, else into
/// the queue of unexpected messages.
pub fn send(memory: Memory<'_>, receiver: u32, message: Message) -> Result<(), OutOfSharedMemory> {
    poll_timeout::record_progress(memory);
    let queues = Queues::of(memory, receiver);
    let [source, tag] = [u64::from(message.source), message.tag as u32 as u64];
    if let Some(receive) = queues.receive_for(message.context, source, tag) {
        queues.remove_receive(receive);
        fulfil(memory, receive, message);
        matched(memory, receive, receiver);
        accept(memory, receive);
        return Ok(());
    }
    let node = heap::allocate(memory, NODE_WORDS)?;
    fulfil(memory, node, message);
    if let Err(error) = queues.append_message(node) {
        heap::free(memory, node);
        return Err(error);
    }
    if message.sender != 0 {
        memory.set(message.sender + RECEIVER, u64::from(receiver));
        memory.set(message.sender + QUEUED, node);
    }
    if memory.get(slot::at(receiver, word::PROBES)) != 0 {
        memory.set(slot::at(receiver, word::PROBES), 0);
        slot::complete_one(memory, receiver);
    }
    Ok(())
}

/// Posts a receive of world rank `receiver`; returns its node, which is matched already if a matching unexpected message
/// was queued.
pub fn post(memory: Memory<'_>, receiver: u32, wanted: Wanted) -> Result<Node, OutOfSharedMemory> {
    if let Some(message) = take(memory, receiver, wanted) {
        accept(memory, message);
        return Ok(message);
    }
    let node = heap::allocate(memory, NODE_WORDS)?;
    for (at, word) in [CONTEXT, SOURCE, TAG].into_iter().zip(wanted.words()) {
        memory.set(node + at, word);
    }
    memory.set(node + PAYLOAD, 0);
    memory.set(node + STATE, POSTED);
    if let Err(error) = Queues::of(memory, receiver).append_receive(node) {
        heap::free(memory, node);
        return Err(error);
    }
    Ok(node)
}

/// The first matching unexpected message of world rank `receiver`; it stays where it is.
pub fn probe(memory: Memory<'_>, receiver: u32, wanted: Wanted) -> Option<Message> {
    Queues::of(memory, receiver)
        .message_for(wanted)
        .map(|node| message_of(memory, node))
}

/// Takes that message out of the queue: its node is that of a matched receive, which
/// [`accept`]s it.
pub fn take(memory: Memory<'_>, receiver: u32, wanted: Wanted) -> Option<Node> {
    let queues = Queues::of(memory, receiver);
    let node = queues.message_for(wanted)?;
    poll_timeout::record_progress(memory);
    queues.remove_message(node);
    let sender = memory.get(node + SENDER);
    if sender != 0 {
        memory.set(sender + QUEUED, 0);
    }
    memory.set(node + STATE, MATCHED);
    Some(node)
}

/// The unexpected message of world rank `receiver` that was sent as the n-th, from 0, among those wanted from one source with
/// one tag; it stays where it is.
pub fn nth(memory: Memory<'_>, receiver: u32, wanted: Wanted, n: usize) -> Option<Message> {
    let node = Queues::of(memory, receiver).nth_message(wanted, n)?;
    Some(message_of(memory, node))
}

/// Takes the message with this number out of the queue of world rank `receiver`, which a clock outside has matched:
/// its node is that of a matched receive.
pub fn take_numbered(
    memory: Memory<'_>,
    receiver: u32,
    (context, source, tag): (u64, u32, i32),
    number: u64,
) -> Option<Node> {
    let wanted = Wanted {
        context,
        source: Some(source),
        tag: Some(tag),
    };
    let queues = Queues::of(memory, receiver);
    let node = queues.message_numbered(wanted, number)?;
    poll_timeout::record_progress(memory);
    queues.remove_message(node);
    memory.set(node + STATE, MATCHED);
    Some(node)
}

/// A receive has begun to take the message of a node: a synchronous send of it is complete.
pub fn accept(memory: Memory<'_>, node: Node) {
    let sender = memory.get(node + SENDER);
    if sender != 0 {
        memory.set(node + SENDER, 0);
        matched(memory, sender, memory.get(sender + OWNER) as u32);
    }
}

/// World rank `receiver` will wait until another unexpected message comes.
pub fn wait_for_message(memory: Memory<'_>, receiver: u32) {
    memory.set(slot::at(receiver, word::PROBES), 1);
    slot::wait_for(memory, receiver, 1);
}

/// A node for a synchronous send of world rank `owner`, for [`Message::sender`].
pub fn synchronous(memory: Memory<'_>, owner: u32) -> Result<Node, OutOfSharedMemory> {
    let node = heap::allocate_cleared(memory, SEND_WORDS)?;
    memory.set(node + OWNER, u64::from(owner));
    Ok(node)
}

/// The message a posted receive got, if it has one.
pub fn arrived(memory: Memory<'_>, receive: Node) -> Option<Message> {
    if is_matched(memory, receive) {
        Some(message_of(memory, receive))
    } else {
        None
    }
}

/// What a receive asks for that has no message yet.
pub fn wanted(memory: Memory<'_>, receive: Node) -> Wanted {
    let asked = |word| Some(memory.get(receive + word)).filter(|&asked| asked != ANY);
    Wanted {
        context: memory.get(receive + CONTEXT),
        source: asked(SOURCE).map(|source| source as u32),
        tag: asked(TAG).map(|tag| tag as u32 as i32),
    }
}

/// Context of the message of a synchronous send that no receive has taken.
pub fn context_of_send(memory: Memory<'_>, send: Node) -> Option<u64> {
    let message = memory.get(send + QUEUED);
    if message == 0 {
        return None;
    }
    Some(memory.get(message + CONTEXT))
}

/// Whether a receive has its message, or a synchronous send its receive.
pub fn is_matched(memory: Memory<'_>, node: Node) -> bool {
    memory.get(node + STATE) == MATCHED
}

/// Marks an unmatched receive or synchronous send as waited for by its owner: when it is matched,
/// [`slot::complete_one`] will be called.
pub fn wait_for(memory: Memory<'_>, node: Node) {
    memory.set(node + STATE, WAITED_FOR);
}

/// Takes back what [`wait_for`] marked, unless it is matched by now.
pub fn forget(memory: Memory<'_>, node: Node) {
    if memory.get(node + STATE) == WAITED_FOR {
        memory.set(node + STATE, POSTED);
    }
}

/// Cancels a receive of world rank `receiver`, unless it is matched. True if it is gone.
pub fn cancel_receive(memory: Memory<'_>, receiver: u32, receive: Node) -> bool {
    let cancels = !is_matched(memory, receive);
    if cancels {
        Queues::of(memory, receiver).remove_receive(receive);
        heap::free(memory, receive);
    }
    cancels
}

/// Cancels a synchronous send, unless its message is taken. True if both are gone.
pub fn cancel_send(memory: Memory<'_>, send: Node) -> bool {
    let message = memory.get(send + QUEUED);
    if message == 0 || is_matched(memory, send) {
        return false;
    }
    Queues::of(memory, memory.get(send + RECEIVER) as u32).remove_message(message);
    retire(memory, message);
    heap::free(memory, send);
    true
}

/// Cancels a message to world rank `receiver`, unless it is taken. True if it is gone.
pub fn cancel_message(memory: Memory<'_>, receiver: u32, message: &Message) -> bool {
    let queues = Queues::of(memory, receiver);
    let wanted = Wanted {
        context: message.context,
        source: Some(message.source),
        tag: Some(message.tag),
    };
    let Some(node) = queues.message_numbered(wanted, message.number) else {
        return false;
    };
    queues.remove_message(node);
    retire(memory, node);
    true
}

/// Gives back a matched receive and its payload.
pub fn retire(memory: Memory<'_>, receive: Node) {
    let payload = memory.get(receive + PAYLOAD);
    if payload != 0 {
        heap::free(memory, payload);
    }
    heap::free(memory, receive);
}

/// Gives back the node of a synchronous send whose message was taken.
pub fn retire_send(memory: Memory<'_>, send: Node) {
    heap::free(memory, send);
}

/// A receive or synchronous send is matched: its owner, if it waits, knows.
fn matched(memory: Memory<'_>, node: Node, owner: u32) {
    let was_waited_for = memory.get(node + STATE) == WAITED_FOR;
    memory.set(node + STATE, MATCHED);
    if was_waited_for {
        slot::complete_one(memory, owner);
    }
}

fn message_of(memory: Memory<'_>, node: Node) -> Message {
    Message {
        context: memory.get(node + CONTEXT),
        source: memory.get(node + SOURCE) as u32,
        tag: memory.get(node + TAG) as u32 as i32,
        bytes: memory.get(node + BYTES),
        payload: memory.get(node + PAYLOAD),
        signature: memory.get(node + SIGNATURE),
        sender: memory.get(node + SENDER),
        number: memory.get(node + NUMBER),
        call: memory.get(node + CALL),
    }
}

fn fulfil(memory: Memory<'_>, node: Node, message: Message) {
    memory.set(node + CONTEXT, message.context);
    memory.set(node + SOURCE, u64::from(message.source));
    memory.set(node + TAG, message.tag as u32 as u64);
    memory.set(node + BYTES, message.bytes);
    memory.set(node + PAYLOAD, message.payload);
    memory.set(node + SIGNATURE, message.signature);
    memory.set(node + SENDER, message.sender);
    memory.set(node + NUMBER, message.number);
    memory.set(node + CALL, message.call);
}

/// The matching rule: whether a receive accepts a message with these words.
fn wants(memory: Memory<'_>, receive: Node, context: u64, source: u64, tag: u64) -> bool {
    memory.get(receive + CONTEXT) == context
        && fits(memory.get(receive + SOURCE), source)
        && fits(memory.get(receive + TAG), tag)
}

fn fits(asked: u64, value: u64) -> bool {
    asked == ANY || asked == value
}

fn is_exact(source: u64, tag: u64) -> bool {
    source != ANY && tag != ANY
}
