//! The table of MPI functions as the observer uses it: what a call of each function is recorded as,
//! and where its arguments stand. Derived from names, kinds and roles once, when a run begins.

use crate::unsupported_functions::is_understood;
use base_data::mpi::functions::FUNCTIONS;
use base_data::mpi::{Function, FunctionKind, Role, Support};
use base_data::program_data::{CollectiveKind, Completion, SendMode};

/// Positions of the arguments that describe one direction of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferArguments {
    pub count: usize,
    pub datatype: usize,
    pub peer: usize,
    pub tag: usize,
    pub communicator: usize,
}

/// Positions of the requests that a call completes or starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestArguments {
    /// Where their number is; one request if there is none.
    pub count: Option<usize>,
    pub requests: usize,
}

/// Positions of elements that a collective sends or receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementArguments {
    pub buffer: usize,
    pub count: usize,
    pub datatype: usize,
    /// Whether there is a count for every rank.
    pub per_rank: bool,
}

/// Recorded form of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    Start,
    End,
    Abort {
        code: usize,
    },
    Send {
        mode: SendMode,
        transfer: TransferArguments,
        request: Option<usize>,
    },
    Receive {
        transfer: TransferArguments,
        request: Option<usize>,
        status: Option<usize>,
    },
    SendReceive {
        send: TransferArguments,
        receive: TransferArguments,
        status: usize,
    },
    Probe {
        peer: usize,
        tag: usize,
        communicator: usize,
        /// Where it says whether there is a message; it waits for one otherwise.
        flag: Option<usize>,
        status: usize,
    },
    Wait {
        completion: Completion,
        requests: RequestArguments,
        statuses: usize,
        completed: Completed,
    },
    Test {
        completion: Completion,
        requests: RequestArguments,
        completed: Completed,
    },
    MakePersistent {
        /// `None` if it receives.
        mode: Option<SendMode>,
        transfer: TransferArguments,
        request: usize,
    },
    StartPersistent {
        requests: RequestArguments,
    },
    Collective {
        kind: CollectiveKind,
        communicator: usize,
        root: Option<usize>,
        reduce_op: Option<usize>,
        send: Option<ElementArguments>,
        receive: Option<ElementArguments>,
        request: Option<usize>,
    },
    MakeCommunicator {
        parent: usize,
        made: usize,
    },
    FreeCommunicator(usize),
    FreeDatatype(usize),
    FreeRequest(usize),
    /// Not recorded, and nothing the observer keeps changes.
    Unrecorded,
}

/// How a call says which of its requests are complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completed {
    /// All are when it returns.
    All,
    /// All are, if the flag here is set.
    AllIf(usize),
    /// The one whose index is here, if it is one.
    Index(usize),
    /// As many as the number in the first says, indices in the second.
    Indices(usize, usize),
}

/// The arguments that determine the recorded form of a call, if single numbers do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyArguments {
    /// Numbers and handles.
    pub arguments: Vec<usize>,
    /// Buffers that may be `MPI_IN_PLACE`.
    pub buffers: Vec<usize>,
    /// What it does with requests.
    pub request: RequestUse,
}

/// What a call does with a single request; its number is then part of what is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequestUse {
    /// Nothing.
    #[default]
    None,
    /// It makes one, here.
    Makes(usize),
    /// It completes the one that stands here.
    Completes(usize),
}

/// One row.
#[derive(Debug)]
pub struct Row {
    pub function: &'static Function,
    pub what: CallKind,
    /// `None` if lists decide, or what is known only afterwards.
    pub key_arguments: Option<KeyArguments>,
}

/// All rows, in the order of the table.
pub fn rows() -> Vec<Row> {
    let row = |function: &'static Function| {
        let what = what(function);
        Row {
            function,
            what,
            key_arguments: key_arguments(&what),
        }
    };
    FUNCTIONS.iter().map(row).collect()
}

fn made(request: Option<usize>) -> RequestUse {
    request.map_or(RequestUse::None, RequestUse::Makes)
}

