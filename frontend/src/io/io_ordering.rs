//! Happens-before between file accesses of different ranks, in the whole program, by counting global synchronisations.
//! Which statements access which files is in [`crate::memory::files`].
//!
//! A rank that has left its n-th collective of some function on all ranks knows that every other rank has entered
//! its n-th. So if every path to a read passes fewer than n such calls, and every path to a write n or more, all ranks have
//! finished all their reads before any of them writes. If the paths to both pass the same number, and no other message after
//! the last of them, only a rank's own order relates the two.
//!
//! A loop with the synchronisation may have no iteration, and its data no element. What a rank reads before its first communication
//! nevertheless depends on its own earlier accesses only, if a loop with such a call, or the call, stands before the write: no message
//! can have ordered the two, so that a program without races excludes the rest itself.
//!
//! Forward data-flow analysis; the lattice values are sets of counts ([`crate::io::synchronisation_epochs`]), joined by
//! union; procedures are summarised by their passage from entry to return.

use crate::effects::model::Model;
use crate::effects::statement_effects::{Definition, IndirectEffect};
use crate::graphs::assumed_outcomes::Assumed;
use crate::graphs::call_graph;
use crate::graphs::control_flow_graph::{CfgNode, ControlFlowGraph};
use crate::graphs::statement_ends::Surroundings;
use crate::graphs::termination::CallRounds;
use crate::io::synchronisation_epochs::{Epochs, Passage};
use crate::ir::constant_values::constant;
use crate::ir::references;
use crate::ir::{
    Callee, Expression, IoOperation, ProcedureId, StatementId, StatementKind, Storage,
};
use crate::memory::location_id::LocationId;
use base_data::mpi::{Function, FunctionKind, Role};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Collectives that no process leaves before all have entered, if they carry anything.
const GLOBAL_SYNCHRONISATIONS: [&str; 4] = [
    "MPI_Barrier",
    "MPI_Allreduce",
    "MPI_Allgather",
    "MPI_Alltoall",
];

/// What makes communicators of all processes of another.
const MAKERS: [&str; 2] = ["MPI_Comm_dup", "MPI_Cart_create"];

/// Communicators that are made one of the other are followed so far.
pub(crate) const MAX_DEPTH: u32 = 4;

/// How often processes have met before each statement.
#[derive(Clone, Default)]
pub(crate) struct IoOrdering {
    /// By function, the global synchronisations before each statement (index = statement id); empty if the order is not known.
    global_synchronisations: Vec<Vec<Epochs>>,
    /// By procedure id; with the synchronisations. Shared, because orderings are copied.
    flows: Arc<Vec<ControlFlowGraph>>,
}

/// What orders two statements of different processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Between {
    /// Nothing does.
    Nothing,
    /// The global synchronisations of a function lie between them.
    GlobalSynchronisations(&'static str),
    /// It is not known.
    Unknown,
}

impl IoOrdering {
    /// The order in a program. Nothing is known where a procedure without source may call any other, or where
    /// control takes paths that the representation does not contain.
    pub(crate) fn of(model: &Model) -> Self {
        let Model {
            program,
            outline,
            calls,
            effects,
            ..
        } = model;
        if model.locations.files.names().is_empty() {
            return IoOrdering::default();
        }
        let callbacks = &effects.callbacks;
        if callbacks.use_files(&effects.summaries, &model.locations) {
            return IoOrdering::default();
        }
        for id in outline.all() {
            // Code without source may call any procedure and may synchronise.
            if effects.of_statement(id).is_unseen() {
                return IoOrdering::default();
            }
        }
        for procedure in &program.procedures {
            if procedure.is_whole {
                return IoOrdering::default();
            }
        }
        let Some(main) = program.main else {
            return IoOrdering::default();
        };
        let assumed = &vec![Assumed::Nothing; program.statements.len()];
        let rounds = CallRounds::of(program, outline, calls, assumed, None);
        let around = Surroundings {
            program,
            outline,
            calls,
            assumed,
            ends: rounds.last(),
        };
        let mut flows = Vec::new();
        for procedure in (0..program.procedures.len() as u32).map(ProcedureId) {
            flows.push(ControlFlowGraph::of(procedure, around));
        }
        let mut ordering = IoOrdering::default();
        // Passages of statements and what they lead to: most programs call few of the functions, and all others agree.
        let mut known: Vec<(Vec<Passage>, usize)> = Vec::new();
        for (number, function) in GLOBAL_SYNCHRONISATIONS.into_iter().enumerate() {
            let mut paths = ProcedureOrdering {
                model,
                flows: &flows,
                function,
                passages: Vec::new(),
            };
            for id in (0..program.statements.len() as u32).map(StatementId) {
                paths.passages.push(paths.passage_of(id));
            }
            let same = known.iter().find(|(known, _)| *known == paths.passages);
            let before = match same {
                Some(&(_, same)) => ordering.global_synchronisations[same].clone(),
                None => paths.before(main),
            };
            ordering.global_synchronisations.push(before);
            known.push((paths.passages, number));
        }
        ordering.flows = Arc::new(flows);
        ordering
    }

