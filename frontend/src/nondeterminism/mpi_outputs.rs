//! MPI output values (indices of completed requests, flags, statuses) and their uses in the slice: which statements read
//! them, directly, through arguments and results of procedures, or in array bounds. The consequences are in
//! [`crate::nondeterminism::time_dependence`].

use crate::dataflow::control::Control;
use crate::dataflow::loop_carried::{passed, read_by};
use crate::effects::message_levels::Needed;
use crate::effects::model::Model;
use crate::effects::statement_effects::Via;
use crate::graphs::call_graph;
use crate::graphs::control_flow_graph::CfgNode;
use crate::ir::{Callee, Expression, StatementId, StatementKind};
use crate::memory::location_id::{LocationId, LocationSet};
use base_data::mpi::{Function, Role};
use std::collections::BTreeMap;

/// A slice, as far as reading goes.
#[derive(Clone, Copy)]
pub(crate) struct Readers<'a> {
    pub(crate) model: &'a Model<'a>,
    pub(crate) control: &'a Control,
    /// Whether each statement stays; index = statement id.
    pub(crate) kept: &'a [bool],
    /// Which messages are needed.
    pub(crate) needed: &'a Needed,
    /// The first statement of each compute block, with what the probe before it reads.
    pub(crate) probed: &'a BTreeMap<StatementId, Vec<LocationId>>,
}

impl<'a> Readers<'a> {
    /// Kept statements, and those with a probe before them, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = StatementId> + 'a {
        let Readers { kept, probed, .. } = *self;
        self.model
            .outline
            .all()
            .filter(move |id| kept[id.0 as usize] || probed.contains_key(id))
    }

    /// All locations that a statement reads or passes to its callees, if it is kept, and those that the probe before it
    /// reads.
    pub(crate) fn read_at(&self, id: StatementId) -> Vec<LocationId> {
        let mut read = match self.probed.get(&id) {
            Some(by_probe) => by_probe.clone(),
            None => Vec::new(),
        };
        if !self.kept[id.0 as usize] {
            return read;
        }
        let effects = self.control.effects(self.model, id);
        read.extend(&effects.uses);
        // The sent data matter only where a receiver needs the payload.
        for (class, location) in &effects.sends {
            if self.needed.reads_sent(*class) {
                read.push(*location);
            }
        }
        for call in &effects.calls {
            read.extend(passed(self.model, call));
        }
        if effects.touches_globals {
            read.extend(self.model.effects.within_reach.iter());
        }
        read
    }

    /// Whether a definition by `writer` may reach `reader`. Without reaching definitions (the location is not followed, or
    /// the statements belong to different procedures) the result is conservatively yes for the former, and no for the latter:
    /// values enter a procedure through dummies, COMMON blocks and modules, which have definitions of their own there.
    pub(crate) fn reaches(
        &self,
        writer: StatementId,
        location: LocationId,
        reader: StatementId,
    ) -> bool {
        if !self.model.followed[location.index()] {
            return true;
        }
        let procedure = self.model.program.statement(reader).procedure;
        if self.model.program.statement(writer).procedure != procedure {
            return false;
        }
        let reaching = &self.control.reaching[procedure.0 as usize];
        match reaching.definitions(location, CfgNode::Statement(reader)) {
            Some(definitions) => definitions.contains(&CfgNode::Statement(writer)),
            None => true,
        }
    }

    /// Whether the slice reads one of some locations as a statement wrote them, array bounds included.
    pub(crate) fn is_read(&self, writer: StatementId, locations: &[LocationId]) -> bool {
        let mut handed = self.handed_out(locations);
        if handed.is_used {
            return true;
        }
        for &location in locations {
            handed.written.push((writer, location));
        }
        // Bounds belong to declarations: no statement reads them.
        self.is_any_read(&handed.written) || self.shapes_read(locations)
    }

    /// Whether the slice reads one of some definitions.
    pub(crate) fn is_any_read(&self, written: &[(StatementId, LocationId)]) -> bool {
        for reader in self.all() {
            let read = self.read_at(reader);
            for &(writer, location) in written {
                if read.contains(&location) && self.reaches(writer, location, reader) {
                    return true;
                }
            }
        }
        false
    }

    /// The definitions in callers of values that procedures leave in some locations, through arguments and results. The
    /// least fixpoint over all kept calls.
    pub(crate) fn handed_out(&self, locations: &[LocationId]) -> PassedToCallers {
        let mut known: LocationSet = locations.iter().copied().collect();
        let mut handed = PassedToCallers::default();
        let mut grown = true;
        while grown {
            grown = false;
            for id in self.model.outline.all() {
                if !self.kept[id.0 as usize] {
                    continue;
                }
                for location in self.got_from_callees(id, &known, &mut handed.is_used) {
                    if !handed.written.contains(&(id, location)) {
                        handed.written.push((id, location));
                        known.insert(location);
                        grown = true;
                    }
                }
            }
        }
        handed
    }

    /// The locations of a statement that receive what its callees leave in known locations; sets `is_used` if the
    /// statement uses a function result otherwise than to assign it.
    fn got_from_callees(
        &self,
        id: StatementId,
        known: &LocationSet,
        is_used: &mut bool,
    ) -> Vec<LocationId> {
        let Readers { model, control, .. } = *self;
        let effects = control.effects(model, id);
        let mut gets_result = false;
        for call in &effects.calls {
            if call.is_function() {
                let results = model.results(call.target);
                gets_result |= results.into_iter().any(|part| known.contains(part));
            }
        }
        let kind = &model.program.statement(id).kind;
        let is_assigned = matches!(kind, StatementKind::Assign { .. });
        // A branch on the result, for example: no location shows it.
        *is_used |= gets_result && !is_assigned;
        let mut found = Vec::new();
        for definition in &effects.definitions {
            let gets = match definition.via {
                Via::Dummy(_, dummy) => known.contains(dummy),
                Via::Own => gets_result && is_assigned,
                Via::Payload(_) | Via::Envelope => false,
            };
            if gets {
                found.push(definition.location);
            }
        }
        found
    }

    /// Whether bounds of arrays or lengths of character variables depend on one of some locations.
    pub(crate) fn shapes_read(&self, locations: &[LocationId]) -> bool {
        for variable in &self.model.program.variables {
            for bound in variable.specification() {
                let read = read_by(self.model, bound);
                if read.iter().any(|one| locations.contains(one)) {
                    return true;
                }
            }
        }
        false
    }
}