fn key_arguments(what: &CallKind) -> Option<KeyArguments> {
    let of_transfers = |transfers: &[TransferArguments], request| {
        let each =
            |at: &TransferArguments| [at.count, at.datatype, at.peer, at.tag, at.communicator];
        let mut arguments: Vec<usize> = transfers.iter().flat_map(each).collect();
        arguments.sort_unstable();
        arguments.dedup();
        Some(KeyArguments {
            arguments,
            request: made(request),
            ..KeyArguments::default()
        })
    };
    match *what {
        CallKind::Send {
            transfer, request, ..
        }
        | CallKind::Receive {
            transfer, request, ..
        } => of_transfers(&[transfer], request),
        CallKind::SendReceive { send, receive, .. } => of_transfers(&[send, receive], None),
        CallKind::Collective {
            communicator,
            root,
            reduce_op,
            send,
            receive,
            request,
            ..
        } => {
            let elements = || send.iter().chain(&receive);
            if elements().any(|at| at.per_rank) {
                return None;
            }
            let numbers = elements().flat_map(|at| [at.count, at.datatype]);
            let mut arguments: Vec<usize> = numbers
                .chain([communicator])
                .chain(root)
                .chain(reduce_op)
                .collect();
            arguments.sort_unstable();
            arguments.dedup();
            let buffers = elements().map(|at| at.buffer).collect();
            Some(KeyArguments {
                arguments,
                buffers,
                request: made(request),
            })
        }
        CallKind::Wait {
            requests:
                RequestArguments {
                    count: None,
                    requests,
                },
            ..
        } => Some(KeyArguments {
            request: RequestUse::Completes(requests),
            ..KeyArguments::default()
        }),
        CallKind::Start
        | CallKind::End
        | CallKind::Abort { .. }
        | CallKind::Probe { .. }
        | CallKind::Wait { .. }
        | CallKind::Test { .. }
        | CallKind::MakePersistent { .. }
        | CallKind::StartPersistent { .. }
        | CallKind::MakeCommunicator { .. }
        | CallKind::FreeCommunicator(_)
        | CallKind::FreeDatatype(_)
        | CallKind::FreeRequest(_)
        | CallKind::Unrecorded => None,
    }
}

