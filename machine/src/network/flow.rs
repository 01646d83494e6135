//! Messages that share links. A message's bytes flow at the max-min fair rate of the links on their way ([`sharing`],
//! [`routes`]) or, where a short message was seen to wait behind long ones, pass one queue after another ([`queues`]).
//! What is beside the bytes is as in LogGOPS: overheads of both processors, a latency, and above `S` a
//! rendezvous handshake (RTS/CTS): a request to send, and its grant.
//! docs/internals/flow-model.md has the reasons and the measurements.
//!
//! A message of `k` bytes alone takes
//!
//! `o_send + k·O_send` (sender) `+ (k + h)·G` (flow) `+ latency(k)` (way) `+ o_recv + k·O_recv` (receiver),
//!
//! where `latency` is a curve by length, or `L` where there is none. `h` is what every message adds on the wire.
//!
//! Parameters: `L`, `G` are required. `G_node` is the gap per byte of a node's interface (or of its memory, inside a
//! node), where more than one flow is needed to fill it; it counts as `G` otherwise. `o_start`, `o_wait` are the costs
//! of calls that start and complete a transfer. `O_send_long`, `O_recv_long` are `O_send`, `O_recv` of messages above
//! `S`, and equal to them if absent: over shared memory, such messages are not copied in both calls, but while they
//! flow. `o_control` is what each side needs to handle a request or its grant. `duplex` is the share of a link's
//! capacity that one direction has while the other carries anything: less than 1 because acknowledgements need room,
//! 1/2 where the link is half duplex. `L_hop` is the latency of each link beyond the first two. `Q` is how many bytes
//! of one connection a node's interface has queued at most; with `Q`, links are queues. `s` is how many bytes a switch
//! stores before it sends on, the packet size of an Ethernet switch and 0 with cut-through: so much each link beyond
//! the first two adds to the time of a message, where links are queues. `noise` is the standard deviation of the
//! network time of messages that are longer than `Q`, relative to it.
//!
//! Messages between the same two PUs follow each other: an MPI library sends them over one connection.

mod queues;
mod routes;
mod sharing;

pub(crate) use routes::Routes;

use super::deliveries::Deliveries;
use super::fit_reader::{BYTES, FitReader, NANOSECONDS, PER_BYTE, RATIO, nanoseconds};
use super::mpiete::Curve;
use super::{
    CallCosts, Delivery, Message, ModelError, NetworkModel, PerLink, Protocol, Pu, Stage,
    TransferId,
};
use crate::link_fits::LinkFits;
use base_data::Time;
use base_data::comm_data::{LinkClass, ModelFit};
use queues::{ConnectionId, Queues};
use sharing::{FlowId, LinkId, Opposite, Sharing};
use std::collections::{BTreeMap, VecDeque};

/// Name of the model.
pub const NAME: &str = "flow";

/// Names of the parameters.
pub const NAMES: [&str; 20] = [
    "L",
    "L_hop",
    "o_send",
    "O_send",
    "O_send_long",
    "o_recv",
    "O_recv",
    "O_recv_long",
    "o_start",
    "o_wait",
    "o_control",
    "G",
    "G_node",
    "h",
    "S",
    "duplex",
    "Q",
    "s",
    "burst",
    "noise",
];

/// Parameters of one kind of link.
#[derive(Clone, Debug)]
struct Parameters {
    latency: Curve,
    hop_latency: Time,
    send: Overhead,
    receive: Overhead,
    start: Time,
    complete: Time,
    control: Time,
    /// ns/byte.
    gap_per_byte: f64,
    node_gap_per_byte: f64,
    header: f64,
    longest_eager: u64,
    duplex: f64,
    queue: f64,
    packet: f64,
    burst: f64,
    noise: f64,
}

/// Processor time of one side of a message.
#[derive(Clone, Copy, Debug)]
struct Overhead {
    nanoseconds: f64,
    per_byte: f64,
    /// The same of messages above `S`.
    long_per_byte: f64,
}

impl Overhead {
    fn of(self, bytes: u64, longest_eager: u64) -> Time {
        let per_byte = if bytes <= longest_eager {
            self.per_byte
        } else {
            self.long_per_byte
        };
        nanoseconds(self.nanoseconds + bytes as f64 * per_byte)
    }
}

/// No network is faster than this, in ns/byte: rates must be finite.
const LEAST_GAP: f64 = 1e-6;

