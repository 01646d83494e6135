//! Effects of one statement: its reads, writes and calls, as values that [`crate::effects::effect_collector`] collects. Effects
//! that depend on the liveness level of messages (buffers, statuses) are marked; [`crate::slice::slicer`] resolves them.

use crate::effects::message_class::MessageClass;
use crate::ir::ProcedureId;
use crate::memory::location_id::LocationId;
use crate::memory::locations::Locations;
use std::ops::Range;

/// What a statement does, if it stays in the slice.
#[derive(Clone, Debug, Default)]
pub(crate) struct StatementEffects {
    /// Read to run it at all.
    pub(crate) uses: Vec<LocationId>,
    /// Named by it: must exist.
    pub(crate) mentions: Vec<LocationId>,
    /// What each condition of an IF with several reads and calls; empty for others.
    pub(crate) conditions: Vec<ConditionEffects>,
    /// What of `uses` is read for its calls alone, and what for its value; `None`: all belongs together.
    pub(crate) apart: Option<Apart>,
    /// Written by it: by itself, and of what it passes by those it calls. What they write beside that is in
    /// [`crate::effects::program_effects::Effects::written_indirectly`].
    pub(crate) definitions: Vec<Definition>,
    /// Calls of procedures of the program.
    pub(crate) calls: Vec<CallEffects>,
    /// Message data that leave it: read if messages of the class are delivered.
    pub(crate) sends: Vec<(MessageClass, LocationId)>,
    /// The messages of the MPI call that it is.
    pub(crate) class: MessageClass,
    /// Whether it calls a procedure without source, which may read and write all of [`Locations::within_reach`].
    pub(crate) touches_globals: bool,
    /// Whether it calls a confined procedure: it may communicate, but reads and writes only what is listed.
    pub(crate) calls_confined: bool,
}

impl StatementEffects {
    /// Whether it calls code without source that may communicate: what it computes is not known from what it reads.
    pub(crate) fn is_unseen(&self) -> bool {
        self.touches_globals || self.calls_confined
    }
}

/// What a statement reads, in two parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Apart {
    /// Read to make its calls: where arguments are, and what could end the run if it were not as it should be.
    pub(crate) for_calls: Vec<LocationId>,
    /// Read besides to make its value, but for what callees read of their arguments.
    pub(crate) for_value: Vec<LocationId>,
    /// Components of the target, each with the component of the value that it is a copy of: it depends on no other.
    pub(crate) copies: Vec<(LocationId, LocationId)>,
}

impl Apart {
    /// What a component of the target is a copy of.
    pub(crate) fn copied_to(&self, component: LocationId) -> Option<LocationId> {
        let (_, source) = self
            .copies
            .iter()
            .find(|(target, _)| *target == component)?;
        Some(*source)
    }
}

/// What one of the conditions of an IF does, as parts of what the statement does.
#[derive(Clone, Debug)]
pub(crate) struct ConditionEffects {
    /// Of [`StatementEffects::uses`].
    pub(crate) uses: Range<usize>,
    /// Of [`StatementEffects::mentions`].
    pub(crate) mentions: Range<usize>,
    /// Of [`StatementEffects::calls`].
    pub(crate) calls: Range<usize>,
}

/// A place that a statement writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    /// The place.
    pub(crate) location: LocationId,
    /// Whether it writes all of it whenever it runs.
    pub(crate) certain: bool,
    /// How.
    pub(crate) via: Via,
}

/// How a statement writes a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    /// Itself.
    Own,
    /// A callee writes this dummy of its own (or its existence).
    Dummy(ProcedureId, LocationId),
    /// With message data that arrive.
    Payload(MessageClass),
    /// With the source, tag, count or completion of a message.
    Envelope,
}

/// Who writes what the calling statement does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum IndirectEffect {
    /// A procedure of the program.
    Procedure(ProcedureId),
    /// Any procedure without source.
    WithoutSource,
}

/// A call of a procedure of the program.
#[derive(Clone, Debug)]
pub(crate) struct CallEffects {
    /// Whom it may reach.
    pub(crate) target: ProcedureId,
    /// By position: what the callee reads when it reads the dummy; `None` for a variable or a part of one, where
    /// that is at the place.
    pub(crate) values: Vec<Option<Vec<LocationId>>>,
    /// By position: the place the dummy stands for.
    pub(crate) references: Vec<Option<LocationId>>,
    /// What its value is for.
    pub(crate) answer: Answer,
}

/// What the value of a call is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It has none: a CALL.
    None,
    /// For the statement to run at all.
    ForRunning,
    /// For the value that the statement makes, and nothing else.
    ForValue,
}

impl CallEffects {
    /// Whether it stands in an expression.
    pub(crate) fn is_function(&self) -> bool {
        self.answer != Answer::None
    }

    /// The caller's places for a place of the callee's summary: the actuals of a dummy, otherwise
    /// the place itself. What is written can only be a place; what is read may be an expression's.
    pub(crate) fn seen_by_caller(
        &self,
        location: LocationId,
        locations: &Locations,
        written: bool,
    ) -> Vec<LocationId> {
        let place = locations.get(location);
        // Everything but the callee's own dummies (globals, variables of the host) is the same
        // location in the caller.
        let (Some(position), true) = (place.dummy, place.frame == Some(self.target)) else {
            return vec![location];
        };
        let reference = self.references.get(position as usize).copied().flatten();
        if locations.is_existence(location) {
            let dummy = locations.value(location);
            return reference.map_or(vec![], |actual| {
                locations.corresponding_existences(dummy, actual)
            });
        }
        let at_place = |actual| locations.innermost(locations.corresponding(location, actual));
        match self.values.get(position as usize) {
            Some(Some(values)) if !written => values.clone(),
            _ => reference.map_or(vec![], at_place),
        }
    }
}
