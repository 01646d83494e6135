//! The steps of a schedule: what one rank of a communicator sends and receives, in order.

use super::selection::Library;
use std::collections::BTreeMap;

/// The part of the collective's data that a message contains.
///
/// The data of a broadcast, reduction or scan are one operand of so many bytes. The data of a gather, scatter,
/// allgather or reduce-scatter are one block for each rank, one behind the other; a range is a range of them all. An all-to-all has a block for each
/// pair of ranks: the sender names a block by its receiver, the receiver by its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DataPart {
    /// No data: the message synchronises only.
    Nothing,
    /// Bytes of the operand.
    Range {
        /// The first byte.
        first: u64,
        /// How many.
        bytes: u64,
    },
    /// The blocks of some ranks; behind the last rank's follows that of rank 0.
    Blocks {
        /// The first rank.
        first: u32,
        /// How many ranks.
        count: u32,
    },
    /// The blocks of every `stride`-th rank.
    Every {
        /// The first rank.
        first: u32,
        /// Distance of two ranks.
        stride: u32,
    },
    /// Bytes of blocks of equal lengths, one behind the other in the order of nodes ([`Operation::by_node`]): around the
    /// end of the blocks of `size` ranks, which begin with the one at place `begin`.
    ByNode {
        /// Place of the first rank of a node, or 0.
        begin: u32,
        /// Ranks of the node, or all.
        size: u32,
        /// The first byte behind those of the ranks before `begin`.
        first: u64,
        /// How many.
        bytes: u64,
    },
    /// Bytes of one block.
    Segment {
        /// The rank whose block it is.
        block: u32,
        /// The first byte.
        first: u64,
        /// How many.
        bytes: u64,
    },
    /// Blocks of an all-to-all on their way (Bruck): those whose distance from source to destination has the given
    /// digit at the position of `stride`.
    InTransit {
        /// Radix to the power of the position.
        stride: u32,
        /// Base of the digits.
        radix: u32,
        /// Value of the digit, which is also how many strides they travel in this message.
        digit: u32,
    },
}

impl DataPart {
    /// The block of one rank.
    pub fn block(rank: u32) -> Self {
        DataPart::Blocks {
            first: rank,
            count: 1,
        }
    }

    /// How many distances from 0 to `ranks` − 1 have `digit` at the position of `stride`.
    pub fn distances(ranks: u32, stride: u32, radix: u32, digit: u32) -> u64 {
        (0..ranks)
            .filter(|distance| distance / stride % radix == digit)
            .count() as u64
    }
}

/// Bytes of the blocks of all ranks, as one rank knows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks<'a> {
    /// All are equal.
    Same(u64),
    /// One length for each rank.
    Each(&'a [u64]),
}

impl Blocks<'_> {
    /// Bytes of the block of a rank.
    pub fn of(self, rank: u32) -> u64 {
        match self {
            Blocks::Same(bytes) => bytes,
            Blocks::Each(all) => all.get(rank as usize).copied().unwrap_or(0),
        }
    }

    /// Bytes of the blocks of `count` ranks from `first` on, around the end of the communicator.
    pub fn sum(self, first: u32, count: u32, ranks: u32) -> u64 {
        match self {
            Blocks::Same(bytes) => bytes.saturating_mul(count.into()),
            Blocks::Each(_) => {
                let mut sum = 0u64;
                for offset in 0..count {
                    sum = sum.saturating_add(self.of((first + offset) % ranks.max(1)));
                }
                sum
            }
        }
    }

    /// The longest block.
    pub fn longest(self) -> u64 {
        match self {
            Blocks::Same(bytes) => bytes,
            Blocks::Each(all) => all.iter().copied().max().unwrap_or(0),
        }
    }

    /// Bytes of a message of a communicator of `ranks` ranks.
    pub fn bytes(self, part: DataPart, ranks: u32) -> u64 {
        match part {
            DataPart::Nothing => 0,
            DataPart::Range { bytes, .. }
            | DataPart::Segment { bytes, .. }
            | DataPart::ByNode { bytes, .. } => bytes,
            DataPart::Blocks { first, count } => self.sum(first, count, ranks),
            DataPart::Every { first, stride } => {
                let mut sum = 0u64;
                for rank in (first..ranks).step_by(stride as usize) {
                    sum = sum.saturating_add(self.of(rank));
                }
                sum
            }
            DataPart::InTransit {
                stride,
                radix,
                digit,
            } => self
                .longest()
                .saturating_mul(DataPart::distances(ranks, stride, radix, digit)),
        }
    }
}

