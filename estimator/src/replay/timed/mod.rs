//! Replays in the order of time, for models in which messages delay each other.
//!
//! The model says whether it needs this order (`machine`); [`super::dataflow`] is the replay without a
//! global clock.

pub(crate) mod by_time;
mod calendar_queue;
mod cursor;
mod host;
mod open_schedule;
mod pairing;
pub(crate) mod processors;

pub(crate) use by_time::Rules;
use machine::network::Sharing;

/// The order in which a replay processes events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// One rank at a time: [`super::dataflow`].
    ByRank,
    /// By the times at which ranks and arriving messages take processors: [`processors`].
    Processors,
    /// Everything by time: [`by_time`].
    ByTime(Rules),
}

impl Order {
    /// The order that a model requires. It also depends on the platform's rules, and on calls that do what has arrived by then
    /// determines: wildcard receives whose matches are unknown, and calls in which started collectives proceed.
    pub(crate) fn of(sharing: Sharing, rules: Rules, depends_on_arrivals: bool) -> Self {
        let by_time = rules != Rules::default() || depends_on_arrivals;
        match sharing {
            Sharing::Nothing if !by_time => Order::ByRank,
            Sharing::Nothing | Sharing::Receivers | Sharing::Links => Order::ByTime(rules),
            Sharing::Processors => Order::Processors,
        }
    }
}
