//! What the steps of directives name among several things, and the messages where they name nothing: the same for all languages.

use super::{Directive, LoopKind, Position, Step, StepError};

/// The condition under which a directive counts: that the calls of its path are under way. `mark` marks the calls of a step and gives
/// what tests that one is; `and` joins two such tests.
///
/// # Errors
/// That of a step, with its place in the path.
pub(crate) fn condition(
    directive: &Directive,
    and: &str,
    mut mark: impl FnMut(&Step, &str) -> Result<String, String>,
) -> Result<Option<String>, StepError> {
    let mut tests: Vec<String> = Vec::new();
    for (number, pair) in directive.path.windows(2).enumerate() {
        let [callee, step] = pair else { continue };
        let test = mark(step, &callee.function).map_err(|message| (number + 1, message))?;
        tests.push(test);
    }
    match tests.is_empty() {
        true => Ok(None),
        false => Ok(Some(tests.join(and))),
    }
}

/// Most names or places that a message lists.
const MOST_LISTED: usize = 6;

/// The first of several names, separated by commas.
pub(crate) fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let first: Vec<&str> = names.iter().take(MOST_LISTED).map(AsRef::as_ref).collect();
    match names.len() {
        0 => "none".into(),
        count if count > MOST_LISTED => format!("{}, …", first.join(", ")),
        _ => first.join(", "),
    }
}

/// The n-th of several, from 1.
pub(crate) fn nth<T: Copy>(found: &[T], number: u32) -> Option<T> {
    let index = (number as usize).checked_sub(1)?;
    found.get(index).copied()
}

/// Most procedures that a message names: about ten lines.
const MOST_PROCEDURES: usize = 60;

/// The program has no procedure of a name. Of many, those are named whose names contain it: the name may be generic.
pub(crate) fn no_procedure(word: &str, name: &str, known: &[&str]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for one in known {
        if one.contains(name) {
            names.push(one);
        }
    }
    if names.is_empty() {
        names.extend(known);
    }
    let more = match names.len().checked_sub(MOST_PROCEDURES) {
        None | Some(0) => String::new(),
        Some(more) => format!(" and {more} more"),
    };
    names.truncate(MOST_PROCEDURES);
    format!(
        "the program has no {word} {name}; write the name of one that it has: {}{more}",
        names.join(", ")
    )
}

/// The program has several procedures of a name.
pub(crate) fn several_procedures(word: &str, name: &str, count: usize) -> String {
    format!("the program has {count} {word}s of the name {name}; rename the one that is meant")
}

/// A procedure has no loop of a number.
pub(crate) fn no_block(
    procedure: &str,
    number: u32,
    kind: Option<LoopKind>,
    places: &[String],
) -> String {
    let kind = match kind {
        None => "",
        Some(LoopKind::For) => " of the kind for",
        Some(LoopKind::While) => " of the kind while",
        Some(LoopKind::Do) => " of the kind do",
    };
    format!(
        "{procedure} has no block {number}{kind}; blocks are its loops{kind}, counted from 1: {}",
        listed(places)
    )
}

/// The number of a position, and the word for where it counts. Without a position all in the range are meant.
pub(crate) fn side(position: Option<Position>) -> (u32, &'static str) {
    match position {
        None => (1, "in"),
        Some(Position::Inside(number)) => (number, "in"),
        Some(Position::Before(number)) => (number, "before"),
        Some(Position::After(number)) => (number, "behind"),
    }
}

/// Nothing stands at a position. `whole` is the procedure or loop, `places` those of what was found there.
pub(crate) fn no_position(
    position: Option<Position>,
    what: &str,
    whole: &str,
    places: &[String],
) -> String {
    let (number, side) = side(position);
    match places.is_empty() {
        true => format!("there are no {what} {side} {whole}; correct the position"),
        false => format!(
            "there is no position {number} among the {what} {side} {whole}, counted from 1: {}",
            listed(places)
        ),
    }
}

/// `before` and `after` without a loop.
pub(crate) const NO_BLOCK_FOR_SIDE: &str = "before and after need a block; add blockCount";

/// `blockName` without `blockCount`.
pub(crate) const NO_BLOCK_NUMBER: &str = "the number of the block is missing; add blockCount";

/// What a procedure that may be executed in itself means for measurements.
pub(crate) fn calls_itself(procedure: &str) -> String {
    format!(
        "{procedure} may call itself, so its executions are not measured apart; name the function that calls it first"
    )
}
