//! Per-request results of a completion loop: the outputs of the MPI call (the elements of its output arrays, for calls
//! that complete several requests), which belong to the request that the iteration handles.
//! [`crate::nondeterminism::order_independence`] uses them.

use crate::dataflow::control_locations;
use crate::effects::statement_effects::Via;
use crate::ir::references;
use crate::ir::{Expression, StatementId, StatementKind, VariableId};
use crate::memory::location_id::LocationId;
use crate::nondeterminism::completion_loops::{CompletionLoop, CompletionTest};
use crate::nondeterminism::mpi_outputs::{Readers, output_locations};
use crate::nondeterminism::order_independence::Body;

impl Body<'_, '_> {
    /// Definitions that depend on the completed request: the outputs of the MPI call; the payload, for a receive from any
    /// source; and the counters of loops that end when all requests have completed.
    pub(crate) fn request_outputs(&self) -> Vec<(StatementId, LocationId)> {
        let Readers { model, control, .. } = *self.readers;
        let CompletionLoop {
            wait, repeat, each, ..
        } = *self.completion_loop;
        let mut outputs = Vec::new();
        for location in output_locations(model, wait) {
            outputs.push((wait, location));
        }
        // One call completes several requests there: the counters advance by a number that depends on timing.
        if each != repeat {
            for &id in self.completion_loop.ending.iter().chain([&each]) {
                for definition in &control.effects(model, id).definitions {
                    outputs.push((id, definition.location));
                }
            }
        }
        if matches!(self.completion_loop.test, CompletionTest::Source { .. }) {
            for definition in &control.effects(model, wait).definitions {
                if matches!(definition.via, Via::Payload(_)) {
                    outputs.push((wait, definition.location));
                }
            }
        }
        outputs
    }

    /// Output locations of which a statement reads only the element of its own request; empty if it may read another one.
    pub(crate) fn per_request_locations(&self, id: StatementId) -> Vec<LocationId> {
        let model = self.readers.model;
        let CompletionTest::Element {
            indices,
            statuses,
            number,
        } = self.completion_loop.test
        else {
            return Vec::new();
        };
        let mut arrays = vec![indices];
        arrays.extend(statuses);
        // Each element access contains its subscript `number`, so other reads of `number` make the balance negative.
        let mut balance = 0;
        let mut reads_other_elements = false;
        for expression in references::expressions(&model.program.statement(id).kind) {
            references::walk(expression, &mut |part| {
                let base = references::base(part);
                let is_own = self
                    .completion_loop
                    .test
                    .is_output_element(model.program, part);
                balance += i32::from(is_own) - i32::from(base == Some(number));
                if let Some(base) = base {
                    reads_other_elements |= !is_own && arrays.contains(&base);
                }
            });
        }
        if balance != 0 || reads_other_elements {
            return Vec::new();
        }
        let mut locations = Vec::new();
        for array in arrays {
            locations.extend(self.innermost(array));
        }
        for location in &locations {
            if self.is_written_beside_wait(*location) {
                return Vec::new();
            }
        }
        locations.extend(self.innermost(number));
        // Neither a probe before the statement nor a called procedure is restricted to the element.
        let by_callees = control_locations::read_by_called(model, id);
        let by_probe = self.readers.probed.get(&id);
        for location in &locations {
            let is_probed = by_probe.is_some_and(|read| read.contains(location));
            if is_probed || by_callees.contains(*location) {
                return Vec::new();
            }
        }
        locations
    }

    fn innermost(&self, variable: VariableId) -> Vec<LocationId> {
        let locations = &self.readers.model.locations;
        match locations.of_variable(variable) {
            Some(location) => locations.innermost(location),
            None => Vec::new(),
        }
    }

    fn is_written_beside_wait(&self, location: LocationId) -> bool {
        match self.writers.get(&location) {
            Some(writers) => writers[..] != [self.completion_loop.wait],
            None => false,
        }
    }

    /// Whether an expression of a statement is the number of the iteration's request: as the MPI call returns it, or a
    /// variable that is only ever copied from there.
    pub(super) fn is_request(&self, id: StatementId, expression: &Expression) -> bool {
        if self.is_request_output(id, expression) {
            return true;
        }
        let Expression::Variable(variable) = expression else {
            return false;
        };
        let Some(location) = self.readers.model.locations.of_variable(*variable) else {
            return false;
        };
        let Some(writers) = self.writers.get(&location) else {
            return false;
        };
        writers.iter().all(|&writer| self.copies_request(writer)) && self.is_pure_location(location)
    }

    fn copies_request(&self, writer: StatementId) -> bool {
        match &self.readers.model.program.statement(writer).kind {
            StatementKind::Assign {
                target: Expression::Variable(_),
                value,
            } => self.is_request_output(writer, value),
            _ => false,
        }
    }

    /// Whether an expression of a statement is the output of the MPI call that identifies the iteration's request.
    fn is_request_output(&self, id: StatementId, expression: &Expression) -> bool {
        let test = self.completion_loop.test;
        if !test.identifies_request(self.readers.model.program, expression) {
            return false;
        }
        match test {
            CompletionTest::Index(output) | CompletionTest::Source { status: output } => {
                self.is_written_by_wait_alone(output)
            }
            CompletionTest::Element { .. } => !self.per_request_locations(id).is_empty(),
        }
    }

    fn is_written_by_wait_alone(&self, variable: VariableId) -> bool {
        let Some(location) = self.readers.model.locations.of_variable(variable) else {
            return false;
        };
        self.writers.contains_key(&location)
            && !self.is_written_beside_wait(location)
            && self.is_pure_location(location)
    }
}
