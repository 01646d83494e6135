//! Whether a clock, or what else is another one in each run ([`crate::nondeterminism::varying_values`]), decides which MPI calls are made: a
//! forward walk from what the slice reads of them to its conditions and bounds, by whole places. A procedure
//! without source carries time between its arguments only: it may write all COMMON and module variables, but that it
//! writes times there is no more likely than that it reads a clock of its own, and would make every decision of a
//! program one of a clock. Which files carry time is in [`crate::io::file_dataflow`].

use crate::effects::message_levels::MessageClass;
use crate::effects::statement_effects::{Definition, Via};
use crate::graphs::call_graph;
use crate::graphs::control_flow_graph::CfgNode;
use crate::io::file_dataflow::FileDataflow;
use crate::ir::{Callee, StatementId, StatementKind};
use crate::memory::locations::LocationId;
use crate::nondeterminism::mpi_outputs::Readers;
use crate::nondeterminism::varying_values::{self, Nondeterminism};
use std::collections::{BTreeMap, BTreeSet};

/// A statement that decides by what is another one in each run.
pub(crate) struct Decision {
    /// The statement.
    pub(crate) statement: StatementId,
    /// Those that read what it decides by, in order.
    pub(crate) readings: Readings,
    /// Why it depends on time.
    pub(crate) reason: String,
}

/// Statements that read what is another one in each run.
pub(crate) type Readings = BTreeSet<StatementId>;

/// So many statements are gone back through from a decision to the readings that reach it.
const MAX_DISTANCE: usize = 100;

/// Kept statements that decide something by a clock, in order.
pub(crate) fn decisions(readers: &Readers) -> Vec<Decision> {
    let model = readers.model;
    let kept: Vec<StatementId> = model
        .outline
        .all()
        .filter(|id| readers.kept[id.0 as usize])
        .collect();
    let mut walk = Walk {
        readers,
        places: BTreeMap::new(),
        classes: BTreeMap::new(),
        from_files: BTreeMap::new(),
        files: FileDataflow::of(readers),
        is_seeded: varying_values::is_seeded(model),
    };
    if !kept.iter().any(|&id| walk.reads(id).next().is_some()) {
        return Vec::new();
    }
    while kept
        .iter()
        .fold(false, |grown, &id| walk.statement(id) | grown)
    {}
    let mut found = Vec::new();
    for statement in kept
        .into_iter()
        .filter(|&id| decides(&model.program.statement(id).kind))
    {
        let readings = walk.nearby_readings(statement, &mut BTreeSet::new());
        if !readings.is_empty() {
            let reason = walk.reason(&readings);
            found.push(Decision {
                statement,
                readings,
                reason,
            });
        }
    }
    found
}

fn decides(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::If { .. }
        | StatementKind::Do { .. }
        | StatementKind::While { .. }
        | StatementKind::Select { .. }
        | StatementKind::Goto { .. } => true,
        StatementKind::Call { callee, .. } => matches!(callee, Callee::Mpi(_)),
        StatementKind::Assign { .. }
        | StatementKind::Scoped { .. }
        | StatementKind::PointerAssignment { .. }
        | StatementKind::Entry
        | StatementKind::Exit(_)
        | StatementKind::Cycle(_)
        | StatementKind::Return
        | StatementKind::Stop
        | StatementKind::Continue
        | StatementKind::InputOutput(_)
        | StatementKind::Allocate { .. }
        | StatementKind::Deallocate { .. }
        | StatementKind::Opaque { .. } => false,
    }
}

struct Walk<'a> {
    readers: &'a Readers<'a>,
    /// What each place may come from.
    places: BTreeMap<LocationId, Readings>,
    /// What messages may.
    classes: BTreeMap<MessageClass, Readings>,
    /// What READ statements may get from files that are written before.
    from_files: BTreeMap<StatementId, Readings>,
    files: FileDataflow<'a>,
    /// Whether random numbers are the same in each run.
    is_seeded: bool,
}

