//! The tables of docs/results/real-codes.md.

use super::rows::{Figures, RANKS, Row};
use crate::marked_tables::{header, replaced};
use crate::numbers::{MISSING, median, percent, seconds};
use anyhow::Result;

/// The page, for messages.
const PAGE: &str = "docs/results/real-codes.md";

/// The page with its tables replaced.
pub fn with_tables(page: &str, rows: &[Row]) -> Result<String> {
    let page = replaced(page, PAGE, "slices", &slices(rows))?;
    let page = replaced(&page, PAGE, "computation", &computation(rows))?;
    replaced(&page, PAGE, "failures", &failures(rows))
}

fn slices(rows: &[Row]) -> Vec<String> {
    let mut lines = header(
        "| code | lines | kept strictly | kept | assumptions | streams equal | counts equal | build command |",
    );
    for row in rows {
        lines.push(format!(
            "| {} | {} | {} | {} | {} | {} | {} | `{}` |",
            name(row),
            whole(row.lines),
            percent(row.kept_strict.map(|share| share / 100.0)),
            percent(row.kept.map(|share| share / 100.0)),
            whole(row.assumptions),
            answer(row.streams_equal),
            answer(row.counts_equal),
            // A bar would end the cell.
            row.build_command.replace('|', "\\|"),
        ));
    }
    lines
}

fn computation(rows: &[Row]) -> Vec<String> {
    let mut lines = header(
        "| code | ranks | measuring, in runs | predicted | spread | observed | spread | predicted : observed |",
    );
    for row in rows {
        for (ranks, figures) in RANKS.iter().zip(&row.on_ranks) {
            if *figures == Figures::default() {
                continue;
            }
            lines.push(format!(
                "| {} | {ranks} | {} | {} | {} | {} | {} | {} |",
                name(row),
                ratio(figures.walls),
                seconds(figures.predicted),
                percent(figures.predicted_spread),
                seconds(figures.observed),
                percent(figures.observed_spread),
                ratio(figures.ratio()),
            ));
        }
    }
    let ratios = rows
        .iter()
        .flat_map(|row| &row.on_ranks)
        .filter_map(Figures::ratio);
    let walls = rows
        .iter()
        .flat_map(|row| &row.on_ranks)
        .filter_map(|figures| figures.walls);
    lines.push(format!(
        "| median | | {} | | | | | {} |",
        ratio(median(walls)),
        ratio(median(ratios)),
    ));
    lines
}

fn failures(rows: &[Row]) -> Vec<String> {
    let mut lines = header("| code | stage | message |");
    for row in rows {
        if row.failed_stage.is_empty() {
            continue;
        }
        let message = row.failure.replace('|', "\\|");
        lines.push(format!(
            "| {} | {} | `{message}` |",
            name(row),
            row.failed_stage
        ));
    }
    lines
}

/// Codes that nothing was repaired for are marked.
fn name(row: &Row) -> String {
    if row.chosen_after {
        format!("{} *", row.name)
    } else {
        row.name.clone()
    }
}

fn whole(value: Option<u64>) -> String {
    value.map_or(MISSING.to_string(), |value| value.to_string())
}

fn ratio(value: Option<f64>) -> String {
    value.map_or(MISSING.to_string(), |value| format!("{value:.2}"))
}

fn answer(value: Option<bool>) -> &'static str {
    match value {
        Some(true) => "yes",
        Some(false) => "no",
        None => MISSING,
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::measured;
    use super::*;

    #[test]
    fn tables_contain_what_is_known() {
        let rows = [
            measured(),
            Row {
                name: "B".to_string(),
                build_command: "a | b".to_string(),
                ..Row::default()
            },
        ];
        assert_eq!(
            slices(&rows)[2..],
            [
                "| A * | 1200 | 96.8 % | 24.6 % | 3 | yes | no | `make CC=gcc, \"x\"` |",
                "| B | – | – | – | – | – | – | `a \\| b` |",
            ]
        );
        assert_eq!(
            computation(&rows)[2..],
            [
                "| A * | 1 | 0.50 | 1.25 s | 2.0 % | 1 s | 3.0 % | 1.25 |",
                "| median | | 0.50 | | | | | 1.25 |",
            ]
        );
        assert_eq!(failures(&rows)[2..], ["| A * | record | `a, b` |"]);
    }
}
