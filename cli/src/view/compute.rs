//! Computation base data as a document: the blocks with their variants, first and warm times,
//! spread and number of samples.

use super::document::{ColumnStyle, Document, Section, SectionElement, Table, TableCell};
use super::{html, numbers, provenance, text as terminal};
use base_data::Time;
use base_data::compute_data::{ComputeData, ComputeEntry, Feed, PeakMemory, ProcessingUnit, Unit};
use base_data::distribution::Distribution;
use std::collections::{BTreeMap, BTreeSet};
use token_runtime::confidence::half_width_of;

/// Rows of a list that a terminal shows.
const TOP: usize = 25;

/// The report for a terminal.
pub fn text(data: &ComputeData) -> String {
    terminal::render(&document(data))
}

/// One self-contained page.
pub fn html(data: &ComputeData) -> String {
    html::page(&document(data))
}

fn document(data: &ComputeData) -> Document {
    let program = match data.provenance.program.as_str() {
        "" => "a program",
        name => name,
    };
    let sections = vec![
        overview(data),
        blocks(data),
        variants(data),
        peak_memory(data),
        provenance::section(&data.provenance),
    ];
    Document {
        title: format!("compute data of {program}"),
        sections,
    }
}

fn overview(data: &ComputeData) -> Section {
    let executions = data
        .entries
        .iter()
        .map(|entry| entry.first.count + entry.warm.count)
        .sum();
    let disturbed = data.entries.iter().map(|entry| entry.disturbed).sum();
    let unit = match data.unit {
        Unit::Time => "time",
        Unit::Statements => "executed statements",
    };
    Section::new(
        "",
        [SectionElement::facts([
            ("measured on", processing_unit(&data.pu)),
            ("unit", unit.into()),
            (
                "used",
                numbers::counted(executions, "execution", "executions"),
            ),
            (
                "discarded",
                numbers::counted(disturbed, "preempted execution", "preempted executions"),
            ),
        ])],
    )
}

fn processing_unit(pu: &ProcessingUnit) -> String {
    let model = if pu.model.is_empty() {
        "an unnamed processing unit"
    } else {
        pu.model.as_str()
    };
    let cores = match pu.cores {
        0 => String::new(),
        cores => format!(", {}", numbers::counted(u64::from(cores), "core", "cores")),
    };
    let caches: Vec<String> = pu
        .caches
        .iter()
        .map(|&bytes| numbers::memory(bytes))
        .collect();
    let caches = if caches.is_empty() {
        String::new()
    } else {
        format!(", caches of {}", caches.join(", "))
    };
    format!("{model}{cores}{caches}")
}

/// A block's entries taken together.
#[derive(Default)]
struct BlockSum<'a> {
    entries: Vec<&'a ComputeEntry>,
    first: Distribution,
    warm: Distribution,
}

impl BlockSum<'_> {
    /// Sum of all kept executions.
    fn whole(&self) -> f64 {
        self.first.mean * self.first.count as f64 + self.warm.mean * self.warm.count as f64
    }
}

const LEGEND: &str = "Means of first executions and of later, warm ones over all variants; spread is the standard \
                      deviation of warm executions relative to their mean; longest in all first.";
const INCONSISTENT_TIMES: &str = "* Times do not follow the work terms: variants computed from the others are more than 10 % off.";

fn blocks(data: &ComputeData) -> Section {
    let mut sums: BTreeMap<_, BlockSum> = BTreeMap::new();
    let merged_segments = merged_segments(data);
    for entry in &merged_segments {
        let sum = sums.entry(entry.block).or_default();
        sum.entries.push(entry);
        sum.first = sum.first.merged(&entry.first);
        sum.warm = sum.warm.merged(&entry.warm);
    }
    let mut sorted: Vec<_> = sums.into_values().collect();
    // By the whole time of a block, not by that of one execution: a short block may be executed often.
    sorted.sort_by(|a, b| b.whole().total_cmp(&a.whole()));
    let unsteady = estimator::unsteady_blocks(data);
    let rows = sorted.iter().map(|sum| {
        let [place, procedure] = named(data, sum.entries[0]);
        let sign = if unsteady.contains_key(&sum.entries[0].block) {
            " *"
        } else {
            ""
        };
        let place = TableCell {
            text: place.text + sign,
            ..place
        };
        let [first, warm] = [&sum.first, &sum.warm].map(|found| mean(data.unit, found));
        let variants = sum.entries.len() as u64;
        [
            place,
            procedure,
            first,
            warm,
            spread(&sum.warm),
            count(&sum.warm),
            TableCell::count(variants),
        ]
    });
    let columns = [
        ("where", ColumnStyle::Place),
        ("procedure", ColumnStyle::Words),
        ("first", ColumnStyle::Number),
        ("warm", ColumnStyle::Number),
        ("spread", ColumnStyle::Number),
        ("warm samples", ColumnStyle::Number),
        ("variants", ColumnStyle::Number),
    ];
    let mut legend = LEGEND.to_string();
    if !unsteady.is_empty() {
        legend = format!("{LEGEND} {INCONSISTENT_TIMES}");
    }
    Section::new(
        "blocks",
        [
            SectionElement::Table(Table::new(columns, rows).showing(TOP)),
            SectionElement::Paragraph(legend),
        ],
    )
}

/// Entries with the segments of each time series merged.
fn merged_segments(data: &ComputeData) -> Vec<ComputeEntry> {
    let mut merged: Vec<ComputeEntry> = Vec::new();
    for entry in &data.entries {
        // Segments of a series are adjacent in the file.
        match merged.last_mut() {
            Some(known) if is_same_series(known, entry) => {
                known.first = known.first.merged(&entry.first);
                known.warm = known.warm.merged(&entry.warm);
                known.disturbed += entry.disturbed;
            }
            Some(_) | None => merged.push(entry.clone()),
        }
    }
    merged
}

