//! A rank's communicators: group, context, and how far their sequences of constructor calls and
//! collectives have come. The context is a function of parent and sequence, so that making a
//! communicator needs no agreement on it.

/// A communicator this rank is a member of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Communicator {
    /// Tells its messages from those of others.
    pub context: u64,
    /// World ranks in the communicator's order.
    pub group: Vec<u32>,
    /// This rank's own rank in it.
    pub rank: u32,
    /// Constructor calls on it so far.
    pub made: u32,
    /// Collectives on it so far.
    pub collectives: u64,
    /// Offset of its state in shared memory; 0 until its first collective.
    pub shared: u64,
}

impl Communicator {
    /// The world of so many ranks.
    pub fn world(ranks: u32, rank: u32) -> Self {
        Self::new(1, (0..ranks).collect(), rank)
    }

    /// This rank alone.
    pub fn alone(world_rank: u32) -> Self {
        Self::new(2, vec![world_rank], 0)
    }

    fn new(context: u64, group: Vec<u32>, rank: u32) -> Self {
        Self { context, group, rank, made: 0, collectives: 0, shared: 0 }
    }

    /// Number of members.
    pub fn size(&self) -> u32 {
        self.group.len() as u32
    }

    /// The world rank of one of its ranks.
    pub fn world_rank(&self, rank: i64) -> Option<u32> {
        self.group.get(usize::try_from(rank).ok()?).copied()
    }

    /// Context of what the constructor call number `sequence` on it makes.
    fn child_context(&self, sequence: u32) -> u64 {
        mixed(self.context ^ mixed(u64::from(sequence) + 1))
    }

    /// Its copy by constructor call number `sequence`.
    pub fn duplicate(&self, sequence: u32) -> Self {
        Self::new(self.child_context(sequence), self.group.clone(), self.rank)
    }

    /// What constructor call number `sequence` makes for this rank when each member, in order,
    /// chose `(colour, key)`; a negative colour gets no communicator.
    pub fn split(&self, sequence: u32, choices: &[(i64, i64)]) -> Option<Self> {
        let colour = choices[self.rank as usize].0;
        if colour < 0 {
            return None;
        }
        let mut members: Vec<usize> = (0..choices.len()).filter(|&i| choices[i].0 == colour).collect();
        members.sort_by_key(|&i| (choices[i].1, i));
        let rank = members.iter().position(|&i| i == self.rank as usize)? as u32;
        let group = members.into_iter().map(|i| self.group[i]).collect();
        Some(Self::new(self.child_context(sequence), group, rank))
    }
}

/// The finaliser of SplitMix64: spreads neighbouring numbers over all 64 bits.
fn mixed(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
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

    #[test]
    fn contexts_differ_between_siblings_and_generations() {
        let world = Communicator::world(4, 0);
        let contexts: Vec<u64> = (0..100)
            .flat_map(|i| [world.duplicate(i).context, world.duplicate(i).duplicate(0).context])
            .chain([world.context, Communicator::alone(0).context])
            .collect();
        let mut unique = contexts.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), contexts.len());
    }
}
