//! Finalizers: implicit calls of FINAL procedures when an object is deallocated, assigned to or passed for an INTENT(OUT)
//! dummy, and when its procedure or BLOCK ends (Fortran 2018, 7.5.6.3). Each is modelled as a call with the object as
//! its argument.

use crate::effects::effect_collector::EffectCollector;
use crate::effects::statement_effects::{Answer, CallEffects};
use crate::ir::references::{self, Designated};
use crate::ir::{Expression, ProcedureId};
use crate::memory::location_id::LocationId;

impl EffectCollector<'_> {
    /// The object that an expression is ends, or gets another value.
    pub(crate) fn finalise(&mut self, object: &Expression) {
        let path = match object {
            Expression::Reference { path, .. } => &path[..],
            Expression::Integer(_)
            | Expression::Literal(_)
            | Expression::Variable(_)
            | Expression::Call { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Other(_) => &[],
        };
        let Some(base) = references::base(object) else {
            return;
        };
        let finals = self
            .program
            .finals_of(&self.program.type_of_part(base, path));
        self.run_finals(finals, self.locations.at(Designated { base, path }));
    }

    /// What ends with a call: the procedure's own objects, and what INTENT(OUT) actuals were before.
    pub(crate) fn finalise_around(&mut self, target: ProcedureId, actuals: &[Option<LocationId>]) {
        if self.finalized.are_none() {
            return;
        }
        self.finalise_locals(target);
        let program = self.program;
        for (&dummy, &actual) in program.procedure(target).dummies.iter().zip(actuals) {
            let dummy = dummy
                .map(|id| program.variable(id))
                .filter(|one| one.attributes.intent_out);
            let finals = dummy.map_or(Vec::new(), |one| program.finals_of(&one.of_type));
            self.run_finals(finals, actual);
        }
    }

    /// What ends with a procedure, or with a construct of it: its objects, of which some are known only inside the construct.
    pub(crate) fn finalise_locals(&mut self, procedure: ProcedureId) {
        for (object, finals) in self.finalized.of(procedure) {
            self.run_finals(finals.clone(), self.locations.of_variable(*object));
        }
    }

    fn run_finals(&mut self, finals: Vec<ProcedureId>, object: Option<LocationId>) {
        let call = |target| CallEffects {
            target,
            values: vec![None],
            references: vec![object],
            answer: Answer::None,
        };
        self.out.calls.extend(finals.into_iter().map(call));
    }
}
