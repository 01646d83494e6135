//! Isotonic quantile regression: never falling values, each pool of given values that fall becoming their lower
//! tercile. A quantile does not depend on the distance of an outlier, so a disturbed length does not lift its
//! neighbours, as it would in least squares. The tercile rather than the median, since disturbances only add time.

/// Share of the weight at or below a fitted value.
const TERCILE: f64 = 1.0 / 3.0;

/// The lower weighted median of (value, weight) pairs, which are sorted by that; 0 of none.
pub(super) fn lower_median(pairs: &mut [(f64, f64)]) -> f64 {
    lower_quantile(0.5, pairs)
}

/// The smallest value that so much of the weight lies at or below.
fn lower_quantile(share: f64, pairs: &mut [(f64, f64)]) -> f64 {
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let whole: f64 = pairs.iter().map(|(_, weight)| weight).sum();
    // What sums of weights lose to rounding must not decide between equal parts.
    let wanted = share * whole * (1.0 - 1e-9);
    let mut below = 0.0;
    for &(value, weight) in pairs.iter() {
        below += weight;
        if below >= wanted {
            return value;
        }
    }
    0.0
}

/// A run of values with one fitted value.
struct Pool {
    members: Vec<(f64, f64)>,
    fitted: f64,
}

/// The fitted value of each of the (value, weight) pairs, by pooling adjacent violators (Barlow and others,
/// 1972; with quantiles: Robertson and Wright, Annals of Statistics 1, 1973). Values that never fall stay as they are.
pub(super) fn regression(pairs: &[(f64, f64)]) -> Vec<f64> {
    let mut pools: Vec<Pool> = Vec::with_capacity(pairs.len());
    for &pair in pairs {
        let mut last = Pool {
            members: vec![pair],
            fitted: pair.0,
        };
        // A merged pool has a lower value than the one before it, so it may have to merge with the next one
        // before.
        while let Some(before) = pools.pop_if(|before| before.fitted > last.fitted) {
            let mut members = before.members;
            members.append(&mut last.members);
            last = Pool {
                fitted: lower_quantile(TERCILE, &mut members),
                members,
            };
        }
        pools.push(last);
    }
    pools
        .iter()
        .flat_map(|pool| std::iter::repeat_n(pool.fitted, pool.members.len()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(values: &[f64]) -> Vec<(f64, f64)> {
        values.iter().map(|&value| (value, 1.0)).collect()
    }

    #[test]
    fn spike_does_not_lift_its_neighbours() {
        for spike in [2.0, 1e6] {
            let fitted = regression(&equal(&[1.0, spike, 1.1, 1.2, 1.5]));
            assert_eq!(fitted, [1.0, 1.1, 1.1, 1.2, 1.5]);
        }
        assert_eq!(
            regression(&equal(&[9e6, 8e6, 1.0, 1.0, 1.2])),
            [1.0, 1.0, 1.0, 1.0, 1.2]
        );
    }

    #[test]
    fn heavier_value_wins() {
        assert_eq!(regression(&[(3.0, 9.0), (2.0, 1.0)]), [3.0, 3.0]);
        assert_eq!(regression(&[(3.0, 3.0), (2.0, 2.0)]), [2.0, 2.0]);
        assert_eq!(
            lower_median(&mut [(5.0, 0.1), (1.0, 0.1), (3.0, 0.1), (2.0, 0.1)]),
            2.0
        );
        assert_eq!(lower_median(&mut []), 0.0);
    }
}
