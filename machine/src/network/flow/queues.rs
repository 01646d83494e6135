//! Links as queues. What a node sends leaves in the order in which it came to the interface, and passes each further
//! link in the order in which it arrives there, as in switches with one queue a port. A connection has at most `Q` bytes
//! queued at its node's interface, and more follows as these leave: what a TCP stack hands to an interface is bounded for
//! each socket. So the connections of a node share its interface about equally, and a short message waits behind what
//! others have queued, at the interface and at every port on its way.
//!
//! Messages move in packets. A packet's head is at the next link when it leaves the present one, so packets add no time to
//! a message that is alone; what switches store is in the latency ([`super`]).
//!
//! Each byte has [`Queues::acknowledged`] bytes follow on the way back, over each link as the byte passes it.
//!
//! A link may be a token bucket, which passes [`Queues::burst`] bytes at once after it was idle: the generic cell rate algorithm of
//! ITU-T I.371, with the time of these bytes as its limit.

use super::{Flowing, Parameters};
use crate::network::TransferId;
use crate::network::flow::routes::Hop;
use base_data::Time;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

/// Number of a connection.
pub(super) type ConnectionId = u32;
/// Number of a link.
type LinkId = u32;

/// A message is about so many packets at the most. Four times as many take twice as long and change patterns on the
/// testbed by 3 % at the most.
const MOST_PACKETS: f64 = 32.0;
/// A connection's bytes at the interface are at least so many packets, whatever the message: a short message of another
/// connection waits for them, and for a part of one more.
const LEAST_QUEUED: f64 = 8.0;
/// Bytes of the smallest packet where switches store nothing: a frame of Ethernet. Packets of 4 KiB made recursive doubling of 8 KiB on
/// 16 hosts of the testbed in kernel mode 29 % too long, because ranks that are slightly late wait for whole packets.
const FRAME: f64 = 1500.0;
/// A connection whose gap is longer than that of its first link by less than this share fills the link: rounding.
const SAME: f64 = 1e-6;

/// A message that has passed all links.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed {
    pub(super) transfer: TransferId,
    /// When it is at its receiver.
    pub(super) at: Time,
}

/// All links and connections. The default has no queues.
#[derive(Debug, Default)]
pub(super) struct Queues {
    links: Vec<Link>,
    /// By the vertices that a link joins.
    numbers: BTreeMap<(u32, u32), LinkId>,
    connections: Vec<Connection>,
    events: BinaryHeap<Event>,
    /// Events so far: those of one time happen in the order in which they were made.
    made: u64,
    /// Bytes of one connection that its node's interface has queued at most.
    queue: f64,
    /// Bytes of the smallest packet.
    packet: f64,
    /// Bytes of acknowledgements for each byte.
    acknowledged: f64,
    /// Bytes that a link passes at once after it was idle.
    burst: f64,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    /// Picoseconds per byte.
    gap: f64,
    /// When everything that has come so far would have passed without bursts: the theoretical arrival time of the algorithm.
    free: Time,
    /// The time of the bytes that pass at once.
    burst: Time,
    /// The way back.
    opposite: LinkId,
}

#[derive(Clone, Debug)]
struct Connection {
    links: Vec<LinkId>,
    /// Picoseconds per byte between packets of a connection that cannot fill its first link; 0 for one that can.
    pace: f64,
    /// When it may send its next packet.
    paced: Time,
    messages: VecDeque<Leaving>,
    /// Its bytes at the interface.
    queued: f64,
    /// When its last message was delivered or will be.
    delivered: Time,
}

/// A message of which not all bytes have come to the interface.
#[derive(Clone, Copy, Debug)]
struct Leaving {
    message: Flowing,
    left: f64,
    /// Bytes of each packet.
    packet: f64,
}

#[derive(Clone, Copy, Debug)]
struct Packet {
    connection: ConnectionId,
    /// Links that it has passed.
    passed: u32,
    bytes: f64,
    /// When its last byte arrives.
    arrived: Time,
    /// The message that ends with it.
    ends: Option<Flowing>,
}

#[derive(Clone, Copy, Debug)]
enum Happening {
    /// A packet has left the interface.
    Left {
        connection: ConnectionId,
        bytes: f64,
    },
    /// The head of a packet is at the next link; or its last byte is at the receiver.
    Arrives(Packet),
    /// A connection may send its next packet.
    Sends(ConnectionId),
}

#[derive(Clone, Copy, Debug)]
struct Event {
    at: Time,
    number: u64,
    happening: Happening,
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Event {}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    /// The heap gives the greatest first: the earliest is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}

fn time(picoseconds: f64) -> Time {
    Time::from_picoseconds(picoseconds.round() as i64)
}

impl Queues {
    /// Queues with the parameters of links between nodes; no queues where its `Q` is 0.
    pub(super) fn new(parameters: &Parameters) -> Self {
        let (queue, packet) = (parameters.queue, parameters.packet);
        let smallest = if packet > 0.0 { packet } else { FRAME };
        Self {
            links: Vec::new(),
            numbers: BTreeMap::new(),
            connections: Vec::new(),
            events: BinaryHeap::new(),
            made: 0,
            queue,
            packet: smallest.min(queue / LEAST_QUEUED),
            // While both directions are busy, each has 1 / (1 + acknowledged) of its link: the share `duplex`.
            acknowledged: 1.0 / parameters.duplex - 1.0,
            burst: parameters.burst,
        }
    }

    /// Whether links are queues: whether connections may be made.
    pub(super) fn are_used(&self) -> bool {
        self.queue > 0.0
    }

