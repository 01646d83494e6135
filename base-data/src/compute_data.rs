//! Computation base data: times of compute blocks by (block, variant), measured on one node of the
//! target. By the law of the design they depend on sources, input, PU type, compiler and flags,
//! ranks per node and threads per rank, never on network, MPI library or number of ranks.

use crate::block_table::{BlockKey, BlockTable};
use crate::distribution::Distribution;
use crate::ids::BlockId;
use crate::provenance::Provenance;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// Share of the measured work that two builds of one program have in common at least.
const LEAST_IN_COMMON: f64 = 0.01;

/// Executions whose times are not the same by chance.
const FEWEST_TIMES: u64 = 5;

/// Computation base data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComputeData {
    /// Inputs and tools from which they were made.
    pub provenance: Provenance,
    /// The processing unit it was measured on.
    pub pu: ProcessingUnit,
    /// Unit of all values.
    pub unit: Unit,
    /// Blocks of the program it was measured with; entries refer to it.
    pub table: BlockTable,
    /// The measurements.
    pub entries: Vec<ComputeEntry>,
    /// Peak memory of the ranks that ran.
    pub peak_memory: Vec<PeakMemory>,
    /// Most memory that these ranks requested at once, as far as program data contains it for other ranks: static
    /// storage and allocations. Last, because files before version 5 end before it.
    pub requested_memory: Vec<PeakMemory>,
}

/// Unit of the values of compute data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Picoseconds.
    #[default]
    Time,
    /// Executed statements: a clock without noise.
    Statements,
}

/// A processing unit, by the properties that determine its speed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessingUnit {
    /// Model name, as the operating system gives it.
    pub model: String,
    /// Cores of the node.
    pub cores: u32,
    /// Caches, largest last: bytes.
    pub caches: Vec<u64>,
}

/// Where the data of received messages came from while measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Feed {
    /// The data on which its work depends were real: all ranks ran, or it does not depend on messages.
    All,
    /// One representative with echoed messages: it receives what it last sent.
    Echo,
    /// One representative, fed recorded payloads.
    Log,
}

/// Which rank of how many samples were taken on, and at which iterations of the enclosing loops. The number of
/// the execution determines the iterations: loops in which it matters run whole, so that it counts their iterations, the innermost
/// loop's first, and a stream of program data, which knows no loops of the source, can count it, too.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Coordinates {
    /// Rank.
    pub rank: u32,
    /// Number of ranks of that run.
    pub ranks: u32,
    /// Numbers of the first and the last of the executions among those of this variant on the rank, from 0; empty where
    /// executions were not kept apart. Twice 0: there was the first one alone.
    pub indices: Vec<i64>,
}

/// The measured values of one (block, variant) under one set of conditions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComputeEntry {
    /// The block; its key is `table.blocks[block].key`.
    pub block: BlockId,
    /// Values of its work terms.
    pub terms: Vec<i64>,
    /// Ranks that ran on the node at once (K).
    pub ranks_per_node: u32,
    /// Threads per rank.
    pub threads: u32,
    /// Where received data came from.
    pub feed: Feed,
    /// First executions, one per rank.
    pub first: Distribution,
    /// Later executions.
    pub warm: Distribution,
    /// Executions that were disturbed and left out.
    pub disturbed: u64,
    /// Where the samples were taken.
    pub coordinates: Vec<Coordinates>,
}

impl ComputeEntry {
    /// Whether two entries of one block, which files number each in their own way, are one measurement.
    pub fn is_same_measurement(&self, other: &ComputeEntry) -> bool {
        let ComputeEntry {
            // Named field by field, so that a new field cannot be forgotten here.
            block: _,
            terms,
            ranks_per_node,
            threads,
            feed,
            first,
            warm,
            disturbed,
            coordinates,
        } = other;
        let conditions =
            (self.ranks_per_node, self.threads, self.feed) == (*ranks_per_node, *threads, *feed);
        let place = (&self.terms, &self.coordinates) == (terms, coordinates);
        let values = (&self.first, &self.warm, self.disturbed) == (first, warm, *disturbed);
        conditions && place && values
    }
}

/// Most memory of one rank at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeakMemory {
    /// Rank.
    pub rank: u32,
    /// Number of ranks of that run.
    pub ranks: u32,
    /// Bytes.
    pub bytes: u64,
}

impl ComputeData {
    /// The stable key of an entry's block; `None` if the file's block table lacks it.
    pub fn key(&self, entry: &ComputeEntry) -> Option<&BlockKey> {
        self.table
            .blocks
            .get(entry.block.index())
            .map(|block| &block.key)
    }

    /// Whether some of the work that was measured is in blocks that both know: builds of one program differ in some
    /// blocks, and different programs may have small ones in common. Without measurements it is unknown.
    pub fn is_of_one_program_with(&self, other: &ComputeData) -> bool {
        let shares = [self.share_in(other), other.share_in(self)];
        shares
            .iter()
            // Either direction is enough: a small program may be a part of a large one.
            .any(|share| share.is_none_or(|share| share >= LEAST_IN_COMMON))
    }

    /// Share of the measured work that is in blocks which were measured in `other`, too; `None` where none was.
    fn share_in(&self, other: &ComputeData) -> Option<f64> {
        let known: HashSet<&BlockKey> = other
            .entries
            .iter()
            .filter_map(|entry| other.key(entry))
            .collect();
        let (mut all, mut shared) = (0.0, 0.0);
        for entry in &self.entries {
            let work: f64 = [&entry.first, &entry.warm]
                .map(|one| one.mean * one.count as f64)
                .iter()
                .sum();
            let is_known = self.key(entry).is_some_and(|key| known.contains(key));
            all += work;
            shared += if is_known { work } else { 0.0 };
        }
        if all > 0.0 && !known.is_empty() {
            Some(shared / all)
        } else {
            None
        }
    }

