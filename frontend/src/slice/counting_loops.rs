//! Counting loops: nests of DO loops whose only kept statements count (`n = n + 1`), such as those that compute the length of
//! a message while they pack it. The probe evaluates the nest's result in closed form instead of stepping through it.
//! Exact: trip counts are 64-bit integers, and zero where a loop has no iteration (Fortran 2018, 11.1.7.4.1).

use crate::dataflow::loop_carried::{self, LoopCarriedAnalysis, read_by};
use crate::expressions::name_visibility;
use crate::expressions::name_visibility::names_any;
use crate::expressions::speculatable::is_harmless;
use crate::ir::expression_builders::{binary, intrinsic};
use crate::ir::references;
use crate::ir::statement_tree;
use crate::ir::{Callee, Expression, Operator, StatementId, StatementKind, Type, VariableId};
use crate::memory::location_id::LocationId;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// The outermost loops of the counting nests in the slice, with assignments that have the same effect. No assignment contains an
/// `ambiguous` name; nests that contain a `marked` statement are left alone.
pub(crate) fn find(
    carriers: &LoopCarriedAnalysis,
    marked: &BTreeSet<StatementId>,
    ambiguous: &BTreeSet<String>,
) -> BTreeMap<StatementId, Vec<String>> {
    let model = carriers.model;
    let readers = OnceCell::new();
    let mut found: BTreeMap<StatementId, Vec<String>> = BTreeMap::new();
    for id in model.outline.all() {
        let statement = model.program.statement(id);
        let is_loop = matches!(statement.kind, StatementKind::Do { .. });
        let is_opaque = model.program.procedure(statement.procedure).is_whole;
        if !is_loop || is_opaque || !carriers.kept[id.0 as usize] {
            continue;
        }
        let mut above = model.outline.ancestors(id);
        if above.any(|above| found.contains_key(&above)) {
            continue;
        }
        if let Some(nest) = Nest::of(carriers, &readers, id)
            && let Some(lines) = nest.assignments(marked, ambiguous)
        {
            found.insert(id, lines);
        }
    }
    found
}

/// The kept statements, and those after a probe, that read each location; index = location.
fn readers(carriers: &LoopCarriedAnalysis) -> Vec<Vec<StatementId>> {
    let model = carriers.model;
    // A location and its existence have a number each.
    let mut readers: Vec<Vec<StatementId>> = vec![Vec::new(); 2 * model.locations.count()];
    for id in model.outline.all() {
        for location in read_at(carriers, id) {
            let known = &mut readers[location.index()];
            if known.last() != Some(&id) {
                known.push(id);
            }
        }
    }
    readers
}

/// What a kept statement, or a probe before a statement, reads.
fn read_at(carriers: &LoopCarriedAnalysis, id: StatementId) -> Vec<LocationId> {
    let model = carriers.model;
    let mut read = carriers.probed.get(&id).cloned().unwrap_or_default();
    if !carriers.kept[id.0 as usize] {
        return read;
    }
    let effects = carriers.control.effects(model, id);
    read.extend(&effects.uses);
    for (_, sent) in &effects.sends {
        read.push(*sent);
    }
    for call in &effects.calls {
        read.extend(loop_carried::passed(model, call));
    }
    read
}

/// A nest of loops that only count.
struct Nest<'a, 'b> {
    carriers: &'b LoopCarriedAnalysis<'a>,
    /// The statements that read each location; index = location. Shared by all nests, of which most programs have none.
    readers: &'b OnceCell<Vec<Vec<StatementId>>>,
    outermost: StatementId,
    /// Loops, an outer one before those in it.
    loops: Vec<Loop<'a>>,
    /// What is counted.
    sums: Vec<Sum<'a>>,
}

/// One of its loops.
struct Loop<'a> {
    variable: VariableId,
    from: &'a Expression,
    to: &'a Expression,
    step: i64,
}

impl<'a> Loop<'a> {
    fn bounds(&self) -> [&'a Expression; 2] {
        [self.from, self.to]
    }
}

/// `variable = variable + each` in the innermost of these loops, by their numbers.
struct Sum<'a> {
    variable: VariableId,
    each: Each<'a>,
    around: Vec<usize>,
}

/// What is added each time.
struct Each<'a> {
    operator: Operator,
    value: &'a Expression,
}

impl<'a, 'b> Nest<'a, 'b> {
    /// The nest that begins with a loop, if its kept statements are such.
    fn of(
        carriers: &'b LoopCarriedAnalysis<'a>,
        readers: &'b OnceCell<Vec<Vec<StatementId>>>,
        outermost: StatementId,
    ) -> Option<Self> {
        let mut nest = Nest {
            carriers,
            readers,
            outermost,
            loops: Vec::new(),
            sums: Vec::new(),
        };
        nest.statement(outermost, &[])?;
        Some(nest)
    }

