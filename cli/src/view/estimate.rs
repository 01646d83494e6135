//! An estimate as a document: assumptions above the time, the time with its interval, then its split. The sections are public to
//! the HTML page, which inserts drawings between them. An estimate in statements shows statements by rank and no messages.

use super::breakdown::{self, ActivityTime, OverRanks};
use super::document::{ColumnStyle, Document, Section, SectionElement, Table, TableCell};
use super::{assumptions, explanation, numbers, provenance, text as terminal};
use crate::clock_dependence;
use base_data::Time;
use base_data::block_table::BlockTable;
use base_data::compute_data::Unit;
use base_data::estimate_file::{Activity, Category, Estimate, IntervalSource, RankTime};
use base_data::program_data::{ProgramData, RecordMethod};
use estimator::NOT_IN_INTERVAL;

/// Blocks, and call sites, that a terminal shows.
const TOP: usize = 12;
/// Ranks that a terminal shows.
const TOP_RANKS: usize = 32;

/// Rows of blocks, and of call sites, in the short report.
const TOP_IN_SUMMARY: usize = 3;

/// How much of an estimate the text report shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// One screen: the time, its split, the largest blocks and call sites, all warnings.
    Summary,
    /// Every table.
    Full,
}

/// The report for a terminal.
pub fn text(estimate: &Estimate, detail: Detail) -> String {
    let document = match detail {
        Detail::Summary => summary(estimate),
        Detail::Full => document(estimate),
    };
    clock_dependence::with_note(&estimate.program, terminal::render(&document))
}

/// The report on one screen. An estimate in statements has no categories, so it shows its statements by rank.
fn summary(estimate: &Estimate) -> Document {
    let split = match estimate.unit {
        Unit::Time => categories(estimate),
        Unit::Statements => statements(estimate),
    };
    let sections = vec![
        assumptions::section(&estimate.program.table, &estimate.assumptions),
        headline_in_summary(estimate),
        warnings(estimate),
        split,
        blocks(estimate).showing(TOP_IN_SUMMARY),
        call_sites(estimate).showing(TOP_IN_SUMMARY),
    ];
    Document {
        title: title(estimate),
        sections,
    }
}

/// The time, its section, and the share of it that is extrapolated.
fn headline_in_summary(estimate: &Estimate) -> Section {
    let mut facts = vec![
        ("section", crate::section::of_program(&estimate.program)),
        ("without noise", without_noise_if_different(estimate)),
    ];
    if estimate.extrapolated_share > 0.0 {
        facts.push(("extrapolated", extrapolated(estimate)));
    }
    facts.push(("method", estimate.provenance.method.clone()));
    facts.push(("slice", assumptions::slice_share(estimate)));
    Section::new(
        headline_words(estimate),
        [SectionElement::list_of_facts(facts)],
    )
}

/// Every table, without drawings.
pub fn document(estimate: &Estimate) -> Document {
    let over_ranks = match estimate.unit {
        Unit::Time => categories(estimate),
        Unit::Statements => statements(estimate),
    };
    let mut sections = vec![
        assumptions::section(&estimate.program.table, &estimate.assumptions),
        headline(estimate),
        warnings(estimate),
        over_ranks,
        blocks(estimate),
        call_sites(estimate),
    ];
    sections.extend(explanation::sections(estimate));
    sections.extend([
        clock_intervals(estimate),
        provenance::section(&estimate.provenance),
    ]);
    Document {
        title: title(estimate),
        sections,
    }
}

/// The note on clock-dependent control flow for a page; a terminal shows it in the first line.
pub fn clock_note(estimate: &Estimate) -> Section {
    Section::new(
        "",
        estimate.program.clock_note().map(SectionElement::Paragraph),
    )
}

/// `cg on 16 ranks of fast-ethernet (model loggps)`.
pub fn title(estimate: &Estimate) -> String {
    let program = match estimate.provenance.program.as_str() {
        "" => "program",
        name => name,
    };
    let ranks = numbers::ranks(estimate.ranks);
    match (estimate.platform.as_str(), estimate.model.as_str()) {
        ("", _) => format!("{program} on {ranks}"),
        (platform, "") => format!("{program} on {ranks} of {platform}"),
        (platform, model) => format!("{program} on {ranks} of {platform} (model {model})"),
    }
}