/// What callers receive of values that procedures write.
#[derive(Clone, Debug, Default)]
pub(crate) struct PassedToCallers {
    /// Calls, and the locations in which they leave the values.
    pub(crate) written: Vec<(StatementId, LocationId)>,
    /// Whether a statement uses one as the result of a function.
    pub(crate) is_used: bool,
}

/// The MPI call in a statement, if there is one.
pub(crate) fn mpi_call<'a>(
    model: &Model<'a>,
    id: StatementId,
) -> Option<(&'static Function, Vec<Option<&'a Expression>>)> {
    for call in call_graph::calls(&model.program.statement(id).kind) {
        if let Callee::Mpi(function) = call.callee {
            return Some((*function, call.arguments));
        }
    }
    None
}

/// The argument of a call that has a role.
pub(crate) fn argument<'a>(
    function: &Function,
    arguments: &[Option<&'a Expression>],
    role: Role,
) -> Option<&'a Expression> {
    arguments.get(function.position(role)?).copied().flatten()
}

/// The locations to which a call writes its envelope outputs: source, tag, count, completion.
pub(crate) fn output_locations(model: &Model, id: StatementId) -> Vec<LocationId> {
    let mut found = Vec::new();
    for definition in &model.effects.of_statement(id).definitions {
        if definition.via == Via::Envelope {
            found.push(definition.location);
        }
    }
    found
}

/// The same without completion: source, tag and count.
pub(crate) fn outputs_of_messages(model: &Model, id: StatementId) -> Vec<LocationId> {
    let Some((function, arguments)) = mpi_call(model, id) else {
        return Vec::new();
    };
    let Some(status) = argument(function, &arguments, Role::Status) else {
        return Vec::new();
    };
    let in_status = read_by(model, status);
    let mut outputs = output_locations(model, id);
    outputs.retain(|location| in_status.contains(location));
    outputs
}
