//! The queues of a rank: posted receives and unexpected messages, in bins by (communicator, source,
//! tag), so that thousands of them cost nothing; receives with a wildcard in a list of their own, and
//! all unexpected messages in one more, in the order they were sent.

use super::{
    ALL_NEXT, ALL_PREVIOUS, CONTEXT, NEXT, NUMBER, Node, ORDER, PREVIOUS, SOURCE, TAG, Wanted,
    is_exact, wants,
};
use crate::kernel::slot::{self, word};
use crate::kernel::{Memory, OutOfSharedMemory, heap};

/// Bins of a rank to begin with; a power of two.
const FIRST_BINS: u64 = 64;
/// Bins grow when there are so many nodes for each.
const CROWDED: u64 = 8;
/// Words of a bin: first and last posted receive, first and last unexpected message.
const BIN_WORDS: u64 = 4;
/// Where in a bin the unexpected messages are.
const UNEXPECTED: u64 = 2;

/// Where a node keeps its neighbours in a list.
#[derive(Clone, Copy)]
struct Links {
    next: u64,
    previous: u64,
}

/// Of its bin, or of the list of receives with a wildcard.
const IN_BIN: Links = Links {
    next: NEXT,
    previous: PREVIOUS,
};
/// Of the list of all unexpected messages.
const IN_ALL: Links = Links {
    next: ALL_NEXT,
    previous: ALL_PREVIOUS,
};

/// The queues of one rank.
#[derive(Clone, Copy)]
pub struct Queues<'a> {
    memory: Memory<'a>,
    rank: u32,
}

impl<'a> Queues<'a> {
    /// Of a rank.
    pub fn of(memory: Memory<'a>, rank: u32) -> Self {
        Self { memory, rank }
    }

    fn at(self, word: u64) -> u64 {
        slot::at(self.rank, word)
    }

    fn get(self, word: u64) -> u64 {
        self.memory.get(self.at(word))
    }

    /// Appends a posted receive.
    pub fn append_receive(self, receive: Node) -> Result<(), OutOfSharedMemory> {
        self.make_room()?;
        self.memory
            .set(receive + ORDER, self.memory.add(self.at(word::ORDER), 1));
        self.append(self.list_of(receive), IN_BIN, receive);
        self.memory.add(self.at(word::QUEUED), 1);
        Ok(())
    }

    /// Appends an unexpected message.
    pub fn append_message(self, message: Node) -> Result<(), OutOfSharedMemory> {
        self.make_room()?;
        self.append(self.bin_of(message) + UNEXPECTED, IN_BIN, message);
        self.append(self.at(word::UNEXPECTED), IN_ALL, message);
        self.memory.add(self.at(word::QUEUED), 1);
        Ok(())
    }

    /// The receive that was posted first among those that want a message with these words.
    pub fn receive_for(self, context: u64, source: u64, tag: u64) -> Option<Node> {
        let fits = |node| wants(self.memory, node, context, source, tag);
        let exact = self
            .bin(context, source, tag)
            .and_then(|bin| self.first(bin, IN_BIN, fits));
        let wild = self.first(self.at(word::WILDCARDS), IN_BIN, fits);
        // MPI matches the receive that was posted first, so the two lists are compared by the order of posting.
        match (exact, wild) {
            (Some(exact), Some(wild)) => {
                let earlier = self.memory.get(exact + ORDER) < self.memory.get(wild + ORDER);
                Some(if earlier { exact } else { wild })
            }
            (exact, wild) => exact.or(wild),
        }
    }

    /// The unexpected message that was sent first among those wanted.
    pub fn message_for(self, wanted: Wanted) -> Option<Node> {
        let [context, source, tag] = wanted.words();
        let is_wanted = |node| {
            let is = |word, value| super::fits(value, self.memory.get(node + word));
            self.memory.get(node + CONTEXT) == context && is(SOURCE, source) && is(TAG, tag)
        };
        // All messages of one context, source and tag are in one bin, in the order of sending; a wildcard needs the
        // order over all bins.
        if is_exact(source, tag) {
            self.first(
                self.bin(context, source, tag)? + UNEXPECTED,
                IN_BIN,
                is_wanted,
            )
        } else {
            self.first(self.at(word::UNEXPECTED), IN_ALL, is_wanted)
        }
    }

    /// The unexpected message with this number among those wanted from one source with one tag.
    pub fn message_numbered(self, wanted: Wanted, number: u64) -> Option<Node> {
        let [context, source, tag] = wanted.words();
        let is_it = |node| {
            let is = |word, value| self.memory.get(node + word) == value;
            is(NUMBER, number) && is(CONTEXT, context) && is(SOURCE, source) && is(TAG, tag)
        };
        self.first(self.bin(context, source, tag)? + UNEXPECTED, IN_BIN, is_it)
    }

    /// The unexpected message that was sent as the n-th, from 0, among those wanted from one source with one tag.
    pub fn nth_message(self, wanted: Wanted, n: usize) -> Option<Node> {
        let [context, source, tag] = wanted.words();
        let mut before = n;
        let is_it = |node| {
            let is = |word, value| self.memory.get(node + word) == value;
            let is_wanted = is(CONTEXT, context) && is(SOURCE, source) && is(TAG, tag);
            if is_wanted && before > 0 {
                before -= 1;
                return false;
            }
            is_wanted
        };
        self.first(self.bin(context, source, tag)? + UNEXPECTED, IN_BIN, is_it)
    }

