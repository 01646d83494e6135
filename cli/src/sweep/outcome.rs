//! Result of a sweep: its points with speed-up, efficiency and core-hours, and the recommended number of ranks.

use super::points::Point;
use super::run::PointResult;
use super::vary::{Setting, Variation};
use base_data::Time;
use estimator::scaling::{self, TimeOnRanks};
use serde::Serialize;
use std::collections::BTreeMap;

/// A sweep.
#[derive(Clone, Debug, Serialize)]
pub struct Sweep {
    /// The program.
    pub program: String,
    /// The varied parameters, in order.
    pub parameters: Vec<String>,
    /// Whether the number of ranks is one of them.
    pub varies_ranks: bool,
    /// Efficiency below which no number of ranks is recommended.
    pub minimum_efficiency: f64,
    /// The points, in order: the last parameter changes fastest.
    pub rows: Vec<Row>,
    /// Warnings, each with its points unless it concerns all.
    pub warnings: Vec<String>,
}

/// One point.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Value of each parameter.
    pub values: Vec<String>,
    /// Number of ranks.
    pub ranks: u32,
    /// Threads of each rank.
    pub threads: u32,
    /// Platform.
    pub platform: String,
    /// Network model.
    pub model: String,
    /// Whether the platform is the default because none was named.
    pub default_platform: bool,
    /// Predicted time.
    pub time: Time,
    /// Whether the time lacks computation, for which there are no data.
    pub communication_only: bool,
    /// 10th percentile; `None` without an interval.
    pub p10: Option<Time>,
    /// 90th percentile; `None` without an interval.
    pub p90: Option<Time>,
    /// Mean over ranks by [`base_data::estimate_file::Category::ALL`].
    pub split: Vec<Time>,
    /// Against the fewest ranks with the same other values; `None` where ranks are not varied.
    pub speed_up: Option<f64>,
    /// Speed-up per rank.
    pub efficiency: Option<f64>,
    /// Ranks times threads times hours.
    pub core_hours: f64,
    /// Time relative to that of the first values of all other parameters, on the same number of ranks.
    pub against_first: Option<f64>,
    /// Whether this number of ranks is the one to take with these other values.
    pub recommended: bool,
}

impl Sweep {
    /// Combines points and their results.
    pub fn new(
        program: String,
        variations: &[Variation],
        points: &[Point],
        found: Vec<PointResult>,
        minimum_efficiency: f64,
    ) -> Self {
        let warnings = warnings(variations, points, &found);
        let mut rows = Vec::new();
        for (point, found) in points.iter().zip(found) {
            rows.push(row(point, found));
        }
        let ranks = ranks_column(variations);
        if ranks.is_some() {
            scale(&mut rows, ranks, minimum_efficiency);
        }
        // Where only ranks are varied, the reference would be each point itself.
        if variations.len() > usize::from(ranks.is_some()) {
            compare_with_first(&mut rows, ranks);
        }
        let parameters = variations
            .iter()
            .map(|variation| variation.name.clone())
            .collect();
        Self {
            program,
            parameters,
            varies_ranks: ranks.is_some(),
            minimum_efficiency,
            rows,
            warnings,
        }
    }

    /// The rows by combination of all values but the number of ranks, in order of first appearance.
    pub fn series(&self) -> Vec<Series<'_>> {
        let mut ranks = None;
        if self.varies_ranks {
            ranks = self.parameters.iter().position(|name| name == RANKS);
        }
        let mut series = Vec::new();
        for group in groups(&self.rows, ranks) {
            let rows: Vec<&Row> = group.into_iter().map(|row| &self.rows[row]).collect();
            let values = others(rows[0], ranks);
            series.push(Series { values, rows });
        }
        series
    }
}

/// Rows that differ only in the number of ranks.
pub struct Series<'a> {
    /// Values of the other parameters.
    pub values: Vec<&'a str>,
    /// The rows.
    pub rows: Vec<&'a Row>,
}

/// Name of the parameter that is the number of ranks.
const RANKS: &str = "ranks";

