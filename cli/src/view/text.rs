//! Draws a [`Document`] as plain text for a terminal, at most [`WIDTH`] columns wide. Control characters are escaped, since
//! names come from files that others wrote.

use super::document::{Column, ColumnStyle, Document, Section, SectionElement, Table, TableCell};
use std::collections::BTreeSet;

/// Maximum columns of a line: fits beside an editor and into an e-mail. Only a single longer word exceeds it, so that it can be
/// copied.
pub const WIDTH: usize = 100;

/// Columns that every part of a section is moved to the right.
const INDENT: usize = 2;
/// Columns between two columns of a table.
const GAP: usize = 2;
/// A column that is cut keeps at least this width, or all that it needs.
const NARROWEST: usize = 12;

/// The document as text; ends with a newline.
pub fn render(document: &Document) -> String {
    let mut text = format!("{}\n", clean(&document.title));
    for section in document
        .sections
        .iter()
        .filter(|section| !section.parts.is_empty())
    {
        text.push('\n');
        push_section(&mut text, section);
    }
    text
}

fn push_section(text: &mut String, section: &Section) {
    if !section.heading.is_empty() {
        text.push_str(&clean(&section.heading));
        text.push('\n');
    }
    for part in &section.parts {
        match part {
            SectionElement::Paragraph(words) => push_wrapped(text, "", words),
            SectionElement::List(sentences) => {
                for words in sentences {
                    push_wrapped(text, "- ", words);
                }
            }
            SectionElement::Facts(facts) => push_facts(text, facts),
            SectionElement::Table(table) => push_table(text, table),
            SectionElement::Chart(_) => {}
        }
    }
}

fn push_facts(text: &mut String, facts: &[(String, String)]) {
    let mut width = 0;
    for (name, _) in facts {
        width = width.max(name.chars().count());
    }
    for (name, value) in facts {
        push_wrapped(text, &format!("{name:width$}  "), value);
    }
}

/// `words` after `lead`, broken between words; later lines start below the first word.
fn push_wrapped(text: &mut String, lead: &str, words: &str) {
    let hang = INDENT + lead.chars().count();
    let mut start = format!("{:INDENT$}{}", "", clean(lead));
    for line in wrapped(&clean(words), WIDTH.saturating_sub(hang)) {
        push_line(text, &format!("{start}{line}"));
        start = " ".repeat(hang);
    }
}

/// `words` in lines of at most this width; at least one line.
fn wrapped(words: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in unbroken(words) {
        let line = lines
            .last_mut()
            .expect("there is a line from the beginning");
        if line.is_empty() {
            *line = word;
        } else if line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word);
        } else {
            line.push(' ');
            line.push_str(&word);
        }
    }
    lines
}

/// Units that stay on the line of their number.
const UNITS: [&str; 11] = [
    "ps", "ns", "us", "ms", "s", "%", "bytes", "KiB", "MiB", "GiB", "TiB",
];

/// The words of a text, a number and its unit as one.
fn unbroken(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let unit = word.trim_end_matches([',', ';', ':', '.', ')']);
        match words.last_mut() {
            Some(number)
                if UNITS.contains(&unit) && number.ends_with(|end: char| end.is_ascii_digit()) =>
            {
                number.push(' ');
                number.push_str(word);
            }
            Some(_) | None => words.push(word.to_string()),
        }
    }
    words
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}

fn push_table(text: &mut String, table: &Table) {
    let shown = &table.rows[..table.rows.len().min(table.rows_in_text)];
    let shapes = shapes(&table.columns, shown);
    let names: Vec<TableCell> = table
        .columns
        .iter()
        .map(|column| TableCell::from(&*column.name))
        .collect();
    for row in std::iter::once(&names).chain(shown) {
        push_row(text, &table.columns, row, &shapes);
    }
    // The user must see that rows are missing; silently cut tables look complete.
    let hidden = table.rows.len() - shown.len();
    if hidden > 0 {
        let line = format!("… and {hidden} more (all of them in the HTML report)");
        push_line(text, &format!("{:INDENT$}{line}", ""));
    }
}

/// A row in one line, or in several if sentences need them.
fn push_row(text: &mut String, columns: &[Column], row: &[TableCell], shapes: &[Shape]) {
    let mut cells = Vec::new();
    for ((column, entry), shape) in columns.iter().zip(row).zip(shapes) {
        let content = clean(&entry.text);
        cells.push(match column.style {
            ColumnStyle::Sentences => wrapped(&content, shape.width),
            _ => vec![content],
        });
    }
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    for number in 0..height {
        let mut line = Vec::new();
        for ((column, cell), shape) in columns.iter().zip(&cells).zip(shapes) {
            let content = cell.get(number).map_or("", String::as_str);
            line.push(fitted(content, column.style, shape));
        }
        let line = line.join(&" ".repeat(GAP));
        push_line(text, &format!("{:INDENT$}{line}", ""));
    }
}

