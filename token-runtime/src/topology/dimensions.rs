//! Balanced grids as the MPICH family chooses them (`MPI_Dims_create`): programs are laid out by them, so
//! another choice would be another program.
//!
//! Primes above the square root go first. If what remains is a power of one prime, its factors are dealt
//! round; otherwise the largest and the smallest dimension are as near as they can be, and among equally
//! good grids the one whose smallest dimensions are largest is taken.

/// Fills in the dimensions that are 0, so that the product is `nodes`.
///
/// # Errors
///
/// A sentence, if a dimension is negative or the given ones do not divide `nodes`.
pub fn fill(nodes: i32, dims: &mut [i32]) -> Result<(), String> {
    if let Some(negative) = dims.iter().find(|&&dim| dim < 0) {
        return Err(format!(
            "a dimension is {negative}; it must not be negative"
        ));
    }
    let mut given: i64 = 1;
    let mut open = 0;
    for &dim in dims.iter() {
        if dim == 0 {
            open += 1;
        } else {
            given *= i64::from(dim);
        }
    }
    if nodes < 1 || i64::from(nodes) % given != 0 {
        return Err(format!(
            "{nodes} ranks cannot be laid out on a grid whose given dimensions hold {given}"
        ));
    }
    if open == 0 {
        return Ok(());
    }
    let chosen = balanced(nodes / given as i32, open);
    let open_dims = dims.iter_mut().filter(|dim| **dim == 0);
    for (dim, value) in open_dims.zip(chosen) {
        *dim = value;
    }
    Ok(())
}

/// So many factors of `nodes`, largest first.
fn balanced(nodes: i32, count: usize) -> Vec<i32> {
    let (mut rest, mut primes, mut chosen) = (nodes, prime_factors(nodes), Vec::new());
    while let [.., before, last] = primes[..]
        && chosen.len() + 1 < count
        && before != last
        && i64::from(last) * i64::from(last) > i64::from(rest)
    {
        chosen.push(last);
        primes.pop();
        rest /= last;
    }
    let open = count - chosen.len();
    if primes.len() <= open || primes.windows(2).all(|pair| pair[0] == pair[1]) {
        chosen.extend(dealt(&primes, open));
    } else {
        chosen.extend(nearest(rest, open));
    }
    chosen
}

/// Ascending.
fn prime_factors(number: i32) -> Vec<i32> {
    let (mut rest, mut primes, mut prime) = (number, Vec::new(), 2);
    while i64::from(prime) * i64::from(prime) <= i64::from(rest) {
        while rest % prime == 0 {
            primes.push(prime);
            rest /= prime;
        }
        prime += 1;
    }
    // A rest without divisors up to its root is a prime.
    if rest > 1 {
        primes.push(rest);
    }
    primes
}

/// The primes, largest first, dealt round to so many dimensions.
fn dealt(primes: &[i32], count: usize) -> Vec<i32> {
    let mut dims = vec![1; count];
    (0..)
        .zip(primes.iter().rev())
        .for_each(|(turn, prime)| dims[turn % count] *= prime);
    dims
}

/// The grid whose largest and smallest dimension are nearest.
fn nearest(nodes: i32, count: usize) -> Vec<i32> {
    let mut best = (i32::MAX, Vec::new());
    search(nodes, count, &mut Vec::new(), &mut best);
    best.1
}

/// Tries all ways to write `rest` as so many more factors, none smaller than those in `chosen`.
fn search(rest: i32, count: usize, chosen: &mut Vec<i32>, best: &mut (i32, Vec<i32>)) {
    let smallest = chosen.last().copied().unwrap_or(1);
    if count == 1 {
        let spread = rest - chosen.first().copied().unwrap_or(rest);
        // `<=`: among equal spreads the last one wins, whose smallest dimensions are largest.
        if rest >= smallest && spread <= best.0 {
            *best = (
                spread,
                std::iter::once(rest)
                    .chain(chosen.iter().rev().copied())
                    .collect(),
            );
        }
        return;
    }
    // Factors ascend, so `count` factors of this size must not exceed the rest.
    let fits = |factor: i32| {
        i64::from(factor)
            .checked_pow(count as u32)
            .is_some_and(|n| n <= i64::from(rest))
    };
    for factor in smallest.. {
        // Later factors are larger still: neither test can succeed again.
        let spread = factor - chosen.first().copied().unwrap_or(factor);
        if !fits(factor) || spread > best.0 {
            return;
        }
        if rest % factor != 0 {
            continue;
        }
        chosen.push(factor);
        search(rest / factor, count - 1, chosen, best);
        chosen.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(nodes: i32, dims: &[i32], expect: &[i32]) {
        let mut filled = dims.to_vec();
        assert_eq!(fill(nodes, &mut filled), Ok(()));
        assert_eq!(filled, expect, "{nodes} on {dims:?}");
    }

    // As MPICH 4.0.2 answers; all numbers to 1500 on one to five dimensions were compared by hand.
    #[test]
    fn dimensions_agree_with_mpich() {
        check(16, &[0, 0, 0], &[4, 2, 2]);
        check(100, &[0, 0, 0], &[5, 5, 4]);
        check(128, &[0, 0, 0], &[8, 4, 4]);
        check(720, &[0, 0, 0], &[10, 9, 8]);
        check(1024, &[0, 0], &[32, 32]);
        check(1440, &[0, 0, 0], &[12, 12, 10]);
        check(26, &[0, 0, 0], &[13, 2, 1]);
        check(24, &[0, 3, 0], &[4, 3, 2]);
        check(7, &[7], &[7]);
        check(1, &[0, 0], &[1, 1]);
        check(6, &[2, 3], &[2, 3]);
    }

    #[test]
    fn indivisible_dimensions_are_rejected() {
        assert!(
            fill(7, &mut [2, 0]).is_err()
                && fill(4, &mut [-1, 0]).is_err()
                && fill(6, &mut [2, 2]).is_err()
        );
    }

    #[test]
    fn many_dimensions_are_computed_quickly() {
        check(2_147_483_647, &[0, 0], &[2_147_483_647, 1]);
        let mut dims = [0; 6];
        assert_eq!(fill(1_102_701_600, &mut dims), Ok(()));
        assert_eq!(
            dims.iter().map(|&dim| i64::from(dim)).product::<i64>(),
            1_102_701_600
        );
    }
}
