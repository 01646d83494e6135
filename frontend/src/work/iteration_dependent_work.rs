//! Blocks whose work depends on data that a loop with communication around them changes: what they take in one iteration
//! tells nothing of what they take in others. Followed is what decides a block's work (conditions, bounds and
//! selections) back to what an iteration of the loop begins with. What is made anew of the same in each iteration stays;
//! what depends on itself, on messages or on the loop's own number changes. Whoever writes and reads is not distinguished by
//! when, so what stays may be said to change, and not the other way round.
//!
//! Not here: whether a block's work depends on data at all ([`crate::work::work_terms`], [`crate::work::data_dependent_branches`]), and whether
//! others send what decides it ([`crate::work::message_dependent_work`]).

use crate::blocks::block_finder::{self, Found};
use crate::dataflow::loop_carried::passed;
use crate::effects::model::Model;
use crate::effects::statement_effects::Via;
use crate::graphs::assumed_outcomes::Clause;
use crate::graphs::reachable_statements::ReachableStatements;
use crate::ir::bit_set::BitSet;
use crate::ir::statement_tree::{self, do_variable};
use crate::ir::{ProcedureId, StatementId, StatementKind};
use crate::work::control_locations::of_amounts;
use crate::work::statement_costs::{By, Nothing, StatementCosts, is_short};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// The loops with communication of a program, and what changes while they run.
pub(crate) struct IterationDependentLoops<'a> {
    model: &'a Model<'a>,
    error_exits: &'a [Clause],
    loops: Vec<Loop>,
}

struct Loop {
    repeat: StatementId,
    executed: ReachableStatements,
    found: OnceCell<IterationDependence>,
}

/// What the loops around a block change.
#[derive(Clone)]
pub(crate) struct IterationDependence {
    /// Places.
    pub(crate) places: BitSet,
    /// Without those of loops that make a few iterations again and again: whatever such a loop does is seen soon.
    pub(crate) late: BitSet,
    /// What one iteration of the smallest of them weighs, by each of [`By::ALL`].
    pub(crate) iteration: [f64; 2],
}

impl<'a> IterationDependentLoops<'a> {
    /// Those of what was found.
    pub(crate) fn of(model: &'a Model<'a>, found: &[Found], error_exits: &'a [Clause]) -> Self {
        let of_loop = |repeat| Loop {
            repeat,
            executed: ReachableStatements::in_body(model, repeat),
            found: OnceCell::new(),
        };
        IterationDependentLoops {
            model,
            error_exits,
            loops: block_finder::loops(found).map(of_loop).collect(),
        }
    }

    /// What changes while the loops around a statement run; `None` without such a loop.
    pub(crate) fn around(&self, first: StatementId) -> Option<IterationDependence> {
        self.each_around(first)
            .map(|(_, changing)| changing)
            .cloned()
            .reduce(|mut all, more| {
                all.places.union(&more.places);
                all.late.union(&more.late);
                let [statements, time] =
                    [0, 1].map(|by: usize| all.iteration[by].min(more.iteration[by]));
                IterationDependence {
                    iteration: [statements, time],
                    ..all
                }
            })
    }

    /// The loops around a statement, and what changes while each runs.
    pub(crate) fn each_around(
        &self,
        first: StatementId,
    ) -> impl Iterator<Item = (StatementId, &IterationDependence)> {
        let around = self
            .loops
            .iter()
            .filter(move |one| one.executed.statements.contains(&first));
        around.map(|one| (one.repeat, one.found.get_or_init(|| self.changing(one))))
    }

    /// Of the loops in which a block's work changes, whether that has to be followed over the whole run: not where one
    /// around them repeats what it did, many times.
    pub(crate) fn changes_permanently(&self, changing: &[StatementId]) -> bool {
        let repeats = |around: &Loop, repeat: StatementId| {
            let kind = &self.model.program.statement(around.repeat).kind;
            around.repeat != repeat
                && around.executed.statements.contains(&repeat)
                && !changing.contains(&around.repeat)
                && !self.is_inside(around.repeat)
                && !is_short(self.model.program, kind)
        };
        !changing
            .iter()
            .all(|&repeat| self.loops.iter().any(|around| repeats(around, repeat)))
    }

    /// Whether a loop is executed in another one.
    fn is_inside(&self, repeat: StatementId) -> bool {
        self.loops
            .iter()
            .any(|other| other.executed.statements.contains(&repeat))
    }

    fn changing(&self, one: &Loop) -> IterationDependence {
        let kind = &self.model.program.statement(one.repeat).kind;
        let iteration = By::ALL.map(|by| {
            let mut scales = StatementCosts::new(self.model, self.error_exits, by, Nothing);
            kind.bodies()
                .into_iter()
                .map(|body| scales.weigh(body).all)
                .sum()
        });
        let places = Iteration::of(self.model, one.repeat, &one.executed).changing();
        let is_seen_whole = self.is_inside(one.repeat) && is_short(self.model.program, kind);
        let late = if is_seen_whole {
            BitSet::default()
        } else {
            places.clone()
        };
        IterationDependence {
            places,
            late,
            iteration,
        }
    }
}

