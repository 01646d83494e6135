//! Whether times may be an offset and a rate for each work term, none of them negative. Not here: which offset
//! and rates; whoever uses the data finds them.

/// How far times may be off, as a share.
const TOLERANCE: f64 = 0.1;

/// Share of the work from which on it matters whether a block's times follow its terms: short blocks are measured
/// with as much noise as contradictions have.
pub const LARGE: f64 = 0.01;

/// Whether no two of some variants, terms and times, contradict each other.
pub fn all(variants: &[(Vec<i64>, f64)]) -> bool {
    let others = |a: &(Vec<i64>, f64)| variants.iter().all(|b| agree(a, b));
    variants.iter().all(others)
}

/// With all terms at least as large, a variant takes at least as long; and at most so many times as long as the term that
/// grows most.
fn agree((small, short): &(Vec<i64>, f64), (large, long): &(Vec<i64>, f64)) -> bool {
    let pairs = || small.iter().zip(large);
    let is_larger = small.len() == large.len() && small != large && pairs().all(|(a, b)| 0 <= *a && a <= b);
    if !is_larger {
        return true;
    }
    let growth = |(&a, &b): (&i64, &i64)| match (a, b) {
        (0, 0) => 1.0,
        (a, b) => b as f64 / a as f64,
    };
    let most = pairs().map(growth).fold(1.0, f64::max);
    *long >= short * (1.0 - TOLERANCE) && *long <= short * most * (1.0 + TOLERANCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_follow_where_offset_and_rates_can_give_them() {
        let check = |expected: bool, variants: &[(&[i64], f64)]| {
            let variants: Vec<_> = variants.iter().map(|&(terms, time)| (terms.to_vec(), time)).collect();
            assert_eq!(all(&variants), expected, "{variants:?}");
        };
        check(true, &[(&[10], 100.0), (&[20], 150.0), (&[30], 200.0)]);
        check(true, &[(&[10], 100.0), (&[20], 215.0)]);
        check(false, &[(&[10], 100.0), (&[20], 400.0)]);
        check(false, &[(&[20], 80.0), (&[10], 100.0)]);
        // One term grows and the other falls: rates can give anything.
        check(true, &[(&[10, 5], 100.0), (&[20, 4], 900.0)]);
        check(false, &[(&[10, 5], 100.0), (&[20, 5], 900.0)]);
        check(true, &[(&[0, 5], 100.0), (&[20, 5], 900.0)]);
        check(true, &[(&[0], 100.0), (&[-4], 900.0), (&[], 7.0)]);
    }
}