/// The part of the headline after the time: `80 % between 1.201 s and 1.312 s, 21 draws`.
pub fn interval(estimate: &Estimate) -> String {
    let bounds = match estimate.draws {
        0 | 1 if has_interval(estimate) => {
            let [low, high] =
                [estimate.p10, estimate.p90].map(|time| numbers::amount(estimate.unit, time));
            format!("80 % between {low} and {high}, no draws")
        }
        0 if estimate.program.random_calls().is_some() => {
            "one sample of random calls with mean values, no interval".into()
        }
        0 => "mean values, no interval".into(),
        1 => "one draw, no interval".into(),
        _ if is_communication_only(estimate) => "no interval: computation is not predicted".into(),
        _ if !has_interval(estimate) => "no interval: no variation was measured".into(),
        draws => {
            let [low, high] =
                [estimate.p10, estimate.p90].map(|time| numbers::amount(estimate.unit, time));
            // Two equal numbers would claim a precision that an unknown network does not have.
            if low == high && !knows_network_error(estimate) {
                return "interval not known: the network's parameters have no error estimate"
                    .into();
            }
            let only = if assumptions::bounds(estimate).is_empty() {
                ""
            } else {
                " for the assumed \
                trip counts"
            };
            format!("80 % between {low} and {high}{only}, {draws} draws")
        }
    };
    if is_communication_only(estimate) {
        format!("communication only; {bounds}")
    } else {
        bounds
    }
}

/// Whether the error of the network's parameters is in the interval. Estimates in statements have no network.
fn knows_network_error(estimate: &Estimate) -> bool {
    let is_network = |source: &IntervalSource| source.name == "calibration";
    estimate.unit == Unit::Statements || estimate.sources.iter().any(is_network)
}

/// Whether the percentiles are an interval: not if nothing varies between draws, nor if computation is not predicted. Without
/// draws it is that of sampled tasks.
pub fn has_interval(estimate: &Estimate) -> bool {
    let is_known = estimate.draws > 1 || !estimate.sources.is_empty();
    is_known && estimate.p10 < estimate.p90 && !is_communication_only(estimate)
}

/// Whether computation is unknown and therefore not predicted.
pub fn is_communication_only(estimate: &Estimate) -> bool {
    let computes = |rank: &RankTime| rank.split[Category::Compute.index()] > Time::ZERO;
    // Tables are those of one sample, but samples of a meta-program contain all of its computation.
    let is_sampled = |source: &IntervalSource| source.name == IntervalSource::RANDOM_CALLS;
    estimate.unit == Unit::Time
        && !estimate.sources.iter().any(is_sampled)
        && estimate.program.variants.is_empty()
        && !estimate.per_rank.iter().any(computes)
}

/// Name of the predicted quantity.
pub fn what(unit: Unit) -> &'static str {
    match unit {
        Unit::Time => "predicted time",
        Unit::Statements => "predicted statements",
    }
}

/// `predicted time  3.054 s   (80 % between 3.051 s and 3.060 s, 21 draws)`.
fn headline_words(estimate: &Estimate) -> String {
    let what = what(estimate.unit);
    let amount = numbers::amount(estimate.unit, estimate.headline);
    format!(
        "{what}  {}{amount}   ({})",
        assumptions::bounds(estimate),
        interval(estimate)
    )
}

fn headline(estimate: &Estimate) -> Section {
    let facts = SectionElement::facts([
        ("section", crate::section::of_program(&estimate.program)),
        ("without noise", without_noise(estimate)),
        ("interval contributions", interval_contributions(estimate)),
        ("extrapolated", extrapolated(estimate)),
        ("replayed", replayed(estimate)),
        ("slice", assumptions::slice_share(estimate)),
    ]);
    Section::new(headline_words(estimate), [facts])
}

/// The total of the replay with mean times, to which all tables refer, where it reads differently from the predicted time.
fn without_noise_if_different(estimate: &Estimate) -> String {
    let amount = |time| numbers::amount(estimate.unit, time);
    let is_predicted = |time| amount(time) == amount(estimate.headline);
    if estimate.without_noise().is_none_or(is_predicted) {
        return String::new();
    }
    without_noise(estimate)
}

