//! Draws a [`Document`] as one self-contained HTML page that opens from a file, without any
//! network: style and script are inside. Every text from outside goes through [`escaped`].

mod estimate_page;
mod headline;
mod page_data;

use super::document::{ColumnStyle, Document, Section, SectionElement, Table, TableCell};
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const TABLES: &str = include_str!("page.js");

pub use estimate_page::estimate;

/// The page of a document.
pub fn page(document: &Document) -> String {
    let mut body = format!("<h1>{}</h1>\n", escaped(&document.title));
    document
        .sections
        .iter()
        .for_each(|drawn| body.push_str(&section(drawn)));
    frame(&document.title, &body, &[TABLES])
}

/// A whole page. The policy forbids the browser to load anything at all from elsewhere.
fn frame(title: &str, body: &str, scripts: &[&str]) -> String {
    let scripts = scripts.concat();
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title} - mpiete</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n\
         <script>\n{scripts}</script>\n</body>\n</html>\n"
    )
}

/// A section; nothing if it has no parts.
fn section(section: &Section) -> String {
    if section.parts.is_empty() {
        return String::new();
    }
    let mut html = String::from("<section>\n");
    if !section.heading.is_empty() {
        let _ = writeln!(html, "<h2>{}</h2>", escaped(&section.heading));
    }
    html.push_str(&parts(section));
    html.push_str("</section>\n");
    html
}

/// The parts of a section without its frame and heading.
fn parts(section: &Section) -> String {
    section.parts.iter().map(part).collect()
}

fn part(part: &SectionElement) -> String {
    match part {
        SectionElement::Paragraph(text) => format!("<p>{}</p>\n", escaped(text)),
        SectionElement::List(sentences) => list(sentences),
        SectionElement::Facts(facts) => {
            let row = |(name, value): &(String, String)| {
                format!("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value))
            };
            format!("<dl>\n{}</dl>\n", facts.iter().map(row).collect::<String>())
        }
        SectionElement::Table(rows) => table(rows),
        SectionElement::Chart(chart) => chart.svg(),
    }
}

fn list(sentences: &[String]) -> String {
    let items = sentences
        .iter()
        .map(|sentence| format!("<li>{}</li>\n", escaped(sentence)));
    format!("<ul>\n{}</ul>\n", items.collect::<String>())
}

fn table(table: &Table) -> String {
    let name = |(style, name): (ColumnStyle, &str)| {
        format!("<th scope=\"col\"{}>{}</th>", class(style), escaped(name))
    };
    let names: String = table
        .columns
        .iter()
        .map(|column| name((column.style, &column.name)))
        .collect();
    let row = |row: &Vec<TableCell>| {
        let cells = table
            .columns
            .iter()
            .zip(row)
            .map(|(column, entry)| cell(column.style, entry));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let rows: String = table.rows.iter().map(row).collect();
    format!(
        "<div class=\"scroll\"><table>\n<thead><tr>{names}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

fn cell(style: ColumnStyle, entry: &TableCell) -> String {
    let key = entry
        .key
        .map_or(String::new(), |key| format!(" data-key=\"{key}\""));
    let text = escaped(&entry.text);
    match (style, entry.key) {
        // The style sheet draws the share as a bar behind the number.
        (ColumnStyle::Share, Some(share)) => {
            let width = (share * 100.0).clamp(0.0, 100.0);
            format!("<td class=\"share\"{key} style=\"--share:{width:.1}%\">{text}</td>")
        }
        _ => format!("<td{}{key}>{text}</td>", class(style)),
    }
}

fn class(style: ColumnStyle) -> &'static str {
    match style {
        ColumnStyle::Words | ColumnStyle::Name | ColumnStyle::Sentences => "",
        ColumnStyle::Place => " class=\"place\"",
        ColumnStyle::Number => " class=\"number\"",
        ColumnStyle::Share => " class=\"share\"",
    }
}

/// `text` for element content and quoted attributes.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn names_are_escaped_in_html() {
        let mut estimate = samples::small_estimate();
        let evil = "</script><script>alert(1)</script>&\"'<!--";
        estimate.program.table.files[0].path = evil.into();
        estimate.platform = evil.into();
        estimate.warnings.push(evil.into());
        estimate.provenance.program = evil.into();
        let page = super::super::html::estimate(&estimate);
        let plain = super::super::html::estimate(&samples::small_estimate());
        assert!(!page.contains("alert(1)</script>") && !page.contains("<!--"));
        for tag in ["<script", "</script>"] {
            assert_eq!(
                page.matches(tag).count(),
                plain.matches(tag).count(),
                "{tag}"
            );
        }
        assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
    }

    #[test]
    fn page_is_self_contained() {
        let page = super::super::html::estimate(&samples::small_estimate());
        for word in ["http:", "https:", "src=", "url(", "@import", "<link"] {
            assert!(!page.contains(word), "{word}");
        }
    }

    #[test]
    fn every_kind_has_a_page() {
        let data = (
            samples::base_data_files::program(),
            samples::base_data_files::compute(),
        );
        let pages = [
            super::super::program::html(&data.0),
            super::super::compute::html(&data.1),
            super::super::comm::html(&samples::base_data_files::comm()),
            super::super::observation::html(&samples::base_data_files::observation()),
            super::super::comparison::html(&samples::comparison::compared(
                &samples::comparison::observed(),
            )),
        ];
        for page in pages {
            assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
            for tag in ["section", "table", "tr", "td", "ul", "dl", "script"] {
                let opened = page.matches(&format!("<{tag}>")).count()
                    + page.matches(&format!("<{tag} ")).count();
                assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
            }
        }
    }

    #[test]
    fn sixteen_ranks_of_20000_segments_stay_below_3_mb() {
        let page = super::super::html::estimate(&samples::large::estimate(16, 20_000));
        assert!(page.len() < 3_000_000, "{}", page.len());
    }

    #[test]
    fn numbers_carry_sort_keys() {
        let row = [TableCell::bytes(14_000), TableCell::share(0.5)];
        let columns = [
            ("bytes", ColumnStyle::Number),
            ("share", ColumnStyle::Share),
        ];
        let html = table(&Table::new(columns, [row]));
        assert!(
            html.contains("<td class=\"number\" data-key=\"14000\">14.0 kB</td>"),
            "{html}"
        );
        assert!(
            html.contains("data-key=\"0.5\" style=\"--share:50.0%\">50.0 %</td>"),
            "{html}"
        );
    }
}
