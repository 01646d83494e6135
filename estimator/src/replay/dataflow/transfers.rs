//! Starts and ends of transfers in the dataflow replay: a transfer is matched with its other side if that
//! is there, and waits in its channel otherwise. The rank that ends the wait of another one computes
//! that wait's times.

use super::{BlockTimes, Price, Replay, Start};
use crate::replay::code::Post;
use crate::replay::observer::{self, End, MessageEndpoint, Observer, Probed, Stretch};
use crate::replay::protocol::{self, Completion};
use crate::replay::queues::{Delivered, Waiting};
use crate::replay::workspace::{RankState, Slot, Waits, Workspace};
use base_data::CallSiteId;
use base_data::Time;
use base_data::estimate_file::{Activity, Category};

/// A wait that can end.
#[derive(Clone, Copy)]
struct Wait {
    slot: u32,
    completion: Completion,
    /// Least time of the call.
    least: Time,
    sends: bool,
    collective: bool,
}

impl<T: BlockTimes, O: Observer> Replay<'_, T, O> {
    /// Reports the start of a transfer, and that of the call if it begins with the transfer.
    #[inline(always)]
    fn start(&mut self, price: &Price, state: &mut RankState, start: Start, sends: bool) {
        let post = &price.post;
        if post.enters {
            self.enter(state, start.rank, post.site);
        }
        self.observer.started(&observer::Start {
            rank: start.rank,
            site: post.site,
            channel: start.channel,
            size: post.size,
            slot: post.slot,
            at: state.clock,
            sends,
            blocking: post.blocking,
        });
    }

    /// A send that the call itself waits for; false if the receive is not there and it must be.
    #[inline(always)]
    pub(super) fn send_now(
        &mut self,
        work: &mut Workspace,
        prices: &[Price],
        state: &mut RankState,
        start: Start,
    ) -> bool {
        let price = &prices[start.post as usize];
        self.start(price, state, start, true);
        let sending = protocol::start_send(&price.costs, state.clock);
        let met = self.offer(work, prices, start, sending.time);
        // An eager or paired send knows its end alone; a rendezvous knows it only if the receive is there
        // already.
        let Some(completion) = sending.completion.or(met) else {
            state.waits = Waits::Now {
                post: start.post,
                channel: start.channel,
                sends: true,
            };
            return false;
        };
        self.end_now(state, start.rank, price, completion, true);
        true
    }

    /// A receive that the call itself waits for; false if the message is not there.
    #[inline(always)]
    pub(super) fn receive_now(
        &mut self,
        work: &mut Workspace,
        prices: &[Price],
        state: &mut RankState,
        start: Start,
    ) -> bool {
        let price = &prices[start.post as usize];
        self.start(price, state, start, false);
        let Some(completion) = self.match_receive(work, prices, start, state.clock) else {
            state.waits = Waits::Now {
                post: start.post,
                channel: start.channel,
                sends: false,
            };
            return false;
        };
        self.end_now(state, start.rank, price, completion, false);
        true
    }

    /// Starts to send.
    pub(super) fn send(
        &mut self,
        work: &mut Workspace,
        prices: &[Price],
        state: &mut RankState,
        start: Start,
    ) {
        let price = &prices[start.post as usize];
        self.start(price, state, start, true);
        let sending = protocol::start_send(&price.costs, state.clock);
        // The slot comes before the offer: the end of a rendezvous that meets its receive is written into it.
        self.occupy(work, price, state, start, sending.completion, true);
        if let Some(completion) = self.offer(work, prices, start, sending.time) {
            work.slot(state, price.post.slot).completion = Some(completion);
        }
    }

    /// Starts to receive.
    pub(super) fn receive(
        &mut self,
        work: &mut Workspace,
        prices: &[Price],
        state: &mut RankState,
        start: Start,
    ) {
        let price = &prices[start.post as usize];
        self.start(price, state, start, false);
        // The receive counts from its call, not from the end of the overhead of MPI_Irecv.
        let called = state.clock;
        self.occupy(work, price, state, start, None, false);
        if let Some(completion) = self.match_receive(work, prices, start, called) {
            work.slot(state, price.post.slot).completion = Some(completion);
        }
    }

    /// Gives a transfer its slot, and the call its time.
    fn occupy(
        &mut self,
        work: &mut Workspace,
        price: &Price,
        state: &mut RankState,
        start: Start,
        completion: Option<Completion>,
        sends: bool,
    ) {
        let slot = work.slot(state, price.post.slot);
        let serial = slot.serial.wrapping_add(1);
        *slot = Slot {
            completion,
            least: price.costs.complete,
            channel: start.channel,
            serial,
            sends,
        };
        if !price.post.blocking {
            let category = if sends {
                Category::SendOverhead
            } else {
                Category::ReceiveOverhead
            };
            self.spend(state, start.rank, category, price.costs.start);
        }
    }

    /// A send, there at `time`, finds its receive or waits for it. Gives the sender's end if that
    /// depends on the receive.
    #[inline(always)]
    fn offer(
        &mut self,
        work: &mut Workspace,
        prices: &[Price],
        start: Start,
        time: Time,
    ) -> Option<Completion> {
        let sent = Waiting {
            time,
            post: start.post,
            rank: start.rank,
        };
        let posted = match work.queues.match_or_enqueue(start.channel, true, sent) {
            Delivered::Met(posted) => posted,
            Delivered::Waits => return None,
            Delivered::WaitsForProbe => {
                wake_probing(work, start.channel);
                return None;
            }
        };
        let met = self.match_message(prices, start.channel, sent, posted);
        self.complete(work, prices, posted, met.receive, false);
        met.send
    }

    /// Matches a receive, called at `time`, with its send, or enqueues it. Returns the completion of the receive.
    #[inline(always)]
    fn match_receive(
        &mut self,
        work: &mut Workspace,
        prices: &[Price],
        start: Start,
        time: Time,
    ) -> Option<Completion> {
        let posted = Waiting {
            time,
            post: start.post,
            rank: start.rank,
        };
        let Delivered::Met(sent) = work.queues.match_or_enqueue(start.channel, false, posted)
        else {
            return None;
        };
        let met = self.match_message(prices, start.channel, sent, posted);
        if let Some(completion) = met.send {
            self.complete(work, prices, sent, completion, true);
        }
        Some(met.receive)
    }

    /// Matches a send with its receive.
    #[inline(always)]
    fn match_message(
        &mut self,
        prices: &[Price],
        channel: u32,
        sent: Waiting,
        posted: Waiting,
    ) -> protocol::Met {
        self.report_matched(prices, channel, sent, posted);
        let price = &prices[sent.post as usize];
        protocol::matched_completions(&price.costs, sent.time, posted.time)
    }

    /// Reports a message whose sides have both started. All lookups use `get`: the compiler removes them where the
    /// observer ignores the message.
    #[inline(always)]
    fn report_matched(&mut self, prices: &[Price], channel: u32, sent: Waiting, posted: Waiting) {
        let ends = self.steps.channels.get(channel as usize);
        let post = |side: Waiting| prices.get(side.post as usize).map(|price| &price.post);
        if let (Some(ends), Some(send), Some(receive)) = (ends, post(sent), post(posted)) {
            let side = |post: &Post| MessageEndpoint {
                site: post.site,
                size: post.size,
            };
            self.observer
                .message_matched(ends, side(send), side(receive));
            self.observer.matched(channel, send.slot, receive.slot);
        }
    }

    /// The transfer of one side is over: if its rank waits for it, the rank goes on.
    fn complete(
        &mut self,
        work: &mut Workspace,
        prices: &[Price],
        side: Waiting,
        completion: Completion,
        sends: bool,
    ) {
        let (rank, price) = (side.rank, &prices[side.post as usize]);
        let mut state = work.ranks[rank as usize];
        let slot = price.post.slot;
        match state.waits {
            Waits::Now {
                post,
                sends: awaited,
                ..
            // Equal posts share a number. Of blocking ones, a rank has at most one of each direction under
            // way.
            } if post == side.post && awaited == sends => {
                self.end_now(&mut state, rank, price, completion, sends);
            }
            Waits::Slot {
                slot: awaited,
                blocking,
                collective,
            } if awaited == slot => {
                work.slot(&state, slot).completion = Some(completion);
                // A blocking call has its time from the transfer alone; only MPI_Wait has a least time
                // (equation 11).
                let least = if blocking {
                    Time::ZERO
                } else {
                    price.costs.complete
                };
                self.end(
                    &mut state,
                    rank,
                    Wait {
                        slot,
                        completion,
                        least,
                        sends,
                        collective,
                    },
                );
            }
            Waits::No | Waits::Slot { .. } | Waits::Now { .. } | Waits::Probe { .. } => {
                work.slot(&state, slot).completion = Some(completion);
                return;
            }
        }
        state.waits = Waits::No;
        work.ranks[rank as usize] = state;
        work.ready.push_back(rank);
    }

    /// Ends the wait for a message that can be received; false if none was sent yet.
    pub(super) fn probe(
        &mut self,
        work: &mut Workspace,
        prices: &[Price],
        state: &mut RankState,
        rank: u32,
        channel: u32,
    ) -> bool {
        let Some(sent) = work.queues.probe(channel) else {
            // The sender wakes it, and it looks again.
            // The probe is executed again when the rank is woken.
            state.next -= 1;
            state.waits = Waits::Probe { channel };
            work.probing.push((rank, channel));
            return false;
        };
        let costs = &prices[sent.post as usize].costs;
        let visible = protocol::visible(costs, sent.time);
        let found = protocol::noticed(costs, visible, state.clock);
        let from = state.clock;
        self.spend(state, rank, Category::ReceiveWait, found.waiting);
        let rest = found.end - state.clock;
        self.spend(state, rank, Category::ReceiveOverhead, rest);
        let (site, to, waiting) = (state.site, found.end, found.waiting);
        self.observer.probed(&Probed {
            rank,
            site,
            channel,
            from,
            to,
            waiting,
        });
        true
    }

    /// Waits for a slot; false if its transfer is not over yet.
    pub(super) fn finish(
        &mut self,
        work: &mut Workspace,
        state: &mut RankState,
        rank: u32,
        slot: u32,
        blocking: bool,
        collective: bool,
    ) -> bool {
        let Slot {
            completion,
            least,
            sends,
            ..
        } = *work.slot(state, slot);
        let Some(completion) = completion else {
            state.waits = Waits::Slot {
                slot,
                blocking,
                collective,
            };
            return false;
        };
        let least = if blocking { Time::ZERO } else { least };
        self.end(
            state,
            rank,
            Wait {
                slot,
                completion,
                least,
                sends,
                collective,
            },
        );
        true
    }

    /// Ends the wait of a blocking call for its own transfer.
    #[inline(always)]
    fn end_now(
        &mut self,
        state: &mut RankState,
        rank: u32,
        price: &Price,
        completion: Completion,
        sends: bool,
    ) {
        let (slot, collective) = (price.post.slot, price.post.collective);
        self.end(
            state,
            rank,
            Wait {
                slot,
                completion,
                least: Time::ZERO,
                sends,
                collective,
            },
        );
    }

    /// Ends a wait.
    #[inline(always)]
    fn end(&mut self, state: &mut RankState, rank: u32, wait: Wait) {
        let Wait {
            slot,
            completion,
            least,
            sends,
            collective,
        } = wait;
        let waited = protocol::wait(completion, state.clock, least);
        let (overhead, waiting) = protocol::wait_categories(sends, collective);
        let (from, middle, to) = (state.clock, state.clock + waited.waiting, waited.end);
        let activity = Activity::Site(CallSiteId(state.site));
        self.observer.spent(Stretch {
            rank,
            activity,
            category: waiting,
            from,
            to: middle,
        });
        self.observer.spent(Stretch {
            rank,
            activity,
            category: overhead,
            from: middle,
            to,
        });
        state.clock = to;
        let (completed, waiting) = (completion.at, waited.waiting);
        self.observer.ended(&End {
            rank,
            site: state.site,
            slot,
            from,
            to,
            completed,
            waiting,
            least,
        });
    }
}

/// Wakes the rank that looked for a message of a channel in vain.
#[cold]
fn wake_probing(work: &mut Workspace, channel: u32) {
    // The order of waking does not matter: ranks of the dataflow replay may go on in any order.
    while let Some(place) = work
        .probing
        .iter()
        .position(|&(_, probed)| probed == channel)
    {
        let (rank, _) = work.probing.swap_remove(place);
        work.ranks[rank as usize].waits = Waits::No;
        work.ready.push_back(rank);
    }
}
