//! A sweep as a document: the recommendation, the points as a table, time and efficiency as charts; and as rows for
//! spreadsheets.

mod csv;
mod plots;

pub use csv::csv;

use super::document::{Column, ColumnStyle, Document, Section, SectionElement, Table, TableCell};
use super::{html as page, numbers, text as terminal};
use crate::clock_dependence;
use crate::sweep::{Row, Sweep};
use base_data::Time;
use base_data::estimate_file::Category;
use base_data::program_data::TimeDependentPlace;

/// The report for a terminal.
pub fn text(swept: &Sweep) -> String {
    let report = terminal::render(&document(swept, Vec::new()));
    clock_dependence::under_note(clock_note(swept).cloned(), report)
}

/// One self-contained page.
pub fn html(swept: &Sweep) -> String {
    let charts = [plots::time(swept), plots::efficiency(swept)];
    let mut document = document(
        swept,
        charts.into_iter().map(SectionElement::Chart).collect(),
    );
    let note = clock_note(swept).cloned().map(SectionElement::Paragraph);
    document.sections.insert(0, Section::new("", note));
    page::page(&document)
}

/// The warning on clock-dependent control flow, which is the first line of the report.
pub fn clock_note(swept: &Sweep) -> Option<&String> {
    let is_note = |warning: &&String| warning.contains(TimeDependentPlace::CLOCK_OUTSIDE);
    swept.warnings.iter().find(is_note)
}

/// The plot of time alone.
pub fn svg(swept: &Sweep) -> String {
    plots::time(swept).svg()
}

fn document(swept: &Sweep, charts: Vec<SectionElement>) -> Document {
    let points = numbers::counted(swept.rows.len() as u64, "estimate", "estimates");
    let program = if swept.program.is_empty() {
        "program"
    } else {
        &swept.program
    };
    let title = format!(
        "sweep of {program} over {}: {points}",
        swept.parameters.join(", ")
    );
    let note = clock_note(swept);
    let is_new = |warning: &&String| Some(*warning) != note;
    let warnings = swept.warnings.iter().filter(is_new).cloned().collect();
    let sections = vec![
        Section::new("", [recommendation(swept)]),
        Section::new("plots", charts),
        Section::new(
            "estimates",
            [
                SectionElement::Table(table(swept)),
                SectionElement::Paragraph(meaning(swept)),
            ],
        ),
        Section::new("warnings", [SectionElement::List(warnings)]),
    ];
    Document { title, sections }
}

/// The recommended number of ranks for each combination of the other values.
fn recommendation(swept: &Sweep) -> SectionElement {
    let mut sentences = Vec::new();
    for series in swept.series() {
        let Some(best) = series.rows.into_iter().find(|row| row.recommended) else {
            continue;
        };
        let mut sentence = String::new();
        if !series.values.is_empty() {
            sentence = format!("{}: ", series.values.join(", "));
        }
        let ranks = numbers::ranks(best.ranks);
        sentence += &format!("recommended: {ranks} ({}", best.time);
        if let Some(efficiency) = best.efficiency {
            sentence += &format!(", efficiency {}", numbers::percent(efficiency));
        }
        sentences.push(sentence + ")");
    }
    SectionElement::List(sentences)
}

/// The meaning of columns whose names do not suffice.
fn meaning(swept: &Sweep) -> String {
    let mut sentences =
        vec!["P10 and P90 are the 10th and 90th percentiles of the draws.".to_string()];
    if swept.varies_ranks {
        sentences.push(format!(
            "Speed-up is relative to the fewest ranks with the same other values, P0; these count as P0 times as fast as \
             one rank. Efficiency is speed-up per rank. Recommended (*) is the fastest number of ranks with an efficiency \
             of at least {}, and of equally fast ones the smallest.",
            numbers::percent(swept.minimum_efficiency)
        ));
    }
    if swept.rows.iter().any(|row| row.against_first.is_some()) {
        let on_ranks = if swept.varies_ranks {
            " on as many ranks"
        } else {
            ""
        };
        sentences.push(format!(
            "Against first is the time relative to the first value of each parameter{on_ranks}."
        ));
    }
    sentences
        .push("Core-hours are ranks times threads times time. Shares are means over ranks.".into());
    sentences.join(" ")
}

fn table(swept: &Sweep) -> Table {
    let compares = swept.rows.iter().any(|row| row.against_first.is_some());
    let mut columns = Vec::new();
    for name in &swept.parameters {
        columns.push(column(name, ColumnStyle::Words));
    }
    for name in ["time", "P10", "P90"] {
        columns.push(column(name, ColumnStyle::Number));
    }
    if swept.varies_ranks {
        columns.push(column("", ColumnStyle::Words));
        columns.push(column("speed-up", ColumnStyle::Number));
        columns.push(column("efficiency", ColumnStyle::Share));
    }
    if compares {
        columns.push(column("against first", ColumnStyle::Number));
    }
    columns.push(column("core-hours", ColumnStyle::Number));
    for name in ["compute", "overhead", "wait"] {
        columns.push(column(name, ColumnStyle::Share));
    }
    let mut rows = Vec::new();
    for row in &swept.rows {
        rows.push(entries(swept, row, compares));
    }
    Table {
        columns,
        rows,
        rows_in_text: usize::MAX,
    }
}

fn column(name: &str, style: ColumnStyle) -> Column {
    Column {
        name: name.to_string().into(),
        style,
    }
}

fn entries(swept: &Sweep, row: &Row, compares: bool) -> Vec<TableCell> {
    let mut entries: Vec<TableCell> = Vec::new();
    for value in &row.values {
        entries.push(value.as_str().into());
    }
    for time in [Some(row.time), row.p10, row.p90] {
        entries.push(time.map_or(TableCell::default(), TableCell::time));
    }
    if swept.varies_ranks {
        entries.push(if row.recommended { "*" } else { "" }.into());
        entries.push(with_digits(row.speed_up, 2));
        entries.push(
            row.efficiency
                .map_or(TableCell::default(), TableCell::share),
        );
    }
    if compares {
        entries.push(with_digits(row.against_first, 3));
    }
    entries.push(TableCell {
        text: core_hours(row.core_hours),
        key: Some(row.core_hours),
    });
    entries.extend(shares(row).map(TableCell::share));
    entries
}

fn with_digits(value: Option<f64>, digits: usize) -> TableCell {
    match value {
        Some(value) => TableCell {
            text: format!("{value:.digits$}"),
            key: Some(value),
        },
        None => TableCell::default(),
    }
}

/// Three digits, however small.
fn core_hours(value: f64) -> String {
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    numbers::plain(rounded)
}

/// Shares of computation, overhead and waiting.
fn shares(row: &Row) -> [f64; 3] {
    let (mut compute, mut overhead, mut wait) = (Time::ZERO, Time::ZERO, Time::ZERO);
    let mut whole = Time::ZERO;
    for &time in &row.split {
        whole += time;
    }
    for category in Category::ALL {
        let Some(&time) = row.split.get(category.index()) else {
            continue;
        };
        match category {
            Category::Compute => compute += time,
            Category::SendOverhead | Category::ReceiveOverhead => overhead += time,
            Category::SendWait | Category::ReceiveWait | Category::CollectiveWait => {
                wait += time;
            }
        }
    }
    [compute, overhead, wait].map(|part| numbers::share(part, whole))
}