/// What happens to one of a rank's two buffers when data arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// They take the place of what is there.
    Store,
    /// They are combined with what is there by the reduction's operation.
    Combine,
}

/// What happens to data that arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// In the data that the rank sends on. Of all collectives but scans these are its result, too.
    pub data: Effect,
    /// In the result of a scan.
    pub result: Effect,
}

impl Arrival {
    /// They are stored.
    pub const STORE: Arrival = Arrival {
        data: Effect::Store,
        result: Effect::None,
    };
    /// They are combined with the rank's own.
    pub const COMBINE: Arrival = Arrival {
        data: Effect::Combine,
        result: Effect::None,
    };

    /// How many times operands are combined.
    pub fn combinations(self) -> u32 {
        u32::from(self.data == Effect::Combine) + u32::from(self.result == Effect::Combine)
    }
}

/// A message to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// To which rank of the communicator.
    pub to: u32,
    /// What.
    pub part: DataPart,
}

/// A message to be received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// From which rank of the communicator.
    pub from: u32,
    /// What.
    pub part: DataPart,
    /// What happens to it.
    pub arrival: Arrival,
}

/// One step of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Sends, as `MPI_Send` does.
    Send(Sent),
    /// Receives, as `MPI_Recv` does.
    Receive(Received),
    /// Sends and receives at once, as `MPI_Sendrecv` does.
    Exchange(Sent, Received),
    /// Starts to send, as `MPI_Isend` does; the slot names the request.
    StartSend(u32, Sent),
    /// Starts to receive, as `MPI_Irecv` does; the slot names the request.
    StartReceive(u32, Received),
    /// Waits for the request of a slot, which is free afterwards.
    Wait(u32),
    /// Sends on what was received last, as it was before the rank combined it, as `MPI_Send` does.
    Forward(Sent),
}

impl Step {
    /// Sends a part.
    pub fn send(to: u32, part: DataPart) -> Self {
        Step::Send(Sent { to, part })
    }

    /// Receives a part and stores it.
    pub fn receive(from: u32, part: DataPart) -> Self {
        Step::Receive(Received::store(from, part))
    }

    /// Receives a part and combines it.
    pub fn reduce(from: u32, part: DataPart) -> Self {
        Step::Receive(Received::combine(from, part))
    }

    /// Sends one part to a rank and receives another from it.
    pub fn swap(partner: u32, sent: DataPart, received: DataPart, arrival: Arrival) -> Self {
        let received = Received {
            from: partner,
            part: received,
            arrival,
        };
        Step::Exchange(
            Sent {
                to: partner,
                part: sent,
            },
            received,
        )
    }

    /// What the step sends.
    pub fn sent(&self) -> Option<&Sent> {
        match self {
            Step::Send(sent)
            | Step::Forward(sent)
            | Step::Exchange(sent, _)
            | Step::StartSend(_, sent) => Some(sent),
            Step::Receive(_) | Step::StartReceive(..) | Step::Wait(_) => None,
        }
    }
}

impl Received {
    /// A part that is stored.
    pub fn store(from: u32, part: DataPart) -> Self {
        Self {
            from,
            part,
            arrival: Arrival::STORE,
        }
    }

    /// A part that is combined.
    pub fn combine(from: u32, part: DataPart) -> Self {
        Self {
            from,
            part,
            arrival: Arrival::COMBINE,
        }
    }
}

/// Numbers that some algorithms are made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    /// Bytes of a segment; the operand is sent whole if 0.
    pub segment: u64,
    /// Children of a node of a tree, or base of a recursive exchange.
    pub radix: u32,
    /// Messages that are under way at once; all if 0.
    pub outstanding: u32,
    /// The two collectives that an algorithm made of two others consists of.
    pub inner: [Option<Inner>; 2],
}

/// The algorithm of one of two collectives that another is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Inner {
    /// Its name.
    pub algorithm: &'static str,
    /// See [`Parameters::segment`].
    pub segment: u64,
    /// See [`Parameters::radix`].
    pub radix: u32,
}

impl Default for Parameters {
    /// No segments, two-way, all messages at once.
    fn default() -> Self {
        Self {
            segment: 0,
            radix: 2,
            outstanding: 0,
            inner: [None; 2],
        }
    }
}

