//! Invariant loops, of which the program need not run every iteration: an iteration with the signature of the
//! previous one, with no request pending before and after that one, repeats it and is only counted.
//! The instrumenter selects these loops and their signatures.

use crate::recorder::Recorder;

/// The loops that a rank is in, outermost first.
#[derive(Debug, Default)]
pub struct InvariantLoops {
    open: Vec<InvariantLoop>,
}

/// One of them.
#[derive(Debug)]
struct InvariantLoop {
    id: u32,
    /// Of the iteration that was run last.
    signature: Vec<i64>,
    /// How often that iteration happened; 0 before the first.
    count: u64,
    /// Whether no request was pending when it began.
    quiet: bool,
}

impl InvariantLoops {
    /// A loop is about to be entered.
    pub fn enter(&mut self, id: u32) {
        self.open.push(InvariantLoop {
            id,
            signature: Vec::new(),
            count: 0,
            quiet: false,
        });
    }

    /// An iteration is about to begin; `quiet` says that no request is pending. Whether it is to be skipped.
    pub fn begin_iteration(
        &mut self,
        recorder: &mut Recorder,
        id: u32,
        signature: &[i64],
        quiet: bool,
    ) -> bool {
        self.close_inner(recorder, id);
        let Some(repeat) = self.open.last_mut().filter(|repeat| repeat.id == id) else {
            return false;
        };
        // A request that is pending across the boundary makes an iteration depend on its neighbours: it may complete a
        // request of the previous one, or leave one to the next.
        if repeat.count > 0 && repeat.quiet && quiet && repeat.signature == signature {
            repeat.count += 1;
            return true;
        }
        close(recorder, repeat);
        recorder.open();
        *repeat = InvariantLoop {
            id,
            signature: signature.to_vec(),
            count: 1,
            quiet,
        };
        false
    }

    /// A loop was left.
    pub fn leave(&mut self, recorder: &mut Recorder, id: u32) {
        self.close_inner(recorder, id);
        if self.open.last().is_some_and(|repeat| repeat.id == id) {
            self.close_last(recorder);
        }
    }

    /// The run is over, wherever the rank is.
    pub fn finish(&mut self, recorder: &mut Recorder) {
        while !self.open.is_empty() {
            self.close_last(recorder);
        }
    }

    /// Loops inside this one ended without a probe at their end.
    fn close_inner(&mut self, recorder: &mut Recorder, id: u32) {
        if self.open.iter().any(|repeat| repeat.id == id) {
            while self.open.last().is_some_and(|repeat| repeat.id != id) {
                self.close_last(recorder);
            }
        }
    }

    fn close_last(&mut self, recorder: &mut Recorder) {
        self.open
            .pop()
            .iter()
            .for_each(|repeat| close(recorder, repeat));
    }
}

fn close(recorder: &mut Recorder, repeat: &InvariantLoop) {
    if repeat.count > 0 {
        recorder.close(repeat.count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::expand;
    use base_data::BlockId;
    use base_data::program_data::{Count, Op, Operand};

    fn push(recorder: &mut Recorder, number: u32) {
        let op = || Op::Block {
            block: BlockId(number),
            variant: Operand::Constant(0),
        };
        recorder.push(&[u64::from(number)], op);
    }

    fn blocks(stream: &[Op]) -> Vec<u32> {
        let number = |op: &Op| {
            if let Op::Block { block, .. } = op {
                block.0
            } else {
                u32::MAX
            }
        };
        expand(stream).iter().map(number).collect()
    }

    /// A loop over the signatures; each iteration that is run pushes its signature.
    fn run(
        recorder: &mut Recorder,
        invariant_loops: &mut InvariantLoops,
        id: u32,
        signatures: &[i64],
        quiet: bool,
    ) -> usize {
        let mut ran = 0;
        invariant_loops.enter(id);
        for &signature in signatures {
            if !invariant_loops.begin_iteration(recorder, id, &[signature], quiet) {
                push(recorder, signature as u32);
                ran += 1;
            }
        }
        invariant_loops.leave(recorder, id);
        ran
    }

    #[test]
    fn equal_adjacent_iterations_run_once() {
        let (mut recorder, mut invariant_loops) = (Recorder::default(), InvariantLoops::default());
        push(&mut recorder, 7);
        assert_eq!(
            run(
                &mut recorder,
                &mut invariant_loops,
                1,
                &[3, 3, 3, 4, 3, 3],
                true
            ),
            3
        );
        let stream = recorder.finish();
        assert_eq!(blocks(&stream), [7, 3, 3, 3, 4, 3, 3]);
        assert_eq!(
            stream[1],
            Op::Loop {
                count: Count::Invariant(3),
                body: 1
            }
        );
    }

    #[test]
    fn pending_requests_prevent_skipping() {
        let (mut recorder, mut invariant_loops) = (Recorder::default(), InvariantLoops::default());
        assert_eq!(
            run(&mut recorder, &mut invariant_loops, 1, &[3, 3, 3], false),
            3
        );
        assert_eq!(blocks(&recorder.finish()), [3, 3, 3]);
    }

    #[test]
    fn loops_nest_and_end_with_the_run() {
        let (mut recorder, mut invariant_loops) = (Recorder::default(), InvariantLoops::default());
        invariant_loops.enter(1);
        for _ in 0..5 {
            if !invariant_loops.begin_iteration(&mut recorder, 1, &[], true) {
                push(&mut recorder, 1);
                run(&mut recorder, &mut invariant_loops, 2, &[2, 2, 2], true);
                run(&mut recorder, &mut invariant_loops, 2, &[], true);
            }
        }
        invariant_loops.finish(&mut recorder);
        assert_eq!(blocks(&recorder.finish()), [1, 2, 2, 2].repeat(5));
    }

    #[test]
    fn loop_without_entry_is_run() {
        let (mut recorder, mut invariant_loops) = (Recorder::default(), InvariantLoops::default());
        assert!(!invariant_loops.begin_iteration(&mut recorder, 9, &[], true));
        invariant_loops.leave(&mut recorder, 9);
    }
}
