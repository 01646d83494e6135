//! The keeper of ranks that run alone: as many at once as there are processors, each from `MPI_Init` to
//! its end. A rank that came too early to a call, because others had not left there what it needs, ends
//! and is forked again in the next round; a round after which nothing more was left is the last but one.
//!
//! Not here: what a lone rank does in its calls (`alone`).

use crate::alone::Lone;
use crate::fork::{become_rank, tell};
use std::fs::File;
use std::io;
use std::os::fd::RawFd;
use token_runtime::alone::{Board, TOO_EARLY};
use token_runtime::events::Event;

/// What the keeper works with.
pub struct Keeper {
    pub board: Board,
    pub pipe: File,
    /// Files that each rank opens for itself again.
    pub own: Vec<RawFd>,
}

/// How a process of a round goes on.
enum Next {
    /// As this rank.
    Rank(u32),
    /// As the keeper; these ranks came too early.
    Keeper(Vec<u32>),
}

impl Keeper {
    /// Runs all ranks. Returns in every rank.
    pub fn run(mut self, ranks: u32) -> (u32, Lone) {
        tell(&mut self.pipe, Event::RunningAlone);
        let (mut waiting, mut may_come_again): (Vec<u32>, bool) = ((0..ranks).collect(), true);
        while !waiting.is_empty() {
            let before = self.left();
            match self.round(&waiting) {
                Next::Rank(rank) => return (rank, Lone { board: self.board, may_come_again }),
                Next::Keeper(early) => {
                    may_come_again = early.len() < waiting.len() || self.left() > before;
                    waiting = early;
                }
            }
        }
        // SAFETY: ends the process; what the program would do at its end is the ranks' to do.
        unsafe { libc::_exit(0) }
    }

    /// How much is on the board; the folder is there as long as the host is.
    fn left(&self) -> u64 {
        self.board.amount().unwrap_or(0)
    }

    fn round(&mut self, ranks: &[u32]) -> Next {
        // SAFETY: asks for a number.
        let keeper = unsafe { libc::getpid() };
        let places = std::thread::available_parallelism().map_or(1, usize::from);
        let (mut running, mut early) = (Vec::with_capacity(places), Vec::new());
        for &rank in ranks {
            if running.len() == places {
                self.await_one(&mut running, &mut early);
            }
            // SAFETY: this process has one thread.
            match unsafe { libc::fork() } {
                0 => {
                    become_rank(rank, keeper, &self.own);
                    return Next::Rank(rank);
                }
                -1 => {
                    let error = io::Error::last_os_error().raw_os_error().unwrap_or(0);
                    tell(&mut self.pipe, Event::NotForked { rank, error });
                    break;
                }
                process => running.push((process, rank)),
            }
        }
        while !running.is_empty() {
            self.await_one(&mut running, &mut early);
        }
        early.sort_unstable();
        Next::Keeper(early)
    }

    /// Waits until one of the running ranks has ended.
    fn await_one(&mut self, running: &mut Vec<(libc::pid_t, u32)>, early: &mut Vec<u32>) {
        let mut status = 0;
        // SAFETY: `status` is a place for the answer.
        let ended = unsafe { libc::waitpid(-1, &mut status, 0) };
        if ended < 0 && io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            // SAFETY: ends the process: its children are not to be waited for. The host tells.
            unsafe { libc::_exit(1) }
        }
        // Others are children that the program had made before MPI_Init.
        let Some(at) = running.iter().position(|&(process, _)| process == ended) else { return };
        let (_, rank) = running.swap_remove(at);
        match libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == TOO_EARLY {
            true => early.push(rank),
            false => tell(&mut self.pipe, Event::Ended { rank, status }),
        }
    }
}
