//! Control-flow graph of one procedure (constructs, jumps, ends of the run) and its postdominators. Besides the edges that
//! control may take, jumps have a *fall-through* edge to their lexical successor: with them the
//! graph is the augmented one of Ball and Horwitz (Slicing Programs with Arbitrary Control-flow,
//! 1993), on which control dependence determines which jumps a slice needs.

use crate::graphs::statement_ends::{Surroundings, statement_ends};
use crate::ir::analysis::SelectionBranch;
use crate::ir::rules::{Rule, holds};
use crate::ir::{ProcedureId, Program, StatementId, StatementKind};
use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What an edge is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    /// Control may take it.
    Flow,
    /// To the lexical successor of a jump.
    FallThrough,
}

/// A point of a procedure, as seen from outside this module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum CfgNode {
    /// Where it is entered.
    Entry,
    /// A statement (of a construct: its header).
    Statement(StatementId),
    /// Where it returns to its caller (or the main program ends).
    Return,
    /// Where control leaves it, by returning or because the run ends.
    Exit,
}

/// Control flow of one procedure.
#[derive(Clone, Debug)]
pub(crate) struct ControlFlowGraph {
    graph: DiGraph<CfgNode, Edge>,
    // Nothing iterates over it, so no result depends on its order.
    nodes: FxHashMap<CfgNode, NodeIndex>,
}

impl ControlFlowGraph {
    /// The flow of one procedure.
    pub(crate) fn of(procedure: ProcedureId, surroundings: Surroundings) -> Self {
        let mut builder = Builder::new(procedure, surroundings);
        let body = &surroundings.program.procedure(procedure).body;
        let first = builder.sequence(body, builder.nodes[&CfgNode::Return]);
        builder.edge(builder.nodes[&CfgNode::Entry], first);
        for &entry in &surroundings.program.procedure(procedure).entries {
            builder.edge(
                builder.nodes[&CfgNode::Entry],
                builder.nodes[&CfgNode::Statement(entry)],
            );
        }
        builder.edge(
            builder.nodes[&CfgNode::Return],
            builder.nodes[&CfgNode::Exit],
        );
        ControlFlowGraph {
            graph: builder.graph,
            nodes: builder.nodes,
        }
    }

    /// How many points there are.
    pub(crate) fn len(&self) -> usize {
        self.graph.node_count()
    }

    /// All points, by dense number.
    pub(crate) fn points(&self) -> Vec<CfgNode> {
        self.graph.node_weights().copied().collect()
    }

    /// A point by its number.
    pub(crate) fn points_at(&self, number: usize) -> CfgNode {
        self.graph[NodeIndex::new(number)]
    }

    /// Number of a point.
    pub(crate) fn number(&self, point: CfgNode) -> usize {
        self.nodes[&point].index()
    }

    /// Where control may go from a point, by number.
    pub(crate) fn successors(&self, number: usize) -> Vec<usize> {
        self.targets(number, |edge| edge == Edge::Flow)
    }

    /// Where control goes from a point; of a DO without control, into it.
    pub(crate) fn onward(&self, program: &Program, number: usize) -> Vec<usize> {
        let mut all = self.successors(number);
        if let CfgNode::Statement(id) = self.points_at(number)
            && let StatementKind::While {
                condition: None,
                body,
                ..
            } = &program.statement(id).kind
            && let Some(&first) = body.first()
        {
            all.retain(|&to| to == self.number(CfgNode::Statement(first)));
        }
        all
    }

    /// The same as [`Self::successors`] with fall-through edges.
    pub(crate) fn augmented_successors(&self, number: usize) -> Vec<usize> {
        self.targets(number, |_| true)
    }

