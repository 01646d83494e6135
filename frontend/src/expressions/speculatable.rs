//! Speculatable expressions: they can be evaluated anywhere, also where the program does not evaluate them,
//! because the condition that guards them in the program may not be part of the slice. They consist of
//! scalar integers and logicals that always exist, and of operations that are defined for all values.
//! Whether their variables are defined is not decided here.

use crate::fortran::{mpi_constant_functions, spell};
use crate::ir::array_inquiries::{self, Inquiry};
use crate::ir::constant_values;
use crate::ir::expression_builders::{binary, intrinsic};
use crate::ir::references;
use crate::ir::sums;
use crate::ir::{
    Callee, Component, Expression, Operator, Program, Storage, Subscript, Type, Variable,
    VariableId,
};

/// Type of the value of a speculatable expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScalarType {
    Integer,
    Logical,
}

/// Whether it is a speculatable condition.
pub(crate) fn is_condition(program: &Program, expression: &Expression) -> bool {
    scalar_type(program, expression) == Some(ScalarType::Logical)
}

/// Whether it is a speculatable integer.
pub(crate) fn is_integer(program: &Program, expression: &Expression) -> bool {
    scalar_type(program, expression) == Some(ScalarType::Integer)
}

/// A condition, or a count under one, can be evaluated even where the program would not.
pub(crate) fn is_harmless(expression: &Expression) -> bool {
    let mut harmless = true;
    references::walk(expression, &mut |part| {
        harmless &= match part {
            Expression::Integer(_)
            | Expression::Literal(_)
            | Expression::Variable(_)
            | Expression::Unary { .. } => true,
            Expression::Binary { operator, .. } => !matches!(
                operator,
                Operator::Divide | Operator::Power | Operator::Defined
            ),
            Expression::Call { callee, .. } => is_mpi_constant(callee),
            Expression::Reference { .. } | Expression::Other(_) => false,
        };
    });
    harmless
}

/// Whether a callee only returns the value of an MPI constant.
fn is_mpi_constant(callee: &Callee) -> bool {
    let Callee::Intrinsic(name) = callee else {
        return false;
    };
    mpi_constant_functions().any(|function| function == name)
}

/// Size of an integer of the default kind.
const DEFAULT_BYTES: u8 = 4;

/// Intrinsic functions that are defined for all arguments.
const TOTAL_INTRINSICS: [&str; 10] = [
    "abs", "iabs", "iand", "ieor", "ior", "max", "max0", "merge", "min", "min0",
];

/// Bitwise operations on two integers.
const BITWISE_INTRINSICS: [&str; 3] = ["iand", "ieor", "ior"];

/// An integer, [`guarded`], that can be evaluated wherever `other` can, and has the same value where the
/// program evaluates it.
pub(crate) fn integer_beside(
    program: &Program,
    expression: &Expression,
    other: &Expression,
) -> Option<Expression> {
    if !is_integer_beside(program, expression, other) {
        return None;
    }
    Some(with_safe_divisors(program, expression))
}

/// A speculatable integer that has the same value where the program evaluates it: nothing in it divides
/// by 0.
pub(crate) fn speculatable_integer(
    program: &Program,
    expression: &Expression,
) -> Option<Expression> {
    safe_if(program, expression, is_integer)
}

/// A speculatable condition that has the same value where the program evaluates it.
pub(crate) fn speculatable_condition(
    program: &Program,
    expression: &Expression,
) -> Option<Expression> {
    safe_if(program, expression, is_condition)
}

/// An expression in which nothing divides by 0, if it then is speculatable.
fn safe_if(
    program: &Program,
    expression: &Expression,
    is_speculatable: fn(&Program, &Expression) -> bool,
) -> Option<Expression> {
    let safe = with_safe_divisors(program, expression);
    if !is_speculatable(program, &safe) {
        return None;
    }
    Some(safe)
}

/// Whether it divides by a constant 0, which compilers reject.
pub(crate) fn divides_by_zero(program: &Program, expression: &Expression) -> bool {
    let mut found = false;
    references::walk(expression, &mut |part| {
        if let Some(divisor) = divisor(part) {
            found |= constant_values::constant(program, divisor) == Some(0);
        }
    });
    found
}

