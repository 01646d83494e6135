//! Steps in the order of execution, loops written out one iteration after the other.

use crate::replay::program::Step;

/// The steps that are no loops.
pub(super) struct WrittenOut<'a> {
    steps: &'a [Step],
    at: usize,
    /// Begin, end and further iterations of the loops that are open.
    open: Vec<(usize, usize, u64)>,
}

impl<'a> WrittenOut<'a> {
    /// Those of a list.
    pub(super) fn of(steps: &'a [Step]) -> Self {
        Self {
            steps,
            at: 0,
            open: Vec::new(),
        }
    }

    /// Begins the next iteration, or leaves completed loops.
    fn next_iteration(&mut self) {
        while let Some((begin, end, left)) = self.open.last_mut() {
            if self.at < *end {
                return;
            }
            if *left > 0 {
                *left -= 1;
                self.at = *begin;
                return;
            }
            self.open.pop();
        }
    }
}

impl Iterator for WrittenOut<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        loop {
            self.next_iteration();
            let step = *self.steps.get(self.at)?;
            self.at += 1;
            let Step::Repeat { count, body } = step else {
                return Some(step);
            };
            let end = self.at + body as usize;
            match count.get() {
                0 => self.at = end,
                count => self.open.push((self.at, end, count - 1)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_nested_loops_out() {
        let enter = |site| Step::Enter { site };
        let repeat = Step::repeat;
        let steps = [
            repeat(0, 1),
            enter(0),
            repeat(2, 4),
            repeat(2, 2),
            enter(1),
            enter(2),
            enter(3),
            enter(4),
        ];
        let sites = WrittenOut::of(&steps).map(|step| match step {
            Step::Enter { site } => site,
            other => panic!("{other:?}"),
        });
        assert_eq!(sites.collect::<Vec<_>>(), [1, 2, 1, 2, 3, 1, 2, 1, 2, 3, 4]);
    }
}
