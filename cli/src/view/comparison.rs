//! A comparison as a document: one line with both times and their difference, then what that
//! difference is made of. Numbers only from [`estimator::comparison`]; as rows for other programs
//! in [`csv`].

mod csv;
pub mod estimates;
mod tables;

pub use csv::csv;

use super::document::{Document, Section, SectionElement};
use super::{html as page, numbers, text as terminal};
use base_data::Time;
use base_data::compute_data::Unit;
use estimator::comparison::{
    Both, Comparison, ContentKind, Position, Predicted, RankTotal, SideName, StreamsDiffer, Times,
    Totals, relative,
};
use std::cmp::Ordering;

/// The report for a terminal.
pub fn text(found: &Comparison) -> String {
    terminal::render(&document(found))
}

/// One self-contained page.
pub fn html(found: &Comparison) -> String {
    page::page(&document(found))
}

/// Where streams differ, as a sentence.
pub fn stream_difference(sides: &Both<SideName>, differ: &StreamsDiffer) -> String {
    format!(
        "the event streams differ, first on rank {} at entry {}: {} has {}, {} has {}",
        differ.rank,
        numbers::count(differ.entry),
        sides.a.file,
        differ.does.a,
        sides.b.file,
        differ.does.b
    )
}

fn document(found: &Comparison) -> Document {
    let mut sections = vec![streams(found)];
    sections.extend(found.times.as_ref().map(|times| headline(found, times)));
    sections.push(Section::new(
        "warnings",
        [SectionElement::List(found.remarks.clone())],
    ));
    let unit = found.times.as_ref().map_or(Unit::Time, |times| times.unit);
    sections.push(estimates::kinds(unit, &found.kinds));
    sections.extend(found.times.iter().flat_map(tables::sections));
    Document {
        title: title(found),
        sections,
    }
}

/// `cg on 2 ranks: estimate.mpiete (A, predicted for lab), run.mpiete (B, observed on node1)`.
fn title(found: &Comparison) -> String {
    let ranks = numbers::ranks(found.ranks);
    let (a, b) = (&found.sides.a, &found.sides.b);
    let program = match (a.program.as_str(), b.program.as_str()) {
        ("", "") => "a program".into(),
        (program, "") | ("", program) => program.into(),
        (program, other) if program == other => program.into(),
        (program, other) => format!("{program} and {other}"),
    };
    format!(
        "{program} on {ranks}: {} (A, {}), {} (B, {})",
        a.file,
        origin(a),
        b.file,
        origin(b)
    )
}

/// `observed on node1`.
fn origin(side: &SideName) -> String {
    match (side.kind, side.machine.as_str()) {
        (ContentKind::Program, _) => "program data".into(),
        (ContentKind::Estimate, "") => "predicted".into(),
        (ContentKind::Estimate, platform) => format!("predicted for {platform}"),
        (ContentKind::Observation, "") => "observed".into(),
        (ContentKind::Observation, hosts) => format!("observed on {hosts}"),
    }
}

fn streams(found: &Comparison) -> Section {
    let Some(differ) = &found.streams else {
        let only_streams = found.times.is_none();
        let equal = if only_streams {
            "the event streams are equal on all ranks"
        } else {
            ""
        };
        return Section::new(
            equal,
            [SectionElement::Paragraph(equal_means(only_streams).into())],
        );
    };
    let heading = format!(
        "the event streams differ, first on rank {} at entry {}",
        differ.rank,
        numbers::count(differ.entry)
    );
    let does = [("A", differ.does.a.clone()), ("B", differ.does.b.clone())];
    Section::new(heading, [SectionElement::facts(does)])
}

fn equal_means(only_streams: bool) -> &'static str {
    if only_streams {
        "Program data have no times: nothing else is compared."
    } else {
        ""
    }
}

/// Both times, how they were taken, and what belongs to them.
fn headline(found: &Comparison, times: &Times) -> Section {
    let totals = &times.totals;
    let unit = times.unit;
    Section::new(
        verdict(found, times),
        [SectionElement::facts([
            ("compared", times.window.clone()),
            ("computation only", times.computation_only.clone()),
            ("prediction", prediction(found, times)),
            ("mean of ranks", mean(unit, totals)),
            ("largest part", tables::mostly(times)),
            ("longest rank", longest(unit, totals)),
            ("not compared", start_up(unit, totals)),
        ])],
    )
}

/// `A predicts 3.200 s, B took 3.600 s: 400.0 ms more (+12.5 %)`.
fn verdict(found: &Comparison, times: &Times) -> String {
    let totals = &times.totals;
    let does = |((side, predicted), time): ((&SideName, Option<Predicted>), Time)| {
        let amount = numbers::amount(times.unit, time);
        match times.unit {
            Unit::Time => format!("{} {amount}", verb(side.kind, times, predicted.is_some())),
            Unit::Statements => {
                let verb = verb(side.kind, times, predicted.is_some());
                format!("{verb} {amount} statements")
            }
        }
    };
    let does = found
        .sides
        .as_ref()
        .zip(totals.predicted)
        .zip(totals.time)
        .map(does);
    format!(
        "A {}, B {}: {}",
        does.a,
        does.b,
        difference_text(times.unit, totals)
    )
}

