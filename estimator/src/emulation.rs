//! Emulation: the engine that gives running ranks their virtual times.
//!
//! The engine is the time-ordered replay of estimates ([`crate::estimate`]): a rank's calls are replayed while the rank
//! makes them, so that a message that any call may receive, and a request that any wait may complete, are those of the
//! predicted run. What the ranks leave is an observation ([`crate::import::of_observation`]), whose estimate is that of
//! the run with its split, timeline and causes.

use crate::assemble::times_of;
use crate::block_times::Coverage;
use crate::replay::lower;
use crate::replay::program::Target;
use crate::replay::timed::by_time;
use crate::setup::{self, ChosenModel};
use crate::{EstimateError, Inputs, link_between};
use base_data::compute_data::ComputeData;
use base_data::emulation::{Engine, Submission, Turn};
use base_data::program_data::{Communicator, Op, Operand, ProgramData, RankClass};
use base_data::{BlockId, Rank, RankSet, Time};
use machine::Platform;
use machine::network::Sharing;
use std::collections::BTreeSet;

/// The engine of a run.
#[derive(Debug)]
pub struct Emulation<'p> {
    engine: by_time::Emulation<'p>,
    model: &'static str,
}

impl<'p> Emulation<'p> {
    /// The engine of a run of so many ranks on a platform, under a network model, or the first that the platform has
    /// parameters for.
    ///
    /// # Errors
    /// Links in use without parameters, parameters that make no model, and models whose replay knows no order of
    /// arrivals.
    pub fn new(
        platform: &'p Platform,
        model: Option<&str>,
        ranks: u32,
    ) -> Result<Self, EstimateError> {
        let chosen = ChosenModel::choose(platform, model, ranks)?;
        let network = chosen.network(ranks)?;
        if network.sharing() == Sharing::Processors {
            return Err(EstimateError::NoModel(format!(
                "programs cannot be emulated under model '{}', in which arriving messages interrupt computation; choose \
                 another with --model",
                chosen.name()
            )));
        }
        let rules = setup::rules_of(platform);
        Ok(Self {
            engine: by_time::Emulation::new(platform, network, rules, ranks)?,
            model: chosen.name(),
        })
    }

    /// Name of the network model.
    pub fn model(&self) -> &'static str {
        self.model
    }

    /// When the last rank ended, in virtual time.
    pub fn end(&self) -> Time {
        self.engine.end()
    }
}

impl Engine for Emulation<'_> {
    fn speed(&self, rank: u32) -> f64 {
        self.engine.speed(rank)
    }

    fn node(&self, rank: u32) -> u32 {
        self.engine.node(rank)
    }

    fn submit(&mut self, rank: u32, submission: &Submission) -> Result<(), String> {
        self.engine.submit(rank, submission)
    }

    fn next_turn(&mut self) -> Turn {
        self.engine.next_turn()
    }
}

/// Mean times of compute blocks on the processing units of a platform, for a slice whose blocks take them while it runs.
#[derive(Clone, Debug, Default)]
pub struct MeanBlockTimes {
    /// By rank, then by variant: the mean of executions after the first. Times that change from one execution to the next are
    /// those of all together.
    pub times: Vec<Vec<Time>>,
    /// Blocks without compute data, ascending; they take no time.
    pub missing: Vec<BlockId>,
    /// What is to be known of the times.
    pub warnings: Vec<String>,
}

/// The mean times of the variants of a program, of which only ranks, table and variants are looked at.
///
/// # Errors
/// Compute data of another program, of another unit, or of different processing units.
pub fn mean_block_times(
    program: &ProgramData,
    compute: &[ComputeData],
    platform: &Platform,
) -> Result<MeanBlockTimes, EstimateError> {
    let program = executing_each(program);
    let link = |a, b| link_between(platform, a, b);
    let nodes = platform.shared_nodes(program.ranks);
    let steps = lower(&program, &Target::of(platform, &link, &nodes))?;
    let inputs = Inputs {
        program: &program,
        compute,
    };
    let (_, table) = times_of(&inputs, platform, &steps)?;
    let mut found = MeanBlockTimes {
        warnings: table.warnings_without_shares(),
        ..MeanBlockTimes::default()
    };
    let mut missing = BTreeSet::new();
    for rank in 0..program.ranks {
        let speed = platform.speed_of(Rank(rank));
        let mut times = Vec::new();
        for variant in 0..program.variants.len() as u32 {
            let time = table.of(rank, variant);
            if time.coverage == Coverage::Missing {
                missing.insert(BlockId(time.block));
            }
            let picoseconds = time.warm.mean / speed;
            times.push(Time::from_picoseconds(picoseconds.round() as i64));
        }
        found.times.push(times);
    }
    found.missing.extend(missing);
    Ok(found)
}

/// The program whose ranks execute each of its variants once.
fn executing_each(program: &ProgramData) -> ProgramData {
    let mut stream = Vec::new();
    for (number, variant) in (0..).zip(&program.variants) {
        stream.push(Op::Block {
            block: variant.block,
            variant: Operand::Constant(number),
        });
    }
    let ranks = RankSet::all(program.ranks);
    let world = Communicator {
        parent: None,
        sequence: 0,
        group: ranks.clone(),
    };
    let alone = Communicator {
        parent: None,
        sequence: 0,
        group: RankSet::default(),
    };
    ProgramData {
        provenance: program.provenance.clone(),
        ranks: program.ranks,
        method: program.method,
        table: program.table.clone(),
        variants: program.variants.clone(),
        communicators: vec![world, alone],
        classes: vec![RankClass { ranks, stream }],
        ..ProgramData::default()
    }
}
