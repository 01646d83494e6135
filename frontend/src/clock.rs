//! Whether a clock, or a random number without a seed, decides which MPI calls are made: a forward walk from the
//! clocks that the slice reads to its conditions and bounds, by whole places. A procedure without source carries time between its
//! arguments only: it may write all COMMON and module variables, but that it writes times there is no more
//! likely than that it reads a clock of its own, and would make every decision of a program one of a clock. Nor
//! do files carry time: which are the same often cannot be told, and a log of times is no input.

use crate::call_graph;
use crate::effects::Via;
use crate::ir::{Callee, StatementId, StatementKind};
use crate::levels::MessageClass;
use crate::locations::{LocationId, LocationSet};
use crate::model::Model;
use crate::slice::Slicer;
use base_data::mpi::Kind;
use std::collections::BTreeSet;

/// Intrinsic procedures of compilers, and OpenMP's, that read a clock.
const INTRINSIC_CLOCKS: [&str; 13] = [
    "system_clock",
    "cpu_time",
    "date_and_time",
    "second",
    "secnds",
    "etime",
    "dtime",
    "mclock",
    "time",
    "itime",
    "idate",
    "fdate",
    "omp_get_wtime",
];

/// Words in the names of procedures without source that read a clock.
const CLOCK_WORDS: [&str; 3] = ["time", "clock", "second"];

/// Whether a procedure that is not the program's reads a clock.
pub(crate) fn is_clock(callee: &Callee, arguments: usize) -> bool {
    match callee {
        Callee::Mpi(function) => function.kind == Kind::Clock && function.name != "MPI_Wtick",
        Callee::Intrinsic(name) => INTRINSIC_CLOCKS.contains(&name.as_str()),
        Callee::External(name) => arguments <= 1 && CLOCK_WORDS.iter().any(|word| name.contains(word)),
        Callee::Procedure(_) | Callee::OneOf(_) | Callee::UnknownMpi(_) | Callee::Variable(_) => false,
    }
}

/// Kept statements that decide something by a clock, in order.
pub(crate) fn decisions(model: &Model, slicer: &Slicer) -> Vec<StatementId> {
    let kept: Vec<StatementId> = model.outline.all().filter(|id| slicer.kept[id.0 as usize]).collect();
    let (timed, classes) = (LocationSet::default(), BTreeSet::new());
    let mut walk = Walk { model, slicer, timed, classes, is_seeded: is_seeded(model) };
    if !kept.iter().any(|&id| walk.reads_clock(id)) {
        return Vec::new();
    }
    let mut grown = true;
    while grown {
        grown = false;
        for &id in &kept {
            grown |= walk.statement(id);
        }
    }
    kept.into_iter().filter(|&id| decides(&model.program.statement(id).kind) && walk.is_timed(id)).collect()
}

fn decides(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::If { .. }
        | StatementKind::Do { .. }
        | StatementKind::While { .. }
        | StatementKind::Select { .. }
        | StatementKind::Goto { .. } => true,
        StatementKind::Call { callee, .. } => matches!(callee, Callee::Mpi(_)),
        StatementKind::Assign { .. }
        | StatementKind::Scoped { .. }
        | StatementKind::Point { .. }
        | StatementKind::Entry
        | StatementKind::Exit(_)
        | StatementKind::Cycle(_)
        | StatementKind::Return
        | StatementKind::Stop
        | StatementKind::Continue
        | StatementKind::InputOutput(_)
        | StatementKind::Allocate { .. }
        | StatementKind::Deallocate { .. }
        | StatementKind::Opaque { .. } => false,
    }
}

struct Walk<'a> {
    model: &'a Model<'a>,
    slicer: &'a Slicer<'a>,
    timed: LocationSet,
    classes: BTreeSet<MessageClass>,
    /// Whether random numbers are the same in each run.
    is_seeded: bool,
}

