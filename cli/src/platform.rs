//! The target platform: a file, a bundled name, or this machine, with the communication data that replace its own.

use crate::args::PlatformArgs;
use crate::{files, origin};
use anyhow::{Result, bail};
use base_data::comm_data::CommData;
use base_data::compute_data::ComputeData;
use base_data::platform_file::{PlatformFile, PlatformFileError};
use machine::platform::{Change, Platform, PlatformFiles};
use machine::platforms;
use std::path::{Path, PathBuf};

/// The platform that the arguments name, for so many ranks.
pub fn resolve(arguments: &PlatformArgs, ranks: u32) -> Result<Platform> {
    let platform = named(name(arguments), &arguments.comm, ranks)?;
    platform
        .check_capacity(ranks)
        .map_err(|error| match default_platform_note(arguments) {
            Some(_) => {
                anyhow::anyhow!("{error}; it is the default: name another one with --platform")
            }
            None => error.into(),
        })?;
    scaled(platform, arguments)
}

/// The default platform, with published parameters. This machine has none until they are measured, and then --comm names
/// them.
const DEFAULT: &str = "fast-ethernet";

/// The platform that the arguments name, or that stands for none.
pub fn name(arguments: &PlatformArgs) -> &str {
    match &arguments.platform {
        Some(name) => name,
        None if arguments.comm.is_empty() => DEFAULT,
        // Communication data without a platform are assumed to be measured on this machine.
        None => platforms::HERE,
    }
}

/// The note for an estimate on the default platform.
pub fn default_platform_note(arguments: &PlatformArgs) -> Option<String> {
    if arguments.platform.is_some() || !arguments.comm.is_empty() {
        return None;
    }
    Some(default_note())
}

/// Whether an estimate with these warnings is on the default platform because none was named. Files of estimates have no
/// other field for it.
pub fn is_default(warnings: &[String]) -> bool {
    warnings.contains(&default_note())
}

fn default_note() -> String {
    format!(
        "This is the time on the bundled platform '{DEFAULT}' (`mpiete show {DEFAULT}`), neither on \
        this machine nor on yours, since no --platform was given. `mpiete show platforms` lists \
        others; `mpiete calibrate --write-probe DIR` measures the network of a machine; pass the \
        result with --comm."
    )
}

/// The platform as fast as the arguments want it.
pub fn scaled(platform: Platform, arguments: &PlatformArgs) -> Result<Platform> {
    match arguments.scale {
        None => Ok(platform),
        Some(factor) => Ok(platform.changed("", None, &Change::Speed(factor))?),
    }
}

/// The platform of a name with communication data in place of its own; so many ranks need not have a place there.
pub fn named(name: &str, comm: &[PathBuf], ranks: u32) -> Result<Platform> {
    let (file, folder) = find(name, ranks)?;
    let mut platform = Platform::with_files(file, &PlatformFolder(folder))?;
    for path in comm {
        // In the given order: a later file replaces the same links of an earlier one.
        platform.replace_comm(&files::read::<CommData>(path)?)?;
    }
    Ok(platform)
}

/// The files that a platform names, relative to its own folder.
struct PlatformFolder(PathBuf);

impl PlatformFiles for PlatformFolder {
    fn comm(&self, name: &str) -> Result<CommData, String> {
        files::read(&self.0.join(name)).map_err(|error| format!("{error:#}"))
    }

    fn compute(&self, name: &str) -> Result<ComputeData, String> {
        files::read(&self.0.join(name)).map_err(|error| format!("{error:#}"))
    }

    fn placement(&self, name: &str) -> Result<String, String> {
        let bytes = files::read_bytes(&self.0.join(name)).map_err(|error| format!("{error:#}"))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// The file form of a platform, and the folder that its file names are relative to.
fn find(name: &str, ranks: u32) -> Result<(PlatformFile, PathBuf)> {
    if name == platforms::HERE {
        let pu = origin::processing_unit();
        return Ok((platforms::here(ranks, 1, &pu.model), PathBuf::from(".")));
    }
    if let Some(text) = platforms::bundled(name) {
        return Ok((parse(Path::new(name), text)?, PathBuf::from(".")));
    }
    let path = Path::new(name);
    if !path.is_file() {
        let names: Vec<&str> = platforms::BUNDLED.iter().map(|(name, _)| *name).collect();
        bail!(
            "platform {name}: there is no such file and no bundled platform of that name; the \
            bundled platforms are here, {}",
            names.join(", ")
        );
    }
    let text = String::from_utf8_lossy(&files::read_bytes(path)?).into_owned();
    Ok((parse(path, &text)?, folder_of(path)))
}

/// The folder that the file names in a platform file are relative to.
fn folder_of(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new(".")).to_path_buf()
}

/// Checks that a platform file with all files that it names is one that estimates accept.
pub fn check(path: &Path, file: &PlatformFile) -> Result<()> {
    Platform::with_files(file.clone(), &PlatformFolder(folder_of(path)))?;
    Ok(())
}

/// Reads a platform's text; the error names the file.
pub fn parse(path: &Path, text: &str) -> Result<PlatformFile> {
    PlatformFile::parse(text).map_err(|error| match error {
        PlatformFileError::Syntax { line, what } => {
            anyhow::anyhow!("{}:{line}: {what}", path.display())
        }
        PlatformFileError::Version { .. } | PlatformFileError::Value(_) => {
            anyhow::anyhow!("{}: {error}", path.display())
        }
    })
}
