//! Communicators as groups of world ranks, with the way back from a world rank to its rank of the
//! communicator. Memory grows with the ranges that groups are written as, not with communicators times
//! ranks: programs with a communicator per rank or per pair of ranks exist.

use base_data::program_data::ProgramData;
use base_data::{CommId, Rank, RankSet};
use std::collections::HashMap;
use std::rc::Rc;

/// The groups of a program's communicators.
#[derive(Debug)]
pub(crate) struct Groups {
    /// Ranks of the world.
    ranks: u32,
    /// By communicator, from the third on: world and self need none.
    others: Vec<Rc<Group>>,
}

/// The group of a communicator.
#[derive(Debug)]
enum Group {
    /// A few ranges, which are searched in sequence.
    Ranges(RankSet),
    /// Many ranges: world ranks by rank of the communicator, and (world rank, rank of the communicator) in
    /// ascending order.
    Listed {
        members: Vec<u32>,
        positions: Vec<(u32, u32)>,
    },
}

/// Groups of more ranges are listed rank by rank, so that a lookup stays short.
const MOST_RANGES: usize = 4;

impl Group {
    fn of(set: &RankSet) -> Self {
        if set.ranges().len() <= MOST_RANGES {
            return Self::Ranges(set.clone());
        }
        let members: Vec<u32> = set.iter().map(|rank| rank.0).collect();
        let mut positions: Vec<(u32, u32)> = members.iter().copied().zip(0..).collect();
        positions.sort_unstable();
        Self::Listed { members, positions }
    }

    fn size(&self) -> u32 {
        match self {
            Self::Ranges(set) => set.len() as u32,
            Self::Listed { members, .. } => members.len() as u32,
        }
    }

    fn world_rank(&self, rank: usize) -> Option<u32> {
        match self {
            Self::Ranges(set) => set.get(rank).map(|rank| rank.0),
            Self::Listed { members, .. } => members.get(rank).copied(),
        }
    }

    fn position(&self, world_rank: u32) -> Option<u32> {
        match self {
            Self::Ranges(set) => set
                .position(Rank(world_rank))
                .map(|position| position as u32),
            Self::Listed { positions, .. } => {
                let place = positions
                    .binary_search_by_key(&world_rank, |&(member, _)| member)
                    .ok()?;
                Some(positions[place].1)
            }
        }
    }
}

impl Groups {
    /// The groups.
    ///
    /// # Errors
    /// The second half of a sentence: a group with a rank that there is not.
    pub(crate) fn of(data: &ProgramData) -> Result<Self, String> {
        // Duplicates of a communicator share its group.
        let mut known: HashMap<&RankSet, Rc<Group>> = HashMap::new();
        let mut others = Vec::new();
        // The first two are world and self.
        for (index, communicator) in data.communicators.iter().enumerate().skip(2) {
            let set = &communicator.group;
            if let Some(group) = known.get(set) {
                others.push(Rc::clone(group));
                continue;
            }
            if !set.is_valid(data.ranks) {
                return Err(format!(
                    "communicator {index} has ranks {set} of {} ranks; record again",
                    data.ranks
                ));
            }
            let group = Rc::new(Group::of(set));
            known.insert(set, Rc::clone(&group));
            others.push(group);
        }
        Ok(Self {
            ranks: data.ranks,
            others,
        })
    }

    pub(crate) fn has(&self, communicator: CommId) -> bool {
        communicator.index() < self.others.len() + 2
    }

    fn other(&self, communicator: CommId) -> &Group {
        &self.others[communicator.index() - 2]
    }

    pub(crate) fn size(&self, communicator: CommId) -> u32 {
        match communicator {
            CommId::WORLD => self.ranks,
            CommId::SELF => 1,
            _ => self.other(communicator).size(),
        }
    }

    /// World rank of a rank of the communicator, seen from world rank `own`.
    pub(crate) fn world_rank(&self, communicator: CommId, rank: i64, own: u32) -> Option<u32> {
        match communicator {
            CommId::WORLD => u32::try_from(rank).ok().filter(|&rank| rank < self.ranks),
            CommId::SELF => (rank == 0).then_some(own),
            _ => self
                .other(communicator)
                .world_rank(usize::try_from(rank).ok()?),
        }
    }

    /// Rank of the communicator of a world rank; `None` for no member.
    pub(crate) fn position(&self, communicator: CommId, world_rank: u32) -> Option<u32> {
        match communicator {
            CommId::WORLD => Some(world_rank),
            CommId::SELF => Some(0),
            _ => self.other(communicator).position(world_rank),
        }
    }

    pub(crate) fn sizes(&self) -> Vec<u32> {
        (0..self.others.len() + 2)
            .map(|index| self.size(CommId::from_index(index)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::program_data::Communicator;

    #[test]
    fn groups_of_ranges_and_of_lists_find_the_same() {
        let sets: [&[u32]; 4] = [&[5], &[0, 2, 4, 6], &[9, 8, 7], &[0, 3, 4, 8, 1, 9, 5, 2]];
        let communicator = |ranks: &&[u32]| Communicator {
            parent: None,
            sequence: 0,
            group: RankSet::from_ranks(ranks.iter().copied().map(Rank)),
        };
        let all: [&[u32]; 2] = [&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], &[]];
        let communicators = all
            .iter()
            .chain(&sets)
            .chain(&sets)
            .map(communicator)
            .collect();
        let data = ProgramData {
            ranks: 10,
            communicators,
            ..ProgramData::default()
        };
        let groups = Groups::of(&data).unwrap();
        assert!(matches!(*groups.others[3], Group::Listed { .. }));
        assert!(
            Rc::ptr_eq(&groups.others[3], &groups.others[7]),
            "equal groups are kept once"
        );
        for (id, ranks) in (2..).map(CommId).zip(sets.iter().chain(&sets)) {
            assert_eq!(groups.size(id) as usize, ranks.len());
            for (position, &rank) in ranks.iter().enumerate() {
                assert_eq!(groups.world_rank(id, position as i64, 0), Some(rank));
                assert_eq!(groups.position(id, rank), Some(position as u32));
            }
            assert_eq!(groups.world_rank(id, ranks.len() as i64, 0), None);
            assert_eq!(
                (0..10)
                    .filter(|rank| groups.position(id, *rank).is_some())
                    .count(),
                ranks.len()
            );
        }
    }
}
