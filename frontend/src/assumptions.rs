//! Error exits: branches that can only end the run without MPI_Finalize. One whose condition is base
//! data stays; one that hangs on computed data is assumed not taken, and listed. Other branches on
//! computed data stay in the slice with all they hang on, which is safe.

use crate::call_graph;
use crate::control::Control;
use crate::ends::Rounds;
use crate::flow_graph::{FlowGraph, Point, Surroundings};
use crate::ir::{Callee, ProcedureId, Program, StatementId, StatementKind};
use crate::model::Model;
use crate::slice::Slicer;
use base_data::mpi::Kind;

/// An exit that is assumed not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AssumedExit {
    /// The IF statement.
    pub(crate) statement: StatementId,
    /// What its condition hangs on, for people.
    pub(crate) reason: String,
}

/// Decides about all error exits: control under what is assumed, and the exits that are cut, with why.
///
/// Starts from all of them cut and takes back, until nothing changes, those that cost next to
/// nothing: what they add writes no array and repeats nothing.
pub(crate) fn decide(
    model: &Model,
    candidates: &[StatementId],
    blocks: &[Vec<StatementId>],
) -> (Control, Vec<AssumedExit>) {
    let none = vec![false; model.program.statements.len()];
    let mut cut = none.clone();
    candidates.iter().for_each(|id| cut[id.0 as usize] = true);
    let first = Control::of(model, cut.clone());
    if candidates.is_empty() {
        return (first, Vec::new());
    }
    let trial = Trial { model, blocks, first };
    let mut base = trial.run(&cut);
    if trial.cost(&base, &trial.run(&none), candidates).is_none() {
        return (trial.control(&none), Vec::new());
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &candidate in candidates.iter().filter(|id| cut[id.0 as usize]).collect::<Vec<_>>() {
            let mut other = cut.clone();
            other[candidate.0 as usize] = false;
            let tried = trial.run(&other);
            if trial.cost(&base, &tried, &[candidate]).is_none() {
                (cut, base, changed) = (other, tried, true);
            }
        }
    }
    let exits =
        candidates.iter().filter(|id| cut[id.0 as usize]).map(|&id| trial.exit(id, &cut, &base)).collect();
    (trial.control(&cut), exits)
}

struct Trial<'a> {
    model: &'a Model<'a>,
    blocks: &'a [Vec<StatementId>],
    /// Control with all candidates cut.
    first: Control,
}

/// What a trial keeps: statements, and how many classes of messages it needs the data of.
type Outcome = (Vec<bool>, usize);

impl Trial<'_> {
    fn control(&self, cut: &[bool]) -> Control {
        Control::beside(self.model, cut.to_vec(), Some(&self.first))
    }

    fn run(&self, cut: &[bool]) -> Outcome {
        let control = self.control(cut);
        let mut slicer = Slicer::new(self.model, &control);
        slicer.start(self.blocks);
        (slicer.kept, slicer.messages.payload.len())
    }

    /// The first statement that makes honouring `exits` costly; `None` if it costs next to nothing.
    fn cost(&self, base: &Outcome, tried: &Outcome, exits: &[StatementId]) -> Option<Cost> {
        let model = self.model;
        let inside =
            |id: StatementId| exits.iter().any(|&exit| id != exit && model.outline.is_within(id, exit));
        let added = model.outline.all().filter(|&id| tried.0[id.0 as usize] && !base.0[id.0 as usize]);
        let costly = added.filter(|&id| !inside(id)).find(|&id| is_costly(model, id));
        costly.map(Cost::Statement).or((tried.1 > base.1).then_some(Cost::Messages))
    }

    fn exit(&self, statement: StatementId, cut: &[bool], base: &Outcome) -> AssumedExit {
        let mut other = cut.to_vec();
        other[statement.0 as usize] = false;
        let reason = match self.cost(base, &self.run(&other), &[statement]) {
            Some(Cost::Statement(id)) => {
                format!("an error exit whose condition hangs on computed data: {}", self.describe(id))
            }
            Some(Cost::Messages) | None => {
                "an error exit whose condition hangs on the data of messages".into()
            }
        };
        AssumedExit { statement, reason }
    }

    fn describe(&self, id: StatementId) -> String {
        let line = self.model.lines[id.0 as usize];
        match self.model.effects.first_written(id) {
            Some(location) => format!("{} at line {line}", self.model.locations.get(location).name),
            None => format!("the loop at line {line}"),
        }
    }
}