fn parameters(fit: &ModelFit, link: LinkClass) -> Result<Parameters, ModelError> {
    let read = FitReader::new(fit, link, NAME, &NAMES)?;
    let or_zero = |name: &'static str, unit| Ok(read.optional(name, unit)?.unwrap_or(0.0));
    let overhead = |fixed, per_byte, long_per_byte| {
        let per_byte = or_zero(per_byte, PER_BYTE)?;
        Ok::<Overhead, ModelError>(Overhead {
            nanoseconds: or_zero(fixed, NANOSECONDS)?,
            per_byte,
            long_per_byte: read.optional(long_per_byte, PER_BYTE)?.unwrap_or(per_byte),
        })
    };
    let latency = read.required("L", NANOSECONDS)?;
    let mut points = fit.curve.clone();
    if points.is_empty() {
        // A curve of one point is constant.
        points.push(base_data::comm_data::CurvePoint {
            bytes: 0,
            time: nanoseconds(latency),
        });
    }
    let latency = Curve::new(points).map_err(|reason| ModelError::Curve {
        model: NAME,
        link,
        reason,
    })?;
    let gap_per_byte = read.required("G", PER_BYTE)?.max(LEAST_GAP);
    let duplex = read.optional("duplex", RATIO)?.unwrap_or(1.0);
    if !(0.01..=1.0).contains(&duplex) {
        return Err(ModelError::Value {
            model: NAME,
            link,
            parameter: "duplex".into(),
            value: duplex,
            unit: RATIO.into(),
            expected: "a share from 0.01 to 1".into(),
        });
    }
    let queue = or_zero("Q", BYTES)?;
    let burst = or_zero("burst", BYTES)?;
    if burst > 0.0 && queue <= 0.0 {
        return Err(ModelError::Value {
            model: NAME,
            link,
            parameter: "burst".into(),
            value: burst,
            unit: BYTES.into(),
            expected: "0 where there is no 'Q'".into(),
        });
    }
    Ok(Parameters {
        latency,
        hop_latency: nanoseconds(or_zero("L_hop", NANOSECONDS)?),
        send: overhead("o_send", "O_send", "O_send_long")?,
        receive: overhead("o_recv", "O_recv", "O_recv_long")?,
        start: nanoseconds(or_zero("o_start", NANOSECONDS)?),
        complete: nanoseconds(or_zero("o_wait", NANOSECONDS)?),
        control: nanoseconds(or_zero("o_control", NANOSECONDS)?),
        gap_per_byte,
        node_gap_per_byte: read
            .optional("G_node", PER_BYTE)?
            .unwrap_or(gap_per_byte)
            // One flow cannot be faster than the interface that it crosses.
            .clamp(LEAST_GAP, gap_per_byte),
        header: or_zero("h", BYTES)?,
        longest_eager: read.bytes("S")?.unwrap_or(u64::MAX),
        duplex,
        queue,
        packet: or_zero("s", BYTES)?,
        burst,
        noise: or_zero("noise", RATIO)?,
    })
}

impl Parameters {
    /// Bytes on the wire.
    fn bytes(&self, bytes: u64) -> f64 {
        bytes as f64 + self.header
    }

    /// How long the bytes of a message flow on an idle network.
    fn idle_flow(&self, bytes: u64) -> Time {
        let at_rate = (self.bytes(bytes) - self.burst).max(0.0);
        nanoseconds(at_rate * self.gap_per_byte)
    }

    /// What each link beyond the first two adds: its latency, and the time in which its switch stores a packet, where
    /// switches do. The first switch's is part of the latency.
    fn further(&self, bytes: f64) -> Time {
        if self.queue <= 0.0 {
            return self.hop_latency;
        }
        self.hop_latency + nanoseconds(bytes.min(self.packet) * self.gap_per_byte)
    }

    fn costs(&self, bytes: u64) -> CallCosts {
        let flow = self.idle_flow(bytes);
        // Requests and grants are messages without bytes. These times are for an idle network; in the replay,
        // handshakes are injected and share links.
        let way = self.idle_flow(0) + self.latency.time(0);
        let protocol = if bytes <= self.longest_eager {
            Protocol::Eager
        } else {
            Protocol::Rendezvous {
                request: self.control + way,
                confirm: self.control,
                acknowledge: way + self.control,
            }
        };
        CallCosts {
            protocol,
            shared: Some(Stage::Network),
            network: flow + self.latency.time(bytes),
            send: self.send.of(bytes, self.longest_eager),
            receive: self.receive.of(bytes, self.longest_eager),
            start: self.start,
            complete: self.complete,
            noise: if self.queue > 0.0 && bytes as f64 > self.queue {
                self.noise
            } else {
                0.0
            },
            ..CallCosts::FREE
        }
    }
}

/// A gap in ns/byte as a rate in bytes per picosecond.
fn rate(gap_per_byte: f64) -> f64 {
    1e-3 / gap_per_byte
}

/// Messages from one PU to another.
#[derive(Clone, Debug)]
struct Connection {
    /// Number of links beyond the first two.
    further: usize,
    model: ConnectionModel,
}

