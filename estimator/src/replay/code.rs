//! Steps made ready to be run by the dataflow replay: all lists in one array, a blocking call as one
//! operation, everything about a transfer that no rank and no draw changes under one number.
//!
//! Which loops a replay may watch for repetition is decided here, too: those in which nothing happens
//! that counts beyond time (reads of clocks, ends of the section), and that run often enough to pay.

use super::program::{LoopCount, Step, StepList};
use crate::numbered::Numbered;

/// One operation; 16 bytes, so that four fit in a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// Repeats the next `body` operations.
    Repeat {
        count: LoopCount,
        body: u32,
        level: u8,
        plain: bool,
    },
    /// Executes a compute block.
    Compute {
        block: u32,
        variant: u32,
        index: u32,
    },
    /// A call begins.
    Enter { site: u32 },
    /// Starts to send.
    Send { channel: u32, post: u32 },
    /// Starts to receive.
    Receive { channel: u32, post: u32 },
    /// Sends, and waits until that is done; so many steps.
    SendNow { channel: u32, post: u32, steps: u8 },
    /// Receives, and waits until that is done; so many steps.
    ReceiveNow { channel: u32, post: u32, steps: u8 },
    /// Waits until a message can be received, and leaves it there.
    Probe { channel: u32 },
    /// Waits until the transfer of a slot is done.
    Finish {
        slot: u32,
        blocking: bool,
        collective: bool,
    },
    /// A step that concerns the rank alone and comes rarely.
    LocalStep(LocalStep),
}

/// Steps that concern one rank alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocalStep {
    Begin,
    End,
    Clock { clock: u32 },
    Section { begins: bool },
    Collective { signature: u32 },
    NoTransfer { slot: u32 },
    Combine { combine: u32 },
}

/// What is the same of all starts of a transfer at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Post {
    pub(crate) size: u32,
    pub(crate) slot: u32,
    pub(crate) site: u32,
    pub(crate) blocking: bool,
    /// Whether it is part of a collective; known of blocking ones only.
    pub(crate) collective: bool,
    /// Whether the call begins with it.
    pub(crate) enters: bool,
}

/// Where a list's operations are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListCode {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) slots: u32,
    /// How many variants it executes.
    pub(crate) variants: u32,
    /// Deepest nest of loops.
    pub(crate) depth: u32,
}

/// The operations of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    pub(crate) lists: Vec<ListCode>,
    pub(crate) posts: Vec<Post>,
    /// Deepest nest of loops that may be watched.
    pub(crate) levels: u8,
}

impl Code {
    /// Operations of step lists.
    pub(crate) fn of(lists: &[StepList]) -> Self {
        let mut posts = Numbered::default();
        let mut code = Self::default();
        for list in lists {
            let mut writer = Writer {
                code: &mut code,
                posts: &mut posts,
                site: 0,
                depth: 0,
                deepest: 0,
            };
            let start = writer.code.ops.len() as u32;
            writer.body(&list.steps, 0);
            let depth = writer.deepest;
            let end = code.ops.len() as u32;
            code.lists.push(ListCode {
                start,
                end,
                slots: list.slots,
                variants: list.variants,
                depth,
            });
        }
        code.posts = posts.into_values();
        code
    }
}

/// Outermost loops of fewer iterations are not watched: little could be saved.
const FEWEST_ITERATIONS: u64 = 4;
/// Inner loops of fewer iterations are not watched: they are entered again and again, and looking
/// costs about as much as an iteration.
const FEWEST_INNER_ITERATIONS: u64 = 16;
/// Loops deeper than this are not watched.
const MOST_LEVELS: u8 = 8;

/// Writes one list.
struct Writer<'a> {
    code: &'a mut Code,
    posts: &'a mut Numbered<Post>,
    site: u32,
    depth: u32,
    deepest: u32,
}

