//! Estimates of a master/worker program: one in detail, or several as a table; and as rows for spreadsheets.

use super::breakdown;
use super::csv_fields::{number, quoted};
use super::document::{ColumnStyle, Document, Section, SectionElement, Table, TableCell};
use super::estimate::{OVER_RANKS_COLUMNS, over_ranks_row};
use super::{numbers, text as terminal};
use crate::tasks::{TaskEstimate, TaskStudy};
use base_data::Time;
use base_data::compute_data::Unit;
use estimator::tasks::{MasterTime, TaskRun, WorkerTime};
use std::fmt::Write;

/// Masters that a terminal lists.
const MASTERS_IN_TEXT: usize = 16;

/// The report for a terminal.
pub fn text(study: &TaskStudy) -> String {
    let mut sections = vec![Section::new("", [facts(study)])];
    let title = match &study.estimates[..] {
        [only] => {
            sections.push(Section::new(masters_heading(only), [masters(&only.run)]));
            sections.push(Section::new("workers", [workers(&only.run)]));
            format!("{} on {} of", study.table, numbers::ranks(only.ranks))
        }
        several => {
            let table = SectionElement::Table(estimates(study));
            sections.push(Section::new("estimates", [table, meaning(study)]));
            let count = numbers::counted(several.len() as u64, "estimate", "estimates");
            format!("{count} of {} on", study.table)
        }
    };
    sections.push(Section::new(
        "warnings",
        [SectionElement::List(study.warnings.clone())],
    ));
    terminal::render(&Document {
        title: format!("{title} {} (model {})", study.platform, study.model),
        sections,
    })
}

fn facts(study: &TaskStudy) -> SectionElement {
    let mut facts = Vec::new();
    if let [only] = &study.estimates[..] {
        facts.push(("predicted time", predicted(only)));
        if let Some(speed_up) = only.speed_up {
            let speed_up = format!("{speed_up:.1} times as fast as one PU without messages");
            facts.push(("speed-up", speed_up));
        }
    } else if let Some(fastest) = study.estimates.iter().find(|one| one.fastest) {
        facts.push((
            "fastest",
            format!("{}: {}", combination(study, fastest), predicted(fastest)),
        ));
    }
    let ranges: Vec<String> = study.ranges.iter().map(|range| range.text()).collect();
    facts.push((
        "tasks",
        format!("{}: {}", numbers::count(study.tasks), ranges.join(", ")),
    ));
    let share = study.measured as f64 / study.tasks as f64;
    let mut measured = format!(
        "{} ({}), {} together",
        numbers::count(study.measured),
        numbers::percent(share),
        study.measured_time
    );
    if study.measured < study.tasks {
        measured += "; the times of the others are interpolated";
    }
    facts.push(("measured", measured));
    let mut total = format!(
        "{}, mean {}",
        study.total,
        study.total.scaled(1.0 / study.tasks as f64)
    );
    if let Some(check) = &study.check {
        total = format!(
            "{} as interpolated, {} by the sample (80 % between {} and {})",
            study.total,
            numbers::change(check.factor - 1.0),
            numbers::change(check.lower - 1.0),
            numbers::change(check.upper - 1.0)
        );
    }
    facts.push(("time of all tasks", total));
    if let Some(check) = &study.check {
        let strata = numbers::counted(check.strata, "stratum", "strata");
        facts.push((
            "sample",
            format!("{} tasks in {strata}", numbers::count(check.tasks)),
        ));
    }
    SectionElement::list_of_facts(facts)
}

/// The time with its interval.
fn predicted(estimate: &TaskEstimate) -> String {
    match (estimate.p10, estimate.p90) {
        (Some(p10), Some(p90)) => {
            format!("{}   (80 % between {p10} and {p90})", estimate.time)
        }
        (None, _) | (_, None) => estimate.time.to_string(),
    }
}

/// The values of an estimate that are varied.
fn combination(study: &TaskStudy, estimate: &TaskEstimate) -> String {
    let [ranks, masters, chunk] = study.varies;
    let mut parts = Vec::new();
    if ranks {
        parts.push(numbers::ranks(estimate.ranks));
    }
    if masters {
        parts.push(numbers::counted(
            estimate.masters.into(),
            "master",
            "masters",
        ));
    }
    if chunk {
        let tasks = numbers::counted(estimate.chunk, "task", "tasks");
        parts.push(format!("{tasks} at a time"));
    }
    parts.join(", ")
}

