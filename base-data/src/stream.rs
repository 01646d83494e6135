//! Streams as they are executed: one rank's entries one after the other, loops unrolled lazily,
//! operands evaluated; and the first place where two recordings differ.

use crate::ids::Rank;
use crate::program_data::{Call, Counts, Op, Operand, Peer, ProgramData, Tag, Transfer};

/// The entries of `rank`'s stream in the order of execution, loops unrolled. The data must have
/// passed their check.
pub fn entries(data: &ProgramData, rank: Rank) -> Entries<'_> {
    let stream = data.class_of(rank).map_or(&[][..], |(class, _)| &data.classes[class].stream[..]);
    Entries { stream, at: 0, frames: Vec::new() }
}

/// See [`entries`].
pub struct Entries<'a> {
    stream: &'a [Op],
    at: usize,
    frames: Vec<Frame>,
}

struct Frame {
    begin: usize,
    end: usize,
    left: u64,
}

impl<'a> Iterator for Entries<'a> {
    type Item = &'a Op;

    fn next(&mut self) -> Option<&'a Op> {
        loop {
            while let Some(frame) = self.frames.last_mut()
                && self.at == frame.end
            {
                frame.left -= 1;
                if frame.left > 0 {
                    self.at = frame.begin;
                    break;
                }
                self.frames.pop();
            }
            let op = self.stream.get(self.at)?;
            self.at += 1;
            let Op::Loop { count, body } = op else { return Some(op) };
            let end = self.at + *body as usize;
            match count.get() {
                0 => self.at = end,
                left => self.frames.push(Frame { begin: self.at, end, left }),
            }
        }
    }
}

/// The first place where two recordings differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// On which rank; `None` if the numbers of ranks differ.
    pub rank: Option<Rank>,
    /// Number of the entry, 0-based.
    pub index: u64,
    /// What the first recording has there, if anything.
    pub first: Option<Op>,
    /// What the second has.
    pub second: Option<Op>,
}

/// Compares two recordings entry by entry, on values: operands evaluated, datatypes,
/// communicators and variants by what they are. What wildcards matched is not compared.
pub fn first_difference(first: &ProgramData, second: &ProgramData) -> Option<Difference> {
    if first.ranks != second.ranks {
        return Some(Difference { rank: None, index: 0, first: None, second: None });
    }
    let maps = Maps::new(first, second);
    (0..first.ranks).map(Rank).find_map(|rank| difference_on(first, second, &maps, rank))
}

fn difference_on(first: &ProgramData, second: &ProgramData, maps: &Maps, rank: Rank) -> Option<Difference> {
    let (mut left, mut right) = (entries(first, rank), entries(second, rank));
    let identity = Maps::default();
    let (own, other) = (Resolver::new(first, rank, &identity)?, Resolver::new(second, rank, maps)?);
    for index in 0.. {
        let (a, b) = (left.next().map(|op| own.resolve(op)), right.next().map(|op| other.resolve(op)));
        if a.is_none() && b.is_none() {
            return None;
        }
        if a != b {
            return Some(Difference { rank: Some(rank), index, first: a, second: b });
        }
    }
    None
}

/// Indices of the second recording's tables as indices of the first's.
#[derive(Default)]
struct Maps {
    datatypes: Option<Vec<u32>>,
    communicators: Option<Vec<i64>>,
    variants: Option<Vec<i64>>,
}

impl Maps {
    fn new(first: &ProgramData, second: &ProgramData) -> Self {
        // An entry that the first does not have gets an index no table of the first reaches.
        let beyond = |index: usize| (1 << 30) + index;
        let place = |found: Option<usize>, index: usize| found.unwrap_or(beyond(index));
        let find = |index: usize, found: Option<usize>| place(found, index);
        let datatypes = second.datatypes.iter().enumerate();
        let communicators = second.communicators.iter().enumerate();
        let variants = second.variants.iter().enumerate();
        Self {
            datatypes: Some(
                datatypes
                    .map(|(i, d)| find(i, first.datatypes.iter().position(|own| own == d)) as u32)
                    .collect(),
            ),
            communicators: Some(
                communicators
                    .map(|(i, c)| {
                        find(
                            i,
                            first
                                .communicators
                                .iter()
                                .enumerate()
                                .position(|(j, own)| own == c && (i < 2) == (j < 2)),
                        ) as i64
                    })
                    .collect(),
            ),
            variants: Some(
                variants
                    .map(|(i, v)| find(i, first.variants.iter().position(|own| own == v)) as i64)
                    .collect(),
            ),
        }
    }
}

struct Resolver<'a> {
    data: &'a ProgramData,
    rank: Rank,
    position: usize,
    maps: &'a Maps,
}

impl<'a> Resolver<'a> {
    fn new(data: &'a ProgramData, rank: Rank, maps: &'a Maps) -> Option<Self> {
        let (_, position) = data.class_of(rank)?;
        Some(Self { data, rank, position, maps })
    }

    fn value(&self, operand: Operand) -> Operand {
        self.data.value(operand, self.rank, self.position).map_or(operand, Operand::Constant)
    }

    fn through(&self, operand: Operand, map: &Option<Vec<i64>>) -> Operand {
        let value = self.value(operand);
        match (value, map) {
            (Operand::Constant(index), Some(map)) => {
                let mapped = usize::try_from(index).ok().and_then(|index| map.get(index).copied());
                Operand::Constant(mapped.unwrap_or(index))
            }
            _ => value,
        }
    }

