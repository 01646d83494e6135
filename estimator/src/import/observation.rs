//! An observed run as base data: computation between calls becomes blocks with the observed times, and calls are
//! kept. An estimate of them replays the messages on another platform: a trace-driven estimate, for
//! programs in any language.
//!
//! Each computation takes its own time of the run, sleep and input or output included, without the time slices of other programs. There is
//! one block for each place of a call, which stands for what comes before the call. Loops are unrolled, since
//! the computation before a call takes another time in each iteration.

use super::Imported;
use crate::comparison::{ProcessorTimes, Stop};
use base_data::block_table::{Block, BlockKey, BlockKind, WorkTerm};
use base_data::compute_data::{ComputeData, ComputeEntry, Feed, Unit};
use base_data::distribution::Distribution;
use base_data::observation::{Observation, ObservedRank, Stretch};
use base_data::program_data::{Op, Operand, ProgramData, Variant};
use base_data::stream::{entries, entry_count};
use base_data::{BlockId, Digest, Rank, TableId, Time};
use std::collections::{BTreeMap, HashMap};

/// Entries of all classes together: some gigabytes.
const MOST_ENTRIES: u64 = 1 << 25;

/// Program data and compute data of an observed run.
///
/// # Errors
/// A sentence: an observation that is incomplete, or too long to be written out.
pub fn of_observation(observation: &Observation) -> Result<Imported, String> {
    if let [first, ..] = &observation.missing[..] {
        return Err(format!(
            "the observation is incomplete ({first}); observe the run again"
        ));
    }
    let program = &observation.program;
    // Ranks of a class have equally many entries, so one of each is counted.
    let first_ranks = program
        .classes
        .iter()
        .filter_map(|class| class.ranks.iter().next());
    let length = first_ranks
        .map(|rank| entry_count(program, rank))
        .fold(0, u64::saturating_add);
    if length > MOST_ENTRIES {
        return Err(format!(
            "the observed run has {length} calls, marks and blocks, more than the {MOST_ENTRIES} that can be replayed \
             with times of their own; observe fewer iterations"
        ));
    }
    let mut builder = Builder::of(observation);
    let classes = program.classes.clone();
    for (number, class) in classes.iter().enumerate() {
        let ranks: Vec<Rank> = class.ranks.iter().collect();
        builder.data.classes[number].stream = builder.written_out(observation, &ranks);
    }
    builder.finish(observation)
}

/// Number of a block by the place of what follows it; the end of a stream has none.
type StopPlace = Option<u32>;

struct Builder {
    data: ProgramData,
    blocks: BTreeMap<StopPlace, BlockId>,
    variants: HashMap<(BlockId, i64), i64>,
}

impl Builder {
    fn of(observation: &Observation) -> Self {
        let mut data = observation.program.clone();
        data.variants.clear();
        data.table.blocks.clear();
        Self {
            data,
            blocks: BTreeMap::new(),
            variants: HashMap::new(),
        }
    }

    /// The stream of the ranks of one class, loops written out, with a block before each call and mark in front of which
    /// any of them computed.
    fn written_out(&mut self, observation: &Observation, ranks: &[Rank]) -> Vec<Op> {
        let computed: Vec<Vec<(usize, i64)>> = ranks
            .iter()
            .map(|&rank| computing(observation, rank))
            .collect();
        let mut by_entry: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
        for (position, stretches) in computed.iter().enumerate() {
            for &(entry, time) in stretches {
                by_entry
                    .entry(entry)
                    .or_insert_with(|| vec![0; ranks.len()])[position] = time;
            }
        }
        let mut stream = Vec::new();
        let Some(&first) = ranks.first() else {
            return stream;
        };
        for (number, op) in entries(&observation.program, first).enumerate() {
            if let Some(times) = by_entry.remove(&number) {
                stream.push(self.block(Stop::of(op), &times));
            }
            // Blocks of a probe are part of the computation before the next call.
            if !matches!(op, Op::Block { .. }) {
                stream.push(op.clone());
            }
        }
        stream
    }

