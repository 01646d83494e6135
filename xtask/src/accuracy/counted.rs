//! Computation in statements: predicted ones compared with executed ones, rank by rank.

use super::cases::{CountedCase, case};
use super::progress;
use super::rows::{Case, Row, Table};
use super::study::{Compilation, Measurements, Preparation};
use anyhow::Result;

const COUNTED: Preparation = Preparation {
    kinds: "program,compute,observed",
    is_whole: false,
    counts_statements: true,
    compilation: Compilation::Default,
};

/// Each rank count predicted from compute data of its own.
pub(super) fn rows_of_measured_rank_counts(measurements: &Measurements) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for counted in measurements.cases.counted(&measurements.choice) {
        let study = study(measurements, counted)?;
        for ranks in measurements
            .cases
            .counted_ranks(&measurements.choice, counted)
        {
            let case = case(counted.program, counted.problem_class, ranks);
            progress(&format!("counting {}", described(&case)));
            measurements.run_mpiete(&["measure", &study, "-n", &ranks.to_string()])?;
            let program_data = record_and_observe(measurements, &study, ranks)?;
            let compute_data = format!("{study}/compute-n{ranks}.mpiete");
            let estimate = format!("{study}/own-n{ranks}.mpiete");
            let words = ["estimate", &program_data, &compute_data, "-o", &estimate];
            measurements.run_mpiete(&words)?;
            let table = Table::ComputationCounted;
            rows.extend(rows_of_ranks(
                measurements,
                table,
                &study,
                &case,
                &estimate,
            )?);
        }
    }
    Ok(rows)
}

/// Rank counts predicted from compute data of others.
pub(super) fn rows_of_other_rank_counts(measurements: &Measurements) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for counted in measurements.cases.counted(&measurements.choice) {
        let study = study(measurements, counted)?;
        let merged = measure_for_others(measurements, &study)?;
        for ranks in measurements
            .cases
            .reused_ranks(&measurements.choice, counted)
        {
            let case = case(counted.program, counted.problem_class, ranks);
            progress(&format!("using {}", described(&case)));
            let program_data = record_and_observe(measurements, &study, ranks)?;
            let estimate = format!("{study}/reused-n{ranks}.mpiete");
            let words = ["estimate", &program_data, &merged, "-o", &estimate];
            measurements.run_mpiete(&words)?;
            let table = Table::ComputationReused;
            rows.extend(rows_of_ranks(
                measurements,
                table,
                &study,
                &case,
                &estimate,
            )?);
        }
    }
    Ok(rows)
}

fn described(case: &Case) -> String {
    format!(
        "{} {} on {} ranks",
        case.program, case.problem_class, case.ranks
    )
}

/// The study of a program, by its name in the folder.
fn study(measurements: &Measurements, counted: CountedCase) -> Result<String> {
    let (program, problem_class) = (counted.program, counted.problem_class);
    let study = format!("counted-{program}-{problem_class}");
    measurements.study(&study, &case(program, problem_class, 1), &COUNTED)?;
    Ok(study)
}

/// Compute data of the rank counts that others are predicted from, in one file.
fn measure_for_others(measurements: &Measurements, study: &str) -> Result<String> {
    let mut files = Vec::new();
    for &ranks in measurements.cases.reused_from {
        let file = format!("{study}/compute-n{ranks}.mpiete");
        // The other table measures into the same study.
        if !measurements.contains(&file) {
            measurements.run_mpiete(&["measure", study, "-n", &ranks.to_string()])?;
        }
        files.push(file);
    }
    let merged = format!("{study}/merged.mpiete");
    let mut words = vec!["merge"];
    words.extend(files.iter().map(String::as_str));
    words.extend(["-o", &merged]);
    measurements.run_mpiete(&words)?;
    Ok(merged)
}

fn observation(study: &str, ranks: u32) -> String {
    format!("{study}/observed-n{ranks}.mpiete")
}

/// Makes program data and, for the comparison, counts the statements of the whole program. Returns the file of program data.
fn record_and_observe(measurements: &Measurements, study: &str, ranks: u32) -> Result<String> {
    let observed = observation(study, ranks);
    // Both tables compare with these counts, and counts do not vary between runs.
    if !measurements.contains(&observed) {
        measurements.run_mpiete(&["record", study, "-n", &ranks.to_string()])?;
        let probe = format!("{study}/observed/probe");
        // Statements do not depend on the MPI library, and this one runs 64 ranks on any machine.
        measurements.observe_under_token_runtime(ranks, &["-o", &observed, &probe])?;
    }
    Ok(format!("{study}/program-n{ranks}.mpiete"))
}

fn rows_of_ranks(
    measurements: &Measurements,
    table: Table,
    study: &str,
    case: &Case,
    estimate: &str,
) -> Result<Vec<Row>> {
    let times = measurements.compare(estimate, &observation(study, case.ranks))?;
    let mut rows = Vec::new();
    for rank in &times.ranks {
        // Under the statement clock an amount is a number of statements and needs no conversion.
        let statements = rank.computing.in_units(1.0);
        let mut row = Row::of_runs(table, "compute", case, &[statements])?;
        row.rank = Some(rank.rank);
        rows.push(row);
    }
    Ok(rows)
}
