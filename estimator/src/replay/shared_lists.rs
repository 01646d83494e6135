//! Lists of steps that ranks share: channels are renumbered within each rank, so that ranks which differ
//! in their partners alone have the same list, and equal lists are kept once.

use super::program::{RankSteps, Step, StepList};
use crate::numbered::Numbered;

/// The lists made so far, and which rank has which.
#[derive(Debug, Default)]
pub(super) struct SharedLists {
    lists: Numbered<StepList>,
    /// Classes and the lists of their outlines, and which list the whole stream has.
    outlines: Numbered<(u32, StepList)>,
    outlined_lists: Vec<u32>,
    ranks: Vec<RankSteps>,
    rank_channels: Vec<u32>,
    /// Where the channels of the open rank begin, if its outline has been added.
    first_channel: Option<u32>,
    /// By channel of the program: the last rank that used it (plus one), and its number there.
    own_numbers: Vec<(u32, u32)>,
}

impl SharedLists {
    /// Adds the list of the next rank, whose channels are those of the program.
    pub(super) fn add_rank(&mut self, mut list: StepList) {
        let first_channel = self.first_channel.take();
        let first_channel = first_channel.unwrap_or(self.rank_channels.len() as u32);
        self.renumber(&mut list, first_channel);
        // A copy of the right length: shrinking in place would leave a hole behind each list that no later list fits into.
        list.steps = list.steps.as_slice().to_vec();
        let list = self.lists.number(list);
        if self.outlined_lists.len() < self.outlines.values().len() {
            self.outlined_lists.push(list);
        }
        self.ranks.push(RankSteps {
            list,
            first_channel,
        });
    }

    /// Adds the next rank if a rank of its class had the same outline before. Otherwise the list of its whole stream must follow.
    pub(super) fn add_outlined(&mut self, class: u32, mut outline: StepList) -> bool {
        let first_channel = self.rank_channels.len() as u32;
        // In an outline channels come in the same order as in the stream, so they have the same numbers.
        self.renumber(&mut outline, first_channel);
        outline.steps = outline.steps.as_slice().to_vec();
        let number = self.outlines.number((class, outline)) as usize;
        let Some(&list) = self.outlined_lists.get(number) else {
            self.first_channel = Some(first_channel);
            return false;
        };
        self.ranks.push(RankSteps {
            list,
            first_channel,
        });
        true
    }

    fn renumber(&mut self, list: &mut StepList, first_channel: u32) {
        for step in list
            .steps
            .iter_mut()
            .chain(list.schedules.iter_mut().flatten())
        {
            if let Step::Send { channel, .. }
            | Step::Receive { channel, .. }
            | Step::Probe { channel } = step
            {
                *channel = self.own_number(*channel, first_channel);
            }
        }
    }

    fn own_number(&mut self, channel: u32, first_channel: u32) -> u32 {
        // Numbers count from 1, so that 0 is no rank and the table needs no clearing between ranks.
        let user = self.ranks.len() as u32 + 1;
        if self.own_numbers.len() <= channel as usize {
            self.own_numbers.resize(channel as usize + 1, (0, 0));
        }
        let known = &mut self.own_numbers[channel as usize];
        if known.0 != user {
            *known = (user, self.rank_channels.len() as u32 - first_channel);
            self.rank_channels.push(channel);
        }
        known.1
    }

    /// Lists by number, ranks, and the channels of all ranks.
    pub(super) fn into_parts(self) -> (Vec<StepList>, Vec<RankSteps>, Vec<u32>) {
        (self.lists.into_values(), self.ranks, self.rank_channels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(channels: &[u32]) -> StepList {
        let send = |&channel| Step::Send {
            channel,
            size: 0,
            slot: 0,
            blocking: true,
        };
        StepList {
            steps: channels.iter().map(send).collect(),
            slots: 2,
            ..StepList::default()
        }
    }

    #[test]
    fn ranks_that_differ_in_partners_share() {
        let mut shared = SharedLists::default();
        for channels in [&[4u32, 7, 4][..], &[7, 0, 7], &[7, 7, 0]] {
            shared.add_rank(list(channels));
        }
        let (lists, ranks, rank_channels) = shared.into_parts();
        assert_eq!(lists, [list(&[0, 1, 0]), list(&[0, 0, 1])]);
        assert_eq!(
            ranks.iter().map(|rank| rank.list).collect::<Vec<_>>(),
            [0, 0, 1]
        );
        assert_eq!(
            ranks
                .iter()
                .map(|rank| rank.first_channel)
                .collect::<Vec<_>>(),
            [0, 2, 4]
        );
        assert_eq!(rank_channels, [4, 7, 7, 0, 7, 0]);
    }
}
