//! In a run of all ranks: what calls bring to this one is kept, so that it can run alone later.

use crate::process::Process;
use crate::requests::Receive;
use std::cell::RefCell;
use std::io;
use std::path::Path;
use token_runtime::environment::Mode;
use token_runtime::kernel::point_to_point::Message;
use token_runtime::replay_input::{self, CallCounters, CallInstance, CallOutput, MessageLog};
use token_runtime::termination;

/// Bytes that are kept at most of what the sequence of calls does not depend on: of a rank that is brought more, nothing is.
const MAX_BYTES: u64 = 256 << 20;

/// What was kept so far.
pub struct MessageLogWriter {
    state: RefCell<State>,
    /// Bytes that it may be.
    limit: u64,
}

struct State {
    call_counters: CallCounters,
    /// Nothing if that was too much.
    log: Option<MessageLog>,
    /// Bytes that it has taken at most, about.
    largest: u64,
}

impl MessageLogWriter {
    /// If this rank is one of those that are to keep what calls bring.
    pub fn of(folder: &Path, rank: u32, mode: Mode) -> Option<Self> {
        let asked: Option<Vec<u32>> = termination::read(&replay_input::logged_ranks_path(folder));
        let limit = if mode == Mode::Measure {
            MAX_BYTES
        } else {
            u64::MAX
        };
        if asked.is_none_or(|asked| asked.contains(&rank)) {
            Some(Self::empty(limit))
        } else {
            None
        }
    }

    fn empty(limit: u64) -> Self {
        let state = State {
            call_counters: CallCounters::default(),
            log: Some(MessageLog::default()),
            largest: 0,
        };
        Self {
            state: RefCell::new(state),
            limit,
        }
    }

    fn record(&self, call_instance: CallInstance, output: impl FnOnce() -> CallOutput) {
        let state = &mut *self.state.borrow_mut();
        if let Some(log) = &mut state.log {
            log.record(call_instance, output());
        }
        state.largest = state.log.as_ref().map_or(state.largest, MessageLog::bytes);
        if state.largest > self.limit {
            state.log = None;
        }
    }

    /// Leaves it. What the program probe's run keeps is what the sequence of calls depends on.
    pub fn write(&self, folder: &Path, rank: u32, mode: Mode) -> io::Result<()> {
        let path = match mode {
            Mode::Record | Mode::Token | Mode::Emulate => replay_input::live_log_path(folder, rank),
            Mode::Measure => replay_input::message_log_path(folder, rank),
        };
        self.state
            .borrow()
            .log
            .as_ref()
            .map_or(Ok(()), |log| termination::write(&path, log))
    }

    /// An instance of a loop is left early.
    pub fn record_loop_exit(&self, instance: (u32, u64), iteration: u64) {
        self.state
            .borrow_mut()
            .log
            .iter_mut()
            .for_each(|log| log.record_loop_exit(instance, iteration));
    }

    /// Bytes that it has taken at most, about.
    pub fn bytes(&self) -> u64 {
        self.state.borrow().largest
    }
}

impl Process {
    /// A call begins that will bring something; `None` if that is not kept.
    pub fn call_instance(&self) -> Option<CallInstance> {
        let (message_log, announced) = (self.message_log.as_ref()?, self.current.announced?);
        Some(
            message_log
                .state
                .borrow_mut()
                .call_counters
                .take(announced.site),
        )
    }

    /// It has brought this.
    pub fn log_output(
        &self,
        call_instance: Option<CallInstance>,
        output: impl FnOnce() -> CallOutput,
    ) {
        if let (Some(message_log), Some(call_instance)) = (&self.message_log, call_instance) {
            message_log.record(call_instance, output);
        }
    }

    /// A receive has brought a message.
    pub fn log_received(&self, receive: &Receive, message: &Message) {
        self.log_output(receive.call_instance, || self.output_of(receive, message));
    }

    /// What a receive has brought.
    fn output_of(&self, receive: &Receive, message: &Message) -> CallOutput {
        let words = (message.payload..).take(message.bytes.div_ceil(8) as usize);
        let data = receive
            .place
            .as_ref()
            .filter(|_| message.payload != 0)
            .map(|_| {
                let mut data: Vec<u8> = words
                    .flat_map(|at| self.memory().get(at).to_ne_bytes())
                    .collect();
                data.truncate(message.bytes as usize);
                data
            });
        let envelope = Some((message.source as i32, message.tag, message.bytes));
        CallOutput {
            pieces: data.into_iter().collect(),
            envelope,
            ..CallOutput::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oversized_message_log_is_discarded() {
        let piece = |bytes| CallOutput {
            pieces: vec![vec![0; bytes]],
            ..CallOutput::default()
        };
        let message_log = MessageLogWriter::empty(10_000);
        message_log.record(CallInstance { site: 1, number: 0 }, || piece(6000));
        assert!(message_log.state.borrow().log.is_some() && message_log.bytes() > 6000);
        message_log.record(CallInstance { site: 1, number: 1 }, || piece(6000));
        message_log.record(CallInstance { site: 1, number: 2 }, || piece(1));
        assert!(message_log.state.borrow().log.is_none() && message_log.bytes() > 12_000);
    }
}
