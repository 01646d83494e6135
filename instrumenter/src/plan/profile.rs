//! The profiled program: the whole program, which measures the values that a meta-program's directives name. Each directive has
//! an accumulator in a COMMON block; values are reduced where they arise, and every rank writes its accumulators before
//! MPI_Finalize. `places` finds what a directive names, `text` spells the statements.
//!
//! A block or procedure is *open* while it is executed. It is left behind its end, before RETURN, before EXIT and CYCLE of a
//! construct around it, at labels outside that it jumps to, and before MPI_Finalize.

pub(super) mod places;
pub(crate) mod selection;
mod text;

use super::{Insertion, InsertionPoint, Probe, ProbePlan};
use base_data::mpi::Function;
use base_data::mpi::roles::{FunctionKind, Role};
use base_data::profiling::{Position, Quantity, Reduction};
use frontend::analysis::Analysis;
use frontend::ir::{Callee, Expression, ProcedureId, StatementId, StatementKind, Type, VariableId};
use frontend::language::spell;
use frontend::source::Sources;
use places::{Range, StepResolver};
use std::collections::{BTreeMap, BTreeSet};
use text::Measure;

pub use text::ProfileClock;

/// A value that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// What is measured.
    pub quantity: Quantity,
    /// How several values become one.
    pub reduction: Reduction,
    /// The place, and the calls that lead to it, innermost first; not empty.
    pub path: Vec<Step>,
}

/// A procedure and a place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The procedure, in lower case; `main` is also the main program.
    pub function: String,
    /// Number of the loop, from 1.
    pub block: Option<u32>,
    /// Only loops of this kind are counted.
    pub kind: Option<LoopKind>,
    /// Where in the procedure or loop.
    pub position: Option<Position>,
    /// The variable, in lower case.
    pub variable: Option<String>,
}

/// Kinds of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    /// DO with a counter.
    For,
    /// DO WHILE.
    While,
    /// DO without control.
    Do,
}

/// A directive that cannot be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Index of the directive.
    pub directive: usize,
    /// Index of the step of its path that is wrong.
    pub step: usize,
    /// What is wrong, and the remedy.
    pub message: String,
}

/// The plan of a profiled program.
#[derive(Clone, Debug)]
pub struct ProfilePlan {
    /// What is inserted.
    pub plan: ProbePlan,
    /// Text of the source file that the program needs beside its own, for a folder that each rank writes a file into.
    library: text::Library,
}

impl ProfilePlan {
    /// The source file, in free form, that is compiled with the program. Each rank writes the file of its number into `folder`.
    pub fn library(&self, folder: &str, clock: ProfileClock) -> String {
        self.library.text(folder, clock)
    }
}

/// Names of intrinsic functions that the inserted statements use.
const INTRINSICS: [&str; 4] = ["int", "max", "min", "real"];

/// Index of a step, and what is wrong with it.
pub(crate) type StepError = (usize, String);

/// The program with measured directives.
///
/// # Errors
/// The first directive that names nothing in the program, or something that cannot be measured.
pub fn profiled(
    sources: &Sources,
    analysis: &Analysis,
    directives: &[Directive],
) -> Result<ProfilePlan, Refusal> {
    let mut builder = Builder {
        analysis,
        places: StepResolver::of(sources, analysis),
        leaves: Vec::new(),
        enters: Vec::new(),
        values: Vec::new(),
        calls: Vec::new(),
        returns: Vec::new(),
        first: BTreeMap::new(),
        counted: Vec::new(),
        flags: 0,
        closings: Vec::new(),
    };
    for (index, directive) in directives.iter().enumerate() {
        let refused = |(step, message)| Refusal {
            directive: index,
            step,
            message,
        };
        builder.add(index, directive).map_err(refused)?;
        if index + 1 == directives.len() {
            // Concerns all directives; reported at the last.
            builder.count_messages().map_err(refused)?;
            builder.finalize().map_err(refused)?;
        }
    }
    Ok(builder.finish(directives.len()))
}

