//! The start on which the end of a call depends, that of the rank's own transfer or that of the other side, and the
//! parts of a message's costs between the two. It inverts [`crate::replay`]'s protocol, which computes the times.

use base_data::Time;
use machine::network::{CallCosts, Protocol};

/// The parts of a message's costs between the call that an end depends on and that end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CostComponents {
    /// The call that only starts a transfer.
    Start,
    /// The least that a call takes which completes one.
    Complete,
    /// The sender's own time.
    Send,
    /// The receiver's own time, the message being there.
    Receive,
    /// An eager message: send, network, receive.
    Eager,
    /// A probe: the message, or the request to send it, has arrived.
    Notice,
    /// A message that enters the network when both sides are there.
    Paired,
    /// A handshake and the sender's time; with the network's and the receiver's time if the receiver's
    /// end is looked at.
    Handshake {
        /// Whether it is the receiver's end.
        receives: bool,
        /// Whether it depends on the sender's request and not on the call of the receive.
        requested: bool,
    },
}

/// What an end depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cause {
    /// Whether the other side was the later one.
    pub(crate) from_other: bool,
    pub(crate) pieces: CostComponents,
}

impl CostComponents {
    /// Number of kinds, for tables.
    pub(crate) const KINDS: usize = 11;

    /// All kinds, by [`CostComponents::index`].
    pub(crate) const ALL: [CostComponents; Self::KINDS] = [
        CostComponents::Start,
        CostComponents::Complete,
        CostComponents::Send,
        CostComponents::Receive,
        CostComponents::Eager,
        CostComponents::Paired,
        CostComponents::Notice,
        CostComponents::Handshake {
            receives: false,
            requested: false,
        },
        CostComponents::Handshake {
            receives: false,
            requested: true,
        },
        CostComponents::Handshake {
            receives: true,
            requested: false,
        },
        CostComponents::Handshake {
            receives: true,
            requested: true,
        },
    ];

    /// Position in [`CostComponents::ALL`].
    pub(crate) fn index(self) -> usize {
        match self {
            CostComponents::Start => 0,
            CostComponents::Complete => 1,
            CostComponents::Send => 2,
            CostComponents::Receive => 3,
            CostComponents::Eager => 4,
            CostComponents::Paired => 5,
            CostComponents::Notice => 6,
            CostComponents::Handshake {
                receives,
                requested,
            } => 7 + 2 * usize::from(receives) + usize::from(requested),
        }
    }

    /// Their time for a message with these costs.
    pub(crate) fn time(self, costs: &CallCosts) -> Time {
        match self {
            CostComponents::Start => costs.start,
            CostComponents::Complete => costs.complete,
            CostComponents::Send => costs.send,
            CostComponents::Receive => costs.receive,
            CostComponents::Eager => costs.send + costs.network + costs.receive,
            CostComponents::Paired => costs.network + costs.receive,
            CostComponents::Notice => match costs.protocol {
                Protocol::Eager => costs.send + costs.network,
                Protocol::Paired => Time::ZERO,
                Protocol::Rendezvous { request, .. } => request,
            },
            CostComponents::Handshake {
                receives,
                requested,
            } => {
                // As [`crate::replay`]'s protocol adds them: the later of request and receive, confirm,
                // acknowledge, send.
                let handshake = handshake(costs.protocol, requested) + costs.send;
                if receives {
                    handshake + costs.network + costs.receive
                } else {
                    handshake
                }
            }
        }
    }
}

fn handshake(protocol: Protocol, requested: bool) -> Time {
    match protocol {
        Protocol::Eager | Protocol::Paired => Time::ZERO,
        Protocol::Rendezvous {
            request,
            confirm,
            acknowledge,
        } => {
            let answer = confirm + acknowledge;
            if requested { request + answer } else { answer }
        }
    }
}

/// When the two sides of a transfer were called, and which of them is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides {
    /// Whether the own side is the send.
    pub(crate) sends: bool,
    pub(crate) own: Time,
    /// `None` where the own side did not need it.
    pub(crate) other: Option<Time>,
}

/// What the end of a transfer at `completed` depends on.
pub(crate) fn cause(costs: &CallCosts, sides: Sides, completed: Time) -> Cause {
    let Sides { sends, own, other } = sides;
    let other = other.unwrap_or(own);
    match costs.protocol {
        Protocol::Eager | Protocol::Paired if sends => Cause {
            from_other: false,
            pieces: CostComponents::Send,
        },
        // A message that was there when its receive began costs the receive alone.
        Protocol::Eager if completed - costs.receive > own => Cause {
            from_other: true,
            pieces: CostComponents::Eager,
        },
        Protocol::Eager => Cause {
            from_other: false,
            pieces: CostComponents::Receive,
        },
        Protocol::Paired => Cause {
            from_other: other > own,
            pieces: CostComponents::Paired,
        },
        Protocol::Rendezvous { request, .. } => {
            // The later side decides: the request of the sender, or the answer of the receiver.
            let requested = if sends {
                own + request >= other
            } else {
                other + request > own
            };
            Cause {
                from_other: requested != sends,
                pieces: CostComponents::Handshake {
                    receives: !sends,
                    requested,
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_place() {
        for (index, pieces) in CostComponents::ALL.into_iter().enumerate() {
            assert_eq!(pieces.index(), index);
        }
    }
}
