//! The predicted time alone: one replay with mean times, which also finds out whether the calls fit
//! together, and the draws of the interval. No time accounting, no timeline, no explanation. A trace goes into steps
//! rank by rank, so that the streams of its ranks are never in memory together.

use crate::assemble::{
    check_section, checked, described, mean_replay, message_warnings, missing_blocks, set_up,
    share, warnings,
};
use crate::block_times::{BlockTimesTable, ComputeSets, mean_costs};
use crate::estimate_warnings::{self, ComputeTimes};
use crate::formats::{TraceContent, TraceFormat};
use crate::import::Imported;
use crate::import::trace_builder::{LoweredTrace, TraceBuilder};
use crate::interval;
use crate::replay::matching::{self, Balance};
use crate::replay::observer::{MessageEndpoint, Observer, Start};
use crate::replay::program::{Channel, RankSteps, Step, Steps, Target};
use crate::replay::snapshot::again;
use crate::replay::workspace::{Outcome, Workspace};
use crate::replay::{self, Finding};
use crate::setup::{ChosenModel, Setup, check_length, headline};
use crate::time_accounting::Computed;
use crate::trace_sites::{LazyTable, TraceSites};
use crate::{EstimateError, Inputs, Options, SampleTimes, link_between};
use base_data::compute_data::Unit;
use base_data::estimate_file::{Activity, Estimate};
use base_data::{BlockId, Time, VariantId};
use machine::Platform;
use machine::network::NetworkModel;
use std::collections::BTreeMap;

/// More ranks than any trace has.
const MOST_TRACED: u32 = 1 << 20;

/// See [`crate::estimate_total`].
pub(crate) fn of_program(
    inputs: &Inputs<'_>,
    platform: &Platform,
    options: &Options,
) -> Result<Estimate, EstimateError> {
    let steps = lowered(inputs, platform, options.model.as_deref())?;
    of_steps(inputs, steps, None, platform, options)
}

fn lowered(
    inputs: &Inputs<'_>,
    platform: &Platform,
    model: Option<&str>,
) -> Result<Steps, EstimateError> {
    platform.check_capacity(inputs.program.ranks)?;
    let link = |a, b| link_between(platform, a, b);
    let nodes = platform.shared_nodes(inputs.program.ranks);
    let target = Target::of(platform, &link, &nodes);
    // Chosen before the lowering, as in the whole estimate, so that both report the same error first.
    ChosenModel::choose(platform, model, inputs.program.ranks)?;
    replay::lower(inputs.program, &target)
}

/// See [`crate::sample_times`].
pub(crate) fn of_sample(
    inputs: &Inputs<'_>,
    platform: &Platform,
    options: &Options,
    number: u32,
) -> Result<SampleTimes, EstimateError> {
    let steps = lowered(inputs, platform, options.model.as_deref())?;
    let table = LazyTable::new(&inputs.program.table, None);
    let model = ChosenModel::choose(platform, options.model.as_deref(), inputs.program.ranks)?;
    let steps = in_pieces(steps, &table, platform)?;
    set_up(inputs, platform, &model, &steps, |setup, _, _| {
        let means = mean_replayed(setup, &table)?.outcome;
        let sample = (number, options.draws);
        let [noisy, uncertain] = interval::draws_of_sample(setup, sample, options.seed, &means)?;
        Ok(SampleTimes {
            mean: headline(&means.ranks),
            noisy,
            uncertain,
        })
    })
}

/// See [`crate::variant_costs`].
pub(crate) fn costs_of_variants(
    inputs: &Inputs<'_>,
    platform: &Platform,
    model: Option<&str>,
) -> Result<BTreeMap<(u32, VariantId), f64>, EstimateError> {
    let steps = lowered(inputs, platform, model)?;
    let model = ChosenModel::choose(platform, model, inputs.program.ranks)?;
    set_up(inputs, platform, &model, &steps, |setup, _, _| {
        let costs = mean_costs(setup.steps, setup.times);
        let by_variant =
            |((rank, variant), cost)| ((rank, VariantId::from_index(variant as usize)), cost);
        Ok(costs.into_iter().map(by_variant).collect())
    })
}

