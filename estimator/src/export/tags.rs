//! One number per communicator and tag, for formats that know the world alone: tags of the world stay
//! as they are, the others follow above.

use crate::replay::program::{ChannelTag, Steps};
use base_data::CommId;
use std::collections::HashMap;

/// The numbers.
pub(super) struct Tags {
    others: HashMap<(CommId, ChannelTag), i64>,
    /// Whether every message is one of the world with a tag of its own.
    pub(super) world_only: bool,
}

impl Tags {
    /// The numbers for the messages of a program.
    pub(super) fn of(steps: &Steps) -> Self {
        let own = |&(communicator, tag): &(CommId, ChannelTag)| match tag {
            ChannelTag::Value(tag) if communicator == CommId::WORLD && tag >= 0 => Some(tag),
            ChannelTag::Value(_) | ChannelTag::Collective | ChannelTag::Started(_) => None,
        };
        let all = || {
            steps
                .channels
                .iter()
                .map(|channel| (channel.communicator, channel.tag))
        };
        // Above all tags of the world, so that no two keys share a number.
        let mut next = all()
            .filter_map(|key| own(&key))
            .max()
            .map_or(0, |tag| tag + 1);
        let mut others = HashMap::new();
        for key in all().filter(|key| own(key).is_none()) {
            others.entry(key).or_insert_with(|| {
                next += 1;
                next - 1
            });
        }
        Self {
            world_only: others.is_empty(),
            others,
        }
    }

    /// The number of a tag.
    pub(super) fn number(&self, communicator: CommId, tag: ChannelTag) -> i64 {
        match (self.others.get(&(communicator, tag)), tag) {
            (Some(&number), _) => number,
            (None, ChannelTag::Value(tag)) => tag,
            (None, ChannelTag::Collective | ChannelTag::Started(_)) => 0,
        }
    }
}
