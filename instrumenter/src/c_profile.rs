//! Profiled programs in C: the whole program, which measures the values that a meta-program's directives name. The counterpart
//! for Fortran is [`crate::plan::profile`]. C has scopes that execute code when they are left, and expressions that contain
//! statements, so texts are put around expressions and statements, and no line changes its number.

mod places;
mod text;
mod wrappings;

use crate::plan::profile::selection;
use crate::plan::profile::{Directive, LoopKind, ProfileClock, Refusal, Step, StepError};
use base_data::mpi;
use base_data::mpi::Function;
use base_data::mpi::roles::{FunctionKind, Role};
use base_data::profiling::{Position, Quantity, Reduction};
use frontend::c::{CAssignment, CAssignmentForm, CCall, CFile, CType, CVariable};
use places::{CStepResolver, FunctionId, Range, is_finalize};
use std::ops;
use text::{Amounts, Guarded, Library, Measure};
use wrappings::Wrappings;

/// A profiled program in C.
#[derive(Clone, Debug)]
pub struct CProfile {
    /// The texts of its files, in the order of the sources.
    pub files: Vec<Vec<u8>>,
    library: Library,
}

impl CProfile {
    /// The source file that is compiled with the program. Each rank writes the file of its number into `folder`.
    pub fn library(&self, folder: &str, clock: ProfileClock) -> String {
        self.library.text(folder, clock)
    }
}

/// The program with measured directives.
///
/// # Errors
/// The first directive that names nothing in the program, or something that cannot be measured.
pub fn profiled(files: &[CFile], directives: &[Directive]) -> Result<CProfile, Refusal> {
    let mut builder = Builder {
        places: CStepResolver::of(files),
        wrappings: vec![Wrappings::default(); files.len()],
        library: Library::default(),
        counted: Vec::new(),
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
            builder
                .count_messages()
                .and_then(|()| builder.finalize())
                .map_err(|message| refused((0, message)))?;
        }
    }
    let declarations = builder.library.declarations();
    let edited = files.iter().zip(&builder.wrappings).map(|(file, edits)| {
        // The first line of the text is a line marker, so the lines before it number nothing.
        let mut text = declarations.clone().into_bytes();
        text.extend(
            format!(
                "# 1 \"{}\"\n",
                file.path.replace('\\', "\\\\").replace('"', "\\\"")
            )
            .bytes(),
        );
        text.extend(edits.apply(&file.text));
        text
    });
    Ok(CProfile {
        files: edited.collect(),
        library: builder.library,
    })
}

/// A directive in the making.
struct Target {
    /// Number of its accumulator, from 0.
    number: usize,
    reduction: Reduction,
    /// Condition that holds while control is on its call path.
    condition: Option<String>,
}

struct Builder<'a> {
    places: CStepResolver<'a>,
    /// By file.
    wrappings: Vec<Wrappings>,
    library: Library,
    /// The ranges whose messages are counted: functions, and the text inside.
    counted: Vec<(FunctionId, ops::Range<usize>)>,
}

/// Texts around something.
type Around = (String, String);