/// The total of the replay with mean times, beside the mean of the draws. Noise makes a run longer if ranks wait for the slowest
/// of them, and the longest rank has more if it is not known which of them has much of the data.
pub fn without_noise(estimate: &Estimate) -> String {
    match estimate.without_noise() {
        // Without draws the predicted time is this total.
        Some(length) if estimate.draws > 0 && length > Time::ZERO => {
            let amount = numbers::amount(estimate.unit, length);
            let what = match estimate.unit {
                Unit::Time => "time",
                Unit::Statements => "number",
            };
            format!(
                "{amount}; all tables refer to this {what}{}",
                outside_note(estimate, length)
            )
        }
        _ => String::new(),
    }
}

/// The reason for a total with mean times outside the interval, if it is.
fn outside_note(estimate: &Estimate, length: Time) -> &'static str {
    let is_below = estimate.draws > 1 && length < estimate.p10;
    let is_above = estimate.draws > 1 && length > estimate.p90;
    match estimate.unit {
        Unit::Time if is_below => {
            "; it is below the interval, since noise makes ranks wait for each other"
        }
        Unit::Statements if is_below => {
            "; it is below the interval, since the longest rank executes more than its mean"
        }
        _ if is_above => {
            "; it is above the interval, since rare long executions raise the mean, and few draws contain them"
        }
        Unit::Time | Unit::Statements => "",
    }
}

fn interval_contributions(estimate: &Estimate) -> String {
    let amount = |width| numbers::amount(estimate.unit, width);
    let sources = estimate
        .sources
        .iter()
        .map(|source| format!("{} {}", source.name, amount(source.width)));
    sources.collect::<Vec<_>>().join(", ")
}

/// The share of the compute time without measurements, as a sentence.
pub fn extrapolated(estimate: &Estimate) -> String {
    let ProgramData {
        method, variants, ..
    } = &estimate.program;
    if *method == RecordMethod::Unsliced && variants.is_empty() {
        return "unknown: no block of the program was measured".into();
    }
    if estimate.extrapolated_share == 0.0 {
        return "none".into();
    }
    let share = numbers::percent(estimate.extrapolated_share);
    let whole = match estimate.unit {
        Unit::Time => "the compute time is",
        Unit::Statements => "the statements are",
    };
    format!("{share} of {whole} in blocks, variants, ranks or executions that were not measured")
}

/// Messages and events behind the estimate.
pub fn replayed(estimate: &Estimate) -> String {
    match (estimate.replayed_messages, estimate.replayed_events) {
        (0, 0) => String::new(),
        (messages, events) => format!(
            "{}, {}",
            numbers::counted(messages, "message", "messages"),
            numbers::counted(events, "event", "events")
        ),
    }
}

/// The warnings of the estimate.
pub fn warnings(estimate: &Estimate) -> Section {
    // The note in the first line contains this reason already.
    let noted = estimate
        .program
        .clock_outside()
        .map(|place| place.reason.as_str());
    let is_new = |warning: &&String| noted.is_none_or(|reason| !warning.contains(reason));
    let has_interval = has_interval(estimate);
    let is_relevant = |warning: &&String| has_interval || !warning.starts_with(NOT_IN_INTERVAL);
    let shown = estimate.warnings.iter().filter(is_new).filter(is_relevant);
    Section::new("warnings", [SectionElement::List(shown.cloned().collect())])
}

/// Contributions to the interval.
pub fn sources(estimate: &Estimate) -> Section {
    let rows = estimate.sources.iter().map(|source| {
        [
            source.name.as_str().into(),
            TableCell::amount(estimate.unit, source.width),
            TableCell::share(numbers::share(source.width, estimate.headline)),
        ]
    });
    let columns = [
        ("source", ColumnStyle::Words),
        (
            "10th to 90th percentile, this source alone",
            ColumnStyle::Number,
        ),
        ("of the predicted time", ColumnStyle::Share),
    ];
    Section::new(
        "interval contributions",
        [SectionElement::Table(Table::new(columns, rows))],
    )
}

