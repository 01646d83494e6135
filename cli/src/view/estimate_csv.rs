//! An estimate as comma-separated values: one row per number, with columns whose names and order stay.
//! What they mean is in docs/guide/report.md. The timeline is not in it.

use super::csv_fields::{number, quoted, word};
use super::explanation;
use base_data::Time;
use base_data::block_table::BlockTable;
use base_data::compute_data::Unit;
use base_data::estimate_file::{Activity, Category, Estimate};
use base_data::explanation::{PathItem, Varied};

const HEADER: &str = "kind,rank,what,place,to_place,count,factor,time,unit\n";

/// One row.
#[derive(Default)]
struct Row {
    kind: &'static str,
    rank: Option<u32>,
    what: String,
    place: String,
    to_place: String,
    count: Option<u64>,
    factor: Option<f64>,
    time: Option<Time>,
}

/// All numbers of an estimate.
pub fn csv(estimate: &Estimate) -> String {
    let parts = [
        totals(estimate),
        ranks(estimate),
        cells(estimate),
        path(estimate),
        late(estimate),
        varied(estimate),
    ];
    let rows = parts.iter().flatten().map(|row| row.line(estimate.unit));
    std::iter::once(HEADER.to_string()).chain(rows).collect()
}

impl Row {
    fn line(&self, unit: Unit) -> String {
        let (time, word) = match self.time {
            Some(time) => (number(unit, time), word(unit)),
            None => (String::new(), ""),
        };
        let rank = self.rank.map_or(String::new(), |rank| rank.to_string());
        let count = self.count.map_or(String::new(), |count| count.to_string());
        let factor = self
            .factor
            .map_or(String::new(), |factor| format!("{factor:.9}"));
        let [what, place, to_place] =
            [&self.what, &self.place, &self.to_place].map(|text| quoted(text));
        format!(
            "{},{rank},{what},{place},{to_place},{count},{factor},{time},{word}\n",
            self.kind
        )
    }
}

fn totals(estimate: &Estimate) -> Vec<Row> {
    let row = |(kind, time): (&'static str, Time)| Row {
        kind,
        time: Some(time),
        ..Row::default()
    };
    let mut total = row(("total", estimate.headline));
    if super::estimate::is_communication_only(estimate) {
        total.what = "communication only".into();
    }
    let mut rows = vec![total];
    // Statements are those of any platform.
    if !estimate.platform.is_empty() {
        rows.push(platform(estimate));
    }
    if super::estimate::has_interval(estimate) {
        rows.extend([("p10", estimate.p10), ("p90", estimate.p90)].map(row));
    }
    let source = |source: &base_data::estimate_file::IntervalSource| Row {
        kind: "source",
        what: source.name.clone(),
        time: Some(source.width),
        ..Row::default()
    };
    rows.extend(estimate.sources.iter().map(source));
    rows
}

fn platform(estimate: &Estimate) -> Row {
    let kind = if crate::platform::is_default(&estimate.warnings) {
        "default_platform"
    } else {
        "platform"
    };
    Row {
        kind,
        what: estimate.platform.clone(),
        ..Row::default()
    }
}

fn split(of: &Row, split: [Time; 6]) -> Vec<Row> {
    let row = |category: Category| Row {
        kind: of.kind,
        rank: of.rank,
        what: category.label().into(),
        place: of.place.clone(),
        count: of.count,
        time: Some(split[category.index()]),
        ..Row::default()
    };
    Category::ALL
        .into_iter()
        .map(row)
        // A block or call has time in few of the categories; a missing row is zero.
        .filter(|row| row.time != Some(Time::ZERO))
        .collect()
}

fn ranks(estimate: &Estimate) -> Vec<Row> {
    let ranks = estimate.per_rank.iter().zip(0u32..);
    ranks
        .flat_map(|(found, rank)| {
            split(
                &Row {
                    kind: "rank",
                    rank: Some(rank),
                    ..Row::default()
                },
                found.split,
            )
        })
        .collect()
}

fn cells(estimate: &Estimate) -> Vec<Row> {
    let of_cell = |cell: &base_data::estimate_file::Cell| {
        let place = super::estimate::name(&estimate.program.table, cell.activity).place;
        let kind = match cell.activity {
            Activity::Block(_) => "block",
            Activity::Site(_) => "call",
        };
        split(
            &Row {
                kind,
                rank: Some(cell.rank),
                place,
                count: Some(cell.count),
                ..Row::default()
            },
            cell.split,
        )
    };
    estimate.cells.iter().flat_map(of_cell).collect()
}

fn path(estimate: &Estimate) -> Vec<Row> {
    let path = &estimate.explanation.critical_path;
    let row = |share: &base_data::explanation::PathShare| {
        let [what, place, to_place] = named(&estimate.program.table, share.item);
        Row {
            kind: "path",
            what,
            place,
            to_place,
            count: Some(share.count),
            time: Some(share.time),
            ..Row::default()
        }
    };
    path.shares.iter().map(row).collect()
}

fn named(table: &BlockTable, item: PathItem) -> [String; 3] {
    let place = |activity| super::estimate::name(table, activity).place;
    match item {
        PathItem::Block(block) => ["block".into(), place(Activity::Block(block)), String::new()],
        PathItem::Call(site) => ["call".into(), place(Activity::Site(site)), String::new()],
        PathItem::Message { send, receive } => [
            "message".into(),
            place(Activity::Site(send)),
            place(Activity::Site(receive)),
        ],
    }
}

fn late(estimate: &Estimate) -> Vec<Row> {
    let row = |late: &base_data::explanation::WaitState| Row {
        kind: "wait_state",
        rank: Some(late.rank),
        what: explanation::side(late.late).into(),
        place: estimate.program.table.site_place(late.site),
        to_place: estimate.program.table.site_place(late.other),
        count: Some(late.waits),
        time: Some(late.time),
        ..Row::default()
    };
    estimate.explanation.wait_states.iter().map(row).collect()
}

/// Points of the functions; a block is named by its place.
fn varied(estimate: &Estimate) -> Vec<Row> {
    let functions = estimate.explanation.sensitivities.iter();
    let rows = functions.flat_map(|function| {
        let named = explanation::parameter_name(&estimate.program.table, function.varied);
        let [what, place] = match function.varied {
            Varied::Network { .. } => [named, String::new()],
            Varied::Block(_) => ["block".into(), named],
        };
        function.points.iter().map(move |point| Row {
            kind: "sensitivity",
            what: what.clone(),
            place: place.clone(),
            factor: Some(point.factor),
            time: Some(point.total),
            ..Row::default()
        })
    });
    rows.collect()
}
