//! Tests of the form source → output, as files: `tests/ui/AREA/NAME.f90`, or `NAME.f` in fixed form, and the
//! expected output beside it, `NAME.out`.
//!
//! The first line of a source names the outputs that are expected, and options: `! ui: slice diagnostics --timed`. The
//! comment below it says what the case shows. The tests of a crate give the outputs their meaning; this module reads
//! the cases, compares, and reports.
//!
//! A source may have variants, which differ in some lines:
//!
//! ```text
//! !case 1 3
//!   lines of the variants 1 and 3
//! !case 2
//!   lines of variant 2
//! !else
//!   lines of all variants that are not named in this choice
//! !end case
//! ```
//!
//! The lines of other variants are blank in a variant, so that line numbers are those of the file. Variants with equal
//! outputs share an entry of the expected file.

use expect_test::expect_file;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

const HEADER: &str = "! ui: ";

/// One program of a case: all of it, or one of its variants.
#[derive(Clone, Debug)]
pub struct Source {
    /// File name, without folder.
    pub file: String,
    /// Its text.
    pub text: String,
    /// Options of the first line, each without `--`, with its value: `("data-only", "kernel")`.
    pub options: Vec<(String, String)>,
}

impl Source {
    /// The lines of the text.
    pub fn lines(&self) -> Vec<&str> {
        self.text.lines().collect()
    }

    /// The first line, 1-based, that contains `mark`.
    pub fn marked(&self, mark: &str) -> Option<usize> {
        let index = self.lines().iter().position(|line| line.contains(mark))?;
        Some(index + 1)
    }
}

/// What the first line of a case asks for.
struct Header {
    outputs: Vec<String>,
    options: Vec<(String, String)>,
}

fn header(text: &str) -> Result<Header, String> {
    let first = text.lines().next().unwrap_or("");
    let Some(words) = first.strip_prefix(HEADER) else {
        return Err(format!(
            "the first line must name the expected outputs: `{HEADER}OUTPUT... [--OPTION[=VALUE]...]`"
        ));
    };
    let mut outputs = Vec::new();
    let mut options = Vec::new();
    for word in words.split_whitespace() {
        match word.strip_prefix("--") {
            Some(option) => {
                let (name, value) = option.split_once('=').unwrap_or((option, ""));
                options.push((name.to_string(), value.to_string()));
            }
            None => outputs.push(word.to_string()),
        }
    }
    if outputs.is_empty() {
        return Err("the first line names no output".to_string());
    }
    Ok(Header { outputs, options })
}

/// A line that belongs to a choice between variants, or one that belongs to all.
enum Line<'a> {
    Case(Vec<usize>),
    Else,
    End,
    Text(&'a str),
}

fn classify(line: &str) -> Result<Line<'_>, String> {
    let trimmed = line.trim_end();
    if trimmed == "!end case" {
        return Ok(Line::End);
    }
    if trimmed == "!else" {
        return Ok(Line::Else);
    }
    let Some(numbers) = trimmed.strip_prefix("!case ") else {
        return Ok(Line::Text(line));
    };
    let mut variants = Vec::new();
    for number in numbers.split_whitespace() {
        let parsed = number
            .parse()
            .map_err(|_| format!("`{trimmed}`: variants are numbers"))?;
        variants.push(parsed);
    }
    Ok(Line::Case(variants))
}

/// All variants that a source names; empty where it has none.
fn variants(text: &str) -> Result<BTreeSet<usize>, String> {
    let mut found = BTreeSet::new();
    for line in text.lines() {
        if let Line::Case(numbers) = classify(line)? {
            found.extend(numbers);
        }
    }
    Ok(found)
}

/// The text of one variant: lines of others are blank.
fn variant(text: &str, number: usize) -> Result<String, String> {
    let mut found = String::new();
    // Which lines of the present choice count: `None` outside of choices.
    let mut is_chosen: Option<bool> = None;
    let mut named_in_choice = false;
    for line in text.lines() {
        match classify(line)? {
            Line::Case(numbers) => {
                let chosen = numbers.contains(&number);
                named_in_choice = chosen || (is_chosen.is_some() && named_in_choice);
                is_chosen = Some(chosen);
            }
            Line::Else => {
                if is_chosen.is_none() {
                    return Err("`!else` stands outside of a choice".to_string());
                }
                is_chosen = Some(!named_in_choice);
            }
            Line::End => {
                if is_chosen.is_none() {
                    return Err("`!end case` stands outside of a choice".to_string());
                }
                is_chosen = None;
            }
            Line::Text(line) => {
                if is_chosen != Some(false) {
                    found.push_str(line);
                }
            }
        }
        found.push('\n');
    }
    if is_chosen.is_some() {
        return Err("a choice has no `!end case`".to_string());
    }
    Ok(found)
}

/// Computes an output of a source by the output's name; an error says why there is none.
pub type Render<'a> = &'a dyn Fn(&Source, &str) -> Result<String, String>;

