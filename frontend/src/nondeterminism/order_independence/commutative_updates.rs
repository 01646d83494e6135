//! Commutative updates in a completion loop: sums and products of integers, and arrays of which each request writes its
//! own element. Their final values are the same in any order. Other dependences on the request are in
//! [`crate::nondeterminism::order_independence`].

use crate::dataflow::loop_carried::read_by;
use crate::ir::canonical_text;
use crate::ir::references;
use crate::ir::{Expression, Operator, StatementId, StatementKind, Subscript, Type};
use crate::memory::location_id::LocationId;
use crate::nondeterminism::order_independence::Body;

impl Body<'_, '_> {
    /// The integer location that a statement updates by a sum or product, if the loop accesses it in no other way.
    pub(super) fn commutative_update(&self, id: StatementId) -> Option<LocationId> {
        let (location, operator) = self.integer_update(id)?;
        // Additions and multiplications of one location do not commute with each other.
        let is_same_update =
            |other: &StatementId| self.integer_update(*other) == Some((location, operator));
        for other in &self.inside {
            if self.readers.read_at(*other).contains(&location) && !is_same_update(other) {
                return None;
            }
        }
        if self.writers.get(&location)?.iter().all(is_same_update) {
            Some(location)
        } else {
            None
        }
    }

    /// The integer location of `x = x + e` or `x = x * e`, where `e` does not read `x`.
    fn integer_update(&self, id: StatementId) -> Option<(LocationId, Operator)> {
        let model = self.readers.model;
        let program = model.program;
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
        let location = model.locations.at(references::designated(target)?)?;
        if model.locations.innermost(location) != [location] {
            return None;
        }
        let target_text = canonical_text::spell(program, target);
        let is_target_left = canonical_text::spell(program, left) == target_text;
        let is_target_right = canonical_text::spell(program, right) == target_text;
        let combining = commuting(*operator)?;
        let operand = match (is_target_left, is_target_right) {
            (true, false) => right,
            (false, true) if *operator != Operator::Subtract => left,
            (_, _) => return None,
        };
        // Sums of floating-point numbers depend on the order.
        if !self.is_integer(target) || !self.is_integer(operand) || !is_integer_only(operand) {
            return None;
        }
        let mut reads_target = read_by(model, operand).contains(&location);
        for subscript in references::address(target) {
            reads_target |= read_by(model, subscript).contains(&location);
        }
        if reads_target {
            return None;
        }
        Some((location, combining))
    }

    /// Whether all objects that an expression names are integers or logicals.
    fn is_integer(&self, expression: &Expression) -> bool {
        let program = self.readers.model.program;
        for object in references::named(expression) {
            let of_type = program.type_of_part(object.base, object.path);
            if !matches!(of_type, Type::Integer(_) | Type::Logical(_)) {
                return false;
            }
        }
        true
    }

    /// Whether a statement assigns to the array element of its request, and no other statement of the loop reads or
    /// otherwise writes the array.
    pub(super) fn writes_own_element(&self, id: StatementId) -> bool {
        let Some(element) = self.request_element(id) else {
            return false;
        };
        let (array, _) = element;
        let Some(writers) = self.writers.get(&array) else {
            return false;
        };
        for &other in &self.inside {
            if self.readers.read_at(other).contains(&array) {
                return false;
            }
        }
        writers
            .iter()
            .all(|&other| self.request_element(other) == Some(element))
    }

    /// The array and the dimension of `array(…, index, …) = …`.
    fn request_element(&self, id: StatementId) -> Option<(LocationId, usize)> {
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
        if !path.is_empty() {
            return None;
        }
        let location = model.locations.at(references::designated(target)?)?;
        for (dimension, subscript) in subscripts.iter().enumerate() {
            if let Subscript::Element(index) = subscript
                && self.is_request(id, index)
            {
                return Some((location, dimension));
            }
        }
        None
    }
}

/// The commutative operator by which an operator combines integers; a subtraction adds the negated operand.
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

/// Whether an expression contains integer literals only, and no function, whose result may have another type.
fn is_integer_only(expression: &Expression) -> bool {
    let mut integers_only = true;
    references::walk(expression, &mut |part| {
        integers_only &= match part {
            Expression::Integer(_)
            | Expression::Variable(_)
            | Expression::Reference { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. } => true,
            Expression::Literal(_) | Expression::Call { .. } | Expression::Other(_) => false,
        };
    });
    integers_only
}
