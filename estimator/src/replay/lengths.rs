//! How long the messages of a collective are: the whole operand, or the block of one rank.

use super::calls::element_bytes;
use super::lower::RankLowering;
use crate::EstimateError;
use base_data::CallSiteId;
use base_data::mpi::BasicDatatype;
use base_data::program_data::{Call, CollectiveKind, Counts, Operand};
use machine::collective::Part;
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
    fn bytes(&self, part: Part) -> u64 {
        match (self, part) {
            (Blocks::Same(bytes), Part::Whole | Part::Block(_)) => *bytes,
            (Blocks::Each(all), Part::Block(rank)) => all.get(rank as usize).copied().unwrap_or(0),
            (Blocks::Each(all), Part::Whole) => all.iter().copied().fold(0, u64::saturating_add),
        }
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
        if self.agree {
            self.sent.bytes(Part::Whole)
        } else {
            0
        }
    }

    /// Bytes of a message.
    pub(super) fn bytes(&self, way: Direction, part: Part) -> u64 {
        match way {
            Direction::Send => self.sent.bytes(part),
            Direction::Receive => self.received.bytes(part),
        }
    }

    /// What is combined, and how many of it.
    pub(super) fn elements(&self, part: Part) -> (BasicDatatype, u64) {
        (
            self.element,
            self.received.bytes(part) / self.element.bytes().max(1),
        )
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
