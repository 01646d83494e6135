//! What decisions in a stretch of statements are made of: what its places held when it was entered. Values are followed
//! back by reaching definitions where the model has them, else to whoever writes a place in the stretch, and into and out
//! of procedures that it calls. Who writes depends on what decides whether it does.
//!
//! Not here: which of these places are known ([`crate::work::data_dependent_branches`]) or change ([`crate::work::iteration_dependent_work`]).

use crate::dataflow::control::Control;
use crate::dataflow::loop_carried::read_by;
use crate::effects::model::Model;
use crate::effects::statement_effects::Via;
use crate::graphs::assumed_outcomes::Clause;
use crate::graphs::call_graph;
use crate::graphs::control_flow_graph::CfgNode;
use crate::graphs::reachable_statements::ReachableStatements;
use crate::ir::references::{self, FunctionCall};
use crate::ir::statement_tree::{self, do_variable};
use crate::ir::{Callee, Dimension, ProcedureId, StatementId, StatementKind};
use crate::memory::locations::LocationId;
use crate::nondeterminism::varying_values;
use std::collections::BTreeSet;

/// Intrinsic functions that answer how large an array is, or whether it is there.
const SIZES: [&str; 6] = [
    "allocated",
    "associated",
    "lbound",
    "shape",
    "size",
    "ubound",
];

/// What something is made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// Places, as they were at the entry.
    pub(crate) places: BTreeSet<LocationId>,
    /// Whether there is more than places tell: files, clocks, random numbers, procedures without source.
    pub(crate) hidden: bool,
}

/// A stretch of statements, looked at from inside.
pub(crate) struct StatementRange<'a, 'b> {
    pub(crate) model: &'a Model<'a>,
    pub(crate) control: &'a Control,
    pub(crate) error_exits: &'a [Clause],
    pub(crate) executed: &'b ReachableStatements,
    /// Its own statements, of one list.
    pub(crate) top: &'b [StatementId],
}

/// What is followed back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    /// What a statement reads.
    Read(StatementId),
    /// A place before a statement.
    Place(LocationId, StatementId),
    /// A place after a statement that writes it.
    Made(LocationId, StatementId),
    /// A place, by whoever writes it.
    Written(LocationId),
    /// Whether a statement is executed.
    Runs(StatementId),
}

impl StatementRange<'_, '_> {
    /// What decides which way a statement goes.
    pub(crate) fn of_decision(&self, decider: StatementId) -> Sources {
        let mut walk = Walk {
            stretch: self,
            open: vec![Node::Read(decider)],
            seen: BTreeSet::new(),
        };
        let mut found = Sources::default();
        while let Some(node) = walk.open.pop() {
            if walk.seen.insert(node) {
                walk.follow(node, &mut found);
            }
        }
        found
    }

    /// The statements that decide by jumps or by not entering whether one is executed, in the stretch. Error exits are not
    /// taken.
    pub(crate) fn deciders(&self, id: StatementId) -> impl Iterator<Item = StatementId> + '_ {
        let inside = self.control.deciders[id.0 as usize].iter().copied();
        inside.filter(move |&decider| {
            self.executed.statements.contains(&decider)
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
                .any(|inner| is_jump(&program.statement(inner).kind))
        };
        let kind = &program.statement(id).kind;
        match kind {
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

/// Whether a statement goes elsewhere than to the next, and not to the end of the run.
fn is_jump(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Goto { .. }
        | StatementKind::Exit(_)
        | StatementKind::Cycle(_)
        | StatementKind::Return => true,
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
        | StatementKind::Opaque { .. } => false,
    }
}

struct Walk<'s, 'a, 'b> {
    stretch: &'s StatementRange<'a, 'b>,
    open: Vec<Node>,
    seen: BTreeSet<Node>,
}

impl Walk<'_, '_, '_> {
    fn follow(&mut self, node: Node, found: &mut Sources) {
        match node {
            Node::Read(id) => self.read(id, found),
            Node::Place(place, at) => self.place(place, at, found),
            Node::Made(place, by) => self.made(place, by, found),
            Node::Written(place) => {
                for by in self.writers(place) {
                    self.open.extend([Node::Made(place, by), Node::Runs(by)]);
                }
            }
            Node::Runs(id) => self.runs(id),
        }
    }

    fn read(&mut self, id: StatementId, found: &mut Sources) {
        let model = self.stretch.model;
        let effects = model.effects.of_statement(id);
        self.open
            .extend(effects.uses.iter().map(|&place| Node::Place(place, id)));
        for call in effects.calls.iter().filter(|call| call.is_function()) {
            self.open
                .extend(model.results(call.target).into_iter().map(Node::Written));
        }
        let expressions = references::expressions(&model.program.statement(id).kind);
        let functions: Vec<FunctionCall> = expressions
            .into_iter()
            .flat_map(references::calls)
            .collect();
        found.hidden |=
            effects.touches_globals || functions.iter().any(|call| is_hidden(call.callee));
        functions.iter().for_each(|call| self.size(call, id, found));
    }

