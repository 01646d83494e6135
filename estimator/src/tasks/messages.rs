//! Costs of the messages between a master and its workers, under a network model. The models compute the costs of a message
//! that is alone in the network.

use base_data::Time;
use machine::network::{CallCosts, Protocol};

/// Length of a message: some bytes, and more for each task that it is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageLength {
    /// Bytes of each message.
    pub fixed: u64,
    /// Further bytes for each task.
    pub per_task: u64,
}

impl MessageLength {
    /// Bytes of a message about so many tasks.
    pub fn bytes(self, tasks: u64) -> u64 {
        self.fixed
            .saturating_add(self.per_task.saturating_mul(tasks))
    }
}

/// A message as its two processors see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MessageTimes {
    /// The sender's processor time for the message itself.
    pub(super) send: Time,
    /// Time of the sender's call if the receiver waits for the message.
    pub(super) sender: Time,
    /// From the sender's call until the receiver's call can proceed.
    pub(super) arrival: Time,
    /// From there to the end of the receiver's call.
    pub(super) receiver: Time,
}

impl MessageTimes {
    pub(super) fn new(costs: &CallCosts) -> Self {
        let (send, network, receive) = (costs.send, costs.network, costs.receive);
        match costs.protocol {
            Protocol::Eager => Self {
                send,
                sender: send,
                arrival: send + network,
                receiver: receive,
            },
            // The message enters the network when the receive is called.
            Protocol::Paired => Self {
                send,
                sender: send,
                arrival: send,
                receiver: network + receive,
            },
            // The receiver sees the request; all else follows its call (Ino et al. (2001), equation 9).
            Protocol::Rendezvous {
                request,
                confirm,
                acknowledge,
            } => Self {
                send,
                sender: request + confirm + acknowledge + send,
                arrival: request,
                receiver: confirm + acknowledge + send + network + receive,
            },
        }
    }

    /// From the sender's call to the end of the call of a receiver that waits for the message.
    pub(super) fn whole(&self) -> Time {
        self.arrival + self.receiver
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equations 4 to 9 of Ino et al. (2001), for a receiver that has called before.
    #[test]
    fn times_follow_the_protocol() {
        let time = Time::from_nanoseconds;
        let costs = |protocol| CallCosts {
            protocol,
            send: time(10),
            network: time(100),
            receive: time(20),
            ..CallCosts::FREE
        };
        let eager = MessageTimes::new(&costs(Protocol::Eager));
        assert_eq!((eager.sender, eager.whole()), (time(10), time(130)));
        let paired = MessageTimes::new(&costs(Protocol::Paired));
        assert_eq!((paired.arrival, paired.receiver), (time(10), time(120)));
        let rendezvous = MessageTimes::new(&costs(Protocol::Rendezvous {
            request: time(55),
            confirm: time(5),
            acknowledge: time(60),
        }));
        // T4 + T5 + T1', and from T4 on also T2' + T3'.
        assert_eq!(rendezvous.sender, time(130));
        assert_eq!(rendezvous.whole(), time(250));
    }

    #[test]
    fn lengths_saturate() {
        let length = MessageLength {
            fixed: 8,
            per_task: 4,
        };
        assert_eq!((length.bytes(0), length.bytes(3)), (8, 20));
        assert_eq!(length.bytes(u64::MAX), u64::MAX);
    }
}
