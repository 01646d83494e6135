//! The event stream of one rank, compressed into loops while it is recorded: a tail that repeats
//! what stands before it is folded into a loop, a loop that is followed by its own body counts one
//! more. Exact: expanding gives back what was pushed. Memory is that of the compressed stream.
//!
//! Entries are numbers given by an [`Interner`]; the `Op` behind a number is made once.
//! `classes` merges the recordings of ranks.

mod fold;

use crate::intern::Interner;
use base_data::program_data::{Count, Op};
use fold::{Item, LoopFolder};

/// The stream so far.
#[derive(Debug, Default)]
pub struct Recorder {
    interner: Interner,
    ops: Vec<Op>,
    folder: LoopFolder,
    /// Iterations that are being recorded apart, outermost first.
    apart: Vec<LoopFolder>,
    /// What was pushed since folding was put off; `None` if it is folded at once.
    unfolded: Option<Vec<u32>>,
}

impl Recorder {
    /// A recorder that folds at the end: a push is cheaper, but the whole stream is kept until then.
    pub fn folding_at_the_end() -> Self {
        Self {
            unfolded: Some(Vec::new()),
            ..Self::default()
        }
    }

    /// Appends the entry that `key` stands for; `make` is called the first time this key occurs.
    /// Gives the entry's number, for [`Recorder::partial`].
    pub fn push(&mut self, key: &[u64], make: impl FnOnce() -> Op) -> u32 {
        let (number, new) = self.interner.number(key);
        if new {
            self.ops.push(make());
        }
        self.push_known(number);
        number
    }

    /// Appends an entry that was appended before.
    #[inline]
    pub fn push_known(&mut self, number: u32) {
        match (&mut self.unfolded, self.apart.last_mut()) {
            (Some(unfolded), _) => unfolded.push(number),
            (None, Some(folder)) => folder.push(number),
            (None, None) => self.folder.push(number),
        }
    }

    /// From here on entries are an iteration of their own, until it is closed.
    pub fn open(&mut self) {
        // An iteration is appended to a folded stream, so what was put off is folded first.
        for number in self.unfolded.take().into_iter().flatten() {
            self.folder.push(number);
        }
        self.apart.push(LoopFolder::default());
    }

    /// The iteration that was opened last is complete and is repeated so many times in succession.
    pub fn close(&mut self, count: u64) {
        if let Some(mut iteration) = self.apart.pop() {
            // Invariant loops nest: the iteration belongs to the one around it, or to the stream.
            iteration.settle();
            self.apart
                .last_mut()
                .unwrap_or(&mut self.folder)
                .append_iteration(count, iteration.items);
        }
    }

    /// The compressed stream.
    pub fn finish(mut self) -> Vec<Op> {
        self.unfolded
            .iter()
            .flatten()
            .for_each(|&number| self.folder.push(number));
        self.folder.settle();
        let mut stream = Vec::new();
        write(&self.folder.items, &self.ops, &mut stream);
        stream
    }
}

fn write(items: &[Item], ops: &[Op], stream: &mut Vec<Op>) {
    for item in items {
        match item {
            Item::Leaf(number) => stream.push(ops[*number as usize].clone()),
            Item::Loop {
                count,
                body,
                invariant,
                ..
            } => {
                let count = if *invariant {
                    Count::Invariant(*count)
                } else {
                    Count::Constant(*count)
                };
                // The length of the body is known only after it has been written.
                let header = stream.len();
                stream.push(Op::Loop { count, body: 0 });
                write(body, ops, stream);
                let length = (stream.len() - header - 1) as u32;
                stream[header] = Op::Loop {
                    count,
                    body: length,
                };
            }
        }
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
    use super::fold::WINDOW;
    use super::*;
    use base_data::BlockId;
    use base_data::program_data::Operand;
    use proptest::prelude::*;

    fn op(number: u32) -> Op {
        Op::Block {
            block: BlockId(number),
            variant: Operand::Constant(0),
        }
    }

    fn compress(numbers: &[u32]) -> Vec<Op> {
        let pushed = |mut recorder: Recorder| {
            for &number in numbers {
                recorder.push(&[u64::from(number)], || op(number));
            }
            recorder.finish()
        };
        let stream = pushed(Recorder::default());
        assert_eq!(pushed(Recorder::folding_at_the_end()), stream);
        stream
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
    fn repetitions_fold_into_loops() {
        check("abc", "abc");
        check("aaaa", "4(a)");
        check("xababab", "x3(ab)");
        check("abbbabbbabbb", "3(a3(b))");
        check("abbcbbcbbcabbcbbcbbcz", "2(a3(2(b)c))z");
        check("aababaababaabab", "3(a2(ab))");
    }

    #[test]
    fn long_time_step_folds_into_one_loop() {
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
        fn expand_inverts_folding(
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
        fn repeated_sequence_adds_no_entries(numbers in prop::collection::vec(0u32..4, 1..40)) {
            let stream = compress(&numbers.repeat(60));
            prop_assert!(stream.len() <= 4 * numbers.len() + 4, "{} entries", stream.len());
        }
    }
}
