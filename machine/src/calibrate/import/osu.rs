//! Outputs of OSU Micro-Benchmarks, versions 2 to 7: a title line `# OSU MPI Latency Test v7.1`, comments, and rows of a length and a
//! number. Later columns (validation, percentiles) are ignored.
//!
//! Bandwidths are in 10⁶ bytes per second, of windows of 64 messages. Latencies of collectives are means over ranks unless the column of
//! the largest is there (option `-f`).

use super::{Imported, Source, is_row, microseconds_of, tool};
use crate::calibrate::CalibrateError;
use base_data::comm_data::{CurvePoint, SampleKind};
use base_data::program_data::CollectiveKind;

const TITLE: &str = "# OSU MPI";

/// What the rows below a title are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    /// Half a round trip in microseconds.
    Latency,
    /// The mean of several pairs, whose number the output does not contain.
    LatencyOfPairs,
    /// Megabytes per second in one direction.
    Bandwidth,
    /// Of both directions together.
    BothDirections,
    /// Of several pairs together.
    Pairs,
    Collective(CollectiveKind),
    Unused,
}

const TABLES: [(&str, Table); 14] = [
    ("Latency", Table::Latency),
    ("Multi Latency", Table::LatencyOfPairs),
    ("Bandwidth", Table::Bandwidth),
    ("Bi-Directional Bandwidth", Table::BothDirections),
    // Up to version 3.
    ("Bidirectional Bandwidth", Table::BothDirections),
    ("Multiple Bandwidth / Message Rate", Table::Pairs),
    (
        "Barrier Latency",
        Table::Collective(CollectiveKind::Barrier),
    ),
    (
        "Broadcast Latency",
        Table::Collective(CollectiveKind::Broadcast),
    ),
    ("Reduce Latency", Table::Collective(CollectiveKind::Reduce)),
    (
        "Allreduce Latency",
        Table::Collective(CollectiveKind::Allreduce),
    ),
    ("Gather Latency", Table::Collective(CollectiveKind::Gather)),
    (
        "Scatter Latency",
        Table::Collective(CollectiveKind::Scatter),
    ),
    (
        "Allgather Latency",
        Table::Collective(CollectiveKind::Allgather),
    ),
    (
        "All-to-All Personalized Exchange Latency",
        Table::Collective(CollectiveKind::Alltoall),
    ),
];

/// Whether a line is the title of an output.
fn is_title(line: &str) -> bool {
    line.trim_start().starts_with(TITLE)
}

/// The name of the benchmark in a title: without `Test`, version and the kind of buffers.
fn name(line: &str) -> &str {
    let name = line.trim_start().trim_start_matches(TITLE).trim();
    let end = name.find(" Test").unwrap_or(name.len());
    &name[..end]
}

/// The output being read.
struct Section {
    table: Table,
    line: usize,
    /// Column of the largest time over ranks.
    largest: Option<usize>,
    pairs: Option<f64>,
}

pub(super) fn read(
    source: &Source<'_>,
    text: &str,
    imported: &mut Imported,
) -> Result<(), CalibrateError> {
    let mut section: Option<Section> = None;
    for (index, whole) in text.lines().enumerate() {
        let (number, line) = (index + 1, whole.trim());
        if is_title(line) {
            section = Some(begin(source, number, line, imported));
            continue;
        }
        if tool(line).is_some() {
            section = None;
        }
        let Some(current) = section.as_mut() else {
            continue;
        };
        if line.starts_with('#') {
            read_comment(current, line);
            continue;
        }
        let columns: Vec<&str> = line.split_whitespace().collect();
        // Other lines are a log's.
        if current.table != Table::Unused && is_row(&columns) {
            source.check_end(number, line)?;
            read_row(source, current, number, &columns, imported)?;
        }
    }
    Ok(())
}

