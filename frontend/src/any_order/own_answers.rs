//! What of an iteration of a drain belongs to its own request: the answers, and of arrays of answers the element.
//! What may hang on it is in [`crate::any_order`].

use crate::answers::{Readers, answered};
use crate::any_order::Body;
use crate::deciding_places;
use crate::drains::Told;
use crate::effects::Via;
use crate::ir::{Expression, StatementId, StatementKind, VariableId};
use crate::locations::LocationId;
use crate::references;

impl Body<'_, '_> {
    /// What the call answers, with the data of a message that may come from anybody; and of loops that end when
    /// all requests were told what counts them.
    pub(crate) fn answers(&self) -> Vec<(StatementId, LocationId)> {
        let Readers { model, control, .. } = *self.readers;
        let own = answered(model, self.drain.wait).into_iter().map(|place| (self.drain.wait, place));
        let counts = self
            .drain
            .ending
            .iter()
            .chain([&self.drain.each])
            .filter(|_| self.drain.each != self.drain.repeat);
        let counted = counts
            .flat_map(|&id| control.effects(model, id).definitions.iter().map(move |d| (id, d.location)));
        let arrived =
            control.effects(model, self.drain.wait).definitions.iter().filter(|d| {
                matches!(self.drain.told, Told::Source { .. }) && matches!(d.via, Via::Payload(_))
            });
        own.chain(counted).chain(arrived.map(|d| (self.drain.wait, d.location))).collect()
    }

    /// What a statement reads of answers only as the part that its own request has there.
    pub(crate) fn told(&self, id: StatementId) -> Vec<LocationId> {
        let model = self.readers.model;
        let Told::Element { indices, statuses, number } = self.drain.told else { return Vec::new() };
        let arrays: Vec<VariableId> = [Some(indices), statuses].into_iter().flatten().collect();
        let (mut numbers, mut others) = (0, 0);
        for expression in references::expressions(&model.program.statement(id).kind) {
            references::walk(expression, &mut |part| {
                let base = references::base(part);
                let is_told = self.drain.told.is_told(model.program, part);
                numbers += i32::from(is_told) - i32::from(base == Some(number));
                others += i32::from(!is_told && base.is_some_and(|base| arrays.contains(&base)));
            });
        }
        let parts = |variable: VariableId| {
            let place = model.locations.of_variable(variable);
            place.map_or(vec![], |place| model.locations.innermost(place))
        };
        let is_by_wait =
            |place: &LocationId| self.writers.get(place).is_none_or(|w| w[..] == [self.drain.wait]);
        let told: Vec<LocationId> = arrays.into_iter().flat_map(parts).collect();
        let is_told = told.iter().all(is_by_wait);
        let told: Vec<LocationId> = told.into_iter().chain(parts(number)).collect();
        // A probe before it reads on its own account.
        let by_probe = self.readers.probed.get(&id).is_some_and(|read| read.iter().any(|l| told.contains(l)));
        let by_called = deciding_places::read_by_called(model, id);
        let is_read_otherwise = by_probe || told.iter().any(|&place| by_called.contains(place));
        if numbers == 0 && others == 0 && is_told && !is_read_otherwise { told } else { Vec::new() }
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
            self.readers.model.locations.of_variable(index).is_some_and(|place| {
                self.writers.get(&place).is_some_and(|writers| writers[..] == [self.drain.wait])
                    && self.is_pure_place(place)
            })
        };
        self.drain.told.is_it(self.readers.model.program, expression)
            && match self.drain.told {
                Told::Index(answer) | Told::Source { status: answer } => by_wait_alone(answer),
                Told::Element { .. } => !self.told(id).is_empty(),
            }
    }
}
