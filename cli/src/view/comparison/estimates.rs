//! Two estimates of different numbers of ranks as a document, and as rows: predicted times, and what the difference of the
//! mean over ranks is made of, by kind of time and by place.

use super::super::csv_fields::{number, quoted, word};
use super::super::document::{ColumnStyle, Document, Section, SectionElement, Table, TableCell};
use super::super::{html as page, numbers, text as terminal};
use base_data::compute_data::Unit;
use estimator::comparison::{Both, Estimates, Portion, Predicted, relative};

/// Rows of places that a terminal shows.
const PLACES: usize = 15;

/// The report for a terminal.
pub fn text(found: &Estimates) -> String {
    terminal::render(&document(found))
}

/// One self-contained page.
pub fn html(found: &Estimates) -> String {
    page::page(&document(found))
}

fn document(found: &Estimates) -> Document {
    let side = |(name, ranks): (&estimator::comparison::SideName, u32)| {
        format!("{} on {}", name.machine, numbers::ranks(ranks))
    };
    let names = found.sides.as_ref().zip(found.ranks).map(side);
    let title = format!(
        "{}: {} (A, {}), {} (B, {})",
        found.sides.a.program, found.sides.a.file, names.a, found.sides.b.file, names.b
    );
    let note = "All shares are of the difference of the mean over ranks. Streams are not compared: those of other numbers of \
                ranks always differ.";
    let sections = vec![
        headline(found),
        kinds(found.unit, &found.categories),
        Section::new(
            "by place",
            [SectionElement::Table(
                table(found.unit, &found.places, true).showing(PLACES),
            )],
        ),
        Section::new("", [SectionElement::Paragraph(note.into())]),
    ];
    Document { title, sections }
}

/// `A predicts 3.200 s, B predicts 1.900 s: 1.300 s less (-40.6 %), 1.68 times as fast`.
fn headline(found: &Estimates) -> Section {
    let amount = |time| numbers::amount(found.unit, time);
    let interval = |found: Predicted| format!("{} to {}", amount(found.p10), amount(found.p90));
    let times = found.predicted.map(|predicted| predicted.time);
    let core = times
        .zip(found.ranks)
        .map(|(time, ranks)| time.seconds() * f64::from(ranks));
    // A predicted time of zero has no speed to compare with.
    let faster = times.a.seconds() / times.b.seconds();
    let speed = if faster.is_finite() {
        format!(", {faster:.2} times as fast")
    } else {
        String::new()
    };
    let heading = format!(
        "A predicts {}, B predicts {}{}{speed}",
        amount(times.a),
        amount(times.b),
        relative(times).map_or(String::new(), |share| format!(" ({:+.1} %)", share * 100.0)),
    );
    let efficiency = core.a / core.b;
    let cost = if efficiency.is_finite() {
        format!("{:.3} times as many core-hours", core.b / core.a)
    } else {
        String::new()
    };
    let facts = SectionElement::facts([
        ("ranks", format!("A {}, B {}", found.ranks.a, found.ranks.b)),
        (
            "80 % of the draws",
            format!(
                "A {}, B {}",
                interval(found.predicted.a),
                interval(found.predicted.b)
            ),
        ),
        (
            "mean of ranks",
            format!("A {}, B {}", amount(found.mean.a), amount(found.mean.b)),
        ),
        ("cost", cost),
    ]);
    Section::new(heading, [facts])
}

/// The mean over ranks by kind of time; nothing if there are none.
pub fn kinds(unit: Unit, parts: &[Portion]) -> Section {
    Section::new(
        "by category",
        [SectionElement::Table(table(unit, parts, false))],
    )
}

fn table(unit: Unit, parts: &[Portion], places: bool) -> Table {
    let row = |part: &Portion| {
        let times =
            [part.mean.a, part.mean.b, part.difference].map(|time| TableCell::amount(unit, time));
        let mut row = Vec::new();
        if places {
            row.extend([
                TableCell::from(part.at.place.as_str()),
                TableCell::from(part.at.function.as_str()),
            ]);
            row.extend([part.executions.a, part.executions.b].map(TableCell::count));
        } else {
            row.push(part.at.function.as_str().into());
        }
        row.extend(times);
        row.push(part.share.map_or(TableCell::default(), TableCell::share));
        row
    };
    let rows = parts
        .iter()
        .filter(|part| part.mean != Both::default())
        .map(row)
        .collect();
    let mut columns = vec![("A", ColumnStyle::Number), ("B", ColumnStyle::Number)];
    columns.extend([
        ("difference", ColumnStyle::Number),
        ("share of difference", ColumnStyle::Share),
    ]);
    let lead = if places {
        vec![
            ("where", ColumnStyle::Place),
            ("what", ColumnStyle::Words),
            ("times in A", ColumnStyle::Number),
            ("times in B", ColumnStyle::Number),
        ]
    } else {
        vec![("mean of ranks", ColumnStyle::Words)]
    };
    Table::of_rows([lead, columns].concat(), rows)
}

/// One row per number: `total`, `mean`, `category` and `place`; the columns are in docs/guide/compare.md.
pub fn csv(found: &Estimates) -> String {
    let mut rows = vec![
        "kind,place,function,executions_a,executions_b,a,b,difference,share,unit\n".to_string(),
    ];
    let unit = word(found.unit);
    let times = |times: Both<base_data::Time>| {
        [times.a, times.b, times.b - times.a]
            .map(|time| number(found.unit, time))
            .join(",")
    };
    rows.push(format!(
        "total,,,,,{},,{unit}\n",
        times(found.predicted.map(|predicted| predicted.time))
    ));
    rows.push(format!("mean,,,,,{},,{unit}\n", times(found.mean)));
    let part = |kind: &str, part: &Portion| {
        let share = part
            .share
            .map_or(String::new(), |share| format!("{share:.9}"));
        let Both { a, b } = part.executions;
        let (place, function) = (quoted(&part.at.place), quoted(&part.at.function));
        format!(
            "{kind},{place},{function},{a},{b},{},{share},{unit}\n",
            times(part.mean)
        )
    };
    rows.extend(found.categories.iter().map(|found| part("category", found)));
    rows.extend(found.places.iter().map(|found| part("place", found)));
    rows.concat()
}
