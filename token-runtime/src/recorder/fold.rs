//! Loop compression of the trace: folds a sequence of numbers into loops while it grows. Everything is compared by hash
//! first and then in full, so that the result is exact.

use crate::intern::mix;
use std::collections::HashMap;

/// Longest repetition that is looked for, in entries of the compressed stream. A time step of the
/// NAS benchmarks has up to about 200 calls and blocks.
pub(super) const WINDOW: usize = 512;
/// Places that are compared per pushed entry, so that an irregular stream costs no more.
const CANDIDATES: usize = 48;
/// Base of the polynomial hash over entries: odd, without structure.
const BASE: u64 = 0x9fb2_1c65_1e98_df25;

/// A number or a loop over items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Leaf(u32),
    /// `invariant`: only one repetition of the body was pushed.
    Loop {
        count: u64,
        body: Box<[Item]>,
        body_hash: u64,
        invariant: bool,
    },
}

impl Item {
    fn hash(&self) -> u64 {
        match self {
            Item::Leaf(number) => mix(1, u64::from(*number)),
            Item::Loop {
                count, body_hash, ..
            } => mix(*body_hash, *count),
        }
    }
}

/// The folding itself, over numbers.
#[derive(Debug, Default)]
pub(super) struct LoopFolder {
    pub(super) items: Vec<Item>,
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
    /// How far what was pushed last has repeated the loop at the end, if it has no loops in it.
    partial: Option<PartialRepetition>,
}

/// Repetitions of the last item that it does not count yet.
#[derive(Clone, Copy, Debug, Default)]
struct PartialRepetition {
    /// Whole ones.
    times: u64,
    /// Items of one that is not whole.
    items: usize,
}

impl LoopFolder {
    pub(super) fn push(&mut self, number: u32) {
        self.begin();
        if self.repeats_loop(number) {
            return;
        }
        self.settle();
        self.add(Item::Leaf(number));
        // `repeats_loop` compares with one leaf per pushed number, so only bodies without loops qualify.
        let is_plain = |item: &Item| matches!(item, Item::Leaf(_));
        self.partial = match self.items.last() {
            Some(Item::Loop { body, .. }) if body.iter().all(is_plain) => {
                Some(PartialRepetition::default())
            }
            Some(Item::Loop { .. } | Item::Leaf(_)) | None => None,
        };
    }

    /// Appends what a loop that repeats itself `count` times does each time.
    pub(super) fn append_iteration(&mut self, count: u64, body: Vec<Item>) {
        self.begin();
        self.settle();
        // As plain items, a single iteration folds with its neighbours.
        if count == 1 || body.is_empty() {
            body.into_iter().for_each(|item| self.add(item));
            return;
        }
        let body_hash = hash_of(&body);
        self.add(Item::Loop {
            count,
            body: body.into_boxed_slice(),
            body_hash,
            invariant: true,
        });
    }

    fn begin(&mut self) {
        if self.powers.is_empty() {
            self.powers = std::iter::successors(Some(1), |p: &u64| Some(p.wrapping_mul(BASE)))
                .take(WINDOW + 1)
                .collect();
            self.before.push(0);
        }
    }

    /// Whether a number is the next of another repetition of the loop at the end: then it is noted, which
    /// is all that most numbers cost.
    fn repeats_loop(&mut self, number: u32) -> bool {
        let (Some(partial), Some(Item::Loop { body, .. })) = (&mut self.partial, self.items.last())
        else {
            return false;
        };
        let repeats = matches!(body[partial.items], Item::Leaf(expected) if expected == number);
        if repeats {
            partial.items += 1;
            if partial.items == body.len() {
                *partial = PartialRepetition {
                    times: partial.times + 1,
                    items: 0,
                };
            }
        }
        repeats
    }

    /// Counts the repetitions that were noted, and adds what is left of one.
    pub(super) fn settle(&mut self) {
        let Some(PartialRepetition { times, items }) = self.partial.take() else {
            return;
        };
        let Some(Item::Loop {
            count,
            body,
            body_hash,
            invariant,
        }) = self.pop()
        else {
            return;
        };
        // A pushed repetition has been observed: the loop no longer consists of one observed iteration alone.
        let invariant = invariant && times == 0;
        let rest = body[..items].to_vec();
        self.add(Item::Loop {
            count: count + times,
            body,
            body_hash,
            invariant,
        });
        rest.into_iter().for_each(|item| self.add(item));
    }

