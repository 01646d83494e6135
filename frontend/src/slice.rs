//! The backward slice: what decides the sequence of MPI calls and their arguments. Whole program,
//! whole arrays, one context per procedure. Private scalars are followed by reaching definitions,
//! everything else by place: if any kept statement reads a place, whoever may write it stays.
//!
//! A fixpoint over two kinds of task: a statement is to stay, a place is needed at a point. Control
//! comes from [`crate::dependence`]; which exits are assumed not taken, from [`crate::assumptions`].

use crate::analysis::{Reason, Slice};
use crate::call_graph::{self, CallGraph};
use crate::dependence::{Reaching, control_dependence};
use crate::effects::{CallEffects, Definition, Effects, Via};
use crate::flow_graph::{self, Ends, FlowGraph, Point, Surroundings};
use crate::ir::{Callee, Expression, ProcedureId, ProcedureKind, Program, StatementId, Storage};
use crate::levels::{MessageClass, Needed};
use crate::locations::{LocationId, Locations};
use crate::outline::{self, Outline};
use crate::references;
use std::collections::{BTreeSet, VecDeque};

/// What a slice is computed from.
pub(crate) struct Model<'a> {
    pub(crate) program: &'a Program,
    pub(crate) outline: Outline,
    pub(crate) calls: CallGraph,
    pub(crate) locations: Locations,
    pub(crate) effects: Effects,
    /// First line of each statement, for reasons.
    pub(crate) lines: Vec<u32>,
    followed: Vec<bool>,
    writers: Vec<Vec<(StatementId, Definition)>>,
}

impl<'a> Model<'a> {
    /// `precise`: follow private scalars by reaching definitions.
    pub(crate) fn new(
        program: &'a Program,
        outline: Outline,
        calls: CallGraph,
        locations: Locations,
        lines: Vec<u32>,
        precise: bool,
    ) -> Self {
        let effects = Effects::of(program, &outline, &calls, &locations);
        let mut writers = vec![Vec::new(); 2 * locations.count()];
        for id in outline.all() {
            for &definition in &effects.of_statement(id).definitions {
                writers[definition.location.index()].push((id, definition));
            }
        }
        let mut model =
            Model { program, outline, calls, locations, effects, lines, followed: Vec::new(), writers };
        model.followed = if precise { followed(&model) } else { vec![false; 2 * model.locations.count()] };
        model
    }
}

/// The places that reaching definitions tell all about: scalars that live in one call of one
/// procedure (or in the main program), named by no other, and not the buffer of a message that may
/// arrive later.
fn followed(model: &Model) -> Vec<bool> {
    let mut followed = vec![false; 2 * model.locations.count()];
    for (i, variable) in model.program.variables.iter().enumerate() {
        let Some(location) = model.locations.of_variable(crate::ir::VariableId(i as u32)) else { continue };
        let place = model.locations.get(location);
        let is_main = variable.owner.is_some_and(|p| model.program.procedure(p).kind == ProcedureKind::Main);
        let in_frame = place.frame.is_some() || (is_main && matches!(variable.storage, Storage::Static));
        followed[location.index()] = in_frame && place.is_private && !place.is_array;
    }
    for id in model.outline.all() {
        let effects = model.effects.of_statement(id);
        let late = |class: &MessageClass| *class == MessageClass::PointToPoint;
        let sent = effects.sends.iter().filter(|(class, _)| late(class)).map(|&(_, location)| location);
        let arriving = |d: &&Definition| matches!(&d.via, Via::Payload(class) if late(class));
        let received = effects.definitions.iter().filter(arriving).map(|d| d.location);
        sent.chain(received).for_each(|location| followed[location.index()] = false);
        effects.calls.iter().for_each(|call| forget_aliased(model, call, &mut followed));
    }
    followed
}

/// Dummies that share storage with one another or with a place that the callee also names itself.
fn forget_aliased(model: &Model, call: &CallEffects, followed: &mut [bool]) {
    let dummies = &model.program.procedure(call.target).dummies;
    let summary = &model.effects.summaries[call.target.0 as usize];
    for (position, actual) in call.references.iter().enumerate() {
        let Some(actual) = *actual else { continue };
        let twice = call.references.iter().filter(|&&other| other == Some(actual)).count() > 1;
        let direct = summary.reads.contains(actual) || summary.writes.contains(actual);
        let dummy = dummies.get(position).copied().flatten().and_then(|v| model.locations.of_variable(v));
        if let Some(dummy) = dummy.filter(|_| twice || direct) {
            followed[dummy.index()] = false;
        }
    }
}

