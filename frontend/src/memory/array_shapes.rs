//! Array shapes as inquiries: SIZE, LBOUND and UBOUND of arrays whose bounds no declaration gives, and ALLOCATED. The slice
//! can evaluate them without the arrays' values. Extents from declarations and sections are in [`crate::memory::array_extents`].

use crate::fortran::is_integer;
use crate::ir::array_inquiries::{Inquiry, inquiry, inquiry_call, is_same, is_whole};
use crate::ir::expression_builders::{binary, intrinsic, plus};
use crate::ir::iterations::trips;
use crate::ir::reallocation_on_assignment;
use crate::ir::references;
use crate::ir::{
    Callee, Dimension, Expression, Operator, Program, StatementKind, Subscript, Type, Variable,
};
use crate::memory::array_extents::extents_of;

/// A dummy, or a component of one, as a part of what is passed for it. The shape of an array may differ between caller and
/// callee: no elements.
pub(crate) fn part_of(
    program: &Program,
    part: &Expression,
    actual: &Expression,
) -> Option<Expression> {
    let is_array = |one: &Expression| matches!(one, Expression::Variable(v) if !program.variable(*v).shape.is_empty());
    match part {
        _ if is_array(part) || is_array(actual) => None,
        Expression::Variable(_) => Some(actual.clone()),
        Expression::Reference { path, .. }
            if is_whole(part) && is_whole(actual) && !is_hidden(program, part) =>
        {
            let above = references::designated(actual)?;
            let path = above.path.iter().chain(path).cloned().collect();
            Some(Expression::Reference {
                base: above.base,
                path,
                subscripts: Vec::new(),
            })
        }
        _ => None,
    }
}

/// Whether a part of an object is known only where its type is defined.
pub(crate) fn is_hidden(program: &Program, part: &Expression) -> bool {
    let Expression::Reference { base, path, .. } = part else {
        return false;
    };
    let chosen = program.components_along(*base, path);
    chosen.is_none_or(|chosen| chosen.iter().any(|component| component.is_private))
}

/// An inquiry about a whole dummy as an expression of the caller; `here` translates the procedure's bounds.
pub(crate) fn of_dummy(
    program: &Program,
    inquiry: &Inquiry,
    dummy: &Variable,
    actual: &Expression,
    here: &mut impl FnMut(&Expression) -> Option<Expression>,
) -> Option<Expression> {
    if dummy.attributes.allocatable || dummy.attributes.pointer {
        // Such a dummy has the bounds of its actual argument (Fortran 2018, 15.5.2.6 and 15.5.2.7).
        if is_whole(actual) {
            return Some(inquiry.of(actual.clone()));
        }
        return None;
    }
    // ALLOCATED inquires about allocatable dummies only, which are treated above.
    if inquiry.function == "allocated" {
        return None;
    }
    let mut bounds = |at: usize| {
        let dimension = dummy.shape.get(at)?;
        let lower = match &dimension.lower {
            Some(lower) => here(lower)?,
            None => Expression::Integer(1),
        };
        match &dimension.upper {
            Some(upper) => Bounds::of(program, lower, here(upper)?),
            None => Bounds::from(program, lower, extent_of_actual(program, actual, at)?),
        }
    };
    if let Some(dimension) = inquiry.dimension {
        return bounds(number(program, dimension)?)?.answer(inquiry.function);
    }
    let has_upper = |dimension: &Dimension| dimension.upper.is_some();
    if !dummy.shape.iter().any(has_upper) && is_whole(actual) {
        return Some(inquiry.of(actual.clone()));
    }
    let mut all = Vec::new();
    for at in 0..dummy.shape.len() {
        all.push(bounds(at)?);
    }
    total_size(all)
}

/// One dimension, as long as it holds anything.
struct Bounds {
    lower: Expression,
    upper: Expression,
    /// How many elements, not less than 0.
    size: Expression,
}

impl Bounds {
    fn of(program: &Program, lower: Expression, upper: Expression) -> Option<Self> {
        let size = not_negative(program, trips(program, &lower, &upper, None, is_integer)?)?;
        Some(Bounds { lower, upper, size })
    }

    /// So many elements, or none, from a lower bound on.
    fn from(program: &Program, lower: Expression, extent: Expression) -> Option<Self> {
        let upper = match &lower {
            Expression::Integer(lower) => plus(&extent, lower.saturating_sub(1)),
            lower => plus(&binary(Operator::Add, extent.clone(), lower.clone()), -1),
        };
        Some(Bounds {
            lower,
            upper,
            size: not_negative(program, extent)?,
        })
    }

    /// The value of an inquiry. A dimension without elements has the bounds 1 and 0, whatever is declared (Fortran 2018, 16.9,
    /// LBOUND and UBOUND).
    fn answer(self, function: &str) -> Option<Expression> {
        let begins_at_one = matches!(self.lower, Expression::Integer(1));
        let (bound, if_empty) = match (function, begins_at_one) {
            ("size", _) | ("ubound", true) => return Some(self.size),
            ("lbound", true) => return Some(self.lower),
            ("lbound", false) => (self.lower, 1),
            ("ubound", false) => (self.upper, 0),
            _ => return None,
        };
        let has_elements = binary(Operator::Greater, self.size, Expression::Integer(0));
        let if_empty = Expression::Integer(if_empty);
        Some(intrinsic("merge", vec![bound, if_empty, has_elements]))
    }
}

