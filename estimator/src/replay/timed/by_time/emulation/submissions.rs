//! What a process submits becomes steps of its rank.

use super::Emulation;
use super::answers::slots_of;
use super::matches::Sent;
use super::processes::{own_slot, scratch_slot};
use crate::replay::calls::likely_source;
use crate::replay::program::{Channel, ChannelTag, Pattern, Sending, Size, Step};
use crate::setup;
use base_data::emulation::{Action, Query, Slot, Submission};
use base_data::program_data::SendMode;
use base_data::{CommId, Rank, Time};
use std::collections::VecDeque;

impl Emulation<'_> {
    pub(super) fn add_steps(&mut self, rank: u32, submission: &Submission) -> Result<(), String> {
        let mut steps = Vec::new();
        self.computed[rank as usize] = submission.computed;
        if submission.computed > Time::ZERO {
            steps.push(Step::Compute {
                block: 0,
                variant: 0,
                index: 0,
            });
        }
        let process = self.process(rank);
        let of_last_call = std::mem::take(&mut process.of_call);
        process.free.extend(of_last_call);
        let mut blocking = Vec::new();
        for action in &submission.actions {
            self.add_action(rank, action, &mut steps)?;
            if let Action::Send {
                slot,
                blocking: true,
                ..
            }
            | Action::Receive {
                slot,
                blocking: true,
                ..
            } = action
            {
                blocking.push(*slot);
            }
        }
        self.add_query(rank, &submission.query, &blocking, &mut steps);
        self.extend_tables();
        self.reserve_slots(rank, &steps, slots_of(&submission.query));
        let length = steps.len();
        self.steps.lists[rank as usize].steps = steps;
        self.work.ranks[rank as usize].cursor.rewind(length);
        Ok(())
    }

    fn add_action(
        &mut self,
        rank: u32,
        action: &Action,
        steps: &mut Vec<Step>,
    ) -> Result<(), String> {
        match action {
            Action::Send {
                slot,
                context,
                destination,
                tag,
                bytes,
                mode,
                number,
                blocking,
            } => {
                let channel = self.channel(*context, rank, *destination, *tag);
                if let Some(sent) = &mut self.matches.channels[channel as usize] {
                    sent.messages.push_back((*number, *bytes));
                }
                let size = self.size(rank, *destination, *bytes, sending(*mode));
                steps.push(Step::Send {
                    channel,
                    size,
                    slot: own_slot(*slot),
                    blocking: *blocking,
                });
            }
            Action::Receive {
                slot,
                context,
                source,
                tag,
                bytes,
                blocking,
            } => {
                let (slot, blocking) = (own_slot(*slot), *blocking);
                let from = match source {
                    Some(source) => *source,
                    None => likely_source(rank, self.data.ranks),
                };
                let size = self.size(from, rank, *bytes, Sending::Standard);
                steps.push(match (source, tag) {
                    (Some(source), Some(tag)) => Step::Receive {
                        channel: self.channel(*context, *source, rank, *tag),
                        size,
                        slot,
                        blocking,
                    },
                    (source, tag) => Step::ReceiveAny {
                        pattern: self.pattern(*context, *source, *tag),
                        size,
                        slot,
                        blocking,
                    },
                });
            }
            Action::Collective {
                slot,
                row,
                context,
                members,
                operation,
            } => {
                let communicator = self.communicator(rank, *context, members.as_deref())?;
                let (started, schedule) =
                    self.collective(rank, (*row, *slot), communicator, operation)?;
                let (started, schedule, slots) = self.with_own_slots(rank, started, schedule);
                steps.extend(started);
                match slot {
                    None => self.process(rank).of_call.extend(slots),
                    Some(slot) => {
                        let schedules = &mut self.steps.lists[rank as usize].schedules;
                        if schedules.len() <= *slot as usize {
                            schedules.resize_with(*slot as usize + 1, Vec::new);
                        }
                        schedules[*slot as usize] = schedule;
                        self.process(rank).collectives.insert(*slot, slots);
                    }
                }
            }
        }
        Ok(())
    }

    /// What a call waits for in any case are steps; the rest is asked when they are over.
    fn add_query(&mut self, rank: u32, query: &Query, blocking: &[Slot], steps: &mut Vec<Step>) {
        if let Query::All(slots) = query {
            for slot in slots {
                let is_collective = self.process(rank).collectives.contains_key(slot);
                steps.push(if is_collective {
                    Step::FinishSchedule {
                        schedule: *slot,
                        body: 0,
                    }
                } else {
                    Step::Finish {
                        slot: own_slot(*slot),
                        blocking: blocking.contains(slot),
                        collective: false,
                    }
                });
            }
        }
        if let Query::Probe {
            context,
            source,
            tag,
            ..
        } = query
        {
            self.process(rank).pattern = 0;
            let pattern = self.pattern(*context, *source, *tag);
            self.process(rank).pattern = pattern;
        }
    }

    fn channel(&mut self, context: u64, source: u32, destination: u32, tag: i32) -> u32 {
        let communicator = CommId(self.contexts.number(context));
        let channel = Channel {
            communicator,
            source,
            destination,
            tag: ChannelTag::Value(tag.into()),
        };
        let number = self.tables.channels.number(channel);
        if number as usize == self.matches.channels.len() {
            self.matches.channels.push(Some(Sent {
                source,
                destination,
                tag,
                messages: VecDeque::new(),
            }));
        }
        number
    }

    fn size(&mut self, source: u32, destination: u32, bytes: u64, sending: Sending) -> u32 {
        let link = self.platform.link(Rank(source), Rank(destination));
        self.tables.sizes.number(Size {
            link,
            bytes,
            sending,
        })
    }

    fn pattern(&mut self, context: u64, source: Option<u32>, tag: Option<i32>) -> u32 {
        let communicator = CommId(self.contexts.number(context));
        self.tables.patterns.number(Pattern {
            communicator,
            source,
            tag: tag.map(i64::from),
        })
    }

    /// Makes known what the new steps refer to.
    fn extend_tables(&mut self) {
        let channels = self.tables.channels.values();
        let known = self.steps.channels.len();
        for (number, channel) in channels.iter().enumerate().skip(known) {
            self.steps.rank_channels.push(number as u32);
            self.steps.channels.push(*channel);
        }
        let patterns = self.tables.patterns.values();
        let known = self.steps.patterns.len();
        self.steps.patterns.extend_from_slice(&patterns[known..]);
        let sizes = self.tables.sizes.values();
        for size in &sizes[self.steps.sizes.len()..] {
            let costs = setup::cost_of(size, self.network.as_ref());
            self.machine.costs.push(costs);
            self.steps.sizes.push(*size);
        }
        let local = &self.tables.local_times.values()[self.machine.combine.len()..];
        if !local.is_empty() {
            let times = setup::local_times(local, self.steps.ranks.len(), self.platform);
            self.machine.combine.extend(times);
        }
    }

    fn reserve_slots(&mut self, rank: u32, steps: &[Step], queried: &[Slot]) {
        let mut slots = 0;
        for step in steps {
            if let Step::Send { slot, .. }
            | Step::Receive { slot, .. }
            | Step::ReceiveAny { slot, .. }
            | Step::NoTransfer { slot }
            | Step::Finish { slot, .. } = step
            {
                slots = slots.max(slot + 1);
            }
        }
        for &slot in queried {
            slots = slots.max(own_slot(slot) + 1);
        }
        // Slots of what a started collective does later.
        let scratch = self.process(rank).scratch;
        self.work
            .reserve_slots(rank, slots.max(scratch_slot(scratch)));
    }
}

fn sending(mode: SendMode) -> Sending {
    match mode {
        SendMode::Standard | SendMode::Ready => Sending::Standard,
        SendMode::Synchronous => Sending::Synchronous,
        SendMode::Buffered => Sending::Buffered,
    }
}