    /// Appends an item and folds. A fold changes the last item, which may complete a larger
    /// repetition.
    fn add(&mut self, item: Item) {
        self.append(item);
        while self.extend_loop() || self.fold_tail() {}
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
        let hash = self.before[position as usize]
            .wrapping_mul(BASE)
            .wrapping_add(item.hash());
        self.before.push(hash);
        self.items.push(item);
    }

    /// Removes and returns the last item.
    fn pop(&mut self) -> Option<Item> {
        // Items go in the reverse order of `append`, so `previous` restores both indices to their state before it.
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
        // The hash of a prefix followed by a segment is prefix * BASE^length + segment.
        self.before[to].wrapping_sub(self.before[from].wrapping_mul(self.powers[to - from]))
    }

    /// If the items after a loop are its body once more, they go and it counts one more.
    fn extend_loop(&mut self) -> bool {
        let end = self.items.len();
        let found = self
            .loops
            .iter()
            .rev()
            .take(CANDIDATES)
            .map(|&at| at as usize)
            .find(|&at| {
                let Item::Loop {
                    body, body_hash, ..
                } = &self.items[at]
                else {
                    return false;
                };
                // `powers` ends at WINDOW, which limits the segments that `segment` can hash.
                body.len() <= WINDOW
                    && at + 1 + body.len() == end
                    && self.segment(at + 1, end) == *body_hash
                    && self.items[at + 1..] == **body
            });
        let Some(at) = found else { return false };
        while self.items.len() > at + 1 {
            self.pop();
        }
        if let Some(Item::Loop {
            count,
            body,
            body_hash,
            ..
        }) = self.pop()
        {
            self.append(Item::Loop {
                count: count + 1,
                body,
                body_hash,
                invariant: false,
            });
        }
        true
    }

    /// If the tail repeats what stands before it, both become a loop of two; the shortest
    /// repetition wins.
    fn fold_tail(&mut self) -> bool {
        let end = self.items.len();
        let Some(length) = self.repeated_length(end) else {
            return false;
        };
        let body = self.items[end - length..].to_vec();
        // All but the first item of both copies. That one may be the last repetition of a loop over it, whose other
        // repetitions stay.
        (0..2 * length - 1).for_each(|_| drop(self.pop()));
        self.remove_last(&body[0]);
        self.append_leftmost(body);
        true
    }

    /// Appends a new loop of two as far left as it goes: `x 2(y x)` is `2(x y) x`. An iteration
    /// that begins like the end of the one before would otherwise be cut at changing places, and
    /// the repetition around it never found.
    fn append_leftmost(&mut self, mut body: Vec<Item>) {
        let mut moved = 0;
        while moved + 1 < body.len() && self.remove_last(&body[body.len() - 1]) {
            body.rotate_right(1);
            moved += 1;
        }
        let rest = body[..moved].to_vec();
        let body_hash = hash_of(&body);
        self.add(Item::Loop {
            count: 2,
            body: body.into_boxed_slice(),
            body_hash,
            invariant: false,
        });
        rest.into_iter().for_each(|item| self.add(item));
    }

    /// Takes one `wanted` off the end of the items, if they end with it, be it as the last
    /// repetition of a loop over it.
    fn remove_last(&mut self, wanted: &Item) -> bool {
        match self.items.last() {
            Some(item) if ends_with(item, wanted) => {}
            Some(_) | None => return false,
        }
        match self.pop() {
            Some(item) if item == *wanted => {}
            Some(Item::Loop {
                count,
                body,
                body_hash,
                ..
            }) => self.append(match count {
                // A loop always has at least two repetitions.
                2 => wanted.clone(),
                _ => Item::Loop {
                    count: count - 1,
                    body,
                    body_hash,
                    invariant: false,
                },
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
            // Later candidates are older, so their repetitions are longer still.
            if length > WINDOW || 2 * length > end {
                return None;
            }
            let (start, middle) = (end - 2 * length, end - length);
            // The hashes reject nearly all candidates in constant time; only the comparison makes the result exact.
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

fn hash_of(items: &[Item]) -> u64 {
    items.iter().fold(0, |hash, item| {
        hash.wrapping_mul(BASE).wrapping_add(item.hash())
    })
}

/// Whether `item` is `wanted` or a loop over it alone.
fn ends_with(item: &Item, wanted: &Item) -> bool {
    match item {
        Item::Loop { body, .. } if matches!(&**body, [only] if only == wanted) => true,
        Item::Loop { .. } | Item::Leaf(_) => item == wanted,
    }
}
