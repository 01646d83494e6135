//! Program data as a document: ranks and classes, sizes of streams, executions of call sites and blocks, messages between ranks,
//! and assumptions.

use super::document::{ColumnStyle, Document, Section, SectionElement, Table, TableCell};
use super::traffic::{self, Traffic};
use super::{assumptions, html, numbers, provenance, text as terminal};
use crate::clock_dependence;
use base_data::program_data::{ProgramData, RecordMethod};
use base_data::stream;

/// Rows of a list that a terminal shows.
const TOP: usize = 20;

/// The report for a terminal.
pub fn text(data: &ProgramData) -> String {
    clock_dependence::with_note(data, terminal::render(&document(data)))
}

/// One self-contained page.
pub fn html(data: &ProgramData) -> String {
    let mut document = document(data);
    let note = data.clock_note().map(SectionElement::Paragraph);
    // First, as in the text: what follows may not be valid under another MPI library.
    document.sections.insert(0, Section::new("", note));
    html::page(&document)
}

fn document(data: &ProgramData) -> Document {
    let traffic = traffic::of(data);
    let mut sections = vec![
        overview(data),
        assumptions::section(&data.table, &data.assumptions),
    ];
    sections.push(time_dependent(data));
    sections.push(classes(data));
    sections.extend(activity_sections(data, &traffic));
    sections.extend([
        pairs(&traffic),
        allocations(data),
        requested(data),
        provenance::section(&data.provenance),
    ]);
    let ranks = numbers::ranks(data.ranks);
    Document {
        title: format!("program data of {} on {ranks}", program_name(data)),
        sections,
    }
}

fn program_name(data: &ProgramData) -> &str {
    match data.provenance.program.as_str() {
        "" => "a program",
        name => name,
    }
}

/// Call sites and blocks by number of executions; also for an observed run.
pub fn activity_sections(data: &ProgramData, traffic: &Traffic) -> [Section; 2] {
    [call_sites(data, traffic), blocks(data, traffic)]
}

fn overview(data: &ProgramData) -> Section {
    let section = if data.section.is_some() {
        crate::section::of_program(data)
    } else {
        "the whole run".into()
    };
    let share = data.slice_share.map_or(String::new(), |(kept, all)| {
        let share = if all == 0 {
            0.0
        } else {
            kept as f64 / all as f64
        };
        format!(
            "keeps {kept} of {all} executable statements ({})",
            numbers::percent(share)
        )
    });
    // The first two are the world and self.
    let communicators = match data.communicators.len().saturating_sub(2) {
        0 => "world and self".into(),
        made => format!("world, self and {made} made by the program"),
    };
    Section::new(
        "",
        [SectionElement::facts([
            ("recorded", method(data.method).into()),
            ("section", section),
            ("slice", share),
            ("communicators", communicators),
        ])],
    )
}

fn method(method: RecordMethod) -> &'static str {
    match method {
        RecordMethod::Sliced => "from the sliced program, all ranks",
        RecordMethod::Unsliced => "from the whole program, all ranks",
        RecordMethod::Virtual => "from the sliced program, rank by rank",
        RecordMethod::Given => "no: written by hand or converted",
    }
}

fn time_dependent(data: &ProgramData) -> Section {
    // The note in the first line contains this place already.
    let noted = data.clock_outside();
    let found = data
        .time_dependent
        .iter()
        .filter(|&place| Some(place) != noted);
    let places =
        found.map(|place| format!("{}: {}", data.table.site_place(place.site), place.reason));
    let warning = "The order of the calls at these places may differ between machines:";
    let list: Vec<String> = places.collect();
    let lead = if list.is_empty() {
        String::new()
    } else {
        warning.into()
    };
    Section::new(
        "nondeterministic places",
        [SectionElement::Paragraph(lead), SectionElement::List(list)],
    )
}

fn classes(data: &ProgramData) -> Section {
    let rows = data.classes.iter().map(|class| {
        let (stored, expanded) = (class.stream.len() as u64, stream::expanded(&class.stream));
        [
            TableCell::from(class.ranks.to_string()),
            TableCell::count(class.ranks.len() as u64),
            TableCell::count(stored),
            TableCell::count(expanded),
            TableCell::from(format!("{:.1}", expanded as f64 / stored.max(1) as f64)),
        ]
    });
    let columns = [
        ("class", ColumnStyle::Words),
        ("ranks", ColumnStyle::Number),
        ("events stored", ColumnStyle::Number),
        ("events of a rank", ColumnStyle::Number),
        ("ratio", ColumnStyle::Number),
    ];
    Section::new(
        "rank classes",
        [SectionElement::Table(
            Table::new(columns, rows).showing(TOP),
        )],
    )
}

