//! Observers of a replay: time accounting, timeline, checks. A replay without an observer only finds end times.

use super::program::Channel;
use base_data::Time;
use base_data::estimate_file::{Activity, Category};

/// A stretch of a rank's time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub(crate) rank: u32,
    pub(crate) activity: Activity,
    pub(crate) category: Category,
    pub(crate) from: Time,
    pub(crate) to: Time,
}

/// An endpoint of a message: the call of its send or receive, and the length there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MessageEndpoint {
    pub(crate) site: u32,
    pub(crate) size: u32,
}

/// A call starts a transfer. Which kind it is, and between whom, follows from its channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub(crate) rank: u32,
    /// The call.
    pub(crate) site: u32,
    pub(crate) channel: u32,
    pub(crate) size: u32,
    /// Where the rank keeps the transfer until it is over.
    pub(crate) slot: u32,
    /// When the call begins; the rank's time for it is reported afterwards.
    pub(crate) at: Time,
    pub(crate) sends: bool,
    pub(crate) blocking: bool,
}

/// A call ends the transfer of a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) rank: u32,
    /// The call.
    pub(crate) site: u32,
    pub(crate) slot: u32,
    /// When the rank began to wait, and when it went on.
    pub(crate) from: Time,
    pub(crate) to: Time,
    /// When the transfer itself was over; `to` is this, or later where the call takes longer by itself.
    pub(crate) completed: Time,
    /// The first part of the time between `from` and `to`, which is waiting.
    pub(crate) waiting: Time,
    /// What the call takes at least.
    pub(crate) least: Time,
}

/// A call has waited until a message of a channel can be received, and left it there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probed {
    pub(crate) rank: u32,
    /// The call.
    pub(crate) site: u32,
    pub(crate) channel: u32,
    /// When the rank began to wait, and when it went on.
    pub(crate) from: Time,
    pub(crate) to: Time,
    /// The first part of the time between, which is waiting.
    pub(crate) waiting: Time,
}

/// Receives the events of a replay: those of one rank in the order of its time, those of several in any order.
pub(crate) trait Observer {
    /// Whether it needs every event: repeated iterations are then not added in closed form.
    const EVERY_EVENT: bool = false;

    /// The rank's time begins (`MPI_Init`): what was before does not count.
    fn began(&mut self, _rank: u32) {}
    /// A call or block begins.
    fn executed(&mut self, _rank: u32, _activity: Activity) {}
    /// The rank executes a compute block of this variant.
    fn computed(&mut self, _rank: u32, _variant: u32, _time: Time) {}
    /// The rank spends time.
    fn spent(&mut self, _stretch: Stretch) {}
    /// The section begins or ends on a rank.
    fn section(&mut self, _rank: u32, _begins: bool) {}
    /// A rank reads the clock.
    fn clock(&mut self, _rank: u32, _clock: u32, _at: Time) {}
    /// A call starts a transfer; reported before the rank spends time on it.
    fn started(&mut self, _start: &Start) {}
    /// A send is matched with its receive; sends of one channel match in the order of their start.
    fn message_matched(
        &mut self,
        _channel: &Channel,
        _send: MessageEndpoint,
        _receive: MessageEndpoint,
    ) {
    }
    /// The same by number of channel and by slot of the sender and of the receiver.
    fn matched(&mut self, _channel: u32, _send_slot: u32, _receive_slot: u32) {}
    /// A call ends a transfer; reported after the rank has spent its time on that.
    fn ended(&mut self, _end: &End) {}
    /// A call has found the first message of a channel that has not met its receive.
    fn probed(&mut self, _probed: &Probed) {}
    /// A rank calls a collective.
    fn collective(&mut self, _rank: u32, _site: u32, _signature: u32) {}
    /// Stores the state so far under the number of a loop level.
    fn mark(&mut self, _level: usize) {}
    /// Whether the events since the mark of the level, if they are reported again, have the same effect again.
    fn is_as_marked(&self, _level: usize) -> bool {
        true
    }
    /// The events since the mark of the level happen `times` times more, each time later.
    fn repeat(&mut self, _level: usize, _times: u64) {}
}

/// Ignores all events.
pub(crate) struct NoObserver;

impl Observer for NoObserver {}
