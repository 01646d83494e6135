//! What is derived of points: speed-up within a series, times against the first values, warnings once.

use super::super::vary;
use super::*;

fn found(seconds: i64, warnings: &[&str]) -> PointResult {
    let time = Time::from_nanoseconds(seconds * 1_000_000_000);
    let warnings = warnings.iter().map(ToString::to_string).collect();
    PointResult {
        time,
        communication_only: false,
        p10: Some(time),
        p90: Some(time),
        split: vec![time; 6],
        warnings,
    }
}

/// A point for each combination of the values.
fn swept(vary: &str, found: Vec<PointResult>) -> Sweep {
    let variations = vary::parse(&[vary.to_string()]).unwrap();
    let platform = machine::platforms::load("myrinet-2001").unwrap();
    let combined =
        variations
            .iter()
            .fold(vec![Vec::new()], |shorter: Vec<Vec<String>>, variation| {
                let texts = || {
                    variation
                        .values
                        .iter()
                        .map(|value| vec![value.text.clone()])
                };
                shorter
                    .iter()
                    .flat_map(|values| texts().map(|text| [values.clone(), text].concat()))
                    .collect()
            });
    let point = |values: Vec<String>| {
        let ranks = values
            .iter()
            .find_map(|value| value.parse().ok())
            .unwrap_or(16);
        Point {
            values,
            ranks,
            platform: platform.clone(),
            uses_default_platform: false,
            model: "loggps",
        }
    };
    let points: Vec<Point> = combined.into_iter().map(point).collect();
    Sweep::new("cg".into(), &variations, &points, found, 0.5)
}

#[test]
fn series_are_scaled_separately() {
    let times = [40, 20, 20, 15, 16, 12];
    let found = swept(
        "ranks=2,4,8,latency=1x,0.5x",
        times.map(|time| found(time, &[])).into(),
    );
    let efficiency: Vec<f64> = found.rows.iter().filter_map(|row| row.efficiency).collect();
    assert_eq!(efficiency, [1.0, 1.0, 1.0, 20.0 / 30.0, 0.625, 20.0 / 48.0]);
    let recommended: Vec<u32> = found
        .rows
        .iter()
        .filter(|row| row.recommended)
        .map(|row| row.ranks)
        .collect();
    assert_eq!(
        recommended,
        [4, 8],
        "half the latency is efficient up to 4 ranks, the whole up to 8"
    );
    let against: Vec<f64> = found
        .rows
        .iter()
        .filter_map(|row| row.against_first)
        .collect();
    assert_eq!(against, [1.0, 0.5, 1.0, 0.75, 1.0, 0.75]);
    let series = found.series();
    assert_eq!(
        series
            .iter()
            .map(|series| (series.values[0], series.rows.len()))
            .collect::<Vec<_>>(),
        [("1x", 3), ("0.5x", 3)]
    );
}

#[test]
fn without_ranks_there_is_no_speed_up() {
    let found = swept("latency=1x,0.5x", vec![found(40, &[]), found(30, &[])]);
    assert!(
        found
            .rows
            .iter()
            .all(|row| row.speed_up.is_none() && !row.recommended)
    );
    assert_eq!(found.rows[1].against_first, Some(0.75));
    assert_eq!(found.rows[0].core_hours, 16.0 * 40.0 / 3600.0);
}

#[test]
fn warnings_are_listed_once() {
    let all = vec![
        found(4, &["a"]),
        found(3, &["a", "b"]),
        found(2, &["a", "b"]),
    ];
    assert_eq!(
        swept("ranks=2,4,8", all).warnings,
        ["a", "ranks=4 and 1 more: b"]
    );
}
