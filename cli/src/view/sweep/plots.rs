//! The charts of a sweep: time, and efficiency where ranks are varied. To the right goes the number of ranks, or the first
//! parameter where that is not varied; every combination of the other values is a line.

use super::super::chart::{Chart, Line, Point};
use crate::sweep::{Row, Sweep};
use base_data::Time;

/// Lines that can be told apart.
const MOST_LINES: usize = 12;

/// Time with its interval; with ranks, also what it would be at full efficiency.
pub fn time(swept: &Sweep) -> Chart {
    let point = |row: &Row| {
        let between = row
            .p10
            .zip(row.p90)
            .map(|(low, high)| (low.seconds(), high.seconds()));
        Some((row.time.seconds(), between))
    };
    let mut chart = chart(swept, "predicted time", point);
    chart.logarithmic_y = swept
        .rows
        .iter()
        .all(|row| row.p10.unwrap_or(row.time) > Time::ZERO);
    chart.spelled = Some(spelled_time);
    if let Some(ideal) = swept.varies_ranks.then(|| ideal(swept)).flatten() {
        chart.lines.push(ideal);
    }
    chart
}

/// Efficiency; without lines where ranks are not varied.
pub fn efficiency(swept: &Sweep) -> Chart {
    let mut chart = chart(swept, "parallel efficiency", |row| {
        row.efficiency.map(|share| (share, None))
    });
    chart.lines.retain(|line| !line.points.is_empty());
    chart.spelled = Some(|share| format!("{:.0} %", share * 100.0));
    chart
}

fn spelled_time(seconds: f64) -> String {
    Time::from_picoseconds((seconds * 1e12).round() as i64).to_string()
}

fn chart(
    swept: &Sweep,
    what: &str,
    value: impl Fn(&Row) -> Option<(f64, Option<(f64, f64)>)>,
) -> Chart {
    let places = places(swept);
    let at = |row: &Row| {
        places
            .iter()
            .position(|name| *name == place_name(swept, row))
    };
    let x = |row: &Row| {
        if swept.varies_ranks {
            f64::from(row.ranks)
        } else {
            at(row).unwrap_or(0) as f64
        }
    };
    let mut lines: Vec<Line> = Vec::new();
    for row in &swept.rows {
        let Some((y, between)) = value(row) else {
            continue;
        };
        let point = Point {
            x: x(row),
            y,
            between,
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
    lines
        .iter_mut()
        .for_each(|line| line.points.sort_by(|a, b| a.x.total_cmp(&b.x)));
    let axis = if swept.varies_ranks {
        "ranks"
    } else {
        swept.parameters.first().map_or("", String::as_str)
    };
    Chart {
        title: what.into(),
        axis: axis.into(),
        places: numbered(swept, &places),
        logarithmic_x: swept.varies_ranks,
        lines,
        ..Chart::default()
    }
}

/// Time at full efficiency from the fewest ranks of the first line.
fn ideal(swept: &Sweep) -> Option<Line> {
    let (_, rows) = swept.series().into_iter().next()?;
    let base = rows.iter().min_by_key(|row| row.ranks)?;
    let most = rows.iter().map(|row| row.ranks).max()?;
    let at = |ranks: u32| {
        let y = base.time.seconds() * f64::from(base.ranks) / f64::from(ranks);
        Point {
            x: f64::from(ranks),
            y,
            ..Point::default()
        }
    };
    let points = vec![at(base.ranks), at(most)];
    (base.time > Time::ZERO).then(|| Line {
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

fn numbered(swept: &Sweep, places: &[String]) -> Vec<(f64, String)> {
    let x = |(at, name): (usize, &String)| {
        let x = if swept.varies_ranks {
            name.parse().unwrap_or(1.0)
        } else {
            at as f64
        };
        (x, name.clone())
    };
    places.iter().enumerate().map(x).collect()
}

/// The values that are not on the x axis.
fn line_name(swept: &Sweep, row: &Row) -> String {
    let on_axis = |column: usize| match swept.varies_ranks {
        true => swept.parameters[column] == "ranks",
        false => column == 0,
    };
    let named = swept
        .parameters
        .iter()
        .zip(&row.values)
        .enumerate()
        .filter(|(column, _)| !on_axis(*column));
    named
        .map(|(_, (name, value))| format!("{name}={value}"))
        .collect::<Vec<_>>()
        .join(" ")
}
