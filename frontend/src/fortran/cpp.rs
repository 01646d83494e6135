//! The C preprocessor, as far as it keeps lengths: directive lines and lines of inactive branches
//! become blank. Macros are not expanded and `#include` is not followed; both are remarked.

use super::copy::physical_lines;
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
    pub remarks: Vec<(usize, String)>,
}

/// Hides directives and inactive branches.
pub fn hide(text: &[u8], defines: &[(String, String)]) -> Visible {
    let mut visible = Visible { text: text.to_vec(), remarks: Vec::new() };
    if !text.contains(&b'#') {
        return visible;
    }
    let mut macros: BTreeMap<String, String> = defines.iter().cloned().collect();
    let mut branches: Vec<Branch> = Vec::new();
    let mut continued = false;
    for row in physical_lines(text) {
        let directive = continued || text.get(row.start) == Some(&b'#');
        if directive && !continued {
            let line = String::from_utf8_lossy(&text[row.clone()]).to_string();
            obey(&line[1..], row.start, &mut macros, &mut branches, &mut visible.remarks);
        }
        continued = directive && text[row.clone()].trim_ascii_end().last() == Some(&b'\\');
        if directive || branches.iter().any(|branch| !branch.active) {
            blank(&mut visible.text, row);
        }
    }
    visible
}

/// Names of the macros that a text defines in any of its branches.
pub fn defined(text: &[u8]) -> impl Iterator<Item = String> + '_ {
    let directives = physical_lines(text).into_iter().filter(|row| text.get(row.start) == Some(&b'#'));
    directives.filter_map(|row| {
        let line = String::from_utf8_lossy(&text[row]).to_string();
        let name = line[1..].trim_start().strip_prefix("define")?.trim_start();
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
        Some(name[..end].to_string())
    })
}

fn blank(text: &mut [u8], row: Range<usize>) {
    text[row].fill(b' ');
}

fn obey(
    line: &str,
    at: usize,
    macros: &mut BTreeMap<String, String>,
    branches: &mut Vec<Branch>,
    remarks: &mut Vec<(usize, String)>,
) {
    let line = line.trim();
    let split = line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len());
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
        "include" if active => {
            remarks.push((at, format!("#include {rest} is not followed: write it as an INCLUDE line")));
        }
        _ => {}
    }
}

fn open(branches: &mut Vec<Branch>, outer: bool, condition: bool) {
    branches.push(Branch { active: outer && condition, taken: condition, outer });
}

fn next(branches: &mut [Branch], condition: bool) {
    if let Some(branch) = branches.last_mut() {
        branch.active = branch.outer && !branch.taken && condition;
        branch.taken |= condition;
    }
}

fn define(rest: &str, macros: &mut BTreeMap<String, String>) {
    let (name, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, "1"));
    macros.insert(name.to_string(), value.trim().to_string());
}

/// Value of a condition; what is not understood is false.
fn evaluate(text: &str, macros: &BTreeMap<String, String>) -> bool {
    let words = words(text);
    let mut reader = Reader { words: &words, at: 0, macros, depth: 0 };
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
            let double = ["&&", "||", "==", "!=", "<=", ">="].iter().any(|two| rest.starts_with(two));
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
const LEVELS: [&[&str]; 6] =
    [&["||"], &["&&"], &["==", "!="], &["<", "<=", ">", ">="], &["+", "-"], &["*", "/", "%"]];

/// Deepest nesting of parentheses and signs that is read.
const DEEPEST: u32 = 100;

impl Reader<'_> {
    fn peek(&self) -> &str {
        self.words.get(self.at).map_or("", String::as_str)
    }

    fn binary(&mut self, level: usize) -> i64 {
        let Some(operators) = LEVELS.get(level) else { return self.primary() };
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
            _ if self.depth > DEEPEST => 0,
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
