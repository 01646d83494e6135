//! Blocks whose work hangs on data, on a number of ranks that was not measured: work terms do not say how much of the
//! data a rank has, the number of ranks does. Between and beyond two measured numbers a rank's time is a power of it,
//! as shares of data are (seed 000 interpolates over such coordinates).

use super::choose::{Measured, Values};
use base_data::compute_data::ComputeEntry;
use base_data::distribution::Distribution;
use std::collections::BTreeMap;

/// Relative standard deviation of a time that comes from two measured numbers of ranks.
const SPREAD: f64 = 0.1;

/// The block's variants with `terms` on `ranks`; `None` if that was measured, if fewer than two numbers of ranks were,
/// or if one of them has variants of different work.
pub(super) fn carried(entries: &[&ComputeEntry], ranks: u32, terms: &[&[i64]]) -> Option<Vec<Measured>> {
    let mut by_ranks: BTreeMap<u32, Vec<&ComputeEntry>> = BTreeMap::new();
    for entry in entries {
        by_ranks.entry(entry.coordinates.first()?.ranks).or_default().push(entry);
    }
    let is_one = |found: &Vec<&ComputeEntry>| found.windows(2).all(|pair| pair[0].terms == pair[1].terms);
    let conditions = |entry: &&ComputeEntry| (entry.threads, entry.ranks_per_node);
    let is_mixed = entries.windows(2).any(|pair| conditions(&pair[0]) != conditions(&pair[1]));
    if is_mixed || by_ranks.contains_key(&ranks) || !by_ranks.values().all(is_one) {
        return None;
    }
    let (low, high) = nearest_two(&by_ranks.keys().copied().collect::<Vec<_>>(), ranks)?;
    let [few, many] = [low, high].map(|ranks| gathered(&by_ranks[&ranks]));
    let [first, warm] = [Values::first_or_warm, Values::warm_or_first]
        .map(|which| power(f64::from(ranks), (f64::from(low), which(&few)), (f64::from(high), which(&many))));
    let values = Values { first, warm };
    let variant = |terms: &&[i64]| Measured {
        terms: terms.to_vec(),
        values: values.clone(),
        own: BTreeMap::new(),
        spread: Some(SPREAD),
    };
    Some(terms.iter().map(variant).collect())
}

/// How far ranks lie from their mean, as a relative standard deviation; that of a time that is carried if there is one
/// rank only.
pub(super) fn between_ranks(own: &BTreeMap<u32, Values>) -> f64 {
    let means: Vec<f64> = own.values().map(|values| values.warm_or_first().mean).collect();
    let count = means.len() as f64;
    let mean = means.iter().sum::<f64>() / count;
    let squares: f64 = means.iter().map(|one| (one - mean).powi(2)).sum();
    match means.len() {
        0 | 1 => SPREAD,
        _ if mean > 0.0 => (squares / (count - 1.0)).sqrt() / mean,
        _ => 0.0,
    }
}

/// The measured numbers on both sides, or the last two on the one side where there are some.
fn nearest_two(measured: &[u32], wanted: u32) -> Option<(u32, u32)> {
    let last = measured.len().checked_sub(2)?;
    let below = measured.partition_point(|&ranks| ranks < wanted).saturating_sub(1).min(last);
    Some((measured[below], measured[below + 1]))
}

fn gathered(entries: &[&ComputeEntry]) -> Values {
    let mut values = Values::default();
    entries.iter().for_each(|entry| values.add(entry));
    values
}

/// The distribution of the first number of ranks, scaled to where a power through both means says.
fn power(wanted: f64, few: (f64, &Distribution), many: (f64, &Distribution)) -> Distribution {
    let ratio = many.1.mean / few.1.mean;
    if !(ratio.is_finite() && ratio > 0.0) {
        return few.1.clone();
    }
    let exponent = ratio.ln() / (many.0 / few.0).ln();
    few.1.scaled((wanted / few.0).powf(exponent))
}
