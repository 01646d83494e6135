//! The sampled program: the whole program, one procedure of which asks the token runtime at its beginning whether it is to be
//! executed, and reports its end. Its executions are *tasks*; its INTEGER arguments, as they are when it is called, say which task
//! one is.
//!
//! A task that is not executed leaves its results as they were. If the slice contains nothing of the procedure, no MPI call,
//! no argument of one and no end of the program depends on what it computes. Otherwise the user must assert that: the slice
//! takes an array as a whole, so a message with results and control data in one array keeps the procedure.

use super::profile::Step;
use super::profile::places::StepResolver;
use super::{Insertion, Probe, ProbePlan};
use frontend::analysis::Analysis;
use frontend::ir::{Callee, ProcedureId, ProcedureKind, StatementId, Type};
use frontend::source::Sources;
use std::collections::{BTreeMap, BTreeSet};

/// The plan of a sampled program.
#[derive(Clone, Debug)]
pub struct SampledPlan {
    /// What is inserted.
    pub plan: ProbePlan,
    /// Names of the arguments that say which task an execution is, in their order.
    pub parameters: Vec<String>,
    /// Why calls of MPI may depend on what the procedure computes; `None` if the slice contains nothing of it.
    pub dependence: Option<String>,
}

/// The program with a sampled procedure, by its name.
///
/// # Errors
/// A name of no procedure, and a procedure whose executions cannot be left out, with the reason and a remedy.
pub fn sampled(sources: &Sources, analysis: &Analysis, name: &str) -> Result<SampledPlan, String> {
    let name = name.to_lowercase();
    let places = StepResolver::of(sources, analysis);
    let step = Step {
        function: name.clone(),
        block: None,
        kind: None,
        position: None,
        variable: None,
    };
    let range = places.range(&step)?;
    let program = &analysis.program;
    let own = program.procedure(range.procedure);
    match own.kind {
        ProcedureKind::Subroutine => {}
        ProcedureKind::Function => {
            return Err(format!(
                "{name} is a function, whose value its callers use at once; make it a subroutine that returns the value \
                 in an argument"
            ));
        }
        ProcedureKind::Main => {
            return Err(format!(
                "{name} is the main program; name a subroutine that computes a task"
            ));
        }
    }
    places.check_left_once(&range)?;
    check_communication(&places, analysis, range.procedure)?;
    let dependence = dependence(&places, analysis, range.procedure);
    let parameters = parameters(analysis, range.procedure);
    if parameters.is_empty() {
        return Err(format!(
            "{name} has no INTEGER argument, so nothing says which task a call of it computes; pass the number of the task"
        ));
    }
    let end = "call mpiete_task_end".to_string();
    let mut insertions = Vec::new();
    for (statement, place) in places.exits(&range)? {
        let probe = Probe::Profile(end.clone());
        insertions.push(Insertion {
            statement,
            place,
            probe,
        });
    }
    let count = parameters.len();
    let mut lines = vec![
        "external mpiete_task_begin, mpiete_task_end".to_string(),
        format!("integer(8) mpiete_task_values({count})"),
        "integer(4) mpiete_task_skipped".to_string(),
    ];
    for (number, parameter) in (1..).zip(&parameters) {
        lines.push(format!("mpiete_task_values({number}) = {parameter}"));
    }
    lines.push(format!(
        "call mpiete_task_begin(mpiete_task_values, {count}_4, mpiete_task_skipped)"
    ));
    lines.push("if (mpiete_task_skipped /= 0) return".to_string());
    let plan = ProbePlan {
        insertions,
        beginnings: BTreeMap::from([(range.procedure, lines)]),
        ..ProbePlan::default()
    };
    Ok(SampledPlan {
        plan,
        parameters,
        dependence,
    })
}

/// INTEGER scalars among the arguments that have values when the procedure is called.
fn parameters(analysis: &Analysis, procedure: ProcedureId) -> Vec<String> {
    let program = &analysis.program;
    let mut names = Vec::new();
    for &dummy in program.procedure(procedure).dummies.iter().flatten() {
        let variable = program.variable(dummy);
        let attributes = variable.attributes;
        let may_be_absent = attributes.optional || attributes.pointer || attributes.allocatable;
        let is_integer = matches!(variable.of_type, Type::Integer(_));
        if is_integer && variable.shape.is_empty() && !may_be_absent && !attributes.intent_out {
            names.push(variable.name.clone());
        }
    }
    names
}

/// A procedure and all that it may call.
fn reached(analysis: &Analysis, procedure: ProcedureId) -> BTreeSet<ProcedureId> {
    let mut reached = BTreeSet::from([procedure]);
    let mut open = vec![procedure];
    while let Some(caller) = open.pop() {
        for &(from, to) in &analysis.call_graph {
            if from == caller && reached.insert(to) {
                open.push(to);
            }
        }
    }
    reached
}

/// Whether a task calls no MPI.
fn check_communication(
    places: &StepResolver<'_>,
    analysis: &Analysis,
    procedure: ProcedureId,
) -> Result<(), String> {
    let program = &analysis.program;
    let reached = reached(analysis, procedure);
    for (id, statement) in (0..).map(StatementId).zip(&program.statements) {
        if !reached.contains(&statement.procedure) {
            continue;
        }
        let called = |callee: &Callee| match callee {
            Callee::Mpi(function) => Some(function.name),
            _ => None,
        };
        let mut found = None;
        if let frontend::ir::StatementKind::Call { callee, .. } = &statement.kind {
            found = called(callee);
        }
        for expression in statement.kind.expressions() {
            for callee in expression.callees() {
                found = found.or(called(callee));
            }
        }
        if let Some(function) = found {
            return Err(format!(
                "{} calls {function} at {}, so its executions cannot be left out; name a procedure that computes only",
                program.procedure(procedure).name,
                places.place(id)
            ));
        }
    }
    Ok(())
}

/// Why calls of MPI may depend on what a procedure computes: from a statement of it to one outside.
fn dependence(
    places: &StepResolver<'_>,
    analysis: &Analysis,
    procedure: ProcedureId,
) -> Option<String> {
    let program = &analysis.program;
    let slice = &analysis.slice;
    let mut chains: Vec<String> = Vec::new();
    for (id, statement) in (0..).map(StatementId).zip(&program.statements) {
        if statement.procedure != procedure || !slice.kept[id.0 as usize] {
            continue;
        }
        // The reason of a statement inside names another inside; the last names what is outside.
        let Some(Some(reason)) = slice.reasons.get(id.0 as usize) else {
            continue;
        };
        let from = places.place(id);
        match reason.needed_by {
            None => return Some(format!("{from} {}", reason.because)),
            Some(user) if program.statement(user).procedure != procedure => {
                return Some(format!(
                    "{from} {}, for {}",
                    reason.because,
                    places.place(user)
                ));
            }
            Some(_) => chains.push(format!("{from} {}", reason.because)),
        }
    }
    chains.into_iter().next()
}
