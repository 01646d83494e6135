//! Groups of ranks that collectives have beside all ranks, and parts of gathers whose lengths differ between ranks. Both are known
//! only when the streams of all ranks are.
//!
//! A group is named by a number: the ranks that use it in collectives belong to it, in the order of the world.

use base_data::program_data::{Call, CollectiveKind, Communicator, Counts, Op, Operand};
use base_data::{CallSiteId, CommId, Rank, RankSet};
use std::collections::BTreeMap;

/// All ranks.
pub(crate) const WORLD: Operand = Operand::Constant(CommId::WORLD.0 as i64);

/// Communicators before those of groups: all ranks, and a rank alone.
const PREDEFINED: usize = 2;

/// A call that is wrong, and what is wrong with it.
pub(crate) type JointError = (CallSiteId, String);

/// Numbers of groups, in the order of their first use.
#[derive(Default)]
pub(crate) struct Groups {
    numbers: Vec<u64>,
}

/// Communicators, and the vectors of counts that [`Counts::PerRank`] refers to.
pub(crate) struct Resolved {
    pub(crate) communicators: Vec<Communicator>,
    pub(crate) vectors: Vec<Vec<u64>>,
}

/// A collective whose ranks have a part each, in the stream of a rank. Loops around it are listed, so that it is known which calls of
/// other ranks it meets.
#[derive(Clone, PartialEq)]
enum CollectiveEntry {
    Loop { count: u64, entries: usize },
    Call { kind: CollectiveKind },
}

/// The entries of a rank for one communicator, and its calls.
#[derive(Default)]
struct Parts {
    entries: Vec<CollectiveEntry>,
    calls: Vec<PartCall>,
}

struct PartCall {
    /// Its place in the stream.
    at: usize,
    site: CallSiteId,
    /// Elements of the rank's part.
    count: i64,
}

/// What a rank contributes to collectives of all ranks, in the order of its calls.
#[derive(PartialEq)]
pub(crate) struct WorldParts {
    entries: Vec<CollectiveEntry>,
    counts: Vec<i64>,
}

impl WorldParts {
    pub(crate) fn of(stream: &[Op]) -> Self {
        let Parts { entries, calls } = Parts::of(stream, 0);
        Self {
            entries,
            counts: calls.into_iter().map(|call| call.count).collect(),
        }
    }
}

impl Groups {
    /// Whether there are any.
    pub(crate) fn are_used(&self) -> bool {
        !self.numbers.is_empty()
    }

    /// The operand of a group, which is final after [`Self::resolve`].
    pub(crate) fn communicator(&mut self, number: f64) -> Operand {
        let bits = number.to_bits();
        let known = self.numbers.iter().position(|known| *known == bits);
        let index = known.unwrap_or_else(|| {
            self.numbers.push(bits);
            self.numbers.len() - 1
        });
        Operand::Constant((PREDEFINED + index) as i64)
    }

    /// Completes the calls of all ranks. If one stream stands for all, it is the only one.
    ///
    /// # Errors
    /// A root outside of its group, or parts whose calls cannot be distinguished.
    pub(crate) fn resolve(
        &self,
        streams: &mut [Vec<Op>],
        ranks: u32,
    ) -> Result<Resolved, JointError> {
        let alone = |group| Communicator {
            parent: None,
            sequence: 0,
            group,
        };
        let mut resolved = Resolved {
            // The group of MPI_COMM_SELF depends on the rank, so it is empty.
            communicators: vec![alone(RankSet::all(ranks)), alone(RankSet::default())],
            vectors: Vec::new(),
        };
        let mut members: Vec<Vec<u32>> = vec![(0..ranks).collect(), Vec::new()];
        members.resize(PREDEFINED + self.numbers.len(), Vec::new());
        for (rank, stream) in (0..).zip(streams.iter()) {
            for op in stream {
                if let Some(group) = group_of(op)
                    && group >= PREDEFINED
                    && members[group].last() != Some(&rank)
                {
                    members[group].push(rank);
                }
            }
        }
        // One stream stands for all ranks.
        let all_alike = streams.len() <= 1;
        let mut final_numbers = vec![0; members.len()];
        // In the order of the author's numbers, so that rows of a grid have communicators that follow each other.
        let mut order: Vec<usize> = (PREDEFINED..members.len()).collect();
        let number = |group: usize| f64::from_bits(self.numbers[group - PREDEFINED]);
        order.sort_by(|&a, &b| number(a).total_cmp(&number(b)));
        // Equal groups are one communicator.
        let mut made: BTreeMap<&[u32], usize> = BTreeMap::new();
        made.insert(&members[0], 0);
        for group in order {
            if all_alike {
                continue;
            }
            let ranks: &[u32] = &members[group];
            let next = resolved.communicators.len();
            let number = *made.entry(ranks).or_insert(next);
            if number == next {
                resolved.communicators.push(Communicator {
                    parent: Some(CommId::WORLD),
                    sequence: (next - PREDEFINED) as u32,
                    group: RankSet::from_ranks(ranks.iter().copied().map(Rank)),
                });
            }
            final_numbers[group] = number;
        }
        if !all_alike {
            find_parts(streams, &members, &mut resolved.vectors)?;
        }
        for stream in streams {
            complete(stream, &final_numbers, &members)?;
        }
        Ok(resolved)
    }
}

