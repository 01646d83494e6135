//! Network models: what a message between two processing units costs its sender, its receiver and
//! the network. One model with its parameters and tests per file; [`MODELS`] lists them.
//!
//! A model with shared links cannot say at once when a message arrives, since a later message may
//! delay it. So every model has two steps: a message is *injected*, then the *next delivery* is
//! queried. Models in closed form compute the delivery at injection.
//!
//! End points are processing units, not ranks. The replay matches sends with receives and determines
//! the order of events.

mod deliveries;
mod fit_reader;
pub mod flow;
mod length_curve;
pub mod loggops;
pub mod loggp_1;
pub mod loggp_2;
pub mod loggps;
pub mod loggps_p;
pub mod mpiete;
mod receivers;
pub mod varied_parameters;

use crate::link_fits::LinkFits;
use base_data::Time;
use base_data::comm_data::LinkClass;

/// A processing unit of the platform: what a message starts from and goes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pu(pub u32);

/// A message as the network sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Message {
    /// Where it starts.
    pub from: Pu,
    /// Where it goes.
    pub to: Pu,
    /// Length.
    pub bytes: u64,
    /// The kind of way between the two.
    pub link: LinkClass,
    /// Factor on its time in the network: 1, unless a draw varies the calibration.
    pub scale: f64,
}

/// Number of an injected message: the order of injection, which settles equal delivery times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransferId(pub u64);

/// The end of a message's time in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Delivery {
    /// When.
    pub at: Time,
    /// Which message.
    pub transfer: TransferId,
}

/// When a message enters the network, and who waits for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// At the end of the send overhead; the sender does not wait.
    Eager,
    /// When both the send and the receive have been called; the sender does not wait (the
    /// assumption of MPIETE (2004), §2.5).
    Paired,
    /// After a handshake that both sides take part in; the sender waits for the receive.
    Rendezvous {
        /// From the call of the send until its request has reached the receiver: `o' + L`.
        request: Time,
        /// The receiver's time to notice the request, once it has called the receive: `o'`.
        confirm: Time,
        /// From there until the sender knows: `T5` of Ino et al. (2001), table 3.
        acknowledge: Time,
    },
}

/// What messages of a model share, and so delay each other on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Nothing: each message takes as long as if it were alone. [`CallCosts::network`] is then its
    /// time in the network, and a replay need not inject it.
    Nothing,
    /// Messages to one receiver divide its bandwidth: [`CallCosts::shared`] is the stage in which
    /// they do.
    Receivers,
    /// The processor and the network interface of each end: an arriving message takes the receiver's
    /// processor for [`CallCosts::receive`] whatever the receiver does, and the next message waits
    /// for the interfaces ([`CallCosts::send_interface`], [`CallCosts::receive_interface`]).
    /// [`CallCosts::network`] is the time from the start of the send to the arrival of the first byte.
    Processors,
    /// Links between nodes: [`CallCosts::shared`] is the way through the network, and the request and the grant of a
    /// rendezvous are messages as well, which others delay.
    Links,
}

/// The three parts of a message's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The sender's processor time, [`CallCosts::send`].
    Send,
    /// The way through the network, [`CallCosts::network`].
    Network,
    /// The receiver's processor time, [`CallCosts::receive`].
    Receive,
}

/// What a message costs the processors and the network when it is alone, and by which protocol it
/// goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallCosts {
    /// Protocol.
    pub protocol: Protocol,
    /// The stage that messages to one receiver share, if any: how long it takes is then up to
    /// [`NetworkModel::next_delivery`].
    pub shared: Option<Stage>,
    /// Time in the network, before any scaling of the message's.
    pub network: Time,
    /// Time for which the message keeps the sender's network interface.
    pub send_interface: Time,
    /// Time for which the message keeps the receiver's network interface.
    pub receive_interface: Time,
    /// The sender's processor time for the message itself.
    pub send: Time,
    /// The receiver's processor time after the message has arrived.
    pub receive: Time,
    /// Processor time of a call that only starts a transfer (`MPI_Isend`, `MPI_Irecv`).
    pub start: Time,
    /// Least processor time of a call that completes a transfer (`MPI_Wait`).
    pub complete: Time,
    /// Standard deviation of the time in the network from message to message, relative to it.
    pub noise: f64,
}

impl CallCosts {
    /// A message that costs nothing.
    pub const FREE: CallCosts = CallCosts {
        protocol: Protocol::Eager,
        shared: None,
        network: Time::ZERO,
        send_interface: Time::ZERO,
        receive_interface: Time::ZERO,
        send: Time::ZERO,
        receive: Time::ZERO,
        start: Time::ZERO,
        complete: Time::ZERO,
        noise: 0.0,
    };