/// Control under a set of assumptions.
pub(crate) struct Control {
    /// IF statements whose branch is assumed not taken; index = statement id.
    pub(crate) cut: Vec<bool>,
    /// Statements that cannot run under the assumptions, but could without.
    pub(crate) dead: Vec<bool>,
    /// How each procedure may end.
    pub(crate) ends: Vec<Ends>,
    deciders: Vec<Vec<StatementId>>,
    reaching: Vec<Reaching>,
}

impl Control {
    /// Control of the program without the branches of `cut`.
    pub(crate) fn of(model: &Model, cut: Vec<bool>) -> Self {
        let program = model.program;
        let ends = flow_graph::ends(program, &model.outline, &model.calls, &cut);
        let count = program.statements.len();
        let mut control = Control {
            cut,
            dead: vec![false; count],
            ends,
            deciders: vec![Vec::new(); count],
            reaching: Vec::new(),
        };
        let uncut = vec![false; count];
        for p in (0..program.procedures.len() as u32).map(ProcedureId) {
            let flow = control.flow(model, p, &control.cut);
            control_dependence(&flow, &mut control.deciders);
            control.reaching.push(Reaching::of(&flow, &model.effects, |l| model.followed[l.index()]));
            if model.outline.of_procedure(p).iter().any(|id| control.cut[id.0 as usize]) {
                let whole = control.flow(model, p, &uncut);
                control.find_dead(model, p, &flow, &whole);
            }
        }
        control
    }

    /// The flow of a procedure.
    pub(crate) fn flow(&self, model: &Model, procedure: ProcedureId, cut: &[bool]) -> FlowGraph {
        let (program, outline, calls) = (model.program, &model.outline, &model.calls);
        FlowGraph::of(procedure, Surroundings { program, outline, calls, cut, ends: &self.ends })
    }

    fn find_dead(&mut self, model: &Model, procedure: ProcedureId, flow: &FlowGraph, whole: &FlowGraph) {
        let now = flow.reachable(flow.number(Point::Entry));
        let before = whole.reachable(whole.number(Point::Entry));
        for &id in model.outline.of_procedure(procedure) {
            let number = flow.number(Point::Statement(id));
            // The IF itself goes with its branch.
            self.dead[id.0 as usize] = self.cut[id.0 as usize] || (before[number] && !now[number]);
        }
    }

    /// The statements outside `block` that decide whether its first one is reached.
    pub(crate) fn deciders_of_block(&self, model: &Model, block: &[StatementId]) -> Vec<StatementId> {
        let Some(first) = block.first() else { return Vec::new() };
        let inside = |id: StatementId| block.iter().any(|&outer| model.outline.is_within(id, outer));
        self.deciders[first.0 as usize].iter().copied().filter(|&id| !inside(id)).collect()
    }
}

/// Why a task was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Because {
    MpiCall,
    LeadsToMpi,
    Mark(StatementId),
    Section(StatementId),
    WorkTerm(StatementId),
    Defines(LocationId),
    Decides(StatementId),
    Encloses(StatementId),
    Specification(ProcedureId),
    Stops(ProcedureId),
}

/// A growing slice.
#[derive(Clone)]
pub(crate) struct Slicer<'a> {
    model: &'a Model<'a>,
    control: &'a Control,
    /// Whether each statement stays.
    pub(crate) kept: Vec<bool>,
    reasons: Vec<Option<(Option<StatementId>, Because)>>,
    deciding: Vec<bool>,
    needed: Vec<bool>,
    entered: Vec<bool>,
    live: Vec<bool>,
    stops_matter: Vec<bool>,
    callers: Vec<Vec<(StatementId, usize)>>,
    /// Which messages are needed.
    pub(crate) messages: Needed,
    tasks: VecDeque<Task>,
}

#[derive(Clone, Copy, Debug)]
enum Task {
    Keep { statement: StatementId, by: Option<StatementId>, because: Because },
    Need { location: LocationId, at: Point, by: Option<StatementId>, because: Because },
}

impl<'a> Slicer<'a> {
    /// An empty slice.
    pub(crate) fn new(model: &'a Model<'a>, control: &'a Control) -> Self {
        let (statements, procedures) = (model.program.statements.len(), model.program.procedures.len());
        let places = 2 * model.locations.count();
        Slicer {
            model,
            control,
            kept: vec![false; statements],
            reasons: vec![None; statements],
            deciding: vec![false; statements],
            needed: vec![false; places],
            entered: vec![false; places],
            live: vec![false; procedures],
            stops_matter: vec![false; procedures],
            callers: vec![Vec::new(); procedures],
            messages: Needed::default(),
            tasks: VecDeque::new(),
        }
    }

