//! Merges what the ranks of a run measured into computation base data.

use base_data::block_table::BlockTable;
use base_data::compute_data::{
    ComputeData, ComputeEntry, Coordinates, Feed, PeakMemory, ProcessingUnit, Unit,
};
use base_data::distribution::Distribution;
use base_data::ids::BlockId;
use base_data::provenance::Provenance;
use base_data::rank_recording::{MeasuredVariant, RankRecording, TimeSeriesSegment};
use std::collections::BTreeMap;

/// What a rank measured.
type Sample<'a> = (u32, &'a MeasuredVariant);
/// What is taken together: a block, its terms, and its rank where ranks stay apart.
type Together<'a> = (BlockId, &'a [i64], Option<u32>);

/// Computation base data from the recordings of a run in mode `measure`: one entry per block and
/// variant, all ranks that ran it taken together, but for blocks whose work depends on data one entry
/// per rank, which says whose share of the data it was, or several where their work changes, each of some executions. One rank runs at a time, under the token or
/// alone, so entries are of one rank per node and one thread. Of representatives there are fewer
/// recordings than the provenance says ranks.
pub fn merge_compute(
    recordings: &[RankRecording],
    table: BlockTable,
    provenance: Provenance,
    pu: ProcessingUnit,
    feed: Feed,
) -> ComputeData {
    // Representatives are fewer than the ranks of the run.
    let ranks = provenance.ranks.max(recordings.len() as u32);
    let is_data_dependent = |block: BlockId| match table.blocks.get(block.index()) {
        Some(block) => block.data_dependent,
        None => false,
    };
    let mut measured: BTreeMap<Together<'_>, Vec<Sample<'_>>> = BTreeMap::new();
    for (rank, recording) in by_rank(recordings) {
        for variant in &recording.measured {
            // Equal work terms do not mean equal times here: samples of several ranks stay separate.
            let apart = if is_data_dependent(variant.block) {
                Some(rank)
            } else {
                None
            };
            measured
                .entry((variant.block, &variant.terms, apart))
                .or_default()
                .push((rank, variant));
        }
    }
    let entries = measured
        .into_iter()
        .flat_map(|((block, terms, _), samples)| entries(block, terms, &samples, (ranks, feed)));
    let memory = |bytes: fn(&RankRecording) -> u64| {
        by_rank(recordings).map(move |(rank, recording)| PeakMemory {
            rank,
            ranks,
            bytes: bytes(recording),
        })
    };
    // All ranks of a run are measured in the same unit.
    let unit = match recordings.first() {
        Some(recording) => recording.unit,
        None => Unit::Time,
    };
    ComputeData {
        provenance,
        pu,
        unit,
        entries: entries.collect(),
        peak_memory: memory(|recording| recording.peak_memory).collect(),
        requested_memory: memory(|recording| recording.requested_memory).collect(),
        table,
    }
}

/// With their ranks; a recording that says nothing of that is of the rank whose place it has.
fn by_rank(recordings: &[RankRecording]) -> impl Iterator<Item = (u32, &RankRecording)> {
    (0..)
        .zip(recordings)
        .map(|(place, recording)| (recording.rank.map_or(place, |rank| rank.0), recording))
}

