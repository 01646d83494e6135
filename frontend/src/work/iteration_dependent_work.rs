//! Iteration-dependent work: blocks whose work depends on data that a loop with communication around them changes, so that
//! one iteration does not predict others.
//!
//! For one iteration of a loop, a dependence graph over locations is built: each location that the iteration writes depends
//! on the operands and the control locations of its definitions. A location varies between iterations if it depends on
//! itself, on a message or on the loop index; all other locations are recomputed from invariant ones. This is the greatest
//! fixpoint of "varies", flow-insensitively: the analysis may classify an invariant location as varying, but not the
//! reverse.
//!
//! Whether the work of a block depends on data at all is in [`crate::work::work_terms`] and
//! [`crate::work::data_dependent_branches`]; whether other ranks send its control locations is in
//! [`crate::work::message_dependent_work`].

use crate::blocks::block_finder::{self, Found};
use crate::dataflow::control_locations::of_amounts;
use crate::dataflow::loop_carried::{argument, reads};
use crate::dataflow::reachable_statements::ReachableStatements;
use crate::effects::model::Model;
use crate::effects::statement_effects::Via;
use crate::graphs::assumed_outcomes::Clause;
use crate::ir::bit_set::BitSet;
use crate::ir::statement_tree::{self, do_variable};
use crate::ir::{ProcedureId, StatementId, StatementKind};
use crate::work::statement_costs::{By, Nothing, StatementCosts, is_short};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// The loops with communication of a program, with the locations that vary between their iterations.
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

/// The locations that vary between the iterations of loops around a block.
#[derive(Clone)]
pub(crate) struct IterationDependence {
    pub(crate) places: BitSet,
    /// Without those of short loops that are executed again and again, which measurement soon sees as a whole.
    pub(crate) late: BitSet,
    /// The least static cost of one iteration, by each of [`By::ALL`].
    pub(crate) iteration: [f64; 2],
}

impl<'a> IterationDependentLoops<'a> {
    pub(crate) fn of(model: &'a Model<'a>, found: &[Found], error_exits: &'a [Clause]) -> Self {
        let mut loops = Vec::new();
        for repeat in block_finder::loops(found) {
            loops.push(Loop {
                repeat,
                executed: ReachableStatements::in_body(model, repeat),
                found: OnceCell::new(),
            });
        }
        IterationDependentLoops {
            model,
            error_exits,
            loops,
        }
    }

    /// The locations that vary in any loop around a statement; `None` without such a loop.
    pub(crate) fn around(&self, first: StatementId) -> Option<IterationDependence> {
        let mut all: Option<IterationDependence> = None;
        for (_, one) in self.each_around(first) {
            // The smallest iteration: a share that is relevant there must not be missed.
            let Some(all) = &mut all else {
                all = Some(one.clone());
                continue;
            };
            all.places.union(&one.places);
            all.late.union(&one.late);
            for (least, cost) in all.iteration.iter_mut().zip(one.iteration) {
                *least = least.min(cost);
            }
        }
        all
    }

    /// The loops around a statement, each with the locations that vary between its iterations.
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

    /// Whether work that depends on the iteration of some loops must be observed over the whole run: not if each of them is
    /// in a long outermost loop that repeats it.
    pub(crate) fn changes_permanently(&self, changing: &[StatementId]) -> bool {
        for &repeat in changing {
            let mut outer = self.loops.iter();
            if !outer.any(|outer| self.repeats(outer, repeat, changing)) {
                return true;
            }
        }
        false
    }

    /// Whether a loop executes another one many times, with the same course each time.
    fn repeats(&self, outer: &Loop, repeat: StatementId, changing: &[StatementId]) -> bool {
        let kind = &self.model.program.statement(outer.repeat).kind;
        outer.repeat != repeat
            && outer.executed.statements.contains(&repeat)
            && !changing.contains(&outer.repeat)
            && !self.is_inside(outer.repeat)
            && !is_short(self.model.program, kind)
    }

    /// Whether another loop executes a loop.
    fn is_inside(&self, repeat: StatementId) -> bool {
        self.loops
            .iter()
            .any(|other| other.executed.statements.contains(&repeat))
    }

