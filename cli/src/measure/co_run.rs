//! Several copies of a measuring run at once, like the ranks of a node with that occupancy.

use super::{Job, Measured, alignment, measure_copy, settings, threads};
use crate::study::Probe;
use crate::{compile, origin, record};
use anyhow::Result;
use base_data::compute_data::{ComputeData, Unit};
use base_data::time::Time;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use token_runtime::co_run::{self, NodeCapacity};
use token_runtime::host::{self, Copies};

/// Threads of each rank if `copies` copies run at once.
pub fn threads(job: &Job, copies: u32) -> Result<u32> {
    // Each copy stands for a rank of a full node, which has its share of the cores.
    threads::per_rank(
        &job.compiler.flags(),
        |name| std::env::var(name).ok(),
        units() / copies,
    )
}

/// Processing units that this process may use.
fn units() -> u32 {
    std::thread::available_parallelism().map_or(1, |units| units.get() as u32)
}

/// Measures `copies` copies at once, each on its own processing units.
pub fn measure(job: &Job, copies: u32) -> Result<Measured> {
    measure_aligned(&aligned(job)?, copies)
}

/// Measures one copy, then as many at once as a node with `ranks_per_node` ranks holds, as far as this computer has
/// processing units and memory for them.
pub fn measure_one_and_full(job: &Job, ranks_per_node: u32) -> Result<Measured> {
    let job = &aligned(job)?;
    let one = measure_aligned(job, 1)?;
    // However full a node is, as many statements are executed.
    if one.data.unit == Unit::Statements {
        return Ok(one);
    }
    let capacity = NodeCapacity {
        units: units(),
        memory: host::available_memory(),
    };
    let copies = co_run::feasible_copies(
        ranks_per_node,
        threads(job, 1)?,
        memory_of_copy(&one.data),
        capacity,
    );
    if copies == 1 {
        return Ok(one);
    }
    let full = measure_aligned(job, copies)?;
    Ok(Measured {
        cost: one.cost + full.cost,
        data: co_run::with_full_node(one.data, full.data),
    })
}

/// Bytes that one copy takes at most.
fn memory_of_copy(data: &ComputeData) -> u64 {
    let peaks = data.peak_memory.iter().map(|peak| peak.bytes);
    if data.peak_memory.len() == data.provenance.ranks as usize {
        // All ranks existed at the same time.
        peaks.sum()
    } else {
        // Representatives run one after another.
        peaks.max().unwrap_or(0)
    }
}

/// The job with the compiler that aligns the probe's loops. Before copies start: it compiles three programs.
fn aligned<'a>(job: &Job<'a>) -> Result<Job<'a>> {
    Ok(Job {
        compiler: alignment::aligned_compiler(job)?,
        ..job.clone()
    })
}

/// Measures `copies` copies at once with the compiler of the job.
fn measure_aligned(job: &Job, copies: u32) -> Result<Measured> {
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
