//! The C preprocessor, as far as it keeps lengths: directive lines and lines of inactive branches
//! become blank. Macros are not expanded and `#include` is not followed. Directives that are left in a text that is
//! analysed are errors: a compiler without a preprocessor ignores them, and takes all branches.

use super::fixed_form;
use super::parser_copy::physical_lines;
use super::tokens::{TokenKind, tokens};
use crate::ir::line_markers;
use crate::source::{Form, SourceFile};
use std::collections::BTreeMap;
use std::ops::Range;

/// A branch of `#if` that is open.
struct Branch {
    /// Whether its lines count.
    active: bool,
    /// Whether one of the branches of this `#if` was taken.
    taken: bool,
    /// Whether the lines around it count.
    outer: bool,
}

/// What the preprocessor leaves.
pub struct Visible {
    /// The text with hidden lines blank.
    pub text: Vec<u8>,
    /// Offset and sentence of what was not followed.
    pub diagnostics: Vec<(usize, String)>,
}

/// Words of directives. `#pragma` and `#ident` mean nothing to Fortran, and preprocessors leave them.
const DIRECTIVES: [&str; 15] = [
    "if",
    "ifdef",
    "ifndef",
    "elif",
    "elifdef",
    "elifndef",
    "else",
    "endif",
    "define",
    "undef",
    "include",
    "include_next",
    "import",
    "error",
    "warning",
];

/// Whether a row is a directive, rather than a marker of lines or anything else.
pub fn is_directive(row: &[u8]) -> bool {
    let Some(rest) = row.strip_prefix(b"#") else {
        return false;
    };
    let rest = rest.trim_ascii_start();
    let length = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'_')
        .count();
    DIRECTIVES
        .iter()
        .any(|word| word.as_bytes() == &rest[..length])
}

/// Hides directives and inactive branches of a file with a path; diagnostics that there are any.
pub fn hide(path: &str, text: &[u8], defines: &[(String, String)]) -> Visible {
    let mut visible = Visible {
        text: text.to_vec(),
        diagnostics: Vec::new(),
    };
    if !text.contains(&b'#') {
        return visible;
    }
    visible.diagnostics.extend(left_over(path, text));
    let mut macros: BTreeMap<String, String> = defines.iter().cloned().collect();
    hide_rows(text, &mut macros, |row, _| visible.text[row].fill(b' '));
    visible
}

/// Whether compilers preprocess a file by its name: if its ending begins with a capital F, or is `fpp`.
fn asks_by_name(path: &str) -> bool {
    let ending = path
        .rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'));
    ending.is_some_and(|(_, ending)| ending.starts_with('F') || ending.eq_ignore_ascii_case("fpp"))
}

/// The first directive of a text, and what is wrong with it.
fn left_over(path: &str, text: &[u8]) -> Option<(usize, String)> {
    let rows = physical_lines(text);
    let mut files: Vec<String> = Vec::new();
    for row in rows {
        let line = &text[row.clone()];
        if let Some(marker) = line_markers::read(line).filter(line_markers::Marker::names_a_file) {
            files.push(marker.path);
        }
        if !is_directive(line) {
            continue;
        }
        let directive = String::from_utf8_lossy(line).trim_end().to_string();
        let is_included = files.first() != files.last();
        let remedy = if is_included {
            "files that INCLUDE lines name are not preprocessed: write #include instead, in a file that is"
        } else if asks_by_name(path) {
            // Its sources are preprocessed unless a flag forbids it.
            "the file's name asks for a preprocessor, but a flag turns it off: take -nocpp, -nofpp, -fpp0, -Mnopreprocess or \
             -x f77 out of the flags that compile it (FFLAGS, or the build that --from-build recorded)"
        } else {
            "ask for a preprocessor as the program's own build does (-cpp, -fpp or -Mpreprocess, in FFLAGS or by \
             --from-build), or let the file's name end in .F or .F90"
        };
        let sentence = format!(
            "'{directive}' is left to the compiler, which ignores it and takes all branches: {remedy}"
        );
        return Some((row.start, sentence));
    }
    None
}