/// Gives calls whose ranks have parts of different lengths the lengths of all.
fn find_parts(
    streams: &mut [Vec<Op>],
    members: &[Vec<u32>],
    vectors: &mut Vec<Vec<u64>>,
) -> Result<(), JointError> {
    let mut numbers: BTreeMap<Vec<i64>, u32> = BTreeMap::new();
    for (group, ranks) in members.iter().enumerate() {
        let parts: Vec<Parts> = ranks
            .iter()
            .map(|&rank| Parts::of(&streams[rank as usize], group))
            .collect();
        let Some(first) = parts.first() else { continue };
        let counts = |call: usize| -> Vec<i64> {
            let own = parts.iter().filter_map(|one| one.calls.get(call));
            own.map(|one| one.count).collect()
        };
        let differs = |call: usize| counts(call).windows(2).any(|pair| pair[0] != pair[1]);
        let Some(differing) = (0..first.calls.len()).find(|&call| differs(call)) else {
            continue;
        };
        if parts.iter().any(|one| one.entries != first.entries) {
            let message = "ranks give parts of different lengths, but make such calls in different loops, so it is not known which \
                           belong together; let the same statements make them on all ranks";
            return Err((first.calls[differing].site, message.into()));
        }
        for call in 0..first.calls.len() {
            if !differs(call) {
                continue;
            }
            let counts = counts(call);
            let next = vectors.len() as u32;
            let number = *numbers.entry(counts.clone()).or_insert(next);
            if number == next {
                let lengths = counts.iter().map(|&count| count.max(0) as u64);
                vectors.push(lengths.collect());
            }
            for (&rank, own) in ranks.iter().zip(&parts) {
                let one = &own.calls[call];
                set_parts(&mut streams[rank as usize][one.at], number, one.count);
            }
        }
    }
    Ok(())
}

impl Parts {
    fn of(stream: &[Op], group: usize) -> Self {
        let mut parts = Self::default();
        parts.collect(stream, 0, group);
        parts
    }

    fn collect(&mut self, stream: &[Op], offset: usize, group: usize) {
        let mut at = 0;
        while let Some(op) = stream.get(at) {
            at += 1;
            match op {
                Op::Loop { count, body } => {
                    let end = (at + *body as usize).min(stream.len());
                    let before = self.entries.len();
                    self.entries.push(CollectiveEntry::Loop {
                        count: count.get(),
                        entries: 0,
                    });
                    // Loops of streams nest up to 60 deep.
                    self.collect(&stream[at..end], offset + at, group);
                    let inside = self.entries.len() - before - 1;
                    // A loop without such calls does not matter.
                    if inside == 0 {
                        self.entries.truncate(before);
                    } else if let Some(CollectiveEntry::Loop { entries, .. }) =
                        self.entries.get_mut(before)
                    {
                        *entries = inside;
                    }
                    at = end;
                }
                Op::Call {
                    site,
                    call:
                        Call::Collective {
                            kind,
                            counts: Counts::Same(Operand::Constant(count)),
                            ..
                        },
                } if has_parts(*kind) && group_of(op) == Some(group) => {
                    self.entries.push(CollectiveEntry::Call { kind: *kind });
                    self.calls.push(PartCall {
                        at: offset + at - 1,
                        site: *site,
                        count: *count,
                    });
                }
                Op::Call { .. } | Op::Block { .. } | Op::Mark(_) => {}
            }
        }
    }
}

/// Whether each rank may have a part of its own length. The blocks of an all-to-all belong to pairs of ranks.
fn has_parts(kind: CollectiveKind) -> bool {
    match kind {
        CollectiveKind::Gather
        | CollectiveKind::Scatter
        | CollectiveKind::Allgather
        | CollectiveKind::ReduceScatter => true,
        CollectiveKind::Barrier
        | CollectiveKind::Broadcast
        | CollectiveKind::Reduce
        | CollectiveKind::Allreduce
        | CollectiveKind::Alltoall
        | CollectiveKind::Scan
        | CollectiveKind::ExclusiveScan => false,
    }
}

fn group_of(op: &Op) -> Option<usize> {
    match op {
        Op::Call {
            call:
                Call::Collective {
                    communicator: Operand::Constant(group),
                    ..
                },
            ..
        } => usize::try_from(*group).ok(),
        _ => None,
    }
}

/// Gives a call the lengths of all parts, as MPI_Gatherv and the like have them.
fn set_parts(op: &mut Op, vector: u32, own: i64) {
    let Op::Call {
        call:
            Call::Collective {
                kind,
                counts,
                receive_counts,
                ..
            },
        ..
    } = op
    else {
        return;
    };
    let own = Counts::Same(Operand::Constant(own));
    (*counts, *receive_counts) = match kind {
        CollectiveKind::Scatter => (Counts::PerRank(vector), Some(own)),
        CollectiveKind::ReduceScatter => (Counts::PerRank(vector), None),
        _ => (own, Some(Counts::PerRank(vector))),
    };
}

/// Final communicators, and roots as ranks of them.
fn complete(
    stream: &mut [Op],
    final_numbers: &[usize],
    members: &[Vec<u32>],
) -> Result<(), JointError> {
    for op in stream {
        let Some(group) = group_of(op) else { continue };
        let Op::Call {
            site,
            call: Call::Collective {
                communicator, root, ..
            },
        } = op
        else {
            continue;
        };
        *communicator = Operand::Constant(final_numbers[group] as i64);
        let Some(Operand::Constant(root)) = root else {
            continue;
        };
        if final_numbers[group] == 0 {
            continue;
        }
        let position = members[group]
            .iter()
            .position(|&rank| i64::from(rank) == *root);
        let Some(position) = position else {
            let ranks = RankSet::from_ranks(members[group].iter().copied().map(Rank));
            return Err((
                *site,
                format!(
                    "the root is rank {root}, but the group consists of ranks {ranks}; name one of these"
                ),
            ));
        };
        *root = position as i64;
    }
    Ok(())
}
