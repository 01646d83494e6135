//! Clock-dependent control flow: whether a clock, or another nondeterministic value
//! ([`crate::effects::varying_values`]), determines which MPI calls are made.
//!
//! A forward may-analysis. The lattice maps each location, message class and READ statement to the set of statements whose
//! readings may flow there, ordered by inclusion; the transfer function of a statement adds the readings in its operands
//! to its definitions, and a worklist of statements computes the least fixpoint, flow-insensitively and by whole locations. For a
//! branch, a backward walk along reaching definitions then narrows the set to the readings that reach it.
//!
//! A procedure without source carries readings between its arguments only. It may write all COMMON and module variables,
//! but assuming that it stores times there would make every branch of a program clock-dependent. Which files carry
//! readings is in [`crate::nondeterminism::file_dataflow`].

use crate::effects::message_class::MessageClass;
use crate::effects::model::Model;
use crate::effects::statement_effects::{CallEffects, Definition, Via};
use crate::effects::varying_values::{self, Nondeterminism};
use crate::graphs::call_graph;
use crate::graphs::control_flow_graph::CfgNode;
use crate::ir::bit_set::BitSet;
use crate::ir::{Callee, StatementId, StatementKind};
use crate::memory::location_id::LocationId;
use crate::nondeterminism::file_dataflow::FileDataflow;
use crate::nondeterminism::mpi_outputs::Readers;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A branch, or an MPI call, that depends on a nondeterministic value.
pub(crate) struct Decision {
    pub(crate) statement: StatementId,
    /// The statements that read the value, in order.
    pub(crate) readings: Readings,
    /// The cause, as a message.
    pub(crate) reason: String,
}

/// Statements that read nondeterministic values.
pub(crate) type Readings = BTreeSet<StatementId>;

/// Most statements that the backward walk from a branch visits before it falls back to the flow-insensitive result.
const MAX_DISTANCE: usize = 100;

/// The kept statements whose control decision depends on a nondeterministic value, in order.
pub(crate) fn decisions(readers: &Readers) -> Vec<Decision> {
    let model = readers.model;
    let mut kept: Vec<StatementId> = model.outline.all().collect();
    kept.retain(|id| readers.kept[id.0 as usize]);
    let is_seeded = varying_values::is_seeded(model);
    let mut reading = Vec::new();
    for &id in &kept {
        if !read_by(readers, id, is_seeded).is_empty() {
            reading.push(id);
        }
    }
    // Most programs read no clock in the slice, and need no analysis.
    if reading.is_empty() {
        return Vec::new();
    }
    reading.sort_unstable();
    let mut analysis = ClockAnalysis {
        readers,
        locations: vec![BitSet::default(); 2 * model.locations.count()],
        classes: BTreeMap::new(),
        from_files: BTreeMap::new(),
        files: FileDataflow::of(readers),
        is_seeded,
        reading,
    };
    analysis.solve(&kept);
    let mut found = Vec::new();
    for statement in kept {
        if !determines_calls(&model.program.statement(statement).kind) {
            continue;
        }
        let numbers = analysis.nearby_readings(statement, &mut BTreeSet::new());
        let mut readings = Readings::new();
        for number in numbers.iter() {
            readings.insert(analysis.reading[number]);
        }
        if !readings.is_empty() {
            let reason = analysis.reason(&readings);
            found.push(Decision {
                statement,
                readings,
                reason,
            });
        }
    }
    found
}

/// The nondeterministic values that a statement itself reads.
fn read_by(readers: &Readers, id: StatementId, is_seeded: bool) -> Vec<Nondeterminism> {
    let mut found = Vec::new();
    for call in call_graph::calls(&readers.model.program.statement(id).kind) {
        found.extend(varying_values::read_by(
            &readers.model.calls,
            &call,
            is_seeded,
        ));
    }
    found
}

