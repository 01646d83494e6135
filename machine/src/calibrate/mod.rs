//! Samples of the communication probe to communication data: reads the lines the probe prints, or outputs of other benchmarks, fits the curve
//! of the model `mpiete` and the parameters of `flow`, LogGPS, LogGOPS and LogGP-2 for every kind of link present, and reports the residuals
//! of the fits, the models that have none, and the lengths whose measurement was disturbed.
//!
//! The caller runs the probe and reads its files.

mod curve_fit;
mod disagreements;
mod fitted_times;
mod flow_fit;
mod import;
mod line_fit;
mod linear_fit;
mod linear_models;
mod loggops_fit;
mod loggp_2_fit;
mod loggps_fit;
mod sample_lines;
mod samples;

pub use fitted_times::{FittedTimes, ModelTimes, fitted_times};
pub use import::Run;
pub use sample_lines::SAMPLE_WORD;

use crate::network::{flow, mpiete};
use base_data::Time;
use base_data::comm_data::{CommData, CommSample, LinkClass, ModelFit, SampleKind};
use curve_fit::Disturbed;
use import::{Imported, NamedLibrary};
use linear_models::LinearModel;
use samples::{Outcome, Samples};
use std::collections::{BTreeMap, BTreeSet};

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
    /// A file that does not end where the probe's output does.
    #[error(
        "{file}:{line}: the file ends before the last sample of the probe, so fits would miss lengths; run the probe \
        again and keep its whole output"
    )]
    Truncated {
        /// File as given.
        file: String,
        /// Last line, 1-based.
        line: usize,
    },
    /// A file of another benchmark that ends in a row.
    #[error(
        "{file}:{line}: the file ends in the row '{row}', without the end of its line, so digits may be missing; give the whole output"
    )]
    CutRow {
        /// File as given.
        file: String,
        /// Last line, 1-based.
        line: usize,
        /// What stands there.
        row: String,
    },
    /// More ranks on a node than there are.
    #[error(
        "{ranks_per_node} ranks per node are more than the {ranks} ranks; give at most as many with --ranks-per-node"
    )]
    TooManyPerNode {
        /// As given.
        ranks_per_node: u32,
        /// As given.
        ranks: u32,
    },
    /// Samples of two MPI libraries.
    #[error(
        "{first} was measured with '{first_library}' and {second} with '{second_library}', so one fit describes neither; \
        calibrate the samples of each library into a file of their own"
    )]
    MixedLibraries {
        /// File and line that name the first library.
        first: String,
        /// As printed by the probe.
        first_library: String,
        /// File and line that name another one.
        second: String,
        /// As printed by the probe.
        second_library: String,
    },
    /// Samples that do not show how times depend on the length.
    #[error(
        "all samples of link class {link} in {files} have {bytes} B, so times of other lengths are unknown; measure \
        several lengths, as the probe of 'mpiete calibrate --write-probe' does"
    )]
    OneLength {
        /// Files as given.
        files: String,
        /// The link.
        link: LinkClass,
        /// The length.
        bytes: u64,
    },
    /// A clock that shows no time at all.
    #[error(
        "{files}: all samples of link class {link} took no time, so the clock of the probe is too coarse or did \
         not run; measure with another MPI library, or with longer messages (--largest)"
    )]
    NoTime {
        /// Files as given.
        files: String,
        /// The link.
        link: LinkClass,
    },
    /// An output of a collective without its number of ranks.
    #[error(
        "{file}:{line}: {output} does not contain its number of ranks, so no call can use it; give \
        --ranks, and --ranks-per-node if ranks share nodes"
    )]
    UnknownRanks {
        /// File as given.
        file: String,
        /// Line of the title, 1-based.
        line: usize,
        /// Name of the benchmark.
        output: String,
    },
    /// Nothing that a curve could be fitted to.
    #[error(
        "{files} hold no sample of kind ping-pong, receive or to-self, so no curve can be fitted; \
        run the probe that 'mpiete calibrate --write-probe' writes and give its output"
    )]
    Nothing {
        /// Files as given.
        files: String,
    },
}

