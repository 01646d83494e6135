//! An observed run as a document: time inside and outside MPI per rank and per call site, and what
//! was called how often.

use super::document::{ColumnStyle, Document, Entry, Part, Section, Table};
use super::{html, numbers, program, provenance, text as terminal, traffic};
use base_data::compute_data::Unit;
use base_data::observation::{Observation, ObservedRank};
use base_data::program_data::Op;
use base_data::stream::entries;
use base_data::{CallSiteId, Rank, Time};
use std::collections::BTreeMap;

/// Rows of a list that a terminal shows.
const TOP: usize = 32;

/// What a person sees in a terminal.
pub fn text(observation: &Observation) -> String {
    terminal::render(&document(observation))
}

/// One self-contained page.
pub fn html(observation: &Observation) -> String {
    html::page(&document(observation))
}

fn document(observation: &Observation) -> Document {
    let data = &observation.program;
    let name = match data.provenance.program.as_str() {
        "" => "a program",
        name => name,
    };
    let ranks = numbers::of(u64::from(data.ranks), "rank", "ranks");
    let missing = Section::new("missing", [Part::List(observation.missing.clone())]);
    let mut sections = vec![overview(observation), missing, per_rank(observation), call_times(observation)];
    sections.extend(program::activity_sections(data, &traffic::of(data)));
    sections.push(provenance::section(&data.provenance));
    Document { title: format!("observed run of {name} on {ranks}"), sections }
}

/// Time inside calls and outside them, and how many calls there are.
struct Sums {
    inside: Time,
    outside: Time,
    calls: u64,
}

fn sums(observation: &Observation) -> Vec<Sums> {
    let of_rank = |(times, rank): (&ObservedRank, u32)| {
        let mut sums = Sums { inside: Time::ZERO, outside: times.gaps.iter().copied().sum(), calls: 0 };
        for (op, &time) in entries(&observation.program, Rank(rank)).zip(&times.durations) {
            match op {
                Op::Call { .. } => {
                    sums.inside += time;
                    sums.calls += 1;
                }
                Op::Block { .. } | Op::Mark(_) | Op::Loop { .. } => sums.outside += time,
            }
        }
        sums
    };
    observation.ranks.iter().zip(0u32..).map(of_rank).collect()
}

fn overview(observation: &Observation) -> Section {
    let longest = observation.ranks.iter().map(ObservedRank::whole).max().unwrap_or(Time::ZERO);
    let calls = sums(observation).iter().map(|sums| sums.calls).sum();
    let counted = match observation.unit {
        Unit::Time => longest.to_string(),
        Unit::Statements => numbers::of(longest.picoseconds().unsigned_abs(), "statement", "statements"),
    };
    let one_at_a_time = match observation.one_at_a_time {
        true => "computed one at a time; times inside MPI mean nothing",
        false => "",
    };
    Section::new(
        "",
        [Part::facts([
            ("time", format!("{counted} on the rank that took longest")),
            ("MPI calls", numbers::count(calls)),
            ("ranks", one_at_a_time.into()),
        ])],
    )
}

fn per_rank(observation: &Observation) -> Section {
    let rows = sums(observation).into_iter().zip(0u32..).map(|(sums, rank)| {
        [
            Entry::ordinal(rank),
            Entry::time(sums.inside + sums.outside),
            Entry::time(sums.outside),
            Entry::time(sums.inside),
            Entry::share(numbers::share(sums.inside, sums.inside + sums.outside)),
            Entry::count(sums.calls),
        ]
    });
    let columns = [
        ("rank", ColumnStyle::Number),
        ("time", ColumnStyle::Number),
        ("outside MPI", ColumnStyle::Number),
        ("inside MPI", ColumnStyle::Number),
        ("share inside", ColumnStyle::Share),
        ("calls", ColumnStyle::Number),
    ];
    Section::new("ranks", [Part::Table(Table::new(columns, rows).showing(TOP))])
}

#[derive(Default)]
struct SiteTime {
    calls: u64,
    sum: Time,
    longest: Time,
}

fn call_times(observation: &Observation) -> Section {
    let mut sorted: Vec<(CallSiteId, SiteTime)> = site_times(observation).into_iter().collect();
    sorted.sort_by_key(|(site, time)| (std::cmp::Reverse(time.sum), *site));
    let table = &observation.program.table;
    let ranks = observation.ranks.len().max(1) as f64;
    let rows = sorted.iter().map(|(id, time)| {
        let function = table.call_sites.get(id.index()).map_or("", |site| site.function.as_str());
        [
            Entry::from(table.site_place(*id)),
            function.into(),
            Entry::count(time.calls),
            Entry::time(time.sum.scaled(1.0 / ranks)),
            Entry::time(time.longest),
        ]
    });
    let columns = [
        ("where", ColumnStyle::Place),
        ("function", ColumnStyle::Words),
        ("calls", ColumnStyle::Number),
        ("mean over ranks", ColumnStyle::Number),
        ("longest call", ColumnStyle::Number),
    ];
    Section::new("time in calls", [Part::Table(Table::new(columns, rows).showing(TOP))])
}

fn site_times(observation: &Observation) -> BTreeMap<CallSiteId, SiteTime> {
    let mut sites: BTreeMap<CallSiteId, SiteTime> = BTreeMap::new();
    for (times, rank) in observation.ranks.iter().zip(0u32..) {
        for (op, &time) in entries(&observation.program, Rank(rank)).zip(&times.durations) {
            let Op::Call { site, .. } = op else { continue };
            let entry = sites.entry(*site).or_default();
            entry.calls += 1;
            entry.sum += time;
            entry.longest = entry.longest.max(time);
        }
    }
    sites
}
