//! In a run of all ranks: what calls bring to this one is kept, so that it can run alone later.

use crate::process::Process;
use crate::requests::Receive;
use std::cell::RefCell;
use std::io;
use std::path::Path;
use token_runtime::ending;
use token_runtime::environment::Mode;
use token_runtime::feeding::{self, Brought, Log, Ticket, Tickets};
use token_runtime::kernel::point_to_point::Message;

/// Bytes that are kept at most of what the sequence of calls does not hang on: of a rank that is brought more, nothing is.
const MOST: u64 = 256 << 20;

/// What was kept so far.
pub struct Kept {
    state: RefCell<State>,
    /// Bytes that it may be.
    most: u64,
}

struct State {
    tickets: Tickets,
    /// Nothing if that was too much.
    log: Option<Log>,
    /// Bytes that it has taken at most, about.
    largest: u64,
}

impl Kept {
    /// If this rank is one of those that are to keep what calls bring.
    pub fn of(folder: &Path, rank: u32, mode: Mode) -> Option<Self> {
        let asked: Option<Vec<u32>> = ending::read(&feeding::asked_path(folder));
        let most = if mode == Mode::Measure { MOST } else { u64::MAX };
        asked.is_none_or(|asked| asked.contains(&rank)).then(|| Self::empty(most))
    }

    fn empty(most: u64) -> Self {
        let state = State { tickets: Tickets::default(), log: Some(Log::default()), largest: 0 };
        Self { state: RefCell::new(state), most }
    }

    fn bring(&self, ticket: Ticket, brought: impl FnOnce() -> Brought) {
        let state = &mut *self.state.borrow_mut();
        if let Some(log) = &mut state.log {
            log.bring(ticket, brought());
        }
        state.largest = state.log.as_ref().map_or(state.largest, Log::bytes);
        if state.largest > self.most {
            state.log = None;
        }
    }

    /// Leaves it. What the program probe's run keeps is what the sequence of calls hangs on.
    pub fn leave(&self, folder: &Path, rank: u32, mode: Mode) -> io::Result<()> {
        let path = match mode {
            Mode::Record | Mode::Token => feeding::live_path(folder, rank),
            Mode::Measure => feeding::log_path(folder, rank),
        };
        self.state.borrow().log.as_ref().map_or(Ok(()), |log| ending::write(&path, log))
    }

    /// An instance of a loop is left early.
    pub fn leave_loop(&self, instance: (u32, u64), iteration: u64) {
        self.state.borrow_mut().log.iter_mut().for_each(|log| log.leave(instance, iteration));
    }

    /// Bytes that it has taken at most, about.
    pub fn bytes(&self) -> u64 {
        self.state.borrow().largest
    }
}

impl Process {
    /// A call begins that will bring something; `None` if that is not kept.
    pub fn ticket(&self) -> Option<Ticket> {
        let (kept, announced) = (self.kept.as_ref()?, self.current.announced?);
        Some(kept.state.borrow_mut().tickets.take(announced.site))
    }

    /// It has brought this.
    pub fn keep(&self, ticket: Option<Ticket>, brought: impl FnOnce() -> Brought) {
        if let (Some(kept), Some(ticket)) = (&self.kept, ticket) {
            kept.bring(ticket, brought);
        }
    }

    /// A receive has brought a message.
    pub fn keep_received(&self, receive: &Receive, message: &Message) {
        self.keep(receive.ticket, || self.brought_by(receive, message));
    }

    /// What a receive has brought.
    fn brought_by(&self, receive: &Receive, message: &Message) -> Brought {
        let words = (message.payload..).take(message.bytes.div_ceil(8) as usize);
        let data = receive.place.as_ref().filter(|_| message.payload != 0).map(|_| {
            let mut data: Vec<u8> = words.flat_map(|at| self.memory().get(at).to_ne_bytes()).collect();
            data.truncate(message.bytes as usize);
            data
        });
        let envelope = Some((message.source as i32, message.tag, message.bytes));
        Brought { pieces: data.into_iter().collect(), envelope, ..Brought::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_is_too_much_nothing_is_kept() {
        let piece = |bytes| Brought { pieces: vec![vec![0; bytes]], ..Brought::default() };
        let kept = Kept::empty(10_000);
        kept.bring(Ticket { site: 1, number: 0 }, || piece(6000));
        assert!(kept.state.borrow().log.is_some() && kept.bytes() > 6000);
        kept.bring(Ticket { site: 1, number: 1 }, || piece(6000));
        kept.bring(Ticket { site: 1, number: 2 }, || piece(1));
        assert!(kept.state.borrow().log.is_none() && kept.bytes() > 12_000);
    }
}