fn masters_heading(estimate: &TaskEstimate) -> &'static str {
    if estimate.masters == 1 {
        "master"
    } else {
        "masters"
    }
}

fn masters(run: &TaskRun) -> SectionElement {
    let columns = [
        ("rank", ColumnStyle::Number),
        ("tasks", ColumnStyle::Number),
        ("from", ColumnStyle::Number),
        ("end", ColumnStyle::Number),
        ("send", ColumnStyle::Share),
        ("receive", ColumnStyle::Share),
        ("wait", ColumnStyle::Share),
        ("messages", ColumnStyle::Number),
    ];
    let rows = run.masters.iter().map(|master| {
        let share = |part| TableCell::share(numbers::share(part, master.end));
        [
            TableCell::ordinal(master.rank),
            TableCell::count(master.tasks.end - master.tasks.start),
            TableCell::count(master.tasks.start),
            TableCell::time(master.end),
            share(master.send),
            share(master.receive),
            share(master.wait),
            TableCell::count(master.received),
        ]
    });
    SectionElement::Table(Table::new(columns, rows).showing(MASTERS_IN_TEXT))
}

/// A category of workers' time in the table.
struct WorkerCategory {
    label: &'static str,
    of: fn(&WorkerTime) -> Time,
}

const WORKER_CATEGORIES: [WorkerCategory; 4] = [
    WorkerCategory {
        label: "compute",
        of: |worker| worker.compute,
    },
    WorkerCategory {
        label: "send overhead",
        of: |worker| worker.send,
    },
    WorkerCategory {
        label: "receive overhead",
        of: |worker| worker.receive,
    },
    WorkerCategory {
        label: "wait",
        of: |worker| worker.wait,
    },
];

fn workers(run: &TaskRun) -> SectionElement {
    let whole = worker_time(run);
    let mut rows = Vec::new();
    for category in &WORKER_CATEGORIES {
        let times = run
            .workers
            .iter()
            .map(|worker| ((category.of)(worker), worker.rank));
        let share = breakdown::ratio(breakdown::total(times.clone().map(|(time, _)| time)), whole);
        if let Some(time) = breakdown::over_ranks(times) {
            rows.push(over_ranks_row(category.label, Some(share), time));
        }
    }
    SectionElement::Table(Table::new(OVER_RANKS_COLUMNS, rows))
}

/// Time of all workers, in picoseconds.
fn worker_time(run: &TaskRun) -> i128 {
    // In 128 bits, since the picoseconds of all workers together may exceed 64.
    WORKER_CATEGORIES
        .iter()
        .map(|category| breakdown::total(run.workers.iter().map(category.of)))
        .sum()
}

/// Shares that the table of estimates contains.
struct Shares {
    master_send: f64,
    master_receive: f64,
    master_wait: f64,
    compute: f64,
    worker_wait: f64,
}

impl Shares {
    fn of(run: &TaskRun) -> Self {
        let masters = breakdown::total(run.masters.iter().map(|master| master.end));
        let of_masters = |part: fn(&MasterTime) -> Time| {
            breakdown::ratio(breakdown::total(run.masters.iter().map(part)), masters)
        };
        let workers = worker_time(run);
        let of_workers = |part: fn(&WorkerTime) -> Time| {
            breakdown::ratio(breakdown::total(run.workers.iter().map(part)), workers)
        };
        Self {
            master_send: of_masters(|master| master.send),
            master_receive: of_masters(|master| master.receive),
            master_wait: of_masters(|master| master.wait),
            compute: of_workers(|worker| worker.compute),
            worker_wait: of_workers(|worker| worker.wait),
        }
    }
}

