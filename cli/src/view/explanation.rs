//! The explanation of an estimate as sections: critical path, sensitivity to the network and to block times, wait states. They
//! are empty for estimates without an explanation.

use super::document::{ColumnStyle, Section, SectionElement, Table, TableCell};
use super::estimate::{marked_place, name};
use super::numbers;
use base_data::block_table::BlockTable;
use base_data::comm_data::LinkClass;
use base_data::compute_data::Unit;
use base_data::estimate_file::{Activity, Estimate, RankTime};
use base_data::explanation::{DelayedParty, PathItem, PathShare, Sensitivity, Varied, WaitState};
use base_data::{CallSiteId, Time};

/// Rows that a terminal shows.
const TOP: usize = 8;

/// All of it, in the order of a report.
pub fn sections(estimate: &Estimate) -> [Section; 4] {
    [
        critical_path(estimate),
        network_sensitivity(estimate),
        compute_sensitivity(estimate),
        wait_states(estimate),
    ]
}

/// Composition of the critical path.
pub fn critical_path(estimate: &Estimate) -> Section {
    let path = &estimate.explanation.critical_path;
    if path.shares.is_empty() {
        return Section::default();
    }
    let (amounts, unit) = match estimate.unit {
        Unit::Time => ("time", ""),
        Unit::Statements => ("statements", " statements"),
    };
    let heading = format!(
        "critical path  {}{unit}, mean values; ends on rank {} after {}",
        numbers::amount(estimate.unit, path.length),
        path.last_rank,
        numbers::counted(path.changes, "rank switch", "rank switches")
    );
    let rows = path
        .shares
        .iter()
        .map(|share| path_row(estimate, share, (estimate.unit, path.length)));
    let columns = [
        ("share", ColumnStyle::Share),
        (amounts, ColumnStyle::Number),
        ("times", ColumnStyle::Number),
        ("what", ColumnStyle::Words),
        ("where", ColumnStyle::Place),
        ("to", ColumnStyle::Place),
    ];
    Section::new(
        heading,
        [SectionElement::Table(
            Table::new(columns, rows).showing(TOP),
        )],
    )
}

fn path_row(
    estimate: &Estimate,
    share: &PathShare,
    (unit, length): (Unit, Time),
) -> [TableCell; 6] {
    let [what, place, to] = item(estimate, share.item).map(TableCell::from);
    let of_all = TableCell::share(numbers::share(share.time, length));
    [
        of_all,
        TableCell::amount(unit, share.time),
        TableCell::count(share.count),
        what,
        place,
        to,
    ]
}

/// Name, place and destination of a part of the path.
fn item(estimate: &Estimate, item: PathItem) -> [String; 3] {
    let of = |activity| {
        (
            marked_place(estimate, activity),
            name(&estimate.program.table, activity).function,
        )
    };
    match item {
        PathItem::Block(block) => {
            let (place, what) = of(Activity::Block(block));
            [what, place, String::new()]
        }
        PathItem::Call(site) => {
            let (place, function) = of(Activity::Site(site));
            [format!("time inside {function}"), place, String::new()]
        }
        PathItem::Message { send, receive } => {
            let [(from, sends), (to, receives)] =
                [send, receive].map(|site| of(Activity::Site(site)));
            if send == receive {
                [format!("messages of {sends}"), from, String::new()]
            } else {
                [format!("{sends} → {receives}"), from, to]
            }
        }
    }
}

/// `latency between nodes`, or the place of a block.
pub fn parameter_name(table: &BlockTable, varied: Varied) -> String {
    match varied {
        Varied::Network { time, link } => format!("{} {}", time.label(), on(link)),
        Varied::Block(block) => name(table, Activity::Block(block)).place,
    }
}

fn on(link: LinkClass) -> String {
    match link {
        LinkClass::ToSelf => "to the own rank".into(),
        LinkClass::InsideNode => "inside a node".into(),
        LinkClass::BetweenNodes => "between nodes".into(),
        LinkClass::Switches(count) => format!("over {count} switches"),
    }
}

/// Sensitivity to network parameters.
pub fn network_sensitivity(estimate: &Estimate) -> Section {
    let is_network = |found: &&Sensitivity| matches!(found.varied, Varied::Network { .. });
    let rows = estimate
        .explanation
        .sensitivities
        .iter()
        .filter(is_network)
        .map(|found| {
            let [none, half, twice] = [0.0, 0.5, 2.0].map(|factor| change(found, factor));
            let [own, share] = slope(estimate, found);
            [
                parameter_name(&estimate.program.table, found.varied).into(),
                own,
                share,
                none,
                half,
                twice,
                linear_range(found),
            ]
        });
    let columns = [
        ("parameter", ColumnStyle::Words),
        ("on the path", ColumnStyle::Number),
        ("share", ColumnStyle::Share),
        ("× 0", ColumnStyle::Number),
        ("× 0.5", ColumnStyle::Number),
        ("× 2", ColumnStyle::Number),
        ("linear range", ColumnStyle::Words),
    ];
    Section::new(
        "network sensitivity",
        [SectionElement::Table(Table::new(columns, rows))],
    )
}

