//! What each statement reads and writes, with the effects of the procedures it calls, and what each
//! procedure as a whole does (mod/ref summaries, a fixpoint over the call graph). What hangs on
//! the level of messages (buffers, statuses) is kept apart; how it is resolved is in
//! [`crate::slice`].

use crate::call_graph::{Call, CallGraph};
use crate::files::Unit;
use crate::ir::{
    Callee, Expression, InputOutput, IoOperation, IoUnit, Operator, ProcedureId, Program, StatementId,
    StatementKind, Type,
};
use crate::levels::MessageClass;
use crate::locations::{LocationId, LocationSet, Locations};
use crate::outline::Outline;
use crate::references;
use base_data::mpi::{Function, Kind, Role};

/// What a statement does, if it stays in the slice.
#[derive(Clone, Debug, Default)]
pub(crate) struct StatementEffects {
    /// Read to run it at all.
    pub(crate) uses: Vec<LocationId>,
    /// Named by it: must exist.
    pub(crate) mentions: Vec<LocationId>,
    /// Written by it.
    pub(crate) definitions: Vec<Definition>,
    /// Calls of procedures of the program.
    pub(crate) calls: Vec<CallEffects>,
    /// Message data that leave it: read if messages of the class are delivered.
    pub(crate) sends: Vec<(MessageClass, LocationId)>,
}

/// A place that a statement writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    /// The place.
    pub(crate) location: LocationId,
    /// Whether it writes all of it whenever it runs.
    pub(crate) certain: bool,
    /// How.
    pub(crate) via: Via,
}

/// How a statement writes a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    /// Itself.
    Own,
    /// A callee writes this dummy of its own (or its existence).
    Dummy(ProcedureId, LocationId),
    /// A callee writes the same place.
    Callee,
    /// With message data that arrive.
    Payload(MessageClass),
    /// With the source, tag, count or completion of a message.
    Envelope,
}

/// A call of a procedure of the program.
#[derive(Clone, Debug)]
pub(crate) struct CallEffects {
    /// Whom it may reach.
    pub(crate) target: ProcedureId,
    /// By position: what the callee reads when it reads the dummy.
    pub(crate) values: Vec<Vec<LocationId>>,
    /// By position: the place the dummy stands for.
    pub(crate) references: Vec<Option<LocationId>>,
    /// Whether its value is used.
    pub(crate) is_function: bool,
}

/// What a procedure does to places that outlive it and to its dummies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    /// May be written.
    pub(crate) writes: LocationSet,
    /// May be read.
    pub(crate) reads: LocationSet,
}

/// The effects of a whole program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    /// By statement id.
    pub(crate) statements: Vec<StatementEffects>,
    /// By procedure id.
    pub(crate) summaries: Vec<Summary>,
}

impl Effects {
    /// The effects of a program.
    pub(crate) fn of(program: &Program, outline: &Outline, graph: &CallGraph, locations: &Locations) -> Self {
        let mut statements = vec![StatementEffects::default(); program.statements.len()];
        for id in outline.all() {
            let mut gather = Gather { program, graph, locations, out: StatementEffects::default() };
            gather.statement(id, &program.statement(id).kind);
            statements[id.0 as usize] = gather.out;
        }
        let mut effects =
            Effects { statements, summaries: vec![Summary::default(); program.procedures.len()] };
        while effects.summarise(outline, locations) {}
        for statement in &mut effects.statements {
            add_callees_writes(statement, &effects.summaries, locations);
        }
        effects
    }

    /// The effects of a statement.
    pub(crate) fn of_statement(&self, id: StatementId) -> &StatementEffects {
        &self.statements[id.0 as usize]
    }

    fn summarise(&mut self, outline: &Outline, locations: &Locations) -> bool {
        let mut grown = false;
        for (p, order) in outline.order.iter().enumerate() {
            let procedure = ProcedureId(p as u32);
            let mut summary = self.summaries[p].clone();
            for &id in order {
                self.add_to_summary(id, procedure, locations, &mut summary);
            }
            grown |= summary != self.summaries[p];
            self.summaries[p] = summary;
        }
        grown
    }

