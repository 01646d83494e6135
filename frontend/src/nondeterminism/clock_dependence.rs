//! Clock-dependent control flow: whether a clock, or another nondeterministic value
//! ([`crate::effects::varying_values`]), determines which MPI calls are made.
//!
//! A forward may-analysis. The lattice maps each location, message class and READ statement to the set of statements whose
//! readings may flow there, ordered by inclusion; the transfer function of a statement adds the readings in its operands
//! to its definitions, and the analysis iterates to the least fixpoint, flow-insensitively and by whole locations. For a
//! branch, a backward walk along reaching definitions then narrows the set to the readings that reach it.
//!
//! A procedure without source carries readings between its arguments only. It may write all COMMON and module variables,
//! but assuming that it stores times there would make every branch of a program clock-dependent. Which files carry
//! readings is in [`crate::nondeterminism::file_dataflow`].

use crate::effects::message_levels::MessageClass;
use crate::effects::statement_effects::{Definition, Via};
use crate::effects::varying_values::{self, Nondeterminism};
use crate::graphs::call_graph;
use crate::graphs::control_flow_graph::CfgNode;
use crate::ir::{Callee, StatementId, StatementKind};
use crate::memory::locations::LocationId;
use crate::nondeterminism::file_dataflow::FileDataflow;
use crate::nondeterminism::mpi_outputs::Readers;
use std::collections::{BTreeMap, BTreeSet};

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
    let mut analysis = ClockAnalysis {
        readers,
        locations: BTreeMap::new(),
        classes: BTreeMap::new(),
        from_files: BTreeMap::new(),
        files: FileDataflow::of(readers),
        is_seeded: varying_values::is_seeded(model),
    };
    // Most programs read no clock in the slice, and need no analysis.
    if kept.iter().all(|&id| analysis.reads(id).is_empty()) {
        return Vec::new();
    }
    let mut grown = true;
    while grown {
        grown = false;
        for &id in &kept {
            grown |= analysis.statement(id);
        }
    }
    let mut found = Vec::new();
    for statement in kept {
        if !determines_calls(&model.program.statement(statement).kind) {
            continue;
        }
        let readings = analysis.nearby_readings(statement, &mut BTreeSet::new());
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

struct ClockAnalysis<'a> {
    readers: &'a Readers<'a>,
    /// The readings that may flow to each location.
    locations: BTreeMap<LocationId, Readings>,
    /// The readings that may flow into the payload of messages.
    classes: BTreeMap<MessageClass, Readings>,
    /// The readings that READ statements may get from files that the program wrote before.
    from_files: BTreeMap<StatementId, Readings>,
    files: FileDataflow<'a>,
    /// Whether random numbers are the same in each run.
    is_seeded: bool,
}

