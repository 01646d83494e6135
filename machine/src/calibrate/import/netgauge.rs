//! Output files of Netgauge 2, times in microseconds: pattern `loggp` (columns `size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L
//! o_s o_r g G lsqu(g,G)`) and pattern `one_one` (letters A to Q, groups in parentheses and behind dashes).
//!
//! Of `loggp`, the measured round trips and overheads are samples, its own `L`, `g` and `G` are not: `PRTT(1,0,s)` is a round trip,
//! `PRTT(n,0,s)` that of `n` messages in a row. Of `one_one`, D is the median time of the send and J the median of half a round trip.

use super::{Imported, Source, is_row, microseconds_of, tool};
use crate::calibrate::CalibrateError;
use base_data::comm_data::SampleKind;

/// The pattern whose rows follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    LogGp,
    OneOne,
}

/// A to Q.
const ONE_ONE_COLUMNS: usize = 17;

/// The pattern that a line of column names announces.
fn table(line: &str) -> Option<Table> {
    let line = line.trim();
    if line.starts_with("# size n PRTT(1,0,s)") {
        return Some(Table::LogGp);
    }
    if line.starts_with("## Netgauge v") && line.contains("mode one_one ") {
        return Some(Table::OneOne);
    }
    None
}

pub(super) fn read(
    source: &Source<'_>,
    text: &str,
    imported: &mut Imported,
) -> Result<(), CalibrateError> {
    let mut current = None;
    for (index, whole) in text.lines().enumerate() {
        let (number, line) = (index + 1, whole.trim());
        if tool(line).is_some() {
            current = table(line);
        }
        let Some(current) = current else {
            continue;
        };
        let is_column = |cell: &&str| *cell != "-" && !cell.is_empty();
        let cells: Vec<&str> = line
            .split([' ', '\t', '(', ')'])
            .filter(is_column)
            .collect();
        if !is_row(&cells) {
            continue;
        }
        source.check_end(number, line)?;
        match current {
            Table::LogGp => read_loggp(source, number, &cells, imported)?,
            Table::OneOne => read_one_one(source, number, &cells, imported)?,
        }
    }
    Ok(())
}

fn read_loggp(
    source: &Source<'_>,
    number: usize,
    cells: &[&str],
    imported: &mut Imported,
) -> Result<(), CalibrateError> {
    let [size, count, one, many, _, _, send, receive, _, _, _] = cells[..] else {
        let expected = "the 11 columns of Netgauge's pattern loggp";
        return Err(source.wrong(number, &cells.join(" "), expected));
    };
    let bytes = source.bytes(number, size)?;
    let (count, one) = (source.number(number, count)?, source.number(number, one)?);
    let many = source.number(number, many)?;
    let samples = &mut imported.samples;
    samples.push(source.sample(SampleKind::PingPong, bytes, one / 2.0));
    if count > 1.0 && many > one {
        let further = (many - one) / (count - 1.0);
        samples.push(source.sample(SampleKind::Flood, bytes, further));
    }
    // Overheads are differences of measured times: noise can make them negative.
    let overheads = [
        (SampleKind::BlockingSend, send),
        (SampleKind::LateReceive, receive),
    ];
    for (kind, cell) in overheads {
        let overhead: f64 = cell
            .parse()
            .map_err(|_| source.wrong(number, cell, "a number"))?;
        if overhead > 0.0 {
            samples.push(source.sample(kind, bytes, overhead));
        }
    }
    Ok(())
}

fn read_one_one(
    source: &Source<'_>,
    number: usize,
    cells: &[&str],
    imported: &mut Imported,
) -> Result<(), CalibrateError> {
    if cells.len() != ONE_ONE_COLUMNS {
        let expected = "the 17 columns of Netgauge's pattern one_one";
        return Err(source.wrong(number, &cells.join(" "), expected));
    }
    // A, then B to G of the send, then H to M of half the round trip, then bandwidths.
    let (size, least_send, send, least, middle) =
        (cells[0], cells[1], cells[3], cells[7], cells[9]);
    let bytes = source.bytes(number, size)?;
    let times = [
        (SampleKind::BlockingSend, least_send, send),
        (SampleKind::PingPong, least, middle),
    ];
    for (kind, least, median) in times {
        let mut sample = source.sample(kind, bytes, source.number(number, median)?);
        sample.minimum = microseconds_of(source.number(number, least)?);
        imported.samples.push(sample);
    }
    Ok(())
}
