//! A rank's communicators: group, context, and how far their sequences of constructor calls and
//! collectives have come. The context is a function of parent and sequence, so that making a
//! communicator needs no agreement on it.

use super::group;
use crate::topology::Topology;
use base_data::split_mix::mixed;
use std::collections::BTreeMap;

/// A communicator this rank is a member of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Communicator {
    /// Distinguishes its messages from those of other communicators.
    pub context: u64,
    /// World ranks of the local group in the communicator's order.
    pub group: Vec<u32>,
    /// This rank's own rank in it.
    pub rank: u32,
    /// The other group, for an intercommunicator.
    pub remote: Option<Remote>,
    /// What it knows of neighbours.
    pub topology: Topology,
    /// Constructor calls on it so far.
    pub made: u32,
    /// Constructor calls of parts of it so far, by group and tag.
    pub made_of_groups: BTreeMap<u64, u32>,
    /// Collectives on it so far.
    pub collectives: u64,
    /// Offset of its state in shared memory; 0 until its first collective.
    pub shared: u64,
}

/// The other group of an intercommunicator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Its world ranks in order.
    pub group: Vec<u32>,
    /// Whether it comes second where both groups follow one another, in an order all ranks agree on.
    pub is_second: bool,
}

impl Communicator {
    /// The world of so many ranks.
    pub fn world(ranks: u32, rank: u32) -> Self {
        Self::new(1, (0..ranks).collect(), rank)
    }

    /// This rank alone.
    pub fn self_only(world_rank: u32) -> Self {
        Self::new(2, vec![world_rank], 0)
    }

    fn new(context: u64, group: Vec<u32>, rank: u32) -> Self {
        Self {
            context,
            group,
            rank,
            remote: None,
            topology: Topology::None,
            made: 0,
            made_of_groups: BTreeMap::new(),
            collectives: 0,
            shared: 0,
        }
    }

    /// Number of ranks of the local group.
    pub fn size(&self) -> u32 {
        self.group.len() as u32
    }

    /// World ranks of those that messages go to and come from: the remote group, or the only one.
    pub fn partners(&self) -> &[u32] {
        self.remote
            .as_ref()
            .map_or(&self.group, |remote| &remote.group)
    }

    /// The world rank of a partner by its rank.
    pub fn world_rank(&self, partner: i64) -> Option<u32> {
        self.partners().get(usize::try_from(partner).ok()?).copied()
    }

    /// World ranks of all members; those of an intercommunicator's two groups follow one another in an order
    /// that is the same on all of them.
    pub fn members(&self) -> Vec<u32> {
        match &self.remote {
            None => self.group.clone(),
            Some(remote) if remote.is_second => [&self.group[..], &remote.group].concat(),
            Some(remote) => [&remote.group[..], &self.group].concat(),
        }
    }

    /// Number of all members.
    pub fn member_count(&self) -> u32 {
        self.size()
            + self
                .remote
                .as_ref()
                .map_or(0, |remote| remote.group.len() as u32)
    }

    /// This rank's place among all members.
    pub fn place(&self) -> u32 {
        match &self.remote {
            Some(remote) if !remote.is_second => remote.group.len() as u32 + self.rank,
            Some(_) | None => self.rank,
        }
    }

    /// Place of a partner among all members.
    pub fn partner_place(&self, partner: u32) -> u32 {
        match &self.remote {
            Some(remote) if remote.is_second => self.size() + partner,
            Some(_) | None => partner,
        }
    }

    /// World rank of the first of all members.
    pub fn leader(&self) -> u32 {
        match &self.remote {
            Some(remote) if !remote.is_second => remote.group[0],
            Some(_) | None => self.group[0],
        }
    }

    /// Ranks that this one receives from and sends to in neighbourhood collectives; `None` without a topology.
    pub fn neighbours(&self) -> Option<(Vec<i32>, Vec<i32>)> {
        self.topology.neighbours(self.rank)
    }

