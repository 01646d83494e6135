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
//!
//! A second, weaker analysis ([`tests_of_local_data`]) is not conservative. It follows what ranks compute and exchange, and takes
//! their input to be the same on all of them. One rank often reads the input first, with the same parser, to copy or check it; then
//! everything that depends on input varies in the first analysis, which does not distinguish calls. It also takes all ranks to execute
//! a branch in which they meet in a collective.

use crate::dataflow::control::Control;
use crate::dataflow::dependence_sources::{ExecutedRange, is_hidden};
use crate::dataflow::loop_carried::StatementReads;
use crate::dataflow::reachable_statements::ReachableStatements;
use crate::dataflow::uniform_values::{Broadcast, UniformValues, is_uniform, jumps_on_failure};
use crate::effects::model::Model;
use crate::effects::statement_effects::{CallEffects, Definition, Via};
use crate::graphs::assumed_outcomes::Clause;
use crate::graphs::call_graph;
use crate::ir::bit_set::BitSet;
use crate::ir::references;
use crate::ir::{Callee, Expression, ProcedureId, StatementId, StatementKind, Type};
use crate::memory::location_id::LocationId;
use std::collections::{BTreeMap, BTreeSet};

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
    solved(reads, control, error_exits, None).all
}

/// Those of some tests whose values may vary by rank, or that only some ranks may execute.
pub(crate) fn unequal_tests(
    reads: &StatementReads,
    control: &Control,
    error_exits: &[Clause],
    tests: &[StatementId],
) -> BTreeSet<StatementId> {
    unequal(solved(reads, control, error_exits, None), tests)
}

/// The same, if ranks take the same input: single values that they read are the same, and what a procedure does that only some ranks
/// call varies only if it is `bulk`, a statement that computes bulk data (index = statement id).
pub(crate) fn tests_of_local_data(
    reads: &StatementReads,
    control: &Control,
    error_exits: &[Clause],
    tests: &[StatementId],
    bulk: &[bool],
) -> BTreeSet<StatementId> {
    unequal(solved(reads, control, error_exits, Some(bulk)), tests)
}

