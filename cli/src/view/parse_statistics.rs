//! What was read and understood of a program: as facts above an analysis, and as a row of a table over
//! many programs.

use super::numbers;
use base_data::block_table::BlockKind;
use base_data::mpi::functions::is_mpi_name;
use frontend::analysis::Analysis;
use frontend::source::{Sources, Span};
use std::collections::BTreeSet;

/// `18 files, 1,421 lines, 1,012 statements`.
pub fn size(analysis: &Analysis) -> String {
    let files = &analysis.parse_statistics.files;
    let sum = |of: fn(&frontend::parse_statistics::FileParseStatistics) -> u32| {
        files.iter().map(|file| u64::from(of(file))).sum()
    };
    let counts = [
        numbers::counted(files.len() as u64, "file", "files"),
        numbers::counted(sum(|file| file.lines), "line", "lines"),
        numbers::counted(sum(|file| file.statements), "statement", "statements"),
        numbers::counted(
            analysis.program.procedures.len() as u64,
            "procedure",
            "procedures",
        ),
    ];
    counts.join(", ")
}

/// What was not understood, in numbers; `everything` if nothing.
pub fn recognition(analysis: &Analysis) -> String {
    let statistics = &analysis.parse_statistics;
    let missing = [
        (
            statistics.unparsed().len(),
            "statement was not parsed",
            "statements were not parsed",
        ),
        (
            statistics.undeclared.len(),
            "name is undeclared",
            "names are undeclared",
        ),
        (
            without_source(analysis).len(),
            "procedure has no source",
            "procedures have no source",
        ),
    ];
    let told = missing.into_iter().filter(|(count, _, _)| *count > 0);
    let told: Vec<String> = told
        .map(|(count, one, many)| numbers::counted(count as u64, one, many))
        .collect();
    if told.is_empty() {
        "everything".into()
    } else {
        told.join(", ")
    }
}

/// Procedures that are called and have no source, MPI's left out; in alphabetical order.
pub fn without_source(analysis: &Analysis) -> Vec<&str> {
    let externals = analysis
        .program
        .procedures
        .iter()
        .flat_map(|procedure| &procedure.externals);
    let names: BTreeSet<&str> = externals
        .map(String::as_str)
        .filter(|name| !is_mpi_name(name))
        .collect();
    names.into_iter().collect()
}

/// `cg.f:12: 'text'` for every place that was not understood; paths as they are in `folder`.
pub fn unparsed_statements(sources: &Sources, analysis: &Analysis, folder: &str) -> Vec<String> {
    let place = |span: Span| {
        let place = analysis.source_map.place(span.file, span.start);
        let path = &sources.file(place.file).path;
        let path = path.strip_prefix(folder).unwrap_or(path);
        let text = String::from_utf8_lossy(sources.text(span)).into_owned();
        let line: String = text
            .lines()
            .next()
            .unwrap_or_default()
            .chars()
            .take(60)
            .collect();
        format!("{path}:{}: '{line}'", place.line)
    };
    analysis
        .parse_statistics
        .unparsed()
        .into_iter()
        .map(place)
        .collect()
}

/// A row of a Markdown table: what was read of a program. A parse error has its share of the bytes and its
/// place.
pub fn row(sources: &Sources, analysis: &Analysis) -> String {
    let statistics = &analysis.parse_statistics;
    let (unread, bytes) = (
        statistics.unread_bytes(),
        statistics.files.iter().map(|file| file.bytes).sum::<u64>(),
    );
    let errors: usize = statistics.files.iter().map(|file| file.unread.len()).sum();
    let errors = match errors {
        0 => "0".to_string(),
        _ => format!(
            "{errors} ({:.4} %)",
            100.0 * unread as f64 / bytes.max(1) as f64
        ),
    };
    let lost: usize = statistics.files.iter().map(|file| file.lost.len()).sum();
    let compute = analysis
        .table
        .blocks
        .iter()
        .filter(|block| block.kind == BlockKind::Compute)
        .count();
    let sum = |of: fn(&frontend::parse_statistics::FileParseStatistics) -> u32| {
        numbers::count(
            statistics
                .files
                .iter()
                .map(|file| u64::from(of(file)))
                .sum(),
        )
    };
    let cells = [
        program_name(sources, analysis),
        numbers::count(statistics.files.len() as u64),
        sum(|file| file.lines),
        sum(|file| file.statements),
        errors,
        lost.to_string(),
        numbers::count(analysis.program.procedures.len() as u64),
        numbers::count(compute as u64),
        numbers::count((analysis.sites.len() + unknown(analysis)) as u64),
        analysis.unsupported.len().to_string(),
        statistics.undeclared.len().to_string(),
        without_source(analysis).len().to_string(),
    ];
    let mut row = format!("| {} |\n", cells.join(" | "));
    for place in unparsed_statements(sources, analysis, "") {
        row += &format!("<!-- {place} -->\n");
    }
    row
}

/// Calls of functions that are not in the table of MPI functions.
fn unknown(analysis: &Analysis) -> usize {
    let has_site = |id| analysis.sites.iter().any(|site| site.statement == id);
    analysis
        .unsupported
        .iter()
        .filter(|(id, _)| !has_site(*id))
        .count()
}

/// The name of the main program, and of its file's folder.
fn program_name(sources: &Sources, analysis: &Analysis) -> String {
    let Some(main) = analysis.program.main else {
        return "(no main program)".into();
    };
    let path = &sources
        .file(analysis.source_map.procedure(main).whole.file)
        .path;
    let mut parts = path.rsplit('/').skip(1);
    let folder = parts.next().unwrap_or_default();
    let name = &analysis.program.procedure(main).name;
    if folder.is_empty() {
        name.clone()
    } else {
        format!("{folder}/{name}")
    }
}
