//! Tests of words: documents, help texts and sources. Documents are for readers who have little time, so their sentences
//! and paragraphs are short, their links resolve, their thresholds are those of the code, and nothing uses a private term
//! in place of a standard one.

use crate::command::{done, root};
use crate::tidy::{files, shown, text};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Longest sentence, in words. Longer ones are read twice.
const MAX_SENTENCE: usize = 35;
/// Longest paragraph, in words.
const MAX_PARAGRAPH: usize = 120;
/// Most lines of documents that are read as a whole.
const MAX_LINES: [(&str, usize); 3] = [
    ("README.md", 80),
    ("ARCHITECTURE.md", 250),
    ("CHANGELOG.md", 60),
];

/// Pages that are generated as a whole.
const GENERATED: &[&str] = &["docs/guide/commands.md"];

/// Phrases of the former private dialect. The standard terms are in `docs/guide/glossary.md`.
const BANNED: &[&str] = &[
    "astray",
    "by themselves",
    "changes of rank",
    "comes back",
    "deciding place",
    "deciding places",
    "drains",
    "fickle",
    "free units",
    "giving way",
    "hang on",
    "hanging on",
    "hangs on",
    "how far off",
    "left alike",
    "lone rank",
    "lone ranks",
    "meetings",
    "nobody",
    "one after the other",
    "reads back",
    "somebody",
    "taken anew",
    "tells",
    "told",
    "twins",
    "what a call brings",
    "what it is",
    "what you could say",
    "whoever",
    "widened by",
];

/// Phrases of which punctuation is a part.
const BANNED_LITERALS: &[&str] = &["not here:"];

/// Lines that use a banned phrase in another, legitimate meaning: the file, a part of the line, and the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[(
    "cli/tests/it/documents.rs",
    "",
    "this file lists the phrases",
)];

/// Folders whose Rust sources are free of banned phrases. A folder is added when it is clean, and never removed.
const CLEAN_SOURCES: &[&str] = &[
    "base-data/",
    "cli/",
    "estimator/",
    "frontend/",
    "instrumenter/",
    "machine/",
    "meta/",
    "npb-fixtures/",
    "token-runtime/",
    "xtask/",
];

/// A run of text that is one unit to a reader.
struct Passage {
    line: usize,
    is_paragraph: bool,
    text: String,
}

/// The documents of the repository.
fn documents() -> Vec<PathBuf> {
    files(&[".md"])
}

/// Those that are written by hand.
fn handwritten() -> Vec<PathBuf> {
    documents()
        .into_iter()
        .filter(|path| !GENERATED.contains(&shown(path).as_str()))
        .collect()
}

/// Whether a line begins (`Some(true)`) or ends (`Some(false)`) a generated part of a page.
fn generated_marker(line: &str) -> Option<bool> {
    let name = line.trim().strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    Some(!name.starts_with("end of "))
}

/// The text of a list item without its mark.
fn list_item(line: &str) -> Option<&str> {
    if let Some(item) = line.strip_prefix("- ") {
        return Some(item);
    }
    let (number, item) = line.split_once(". ")?;
    let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    is_number.then_some(item)
}

/// Paragraphs, list items, headings and cells of tables; no code and no generated parts.
fn passages(document: &str) -> Vec<Passage> {
    let mut found: Vec<Passage> = Vec::new();
    let (mut is_generated, mut is_fenced, mut is_indented) = (false, false, false);
    let mut is_open = false;
    let mut after_blank = true;
    for (number, line) in (1..).zip(document.lines()) {
        if let Some(begins) = generated_marker(line) {
            is_generated = begins;
            is_open = false;
            continue;
        }
        if is_generated {
            continue;
        }
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
            is_open = false;
            continue;
        }
        if is_fenced {
            continue;
        }
        if line.trim().is_empty() {
            after_blank = true;
            is_open = false;
            continue;
        }
        let is_code = (after_blank || is_indented) && line.starts_with("    ");
        after_blank = false;
        is_indented = is_code;
        if is_code {
            continue;
        }
        let content = line.trim();
        let mut push = |is_paragraph: bool, text: &str| {
            found.push(Passage {
                line: number,
                is_paragraph,
                text: text.to_string(),
            });
        };
        if content.starts_with('#') {
            push(false, content.trim_start_matches('#'));
            is_open = false;
        } else if content.starts_with('|') {
            for cell in content.trim_matches('|').split('|') {
                push(false, cell);
            }
            is_open = false;
        } else if let Some(item) = list_item(content) {
            push(true, item);
            is_open = true;
        } else if is_open {
            let last = found.last_mut().expect("an open passage was pushed");
            last.text.push(' ');
            last.text.push_str(content);
        } else {
            push(true, content);
            is_open = true;
        }
    }
    found
}