/// One entry, or where a rank's work changes one for each part of its executions; first executions and those left out
/// belong to the first of them.
fn entries(
    block: BlockId,
    terms: &[i64],
    samples: &[Sample<'_>],
    run: (u32, Feed),
) -> Vec<ComputeEntry> {
    let whole = entry(block, terms, samples, run);
    // A time series orders the executions of one rank; those of several ranks have no common order.
    let [(rank, sample)] = samples else {
        return vec![whole];
    };
    let part = |(number, part): (usize, &TimeSeriesSegment)| {
        let indices = vec![part.first as i64, part.last as i64];
        let warm = part.times.clone();
        let coordinates = vec![Coordinates {
            rank: *rank,
            ranks: run.0,
            indices,
        }];
        match number {
            0 => ComputeEntry {
                warm,
                coordinates,
                ..whole.clone()
            },
            // In every part, first executions and discarded ones would be counted several times.
            _ => {
                let (first, disturbed) = (Distribution::default(), 0);
                ComputeEntry {
                    first,
                    warm,
                    disturbed,
                    coordinates,
                    ..whole.clone()
                }
            }
        }
    };
    match sample.course.as_slice() {
        [] => vec![whole],
        parts => parts.iter().enumerate().map(part).collect(),
    }
}

fn entry(
    block: BlockId,
    terms: &[i64],
    samples: &[Sample<'_>],
    (ranks, feed): (u32, Feed),
) -> ComputeEntry {
    let warm = samples
        .iter()
        .fold(Distribution::default(), |all, (_, sample)| {
            all.merged(&sample.warm)
        });
    let coordinates = |&(rank, _): &(u32, _)| Coordinates {
        rank,
        ranks,
        indices: Vec::new(),
    };
    ComputeEntry {
        block,
        terms: terms.to_vec(),
        ranks_per_node: 1,
        threads: 1,
        feed,
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
    use base_data::ids::{Digest, Rank};

    fn rank(measured: &[(u32, i64, i64, &[i64])]) -> RankRecording {
        let variant = |&(block, term, first, warm): &(u32, i64, i64, &[i64])| MeasuredVariant {
            block: BlockId(block),
            terms: vec![term],
            first,
            warm: Distribution::of(warm.to_vec()),
            disturbed: 1,
            course: Vec::new(),
            missing_pages: 0.0,
        };
        RankRecording {
            measured: measured.iter().map(variant).collect(),
            ..Default::default()
        }
    }

    #[test]
    fn equal_variants_of_all_ranks_become_one_entry() {
        let recordings = [
            rank(&[(0, 7, 100, &[10, 12])]),
            rank(&[(0, 8, 90, &[1]), (0, 7, 200, &[14])]),
        ];
        assert_eq!(
            shown(&recordings, false),
            [(7, 150.0, 3, 12.0, 2, 2), (8, 90.0, 1, 1.0, 1, 1)]
        );
    }

    #[test]
    fn representatives_store_rank_and_rank_count() {
        let mut recording = rank(&[(0, 7, 100, &[10])]);
        recording.rank = Some(Rank(5));
        let provenance = Provenance {
            ranks: 16,
            ..Provenance::default()
        };
        let pu = ProcessingUnit::default();
        let data = merge_compute(
            &[recording],
            BlockTable::default(),
            provenance,
            pu,
            Feed::Echo,
        );
        let entry = &data.entries[0];
        assert_eq!(
            entry.coordinates,
            [Coordinates {
                rank: 5,
                ranks: 16,
                indices: Vec::new()
            }]
        );
        assert_eq!(
            (
                entry.feed,
                data.peak_memory[0].rank,
                data.peak_memory[0].ranks
            ),
            (Feed::Echo, 5, 16)
        );
    }

    #[test]
    fn iteration_dependent_work_is_kept_per_execution() {
        let mut recording = rank(&[(0, 7, 100, &[10, 10, 30])]);
        let part = |first, last, times: &[i64]| TimeSeriesSegment {
            first,
            last,
            times: Distribution::of(times.to_vec()),
        };
        recording.measured[0].course = vec![part(1, 2, &[10, 10]), part(3, 3, &[30])];
        let shown = shown(&[recording.clone()], true);
        assert_eq!(shown, [(7, 100.0, 2, 10.0, 1, 1), (7, 0.0, 1, 30.0, 0, 1)]);
        let (table, provenance) = (BlockTable::default(), Provenance::default());
        let data = merge_compute(
            &[recording],
            table,
            provenance,
            ProcessingUnit::default(),
            Feed::All,
        );
        let indices = data
            .entries
            .iter()
            .map(|entry| &entry.coordinates[0].indices[..]);
        assert_eq!(indices.collect::<Vec<_>>(), [[1, 2], [3, 3]]);
    }

    #[test]
    fn data_dependent_work_is_kept_per_rank() {
        let recordings = [rank(&[(0, 7, 100, &[10, 12])]), rank(&[(0, 7, 200, &[14])])];
        assert_eq!(
            shown(&recordings, true),
            [(7, 100.0, 2, 11.0, 1, 1), (7, 200.0, 1, 14.0, 1, 1)]
        );
    }

    /// Term, first, count and mean of warm, disturbed and number of places of each entry.
    fn shown(
        recordings: &[RankRecording],
        data_dependent: bool,
    ) -> Vec<(i64, f64, u64, f64, u64, usize)> {
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
        let data = merge_compute(
            recordings,
            table,
            Provenance::default(),
            ProcessingUnit::default(),
            Feed::All,
        );
        let shown = |e: &ComputeEntry| {
            (
                e.terms[0],
                e.first.mean,
                e.warm.count,
                e.warm.mean,
                e.disturbed,
                e.coordinates.len(),
            )
        };
        data.entries.iter().map(shown).collect()
    }
}
