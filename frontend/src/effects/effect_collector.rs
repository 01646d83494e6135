//! The effect collector: the locations that one statement reads (uses), writes (definitions, must or may) and requires to exist
//! (mentions), and its calls. Calls of MPI are in [`crate::effects::message_effects`], effects of whole procedures in
//! [`crate::effects::summaries`].

use crate::effects::finalized_objects::FinalizedObjects;
use crate::effects::message_levels::Collectives;
use crate::effects::statement_effects::{Answer, CallEffects, Definition, StatementEffects, Via};
use crate::graphs::assumed_outcomes::Asked;
use crate::graphs::call_graph::{self, Call, CallGraph};
use crate::graphs::externals::ExternalEffects;
use crate::ir::openmp::{self, Access};
use crate::ir::reallocation_on_assignment::may_allocate;
use crate::ir::references;
use crate::ir::rules::{Rule, holds};
use crate::ir::{
    Callee, Expression, InputOutput, IoOperation, IoUnit, Operator, PassedAs, ProcedureId, Program,
    StatementId, StatementKind, Type, VariableId,
};
use crate::memory::address_taken;
use crate::memory::files::Unit;
use crate::memory::location_id::LocationId;
use crate::memory::locations::Locations;
use std::collections::BTreeSet;

/// Collects the effects of one statement.
pub(crate) struct EffectCollector<'a> {
    pub(crate) program: &'a Program,
    /// Whose statement it is.
    pub(crate) procedure: ProcedureId,
    pub(crate) graph: &'a CallGraph,
    pub(crate) locations: &'a Locations,
    pub(crate) collectives: &'a Collectives,
    pub(crate) finalized: &'a FinalizedObjects,
    /// What was found.
    pub(crate) out: StatementEffects,
}

/// Intrinsics and extensions that use the state of the random number generator.
const RANDOM_NUMBERS: [&str; 7] = [
    "random_number",
    "random_seed",
    "random_init",
    "rand",
    "irand",
    "ran",
    "srand",
];

