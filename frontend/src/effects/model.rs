//! The model: the program with its abstract locations and effects, and which locations reaching definitions follow. Every
//! later analysis reads it.

use crate::effects::message_class::MessageClass;
use crate::effects::program_effects::Effects;
use crate::effects::statement_effects::{Definition, IndirectEffect, Via};
use crate::effects::{aliased_dummies, entered_procedures};
use crate::expressions::own_costs::OwnCosts;
use crate::graphs::call_graph::CallGraph;
use crate::ir::bit_set::BitSet;
use crate::ir::rules::{Rule, holds};
use crate::ir::statement_tree::Outline;
use crate::ir::{
    ProcedureId, ProcedureKind, Program, StatementId, StatementKind, Storage, VariableId,
};
use crate::memory::location_id::{LocationId, LocationSet};
use crate::memory::locations::Locations;

/// What a slice is computed from.
pub(crate) struct Model<'a> {
    pub(crate) program: &'a Program,
    pub(crate) outline: Outline,
    pub(crate) calls: CallGraph,
    pub(crate) locations: Locations,
    pub(crate) effects: Effects,
    /// Whether a run may enter each procedure; index = procedure id.
    entered: Vec<bool>,
    /// Static costs of statements themselves.
    pub(crate) own_costs: OwnCosts,
    /// First line of each statement, for reasons.
    pub(crate) lines: Vec<u32>,
    /// Whether reaching definitions cover all accesses of a location; index = location.
    pub(crate) followed: Vec<bool>,
    /// The statements that write each location by name, and how; index = location.
    pub(crate) writers: Vec<Vec<(StatementId, Definition)>>,
    /// The locations that some statement itself certainly writes as a whole: arrays are not among them.
    pub(crate) certainly_written: LocationSet,
    /// The variables that each procedure declares; index = procedure id.
    pub(crate) own_variables: Vec<Vec<VariableId>>,
    /// The variables that each place is known by; index = location.
    pub(crate) known_as: Vec<Vec<VariableId>>,
    /// Dummies that may be one with others, or with what their procedures name themselves; and their parts.
    pub(crate) aliased: BitSet,
}

impl<'a> Model<'a> {
    /// `precise`: follow private scalars by reaching definitions.
    pub(crate) fn new(
        program: &'a Program,
        outline: Outline,
        calls: CallGraph,
        locations: Locations,
        lines: Vec<u32>,
        precise: bool,
    ) -> Self {
        let effects = Effects::of(program, &outline, &calls, &locations);
        let mut writers = vec![Vec::new(); 2 * locations.count()];
        let mut certainly_written = LocationSet::default();
        for id in outline.all() {
            for &definition in &effects.of_statement(id).definitions {
                writers[definition.location.index()].push((id, definition));
                if definition.certain && definition.via == Via::Own {
                    certainly_written.insert(definition.location);
                }
            }
        }
        let (mut own_variables, mut known_as) = (
            vec![Vec::new(); program.procedures.len()],
            vec![Vec::new(); writers.len()],
        );
        for (i, variable) in program.variables.iter().enumerate() {
            let id = VariableId(i as u32);
            if let Some(owner) = variable.owner {
                own_variables[owner.0 as usize].push(id);
            }
            if let Some(location) = locations.of_variable(id) {
                known_as[location.index()].push(id);
            }
        }
        let entered = entered_procedures::find(program, &outline, &calls, &effects);
        let mut model = Model {
            program,
            outline,
            calls,
            locations,
            effects,
            entered,
            own_costs: OwnCosts::of(program),
            lines,
            followed: Vec::new(),
            writers,
            certainly_written,
            own_variables,
            known_as,
            aliased: BitSet::default(),
        };
        // In this order: `followed` leaves out aliased dummies.
        model.aliased =
            aliased_dummies::find(program, &model.outline, &model.locations, &model.effects);
        model.followed = if precise {
            followed(&model)
        } else {
            vec![false; 2 * model.locations.count()]
        };
        model
    }

