//! How long the messages of a collective are: bytes of the operand, or blocks of ranks.

use super::calls::element_bytes;
use super::lower::RankLowering;
use crate::EstimateError;
use base_data::CallSiteId;
use base_data::mpi::BasicDatatype;
use base_data::program_data::{Call, CollectiveKind, Counts, Operand};
use machine::collective::{self, DataPart};
use std::rc::Rc;

/// Direction of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Send,
    Receive,
}

/// Bytes of a collective as one rank knows them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lengths {
    sent: Blocks,
    received: Blocks,
    element: BasicDatatype,
    /// Whether all ranks must name the same length.
    agree: bool,
}

/// Bytes by rank of the communicator.
#[derive(Clone, Debug, PartialEq)]
enum Blocks {
    Same(u64),
    Each(Rc<[u64]>),
}

impl Blocks {
    fn as_schedules_see_them(&self) -> collective::Blocks<'_> {
        match self {
            Blocks::Same(bytes) => collective::Blocks::Same(*bytes),
            Blocks::Each(all) => collective::Blocks::Each(all),
        }
    }

    fn sum(&self, ranks: u32) -> u64 {
        self.as_schedules_see_them().sum(0, ranks, ranks)
    }
}

impl Lengths {
    /// The same whole operand for all.
    pub(super) fn whole(bytes: u64, element: BasicDatatype) -> Self {
        Self {
            sent: Blocks::Same(bytes),
            received: Blocks::Same(bytes),
            element,
            agree: true,
        }
    }

    /// The lengths of a call of a collective.
    ///
    /// # Errors
    /// Counts that the program data do not hold.
    pub(super) fn of(
        rank: &RankLowering<'_>,
        site: CallSiteId,
        call: &Call,
    ) -> Result<Self, EstimateError> {
        let Call::Collective {
            kind,
            counts,
            receive_counts,
            datatype,
            ..
        } = call
        else {
            return Ok(Self::whole(0, BasicDatatype::Byte));
        };
        if *kind == CollectiveKind::Barrier {
            return Ok(Self::whole(0, BasicDatatype::Byte));
        }
        let sent = blocks(rank, site, *counts, *datatype)?;
        let received = receive_counts
            .map(|counts| blocks(rank, site, counts, *datatype))
            .transpose()?;
        let element = rank
            .data
            .datatypes
            .get(*datatype as usize)
            .and_then(|datatype| datatype.runs.first());
        let element = element.map_or(BasicDatatype::Byte, |(element, _, _)| *element);
        Ok(match kind {
            // What arrives is known on all ranks, and each sends what it got.
            CollectiveKind::Allgather => {
                // MPI_Allgatherv names the blocks of all ranks by its receive counts; the send count is this
                // rank's block alone.
                let blocks = received.unwrap_or(sent);
                let agree = matches!(blocks, Blocks::Same(_));
                Self {
                    sent: blocks.clone(),
                    received: blocks,
                    element,
                    agree,
                }
            }
            CollectiveKind::Gather | CollectiveKind::Scatter | CollectiveKind::Alltoall => {
                let received = received.unwrap_or_else(|| sent.clone());
                Self {
                    sent,
                    received,
                    element,
                    agree: false,
                }
            }
            CollectiveKind::ReduceScatter => Self {
                sent: sent.clone(),
                received: sent,
                element,
                agree: true,
            },
            CollectiveKind::Barrier
            | CollectiveKind::Broadcast
            | CollectiveKind::Reduce
            | CollectiveKind::Allreduce
            | CollectiveKind::Scan
            | CollectiveKind::ExclusiveScan => Self {
                sent: sent.clone(),
                received: sent,
                element,
                agree: true,
            },
        })
    }

    /// The length that all ranks must name, 0 where each may have its own.
    pub(super) fn agreed(&self) -> u64 {
        match (&self.sent, self.agree) {
            (_, false) => 0,
            (Blocks::Same(bytes), true) => *bytes,
            (Blocks::Each(all), true) => all.iter().copied().fold(0, u64::saturating_add),
        }
    }