/// Time per category with its extremes over the ranks.
pub fn categories(estimate: &Estimate) -> Section {
    let split = breakdown::categories(estimate);
    let rows = split
        .iter()
        .map(|found| over_ranks_row(found.category.label(), Some(found.share), found.time));
    let sum = breakdown::rank_times(estimate).map(|time| over_ranks_row("rank time", None, time));
    Section::new(
        "time by category",
        [SectionElement::Table(Table::new(
            OVER_RANKS_COLUMNS,
            rows.chain(sum),
        ))],
    )
}

/// Columns of [`over_ranks_row`].
pub(super) const OVER_RANKS_COLUMNS: [(&str, ColumnStyle); 5] = [
    ("category", ColumnStyle::Words),
    ("share", ColumnStyle::Share),
    ("mean", ColumnStyle::Number),
    ("least (rank)", ColumnStyle::Number),
    ("most (rank)", ColumnStyle::Number),
];

/// A category's time over the ranks.
pub(super) fn over_ranks_row(name: &str, share: Option<f64>, time: OverRanks) -> [TableCell; 5] {
    let share = share.map_or(TableCell::default(), TableCell::share);
    let [smallest, largest] = [time.smallest, time.largest].map(|found| on_rank(Unit::Time, found));
    [
        name.into(),
        share,
        TableCell::time(time.mean),
        smallest,
        largest,
    ]
}

/// `372.7 ms (5)`: a time, or a number of statements, and the rank that has it.
fn on_rank(unit: Unit, (time, rank): (Time, u32)) -> TableCell {
    let amount = TableCell::amount(unit, time);
    TableCell {
        text: format!("{} ({rank})", amount.text),
        ..amount
    }
}

/// Statements in compute blocks, rank by rank.
fn statements(estimate: &Estimate) -> Section {
    let rows = estimate.per_rank.iter().zip(0u32..).map(|(times, rank)| {
        [
            TableCell::ordinal(rank),
            TableCell::amount(Unit::Statements, times.time()),
        ]
    });
    let columns = [
        ("rank", ColumnStyle::Number),
        ("statements", ColumnStyle::Number),
    ];
    Section::new(
        "statements in compute blocks",
        [SectionElement::Table(
            Table::new(columns, rows).showing(TOP_RANKS),
        )],
    )
}

/// Compute blocks by time.
pub fn blocks(estimate: &Estimate) -> Section {
    let found = breakdown::activities(estimate);
    let rows = found.iter().filter_map(|row| match row.activity {
        Activity::Block(_) => Some(activity_row(estimate, row)),
        Activity::Site(_) => None,
    });
    let rows = rows.map(
        |(place, procedure, _, [share, mean, largest, executions])| {
            [share, mean, largest, executions, place, procedure]
        },
    );
    let columns = [
        ("share", ColumnStyle::Share),
        ("mean", ColumnStyle::Number),
        ("most (rank)", ColumnStyle::Number),
        ("executions", ColumnStyle::Number),
        ("where", ColumnStyle::Place),
        ("procedure", ColumnStyle::Words),
    ];
    let mut parts = vec![SectionElement::Table(
        Table::new(columns, rows).showing(TOP),
    )];
    if !estimate.unsteady_blocks.is_empty() {
        parts.push(SectionElement::Paragraph(INCONSISTENT_TIMES.into()));
    }
    Section::new("compute blocks", parts)
}

/// Meaning of the mark after a place.
const INCONSISTENT_TIMES: &str = "* This block's time may be far off: its measured times do not \
    follow its work terms.";

/// The place of a block or call site, with a mark if a block's times do not follow its work terms.
pub fn marked_place(estimate: &Estimate, activity: Activity) -> String {
    let place = name(&estimate.program.table, activity).place;
    let is_unsteady = |id| estimate.unsteady_blocks.contains(&id);
    match activity {
        Activity::Block(id) if is_unsteady(id) => place + " *",
        Activity::Block(_) | Activity::Site(_) => place,
    }
}

