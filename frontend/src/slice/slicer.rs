//! The backward slice (Weiser, Program Slicing, 1984): the statements that determine the sequence of MPI calls and their arguments.
//! Whole program, arrays as single locations. Procedures are connected by parameter and global edges as in the system dependence
//! graph of Horwitz, Reps and Binkley (Interprocedural Slicing Using Dependence Graphs, 1990), but without its summary edges: the
//! slice is context-insensitive. Reaching definitions follow private scalars; every other location is
//! flow-insensitive: if a kept statement reads it, every statement that may write it stays.
//!
//! A worklist fixpoint over two kinds of task: a statement stays, or a location is needed at a point; the sets only grow. Control
//! dependence is in [`crate::dataflow::dependence`], assumed exits in [`crate::assumptions::proposals`], procedures and their
//! calls in `procedures`, files in `files`, extensions that may be taken back in `attempts`.

mod attempts;
mod explanation;
mod files;
mod procedures;

use crate::dataflow::control::Control;
use crate::effects::message_class::MessageClass;
use crate::effects::message_levels::Needed;
use crate::effects::model::{Model, is_written};
use crate::effects::statement_effects::{
    Answer, ConditionEffects, Definition, IndirectEffect, StatementEffects, Via,
};
use crate::graphs::assumed_outcomes::Clause;
use crate::graphs::control_flow_graph::CfgNode;
use crate::io::io_ordering::IoOrdering;
use crate::ir::references;
use crate::ir::rules::{Rule, holds};
use crate::ir::statement_tree::{self};
use crate::ir::{Expression, ProcedureId, StatementId};
use crate::memory::location_id::LocationId;
use crate::slice::dependence_graph::NotedNeeds;
use crate::slice::needs::Need;
use crate::slice::reasons::{Because, criterion};
use attempts::{Attempt, SliceFlag};
use std::collections::{BTreeSet, VecDeque};

/// A growing slice.
pub(crate) struct Slicer<'a> {
    pub(crate) model: &'a Model<'a>,
    pub(crate) control: &'a Control,
    /// In which order files are written and read.
    file_order: &'a IoOrdering,
    /// Whether each statement stays.
    pub(crate) kept: Vec<bool>,
    /// Who needed each kept statement first, and for what.
    pub(crate) reasons: Vec<Option<(Option<StatementId>, Because)>>,
    deciding: Vec<bool>,
    /// Whether each statement's value is live, of those that may stay for their calls alone.
    wanted: Vec<bool>,
    needed: Vec<bool>,
    entered: Vec<bool>,
    /// By location that reaching definitions follow: whether its value is needed where its procedure returns.
    returned: Vec<bool>,
    live: Vec<bool>,
    stops_matter: Vec<bool>,
    callers: Vec<Vec<(StatementId, usize)>>,
    /// By procedure without global synchronisation: the files that it reads, and where.
    files_read: Vec<BTreeSet<(LocationId, StatementId)>>,
    /// Whose calls all stay.
    callers_kept: BTreeSet<IndirectEffect>,
    /// Whether everything within reach of code without source is needed.
    globals_needed: bool,
    /// Which messages are needed.
    pub(crate) messages: Needed,
    tasks: VecDeque<Task>,
    /// What needs what, if asked for.
    pub(crate) needs: Option<NotedNeeds>,
    /// What is being worked off.
    cause: Need,
    /// What an attempt to extend the slice has changed so far.
    attempt: Option<Attempt>,
}

#[derive(Clone, Copy, Debug)]
enum Task {
    Keep {
        statement: StatementId,
        by: Option<StatementId>,
        because: Because,
    },
    Need {
        location: LocationId,
        at: CfgNode,
        by: Option<StatementId>,
        because: Because,
    },
}

impl<'a> Slicer<'a> {
    /// An empty slice.
    pub(crate) fn new(
        model: &'a Model<'a>,
        control: &'a Control,
        file_order: &'a IoOrdering,
    ) -> Self {
        let (statements, procedures) = (
            model.program.statements.len(),
            model.program.procedures.len(),
        );
        let places = 2 * model.locations.count();
        Slicer {
            model,
            control,
            file_order,
            kept: vec![false; statements],
            reasons: vec![None; statements],
            deciding: vec![false; statements],
            wanted: vec![false; statements],
            needed: vec![false; places],
            entered: vec![false; places],
            returned: vec![false; places],
            live: vec![false; procedures],
            stops_matter: vec![false; procedures],
            callers: vec![Vec::new(); procedures],
            files_read: vec![BTreeSet::new(); procedures],
            callers_kept: BTreeSet::new(),
            globals_needed: false,
            messages: Needed {
                undivided: model.effects.collectives.undivided().clone(),
                ..Needed::default()
            },
            tasks: VecDeque::new(),
            needs: None,
            cause: Need::Criterion,
            attempt: None,
        }
    }

