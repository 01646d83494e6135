//! Numbers of a program's channels, in the order of first use.
//!
//! Where a program is lowered rank by rank, each channel of a rank begins or ends there. So the index has the channels of
//! one rank, which fit into a cache; channels to later ranks wait in lists for the turns of these. An index of all channels
//! would cost several cache misses for each message of an all-to-all. Only an emulation has one, as its ranks take turns.

use super::program::Channel;
use crate::numbered::Numbered;
use base_data::hashing::NumberMap;

/// The channels so far.
#[derive(Debug, Default)]
pub(super) struct Channels {
    channels: Vec<Channel>,
    /// The rank that is lowered; `None` if channels of any rank may come.
    rank: Option<u32>,
    /// The channels of this rank, or of all, and their numbers in the program.
    index: Numbered<Channel>,
    numbers: Vec<u32>,
    /// By later rank: numbers of the channels that earlier ranks have to it or from it.
    of_later_ranks: NumberMap<u32, Vec<u32>>,
}

impl Channels {
    /// No channels, for ranks that are lowered in order, from 0 on.
    pub(super) fn by_rank() -> Self {
        Self {
            rank: Some(0),
            ..Self::default()
        }
    }

    /// The number of a channel, which begins or ends at the rank that is lowered; the next number if it is new.
    pub(super) fn number(&mut self, channel: Channel) -> u32 {
        let (source, destination) = (channel.source, channel.destination);
        debug_assert!(
            self.rank
                .is_none_or(|rank| rank == source || rank == destination)
        );
        let place = self.index.number(channel) as usize;
        if let Some(&known) = self.numbers.get(place) {
            return known;
        }
        let number = self.channels.len() as u32;
        self.channels.push(channel);
        self.numbers.push(number);
        let last = source.max(destination);
        if self.rank.is_some_and(|rank| rank < last) {
            self.of_later_ranks.entry(last).or_default().push(number);
        }
        number
    }

    /// It is the turn of the next rank.
    pub(super) fn next_rank(&mut self) {
        let next = self.rank.map_or(0, |rank| rank + 1);
        self.rank = Some(next);
        self.index = Numbered::default();
        self.numbers = self.of_later_ranks.remove(&next).unwrap_or_default();
        for &number in &self.numbers {
            self.index.number(self.channels[number as usize]);
        }
    }

    /// The channels so far, by number.
    pub(super) fn values(&self) -> &[Channel] {
        &self.channels
    }

    /// The channels by number.
    pub(super) fn into_values(mut self) -> Vec<Channel> {
        self.channels.shrink_to_fit();
        self.channels
    }
}

#[cfg(test)]
mod tests {
    use super::super::program::ChannelTag;
    use super::*;
    use base_data::CommId;

    /// Each of four ranks sends to all and receives from all; numbers are those of one index of all channels.
    #[test]
    fn channels_are_numbered_by_first_use() {
        let mut channels = Channels::by_rank();
        let mut expected = Numbered::default();
        for rank in 0..4 {
            for partner in [2, 0, 3, 1, 2] {
                for (source, destination) in [(partner, rank), (rank, partner)] {
                    let channel = Channel {
                        communicator: CommId(0),
                        source,
                        destination,
                        tag: ChannelTag::Collective,
                    };
                    assert_eq!(channels.number(channel), expected.number(channel));
                }
            }
            channels.next_rank();
        }
        assert_eq!(channels.into_values(), expected.into_values());
    }
}
