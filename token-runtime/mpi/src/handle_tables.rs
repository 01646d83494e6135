//! Handle tables of the objects besides communicators, datatypes and requests, and the state of each
//! communicator besides its members.

use crate::attributes::{Attributes, Keyval, Predefined};
use crate::error_codes::ErrorCodes;
use crate::errors::{Handler, HandlerReferences};
use crate::handles::Handles;
use crate::info::Info;
use crate::send_buffers::Attached;
use crate::sessions::Session;
use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;
use token_runtime::kernel::slot::CallLocation;

/// What a program may make and use at any time, before `MPI_Init` and after `MPI_Finalize`, too.
pub struct Basics {
    pub infos: Handles<Info>,
    pub error_handlers: Handles<HandlerReferences>,
    pub error_codes: ErrorCodes,
}

impl Default for Basics {
    fn default() -> Self {
        Self {
            infos: Handles::starting_at(0x9c00_0000),
            error_handlers: Handles::starting_at(0x9400_0000),
            error_codes: ErrorCodes::default(),
        }
    }
}

/// The objects of one rank.
pub struct HandleTables {
    /// World ranks of each group in order.
    pub groups: Handles<Rc<[u32]>>,
    pub basics: Basics,
    /// Attributes that MPI has set.
    pub predefined: Predefined,
    pub keyvals: Handles<Rc<Keyval>>,
    /// Attributes of datatypes, by handle.
    pub type_attributes: HashMap<i32, Attributes>,
    /// Intercommunicators that this rank has made as leader of a group.
    pub leader_exchanges: u64,
    pub sessions: Handles<Session>,
    /// Sessions that are not finalized.
    pub open_sessions: u32,
    /// The session that the current call is about, if it is about one.
    pub current_session: Cell<Option<i32>>,
    /// Index of the communicator that the current call is about; the world if it is about none.
    pub current_communicator: Cell<usize>,
    /// Index of the communicator that the current call names, if it names one.
    pub named_communicator: Cell<Option<usize>>,
    /// Index of the communicator that the host is shown as that of the current call.
    pub shown_communicator: Cell<Option<usize>>,
}

impl HandleTables {
    /// None yet but what the program has made before.
    pub fn new(ranks: u32, application: u32, basics: Basics) -> Self {
        Self {
            groups: Handles::starting_at(0x8800_0000),
            basics,
            predefined: Predefined::new(ranks, application),
            keyvals: Handles::starting_at(0xa400_0000),
            type_attributes: HashMap::new(),
            leader_exchanges: 0,
            sessions: Handles::starting_at(0xb800_0000),
            open_sessions: 0,
            current_session: Cell::new(None),
            current_communicator: Cell::new(0),
            named_communicator: Cell::new(None),
            shown_communicator: Cell::new(None),
        }
    }
}

/// What belongs to a communicator.
#[derive(Default)]
pub struct CommunicatorProperties {
    pub name: Vec<u8>,
    pub error_handler: Rc<Handler>,
    pub attributes: Attributes,
    pub info: Info,
    /// Its own buffer for buffered sends.
    pub attached: Option<Attached>,
    /// Row of the function that made it, and where that was called; `None` for those that MPI has made.
    pub made: Option<(u32, CallLocation)>,
}

impl CommunicatorProperties {
    /// Those of a communicator that MPI has made.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Those of a communicator that was made from this one: only the error handler is the same.
    pub fn inherited(&self) -> Self {
        Self {
            error_handler: self.error_handler.clone(),
            ..Self::default()
        }
    }
}
