//! The main path from base data to an estimate.

use crate::block_times::{self, BlockTimesTable, ComputeSets, Conditions, Coverage};
use crate::contention::Passages;
use crate::estimate_warnings;
use crate::interval::{self, Interval, MeanTimes};
use crate::replay::dataflow::LinkScales;
use crate::replay::observer::Observer;
use crate::replay::program::{LocalTime, Step, Steps, Target};
use crate::replay::workspace::{Outcome, RankOutcome, Workspace};
use crate::replay::{self, Finding, Severity, buffering, matching};
use crate::setup::{
    ChosenModel, Setup, check_length, growing_times, knows_eager_limit, machine_side, order_of,
};
use crate::time_accounting::{MOST_RANKS_WITH_CELLS, TimeAccounts};
use crate::timeline::TimelineBuilder;
use crate::trace_sites::LazyTable;
use crate::{EstimateError, Inputs, Options, causes, link_between, memory};
use base_data::comm_data::LinkClass;
use base_data::compute_data::Unit;
use base_data::estimate_file::{Estimate, RankTime};
use base_data::platform_file::EagerCredit;
use base_data::program_data::{ProgramData, RecordMethod};
use base_data::provenance;
use base_data::{BlockId, Rank, Time};
use machine::Platform;
use machine::collective::selection;
use machine::network::{NetworkModel, Sharing};
use std::collections::BTreeSet;

/// See [`crate::estimate`].
pub(crate) fn estimate(
    inputs: &Inputs<'_>,
    platform: &Platform,
    options: &Options,
) -> Result<Estimate, EstimateError> {
    let program = inputs.program;
    platform.check_capacity(program.ranks)?;
    let model = ChosenModel::choose(platform, options.model.as_deref(), program.ranks)?;
    let link = |a, b| link_between(platform, a, b);
    let nodes = platform.shared_nodes(program.ranks);
    let target = Target::of(platform, &link, &nodes);
    let steps = replay::lower(program, &target)?;
    // Before long messages are split: findings name the calls as the program made them.
    let mut remarks = checked(matching::check(&steps, &program.table))?;
    let steps = match platform.pieces() {
        None => steps,
        Some(longest) => {
            let split = replay::split(steps, longest)?;
            remarks = checked(matching::check(&split, &program.table))?;
            split
        }
    };
    set_up(
        inputs,
        platform,
        &model,
        &steps,
        |setup, compute, network| {
            let mut estimate = replayed(setup, program, options)?;
            let table = LazyTable::new(&program.table, None);
            let of_messages =
                message_warnings(setup, &table, platform, network, estimate.headline)?;
            // What changes the prediction most stands first.
            estimate.warnings.splice(0..0, of_messages);
            estimate.platform = described(platform);
            estimate.model = model.name().into();
            estimate
                .warnings
                .splice(0..0, remarks.into_iter().map(|finding| finding.sentence));
            estimate
                .warnings
                .extend(warnings(inputs, platform, setup, compute));
            let computed = estimate_warnings::times(&estimate.cells);
            estimate.warnings.extend(estimate_warnings::remarks(
                estimate.unit,
                &computed,
                inputs,
                setup.times,
            ));
            estimate.unsteady_blocks = setup.times.unsteady.keys().copied().map(BlockId).collect();
            Ok(estimate)
        },
    )
}

/// Makes everything that replays of the steps on the platform share, for `then`.
///
/// # Errors
/// See [`EstimateError`], and those of `then`.
pub(crate) fn set_up<R>(
    inputs: &Inputs<'_>,
    platform: &Platform,
    model: &ChosenModel<'_>,
    steps: &Steps,
    then: impl FnOnce(&Setup<'_>, &ComputeSets<'_>, &dyn NetworkModel) -> Result<R, EstimateError>,
) -> Result<R, EstimateError> {
    let program = inputs.program;
    let (compute, times) = times_of(inputs, platform, steps)?;
    let network = model.network(program.ranks)?;
    let machine = machine_side(steps, platform, network.as_ref());
    let speeds: Vec<f64> = (0..program.ranks)
        .map(|rank| platform.speed_of(Rank(rank)))
        .collect();
    let residuals = model.residuals();
    let setup = Setup {
        steps,
        machine: &machine,
        model,
        order: order_of(network.as_ref(), platform, steps)?,
        times: &times,
        speeds: &speeds,
        residuals,
    };
    then(&setup, &compute, network.as_ref())
}

