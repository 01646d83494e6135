//! Parse statistics of a program: facts above an analysis, and a row of a table over many programs.

use super::numbers;
use base_data::block_table::BlockKind;
use base_data::mpi::functions::is_mpi_name;
use frontend::analysis::Analysis;
use frontend::ir::StatementId;
use frontend::parse_statistics::FileParseStatistics;
use frontend::source::Sources;
use std::collections::BTreeSet;

/// `18 files, 1,421 lines, 1,012 statements`.
pub fn size(analysis: &Analysis) -> String {
    let files = &analysis.parse_statistics.files;
    let sums = Sums::of(files);
    let procedures = analysis.program.procedures.len() as u64;
    [
        numbers::counted(files.len() as u64, "file", "files"),
        numbers::counted(sums.lines, "line", "lines"),
        numbers::counted(sums.statements, "statement", "statements"),
        numbers::counted(procedures, "procedure", "procedures"),
    ]
    .join(", ")
}

/// Sums over files.
#[derive(Default)]
struct Sums {
    lines: u64,
    statements: u64,
    bytes: u64,
    errors: usize,
    lost: usize,
}

impl Sums {
    fn of(files: &[FileParseStatistics]) -> Self {
        let mut sums = Sums::default();
        for file in files {
            sums.lines += u64::from(file.lines);
            sums.statements += u64::from(file.statements);
            sums.bytes += file.bytes;
            sums.errors += file.unread.len();
            sums.lost += file.lost.len();
        }
        sums
    }
}

/// Numbers of unrecognised statements, names and procedures; `everything` if all were recognised.
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
    let mut counts = Vec::new();
    for (count, one, many) in missing {
        if count > 0 {
            counts.push(numbers::counted(count as u64, one, many));
        }
    }
    if counts.is_empty() {
        "everything".into()
    } else {
        counts.join(", ")
    }
}

/// Called procedures without source, except those of MPI, in alphabetical order.
pub fn without_source(analysis: &Analysis) -> Vec<&str> {
    let mut names = BTreeSet::new();
    for procedure in &analysis.program.procedures {
        for name in &procedure.externals {
            if !is_mpi_name(name) {
                names.insert(name.as_str());
            }
        }
    }
    names.into_iter().collect()
}

/// `cg.f:12: 'text'` for every unparsed statement; paths are relative to `folder`.
pub fn unparsed_statements(sources: &Sources, analysis: &Analysis, folder: &str) -> Vec<String> {
    let mut statements = Vec::new();
    for span in analysis.parse_statistics.unparsed() {
        let place = analysis.source_map.place(span.file, span.start);
        let path = &sources.file(place.file).path;
        let path = path.strip_prefix(folder).unwrap_or(path);
        let text = String::from_utf8_lossy(sources.text(span));
        let first_line = text.lines().next().unwrap_or_default();
        let line: String = first_line.chars().take(60).collect();
        statements.push(format!("{path}:{}: '{line}'", place.line));
    }
    statements
}

/// A row of a Markdown table with the parse statistics of a program. Parse errors come with their share of the bytes; their
/// places follow as comments.
pub fn row(sources: &Sources, analysis: &Analysis) -> String {
    let statistics = &analysis.parse_statistics;
    let sums = Sums::of(&statistics.files);
    let errors = match sums.errors {
        0 => "0".to_string(),
        errors => {
            let share = statistics.unread_bytes() as f64 / sums.bytes.max(1) as f64;
            format!("{errors} ({:.4} %)", 100.0 * share)
        }
    };
    let compute = analysis
        .table
        .blocks
        .iter()
        .filter(|block| block.kind == BlockKind::Compute)
        .count();
    let cells = [
        program_name(sources, analysis),
        numbers::count(statistics.files.len() as u64),
        numbers::count(sums.lines),
        numbers::count(sums.statements),
        errors,
        sums.lost.to_string(),
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

/// Number of calls of functions that the table of MPI functions lacks.
fn unknown(analysis: &Analysis) -> usize {
    let known: BTreeSet<StatementId> = analysis.sites.iter().map(|site| site.statement).collect();
    let mut count = 0;
    for (id, _) in &analysis.unsupported {
        if !known.contains(id) {
            count += 1;
        }
    }
    count
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
