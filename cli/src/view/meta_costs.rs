//! Expected costs of a meta-program as a table, and as rows for spreadsheets.

use super::document::{ColumnStyle, Document, Section, SectionElement, Table, TableCell};
use super::text as terminal;
use meta::{COST_METHODS, Costs, RankCosts};
use std::fmt::Write;

/// The report for a terminal.
pub fn text(name: &str, costs: &RankCosts) -> String {
    let ranks = super::numbers::ranks(costs.ranks);
    let columns = [
        ("method", ColumnStyle::Words),
        ("all ranks", ColumnStyle::Number),
        ("mean", ColumnStyle::Number),
        ("largest", ColumnStyle::Number),
        ("on rank", ColumnStyle::Number),
    ];
    let rows = COST_METHODS.map(|(method, value)| {
        let (total, largest, rank) = summary(costs, value);
        let mean = total / f64::from(costs.ranks);
        [
            method.into(),
            number(total),
            number(mean),
            number(largest),
            TableCell::ordinal(rank),
        ]
    });
    let document = Document {
        title: format!("expected costs of {name} on {ranks}, in units of the meta-program"),
        sections: vec![Section::new(
            "",
            [SectionElement::Table(Table::new(columns, rows))],
        )],
    };
    terminal::render(&document)
}

/// The sum over all ranks, the largest value, and the first rank that has it.
fn summary(costs: &RankCosts, value: fn(&Costs) -> f64) -> (f64, f64, u32) {
    let (mut total, mut largest, mut rank) = (0.0, f64::NEG_INFINITY, 0);
    let mut first = 0;
    for (last, costs) in &costs.costs {
        let value = value(costs);
        total += value * f64::from(last - first + 1);
        if value > largest {
            (largest, rank) = (value, first);
        }
        first = last + 1;
    }
    (total, largest, rank)
}

fn number(value: f64) -> TableCell {
    TableCell {
        text: shown(value),
        key: Some(value),
    }
}

/// Whole numbers with all digits, others with six.
fn shown(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return super::numbers::count(value as u64);
    }
    if value.abs() >= 1e15 {
        return format!("{value:.6e}");
    }
    let digits = 5 - value.abs().log10().floor() as i32;
    let decimals = digits.clamp(1, 9) as usize;
    format!("{value:.decimals$}")
}

/// One row per rank.
pub fn csv(costs: &RankCosts) -> String {
    let mut text = String::from("rank");
    for (name, _) in COST_METHODS {
        _ = write!(text, ",{name}");
    }
    text.push('\n');
    let mut first = 0;
    for (last, costs) in &costs.costs {
        for rank in first..=*last {
            _ = write!(text, "{rank}");
            for (_, value) in COST_METHODS {
                _ = write!(text, ",{}", value(costs));
            }
            text.push('\n');
        }
        first = last + 1;
    }
    text
}