/// See [`crate::estimate_trace_total`].
pub(crate) fn of_trace(
    format: &TraceFormat,
    trace: TraceContent<'_>,
    platform: &Platform,
    options: &Options,
) -> Option<(Estimate, Vec<String>)> {
    let link = |a, b| link_between(platform, a, b);
    let capacity = u32::try_from(platform.capacity()).unwrap_or(u32::MAX);
    let nodes = platform.shared_nodes(capacity.min(MOST_TRACED));
    let target = Target::of(platform, &link, &nodes);
    let mut builder = TraceBuilder::lowered(trace.name, &target);
    // After any error the caller imports the whole trace, which reports it.
    (format.read)(&mut builder, trace.name, trace.content, trace.load).ok()?;
    let LoweredTrace {
        imported,
        steps,
        sites,
    } = builder.finish_lowered()?;
    let Imported {
        program,
        compute,
        remarks,
    } = imported;
    platform.check_capacity(program.ranks).ok()?;
    let inputs = Inputs {
        program: &program,
        compute: std::slice::from_ref(&compute),
    };
    let mut estimate = of_steps(&inputs, steps, Some(&sites), platform, options).ok()?;
    // Its streams went into the steps.
    estimate.program = program;
    Some((estimate, remarks))
}

/// `sites` are those of a trace, whose table has none.
fn of_steps(
    inputs: &Inputs<'_>,
    steps: Steps,
    sites: Option<&TraceSites>,
    platform: &Platform,
    options: &Options,
) -> Result<Estimate, EstimateError> {
    let program = inputs.program;
    let table = LazyTable::new(&program.table, sites);
    let model = ChosenModel::choose(platform, options.model.as_deref(), program.ranks)?;
    let steps = in_pieces(steps, &table, platform)?;
    set_up(
        inputs,
        platform,
        &model,
        &steps,
        |setup, compute, network| {
            replayed(setup, inputs, &table, (platform, network), compute, options)
        },
    )
}

/// The steps with long messages as pieces, where the platform has such.
fn in_pieces(
    steps: Steps,
    table: &LazyTable<'_>,
    platform: &Platform,
) -> Result<Steps, EstimateError> {
    let Some(longest) = platform.pieces() else {
        return Ok(steps);
    };
    checked(matching::check(&steps, table.get()))?;
    replay::split(steps, longest)
}

/// The replay with mean times of a program whose calls fit together.
struct MeanReplay {
    outcome: Outcome,
    sums: Sums,
    remarks: Vec<Finding>,
}

fn mean_replayed(setup: &Setup<'_>, table: &LazyTable<'_>) -> Result<MeanReplay, EstimateError> {
    let steps = setup.steps;
    let mut work = Workspace::default();
    let (watch, outcome) = mean_replay(setup, &mut work, Watch::new(setup))?;
    if let Some(site) = outcome.endless {
        let finding = matching::endless(steps, table.get(), site);
        return Err(EstimateError::Matching(vec![finding]));
    }
    // Matching is checked call by call only if the replay left something over: that check takes longer than the replay.
    let fits = outcome.stuck.is_empty() && watch.balance.fits() && steps.open_wildcards.is_empty();
    let remarks: Vec<Finding> = if fits {
        Vec::new()
    } else {
        checked(matching::check(steps, table.get()))?
    };
    if !outcome.stuck.is_empty() {
        return Err(EstimateError::Matching(matching::deadlock(
            steps,
            table.get(),
            &outcome,
        )));
    }
    check_section(&outcome)?;
    check_length(setup, &outcome.ranks)?;
    Ok(MeanReplay {
        outcome,
        sums: watch.sums,
        remarks,
    })
}

fn replayed(
    setup: &Setup<'_>,
    inputs: &Inputs<'_>,
    table: &LazyTable<'_>,
    (platform, network): (&Platform, &dyn NetworkModel),
    compute: &ComputeSets<'_>,
    options: &Options,
) -> Result<Estimate, EstimateError> {
    let program = inputs.program;
    let MeanReplay {
        outcome,
        sums,
        remarks,
    } = mean_replayed(setup, table)?;
    let interval = interval::interval(setup, options.draws, options.seed, &outcome, false)?;
    let computed = &sums.computed;
    let mut estimate = Estimate {
        provenance: program.provenance.clone(),
        unit: Unit::Time,
        platform: described(platform),
        model: setup.model.name().into(),
        ranks: program.ranks,
        headline: interval.headline,
        p10: interval.p10,
        p90: interval.p90,
        draws: interval.draws,
        extrapolated_share: (share(computed.extrapolated, computed.time)
            + setup.times.trailing_share)
            .min(1.0),
        assumptions: program.assumptions.clone(),
        replayed_messages: outcome.messages,
        replayed_events: outcome.events,
        ..Estimate::default()
    };
    estimate.provenance.tool_version = env!("CARGO_PKG_VERSION").into();
    estimate
        .warnings
        .extend(remarks.into_iter().map(|finding| finding.sentence));
    estimate.warnings.extend(message_warnings(
        setup,
        table,
        platform,
        network,
        estimate.headline,
    )?);
    estimate.warnings.extend(interval.remark);
    estimate.warnings.extend(missing_blocks(
        setup,
        program,
        computed.missing,
        computed.executions,
    ));
    estimate
        .warnings
        .extend(warnings(inputs, platform, setup, compute));
    let of_blocks = sums.times_of_blocks();
    estimate.warnings.extend(estimate_warnings::remarks(
        Unit::Time,
        &of_blocks,
        inputs,
        setup.times,
    ));
    Ok(estimate)
}