/// Call sites by time.
pub fn call_sites(estimate: &Estimate) -> Section {
    let found = breakdown::activities(estimate);
    let rows = found.iter().filter_map(|row| match row.activity {
        Activity::Block(_) => None,
        Activity::Site(_) => Some((row.mostly, activity_row(estimate, row))),
    });
    let rows = rows.map(
        |(mostly, (place, _, function, [share, mean, largest, executions]))| {
            [
                share,
                mean,
                largest,
                executions,
                place,
                function,
                mostly.label().into(),
            ]
        },
    );
    let columns = [
        ("share", ColumnStyle::Share),
        ("mean", ColumnStyle::Number),
        ("most (rank)", ColumnStyle::Number),
        ("calls", ColumnStyle::Number),
        ("where", ColumnStyle::Place),
        ("function", ColumnStyle::Words),
        ("mostly", ColumnStyle::Words),
    ];
    Section::new(
        "call sites",
        [SectionElement::Table(
            Table::new(columns, rows).showing(TOP),
        )],
    )
}

/// Place, procedure, function and numbers of a block or call site.
fn activity_row(
    estimate: &Estimate,
    row: &ActivityTime,
) -> (TableCell, TableCell, TableCell, [TableCell; 4]) {
    let (named, unit) = (name(&estimate.program.table, row.activity), estimate.unit);
    let mean = TableCell::amount(unit, row.mean);
    let largest = row
        .largest
        .map_or_else(|| "-".into(), |found| on_rank(unit, found));
    let numbers = [
        TableCell::share(row.share),
        mean,
        largest,
        TableCell::count(row.executions),
    ];
    (
        marked_place(estimate, row.activity).into(),
        named.procedure.into(),
        named.function.into(),
        numbers,
    )
}

/// Names of a block or call site.
pub struct ActivityName {
    /// `cg.f:120-134`.
    pub place: String,
    /// Empty where it is not known.
    pub procedure: String,
    /// `MPI_Send`; `compute block` for a block.
    pub function: String,
}

/// The name of a block or call site; its number where the table lacks it.
pub fn name(table: &BlockTable, activity: Activity) -> ActivityName {
    match activity {
        Activity::Block(id) => match table.blocks.get(id.index()) {
            Some(block) => ActivityName {
                place: table.place(&block.span),
                procedure: block.key.procedure.clone(),
                function: format!("{} block", block.kind),
            },
            None => ActivityName {
                place: format!("block {id}"),
                procedure: "".into(),
                function: "block".into(),
            },
        },
        Activity::Site(id) => {
            let site = table.call_sites.get(id.index());
            ActivityName {
                place: table.site_place(id),
                procedure: site.map_or(String::new(), |site| site.procedure.clone()),
                function: site.map_or("call".into(), |site| site.function.clone()),
            }
        }
    }
}

/// Times between reads of the program's own clock.
pub fn clock_intervals(estimate: &Estimate) -> Section {
    let rows = estimate.clock_intervals.iter().map(|interval| {
        [
            estimate.program.table.site_place(interval.from).into(),
            estimate.program.table.site_place(interval.to).into(),
            TableCell::amount(estimate.unit, interval.rank_zero),
            TableCell::amount(estimate.unit, interval.longest),
        ]
    });
    let columns = [
        ("from", ColumnStyle::Place),
        ("to", ColumnStyle::Place),
        ("on rank 0", ColumnStyle::Number),
        ("longest on a rank", ColumnStyle::Number),
    ];
    Section::new(
        "intervals between MPI_Wtime calls",
        [SectionElement::Table(
            Table::new(columns, rows).showing(TOP),
        )],
    )
}

/// All ranks one by one; the HTML page's words for its bars.
pub fn ranks(estimate: &Estimate) -> Section {
    let rows = estimate.per_rank.iter().zip(0u32..).map(|(times, rank)| {
        let split = times.split.map(TableCell::time);
        let mut row = vec![TableCell::ordinal(rank), TableCell::time(times.time())];
        row.extend(split);
        row
    });
    let mut columns = vec![("rank", ColumnStyle::Number), ("time", ColumnStyle::Number)];
    columns.extend(Category::ALL.map(|category| (category.label(), ColumnStyle::Number)));
    let table = Table::of_rows(columns, rows.collect());
    Section::new("time by rank", [SectionElement::Table(table)])
}

/// The latest end of a rank's section or timeline.
pub fn last_end(estimate: &Estimate) -> Time {
    let ends = estimate.per_rank.iter().map(|rank| rank.end);
    let drawn = estimate
        .timeline
        .ranks
        .iter()
        .filter_map(|rank| rank.last())
        .map(|segment| segment.end);
    ends.chain(drawn).max().unwrap_or(Time::ZERO)
}
