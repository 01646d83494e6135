//! Callbacks: procedures that code without source calls. The MPI library calls user-defined reduction operations, attribute copy
//! and delete functions, generalized requests and error handlers; no statement calls them, and any MPI call may. Procedures
//! without source may call whatever they are passed, whatever is interoperable with C, and whatever nothing in the sources calls.

use crate::effects::message_class::MessageClass;
use crate::effects::statement_effects::{Definition, StatementEffects, Via};
use crate::effects::summaries::Summaries;
use crate::graphs::call_graph::{self, Call, CallGraph};
use crate::ir::statement_tree::Outline;
use crate::ir::{Callee, Expression, Procedure, ProcedureId, ProcedureKind, Program};
use crate::memory::location_id::{LocationId, LocationSet};
use crate::memory::locations::Locations;
use std::collections::BTreeSet;

/// The procedures of a program that MPI may call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Callbacks {
    registered: BTreeSet<ProcedureId>,
    /// Those that work on arguments which the MPI library passes, with all that they call. No statement of the program
    /// reads these arguments, so liveness says nothing about them, and the procedures stay whole.
    whole: BTreeSet<ProcedureId>,
    /// Whether one has no source.
    open: bool,
    /// Those that procedures without source may call: what they leave in their dummies, and answer, is read there.
    by_others: BTreeSet<ProcedureId>,
}

impl Callbacks {
    /// Those of a program.
    pub(crate) fn of(program: &Program, outline: &Outline, graph: &CallGraph) -> Self {
        let mut callbacks = Callbacks {
            by_others: called_externally(program, graph),
            ..Callbacks::default()
        };
        for id in outline.all() {
            for call in call_graph::calls(&program.statement(id).kind) {
                callbacks.register(graph, &call);
            }
        }
        let mut pending: Vec<ProcedureId> = callbacks.whole.iter().copied().collect();
        while let Some(procedure) = pending.pop() {
            let callees = graph.callees[procedure.0 as usize].iter();
            pending.extend(
                callees
                    .copied()
                    .filter(|&callee| callbacks.whole.insert(callee)),
            );
        }
        callbacks
    }

    fn register(&mut self, graph: &CallGraph, call: &Call) {
        let Callee::Mpi(function) = call.callee else {
            return;
        };
        for (row, argument) in function.arguments.iter().zip(&call.arguments) {
            let Some(callee) = argument
                .filter(|_| row.name.ends_with("_fn"))
                .and_then(passed)
            else {
                continue;
            };
            let targets = graph.targets(&callee);
            self.open |= graph.is_unknown_callback(&callee);
            self.registered.extend(&targets);
            // An error handler receives an error code and returns nothing.
            if !row.name.contains("errhandler") {
                self.whole.extend(targets);
            }
        }
    }

    /// Whether a procedure stays whole.
    pub(crate) fn is_whole(&self, procedure: ProcedureId) -> bool {
        self.whole.contains(&procedure)
    }

    /// Those that procedures without source may call.
    pub(crate) fn called_externally(&self) -> impl Iterator<Item = ProcedureId> + '_ {
        self.by_others.iter().copied()
    }

    /// Whether MPI may read or write a file by them.
    pub(crate) fn use_files(&self, summaries: &Summaries, locations: &Locations) -> bool {
        let uses = |&procedure: &ProcedureId| {
            let summary = summaries.get(procedure);
            summary
                .reads
                .iter()
                .chain(summary.writes.iter())
                .any(|place| locations.is_file(place))
        };
        self.open || self.registered.iter().any(uses)
    }

    /// What they write beside what MPI passes them.
    pub(crate) fn written(&self, summaries: &Summaries, locations: &Locations) -> LocationSet {
        let mut written = LocationSet::default();
        for &procedure in &self.registered {
            written.union(&summaries.written_anywhere(procedure));
        }
        if self.open {
            written.union(&locations.globals());
        }
        written
    }
}

/// The procedures that those without source may call, if there are any.
fn called_externally(program: &Program, graph: &CallGraph) -> BTreeSet<ProcedureId> {
    if !graph.may_be_called_back {
        return BTreeSet::new();
    }
    let called: BTreeSet<ProcedureId> = graph.pairs.iter().map(|&(_, callee)| callee).collect();
    let may_be = |(id, one): &(ProcedureId, &Procedure)| {
        // A procedure that the sources call and that cannot be named elsewhere is called from there
        // only.
        let is_seen =
            (one.is_internal || called.contains(id)) && !one.is_bound && !graph.is_named(*id);
        one.kind != ProcedureKind::Main && !is_seen
    };
    (0..)
        .map(ProcedureId)
        .zip(&program.procedures)
        .filter(may_be)
        .map(|(id, _)| id)
        .collect()
}

/// The procedure that an argument is.
fn passed(argument: &Expression) -> Option<Callee> {
    match argument {
        Expression::Call { callee, .. } => Some(callee.clone()),
        Expression::Variable(variable) => Some(Callee::Variable(*variable)),
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Reference { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Other(_) => None,
    }
}

/// A call of MPI may write these places, by itself or with data that arrive.
pub(crate) fn add_written(statement: &mut StatementEffects, written: &LocationSet) {
    let define = |location: LocationId, via| Definition {
        location,
        certain: false,
        via,
    };
    let class = statement.class;
    let with_data = written.iter().filter(|_| class != MessageClass::None);
    let with_data: Vec<Definition> = with_data
        .map(|place| define(place, Via::Payload(class)))
        .collect();
    statement
        .definitions
        .extend(written.iter().map(|place| define(place, Via::Own)));
    statement.definitions.extend(with_data);
}
