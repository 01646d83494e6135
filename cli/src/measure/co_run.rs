//! Several copies of a measuring run at once, like the ranks of a node with that occupancy.

use super::{Job, Measured, alignment, measure_copy, settings, threads};
use crate::study::Probe;
use crate::{compile, origin, record};
use anyhow::Result;

use base_data::time::Time;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use token_runtime::co_run;
use token_runtime::host::{self, Copies};

/// Threads of each rank if `copies` copies run at once.
pub fn threads(job: &Job, copies: u32) -> Result<u32> {
    // Each copy stands for a rank of a full node, which has its share of the cores.
    let units = std::thread::available_parallelism().map_or(1, |units| units.get() as u32 / copies);
    threads::per_rank(
        &job.compiler.flags(),
        |name| std::env::var(name).ok(),
        units,
    )
}

/// Measures `copies` copies at once, each on its own processing units.
pub fn measure(job: &Job, copies: u32) -> Result<Measured> {
    let job = &Job {
        // Before copies start: the search compiles up to 17 probes.
        compiler: alignment::aligned_compiler(job)?,
        ..job.clone()
    };
    if copies > 1 {
        compile_probes(job)?;
    }
    let threads = threads(job, copies)?;
    let run = |copies: &Copies| {
        measure_copy(&Job {
            copies: Some(copies),
            ..job.clone()
        })
    };
    let results = host::at_once(copies, threads, run, |stop| fill_node(job, stop))
        .map_err(record::failure)?;
    let mut cost = Time::ZERO;
    let mut copies_data = Vec::new();
    for result in results {
        let measured = result?;
        cost += measured.cost;
        copies_data.push(measured.data);
    }
    let mut data = co_run::together(copies_data, threads).unwrap_or_default();
    data.provenance.method = method(&data.provenance.method, copies);
    // A copy sees only its own units.
    data.pu = origin::processing_unit();
    Ok(Measured { data, cost })
}

/// Runs the same program on the remaining units, so that the node stays full while copies measure.
fn fill_node(job: &Job, stop: &Arc<AtomicBool>) -> Result<()> {
    let program = compile::binary(job.folder, job.study, Probe::Compute, &job.compiler)?;
    job.start(&program, &settings(job.measurement), Some(stop), None)?;
    Ok(())
}

/// The method in the provenance of several copies, each measured by `each`.
fn method(each: &str, copies: u32) -> String {
    match copies {
        1 => each.into(),
        _ => format!("{copies} copies at once, in step, of: {each}"),
    }
}

/// Compiles the probes before copies run, so that copies do not compile the same file at the same time.
fn compile_probes(job: &Job) -> Result<()> {
    for &probe in &job.study.probes {
        if matches!(probe, Probe::Compute | Probe::Program) {
            compile::binary(job.folder, job.study, probe, &job.compiler)?;
        }
    }
    Ok(())
}
