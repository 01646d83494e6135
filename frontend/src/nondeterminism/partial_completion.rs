//! What is left of several requests when one of them has completed: their handles, which are null then, and those who
//! wait for the rest. That depends on time as what the call answers does, and is used in other ways.

use crate::effects::model::Model;
use crate::ir::references;
use crate::ir::{StatementId, StatementKind};
use crate::memory::locations::{LocationId, LocationSet};
use crate::nondeterminism::completion_loops::{self, CompletionLoop};
use crate::nondeterminism::mpi_outputs::{Readers, argument, mpi_call, outputs_of_messages};
use crate::nondeterminism::polling_loops;
use base_data::mpi::{Kind, Role};

/// Whether some condition depends on the handles of requests, which are null once they have completed.
pub(crate) fn decide(readers: &Readers, calls: &[StatementId]) -> bool {
    let model = readers.model;
    let mut handles: LocationSet = calls.iter().flat_map(|&id| requests(model, id)).collect();
    let kept: Vec<StatementId> = model
        .outline
        .all()
        .filter(|id| readers.kept[id.0 as usize])
        .collect();
    let reads = |id: StatementId, handles: &LocationSet| {
        readers
            .control
            .effects(model, id)
            .uses
            .iter()
            .any(|&place| handles.contains(place))
    };
    let is_copy = |id: &StatementId| {
        matches!(
            model.program.statement(*id).kind,
            StatementKind::Assign { .. }
        )
    };
    let mut grown = true;
    while grown {
        grown = false;
        for &id in kept.iter().filter(|id| is_copy(id)) {
            if !reads(id, &handles) {
                continue;
            }
            let copied = readers
                .control
                .effects(model, id)
                .definitions
                .iter()
                .map(|d| d.location);
            copied.for_each(|place| grown |= handles.insert(place));
        }
    }
    kept.into_iter().any(|id| {
        let kind = &model.program.statement(id).kind;
        let decides = matches!(kind, StatementKind::If { .. } | StatementKind::While { .. });
        let selects = matches!(
            kind,
            StatementKind::Select { .. } | StatementKind::Goto { .. }
        );
        let counts = matches!(kind, StatementKind::Do { .. });
        (decides || selects || counts) && reads(id, &handles)
    })
}

/// Whether somebody who waits for what a call leaves of its requests reads what that tells of messages.
pub(crate) fn are_told(readers: &Readers, call: StatementId) -> bool {
    let told = |&id: &StatementId| {
        completion_loops::completion_loop(readers, id).is_none()
            && readers.is_read(id, &outputs_of_messages(readers.model, id))
    };
    others(readers, call).iter().any(told)
}

/// Whether another call may have taken some of the requests of a drain: one that answers which, and neither
/// takes all of them nor waits for a certain one.
pub(crate) fn are_drained(readers: &Readers, completion_loop: &CompletionLoop) -> bool {
    let takes_some = |&id: &StatementId| {
        let answers = mpi_call(readers.model, id)
            .is_some_and(|(function, _)| function.position(Role::Completion).is_some());
        answers
            && completion_loops::completion_loop(readers, id).is_none()
            && !polling_loops::is_poll(readers, id)
    };
    others(readers, completion_loop.wait).iter().any(takes_some)
}

/// The other calls that stay and may complete one of the requests of a call. What comes from callers may be any.
fn others(readers: &Readers, call: StatementId) -> Vec<StatementId> {
    let model = readers.model;
    let own = requests(model, call);
    let is_passed = |places: &[LocationId]| {
        places.is_empty()
            || places
                .iter()
                .any(|place| model.locations.get(*place).dummy.is_some())
    };
    let may_be_same = |id: &StatementId| {
        let places = requests(model, *id);
        is_passed(&own) || is_passed(&places) || places.iter().any(|place| own.contains(place))
    };
    let completes = |id: &StatementId| {
        *id != call
            && readers.kept[id.0 as usize]
            && mpi_call(model, *id).is_some_and(|(function, _)| {
                matches!(function.kind, Kind::Wait | Kind::Test)
                    && function.position(Role::Request).is_some()
            })
    };
    model
        .outline
        .all()
        .filter(completes)
        .filter(may_be_same)
        .collect()
}

/// The places of the requests that a call names
fn requests(model: &Model, id: StatementId) -> Vec<LocationId> {
    let Some((function, arguments)) = mpi_call(model, id) else {
        return Vec::new();
    };
    // What MPI_Improbe answers is null, too, where there is no message.
    let role = if function.name == "MPI_Improbe" {
        Role::Result
    } else {
        Role::Request
    };
    let named = argument(function, &arguments, role).and_then(references::designated);
    let place = named.and_then(|named| model.locations.at(named));
    place.map_or(vec![], |place| model.locations.innermost(place))
}