/// A fit of `flow` with a larger residual is rejected, and estimates use the measured curve: a prediction that is off by as much as the
/// time itself is no better than the prediction of no time at all.
const MOST_RESIDUAL: f64 = 1.0;

/// What to do about samples that something else disturbed.
const MEASURE_AGAIN: &str =
    "measure again while nothing else runs on these nodes, and give both files of samples";

/// The models whose times are sums of their parameters.
const LINEAR_MODELS: [&LinearModel; 3] =
    [&loggps_fit::MODEL, &loggops_fit::MODEL, &loggp_2_fit::MODEL];

/// What [`calibrate`] makes of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Samples and fits.
    pub data: CommData,
    /// Models without a fit and why, as sentences; a `flow` that was rejected is among the warnings.
    pub rejected: Vec<String>,
    /// What the user should know of the fits, as sentences.
    pub warnings: Vec<String>,
}

/// Communication data of the samples in `texts`, which are (file name, content): outputs of the network probe, or of OSU Micro-Benchmarks,
/// Intel MPI Benchmarks and Netgauge, which do not name the link and the ranks of their `run`. Provenance and network are left for the
/// caller, who knows them.
///
/// # Errors
/// A line that is no sample, an incomplete file, samples of two MPI libraries or of one length alone, and texts without a usable sample.
pub fn calibrate(texts: &[(&str, &str)], run: &Run) -> Result<Calibration, CalibrateError> {
    if let (Some(ranks_per_node), Some(ranks)) = (run.ranks_per_node, run.ranks)
        && ranks_per_node > ranks
    {
        return Err(CalibrateError::TooManyPerNode {
            ranks_per_node,
            ranks,
        });
    }
    let mut imported = Imported::default();
    for (file, text) in texts {
        import::read(file, text, run, &mut imported)?;
    }
    let mpi_library = one_library(&imported.libraries)?;
    check_times(texts, &imported.samples)?;
    let impossible = leave_out_impossible_zeros(&mut imported.samples);
    let Fits {
        fits,
        mut rejected,
        mut warnings,
        without_flow,
    } = fit_links(&imported.samples);
    if fits.is_empty() && imported.collectives.is_empty() {
        let nothing = CalibrateError::Nothing {
            files: names(texts),
        };
        return Err(imported.without_ranks.unwrap_or(nothing));
    }
    check_lengths(texts, &imported.samples)?;
    // Who gives outputs of benchmarks can add one that is missing; samples of the probe have all that the run could show.
    if imported.is_foreign {
        warnings.extend(without_flow);
    } else {
        rejected.extend(without_flow);
    }
    warnings.extend(impossible);
    warnings.extend(imported.remarks);
    let data = CommData {
        mpi_library,
        samples: imported.samples,
        fits,
        collectives: imported.collectives,
        reduction_rates: imported.reduction_rates,
        ..CommData::default()
    };
    warnings.extend(disagreements::find(&data));
    Ok(Calibration {
        data,
        rejected,
        warnings,
    })
}

fn names(texts: &[(&str, &str)]) -> String {
    let names: Vec<&str> = texts.iter().map(|(file, _)| *file).collect();
    names.join(", ")
}

/// The MPI library of all samples; empty if none is named.
fn one_library(libraries: &[NamedLibrary]) -> Result<String, CalibrateError> {
    let Some(first) = libraries.first() else {
        return Ok(String::new());
    };
    let place = |library: &NamedLibrary| format!("{}:{}", library.file, library.line);
    for other in libraries {
        if other.name != first.name {
            return Err(CalibrateError::MixedLibraries {
                first: place(first),
                first_library: first.name.clone(),
                second: place(other),
                second_library: other.name.clone(),
            });
        }
    }
    Ok(first.name.clone())
}

/// Each network has a sample that took some time.
fn check_times(texts: &[(&str, &str)], samples: &[CommSample]) -> Result<(), CalibrateError> {
    let links: BTreeSet<LinkClass> = samples.iter().map(|sample| sample.link).collect();
    for link in links {
        let has_time = |sample: &CommSample| sample.link == link && sample.median > Time::ZERO;
        if !samples.iter().any(has_time) {
            return Err(CalibrateError::NoTime {
                files: names(texts),
                link,
            });
        }
    }
    Ok(())
}

