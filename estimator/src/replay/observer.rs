//! Who watches a replay: books, timeline, checks. A replay that nobody watches only finds end times.

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

/// One side of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Side {
    pub(crate) site: u32,
    pub(crate) size: u32,
}

/// Gets word of what happens; of one rank in the order of its time, of several in any order.
pub(crate) trait Observer {
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
    /// A send has met its receive.
    fn met(&mut self, _channel: &Channel, _send: Side, _receive: Side) {}
    /// A rank calls a collective.
    fn collective(&mut self, _rank: u32, _site: u32, _signature: u32) {}
}

/// Nobody watches.
pub(crate) struct Nobody;

impl Observer for Nobody {}
