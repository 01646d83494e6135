//! A comparison as comma-separated values: one row per number, with columns whose names and order
//! stay. What they mean is in docs/guide/compare.md.

use super::super::csv_fields::{number, quoted, word};
use base_data::Time;
use base_data::compute_data::Unit;
use estimator::comparison::{
    Both, Comparison, ComponentDifference, Named, Predicted, RankTimes, TimeComponent, Times,
};

const HEADER: &str = "kind,rank,place,function,to_place,to_function,executions_a,executions_b,a,b,difference,share,unit\n";

/// All numbers of a comparison; only the header where there are no times.
pub fn csv(found: &Comparison) -> String {
    let rows = found.times.iter().flat_map(rows);
    std::iter::once(HEADER.to_string()).chain(rows).collect()
}

fn rows(times: &Times) -> Vec<String> {
    let unit = times.unit;
    let totals = &times.totals;
    let mut rows = vec![row("total", "", unit, totals.time)];
    let percentile = |which: fn(&Predicted) -> Time| {
        totals
            .predicted
            .map(|found| found.map(|found| which(&found)))
    };
    rows.extend(one_sided("p10", unit, percentile(|found| found.p10)));
    rows.extend(one_sided("p90", unit, percentile(|found| found.p90)));
    rows.push(row(
        "longest",
        "",
        unit,
        totals.longest.map(|longest| longest.time),
    ));
    rows.push(row("mean", "mean", unit, totals.mean));
    let parts = [&times.parts, &times.calls, &times.gaps, &times.blocks];
    rows.extend(parts.into_iter().flatten().map(|part| part_row(unit, part)));
    rows.extend(times.ranks.iter().flat_map(|rank| rank_rows(unit, rank)));
    rows
}

fn row(kind: &str, rank: &str, unit: Unit, values: Both<Time>) -> String {
    let difference = number(unit, values.b - values.a);
    let values = values.map(|value| number(unit, value));
    format!(
        "{kind},{rank},,,,,,,{},{},{difference},,{}\n",
        values.a,
        values.b,
        word(unit)
    )
}

/// A number that a side may not have.
fn one_sided(kind: &str, unit: Unit, values: Both<Option<Time>>) -> Option<String> {
    if values == Both::default() {
        return None;
    }
    let values = values.map(|value| value.map_or(String::new(), |value| number(unit, value)));
    Some(format!(
        "{kind},,,,,,,,{},{},,,{}\n",
        values.a,
        values.b,
        word(unit)
    ))
}

fn rank_rows(unit: Unit, rank: &RankTimes) -> [String; 4] {
    let number = rank.rank.to_string();
    [
        ("rank", rank.total),
        ("computing", rank.computing),
        ("waiting", rank.waiting),
        ("calls", rank.calls),
    ]
    .map(|(kind, values)| row(kind, &number, unit, values))
}

fn part_row(unit: Unit, part: &ComponentDifference) -> String {
    let (kind, [at, to]) = names(&part.what);
    let names = [&at.place, &at.function, &to.place, &to.function]
        .map(|name| quoted(name))
        .join(",");
    let values = part.mean.map(|value| number(unit, value));
    let share = part
        .share
        .map_or(String::new(), |share| format!("{share:.9}"));
    format!(
        "{kind},mean,{names},{},{},{},{},{},{share},{}\n",
        part.executions.a,
        part.executions.b,
        values.a,
        values.b,
        number(unit, part.difference),
        word(unit)
    )
}

fn names(what: &TimeComponent) -> (&'static str, [Named; 2]) {
    let none = Named::default;
    match what {
        TimeComponent::Computing => ("computing", [none(), none()]),
        TimeComponent::Waiting => ("waiting", [none(), none()]),
        TimeComponent::Calls => ("calls", [none(), none()]),
        TimeComponent::Call { at } => ("call", [at.clone(), none()]),
        TimeComponent::Gap { from, to } => ("gap", [from.clone(), to.clone()]),
        TimeComponent::Block { at } => ("block", [at.clone(), none()]),
        TimeComponent::BesideBlocks => ("outside-blocks", [none(), none()]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::samples::comparison::{compared, observed};
    use super::*;

    #[test]
    fn rows_equal_the_golden_file() {
        let rows = csv(&compared(&observed()));
        expect_test::expect_file!["../golden/comparison.csv"].assert_eq(&rows);
    }
}
