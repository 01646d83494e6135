//! The event stream of one rank, compressed into loops while it is recorded: a tail that repeats
//! what stands before it is folded into a loop, a loop that is followed by its own body counts one
//! more. Exact: expanding gives back what was pushed. Memory is that of the compressed stream.
//!
//! Entries are numbers given by an [`Interner`]; the `Op` behind a number is made once. Not here:
//! what the entries mean, and merging of ranks (`classes`).

use crate::intern::{Interner, mix};
use base_data::program_data::{Count, Op};
use std::collections::HashMap;

/// Longest repetition that is looked for, in entries of the compressed stream. A time step of the
/// NAS benchmarks has up to about 200 calls and blocks.
const WINDOW: usize = 512;
/// Places that are compared per pushed entry, so that an irregular stream costs no more.
const CANDIDATES: usize = 48;
/// Base of the polynomial hash over entries: odd, without structure.
const BASE: u64 = 0x9fb2_1c65_1e98_df25;

/// An entry or a loop over entries.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    Leaf(u32),
    Loop { count: u64, body: Box<[Item]>, body_hash: u64 },
}

impl Item {
    fn hash(&self) -> u64 {
        match self {
            Item::Leaf(number) => mix(1, u64::from(*number)),
            Item::Loop { count, body_hash, .. } => mix(*body_hash, *count),
        }
    }
}

/// The stream so far.
#[derive(Debug, Default)]
pub struct Recorder {
    interner: Interner,
    ops: Vec<Op>,
    folder: Folder,
}

impl Recorder {
    /// Appends the entry that `key` stands for; `make` is called the first time this key occurs.
    pub fn push(&mut self, key: &[u64], make: impl FnOnce() -> Op) {
        let (number, new) = self.interner.number(key);
        if new {
            self.ops.push(make());
        }
        self.folder.push(number);
    }

    /// The compressed stream.
    pub fn finish(self) -> Vec<Op> {
        let mut stream = Vec::new();
        write(&self.folder.items, &self.ops, &mut stream);
        stream
    }
}

/// Whether `item` is `wanted` or a loop over it alone.
fn ends_with(item: &Item, wanted: &Item) -> bool {
    match item {
        Item::Loop { body, .. } if matches!(&**body, [only] if only == wanted) => true,
        Item::Loop { .. } | Item::Leaf(_) => item == wanted,
    }
}

fn write(items: &[Item], ops: &[Op], stream: &mut Vec<Op>) {
    for item in items {
        match item {
            Item::Leaf(number) => stream.push(ops[*number as usize].clone()),
            Item::Loop { count, body, .. } => {
                let head = stream.len();
                stream.push(Op::Loop { count: Count::Constant(*count), body: 0 });
                write(body, ops, stream);
                let length = (stream.len() - head - 1) as u32;
                stream[head] = Op::Loop { count: Count::Constant(*count), body: length };
            }
        }
    }
}

/// The folding itself, over numbers.
#[derive(Debug, Default)]
struct Folder {
    items: Vec<Item>,
    /// Hash of the items before each position: `before[i]` covers `items[..i]`.
    before: Vec<u64>,
    /// Per position, the position before it of an equal leaf or of a loop with the same body.
    previous: Vec<Option<u32>>,
    /// Last position of each leaf.
    last_leaf: Vec<Option<u32>>,
    /// Last position of each loop body, by hash.
    last_loop: HashMap<u64, u32>,
    /// Positions of the loops.
    loops: Vec<u32>,
    /// Powers of [`BASE`].
    powers: Vec<u64>,
}

impl Folder {
    fn push(&mut self, number: u32) {
        if self.powers.is_empty() {
            self.powers = std::iter::successors(Some(1), |p: &u64| Some(p.wrapping_mul(BASE)))
                .take(WINDOW + 1)
                .collect();
            self.before.push(0);
        }
        self.add(Item::Leaf(number));
    }

    /// Appends an item and folds. A fold changes the last item, which may complete a larger
    /// repetition.
    fn add(&mut self, item: Item) {
        self.append(item);
        while self.count_one_more() || self.fold_tail() {}
    }