fn call_sites(data: &ProgramData, traffic: &Traffic) -> Section {
    let rows = traffic.sites.iter().map(|(id, found)| {
        let site = data.table.call_sites.get(id.index());
        [
            TableCell::from(data.table.site_place(*id)),
            site.map_or("", |site| site.function.as_str()).into(),
            site.map_or("", |site| site.procedure.as_str()).into(),
            TableCell::count(found.calls),
            TableCell::count(u64::from(found.ranks)),
            TableCell::bytes(found.bytes),
        ]
    });
    let columns = [
        ("where", ColumnStyle::Place),
        ("function", ColumnStyle::Words),
        ("procedure", ColumnStyle::Words),
        ("calls", ColumnStyle::Number),
        ("ranks", ColumnStyle::Number),
        ("bytes passed", ColumnStyle::Number),
    ];
    Section::new(
        "call sites",
        [SectionElement::Table(
            Table::new(columns, rows).showing(2 * TOP),
        )],
    )
}

fn blocks(data: &ProgramData, traffic: &Traffic) -> Section {
    let rows = traffic.blocks.iter().map(|(id, found)| {
        let block = data.table.blocks.get(id.index());
        [
            block
                .map_or(format!("block {id}"), |block| data.table.place(&block.span))
                .into(),
            block
                .map_or("", |block| block.key.procedure.as_str())
                .into(),
            TableCell::count(found.executions),
            TableCell::count(found.variants.len() as u64),
        ]
    });
    let columns = [
        ("where", ColumnStyle::Place),
        ("procedure", ColumnStyle::Words),
        ("executions", ColumnStyle::Number),
        ("variants", ColumnStyle::Number),
    ];
    Section::new(
        "compute blocks",
        [SectionElement::Table(
            Table::new(columns, rows).showing(2 * TOP),
        )],
    )
}

fn pairs(traffic: &Traffic) -> Section {
    let mut sorted: Vec<_> = traffic.pairs.iter().collect();
    sorted.sort_by_key(|(pair, messages)| (std::cmp::Reverse(messages.bytes), **pair));
    let rows = sorted.iter().map(|&(&(sender, receiver), messages)| {
        [
            TableCell::ordinal(sender),
            TableCell::ordinal(receiver),
            TableCell::count(messages.count),
            TableCell::bytes(messages.bytes),
            TableCell::bytes(messages.bytes / messages.count.max(1)),
        ]
    });
    let columns = [
        ("from rank", ColumnStyle::Number),
        ("to rank", ColumnStyle::Number),
        ("messages", ColumnStyle::Number),
        ("bytes", ColumnStyle::Number),
        ("mean message", ColumnStyle::Number),
    ];
    let table = Table::new(columns, rows).showing(8);
    Section::new(
        "messages between ranks",
        [
            SectionElement::Paragraph(pairs_summary(traffic)),
            SectionElement::Table(table),
        ],
    )
}

fn pairs_summary(traffic: &Traffic) -> String {
    if traffic.pairs.is_empty() {
        return String::new();
    }
    let sum = |of: fn(&traffic::Messages) -> u64| {
        traffic.pairs.values().map(of).fold(0, u64::saturating_add)
    };
    let bytes = sum(|messages| messages.bytes);
    let extremes = traffic.pairs.values().map(|messages| messages.bytes);
    let (least, most) = (
        extremes.clone().min().unwrap_or(0),
        extremes.max().unwrap_or(0),
    );
    let per_pair = if least == most {
        numbers::bytes(most)
    } else {
        format!("{} to {}", numbers::bytes(least), numbers::bytes(most))
    };
    format!(
        "{} in {} between {}: {per_pair} per pair, collectives not counted",
        numbers::bytes(bytes),
        numbers::counted(sum(|messages| messages.count), "message", "messages"),
        numbers::counted(traffic.pairs.len() as u64, "ordered pair", "ordered pairs"),
    )
}

/// Requested memory, in descending order.
fn requested(data: &ProgramData) -> Section {
    let mut sorted: Vec<_> = data.requested_memory.iter().collect();
    sorted.sort_by_key(|found| std::cmp::Reverse(found.bytes));
    let rows = sorted.iter().map(|found| {
        [
            found.ranks.to_string().into(),
            TableCell::memory(found.bytes),
        ]
    });
    let columns = [
        ("ranks", ColumnStyle::Words),
        ("requested memory", ColumnStyle::Number),
    ];
    Section::new(
        "memory",
        [SectionElement::Table(
            Table::new(columns, rows).showing(TOP),
        )],
    )
}

fn allocations(data: &ProgramData) -> Section {
    let rows = data.allocations.iter().map(|found| {
        [
            TableCell::from(data.table.place(&found.span)),
            found.name.as_str().into(),
            match found.expression.as_str() {
                "" => "data-dependent".into(),
                expression => expression.into(),
            },
        ]
    });
    let columns = [
        ("where", ColumnStyle::Place),
        ("array", ColumnStyle::Words),
        ("bytes", ColumnStyle::Words),
    ];
    Section::new(
        "allocations",
        [SectionElement::Table(
            Table::new(columns, rows).showing(TOP),
        )],
    )
}
