//! Values of the operands of a class over its ranks: their bounds, communicators and partners. Constants and
//! offsets cost nothing; other operands are evaluated rank by rank, once each, within a budget, so that
//! every file is checked in bounded time.

use super::{Checked, within};
use crate::ids::{BlockId, CommId, Rank};
use crate::program_data::{Counts, Operand, Peer, ProgramData, RankClass};
use std::collections::{HashMap, HashSet};

/// Evaluations a check may make: about a second's worth.
const MOST_EVALUATIONS: usize = 1 << 28;

/// Remaining evaluations of a check.
pub(super) struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(MOST_EVALUATIONS)
    }
}

impl Budget {
    pub fn spend(&mut self, steps: usize) -> Checked {
        // A small file may describe much work (a formula on millions of ranks), so steps are counted and not
        // bytes.
        let left = self.0.checked_sub(steps);
        self.0 = left.ok_or("it takes too many steps to check for a program's recording")?;
        Ok(())
    }
}

/// The operands of one class.
pub(super) struct Operands<'a> {
    data: &'a ProgramData,
    class: &'a RankClass,
    budget: &'a mut Budget,
    /// Smallest and largest value over the class.
    bounds: HashMap<Operand, (i64, i64)>,
    /// Communicators every rank of the class is known to belong to.
    joined: HashSet<Operand>,
    /// (rank of a communicator, communicator) pairs known to be good.
    peers: HashSet<(Operand, Operand)>,
}

impl<'a> Operands<'a> {
    pub fn of(data: &'a ProgramData, class: &'a RankClass, budget: &'a mut Budget) -> Self {
        Self {
            data,
            class,
            budget,
            bounds: HashMap::new(),
            joined: HashSet::new(),
            peers: HashSet::new(),
        }
    }

    /// Smallest and largest value over the ranks of the class.
    pub fn bounds(&mut self, operand: Operand) -> Result<(i64, i64), String> {
        if let Some(&known) = self.bounds.get(&operand) {
            return Ok(known);
        }
        let (smallest, largest) = self.class.ranks.bounds().unwrap_or((Rank(0), Rank(0)));
        let found = match operand {
            Operand::Constant(value) => (value, value),
            Operand::RankPlus(offset) => {
                // Monotonic in the rank: the extreme ranks have the extreme values.
                let sum = |Rank(rank)| i64::from(rank).checked_add(offset);
                sum(smallest)
                    .zip(sum(largest))
                    .ok_or("an operand overflows")?
            }
            Operand::RankXor(_) | Operand::Formula(_) | Operand::Table(_) => {
                self.evaluated(operand)?
            }
        };
        self.bounds.insert(operand, found);
        Ok(found)
    }

    fn evaluated(&mut self, operand: Operand) -> Result<(i64, i64), String> {
        let cost = match operand {
            Operand::Formula(id) => {
                within("formula", id.index(), self.data.formulas.len())?;
                self.data.formulas[id.index()].0.len()
            }
            Operand::Table(id) => {
                within("table", id.index(), self.data.tables.len())?;
                let (values, ranks) = (self.data.tables[id.index()].len(), self.class.ranks.len());
                if values != ranks {
                    return Err(format!("table {id} has {values} values for {ranks} ranks"));
                }
                1
            }
            Operand::Constant(_) | Operand::RankPlus(_) | Operand::RankXor(_) => 1,
        };
        // A file of a few bytes may ask for billions of evaluations.
        self.budget
            .spend(cost.saturating_mul(self.class.ranks.len()))?;
        // Without ranks the bounds stay reversed, so that no value lies outside of what is allowed.
        let mut bounds = (i64::MAX, i64::MIN);
        for value in self.values(operand) {
            let value = value.ok_or("an operand has no value")?;
            bounds = (bounds.0.min(value), bounds.1.max(value));
        }
        Ok(bounds)
    }

    /// The values in the order of the class; the operand's bounds must have been asked for.
    fn values(&self, operand: Operand) -> impl Iterator<Item = Option<i64>> {
        let (data, members) = (self.data, self.class.ranks.iter().enumerate());
        members.map(move |(position, rank)| data.value(operand, rank, position))
    }

    /// Whether all values are from `least` to below `limit`.
    pub fn in_range(&mut self, what: &str, operand: Operand, least: i64, limit: usize) -> Checked {
        let (smallest, largest) = self.bounds(operand)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        if smallest >= least && largest < limit {
            return Ok(());
        }
        let wrong = if smallest < least { smallest } else { largest };
        Err(format!(
            "{what} {wrong} is not one of {least} to {}",
            limit - 1
        ))
    }

    pub fn not_negative(&mut self, what: &str, operand: Operand) -> Checked {
        let (smallest, _) = self.bounds(operand)?;
        if smallest < 0 {
            Err(format!("{what} {smallest} is negative"))
        } else {
            Ok(())
        }
    }