impl ClockAnalysis<'_> {
    /// The nondeterministic values that a statement itself reads.
    fn reads(&self, id: StatementId) -> Vec<Nondeterminism> {
        let mut found = Vec::new();
        for call in call_graph::calls(&self.readers.model.program.statement(id).kind) {
            found.extend(varying_values::read_by(&call, self.is_seeded));
        }
        found
    }

    /// The cause of a dependence, as a message.
    fn reason(&self, readings: &Readings) -> String {
        let mut kinds = BTreeSet::new();
        for &id in readings {
            kinds.extend(self.reads(id));
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

    /// Whether readings may flow between a location and a statement: not through files, which [`FileDataflow`] follows, and
    /// in a call of a procedure without source only through locations that the call names.
    fn passes(&self, id: StatementId, location: LocationId) -> bool {
        let model = self.readers.model;
        if model.locations.is_file(location) {
            return false;
        }
        for call in call_graph::calls(&model.program.statement(id).kind) {
            if model.calls.is_unknown(call.callee) {
                return model.effects.of_statement(id).mentions.contains(&location);
            }
        }
        true
    }

    /// The readings in the operands of a statement, where `of_location` returns those of each location.
    fn computed_from(
        &self,
        id: StatementId,
        mut of_location: impl FnMut(LocationId) -> Readings,
    ) -> Readings {
        let effects = self.readers.model.effects.of_statement(id);
        let mut found = Readings::new();
        if !self.reads(id).is_empty() {
            found.insert(id);
        }
        for &location in &effects.uses {
            if self.locations.contains_key(&location) && self.passes(id, location) {
                found.extend(of_location(location));
            }
        }
        // Results are locations of the callee, not operands of the statement.
        for call in &effects.calls {
            if call.is_function() {
                for part in self.readers.model.results(call.target) {
                    found.extend(self.stored_in(part));
                }
            }
        }
        if let Some(from_file) = self.from_files.get(&id) {
            found.extend(from_file);
        }
        found
    }

    /// The readings that may flow to a location, by the flow-insensitive result.
    fn stored_in(&self, location: LocationId) -> Readings {
        self.locations.get(&location).cloned().unwrap_or_default()
    }

    /// The readings in the operands of a statement, along reaching definitions; statements in `seen` were visited before.
    fn nearby_readings(&self, id: StatementId, seen: &mut BTreeSet<StatementId>) -> Readings {
        // The flow-insensitive result contains at least these readings.
        if seen.len() >= MAX_DISTANCE {
            return self.computed_from(id, |location| self.stored_in(location));
        }
        // Its readings are already in the result of the walk.
        if !seen.insert(id) {
            return Readings::new();
        }
        self.computed_from(id, |location| self.reaching_readings(location, id, seen))
    }

    /// The readings that the definitions of a location which reach a statement may store there.
    fn reaching_readings(
        &self,
        location: LocationId,
        at: StatementId,
        seen: &mut BTreeSet<StatementId>,
    ) -> Readings {
        let Readers { model, control, .. } = *self.readers;
        let procedure = model.program.statement(at).procedure;
        let reaching = &control.reaching[procedure.0 as usize];
        let definitions = reaching.definitions(location, CfgNode::Statement(at));
        let Some(definitions) = definitions else {
            return self.stored_in(location);
        };
        if !model.followed[location.index()] {
            return self.stored_in(location);
        }
        let mut found = Readings::new();
        for definition in definitions {
            found.extend(self.received_from(location, definition, seen));
        }
        found
    }

    fn received_from(
        &self,
        location: LocationId,
        definition: CfgNode,
        seen: &mut BTreeSet<StatementId>,
    ) -> Readings {
        let model = self.readers.model;
        let CfgNode::Statement(id) = definition else {
            // At the entry of a procedure only a dummy has a value; a local variable is undefined.
            if model.locations.get(location).dummy.is_some() {
                return self.stored_in(location);
            }
            return Readings::new();
        };
        let mut found = Readings::new();
        for definition in &model.effects.of_statement(id).definitions {
            if definition.location != location {
                continue;
            }
            let mut own = Readings::new();
            if definition.via == Via::Own {
                own = self.nearby_readings(id, seen);
            }
            found.extend(self.stored_by(id, *definition, &own));
        }
        found
    }

    /// The readings that a definition stores; `own` are those in the operands of the statement.
    fn stored_by(&self, id: StatementId, definition: Definition, own: &Readings) -> Readings {
        match definition.via {
            Via::Own if !own.is_empty() && self.passes(id, definition.location) => own.clone(),
            Via::Dummy(_, dummy) => self.stored_in(dummy),
            // Only payloads that a receiver needs are delivered in the slice.
            Via::Payload(class) if self.readers.needed.payload.contains(&class) => {
                self.sent_to(class)
            }
            Via::Own | Via::Payload(_) | Via::Envelope => Readings::new(),
        }
    }

    /// The readings in the payload of messages that may match a class.
    fn sent_to(&self, class: MessageClass) -> Readings {
        let mut found = Readings::new();
        for (sent, readings) in &self.classes {
            if sent.may_match(class) {
                found.extend(readings);
            }
        }
        found
    }

    /// The transfer function of a statement; whether anything is new.
    fn statement(&mut self, id: StatementId) -> bool {
        let model = self.readers.model;
        let effects = model.effects.of_statement(id);
        let mut grown = false;
        for &(class, location) in &effects.sends {
            let sent = self.stored_in(location);
            grown |= add(&mut self.classes, class, sent);
        }
        let own = self.computed_from(id, |location| self.stored_in(location));
        for &definition in &effects.definitions {
            let stored = self.stored_by(id, definition, &own);
            grown |= add(&mut self.locations, definition.location, stored);
        }
        for call in &effects.calls {
            for dummy in model
                .program
                .procedure(call.target)
                .dummies
                .iter()
                .flatten()
            {
                for part in model.locations.innermost_of(*dummy) {
                    let mut passed = Readings::new();
                    for location in call.seen_by_caller(part, &model.locations, false) {
                        passed.extend(self.stored_in(location));
                    }
                    grown |= add(&mut self.locations, part, passed);
                }
            }
        }
        // A time that is written to a file returns to the program when the file is read.
        if !own.is_empty() && self.files.writes(id) {
            for reader in self.files.read_after(id) {
                grown |= add(&mut self.from_files, reader, own.clone());
            }
        }
        grown
    }
}

/// Adds readings to those of a key; whether any is new.
fn add<K: Ord>(map: &mut BTreeMap<K, Readings>, key: K, found: Readings) -> bool {
    if found.is_empty() {
        return false;
    }
    let known = map.entry(key).or_default();
    let before = known.len();
    known.extend(found);
    known.len() > before
}
