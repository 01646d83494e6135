//! Loops of the slice in which nothing stays but counting: `n = n + 1` in nests of counted loops, as those have
//! that count the length of a message while they pack it. What such a nest leaves is written down in closed form,
//! so that the probe does not step through it. Exact: trips are counted in 64 bits, none where a loop makes none.

use crate::dataflow::loop_carried::{LoopCarriedAnalysis, read_by};
use crate::expressions::name_visibility;
use crate::expressions::speculatable::is_harmless;
use crate::ir::iterations::{binary, intrinsic};
use crate::ir::references;
use crate::ir::statement_tree;
use crate::ir::{Callee, Expression, Operator, StatementId, StatementKind, Type, VariableId};
use crate::memory::locations::LocationId;
use crate::work::work_terms::names_any;
use std::collections::{BTreeMap, BTreeSet};

/// The nests of the slice that only count, each by its outermost loop, with assignments that do the same.
/// None of these names one of the `ambiguous` names; nests that hold one of `marked` stay.
pub(crate) fn find(
    carriers: &LoopCarriedAnalysis,
    marked: &BTreeSet<StatementId>,
    ambiguous: &BTreeSet<String>,
) -> BTreeMap<StatementId, Vec<String>> {
    let model = carriers.model;
    let mut found: BTreeMap<StatementId, Vec<String>> = BTreeMap::new();
    for id in model.outline.all() {
        let inside = model
            .outline
            .ancestors(id)
            .any(|above| found.contains_key(&above));
        let is_loop = matches!(model.program.statement(id).kind, StatementKind::Do { .. });
        let is_whole = model
            .program
            .procedure(model.program.statement(id).procedure)
            .is_whole;
        if is_loop && !inside && !is_whole && carriers.kept[id.0 as usize] {
            let counted =
                Nest::of(carriers, id).and_then(|nest| nest.assignments(marked, ambiguous));
            found.extend(counted.map(|lines| (id, lines)));
        }
    }
    found
}

