//! `mpiete meta`: costs and estimates of meta-programs.

mod c_profiling;
mod description;
mod profiling;
mod random_calls;

use crate::args::{Format, MetaArgs, PlatformArgs};
use crate::{estimate, files, origin, platform, view};
use ::meta::{Arguments, MetaData, MetaProgram, Span, Units};
use anyhow::{Result, anyhow, bail};
use base_data::CallSiteId;
use base_data::estimate_file::Estimate;
use base_data::provenance::Provenance;
use estimator::{EstimateError, Inputs, Options};
use machine::Platform;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// Picoseconds of a unit of compute if the user gives none.
const DEFAULT_COMPUTE_UNIT: f64 = 1e3;

/// The files of `--base-data`.
const BASE_DATA: &[&str] = &["program.mpiete", "compute.mpiete"];

/// The warning about a meta-program for several ranks whose number nothing names.
const ONE_RANK: &str = "the result is that of one rank, since neither -n nor a PARALLEL names the number of ranks; give it with -n N";

/// Prints costs, an estimate or the formatted source.
pub fn meta(arguments: &MetaArgs) -> Result<()> {
    check_outputs(arguments)?;
    let Some(source) = &arguments.source else {
        return description::print(arguments);
    };
    let bytes = files::read_bytes(source)?;
    let name = source.display().to_string();
    let text = String::from_utf8(bytes)
        .map_err(|_| anyhow!("{name} is no text in UTF-8; give a meta-program"))?;
    let program = MetaProgram::parse(&name, &text)?;
    if arguments.format_source {
        return files::write_text(None, &::meta::format_source(program.tree()));
    }
    let mut given = Arguments::default();
    for argument in &arguments.arguments {
        let added = given.add(argument);
        added.map_err(|reason| anyhow!("--arg {argument}: {reason}"))?;
    }
    let profile = profiling::profile(arguments, &program, &given)?;
    let ranks = arguments.ranks;
    if let Some(profile) = &profile {
        let unit = arguments.compute_unit.unwrap_or(DEFAULT_COMPUTE_UNIT);
        // From picoseconds: the times of profiles are nanoseconds.
        let values = program.profile_values(profile, unit / 1e3)?;
        given.profile = Some(Arc::new(values));
    }
    let lacks_ranks = ranks.is_none() && profile.is_none() && program.needs_ranks();
    let notes = |ranks: u32| match &profile {
        Some(profile) => profiling::notes(&program, profile, ranks),
        None if lacks_ranks => vec![ONE_RANK.into()],
        None => Vec::new(),
    };
    if arguments.costs {
        let costs = match program.costs(&given, ranks) {
            Ok(costs) => costs,
            Err(error) => {
                // A note may say why a value is missing.
                if let Some(profile) = &profile {
                    report_notes(&notes(ranks.unwrap_or(profile.ranks)));
                }
                return Err(error.into());
            }
        };
        report_notes(&notes(costs.ranks));
        let text = match arguments.format {
            Format::Text => view::meta_costs::text(&name, &costs),
            Format::Csv => view::meta_costs::csv(&costs),
            Format::Html | Format::Json | Format::Stream => {
                bail!("--costs prints a table as --format text or csv")
            }
        };
        return files::write_text(None, &text);
    }
    if let Some(path) = &arguments.output {
        // Before the replay, whose result would otherwise be lost.
        files::check_output(path)?;
    }
    let source = Source {
        program: &program,
        given: &given,
        ranks,
        arguments,
        platform: RefCell::default(),
    };
    if let (Some(ranks), None) = (ranks, &arguments.base_data) {
        // A platform without room for them is refused before the meta-program is executed, which can take minutes. Base data
        // are of use on any platform.
        source.platform(ranks)?;
    }
    if let Some(folder) = &arguments.base_data {
        files::check_output_folder(folder, BASE_DATA)?;
    }
    let data = source.base_data(arguments.platform.seed)?;
    let places = call_places(&data);
    let found = estimated(&source, &data);
    if let Some(folder) = &arguments.base_data
        && !found.as_ref().is_err_and(cannot_run)
    {
        write_base_data(folder, &data)?;
        if let Some(place) = data.program.random_calls() {
            report!(
                "mpiete: warning: the files contain one sample (seed {}), so estimates of them lack the variation between samples: \
                 {} at {}",
                arguments.platform.seed,
                place.reason,
                data.program.table.site_place(place.site)
            );
        }
    }
    let mut result = found.map_err(|error| pointed(error, &program, &places))?;
    result.warnings.extend(notes(data.program.ranks));
    if let Some(path) = &arguments.output {
        files::write(path, &result)?;
    }
    estimate::print(&result, arguments.format, arguments.verbose.detail())
}

/// Refuses to write over what the command reads.
fn check_outputs(arguments: &MetaArgs) -> Result<()> {
    let profiling = &arguments.profiling;
    let read: Vec<PathBuf> = (arguments.source.iter())
        .chain(&arguments.from)
        .chain(&profiling.profile)
        .chain(&profiling.profile_from)
        .filter_map(|path| path.canonicalize().ok())
        .collect();
    let outputs = [
        (&arguments.output, "-o"),
        (&profiling.profile_output, "--profile-output"),
    ];
    for (path, option) in outputs {
        let Some(path) = path else {
            continue;
        };
        if path.canonicalize().is_ok_and(|path| read.contains(&path)) {
            bail!(
                "{} is an input of this command and would be lost; name another file with {option}",
                path.display()
            );
        }
    }
    Ok(())
}

