//! Which entries of the compute data belong to which block of the program: blocks by their stable
//! keys, entries by ranks per node and threads, and those of blocks whose work depends on data by the
//! number of ranks, too: each has another share of the data then, and where they were measured with
//! as many ranks as the program data have, each rank has its own values. Entries of several files, feeds
//! and ranks that agree in all this are taken together.

use super::Conditions;
use super::data_distribution;
use super::entries;
use super::executions::Executing;
use super::load_imbalance::{self, LoadImbalance};
use super::measured::Measured;
use super::node_occupancy::{self, OccupancyPosition};
use super::run_variation::Runs;
use super::time_series::{self, TimeSeries, TimeSeriesTable};
use crate::EstimateError;
use base_data::compute_data::{ComputeData, ComputeEntry, Feed, Unit};
use base_data::program_data::ProgramData;
use std::collections::{BTreeMap, BTreeSet};

/// Least relative standard deviation of a time that depends on data which a rank was fed, or which another input brought: as
/// much as is assumed of rates of which nothing is known.
const GUESSED: f64 = 0.25;

/// Measured variants by block of the program.
#[derive(Debug)]
pub(super) struct MeasuredBlocks {
    blocks: Vec<Vec<Measured>>,
    /// By block: how much slower than measured it may be on a node as full as the platform's, as a share.
    slowdowns: Vec<f64>,
    /// By block: the load imbalance, where measurements come from another number of ranks.
    unequal: BTreeMap<u32, LoadImbalance>,
    /// How measuring runs differ.
    pub(super) runs: Runs,
}

impl MeasuredBlocks {
    /// The measured variants of a block, ascending in terms; `None` if nothing of it was measured.
    pub(super) fn block(&self, block: usize) -> Option<&[Measured]> {
        self.blocks
            .get(block)
            .filter(|variants| !variants.is_empty())
            .map(Vec::as_slice)
    }

    /// How much slower than measured a block may be, as a share.
    pub(super) fn slowdown(&self, block: usize) -> f64 {
        self.slowdowns.get(block).copied().unwrap_or(0.0)
    }

    /// Blocks in which ranks may be unequal, and how.
    pub(super) fn unequal(&self) -> impl Iterator<Item = (u32, &LoadImbalance)> {
        self.unequal
            .iter()
            .map(|(&block, unequal)| (block, unequal))
    }

    /// Mean time of the measured executions of a block.
    pub(super) fn mean_execution(&self, block: usize) -> f64 {
        let variants = || self.block(block).into_iter().flatten();
        let values =
            || variants().flat_map(|variant| [&variant.values.first, &variant.values.warm]);
        let count: f64 = values().map(|found| found.count as f64).sum();
        values()
            .map(|found| found.mean * found.count as f64)
            .sum::<f64>()
            / count
    }

    /// A measured variant of a block.
    pub(super) fn variant(&self, block: usize, terms: &[i64]) -> Option<&Measured> {
        let variants = self.block(block)?;
        let found = variants
            .binary_search_by(|variant| variant.terms.as_slice().cmp(terms))
            .ok()?;
        variants.get(found)
    }
}

/// What the user should know of the chosen entries.
pub(super) struct Remarks {
    /// About conditions that differ.
    pub(super) warnings: Vec<String>,
    /// How far data-dependent blocks were measured in part only; `None` if they were measured on all ranks, with the program's
    /// messages.
    pub(super) partial: Option<String>,
}

/// Chooses the entries for each block of the program.
pub(super) fn measured(
    program: &ProgramData,
    compute: &[ComputeData],
    wanted: Conditions,
    executing: &Executing<'_>,
) -> Result<(MeasuredBlocks, Remarks), EstimateError> {
    let by_block = entries::by_block(program, compute, wanted)?;
    let mut choice = EntrySelection::new(wanted, program.ranks, executing);
    choice.in_part = compute
        .iter()
        .filter(|data| is_in_part(data))
        .map(|data| data.provenance.ranks)
        .collect();
    let of_blocks = by_block.into_iter().zip(&program.table.blocks);
    let mut terms: Vec<Vec<&[i64]>> = vec![Vec::new(); program.table.blocks.len()];
    for variant in &program.variants {
        terms[variant.block.index()].push(&variant.terms);
    }
    let (mut blocks, mut slowdowns, mut unequal) = (Vec::new(), Vec::new(), BTreeMap::new());
    for (number, ((found, block), terms)) in (0..).zip(of_blocks.zip(&terms)) {
        choice.block = number as usize;
        // Terms do not determine the work of such a block, so the executed ones are compared with the measured ones.
        let terms = if block.data_dependent {
            Some(terms)
        } else {
            None
        };
        let (mut variants, slowdown) = choice.variants(found.entries, terms);
        if found.is_of_other_input {
            variants
                .iter_mut()
                .for_each(|variant| variant.is_guessed(GUESSED));
        }
        blocks.push(variants);
        slowdowns.push(slowdown);
        unequal.extend(choice.unequal.take().map(|unequal| (number, unequal)));
    }
    let remarks = Remarks {
        warnings: choice.warnings(),
        partial: choice.partial(),
    };
    Ok((
        MeasuredBlocks {
            blocks,
            slowdowns,
            unequal,
            runs: choice.runs,
        },
        remarks,
    ))
}

