//! Replays of the same program with one parameter multiplied by a factor: the total, and how fast it
//! grows with the factor there.

use super::cause_propagation::CausePropagation;
use super::dependence_edge::CostComponents;
use super::slope::{self, Gradient, Slopes};
use crate::EstimateError;
use crate::interval::MeanTimes;
use crate::replay::dataflow::{BlockTimes, LinkScales};
use crate::replay::observer::NoObserver;
use crate::replay::program::MachineSide;
use crate::replay::timed::Order;
use crate::replay::workspace::Workspace;
use crate::setup::{ChosenModel, Setup, headline, message_costs};
use base_data::comm_data::{LinkClass, ModelFit};
use base_data::explanation::{NetworkTime, SensitivityPoint, Varied};
use base_data::{BlockId, Time};
use machine::network::varied_parameters::scaled;
use machine::platform::LinkFits;

/// A parameter that can be varied.
pub(crate) enum Variation {
    /// A kind of time of the fits of some links.
    Network(NetworkVariation),
    /// The time of a block.
    Block(BlockId),
}

/// A kind of network time.
pub(crate) struct NetworkVariation {
    time: NetworkTime,
    /// By which kind of link it is called.
    link: LinkClass,
    /// Whether it concerns links to self, inside a node, between nodes.
    links: [bool; 3],
    /// What it adds, by size of message, per unit of the factor; empty where messages delay each other.
    gradient: Vec<[f64; CostComponents::KINDS]>,
}

/// Times of blocks with those of one block multiplied.
struct ScaledTimes<'a> {
    mean: MeanTimes<'a>,
    setup: &'a Setup<'a>,
    block: u32,
    factor: f64,
}

impl BlockTimes for ScaledTimes<'_> {
    fn time(&mut self, rank: u32, variant: u32, first: bool) -> Time {
        let time = self.mean.time(rank, variant, first);
        if self.setup.times.of(rank, variant).block == self.block {
            time.scaled(self.factor)
        } else {
            time
        }
    }

    fn state(&self, rank: u32) -> Option<u64> {
        self.mean.state(rank)
    }
}

impl Variation {
    /// What is varied, for reports.
    pub(crate) fn varied(&self) -> Varied {
        match self {
            Variation::Network(network) => Varied::Network {
                time: network.time,
                link: network.link,
            },
            Variation::Block(block) => Varied::Block(*block),
        }
    }

    /// A replay with this parameter multiplied by `factor`.
    ///
    /// # Errors
    /// Those of making the network model.
    pub(crate) fn replay(
        &self,
        setup: &Setup<'_>,
        work: &mut Workspace,
        factor: f64,
    ) -> Result<SensitivityPoint, EstimateError> {
        match self {
            Variation::Network(network) => network.replay(setup, work, factor),
            Variation::Block(block) => replay_block(setup, work, block.0, factor),
        }
    }
}

fn replay_block(
    setup: &Setup<'_>,
    work: &mut Workspace,
    block: u32,
    factor: f64,
) -> Result<SensitivityPoint, EstimateError> {
    let gradient = Gradient::Block {
        block,
        factor,
        times: setup.times,
    };
    let mean = MeanTimes::new(setup.times, setup.speeds);
    run(
        setup,
        work,
        ScaledTimes {
            mean,
            setup,
            block,
            factor,
        },
        gradient,
        factor,
    )
}

fn run<T: BlockTimes>(
    setup: &Setup<'_>,
    work: &mut Workspace,
    times: T,
    gradient: Gradient<'_>,
    factor: f64,
) -> Result<SensitivityPoint, EstimateError> {
    if setup.order != Order::ByRank {
        // What a wait depends on is not known, so there is no slope.
        let (_, outcome) = setup.run(work, LinkScales::ONE, times, NoObserver)?;
        return Ok(SensitivityPoint {
            factor,
            total: headline(&outcome.ranks),
            slope: Time::ZERO,
        });
    }
    let slopes = Slopes::new(gradient, setup.steps.ranks.len());
    let origins = CausePropagation::new(setup.steps, &setup.machine.costs, slopes);
    let (observer, outcome) = setup.run(work, LinkScales::ONE, times, origins)?;
    let last = slope::longest(&outcome.ranks);
    let slope = if setup.steps.has_section {
        observer.carrier.of_section(last)
    } else {
        observer.state(last as u32)
    };
    let slope = Time::from_picoseconds(slope.round() as i64);
    Ok(SensitivityPoint {
        factor,
        total: headline(&outcome.ranks),
        slope,
    })
}

