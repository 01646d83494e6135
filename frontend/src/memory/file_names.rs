//! Suffixes of file names that a program makes at run time: names with different suffixes belong to different files. This proves
//! that the texts of FILE= differ; that a file has no second name (a link) is assumed, as it is for literals.

use crate::ir::constant_values::constant;
use crate::ir::{
    Callee, Expression, IoUnit, Operator, Program, StatementId, StatementKind, Storage, Type,
    VariableId,
};
use crate::memory::io_units::{Numbers, Source};
use crate::memory::location_id::LocationId;
use std::collections::BTreeSet;

/// The end of a name, without blanks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// This text.
    Text(String),
    /// A number that is written in a field: a digit, or `*` where it does not fit.
    Digit,
    /// Not known.
    Any,
}

/// The names of a class of files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Whole names.
    literals: BTreeSet<String>,
    /// Ends of names that are made.
    ends: BTreeSet<End>,
}

impl Names {
    /// Of what an OPEN says with FILE=.
    pub(crate) fn of(program: &Program, texts: &Numbers, file: &Expression) -> Self {
        let mut names = Names::default();
        match literal(file) {
            Some(text) => names.add_literal(text.trim_end()),
            None => names.ends = ends(program, texts, file, &mut BTreeSet::new()),
        }
        names
    }

    /// A name that is known.
    pub(crate) fn add_literal(&mut self, name: &str) {
        self.literals.insert(name.to_string());
    }

    /// A name of which nothing is known.
    pub(crate) fn add_any(&mut self) {
        self.ends.insert(End::Any);
    }

    /// The names of both.
    pub(crate) fn extend(&mut self, other: &Names) {
        self.literals.extend(other.literals.iter().cloned());
        self.ends.extend(other.ends.iter().cloned());
    }

    /// Whether a name of the one may be a name of the other.
    pub(crate) fn may_overlap(&self, other: &Names) -> bool {
        let all = |names: &Names| -> Vec<End> {
            let literals = names.literals.iter().map(|name| End::Text(name.clone()));
            literals.chain(names.ends.iter().cloned()).collect()
        };
        let (own, others) = (all(self), all(other));
        own.iter()
            .any(|end| others.iter().any(|other| may_be_one(end, other)))
    }
}

/// Whether two names that end so may be one.
fn may_be_one(one: &End, other: &End) -> bool {
    match (one, other) {
        (End::Any, _) | (_, End::Any) | (End::Digit, End::Digit) => true,
        // A name can end with both texts only if one of them ends with the other.
        (End::Text(one), End::Text(other)) => one.ends_with(other) || other.ends_with(one),
        (End::Digit, End::Text(text)) | (End::Text(text), End::Digit) => text
            .chars()
            .last()
            .is_none_or(|last| last.is_ascii_digit() || last == '*'),
    }
}

/// The text of a literal without its quotes, if it has no quotes in it.
fn literal(expression: &Expression) -> Option<&str> {
    let Expression::Literal(text) = expression else {
        return None;
    };
    unquoted(text)
}

fn unquoted(text: &str) -> Option<&str> {
    let quote = text
        .chars()
        .next()
        .filter(|quote| ['\'', '"'].contains(quote))?;
    let inside = text.get(1..text.len().checked_sub(1)?)?;
    (text.len() > 1 && text.ends_with(quote) && !inside.contains(quote)).then_some(inside)
}

/// How a text may end that is made at run time; `open` are the places that are being followed.
fn ends(
    program: &Program,
    texts: &Numbers,
    expression: &Expression,
    open: &mut BTreeSet<LocationId>,
) -> BTreeSet<End> {
    let any = || BTreeSet::from([End::Any]);
    if let Some(text) = literal(expression) {
        return match text.trim_end() {
            "" => any(),
            text => BTreeSet::from([End::Text(text.to_string())]),
        };
    }
    match expression {
        Expression::Binary {
            operator: Operator::Concatenate,
            right,
            ..
        } => ends(program, texts, right, open),
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } if ["trim", "adjustl"].contains(&name.as_str()) && arguments.len() == 1 => {
            ends(program, texts, &arguments[0], open)
        }
        Expression::Variable(variable) => {
            of_variable(program, texts, *variable, open).unwrap_or_else(any)
        }
        _ => any(),
    }
}

/// How what a variable holds may end; `None` if not all of that is seen.
fn of_variable(
    program: &Program,
    texts: &Numbers,
    variable: VariableId,
    open: &mut BTreeSet<LocationId>,
) -> Option<BTreeSet<End>> {
    let (place, sources) = texts.texts(variable)?;
    if !open.insert(place) {
        // Copies of itself end as it does.
        return Some(BTreeSet::new());
    }
    let mut found = BTreeSet::new();
    for source in sources {
        match source {
            Source::Value(value) if fits(program, value, variable) => {
                found.extend(ends(program, texts, value, open));
            }
            Source::Passed(value) if preserves_length(program, value, variable) => {
                found.extend(ends(program, texts, value, open));
            }
            Source::Written(id) => {
                found.insert(of_internal_write(program, *id)?);
            }
            Source::Value(_)
            | Source::Passed(_)
            | Source::Free(_)
            | Source::Counted
            | Source::Hidden => {
                return None;
            }
        }
    }
    Some(found)
}

/// Whether an assignment to a variable keeps the end of a value.
fn fits(program: &Program, value: &Expression, variable: VariableId) -> bool {
    let target = program.variable(variable);
    if target.attributes.allocatable && target.length.is_none() {
        return true;
    }
    let Some(length) = length(program, variable) else {
        return false;
    };
    max_length(program, value).is_some_and(|most| most <= length)
}

