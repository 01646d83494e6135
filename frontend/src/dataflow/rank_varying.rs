//! Places that may hold something else on other ranks: what MPI answers or brings, but for sizes of the world and what it
//! broadcasts or combines for all of it; clocks, random numbers, what procedures without source do; and what is made of
//! these, or as they decide. Files that all name alike are the same everywhere, and so is whether calls succeed. Whoever
//! writes and reads is not distinguished by when, but for what all ranks are given right behind ([`crate::dataflow::uniform_values`]):
//! so what is the same may be said to differ, and not the other way round.
//!
//! Not here: what depends on these places ([`crate::work::data_dependent_branches`]).

use crate::dataflow::control::Control;
use crate::dataflow::dependence_sources::{ExecutedRange, is_hidden};
use crate::dataflow::uniform_values::{UniformValues, is_uniform, jumps_on_failure};
use crate::effects::model::Model;
use crate::effects::statement_effects::{Definition, Via};
use crate::graphs::assumed_outcomes::Clause;
use crate::graphs::call_graph;
use crate::graphs::reachable_statements::ReachableStatements;
use crate::ir::bit_set::BitSet;
use crate::ir::references;
use crate::ir::{Callee, Expression, ProcedureId, StatementId};
use crate::work::iteration_dependent_work::reads;

/// Intrinsics that answer of the process they run in.
const OF_THE_PROCESS: [&str; 5] = [
    "get_environment_variable",
    "getenv",
    "getpid",
    "hostnm",
    "this_image",
];

/// Places that may differ by rank.
pub(crate) fn places(model: &Model, control: &Control, error_exits: &[Clause]) -> BitSet {
    let executed = ReachableStatements {
        statements: model.outline.all().collect(),
        ..ReachableStatements::default()
    };
    let stretch = ExecutedRange {
        model,
        control,
        error_exits,
        executed: &executed,
        top: &[],
    };
    let leaves = |id: &StatementId| jumps_on_failure(&model.program.statement(*id).kind);
    let by_files = |id: StatementId| {
        control.deciders[id.0 as usize]
            .iter()
            .copied()
            .filter(leaves)
    };
    let deciders = |id: StatementId| stretch.deciders(id).chain(by_files(id)).collect();
    let count = model.program.statements.len() as u32;
    let mut found = Differing {
        model,
        deciders: (0..count).map(StatementId).map(deciders).collect(),
        given: UniformValues::of(model),
        all: BitSet::default(),
        early: BitSet::default(),
    };
    found.all.insert(model.locations.random_state().index());
    while model
        .outline
        .all()
        .fold(false, |spreads, id| found.statement(id) | spreads)
    {}
    found.all
}

/// What differs, as far as it is known. Beside places there are nodes for whether procedures and statements are executed.
struct Differing<'a> {
    model: &'a Model<'a>,
    /// Who decides whether each statement is executed, but for error exits; index = statement id.
    deciders: Vec<Vec<StatementId>>,
    given: UniformValues,
    all: BitSet,
    /// What differs until all ranks are given the same.
    early: BitSet,
}

impl Differing<'_> {
    fn called(&self, procedure: ProcedureId) -> usize {
        2 * self.model.locations.count() + procedure.0 as usize
    }

    fn executed(&self, id: StatementId) -> usize {
        2 * self.model.locations.count() + self.model.program.procedures.len() + id.0 as usize
    }

    /// Whether a statement makes more differ.
    fn statement(&mut self, id: StatementId) -> bool {
        let model = self.model;
        let effects = model.effects.of_statement(id);
        let is_decided = self.is_decided(id);
        let mut spreads = is_decided && self.all.insert(self.executed(id));
        let value = effects.touches_globals || self.answers(id) || self.asks(id);
        for definition in &effects.definitions {
            if is_decided || self.makes(id, definition, value) {
                let place = definition.location.index();
                let set = if self.given.is_made_uniform(id, place) {
                    &mut self.early
                } else {
                    &mut self.all
                };
                spreads |= set.insert(place);
            }
        }
        if effects.touches_globals {
            model
                .effects
                .globals
                .iter()
                .for_each(|place| spreads |= self.all.insert(place.index()));
        }
        for call in &effects.calls {
            spreads |= is_decided && self.all.insert(self.called(call.target));
            for (position, dummy) in model
                .program
                .procedure(call.target)
                .dummies
                .iter()
                .enumerate()
            {
                let of = call
                    .values
                    .get(position)
                    .into_iter()
                    .flatten()
                    .flatten()
                    .copied();
                let at = call.references.get(position).copied().flatten();
                let at = at
                    .into_iter()
                    .flat_map(|place| model.locations.innermost(place));
                if of.chain(at).any(|place| self.differs(place.index(), id)) {
                    let places = dummy
                        .iter()
                        .flat_map(|&dummy| model.locations.innermost_of(dummy));
                    places.for_each(|place| spreads |= self.all.insert(place.index()));
                }
            }
        }
        spreads
    }

    /// Whether what a statement writes to a place differs, if what it is made of does as `value` says.
    fn makes(&self, id: StatementId, definition: &Definition, value: bool) -> bool {
        match definition.via {
            Via::Payload(_) => !is_uniform(self.model, id),
            Via::Envelope => true,
            Via::Dummy(_, dummy) => {
                self.all.contains(dummy.index()) || self.early.contains(dummy.index())
            }
            Via::Own => value && !self.is_success(id, definition),
        }
    }

    /// Whether a place may differ where a statement reads it.
    fn differs(&self, place: usize, at: StatementId) -> bool {
        self.all.contains(place) || self.early.contains(place) && self.given.is_before(at, place)
    }

    fn asks(&self, id: StatementId) -> bool {
        reads(self.model, id)
            .into_iter()
            .any(|place| self.differs(place, id))
    }

    /// Whether something else answers it on each rank.
    fn answers(&self, id: StatementId) -> bool {
        let calls = call_graph::calls(&self.model.program.statement(id).kind);
        calls.iter().any(|call| match call.callee {
            Callee::Mpi(_) if !call.is_function => !is_uniform(self.model, id),
            Callee::Intrinsic(name) if OF_THE_PROCESS.contains(&name.as_str()) => true,
            callee => is_hidden(callee),
        })
    }

    /// Whether a call of MPI writes there whether it succeeded.
    fn is_success(&self, id: StatementId, definition: &Definition) -> bool {
        let model = self.model;
        let calls = call_graph::calls(&model.program.statement(id).kind);
        let Some(call) = calls.iter().find(|call| !call.is_function) else {
            return false;
        };
        let Callee::Mpi(function) = call.callee else {
            return false;
        };
        let place =
            |argument: &Expression| model.locations.of_variable(references::base(argument)?);
        let is_it =
            |argument: &Option<&Expression>| argument.and_then(place) == Some(definition.location);
        let (known, beside) = call
            .arguments
            .split_at(call.arguments.len().min(function.arguments.len()));
        beside.iter().any(is_it) && !known.iter().any(is_it)
    }

    /// Whether it differs whether a statement is executed.
    fn is_decided(&self, id: StatementId) -> bool {
        let decides = |&decider: &StatementId| {
            self.all.contains(self.executed(decider)) || self.asks(decider) || self.answers(decider)
        };
        self.all
            .contains(self.called(self.model.program.statement(id).procedure))
            || self.deciders[id.0 as usize].iter().any(decides)
    }
}