    /// Bytes of a message in a communicator of `ranks` ranks.
    pub(super) fn bytes(&self, way: Direction, part: DataPart, ranks: u32) -> u64 {
        let blocks = match way {
            Direction::Send => &self.sent,
            Direction::Receive => &self.received,
        };
        blocks.as_schedules_see_them().bytes(part, ranks)
    }

    /// What is combined, and how many of it.
    pub(super) fn elements(&self, part: DataPart, ranks: u32) -> (BasicDatatype, u64) {
        let bytes = self.bytes(Direction::Receive, part, ranks);
        (self.element, bytes / self.element_bytes())
    }

    /// Bytes of an element, at least 1.
    pub(super) fn element_bytes(&self) -> u64 {
        self.element.bytes().max(1)
    }

    /// Whether blocks have a length for each rank.
    pub(super) fn differ(&self) -> bool {
        matches!(self.sent, Blocks::Each(_)) || matches!(self.received, Blocks::Each(_))
    }

    /// Whether this rank knows of no data at all.
    pub(super) fn are_empty(&self) -> bool {
        let is_empty = |blocks: &Blocks| match blocks {
            Blocks::Same(bytes) => *bytes == 0,
            Blocks::Each(all) => all.iter().all(|&bytes| bytes == 0),
        };
        is_empty(&self.sent) && is_empty(&self.received)
    }

    /// Bytes of the blocks that this rank sends.
    pub(super) fn sent_blocks(&self) -> collective::Blocks<'_> {
        self.sent.as_schedules_see_them()
    }

    /// Bytes of the blocks that it receives.
    pub(super) fn received_blocks(&self) -> collective::Blocks<'_> {
        self.received.as_schedules_see_them()
    }

    /// Bytes by which an algorithm is chosen: of the operand, or of one block, the mean where lengths differ.
    pub(super) fn block_or_operand(&self, kind: CollectiveKind, ranks: u32) -> u64 {
        match &self.sent {
            Blocks::Same(bytes) => *bytes,
            Blocks::Each(_) if has_blocks(kind) => self.sent.sum(ranks) / u64::from(ranks.max(1)),
            Blocks::Each(_) => self.sent.sum(ranks),
        }
    }

    /// Bytes of all blocks together, or of the operand.
    pub(super) fn total(&self, kind: CollectiveKind, ranks: u32) -> u64 {
        if has_blocks(kind) {
            self.sent.sum(ranks)
        } else {
            self.block_or_operand(kind, ranks)
        }
    }
}

/// Whether the data of a collective are a block for each rank.
fn has_blocks(kind: CollectiveKind) -> bool {
    match kind {
        CollectiveKind::Gather
        | CollectiveKind::Scatter
        | CollectiveKind::Allgather
        | CollectiveKind::Alltoall
        | CollectiveKind::ReduceScatter => true,
        CollectiveKind::Barrier
        | CollectiveKind::Broadcast
        | CollectiveKind::Reduce
        | CollectiveKind::Allreduce
        | CollectiveKind::Scan
        | CollectiveKind::ExclusiveScan => false,
    }
}

fn blocks(
    rank: &RankLowering<'_>,
    site: CallSiteId,
    counts: Counts,
    datatype: u32,
) -> Result<Blocks, EstimateError> {
    let table = match counts {
        Counts::Same(count) => return element_bytes(rank, site, count, datatype).map(Blocks::Same),
        Counts::PerRank(table) => table,
    };
    let one = element_bytes(rank, site, Operand::Constant(1), datatype)?;
    let counts = rank
        .data
        .count_tables
        .get(table as usize)
        .and_then(|table| table.get(rank.position));
    let counts = counts.ok_or_else(|| {
        rank.error(
            site,
            format!(
                "rank {} has no counts for this call; record the program again",
                rank.rank
            ),
        )
    })?;
    Ok(Blocks::Each(
        counts
            .iter()
            .map(|&count| one.saturating_mul(count))
            .collect(),
    ))
}
