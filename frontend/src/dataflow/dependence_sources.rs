//! Dependence sources of decisions: the locations, as they are when a range of statements is entered, and the hidden state
//! (files, clocks, random numbers, procedures without source) that determine which way a branch in the range goes.
//!
//! This is a backward slice inside one execution of the range, procedures that it calls included. Flow values come from reaching
//! definitions where the model has them, and otherwise from every statement of the range that writes the location. A writer depends
//! on the branches that control it. Locations are followed into and out of called procedures without call contexts.
//!
//! A program has many decisions in each range, and their slices share nearly all nodes. So the nodes of one range form one graph
//! ([`DependenceGraph`]), of which each part is expanded once, and a decision is classified through the strongly connected
//! components of the graph (Tarjan 1972): all nodes of a component have the same sources. The cost is linear in the graph.

use crate::dataflow::control::Control;
use crate::dataflow::loop_carried::read_by;
use crate::dataflow::reachable_statements::ReachableStatements;
use crate::effects::model::Model;
use crate::effects::statement_effects::Via;
use crate::effects::varying_values;
use crate::graphs::assumed_outcomes::Clause;
use crate::graphs::call_graph;
use crate::graphs::control_flow_graph::CfgNode;
use crate::ir::references::{self, FunctionCall};
use crate::ir::statement_tree::{self, do_variable};
use crate::ir::{Callee, Dimension, ProcedureId, StatementId, StatementKind};
use crate::memory::location_id::LocationId;
use rustc_hash::FxHashMap;

/// Inquiry functions, whose result depends on the size or presence of an array and not on its values.
const SIZES: [&str; 6] = [
    "allocated",
    "associated",
    "lbound",
    "shape",
    "size",
    "ubound",
];

/// Calls that are followed upwards to find a certain definition of a location.
const MAX_CALL_DEPTH: usize = 4;

/// An end of the backward slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A location, as it is when the range is entered.
    Entry(LocationId),
    /// State that no location stands for: files, clocks, random numbers, procedures without source.
    Hidden,
}

/// Consecutive statements of one list with everything that one execution of them executes.
pub(crate) struct ExecutedRange<'a, 'b> {
    pub(crate) model: &'a Model<'a>,
    pub(crate) control: &'a Control,
    pub(crate) error_exits: &'a [Clause],
    pub(crate) executed: &'b ReachableStatements<'b>,
    /// Its own statements, of one list.
    pub(crate) top: &'b [StatementId],
}

/// A node of the backward slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    /// The values that a statement reads.
    Read(StatementId),
    /// A location before a statement.
    Before(LocationId, StatementId),
    /// A location after a statement that writes it.
    Definition(LocationId, StatementId),
    /// A location after any of the statements of the range that write it.
    Written(LocationId),
    /// Whether a statement is executed.
    Executed(StatementId),
}

