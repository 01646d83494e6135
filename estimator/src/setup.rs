//! A program on a machine, ready for any number of replays: the model and its fits, the costs of
//! messages, and the placement of ranks.

use crate::EstimateError;
use crate::block_times::BlockTimesTable;
use crate::replay::dataflow::{BlockTimes, LinkScales, Replay};
use crate::replay::equivalent_ranks::EquivalentRanks;
use crate::replay::observer::Observer;
use crate::replay::program::{LocalTime, MachineSide, Sending, Size, Steps};
use crate::replay::timed::by_time::Rules;
use crate::replay::timed::{self, Order};
use crate::replay::workspace::{Outcome, RankOutcome, Workspace};
use crate::time_accounting::MOST_RANKS_WITH_CELLS;
use base_data::comm_data::{LinkClass, ModelFit};
use base_data::platform_file::{EagerCredit, Progress};
use base_data::{Rank, Time};
use machine::network::{CallCosts, MODELS, ModelEntry, Protocol, Sharing, model, mpiete};
use machine::platform::{LinkFits, NetworkShape};
use machine::{Message, NetworkModel, Platform, Pu};
use std::collections::BTreeSet;

/// The model to use, and the fits of the links in use.
pub(crate) struct ChosenModel<'a> {
    pub(crate) entry: &'static ModelEntry,
    pub(crate) fits: LinkFits<'a>,
}

/// For replays in which no message is sent.
static UNUSED: ModelEntry = ModelEntry {
    name: "",
    summary: "no messages",
    fits: mpiete::NAME,
    build: mpiete::build,
};

impl<'a> ChosenModel<'a> {
    /// The model that was asked for, or the first that the platform has fits for and whose rules it
    /// follows.
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
            return Ok(Self {
                entry,
                fits: platform.fits(entry.fits, ranks)?,
            });
        }
        let (mut fitting, mut reasons) = (Vec::new(), Vec::new());
        for entry in known_to(platform)? {
            match platform.fits(entry.fits, ranks) {
                Ok(fits) => fitting.push(Self { entry, fits }),
                Err(reason) => reasons.push(reason.to_string()),
            }
        }
        let rules = rules_of(platform);
        // A platform may have parameters of several models: the first whose replay can follow the platform's
        // rules.
        let place = fitting
            .iter()
            .position(|model| model.follows(rules, ranks))
            .unwrap_or(0);
        // The last model is the one that calibration fits, so the remedy names the parameters that it lacks.
        fitting
            .into_iter()
            .nth(place)
            .ok_or_else(|| EstimateError::NoModel(reasons.pop().unwrap_or_default()))
    }

    /// Whether the model can do as the platform's rules say. One that cannot be made says why later.
    fn follows(&self, rules: Rules, ranks: u32) -> bool {
        let sharing = self.network(ranks).map(|network| network.sharing());
        rules == Rules::default() || sharing != Ok(Sharing::Processors)
    }

    /// For replays in which no message is sent.
    pub(crate) fn none() -> ChosenModel<'static> {
        let fits = LinkFits {
            to_self: None,
            inside_node: None,
            between_nodes: None,
            warnings: Vec::new(),
            shape: NetworkShape::default(),
        };
        ChosenModel {
            entry: &UNUSED,
            fits,
        }
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
        [
            self.fits.to_self,
            self.fits.inside_node,
            self.fits.between_nodes,
        ]
        .map(residual)
    }
}

/// The kinds of links that a platform may have parameters for.
const LINKS: [LinkClass; 3] = [
    LinkClass::BetweenNodes,
    LinkClass::InsideNode,
    LinkClass::ToSelf,
];