    fn changing(&self, one: &Loop) -> IterationDependence {
        let kind = &self.model.program.statement(one.repeat).kind;
        let mut iteration = [0.0; 2];
        for (cost, by) in iteration.iter_mut().zip(By::ALL) {
            let mut scales = StatementCosts::new(self.model, self.error_exits, by, Nothing);
            for body in kind.bodies() {
                *cost += scales.weigh(body).all;
            }
        }
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

/// The control locations of a block: what its conditions, bounds and selections read.
pub(crate) fn deciding(model: &Model, block: &[StatementId]) -> BitSet {
    let mut read = BitSet::default();
    let executed = ReachableStatements::of(model, block);
    for &id in &executed.statements {
        if model.program.statement(id).kind.is_branch() {
            for location in reads(model, id) {
                read.insert(location);
            }
        } else {
            for location in of_amounts(model, id) {
                read.insert(location.index());
            }
        }
    }
    read
}

/// Whether a statement is a loop whose DO variable is a location.
fn counts_in(model: &Model, id: StatementId, location: usize) -> bool {
    let Some(counter) = do_variable(&model.program.statement(id).kind) else {
        return false;
    };
    match model.locations.of_variable(counter) {
        Some(at) => at.index() == location,
        None => false,
    }
}

/// The locations that are read outside the loops that use them as DO variables.
fn read_beside_loops(model: &Model, executed: &ReachableStatements) -> BitSet {
    let mut found = BitSet::default();
    for &id in &executed.statements {
        for location in reads(model, id) {
            let mut around = model.outline.ancestors(id);
            if !around.any(|above| counts_in(model, above, location)) {
                found.insert(location);
            }
        }
    }
    found
}

/// The dependence graph of one iteration of a loop, over locations. A node for each procedure represents how often it is
/// called and how far control gets in it.
struct Iteration<'a> {
    model: &'a Model<'a>,
    repeat: StatementId,
    /// The nodes that each node depends on.
    operands: BTreeMap<usize, BitSet>,
    /// Locations that vary whatever they depend on.
    changing: BitSet,
    /// Locations that are read outside the loops that use them as DO variables.
    read_beside: BitSet,
}

/// Where a jump continues.
#[derive(Clone, Copy, PartialEq)]
enum Jump {
    /// At the end of a construct, or of its iteration.
    ToEndOf(StatementId),
    /// Anywhere in the procedure, or behind its call.
    Anywhere,
}

impl<'a> Iteration<'a> {
    fn of(model: &'a Model<'a>, repeat: StatementId, executed: &ReachableStatements) -> Self {
        let mut found = Self {
            model,
            repeat,
            operands: BTreeMap::new(),
            changing: BitSet::default(),
            read_beside: read_beside_loops(model, executed),
        };
        if let Some(counter) = do_variable(&model.program.statement(repeat).kind)
            && let Some(location) = model.locations.of_variable(counter)
        {
            found.changing.insert(location.index());
        }
        for &id in &executed.statements {
            found.add(id);
        }
        found
    }

    fn node(&self, procedure: ProcedureId) -> usize {
        2 * self.model.locations.count() + procedure.0 as usize
    }

    /// Adds the dependences that a statement creates.
    fn add(&mut self, id: StatementId) {
        let model = self.model;
        let statement = model.program.statement(id);
        let effects = model.effects.of_statement(id);
        let control = self.control(id);
        let read = reads(model, id);
        for definition in &effects.definitions {
            let location = definition.location.index();
            match definition.via {
                Via::Payload(_) | Via::Envelope => {
                    self.changing.insert(location);
                }
                Via::Dummy(_, dummy) => {
                    self.add_operands(location, &control);
                    self.add_operands(location, &[dummy.index()]);
                }
                Via::Own => {
                    self.add_operands(location, &read);
                    // A DO variable that is read in its loop only does not show whether the loop was executed.
                    if !self.counts_inside(id, location) {
                        self.add_operands(location, &control);
                    }
                }
            }
        }
        // A procedure without source may store anything there in each iteration.
        if effects.touches_globals {
            for location in model.effects.globals.iter() {
                self.changing.insert(location.index());
            }
        }
        for call in &effects.calls {
            let dummies = &model.program.procedure(call.target).dummies;
            for (position, dummy) in dummies.iter().enumerate() {
                let Some(dummy) = *dummy else {
                    continue;
                };
                let passed = argument(model, call, position);
                for part in model.locations.innermost_of(dummy) {
                    self.add_operands(part.index(), &passed);
                }
            }
            self.add_operands(self.node(call.target), &control);
        }
        if let Some(jump) = self.jump(&statement.kind)
            && !self.leaves_loop(id)
        {
            // What follows the jump up to its target depends on the conditions around it.
            let mut conditions = Vec::new();
            for above in model.outline.ancestors(id) {
                if jump == Jump::ToEndOf(above) {
                    break;
                }
                conditions.extend(reads(model, above));
            }
            self.add_operands(self.node(statement.procedure), &conditions);
        }
    }

