//! The charts of a sweep: time, and efficiency where ranks are varied. The x axis is the number of ranks, or the first
//! parameter where ranks are not varied; every combination of the other values is a line.

use super::super::chart::{Chart, Line, Point};
use crate::sweep::{Row, Sweep};
use base_data::Time;

/// Maximum number of lines that remain distinguishable.
const MOST_LINES: usize = 12;
/// Pieces of the line of full efficiency, so many that a curve looks like one.
const IDEAL_PIECES: u32 = 32;

/// Time with its interval; with ranks, also the time at full efficiency.
pub fn time(swept: &Sweep) -> Chart {
    let mut chart = chart(swept, "predicted time", |row| {
        let mut interval = None;
        if let (Some(low), Some(high)) = (row.p10, row.p90) {
            interval = Some((low.seconds(), high.seconds()));
        }
        Some(ChartValue {
            y: row.time.seconds(),
            interval,
        })
    });
    // A logarithmic axis has no place for zero.
    chart.logarithmic_y = swept
        .rows
        .iter()
        .all(|row| row.p10.unwrap_or(row.time) > Time::ZERO);
    chart.spelled = Some(spelled_time);
    if swept.varies_ranks
        && let Some(ideal) = ideal(swept)
    {
        chart.lines.push(ideal);
    }
    chart
}

/// A value of the y axis with its interval.
struct ChartValue {
    y: f64,
    interval: Option<(f64, f64)>,
}

/// Efficiency; without lines where ranks are not varied.
pub fn efficiency(swept: &Sweep) -> Chart {
    let mut chart = chart(swept, "parallel efficiency", |row| {
        Some(ChartValue {
            y: row.efficiency?,
            interval: None,
        })
    });
    chart.lines.retain(|line| !line.points.is_empty());
    chart.spelled = Some(|share| format!("{:.0} %", share * 100.0));
    chart
}

fn spelled_time(seconds: f64) -> String {
    Time::from_picoseconds((seconds * 1e12).round() as i64).to_string()
}

fn chart(swept: &Sweep, title: &str, value: impl Fn(&Row) -> Option<ChartValue>) -> Chart {
    let places = places(swept);
    let mut lines: Vec<Line> = Vec::new();
    for row in &swept.rows {
        let Some(value) = value(row) else {
            continue;
        };
        let place = place_name(swept, row);
        let index = places.iter().position(|name| *name == place).unwrap_or(0);
        let x = if swept.varies_ranks {
            f64::from(row.ranks)
        } else {
            index as f64
        };
        let point = Point {
            x,
            y: value.y,
            between: value.interval,
            is_marked: row.recommended,
        };
        let name = line_name(swept, row);
        match lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push(point),
            None => lines.push(Line {
                name,
                points: vec![point],
                is_ideal: false,
            }),
        }
    }
    lines.truncate(MOST_LINES);
    for line in &mut lines {
        // Ranks may be given in any order.
        line.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    let axis = if swept.varies_ranks {
        "ranks"
    } else {
        swept.parameters.first().map_or("", String::as_str)
    };
    Chart {
        title: title.into(),
        axis: axis.into(),
        places: numbered(swept, places),
        logarithmic_x: swept.varies_ranks,
        lines,
        ..Chart::default()
    }
}

/// Time at full efficiency from the fewest ranks of the first line.
fn ideal(swept: &Sweep) -> Option<Line> {
    let series = swept.series().into_iter().next()?;
    let base = series.rows.iter().min_by_key(|row| row.ranks)?;
    let most = series.rows.iter().map(|row| row.ranks).max()?;
    if base.time <= Time::ZERO {
        return None;
    }
    let work = base.time.seconds() * f64::from(base.ranks);
    let mut points = Vec::new();
    // Straight on logarithmic axes, but a curve where a time of zero makes the axis of times linear.
    let factor = f64::from(most) / f64::from(base.ranks);
    for piece in 0..=IDEAL_PIECES {
        let x = f64::from(base.ranks) * factor.powf(f64::from(piece) / f64::from(IDEAL_PIECES));
        points.push(Point {
            x,
            y: work / x,
            ..Point::default()
        });
    }
    Some(Line {
        name: "full efficiency".into(),
        points,
        is_ideal: true,
    })
}

fn place_name(swept: &Sweep, row: &Row) -> String {
    if swept.varies_ranks {
        row.ranks.to_string()
    } else {
        row.values.first().cloned().unwrap_or_default()
    }
}

/// Names of the places to the right, in order.
fn places(swept: &Sweep) -> Vec<String> {
    let mut rows: Vec<&Row> = swept.rows.iter().collect();
    if swept.varies_ranks {
        rows.sort_by_key(|row| row.ranks);
    }
    let mut names: Vec<String> = Vec::new();
    for row in rows {
        let name = place_name(swept, row);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn numbered(swept: &Sweep, places: Vec<String>) -> Vec<(f64, String)> {
    let mut numbered = Vec::new();
    for (index, name) in places.into_iter().enumerate() {
        let x = if swept.varies_ranks {
            name.parse().unwrap_or(1.0)
        } else {
            index as f64
        };
        numbered.push((x, name));
    }
    numbered
}

/// The values that are not on the x axis.
fn line_name(swept: &Sweep, row: &Row) -> String {
    let mut named = Vec::new();
    for (column, (name, value)) in swept.parameters.iter().zip(&row.values).enumerate() {
        let is_on_axis = if swept.varies_ranks {
            name == "ranks"
        } else {
            column == 0
        };
        if !is_on_axis {
            named.push(format!("{name}={value}"));
        }
    }
    named.join(" ")
}
