//! Schedules solo ranks: as many at once as there are processors, each from `MPI_Init` to
//! its end. A rank that enters a call before the contributions that it needs exist ends
//! and is forked again in the next round. The ranks of these contributions are run as far as that call, unless the host
//! has requested them anyway. A round without a new contribution is the last but one.
//!
//! `solo` executes the calls of a solo rank.

use crate::fork::{become_rank, reopen, send_event};
use crate::solo::SoloRank;
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::fd::RawFd;
use token_runtime::fork_events::ForkEvent;
use token_runtime::solo::{CollectiveCall, ExchangeFolder, GOAL_REACHED, RETRY_LATER};

/// State of the supervisor process.
pub struct SoloScheduler {
    pub exchange_folder: ExchangeFolder,
    pub pipe: File,
    /// Files that each rank opens for itself again.
    pub own: Vec<RawFd>,
}

/// A rank to be run: to its end, or to what it leaves in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Task {
    rank: u32,
    goal: Option<CollectiveCall>,
}

/// How a process of a round goes on.
enum Next {
    /// With this task.
    Rank(Task),
    /// As the supervisor; these ranks came too early.
    Finished(BTreeSet<Task>),
}

impl SoloScheduler {
    /// Runs the ranks that the host has asked for. Returns in every rank.
    pub fn run(mut self, ranks: u32) -> (u32, SoloRank) {
        send_event(&mut self.pipe, ForkEvent::RunningSolo);
        let selected_ranks = self
            .exchange_folder
            .selected_ranks()
            .unwrap_or_else(|| (0..ranks).collect());
        let mut waiting: BTreeSet<Task> = selected_ranks
            .into_iter()
            .map(|rank| Task { rank, goal: None })
            .collect();
        let (mut helping, mut ended, mut may_retry) = (BTreeSet::new(), BTreeSet::new(), true);
        while !waiting.is_empty() {
            let before = self.left();
            match self.round(&waiting) {
                Next::Rank(Task { rank, goal }) => {
                    return (
                        rank,
                        SoloRank {
                            exchange_folder: self.exchange_folder,
                            may_retry,
                            goal,
                        },
                    );
                }
                Next::Finished(early) => {
                    ended.extend(
                        waiting
                            .difference(&early)
                            .filter(|task| task.goal.is_none())
                            .map(|t| t.rank),
                    );
                    let helpers = self.helpers(&early, &helping, &ended);
                    may_retry =
                        early.len() < waiting.len() || self.left() > before || !helpers.is_empty();
                    waiting = early;
                    waiting.extend(&helpers);
                    helping.extend(helpers);
                }
            }
        }
        // SAFETY: `_exit` has no precondition. It skips the exit handlers of the program, which run in the ranks.
        unsafe { libc::_exit(0) }
    }

    /// Ranks whose contributions early ranks need and that are not scheduled otherwise.
    fn helpers(
        &self,
        early: &BTreeSet<Task>,
        helping: &BTreeSet<Task>,
        ended: &BTreeSet<u32>,
    ) -> Vec<Task> {
        let take_missing = self.exchange_folder.take_missing().unwrap_or_default();
        let retrying: BTreeSet<u32> = early.iter().map(|task| task.rank).collect();
        let is_new = |task: &Task| {
            !retrying.contains(&task.rank) && !ended.contains(&task.rank) && !helping.contains(task)
        };
        let tasks = take_missing.into_iter().flat_map(|report_missing| {
            report_missing.from.into_iter().map(move |rank| Task {
                rank,
                goal: Some(report_missing.collective_call),
            })
        });
        tasks.filter(is_new).collect()
    }

    /// How much is on the board; the folder is there as long as the host is.
    fn left(&self) -> u64 {
        self.exchange_folder.entry_count().unwrap_or(0)
    }

    /// Runs ranks, those first that others wait for.
    fn round(&mut self, tasks: &BTreeSet<Task>) -> Next {
        // SAFETY: the call takes no addresses and returns a number.
        let supervisor = unsafe { libc::getpid() };
        let places = std::thread::available_parallelism().map_or(1, usize::from);
        let (mut running, mut early) = (Vec::with_capacity(places), BTreeSet::new());
        let (helpers, others) = tasks
            .iter()
            .partition::<Vec<Task>, _>(|task| task.goal.is_some());
        for task in helpers.into_iter().chain(others) {
            if running.len() == places {
                self.await_one(&mut running, &mut early);
            }
            // SAFETY: this process has one thread.
            match unsafe { libc::fork() } {
                0 => {
                    become_rank(task.rank, supervisor, &self.own);
                    if task.rank == 0 {
                        // It may come again, and read its input again.
                        reopen(0);
                    }
                    return Next::Rank(task);
                }
                -1 => {
                    let error = io::Error::last_os_error().raw_os_error().unwrap_or(0);
                    send_event(
                        &mut self.pipe,
                        ForkEvent::NotForked {
                            rank: task.rank,
                            error,
                        },
                    );
                    break;
                }
                process => running.push((process, task)),
            }
        }
        while !running.is_empty() {
            self.await_one(&mut running, &mut early);
        }
        Next::Finished(early)
    }

    /// Waits until one of the running ranks has ended.
    fn await_one(&mut self, running: &mut Vec<(libc::pid_t, Task)>, early: &mut BTreeSet<Task>) {
        let mut status = 0;
        // SAFETY: `status` is a place for the answer.
        let ended = unsafe { libc::waitpid(-1, &mut status, 0) };
        if ended < 0 && io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            // SAFETY: `_exit` has no precondition; no handler of the program runs. The host reports the failure.
            unsafe { libc::_exit(1) }
        }
        // Others are children that the program had made before MPI_Init.
        let Some(at) = running.iter().position(|&(process, _)| process == ended) else {
            return;
        };
        let (_, task) = running.swap_remove(at);
        let code = if libc::WIFEXITED(status) {
            Some(libc::WEXITSTATUS(status))
        } else {
            None
        };
        match (code, task.goal) {
            (Some(RETRY_LATER), _) => drop(early.insert(task)),
            // A helper is not among the ranks that the host requested, so its end is no event of the host's run. A helper
            // that ends before the call leaves the early rank early.
            (Some(0 | GOAL_REACHED), Some(_)) => {}
            (_, _) => send_event(
                &mut self.pipe,
                ForkEvent::Ended {
                    rank: task.rank,
                    status,
                },
            ),
        }
    }
}
