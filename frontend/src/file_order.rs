//! Which writing of files cannot matter to a reading: the order of input and output in the whole program.
//! Which statements work on which files is in [`crate::files`].
//!
//! A process that comes out of its n-th collective of some function among all processes knows that all others have gone
//! into theirs. So where fewer such calls than n lie on any way to a reading, and n or more on every way to a
//! writing, all processes have done all their readings before any of them writes.

use crate::assumed::Assumed;
use crate::call_graph;
use crate::effects::Definition;
use crate::ends::Rounds;
use crate::flow_graph::{FlowGraph, Point, Surroundings};
use crate::ir::{Callee, Expression, ProcedureId, StatementId, StatementKind};
use crate::locations::LocationId;
use crate::model::Model;
use crate::references;
use crate::unit_values::constant;
use base_data::mpi::{Function, Role};
use std::collections::BTreeSet;

/// Collectives that no process leaves before all have entered, if they carry anything.
const MEETINGS: [&str; 4] = ["MPI_Barrier", "MPI_Allreduce", "MPI_Allgather", "MPI_Alltoall"];

/// What makes communicators of all processes of another.
const MAKERS: [&str; 2] = ["MPI_Comm_dup", "MPI_Cart_create"];

/// Communicators that are made one of the other are followed so far.
const DEEPEST: u32 = 4;

/// So many calls are as good as any greater number.
const MANY: u32 = 64;

/// How often processes have met before each statement.
#[derive(Clone, Default)]
pub(crate) struct FileOrder {
    /// By function; empty if the order is not known.
    meetings: Vec<Meetings>,
}

/// The calls of one function on the way to each statement; index = statement id.
#[derive(Clone)]
struct Meetings {
    /// On every way, those in which surely all processes meet.
    least: Vec<u32>,
    /// On any way, all, on whatever communicator.
    most: Vec<u32>,
}

impl FileOrder {
    /// The order in a program. Nothing is known where a procedure without source may call any other, or where
    /// control takes ways that the representation does not tell.
    pub(crate) fn of(model: &Model) -> Self {
        let Model { program, outline, calls, effects, .. } = model;
        let opaque = outline.all().any(|id| effects.of_statement(id).touches_globals);
        let whole = program.procedures.iter().any(|procedure| procedure.is_whole);
        let Some(main) = program.main.filter(|_| !opaque && !whole) else { return FileOrder::default() };
        let assumed = &vec![Assumed::Nothing; program.statements.len()];
        let rounds = Rounds::of(program, outline, calls, assumed, None);
        let around = Surroundings { program, outline, calls, assumed, ends: rounds.last() };
        let procedures = || (0..program.procedures.len() as u32).map(ProcedureId);
        let flows: Vec<FlowGraph> = procedures().map(|procedure| FlowGraph::of(procedure, around)).collect();
        let of_function = |name: &&'static str| {
            let of = |bound| Way { model, flows: &flows, function: name, bound }.before(main);
            let (least, most) = (of(Bound::Least).into_iter(), of(Bound::Most).into_iter());
            Meetings {
                least: least.map(|count| count.unwrap_or(u32::MAX)).collect(),
                most: most.map(Option::unwrap_or_default).collect(),
            }
        };
        FileOrder { meetings: MEETINGS.iter().map(of_function).collect() }
    }

    /// Whether a place is a file, and the order is known.
    pub(crate) fn tells_of(&self, model: &Model, place: LocationId) -> bool {
        !self.meetings.is_empty() && model.locations.is_file(place)
    }

    /// What may have been done to a file before a statement uses it, and the calls that lead there.
    pub(crate) fn writers(&self, model: &Model, file: LocationId, reading: StatementId) -> Vec<StatementId> {
        let own = model.writers[file.index()].iter().map(|(statement, _)| *statement);
        let calls = model.effects.unnamed_writers(file).flat_map(|writer| model.effects.callers(writer));
        let all: BTreeSet<StatementId> = own.chain(calls.copied()).collect();
        all.into_iter().filter(|&writing| self.may_see(reading, writing)).collect()
    }

    /// Whether what a statement, or what it calls, does to files may be seen by another statement, in this
    /// process or another.
    fn may_see(&self, reading: StatementId, writing: StatementId) -> bool {
        let (reading, writing) = (reading.0 as usize, writing.0 as usize);
        !self.meetings.iter().any(|met| met.least[writing] > met.most[reading] && met.most[reading] < MANY)
    }
}

/// Which of the ways through a program count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// Those with the fewest calls.
    Least,
    /// Those with the most.
    Most,
}

/// Calls of a function on the ways through a program. A count is `None` where no way leads.
struct Way<'a> {
    model: &'a Model<'a>,
    /// By procedure id.
    flows: &'a [FlowGraph],
    function: &'static str,
    bound: Bound,
}

