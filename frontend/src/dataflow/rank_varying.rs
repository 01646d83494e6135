//! Uniformity (divergence) analysis. It finds rank-varying values, the complement of uniform values: locations that may have
//! different values on different ranks.
//!
//! A forward may-analysis. The lattice is the power set of locations, plus one element per procedure and per statement for
//! "whether it is executed varies", ordered by inclusion; the analysis iterates the transfer functions of all statements
//! to the least fixpoint, flow-insensitively. A definition varies if
//!
//! - it comes from MPI, except sizes of communicators and what a collective delivers to all ranks alike;
//! - it comes from a clock, a random number, a property of the process, or a procedure without source;
//! - an operand varies; or
//! - the statement is control dependent on a branch that varies.
//!
//! Files that all ranks open under the same name have the same contents, and calls succeed on all ranks alike. The one
//! exception to flow-insensitivity are values that a broadcast makes uniform ([`crate::dataflow::uniform_values`]). The
//! result is conservative: a uniform value may be classified as varying, but not the reverse. What depends on the result is in
//! [`crate::work::data_dependent_branches`].

use crate::dataflow::control::Control;
use crate::dataflow::dependence_sources::{ExecutedRange, is_hidden};
use crate::dataflow::loop_carried::StatementReads;
use crate::dataflow::reachable_statements::ReachableStatements;
use crate::dataflow::uniform_values::{UniformValues, is_uniform, jumps_on_failure};
use crate::effects::model::Model;
use crate::effects::statement_effects::{CallEffects, Definition, Via};
use crate::graphs::assumed_outcomes::Clause;
use crate::graphs::call_graph;
use crate::ir::bit_set::BitSet;
use crate::ir::references;
use crate::ir::{Callee, Expression, ProcedureId, StatementId};
use crate::memory::location_id::LocationId;
use std::collections::BTreeSet;

/// Intrinsics that return a property of the process.
const OF_THE_PROCESS: [&str; 5] = [
    "get_environment_variable",
    "getenv",
    "getpid",
    "hostnm",
    "this_image",
];

/// The locations that may vary by rank.
pub(crate) fn places(reads: &StatementReads, control: &Control, error_exits: &[Clause]) -> BitSet {
    solved(reads, control, error_exits).all
}

/// Those of some tests whose values may vary by rank, or that only some ranks may execute.
pub(crate) fn unequal_tests(
    reads: &StatementReads,
    control: &Control,
    error_exits: &[Clause],
    tests: &[StatementId],
) -> BTreeSet<StatementId> {
    let mut found = solved(reads, control, error_exits);
    let mut unequal = BTreeSet::new();
    for &test in tests {
        if found.value_varies(test) || found.is_conditional(test) {
            unequal.insert(test);
        }
    }
    unequal
}

fn solved<'a>(
    reads: &'a StatementReads<'a>,
    control: &Control,
    error_exits: &[Clause],
) -> RankVarying<'a> {
    let model = reads.model;
    let executed = ReachableStatements::whole(model);
    let range = ExecutedRange {
        model,
        control,
        error_exits,
        executed: &executed,
        top: &[],
    };
    let mut deciders = Vec::new();
    for id in (0..model.program.statements.len() as u32).map(StatementId) {
        let mut of_statement: Vec<StatementId> = range.deciders(id).collect();
        // END= and ERR= branches count as well: whether a file ends depends on what was read.
        for &decider in &control.deciders[id.0 as usize] {
            if jumps_on_failure(&model.program.statement(decider).kind) {
                of_statement.push(decider);
            }
        }
        deciders.push(of_statement);
    }
    let mut found = RankVarying {
        model,
        reads,
        deciders,
        calls_vary: Vec::new(),
        values_vary: vec![false; model.program.statements.len()],
        globals_vary: false,
        uniform: UniformValues::of(model),
        all: BitSet::default(),
        early: BitSet::default(),
    };
    for id in (0..model.program.statements.len() as u32).map(StatementId) {
        found.calls_vary.push(found.calls_vary(id));
    }
    // Compilers may seed the generator of each process differently.
    found.all.insert(model.locations.random_state().index());
    let mut grown = true;
    while grown {
        grown = false;
        for id in model.outline.all() {
            grown |= found.statement(id);
        }
    }
    found
}

/// The state of the analysis.
struct RankVarying<'a> {
    model: &'a Model<'a>,
    reads: &'a StatementReads<'a>,
    /// The branches that each statement is control dependent on, without error exits; index = statement id.
    deciders: Vec<Vec<StatementId>>,
    /// Whether a call in each statement returns a different value on each rank, whatever its arguments are.
    calls_vary: Vec<bool>,
    /// The statements whose values have been found to vary: what varies once stays so.
    values_vary: Vec<bool>,
    /// Whether a statement has been found that may write everything global.
    globals_vary: bool,
    uniform: UniformValues,
    /// Varying locations, procedures and statements.
    all: BitSet,
    /// Locations that vary only until a broadcast makes them uniform.
    early: BitSet,
}

