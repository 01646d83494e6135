//! `mpiete show`: prints any mpiete file, as a report or for other programs, and schedules of collectives.

pub mod collective;

use crate::args::{Format, ShowArgs};
use crate::view::estimate::Detail;
use crate::{clock_dependence, files, platform, study, traces, view};
use anyhow::{Result, bail};
use base_data::comm_data::CommData;
use base_data::compute_data::ComputeData;
use base_data::estimate_file::Estimate;
use base_data::format::FileKind;
use base_data::observation::Observation;
use base_data::program_data::ProgramData;
use machine::platforms;
use std::path::Path;

/// Shows a file.
pub fn show(arguments: &ShowArgs) -> Result<()> {
    if let Some(name) = &arguments.collective {
        return show_collective(name, arguments);
    }
    let text = text_of(
        &arguments.file,
        arguments.format,
        arguments.verbose.detail(),
    )?;
    files::write_text(arguments.output.as_deref(), &text)
}

/// Shows the schedule of a collective: `show collective NAME`.
fn show_collective(name: &str, arguments: &ShowArgs) -> Result<()> {
    if arguments.file != Path::new(COLLECTIVE) {
        bail!(
            "show prints one file, but {} and {name} are given; a collective is shown by 'show {COLLECTIVE} NAME'",
            arguments.file.display()
        );
    }
    let shown = collective::shown(name, &arguments.of_collective)?;
    let text = match arguments.format {
        Format::Text => view::collective::text(&shown),
        Format::Html => view::collective::html(&shown),
        Format::Json => view::json::of("collective", &shown),
        Format::Csv | Format::Stream => unsupported(arguments.format, "a collective")?,
    };
    files::write_text(arguments.output.as_deref(), &text)
}

fn text_of(path: &Path, format: Format, detail: Detail) -> Result<String> {
    if path.is_dir() {
        return of_study(path, format);
    }
    if path.file_name().is_some_and(|name| name == study::MARKER) {
        return of_study(path.parent().unwrap_or(Path::new(".")), format);
    }
    // A bundled name goes before a file of that name, as it does for --platform.
    if let Some(text) = path.to_str().and_then(platforms::bundled) {
        return of_platform(path, text, format);
    }
    if path == Path::new(BUNDLED) && !path.exists() {
        return of_bundled(format);
    }
    if is_unknown_name(path) {
        bail!(
            "{}: there is no such file and no bundled platform of that name; `mpiete show \
            platforms` lists the platforms",
            path.display()
        );
    }
    let bytes = files::read_bytes(path)?;
    if let Some(trace) = traces::read(path, &bytes)? {
        return of_program(&trace.program, format);
    }
    match files::kind(path, &bytes) {
        Ok(kind) => of_kind(kind, path, &bytes, format, detail),
        // A platform is a text without a header: only its name shows what it contains.
        Err(_) if is_toml(path) => of_platform(path, &String::from_utf8_lossy(&bytes), format),
        Err(error) => Err(error),
    }
}

/// Whether a path is a single word that names no file: more likely a platform than a file.
fn is_unknown_name(path: &Path) -> bool {
    let is_word = path.components().count() == 1 && path.extension().is_none();
    is_word && path != Path::new("-") && !path.exists()
}

/// Word for a collective instead of a file.
const COLLECTIVE: &str = "collective";
/// Word for the list of bundled platforms.
const BUNDLED: &str = "platforms";

fn of_bundled(format: Format) -> Result<String> {
    let mut all = Vec::new();
    for (name, text) in platforms::BUNDLED {
        all.push(platform::parse(Path::new(name), text)?);
    }
    match format {
        Format::Text => Ok(view::platform::list_text(&all)),
        Format::Html => Ok(view::platform::list_html(&all)),
        Format::Json => Ok(view::json::of("platforms", &all)),
        Format::Csv | Format::Stream => unsupported(format, "the list of platforms"),
    }
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "toml")
}

