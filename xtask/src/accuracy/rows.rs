//! Rows of docs/results/accuracy.csv.

use crate::csv_fields::{fields, quoted};
use crate::numbers::{median, relative_spread, significant};
use anyhow::{Context, Result, bail};

/// The columns of the file. The names of the amounts end in `_s`; those of counted tables are statements.
const COLUMNS: &str = "table,quantity,program,problem_class,ranks,network,predicted_s,measured_s,measured_spread,low_s,high_s,rank";

/// The orders of rows.
const PROGRAMS: [&str; 3] = ["ep", "cg", "lu"];
const PROBLEM_CLASSES: [&str; 5] = ["S", "W", "A", "B", "C"];

/// A table of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Table {
    EndToEnd,
    ComputationCounted,
    ComputationReused,
    InTime,
    NotInflated,
}

impl Table {
    /// All, in the order in which they are measured, written and shown.
    pub(super) const ALL: [Table; 5] = [
        Table::EndToEnd,
        Table::ComputationCounted,
        Table::ComputationReused,
        Table::InTime,
        Table::NotInflated,
    ];

    /// The name in the file, in the marks of the page and on the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Table::EndToEnd => "end-to-end",
            Table::ComputationCounted => "computation-counted",
            Table::ComputationReused => "computation-reused",
            Table::InTime => "in-time",
            Table::NotInflated => "not-inflated",
        }
    }

    pub(super) fn by_name(name: &str) -> Option<Table> {
        Table::ALL.into_iter().find(|table| table.name() == name)
    }
}

/// A program on a number of ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) program: String,
    pub(super) problem_class: String,
    pub(super) ranks: u32,
}

/// A predicted and a measured amount.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) predicted: f64,
    pub(crate) measured: f64,
}

/// An estimate's 10th and 90th percentile, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
}

/// A figure: what was predicted and what was measured.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) table: Table,
    /// `total`, `compute`, `in-MPI`; in table `in-time` a block's place, in `not-inflated` the unit.
    pub(super) quantity: String,
    pub(super) case: Case,
    /// Empty where the amount does not depend on a network.
    pub(super) network: String,
    pub(super) predicted: f64,
    /// `None` where nothing was measured to compare with.
    pub(super) measured: Option<f64>,
    /// The range of several measurements over their median.
    pub(super) spread: f64,
    /// `None` where the estimate has none: only a part of it was compared.
    pub(super) interval: Option<Interval>,
    /// `None` where the amount is that of all ranks.
    pub(super) rank: Option<u32>,
}

impl Row {
    /// A figure of several runs: the median of each side, and the spread of what was measured.
    pub(super) fn of_runs(table: Table, quantity: &str, case: &Case, runs: &[Pair]) -> Result<Row> {
        let predicted: Vec<f64> = runs.iter().map(|run| run.predicted).collect();
        let measured: Vec<f64> = runs.iter().map(|run| run.measured).collect();
        Ok(Row {
            table,
            quantity: quantity.to_string(),
            case: case.clone(),
            network: String::new(),
            // Each side apart: the page compares the median prediction with the median run.
            predicted: median(predicted).context("nothing was run")?,
            measured: median(measured.iter().copied()),
            spread: relative_spread(&measured),
            interval: None,
            rank: None,
        })
    }

    /// The prediction's error relative to what was measured; `None` if nothing was, or zero.
    pub(super) fn error(&self) -> Option<f64> {
        let measured = self.measured?;
        if measured == 0.0 {
            return None;
        }
        Some(self.predicted / measured - 1.0)
    }

    /// Whether amounts are numbers of statements, not seconds.
    fn counts_statements(&self) -> bool {
        match self.table {
            Table::ComputationCounted | Table::ComputationReused => true,
            Table::NotInflated => self.quantity == "statements",
            Table::EndToEnd | Table::InTime => false,
        }
    }

    /// Statements are written exactly, seconds with six digits.
    fn amount(&self, amount: f64) -> String {
        if self.counts_statements() && amount.fract() == 0.0 {
            format!("{amount:.0}")
        } else {
            significant(amount, 6)
        }
    }

    fn is_measured_with(&self, other: &Row) -> bool {
        self.table == other.table && self.case == other.case
    }

    /// The order of the file.
    fn position(&self) -> (Table, usize, usize, u32) {
        (
            self.table,
            position_in(&PROGRAMS, &self.case.program),
            position_in(&PROBLEM_CLASSES, &self.case.problem_class),
            self.case.ranks,
        )
    }
}

/// The position of a name in a list; behind it if it is not there.
fn position_in(list: &[&str], name: &str) -> usize {
    list.iter()
        .position(|one| *one == name)
        .unwrap_or(list.len())
}

/// The rows of a file, in which those of cases that were measured again are replaced.
pub(super) fn merged(rows: Vec<Row>, measured: Vec<Row>) -> Vec<Row> {
    let mut merged = Vec::new();
    for row in rows {
        // By case, not by quantity: a new measurement may have other blocks, and none of the old ones may stay beside them.
        let is_replaced = measured.iter().any(|newer| newer.is_measured_with(&row));
        if !is_replaced {
            merged.push(row);
        }
    }
    merged.extend(measured);
    // Stable: the rows of a case stay in the order in which they were measured.
    merged.sort_by_key(Row::position);
    merged
}