/// The models that the platform has parameters of for any link; all where it has no parameters at all.
///
/// # Errors
/// Parameters of other models alone.
fn known_to(platform: &Platform) -> Result<Vec<&'static ModelEntry>, EstimateError> {
    let fits = LINKS
        .into_iter()
        .filter_map(|link| platform.comm(link))
        .flat_map(|data| &data.fits);
    let found: BTreeSet<&str> = fits.map(|fit| fit.model.as_str()).collect();
    let known: Vec<_> = MODELS
        .iter()
        .filter(|entry| found.is_empty() || found.contains(entry.fits))
        .collect();
    if known.is_empty() {
        let known: Vec<&str> = MODELS.iter().map(|entry| entry.name).collect();
        let found: Vec<&str> = found.into_iter().collect();
        return Err(EstimateError::NoModel(format!(
            "platform '{}': no parameters of any model known here ({}); found: {}; give communication data with \
             --comm, or make them with 'mpiete calibrate'",
            platform.name(),
            known.join(", "),
            found.join(", ")
        )));
    }
    Ok(known)
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
    /// Whether any message's time in the network varies from one message to another of its length.
    pub(crate) fn messages_vary(&self) -> bool {
        self.machine.costs.iter().any(|costs| costs.noise > 0.0)
    }

    /// Groups of ranks of which one can be replayed for all; `None` if that is not exact, or saves less than half.
    pub(crate) fn equivalent_ranks(&self) -> Option<EquivalentRanks> {
        let times = self.times;
        let is_common = times.set_starts.is_empty() && times.places.is_empty();
        // Above the limit, accounts are summed over ranks.
        let is_large = self.steps.ranks.len() > MOST_RANKS_WITH_CELLS;
        if self.order != Order::ByRank || !is_common || is_large {
            return None;
        }
        EquivalentRanks::of(self.steps, self.speeds)
    }

    /// The result of `then` for one rank of each group.
    ///
    /// # Errors
    /// Those of `then`.
    pub(crate) fn of_groups<R>(
        &self,
        equivalent: &EquivalentRanks,
        then: impl FnOnce(&Setup<'_>) -> Result<R, EstimateError>,
    ) -> Result<R, EstimateError> {
        let firsts = || equivalent.firsts.iter().map(|&rank| rank as usize);
        let machine = MachineSide {
            pus: firsts().map(|rank| self.machine.pus[rank]).collect(),
            costs: self.machine.costs.clone(),
            combine: self.machine.combine.clone(),
        };
        let speeds: Vec<f64> = firsts().map(|rank| self.speeds[rank]).collect();
        then(&Setup {
            steps: &equivalent.steps,
            machine: &machine,
            speeds: &speeds,
            ..*self
        })
    }

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
        let mut replay = Replay {
            steps: self.steps,
            machine: self.machine,
            scales,
            times,
            observer,
        };
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

/// What the platform says of progress and eager messages.
pub(crate) fn rules_of(platform: &Platform) -> Rules {
    let file = platform.file();
    Rules {
        in_call: file.progress == Progress::InCall,
        eager_credit: match file.eager_credit {
            EagerCredit::Unlimited => None,
            EagerCredit::Bytes(bytes) => Some(bytes),
        },
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
    let rules = rules_of(platform);
    let depends_on_arrivals = !steps.open_wildcards.is_empty() || steps.have_overlap();
    let order = Order::of(network.sharing(), rules, depends_on_arrivals);
    if order == Order::Processors
        && let Some(&site) = steps.open_wildcards.first()
    {
        return Err(EstimateError::NoModel(format!(
            "call site {site} receives from MPI_ANY_SOURCE or with MPI_ANY_TAG, and the recording \
            does not contain the matched sender, which model '{}' requires; record the program \
            with this message's envelope, or choose another model",
            network.name()
        )));
    }
    if order == Order::Processors {
        check_rules(network, platform)?;
    }
    Ok(order)
}

/// Refuses a model that cannot follow the platform's rules, whatever the program is.
pub(crate) fn check_rules(
    network: &dyn NetworkModel,
    platform: &Platform,
) -> Result<(), EstimateError> {
    if network.sharing() == Sharing::Processors && rules_of(platform) != Rules::default() {
        return Err(EstimateError::NoModel(format!(
            "model '{}' knows asynchronous progress and unlimited eager credit alone; leave progress and \
             eager_credit out of platform '{}', or choose another model",
            network.name(),
            platform.name()
        )));
    }
    Ok(())
}

/// Where ranks sit and what each size of message costs.
pub(crate) fn machine_side(
    steps: &Steps,
    platform: &Platform,
    network: &dyn NetworkModel,
) -> MachineSide {
    let pus: Vec<Pu> = (0..steps.ranks.len())
        .map(|rank| platform.pu_of(Rank::from_index(rank)))
        .collect();
    let costs = message_costs(steps, network);
    MachineSide {
        pus,
        costs,
        combine: combine_times(steps, platform),
    }
}

/// Costs of messages by size.
pub(crate) fn message_costs(steps: &Steps, network: &dyn NetworkModel) -> Vec<CallCosts> {
    steps
        .sizes
        .iter()
        .map(|size| cost_of(size, network))
        .collect()
}

/// Costs of messages of one size.
pub(crate) fn cost_of(size: &Size, network: &dyn NetworkModel) -> CallCosts {
    // Ends are placeholders.
    // Costs depend on length and link alone in every model of this version.
    let (from, to) = (Pu(0), Pu(0));
    let message = Message {
        from,
        to,
        bytes: size.bytes,
        link: size.link,
        scale: 1.0,
    };
    match size.sending {
        Sending::Standard => network.costs(&message),
        Sending::Synchronous => network.synchronous_costs(&message),
        Sending::Buffered => network.costs(&message).buffered(),
        Sending::Free => CallCosts::FREE,
    }
}

/// By size, the part of a message's time on its way that grows with its length.
pub(crate) fn growing_times(steps: &Steps, network: &dyn NetworkModel) -> Vec<Time> {
    let time = |link, bytes| {
        let (from, to) = (Pu(0), Pu(0));
        network
            .costs(&Message {
                from,
                to,
                bytes,
                link,
                scale: 1.0,
            })
            .network
    };
    steps
        .sizes
        .iter()
        // Less the time of an empty message: what remains is what occupies an interface.
        .map(|size| (time(size.link, size.bytes) - time(size.link, 0)).max(Time::ZERO))
        .collect()
}

/// Whether the model has sends over a kind of link wait for their receives from some length on.
pub(crate) fn knows_eager_limit(network: &dyn NetworkModel, link: LinkClass) -> bool {
    let (from, to) = (Pu(0), Pu(0));
    let longest = Message {
        from,
        to,
        bytes: u64::MAX,
        link,
        scale: 1.0,
    };
    match network.costs(&longest).protocol {
        Protocol::Rendezvous { .. } => true,
        Protocol::Eager | Protocol::Paired => false,
    }
}

/// Times of combining operands, where the platform has rates and nothing otherwise, on its slowest PU; and measured times.
fn combine_times(steps: &Steps, platform: &Platform) -> Vec<Time> {
    local_times(&steps.local_times, steps.ranks.len(), platform)
}

/// The same of some of them, on so many ranks.
pub(crate) fn local_times(
    local_times: &[LocalTime],
    ranks: usize,
    platform: &Platform,
) -> Vec<Time> {
    let data = [LinkClass::BetweenNodes, LinkClass::InsideNode].map(|class| platform.comm(class));
    let rates: Vec<_> = data
        .into_iter()
        .flatten()
        .flat_map(|data| &data.reduction_rates)
        .collect();
    // The rates are those of the PUs that the communication data were measured on, like the times of blocks.
    let mut speed = f64::INFINITY;
    for rank in 0..ranks {
        speed = speed.min(platform.speed_of(Rank::from_index(rank)));
    }
    let time = |local: &LocalTime| {
        let combination = match local {
            LocalTime::Combination(combination) => combination,
            LocalTime::Measured(time) => return *time,
        };
        let fits = |rate: &&&base_data::comm_data::ReductionRate| {
            rate.op == combination.op && rate.element == combination.element
        };
        let rate = rates
            .iter()
            .find(fits)
            .map_or(0.0, |rate| rate.picoseconds_per_element);
        let picoseconds = rate.max(0.0) * combination.elements as f64 / speed;
        Time::from_picoseconds(picoseconds.round() as i64)
    };
    local_times.iter().map(time).collect()
}

/// Time of the section: the longest over the ranks.
pub(crate) fn headline(ranks: &[RankOutcome]) -> Time {
    ranks
        .iter()
        .map(|rank| rank.end - rank.begin)
        .max()
        .unwrap_or_default()
}

/// The longest time that is reported. A little below [`Time::MAX`], where sums saturate: a saturated sum may have
/// become smaller since by a subtraction.
const LONGEST: Time = Time::from_picoseconds(9_000_000_000_000_000_000);

/// Refuses ends that are no times any more, but what sums of times are cut off at.
///
/// # Errors
/// A rank that takes too long.
pub(crate) fn check_length(setup: &Setup<'_>, ranks: &[RankOutcome]) -> Result<(), EstimateError> {
    let is_cut = |rank: &RankOutcome| rank.last.max(rank.end) >= LONGEST;
    match ranks.iter().position(is_cut) {
        Some(rank) => Err(EstimateError::TooLong {
            rank: rank as u32,
            unit: setup.times.unit,
        }),
        None => Ok(()),
    }
}
