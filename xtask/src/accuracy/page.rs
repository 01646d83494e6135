//! The tables of docs/results/accuracy.md, between their marks. The words around them are written by hand.

use super::in_time::{OUTSIDE_BLOCKS, PLAIN_PROGRAM};
use super::rows::{Row, Table};
use crate::marked_tables::{header, replaced};
use crate::numbers::{MISSING, largest_amount, median, percent, seconds, signed_percent};
use anyhow::{Context, Result};

/// The page, for messages.
const PAGE: &str = "docs/results/accuracy.md";

/// Blocks with this share of the time in all blocks count as large.
const LARGE_BLOCK: f64 = 0.01;

/// The page with all tables replaced.
pub(super) fn with_tables(page: &str, rows: &[Row]) -> Result<String> {
    let mut page = page.to_string();
    // All tables, though one may have been measured: the page then agrees with the file.
    for table in Table::ALL {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.table == table).collect();
        page = replaced(&page, PAGE, table.name(), &text_of(table, &rows)?)?;
    }
    Ok(page)
}

fn text_of(table: Table, rows: &[&Row]) -> Result<Vec<String>> {
    match table {
        Table::EndToEnd => end_to_end(rows),
        Table::ComputationCounted | Table::ComputationReused => Ok(counted(rows)),
        Table::InTime => Ok(in_time(rows)),
        Table::NotInflated => Ok(not_inflated(rows)),
    }
}

/// Rows with a value in common, in the order in which it appears first.
fn groups<'r, K: PartialEq>(rows: &[&'r Row], key: impl Fn(&Row) -> K) -> Vec<(K, Vec<&'r Row>)> {
    let mut groups: Vec<(K, Vec<&Row>)> = Vec::new();
    for &row in rows {
        let own = key(row);
        match groups.iter_mut().find(|(known, _)| *known == own) {
            Some((_, members)) => members.push(row),
            None => groups.push((own, vec![row])),
        }
    }
    groups
}

/// The cells that name a case.
fn case_cells(row: &Row) -> String {
    let case = &row.case;
    let program = case.program.to_uppercase();
    format!("{program} {} | {}", case.problem_class, case.ranks)
}

fn find<'r>(rows: &[&'r Row], quantity: &str) -> Option<&'r Row> {
    rows.iter().find(|row| row.quantity == quantity).copied()
}

fn end_to_end(rows: &[&Row]) -> Result<Vec<String>> {
    let mut lines = header(
        "| program | ranks | total: predicted (P10–P90) | measured | difference | compute | in MPI | spread |",
    );
    for (case, rows) in groups(rows, case_cells) {
        // A measurement writes all three rows, so a missing one is a damaged file and no missing figure.
        let quantity = |name| {
            find(&rows, name).with_context(|| {
                format!("accuracy.csv lacks the row '{name}' of {case} in table end-to-end")
            })
        };
        let (total, compute, calls) = (
            quantity("total")?,
            quantity("compute")?,
            quantity("in-MPI")?,
        );
        let interval = match total.interval {
            Some(interval) => format!(
                " ({}–{})",
                seconds(Some(interval.low)),
                seconds(Some(interval.high))
            ),
            None => String::new(),
        };
        lines.push(format!(
            "| {case} | {}{interval} | {} | {} | {} | {} : {} | {:.0} % |",
            seconds(Some(total.predicted)),
            seconds(total.measured),
            signed_percent(total.error(), 1),
            signed_percent(compute.error(), 1),
            seconds(Some(calls.predicted)),
            seconds(calls.measured),
            100.0 * total.spread,
        ));
    }
    Ok(lines)
}

/// Rows are the statements of each rank; a line contains all rank counts of a program and class.
fn counted(rows: &[&Row]) -> Vec<String> {
    let mut lines = header(
        "| program | ranks | median error | median of the amounts | largest error of a rank |",
    );
    for ((program, problem_class), rows) in groups(rows, program_of) {
        // Errors of both signs cancel out in their median, so that of the amounts stands beside it.
        let errors = errors(&rows);
        let amount = match median(errors.iter().map(|error| error.abs())) {
            Some(amount) => format!("{:.3} %", 100.0 * amount),
            None => MISSING.to_string(),
        };
        lines.push(format!(
            "| {} {problem_class} | {} | {} | {amount} | {} |",
            program.to_uppercase(),
            rank_counts(&rows),
            signed_percent(median(errors.iter().copied()), 3),
            largest_error(&rows),
        ));
    }
    lines
}