fn of_kind(
    kind: FileKind,
    path: &Path,
    bytes: &[u8],
    format: Format,
    detail: Detail,
) -> Result<String> {
    match kind {
        FileKind::ProgramData => of_program(&files::decode_program(path, bytes)?, format),
        FileKind::ComputeData => {
            let data: ComputeData = files::decode(path, bytes)?;
            match format {
                Format::Text => Ok(view::compute::text(&data)),
                Format::Html => Ok(view::compute::html(&data)),
                Format::Json => Ok(view::json::of(kind, &data)),
                Format::Csv | Format::Stream => unsupported(format, kind),
            }
        }
        FileKind::CommData => {
            let data: CommData = files::decode(path, bytes)?;
            match format {
                Format::Text => Ok(view::comm::text(&data)),
                Format::Html => Ok(view::comm::html(&data)),
                Format::Json => Ok(view::json::of(kind, &data)),
                Format::Csv | Format::Stream => unsupported(format, kind),
            }
        }
        FileKind::Estimate => {
            let data: Estimate = files::decode(path, bytes)?;
            match format {
                Format::Text => Ok(view::estimate::text(&data, detail)),
                Format::Html => Ok(view::html::estimate(&data)),
                Format::Json => Ok(view::json::estimate(&data)),
                Format::Csv => {
                    clock_dependence::report_note(&data.program);
                    Ok(view::estimate_csv::csv(&data))
                }
                Format::Stream => {
                    let error = format_error("stream", "program data", kind, ", json and csv");
                    bail!("{error}")
                }
            }
        }
        FileKind::Observation => {
            let data: Observation = files::decode(path, bytes)?;
            match format {
                Format::Text => Ok(view::observation::text(&data)),
                Format::Html => Ok(view::observation::html(&data)),
                Format::Json => Ok(view::json::of(kind, &data)),
                Format::Csv | Format::Stream => unsupported(format, kind),
            }
        }
    }
}

fn of_program(data: &ProgramData, format: Format) -> Result<String> {
    let kind = FileKind::ProgramData;
    match format {
        Format::Text => Ok(view::program::text(data)),
        Format::Html => Ok(view::program::html(data)),
        Format::Json => Ok(view::json::of(kind, data)),
        Format::Stream => Ok(base_data::program_text::write(data)),
        Format::Csv => {
            let error = format_error("csv", "estimates", kind, ", json and stream");
            bail!("{error}")
        }
    }
}

fn of_platform(path: &Path, text: &str, format: Format) -> Result<String> {
    let file = platform::parse(path, text)?;
    platform::check(path, &file)?;
    match format {
        Format::Text => Ok(view::platform::text(&file)),
        Format::Html => Ok(view::platform::html(&file)),
        Format::Json => Ok(view::json::of("platform", &file)),
        Format::Csv | Format::Stream => unsupported(format, "a platform"),
    }
}

fn of_study(folder: &Path, format: Format) -> Result<String> {
    let study = study::read(folder)?;
    // The study is the analysis alone; what clocks its recorded runs have read is in their files.
    for path in study::all_program_data(folder)? {
        clock_dependence::report_note(&files::decode_program(&path, &files::read_bytes(&path)?)?);
    }
    let (name, table, assumed, share) = (
        &study.name,
        &study.table,
        &study.assumptions,
        study.slice_share,
    );
    match format {
        Format::Text => Ok(view::study(name, table, assumed, share)),
        Format::Html => Ok(view::study_page(name, table, assumed, share)),
        Format::Json => Ok(view::json::of("study", &study)),
        Format::Csv | Format::Stream => unsupported(format, "a study"),
    }
}

/// `others`: the formats of `kind` beside text and html.
fn format_error(format: &str, of: &str, kind: impl std::fmt::Display, others: &str) -> String {
    format!("--format {format} is for {of}; {kind} has text, html{others}")
}

/// The error for a format that `kind` lacks, where it has text, html and json.
fn unsupported(format: Format, kind: impl std::fmt::Display) -> Result<String> {
    let (name, of) = match format {
        Format::Stream => ("stream", "program data"),
        Format::Text | Format::Html | Format::Json | Format::Csv => ("csv", "estimates"),
    };
    bail!("{}", format_error(name, of, kind, " and json"))
}
