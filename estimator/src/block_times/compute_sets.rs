//! The compute data of each rank: those given beside the platform, or those of its own type of processing
//! unit. [`super::choose`] selects entries among them.

use base_data::Rank;
use base_data::compute_data::ComputeData;
use machine::Platform;

/// Sets of compute data, and the set of each rank.
pub(crate) struct ComputeSets<'a> {
    /// Set 0 is what was given beside the platform.
    sets: Vec<&'a [ComputeData]>,
    /// By rank; empty where all ranks have set 0.
    of_rank: Vec<u32>,
}

impl<'a> ComputeSets<'a> {
    /// All ranks have the same data.
    pub(crate) fn given(compute: &'a [ComputeData]) -> Self {
        Self {
            sets: vec![compute],
            of_rank: Vec::new(),
        }
    }

    /// Ranks on PU types with data of their own have those, the others what was given.
    pub(crate) fn of_platform(
        compute: &'a [ComputeData],
        platform: &'a Platform,
        ranks: u32,
    ) -> Self {
        let own = platform.compute();
        if own.len() == 0 {
            return Self::given(compute);
        }
        let sets = std::iter::once(compute)
            .chain(own.map(std::slice::from_ref))
            .collect();
        let set = |rank| {
            platform
                .compute_of(Rank(rank))
                .map_or(0, |own| own as u32 + 1)
        };
        Self {
            sets,
            of_rank: (0..ranks).map(set).collect(),
        }
    }

    /// The sets, in order.
    pub(super) fn all(&self) -> &[&'a [ComputeData]] {
        &self.sets
    }

    /// The set of a rank.
    pub(super) fn of(&self, rank: u32) -> usize {
        self.of_rank
            .get(rank as usize)
            .map_or(0, |&set| set as usize)
    }

    /// Whether any rank has this set.
    pub(super) fn is_used(&self, set: usize) -> bool {
        if self.of_rank.is_empty() {
            set == 0
        } else {
            self.of_rank.contains(&(set as u32))
        }
    }

    /// Whether ranks have different sets.
    pub(super) fn is_by_rank(&self) -> bool {
        !self.of_rank.is_empty()
    }

    /// All data that some rank has.
    pub(crate) fn used(&self) -> impl Iterator<Item = &'a ComputeData> {
        let sets = self
            .sets
            .iter()
            .enumerate()
            .filter(|(set, _)| self.is_used(*set));
        sets.flat_map(|(_, data)| data.iter())
    }
}
