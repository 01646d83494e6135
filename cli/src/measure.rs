//! `mpiete measure`: runs the compute probe and writes compute data.

use crate::args::{MeasureArgs, MeasuringArgs};
use crate::compile::{self, Compiler};
use crate::failure::{self, FailedWhenCut};
use crate::input::ProgramInput;
use crate::record::{self, Purpose};
use crate::study::{self, Probe, Study};
use crate::{files, origin};
use anyhow::{Result, bail};
use base_data::compute_data::ComputeData;
use base_data::provenance::Provenance;
use std::path::Path;
use std::time::Duration;
use token_runtime::host::{Cutting, MeasureSettings, Mode, Recording};

/// Executions of a block below which its interval says nothing.
const MINIMUM_SAMPLES: u32 = 5;

/// Measures a study.
pub fn measure(arguments: &MeasureArgs) -> Result<()> {
    let study = study::read(&arguments.study)?;
    let input = ProgramInput::read(&arguments.input)?;
    let output =
        arguments.output.clone().unwrap_or_else(|| study::compute_data(&arguments.study, arguments.ranks));
    files::check_output(&output)?;
    let data = study_probe(&arguments.study, &study, arguments.ranks, &arguments.measuring, &input)?;
    files::write(&output, &data)?;
    files::say(format!("{} block variants measured, written to {}", data.entries.len(), output.display()))?;
    Ok(())
}

/// Compute data of a study.
pub fn study_probe(
    folder: &Path,
    study: &Study,
    ranks: u32,
    measuring: &MeasuringArgs,
    input: &ProgramInput,
) -> Result<ComputeData> {
    let compiler = Compiler::find(study)?;
    let program = compile::binary(folder, study, Probe::Compute, &compiler)?;
    let settings = settings(measuring)?;
    let run = |measure| {
        let purpose = Purpose { mode: Mode::Measure, measure, limit: None };
        record::start(&program, ranks, purpose, Some(&study.table), input)
    };
    let (recording, cutting) = bearable(settings, run)?;
    let pu = origin::processing_unit();
    let provenance = Provenance {
        ranks,
        input: Some(input.digest()),
        arguments: input.arguments.clone(),
        compiler: compiler.version.clone(),
        flags: compiler.flags(),
        pu: pu.model.clone(),
        method: method(measuring, cutting),
        ..study.provenance()
    };
    Ok(token_runtime::compute::merge_compute(&recording.ranks, study.table.clone(), provenance, pu))
}

fn method(measuring: &MeasuringArgs, cutting: Cutting) -> String {
    let usual = format!(
        "all ranks on one PU in turn; interval {}, budget {} s",
        measuring.interval, measuring.budget
    );
    match cutting {
        Cutting::Every => usual,
        Cutting::Outermost | Cutting::Never => format!("{usual}; {}", whole(cutting)),
    }
}

/// Runs with as many loops cut short as the program bears.
fn bearable(
    settings: MeasureSettings,
    run: impl Fn(MeasureSettings) -> Result<Recording>,
) -> Result<(Recording, Cutting)> {
    let [every, others @ ..] = Cutting::ALL;
    let mut cutting = every;
    let mut ended = run(MeasureSettings { cutting, ..settings.clone() });
    for less in others {
        let Err(error) = &ended else { break };
        if !error.is::<FailedWhenCut>() {
            break;
        }
        tell!("mpiete: measuring again with {}, since otherwise {}", whole(less), first_words(error));
        cutting = less;
        ended = run(MeasureSettings { cutting, ..settings.clone() });
    }
    Ok((ended?, cutting))
}

/// Which loops are not cut short.
fn whole(cutting: Cutting) -> &'static str {
    match cutting {
        Cutting::Every => "",
        Cutting::Outermost => "loops inside others whole",
        Cutting::Never => "all loops whole",
    }
}

/// Of a message that tells of every rank, what it tells of the first.
fn first_words(error: &anyhow::Error) -> String {
    let text = error.to_string();
    failure::shown(text.split([';', '\n']).next().unwrap_or_default())
}

fn settings(measuring: &MeasuringArgs) -> Result<MeasureSettings> {
    let sane = measuring.interval > 0.0 && measuring.budget >= 0.0 && measuring.budget.is_finite();
    if !sane {
        bail!("--interval must be above 0 and --budget at least 0 seconds");
    }
    Ok(MeasureSettings {
        relative_interval: measuring.interval,
        minimum_samples: MINIMUM_SAMPLES,
        cutting: Cutting::default(),
        budget: Duration::from_secs_f64(measuring.budget),
    })
}
