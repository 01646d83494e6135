//! Texts around ranges of a file. Ranges nest, as expressions and statements do, so texts nest like brackets; several around one
//! range nest in the order in which they were added, the first outermost.

use std::ops::Range;

/// Texts around ranges.
#[derive(Clone, Debug, Default)]
pub(super) struct Wrappings {
    all: Vec<Wrapping>,
}

#[derive(Clone, Debug)]
struct Wrapping {
    range: Range<usize>,
    before: String,
    after: String,
}

/// Where a text stands among the others.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Order {
    at: usize,
    side: WrappingOrder,
    nesting: usize,
    index: usize,
}

/// Order of texts at one byte: what ends there, then what stands there alone, then what begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum WrappingOrder {
    End,
    Alone,
    Begin,
}

impl Wrappings {
    /// Puts texts around a range; of an empty one only the first is inserted.
    pub(super) fn wrap(&mut self, range: &Range<usize>, before: String, after: String) {
        self.all.push(Wrapping {
            range: range.clone(),
            before,
            after,
        });
    }

    /// The text with the inserted ones.
    pub(super) fn apply(&self, original: &[u8]) -> Vec<u8> {
        let mut texts: Vec<(Order, &str)> = Vec::new();
        let count = self.all.len();
        for (index, one) in self.all.iter().enumerate() {
            let Range { start, end } = one.range;
            let length = end - start;
            let order = |at, side, nesting, index| Order {
                at,
                side,
                nesting,
                index,
            };
            if length == 0 {
                texts.push((order(start, WrappingOrder::Alone, 0, index), &one.before));
                continue;
            }
            // Of those that begin at a byte the longest comes first, of those that end there the shortest.
            let longest_first = original.len().saturating_sub(length);
            texts.push((
                order(start, WrappingOrder::Begin, longest_first, index),
                &one.before,
            ));
            texts.push((
                order(end, WrappingOrder::End, length, count - index),
                &one.after,
            ));
        }
        texts.sort_unstable();
        let mut result = Vec::with_capacity(original.len() + 64 * texts.len());
        let mut done = 0;
        for (order, text) in texts {
            let at = order.at.clamp(done, original.len());
            result.extend_from_slice(&original[done..at]);
            result.extend_from_slice(text.as_bytes());
            done = at;
        }
        result.extend_from_slice(&original[done..]);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_nest() {
        let mut wrappings = Wrappings::default();
        wrappings.wrap(&(1..2), "[".into(), "]".into());
        wrappings.wrap(&(1..4), "{".into(), "}".into());
        wrappings.wrap(&(1..4), "<".into(), ">".into());
        wrappings.wrap(&(2..4), "(".into(), ")".into());
        wrappings.wrap(&(2..2), "!".into(), String::new());
        wrappings.wrap(&(1..1), "?".into(), String::new());
        assert_eq!(wrappings.apply(b"abcde"), b"a?{<[b]!(cd)>}e");
    }
}
