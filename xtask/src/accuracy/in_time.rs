//! Computation in time: predicted times compared with those of the program, and of blocks with those of real runs.

use super::cases::has_own_cores;
use super::comparison::{Block, PICOSECOND};
use super::not_inflated::ANY_NETWORK;
use super::progress;
use super::rows::{Case, Pair, Row, Table};
use super::study::{Compilation, Measurements, Preparation};
use anyhow::Result;

/// All computation, compared with that of the program as its user compiles it. The other quantities are places of blocks,
/// compared with the observed probe.
pub(super) const PLAIN_PROGRAM: &str = "program";

/// What lies between blocks: loops, calls of subroutines, and in an observed run the clocks themselves.
pub(super) const OUTSIDE_BLOCKS: &str = "outside-blocks";

/// Compiled by MPI's compiler, as the program and the observed probe are: wrappers add flags of their own. Whole, since the
/// program has no marks of the part that it times.
const TIMED: Preparation = Preparation {
    kinds: "program,compute,observed",
    is_whole: true,
    counts_statements: false,
    compilation: Compilation::AsProgram,
};

pub(super) fn rows(measurements: &Measurements) -> Result<Vec<Row>> {
    let cases = measurements.cases.in_time(&measurements.choice);
    let runs = measurements.cases.runs;
    for case in &cases {
        let study = study_name(case);
        measurements.study(&study, case, &TIMED)?;
        // Once for all runs: the calls of these programs do not vary, only their times.
        measurements.run_mpiete(&["record", &study, "-n", &case.ranks.to_string()])?;
    }
    for run in 0..runs {
        for case in &cases {
            progress(&format!(
                "measuring and observing {} {} on {} ranks, run {} of {runs}",
                case.program,
                case.problem_class,
                case.ranks,
                run + 1
            ));
            measure_and_observe(measurements, case, run)?;
        }
    }
    let mut rows = Vec::new();
    for case in &cases {
        rows.extend(rows_of_case(measurements, case)?);
    }
    Ok(rows)
}

fn study_name(case: &Case) -> String {
    format!("timed-{}-{}", case.program, case.problem_class)
}

/// The file of a run, by what it contains.
fn file(case: &Case, content: &str, run: usize) -> String {
    format!(
        "{}/{content}-n{}-{run}.mpiete",
        study_name(case),
        case.ranks
    )
}

/// One run of each in turn, so that a slow phase of the machine hits all. The program is the user's: without marks, its times
/// are those between its MPI calls.
fn measure_and_observe(measurements: &Measurements, case: &Case, run: usize) -> Result<()> {
    let (study, ranks) = (study_name(case), case.ranks.to_string());
    // Ranks that share a core interrupt each other: each is then observed alone, and measured alone.
    let (copies, serialised): (&str, &[&str]) = if has_own_cores(case.ranks) {
        (&ranks, &[])
    } else {
        ("1", &["--one-at-a-time"])
    };
    let measured = file(case, "measured", run);
    measurements.run_mpiete_with_flags(&[
        "measure", &study, "-n", &ranks, "--co-run", copies, "-o", &measured,
    ])?;
    let program = measurements.plain_program(case)?;
    let plain = file(case, "plain", run);
    let words = [serialised, &["-o", &plain, &program]].concat();
    measurements.observe(case.ranks, &words)?;
    let observed = file(case, "observed", run);
    let probe = format!("{study}/observed/probe");
    let words = [serialised, &["--study", &study, "-o", &observed, &probe]].concat();
    measurements.observe(case.ranks, &words)
}

fn rows_of_case(measurements: &Measurements, case: &Case) -> Result<Vec<Row>> {
    let program_data = format!("{}/program-n{}.mpiete", study_name(case), case.ranks);
    let mut whole = Vec::new();
    // A list, not a map: rows keep the order of the comparison.
    let mut places: Vec<(String, Vec<Pair>)> = Vec::new();
    for run in 0..measurements.cases.runs {
        let estimate = file(case, "estimated", run);
        measurements.run_mpiete(&[
            "estimate",
            &program_data,
            &file(case, "measured", run),
            "--platform",
            ANY_NETWORK,
            "-o",
            &estimate,
        ])?;
        let observed = measurements.compare(&estimate, &file(case, "observed", run))?;
        for (place, pair) in times_by_place(&observed.blocks) {
            match places.iter_mut().find(|(known, _)| *known == place) {
                Some((_, pairs)) => pairs.push(pair),
                None => places.push((place, vec![pair])),
            }
        }
        let plain = measurements.compare(&estimate, &file(case, "plain", run))?;
        whole.push(plain.mean_of(|rank| rank.computing)?);
    }
    let mut rows = vec![Row::of_runs(Table::InTime, PLAIN_PROGRAM, case, &whole)?];
    for (place, pairs) in &places {
        rows.push(Row::of_runs(Table::InTime, place, case, pairs)?);
    }
    Ok(rows)
}

/// Times of all blocks at a place, in seconds, in the order of the comparison: largest difference first.
fn times_by_place(blocks: &[Block]) -> Vec<(String, Pair)> {
    let mut places: Vec<(String, Pair)> = Vec::new();
    for block in blocks {
        let place = block.place().unwrap_or(OUTSIDE_BLOCKS);
        let times = block.mean.in_units(PICOSECOND);
        match places.iter_mut().find(|(known, _)| known == place) {
            Some((_, sum)) => {
                sum.predicted += times.predicted;
                sum.measured += times.measured;
            }
            None => places.push((place.to_string(), times)),
        }
    }
    places
}