    /// Every recorded MPI call, every call that leads to one, and the way to every compute block.
    pub(crate) fn start(&mut self, blocks: &[Vec<StatementId>]) {
        for id in self.model.outline.all() {
            if let Some(because) = criterion(self.model, id) {
                self.keep(id, None, because);
            }
        }
        for block in blocks {
            if self.is_dead(block[0]) {
                continue;
            }
            self.keep_way(block, None, Because::Mark(block[0]));
        }
        if let Some(main) = self.model.program.main {
            self.enliven(main, None);
        }
        self.run();
    }

    /// The way to a statement stays, not itself.
    pub(crate) fn keep_way(&mut self, block: &[StatementId], by: Option<StatementId>, because: Because) {
        for above in self.model.outline.ancestors(block[0]) {
            self.keep(above, by, because);
        }
        for decider in self.control.deciders_of_block(self.model, block) {
            self.decide(decider, by, because);
        }
    }

    /// All that an expression reads is needed before a statement.
    pub(crate) fn need_expression(&mut self, expression: &Expression, at: StatementId, because: Because) {
        for variable in references::variables(expression) {
            if let Some(location) = self.model.locations.of_variable(variable) {
                self.need(location, Point::Statement(at), None, because);
                self.need(self.model.locations.existence(location), Point::Statement(at), None, because);
            }
        }
    }

    /// Works off all tasks.
    pub(crate) fn run(&mut self) {
        while let Some(task) = self.tasks.pop_front() {
            match task {
                Task::Keep { statement, by, because } => self.take(statement, by, because),
                Task::Need { location, at, by, because } => self.find_writers(location, at, by, because),
            }
        }
    }

    fn is_dead(&self, statement: StatementId) -> bool {
        self.control.dead[statement.0 as usize]
    }

    fn keep(&mut self, statement: StatementId, by: Option<StatementId>, because: Because) {
        if !self.is_dead(statement) && !self.kept[statement.0 as usize] {
            self.tasks.push_back(Task::Keep { statement, by, because });
        }
    }

    fn need(&mut self, location: LocationId, at: Point, by: Option<StatementId>, because: Because) {
        if !self.needed[location.index()] {
            self.tasks.push_back(Task::Need { location, at, by, because });
        }
    }

    /// A statement stays: so does what is around it, what decides it, what it reads.
    fn take(&mut self, statement: StatementId, by: Option<StatementId>, because: Because) {
        if std::mem::replace(&mut self.kept[statement.0 as usize], true) {
            return;
        }
        self.reasons[statement.0 as usize] = Some((by, because));
        let me = Some(statement);
        if let Some(above) = self.model.outline.parent[statement.0 as usize] {
            self.keep(above, me, Because::Encloses(statement));
        }
        for &decider in &self.control.deciders[statement.0 as usize] {
            self.decide(decider, me, Because::Decides(statement));
        }
        let effects = self.model.effects.of_statement(statement);
        for &used in &effects.uses {
            self.need_at(used, statement);
        }
        for &mentioned in &effects.mentions {
            self.need(
                self.model.locations.existence(mentioned),
                Point::Statement(statement),
                me,
                Because::Defines(mentioned),
            );
        }
        for &(class, sent) in &effects.sends {
            if self.messages.payload.contains(&class) {
                self.need_at(sent, statement);
            }
        }
        self.enliven(self.model.program.statement(statement).procedure, me);
        for index in 0..effects.calls.len() {
            self.take_call(statement, index);
        }
    }

    /// A place is needed where a statement reads it. A DO around it that counts in it satisfies it.
    fn need_at(&mut self, location: LocationId, statement: StatementId) {
        let counts = |above: StatementId| {
            let variable = outline::do_variable(&self.model.program.statement(above).kind);
            variable.and_then(|v| self.model.locations.of_variable(v)) == Some(location)
        };
        if !self.model.followed[location.index()] && self.model.outline.ancestors(statement).any(counts) {
            return;
        }
        self.need(location, Point::Statement(statement), Some(statement), Because::Defines(location));
    }

    fn decide(&mut self, decider: StatementId, by: Option<StatementId>, because: Because) {
        self.keep(decider, by, because);
        if std::mem::replace(&mut self.deciding[decider.0 as usize], true) {
            return;
        }
        for call in &self.model.effects.of_statement(decider).calls {
            self.mind_stops(call.target, by);
        }
    }

