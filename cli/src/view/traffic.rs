//! Totals of a recorded program over all ranks: executions of blocks and call sites, and bytes sent between ranks.

use base_data::program_data::{Call, Counts, Op, Operand, Peer, ProgramData, Transfer};
use base_data::stream;
use base_data::{BlockId, CallSiteId, Rank, VariantId};
use std::collections::{BTreeMap, BTreeSet};

/// Sums over all ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// By call site.
    pub sites: BTreeMap<CallSiteId, SiteTraffic>,
    /// By compute block.
    pub blocks: BTreeMap<BlockId, BlockExecutions>,
    /// By world ranks of sender and receiver; point-to-point messages only.
    pub pairs: BTreeMap<(u32, u32), Messages>,
}

/// Totals of a call site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteTraffic {
    /// Calls.
    pub calls: u64,
    /// Ranks that make at least one.
    pub ranks: u32,
    /// Bytes handed to MPI here to be sent or combined.
    pub bytes: u64,
}

/// Executions of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockExecutions {
    /// Executions.
    pub executions: u64,
    /// Its variants that occur.
    pub variants: BTreeSet<VariantId>,
}

/// Messages from one rank to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Messages {
    /// How many.
    pub count: u64,
    /// Their bytes together.
    pub bytes: u64,
}

/// The sums of `data`.
pub fn of(data: &ProgramData) -> Traffic {
    let groups = data
        .communicators
        .iter()
        .map(|made| made.group.iter().collect())
        .collect();
    let mut counter = Counter {
        data,
        groups,
        traffic: Traffic::default(),
    };
    for class in &data.classes {
        for (position, rank) in class.ranks.iter().enumerate() {
            counter.add_rank(RankPosition { rank, position }, &class.stream);
        }
    }
    counter.traffic
}

/// A rank and its position in its class.
#[derive(Clone, Copy)]
struct RankPosition {
    rank: Rank,
    position: usize,
}

struct Counter<'a> {
    data: &'a ProgramData,
    /// World ranks by communicator.
    groups: Vec<Vec<Rank>>,
    traffic: Traffic,
}

impl Counter<'_> {
    fn add_rank(&mut self, place: RankPosition, stream: &[Op]) {
        let mut seen = BTreeSet::new();
        let mut persistent = BTreeMap::new();
        for (op, times) in stream::executions(stream).filter(|&(_, times)| times > 0) {
            match op {
                Op::Block { block, variant } => self.add_block(place, *block, *variant, times),
                Op::Call { site, call } => {
                    let bytes = self.add_call(place, call, times, &mut persistent);
                    let entry = self.traffic.sites.entry(*site).or_default();
                    // Counts come from files, which may be damaged or made up: a wrong total is
                    // better than a panic.
                    entry.calls = entry.calls.saturating_add(times);
                    entry.bytes = entry.bytes.saturating_add(bytes.saturating_mul(times));
                    entry.ranks += u32::from(seen.insert(*site));
                }
                Op::Mark(_) | Op::Loop { .. } => {}
            }
        }
    }

    fn add_block(&mut self, place: RankPosition, block: BlockId, variant: Operand, times: u64) {
        let entry = self.traffic.blocks.entry(block).or_default();
        entry.executions = entry.executions.saturating_add(times);
        entry
            .variants
            .extend(self.data.variant(variant, place.rank, place.position));
    }

    /// Bytes passed to MPI by one execution. Adds messages to the totals of their pair.
    fn add_call(
        &mut self,
        place: RankPosition,
        call: &Call,
        times: u64,
        persistent: &mut BTreeMap<base_data::RequestId, Transfer>,
    ) -> u64 {
        match call {
            Call::Send { transfer, .. } => self.add_send(place, transfer, times),
            Call::SendReceive { send, .. } => self.add_send(place, send, times),
            Call::MakePersistent {
                send: Some(_),
                transfer,
                request,
            } => {
                persistent.insert(*request, *transfer);
                0
            }
            Call::StartPersistent { requests } => {
                let started = requests
                    .iter()
                    .filter_map(|request| persistent.get(request));
                started
                    .map(|transfer| self.add_send(place, transfer, times))
                    .sum()
            }
            Call::Collective {
                counts, datatype, ..
            } => self.size(self.elements(place, counts), *datatype),
            Call::Init
            | Call::Finalize
            | Call::Abort
            | Call::Receive { .. }
            | Call::Wait { .. }
            | Call::Test { .. }
            | Call::Probe { .. }
            | Call::MakePersistent { send: None, .. }
            | Call::MakeCommunicator { .. } => 0,
        }
    }

    fn add_send(&mut self, place: RankPosition, transfer: &Transfer, times: u64) -> u64 {
        let Some(receiver) = self.receiver(place, transfer) else {
            return 0;
        };
        let count = self.value(place, transfer.count);
        let bytes = self.size(count, transfer.datatype);
        let pair = self
            .traffic
            .pairs
            .entry((place.rank.0, receiver.0))
            .or_default();
        pair.count = pair.count.saturating_add(times);
        pair.bytes = pair.bytes.saturating_add(bytes.saturating_mul(times));
        bytes
    }

    /// World rank of the partner; `None` without a transfer, or if the data do not contain it.
    fn receiver(&self, place: RankPosition, transfer: &Transfer) -> Option<Rank> {
        let Peer::Rank(peer) = transfer.peer else {
            return None;
        };
        let peer = usize::try_from(self.data.value(peer, place.rank, place.position)?).ok()?;
        let communicator = self
            .data
            .value(transfer.communicator, place.rank, place.position)?;
        match usize::try_from(communicator).ok()? {
            // Communicator 1 is MPI_COMM_SELF, whose group differs between ranks and is not stored.
            1 => Some(place.rank),
            index => self.groups.get(index)?.get(peer).copied(),
        }
    }

    fn elements(&self, place: RankPosition, counts: &Counts) -> u64 {
        match counts {
            Counts::Same(count) => self.value(place, *count),
            Counts::PerRank(table) => {
                let of_class = self.data.count_tables.get(*table as usize);
                of_class
                    .and_then(|rows| rows.get(place.position))
                    .map_or(0, |row| row.iter().copied().fold(0, u64::saturating_add))
            }
        }
    }

    fn value(&self, place: RankPosition, operand: Operand) -> u64 {
        let value = self
            .data
            .value(operand, place.rank, place.position)
            .unwrap_or(0);
        u64::try_from(value).unwrap_or(0)
    }

    fn size(&self, elements: u64, datatype: u32) -> u64 {
        let element = self
            .data
            .datatypes
            .get(datatype as usize)
            .map_or(0, |datatype| datatype.bytes());
        elements.saturating_mul(element)
    }
}
