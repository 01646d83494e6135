//! The files that a platform names. The caller reads them.

use super::PlatformError;
use super::settings;
use super::supported::wrong;
use base_data::comm_data::{CommData, LinkClass};
use base_data::compute_data::ComputeData;
use base_data::platform_file::{PlatformFile, PuChoice};

/// Gives the content of the files that a platform names; errors are sentences that name the file.
pub trait PlatformFiles {
    /// Communication data of a link.
    ///
    /// # Errors
    /// Why they cannot be had.
    fn comm(&self, name: &str) -> Result<CommData, String>;

    /// Compute data of a PU type.
    ///
    /// # Errors
    /// Why they cannot be had.
    fn compute(&self, name: &str) -> Result<ComputeData, String>;

    /// Text of a placement file.
    ///
    /// # Errors
    /// Why it cannot be had.
    fn placement(&self, name: &str) -> Result<String, String>;
}

/// For platforms whose only files are communication data.
pub(super) struct CommFiles<'a>(pub(super) &'a dyn Fn(&str) -> Result<CommData, String>);

impl PlatformFiles for CommFiles<'_> {
    fn comm(&self, name: &str) -> Result<CommData, String> {
        (self.0)(name)
    }

    fn compute(&self, name: &str) -> Result<ComputeData, String> {
        Err(format!("compute data '{name}' cannot be read here"))
    }

    fn placement(&self, name: &str) -> Result<String, String> {
        Err(format!("placement file '{name}' cannot be read here"))
    }
}

/// The communication data of all links, with the MPI library's settings.
pub(super) fn links(
    file: &PlatformFile,
    files: &dyn PlatformFiles,
) -> Result<Vec<(LinkClass, CommData)>, PlatformError> {
    let mut links: Vec<(LinkClass, CommData)> = Vec::new();
    for link in &file.links {
        if links.iter().any(|(class, _)| *class == link.class) {
            return Err(wrong(
                file,
                format!("link class {} is given twice; keep one", link.class),
            ));
        }
        let mut data = match (&link.data, &link.file) {
            (Some(data), _) => data.clone(),
            (None, Some(name)) => files
                .comm(name)
                .map_err(|reason| wrong(file, format!("link class {}: {reason}", link.class)))?,
            (None, None) => {
                return Err(wrong(
                    file,
                    format!("link class {} needs a file or data", link.class),
                ));
            }
        };
        settings::apply(file, link.class, &mut data)?;
        links.push((link.class, data));
    }
    Ok(links)
}

/// The compute data that PU types name, each file once.
pub(super) fn compute(
    file: &PlatformFile,
    files: &dyn PlatformFiles,
) -> Result<Vec<(String, ComputeData)>, PlatformError> {
    let types = match &file.pu {
        PuChoice::Phrase(_) => return Ok(Vec::new()),
        PuChoice::Types(types) => types,
    };
    let mut read: Vec<(String, ComputeData)> = Vec::new();
    for name in types.iter().filter_map(|pu| pu.compute.as_ref()) {
        if read.iter().all(|(known, _)| known != name) {
            let data = files
                .compute(name)
                .map_err(|reason| wrong(file, format!("PU type: {reason}")))?;
            read.push((name.clone(), data));
        }
    }
    Ok(read)
}