impl Walk<'_> {
    /// What a statement itself reads that is another one in each run.
    fn reads(&self, id: StatementId) -> impl Iterator<Item = Nondeterminism> {
        let calls = call_graph::calls(&self.readers.model.program.statement(id).kind);
        let found: Vec<Nondeterminism> = calls
            .iter()
            .filter_map(|call| varying_values::read_by(call, self.is_seeded))
            .collect();
        found.into_iter()
    }

    /// Why a decision depends on time.
    fn reason(&self, readings: &Readings) -> String {
        let kinds: BTreeSet<Nondeterminism> =
            readings.iter().flat_map(|&id| self.reads(id)).collect();
        let name = |kind: &Nondeterminism| match kind {
            Nondeterminism::Clock => "a clock",
            Nondeterminism::RandomNumber => "a random number without a seed",
            Nondeterminism::Process => "the number of a process or the name of its machine",
        };
        let names: Vec<&str> = kinds.iter().map(name).collect();
        let (subject, between) = match &names[..] {
            [one] => (
                one.to_string(),
                if kinds.contains(&Nondeterminism::Clock) {
                    "machines"
                } else {
                    "runs"
                },
            ),
            several => (several.join(", or ") + ",", "runs"),
        };
        format!(
            "{subject} decides here which MPI calls are made: the sequence of calls may differ between {between}"
        )
    }

    /// Whether a place can give time to a statement, or get it: no file, and one that it names, where a
    /// procedure without source is called.
    fn passes(&self, id: StatementId, location: LocationId) -> bool {
        let model = self.readers.model;
        if model.locations.is_file(location) {
            return false;
        }
        let calls = call_graph::calls(&model.program.statement(id).kind);
        let sees_all = !calls.iter().any(|call| model.calls.is_unknown(call.callee));
        sees_all || model.effects.of_statement(id).mentions.contains(&location)
    }

    /// What the value of a statement may come from, if each place holds what `of_place` says.
    fn computed_from(
        &self,
        id: StatementId,
        mut of_place: impl FnMut(LocationId) -> Readings,
    ) -> Readings {
        let effects = self.readers.model.effects.of_statement(id);
        let mut found: Readings = self.reads(id).map(|_| id).collect();
        let passing = effects
            .uses
            .iter()
            .filter(|&&place| self.places.contains_key(&place));
        found.extend(
            passing
                .filter(|&&place| self.passes(id, place))
                .flat_map(|&place| of_place(place)),
        );
        for call in effects.calls.iter().filter(|call| call.is_function()) {
            let results = self.readers.model.results(call.target).into_iter();
            found.extend(results.flat_map(|part| self.stored_in(part)));
        }
        found.extend(self.from_files.get(&id).into_iter().flatten());
        found
    }

    /// What a place may hold, wherever it is read.
    fn stored_in(&self, place: LocationId) -> Readings {
        self.places.get(&place).cloned().unwrap_or_default()
    }

    /// What the value of a statement comes from by the definitions that reach it; what was `seen` is counted before.
    fn nearby_readings(&self, id: StatementId, seen: &mut BTreeSet<StatementId>) -> Readings {
        if seen.len() >= MAX_DISTANCE {
            return self.computed_from(id, |place| self.stored_in(place));
        }
        if !seen.insert(id) {
            return Readings::new();
        }
        let Readers { model, control, .. } = *self.readers;
        let reaching = &control.reaching[model.program.statement(id).procedure.0 as usize];
        self.computed_from(id, |place| {
            let known = model.followed[place.index()];
            match reaching
                .definitions(place, CfgNode::Statement(id))
                .filter(|_| known)
            {
                Some(points) => points
                    .into_iter()
                    .flat_map(|point| self.received_from(place, point, seen))
                    .collect(),
                None => self.stored_in(place),
            }
        })
    }

    fn received_from(
        &self,
        place: LocationId,
        point: CfgNode,
        seen: &mut BTreeSet<StatementId>,
    ) -> Readings {
        let model = self.readers.model;
        let CfgNode::Statement(id) = point else {
            // Before its procedure begins, a variable of its own holds nothing.
            let is_given = model.locations.get(place).dummy.is_some();
            return if is_given {
                self.stored_in(place)
            } else {
                Readings::new()
            };
        };
        let definitions = &model.effects.of_statement(id).definitions;
        let there = definitions
            .iter()
            .filter(|definition| definition.location == place);
        let mut found = Readings::new();
        for definition in there {
            let is_own = definition.via == Via::Own;
            let own = if is_own {
                self.nearby_readings(id, seen)
            } else {
                Readings::new()
            };
            found.extend(self.brought(id, *definition, &own));
        }
        found
    }

    /// What a statement brings to a place; `own` is what its value may come from.
    fn brought(&self, id: StatementId, definition: Definition, own: &Readings) -> Readings {
        match definition.via {
            Via::Own if !own.is_empty() && self.passes(id, definition.location) => own.clone(),
            Via::Dummy(_, dummy) => self.stored_in(dummy),
            Via::Payload(class) if self.readers.needed.payload.contains(&class) => {
                self.classes.get(&class).cloned().unwrap_or_default()
            }
            Via::Own | Via::Payload(_) | Via::Envelope => Readings::new(),
        }
    }

    /// Carries times through a statement; whether anything is new.
    fn statement(&mut self, id: StatementId) -> bool {
        let model = self.readers.model;
        let effects = model.effects.of_statement(id);
        let mut grown = false;
        for &(class, place) in &effects.sends {
            let held = self.stored_in(place);
            grown |= add(&mut self.classes, class, held);
        }
        let own = self.computed_from(id, |place| self.stored_in(place));
        for &definition in &effects.definitions {
            let brought = self.brought(id, definition, &own);
            grown |= add(&mut self.places, definition.location, brought);
        }
        for call in &effects.calls {
            let dummies = &model.program.procedure(call.target).dummies;
            for part in dummies
                .iter()
                .flatten()
                .flat_map(|&v| model.locations.innermost_of(v))
            {
                let seen = call.seen_by_caller(part, &model.locations, false);
                let held = seen
                    .into_iter()
                    .flat_map(|place| self.stored_in(place))
                    .collect();
                grown |= add(&mut self.places, part, held);
            }
        }
        if !own.is_empty() && self.files.writes(id) {
            for reader in self.files.read_after(id) {
                grown |= add(&mut self.from_files, reader, own.clone());
            }
        }
        grown
    }
}

/// Whether anything of it is new.
fn add<K: Ord>(map: &mut BTreeMap<K, Readings>, key: K, found: Readings) -> bool {
    if found.is_empty() {
        return false;
    }
    let known = map.entry(key).or_default();
    let before = known.len();
    known.extend(found);
    known.len() > before
}
