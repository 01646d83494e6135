//! Invariant loops: loops with communication of which the slice records an iteration once and counts its repetitions. If the
//! only loop-carried dependence of an iteration is its own number, and only conditions read that, then the values of these
//! conditions, the iteration's *signature*, determine the iteration. One with the signature of its predecessor does the same and
//! leaves the same memory, so it is skipped. Nothing is claimed of other loops.

use crate::blocks::block_finder::{ElementKind, ProgramElement};
use crate::dataflow::loop_carried::{self, LoopCarriedAnalysis, is_pure, read_by};
use crate::effects::model::Model;
use crate::expressions::name_visibility;
use crate::expressions::name_visibility::names_any;
use crate::graphs::assumed_outcomes::Asked;
use crate::ir::bit_set::BitSet;
use crate::ir::references;
use crate::ir::rules::{Rule, holds};
use crate::ir::statement_tree;
use crate::ir::{Callee, Expression, Operator, StatementId, StatementKind, Subscript, VariableId};
use std::collections::{BTreeMap, BTreeSet};

/// The invariant loops of `found`, with their signatures as logical expressions of the source language, valid at the top of an
/// iteration. No signature contains an `ambiguous` name.
pub(crate) fn find(
    carriers: &mut LoopCarriedAnalysis,
    found: &[ProgramElement],
    ambiguous: &BTreeSet<String>,
) -> BTreeMap<StatementId, Vec<String>> {
    let mut invariant = BTreeMap::new();
    for found in found {
        let ElementKind::Loop(repeat) = found.kind else {
            continue;
        };
        let model = carriers.model;
        let stays = carriers.kept[repeat.0 as usize] && !carriers.unrepeatable.contains(&repeat);
        let is_opaque = model.program.procedure(found.procedure).is_whole;
        if !stays || is_opaque || !can_be_skipped(model, repeat, carriers.kept) {
            continue;
        }
        if let Some(signature) = signature(carriers, repeat, ambiguous) {
            invariant.insert(repeat, signature);
        }
    }
    invariant
}

/// Whether an iteration can be skipped at its top: no kept jump leaves the loop, and its last statement is not one that a jump
/// to its label would skip.
fn can_be_skipped(model: &Model, repeat: StatementId, kept: &[bool]) -> bool {
    let program = model.program;
    let StatementKind::Do { body, terminal, .. } = &program.statement(repeat).kind else {
        return false;
    };
    if terminal.is_some() {
        // A labelled DO that ends with another statement than CONTINUE executes it in each iteration.
        let Some(&last) = body.last() else {
            return false;
        };
        if !matches!(program.statement(last).kind, StatementKind::Continue) {
            return false;
        }
    }
    let inside = statement_tree::subtree(program, repeat).split_off(1);
    let mut labels = BTreeSet::new();
    for &id in &inside {
        labels.extend(program.statement(id).label);
    }
    for id in inside {
        if kept[id.0 as usize] && leaves(model, id, repeat, &labels) {
            return false;
        }
    }
    true
}

/// Whether a statement may leave a loop that contains these labels otherwise than by ending its iterations.
fn leaves(model: &Model, id: StatementId, repeat: StatementId, labels: &BTreeSet<u32>) -> bool {
    let kind = &model.program.statement(id).kind;
    if model.outline.leaves(kind, repeat) || kind.has_alternate_return() {
        return true;
    }
    let is_goto = matches!(kind, StatementKind::Goto { .. });
    for label in kind.jump_labels() {
        if !is_goto || !labels.contains(label) {
            return true;
        }
    }
    false
}

