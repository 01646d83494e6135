//! From sources to a predicted time, compared with the time that the program took.

use super::progress;
use super::rows::{Case, Row, Table};
use super::study::Measurements;
use crate::accuracy::comparison::{PICOSECOND, Times};
use anyhow::{Context, Result};

pub(super) fn rows(measurements: &Measurements) -> Result<Vec<Row>> {
    // First, because predictions read the communication data that it writes.
    measurements.calibrate()?;
    let cases = measurements.cases.end_to_end(&measurements.choice);
    let runs = measurements.cases.runs;
    for case in &cases {
        progress(&format!("predicting {}", name(case)));
        // All that the observed run does: the program was built without marks of the part that it times.
        let (ranks, study) = (case.ranks.to_string(), name(case));
        let words = [
            "-n",
            &ranks,
            "--whole",
            "--platform",
            "here",
            "--comm",
            "comm.mpiete",
            "-o",
            &study,
        ];
        measurements.predict(case, &words)?;
    }
    for run in 0..runs {
        for case in &cases {
            progress(&format!(
                "observing {}, run {} of {runs}",
                name(case),
                run + 1
            ));
            let program = measurements.plain_program(case)?;
            measurements.observe(case.ranks, &["-o", &observation(case, run), &program])?;
        }
    }
    // Times in MPI are those of this version of the library.
    let network = format!("shared memory, {}", measurements.mpi_version()?);
    let mut rows = Vec::new();
    for case in &cases {
        rows.extend(rows_of_case(measurements, case, &network)?);
    }
    Ok(rows)
}

fn name(case: &Case) -> String {
    format!("{}-{}-{}", case.program, case.problem_class, case.ranks)
}

fn observation(case: &Case, run: usize) -> String {
    format!("{}-{run}.mpiete", name(case))
}

fn rows_of_case(measurements: &Measurements, case: &Case, network: &str) -> Result<Vec<Row>> {
    let estimate = format!("{}/estimate-n{}.mpiete", name(case), case.ranks);
    let mut runs: Vec<Times> = Vec::new();
    for run in 0..measurements.cases.runs {
        runs.push(measurements.compare(&estimate, &observation(case, run))?);
    }
    let first = runs.first().context("nothing was observed")?;
    let (mut total, mut compute, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    for times in &runs {
        total.push(times.totals.time.in_units(PICOSECOND));
        compute.push(times.mean_of(|rank| rank.computing)?);
        calls.push(times.mean_of(|rank| rank.calls)?);
    }
    let mut rows = vec![
        Row::of_runs(Table::EndToEnd, "total", case, &total)?,
        Row::of_runs(Table::EndToEnd, "compute", case, &compute)?,
        Row::of_runs(Table::EndToEnd, "in-MPI", case, &calls)?,
    ];
    // All runs are compared with the same estimate, and only its total has percentiles.
    rows[0].interval = first.totals.interval();
    for row in &mut rows {
        row.network = network.to_string();
    }
    Ok(rows)
}
