//! Program data to text: header and tables. The streams are in `write_stream`.

use super::lines::{is_plain, joined, quote, word};
use super::spelling::{self, Spelled};
use super::{TEXT_VERSION, write_stream};
use crate::block_table::{Block, BlockTable, CallSite, CallSiteKey, SourceSpan, StructureLoop};
use crate::ids::{CommId, Digest, LoopId};
use crate::program_data::{AssumedOutcome, Communicator, ProgramData};
use crate::provenance::Provenance;
use crate::rank_set::RankSet;

pub(super) fn write(data: &ProgramData) -> String {
    let mut lines = vec![
        format!("mpiete program text {TEXT_VERSION}"),
        format!("ranks {}", data.ranks),
        format!("method {}", data.method.word()),
    ];
    provenance(&data.provenance, &mut lines);
    block_table(&data.table, &mut lines);
    value_tables(data, &mut lines);
    findings(data, &mut lines);
    for class in &data.classes {
        lines.push(format!("class {}", class.ranks));
        write_stream::write(&class.stream, &mut lines);
    }
    // The last line ends like all others.
    lines.push(String::new());
    lines.join("\n")
}

fn provenance(from: &Provenance, lines: &mut Vec<String>) {
    let texts = [
        ("tool", &from.tool_version),
        ("date", &from.date),
        ("program", &from.program),
    ];
    let digests = [
        ("sources", from.sources),
        ("block-map", from.block_map),
        ("input", from.input),
    ];
    let settings = [
        ("compiler", &from.compiler),
        ("flags", &from.flags),
        ("pu", &from.pu),
        ("mpi-library", &from.mpi_library),
        ("method", &from.method),
    ];
    let mut line = |key: &str, value: &str| lines.push(format!("provenance {key} {}", word(value)));
    texts
        .iter()
        .filter(|(_, text)| !text.is_empty())
        .for_each(|(key, text)| line(key, text));
    digests.iter().for_each(|(key, digest)| {
        digest
            .iter()
            .for_each(|digest| line(key, &digest.to_string()))
    });
    from.arguments
        .iter()
        .for_each(|argument| line("argument", argument));
    if from.ranks != 0 {
        line("ranks", &from.ranks.to_string());
    }
    settings
        .iter()
        .filter(|(_, text)| !text.is_empty())
        .for_each(|(key, text)| line(key, text));
}

fn block_table(table: &BlockTable, lines: &mut Vec<String>) {
    for (i, file) in table.files.iter().enumerate() {
        lines.push(format!(
            "file {i} {}{}",
            word(&file.path),
            digest(file.digest)
        ));
    }
    lines.extend(
        table
            .loops
            .iter()
            .enumerate()
            .map(|(i, entry)| structure_loop(i, entry, table)),
    );
    lines.extend(
        table
            .blocks
            .iter()
            .enumerate()
            .map(|(i, entry)| block(i, entry, table)),
    );
    lines.extend(
        table
            .call_sites
            .iter()
            .enumerate()
            .map(|(i, site)| call_site(i, site, table)),
    );
}

fn structure_loop(number: usize, entry: &StructureLoop, table: &BlockTable) -> String {
    let place = optional_place(&entry.span, table);
    format!(
        "loop {number}{place}{}{}",
        named("in", &entry.procedure),
        loops(&entry.loop_path)
    )
}

fn block(number: usize, entry: &Block, table: &BlockTable) -> String {
    let terms = entry.work_terms.iter().map(|term| {
        format!(
            " term {}{}",
            quote(&term.expression),
            optional_place(&term.span, table)
        )
    });
    format!(
        "block {number} {}{}{}{}{}{}{}{}",
        entry.kind.word(),
        optional_place(&entry.span, table),
        named("in", &entry.key.procedure),
        digest(entry.key.digest),
        ordinal(entry.key.ordinal),
        loops(&entry.loop_path),
        terms.collect::<String>(),
        if entry.data_dependent {
            " data-dependent"
        } else {
            ""
        },
    )
}

fn call_site(number: usize, site: &CallSite, table: &BlockTable) -> String {
    let at = site
        .span
        .as_ref()
        .map_or(String::new(), |span| format!(" {}", place(span, table)));
    let key = match &site.key {
        CallSiteKey::Source {
            digest: of,
            procedure,
            ordinal: nth,
        } => {
            let other = procedure != &site.procedure;
            let procedure = if other {
                format!(" key-in {}", word(procedure))
            } else {
                String::new()
            };
            format!("{procedure}{}{}", digest(*of), ordinal(*nth))
        }
        CallSiteKey::Object { object, offset } => {
            format!(" object {} offset {offset}", word(object))
        }
    };
    let path = loops(&site.loop_path);
    format!(
        "site {number} {}{at}{}{key}{path}",
        word(&site.function),
        named("in", &site.procedure)
    )
}

