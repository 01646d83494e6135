//! Messages that are at one node at a time, under a model in which they do not delay each other there.
//!
//! The bytes of a message occupy the interfaces of both nodes for the part of its time that grows with its length. Where
//! several do so at a time, a real network shares its bandwidth among them: they take up to as long as in
//! sequence. A replay with mean times finds them; repeated iterations count once.

use crate::replay::observer::{End, MessageEndpoint, Observer, Start};
use crate::replay::program::{Channel, Steps};
use crate::setup::Setup;
use crate::trace_sites::LazyTable;
use base_data::{CallSiteId, Rank, Time};
use machine::Platform;
use machine::network::{Protocol, Sharing};
use std::collections::BTreeMap;

/// Delays below this share of the predicted time are not worth a remark.
const SMALLEST_SHARE: f64 = 0.01;
/// Messages that are looked at, from the first on.
const MOST_MESSAGES: usize = 1 << 20;

/// The bytes of one message at one interface.
#[derive(Clone, Copy)]
struct Passage {
    from: Time,
    to: Time,
    site: u32,
}

/// A node and whether its messages arrive.
type Interface = (u32, bool);

/// Models by how much contention they know, most first, and whether senders share their interfaces in them.
const WITH_CONTENTION: [(&str, bool); 3] = [("flow", true), ("loggops", true), ("loggps", false)];

/// Watches when the bytes of messages pass.
pub(crate) struct Passages<'a> {
    steps: &'a Steps,
    platform: &'a Platform,
    /// Whether the model lets messages share the interface of their receiver: then only senders matter.
    receivers_share: bool,
    /// By size: the part of a message's time that grows with its length, and whether its bytes leave with the call.
    sizes: Vec<(Time, bool)>,
    /// The size of the message whose sides have just met.
    met: u32,
    /// Sizes and channels of messages that ranks receive, by rank and slot.
    received: BTreeMap<(u32, u32), (u32, u32)>,
    by_interface: BTreeMap<Interface, Vec<Passage>>,
    count: usize,
    /// Whether each rank is in the section that is predicted.
    inside: Vec<bool>,
}

impl<'a> Passages<'a> {
    /// `growing` is by size, as the steps number them; `sharing` is that of the model.
    pub(crate) fn new(
        setup: &Setup<'a>,
        platform: &'a Platform,
        growing: &[Time],
        sharing: Sharing,
    ) -> Self {
        let leaves = |protocol: Protocol| match protocol {
            Protocol::Eager => true,
            Protocol::Rendezvous { .. } | Protocol::Paired => false,
        };
        let eager = setup
            .machine
            .costs
            .iter()
            .map(|costs| leaves(costs.protocol));
        Self {
            steps: setup.steps,
            platform,
            receivers_share: sharing == Sharing::Receivers,
            sizes: growing.iter().copied().zip(eager).collect(),
            met: 0,
            received: BTreeMap::new(),
            by_interface: BTreeMap::new(),
            count: 0,
            inside: vec![!setup.steps.has_section; setup.steps.ranks.len()],
        }
    }

    fn passes(&mut self, channel: u32, site: u32, from: Time, to: Time) {
        let ends = &self.steps.channels[channel as usize];
        let [source, destination] =
            [ends.source, ends.destination].map(|rank| self.platform.node_of(Rank(rank)));
        if source == destination || from >= to || self.count == MOST_MESSAGES {
            return;
        }
        self.count += 1;
        for interface in [(source, false), (destination, true)] {
            let (_, arrives) = interface;
            if arrives && self.receivers_share {
                continue;
            }
            self.by_interface
                .entry(interface)
                .or_default()
                .push(Passage { from, to, site });
        }
    }

    /// What to do about messages that meet: a model of the platform in which they delay each other.
    fn remedy(&self) -> String {
        let ranks = self.steps.ranks.len() as u32;
        let models: Vec<&str> = WITH_CONTENTION
            .iter()
            .filter(|(_, senders_share)| *senders_share || !self.receivers_share)
            .map(|(model, _)| *model)
            .filter(|model| self.platform.fits(model, ranks).is_ok())
            .collect();
        if models.is_empty() {
            return "take the time as a lower bound: the platform has no parameters of a model with \
                such contention"
                .into();
        }
        format!(
            "choose a model with contention (--model {}), or take the time as a lower bound",
            models.join(", ")
        )
    }