    fn statement(&mut self, id: StatementId, around: &[usize]) -> Option<()> {
        let model = self.carriers.model;
        if self.carriers.control.assumed[id.0 as usize].is_any() {
            return None;
        }
        match &model.program.statement(id).kind {
            StatementKind::Do {
                variable,
                from,
                to,
                step,
                body,
                ..
            } => {
                let step = match step {
                    None => 1,
                    Some(step) => crate::ir::constant_values::constant(model.program, step)?,
                };
                if step == 0 {
                    return None;
                }
                let around = [around, &[self.loops.len()]].concat();
                self.loops.push(Loop {
                    variable: *variable,
                    from,
                    to,
                    step,
                });
                for &inner in body {
                    if self.carriers.kept[inner.0 as usize] {
                        self.statement(inner, &around)?;
                    }
                }
                Some(())
            }
            StatementKind::Assign {
                target: Expression::Variable(variable),
                value,
            } => {
                let each = added(*variable, value)?;
                self.sums.push(Sum {
                    variable: *variable,
                    each,
                    around: around.to_vec(),
                });
                Some(())
            }
            StatementKind::Continue => Some(()),
            StatementKind::Assign { .. }
            | StatementKind::Call { .. }
            | StatementKind::If { .. }
            | StatementKind::While { .. }
            | StatementKind::Select { .. }
            | StatementKind::Scoped { .. }
            | StatementKind::PointerAssignment { .. }
            | StatementKind::Entry
            | StatementKind::Goto { .. }
            | StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::InputOutput(_)
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. }
            | StatementKind::Opaque { .. } => None,
        }
    }

    /// Assignments with the effect of the nest; `None` if its result is not known at its entry.
    fn assignments(
        &self,
        marked: &BTreeSet<StatementId>,
        ambiguous: &BTreeSet<String>,
    ) -> Option<Vec<String>> {
        let model = self.carriers.model;
        let (outermost, inner) = self.loops.split_first()?;
        for id in statement_tree::subtree(model.program, self.outermost).split_off(1) {
            if marked.contains(&id) {
                return None;
            }
        }
        // The final value of an inner counter depends on whether its loop is reached at all.
        for one in inner {
            if self.is_read_outside(one.variable) {
                return None;
            }
        }
        if !self.is_plain() {
            return None;
        }
        let mut results: Vec<(VariableId, Expression)> = Vec::new();
        for sum in &self.sums {
            let old = wide(&Expression::Variable(sum.variable));
            let added = binary(
                Operator::Multiply,
                wide(sum.each.value),
                self.trips_of(sum)?,
            );
            results.push((sum.variable, binary(sum.each.operator, old, added)));
        }
        if self.is_read_outside(outermost.variable) || results.is_empty() {
            let distance = binary(Operator::Multiply, trips(outermost), number(outermost.step));
            let last = binary(Operator::Add, wide(outermost.from), distance);
            results.push((outermost.variable, last));
        }
        let mut lines = Vec::new();
        for (variable, value) in results {
            let target = Expression::Variable(variable);
            let target =
                name_visibility::spell(model.program, &model.outline, &target, self.outermost)?;
            let value =
                name_visibility::spell(model.program, &model.outline, &value, self.outermost)?;
            let line = format!("{target} = {value}");
            if names_any(&line, ambiguous) {
                return None;
            }
            lines.push(line);
        }
        Some(lines)
    }

    /// How often a sum is executed: the product of the trip counts of the loops around it.
    fn trips_of(&self, sum: &Sum) -> Option<Expression> {
        let mut product = None;
        for &number in &sum.around {
            let trips = trips(&self.loops[number]);
            product = match product {
                Some(product) => Some(binary(Operator::Multiply, product, trips)),
                None => Some(trips),
            };
        }
        product
    }

    /// Whether all operands are known at the entry of the nest and constant in it, and all results are whole integers without aliases.
    fn is_plain(&self) -> bool {
        let model = self.carriers.model;
        let (mut counters, mut written) = (Vec::new(), Vec::new());
        for variable in self.variables() {
            let Some(place) = model.locations.of_variable(variable) else {
                return false;
            };
            if !self.is_unaliased_scalar(place) || !self.is_integer(variable) {
                return false;
            }
            written.push(place);
            if counters.len() < self.loops.len() {
                counters.push(place);
            }
        }
        // No counter is also a sum: its value would change during the nest.
        if written[counters.len()..]
            .iter()
            .any(|sum| counters.contains(sum))
        {
            return false;
        }
        let (outermost, inner) = self.loops.split_at(1);
        for bound in outermost.iter().flat_map(Loop::bounds) {
            // The program evaluates these bounds at the same place, so that they need not be speculatable.
            if !self.is_constant_in(bound, &written) || !self.is_inquiry(bound) {
                return false;
            }
        }
        let mut operands: Vec<&Expression> = inner.iter().flat_map(Loop::bounds).collect();
        operands.extend(self.sums.iter().map(|sum| sum.each.value));
        for operand in operands {
            if !self.is_constant_in(operand, &written) || !self.is_harmless(operand) {
                return false;
            }
        }
        true
    }

    /// Whether a nest that writes these locations leaves the value of an expression unchanged.
    fn is_constant_in(&self, value: &Expression, written: &[LocationId]) -> bool {
        for place in read_by(self.carriers.model, value) {
            if written.contains(&place) || !self.is_unaliased(place) {
                return false;
            }
        }
        true
    }

    /// The variables that the nest writes: the counters of its loops, then the sums.
    fn variables(&self) -> impl Iterator<Item = VariableId> {
        let counters = self.loops.iter().map(|one| one.variable);
        counters.chain(self.sums.iter().map(|sum| sum.variable))
    }

    fn is_integer(&self, variable: VariableId) -> bool {
        matches!(
            self.carriers.model.program.variable(variable).of_type,
            Type::Integer(_)
        )
    }

    fn is_unaliased_scalar(&self, place: LocationId) -> bool {
        !self.carriers.model.locations.get(place).is_array && self.is_unaliased(place)
    }

    fn is_unaliased(&self, place: LocationId) -> bool {
        !self.carriers.model.aliased.contains(place.index())
    }

    /// Whether a statement or a probe outside the nest, or a caller, reads a variable.
    fn is_read_outside(&self, variable: VariableId) -> bool {
        let model = self.carriers.model;
        let Some(place) = model.locations.of_variable(variable) else {
            return true;
        };
        let owner = model.program.statement(self.outermost).procedure;
        let is_result = model.program.procedure(owner).result == Some(variable);
        let is_dummy = model.locations.get(place).dummy.is_some();
        // A location that reaching definitions do not follow may be read under another name.
        if is_dummy || is_result || !model.followed[place.index()] || model.is_kept(place) {
            return true;
        }
        let readers = self.readers.get_or_init(|| readers(self.carriers));
        for &id in &readers[place.index()] {
            if !model.outline.is_within(id, self.outermost) {
                return true;
            }
        }
        false
    }

    /// Whether the evaluation of an expression has no side effects.
    fn is_inquiry(&self, expression: &Expression) -> bool {
        for call in references::calls(expression) {
            match call.callee {
                Callee::Intrinsic(name) if loop_carried::is_pure(name) => {}
                _ => return false,
            }
        }
        true
    }

    /// Whether an expression is a speculatable sum or product of integers.
    fn is_harmless(&self, expression: &Expression) -> bool {
        let mut harmless = is_harmless(expression);
        references::walk(expression, &mut |part| {
            harmless &= match part {
                Expression::Variable(variable) => self.is_always_readable_integer(*variable),
                Expression::Literal(_) => false,
                Expression::Integer(_)
                | Expression::Unary { .. }
                | Expression::Binary { .. }
                | Expression::Reference { .. }
                | Expression::Call { .. }
                | Expression::Other(_) => true,
            };
        });
        harmless
    }

    fn is_always_readable_integer(&self, variable: VariableId) -> bool {
        let attributes = &self.carriers.model.program.variable(variable).attributes;
        let may_be_absent = attributes.allocatable || attributes.pointer || attributes.optional;
        !may_be_absent && self.is_integer(variable)
    }
}