/// A message that took so many ticks of the clock takes more than none when it is longer.
const MANY_TICKS: f64 = 4.0;

/// Leaves out samples that took no time although a shorter message of their kind took some: a coarse clock shows nothing
/// of messages that take less than its tick, but then also nothing of shorter ones. Returns a sentence if there are any.
fn leave_out_impossible_zeros(samples: &mut Vec<CommSample>) -> Option<String> {
    let positive = samples.iter().filter(|sample| sample.median > Time::ZERO);
    // The tick is not known; the shortest time is no less.
    let tick = positive.map(|sample| sample.median).min()?;
    let is_long = |sample: &&CommSample| sample.median >= tick.scaled(MANY_TICKS);
    let mut shortest_with_time: BTreeMap<(LinkClass, SampleKind), u64> = BTreeMap::new();
    for sample in samples.iter().filter(is_long) {
        let shortest = shortest_with_time
            .entry((sample.link, sample.kind))
            .or_insert(sample.bytes);
        *shortest = sample.bytes.min(*shortest);
    }
    let mut lengths = BTreeSet::new();
    samples.retain(|sample| {
        let shortest = shortest_with_time.get(&(sample.link, sample.kind));
        let impossible =
            sample.median == Time::ZERO && shortest.is_some_and(|bytes| *bytes < sample.bytes);
        if impossible {
            lengths.insert(sample.bytes);
        }
        !impossible
    });
    let lengths: Vec<String> = lengths
        .into_iter()
        .map(|bytes| format!("{bytes} B"))
        .collect();
    if lengths.is_empty() {
        return None;
    }
    Some(format!(
        "samples without any time are left out, since shorter messages took some: {}; measure these lengths again",
        lengths.join(", ")
    ))
}

/// Each network has samples of several lengths. Messages of a rank to itself need none.
fn check_lengths(texts: &[(&str, &str)], samples: &[CommSample]) -> Result<(), CalibrateError> {
    let mut lengths: BTreeMap<LinkClass, BTreeSet<u64>> = BTreeMap::new();
    for sample in samples {
        lengths.entry(sample.link).or_default().insert(sample.bytes);
    }
    for (link, lengths) in lengths {
        let mut lengths = lengths.into_iter();
        if let (Some(bytes), None) = (lengths.next(), lengths.next())
            && link != LinkClass::ToSelf
        {
            return Err(CalibrateError::OneLength {
                files: names(texts),
                link,
                bytes,
            });
        }
    }
    Ok(())
}

/// Fits, models that do not describe their samples, and what else to say.
#[derive(Default)]
struct Fits {
    fits: Vec<ModelFit>,
    rejected: Vec<String>,
    warnings: Vec<String>,
    /// Why links have no fit of `flow`, where the samples lack what it needs.
    without_flow: Vec<String>,
}

/// The fits of each kind of link that has samples, links ascending.
fn fit_links(samples: &[CommSample]) -> Fits {
    let mut links: Vec<LinkClass> = samples.iter().map(|sample| sample.link).collect();
    links.sort_unstable();
    links.dedup();
    let mut made = Fits::default();
    for link in links {
        fit_link(samples, link, &mut made);
    }
    // Messages of a rank to itself alone do not make a network.
    let is_network = |fit: &ModelFit| fit.model == flow::NAME && fit.link != LinkClass::ToSelf;
    if !made.fits.iter().any(is_network) {
        made.fits.retain(|fit| fit.model != flow::NAME);
    }
    made
}