/// What a side does with its time.
fn verb(kind: ContentKind, times: &Times, whole: bool) -> &'static str {
    let all_is_compared = times.computation_only.is_empty();
    match (kind, times.unit) {
        (ContentKind::Estimate, _) if whole => "predicts",
        // Without the waits of the predicted total, or a part of the run.
        (ContentKind::Estimate, _) if !all_is_compared => "computes",
        (ContentKind::Estimate, _) => "has",
        (ContentKind::Observation | ContentKind::Program, Unit::Statements) => "executed",
        (ContentKind::Observation | ContentKind::Program, Unit::Time) if all_is_compared => "took",
        (ContentKind::Observation | ContentKind::Program, Unit::Time) => "computed",
    }
}

fn difference_text(unit: Unit, totals: &Totals) -> String {
    let difference = totals.difference();
    let how_much = numbers::amount(unit, distance(difference));
    let word = match difference.cmp(&Time::ZERO) {
        Ordering::Equal => return "the same".into(),
        Ordering::Greater => "more",
        Ordering::Less => "less",
    };
    format!("{how_much} {word}{}", in_percent(totals.relative()))
}

fn distance(difference: Time) -> Time {
    if difference < Time::ZERO {
        -difference
    } else {
        difference
    }
}

/// ` (+12.5 %)`.
fn in_percent(relative: Option<f64>) -> String {
    relative.map_or(String::new(), |relative| {
        format!(" ({})", tables::signed_percent(relative))
    })
}

/// Where a run lies in the predicted interval.
fn prediction(found: &Comparison, times: &Times) -> String {
    let totals = &times.totals;
    let amount = |time| numbers::amount(times.unit, time);
    let of = |name: &str, predicted: Option<Predicted>| {
        // A single draw is no interval.
        let predicted = predicted.filter(|found| found.draws > 1)?;
        Some((name.to_string(), predicted))
    };
    let estimates = [of("A", totals.predicted.a), of("B", totals.predicted.b)];
    let interval = |(name, predicted): &(String, Predicted)| {
        format!(
            "80 % of {name}'s draws lie between {} and {}",
            amount(predicted.p10),
            amount(predicted.p90)
        )
    };
    let intervals: Vec<String> = estimates.iter().flatten().map(interval).collect();
    let run = if found.sides.a.kind == ContentKind::Observation {
        "A"
    } else {
        "B"
    };
    match totals.interval {
        None => intervals.join("; "),
        Some(Position::Inside) => format!("{}; {run} is inside", intervals.join("; ")),
        Some(Position::Below) => format!("{}; {run} is below", intervals.join("; ")),
        Some(Position::Above) => format!("{}; {run} is above", intervals.join("; ")),
    }
}

fn longest(unit: Unit, totals: &Totals) -> String {
    let of = |(longest, predicted): (RankTotal, Option<Predicted>)| {
        let how = if predicted.is_some() {
            ", without noise"
        } else {
            ""
        };
        format!(
            "{} (rank {}{how})",
            numbers::amount(unit, longest.time),
            longest.rank
        )
    };
    let of = totals.longest.zip(totals.predicted).map(of);
    format!("A {}, B {}", of.a, of.b)
}

fn mean(unit: Unit, totals: &Totals) -> String {
    let of = totals.mean.map(|mean| numbers::amount(unit, mean));
    let difference = totals.mean.b - totals.mean.a;
    if difference == Time::ZERO {
        return format!("A {}, B {}", of.a, of.b);
    }
    format!(
        "A {}, B {}: {}{}; all shares below are of this difference",
        of.a,
        of.b,
        tables::signed(unit, difference),
        in_percent(relative(totals.mean))
    )
}

/// What lies before and after the window of a run.
fn start_up(unit: Unit, totals: &Totals) -> String {
    if unit == Unit::Statements {
        return String::new();
    }
    let of = |name: &str, found: Option<estimator::comparison::StartUp>| {
        found.map(|found| {
            format!(
                "{name}'s MPI_Init {} and MPI_Finalize {}",
                found.init, found.finalize
            )
        })
    };
    let found = [of("A", totals.start_up.a), of("B", totals.start_up.b)];
    found.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::super::samples::comparison::{compared, observed};
    use super::*;

    /// The line of both times if the run counts and is compared like this.
    fn check(unit: Unit, only: &str, predicted: bool, longer: i64, expect: &str) {
        let mut found = compared(&observed());
        let times = found.times.as_mut().unwrap();
        (times.unit, times.computation_only) = (unit, only.into());
        if !predicted {
            times.totals.predicted = Both::default();
        }
        times.totals.time.b = times.totals.time.a + Time::from_nanoseconds(longer);
        let text = verdict(&found, found.times.as_ref().unwrap());
        assert_eq!(text, expect);
    }

    #[test]
    fn first_line_names_both_sides() {
        let all = "";
        check(
            Unit::Time,
            all,
            true,
            66_200,
            "A predicts 662.0 us, B took 728.2 us: 66.20 us more (+10.0 %)",
        );
        check(
            Unit::Time,
            all,
            false,
            -66_200,
            "A has 662.0 us, B took 595.8 us: 66.20 us less (-10.0 %)",
        );
        check(
            Unit::Time,
            "because",
            false,
            0,
            "A computes 662.0 us, B computed 662.0 us: the same",
        );
        let counted = "A computes 662,000,000 statements, B executed 662,001,000 statements: 1,000 more (<0.1 %)";
        check(Unit::Statements, "because", false, 1, counted);
        let predicted = "A predicts 662,000,000 statements, B executed 662,001,000 statements: 1,000 more (<0.1 %)";
        check(Unit::Statements, "because", true, 1, predicted);
    }
}
