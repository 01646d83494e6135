//! Where the sequence of MPI calls may hang on time: which message comes first, which request completes first,
//! whether something is there yet, what a clock says ([`crate::clock`]). And where it is proven not to, although
//! the program asks: nobody uses the answer, or only in ways in which no order matters ([`crate::drains`]).

use crate::answers::{Readers, answered, argument, mpi_call, told_of_messages};
use crate::any_order;
use crate::clock;
use crate::drains;
use crate::ir::{Expression, StatementId, StatementKind};
use crate::levels::MessageClass;
use crate::locations::{LocationId, LocationSet};
use crate::model::Model;
use crate::references;
use crate::slice::Slicer;
use base_data::mpi::{Function, Kind, Role};

/// A place where the sequence of MPI calls may hang on time.
pub(crate) struct TimeDependence {
    /// The MPI call, or the statement that a clock decides.
    pub(crate) statement: StatementId,
    /// Whether it is a decision rather than a call.
    pub(crate) decides: bool,
    /// What makes it so.
    pub(crate) reason: String,
}

/// What was found of the calls of a slice.
#[derive(Default)]
pub(crate) struct Found {
    /// Where the sequence of calls may hang on time, calls first.
    pub(crate) places: Vec<TimeDependence>,
    /// Calls that complete requests or look for messages, in an order that may be another one each time and does
    /// not matter.
    pub(crate) any_order: Vec<StatementId>,
}

/// Of a slice and what its probes read.
pub(crate) fn find(readers: &Readers, slicer: &Slicer) -> Found {
    let mut found = Found::default();
    let kept = readers.model.outline.all().filter(|id| readers.kept[id.0 as usize]);
    let calls: Vec<StatementId> = kept.filter(|&id| mpi_call(readers.model, id).is_some()).collect();
    let messages = Messages {
        is_read: are_messages_read(readers, &calls),
        requests_decide: do_requests_decide(readers, &calls),
    };
    for id in calls {
        match messages.answer(readers, id) {
            Answer::None => {}
            Answer::InAnyOrder => found.any_order.push(id),
            Answer::HangsOnTime(reason) => {
                found.places.push(TimeDependence { statement: id, decides: false, reason })
            }
        }
    }
    for statement in clock::decisions(readers.model, slicer) {
        let reason = "a clock decides here which MPI calls are made: the sequence of calls may differ between machines";
        found.places.push(TimeDependence { statement, decides: true, reason: reason.into() });
    }
    found
}

/// Whether data of messages from one rank to another, or what receives tell of them, are read; where nothing takes
/// what comes first it is not asked.
fn are_messages_read(readers: &Readers, calls: &[StatementId]) -> bool {
    let model = readers.model;
    let takes_first = |&id: &StatementId| {
        mpi_call(model, id).is_some_and(|(function, arguments)| is_wildcard(model, function, &arguments))
    };
    calls.iter().any(takes_first)
        && (readers.needed.payload.contains(&MessageClass::PointToPoint)
            || calls.iter().any(|&id| readers.is_read(id, &told_of_messages(model, id))))
}

/// Whether some condition hangs on the handles of requests, which are null once they have completed.
fn do_requests_decide(readers: &Readers, calls: &[StatementId]) -> bool {
    let model = readers.model;
    let mut handles: LocationSet = calls.iter().flat_map(|&id| requests(model, id)).collect();
    let kept: Vec<StatementId> = model.outline.all().filter(|id| readers.kept[id.0 as usize]).collect();
    let reads = |id: StatementId, handles: &LocationSet| {
        readers.control.effects(model, id).uses.iter().any(|&place| handles.contains(place))
    };
    let is_copy =
        |id: &StatementId| matches!(model.program.statement(*id).kind, StatementKind::Assign { .. });
    let mut grown = true;
    while grown {
        grown = false;
        for &id in kept.iter().filter(|id| is_copy(id)) {
            if !reads(id, &handles) {
                continue;
            }
            let copied = readers.control.effects(model, id).definitions.iter().map(|d| d.location);
            copied.for_each(|place| grown |= handles.insert(place));
        }
    }
    kept.into_iter().any(|id| {
        let kind = &model.program.statement(id).kind;
        let decides = matches!(kind, StatementKind::If { .. } | StatementKind::While { .. });
        let selects = matches!(kind, StatementKind::Select { .. } | StatementKind::Goto { .. });
        let counts = matches!(kind, StatementKind::Do { .. });
        (decides || selects || counts) && reads(id, &handles)
    })
}

/// The places of the requests that a call names.
fn requests(model: &Model, id: StatementId) -> Vec<LocationId> {
    let Some((function, arguments)) = mpi_call(model, id) else { return Vec::new() };
    let named = argument(function, &arguments, Role::Request).and_then(references::designated);
    let place = named.and_then(|named| model.locations.at(named));
    place.map_or(vec![], |place| model.locations.innermost(place))
}

/// What a call answers.
enum Answer {
    /// Nothing that hangs on time.
    None,
    /// Something that hangs on time but decides nothing.
    InAnyOrder,
    /// Something that may decide; why.
    HangsOnTime(String),
}

/// What the slice takes from messages from one rank to another.
struct Messages {
    /// Whether their data, or source, tag or count of any of them are read: which of several a wildcard took is
    /// then told by what the others get, too.
    is_read: bool,
    /// Whether something is decided by which requests are null.
    requests_decide: bool,
}

impl Messages {
    fn answer(&self, readers: &Readers, id: StatementId) -> Answer {
        let Some((function, arguments)) = mpi_call(readers.model, id) else { return Answer::None };
        if self.is_read && is_wildcard(readers.model, function, &arguments) {
            return Answer::HangsOnTime(format!(
                "{} takes a message of any source or tag, and source or data are used: which one comes first may \
                 differ between machines",
                function.name
            ));
        }
        if !function.arguments.iter().any(|argument| argument.role == Role::Completion) {
            return Answer::None;
        }
        let is_proven = || {
            !readers.is_read(id, &answered(readers.model, id))
                || drains::drain(readers, id).is_some_and(|drain| any_order::holds(readers, drain))
        };
        if drains::is_poll(readers, id) || (!self.requests_decide && is_proven()) {
            return Answer::InAnyOrder;
        }
        Answer::HangsOnTime(format!(
            "what {} answers hangs on time and is used: the sequence of calls may differ between machines",
            function.name
        ))
    }
}

/// Whether a call takes what comes first.
fn is_wildcard(model: &Model, function: &'static Function, arguments: &[Option<&Expression>]) -> bool {
    let named = |e: &Expression, name: &str| {
        references::base(e).is_some_and(|v| model.program.variable(v).name == name)
    };
    let wild = |role, name| argument(function, arguments, role).is_some_and(|e| named(e, name));
    matches!(function.kind, Kind::Receive | Kind::StartReceive | Kind::SendReceive | Kind::Probe)
        && (wild(Role::Peer, "mpi_any_source") || wild(Role::Tag, "mpi_any_tag"))
}
