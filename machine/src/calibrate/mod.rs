//! Samples of the communication probe to communication data: reads the lines the probe prints,
//! fits the curve of the model `mpiete` for every kind of link present, and says how far off the
//! fit is.
//!
//! Not here: running the probe, reading files, and the fit of LogGPS parameters.

mod curve_fit;
mod sample_lines;

pub use sample_lines::SAMPLE_WORD;

use crate::network::mpiete;
use base_data::comm_data::{CommData, CommSample, LinkClass, ModelFit};

/// Why samples make no communication data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CalibrateError {
    /// A line that is no sample.
    #[error("{file}:{line}: found {found}; expected {expected}")]
    Line {
        /// File as given.
        file: String,
        /// Line, 1-based.
        line: usize,
        /// What stands there.
        found: String,
        /// What should.
        expected: String,
    },
    /// Nothing that a curve could be fitted to.
    #[error(
        "{files} hold no sample of kind ping-pong, receive or to-self, so no curve can be fitted; run \
         the probe that 'mpiete calibrate --write-probe' writes and give what it prints"
    )]
    Nothing {
        /// Files as given.
        files: String,
    },
}

/// Communication data of the samples in `texts`, which are (file name, content). Provenance,
/// network and library are left for the caller, who knows them.
///
/// # Errors
/// A line that is no sample, and texts without a usable one.
pub fn calibrate(texts: &[(&str, &str)]) -> Result<CommData, CalibrateError> {
    let mut samples = Vec::new();
    for (file, text) in texts {
        sample_lines::read(file, text, &mut samples)?;
    }
    let fits = fit_mpiete(&samples);
    if fits.is_empty() {
        let files = texts.iter().map(|(file, _)| *file).collect::<Vec<_>>().join(", ");
        return Err(CalibrateError::Nothing { files });
    }
    Ok(CommData { samples, fits, ..CommData::default() })
}

/// The curve of the model `mpiete` for each kind of link that has samples, links ascending.
pub fn fit_mpiete(samples: &[CommSample]) -> Vec<ModelFit> {
    let mut links: Vec<LinkClass> = samples.iter().map(|sample| sample.link).collect();
    links.sort_unstable();
    links.dedup();
    links.into_iter().filter_map(|link| fit_link(samples, link)).collect()
}

fn fit_link(samples: &[CommSample], link: LinkClass) -> Option<ModelFit> {
    let of_link: Vec<&CommSample> = samples.iter().filter(|sample| sample.link == link).collect();
    let fitted = curve_fit::fit(&of_link)?;
    Some(ModelFit {
        model: mpiete::NAME.into(),
        link,
        parameters: Vec::new(),
        curve: fitted.curve,
        covariance: Vec::new(),
        residual: fitted.residual,
        source: format!("fitted to {} samples", fitted.samples),
    })
}

#[cfg(test)]
mod tests;
