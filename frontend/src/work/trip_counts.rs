//! Trip counts of the counted loops in a statement range, as expressions over the values at its entry.
//!
//! Bounds are traced back through single assignments, and through actual arguments and COMMON blocks into called
//! procedures. If a trip count cannot be expressed, the counts of the range are *incomplete*.

use crate::blocks::control_statement_blocks::ControlBlocks;
use crate::effects::model::Model;
use crate::expressions::case_conditions;
use crate::expressions::count_factors::Control;
use crate::expressions::count_factors::Factor;
use crate::expressions::loop_sums;
use crate::expressions::speculatable;
use crate::expressions::trip_count_factors::{Asked, evaluable};
use crate::fortran::is_integer;
use crate::graphs::assumed_outcomes::Clause;
use crate::graphs::call_graph::{self, Call};
use crate::graphs::termination;
use crate::graphs::unconditional_calls;
use crate::ir::analysis::Extent;
use crate::ir::expression_builders::binary;
use crate::ir::implied_loops;
use crate::ir::iterations::trips;
use crate::ir::references;
use crate::ir::sums;
use crate::ir::{
    Callee, Expression, Operator, ProcedureId, StatementId, StatementKind, VariableId,
};
use crate::memory::array_operations::{self, ArrayOperation};
use crate::work::skipped_iterations::SkippedIteration;
use crate::work::statement_costs::{By, Nothing, RELEVANT, StatementCosts};
use crate::work::statement_range::StatementRange;
use crate::work::stride_loops;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The total count of one loop.
#[derive(Clone, Debug)]
pub(crate) struct Count {
    /// Outermost first.
    pub(crate) factors: Vec<Factor>,
    asked: Asked,
    /// The loop, the assignment to a whole array, or the first statement of a branch.
    pub(crate) at: StatementId,
    /// Whether it is how often a branch is taken: without it work is known less well, but not unknown.
    pub(crate) of_branch: bool,
    /// Whether it is counted under a condition.
    pub(crate) is_conditional: bool,
}

/// A branch of an IF or SELECT CASE.
struct BranchCount<'a> {
    /// The factors of all counts in the branch; `None` if they are unknown.
    factors: Option<Vec<Factor>>,
    body: &'a [StatementId],
}

/// The counts of a statement range.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    /// In source order; those of a callee at its call.
    pub(crate) counts: Vec<Count>,
    /// Whether there is work that they do not cover.
    pub(crate) incomplete: bool,
    /// Branches whose number of executions is unknown at the entry.
    pub(crate) refused: Vec<StatementId>,
}

impl Counts {
    fn extend(&mut self, other: Counts) {
        self.counts.extend(other.counts);
        self.incomplete |= other.incomplete;
        self.refused.extend(other.refused);
    }
}

/// Computes counts; caches those of procedures.
pub(crate) struct TripCounts<'a> {
    model: &'a Model<'a>,
    /// By each of [`By::ALL`].
    scales: [StatementCosts<'a, Nothing>; 2],
    /// Static costs of lists that contain an IF, by first statement, length and kind of cost.
    lists: BTreeMap<(StatementId, usize, usize), f64>,
    /// Whether the run may end in each statement; index = statement id.
    ending: Vec<bool>,
    procedures: BTreeMap<ProcedureId, Counts>,
    open: Vec<ProcedureId>,
    /// Of ranges that were examined for splits, by first statement and length: unless they are split, they are asked for again.
    ranges: BTreeMap<(StatementId, usize), Counts>,
}

impl<'a> TripCounts<'a> {
    /// For the statements of a program, of whose branches some end the run.
    pub(crate) fn new(model: &'a Model<'a>, error_exits: &'a [Clause]) -> Self {
        let scales = By::ALL.map(|by| StatementCosts::new(model, error_exits, by, Nothing));
        let ending = termination::ending_statements(model.program, &model.outline, &model.calls);
        TripCounts {
            model,
            scales,
            lists: BTreeMap::new(),
            ending,
            procedures: BTreeMap::new(),
            open: Vec::new(),
            ranges: BTreeMap::new(),
        }
    }

    /// The counts of consecutive statements.
    pub(crate) fn of(&mut self, statements: &[StatementId]) -> Counts {
        let known = match statements.first() {
            Some(&first) => self.ranges.remove(&(first, statements.len())),
            None => None,
        };
        match known {
            Some(known) => known,
            None => self.computed(statements),
        }
    }

    fn computed(&mut self, statements: &[StatementId]) -> Counts {
        let mut range = StatementRange::new(self.model, statements, &self.ending);
        let mut found = Counts {
            incomplete: range.repeats,
            ..Counts::default()
        };
        self.list(&mut range, statements, Some(&[]), &mut found);
        found.incomplete |= range.skips && found.counts.iter().any(|count| !count.of_branch);
        found
    }

