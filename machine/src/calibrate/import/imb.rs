//! Outputs of Intel MPI Benchmarks, versions 3 to 2021: `# Benchmarking PingPong`, `# #processes = 2`, a line of column names, rows.
//!
//! Only columns of times, lengths and messages per second are read: a megabyte is 2²⁰ bytes up to version 4 and 10⁶ later. Times of
//! collectives are those of the slowest rank, `t_max`.

use super::{Imported, Source, is_row, microseconds_of, tool};
use crate::calibrate::CalibrateError;
use base_data::comm_data::{CurvePoint, SampleKind};
use base_data::program_data::CollectiveKind;

/// What the rows of a benchmark are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    PointToPoint(SampleKind),
    /// Rates in one direction or both.
    Rates(SampleKind),
    Collective(CollectiveKind),
    Unused,
}

const TABLES: [(&str, Table); 13] = [
    ("PingPong", Table::PointToPoint(SampleKind::PingPong)),
    ("PingPing", Table::PointToPoint(SampleKind::Exchange)),
    ("Sendrecv", Table::PointToPoint(SampleKind::Exchange)),
    ("Uniband", Table::Rates(SampleKind::Flood)),
    ("Biband", Table::Rates(SampleKind::ExchangeFlood)),
    ("Barrier", Table::Collective(CollectiveKind::Barrier)),
    ("Bcast", Table::Collective(CollectiveKind::Broadcast)),
    ("Reduce", Table::Collective(CollectiveKind::Reduce)),
    ("Allreduce", Table::Collective(CollectiveKind::Allreduce)),
    ("Gather", Table::Collective(CollectiveKind::Gather)),
    ("Scatter", Table::Collective(CollectiveKind::Scatter)),
    ("Allgather", Table::Collective(CollectiveKind::Allgather)),
    ("Alltoall", Table::Collective(CollectiveKind::Alltoall)),
];

/// What stands in place of times that were not measured.
const NOT_MEASURED: [&str; 3] = ["overflow", "out-of-mem", "time-out"];

/// The benchmark that a line announces.
fn benchmark(line: &str) -> Option<&str> {
    line.trim()
        .strip_prefix("# Benchmarking ")?
        .split_whitespace()
        .next()
}

/// The benchmark being read.
struct Section {
    table: Table,
    name: String,
    line: usize,
    processes: Option<u32>,
    /// Names of the columns, once they were there.
    columns: Vec<String>,
}

pub(super) fn read(
    source: &Source<'_>,
    text: &str,
    imported: &mut Imported,
) -> Result<(), CalibrateError> {
    let mut section: Option<Section> = None;
    for (index, whole) in text.lines().enumerate() {
        let (number, line) = (index + 1, whole.trim());
        if let Some(name) = benchmark(line) {
            section = Some(begin(source, number, name, imported));
            continue;
        }
        if tool(line).is_some() {
            section = None;
        }
        let Some(current) = section.as_mut() else {
            continue;
        };
        let cells: Vec<&str> = line.split_whitespace().collect();
        if let Some(count) = line.strip_prefix("# #processes =") {
            // IMB-MT adds threads: `2 (threads: 4)`.
            let count = count.split_whitespace().next().unwrap_or_default();
            let count = count
                .parse()
                .map_err(|_| source.wrong(number, count, "a number of processes"))?;
            current.processes = Some(count);
        } else if line.contains("#repetitions") {
            current.columns = cells.into_iter().map(String::from).collect();
        } else if current.table != Table::Unused && !current.columns.is_empty() && is_row(&cells) {
            source.check_end(number, line)?;
            read_row(source, current, number, &cells, imported)?;
        }
    }
    Ok(())
}

fn begin(source: &Source<'_>, number: usize, name: &str, imported: &mut Imported) -> Section {
    let known = TABLES.iter().find(|(known, _)| *known == name);
    let table = known.map_or(Table::Unused, |(_, table)| *table);
    if table == Table::Unused {
        let what = format!("benchmark {name}");
        imported.left_out(source, number, &what, "no parameter depends on it");
    }
    Section {
        table,
        name: name.into(),
        line: number,
        processes: None,
        columns: Vec::new(),
    }
}

fn read_row(
    source: &Source<'_>,
    section: &mut Section,
    line: usize,
    cells: &[&str],
    imported: &mut Imported,
) -> Result<(), CalibrateError> {
    let text = cells.join(" ");
    if NOT_MEASURED.iter().any(|word| text.contains(word)) {
        return Ok(());
    }
    if cells.len() != section.columns.len() {
        let expected = format!("the columns {}", section.columns.join(" "));
        return Err(source.wrong(line, &text, &expected));
    }
    let cell = |names: &[&str]| {
        let place = names
            .iter()
            .find_map(|name| section.columns.iter().position(|column| column == name));
        place.map(|place| cells[place])
    };
    let bytes = cell(&["#bytes"]).map_or(Ok(0), |cell| source.bytes(line, cell))?;
    let repetitions = cell(&["#repetitions"]).map_or(Ok(1), |cell| source.bytes(line, cell))?;
    match section.table {
        Table::PointToPoint(_) | Table::Rates(_) if section.processes != Some(2) => {
            let processes = section
                .processes
                .map_or("an unknown number of".into(), |count| count.to_string());
            let what = format!("{} of {processes} processes", section.name);
            imported.left_out(
                source,
                section.line,
                &what,
                "only pairs are samples of a link",
            );
            section.table = Table::Unused;
        }
        Table::PointToPoint(kind) => {
            let Some(time) = cell(&["t[usec]", "t_avg[usec]"]) else {
                return Err(source.wrong(line, &text, "a column t[usec] or t_avg[usec]"));
            };
            let mut sample = source.sample(kind, bytes, source.number(line, time)?);
            if let Some(least) = cell(&["t_min[usec]"]) {
                sample.minimum = microseconds_of(source.number(line, least)?).min(sample.median);
            }
            sample.repetitions = repetitions;
            imported.samples.push(sample);
        }
        Table::Rates(kind) => {
            let Some(rate) = cell(&["Msg/sec"]) else {
                return Err(source.wrong(line, &text, "a column Msg/sec"));
            };
            let rate = source.number(line, rate)?;
            // Biband counts the messages of both directions.
            let messages = if kind == SampleKind::ExchangeFlood {
                2.0
            } else {
                1.0
            };
            if rate > 0.0 {
                let mut sample = source.sample(kind, bytes, messages * 1e6 / rate);
                sample.repetitions = repetitions;
                imported.samples.push(sample);
            }
        }
        Table::Collective(kind) => {
            let Some(time) = cell(&["t_max[usec]", "t[usec]"]) else {
                return Err(source.wrong(line, &text, "a column t_max[usec]"));
            };
            let time = microseconds_of(source.number(line, time)?);
            let Some(ranks) = section.processes.or(source.run.ranks) else {
                let output = format!("benchmark {}", section.name);
                imported.left_out_without_ranks(source, section.line, &output);
                section.table = Table::Unused;
                return Ok(());
            };
            imported.add_point(source, kind, ranks, CurvePoint { bytes, time });
        }
        Table::Unused => {}
    }
    Ok(())
}
