//! Partially completed request sets: after one of several requests has completed, which handles are null depends on
//! timing, and so does the set of requests that other calls wait for. These dependences are not outputs of the call that
//! completed the request, so [`crate::nondeterminism::order_independence`] does not see them.

use crate::effects::model::Model;
use crate::ir::references;
use crate::ir::{StatementId, StatementKind};
use crate::memory::location_id::{LocationId, LocationSet};
use crate::nondeterminism::completion_forms;
use crate::nondeterminism::completion_loops::CompletionLoop;
use crate::nondeterminism::mpi_outputs::{Readers, argument, mpi_call, outputs_of_messages};
use crate::nondeterminism::polling_loops;
use base_data::mpi::{FunctionKind, Role};

/// Whether a branch or bound reads request handles that `calls` set to null when a request completes.
///
/// A forward may-analysis over whole locations, with assignments as the only copies.
pub(crate) fn decide(readers: &Readers, calls: &[StatementId]) -> bool {
    let model = readers.model;
    let mut handles = LocationSet::default();
    for &id in calls {
        handles.extend(requests(model, id));
    }
    let mut kept: Vec<StatementId> = model.outline.all().collect();
    kept.retain(|id| readers.kept[id.0 as usize]);
    let mut grown = true;
    while grown {
        grown = false;
        for &id in &kept {
            let kind = &model.program.statement(id).kind;
            // Handles of type MPI_Request, or their integer values, are copied by assignment.
            if !matches!(kind, StatementKind::Assign { .. }) || !reads(readers, id, &handles) {
                continue;
            }
            for definition in &readers.control.effects(model, id).definitions {
                grown |= handles.insert(definition.location);
            }
        }
    }
    for id in kept {
        let is_branch = model.program.statement(id).kind.is_branch();
        if is_branch && reads(readers, id, &handles) {
            return true;
        }
    }
    false
}

fn reads(readers: &Readers, id: StatementId, handles: &LocationSet) -> bool {
    let effects = readers.control.effects(readers.model, id);
    if effects.touches_globals && handles.overlaps(readers.model.locations.kept_by_any()) {
        return true;
    }
    effects
        .uses
        .iter()
        .any(|&location| handles.contains(location))
}

/// Whether the slice reads message outputs of another call that waits for the requests that a call leaves pending.
pub(crate) fn are_outputs_read(readers: &Readers, call: StatementId) -> bool {
    for id in others(readers, call) {
        if completion_forms::completion_loop(readers, id).is_none()
            && readers.is_read(id, &outputs_of_messages(readers.model, id))
        {
            return true;
        }
    }
    false
}

/// Whether another call may have completed some of the requests of a completion loop: a call that returns which request
/// completed, and that is neither in a completion loop of its own nor in a polling loop.
pub(crate) fn are_completed_elsewhere(readers: &Readers, completion_loop: &CompletionLoop) -> bool {
    for id in others(readers, completion_loop.wait) {
        let Some((function, _)) = mpi_call(readers.model, id) else {
            continue;
        };
        if function.position(Role::Completion).is_some()
            && completion_forms::completion_loop(readers, id).is_none()
            && !polling_loops::is_poll(readers, id)
        {
            return true;
        }
    }
    false
}

/// The other kept calls that may complete one of the requests of a call.
fn others(readers: &Readers, call: StatementId) -> Vec<StatementId> {
    let model = readers.model;
    let own = requests(model, call);
    let mut found = Vec::new();
    for id in model.outline.all() {
        if id == call || !readers.kept[id.0 as usize] {
            continue;
        }
        let Some((function, _)) = mpi_call(model, id) else {
            continue;
        };
        let completes = matches!(function.kind, FunctionKind::Wait | FunctionKind::Test)
            && function.position(Role::Request).is_some();
        if !completes {
            continue;
        }
        let requests = requests(model, id);
        let may_be_same = may_be_any(model, &own)
            || may_be_any(model, &requests)
            || requests.iter().any(|location| own.contains(location));
        if may_be_same {
            found.push(id);
        }
    }
    found
}

/// Whether requests are not known, or dummies, which callers may associate with any request.
fn may_be_any(model: &Model, requests: &[LocationId]) -> bool {
    requests.is_empty()
        || requests
            .iter()
            .any(|&location| model.locations.get(location).dummy.is_some())
}

/// The locations of the requests (or of the matched message) in the arguments of a call.
fn requests(model: &Model, id: StatementId) -> Vec<LocationId> {
    let Some((function, arguments)) = mpi_call(model, id) else {
        return Vec::new();
    };
    // The message handle of MPI_Improbe is null, too, where there is no message.
    let role = if function.name == "MPI_Improbe" {
        Role::Result
    } else {
        Role::Request
    };
    let Some(handle) = argument(function, &arguments, role) else {
        return Vec::new();
    };
    let Some(designated) = references::designated(handle) else {
        return Vec::new();
    };
    match model.locations.at(designated) {
        Some(location) => model.locations.innermost(location),
        None => Vec::new(),
    }
}