fn ranks_column(variations: &[Variation]) -> Option<usize> {
    variations.iter().position(|variation| {
        let mut values = variation.values.iter();
        values.all(|value| matches!(value.setting, Setting::Ranks(_)))
    })
}

fn row(point: &Point, found: PointResult) -> Row {
    let threads = point.platform.file().threads_per_rank;
    Row {
        values: point.values.clone(),
        ranks: point.ranks,
        threads,
        platform: point.platform.name().into(),
        model: point.model.into(),
        default_platform: point.uses_default_platform,
        time: found.time,
        communication_only: found.communication_only,
        p10: found.p10,
        p90: found.p90,
        split: found.split,
        speed_up: None,
        efficiency: None,
        core_hours: scaling::core_hours(
            TimeOnRanks {
                ranks: point.ranks,
                time: found.time,
            },
            threads,
        ),
        against_first: None,
        recommended: false,
    }
}

/// The values of a row without that of one column.
fn others(row: &Row, without: Option<usize>) -> Vec<&str> {
    let mut values = Vec::new();
    for (column, value) in row.values.iter().enumerate() {
        if Some(column) != without {
            values.push(value.as_str());
        }
    }
    values
}

/// Numbers of the rows that agree in all columns but one, in the order of their first.
fn groups(rows: &[Row], without: Option<usize>) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        match groups
            .iter_mut()
            .find(|group| others(&rows[group[0]], without) == others(row, without))
        {
            Some(group) => group.push(number),
            None => groups.push(vec![number]),
        }
    }
    groups
}

fn scale(rows: &mut [Row], ranks: Option<usize>, minimum_efficiency: f64) {
    for group in groups(rows, ranks) {
        let mut series = Vec::new();
        for &row in &group {
            series.push(TimeOnRanks {
                ranks: rows[row].ranks,
                time: rows[row].time,
            });
        }
        if series.iter().all(|point| point.ranks == series[0].ranks) {
            // Speed-up relative to itself is always 1.
            continue;
        }
        let (speed_ups, efficiencies) =
            (scaling::speed_ups(&series), scaling::efficiencies(&series));
        for ((&row, speed_up), efficiency) in group.iter().zip(speed_ups).zip(efficiencies) {
            (rows[row].speed_up, rows[row].efficiency) = (speed_up, efficiency);
        }
        if let Some(best) = scaling::recommended(&series, minimum_efficiency) {
            rows[group[best]].recommended = true;
        }
    }
}

fn compare_with_first(rows: &mut [Row], ranks: Option<usize>) {
    // The first group holds the first values of all parameters but the ranks.
    let groups = groups(rows, ranks);
    let Some(group) = groups.first() else {
        return;
    };
    let mut first: BTreeMap<u32, Time> = BTreeMap::new();
    for &row in group {
        // Nothing has a ratio to a time of zero.
        if rows[row].time > Time::ZERO {
            first.entry(rows[row].ranks).or_insert(rows[row].time);
        }
    }
    for row in rows {
        let reference = first.get(&row.ranks);
        row.against_first = reference.map(|time| row.time.seconds() / time.seconds());
    }
}

/// Each warning once, with its points unless it concerns all.
fn warnings(variations: &[Variation], points: &[Point], found: &[PointResult]) -> Vec<String> {
    let mut all: Vec<(&str, Vec<usize>)> = Vec::new();
    for (number, found) in found.iter().enumerate() {
        for warning in &found.warnings {
            match all.iter_mut().find(|(known, _)| known == warning) {
                Some((_, points)) => points.push(number),
                None => all.push((warning, vec![number])),
            }
        }
    }
    let mut sentences = Vec::new();
    for (warning, concerned) in all {
        if concerned.len() == points.len() {
            sentences.push(warning.to_string());
            continue;
        }
        let first = super::points::point_name(variations, &points[concerned[0]].values);
        let more = match concerned.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        sentences.push(format!("{first}{more}: {warning}"));
    }
    sentences
}

#[cfg(test)]
mod tests;