/// Whether an estimate failed since the calls do not fit together: then the program runs on no platform.
fn cannot_run(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref::<EstimateError>(),
        Some(EstimateError::Matching(_))
    )
}

fn report_notes(notes: &[String]) {
    for note in notes {
        report!("mpiete: {note}");
    }
}

/// A meta-program with the values that the user gave.
struct Source<'a> {
    program: &'a MetaProgram,
    given: &'a Arguments,
    ranks: Option<u32>,
    arguments: &'a MetaArgs,
    /// The platform with the number of ranks that it was read for: the same for all samples, unless their PARALLELs differ.
    platform: RefCell<Option<(u32, Rc<Platform>)>>,
}

impl Source<'_> {
    /// The platform for so many ranks; its files are read once.
    fn platform(&self, ranks: u32) -> Result<Rc<Platform>> {
        if let Some((known, platform)) = &*self.platform.borrow()
            && *known == ranks
        {
            return Ok(Rc::clone(platform));
        }
        let platform = Rc::new(platform::resolve(&self.arguments.platform, ranks)?);
        self.platform.replace(Some((ranks, Rc::clone(&platform))));
        Ok(platform)
    }

    /// Base data with the random outcomes of a seed.
    fn base_data(&self, seed: u64) -> Result<MetaData> {
        let arguments = self.arguments;
        let units = Units {
            computation: arguments.compute_unit.unwrap_or(DEFAULT_COMPUTE_UNIT),
            stream: arguments.stream_unit.unwrap_or(0.0),
            message: arguments.message_unit,
        };
        let data = self
            .program
            .base_data(self.given, self.ranks, units, seed)?;
        let now = origin::now();
        let dated = |provenance: Provenance| Provenance {
            tool_version: now.tool_version.clone(),
            date: now.date.clone(),
            ..provenance
        };
        let mut data = data;
        data.program.provenance = dated(data.program.provenance);
        data.compute.provenance = dated(data.compute.provenance);
        Ok(data)
    }
}

fn write_base_data(folder: &Path, data: &MetaData) -> Result<()> {
    std::fs::create_dir_all(folder)
        .map_err(|error| anyhow!("cannot create {}: {error}", folder.display()))?;
    files::write(&folder.join("program.mpiete"), &data.program)?;
    files::write(&folder.join("compute.mpiete"), &data.compute)
}

/// Of each call site its name in findings, and its place in the source.
fn call_places(data: &MetaData) -> Vec<(String, Span)> {
    let spans = data.site_spans.iter().enumerate();
    let place = |(site, span): (usize, &Span)| {
        let name = data.program.table.site_place(CallSiteId::from_index(site));
        (name, *span)
    };
    spans.map(place).collect()
}

/// Findings of the replay as errors of the meta-program, with column and source line.
fn pointed(
    error: anyhow::Error,
    program: &MetaProgram,
    places: &[(String, Span)],
) -> anyhow::Error {
    let mut findings = match error.downcast::<EstimateError>() {
        Ok(EstimateError::Matching(findings)) => findings,
        Ok(other) => return other.into(),
        Err(error) => return error,
    };
    for finding in &mut findings {
        let first = finding.sites.first();
        let Some((name, span)) = first.and_then(|site| places.get(site.index())) else {
            continue;
        };
        let sentence = finding.sentence.strip_prefix(name.as_str());
        let message = sentence.and_then(|rest| rest.strip_prefix(": "));
        if let Some(message) = message {
            finding.sentence = program.error(*span, message.into()).to_string();
        }
    }
    EstimateError::Matching(findings).into()
}

fn estimated(source: &Source<'_>, data: &MetaData) -> Result<Estimate> {
    let arguments = source.arguments;
    let (has_random_calls, has_streams) = (data.has_random_calls, data.has_streams);
    let has_work = !data.program.variants.is_empty();
    let mut result = if has_random_calls {
        random_calls::estimate(source, data)?
    } else {
        estimate_of(source, data)?
    };
    // Before all other warnings: they question the whole time.
    let mut warnings = Vec::new();
    if arguments.compute_unit.is_none() && has_work {
        warnings.push(
            "a unit of compute counts as 1 ns, since no --compute-unit was given; divide a measured time by the \
             comp_cost that --costs prints"
                .into(),
        );
    }
    if has_streams && arguments.stream_unit.is_none() {
        warnings.push("input and output take no time, since no --stream-unit was given".into());
    }
    result.warnings.splice(0..0, warnings);
    Ok(result)
}

fn estimate_of(source: &Source<'_>, data: &MetaData) -> Result<Estimate> {
    let arguments = source.arguments;
    let platform = source.platform(data.program.ranks)?;
    estimate::combine_on(
        &platform,
        &data.program,
        std::slice::from_ref(&data.compute),
        &arguments.platform,
        arguments.output.is_some(),
        arguments.format,
    )
}

/// The predicted time with mean times, without tables.
fn total(inputs: &Inputs<'_>, platform: &Platform, arguments: &PlatformArgs) -> Result<Estimate> {
    let options = Options {
        model: arguments.model.clone(),
        draws: 0,
        seed: arguments.seed,
        timeline: false,
        explain: false,
    };
    Ok(estimator::estimate_total(inputs, platform, &options)?)
}
