//! How large arrays are, asked in the program's own words: SIZE, LBOUND and UBOUND of arrays whose bounds no declaration
//! tells, and whether they are there at all. The slice can answer that without the arrays' values.
//!
//! Not here: extents that declarations and sections tell ([`crate::memory::array_extents`]).

use crate::effects::model::Model;
use crate::ir::iterations::{binary, intrinsic, plus, trips};
use crate::ir::reallocation_on_assignment;
use crate::ir::references;
use crate::ir::{
    Callee, Expression, Operator, Program, StatementKind, Subscript, Type, Variable, VariableId,
};
use crate::memory::array_extents::extents_of;
use crate::memory::locations::LocationId;

/// Names of the functions.
pub(crate) const FUNCTIONS: [&str; 4] = ["allocated", "lbound", "size", "ubound"];

/// One of them, asked of a whole array or a whole component.
pub(crate) struct Inquiry<'a> {
    /// Name of the function.
    pub(crate) function: &'a str,
    /// What is asked of: a variable, or a component that is chosen without subscripts.
    pub(crate) array: &'a Expression,
    /// Along which dimension; ALLOCATED has none, and SIZE may be asked for all.
    pub(crate) dimension: Option<&'a Expression>,
}

impl Inquiry<'_> {
    /// The same of another array.
    pub(crate) fn of(&self, array: Expression) -> Expression {
        ask(self.function, array, self.dimension.cloned())
    }
}

/// What an expression asks, if it is such a function.
pub(crate) fn inquiry(expression: &Expression) -> Option<Inquiry<'_>> {
    let Expression::Call {
        callee: Callee::Intrinsic(function),
        arguments,
    } = expression
    else {
        return None;
    };
    let (array, dimension) = match &arguments[..] {
        [array] if ["allocated", "size"].contains(&function.as_str()) => (array, None),
        [array, dimension]
            if function != "allocated" && !matches!(dimension, Expression::Other(_)) =>
        {
            (array, Some(dimension))
        }
        _ => return None,
    };
    let is_asked = FUNCTIONS.contains(&function.as_str()) && is_whole(array);
    is_asked.then_some(Inquiry {
        function,
        array,
        dimension,
    })
}

/// Whether an expression is a variable or a component, without subscripts.
pub(crate) fn is_whole(array: &Expression) -> bool {
    match array {
        Expression::Variable(_) => true,
        Expression::Reference {
            path, subscripts, ..
        } => !path.is_empty() && subscripts.is_empty(),
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Call { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Other(_) => false,
    }
}

/// A call of one of the functions.
pub(crate) fn ask(function: &str, array: Expression, dimension: Option<Expression>) -> Expression {
    intrinsic(function, std::iter::once(array).chain(dimension).collect())
}

/// The same, but 0 where the array is not there: `merge(size(u), 0, allocated(u))`.
pub(crate) fn guarded(inquiry: &Inquiry) -> Expression {
    let is_there = ask("allocated", inquiry.array.clone(), None);
    let asked = inquiry.of(inquiry.array.clone());
    intrinsic("merge", vec![asked, Expression::Integer(0), is_there])
}

/// Whether an expression is guarded so.
pub(crate) fn is_guarded(expression: &Expression) -> bool {
    let Expression::Call {
        callee: Callee::Intrinsic(name),
        arguments,
    } = expression
    else {
        return false;
    };
    let [asked, Expression::Integer(0), is_there] = &arguments[..] else {
        return false;
    };
    let both = inquiry(asked).zip(inquiry(is_there));
    name == "merge"
        && both.is_some_and(|(asked, there)| {
            there.function == "allocated" && is_same(asked.array, there.array)
        })
}

/// What the evaluation of an expression reads: values, and how large arrays are.
pub(crate) fn read_by(model: &Model, expression: &Expression) -> Vec<LocationId> {
    let values = references::values(expression)
        .into_iter()
        .filter_map(|named| model.locations.at(named));
    let mut read: Vec<LocationId> = values
        .flat_map(|place| model.locations.innermost(place))
        .collect();
    references::walk(expression, &mut |part| {
        let asked = inquiry(part).and_then(|inquiry| references::designated(inquiry.array));
        let place = asked.and_then(|named| model.locations.at(named));
        read.extend(place.map(|place| model.locations.existence(place)));
    });
    read
}

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

/// What is asked of a whole dummy, in the words of a caller; `here` gives what the procedure's bounds are there.
pub(crate) fn of_dummy(
    program: &Program,
    inquiry: &Inquiry,
    dummy: &Variable,
    actual: &Expression,
    here: &mut impl FnMut(&Expression) -> Option<Expression>,
) -> Option<Expression> {
    if dummy.attributes.allocatable || dummy.attributes.pointer {
        return is_whole(actual).then(|| inquiry.of(actual.clone()));
    }
    if inquiry.function == "allocated" {
        return None;
    }
    let mut bounds = |at: usize| {
        let dimension = dummy.shape.get(at)?;
        let lower = dimension
            .lower
            .as_ref()
            .map_or(Some(Expression::Integer(1)), &mut *here)?;
        match &dimension.upper {
            Some(upper) => Bounds::of(program, lower, here(upper)?),
            None => Bounds::from(program, lower, extent_of_actual(program, actual, at)?),
        }
    };
    let Some(dimension) = inquiry.dimension else {
        if dummy
            .shape
            .iter()
            .all(|dimension| dimension.upper.is_none())
            && is_whole(actual)
        {
            return Some(inquiry.of(actual.clone()));
        }
        return all_of(
            (0..dummy.shape.len())
                .map(bounds)
                .collect::<Option<Vec<_>>>()?,
        );
    };
    bounds(number(program, dimension)?)?.answer(inquiry.function)
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
        let size = not_negative(program, trips(program, &lower, &upper, None)?)?;
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

    /// A dimension without elements has the bounds 1 and 0, whatever is declared.
    fn answer(self, function: &str) -> Option<Expression> {
        let begins_at_one = matches!(self.lower, Expression::Integer(1));
        let unless_empty = |bound: Expression, empty: i64| {
            let holds_some = binary(Operator::Greater, self.size.clone(), Expression::Integer(0));
            intrinsic("merge", vec![bound, Expression::Integer(empty), holds_some])
        };
        match (function, begins_at_one) {
            ("size", _) | ("ubound", true) => Some(self.size),
            ("lbound", true) => Some(self.lower),
            ("lbound", false) => Some(unless_empty(self.lower, 1)),
            ("ubound", false) => Some(unless_empty(self.upper, 0)),
            _ => None,
        }
    }
}

/// How many elements several dimensions hold.
fn all_of(dimensions: Vec<Bounds>) -> Option<Expression> {
    dimensions
        .into_iter()
        .map(|one| one.size)
        .reduce(|a, b| binary(Operator::Multiply, a, b))
}

/// A number of elements, 0 where bounds are the wrong way round. Only of integers of the default kind: functions want
/// arguments of one kind.
fn not_negative(program: &Program, extent: Expression) -> Option<Expression> {
    const NONE: Expression = Expression::Integer(0);
    let is_default = |id: &VariableId| program.variable(*id).of_type == Type::Integer(4);
    if let Expression::Integer(extent) = extent {
        return Some(Expression::Integer(extent.max(0)));
    }
    if inquiry(&extent).is_some() || extent_if_any(&extent).is_some() {
        return Some(extent);
    }
    let mut scalars = references::values(&extent)
        .into_iter()
        .map(|named| named.base);
    scalars
        .all(|id| is_default(&id))
        .then(|| intrinsic("max", vec![NONE, extent.clone()]))
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

/// What is asked of an array that a statement makes as large as it is, in the words before that statement.
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
            let [object] = &objects
                .iter()
                .filter(|object| is_same(object, inquiry.array))
                .collect::<Vec<_>>()[..]
            else {
                return None;
            };
            let Expression::Reference { subscripts, .. } = object else {
                return None;
            };
            of_bounds(program, inquiry, subscripts)
        }
        // Of an array that has been there bounds stay if the shape does.
        StatementKind::Assign { target, value }
            if is_whole(target) && is_same(target, inquiry.array) && inquiry.function == "size" =>
        {
            Some(inquiry.of(shaped_like(program, value)?.clone()))
        }
        _ => None,
    }
}