/// The times of all variants on the platform, and the compute data that they are from.
///
/// # Errors
/// Those of [`block_times::block_times`].
pub(crate) fn times_of<'a>(
    inputs: &Inputs<'a>,
    platform: &'a Platform,
    steps: &Steps,
) -> Result<(ComputeSets<'a>, BlockTimesTable), EstimateError> {
    let ranks = inputs.program.ranks;
    let wanted = Conditions {
        unit: Unit::Time,
        ranks_per_node: platform.ranks_on_fullest_node(ranks),
        threads: platform.file().threads_per_rank,
    };
    let compute = ComputeSets::of_platform(inputs.compute, platform, ranks);
    let times = block_times::block_times(inputs.program, steps, &compute, wanted)?;
    Ok((compute, times))
}

/// The platform, with what is guessed of it: this stands above the predicted time.
pub(crate) fn described(platform: &Platform) -> String {
    match platform.guessed_speed() {
        None => platform.name().into(),
        Some(guess) => format!("{}, guessing {guess}", platform.name()),
    }
}

/// Lets warnings pass and makes errors of errors.
pub(crate) fn checked(findings: Vec<Finding>) -> Result<Vec<Finding>, EstimateError> {
    let (errors, remarks): (Vec<Finding>, Vec<Finding>) = findings
        .into_iter()
        .partition(|finding| finding.severity == Severity::Error);
    if errors.is_empty() {
        Ok(remarks)
    } else {
        Err(EstimateError::Matching(errors))
    }
}

/// The replays, and all numbers that come from them.
pub(crate) fn replayed(
    setup: &Setup<'_>,
    program: &ProgramData,
    options: &Options,
) -> Result<Estimate, EstimateError> {
    let mut work = Workspace::default();
    let (accounts, outcome) = accounted_replay(setup, &mut work)?;
    if let Some(site) = outcome.endless {
        let finding = matching::endless(setup.steps, &program.table, site);
        return Err(EstimateError::Matching(vec![finding]));
    }
    // Times of ranks that wait for ever mean nothing, so nothing below is computed.
    if !outcome.stuck.is_empty() {
        return Err(EstimateError::Matching(matching::deadlock(
            setup.steps,
            &program.table,
            &outcome,
        )));
    }
    check_section(&outcome)?;
    check_length(setup, &outcome.ranks)?;
    let interval = interval::interval(setup, options.draws, options.seed, &outcome, true)?;
    let method = method(&interval);
    let computed = accounts.computed();
    let rank_time = |(rank, found): (usize, &RankOutcome)| RankTime {
        begin: found.begin,
        end: found.end,
        split: accounts.split(rank),
    };
    let mut estimate = Estimate {
        provenance: program.provenance.clone(),
        ranks: program.ranks,
        headline: interval.headline,
        p10: interval.p10,
        p90: interval.p90,
        draws: interval.draws,
        sources: interval.sources,
        extrapolated_share: (share(computed.extrapolated, computed.time)
            + setup.times.trailing_share)
            .min(1.0),
        assumptions: program.assumptions.clone(),
        program: program.clone(),
        per_rank: outcome.ranks.iter().enumerate().map(rank_time).collect(),
        cells: accounts.cells(),
        clock_intervals: accounts.clock_intervals(&setup.steps.clocks, program),
        replayed_messages: outcome.messages,
        replayed_events: outcome.events,
        ..Estimate::default()
    };
    estimate.provenance.tool_version = env!("CARGO_PKG_VERSION").into();
    estimate.provenance.method = method;
    estimate.warnings.extend(interval.remark);
    // Cells and causes need memory by rank and call site.
    let is_large = setup.steps.ranks.len() > MOST_RANKS_WITH_CELLS;
    if is_large {
        estimate.warnings.push(without_details(program.ranks));
    }
    if options.explain && !is_large {
        let (explanation, remarks) = causes::explain(setup, &mut work, &outcome, &estimate.cells)?;
        estimate.explanation = explanation;
        estimate.warnings.extend(remarks);
    }
    let is_long = outcome.events > MOST_FULL_EVENTS;
    if options.timeline && is_long && !is_large {
        estimate.warnings.push(TOO_LONG_FOR_TIMELINE.into());
    }
    if options.timeline && !is_large && !is_long {
        // The bins of the timeline are chosen by the length of the run, so it needs a replay of its own.
        let total = outcome
            .ranks
            .iter()
            .map(|rank| rank.last)
            .max()
            .unwrap_or_default();
        let builder = TimelineBuilder::new(setup.steps.ranks.len(), total);
        estimate.timeline = mean_replay(setup, &mut work, builder)?.0.finish();
    }
    estimate.warnings.extend(missing_blocks(
        setup,
        program,
        computed.missing,
        computed.executions,
    ));
    Ok(estimate)
}

