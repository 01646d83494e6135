//! A program on a machine, ready to be replayed as often as needed: which model, which fits, what
//! each message costs, where each rank sits.

use crate::EstimateError;
use crate::block_times::BlockTimesTable;
use crate::replay::dataflow::{BlockTimes, LinkScales, Replay};
use crate::replay::observer::Observer;
use crate::replay::program::{MachineSide, Sending, Size, Steps};
use crate::replay::timed::by_time::Rules;
use crate::replay::timed::{self, Order};
use crate::replay::workspace::{Outcome, RankOutcome, Workspace};
use base_data::comm_data::{LinkClass, ModelFit};
use base_data::platform_file::{EagerCredit, Progress};
use base_data::{Rank, Time};
use machine::network::{CallCosts, MODELS, ModelEntry, model, mpiete};
use machine::platform::LinkFits;
use machine::{Message, NetworkModel, Platform, Pu};

/// The model to use, and the fits of the links in use.
pub(crate) struct ChosenModel<'a> {
    pub(crate) entry: &'static ModelEntry,
    pub(crate) fits: LinkFits<'a>,
}

/// For replays in which no message is sent.
static UNUSED: ModelEntry =
    ModelEntry { name: "", summary: "no messages", fits: mpiete::NAME, build: mpiete::build };

impl<'a> ChosenModel<'a> {
    /// The model that was asked for, or the first that the platform has fits for.
    ///
    /// # Errors
    /// An unknown model, and links in use without a fit.
    pub(crate) fn choose(
        platform: &'a Platform,
        name: Option<&str>,
        ranks: u32,
    ) -> Result<Self, EstimateError> {
        if let Some(name) = name {
            let entry = model(name)?;
            return Ok(Self { entry, fits: platform.fits(entry.fits, ranks)? });
        }
        let mut reasons = Vec::new();
        for entry in MODELS {
            match platform.fits(entry.fits, ranks) {
                Ok(fits) => return Ok(Self { entry, fits }),
                Err(reason) => reasons.push(reason.to_string()),
            }
        }
        // The last model is the one that calibration makes: what it lacks is what to do.
        Err(EstimateError::NoModel(reasons.pop().unwrap_or_default()))
    }

    /// For replays in which no message is sent.
    pub(crate) fn none() -> ChosenModel<'static> {
        let fits = LinkFits { to_self: None, inside_node: None, between_nodes: None, warnings: Vec::new() };
        ChosenModel { entry: &UNUSED, fits }
    }

    /// Name of the model.
    pub(crate) fn name(&self) -> &'static str {
        self.entry.name
    }

    /// Makes the model.
    ///
    /// # Errors
    /// Parameters that make no model.
    pub(crate) fn network(&self, ranks: u32) -> Result<Box<dyn NetworkModel>, EstimateError> {
        Ok((self.entry.build)(&self.fits, ranks)?)
    }

    /// Residuals of the fits: to self, inside a node, between nodes.
    pub(crate) fn residuals(&self) -> [Option<f64>; 3] {
        let residual = |fit: Option<&ModelFit>| fit.and_then(|fit| fit.residual);
        [self.fits.to_self, self.fits.inside_node, self.fits.between_nodes].map(residual)
    }
}

/// Everything that all replays of an estimate share.
pub(crate) struct Setup<'a> {
    pub(crate) steps: &'a Steps,
    pub(crate) machine: &'a MachineSide,
    pub(crate) model: &'a ChosenModel<'a>,
    /// In which order replays look at what happens.
    pub(crate) order: Order,
    pub(crate) times: &'a BlockTimesTable,
    /// Speed of each rank's PU relative to the compute data's.
    pub(crate) speeds: &'a [f64],
    pub(crate) residuals: [Option<f64>; 3],
}

