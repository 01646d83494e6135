//! A representative: a rank that measures its blocks while no other rank runs. Nothing that it gives goes
//! anywhere. What the sequence of its calls hangs on comes from what the program probe's run has kept for
//! it; anything else it is fed (`token_runtime::feeding`).
//!
//! Here: what it knows and where it reads that; messages are in `messages`, collectives in `collectives`,
//! and how a run of all ranks keeps what calls bring in `keeping`.

mod collectives;
mod keeping;
mod messages;

pub use keeping::Kept;

use crate::alone::not_alone;
use crate::failure::Failure;
use crate::process::{Level, Process};
use base_data::mpi::BasicDatatype;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use token_runtime::ending::{self, Ending};
use token_runtime::feeding::{self, Brought, Echo, Given, Log, Ticket, Tickets, Way};
use token_runtime::measure::Measure;

/// What it is fed leads the rank nowhere.
const ASTRAY: &str =
    "goes on for much longer than the recorded run: what others would send may be what ends a loop";

/// What a representative knows besides itself.
pub struct Fed {
    folder: PathBuf,
    live: Log,
    log: Option<Log>,
    given: Given,
    /// Whether it is fed what it gave itself whatever that is.
    echoes_all: bool,
    began: Instant,
    state: RefCell<State>,
}

/// What changes while it runs.
#[derive(Default)]
struct State {
    tickets: Tickets,
    way: Way,
    echo: Echo,
    /// What it gives as a root, for representatives that run after it.
    gives: Given,
    cuts: Cuts,
}

/// Which live calls a rank cannot tell from others any more: where a loop around them was left early, the
/// next one there is not the one that was kept under its number.
#[derive(Default)]
struct Cuts {
    /// Live calls so far.
    calls: u64,
    /// How many there had been when a loop was entered last.
    entered: BTreeMap<u32, u64>,
    /// By site: when it was called last.
    called: BTreeMap<u32, u64>,
    /// Sites inside loops that were left early.
    lost: Vec<u32>,
}

impl Fed {
    /// A representative reads what was left for it; nothing was if it needs nothing. One loop may take this `budget`.
    pub fn new(folder: &Path, rank: u32, budget: Duration) -> Self {
        let read = |path: &Path| ending::read(path);
        let mut given = Given::default();
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name.starts_with("given-") {
                given.add(read_given(&path));
            }
        }
        let recorded = ending::read(&feeding::recorded_path(folder, rank)).unwrap_or_default();
        let way = Way::new(recorded, budget);
        Self {
            folder: folder.to_path_buf(),
            live: read(&feeding::live_path(folder, rank)).unwrap_or_default(),
            log: read(&feeding::log_path(folder, rank)),
            given,
            echoes_all: feeding::echoes_all_path(folder).exists(),
            began: Instant::now(),
            state: RefCell::new(State { way, ..State::default() }),
        }
    }

    /// A call begins. Gives what it was told to bring, if the sequence of calls hangs on that.
    fn begin(&self, call: Called) -> Result<Option<&Brought>, Failure> {
        if !call.is_live {
            return Ok(None);
        }
        // Loops are left where they were when the log was kept: its numbers are right for any call.
        let is_told = self.state.borrow_mut().cuts.is_told(call.ticket.site) || self.log.is_some();
        self.brought(call).filter(|_| is_told).map(Some).ok_or_else(not_alone)
    }

    /// What a call brought in the run that this rank is fed from, as far as that was kept.
    fn brought(&self, Called { ticket, is_live }: Called) -> Option<&Brought> {
        match &self.log {
            Some(log) if is_live => log.exactly(ticket),
            Some(log) => log.about(ticket),
            None if is_live => self.live.exactly(ticket),
            None => None,
        }
    }

    /// Whether it is fed what calls brought in a run of all ranks: which of several requests was the first then, that does
    /// not say.
    pub fn has_log(&self) -> bool {
        self.log.is_some()
    }

    /// Bytes of what calls bring that it has read, about.
    pub fn bytes(&self) -> u64 {
        self.live.bytes() + self.log.as_ref().map_or(0, Log::bytes)
    }

    /// Whether an instance of a loop is left where this iteration would begin, if a log tells.
    pub fn leaves_as_kept(&self, instance: (u32, u64), iteration: u64) -> Option<bool> {
        self.log.as_ref().map(|log| log.leaves(instance, iteration))
    }

    /// Whether data of this sort may be the rank's own instead of another's.
    fn may_echo(&self, sort: Option<BasicDatatype>) -> bool {
        self.echoes_all || is_floating(sort)
    }

    /// A loop that may be cut short is entered.
    pub fn enters(&self, id: u32) {
        let cuts = &mut self.state.borrow_mut().cuts;
        cuts.entered.insert(id, cuts.calls);
    }

    /// It is left early.
    pub fn leaves(&self, id: u32) {
        self.state.borrow_mut().cuts.lose(id);
    }

    /// The rank is done: leaves what it gave.
    pub fn leave(&self, rank: u32) -> io::Result<()> {
        ending::write(&feeding::given_path(&self.folder, rank), &self.state.borrow().gives)
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

fn read_given(path: &Path) -> Given {
    ending::read(path).unwrap_or_default()
}

impl Cuts {
    /// A live call is made at this site; false if nobody can tell which.
    fn is_told(&mut self, site: u32) -> bool {
        self.calls += 1;
        self.called.insert(site, self.calls);
        !self.lost.contains(&site)
    }

    fn lose(&mut self, id: u32) {
        let since = self.entered.get(&id).copied().unwrap_or(0);
        self.lost.extend(self.called.iter().filter(|(_, called)| **called > since).map(|(site, _)| *site));
    }
}

/// A call of a representative.
#[derive(Clone, Copy)]
struct Called {
    ticket: Ticket,
    is_live: bool,
}

impl Process {
    /// The call that the rank is in, with a ticket of its own. A place without a mark is not known to the
    /// slice, and what hangs on it neither.
    fn called(&self, fed: &Fed) -> Result<Called, Failure> {
        let announced = self.current.announced.ok_or_else(not_alone)?;
        let state = &mut *fed.state.borrow_mut();
        let ticket = state.tickets.take(announced.site);
        let may_leave = self.measure.as_ref().is_some_and(Measure::is_in_loop);
        if state.way.is_left(ticket, may_leave, || fed.began.elapsed()) {
            return Err(Failure::Fatal(Ending::Failure(ASTRAY.into())));
        }
        Ok(Called { ticket, is_live: announced.level != Level::Recorded })
    }

    /// Whether no other rank runs.
    pub fn is_alone(&self) -> bool {
        self.lone.is_some() || self.fed.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_calls_of_a_loop_that_was_cut_cannot_be_told_any_more() {
        let fed = Fed {
            folder: PathBuf::new(),
            live: Log::default(),
            log: None,
            given: Given::default(),
            echoes_all: false,
            began: Instant::now(),
            state: RefCell::default(),
        };
        let told = |site| fed.state.borrow_mut().cuts.is_told(site);
        assert!(told(1));
        fed.enters(5);
        assert!(told(2) && told(2));
        fed.leaves(5);
        assert_eq!([told(1), told(2), told(3)], [true, false, true]);
    }
}
