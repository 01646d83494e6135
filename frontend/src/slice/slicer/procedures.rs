//! Procedures in a slice: what a call that stays needs of its caller, what a procedure that runs needs from its
//! entry, and whose calls stay for what they write besides.

use super::Slicer;
use crate::assumptions::dependence_graph::Need;
use crate::effects::statement_effects::{Answer, CallEffects};
use crate::graphs::control_flow_graph::{CfgNode, Surroundings};
use crate::graphs::termination;
use crate::ir::references;
use crate::ir::rules::{Rule, functions_write, holds};
use crate::ir::{Callee, ProcedureId, StatementId, Storage, Type};
use crate::memory::aliased_dummies;
use crate::memory::locations::LocationId;
use crate::slice::reasons::Because;

impl Slicer<'_> {
    /// Something later depends on whether this procedure ends the run.
    pub(super) fn need_stop_conditions(&mut self, procedure: ProcedureId, by: Option<StatementId>) {
        let ends = self.control.ends()[procedure.0 as usize];
        self.note(Need::Terminations(procedure));
        if !ends.may_stop || std::mem::replace(&mut self.stops_matter[procedure.0 as usize], true) {
            return;
        }
        let model = self.model;
        for &id in model
            .outline
            .of_procedure(procedure)
            .iter()
            .filter(|&&id| !self.control.dead[id.0 as usize])
        {
            let around = Surroundings {
                program: model.program,
                outline: &model.outline,
                calls: &model.calls,
                assumed: &self.control.assumed,
                ends: self.control.ends(),
            };
            if termination::statement_ends(id, around).may_stop {
                self.keep_for(Need::Terminations(procedure), |slicer| {
                    slicer.decide(id, by, Because::Stops(procedure))
                });
            }
        }
    }

    /// A call stays: what the callee needs of its caller is needed here.
    pub(super) fn take_call(&mut self, statement: StatementId, index: usize) {
        let call = &self.effects_of(statement).calls[index];
        let procedure = self.model.program.procedure(call.target);
        self.callers[call.target.0 as usize].push((statement, index));
        self.mark_live(call.target, Some(statement));
        self.read_files(statement, call.target);
        if self.deciding[statement.0 as usize] {
            self.keep_for(Need::Decision(statement), |slicer| {
                slicer.need_stop_conditions(call.target, Some(statement))
            });
        }
        let dummies = procedure
            .dummies
            .iter()
            .flatten()
            .filter_map(|&v| self.model.locations.of_variable(v));
        for dummy in dummies.flat_map(|place| self.model.locations.with_parts(place)) {
            for location in [dummy, self.model.locations.existence(dummy)] {
                if self.entered[location.index()] {
                    self.keep_for(Need::Entry(location), |slicer| {
                        slicer.need_actual(statement, call, location)
                    });
                }
            }
        }
        if call.answer == Answer::ForRunning {
            self.need_result(call.target, Some(statement));
        }
    }

    /// What a function answers is needed.
    pub(super) fn need_result(&mut self, function: ProcedureId, by: Option<StatementId>) {
        for part in self.model.results(function) {
            self.need(part, CfgNode::Return, by, Because::Defines(part));
        }
    }

    /// Somebody without source may call a procedure: what it leaves in its dummies, in what its pointers point at, and as
    /// its result is read there.
    pub(super) fn defer_to_callers(&mut self, procedure: ProcedureId) {
        self.mark_live(procedure, None);
        let model = self.model;
        for &id in &model.own_variables[procedure.0 as usize] {
            let variable = model.program.variable(id);
            let is_passed = matches!(variable.storage, Storage::Dummy(_));
            let may_point = variable.attributes.pointer
                || matches!(variable.of_type, Type::Derived(_) | Type::Unknown);
            let is_result = model.program.procedure(procedure).result == Some(id);
            let place = model
                .locations
                .of_variable(id)
                .filter(|_| is_passed || may_point || is_result);
            for part in place
                .into_iter()
                .flat_map(|place| model.locations.with_parts(place))
            {
                for location in [part, model.locations.existence(part)] {
                    self.need(
                        location,
                        CfgNode::Return,
                        None,
                        Because::Left(procedure, part),
                    );
                }
            }
        }
    }

    fn need_actual(&mut self, statement: StatementId, call: &CallEffects, dummy: LocationId) {
        for actual in call.seen_by_caller(dummy, &self.model.locations, false) {
            self.need_at(actual, statement);
            for definition in
                aliased_dummies::writes(self.model, self.effects_of(statement), dummy, actual)
            {
                self.write(
                    statement,
                    definition,
                    Some(statement),
                    Because::Defines(actual),
                );
            }
        }
    }

    /// A procedure runs in the slice: so its specification expressions are evaluated.
    pub(super) fn mark_live(&mut self, procedure: ProcedureId, by: Option<StatementId>) {
        self.note(Need::Frame(procedure));
        if !std::mem::replace(&mut self.live[procedure.0 as usize], true) {
            self.keep_for(Need::Frame(procedure), |slicer| {
                slicer.need_bounds(procedure, by)
            });
        }
    }

    fn need_bounds(&mut self, procedure: ProcedureId, by: Option<StatementId>) {
        let because = Because::Specification(procedure);
        let model = self.model;
        for &id in &model.own_variables[procedure.0 as usize] {
            let variable = model.program.variable(id);
            if !matches!(variable.storage, Storage::Local | Storage::Dummy(_)) {
                continue;
            }
            let bounds: Vec<_> = variable.specification().collect();
            let places = |named: Vec<_>| {
                named
                    .into_iter()
                    .filter_map(|named| model.locations.at(named))
            };
            let read = bounds
                .iter()
                .flat_map(|bound| places(references::values(bound)));
            let asked = bounds
                .iter()
                .flat_map(|bound| places(references::named(bound)));
            let read = read.flat_map(|place| model.locations.innermost(place));
            let asked = asked.flat_map(|place| model.locations.with_wholes(place));
            for location in read.chain(asked.map(|place| model.locations.existence(place))) {
                self.need_from_entry(location, by, because);
            }
            for call in bounds.iter().flat_map(|bound| references::calls(bound)) {
                self.need_results(call.callee, by, because);
            }
        }
    }

    /// What a function in a bound answers is needed.
    fn need_results(&mut self, callee: &Callee, by: Option<StatementId>, because: Because) {
        for target in self.model.calls.targets(callee) {
            for part in self.model.results(target) {
                self.need(part, CfgNode::Return, by, because);
            }
        }
    }

    /// A place is needed when a procedure is entered.
    fn need_from_entry(&mut self, location: LocationId, by: Option<StatementId>, because: Because) {
        if self.model.followed[location.index()] {
            self.enter(location);
        } else {
            self.need(location, CfgNode::Entry, by, because);
        }
    }

    /// The value that a dummy brings along is needed: at all calls that stay.
    pub(super) fn enter(&mut self, dummy: LocationId) {
        let place = self.model.locations.get(dummy);
        let (Some(procedure), Some(_)) = (place.frame, place.dummy) else {
            return;
        };
        self.note(Need::Entry(dummy));
        if std::mem::replace(&mut self.entered[dummy.index()], true) {
            return;
        }
        for (statement, index) in self.callers[procedure.0 as usize].clone() {
            let call = &self.effects_of(statement).calls[index];
            self.keep_for(Need::Entry(dummy), |slicer| {
                slicer.need_actual(statement, call, dummy)
            });
        }
    }

    /// The calls whose callees write a place stay; the calls of one callee all at once.
    pub(super) fn keep_callers(
        &mut self,
        location: LocationId,
        by: Option<StatementId>,
        because: Because,
    ) {
        let effects = &self.model.effects;
        for callee in effects
            .indirect_writers(location)
            .filter(|_| holds(Rule::CalleesWriteBeside))
        {
            self.note(Need::CallsOf(callee));
            if self.callers_kept.insert(callee) {
                let calls = effects
                    .callers(callee)
                    .iter()
                    .filter(|&&caller| functions_write(self.model, caller));
                let calls: Vec<StatementId> = calls.copied().collect();
                self.keep_for(Need::CallsOf(callee), |slicer| {
                    calls
                        .iter()
                        .for_each(|&caller| slicer.keep(caller, by, because));
                });
            }
        }
    }
}
