//! Warnings about compute times that the interval does not cover: means over data-dependent work, and
//! blocks with too few measured executions to estimate their spread. Readers of the inputs report what
//! is missing there.

use crate::Inputs;
use crate::block_times::{BlockTimesTable, has_other_input, is_in_part};
use base_data::block_table::{BlockKey, BlockKind, BlockTable};
use base_data::compute_data::{ComputeData, ComputeEntry, Unit};
use base_data::estimate_file::{Activity, Category, Cell};
use base_data::provenance::Mismatch;
use base_data::{BlockId, Time};
use std::collections::{BTreeMap, BTreeSet};

/// Shares of the compute time below this are not worth a remark.
const SMALLEST_SHARE: f64 = 0.01;
/// Fewer executions than this say little about a spread.
const FEW_EXECUTIONS: u64 = 5;
/// Programs of fewer blocks than this are too small to judge by how many they enter.
const FEWEST_BLOCKS: usize = 8;
/// A run that enters less than this share of the program's compute blocks may have ended early. A round number: the
/// warning asks the user to look, so nothing depends on where exactly it begins.
const SMALLEST_SHARE_ENTERED: f64 = 0.25;
/// Larger deviations are printed as a factor of 10 and more: then the exact size says nothing.
const LARGEST_PRINTED_DEVIATION: f64 = 9.0;
/// How many places a remark lists.
const MOST_PLACES: usize = 3;

/// The warning that program and compute data were made in different ways.
pub(crate) fn unfit_compute_data(mismatch: &Mismatch) -> String {
    format!(
        "compute times may not hold for the program data: {mismatch}; record and measure with the \
        same compiler, flags and input"
    )
}

/// Remarks on the compute blocks of an estimate with these `times`, as sentences.
pub(crate) fn remarks(
    unit: Unit,
    times: &ComputeTimes,
    inputs: &Inputs<'_>,
    table: &BlockTimesTable,
) -> Vec<String> {
    let (program, executions) = (inputs.program, executions(inputs.compute));
    // A section enters its own blocks only, which says nothing of the run.
    let of_whole_run = inputs.program.section.is_none();
    let block = |id: &BlockId| program.table.blocks.get(id.index());
    let is_data_dependent = |id: &BlockId| block(id).is_some_and(|block| block.data_dependent);
    let is_rare = |id: &BlockId| {
        block(id)
            .and_then(|block| executions.get(&block.key))
            .is_some_and(|count| *count < FEW_EXECUTIONS)
    };
    let (counted, of_a_block) = match unit {
        Unit::Time => ("compute time", "time"),
        Unit::Statements => ("counted work", "work"),
    };
    let own = blocks_by_rank(inputs);
    let is_known_by_rank = |id: &BlockId| block(id).is_some_and(|block| own.contains(&block.key));
    let averaged = |over: &str, by_rank: bool| {
        let belongs = |id: &BlockId| is_data_dependent(id) && is_known_by_rank(id) == by_rank;
        let (share, places) = share_of(&program.table, times, belongs)?;
        Some(format!(
            "{share} of the {counted} is in data-dependent blocks ({places}); their {of_a_block} is \
            the mean of the {over}"
        ))
    };
    let mut averages = Vec::new();
    if table.partial_measurements.is_empty() {
        averages.extend(averaged("measured ranks and iterations", false));
        averages.extend(averaged(&measured_ranks(inputs), true));
    } else if let Some((share, places)) = share_of(&program.table, times, is_data_dependent) {
        averages.push(format!(
            "{share} of the {counted} is in data-dependent blocks ({places}), measured {}; their \
            {of_a_block} is the mean of these iterations; measure with --all-ranks",
            table.partial_measurements.join(", ")
        ));
    }
    let rare = share_of(&program.table, times, is_rare).map(|(share, places)| {
        format!(
            "{share} of the {counted} is in blocks that ran fewer than {FEW_EXECUTIONS} times while \
            measured ({places}); the interval does not include their spread"
        )
    });
    let does_not_follow = |id: &BlockId| table.unsteady.contains_key(&id.0);
    let worst = table.unsteady.values().copied().fold(0.0, f64::max);
    let unsteady = share_of(&program.table, times, does_not_follow).map(|(share, places)| {
        format!(
            "{share} of the {counted} is in blocks whose {of_a_block} does not follow their work terms ({places}): \
             predicted from the others, measured variants are {} off; {}",
            deviation_text(worst),
            how_to_measure(inputs)
        )
    });
    let is_far = |id: &BlockId| table.distant_blocks.contains_key(&id.0);
    let furthest = table.distant_blocks.values().copied().fold(0.0, f64::max);
    let far = share_of(&program.table, times, is_far).map(|(share, places)| {
        format!(
            "{share} of the {counted} is extrapolated from executions with up to {furthest:.0} times \
            more or less work ({places}); this is right only if the {of_a_block} is proportional to \
            the work terms; {}",
            how_to_measure(inputs)
        )
    });
    let is_other =
        |data: &ComputeData| has_other_input(&inputs.program.provenance, &data.provenance);
    let other_input = share_of(&program.table, times, is_data_dependent)
        .filter(|_| !inputs.compute.is_empty() && inputs.compute.iter().all(is_other))
        .map(|(share, places)| {
            format!(
                "{share} of the {counted} is in data-dependent blocks ({places}), which were \
                measured with another input and may take much more or less with this one; measure \
                with the input that is predicted"
            )
        });
    averages
        .into_iter()
        .chain(rare)
        .chain(unsteady)
        .chain(far)
        .chain(other_input)
        .chain(few_entered(&program.table, times.len()).filter(|_| of_whole_run))
        .collect()
}

