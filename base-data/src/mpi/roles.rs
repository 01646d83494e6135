//! Roles of arguments and kinds of functions. They determine the effects of a call in the frontend, its entry in a
//! recording, and its steps in the estimator.

/// Role of an argument of an MPI function, for its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Data that leave the rank; read.
    BufferIn,
    /// Data that arrive; written.
    BufferOut,
    /// Data that leave and arrive (the buffer of a broadcast); read and written.
    BufferInOut,
    /// Number of elements, or an array of them; read, determines the amount of data.
    Count,
    /// Displacements of a v-collective; read, determines only where data lie in memory.
    Displacement,
    /// Datatype handle; read.
    Datatype,
    /// Rank of the partner; read.
    Peer,
    /// Root of a collective; read.
    Root,
    /// Message tag; read.
    Tag,
    /// Communicator handle; read.
    Communicator,
    /// Communicator handle made by the call; written.
    NewCommunicator,
    /// Communicator handle released by the call; read and written.
    FreedCommunicator,
    /// Reduction operation handle; read.
    ReduceOp,
    /// Request made by the call; written.
    NewRequest,
    /// Request, or array of requests, that the call may complete; read and written.
    Request,
    /// Number of requests in the array that follows; read.
    RequestCount,
    /// Index of the completed request, or completion flag: depends on time when the outcome may
    /// differ between machines; written.
    Completion,
    /// Status or array of statuses; written, may be ignored.
    Status,
    /// A status that is read.
    StatusIn,
    /// A value that determines the effect of the call (colour, key, error code); read.
    Control,
    /// A value that the call computes from its environment (rank, size, length); written.
    Result,
    /// A value that the call reads and changes (a position, a handle that is freed).
    Updated,
    /// Text or other data that the call fills in and no MPI call depends on; written.
    Text,
}

impl Role {
    /// Whether the call reads the argument.
    pub fn is_read(self) -> bool {
        use Role::*;
        match self {
            BufferIn | BufferInOut | Count | Displacement | Datatype | Peer | Root | Tag
            | Communicator | FreedCommunicator | ReduceOp | Request | RequestCount | StatusIn
            | Control | Updated => true,
            BufferOut | NewCommunicator | NewRequest | Completion | Status | Result | Text => false,
        }
    }

    /// Whether the call writes the argument.
    pub fn is_written(self) -> bool {
        use Role::*;
        match self {
            BufferOut | BufferInOut | NewCommunicator | FreedCommunicator | NewRequest
            | Request | Completion | Status | Result | Updated | Text => true,
            BufferIn | Count | Displacement | Datatype | Peer | Root | Tag | Communicator
            | ReduceOp | RequestCount | StatusIn | Control => false,
        }
    }

    /// Whether the argument contains message data rather than determining the effect of the call.
    pub fn is_payload(self) -> bool {
        matches!(self, Role::BufferIn | Role::BufferOut | Role::BufferInOut)
    }
}

/// One argument of an MPI function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The standard's name, lower case.
    pub name: &'static str,
    /// What the function does with it.
    pub role: Role,
}

/// Kind of a function, with respect to control flow and communication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// `MPI_Init`, `MPI_Init_thread`.
    Start,
    /// `MPI_Finalize`.
    End,
    /// `MPI_Abort`.
    Abort,
    /// Blocking send.
    Send,
    /// Blocking receive.
    Receive,
    /// Send and receive in one blocking call.
    SendReceive,
    /// Starts a send.
    StartSend,
    /// Starts a receive.
    StartReceive,
    /// Makes a persistent request without starting it.
    MakePersistent,
    /// Starts persistent requests.
    StartPersistent,
    /// Completes requests.
    Wait,
    /// Completes requests if they are ready: outcome may depend on time.
    Test,
    /// Looks for a message without receiving it.
    Probe,
    /// A collective; it blocks unless it makes a request.
    Collective,
    /// Makes a communicator, collectively.
    MakeCommunicator,
    /// Reads a clock.
    Clock,
    /// Queries local state: rank, size, counts.
    Local,
    /// Moves data or waits in a way that is not predicted: one-sided communication, files, processes that are
    /// started or connected.
    Other,
}

impl FunctionKind {
    /// Whether calls of this kind appear in recorded event streams.
    pub const fn is_recorded(self) -> bool {
        match self {
            FunctionKind::Local => false,
            FunctionKind::Start
            | FunctionKind::End
            | FunctionKind::Abort
            | FunctionKind::Send
            | FunctionKind::Receive
            | FunctionKind::SendReceive
            | FunctionKind::StartSend
            | FunctionKind::StartReceive
            | FunctionKind::MakePersistent
            | FunctionKind::StartPersistent
            | FunctionKind::Wait
            | FunctionKind::Test
            | FunctionKind::Probe
            | FunctionKind::Collective
            | FunctionKind::MakeCommunicator
            | FunctionKind::Clock
            | FunctionKind::Other => true,
        }
    }
}