    /// Takes a posted receive out.
    pub fn remove_receive(self, receive: Node) {
        self.remove(self.list_of(receive), IN_BIN, receive);
        self.memory.add(self.at(word::QUEUED), 1u64.wrapping_neg());
    }

    /// Takes an unexpected message out.
    pub fn remove_message(self, message: Node) {
        self.remove(self.bin_of(message) + UNEXPECTED, IN_BIN, message);
        self.remove(self.at(word::UNEXPECTED), IN_ALL, message);
        self.memory.add(self.at(word::QUEUED), 1u64.wrapping_neg());
    }

    /// All posted receives, in no particular order.
    pub fn receives(self) -> Vec<Node> {
        let mut receives = Vec::new();
        for bin in 0..self.get(word::BIN_COUNT) {
            let list = self.get(word::BINS) + bin * BIN_WORDS;
            self.collect(list, IN_BIN, &mut receives);
        }
        self.collect(self.at(word::WILDCARDS), IN_BIN, &mut receives);
        receives
    }

    /// All unexpected messages, in the order they were sent.
    pub fn messages(self) -> Vec<Node> {
        let mut messages = Vec::new();
        self.collect(self.at(word::UNEXPECTED), IN_ALL, &mut messages);
        messages
    }

    fn collect(self, list: u64, links: Links, nodes: &mut Vec<Node>) {
        let mut node = self.memory.get(list);
        while node != 0 {
            nodes.push(node);
            node = self.memory.get(node + links.next);
        }
    }

    fn list_of(self, receive: Node) -> u64 {
        let [source, tag] = [SOURCE, TAG].map(|word| self.memory.get(receive + word));
        if is_exact(source, tag) {
            self.bin_of(receive)
        } else {
            self.at(word::WILDCARDS)
        }
    }

    fn bin_of(self, node: Node) -> u64 {
        let [context, source, tag] =
            [CONTEXT, SOURCE, TAG].map(|word| self.memory.get(node + word));
        self.bin(context, source, tag)
            .expect("there are bins when something is queued")
    }

    fn bin(self, context: u64, source: u64, tag: u64) -> Option<u64> {
        let bins = self.get(word::BINS);
        let hash = (context ^ source.rotate_left(20) ^ tag.rotate_left(40))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // The number of bins is a power of two, so the mask selects one. The upper half of the product is used
        // because its low bits depend on the low bits of the key alone.
        let number = (hash >> 32) & self.get(word::BIN_COUNT).wrapping_sub(1);
        if bins != 0 {
            Some(bins + number * BIN_WORDS)
        } else {
            None
        }
    }

    /// Makes the bins, and more of them when they are crowded.
    fn make_room(self) -> Result<(), OutOfSharedMemory> {
        match self.get(word::BIN_COUNT) {
            0 => {
                let bins = heap::allocate_cleared(self.memory, FIRST_BINS * BIN_WORDS)?;
                self.set_bins(bins, FIRST_BINS);
            }
            count if self.get(word::QUEUED) >= count * CROWDED => self.grow(count * 4),
            _ => {}
        }
        Ok(())
    }

    fn set_bins(self, bins: u64, count: u64) {
        self.memory.set(self.at(word::BINS), bins);
        self.memory.set(self.at(word::BIN_COUNT), count);
    }

    /// Puts everything into more bins, in order; without room for them it stays as it is.
    fn grow(self, count: u64) {
        let Ok(bins) = heap::allocate_cleared(self.memory, count * BIN_WORDS) else {
            return;
        };
        let (old, old_count) = (self.get(word::BINS), self.get(word::BIN_COUNT));
        self.set_bins(bins, count);
        // Nodes of one source and tag come from one old list and go to one new list in the same order, so the
        // non-overtaking rule (MPI-4.1, 3.5) still holds.
        for bin in 0..old_count {
            for part in [0, UNEXPECTED] {
                let mut node = self.memory.get(old + bin * BIN_WORDS + part);
                while node != 0 {
                    // `append` overwrites the link.
                    let next = self.memory.get(node + NEXT);
                    self.append(self.bin_of(node) + part, IN_BIN, node);
                    node = next;
                }
            }
        }
        heap::free(self.memory, old);
    }

    /// Appends to the list whose first and last nodes are the words at `list`.
    fn append(self, list: u64, links: Links, node: Node) {
        let last = self.memory.get(list + 1);
        self.memory.set(node + links.next, 0);
        self.memory.set(node + links.previous, last);
        self.memory
            .set(if last == 0 { list } else { last + links.next }, node);
        self.memory.set(list + 1, node);
    }

    fn remove(self, list: u64, links: Links, node: Node) {
        let next = self.memory.get(node + links.next);
        let previous = self.memory.get(node + links.previous);
        self.memory.set(
            if previous == 0 {
                list
            } else {
                previous + links.next
            },
            next,
        );
        self.memory.set(
            if next == 0 {
                list + 1
            } else {
                next + links.previous
            },
            previous,
        );
    }

    fn first(self, list: u64, links: Links, mut fits: impl FnMut(Node) -> bool) -> Option<Node> {
        let mut node = self.memory.get(list);
        while node != 0 && !fits(node) {
            node = self.memory.get(node + links.next);
        }
        if node != 0 { Some(node) } else { None }
    }
}
