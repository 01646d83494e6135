//! C sources, as far as profiling directives need them: where functions, loops, calls, assignments and declarations stand. There
//! is no meaning beyond that, and no slice. The text is that of a preprocessor, so macros and conditions have been followed, and
//! line markers lead back to the user's lines.

mod declarations;
mod outline;
mod syntax;

use crate::ir::line_markers;
use std::ops::Range;

/// A preprocessed C file.
#[derive(Clone, Debug)]
pub struct CFile {
    /// Its path, as the user names it.
    pub path: String,
    /// Its text with line markers.
    pub text: Vec<u8>,
    /// Its functions, in the order of the text.
    pub functions: Vec<CFunction>,
    /// Variables of the file.
    pub variables: Vec<CVariable>,
}

/// A function with a body.
#[derive(Clone, Debug)]
pub struct CFunction {
    /// Its name.
    pub name: String,
    /// Its body with the braces.
    pub body: Range<usize>,
    /// Its loops, in the order of the text.
    pub loops: Vec<CLoop>,
    /// Its calls of functions by name, in the order of the text.
    pub calls: Vec<CCall>,
    /// Assignments to variables by name, in the order of the text.
    pub assignments: Vec<CAssignment>,
    /// Its parameters and variables.
    pub variables: Vec<CVariable>,
    /// Its labels, those of `switch` included.
    pub labels: Vec<CLabel>,
    /// Its `goto` statements: where, and the label; `None` if it is computed.
    pub jumps: Vec<(usize, Option<String>)>,
    /// The first place that cannot be read.
    pub unread: Option<usize>,
}

/// Sort of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CLoopKind {
    /// `for`.
    For,
    /// `while`.
    While,
    /// `do … while`.
    Do,
}

/// A loop.
#[derive(Clone, Debug)]
pub struct CLoop {
    /// Its sort.
    pub kind: CLoopKind,
    /// The whole statement, with `#pragma` lines that must stand directly before it.
    pub whole: Range<usize>,
    /// Where the statement itself begins.
    pub begin: usize,
    /// Its body.
    pub body: Range<usize>,
    /// Whether the body has braces.
    pub has_braces: bool,
}

/// A call of a function by its name.
#[derive(Clone, Debug)]
pub struct CCall {
    /// The name.
    pub name: String,
    /// The whole expression.
    pub whole: Range<usize>,
    /// Its arguments.
    pub arguments: Vec<CArgument>,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct CArgument {
    /// Where it stands.
    pub place: Range<usize>,
    /// Whether evaluating it may change something: it contains a call or an assignment.
    pub has_effects: bool,
}

/// How a variable gets a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CAssignmentForm {
    /// `x = 1`, `x += 1`, `++x`: the expression has the value that was assigned.
    Expression,
    /// `x++`: the expression has the value before.
    Postfix,
    /// The value in `int x = 1;`.
    Initial,
}

/// An assignment to a variable.
#[derive(Clone, Debug)]
pub struct CAssignment {
    /// The variable.
    pub name: String,
    /// The expression; of a declaration its value.
    pub whole: Range<usize>,
    /// Its form.
    pub form: CAssignmentForm,
}

/// What is known of the type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CType {
    /// A number, as far as the text shows.
    Number,
    /// A pointer.
    Pointer,
    /// An array.
    Array,
    /// A structure or union.
    Structure,
    /// A complex number.
    Complex,
}

/// A declaration of a variable or parameter.
#[derive(Clone, Debug)]
pub struct CVariable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub of_type: CType,
    /// Where the declaration ends.
    pub end: usize,
    /// Where the name is known.
    pub scope: Range<usize>,
    /// Whether it is declared in the outermost block of the function, or is a parameter.
    pub is_outermost: bool,
    /// Whether it is declared `register`, and has no address.
    pub is_register: bool,
}

/// A label, or a `case` or `default` of a `switch`.
#[derive(Clone, Debug)]
pub struct CLabel {
    /// Where it stands.
    pub at: usize,
    /// Its name; `None` for one of a `switch`.
    pub name: Option<String>,
    /// The `switch` that jumps to it.
    pub switch: Option<Range<usize>>,
}

impl CFile {
    /// Reads a preprocessed text. What cannot be read is left out; the function that contains it says so.
    pub fn read(path: &str, text: Vec<u8>) -> Self {
        outline::read(path, text)
    }

    /// `FILE:LINE` of a byte.
    pub fn place(&self, at: usize) -> String {
        let (file, line) = line_markers::place(&self.text, &self.path, at);
        format!("{file}:{line}")
    }

    /// The text of a range, without the line markers that macros of system headers leave in it.
    pub fn spelling(&self, range: &Range<usize>) -> String {
        let bytes = self.text.get(range.clone()).unwrap_or_default();
        let text = String::from_utf8_lossy(bytes);
        let rows = text.split('\n');
        let own: Vec<&str> = rows
            .filter(|row| line_markers::read(row.as_bytes()).is_none())
            .collect();
        own.join(" ")
    }
}

impl CFunction {
    /// The declaration of a name that counts at a place: the innermost one that stands before it.
    pub fn variable(&self, name: &str, at: usize) -> Option<&CVariable> {
        let visible = |variable: &&CVariable| {
            variable.name == name && variable.scope.contains(&at) && variable.end <= at
        };
        let found = self.variables.iter().filter(visible);
        // Scopes nest, so the one that begins last is the innermost; of two in one scope the later counts.
        found.max_by_key(|variable| (variable.scope.start, variable.end))
    }
}

#[cfg(test)]
mod tests;
