//! The tables of a comparison: kinds of time, call sites, computation between calls, blocks, ranks.

use super::super::document::{ColumnStyle, Section, SectionElement, Table, TableCell};
use super::super::numbers;
use base_data::Time;
use base_data::compute_data::Unit;
use estimator::comparison::{ComponentDifference, Named, RankTimes, TimeComponent, Times};

/// Rows of a table that a terminal shows.
const TOP: usize = 12;
/// Ranks that a terminal shows.
const TOP_RANKS: usize = 32;

/// All tables; those without rows are not drawn.
pub fn sections(times: &Times) -> Vec<Section> {
    vec![
        kinds(times),
        calls(times),
        gaps(times),
        blocks(times),
        ranks(times),
    ]
}

/// An amount with its sign.
pub fn signed(unit: Unit, time: Time) -> String {
    let sign = if time > Time::ZERO { "+" } else { "" };
    format!("{sign}{}", numbers::amount(unit, time))
}

/// `+12.5 %`; what is too small for that without a sign.
pub fn signed_percent(share: f64) -> String {
    let percent = numbers::percent(share);
    let sign = if share > 0.0 && !percent.starts_with('<') {
        "+"
    } else {
        ""
    };
    format!("{sign}{percent}")
}

/// The main cause of the difference: the kind of time that differs most, and the place with the largest difference.
pub fn mostly(times: &Times) -> String {
    let Some(kind_of_time) = times.parts.iter().max_by_key(|part| size(part)) else {
        return String::new();
    };
    if kind_of_time.difference == Time::ZERO {
        return String::new();
    }
    let places = match kind_of_time.what {
        TimeComponent::Calls => &times.calls,
        TimeComponent::Computing if times.blocks.is_empty() => &times.gaps,
        TimeComponent::Computing => &times.blocks,
        TimeComponent::Waiting
        | TimeComponent::Call { .. }
        | TimeComponent::Gap { .. }
        | TimeComponent::Block { .. }
        | TimeComponent::BesideBlocks => {
            return part_text(times.unit, kind_of_time);
        }
    };
    match places.first() {
        Some(place) => format!(
            "{}; of it {}",
            part_text(times.unit, kind_of_time),
            part_text(times.unit, place)
        ),
        None => part_text(times.unit, kind_of_time),
    }
}

fn size(part: &ComponentDifference) -> u64 {
    part.difference.picoseconds().unsigned_abs()
}

/// `between cg.f:140 MPI_Sendrecv and cg.f:171 MPI_Allreduce +60.00 us (52.4 %)`.
fn part_text(unit: Unit, part: &ComponentDifference) -> String {
    let (at, to) = names(&part.what);
    let name = match &part.what {
        TimeComponent::Gap { .. } => format!("between {} and {}", end(at), end(to)),
        TimeComponent::Call { .. } | TimeComponent::Block { .. } => format!("at {}", end(at)),
        TimeComponent::Computing
        | TimeComponent::Waiting
        | TimeComponent::Calls
        | TimeComponent::BesideBlocks => kind(&part.what).into(),
    };
    let share = part.share.map_or(String::new(), |share| {
        format!(" ({})", numbers::percent(share))
    });
    format!("{name} {}{share}", signed(unit, part.difference))
}

/// Explains shares below 0 % and above 100 %, if there are any.
fn sign_note(times: &Times) -> String {
    let is_opposite = |part: &ComponentDifference| part.share.is_some_and(|share| share < 0.0);
    if times.parts.iter().any(is_opposite) {
        "Some parts have opposite signs: shares below 0 % and above 100 % cancel.".into()
    } else {
        String::new()
    }
}

fn kinds(times: &Times) -> Section {
    let rows = times
        .parts
        .iter()
        .map(|part| with_times([kind(&part.what).into()], times.unit, part));
    let columns = with_time_columns([("mean of ranks", ColumnStyle::Words)]);
    let table = Table::of_rows(columns, rows.collect());
    Section::new(
        "difference by category",
        [
            SectionElement::Table(table),
            SectionElement::Paragraph(sign_note(times)),
        ],
    )
}

fn kind(what: &TimeComponent) -> &'static str {
    match what {
        TimeComponent::Computing => "computation",
        TimeComponent::Waiting => "waiting for a processor",
        TimeComponent::Calls | TimeComponent::Call { .. } => "in MPI",
        TimeComponent::Gap { .. } => "between calls",
        TimeComponent::Block { .. } => "in a block",
        TimeComponent::BesideBlocks => "outside blocks",
    }
}

fn calls(times: &Times) -> Section {
    let rows = times.calls.iter().map(|part| {
        let named = names(&part.what).0;
        let names = [named.place.into(), named.function.into(), executions(part)];
        with_times(names, times.unit, part)
    });
    let columns = with_time_columns([
        ("where", ColumnStyle::Place),
        ("function", ColumnStyle::Words),
        ("calls", ColumnStyle::Number),
    ]);
    places("in MPI, by call site", columns, rows.collect())
}