/// The text of the file.
pub(super) fn written(rows: &[Row]) -> String {
    let mut text = format!("{COLUMNS}\n");
    for row in rows {
        let amount = |amount: Option<f64>| match amount {
            Some(amount) => row.amount(amount),
            None => String::new(),
        };
        let rank = match row.rank {
            Some(rank) => rank.to_string(),
            None => String::new(),
        };
        let fields = [
            row.table.name().to_string(),
            row.quantity.clone(),
            row.case.program.clone(),
            row.case.problem_class.clone(),
            row.case.ranks.to_string(),
            row.network.clone(),
            row.amount(row.predicted),
            amount(row.measured),
            significant(row.spread, 6),
            amount(row.interval.map(|interval| interval.low)),
            amount(row.interval.map(|interval| interval.high)),
            rank,
        ];
        let fields: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
        text.push_str(&fields.join(","));
        text.push('\n');
    }
    text
}

/// The rows that the text of a file contains.
pub(super) fn read(text: &str) -> Result<Vec<Row>> {
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    // Fields have no names: with other columns a value would be read as another quantity.
    if header != COLUMNS {
        bail!("the columns are '{header}' instead of '{COLUMNS}'");
    }
    let mut rows = Vec::new();
    // Line 1 is the header.
    for (number, line) in (2..).zip(lines) {
        let row = row_of(line).with_context(|| format!("line {number}"))?;
        rows.push(row);
    }
    Ok(rows)
}

fn row_of(line: &str) -> Result<Row> {
    let fields = fields(line);
    let [
        table,
        quantity,
        program,
        problem_class,
        ranks,
        network,
        predicted,
        measured,
        spread,
        low,
        high,
        rank,
    ] = &fields[..]
    else {
        bail!("{} fields instead of 12", fields.len());
    };
    // Both ends are written, or neither.
    let interval = match (optional(low)?, optional(high)?) {
        (Some(low), Some(high)) => Some(Interval { low, high }),
        _ => None,
    };
    Ok(Row {
        table: Table::by_name(table).with_context(|| format!("no table '{table}'"))?,
        quantity: quantity.clone(),
        case: Case {
            program: program.clone(),
            problem_class: problem_class.clone(),
            ranks: ranks.parse().with_context(|| format!("ranks '{ranks}'"))?,
        },
        network: network.clone(),
        predicted: number(predicted)?,
        measured: optional(measured)?,
        spread: number(spread)?,
        interval,
        rank: if rank.is_empty() {
            None
        } else {
            Some(rank.parse().with_context(|| format!("rank '{rank}'"))?)
        },
    })
}

fn optional(field: &str) -> Result<Option<f64>> {
    if field.is_empty() {
        return Ok(None);
    }
    number(field).map(Some)
}

fn number(field: &str) -> Result<f64> {
    field
        .parse()
        .with_context(|| format!("a number was expected: '{field}'"))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The rows of lines without the header.
    pub(in crate::accuracy) fn rows_of(lines: &str) -> Vec<Row> {
        read(&format!("{COLUMNS}\n{lines}")).expect("rows")
    }

    const ROWS: &str = "\
end-to-end,total,ep,W,1,\"shared memory, 4.0.2\",0.533783,0.573255,0.654413,0.533783,0.533783,
end-to-end,in-MPI,ep,W,1,\"shared memory, 4.0.2\",0,6.87753e-05,0.0879294,,,
computation-counted,compute,ep,S,1,,481784069,481784068,0,,,0
not-inflated,seconds,cg,A,2,,0.29028,,0.0909302,,,
not-inflated,statements,cg,A,2,,14318877338,,0,,,
";

    #[test]
    fn rows_are_written_as_they_are_read() {
        assert_eq!(written(&rows_of(ROWS)), format!("{COLUMNS}\n{ROWS}"));
    }

    #[test]
    fn rows_of_measured_cases_are_replaced_and_sorted() {
        let newer = rows_of("end-to-end,total,ep,W,1,,2,3,0,,,\nend-to-end,total,cg,W,1,,1,1,0,,,");
        let text = written(&merged(rows_of(ROWS), newer));
        let begins: Vec<&str> = text.lines().skip(1).map(|line| &line[..28]).collect();
        assert_eq!(
            begins,
            [
                "end-to-end,total,ep,W,1,,2,3",
                "end-to-end,total,cg,W,1,,1,1",
                "computation-counted,compute,",
                "not-inflated,seconds,cg,A,2,",
                "not-inflated,statements,cg,A",
            ]
        );
    }

    #[test]
    fn wrong_lines_are_named() {
        for (line, expected) in [
            ("end-to-end,total", "2 fields instead of 12"),
            ("other,total,ep,W,1,,2,3,0,,,", "no table 'other'"),
            ("in-time,total,ep,W,x,,2,3,0,,,", "ranks 'x'"),
            ("in-time,total,ep,W,1,,,3,0,,,", "a number was expected: ''"),
        ] {
            let error = read(&format!("{COLUMNS}\n{line}\n")).expect_err(line);
            let message = format!("{error:#}");
            assert!(message.starts_with("line 2: "), "{message}");
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn figure_of_runs_has_medians_and_the_spread() {
        let case = Case {
            program: "ep".into(),
            problem_class: "S".into(),
            ranks: 2,
        };
        let runs = [(1.0, 2.0), (3.0, 4.0), (2.0, 8.0)].map(|(predicted, measured)| Pair {
            predicted,
            measured,
        });
        let row = Row::of_runs(Table::InTime, "program", &case, &runs).expect("runs");
        assert_eq!((row.predicted, row.measured), (2.0, Some(4.0)));
        assert_eq!((row.spread, row.error()), (1.5, Some(-0.5)));
        assert!(Row::of_runs(Table::InTime, "program", &case, &[]).is_err());
    }
}