/// The divisor of a quotient or remainder.
fn divisor(expression: &Expression) -> Option<&Expression> {
    match expression {
        Expression::Binary {
            operator: Operator::Divide,
            right,
            ..
        } => Some(right),
        _ => {
            let [_, divisor] = remainder_arguments(expression)?;
            Some(divisor)
        }
    }
}

/// The expression with each array inquiry as 0 where the array may not be allocated.
pub(crate) fn guarded(program: &Program, expression: &Expression) -> Expression {
    let part = |part: &Expression| guarded(program, part);
    match expression {
        Expression::Call { .. } if array_inquiries::is_guarded(expression) => expression.clone(),
        Expression::Call { .. } if let Some(inquiry) = array_inquiries::inquiry(expression) => {
            let is_sure =
                is_speculatable_inquiry(program, &inquiry) || !is_allocatable(program, &inquiry);
            if is_sure {
                expression.clone()
            } else {
                array_inquiries::guarded(&inquiry)
            }
        }
        Expression::Call { callee, arguments } => Expression::Call {
            callee: callee.clone(),
            arguments: arguments.iter().map(part).collect(),
        },
        Expression::Binary {
            operator,
            left,
            right,
        } => binary(*operator, part(left), part(right)),
        Expression::Unary { operator, operand } => Expression::Unary {
            operator: *operator,
            operand: Box::new(part(operand)),
        },
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Variable(_)
        | Expression::Reference { .. }
        | Expression::Other(_) => expression.clone(),
    }
}

/// `a/b` as `a/(b + merge(1, 0, b == 0))`, and so with remainders.
fn with_safe_divisors(program: &Program, expression: &Expression) -> Expression {
    let safe = |part: &Expression| with_safe_divisors(program, part);
    match expression {
        Expression::Binary {
            operator: Operator::Divide,
            left,
            right,
        } => binary(Operator::Divide, safe(left), safe_divisor(program, right)),
        Expression::Call { callee, arguments }
            if let Some([number, divisor]) = remainder_arguments(expression) =>
        {
            let arguments = vec![safe(number), safe_divisor(program, divisor)];
            Expression::Call {
                callee: callee.clone(),
                arguments,
            }
        }
        Expression::Binary {
            operator,
            left,
            right,
        } => binary(*operator, safe(left), safe(right)),
        Expression::Unary { operator, operand } => Expression::Unary {
            operator: *operator,
            operand: Box::new(safe(operand)),
        },
        Expression::Call { callee, arguments } => Expression::Call {
            callee: callee.clone(),
            arguments: arguments.iter().map(safe).collect(),
        },
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Variable(_)
        | Expression::Reference { .. }
        | Expression::Other(_) => expression.clone(),
    }
}

/// The divisor, but 1 where it is 0.
fn safe_divisor(program: &Program, divisor: &Expression) -> Expression {
    let safe = with_safe_divisors(program, divisor);
    if constant_values::constant(program, divisor).is_some() || is_safe_divisor(program, divisor) {
        return safe;
    }
    let is_zero = binary(Operator::Equal, safe.clone(), Expression::Integer(0));
    let arguments = vec![Expression::Integer(1), Expression::Integer(0), is_zero];
    binary(Operator::Add, safe, intrinsic("merge", arguments))
}

/// A step that is 1 where the program's is 0. A loop that is entered has no step of 0 (F2018 11.1.7.4.1).
pub(crate) fn never_zero(program: &Program, step: &Expression) -> Expression {
    safe_divisor(program, step)
}

/// The number and the divisor of MOD or MODULO.
fn remainder_arguments(expression: &Expression) -> Option<&[Expression; 2]> {
    let Expression::Call {
        callee: Callee::Intrinsic(name),
        arguments,
    } = expression
    else {
        return None;
    };
    if name != "mod" && name != "modulo" {
        return None;
    }
    arguments[..].try_into().ok()
}