/// Positions of a function's arguments by role.
struct ArgumentPositions(&'static Function);

impl ArgumentPositions {
    fn all(&self, role: Role) -> Vec<usize> {
        let arguments = self.0.arguments.iter().enumerate();
        arguments
            .filter(|(_, argument)| argument.role == role)
            .map(|(at, _)| at)
            .collect()
    }

    /// The only one, or the first.
    fn first(&self, role: Role) -> Option<usize> {
        self.0.position(role)
    }

    /// One that the kind of function is sure to have.
    fn the(&self, role: Role) -> usize {
        let function = self.0.name;
        self.first(role)
            .unwrap_or_else(|| panic!("the row of {function} has no {role:?}"))
    }

    /// The first or second direction of a transfer; both may share a count.
    fn transfer(&self, direction: usize) -> TransferArguments {
        let nth = |role| {
            let places = self.all(role);
            places
                .get(direction)
                .or(places.first())
                .copied()
                .unwrap_or_else(|| self.the(role))
        };
        TransferArguments {
            count: nth(Role::Count),
            datatype: nth(Role::Datatype),
            peer: nth(Role::Peer),
            tag: nth(Role::Tag),
            communicator: self.the(Role::Communicator),
        }
    }

    fn requests(&self) -> RequestArguments {
        RequestArguments {
            count: self.first(Role::RequestCount),
            requests: self.the(Role::Request),
        }
    }

    fn completed(&self) -> Completed {
        match (self.completion(), self.all(Role::Completion).as_slice()) {
            (_, []) => Completed::All,
            (Completion::Some, &[number, indices, ..]) => Completed::Indices(number, indices),
            // `MPI_Testany` has the index before the flag, which says no more.
            (Completion::Any, &[index, ..]) if self.first(Role::RequestCount).is_some() => {
                Completed::Index(index)
            }
            (Completion::All | Completion::Any | Completion::Some, &[flag, ..]) => {
                Completed::AllIf(flag)
            }
        }
    }

    /// How many requests must complete. `MPI_Test` is one of any, as the file format has it.
    fn completion(&self) -> Completion {
        let name = self.0.name;
        match () {
            () if name.ends_with("any") || name == "MPI_Test" => Completion::Any,
            () if name.ends_with("some") => Completion::Some,
            () => Completion::All,
        }
    }

    /// `MPI_Ssend`, `MPI_Issend` and `MPI_Ssend_init` are synchronous, and so on.
    fn mode(&self) -> SendMode {
        let name = self.0.name.trim_start_matches("MPI_").to_ascii_lowercase();
        match name.trim_start_matches('i').trim_end_matches("_init") {
            "ssend" => SendMode::Synchronous,
            "rsend" => SendMode::Ready,
            "bsend" => SendMode::Buffered,
            _ => SendMode::Standard,
        }
    }

    fn elements(&self, buffer: usize) -> Option<ElementArguments> {
        let after = |role| self.all(role).into_iter().find(|&at| at > buffer);
        let (count, datatype) = (after(Role::Count)?, after(Role::Datatype)?);
        let per_rank = self.0.arguments[count].name.ends_with('s');
        Some(ElementArguments {
            buffer,
            count,
            datatype,
            per_rank,
        })
    }

    fn collective(&self) -> CallKind {
        let name = self.0.name.trim_start_matches("MPI_").to_ascii_lowercase();
        let request = self.first(Role::NewRequest);
        let name = name
            .strip_prefix('i')
            .filter(|_| request.is_some())
            .unwrap_or(&name);
        let both = self.first(Role::BufferInOut);
        CallKind::Collective {
            kind: collective_kind(name),
            communicator: self.the(Role::Communicator),
            root: self.first(Role::Root),
            reduce_op: self.first(Role::ReduceOp),
            send: self
                .first(Role::BufferIn)
                .or(both)
                .and_then(|buffer| self.elements(buffer)),
            receive: self
                .first(Role::BufferOut)
                .and_then(|buffer| self.elements(buffer)),
            request,
        }
    }
}

fn collective_kind(name: &str) -> CollectiveKind {
    match name {
        "barrier" => CollectiveKind::Barrier,
        "bcast" => CollectiveKind::Broadcast,
        "reduce" => CollectiveKind::Reduce,
        "allreduce" => CollectiveKind::Allreduce,
        "gather" | "gatherv" => CollectiveKind::Gather,
        "scatter" | "scatterv" => CollectiveKind::Scatter,
        "allgather" | "allgatherv" => CollectiveKind::Allgather,
        "alltoall" | "alltoallv" => CollectiveKind::Alltoall,
        "reduce_scatter" | "reduce_scatter_block" => CollectiveKind::ReduceScatter,
        "scan" => CollectiveKind::Scan,
        "exscan" => CollectiveKind::ExclusiveScan,
        other => panic!("the observer does not know the collective {other}"),
    }
}

fn what(function: &'static Function) -> CallKind {
    let places = ArgumentPositions(function);
    match function.kind {
        // What has no form in recordings, or is not understood, has an entry that says so (`unsupported`).
        _ if function.support == Support::Runs || !is_understood(function.name) => {
            CallKind::Unrecorded
        }
        FunctionKind::Start => CallKind::Start,
        FunctionKind::End => CallKind::End,
        FunctionKind::Abort => CallKind::Abort {
            code: places.the(Role::Control),
        },
        FunctionKind::Send | FunctionKind::StartSend => CallKind::Send {
            mode: places.mode(),
            transfer: places.transfer(0),
            request: places.first(Role::NewRequest),
        },
        FunctionKind::Receive | FunctionKind::StartReceive => CallKind::Receive {
            transfer: places.transfer(0),
            request: places.first(Role::NewRequest),
            status: places.first(Role::Status),
        },
        FunctionKind::SendReceive => CallKind::SendReceive {
            send: places.transfer(0),
            receive: places.transfer(1),
            status: places.the(Role::Status),
        },
        FunctionKind::Probe => CallKind::Probe {
            peer: places.the(Role::Peer),
            tag: places.the(Role::Tag),
            communicator: places.the(Role::Communicator),
            flag: places.first(Role::Completion),
            status: places.the(Role::Status),
        },
        FunctionKind::Wait => CallKind::Wait {
            completion: places.completion(),
            requests: places.requests(),
            statuses: places.the(Role::Status),
            completed: places.completed(),
        },
        FunctionKind::Test => CallKind::Test {
            completion: places.completion(),
            requests: places.requests(),
            completed: places.completed(),
        },
        FunctionKind::MakePersistent => CallKind::MakePersistent {
            mode: places.first(Role::BufferIn).map(|_| places.mode()),
            transfer: places.transfer(0),
            request: places.the(Role::NewRequest),
        },
        FunctionKind::StartPersistent => CallKind::StartPersistent {
            requests: places.requests(),
        },
        FunctionKind::Collective => places.collective(),
        FunctionKind::MakeCommunicator => CallKind::MakeCommunicator {
            parent: places.the(Role::Communicator),
            made: places.the(Role::NewCommunicator),
        },
        // Clocks have entries of their own; what is not predicted is left out by name.
        FunctionKind::Clock | FunctionKind::Other => CallKind::Unrecorded,
        FunctionKind::Local => match function.name {
            "MPI_Comm_free" => CallKind::FreeCommunicator(0),
            "MPI_Type_free" => CallKind::FreeDatatype(0),
            "MPI_Request_free" => CallKind::FreeRequest(0),
            _ => CallKind::Unrecorded,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> CallKind {
        rows()
            .into_iter()
            .find(|row| row.function.name == name)
            .map(|row| row.what)
            .unwrap()
    }

    #[test]
    fn sendrecv_has_both_directions() {
        let at = |count, datatype, peer, tag, communicator| TransferArguments {
            count,
            datatype,
            peer,
            tag,
            communicator,
        };
        let replace = of("MPI_Sendrecv_replace");
        let expected = CallKind::SendReceive {
            send: at(1, 2, 3, 4, 7),
            receive: at(1, 2, 5, 6, 7),
            status: 8,
        };
        assert_eq!(replace, expected);
        let expected = CallKind::SendReceive {
            send: at(1, 2, 3, 4, 10),
            receive: at(6, 7, 8, 9, 10),
            status: 11,
        };
        assert_eq!(of("MPI_Sendrecv"), expected);
    }

    #[test]
    fn send_modes_and_completions_of_functions() {
        for (name, expected) in [
            ("MPI_Send", SendMode::Standard),
            ("MPI_Isend", SendMode::Standard),
            ("MPI_Issend", SendMode::Synchronous),
            ("MPI_Ibsend", SendMode::Buffered),
            ("MPI_Rsend", SendMode::Ready),
        ] {
            assert!(
                matches!(of(name), CallKind::Send { mode, .. } if mode == expected),
                "{name}"
            );
        }
        for (name, expected) in [
            ("MPI_Wait", Completed::All),
            ("MPI_Waitall", Completed::All),
            ("MPI_Waitany", Completed::Index(2)),
            ("MPI_Waitsome", Completed::Indices(2, 3)),
            ("MPI_Test", Completed::AllIf(1)),
            ("MPI_Testall", Completed::AllIf(2)),
            ("MPI_Testany", Completed::Index(2)),
            ("MPI_Testsome", Completed::Indices(2, 3)),
        ] {
            let (CallKind::Wait { completed, .. } | CallKind::Test { completed, .. }) = of(name)
            else {
                panic!("{name}")
            };
            assert_eq!(completed, expected, "{name}");
        }
    }

    #[test]
    fn elements_of_collectives() {
        let elements = |buffer, count, datatype, per_rank| {
            Some(ElementArguments {
                buffer,
                count,
                datatype,
                per_rank,
            })
        };
        for (name, sent, received) in [
            ("MPI_Barrier", None, None),
            ("MPI_Ibcast", elements(0, 1, 2, false), None),
            (
                "MPI_Allreduce",
                elements(0, 2, 3, false),
                elements(1, 2, 3, false),
            ),
            (
                "MPI_Gatherv",
                elements(0, 1, 2, false),
                elements(3, 4, 6, true),
            ),
            (
                "MPI_Ialltoallv",
                elements(0, 1, 3, true),
                elements(4, 5, 7, true),
            ),
            (
                "MPI_Reduce_scatter",
                elements(0, 2, 3, true),
                elements(1, 2, 3, true),
            ),
        ] {
            let CallKind::Collective { send, receive, .. } = of(name) else {
                panic!("{name}")
            };
            assert_eq!((send, receive), (sent, received), "{name}");
        }
    }
}
