//! An observed run as a document: time inside and outside MPI per rank, per call site, between calls and per block, and the
//! numbers of calls.

use super::document::{ColumnStyle, Document, Section, SectionElement, Table, TableCell};
use super::observation_sums::{self, PlaceTime, Sums};
use super::{html, numbers, program, provenance, text as terminal, traffic};
use base_data::compute_data::Unit;
use base_data::observation::Observation;
use base_data::{BlockId, CallSiteId, Time};
use std::cmp::Reverse;

/// Rows of a list that a terminal shows.
const TOP: usize = 32;
/// Gaps and blocks that a terminal shows.
const TOP_PLACES: usize = 12;

/// The report for a terminal.
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
    let ranks = numbers::ranks(data.ranks);
    let sums = observation_sums::sums(observation);
    let view = View {
        observation,
        sums: &sums,
    };
    let missing = Section::new(
        "missing",
        [SectionElement::List(observation.missing.clone())],
    );
    let mut sections = vec![
        view.overview(),
        missing,
        view.ranks(),
        view.calls(),
        view.gaps(),
        view.blocks(),
    ];
    sections.extend(program::activity_sections(data, &traffic::of(data)));
    sections.push(provenance::section(&data.provenance));
    Document {
        title: format!("observed run of {name} on {ranks}"),
        sections,
    }
}

struct View<'a> {
    observation: &'a Observation,
    sums: &'a Sums,
}

impl View<'_> {
    fn amount(&self, time: Time) -> TableCell {
        TableCell::amount(self.observation.unit, time)
    }

    fn overview(&self) -> Section {
        let ranks = &self.sums.ranks;
        let longest = ranks
            .iter()
            .map(|rank| rank.whole())
            .max()
            .unwrap_or(Time::ZERO);
        let calls = ranks.iter().map(|rank| rank.calls).sum();
        let counted = match self.observation.unit {
            Unit::Time => format!("{longest} on the rank that took longest"),
            Unit::Statements => {
                let number = longest.picoseconds().unsigned_abs();
                format!(
                    "{} on the rank with most, counted; calls have none",
                    numbers::counted(number, "statement", "statements")
                )
            }
        };
        // Ranks then wait in MPI until others have computed, so these times are no property of the program.
        let one_at_a_time = if self.observation.one_at_a_time {
            "computed one at a time; times inside MPI mean nothing"
        } else {
            ""
        };
        let facts = [
            ("time", counted),
            ("MPI calls", numbers::count(calls)),
            ("ranks", one_at_a_time.into()),
        ];
        Section::new("", [SectionElement::facts(facts)])
    }

    fn ranks(&self) -> Section {
        // Only ranks that share processors wait for one.
        let has_waiting = self
            .sums
            .ranks
            .iter()
            .any(|rank| rank.waiting != Time::ZERO);
        let has_hosts = self
            .observation
            .ranks
            .iter()
            .any(|rank| !rank.host.is_empty());
        let mut columns = vec![
            ("rank", ColumnStyle::Number),
            ("time", ColumnStyle::Number),
            ("computing", ColumnStyle::Number),
        ];
        if has_waiting {
            columns.push(("waiting for a processor", ColumnStyle::Number));
        }
        columns.extend([
            ("inside MPI", ColumnStyle::Number),
            ("share inside", ColumnStyle::Share),
            ("calls", ColumnStyle::Number),
        ]);
        if has_hosts {
            columns.push(("computer", ColumnStyle::Words));
        }
        let mut rows = Vec::new();
        let ranks = self.sums.ranks.iter().zip(&self.observation.ranks);
        for ((sums, times), rank) in ranks.zip(0u32..) {
            let mut row = vec![
                TableCell::ordinal(rank),
                self.amount(sums.whole()),
                self.amount(sums.computing),
            ];
            if has_waiting {
                row.push(self.amount(sums.waiting));
            }
            row.push(self.amount(sums.inside));
            row.push(TableCell::share(numbers::share(sums.inside, sums.whole())));
            row.push(TableCell::count(sums.calls));
            if has_hosts {
                row.push(TableCell::from(times.host.as_str()));
            }
            rows.push(row);
        }
        Section::new(
            "ranks",
            [SectionElement::Table(
                Table::of_rows(columns, rows).showing(TOP),
            )],
        )
    }

    fn calls(&self) -> Section {
        let named = |(&site, spent): (&CallSiteId, &PlaceTime)| {
            let function = self.observation.program.table.call_sites.get(site.index());
            let function = function.map_or("", |site| site.function.as_str());
            (
                [TableCell::from(self.place(Some(site))), function.into()],
                *spent,
            )
        };
        let columns = [
            ("where", ColumnStyle::Place),
            ("function", ColumnStyle::Words),
        ];
        let rows = self.sums.calls.iter().map(named).collect();
        self.places(
            "time in calls",
            columns,
            ["calls", "longest call"],
            rows,
            TOP,
        )
    }

    fn gaps(&self) -> Section {
        let named =
            |(&(from, to), spent): (&(Option<CallSiteId>, Option<CallSiteId>), &PlaceTime)| {
                (
                    [from, to].map(|site| TableCell::from(self.place(site))),
                    *spent,
                )
            };
        let columns = [("from", ColumnStyle::Place), ("to", ColumnStyle::Place)];
        let rows = self.sums.gaps.iter().map(named).collect();
        self.places(
            "computation between calls",
            columns,
            ["times", "longest"],
            rows,
            TOP_PLACES,
        )
    }

    fn blocks(&self) -> Section {
        let table = &self.observation.program.table;
        let named = |(&block, spent): (&BlockId, &PlaceTime)| {
            let found = table.blocks.get(block.index());
            let place = found.map_or(format!("block {block}"), |block| table.place(&block.span));
            let procedure = found.map_or("", |block| block.key.procedure.as_str());
            ([place.into(), procedure.into()], *spent)
        };
        let columns = [
            ("where", ColumnStyle::Place),
            ("procedure", ColumnStyle::Words),
        ];
        let rows = self.sums.blocks.iter().map(named).collect();
        self.places(
            "time in compute blocks",
            columns,
            ["executions", "longest"],
            rows,
            TOP_PLACES,
        )
    }

    fn place(&self, site: Option<CallSiteId>) -> String {
        site.map_or("begin or end".into(), |site| {
            self.observation.program.table.site_place(site)
        })
    }

    /// Places with their times, longest first.
    fn places(
        &self,
        heading: &'static str,
        names: [(&'static str, ColumnStyle); 2],
        [times, longest]: [&'static str; 2],
        mut rows: Vec<([TableCell; 2], PlaceTime)>,
        rows_in_text: usize,
    ) -> Section {
        // Stable: equal ones stay in the order of the table.
        rows.sort_by_key(|(_, spent)| Reverse(spent.sum));
        let ranks = self.observation.ranks.len().max(1) as i64;
        let numbers = |spent: &PlaceTime| {
            let mean = Time::from_picoseconds(spent.sum.picoseconds() / ranks);
            [
                TableCell::count(spent.times),
                self.amount(mean),
                self.amount(spent.longest),
            ]
        };
        let numbered = [times, "mean over ranks", longest].map(|name| (name, ColumnStyle::Number));
        let columns = names.into_iter().chain(numbered).collect();
        let row = |(names, spent): ([TableCell; 2], PlaceTime)| {
            names.into_iter().chain(numbers(&spent)).collect()
        };
        let table = Table::of_rows(columns, rows.into_iter().map(row).collect());
        Section::new(
            heading,
            [SectionElement::Table(table.showing(rows_in_text))],
        )
    }
}