/// How the predicted time and its interval were computed.
fn method(interval: &Interval) -> String {
    let mean = "replay with mean times";
    match interval.draws {
        0 => mean.into(),
        1 => format!("{mean}, 1 draw"),
        // Nothing varies, so draws would repeat the replay with mean times.
        _ if !interval.has_width() => mean.into(),
        draws => format!("{mean}, {draws} draws"),
    }
}

/// Events of a program that is replayed without adding iterations at once, for the timeline and the
/// explanation: some seconds.
pub(crate) const MOST_FULL_EVENTS: u64 = 1 << 25;
const TOO_LONG_FOR_TIMELINE: &str =
    "the program is too long for a timeline; estimate fewer of its iterations for one";

/// What an estimate of very many ranks leaves out.
fn without_details(ranks: u32) -> String {
    format!(
        "with {ranks} ranks (more than {MOST_RANKS_WITH_CELLS}), times by block and call are summed \
        over equal ranks, under the first of them, and timeline and explanation are omitted; \
        estimate fewer ranks for these"
    )
}

/// A replay in which every block takes its mean time, with time accounts. Of equivalent ranks, one is replayed.
///
/// # Errors
/// Those of making the network model.
fn accounted_replay<'a>(
    setup: &Setup<'a>,
    work: &mut Workspace,
) -> Result<(TimeAccounts<'a>, Outcome), EstimateError> {
    if let Some(equivalent) = setup.equivalent_ranks() {
        let of_groups = |groups: &Setup<'_>| {
            let accounts = TimeAccounts::new(&equivalent.steps, setup.times);
            mean_replay(groups, work, accounts)
        };
        let (accounts, outcome) = setup.of_groups(&equivalent, of_groups)?;
        // Findings about ranks that wait for ever name all of them.
        if outcome.stuck.is_empty() {
            let accounts = accounts.of_all(setup.steps, &equivalent.group_of);
            return Ok((accounts, equivalent.outcome_of_all(outcome, setup.steps)));
        }
    }
    mean_replay(setup, work, TimeAccounts::new(setup.steps, setup.times))
}

/// A replay in which every block takes its mean time.
///
/// # Errors
/// Those of making the network model.
pub(crate) fn mean_replay<O: Observer>(
    setup: &Setup<'_>,
    work: &mut Workspace,
    observer: O,
) -> Result<(O, Outcome), EstimateError> {
    setup.run(
        work,
        LinkScales::ONE,
        MeanTimes::new(setup.times, setup.speeds),
        observer,
    )
}

pub(crate) fn share(part: Time, whole: Time) -> f64 {
    if whole > Time::ZERO {
        part.seconds() / whole.seconds()
    } else {
        0.0
    }
}

/// Every rank must begin and end the section once, in this order.
pub(crate) fn check_section(outcome: &Outcome) -> Result<(), EstimateError> {
    for (rank, found) in outcome.ranks.iter().enumerate() {
        let rank = rank as u32;
        if found.begins != 1 {
            return Err(EstimateError::Section {
                rank,
                what: "begins",
                times: found.begins,
            });
        }
        if found.ends != 1 || found.end < found.begin {
            return Err(EstimateError::Section {
                rank,
                what: "ends",
                times: found.ends,
            });
        }
    }
    Ok(())
}

/// How many places a warning lists.
const MOST_PLACES: usize = 5;

pub(crate) fn missing_blocks(
    setup: &Setup<'_>,
    program: &ProgramData,
    missing: u64,
    executions: u64,
) -> Option<String> {
    let mut blocks: Vec<BlockId> = executed_blocks(setup.steps, setup.times);
    blocks.sort_unstable();
    blocks.dedup();
    if blocks.is_empty() {
        return None;
    }
    let mut places: Vec<String> = blocks
        .iter()
        .filter_map(|block| program.table.blocks.get(block.index()))
        .map(|block| program.table.place(&block.span))
        .collect();
    let more = places.len().saturating_sub(MOST_PLACES);
    places.truncate(MOST_PLACES);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let percent = 100.0 * missing as f64 / executions.max(1) as f64;
    Some(format!(
        "compute data have no time for the blocks at {}{more}; they count as 0 ({percent:.1} % of \
        all executions of compute blocks); measure this version of the program; if that was done, \
        measurement evaluates the real conditions instead of the assumed ones and leaves loops \
        early (measure --all-ranks with a larger --budget, or --assume the outcomes for these \
        data)",
        places.join(", ")
    ))
}