/// Whether the operands of a statement determine which MPI calls are made, or with which arguments.
fn determines_calls(kind: &StatementKind) -> bool {
    let is_mpi_call = matches!(
        kind,
        StatementKind::Call {
            callee: Callee::Mpi(_),
            ..
        }
    );
    kind.is_branch() || is_mpi_call
}

/// What a statement may get readings from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Location(LocationId),
    Class(MessageClass),
    /// A READ statement gets them from files.
    Files(StatementId),
}

/// The statements that depend on each origin.
struct Dependents {
    /// Index = location.
    locations: Vec<Vec<StatementId>>,
    classes: BTreeMap<MessageClass, Vec<StatementId>>,
}

impl Dependents {
    fn of(readers: &Readers, kept: &[StatementId]) -> Self {
        let mut found = Dependents {
            locations: vec![Vec::new(); 2 * readers.model.locations.count()],
            classes: BTreeMap::new(),
        };
        for &id in kept {
            found.add(readers.model, id);
        }
        found
    }

    /// Adds a statement to what its transfer function reads.
    fn add(&mut self, model: &Model, id: StatementId) {
        let effects = model.effects.of_statement(id);
        let sent = effects.sends.iter().map(|(_, location)| location);
        for location in effects.uses.iter().chain(sent) {
            self.add_location(*location, id);
        }
        for definition in &effects.definitions {
            match definition.via {
                Via::Dummy(_, dummy) => self.add_location(dummy, id),
                Via::Payload(class) => self.classes.entry(class).or_default().push(id),
                Via::Own | Via::Envelope => {}
            }
        }
        for call in &effects.calls {
            if call.is_function() {
                for part in model.results(call.target) {
                    self.add_location(part, id);
                }
            }
            for (_, actual) in passed(model, call) {
                for location in actual {
                    self.add_location(location, id);
                }
            }
        }
    }

    fn add_location(&mut self, location: LocationId, id: StatementId) {
        let known = &mut self.locations[location.index()];
        if known.last() != Some(&id) {
            known.push(id);
        }
    }

    fn get<'s>(&'s self, origin: &'s Origin) -> &'s [StatementId] {
        match origin {
            Origin::Location(location) => &self.locations[location.index()],
            Origin::Class(class) => self.classes.get(class).map_or(&[], Vec::as_slice),
            Origin::Files(reader) => std::slice::from_ref(reader),
        }
    }
}

/// The parts of the dummies of a callee, each with the locations passed for it.
fn passed(model: &Model, call: &CallEffects) -> Vec<(LocationId, Vec<LocationId>)> {
    let mut found = Vec::new();
    for &dummy in model
        .program
        .procedure(call.target)
        .dummies
        .iter()
        .flatten()
    {
        for part in model.locations.innermost_of(dummy) {
            found.push((part, call.seen_by_caller(part, &model.locations, false)));
        }
    }
    found
}

/// Sets of readings contain positions in `reading`.
struct ClockAnalysis<'a> {
    readers: &'a Readers<'a>,
    /// The kept statements that read nondeterministic values, ascending.
    reading: Vec<StatementId>,
    /// The readings that may flow to each location; index = location.
    locations: Vec<BitSet>,
    /// The readings that may flow into the payload of messages of needed classes.
    classes: BTreeMap<MessageClass, BitSet>,
    /// The readings that READ statements may get from files that the program wrote before.
    from_files: BTreeMap<StatementId, BitSet>,
    files: FileDataflow<'a>,
    /// Whether random numbers are the same in each run.
    is_seeded: bool,
}