    /// Every recorded MPI call, every call that leads to one, and the way to every compute block, with all that they need.
    pub(crate) fn start(&mut self, blocks: &[Vec<StatementId>]) {
        self.begin(blocks);
        self.run();
    }

    /// The same as tasks, which are still to be worked off.
    pub(crate) fn begin(&mut self, blocks: &[Vec<StatementId>]) {
        for id in self.model.outline.all() {
            if let Some(because) = criterion(self.model, id) {
                self.keep(id, None, because);
            }
        }
        for block in blocks {
            // One that begins with an error exit that is not taken is executed all the same.
            if self.control.unreachable[block[0].0 as usize] {
                continue;
            }
            self.keep_path(block, None, Because::Mark(block[0]));
        }
        for (id, procedure) in (0..).map(ProcedureId).zip(&self.model.program.procedures) {
            // No call in the sources shows when the MPI library runs a callback, or what it passes,
            // so reaching definitions say nothing about its body: it stays as a whole.
            let is_called_back =
                self.model.effects.callbacks.is_whole(id) && holds(Rule::MpiCallsBack);
            if procedure.is_whole || is_called_back {
                let all = self.model.outline.of_procedure(id);
                for &statement in all {
                    self.keep(statement, None, Because::Whole(id));
                    self.want(statement);
                }
            }
        }
        for procedure in self.model.effects.callbacks.called_externally() {
            self.defer_to_callers(procedure);
        }
        if let Some(main) = self.model.program.main {
            self.mark_live(main, None);
        }
    }

    /// The way to a statement stays, not itself.
    pub(crate) fn keep_path(
        &mut self,
        block: &[StatementId],
        by: Option<StatementId>,
        because: Because,
    ) {
        for above in self.model.outline.ancestors(block[0]) {
            self.keep(above, by, because);
        }
        for decider in self.control.deciders_of_block(self.model, block) {
            self.decide(decider, by, because);
        }
    }

    /// The locations that an expression reads are needed before a statement.
    pub(crate) fn need_expression(
        &mut self,
        expression: &Expression,
        at: StatementId,
        because: Because,
    ) {
        let locations = &self.model.locations;
        let point = CfgNode::Statement(at);
        for named in references::values(expression) {
            if let Some(place) = locations.at(named) {
                for location in locations.innermost(place) {
                    self.need(location, point, None, because);
                }
            }
        }
        for named in references::named(expression) {
            for location in locations.along(named) {
                self.need(locations.existence(location), point, None, because);
            }
        }
    }

    /// By statement, whether its conditions matter: all that they ask is needed where they ask it.
    pub(crate) fn decided(&self) -> &[bool] {
        &self.deciding
    }

    /// Whether the slice computes the value of a location before a statement: no statement writes it, or all definitions
    /// that may reach the statement stay.
    pub(crate) fn computes(&self, location: LocationId, before: StatementId) -> bool {
        let model = self.model;
        if !model.followed[location.index()] {
            let is_written = model.is_written(location);
            let is_passed = model.locations.get(location).dummy.is_some();
            return self.needed[location.index()] || !(is_written || is_passed);
        }
        let procedure = model.program.statement(before).procedure;
        let reaching = &self.control.reaching[procedure.0 as usize];
        match reaching.definitions(location, CfgNode::Statement(before)) {
            Some(points) => points.into_iter().all(|point| self.makes(location, point)),
            None => false,
        }
    }

    /// Whether the slice computes a location at the point of its definition.
    fn makes(&self, location: LocationId, point: CfgNode) -> bool {
        match point {
            CfgNode::Statement(id) => {
                let effects = self.effects_of(id);
                let has_value = effects.apart.is_none() || self.wanted[id.0 as usize];
                if !self.kept[id.0 as usize] || !has_value {
                    return false;
                }
                for definition in &effects.definitions {
                    // Messages whose payload is not live are recorded without being delivered.
                    if definition.location == location
                        && let Via::Payload(class) = definition.via
                        && !self.messages.payload.contains(&class)
                    {
                        return false;
                    }
                }
                true
            }
            CfgNode::Entry => {
                let is_passed = self.model.locations.get(location).dummy.is_some();
                !is_passed || self.entered[location.index()]
            }
            CfgNode::Return | CfgNode::Exit => false,
        }
    }