/// Whether some ranks of a run were measured alone.
pub(crate) fn is_in_part(data: &ComputeData) -> bool {
    (1..data.provenance.ranks as usize).contains(&data.peak_memory.len())
}

/// Selects the entries of each block, and collects what the warnings need.
struct EntrySelection<'a> {
    wanted: Conditions,
    /// The ranks that execute each variant.
    executing: &'a Executing<'a>,
    /// The present block.
    block: usize,
    /// Number of ranks of the program data.
    ranks: u32,
    other_ranks_per_node: BTreeSet<u32>,
    other_threads: BTreeSet<u32>,
    other_ranks: BTreeSet<u32>,
    /// Ranks on which blocks were sampled whose work depends on data, where those are not all.
    sampled: BTreeSet<u32>,
    /// Whether ranks that measured such blocks received echoed messages.
    is_echoed: bool,
    /// Numbers of ranks of which not all were measured.
    in_part: BTreeSet<u32>,
    /// Load imbalance of the present block.
    unequal: Option<LoadImbalance>,
    runs: Runs,
}

impl<'a> EntrySelection<'a> {
    fn new(wanted: Conditions, ranks: u32, executing: &'a Executing<'a>) -> Self {
        let [
            other_ranks_per_node,
            other_threads,
            other_ranks,
            sampled,
            in_part,
        ] = [(); 5].map(|()| BTreeSet::new());
        let (is_echoed, runs) = (false, Runs::default());
        Self {
            wanted,
            executing,
            block: 0,
            ranks,
            other_ranks_per_node,
            other_threads,
            other_ranks,
            sampled,
            is_echoed,
            in_part,
            unequal: None,
            runs,
        }
    }

    /// The variants of a block on the wanted nodes, and how much slower they may be.
    /// Of a block whose work depends on data, the program's `terms` are given.
    fn variants(
        &mut self,
        entries: Vec<&ComputeEntry>,
        terms: Option<&Vec<&[i64]>>,
    ) -> (Vec<Measured>, f64) {
        let (mut entries, together, time_series_table) = time_series::joined(&entries, self.ranks);
        entries.extend(&together);
        if let Some(terms) = terms {
            let extrapolated_to_ranks =
                data_distribution::extrapolated_to_ranks(&entries, self.ranks, terms, &|terms| {
                    self.ranks_executing(terms)
                });
            // Only now, since the extrapolation uses the entries of all numbers of ranks.
            self.choose_ranks(&mut entries);
            if let (Some((found, unequal)), Some(one)) = (extrapolated_to_ranks, entries.first()) {
                self.unequal = unequal;
                return (found, self.slowdown_beyond(one.ranks_per_node));
            }
        }
        let by_threads = grouped(entries, |entry| entry.threads);
        let Some(threads) = nearest(by_threads.keys().copied(), self.wanted.threads) else {
            return (Vec::new(), 0.0);
        };
        note(&mut self.other_threads, threads, self.wanted.threads);
        let (mut found, slowdown) = self.on_nodes(&by_threads[&threads], &time_series_table, terms);
        for entries in by_threads
            .iter()
            .filter(|(number, _)| **number != threads)
            .map(|(_, entries)| entries)
        {
            let mut aside = self.aside();
            found = node_occupancy::with_missing_variants(
                found,
                || aside.on_nodes(entries, &time_series_table, terms).0,
                entries,
            );
        }
        (found, slowdown)
    }