impl Writer<'_> {
    fn body(&mut self, steps: &[Step], level: u8) {
        let mut rest = steps;
        while let [step, after @ ..] = rest {
            rest = if let Step::Repeat { count, body } = *step {
                let (inside, after) = after.split_at((body as usize).min(after.len()));
                self.repeat(count.get(), inside, level);
                after
            } else if let Step::Enter { site } = *step {
                self.enter(site, after)
            } else {
                self.step(*step, false, after)
            };
        }
    }

    fn repeat(&mut self, count: u64, inside: &[Step], level: u8) {
        if count == 0 || inside.is_empty() {
            return;
        }
        // Reads of clocks and section marks are results of their own, so a loop with them is neither watched
        // nor repeated in closed form.
        let plain = !inside.iter().any(counts_beyond_time);
        let fewest = if level == 0 {
            FEWEST_ITERATIONS
        } else {
            FEWEST_INNER_ITERATIONS
        };
        let watched = plain && count >= fewest && level < MOST_LEVELS;
        // Unwatched loops take no level, so inner loops of a short one may still be watched.
        let inner = level + u8::from(watched);
        self.code.levels = self.code.levels.max(inner);
        // The body's length is known only when its operations are written: the operation is replaced below.
        let place = self.code.ops.len();
        let level = if watched { inner } else { 0 };
        let count = LoopCount::new(count);
        self.code.ops.push(Op::Repeat {
            count,
            body: 0,
            level,
            plain,
        });
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        self.body(inside, inner);
        self.depth -= 1;
        let body = (self.code.ops.len() - place - 1) as u32;
        self.code.ops[place] = Op::Repeat {
            count,
            body,
            level,
            plain,
        };
    }

    /// A call begins: if it does so with a blocking transfer, that is one operation.
    fn enter<'s>(&mut self, site: u32, after: &'s [Step]) -> &'s [Step] {
        self.site = site;
        if let [first, rest @ ..] = after
            && is_now(first, rest).is_some()
        {
            return self.step(*first, true, rest);
        }
        self.code.ops.push(Op::Enter { site });
        after
    }

    /// Writes a step that is no loop; gives what is left behind it.
    fn step<'s>(&mut self, step: Step, enters: bool, after: &'s [Step]) -> &'s [Step] {
        let now = is_now(&step, after);
        // The start and the end of the transfer, and the begin of the call if that is part of the operation.
        let steps = 2 + u8::from(enters);
        let op = match step {
            Step::Send {
                channel,
                size,
                slot,
                blocking,
            } => {
                let post = self.post(size, slot, blocking, now, enters);
                if now.is_some() {
                    Op::SendNow {
                        channel,
                        post,
                        steps,
                    }
                } else {
                    Op::Send { channel, post }
                }
            }
            Step::Receive {
                channel,
                size,
                slot,
                blocking,
            } => {
                let post = self.post(size, slot, blocking, now, enters);
                if now.is_some() {
                    Op::ReceiveNow {
                        channel,
                        post,
                        steps,
                    }
                } else {
                    Op::Receive { channel, post }
                }
            }
            Step::Finish {
                slot,
                blocking,
                collective,
            } => Op::Finish {
                slot,
                blocking,
                collective,
            },
            Step::Compute {
                block,
                variant,
                index,
            } => Op::Compute {
                block,
                variant,
                index,
            },
            Step::Enter { site } => Op::Enter { site },
            Step::Begin => Op::LocalStep(LocalStep::Begin),
            Step::End => Op::LocalStep(LocalStep::End),
            Step::Clock { clock } => Op::LocalStep(LocalStep::Clock { clock }),
            Step::Section { begins } => Op::LocalStep(LocalStep::Section { begins }),
            Step::Collective { signature } => Op::LocalStep(LocalStep::Collective { signature }),
            Step::NoTransfer { slot } => Op::LocalStep(LocalStep::NoTransfer { slot }),
            Step::Combine { combine } => Op::LocalStep(LocalStep::Combine { combine }),
            Step::Probe { channel } => Op::Probe { channel },
            Step::Repeat { .. } => return after,
            // Refused beforehand: the order of arrivals is not known here.
            Step::ReceiveAny { .. } | Step::ProbeAny { .. } => return after,
            // Here the steps of schedules are executed where they are waited for.
            Step::StartSchedule { .. } | Step::FinishSchedule { .. } | Step::Proceed => {
                return after;
            }
        };
        self.code.ops.push(op);
        if now.is_some() { &after[1..] } else { after }
    }

    fn post(
        &mut self,
        size: u32,
        slot: u32,
        blocking: bool,
        now: Option<bool>,
        enters: bool,
    ) -> u32 {
        let collective = now.unwrap_or(false);
        self.posts.number(Post {
            size,
            slot,
            site: self.site,
            blocking,
            collective,
            enters,
        })
    }
}