    /// Context of what the constructor call number `sequence` on it makes.
    pub fn child_context(&self, sequence: u32) -> u64 {
        // `mixed` maps 0 to 0: with the 1, sequence 0 changes the context like all others.
        mixed(self.context ^ mixed(u64::from(sequence) + 1))
    }

    /// Its copy by constructor call number `sequence`, with its topology.
    pub fn duplicate(&self, sequence: u32) -> Self {
        Self {
            remote: self.remote.clone(),
            topology: self.topology.clone(),
            ..Self::new(self.child_context(sequence), self.group.clone(), self.rank)
        }
    }

    /// What constructor call number `sequence` makes of some of its ranks, `None` for one that is not among
    /// them. Several such groups may be made by one call if they have no rank in common.
    pub fn subset(&self, sequence: u32, ranks: &[u32]) -> Option<Self> {
        self.part(self.child_context(sequence), ranks)
    }

    /// What a call makes that only the members of a group take part in, `number` such calls with the same
    /// members and tag having been made before.
    pub fn part_of_group(&self, number: u32, tag: i32, members: &[u32]) -> Option<Self> {
        let ranks = group::translated(members, &self.group);
        let ranks: Option<Vec<u32>> = ranks.into_iter().collect();
        self.part(self.group_context(number, tag, members), &ranks?)
    }

    /// Distinguishes calls with one group and tag from others.
    pub fn group_key(tag: i32, members: &[u32]) -> u64 {
        members
            .iter()
            .fold(mixed(tag as u32 as u64 + 1), |key, &member| {
                mixed(key ^ mixed(u64::from(member) + 1))
            })
    }

    fn group_context(&self, number: u32, tag: i32, members: &[u32]) -> u64 {
        let call = mixed(Self::group_key(tag, members) ^ u64::from(number));
        // The complement separates these contexts from those of `child_context`: the two count their calls independently.
        mixed(!self.context ^ call)
    }

    fn part(&self, context: u64, ranks: &[u32]) -> Option<Self> {
        let rank = ranks.iter().position(|&rank| rank == self.rank)? as u32;
        let group = ranks
            .iter()
            .map(|&rank| self.group[rank as usize])
            .collect();
        Some(Self::new(context, group, rank))
    }

    /// What constructor call number `sequence` makes for this rank when each member, in order,
    /// chose `(colour, key)`; a negative colour gets no communicator. Both groups of an intercommunicator are
    /// split; ranks that find none of their colour in the other group get none.
    pub fn split(&self, sequence: u32, choices: &[(i64, i64)]) -> Option<Self> {
        let colour = choices[self.place() as usize].0;
        if colour < 0 {
            return None;
        }
        let members = self.members();
        let chosen = |places: std::ops::Range<u32>| {
            let mut places: Vec<u32> = places
                .filter(|&place| choices[place as usize].0 == colour)
                .collect();
            // MPI_Comm_split breaks ties of the key by the rank in the parent.
            places.sort_by_key(|&place| (choices[place as usize].1, place));
            places
                .into_iter()
                .map(|place| members[place as usize])
                .collect::<Vec<u32>>()
        };
        let first_own = self.place() - self.rank;
        let group = chosen(first_own..first_own + self.size());
        let own = self.group[self.rank as usize];
        let rank = group.iter().position(|&member| member == own)? as u32;
        let mut made = Self::new(self.child_context(sequence), group, rank);
        if let Some(Remote { group, is_second }) = &self.remote {
            let first = self.partner_place(0);
            let group = chosen(first..first + group.len() as u32);
            if group.is_empty() {
                return None;
            }
            made.remote = Some(Remote {
                group,
                is_second: *is_second,
            });
        }
        Some(made)
    }

    /// The intercommunicator of its group and a remote one, with a context that both know.
    pub fn intercommunicator_with(&self, remote: Vec<u32>, context: u64) -> Self {
        // MPI requires disjoint groups, so the two sides compare different ranks and get opposite results.
        let is_second = self.group[0] < remote[0];
        let remote = Some(Remote {
            group: remote,
            is_second,
        });
        Self {
            remote,
            ..Self::new(context, self.group.clone(), self.rank)
        }
    }