/// Executed blocks without data.
fn executed_blocks(steps: &Steps, times: &BlockTimesTable) -> Vec<BlockId> {
    let is_missing = |place: usize| times.variants[place].coverage == Coverage::Missing;
    let mut missing: BTreeSet<(u32, usize)> = BTreeSet::new();
    for (rank, found) in steps.ranks.iter().enumerate() {
        // Ranks with the same steps differ in what they miss only where their PUs do.
        if rank == 0 || times.is_by_rank() || steps.ranks[rank - 1].list != found.list {
            let executed = steps.of(rank).iter().filter_map(|step| match step {
                Step::Compute { block, variant, .. } => {
                    Some((*block, times.place(rank as u32, *variant)))
                }
                _ => None,
            });
            missing.extend(executed.filter(|(_, place)| is_missing(*place)));
        }
    }
    missing.iter().map(|(block, _)| BlockId(*block)).collect()
}

/// Beginning of the warnings that only concern an estimate with an interval.
pub const NOT_IN_INTERVAL: &str = "the interval does not include";

/// What the user should know before trusting the estimate.
pub(crate) fn warnings(
    inputs: &Inputs<'_>,
    platform: &Platform,
    setup: &Setup<'_>,
    compute: &ComputeSets<'_>,
) -> Vec<String> {
    let mut warnings = setup.times.warnings.clone();
    warnings.extend(setup.model.fits.warnings.iter().cloned());
    // A link class without messages is not missed.
    let used = |link| setup.steps.sizes.iter().any(|size| size.link == link);
    if used(LinkClass::ToSelf) && setup.model.fits.to_self.is_none() {
        warnings.push(format!(
            "messages of a rank to itself take no time: platform '{}' has no data for them",
            platform.name()
        ));
    }
    if let Some(guess) = platform.guessed_speed() {
        warnings.push(format!(
            "a guess, not a measurement: {guess}; measure on a PU of the target"
        ));
    }
    if !setup.steps.sizes.is_empty() && setup.residuals.iter().all(Option::is_none) {
        warnings.push(format!(
            "{NOT_IN_INTERVAL} network uncertainty: the platform's parameters have no error estimate"
        ));
    }
    warnings.extend(free_reductions(platform, setup));
    warnings.extend(default_library(platform, setup));
    warnings.extend(setup.steps.measured_collectives.iter().cloned());
    for data in compute.used() {
        let differing = provenance::mismatches(&inputs.program.provenance, &data.provenance);
        warnings.extend(differing.iter().map(estimate_warnings::unfit_compute_data));
    }
    warnings.extend(memory::remark(inputs.program, compute));
    warnings.extend(one_run(setup.times, compute));
    warnings.extend(time_dependent(inputs.program));
    warnings.extend(without_blocks(inputs.program));
    warnings
}

/// What the model supposes of messages and the platform may not keep: buffers, and bandwidth for each message alone.
///
/// # Errors
/// Those of making the network model.
pub(crate) fn message_warnings(
    setup: &Setup<'_>,
    table: &LazyTable<'_>,
    platform: &Platform,
    network: &dyn NetworkModel,
    total: Time,
) -> Result<Vec<String>, EstimateError> {
    let unsafe_sends = relies_on_buffers(setup, table, platform, network);
    let contention = without_contention(setup, table, platform, network, total)?;
    Ok(unsafe_sends.into_iter().chain(contention).collect())
}

/// A warning about contention that the model ignores, all of it or that of senders.
///
/// # Errors
/// Those of making the network model.
fn without_contention(
    setup: &Setup<'_>,
    table: &LazyTable<'_>,
    platform: &Platform,
    network: &dyn NetworkModel,
    total: Time,
) -> Result<Option<String>, EstimateError> {
    let sharing = network.sharing();
    let leaves_out = match sharing {
        Sharing::Nothing | Sharing::Receivers => true,
        Sharing::Processors | Sharing::Links => false,
    };
    if !leaves_out || setup.steps.sizes.is_empty() {
        return Ok(None);
    }
    let growing = growing_times(setup.steps, network);
    let passages = Passages::new(setup, platform, &growing, sharing);
    let (passages, _) = mean_replay(setup, &mut Workspace::default(), passages)?;
    Ok(passages.remark(network.name(), total, table))
}