    /// Whether a place is a file, and the order is known.
    pub(crate) fn accesses_of(&self, model: &Model, place: LocationId) -> bool {
        !self.global_synchronisations.is_empty() && model.locations.is_file(place)
    }

    /// The statements, and calls of procedures, that may have changed a file before a statement accesses it.
    pub(crate) fn writers(
        &self,
        model: &Model,
        file: LocationId,
        reading: StatementId,
    ) -> Vec<StatementId> {
        let mut all: BTreeSet<StatementId> = BTreeSet::new();
        for &(statement, _) in &model.writers[file.index()] {
            all.insert(statement);
        }
        for writer in model.effects.indirect_writers(file) {
            all.extend(model.effects.callers(writer));
        }
        all.retain(|&writing| !self.is_before(reading, writing));
        if self.is_before_communication(reading) && !all.is_empty() {
            let earlier = self.earlier_on_rank(model, reading);
            all.retain(|writing| {
                let is_of_other_rank = !earlier.contains(writing);
                let is_without_effect = only_reads(model, *writing)
                    || follows_synchronisation(model, *writing, MAX_DEPTH);
                !(is_of_other_rank && is_without_effect)
            });
        }
        all.into_iter().collect()
    }

    /// Whether no way to a statement passes any communication.
    fn is_before_communication(&self, id: StatementId) -> bool {
        let mut all = self.global_synchronisations.iter();
        all.all(|before| before[id.0 as usize] == Epochs::START)
    }

    /// The statements that a rank may execute before one, itself and those that call it included.
    fn earlier_on_rank(&self, model: &Model, id: StatementId) -> BTreeSet<StatementId> {
        let (mut earlier, mut entered) = (BTreeSet::new(), BTreeSet::new());
        let mut called: BTreeSet<ProcedureId> = BTreeSet::new();
        let mut open = vec![id];
        while let Some(at) = open.pop() {
            let procedure = model.program.statement(at).procedure;
            let flow = &self.flows[procedure.0 as usize];
            let leads = flow.leading_to(&[flow.number(CfgNode::Statement(at))]);
            for (number, leads) in leads.into_iter().enumerate() {
                if leads && let CfgNode::Statement(one) = flow.points_at(number) {
                    earlier.insert(one);
                    for call in &model.effects.of_statement(one).calls {
                        called.insert(call.target);
                    }
                }
            }
            if entered.insert(procedure) {
                open.extend(model.effects.callers(IndirectEffect::Procedure(procedure)));
            }
        }
        let mut inside: Vec<ProcedureId> = called.iter().copied().collect();
        while let Some(procedure) = inside.pop() {
            earlier.extend(model.outline.of_procedure(procedure));
            for &callee in model.effects.summaries.callees(procedure) {
                if called.insert(callee) {
                    inside.push(callee);
                }
            }
        }
        earlier
    }

    /// Whether all processes have surely done the one statement whenever one of them comes to the other.
    pub(crate) fn is_before(&self, one: StatementId, other: StatementId) -> bool {
        self.global_synchronisations
            .iter()
            .any(|before| before[other.0 as usize].all_after(before[one.0 as usize]))
    }

    /// All that [`Self::between`] and [`Self::is_before`] read of a statement.
    pub(crate) fn synchronisations_before(&self, id: StatementId) -> Vec<Epochs> {
        let all = self.global_synchronisations.iter();
        all.map(|before| before[id.0 as usize]).collect()
    }

    /// What orders two statements that different ranks execute; the functions `asked` are preferred, since their synchronisations
    /// are in the slice already.
    pub(crate) fn between(
        &self,
        one: StatementId,
        other: StatementId,
        asked: &BTreeSet<&'static str>,
    ) -> Between {
        let (mut first, mut preferred) = (None, None);
        for (name, before) in GLOBAL_SYNCHRONISATIONS
            .into_iter()
            .zip(&self.global_synchronisations)
        {
            match before[one.0 as usize].between(before[other.0 as usize]) {
                Some(true) => {
                    first = first.or(Some(name));
                    if asked.contains(name) {
                        preferred = preferred.or(Some(name));
                    }
                }
                Some(false) => return Between::Nothing,
                None => {}
            }
        }
        match preferred.or(first) {
            Some(name) => Between::GlobalSynchronisations(name),
            None => Between::Unknown,
        }
    }
}