    /// The variants on nodes of the wanted occupancy, from entries of one number of threads, and how much slower they
    /// may be there.
    fn on_nodes(
        &mut self,
        entries: &[&ComputeEntry],
        time_series_table: &TimeSeriesTable,
        terms: Option<&Vec<&[i64]>>,
    ) -> (Vec<Measured>, f64) {
        let is_data_dependent = terms.is_some();
        let by_node = grouped(entries.to_vec(), |entry| entry.ranks_per_node);
        if let (Some(entries), Some(terms)) = (by_node.values().next_back(), terms) {
            self.unequal = self.of_other_ranks(entries, terms);
        }
        let measured: Vec<u32> = by_node.keys().copied().collect();
        let Some(place) = node_occupancy::place(&measured, self.wanted.ranks_per_node) else {
            return (Vec::new(), 0.0);
        };
        let taken = match place {
            OccupancyPosition::At(ranks) | OccupancyPosition::Beyond(_, ranks) => [ranks, ranks],
            OccupancyPosition::Between(fewer, more, _) => [fewer, more],
        };
        let mut of =
            |ranks: u32| self.gathered(&by_node[&ranks], time_series_table, is_data_dependent);
        let (mut found, slowdown) = match place {
            OccupancyPosition::At(ranks) => {
                let found = of(ranks);
                note(
                    &mut self.other_ranks_per_node,
                    ranks,
                    self.wanted.ranks_per_node,
                );
                (found, 0.0)
            }
            OccupancyPosition::Between(fewer, more, share) => {
                (node_occupancy::between(of(fewer), of(more), share), 0.0)
            }
            OccupancyPosition::Beyond(second, largest) => {
                let found = of(largest);
                let second =
                    second.map(|second| (second, node_occupancy::ratio(&of(second), &found)));
                note(
                    &mut self.other_ranks_per_node,
                    largest,
                    self.wanted.ranks_per_node,
                );
                (
                    found,
                    node_occupancy::slowdown(second, largest, self.wanted.ranks_per_node),
                )
            }
        };
        // The nearest occupancy first: later ones only add variants that it lacks.
        let mut others: Vec<_> = by_node
            .iter()
            .filter(|(ranks, _)| !taken.contains(ranks))
            .collect();
        // A stable sort over an ordered map: of two equally near, the one with fewer ranks.
        others.sort_by_key(|(ranks, _)| ranks.abs_diff(self.wanted.ranks_per_node));
        for (_, entries) in others {
            let mut aside = self.aside();
            found = node_occupancy::with_missing_variants(
                found,
                || aside.gathered(entries, time_series_table, is_data_dependent),
                entries,
            );
        }
        (found, slowdown)
    }

    /// A selection of further entries. Its notes do not become warnings.
    fn aside(&self) -> Self {
        let aside = Self::new(self.wanted, self.ranks, self.executing);
        Self {
            in_part: self.in_part.clone(),
            block: self.block,
            ..aside
        }
    }

    /// How much slower than with so many ranks on the node a block may be.
    fn slowdown_beyond(&mut self, measured: u32) -> f64 {
        note(
            &mut self.other_ranks_per_node,
            measured,
            self.wanted.ranks_per_node,
        );
        if measured < self.wanted.ranks_per_node {
            node_occupancy::slowdown(None, measured, self.wanted.ranks_per_node)
        } else {
            0.0
        }
    }

    /// Entries of one set of conditions, by variant.
    fn gathered(
        &mut self,
        entries: &[&ComputeEntry],
        time_series_table: &TimeSeriesTable,
        is_data_dependent: bool,
    ) -> Vec<Measured> {
        let mut entries = entries.to_vec();
        // Stable: entries of one variant are merged in the order of the files, which keeps sums the same.
        entries.sort_by(|a, b| a.terms.cmp(&b.terms));
        let mut gathered = Vec::new();
        for entries in entries.chunk_by(|a, b| a.terms == b.terms) {
            let terms = &entries[0].terms;
            let mut variant = Measured {
                terms: terms.clone(),
                ..Measured::default()
            };
            for entry in entries {
                variant.values.add(entry);
                if let Some(rank) = self.own_rank(entry).filter(|_| is_data_dependent) {
                    let own = variant.own.entry(rank).or_default();
                    own.values.add(entry);
                    own.time_series = own
                        .time_series
                        .take()
                        .or_else(|| time_series_table.of(entry).cloned());
                }
            }
            if is_data_dependent && variant.own.is_empty() {
                variant.values = load_imbalance::as_one_rank(entries);
            }
            let of_ranks = variant
                .own
                .values()
                .filter_map(|own| own.time_series.as_ref());
            variant.time_series = TimeSeries::mean_of(of_ranks);
            // Entries of data-dependent blocks differ by rank, so their differences do not show those of
            // runs.
            if !is_data_dependent {
                self.runs.add(entries);
            }
            self.is_echoed |=
                is_data_dependent && entries.iter().any(|entry| entry.feed == Feed::Echo);
            let is_sample = entries.iter().any(|entry| entry.feed != Feed::All)
                || self.in_part.contains(&self.ranks);
            let between = data_distribution::between_ranks(&variant.own);
            if is_sample && !variant.own.is_empty() && variant.own.len() < self.ranks as usize {
                self.sampled.extend(variant.own.keys());
                variant.spread = Some(between);
                let others = data_distribution::for_unmeasured_ranks(
                    entries,
                    &variant,
                    self.ranks,
                    &self.ranks_executing(terms),
                );
                variant.own.extend(others);
            }
            if is_data_dependent && entries.iter().any(|entry| entry.feed == Feed::Echo) {
                // Ranks that have another time show by how much it may be off.
                variant.is_guessed(between.max(GUESSED));
            }
            gathered.push(variant);
        }
        gathered
    }