    /// How large the array is that an inquiry asks for: as it is allocated, declared or passed.
    fn size(&mut self, call: &FunctionCall, at: StatementId, found: &mut Sources) {
        let model = self.stretch.model;
        let is_asked =
            matches!(call.callee, Callee::Intrinsic(name) if SIZES.contains(&name.as_str()));
        let array = call.arguments.first().filter(|_| is_asked);
        let Some(named) = array.and_then(references::designated) else {
            return;
        };
        let variable = model.program.variable(named.base);
        if variable.attributes.allocatable || variable.attributes.pointer || !named.path.is_empty()
        {
            let place = model.locations.at(named);
            let parts = place
                .into_iter()
                .flat_map(|place| model.locations.with_parts(place));
            self.open
                .extend(parts.map(|part| Node::Place(model.locations.existence(part), at)));
        } else {
            let is_open =
                |dimension: &Dimension| dimension.lower.is_none() && dimension.upper.is_none();
            found.hidden |= variable.shape.iter().any(is_open);
            let bounds = variable
                .specification()
                .flat_map(|bound| read_by(model, bound));
            self.open.extend(bounds.map(|place| Node::Place(place, at)));
        }
    }

    /// Statements of the stretch that write a place.
    fn writers(&self, place: LocationId) -> Vec<StatementId> {
        let StatementRange {
            model, executed, ..
        } = self.stretch;
        let all = model.writers[place.index()].iter().map(|(id, _)| *id);
        all.filter(|id| executed.statements.contains(id)).collect()
    }

    fn place(&mut self, place: LocationId, at: StatementId, found: &mut Sources) {
        let model = self.stretch.model;
        let locations = &model.locations;
        if locations.is_file(place) || place == locations.random_state() {
            found.hidden = true;
            return;
        }
        if place == locations.thread_settings() {
            found.hidden |= !model.writers[place.index()].is_empty();
            return;
        }
        if let Some(repeat) = self.counting(place, at) {
            return self.open.push(Node::Read(repeat));
        }
        let (writers, is_from_before) = self.reaching(place, at);
        let is_only_one = writers.len() == 1 && !is_from_before && model.followed[place.index()];
        for by in writers {
            self.open.push(Node::Made(place, by));
            self.open.extend((!is_only_one).then_some(Node::Runs(by)));
        }
        if is_from_before {
            self.before(place, at, found);
        }
    }

    /// The loop of the stretch around a statement that counts in a place.
    fn counting(&self, place: LocationId, at: StatementId) -> Option<StatementId> {
        let StatementRange {
            model, executed, ..
        } = self.stretch;
        let counts = |above: &StatementId| {
            let variable = do_variable(&model.program.statement(*above).kind);
            variable.and_then(|variable| model.locations.of_variable(variable)) == Some(place)
        };
        let inside = model
            .outline
            .ancestors(at)
            .filter(|above| executed.statements.contains(above));
        inside.into_iter().find(counts)
    }

    /// Who in the stretch may have written a place last, and whether what it held before may still be there.
    fn reaching(&self, place: LocationId, at: StatementId) -> (Vec<StatementId>, bool) {
        let StatementRange { model, control, .. } = self.stretch;
        if !model.followed[place.index()] {
            return (self.writers(place), !self.is_overwritten(place, at, 0));
        }
        let procedure = model.program.statement(at).procedure;
        let points =
            control.reaching[procedure.0 as usize].definitions(place, CfgNode::Statement(at));
        let Some(points) = points else {
            return (self.writers(place), true);
        };
        let of_point = |point: &CfgNode| match point {
            CfgNode::Statement(by) => Some(*by).filter(|&by| self.is_inside_before(by, at)),
            CfgNode::Entry | CfgNode::Return | CfgNode::Exit => None,
        };
        let inside: Vec<StatementId> = points.iter().filter_map(of_point).collect();
        let is_from_before = inside.len() < points.len();
        (inside, is_from_before)
    }

    /// Whether a statement is executed before another in one execution of the stretch; both of one procedure.
    fn is_inside_before(&self, by: StatementId, at: StatementId) -> bool {
        let StatementRange {
            model, executed, ..
        } = self.stretch;
        let order = model
            .outline
            .of_procedure(model.program.statement(at).procedure);
        let first = || order.iter().find(|&&id| id == by || id == at);
        let repeats = |above: &StatementId| {
            let kind = &model.program.statement(*above).kind;
            executed.statements.contains(above)
                && matches!(kind, StatementKind::Do { .. } | StatementKind::While { .. })
        };
        let together = || {
            let mut loops = model.outline.ancestors(at).filter(repeats);
            loops.any(|above| model.outline.is_within(by, above))
        };
        executed.statements.contains(&by)
            && (self.is_called(at) || first() == Some(&by) || together())
    }