/// The divisor without what [`safe_divisor`] adds.
pub(crate) fn unguarded_divisor<'e>(program: &Program, divisor: &'e Expression) -> &'e Expression {
    match divisor {
        Expression::Binary { left, .. } if is_safe_divisor(program, divisor) => left,
        _ => divisor,
    }
}

/// Whether a divisor has the form that [`safe_divisor`] builds, or is at least 1.
fn is_safe_divisor(program: &Program, divisor: &Expression) -> bool {
    if let Expression::Call {
        callee: Callee::Intrinsic(name),
        arguments,
    } = divisor
        && let [Expression::Literal(least), _] = &arguments[..]
    {
        return name == "max" && least == "1_8";
    }
    let Expression::Binary {
        operator: Operator::Add,
        left,
        right,
    } = divisor
    else {
        return false;
    };
    let Expression::Call {
        callee: Callee::Intrinsic(name),
        arguments,
    } = &**right
    else {
        return false;
    };
    let [
        Expression::Integer(1),
        Expression::Integer(0),
        Expression::Binary {
            operator,
            left: compared,
            right,
        },
    ] = &arguments[..]
    else {
        return false;
    };
    let is_zero = *operator == Operator::Equal && matches!(**right, Expression::Integer(0));
    name == "merge" && is_zero && spell(program, compared) == spell(program, left)
}

/// Whether it reads nothing that may not exist, except what `other` reads too, and no elements except
/// constant ones and those that `other` selects; and whether it divides by integers only, which may be 0.
fn is_integer_beside(program: &Program, expression: &Expression, other: &Expression) -> bool {
    let mut selected = Vec::new();
    references::walk(other, &mut |part| {
        for subscript in references::address(part) {
            selected.extend(spell(program, subscript));
        }
    });
    // Arrays whose extents are asked for behind ALLOCATED.
    let mut guarded = Vec::new();
    references::walk(expression, &mut |part| {
        if let Some(inquiry) = array_inquiries::inquiry(part)
            && is_allocatable(program, &inquiry)
        {
            guarded.extend(spell(program, inquiry.array));
        }
    });
    let context = Context {
        program,
        named: references::variables(other),
        selected,
        guarded,
    };
    let mut is_valid = true;
    references::walk(expression, &mut |part| is_valid &= context.allows(part));
    is_valid
}

/// An expression that the program evaluates at a place, and where another may be evaluated with it.
struct Context<'p> {
    program: &'p Program,
    /// Variables that the expression names: they exist at this place.
    named: Vec<VariableId>,
    /// Spellings of the subscripts that it uses: they are inside their arrays' bounds.
    selected: Vec<String>,
    /// Spellings of arrays that the other expression reads behind ALLOCATED only.
    guarded: Vec<String>,
}