/// A collective as one rank of the communicator carries it out.
#[derive(Clone, Copy, Debug)]
pub struct Operation<'a> {
    /// The rank whose steps are made.
    pub rank: u32,
    /// Size of the communicator.
    pub ranks: u32,
    /// Rank of the root; 0 where there is none.
    pub root: u32,
    /// Bytes of the operand, for collectives whose data are one.
    pub bytes: u64,
    /// Bytes of an element, at least 1: reductions are cut between elements only.
    pub element: u64,
    /// Bytes of the blocks that this rank sends.
    pub sent: Blocks<'a>,
    /// Bytes of the blocks that it receives.
    pub received: Blocks<'a>,
    /// Whether operands may be combined in any order.
    pub commutes: bool,
    /// Node of each rank; empty if all are on nodes of their own.
    pub nodes: &'a [u32],
    /// Who chooses the algorithms of the collectives that one with levels consists of.
    pub within: Option<Within<'a>>,
    /// Numbers of the algorithm.
    pub parameters: Parameters,
}

/// The library that chooses algorithms inside an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Within<'a> {
    /// The library.
    pub library: &'a Library,
    /// Whether the reduction's operation is one of MPI's own.
    pub built_in: bool,
    /// Whether the whole collective is started by one call and completed by another.
    pub is_nonblocking: bool,
}

impl Operation<'_> {
    /// The whole operand.
    pub fn whole(&self) -> DataPart {
        DataPart::Range {
            first: 0,
            bytes: self.bytes,
        }
    }

    /// The rank as counted from the root: trees are written for root 0.
    pub fn relative(&self) -> u32 {
        (self.rank + self.ranks - self.root) % self.ranks
    }

    /// The rank of the communicator that has this number counted from the root.
    pub fn absolute(&self, relative: u32) -> u32 {
        (relative + self.root) % self.ranks
    }

    /// The node of a rank; each rank is alone where no nodes are given.
    pub fn node_of(&self, rank: u32) -> u32 {
        self.nodes.get(rank as usize).copied().unwrap_or(rank)
    }

    /// The ranks of each node, ascending; nodes in the order of their lowest ranks.
    pub fn by_node(&self) -> Vec<Vec<u32>> {
        let mut places = BTreeMap::new();
        let mut nodes: Vec<Vec<u32>> = Vec::new();
        for rank in 0..self.ranks {
            let next = nodes.len();
            let place = *places.entry(self.node_of(rank)).or_insert(next);
            if place == next {
                nodes.push(Vec::new());
            }
            nodes[place].push(rank);
        }
        nodes
    }

    /// The rank `distance` above, around the end.
    pub fn above(&self, distance: u32) -> u32 {
        (self.rank + distance) % self.ranks
    }

    /// The rank `distance` below, around the end.
    pub fn below(&self, distance: u32) -> u32 {
        (self.rank + self.ranks - distance % self.ranks) % self.ranks
    }

    /// Elements of the operand; the last may be cut off.
    pub fn elements(&self) -> u64 {
        self.bytes.div_ceil(self.element)
    }

    /// A range of elements of the operand.
    pub fn range(&self, first: u64, elements: u64) -> DataPart {
        let begin = (first * self.element).min(self.bytes);
        let end = ((first + elements) * self.element).min(self.bytes);
        DataPart::Range {
            first: begin,
            bytes: end - begin,
        }
    }

    /// The operand in segments of [`Parameters::segment`] bytes, rounded down to whole elements; at least one.
    pub fn segments(&self) -> Vec<DataPart> {
        let elements = self.elements();
        if self.parameters.segment == 0 || elements <= self.segment_elements() {
            return vec![self.whole()];
        }
        self.segments_of(0, elements)
    }

    /// Some elements of the operand in segments.
    pub fn segments_of(&self, first: u64, elements: u64) -> Vec<DataPart> {
        if self.parameters.segment == 0 {
            return vec![self.range(first, elements)];
        }
        let each = self.segment_elements();
        let mut segments = Vec::new();
        let mut done = 0;
        // Only the last segment may be shorter.
        while done < elements {
            segments.push(self.range(first + done, each.min(elements - done)));
            done += each;
        }
        segments
    }

    fn segment_elements(&self) -> u64 {
        (self.parameters.segment / self.element).max(1)
    }
}

/// The largest power of two that is not above `ranks`.
pub fn power_below(ranks: u32) -> u32 {
    // `ilog2` of 0 panics; a communicator has at least one rank.
    1 << ranks.max(1).ilog2()
}