/// A directive in the making.
#[derive(Clone)]
struct Target {
    /// Number of its accumulator, from 1.
    number: usize,
    reduction: Reduction,
    /// Fortran condition that holds while control is on its call path.
    condition: Option<String>,
}

/// Bytes of a message.
#[derive(Clone, Debug)]
struct Amount {
    /// As an expression.
    bytes: String,
    /// Where it is evaluated, relative to the call.
    place: InsertionPoint,
}

struct Builder<'a> {
    analysis: &'a Analysis,
    places: StepResolver<'a>,
    leaves: Vec<Insertion>,
    enters: Vec<Insertion>,
    values: Vec<Insertion>,
    /// Marks before calls of call paths.
    calls: Vec<Insertion>,
    /// Marks behind them.
    returns: Vec<Insertion>,
    /// Statements at the beginning of procedures.
    first: BTreeMap<ProcedureId, Vec<String>>,
    /// Whether the amount of all messages is needed.
    counted: Vec<Range>,
    /// Number of marks of call paths.
    flags: usize,
    /// Statements that end what is still open at MPI_Finalize.
    closings: Vec<String>,
}

impl Builder<'_> {
    fn add(&mut self, index: usize, directive: &Directive) -> Result<(), StepError> {
        let condition = selection::condition(directive, " .and. ", |step, callee| {
            self.call_path(step, callee).map(text::flag_is_set)
        })?;
        let target = Target {
            number: index + 1,
            reduction: directive.reduction,
            condition,
        };
        let Some(step) = directive.path.first() else {
            return Ok(());
        };
        let added = match directive.quantity {
            Quantity::Time => self.time(&target, step),
            Quantity::Variable => self.variable(&target, step),
            Quantity::Message => self.message(&target, step),
        };
        added.map_err(|message| (0, message))
    }

    /// Marks the calls of a step of a call path; gives the number of the mark.
    fn call_path(&mut self, step: &Step, callee: &str) -> Result<usize, String> {
        if step.variable.is_some() {
            return Err("a call has no variable; leave out variableName here".into());
        }
        let callee = self.places.procedure(callee)?;
        let range = self.places.range(step)?;
        let program = &self.analysis.program;
        let calls = |id: StatementId| {
            let called = places::called_procedures(&program.statement(id).kind);
            called.iter().filter(|&&one| one == callee).count()
        };
        let name = &program.procedure(callee).name;
        let chosen = self
            .places
            .at(&range, step.position, &calls, &format!("calls of {name}"))?;
        self.flags += 1;
        for id in chosen {
            let kind = &program.statement(id).kind;
            let place = self.places.place(id);
            // A mark is a statement of its own, so it is around all of them.
            if step.position.is_some() && calls(id) > 1 {
                return Err(format!(
                    "the statement at {place} calls {name} {} times, where no call path can be followed to one of them; assign \
                     their values to variables in statements of their own",
                    calls(id)
                ));
            }
            if !kind.bodies().is_empty() {
                return Err(format!(
                    "the call of {name} at {place} is in the head of a loop or branch, where no call path can be followed; \
                     assign its value to a variable before"
                ));
            }
            if kind.has_alternate_return() || !kind.jump_labels().is_empty() {
                return Err(format!(
                    "the call of {name} at {place} may return to a label, where no call path can be followed; \
                     leave this function out of the call path"
                ));
            }
            self.check(id)?;
            self.calls.push(probe(
                id,
                InsertionPoint::Before,
                text::mark(self.flags, '+'),
            ));
            self.returns.push(probe(
                id,
                InsertionPoint::After,
                text::mark(self.flags, '-'),
            ));
        }
        Ok(self.flags)
    }

    fn time(&mut self, target: &Target, step: &Step) -> Result<(), String> {
        if step.variable.is_some() {
            return Err("a time has no variable; leave out variableName".into());
        }
        if step.position.is_some() {
            return Err(
                "a time is that of a function or a block; leave out position, and name a block with blockCount".into(),
            );
        }
        let range = self.places.range(step)?;
        self.open(target, &range, &Measure::Time)
    }

    fn variable(&mut self, target: &Target, step: &Step) -> Result<(), String> {
        let range = self.places.range(step)?;
        // Figure 9 of the paper calls the count of a loop _L_1: a name that the compiler gave it.
        let name = step
            .variable
            .as_deref()
            .filter(|name| !name.starts_with("_l_"));
        let Some(name) = name else {
            if step.position.is_some() {
                return Err(
                    "a position needs the variable that is assigned there; add variableName".into(),
                );
            }
            let Some(block) = range.block() else {
                return Err(
                    "the loop or the variable is missing; add blockCount or variableName".into(),
                );
            };
            let measure = self.loop_count(block);
            return self.open(target, &range, &measure);
        };
        let (variable, value) = self.value_of(range.procedure, name)?;
        let Some(position) = step.position else {
            return self.open(target, &range, &Measure::Variable(value));
        };
        let program = &self.analysis.program;
        let assigns = |id: StatementId| {
            let kind = &program.statement(id).kind;
            let is_it = matches!(kind, StatementKind::Assign { target: Expression::Variable(id), .. } if *id == variable);
            usize::from(is_it)
        };
        let what = format!("assignments to {name}");
        for id in self.places.at(&range, Some(position), &assigns, &what)? {
            self.check(id)?;
            let statements = text::value(target, &value);
            self.values
                .push(probe(id, InsertionPoint::After, statements));
        }
        Ok(())
    }

    fn message(&mut self, target: &Target, step: &Step) -> Result<(), String> {
        if step.variable.is_some() {
            return Err("an amount of messages has no variable; leave out variableName".into());
        }
        let range = self.places.range(step)?;
        let Some(position) = step.position else {
            self.open(target, &range, &Measure::Messages)?;
            self.counted.push(range);
            return Ok(());
        };
        let transfers = |id: StatementId| usize::from(self.transfer(id).is_some());
        let what = "calls that transfer messages";
        for id in self.places.at(&range, Some(position), &transfers, what)? {
            self.check(id)?;
            let amounts = self.amounts(id)?;
            // A call that sends and receives: what it sends, as the cost of msgsendrecv.
            let Some(first) = amounts.first() else {
                continue;
            };
            let statements = text::value(target, &first.bytes);
            self.values.push(probe(id, first.place, statements));
        }
        Ok(())
    }

    /// Ends what may be open while MPI_Finalize is executed in another procedure. There, times and bytes can still be taken, and
    /// iterations that are counted one by one. Other values are kept before each call that may lead there.
    fn close(&mut self, target: &Target, range: &Range, measure: &Measure) -> Result<(), String> {
        let callers = match measure {
            Measure::Time | Measure::Messages | Measure::CountedLoop => Vec::new(),
            Measure::Variable(_) | Measure::LoopFromBounds { .. } => {
                let callers = self.places.calls_that_finalize(range);
                if callers.is_empty() {
                    return Ok(());
                }
                callers
            }
        };
        for id in callers {
            self.check(id)?;
            let kept = text::keep(target, measure);
            self.values.push(probe(id, InsertionPoint::Before, kept));
        }
        self.closings.push(text::close(target, measure));
        Ok(())
    }

    /// Measures a loop or procedure from where it begins to where it is left.
    fn open(&mut self, target: &Target, range: &Range, measure: &Measure) -> Result<(), String> {
        self.places.check_left_once(range)?;
        self.close(target, range, measure)?;
        let enter = text::enter(target, measure);
        match range.block() {
            Some(block) => {
                self.check(block)?;
                self.enters
                    .push(probe(block, InsertionPoint::Before, enter));
                if let Measure::CountedLoop = measure {
                    let count = text::iteration(target.number);
                    self.values
                        .push(probe(block, InsertionPoint::BodyStart, count));
                }
            }
            None => {
                let first = self.first.entry(range.procedure).or_default();
                first.push(enter);
            }
        }
        let leave = text::leave(target, measure);
        for (statement, place) in self.places.exits(range)? {
            self.leaves.push(probe(statement, place, leave.clone()));
        }
        Ok(())
    }

    /// How the iterations of a loop are counted: from its bounds, so that nothing is inserted into it, where they can be evaluated
    /// once more.
    fn loop_count(&self, block: StatementId) -> Measure {
        let program = &self.analysis.program;
        let StatementKind::Do {
            variable,
            from,
            to,
            step,
            ..
        } = &program.statement(block).kind
        else {
            return Measure::CountedLoop;
        };
        let is_integer = matches!(program.variable(*variable).of_type, Type::Integer(_));
        let spelled = |expression: &Expression| {
            if !is_integer || !self.is_free_of_effects(expression) {
                return None;
            }
            spell(program, expression, block)
        };
        let step = match step {
            Some(step) => spelled(step).map(Some),
            None => Some(None),
        };
        let counter = spelled(&Expression::Variable(*variable));
        match (spelled(from), spelled(to), step, counter) {
            (Some(from), Some(to), Some(step), Some(counter)) => Measure::LoopFromBounds {
                from,
                to,
                step,
                counter,
            },
            _ => Measure::CountedLoop,
        }
    }

    /// Whether an expression may be evaluated once more: it calls no procedure of the program.
    fn is_free_of_effects(&self, expression: &Expression) -> bool {
        let callees = expression.callees();
        callees
            .iter()
            .all(|callee| matches!(callee, Callee::Intrinsic(_)))
    }

    /// A variable by its name in a procedure, and its value as a real number.
    fn value_of(&self, procedure: ProcedureId, name: &str) -> Result<(VariableId, String), String> {
        let program = &self.analysis.program;
        let own = program.procedure(procedure);
        let known = own.known.iter().copied();
        let mut all = known.chain(own.result);
        let found = all.find(|&id| program.variable(id).name == name);
        let Some(id) = found else {
            // Variables of a BLOCK construct belong to the procedure, but their names are not known in all of it.
            let is_inner = program
                .variables
                .iter()
                .any(|one| one.name == name && one.owner == Some(procedure));
            if is_inner {
                return Err(format!(
                    "{name} is known only inside a construct; assign the value to a variable that can be measured"
                ));
            }
            return Err(format!(
                "{} has no variable {name}; correct variableName",
                own.name
            ));
        };
        let variable = program.variable(id);
        let attributes = variable.attributes;
        let what = if !variable.shape.is_empty() {
            "an array"
        } else if attributes.inner {
            "known only inside a construct"
        } else if attributes.optional || attributes.pointer || attributes.allocatable {
            "OPTIONAL, POINTER or ALLOCATABLE, so it may be absent"
        } else if !matches!(variable.of_type, Type::Integer(_) | Type::Real(_)) {
            "no INTEGER or REAL"
        } else {
            return Ok((id, format!("real({name}, 8)")));
        };
        Err(format!(
            "{name} is {what}; assign the value to a variable that can be measured"
        ))
    }

    /// Whether a statement is an MPI call with message data; its kind.
    fn transfer(&self, id: StatementId) -> Option<FunctionKind> {
        let StatementKind::Call {
            callee: Callee::Mpi(function),
            ..
        } = &self.analysis.program.statement(id).kind
        else {
            return None;
        };
        if transfers(function) {
            Some(function.kind)
        } else {
            None
        }
    }

    /// Bytes of a call: what it sends, and what a call that does both receives.
    fn amounts(&self, id: StatementId) -> Result<Vec<Amount>, String> {
        let program = &self.analysis.program;
        let StatementKind::Call {
            callee: Callee::Mpi(function),
            arguments,
        } = &program.statement(id).kind
        else {
            return Ok(Vec::new());
        };
        let place = self.places.place(id);
        let at = |index: usize| self.spelled_argument(id, arguments, index);
        let constant = |index: Option<usize>| {
            let argument = arguments.get(index?)?.as_ref()?;
            program.mpi_constant(argument)
        };
        let mut found = Vec::new();
        let mut datatypes = Vec::new();
        for (index, pair) in function.arguments.windows(2).enumerate() {
            let roles = (pair[0].role, pair[1].role);
            if roles == (Role::Count, Role::Displacement) {
                return Err(format!(
                    "{} at {place} has a count for each rank, which is not measured; name another position",
                    function.name
                ));
            }
            if roles != (Role::Count, Role::Datatype) {
                continue;
            }
            // MPI ignores count and datatype beside MPI_IN_PLACE: the other pair has the amount.
            if constant(index.checked_sub(1)) == Some("mpi_in_place") {
                continue;
            }
            if pair[0].name.ends_with("counts") {
                return Err(format!(
                    "{} at {place} has a count for each rank, which is not measured; name another position",
                    function.name
                ));
            }
            if let Some(Some(Expression::Variable(datatype))) = arguments.get(index + 1)
                && let Type::Derived(_) = program.variable(*datatype).of_type
            {
                return Err(format!(
                    "{} at {place} uses the module mpi_f08, whose datatypes are not measured; give the amount with --arg",
                    function.name
                ));
            }
            let (Some(count), Some(datatype)) = (at(index), at(index + 1)) else {
                return Err(format!(
                    "count or datatype of {} at {place} cannot be evaluated once more; assign it to a variable before the call",
                    function.name
                ));
            };
            found.push(Amount {
                bytes: text::bytes(&count, &datatype),
                place: InsertionPoint::Before,
            });
            datatypes.push(datatype);
        }
        match (function.kind, &found[..]) {
            // MPI_Sendrecv_replace has one buffer for both.
            (FunctionKind::SendReceive, [only]) => found.push(only.clone()),
            (FunctionKind::SendReceive, _) => {}
            // Collectives: the operand, or one rank's part of it, as in costs.
            _ => found.truncate(1),
        }
        let receives = matches!(
            function.kind,
            FunctionKind::Receive | FunctionKind::SendReceive
        );
        if receives
            && let (Some(last), Some(datatype)) = (found.last_mut(), datatypes.last())
            && let Some(received) = self.received(id, function, arguments, datatype)
        {
            *last = received;
        }
        Ok(found)
    }

    /// Bytes of the message that a call has received. Without a status, MPI_Recv is asked before; of other calls the size of
    /// the buffer is all that is known.
    fn received(
        &self,
        id: StatementId,
        function: &Function,
        arguments: &[Option<Expression>],
        datatype: &str,
    ) -> Option<Amount> {
        let program = &self.analysis.program;
        let at = |role: Role| self.spelled_argument(id, arguments, function.position(role)?);
        let status = arguments.get(function.position(Role::Status)?)?.as_ref()?;
        if program.mpi_constant(status) != Some("mpi_status_ignore") {
            let status = at(Role::Status)?;
            return Some(Amount {
                bytes: text::received(&status, datatype),
                place: InsertionPoint::After,
            });
        }
        if function.kind != FunctionKind::Receive {
            return None;
        }
        let (source, tag, communicator) =
            (at(Role::Peer)?, at(Role::Tag)?, at(Role::Communicator)?);
        Some(Amount {
            bytes: text::probed(&source, &tag, &communicator, datatype),
            place: InsertionPoint::Before,
        })
    }

    /// The text of an argument, if it can be evaluated once more.
    fn spelled_argument(
        &self,
        id: StatementId,
        arguments: &[Option<Expression>],
        index: usize,
    ) -> Option<String> {
        let argument = arguments.get(index)?.as_ref()?;
        if !self.is_free_of_effects(argument) {
            return None;
        }
        spell(&self.analysis.program, argument, id)
    }

    /// Counts the bytes of all calls, if a directive needs them.
    fn count_messages(&mut self) -> Result<(), StepError> {
        if self.counted.is_empty() {
            return Ok(());
        }
        let executed = self.places.executed(&self.counted);
        let program = &self.analysis.program;
        for id in (0..program.statements.len() as u32).map(StatementId) {
            match self.transferred(id) {
                Ok(amounts) => {
                    for amount in amounts {
                        let statements = text::add_bytes(&amount.bytes);
                        self.values.push(probe(id, amount.place, statements));
                    }
                }
                Err(message) => {
                    // What is not executed while a directive counts need not be measured.
                    let is_inside = self.counted.iter().any(|range| range.contains(id));
                    if is_inside || executed.contains(&program.statement(id).procedure) {
                        return Err((0, message));
                    }
                }
            }
        }
        Ok(())
    }

    /// Bytes of a call that are counted; none if it transfers none.
    fn transferred(&self, id: StatementId) -> Result<Vec<Amount>, String> {
        if let StatementKind::Call {
            callee: Callee::Mpi(function),
            ..
        } = &self.analysis.program.statement(id).kind
            && function.kind == FunctionKind::StartPersistent
        {
            return Err(format!(
                "messages of persistent requests ({}) are not measured; name calls with position",
                self.places.place(id)
            ));
        }
        if self.transfer(id).is_none() {
            return Ok(Vec::new());
        }
        self.check(id)?;
        self.amounts(id)
    }

    /// Writes the values before MPI_Finalize.
    fn finalize(&mut self) -> Result<(), StepError> {
        let ends = self.places.finalize_calls();
        if ends.is_empty() {
            let message = "the sources contain no call of MPI_Finalize, before which values are written; name all files of the program";
            return Err((0, message.into()));
        }
        for id in ends {
            self.calls
                .push(probe(id, InsertionPoint::Before, text::WRITE.into()));
        }
        Ok(())
    }

    /// Whether statements can be inserted around a statement.
    fn check(&self, id: StatementId) -> Result<(), String> {
        let program = &self.analysis.program;
        let procedure = program.procedure(program.statement(id).procedure);
        if let Some(hidden) = procedure
            .known
            .iter()
            .map(|&id| &program.variable(id).name)
            .find(|name| INTRINSICS.contains(&name.as_str()))
        {
            return Err(format!(
                "{} has a variable {hidden}, which hides the function of this name that measuring needs; rename the variable",
                procedure.name
            ));
        }
        self.places.check_concurrency(id)
    }

    fn finish(mut self, directives: usize) -> ProfilePlan {
        let mut insertions = Vec::new();
        // Leaves before enters: a statement may end one range and begin the next. Calls come after values, since the output
        // before MPI_Finalize needs all of them.
        for list in [
            &mut self.leaves,
            &mut self.enters,
            &mut self.values,
            &mut self.calls,
            &mut self.returns,
        ] {
            insertions.append(list);
        }
        // At one place: the mark behind a call first, since what follows is outside the call.
        insertions.sort_by_key(|insertion| {
            insertion.place == InsertionPoint::After && !is_mark(insertion)
        });
        let library = text::Library {
            directives,
            flags: self.flags,
            closings: self.closings,
        };
        let program = &self.analysis.program;
        let inserted = insertions
            .iter()
            .map(|insertion| program.statement(insertion.statement).procedure);
        let procedures: BTreeSet<ProcedureId> =
            inserted.chain(self.first.keys().copied()).collect();
        let mut beginnings = BTreeMap::new();
        for procedure in procedures {
            let mut lines = library.declarations();
            lines.push(text::DECLARE_WRITE.into());
            lines.extend(self.first.remove(&procedure).unwrap_or_default());
            beginnings.insert(procedure, lines);
        }
        ProfilePlan {
            plan: ProbePlan {
                insertions,
                beginnings,
                ..ProbePlan::default()
            },
            library,
        }
    }
}

/// Whether calls of an MPI function have message data of their own.
pub(crate) fn transfers(function: &Function) -> bool {
    let has_data = function
        .arguments
        .iter()
        .any(|argument| argument.role == Role::Datatype);
    let kind = matches!(
        function.kind,
        FunctionKind::Send
            | FunctionKind::Receive
            | FunctionKind::SendReceive
            | FunctionKind::StartSend
            | FunctionKind::StartReceive
            | FunctionKind::Collective
    );
    has_data && kind
}

fn is_mark(insertion: &Insertion) -> bool {
    match &insertion.probe {
        Probe::Profile(statements) => statements.starts_with("mpiete_f("),
        _ => false,
    }
}

fn probe(statement: StatementId, place: InsertionPoint, statements: String) -> Insertion {
    Insertion {
        statement,
        place,
        probe: Probe::Profile(statements),
    }
}