impl Context<'_> {
    /// Whether one node of an expression can be evaluated, given that its operands can.
    fn allows(&self, part: &Expression) -> bool {
        match part {
            Expression::Integer(_) | Expression::Literal(_) | Expression::Unary { .. } => true,
            Expression::Variable(variable) => self.exists(*variable) || self.is_guarded(part),
            Expression::Reference {
                base,
                path,
                subscripts,
            } => self.allows_reference(part, *base, path, subscripts),
            Expression::Binary {
                operator: Operator::Divide,
                right,
                ..
            } => self.allows_divisor(right),
            // A negative exponent divides.
            Expression::Binary {
                operator: Operator::Power,
                right,
                ..
            } => match constant_values::constant(self.program, right) {
                Some(exponent) => exponent >= 0,
                None => false,
            },
            Expression::Binary { operator, .. } => {
                !matches!(operator, Operator::Defined | Operator::Concatenate)
            }
            Expression::Call { callee, .. } if is_mpi_constant(callee) => true,
            Expression::Call {
                callee: Callee::Intrinsic(name),
                ..
            } => match remainder_arguments(part) {
                Some([_, divisor]) => {
                    self.allows_divisor(divisor) && self.is_default_integer(divisor)
                }
                None => {
                    TOTAL_INTRINSICS.contains(&name.as_str())
                        || array_inquiries::inquiry(part).is_some()
                }
            },
            Expression::Call { .. } | Expression::Other(_) => false,
        }
    }

    fn allows_reference(
        &self,
        part: &Expression,
        base: VariableId,
        path: &[String],
        subscripts: &[Subscript],
    ) -> bool {
        // A component can be missing although its object exists, unless `other` names the object.
        let base_exists = if path.is_empty() {
            self.exists(base)
        } else {
            self.named.contains(&base)
        };
        if base_exists && subscripts.iter().all(|one| self.is_selected(one)) {
            return true;
        }
        if self.is_guarded(part) {
            return true;
        }
        subscripts.is_empty() && component_type(self.program, base, path).is_some()
    }

    fn exists(&self, id: VariableId) -> bool {
        self.named.contains(&id) || always_exists(self.program, id)
    }

    fn is_guarded(&self, part: &Expression) -> bool {
        match spell(self.program, part) {
            Some(text) => self.guarded.contains(&text),
            None => false,
        }
    }

    fn is_selected(&self, subscript: &Subscript) -> bool {
        let Subscript::Element(index) = subscript else {
            return false;
        };
        if constant_values::constant(self.program, index).is_some() {
            return true;
        }
        match spell(self.program, index) {
            Some(index) => self.selected.contains(&index),
            None => false,
        }
    }

    fn allows_divisor(&self, divisor: &Expression) -> bool {
        match constant_values::constant(self.program, divisor) {
            Some(value) => value != 0,
            None => is_safe_divisor(self.program, divisor) || is_integer(self.program, divisor),
        }
    }

    /// MOD and MODULO require arguments of one kind (F2018 16.9, MOD), and the 1 that [`safe_divisor`] adds
    /// is a default integer.
    fn is_default_integer(&self, divisor: &Expression) -> bool {
        for id in references::variables(divisor) {
            if self.program.variable(id).of_type != Type::Integer(DEFAULT_BYTES) {
                return false;
            }
        }
        true
    }
}

/// `None` if its evaluation may fail, or if a function of the program computes it.
fn scalar_type(program: &Program, expression: &Expression) -> Option<ScalarType> {
    match expression {
        Expression::Integer(_) => Some(ScalarType::Integer),
        Expression::Literal(text) => literal_type(text),
        Expression::Variable(variable) => variable_type(program, *variable),
        Expression::Unary { operator, operand } => {
            unary_type(*operator, scalar_type(program, operand)?)
        }
        Expression::Binary {
            operator: Operator::Divide,
            left,
            right,
        } => quotient_type(program, left, right),
        Expression::Binary {
            operator,
            left,
            right,
        } => {
            let left = scalar_type(program, left)?;
            let right = scalar_type(program, right)?;
            if left != right {
                return None;
            }
            binary_type(*operator, left)
        }
        Expression::Call { callee, .. } if is_mpi_constant(callee) => Some(ScalarType::Integer),
        _ if let Some(sum) = sums::sum(expression) => {
            for part in [sum.from, sum.to, sum.step, sum.trips, sum.summed] {
                if !is_integer(program, part) {
                    return None;
                }
            }
            Some(ScalarType::Integer)
        }
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } => intrinsic_type(program, expression, name, arguments),
        Expression::Reference {
            base,
            path,
            subscripts,
        } if subscripts.is_empty() => component_type(program, *base, path),
        // An element may lie outside its array; a pointer on the path to a component may be null.
        Expression::Reference { .. } | Expression::Call { .. } | Expression::Other(_) => None,
    }
}

