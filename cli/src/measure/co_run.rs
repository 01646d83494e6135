//! Several copies of a measuring run at once, as ranks of a node that is so full.

use super::{Job, Measured, alignment, measure_copy, settings, threads};
use crate::study::Probe;
use crate::{compile, origin, record};
use anyhow::Result;
use base_data::compute_data::ComputeData;
use base_data::provenance::Provenance;
use base_data::time::Time;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use token_runtime::co_run;
use token_runtime::host::{self, Copies};

/// Threads of each rank where so many copies run at once.
pub fn threads(job: &Job, copies: u32) -> Result<u32> {
    let units = std::thread::available_parallelism().map_or(1, |units| units.get() as u32 / copies);
    threads::per_rank(
        &job.compiler.flags(),
        |name| std::env::var(name).ok(),
        units,
    )
}

/// Measures so many copies at once, each on processing units of its own.
pub fn measure(job: &Job, copies: u32) -> Result<Measured> {
    let job = &Job {
        compiler: alignment::aligned_compiler(job)?,
        ..job.clone()
    };
    if copies > 1 {
        compiled(job)?;
    }
    let threads = threads(job, copies)?;
    let run = |copies: &Copies| {
        measure_copy(&Job {
            copies: Some(copies),
            ..job.clone()
        })
    };
    let measured =
        host::at_once(copies, threads, run, |stop| busy(job, stop)).map_err(record::failure)?;
    let measured = measured.into_iter().collect::<Result<Vec<_>>>()?;
    let cost = measured.iter().map(|copy| copy.cost).sum::<Time>();
    let data = co_run::together(
        measured.into_iter().map(|copy| copy.data).collect(),
        threads,
    );
    // A copy sees its own units only, and itself.
    let whole = |data: ComputeData| {
        let method = method(&data.provenance.method, copies);
        let provenance = Provenance {
            method,
            ..data.provenance
        };
        ComputeData {
            pu: origin::processing_unit(),
            provenance,
            ..data
        }
    };
    Ok(Measured {
        data: data.map(whole).unwrap_or_default(),
        cost,
    })
}

/// Keeps the node as full as it is measured, by the same program.
fn busy(job: &Job, stop: &Arc<AtomicBool>) -> Result<()> {
    let program = compile::binary(job.folder, job.study, Probe::Compute, &job.compiler)?;
    job.start(&program, &settings(job.measurement), (Some(stop), None))
        .map(drop)
}

/// How copies were measured that each were measured like this.
fn method(each: &str, copies: u32) -> String {
    match copies {
        1 => each.into(),
        _ => format!("{copies} copies at once, in step, of: {each}"),
    }
}

/// Compiles what all copies run.
fn compiled(job: &Job) -> Result<()> {
    let run = |probe: &Probe| matches!(probe, Probe::Compute | Probe::Program);
    for &probe in job.study.probes.iter().filter(|probe| run(probe)) {
        compile::binary(job.folder, job.study, probe, &job.compiler)?;
    }
    Ok(())
}