/// The program and the problem class of a row.
fn program_of(row: &Row) -> (String, String) {
    (row.case.program.clone(), row.case.problem_class.clone())
}

/// The fewest and the most ranks.
fn rank_counts(rows: &[&Row]) -> String {
    let fewest = rows.iter().map(|row| row.case.ranks).min();
    let most = rows.iter().map(|row| row.case.ranks).max();
    match (fewest, most) {
        (Some(fewest), Some(most)) if fewest < most => format!("{fewest} to {most}"),
        (Some(fewest), _) => fewest.to_string(),
        (None, _) => MISSING.to_string(),
    }
}

/// The largest error of a rank, and the number of ranks of its run.
fn largest_error(rows: &[&Row]) -> String {
    let Some(largest) = largest_amount(&errors(rows)) else {
        return MISSING.to_string();
    };
    let percent = signed_percent(Some(largest), 3);
    match rows.iter().find(|row| row.error() == Some(largest)) {
        Some(row) => format!("{percent} on {}", row.case.ranks),
        None => percent,
    }
}

/// Errors of rows that have one.
fn errors(rows: &[&Row]) -> Vec<f64> {
    rows.iter().filter_map(|row| row.error()).collect()
}

fn in_time(rows: &[&Row]) -> Vec<String> {
    let mut lines = header(
        "| program | ranks | predicted | plain program | difference | spread | blocks above 1 % | median, worst error | \
         median, largest spread | all blocks | median error | worst error | beside all blocks |",
    );
    for (case, rows) in groups(rows, case_cells) {
        let mut blocks = Vec::new();
        let (mut whole, mut outside) = (0.0, 0.0);
        for &row in &rows {
            // The plain program is another binary: its time is no part of the sum over blocks.
            if row.quantity == PLAIN_PROGRAM {
                continue;
            }
            let measured = row.measured.unwrap_or(0.0);
            whole += measured;
            if row.quantity == OUTSIDE_BLOCKS {
                outside += measured;
            } else if measured != 0.0 {
                // Without a measured time a block has no relative error.
                blocks.push(row);
            }
        }
        // In a second pass: whether a block is large depends on the sum of all.
        let mut large = Vec::new();
        for &block in &blocks {
            if block.measured.unwrap_or(0.0) >= LARGE_BLOCK * whole {
                large.push(block);
            }
        }
        let outside_share = if whole > 0.0 {
            Some(outside / whole)
        } else {
            None
        };
        let spreads: Vec<f64> = large.iter().map(|row| row.spread).collect();
        lines.push(format!(
            "| {case} | {} | {} | {}, {} | {}, {} | {} | {} | {} | {} |",
            plain_program(find(&rows, PLAIN_PROGRAM)),
            large.len(),
            median_error(&large),
            worst_error(&large),
            percent(median(spreads.iter().copied())),
            percent(largest_amount(&spreads)),
            blocks.len(),
            median_error(&blocks),
            worst_error(&blocks),
            percent(outside_share),
        ));
    }
    lines
}

/// All computation, predicted and of the program. Tables made before the program was timed lack it.
fn plain_program(row: Option<&Row>) -> String {
    let Some(row) = row else {
        return [MISSING; 4].join(" | ");
    };
    [
        seconds(Some(row.predicted)),
        seconds(row.measured),
        signed_percent(row.error(), 1),
        percent(Some(row.spread)),
    ]
    .join(" | ")
}

/// The median of the amounts of all errors.
fn median_error(rows: &[&Row]) -> String {
    percent(median(errors(rows).iter().map(|error| error.abs())))
}

fn worst_error(rows: &[&Row]) -> String {
    signed_percent(largest_amount(&errors(rows)), 1)
}

/// Rows are the sums over ranks, in seconds and in statements.
fn not_inflated(rows: &[&Row]) -> Vec<String> {
    let mut lines = header(
        "| program | ranks | seconds of all ranks | spread | over those of the fewest ranks | the same of statements |",
    );
    for (_, rows) in groups(rows, program_of) {
        let rank_counts = groups(&rows, case_cells);
        // The file is in the order of rank counts.
        let Some((_, fewest)) = rank_counts.first() else {
            continue;
        };
        for (case, rows) in &rank_counts {
            let in_seconds = find(rows, "seconds");
            lines.push(format!(
                "| {case} | {} | {} | {} | {} |",
                seconds(in_seconds.map(|row| row.predicted)),
                percent(in_seconds.map(|row| row.spread)),
                growth(in_seconds, find(fewest, "seconds")),
                growth(find(rows, "statements"), find(fewest, "statements")),
            ));
        }
    }
    lines
}

