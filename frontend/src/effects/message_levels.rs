//! Message liveness levels: recorded, envelope-live, payload-live. Matching is not known before a run, so if the payload of one
//! message of a class is live, the payloads of the whole class are. Two point-to-point messages, or two collectives of one function,
//! are in different classes only if their arguments prove that they never match.

use crate::effects::datatypes::Datatypes;
use crate::graphs::call_graph::{self, Call};
use crate::ir::analysis::MessageLevel;
use crate::ir::rules::{Rule, holds};
use crate::ir::{Callee, Expression, Program, StatementId};
use base_data::mpi::{Function, Kind, Role};
use std::collections::BTreeSet;

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
    /// Anything: all calls are one class.
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
}

/// MPI's own types of each sort. All others (bytes, text, pairs) may meet any; the program's own are what they are made of
/// ([`crate::effects::datatypes`]).
const SORTS: [(Sort, &[&str]); 2] = [
    (
        Sort::Whole,
        &[
            "mpi_integer",
            "mpi_integer1",
            "mpi_integer2",
            "mpi_integer4",
            "mpi_integer8",
            "mpi_logical",
        ],
    ),
    (
        Sort::Floating,
        &[
            "mpi_real",
            "mpi_real4",
            "mpi_real8",
            "mpi_real16",
            "mpi_double_precision",
            "mpi_complex",
            "mpi_complex8",
            "mpi_complex16",
            "mpi_double_complex",
        ],
    ),
];

/// MPI's own operations that Fortran programs name.
const OPERATIONS: [&str; 10] = [
    "mpi_sum", "mpi_prod", "mpi_max", "mpi_min", "mpi_land", "mpi_lor", "mpi_lxor", "mpi_band",
    "mpi_bor", "mpi_bxor",
];

/// Which messages can be distinguished.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collectives {
    /// Functions whose calls are one class, since not all of them can be distinguished.
    undivided: BTreeSet<&'static str>,
    /// Whether all point-to-point messages are one class, for the same reason.
    one_class: bool,
    /// What the program's own datatypes are made of.
    datatypes: Datatypes,
}

impl Collectives {
    /// Those of a program.
    pub(crate) fn of(
        program: &Program,
        order: impl Iterator<Item = StatementId>,
        datatypes: Datatypes,
    ) -> Self {
        let (mut undivided, mut one_class) = (BTreeSet::new(), false);
        for id in order {
            for call in call_graph::calls(&program.statement(id).kind) {
                let Callee::Mpi(function) = call.callee else {
                    continue;
                };
                // One-sided communication reaches memory that no call names.
                let is_anything = agreed(program, function, &call, &datatypes) == Agreed::Anything;
                if (is_anything || function.kind == Kind::Other) && holds(Rule::CollectivesMeet) {
                    let is_between_two =
                        matches!(MessageClass::of(function), MessageClass::PointToPoint(_));
                    one_class |= is_between_two && has_data(function);
                    undivided.insert(function.name);
                }
            }
        }
        Collectives {
            undivided,
            one_class,
            datatypes,
        }
    }

    /// Whether some calls cannot be distinguished.
    pub(crate) fn has_undivided(&self) -> bool {
        self.one_class || !self.undivided.is_empty()
    }

    /// The class of a call.
    pub(crate) fn class(
        &self,
        program: &Program,
        function: &'static Function,
        call: &Call,
    ) -> MessageClass {
        match MessageClass::of(function) {
            MessageClass::Collective(name, _) if !self.undivided.contains(name) => {
                MessageClass::Collective(name, agreed(program, function, call, &self.datatypes))
            }
            MessageClass::PointToPoint(_) if !self.one_class && has_data(function) => {
                MessageClass::PointToPoint(agreed(program, function, call, &self.datatypes))
            }
            class => class,
        }
    }
}