impl Builder<'_> {
    fn add(&mut self, index: usize, directive: &Directive) -> Result<(), StepError> {
        let condition = selection::condition(directive, " && ", |step, callee| {
            self.call_path(step, callee).map(text::flag_is_set)
        })?;
        let target = Target {
            number: index,
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
        let measure = added.map_err(|message| (0, message))?;
        self.library.add(&target, measure);
        Ok(())
    }

    /// Puts texts around a range of a function, in every file that contains the function.
    fn wrap(&mut self, id: FunctionId, range: &ops::Range<usize>, (before, after): Around) {
        for (file, range) in self.places.everywhere(id, range) {
            self.wrappings[file].wrap(&range, before.clone(), after.clone());
        }
    }

    /// Puts texts around a range of one file.
    fn wrap_here(&mut self, id: FunctionId, range: &ops::Range<usize>, (before, after): Around) {
        self.wrappings[id.file].wrap(range, before, after);
    }

    /// Marks the calls of a step of a call path; gives the number of the mark.
    fn call_path(&mut self, step: &Step, callee: &str) -> Result<usize, String> {
        if step.variable.is_some() {
            return Err("a call has no variable; leave out variableName here".into());
        }
        let callee = self.places.named(callee)?;
        let range = self.places.range(step)?;
        let name = &self.places.function(callee).name;
        let calls: Vec<&CCall> = range
            .function
            .calls
            .iter()
            .filter(|call| {
                let called = self.places.callee(range.id, call);
                called.map(|id| self.places.definition(id)) == Some(callee)
            })
            .collect();
        let wanted: Vec<ops::Range<usize>> = calls.iter().map(|call| call.whole.clone()).collect();
        let chosen = self
            .places
            .at(&range, step.position, &wanted, &format!("calls of {name}"))?;
        let flag = self.library.flags;
        self.library.flags += 1;
        for index in chosen {
            self.check_arguments(&range, calls[index], callee)?;
            self.wrap(range.id, &wanted[index], text::mark(flag));
        }
        Ok(flag)
    }

    /// The arguments of a marked call are evaluated under the mark, so none of them may execute the function itself.
    fn check_arguments(
        &self,
        range: &Range<'_>,
        call: &CCall,
        callee: FunctionId,
    ) -> Result<(), String> {
        let Some(first) = call.arguments.first().map(|one| one.place.start) else {
            return Ok(());
        };
        let inner = range.function.calls.iter();
        for inner in inner.filter(|one| one.whole.start >= first && one.whole.end < call.whole.end)
        {
            let Some(called) = self.places.callee(range.id, inner) else {
                continue;
            };
            let called = self.places.definition(called);
            if called == callee || self.places.reached(called).contains(&callee) {
                return Err(format!(
                    "an argument of the call of {} at {} executes this function, too; assign the argument to a variable before",
                    call.name,
                    self.places.place(range.id, call.whole.start)
                ));
            }
        }
        Ok(())
    }

    fn time(&mut self, target: &Target, step: &Step) -> Result<Option<Measure>, String> {
        if step.variable.is_some() {
            return Err("a time has no variable; leave out variableName".into());
        }
        if step.position.is_some() {
            return Err(
                "a time is that of a function or a block; leave out position, and name a block with blockCount".into(),
            );
        }
        let range = self.places.range(step)?;
        self.open(target, &range, &Guarded::Nothing, None)?;
        Ok(Some(Measure::Time))
    }

    fn variable(&mut self, target: &Target, step: &Step) -> Result<Option<Measure>, String> {
        let range = self.places.range(step)?;
        // Figure 9 of the paper calls the count of a loop _L_1: a name that the compiler gave it.
        let name = step
            .variable
            .as_deref()
            .filter(|name| !name.to_ascii_lowercase().starts_with("_l_"));
        let Some(name) = name else {
            if step.position.is_some() {
                return Err(
                    "a position needs the variable that is assigned there; add variableName".into(),
                );
            }
            if range.block.is_none() {
                return Err(
                    "the loop or the variable is missing; add blockCount or variableName".into(),
                );
            }
            self.open(target, &range, &Guarded::Iterations, None)?;
            return Ok(Some(Measure::Number));
        };
        let Some(position) = step.position else {
            let variable = self.places.variable(&range, name)?;
            check_number(variable)?;
            if variable.is_register {
                return Err(format!(
                    "{name} is declared register and has no address; remove this word, or name an assignment with position"
                ));
            }
            self.open(target, &range, &Guarded::Variable(name), Some(variable))?;
            return Ok(Some(Measure::Number));
        };
        self.assigned(target, &range, name, position)?;
        Ok(None)
    }

    /// Takes the value of a variable behind an assignment.
    fn assigned(
        &mut self,
        target: &Target,
        range: &Range<'_>,
        name: &str,
        position: Position,
    ) -> Result<(), String> {
        let known = |at: usize| self.places.variable_at(range.id, name, at);
        let all: Vec<&CAssignment> = range
            .function
            .assignments
            .iter()
            .filter(|one| one.name == name)
            .collect();
        if all.is_empty() && known(range.function.body.end - 1).is_none() {
            return Err(places::no_variable(&range.function.name, name));
        }
        let wanted: Vec<ops::Range<usize>> = all.iter().map(|one| one.whole.clone()).collect();
        let what = format!("assignments to {name}");
        let chosen = self.places.at(range, Some(position), &wanted, &what)?;
        let mut wraps = Vec::new();
        for index in chosen {
            let assignment = all[index];
            // A declaration makes its variable known behind it.
            let declared = range
                .function
                .variables
                .iter()
                .filter(|one| one.name == name && one.end >= assignment.whole.end)
                .min_by_key(|one| one.end);
            let variable = match assignment.form {
                CAssignmentForm::Initial => declared,
                CAssignmentForm::Expression | CAssignmentForm::Postfix => {
                    known(assignment.whole.start)
                }
            };
            if let Some(variable) = variable {
                check_number(variable)?;
            }
            let around = match assignment.form {
                CAssignmentForm::Expression => text::assigned(target, name),
                CAssignmentForm::Postfix => text::assigned_postfix(target, name),
                CAssignmentForm::Initial => text::initial(target, name),
            };
            wraps.push((index, around));
        }
        for (index, around) in wraps {
            self.wrap(range.id, &wanted[index], around);
        }
        Ok(())
    }

    fn message(&mut self, target: &Target, step: &Step) -> Result<Option<Measure>, String> {
        if step.variable.is_some() {
            return Err("an amount of messages has no variable; leave out variableName".into());
        }
        let range = self.places.range(step)?;
        let Some(position) = step.position else {
            self.counted.push((range.id, range.inside()));
            self.open(target, &range, &Guarded::Nothing, None)?;
            return Ok(Some(Measure::Messages));
        };
        let calls: Vec<(&CCall, &Function)> = range
            .function
            .calls
            .iter()
            .filter_map(|call| Some((call, transfer(call)?)))
            .collect();
        let wanted: Vec<ops::Range<usize>> =
            calls.iter().map(|(call, _)| call.whole.clone()).collect();
        let what = "calls that transfer messages";
        for index in self.places.at(&range, Some(position), &wanted, what)? {
            let (call, function) = calls[index];
            let amounts = self.amounts(range.id, call, function)?;
            // A call that sends and receives: what it sends, as the cost of msgsendrecv.
            let around = match (&amounts.before, &amounts.after) {
                (Some(sent), _) => text::value_before(target, sent),
                (None, Some(received)) => text::value_after(target, received),
                (None, None) => continue,
            };
            self.wrap(range.id, &wanted[index], around);
            if let Some(status) = amounts.status {
                self.wrap(range.id, &status, text::kept_status());
            }
        }
        Ok(None)
    }

    /// Measures a loop or function from where it begins to where it is left.
    fn open(
        &mut self,
        target: &Target,
        range: &Range<'_>,
        guarded: &Guarded<'_>,
        variable: Option<&CVariable>,
    ) -> Result<(), String> {
        self.places.check_recursion(range)?;
        let enter = text::enter(target, guarded);
        let id = range.id;
        let insert = |at: usize| at..at;
        let stretch = match range.block {
            Some(block) => {
                // A `#pragma` line must stay a line of its own.
                let end = match block.whole.start == block.begin {
                    true => ' ',
                    false => '\n',
                };
                self.wrap(id, &block.whole, (format!("{{ {enter}{end}"), " }".into()));
                if let Guarded::Iterations = guarded {
                    let count = text::iteration(target);
                    let (place, around) = match block.has_braces {
                        true => (
                            insert(block.body.start + 1),
                            (format!(" {count}"), String::new()),
                        ),
                        false => (block.body.clone(), (format!("{{ {count} "), " }".into())),
                    };
                    self.wrap(id, &place, around);
                }
                block.begin..block.whole.end
            }
            None => {
                // A variable of the function is measured from its declaration on; parameters and variables of the file are known
                // from the beginning.
                let body = &range.function.body;
                let declared = variable.map(|one| one.end).filter(|end| body.contains(end));
                let begin = declared.unwrap_or(body.start + 1);
                self.wrap(id, &insert(begin), (format!(" {enter}"), String::new()));
                begin..body.end
            }
        };
        // Every function begins at its beginning, so its own labels enter nothing.
        if range.block.is_some() || stretch.start != range.function.body.start + 1 {
            self.places.check_entry(range.id, &stretch)?;
        }
        if matches!(guarded, Guarded::Nothing) {
            return Ok(());
        }
        for call in &range.function.calls {
            let is_inside = stretch.start <= call.whole.start && call.whole.end <= stretch.end;
            if is_inside && self.places.may_finalize(range.id, call) {
                self.wrap(range.id, &call.whole, text::keep_value(target));
            }
        }
        Ok(())
    }

    /// Bytes of a call, as expressions: what it sends, and what a blocking call receives.
    fn amounts(
        &self,
        id: FunctionId,
        call: &CCall,
        function: &Function,
    ) -> Result<Amounts, String> {
        let place = self.places.place(id, call.whole.start);
        let file = self.places.file(id);
        let at = |index: usize| {
            let argument = call.arguments.get(index)?;
            match argument.has_effects {
                true => None,
                false => Some(file.spelling(&argument.place)),
            }
        };
        let mut pairs = Vec::new();
        for (index, pair) in function.arguments.windows(2).enumerate() {
            let roles = (pair[0].role, pair[1].role);
            let is_list = roles == (Role::Count, Role::Displacement);
            if is_list || (roles.0 == Role::Count && pair[0].name.ends_with("counts")) {
                return Err(format!(
                    "{} at {place} has a count for each rank, which is not measured; name another position",
                    function.name
                ));
            }
            if roles != (Role::Count, Role::Datatype) {
                continue;
            }
            let (Some(count), Some(datatype)) = (at(index), at(index + 1)) else {
                return Err(format!(
                    "count or datatype of {} at {place} cannot be evaluated once more; assign it to a variable before the call",
                    function.name
                ));
            };
            pairs.push((index.checked_sub(1).and_then(at), count, datatype));
        }
        let (Some(first), Some(last)) = (pairs.first(), pairs.last()) else {
            return Ok(Amounts::default());
        };
        let receives = matches!(
            function.kind,
            FunctionKind::Receive | FunctionKind::SendReceive
        );
        if receives {
            let status = function.position(Role::Status);
            let status = status.and_then(|index| call.arguments.get(index));
            let mut amounts = Amounts {
                before: None,
                after: Some(text::received(&last.2)),
                status: status.map(|argument| argument.place.clone()),
            };
            if function.kind == FunctionKind::SendReceive {
                let sent = (first.1.as_str(), first.2.as_str());
                amounts.before = Some(text::bytes(None, sent, sent));
            }
            return Ok(amounts);
        }
        // Collectives: the operand, or one rank's part of it, as in costs.
        let buffer = match pairs.len() {
            1 => None,
            _ => first.0.as_deref(),
        };
        let bytes = text::bytes(buffer, (&first.1, &first.2), (&last.1, &last.2));
        Ok(Amounts {
            before: Some(bytes),
            ..Amounts::default()
        })
    }

    /// Counts the bytes of all calls, if a directive needs them.
    fn count_messages(&mut self) -> Result<(), String> {
        if self.counted.is_empty() {
            return Ok(());
        }
        let executed = self.places.executed(&self.counted);
        for id in self.places.functions() {
            for call in &self.places.function(id).calls {
                let transferred = self.transferred(id, call);
                match transferred {
                    Ok(None) => {}
                    Ok(Some(amounts)) => {
                        self.wrap_here(id, &call.whole, text::add_bytes(&amounts));
                        if let Some(status) = amounts.status {
                            self.wrap_here(id, &status, text::kept_status());
                        }
                    }
                    Err(reason) => {
                        // What is not executed while a directive counts need not be measured.
                        let definition = self.places.definition(id);
                        let is_inside = |(function, inside): &(FunctionId, ops::Range<usize>)| {
                            *function == id && inside.contains(&call.whole.start)
                                || *function == definition && definition != id
                        };
                        if executed.contains(&definition) || self.counted.iter().any(is_inside) {
                            return Err(reason);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Bytes of a call that are counted; `None` if it transfers none.
    fn transferred(&self, id: FunctionId, call: &CCall) -> Result<Option<Amounts>, String> {
        let known = mpi_function(call);
        if known.is_some_and(|function| function.kind == FunctionKind::StartPersistent) {
            return Err(format!(
                "messages of persistent requests ({}) are not measured; name calls with position",
                self.places.place(id, call.whole.start)
            ));
        }
        let Some(transfer) = transfer(call) else {
            return Ok(None);
        };
        self.places.check_readable(id)?;
        self.amounts(id, call, transfer).map(Some)
    }

    /// Writes the values before MPI_Finalize.
    fn finalize(&mut self) -> Result<(), String> {
        let mut is_found = false;
        for id in self.places.functions() {
            for call in &self.places.function(id).calls {
                if is_finalize(&call.name) {
                    // Added last, so innermost: all other texts around the call come before it.
                    self.wrap_here(id, &call.whole, text::write_values());
                    is_found = true;
                }
            }
        }
        match is_found {
            true => Ok(()),
            false => Err(
                "the sources contain no call of MPI_Finalize, before which values are written; name all files of the program"
                    .into(),
            ),
        }
    }
}

/// The MPI function that a call executes.
fn mpi_function(call: &CCall) -> Option<&'static Function> {
    let is_mpi = call.name.starts_with("MPI_") || call.name.starts_with("PMPI_");
    if is_mpi { mpi::find(&call.name) } else { None }
}

/// The MPI function of a call with message data.
fn transfer(call: &CCall) -> Option<&'static Function> {
    let function = mpi_function(call)?;
    if crate::plan::profile::transfers(function) {
        Some(function)
    } else {
        None
    }
}

/// Whether a variable is a number, as far as the text shows; the compiler reports others.
fn check_number(variable: &CVariable) -> Result<(), String> {
    let what = match variable.of_type {
        CType::Number => return Ok(()),
        CType::Pointer => "a pointer",
        CType::Array => "an array",
        CType::Structure => "a structure",
        CType::Complex => "complex",
    };
    Err(format!(
        "{} is {what}; assign the value to a variable that can be measured",
        variable.name
    ))
}