/// An end of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    First,
    Last,
}

/// How a column is shown: its width, and the end at which longer texts are cut.
struct Shape {
    width: usize,
    cut: End,
}

/// The shape of each column. While a line is too long, the widest column that can be cut becomes narrower. Different texts
/// stay different: where every cut would make two equal, the line stays longer.
fn shapes(columns: &[Column], rows: &[Vec<TableCell>]) -> Vec<Shape> {
    let mut shapes = Vec::new();
    let mut texts = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        let texts_of_column = column_texts(rows, index);
        let mut width = column.name.len();
        for text in &texts_of_column {
            width = width.max(text.chars().count());
        }
        shapes.push(Shape {
            width,
            cut: preferred_cut(column.style),
        });
        texts.push(texts_of_column);
    }
    if !is_too_wide(&shapes) {
        return shapes;
    }
    // Numbers and names are never cut: a part of one is another one.
    let mut least = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        let width = shapes[index].width;
        least.push(match column.style {
            ColumnStyle::Words | ColumnStyle::Place => {
                narrowest(&texts[index], column.style, width)
            }
            ColumnStyle::Sentences => NARROWEST.min(width),
            ColumnStyle::Name | ColumnStyle::Number | ColumnStyle::Share => width,
        });
    }
    while is_too_wide(&shapes) {
        let cuttable = (0..shapes.len()).filter(|&i| shapes[i].width > least[i]);
        let Some(widest) = cuttable.max_by_key(|&i| shapes[i].width) else {
            break;
        };
        shapes[widest].width -= 1;
    }
    for (index, shape) in shapes.iter_mut().enumerate() {
        if let Some(cut) = cut_for(&texts[index], columns[index].style, shape.width) {
            shape.cut = cut;
        }
    }
    shapes
}

fn column_texts(rows: &[Vec<TableCell>], index: usize) -> Vec<String> {
    let mut texts = Vec::new();
    for row in rows {
        match row.get(index) {
            Some(entry) => texts.push(clean(&entry.text)),
            None => texts.push(String::new()),
        }
    }
    texts
}

fn is_too_wide(shapes: &[Shape]) -> bool {
    let columns: usize = shapes.iter().map(|shape| shape.width).sum();
    let gaps = GAP * shapes.len().saturating_sub(1);
    INDENT + columns + gaps > WIDTH
}

/// The fewest columns at which texts that differ still do.
fn narrowest(texts: &[String], style: ColumnStyle, widest: usize) -> usize {
    (NARROWEST.min(widest)..widest)
        .find(|&width| cut_for(texts, style, width).is_some())
        .unwrap_or(widest)
}

/// The end at which texts can be cut without any two becoming the same.
fn cut_for(texts: &[String], style: ColumnStyle, width: usize) -> Option<End> {
    let all: BTreeSet<&String> = texts.iter().collect();
    let preferred = preferred_cut(style);
    let other = match preferred {
        End::First => End::Last,
        End::Last => End::First,
    };
    for end in [preferred, other] {
        let cut: BTreeSet<String> = texts
            .iter()
            .map(|text| shortened(text, end, width))
            .collect();
        if cut.len() == all.len() {
            return Some(end);
        }
    }
    None
}

fn preferred_cut(style: ColumnStyle) -> End {
    match style {
        ColumnStyle::Place => End::First,
        ColumnStyle::Words
        | ColumnStyle::Name
        | ColumnStyle::Sentences
        | ColumnStyle::Number
        | ColumnStyle::Share => End::Last,
    }
}

fn fitted(text: &str, style: ColumnStyle, shape: &Shape) -> String {
    let width = shape.width;
    match style {
        ColumnStyle::Number | ColumnStyle::Share => format!("{text:>width$}"),
        ColumnStyle::Name | ColumnStyle::Sentences => format!("{text:<width$}"),
        ColumnStyle::Words | ColumnStyle::Place => {
            format!("{:<width$}", shortened(text, shape.cut, width))
        }
    }
}

/// A text without one of its ends, if it is too long.
fn shortened(text: &str, cut: End, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_string();
    }
    let kept = width.saturating_sub(1);
    match cut {
        End::Last => format!("{}…", text.chars().take(kept).collect::<String>()),
        End::First => format!("…{}", text.chars().skip(length - kept).collect::<String>()),
    }
}

