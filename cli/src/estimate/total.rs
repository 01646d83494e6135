//! `mpiete estimate --total-only`: the predicted time and its interval, and nothing that needs more replays.

use crate::args::{EstimateArgs, Format};
use crate::{clock_dependence, files, platform, study, traces, view};
use anyhow::{Result, bail};
use base_data::compute_data::Unit;
use base_data::estimate_file::Estimate;
use estimator::{Inputs, Options};

/// What is left out, and how to get it.
const OMITTED_TABLES: &str = "omitted (--total-only): time by rank, block and call site, \
    contributions to the interval, critical path, wait states, sensitivities, timeline; estimate \
    without --total-only for these";

/// Estimates and prints.
pub fn print(arguments: &EstimateArgs) -> Result<()> {
    if !matches!(arguments.format, Format::Text | Format::Csv) {
        bail!("--total-only prints the time alone, as --format text or csv");
    }
    let result = estimate(arguments)?;
    let text = match arguments.format {
        Format::Csv => view::estimate_csv::csv(&result),
        _ => text(&result),
    };
    files::write_text(None, &text)
}

fn estimate(arguments: &EstimateArgs) -> Result<Estimate> {
    let options = Options {
        model: arguments.platform.model.clone(),
        draws: arguments.platform.draws,
        seed: arguments.platform.seed,
        timeline: false,
        explain: false,
    };
    if let Some(mut result) = of_trace(arguments, &options)? {
        result
            .warnings
            .extend(platform::default_platform_note(&arguments.platform));
        return Ok(result);
    }
    let (mut program, compute, folder) = super::load_inputs(&arguments.files, arguments.ranks)?;
    if compute
        .first()
        .is_some_and(|data| data.unit == Unit::Statements)
    {
        bail!(
            "--total-only is for times, and these compute data count statements; estimate without it"
        );
    }
    let inputs = Inputs {
        program: &program,
        compute: &compute,
    };
    let platform = platform::resolve(&arguments.platform, program.ranks)?;
    let mut result = estimator::estimate_total(&inputs, &platform, &options)?;
    result
        .warnings
        .extend(platform::default_platform_note(&arguments.platform));
    result.warnings.extend(view::assumptions::unknown_counts(
        &program.table,
        &program.assumptions,
    ));
    if let Some(folder) = &folder {
        result.warnings.extend(study::read(folder)?.unpredicted);
    }
    // The streams may take gigabytes and are not written with a total.
    program.classes.clear();
    result.program = program;
    Ok(result)
}

/// The estimate of a single file of another tool, which needs no base data in between. `None` for anything
/// else, and where something is wrong: the longer way says what.
fn of_trace(arguments: &EstimateArgs, options: &Options) -> Result<Option<Estimate>> {
    let [path] = arguments.files.as_slice() else {
        return Ok(None);
    };
    if path.is_dir() || arguments.ranks.is_some() || path.as_os_str() == "-" {
        return Ok(None);
    }
    traces::total(path, &arguments.platform, options)
}

fn text(result: &Estimate) -> String {
    let time = view::numbers::amount(result.unit, result.headline);
    let bounds = view::assumptions::bounds(result);
    let mut lines = vec![
        view::estimate::title(result),
        format!(
            "{}  {bounds}{time}   ({})",
            view::estimate::what(result.unit),
            view::estimate::interval(result)
        ),
    ];
    let note = result.program.clock_note();
    for warning in &result.warnings {
        // The first line of the report is this note.
        if note.as_ref() != Some(warning) {
            lines.push(format!("warning: {}", crate::failure::sanitized(warning)));
        }
    }
    lines.push(OMITTED_TABLES.into());
    clock_dependence::under_note(note, lines.join("\n") + "\n")
}