    /// How many measurements of another file are in this one: times of several executions that are the same to the last
    /// digit. Counted statements are the same whenever they are counted.
    fn entries_of(&self, other: &ComputeData) -> usize {
        let is_distinctive = |entry: &&ComputeEntry| {
            self.unit == Unit::Time
                && entry.warm.count >= FEWEST_TIMES
                // Constant times may agree by chance; a coarse clock gives such.
                && entry.warm.standard_error() > 0.0
        };
        let mut known: HashMap<(&BlockKey, &[i64]), Vec<&ComputeEntry>> = HashMap::new();
        for entry in self.entries.iter().filter(is_distinctive) {
            let Some(key) = self.key(entry) else { continue };
            known.entry((key, &entry.terms)).or_default().push(entry);
        }
        let is_known = |entry: &&ComputeEntry| {
            let alike = other
                .key(entry)
                .and_then(|key| known.get(&(key, &entry.terms[..])));
            alike.is_some_and(|alike| alike.iter().any(|known| entry.is_same_measurement(known)))
        };
        other
            .entries
            .iter()
            .filter(is_distinctive)
            .filter(is_known)
            .count()
    }

    /// Adds measurements of the same program on the same PU, and blocks that only `other` knows. Entries of
    /// equal (block, variant, conditions) stay apart, since how much runs differ is part of what is known.
    ///
    /// # Errors
    /// The second half of a sentence that names both sides: other PU, unit, compiler or flags, the same
    /// measurements, or next to no work in blocks that are in both.
    pub fn merge(&mut self, other: ComputeData) -> Result<(), String> {
        if self.pu != other.pu {
            return Err(format!(
                "measured on different PUs: '{}' and '{}'",
                self.pu.model, other.pu.model
            ));
        }
        if self.unit != other.unit {
            return Err("one holds times and the other counted statements".into());
        }
        let (own, others) = (&self.provenance, &other.provenance);
        if (&own.compiler, &own.flags) != (&others.compiler, &others.flags) {
            let text = |p: &Provenance| format!("'{} {}'", p.compiler, p.flags);
            return Err(format!(
                "measured with different compilers or flags: {} and {}",
                text(own),
                text(others)
            ));
        }
        if own == others && self.entries == other.entries {
            return Err("the same measurements; merging them would count each twice".into());
        }
        // A file that was merged before contains the other one in part.
        let twice = self.entries_of(&other);
        if twice > 0 {
            let all = other.entries.len();
            return Err(format!(
                "{twice} of the {all} entries of the second are in the first; they would count twice"
            ));
        }
        // Data that were measured of no block at all fit any program.
        let shared = other
            .table
            .blocks
            .iter()
            .any(|block| self.table.find(&block.key).is_some());
        if !shared && !other.table.blocks.is_empty() && !self.table.blocks.is_empty() {
            let (own, others) = (&self.provenance.program, &other.provenance.program);
            return Err(format!(
                "made from different programs: no block of '{own}' is in '{others}'"
            ));
        }
        if !self.is_of_one_program_with(&other) {
            let (own, others) = (&self.provenance.program, &other.provenance.program);
            return Err(format!(
                "made from different programs: '{own}' and '{others}' have almost no measured block \
                in common; merge measurements of one program"
            ));
        }
        // Blocks are the same by their keys; their numbers differ from file to file.
        let places = self.table.absorb(&other.table);
        let renumbered = |entry: ComputeEntry| ComputeEntry {
            block: places[entry.block.index()],
            ..entry
        };
        self.entries
            .extend(other.entries.into_iter().map(renumbered));
        self.peak_memory.extend(other.peak_memory);
        self.requested_memory.extend(other.requested_memory);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_table::{Block, BlockKind};
    use crate::ids::Digest;

    fn file(date: &str, runs: &[i64]) -> ComputeData {
        let block = Block {
            key: BlockKey {
                digest: Digest(1),
                procedure: "a".into(),
                ordinal: 0,
            },
            kind: BlockKind::Compute,
            span: Default::default(),
            loop_path: Vec::new(),
            work_terms: Vec::new(),
            data_dependent: false,
        };
        let entry = |&mean: &i64| ComputeEntry {
            block: BlockId(0),
            terms: vec![5],
            ranks_per_node: 1,
            threads: 1,
            feed: Feed::All,
            first: Distribution::default(),
            warm: Distribution::of((0..5).map(|number| mean + number).collect()),
            disturbed: 0,
            coordinates: Vec::new(),
        };
        ComputeData {
            provenance: Provenance {
                date: date.into(),
                ..Provenance::default()
            },
            table: BlockTable {
                blocks: vec![block],
                ..BlockTable::default()
            },
            entries: runs.iter().map(entry).collect(),
            ..ComputeData::default()
        }
    }

    #[test]
    fn measurements_are_merged_once() {
        let mut merged = file("1", &[10]);
        merged.merge(file("2", &[20])).unwrap();
        assert_eq!(merged.entries.len(), 2);
        let twice = |merged: &mut ComputeData, other| merged.merge(other).unwrap_err();
        let message = "1 of the 1 entries of the second are in the first; they would count twice";
        assert_eq!(twice(&mut merged, file("1", &[10])), message);
        let message = "1 of the 2 entries of the second are in the first; they would count twice";
        assert_eq!(twice(&mut merged, file("3", &[20, 30])), message);
        // Counted statements are what they are.
        let counted = |date| ComputeData {
            unit: Unit::Statements,
            ..file(date, &[10])
        };
        assert!(counted("1").merge(counted("2")).is_ok());
    }
}
