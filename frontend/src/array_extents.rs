//! How many elements arrays and sections have, in the program's words. Components that are allocated have a number of
//! elements that nobody knows; others have the same number everywhere.

use crate::ir::{Dimension, Expression, Operator, Program, Subscript, Type, VariableId};
use crate::iterations::{binary, trips};

/// Numbers of elements along each dimension, whose product is how many there are; `None` if that cannot be expressed.
pub(crate) type Extents = Option<Vec<Expression>>;

/// The number of elements of a whole array or a section: `None` if it is none.
pub(crate) fn extents_of(program: &Program, designator: &Expression) -> Option<Extents> {
    match designator {
        Expression::Variable(variable) => {
            let shape = &program.variable(*variable).shape;
            (!shape.is_empty()).then(|| of_whole(program, shape))
        }
        Expression::Reference { base, path, subscripts } => {
            of_parts(program, &parts(program, *base, path)?, subscripts)
        }
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Call { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Other(_) => None,
    }
}

fn of_whole(program: &Program, shape: &[Dimension]) -> Extents {
    let each = shape.iter().map(|dimension| of_section(program, dimension, None, None, None));
    let all = each.collect::<Option<Vec<_>>>()?;
    Some(all.into_iter().reduce(|a, b| binary(Operator::Multiply, a, b)).into_iter().collect())
}

/// A variable, or a component that is chosen.
struct Part<'a> {
    rank: usize,
    /// Empty if it is not known.
    shape: &'a [Dimension],
    is_allocated: bool,
    is_text: bool,
}

/// A variable and the components that are chosen one after another; `None` if one is not known.
fn parts<'a>(program: &'a Program, base: VariableId, path: &[String]) -> Option<Vec<Part<'a>>> {
    let variable = program.variable(base);
    let shape = &variable.shape[..];
    let is_text = variable.of_type == Type::Character;
    let mut all = vec![Part { rank: shape.len(), shape, is_allocated: false, is_text }];
    for (depth, name) in path.iter().enumerate() {
        let Type::Derived(of) = program.type_of_part(base, &path[..depth]) else { return None };
        let component = program.component(&of, name)?;
        all.push(Part {
            rank: component.rank,
            shape: &[],
            is_allocated: component.attributes.allocatable || component.attributes.pointer,
            is_text: component.of_type == Type::Character,
        });
    }
    Some(all)
}

fn of_parts(program: &Program, parts: &[Part], subscripts: &[Subscript]) -> Option<Extents> {
    let sections = |list: &[Subscript]| {
        list.iter().filter(|subscript| matches!(subscript, Subscript::Section { .. })).count()
    };
    let ranks: usize = parts.iter().map(|part| part.rank).sum();
    let subscripts = match subscripts {
        [rest @ .., Subscript::Section { .. }] if rest.len() == ranks && parts.last()?.is_text => rest,
        all => all,
    };
    let is_section = sections(subscripts) > 0;
    if let Some((own, further)) = subscripts.split_at_checked(ranks).filter(|(_, more)| !more.is_empty()) {
        // A name that ASSOCIATE gave to a section, and an element of that.
        let is_element = sections(own) == further.len() && sections(further) == 0;
        return (is_section && !is_element).then_some(None);
    }
    match (subscripts.len() == ranks, is_section) {
        (true, true) => Some(of_sections(program, parts.first()?.shape, subscripts)),
        (true, false) => None,
        (false, true) => Some(None),
        (false, false) => of_whole_parts(program, parts, subscripts.len()),
    }
}

/// Of fewer subscripts than there are dimensions: which of two parts of one rank they belong to is not known, so that the
/// first is taken.
fn of_whole_parts(program: &Program, parts: &[Part], mut subscripts: usize) -> Option<Extents> {
    let mut is_whole = |part: &&Part| {
        let rest = subscripts.checked_sub(part.rank);
        subscripts = rest.unwrap_or(subscripts);
        rest.is_none()
    };
    let whole: Vec<&Part> = parts.iter().filter(|part| is_whole(part)).collect();
    if whole.iter().any(|part| part.is_allocated) {
        return Some(None);
    }
    let known = whole.into_iter().find(|part| !part.shape.is_empty())?;
    Some(of_whole(program, known.shape))
}

/// `shape` is that of the first subscripts.
fn of_sections(program: &Program, shape: &[Dimension], subscripts: &[Subscript]) -> Extents {
    const UNKNOWN: Dimension = Dimension { lower: None, upper: None };
    let each = subscripts.iter().enumerate().filter_map(|(at, subscript)| match subscript {
        Subscript::Element(_) => None,
        Subscript::Section { lower, upper, stride } => {
            let known = shape.get(at);
            let needs_lower = lower.is_none() && known.is_none_or(is_of_unknown_begin);
            let extent = of_section(
                program,
                known.unwrap_or(&UNKNOWN),
                lower.as_ref(),
                upper.as_ref(),
                stride.as_ref(),
            );
            Some(extent.filter(|_| !needs_lower))
        }
    });
    each.collect()
}

/// Allocatables and pointers begin as they are allocated.
fn is_of_unknown_begin(dimension: &Dimension) -> bool {
    dimension.lower.is_none() && dimension.upper.is_none()
}

fn of_section(
    program: &Program,
    dimension: &Dimension,
    lower: Option<&Expression>,
    upper: Option<&Expression>,
    stride: Option<&Expression>,
) -> Option<Expression> {
    let first = lower.or(dimension.lower.as_ref()).unwrap_or(&Expression::Integer(1));
    let last = upper.or(dimension.upper.as_ref())?;
    trips(program, first, last, stride)
}
