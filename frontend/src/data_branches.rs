//! How much of a block hangs on IFs that ask data: elements of arrays in loops, and reals. Counted are statements, those of
//! loops as often as constant bounds say or else a usual number of times, so that an IF in the innermost loop counts and one that is
//! asked once does not. Error exits are not taken. What the slice decides as well, once in a block, is told by base data: one
//! execution goes one way or the other. Not here: loops whose trip counts are data ([`crate::trip_counts`]).

use crate::assumed::Clause;
use crate::call_graph;
use crate::ir::{Expression, ProcedureId, Program, StatementId, StatementKind, Subscript};
use crate::model::Model;
use crate::references;
use crate::unit_values::constant;
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// Iterations of a loop whose bounds are not constants: more than a few.
const USUAL_TRIPS: f64 = 16.0;
/// A block hangs on data if this share of its statements does: a maximum kept in passing is less, and so is the pair of
/// random numbers that is thrown away.
const RELEVANT: f64 = 0.25;

/// Finds shares; remembers those of whole procedures.
pub(crate) struct DataBranches<'a> {
    model: &'a Model<'a>,
    /// Conditions whose branch ends the run.
    error_exits: &'a [Clause],
    /// By statement: whether the slice decides its conditions.
    decided: Vec<bool>,
    /// By procedure, and whether it is called in a loop.
    procedures: BTreeMap<(ProcedureId, bool), Statements>,
}

/// Executed statements.
#[derive(Clone, Copy, Debug, Default)]
struct Statements {
    all: f64,
    /// Those that are executed or not, as the data are.
    hanging: f64,
}

impl AddAssign for Statements {
    fn add_assign(&mut self, other: Self) {
        self.all += other.all;
        self.hanging += other.hanging;
    }
}

impl Statements {
    fn times(self, count: f64) -> Self {
        Self { all: self.all * count, hanging: self.hanging * count }
    }
}

impl<'a> DataBranches<'a> {
    /// Of a program whose slice decides some statements' conditions.
    pub(crate) fn new(model: &'a Model<'a>, error_exits: &'a [Clause], decided: Vec<bool>) -> Self {
        Self { model, error_exits, decided, procedures: BTreeMap::new() }
    }

    /// Whether a relevant share of some statements hangs on data.
    pub(crate) fn are_relevant(&mut self, statements: &[StatementId]) -> bool {
        let found = self.list(statements, false);
        found.hanging >= RELEVANT * found.all && found.hanging > 0.0
    }

    /// Statements, of a loop's body if they `repeat`.
    fn list(&mut self, list: &[StatementId], repeat: bool) -> Statements {
        let mut sum = Statements::default();
        list.iter().for_each(|&id| sum += self.statement(id, repeat));
        sum
    }

    fn statement(&mut self, id: StatementId, repeats: bool) -> Statements {
        let kind = &self.model.program.statement(id).kind;
        let mut sum = Statements { all: 1.0, hanging: 0.0 };
        for call in call_graph::calls(kind) {
            for target in self.model.calls.targets(call.callee) {
                sum += self.procedure(target, repeats);
            }
        }
        match kind {
            StatementKind::If { branches, otherwise, .. } => {
                let is_exit = |number: usize| self.error_exits.contains(&Clause { statement: id, number });
                let numbered = branches.iter().enumerate().filter(|(number, _)| !is_exit(*number));
                let taken: Vec<_> = numbered.map(|(_, branch)| branch).collect();
                let is_told = !repeats && self.decided[id.0 as usize];
                let asks =
                    !is_told && taken.iter().any(|(condition, _)| asks_data(self.model.program, condition));
                let mut bodies: Vec<Statements> =
                    taken.iter().map(|(_, body)| self.list(body, repeats)).collect();
                bodies.push(self.list(otherwise.as_deref().unwrap_or_default(), repeats));
                sum += of_one(&bodies, asks);
            }
            StatementKind::Select { selector, cases } => {
                let mut bodies: Vec<Statements> =
                    cases.iter().map(|(_, body)| self.list(body, repeats)).collect();
                if cases.iter().all(|(values, _)| !values.is_empty()) {
                    bodies.push(Statements::default());
                }
                let is_told = !repeats && self.decided[id.0 as usize];
                sum += of_one(&bodies, !is_told && asks_data(self.model.program, selector));
            }
            StatementKind::Do { .. } | StatementKind::While { .. } => {
                for body in kind.bodies() {
                    sum += self.list(body, true).times(trips(self.model.program, kind));
                }
            }
            StatementKind::Scoped { body, .. } => sum += self.list(body, repeats),
            StatementKind::Assign { .. }
            | StatementKind::Call { .. }
            | StatementKind::Point { .. }
            | StatementKind::Entry
            | StatementKind::Goto { .. }
            | StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::Continue
            | StatementKind::InputOutput(_)
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. }
            | StatementKind::Opaque { .. } => {}
        }
        sum
    }

    fn procedure(&mut self, procedure: ProcedureId, repeats: bool) -> Statements {
        if let Some(&known) = self.procedures.get(&(procedure, repeats)) {
            return known;
        }
        // One that calls itself counts once.
        self.procedures.insert((procedure, repeats), Statements::default());
        let body = &self.model.program.procedure(procedure).body;
        let found = self.list(body, repeats);
        self.procedures.insert((procedure, repeats), found);
        found
    }
}

/// One of several branches; which one, data say or not.
fn of_one(bodies: &[Statements], asks_data: bool) -> Statements {
    let most = |of: fn(&Statements) -> f64| bodies.iter().map(of).fold(0.0, f64::max);
    let (all, inside) = (most(|body| body.all), most(|body| body.hanging));
    let least = bodies.iter().map(|body| body.all).fold(all, f64::min);
    let hanging = if asks_data { (all - least).max(inside) } else { inside };
    Statements { all, hanging }
}

/// Whether a condition asks a real, or an element of an array that varies with the loops around.
fn asks_data(program: &Program, condition: &Expression) -> bool {
    let mut asks = false;
    references::walk(condition, &mut |part| {
        asks |= match part {
            Expression::Variable(variable) => program.variable(*variable).of_type.is_real(),
            Expression::Reference { base, path, subscripts } => {
                let is_real = !path.is_empty() && program.type_of_part(*base, path).is_real();
                is_real || subscripts.iter().any(|subscript| varies(program, subscript))
            }
            Expression::Integer(_)
            | Expression::Literal(_)
            | Expression::Call { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Other(_) => false,
        };
    });
    asks
}

fn varies(program: &Program, subscript: &Subscript) -> bool {
    match subscript {
        Subscript::Element(index) => constant(program, index).is_none(),
        Subscript::Section { .. } => true,
    }
}

/// How often the body of a loop is run.
fn trips(program: &Program, kind: &StatementKind) -> f64 {
    let StatementKind::Do { from, to, step: None, .. } = kind else { return USUAL_TRIPS };
    let span = constant(program, from).zip(constant(program, to));
    span.map_or(USUAL_TRIPS, |(from, to)| to.saturating_sub(from).saturating_add(1).max(0) as f64)
}
