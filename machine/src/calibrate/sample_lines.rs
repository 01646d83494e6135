//! The lines the communication probe prints: `mpiete-sample KIND LINK RANKS BYTES DELAY_NS
//! MEDIAN_NS MIN_NS SPREAD_NS REPETITIONS`, columns apart by blanks, `#` opens a comment line.

use super::CalibrateError;
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

const KINDS: [(&str, SampleKind); 14] = [
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
];

/// Appends the samples of `text` to `samples`.
pub(super) fn read(
    file: &str,
    text: &str,
    samples: &mut Vec<CommSample>,
) -> Result<(), CalibrateError> {
    for (index, line) in text.lines().enumerate() {
        let line_text = line.trim();
        if line_text.is_empty() || line_text.starts_with('#') {
            continue;
        }
        let columns: Vec<&str> = line_text.split_whitespace().collect();
        let sample = Line {
            file,
            line: index + 1,
            columns,
        }
        .sample()?;
        samples.push(sample);
    }
    Ok(())
}

struct Line<'a> {
    file: &'a str,
    line: usize,
    columns: Vec<&'a str>,
}

impl Line<'_> {
    fn sample(&self) -> Result<CommSample, CalibrateError> {
        if self.columns[0] != SAMPLE_WORD || self.columns.len() != COLUMNS.len() + 1 {
            let expected = format!("{SAMPLE_WORD} {}", COLUMNS.join(" "));
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
