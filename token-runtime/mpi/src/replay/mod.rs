//! Message replay for a representative: a rank that measures its blocks while no other rank runs. Its sends have no
//! receiver. Outputs on which the sequence of its calls depends come from the log of the program probe's run;
//! `token_runtime::replay_input` contains the sources of all others.
//!
//! This module reads the sources; `messages` replays messages, `collectives` replays collectives,
//! and `message_log` records the outputs of calls in a run of all ranks.

mod collectives;
mod message_log;
mod messages;

pub use message_log::MessageLogWriter;

use crate::failure::Failure;
use crate::process::{Level, Process};
use crate::solo::needs_other_ranks;
use base_data::mpi::BasicDatatype;
use native::system_clock::RealInstant;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use token_runtime::measure::Measure;
use token_runtime::replay_input::{
    self, CallCounters, CallInstance, CallOutput, DivergenceMonitor, Echo, MessageLog, RootData,
};
use token_runtime::termination::{self, Termination};

/// Message of the error for a rank that has diverged from its recording.
const DIVERGED: &str =
    "runs much longer than the recorded run: a message of another rank may end a loop";

/// Sources of the data that a representative receives.
pub struct Replay {
    folder: PathBuf,
    live: MessageLog,
    log: Option<MessageLog>,
    root_data: RootData,
    /// Whether the echo serves data of all types, not of floating-point types only.
    echo_all_types: bool,
    began: RealInstant,
    state: RefCell<State>,
}

/// What changes while it runs.
#[derive(Default)]
struct State {
    call_counters: CallCounters,
    divergence: DivergenceMonitor,
    echo: Echo,
    /// What it gives as a root, for representatives that run after it.
    sent_root_data: RootData,
    loop_exits: LoopExits,
}

/// Live calls whose instances a rank can no longer identify: after an early exit from a loop around them, the
/// number of the next instance is not its number in the message log.
#[derive(Default)]
struct LoopExits {
    /// Live calls so far.
    calls: u64,
    /// How many there had been when a loop was entered last.
    entered: BTreeMap<u32, u64>,
    /// By site: when it was called last.
    replayed_call: BTreeMap<u32, u64>,
    /// Sites inside loops that were left early.
    ambiguous_sites: Vec<u32>,
}

impl Replay {
    /// A representative reads what was left for it; nothing was if it needs nothing. One loop may take this `budget`.
    pub fn new(folder: &Path, rank: u32, budget: Duration) -> Self {
        let read = |path: &Path| termination::read(path);
        let mut root_data = RootData::default();
        for path in std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
        {
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            if name.starts_with("given-") {
                root_data.add(read_root_data(&path));
            }
        }
        let recorded =
            termination::read(&replay_input::call_counts_path(folder, rank)).unwrap_or_default();
        let divergence = DivergenceMonitor::new(recorded, budget);
        Self {
            folder: folder.to_path_buf(),
            live: read(&replay_input::live_log_path(folder, rank)).unwrap_or_default(),
            log: read(&replay_input::message_log_path(folder, rank)),
            root_data,
            echo_all_types: replay_input::echo_all_types_path(folder).exists(),
            began: RealInstant::now(),
            state: RefCell::new(State {
                divergence,
                ..State::default()
            }),
        }
    }

    /// A call begins. Returns its logged output if the sequence of calls depends on it.
    fn begin(&self, call: ReplayedCall) -> Result<Option<&CallOutput>, Failure> {
        if !call.is_live {
            return Ok(None);
        }
        // Loops are left where they were when the log was kept: its numbers are right for any call.
        let is_identifiable = self
            .state
            .borrow_mut()
            .loop_exits
            .is_identifiable(call.call_instance.site)
            || self.log.is_some();
        self.output(call)
            .filter(|_| is_identifiable)
            .map(Some)
            .ok_or_else(needs_other_ranks)
    }

    /// The logged output of a call, if the log contains it.
    fn output(
        &self,
        ReplayedCall {
            call_instance,
            is_live,
        }: ReplayedCall,
    ) -> Option<&CallOutput> {
        match &self.log {
            Some(log) if is_live => log.get(call_instance),
            Some(log) => log.get_or_last(call_instance),
            None if is_live => self.live.get(call_instance),
            None => None,
        }
    }

    /// Whether a log of a run of all ranks exists. It does not contain which of several requests completed first.
    pub fn has_log(&self) -> bool {
        self.log.is_some()
    }

