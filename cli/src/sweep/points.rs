//! The points of a sweep: every combination of values, in the order in which they were given, each with the platform that
//! it stands for. Nothing runs before all of them make sense.

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
    /// Whether no value names the platform.
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
    let combined = combinations(variations);
    let made = combined.iter().map(|values| {
        point(values, ranks, arguments)
            .with_context(|| point_name(variations, values.iter().map(|value| &*value.text)))
    });
    made.collect()
}

/// What a point is called: `ranks=4 latency=2x`.
pub fn point_name<'a>(variations: &[Variation], values: impl Iterator<Item = &'a str>) -> String {
    let pairs = variations
        .iter()
        .zip(values)
        .map(|(variation, value)| format!("{}={value}", variation.name));
    pairs.collect::<Vec<_>>().join(" ")
}

fn combinations(variations: &[Variation]) -> Vec<Vec<&Value>> {
    variations
        .iter()
        .fold(vec![Vec::new()], |shorter, variation| {
            let longer = |values: &Vec<_>| {
                let values = values.clone();
                variation
                    .values
                    .iter()
                    .map(move |value| [values.clone(), vec![value]].concat())
            };
            shorter.iter().flat_map(longer).collect()
        })
}

fn point(values: &[&Value], ranks: Option<u32>, arguments: &SweepArgs) -> Result<Point> {
    let mut ranks = ranks;
    let mut name = platform::name(&arguments.platform);
    let mut uses_default_platform = true;
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
    // Where ranks are decides which links are in use, and so which model there is.
    let (network, places): (Vec<_>, Vec<_>) = changes
        .into_iter()
        .partition(|(_, change)| is_of_network(change));
    for (link, change) in places {
        platform = platform.changed("", link, change)?;
    }
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