    /// What to say of a run that takes `total`; `None` where messages hardly ever meet.
    pub(crate) fn remark(self, model: &str, total: Time, table: &LazyTable<'_>) -> Option<String> {
        let remedy = self.remedy();
        let lacks = if self.receivers_share {
            "no contention at senders"
        } else {
            "no contention"
        };
        // Overlapping time and all time, of messages that leave and of those that arrive.
        let mut sums = [(Time::ZERO, Time::ZERO); 2];
        let mut worst: Option<(Interface, Overlap)> = None;
        for (interface, mut passages) in self.by_interface {
            let found = Overlap::of(&mut passages);
            let (overlapping, all) = &mut sums[usize::from(interface.1)];
            *overlapping += found.overlapping;
            *all += found.all;
            if worst
                .as_ref()
                .is_none_or(|(_, most)| found.delay > most.delay)
            {
                worst = Some((interface, found));
            }
        }
        let ((node, arrives), worst) = worst?;
        if worst.delay.seconds() < SMALLEST_SHARE * total.seconds() {
            return None;
        }
        let (does, from) = if arrives {
            ("arrive at", "receives")
        } else {
            ("leave", "sends")
        };
        let (overlapping, all) = sums[usize::from(arrives)];
        let share = 100.0 * overlapping.seconds() / all.seconds().max(f64::MIN_POSITIVE);
        Some(format!(
            "the predicted time may be too short by {delay} or more: model '{model}' has {lacks}, but up to {most} \
             messages {does} node {node} at a time, which {from} them over one interface, first at {place}; {share:.0} % \
             of the time in which bytes of messages pass overlaps like this; {remedy}",
            delay = worst.delay,
            most = worst.most,
            place = table.get().site_place(CallSiteId(worst.site)),
        ))
    }
}

/// How the passages of one interface overlap.
struct Overlap {
    /// Time of all passages.
    all: Time,
    /// Time of passages while there are others.
    overlapping: Time,
    /// How much longer they would take in sequence.
    delay: Time,
    /// The most at a time.
    most: usize,
    /// The call of the first that meets another.
    site: u32,
}

impl Overlap {
    fn of(passages: &mut [Passage]) -> Self {
        passages.sort_by_key(|passage| (passage.from, passage.to, passage.site));
        let mut ends: Vec<Time> = passages.iter().map(|passage| passage.to).collect();
        ends.sort_unstable();
        let mut found = Self {
            all: Time::ZERO,
            overlapping: Time::ZERO,
            delay: Time::ZERO,
            most: 0,
            site: u32::MAX,
        };
        let (mut begun, mut ended, mut now) = (0, 0, Time::ZERO);
        while ended < ends.len() {
            let begins = passages
                .get(begun)
                // An end at the same time comes first: passages that touch do not overlap.
                .is_some_and(|passage| passage.from < ends[ended]);
            let next = if begins {
                passages[begun].from
            } else {
                ends[ended]
            };
            let present = begun - ended;
            let passed = next - now;
            found.all += passed.times(present as u64);
            if present > 1 {
                found.overlapping += passed.times(present as u64);
                // In sequence, `present` passages take `present` times as long as the time that they share.
                found.delay += passed.times(present as u64 - 1);
            }
            now = next;
            if begins {
                begun += 1;
                if begun - ended > 1 && found.site == u32::MAX {
                    found.site = passages[begun - 1].site;
                }
                found.most = found.most.max(begun - ended);
            } else {
                ended += 1;
            }
        }
        found
    }
}

impl Observer for Passages<'_> {
    fn section(&mut self, rank: u32, begins: bool) {
        self.inside[rank as usize] = begins;
    }

    fn started(&mut self, start: &Start) {
        let (growing, leaves) = self.sizes[start.size as usize];
        if start.sends && leaves && self.inside[start.rank as usize] {
            self.passes(start.channel, start.site, start.at, start.at + growing);
        }
    }

    fn message_matched(
        &mut self,
        _channel: &Channel,
        send: MessageEndpoint,
        _receive: MessageEndpoint,
    ) {
        self.met = send.size;
    }

    fn matched(&mut self, channel: u32, _send_slot: u32, receive_slot: u32) {
        let (_, leaves) = self.sizes[self.met as usize];
        if !leaves {
            let receiver = self.steps.channels[channel as usize].destination;
            self.received
                .insert((receiver, receive_slot), (self.met, channel));
        }
    }

    fn ended(&mut self, end: &End) {
        let Some((size, channel)) = self.received.remove(&(end.rank, end.slot)) else {
            return;
        };
        if self.inside[end.rank as usize] {
            let (growing, _) = self.sizes[size as usize];
            // Bytes of a message that waits for its receive pass last, right before its completion.
            self.passes(channel, end.site, end.completed - growing, end.completed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_counted_once_per_message() {
        let at = |from, to, site| Passage {
            from: Time::from_nanoseconds(from),
            to: Time::from_nanoseconds(to),
            site,
        };
        let found = Overlap::of(&mut [at(20, 30, 4), at(0, 10, 1), at(5, 15, 2), at(5, 10, 3)]);
        let nanoseconds = |time: Time| time.picoseconds() / 1000;
        assert_eq!((found.most, found.site), (3, 3));
        assert_eq!(nanoseconds(found.all), 35);
        assert_eq!(
            nanoseconds(found.overlapping),
            15,
            "three messages for 5 ns"
        );
        assert_eq!(nanoseconds(found.delay), 10);
        let apart = Overlap::of(&mut [at(0, 10, 1), at(10, 20, 2)]);
        assert_eq!((apart.most, apart.delay), (1, Time::ZERO));
    }
}
