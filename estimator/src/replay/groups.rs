//! Communicators as lists of world ranks, with the way back from a world rank to its rank of the
//! communicator.

use base_data::CommId;
use base_data::program_data::ProgramData;

/// The groups of a program's communicators.
#[derive(Debug)]
pub(crate) struct Groups {
    /// World ranks by rank of the communicator; empty for self.
    members: Vec<Vec<u32>>,
    /// Rank of the communicator by world rank, [`NO_MEMBER`] for others; empty for world and self.
    positions: Vec<Vec<u32>>,
}

const NO_MEMBER: u32 = u32::MAX;

impl Groups {
    /// The groups.
    ///
    /// # Errors
    /// The second half of a sentence: a group with a rank that there is not.
    pub(crate) fn of(data: &ProgramData) -> Result<Self, String> {
        let world: Vec<u32> = (0..data.ranks).collect();
        let mut groups = Self { members: vec![world, Vec::new()], positions: vec![Vec::new(), Vec::new()] };
        for (index, communicator) in data.communicators.iter().enumerate().skip(2) {
            if !communicator.group.is_valid(data.ranks) {
                let group = &communicator.group;
                return Err(format!(
                    "communicator {index} has ranks {group} of {} ranks; record again",
                    data.ranks
                ));
            }
            let members: Vec<u32> = communicator.group.iter().map(|rank| rank.0).collect();
            let mut positions = vec![NO_MEMBER; data.ranks as usize];
            for (position, &member) in members.iter().enumerate() {
                if let Some(place) = positions.get_mut(member as usize) {
                    *place = position as u32;
                }
            }
            groups.members.push(members);
            groups.positions.push(positions);
        }
        Ok(groups)
    }

    pub(crate) fn has(&self, communicator: CommId) -> bool {
        communicator.index() < self.members.len()
    }

    pub(crate) fn size(&self, communicator: CommId) -> u32 {
        match communicator {
            CommId::SELF => 1,
            _ => self.members[communicator.index()].len() as u32,
        }
    }

    /// World rank of a rank of the communicator, seen from world rank `own`.
    pub(crate) fn world_rank(&self, communicator: CommId, rank: i64, own: u32) -> Option<u32> {
        match communicator {
            CommId::SELF => (rank == 0).then_some(own),
            _ => self.members[communicator.index()].get(usize::try_from(rank).ok()?).copied(),
        }
    }

    /// Rank of the communicator of a world rank; `None` for no member.
    pub(crate) fn position(&self, communicator: CommId, world_rank: u32) -> Option<u32> {
        match communicator {
            CommId::WORLD => Some(world_rank),
            CommId::SELF => Some(0),
            _ => self.positions[communicator.index()]
                .get(world_rank as usize)
                .copied()
                .filter(|&position| position != NO_MEMBER),
        }
    }

    pub(crate) fn sizes(&self) -> Vec<u32> {
        (0..self.members.len()).map(|index| self.size(CommId::from_index(index))).collect()
    }
}
