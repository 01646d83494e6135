//! Draws a [`Document`] as plain text for a terminal, at most [`WIDTH`] columns wide. Characters
//! that would steer the terminal are shown escaped: names come from other people's files.

use super::document::{Column, ColumnStyle, Document, Entry, Part, Section, Table};
use std::collections::BTreeSet;

/// Columns of a line: fits beside an editor and into an e-mail. Only a single word that is longer
/// goes beyond it, so that it can be copied.
pub const WIDTH: usize = 100;

/// Columns that every part of a section is moved to the right.
const INDENT: usize = 2;
/// Columns between two columns of a table.
const GAP: usize = 2;
/// A column that gives way keeps at least this many columns, or all it needs.
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
            Part::Paragraph(words) => push_wrapped(text, "", words),
            Part::List(sentences) => sentences
                .iter()
                .for_each(|words| push_wrapped(text, "- ", words)),
            Part::Facts(facts) => push_facts(text, facts),
            Part::Table(table) => push_table(text, table),
            Part::Chart(_) => {}
        }
    }
}

fn push_facts(text: &mut String, facts: &[(String, String)]) {
    let width = facts
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    for (name, value) in facts {
        push_wrapped(text, &format!("{name:width$}  "), value);
    }
}

/// `words` after `lead`, broken between words; later lines start below the first word.
fn push_wrapped(text: &mut String, lead: &str, words: &str) {
    let hang = INDENT + lead.chars().count();
    let mut line = format!("{:INDENT$}{}", "", clean(lead));
    let mut used = hang;
    let mut first = true;
    for word in clean(words).split_whitespace() {
        let length = word.chars().count();
        if !first && used + 1 + length > WIDTH {
            push_line(text, &line);
            (line, used, first) = (" ".repeat(hang), hang, true);
        }
        if !first {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        (used, first) = (used + length, false);
    }
    push_line(text, &line);
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}

fn push_table(text: &mut String, table: &Table) {
    let shown = &table.rows[..table.rows.len().min(table.rows_in_text)];
    let shapes = shapes(&table.columns, shown);
    let names: Vec<Entry> = table
        .columns
        .iter()
        .map(|column| Entry::from(&*column.name))
        .collect();
    for row in std::iter::once(&names).chain(shown) {
        let cells = table.columns.iter().zip(row).zip(&shapes);
        let cells: Vec<String> = cells
            .map(|((column, entry), shape)| fitted(&clean(&entry.text), column.style, shape))
            .collect();
        push_line(
            text,
            &format!("{:INDENT$}{}", "", cells.join(&" ".repeat(GAP))),
        );
    }
    let hidden = table.rows.len() - shown.len();
    if hidden > 0 {
        push_line(
            text,
            &format!(
                "{:INDENT$}… and {hidden} more (all of them in the HTML view)",
                ""
            ),
        );
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

/// What each column needs, the widest of those that can be cut giving way until the line fits. Texts that differ go on
/// differing: where no cut leaves them so, the line is longer.
fn shapes(columns: &[Column], rows: &[Vec<Entry>]) -> Vec<Shape> {
    let texts = |i: usize| -> Vec<String> {
        rows.iter()
            .map(|row| row.get(i).map_or(String::new(), |entry| clean(&entry.text)))
            .collect()
    };
    let length = |text: &String| text.chars().count();
    let mut shapes: Vec<Shape> = columns
        .iter()
        .enumerate()
        .map(|(i, column)| Shape {
            width: texts(i)
                .iter()
                .map(length)
                .fold(column.name.len(), usize::max),
            cut: preferred_cut(column.style),
        })
        .collect();
    let gaps = GAP * shapes.len().saturating_sub(1);
    let is_too_wide = |shapes: &[Shape]| {
        INDENT + shapes.iter().map(|shape| shape.width).sum::<usize>() + gaps > WIDTH
    };
    if !is_too_wide(&shapes) {
        return shapes;
    }
    let least: Vec<usize> = (0..columns.len())
        .map(|i| match columns[i].style {
            ColumnStyle::Words | ColumnStyle::Place => {
                narrowest(&texts(i), columns[i].style, shapes[i].width)
            }
            ColumnStyle::Number | ColumnStyle::Share => shapes[i].width,
        })
        .collect();
    while is_too_wide(&shapes) {
        let cuttable = (0..shapes.len()).filter(|&i| shapes[i].width > least[i]);
        let Some(widest) = cuttable.max_by_key(|&i| shapes[i].width) else {
            break;
        };
        shapes[widest].width -= 1;
    }
    for (i, shape) in shapes.iter_mut().enumerate() {
        shape.cut = cut_for(&texts(i), columns[i].style, shape.width).unwrap_or(shape.cut);
    }
    shapes
}

/// The fewest columns at which texts that differ still do.
fn narrowest(texts: &[String], style: ColumnStyle, widest: usize) -> usize {
    (NARROWEST.min(widest)..widest)
        .find(|&width| cut_for(texts, style, width).is_some())
        .unwrap_or(widest)
}

/// The end at which texts can be cut without any two becoming the same.
fn cut_for(texts: &[String], style: ColumnStyle, width: usize) -> Option<End> {
    let different = |texts: &mut dyn Iterator<Item = String>| texts.collect::<BTreeSet<_>>().len();
    let all = different(&mut texts.iter().cloned());
    let preferred = preferred_cut(style);
    let other = if preferred == End::First {
        End::Last
    } else {
        End::First
    };
    [preferred, other].into_iter().find(|&end| {
        let cut = &mut texts.iter().map(|text| shortened(text, end, width));
        different(cut) == all
    })
}

fn preferred_cut(style: ColumnStyle) -> End {
    match style {
        ColumnStyle::Place => End::First,
        ColumnStyle::Words | ColumnStyle::Number | ColumnStyle::Share => End::Last,
    }
}

fn fitted(text: &str, style: ColumnStyle, shape: &Shape) -> String {
    let width = shape.width;
    match style {
        ColumnStyle::Number | ColumnStyle::Share => format!("{text:>width$}"),
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
            '\n' | '\t' => cleaned.push(' '),
            steering if steering.is_control() => cleaned.extend(steering.escape_default()),
            other => cleaned.push(other),
        }
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(parts: Vec<Part>, expect: &str) {
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
            vec![Part::List(vec![words])],
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
            Entry::from("a".repeat(90)),
            Entry::from(format!("{}/cg.f:12", "b".repeat(90))),
        ];
        let table = Table::new(
            [("name", ColumnStyle::Words), ("where", ColumnStyle::Place)],
            [row],
        );
        let document = Document {
            title: "t".into(),
            sections: vec![Section::new("", [Part::Table(table)])],
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
    fn different_texts_stay_different_when_cut() {
        let path = |name: &str| {
            [
                Entry::from(format!("/{}/{name}", "a".repeat(70))),
                Entry::from("b".repeat(80)),
            ]
        };
        let columns = [
            ("platform", ColumnStyle::Words),
            ("note", ColumnStyle::Words),
        ];
        let table = Table::new(columns, [path("ge10.toml"), path("ib.toml")]);
        let document = Document {
            title: "t".into(),
            sections: vec![Section::new("", [Part::Table(table)])],
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
        let middle = |c: char| [Entry::from(format!("{0}{c}{0}", "a".repeat(150)))];
        let table = Table::new([("name", ColumnStyle::Words)], [middle('b'), middle('c')]);
        let document = Document {
            title: "t".into(),
            sections: vec![Section::new("", [Part::Table(table)])],
        };
        let text = render(&document);
        assert!(text.contains("ab…") && text.contains("ac…"), "{text}");
    }

    #[test]
    fn hidden_rows_are_counted() {
        let rows = (0..5).map(|i| [Entry::ordinal(i)]);
        let table = Table::new([("rank", ColumnStyle::Number)], rows).showing(2);
        check(
            vec![Part::Table(table)],
            "  rank\n     0\n     1\n  … and 3 more (all of them in the HTML view)\n",
        );
    }

    #[test]
    fn control_characters_are_escaped() {
        check(
            vec![Part::Paragraph("a\u{1b}[2Jb".into())],
            "  a\\u{1b}[2Jb\n",
        );
    }
}