    /// An entry that computes for so long on each rank of the class.
    fn block(&mut self, stop: Option<Stop>, times: &[i64]) -> Op {
        let place = match stop {
            Some(Stop::Site(site)) => Some(site.0),
            Some(Stop::SectionBegin | Stop::SectionEnd) | None => None,
        };
        let block = self.block_before(place);
        let numbers: Vec<i64> = times
            .iter()
            .map(|&time| self.variant(block, time))
            .collect();
        let variant = if numbers.iter().all(|number| *number == numbers[0]) {
            Operand::Constant(numbers[0])
        } else {
            self.data.tables.push(numbers);
            Operand::Table(TableId::from_index(self.data.tables.len() - 1))
        };
        Op::Block { block, variant }
    }

    fn block_before(&mut self, place: StopPlace) -> BlockId {
        let next = BlockId::from_index(self.data.table.blocks.len());
        let block = *self.blocks.entry(place).or_insert(next);
        if block == next {
            let site = place.and_then(|site| self.data.table.call_sites.get(site as usize));
            let span = site.and_then(|site| site.span.clone()).unwrap_or_default();
            let procedure = site.map_or(String::new(), |site| site.procedure.clone());
            // The file has no source text of this computation: blocks of one call are distinguished by their number.
            let digest =
                Digest::of(b"computation in front of a call of an observed run, in picoseconds");
            self.data.table.blocks.push(Block {
                key: BlockKey {
                    digest,
                    procedure,
                    ordinal: next.0,
                },
                kind: BlockKind::Compute,
                span: span.clone(),
                loop_path: Vec::new(),
                work_terms: vec![WorkTerm {
                    expression: "picoseconds".into(),
                    span,
                }],
                data_dependent: false,
            });
        }
        block
    }

    fn variant(&mut self, block: BlockId, time: i64) -> i64 {
        let next = self.data.variants.len() as i64;
        let number = *self.variants.entry((block, time)).or_insert(next);
        if number == next {
            self.data.variants.push(Variant {
                block,
                terms: vec![time],
            });
        }
        number
    }

    fn finish(self, observation: &Observation) -> Result<Imported, String> {
        base_data::format::FileContent::check(&self.data)?;
        let ranks_per_node = ranks_per_node(&observation.ranks);
        let entry = |variant: &Variant| ComputeEntry {
            block: variant.block,
            terms: variant.terms.clone(),
            ranks_per_node,
            threads: 1,
            feed: Feed::All,
            first: Distribution::default(),
            warm: Distribution::of(variant.terms.clone()),
            disturbed: 0,
            coordinates: Vec::new(),
        };
        let mut provenance = self.data.provenance.clone();
        provenance.ranks = 0;
        let compute = ComputeData {
            provenance,
            unit: observation.unit,
            table: self.data.table.clone(),
            entries: self.data.variants.iter().map(entry).collect(),
            ..ComputeData::default()
        };
        let mut remarks = Vec::new();
        if observation.unit == Unit::Time {
            remarks.push(
                "computation takes the times between calls of the observed run, on its processing units and with its sleep, input \
                 and output; the interval does not include run-to-run variation"
                    .into(),
            );
        }
        Ok(Imported {
            program: self.data,
            compute,
            remarks,
        })
    }
}

/// How long a rank computed in front of which entries that are not blocks.
fn computing(observation: &Observation, rank: Rank) -> Vec<(usize, i64)> {
    let Some(times) = observation.ranks.get(rank.index()) else {
        return Vec::new();
    };
    let processor = ProcessorTimes::of(observation, rank, times);
    let mut found = Vec::new();
    let mut since_stop = Time::ZERO;
    let spent = times.gaps.iter().zip(&times.durations);
    for ((op, (&gap, &duration)), number) in
        entries(&observation.program, rank).zip(spent).zip(0u32..)
    {
        since_stop += processor.had(number, Stretch::Gap, gap).min(gap);
        if matches!(op, Op::Block { .. }) {
            since_stop += processor
                .had(number, Stretch::Entry, duration)
                .min(duration);
            continue;
        }
        if since_stop > Time::ZERO {
            found.push((number as usize, since_stop.picoseconds()));
        }
        // Reading a clock is computation, which the replay has no time for.
        since_stop = if matches!(op, Op::Mark(_)) {
            duration
        } else {
            Time::ZERO
        };
    }
    found
}

/// The most ranks of one computer.
fn ranks_per_node(ranks: &[ObservedRank]) -> u32 {
    let mut by_host: BTreeMap<&str, u32> = BTreeMap::new();
    for rank in ranks {
        *by_host.entry(&rank.host).or_default() += 1;
    }
    by_host.into_values().max().unwrap_or(1)
}