/// Whether a transfer is waited for by the call that starts it, with nothing in between; and if so,
/// whether it is part of a collective.
fn is_now(start: &Step, after: &[Step]) -> Option<bool> {
    let (Step::Send {
        slot,
        blocking: true,
        ..
    }
    | Step::Receive {
        slot,
        blocking: true,
        ..
    }) = start
    else {
        return None;
    };
    match after.first() {
        Some(Step::Finish {
            slot: finished,
            blocking: true,
            collective,
        }) if finished == slot => Some(*collective),
        _ => None,
    }
}

fn counts_beyond_time(step: &Step) -> bool {
    match step {
        Step::Begin | Step::End | Step::Clock { .. } | Step::Section { .. } => true,
        Step::Repeat { .. }
        | Step::Compute { .. }
        | Step::Enter { .. }
        | Step::Collective { .. }
        | Step::Send { .. }
        | Step::Receive { .. }
        | Step::ReceiveAny { .. }
        | Step::Probe { .. }
        | Step::ProbeAny { .. }
        | Step::NoTransfer { .. }
        | Step::Finish { .. }
        | Step::Combine { .. }
        | Step::StartSchedule { .. }
        | Step::FinishSchedule { .. }
        | Step::Proceed => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(steps: Vec<Step>) -> StepList {
        StepList {
            steps,
            slots: 2,
            ..StepList::default()
        }
    }

    #[test]
    fn operations_are_small() {
        assert_eq!(size_of::<Op>(), 16);
        assert_eq!(LoopCount::new(u64::MAX - 7).get(), u64::MAX - 7);
    }

    #[test]
    fn blocking_calls_are_one_operation() {
        let send = Step::Send {
            channel: 3,
            size: 1,
            slot: 0,
            blocking: true,
        };
        let receive = Step::Receive {
            channel: 4,
            size: 1,
            slot: 1,
            blocking: false,
        };
        let finish = |slot, blocking| Step::Finish {
            slot,
            blocking,
            collective: false,
        };
        let steps = vec![
            Step::Enter { site: 7 },
            send,
            finish(0, true),
            Step::Enter { site: 8 },
            receive,
            send,
        ];
        let found = Code::of(&[list(
            [steps, vec![finish(0, true), finish(1, false)]].concat(),
        )]);
        let finish = Op::Finish {
            slot: 1,
            blocking: false,
            collective: false,
        };
        assert_eq!(
            found.ops,
            [
                Op::SendNow {
                    channel: 3,
                    post: 0,
                    steps: 3
                },
                Op::Enter { site: 8 },
                Op::Receive {
                    channel: 4,
                    post: 1
                },
                Op::SendNow {
                    channel: 3,
                    post: 2,
                    steps: 2
                },
                finish
            ]
        );
        assert!(found.posts[0].enters && !found.posts[2].enters);
    }

    #[test]
    fn loops_with_marks_are_not_watched_but_those_inside_are() {
        let (clock, block) = (
            Step::Clock { clock: 0 },
            Step::Compute {
                block: 0,
                variant: 0,
                index: 0,
            },
        );
        let repeat = Step::repeat;
        let steps = vec![repeat(9, 4), clock, repeat(50, 2), repeat(3, 1), block];
        let levels: Vec<(u8, bool)> = Code::of(&[list(steps)])
            .ops
            .iter()
            .filter_map(|op| match op {
                Op::Repeat { level, plain, .. } => Some((*level, *plain)),
                _ => None,
            })
            .collect();
        assert_eq!(levels, [(0, false), (1, true), (0, true)]);
    }
}