    /// Appends without folding.
    fn append(&mut self, item: Item) {
        let position = self.items.len() as u32;
        let previous = match &item {
            Item::Leaf(number) => {
                if self.last_leaf.len() <= *number as usize {
                    self.last_leaf.resize(*number as usize + 1, None);
                }
                self.last_leaf[*number as usize].replace(position)
            }
            Item::Loop { body_hash, .. } => {
                self.loops.push(position);
                self.last_loop.insert(*body_hash, position)
            }
        };
        self.previous.push(previous);
        let hash = self.before[position as usize].wrapping_mul(BASE).wrapping_add(item.hash());
        self.before.push(hash);
        self.items.push(item);
    }

    /// Removes and returns the last item.
    fn pop(&mut self) -> Option<Item> {
        let item = self.items.pop()?;
        self.before.pop();
        let previous = self.previous.pop().flatten();
        match &item {
            Item::Leaf(number) => self.last_leaf[*number as usize] = previous,
            Item::Loop { body_hash, .. } => {
                self.loops.pop();
                match previous {
                    Some(position) => self.last_loop.insert(*body_hash, position),
                    None => self.last_loop.remove(body_hash),
                };
            }
        }
        Some(item)
    }

    /// Hash of `items[from..to]`.
    fn segment(&self, from: usize, to: usize) -> u64 {
        self.before[to].wrapping_sub(self.before[from].wrapping_mul(self.powers[to - from]))
    }

    /// If the items after a loop are its body once more, they go and it counts one more.
    fn count_one_more(&mut self) -> bool {
        let end = self.items.len();
        let found = self.loops.iter().rev().take(CANDIDATES).map(|&at| at as usize).find(|&at| {
            let Item::Loop { body, body_hash, .. } = &self.items[at] else { return false };
            at + 1 + body.len() == end
                && self.segment(at + 1, end) == *body_hash
                && self.items[at + 1..] == **body
        });
        let Some(at) = found else { return false };
        while self.items.len() > at + 1 {
            self.pop();
        }
        if let Some(Item::Loop { count, body, body_hash }) = self.pop() {
            self.append(Item::Loop { count: count + 1, body, body_hash });
        }
        true
    }

    /// If the tail repeats what stands before it, both become a loop of two; the shortest
    /// repetition wins.
    fn fold_tail(&mut self) -> bool {
        let end = self.items.len();
        let Some(length) = self.repeated_length(end) else { return false };
        let body = self.items[end - length..].to_vec();
        (0..2 * length - 1).for_each(|_| drop(self.pop()));
        self.take_last(&body[0]);
        self.append_leftmost(body);
        true
    }

    /// Appends a new loop of two as far left as it goes: `x 2(y x)` is `2(x y) x`. An iteration
    /// that begins like the end of the one before would otherwise be cut at changing places, and
    /// the repetition around it never found.
    fn append_leftmost(&mut self, mut body: Vec<Item>) {
        let mut moved = 0;
        while moved + 1 < body.len() && self.take_last(&body[body.len() - 1]) {
            body.rotate_right(1);
            moved += 1;
        }
        let rest = body[..moved].to_vec();
        let body_hash =
            body.iter().fold(0, |hash: u64, item| hash.wrapping_mul(BASE).wrapping_add(item.hash()));
        self.add(Item::Loop { count: 2, body: body.into_boxed_slice(), body_hash });
        rest.into_iter().for_each(|item| self.add(item));
    }

    /// Takes one `wanted` off the end of the items, if they end with it, be it as the last
    /// repetition of a loop over it.
    fn take_last(&mut self, wanted: &Item) -> bool {
        match self.items.last() {
            Some(item) if ends_with(item, wanted) => {}
            Some(_) | None => return false,
        }
        match self.pop() {
            Some(item) if item == *wanted => {}
            Some(Item::Loop { count, body, body_hash }) => self.append(match count {
                2 => wanted.clone(),
                _ => Item::Loop { count: count - 1, body, body_hash },
            }),
            Some(Item::Leaf(_)) | None => {}
        }
        true
    }