fn gaps(times: &Times) -> Section {
    let rows = times.gaps.iter().map(|part| {
        let (from, to) = names(&part.what);
        with_times(
            [end(from).into(), end(to).into(), executions(part)],
            times.unit,
            part,
        )
    });
    let columns = with_time_columns([
        ("from", ColumnStyle::Place),
        ("to", ColumnStyle::Place),
        ("times", ColumnStyle::Number),
    ]);
    places("computation between calls", columns, rows.collect())
}

fn blocks(times: &Times) -> Section {
    let rows = times.blocks.iter().map(|part| {
        let named = names(&part.what).0;
        let place = if named.place.is_empty() {
            kind(&part.what).into()
        } else {
            named.place
        };
        let executions = if part.what == TimeComponent::BesideBlocks {
            TableCell::default()
        } else {
            executions(part)
        };
        with_times(
            [place.into(), named.procedure.into(), executions],
            times.unit,
            part,
        )
    });
    let columns = with_time_columns([
        ("where", ColumnStyle::Place),
        ("procedure", ColumnStyle::Words),
        ("executions", ColumnStyle::Number),
    ]);
    places("computation, by block", columns, rows.collect())
}

fn places(
    heading: &str,
    columns: Vec<(&'static str, ColumnStyle)>,
    rows: Vec<Vec<TableCell>>,
) -> Section {
    Section::new(
        heading,
        [SectionElement::Table(
            Table::of_rows(columns, rows).showing(TOP),
        )],
    )
}

/// `cg.f:140 MPI_Send`.
fn end(named: Named) -> String {
    match named.place.as_str() {
        "" => named.function,
        place => format!("{place} {}", named.function),
    }
}

/// Names of the place of a part: two for computation between calls.
fn names(what: &TimeComponent) -> (Named, Named) {
    match what {
        TimeComponent::Call { at } | TimeComponent::Block { at } => (at.clone(), Named::default()),
        TimeComponent::Gap { from, to } => (from.clone(), to.clone()),
        TimeComponent::Computing
        | TimeComponent::Waiting
        | TimeComponent::Calls
        | TimeComponent::BesideBlocks => Default::default(),
    }
}

/// Executions on both sides; one number if they are equal.
fn executions(part: &ComponentDifference) -> TableCell {
    let number = part.executions;
    if number.a == number.b {
        return TableCell::count(number.a);
    }
    TableCell {
        text: format!("{}/{}", numbers::count(number.a), numbers::count(number.b)),
        key: Some(number.a as f64),
    }
}

fn with_time_columns<const N: usize>(
    columns: [(&'static str, ColumnStyle); N],
) -> Vec<(&'static str, ColumnStyle)> {
    let times = [
        ("A", ColumnStyle::Number),
        ("B", ColumnStyle::Number),
        ("difference", ColumnStyle::Number),
        ("share of difference", ColumnStyle::Share),
    ];
    columns.into_iter().chain(times).collect()
}

fn with_times<const N: usize>(
    names: [TableCell; N],
    unit: Unit,
    part: &ComponentDifference,
) -> Vec<TableCell> {
    let times = [
        TableCell::amount(unit, part.mean.a),
        TableCell::amount(unit, part.mean.b),
        difference(unit, part.difference),
        part.share.map_or_else(TableCell::default, TableCell::share),
    ];
    names.into_iter().chain(times).collect()
}

fn difference(unit: Unit, time: Time) -> TableCell {
    TableCell {
        text: signed(unit, time),
        key: Some(time.picoseconds() as f64),
    }
}

fn ranks(times: &Times) -> Section {
    let unit = times.unit;
    let has_waiting = times
        .ranks
        .iter()
        .any(|rank| rank.waiting != Default::default());
    // If one side contains only computation, times in MPI cannot be compared.
    let has_calls = times.computation_only.is_empty();
    let row = |rank: &RankTimes| {
        let mut row = vec![
            TableCell::ordinal(rank.rank),
            TableCell::amount(unit, rank.total.a),
            TableCell::amount(unit, rank.total.b),
            difference(unit, rank.total.b - rank.total.a),
            difference(unit, rank.computing.b - rank.computing.a),
        ];
        if has_waiting {
            row.push(difference(unit, rank.waiting.b - rank.waiting.a));
        }
        if has_calls {
            row.push(difference(unit, rank.calls.b - rank.calls.a));
        }
        row
    };
    let mut columns = vec![
        ("rank", ColumnStyle::Number),
        ("A", ColumnStyle::Number),
        ("B", ColumnStyle::Number),
        ("difference", ColumnStyle::Number),
        ("computing", ColumnStyle::Number),
    ];
    if has_waiting {
        columns.push(("waiting for a processor", ColumnStyle::Number));
    }
    if has_calls {
        columns.push(("in MPI", ColumnStyle::Number));
    }
    let table = Table::of_rows(columns, times.ranks.iter().map(row).collect());
    Section::new(
        "difference by rank",
        [SectionElement::Table(table.showing(TOP_RANKS))],
    )
}
