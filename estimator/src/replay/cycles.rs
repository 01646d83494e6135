//! Cycles in the wait-for graph of a deadlock: ranks that wait for each other.

use std::collections::{BTreeMap, BTreeSet};

/// The cycles among ranks of which each waits for one other: each begins with its lowest rank, and they
/// come in the order of these.
pub(super) fn cycles(partners: &BTreeMap<u32, u32>) -> Vec<Vec<u32>> {
    let mut known = BTreeSet::new();
    let mut found = Vec::new();
    for &start in partners.keys() {
        let mut path = Vec::new();
        let mut rank = start;
        while known.insert(rank) {
            path.push(rank);
            match partners.get(&rank) {
                Some(&partner) => rank = partner,
                None => break,
            }
        }
        // A path that returns to itself ends in a cycle; others run into what is known or end.
        if let Some(at) = path.iter().position(|&before| before == rank)
            && partners.get(path.last().unwrap_or(&rank)) == Some(&rank)
        {
            let mut cycle = path.split_off(at);
            let lowest = (0..cycle.len())
                .min_by_key(|&place| cycle[place])
                .unwrap_or(0);
            cycle.rotate_left(lowest);
            found.push(cycle);
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_each_cycle_once() {
        let of = |pairs: &[(u32, u32)]| cycles(&pairs.iter().copied().collect());
        assert_eq!(of(&[]), Vec::<Vec<u32>>::new());
        assert_eq!(of(&[(0, 1), (1, 2)]), Vec::<Vec<u32>>::new());
        assert_eq!(of(&[(0, 0), (1, 0)]), [[0]]);
        assert_eq!(
            of(&[(0, 3), (1, 2), (2, 1), (3, 5), (5, 3)]),
            [[1, 2], [3, 5]]
        );
        assert_eq!(of(&[(9, 4), (4, 7), (7, 9), (8, 9)]), [[4, 7, 9]]);
    }
}