    fn communicator(&self, operand: Operand) -> Operand {
        self.through(operand, &self.maps.communicators)
    }

    fn datatype(&self, index: u32) -> u32 {
        self.maps.datatypes.as_ref().and_then(|map| map.get(index as usize).copied()).unwrap_or(index)
    }

    fn transfer(&self, transfer: &Transfer) -> Transfer {
        Transfer {
            peer: match transfer.peer {
                Peer::Rank(rank) => Peer::Rank(self.value(rank)),
                Peer::Null => Peer::Null,
                Peer::Any => Peer::Any,
            },
            tag: match transfer.tag {
                Tag::Value(tag) => Tag::Value(self.value(tag)),
                Tag::Any => Tag::Any,
            },
            count: self.value(transfer.count),
            datatype: self.datatype(transfer.datatype),
            communicator: self.communicator(transfer.communicator),
        }
    }

    fn resolve(&self, op: &Op) -> Op {
        match op {
            Op::Block { block, variant } => {
                Op::Block { block: *block, variant: self.through(*variant, &self.maps.variants) }
            }
            Op::Call { site, call } => Op::Call { site: *site, call: self.call(call) },
            Op::Loop { .. } | Op::Mark(_) => op.clone(),
        }
    }

    fn call(&self, call: &Call) -> Call {
        match call.clone() {
            Call::Send { mode, transfer, request } => {
                Call::Send { mode, transfer: self.transfer(&transfer), request }
            }
            Call::Receive { transfer, request, .. } => {
                Call::Receive { transfer: self.transfer(&transfer), request, observed: None }
            }
            Call::SendReceive { send, receive, .. } => Call::SendReceive {
                send: self.transfer(&send),
                receive: self.transfer(&receive),
                observed: None,
            },
            Call::Wait { completion, requests, completed, .. } => {
                Call::Wait { completion, requests, completed, observed: Vec::new() }
            }
            Call::Probe { transfer, blocking, .. } => {
                Call::Probe { transfer: self.transfer(&transfer), blocking, observed: None }
            }
            Call::MakePersistent { send, transfer, request } => {
                Call::MakePersistent { send, transfer: self.transfer(&transfer), request }
            }
            Call::Collective {
                kind,
                communicator,
                root,
                counts,
                receive_counts,
                datatype,
                reduce_op,
                request,
            } => Call::Collective {
                kind,
                communicator: self.communicator(communicator),
                root: root.map(|root| self.value(root)),
                counts: self.counts(counts),
                receive_counts: receive_counts.map(|counts| self.counts(counts)),
                datatype: self.datatype(datatype),
                reduce_op,
                request,
            },
            Call::MakeCommunicator { parent, made } => {
                Call::MakeCommunicator { parent: self.communicator(parent), made: self.communicator(made) }
            }
            same @ (Call::Init
            | Call::Finalize
            | Call::Abort
            | Call::Test { .. }
            | Call::StartPersistent { .. }) => same,
        }
    }

    fn counts(&self, counts: Counts) -> Counts {
        match counts {
            Counts::Same(operand) => Counts::Same(self.value(operand)),
            Counts::PerRank(table) => Counts::PerRank(table),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{BlockId, CallSiteId};
    use crate::program_data::{Count, RankClass, Variant};
    use crate::rank_set::RankSet;

    fn mark(site: u32) -> Op {
        Op::Call { site: CallSiteId(site), call: Call::Init }
    }

    fn data(stream: Vec<Op>) -> ProgramData {
        let class = RankClass { ranks: RankSet::all(1), stream };
        ProgramData { ranks: 1, classes: vec![class], ..ProgramData::default() }
    }

    fn looped(count: u64, body: u32) -> Op {
        Op::Loop { count: Count::Constant(count), body }
    }

    #[test]
    fn unrolls_nested_loops() {
        let nested =
            data(vec![mark(0), looped(2, 3), mark(1), looped(2, 1), mark(2), looped(0, 1), mark(9), mark(3)]);
        let sites: Vec<String> = entries(&nested, Rank(0)).map(|op| format!("{op:?}")).collect();
        let expected = [0, 1, 2, 2, 1, 2, 2, 3].map(|site| format!("{:?}", mark(site)));
        assert_eq!(sites, expected);
    }

    #[test]
    fn compares_what_is_executed() {
        let rolled = data(vec![looped(3, 1), mark(5)]);
        let unrolled = data(vec![mark(5), mark(5), mark(5)]);
        assert_eq!(first_difference(&rolled, &unrolled), None);
        let longer = data(vec![looped(4, 1), mark(5)]);
        let difference = first_difference(&rolled, &longer).unwrap();
        assert_eq!((difference.index, difference.first, difference.second), (3, None, Some(mark(5))));
    }

    #[test]
    fn compares_variants_by_their_terms() {
        let with = |terms: Vec<Vec<i64>>, index: i64| {
            let op = Op::Block { block: BlockId(0), variant: Operand::Constant(index) };
            let variants = terms.into_iter().map(|terms| Variant { block: BlockId(0), terms }).collect();
            ProgramData { variants, ..data(vec![op]) }
        };
        let first = with(vec![vec![7], vec![8]], 1);
        assert_eq!(first_difference(&first, &with(vec![vec![8]], 0)), None);
        assert!(first_difference(&first, &with(vec![vec![9]], 0)).is_some());
    }
}
