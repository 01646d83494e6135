//! Files of samples: the network probe's, and the outputs of OSU Micro-Benchmarks, Intel MPI Benchmarks and Netgauge. The content of a file
//! shows which it is. A file may contain several outputs of several tools, and lines of a job's log between and in them.

mod imb;
mod netgauge;
mod osu;

use super::{CalibrateError, sample_lines};
use base_data::Time;
use base_data::comm_data::{
    CollectiveCurve, CommSample, CurvePoint, LinkClass, ReductionRate, SampleKind,
};
use base_data::program_data::CollectiveKind;
use std::collections::BTreeSet;

/// What other tools' files do not say of the run that they are from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The kind of way between its ranks.
    pub link: LinkClass,
    /// Its number of ranks.
    pub ranks: Option<u32>,
    /// How many of them share a node; if it is not known, all on the link inside a node, else one.
    pub ranks_per_node: Option<u32>,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            link: LinkClass::BetweenNodes,
            ranks: None,
            ranks_per_node: None,
        }
    }
}

impl Run {
    /// How many of so many ranks share a node.
    fn ranks_per_node(&self, ranks: u32) -> u32 {
        match self.ranks_per_node {
            Some(most) => most.min(ranks),
            None if self.link == LinkClass::InsideNode => ranks,
            None => 1,
        }
    }
}

/// Content of the files.
#[derive(Debug, Default)]
pub(super) struct Imported {
    pub(super) samples: Vec<CommSample>,
    pub(super) collectives: Vec<CollectiveCurve>,
    pub(super) reduction_rates: Vec<ReductionRate>,
    /// Where an MPI library is named.
    pub(super) libraries: Vec<NamedLibrary>,
    /// What was left out, as sentences.
    pub(super) remarks: Vec<String>,
    /// The first output of a collective whose number of ranks is not known.
    pub(super) without_ranks: Option<CalibrateError>,
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
    let open_line = if text.ends_with('\n') {
        None
    } else {
        Some(text.lines().count())
    };
    let source = Source {
        file,
        run,
        open_line,
    };
    let tools: BTreeSet<Tool> = text.lines().filter_map(tool).collect();
    if tools.is_empty() {
        return sample_lines::read(file, text, imported);
    }
    imported.is_foreign = true;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with(sample_lines::SAMPLE_WORD) {
            let expected = "outputs of other benchmarks alone; put samples of the network probe into a file of their own";
            return Err(source.wrong(index + 1, line, expected));
        }
    }
    for tool in tools {
        match tool {
            Tool::Osu => osu::read(&source, text, imported)?,
            Tool::Imb => imb::read(&source, text, imported)?,
            Tool::Netgauge => netgauge::read(&source, text, imported)?,
        }
    }
    Ok(())
}

/// Whose output a line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tool {
    Osu,
    Imb,
    Netgauge,
}

/// The tool whose output a line begins, where any is: then the output before it has ended.
fn tool(line: &str) -> Option<Tool> {
    let line = line.trim();
    // Also OSU's benchmarks of other libraries than MPI.
    if line.starts_with("# OSU ") {
        return Some(Tool::Osu);
    }
    if line.starts_with("# Benchmarking ") || line.contains("Intel(R) MPI Benchmarks") {
        return Some(Tool::Imb);
    }
    if line.starts_with("## Netgauge v") || line.starts_with("# size n PRTT(") {
        return Some(Tool::Netgauge);
    }
    None
}

/// Whether the columns of a line are a row of numbers that begins with a length. Logs contain other lines that begin with digits or `-`,
/// such as times of day and rules.
fn is_row(columns: &[&str]) -> bool {
    let is_number = |column: &&str| column.parse::<f64>().is_ok();
    // A second column that only begins as a number is a broken one.
    let begins =
        |column: &&str| column.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    columns.first().is_some_and(is_number)
        && columns
            .get(1)
            .is_none_or(|second| is_number(second) || begins(second))
}

/// A file of another tool.
struct Source<'a> {
    file: &'a str,
    run: &'a Run,
    /// The last line, if it does not end.
    open_line: Option<usize>,
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

    /// Rejects a row that the file ends in, since numbers may lack digits.
    fn check_end(&self, line: usize, row: &str) -> Result<(), CalibrateError> {
        if self.open_line != Some(line) {
            return Ok(());
        }
        Err(CalibrateError::CutRow {
            file: self.file.into(),
            line,
            row: row.into(),
        })
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
        source: &Source<'_>,
        kind: CollectiveKind,
        ranks: u32,
        point: CurvePoint,
    ) {
        let ranks_per_node = source.run.ranks_per_node(ranks);
        self.add_curve_point(kind, (ranks, ranks_per_node), point);
    }

    /// The same on so many ranks, of which so many at most share a node.
    pub(super) fn add_curve_point(
        &mut self,
        kind: CollectiveKind,
        (ranks, ranks_per_node): (u32, u32),
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

    /// Notes an output of a collective that does not contain its number of ranks.
    fn left_out_without_ranks(&mut self, source: &Source<'_>, line: usize, output: &str) {
        self.left_out(
            source,
            line,
            output,
            "it does not contain its number of ranks; give --ranks, and --ranks-per-node if ranks share nodes",
        );
        self.without_ranks
            .get_or_insert(CalibrateError::UnknownRanks {
                file: source.file.into(),
                line,
                output: output.into(),
            });
    }

    fn left_out(&mut self, source: &Source<'_>, line: usize, what: &str, why: &str) {
        self.remarks
            .push(format!("{}:{line}: {what} is not used: {why}", source.file));
    }
}

#[cfg(test)]
mod tests;