    /// Something later hangs on whether this procedure ends the run.
    fn mind_stops(&mut self, procedure: ProcedureId, by: Option<StatementId>) {
        let ends = self.control.ends[procedure.0 as usize];
        if !ends.may_stop || std::mem::replace(&mut self.stops_matter[procedure.0 as usize], true) {
            return;
        }
        let model = self.model;
        for &id in
            model.outline.of_procedure(procedure).iter().filter(|&&id| !self.control.dead[id.0 as usize])
        {
            let around = Surroundings {
                program: model.program,
                outline: &model.outline,
                calls: &model.calls,
                cut: &self.control.cut,
                ends: &self.control.ends,
            };
            if flow_graph::statement_ends(id, around).may_stop {
                self.decide(id, by, Because::Stops(procedure));
            }
        }
    }

    /// A call stays: what the callee needs of its caller is needed here.
    fn take_call(&mut self, statement: StatementId, index: usize) {
        let call = &self.model.effects.of_statement(statement).calls[index];
        let procedure = self.model.program.procedure(call.target);
        self.callers[call.target.0 as usize].push((statement, index));
        self.enliven(call.target, Some(statement));
        if self.deciding[statement.0 as usize] {
            self.mind_stops(call.target, Some(statement));
        }
        for dummy in procedure.dummies.iter().flatten().filter_map(|&v| self.model.locations.of_variable(v)) {
            for location in [dummy, self.model.locations.existence(dummy)] {
                if self.entered[location.index()] {
                    self.need_actual(statement, call, location);
                }
            }
        }
        let result =
            procedure.result.filter(|_| call.is_function).and_then(|v| self.model.locations.of_variable(v));
        if let Some(result) = result {
            self.need(result, Point::Returned, Some(statement), Because::Defines(result));
        }
    }

    fn need_actual(&mut self, statement: StatementId, call: &CallEffects, dummy: LocationId) {
        for actual in call.seen_by_caller(dummy, &self.model.locations, false) {
            self.need_at(actual, statement);
        }
    }

    /// A procedure runs in the slice: so its specification expressions are evaluated.
    fn enliven(&mut self, procedure: ProcedureId, by: Option<StatementId>) {
        if std::mem::replace(&mut self.live[procedure.0 as usize], true) {
            return;
        }
        let because = Because::Specification(procedure);
        for variable in self.model.program.variables.iter().filter(|v| v.owner == Some(procedure)) {
            if !matches!(variable.storage, Storage::Local | Storage::Dummy(_)) {
                continue;
            }
            let bounds: Vec<_> = variable.shape.iter().flat_map(|d| [&d.lower, &d.upper]).flatten().collect();
            for read in bounds.iter().flat_map(|bound| references::variables(bound)) {
                if let Some(location) = self.model.locations.of_variable(read) {
                    self.need_from_entry(location, by, because);
                }
            }
            for call in bounds.iter().flat_map(|bound| references::calls(bound)) {
                self.need_results(call.callee, by, because);
            }
        }
    }

    /// What a function in a bound answers is needed.
    fn need_results(&mut self, callee: &Callee, by: Option<StatementId>, because: Because) {
        for target in self.model.calls.targets(callee) {
            let result = self.model.program.procedure(target).result;
            if let Some(result) = result.and_then(|v| self.model.locations.of_variable(v)) {
                self.need(result, Point::Returned, by, because);
            }
        }
    }

    /// A place is needed when a procedure is entered.
    fn need_from_entry(&mut self, location: LocationId, by: Option<StatementId>, because: Because) {
        if self.model.followed[location.index()] {
            self.enter(location);
        } else {
            self.need(location, Point::Entry, by, because);
        }
    }

    /// The value that a dummy brings along is needed: at all calls that stay.
    fn enter(&mut self, dummy: LocationId) {
        let place = self.model.locations.get(dummy);
        let (Some(procedure), Some(_)) = (place.frame, place.dummy) else { return };
        if std::mem::replace(&mut self.entered[dummy.index()], true) {
            return;
        }
        for (statement, index) in self.callers[procedure.0 as usize].clone() {
            let call = &self.model.effects.of_statement(statement).calls[index];
            self.need_actual(statement, call, dummy);
        }
    }