/// What the members of a call agree on.
fn agreed(program: &Program, function: &Function, call: &Call, datatypes: &Datatypes) -> Agreed {
    let mut sorts = BTreeSet::new();
    let mut operations = Vec::new();
    for (row, argument) in function.arguments.iter().zip(&call.arguments) {
        match row.role {
            Role::Datatype => {
                let Some(argument) = argument else {
                    return Agreed::Anything;
                };
                let sort = match program.mpi_constant(argument) {
                    Some(name) => sort(name),
                    None => datatypes.sort(argument),
                };
                sorts.insert(sort);
            }
            Role::ReduceOp => operations.push(operation(program, *argument)),
            _ => {}
        }
    }
    // A call with two datatypes must have one sort in both, or its data could match either.
    let sorts: Vec<Option<Sort>> = sorts.into_iter().collect();
    match (&sorts[..], &operations[..]) {
        ([Some(sort)], []) => Agreed::On(*sort, ""),
        ([Some(sort)], [Some(operation)]) => Agreed::On(*sort, operation),
        _ => Agreed::Anything,
    }
}

/// The operation that an argument names, if it is MPI's own.
fn operation(program: &Program, argument: Option<&Expression>) -> Option<&'static str> {
    let name = program.mpi_constant(argument?)?;
    OPERATIONS.into_iter().find(|own| *own == name)
}

/// Whether a call of a function itself says where the data of messages are.
fn has_data(function: &Function) -> bool {
    function.arguments.iter().any(|row| row.role.is_payload())
}

/// The sort of one of MPI's own types.
pub(crate) fn sort(name: &str) -> Option<Sort> {
    SORTS
        .into_iter()
        .find(|(_, names)| names.contains(&name))
        .map(|(sort, _)| sort)
}

impl MessageClass {
    /// The class of all calls of a function.
    fn of(function: &'static Function) -> Self {
        match function.kind {
            Kind::Send
            | Kind::Receive
            | Kind::SendReceive
            | Kind::StartSend
            | Kind::StartReceive
            | Kind::MakePersistent
            | Kind::StartPersistent
            | Kind::Wait
            | Kind::Test
            | Kind::Probe
            | Kind::Other => MessageClass::PointToPoint(Agreed::Anything),
            Kind::Collective | Kind::MakeCommunicator => {
                MessageClass::Collective(function.name, Agreed::Anything)
            }

            Kind::Start | Kind::End | Kind::Abort | Kind::Clock | Kind::Local => MessageClass::None,
        }
    }
}

/// Messages that keep processes in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// None.
    #[default]
    Nothing,
    /// The collectives of these functions.
    GlobalSynchronisations(BTreeSet<&'static str>),
    /// All: it is not known which.
    Everything,
}

impl Order {
    /// Whether messages of a class are among them.
    fn needs(&self, class: MessageClass) -> bool {
        match (self, class) {
            (_, MessageClass::None) | (Order::Nothing, _) => false,
            (Order::GlobalSynchronisations(names), MessageClass::Collective(name, _)) => {
                names.contains(name)
            }
            (Order::GlobalSynchronisations(_), MessageClass::PointToPoint(_)) => false,
            (Order::Everything, MessageClass::Collective(..) | MessageClass::PointToPoint(_)) => {
                true
            }
        }
    }
}

/// Which classes the slice needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needed {
    /// Classes whose data are read.
    pub(crate) payload: BTreeSet<MessageClass>,
    /// Whether some source, tag, count or completion is read.
    pub(crate) envelope: bool,
    /// The messages that ranks must not pass before the others arrive, since ranks share files.
    pub(crate) order: Order,
}

impl Needed {
    /// Whether data of messages from one process to another are needed.
    pub(crate) fn delivers_between_two(&self) -> bool {
        self.payload
            .iter()
            .any(|class| matches!(class, MessageClass::PointToPoint(_)))
    }

    /// How much of the messages of a call is needed. All between two processes are on one level: requests of
    /// several classes may be waited for at once.
    pub(crate) fn level(&self, function: &'static Function, class: MessageClass) -> MessageLevel {
        let is_constructor = function.kind == Kind::MakeCommunicator;
        let is_between_two = matches!(class, MessageClass::PointToPoint(_));
        if is_constructor
            || self.payload.contains(&class)
            || is_between_two && self.delivers_between_two()
        {
            MessageLevel::PayloadLive
        } else if is_between_two && self.envelope || self.order.needs(class) {
            MessageLevel::EnvelopeLive
        } else {
            MessageLevel::Recorded
        }
    }
}