fn unequal(mut found: RankVarying, tests: &[StatementId]) -> BTreeSet<StatementId> {
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
    bulk: Option<&'a [bool]>,
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
        bulk,
        all: BitSet::default(),
        early: BTreeMap::new(),
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
    /// Whether each statement computes bulk data, where input is taken to be the same on all ranks; index = statement id.
    bulk: Option<&'a [bool]>,
    /// Varying locations, procedures and statements.
    all: BitSet,
    /// Locations that vary only until broadcasts make them uniform, and these.
    early: BTreeMap<usize, Vec<Broadcast>>,
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
            if self.bulk.is_some() && self.is_single_input(id, definition.location) {
                continue;
            }
            let location = definition.location.index();
            // Only statements up to the broadcast see such a value.
            let broadcast = self.uniform.overwriting(id, location);
            grown |= self.insert(location, broadcast);
        }
        if effects.touches_globals && !std::mem::replace(&mut self.globals_vary, true) {
            for location in model.effects.within_reach.iter() {
                grown |= self.all.insert(location.index());
            }
        }
        let is_skipped = is_conditional
            || self
                .all
                .contains(self.called(model.program.statement(id).procedure));
        for call in &effects.calls {
            // Control dependence across calls: a rank that skips the call skips the whole callee.
            grown |= is_skipped && self.all.insert(self.called(call.target));
            let dummies = &model.program.procedure(call.target).dummies;
            for (position, dummy) in dummies.iter().enumerate() {
                let Some(dummy) = *dummy else {
                    continue;
                };
                if !self.argument_varies(id, call, position) {
                    continue;
                }
                for location in model.locations.innermost_of(dummy) {
                    let location = location.index();
                    let broadcast = self.uniform.overwriting_argument(call.target, location);
                    grown |= self.insert(location, broadcast);
                }
            }
        }
        grown
    }

    /// Adds a location that varies, or varies until a broadcast overwrites it; whether that is new.
    fn insert(&mut self, location: usize, overwritten_by: Option<Broadcast>) -> bool {
        let Some(broadcast) = overwritten_by else {
            return self.all.insert(location);
        };
        let known = self.early.entry(location).or_default();
        if known.contains(&broadcast) {
            return false;
        }
        known.push(broadcast);
        true
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
        if self.all.contains(location) {
            return true;
        }
        let mut early = self.early.get(&location).into_iter().flatten();
        early.any(|&broadcast| self.uniform.is_before(at, broadcast))
    }

    /// Whether what a statement reads or calls varies.
    fn value_varies(&mut self, id: StatementId) -> bool {
        let index = id.0 as usize;
        if !self.values_vary[index] {
            self.values_vary[index] = self.calls_vary[index] || self.reads_varying(id);
        }
        self.values_vary[index]
    }

    /// Whether a statement reads a value that varies.
    fn reads_varying(&self, id: StatementId) -> bool {
        if self.bulk.is_none() {
            let mut read = self.reads.get(id).iter();
            return read.any(|&location| self.varies(location, id));
        }
        // What a function does with its arguments is seen in its result: the number of a unit does not reach what is read from it.
        let model = self.model;
        let effects = model.effects.of_statement(id);
        let mut read = effects.uses.clone();
        for call in &effects.calls {
            if !call.is_function() {
                continue;
            }
            read.extend(model.results(call.target));
            for passed in call.references.iter().flatten() {
                // One occurrence only: the statement may also read the location itself.
                if let Some(at) = read.iter().position(|location| location == passed) {
                    read.swap_remove(at);
                }
            }
        }
        let mut read = read.into_iter();
        read.any(|location| self.varies(location.index(), id))
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

    /// Whether all ranks meet in the branch of a decision that contains a statement: `if (owner(c) == rank)` round a solver with
    /// reductions over all ranks holds on each of them for some `c`.
    fn ranks_meet(&self, id: StatementId, decider: StatementId) -> bool {
        let model = self.model;
        let mut child = id;
        for above in model.outline.ancestors(id) {
            if above != decider {
                child = above;
                continue;
            }
            let bodies = model.program.statement(decider).kind.bodies();
            let mut bodies = bodies.into_iter();
            return bodies.any(|body| body.contains(&child) && self.uniform.ranks_meet(body));
        }
        false
    }

    /// Whether a statement reads or inquires a file into a location that is no array of reals, nor a file.
    fn is_single_input(&self, id: StatementId, location: LocationId) -> bool {
        let model = self.model;
        if !matches!(
            model.program.statement(id).kind,
            StatementKind::InputOutput(_)
        ) || model.locations.is_file(location)
        {
            return false;
        }
        let known = model.locations.get(location);
        let mut is_real = known.value_type.as_ref().is_some_and(Type::is_real);
        for &variable in &model.known_as[location.index()] {
            is_real |= model.program.variable(variable).of_type.is_real();
        }
        !(known.is_array && is_real)
    }

    /// Whether a statement is control dependent on a branch, or in a procedure whose execution, varies.
    fn is_conditional(&mut self, id: StatementId) -> bool {
        let procedure = self.model.program.statement(id).procedure;
        let counts_calls = self.bulk.is_none_or(|bulk| bulk[id.0 as usize]);
        if self.all.contains(self.executed(id))
            || counts_calls && self.all.contains(self.called(procedure))
        {
            return true;
        }
        for at in 0..self.deciders[id.0 as usize].len() {
            let decider = self.deciders[id.0 as usize][at];
            if self.bulk.is_some() && self.ranks_meet(id, decider) {
                continue;
            }
            if self.all.contains(self.executed(decider)) || self.value_varies(decider) {
                return true;
            }
        }
        false
    }
}
