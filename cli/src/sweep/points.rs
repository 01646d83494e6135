//! The points of a sweep: every combination of values, in the given order, each with its platform. All points are checked
//! before anything runs.

use super::vary::{Setting, Value, Variation};
use crate::args::SweepArgs;
use crate::platform;
use anyhow::{Context, Result};
use machine::Platform;
use machine::platform::Change;

/// One combination of values.
pub struct Point {
    /// The text of each parameter's value.
    pub values: Vec<String>,
    /// Number of ranks.
    pub ranks: u32,
    /// The platform as the values have it.
    pub platform: Platform,
    /// Whether neither a value nor an argument names the platform.
    pub uses_default_platform: bool,
    /// Network model.
    pub model: &'static str,
}

/// Makes all points; those without a number of ranks take `ranks`. The last parameter changes fastest.
///
/// # Errors
/// The point and why there is no such platform.
pub fn points(
    variations: &[Variation],
    ranks: Option<u32>,
    arguments: &SweepArgs,
) -> Result<Vec<Point>> {
    let mut points = Vec::new();
    for values in combinations(variations) {
        let texts: Vec<String> = values.iter().map(|value| value.text.clone()).collect();
        let point = point(&values, ranks, arguments).with_context(|| {
            if variations.is_empty() {
                "sweep".to_string()
            } else {
                point_name(variations, &texts)
            }
        })?;
        points.push(point);
    }
    Ok(points)
}

/// Name of a point: `ranks=4 latency=2x`.
pub fn point_name(variations: &[Variation], values: &[String]) -> String {
    let mut pairs = Vec::new();
    for (variation, value) in variations.iter().zip(values) {
        pairs.push(format!("{}={value}", variation.name));
    }
    pairs.join(" ")
}

fn combinations(variations: &[Variation]) -> Vec<Vec<&Value>> {
    // One combination without values: a sweep without parameters has one point.
    let mut combinations = vec![Vec::new()];
    for variation in variations {
        let mut longer = Vec::new();
        for values in &combinations {
            for value in &variation.values {
                let mut values = values.clone();
                values.push(value);
                longer.push(values);
            }
        }
        combinations = longer;
    }
    combinations
}

fn point(values: &[&Value], ranks: Option<u32>, arguments: &SweepArgs) -> Result<Point> {
    let mut ranks = ranks;
    let mut name = platform::name(&arguments.platform);
    let mut uses_default_platform = platform::default_platform_note(&arguments.platform).is_some();
    let mut model = arguments.platform.model.as_ref();
    let mut changes = Vec::new();
    for value in values {
        match &value.setting {
            Setting::Ranks(wanted) => ranks = Some(*wanted),
            Setting::Platform(wanted) => (name, uses_default_platform) = (wanted, false),
            Setting::Model(wanted) => model = Some(wanted),
            Setting::Change(link, change) => changes.push((*link, change)),
        }
    }
    let ranks = ranks.context("give the number of ranks with -n or --vary ranks=…")?;
    let mut platform = platform::scaled(
        platform::named(name, &arguments.platform.comm, ranks)?,
        &arguments.platform,
    )?;
    // The placement determines which links are in use, and these the default model: placements are applied first.
    let (network, places): (Vec<_>, Vec<_>) = changes
        .into_iter()
        .partition(|(_, change)| is_of_network(change));
    for (link, change) in places {
        platform = platform.changed("", link, change)?;
    }
    // After the placement, which changes how many ranks fit.
    platform.check_capacity(ranks)?;
    let model = estimator::model_for(&platform, model.map(String::as_str), ranks)?;
    for (link, change) in network {
        platform = platform.changed(model, link, change)?;
    }
    estimator::check_model(&platform, model, ranks)?;
    let values = values.iter().map(|value| value.text.clone()).collect();
    Ok(Point {
        values,
        ranks,
        platform,
        uses_default_platform,
        model,
    })
}

fn is_of_network(change: &Change) -> bool {
    match change {
        Change::Latency(_)
        | Change::Overhead(_)
        | Change::OverheadPerByte(_)
        | Change::Bandwidth(_)
        | Change::EagerThreshold(_) => true,
        Change::Speed(_)
        | Change::RanksPerNode(_)
        | Change::Placement(_)
        | Change::Pieces(_)
        | Change::Algorithm(..) => false,
    }
}
