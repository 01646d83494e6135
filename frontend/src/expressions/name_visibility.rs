//! Name visibility: whether a name denotes a given variable at a statement; what probes evaluate there is written in names of the
//! program, and constructs and procedures around may have others of the same spelling.

use crate::fortran;
use crate::ir::references;
use crate::ir::statement_tree::Outline;
use crate::ir::{Expression, Program, StatementId, VariableId};
use std::collections::BTreeSet;

/// Whether a variable is known by its own name where a statement stands.
pub(crate) fn is_known(
    program: &Program,
    outline: &Outline,
    variable: VariableId,
    at: StatementId,
) -> bool {
    let name = &program.variable(variable).name;
    let mut around = outline
        .ancestors(at)
        .filter_map(|construct| program.own_names.get(&construct));
    match around.find_map(|names| names.get(name)) {
        Some(meant) => *meant == Some(variable),
        None => program
            .procedure(program.statement(at).procedure)
            .known
            .binary_search(&variable)
            .is_ok(),
    }
}

/// Text of an expression that means the same where a statement stands; `None` if it cannot be written there.
pub(crate) fn spell(
    program: &Program,
    outline: &Outline,
    expression: &Expression,
    at: StatementId,
) -> Option<String> {
    for variable in references::variables(expression) {
        if !is_known(program, outline, variable, at) {
            return None;
        }
    }
    fortran::spell(program, expression)
}

/// Whether the names of a count have the same meaning in a probe as in the program. `max` and `int` are added by probes.
pub(crate) fn is_unshadowed(text: &str, ambiguous: &BTreeSet<String>) -> bool {
    !names_any(&format!("max int {text}"), ambiguous)
}

/// Whether a text contains one of the `ambiguous` names. Terms are in lower case, but macros are case-sensitive: the
/// preprocessor would replace a name in a term that it left alone in the source, or the reverse.
pub(crate) fn names_any(text: &str, ambiguous: &BTreeSet<String>) -> bool {
    let is_separator = |c: char| !c.is_alphanumeric() && c != '_';
    for word in text.split_inclusive(is_separator) {
        let word = word.to_ascii_lowercase();
        let name = word.trim_end_matches(is_separator);
        // With the separator, for inquiry functions and their parenthesis.
        if ambiguous.contains(name) || ambiguous.contains(&word) {
            return true;
        }
    }
    false
}
