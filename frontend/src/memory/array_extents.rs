//! Array extents as expressions of the program: from declarations and section bounds where those give them, otherwise as
//! inquiries of the array itself (`size(a, 1)`, [`crate::memory::array_shapes`]). An allocatable component of an array element
//! has no known extent, since each element may have another one.

use crate::fortran::is_integer;
use crate::ir::array_inquiries;
use crate::ir::expression_builders::binary;
use crate::ir::iterations::trips;
use crate::ir::{Dimension, Expression, Operator, Program, Subscript, Type, VariableId};

/// Numbers of elements along each dimension, whose product is how many there are; `None` if that cannot be expressed.
pub(crate) type Extents = Option<Vec<Expression>>;

/// The extents of a whole array or a section; the outer `None` means that the designator is a scalar.
pub(crate) fn extents_of(program: &Program, designator: &Expression) -> Option<Extents> {
    match designator {
        Expression::Variable(variable) => {
            let shape = &program.variable(*variable).shape;
            if shape.is_empty() {
                return None;
            }
            Some(of_whole(program, shape, Some(designator)))
        }
        Expression::Reference {
            base,
            path,
            subscripts,
        } => {
            let whole = if path.is_empty() {
                Expression::Variable(*base)
            } else {
                Expression::Reference {
                    base: *base,
                    path: path.clone(),
                    subscripts: Vec::new(),
                }
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

/// The extents of a whole array; `array` is a designator of it, if there is one, for inquiries.
fn of_whole(program: &Program, shape: &[Dimension], array: Option<&Expression>) -> Extents {
    let Some(declared) = declared_extents(program, shape) else {
        return Some(vec![array_inquiries::inquiry_call(
            "size",
            array?.clone(),
            None,
        )]);
    };
    let mut product: Option<Expression> = None;
    for extent in declared {
        product = Some(match product {
            Some(product) => binary(Operator::Multiply, product, extent),
            None => extent,
        });
    }
    Some(product.into_iter().collect())
}

/// The extent of each dimension as declared; `None` if a dimension is deferred, assumed-shape or assumed-size.
fn declared_extents(program: &Program, shape: &[Dimension]) -> Option<Vec<Expression>> {
    let mut extents = Vec::new();
    for dimension in shape {
        let first = dimension.lower.as_ref().unwrap_or(&Expression::Integer(1));
        extents.push(trips(
            program,
            first,
            dimension.upper.as_ref()?,
            None,
            is_integer,
        )?);
    }
    Some(extents)
}

/// A part-ref of a designator (Fortran 2018, R912): a variable or a component.
struct PartRef<'a> {
    rank: usize,
    /// Empty if it is unknown.
    shape: &'a [Dimension],
    is_allocated: bool,
    is_text: bool,
}

/// The variable and the components of a designator, outermost first; `None` if a component is not known.
fn parts<'a>(program: &'a Program, base: VariableId, path: &[String]) -> Option<Vec<PartRef<'a>>> {
    let variable = program.variable(base);
    let shape = &variable.shape[..];
    let mut all = vec![PartRef {
        rank: shape.len(),
        shape,
        is_allocated: false,
        is_text: variable.of_type == Type::Character,
    }];
    let components = program.components_along(base, without_part_of_number(program, base, path))?;
    for component in components {
        all.push(PartRef {
            rank: component.rank,
            shape: &[],
            is_allocated: component.attributes.allocatable || component.attributes.pointer,
            is_text: component.of_type == Type::Character,
        });
    }
    Some(all)
}

/// The number of dimensions of all parts together.
fn total_rank(parts: &[PartRef]) -> usize {
    parts.iter().map(|part| part.rank).sum()
}

fn count_sections(subscripts: &[Subscript]) -> usize {
    let sections = subscripts.iter().filter(is_section);
    sections.count()
}

fn is_section(subscript: &&Subscript) -> bool {
    matches!(subscript, Subscript::Section { .. })
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

/// Whether a designator selects parts of elements: real or imaginary parts of numbers, or substrings.
pub(crate) fn is_of_elements(
    program: &Program,
    base: VariableId,
    path: &[String],
    subscripts: &[Subscript],
) -> bool {
    if without_part_of_number(program, base, path).len() < path.len() {
        return true;
    }
    let Some(parts) = parts(program, base, path) else {
        return false;
    };
    let rank = total_rank(&parts);
    let is_text = parts.last().is_some_and(|part| part.is_text);
    // A substring range is represented as one subscript more than the array has dimensions.
    is_text && rank > 0 && subscripts.len() > rank
}

/// The extents of a designator with these parts; `whole` is the designator without its subscripts.
fn of_parts(
    program: &Program,
    parts: &[PartRef],
    whole: &Expression,
    subscripts: &[Subscript],
) -> Option<Extents> {
    let rank = total_rank(parts);
    let subscripts = match subscripts {
        // A substring range does not change the number of elements.
        [rest @ .., Subscript::Section { .. }] if rest.len() == rank && parts.last()?.is_text => {
            rest
        }
        all => all,
    };
    let has_section = count_sections(subscripts) > 0;
    if subscripts.len() > rank {
        // The associate name of a section, and an element of that.
        let (own, further) = subscripts.split_at(rank);
        let is_element = count_sections(own) == further.len() && count_sections(further) == 0;
        return if has_section && !is_element {
            Some(None)
        } else {
            None
        };
    }
    match (subscripts.len() == rank, has_section) {
        (true, true) => {
            // An inquiry such as size(a%b, 1) counts the dimensions of the last part only.
            let above = parts.split_last().map_or(&[][..], |(_, above)| above);
            let array = if total_rank(above) == 0 {
                Some(whole)
            } else {
                None
            };
            let shape = parts.first()?.shape;
            Some(of_sections(program, shape, array, subscripts))
        }
        (true, false) => None,
        (false, true) => Some(None),
        (false, false) => of_whole_parts(program, parts, whole, subscripts.len()),
    }
}

/// The extents where fewer subscripts than dimensions are given, so that some parts are whole arrays. Which of two parts of
/// one rank has the subscripts is not known here: the first is assumed to have them.
fn of_whole_parts(
    program: &Program,
    parts: &[PartRef],
    array: &Expression,
    mut subscripts: usize,
) -> Option<Extents> {
    let arrays = parts.iter().filter(|part| part.rank > 0).count();
    let can_inquire = subscripts == 0 && arrays == 1;
    let mut whole: Vec<&PartRef> = Vec::new();
    for part in parts {
        match subscripts.checked_sub(part.rank) {
            Some(rest) => subscripts = rest,
            None => whole.push(part),
        }
    }
    if whole.iter().any(|part| part.is_allocated) {
        if !can_inquire {
            return Some(None);
        }
        return Some(Some(vec![array_inquiries::inquiry_call(
            "size",
            array.clone(),
            None,
        )]));
    }
    let known = whole.into_iter().find(|part| !part.shape.is_empty())?;
    Some(of_whole(program, known.shape, None))
}

/// The extents of a section. `shape` is the declared shape of the first subscripts, as far as it is known; `array` a designator
/// for inquiries about the rest.
fn of_sections(
    program: &Program,
    shape: &[Dimension],
    array: Option<&Expression>,
    subscripts: &[Subscript],
) -> Extents {
    let mut extents = Vec::new();
    for (at, subscript) in subscripts.iter().enumerate() {
        if let Subscript::Section {
            lower,
            upper,
            stride,
        } = subscript
        {
            let dimension = SectionDimension {
                number: at as i64 + 1,
                declared: shape.get(at),
                array,
            };
            let extent = match (lower, upper, stride) {
                (None, None, None) if !dimension.has_declared_bound() => dimension.inquire("size"),
                _ => {
                    let first = lower.clone().or_else(|| dimension.lower_bound())?;
                    let last = upper.clone().or_else(|| dimension.upper_bound())?;
                    trips(program, &first, &last, stride.as_ref(), is_integer)
                }
            };
            extents.push(extent?);
        }
    }
    Some(extents)
}

/// A dimension of an array from which a section is taken.
struct SectionDimension<'a> {
    /// Its number, from 1.
    number: i64,
    declared: Option<&'a Dimension>,
    array: Option<&'a Expression>,
}

impl SectionDimension<'_> {
    /// Whether the declaration gives a bound. Allocatables and pointers get theirs at run time.
    fn has_declared_bound(&self) -> bool {
        match self.declared {
            Some(declared) => declared.lower.is_some() || declared.upper.is_some(),
            None => false,
        }
    }

    fn inquire(&self, function: &str) -> Option<Expression> {
        let dimension = Expression::Integer(self.number);
        Some(array_inquiries::inquiry_call(
            function,
            self.array?.clone(),
            Some(dimension),
        ))
    }

    fn lower_bound(&self) -> Option<Expression> {
        if !self.has_declared_bound() {
            return self.inquire("lbound");
        }
        let declared = self.declared?.lower.clone();
        Some(declared.unwrap_or(Expression::Integer(1)))
    }

    fn upper_bound(&self) -> Option<Expression> {
        match self.declared.and_then(|declared| declared.upper.clone()) {
            Some(upper) => Some(upper),
            None => self.inquire("ubound"),
        }
    }
}