/// The ways through a program, by the global synchronisations of a function on them.
struct ProcedureOrdering<'a> {
    model: &'a Model<'a>,
    /// By procedure id.
    flows: &'a [ControlFlowGraph],
    function: &'static str,
    /// The passage of each statement without its callees; index = statement id.
    passages: Vec<Passage>,
}

impl ProcedureOrdering<'_> {
    /// The global synchronisations before each statement, from the beginning of the main program; index = statement id.
    fn before(&self, main: ProcedureId) -> Vec<Epochs> {
        let through = self.through();
        let mut before = vec![Epochs::default(); self.model.program.statements.len()];
        let mut entry = vec![Epochs::default(); self.flows.len()];
        entry[main.0 as usize] = Epochs::START;
        let mut pending = vec![main];
        while let Some(procedure) = pending.pop() {
            let flow = &self.flows[procedure.0 as usize];
            let epochs_along = self.epochs_along(flow, entry[procedure.0 as usize], &through);
            for (point, epochs) in flow.points().into_iter().zip(epochs_along) {
                let CfgNode::Statement(id) = point else {
                    continue;
                };
                before[id.0 as usize].join(epochs);
                for (index, call) in self.model.effects.of_statement(id).calls.iter().enumerate() {
                    let epochs = self.beside(id, index, &through, epochs);
                    // Context-insensitive: the entry of a procedure joins the counts at all its
                    // calls.
                    if entry[call.target.0 as usize].join(epochs) {
                        pending.push(call.target);
                    }
                }
            }
        }
        before
    }

    /// What lies between the beginning of each procedure and its end; index = procedure id.
    fn through(&self) -> Vec<Passage> {
        let mut through = vec![Passage::default(); self.flows.len()];
        // When each passage was last computed, and when it last changed: only a procedure of which a callee has changed since
        // is computed again, which happens in recursions alone.
        let mut computed = vec![0; self.flows.len()];
        let mut changed = vec![0; self.flows.len()];
        let mut now = 0;
        let summaries = &self.model.effects.summaries;
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for &procedure in &self.model.calls.bottom_up {
                let number = procedure.0 as usize;
                let is_current = computed[number] > 0
                    && summaries
                        .callees(procedure)
                        .iter()
                        .all(|callee| changed[callee.0 as usize] <= computed[number]);
                if is_current {
                    continue;
                }
                now += 1;
                computed[number] = now;
                let passage = self.passage(&self.flows[number], &through);
                if std::mem::replace(&mut through[number], passage) != passage {
                    // Later than its own computation, which a procedure that calls itself repeats.
                    now += 1;
                    changed[number] = now;
                    has_changed = true;
                }
            }
        }
        through
    }

    /// The passage of a procedure. It is solved from two entry states, a clean and a mixed one; the state at the return shows
    /// which counts stem from inside the procedure.
    fn passage(&self, flow: &ControlFlowGraph, through: &[Passage]) -> Passage {
        let end = flow.number(CfgNode::Return);
        let from_clean = self.epochs_along(flow, Epochs::START, through)[end];
        let from_mixed = self.epochs_along(flow, Epochs::MIXED_START, through)[end];
        Passage {
            unchanged: from_clean.clean & 1 != 0,
            clean: from_mixed.clean,
            mixed: from_clean.mixed,
        }
    }

    /// The global synchronisations before each point of a procedure, given those before its entry; index = number.
    fn epochs_along(
        &self,
        flow: &ControlFlowGraph,
        at_entry: Epochs,
        through: &[Passage],
    ) -> Vec<Epochs> {
        let mut before = vec![Epochs::default(); flow.points().len()];
        let entry = flow.number(CfgNode::Entry);
        before[entry] = at_entry;
        let mut pending = vec![entry];
        while let Some(number) = pending.pop() {
            let after = match flow.points_at(number) {
                CfgNode::Statement(id) => self.after(id, through, before[number]),
                CfgNode::Entry | CfgNode::Return | CfgNode::Exit => before[number],
            };
            for next in flow.successors(number) {
                if before[next].join(after) {
                    pending.push(next);
                }
            }
        }
        before
    }

    /// The epochs after a statement; none if it surely does not return.
    fn after(&self, id: StatementId, through: &[Passage], before: Epochs) -> Epochs {
        let calls = &self.model.effects.of_statement(id).calls;
        if let [only] = &calls[..]
            && is_plain_call(&self.model.program.statement(id).kind)
        {
            return through[only.target.0 as usize].after(before);
        }
        let mut epochs = self.passages[id.0 as usize].after(before);
        for call in calls {
            // The compiler may leave out a function reference whose value it does not need (Fortran 2018, 10.1.7).
            epochs = through[call.target.0 as usize].perhaps_after(epochs);
        }
        epochs
    }

    /// The epochs before one of the calls in a statement, which may execute its other calls first.
    fn beside(&self, id: StatementId, call: usize, through: &[Passage], before: Epochs) -> Epochs {
        let mut epochs = before;
        for (index, other) in self.model.effects.of_statement(id).calls.iter().enumerate() {
            if index != call {
                epochs = through[other.target.0 as usize].perhaps_after(epochs);
            }
        }
        epochs
    }

    /// The passage of a statement without its callees. A call of the function is a global synchronisation; if other processes may
    /// be absent from it, it counts as one that leaves the order open.
    fn passage_of(&self, id: StatementId) -> Passage {
        // Intrinsic procedures hold no process up.
        if !self.model.calls.has_calls[id.0 as usize] {
            return Passage::NOTHING;
        }
        let kind = &self.model.program.statement(id).kind;
        match kind {
            StatementKind::Call {
                callee: Callee::Mpi(function),
                arguments,
            } if function.name == self.function => {
                match overlaps(self.model, function, arguments) {
                    true => Passage::GLOBAL_SYNCHRONISATION,
                    false => Passage {
                        mixed: 1,
                        ..Passage::GLOBAL_SYNCHRONISATION
                    },
                }
            }
            _ if call_graph::calls(kind)
                .iter()
                .any(|call| communicates(call.callee)) =>
            {
                Passage::MESSAGE
            }
            _ => Passage::NOTHING,
        }
    }
}