    /// Whether a statement is one of a procedure that the stretch calls.
    fn is_called(&self, id: StatementId) -> bool {
        Some(self.stretch.model.program.statement(id).procedure) != self.stretch.procedure()
    }

    /// Whether a place is certainly written in the stretch before control comes to a statement.
    fn is_overwritten(&self, place: LocationId, at: StatementId, depth: usize) -> bool {
        let StatementRange {
            model,
            executed,
            top,
            ..
        } = self.stretch;
        let program = model.program;
        let procedure = program.statement(at).procedure;
        let mut inner = at;
        loop {
            let above = model.outline.parent[inner.0 as usize]
                .filter(|above| executed.statements.contains(above));
            let lists: Vec<&[StatementId]> = match above {
                Some(above) => program.statement(above).kind.bodies(),
                None if self.is_called(at) => vec![&program.procedure(procedure).body],
                None => vec![top],
            };
            let list = lists
                .into_iter()
                .find(|list| list.contains(&inner))
                .unwrap_or_default();
            let before = list.iter().take_while(|&&id| id != inner);
            if before.into_iter().any(|&id| self.always_writes(id, place)) {
                return !self.jumps_in(procedure);
            }
            match above {
                Some(above) => inner = above,
                None => break,
            }
        }
        let calls = executed
            .procedures
            .get(&procedure)
            .filter(|_| self.is_called(at) && depth < 4);
        calls.is_some_and(|calls| {
            calls
                .iter()
                .all(|&call| self.is_overwritten(place, call, depth + 1))
        })
    }

    fn always_writes(&self, id: StatementId, place: LocationId) -> bool {
        let definitions = &self.stretch.model.effects.of_statement(id).definitions;
        definitions
            .iter()
            .any(|found| found.location == place && found.certain && found.via == Via::Own)
    }

    fn jumps_in(&self, procedure: ProcedureId) -> bool {
        let StatementRange {
            model, executed, ..
        } = self.stretch;
        let all = model.outline.of_procedure(procedure).iter();
        all.filter(|id| executed.statements.contains(id)).any(|id| {
            matches!(
                model.program.statement(*id).kind,
                StatementKind::Goto { .. }
            )
        })
    }

    /// A place as it was before all that its procedure does of the stretch.
    fn before(&mut self, place: LocationId, at: StatementId, found: &mut Sources) {
        let StatementRange {
            model, executed, ..
        } = self.stretch;
        let procedure = model.program.statement(at).procedure;
        let known = model.locations.get(place);
        if known.frame != Some(procedure) || !self.is_called(at) {
            found.places.insert(place);
            return;
        }
        if known.dummy.is_none() {
            // A variable of its own, which holds nothing yet.
            return;
        }
        for &id in executed.procedures.get(&procedure).into_iter().flatten() {
            let calls = &model.effects.of_statement(id).calls;
            for call in calls.iter().filter(|call| call.target == procedure) {
                let actual = call.seen_by_caller(place, &model.locations, false);
                self.open
                    .extend(actual.into_iter().map(|actual| Node::Place(actual, id)));
            }
        }
    }

    fn made(&mut self, place: LocationId, by: StatementId, found: &mut Sources) {
        let model = self.stretch.model;
        let definitions = &model.effects.of_statement(by).definitions;
        for definition in definitions
            .iter()
            .filter(|definition| definition.location == place)
        {
            match definition.via {
                Via::Own => {
                    let kind = &model.program.statement(by).kind;
                    let calls = call_graph::calls(kind);
                    let mut calls = calls.iter().filter(|call| !call.is_function);
                    found.hidden |= calls.any(|call| {
                        matches!(call.callee, Callee::Intrinsic(_)) || is_hidden(call.callee)
                    });
                    self.open.push(Node::Read(by));
                }
                Via::Dummy(_, dummy) => self.open.push(Node::Written(dummy)),
                Via::Payload(_) | Via::Envelope => found.hidden = true,
            }
        }
    }

    fn runs(&mut self, id: StatementId) {
        let deciders: Vec<StatementId> = self.stretch.deciders(id).collect();
        self.open.extend(
            deciders
                .into_iter()
                .flat_map(|decider| [Node::Read(decider), Node::Runs(decider)]),
        );
        if self.is_called(id) {
            let procedure = self.stretch.model.program.statement(id).procedure;
            let calls = self
                .stretch
                .executed
                .procedures
                .get(&procedure)
                .into_iter()
                .flatten();
            self.open.extend(calls.map(|&call| Node::Runs(call)));
        }
    }
}

/// Whether a procedure answers more than its arguments tell.
pub(crate) fn is_hidden(callee: &Callee) -> bool {
    match callee {
        Callee::Mpi(_) | Callee::UnknownMpi(_) | Callee::External(_) => true,
        Callee::Intrinsic(name) => varying_values::is_nondeterministic(name),
        Callee::Procedure(_) | Callee::OneOf(_) | Callee::Variable(_) => false,
    }
}