/// The conditions that determine an iteration; `None` if more does.
fn signature(
    carriers: &mut LoopCarriedAnalysis,
    repeat: StatementId,
    ambiguous: &BTreeSet<String>,
) -> Option<Vec<String>> {
    let body = carriers.of_body(repeat);
    let model = carriers.model;
    let counter = statement_tree::do_variable(&model.program.statement(repeat).kind)?;
    let count = model.locations.of_variable(counter)?.index();
    // A loop-carried dependence: the body reads the location before it writes it.
    let (mut counter_is_carried, mut others_are_carried) = (false, false);
    for place in body.exposed.iter() {
        if body.writes.contains(place) {
            if place == count {
                counter_is_carried = true;
            } else {
                others_are_carried = true;
            }
        }
    }
    // If nothing but the counter is carried, every iteration reads the same values apart from it.
    // One that evaluates its conditions alike then does the same and leaves the same memory.
    if body.differs || (others_are_carried && holds(Rule::IterationsCarry)) {
        return None;
    }
    if !counter_is_carried || !holds(Rule::NumbersDiffer) {
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
        let text = name_visibility::spell(model.program, &model.outline, condition, repeat)?;
        // The probe merges the condition into a number, so its text includes that name.
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
    /// All conditions that read the number of the iteration; `None` if anything else reads it, or one of them cannot be
    /// evaluated at the top of the iteration.
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
                    // The side effects of its functions may depend on the number.
                    Asked::ForCalls => return None,
                    // The slice evaluates another condition than the source contains.
                    Asked::ForPart => return None,
                    Asked::ForValue => {}
                }
                if !self.names_counter(condition) {
                    continue;
                }
                let always = number == 0 && self.always_reached(id);
                if !self.is_valid_here(condition, always) {
                    return None;
                }
                conditions.push(condition);
            }
        }
        Some(conditions)
    }

    fn names_counter(&self, condition: &Expression) -> bool {
        let variables = references::variables(condition);
        variables.into_iter().any(|id| self.is_counter(id))
    }

    fn is_counter(&self, variable: VariableId) -> bool {
        // By location, since EQUIVALENCE may give the counter another name.
        let locations = &self.carriers.model.locations;
        locations.of_variable(variable) == locations.of_variable(self.counter)
    }

    /// Whether a probe before a statement reads the number.
    fn probe_reads_counter(&self, id: StatementId) -> bool {
        let Some(count) = self.carriers.model.locations.of_variable(self.counter) else {
            return false;
        };
        match self.carriers.probed.get(&id) {
            Some(read) => read.contains(&count),
            None => false,
        }
    }

    /// Whether a statement reads the number, itself or in a procedure that it calls.
    fn reads_counter(&self, id: StatementId) -> bool {
        let model = self.carriers.model;
        let Some(count) = model.locations.of_variable(self.counter) else {
            return true;
        };
        let effects = self.carriers.control.effects(model, id);
        let is_kept = effects.touches_globals && model.is_kept(count);
        if is_kept || effects.uses.contains(&count) {
            return true;
        }
        for call in &effects.calls {
            let summary = model.effects.summaries.get(call.target);
            if summary.reads.contains(count)
                || loop_carried::passed(model, call).any(|place| place == count)
            {
                return true;
            }
        }
        false
    }

    /// Whether every iteration reaches a statement: it stands in the loop's body itself, and no kept statement jumps.
    fn always_reached(&self, id: StatementId) -> bool {
        let model = self.carriers.model;
        if model.outline.parent[id.0 as usize] != Some(self.repeat) {
            return false;
        }
        for inner in statement_tree::subtree(model.program, self.repeat).split_off(1) {
            let jumps = matches!(
                model.program.statement(inner).kind,
                StatementKind::Exit(_) | StatementKind::Cycle(_) | StatementKind::Goto { .. }
            );
            if jumps && self.carriers.kept[inner.0 as usize] {
                return false;
            }
        }
        true
    }

    /// Whether a variable can be read wherever its name is visible.
    fn is_visible(&self, variable: VariableId) -> bool {
        let attributes = &self.carriers.model.program.variable(variable).attributes;
        !(attributes.allocatable || attributes.pointer || attributes.optional)
    }

    /// Whether a condition has the same value at the top of the iteration, and can be evaluated there: it is speculatable, or is
    /// evaluated in every iteration anyway (`always`).
    fn is_valid_here(&self, condition: &Expression, always: bool) -> bool {
        let model = self.carriers.model;
        let count = model.locations.of_variable(self.counter);
        for place in read_by(model, condition) {
            if Some(place) != count && self.writes.contains(place.index()) {
                return false;
            }
        }
        let mut is_valid = true;
        references::walk(condition, &mut |part| {
            is_valid &= self.is_valid_part(part, always)
        });
        is_valid
    }

    /// The same of one node of a condition.
    fn is_valid_part(&self, part: &Expression, always: bool) -> bool {
        match part {
            Expression::Integer(_) | Expression::Literal(_) | Expression::Unary { .. } => true,
            Expression::Variable(variable) => always || self.is_visible(*variable),
            Expression::Binary { operator, .. } => match operator {
                // May trap where the program would not evaluate it.
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
                let is_element = |one: &Subscript| matches!(one, Subscript::Element(_));
                always && subscripts.iter().all(is_element)
            }
            Expression::Call { .. } | Expression::Other(_) => false,
        }
    }
}