/// Why a decision hangs on time.
pub(crate) fn reason(model: &Model) -> &'static str {
    let is_random =
        |call: &call_graph::Call| matches!(call.callee, Callee::Intrinsic(name) if name == "random_number");
    let draws = |id: StatementId| call_graph::calls(&model.program.statement(id).kind).iter().any(is_random);
    if !is_seeded(model) && model.outline.all().any(draws) {
        return "a clock, or a random number without a seed, decides here which MPI calls are made: the sequence of \
                calls may differ between runs";
    }
    "a clock decides here which MPI calls are made: the sequence of calls may differ between machines"
}

/// Whether a program says where its random numbers begin; otherwise the operating system does.
fn is_seeded(model: &Model) -> bool {
    model.outline.all().any(|id| {
        let calls = call_graph::calls(&model.program.statement(id).kind);
        let is_seed = |callee: &Callee| matches!(callee, Callee::Intrinsic(name) if ["random_seed", "random_init"].contains(&name.as_str()));
        calls.iter().any(|call| is_seed(call.callee) && !call.arguments.is_empty())
    })
}

impl Walk<'_> {
    fn reads_clock(&self, id: StatementId) -> bool {
        let calls = call_graph::calls(&self.model.program.statement(id).kind);
        calls.iter().any(|call| is_clock(call.callee, call.arguments.len()) || self.is_new_each_time(call))
    }

    /// Whether a call answers a random number that nobody can foretell.
    fn is_new_each_time(&self, call: &call_graph::Call) -> bool {
        !self.is_seeded && matches!(call.callee, Callee::Intrinsic(name) if name == "random_number")
    }

    /// Whether a place can give time to a statement, or get it: no file, and one that it names, where a
    /// procedure without source is called.
    fn passes(&self, id: StatementId, location: LocationId) -> bool {
        if self.model.locations.is_file(location) {
            return false;
        }
        let calls = call_graph::calls(&self.model.program.statement(id).kind);
        let sees_all = !calls.iter().any(|call| self.model.calls.is_unknown(call.callee));
        sees_all || self.model.effects.of_statement(id).mentions.contains(&location)
    }

    /// Whether what a statement evaluates hangs on a clock.
    fn is_timed(&self, id: StatementId) -> bool {
        let effects = self.model.effects.of_statement(id);
        let result = |procedure: crate::ir::ProcedureId| {
            self.model.results(procedure).into_iter().any(|part| self.timed.contains(part))
        };
        effects.uses.iter().any(|&l| self.timed.contains(l) && self.passes(id, l))
            || effects.calls.iter().any(|call| call.is_function() && result(call.target))
            || self.reads_clock(id)
    }

    /// Carries what is timed through a statement; whether anything is new.
    fn statement(&mut self, id: StatementId) -> bool {
        let is_timed = self.is_timed(id);
        let effects = self.model.effects.of_statement(id);
        let mut grown = false;
        for &(class, _) in effects.sends.iter().filter(|(_, l)| self.timed.contains(*l)) {
            grown |= self.classes.insert(class);
        }
        let mut found: Vec<LocationId> = Vec::new();
        for definition in &effects.definitions {
            let reached = match definition.via {
                Via::Own => is_timed && self.passes(id, definition.location),
                Via::Dummy(_, dummy) => self.timed.contains(dummy),
                Via::Payload(class) => {
                    self.classes.contains(&class) && self.slicer.messages.payload.contains(&class)
                }
                Via::Envelope => false,
            };
            found.extend(reached.then_some(definition.location));
        }
        for call in &effects.calls {
            let dummies = &self.model.program.procedure(call.target).dummies;
            for part in dummies.iter().flatten().flat_map(|&v| self.model.locations.innermost_of(v)) {
                let seen = call.seen_by_caller(part, &self.model.locations, false);
                found.extend(Some(part).filter(|_| seen.iter().any(|&l| self.timed.contains(l))));
            }
        }
        found.into_iter().fold(grown, |grown, location| self.timed.insert(location) || grown)
    }
}