    fn find_writers(&mut self, location: LocationId, at: Point, by: Option<StatementId>, because: Because) {
        if !self.model.followed[location.index()] {
            if std::mem::replace(&mut self.needed[location.index()], true) {
                return;
            }
            self.enter(location);
            for (statement, definition) in &self.model.writers[location.index()] {
                self.write(*statement, *definition, by, because);
            }
            return;
        }
        let owner = self.owner_of(location, at);
        let reaching = owner.and_then(|p| self.control.reaching[p.0 as usize].definitions(location, at));
        for point in reaching.unwrap_or_else(|| vec![Point::Entry]) {
            match point {
                Point::Statement(statement) => {
                    let definitions = &self.model.effects.of_statement(statement).definitions;
                    for definition in definitions.iter().filter(|d| d.location == location) {
                        self.write(statement, *definition, by, because);
                    }
                }
                Point::Entry => self.enter(location),
                Point::Returned | Point::Left => {}
            }
        }
    }

    fn owner_of(&self, location: LocationId, at: Point) -> Option<ProcedureId> {
        match at {
            Point::Statement(statement) => Some(self.model.program.statement(statement).procedure),
            Point::Entry | Point::Returned | Point::Left => self.model.locations.get(location).frame,
        }
    }

    /// A statement writes a place that is needed.
    fn write(
        &mut self,
        statement: StatementId,
        definition: Definition,
        by: Option<StatementId>,
        because: Because,
    ) {
        if self.is_dead(statement) {
            return;
        }
        self.keep(statement, by, because);
        match definition.via {
            Via::Own | Via::Callee => {}
            Via::Dummy(_, dummy) => {
                self.need(dummy, Point::Returned, Some(statement), Because::Defines(dummy))
            }
            Via::Payload(class) => self.deliver(class),
            Via::Envelope => self.messages.envelope = true,
        }
    }

    /// Messages of a class are delivered: what kept calls send is needed.
    fn deliver(&mut self, class: MessageClass) {
        if !self.messages.payload.insert(class) {
            return;
        }
        let kept: Vec<StatementId> = self.model.outline.all().filter(|id| self.kept[id.0 as usize]).collect();
        for id in kept {
            for &(_, sent) in self.model.effects.of_statement(id).sends.iter().filter(|(c, _)| *c == class) {
                self.need_at(sent, id);
            }
        }
    }

    /// The slice as others see it.
    pub(crate) fn result(&self) -> Slice {
        let reasons = self.reasons.iter().map(|reason| {
            reason.map(|(by, because)| Reason { needed_by: by, because: self.sentence(because) })
        });
        let all = self.model.outline.all().collect::<BTreeSet<_>>();
        let kept = all.iter().filter(|id| self.kept[id.0 as usize]).count() as u64;
        Slice {
            kept: self.kept.clone(),
            reasons: reasons.collect(),
            assumptions: Vec::new(),
            share: (kept, all.len() as u64),
        }
    }

    fn sentence(&self, because: Because) -> String {
        let line =
            |statement: StatementId| self.model.lines.get(statement.0 as usize).copied().unwrap_or_default();
        let procedure = |id: ProcedureId| &self.model.program.procedure(id).name;
        match because {
            Because::MpiCall => "is an MPI call".into(),
            Because::LeadsToMpi => "leads to MPI calls".into(),
            Because::Mark(first) => format!("decides whether the block at line {} runs", line(first)),
            Because::Section(at) => {
                format!("decides whether the section's end at line {} is passed", line(at))
            }
            Because::WorkTerm(at) => format!("decides the work of the block at line {}", line(at)),
            Because::Defines(location) => format!("defines {}", self.model.locations.get(location).name),
            Because::Decides(statement) => format!("decides whether line {} runs", line(statement)),
            Because::Encloses(statement) => format!("encloses line {}", line(statement)),
            Because::Specification(id) => format!("defines bounds of arrays of {}", procedure(id)),
            Because::Stops(id) => format!("may end the run in {}", procedure(id)),
        }
    }
}

/// Why a statement stays by itself: its own calls are recorded MPI calls, or lead to MPI.
fn criterion(model: &Model, id: StatementId) -> Option<Because> {
    let mut because = None;
    for call in call_graph::calls(&model.program.statement(id).kind) {
        match call.callee {
            Callee::Mpi(function) if function.kind.is_recorded() => return Some(Because::MpiCall),
            Callee::UnknownMpi(_) => return Some(Because::MpiCall),
            Callee::Mpi(_) => {}
            Callee::Procedure(_) | Callee::External(_) | Callee::Intrinsic(_) | Callee::Variable(_) => {
                if model.calls.call_leads(call.callee) {
                    because = Some(Because::LeadsToMpi);
                }
            }
        }
    }
    because
}
