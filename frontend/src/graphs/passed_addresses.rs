//! Addresses of procedures that a program hands to code without source: then symbols do not show what that code calls, and what
//! they prove is withdrawn.

use crate::graphs::call_graph::{Call, calls};
use crate::graphs::externals::Externals;
use crate::ir::statement_tree::Outline;
use crate::ir::{Callee, Expression, ProcedureId, Program, Storage, VariableId};
use std::collections::BTreeSet;

/// Records which procedures without source share objects, and withdraws what symbols prove of those to which the program hands an
/// address: of a procedure, or of data that may contain one while some code of the link may reach MPI. What is known of code that
/// calls MPI is withdrawn where MPI may lead it back to the program.
pub(crate) fn withdraw(program: &Program, outline: &Outline, externals: &mut Externals) {
    if !externals.concludes_something() {
        return;
    }
    if program.has_unknown_labels {
        return externals.withdraw_all("a binding label of the program is not known");
    }
    if extends_unknown_type(program) {
        return externals.withdraw_all("the program extends a type without source");
    }
    let mut all = Vec::new();
    for id in outline.all() {
        all.extend(calls(&program.statement(id).kind));
    }
    let variables = procedure_variables(program, &all);
    let in_objects = program
        .types
        .iter()
        .any(|one| one.components.iter().any(|part| part.is_procedure));
    if in_objects {
        // Objects travel in messages, too.
        externals.release_confined();
    }
    let (mut objects, mut shared) = (BTreeSet::new(), BTreeSet::new());
    for call in &all {
        if takes_address(call, &variables) {
            return externals.withdraw_all("the program takes the address of a procedure");
        }
        if opens_way_through_mpi(call, &variables) {
            externals.release_confined();
        }
        let Callee::External(name) = call.callee else {
            continue;
        };
        // The type of its value is not known here.
        if call.is_function {
            shared.insert(name);
        }
        for argument in call.arguments.iter().flatten() {
            if is_procedure(argument, &variables) {
                externals.withdraw(name, "the program passes it a procedure");
            } else if may_contain_address(program, argument) {
                objects.insert(name);
            }
        }
    }
    for name in shared.union(&objects) {
        externals.share_objects(name);
    }
    for name in objects {
        if !externals.calls_addresses(name) {
            continue;
        }
        if in_objects {
            externals.withdraw(
                name,
                "the program passes it an object that may contain the address of a procedure",
            );
        } else if externals.has_unknown_code() {
            // An object of one library may contain the address of a function of another.
            externals.join_unknown(
                name,
                "the program passes it an object that may contain the address of a procedure that reaches MPI",
            );
        }
    }
}

/// Whether a call lets MPI call procedures of the program, or write its variables, on behalf of code that only has handles.
fn opens_way_through_mpi(call: &Call, variables: &BTreeSet<VariableId>) -> bool {
    let is_window = match call.callee {
        Callee::Mpi(function) => function.name.starts_with("MPI_Win_"),
        Callee::UnknownMpi(_) => false,
        _ => return false,
    };
    let mut arguments = call.arguments.iter().flatten();
    is_window || arguments.any(|argument| is_procedure(argument, variables))
}

/// Whether a call makes a value of the address of a procedure: C_FUNLOC of the standard, LOC of compilers.
fn takes_address(call: &Call, variables: &BTreeSet<VariableId>) -> bool {
    match call.callee {
        Callee::External(name) => name == "c_funloc",
        Callee::Intrinsic(name) if ["loc", "c_loc"].contains(&name.as_str()) => {
            let mut arguments = call.arguments.iter().flatten();
            arguments.any(|argument| is_procedure(argument, variables))
        }
        Callee::Intrinsic(_)
        | Callee::Mpi(_)
        | Callee::UnknownMpi(_)
        | Callee::Procedure(_)
        | Callee::OneOf(_)
        | Callee::Variable(_) => false,
    }
}

/// Whether a type extends one without source: code that knows that type may call overriding procedures.
fn extends_unknown_type(program: &Program) -> bool {
    for extended in &program.types {
        if let Some(parent) = &extended.parent
            && !program.types.iter().any(|one| one.name == *parent)
        {
            return true;
        }
    }
    false
}

/// Variables that may stand for a procedure: by their declaration, or since a call passes one for a dummy.
fn procedure_variables(program: &Program, all: &[Call]) -> BTreeSet<VariableId> {
    let mut found = program.procedure_variables.clone();
    let mut grown = true;
    while grown {
        grown = false;
        for call in all {
            if let Callee::Variable(variable) = call.callee {
                grown |= found.insert(*variable);
            }
            let targets: Vec<ProcedureId> = match call.callee {
                Callee::Procedure(procedure) => vec![*procedure],
                Callee::OneOf(procedures) => procedures.clone(),
                // Any procedure may be behind it, so any dummy may be passed its arguments.
                Callee::Variable(_) => (0..program.procedures.len() as u32)
                    .map(ProcedureId)
                    .collect(),
                Callee::Mpi(_)
                | Callee::UnknownMpi(_)
                | Callee::Intrinsic(_)
                | Callee::External(_) => Vec::new(),
            };
            for (position, argument) in call.arguments.iter().enumerate() {
                let Some(argument) = argument else {
                    continue;
                };
                if !is_procedure(argument, &found) {
                    continue;
                }
                for &target in &targets {
                    let dummies = &program.procedure(target).dummies;
                    if let Some(&Some(dummy)) = dummies.get(position) {
                        grown |= found.insert(dummy);
                    }
                }
            }
        }
    }
    found
}

/// Whether an argument is a procedure: a name without a list is one, or a function without arguments, which does no harm.
fn is_procedure(argument: &Expression, variables: &BTreeSet<VariableId>) -> bool {
    match argument {
        Expression::Call { callee, arguments } => {
            arguments.is_empty() && !matches!(callee, Callee::Intrinsic(_))
        }
        Expression::Variable(id) => variables.contains(id),
        _ => false,
    }
}

/// Whether an argument may contain an address, or a part of one: anything but a constant. A handle may be a number of any type and
/// size, or several such numbers.
fn may_contain_address(program: &Program, argument: &Expression) -> bool {
    match argument {
        Expression::Integer(_) | Expression::Literal(_) => false,
        Expression::Variable(id) => !matches!(program.variable(*id).storage, Storage::Constant(_)),
        Expression::Unary { operand, .. } => may_contain_address(program, operand),
        Expression::Binary { left, right, .. } => {
            may_contain_address(program, left) || may_contain_address(program, right)
        }
        Expression::Reference { .. } | Expression::Call { .. } | Expression::Other(_) => true,
    }
}
