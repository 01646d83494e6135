//! The measurements of each block: each once, although a merged file may be given beside its parts. Of data-dependent
//! blocks, those with the program's input, where there are any. [`super::choose`] selects those that fit the platform.

use super::Conditions;
use crate::EstimateError;
use base_data::block_table::{Block, BlockKey};
use base_data::compute_data::{ComputeData, ComputeEntry, Coordinates};
use base_data::hashing::NumberMap;
use base_data::program_data::ProgramData;
use base_data::provenance::Provenance;
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

/// What was measured of a block.
#[derive(Debug, Default)]
pub(super) struct BlockEntries<'a> {
    pub(super) entries: Vec<&'a ComputeEntry>,
    /// Whether its work depends on data and all of it was measured with another input than the program's.
    pub(super) is_of_other_input: bool,
}

/// Key of a measurement: block, work terms, coordinates.
type MeasurementKey<'a> = (usize, &'a [i64], &'a [Coordinates]);

/// The measurements of all blocks of a program.
///
/// # Errors
/// Compute data of another unit than the wanted.
pub(super) fn by_block<'a>(
    program: &ProgramData,
    compute: &'a [ComputeData],
    wanted: Conditions,
) -> Result<Vec<BlockEntries<'a>>, EstimateError> {
    let blocks: BTreeMap<&BlockKey, usize> = program
        .table
        .blocks
        .iter()
        .enumerate()
        .map(|(block, found)| (&found.key, block))
        .collect();
    let mut known: NumberMap<MeasurementKey<'a>, &'a ComputeEntry> = NumberMap::default();
    known.reserve(compute.iter().map(|data| data.entries.len()).sum());
    // Nearly all places have one entry: only the others take a list.
    let mut further: NumberMap<MeasurementKey<'a>, Vec<&'a ComputeEntry>> = NumberMap::default();
    // With the program's input, and with others.
    let mut found: Vec<[Vec<&ComputeEntry>; 2]> =
        vec![Default::default(); program.table.blocks.len()];
    for data in compute {
        let block_of = |block: &Block| blocks.get(&block.key).copied();
        let own_blocks: Vec<Option<usize>> = data.table.blocks.iter().map(block_of).collect();
        if data.unit != wanted.unit {
            let program = data.provenance.program.clone();
            return Err(EstimateError::OtherUnit {
                program,
                found: data.unit,
                wanted: wanted.unit,
            });
        }
        let is_other = has_other_input(&program.provenance, &data.provenance);
        for entry in data
            .entries
            .iter()
            .filter(|entry| entry.first.count + entry.warm.count > 0)
        {
            let Some(&Some(block)) = own_blocks.get(entry.block.index()) else {
                continue;
            };
            let key = (block, &entry.terms[..], &entry.coordinates[..]);
            match known.entry(key) {
                Entry::Vacant(vacant) => {
                    vacant.insert(entry);
                }
                Entry::Occupied(first) => {
                    // A merged file given beside its parts holds the same measurements twice; counting both
                    // would narrow the error.
                    if entry.is_same_measurement(first.get()) {
                        continue;
                    }
                    let others = further.entry(key).or_default();
                    if others.iter().any(|known| entry.is_same_measurement(known)) {
                        continue;
                    }
                    others.push(entry);
                }
            }
            found[block][usize::from(is_other)].push(entry);
        }
    }
    let of_block = |([own, others], is_data_dependent): ([Vec<&'a ComputeEntry>; 2], bool)| {
        match is_data_dependent {
            // Another input is better than nothing, and the interval says so
            // ([`BlockEntries::is_of_other_input`]).
            true if own.is_empty() => BlockEntries {
                is_of_other_input: !others.is_empty(),
                entries: others,
            },
            true => BlockEntries {
                entries: own,
                is_of_other_input: false,
            },
            // The work terms describe such a block, whatever the input.
            false => BlockEntries {
                entries: [own, others].concat(),
                is_of_other_input: false,
            },
        }
    };
    let is_data_dependent = program
        .table
        .blocks
        .iter()
        .map(|block| block.data_dependent);
    Ok(found
        .into_iter()
        .zip(is_data_dependent)
        .map(of_block)
        .collect())
}

/// Whether a file is known to be made with another input.
pub(crate) fn has_other_input(a: &Provenance, b: &Provenance) -> bool {
    a.input.zip(b.input).is_some_and(|(a, b)| a != b)
}
