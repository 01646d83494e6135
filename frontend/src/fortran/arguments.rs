//! Actual arguments with their keywords.

use super::syntax::At;
use crate::ir::Expression;

/// An actual argument with its keyword.
pub type Given = (Option<String>, Expression);

/// Name of a keyword argument.
pub fn keyword_of(at: At) -> Option<String> {
    if !at.is("keyword_argument") {
        return None;
    }
    at.field("name").map(|name| name.name())
}

/// Arguments at their positions; `position` gives those of keywords.
pub fn placed(
    arguments: Vec<Given>,
    position: impl Fn(&str) -> Option<usize>,
) -> Vec<Option<Expression>> {
    let mut ordered: Vec<Option<Expression>> = Vec::new();
    for (index, (keyword, argument)) in arguments.into_iter().enumerate() {
        let named = keyword.and_then(|keyword| position(&keyword));
        let at = named.unwrap_or(index);
        if ordered.len() <= at {
            ordered.resize(at + 1, None);
        }
        ordered[at] = Some(argument);
    }
    ordered
}

/// Puts the object among the arguments as the dummy at a position, by its name if it is behind keywords.
pub fn insert_object(
    at: usize,
    dummy: Option<String>,
    object: Expression,
    arguments: &mut Vec<Given>,
) {
    let mut positional = 0;
    while let Some((None, _)) = arguments.get(positional) {
        positional += 1;
    }
    if at <= positional {
        arguments.insert(at, (None, object));
    } else {
        arguments.push((dummy, object));
    }
}
