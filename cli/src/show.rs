//! `mpiete show`: any of our files, for people and for programs, and collectives.

pub mod collective;

use crate::args::{Format, ShowArgs};
use crate::view::estimate::Detail;
use crate::{files, platform, study, traces, view};
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
        if arguments.file != Path::new(COLLECTIVE) {
            bail!(
                "show prints one file, but {} and {name} are given; a collective is shown by 'show {COLLECTIVE} NAME'",
                arguments.file.display()
            );
        }
        let shown = collective::shown(name, &arguments.of_collective)?;
        let text = pick(
            arguments.format,
            "a collective",
            || view::collective::text(&shown),
            || view::collective::html(&shown),
            || view::json::of("collective", &shown),
        )?;
        return files::write_text(arguments.output.as_deref(), &text);
    }
    let text = text_of(
        &arguments.file,
        arguments.format,
        arguments.verbose.detail(),
    )?;
    files::write_text(arguments.output.as_deref(), &text)
}

fn text_of(path: &Path, format: Format, detail: Detail) -> Result<String> {
    if path.is_dir() {
        return of_study(path, format);
    }
    if path.file_name().is_some_and(|name| name == study::MARKER) {
        return of_study(path.parent().unwrap_or(Path::new(".")), format);
    }
    if let Some(text) = path.to_str().and_then(platforms::bundled) {
        return of_platform(path, text, format);
    }
    if path == Path::new(BUNDLED) && !path.exists() {
        return of_bundled(format);
    }
    let bytes = files::read_bytes(path)?;
    if let Some(trace) = traces::read(path, &bytes)? {
        return of_program(&trace.program, format);
    }
    match files::kind(path, &bytes) {
        Ok(kind) => of_kind(kind, path, &bytes, (format, detail)),
        Err(_) if is_toml(path) => of_platform(path, &String::from_utf8_lossy(&bytes), format),
        Err(error) => Err(error),
    }
}

/// Word for a collective instead of a file.
const COLLECTIVE: &str = "collective";
/// Word for the list of bundled platforms.
const BUNDLED: &str = "platforms";

fn of_bundled(format: Format) -> Result<String> {
    let parse = |(name, text): &(&str, &str)| platform::parse(Path::new(name), text);
    let all = platforms::BUNDLED
        .iter()
        .map(parse)
        .collect::<Result<Vec<_>>>()?;
    let (text, html) = (
        || view::platform::list_text(&all),
        || view::platform::list_html(&all),
    );
    pick(format, "the list of platforms", text, html, || {
        view::json::of("platforms", &all)
    })
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "toml")
}

fn of_kind(
    kind: FileKind,
    path: &Path,
    bytes: &[u8],
    (format, detail): (Format, Detail),
) -> Result<String> {
    match kind {
        FileKind::ProgramData => of_program(&files::decode_program(path, bytes)?, format),
        FileKind::ComputeData => {
            let data: ComputeData = files::decode(path, bytes)?;
            pick(
                format,
                kind,
                || view::compute::text(&data),
                || view::compute::html(&data),
                || view::json::of(kind, &data),
            )
        }
        FileKind::CommData => {
            let data: CommData = files::decode(path, bytes)?;
            pick(
                format,
                kind,
                || view::comm::text(&data),
                || view::comm::html(&data),
                || view::json::of(kind, &data),
            )
        }
        FileKind::Estimate => {
            let data: Estimate = files::decode(path, bytes)?;
            match format {
                Format::Csv => return Ok(view::estimate_csv::csv(&data)),
                Format::Stream => bail!(
                    "{}",
                    format_error("stream", "program data", kind, ", json and csv")
                ),
                Format::Text | Format::Html | Format::Json => {}
            }
            pick(
                format,
                kind,
                || view::estimate::text(&data, detail),
                || view::html::estimate(&data),
                || view::json::estimate(&data),
            )
        }
        FileKind::Observation => {
            let data: Observation = files::decode(path, bytes)?;
            let html = || view::observation::html(&data);
            pick(
                format,
                kind,
                || view::observation::text(&data),
                html,
                || view::json::of(kind, &data),
            )
        }
    }
}

fn of_program(data: &ProgramData, format: Format) -> Result<String> {
    Ok(match format {
        Format::Text => view::program::text(data),
        Format::Html => view::program::html(data),
        Format::Json => view::json::of(FileKind::ProgramData, data),
        Format::Stream => base_data::program_text::write(data),
        Format::Csv => {
            bail!(
                "{}",
                format_error(
                    "csv",
                    "estimates",
                    FileKind::ProgramData,
                    ", json and stream"
                )
            )
        }
    })
}

fn of_platform(path: &Path, text: &str, format: Format) -> Result<String> {
    let file = platform::parse(path, text)?;
    let json = || view::json::of("platform", &file);
    pick(
        format,
        "a platform",
        || view::platform::text(&file),
        || view::platform::html(&file),
        json,
    )
}

/// A study is shown by its latest estimate's neighbours: what it holds and where.
fn of_study(folder: &Path, format: Format) -> Result<String> {
    let study = study::read(folder)?;
    let (name, table, assumed, share) = (
        &study.name,
        &study.table,
        &study.assumptions,
        study.slice_share,
    );
    let text = || view::study(name, table, assumed, share);
    let html = || view::study_page(name, table, assumed, share);
    pick(format, "a study", text, html, || {
        view::json::of("study", &study)
    })
}

/// `others`: what `kind` has beside text and html.
fn format_error(format: &str, of: &str, kind: impl std::fmt::Display, others: &str) -> String {
    format!("--format {format} is for {of}; {kind} has text, html{others}")
}

fn pick(
    format: Format,
    kind: impl std::fmt::Display,
    text: impl Fn() -> String,
    html: impl Fn() -> String,
    json: impl Fn() -> String,
) -> Result<String> {
    match format {
        Format::Text => Ok(text()),
        Format::Html => Ok(html()),
        Format::Json => Ok(json()),
        Format::Csv => bail!("{}", format_error("csv", "estimates", kind, " and json")),
        Format::Stream => bail!(
            "{}",
            format_error("stream", "program data", kind, " and json")
        ),
    }
}
