//! Communication base data: measured samples between PUs, fitted or published parameters of the
//! network models, collective curves, reduction rates. By the law of the design they depend on
//! network, MPI library and its settings only; network parameters exist nowhere else.

use crate::mpi::{BasicDatatype, ReduceOp};
use crate::program_data::CollectiveKind;
use crate::provenance::Provenance;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// Communication base data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CommData {
    /// Inputs and tools from which it was made.
    pub provenance: Provenance,
    /// The network, for people.
    pub network: String,
    /// MPI library and version.
    pub mpi_library: String,
    /// Measured samples.
    pub samples: Vec<CommSample>,
    /// Parameters per model.
    pub fits: Vec<ModelFit>,
    /// Measured times of whole collectives.
    pub collectives: Vec<CollectiveCurve>,
    /// Speed of reduction operations.
    pub reduction_rates: Vec<ReductionRate>,
}

/// Quantity of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SampleKind {
    /// Half a round trip of blocking calls.
    PingPong,
    /// `MPI_Recv` of a message whose sender waits for nothing.
    Receive,
    /// A round trip with a computation of length `delay` between send and receive (Ino et al. (2001), figure 3).
    Delayed,
    /// `MPI_Isend` alone.
    NonblockingSend,
    /// `MPI_Send` alone; with a delay, the receiver computes so long before it receives.
    BlockingSend,
    /// `MPI_Wait` alone.
    Wait,
    /// Consecutive sends to one receiver: time of each further message.
    Flood,
    /// A poll that finds nothing.
    Poll,
    /// Message to the own rank.
    ToSelf,
    /// `MPI_Recv` of a message that has arrived before.
    LateReceive,
    /// `MPI_Irecv` alone.
    NonblockingReceive,
    /// Messages in both directions at once, until both have arrived.
    Exchange,
    /// One message from each of the other ranks to one, from the sign to send until all have been received.
    Incast,
    /// Round trip of an empty message to a third rank while `bytes` go to the second.
    Behind,
    /// Consecutive messages in both directions: time of each further pair of opposite ones.
    ExchangeFlood,
}

/// One measured point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommSample {
    /// The measured quantity.
    pub kind: SampleKind,
    /// Over which kind of link.
    pub link: LinkClass,
    /// Number of ranks in the run, idle ones included.
    pub ranks: u32,
    /// Message length.
    pub bytes: u64,
    /// Inserted computation.
    pub delay: Time,
    /// Median over the repetitions.
    pub median: Time,
    /// Smallest.
    pub minimum: Time,
    /// Quartiles' distance.
    pub spread: Time,
    /// Number of repetitions.
    pub repetitions: u64,
}

/// A kind of way between two PUs.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum LinkClass {
    /// A rank and itself.
    ToSelf,
    /// Two ranks of one node.
    InsideNode,
    /// Two nodes.
    #[default]
    BetweenNodes,
    /// Two nodes, this many switches apart.
    Switches(u8),
}

/// Parameters of one model for one kind of link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFit {
    /// Name of the model, `loggps`.
    pub model: String,
    /// The link the parameters are for.
    #[serde(default)]
    pub link: LinkClass,
    /// The parameters by the names of the model's own documentation.
    #[serde(default)]
    pub parameters: Vec<Parameter>,
    /// Time by message length, ascending in length, for models that are a curve.
    #[serde(default)]
    pub curve: Vec<CurvePoint>,
    /// Covariance of the parameters, row by row; empty where it is not known.
    #[serde(default)]
    pub covariance: Vec<f64>,
    /// Relative standard deviation of the samples around the fit, by cross-validation; `None`
    /// for published parameters.
    #[serde(default)]
    pub residual: Option<f64>,
    /// Where the numbers come from, for people.
    #[serde(default)]
    pub source: String,
}

/// A named number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Name in the model's documentation.
    pub name: String,
    /// Value in `unit`.
    pub value: f64,
    /// `ns`, `ns/byte`, `ns/rank`, `bytes`, `ratio`.
    pub unit: String,
}

/// One point of a curve of time by message length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurvePoint {
    /// Message length.
    pub bytes: u64,
    /// Time.
    pub time: Time,
}

/// Measured times of one collective.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectiveCurve {
    /// Which.
    pub kind: CollectiveKind,
    /// Number of ranks.
    pub ranks: u32,
    /// Ranks per node.
    pub ranks_per_node: u32,
    /// Times by bytes per rank, ascending.
    pub points: Vec<CurvePoint>,
}

/// Time to combine two operands of a reduction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReductionRate {
    /// Operation.
    pub op: ReduceOp,
    /// Element.
    pub element: BasicDatatype,
    /// Picoseconds per element.
    pub picoseconds_per_element: f64,
}

impl ModelFit {
    /// The value of a parameter in its unit.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        self.parameters
            .iter()
            .find(|parameter| parameter.name == name)
            .map(|parameter| parameter.value)
    }
}

/// Adds measured collectives, in place of those of the same kind and numbers of ranks.
pub fn replace_curves(curves: &mut Vec<CollectiveCurve>, new: &[CollectiveCurve]) {
    let run = |curve: &CollectiveCurve| (curve.kind, curve.ranks, curve.ranks_per_node);
    for curve in new {
        curves.retain(|old| run(old) != run(curve));
        curves.push(curve.clone());
    }
}

impl CommData {
    /// The fit of `model` for `link`.
    pub fn fit(&self, model: &str, link: LinkClass) -> Option<&ModelFit> {
        self.fits
            .iter()
            .find(|fit| fit.model == model && fit.link == link)
    }

    /// Adds data of the same network and MPI library: samples are kept side by side, a fit of
    /// `other` takes the place of one of the same model and link, and so do curves and rates of the same operation.
    ///
    /// # Errors
    /// The second half of a sentence that names both sides, if network or library differ.
    pub fn merge(&mut self, other: CommData) -> Result<(), String> {
        for (what, own, others) in [
            ("networks", &self.network, &other.network),
            ("MPI libraries", &self.mpi_library, &other.mpi_library),
        ] {
            // An empty name says nothing: files of another origin have none.
            if own != others && !own.is_empty() && !others.is_empty() {
                return Err(format!(
                    "measured with different {what}: '{own}' and '{others}'"
                ));
            }
        }
        // Samples are measurements and add up; fits, curves and rates are results, of which the newer one
        // counts.
        self.samples.extend(other.samples);
        replace_curves(&mut self.collectives, &other.collectives);
        let same_sum =
            |a: &ReductionRate, b: &ReductionRate| a.op == b.op && a.element == b.element;
        self.reduction_rates
            .retain(|own| !other.reduction_rates.iter().any(|new| same_sum(own, new)));
        self.fits.retain(|own| {
            !other
                .fits
                .iter()
                .any(|new| new.model == own.model && new.link == own.link)
        });
        self.fits.extend(other.fits);
        self.reduction_rates.extend(other.reduction_rates);
        Ok(())
    }
}

impl std::fmt::Display for LinkClass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LinkClass::ToSelf => f.write_str("to-self"),
            LinkClass::InsideNode => f.write_str("inside-node"),
            LinkClass::BetweenNodes => f.write_str("between-nodes"),
            LinkClass::Switches(count) => write!(f, "switches-{count}"),
        }
    }
}
