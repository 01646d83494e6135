//! Replays in the order of time, for models in which messages delay each other.
//!
//! Not here: which model needs them (`machine`), and the replay without a global clock
//! ([`super::dataflow`]).

mod calendar;
mod cursor;
mod host;
mod pairing;
pub(crate) mod processors;

use machine::network::Sharing;

/// In which order a replay looks at what happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// One rank at a time: [`super::dataflow`].
    ByRank,
    /// By the times at which ranks and arriving messages take processors: [`processors`].
    Processors,
}

impl Order {
    /// The order that a model needs.
    pub(crate) fn of(sharing: Sharing) -> Self {
        match sharing {
            Sharing::Nothing | Sharing::Receivers => Order::ByRank,
            Sharing::Processors => Order::Processors,
        }
    }
}