fn intrinsic_type(
    program: &Program,
    call: &Expression,
    name: &str,
    arguments: &[Expression],
) -> Option<ScalarType> {
    match arguments {
        [number, Expression::Integer(_)] if name == "int" => {
            integer_if(is_integer(program, number))
        }
        [number, divisor] if name == "mod" || name == "modulo" => {
            // Both arguments must be of one kind (F2018 16.9, MOD), and the guard of a divisor is of the default kind.
            if constant_values::constant(program, divisor).is_none()
                && bytes(program, number)? != bytes(program, divisor)?
            {
                return None;
            }
            quotient_type(program, number, divisor)
        }
        _ if array_inquiries::is_guarded(call) => Some(ScalarType::Integer),
        [number] if name == "abs" || name == "iabs" => integer_if(is_integer(program, number)),
        [left, right] if BITWISE_INTRINSICS.contains(&name) => {
            // Both arguments must be of one kind (F2018 16.9.105).
            let is_of_one_kind = bytes(program, left)? == bytes(program, right)?;
            integer_if(is_of_one_kind && is_integer(program, left) && is_integer(program, right))
        }
        [_, _, ..] if ["max", "merge", "min"].contains(&name) => {
            for (position, argument) in arguments.iter().enumerate() {
                let required = if name == "merge" && position == 2 {
                    ScalarType::Logical
                } else {
                    ScalarType::Integer
                };
                if scalar_type(program, argument)? != required {
                    return None;
                }
            }
            Some(ScalarType::Integer)
        }
        _ => {
            let inquiry = array_inquiries::inquiry(call)?;
            integer_if(is_speculatable_inquiry(program, &inquiry))
        }
    }
}

fn integer_if(is_integer: bool) -> Option<ScalarType> {
    if is_integer {
        Some(ScalarType::Integer)
    } else {
        None
    }
}

/// Size in bytes of an integer; `None` if it is not known.
fn bytes(program: &Program, expression: &Expression) -> Option<u8> {
    let widest = |parts: &[Expression]| {
        let mut widest = 0;
        for part in parts {
            widest = widest.max(bytes(program, part)?);
        }
        Some(widest)
    };
    match expression {
        Expression::Integer(_) => Some(DEFAULT_BYTES),
        Expression::Literal(text) if sums::is_index(text) => Some(8),
        Expression::Literal(text) => text.split_once('_')?.1.parse().ok(),
        Expression::Variable(variable) => match program.variable(*variable).of_type {
            Type::Integer(bytes) => Some(bytes),
            _ => None,
        },
        Expression::Unary { operand, .. } => bytes(program, operand),
        Expression::Binary { left, right, .. } => {
            Some(bytes(program, left)?.max(bytes(program, right)?))
        }
        Expression::Call { callee, .. } if is_mpi_constant(callee) => Some(DEFAULT_BYTES),
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } => match (name.as_str(), &arguments[..]) {
            ("int", [_, Expression::Integer(bytes)]) => u8::try_from(*bytes).ok(),
            ("merge", [taken, ..]) => bytes(program, taken),
            ("abs" | "iabs" | "iand" | "ieor" | "ior" | "mod" | "modulo" | "max" | "min", all) => {
                widest(all)
            }
            _ => None,
        },
        Expression::Reference { .. } | Expression::Call { .. } | Expression::Other(_) => None,
    }
}

fn literal_type(text: &str) -> Option<ScalarType> {
    if sums::is_index(text) {
        return Some(ScalarType::Integer);
    }
    // A kind may follow: `1_8`, `.true._4`.
    let value = text.split('_').next()?;
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(ScalarType::Integer);
    }
    if value.eq_ignore_ascii_case(".true.") || value.eq_ignore_ascii_case(".false.") {
        return Some(ScalarType::Logical);
    }
    None
}

fn variable_type(program: &Program, id: VariableId) -> Option<ScalarType> {
    let variable = program.variable(id);
    if !always_exists(program, id) || !variable.shape.is_empty() {
        return None;
    }
    of_type(&variable.of_type)
}

fn of_type(of_type: &Type) -> Option<ScalarType> {
    match of_type {
        Type::Integer(_) => Some(ScalarType::Integer),
        Type::Logical(_) => Some(ScalarType::Logical),
        Type::Real(_) | Type::Complex(_) | Type::Character | Type::Derived(_) | Type::Unknown => {
            None
        }
    }
}

/// A component of an object that always exists, if nothing on the path to it can be missing.
fn component_type(program: &Program, base: VariableId, path: &[String]) -> Option<ScalarType> {
    let last = component(program, base, path)?;
    if last.attributes.allocatable || last.rank > 0 {
        return None;
    }
    of_type(&last.of_type)
}