fn value_tables(data: &ProgramData, lines: &mut Vec<String>) {
    for (i, variant) in data.variants.iter().enumerate() {
        let terms = if variant.terms.is_empty() {
            ""
        } else {
            " terms "
        };
        lines.push(format!(
            "variant {i} = block {}{terms}{}",
            variant.block,
            joined(&variant.terms, " ")
        ));
    }
    for (i, datatype) in data.datatypes.iter().enumerate() {
        lines.push(format!("type {i} = {}", spelling::datatype(datatype)));
    }
    for (i, entry) in data.communicators.iter().enumerate() {
        // The reader assumes world and self, so that hand-written programs need not list them.
        if *entry != assumed_communicator(CommId::from_index(i), data.ranks) {
            lines.push(communicator(i, entry));
        }
    }
    for (i, values) in data.tables.iter().enumerate() {
        lines.push(
            format!("table {i} = {}", joined(values, " "))
                // Empty lists would leave a blank at the end of the line, which editors remove from goldens.
                .trim_end()
                .to_string(),
        );
    }
    for (i, rows) in data.count_tables.iter().enumerate() {
        let rows = rows
            .iter()
            .map(|row| format!(" | {}", joined(row, " ")).trim_end().to_string());
        lines.push(format!("count-table {i} ={}", rows.collect::<String>()));
    }
    for (i, formula) in data.formulas.iter().enumerate() {
        let steps = formula.0.iter().map(|&step| spelling::formula_step(step));
        lines.push(format!("formula {i} = {}", joined(steps, " ")));
    }
    for (i, path) in data.call_paths.iter().enumerate() {
        lines.push(
            format!("path {i} = {}", joined(path, " "))
                .trim_end()
                .to_string(),
        );
    }
}

/// The communicator that the reader takes for granted under this number; of no use beyond self.
pub(super) fn assumed_communicator(id: CommId, ranks: u32) -> Communicator {
    let group = if id == CommId::WORLD {
        RankSet::all(ranks)
    } else {
        RankSet::default()
    };
    Communicator {
        parent: None,
        sequence: 0,
        group,
    }
}

fn communicator(number: usize, entry: &Communicator) -> String {
    let parent = entry
        .parent
        .map_or(String::new(), |parent| format!(" parent {parent}"));
    let group = if entry.group.is_empty() {
        String::new()
    } else {
        format!(" ranks {}", entry.group)
    };
    format!("comm {number}{parent} sequence {}{group}", entry.sequence)
}

fn findings(data: &ProgramData, lines: &mut Vec<String>) {
    let table = &data.table;
    lines.extend(
        data.section
            .iter()
            .map(|span| format!("section {}", place(span, table))),
    );
    for (i, assumption) in data.assumptions.iter().enumerate() {
        let outcome = match assumption.outcome {
            AssumedOutcome::Taken => "taken".to_string(),
            AssumedOutcome::NotTaken => "not-taken".to_string(),
            AssumedOutcome::Trips(count) => format!("trips {count}"),
            AssumedOutcome::Label(label) => format!("goto {label}"),
        };
        let (origin, reason) = (assumption.origin.word(), quote(&assumption.reason));
        let place = optional_place(&assumption.span, table);
        lines.push(format!(
            "assumption {i} {outcome} by {origin} {reason}{place}"
        ));
    }
    let dependent = data.time_dependent.iter();
    lines.extend(dependent.map(|place| {
        format!(
            "time-dependent site {} {}",
            place.site,
            quote(&place.reason)
        )
    }));
    for allocation in &data.allocations {
        let place = optional_place(&allocation.span, table);
        lines.push(format!(
            "allocation {} {}{place}",
            word(&allocation.name),
            quote(&allocation.expression)
        ));
    }
    let requested = data.requested_memory.iter();
    lines.extend(requested.map(|found| format!("memory {} ranks {}", found.bytes, found.ranks)));
    lines.extend(
        data.slice_share
            .iter()
            .map(|(kept, all)| format!("slice {kept} of {all}")),
    );
}

fn named(keyword: &str, text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!(" {keyword} {}", word(text))
    }
}

fn digest(digest: Digest) -> String {
    // Values that the reader assumes are left out, so that goldens stay short.
    if digest == Digest::default() {
        String::new()
    } else {
        format!(" digest {digest}")
    }
}

fn ordinal(ordinal: u32) -> String {
    if ordinal == 0 {
        String::new()
    } else {
        format!(" ordinal {ordinal}")
    }
}

fn loops(path: &[LoopId]) -> String {
    if path.is_empty() {
        String::new()
    } else {
        format!(" loops {}", joined(path, ","))
    }
}

fn optional_place(span: &SourceSpan, table: &BlockTable) -> String {
    if *span == SourceSpan::default() {
        String::new()
    } else {
        format!(" {}", place(span, table))
    }
}

/// `cg.f:120-134`, then `via FILE:LINE` for each INCLUDE and `moved FROM>TO:LENGTH` for each
/// moved range.
fn place(span: &SourceSpan, table: &BlockTable) -> String {
    let last = if span.last_line == span.first_line {
        String::new()
    } else {
        format!("-{}", span.last_line)
    };
    let mut text = format!("{}:{}{last}", file_word(span.file, table), span.first_line);
    for include in &span.included_through {
        text += &format!(" via {}:{}", file_word(include.file, table), include.line);
    }
    for (from, to, length) in &span.moved {
        text += &format!(" moved {from}>{to}:{length}");
    }
    text
}

/// The path where it names the file without doubt, otherwise `@` and the file's number.
fn file_word(file: u32, table: &BlockTable) -> String {
    let path = table
        .files
        .get(file as usize)
        .map_or("", |file| file.path.as_str());
    let first = table.files.iter().position(|other| other.path == path);
    // Two files may have the same path, and a path may be no single word; numbers serve both.
    if is_plain(path) && first == Some(file as usize) {
        path.to_string()
    } else {
        format!("@{file}")
    }
}