    /// The same message sent by `MPI_Ssend`: the sender waits for the receive whatever the length, by
    /// this handshake, or by one that takes no time if it is none.
    pub fn synchronous(self, handshake: Protocol) -> Self {
        let none = Protocol::Rendezvous {
            request: Time::ZERO,
            confirm: Time::ZERO,
            acknowledge: Time::ZERO,
        };
        let protocol = match (self.protocol, handshake) {
            // The message's own handshake precedes that of longer ones, whose parameters may differ.
            (rendezvous @ Protocol::Rendezvous { .. }, _) => rendezvous,
            (Protocol::Eager | Protocol::Paired, rendezvous @ Protocol::Rendezvous { .. }) => {
                rendezvous
            }
            (Protocol::Eager | Protocol::Paired, Protocol::Eager | Protocol::Paired) => none,
        };
        Self { protocol, ..self }
    }

    /// The same message sent by `MPI_Bsend`: it leaves the sender's buffer whatever its length, and the
    /// sender does not wait.
    pub fn buffered(self) -> Self {
        let protocol = match self.protocol {
            Protocol::Eager | Protocol::Rendezvous { .. } => Protocol::Eager,
            // A paired message needs the time of both calls to have an arrival, and its sender does not wait
            // in any case.
            Protocol::Paired => Protocol::Paired,
        };
        Self { protocol, ..self }
    }
}

/// A network.
pub trait NetworkModel {
    /// Its name in [`MODELS`].
    fn name(&self) -> &'static str;

    /// What its messages share.
    fn sharing(&self) -> Sharing;

    /// Whether messages must be injected in the order of their times, because one can delay
    /// another. Where this is false, a replay may follow one rank at a time.
    fn needs_global_order(&self) -> bool {
        self.sharing() != Sharing::Nothing
    }

    /// What `message` costs, and its protocol.
    fn costs(&self, message: &Message) -> CallCosts;

    /// What `message` costs if its sender waits for the receive whatever the length (`MPI_Ssend`): the
    /// handshake is that of the model's longest messages.
    fn synchronous_costs(&self, message: &Message) -> CallCosts {
        let handshake = self
            .costs(&Message {
                bytes: u64::MAX,
                ..*message
            })
            .protocol;
        self.costs(message).synchronous(handshake)
    }

    /// Lets `message` begin its shared stage, or its way through the network where none is shared.
    /// With a global order: not before the last delivery, nor before a time until which there was none.
    fn inject(&mut self, message: &Message, at: Time) -> TransferId;

    /// The earliest end of a stage that was injected, if it is not after `until`; of equal times, the
    /// one injected first.
    fn next_delivery(&mut self, until: Time) -> Option<Delivery>;
}

/// Makes a model of the fits of the links in use, for a run of so many ranks.
pub type BuildModel = fn(&LinkFits<'_>, u32) -> Result<Box<dyn NetworkModel>, ModelError>;

/// A row of [`MODELS`].
pub struct ModelEntry {
    /// Name in files, options and reports.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// The model whose fits it is made of: its own name, unless it follows from another's parameters.
    pub fits: &'static str,
    /// Makes the model.
    pub build: BuildModel,
}

/// The models, the most detailed first: where a platform has parameters of several and none is
/// asked for, the first is taken.
pub static MODELS: &[ModelEntry] = &[
    ModelEntry {
        name: flow::NAME,
        summary: "messages share the links of the topology fairly; overheads, latency by length, rendezvous above S",
        fits: flow::NAME,
        build: flow::build,
    },
    ModelEntry {
        name: loggps_p::NAME,
        summary: "LogGPS with an overhead that grows with the number of ranks (paper on MSE, table 2)",
        fits: loggps_p::NAME,
        build: loggps_p::build,
    },
    ModelEntry {
        name: loggps::NAME,
        summary: "LogGPS: overheads, latency and gaps linear in length, rendezvous above S (Ino et al.)",
        fits: loggps::NAME,
        build: loggps::build,
    },
    ModelEntry {
        name: loggops::NAME,
        summary: "LogGOPS: arriving messages take the receiver's processor and interface (LogGOPSim)",
        fits: loggops::NAME,
        build: loggops::build,
    },
    ModelEntry {
        name: loggp_2::NAME,
        summary: "LogGP with two overheads and gaps, and waits for late receivers (Ino et al., table 9)",
        fits: loggp_2::NAME,
        build: loggp_2::build,
    },
    ModelEntry {
        name: loggp_1::NAME,
        summary: "LogGP with o and G by length, no waits for receivers; from loggps parameters (Ino et al.)",
        fits: loggps::NAME,
        build: loggp_1::build,
    },
    ModelEntry {
        name: mpiete::NAME,
        summary: "time of a receive as a measured curve of message length (paper on MPIETE)",
        fits: mpiete::NAME,
        build: mpiete::build,
    },
];

/// The row of a model.
///
/// # Errors
/// A name that is not in [`MODELS`].
pub fn model(name: &str) -> Result<&'static ModelEntry, ModelError> {
    MODELS
        .iter()
        .find(|entry| entry.name == name)
        .ok_or_else(|| ModelError::Unknown {
            name: name.into(),
            known: MODELS
                .iter()
                .map(|entry| entry.name)
                .collect::<Vec<_>>()
                .join(", "),
        })
}