impl ExecutedRange<'_, '_> {
    /// The statements that decide by jumps or by not entering whether one is executed, in the range. Error exits are not
    /// taken.
    pub(crate) fn deciders(&self, id: StatementId) -> impl Iterator<Item = StatementId> + '_ {
        let inside = self.control.deciders[id.0 as usize].iter().copied();
        inside.filter(move |&decider| {
            // Branches outside the range are decided when it is entered.
            self.executed.contains(decider)
                && (self.encloses(decider, id) || self.may_jump(decider))
        })
    }

    /// Those that do by jumps.
    pub(crate) fn skippers(&self, id: StatementId) -> impl Iterator<Item = StatementId> + '_ {
        self.deciders(id)
            .filter(move |&decider| !self.encloses(decider, id))
    }

    fn encloses(&self, outer: StatementId, id: StatementId) -> bool {
        self.model.outline.ancestors(id).any(|above| above == outer)
    }

    /// Whether a way that a statement may go is a jump.
    fn may_jump(&self, id: StatementId) -> bool {
        let program = self.model.program;
        let jumps = |body: &[StatementId]| {
            let inside = body
                .iter()
                .flat_map(|&inner| statement_tree::subtree(program, inner));
            inside
                .into_iter()
                .any(|inner| program.statement(inner).kind.is_jump())
        };
        let kind = &program.statement(id).kind;
        match kind {
            // An unconditional GOTO always jumps, so it is no decision.
            StatementKind::Goto { selector, .. } => selector.is_some(),
            StatementKind::If {
                branches,
                otherwise,
                ..
            } => {
                let taken = branches.iter().enumerate().filter(|&(number, _)| {
                    !self.error_exits.contains(&Clause {
                        statement: id,
                        number,
                    })
                });
                taken
                    .map(|(_, (_, body))| body)
                    .chain(otherwise)
                    .any(|body| jumps(body))
            }
            StatementKind::Select { cases, .. } => cases.iter().any(|(_, body)| jumps(body)),
            StatementKind::Assign { .. }
            | StatementKind::Call { .. }
            | StatementKind::Do { .. }
            | StatementKind::While { .. }
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

    fn procedure(&self) -> Option<ProcedureId> {
        self.top
            .first()
            .map(|&id| self.model.program.statement(id).procedure)
    }
}

/// Number of a node of a [`DependenceGraph`].
type NodeId = u32;

/// The nodes that a node depends on directly, and its own sources.
#[derive(Clone, Debug, Default)]
struct Dependences {
    nodes: Vec<NodeId>,
    sources: Vec<Source>,
}

/// The dependences of all decisions of one range. It grows as decisions are asked for.
pub(crate) struct DependenceGraph<'r, 'a, 'b> {
    pub(crate) range: &'r ExecutedRange<'a, 'b>,
    // Nothing iterates over it, so no result depends on its order.
    ids: FxHashMap<Node, NodeId>,
    nodes: Vec<Node>,
    /// Index = node; `None` until the node is expanded.
    dependences: Vec<Option<Dependences>>,
}

impl<'r, 'a, 'b> DependenceGraph<'r, 'a, 'b> {
    /// The graph of a range, without nodes.
    pub(crate) fn of(range: &'r ExecutedRange<'a, 'b>) -> Self {
        Self {
            range,
            ids: FxHashMap::default(),
            nodes: Vec::new(),
            dependences: Vec::new(),
        }
    }

    fn id(&mut self, node: Node) -> NodeId {
        let next = self.nodes.len() as NodeId;
        let id = *self.ids.entry(node).or_insert(next);
        if id == next {
            self.nodes.push(node);
            self.dependences.push(None);
        }
        id
    }

    fn dependences(&mut self, id: NodeId) -> &Dependences {
        let index = id as usize;
        if self.dependences[index].is_none() {
            let mut expansion = Expansion {
                range: self.range,
                nodes: Vec::new(),
                sources: Vec::new(),
            };
            expansion.expand(self.nodes[index]);
            let Expansion { nodes, sources, .. } = expansion;
            let nodes = nodes.into_iter().map(|node| self.id(node)).collect();
            self.dependences[index] = Some(Dependences { nodes, sources });
        }
        self.dependences[index].get_or_insert_default()
    }
}

/// The union of properties over the sources of nodes. A property is a bit; [`SourceClasses::of_decision`] takes the function from
/// sources to properties, which must be the same at each call.
#[derive(Default)]
pub(crate) struct SourceClasses {
    /// Index = node.
    states: Vec<State>,
    /// Nodes of components that are not complete, in the order of their discovery.
    stack: Vec<NodeId>,
    discovered: u32,
}

/// How far Tarjan's algorithm has come with a node.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Rank in the order of discovery, from 1; 0: not discovered.
    index: u32,
    /// The least index that is known to be reachable.
    low: u32,
    is_on_stack: bool,
    properties: u8,
}

/// A node whose dependences are being visited.
struct Visit {
    node: NodeId,
    /// How many dependences have been visited.
    next: usize,
}

impl SourceClasses {
    /// The union of the properties of all sources that a decision depends on.
    pub(crate) fn of_decision(
        &mut self,
        graph: &mut DependenceGraph,
        decision: StatementId,
        mut properties: impl FnMut(Source) -> u8,
    ) -> u8 {
        let root = graph.id(Node::Read(decision));
        if self.state(root).index == 0 {
            self.search(graph, root, &mut properties);
        }
        self.state(root).properties
    }

    fn state(&mut self, node: NodeId) -> &mut State {
        let index = node as usize;
        if index >= self.states.len() {
            self.states.resize(index + 1, State::default());
        }
        &mut self.states[index]
    }