    /// The communicator of both groups of this intercommunicator, by constructor call number `sequence`;
    /// the local group first or last.
    pub fn merged(&self, sequence: u32, local_is_first: bool) -> Self {
        let partners = self.partners();
        let (group, rank) = if local_is_first {
            ([&self.group[..], partners].concat(), self.rank)
        } else {
            (
                [partners, &self.group[..]].concat(),
                partners.len() as u32 + self.rank,
            )
        };
        Self::new(self.child_context(sequence), group, rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rank: u32, choices: &[(i64, i64)], expect: Option<(&[u32], u32)>) {
        let made = Communicator::world(choices.len() as u32, rank).split(0, choices);
        assert_eq!(made.as_ref().map(|m| (m.group.as_slice(), m.rank)), expect);
    }

    #[test]
    fn splits_by_colour_and_key() {
        check(2, &[(0, 0), (1, 0), (0, 0), (1, 0)], Some((&[0, 2], 1)));
        check(2, &[(0, 9), (1, 0), (0, 3), (1, 0)], Some((&[2, 0], 0)));
        check(1, &[(0, 0), (-32766, 0)], None);
    }

    /// Ranks 0 and 1 against 2 to 4, as one of them sees it.
    fn inter(rank: u32) -> Communicator {
        let groups = [vec![0, 1], vec![2, 3, 4]];
        let own = usize::from(rank >= 2);
        let local = Communicator::new(
            9,
            groups[own].clone(),
            if own == 1 { rank - 2 } else { rank },
        );
        local.intercommunicator_with(groups[1 - own].clone(), 77)
    }

    #[test]
    fn both_groups_of_an_intercommunicator_see_the_same_members() {
        for rank in 0..5 {
            let seen = inter(rank);
            assert_eq!(
                (seen.members(), seen.place(), seen.leader()),
                ((0..5).collect(), rank, 0)
            );
            assert_eq!(seen.member_count(), 5);
            let partners = seen.partners().to_vec();
            for (at, &partner) in (0..).zip(&partners) {
                assert_eq!(
                    (seen.partner_place(at), seen.world_rank(i64::from(at))),
                    (partner, Some(partner))
                );
            }
        }
    }

    #[test]
    fn intercommunicators_split_and_merge() {
        let choices = [(0, 0), (1, 0), (1, 5), (0, 0), (1, 4)];
        let made = inter(1).split(3, &choices).unwrap();
        assert_eq!(
            (made.group, made.remote.map(|remote| remote.group)),
            (vec![1], Some(vec![4, 2]))
        );
        assert_eq!(
            inter(0).split(3, &[(0, 0), (1, 0), (1, 0), (1, 0), (1, 0)]),
            None
        );
        let merged = inter(3).merged(0, true);
        assert_eq!(
            (merged.group.as_slice(), merged.rank),
            (&[2, 3, 4, 0, 1][..], 1)
        );
        assert_eq!(inter(0).merged(0, false).group, merged.group);
    }

    #[test]
    fn group_constructors_have_distinct_contexts() {
        let world = Communicator::world(4, 1);
        let made = |number, tag, members: &[u32]| {
            world
                .part_of_group(number, tag, members)
                .map(|made| made.context)
        };
        assert_eq!(made(0, 5, &[0, 2]), None);
        let contexts = [
            made(0, 5, &[0, 1]),
            made(1, 5, &[0, 1]),
            made(0, 6, &[0, 1]),
            made(0, 5, &[1, 0]),
        ];
        assert!((0..4).all(|i| contexts[i].is_some() && !contexts[..i].contains(&contexts[i])));
    }

    #[test]
    fn contexts_differ_between_siblings_and_generations() {
        let world = Communicator::world(4, 0);
        let contexts: Vec<u64> = (0..100)
            .flat_map(|i| {
                [
                    world.duplicate(i).context,
                    world.duplicate(i).duplicate(0).context,
                ]
            })
            .chain([world.context, Communicator::self_only(0).context])
            .collect();
        let mut unique = contexts.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), contexts.len());
    }
}