    /// The positions in a list, but for its first, of statements whose counts are complete at their own entries and not at that of
    /// the list.
    pub(crate) fn known_later(&mut self, statements: &[StatementId]) -> Vec<usize> {
        let mut known = Vec::new();
        let Some(&first) = statements.first() else {
            return known;
        };
        let whole = self.computed(statements);
        let is_incomplete = whole.incomplete;
        self.ranges.insert((first, statements.len()), whole);
        // Counts that are complete at the entry are so for each statement.
        if !is_incomplete {
            return known;
        }
        let mut range = StatementRange::new(self.model, statements, &self.ending);
        if range.repeats {
            return known;
        }
        for (at, one) in statements.iter().enumerate() {
            let one = std::slice::from_ref(one);
            let mut found = Counts::default();
            self.list(&mut range, one, Some(&[]), &mut found);
            if at > 0 && found.incomplete && !self.of(one).incomplete {
                known.push(at);
            }
        }
        known
    }

    /// The counts of what a control statement evaluates itself, without procedures that have blocks of their own.
    pub(crate) fn of_own(&mut self, id: StatementId, extent: &Extent) -> Counts {
        let (model, mut found) = (self.model, Counts::default());
        let mut range = StatementRange::of_head(model, id);
        for call in ControlBlocks::of_model(model).local_calls(id) {
            self.repeated_call(&mut range, id, call, false, Some(&[]), &mut found);
        }
        let elements =
            array_operations::of_own(model.program, &model.program.statement(id).kind, extent);
        self.elements(&range, id, elements, Some(&[]), &mut found);
        found
    }

    fn of_procedure(&mut self, procedure: ProcedureId) -> Counts {
        if let Some(known) = self.procedures.get(&procedure) {
            return known.clone();
        }
        // The depth of a recursion is unknown.
        if self.open.contains(&procedure) {
            return Counts {
                incomplete: true,
                ..Counts::default()
            };
        }
        self.open.push(procedure);
        let counts = self.of(&self.model.program.procedure(procedure).body);
        self.open.pop();
        self.procedures.insert(procedure, counts.clone());
        counts
    }