impl Way<'_> {
    /// The calls before each statement, from the beginning of the main program; index = statement id.
    fn before(&self, main: ProcedureId) -> Vec<Option<u32>> {
        let through = self.through();
        let mut before = vec![None; self.model.program.statements.len()];
        let mut entry = vec![None; self.flows.len()];
        entry[main.0 as usize] = Some(0);
        let mut pending = vec![main];
        while let Some(procedure) = pending.pop() {
            let flow = &self.flows[procedure.0 as usize];
            let along = self.along(flow, entry[procedure.0 as usize], &through);
            for (point, count) in flow.points().into_iter().zip(along) {
                let (Point::Statement(id), Some(count)) = (point, count) else { continue };
                before[id.0 as usize] = Some(count);
                for (index, call) in self.model.effects.of_statement(id).calls.iter().enumerate() {
                    let count = count + self.beside(id, index, &through);
                    let changed = self.join(&mut entry[call.target.0 as usize], count);
                    pending.extend(changed.then_some(call.target));
                }
            }
        }
        before
    }

    /// The calls from the beginning of each procedure to its end; index = procedure id.
    fn through(&self) -> Vec<Option<u32>> {
        let mut through = vec![None; self.flows.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for &procedure in &self.model.calls.upward {
                let flow = &self.flows[procedure.0 as usize];
                let count = self.along(flow, Some(0), &through)[flow.number(Point::Returned)];
                changed |= std::mem::replace(&mut through[procedure.0 as usize], count) != count;
            }
        }
        through
    }

    /// The calls before each point of a procedure, of which so many were made before its entry; index = number.
    fn along(&self, flow: &FlowGraph, at_entry: Option<u32>, through: &[Option<u32>]) -> Vec<Option<u32>> {
        let mut before = vec![None; flow.points().len()];
        let entry = flow.number(Point::Entry);
        before[entry] = at_entry;
        let mut pending = vec![entry];
        while let Some(number) = pending.pop() {
            let own = match flow.points_at(number) {
                Point::Statement(id) => self.passing(id, through),
                Point::Entry | Point::Returned | Point::Left => Some(0),
            };
            let Some(after) = before[number].zip(own).map(|(before, own)| before + own) else { continue };
            for next in flow.successors(number) {
                let changed = self.join(&mut before[next], after);
                pending.extend(changed.then_some(next));
            }
        }
        before
    }

    /// The calls in a statement and what it calls; `None` if it surely does not come back.
    fn passing(&self, id: StatementId, through: &[Option<u32>]) -> Option<u32> {
        let calls = &self.model.effects.of_statement(id).calls;
        let of = |index: usize| through[calls[index].target.0 as usize];
        match (self.bound, &calls[..]) {
            (Bound::Least, [_]) if is_plain_call(&self.model.program.statement(id).kind) => of(0),
            (Bound::Least, _) => Some(self.itself(id)),
            (Bound::Most, _) => {
                let inner = (0..calls.len()).map(|index| of(index).unwrap_or_default());
                Some(self.itself(id) + inner.sum::<u32>())
            }
        }
    }

    /// The calls that a statement may make before it makes one of its calls of procedures.
    fn beside(&self, id: StatementId, call: usize, through: &[Option<u32>]) -> u32 {
        let calls = self.model.effects.of_statement(id).calls.iter().enumerate();
        let others = calls.filter(|&(index, _)| index != call);
        match self.bound {
            Bound::Least => 0,
            Bound::Most => others.map(|(_, call)| through[call.target.0 as usize].unwrap_or_default()).sum(),
        }
    }

    /// Whether a statement is a call itself: for the least, one in which surely all processes meet.
    fn itself(&self, id: StatementId) -> u32 {
        let StatementKind::Call { callee: Callee::Mpi(function), arguments } =
            &self.model.program.statement(id).kind
        else {
            return 0;
        };
        let counts = match self.bound {
            Bound::Least => meets(self.model, function, arguments),
            Bound::Most => true,
        };
        u32::from(function.name == self.function && counts)
    }

    /// Adds another way to what is known; whether that makes a difference.
    fn join(&self, known: &mut Option<u32>, count: u32) -> bool {
        let count = count.min(MANY);
        let better = match self.bound {
            Bound::Least => known.is_none_or(|known| count < known),
            Bound::Most => known.is_none_or(|known| count > known),
        };
        if better {
            *known = Some(count);
        }
        better
    }
}

/// Whether all processes of the program meet in such a call: it is on all, and carries something from each to each.
fn meets(model: &Model, function: &Function, arguments: &[Option<Expression>]) -> bool {
    let carries = |count: &Expression| constant(model.program, count).is_some_and(|count| count > 0);
    let has_count = function.position(Role::Count).is_some();
    let is_full = !has_count || given(function, arguments, Role::Count).is_some_and(carries);
    let communicator = given(function, arguments, Role::Communicator);
    is_full && communicator.is_some_and(|communicator| is_of_all(model, communicator, DEEPEST))
}

fn given<'a>(function: &Function, arguments: &'a [Option<Expression>], role: Role) -> Option<&'a Expression> {
    arguments.get(function.position(role)?)?.as_ref()
}

/// Whether a communicator is of all processes: MPI_COMM_WORLD, or a variable that only holds what was made of it,
/// by so many calls at most. Grids are taken to leave no process out.
fn is_of_all(model: &Model, communicator: &Expression, depth: u32) -> bool {
    let Expression::Variable(variable) = communicator else { return false };
    if model.program.variable(*variable).name == "mpi_comm_world" {
        return true;
    }
    let Some(place) = model.locations.of_variable(*variable).filter(|_| depth > 0) else { return false };
    let writers = &model.writers[place.index()];
    let is_dummy = model.locations.get(place).dummy.is_some();
    let makes = |(id, _): &(StatementId, Definition)| {
        let StatementKind::Call { callee: Callee::Mpi(function), arguments } =
            &model.program.statement(*id).kind
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

/// Whether a statement is a CALL of a procedure of the program and nothing else.
fn is_plain_call(kind: &StatementKind) -> bool {
    matches!(kind, StatementKind::Call { callee: Callee::Procedure(_), .. })
        && call_graph::calls(kind).len() == 1
}