impl EffectCollector<'_> {
    /// Adds what a statement does.
    pub(crate) fn statement(&mut self, id: StatementId, kind: &StatementKind) {
        self.foreign_pointers(kind);
        match kind {
            StatementKind::Assign { target, value } => {
                self.read(value);
                self.write(target, Via::Own);
                self.finalise(target);
                // An assignment to an allocatable array may give it another shape, unless both
                // sides are proven to have the same shape.
                let allocates = may_allocate(self.program, target, value)
                    && !self
                        .locations
                        .same_shape_arrays
                        .keep_shape(self.program, target, value);
                if allocates {
                    self.existence(target);
                }
                self.take_apart(target, value, allocates);
                self.take_copied_apart(target, value);
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
                self.read(from);
                self.read(to);
                self.read_all(step);
                self.write(&Expression::Variable(*variable), Via::Own);
            }
            StatementKind::InputOutput(io) => self.input_output(id, io),
            StatementKind::Allocate {
                length,
                objects,
                status,
            } => {
                self.read_all(length);
                for object in objects {
                    self.existence(object);
                }
                if let Some(status) = status {
                    self.write(status, Via::Own);
                }
            }
            StatementKind::Deallocate { objects, status } => {
                for object in objects {
                    self.finalise(object);
                }
                for object in objects {
                    self.existence(object);
                }
                if let Some(status) = status {
                    self.write(status, Via::Own);
                }
            }
            StatementKind::PointerAssignment { pointer, target } => {
                self.point(pointer);
                self.point(target);
                self.write_part(pointer, Via::Own);
                self.existence(pointer);
            }
            StatementKind::Opaque { reads, writes } => {
                self.read_all(reads);
                self.read_all(writes);
                for target in writes {
                    self.write_part(target, Via::Own);
                }
                for target in writes {
                    self.existence(target);
                }
                for target in writes {
                    self.finalise(target);
                }
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
                self.read_all(references::expressions(kind));
                if matches!(kind, StatementKind::Scoped { .. }) {
                    self.finalise_locals(self.program.statement(id).procedure);
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

    /// What a statement may read and write through pointers that code without source has set.
    fn foreign_pointers(&mut self, kind: &StatementKind) {
        if !self.locations.names_foreign_pointer(kind) {
            return;
        }
        let targets = if self.locations.lists_foreign_targets() {
            self.locations.foreign_targets()
        } else {
            self.touch_within_reach();
            self.locations.of_libraries()
        };
        self.out.uses.extend(&targets);
        let only_reads = matches!(
            kind,
            StatementKind::If { .. }
                | StatementKind::Do { .. }
                | StatementKind::While { .. }
                | StatementKind::Select { .. }
                | StatementKind::Goto { .. }
        );
        // Functions in these have dummies, in which pointers are followed.
        if !only_reads {
            self.define_files(targets);
        }
    }

    /// An expression whose value is used.
    pub(crate) fn read(&mut self, expression: &Expression) {
        let values = self.read_values(expression);
        for &place in &values {
            self.out.uses.extend(self.locations.innermost(place));
        }
        for place in values {
            self.out.mentions.extend(self.locations.with_parts(place));
        }
        self.mention(expression);
        self.functions_in(expression);
    }

    fn read_all<'e>(&mut self, expressions: impl IntoIterator<Item = &'e Expression>) {
        for expression in expressions {
            self.read(expression);
        }
    }

    /// An expression all locations of which must exist.
    fn mention(&mut self, expression: &Expression) {
        for named in references::named(expression) {
            self.out.mentions.extend(self.locations.along(named));
        }
    }

    /// An actual argument that the callee may not read: the caller evaluates it nevertheless.
    fn actual(&mut self, argument: &Expression) {
        let is_place = references::base(argument).is_some();
        let may_stop =
            needs_evaluation(self.program, argument) || (self.graph.may_trap && !is_place);
        if !may_stop {
            self.mention(argument);
            return;
        }
        for call in references::calls(argument) {
            if !matches!(call.callee, Callee::Intrinsic(_)) {
                self.read(argument);
                return;
            }
        }
        self.evaluate_passed(argument);
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

    /// The innermost locations whose values an expression reads.
    pub(crate) fn values(&self, expression: &Expression) -> Vec<LocationId> {
        let mut innermost = Vec::new();
        for place in self.read_values(expression) {
            innermost.extend(self.locations.innermost(place));
        }
        innermost
    }

    /// The locations whose values an expression reads, each with all its parts.
    fn read_values(&self, expression: &Expression) -> Vec<LocationId> {
        let mut places = Vec::new();
        for named in references::values(expression) {
            places.extend(self.locations.at(named));
        }
        places
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

    /// The address of a designator: its subscripts are read.
    pub(crate) fn address(&mut self, expression: &Expression) {
        self.read_all(references::address(expression));
        self.out.mentions.extend(self.places_along(expression));
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

    /// The same, and those that lead there, outermost first.
    fn places_along(&self, expression: &Expression) -> Vec<LocationId> {
        match references::designated(expression) {
            Some(designated) => self.locations.along(designated),
            None => self.place(expression).into_iter().collect(),
        }
    }

    /// The result variable of a function whose value is a pointer. All such functions that one call may reach share a location
    /// ([`crate::memory::aliases`]), so the first stands for them.
    fn answered(&self, expression: &Expression) -> Option<VariableId> {
        let Expression::Call { callee, .. } = expression else {
            return None;
        };
        for target in self.graph.targets(callee) {
            if let Some(result) = self.program.procedure(target).result
                && self.program.variable(result).attributes.pointer
            {
                return Some(result);
            }
        }
        None
    }

    /// A target: certain if it is a scalar as a whole.
    pub(crate) fn write(&mut self, target: &Expression, via: Via) {
        self.address(target);
        let Some(location) = self.place(target) else {
            return;
        };
        // A certain definition kills all others, so it has to cover the location: no element,
        // section or component does.
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

    /// A location is written, with all its parts.
    pub(crate) fn define(&mut self, place: LocationId, certain: bool, via: Via) {
        for location in self.locations.innermost(place) {
            self.out.definitions.push(Definition {
                location,
                certain,
                via,
            });
        }
    }

    /// The existence of an object changes (ALLOCATE, DEALLOCATE, pointer assignment); subscripts are bounds.
    fn existence(&mut self, object: &Expression) {
        self.address(object);
        let Some(place) = self.place(object) else {
            return;
        };
        for part in self.locations.with_parts(place) {
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
            Callee::Intrinsic(name) => self.intrinsic(name, call),
            // Without a row in the table of functions, every argument may be an output.
            Callee::UnknownMpi(_) => self.arguments(call, true, false),
            // The user declares that it only computes: it writes real numbers, and none of the
            // integers and logicals that control depends on.
            Callee::External(name) => match self.graph.proven(call.callee) {
                Some(effects) => self.listed(name, effects, call),
                None if self.graph.is_unknown(call.callee) => self.unknown_external(name, call),
                None => self.arguments(call, true, true),
            },
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

    fn intrinsic(&mut self, name: &str, call: &Call) {
        if !call.is_function && references::is_inquiry(name) {
            for output in call.arguments.iter().flatten() {
                self.write(output, Via::Own);
            }
        } else {
            let writes = if call.is_function {
                references::function_writes_arguments(name)
            } else {
                references::writes_arguments(name)
            };
            self.arguments(call, writes, false);
        }
        if call_graph::is_command(name) {
            self.command();
        }
        if RANDOM_NUMBERS.contains(&name) {
            // Each call reads the generator's state and advances it.
            let state = self.locations.random_state();
            self.out.uses.push(state);
            if holds(Rule::RandomNumbersGoOn) {
                self.define_files(vec![state]);
            }
        }
        // Commands inherit the environment.
        if ["getenv", "get_environment_variable"].contains(&name) || call_graph::is_command(name) {
            self.out.uses.push(self.locations.environment());
        }
        let settings = self.locations.thread_settings();
        match openmp::access(name) {
            Some(Access::Asks) => self.out.uses.push(settings),
            Some(Access::Sets) => self.define_files(vec![settings]),
            None => {}
        }
        if name == "move_alloc" {
            self.take_moved_apart(call);
        }
        if ["move_alloc", "c_f_pointer"].contains(&name) {
            for argument in call.arguments.iter().flatten() {
                self.existence(argument);
            }
            for argument in call.arguments.iter().flatten() {
                self.finalise(argument);
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

    /// Whether an argument is, or may contain, real or complex numbers.
    fn may_hold_data(&self, argument: &Expression) -> bool {
        let Some(part) = references::designated(argument) else {
            return true;
        };
        match self.program.type_of_part(part.base, part.path) {
            Type::Integer(_) | Type::Logical(_) | Type::Character => false,
            Type::Real(_) | Type::Complex(_) | Type::Derived(_) | Type::Unknown => true,
        }
    }

    /// A procedure without source of which symbols do not prove that it cannot communicate.
    fn unknown_external(&mut self, name: &str, call: &Call) {
        match self.graph.externals.confined(name) {
            Some(effects) if self.locations.lists_confined() => {
                self.out.calls_confined = true;
                self.listed(name, effects, call);
            }
            Some(_) | None => self.unknown(call),
        }
    }

    /// A procedure without source of which symbols prove that it does not reach the program: it reads and writes its arguments, what
    /// pointers of the program may point at, and what its library remembers.
    fn listed(&mut self, name: &str, effects: &ExternalEffects, call: &Call) {
        for (position, argument) in call.arguments.iter().enumerate() {
            let Some(argument) = argument else {
                continue;
            };
            if !call.is_function {
                self.read(argument);
            }
            let how = self.passed_as(name, position);
            let is_value = how == PassedAs::Value;
            let may_refer = self.may_refer(argument);
            if !is_value || may_refer {
                self.write_part(argument, Via::Own);
            }
            if how == PassedAs::Object || (!is_value && may_refer) {
                self.existence(argument);
            }
            if !is_value {
                self.around(name, argument);
            }
        }
        let (mut shared, mut kept) = (Vec::new(), BTreeSet::new());
        for &component in &effects.components {
            shared.push(self.locations.library_state(component));
            // The library may have kept the addresses that it was passed, in its variables.
            kept.extend(self.locations.kept_by(component));
        }
        if effects.process {
            shared.push(self.locations.random_state());
            shared.push(self.locations.environment());
            shared.push(self.locations.thread_settings());
        } else if effects.asks_threads {
            self.out.uses.push(self.locations.thread_settings());
        }
        if effects.objects {
            shared.push(self.locations.library_objects());
            // An object may contain the address of what any code was passed, and so may an argument.
            kept.extend(self.locations.kept_by_any().iter());
        }
        shared.extend(kept);
        self.out.uses.extend(&shared);
        self.define_files(shared);
        if effects.process {
            self.files_of_libraries();
        }
    }

    /// What a procedure without source reaches beside an argument whose address it is passed.
    fn around(&mut self, name: &str, argument: &Expression) {
        let places = self.places_along(argument);
        let [variable, ..] = places[..] else {
            return;
        };
        let place = places[places.len() - 1];
        let own = self.locations.innermost(place);
        let is_of_data = address_taken::is_passed_data(self.program, name);
        let around = self.locations.around(place, variable, is_of_data);
        let mut others: Vec<LocationId> = around.collect();
        others.retain(|one| !own.contains(one));
        self.out.uses.extend(&others);
        self.define_files(others);
    }

    /// How a procedure without source is passed its argument at a position.
    fn passed_as(&self, name: &str, position: usize) -> PassedAs {
        match self.program.external_dummies.get(name) {
            Some(all) => all.get(position).copied().unwrap_or(PassedAs::Object),
            // Only procedures with an explicit interface may allocate an argument.
            None if self.program.names_of_modules.contains(name) => PassedAs::Object,
            None => PassedAs::Address,
        }
    }

    /// Whether an argument is, or contains, something that may refer to data which a procedure can write though it gets only the
    /// value: a pointer component, an address of C.
    fn may_refer(&self, argument: &Expression) -> bool {
        let Some(part) = references::designated(argument) else {
            return false;
        };
        match self.program.type_of_part(part.base, part.path) {
            Type::Derived(_) | Type::Unknown => true,
            Type::Integer(_)
            | Type::Logical(_)
            | Type::Character
            | Type::Real(_)
            | Type::Complex(_) => false,
        }
    }

    /// A procedure without source: reads and writes its arguments, everything global, and what other code may have passed it the
    /// addresses of. A list of all that for each call would take calls × places, so one set stands for it; only variables of the
    /// calling procedure are listed, since reaching definitions need a definition of these for each call.
    fn unknown(&mut self, call: &Call) {
        self.arguments(call, true, false);
        self.touch_within_reach();
    }

    fn touch_within_reach(&mut self) {
        let kept = self.locations.kept_private(self.procedure).to_vec();
        self.out.uses.extend(&kept);
        self.define_files(kept);
        self.out.touches_globals = true;
    }

    fn targets(&mut self, call: &Call) {
        if call.is_function {
            // The statement that reads the expression has read the arguments of its functions.
            self.reach(call, Answer::ForRunning);
        } else {
            self.pass(call, Answer::None);
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
            let (mut values, mut references) = (Vec::new(), Vec::new());
            for &argument in &call.arguments {
                match argument {
                    Some(argument) => {
                        values.push(self.actual_values(argument));
                        references.push(self.place(argument));
                    }
                    None => {
                        values.push(None);
                        references.push(None);
                    }
                }
            }
            self.finalise_around(target, &references);
            self.out.calls.push(CallEffects {
                target,
                values,
                references,
                answer,
            });
        }
    }

    /// The locations that a callee reads with a dummy whose actual argument is an expression; `None` for a designator, which the
    /// dummy is associated with itself.
    fn actual_values(&self, argument: &Expression) -> Option<Vec<LocationId>> {
        if references::base(argument).is_some() {
            return None;
        }
        if !holds(Rule::PassedIsRead) {
            return Some(Vec::new());
        }
        Some(self.values(argument))
    }

    fn input_output(&mut self, id: StatementId, io: &InputOutput) {
        if let IoUnit::Number(unit) = &io.unit {
            self.read(unit);
        }
        self.read_all(&io.file);
        self.read_all(&io.reads);
        // A READ may end before it defines all items (END=, ERR=).
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
                for class in 0..self.locations.files.names().len() {
                    self.out.uses.extend(self.inquired(io, class));
                }
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

    /// OPEN defines a file but does not use it: otherwise a kept OPEN would keep all WRITEs. What a WRITE appends
    /// to is needed where the file is read; the WRITE itself uses it only if it reports its outcome (IOSTAT=, ERR=).
    fn file(&mut self, id: StatementId, io: &InputOutput, class: usize) {
        let files = &self.locations.files;
        let connection = self.locations.connection(class);
        let contents = self.locations.contents(class);
        let reports_outcome = !io.writes.is_empty() || !io.jumps.is_empty();
        let (mut uses, mut defines) = (Vec::new(), Vec::new());
        match io.operation {
            IoOperation::Write | IoOperation::Position if !reports_outcome => {
                uses.push(connection);
                defines.push(contents);
            }
            IoOperation::Read | IoOperation::Write | IoOperation::Position => {
                uses.push(connection);
                for other in files.alike(class) {
                    uses.push(self.locations.contents(other));
                }
                defines.push(contents);
            }
            IoOperation::Open | IoOperation::Close => {
                for other in files.alike(class) {
                    uses.push(self.locations.connection(other));
                }
                defines.extend([connection, contents]);
            }
            IoOperation::Inquire => {
                for other in files.alike(class) {
                    uses.extend(self.inquired(io, other));
                }
            }
        }
        if io.operation != IoOperation::Inquire && files.may_connect(id) {
            defines.push(connection);
        }
        self.out.uses.extend(uses);
        self.define_files(defines);
    }

    /// What an INQUIRE reads: the connection, which alone determines its logical results (EXIST=, OPENED=); other results
    /// also depend on the contents.
    fn inquired(&self, io: &InputOutput, class: usize) -> Vec<LocationId> {
        let mut places = vec![self.locations.connection(class)];
        if !io.writes.iter().all(|target| self.is_logical(target)) {
            places.push(self.locations.contents(class));
        }
        places
    }

    fn is_logical(&self, target: &Expression) -> bool {
        let Some(part) = references::designated(target) else {
            return false;
        };
        let of_type = self.program.type_of_part(part.base, part.path);
        matches!(of_type, Type::Logical(_))
    }

    /// A command of the operating system may read and write any file.
    fn command(&mut self) {
        let all = self.all_files();
        self.out.uses.extend(&all);
        self.define_files(all);
    }

    /// Code without source may do so, too, but what the program has written may be available to it or not.
    fn files_of_libraries(&mut self) {
        for class in 0..self.locations.files.names().len() {
            self.out.uses.push(self.locations.connection(class));
            if self.locations.is_released(class) {
                self.out.uses.push(self.locations.contents(class));
            }
        }
        let all = self.all_files();
        self.define_files(all);
    }

    fn all_files(&self) -> Vec<LocationId> {
        let mut all = Vec::new();
        for class in 0..self.locations.files.names().len() {
            all.push(self.locations.connection(class));
            all.push(self.locations.contents(class));
        }
        all
    }

    fn define_files(&mut self, places: Vec<LocationId>) {
        for location in places {
            self.out.definitions.push(Definition {
                location,
                certain: false,
                via: Via::Own,
            });
        }
    }
}

/// Whether an actual argument that the callee does not read could still stop the run: a division, a power, an
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