    fn targets(&self, number: usize, wanted: impl Fn(Edge) -> bool) -> Vec<usize> {
        let edges = self
            .graph
            .edges_directed(NodeIndex::new(number), Direction::Outgoing);
        let mut found: Vec<usize> = edges
            .filter(|edge| wanted(*edge.weight()))
            .map(|edge| edge.target().index())
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Where control may come from to a point, by number.
    pub(crate) fn predecessors(&self, number: usize) -> Vec<usize> {
        let edges = self
            .graph
            .edges_directed(NodeIndex::new(number), Direction::Incoming);
        edges
            .filter(|edge| *edge.weight() == Edge::Flow)
            .map(|edge| edge.source().index())
            .collect()
    }

    /// Which points control may reach from one, itself included; index = number.
    pub(crate) fn reachable(&self, from: usize) -> Vec<bool> {
        let mut seen = vec![false; self.graph.node_count()];
        let mut stack = vec![from];
        while let Some(number) = stack.pop() {
            if !std::mem::replace(&mut seen[number], true) {
                stack.extend(self.successors(number));
            }
        }
        seen
    }

    /// From which points control may reach one of some, themselves included; index = number.
    pub(crate) fn leading_to(&self, targets: &[usize]) -> Vec<bool> {
        let mut seen = vec![false; self.graph.node_count()];
        let mut stack = targets.to_vec();
        while let Some(number) = stack.pop() {
            if !std::mem::replace(&mut seen[number], true) {
                stack.extend(self.predecessors(number));
            }
        }
        seen
    }

    /// Immediate post-dominators in the augmented graph, by number; `None` for the last point and
    /// for points that do not lead to it.
    pub(crate) fn post_dominators(&self) -> Vec<Option<usize>> {
        let mut reversed = self.graph.clone();
        // With an edge from entry to exit, statements that run whenever the procedure does depend
        // on the entry alone (Ferrante, Ottenstein and Warren 1987), which is no statement.
        reversed.add_edge(
            self.nodes[&CfgNode::Entry],
            self.nodes[&CfgNode::Exit],
            Edge::FallThrough,
        );
        reversed.reverse();
        // Post-dominators are the dominators of the reversed graph. The algorithm is that of Cooper, Harvey
        // and Kennedy (A Simple, Fast Dominance Algorithm, 2001).
        let dominators =
            petgraph::algo::dominators::simple_fast(&reversed, self.nodes[&CfgNode::Exit]);
        let above = |node| dominators.immediate_dominator(node).map(NodeIndex::index);
        self.graph.node_indices().map(above).collect()
    }
}

struct Builder<'a> {
    around: Surroundings<'a>,
    graph: DiGraph<CfgNode, Edge>,
    nodes: FxHashMap<CfgNode, NodeIndex>,
    labels: BTreeMap<u32, NodeIndex>,
    after: BTreeMap<StatementId, NodeIndex>,
}

impl<'a> Builder<'a> {
    fn new(procedure: ProcedureId, around: Surroundings<'a>) -> Self {
        let mut graph = DiGraph::new();
        let mut nodes = FxHashMap::default();
        let mut labels = BTreeMap::new();
        for point in [CfgNode::Entry, CfgNode::Return, CfgNode::Exit] {
            nodes.insert(point, graph.add_node(point));
        }
        for &id in around.outline.of_procedure(procedure) {
            let node = graph.add_node(CfgNode::Statement(id));
            nodes.insert(CfgNode::Statement(id), node);
            labels.extend(
                around
                    .program
                    .statement(id)
                    .label
                    .map(|label| (label, node)),
            );
        }
        Builder {
            around,
            graph,
            nodes,
            labels,
            after: BTreeMap::new(),
        }
    }

    fn edge(&mut self, from: NodeIndex, to: NodeIndex) {
        self.graph.add_edge(from, to, Edge::Flow);
    }

    /// A jump: where it goes, and where control would go without it.
    fn jump(&mut self, rule: Rule, from: NodeIndex, to: NodeIndex, next: NodeIndex) {
        self.edge(from, to);
        if holds(rule) {
            self.graph.add_edge(from, next, Edge::FallThrough);
        }
    }

    fn label(&self, label: u32) -> NodeIndex {
        self.labels
            .get(&label)
            .copied()
            // In an invalid program the label may not exist: the jump then leaves the procedure.
            .unwrap_or(self.nodes[&CfgNode::Exit])
    }

    /// Links a list of statements that goes on at `next`; where it begins.
    fn sequence(&mut self, list: &[StatementId], next: NodeIndex) -> NodeIndex {
        let mut successor = next;
        // Backwards, so that the successor of each statement is known when its edges are added.
        for &statement in list.iter().rev() {
            self.statement(statement, successor);
            successor = self.nodes[&CfgNode::Statement(statement)];
        }
        successor
    }

