//! Combines the measurements of several copies of a program at once into those of one run: ranks of a node with
//! that occupancy.

use base_data::block_table::BlockTable;
use base_data::compute_data::{ComputeData, ComputeEntry, Coordinates, Feed};
use base_data::distribution::Distribution;
use base_data::ids::BlockId;
use std::collections::BTreeMap;

/// The measurements of all copies together, with as many ranks on the node at once as there are copies,
/// and so many threads per rank. All else is as the first copy says; `None` without any.
pub fn together(copies: Vec<ComputeData>, threads: u32) -> Option<ComputeData> {
    let ranks_per_node = copies.len() as u32;
    let mut copies = copies.into_iter();
    let mut all = copies.next()?;
    let mut found: BTreeMap<Key, ComputeEntry> = BTreeMap::new();
    let own = std::mem::take(&mut all.entries);
    for entry in own.into_iter().chain(copies.flat_map(|copy| copy.entries)) {
        let key = key(&all.table, &entry);
        match found.get_mut(&key) {
            Some(known) => add(known, entry),
            None => drop(found.insert(key, entry)),
        }
    }
    let conditions = |entry| ComputeEntry {
        ranks_per_node,
        threads,
        ..entry
    };
    all.entries = found.into_values().map(conditions).collect();
    Some(all)
}

/// What is taken together: block, work terms, feed, and the places of work that depends on data.
type Key = (BlockId, Vec<i64>, u8, Vec<Coordinates>);

fn key(table: &BlockTable, entry: &ComputeEntry) -> Key {
    let feed = match entry.feed {
        Feed::All => 0,
        Feed::Echo => 1,
        Feed::Log => 2,
    };
    let is_data_dependent = table
        .blocks
        .get(entry.block.index())
        .is_some_and(|block| block.data_dependent);
    let places = if is_data_dependent {
        entry.coordinates.clone()
    } else {
        Vec::new()
    };
    (entry.block, entry.terms.clone(), feed, places)
}

fn add(known: &mut ComputeEntry, other: ComputeEntry) {
    known.first = Distribution::merged(&known.first, &other.first);
    known.warm = Distribution::merged(&known.warm, &other.warm);
    known.disturbed += other.disturbed;
    for place in other.coordinates {
        if !known.coordinates.contains(&place) {
            known.coordinates.push(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::block_table::{Block, BlockKey, BlockKind, SourceSpan};
    use base_data::ids::Digest;

    fn entry(term: i64, rank: u32, first: i64, warm: &[i64]) -> ComputeEntry {
        ComputeEntry {
            block: BlockId(0),
            terms: vec![term],
            ranks_per_node: 1,
            threads: 1,
            feed: Feed::All,
            first: Distribution::of(vec![first]),
            warm: Distribution::of(warm.to_vec()),
            disturbed: 1,
            coordinates: vec![Coordinates {
                rank,
                ranks: 2,
                indices: Vec::new(),
            }],
        }
    }

    fn of_two(data_dependent: bool) -> Vec<(i64, u32, u32, f64, f64, u64, usize)> {
        let block = Block {
            key: BlockKey {
                digest: Digest(1),
                procedure: "s".into(),
                ordinal: 0,
            },
            kind: BlockKind::Compute,
            span: SourceSpan::default(),
            loop_path: Vec::new(),
            work_terms: Vec::new(),
            data_dependent,
        };
        let table = BlockTable {
            blocks: vec![block],
            ..BlockTable::default()
        };
        let copy = |entries| ComputeData {
            table: table.clone(),
            entries,
            ..ComputeData::default()
        };
        let one = copy(vec![entry(7, 0, 100, &[10, 12]), entry(8, 0, 50, &[5])]);
        let other = copy(vec![entry(7, 1, 200, &[14])]);
        let all = together(vec![one, other], 3).unwrap();
        let shown = |e: &ComputeEntry| {
            let (first, warm) = (e.first.mean, e.warm.mean);
            (
                e.terms[0],
                e.ranks_per_node,
                e.threads,
                first,
                warm,
                e.disturbed,
                e.coordinates.len(),
            )
        };
        all.entries.iter().map(shown).collect()
    }

    #[test]
    fn co_run_copies_count_as_ranks_per_node() {
        assert_eq!(
            of_two(false),
            [(7, 2, 3, 150.0, 12.0, 2, 2), (8, 2, 3, 50.0, 5.0, 1, 1)]
        );
        assert_eq!(together(Vec::new(), 1), None);
    }

    #[test]
    fn data_dependent_work_is_kept_per_rank() {
        let expected = [
            (7, 2, 3, 100.0, 11.0, 1, 1),
            (7, 2, 3, 200.0, 14.0, 1, 1),
            (8, 2, 3, 50.0, 5.0, 1, 1),
        ];
        assert_eq!(of_two(true), expected);
    }
}
