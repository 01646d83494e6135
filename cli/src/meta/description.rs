//! `mpiete meta --from`: a meta-program of measured base data.

use super::{DEFAULT_COMPUTE_UNIT, total};
use crate::args::{Format, MetaArgs, PlatformArgs};
use crate::{clock_dependence, estimate, files, platform};
use ::meta::{Arguments, MetaProgram, Units, VariantCosts};
use anyhow::{Result, anyhow, bail};
use base_data::Rank;
use base_data::compute_data::{ComputeData, Unit};
use base_data::estimate_file::Estimate;
use base_data::program_data::ProgramData;
use estimator::Inputs;
use machine::Platform;

/// Prints a meta-program, or writes it.
pub(super) fn print(arguments: &MetaArgs) -> Result<()> {
    if arguments.format != Format::Text {
        bail!("--from prints a meta-program, which is text; leave out --format");
    }
    if let Some(path) = &arguments.output {
        files::check_text_output(path)?;
    }
    let (program, compute, _) = estimate::load_inputs(&arguments.from, arguments.ranks)?;
    clock_dependence::report_note(&program);
    if compute.iter().any(|data| data.unit == Unit::Statements) {
        bail!(
            "costs are times, but these compute data count statements; give compute data that `mpiete measure` wrote"
        );
    }
    let inputs = Inputs {
        program: &program,
        compute: &compute,
    };
    let resolved = platform::resolve(&arguments.platform, program.ranks)?;
    let original = total(&inputs, &resolved, &arguments.platform)?;
    let model = arguments.platform.model.as_deref();
    let costs: VariantCosts = estimator::variant_costs(&inputs, &resolved, model)?
        .into_iter()
        .map(|(key, picoseconds)| (key, picoseconds / DEFAULT_COMPUTE_UNIT))
        .collect();
    let comments = [
        format!(
            "{} on {} ranks, made by `mpiete meta --from`.",
            program.provenance.program, program.ranks
        ),
        format!(
            "Costs are nanoseconds on {} {}: estimate it with --compute-unit 1ns.",
            if has_other_speeds(&resolved, program.ranks) {
                "a PU of speed 1 of platform"
            } else {
                "platform"
            },
            original.platform
        ),
    ];
    let text = ::meta::describe(&program, &costs, &comments).map_err(|reason| anyhow!(reason))?;
    if let Some(warning) = difference(&original, &text, &program, &resolved, &arguments.platform) {
        report!("mpiete: warning: {warning}");
    }
    files::write_text(arguments.output.as_deref(), &text)
}

/// Whether ranks are faster or slower than the PU of the compute data: an estimate divides costs by these speeds again.
fn has_other_speeds(platform: &Platform, ranks: u32) -> bool {
    (0..ranks).any(|rank| platform.speed_of(Rank(rank)) != 1.0)
}

/// Largest share by which the estimate of a description may differ from that of its base data without a warning, as
/// docs/guide/meta.md promises.
const LARGEST_DIFFERENCE: f64 = 0.01;

/// A warning if the meta-program takes another time than the program data that it was made of: first executions and times that
/// change in the course of a run are written as their mean.
fn difference(
    original: &Estimate,
    text: &str,
    program: &ProgramData,
    platform: &Platform,
    arguments: &PlatformArgs,
) -> Option<String> {
    if platform.compute().len() > 0 {
        return Some(
            "the meta-program cannot be estimated on this platform, whose [[pu]] has compute data of its own: they lack the blocks \
             of the meta-program; estimate it on a copy of the platform file without `compute`"
                .into(),
        );
    }
    let described = match read_back(text, program.ranks, platform, arguments) {
        Ok(described) => described,
        Err(error) => {
            return Some(format!(
                "the meta-program cannot be estimated, so its time was not compared with that of the base data: {error}"
            ));
        }
    };
    let (before, after) = (original.headline.seconds(), described.headline.seconds());
    let share = after / before - 1.0;
    if before == after || share.abs() <= LARGEST_DIFFERENCE {
        return None;
    }
    Some(format!(
        "the meta-program takes {} where the base data take {} ({:+.1} %): each block is written with its mean time, but \
         first executions or those in the course of the run take another time; estimate the base data for an exact time",
        described.headline,
        original.headline,
        100.0 * share
    ))
}

fn read_back(
    text: &str,
    ranks: u32,
    platform: &Platform,
    arguments: &PlatformArgs,
) -> Result<Estimate> {
    let program = MetaProgram::parse("the meta-program", text)?;
    let units = Units {
        computation: DEFAULT_COMPUTE_UNIT,
        stream: 0.0,
        message: 1.0,
    };
    let data = program.base_data(&Arguments::default(), Some(ranks), units, arguments.seed)?;
    let compute: &[ComputeData] = std::slice::from_ref(&data.compute);
    let inputs = Inputs {
        program: &data.program,
        compute,
    };
    total(&inputs, platform, arguments)
}
