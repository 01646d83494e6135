//! Propagates a state along the causes of each rank's time: at the start of a transfer the rank's state is stored,
//! and a rank that had to wait continues with the state stored at the start that it waited for. A [`Propagation`]
//! defines the state and its updates.

use super::dependence_edge::{self, Cause, CostComponents, Sides};
use crate::replay::observer::{End, Observer, Probed, Start, Stretch};
use crate::replay::program::{ChannelTag, Steps};
use base_data::Time;
use machine::network::{CallCosts, Protocol};
use std::collections::VecDeque;

/// An endpoint of a transfer: call site and time of its start, and the rank's state then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransferEndpoint<T> {
    pub(crate) state: T,
    pub(crate) rank: u32,
    pub(crate) site: u32,
    pub(crate) size: u32,
    pub(crate) at: Time,
}

/// The end of a transfer.
pub(crate) struct Ended<'a, T> {
    pub(crate) end: &'a End,
    /// Whether the rank sent.
    pub(crate) sends: bool,
    pub(crate) own: TransferEndpoint<T>,
    /// The other endpoint, if it is known already.
    pub(crate) other: Option<TransferEndpoint<T>>,
    pub(crate) collective: bool,
    /// Length of the message, index into the sizes.
    pub(crate) size: u32,
    /// What the end depends on; `None` if only on the call itself.
    pub(crate) cause: Option<Cause>,
}

impl<T: Copy> Ended<'_, T> {
    /// The endpoint that the end depends on.
    pub(crate) fn origin(&self, cause: Cause) -> TransferEndpoint<T> {
        if cause.from_other {
            self.other.unwrap_or(self.own)
        } else {
            self.own
        }
    }
}

/// Calls a function on all present states.
pub(crate) type Visit<'a, T> = &'a mut dyn FnMut(&mut dyn FnMut(&mut T));

/// A state that is propagated along causes, and its updates.
pub(crate) trait Propagation {
    /// The state of a rank.
    type PathState: Copy + Default;

    /// A compute block of this variant.
    fn computed(&mut self, _tip: &mut Self::PathState, _rank: u32, _variant: u32, _time: Time) {}
    /// A call starts a transfer.
    fn started(&mut self, _tip: &mut Self::PathState, _start: &Start) {}
    /// A rank enters a collective.
    fn entered(&mut self, _tip: &mut Self::PathState, _rank: u32, _site: u32, _at: Time) {}
    /// A call ends a transfer.
    fn ended(&mut self, state: &mut Self::PathState, ended: &Ended<'_, Self::PathState>);
    /// The section begins or ends.
    fn section(&mut self, _tip: Self::PathState, _rank: u32, _begins: bool) {}
    /// Whether states that no rank refers to any more should be removed now.
    fn needs_pruning(&self) -> bool {
        false
    }
    /// Removes those states.
    fn prune(&mut self, _visit: Visit<'_, Self::PathState>) {}
}

/// The observer that propagates the states.
pub(crate) struct CausePropagation<'a, C: Propagation> {
    steps: &'a Steps,
    costs: &'a [CallCosts],
    ranks: Vec<RankCauses<C::PathState>>,
    /// Sends by channel whose receive is not there yet.
    sent: Vec<VecDeque<TransferEndpoint<C::PathState>>>,
    pub(crate) carrier: C,
}

#[derive(Clone)]
struct RankCauses<T> {
    state: T,
    clock: Time,
    slots: Vec<Option<Transfer<T>>>,
}

#[derive(Clone, Copy)]
struct Transfer<T> {
    sends: bool,
    collective: bool,
    own: TransferEndpoint<T>,
    other: Option<TransferEndpoint<T>>,
}

impl<'a, C: Propagation> CausePropagation<'a, C> {
    /// An observer of a replay of `steps`; `costs` are those of its machine side.
    pub(crate) fn new(steps: &'a Steps, costs: &'a [CallCosts], carrier: C) -> Self {
        let rank = RankCauses {
            state: C::PathState::default(),
            clock: Time::ZERO,
            slots: Vec::new(),
        };
        let sent = steps.channels.iter().map(|_| VecDeque::new()).collect();
        Self {
            steps,
            costs,
            ranks: vec![rank; steps.ranks.len()],
            sent,
            carrier,
        }
    }

    /// What a rank carries at the end.
    pub(crate) fn state(&self, rank: u32) -> C::PathState {
        self.ranks[rank as usize].state
    }

    fn end(&mut self, ended: &Ended<'_, C::PathState>) {
        self.carrier
            .ended(&mut self.ranks[ended.end.rank as usize].state, ended);
        if self.carrier.needs_pruning() {
            self.prune();
        }
    }

    fn is_collective(&self, channel: u32) -> bool {
        self.steps.channels[channel as usize].tag == ChannelTag::Collective
    }