/// Why an exit is not honoured.
enum Cost {
    Statement(StatementId),
    Messages,
}

fn is_costly(model: &Model, id: StatementId) -> bool {
    let repeats = matches!(
        model.program.statement(id).kind,
        StatementKind::Do { .. } | StatementKind::While { .. } | StatementKind::Opaque { .. }
    );
    repeats || model.effects.writes_array(id)
}

/// The error exits: IF statements with one branch, which can only end the run, where the run would go
/// on without.
pub(crate) fn exits(model: &Model) -> Vec<StatementId> {
    let Model { program, outline, calls, .. } = model;
    let cut = &vec![false; program.statements.len()];
    let rounds = Rounds::of(program, outline, calls, cut, None);
    let ends = rounds.last();
    let finalizers = finalizers(model);
    let mut found = Vec::new();
    for p in (0..model.program.procedures.len() as u32).map(ProcedureId) {
        let flow = FlowGraph::of(p, Surroundings { program, outline, calls, cut, ends });
        let fatal = fatal(model, &flow, &finalizers);
        for &id in model.outline.of_procedure(p) {
            let branch =
                error_branch(model.program, id).map(|first| fatal[flow.number(Point::Statement(first))]);
            if branch == Some(true) && !fatal[flow.number(Point::Statement(id))] {
                found.push(id);
            }
        }
    }
    found
}

/// The first statement of the only branch of an IF whose condition does nothing but answer.
fn error_branch(program: &Program, id: StatementId) -> Option<StatementId> {
    let StatementKind::If { branches, otherwise: None, .. } = &program.statement(id).kind else {
        return None;
    };
    let [(condition, body)] = &branches[..] else { return None };
    let pure = |callee: &Callee| matches!(callee, Callee::Intrinsic(_));
    let answers = crate::references::calls(condition).iter().all(|call| pure(call.callee));
    body.first().copied().filter(|_| answers)
}

/// Points from which control can neither return nor reach MPI_Finalize; index = number.
fn fatal(model: &Model, flow: &FlowGraph, finalizers: &[bool]) -> Vec<bool> {
    let points = flow.points();
    let safe = |point: &Point| match point {
        Point::Returned => true,
        Point::Statement(id) => {
            let calls = call_graph::calls(&model.program.statement(*id).kind);
            calls.iter().any(|call| finalizes(call.callee, finalizers))
        }
        Point::Entry | Point::Left => false,
    };
    let targets: Vec<usize> = (0..points.len()).filter(|&i| safe(&points[i])).collect();
    flow.leading_to(&targets).into_iter().map(|leads| !leads).collect()
}

fn finalizes(callee: &Callee, finalizers: &[bool]) -> bool {
    match callee {
        Callee::Mpi(function) => function.kind == Kind::End,
        Callee::Procedure(procedure) => finalizers[procedure.0 as usize],
        Callee::OneOf(all) => all.iter().any(|procedure| finalizers[procedure.0 as usize]),
        Callee::External(_) | Callee::Variable(_) | Callee::UnknownMpi(_) => true,
        Callee::Intrinsic(_) => false,
    }
}

/// Procedures that may call MPI_Finalize; index = procedure id.
fn finalizers(model: &Model) -> Vec<bool> {
    let mut found = vec![false; model.program.procedures.len()];
    let mut grown = true;
    while grown {
        grown = false;
        let all = model.calls.upward_statements(&model.outline);
        for id in all.filter(|id| model.calls.has_calls[id.0 as usize]) {
            let statement = model.program.statement(id);
            let calls = call_graph::calls(&statement.kind);
            if calls.iter().any(|call| finalizes(call.callee, &found)) {
                grown |= !std::mem::replace(&mut found[statement.procedure.0 as usize], true);
            }
        }
    }
    found
}
