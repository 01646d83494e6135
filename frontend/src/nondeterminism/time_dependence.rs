//! Nondeterminism of the MPI call sequence: where it may depend on time, through wildcard receives, the order in which
//! requests complete, flags of tests and probes, or clocks ([`crate::nondeterminism::clock_dependence`]); and where it is
//! proven not to although the program makes such calls: no statement uses their outputs, or the loops around them are
//! order independent ([`crate::nondeterminism::completion_loops`]).

use crate::ir::StatementId;
use crate::nondeterminism::any_source_loops;
use crate::nondeterminism::clock_dependence::{self, Readings};
use crate::nondeterminism::completion_forms;
use crate::nondeterminism::completion_loops::CompletionLoop;
use crate::nondeterminism::mpi_outputs::{
    Readers, mpi_call, output_locations, outputs_of_messages,
};
use crate::nondeterminism::order_independence;
use crate::nondeterminism::order_independent_work;
use crate::nondeterminism::partial_completion;
use crate::nondeterminism::polling_loops;
use crate::nondeterminism::wildcards::Wildcards;
use base_data::mpi::Role;
use std::collections::BTreeSet;

/// A location in the program where the sequence of MPI calls may depend on time.
pub(crate) struct TimeDependence {
    /// The MPI call, or the branch that depends on a clock.
    pub(crate) statement: StatementId,
    /// For a branch: the statements that read the nondeterministic values it depends on.
    pub(crate) decided_by: Option<Readings>,
    /// The cause, as a message.
    pub(crate) reason: String,
}

/// The nondeterministic calls and branches of a slice.
#[derive(Default)]
pub(crate) struct TimeDependences {
    /// Where the sequence of calls may depend on time, calls first.
    pub(crate) places: Vec<TimeDependence>,
    /// Calls that complete requests or look for messages in an order that may differ between runs, without effect on
    /// the slice.
    pub(crate) any_order: Vec<StatementId>,
}

/// Classifies the kept MPI calls and branches of a slice.
pub(crate) fn find(readers: &Readers) -> TimeDependences {
    let model = readers.model;
    let mut calls: Vec<StatementId> = model.outline.all().collect();
    calls.retain(|&id| readers.kept[id.0 as usize] && mpi_call(model, id).is_some());
    let wildcards = Wildcards::of(model);
    let mut any_source_loops = BTreeSet::new();
    let mut others = Vec::new();
    for &id in &calls {
        if wildcards.takes_first(id) && is_order_independent_receive(readers, id) {
            any_source_loops.insert(id);
        } else {
            others.push(id);
        }
    }
    let messages = Messages {
        is_read: are_messages_read(readers, &wildcards, &others),
        any_source_loops,
        requests_decide: partial_completion::decide(readers, &calls),
        wildcards,
    };
    let mut found = TimeDependences::default();
    for id in calls {
        match messages.dependence(readers, id) {
            Dependence::None => {}
            Dependence::InAnyOrder => found.any_order.push(id),
            Dependence::OnTime(reason) => found.places.push(TimeDependence {
                statement: id,
                decided_by: None,
                reason,
            }),
        }
    }
    for decision in clock_dependence::decisions(readers) {
        found.places.push(TimeDependence {
            statement: decision.statement,
            decided_by: Some(decision.readings),
            reason: decision.reason,
        });
    }
    found
}

/// Whether a receive is in an any-source receive loop whose values and work do not depend on the order of arrival.
fn is_order_independent_receive(readers: &Readers, receive: StatementId) -> bool {
    let Some(receives) = any_source_loops::receive_loop(readers, receive) else {
        return false;
    };
    order_independence::holds(readers, &receives)
        && order_independent_work::depends_on_order(readers, &receives).is_none()
}

/// Whether the slice reads payloads of messages between two ranks, or source, tag or count of a receive. Not computed for
/// programs without wildcard receives, where neither depends on time.
fn are_messages_read(readers: &Readers, wildcards: &Wildcards, calls: &[StatementId]) -> bool {
    if !calls.iter().any(|&id| wildcards.takes_first(id)) {
        return false;
    }
    if readers.needed.delivers_between_two() {
        return true;
    }
    for &id in calls {
        if readers.is_read(id, &outputs_of_messages(readers.model, id)) {
            return true;
        }
    }
    false
}

/// How the slice depends on the outputs of a call.
enum Dependence {
    /// No output depends on time.
    None,
    /// Outputs depend on time, but the slice does not.
    InAnyOrder,
    /// The slice may depend on time; the reason.
    OnTime(String),
}

/// What the slice reads of messages between two ranks.
struct Messages<'a> {
    wildcards: Wildcards<'a>,
    /// Receives in order-independent any-source receive loops, whose messages no other receive can match.
    any_source_loops: BTreeSet<StatementId>,
    /// Whether the slice reads the payload, source, tag or count of any receive. Which message a wildcard receive matched
    /// also shows in what the other receives get, so one flag serves all.
    is_read: bool,
    /// Whether a branch tests which requests are null.
    requests_decide: bool,
}

impl Messages<'_> {
    fn dependence(&self, readers: &Readers, id: StatementId) -> Dependence {
        let Some((function, _)) = mpi_call(readers.model, id) else {
            return Dependence::None;
        };
        if self.any_source_loops.contains(&id) {
            return Dependence::InAnyOrder;
        }
        if self.is_read && self.wildcards.takes_first(id) {
            return Dependence::OnTime(format!(
                "{} receives from any source, and source or data are used: the order of arrival may \
                differ between machines",
                function.name
            ));
        }
        if function.position(Role::Completion).is_none() {
            return Dependence::None;
        }
        // The flag is read, but only to repeat the call.
        if polling_loops::is_poll(readers, id) {
            return Dependence::InAnyOrder;
        }
        let completion_loop = completion_forms::completion_loop(readers, id);
        if self.requests_decide || !is_proven(readers, id, completion_loop.as_ref()) {
            return Dependence::OnTime(format!(
                "the result of {} depends on timing and is used: the sequence of calls may differ \
                between machines",
                function.name
            ));
        }
        // The call sequence is the same in any order; the work between the calls need not be.
        if let Some(completion_loop) = completion_loop
            && let Some(statement) =
                order_independent_work::depends_on_order(readers, &completion_loop)
        {
            return Dependence::OnTime(format!(
                "the work at line {} depends on the order in which the requests of {} complete",
                readers.model.lines[statement.0 as usize], function.name
            ));
        }
        Dependence::InAnyOrder
    }
}

/// Whether the slice is proven not to depend on the order in which the requests of a call complete.
fn is_proven(readers: &Readers, id: StatementId, completion_loop: Option<&CompletionLoop>) -> bool {
    let is_unread = !readers.is_read(id, &output_locations(readers.model, id));
    match completion_loop {
        Some(completion_loop) => {
            is_unread
                || (order_independence::holds(readers, completion_loop)
                    && !partial_completion::are_completed_elsewhere(readers, completion_loop))
        }
        None => is_unread && !partial_completion::are_outputs_read(readers, id),
    }
}
