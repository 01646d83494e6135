//! Files of samples: the network probe's, and the outputs of OSU Micro-Benchmarks, Intel MPI Benchmarks and Netgauge. The content of a file
//! shows which it is. A file may contain several outputs of one tool, and lines of a job's log between them.

mod imb;
mod netgauge;
mod osu;

use super::{CalibrateError, sample_lines};
use base_data::Time;
use base_data::comm_data::{CollectiveCurve, CommSample, CurvePoint, LinkClass, SampleKind};
use base_data::program_data::CollectiveKind;

/// What other tools' files do not say of the run that they are from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The kind of way between its ranks.
    pub link: LinkClass,
    /// Its number of ranks.
    pub ranks: Option<u32>,
    /// How many of them share a node.
    pub ranks_per_node: u32,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            link: LinkClass::BetweenNodes,
            ranks: None,
            ranks_per_node: 1,
        }
    }
}

/// Content of the files.
#[derive(Debug, Default)]
pub(super) struct Imported {
    pub(super) samples: Vec<CommSample>,
    pub(super) collectives: Vec<CollectiveCurve>,
    /// Where an MPI library is named.
    pub(super) libraries: Vec<NamedLibrary>,
    /// What was left out, as sentences.
    pub(super) remarks: Vec<String>,
    /// Whether a file is another tool's.
    pub(super) is_foreign: bool,
}

/// An MPI library that a file names.
#[derive(Debug)]
pub(super) struct NamedLibrary {
    pub(super) file: String,
    /// 1-based.
    pub(super) line: usize,
    pub(super) name: String,
}

/// Reads one file into `imported`.
pub(super) fn read(
    file: &str,
    text: &str,
    run: &Run,
    imported: &mut Imported,
) -> Result<(), CalibrateError> {
    let source = Source { file, run };
    if text.lines().any(osu::is_title) {
        imported.is_foreign = true;
        return osu::read(&source, text, imported);
    }
    if text.lines().any(|line| imb::benchmark(line).is_some()) {
        imported.is_foreign = true;
        return imb::read(&source, text, imported);
    }
    if text.lines().any(|line| netgauge::table(line).is_some()) {
        imported.is_foreign = true;
        return netgauge::read(&source, text, imported);
    }
    // Last: a file without another tool's title is one of the probe's, or an error.
    sample_lines::read(file, text, imported)
}

/// A file of another tool.
struct Source<'a> {
    file: &'a str,
    run: &'a Run,
}

impl Source<'_> {
    fn wrong(&self, line: usize, found: &str, expected: &str) -> CalibrateError {
        CalibrateError::Line {
            file: self.file.into(),
            line,
            found: format!("'{found}'"),
            expected: expected.into(),
        }
    }

    /// A number of at least 0 in a column.
    fn number(&self, line: usize, column: &str) -> Result<f64, CalibrateError> {
        column
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite() && *value >= 0.0)
            .ok_or_else(|| self.wrong(line, column, "a number of at least 0"))
    }

    /// A length in a column.
    fn bytes(&self, line: usize, column: &str) -> Result<u64, CalibrateError> {
        column
            .parse()
            .map_err(|_| self.wrong(line, column, "a message length in bytes"))
    }

    /// A sample whose times other than the mean are not known.
    fn sample(&self, kind: SampleKind, bytes: u64, microseconds: f64) -> CommSample {
        let time = microseconds_of(microseconds);
        CommSample {
            kind,
            link: self.run.link,
            ranks: 2,
            bytes,
            delay: Time::ZERO,
            median: time,
            minimum: time,
            spread: Time::ZERO,
            repetitions: 1,
        }
    }
}

fn microseconds_of(value: f64) -> Time {
    Time::from_picoseconds((value * 1e6).round() as i64)
}

impl Imported {
    /// Adds a point to the curve of a collective. Of a length that was measured twice, the later time counts.
    fn add_point(
        &mut self,
        kind: CollectiveKind,
        ranks: u32,
        ranks_per_node: u32,
        point: CurvePoint,
    ) {
        let is_same = |curve: &CollectiveCurve| {
            curve.kind == kind && curve.ranks == ranks && curve.ranks_per_node == ranks_per_node
        };
        let known = self.collectives.iter().position(is_same);
        let place = known.unwrap_or_else(|| {
            self.collectives.push(CollectiveCurve {
                kind,
                ranks,
                ranks_per_node,
                points: Vec::new(),
            });
            self.collectives.len() - 1
        });
        let points = &mut self.collectives[place].points;
        match points.binary_search_by_key(&point.bytes, |other| other.bytes) {
            Ok(found) => points[found] = point,
            Err(next) => points.insert(next, point),
        }
    }

    fn left_out(&mut self, source: &Source<'_>, line: usize, what: &str, why: &str) {
        self.remarks
            .push(format!("{}:{line}: {what} is not used: {why}", source.file));
    }
}

#[cfg(test)]
mod tests;