/// The number of elements of an array with these dimensions.
fn total_size(dimensions: Vec<Bounds>) -> Option<Expression> {
    let mut product = None;
    for dimension in dimensions {
        product = match product {
            Some(product) => Some(binary(Operator::Multiply, product, dimension.size)),
            None => Some(dimension.size),
        };
    }
    product
}

/// A number of elements, 0 where the upper bound is below the lower one. `None` unless all integers are of the default kind,
/// since MAX requires arguments of one kind.
fn not_negative(program: &Program, extent: Expression) -> Option<Expression> {
    const NONE: Expression = Expression::Integer(0);
    if let Expression::Integer(extent) = extent {
        return Some(Expression::Integer(extent.max(0)));
    }
    // SIZE and MAX(0, …) are never negative.
    if inquiry(&extent).is_some() || extent_if_any(&extent).is_some() {
        return Some(extent);
    }
    for named in references::values(&extent) {
        if program.variable(named.base).of_type != Type::Integer(4) {
            return None;
        }
    }
    Some(intrinsic("max", vec![NONE, extent]))
}

/// What a number of elements is unless that is negative.
pub(crate) fn extent_if_any(size: &Expression) -> Option<&Expression> {
    match size {
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } if name == "max" => match &arguments[..] {
            [Expression::Integer(0), extent] => Some(extent),
            _ => None,
        },
        _ => None,
    }
}

/// An inquiry about an array that a statement allocates or shapes, as an expression before that statement.
pub(crate) fn of_made(
    program: &Program,
    inquiry: &Inquiry,
    kind: &StatementKind,
) -> Option<Expression> {
    match kind {
        StatementKind::Allocate {
            length: None,
            objects,
            ..
        } => {
            let mut same = objects
                .iter()
                .filter(|object| is_same(object, inquiry.array));
            let object = same.next()?;
            // A statement that names the array twice is wrong, and either bounds could count.
            if same.next().is_some() {
                return None;
            }
            let Expression::Reference { subscripts, .. } = object else {
                return None;
            };
            of_bounds(program, inquiry, subscripts)
        }
        // Only the size: an array that was allocated before keeps its bounds if the shape is the same (Fortran 2018, 10.2.1.3).
        StatementKind::Assign { target, value }
            if is_whole(target) && is_same(target, inquiry.array) && inquiry.function == "size" =>
        {
            Some(inquiry.of(shaped_like(program, value)?.clone()))
        }
        _ => None,
    }
}

fn of_bounds(program: &Program, inquiry: &Inquiry, bounds: &[Subscript]) -> Option<Expression> {
    match inquiry.dimension {
        Some(dimension) => {
            let bounds = bounds.get(number(program, dimension)?)?;
            allocated_bounds(program, bounds)?.answer(inquiry.function)
        }
        None if inquiry.function == "size" => {
            let mut all = Vec::new();
            for one in bounds {
                all.push(allocated_bounds(program, one)?);
            }
            total_size(all)
        }
        None => None,
    }
}

/// The bounds that ALLOCATE gives a dimension: `n` or `l:n`.
fn allocated_bounds(program: &Program, bounds: &Subscript) -> Option<Bounds> {
    const ONE: Expression = Expression::Integer(1);
    match bounds {
        Subscript::Element(upper) => Bounds::of(program, ONE, upper.clone()),
        Subscript::Section {
            lower,
            upper,
            stride: None,
        } => Bounds::of(program, lower.clone().unwrap_or(ONE), upper.clone()?),
        Subscript::Section { .. } => None,
    }
}

/// A whole array that has the shape of a value.
pub(crate) fn shaped_like<'a>(program: &Program, value: &'a Expression) -> Option<&'a Expression> {
    match value {
        Expression::Variable(id) if !program.variable(*id).shape.is_empty() => Some(value),
        // A defined operator is a function, whose result may have any shape.
        Expression::Unary { operator, operand } if *operator != Operator::Defined => {
            shaped_like(program, operand)
        }
        Expression::Binary {
            operator,
            left,
            right,
        } if *operator != Operator::Defined => {
            shaped_like(program, left).or_else(|| shaped_like(program, right))
        }
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } if reallocation_on_assignment::ELEMENTAL.contains(&name.as_str()) => arguments
            .iter()
            .find_map(|argument| shaped_like(program, argument)),
        _ => None,
    }
}

/// The extent of an actual argument along a dimension of the assumed-shape dummy.
fn extent_of_actual(program: &Program, actual: &Expression, at: usize) -> Option<Expression> {
    if is_whole(actual) {
        let dimension = Expression::Integer(at as i64 + 1);
        return Some(inquiry_call("size", actual.clone(), Some(dimension)));
    }
    let Expression::Reference { subscripts, .. } = actual else {
        return None;
    };
    if !has_plain_sections(program, subscripts) {
        return None;
    }
    let extents = extents_of(program, actual)??;
    extents.into_iter().nth(at)
}

/// The number of a dimension, from 0.
fn number(program: &Program, dimension: &Expression) -> Option<usize> {
    let number = crate::ir::constant_values::constant(program, dimension)?;
    usize::try_from(number).ok()?.checked_sub(1)
}

/// Whether the dimensions of a section are those of its triplets: there is a triplet, and no vector subscript.
fn has_plain_sections(program: &Program, subscripts: &[Subscript]) -> bool {
    let mut has_section = false;
    for subscript in subscripts {
        match subscript {
            Subscript::Section { .. } => has_section = true,
            Subscript::Element(index) if crate::fortran::rank_of(program, index) == Some(0) => {}
            Subscript::Element(_) => return false,
        }
    }
    has_section
}