    /// `around` are the factors of what encloses the list; `None` if they are not known.
    fn list<'b>(
        &mut self,
        range: &mut StatementRange,
        list: &'b [StatementId],
        around: Option<&[Factor]>,
        out: &mut Counts,
    ) where
        'a: 'b,
    {
        for (position, &id) in list.iter().enumerate() {
            self.statement(range, id, around, out);
            let mut rest_is_branch = false;
            let ways = match &self.model.program.statement(id).kind {
                StatementKind::If { .. }
                    if let Some(skipped) = SkippedIteration::of(self.model, id) =>
                {
                    rest_is_branch = true;
                    let condition = Some(Cow::Borrowed(skipped.condition));
                    let conditional = std::iter::once((condition, skipped.branch));
                    self.ways(range, id, conditional, &list[position + 1..], around)
                }
                StatementKind::If {
                    branches,
                    otherwise,
                    ..
                } => {
                    let conditional = branches
                        .iter()
                        .map(|(condition, body)| (Some(Cow::Borrowed(condition)), &body[..]));
                    let otherwise = otherwise.as_deref().unwrap_or_default();
                    self.ways(range, id, conditional, otherwise, around)
                }
                StatementKind::Select { selector, cases } => {
                    let (cases, default) =
                        case_conditions::conditional(self.model.program, selector, cases);
                    let conditional = cases
                        .into_iter()
                        .map(|case| (case.condition.map(Cow::Owned), case.body));
                    self.ways(range, id, conditional, default, around)
                }
                _ => continue,
            };
            let unequal = self.unequal(list, &ways);
            for (way, is_more) in ways.iter().zip(unequal) {
                let mut inside = Counts::default();
                self.list(range, way.body, way.factors.as_deref(), &mut inside);
                if is_more && !self.is_counted_inside(way, &inside) {
                    self.count_branch(way, out);
                }
                out.extend(inside);
            }
            if rest_is_branch {
                return;
            }
        }
    }

    fn statement(
        &mut self,
        range: &mut StatementRange,
        id: StatementId,
        around: Option<&[Factor]>,
        out: &mut Counts,
    ) {
        let kind = &self.model.program.statement(id).kind;
        let calls = call_graph::calls(kind);
        let is_after_exit = range.is_call_after_exit(id, calls.len());
        for call in calls {
            self.repeated_call(range, id, call, is_after_exit, around, out);
        }
        let elements = array_operations::of_statement(self.model.program, kind);
        self.elements(range, id, elements, around, out);
        match kind {
            StatementKind::Do {
                from,
                to,
                step,
                body,
                ..
            } => {
                let count = trips(self.model.program, from, to, step.as_ref(), is_integer);
                let count = count.and_then(|count| range.in_loops(&count, id));
                // The total count of an inner loop is the product of the counts around it.
                let mut inner = extend(around, count.map(Factor::Count));
                self.push(range, id, usize::MAX, inner.as_deref(), out);
                let control = Control::of(self.model.program, id);
                let control = control.and_then(|one| one.map(|part| range.in_loops(part, id)));
                if let (Some(inner), Some(control)) = (&mut inner, control) {
                    // Counts in the body that read the index are summed over this loop.
                    inner.push(Factor::Loop(control));
                }
                self.list(range, body, inner.as_deref(), out);
            }
            StatementKind::While { body, .. } => match stride_loops::iterations(self.model, id) {
                Some(count) => {
                    let count = range.in_loops(&count, id).map(Factor::Count);
                    let inner = extend(around, count);
                    // Only an iteration evaluates the step.
                    let asked = around.map_or(0, <[Factor]>::len);
                    self.push(range, id, asked, inner.as_deref(), out);
                    self.list(range, body, inner.as_deref(), out);
                }
                // The number of iterations has no expression, whatever the body counts.
                None => out.incomplete = true,
            },
            StatementKind::Scoped { body, .. } => self.list(range, body, around, out),
            StatementKind::Opaque { .. } => out.incomplete = true,
            StatementKind::InputOutput(io) => {
                out.incomplete |= implied_loops::repeats_calls(self.model.program, io);
            }
            // Branches are gone through with the list.
            StatementKind::If { .. }
            | StatementKind::Select { .. }
            | StatementKind::Assign { .. }
            | StatementKind::Call { .. }
            | StatementKind::PointerAssignment { .. }
            | StatementKind::Entry
            | StatementKind::Goto { .. }
            | StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::Continue
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. } => {}
        }
    }

    /// Adds the counts of a statement's element-wise array operations.
    fn elements(
        &self,
        range: &StatementRange,
        id: StatementId,
        all: Vec<ArrayOperation>,
        around: Option<&[Factor]>,
        out: &mut Counts,
    ) {
        for elements in all {
            let mut factors = around.map(<[Factor]>::to_vec);
            match &elements.extents {
                Some(extents) if !self.is_read_after_bounds_end(id) => {
                    for extent in extents {
                        let factor = range.in_loops(extent, id).map(Factor::Count);
                        factors = extend(factors.as_deref(), factor);
                    }
                }
                _ => factors = None,
            }
            // Control need not reach an array in an operand, nor a statement that CYCLE skips.
            let is_asked = elements.is_whole_target && around.is_some_and(<[Factor]>::is_empty);
            let asked = if is_asked {
                usize::MAX
            } else {
                around.map_or(0, <[Factor]>::len)
            };
            self.push(range, id, asked, factors.as_deref(), out);
        }
    }

    /// Whether a statement names an array whose bounds depend on variables that its procedure writes: the bounds keep the
    /// values that these had at the procedure's entry.
    fn is_read_after_bounds_end(&self, id: StatementId) -> bool {
        let program = self.model.program;
        for expression in references::expressions(&program.statement(id).kind) {
            for array in references::variables(expression) {
                let variable = program.variable(array);
                let Some(owner) = variable.owner else {
                    continue;
                };
                for dimension in &variable.shape {
                    for bound in [&dimension.lower, &dimension.upper].into_iter().flatten() {
                        for operand in references::variables(bound) {
                            if self.is_written_in(operand, owner) {
                                return true;
                            }
                        }
                    }
                }
            }
        }
        false
    }

    fn is_written_in(&self, variable: VariableId, procedure: ProcedureId) -> bool {
        let (program, locations) = (self.model.program, &self.model.locations);
        let Some(location) = locations.of_variable(variable) else {
            return false;
        };
        for part in locations.innermost(location) {
            for (writer, _) in &self.model.writers[part.index()] {
                if program.statement(*writer).procedure == procedure {
                    return true;
                }
            }
            if self.model.is_kept(part) && self.calls_without_source(procedure) {
                return true;
            }
        }
        false
    }

    /// Whether a procedure itself calls one without source.
    fn calls_without_source(&self, procedure: ProcedureId) -> bool {
        let mut statements = self.model.outline.of_procedure(procedure).iter();
        statements.any(|&id| self.model.effects.of_statement(id).touches_globals)
    }

    /// Counts a statement's factors, of which so many are asked for certain.
    fn push(
        &self,
        range: &StatementRange,
        at: StatementId,
        asked: usize,
        factors: Option<&[Factor]>,
        out: &mut Counts,
    ) {
        let first = if range.is_skipped(at) { 0 } else { asked };
        let asked = Asked {
            first,
            is_after_exit: range.is_after_exit(at),
        };
        let is_conditional = factors.is_some_and(has_condition);
        match factors.and_then(|factors| evaluable(self.model.program, factors, asked)) {
            Some((factors, asked)) => out.counts.push(Count {
                factors,
                asked,
                at,
                of_branch: false,
                is_conditional,
            }),
            None => out.incomplete = true,
        }
    }

    /// The branches of an IF or SELECT CASE, that without a condition last.
    fn ways<'b, 'c>(
        &self,
        range: &StatementRange,
        id: StatementId,
        conditional: impl Iterator<Item = (Option<Cow<'c, Expression>>, &'b [StatementId])>,
        otherwise: &'b [StatementId],
        around: Option<&[Factor]>,
    ) -> Vec<BranchCount<'b>> {
        // `around` and the negated conditions before a branch; `None` once one of them is unknown.
        let mut before = around.map(<[Factor]>::to_vec);
        let mut ways = Vec::new();
        for (condition, body) in conditional {
            let condition = condition
                .and_then(|condition| range.in_loops(&condition, id))
                .and_then(|condition| {
                    speculatable::speculatable_condition(self.model.program, &condition)
                });
            let taken = condition.clone().map(Factor::If);
            let factors = extend(before.as_deref(), taken);
            ways.push(BranchCount { factors, body });
            let skipped = condition.map(|condition| Factor::If(not(condition)));
            before = extend(before.as_deref(), skipped);
        }
        ways.push(BranchCount {
            factors: before,
            body: otherwise,
        });
        ways
    }

    /// Which branches execute more statements than another, if one executes many more, relative to the `list` that contains the IF:
    /// a branch without a count would be taken for the one that executes least.
    fn unequal(&mut self, list: &[StatementId], ways: &[BranchCount]) -> Vec<bool> {
        let mut is_more = vec![false; ways.len()];
        let mut is_relevant = false;
        for (number, scales) in self.scales.iter_mut().enumerate() {
            let mut all = 0.0;
            if let Some(&first) = list.first() {
                // Lists with many IF statements are weighed once.
                let known = self.lists.entry((first, list.len(), number));
                all = *known.or_insert_with(|| scales.weigh(list).all);
            }
            let mut costs = Vec::new();
            for way in ways {
                costs.push(scales.weigh(way.body).all);
            }
            let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
            for (is_more, cost) in is_more.iter_mut().zip(costs) {
                *is_more |= cost > least;
                is_relevant |= cost > least && cost - least >= RELEVANT * all;
            }
        }
        if !is_relevant {
            is_more.fill(false);
        }
        is_more
    }

    /// Whether a loop in a branch has a count of its own, which depends on the same conditions.
    fn is_counted_inside(&self, way: &BranchCount, inside: &Counts) -> bool {
        for &id in way.body {
            if let StatementKind::Do { .. } = self.model.program.statement(id).kind {
                return inside.counts.iter().any(|count| !count.of_branch);
            }
        }
        false
    }

    /// Adds how often a branch is taken.
    fn count_branch(&self, way: &BranchCount, out: &mut Counts) {
        let Some((factors, &at)) = way.factors.as_deref().zip(way.body.first()) else {
            return;
        };
        let of_conditions = factors
            .iter()
            .filter(|factor| matches!(factor, Factor::If(_)))
            .flat_map(Factor::expressions);
        let varies = of_conditions.into_iter().any(loop_sums::reads_index);
        let asked = Asked {
            first: 0,
            is_after_exit: false,
        };
        match evaluable(self.model.program, factors, asked) {
            // A sum over the iterations of a loop would take as long as the loop: no loop in the branch takes longer.
            Some((factors, _)) if varies && factors.iter().any(has_sum) => out.refused.push(at),
            Some((factors, asked)) => out.counts.push(Count {
                factors,
                asked,
                at,
                of_branch: true,
                is_conditional: true,
            }),
            None => out.refused.push(at),
        }
    }

    /// Adds the counts of a call, which implied DO loops of the statement may repeat. Their variables have no value at the entry.
    fn repeated_call(
        &mut self,
        range: &mut StatementRange,
        id: StatementId,
        mut call: Call,
        is_after_exit: bool,
        around: Option<&[Factor]>,
        out: &mut Counts,
    ) {
        let program = self.model.program;
        let kind = &program.statement(id).kind;
        if matches!(kind, StatementKind::InputOutput(io) if implied_loops::repeats_calls(program, io))
        {
            return self.call(range, id, &call, is_after_exit, None, out);
        }
        let controls = implied_loops::around(program, kind, call.callee);
        if controls.is_empty() {
            return self.call(range, id, &call, is_after_exit, around, out);
        }
        let trips = controls.iter().map(|control| {
            let trips = control
                .trips(program, is_integer)
                .filter(|trips| !implied_loops::names(trips, &controls))?;
            range.in_loops(&trips, id).map(Factor::Count)
        });
        let around = around
            .zip(trips.collect::<Option<Vec<_>>>())
            .map(|(around, own)| [around, &own].concat());
        let is_known = |argument: &&Expression| !implied_loops::names(argument, &controls);
        for argument in call.arguments.iter_mut() {
            *argument = argument.filter(is_known);
        }
        // One of its iterations may end the run.
        let is_after_exit = range.is_call_after_exit(id, 2);
        self.call(range, id, &call, is_after_exit, around.as_deref(), out);
    }

    fn call(
        &mut self,
        range: &mut StatementRange,
        id: StatementId,
        call: &Call,
        is_after_exit: bool,
        around: Option<&[Factor]>,
        out: &mut Counts,
    ) {
        match call.callee {
            Callee::Intrinsic(_) => {}
            Callee::Procedure(procedure) => {
                let inner = self.of_procedure(*procedure);
                let is_called =
                    unconditional_calls::is_made(&self.model.program.statement(id).kind, call);
                let is_skipped = range.is_skipped(id);
                out.incomplete |= inner.incomplete;
                out.refused.extend(inner.refused);
                for count in inner.counts {
                    let translated = around.and_then(|around| {
                        let factors = count
                            .factors
                            .iter()
                            .map(|f| range.translated(f, *procedure, call, id));
                        let factors = [around, &factors.collect::<Option<Vec<_>>>()?].concat();
                        let own = if is_called { count.asked.first } else { 0 };
                        let first = if is_skipped {
                            0
                        } else {
                            around.len().saturating_add(own)
                        };
                        let is_after_exit = is_after_exit || count.asked.is_after_exit;
                        let asked = Asked {
                            first,
                            is_after_exit,
                        };
                        let (factors, asked) = evaluable(self.model.program, &factors, asked)?;
                        Some(Count {
                            factors,
                            asked,
                            is_conditional: count.is_conditional || has_condition(around),
                            ..count
                        })
                    });
                    // A missing loop count hides work; a missing branch count only makes it less precise.
                    match (count.of_branch, translated) {
                        (_, Some(count)) => out.counts.push(count),
                        (false, None) => out.incomplete = true,
                        (true, None) => out.refused.push(count.at),
                    }
                }
            }
            Callee::Mpi(_)
            | Callee::UnknownMpi(_)
            | Callee::External(_)
            | Callee::OneOf(_)
            | Callee::Variable(_) => out.incomplete = true,
        }
    }
}

