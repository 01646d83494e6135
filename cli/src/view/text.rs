//! Draws a [`Document`] as plain text for a terminal, at most [`WIDTH`] columns wide. Characters
//! that would steer the terminal are shown escaped: names come from other people's files.

use super::document::{Column, ColumnStyle, Document, Entry, Part, Section, Table};

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
    for section in document.sections.iter().filter(|section| !section.parts.is_empty()) {
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
            Part::List(sentences) => sentences.iter().for_each(|words| push_wrapped(text, "- ", words)),
            Part::Facts(facts) => push_facts(text, facts),
            Part::Table(table) => push_table(text, table),
            Part::Chart(_) => {}
        }
    }
}

fn push_facts(text: &mut String, facts: &[(String, String)]) {
    let width = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
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
    let widths = widths(&table.columns, shown);
    let names: Vec<Entry> = table.columns.iter().map(|column| Entry::from(&*column.name)).collect();
    for row in std::iter::once(&names).chain(shown) {
        let cells = table.columns.iter().zip(row).zip(&widths);
        let cells: Vec<String> =
            cells.map(|((column, entry), &width)| fitted(&clean(&entry.text), column.style, width)).collect();
        push_line(text, &format!("{:INDENT$}{}", "", cells.join(&" ".repeat(GAP))));
    }
    let hidden = table.rows.len() - shown.len();
    if hidden > 0 {
        push_line(text, &format!("{:INDENT$}… and {hidden} more (all of them in the HTML view)", ""));
    }
}

/// What each column needs, the widest of those that can be cut giving way until the line fits.
fn widths(columns: &[Column], rows: &[Vec<Entry>]) -> Vec<usize> {
    let length =
        |row: &Vec<Entry>, i: usize| row.get(i).map_or(0, |entry| clean(&entry.text).chars().count());
    let mut widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(i, column)| rows.iter().map(|row| length(row, i)).fold(column.name.len(), usize::max))
        .collect();
    let gives_way = |style| matches!(style, ColumnStyle::Words | ColumnStyle::Place);
    while INDENT + widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1) > WIDTH {
        let cuttable = (0..widths.len()).filter(|&i| gives_way(columns[i].style) && widths[i] > NARROWEST);
        let Some(widest) = cuttable.max_by_key(|&i| widths[i]) else { break };
        widths[widest] -= 1;
    }
    widths
}

fn fitted(text: &str, style: ColumnStyle, width: usize) -> String {
    let length = text.chars().count();
    let kept = width.saturating_sub(1);
    match style {
        ColumnStyle::Number | ColumnStyle::Share => format!("{text:>width$}"),
        ColumnStyle::Words | ColumnStyle::Place if length <= width => format!("{text:<width$}"),
        ColumnStyle::Words => format!("{}…", text.chars().take(kept).collect::<String>()),
        ColumnStyle::Place => format!("…{}", text.chars().skip(length - kept).collect::<String>()),
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
        let document = Document { title: "t".into(), sections: vec![Section::new("s", parts)] };
        assert_eq!(render(&document), format!("t\n\ns\n{expect}"));
    }

    #[test]
    fn breaks_lines_between_words() {
        let words = ["word"; 25].join(" ");
        check(
            vec![Part::List(vec![words])],
            &format!("  - {}\n    {}\n", ["word"; 19].join(" "), ["word"; 6].join(" ")),
        );
    }

    #[test]
    fn cuts_places_from_the_left_and_words_from_the_right() {
        let row = [Entry::from("a".repeat(90)), Entry::from(format!("{}/cg.f:12", "b".repeat(90)))];
        let table = Table::new([("name", ColumnStyle::Words), ("where", ColumnStyle::Place)], [row]);
        let document = Document { title: "t".into(), sections: vec![Section::new("", [Part::Table(table)])] };
        let text = render(&document);
        let line = text.lines().last().unwrap();
        assert_eq!(line.chars().count(), WIDTH);
        assert!(line.contains("aa…  …bb") && line.ends_with("/cg.f:12"), "{line}");
    }

    #[test]
    fn shows_the_first_rows_and_says_how_many_there_are() {
        let rows = (0..5).map(|i| [Entry::ordinal(i)]);
        let table = Table::new([("rank", ColumnStyle::Number)], rows).showing(2);
        check(
            vec![Part::Table(table)],
            "  rank\n     0\n     1\n  … and 3 more (all of them in the HTML view)\n",
        );
    }

    #[test]
    fn nothing_steers_the_terminal() {
        check(vec![Part::Paragraph("a\u{1b}[2Jb".into())], "  a\\u{1b}[2Jb\n");
    }
}
