//! Message liveness levels: recorded, envelope-live, payload-live. Matching is not known before a run, so if the payload of one
//! message of a class is live, the payloads of the whole class are, and those of all classes that may match it. Two point-to-point
//! messages, or two collectives of one function, never match only if their arguments prove it.

use crate::effects::datatypes::Datatypes;
use crate::effects::message_class::{Agreed, MessageClass, Sort, sort};
use crate::graphs::call_graph::{self, Call};
use crate::ir::analysis::MessageLevel;
use crate::ir::rules::{Rule, holds};
use crate::ir::{Callee, Expression, Program, StatementId};
use base_data::mpi::{Function, FunctionKind, Role};
use std::collections::BTreeSet;

/// MPI's own operations that Fortran programs name.
const OPERATIONS: [&str; 12] = [
    "mpi_sum",
    "mpi_prod",
    "mpi_max",
    "mpi_min",
    "mpi_maxloc",
    "mpi_minloc",
    "mpi_land",
    "mpi_lor",
    "mpi_lxor",
    "mpi_band",
    "mpi_bor",
    "mpi_bxor",
];

/// Which messages can be distinguished.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collectives {
    /// Functions some of whose calls may match all others: their messages are delivered together.
    undivided: BTreeSet<&'static str>,
    /// Whether no point-to-point message can be distinguished, since one-sided communication reaches memory that no call names.
    one_class: bool,
    /// What the program's own datatypes are made of.
    pub(crate) datatypes: Datatypes,
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
                if !has_data(function) || !holds(Rule::CollectivesMeet) {
                    continue;
                }
                one_class |= function.kind == FunctionKind::Other;
                if agreed(program, function, &call, &datatypes) == Agreed::Anything {
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

    /// Functions some of whose calls may match all others.
    pub(crate) fn undivided(&self) -> &BTreeSet<&'static str> {
        &self.undivided
    }

    /// The class of a call.
    pub(crate) fn class(
        &self,
        program: &Program,
        function: &'static Function,
        call: &Call,
    ) -> MessageClass {
        match MessageClass::of(function) {
            MessageClass::Collective(name, _) => {
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
                    // No data: the type beside MPI_IN_PLACE, which MPI ignores.
                    Some("mpi_datatype_null") => continue,
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
    /// Collectives whose calls are on one level, since some of them may match all others.
    pub(crate) undivided: BTreeSet<&'static str>,
}

impl Needed {
    /// Whether data of messages from one process to another are needed.
    pub(crate) fn delivers_between_two(&self) -> bool {
        self.payload
            .iter()
            .any(|class| matches!(class, MessageClass::PointToPoint(_)))
    }

    /// The classes whose data are read and may have been sent in a call of a class.
    pub(crate) fn readers_of(&self, sent: MessageClass) -> impl Iterator<Item = MessageClass> + '_ {
        self.payload
            .iter()
            .copied()
            .filter(move |class| class.may_match(sent))
    }

    /// Whether data that are sent in a call of a class may be read.
    pub(crate) fn reads_sent(&self, sent: MessageClass) -> bool {
        self.readers_of(sent).next().is_some()
    }

    /// Whether data of some call that may match one of this class are delivered: then all are, though the slice computes only those
    /// that it reads.
    fn delivers_with(&self, class: MessageClass) -> bool {
        let MessageClass::Collective(name, _) = class else {
            return false;
        };
        let is_of_function = |needed: &MessageClass| matches!(needed, MessageClass::Collective(own, _) if *own == name);
        self.undivided.contains(name) && self.payload.iter().any(is_of_function)
    }

    /// How much of the messages of a call is needed. All between two processes are on one level: requests of
    /// several classes may be waited for at once.
    pub(crate) fn level(&self, function: &'static Function, class: MessageClass) -> MessageLevel {
        let is_constructor = function.kind == FunctionKind::MakeCommunicator;
        let is_between_two = matches!(class, MessageClass::PointToPoint(_));
        if is_constructor
            || self.payload.contains(&class)
            || self.delivers_with(class)
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
