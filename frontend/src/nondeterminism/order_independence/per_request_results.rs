//! What of an iteration of a drain belongs to its own request: the answers, and of arrays of answers the element.
//! What may depend on it is in [`crate::nondeterminism::order_independence`].

use crate::effects::statement_effects::Via;
use crate::ir::references;
use crate::ir::{Expression, StatementId, StatementKind, VariableId};
use crate::memory::locations::LocationId;
use crate::nondeterminism::completion_loops::CompletionTest;
use crate::nondeterminism::mpi_outputs::{Readers, answered};
use crate::nondeterminism::order_independence::Body;
use crate::work::control_locations;

impl Body<'_, '_> {
    /// What the call answers, with the data of a message that may come from anybody; and of loops that end when
    /// all requests were told what counts them.
    pub(crate) fn answers(&self) -> Vec<(StatementId, LocationId)> {
        let Readers { model, control, .. } = *self.readers;
        let own = answered(model, self.completion_loop.wait)
            .into_iter()
            .map(|place| (self.completion_loop.wait, place));
        let counts = self
            .completion_loop
            .ending
            .iter()
            .chain([&self.completion_loop.each])
            .filter(|_| self.completion_loop.each != self.completion_loop.repeat);
        let counted = counts.flat_map(|&id| {
            control
                .effects(model, id)
                .definitions
                .iter()
                .map(move |d| (id, d.location))
        });
        let arrived = control
            .effects(model, self.completion_loop.wait)
            .definitions
            .iter()
            .filter(|d| {
                matches!(self.completion_loop.told, CompletionTest::Source { .. })
                    && matches!(d.via, Via::Payload(_))
            });
        own.chain(counted)
            .chain(arrived.map(|d| (self.completion_loop.wait, d.location)))
            .collect()
    }

    /// What a statement reads of answers only as the part that its own request has there.
    pub(crate) fn told(&self, id: StatementId) -> Vec<LocationId> {
        let model = self.readers.model;
        let CompletionTest::Element {
            indices,
            statuses,
            number,
        } = self.completion_loop.told
        else {
            return Vec::new();
        };
        let arrays: Vec<VariableId> = [Some(indices), statuses].into_iter().flatten().collect();
        let (mut numbers, mut others) = (0, 0);
        for expression in references::expressions(&model.program.statement(id).kind) {
            references::walk(expression, &mut |part| {
                let base = references::base(part);
                let is_covered = self.completion_loop.told.is_covered(model.program, part);
                numbers += i32::from(is_covered) - i32::from(base == Some(number));
                others += i32::from(!is_covered && base.is_some_and(|base| arrays.contains(&base)));
            });
        }
        let parts = |variable: VariableId| {
            let place = model.locations.of_variable(variable);
            place.map_or(vec![], |place| model.locations.innermost(place))
        };
        let is_by_wait = |place: &LocationId| {
            self.writers
                .get(place)
                .is_none_or(|w| w[..] == [self.completion_loop.wait])
        };
        let told: Vec<LocationId> = arrays.into_iter().flat_map(parts).collect();
        let is_covered = told.iter().all(is_by_wait);
        let told: Vec<LocationId> = told.into_iter().chain(parts(number)).collect();
        // A probe before it reads on its own account.
        let by_probe = self
            .readers
            .probed
            .get(&id)
            .is_some_and(|read| read.iter().any(|l| told.contains(l)));
        let by_called = control_locations::read_by_called(model, id);
        let is_read_otherwise = by_probe || told.iter().any(|&place| by_called.contains(place));
        if numbers == 0 && others == 0 && is_covered && !is_read_otherwise {
            told
        } else {
            Vec::new()
        }
    }

    /// Whether an expression of a statement is the number of the iteration's request: as the call answers it, or a
    /// variable that only gets it from there.
    pub(super) fn is_request(&self, id: StatementId, expression: &Expression) -> bool {
        let model = self.readers.model;
        let copies = |writer: &StatementId| {
            matches!(&model.program.statement(*writer).kind,
                StatementKind::Assign { target: Expression::Variable(_), value } if self.is_answer(*writer, value))
        };
        let is_copy = |place: LocationId| {
            let writers = self.writers.get(&place);
            writers.is_some_and(|writers| writers.iter().all(copies)) && self.is_pure_place(place)
        };
        self.is_answer(id, expression)
            || matches!(expression, Expression::Variable(v) if model.locations.of_variable(*v).is_some_and(is_copy))
    }

    /// Whether an expression of a statement is what the call answers of the iteration's request.
    fn is_answer(&self, id: StatementId, expression: &Expression) -> bool {
        let by_wait_alone = |index: VariableId| {
            self.readers
                .model
                .locations
                .of_variable(index)
                .is_some_and(|place| {
                    self.writers
                        .get(&place)
                        .is_some_and(|writers| writers[..] == [self.completion_loop.wait])
                        && self.is_pure_place(place)
                })
        };
        self.completion_loop
            .told
            .is_it(self.readers.model.program, expression)
            && match self.completion_loop.told {
                CompletionTest::Index(answer) | CompletionTest::Source { status: answer } => {
                    by_wait_alone(answer)
                }
                CompletionTest::Element { .. } => !self.told(id).is_empty(),
            }
    }
}