fn estimates(study: &TaskStudy) -> Table {
    let [varies_ranks, varies_masters, varies_chunk] = study.varies;
    let has_interval = study.check.is_some();
    let mut columns = Vec::new();
    for (name, is_shown) in [
        ("ranks", varies_ranks),
        ("masters", varies_masters),
        ("chunk", varies_chunk),
        ("time", true),
        ("P10", has_interval),
        ("P90", has_interval),
    ] {
        if is_shown {
            columns.push((name, ColumnStyle::Number));
        }
    }
    columns.push(("", ColumnStyle::Words));
    columns.push(("speed-up", ColumnStyle::Number));
    for name in ["master send", "receive", "wait", "worker compute", "wait"] {
        columns.push((name, ColumnStyle::Share));
    }
    let mut rows = Vec::new();
    for estimate in &study.estimates {
        let mut row = Vec::new();
        if varies_ranks {
            row.push(TableCell::ordinal(estimate.ranks));
        }
        if varies_masters {
            row.push(TableCell::ordinal(estimate.masters));
        }
        if varies_chunk {
            row.push(TableCell::count(estimate.chunk));
        }
        row.push(TableCell::time(estimate.time));
        if has_interval {
            for time in [estimate.p10, estimate.p90] {
                row.push(time.map_or(TableCell::default(), TableCell::time));
            }
        }
        row.push(if estimate.fastest { "*" } else { "" }.into());
        row.push(speed_up(estimate.speed_up));
        let shares = Shares::of(&estimate.run);
        for share in [
            shares.master_send,
            shares.master_receive,
            shares.master_wait,
            shares.compute,
            shares.worker_wait,
        ] {
            row.push(TableCell::share(share));
        }
        rows.push(row);
    }
    Table::of_rows(columns, rows)
}

fn speed_up(value: Option<f64>) -> TableCell {
    match value {
        Some(value) => TableCell {
            text: format!("{value:.1}"),
            key: Some(value),
        },
        None => TableCell::default(),
    }
}

fn meaning(study: &TaskStudy) -> SectionElement {
    let mut sentences = String::new();
    if study.check.is_some() {
        sentences +=
            "P10 and P90 are the 10th and 90th percentiles by the error of the interpolation. ";
    }
    sentences += "Speed-up is the time of all tasks on the measured PU relative to the predicted time. The fastest combination has \
                  a *. Shares of the time of masters: send, receive, wait; of workers: compute, wait.";
    SectionElement::Paragraph(sentences)
}

/// One row per estimate. docs/guide/tasks.md describes the columns. They keep their names and order; new ones come at the end.
pub fn csv(study: &TaskStudy) -> String {
    let mut text = String::from(
        "n,masters,chunk,platform_name,model_name,time_s,p10_s,p90_s,speed_up,fastest,tasks_s,events,master_send_s,\
         master_receive_s,master_wait_s,compute_s,send_overhead_s,receive_overhead_s,wait_s\n",
    );
    for estimate in &study.estimates {
        let run = &estimate.run;
        let [p10, p90] =
            [estimate.p10, estimate.p90].map(|time| time.map_or(String::new(), seconds));
        let speed_up = estimate
            .speed_up
            .map_or(String::new(), |value| format!("{value:.6}"));
        _ = write!(
            text,
            "{},{},{},{},{},{},{p10},{p90},{speed_up},{},{},{}",
            estimate.ranks,
            estimate.masters,
            estimate.chunk,
            quoted(&study.platform),
            quoted(&study.model),
            seconds(estimate.time),
            if estimate.fastest { "yes" } else { "no" },
            seconds(study.total),
            run.events(),
        );
        let parts: [fn(&MasterTime) -> Time; 3] = [
            |master| master.send,
            |master| master.receive,
            |master| master.wait,
        ];
        for part in parts {
            let sum: Time = run.masters.iter().map(part).sum();
            _ = write!(text, ",{}", seconds(mean(sum, run.masters.len())));
        }
        for category in &WORKER_CATEGORIES {
            let sum: Time = run.workers.iter().map(category.of).sum();
            _ = write!(text, ",{}", seconds(mean(sum, run.workers.len())));
        }
        text.push('\n');
    }
    text
}

fn mean(sum: Time, count: usize) -> Time {
    sum.scaled(1.0 / count as f64)
}

/// Seconds to the picosecond.
fn seconds(time: Time) -> String {
    number(Unit::Time, time)
}