/// What the expected file of a case must contain.
fn expected(file: &str, text: &str, render: Render) -> Result<String, String> {
    let header = header(text)?;
    let of = |text: String| -> Result<String, String> {
        let source = Source {
            file: file.to_string(),
            text,
            options: header.options.clone(),
        };
        let mut found = String::new();
        for output in &header.outputs {
            found.push_str(&format!("{output}:\n"));
            for line in render(&source, output)?.lines() {
                // An empty line does not become two blanks.
                found.push_str(format!("  {line}").trim_end());
                found.push('\n');
            }
        }
        Ok(found)
    };
    let numbers = variants(text)?;
    if numbers.is_empty() {
        return of(text.to_string());
    }
    let mut entries: Vec<(Vec<String>, String)> = Vec::new();
    for number in numbers {
        let output = of(variant(text, number)?)?;
        let equal = entries.iter_mut().find(|(_, other)| *other == output);
        match equal {
            Some((variants, _)) => variants.push(number.to_string()),
            None => entries.push((vec![number.to_string()], output)),
        }
    }
    let mut found = String::new();
    for (variants, output) in entries {
        found.push_str(&format!("=== case {}\n{output}", variants.join(" ")));
    }
    Ok(found)
}

/// Extensions of sources: free and fixed form.
const SOURCES: [&str; 2] = ["f90", "f"];

fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{} is not readable: {error}", folder.display()));
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| {
            let found = path.extension().unwrap_or_default();
            extensions.iter().any(|extension| found == *extension)
        })
        .collect();
    found.sort();
    found
}

/// Checks all cases of a folder, or those whose path contains the environment variable `UI_CASE`, and reports all that
/// differ. `accept` is the command that runs this test.
///
/// # Panics
///
/// Where an output differs, a case is malformed, or an expected file has no source.
pub fn check(folder: &Path, accept: &str, render: Render) {
    let wanted = std::env::var("UI_CASE").unwrap_or_default();
    let mut faults = Vec::new();
    for path in files(folder, &SOURCES) {
        let name = path.display().to_string();
        if !name.contains(&wanted) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a readable case");
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        match expected(&file, &text, render) {
            Err(reason) => faults.push(format!("{name}: {reason}")),
            Ok(output) => {
                let beside = path.with_extension("out");
                // expect-test panics at a difference; the cases behind it are compared all the same.
                let compared = catch_unwind(AssertUnwindSafe(|| {
                    expect_file![&beside].assert_eq(&output);
                }));
                if compared.is_err() {
                    faults.push(format!("{name}: its output is not {}", beside.display()));
                }
            }
        }
    }
    for path in files(folder, &["out"]) {
        let mut sources = SOURCES
            .iter()
            .map(|extension| path.with_extension(extension));
        if !sources.any(|source| source.exists()) {
            faults.push(format!("{}: it has no source", path.display()));
        }
    }
    assert!(
        faults.is_empty(),
        "cases that differ (differences above): {}\n{}\nIf the new outputs are right: UPDATE_EXPECT=1 {accept}\n",
        faults.len(),
        faults.join("\n")
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHOICE: &str = "! ui: text --flag --to=3\n!case 1\none\n!case 2\ntwo\n!else\nothers\n!end case\nall\n!case 3\n!end case\n";

    fn echo(source: &Source, _: &str) -> Result<String, String> {
        let lines = source.lines();
        let words: Vec<&str> = lines[1..]
            .iter()
            .copied()
            .filter(|line| !line.is_empty())
            .collect();
        Ok(format!("{} {:?}", words.join(" "), source.options))
    }

    #[test]
    fn variants_have_their_lines_and_all_line_numbers() {
        assert_eq!(
            variant(CHOICE, 2).expect("a variant"),
            "! ui: text --flag --to=3\n\n\n\ntwo\n\n\n\nall\n\n\n"
        );
        let output = expected("t.f90", CHOICE, &echo).expect("an output");
        let options = "[(\"flag\", \"\"), (\"to\", \"3\")]";
        let expected = format!(
            "=== case 1\ntext:\n  one all {options}\n=== case 2\ntext:\n  two all {options}\n=== case 3\ntext:\n  others all {options}\n"
        );
        assert_eq!(output, expected);
    }

    #[test]
    fn equal_outputs_share_an_entry() {
        let output = expected("t.f90", CHOICE, &|_, _| Ok("same".into()));
        assert_eq!(output, Ok("=== case 1 2 3\ntext:\n  same\n".into()));
    }

    #[test]
    fn malformed_cases_are_reported() {
        for (text, part) in [
            ("program t\n", "must name"),
            ("! ui: --flag\n", "no output"),
            ("! ui: a\n!case one\n!end case\n", "are numbers"),
            ("! ui: a\n!case 1\n", "no `!end case`"),
            ("! ui: a\n!case 1\n!end case\n!else\n", "outside"),
        ] {
            let found = expected("t.f90", text, &|_, _| Ok(String::new()));
            assert!(
                found.as_ref().is_err_and(|reason| reason.contains(part)),
                "{found:?}"
            );
        }
    }
}
