//! Which writing of files cannot matter to a reading: the order of input and output in the whole program.
//! Which statements work on which files is in [`crate::files`].
//!
//! A process that comes out of its n-th collective of some function on MPI_COMM_WORLD knows that all others have gone
//! into theirs. So where fewer such calls than n lie on any way to a reading, and n or more on every way to a
//! writing, all processes have done all their readings before any of them writes.

use crate::assumed::Assumed;
use crate::call_graph;
use crate::ends::Rounds;
use crate::flow_graph::{FlowGraph, Point, Surroundings};
use crate::ir::{Callee, Expression, ProcedureId, StatementId, StatementKind};
use crate::model::Model;
use crate::unit_values::constant;
use base_data::mpi::{Function, Role};

/// Collectives that no process leaves before all have entered, if they carry anything.
const MEETINGS: [&str; 4] = ["MPI_Barrier", "MPI_Allreduce", "MPI_Allgather", "MPI_Alltoall"];

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

    /// Whether anything is known.
    pub(crate) fn is_known(&self) -> bool {
        !self.meetings.is_empty()
    }

    /// Whether what a statement, or what it calls, does to files may be seen by another statement, in this
    /// process or another.
    pub(crate) fn may_see(&self, reading: StatementId, writing: StatementId) -> bool {
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
    let given = |role| function.position(role).and_then(|i| arguments.get(i)?.as_ref());
    let is_world = |communicator: &Expression| matches!(communicator, Expression::Variable(v) if model.program.variable(*v).name == "mpi_comm_world");
    let carries = |count: &Expression| constant(model.program, count).is_some_and(|count| count > 0);
    let is_full = function.position(Role::Count).is_none() || given(Role::Count).is_some_and(carries);
    given(Role::Communicator).is_some_and(is_world) && is_full
}

/// Whether a statement is a CALL of a procedure of the program and nothing else.
fn is_plain_call(kind: &StatementKind) -> bool {
    matches!(kind, StatementKind::Call { callee: Callee::Procedure(_), .. })
        && call_graph::calls(kind).len() == 1
}