/// Whether a dummy has the length of what is passed for it: it is a dummy of assumed length, or the value is such a dummy that
/// leaves its text in a variable of its caller. A dummy of fixed length may cut the text that it is passed.
fn preserves_length(program: &Program, value: &Expression, variable: VariableId) -> bool {
    let is_dummy = |id: VariableId| matches!(program.variable(id).storage, Storage::Dummy(_));
    let is_assumed = |id: VariableId| is_dummy(id) && program.variable(id).length.is_none();
    if is_assumed(variable) {
        return true;
    }
    !is_dummy(variable) && matches!(value, Expression::Variable(other) if is_assumed(*other))
}

fn length(program: &Program, variable: VariableId) -> Option<i64> {
    constant(program, program.variable(variable).length.as_ref()?)
}

/// The most characters that a text has.
fn max_length(program: &Program, text: &Expression) -> Option<i64> {
    if let Some(text) = literal(text) {
        return i64::try_from(text.len()).ok();
    }
    match text {
        Expression::Variable(variable) => length(program, *variable),
        Expression::Binary {
            operator: Operator::Concatenate,
            left,
            right,
        } => max_length(program, left)?.checked_add(max_length(program, right)?),
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } if ["trim", "adjustl"].contains(&name.as_str()) && arguments.len() == 1 => {
            max_length(program, &arguments[0])
        }
        _ => None,
    }
}

/// How a text ends that an internal WRITE makes with a format that is a literal: a longer one ends the run.
fn of_internal_write(program: &Program, id: StatementId) -> Option<End> {
    let StatementKind::InputOutput(io) = &program.statement(id).kind else {
        return None;
    };
    let (IoUnit::Internal(_), Some(format)) = (&io.unit, &io.format) else {
        return None;
    };
    if !io.jumps.is_empty() || !io.writes.is_empty() {
        // The run goes on where the text does not fit.
        return None;
    }
    let parts = descriptors(format)?;
    let taking = parts
        .iter()
        .filter(|part| !matches!(part, Descriptor::Text(_)))
        .count();
    if taking != io.reads.len() || !io.reads.iter().all(|item| is_scalar(program, item)) {
        return None;
    }
    match parts.last()? {
        Descriptor::Text(text) if !text.trim_end().is_empty() => {
            Some(End::Text(text.trim_end().to_string()))
        }
        Descriptor::Integer => Some(End::Digit),
        Descriptor::Characters => {
            let text = literal(io.reads.last()?)?.trim_end();
            (!text.is_empty()).then(|| End::Text(text.to_string()))
        }
        Descriptor::Text(_) | Descriptor::Other => None,
    }
}

fn is_scalar(program: &Program, item: &Expression) -> bool {
    match item {
        Expression::Integer(_) | Expression::Literal(_) => true,
        Expression::Variable(variable) => {
            let variable = program.variable(*variable);
            variable.shape.is_empty()
                && !matches!(variable.of_type, Type::Derived(_) | Type::Unknown)
        }
        Expression::Unary { operand, .. } => is_scalar(program, operand),
        Expression::Binary { left, right, .. } => {
            is_scalar(program, left) && is_scalar(program, right)
        }
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } => {
            ["trim", "adjustl", "int", "mod", "nint"].contains(&name.as_str())
                && arguments
                    .iter()
                    .all(|argument| is_scalar(program, argument))
        }
        Expression::Reference { .. } | Expression::Call { .. } | Expression::Other(_) => false,
    }
}

/// A part of a format.
enum Descriptor {
    /// A literal.
    Text(String),
    /// `I4.4`.
    Integer,
    /// `A`.
    Characters,
    /// Another that takes an item.
    Other,
}

/// The parts of a format without repetition and nested lists.
fn descriptors(format: &str) -> Option<Vec<Descriptor>> {
    // Inside a literal of the other quote the format's own need not be doubled.
    let inside = unquoted(format)?
        .trim()
        .strip_prefix('(')?
        .strip_suffix(')')?;
    let (mut found, mut rest) = (Vec::new(), inside.trim_start());
    while let Some(first) = rest.chars().next() {
        if first == ',' {
            rest = rest[1..].trim_start();
            continue;
        }
        if first == '\'' || first == '"' {
            let end = rest[1..].find(first)? + 1;
            found.push(Descriptor::Text(rest[1..end].to_string()));
            rest = rest[end + 1..].trim_start();
            continue;
        }
        let end = rest.find([',', '\'', '"']).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        let word = word.trim().to_ascii_lowercase();
        let (letters, numbers) = word.split_at(
            word.find(|c: char| !c.is_ascii_alphabetic())
                .unwrap_or(word.len()),
        );
        if !numbers.chars().all(|c| c.is_ascii_digit() || c == '.') {
            return None;
        }
        found.push(match letters {
            // With no digit as its minimum (`i0.0`), nothing is written for the value 0.
            "i" if numbers
                .split_once('.')
                .is_none_or(|(_, least)| least.parse().is_ok_and(|least: u32| least > 0)) =>
            {
                Descriptor::Integer
            }
            "i" => Descriptor::Other,
            // A field that is wider than a text puts blanks before it, and a narrower one loses its end.
            "a" if numbers.is_empty() => Descriptor::Characters,
            "a" | "f" | "e" | "es" | "en" | "g" | "d" | "l" => Descriptor::Other,
            _ => return None,
        });
        rest = behind.trim_start();
    }
    Some(found)
}