    fn repeated_length(&self, end: usize) -> Option<usize> {
        let mut candidate = self.previous[end - 1];
        for _ in 0..CANDIDATES {
            let at = candidate? as usize;
            let length = end - 1 - at;
            if length > WINDOW || 2 * length > end {
                return None;
            }
            let (start, middle) = (end - 2 * length, end - length);
            if self.segment(start + 1, middle) == self.segment(middle + 1, end)
                && ends_with(&self.items[start], &self.items[middle])
                && self.items[start + 1..middle] == self.items[middle + 1..]
            {
                return Some(length);
            }
            candidate = self.previous[at];
        }
        None
    }
}

/// Every entry of a compressed stream as often as it happened: for tests and for streams known to
/// be short.
pub fn expand(stream: &[Op]) -> Vec<Op> {
    let mut expanded = Vec::new();
    let mut at = 0;
    while at < stream.len() {
        if let Op::Loop { count, body } = &stream[at] {
            let end = at + 1 + *body as usize;
            let once = expand(&stream[at + 1..end]);
            (0..count.get()).for_each(|_| expanded.extend_from_slice(&once));
            at = end;
        } else {
            expanded.push(stream[at].clone());
            at += 1;
        }
    }
    expanded
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::BlockId;
    use base_data::program_data::Operand;
    use proptest::prelude::*;

    fn op(number: u32) -> Op {
        Op::Block { block: BlockId(number), variant: Operand::Constant(0) }
    }

    fn compress(numbers: &[u32]) -> Vec<Op> {
        let mut recorder = Recorder::default();
        numbers.iter().for_each(|&n| recorder.push(&[u64::from(n)], || op(n)));
        recorder.finish()
    }

    fn shown(stream: &[Op]) -> String {
        let mut text = String::new();
        let mut at = 0;
        while at < stream.len() {
            match &stream[at] {
                Op::Loop { count, body } => {
                    let end = at + 1 + *body as usize;
                    text += &format!("{}({})", count.get(), shown(&stream[at + 1..end]));
                    at = end;
                }
                Op::Block { block, .. } => {
                    text.push(char::from(b'a' + block.0 as u8));
                    at += 1;
                }
                Op::Mark(_) | Op::Call { .. } => unreachable!("these tests push blocks"),
            }
        }
        text
    }

    fn check(pushed: &str, expect: &str) {
        let numbers: Vec<u32> = pushed.bytes().map(|b| u32::from(b - b'a')).collect();
        assert_eq!(shown(&compress(&numbers)), expect);
    }

    #[test]
    fn finds_loops_by_itself() {
        check("abc", "abc");
        check("aaaa", "4(a)");
        check("xababab", "x3(ab)");
        check("abbbabbbabbb", "3(a3(b))");
        check("abbcbbcbbcabbcbbcbbcz", "2(a3(2(b)c))z");
        check("aababaababaabab", "3(a2(ab))");
    }

    #[test]
    fn a_long_time_step_is_one_loop() {
        let step: Vec<u32> = (0..WINDOW as u32).collect();
        let stream = compress(&step.repeat(1000));
        assert_eq!(stream.len(), WINDOW + 1);
    }

    #[test]
    fn deep_loops_stay_small() {
        let mut numbers = vec![0];
        for level in 1..12 {
            numbers = numbers.repeat(3);
            numbers.push(level);
        }
        assert_eq!(compress(&numbers).len(), 23);
    }

    proptest! {
        #[test]
        fn expanding_gives_back_what_was_pushed(
            numbers in prop::collection::vec(0u32..4, 0..400),
            times in 1usize..5,
        ) {
            let pushed = numbers.repeat(times);
            let expected: Vec<Op> = pushed.iter().map(|&n| op(n)).collect();
            let stream = compress(&pushed);
            prop_assert_eq!(expand(&stream), expected);
        }

        /// However its own repetitions overlap, a time step that is repeated is found.
        #[test]
        fn repetition_costs_nothing(numbers in prop::collection::vec(0u32..4, 1..40)) {
            let stream = compress(&numbers.repeat(60));
            prop_assert!(stream.len() <= 4 * numbers.len() + 4, "{} entries", stream.len());
        }
    }
}
