//! When a send and its receive end, by the protocol of the message (eager, or rendezvous with an RTS/CTS handshake): the
//! corrected equation 6 of Horii et al. 2004 and table 4 of Ino et al. 2001.
//!
//! Every transfer is treated as a blocking call, which ends `Tblk` after its start. The time of a wait
//! for a started transfer follows from that (equation 11, see [`wait`]).

use base_data::Time;
use base_data::estimate_file::Category;
use machine::network::{CallCosts, Protocol};

/// One side's end of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    /// When the blocking call would end.
    pub(crate) at: Time,
    /// Its last part that is processor time; the part before is waiting.
    pub(crate) overhead: Time,
}

/// What a send that was called at `called` knows before its receive is there.
pub(crate) struct Sending {
    /// The sender's end; `None` if it waits for the receive.
    pub(crate) completion: Option<Completion>,
    /// Arrival of an eager message; otherwise the call of the send.
    pub(crate) time: Time,
}

/// Starts to send at `called`. Only for models that need no global order: the message takes its time in
/// the network as if it were alone. So does [`matched_completions`].
#[inline]
pub(crate) fn start_send(costs: &CallCosts, called: Time) -> Sending {
    match costs.protocol {
        Protocol::Eager => {
            let at = called + costs.send;
            let time = at + costs.network;
            Sending {
                completion: Some(Completion {
                    at,
                    overhead: costs.send,
                }),
                time,
            }
        }
        Protocol::Paired => {
            let completion = Completion {
                at: called,
                overhead: Time::ZERO,
            };
            Sending {
                completion: Some(completion),
                time: called,
            }
        }
        Protocol::Rendezvous { .. } => Sending {
            completion: None,
            time: called,
        },
    }
}

/// The completions of a matched send and receive.
pub(crate) struct Met {
    /// The sender's, if it waited for this.
    pub(crate) send: Option<Completion>,
    pub(crate) receive: Completion,
}

/// The completions of a send (`sent` is [`Sending::time`]) and its matching receive, which was called at `posted`.
#[inline]
pub(crate) fn matched_completions(costs: &CallCosts, sent: Time, posted: Time) -> Met {
    let (send, arrival, noticing) = match costs.protocol {
        Protocol::Eager => (None, sent, Time::ZERO),
        // MPIETE (2004), equation 6 as corrected: both calls, then the transfer.
        Protocol::Paired => (None, sent.max(posted) + costs.network, Time::ZERO),
        Protocol::Rendezvous {
            request,
            confirm,
            acknowledge,
        } => {
            // The sender's request arrives, the receiver confirms it once it has called, and the data follow the
            // acknowledgement.
            let noticed = (sent + request).max(posted) + confirm;
            let at = noticed + acknowledge + costs.send;
            // Of T4 + T5 + T1', the handshake and the bytes are overhead; what T4 takes longer for a late
            // receive is waiting.
            let overhead = request + confirm + acknowledge + costs.send;
            (
                Some(Completion { at, overhead }),
                at + costs.network,
                confirm,
            )
        }
    };
    // max(T1 + T2 − (tr − ts), 0) + T3 after the call of the receive (equations 7 and 8).
    let at = arrival.max(posted) + costs.receive;
    Met {
        send,
        receive: Completion {
            at,
            overhead: costs.receive + noticing,
        },
    }
}

/// The categories of the overhead and of the waiting of a wait for a transfer. The waiting of a collective's messages is
/// shown apart, their overheads are those of sends and receives.
pub(crate) fn wait_categories(sends: bool, collective: bool) -> (Category, Category) {
    match (sends, collective) {
        (true, false) => (Category::SendOverhead, Category::SendWait),
        (false, false) => (Category::ReceiveOverhead, Category::ReceiveWait),
        (true, true) => (Category::SendOverhead, Category::CollectiveWait),
        (false, true) => (Category::ReceiveOverhead, Category::CollectiveWait),
    }
}

/// When a probe can find a message: when the message, or the request to send it, has arrived. `sent` is [`Sending::time`].
pub(crate) fn visible(costs: &CallCosts, sent: Time) -> Time {
    match costs.protocol {
        Protocol::Eager | Protocol::Paired => sent,
        Protocol::Rendezvous { request, .. } => sent + request,
    }
}

/// A probe at `now` that finds a message which can be found from `arrival` on. It takes at least what completing a transfer
/// takes.
pub(crate) fn noticed(costs: &CallCosts, arrival: Time, now: Time) -> Waited {
    // A probe takes no message, so it has none of the receive's overhead.
    let waiting = (arrival - now).max(Time::ZERO);
    Waited {
        end: now + waiting.max(costs.complete),
        waiting: waiting.max(costs.complete) - costs.complete,
    }
}

/// End, waiting and processor time of a call at `now` that completes a transfer. `least` is what the
/// call takes at least: nothing for the blocking call itself, `o'` for `MPI_Wait`, which by equation
/// 11 takes `max(Tblk − (tw − ti), o')`.
#[inline]
pub(crate) fn wait(completion: Completion, now: Time, least: Time) -> Waited {
    let end = completion.at.max(now + least);
    let duration = end - now;
    // Overhead is the last part of the call. What of it lies before the call was overlapped with other work.
    let overhead = duration.min(completion.overhead.max(least));
    Waited {
        end,
        waiting: duration - overhead,
    }
}

/// A wait that is over: first waiting, then processor time until the end.
pub(crate) struct Waited {
    pub(crate) end: Time,
    pub(crate) waiting: Time,
}
