//! Static cost model of statements, in executed statements: the body of a loop counts as often as constant bounds say, or
//! else a default number of times; a call counts the called procedure, and a whole array counts as a loop over it. The
//! model also computes which part of the cost depends on branches that a caller selects ([`Decisions`]).
//!
//! Which branches are data-dependent is in [`crate::work::data_dependent_branches`], trip counts that the slice computes in
//! [`crate::work::trip_counts`].

use crate::effects::model::Model;
use crate::expressions::own_costs::DEFAULT_TRIP_COUNT;
use crate::graphs::assumed_outcomes::Clause;
use crate::graphs::call_graph;
use crate::ir::constant_values::constant;
use crate::ir::implied_loops;
use crate::ir::{
    Callee, Expression, IoOperation, ProcedureId, Program, StatementId, StatementKind,
};
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// Most conditional copies of scalars, such as a maximum and its position, that compilers implement without a branch.
const CHEAP_STATEMENT_COST: usize = 2;
/// Least share of the cost that is relevant for a measurement.
pub(crate) const RELEVANT: f64 = 0.25;

/// The unit of cost. A share of either unit is relevant: a clock may count statements, and few statements may take long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// Each statement is one.
    Statements,
    /// The time of functions and operators, in usual statements.
    Time,
}

impl By {
    /// Both.
    pub(crate) const ALL: [By; 2] = [By::Statements, By::Time];
}

/// Executed statements.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StatementCost {
    pub(crate) all: f64,
    /// The part that is executed or not, depending on selected branches.
    pub(crate) dependent: f64,
}

impl AddAssign for StatementCost {
    fn add_assign(&mut self, other: Self) {
        self.all += other.all;
        self.dependent += other.dependent;
    }
}

impl StatementCost {
    /// Whether at least a share of the cost depends on selected branches.
    pub(crate) fn depends_on_kind(self, share: f64) -> bool {
        self.dependent >= share * self.all && self.dependent > 0.0
    }

    fn times(self, count: f64) -> Self {
        Self {
            all: self.all * count,
            dependent: self.dependent * count,
        }
    }
}

/// The branches on which the dependence of costs is computed.
pub(crate) trait Decisions {
    /// Whether an IF, SELECT or GOTO is selected; `repeats` if it is in a loop.
    fn choose(&mut self, decider: StatementId, repeats: bool) -> bool;
    /// Whether a jump that depends on a selected branch may skip a statement.
    fn skip(&mut self, statement: StatementId, repeats: bool) -> bool;
}

/// No branch is selected: only total costs are computed.
pub(crate) struct Nothing;

impl Decisions for Nothing {
    fn choose(&mut self, _: StatementId, _: bool) -> bool {
        false
    }

    fn skip(&mut self, _: StatementId, _: bool) -> bool {
        false
    }
}

/// Computes costs; caches those of procedures.
pub(crate) struct StatementCosts<'a, D> {
    model: &'a Model<'a>,
    /// Conditions whose branch ends the run, and is not taken.
    error_exits: &'a [Clause],
    by: By,
    decisions: D,
    /// The cost of an output statement.
    output: f64,
    /// By procedure, and whether it is called in a loop.
    procedures: BTreeMap<(ProcedureId, bool), StatementCost>,
}

impl<'a, D: Decisions> StatementCosts<'a, D> {
    pub(crate) fn new(
        model: &'a Model<'a>,
        error_exits: &'a [Clause],
        by: By,
        decisions: D,
    ) -> Self {
        Self {
            model,
            error_exits,
            by,
            decisions,
            output: 1.0,
            procedures: BTreeMap::new(),
        }
    }

    /// The same model, in which output statements cost nothing.
    pub(crate) fn without_output(self) -> Self {
        Self {
            output: 0.0,
            ..self
        }
    }

    /// Consecutive statements that are executed once.
    pub(crate) fn weigh(&mut self, statements: &[StatementId]) -> StatementCost {
        self.list(statements, false)
    }

    /// Statements, of a loop's body if they `repeat`.
    fn list(&mut self, list: &[StatementId], repeats: bool) -> StatementCost {
        let mut sum = StatementCost::default();
        for &id in list {
            let mut found = self.statement(id, repeats);
            if self.decisions.skip(id, repeats) {
                found.dependent = found.all;
            }
            sum += found;
        }
        sum
    }