/// Whether a statement does nothing to a file that other ranks can see: its own position in the file is no other rank's.
fn only_reads(model: &Model, id: StatementId) -> bool {
    let StatementKind::InputOutput(io) = &model.program.statement(id).kind else {
        return false;
    };
    match io.operation {
        IoOperation::Inquire => true,
        // A READ from a unit without OPEN may create its file.
        IoOperation::Read => !model.locations.files.may_connect(id),
        IoOperation::Open | IoOperation::Close | IoOperation::Position | IoOperation::Write => {
            false
        }
    }
}

/// Whether a call or loop with a synchronisation of all ranks stands before a statement, wherever it is called, by so many calls.
fn follows_synchronisation(model: &Model, id: StatementId, depth: u32) -> bool {
    let (program, outline) = (model.program, &model.outline);
    let procedure = program.statement(id).procedure;
    let jumps =
        |one: &StatementId| matches!(program.statement(*one).kind, StatementKind::Goto { .. });
    if outline.of_procedure(procedure).iter().any(jumps) {
        return false;
    }
    let mut at = id;
    loop {
        let above = outline.ancestors(at).next();
        let lists = match above {
            Some(above) => program.statement(above).kind.bodies(),
            None => vec![&program.procedure(procedure).body[..]],
        };
        for list in lists {
            let before = list.iter().take_while(|one| **one != at);
            if list.contains(&at) && before.copied().any(|one| synchronises(model, one, depth)) {
                return true;
            }
        }
        match above {
            Some(above) => at = above,
            None => break,
        }
    }
    let callers = model.effects.callers(IndirectEffect::Procedure(procedure));
    let is_main = program.main == Some(procedure);
    depth > 0
        && !is_main
        && !callers.is_empty()
        && callers
            .iter()
            .all(|&caller| follows_synchronisation(model, caller, depth - 1))
}

/// Whether a statement is a synchronisation of all ranks, or a loop or procedure with one in each iteration or call. It may
/// have no data, and the loop no iteration.
fn synchronises(model: &Model, id: StatementId, depth: u32) -> bool {
    let kind = &model.program.statement(id).kind;
    let any = |list: &[StatementId]| {
        list.iter()
            .any(|&inside| synchronises(model, inside, depth))
    };
    match kind {
        StatementKind::Call {
            callee: Callee::Mpi(function),
            arguments,
        } => {
            let communicator = given(function, arguments, Role::Communicator);
            GLOBAL_SYNCHRONISATIONS.contains(&function.name)
                && communicator.is_some_and(|one| is_of_all(model, one, MAX_DEPTH))
        }
        StatementKind::Call {
            callee: Callee::Procedure(called),
            ..
        } => {
            depth > 0 && {
                let body = &model.program.procedure(*called).body;
                body.iter()
                    .any(|&inside| synchronises(model, inside, depth - 1))
            }
        }
        StatementKind::Do { body, .. }
        | StatementKind::While { body, .. }
        | StatementKind::Scoped { body, .. } => any(body),
        _ => false,
    }
}