/// Whether a designator is of this variable or component, whatever its subscripts.
pub(crate) fn is_same(object: &Expression, array: &Expression) -> bool {
    let (object, array) = (
        references::designated(object),
        references::designated(array),
    );
    object
        .zip(array)
        .is_some_and(|(object, array)| object.base == array.base && object.path == array.path)
}

fn of_bounds(program: &Program, inquiry: &Inquiry, bounds_of: &[Subscript]) -> Option<Expression> {
    const ONE: Expression = Expression::Integer(1);
    let both = |one: &Subscript| match one {
        Subscript::Element(upper) => Some((ONE, upper.clone())),
        Subscript::Section {
            lower,
            upper,
            stride: None,
        } => Some((lower.clone().unwrap_or(ONE), upper.clone()?)),
        Subscript::Section { .. } => None,
    };
    let bounds =
        |one: &Subscript| both(one).and_then(|(lower, upper)| Bounds::of(program, lower, upper));
    match inquiry.dimension {
        Some(dimension) => {
            bounds(bounds_of.get(number(program, dimension)?)?)?.answer(inquiry.function)
        }
        None if inquiry.function == "size" => {
            all_of(bounds_of.iter().map(bounds).collect::<Option<Vec<_>>>()?)
        }
        None => None,
    }
}

/// A whole array that has the shape of a value.
pub(crate) fn shaped_like<'a>(program: &Program, value: &'a Expression) -> Option<&'a Expression> {
    match value {
        Expression::Variable(id) => (!program.variable(*id).shape.is_empty()).then_some(value),
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

/// How many elements an argument has along a dimension of the dummy that takes over its shape.
fn extent_of_actual(program: &Program, actual: &Expression, at: usize) -> Option<Expression> {
    if is_whole(actual) {
        return Some(ask(
            "size",
            actual.clone(),
            Some(Expression::Integer(at as i64 + 1)),
        ));
    }
    let Expression::Reference { subscripts, .. } = actual else {
        return None;
    };
    let extents = extents_of(program, actual)
        .flatten()
        .filter(|_| has_plain_sections(program, subscripts));
    extents?.into_iter().nth(at)
}

/// The number of a dimension, from 0.
fn number(program: &Program, dimension: &Expression) -> Option<usize> {
    let number = crate::ir::constant_values::constant(program, dimension)?;
    usize::try_from(number).ok()?.checked_sub(1)
}

/// Whether a list of subscripts names a section whose dimensions are those of its triplets: no subscript is an array.
fn has_plain_sections(program: &Program, subscripts: &[Subscript]) -> bool {
    let is_section = |one: &Subscript| matches!(one, Subscript::Section { .. });
    let is_scalar = |one: &Subscript| match one {
        Subscript::Element(index) => crate::fortran::rank_of(program, index) == Some(0),
        Subscript::Section { .. } => true,
    };
    subscripts.iter().any(is_section) && subscripts.iter().all(is_scalar)
}