    fn statement(&mut self, id: StatementId, repeats: bool) -> StatementCost {
        let kind = &self.model.program.statement(id).kind;
        let mut sum = StatementCost {
            all: self.own(id, kind),
            dependent: 0.0,
        };
        // Calls of intrinsic procedures are part of the statement's own cost.
        let calls = if self.model.calls.has_calls[id.0 as usize] {
            call_graph::calls(kind)
        } else {
            Vec::new()
        };
        for call in calls {
            let around = implied_loops::around(self.model.program, kind, call.callee);
            // Implied DO loops execute the call once per iteration.
            let times = DEFAULT_TRIP_COUNT.powi(around.len() as i32);
            for target in self.model.calls.targets(call.callee) {
                sum += self.procedure(target, repeats || times > 1.0).times(times);
            }
            sum.all += without_source(call.callee);
        }
        match kind {
            StatementKind::If {
                branches,
                otherwise,
                ..
            } => {
                let is_exit = |number: usize| {
                    self.error_exits.contains(&Clause {
                        statement: id,
                        number,
                    })
                };
                let taken = branches
                    .iter()
                    .enumerate()
                    .filter(|(number, _)| !is_exit(*number));
                let bodies = taken.map(|(_, (_, body))| &body[..]).collect::<Vec<_>>();
                sum += self.of_one(id, &bodies, otherwise.as_deref().or(Some(&[])), repeats);
            }
            StatementKind::Select { cases, .. } => {
                let bodies: Vec<_> = cases.iter().map(|(_, body)| &body[..]).collect();
                let may_be_none = cases.iter().all(|(values, _)| !values.is_empty());
                sum += self.of_one(id, &bodies, may_be_none.then_some(&[]), repeats);
            }
            StatementKind::Do { .. } | StatementKind::While { .. } => {
                let inside = self.list(kind.bodies().concat().as_slice(), true);
                // One that only prints is no more than its lines.
                let is_nothing = inside.all == 0.0 && self.output == 0.0;
                sum.all = if is_nothing { 0.0 } else { sum.all };
                sum += inside.times(trips(self.model.program, kind));
            }
            // BLOCK and ASSOCIATE execute their body once.
            StatementKind::Scoped { body, .. } => sum += self.list(body, repeats),
            StatementKind::Assign { .. }
            | StatementKind::Call { .. }
            | StatementKind::PointerAssignment { .. }
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

    /// The cost of a statement without its body and the procedures that it calls.
    fn own(&self, id: StatementId, kind: &StatementKind) -> f64 {
        let is_output =
            matches!(kind, StatementKind::InputOutput(io) if io.operation == IoOperation::Write);
        let costs = &self.model.own_costs;
        match self.by {
            _ if is_output => self.output,
            By::Statements => costs.statements[id.0 as usize],
            By::Time => costs.time[id.0 as usize],
        }
    }

    /// The cost of one of several alternative bodies: the largest, of which the difference to the smallest depends on the
    /// branch.
    fn of_one(
        &mut self,
        decider: StatementId,
        bodies: &[&[StatementId]],
        last: Option<&[StatementId]>,
        repeats: bool,
    ) -> StatementCost {
        let mut most = StatementCost::default();
        let mut least = f64::INFINITY;
        for body in bodies.iter().copied().chain(last) {
            let way = self.way(body, repeats);
            most.all = most.all.max(way.all);
            most.dependent = most.dependent.max(way.dependent);
            least = least.min(way.all);
        }
        // The smallest body is executed in any case, as far as cost goes; only the rest depends.
        let difference = most.all - least;
        // Bodies of equal cost need no classification of the branch, which is expensive.
        if difference > 0.0
            && difference > most.dependent
            && self.decisions.choose(decider, repeats)
        {
            most.dependent = difference;
        }
        most
    }

    fn way(&mut self, body: &[StatementId], repeats: bool) -> StatementCost {
        // They become conditional moves, which take the same time on either path.
        let program = self.model.program;
        let copies = body
            .iter()
            .all(|&id| copies_scalar(program, &program.statement(id).kind));
        if copies && body.len() <= CHEAP_STATEMENT_COST {
            StatementCost::default()
        } else {
            self.list(body, repeats)
        }
    }

    fn procedure(&mut self, procedure: ProcedureId, repeats: bool) -> StatementCost {
        if let Some(&known) = self.procedures.get(&(procedure, repeats)) {
            return known;
        }
        // One that calls itself counts once.
        self.procedures
            .insert((procedure, repeats), StatementCost::default());
        let body = &self.model.program.procedure(procedure).body;
        let found = self.list(body, repeats);
        self.procedures.insert((procedure, repeats), found);
        found
    }
}

/// Whether a statement gives a scalar the value of another, of an element or of a constant.
fn copies_scalar(program: &Program, kind: &StatementKind) -> bool {
    let StatementKind::Assign {
        target: Expression::Variable(target),
        value,
    } = kind
    else {
        return false;
    };
    let is_value = match value {
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Variable(_)
        | Expression::Reference { .. } => true,
        Expression::Call { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Other(_) => false,
    };
    is_value && program.variable(*target).shape.is_empty()
}

/// A procedure without source is more than its call.
fn without_source(callee: &Callee) -> f64 {
    match callee {
        Callee::External(_) => DEFAULT_TRIP_COUNT,
        Callee::Procedure(_)
        | Callee::OneOf(_)
        | Callee::Mpi(_)
        | Callee::UnknownMpi(_)
        | Callee::Intrinsic(_)
        | Callee::Variable(_) => 0.0,
    }
}

/// How often the body of a loop is run.
fn trips(program: &Program, kind: &StatementKind) -> f64 {
    constant_trips(program, kind).unwrap_or(DEFAULT_TRIP_COUNT)
}

/// Whether a loop makes a few iterations, for certain.
pub(crate) fn is_short(program: &Program, kind: &StatementKind) -> bool {
    constant_trips(program, kind).is_some_and(|trips| trips <= DEFAULT_TRIP_COUNT)
}

fn constant_trips(program: &Program, kind: &StatementKind) -> Option<f64> {
    let StatementKind::Do { from, to, step, .. } = kind else {
        return None;
    };
    let step = step
        .as_ref()
        .map_or(Some(1), |step| constant(program, step))
        .filter(|&step| step != 0)?;
    let span = constant(program, to)?.saturating_sub(constant(program, from)?);
    Some(span.saturating_add(step).saturating_div(step).max(0) as f64)
}