/// Sensitivity to block times.
pub fn compute_sensitivity(estimate: &Estimate) -> Section {
    let rows = estimate
        .explanation
        .sensitivities
        .iter()
        .filter_map(|found| {
            let Varied::Block(_) = found.varied else {
                return None;
            };
            let [faster, twice, ten_times] =
                // Columns name speeds, factors are of times.
                [1.0 / 1.2, 0.5, 0.1].map(|factor| change(found, factor));
            let [own, share] = slope(estimate, found);
            let place = parameter_name(&estimate.program.table, found.varied).into();
            Some([
                place,
                own,
                share,
                faster,
                twice,
                ten_times,
                linear_range(found),
            ])
        });
    let columns = [
        ("block", ColumnStyle::Place),
        ("on the path", ColumnStyle::Number),
        ("share", ColumnStyle::Share),
        ("20 % faster", ColumnStyle::Number),
        ("2 × faster", ColumnStyle::Number),
        ("10 × faster", ColumnStyle::Number),
        ("linear range", ColumnStyle::Words),
    ];
    Section::new(
        "compute sensitivity",
        [SectionElement::Table(Table::new(columns, rows))],
    )
}

fn slope(estimate: &Estimate, found: &Sensitivity) -> [TableCell; 2] {
    let length = estimate.explanation.critical_path.length;
    if length == Time::ZERO || found.slope == Time::ZERO && !found.exact {
        // If messages delay each other, the total is not differentiable here.
        return [TableCell::default(), TableCell::default()];
    }
    [
        TableCell::amount(estimate.unit, found.slope),
        TableCell::share(numbers::share(found.slope, length)),
    ]
}

/// `-6.1 %`: relative change of the total if the parameter is multiplied by `factor`.
fn change(found: &Sensitivity, factor: f64) -> TableCell {
    let total = |factor: f64| {
        found
            .points
            .iter()
            // Equal bit by bit: the estimator evaluates the same constants.
            .find(|point| point.factor == factor)
            .map(|point| point.total)
    };
    let (Some(changed), Some(present)) = (total(factor), total(1.0)) else {
        return TableCell::default();
    };
    let share = numbers::share(changed - present, present);
    TableCell {
        text: numbers::change(share),
        key: Some(share),
    }
}

/// `0.31 to 1.42 ×`: the range of factors in which the total is linear in the parameter.
fn linear_range(found: &Sensitivity) -> TableCell {
    let [low, high] = found.straight;
    // No factor above the last was evaluated, so the range may extend further. Below 0 there are no factors.
    let reaches_last = found
        .points
        .last()
        .is_some_and(|point| high >= point.factor);
    let text = if found.exact && !reaches_last {
        format!("{low:.2} to {high:.2} ×")
    } else if low == high && !found.exact {
        "unknown".into()
    } else {
        format!("{low:.2} to {high:.2}+ ×")
    };
    TableCell {
        text,
        key: Some(high - low),
    }
}

/// Wait states by call site.
pub fn wait_states(estimate: &Estimate) -> Section {
    let rows = estimate
        .explanation
        .wait_states
        .iter()
        .map(|late| wait_state_row(estimate, late));
    let columns = [
        ("share", ColumnStyle::Share),
        ("mean", ColumnStyle::Number),
        ("longest (rank)", ColumnStyle::Number),
        ("waits", ColumnStyle::Number),
        ("at", ColumnStyle::Place),
        ("for", ColumnStyle::Place),
        ("late (rank)", ColumnStyle::Words),
    ];
    Section::new(
        "wait states",
        [SectionElement::Table(
            Table::new(columns, rows).showing(TOP),
        )],
    )
}

fn wait_state_row(estimate: &Estimate, late: &WaitState) -> [TableCell; 7] {
    let place = |site: CallSiteId| estimate.program.table.site_place(site);
    let mean = Time::from_picoseconds(late.time.picoseconds() / i64::from(estimate.ranks.max(1)));
    let all: Time = estimate.per_rank.iter().map(RankTime::time).sum();
    let longest = TableCell::amount(estimate.unit, late.longest);
    [
        TableCell::share(numbers::share(late.time, all)),
        TableCell::amount(estimate.unit, mean),
        TableCell {
            text: format!("{} ({})", longest.text, late.rank),
            ..longest
        },
        TableCell::count(late.waits),
        place(late.site).into(),
        place(late.other).into(),
        format!("{} ({})", side(late.late), late.late_rank).into(),
    ]
}

/// Name of the delayed party.
pub fn side(late: DelayedParty) -> &'static str {
    match late {
        DelayedParty::Sender => "sender",
        DelayedParty::Receiver => "receiver",
        DelayedParty::Collective => "collective",
    }
}
