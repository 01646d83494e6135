//! The lines the communication probe prints: `mpiete-sample KIND LINK RANKS BYTES DELAY_NS
//! MEDIAN_NS MIN_NS SPREAD_NS REPETITIONS`, columns apart by blanks, `#` opens a comment line.

use super::CalibrateError;
use super::import::{Imported, NamedLibrary};
use base_data::Time;
use base_data::comm_data::{CommSample, LinkClass, SampleKind};

/// The first word of every sample line.
pub const SAMPLE_WORD: &str = "mpiete-sample";

/// Names of the columns after the first word.
const COLUMNS: [&str; 9] = [
    "KIND",
    "LINK",
    "RANKS",
    "BYTES",
    "DELAY_NS",
    "MEDIAN_NS",
    "MIN_NS",
    "SPREAD_NS",
    "REPETITIONS",
];

const KINDS: [(&str, SampleKind); 15] = [
    ("ping-pong", SampleKind::PingPong),
    ("receive", SampleKind::Receive),
    ("delayed", SampleKind::Delayed),
    ("nonblocking-send", SampleKind::NonblockingSend),
    ("blocking-send", SampleKind::BlockingSend),
    ("wait", SampleKind::Wait),
    ("flood", SampleKind::Flood),
    ("poll", SampleKind::Poll),
    ("to-self", SampleKind::ToSelf),
    ("late-receive", SampleKind::LateReceive),
    ("nonblocking-receive", SampleKind::NonblockingReceive),
    ("exchange", SampleKind::Exchange),
    ("incast", SampleKind::Incast),
    ("behind", SampleKind::Behind),
    ("exchange-flood", SampleKind::ExchangeFlood),
];

/// Comment of the probe that names the MPI library.
const LIBRARY: &str = "# MPI library:";
/// Comments of the probe before its first sample and after its last one. Probes of earlier versions print neither.
const BEGIN: &str = "# network probe, version 2";
const END: &str = "# end of samples";

/// Appends the samples of `text` to `imported`.
pub(super) fn read(file: &str, text: &str, imported: &mut Imported) -> Result<(), CalibrateError> {
    let mut is_open = false;
    let lines = text.lines().count();
    for (index, line) in text.lines().enumerate() {
        let line_text = line.trim();
        if let Some(library) = line_text.strip_prefix(LIBRARY) {
            imported.libraries.push(NamedLibrary {
                file: file.into(),
                line: index + 1,
                name: library.trim().into(),
            });
        }
        match line_text {
            // Several outputs may follow each other in one file.
            BEGIN if is_open => return Err(truncated(file, index)),
            BEGIN => is_open = true,
            END => is_open = false,
            _ => {}
        }
        if line_text.is_empty() || line_text.starts_with('#') || is_of_make(line_text) {
            continue;
        }
        let columns: Vec<&str> = line_text.split_whitespace().collect();
        let line = Line {
            file,
            line: index + 1,
            columns,
        };
        let is_last = index + 1 == lines && !text.ends_with('\n');
        if is_last && line.columns.len() <= COLUMNS.len() {
            return Err(truncated(file, index + 1));
        }
        imported.samples.push(line.sample()?);
    }
    if is_open {
        return Err(truncated(file, lines));
    }
    Ok(())
}

/// `make -C FOLDER run` prints the folder to where the samples go, before and after them.
fn is_of_make(line: &str) -> bool {
    let is_make = line.starts_with("make: ") || line.starts_with("make[");
    is_make && line.contains(" directory ")
}

fn truncated(file: &str, line: usize) -> CalibrateError {
    CalibrateError::Truncated {
        file: file.into(),
        line,
    }
}

struct Line<'a> {
    file: &'a str,
    line: usize,
    columns: Vec<&'a str>,
}

impl Line<'_> {
    fn sample(&self) -> Result<CommSample, CalibrateError> {
        if self.columns[0] != SAMPLE_WORD || self.columns.len() != COLUMNS.len() + 1 {
            let expected = format!(
                "{SAMPLE_WORD} {}, as the network probe prints it (`mpiete calibrate --write-probe`)",
                COLUMNS.join(" ")
            );
            return Err(self.wrong(format!("'{}'", self.columns.join(" ")), expected));
        }
        Ok(CommSample {
            kind: self.kind(1)?,
            link: self.link(2)?,
            ranks: self.number(3)?,
            bytes: self.number(4)?,
            delay: self.time(5)?,
            median: self.time(6)?,
            minimum: self.time(7)?,
            spread: self.time(8)?,
            repetitions: self.number(9)?,
        })
    }

    fn wrong(&self, found: String, expected: String) -> CalibrateError {
        CalibrateError::Line {
            file: self.file.into(),
            line: self.line,
            found,
            expected,
        }
    }

    fn wrong_column(&self, column: usize, expected: &str) -> CalibrateError {
        let found = format!(
            "'{}' in column {}",
            self.columns[column],
            COLUMNS[column - 1]
        );
        self.wrong(found, expected.into())
    }

    fn kind(&self, column: usize) -> Result<SampleKind, CalibrateError> {
        let found = KINDS.iter().find(|(name, _)| *name == self.columns[column]);
        found.map(|(_, kind)| *kind).ok_or_else(|| {
            let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
            self.wrong_column(column, &format!("one of {}", names.join(", ")))
        })
    }

    fn link(&self, column: usize) -> Result<LinkClass, CalibrateError> {
        let text = self.columns[column];
        let switches = text
            .strip_prefix("switches-")
            .and_then(|count| count.parse().ok());
        match text {
            "to-self" => Ok(LinkClass::ToSelf),
            "inside-node" => Ok(LinkClass::InsideNode),
            "between-nodes" => Ok(LinkClass::BetweenNodes),
            _ => switches.map(LinkClass::Switches).ok_or_else(|| {
                self.wrong_column(
                    column,
                    "one of to-self, inside-node, between-nodes, switches-N",
                )
            }),
        }
    }

    fn number<N: std::str::FromStr>(&self, column: usize) -> Result<N, CalibrateError> {
        self.columns[column]
            .parse()
            .map_err(|_| self.wrong_column(column, "a whole number of at least 0"))
    }

    /// Probes may print fractions of nanoseconds.
    fn time(&self, column: usize) -> Result<Time, CalibrateError> {
        let nanoseconds: Option<f64> = self.columns[column].parse().ok();
        nanoseconds
            .filter(|value| value.is_finite() && *value >= 0.0)
            .map(|value| Time::from_picoseconds((value * 1e3).round() as i64))
            .ok_or_else(|| self.wrong_column(column, "a time in nanoseconds of at least 0"))
    }
}
