//! The sum over ranks of predicted computation, in seconds and in statements: does it grow with the number of ranks?

use super::cases::case;
use super::comparison::PICOSECOND;
use super::progress;
use super::rows::{Case, Row, Table};
use super::study::{Compilation, Measurements, Preparation};
use crate::numbers::{median, relative_spread};
use anyhow::{Context, Result};

/// A platform for estimates of computation, which depends on no network.
pub(super) const ANY_NETWORK: &str = "fast-ethernet";

/// What computation is measured in.
#[derive(Clone, Copy, PartialEq)]
enum Unit {
    Seconds,
    Statements,
}

pub(super) fn rows(measurements: &Measurements) -> Result<Vec<Row>> {
    let cases = &measurements.cases;
    let mut rows = Vec::new();
    for &(program, problem_class) in cases.summed {
        let mut seconds = vec![Vec::new(); cases.summed_ranks.len()];
        // All rank counts in each run: a slow phase of the machine then changes their ratios little.
        for run in 0..cases.runs {
            for (&ranks, sums) in cases.summed_ranks.iter().zip(&mut seconds) {
                progress(&format!(
                    "summing {program} {problem_class} on {ranks} ranks, run {} of {}",
                    run + 1,
                    cases.runs
                ));
                let case = case(program, problem_class, ranks);
                let sum = computation_of_all(measurements, &case, Unit::Seconds)?;
                sums.push(sum * PICOSECOND);
            }
        }
        for (&ranks, sums) in cases.summed_ranks.iter().zip(&seconds) {
            let case = case(program, problem_class, ranks);
            rows.push(row("seconds", &case, sums)?);
            // Statements are counted once, since counts do not vary between runs.
            let statements = computation_of_all(measurements, &case, Unit::Statements)?;
            rows.push(row("statements", &case, &[statements])?);
        }
    }
    Ok(rows)
}

fn row(quantity: &str, case: &Case, sums: &[f64]) -> Result<Row> {
    Ok(Row {
        table: Table::NotInflated,
        quantity: quantity.to_string(),
        case: case.clone(),
        network: String::new(),
        predicted: median(sums.iter().copied()).context("nothing was measured")?,
        measured: None,
        spread: relative_spread(sums),
        interval: None,
        rank: None,
    })
}

/// Predicted computation of all ranks, in picoseconds or statements.
fn computation_of_all(measurements: &Measurements, case: &Case, unit: Unit) -> Result<f64> {
    let preparation = Preparation {
        kinds: "program,compute",
        is_whole: false,
        counts_statements: unit == Unit::Statements,
        compilation: Compilation::WithFlags,
    };
    let clock = match unit {
        Unit::Seconds => "time",
        Unit::Statements => "statements",
    };
    let study = format!("summed-{}-{}-{clock}", case.program, case.problem_class);
    measurements.study(&study, case, &preparation)?;
    let ranks = case.ranks.to_string();
    let file = |content: &str| format!("{study}/{content}-n{ranks}.mpiete");
    let (program_data, compute_data, estimate) =
        (file("program"), file("compute"), file("estimate"));
    // Calls of these programs do not vary between runs; only times are measured again.
    if !measurements.contains(&program_data) {
        measurements.run_mpiete(&["record", &study, "-n", &ranks])?;
    }
    measurements.run_mpiete_with_flags(&["measure", &study, "-n", &ranks])?;
    let mut words = vec!["estimate", &program_data, &compute_data, "-o", &estimate];
    // An estimate in statements needs no platform.
    if unit == Unit::Seconds {
        words.extend(["--platform", ANY_NETWORK]);
    }
    measurements.run_mpiete(&words)?;
    // The predicted side is all that is used.
    let times = measurements.compare(&estimate, &estimate)?;
    Ok(times.ranks.iter().map(|rank| rank.computing.a).sum())
}
