//! How many elements arrays and sections have, in the program's words: as declarations and sections tell, and otherwise as
//! the arrays themselves answer ([`crate::memory::array_shapes`]). Of components that are allocated in elements of arrays nobody knows.

use crate::ir::iterations::{binary, trips};
use crate::ir::{Dimension, Expression, Operator, Program, Subscript, Type, VariableId};
use crate::memory::array_shapes;

/// Numbers of elements along each dimension, whose product is how many there are; `None` if that cannot be expressed.
pub(crate) type Extents = Option<Vec<Expression>>;

/// The number of elements of a whole array or a section: `None` if it is none.
pub(crate) fn extents_of(program: &Program, designator: &Expression) -> Option<Extents> {
    match designator {
        Expression::Variable(variable) => {
            let shape = &program.variable(*variable).shape;
            (!shape.is_empty()).then(|| of_whole(program, shape, Some(designator)))
        }
        Expression::Reference {
            base,
            path,
            subscripts,
        } => {
            let whole = Expression::Reference {
                base: *base,
                path: path.clone(),
                subscripts: Vec::new(),
            };
            let whole = if path.is_empty() {
                Expression::Variable(*base)
            } else {
                whole
            };
            of_parts(program, &parts(program, *base, path)?, &whole, subscripts)
        }
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Call { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Other(_) => None,
    }
}

/// Of a whole array, which can be asked under this name if it has one.
fn of_whole(program: &Program, shape: &[Dimension], array: Option<&Expression>) -> Extents {
    let each = shape.iter().map(|dimension| {
        let first = dimension.lower.as_ref().unwrap_or(&Expression::Integer(1));
        trips(program, first, dimension.upper.as_ref()?, None)
    });
    match each.collect::<Option<Vec<_>>>() {
        Some(all) => Some(
            all.into_iter()
                .reduce(|a, b| binary(Operator::Multiply, a, b))
                .into_iter()
                .collect(),
        ),
        None => Some(vec![array_shapes::ask("size", array?.clone(), None)]),
    }
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
    let mut all = vec![Part {
        rank: shape.len(),
        shape,
        is_allocated: false,
        is_text,
    }];
    let components = program.components_along(base, without_part_of_number(program, base, path))?;
    all.extend(components.into_iter().map(|component| Part {
        rank: component.rank,
        shape: &[],
        is_allocated: component.attributes.allocatable || component.attributes.pointer,
        is_text: component.of_type == Type::Character,
    }));
    Some(all)
}

/// The components that are chosen, without the part of a complex number, `z%re` or `z%im`.
fn without_part_of_number<'a>(
    program: &Program,
    base: VariableId,
    path: &'a [String],
) -> &'a [String] {
    match path {
        [rest @ .., part] if ["re", "im"].contains(&part.as_str()) => {
            let of_type = program.type_of_part(base, rest);
            if matches!(of_type, Type::Complex(_)) {
                rest
            } else {
                path
            }
        }
        _ => path,
    }
}

/// Whether what is designated is made of parts of elements: of numbers, or of texts.
pub(crate) fn is_of_elements(
    program: &Program,
    base: VariableId,
    path: &[String],
    subscripts: &[Subscript],
) -> bool {
    let is_of_texts = || {
        let Some(parts) = parts(program, base, path) else {
            return false;
        };
        let ranks: usize = parts.iter().map(|part| part.rank).sum();
        let is_text = parts.last().is_some_and(|part| part.is_text);
        is_text && ranks > 0 && subscripts.len() > ranks
    };
    without_part_of_number(program, base, path).len() < path.len() || is_of_texts()
}

/// Of a part that is called `whole` but for its subscripts.
fn of_parts(
    program: &Program,
    parts: &[Part],
    whole: &Expression,
    subscripts: &[Subscript],
) -> Option<Extents> {
    let sections = |list: &[Subscript]| {
        list.iter()
            .filter(|subscript| matches!(subscript, Subscript::Section { .. }))
            .count()
    };
    let ranks: usize = parts.iter().map(|part| part.rank).sum();
    let subscripts = match subscripts {
        [rest @ .., Subscript::Section { .. }] if rest.len() == ranks && parts.last()?.is_text => {
            rest
        }
        all => all,
    };
    let is_section = sections(subscripts) > 0;
    if let Some((own, further)) = subscripts
        .split_at_checked(ranks)
        .filter(|(_, more)| !more.is_empty())
    {
        // A name that ASSOCIATE gave to a section, and an element of that.
        let is_element = sections(own) == further.len() && sections(further) == 0;
        return (is_section && !is_element).then_some(None);
    }
    match (subscripts.len() == ranks, is_section) {
        (true, true) => {
            let above = parts.split_last().map_or(&[][..], |(_, above)| above);
            let array = Some(whole).filter(|_| above.iter().all(|part| part.rank == 0));
            Some(of_sections(
                program,
                parts.first()?.shape,
                array,
                subscripts,
            ))
        }
        (true, false) => None,
        (false, true) => Some(None),
        (false, false) => of_whole_parts(program, parts, whole, subscripts.len()),
    }
}

/// Of fewer subscripts than there are dimensions: which of two parts of one rank they belong to is not known, so that the
/// first is taken.
fn of_whole_parts(
    program: &Program,
    parts: &[Part],
    array: &Expression,
    mut subscripts: usize,
) -> Option<Extents> {
    let can_be_asked = subscripts == 0 && parts.iter().filter(|part| part.rank > 0).count() == 1;
    let mut is_whole = |part: &&Part| {
        let rest = subscripts.checked_sub(part.rank);
        subscripts = rest.unwrap_or(subscripts);
        rest.is_none()
    };
    let whole: Vec<&Part> = parts.iter().filter(|part| is_whole(part)).collect();
    if whole.iter().any(|part| part.is_allocated) {
        return Some(can_be_asked.then(|| vec![array_shapes::ask("size", array.clone(), None)]));
    }
    let known = whole.into_iter().find(|part| !part.shape.is_empty())?;
    Some(of_whole(program, known.shape, None))
}

/// `shape` is that of the first subscripts; `array` can be asked for what it does not tell.
fn of_sections(
    program: &Program,
    shape: &[Dimension],
    array: Option<&Expression>,
    subscripts: &[Subscript],
) -> Extents {
    let each = subscripts.iter().enumerate().filter_map(|(at, subscript)| {
        let Subscript::Section {
            lower,
            upper,
            stride,
        } = subscript
        else {
            return None;
        };
        let known = shape.get(at);
        let asked = |function: &str| {
            Some(array_shapes::ask(
                function,
                array?.clone(),
                Some(Expression::Integer(at as i64 + 1)),
            ))
        };
        // Allocatables and pointers begin as they are allocated.
        let begins_unknown =
            known.is_none_or(|known| known.lower.is_none() && known.upper.is_none());
        if lower.is_none() && upper.is_none() && stride.is_none() && begins_unknown {
            return Some(asked("size"));
        }
        let own = |bound: fn(&Dimension) -> &Option<Expression>| {
            known.and_then(|known| bound(known).clone())
        };
        let begin = || own(|known| &known.lower).or(Some(Expression::Integer(1)));
        let first = lower.clone().or_else(|| {
            if begins_unknown {
                asked("lbound")
            } else {
                begin()
            }
        });
        let last = upper
            .clone()
            .or_else(|| own(|known| &known.upper))
            .or_else(|| asked("ubound"));
        Some(
            first
                .zip(last)
                .and_then(|(first, last)| trips(program, &first, &last, stride.as_ref())),
        )
    });
    each.collect()
}