/// Model of a connection.
#[derive(Clone, Debug)]
enum ConnectionModel {
    /// Its messages share links with those of other connections.
    Shared(Share),
    /// Its messages pass through queues.
    Queued(ConnectionId),
}

#[derive(Clone, Debug)]
struct Share {
    links: Vec<LinkId>,
    /// The most that one message takes, in bytes per picosecond.
    cap: f64,
    /// The message that flows, and those that follow it.
    messages: VecDeque<Flowing>,
    /// When its last message was delivered or will be.
    delivered: Time,
}

#[derive(Clone, Copy, Debug)]
struct Flowing {
    transfer: TransferId,
    bytes: f64,
    latency: Time,
}

/// The network.
#[derive(Debug)]
struct Flows {
    parameters: PerLink<Parameters>,
    routes: Routes,
    ranks_per_node: u32,
    sharing: Sharing,
    /// Links between nodes, if they are queues.
    queues: Queues,
    /// By the vertices that a link joins, and by node for what ranks of a node share.
    links: BTreeMap<(u32, u32), LinkId>,
    /// By PU: where its messages go, in the order of first use.
    connections_of: Vec<Vec<(Pu, u32)>>,
    connections: Vec<Connection>,
    /// By flow.
    connection_of: Vec<u32>,
    deliveries: Deliveries,
    now: Time,
}

/// Makes the model.
///
/// # Errors
/// Parameters that are missing or make no sense, and a topology that makes no network.
pub fn build(fits: &LinkFits<'_>, _ranks: u32) -> Result<Box<dyn NetworkModel>, ModelError> {
    let parameters = PerLink::of(fits, parameters)?;
    let routes = Routes::new(&fits.shape.topology, fits.shape.nodes).map_err(|reason| {
        ModelError::Curve {
            model: NAME,
            link: LinkClass::BetweenNodes,
            reason,
        }
    })?;
    let queues = match parameters.get(LinkClass::BetweenNodes) {
        Some(link) => Queues::new(link),
        None => Queues::default(),
    };
    Ok(Box::new(Flows {
        parameters,
        routes,
        ranks_per_node: fits.shape.ranks_per_node.max(1),
        sharing: Sharing::default(),
        queues,
        links: BTreeMap::new(),
        connections_of: Vec::new(),
        connections: Vec::new(),
        connection_of: Vec::new(),
        deliveries: Deliveries::default(),
        now: Time::ZERO,
    }))
}

impl Flows {
    fn node_of(&self, pu: Pu) -> u32 {
        pu.0 / self.ranks_per_node
    }

    fn connection(&mut self, message: &Message) -> u32 {
        let from = message.from.0 as usize;
        if self.connections_of.len() <= from {
            self.connections_of.resize_with(from + 1, Vec::new);
        }
        let known = &self.connections_of[from];
        if let Some(&(_, number)) = known.iter().find(|(to, _)| *to == message.to) {
            return number;
        }
        let number = self.connections.len() as u32;
        let connection = self.connect(message);
        self.connections.push(connection);
        self.connections_of[from].push((message.to, number));
        number
    }

    /// A new connection and its links.
    fn connect(&mut self, message: &Message) -> Connection {
        let (node, to) = (self.node_of(message.from), self.node_of(message.to));
        let mut share = Share {
            links: Vec::new(),
            cap: rate(LEAST_GAP),
            messages: VecDeque::new(),
            delivered: Time::ZERO,
        };
        let Some(parameters) = self.parameters.get(message.link).cloned() else {
            return Connection {
                further: 0,
                model: ConnectionModel::Shared(share),
            };
        };
        share.cap = rate(parameters.gap_per_byte);
        let whole = rate(parameters.node_gap_per_byte);
        let mut further = 0;
        match message.link {
            // Copies of a rank to itself share nothing.
            LinkClass::ToSelf => {}
            // The memory of the node, as a link from it to itself.
            LinkClass::InsideNode => share.links.push(self.link((node, node), whole)),
            LinkClass::BetweenNodes | LinkClass::Switches(_) => {
                let mut hops = Vec::new();
                self.routes.way(node, to, &mut hops);
                // `L` is measured across one switch: two links.
                further = hops.len().saturating_sub(2);
                if self.queues.are_used() {
                    let model = ConnectionModel::Queued(self.queues.connect(&hops, &parameters));
                    return Connection { further, model };
                }
                for hop in hops {
                    let capacity = whole * hop.capacity;
                    let link = self.both_ways((hop.from, hop.to), capacity, parameters.duplex);
                    share.links.push(link);
                }
            }
        }
        Connection {
            further,
            model: ConnectionModel::Shared(share),
        }
    }

    fn link(&mut self, ends: (u32, u32), capacity: f64) -> LinkId {
        match self.links.get(&ends) {
            Some(&link) => link,
            None => {
                let link = self.sharing.add_link(capacity);
                self.links.insert(ends, link);
                link
            }
        }
    }