fn begin(source: &Source<'_>, number: usize, line: &str, imported: &mut Imported) -> Section {
    let name = name(line);
    let known = TABLES.iter().find(|(known, _)| *known == name);
    let mut table = known.map_or(Table::Unused, |(_, table)| *table);
    let what = format!("OSU's output '{name}'");
    match table {
        Table::Unused => imported.left_out(source, number, &what, "no parameter depends on it"),
        Table::LatencyOfPairs if source.run.ranks == Some(2) => table = Table::Latency,
        Table::LatencyOfPairs => {
            table = Table::Unused;
            let why = "its pairs may share nodes and links; give --ranks 2 if there was one pair";
            imported.left_out(source, number, &what, why);
        }
        Table::Collective(_) if source.run.ranks.is_none() => {
            table = Table::Unused;
            imported.left_out_without_ranks(source, number, &what);
        }
        _ => {}
    }
    Section {
        table,
        line: number,
        largest: None,
        pairs: None,
    }
}

fn read_comment(section: &mut Section, line: &str) {
    // `# Size  Avg Latency(us)  Min Latency(us)  Max Latency(us)  Iterations`: the names contain blanks.
    if let Some(largest) = line.find("Max Latency") {
        let before = &line[..largest];
        section.largest =
            Some(before.matches("(us)").count() + usize::from(before.contains("Size")));
    }
    // `# [ pairs: 8 ] [ window size: 64 ]`
    if let Some((_, rest)) = line.split_once("pairs:") {
        let pairs = rest.split_whitespace().next();
        section.pairs = pairs.and_then(|pairs| pairs.parse().ok());
    }
}

fn read_row(
    source: &Source<'_>,
    section: &Section,
    line: usize,
    columns: &[&str],
    imported: &mut Imported,
) -> Result<(), CalibrateError> {
    if section.table == Table::Collective(CollectiveKind::Barrier) {
        // Rows of times alone.
        let column = columns[section.largest.unwrap_or(0).min(columns.len() - 1)];
        return read_collective(source, CollectiveKind::Barrier, line, 0, column, imported);
    }
    let [length, value, ..] = columns else {
        return Err(source.wrong(line, columns[0], "a length and a number"));
    };
    let bytes = source.bytes(line, length)?;
    match section.table {
        Table::Latency => {
            let time = source.number(line, value)?;
            imported
                .samples
                .push(source.sample(SampleKind::PingPong, bytes, time));
        }
        Table::Bandwidth => add_bandwidth(source, SampleKind::Flood, 1.0, line, columns, imported)?,
        Table::BothDirections => {
            add_bandwidth(
                source,
                SampleKind::ExchangeFlood,
                2.0,
                line,
                columns,
                imported,
            )?;
        }
        Table::Pairs if section.pairs == Some(1.0) => {
            add_bandwidth(source, SampleKind::Flood, 1.0, line, columns, imported)?;
        }
        Table::Pairs => {
            let what = "the bandwidth of several pairs";
            let is_first = !imported.remarks.iter().any(|one| one.contains(what));
            if is_first {
                let why = "it does not show whether a node or its link limits them";
                imported.left_out(source, section.line, what, why);
            }
        }
        Table::Collective(kind) => {
            let column = section.largest.and_then(|largest| columns.get(largest));
            let column = column.unwrap_or(value);
            read_collective(source, kind, line, bytes, column, imported)?;
        }
        Table::LatencyOfPairs | Table::Unused => {}
    }
    Ok(())
}

/// `messages` of the length are what the bandwidth counts in the time of one sample.
fn add_bandwidth(
    source: &Source<'_>,
    kind: SampleKind,
    messages: f64,
    line: usize,
    columns: &[&str],
    imported: &mut Imported,
) -> Result<(), CalibrateError> {
    let bytes = source.bytes(line, columns[0])?;
    let megabytes = source.number(line, columns[1])?;
    // A rate of 0 is one that was rounded off, or of no bytes.
    if megabytes > 0.0 {
        let microseconds = messages * bytes as f64 / megabytes;
        imported
            .samples
            .push(source.sample(kind, bytes, microseconds));
    }
    Ok(())
}

fn read_collective(
    source: &Source<'_>,
    kind: CollectiveKind,
    line: usize,
    bytes: u64,
    column: &str,
    imported: &mut Imported,
) -> Result<(), CalibrateError> {
    // Without it, the output is not used.
    let Some(ranks) = source.run.ranks else {
        return Ok(());
    };
    let time = microseconds_of(source.number(line, column)?);
    imported.add_point(source, kind, ranks, CurvePoint { bytes, time });
    Ok(())
}
