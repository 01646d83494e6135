//! Gathers the effects of single statements: reads, writes, calls, and what kinds of input/output make of them.
//!
//! Not here: calls of MPI ([`crate::effects::message_effects`]).

use crate::assumptions::evaluated_assumptions::Asked;
use crate::effects::message_levels::Collectives;
use crate::effects::statement_effects::{Answer, CallEffects, Definition, StatementEffects, Via};
use crate::graphs::call_graph::{self, Call, CallGraph};
use crate::io::files::Unit;
use crate::ir::openmp::{self, Access};
use crate::ir::reallocation_on_assignment::may_allocate;
use crate::ir::references;
use crate::ir::rules::{Rule, holds};
use crate::ir::{
    Callee, Expression, InputOutput, IoOperation, IoUnit, Operator, Program, StatementId,
    StatementKind, Type, VariableId,
};
use crate::memory::locations::{LocationId, Locations};

/// Gathers the effects of one statement.
pub(crate) struct EffectCollector<'a> {
    pub(crate) program: &'a Program,
    pub(crate) graph: &'a CallGraph,
    pub(crate) locations: &'a Locations,
    pub(crate) collectives: &'a Collectives,
    /// What was found.
    pub(crate) out: StatementEffects,
}

impl EffectCollector<'_> {
    /// Adds what a statement does.
    pub(crate) fn statement(&mut self, id: StatementId, kind: &StatementKind) {
        match kind {
            StatementKind::Assign { target, value } => {
                self.read(value);
                self.write(target, Via::Own);
                self.finalise(target);
                let allocates = may_allocate(self.program, target, value)
                    && !self.graph.twins.keep_shape(self.program, target, value);
                if allocates {
                    self.existence(target);
                }
                self.take_apart(target, value, allocates);
            }
            StatementKind::Call { callee, arguments } => {
                let arguments = arguments.iter().map(Option::as_ref).collect();
                self.call(&Call {
                    callee,
                    arguments,
                    is_function: false,
                });
            }
            StatementKind::Do {
                variable,
                from,
                to,
                step,
                ..
            } => {
                [from, to]
                    .into_iter()
                    .chain(step)
                    .for_each(|bound| self.read(bound));
                self.write(&Expression::Variable(*variable), Via::Own);
            }
            StatementKind::InputOutput(io) => self.input_output(id, io),
            StatementKind::Allocate {
                length,
                objects,
                status,
            } => {
                length.iter().for_each(|length| self.read(length));
                objects.iter().for_each(|object| self.existence(object));
                status
                    .iter()
                    .for_each(|status| self.write(status, Via::Own));
            }
            StatementKind::Deallocate { objects, status } => {
                objects.iter().for_each(|object| self.finalise(object));
                objects.iter().for_each(|object| self.existence(object));
                status
                    .iter()
                    .for_each(|status| self.write(status, Via::Own));
            }
            StatementKind::PointerAssignment { pointer, target } => {
                [pointer, target]
                    .into_iter()
                    .for_each(|side| self.point(side));
                self.write_part(pointer, Via::Own);
                self.existence(pointer);
            }
            StatementKind::Opaque { reads, writes } => {
                reads
                    .iter()
                    .chain(writes)
                    .for_each(|expression| self.read(expression));
                writes
                    .iter()
                    .for_each(|target| self.write_part(target, Via::Own));
                writes.iter().for_each(|target| self.existence(target));
                writes.iter().for_each(|target| self.finalise(target));
            }
            StatementKind::If { branches, .. } => {
                self.conditions(
                    branches
                        .iter()
                        .map(|(condition, _)| (condition, Asked::ForValue)),
                );
            }
            StatementKind::While { .. }
            | StatementKind::Select { .. }
            | StatementKind::Scoped { .. }
            | StatementKind::Goto { .. } => {
                references::expressions(kind)
                    .into_iter()
                    .for_each(|expression| self.read(expression));
                if matches!(kind, StatementKind::Scoped { .. }) {
                    self.finalise_inner(self.program.statement(id).procedure);
                }
            }
            StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::Entry
            | StatementKind::Continue => {}
        }
    }

    /// An expression whose value is used.
    pub(crate) fn read(&mut self, expression: &Expression) {
        let values = self.read_values(expression);
        self.out.uses.extend(
            values
                .iter()
                .flat_map(|&place| self.locations.innermost(place)),
        );
        self.out.mentions.extend(
            values
                .into_iter()
                .flat_map(|place| self.locations.with_parts(place)),
        );
        self.mention(expression);
        self.functions_in(expression);
    }

    /// An expression all places of which must be there.
    fn mention(&mut self, expression: &Expression) {
        let named = references::named(expression)
            .into_iter()
            .filter_map(|named| self.locations.at(named));
        self.out
            .mentions
            .extend(named.flat_map(|place| self.locations.with_wholes(place)));
    }

    /// An actual argument that perhaps nobody reads: it is evaluated nevertheless.
    fn actual(&mut self, argument: &Expression) {
        let is_place = references::base(argument).is_some();
        let is_own = |callee: &Callee| !matches!(callee, Callee::Intrinsic(_));
        match needs_evaluation(self.program, argument) || (self.graph.may_trap && !is_place) {
            true if references::calls(argument)
                .iter()
                .any(|call| is_own(call.callee)) =>
            {
                self.read(argument)
            }
            true => self.evaluate_passed(argument),
            false => self.mention(argument),
        }
    }

    /// A side of a pointer assignment: where it is must be known, not what it holds.
    fn point(&mut self, side: &Expression) {
        let Some(place) = references::designated(side).and_then(|named| self.locations.at(named))
        else {
            return self.read(side);
        };
        self.address(side);
        self.out.mentions.extend(self.locations.with_parts(place));
    }

    pub(crate) fn values(&self, expression: &Expression) -> Vec<LocationId> {
        self.read_values(expression)
            .into_iter()
            .flat_map(|place| self.locations.innermost(place))
            .collect()
    }

    /// The places whose values an expression reads, with all their parts.
    fn read_values(&self, expression: &Expression) -> Vec<LocationId> {
        references::values(expression)
            .into_iter()
            .filter_map(|read| self.locations.at(read))
            .collect()
    }

    /// The functions that an expression calls.
    pub(crate) fn functions_in(&mut self, expression: &Expression) {
        for call in references::calls(expression) {
            let arguments = call.arguments.iter().map(Some).collect();
            self.call(&Call {
                callee: call.callee,
                arguments,
                is_function: true,
            });
        }
    }

    /// What finds the place of an expression: its subscripts.
    pub(crate) fn address(&mut self, expression: &Expression) {
        references::address(expression)
            .into_iter()
            .for_each(|subscript| self.read(subscript));
        let place = self.place(expression);
        self.out.mentions.extend(
            place
                .into_iter()
                .flat_map(|place| self.locations.with_wholes(place)),
        );
        if matches!(expression, Expression::Call { .. }) {
            self.functions_in(expression);
        }
    }

    /// Where a variable, or a part of one, is.
    pub(crate) fn place(&self, expression: &Expression) -> Option<LocationId> {
        match references::designated(expression) {
            Some(designated) => self.locations.at(designated),
            None => self.locations.of_variable(self.answered(expression)?),
        }
    }

    /// The result of a function whose value is a pointer: what it points at has a place. Those of several
    /// functions that may be called are one.
    fn answered(&self, expression: &Expression) -> Option<VariableId> {
        let Expression::Call { callee, .. } = expression else {
            return None;
        };
        let targets = self.graph.targets(callee);
        let results = targets
            .iter()
            .filter_map(|id| self.program.procedure(*id).result);
        results
            .into_iter()
            .find(|result| self.program.variable(*result).attributes.pointer)
    }

    /// A target: certain if it is a scalar as a whole.
    pub(crate) fn write(&mut self, target: &Expression, via: Via) {
        self.address(target);
        let Some(location) = self.place(target) else {
            return;
        };
        let whole =
            matches!(target, Expression::Variable(_)) && !self.locations.get(location).is_array;
        let certain = whole || !holds(Rule::PartsLeaveTheRest);
        self.define(location, certain, via);
    }

    /// A target that may be written.
    fn write_part(&mut self, target: &Expression, via: Via) {
        self.address(target);
        if let Some(location) = self.place(target) {
            self.define(location, false, via);
        }
    }

    /// A place is written, all its parts.
    pub(crate) fn define(&mut self, place: LocationId, certain: bool, via: Via) {
        let parts = self.locations.innermost(place).into_iter();
        self.out
            .definitions
            .extend(parts.map(|location| Definition {
                location,
                certain,
                via,
            }));
    }

    /// ALLOCATE, DEALLOCATE, pointer assignment: subscripts are bounds.
    fn existence(&mut self, object: &Expression) {
        self.address(object);
        for part in self
            .place(object)
            .into_iter()
            .flat_map(|place| self.locations.with_parts(place))
        {
            let location = self.locations.existence(part);
            self.out.definitions.push(Definition {
                location,
                certain: false,
                via: Via::Own,
            });
        }
    }

    fn call(&mut self, call: &Call) {
        match call.callee {
            Callee::Mpi(function) => self.mpi(function, call),
            Callee::Intrinsic(name) => {
                let writes = match call.is_function {
                    true => references::function_writes_arguments(name),
                    false => references::writes_arguments(name),
                };
                match !call.is_function && references::is_inquiry(name) {
                    true => call
                        .arguments
                        .iter()
                        .flatten()
                        .for_each(|answer| self.write(answer, Via::Own)),
                    false => self.arguments(call, writes, false),
                }
                if call_graph::is_command(name) {
                    self.command();
                }
                if [
                    "random_number",
                    "random_seed",
                    "random_init",
                    "rand",
                    "irand",
                    "ran",
                    "srand",
                ]
                .contains(&name.as_str())
                {
                    let state = self.locations.random_state();
                    self.out.uses.push(state);
                    self.define_files(if holds(Rule::RandomNumbersGoOn) {
                        vec![state]
                    } else {
                        vec![]
                    });
                }
                let settings = self.locations.thread_settings();
                match openmp::access(name) {
                    Some(Access::Asks) => self.out.uses.push(settings),
                    Some(Access::Sets) => self.define_files(vec![settings]),
                    None => {}
                }
                if ["move_alloc", "c_f_pointer"].contains(&name.as_str()) {
                    call.arguments
                        .iter()
                        .flatten()
                        .for_each(|argument| self.existence(argument));
                    call.arguments
                        .iter()
                        .flatten()
                        .for_each(|argument| self.finalise(argument));
                }
            }
            Callee::UnknownMpi(_) => self.arguments(call, true, false),
            Callee::External(_) if !self.graph.is_unknown(call.callee) => {
                self.arguments(call, true, true)
            }
            Callee::External(_) => self.unknown(call),
            Callee::Procedure(_) | Callee::OneOf(_) => self.targets(call),
            Callee::Variable(variable) => {
                self.read(&Expression::Variable(*variable));
                self.targets(call);
                if self.graph.is_unknown(call.callee) {
                    self.unknown(call);
                }
            }
        }
    }

    /// Arguments that are read, and perhaps written (of a procedure that only computes: what can hold data).
    fn arguments(&mut self, call: &Call, written: bool, data_only: bool) {
        for argument in call.arguments.iter().flatten() {
            if !call.is_function {
                self.read(argument);
            }
            if written && (!data_only || self.may_hold_data(argument)) {
                self.write_part(argument, Via::Own);
            }
        }
    }

    /// Whether an argument is, or may hold, real or complex numbers.
    fn may_hold_data(&self, argument: &Expression) -> bool {
        match references::designated(argument)
            .map(|part| self.program.type_of_part(part.base, part.path))
        {
            Some(Type::Integer(_) | Type::Logical(_) | Type::Character) => false,
            Some(Type::Real(_) | Type::Complex(_) | Type::Derived(_) | Type::Unknown) | None => {
                true
            }
        }
    }

    /// A procedure without source: reads and writes its arguments and everything global.
    fn unknown(&mut self, call: &Call) {
        self.arguments(call, true, false);
        self.out.touches_globals = true;
    }

    fn targets(&mut self, call: &Call) {
        match call.is_function {
            // Who reads an expression has read the arguments of its functions.
            true => self.reach(call, Answer::ForRunning),
            false => self.pass(call, Answer::None),
        }
    }

    /// A call whose arguments are found, but not read unless the callee does.
    pub(crate) fn pass(&mut self, call: &Call, answer: Answer) {
        for argument in call.arguments.iter().flatten() {
            self.address(argument);
            self.actual(argument);
        }
        self.reach(call, answer);
    }

    fn reach(&mut self, call: &Call, answer: Answer) {
        for target in self.graph.targets(call.callee) {
            let values = call
                .arguments
                .iter()
                .map(|a| a.and_then(|a| self.actual_values(a)))
                .collect();
            let references: Vec<_> = call
                .arguments
                .iter()
                .map(|a| a.and_then(|a| self.place(a)))
                .collect();
            self.finalise_around(target, &references);
            self.out.calls.push(CallEffects {
                target,
                values,
                references,
                answer,
            });
        }
    }

    /// What a callee reads that reads its dummy: of an expression, its variables; otherwise the actual itself.
    fn actual_values(&self, argument: &Expression) -> Option<Vec<LocationId>> {
        let is_read = |places| {
            if holds(Rule::PassedIsRead) {
                places
            } else {
                Vec::new()
            }
        };
        references::base(argument)
            .is_none()
            .then(|| is_read(self.values(argument)))
    }

    fn input_output(&mut self, id: StatementId, io: &InputOutput) {
        if let IoUnit::Number(unit) = &io.unit {
            self.read(unit);
        }
        io.file
            .iter()
            .chain(&io.reads)
            .for_each(|expression| self.read(expression));
        let certain = io.operation != IoOperation::Read && io.jumps.is_empty();
        for target in &io.writes {
            if certain {
                self.write(target, Via::Own)
            } else {
                self.write_part(target, Via::Own)
            }
        }
        match self.locations.files.unit(id) {
            Unit::Class(class) => self.file(id, io, class),
            Unit::Output => {}
            Unit::Internal => self.internal_file(io),
            Unit::Any => {
                let classes = self.locations.files.names().len();
                (0..classes).for_each(|class| self.out.uses.extend(self.inquired(io, class)));
            }
        }
    }

    fn internal_file(&mut self, io: &InputOutput) {
        let IoUnit::Internal(text) = &io.unit else {
            return;
        };
        match io.operation {
            IoOperation::Write if holds(Rule::TextIsWritten) => self.write_part(text, Via::Own),
            IoOperation::Write => {}
            IoOperation::Read
            | IoOperation::Open
            | IoOperation::Close
            | IoOperation::Position
            | IoOperation::Inquire => self.read(text),
        }
    }

    /// OPEN defines a file but does not use it: otherwise a kept OPEN would keep all WRITEs. What a WRITE adds
    /// to matters where the file is read, and is needed there; to itself only if it tells how it went.
    fn file(&mut self, id: StatementId, io: &InputOutput, class: usize) {
        let (connection, contents) = (
            self.locations.connection(class),
            self.locations.contents(class),
        );
        let alike = || self.locations.files.alike(class);
        let all_contents = || alike().map(|other| self.locations.contents(other));
        let tells = !io.writes.is_empty() || !io.jumps.is_empty();
        let (uses, mut defines) = match io.operation {
            IoOperation::Write | IoOperation::Position if !tells => {
                (vec![connection], vec![contents])
            }
            IoOperation::Read | IoOperation::Write | IoOperation::Position => (
                [connection].into_iter().chain(all_contents()).collect(),
                vec![contents],
            ),
            IoOperation::Open | IoOperation::Close => {
                let connections = alike().map(|other| self.locations.connection(other));
                (connections.collect(), vec![connection, contents])
            }
            IoOperation::Inquire => (
                alike().flat_map(|other| self.inquired(io, other)).collect(),
                vec![],
            ),
        };
        let connects = io.operation != IoOperation::Inquire && self.locations.files.may_connect(id);
        defines.extend(connects.then_some(connection));
        self.out.uses.extend(uses);
        self.define_files(defines);
    }

    /// What an INQUIRE is about: whether a file exists and is open, which logicals tell; all else also what is in it.
    fn inquired(&self, io: &InputOutput, class: usize) -> Vec<LocationId> {
        let is_logical = |target: &Expression| {
            let part = references::designated(target);
            part.is_some_and(|at| {
                matches!(
                    self.program.type_of_part(at.base, at.path),
                    Type::Logical(_)
                )
            })
        };
        let contents = (!io.writes.iter().all(is_logical)).then(|| self.locations.contents(class));
        [self.locations.connection(class)]
            .into_iter()
            .chain(contents)
            .collect()
    }

    /// A command of the operating system may read and write any file.
    fn command(&mut self) {
        let classes = 0..self.locations.files.names().len();
        let all: Vec<LocationId> = classes
            .flat_map(|c| [self.locations.connection(c), self.locations.contents(c)])
            .collect();
        self.out.uses.extend(&all);
        self.define_files(all);
    }

    fn define_files(&mut self, places: Vec<LocationId>) {
        let define = |location| Definition {
            location,
            certain: false,
            via: Via::Own,
        };
        self.out.definitions.extend(places.into_iter().map(define));
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
            Expression::Variable(v) => !matches!(
                program.variable(*v).of_type,
                Type::Integer(_) | Type::Real(_) | Type::Logical(_)
            ),
            Expression::Binary { operator, .. } => {
                matches!(
                    operator,
                    Operator::Divide | Operator::Power | Operator::Defined
                )
            }
            Expression::Reference { .. } | Expression::Call { .. } | Expression::Other(_) => true,
        };
    });
    found
}
