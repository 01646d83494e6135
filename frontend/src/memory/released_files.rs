//! Released files: those whose contents code without source may read as the program has written them. What a program writes to a
//! connected file is available to others after a FLUSH (Fortran 2018, 12.9), or where the file is closed, positioned or opened anew.
//! The order of the statements of the main program shows whether such a statement comes between.

use crate::graphs::call_graph::{self, CallGraph};
use crate::ir::statement_tree::Outline;
use crate::ir::{Callee, IoOperation, Program, StatementId, StatementKind};
use crate::memory::files::{Files, Unit};
use std::collections::BTreeSet;

/// What a statement or procedure does, with all that it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Does {
    /// Calls code without source that uses files.
    calls: bool,
    /// Classes of files that it writes.
    writes: BTreeSet<usize>,
    /// Those that it closes, flushes, positions or opens.
    releases: BTreeSet<usize>,
}

impl Does {
    fn join(&mut self, other: &Does) {
        self.calls |= other.calls;
        self.writes.extend(&other.writes);
        self.releases.extend(&other.releases);
    }
}

/// The classes of released files.
pub(crate) fn classes(program: &Program, calls: &CallGraph, files: &Files) -> BTreeSet<usize> {
    let all: BTreeSet<usize> = (0..files.names().len()).collect();
    let Some(main) = program.main else {
        return all;
    };
    if all.is_empty() || calls.may_be_called_back || calls.externals.may_release_files() {
        return all;
    }
    let outline = Outline::of(program);
    let own = |id: StatementId| of_statement(program, calls, files, id);
    let mut procedures = vec![Does::default(); program.procedures.len()];
    for id in outline.all() {
        let procedure = program.statement(id).procedure;
        procedures[procedure.0 as usize].join(&own(id));
    }
    let mut grown = true;
    while grown {
        grown = false;
        for procedure in &calls.bottom_up {
            let at = procedure.0 as usize;
            let mut joined = procedures[at].clone();
            for callee in &calls.callees[at] {
                joined.join(&procedures[callee.0 as usize]);
            }
            grown |= joined != procedures[at];
            procedures[at] = joined;
        }
    }
    let mut statements = Vec::new();
    for &id in outline.of_procedure(main) {
        if jumps(&program.statement(id).kind) {
            return all;
        }
        let mut does = own(id);
        for call in call_graph::calls(&program.statement(id).kind) {
            for target in calls.targets(call.callee) {
                does.join(&procedures[target.0 as usize]);
            }
        }
        statements.push((id, does));
    }
    let may_follow = |later: StatementId, earlier: StatementId| {
        later == earlier
            || outline.is_before(earlier, later)
            || outline.ancestors(earlier).any(|around| {
                program.statement(around).kind.is_loop() && outline.is_within(later, around)
            })
    };
    let mut found = BTreeSet::new();
    for (release, does) in &statements {
        if does.releases.is_empty() {
            continue;
        }
        let is_read = statements
            .iter()
            .any(|(call, other)| other.calls && may_follow(*call, *release));
        if !is_read {
            continue;
        }
        for &class in &does.releases {
            let is_written = statements.iter().any(|(write, other)| {
                other.writes.contains(&class) && may_follow(*release, *write)
            });
            if is_written {
                found.insert(class);
            }
        }
    }
    found
}

/// What a statement does itself.
fn of_statement(program: &Program, calls: &CallGraph, files: &Files, id: StatementId) -> Does {
    let mut does = Does::default();
    let kind = &program.statement(id).kind;
    if let StatementKind::InputOutput(io) = kind {
        let classes: BTreeSet<usize> = match files.unit(id) {
            Unit::Class(class) => files.alike(class).collect(),
            Unit::Any => (0..files.names().len()).collect(),
            Unit::Output | Unit::Internal => BTreeSet::new(),
        };
        match io.operation {
            IoOperation::Write => does.writes = classes,
            IoOperation::Open | IoOperation::Close | IoOperation::Position => {
                does.releases = classes;
            }
            IoOperation::Read | IoOperation::Inquire => {}
        }
    }
    for call in call_graph::calls(kind) {
        match call.callee {
            Callee::External(name) => {
                let effects = calls.externals.known(name);
                does.calls |=
                    effects.is_some_and(|effects| effects.process) || calls.is_unknown(call.callee);
            }
            Callee::Intrinsic(name) if name == "flush" => {
                does.releases = (0..files.names().len()).collect();
            }
            Callee::Intrinsic(name) => does.calls |= call_graph::is_command(name),
            Callee::Variable(_) => does.calls |= calls.is_unknown(call.callee),
            Callee::Mpi(_) | Callee::UnknownMpi(_) | Callee::Procedure(_) | Callee::OneOf(_) => {}
        }
    }
    does
}

/// Whether control may go backwards, other than in a loop.
fn jumps(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Goto { .. } | StatementKind::Opaque { .. } => true,
        StatementKind::InputOutput(io) => !io.jumps.is_empty(),
        _ => false,
    }
}
