//! The lines the communication probe prints: `mpiete-sample KIND LINK RANKS BYTES DELAY_NS
//! MEDIAN_NS MIN_NS SPREAD_NS REPETITIONS`, columns apart by blanks, `#` opens a comment line. Lines that begin with
//! [`REDUCTION_WORD`], [`COLLECTIVE_WORD`] and [`SETTING_WORD`] have columns of their own.

use super::CalibrateError;
use super::import::{Imported, NamedLibrary};
use base_data::Time;
use base_data::comm_data::{CommSample, CurvePoint, LinkClass, ReductionRate, SampleKind};
use base_data::mpi::{BasicDatatype, ReduceOp};
use base_data::program_data::CollectiveKind;
use std::collections::BTreeMap;

/// The first word of every sample line.
pub const SAMPLE_WORD: &str = "mpiete-sample";

/// The first words of the other lines.
const REDUCTION_WORD: &str = "mpiete-reduction";
const COLLECTIVE_WORD: &str = "mpiete-collective";
const SETTING_WORD: &str = "mpiete-setting";
/// Names of their columns.
const REDUCTION_COLUMNS: [&str; 7] = [
    "OP",
    "TYPE",
    "ELEMENTS",
    "MEDIAN_NS",
    "MIN_NS",
    "SPREAD_NS",
    "REPETITIONS",
];
const COLLECTIVE_COLUMNS: [&str; 8] = [
    "KIND",
    "RANKS",
    "RANKS_PER_NODE",
    "BYTES",
    "MEDIAN_NS",
    "MIN_NS",
    "SPREAD_NS",
    "REPETITIONS",
];
const SETTING_COLUMNS: [&str; 2] = ["NAME", "VALUE"];

/// Operations as the probe names them.
const OPERATIONS: [(&str, ReduceOp); 8] = [
    ("sum", ReduceOp::Sum),
    ("product", ReduceOp::Product),
    ("maximum", ReduceOp::Maximum),
    ("minimum", ReduceOp::Minimum),
    ("logical-and", ReduceOp::LogicalAnd),
    ("logical-or", ReduceOp::LogicalOr),
    ("bit-and", ReduceOp::BitAnd),
    ("bit-or", ReduceOp::BitOr),
];

/// All collectives.
const COLLECTIVES: [CollectiveKind; 11] = [
    CollectiveKind::Barrier,
    CollectiveKind::Broadcast,
    CollectiveKind::Reduce,
    CollectiveKind::Allreduce,
    CollectiveKind::Gather,
    CollectiveKind::Scatter,
    CollectiveKind::Allgather,
    CollectiveKind::Alltoall,
    CollectiveKind::ReduceScatter,
    CollectiveKind::Scan,
    CollectiveKind::ExclusiveScan,
];

/// Times of `MPI_Reduce_local` by number of elements, for each operation and type.
type Reductions = BTreeMap<(ReduceOp, BasicDatatype), BTreeMap<u64, Time>>;

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
    let mut reductions = Reductions::new();
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
        let names = columns_after(columns[0]);
        let line = Line {
            file,
            line: index + 1,
            columns,
            names,
        };
        // A last line without its end was cut off while it was written, unless it has all columns.
        let is_last = index + 1 == lines && !text.ends_with('\n');
        if is_last && line.columns.len() <= names.len() {
            return Err(truncated(file, index + 1));
        }
        line.check_columns()?;
        match line.columns[0] {
            REDUCTION_WORD => line.reduction(&mut reductions)?,
            COLLECTIVE_WORD => line.collective(imported)?,
            SETTING_WORD => line.setting(imported)?,
            _ => imported.samples.push(line.sample()?),
        }
    }
    add_rates(reductions, &mut imported.reduction_rates);
    if is_open {
        return Err(truncated(file, lines));
    }
    Ok(())
}

/// Names of the columns behind the first word of a line.
fn columns_after(word: &str) -> &'static [&'static str] {
    match word {
        REDUCTION_WORD => &REDUCTION_COLUMNS,
        COLLECTIVE_WORD => &COLLECTIVE_COLUMNS,
        SETTING_WORD => &SETTING_COLUMNS,
        _ => &COLUMNS,
    }
}

