//! `mpiete merge`: merges files of base data of one kind.

use crate::args::MergeArgs;
use crate::files;
use anyhow::{Result, bail};
use base_data::comm_data::CommData;
use base_data::compute_data::ComputeData;
use base_data::format::FileKind;
use std::path::{Path, PathBuf};

/// Merges files of one kind.
pub fn merge(arguments: &MergeArgs) -> Result<()> {
    let [first, rest @ ..] = arguments.files.as_slice() else {
        bail!("nothing to merge")
    };
    let kind = files::kind(first, &files::read_bytes(first)?)?;
    match kind {
        FileKind::ComputeData => merge_compute(first, rest, arguments),
        FileKind::CommData => merge_comm(first, rest, arguments),
        FileKind::ProgramData | FileKind::Estimate | FileKind::Observation => bail!(
            "{}: {kind} cannot be merged; merge compute data of one program, or communication data",
            first.display()
        ),
    }
}

fn merge_compute(first: &Path, rest: &[PathBuf], arguments: &MergeArgs) -> Result<()> {
    let mut data: ComputeData = files::read(first)?;
    for path in rest {
        let other: ComputeData = files::read(path)?;
        data.merge(other).map_err(|reason| {
            anyhow::anyhow!("{} and {}: {reason}", first.display(), path.display())
        })?;
    }
    files::write(&arguments.output, &data)?;
    files::print_line(format!(
        "{} block variants, written to {}",
        data.entries.len(),
        arguments.output.display()
    ))?;
    Ok(())
}

fn merge_comm(first: &Path, rest: &[PathBuf], arguments: &MergeArgs) -> Result<()> {
    let mut data: CommData = files::read(first)?;
    for path in rest {
        let other: CommData = files::read(path)?;
        data.merge(other).map_err(|reason| {
            anyhow::anyhow!("{} and {}: {reason}", first.display(), path.display())
        })?;
    }
    files::write(&arguments.output, &data)?;
    files::print_line(format!(
        "{} samples, {} fits, written to {}",
        data.samples.len(),
        data.fits.len(),
        arguments.output.display()
    ))?;
    Ok(())
}
