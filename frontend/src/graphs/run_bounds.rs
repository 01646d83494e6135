//! Bounds of the MPI run: a section whose clock starts before MPI_Init or stops after MPI_Finalize is cut to the statements
//! between, since nothing outside is recorded.

use crate::graphs::call_graph::{self, CallGraph};
use crate::ir::statement_tree::Outline;
use crate::ir::{Callee, ProcedureId, Program, StatementId, StatementKind};
use std::collections::BTreeSet;

/// Functions that initialise MPI.
const INIT: [&str; 2] = ["MPI_Init", "MPI_Init_thread"];
/// The one that ends it.
const FINALIZE: [&str; 1] = ["MPI_Finalize"];

/// The part of a range of statements that lies outside MPI_Init and MPI_Finalize, and where to cut it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outside {
    /// Whether the range contains MPI_Init.
    pub(crate) begins_before: bool,
    /// Whether it contains MPI_Finalize.
    pub(crate) ends_behind: bool,
    /// The first statement behind MPI_Init; `None` if no single statement is that.
    pub(crate) first: Option<StatementId>,
    /// The statement that calls MPI_Finalize, with what is around it; `None` if no single statement does.
    pub(crate) last: Option<StatementId>,
}

/// Of the statements between two readings of a clock. `goes_on` says whether control leaves a statement's procedure
/// by returning afterwards: an error exit that finalizes MPI is no end of the run.
pub(crate) fn outside(
    program: &Program,
    outline: &Outline,
    calls: &CallGraph,
    inside: &[StatementId],
    goes_on: impl Fn(StatementId) -> bool,
) -> Outside {
    let bounds = Bounds {
        program,
        outline,
        calls,
    };
    let of = |functions: &[&str]| -> Vec<StatementId> {
        let found = bounds.calls_of(functions, inside).into_iter();
        found
            .filter(|&call| inside.contains(&call) || goes_on(call))
            .collect()
    };
    let (inits, finals) = (of(&INIT), of(&FINALIZE));
    let first = only(inits.iter().map(|&call| bounds.behind(call)));
    let last = only(finals.iter().map(|&call| bounds.outermost(call)));
    Outside {
        begins_before: !inits.is_empty(),
        ends_behind: !finals.is_empty(),
        first,
        last,
    }
}

/// What all are, if they are the same.
fn only(all: impl Iterator<Item = Option<StatementId>>) -> Option<StatementId> {
    let all: BTreeSet<Option<StatementId>> = all.collect();
    match all.len() {
        1 => all.into_iter().next().flatten(),
        _ => None,
    }
}

struct Bounds<'a> {
    program: &'a Program,
    outline: &'a Outline,
    calls: &'a CallGraph,
}

impl Bounds<'_> {
    /// The statements that call one of some functions: of these, and of procedures that they call.
    fn calls_of(&self, functions: &[&str], inside: &[StatementId]) -> Vec<StatementId> {
        let (mut open, mut found) = (inside.to_vec(), Vec::new());
        let mut called: BTreeSet<ProcedureId> = BTreeSet::new();
        while let Some(id) = open.pop() {
            for call in call_graph::calls(&self.program.statement(id).kind) {
                if let Callee::Mpi(function) = call.callee
                    && functions.contains(&function.name)
                {
                    found.push(id);
                }
                for target in self.calls.targets(call.callee) {
                    if called.insert(target) {
                        open.extend(self.outline.of_procedure(target));
                    }
                }
            }
        }
        found
    }

    /// The outermost construct around a statement, or itself; `None` in a BLOCK or ASSOCIATE, which may hold the whole
    /// program.
    fn outermost(&self, id: StatementId) -> Option<StatementId> {
        let kind = |above: StatementId| &self.program.statement(above).kind;
        let is_scope = |above| matches!(kind(above), StatementKind::Scoped { .. });
        match self.outline.ancestors(id).any(is_scope) {
            true => None,
            false => Some(self.outline.ancestors(id).last().unwrap_or(id)),
        }
    }

    /// The statement that comes next when a statement, and the construct around it, is over: where a procedure ends with
    /// it, behind its only call.
    fn behind(&self, id: StatementId) -> Option<StatementId> {
        let mut at = self.outermost(id)?;
        // A procedure that calls itself has no first call.
        for _ in 0..=self.program.procedures.len() {
            let procedure = self.program.statement(at).procedure;
            let body = &self.program.procedure(procedure).body;
            let position = body.iter().position(|&other| other == at)?;
            if let Some(&next) = body.get(position + 1) {
                return Some(next);
            }
            at = self.outermost(self.only_call(procedure)?)?;
        }
        None
    }

    /// The statement that calls a procedure, if there is only one.
    fn only_call(&self, procedure: ProcedureId) -> Option<StatementId> {
        let calls_it = |id: &StatementId| {
            let calls = call_graph::calls(&self.program.statement(*id).kind);
            calls
                .iter()
                .any(|call| self.calls.targets(call.callee).contains(&procedure))
        };
        only(self.outline.all().filter(calls_it).map(Some))
    }
}