fn fit_link(samples: &[CommSample], link: LinkClass, made: &mut Fits) {
    let of_link: Vec<&CommSample> = samples
        .iter()
        .filter(|sample| sample.link == link)
        .collect();
    let Some(fitted) = curve_fit::fit(&of_link) else {
        return;
    };
    let mut source = format!("fitted to {} samples", fitted.samples);
    if !fitted.disturbed.is_empty() {
        source.push_str(&format!(
            "; disturbed lengths: {}",
            disturbed_lengths(&fitted.disturbed)
        ));
        made.warnings.push(warning(link, &fitted.disturbed));
    }
    // Then the quick mode of one length has no others that confirm it, and no length is found to be bimodal.
    if fitted.wide_lengths > fitted.lengths / 2 {
        made.warnings.push(format!(
            "the curve of link class {link} may be too high, since repetitions differ at {} of {} lengths (quartiles more \
             than 25 % of the median apart); {MEASURE_AGAIN}",
            fitted.wide_lengths, fitted.lengths
        ));
    }
    match flow_fit::fit(&of_link, link, &fitted) {
        Outcome::Fit(fit, remark) => {
            match fit.residual {
                // Messages of a rank to itself are predicted by the curve in either model.
                Some(residual) if residual > MOST_RESIDUAL && link != LinkClass::ToSelf => made.warnings.push(format!(
                    "no fit: the residual of model '{}' of link class {link} is {:.0} %; {MEASURE_AGAIN}",
                    fit.model,
                    residual * 100.0
                )),
                Some(_) | None => made.fits.push(*fit),
            }
            made.warnings.extend(remark);
        }
        Outcome::Rejected(reason) => made.warnings.push(format!("no fit: {reason}")),
        Outcome::NotMeasured(reason) => made.without_flow.push(reason),
    }
    made.fits.push(ModelFit {
        model: mpiete::NAME.into(),
        link,
        parameters: Vec::new(),
        curve: fitted.curve,
        covariance: Vec::new(),
        residual: fitted.residual,
        source,
    });
    if link == LinkClass::ToSelf {
        return;
    }
    // One length that something else slowed has much weight at the end of a line.
    let is_undisturbed = |sample: &&CommSample| {
        !fitted
            .disturbed
            .iter()
            .any(|length| length.bytes == sample.bytes)
    };
    let undisturbed: Vec<&CommSample> = of_link.iter().copied().filter(is_undisturbed).collect();
    let samples = Samples {
        samples: &undisturbed,
    };
    let mut not_measured = Vec::new();
    for model in LINEAR_MODELS {
        match linear_models::fit(model, &samples, link) {
            Outcome::Fit(mut fit, _) => {
                if !fitted.disturbed.is_empty() {
                    fit.source.push_str(&format!(
                        "; without disturbed lengths: {}",
                        disturbed_lengths(&fitted.disturbed)
                    ));
                }
                made.fits.push(*fit);
            }
            Outcome::Rejected(reason) => made.rejected.push(reason),
            Outcome::NotMeasured(name) => not_measured.push(name),
        }
    }
    if !not_measured.is_empty() {
        made.rejected.push(format!(
            "link class {link} has samples that do not show all parameters of {}; the network probe measures them",
            not_measured.join(", ")
        ));
    }
}

/// The disturbed lengths, `0 B, 4 B`.
fn disturbed_lengths(disturbed: &[Disturbed]) -> String {
    let lengths: Vec<String> = disturbed
        .iter()
        .map(|length| format!("{} B", length.bytes))
        .collect();
    lengths.join(", ")
}

/// What disturbed lengths mean for the curve, and what to do.
fn warning(link: LinkClass, disturbed: &[Disturbed]) -> String {
    // A fitted time may be zero.
    let off = |length: &Disturbed| length.measured.seconds() / length.fitted.seconds().max(1e-12);
    // Half is as wrong as twice.
    let factor = |length: &Disturbed| off(length).max(off(length).recip());
    let worst = disturbed
        .iter()
        .max_by(|a, b| factor(a).total_cmp(&factor(b)));
    let worst = worst.map_or(String::new(), |length| {
        let (measured, fitted) = (length.measured, length.fitted);
        format!(
            " ({measured} at {} B, where the others predict {fitted})",
            length.bytes
        )
    });
    format!(
        "the curve of link class {link} follows the other lengths at {}, whose samples were disturbed{worst}; \
         {MEASURE_AGAIN}",
        disturbed_lengths(disturbed)
    )
}

#[cfg(test)]
mod disturbed_samples;
#[cfg(test)]
mod tests;