/// `text` with control characters escaped.
fn clean(text: &str) -> String {
    if !text.contains(char::is_control) {
        return text.into();
    }
    let mut cleaned = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            // A line break in a name would break the table; an escape sequence could change the
            // terminal.
            '\n' | '\t' => cleaned.push(' '),
            control if control.is_control() => cleaned.extend(control.escape_default()),
            other => cleaned.push(other),
        }
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(parts: Vec<SectionElement>, expect: &str) {
        let document = Document {
            title: "t".into(),
            sections: vec![Section::new("s", parts)],
        };
        assert_eq!(render(&document), format!("t\n\ns\n{expect}"));
    }

    #[test]
    fn breaks_lines_between_words() {
        let words = ["word"; 25].join(" ");
        check(
            vec![SectionElement::List(vec![words])],
            &format!(
                "  - {}\n    {}\n",
                ["word"; 19].join(" "),
                ["word"; 6].join(" ")
            ),
        );
    }

    #[test]
    fn cuts_places_from_the_left_and_words_from_the_right() {
        let row = [
            TableCell::from("a".repeat(90)),
            TableCell::from(format!("{}/cg.f:12", "b".repeat(90))),
        ];
        let table = Table::new(
            [("name", ColumnStyle::Words), ("where", ColumnStyle::Place)],
            [row],
        );
        let document = Document {
            title: "t".into(),
            sections: vec![Section::new("", [SectionElement::Table(table)])],
        };
        let text = render(&document);
        let line = text.lines().last().unwrap();
        assert_eq!(line.chars().count(), WIDTH);
        assert!(
            line.contains("aa…  …bb") && line.ends_with("/cg.f:12"),
            "{line}"
        );
    }

    #[test]
    fn names_are_never_cut_and_sentences_continue() {
        let sentence = ["word"; 20].join(" ");
        let row = [TableCell::from("n".repeat(50)), TableCell::from(sentence)];
        let columns = [
            ("name", ColumnStyle::Name),
            ("description", ColumnStyle::Sentences),
        ];
        let name = "n".repeat(50);
        let rest = " ".repeat(50);
        check(
            vec![SectionElement::Table(Table::new(columns, [row]))],
            &format!(
                "  name{}description\n  {name}  {}\n  {rest}  {}\n  {rest}  word word\n",
                " ".repeat(48),
                ["word"; 9].join(" "),
                ["word"; 9].join(" ")
            ),
        );
    }

    #[test]
    fn numbers_stay_with_their_units() {
        let words = format!("{} noise 80.21 us, messages 1.2 s", "w".repeat(86));
        check(
            vec![SectionElement::Paragraph(words)],
            &format!("  {} noise\n  80.21 us, messages 1.2 s\n", "w".repeat(86)),
        );
    }

    #[test]
    fn different_texts_stay_different_when_cut() {
        let path = |name: &str| {
            [
                TableCell::from(format!("/{}/{name}", "a".repeat(70))),
                TableCell::from("b".repeat(80)),
            ]
        };
        let columns = [
            ("platform", ColumnStyle::Words),
            ("note", ColumnStyle::Words),
        ];
        let table = Table::new(columns, [path("ge10.toml"), path("ib.toml")]);
        let document = Document {
            title: "t".into(),
            sections: vec![Section::new("", [SectionElement::Table(table)])],
        };
        let text = render(&document);
        assert!(
            text.contains("/ge10.toml ") && text.contains("/ib.toml "),
            "{text}"
        );
        assert!(
            text.lines().all(|line| line.chars().count() <= WIDTH),
            "{text}"
        );
    }

    #[test]
    fn different_texts_are_shown_to_the_difference() {
        let middle = |c: char| [TableCell::from(format!("{0}{c}{0}", "a".repeat(150)))];
        let table = Table::new([("name", ColumnStyle::Words)], [middle('b'), middle('c')]);
        let document = Document {
            title: "t".into(),
            sections: vec![Section::new("", [SectionElement::Table(table)])],
        };
        let text = render(&document);
        assert!(text.contains("ab…") && text.contains("ac…"), "{text}");
    }

    #[test]
    fn hidden_rows_are_counted() {
        let rows = (0..5).map(|i| [TableCell::ordinal(i)]);
        let table = Table::new([("rank", ColumnStyle::Number)], rows).showing(2);
        check(
            vec![SectionElement::Table(table)],
            "  rank\n     0\n     1\n  … and 3 more (all of them in the HTML report)\n",
        );
    }

    #[test]
    fn control_characters_are_escaped() {
        check(
            vec![SectionElement::Paragraph("a\u{1b}[2Jb".into())],
            "  a\\u{1b}[2Jb\n",
        );
    }
}