    /// Every variant that the operand means must be one of `block`.
    pub fn variants(&mut self, operand: Operand, block: BlockId) -> Checked {
        self.in_range("variant", operand, 0, self.data.variants.len())?;
        let (smallest, largest) = self.bounds(operand)?;
        let single = smallest == largest;
        // One value is looked at once below, so the class's size does not matter.
        if !single {
            self.budget.spend(self.class.ranks.len())?;
        }
        let checked = self
            .values(operand)
            // All values are equal between equal bounds.
            .take(if single { 1 } else { usize::MAX });
        for number in checked.flatten() {
            let of = self.data.variants[number as usize].block;
            if of != block {
                return Err(format!(
                    "variant {number} is one of block {of}, not of block {block}"
                ));
            }
        }
        Ok(())
    }

    /// Every rank must belong to the communicator that the operand means for it.
    pub fn communicator(&mut self, operand: Operand) -> Checked {
        if self.joined.contains(&operand) {
            return Ok(());
        }
        self.in_range("communicator", operand, 0, self.data.communicators.len())?;
        self.members(operand)?;
        self.joined.insert(operand);
        Ok(())
    }

    /// Every rank must belong to the communicator the operand means, where that is not negative.
    pub fn members(&mut self, operand: Operand) -> Checked {
        if let Some(CommId::WORLD | CommId::SELF) = self.single(operand)? {
            return Ok(());
        }
        // Looking up the position of a rank walks the ranges of a group.
        let values = self
            .data
            .communicators
            .iter()
            .map(|entry| entry.group.ranges().len())
            .max();
        self.budget
            .spend(values.unwrap_or(0).saturating_mul(self.class.ranks.len()))?;
        let ranks = self.class.ranks.iter();
        for (value, rank) in self.values(operand).zip(ranks) {
            let Some(id) = value.and_then(|value| usize::try_from(value).ok()) else {
                continue;
            };
            let group = &self.data.communicators[id].group;
            if id != CommId::SELF.index() && group.position(rank).is_none() {
                return Err(format!("rank {rank} is no member of communicator {id}"));
            }
        }
        Ok(())
    }

    /// The communicator, if it is the same for the whole class.
    fn single(&mut self, operand: Operand) -> Result<Option<CommId>, String> {
        let (smallest, largest) = self.bounds(operand)?;
        let number = u32::try_from(smallest).ok().filter(|_| smallest == largest);
        Ok(number.map(CommId))
    }

    fn size(&self, communicator: usize) -> usize {
        let is_self = communicator == CommId::SELF.index();
        if is_self {
            1
        } else {
            self.data.communicators[communicator].group.len()
        }
    }

    pub fn peer(&mut self, peer: Peer, communicator: Operand) -> Checked {
        match peer {
            Peer::Rank(rank) => self.rank_of("peer", rank, communicator),
            Peer::Null | Peer::Any => Ok(()),
        }
    }

    /// `rank` must be a rank of the communicator, which was checked before.
    pub fn rank_of(&mut self, what: &str, rank: Operand, communicator: Operand) -> Checked {
        if self.peers.contains(&(rank, communicator)) {
            return Ok(());
        }
        match self.single(communicator)? {
            // One communicator for the class: bounds of the rank suffice.
            Some(id) => self.in_range(what, rank, 0, self.size(id.index()))?,
            None => self.rank_of_several(what, rank, communicator)?,
        }
        self.peers.insert((rank, communicator));
        Ok(())
    }

    fn rank_of_several(&mut self, what: &str, rank: Operand, communicator: Operand) -> Checked {
        self.not_negative(what, rank)?;
        self.budget.spend(self.class.ranks.len())?;
        for (rank, id) in self.values(rank).zip(self.values(communicator)) {
            let (rank, id) = (rank.unwrap_or(0) as usize, id.unwrap_or(0) as usize);
            let size = self.size(id);
            if rank >= size {
                return Err(format!(
                    "{what} {rank} is not one of the {size} ranks of communicator {id}"
                ));
            }
        }
        Ok(())
    }

    /// Counts must be one number, or one per rank of the communicator, which was checked before.
    pub fn counts(&mut self, counts: Counts, communicator: Operand) -> Checked {
        let number = match counts {
            Counts::Same(count) => return self.not_negative("count", count),
            Counts::PerRank(number) => number as usize,
        };
        within("count table", number, self.data.count_tables.len())?;
        let table = &self.data.count_tables[number];
        if table.len() != self.class.ranks.len() {
            let ranks = self.class.ranks.len();
            return Err(format!(
                "count table {number} has {} rows for {ranks} ranks",
                table.len()
            ));
        }
        self.bounds(communicator)?;
        for (row, id) in table.iter().zip(self.values(communicator)) {
            let size = self.size(id.unwrap_or(0) as usize);
            if row.len() != size {
                let found = row.len();
                return Err(format!(
                    "count table {number} has a row of {found} counts for {size} ranks"
                ));
            }
        }
        Ok(())
    }
}
