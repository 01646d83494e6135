//! What a sweep found: its points with speed-up, efficiency and core-hours, and how many ranks to take.

use super::points::Point;
use super::run::PointResult;
use super::vary::{Setting, Variation};
use base_data::Time;
use estimator::scaling::{self, TimeOnRanks};
use serde::Serialize;

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
    /// What the user should know, each with the points it is about where those are not all.
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
    /// Predicted time.
    pub time: Time,
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
    /// Puts points and what was found for them together.
    pub fn new(
        program: String,
        variations: &[Variation],
        points: &[Point],
        found: Vec<PointResult>,
        minimum_efficiency: f64,
    ) -> Self {
        let warnings = warnings(variations, points, &found);
        let mut rows: Vec<Row> = points
            .iter()
            .zip(found)
            .map(|(point, found)| row(point, found))
            .collect();
        let ranks = ranks_column(variations);
        if ranks.is_some() {
            scale(&mut rows, ranks, minimum_efficiency);
        }
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

    /// The rows of one combination of all values but the number of ranks, in order of their first.
    pub fn series(&self) -> Vec<(Vec<&str>, Vec<&Row>)> {
        let ranks = self
            .varies_ranks
            .then(|| self.parameters.iter().position(|name| name == RANKS))
            .flatten();
        let groups = groups(&self.rows, ranks);
        let rows = |group: Vec<usize>| -> Vec<&Row> {
            group.into_iter().map(|row| &self.rows[row]).collect()
        };
        groups
            .into_iter()
            .map(|group| (others(&self.rows[group[0]], ranks), rows(group)))
            .collect()
    }
}

/// Name of the parameter that is the number of ranks.
const RANKS: &str = "ranks";

fn ranks_column(variations: &[Variation]) -> Option<usize> {
    let is_ranks = |variation: &Variation| {
        variation
            .values
            .iter()
            .all(|value| matches!(value.setting, Setting::Ranks(_)))
    };
    variations.iter().position(is_ranks)
}

fn row(point: &Point, found: PointResult) -> Row {
    let threads = point.platform.file().threads_per_rank;
    Row {
        values: point.values.clone(),
        ranks: point.ranks,
        threads,
        platform: point.platform.name().into(),
        model: point.model.into(),
        time: found.time,
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
    let kept = row
        .values
        .iter()
        .enumerate()
        .filter(|(column, _)| Some(*column) != without);
    kept.map(|(_, value)| value.as_str()).collect()
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
        let point = |&row: &usize| TimeOnRanks {
            ranks: rows[row].ranks,
            time: rows[row].time,
        };
        let series: Vec<TimeOnRanks> = group.iter().map(point).collect();
        if series.iter().all(|point| point.ranks == series[0].ranks) {
            continue; // Against itself it is as fast as itself, which says nothing.
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
    let first: Vec<(u32, Time)> = match groups(rows, ranks).first() {
        Some(group) => group
            .iter()
            .map(|&row| (rows[row].ranks, rows[row].time))
            .collect(),
        None => return,
    };
    for row in rows {
        let known = first
            .iter()
            .find(|(ranks, time)| *ranks == row.ranks && *time > Time::ZERO);
        row.against_first = known.map(|(_, time)| row.time.seconds() / time.seconds());
    }
}

/// Each warning once, with the points it is about unless it is about all.
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
    let told = |(warning, about): (&str, Vec<usize>)| {
        if about.len() == points.len() {
            return warning.to_string();
        }
        let values = points[about[0]].values.iter().map(String::as_str);
        let more = match about.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!(
            "{}{more}: {warning}",
            super::points::point_name(variations, values)
        )
    };
    all.into_iter().map(told).collect()
}

#[cfg(test)]
mod tests;