/// Whether two entries are segments of one rank's time series of a variant.
fn is_same_series(one: &ComputeEntry, other: &ComputeEntry) -> bool {
    let conditions =
        |entry: &ComputeEntry| (entry.block, entry.ranks_per_node, entry.threads, entry.feed);
    if conditions(one) != conditions(other) || one.terms != other.terms {
        return false;
    }
    let (Some(a), Some(b)) = (one.coordinates.first(), other.coordinates.first()) else {
        return false;
    };
    // Segments of a series follow each other by the iterations of the enclosing loops.
    (a.rank, a.ranks) == (b.rank, b.ranks) && !a.indices.is_empty() && a.indices < b.indices
}

fn variants(data: &ComputeData) -> Section {
    let merged_segments = merged_segments(data);
    let rows = merged_segments.iter().map(|entry| {
        let [place, _] = named(data, entry);
        let [first, warm] = [&entry.first, &entry.warm].map(|found| mean(data.unit, found));
        let terms: Vec<String> = entry.terms.iter().map(i64::to_string).collect();
        let conditions = format!("{} × {}", entry.ranks_per_node, entry.threads);
        let conditions = TableCell {
            text: conditions,
            key: Some(f64::from(entry.ranks_per_node)),
        };
        let feed = match entry.feed {
            Feed::All => "all",
            Feed::Echo => "echo",
            Feed::Log => "log",
        };
        [
            place,
            terms.join(", ").into(),
            ranks(data, entry),
            conditions,
            feed.into(),
            first,
            warm,
            spread(&entry.warm),
            relative_half_interval(&entry.warm),
            count(&entry.warm),
            TableCell::count(entry.disturbed),
        ]
    });
    let columns = [
        ("where", ColumnStyle::Place),
        ("terms", ColumnStyle::Words),
        ("rank", ColumnStyle::Words),
        ("K × threads", ColumnStyle::Number),
        ("data", ColumnStyle::Words),
        ("first", ColumnStyle::Number),
        ("warm", ColumnStyle::Number),
        ("spread", ColumnStyle::Number),
        ("±", ColumnStyle::Number),
        ("samples", ColumnStyle::Number),
        ("drop", ColumnStyle::Number),
    ];
    Section::new(
        "variants (terms: work terms; K: ranks per node; ±: half a 95 % interval; drop: discarded, \
        preempted)",
        [SectionElement::Table(
            Table::new(columns, rows).showing(TOP),
        )],
    )
}

/// The ranks on which a data-dependent block was measured: `3 of 8`. Empty for other blocks, whose time does not depend on the
/// rank.
fn ranks(data: &ComputeData, entry: &ComputeEntry) -> TableCell {
    match data.table.blocks.get(entry.block.index()) {
        Some(block) if block.data_dependent => {}
        Some(_) | None => return TableCell::default(),
    }
    let mut ranks = BTreeSet::new();
    for at in &entry.coordinates {
        ranks.insert((at.ranks, at.rank));
    }
    let words: Vec<String> = ranks
        .iter()
        .map(|(all, rank)| format!("{rank} of {all}"))
        .collect();
    words.join(", ").into()
}

fn named(data: &ComputeData, entry: &ComputeEntry) -> [TableCell; 2] {
    match data.table.blocks.get(entry.block.index()) {
        Some(block) => [
            data.table.place(&block.span).into(),
            block.key.procedure.as_str().into(),
        ],
        None => [format!("block {}", entry.block).into(), "".into()],
    }
}

fn mean(unit: Unit, found: &Distribution) -> TableCell {
    if found.count == 0 {
        return "-".into();
    }
    match unit {
        Unit::Time => TableCell::time(Time::from_picoseconds(found.mean.round() as i64)),
        Unit::Statements => TableCell {
            text: numbers::plain(found.mean),
            key: Some(found.mean),
        },
    }
}

fn spread(found: &Distribution) -> TableCell {
    if found.count < 2 || found.mean == 0.0 {
        return "-".into();
    }
    TableCell::share(found.standard_deviation / found.mean)
}

/// Half of the 95 % interval of the mean, relative to it.
fn relative_half_interval(found: &Distribution) -> TableCell {
    if found.count < 2 || found.mean == 0.0 {
        return "-".into();
    }
    TableCell::share(half_width_of(found) / found.mean)
}

fn count(found: &Distribution) -> TableCell {
    TableCell::count(found.count)
}

fn peak_memory(data: &ComputeData) -> Section {
    let rows = data.peak_memory.iter().map(|found| {
        [
            TableCell::ordinal(found.rank),
            TableCell::ordinal(found.ranks),
            TableCell::memory(found.bytes),
            requested_memory(data, found),
        ]
    });
    let columns = [
        ("rank", ColumnStyle::Number),
        ("of", ColumnStyle::Number),
        ("peak memory", ColumnStyle::Number),
        ("requested", ColumnStyle::Number),
    ];
    Section::new(
        "memory",
        [SectionElement::Table(Table::new(columns, rows).showing(8))],
    )
}

/// The requested memory of the same rank, if it was recorded.
fn requested_memory(data: &ComputeData, peak: &PeakMemory) -> TableCell {
    for requested in &data.requested_memory {
        if (requested.rank, requested.ranks) == (peak.rank, peak.ranks) {
            return TableCell::memory(requested.bytes);
        }
    }
    TableCell::default()
}