fn has_condition(factors: &[Factor]) -> bool {
    factors.iter().any(|factor| matches!(factor, Factor::If(_)))
}

fn has_sum(factor: &Factor) -> bool {
    let mut expressions = factor.expressions().into_iter();
    expressions.any(sums::has_sum)
}

fn extend(around: Option<&[Factor]>, factor: Option<Factor>) -> Option<Vec<Factor>> {
    Some([around?, &[factor?]].concat())
}

/// The opposite of a condition on integers and logicals, in few words.
fn not(condition: Expression) -> Expression {
    match condition {
        Expression::Binary {
            operator: Operator::Or,
            left,
            right,
        } => binary(Operator::And, not(*left), not(*right)),
        Expression::Binary {
            operator,
            left,
            right,
        } if let Some(opposite) = opposite(operator) => binary(opposite, *left, *right),
        Expression::Unary {
            operator: Operator::Not,
            operand,
        } => *operand,
        _ => Expression::Unary {
            operator: Operator::Not,
            operand: Box::new(condition),
        },
    }
}

fn opposite(comparison: Operator) -> Option<Operator> {
    match comparison {
        Operator::Equal => Some(Operator::NotEqual),
        Operator::NotEqual => Some(Operator::Equal),
        Operator::Less => Some(Operator::GreaterEqual),
        Operator::GreaterEqual => Some(Operator::Less),
        Operator::Greater => Some(Operator::LessEqual),
        Operator::LessEqual => Some(Operator::Greater),
        _ => None,
    }
}