    /// Whether a statement leaves the loop for good: it ends the measured iterations, and affects no later one.
    fn leaves_loop(&self, id: StatementId) -> bool {
        let program = self.model.program;
        let procedure = program.statement(self.repeat).procedure;
        let statement = program.statement(id);
        if statement.procedure != procedure {
            return false;
        }
        match &statement.kind {
            StatementKind::Return => true,
            StatementKind::Goto { labels, .. } => {
                let targets = self.labels_behind();
                labels.iter().all(|label| targets.contains(label))
            }
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

    /// The labels of statements behind the loop.
    fn labels_behind(&self) -> BTreeSet<u32> {
        let program = self.model.program;
        let procedure = program.statement(self.repeat).procedure;
        let inside = statement_tree::subtree(program, self.repeat).len();
        let order = self.model.outline.of_procedure(procedure).iter();
        let from_loop = order.skip_while(|other| **other != self.repeat);
        let mut labels = BTreeSet::new();
        for &behind in from_loop.skip(inside) {
            labels.extend(program.statement(behind).label);
        }
        labels
    }

    /// Whether a location is the DO variable of a statement and is read in such loops only.
    fn counts_inside(&self, id: StatementId, location: usize) -> bool {
        counts_in(self.model, id, location) && !self.read_beside.contains(location)
    }

    /// The jump that a statement makes within the iteration, if it makes one.
    fn jump(&self, kind: &StatementKind) -> Option<Jump> {
        let outline = &self.model.outline;
        match kind {
            // An EXIT of this loop, or of one around it, ends the iterations.
            StatementKind::Exit(target) => {
                if *target == self.repeat || outline.is_within(self.repeat, *target) {
                    return None;
                }
                Some(Jump::ToEndOf(*target))
            }
            StatementKind::Cycle(target) => {
                if outline.ancestors(self.repeat).any(|above| above == *target) {
                    return None;
                }
                Some(Jump::ToEndOf(*target))
            }
            StatementKind::Goto { .. } | StatementKind::Return => Some(Jump::Anywhere),
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

    /// The nodes that determine whether a statement is executed in the iteration, and how often.
    fn control(&self, id: StatementId) -> Vec<usize> {
        let model = self.model;
        let mut control = Vec::new();
        for above in model.outline.ancestors(id) {
            if above == self.repeat {
                break;
            }
            control.extend(reads(model, above));
        }
        control.push(self.node(model.program.statement(id).procedure));
        control
    }

    fn add_operands(&mut self, node: usize, operands: &[usize]) {
        let known = self.operands.entry(node).or_default();
        for &operand in operands {
            known.insert(operand);
        }
    }

    /// The locations that may vary between iterations: all except those that depend on invariant ones only.
    fn changing(mut self) -> BitSet {
        // Removes, round by round, locations whose operands are all invariant. What remains depends
        // on itself or on a varying location: the greatest fixpoint.
        let mut open = std::mem::take(&mut self.operands);
        loop {
            let mut invariant = Vec::new();
            for (&node, operands) in &open {
                let varies = |one: usize| open.contains_key(&one) || self.changing.contains(one);
                // A location that depends on itself stays open: it accumulates.
                if !operands.iter().any(varies) {
                    invariant.push(node);
                }
            }
            if invariant.is_empty() {
                break;
            }
            for node in invariant {
                open.remove(&node);
            }
        }
        for &node in open.keys() {
            self.changing.insert(node);
        }
        self.changing
    }
}