    fn add_to_summary(
        &self,
        id: StatementId,
        procedure: ProcedureId,
        locations: &Locations,
        summary: &mut Summary,
    ) {
        let statement = self.of_statement(id);
        let lasts = |location: LocationId| {
            let place = locations.get(location);
            place.frame != Some(procedure) || place.dummy.is_some()
        };
        let sends = statement.sends.iter().map(|(_, location)| location);
        let reads = statement.uses.iter().chain(sends).copied().filter(|&l| lasts(l));
        reads.for_each(|l| _ = summary.reads.insert(l));
        let writes = statement.definitions.iter().map(|d| d.location).filter(|&l| lasts(l));
        writes.for_each(|l| _ = summary.writes.insert(l));
        for call in &statement.calls {
            let callee = &self.summaries[call.target.0 as usize];
            for read in callee.reads.iter().flat_map(|l| call.seen_by_caller(l, locations, false)) {
                if lasts(read) {
                    summary.reads.insert(read);
                }
            }
            for written in callee.writes.iter().flat_map(|l| call.seen_by_caller(l, locations, true)) {
                if lasts(written) {
                    summary.writes.insert(written);
                }
            }
        }
    }
}

impl CallEffects {
    /// The caller's places for a place of the callee's summary: the actuals of a dummy, otherwise
    /// the place itself. What is written can only be a place; what is read may be an expression's.
    pub(crate) fn seen_by_caller(
        &self,
        location: LocationId,
        locations: &Locations,
        written: bool,
    ) -> Vec<LocationId> {
        let place = locations.get(location);
        let (Some(position), true) = (place.dummy, place.frame == Some(self.target)) else {
            return vec![location];
        };
        let reference = self.references.get(position as usize).copied().flatten();
        if locations.is_existence(location) {
            return reference.map(|actual| locations.existence(actual)).into_iter().collect();
        }
        match written {
            true => reference.into_iter().collect(),
            false => self.values.get(position as usize).cloned().unwrap_or_default(),
        }
    }
}

fn add_callees_writes(statement: &mut StatementEffects, summaries: &[Summary], locations: &Locations) {
    let mut found = Vec::new();
    for call in &statement.calls {
        for written in summaries[call.target.0 as usize].writes.iter() {
            let place = locations.get(written);
            let is_dummy = place.dummy.is_some() && place.frame == Some(call.target);
            let via = if is_dummy { Via::Dummy(call.target, written) } else { Via::Callee };
            let seen = call.seen_by_caller(written, locations, true).into_iter();
            found.extend(seen.map(|location| Definition { location, certain: false, via }));
        }
    }
    statement.definitions.extend(found);
}

/// Gathers the effects of one statement.
struct Gather<'a> {
    program: &'a Program,
    graph: &'a CallGraph,
    locations: &'a Locations,
    out: StatementEffects,
}