    /// Tarjan's algorithm with its own stack: chains of dependences are as long as programs.
    fn search(
        &mut self,
        graph: &mut DependenceGraph,
        root: NodeId,
        properties: &mut impl FnMut(Source) -> u8,
    ) {
        let mut visits = vec![self.discover(graph, root, properties)];
        while let Some(visit) = visits.last_mut() {
            let node = visit.node;
            let dependence = graph.dependences(node).nodes.get(visit.next).copied();
            visit.next += 1;
            if let Some(dependence) = dependence {
                let other = *self.state(dependence);
                if other.index == 0 {
                    visits.push(self.discover(graph, dependence, properties));
                } else {
                    let state = self.state(node);
                    state.properties |= other.properties;
                    // The other node may lack properties that are still to be found. That does no
                    // harm: both are in one component, whose root collects the properties of all.
                    if other.is_on_stack {
                        state.low = state.low.min(other.index);
                    }
                }
                continue;
            }
            visits.pop();
            self.complete(node);
            if let Some(above) = visits.last() {
                let below = *self.state(node);
                let state = self.state(above.node);
                state.low = state.low.min(below.low);
                state.properties |= below.properties;
            }
        }
    }

    fn discover(
        &mut self,
        graph: &mut DependenceGraph,
        node: NodeId,
        properties: &mut impl FnMut(Source) -> u8,
    ) -> Visit {
        self.discovered += 1;
        let index = self.discovered;
        let own = graph.dependences(node).sources.iter();
        let own = own.fold(0, |all, &source| all | properties(source));
        *self.state(node) = State {
            index,
            low: index,
            is_on_stack: true,
            properties: own,
        };
        self.stack.push(node);
        Visit { node, next: 0 }
    }

    /// Gives all nodes of a component the properties of its first node, if that is the node.
    fn complete(&mut self, node: NodeId) {
        let first = *self.state(node);
        if first.low != first.index {
            return;
        }
        while let Some(member) = self.stack.pop() {
            let state = self.state(member);
            state.is_on_stack = false;
            state.properties = first.properties;
            if member == node {
                break;
            }
        }
    }
}

/// Finds the direct dependences of one node.
struct Expansion<'r, 'a, 'b> {
    range: &'r ExecutedRange<'a, 'b>,
    nodes: Vec<Node>,
    sources: Vec<Source>,
}

