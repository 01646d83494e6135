//! Combines the measurements of several copies of a program at once into those of one run: ranks of a node with
//! that occupancy.

use base_data::block_table::BlockTable;
use base_data::compute_data::{ComputeData, ComputeEntry, Coordinates, Feed};
use base_data::distribution::Distribution;
use base_data::ids::BlockId;
use std::collections::BTreeMap;

/// What one computer has for copies that run at once.
#[derive(Clone, Copy, Debug)]
pub struct NodeCapacity {
    /// Processing units that this process may use.
    pub units: u32,
    /// Bytes of memory that are free; `None` if unknown.
    pub memory: Option<u64>,
}

/// How many copies can run at once on a node that is to hold `ranks` ranks: each needs `threads` processing units of its
/// own and `memory` bytes. At least one.
pub fn feasible_copies(ranks: u32, threads: u32, memory: u64, capacity: NodeCapacity) -> u32 {
    let by_units = capacity.units / threads.max(1);
    let by_memory = match capacity.memory {
        Some(available) => u32::try_from(available / memory.max(1)).unwrap_or(u32::MAX),
        None => u32::MAX,
    };
    ranks.min(by_units).min(by_memory).max(1)
}

/// Adds to the measurement of one copy that of a full node. Peak memory stays that of the one copy.
pub fn with_full_node(mut one: ComputeData, full: ComputeData) -> ComputeData {
    one.provenance.method = format!("{}; and {}", one.provenance.method, full.provenance.method);
    one.entries.extend(full.entries);
    one
}

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

    #[test]
    fn copies_are_limited_by_ranks_units_and_memory() {
        let capacity = |units, memory| NodeCapacity { units, memory };
        assert_eq!(feasible_copies(64, 1, 1, capacity(8, None)), 8);
        assert_eq!(feasible_copies(4, 1, 1, capacity(8, None)), 4);
        assert_eq!(feasible_copies(64, 3, 1, capacity(8, None)), 2);
        assert_eq!(feasible_copies(64, 1, 10, capacity(8, Some(35))), 3);
        assert_eq!(feasible_copies(64, 1, 10, capacity(8, Some(5))), 1);
        assert_eq!(feasible_copies(64, 16, 0, capacity(8, Some(5))), 1);
    }

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
