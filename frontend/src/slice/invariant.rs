//! Invariant loops: loops with communication of which the slice need not run an iteration that is like
//! the one before. What an iteration does is decided by what it reads; if it reads nothing that an
//! iteration writes but its own number, and that only in conditions, the values of these conditions, its
//! *signature*, decide it. An iteration with the signature of the one before it does the same again, and leaves
//! memory as that did: it is skipped and counted. No claim is made of loops whose iterations differ otherwise.

use crate::assumptions::evaluated_assumptions::Asked;
use crate::blocks::block_finder::{Found, What};
use crate::dataflow::loop_carried::{self, LoopCarriedAnalysis, is_pure, read_by};
use crate::effects::model::Model;
use crate::expressions::name_visibility;
use crate::ir::bit_set::BitSet;
use crate::ir::references;
use crate::ir::rules::{Rule, holds};
use crate::ir::statement_tree;
use crate::ir::{
    Callee, Expression, Operator, ProcedureId, StatementId, StatementKind, Subscript, VariableId,
};
use crate::memory::locations::LocationId;
use crate::work::work_terms::names_any;
use std::collections::{BTreeMap, BTreeSet};

/// The loops of `found` that are invariant, with their signatures as logical expressions of the source
/// language, valid at the top of an iteration. No signature names one of the `ambiguous` names.
pub(crate) fn find(
    carriers: &mut LoopCarriedAnalysis,
    found: &[Found],
    ambiguous: &BTreeSet<String>,
) -> BTreeMap<StatementId, Vec<String>> {
    let mut invariant = BTreeMap::new();
    for found in found {
        let What::Loop(repeat) = found.what else {
            continue;
        };
        let model = carriers.model;
        let stays = carriers.kept[repeat.0 as usize] && !carriers.fickle.contains(&repeat);
        let is_whole = model.program.procedure(found.procedure).is_whole;
        if stays && !is_whole && can_be_skipped(model, repeat, carriers.kept) {
            let signature = signature(carriers, repeat, ambiguous);
            invariant.extend(signature.map(|signature| (repeat, signature)));
        }
    }
    invariant
}

/// Whether an iteration can be left at its top, and the loop only in ways that its end sees: no kept jump goes
/// beyond it, and its last statement is not one that a jump to its label would skip.
fn can_be_skipped(model: &Model, repeat: StatementId, kept: &[bool]) -> bool {
    let program = model.program;
    let StatementKind::Do { body, terminal, .. } = &program.statement(repeat).kind else {
        return false;
    };
    let ends_plainly = terminal.is_none()
        || body
            .last()
            .is_some_and(|last| matches!(program.statement(*last).kind, StatementKind::Continue));
    let inside = statement_tree::subtree(program, repeat).split_off(1);
    let labels: BTreeSet<u32> = inside
        .iter()
        .filter_map(|&id| program.statement(id).label)
        .collect();
    let leaves = |id: StatementId| {
        let kind = &program.statement(id).kind;
        let is_goto = matches!(kind, StatementKind::Goto { .. });
        let mut jumps = kind.jump_labels().iter();
        model.outline.leaves(kind, repeat)
            || kind.has_alternate_return()
            || jumps.any(|label| !is_goto || !labels.contains(label))
    };
    ends_plainly
        && !inside
            .into_iter()
            .any(|id| kept[id.0 as usize] && leaves(id))
}

/// The conditions that decide what an iteration does; `None` if more does.
fn signature(
    carriers: &mut LoopCarriedAnalysis,
    repeat: StatementId,
    ambiguous: &BTreeSet<String>,
) -> Option<Vec<String>> {
    let body = carriers.of_body(repeat);
    let model = carriers.model;
    let counter = statement_tree::do_variable(&model.program.statement(repeat).kind)?;
    let count = model.locations.of_variable(counter)?.index();
    let carried: Vec<usize> = body
        .exposed
        .iter()
        .filter(|&n| body.writes.contains(n))
        .collect();
    let carries = carried.iter().any(|&number| number != count) && holds(Rule::IterationsCarry);
    if body.differs || carries {
        return None;
    }
    if !carried.contains(&count) || !holds(Rule::NumbersDiffer) {
        return Some(Vec::new());
    }
    let top = Top {
        carriers,
        repeat,
        counter,
        writes: &body.writes,
    };
    let mut conditions: Vec<String> = Vec::new();
    for condition in top.conditions()? {
        let text = name_visibility::spell(model, condition, repeat)?;
        if names_any(&format!("merge {text}"), ambiguous) {
            return None;
        }
        if !conditions.contains(&text) {
            conditions.push(text);
        }
    }
    Some(conditions)
}

/// The top of an iteration, where its signature is evaluated.
struct Top<'a, 'b> {
    carriers: &'b LoopCarriedAnalysis<'a>,
    repeat: StatementId,
    counter: VariableId,
    /// What an iteration may write.
    writes: &'b BitSet,
}

