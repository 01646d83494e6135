//! One rank with its processor and network interface: its position in its steps, until when processor and interface
//! are busy, and the messages in flight to it.

use super::super::program::Step;
use super::cursor::Cursor;
use super::open_schedule::OpenSchedule;
use base_data::Time;
use std::collections::VecDeque;

/// Order of events of equal time: by the time of their cause, then by its rank. The cause of an arriving message is the
/// start of its send; the cause of a rank's next step is its previous step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cause {
    pub(super) at: Time,
    pub(super) rank: u32,
    /// The rank's own next step, after the messages it has sent.
    pub(super) next_action: bool,
}

/// A message in flight to a rank.
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

/// The next action of a rank.
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
    /// It waits for what its next step waits for, or for a message by which a schedule proceeds.
    WaitsWithSchedules,
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
    /// Until when its time is accounted for.
    pub(super) booked: Time,
    /// Processor time of arriving messages that is not accounted for yet.
    pub(super) taken: Time,
    pub(super) processor_free: Time,
    pub(super) sending_free: Time,
    pub(super) receiving_free: Time,
    pub(super) arrivals: VecDeque<Arrival>,
    /// Whether the present call completes started transfers: that call is a step of its own, which needs
    /// the processor, though it takes no time; calling a receive does not.
    pub(super) completed: bool,
    /// Collectives that it has started and not completed.
    pub(super) schedules: Vec<OpenSchedule>,
    pub(super) site: u32,
    pub(super) first_slot: u32,
    /// Where its variants begin in [`super::super::workspace::Executed`].
    pub(super) first_variant: u32,
    /// Before `MPI_Init`: what it does takes no time that counts.
    pub(super) before: bool,
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

    /// Start of its next action, unless a message takes the processor before.
    #[inline]
    pub(super) fn next_action_at(&self) -> Time {
        match self.next_action {
            NextAction::Next(Step::Send { .. }) => {
                self.ready.max(self.processor_free).max(self.sending_free)
            }
            NextAction::Next(Step::Receive { .. } | Step::ReceiveAny { .. }) => self.ready,
            NextAction::Next(_) | NextAction::Completes => self.ready.max(self.processor_free),
            NextAction::Waits { .. }
            | NextAction::WaitsWithSchedules
            | NextAction::Probes { .. }
            | NextAction::Ended => Time::MAX,
        }
    }

    /// When the processor and the interface are free for the next message.
    #[inline]
    fn free_for_message(&self) -> Time {
        self.processor_free.max(self.receiving_free)
    }

    /// When the first message in flight is taken, unless the rank takes the processor before.
    #[inline]
    pub(super) fn next_message_at(&self) -> Time {
        self.arrivals
            .front()
            .map_or(Time::MAX, |first| first.at.max(self.free_for_message()))
    }

    /// Index of the message in flight that is taken next: of those that can be taken at `at`, which is
    /// [`Host::next_message_at`], the one with the earliest cause. `spread` is the difference between the longest and the
    /// shortest latency: a message that arrives later by more than that has a later cause, too.
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

    /// Adds a message in flight, in the order of arrival, then of cause.
    #[inline]
    pub(super) fn push_arrival(&mut self, arrival: Arrival) {
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