/// Why a model cannot be made of a fit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// Not in the list.
    #[error("network model '{name}' is unknown; the models are {known}")]
    Unknown {
        /// As given.
        name: String,
        /// All names.
        known: String,
    },
    /// A parameter is missing.
    #[error("model '{model}', link {link}: parameter {parameter} is missing; add it in {unit}")]
    Missing {
        /// Model.
        model: &'static str,
        /// Kind of link.
        link: LinkClass,
        /// Name of the parameter.
        parameter: &'static str,
        /// Unit it is expected in.
        unit: &'static str,
    },
    /// A parameter has a value or unit that makes no sense.
    #[error(
        "model '{model}', link {link}: parameter {parameter} = {value} {unit}; expected {expected}"
    )]
    Value {
        /// Model.
        model: &'static str,
        /// Kind of link.
        link: LinkClass,
        /// Name of the parameter.
        parameter: String,
        /// As found.
        value: f64,
        /// As found.
        unit: String,
        /// What it should be.
        expected: String,
    },
    /// A curve that is none.
    #[error("model '{model}', link {link}: {reason}")]
    Curve {
        /// Model.
        model: &'static str,
        /// Kind of link.
        link: LinkClass,
        /// What is wrong with it.
        reason: String,
    },
}

/// One value per kind of link in use.
#[derive(Clone, Debug)]
struct PerLink<T> {
    to_self: Option<T>,
    inside_node: Option<T>,
    between_nodes: Option<T>,
}

impl<T> PerLink<T> {
    /// Makes each fit into a value.
    fn of(
        fits: &LinkFits<'_>,
        make: impl Fn(&base_data::comm_data::ModelFit, LinkClass) -> Result<T, ModelError>,
    ) -> Result<Self, ModelError> {
        Ok(Self {
            to_self: fits
                .to_self
                .map(|fit| make(fit, LinkClass::ToSelf))
                .transpose()?,
            inside_node: fits
                .inside_node
                .map(|fit| make(fit, LinkClass::InsideNode))
                .transpose()?,
            between_nodes: fits
                .between_nodes
                .map(|fit| make(fit, LinkClass::BetweenNodes))
                .transpose()?,
        })
    }

    /// The value of a link; `None` for a link that costs nothing.
    fn get(&self, link: LinkClass) -> Option<&T> {
        match link {
            LinkClass::ToSelf => self.to_self.as_ref(),
            LinkClass::InsideNode => self.inside_node.as_ref(),
            // All paths between nodes share one set of parameters. The model `flow` adds the links of a path
            // itself (`L_hop`).
            LinkClass::BetweenNodes | LinkClass::Switches(_) => self.between_nodes.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synchronous_messages_shake_hands_as_the_longest_do() {
        let handshake = |request| {
            let request = Time::from_nanoseconds(request);
            Protocol::Rendezvous {
                request,
                confirm: Time::ZERO,
                acknowledge: Time::ZERO,
            }
        };
        let of = |protocol| CallCosts {
            protocol,
            ..CallCosts::FREE
        };
        assert_eq!(
            of(Protocol::Eager).synchronous(handshake(5)).protocol,
            handshake(5)
        );
        assert_eq!(
            of(Protocol::Paired).synchronous(Protocol::Paired).protocol,
            handshake(0)
        );
        assert_eq!(
            of(handshake(7)).synchronous(handshake(5)).protocol,
            handshake(7)
        );
        assert_eq!(of(handshake(7)).buffered().protocol, Protocol::Eager);
        assert_eq!(of(Protocol::Paired).buffered().protocol, Protocol::Paired);
    }

    #[test]
    fn names_are_unique_and_found() {
        for (i, entry) in MODELS.iter().enumerate() {
            assert_eq!(model(entry.name).unwrap().summary, entry.summary);
            assert!(MODELS[..i].iter().all(|earlier| earlier.name != entry.name));
        }
        let error = model("logp").err().unwrap().to_string();
        assert_eq!(
            error,
            "network model 'logp' is unknown; the models are flow, loggps-p, loggps, loggops, loggp-2, loggp-1, mpiete"
        );
    }
}
