//! One rank on its processor and network interface: where it is in its steps, until when what it has
//! is busy, and the messages that are on their way to it.

use super::super::program::Step;
use super::super::workspace::RankOutcome;
use super::cursor::Cursor;
use base_data::Time;
use std::collections::VecDeque;

/// The order of what happens at one time: by when it was caused, then by the rank that caused it. An
/// arriving message was caused by the start of its send, a rank's next step by the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cause {
    pub(super) at: Time,
    pub(super) rank: u32,
    /// The rank's own next step, after the messages it has sent.
    pub(super) next_action: bool,
}

/// A message on its way to a rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    /// When its first byte arrives.
    pub(super) at: Time,
    pub(super) cause: Cause,
    pub(super) channel: u32,
    pub(super) size: u32,
    /// The sender's slot and call.
    pub(super) slot: u32,
    pub(super) site: u32,
}

/// What a rank is about to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum NextAction {
    /// Its next step, as soon as it can.
    Next(Step),
    /// It waits until the transfer of a slot is over.
    Waits {
        slot: u32,
        blocking: bool,
        collective: bool,
    },
    /// The transfers that a call completes are over: it returns as soon as it gets the processor.
    Completes,
    /// It waits for a message without receiving it.
    Probes { channel: u32 },
    /// Nothing any more.
    #[default]
    Ended,
}

/// A rank, its processor and its network interface.
#[derive(Debug, Default)]
pub(super) struct Host {
    pub(super) cursor: Cursor,
    pub(super) next_action: NextAction,
    /// When its next step may begin, if the processor is free.
    pub(super) ready: Time,
    pub(super) cause: Cause,
    /// Until when its time is booked.
    pub(super) booked: Time,
    /// Processor time that arriving messages took and that is not booked yet.
    pub(super) taken: Time,
    pub(super) processor_free: Time,
    pub(super) sending_free: Time,
    pub(super) receiving_free: Time,
    pub(super) arrivals: VecDeque<Arrival>,
    /// Whether the present call completes started transfers: that call is a step of its own, which needs
    /// the processor, though it takes no time; calling a receive does not.
    pub(super) completed: bool,
    pub(super) site: u32,
    pub(super) first_slot: u32,
    /// Where its variants begin in [`super::super::workspace::Executed`].
    pub(super) first_variant: u32,
    /// Before `MPI_Init`: what it does takes no time that counts.
    pub(super) before: bool,
    pub(super) outcome: RankOutcome,
}

impl Host {
    /// Back to the start of a program.
    pub(super) fn reset(&mut self, rank: u32, steps: &[Step], first_slot: u32, first_variant: u32) {
        let (mut cursor, mut arrivals) = (
            std::mem::take(&mut self.cursor),
            std::mem::take(&mut self.arrivals),
        );
        cursor.rewind(steps.len());
        arrivals.clear();
        let cause = Cause {
            at: Time::ZERO,
            rank,
            next_action: true,
        };
        let before = steps.contains(&Step::Begin);
        *self = Self {
            cursor,
            arrivals,
            first_slot,
            first_variant,
            cause,
            before,
            ..Self::default()
        };
    }

    /// When its next step begins if no message takes the processor before.
    #[inline]
    pub(super) fn own_at(&self) -> Time {
        match self.next_action {
            NextAction::Next(Step::Send { .. }) => {
                self.ready.max(self.processor_free).max(self.sending_free)
            }
            NextAction::Next(Step::Receive { .. } | Step::ReceiveAny { .. }) => self.ready,
            NextAction::Next(_) | NextAction::Completes => self.ready.max(self.processor_free),
            NextAction::Waits { .. } | NextAction::Probes { .. } | NextAction::Ended => Time::MAX,
        }
    }

    /// When the processor and the interface are free for the next message.
    #[inline]
    fn free_for_message(&self) -> Time {
        self.processor_free.max(self.receiving_free)
    }

    /// When the first message on its way is taken if the rank does nothing before.
    #[inline]
    pub(super) fn message_at(&self) -> Time {
        self.arrivals
            .front()
            .map_or(Time::MAX, |first| first.at.max(self.free_for_message()))
    }

    /// When something happens here next.
    #[inline]
    pub(super) fn next_at(&self) -> Time {
        self.own_at().min(self.message_at())
    }

    /// Which of the messages on their way is taken next: of those that can be taken at `at`, which is
    /// [`Host::message_at`], the one caused first. `spread` is how much longer one message's way can be
    /// than another's: a message that arrives later by more than that was caused later, too.
    #[inline]
    pub(super) fn next_message(&self, at: Time, spread: Time) -> usize {
        let mut first = 0;
        for place in 1..self.arrivals.len() {
            let arrival = &self.arrivals[place];
            // Arrivals ascend, so no later one can be taken at `at` or have an earlier cause.
            if arrival.at > at.min(self.arrivals[0].at + spread) {
                break;
            }
            if arrival.cause < self.arrivals[first].cause {
                first = place;
            }
        }
        first
    }

    /// Adds a message on its way, in the order of arrival, then of cause.
    #[inline]
    pub(super) fn add(&mut self, arrival: Arrival) {
        let key = |arrival: &Arrival| (arrival.at, arrival.cause);
        let mut place = self.arrivals.len();
        // From the back: messages mostly arrive in the order in which they were sent.
        while place > 0 && key(&self.arrivals[place - 1]) > key(&arrival) {
            place -= 1;
        }
        if place == self.arrivals.len() {
            self.arrivals.push_back(arrival);
        } else {
            self.arrivals.insert(place, arrival);
        }
    }
}