    fn prune(&mut self) {
        let (ranks, sent) = (&mut self.ranks, &mut self.sent);
        self.carrier.prune(&mut |show| {
            for rank in ranks.iter_mut() {
                show(&mut rank.state);
                for transfer in rank.slots.iter_mut().flatten() {
                    show(&mut transfer.own.state);
                    transfer
                        .other
                        .iter_mut()
                        .for_each(|side| show(&mut side.state));
                }
            }
            sent.iter_mut()
                .flatten()
                .for_each(|side| show(&mut side.state));
        });
    }
}

impl<T> RankCauses<T> {
    fn slot(&mut self, slot: u32) -> &mut Option<Transfer<T>> {
        let slot = slot as usize;
        if self.slots.len() <= slot {
            self.slots.resize_with(slot + 1, || None);
        }
        &mut self.slots[slot]
    }
}

impl<C: Propagation> Observer for CausePropagation<'_, C> {
    const EVERY_EVENT: bool = true;

    fn began(&mut self, rank: u32) {
        let state = &mut self.ranks[rank as usize];
        (state.state, state.clock) = (C::PathState::default(), Time::ZERO);
    }

    fn computed(&mut self, rank: u32, variant: u32, time: Time) {
        self.carrier
            .computed(&mut self.ranks[rank as usize].state, rank, variant, time);
    }

    fn spent(&mut self, stretch: Stretch) {
        self.ranks[stretch.rank as usize].clock = stretch.to;
    }

    fn section(&mut self, rank: u32, begins: bool) {
        self.carrier
            .section(self.ranks[rank as usize].state, rank, begins);
    }

    fn collective(&mut self, rank: u32, site: u32, _signature: u32) {
        let state = &mut self.ranks[rank as usize];
        self.carrier
            .entered(&mut state.state, rank, site, state.clock);
    }

    fn started(&mut self, start: &Start) {
        let collective = self.is_collective(start.channel);
        let state = &mut self.ranks[start.rank as usize];
        let own = TransferEndpoint {
            state: state.state,
            rank: start.rank,
            site: start.site,
            size: start.size,
            at: start.at,
        };
        *state.slot(start.slot) = Some(Transfer {
            sends: start.sends,
            collective,
            own,
            other: None,
        });
        self.carrier.started(&mut state.state, start);
        // Sends of a channel match in order (MPI's non-overtaking rule), so a queue per channel finds the
        // side of each message.
        if start.sends {
            self.sent[start.channel as usize].push_back(own);
        }
    }

    fn matched(&mut self, channel: u32, send_slot: u32, receive_slot: u32) {
        let ends = self.steps.channels[channel as usize];
        let Some(send) = self.sent[channel as usize].pop_front() else {
            return;
        };
        let mut receive = None;
        if let Some(transfer) = self.ranks[ends.destination as usize].slot(receive_slot) {
            transfer.other = Some(send);
            receive = Some(transfer.own);
        }
        if let Protocol::Rendezvous { .. } = self.costs[send.size as usize].protocol
            // Only a rendezvous makes the sender's end depend on the receiver.
            && let Some(transfer) = self.ranks[ends.source as usize].slot(send_slot)
        {
            transfer.other = receive;
        }
    }

    fn ended(&mut self, end: &End) {
        let state = &mut self.ranks[end.rank as usize];
        let Some(Transfer {
            sends,
            collective,
            own,
            other,
        }) = state.slot(end.slot).take()
        else {
            return;
        };
        let size = if sends {
            own.size
        } else {
            // The message has the send's length; a receive may be called with more.
            other.map_or(own.size, |send| send.size)
        };
        let costs = &self.costs[size as usize];
        let sides = Sides {
            sends,
            own: own.at,
            other: other.map(|side| side.at),
        };
        let waited_for = end.completed > end.from + end.least;
        let cause = if waited_for {
            Some(dependence_edge::cause(costs, sides, end.completed))
        } else {
            None
        };
        // What would be over by now if it were alone waits for other messages where the rank is.
        let would_wait = |cause: &Cause| {
            let from = if cause.from_other {
                sides.other.unwrap_or(own.at)
            } else {
                own.at
            };
            from + cause.pieces.time(costs) > end.from
        };
        let cause = cause.filter(would_wait);
        self.end(&Ended {
            end,
            sends,
            own,
            other,
            collective,
            size,
            cause,
        });
    }

    fn probed(&mut self, probed: &Probed) {
        let Probed {
            rank,
            site,
            channel,
            from,
            to,
            waiting,
        } = *probed;
        let Some(send) = self.sent[channel as usize].front().copied() else {
            return;
        };
        let (size, least) = (send.size, self.costs[send.size as usize].complete);
        let end = End {
            rank,
            site,
            slot: 0,
            from,
            to,
            completed: to,
            waiting,
            least,
        };
        let own = TransferEndpoint {
            state: self.ranks[rank as usize].state,
            rank,
            site,
            size,
            at: from,
        };
        let cause = if to > from + least {
            Some(Cause {
                from_other: true,
                pieces: CostComponents::Notice,
            })
        } else {
            None
        };
        let (other, collective) = (Some(send), false);
        self.end(&Ended {
            end: &end,
            sends: false,
            own,
            other,
            collective,
            size,
            cause,
        });
    }
}