/// Adds the time of each further element; the difference leaves out what a call costs.
fn add_rates(reductions: Reductions, rates: &mut Vec<ReductionRate>) {
    for ((op, element), times) in reductions {
        let (Some((few, short)), Some((many, long))) =
            (times.first_key_value(), times.last_key_value())
        else {
            continue;
        };
        if few == many {
            continue;
        }
        let picoseconds = (*long - *short).picoseconds().max(0) as f64;
        let rate = ReductionRate {
            op,
            element,
            picoseconds_per_element: picoseconds / (many - few) as f64,
        };
        // Of several outputs, the last one counts.
        rates.retain(|known: &ReductionRate| (known.op, known.element) != (op, element));
        rates.push(rate);
    }
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
    /// Names of the columns.
    names: &'static [&'static str],
}

impl Line<'_> {
    fn check_columns(&self) -> Result<(), CalibrateError> {
        let words = [SAMPLE_WORD, REDUCTION_WORD, COLLECTIVE_WORD, SETTING_WORD];
        let word = self.columns[0];
        if words.contains(&word) && self.columns.len() == self.names.len() + 1 {
            return Ok(());
        }
        let word = if words.contains(&word) {
            word
        } else {
            SAMPLE_WORD
        };
        let expected = format!(
            "{word} {}, as the network probe prints it (`mpiete calibrate --write-probe`)",
            self.names.join(" ")
        );
        Err(self.wrong(format!("'{}'", self.columns.join(" ")), expected))
    }

    /// Of a number of elements that was measured twice, the shorter time counts: other programs only lengthen it.
    fn reduction(&self, reductions: &mut Reductions) -> Result<(), CalibrateError> {
        let op = OPERATIONS.iter().find(|(name, _)| *name == self.columns[1]);
        let Some((_, op)) = op else {
            let names: Vec<&str> = OPERATIONS.iter().map(|(name, _)| *name).collect();
            return Err(self.wrong_column(1, &format!("one of {}", names.join(", "))));
        };
        let element = self.element(2)?;
        let (elements, time) = (self.number(3)?, self.time(4)?);
        let times = reductions.entry((*op, element)).or_default();
        let known = times.entry(elements).or_insert(time);
        *known = time.min(*known);
        Ok(())
    }

    fn element(&self, column: usize) -> Result<BasicDatatype, CalibrateError> {
        let text = self.columns[column];
        let name = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let bytes = text[name.len()..].parse().ok();
        let found = bytes.and_then(|bytes| match name {
            "real" => Some(BasicDatatype::Real(bytes)),
            "integer" => Some(BasicDatatype::Integer(bytes)),
            "complex" => Some(BasicDatatype::Complex(bytes)),
            "logical" => Some(BasicDatatype::Logical(bytes)),
            _ => None,
        });
        found.ok_or_else(|| {
            self.wrong_column(
                column,
                "real, integer, complex or logical with its bytes, as real8",
            )
        })
    }

    fn collective(&self, imported: &mut Imported) -> Result<(), CalibrateError> {
        let kind = COLLECTIVES
            .iter()
            .find(|kind| kind.name() == self.columns[1]);
        let Some(&kind) = kind else {
            let names = COLLECTIVES.map(CollectiveKind::name);
            return Err(self.wrong_column(1, &format!("one of {}", names.join(", "))));
        };
        let point = CurvePoint {
            bytes: self.number(4)?,
            time: self.time(5)?,
        };
        imported.add_curve_point(kind, (self.number(2)?, self.number(3)?), point);
        Ok(())
    }

    /// What the probe found of the MPI library, if it is not a platform's default.
    fn setting(&self, imported: &mut Imported) -> Result<(), CalibrateError> {
        let place = format!("{}:{}", self.file, self.line);
        match (self.columns[1], self.columns[2]) {
            ("progress", "asynchronous") | ("eager-credit", "unlimited") => {}
            ("progress", "in-call") => imported.remarks.push(format!(
                "{place}: long sends do not proceed while their rank computes, which the platform must say; put progress = \
                 \"in-call\" into it"
            )),
            ("eager-credit", _) => {
                let bytes: u64 = self.number(2)?;
                imported.remarks.push(format!(
                    "{place}: sends to a rank that computes wait after {bytes} B; for programs that send that much ahead, put \
                     eager_credit = {{ bytes = {bytes} }} into the platform"
                ));
            }
            ("progress", _) => return Err(self.wrong_column(2, "asynchronous or in-call")),
            _ => return Err(self.wrong_column(1, "progress or eager-credit")),
        }
        Ok(())
    }

    fn sample(&self) -> Result<CommSample, CalibrateError> {
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
            self.names[column - 1]
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