impl Expansion<'_, '_, '_> {
    fn expand(&mut self, node: Node) {
        match node {
            Node::Read(id) => self.read(id),
            Node::Before(location, at) => self.location(location, at),
            Node::Definition(location, by) => self.definition(location, by),
            Node::Written(location) => {
                for by in self.writers(location) {
                    self.nodes
                        .extend([Node::Definition(location, by), Node::Executed(by)]);
                }
            }
            Node::Executed(id) => self.executed(id),
        }
    }

    fn hide_if(&mut self, is_hidden: bool) {
        if is_hidden {
            self.sources.push(Source::Hidden);
        }
    }

    /// The values that a statement reads.
    fn read(&mut self, id: StatementId) {
        let model = self.range.model;
        let effects = model.effects.of_statement(id);
        for &location in &effects.uses {
            self.nodes.push(Node::Before(location, id));
        }
        for call in &effects.calls {
            if call.is_function() {
                let results = model.results(call.target);
                self.nodes.extend(results.into_iter().map(Node::Written));
            }
        }
        self.hide_if(effects.is_unseen());
        for expression in references::expressions(&model.program.statement(id).kind) {
            for call in references::calls(expression) {
                self.hide_if(is_hidden(call.callee));
                self.size(&call, id);
            }
        }
    }

    /// The size of the array that an inquiry function is applied to: as it is allocated, declared or passed.
    fn size(&mut self, call: &FunctionCall, at: StatementId) {
        let model = self.range.model;
        let is_inquiry =
            matches!(call.callee, Callee::Intrinsic(name) if SIZES.contains(&name.as_str()));
        if !is_inquiry {
            return;
        }
        let Some(array) = call.arguments.first().and_then(references::designated) else {
            return;
        };
        let variable = model.program.variable(array.base);
        let attributes = &variable.attributes;
        if attributes.allocatable || attributes.pointer || !array.path.is_empty() {
            let Some(location) = model.locations.at(array) else {
                return;
            };
            for part in model.locations.with_parts(location) {
                let existence = model.locations.existence(part);
                self.nodes.push(Node::Before(existence, at));
            }
            return;
        }
        // An assumed-shape dummy has the size of its actual argument, which no location stands for.
        let is_assumed =
            |dimension: &Dimension| dimension.lower.is_none() && dimension.upper.is_none();
        self.hide_if(variable.shape.iter().any(is_assumed));
        for bound in variable.specification() {
            let read = read_by(model, bound);
            self.nodes
                .extend(read.into_iter().map(|location| Node::Before(location, at)));
        }
    }

    /// Statements of the range that write a location.
    fn writers(&self, location: LocationId) -> Vec<StatementId> {
        let ExecutedRange {
            model, executed, ..
        } = self.range;
        let writers = &model.writers[location.index()];
        executed.among(writers, |&(id, _)| id)
    }

    /// A location before a statement.
    fn location(&mut self, location: LocationId, at: StatementId) {
        let model = self.range.model;
        let locations = &model.locations;
        if locations.is_file(location) || location == locations.random_state() {
            return self.hide_if(true);
        }
        if locations.is_process_state(location) {
            let is_written = !model.writers[location.index()].is_empty();
            return self.hide_if(is_written);
        }
        // In its loop a DO variable follows from the bounds alone: the program must not redefine
        // it.
        if let Some(repeat) = self.counting_loop(location, at) {
            return self.nodes.push(Node::Read(repeat));
        }
        if !model.followed[location.index()] {
            // Reaching definitions do not follow it: every writer of the range counts, and the
            // value at the entry unless a certain write precedes the statement.
            self.nodes.push(Node::Written(location));
            if !model.certainly_written.contains(location) || !self.is_overwritten(location, at, 0)
            {
                self.before(location, at);
            }
            return;
        }
        let procedure = model.program.statement(at).procedure;
        let definitions = self.range.control.reaching[procedure.0 as usize]
            .definitions(location, CfgNode::Statement(at));
        let Some(definitions) = definitions else {
            self.nodes.push(Node::Written(location));
            return self.before(location, at);
        };
        let mut inside = Vec::new();
        for definition in &definitions {
            if let CfgNode::Statement(by) = *definition
                && self.is_inside_before(by, at)
            {
                inside.push(by);
            }
        }
        let is_from_before = inside.len() < definitions.len();
        // A single reaching definition has been executed, whatever controls it.
        let is_only_one = inside.len() == 1 && !is_from_before;
        for by in inside {
            self.nodes.push(Node::Definition(location, by));
            if !is_only_one {
                self.nodes.push(Node::Executed(by));
            }
        }
        if is_from_before {
            self.before(location, at);
        }
    }

    /// The loop of the range around a statement whose DO variable is a location.
    fn counting_loop(&self, location: LocationId, at: StatementId) -> Option<StatementId> {
        let ExecutedRange {
            model, executed, ..
        } = self.range;
        model.outline.ancestors(at).find(|above| {
            let variable = do_variable(&model.program.statement(*above).kind);
            let counter = variable.and_then(|variable| model.locations.of_variable(variable));
            counter == Some(location) && executed.contains(*above)
        })
    }

    /// Whether a statement is executed before another of the same procedure in one execution of the range.
    fn is_inside_before(&self, by: StatementId, at: StatementId) -> bool {
        let ExecutedRange {
            model, executed, ..
        } = self.range;
        if !executed.contains(by) {
            return false;
        }
        if self.is_called(at) || model.outline.is_before(by, at) {
            return true;
        }
        // A loop around both repeats them.
        model.outline.ancestors(at).any(|above| {
            let kind = &model.program.statement(above).kind;
            kind.is_loop() && executed.contains(above) && model.outline.is_within(by, above)
        })
    }

    /// Whether a statement is one of a procedure that the range calls.
    fn is_called(&self, id: StatementId) -> bool {
        Some(self.range.model.program.statement(id).procedure) != self.range.procedure()
    }

    /// Whether a location is certainly written in the range before control reaches a statement.
    fn is_overwritten(&self, location: LocationId, at: StatementId, depth: usize) -> bool {
        let ExecutedRange {
            model,
            executed,
            top,
            ..
        } = self.range;
        let program = model.program;
        let procedure = program.statement(at).procedure;
        let mut inner = at;
        loop {
            let above =
                model.outline.parent[inner.0 as usize].filter(|above| executed.contains(*above));
            let lists: Vec<&[StatementId]> = match above {
                Some(above) => program.statement(above).kind.bodies(),
                None if self.is_called(at) => vec![&program.procedure(procedure).body],
                None => vec![top],
            };
            let list = lists
                .into_iter()
                .find(|list| list.contains(&inner))
                .unwrap_or_default();
            let mut before = list.iter().take_while(|&&id| id != inner);
            if before.any(|&id| self.always_writes(id, location)) {
                // A jump may pass the statement that writes.
                return !self.jumps_in(procedure);
            }
            match above {
                Some(above) => inner = above,
                None => break,
            }
        }
        if !self.is_called(at) || depth == MAX_CALL_DEPTH {
            return false;
        }
        let Some(calls) = executed.procedures.get(&procedure) else {
            return false;
        };
        calls
            .iter()
            .all(|&call| self.is_overwritten(location, call, depth + 1))
    }

    fn always_writes(&self, id: StatementId, location: LocationId) -> bool {
        let definitions = &self.range.model.effects.of_statement(id).definitions;
        definitions.iter().any(|definition| {
            definition.location == location && definition.certain && definition.via == Via::Own
        })
    }

    fn jumps_in(&self, procedure: ProcedureId) -> bool {
        let ExecutedRange {
            model, executed, ..
        } = self.range;
        model.outline.of_procedure(procedure).iter().any(|id| {
            let kind = &model.program.statement(*id).kind;
            matches!(kind, StatementKind::Goto { .. }) && executed.contains(*id)
        })
    }

    /// A location before everything that its procedure does of the range.
    fn before(&mut self, location: LocationId, at: StatementId) {
        let ExecutedRange {
            model, executed, ..
        } = self.range;
        let procedure = model.program.statement(at).procedure;
        let known = model.locations.get(location);
        if known.frame != Some(procedure) || !self.is_called(at) {
            return self.sources.push(Source::Entry(location));
        }
        if known.dummy.is_none() {
            // A local variable of a called procedure is undefined at its entry.
            return;
        }
        let Some(callers) = executed.procedures.get(&procedure) else {
            return;
        };
        for &caller in callers {
            for call in &model.effects.of_statement(caller).calls {
                if call.target == procedure {
                    let actual = call.seen_by_caller(location, &model.locations, false);
                    self.nodes.extend(
                        actual
                            .into_iter()
                            .map(|actual| Node::Before(actual, caller)),
                    );
                }
            }
        }
    }

    /// A location after a statement that writes it.
    fn definition(&mut self, location: LocationId, by: StatementId) {
        let model = self.range.model;
        for definition in &model.effects.of_statement(by).definitions {
            if definition.location != location {
                continue;
            }
            match definition.via {
                Via::Own => {
                    for call in call_graph::calls(&model.program.statement(by).kind) {
                        let is_subroutine = !call.is_function;
                        let is_intrinsic = matches!(call.callee, Callee::Intrinsic(_));
                        self.hide_if(is_subroutine && (is_intrinsic || is_hidden(call.callee)));
                    }
                    self.nodes.push(Node::Read(by));
                }
                Via::Dummy(_, dummy) => self.nodes.push(Node::Written(dummy)),
                Via::Payload(_) | Via::Envelope => self.hide_if(true),
            }
        }
    }

    /// Whether a statement is executed.
    fn executed(&mut self, id: StatementId) {
        for decider in self.range.deciders(id) {
            self.nodes
                .extend([Node::Read(decider), Node::Executed(decider)]);
        }
        if self.is_called(id) {
            let procedure = self.range.model.program.statement(id).procedure;
            let callers = self.range.executed.procedures.get(&procedure);
            for &caller in callers.into_iter().flatten() {
                self.nodes.push(Node::Executed(caller));
            }
        }
    }
}

/// Whether the results of a procedure depend on more than its arguments.
pub(crate) fn is_hidden(callee: &Callee) -> bool {
    match callee {
        Callee::Mpi(_) | Callee::UnknownMpi(_) | Callee::External(_) => true,
        Callee::Intrinsic(name) => varying_values::is_nondeterministic(name),
        Callee::Procedure(_) | Callee::OneOf(_) | Callee::Variable(_) => false,
    }
}