/// What conditions, bounds and selections of a block read.
pub(crate) fn deciding(model: &Model, block: &[StatementId]) -> BitSet {
    let mut read = BitSet::default();
    let executed = ReachableStatements::of(model, block);
    for &id in &executed.statements {
        if decides(&model.program.statement(id).kind) {
            for place in reads(model, id) {
                read.insert(place);
            }
        } else {
            for place in of_amounts(model, id) {
                read.insert(place.index());
            }
        }
    }
    read
}

/// Whether a statement decides what is executed next.
pub(crate) fn decides(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::If { .. }
        | StatementKind::Do { .. }
        | StatementKind::While { .. }
        | StatementKind::Select { .. }
        | StatementKind::Goto { .. } => true,
        StatementKind::Assign { .. }
        | StatementKind::Call { .. }
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

/// All that a statement reads itself, with what it passes and what it is answered.
pub(crate) fn reads(model: &Model, id: StatementId) -> Vec<usize> {
    let effects = model.effects.of_statement(id);
    let answered = effects
        .calls
        .iter()
        .flat_map(|call| model.results(call.target));
    let passed = effects.calls.iter().flat_map(|call| passed(model, call));
    effects
        .uses
        .iter()
        .copied()
        .chain(passed)
        .chain(answered)
        .map(|place| place.index())
        .collect()
}

fn counts_in(model: &Model, id: StatementId, place: usize) -> bool {
    let counter = do_variable(&model.program.statement(id).kind);
    counter
        .and_then(|counter| model.locations.of_variable(counter))
        .is_some_and(|at| at.index() == place)
}

/// What is read where no loop counts in it.
fn read_beside_loops(model: &Model, executed: &ReachableStatements) -> BitSet {
    let mut found = BitSet::default();
    for &id in &executed.statements {
        for place in reads(model, id) {
            if !model
                .outline
                .ancestors(id)
                .any(|above| counts_in(model, above, place))
            {
                found.insert(place);
            }
        }
    }
    found
}

/// What decides how an iteration of a loop goes: what each place that it writes is made of. Beside places there is a
/// node for each procedure: what decides how often it is called and how far it comes.
struct Iteration<'a> {
    model: &'a Model<'a>,
    repeat: StatementId,
    made_of: BTreeMap<usize, BitSet>,
    /// What changes whatever it is made of.
    changing: BitSet,
    /// What is read where no loop counts in it.
    read_beside: BitSet,
}

impl<'a> Iteration<'a> {
    fn of(model: &'a Model<'a>, repeat: StatementId, executed: &ReachableStatements) -> Self {
        let (changing, read_beside) = (BitSet::default(), read_beside_loops(model, executed));
        let mut found = Self {
            model,
            repeat,
            made_of: BTreeMap::new(),
            changing,
            read_beside,
        };
        let counter = do_variable(&model.program.statement(repeat).kind);
        let number = counter.and_then(|counter| model.locations.of_variable(counter));
        for place in number {
            found.changing.insert(place.index());
        }
        for &id in executed.statements.iter() {
            found.add(id);
        }
        found
    }

    fn node(&self, procedure: ProcedureId) -> usize {
        2 * self.model.locations.count() + procedure.0 as usize
    }

    fn add(&mut self, id: StatementId) {
        let model = self.model;
        let statement = model.program.statement(id);
        let effects = model.effects.of_statement(id);
        let control = self.control(id);
        let own: Vec<usize> = reads(model, id)
            .into_iter()
            .chain(control.iter().copied())
            .collect();
        for definition in &effects.definitions {
            let place = definition.location.index();
            match definition.via {
                Via::Payload(_) | Via::Envelope => _ = self.changing.insert(place),
                Via::Dummy(_, dummy) => {
                    self.is_made(place, control.iter().copied().chain([dummy.index()]))
                }
                // Inside a loop its number does not tell whether the loop was come by.
                Via::Own if self.counts_inside(id, place) => {
                    self.is_made(place, reads(model, id).into_iter());
                }
                Via::Own => self.is_made(place, own.iter().copied()),
            }
        }
        if effects.touches_globals {
            for place in model.effects.globals.iter() {
                self.changing.insert(place.index());
            }
        }
        for call in &effects.calls {
            let dummies = model.program.procedure(call.target).dummies.iter();
            for (position, dummy) in dummies.enumerate() {
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
                let of: Vec<usize> = of.chain(at).map(|place| place.index()).collect();
                let places = dummy
                    .iter()
                    .flat_map(|&dummy| model.locations.innermost_of(dummy));
                for place in places {
                    self.is_made(place.index(), of.iter().copied());
                }
            }
            self.is_made(self.node(call.target), control.iter().copied());
        }
        let jump = self
            .jumps_within(&statement.kind)
            .filter(|_| !self.live_out(id));
        if let Some(loop_left) = jump {
            let decided = model
                .outline
                .ancestors(id)
                .take_while(|above| Some(*above) != loop_left);
            let decided: Vec<usize> = decided.flat_map(|above| reads(model, above)).collect();
            self.is_made(self.node(statement.procedure), decided.into_iter());
        }
    }