impl NetworkVariation {
    /// Varies a kind of time of some links; `None` if no message costs any of it, or if a cost of one
    /// is not linear in it.
    ///
    /// # Errors
    /// Those of making the network model.
    fn new(
        setup: &Setup<'_>,
        time: NetworkTime,
        link: LinkClass,
        links: [bool; 3],
    ) -> Result<Option<Self>, EstimateError> {
        let none = Self {
            time,
            link,
            links,
            gradient: Vec::new(),
        };
        if setup.order != Order::ByRank {
            let fits = none.fits(setup, 0.0);
            let is_used =
                Self::machine(setup, &of_fits(setup, &fits))?.costs != setup.machine.costs;
            return Ok(if is_used { Some(none) } else { None });
        }
        // Equal differences from 0 to 1 and from 1 to 2 mean that every cost is linear in the factor there.
        let [without, twice] = [none.costs(setup, 0.0)?, none.costs(setup, 2.0)?];
        let once = costs_table(&setup.machine.costs);
        let differences = |a: &[Row], b: &[Row]| -> Vec<Row> {
            let row = |(a, b): (&Row, &Row)| std::array::from_fn(|kind| a[kind] - b[kind]);
            a.iter().zip(b).map(row).collect()
        };
        let (gradient, further) = (differences(&once, &without), differences(&twice, &once));
        let is_linear = gradient
            .iter()
            .flatten()
            .zip(further.iter().flatten())
            .all(|(a, b)| is_equal(*a, *b));
        let is_used = gradient.iter().flatten().any(|added| *added > 0.0);
        if !is_linear || !is_used {
            return Ok(None);
        }
        Ok(Some(Self { gradient, ..none }))
    }

    fn fits(&self, setup: &Setup<'_>, factor: f64) -> [Option<ModelFit>; 3] {
        let fits = &setup.model.fits;
        let fits = [fits.to_self, fits.inside_node, fits.between_nodes];
        std::array::from_fn(|index| {
            let fit = fits[index]?;
            let varied = if self.links[index] {
                scaled(fit, self.time, factor)
            } else {
                None
            };
            Some(varied.unwrap_or_else(|| fit.clone()))
        })
    }

    fn machine(setup: &Setup<'_>, model: &ChosenModel<'_>) -> Result<MachineSide, EstimateError> {
        let network = model.network(setup.steps.ranks.len() as u32)?;
        let costs = message_costs(setup.steps, network.as_ref());
        Ok(MachineSide {
            costs,
            ..setup.machine.clone()
        })
    }

    fn costs(&self, setup: &Setup<'_>, factor: f64) -> Result<Vec<Row>, EstimateError> {
        let fits = self.fits(setup, factor);
        Ok(costs_table(
            &Self::machine(setup, &of_fits(setup, &fits))?.costs,
        ))
    }

    fn replay(
        &self,
        setup: &Setup<'_>,
        work: &mut Workspace,
        factor: f64,
    ) -> Result<SensitivityPoint, EstimateError> {
        let fits = self.fits(setup, factor);
        // Replays in the order of time ask the model itself how long shared stages take.
        let model = of_fits(setup, &fits);
        let machine = Self::machine(setup, &model)?;
        let varied = Setup {
            machine: &machine,
            model: &model,
            ..*setup
        };
        let times = MeanTimes::new(setup.times, setup.speeds);
        run(
            &varied,
            work,
            times,
            Gradient::Network(&self.gradient),
            factor,
        )
    }
}

/// The model of a setup with other fits.
fn of_fits<'a>(setup: &Setup<'_>, fits: &'a [Option<ModelFit>; 3]) -> ChosenModel<'a> {
    let [to_self, inside_node, between_nodes] = [0, 1, 2].map(|index| fits[index].as_ref());
    let fits = LinkFits {
        to_self,
        inside_node,
        between_nodes,
        warnings: Vec::new(),
        shape: setup.model.fits.shape.clone(),
    };
    ChosenModel {
        entry: setup.model.entry,
        fits,
    }
}

type Row = [f64; CostComponents::KINDS];

fn costs_table(costs: &[machine::network::CallCosts]) -> Vec<Row> {
    let row = |costs| CostComponents::ALL.map(|pieces| pieces.time(costs).picoseconds() as f64);
    costs.iter().map(row).collect()
}

/// Up to what rounding several times to picoseconds leaves.
fn is_equal(a: f64, b: f64) -> bool {
    (a - b).abs() <= 16.0
}

/// The kinds of network time that messages of the program take, link by link.
///
/// # Errors
/// Those of making the network model.
pub(crate) fn of_network(setup: &Setup<'_>) -> Result<Vec<Variation>, EstimateError> {
    let mut found = Vec::new();
    for (link, links) in distinct_links(&setup.model.fits) {
        for time in NetworkTime::ALL {
            found.extend(NetworkVariation::new(setup, time, link, links)?.map(Variation::Network));
        }
    }
    Ok(found)
}

/// Kinds of links that have fits of their own; those with the same fit vary together.
fn distinct_links(fits: &LinkFits<'_>) -> Vec<(LinkClass, [bool; 3])> {
    let all = [
        (LinkClass::BetweenNodes, fits.between_nodes),
        (LinkClass::InsideNode, fits.inside_node),
        (LinkClass::ToSelf, fits.to_self),
    ];
    let mut found: Vec<(LinkClass, &ModelFit)> = Vec::new();
    for (link, fit) in all {
        if let Some(fit) =
            // One fit may serve several links (`Platform::fits` substitutes): it is one parameter and varies
            // once.
            fit.filter(|fit| !found.iter().any(|(_, other)| std::ptr::eq(*other, *fit)))
        {
            found.push((link, fit));
        }
    }
    let is_same = |own: Option<&ModelFit>, fit| own.is_some_and(|own| std::ptr::eq(own, fit));
    let links =
        |fit| [fits.to_self, fits.inside_node, fits.between_nodes].map(|own| is_same(own, fit));
    found
        .into_iter()
        .map(|(link, fit)| (link, links(fit)))
        .collect()
}