impl RankVarying<'_> {
    /// The element for whether a procedure is called.
    fn called(&self, procedure: ProcedureId) -> usize {
        2 * self.model.locations.count() + procedure.0 as usize
    }

    /// The element for whether a statement is executed.
    fn executed(&self, id: StatementId) -> usize {
        2 * self.model.locations.count() + self.model.program.procedures.len() + id.0 as usize
    }

    /// The transfer function of a statement; whether anything is new.
    fn statement(&mut self, id: StatementId) -> bool {
        let model = self.model;
        let effects = model.effects.of_statement(id);
        // Implicit flow: even a constant makes a location vary if only some ranks assign it.
        let is_conditional = self.is_conditional(id);
        let mut grown = is_conditional && self.all.insert(self.executed(id));
        let value_varies = effects.is_unseen() || self.value_varies(id);
        for definition in &effects.definitions {
            if !is_conditional && !self.definition_varies(id, definition, value_varies) {
                continue;
            }
            let location = definition.location.index();
            // Only statements up to the broadcast see such a value.
            if self.uniform.is_made_uniform(id, location) {
                grown |= self.early.insert(location);
            } else {
                grown |= self.all.insert(location);
            }
        }
        if effects.touches_globals && !std::mem::replace(&mut self.globals_vary, true) {
            for location in model.effects.within_reach.iter() {
                grown |= self.all.insert(location.index());
            }
        }
        for call in &effects.calls {
            // Control dependence across calls: a rank that skips the call skips the whole callee.
            grown |= is_conditional && self.all.insert(self.called(call.target));
            let dummies = &model.program.procedure(call.target).dummies;
            for (position, dummy) in dummies.iter().enumerate() {
                let Some(dummy) = *dummy else {
                    continue;
                };
                if self.argument_varies(id, call, position) {
                    for location in model.locations.innermost_of(dummy) {
                        grown |= self.all.insert(location.index());
                    }
                }
            }
        }
        grown
    }

    /// Whether the argument of a call at a position varies.
    fn argument_varies(&self, id: StatementId, call: &CallEffects, position: usize) -> bool {
        if let Some(Some(values)) = call.values.get(position) {
            for location in values {
                if self.varies(location.index(), id) {
                    return true;
                }
            }
        }
        let Some(Some(object)) = call.references.get(position) else {
            return false;
        };
        let parts = self.model.locations.innermost(*object);
        parts.iter().any(|part| self.varies(part.index(), id))
    }

    /// Whether a definition varies; `value_varies` is whether the operands of the statement do.
    fn definition_varies(
        &self,
        id: StatementId,
        definition: &Definition,
        value_varies: bool,
    ) -> bool {
        match definition.via {
            Via::Payload(_) => !is_uniform(self.model, id),
            // Source, tag and completed requests depend on timing.
            Via::Envelope => true,
            // What varies early is made uniform before the callee returns.
            Via::Dummy(_, dummy) => self.all.contains(dummy.index()),
            Via::Own => value_varies && !self.is_error_code(id, definition),
        }
    }

    /// Whether a location may vary where a statement reads it.
    fn varies(&self, location: usize, at: StatementId) -> bool {
        self.all.contains(location)
            || self.early.contains(location) && self.uniform.is_before(at, location)
    }

    /// Whether what a statement reads or calls varies.
    fn value_varies(&mut self, id: StatementId) -> bool {
        let index = id.0 as usize;
        if !self.values_vary[index] {
            let read = self.reads.get(id);
            self.values_vary[index] =
                self.calls_vary[index] || read.iter().any(|&location| self.varies(location, id));
        }
        self.values_vary[index]
    }

    /// Whether a call in a statement returns a different value on each rank, whatever its arguments are.
    fn calls_vary(&self, id: StatementId) -> bool {
        for call in call_graph::calls(&self.model.program.statement(id).kind) {
            let varies = match call.callee {
                Callee::Mpi(_) if !call.is_function => !is_uniform(self.model, id),
                Callee::Intrinsic(name) if OF_THE_PROCESS.contains(&name.as_str()) => true,
                callee => is_hidden(callee),
            };
            if varies {
                return true;
            }
        }
        false
    }

    /// Whether a definition is the error code of an MPI call: the argument after those of the function's table row.
    fn is_error_code(&self, id: StatementId, definition: &Definition) -> bool {
        let calls = call_graph::calls(&self.model.program.statement(id).kind);
        let Some(call) = calls.iter().find(|call| !call.is_function) else {
            return false;
        };
        let Callee::Mpi(function) = call.callee else {
            return false;
        };
        let mut is_error_code = false;
        for (position, argument) in call.arguments.iter().enumerate() {
            if !self.names(*argument, definition.location) {
                continue;
            }
            // The same variable for another output makes its value unknown.
            if position < function.arguments.len() {
                return false;
            }
            is_error_code = true;
        }
        is_error_code
    }

    fn names(&self, argument: Option<&Expression>, location: LocationId) -> bool {
        let Some(argument) = argument else {
            return false;
        };
        match references::base(argument) {
            Some(variable) => self.model.locations.of_variable(variable) == Some(location),
            None => false,
        }
    }

    /// Whether a statement is control dependent on a branch, or in a procedure whose execution, varies.
    fn is_conditional(&mut self, id: StatementId) -> bool {
        let procedure = self.model.program.statement(id).procedure;
        if self.all.contains(self.executed(id)) || self.all.contains(self.called(procedure)) {
            return true;
        }
        for at in 0..self.deciders[id.0 as usize].len() {
            let decider = self.deciders[id.0 as usize][at];
            if self.all.contains(self.executed(decider)) || self.value_varies(decider) {
                return true;
            }
        }
        false
    }
}
