//! State of this process as a rank: settings, communicators, requests, its recording or
//! measurements, and the current call.

use crate::arguments::Int;
use crate::collectives::operations::Operations;
use crate::cut_loops::CutLoop;
use crate::datatypes::Datatypes;
use crate::datatypes::contents::Combiner;
use crate::emulation::Emulated;
use crate::event_stream::RankEventStream;
use crate::failure::{Failure, wrong};
use crate::handle_tables::{CommunicatorProperties, HandleTables};
use crate::message_probe::MatchedMessage;
use crate::polling::LastPoll;
use crate::replay::{MessageLogWriter, Replay};
use crate::requests::Request;
use crate::segment::Segment;
use crate::send_buffers::Attached;
use crate::solo::SoloRank;
use crate::warnings::Warnings;
use base_data::program_data::Call;
use native::affinity::Allowed;
use native::entry::return_address;
use native::loaded_objects::Loaded;
use native::statement_clock::RankClock;
use std::cell::{Cell, UnsafeCell};
use std::collections::HashMap;
use std::marker::PhantomPinned;
use std::rc::Rc;
use token_runtime::environment::Settings;
use token_runtime::kernel::Memory;
use token_runtime::kernel::communicator::Communicator;
use token_runtime::kernel::request::Requests;
use token_runtime::kernel::slot::{self, CallLocation};
use token_runtime::measure::Measure;
use token_runtime::mpich::{COMM_WORLD, class};

/// How much of a call's messages the program needs (the probe's mark says so).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing: recorded, never matched.
    Recorded,
    /// Source, tag and length: matched.
    Envelope,
    /// The data: delivered.
    Payload,
}

/// A probe's mark for the next call.
#[derive(Clone, Copy, Debug)]
pub struct Announced {
    pub site: u32,
    pub level: Level,
}

/// The call the rank is in.
#[derive(Clone, Copy, Debug)]
pub struct Current {
    /// Row in the table of MPI functions.
    pub row: u32,
    /// Where it returns to; 0 if that is not known.
    pub address: u64,
    pub announced: Option<Announced>,
    pub level: Level,
}

impl Current {
    /// The call whose entry has just begun.
    pub fn entered(row: u32, announced: Option<Announced>, level: Level) -> Self {
        Self {
            row,
            address: return_address(),
            announced,
            level,
        }
    }
}

/// Handles of communicators that the program made: kind in the top bits, index below.
const MADE: i32 = 0x8400_0000u32 as i32;

/// Where the program is between `MPI_Init` and `MPI_Finalize`; sessions may be open at any time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    Before,
    Open,
    After,
}

/// A rank.
pub struct Process {
    pub world: World,
    /// What the host said; `None` if no host started this process.
    pub settings: Option<Settings>,
    pub rank: u32,
    pub ranks: u32,
    /// The program, as it is loaded.
    pub executable: Loaded,
    pub segment: Segment,
    pub clock: RankClock,
    /// By index: 0 the world, 1 self, then as they are made; `None` once freed.
    pub communicators: Vec<Option<Communicator>>,
    /// What belongs to each, by the same index.
    pub properties: Vec<CommunicatorProperties>,
    pub tables: HandleTables,
    pub requests: Requests<Request>,
    pub datatypes: Datatypes,
    /// Reduction operations of the program's own.
    pub operations: Operations,
    /// Fortran's kinds by precision and range, as they were asked for, and the handles they got.
    pub parametric: Vec<(Combiner, Vec<i32>, i32)>,
    pub current: Current,
    pub stream: Option<RankEventStream>,
    pub measure: Option<Measure>,
    /// Loops that may be cut short, by id.
    pub cut_loops: HashMap<u32, CutLoop>,
    /// Ticks outside MPI calls, and when the last call ended.
    pub outside: u64,
    pub left_at: u64,
    /// The processors it may run on when MPI is over, if it was bound to one.
    pub allowed: Option<Allowed>,
    /// Places and numbers of the requests of the call, reused from call to call.
    pub scratch: Vec<(usize, u32)>,
    /// Messages that this rank has sent.
    pub sent: Cell<u64>,
    /// Requests that were freed while they were under way.
    pub freed: Vec<Request>,
    /// Messages that were taken out of their queue and not received yet.
    pub matched_messages: Requests<MatchedMessage>,
    /// The process's buffer for buffered sends.
    pub attached: Option<Attached>,
    /// What it warns of.
    pub warnings: Warnings,
    /// Ticks between the last call and this one.
    pub gap: u64,
    pub last_poll: LastPoll,
    /// What it knows if it runs alone.
    pub solo_rank: Option<Rc<SoloRank>>,
    /// Node that it runs on: all ranks on one, but in an emulation.
    pub node: u32,
    /// Its connection to the engine of an emulation.
    pub emulated: Option<Rc<Emulated>>,
    /// What it knows if it is a representative.
    pub replay: Option<Rc<Replay>>,
    /// What calls bring, if that is kept for a representative.
    pub message_log: Option<MessageLogWriter>,
    /// Other threads change it while a call of one waits (`threads`): nothing of it may be taken for
    /// frozen meanwhile.
    pub _shared: (UnsafeCell<()>, PhantomPinned),
}