/// The text with inline code as one word each, links as their texts, and without emphasis.
fn readable(text: &str) -> String {
    let mut found = String::new();
    for (number, part) in text.split('`').enumerate() {
        // Odd parts are inside a pair of backticks.
        if number % 2 == 1 {
            found.push('X');
        } else {
            found.push_str(part);
        }
    }
    while let Some(begin) = found.find("](") {
        let Some(length) = found[begin..].find(')') else {
            break;
        };
        found.replace_range(begin..=begin + length, "");
    }
    found.replace(['[', '*', '_'], "")
}

/// Sentences of readable text.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut begin = 0;
    for (at, _) in text.match_indices(['.', '!', '?']) {
        let after = text[at + 1..].trim_start_matches([')', '"', '”']);
        let next = after.trim_start();
        let begins_sentence =
            |c: char| c.is_uppercase() || c.is_ascii_digit() || "\"“(".contains(c);
        if next.len() < after.len() && next.starts_with(begins_sentence) {
            found.push(&text[begin..=at]);
            begin = text.len() - next.len();
        }
    }
    found.push(&text[begin..]);
    found
}

fn word_count(text: &str) -> usize {
    text.split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric))
        .count()
}

#[test]
fn sentences_and_paragraphs_are_short() {
    let mut faults = Vec::new();
    for path in handwritten() {
        for passage in passages(&text(&path)) {
            let place = format!("{}:{}", shown(&path), passage.line);
            let readable = readable(&passage.text);
            let words = word_count(&readable);
            if passage.is_paragraph && words > MAX_PARAGRAPH {
                faults.push(format!("{place}: a paragraph of {words} words"));
            }
            for sentence in sentences(&readable) {
                let words = word_count(sentence);
                if words > MAX_SENTENCE {
                    faults.push(format!("{place}: a sentence of {words} words: {sentence}"));
                }
            }
        }
    }
    assert!(
        faults.is_empty(),
        "sentences have at most {MAX_SENTENCE} words, paragraphs {MAX_PARAGRAPH}:\n{}",
        faults.join("\n")
    );
}

/// A heading names a topic; a question makes the reader guess it.
#[test]
fn headings_are_no_questions() {
    for path in handwritten() {
        for (number, line) in (1..).zip(text(&path).lines()) {
            let is_question = line.starts_with('#') && line.trim_end().ends_with('?');
            assert!(!is_question, "{}:{number}: {line}", shown(&path));
        }
    }
}

#[test]
fn pages_read_as_a_whole_are_short() {
    for (name, most) in MAX_LINES {
        let lines = text(&root().join(name)).lines().count();
        assert!(lines <= most, "{name} has {lines} lines, at most {most}");
    }
}

/// The name by which links refer to a heading.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    heading
        .trim_start_matches('#')
        .trim()
        .to_lowercase()
        .chars()
        .filter(kept)
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// Names of the headings of a page.
fn anchors(page: &Path) -> Vec<String> {
    text(page)
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(anchor)
        .collect()
}

