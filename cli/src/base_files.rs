//! Files that contain base data of a program: program data, compute data, and runs that contain both, which are observations
//! and other tools' traces.

use crate::{files, traces};
use anyhow::{Result, anyhow, bail};
use base_data::compute_data::ComputeData;
use base_data::format::FileKind;
use base_data::observation::Observation;
use base_data::program_data::ProgramData;
use estimator::import::{Imported, of_observation};
use std::path::Path;

/// Content of a file.
pub enum BaseFile {
    Program(Box<ProgramData>),
    Compute(Box<ComputeData>),
    /// A run on one number of ranks, with its computation times.
    Run(Box<Imported>),
}

/// Reads a file. Remarks on a run are printed on standard error.
///
/// # Errors
/// A file without base data of a program; `expected` is the sentence about what is needed instead.
pub fn read(path: &Path, expected: &str) -> Result<BaseFile> {
    let bytes = files::read_bytes(path)?;
    // Other tools' files are recognised by content; only then must the file be one of mpiete.
    if let Some(trace) = traces::read(path, &bytes)? {
        return Ok(BaseFile::Run(Box::new(trace)));
    }
    match files::kind(path, &bytes)? {
        FileKind::ProgramData => {
            let data = files::decode_program(path, &bytes)?;
            Ok(BaseFile::Program(Box::new(data)))
        }
        FileKind::ComputeData => {
            let data = files::decode(path, &bytes)?;
            Ok(BaseFile::Compute(Box::new(data)))
        }
        FileKind::Observation => {
            let observation: Observation = files::decode(path, &bytes)?;
            let name = path.display().to_string();
            let run = of_observation(&observation).map_err(|reason| anyhow!("{name}: {reason}"))?;
            traces::print_remarks(&name, &run.remarks);
            Ok(BaseFile::Run(Box::new(run)))
        }
        kind @ (FileKind::CommData | FileKind::Estimate) => {
            bail!("{} contains {kind}; {expected}", path.display())
        }
    }
}
