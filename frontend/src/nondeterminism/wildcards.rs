//! Wildcard receives: receives and probes whose source may be `MPI_ANY_SOURCE`.
//!
//! The constant has a value of the MPI library's own, so a variable has this value only if it was copied from the name.
//! A forward may-analysis (lattice: sets of locations, ordered by inclusion) follows it through constants, assignments,
//! arguments and results to the least fixpoint, flow-insensitively and by whole locations. Whether the order of arrival
//! matters is in [`crate::nondeterminism::time_dependence`].

use crate::dataflow::loop_carried::read_by;
use crate::effects::model::Model;
use crate::effects::statement_effects::Via;
use crate::graphs::call_graph;
use crate::ir::references;
use crate::ir::{Callee, Expression, ProcedureId, StatementId, StatementKind, Storage};
use crate::memory::location_id::LocationSet;
use crate::nondeterminism::mpi_outputs::{argument, mpi_call};
use base_data::mpi::{FunctionKind, Role};

/// The wildcard that makes the matched message depend on timing. `MPI_ANY_TAG` does not: messages of one source do not
/// overtake each other.
const ANY: &str = "mpi_any_source";

/// Longest chain of constants that is followed; also ends the recursion where constants are defined by each other.
const MAX_DEPTH: u32 = 64;

/// The locations of a program that may contain a wildcard.
pub(crate) struct Wildcards<'a> {
    model: &'a Model<'a>,
    locations: LocationSet,
}

impl<'a> Wildcards<'a> {
    pub(crate) fn of(model: &'a Model<'a>) -> Self {
        let mut found = Wildcards {
            model,
            locations: LocationSet::default(),
        };
        let mut grown = true;
        while grown {
            grown = false;
            for id in model.outline.all() {
                grown |= found.statement(id);
            }
        }
        found
    }

    /// Whether a call may be a wildcard receive or a probe of any source.
    pub(crate) fn takes_first(&self, id: StatementId) -> bool {
        let Some((function, arguments)) = mpi_call(self.model, id) else {
            return false;
        };
        let matches_messages = matches!(
            function.kind,
            FunctionKind::Receive
                | FunctionKind::StartReceive
                | FunctionKind::SendReceive
                | FunctionKind::Probe
        );
        // Sends have a peer as well, but no wildcard is allowed there.
        match argument(function, &arguments, Role::Peer) {
            Some(peer) => matches_messages && self.may_be(peer),
            None => false,
        }
    }

    /// Whether the value of an expression may be a wildcard.
    fn may_be(&self, expression: &Expression) -> bool {
        for location in read_by(self.model, expression) {
            if self.locations.contains(location) {
                return true;
            }
        }
        for call in references::calls(expression) {
            if self.is_result(call.callee) {
                return true;
            }
        }
        self.names_any(expression, MAX_DEPTH)
    }

    /// Whether an expression names the wildcard, or a constant whose definition does.
    fn names_any(&self, expression: &Expression, deepest: u32) -> bool {
        for variable in references::variables(expression) {
            let variable = self.model.program.variable(variable);
            if variable.attributes.of_mpi && variable.name == ANY {
                return true;
            }
            if let Storage::Constant(Some(value)) = &variable.storage
                && deepest > 0
                && self.names_any(value, deepest - 1)
            {
                return true;
            }
        }
        false
    }

    /// Whether a function may return a wildcard.
    fn is_result(&self, callee: &Callee) -> bool {
        for target in self.model.calls.targets(callee) {
            for part in self.model.results(target) {
                if self.locations.contains(part) {
                    return true;
                }
            }
        }
        false
    }

    /// The transfer function of a statement; whether any location is new.
    fn statement(&mut self, id: StatementId) -> bool {
        let kind = &self.model.program.statement(id).kind;
        // Arithmetic on the constant would not yield a wildcard any more; its result still counts
        // as one, which is the safe side.
        let is_assigned = matches!(kind, StatementKind::Assign { value, .. } if self.may_be(value));
        let mut grown = false;
        for definition in &self.model.effects.of_statement(id).definitions {
            // Assumed: programs do not send the constant in a message.
            let reached = match definition.via {
                Via::Own => is_assigned,
                Via::Dummy(_, dummy) => self.locations.contains(dummy),
                Via::Payload(_) | Via::Envelope => false,
            };
            grown |= reached && self.locations.insert(definition.location);
        }
        for call in call_graph::calls(kind) {
            for (position, given) in call.arguments.iter().enumerate() {
                if !given.is_some_and(|given| self.may_be(given)) {
                    continue;
                }
                for target in self.model.calls.targets(call.callee) {
                    grown |= self.dummy(target, position);
                }
            }
        }
        grown
    }

    /// The dummy at a position may be a wildcard; whether that is new.
    fn dummy(&mut self, procedure: ProcedureId, position: usize) -> bool {
        let model = self.model;
        let dummies = &model.program.procedure(procedure).dummies;
        let Some(Some(variable)) = dummies.get(position) else {
            return false;
        };
        let mut grown = false;
        for part in model.locations.innermost_of(*variable) {
            grown |= self.locations.insert(part);
        }
        grown
    }
}
