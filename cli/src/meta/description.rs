//! `mpiete meta --from`: a meta-program of measured base data.

use crate::args::{Format, MetaArgs};
use crate::{estimate, files};
use ::meta::BlockCosts;
use anyhow::{Result, anyhow, bail};
use base_data::estimate_file::{Activity, Category, Estimate};

/// Prints a meta-program, or writes it.
pub(super) fn print(arguments: &MetaArgs) -> Result<()> {
    if arguments.format != Format::Text {
        bail!("--from prints a meta-program, which is text; leave out --format");
    }
    if let Some(path) = &arguments.output {
        files::check_text_output(path)?;
    }
    let (program, compute, _) = estimate::load_inputs(&arguments.from, arguments.ranks)?;
    let platform = &arguments.platform;
    let result = estimate::combine_for(&program, &compute, platform, false, Format::Text)?;
    let costs = block_costs(&result);
    if costs.is_empty() && !program.variants.is_empty() {
        bail!(
            "the estimate of {} ranks has no times by rank; use fewer ranks",
            program.ranks
        );
    }
    let comments = [
        format!(
            "{} on {} ranks, made by `mpiete meta --from`.",
            program.provenance.program, program.ranks
        ),
        format!(
            "Costs are nanoseconds on platform {}: estimate it with --compute-unit 1ns.",
            result.platform
        ),
    ];
    let text = ::meta::describe(&program, &costs, &comments).map_err(|reason| anyhow!(reason))?;
    files::write_text(arguments.output.as_deref(), &text)
}

/// Mean times of executions in nanoseconds.
fn block_costs(result: &Estimate) -> BlockCosts {
    let mut costs = BlockCosts::new();
    for cell in &result.cells {
        if let Activity::Block(block) = cell.activity
            && cell.count > 0
        {
            let time = cell.split[Category::Compute.index()].picoseconds() as f64;
            costs.insert((cell.rank, block), time / 1e3 / cell.count as f64);
        }
    }
    costs
}
