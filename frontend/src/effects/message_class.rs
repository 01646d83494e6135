//! Message classes: calls whose messages are needed, or not, together. Two calls are of one class unless their arguments prove that
//! their messages never match.

use crate::ir::rules::{Rule, holds};
use base_data::mpi::{Function, FunctionKind};

/// Calls whose messages are needed, or not, together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum MessageClass {
    /// Sends, receives and their completions, by what both sides agree on.
    PointToPoint(Agreed),
    /// A collective by its name and what its members agree on; communicators are made by collectives whose answer is
    /// always needed.
    Collective(&'static str, Agreed),
    /// No messages.
    #[default]
    None,
}

/// What all members of a collective, or both sides of a message, must agree on: MPI has their data of one type and
/// their reduction of one operation, so calls that differ in these never meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Agreed {
    /// Anything: it may match all others.
    Anything,
    /// Data of this sort, combined by this operation (empty where none is).
    On(Sort, &'static str),
}

/// Sorts of data. Types of one sort are taken for each other, as programs do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Sort {
    /// Integers and logicals.
    Whole,
    /// Real and complex numbers.
    Floating,
    /// Characters.
    Text,
}

/// MPI's own types of each sort, those of C included, which Fortran programs name, too. All others (bytes, packed data, pairs of two
/// sorts) may match any; the program's own are what they are made of ([`crate::effects::datatypes`]).
const SORTS: [(Sort, &str); 3] = [
    (
        Sort::Whole,
        "integer integer1 integer2 integer4 integer8 integer16 logical 2integer
        int short long long_long unsigned unsigned_short unsigned_long unsigned_long_long 2int
        int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t c_bool aint count offset",
    ),
    (
        Sort::Floating,
        "real real4 real8 real16 double_precision complex complex8 complex16 complex32 double_complex
        2real 2double_precision
        float double long_double c_complex c_float_complex c_double_complex c_long_double_complex",
    ),
    (Sort::Text, "character"),
];

/// The sort of one of MPI's own types.
pub(crate) fn sort(name: &str) -> Option<Sort> {
    let own = name.strip_prefix("mpi_")?;
    for (sort, names) in SORTS {
        if names.split_whitespace().any(|name| name == own) {
            return Some(sort);
        }
    }
    None
}

impl Agreed {
    /// Whether members that agree on the one may take part in a message or collective of the other.
    fn may_match(self, other: Self) -> bool {
        let is_any = self == Agreed::Anything || other == Agreed::Anything;
        self == other || is_any && holds(Rule::CollectivesMeet)
    }
}

impl MessageClass {
    /// Whether data that are sent in a call of one class may be received in a call of the other.
    pub(crate) fn may_match(self, other: Self) -> bool {
        match (self, other) {
            (MessageClass::PointToPoint(one), MessageClass::PointToPoint(other)) => {
                one.may_match(other)
            }
            (MessageClass::Collective(name, one), MessageClass::Collective(same, other)) => {
                name == same && one.may_match(other)
            }
            (
                MessageClass::PointToPoint(_) | MessageClass::Collective(..) | MessageClass::None,
                _,
            ) => false,
        }
    }

    /// The sort of all its data, if there is one.
    pub(crate) fn sort(self) -> Option<Sort> {
        match self {
            MessageClass::PointToPoint(Agreed::On(sort, _))
            | MessageClass::Collective(_, Agreed::On(sort, _)) => Some(sort),
            MessageClass::PointToPoint(Agreed::Anything)
            | MessageClass::Collective(_, Agreed::Anything)
            | MessageClass::None => None,
        }
    }

    /// The class of all calls of a function.
    pub(crate) fn of(function: &'static Function) -> Self {
        match function.kind {
            FunctionKind::Send
            | FunctionKind::Receive
            | FunctionKind::SendReceive
            | FunctionKind::StartSend
            | FunctionKind::StartReceive
            | FunctionKind::MakePersistent
            | FunctionKind::StartPersistent
            | FunctionKind::Wait
            | FunctionKind::Test
            | FunctionKind::Probe
            | FunctionKind::Other => MessageClass::PointToPoint(Agreed::Anything),
            FunctionKind::Collective | FunctionKind::MakeCommunicator => {
                MessageClass::Collective(function.name, Agreed::Anything)
            }

            FunctionKind::Start
            | FunctionKind::End
            | FunctionKind::Abort
            | FunctionKind::Clock
            | FunctionKind::Local => MessageClass::None,
        }
    }
}
