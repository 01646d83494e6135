//! Files of other tools, recognised by their content.

use crate::args::PlatformArgs;
use crate::{failure, files};
use anyhow::{Context, Result};
use base_data::estimate_file::Estimate;
use estimator::Options;
use estimator::formats::{RECOGNISED_BYTES, TraceContent, TraceFile, recognise};
use estimator::import::Imported;
use std::io::Read;
use std::path::Path;

/// Whether a file is one of another tool's.
pub fn is_trace(path: &Path, bytes: &[u8]) -> bool {
    let name = path.display().to_string();
    recognise(&TraceFile { name: &name, bytes }, &file_reader(path)).is_some()
}

/// Reads files that an index file names relative to its own folder.
fn file_reader(path: &Path) -> impl Fn(&str) -> Result<Vec<u8>, String> {
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    move |named| std::fs::read(folder.join(named)).map_err(|error| error.to_string())
}

/// The base data in a file of another tool, with remarks on standard error; `None` for any other file.
pub fn read(path: &Path, bytes: &[u8]) -> Result<Option<Imported>> {
    let name = path.display().to_string();
    let file = TraceFile { name: &name, bytes };
    let load = file_reader(path);
    let Some(format) = recognise(&file, &load) else {
        return Ok(None);
    };
    let found = (format.import)(&file, &load)?;
    print_remarks(&name, &found.remarks);
    Ok(Some(found))
}

/// The predicted time of a file of another tool, with remarks on standard error; `None` for any other file, and
/// where something is wrong with it.
pub fn total(path: &Path, arguments: &PlatformArgs, options: &Options) -> Result<Option<Estimate>> {
    let name = path.display().to_string();
    let load = file_reader(path);
    let mut content = files::open(path)?;
    let mut start = Vec::new();
    (&mut content)
        .take(RECOGNISED_BYTES as u64)
        .read_to_end(&mut start)
        .with_context(|| format!("{name} cannot be read"))?;
    let file = TraceFile {
        name: &name,
        bytes: &start,
    };
    let Some(format) = recognise(&file, &load) else {
        return Ok(None);
    };
    let trace = TraceContent {
        name: &name,
        content: &mut start.as_slice().chain(content),
        load: &load,
    };
    // The number of ranks is unknown before the file is read, and every platform has room for one.
    let platform = crate::platform::resolve(arguments, 1)?;
    let Some((result, remarks)) =
        estimator::estimate_trace_total(format, trace, &platform, options)
    else {
        return Ok(None);
    };
    print_remarks(&name, &remarks);
    Ok(Some(result))
}

/// Prints on standard error which parts of a file could not be represented exactly.
pub fn print_remarks(name: &str, remarks: &[String]) {
    for remark in remarks {
        report!("mpiete: {name}: {}", failure::sanitized(remark));
    }
}
