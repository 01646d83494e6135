//! What the iterations of a drain leave together that is the same in any order: sums and products of integers, and
//! elements of arrays, of which each request has its own. What may depend on a request otherwise is in
//! [`crate::nondeterminism::order_independence`].

use crate::dataflow::loop_carried::read_by;
use crate::ir::canonical_text;
use crate::ir::references;
use crate::ir::{Expression, Operator, StatementId, StatementKind, Subscript, Type};
use crate::memory::locations::LocationId;
use crate::nondeterminism::order_independence::Body;

impl Body<'_, '_> {
    /// The sum or product of integers that a statement adds to, if nothing else in the loop has to do with it.
    pub(super) fn gathered(&self, id: StatementId) -> Option<LocationId> {
        let (place, operator) = self.combined(id)?;
        let alike = |other: &StatementId| self.combined(*other) == Some((place, operator));
        let reads = |other: &StatementId| self.readers.read_at(*other).contains(&place);
        let all_alike = self.inside.iter().filter(|other| reads(other)).all(alike);
        (all_alike && self.writers.get(&place)?.iter().all(alike)).then_some(place)
    }

    /// The integer place of `place = place + …` or `place = place * …`, where … does not name it.
    fn combined(&self, id: StatementId) -> Option<(LocationId, Operator)> {
        let program = self.readers.model.program;
        if !self.readers.kept[id.0 as usize] {
            return None;
        }
        let StatementKind::Assign { target, value } = &program.statement(id).kind else {
            return None;
        };
        let Expression::Binary {
            operator,
            left,
            right,
        } = value
        else {
            return None;
        };
        let designated = references::designated(target)?;
        let place = self.readers.model.locations.at(designated)?;
        let is_integer = |e: &Expression| {
            references::named(e)
                .iter()
                .all(|d| is_whole(program.type_of_part(d.base, d.path)))
        };
        let same = |e: &Expression| {
            canonical_text::spell(program, e) == canonical_text::spell(program, target)
        };
        let (operator, added) = match (commuting(*operator)?, same(left), same(right)) {
            (combining, true, false) => (combining, right),
            (combining, false, true) if *operator != Operator::Subtract => (combining, left),
            (_, true | false, true | false) => return None,
        };
        let names = |e: &Expression| read_by(self.readers.model, e).contains(&place);
        let subscripts = references::address(target);
        let is_free = is_integer(target)
            && is_integer(added)
            && holds_integers_only(added)
            && !names(added)
            && !subscripts.into_iter().any(names)
            && self.readers.model.locations.innermost(place) == [place];
        is_free.then_some((place, operator))
    }

    /// Whether a statement assigns to the element of its request, and nobody reads or otherwise writes the array
    /// before the loop has ended.
    pub(super) fn is_spread(&self, id: StatementId) -> bool {
        let Some((place, position)) = self.element(id) else {
            return false;
        };
        let alike = |other: &StatementId| self.element(*other) == Some((place, position));
        self.writers
            .get(&place)
            .is_some_and(|writers| writers.iter().all(alike))
            && !self
                .inside
                .iter()
                .any(|other| self.readers.read_at(*other).contains(&place))
    }

    /// The array and the dimension of `array(…, index, …) = …`.
    fn element(&self, id: StatementId) -> Option<(LocationId, usize)> {
        let model = self.readers.model;
        let StatementKind::Assign { target, .. } = &model.program.statement(id).kind else {
            return None;
        };
        let Expression::Reference {
            subscripts, path, ..
        } = target
        else {
            return None;
        };
        let is_request = |subscript: &Subscript| matches!(subscript, Subscript::Element(e) if self.is_request(id, e));
        let place = model.locations.at(references::designated(target)?)?;
        let position = subscripts.iter().position(is_request)?;
        path.is_empty().then_some((place, position))
    }
}

/// What combines integers in any order: a difference takes from a sum.
fn commuting(operator: Operator) -> Option<Operator> {
    match operator {
        Operator::Add | Operator::Subtract => Some(Operator::Add),
        Operator::Multiply => Some(Operator::Multiply),
        Operator::Divide
        | Operator::Power
        | Operator::Concatenate
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
        | Operator::Plus
        | Operator::Defined => None,
    }
}

fn is_whole(of_type: Type) -> bool {
    matches!(of_type, Type::Integer(_) | Type::Logical(_))
}

/// Whether an expression has no literal but integers, and no function whose value may be another number.
fn holds_integers_only(expression: &Expression) -> bool {
    let mut holds = true;
    references::walk(expression, &mut |part| {
        holds &= match part {
            Expression::Integer(_)
            | Expression::Variable(_)
            | Expression::Reference { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. } => true,
            Expression::Literal(_) | Expression::Call { .. } | Expression::Other(_) => false,
        };
    });
    holds
}
