//! Iteration-dependent work: blocks whose work depends on data that a loop with communication around them changes, so that
//! one iteration does not predict others.
//!
//! For one iteration of a loop, a dependence graph over locations is built: each location that the iteration writes depends
//! on the operands and the control locations of its definitions. A location varies between iterations if it depends on
//! itself, on a message or on the loop index; all other locations are recomputed from invariant ones. This is the greatest
//! fixpoint of "varies", flow-insensitively: the analysis may classify an invariant location as varying, but not the
//! reverse. A worklist removes what is invariant, in time linear in the graph.
//!
//! Whether the work of a block depends on data at all is in [`crate::work::work_terms`] and
//! [`crate::work::data_dependent_branches`]; whether other ranks send its control locations is in
//! [`crate::work::message_dependent_work`].

use crate::blocks::block_finder::{self, ProgramElement};
use crate::dataflow::control_locations::of_amounts;
use crate::dataflow::loop_carried::{StatementReads, argument, reads};
use crate::dataflow::reachable_statements::ReachableStatements;
use crate::dataflow::sorted_edges::{Edge, dependents};
use crate::effects::model::Model;
use crate::effects::statement_effects::Via;
use crate::graphs::assumed_outcomes::Clause;
use crate::ir::bit_set::BitSet;
use crate::ir::statement_tree::{self, do_variable};
use crate::ir::{ProcedureId, StatementId, StatementKind};
use crate::work::statement_costs::{By, Nothing, StatementCosts, is_short};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;

/// The loops with communication of a program, with the locations that vary between their iterations.
pub(crate) struct IterationDependentLoops<'a> {
    model: &'a Model<'a>,
    loops: Vec<Loop<'a>>,
    /// Static costs, by each of [`By::ALL`]; loops share those of procedures.
    costs: RefCell<[StatementCosts<'a, Nothing>; 2]>,
    reads: &'a StatementReads<'a>,
}

