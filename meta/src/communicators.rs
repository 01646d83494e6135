//! Communicators of program data as meta-programs express them: partners are ranks of the world, collectives name a group, and messages
//! of communicators that share ranks have different tags.

use base_data::program_data::{Call, Op, Operand, ProgramData, Tag, Transfer};
use base_data::{CommId, Rank, RankSet};
use std::collections::BTreeSet;

/// The communicators of a program.
pub(crate) struct Communicators<'a> {
    program: &'a ProgramData,
    /// Of each communicator: whether it is all ranks in their order.
    are_world: Vec<bool>,
    /// Of each communicator with messages the number of its family; communicators of a family share no rank.
    families: Vec<Option<usize>>,
    /// Number of families.
    count: usize,
    /// Distance between the tags of families: more than the largest tag.
    tags: i64,
}

impl<'a> Communicators<'a> {
    pub(crate) fn of(program: &'a ProgramData) -> Self {
        let all = RankSet::all(program.ranks);
        let are_world = program.communicators.iter().map(|one| one.group == all);
        let mut communicators = Self {
            program,
            are_world: are_world.collect(),
            families: vec![None; program.communicators.len()],
            count: 0,
            tags: 1,
        };
        communicators.find_families();
        communicators
    }

    fn find_families(&mut self) {
        let mut used: BTreeSet<usize> = BTreeSet::new();
        for class in &self.program.classes {
            for (position, rank) in class.ranks.iter().enumerate() {
                for transfer in transfers(&class.stream) {
                    used.extend(self.number(transfer.communicator, rank, position));
                    if let Tag::Value(tag) = transfer.tag {
                        let tag = self.program.value(tag, rank, position).unwrap_or(0);
                        self.tags = self.tags.max(tag + 1);
                    }
                }
            }
        }
        let mut families: Vec<BTreeSet<u32>> = Vec::new();
        for number in used {
            let group = &self.program.communicators[number].group;
            let ranks: BTreeSet<u32> = group.iter().map(|rank| rank.0).collect();
            // Of a rank alone, whose group is empty here.
            let is_free = |family: &BTreeSet<u32>| !ranks.is_empty() && family.is_disjoint(&ranks);
            let known = families.iter().position(is_free);
            let family = known.unwrap_or_else(|| {
                families.push(BTreeSet::new());
                families.len() - 1
            });
            families[family].extend(&ranks);
            self.families[number] = Some(family);
        }
        self.count = families.len();
    }

    fn number(&self, communicator: Operand, rank: Rank, position: usize) -> Option<usize> {
        let value = self.program.value(communicator, rank, position)?;
        let number = usize::try_from(value).ok()?;
        if number < self.are_world.len() {
            Some(number)
        } else {
            None
        }
    }

    fn known(&self, communicator: Operand, rank: Rank, position: usize) -> Result<usize, String> {
        let number = self.number(communicator, rank, position);
        number.ok_or_else(|| "a communicator has no value".into())
    }

    /// The ranks of a communicator; `None` for MPI_COMM_SELF, which has the rank itself alone.
    fn members(
        &self,
        communicator: Operand,
        rank: Rank,
        position: usize,
    ) -> Result<Option<&'a RankSet>, String> {
        let number = self.known(communicator, rank, position)?;
        if number == CommId::SELF.index() {
            return Ok(None);
        }
        Ok(Some(&self.program.communicators[number].group))
    }

    /// Whether messages have several communicators that share ranks.
    pub(crate) fn has_families(&self) -> bool {
        self.count > 1
    }

    /// Whether a communicator is all ranks in their order, on every rank.
    pub(crate) fn is_world(&self, communicator: Operand) -> bool {
        match communicator {
            Operand::Constant(number) => {
                let number = usize::try_from(number).unwrap_or(usize::MAX);
                self.are_world.get(number).copied().unwrap_or(false)
            }
            _ => false,
        }
    }

    /// The rank of the world that is a rank of a communicator.
    pub(crate) fn world_rank(
        &self,
        communicator: Operand,
        rank: i64,
        own: Rank,
        position: usize,
    ) -> Result<i64, String> {
        let Some(members) = self.members(communicator, own, position)? else {
            return Ok(i64::from(own.0));
        };
        let index = usize::try_from(rank).ok();
        let found = index.and_then(|index| members.get(index));
        let found = found.ok_or("a partner is not in its communicator")?;
        Ok(i64::from(found.0))
    }

    /// The place of a rank in a communicator.
    pub(crate) fn position(
        &self,
        communicator: Operand,
        own: Rank,
        position: usize,
    ) -> Result<usize, String> {
        let Some(members) = self.members(communicator, own, position)? else {
            return Ok(0);
        };
        let found = members.position(own);
        found.ok_or_else(|| "a rank is not in its communicator".into())
    }

    /// Number of ranks of a communicator.
    ///
    /// # Errors
    /// The second half of a sentence: its ranks are in an order of their own.
    pub(crate) fn checked_size(
        &self,
        communicator: Operand,
        own: Rank,
        position: usize,
    ) -> Result<usize, String> {
        let Some(members) = self.members(communicator, own, position)? else {
            return Ok(1);
        };
        let ranks: Vec<u32> = members.iter().map(|rank| rank.0).collect();
        if ranks.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err(
                "meta-programs have no collectives whose ranks are in another order than all ranks"
                    .into(),
            );
        }
        Ok(ranks.len())
    }

    /// The number that names the group of a communicator.
    pub(crate) fn group_number(
        &self,
        communicator: Operand,
        own: Rank,
        position: usize,
    ) -> Result<i64, String> {
        let number = self.known(communicator, own, position)?;
        let count = self.are_world.len() as i64;
        let predefined = CommId::SELF.index() as i64 + 1;
        if number == CommId::SELF.index() {
            // Each rank has a group of its own.
            return Ok(count + i64::from(own.0));
        }
        if number == CommId::WORLD.index() {
            // Groups are not negative, and the last numbers are free, since the first are not used.
            return Ok(count - 1);
        }
        Ok(number as i64 - predefined)
    }

    /// The first tag of the messages of a communicator.
    pub(crate) fn first_tag(
        &self,
        communicator: Operand,
        own: Rank,
        position: usize,
    ) -> Result<i64, String> {
        let number = self.known(communicator, own, position)?;
        let family = self.families[number].unwrap_or(0);
        Ok(family as i64 * self.tags)
    }
}

/// The transfers of a stream.
fn transfers(stream: &[Op]) -> Vec<&Transfer> {
    let mut found = Vec::new();
    for op in stream {
        let Op::Call { call, .. } = op else { continue };
        match call {
            Call::Send { transfer, .. }
            | Call::Receive { transfer, .. }
            | Call::Probe { transfer, .. }
            | Call::MakePersistent { transfer, .. } => found.push(transfer),
            Call::SendReceive { send, receive, .. } => found.extend([send, receive]),
            Call::Init
            | Call::Finalize
            | Call::Abort
            | Call::Wait { .. }
            | Call::Test { .. }
            | Call::StartPersistent { .. }
            | Call::Collective { .. }
            | Call::MakeCommunicator { .. } => {}
        }
    }
    found
}
