//! The predicted time with its interval, as a sentence and as a small bar.

use super::super::assumptions::bounds;
use super::super::{estimate as shown, numbers};
use super::escaped;
use base_data::Time;
use base_data::estimate_file::Estimate;

/// The block on top of an estimate's page.
pub fn headline(estimate: &Estimate) -> String {
    let what = shown::what(estimate.unit);
    format!(
        "<section class=\"headline\" aria-label=\"{what}\">\n<div>\n<p class=\"name\">{what}</p>\n\
         <p class=\"time\">{}{}</p>\n<p class=\"interval\">{}</p>\n</div>\n{}{}</section>\n",
        bounds(estimate),
        escaped(&numbers::amount(estimate.unit, estimate.headline)),
        escaped(&shown::interval(estimate)),
        bar(estimate),
        facts(estimate),
    )
}

fn facts(estimate: &Estimate) -> String {
    let fact = |name: &str, value: String| match value.as_str() {
        "" => String::new(),
        value => format!("<dt>{name}</dt><dd>{}</dd>\n", escaped(value)),
    };
    let facts = [
        fact("section", crate::section::of_program(&estimate.program)),
        fact("without noise", shown::without_noise(estimate)),
        fact("extrapolated", shown::extrapolated(estimate)),
        fact("replayed", shown::replayed(estimate)),
    ];
    format!("<dl>\n{}</dl>\n", facts.concat())
}

/// The interval drawn to scale, with as much room on either side as it is half wide.
fn bar(estimate: &Estimate) -> String {
    if !shown::has_interval(estimate) {
        return String::new();
    }
    let (low, high) = (estimate.p10.seconds(), estimate.p90.seconds());
    let room = (high - low) / 2.0;
    let position = |time: Time| {
        let place = (time.seconds() - (low - room)) / (high - low + 2.0 * room);
        (place * 100.0).clamp(0.0, 100.0)
    };
    format!(
        "<div class=\"bar\" aria-hidden=\"true\">\n<div class=\"track\"></div>\n\
         <div class=\"between\" style=\"left:{:.2}%;right:{:.2}%\"></div>\n\
         <div class=\"median\" style=\"left:{:.2}%\"></div>\n\
         <span style=\"left:{:.2}%\">{}<small>{}</small></span>\n\
         <span style=\"left:{:.2}%\">{}<small>{}</small></span>\n</div>\n",
        position(estimate.p10),
        100.0 - position(estimate.p90),
        position(estimate.headline),
        position(estimate.p10),
        numbers::amount(estimate.unit, estimate.p10),
        distance(estimate.p10, estimate.headline),
        position(estimate.p90),
        numbers::amount(estimate.unit, estimate.p90),
        distance(estimate.p90, estimate.headline),
    )
}

/// `+6.3 %` from the headline.
fn distance(time: Time, headline: Time) -> String {
    if headline == Time::ZERO {
        return String::new();
    }
    let share = (time.seconds() - headline.seconds()) / headline.seconds();
    format!("{:+.1} %", share * 100.0).replace('-', "−")
}