/// How far predictions are from the truth at worst, given the largest of `|predicted / measured - 1|`.
fn deviation_text(worst: f64) -> String {
    if worst > LARGEST_PRINTED_DEVIATION {
        return "by a factor of 10 and more".into();
    }
    format!("up to {:.0} %", 100.0 * worst)
}

/// What to measure for work terms that were not measured.
fn how_to_measure(inputs: &Inputs<'_>) -> String {
    let ranks = inputs.program.ranks;
    let of_as_many: Vec<_> = inputs
        .compute
        .iter()
        .filter(|data| data.provenance.ranks == ranks)
        .collect();
    if of_as_many.is_empty() {
        format!("measure with {ranks} ranks and the input that is predicted")
    } else if of_as_many.into_iter().any(is_in_part) {
        "measure --all-ranks".into()
    } else {
        "measure with the input that is predicted, and a larger --budget".into()
    }
}

/// Of which ranks iterations were measured with as many ranks as the program has.
fn measured_ranks(inputs: &Inputs<'_>) -> String {
    let ranks = inputs.program.ranks;
    let found = inputs.compute.iter().flat_map(|data| &data.peak_memory);
    let found: BTreeSet<u32> = found
        .filter(|one| one.ranks == ranks)
        .map(|one| one.rank)
        .collect();
    match found.len() {
        some if (1..ranks as usize).contains(&some) => {
            format!("iterations measured on {some} of {ranks} ranks")
        }
        _ => "iterations measured on each rank".into(),
    }
}

/// Blocks whose times are known for each rank of the program by itself.
fn blocks_by_rank<'a>(inputs: &Inputs<'a>) -> BTreeSet<&'a BlockKey> {
    let ranks = inputs.program.ranks;
    let is_own = |entry: &&ComputeEntry| matches!(entry.coordinates.as_slice(), [only] if only.ranks == ranks);
    let of_data = |data: &'a ComputeData| {
        data.entries
            .iter()
            .filter(is_own)
            .filter_map(|entry| data.key(entry))
    };
    inputs.compute.iter().flat_map(of_data).collect()
}

/// Whether the run entered so few of the program's compute blocks that it may have ended early.
fn few_entered(table: &BlockTable, entered: usize) -> Option<String> {
    let blocks = table
        .blocks
        .iter()
        .filter(|block| block.kind == BlockKind::Compute)
        .count();
    let is_few =
        blocks >= FEWEST_BLOCKS && (entered as f64) < SMALLEST_SHARE_ENTERED * blocks as f64;
    if !is_few {
        return None;
    }
    Some(format!(
        "the ranks entered only {entered} of the program's {blocks} compute blocks; the program \
        may have ended early because of its input or number of ranks: run it with `mpiete run` \
        and read its output"
    ))
}

