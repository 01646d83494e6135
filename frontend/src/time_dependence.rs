//! Where the sequence of MPI calls may hang on time: which message comes first, which request completes first,
//! whether something is there yet, what a clock says ([`crate::decided_by_time`]). And where it is proven not to, although
//! the program asks: nobody uses the answer, or only in ways in which no order matters ([`crate::drains`]).

use crate::answers::{Readers, answered, mpi_call, told_of_messages};
use crate::any_order;
use crate::decided_by_time::{self, Readings};
use crate::drains;
use crate::gathers;
use crate::ir::StatementId;
use crate::polls;
use crate::rests;
use crate::wildcards::Wildcards;
use crate::work_in_any_order;
use base_data::mpi::Role;
use std::collections::BTreeSet;

/// A place where the sequence of MPI calls may hang on time.
pub(crate) struct TimeDependence {
    /// The MPI call, or the statement that a clock decides.
    pub(crate) statement: StatementId,
    /// What it decides by, if it is a decision rather than a call: the statements that read it.
    pub(crate) decided_by: Option<Readings>,
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
pub(crate) fn find(readers: &Readers) -> Found {
    let mut found = Found::default();
    let kept = readers.model.outline.all().filter(|id| readers.kept[id.0 as usize]);
    let calls: Vec<StatementId> = kept.filter(|&id| mpi_call(readers.model, id).is_some()).collect();
    let wildcards = Wildcards::of(readers.model);
    let is_gather = |id: &StatementId| {
        wildcards.takes_first(*id)
            && gathers::gather(readers, *id).is_some_and(|gather| {
                any_order::holds(readers, &gather)
                    && work_in_any_order::depends_on_order(readers, &gather).is_none()
            })
    };
    let gathers: BTreeSet<StatementId> = calls.iter().copied().filter(is_gather).collect();
    let others: Vec<StatementId> = calls.iter().copied().filter(|id| !gathers.contains(id)).collect();
    let messages = Messages {
        is_read: are_messages_read(readers, &wildcards, &others),
        gathers,
        requests_decide: rests::decide(readers, &calls),
        wildcards,
    };
    for id in calls {
        match messages.answer(readers, id) {
            Answer::None => {}
            Answer::InAnyOrder => found.any_order.push(id),
            Answer::HangsOnTime(reason) => {
                found.places.push(TimeDependence { statement: id, decided_by: None, reason })
            }
        }
    }
    for decision in decided_by_time::decisions(readers) {
        let decided_by = Some(decision.readings);
        found.places.push(TimeDependence {
            statement: decision.statement,
            decided_by,
            reason: decision.reason,
        });
    }
    found
}

/// Whether data of messages from one rank to another, or what receives tell of them, are read; where nothing takes
/// what comes first it is not asked.
fn are_messages_read(readers: &Readers, wildcards: &Wildcards, calls: &[StatementId]) -> bool {
    let model = readers.model;
    calls.iter().any(|&id| wildcards.takes_first(id))
        && (readers.needed.delivers_between_two()
            || calls.iter().any(|&id| readers.is_read(id, &told_of_messages(model, id))))
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
struct Messages<'a> {
    wildcards: Wildcards<'a>,
    /// Receives of any source that are proven to get the same messages in any order, which no other receive gets.
    gathers: BTreeSet<StatementId>,
    /// Whether their data, or source, tag or count of any of them are read: which of several a wildcard took is
    /// then told by what the others get, too.
    is_read: bool,
    /// Whether something is decided by which requests are null.
    requests_decide: bool,
}

impl Messages<'_> {
    fn answer(&self, readers: &Readers, id: StatementId) -> Answer {
        let Some((function, _)) = mpi_call(readers.model, id) else { return Answer::None };
        if self.gathers.contains(&id) {
            return Answer::InAnyOrder;
        }
        if self.is_read && self.wildcards.takes_first(id) {
            return Answer::HangsOnTime(format!(
                "{} takes a message of any source, and source or data are used: which one comes first may differ \
                 between machines",
                function.name
            ));
        }
        if !function.arguments.iter().any(|argument| argument.role == Role::Completion) {
            return Answer::None;
        }
        if polls::is_poll(readers, id) {
            return Answer::InAnyOrder;
        }
        let drain = drains::drain(readers, id);
        let is_unread = !readers.is_read(id, &answered(readers.model, id));
        let is_proven = match &drain {
            Some(drain) => {
                is_unread || (any_order::holds(readers, drain) && !rests::are_drained(readers, drain))
            }
            None => is_unread && !rests::are_told(readers, id),
        };
        let is_proven = !self.requests_decide && is_proven;
        match drain.filter(|_| is_proven).map(|drain| work_in_any_order::depends_on_order(readers, &drain)) {
            Some(Some(statement)) => Answer::HangsOnTime(format!(
                "how much is computed at line {} hangs on the order in which the requests of {} complete",
                readers.model.lines[statement.0 as usize], function.name
            )),
            Some(None) => Answer::InAnyOrder,
            None if is_proven => Answer::InAnyOrder,
            None => Answer::HangsOnTime(format!(
                "what {} answers hangs on time and is used: the sequence of calls may differ between machines",
                function.name
            )),
        }
    }
}
