//! Text to program data: the order of lines and the header. Lines of tables are read in
//! `read_tables`, entries of streams in `read_entries`.

use super::lines::{Line, Read};
use super::read_entries::Entries;
use super::read_tables::SpanReader;
use super::spelling::Spelled;
use super::{TEXT_VERSION, TextError, read_tables, write};
use crate::ids::CommId;
use crate::program_data::{ProgramData, RecordMethod};
use crate::provenance::Provenance;

/// First words of the lines before the first class.
const HEADER_WORDS: &str = "ranks, method, provenance, file, loop, block, site, variant, type, comm, table, \
                            count-table, formula, path, section, assumption, time-dependent, allocation, memory, \
                            slice or class";

pub(super) fn read(text: &str) -> Read<ProgramData> {
    let mut lines = content_lines(text);
    // For errors at the end of the text, which is no line itself.
    let mut last = first_line(&mut lines)?;
    let mut data = ProgramData {
        method: RecordMethod::Given,
        ..ProgramData::default()
    };
    read_ranks(&mut lines, last, &mut data)?;
    let mut entries = Entries::default();
    for line in lines {
        let mut line = line?;
        last = line.number;
        if line.takes("class") {
            let ranks = line.number("ranks like 0-6/2,9")?;
            line.finish()?;
            entries.start_class(&mut data, ranks, last)?;
        // Tables come before the first class: entries of streams refer to them.
        } else if data.classes.is_empty() {
            header_line(line, &mut data)?;
        } else {
            entries.read(line, &mut data)?;
        }
    }
    entries.end_class(last + 1)?;
    Ok(data)
}

/// The lines that say something.
fn content_lines(text: &str) -> impl Iterator<Item = Read<Line>> {
    let numbered = text
        .lines()
        .enumerate()
        .map(|(i, line)| Line::split(i + 1, line));
    numbered.filter(|line| line.as_ref().map_or(true, |line| !line.is_empty()))
}

fn first_line(lines: &mut impl Iterator<Item = Read<Line>>) -> Read<usize> {
    let expected = format!("'mpiete program text {TEXT_VERSION}'");
    let missing = TextError::Line {
        line: 1,
        found: "no line".into(),
        expected: expected.clone(),
    };
    let mut line = lines.next().ok_or(missing)??;
    // The version is read only of a text that claims this format.
    let named = line.takes("mpiete") && line.takes("program") && line.takes("text");
    if !named {
        return Err(line.error("another first line", expected));
    }
    let version: u32 = line.number(&TEXT_VERSION.to_string())?;
    if version != TEXT_VERSION {
        return Err(line.error(
            format!("version {version}"),
            format!("version {TEXT_VERSION}"),
        ));
    }
    let number = line.number;
    line.finish()?;
    Ok(number)
}

fn read_ranks(
    lines: &mut impl Iterator<Item = Read<Line>>,
    last: usize,
    data: &mut ProgramData,
) -> Read<()> {
    let expected = "'ranks' and their number".to_string();
    let missing = TextError::Line {
        line: last + 1,
        found: "the end of the text".into(),
        expected,
    };
    let mut line = lines.next().ok_or(missing)??;
    line.needs("ranks")?;
    data.ranks = line.number("the number of ranks")?;
    // Lines of communicators may replace them ([`write::assumed_communicator`]).
    data.communicators = [CommId::WORLD, CommId::SELF]
        .map(|id| write::assumed_communicator(id, data.ranks))
        .to_vec();
    line.finish()
}

fn header_line(mut line: Line, data: &mut ProgramData) -> Read<()> {
    let keyword = line.text(HEADER_WORDS)?;
    match keyword.as_str() {
        "method" => {
            data.method = line.parsed(RecordMethod::WORDS, RecordMethod::from_word)?;
        }
        "provenance" => provenance(&mut line, &mut data.provenance)?,
        "file" | "loop" | "block" | "site" => {
            read_tables::table_line(&keyword, &mut line, &mut data.table)?
        }
        "section" => data.section = Some(SpanReader::of(&data.table).needed(&mut line)?),
        "assumption" | "time-dependent" | "allocation" | "memory" | "slice" => {
            read_tables::finding(&keyword, &mut line, data)?;
        }
        "variant" | "type" | "comm" | "table" | "count-table" | "formula" | "path" => {
            read_tables::value_line(&keyword, &mut line, data)?;
        }
        _ => return Err(line.error(format!("'{keyword}'"), HEADER_WORDS)),
    }
    line.finish()
}

fn provenance(line: &mut Line, from: &mut Provenance) -> Read<()> {
    const WORDS: &str = "tool, date, program, sources, block-map, input, argument, ranks, compiler, flags, pu, \
                         mpi-library or method";
    const DIGEST: &str = "a digest of 32 hexadecimal digits";
    let keyword = line.text(WORDS)?;
    match keyword.as_str() {
        "tool" => from.tool_version = line.text("a version")?,
        "date" => from.date = line.text("a date")?,
        "program" => from.program = line.text("a name")?,
        "sources" => from.sources = Some(line.number(DIGEST)?),
        "block-map" => from.block_map = Some(line.number(DIGEST)?),
        "input" => from.input = Some(line.number(DIGEST)?),
        "argument" => from.arguments.push(line.text("an argument")?),
        "ranks" => from.ranks = line.number("a number of ranks")?,
        "compiler" => from.compiler = line.text("a compiler")?,
        "flags" => from.flags = line.text("flags")?,
        "pu" => from.pu = line.text("a processing unit")?,
        "mpi-library" => from.mpi_library = line.text("an MPI library")?,
        "method" => from.method = line.text("a method")?,
        _ => return Err(line.error(format!("'{keyword}'"), WORDS)),
    }
    Ok(())
}
