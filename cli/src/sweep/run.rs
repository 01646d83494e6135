//! Estimates all points of a sweep in parallel on all cores, and keeps the results that the sweep shows.

use super::base::SweepData;
use super::points::Point;
use crate::args::SweepArgs;
use crate::platform;
use crate::view::estimate::{has_interval, is_communication_only};
use base_data::Time;
use base_data::estimate_file::{Category, Estimate};
use estimator::{Inputs, Options};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::io::IsTerminal;
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Result of a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointResult {
    /// Predicted time.
    pub time: Time,
    /// Whether it lacks computation, for which there are no data.
    pub communication_only: bool,
    /// 10th percentile; `None` without an interval, see [`has_interval`].
    pub p10: Option<Time>,
    /// 90th percentile; `None` without an interval.
    pub p90: Option<Time>,
    /// Mean over ranks by [`Category::ALL`].
    pub split: Vec<Time>,
    /// Warnings of the estimate.
    pub warnings: Vec<String>,
}

impl PointResult {
    fn of(estimate: Estimate) -> Self {
        let ranks = estimate.per_rank.len().max(1) as i64;
        let mean = |category: usize| -> Time {
            let sum: Time = estimate
                .per_rank
                .iter()
                .map(|rank| rank.split[category])
                .sum();
            Time::from_picoseconds(sum.picoseconds() / ranks)
        };
        let has_interval = has_interval(&estimate);
        let communication_only = is_communication_only(&estimate);
        let mut warnings = estimate.warnings;
        if communication_only {
            warnings.push(
                "The time is that of communication only, since there are no compute data.".into(),
            );
        }
        let percentile = |time: Time| if has_interval { Some(time) } else { None };
        Self {
            time: estimate.headline,
            communication_only,
            p10: percentile(estimate.p10),
            p90: percentile(estimate.p90),
            split: Category::ALL.map(|category| mean(category.index())).into(),
            warnings,
        }
    }
}

/// Estimates the points with these numbers. The results have the same order, so the output does not depend on timing.
pub fn run(
    points: &[Point],
    numbers: &[usize],
    base: &SweepData,
    arguments: &SweepArgs,
) -> Vec<Result<PointResult, String>> {
    let done = AtomicUsize::new(0);
    let shows = std::io::stderr().is_terminal();
    let estimated = |&number: &usize| {
        let found = estimate(&points[number], base, arguments);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if shows {
            // A closed standard error does not end a sweep.
            _ = write!(
                std::io::stderr(),
                "\rmpiete: {done} of {} estimated",
                numbers.len()
            );
        }
        found
    };
    let found = numbers.par_iter().map(estimated).collect();
    if shows && !numbers.is_empty() {
        // The progress line has no line end.
        report!();
    }
    found
}

fn estimate(point: &Point, base: &SweepData, arguments: &SweepArgs) -> Result<PointResult, String> {
    let program = base
        .programs
        .get(&point.ranks)
        .ok_or_else(|| format!("no program data for {} ranks", point.ranks))?;
    let options = Options {
        model: Some(point.model.into()),
        draws: arguments.platform.draws,
        seed: arguments.platform.seed,
        // No format of a sweep shows a timeline, and it would take most of the memory.
        timeline: false,
        ..Options::default()
    };
    let inputs = Inputs {
        program,
        compute: base.compute(point.ranks),
    };
    let mut result = estimator::estimate(&inputs, &point.platform, &options)
        .map_err(|error| error.to_string())?;
    result.warnings.extend(base.unpredicted.iter().cloned());
    if point.uses_default_platform {
        result
            .warnings
            .extend(platform::default_platform_note(&arguments.platform));
    }
    Ok(PointResult::of(result))
}