    /// Approximate bytes of the logs in memory.
    pub fn bytes(&self) -> u64 {
        self.live.bytes() + self.log.as_ref().map_or(0, MessageLog::bytes)
    }

    /// Whether an instance of a loop is left where this iteration would begin, if a log contains that.
    pub fn logged_loop_exit(&self, instance: (u32, u64), iteration: u64) -> Option<bool> {
        self.log
            .as_ref()
            .map(|log| log.has_loop_exit(instance, iteration))
    }

    /// Whether data of this sort may be the rank's own instead of another's.
    fn may_echo(&self, sort: Option<BasicDatatype>) -> bool {
        self.echo_all_types || is_floating(sort)
    }

    /// A loop that may be cut short is entered.
    pub fn enter_loop(&self, id: u32) {
        let loop_exits = &mut self.state.borrow_mut().loop_exits;
        loop_exits.entered.insert(id, loop_exits.calls);
    }

    /// It is left early.
    pub fn exit_loop(&self, id: u32) {
        self.state.borrow_mut().loop_exits.mark_ambiguous(id);
    }

    /// The rank is done: leaves what it gave.
    pub fn write_root_data(&self, rank: u32) -> io::Result<()> {
        termination::write(
            &replay_input::root_data_path(&self.folder, rank),
            &self.state.borrow().sent_root_data,
        )
    }
}

/// Whether data are numbers that are no indices, sizes or flags.
fn is_floating(sort: Option<BasicDatatype>) -> bool {
    match sort {
        Some(BasicDatatype::Real(_) | BasicDatatype::Complex(_)) => true,
        Some(
            BasicDatatype::Byte
            | BasicDatatype::Character
            | BasicDatatype::Integer(_)
            | BasicDatatype::Unsigned(_)
            | BasicDatatype::Logical(_)
            | BasicDatatype::Pair(..),
        )
        | None => false,
    }
}

fn read_root_data(path: &Path) -> RootData {
    termination::read(path).unwrap_or_default()
}

impl LoopExits {
    /// A live call is made at this site; false if it cannot be identified.
    fn is_identifiable(&mut self, site: u32) -> bool {
        self.calls += 1;
        self.replayed_call.insert(site, self.calls);
        !self.ambiguous_sites.contains(&site)
    }

    fn mark_ambiguous(&mut self, id: u32) {
        let unrecorded_since = self.entered.get(&id).copied().unwrap_or(0);
        self.ambiguous_sites.extend(
            self.replayed_call
                .iter()
                .filter(|(_, replayed_call)| **replayed_call > unrecorded_since)
                .map(|(site, _)| *site),
        );
    }
}

/// A call of a representative.
#[derive(Clone, Copy)]
struct ReplayedCall {
    call_instance: CallInstance,
    is_live: bool,
}

impl Process {
    /// The call that the rank is in, with a ticket of its own. A place without a mark is not known to the
    /// slice, and what depends on it neither.
    fn replayed_call(&self, replay: &Replay) -> Result<ReplayedCall, Failure> {
        let announced = self.current.announced.ok_or_else(needs_other_ranks)?;
        let state = &mut *replay.state.borrow_mut();
        let call_instance = state.call_counters.take(announced.site);
        let may_leave = self.measure.as_ref().is_some_and(Measure::is_in_loop);
        if state
            .divergence
            .has_diverged(call_instance, may_leave, || replay.began.elapsed())
        {
            return Err(Failure::Fatal(Termination::Failure(DIVERGED.into())));
        }
        Ok(ReplayedCall {
            call_instance,
            is_live: announced.level != Level::Recorded,
        })
    }

    /// Whether no other rank runs.
    pub fn is_solo(&self) -> bool {
        self.solo_rank.is_some() || self.replay.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_calls_in_an_exited_loop_are_ambiguous() {
        let replay = Replay {
            folder: PathBuf::new(),
            live: MessageLog::default(),
            log: None,
            root_data: RootData::default(),
            echo_all_types: false,
            began: RealInstant::now(),
            state: RefCell::default(),
        };
        let is_identifiable = |site| replay.state.borrow_mut().loop_exits.is_identifiable(site);
        assert!(is_identifiable(1));
        replay.enter_loop(5);
        assert!(is_identifiable(2) && is_identifiable(2));
        replay.exit_loop(5);
        assert_eq!(
            [is_identifiable(1), is_identifiable(2), is_identifiable(3)],
            [true, false, true]
        );
    }
}