/// Watches the replay with mean times.
struct Watch<'a> {
    balance: Balance<'a>,
    times: &'a BlockTimesTable,
    /// By rank: whether it is inside the section.
    inside: Vec<bool>,
    whole_run: bool,
    /// The block that is executed; the variant of a file may belong to another.
    block: BlockId,
    sums: Sums,
    /// As they were at the marks of the replay, by level.
    marks: Vec<Sums>,
}

/// What the replay computes, inside the section.
#[derive(Clone, Debug, Default)]
struct Sums {
    computed: Computed,
    /// By block: executions, and their time.
    blocks: Vec<(u64, Time)>,
}

impl Sums {
    /// Adds what came since `mark` so many times more.
    fn repeat(&mut self, mark: &Self, times: u64) {
        self.computed.repeat(&mark.computed, times);
        for (now, then) in self.blocks.iter_mut().zip(&mark.blocks) {
            now.0 = again(now.0, then.0, times);
            now.1 += (now.1 - then.1).times(times);
        }
    }

    fn times_of_blocks(&self) -> ComputeTimes {
        let executed = (0..)
            .zip(&self.blocks)
            .filter(|(_, (executions, _))| *executions > 0);
        executed
            .map(|(block, (_, time))| (BlockId(block), *time))
            .collect()
    }
}

impl<'a> Watch<'a> {
    fn new(setup: &Setup<'a>) -> Self {
        let (steps, whole_run) = (setup.steps, !setup.steps.has_section);
        // What a rank computes before `MPI_Init` does not count.
        let begins: Vec<bool> = steps
            .lists
            .iter()
            .map(|list| list.steps.contains(&Step::Begin))
            .collect();
        // A list without MPI_Init counts from its first step.
        let inside = |rank: &RankSteps| whole_run && !begins[rank.list as usize];
        Self {
            balance: Balance::new(steps),
            times: setup.times,
            inside: steps.ranks.iter().map(inside).collect(),
            whole_run,
            block: BlockId(0),
            sums: Sums {
                computed: Computed::default(),
                blocks: vec![(0, Time::ZERO); steps.blocks],
            },
            marks: Vec::new(),
        }
    }
}

impl Observer for Watch<'_> {
    fn began(&mut self, rank: u32) {
        self.inside[rank as usize] = self.whole_run;
    }

    #[inline]
    fn executed(&mut self, _rank: u32, activity: Activity) {
        if let Activity::Block(block) = activity {
            self.block = block;
        }
    }

    #[inline]
    fn computed(&mut self, rank: u32, variant: u32, time: Time) {
        if self.inside[rank as usize] {
            self.sums
                .computed
                .add(time, self.times.of(rank, variant).coverage);
            let (executions, sum) = &mut self.sums.blocks[self.block.index()];
            *executions += 1;
            *sum += time;
        }
    }

    fn section(&mut self, rank: u32, begins: bool) {
        self.inside[rank as usize] = begins;
    }

    #[inline]
    fn started(&mut self, start: &Start) {
        self.balance.started(start);
    }

    #[inline]
    fn message_matched(
        &mut self,
        channel: &Channel,
        send: MessageEndpoint,
        receive: MessageEndpoint,
    ) {
        self.balance.message_matched(channel, send, receive);
    }

    fn collective(&mut self, rank: u32, site: u32, signature: u32) {
        self.balance.collective(rank, site, signature);
    }

    fn mark(&mut self, level: usize) {
        if self.marks.len() <= level {
            self.marks.resize(level + 1, Sums::default());
        }
        self.marks[level].clone_from(&self.sums);
        self.balance.mark(level);
    }

    fn is_as_marked(&self, level: usize) -> bool {
        self.balance.is_as_marked(level)
    }

    fn repeat(&mut self, level: usize, times: u64) {
        self.sums.repeat(&self.marks[level], times);
        self.balance.repeat(level, times);
    }
}
