//! Where the sequence of MPI calls may depend on time: which message comes first, which request completes first,
//! whether something is there yet, what a clock says ([`crate::nondeterminism::clock_dependence`]). And where it is proven not to, although
//! the program asks: nobody uses the answer, or only in ways in which no order matters ([`crate::nondeterminism::completion_loops`]).

use crate::ir::StatementId;
use crate::nondeterminism::any_source_loops;
use crate::nondeterminism::clock_dependence::{self, Readings};
use crate::nondeterminism::completion_loops;
use crate::nondeterminism::mpi_outputs::{Readers, answered, mpi_call, outputs_of_messages};
use crate::nondeterminism::order_independence;
use crate::nondeterminism::order_independent_work;
use crate::nondeterminism::partial_completion;
use crate::nondeterminism::polling_loops;
use crate::nondeterminism::wildcards::Wildcards;
use base_data::mpi::Role;
use std::collections::BTreeSet;

/// A place where the sequence of MPI calls may depend on time.
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
    /// Where the sequence of calls may depend on time, calls first.
    pub(crate) places: Vec<TimeDependence>,
    /// Calls that complete requests or look for messages, in an order that may be another one each time and does
    /// not matter.
    pub(crate) any_order: Vec<StatementId>,
}

/// Of a slice and what its probes read.
pub(crate) fn find(readers: &Readers) -> Found {
    let mut found = Found::default();
    let kept = readers
        .model
        .outline
        .all()
        .filter(|id| readers.kept[id.0 as usize]);
    let calls: Vec<StatementId> = kept
        .filter(|&id| mpi_call(readers.model, id).is_some())
        .collect();
    let wildcards = Wildcards::of(readers.model);
    let is_gather = |id: &StatementId| {
        wildcards.takes_first(*id)
            && any_source_loops::gather(readers, *id).is_some_and(|gather| {
                order_independence::holds(readers, &gather)
                    && order_independent_work::depends_on_order(readers, &gather).is_none()
            })
    };
    let gathers: BTreeSet<StatementId> = calls.iter().copied().filter(is_gather).collect();
    let others: Vec<StatementId> = calls
        .iter()
        .copied()
        .filter(|id| !gathers.contains(id))
        .collect();
    let messages = Messages {
        is_read: are_messages_read(readers, &wildcards, &others),
        gathers,
        requests_decide: partial_completion::decide(readers, &calls),
        wildcards,
    };
    for id in calls {
        match messages.answer(readers, id) {
            Answer::None => {}
            Answer::InAnyOrder => found.any_order.push(id),
            Answer::HangsOnTime(reason) => found.places.push(TimeDependence {
                statement: id,
                decided_by: None,
                reason,
            }),
        }
    }
    for decision in clock_dependence::decisions(readers) {
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
            || calls
                .iter()
                .any(|&id| readers.is_read(id, &outputs_of_messages(model, id))))
}

/// What a call answers.
enum Answer {
    /// Nothing that depends on time.
    None,
    /// Something that depends on time but decides nothing.
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
        let Some((function, _)) = mpi_call(readers.model, id) else {
            return Answer::None;
        };
        if self.gathers.contains(&id) {
            return Answer::InAnyOrder;
        }
        if self.is_read && self.wildcards.takes_first(id) {
            return Answer::HangsOnTime(format!(
                "{} receives from any source, and source or data are used: the order of arrival may \
                differ between machines",
                function.name
            ));
        }
        if !function
            .arguments
            .iter()
            .any(|argument| argument.role == Role::Completion)
        {
            return Answer::None;
        }
        if polling_loops::is_poll(readers, id) {
            return Answer::InAnyOrder;
        }
        let completion_loop = completion_loops::completion_loop(readers, id);
        let is_unread = !readers.is_read(id, &answered(readers.model, id));
        let is_proven = match &completion_loop {
            Some(completion_loop) => {
                is_unread
                    || (order_independence::holds(readers, completion_loop)
                        && !partial_completion::are_drained(readers, completion_loop))
            }
            None => is_unread && !partial_completion::are_told(readers, id),
        };
        let is_proven = !self.requests_decide && is_proven;
        match completion_loop
            .filter(|_| is_proven)
            .map(|completion_loop| {
                order_independent_work::depends_on_order(readers, &completion_loop)
            }) {
            Some(Some(statement)) => Answer::HangsOnTime(format!(
                "the work at line {} depends on the order in which the requests of {} complete",
                readers.model.lines[statement.0 as usize], function.name
            )),
            Some(None) => Answer::InAnyOrder,
            None if is_proven => Answer::InAnyOrder,
            None => Answer::HangsOnTime(format!(
                "the result of {} depends on timing and is used: the sequence of calls may differ \
                between machines",
                function.name
            )),
        }
    }
}