    /// A link that has a way back.
    fn both_ways(&mut self, (from, to): (u32, u32), capacity: f64, duplex: f64) -> LinkId {
        let is_new = !self.links.contains_key(&(from, to));
        let (link, back) = (
            self.link((from, to), capacity),
            self.link((to, from), capacity),
        );
        if is_new && duplex < 1.0 {
            // Both directions are added together, so the call for the way back finds its link and keeps this.
            for (one, other) in [(link, back), (back, link)] {
                let opposite = Opposite {
                    link: other,
                    share: duplex,
                };
                self.sharing.oppose(one, opposite);
            }
        }
        link
    }

    /// Lets the first message of a connection flow.
    fn begin(&mut self, number: u32, at: Time) {
        let ConnectionModel::Shared(share) = &self.connections[number as usize].model else {
            return;
        };
        let Some(first) = share.messages.front() else {
            return;
        };
        let flow = self.sharing.begin(&share.links, share.cap, first.bytes, at);
        if self.connection_of.len() <= flow as usize {
            self.connection_of.resize(flow as usize + 1, 0);
        }
        self.connection_of[flow as usize] = number;
    }

    /// A flow has ended: its message is on its way to the receiver, and the next of its connection flows.
    fn ended(&mut self, flow: FlowId, at: Time) {
        let number = self.connection_of[flow as usize];
        let ConnectionModel::Shared(share) = &mut self.connections[number as usize].model else {
            return;
        };
        if let Some(first) = share.messages.pop_front() {
            // The latency is that of the last byte, so it follows the flow. A connection delivers in order: a short message
            // does not overtake a long one, whose latency may be longer.
            share.delivered = share.delivered.max(at + first.latency);
            self.deliveries.deliver(first.transfer, share.delivered);
        }
        self.begin(number, at);
    }

    /// Time of the next event inside the network.
    fn next_inside(&mut self, until: Time) -> Option<Time> {
        let queues = self.queues.next_at();
        // What begins now has moved nothing yet, and more may begin now: rates can wait.
        let ends = if until <= self.now {
            None
        } else {
            self.sharing.next_end_at()
        };
        queues.into_iter().chain(ends).min()
    }

    /// Processes the events inside the network at a time before which there are none.
    fn process_until(&mut self, at: Time) {
        self.now = self.now.max(at);
        while let Some(passed) = self.queues.process_until_delivery(at) {
            self.deliveries.deliver(passed.transfer, passed.at);
        }
        while let Some((flow, end)) = self.sharing.take_end(at) {
            self.ended(flow, end);
        }
    }
}

impl NetworkModel for Flows {
    fn name(&self) -> &'static str {
        NAME
    }

    fn sharing(&self) -> super::Sharing {
        super::Sharing::Links
    }

    fn costs(&self, message: &Message) -> CallCosts {
        self.parameters
            .get(message.link)
            .map_or(CallCosts::FREE, |link| link.costs(message.bytes))
    }

    fn inject(&mut self, message: &Message, at: Time) -> TransferId {
        self.now = self.now.max(at);
        let transfer = self.deliveries.number();
        let number = self.connection(message);
        let (bytes, latency) = match self.parameters.get(message.link) {
            Some(link) => (link.bytes(message.bytes), link.latency.time(message.bytes)),
            None => (0.0, Time::ZERO),
        };
        let connection = &mut self.connections[number as usize];
        let further = self
            .parameters
            .get(message.link)
            .map_or(Time::ZERO, |link| {
                link.further(bytes).scaled(connection.further as f64)
            });
        let flowing = Flowing {
            transfer,
            bytes: bytes * message.scale,
            latency: (latency + further).scaled(message.scale),
        };
        match &mut connection.model {
            ConnectionModel::Queued(queued) => self.queues.send(*queued, flowing, at),
            ConnectionModel::Shared(share) => {
                share.messages.push_back(flowing);
                if share.messages.len() == 1 {
                    self.begin(number, at);
                }
            }
        }
        transfer
    }

    fn next_delivery(&mut self, until: Time) -> Option<Delivery> {
        loop {
            let inside = self.next_inside(until).filter(|&at| at <= until);
            let delivered = self.deliveries.earliest().filter(|&at| at <= until);
            match (inside, delivered) {
                // At equal times what happens inside comes first: it may deliver a message at this time too,
                // and deliveries of one time are in the order of injection.
                (Some(inside), Some(delivered)) if delivered < inside => {
                    return self.deliveries.next(until);
                }
                (Some(inside), _) => self.process_until(inside),
                (None, _) => return self.deliveries.next(until),
            }
        }
    }
}

#[cfg(test)]
mod tests;
