//! The predicted time alone: one replay with mean times, which also finds out whether the calls fit
//! together, and the draws of the interval. No time accounting, no timeline, no explanation. A trace goes into steps
//! rank by rank, so that the streams of its ranks are never in memory together.

use crate::assemble::{
    check_section, checked, described, mean_replay, missing_blocks, set_up, share, warnings,
};
use crate::block_times::{BlockTimesTable, ComputeSets};
use crate::breakdown::Computed;
use crate::formats::{LoadTrace, TraceFile, TraceFormat};
use crate::import::Imported;
use crate::import::trace_builder::TraceBuilder;
use crate::interval;
use crate::replay::matching::{self, Balance};
use crate::replay::observer::{Observer, Side, Start};
use crate::replay::program::{Channel, RankSteps, Step, Steps, Target};
use crate::replay::workspace::Workspace;
use crate::replay::{self, Finding};
use crate::setup::{ChosenModel, Setup, check_length};
use crate::{EstimateError, Inputs, Options, link_between};
use base_data::Time;
use base_data::compute_data::Unit;
use base_data::estimate_file::Estimate;
use machine::Platform;

/// See [`crate::estimate_total`].
pub(crate) fn of_program(
    inputs: &Inputs<'_>,
    platform: &Platform,
    options: &Options,
) -> Result<Estimate, EstimateError> {
    platform.check_capacity(inputs.program.ranks)?;
    let link = |a, b| link_between(platform, a, b);
    let target = Target { link: &link, library: &platform.file().mpi.library };
    // What is wrong is found in the order of the whole estimate.
    ChosenModel::choose(platform, options.model.as_deref(), inputs.program.ranks)?;
    of_steps(inputs, replay::lower(inputs.program, &target)?, platform, options)
}

/// See [`crate::estimate_trace_total`].
pub(crate) fn of_trace(
    format: &TraceFormat,
    file: &TraceFile<'_>,
    load: LoadTrace<'_>,
    platform: &Platform,
    options: &Options,
) -> Option<(Estimate, Vec<String>)> {
    let link = |a, b| link_between(platform, a, b);
    let target = Target { link: &link, library: &platform.file().mpi.library };
    let mut builder = TraceBuilder::lowered(file.name, &target);
    (format.read)(&mut builder, file, load).ok()?;
    let (Imported { program, compute, remarks }, steps) = builder.finish_lowered()?;
    platform.check_capacity(program.ranks).ok()?;
    let inputs = Inputs { program: &program, compute: std::slice::from_ref(&compute) };
    let estimate = of_steps(&inputs, steps, platform, options).ok()?;
    Some((estimate, remarks))
}

fn of_steps(
    inputs: &Inputs<'_>,
    steps: Steps,
    platform: &Platform,
    options: &Options,
) -> Result<Estimate, EstimateError> {
    let program = inputs.program;
    let model = ChosenModel::choose(platform, options.model.as_deref(), program.ranks)?;
    let steps = match platform.pieces() {
        None => steps,
        Some(longest) => {
            checked(matching::check(&steps, &program.table))?;
            replay::split(steps, longest)?
        }
    };
    set_up(inputs, platform, &model, &steps, |setup, compute, _| {
        replayed(setup, inputs, platform, compute, options)
    })
}

fn replayed(
    setup: &Setup<'_>,
    inputs: &Inputs<'_>,
    platform: &Platform,
    compute: &ComputeSets<'_>,
    options: &Options,
) -> Result<Estimate, EstimateError> {
    let (program, steps) = (inputs.program, setup.steps);
    let mut work = Workspace::default();
    let (watch, outcome) = mean_replay(setup, &mut work, Watch::new(setup))?;
    let fits = outcome.stuck.is_empty() && watch.balance.fits() && steps.open_wildcards.is_empty();
    let remarks: Vec<Finding> =
        if fits { Vec::new() } else { checked(matching::check(steps, &program.table))? };
    if !outcome.stuck.is_empty() {
        return Err(EstimateError::Matching(matching::deadlock(steps, &program.table, &outcome)));
    }
    check_section(&outcome)?;
    check_length(setup, &outcome.ranks)?;
    let interval = interval::interval(setup, options.draws, options.seed, &outcome, false)?;
    let computed = watch.computed;
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
        extrapolated_share: (share(computed.extrapolated, computed.time) + setup.times.behind).min(1.0),
        assumptions: program.assumptions.clone(),
        replayed_messages: outcome.messages,
        replayed_events: outcome.events,
        ..Estimate::default()
    };
    estimate.provenance.tool_version = env!("CARGO_PKG_VERSION").into();
    estimate.warnings.extend(remarks.into_iter().map(|finding| finding.sentence));
    estimate.warnings.extend(interval.remark);
    estimate.warnings.extend(missing_blocks(setup, program, computed.missing, computed.executions));
    estimate.warnings.extend(warnings(inputs, platform, setup, compute));
    Ok(estimate)
}

/// Watches the replay with mean times.
struct Watch<'a> {
    balance: Balance<'a>,
    times: &'a BlockTimesTable,
    /// By rank: whether it is inside the section.
    inside: Vec<bool>,
    whole_run: bool,
    computed: Computed,
    /// As it was at the marks of the replay, by level.
    marks: Vec<Computed>,
}

impl<'a> Watch<'a> {
    fn new(setup: &Setup<'a>) -> Self {
        let (steps, whole_run) = (setup.steps, !setup.steps.has_section);
        // What a rank computes before `MPI_Init` does not count.
        let begins: Vec<bool> = steps.lists.iter().map(|list| list.steps.contains(&Step::Begin)).collect();
        let inside = |rank: &RankSteps| whole_run && !begins[rank.list as usize];
        Self {
            balance: Balance::new(steps),
            times: setup.times,
            inside: steps.ranks.iter().map(inside).collect(),
            whole_run,
            computed: Computed::default(),
            marks: Vec::new(),
        }
    }
}

impl Observer for Watch<'_> {
    fn began(&mut self, rank: u32) {
        self.inside[rank as usize] = self.whole_run;
    }

    #[inline]
    fn computed(&mut self, rank: u32, variant: u32, time: Time) {
        if self.inside[rank as usize] {
            self.computed.add(time, self.times.of(rank, variant).coverage);
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
    fn met(&mut self, channel: &Channel, send: Side, receive: Side) {
        self.balance.met(channel, send, receive);
    }

    fn collective(&mut self, rank: u32, site: u32, signature: u32) {
        self.balance.collective(rank, site, signature);
    }

    fn mark(&mut self, level: usize) {
        if self.marks.len() <= level {
            self.marks.resize(level + 1, Computed::default());
        }
        self.marks[level] = self.computed;
        self.balance.mark(level);
    }

    fn is_as_marked(&self, level: usize) -> bool {
        self.balance.is_as_marked(level)
    }

    fn repeat(&mut self, level: usize, times: u64) {
        self.computed.repeat(&self.marks[level], times);
        self.balance.repeat(level, times);
    }
}