impl Process {
    /// The shared words.
    pub fn memory(&self) -> Memory<'_> {
        self.segment.memory()
    }

    /// Where the current call is, for messages.
    pub fn place(&self) -> CallLocation {
        match self.current.announced {
            Some(announced) => CallLocation::Site(announced.site),
            None => self
                .executable
                .offset(self.current.address)
                .map_or(CallLocation::Unknown, CallLocation::Offset),
        }
    }

    /// Function and place of the current call in one word, for messages.
    pub fn call_word(&self) -> u64 {
        slot::call_word(self.current.row, self.place())
    }

    /// Whether the current call's messages are not needed at all.
    pub fn is_only_recorded(&self) -> bool {
        self.current.level == Level::Recorded
    }

    /// Records the current call, in mode `record`.
    pub fn record(&mut self, call: impl FnOnce(&mut RankEventStream) -> Call) {
        let current = self.current;
        if let Some(stream) = &mut self.stream {
            let site = stream.site(current);
            let call = call(stream);
            stream.last_entry = stream.recorder.call(site, &call);
            stream.recorded += 1;
        }
    }

    /// Index of a communicator's handle. Errors of the call are then those of this communicator.
    pub fn communicator_index(&self, handle: i32) -> Result<usize, Failure> {
        let index = match handle.wrapping_sub(COMM_WORLD) {
            index @ (0 | 1) => index as usize,
            _ => handle.wrapping_sub(MADE) as u32 as usize,
        };
        match self.communicators.get(index) {
            Some(Some(_)) => {
                self.tables.current_communicator.set(index);
                self.tables.named_communicator.set(Some(index));
                Ok(index)
            }
            Some(None) | None => wrong(
                class::COMM,
                format!("{handle:#x} is no communicator of this rank"),
            ),
        }
    }

    /// The handle of a communicator.
    pub fn communicator_handle(&self, index: usize) -> i32 {
        if index < 2 {
            COMM_WORLD + index as i32
        } else {
            MADE.wrapping_add(index as i32)
        }
    }

    /// A communicator by index.
    pub fn communicator(&self, index: usize) -> &Communicator {
        self.communicators[index]
            .as_ref()
            .expect("communicator_index has looked")
    }

    /// A communicator by index, to be changed.
    pub fn communicator_mut(&mut self, index: usize) -> &mut Communicator {
        self.communicators[index]
            .as_mut()
            .expect("communicator_index has looked")
    }

    /// Adds a communicator; gives its handle.
    pub fn add_communicator(
        &mut self,
        communicator: Communicator,
        properties: CommunicatorProperties,
    ) -> i32 {
        let index = self.communicators.len();
        let properties = CommunicatorProperties {
            made: Some((self.current.row, self.place())),
            ..properties
        };
        self.stream
            .iter_mut()
            .for_each(|stream| stream.add_other(&communicator, index));
        self.communicators.push(Some(communicator));
        self.properties.push(properties);
        self.communicator_handle(index)
    }
}

/// A count that is not negative.
pub fn count(count: impl Into<i64>) -> Result<u64, Failure> {
    let count = count.into();
    match u64::try_from(count) {
        Ok(count) => Ok(count),
        Err(_) => wrong(
            class::COUNT,
            format!("the count is {count}; it must not be negative"),
        ),
    }
}

/// Number of entries of an argument that is an array.
pub fn number(entries: Int) -> Result<usize, Failure> {
    count(entries.0).map(|count| count as usize)
}