/// A nest of loops that only count.
struct Nest<'a, 'b> {
    carriers: &'b LoopCarriedAnalysis<'a>,
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
    fn of(carriers: &'b LoopCarriedAnalysis<'a>, outermost: StatementId) -> Option<Self> {
        let mut nest = Nest {
            carriers,
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
                    Some(step) => crate::ir::constant_values::constant(model.program, step)
                        .filter(|&s| s != 0)?,
                };
                let around = [around, &[self.loops.len()]].concat();
                self.loops.push(Loop {
                    variable: *variable,
                    from,
                    to,
                    step,
                });
                let kept = body.iter().filter(|id| self.carriers.kept[id.0 as usize]);
                kept.copied()
                    .try_for_each(|inner| self.statement(inner, &around))
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

    /// What the nest leaves, if that can be said before it.
    fn assignments(
        &self,
        marked: &BTreeSet<StatementId>,
        ambiguous: &BTreeSet<String>,
    ) -> Option<Vec<String>> {
        let model = self.carriers.model;
        let inside = statement_tree::subtree(model.program, self.outermost).split_off(1);
        let first = self.loops.first()?;
        let inner_matter = self.loops[1..]
            .iter()
            .any(|inner| self.is_read_outside(inner.variable));
        if inside.iter().any(|id| marked.contains(id)) || inner_matter || !self.is_plain() {
            return None;
        }
        let mut lines: Vec<(VariableId, Expression)> = Vec::new();
        for sum in &self.sums {
            let trips = sum.around.iter().map(|&number| trips(&self.loops[number]));
            let trips = trips.reduce(|outer, inner| binary(Operator::Multiply, outer, inner))?;
            let each = binary(Operator::Multiply, wide(sum.each.value), trips);
            lines.push((
                sum.variable,
                binary(
                    sum.each.operator,
                    wide(&Expression::Variable(sum.variable)),
                    each,
                ),
            ));
        }
        if self.is_read_outside(first.variable) || lines.is_empty() {
            let way = binary(Operator::Multiply, trips(first), number(first.step));
            lines.push((first.variable, binary(Operator::Add, wide(first.from), way)));
        }
        let spelled = lines.into_iter().map(|(variable, value)| {
            let spell = |expression| name_visibility::spell(model, expression, self.outermost);
            let line = format!(
                "{} = {}",
                spell(&Expression::Variable(variable))?,
                spell(&value)?
            );
            (!names_any(&line, ambiguous)).then_some(line)
        });
        spelled.collect()
    }

    /// Whether what it reads is there before it and stays the same in it, and what it writes are whole integers that
    /// have no other names.
    fn is_plain(&self) -> bool {
        let model = self.carriers.model;
        let place = |variable| model.locations.of_variable(variable);
        let counters: Vec<_> = self.loops.iter().map(|one| place(one.variable)).collect();
        let sums = self.sums.iter().map(|sum| place(sum.variable));
        let Some(written) = counters
            .iter()
            .copied()
            .chain(sums.clone())
            .collect::<Option<Vec<_>>>()
        else {
            return false;
        };
        let stays = |value: &Expression| {
            let mut read = read_by(model, value).into_iter();
            read.all(|place| !written.contains(&place) && self.has_one_name(place))
        };
        let (outer, inner) = self.loops.split_at(1);
        let mut outer = outer.iter().flat_map(|one| [one.from, one.to]);
        let inner = inner.iter().flat_map(|one| [one.from, one.to]);
        let each = self.sums.iter().map(|sum| sum.each.value);
        written.iter().all(|&place| self.is_alone(place))
            && !sums.into_iter().any(|sum| counters.contains(&sum))
            && self.variables().all(|variable| self.is_integer(variable))
            && outer.all(|bound| stays(bound) && self.is_inquiry(bound))
            && inner
                .chain(each)
                .all(|value| stays(value) && self.is_harmless(value))
    }

    /// What it writes.
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

    fn is_alone(&self, place: LocationId) -> bool {
        !self.carriers.model.locations.get(place).is_array && self.has_one_name(place)
    }

    fn has_one_name(&self, place: LocationId) -> bool {
        !self.carriers.model.aliased.contains(place.index())
    }

    /// Whether a statement or a probe outside the nest, or a caller, reads a variable.
    fn is_read_outside(&self, variable: VariableId) -> bool {
        let model = self.carriers.model;
        let Some(place) = model.locations.of_variable(variable) else {
            return true;
        };
        let elsewhere = |id: &StatementId| !model.outline.is_within(*id, self.outermost);
        let reads = |id: StatementId| {
            let probed = self
                .carriers
                .probed
                .get(&id)
                .is_some_and(|read| read.contains(&place));
            let kept = self.carriers.kept[id.0 as usize];
            let effects = self.carriers.control.effects(model, id);
            let sent = effects.sends.iter().any(|(_, sent)| *sent == place);
            let passed = effects
                .calls
                .iter()
                .any(|call| crate::dataflow::loop_carried::passed(model, call).any(|p| p == place));
            probed || (kept && (effects.uses.contains(&place) || sent || passed))
        };
        let owner = model
            .program
            .procedure(model.program.statement(self.outermost).procedure);
        let goes_out = model.locations.get(place).dummy.is_some() || owner.result == Some(variable);
        goes_out
            || !model.followed[place.index()]
            || model.outline.all().filter(elsewhere).any(reads)
    }

    /// Whether an expression that is evaluated anyway only answers.
    fn is_inquiry(&self, expression: &Expression) -> bool {
        let calls = references::calls(expression);
        calls
            .iter()
            .all(|call| matches!(call.callee, Callee::Intrinsic(name) if crate::dataflow::loop_carried::is_pure(name)))
    }

    /// Whether it is a sum or product of integers that can be evaluated even where the program would not.
    fn is_harmless(&self, expression: &Expression) -> bool {
        let program = self.carriers.model.program;
        let mut harmless = is_harmless(expression);
        references::walk(expression, &mut |part| {
            harmless &= match part {
                Expression::Variable(variable) => {
                    let attributes = &program.variable(*variable).attributes;
                    let may_lack =
                        attributes.allocatable || attributes.pointer || attributes.optional;
                    !may_lack && self.is_integer(*variable)
                }
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

fn number(value: i64) -> Expression {
    match value {
        0.. => Expression::Literal(format!("{value}_8")),
        _ => Expression::Literal(format!("({value}_8)")),
    }
}
