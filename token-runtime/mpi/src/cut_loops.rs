//! Loops that may be cut short, as far as this rank is in them, and which it must not leave early: where an
//! iteration completes requests that it has not begun, or begins some that others complete.
//!
//! `token_runtime::measure` contains the stopping rule; `token_runtime::kernel::cut` lets all ranks leave at the same
//! iteration.

use crate::failure::Failure;
use crate::process::Process;
use crate::requests::Request;
use token_runtime::kernel::cut;
use token_runtime::measure::{Iterations, Measure};
use token_runtime::termination::Termination;

/// Others have left a loop before this rank has come so far that it must not.
const OUTER_REQUESTS_COMPLETED: &str = "completes requests in a loop that it has begun outside";

/// A loop that may be cut short.
#[derive(Clone, Copy, Debug, Default)]
pub struct CutLoop {
    /// Its shared state.
    node: u64,
    /// The current instance.
    instance: u64,
    /// Which one it is on this rank, from 1.
    number: u64,
    requests: PendingRequests,
    /// Whether it must run whole.
    must_run_whole: bool,
}

/// Requests under way where iterations begin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct PendingRequests {
    /// Those that will bring something, when the loop was entered.
    receives: u64,
    /// How many others there were when the second iteration began: what one iteration sends the next one may
    /// complete, if they all do so.
    sends: Option<usize>,
}

impl PendingRequests {
    /// Whether an iteration, not the first, begins as the others did.
    fn begins_alike(&mut self, receives: u64, sends: usize) -> bool {
        receives == self.receives && *self.sends.get_or_insert(sends) == sends
    }
}

impl Process {
    /// A loop is about to be entered.
    pub fn enter_loop(&mut self, id: u32, iterations: Iterations) {
        match &self.replay {
            Some(replay) => replay.enter_loop(id),
            None => self.enter_loop_instance(id),
        }
        let receives = self.requests.under_way(Request::brings);
        let entered = self.cut_loops.entry(id).or_default();
        entered.requests = PendingRequests {
            receives,
            sends: None,
        };
        entered.number += 1;
        if let Some(measure) = &mut self.measure {
            measure.enter_loop(id, iterations, &mut self.clock);
        }
    }

    /// All ranks leave an instance together.
    fn enter_loop_instance(&mut self, id: u32) {
        let known = self.cut_loops.get(&id).copied().unwrap_or_default();
        let next = self.allocate_or_wait(|| {
            let node = if known.node == 0 {
                cut::loop_node(self.memory(), id)?
            } else {
                known.node
            };
            let instance = cut::next_instance(self.memory(), node, known.instance)?;
            Ok(CutLoop {
                node,
                instance,
                ..known
            })
        });
        match next {
            Ok(next) => drop(self.cut_loops.insert(id, next)),
            Err(Failure::Fatal(ending)) => self.end(ending),
            Err(Failure::Argument(_, sentence)) => panic!("{sentence}"),
        }
    }

    /// The next iteration of a loop is about to begin; whether it is left instead.
    pub fn should_leave_loop(&mut self, id: u32) -> bool {
        let next = self
            .measure
            .as_mut()
            .and_then(|measure| measure.next_iteration(id, &mut self.clock));
        let Some((iteration, enough)) = next else {
            return false;
        };
        let Some(known) = self.check_requests(id, iteration) else {
            return false;
        };
        let enough = enough && !known.must_run_whole;
        let instance = (id, known.number);
        if let Some(replay) = &self.replay {
            let enough = replay
                .logged_loop_exit(instance, iteration)
                .unwrap_or(enough);
            if enough {
                replay.exit_loop(id);
                cut::count_solo_cut(self.memory());
                self.leave_early();
            }
            return enough;
        }
        if known.must_run_whole {
            cut::disable_cut(self.memory(), known.node);
        }
        let leaves = cut::should_leave(
            self.memory(),
            (known.node, known.instance),
            iteration,
            enough,
        );
        if leaves && known.must_run_whole {
            self.end(Termination::Failure(OUTER_REQUESTS_COMPLETED.into()));
        }
        if leaves {
            self.message_log
                .iter()
                .for_each(|message_log| message_log.record_loop_exit(instance, iteration));
            self.leave_early();
        }
        leaves
    }

    fn leave_early(&mut self) {
        self.measure.iter_mut().for_each(Measure::leave_early);
    }

    /// The loop, after a look at what is under way where this iteration begins.
    fn check_requests(&mut self, id: u32, iteration: u64) -> Option<CutLoop> {
        let receives = self.requests.under_way(Request::brings);
        let sends = self
            .requests
            .iter()
            .filter(|(_, request)| request.is_active() && !request.brings())
            .count();
        let known = self.cut_loops.get_mut(&id)?;
        if iteration > 0 && !known.requests.begins_alike(receives, sends) {
            known.must_run_whole = true;
        }
        Some(*known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loop_with_varying_pending_requests_runs_whole() {
        let alike = |tops: &[(u64, usize)]| {
            let mut check_requests = PendingRequests {
                receives: 7,
                sends: None,
            };
            tops.iter()
                .all(|&(receives, sends)| check_requests.begins_alike(receives, sends))
        };
        assert!(alike(&[(7, 0), (7, 0)]));
        assert!(
            alike(&[(7, 3), (7, 3)]),
            "sends that the next iteration completes"
        );
        assert!(
            !alike(&[(7, 3), (7, 2)]),
            "one send per iteration completed"
        );
        assert!(
            !alike(&[(8, 0)]),
            "a receive for the next iteration, or one completed from outside"
        );
    }
}