impl<'a> Top<'a, '_> {
    /// All that reads the number of the iteration, if only conditions do that could be evaluated at its
    /// top.
    fn conditions(&self) -> Option<Vec<&'a Expression>> {
        let model = self.carriers.model;
        let mut conditions = Vec::new();
        for id in statement_tree::subtree(model.program, self.repeat).split_off(1) {
            if self.probe_reads_counter(id) {
                return None;
            }
            if !self.carriers.kept[id.0 as usize] || !self.reads_counter(id) {
                continue;
            }
            let StatementKind::If { branches, .. } = &model.program.statement(id).kind else {
                return None;
            };
            for (number, (condition, _)) in branches.iter().enumerate() {
                match self.carriers.control.assumed[id.0 as usize].asked(number) {
                    Asked::Not => continue,
                    // What its functions do may depend on the number.
                    Asked::ForCalls => return None,
                    // It is not what the source spells.
                    Asked::ForPart => return None,
                    Asked::ForValue => {}
                }
                let always = number == 0 && self.always_reached(id);
                if references::variables(condition)
                    .iter()
                    .any(|&v| self.is_counter(v))
                {
                    conditions.push(Some(condition).filter(|c| self.is_valid_here(c, always))?);
                }
            }
        }
        Some(conditions)
    }

    fn is_counter(&self, variable: VariableId) -> bool {
        let place = |variable| self.carriers.model.locations.of_variable(variable);
        place(variable) == place(self.counter)
    }

    /// Whether a probe before a statement reads the number.
    fn probe_reads_counter(&self, id: StatementId) -> bool {
        let count = self.carriers.model.locations.of_variable(self.counter);
        self.carriers
            .probed
            .get(&id)
            .is_some_and(|read| read.iter().any(|&place| Some(place) == count))
    }

    /// Whether a statement reads the number, itself or by what it calls.
    fn reads_counter(&self, id: StatementId) -> bool {
        let model = self.carriers.model;
        let Some(count) = model.locations.of_variable(self.counter) else {
            return true;
        };
        let effects = self.carriers.control.effects(model, id);
        let passed = effects
            .calls
            .iter()
            .flat_map(|call| loop_carried::passed(model, call));
        let direct =
            |target: ProcedureId| model.effects.summaries.get(target).reads.contains(count);
        effects
            .uses
            .iter()
            .copied()
            .chain(passed)
            .any(|used| used == count)
            || effects.calls.iter().any(|call| direct(call.target))
    }

    /// Whether control always comes by a statement of the body: it stands in it itself, and nothing kept jumps.
    fn always_reached(&self, id: StatementId) -> bool {
        let model = self.carriers.model;
        let inside = statement_tree::subtree(model.program, self.repeat).split_off(1);
        let jumps = |id: &StatementId| {
            let kind = &model.program.statement(*id).kind;
            let leaves = matches!(kind, StatementKind::Exit(_) | StatementKind::Cycle(_));
            self.carriers.kept[id.0 as usize]
                && (leaves || matches!(kind, StatementKind::Goto { .. }))
        };
        model.outline.parent[id.0 as usize] == Some(self.repeat) && !inside.iter().any(jumps)
    }

    /// Whether a variable can be read wherever it is known.
    fn is_visible(&self, variable: VariableId) -> bool {
        let attributes = &self.carriers.model.program.variable(variable).attributes;
        !(attributes.allocatable || attributes.pointer || attributes.optional)
    }

    /// Whether a condition has the same value at the top of the iteration, and can be evaluated there:
    /// everywhere, or because it will be anyway (`always`).
    fn is_valid_here(&self, condition: &Expression, always: bool) -> bool {
        let model = self.carriers.model;
        let count = model.locations.of_variable(self.counter);
        let stays =
            |place: LocationId| Some(place) == count || !self.writes.contains(place.index());
        let mut holds = read_by(model, condition).into_iter().all(stays);
        references::walk(condition, &mut |part| {
            holds &= match part {
                Expression::Integer(_) | Expression::Literal(_) | Expression::Unary { .. } => true,
                Expression::Variable(variable) => always || self.is_visible(*variable),
                Expression::Binary { operator, .. } => match operator {
                    Operator::Divide | Operator::Power => always,
                    Operator::Defined | Operator::Concatenate => false,
                    Operator::Add
                    | Operator::Subtract
                    | Operator::Multiply
                    | Operator::Equal
                    | Operator::NotEqual
                    | Operator::Less
                    | Operator::LessEqual
                    | Operator::Greater
                    | Operator::GreaterEqual
                    | Operator::And
                    | Operator::Or
                    | Operator::Not
                    | Operator::Equivalent
                    | Operator::NotEquivalent
                    | Operator::Negate
                    | Operator::Plus => true,
                },
                Expression::Call {
                    callee: Callee::Intrinsic(name),
                    ..
                } => always && is_pure(name),
                Expression::Reference { subscripts, .. } => {
                    always
                        && subscripts
                            .iter()
                            .all(|s| matches!(s, Subscript::Element(_)))
                }
                Expression::Call { .. } | Expression::Other(_) => false,
            };
        });
        holds
    }
}