/// What `value` adds to a variable.
fn added(variable: VariableId, value: &Expression) -> Option<Each<'_>> {
    let Expression::Binary {
        operator,
        left,
        right,
    } = value
    else {
        return None;
    };
    let is_it = |side: &Expression| matches!(side, Expression::Variable(v) if *v == variable);
    match operator {
        Operator::Add | Operator::Subtract if is_it(left) => Some(Each {
            operator: *operator,
            value: right,
        }),
        Operator::Add if is_it(right) => Some(Each {
            operator: *operator,
            value: left,
        }),
        _ => None,
    }
}

/// How often a loop is run, in 64 bits.
fn trips(one: &Loop) -> Expression {
    // The iteration count of a DO: MAX(INT((to - from + step) / step), 0). The division of integers
    // truncates as INT does.
    let span = binary(Operator::Subtract, wide(one.to), wide(one.from));
    let span = binary(Operator::Add, span, number(one.step));
    let trips = if one.step == 1 {
        span
    } else {
        binary(Operator::Divide, span, number(one.step))
    };
    intrinsic("max", vec![number(0), trips])
}

/// A value in 64 bits.
fn wide(value: &Expression) -> Expression {
    match value {
        Expression::Integer(value) => number(*value),
        value => intrinsic("int", vec![value.clone(), Expression::Integer(8)]),
    }
}

/// A 64-bit literal. A negative one needs parentheses as an operand.
fn number(value: i64) -> Expression {
    match value {
        0.. => Expression::Literal(format!("{value}_8")),
        _ => Expression::Literal(format!("({value}_8)")),
    }
}