    /// A connection over these links.
    pub(super) fn connect(&mut self, hops: &[Hop], parameters: &Parameters) -> ConnectionId {
        // Parameters are in nanoseconds per byte, gaps of links in picoseconds.
        let gap = parameters.node_gap_per_byte * 1e3;
        let mut links = Vec::with_capacity(hops.len());
        for hop in hops {
            links.push(self.link((hop.from, hop.to), gap / hop.capacity));
        }
        let own = parameters.gap_per_byte * 1e3;
        let first = links
            .first()
            .map_or(0.0, |&link| self.links[link as usize].gap);
        self.connections.push(Connection {
            links,
            pace: if own > first * (1.0 + SAME) { own } else { 0.0 },
            paced: Time::ZERO,
            messages: VecDeque::new(),
            queued: 0.0,
            delivered: Time::ZERO,
        });
        self.connections.len() as ConnectionId - 1
    }

    /// The link between two vertices, which is added with its way back.
    fn link(&mut self, (from, to): (u32, u32), gap: f64) -> LinkId {
        if let Some(&known) = self.numbers.get(&(from, to)) {
            return known;
        }
        let number = self.links.len() as LinkId;
        let ends = [
            ((from, to), number, number + 1),
            ((to, from), number + 1, number),
        ];
        for (ends, number, opposite) in ends {
            self.numbers.insert(ends, number);
            self.links.push(Link {
                gap,
                free: Time::ZERO,
                burst: time(self.burst * gap),
                opposite,
            });
        }
        number
    }

    fn add(&mut self, at: Time, happening: Happening) {
        self.made += 1;
        self.events.push(Event {
            at,
            number: self.made,
            happening,
        });
    }

    /// A message comes to a connection.
    pub(super) fn send(&mut self, connection: ConnectionId, message: Flowing, at: Time) {
        let leaving = Leaving {
            message,
            left: message.bytes,
            packet: (message.bytes / MOST_PACKETS).clamp(self.packet, self.queue / LEAST_QUEUED),
        };
        self.connections[connection as usize]
            .messages
            .push_back(leaving);
        self.fill(connection, at);
    }

    /// Hands packets to the interface as far as there is room.
    fn fill(&mut self, number: ConnectionId, at: Time) {
        loop {
            let connection = &mut self.connections[number as usize];
            let Some(first) = connection.messages.front_mut() else {
                return;
            };
            let bytes = first.left.min(first.packet);
            // As a TCP stack does: the packet that fills the interface may exceed its bound.
            if connection.queued >= self.queue {
                return;
            }
            if connection.paced > at {
                let paced = connection.paced;
                return self.add(paced, Happening::Sends(number));
            }
            first.left -= bytes;
            let mut ends = None;
            if first.left <= 0.0 {
                ends = Some(first.message);
                connection.messages.pop_front();
            }
            connection.queued += bytes;
            connection.paced = at + time(bytes * connection.pace);
            let packet = Packet {
                connection: number,
                passed: 0,
                bytes,
                arrived: at,
                ends,
            };
            self.pass(packet, at);
        }
    }

    /// A packet joins the queue of its next link. When it leaves is known at once: nothing overtakes it.
    fn pass(&mut self, packet: Packet, at: Time) {
        let links = &self.connections[packet.connection as usize].links;
        let is_last = packet.passed as usize + 1 >= links.len();
        // Routes between nodes have links; without one, the message would be there at once.
        let Some(&number) = links.get(packet.passed as usize) else {
            return self.add(at, Happening::Arrives(packet));
        };
        let link = &mut self.links[number as usize];
        let begins = at.max(link.free - link.burst);
        let over_at_rate = at.max(link.free) + time(packet.bytes * link.gap);
        // A faster link than the one before is done when the last byte has come.
        link.free = over_at_rate.max(packet.arrived);
        let over = at.max(over_at_rate - link.burst).max(packet.arrived);
        let opposite = link.opposite;
        let back = &mut self.links[opposite as usize];
        back.free = back.free.max(at) + time(packet.bytes * self.acknowledged * back.gap);
        if packet.passed == 0 {
            let left = Happening::Left {
                connection: packet.connection,
                bytes: packet.bytes,
            };
            self.add(over, left);
        }
        let next = Packet {
            passed: packet.passed + 1,
            arrived: over,
            ..packet
        };
        // At the receiver, only the last packet of a message matters.
        if !is_last {
            self.add(begins, Happening::Arrives(next));
        } else if next.ends.is_some() {
            self.add(over, Happening::Arrives(next));
        }
    }

    /// Time of the next event.
    pub(super) fn next_at(&self) -> Option<Time> {
        self.events.peek().map(|event| event.at)
    }

    /// Processes events until a time, or until the first delivery of a message.
    pub(super) fn process_until_delivery(&mut self, until: Time) -> Option<Passed> {
        while self.next_at().is_some_and(|at| at <= until) {
            let Event { at, happening, .. } = self.events.pop()?;
            match happening {
                Happening::Left { connection, bytes } => {
                    let state = &mut self.connections[connection as usize];
                    state.queued -= bytes;
                    self.fill(connection, at);
                }
                Happening::Sends(connection) => self.fill(connection, at),
                Happening::Arrives(packet) => {
                    let connection = &mut self.connections[packet.connection as usize];
                    if (packet.passed as usize) < connection.links.len() {
                        self.pass(packet, at);
                    } else if let Some(message) = packet.ends {
                        // A connection delivers in order, also where a long message has a longer latency than a short one.
                        connection.delivered = connection.delivered.max(at + message.latency);
                        return Some(Passed {
                            transfer: message.transfer,
                            at: connection.delivered,
                        });
                    }
                }
            }
        }
        None
    }
}