/// A sum over ranks relative to that of the fewest ranks.
fn growth(row: Option<&Row>, fewest: Option<&Row>) -> String {
    match (row, fewest) {
        (Some(row), Some(fewest)) if fewest.predicted != 0.0 => {
            format!("{:.3}", row.predicted / fewest.predicted)
        }
        _ => MISSING.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::rows_of;
    use super::*;

    fn last_lines(table: Table, lines: &str) -> Vec<String> {
        let rows = rows_of(lines);
        let rows: Vec<&Row> = rows.iter().collect();
        text_of(table, &rows).expect("a table").split_off(2)
    }

    #[test]
    fn end_to_end_with_and_without_interval() {
        let lines = last_lines(
            Table::EndToEnd,
            "end-to-end,total,ep,W,1,m,0.533783,0.573255,0.654413,0.533,0.534,
end-to-end,compute,ep,W,1,m,0.533783,0.573186,0.654502,,,
end-to-end,in-MPI,ep,W,1,m,0,6.87753e-05,0.0879294,,,
end-to-end,total,ep,W,2,m,0.5,0,0,,,
end-to-end,compute,ep,W,2,m,0.5,1,0,,,
end-to-end,in-MPI,ep,W,2,m,0,0,0,,,",
        );
        assert_eq!(
            lines,
            [
                "| EP W | 1 | 0.534 s (0.533 s–0.534 s) | 0.573 s | -6.9 % | -6.9 % | 0 s : 6.88e-05 s | 65 % |",
                "| EP W | 2 | 0.5 s | 0 s | – | -50.0 % | 0 s : 0 s | 0 % |",
            ]
        );
    }

    #[test]
    fn end_to_end_without_a_quantity_is_an_error() {
        let rows = rows_of("end-to-end,total,ep,W,1,m,1,1,0,,,");
        let rows: Vec<&Row> = rows.iter().collect();
        let error = end_to_end(&rows).expect_err("no row 'compute'");
        assert!(
            error
                .to_string()
                .contains("lacks the row 'compute' of EP W | 1")
        );
    }

    #[test]
    fn counted_errors_of_ranks() {
        let lines = last_lines(
            Table::ComputationCounted,
            "computation-counted,compute,lu,S,2,,1000,1000,0,,,0
computation-counted,compute,lu,S,2,,990,1000,0,,,1
computation-counted,compute,lu,S,4,,0,0,0,,,0
computation-counted,compute,lu,W,4,,0,0,0,,,0",
        );
        assert_eq!(
            lines,
            [
                "| LU S | 2 to 4 | -0.500 % | 0.500 % | -1.000 % on 2 |",
                "| LU W | 4 | – | – | – |",
            ]
        );
    }

    #[test]
    fn blocks_in_time() {
        let lines = last_lines(
            Table::InTime,
            "in-time,program,ep,S,1,,1,2,0.1,,,
in-time,a.f:1,ep,S,1,,0.9,1,0.2,,,
in-time,a.f:2,ep,S,1,,0.002,0.001,0.9,,,
in-time,outside-blocks,ep,S,1,,0,0.999,0.5,,,
in-time,a.f:1,ep,S,2,,0.9,0,0.2,,,",
        );
        assert_eq!(
            lines,
            [
                "| EP S | 1 | 1 s | 2 s | -50.0 % | 10.0 % | 1 | 10.0 %, -10.0 % | 20.0 %, 20.0 % | 2 | 55.0 % | +100.0 % | 50.0 % |",
                "| EP S | 2 | – | – | – | – | 0 | –, – | –, – | 0 | – | – | – |",
            ]
        );
    }

    #[test]
    fn sums_relative_to_those_of_the_fewest_ranks() {
        let lines = last_lines(
            Table::NotInflated,
            "not-inflated,seconds,cg,A,2,,0.29028,,0.0909302,,,
not-inflated,statements,cg,A,2,,100,,0,,,
not-inflated,seconds,cg,A,4,,0.58056,,0.0130878,,,",
        );
        assert_eq!(
            lines,
            [
                "| CG A | 2 | 0.29 s | 9.1 % | 1.000 | 1.000 |",
                "| CG A | 4 | 0.581 s | 1.3 % | 2.000 | – |",
            ]
        );
    }
}
