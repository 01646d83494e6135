//! What calls of MPI answer (which requests completed, whether a message is there, what it was), and who in the
//! slice reads that. What follows from it is in [`crate::nondeterminism::time_dependence`].

use crate::dataflow::control::Control;
use crate::dataflow::loop_carried::{passed, read_by};
use crate::effects::message_levels::Needed;
use crate::effects::model::Model;
use crate::effects::statement_effects::Via;
use crate::graphs::call_graph;
use crate::graphs::control_flow_graph::CfgNode;
use crate::ir::{Callee, Expression, ProcedureId, StatementId, StatementKind, Variable};
use crate::memory::locations::{LocationId, LocationSet};
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
    /// Statements that stay, and those that probes stand before, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = StatementId> + 'a {
        let Readers { kept, probed, .. } = *self;
        self.model
            .outline
            .all()
            .filter(move |id| kept[id.0 as usize] || probed.contains_key(id))
    }

    /// All that a statement reads, if it stays, hands to those it calls, and that the probe before it reads.
    pub(crate) fn read_at(&self, id: StatementId) -> Vec<LocationId> {
        let mut read: Vec<LocationId> = self
            .probed
            .get(&id)
            .into_iter()
            .flatten()
            .copied()
            .collect();
        if self.kept[id.0 as usize] {
            let effects = self.control.effects(self.model, id);
            let sent = effects
                .sends
                .iter()
                .filter(|(class, _)| self.needed.payload.contains(class));
            read.extend(effects.uses.iter().copied());
            read.extend(sent.map(|&(_, location)| location));
            read.extend(
                effects
                    .calls
                    .iter()
                    .flat_map(|call| passed(self.model, call)),
            );
            read.extend(
                effects
                    .touches_globals
                    .then_some(&self.model.effects.globals)
                    .into_iter()
                    .flat_map(LocationSet::iter),
            );
        }
        read
    }

    /// Whether a place may hold what one statement wrote to it when another reads it.
    pub(crate) fn reaches(
        &self,
        writer: StatementId,
        location: LocationId,
        reader: StatementId,
    ) -> bool {
        if !self.model.followed[location.index()] {
            return true;
        }
        let procedure = |id: StatementId| self.model.program.statement(id).procedure;
        let reaching = &self.control.reaching[procedure(reader).0 as usize];
        procedure(writer) == procedure(reader)
            && reaching
                .definitions(location, CfgNode::Statement(reader))
                .is_none_or(|definitions| definitions.contains(&CfgNode::Statement(writer)))
    }

    /// Whether anything reads one of some places as a statement wrote them; bounds of arrays, too.
    pub(crate) fn is_read(&self, writer: StatementId, places: &[LocationId]) -> bool {
        let handed = self.handed_out(places);
        let written = places
            .iter()
            .map(|&place| (writer, place))
            .chain(handed.written);
        let written: Vec<(StatementId, LocationId)> = written.collect();
        handed.is_used || self.is_any_read(&written) || self.shapes_read(places)
    }

    /// Whether anything reads one of some places as a statement wrote it.
    pub(crate) fn is_any_read(&self, written: &[(StatementId, LocationId)]) -> bool {
        self.all().any(|reader| {
            let read = self.read_at(reader);
            let reads = |(writer, place): &(StatementId, LocationId)| {
                read.contains(place) && self.reaches(*writer, *place, reader)
            };
            written.iter().any(reads)
        })
    }

    /// What callers get of places that procedures write, through arguments and results.
    pub(crate) fn handed_out(&self, places: &[LocationId]) -> HandedOutRequests {
        let mut known: LocationSet = places.iter().copied().collect();
        let mut handed = HandedOutRequests::default();
        let mut grown = true;
        while grown {
            grown = false;
            for id in self
                .model
                .outline
                .all()
                .filter(|id| self.kept[id.0 as usize])
            {
                for place in self.got_from_callees(id, &known, &mut handed.is_used) {
                    if !handed.written.contains(&(id, place)) {
                        handed.written.push((id, place));
                        known.insert(place);
                        grown = true;
                    }
                }
            }
        }
        handed
    }

    /// The places of a statement that get what those it calls leave in known places; `is_used` if it uses a
    /// result otherwise than to assign it.
    fn got_from_callees(
        &self,
        id: StatementId,
        known: &LocationSet,
        is_used: &mut bool,
    ) -> Vec<LocationId> {
        let Readers { model, control, .. } = *self;
        let effects = control.effects(model, id);
        let is_result = |target: &ProcedureId| {
            model
                .results(*target)
                .into_iter()
                .any(|part| known.contains(part))
        };
        let gets_result = effects
            .calls
            .iter()
            .any(|call| call.is_function() && is_result(&call.target));
        let is_assigned = matches!(
            model.program.statement(id).kind,
            StatementKind::Assign { .. }
        );
        *is_used |= gets_result && !is_assigned;
        let gets = |via: Via| match via {
            Via::Dummy(_, dummy) => known.contains(dummy),
            Via::Own => gets_result && is_assigned,
            Via::Payload(_) | Via::Envelope => false,
        };
        effects
            .definitions
            .iter()
            .filter(|d| gets(d.via))
            .map(|d| d.location)
            .collect()
    }

    /// Whether bounds of arrays or lengths of texts depend on one of some places.
    pub(crate) fn shapes_read(&self, places: &[LocationId]) -> bool {
        let mut bounds = self
            .model
            .program
            .variables
            .iter()
            .flat_map(Variable::specification);
        bounds.any(|bound| {
            read_by(self.model, bound)
                .iter()
                .any(|read| places.contains(read))
        })
    }
}

/// What callers get of what procedures write.
#[derive(Clone, Debug, Default)]
pub(crate) struct HandedOutRequests {
    /// Calls, and the places that they leave it in.
    pub(crate) written: Vec<(StatementId, LocationId)>,
    /// Whether something uses it as the result of a function.
    pub(crate) is_used: bool,
}

/// The call of MPI that a statement is.
pub(crate) fn mpi_call<'a>(
    model: &Model<'a>,
    id: StatementId,
) -> Option<(&'static Function, Vec<Option<&'a Expression>>)> {
    let program = model.program;
    call_graph::calls(&program.statement(id).kind)
        .into_iter()
        .find_map(|call| match call.callee {
            Callee::Mpi(function) => Some((*function, call.arguments)),
            Callee::Procedure(_)
            | Callee::UnknownMpi(_)
            | Callee::Intrinsic(_)
            | Callee::External(_)
            | Callee::Variable(_)
            | Callee::OneOf(_) => None,
        })
}

/// The argument of a call that has a role.
pub(crate) fn argument<'a>(
    function: &Function,
    arguments: &[Option<&'a Expression>],
    role: Role,
) -> Option<&'a Expression> {
    arguments.get(function.position(role)?).copied().flatten()
}

/// The places to which a call writes what it tells of messages: source, tag, count, completion.
pub(crate) fn answered(model: &Model, id: StatementId) -> Vec<LocationId> {
    let definitions = &model.effects.of_statement(id).definitions;
    definitions
        .iter()
        .filter(|d| d.via == Via::Envelope)
        .map(|d| d.location)
        .collect()
}

/// The same, only source, tag and count.
pub(crate) fn outputs_of_messages(model: &Model, id: StatementId) -> Vec<LocationId> {
    let Some((function, arguments)) = mpi_call(model, id) else {
        return Vec::new();
    };
    let status = argument(function, &arguments, Role::Status);
    let places = status.map_or(vec![], |status| read_by(model, status));
    answered(model, id)
        .into_iter()
        .filter(|place| places.contains(place))
        .collect()
}