    /// Works off all tasks.
    pub(crate) fn run(&mut self) {
        self.run_at_most(usize::MAX);
    }

    /// Works off so many tasks. Whether none is left.
    pub(crate) fn run_at_most(&mut self, tasks: usize) -> bool {
        for _ in 0..tasks {
            // First in, first out: the recorded reason of a statement then belongs to a shortest
            // chain of tasks from a criterion, which is the chain that the user reads.
            let Some(task) = self.tasks.pop_front() else {
                break;
            };
            match task {
                Task::Keep {
                    statement,
                    by,
                    because,
                } => {
                    self.cause = Need::Statement(statement);
                    self.take(statement, by, because);
                }
                Task::Need {
                    location,
                    at,
                    by,
                    because,
                } => {
                    self.cause = self.place(location, at);
                    self.find_writers(location, at, by, because);
                }
            }
        }
        self.cause = Need::Criterion;
        self.tasks.is_empty()
    }

    /// What is worked off needs this, too.
    fn note(&mut self, needed: Need) {
        if let Some(needs) = &mut self.needs {
            needs.note(self.cause, needed);
        }
    }

    /// Works something off in the name of another need.
    fn keep_for(&mut self, cause: Need, work: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.cause, cause);
        work(self);
        self.cause = before;
    }

    /// A location that is needed at a point; for flow-insensitive locations, at any point.
    fn place(&self, location: LocationId, at: CfgNode) -> Need {
        let is_flow_sensitive = self.model.followed[location.index()]
            || self.file_order.accesses_of(self.model, location);
        if is_flow_sensitive {
            Need::Place(location, Some(at))
        } else {
            Need::Place(location, None)
        }
    }

    /// What a statement does under the assumptions.
    pub(crate) fn effects_of(&self, statement: StatementId) -> &'a StatementEffects {
        self.control.effects(self.model, statement)
    }

    /// Whether no run executes a statement, under the assumptions.
    fn is_dead(&self, statement: StatementId) -> bool {
        let procedure = self.model.program.statement(statement).procedure;
        self.control.dead[statement.0 as usize] || !self.model.may_enter(procedure)
    }

    /// A statement stays.
    pub(crate) fn keep(
        &mut self,
        statement: StatementId,
        by: Option<StatementId>,
        because: Because,
    ) {
        if self.is_dead(statement) {
            return;
        }
        self.note(Need::Statement(statement));
        if !self.kept[statement.0 as usize] {
            self.tasks.push_back(Task::Keep {
                statement,
                by,
                because,
            });
        }
    }

    fn need(
        &mut self,
        location: LocationId,
        at: CfgNode,
        by: Option<StatementId>,
        because: Because,
    ) {
        self.note(self.place(location, at));
        if !self.needed[location.index()] {
            self.tasks.push_back(Task::Need {
                location,
                at,
                by,
                because,
            });
        }
    }

    /// A statement stays: so does what is around it, what decides it, what it reads.
    fn take(&mut self, statement: StatementId, by: Option<StatementId>, because: Because) {
        // Each statement is taken once. With the sets of needs, which only grow as well, this
        // bounds the worklist.
        if self.set(SliceFlag::Kept(statement)) {
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
        self.mark_live(self.model.program.statement(statement).procedure, me);
        if self.effects_of(statement).apart.is_some() {
            // Its value may be unused: operands that only the value reads are added by `want`.
            return self.evaluate(statement);
        }
        // A statement without separate conditions is evaluated as a whole. Of an IF with several,
        // each condition is a node of its own in the dependence graph, so that a cut can replace
        // one of them.
        if self.effects_of(statement).conditions.is_empty() {
            let evaluation = Need::Evaluation(Clause {
                statement,
                number: 0,
            });
            self.note(evaluation);
            return self.keep_for(evaluation, |slicer| slicer.evaluate(statement));
        }
        for (number, condition) in self.effects_of(statement).conditions.iter().enumerate() {
            let evaluation = Need::Evaluation(Clause { statement, number });
            self.note(evaluation);
            self.keep_for(evaluation, |slicer| {
                slicer.evaluate_condition(statement, condition)
            });
        }
    }

    /// The value that a statement computes is needed, of one that could stay for its calls alone.
    fn want(&mut self, statement: StatementId) {
        let effects = self.effects_of(statement);
        let Some(apart) = &effects.apart else {
            return;
        };
        if self.is_dead(statement) {
            return;
        }
        let evaluation = Need::Evaluation(Clause {
            statement,
            number: 0,
        });
        self.note(evaluation);
        let known = self.set(SliceFlag::Wanted(statement));
        if known || !holds(Rule::ValuesAreWanted) {
            return;
        }
        self.keep_for(evaluation, |slicer| {
            slicer.need_all_at(&apart.for_value, statement);
            for call in &effects.calls {
                if call.answer == Answer::ForValue {
                    slicer.need_result(call.target, Some(statement));
                }
            }
        });
    }

    /// Whether a place is how large the statement makes something, which depends on no value.
    fn allocates_only(&self, statement: StatementId, place: LocationId) -> bool {
        self.model.locations.is_existence(place) && self.effects_of(statement).calls.is_empty()
    }

    /// The component that a statement copies to another one, with the rest of an object.
    fn copied_to(&self, statement: StatementId, component: LocationId) -> Option<LocationId> {
        let apart = self.effects_of(statement).apart.as_ref()?;
        apart.copied_to(component)
    }

    /// The operands and calls of a statement are needed.
    fn evaluate(&mut self, statement: StatementId) {
        let effects = self.effects_of(statement);
        match &effects.apart {
            Some(apart) => self.need_all_at(&apart.for_calls, statement),
            None => self.need_all_at(&effects.uses, statement),
        }
        if effects.touches_globals {
            self.need_globals(statement);
        }
        for &mentioned in &effects.mentions {
            self.need_existence(mentioned, statement);
        }
        for &(class, sent) in &effects.sends {
            // Data that are sent matter only where some kept statement reads data that such a message delivers.
            let readers: Vec<MessageClass> = self.messages.readers_of(class).collect();
            for reader in readers {
                self.need_sent(reader, class, sent, statement);
            }
        }
        for index in 0..effects.calls.len() {
            self.take_call(statement, index);
        }
    }

    /// The operands and calls of one of several conditions are needed.
    fn evaluate_condition(&mut self, statement: StatementId, condition: &ConditionEffects) {
        let effects = self.effects_of(statement);
        self.need_all_at(&effects.uses[condition.uses.clone()], statement);
        if effects.touches_globals {
            self.need_globals(statement);
        }
        for &mentioned in &effects.mentions[condition.mentions.clone()] {
            self.need_existence(mentioned, statement);
        }
        for index in condition.calls.clone() {
            self.take_call(statement, index);
        }
    }

    fn need_all_at(&mut self, locations: &[LocationId], statement: StatementId) {
        for &location in locations {
            self.need_at(location, statement);
        }
    }

    /// What a statement names must exist.
    fn need_existence(&mut self, mentioned: LocationId, statement: StatementId) {
        if holds(Rule::NamedExists) {
            let existence = self.model.locations.existence(mentioned);
            self.need(
                existence,
                CfgNode::Statement(statement),
                Some(statement),
                Because::Defines(mentioned),
            );
        }
    }

    /// A procedure without source may read everything within its reach. An enclosing DO may define some of these as its counter: then other
    /// calls still need them.
    fn need_globals(&mut self, statement: StatementId) {
        self.note(Need::Globals);
        if self.globals_needed {
            return;
        }
        let model = self.model;
        self.keep_for(Need::Globals, |slicer| {
            for location in model.effects.within_reach.iter() {
                // Of these, each call in their procedure needs what reaches it, as what it reads itself.
                if !model.followed[location.index()] {
                    slicer.need_at(location, statement);
                }
            }
        });
        // `need_at` leaves out the counter of an enclosing DO, which this statement does not need
        // from elsewhere. A statement outside that loop may: then the set is not complete yet.
        self.globals_needed = true;
        for above in model.outline.ancestors(statement) {
            if let Some(counter) = self.counter_of(above)
                && model.effects.within_reach.contains(counter)
            {
                self.globals_needed = false;
            }
        }
    }

    /// The location of the counter of a DO.
    fn counter_of(&self, statement: StatementId) -> Option<LocationId> {
        let kind = &self.model.program.statement(statement).kind;
        let counter = statement_tree::do_variable(kind)?;
        self.model.locations.of_variable(counter)
    }

    /// A location is needed where a statement reads it. The counter of an enclosing DO is defined by that, which stays anyway.
    fn need_at(&mut self, location: LocationId, statement: StatementId) {
        if !self.model.followed[location.index()] {
            for above in self.model.outline.ancestors(statement) {
                if self.counter_of(above) == Some(location) {
                    return;
                }
            }
        }
        self.need(
            location,
            CfgNode::Statement(statement),
            Some(statement),
            Because::Defines(location),
        );
    }

    fn decide(&mut self, decider: StatementId, by: Option<StatementId>, because: Because) {
        self.note(Need::Decision(decider));
        self.keep_for(Need::Decision(decider), |slicer| {
            slicer.keep(decider, by, because)
        });
        // A decision also selects whether what follows runs, and a function in its condition may
        // end the run: then whatever determines that end is needed.
        if self.set(SliceFlag::Deciding(decider)) {
            return;
        }
        for call in &self.effects_of(decider).calls {
            self.keep_for(Need::Decision(decider), |slicer| {
                slicer.need_stop_conditions(call.target, by)
            });
        }
    }

    fn find_writers(
        &mut self,
        location: LocationId,
        at: CfgNode,
        by: Option<StatementId>,
        because: Because,
    ) {
        if self.model.locations.is_file(location) && !holds(Rule::FilesHold) {
            return;
        }
        if let (CfgNode::Statement(reader), true) =
            (at, self.file_order.accesses_of(self.model, location))
        {
            return self.find_writers_of_file(location, reader, by, because);
        }
        if !self.model.followed[location.index()] {
            // Flow-insensitive: all writers stay, whatever path leads from them to the read, so once
            // for the whole program is enough.
            if self.set(SliceFlag::Needed(location)) {
                return;
            }
            self.enter(location);
            for (statement, definition) in &self.model.writers[location.index()] {
                self.write(*statement, *definition, by, because);
            }
            self.keep_callers(location, by, because);
            return;
        }
        // Once for all calls: in mutually recursive procedures a dummy may define itself through the calls of both.
        if at == CfgNode::Return && self.set(SliceFlag::Returned(location)) {
            return;
        }
        let mut reaching = None;
        if let Some(owner) = self.owner_of(location, at) {
            reaching = self.control.reaching[owner.0 as usize].definitions(location, at);
        }
        // Without known definitions the value can only come from the entry of the procedure.
        for point in reaching.unwrap_or(vec![CfgNode::Entry]) {
            match point {
                CfgNode::Statement(statement) => {
                    for &definition in &self.effects_of(statement).definitions {
                        if definition.location == location {
                            self.write(statement, definition, by, because);
                        }
                    }
                }
                CfgNode::Entry => self.enter(location),
                CfgNode::Return | CfgNode::Exit => {}
            }
        }
    }

    fn owner_of(&self, location: LocationId, at: CfgNode) -> Option<ProcedureId> {
        match at {
            CfgNode::Statement(statement) => {
                Some(self.model.program.statement(statement).procedure)
            }
            CfgNode::Entry | CfgNode::Return | CfgNode::Exit => {
                self.model.locations.get(location).frame
            }
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
        if self.is_dead(statement) || !is_written(self.model, statement, definition.via) {
            return;
        }
        self.keep(statement, by, because);
        match definition.via {
            // An allocation changes only the shape; the value assigned with it stays unused.
            Via::Own if self.allocates_only(statement, definition.location) => {}
            Via::Own => match self.copied_to(statement, definition.location) {
                Some(source) => self.need_at(source, statement),
                None => self.want(statement),
            },
            // A parameter-out edge: the statement defines the actual argument through this dummy, so the
            // definitions that reach the callee's return are needed, whichever call this is.
            Via::Dummy(_, dummy) => self.need(
                dummy,
                CfgNode::Return,
                Some(statement),
                Because::Defines(dummy),
            ),
            Via::Payload(class) => self.deliver(class),
            Via::Envelope => self.messages.envelope = true,
        }
    }

    /// Messages of a class are payload-live: the data that kept calls send in messages that may match them are needed.
    fn deliver(&mut self, class: MessageClass) {
        self.note(Need::Data(class));
        // From now on `evaluate` adds what is sent whenever a further send is kept; here follow
        // those that were kept before.
        if !self.messages.payload.insert(class) {
            return;
        }
        let model = self.model;
        for id in model.outline.all() {
            if !self.kept[id.0 as usize] {
                continue;
            }
            for &(sent_class, sent) in &self.effects_of(id).sends {
                if sent_class.may_match(class) {
                    self.need_sent(class, sent_class, sent, id);
                }
            }
        }
    }

    /// What a statement sends in a message of one class is needed for one of another class, or the same, whose data are read.
    fn need_sent(
        &mut self,
        reader: MessageClass,
        class: MessageClass,
        sent: LocationId,
        statement: StatementId,
    ) {
        self.keep_for(Need::Data(reader), |slicer| slicer.note(Need::Sent(class)));
        self.keep_for(Need::Sent(class), |slicer| slicer.need_at(sent, statement));
    }
}