/// Compute time by executed block, summed over ranks.
pub(crate) type ComputeTimes = BTreeMap<BlockId, Time>;

/// Compute time by executed block in these cells.
pub(crate) fn times(cells: &[Cell]) -> ComputeTimes {
    let mut times = BTreeMap::new();
    for cell in cells {
        if let Activity::Block(block) = cell.activity {
            *times.entry(block).or_insert(Time::ZERO) += cell.split[Category::Compute.index()];
        }
    }
    times
}

/// Measured executions by block.
fn executions(compute: &[ComputeData]) -> BTreeMap<&BlockKey, u64> {
    let mut executions = BTreeMap::new();
    for data in compute {
        for entry in &data.entries {
            if let Some(key) = data.key(entry) {
                *executions.entry(key).or_insert(0) += entry.first.count + entry.warm.count;
            }
        }
    }
    executions
}

/// Share of the compute time in the blocks that `belongs` picks, with the places of the largest; none if
/// it is small.
fn share_of(
    table: &BlockTable,
    times: &ComputeTimes,
    belongs: impl Fn(&BlockId) -> bool,
) -> Option<(String, String)> {
    let mut picked: Vec<(BlockId, Time)> = times
        .iter()
        .filter(|(id, _)| belongs(id))
        .map(|(id, time)| (*id, *time))
        .collect();
    // Equal times are ordered by block, so that the sentence is always the same.
    picked.sort_by_key(|&(id, time)| (std::cmp::Reverse(time), id));
    let part: Time = picked.iter().map(|(_, time)| *time).sum();
    let whole: Time = times.values().copied().sum();
    // Without compute time the share is 0, not 0 / 0.
    let share = part.seconds() / whole.seconds().max(f64::MIN_POSITIVE);
    if share < SMALLEST_SHARE {
        return None;
    }
    let place = |id: BlockId| Some(table.place(&table.blocks.get(id.index())?.span));
    let mut places: Vec<String> = picked
        .iter()
        .take(MOST_PLACES)
        .filter_map(|(id, _)| place(*id))
        .collect();
    if picked.len() > MOST_PLACES {
        places.push(format!("{} more", picked.len() - MOST_PLACES));
    }
    Some((format!("{:.0} %", 100.0 * share), places.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::compute_data::PeakMemory;
    use base_data::program_data::ProgramData;
    use base_data::provenance::Provenance;

    /// Compute data of as many ranks, of which some ran.
    fn data(ranks: u32, ran: u32) -> ComputeData {
        let peak = |rank| PeakMemory {
            rank,
            ranks,
            bytes: 1,
        };
        let provenance = Provenance {
            ranks,
            ..Provenance::default()
        };
        ComputeData {
            provenance,
            peak_memory: (0..ran).map(peak).collect(),
            ..ComputeData::default()
        }
    }

    #[test]
    fn measured_blocks_are_not_suggested_again() {
        let program = ProgramData {
            ranks: 8,
            ..ProgramData::default()
        };
        let advice = |compute: &[ComputeData]| {
            how_to_measure(&Inputs {
                program: &program,
                compute,
            })
        };
        assert_eq!(
            advice(&[data(4, 4)]),
            "measure with 8 ranks and the input that is predicted"
        );
        assert_eq!(advice(&[data(4, 4), data(8, 3)]), "measure --all-ranks");
        assert!(advice(&[data(8, 8)]).contains("--budget"));
    }

    #[test]
    fn times_of_some_ranks_are_named_as_such() {
        let program = ProgramData {
            ranks: 8,
            ..ProgramData::default()
        };
        let ranks = |compute: &[ComputeData]| {
            measured_ranks(&Inputs {
                program: &program,
                compute,
            })
        };
        assert_eq!(
            ranks(&[data(4, 2), data(8, 3)]),
            "iterations measured on 3 of 8 ranks"
        );
        assert_eq!(ranks(&[data(8, 8)]), "iterations measured on each rank");
    }
}