struct Loop<'a> {
    repeat: StatementId,
    executed: ReachableStatements<'a>,
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
    pub(crate) fn of(
        reads: &'a StatementReads<'a>,
        found: &[ProgramElement],
        error_exits: &'a [Clause],
    ) -> Self {
        let model = reads.model;
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
            loops,
            costs: RefCell::new(
                By::ALL.map(|by| StatementCosts::new(model, error_exits, by, Nothing)),
            ),
            reads,
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
            .filter(move |one| one.executed.contains(first));
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
            && outer.executed.contains(repeat)
            && !changing.contains(&outer.repeat)
            && !self.is_inside(outer.repeat)
            && !is_short(self.model.program, kind)
    }

    /// Whether another loop executes a loop.
    fn is_inside(&self, repeat: StatementId) -> bool {
        self.loops
            .iter()
            .any(|other| other.executed.contains(repeat))
    }

    fn changing(&self, one: &Loop) -> IterationDependence {
        let kind = &self.model.program.statement(one.repeat).kind;
        let mut iteration = [0.0; 2];
        for (cost, scales) in iteration.iter_mut().zip(self.costs.borrow_mut().iter_mut()) {
            for body in kind.bodies() {
                *cost += scales.weigh(body).all;
            }
        }
        let places = Iteration::of(self.reads, one.repeat, &one.executed).changing();
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
    for id in executed.iter() {
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

/// The locations that executed loops use as DO variables and that are read outside these loops.
fn read_beside_loops(all_reads: &StatementReads, executed: &ReachableStatements) -> BitSet {
    let model = all_reads.model;
    let mut counters = BitSet::default();
    for id in executed.iter() {
        if let Some(counter) = counter(model, id) {
            counters.insert(counter);
        }
    }
    let mut found = BitSet::default();
    for id in executed.iter() {
        for &location in all_reads.get(id) {
            if !counters.contains(location) || found.contains(location) {
                continue;
            }
            let mut around = model.outline.ancestors(id);
            if !around.any(|above| counter(model, above) == Some(location)) {
                found.insert(location);
            }
        }
    }
    found
}

/// The location of the DO variable of a statement.
fn counter(model: &Model, id: StatementId) -> Option<usize> {
    let variable = do_variable(&model.program.statement(id).kind)?;
    Some(model.locations.of_variable(variable)?.index())
}

/// The dependence graph of one iteration of a loop, over locations. A node for each procedure represents how often it is
/// called and how far control gets in it. Two nodes for each statement represent what it reads, and what determines whether
/// its body is executed; without them, each of its definitions would have an edge to each of its operands.
struct Iteration<'a> {
    model: &'a Model<'a>,
    reads: &'a StatementReads<'a>,
    repeat: StatementId,
    edges: Vec<Edge>,
    /// The nodes that the iteration computes, some more than once.
    computed: Vec<usize>,
    /// The statements whose nodes are in the graph.
    known: BTreeSet<StatementId>,
    /// Locations that vary whatever they depend on.
    changing: BitSet,
    /// Whether these contain everything within reach of code without source.
    has_globals: bool,
    /// DO variables that are read outside their loops.
    read_beside: BitSet,
    /// Nodes of arguments, behind those of statements.
    arguments: usize,
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
    fn of(
        reads: &'a StatementReads<'a>,
        repeat: StatementId,
        executed: &ReachableStatements,
    ) -> Self {
        let model = reads.model;
        let mut found = Self {
            model,
            reads,
            repeat,
            edges: Vec::new(),
            computed: Vec::new(),
            known: BTreeSet::new(),
            changing: BitSet::default(),
            has_globals: false,
            read_beside: read_beside_loops(reads, executed),
            arguments: 0,
        };
        if let Some(location) = counter(model, repeat) {
            found.changing.insert(location);
        }
        for id in executed.iter() {
            found.add(id);
        }
        found
    }

    fn node(&self, procedure: ProcedureId) -> usize {
        2 * self.model.locations.count() + procedure.0 as usize
    }

    /// The first node of a statement: what it reads. The next node is what determines whether its body is executed.
    fn first_node(&self, id: StatementId) -> usize {
        let procedures = self.model.program.procedures.len();
        2 * self.model.locations.count() + procedures + 2 * id.0 as usize
    }

    /// The node of what a statement reads.
    fn read_node(&mut self, id: StatementId) -> usize {
        let node = self.first_node(id);
        if self.known.insert(id) {
            self.computed.push(node);
            for &location in self.reads.get(id) {
                self.edges.push((location, node));
            }
            self.computed.push(node + 1);
            let around = self.control_node(id);
            self.edges.extend([(node, node + 1), (around, node + 1)]);
        }
        node
    }

    /// The node of what determines whether a statement is executed in the iteration, and how often.
    fn control_node(&mut self, id: StatementId) -> usize {
        match self.model.outline.parent[id.0 as usize] {
            Some(above) if above != self.repeat => self.read_node(above) + 1,
            Some(_) | None => self.node(self.model.program.statement(id).procedure),
        }
    }

    /// Adds the dependences that a statement creates.
    fn add(&mut self, id: StatementId) {
        let model = self.model;
        let statement = model.program.statement(id);
        let effects = model.effects.of_statement(id);
        let control = self.control_node(id);
        for definition in &effects.definitions {
            let location = definition.location.index();
            match definition.via {
                Via::Payload(_) | Via::Envelope => {
                    self.changing.insert(location);
                }
                Via::Dummy(_, dummy) => {
                    self.add_operands(location, &[control, dummy.index()]);
                }
                Via::Own => {
                    let read = self.read_node(id);
                    self.add_operands(location, &[read]);
                    // A DO variable that is read in its loop only does not show whether the loop was executed.
                    if !self.counts_inside(id, location) {
                        self.add_operands(location, &[control]);
                    }
                }
            }
        }
        // A procedure without source may store anything there in each iteration, and read it.
        if effects.is_unseen() {
            let read = self.read_node(id);
            self.changing.insert(read);
        }
        if effects.touches_globals && !std::mem::replace(&mut self.has_globals, true) {
            for location in model.effects.within_reach.iter() {
                self.changing.insert(location.index());
            }
        }
        for call in &effects.calls {
            let dummies = &model.program.procedure(call.target).dummies;
            for (position, dummy) in dummies.iter().enumerate() {
                let Some(dummy) = *dummy else {
                    continue;
                };
                let passed = self.one_of(&argument(model, call, position));
                for part in model.locations.innermost_of(dummy) {
                    self.add_operands(part.index(), &passed);
                }
            }
            self.add_operands(self.node(call.target), &[control]);
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
                conditions.push(self.read_node(above));
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
        counter(self.model, id) == Some(location) && !self.read_beside.contains(location)
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

    /// One node that stands for several operands: an object with many parts that is passed for one would otherwise have an edge
    /// from each part to each.
    fn one_of(&mut self, operands: &[usize]) -> Vec<usize> {
        if operands.len() < 2 {
            return operands.to_vec();
        }
        let behind_statements = StatementId(self.model.program.statements.len() as u32);
        let node = self.first_node(behind_statements) + self.arguments;
        self.arguments += 1;
        self.add_operands(node, operands);
        vec![node]
    }

    fn add_operands(&mut self, node: usize, operands: &[usize]) {
        self.computed.push(node);
        for &operand in operands {
            self.edges.push((operand, node));
        }
    }

    /// The locations that may vary between iterations: all except those that depend on invariant ones only.
    fn changing(self) -> BitSet {
        let Iteration {
            model,
            mut edges,
            mut computed,
            mut changing,
            ..
        } = self;
        computed.sort_unstable();
        computed.dedup();
        // Only what the iteration computes or changes can vary: edges to anything else are dropped. The others are sorted by
        // operand, so that those who depend on it stand together.
        let position = |node: usize| computed.binary_search(&node).ok();
        edges.retain(|&(operand, _)| changing.contains(operand) || position(operand).is_some());
        edges.sort_unstable();
        // A location that depends on itself stays: it accumulates. What remains in the end depends on itself or on a varying
        // location: the greatest fixpoint.
        let mut varying = vec![0_usize; computed.len()];
        for &(_, node) in &edges {
            if let Some(position) = position(node) {
                varying[position] += 1;
            }
        }
        let mut invariant: Vec<usize> = Vec::new();
        for (position, operands) in varying.iter().enumerate() {
            if *operands == 0 {
                invariant.push(position);
            }
        }
        let mut is_open = vec![true; computed.len()];
        while let Some(found) = invariant.pop() {
            is_open[found] = false;
            let node = computed[found];
            // It varies whatever it depends on.
            if changing.contains(node) {
                continue;
            }
            for dependent in dependents(&edges, node) {
                if let Some(position) = position(dependent) {
                    varying[position] -= 1;
                    if varying[position] == 0 {
                        invariant.push(position);
                    }
                }
            }
        }
        let places = 2 * model.locations.count() + model.program.procedures.len();
        for (&node, is_open) in computed.iter().zip(is_open) {
            if is_open && node < places {
                changing.insert(node);
            }
        }
        changing
    }
}