    /// Whether a run may enter a procedure.
    pub(crate) fn may_enter(&self, procedure: ProcedureId) -> bool {
        self.entered[procedure.0 as usize]
    }

    /// Whether any statement writes a place, or code without source that has kept its address.
    pub(crate) fn is_written(&self, location: LocationId) -> bool {
        !self.writers[location.index()].is_empty() || self.is_kept(location)
    }

    /// Whether code without source that the program calls may have kept the address of a place: each such call may read and write
    /// it.
    pub(crate) fn is_kept(&self, location: LocationId) -> bool {
        let calls = self.effects.callers(IndirectEffect::WithoutSource);
        !calls.is_empty() && self.locations.kept_by_any().contains(location)
    }

    /// The innermost places of what a function answers; none of a subroutine.
    pub(crate) fn results(&self, procedure: ProcedureId) -> Vec<LocationId> {
        let result = self.program.procedure(procedure).result;
        result.map_or(Vec::new(), |variable| self.locations.innermost_of(variable))
    }
}

/// The locations of which reaching definitions know every access: scalars that live in one call of one
/// procedure (or in the main program), have no alias, and are not the buffer of a message that may
/// arrive later.
fn followed(model: &Model) -> Vec<bool> {
    let mut followed = vec![false; 2 * model.locations.count()];
    for (i, variable) in model.program.variables.iter().enumerate() {
        let Some(location) = model.locations.of_variable(VariableId(i as u32)) else {
            continue;
        };
        let place = model.locations.get(location);
        let (mut is_main, mut is_opaque) = (false, false);
        if let Some(owner) = variable.owner {
            let owner = model.program.procedure(owner);
            is_main = owner.kind == ProcedureKind::Main;
            is_opaque = owner.is_whole;
        }
        // The main program runs once, so that its saved variables live in one call.
        let once = is_main || !holds(Rule::SavedStays);
        // A location that outlives the call may be written between two calls, which no definition
        // shows.
        let in_frame =
            place.frame.is_some() || (once && matches!(variable.storage, Storage::Static));
        let scalar = !place.is_array || !holds(Rule::PartsLeaveTheRest);
        followed[location.index()] = in_frame && place.is_private && scalar && !is_opaque;
    }
    let is_late = |class: &MessageClass| matches!(class, MessageClass::PointToPoint(_));
    for id in model.outline.all() {
        let effects = model.effects.of_statement(id);
        for (class, location) in &effects.sends {
            if is_late(class) {
                followed[location.index()] = false;
            }
        }
        for definition in &effects.definitions {
            // A nonblocking receive defines its buffer at any point up to its completion (MPI 4.1, 3.7.2).
            if let Via::Payload(class) = &definition.via
                && is_late(class)
            {
                followed[definition.location.index()] = false;
            }
        }
    }
    for number in model.aliased.iter() {
        followed[number] = false;
    }
    for location in model.locations.kept_by_any().iter() {
        // Code without source that has kept the address may be called by a procedure of the program. Its call names no place, so
        // no definition and no use shows the access.
        if model.effects.is_written_in_a_called_procedure(location) {
            followed[location.index()] = false;
        }
    }
    followed
}

/// Whether a write by this way counts, as far as the rules hold.
pub(crate) fn is_written(model: &Model, statement: StatementId, via: Via) -> bool {
    match via {
        Via::Own | Via::Payload(MessageClass::None) => true,
        Via::Envelope => holds(Rule::StatusesTell),
        Via::Dummy(..) => holds(Rule::DummiesAreWritten) && functions_write(model, statement),
        Via::Payload(MessageClass::PointToPoint(_)) => holds(Rule::MessagesCarry),
        Via::Payload(MessageClass::Collective(..)) => holds(Rule::CollectivesCarry),
    }
}

/// Whether the callees of a statement write: a CALL always, functions as far as the rule holds.
pub(crate) fn functions_write(model: &Model, statement: StatementId) -> bool {
    let is_call = matches!(
        model.program.statement(statement).kind,
        StatementKind::Call { .. }
    );
    is_call || holds(Rule::FunctionsWrite)
}
