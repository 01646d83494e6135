//! A position in a loop-compressed list of steps. Advancing it iterates over loops without expanding them.

use super::super::program::Step;

/// A position in a rank's steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Cursor {
    next: u32,
    /// Where the innermost open loop's body, or the list, ends.
    end: u32,
    open: Vec<OpenLoop>,
}

#[derive(Clone, Copy, Debug)]
struct OpenLoop {
    start: u32,
    /// Further iterations.
    remaining: u64,
    /// Where the loop around it ends.
    outer_end: u32,
}

impl Cursor {
    /// Moves to the first of `length` steps.
    pub(super) fn rewind(&mut self, length: usize) {
        (self.next, self.end) = (0, length as u32);
        self.open.clear();
    }

    /// Returns the next step that is no loop, and moves past it; `None` at the end.
    #[inline]
    pub(super) fn advance(&mut self, steps: &[Step]) -> Option<Step> {
        loop {
            if self.next == self.end {
                self.next_iteration()?;
                continue;
            }
            let step = *steps.get(self.next as usize)?;
            self.next += 1;
            match step {
                Step::Repeat { count, body } => self.enter(count.get(), body),
                other => return Some(other),
            }
        }
    }

    /// Moves back before the step returned last.
    #[inline]
    pub(super) fn step_back(&mut self) {
        // Never across a loop's border: borders are crossed when the next step is asked for.
        self.next -= 1;
    }

    /// Moves past the next `steps`, which are within the body of the step returned last and contain no loop.
    pub(super) fn skip(&mut self, steps: u32) {
        self.next += steps;
    }

    fn enter(&mut self, count: u64, body: u32) {
        // A loop without iterations is skipped, and one without a body would only count.
        if count == 0 || body == 0 {
            self.next += body;
            return;
        }
        self.open.push(OpenLoop {
            start: self.next,
            remaining: count - 1,
            outer_end: self.end,
        });
        self.end = self.next + body;
    }

    /// At the end of a body: begins the next iteration, or leaves the loop.
    fn next_iteration(&mut self) -> Option<()> {
        let innermost = self.open.last_mut()?;
        if innermost.remaining > 0 {
            innermost.remaining -= 1;
            self.next = innermost.start;
        } else {
            self.end = innermost.outer_end;
            self.open.pop();
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visited_sites(steps: &[Step]) -> String {
        let mut cursor = Cursor::default();
        cursor.rewind(steps.len());
        let name = |step| match step {
            Step::Enter { site } => char::from(b'a' + site as u8),
            other => panic!("{other:?}"),
        };
        std::iter::from_fn(|| cursor.advance(steps))
            .map(name)
            .collect()
    }

    #[test]
    fn visits_nested_loops() {
        let enter = |site| Step::Enter { site };
        let repeat = Step::repeat;
        let cases: [(&[Step], &str); 5] = [
            (&[], ""),
            (&[enter(0), enter(1)], "ab"),
            (&[repeat(3, 1), enter(0), enter(1)], "aaab"),
            (
                &[repeat(2, 4), enter(0), repeat(2, 2), enter(1), enter(2)],
                "abcbcabcbc",
            ),
            (
                &[
                    repeat(0, 1),
                    enter(0),
                    repeat(2, 2),
                    repeat(2, 1),
                    enter(1),
                    enter(2),
                ],
                "bbbbc",
            ),
        ];
        for (steps, expected) in cases {
            assert_eq!(visited_sites(steps), expected);
        }
    }

    #[test]
    fn steps_back_within_a_body() {
        let steps = [Step::repeat(2, 1), Step::Enter { site: 0 }];
        let mut cursor = Cursor::default();
        cursor.rewind(steps.len());
        for _ in 0..2 {
            let first = cursor.advance(&steps);
            cursor.step_back();
            assert_eq!(cursor.advance(&steps), first);
        }
        assert_eq!(cursor.advance(&steps), None);
    }
}