/// A link that leads nowhere is worse than none.
#[test]
fn links_resolve() {
    let mut faults = Vec::new();
    for path in documents() {
        let folder = path.parent().unwrap_or(Path::new(""));
        for link in text(&path).split("](").skip(1) {
            let link = link.split(')').next().unwrap_or("");
            if link.contains("://") || link.contains(' ') {
                continue;
            }
            let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                _ => folder.join(file),
            };
            let is_found = target.exists()
                && (fragment.is_empty() || anchors(&target).iter().any(|name| name == fragment));
            if !is_found {
                faults.push(format!("{} links to {link}", shown(&path)));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The words of a line in lower case, those of identifiers one by one.
fn words(line: &str) -> Vec<String> {
    line.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The banned phrase of a text, if it has one.
fn banned_phrase(text: &str) -> Option<&'static str> {
    let words = words(text);
    let lower = text.to_lowercase();
    let has_phrase = |phrase: &&&str| {
        let wanted: Vec<&str> = phrase.split(' ').collect();
        words.windows(wanted.len()).any(|run| run == wanted)
    };
    let literal = BANNED_LITERALS
        .iter()
        .find(|literal| lower.contains(*literal));
    BANNED.iter().find(has_phrase).or(literal).copied()
}

fn is_excepted(file: &str, line: &str) -> bool {
    EXCEPTIONS
        .iter()
        .any(|(excepted, part, _)| *excepted == file && line.contains(part))
}

/// Places with banned phrases in a file; a phrase may reach over the end of a line.
fn banned_places(path: &Path) -> Vec<String> {
    let (name, text) = (shown(path), text(path));
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let next = lines.get(at + 1).copied().unwrap_or("");
        let is_on_next = banned_phrase(next).is_some();
        let phrase = banned_phrase(line).or_else(|| {
            if is_on_next {
                return None;
            }
            banned_phrase(&format!("{line} {next}"))
        });
        if let Some(phrase) = phrase
            && !is_excepted(&name, line)
        {
            found.push(format!("{name}:{}: \"{phrase}\": {}", at + 1, line.trim()));
        }
    }
    found
}

#[test]
fn documents_use_standard_terms() {
    let found: Vec<String> = documents()
        .iter()
        .flat_map(|path| banned_places(path))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn sources_use_standard_terms() {
    let found: Vec<String> = files(&[".rs"])
        .iter()
        .filter(|path| {
            let name = shown(path);
            CLEAN_SOURCES.iter().any(|clean| name.starts_with(clean))
        })
        .flat_map(|path| banned_places(path))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn help_texts_use_standard_terms() {
    let overview = done(&root(), &["--help"]);
    let commands = overview
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.trim().is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next());
    let mut helps = vec![("".to_string(), overview.clone())];
    for command in commands.filter(|command| *command != "help") {
        helps.push((command.to_string(), done(&root(), &[command, "--help"])));
        helps.push((command.to_string(), done(&root(), &[command, "-h"])));
    }
    assert!(helps.len() > 20, "{overview}");
    for (command, help) in helps {
        let flowing = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let phrase = banned_phrase(&flowing);
        assert_eq!(phrase, None, "mpiete {command} --help:\n{help}");
    }
}

/// Constants of sources that are no thresholds: units, present values, the size of drawings.
const NO_THRESHOLDS: &[&str] = &[
    "BOTTOM",
    "HEIGHT",
    "LEFT",
    "LEGEND_STEP",
    "LONGEST",
    "NANOSECONDS",
    "PER_SECOND",
    "PRESENT",
    "RIGHT",
    "TAIL",
    "TOP",
    "WIDTH",
];

/// Packages whose constants the table of thresholds contains.
const PACKAGES: [&str; 10] = [
    "base-data",
    "cli",
    "estimator",
    "frontend",
    "instrumenter",
    "machine",
    "meta",
    "token-runtime",
    "token-runtime/mpi",
    "token-runtime/observer",
];

/// A constant of the sources: its name, its type and its value as written.
#[derive(PartialEq)]
struct Constant {
    name: String,
    of_type: String,
    value: String,
}

/// The named constants of a package.
fn constants(package: &str) -> Vec<Constant> {
    let folder = root().join(package).join("src");
    let mut found = Vec::new();
    for path in files(&[".rs"]) {
        if !path.starts_with(&folder) {
            continue;
        }
        for definition in text(&path).split("const ").skip(1) {
            let Some((name, rest)) = definition.split_once(": ") else {
                continue;
            };
            let Some((of_type, value)) = rest.split_once('=') else {
                continue;
            };
            let Some((value, _)) = value.split_once(';') else {
                continue;
            };
            found.push(Constant {
                name: name.to_string(),
                of_type: of_type.trim().to_string(),
                value: value.trim().to_string(),
            });
        }
    }
    found
}

/// The table says what the code does, and leaves no threshold out.
#[test]
fn thresholds_are_those_of_the_code() {
    let page = text(&root().join("docs/internals/measurement.md"));
    let table = page
        .split("<!-- thresholds -->")
        .nth(1)
        .and_then(|rest| rest.split("<!-- end of thresholds -->").next())
        .expect("the page has a table of thresholds");
    let sources: BTreeMap<&str, Vec<Constant>> = PACKAGES
        .into_iter()
        .map(|package| (package, constants(package)))
        .collect();
    let mut listed: Vec<(&str, &str)> = Vec::new();
    let mut faults = Vec::new();
    let mut package = "";
    for line in table.lines().filter(|line| line.contains('`')) {
        if line.starts_with("### ") {
            // A heading such as "### Analysis (`frontend`)" names the package of the rows below it.
            package = line.split('`').nth(1).unwrap_or("");
            continue;
        }
        let cells: Vec<&str> = line
            .split(" | ")
            .map(|cell| cell.trim_matches([' ', '|']))
            .collect();
        let [_, constant] = cells[..] else {
            panic!("{line}: two columns are expected");
        };
        let constant = constant.trim_matches('`');
        let (name, value) = constant.split_once(" = ").unwrap_or((constant, ""));
        let is_found = sources.get(package).is_some_and(|constants| {
            constants
                .iter()
                .any(|known| known.name == name && known.value == value)
        });
        if !is_found {
            faults.push(format!("{package} has no constant {name} = {value}"));
        }
        listed.push((package, name));
    }
    for (package, constants) in &sources {
        for constant in constants {
            let name = constant.name.as_str();
            let is_threshold = constant.of_type == "f64" && !NO_THRESHOLDS.contains(&name);
            if is_threshold && !listed.contains(&(*package, name)) {
                faults.push(format!("{package}: {name} is not in the table"));
            }
        }
    }
    assert!(
        faults.is_empty(),
        "docs/internals/measurement.md, thresholds:\n{}",
        faults.join("\n")
    );
}

#[test]
fn passages_and_sentences_are_found() {
    let page = "# Title\n\nOne `a b`. Two\nlines [link](x.md).\n\n    code. Code\n\n- item\n  more\n\n| a | b |\n\n<!-- t -->\nskipped\n<!-- end of t -->\n";
    let found = passages(page);
    let texts: Vec<&str> = found.iter().map(|passage| passage.text.trim()).collect();
    assert_eq!(
        texts,
        [
            "Title",
            "One `a b`. Two lines [link](x.md).",
            "item more",
            "a",
            "b"
        ]
    );
    let readable = readable(texts[1]);
    assert_eq!(readable, "One X. Two lines link.");
    assert_eq!(sentences(&readable), ["One X.", "Two lines link."]);
}

#[test]
fn banned_phrases_are_found_in_text_and_identifiers() {
    assert_eq!(banned_phrase("it Hangs  on\tdata"), Some("hangs on"));
    assert_eq!(banned_phrase("let told_parts = 1;"), Some("told"));
    assert_eq!(banned_phrase("//! Not here: units"), Some("not here:"));
    assert_eq!(banned_phrase("a change depends on data"), None);
}