    /// Ranks that execute the block with these work terms: no other needs a time for them.
    fn ranks_executing(&self, terms: &[i64]) -> Vec<u32> {
        self.executing.ranks(self.block, terms).collect()
    }

    /// The load imbalance, where the measurements come from another number of ranks.
    fn of_other_ranks(&self, entries: &[&ComputeEntry], terms: &[&[i64]]) -> Option<LoadImbalance> {
        let measured = entries.first()?.coordinates.first()?.ranks;
        if measured == self.ranks {
            return None;
        }
        let unequal =
            LoadImbalance::of(entries, load_imbalance::by_size).unwrap_or(LoadImbalance::equal());
        Some(unequal.from(measured, self.ranks).of_terms(entries, terms))
    }

    /// The rank of the program that an entry is of alone.
    fn own_rank(&self, entry: &ComputeEntry) -> Option<u32> {
        match entry.coordinates.as_slice() {
            [only] if only.ranks == self.ranks => Some(only.rank),
            _ => None,
        }
    }

    /// Keeps what was measured with the nearest number of ranks.
    fn choose_ranks(&mut self, entries: &mut Vec<&ComputeEntry>) {
        let found = entries.iter().flat_map(|entry| &entry.coordinates);
        if let Some(chosen) = nearest(found.map(|found| found.ranks), self.ranks) {
            entries.retain(|entry| entry.coordinates.iter().any(|found| found.ranks == chosen));
            note(&mut self.other_ranks, chosen, self.ranks);
        }
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        // However full a node is, as many statements are executed.
        if self.wanted.unit == Unit::Time && !self.other_ranks_per_node.is_empty() {
            let (had, has) = (
                per(&self.other_ranks_per_node, "rank"),
                self.wanted.ranks_per_node,
            );
            warnings.push(format!(
                "a full node may be slower than predicted: compute data were measured with {had} per \
                node, the platform has {has}; the interval includes a guess for that; measure with \
                --co-run {has} on such a node"
            ));
        }
        if !self.other_threads.is_empty() {
            let (had, has) = (per(&self.other_threads, "thread"), self.wanted.threads);
            warnings.push(format!(
                "compute times are those of another number of threads: compute data were measured with {had} per rank, \
                the platform has {has}; measure with OMP_NUM_THREADS={has}"
            ));
        }
        if !self.other_ranks.is_empty() {
            let (had, has) = (list(&self.other_ranks), self.ranks);
            let further = if self.in_part.contains(&has) {
                "--all-ranks".into()
            } else {
                format!("with {has} ranks")
            };
            warnings.push(format!(
                "times of data-dependent blocks are extrapolated: they were measured with {had} ranks, the program \
                data have {has}; their share of the data differs: measure {further}"
            ));
        }
        warnings
    }

    /// The ranks and messages with which data-dependent blocks were measured, where those are not the program's.
    fn partial(&self) -> Option<String> {
        let mut limitations = Vec::new();
        if !self.sampled.is_empty() {
            limitations.push(format!("on {} of {} ranks", self.sampled.len(), self.ranks));
        }
        if self.is_echoed {
            limitations.push("with echoed messages".to_string());
        }
        if limitations.is_empty() {
            return None;
        }
        Some(limitations.join(" and "))
    }
}

/// Entries by a number of theirs.
fn grouped(
    entries: Vec<&ComputeEntry>,
    number: impl Fn(&ComputeEntry) -> u32,
) -> BTreeMap<u32, Vec<&ComputeEntry>> {
    let mut groups: BTreeMap<u32, Vec<&ComputeEntry>> = BTreeMap::new();
    for entry in entries {
        groups.entry(number(entry)).or_default().push(entry);
    }
    groups
}

fn note(others: &mut BTreeSet<u32>, found: u32, wanted: u32) {
    if found != wanted {
        others.insert(found);
    }
}

/// Such numbers of a thing, which is one or several.
fn per(numbers: &BTreeSet<u32>, thing: &str) -> String {
    let ending = if numbers.iter().eq([&1]) { "" } else { "s" };
    format!("{} {thing}{ending}", list(numbers))
}

fn list(numbers: &BTreeSet<u32>) -> String {
    numbers
        .iter()
        .map(u32::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

/// The number nearest to `wanted`; of two, the larger.
fn nearest(found: impl Iterator<Item = u32>, wanted: u32) -> Option<u32> {
    found.min_by_key(|&number| (number.abs_diff(wanted), std::cmp::Reverse(number)))
}