impl Setup<'_> {
    /// Replays the program once.
    ///
    /// # Errors
    /// Those of making the network model.
    pub(crate) fn run<T: BlockTimes, O: Observer>(
        &self,
        work: &mut Workspace,
        scales: LinkScales,
        times: T,
        observer: O,
    ) -> Result<(O, Outcome), EstimateError> {
        let mut replay = Replay { steps: self.steps, machine: self.machine, scales, times, observer };
        let outcome = match self.order {
            Order::ByRank => replay.run(work),
            Order::Processors => timed::processors::run(&mut replay, &mut work.processors),
            Order::ByTime(rules) => {
                let mut network = self.model.network(self.steps.ranks.len() as u32)?;
                timed::by_time::run(&mut replay, network.as_mut(), rules, &mut work.by_time)
            }
        };
        Ok((replay.observer, outcome))
    }
}

/// In which order a replay on the platform must look at what happens.
///
/// # Errors
/// A model that leaves no choice where the platform or the program asks for another.
pub(crate) fn order_of(
    network: &dyn NetworkModel,
    platform: &Platform,
    steps: &Steps,
) -> Result<Order, EstimateError> {
    let file = platform.file();
    let rules = Rules {
        in_call: file.progress == Progress::InCall,
        eager_credit: match file.eager_credit {
            EagerCredit::Unlimited => None,
            EagerCredit::Bytes(bytes) => Some(bytes),
        },
    };
    let order = Order::of(network.sharing(), rules, !steps.open_wildcards.is_empty());
    if order == Order::Processors
        && let Some(&site) = steps.open_wildcards.first()
    {
        return Err(EstimateError::NoModel(format!(
            "call site {site} receives from MPI_ANY_SOURCE or with MPI_ANY_TAG, and the recording does not say \
             what it got, which model '{}' cannot follow; record the program with this message's envelope kept, \
             or choose another model",
            network.name()
        )));
    }
    if order == Order::Processors && rules != Rules::default() {
        return Err(EstimateError::NoModel(format!(
            "model '{}' knows asynchronous progress and unlimited eager credit alone; leave progress and \
             eager_credit out of platform '{}', or choose another model",
            network.name(),
            platform.name()
        )));
    }
    Ok(order)
}

/// Where ranks sit and what each size of message costs.
pub(crate) fn machine_side(steps: &Steps, platform: &Platform, network: &dyn NetworkModel) -> MachineSide {
    let pus: Vec<Pu> = (0..steps.ranks.len()).map(|rank| platform.pu_of(Rank::from_index(rank))).collect();
    let costs = message_costs(steps, network);
    MachineSide { pus, costs, combine: combine_times(steps, platform) }
}

/// Costs of messages by size.
pub(crate) fn message_costs(steps: &Steps, network: &dyn NetworkModel) -> Vec<CallCosts> {
    let cost = |size: &Size| {
        // Costs hang on length and link alone in every model of this version.
        let (from, to) = (Pu(0), Pu(0));
        let message = Message { from, to, bytes: size.bytes, link: size.link, scale: 1.0 };
        match size.sending {
            Sending::Standard => network.costs(&message),
            Sending::Synchronous => network.synchronous_costs(&message),
            Sending::Buffered => network.costs(&message).buffered(),
        }
    };
    steps.sizes.iter().map(cost).collect()
}

/// Times of combining operands, where the platform has rates; nothing otherwise.
fn combine_times(steps: &Steps, platform: &Platform) -> Vec<Time> {
    let data = [LinkClass::BetweenNodes, LinkClass::InsideNode].map(|class| platform.comm(class));
    let rates: Vec<_> = data.into_iter().flatten().flat_map(|data| &data.reduction_rates).collect();
    let time = |combination: &crate::replay::program::Combination| {
        let fits = |rate: &&&base_data::comm_data::ReductionRate| {
            rate.op == combination.op && rate.element == combination.element
        };
        let rate = rates.iter().find(fits).map_or(0.0, |rate| rate.picoseconds_per_element);
        Time::from_picoseconds((rate.max(0.0) * combination.elements as f64).round() as i64)
    };
    steps.combinations.iter().map(time).collect()
}

/// Time of the section: the longest over the ranks.
pub(crate) fn headline(ranks: &[RankOutcome]) -> Time {
    ranks.iter().map(|rank| rank.end - rank.begin).max().unwrap_or_default()
}
