//! A sweep as a document: the recommendation, the points as a table, how time and efficiency go as charts; and as rows
//! for spreadsheets.

mod csv;
mod plots;

pub use csv::csv;

use super::document::{Column, ColumnStyle, Document, Entry, Part, Section, Table};
use super::{html as page, numbers, text as terminal};
use crate::sweep::{Row, Sweep};
use base_data::Time;
use base_data::estimate_file::Category;

/// What a person sees in a terminal.
pub fn text(swept: &Sweep) -> String {
    terminal::render(&document(swept, Vec::new()))
}

/// One self-contained page.
pub fn html(swept: &Sweep) -> String {
    let charts = [plots::time(swept), plots::efficiency(swept)];
    page::page(&document(
        swept,
        charts.into_iter().map(Part::Chart).collect(),
    ))
}

/// The plot of time alone.
pub fn svg(swept: &Sweep) -> String {
    plots::time(swept).svg()
}

fn document(swept: &Sweep, charts: Vec<Part>) -> Document {
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
    let sections = vec![
        Section::new("", [recommendation(swept)]),
        Section::new("plots", charts),
        Section::new(
            "estimates",
            [Part::Table(table(swept)), Part::Paragraph(meaning(swept))],
        ),
        Section::new("mind", [Part::List(swept.warnings.clone())]),
    ];
    Document { title, sections }
}

/// Which number of ranks to take, for each combination of the other values.
fn recommendation(swept: &Sweep) -> Part {
    let told = swept.series().into_iter().filter_map(|(others, rows)| {
        let best = rows.into_iter().find(|row| row.recommended)?;
        let others = if others.is_empty() {
            String::new()
        } else {
            format!("{}: ", others.join(", "))
        };
        let efficiency = best.efficiency.map_or(String::new(), |share| {
            format!(", efficiency {}", numbers::percent(share))
        });
        let ranks = numbers::counted(u64::from(best.ranks), "rank", "ranks");
        Some(format!("{others}take {ranks} ({}{efficiency})", best.time))
    });
    Part::List(told.collect())
}

/// What the columns mean, as far as names do not say it.
fn meaning(swept: &Sweep) -> String {
    let mut sentences = vec!["P10 and P90 are percentiles of the draws.".to_string()];
    if swept.varies_ranks {
        sentences.push(format!(
            "Speed-up is counted from the fewest ranks of the same row values, which count as that many times as fast as \
             one; efficiency is speed-up per rank. To take (*): of the numbers of ranks whose efficiency is at least {}, \
             the fastest, and of equally fast ones the fewest ranks.",
            numbers::percent(swept.minimum_efficiency)
        ));
    }
    if swept.rows.iter().any(|row| row.against_first.is_some()) {
        sentences.push(
            "Against first is the time relative to the first value of each parameter".to_string()
                + if swept.varies_ranks {
                    " on as many ranks."
                } else {
                    "."
                },
        );
    }
    sentences
        .push("Core-hours are ranks times threads times time. Shares are means over ranks.".into());
    sentences.join(" ")
}

fn table(swept: &Sweep) -> Table {
    let named = |name: &str| Column {
        name: name.to_string().into(),
        style: ColumnStyle::Words,
    };
    let number = |name: &'static str| Column {
        name: name.into(),
        style: ColumnStyle::Number,
    };
    let share = |name: &'static str| Column {
        name: name.into(),
        style: ColumnStyle::Share,
    };
    let has = |value: fn(&Row) -> Option<f64>| swept.rows.iter().any(|row| value(row).is_some());
    let mut columns: Vec<Column> = swept.parameters.iter().map(|name| named(name)).collect();
    columns.extend(["time", "P10", "P90"].map(number));
    if swept.varies_ranks {
        columns.extend([named(""), number("speed-up"), share("efficiency")]);
    }
    if has(|row| row.against_first) {
        columns.push(number("against first"));
    }
    columns.push(number("core-hours"));
    columns.extend([share("compute"), share("overhead"), share("wait")]);
    let rows = swept
        .rows
        .iter()
        .map(|row| entries(swept, row, has(|row| row.against_first)))
        .collect();
    Table {
        columns,
        rows,
        rows_in_text: usize::MAX,
    }
}

fn entries(swept: &Sweep, row: &Row, compares: bool) -> Vec<Entry> {
    let mut entries: Vec<Entry> = row
        .values
        .iter()
        .map(|value| Entry::from(value.as_str()))
        .collect();
    let times = [Some(row.time), row.p10, row.p90];
    entries.extend(times.map(|time| time.map_or(Entry::default(), Entry::time)));
    if swept.varies_ranks {
        entries.push(if row.recommended { "*" } else { "" }.into());
        entries.push(plain(row.speed_up, |value| format!("{value:.2}")));
        entries.push(row.efficiency.map_or(Entry::default(), Entry::share));
    }
    if compares {
        entries.push(plain(row.against_first, |value| format!("{value:.3}")));
    }
    entries.push(plain(Some(row.core_hours), core_hours));
    entries.extend(shares(row).map(Entry::share));
    entries
}

fn plain(value: Option<f64>, spelled: impl Fn(f64) -> String) -> Entry {
    value.map_or(Entry::default(), |value| Entry {
        text: spelled(value),
        key: Some(value),
    })
}

/// Three digits, however small.
fn core_hours(value: f64) -> String {
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    numbers::plain(rounded)
}

/// Shares of computation, overhead and waiting.
fn shares(row: &Row) -> [f64; 3] {
    let of = |wanted: &[Category]| -> Time {
        wanted
            .iter()
            .filter_map(|category| row.split.get(category.index()))
            .copied()
            .sum()
    };
    let whole: Time = row.split.iter().copied().sum();
    [
        of(&[Category::Compute]),
        of(&[Category::SendOverhead, Category::ReceiveOverhead]),
        of(&[
            Category::SendWait,
            Category::ReceiveWait,
            Category::CollectiveWait,
        ]),
    ]
    .map(|part| numbers::share(part, whole))
}
