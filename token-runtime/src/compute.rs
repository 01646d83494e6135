//! Merges what the ranks of a run measured into computation base data.

use base_data::block_table::BlockTable;
use base_data::compute_data::{
    ComputeData, ComputeEntry, Coordinates, Feed, PeakMemory, ProcessingUnit, Unit,
};
use base_data::distribution::Distribution;
use base_data::ids::BlockId;
use base_data::provenance::Provenance;
use base_data::rank_recording::{MeasuredVariant, RankRecording};
use std::collections::BTreeMap;

/// What a rank measured.
type Sample<'a> = (u32, &'a MeasuredVariant);
/// What is taken together: a block, its terms, and its rank where ranks stay apart.
type Together<'a> = (BlockId, &'a [i64], Option<u32>);

/// Computation base data from the recordings of a run in mode `measure`: one entry per block and
/// variant, all ranks that ran it taken together, but for blocks whose work hangs on data one entry
/// per rank, which says whose share of the data it was. Under the token one rank runs at a time, so
/// entries are of one rank per node and one thread.
pub fn merge_compute(
    recordings: &[RankRecording],
    table: BlockTable,
    provenance: Provenance,
    pu: ProcessingUnit,
) -> ComputeData {
    let ranks = recordings.len() as u32;
    let hangs_on_data =
        |block: BlockId| table.blocks.get(block.index()).is_some_and(|block| block.data_dependent);
    let mut measured: BTreeMap<Together<'_>, Vec<Sample<'_>>> = BTreeMap::new();
    for (rank, recording) in (0..).zip(recordings) {
        for variant in &recording.measured {
            let apart = hangs_on_data(variant.block).then_some(rank);
            measured.entry((variant.block, &variant.terms, apart)).or_default().push((rank, variant));
        }
    }
    let entries =
        measured.into_iter().map(|((block, terms, _), samples)| entry(block, terms, &samples, ranks));
    let memory =
        |(rank, recording): (u32, &RankRecording)| PeakMemory { rank, ranks, bytes: recording.peak_memory };
    ComputeData {
        provenance,
        pu,
        unit: recordings.first().map_or(Unit::Time, |recording| recording.unit),
        entries: entries.collect(),
        peak_memory: (0..).zip(recordings).map(memory).collect(),
        table,
    }
}

fn entry(block: BlockId, terms: &[i64], samples: &[Sample<'_>], ranks: u32) -> ComputeEntry {
    let warm = samples.iter().fold(Distribution::default(), |all, (_, sample)| all.merged(&sample.warm));
    let coordinates = |&(rank, _): &(u32, _)| Coordinates { rank, ranks, indices: Vec::new() };
    ComputeEntry {
        block,
        terms: terms.to_vec(),
        ranks_per_node: 1,
        threads: 1,
        feed: Feed::All,
        first: Distribution::of(samples.iter().map(|(_, sample)| sample.first).collect()),
        warm,
        disturbed: samples.iter().map(|(_, sample)| sample.disturbed).sum(),
        coordinates: samples.iter().map(coordinates).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::block_table::{Block, BlockKey, BlockKind, SourceSpan};
    use base_data::ids::Digest;

    fn rank(measured: &[(u32, i64, i64, &[i64])]) -> RankRecording {
        let variant = |&(block, term, first, warm): &(u32, i64, i64, &[i64])| MeasuredVariant {
            block: BlockId(block),
            terms: vec![term],
            first,
            warm: Distribution::of(warm.to_vec()),
            disturbed: 1,
        };
        RankRecording { measured: measured.iter().map(variant).collect(), ..Default::default() }
    }

    #[test]
    fn equal_variants_of_all_ranks_become_one_entry() {
        let recordings = [rank(&[(0, 7, 100, &[10, 12])]), rank(&[(0, 8, 90, &[1]), (0, 7, 200, &[14])])];
        assert_eq!(shown(&recordings, false), [(7, 150.0, 3, 12.0, 2, 2), (8, 90.0, 1, 1.0, 1, 1)]);
    }

    #[test]
    fn work_that_hangs_on_data_stays_apart_by_rank() {
        let recordings = [rank(&[(0, 7, 100, &[10, 12])]), rank(&[(0, 7, 200, &[14])])];
        assert_eq!(shown(&recordings, true), [(7, 100.0, 2, 11.0, 1, 1), (7, 200.0, 1, 14.0, 1, 1)]);
    }

    /// Term, first, count and mean of warm, disturbed and number of places of each entry.
    fn shown(recordings: &[RankRecording], data_dependent: bool) -> Vec<(i64, f64, u64, f64, u64, usize)> {
        let block = Block {
            key: BlockKey { digest: Digest(1), procedure: "s".into(), ordinal: 0 },
            kind: BlockKind::Compute,
            span: SourceSpan::default(),
            loop_path: Vec::new(),
            work_terms: Vec::new(),
            data_dependent,
        };
        let table = BlockTable { blocks: vec![block], ..BlockTable::default() };
        let data = merge_compute(recordings, table, Provenance::default(), ProcessingUnit::default());
        let shown = |e: &ComputeEntry| {
            (e.terms[0], e.first.mean, e.warm.count, e.warm.mean, e.disturbed, e.coordinates.len())
        };
        data.entries.iter().map(shown).collect()
    }
}