/// Follows the conditions of a file of which no preprocessor is to see anything: as [`hide`], but `#include` lines stay.
/// Gives the first line on which a macro would be expanded, with its name.
pub fn follow(file: &mut SourceFile, defines: &[(String, String)]) -> Option<(usize, String)> {
    let mut macros: BTreeMap<String, String> = defines.iter().cloned().collect();
    let (text, mut left) = (file.text.clone(), file.text.clone());
    hide_rows(&text, &mut macros, |row, hidden| match hidden {
        Hidden::Include => {}
        Hidden::Directive | Hidden::Inactive => left[row].fill(b' '),
    });
    // All that are defined anywhere: which hold at a line is a preprocessor's business.
    let mut rows = (1..).zip(physical_lines(&left));
    let used = rows.find_map(|(line, row)| Some((line, macro_in(file, &left, row, &macros)?)));
    file.text = left;
    used
}

/// A name in a row, not in a comment or a text, that is a macro's.
fn macro_in(
    file: &SourceFile,
    text: &[u8],
    row: Range<usize>,
    macros: &BTreeMap<String, String>,
) -> Option<String> {
    let part = match file.form {
        Form::Fixed => fixed_form::text_of_row(text, row, &file.reading),
        Form::Free => row,
    };
    for token in tokens(text, part) {
        let word = &text[token.at];
        match token.kind {
            TokenKind::Mark if word == b"!" => return None,
            TokenKind::Word => {
                let name = String::from_utf8_lossy(word).into_owned();
                if macros.contains_key(&name) {
                    return Some(name);
                }
            }
            TokenKind::Number | TokenKind::Text | TokenKind::Mark => {}
        }
    }
    None
}

/// Why a row is hidden.
enum Hidden {
    /// An `#include` that counts.
    Include,
    /// Any other directive.
    Directive,
    /// It is in a branch that is not taken.
    Inactive,
}

/// Calls `hidden` for all rows that are hidden. Macros that the text defines are added to `macros`.
fn hide_rows(
    text: &[u8],
    macros: &mut BTreeMap<String, String>,
    mut hidden: impl FnMut(Range<usize>, Hidden),
) {
    let mut branches: Vec<Branch> = Vec::new();
    let mut continued = false;
    for row in physical_lines(text) {
        let directive = continued || text.get(row.start) == Some(&b'#');
        let mut includes = false;
        if directive && !continued {
            let line = String::from_utf8_lossy(&text[row.clone()]).to_string();
            includes = obey(&line[1..], macros, &mut branches);
        }
        // A backslash at its end continues a directive on the next line.
        continued = directive && text[row.clone()].trim_ascii_end().last() == Some(&b'\\');
        if directive {
            hidden(
                row,
                if includes {
                    Hidden::Include
                } else {
                    Hidden::Directive
                },
            );
        } else if branches.iter().any(|branch| !branch.active) {
            hidden(row, Hidden::Inactive);
        }
    }
}

/// Names of the macros that a text defines in any of its branches.
pub fn defined(text: &[u8]) -> impl Iterator<Item = String> + '_ {
    let directives = physical_lines(text)
        .into_iter()
        .filter(|row| text.get(row.start) == Some(&b'#'));
    directives.filter_map(|row| {
        let line = String::from_utf8_lossy(&text[row]).to_string();
        let name = line[1..].trim_start().strip_prefix("define")?.trim_start();
        let end = name
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(name.len());
        Some(name[..end].to_string())
    })
}

/// Does what a directive says; whether that is to include a file.
fn obey(line: &str, macros: &mut BTreeMap<String, String>, branches: &mut Vec<Branch>) -> bool {
    let line = line.trim();
    let split = line
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(line.len());
    let (word, rest) = (&line[..split], line[split..].trim());
    let active = branches.iter().all(|branch| branch.active);
    match word {
        "if" => open(branches, active, evaluate(rest, macros)),
        "ifdef" => open(branches, active, macros.contains_key(rest)),
        "ifndef" => open(branches, active, !macros.contains_key(rest)),
        "elif" => next(branches, evaluate(rest, macros)),
        "else" => next(branches, true),
        "endif" => drop(branches.pop()),
        "define" if active => define(rest, macros),
        "undef" if active => drop(macros.remove(rest)),
        _ => {}
    }
    active && word == "include"
}

