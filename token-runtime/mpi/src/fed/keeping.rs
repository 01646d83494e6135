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

/// What was kept so far.
#[derive(Default)]
pub struct Kept {
    state: RefCell<(Tickets, Log)>,
}

impl Kept {
    /// If this rank is one of those that are to keep what calls bring.
    pub fn of(folder: &Path, rank: u32) -> Option<Self> {
        let asked: Option<Vec<u32>> = ending::read(&feeding::asked_path(folder));
        asked.is_none_or(|asked| asked.contains(&rank)).then(Self::default)
    }

    /// Leaves it. What the program probe's run keeps is what the sequence of calls hangs on.
    pub fn leave(&self, folder: &Path, rank: u32, mode: Mode) -> io::Result<()> {
        let path = match mode {
            Mode::Record | Mode::Token => feeding::live_path(folder, rank),
            Mode::Measure => feeding::log_path(folder, rank),
        };
        ending::write(&path, &self.state.borrow().1)
    }
}

impl Process {
    /// A call begins that will bring something; `None` if that is not kept.
    pub fn ticket(&self) -> Option<Ticket> {
        let (kept, announced) = (self.kept.as_ref()?, self.current.announced?);
        Some(kept.state.borrow_mut().0.take(announced.site))
    }

    /// It has brought this.
    pub fn keep(&self, ticket: Option<Ticket>, brought: impl FnOnce() -> Brought) {
        if let (Some(kept), Some(ticket)) = (&self.kept, ticket) {
            kept.state.borrow_mut().1.bring(ticket, brought());
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
