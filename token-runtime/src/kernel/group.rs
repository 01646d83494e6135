//! Groups: ordered lists of world ranks, and what the standard computes with them.

use std::collections::HashMap;

/// How alike two groups are, with MPI's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupComparison {
    /// The same members in the same order: `MPI_IDENT`.
    Identical = 0,
    /// The same members in another order: `MPI_SIMILAR`.
    Similar = 2,
    /// Different members: `MPI_UNEQUAL`.
    Unequal = 3,
}

/// For each member of `ranks`, its rank in `group`.
pub fn translated(ranks: &[u32], group: &[u32]) -> Vec<Option<u32>> {
    let place: HashMap<u32, u32> = group.iter().copied().zip(0..).collect();
    ranks.iter().map(|rank| place.get(rank).copied()).collect()
}

/// Compares two groups.
pub fn compare(first: &[u32], second: &[u32]) -> GroupComparison {
    if first == second {
        GroupComparison::Identical
    } else if first.len() == second.len() && translated(first, second).iter().all(Option::is_some) {
        GroupComparison::Similar
    } else {
        GroupComparison::Unequal
    }
}

/// All of the first, then those of the second that are not in the first.
pub fn union(first: &[u32], second: &[u32]) -> Vec<u32> {
    let new = second
        .iter()
        .zip(translated(second, first))
        .filter(|(_, place)| place.is_none());
    first
        .iter()
        .copied()
        .chain(new.map(|(&rank, _)| rank))
        .collect()
}

/// Those of the first that are in the second, too.
pub fn intersection(first: &[u32], second: &[u32]) -> Vec<u32> {
    first
        .iter()
        .zip(translated(first, second))
        .filter(|(_, place)| place.is_some())
        .map(|(&rank, _)| rank)
        .collect()
}

/// Those of the first that are not in the second.
pub fn difference(first: &[u32], second: &[u32]) -> Vec<u32> {
    first
        .iter()
        .zip(translated(first, second))
        .filter(|(_, place)| place.is_none())
        .map(|(&rank, _)| rank)
        .collect()
}

/// Ranks named by triples of first, last and stride.
///
/// # Errors
///
/// A sentence, if a stride is 0 or leads away from the last.
pub fn ranges(triples: &[[i32; 3]]) -> Result<Vec<i32>, String> {
    let mut ranks = Vec::new();
    for &[first, last, stride] in triples {
        // i64, because the difference of two int values may overflow an int.
        let leads_away = i64::from(last) - i64::from(first) != 0 && (last > first) != (stride > 0);
        if stride == 0 || leads_away {
            return Err(format!(
                "the range {first} to {last} with stride {stride} has no end"
            ));
        }
        let steps = (i64::from(last) - i64::from(first)) / i64::from(stride);
        ranks.extend((0..=steps).map(|step| first + (step * i64::from(stride)) as i32));
    }
    Ok(ranks)
}

/// The members with these ranks, which must be different ranks of the group.
///
/// # Errors
///
/// A sentence about the first rank that is none or stands twice.
pub fn included(group: &[u32], ranks: &[i32]) -> Result<Vec<u32>, String> {
    let mut seen = vec![false; group.len()];
    let mut members = Vec::with_capacity(ranks.len());
    for &rank in ranks {
        let place = usize::try_from(rank)
            .ok()
            .filter(|&place| place < group.len());
        let place =
            place.ok_or_else(|| format!("rank {rank} is none of the group's {}", group.len()))?;
        if std::mem::replace(&mut seen[place], true) {
            return Err(format!("rank {rank} stands twice in the list"));
        }
        members.push(group[place]);
    }
    Ok(members)
}

/// The members without these ranks.
///
/// # Errors
///
/// As [`included`].
pub fn excluded(group: &[u32], ranks: &[i32]) -> Result<Vec<u32>, String> {
    Ok(difference(group, &included(group, ranks)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn ranges_ascend_and_descend() {
        assert_eq!(
            ranges(&[[1, 7, 3], [9, 5, -2], [4, 4, 1]]),
            Ok(vec![1, 4, 7, 9, 7, 5, 4])
        );
        assert!(ranges(&[[1, 2, 0]]).is_err() && ranges(&[[1, 2, -1]]).is_err());
        assert_eq!(ranges(&[[3, 3, -1]]), Ok(vec![3]));
    }

    #[test]
    fn duplicate_ranks_are_rejected() {
        assert_eq!(included(&[7, 8, 9], &[2, 0]), Ok(vec![9, 7]));
        assert_eq!(excluded(&[7, 8, 9], &[1]), Ok(vec![7, 9]));
        assert!(included(&[7], &[1]).is_err() && included(&[7, 8], &[0, 0]).is_err());
    }

    proptest! {
        #[test]
        fn group_set_operations(
            first in proptest::collection::btree_set(0u32..20, 0..12),
            second in proptest::collection::btree_set(0u32..20, 0..12),
        ) {
            let list = |set: &BTreeSet<u32>| set.iter().rev().copied().collect::<Vec<u32>>();
            let set = |list: Vec<u32>| list.into_iter().collect::<BTreeSet<u32>>();
            let (a, b) = (list(&first), list(&second));
            prop_assert_eq!(set(union(&a, &b)), &first | &second);
            prop_assert_eq!(set(intersection(&a, &b)), &first & &second);
            prop_assert_eq!(set(difference(&a, &b)), &first - &second);
            prop_assert_eq!(compare(&a, &b) != GroupComparison::Unequal, first == second);
            let ascending: Vec<u32> = first.iter().copied().collect();
            let expected = if ascending == a { GroupComparison::Identical } else { GroupComparison::Similar };
            prop_assert_eq!(compare(&a, &ascending), expected);
        }
    }
}