impl ClockAnalysis<'_> {
    /// Computes the least fixpoint over the kept statements: a statement is visited when something that it depends on grows, the
    /// first time where it reads a nondeterministic value itself.
    fn solve(&mut self, kept: &[StatementId]) {
        let dependents = Dependents::of(self.readers, kept);
        let mut is_pending = vec![false; self.readers.model.program.statements.len()];
        let mut pending = VecDeque::new();
        for &id in &self.reading {
            is_pending[id.0 as usize] = true;
            pending.push_back(id);
        }
        while let Some(id) = pending.pop_front() {
            is_pending[id.0 as usize] = false;
            for origin in self.statement(id) {
                for &next in dependents.get(&origin) {
                    if !std::mem::replace(&mut is_pending[next.0 as usize], true) {
                        pending.push_back(next);
                    }
                }
            }
        }
    }

    /// The cause of a dependence, as a message.
    fn reason(&self, readings: &Readings) -> String {
        let mut kinds = BTreeSet::new();
        for &id in readings {
            kinds.extend(read_by(self.readers, id, self.is_seeded));
        }
        let mut names = Vec::new();
        for kind in &kinds {
            names.push(match kind {
                Nondeterminism::Clock => "a clock",
                Nondeterminism::RandomNumber => "a random number without a seed",
                Nondeterminism::Process => "the number of a process or the name of its machine",
            });
        }
        let is_clock_only = kinds.len() == 1 && kinds.contains(&Nondeterminism::Clock);
        let between = if is_clock_only { "machines" } else { "runs" };
        let subject = match &names[..] {
            [one] => one.to_string(),
            several => several.join(", or ") + ",",
        };
        format!(
            "{subject} decides here which MPI calls are made: the sequence of calls may differ between {between}"
        )
    }

    /// Whether a statement calls a procedure without source.
    fn calls_unknown(&self, id: StatementId) -> bool {
        let model = self.readers.model;
        // Most statements call nothing, which is cheaper to look up than to find out.
        model.calls.has_calls[id.0 as usize]
            && call_graph::calls(&model.program.statement(id).kind)
                .iter()
                .any(|call| model.calls.is_unknown(call.callee))
    }

    /// Whether readings may flow between a location and a statement: not through files, which [`FileDataflow`] follows, and
    /// in a call of a procedure without source (`calls_unknown`) only through locations that the call names.
    fn passes(&self, id: StatementId, location: LocationId, calls_unknown: bool) -> bool {
        let model = self.readers.model;
        if model.locations.is_file(location) {
            return false;
        }
        !calls_unknown || model.effects.of_statement(id).mentions.contains(&location)
    }

    /// The readings in the operands of a statement, where `of_location` returns those of each location.
    fn computed_from(
        &self,
        id: StatementId,
        mut of_location: impl FnMut(LocationId) -> BitSet,
    ) -> BitSet {
        let effects = self.readers.model.effects.of_statement(id);
        let mut found = BitSet::default();
        if let Ok(number) = self.reading.binary_search(&id) {
            found.insert(number);
        }
        let calls_unknown = self.calls_unknown(id);
        for &location in &effects.uses {
            let is_reached = !self.stored_in(location).is_empty();
            if is_reached && self.passes(id, location, calls_unknown) {
                found.union(&of_location(location));
            }
        }
        // Results are locations of the callee, not operands of the statement.
        for call in &effects.calls {
            if call.is_function() {
                for part in self.readers.model.results(call.target) {
                    found.union(self.stored_in(part));
                }
            }
        }
        if let Some(from_file) = self.from_files.get(&id) {
            found.union(from_file);
        }
        found
    }

    /// The readings that may flow to a location, by the flow-insensitive result.
    fn stored_in(&self, location: LocationId) -> &BitSet {
        &self.locations[location.index()]
    }

    /// The readings in the operands of a statement, along reaching definitions; statements in `seen` were visited before.
    fn nearby_readings(&self, id: StatementId, seen: &mut BTreeSet<StatementId>) -> BitSet {
        // The flow-insensitive result contains at least these readings.
        if seen.len() >= MAX_DISTANCE {
            return self.computed_from(id, |location| self.stored_in(location).clone());
        }
        // Its readings are already in the result of the walk.
        if !seen.insert(id) {
            return BitSet::default();
        }
        self.computed_from(id, |location| self.reaching_readings(location, id, seen))
    }

    /// The readings that the definitions of a location which reach a statement may store there.
    fn reaching_readings(
        &self,
        location: LocationId,
        at: StatementId,
        seen: &mut BTreeSet<StatementId>,
    ) -> BitSet {
        let Readers { model, control, .. } = *self.readers;
        if !model.followed[location.index()] {
            return self.stored_in(location).clone();
        }
        let procedure = model.program.statement(at).procedure;
        let reaching = &control.reaching[procedure.0 as usize];
        let definitions = reaching.definitions(location, CfgNode::Statement(at));
        let Some(definitions) = definitions else {
            return self.stored_in(location).clone();
        };
        let mut found = BitSet::default();
        for definition in definitions {
            found.union(&self.received_from(location, definition, seen));
        }
        found
    }

    fn received_from(
        &self,
        location: LocationId,
        definition: CfgNode,
        seen: &mut BTreeSet<StatementId>,
    ) -> BitSet {
        let model = self.readers.model;
        let CfgNode::Statement(id) = definition else {
            // At the entry of a procedure only a dummy has a value; a local variable is undefined.
            if model.locations.get(location).dummy.is_some() {
                return self.stored_in(location).clone();
            }
            return BitSet::default();
        };
        let mut found = BitSet::default();
        for definition in &model.effects.of_statement(id).definitions {
            if definition.location != location {
                continue;
            }
            let mut own = BitSet::default();
            if definition.via == Via::Own {
                own = self.nearby_readings(id, seen);
            }
            let calls_unknown = self.calls_unknown(id);
            if let Some(stored) = self.stored_by(id, *definition, &own, calls_unknown) {
                found.union(stored);
            }
        }
        found
    }

    /// The readings that a definition stores, if any; `own` are those in the operands of the statement.
    fn stored_by<'s>(
        &'s self,
        id: StatementId,
        definition: Definition,
        own: &'s BitSet,
        calls_unknown: bool,
    ) -> Option<&'s BitSet> {
        match definition.via {
            Via::Own if !own.is_empty() && self.passes(id, definition.location, calls_unknown) => {
                Some(own)
            }
            Via::Dummy(_, dummy) => Some(self.stored_in(dummy)),
            // Only payloads that a receiver needs are delivered in the slice.
            Via::Payload(class) if self.readers.needed.payload.contains(&class) => {
                self.classes.get(&class)
            }
            Via::Own | Via::Payload(_) | Via::Envelope => None,
        }
    }

    /// The transfer function of a statement: what has grown.
    fn statement(&mut self, id: StatementId) -> Vec<Origin> {
        let model = self.readers.model;
        let effects = model.effects.of_statement(id);
        let mut grown = Vec::new();
        for &(class, location) in &effects.sends {
            let sent = &self.locations[location.index()];
            if sent.is_empty() {
                continue;
            }
            for reader in self.readers.needed.readers_of(class) {
                if self.classes.entry(reader).or_default().union(sent) {
                    grown.push(Origin::Class(reader));
                }
            }
        }
        let own = self.computed_from(id, |location| self.stored_in(location).clone());
        let calls_unknown = self.calls_unknown(id);
        for &definition in &effects.definitions {
            let stored = self.stored_by(id, definition, &own, calls_unknown).cloned();
            if let Some(stored) = stored
                && self.locations[definition.location.index()].union(&stored)
            {
                grown.push(Origin::Location(definition.location));
            }
        }
        for call in &effects.calls {
            for (part, actual) in passed(model, call) {
                let mut readings = BitSet::default();
                for location in actual {
                    readings.union(self.stored_in(location));
                }
                if self.locations[part.index()].union(&readings) {
                    grown.push(Origin::Location(part));
                }
            }
        }
        // A time that is written to a file returns to the program when the file is read.
        if !own.is_empty() && self.files.writes(id) {
            for reader in self.files.read_after(id) {
                if self.from_files.entry(reader).or_default().union(&own) {
                    grown.push(Origin::Files(reader));
                }
            }
        }
        grown
    }
}