impl Gather<'_> {
    fn statement(&mut self, id: StatementId, kind: &StatementKind) {
        match kind {
            StatementKind::Assign { target, value } => {
                self.read(value);
                self.write(target, Via::Own);
            }
            StatementKind::Call { callee, arguments } => {
                let arguments = arguments.iter().map(Option::as_ref).collect();
                self.call(&Call { callee, arguments, is_function: false });
            }
            StatementKind::Do { variable, from, to, step, .. } => {
                [from, to].into_iter().chain(step).for_each(|bound| self.read(bound));
                self.write(&Expression::Variable(*variable), Via::Own);
            }
            StatementKind::InputOutput(io) => self.input_output(id, io),
            StatementKind::Allocate { objects, status } | StatementKind::Deallocate { objects, status } => {
                objects.iter().for_each(|object| self.existence(object));
                status.iter().for_each(|status| self.write(status, Via::Own));
            }
            StatementKind::Opaque { reads, writes } => {
                reads.iter().chain(writes).for_each(|expression| self.read(expression));
                writes.iter().for_each(|target| self.write_part(target, Via::Own));
                writes.iter().for_each(|target| self.existence(target));
            }
            StatementKind::If { .. }
            | StatementKind::While { .. }
            | StatementKind::Select { .. }
            | StatementKind::Goto { .. } => {
                references::expressions(kind).into_iter().for_each(|expression| self.read(expression));
            }
            StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::Continue => {}
        }
    }

    /// An expression whose value is used.
    fn read(&mut self, expression: &Expression) {
        for location in self.values(expression) {
            self.out.uses.push(location);
            self.out.mentions.push(location);
        }
        self.functions_in(expression);
    }

    fn values(&self, expression: &Expression) -> Vec<LocationId> {
        references::variables(expression).into_iter().filter_map(|v| self.locations.of_variable(v)).collect()
    }

    fn functions_in(&mut self, expression: &Expression) {
        for call in references::calls(expression) {
            let arguments = call.arguments.iter().map(Some).collect();
            self.call(&Call { callee: call.callee, arguments, is_function: true });
        }
    }

    /// What finds the place of an expression: its subscripts.
    fn address(&mut self, expression: &Expression) {
        references::address(expression).into_iter().for_each(|subscript| self.read(subscript));
        self.out.mentions.extend(self.place(expression));
    }

    fn place(&self, expression: &Expression) -> Option<LocationId> {
        references::base(expression).and_then(|variable| self.locations.of_variable(variable))
    }

    /// A target: certain if it is a scalar as a whole.
    fn write(&mut self, target: &Expression, via: Via) {
        self.address(target);
        let Some(location) = self.place(target) else { return };
        let certain = matches!(target, Expression::Variable(_)) && !self.locations.get(location).is_array;
        self.out.definitions.push(Definition { location, certain, via });
    }

    /// A target that may be written.
    fn write_part(&mut self, target: &Expression, via: Via) {
        self.address(target);
        if let Some(location) = self.place(target) {
            self.out.definitions.push(Definition { location, certain: false, via });
        }
    }

    /// ALLOCATE, DEALLOCATE, pointer assignment: subscripts are bounds.
    fn existence(&mut self, object: &Expression) {
        self.address(object);
        if let Some(location) = self.place(object) {
            let location = self.locations.existence(location);
            self.out.definitions.push(Definition { location, certain: false, via: Via::Own });
        }
    }

    fn call(&mut self, call: &Call) {
        match call.callee {
            Callee::Mpi(function) => self.mpi(function, call),
            Callee::Intrinsic(_) => self.arguments(call, !call.is_function, false),
            Callee::UnknownMpi(_) => self.arguments(call, true, false),
            Callee::External(_) if !self.graph.is_unknown(call.callee) => self.arguments(call, true, true),
            Callee::External(_) => self.unknown(call),
            Callee::Procedure(_) => self.targets(call),
            Callee::Variable(_) => {
                self.targets(call);
                if self.graph.is_unknown(call.callee) {
                    self.unknown(call);
                }
            }
        }
    }

    /// Arguments that are read, and perhaps written (of a procedure that only computes: arrays).
    fn arguments(&mut self, call: &Call, written: bool, arrays_only: bool) {
        for argument in call.arguments.iter().flatten() {
            if !call.is_function {
                self.read(argument);
            }
            let is_array = self.place(argument).is_some_and(|location| self.locations.get(location).is_array);
            if written && (is_array || !arrays_only) {
                self.write_part(argument, Via::Own);
            }
        }
    }

    /// A procedure without source: reads and writes its arguments and everything global.
    fn unknown(&mut self, call: &Call) {
        self.arguments(call, true, false);
        for location in self.locations.globals() {
            self.out.uses.push(location);
            self.out.definitions.push(Definition { location, certain: false, via: Via::Own });
        }
    }

    fn targets(&mut self, call: &Call) {
        for argument in call.arguments.iter().flatten().filter(|_| !call.is_function) {
            self.address(argument);
            if needs_evaluation(self.program, argument) {
                self.read(argument);
            }
        }
        for target in self.graph.targets(call.callee) {
            let values = call.arguments.iter().map(|a| a.map_or(vec![], |a| self.actual_values(a))).collect();
            let references = call.arguments.iter().map(|a| a.and_then(|a| self.place(a))).collect();
            self.out.calls.push(CallEffects { target, values, references, is_function: call.is_function });
        }
    }

    /// What a callee reads that reads its dummy: the actual itself, or an expression's variables.
    fn actual_values(&self, argument: &Expression) -> Vec<LocationId> {
        match references::base(argument) {
            Some(_) => self.place(argument).into_iter().collect(),
            None => self.values(argument),
        }
    }

    fn mpi(&mut self, function: &'static Function, call: &Call) {
        for (position, argument) in call.arguments.iter().enumerate() {
            let Some(argument) = argument else { continue };
            match function.arguments.get(position) {
                Some(row) => self.mpi_argument(function, row.role, argument),
                None => self.write(argument, Via::Own),
            }
        }
        // MPI_IN_PLACE: what arrives is also what leaves.
        let in_place = |a: &&Expression| {
            references::base(a).is_some_and(|v| self.program.variable(v).name == "mpi_in_place")
        };
        if call.arguments.iter().flatten().any(in_place) {
            let buffer =
                function.position(Role::BufferOut).and_then(|i| call.arguments.get(i).copied().flatten());
            let location = buffer.and_then(|buffer| self.place(buffer));
            self.out.sends.extend(location.map(|l| (MessageClass::of(function), l)));
        }
    }

    fn mpi_argument(&mut self, function: &'static Function, role: Role, argument: &Expression) {
        self.address(argument);
        self.functions_in(argument);
        let class = MessageClass::of(function);
        let location = self.place(argument);
        if role.is_payload() {
            if role.is_read() {
                self.out.sends.extend(self.values(argument).into_iter().map(|l| (class, l)));
            }
            if let (true, Some(location)) = (role.is_written(), location) {
                self.out.definitions.push(Definition { location, certain: false, via: Via::Payload(class) });
            }
            return;
        }
        if role.is_read() {
            self.read(argument);
        }
        if role.is_written() {
            let envelope = matches!(role, Role::Status | Role::Completion) && function.kind != Kind::Local;
            self.write(argument, if envelope { Via::Envelope } else { Via::Own });
        }
    }

    fn input_output(&mut self, id: StatementId, io: &InputOutput) {
        if let IoUnit::Number(unit) = &io.unit {
            self.read(unit);
        }
        io.reads.iter().for_each(|expression| self.read(expression));
        let certain = io.operation != IoOperation::Read && io.jumps.is_empty();
        for target in &io.writes {
            if certain { self.write(target, Via::Own) } else { self.write_part(target, Via::Own) }
        }
        match self.locations.files.unit(id) {
            Unit::Class(class) => self.file(io.operation, class),
            Unit::Output => {}
            Unit::Internal => self.internal_file(io),
            Unit::Any => {
                let classes = self.locations.files.names().len();
                (0..classes).for_each(|class| self.out.uses.push(self.locations.connection(class)));
            }
        }
    }

    fn internal_file(&mut self, io: &InputOutput) {
        let IoUnit::Internal(text) = &io.unit else { return };
        match io.operation {
            IoOperation::Write => self.write_part(text, Via::Own),
            IoOperation::Read
            | IoOperation::Open
            | IoOperation::Close
            | IoOperation::Position
            | IoOperation::Inquire => self.read(text),
        }
    }

    /// OPEN defines a file but does not use it: otherwise a kept OPEN would keep all WRITEs.
    fn file(&mut self, operation: IoOperation, class: usize) {
        let (connection, contents) = (self.locations.connection(class), self.locations.contents(class));
        let (uses, defines) = match operation {
            IoOperation::Read => (vec![connection, contents], vec![contents]),
            IoOperation::Write => (vec![connection, contents], vec![contents]),
            IoOperation::Open | IoOperation::Close => (vec![connection], vec![connection, contents]),
            IoOperation::Position => (vec![connection], vec![contents]),
            IoOperation::Inquire => (vec![connection], vec![]),
        };
        self.out.uses.extend(uses);
        let define = |location| Definition { location, certain: false, via: Via::Own };
        self.out.definitions.extend(defines.into_iter().map(define));
    }
}

/// Whether an actual argument that nobody reads could still stop the run: a division, a power, an
/// array element, a function. Sums and products of scalars cannot.
fn needs_evaluation(program: &Program, argument: &Expression) -> bool {
    if references::base(argument).is_some() {
        return false;
    }
    let mut found = false;
    references::walk(argument, &mut |part| {
        found |= match part {
            Expression::Integer(_) | Expression::Literal(_) | Expression::Unary { .. } => false,
            Expression::Variable(v) => {
                !matches!(program.variable(*v).of_type, Type::Integer(_) | Type::Real(_) | Type::Logical(_))
            }
            Expression::Binary { operator, .. } => {
                matches!(operator, Operator::Divide | Operator::Power | Operator::Defined)
            }
            Expression::Reference { .. } | Expression::Call { .. } | Expression::Other(_) => true,
        };
    });
    found
}