/// Whether a call may hold processes up.
fn communicates(callee: &Callee) -> bool {
    match callee {
        Callee::Mpi(function) => !matches!(
            function.kind,
            FunctionKind::Local | FunctionKind::Clock | FunctionKind::Start | FunctionKind::Abort
        ),
        Callee::UnknownMpi(_) => true,
        // What these call is looked at by itself, or nothing.
        Callee::External(_)
        | Callee::Procedure(_)
        | Callee::OneOf(_)
        | Callee::Variable(_)
        | Callee::Intrinsic(_) => false,
    }
}

/// Whether all processes of the program meet in such a call: it is on all, and carries something from each to each.
fn overlaps(model: &Model, function: &Function, arguments: &[Option<Expression>]) -> bool {
    // Without data, a rank need not wait for the others.
    if function.position(Role::Count).is_some() {
        let Some(count) = given(function, arguments, Role::Count) else {
            return false;
        };
        if constant(model.program, count).is_none_or(|count| count <= 0) {
            return false;
        }
    }
    match given(function, arguments, Role::Communicator) {
        Some(communicator) => is_of_all(model, communicator, MAX_DEPTH),
        None => false,
    }
}

pub(crate) fn given<'a>(
    function: &Function,
    arguments: &'a [Option<Expression>],
    role: Role,
) -> Option<&'a Expression> {
    arguments.get(function.position(role)?)?.as_ref()
}

/// Whether a communicator is of all processes: MPI_COMM_WORLD, a variable that only holds what was made of it, or a dummy for which
/// every call passes such a one, by so many steps at most. Grids are taken to leave no process out.
pub(crate) fn is_of_all(model: &Model, communicator: &Expression, depth: u32) -> bool {
    if model.program.mpi_constant(communicator) == Some("mpi_comm_world") {
        return true;
    }
    let Expression::Variable(variable) = communicator else {
        return false;
    };
    let Some(place) = model.locations.of_variable(*variable).filter(|_| depth > 0) else {
        return false;
    };
    if model.is_kept(place) {
        return false;
    }
    let writers = &model.writers[place.index()];
    if let Storage::Dummy(position) = model.program.variable(*variable).storage
        && let Some(owner) = model.program.variable(*variable).owner
    {
        return writers.is_empty() && is_passed_of_all(model, owner, position as usize, depth);
    }
    let is_dummy = model.locations.get(place).dummy.is_some();
    let makes = |(id, _): &(StatementId, Definition)| {
        let StatementKind::Call {
            callee: Callee::Mpi(function),
            arguments,
        } = &model.program.statement(*id).kind
        else {
            return false;
        };
        let made = given(function, arguments, Role::NewCommunicator).and_then(references::base);
        let parent = given(function, arguments, Role::Communicator);
        MAKERS.contains(&function.name)
            && made.and_then(|v| model.locations.of_variable(v)) == Some(place)
            && parent.is_some_and(|parent| is_of_all(model, parent, depth - 1))
    };
    !is_dummy && !writers.is_empty() && writers.iter().all(makes)
}

/// Whether every call of a procedure passes a communicator of all processes for a dummy.
fn is_passed_of_all(model: &Model, owner: ProcedureId, position: usize, depth: u32) -> bool {
    // A procedure that is passed or pointed at may be called with anything.
    if model.calls.is_named(owner) || model.program.procedure(owner).is_bound {
        return false;
    }
    let mut is_called = false;
    for &caller in model.effects.callers(IndirectEffect::Procedure(owner)) {
        let mut is_seen = false;
        for call in call_graph::calls(&model.program.statement(caller).kind) {
            if !model.calls.targets(call.callee).contains(&owner) {
                continue;
            }
            (is_called, is_seen) = (true, true);
            let Some(Some(passed)) = call.arguments.get(position) else {
                return false;
            };
            if !is_of_all(model, passed, depth - 1) {
                return false;
            }
        }
        // An implicit call, such as a finalizer's, passes something else.
        if !is_seen {
            return false;
        }
    }
    is_called
}

/// Whether a statement is a CALL of a procedure of the program and nothing else.
fn is_plain_call(kind: &StatementKind) -> bool {
    matches!(
        kind,
        StatementKind::Call {
            callee: Callee::Procedure(_),
            ..
        }
    ) && call_graph::calls(kind).len() == 1
}
