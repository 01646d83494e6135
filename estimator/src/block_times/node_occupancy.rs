//! A block's time on a node with K ranks, from measurements with other numbers of ranks at once: linear
//! between two of them, constant beyond them, with an estimate of the slowdown of a fuller node.

use super::measured::{Measured, Values};
use base_data::compute_data::ComputeEntry;
use std::collections::BTreeMap;

/// How much slower a full node may be where nothing says how a fuller node slows ranks down: a quarter, a guess.
const ASSUMED_SLOWDOWN: f64 = 0.25;

/// Where the wanted number of ranks lies among the measured ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum OccupancyPosition {
    /// It was measured, or is not more than the least that was.
    At(u32),
    /// Between two, this far from the first to the second.
    Between(u32, u32, f64),
    /// More than all; the largest two, as far as there are two.
    Beyond(Option<u32>, u32),
}

/// Finds `wanted` among ascending numbers; `None` if there are none.
pub(super) fn place(measured: &[u32], wanted: u32) -> Option<OccupancyPosition> {
    let above = measured.partition_point(|&ranks| ranks < wanted);
    let below = above.checked_sub(1).map(|below| measured[below]);
    Some(match (below, measured.get(above)) {
        (None, None) => return None,
        (Some(low), Some(&high)) if high != wanted => {
            OccupancyPosition::Between(low, high, f64::from(wanted - low) / f64::from(high - low))
        }
        (None | Some(_), Some(&high)) => OccupancyPosition::At(high),
        (Some(low), None) => {
            OccupancyPosition::Beyond(above.checked_sub(2).map(|second| measured[second]), low)
        }
    })
}

/// How much slower than with `largest` ranks a block may be with `wanted`, as a share: as much more as from
/// `second` to `largest` per rank; without that, a guess.
pub(super) fn slowdown(second: Option<(u32, f64)>, largest: u32, wanted: u32) -> f64 {
    let more = f64::from(wanted - largest);
    match second {
        Some((second, ratio)) => {
            // The slowdown per rank, relative to the time with `second`, becomes one relative to the time
            // with `largest`.
            (ratio - 1.0).max(0.0) / f64::from(largest - second) * more / ratio.max(1.0)
        }
        None => ASSUMED_SLOWDOWN * more / f64::from(wanted),
    }
}

/// Time with more ranks over time with fewer, over the variants that both have; 1 where there are none.
pub(super) fn ratio(fewer: &[Measured], more: &[Measured]) -> f64 {
    let [mut below, mut above] = [0.0, 0.0];
    for (a, b) in fewer
        .iter()
        .filter_map(|a| Some((a, find(more, &a.terms)?)))
    {
        below += mean(&a.values);
        above += mean(&b.values);
    }
    if below > 0.0 && above > 0.0 {
        above / below
    } else {
        1.0
    }
}

/// The variants of two numbers of ranks, each as it is `share` of the way from the first to the second.
pub(super) fn between(fewer: Vec<Measured>, more: Vec<Measured>, share: f64) -> Vec<Measured> {
    let usual = ratio(&fewer, &more);
    let mut found: BTreeMap<Vec<i64>, Measured> = BTreeMap::new();
    for variant in more
        .iter()
        .filter(|variant| find(&fewer, &variant.terms).is_none())
    {
        // The time with fewer ranks is this one over `usual`; from there, the share of the way to this one.
        let factor = (1.0 + share * (usual - 1.0)) / usual;
        found.insert(variant.terms.clone(), variant.scaled(factor));
    }
    for variant in fewer {
        let own =
            find(&more, &variant.terms).map(|other| mean(&other.values) / mean(&variant.values));
        let ratio = own
            .filter(|ratio| ratio.is_finite() && *ratio > 0.0)
            .unwrap_or(usual);
        found.insert(
            variant.terms.clone(),
            variant.scaled(1.0 + share * (ratio - 1.0)),
        );
    }
    found.into_values().collect()
}

/// The chosen variants, and after them those that were measured under other conditions alone, scaled by the ratio of the
/// variants that both have. That scaling is also their error.
pub(super) fn with_missing_variants(
    chosen: Vec<Measured>,
    others: impl FnOnce() -> Vec<Measured>,
    of_others: &[&ComputeEntry],
) -> Vec<Measured> {
    if of_others
        .iter()
        .all(|entry| find(&chosen, &entry.terms).is_some())
    {
        return chosen;
    }
    let others = others();
    let is_known = others
        .iter()
        .any(|other| find(&chosen, &other.terms).is_some());
    let usual = ratio(&others, &chosen);
    // Without a variant in common, nothing says how the two conditions differ.
    let off = if is_known {
        (usual - 1.0).abs()
    } else {
        ASSUMED_SLOWDOWN
    };
    let missing = others
        .iter()
        .filter(|other| find(&chosen, &other.terms).is_none());
    let mut found: Vec<Measured> = missing.map(|other| other.scaled(usual)).collect();
    found.iter_mut().for_each(|variant| variant.is_guessed(off));
    found.extend(chosen);
    found.sort_by(|a, b| a.terms.cmp(&b.terms));
    found
}

/// Among variants in ascending order of their terms.
fn find<'a>(variants: &'a [Measured], terms: &[i64]) -> Option<&'a Measured> {
    let place = variants.binary_search_by(|variant| variant.terms.as_slice().cmp(terms));
    place.ok().map(|place| &variants[place])
}

fn mean(values: &Values) -> f64 {
    values.warm_or_first().mean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occupancy_lies_below_between_or_above_measured_counts() {
        let found = |wanted| place(&[1, 2, 8], wanted);
        assert_eq!(found(1), Some(OccupancyPosition::At(1)));
        assert_eq!(found(2), Some(OccupancyPosition::At(2)));
        assert_eq!(found(5), Some(OccupancyPosition::Between(2, 8, 0.5)));
        assert_eq!(found(9), Some(OccupancyPosition::Beyond(Some(2), 8)));
        assert_eq!(place(&[4], 2), Some(OccupancyPosition::At(4)));
        assert_eq!(
            (place(&[1], 2), place(&[], 2)),
            (Some(OccupancyPosition::Beyond(None, 1)), None)
        );
    }

    #[test]
    fn slowdown_continues_beyond_measured_occupancy() {
        assert!(
            (slowdown(Some((1, 1.5)), 2, 4) - 2.0 / 3.0).abs() < 1e-12,
            "1, 1.5, then 2.5"
        );
        assert_eq!(slowdown(Some((1, 0.9)), 2, 4), 0.0);
        assert_eq!(slowdown(None, 1, 2), ASSUMED_SLOWDOWN / 2.0);
    }
}