/// A component of an object that always exists. Only the last component itself may be unallocated.
fn component<'a>(program: &'a Program, base: VariableId, path: &[String]) -> Option<&'a Component> {
    if !always_exists(program, base) || !program.variable(base).shape.is_empty() {
        return None;
    }
    let chosen = program.components_along(base, path)?;
    let (&last, above) = chosen.split_last()?;
    for one in above {
        let attributes = &one.attributes;
        if attributes.allocatable || attributes.pointer || one.rank > 0 {
            return None;
        }
    }
    if last.attributes.pointer {
        return None;
    }
    Some(last)
}

/// Whether an array inquiry can be evaluated anywhere: the array always exists, or is a dummy that takes
/// over another's shape. (Compilers' run-time checks end the run for arrays that are not allocated.)
fn is_speculatable_inquiry(program: &Program, inquiry: &Inquiry) -> bool {
    let Expression::Variable(array) = inquiry.array else {
        return false;
    };
    if !always_exists(program, *array) {
        return false;
    }
    match inquiry.dimension {
        Some(dimension) => constant_values::constant(program, dimension).is_some(),
        None => true,
    }
}

/// Whether the inquiry is about an allocatable array, for which ALLOCATED can be evaluated anywhere.
fn is_allocatable(program: &Program, inquiry: &Inquiry) -> bool {
    match inquiry.array {
        Expression::Variable(array) => {
            let Variable {
                attributes, shape, ..
            } = program.variable(*array);
            attributes.allocatable && !attributes.optional && !shape.is_empty()
        }
        Expression::Reference { base, path, .. } => match component(program, *base, path) {
            Some(last) => last.attributes.allocatable && last.rank > 0,
            None => false,
        },
        _ => false,
    }
}

fn always_exists(program: &Program, id: VariableId) -> bool {
    let variable = program.variable(id);
    let attributes = &variable.attributes;
    if attributes.allocatable || attributes.pointer || attributes.optional {
        return false;
    }
    // A dummy argument of one ENTRY does not exist after a call of another (F2018 15.6.2.6). Procedures
    // with ENTRY are opaque.
    let is_dummy = matches!(variable.storage, Storage::Dummy(_));
    match variable.owner {
        Some(owner) => !(is_dummy && program.procedure(owner).is_whole),
        None => true,
    }
}

fn unary_type(operator: Operator, operand: ScalarType) -> Option<ScalarType> {
    match (operator, operand) {
        (Operator::Plus | Operator::Negate, ScalarType::Integer)
        | (Operator::Not, ScalarType::Logical) => Some(operand),
        (_, ScalarType::Integer | ScalarType::Logical) => None,
    }
}

/// The type of an operation on two operands of one type.
fn binary_type(operator: Operator, operands: ScalarType) -> Option<ScalarType> {
    let (required, result) = match operator {
        Operator::Add | Operator::Subtract | Operator::Multiply => {
            (ScalarType::Integer, ScalarType::Integer)
        }
        Operator::Equal
        | Operator::NotEqual
        | Operator::Less
        | Operator::LessEqual
        | Operator::Greater
        | Operator::GreaterEqual => (ScalarType::Integer, ScalarType::Logical),
        Operator::And | Operator::Or | Operator::Equivalent | Operator::NotEquivalent => {
            (ScalarType::Logical, ScalarType::Logical)
        }
        Operator::Divide
        | Operator::Power
        | Operator::Concatenate
        | Operator::Not
        | Operator::Negate
        | Operator::Plus
        | Operator::Defined => return None,
    };
    if operands != required {
        return None;
    }
    Some(result)
}

/// A quotient or remainder with a divisor that is never 0.
fn quotient_type(
    program: &Program,
    number: &Expression,
    divisor: &Expression,
) -> Option<ScalarType> {
    let is_nonzero = match constant_values::constant(program, divisor) {
        Some(value) => value != 0,
        None => is_safe_divisor(program, divisor),
    };
    if !is_nonzero || !is_integer(program, number) || !is_integer(program, divisor) {
        return None;
    }
    Some(ScalarType::Integer)
}
