//! Procedures in a slice: what a kept call needs of its caller, what a live procedure needs at its entry, and which calls stay for
//! the indirect side effects of their callees.

use super::Slicer;
use super::attempts::SliceFlag;
use crate::effects::aliased_dummies;
use crate::effects::model::{Model, functions_write};
use crate::effects::statement_effects::{Answer, CallEffects};
use crate::graphs::control_flow_graph::CfgNode;
use crate::graphs::statement_ends;
use crate::graphs::statement_ends::Surroundings;
use crate::ir::references;
use crate::ir::rules::{Rule, holds};
use crate::ir::{Callee, ProcedureId, StatementId, Storage, Type};
use crate::memory::location_id::LocationId;
use crate::slice::needs::Need;
use crate::slice::reasons::Because;

impl Slicer<'_> {
    /// Something later depends on whether this procedure ends the run.
    pub(super) fn need_stop_conditions(&mut self, procedure: ProcedureId, by: Option<StatementId>) {
        let ends = self.control.ends()[procedure.0 as usize];
        self.note(Need::Terminations(procedure));
        if !ends.may_stop || self.set(SliceFlag::StopsMatter(procedure)) {
            return;
        }
        let model = self.model;
        for &id in model.outline.of_procedure(procedure) {
            if self.control.dead[id.0 as usize] {
                continue;
            }
            let around = Surroundings {
                program: model.program,
                outline: &model.outline,
                calls: &model.calls,
                assumed: &self.control.assumed,
                ends: self.control.ends(),
            };
            if statement_ends::statement_ends(id, around).may_stop {
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
        // Registered before the entered dummies are visited: `enter` serves calls that are kept
        // already, this one those dummies that are entered already. Together they meet in either
        // order.
        self.add_caller(call.target, (statement, index));
        self.mark_live(call.target, Some(statement));
        self.read_files(statement, call.target);
        // The call stands in a condition that decides: where the callee may end the run matters as
        // well.
        if self.deciding[statement.0 as usize] {
            self.keep_for(Need::Decision(statement), |slicer| {
                slicer.need_stop_conditions(call.target, Some(statement))
            });
        }
        let locations = &self.model.locations;
        for &dummy in procedure.dummies.iter().flatten() {
            let Some(place) = locations.of_variable(dummy) else {
                continue;
            };
            for part in locations.with_parts(place) {
                for location in [part, locations.existence(part)] {
                    if self.entered[location.index()] {
                        self.keep_for(Need::Entry(location), |slicer| {
                            slicer.need_actual(statement, call, location)
                        });
                    }
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

    /// A procedure may be called by code without source, which may read what it leaves in its dummies, behind its pointers and in its
    /// result.
    pub(super) fn defer_to_callers(&mut self, procedure: ProcedureId) {
        self.mark_live(procedure, None);
        let model = self.model;
        for &id in &model.own_variables[procedure.0 as usize] {
            let variable = model.program.variable(id);
            let is_passed = matches!(variable.storage, Storage::Dummy(_));
            // Code without source sees dummies, the result, and everything behind pointers; plain
            // local variables end with the call.
            let may_point = variable.attributes.pointer
                || matches!(variable.of_type, Type::Derived(_) | Type::Unknown);
            let is_result = model.program.procedure(procedure).result == Some(id);
            if !is_passed && !may_point && !is_result {
                continue;
            }
            let Some(place) = model.locations.of_variable(id) else {
                continue;
            };
            for part in model.locations.with_parts(place) {
                let because = Because::Left(procedure, part);
                self.need(part, CfgNode::Return, None, because);
                let existence = model.locations.existence(part);
                self.need(existence, CfgNode::Return, None, because);
            }
        }
    }

    fn need_actual(&mut self, statement: StatementId, call: &CallEffects, dummy: LocationId) {
        for actual in call.seen_by_caller(dummy, &self.model.locations, false) {
            self.need_at(actual, statement);
            let Model {
                aliased, locations, ..
            } = self.model;
            let effects = self.effects_of(statement);
            for definition in aliased_dummies::writes(aliased, locations, effects, dummy, actual) {
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
        if !self.set(SliceFlag::Live(procedure)) {
            self.keep_for(Need::Frame(procedure), |slicer| {
                slicer.need_bounds(procedure, by)
            });
        }
    }

    fn need_bounds(&mut self, procedure: ProcedureId, by: Option<StatementId>) {
        let because = Because::Specification(procedure);
        let model = self.model;
        let locations = &model.locations;
        for &id in &model.own_variables[procedure.0 as usize] {
            let variable = model.program.variable(id);
            if !matches!(variable.storage, Storage::Local | Storage::Dummy(_)) {
                continue;
            }
            let bounds: Vec<_> = variable.specification().collect();
            for bound in &bounds {
                for named in references::values(bound) {
                    if let Some(place) = locations.at(named) {
                        for location in locations.innermost(place) {
                            self.need_from_entry(location, by, because);
                        }
                    }
                }
            }
            for bound in &bounds {
                for named in references::named(bound) {
                    for whole in locations.along(named) {
                        self.need_from_entry(locations.existence(whole), by, because);
                    }
                }
            }
            for bound in &bounds {
                for call in references::calls(bound) {
                    self.need_results(call.callee, by, because);
                }
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
        // A specification expression reads values from the entry of the procedure, before any
        // statement: no reaching definition applies.
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
        // Once for all calls. Calls that are kept later find the flag in `take_call`.
        if self.set(SliceFlag::Entered(dummy)) {
            return;
        }
        for (statement, index) in self.callers[procedure.0 as usize].clone() {
            let call = &self.effects_of(statement).calls[index];
            self.keep_for(Need::Entry(dummy), |slicer| {
                slicer.need_actual(statement, call, dummy)
            });
        }
    }

    /// The calls whose callees write a location stay; the calls of one callee all at once.
    pub(super) fn keep_callers(
        &mut self,
        location: LocationId,
        by: Option<StatementId>,
        because: Because,
    ) {
        if !holds(Rule::CalleesWriteBeside) {
            return;
        }
        let model = self.model;
        for callee in model.effects.indirect_writers(location) {
            self.note(Need::CallsOf(callee));
            if !self.add_kept_callers(callee) {
                continue;
            }
            self.keep_for(Need::CallsOf(callee), |slicer| {
                for &caller in model.effects.callers(callee) {
                    if functions_write(model, caller) {
                        slicer.keep(caller, by, because);
                    }
                }
            });
        }
    }
}