    fn statement(&mut self, id: StatementId, next: NodeIndex) {
        let node = self.nodes[&CfgNode::Statement(id)];
        self.after.insert(id, next);
        let program = self.around.program;
        match &program.statement(id).kind {
            StatementKind::If {
                branches,
                otherwise,
                ..
            } => self.branches(id, branches, otherwise.as_deref(), next),
            StatementKind::Do { body, .. } | StatementKind::While { body, .. } => {
                // Also of a DO without end: so that every point leads to the end.
                let first = self.sequence(body, node);
                self.edge(node, first);
                self.edge(node, next);
            }
            StatementKind::Select { cases, .. } => self.cases(id, cases, next),
            StatementKind::Scoped { body, .. } => {
                let first = self.sequence(body, next);
                self.edge(node, first);
            }
            StatementKind::Goto {
                labels,
                falls_through,
                ..
            } => self.goto(id, labels, *falls_through, next),
            StatementKind::Exit(target) => {
                let to = self
                    .after
                    .get(target)
                    .copied()
                    .unwrap_or(self.nodes[&CfgNode::Exit]);
                self.jump(Rule::ExitDecides, node, to, next);
            }
            StatementKind::Cycle(target) => self.jump(
                Rule::CycleDecides,
                node,
                self.nodes[&CfgNode::Statement(*target)],
                next,
            ),
            StatementKind::Return => self.jump(
                Rule::ReturnDecides,
                node,
                self.nodes[&CfgNode::Return],
                next,
            ),
            StatementKind::InputOutput(io) => {
                self.simple(id, next);
                io.jumps
                    .iter()
                    .for_each(|&label| self.edge(node, self.label(label)));
            }
            kind @ StatementKind::Call { .. } => {
                self.simple(id, next);
                if kind.has_alternate_return() {
                    self.anywhere(node);
                }
            }
            StatementKind::Assign { .. }
            | StatementKind::PointerAssignment { .. }
            | StatementKind::Entry
            | StatementKind::Stop
            | StatementKind::Continue
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. }
            | StatementKind::Opaque { .. } => {
                self.simple(id, next);
                return;
            }
        }
        // A function in a condition or bound may end the run.
        if statement_ends(id, self.around).may_stop {
            self.edge(node, self.nodes[&CfgNode::Exit]);
        }
    }

    /// A statement after which the next follows, unless the run ends in it.
    fn simple(&mut self, id: StatementId, next: NodeIndex) {
        let node = self.nodes[&CfgNode::Statement(id)];
        let ends = statement_ends(id, self.around);
        let left = self.nodes[&CfgNode::Exit];
        match (ends.never_returns, ends.may_stop) {
            (true, _) => self.jump(Rule::StopDecides, node, left, next),
            (false, true) => {
                self.edge(node, left);
                self.edge(node, next);
            }
            (false, false) => self.edge(node, next),
        }
    }

    fn cases(
        &mut self,
        id: StatementId,
        cases: &[(Vec<crate::ir::CaseValue>, Vec<StatementId>)],
        next: NodeIndex,
    ) {
        let (node, assumed) = (
            self.nodes[&CfgNode::Statement(id)],
            self.around.assumed[id.0 as usize],
        );
        for (number, (_, body)) in (1..).zip(cases) {
            let first = self.sequence(body, next);
            if assumed.may_go(SelectionBranch::Case(number)) {
                self.edge(node, first);
            }
        }
        // Without CASE DEFAULT, which has no values, control may pass by all cases.
        if cases.iter().all(|(values, _)| !values.is_empty())
            && assumed.may_go(SelectionBranch::Case(0))
        {
            self.edge(node, next);
        }
    }

    /// An alternate return: to which label is not known.
    fn anywhere(&mut self, node: NodeIndex) {
        let labels: Vec<NodeIndex> = self.labels.values().copied().collect();
        labels.into_iter().for_each(|to| self.edge(node, to));
    }

    fn branches(
        &mut self,
        id: StatementId,
        branches: &[(crate::ir::Expression, Vec<StatementId>)],
        otherwise: Option<&[StatementId]>,
        next: NodeIndex,
    ) {
        let node = self.nodes[&CfgNode::Statement(id)];
        let assumed = self.around.assumed[id.0 as usize];
        // Conditions are evaluated in order: behind one that is assumed to hold, no branch is
        // reached.
        let mut is_reached = true;
        for (branch, (_, body)) in branches.iter().enumerate() {
            let first = self.sequence(body, next);
            if is_reached && assumed.may_enter(branch) {
                self.edge(node, first);
            }
            is_reached &= assumed.may_pass(branch);
        }
        let last = otherwise.map_or(next, |body| self.sequence(body, next));
        if is_reached {
            self.edge(node, last);
        }
    }

    fn goto(&mut self, id: StatementId, labels: &[u32], falls_through: bool, next: NodeIndex) {
        let (node, assumed) = (
            self.nodes[&CfgNode::Statement(id)],
            self.around.assumed[id.0 as usize],
        );
        let taken = labels
            .iter()
            .filter(|&&label| assumed.may_go(SelectionBranch::Label(label)));
        taken.for_each(|&label| self.edge(node, self.label(label)));
        if falls_through && assumed.may_go(SelectionBranch::Next) {
            self.edge(node, next);
        } else if holds(Rule::GotoDecides) {
            self.graph.add_edge(node, next, Edge::FallThrough);
        }
    }
}