/// A warning about sends that deadlock in an MPI library that buffers less than the model assumes.
fn relies_on_buffers(
    setup: &Setup<'_>,
    table: &LazyTable<'_>,
    platform: &Platform,
    network: &dyn NetworkModel,
) -> Option<String> {
    let file = platform.file();
    // Other credits are replayed: the deadlock is then found by the replay itself.
    if file.eager_credit != EagerCredit::Unlimited {
        return None;
    }
    let has_limit = |link| knows_eager_limit(network, link);
    let limit = |link| platform.eager_limit(link);
    let found = buffering::needed(setup.steps, table, &limit, &has_limit)?;
    let source = platform.eager_limit_source(found.link);
    let otherwise = match platform.takes_eager_threshold(found.link) {
        true => format!(
            "or set eager_threshold in platform '{}' if its library buffers more",
            platform.name()
        ),
        false => "unless its library buffers more".to_string(),
    };
    Some(format!(
        "the run may never end: model '{}' completes every send, but {} of {} bytes together, \
        first at {}, can complete only if the MPI library buffers more than {} bytes ({source}); with \
        that limit, {}; call the receives first (MPI_Irecv, MPI_Sendrecv), {otherwise}",
        network.name(),
        match found.messages {
            1 => "1 send".into(),
            many => format!("{many} sends"),
        },
        found.bytes,
        found.place,
        found.limit,
        found.cycle,
    ))
}

/// Measurements of one run know nothing of slow and fast phases of the machine.
fn one_run(times: &BlockTimesTable, compute: &ComputeSets<'_>) -> Option<String> {
    let was_measured = compute
        .used()
        .any(|data| !data.provenance.compiler.is_empty());
    if !was_measured || times.runs.count != 1 {
        return None;
    }
    Some(format!(
        "{NOT_IN_INTERVAL} run-to-run variation: compute data come from a single run; run `mpiete measure` again and \
        combine both with `mpiete merge`"
    ))
}

/// A recording of an unsliced program contains its calls, but no blocks: those are found in the sources.
fn without_blocks(program: &ProgramData) -> Option<String> {
    let has_calls_only = program.method == RecordMethod::Unsliced && program.variants.is_empty();
    if !has_calls_only {
        return None;
    }
    Some(
        "computation takes no time here: the recording contains only MPI calls; prepare a study of \
        the sources to include it"
            .into(),
    )
}

/// The MPI library whose algorithms stand for those of a platform that names none, if collectives send any messages.
fn default_library(platform: &Platform, setup: &Setup<'_>) -> Option<String> {
    let is_named = !platform.file().mpi.library.is_empty();
    let mut channels = setup.steps.channels.iter();
    if is_named || !channels.any(|channel| channel.tag.is_collective()) {
        return None;
    }
    Some(format!(
        "collectives use the algorithms of {}, since platform '{}' names no MPI library; add library and version in its \
         part [mpi]",
        selection::DEFAULT,
        platform.name()
    ))
}

/// Reductions of fewer elements than this are lost in the time of their messages.
const LONG_REDUCTION: u64 = 1000;

fn free_reductions(platform: &Platform, setup: &Setup<'_>) -> Option<String> {
    let pairs = setup.steps.local_times.iter().zip(&setup.machine.combine);
    let longest = pairs
        .filter(|(_, time)| **time == Time::ZERO)
        .filter_map(|(local, _)| match local {
            LocalTime::Combination(what) => Some(what.elements),
            LocalTime::Measured(_) => None,
        })
        .max()?;
    if longest < LONG_REDUCTION {
        return None;
    }
    Some(format!(
        "platform '{}' has no rates of reductions; combining {longest} elements takes no time; the network probe of \
         'mpiete calibrate --write-probe' measures them",
        platform.name()
    ))
}

/// Places whose control flow may differ on another machine. Clocks outside the analysed sources are not among them:
/// [`ProgramData::clock_note`] is the first of all warnings.
pub(crate) fn time_dependent(program: &ProgramData) -> impl Iterator<Item = String> + '_ {
    let noted = [program.clock_outside(), program.random_calls()];
    let places = program.time_dependent.iter();
    let places = places
        .filter(move |&place| !noted.contains(&Some(place)))
        .map(|place| {
            format!(
                "{}: control flow may depend on timing here ({}) and may differ on another machine",
                program.table.site_place(place.site),
                place.reason
            )
        });
    program.random_calls_note().into_iter().chain(places)
}