    /// Whether a statement leaves the loop for what is behind it: that ends what there is to measure, and changes nothing
    /// of an iteration that comes.
    fn live_out(&self, id: StatementId) -> bool {
        let program = self.model.program;
        let (statement, procedure) = (
            program.statement(id),
            program.statement(self.repeat).procedure,
        );
        if statement.procedure != procedure {
            return false;
        }
        let order = self.model.outline.of_procedure(procedure);
        let inside = statement_tree::subtree(program, self.repeat).len();
        let behind = order
            .iter()
            .skip_while(|other| **other != self.repeat)
            .skip(inside);
        let are_behind = |labels: &[u32]| {
            let found = |label: &u32| {
                behind
                    .clone()
                    .any(|&other| program.statement(other).label == Some(*label))
            };
            labels.iter().all(found)
        };
        match &statement.kind {
            StatementKind::Return => true,
            StatementKind::Goto { labels, .. } => are_behind(labels),
            StatementKind::Assign { .. }
            | StatementKind::Call { .. }
            | StatementKind::If { .. }
            | StatementKind::Do { .. }
            | StatementKind::While { .. }
            | StatementKind::Select { .. }
            | StatementKind::Scoped { .. }
            | StatementKind::PointerAssignment { .. }
            | StatementKind::Entry
            | StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Stop
            | StatementKind::Continue
            | StatementKind::InputOutput(_)
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. }
            | StatementKind::Opaque { .. } => false,
        }
    }

    /// Whether a loop counts in a place that is read in such loops only.
    fn counts_inside(&self, id: StatementId, place: usize) -> bool {
        counts_in(self.model, id, place) && !self.read_beside.contains(place)
    }

    /// Whether a statement leaves a part of the iteration out, and the loop to whose end it jumps at the latest.
    fn jumps_within(&self, kind: &StatementKind) -> Option<Option<StatementId>> {
        let outline = &self.model.outline;
        match kind {
            StatementKind::Exit(target) => (*target != self.repeat
                && !outline.is_within(self.repeat, *target))
            .then_some(Some(*target)),
            StatementKind::Cycle(target) => {
                (!outline.ancestors(self.repeat).any(|above| above == *target))
                    .then_some(Some(*target))
            }
            StatementKind::Goto { .. } | StatementKind::Return => Some(None),
            StatementKind::Assign { .. }
            | StatementKind::Call { .. }
            | StatementKind::If { .. }
            | StatementKind::Do { .. }
            | StatementKind::While { .. }
            | StatementKind::Select { .. }
            | StatementKind::Scoped { .. }
            | StatementKind::PointerAssignment { .. }
            | StatementKind::Entry
            | StatementKind::Stop
            | StatementKind::Continue
            | StatementKind::InputOutput(_)
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. }
            | StatementKind::Opaque { .. } => None,
        }
    }

    /// What decides whether a statement is executed, and how often.
    fn control(&self, id: StatementId) -> Vec<usize> {
        let model = self.model;
        let around = model
            .outline
            .ancestors(id)
            .take_while(|above| *above != self.repeat);
        let procedure = model.program.statement(id).procedure;
        around
            .flat_map(|above| reads(model, above))
            .chain([self.node(procedure)])
            .collect()
    }

    fn is_made(&mut self, place: usize, of: impl Iterator<Item = usize>) {
        let known = self.made_of.entry(place).or_default();
        for other in of {
            known.insert(other);
        }
    }

    /// What may differ from one iteration to the next: all but what is made of what stays.
    fn changing(mut self) -> BitSet {
        let mut open = std::mem::take(&mut self.made_of);
        loop {
            let is_open = |place: usize| open.contains_key(&place) || self.changing.contains(place);
            let stays = |of: &BitSet| !of.iter().any(is_open);
            let staying: Vec<usize> = open
                .iter()
                .filter(|(_, of)| stays(of))
                .map(|(&place, _)| place)
                .collect();
            if staying.is_empty() {
                break;
            }
            for place in staying.iter() {
                open.remove(place);
            }
        }
        for &place in open.keys() {
            self.changing.insert(place);
        }
        self.changing
    }
}