fn open(branches: &mut Vec<Branch>, outer: bool, condition: bool) {
    branches.push(Branch {
        active: outer && condition,
        taken: condition,
        outer,
    });
}

fn next(branches: &mut [Branch], condition: bool) {
    if let Some(branch) = branches.last_mut() {
        branch.active = branch.outer && !branch.taken && condition;
        branch.taken |= condition;
    }
}

fn define(rest: &str, macros: &mut BTreeMap<String, String>) {
    let end = rest
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    let (name, value) = rest.split_at(end);
    // As `-DNAME` defines it. In a condition an empty macro would be an error of the preprocessor.
    let value = if value.is_empty() { "1" } else { value };
    macros.insert(name.to_string(), value.trim().to_string());
}

/// Value of a condition; what is not understood is false.
fn evaluate(text: &str, macros: &BTreeMap<String, String>) -> bool {
    let words = words(text);
    let mut reader = Reader {
        words: &words,
        at: 0,
        macros,
        depth: 0,
    };
    reader.binary(0) != 0
}

/// Names, numbers and operators of a condition.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let name = |c: char| c.is_alphanumeric() || c == '_';
        let length = if name(first) {
            rest.find(|c| !name(c)).unwrap_or(rest.len())
        } else {
            let double = ["&&", "||", "==", "!=", "<=", ">="]
                .iter()
                .any(|two| rest.starts_with(two));
            if double { 2 } else { first.len_utf8() }
        };
        words.push(rest[..length].to_string());
        rest = rest[length..].trim_start();
    }
    words
}

/// Reads a condition from left to right.
struct Reader<'a> {
    words: &'a [String],
    at: usize,
    macros: &'a BTreeMap<String, String>,
    depth: u32,
}

/// Binary operators, weakest first.
const LEVELS: [&[&str]; 6] = [
    &["||"],
    &["&&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Deepest nesting of parentheses and signs that is read.
const MAX_DEPTH: u32 = 100;

impl Reader<'_> {
    fn peek(&self) -> &str {
        self.words.get(self.at).map_or("", String::as_str)
    }

    fn binary(&mut self, level: usize) -> i64 {
        let Some(operators) = LEVELS.get(level) else {
            return self.primary();
        };
        let mut value = self.binary(level + 1);
        while operators.contains(&self.peek()) {
            let operator = self.peek().to_string();
            self.at += 1;
            let right = self.binary(level + 1);
            value = apply(&operator, value, right);
        }
        value
    }

    fn primary(&mut self) -> i64 {
        let word = self.peek().to_string();
        self.at += 1;
        self.depth += 1;
        let value = match word.as_str() {
            // The text may come from anywhere and must not exhaust the stack.
            _ if self.depth > MAX_DEPTH => 0,
            "!" => i64::from(self.primary() == 0),
            "-" => self.primary().wrapping_neg(),
            "(" => {
                let value = self.binary(0);
                self.at += 1;
                value
            }
            "defined" => self.defined(),
            _ => self.value(&word),
        };
        self.depth -= 1;
        value
    }

    fn defined(&mut self) -> i64 {
        let parenthesis = usize::from(self.peek() == "(");
        let name = self.words.get(self.at + parenthesis);
        self.at += 1 + 2 * parenthesis;
        i64::from(name.is_some_and(|name| self.macros.contains_key(name)))
    }

    /// A number, or a macro's number; an undefined name is 0.
    fn value(&self, word: &str) -> i64 {
        let text = self.macros.get(word).map_or(word, String::as_str);
        text.parse().unwrap_or(0)
    }
}

fn apply(operator: &str, left: i64, right: i64) -> i64 {
    match operator {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<" => i64::from(left < right),
        "<=" => i64::from(left <= right),
        ">" => i64::from(left > right),
        ">=" => i64::from(left >= right),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "/" => left.checked_div(right).unwrap_or(0),
        "%" => left.checked_rem(right).unwrap_or(0),
        _ => 0,
    }
}
