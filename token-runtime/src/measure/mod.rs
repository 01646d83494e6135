//! Mode `measure`: times of blocks in the rank that runs them, and when they have been seen often
//! enough for a loop to be cut short. The iteration at which all ranks leave is agreed on in
//! `kernel::cut`.

mod loops;
mod reservoir;
mod samples;
mod stopping_rule;
mod time_series;
mod variants;

use crate::clock::Clock;
use crate::linear_model::{self, VariantTime};
use base_data::compute_data::Unit;
use base_data::ids::BlockId;
use base_data::program_data::Variant;
use base_data::rank_recording::{MeasuredVariant, TimeSeriesSegment};
pub use loops::Iterations;
use loops::Loops;
use samples::Samples;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use time_series::TimeSeries;
use variants::Variants;

/// When a loop's time is known well enough.
#[derive(Clone, Debug, PartialEq)]
pub struct StoppingRule {
    /// Half width of the 95 % interval of the time of all its blocks together, relative to it; a block's own may be a
    /// few times as wide.
    pub relative_interval: f64,
    /// Warm executions before that is looked at.
    pub minimum_samples: u32,
    /// Which loops may be cut.
    pub cutting: Cutting,
    /// Time one loop may take, over all its instances, before it is cut in any case: time that passes,
    /// also where statements are counted.
    pub budget: Duration,
    /// Time that one loop is measured at least, over all its instances: some slow or quick moment of the machine is not
    /// all that is seen. Counting statements is the same at any moment.
    pub minimum_time: Duration,
}

impl Default for StoppingRule {
    fn default() -> Self {
        let (cutting, budget, minimum_time) =
            (Cutting::Every, Duration::from_secs(10), Duration::ZERO);
        Self {
            relative_interval: 0.02,
            minimum_samples: 5,
            cutting,
            budget,
            minimum_time,
        }
    }
}

/// Which of the loops with communication may be cut short. A loop is cut at the same iteration of the
/// same instance on all ranks, and an instance is identified by how often a rank has entered the loop: ranks
/// that enter one more often than others do not leave it together, and wait for each other for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cutting {
    /// Every one.
    #[default]
    Every,
    /// Those that no other one is around: a program's loop over its steps, which all ranks make.
    Outermost,
    /// None: the program runs whole.
    Never,
}

impl Cutting {
    /// The first to try is the quickest, the last one always does.
    pub const ALL: [Cutting; 3] = [Cutting::Every, Cutting::Outermost, Cutting::Never];

    /// Whether a loop with so many others around it may be cut.
    fn allows(self, around: usize) -> bool {
        match self {
            Cutting::Every => true,
            Cutting::Outermost => around == 0,
            Cutting::Never => false,
        }
    }
}

/// From this many picoseconds on, the processor's time is asked for as well: it costs a system
/// call (0.6 µs), and only long blocks are likely to be interrupted.
const LONG_BLOCK: f64 = 20e6;
/// Variants of a block that are compared with each other.
const MAX_COMPARED_VARIANTS: usize = 64;
/// A loop makes at least this many iterations.
const MINIMUM_ITERATIONS: u64 = 2;

/// An execution of a block that has not ended.
#[derive(Clone, Copy, Debug, Default)]
struct RunningExecution {
    variant: u32,
    /// When it began, and the timer's own cost.
    start: u64,
}

/// All measurements of one rank.
#[derive(Debug)]
pub struct Measure {
    rule: StoppingRule,
    long: u64,
    cost: u64,
    variants: Variants,
    /// By variant.
    samples: Vec<Samples>,
    /// By variant: whether another rank has measured it. Those behind the end are not.
    known: Vec<bool>,
    /// Blocks begun and not ended; only the outermost counts.
    depth: u32,
    open: RunningExecution,
    /// Whether what was begun last ends with whatever comes first: what a statement that leads to calls evaluates itself.
    is_prologue: bool,
    /// When the last block was over.
    over: u64,
    /// The processor's clock at its beginning, if its variant is watched.
    processor: Option<u64>,
    /// Pages that had been found missing by then, if it is watched and those before were long.
    page_faults: Option<u64>,
    /// What a missing page takes, in picoseconds.
    page: f64,
    loops: Loops,
    /// By block: whether its work changes while the loops around it run. Those behind the end do not.
    iteration_dependent: Vec<bool>,
    /// By variant of such a block: its times in order.
    time_series: BTreeMap<u32, TimeSeries>,
}

impl Measure {
    /// Nothing measured yet; `clock` is the one that will be read.
    pub fn new(rule: StoppingRule, clock: &mut impl Clock) -> Self {
        Self {
            rule,
            long: long(clock),
            cost: 0,
            variants: Variants::default(),
            samples: Vec::new(),
            known: Vec::new(),
            depth: 0,
            open: RunningExecution::default(),
            is_prologue: false,
            over: 0,
            processor: None,
            page_faults: None,
            page: 0.0,
            loops: Loops::default(),
            iteration_dependent: Vec::new(),
            time_series: BTreeMap::new(),
        }
    }

    /// Ticks that beginning and ending a block add to its time; subtracted from every sample.
    pub fn set_cost(&mut self, ticks: u64) {
        self.cost = ticks;
    }

    /// What a page takes that is missing when it is touched, in picoseconds.
    pub fn set_page(&mut self, picoseconds: f64) {
        self.page = picoseconds;
    }

    /// No loop goes on for the sake of these variants: another rank has measured them. Said before anything
    /// is measured.
    pub fn mark_as_known(&mut self, variants: &[Variant]) {
        for variant in variants {
            let Some(number) = self.variants.own_number(variant.block.0, &variant.terms) else {
                continue;
            };
            // One may have been said twice.
            if number as usize == self.samples.len() {
                self.samples.push(Samples::new(number));
                self.known.push(true);
            }
        }
    }

    /// The work of a block may differ between executions: its times are kept in order.
    pub fn iteration_dependent(&mut self, block: u32) {
        let block = block as usize;
        if self.iteration_dependent.len() <= block {
            self.iteration_dependent.resize(block + 1, false);
        }
        self.iteration_dependent[block] = true;
    }

    /// A block begins. Reads the clock last, and does not wait for what was before: memory may still be
    /// answering it.
    #[inline(always)]
    pub fn begin(&mut self, block: u32, terms: &[i64], clock: &mut impl Clock) {
        if self.is_prologue {
            self.end_prologue(clock);
        }
        self.depth += 1;
        // The time of a nested block is part of the outermost one.
        if self.depth > 1 {
            return;
        }
        match self.variants.latest(block, terms) {
            Some(variant) if self.is_typical(variant) => {
                self.open.variant = variant;
                self.open.start = clock.glance() + self.cost;
            }
            Some(_) | None => self.begin_slow_path(block, terms, clock),
        }
    }

    /// A statement begins that leads to calls or other blocks: what it evaluates itself is a block until anything else begins.
    pub fn begin_prologue(&mut self, block: u32, terms: &[i64], clock: &mut impl Clock) {
        self.end_prologue(clock);
        if self.depth == 0 {
            self.begin(block, terms, clock);
            // Depth 0 lets the next probe begin its own block, after it has ended this one.
            (self.depth, self.is_prologue) = (0, true);
        }
    }

    /// Anything else begins.
    #[inline]
    pub fn end_prologue(&mut self, clock: &mut impl Clock) {
        if self.is_prologue {
            let now = clock.now();
            (self.depth, self.is_prologue) = (1, false);
            self.end(now, clock);
        }
    }

    /// Such a statement is over at `now`: what it did since the last block was, or since the last call, is a block.
    pub fn epilogue(
        &mut self,
        block: u32,
        terms: &[i64],
        (called, now): (u64, u64),
        clock: &mut impl Clock,
    ) {
        self.end_prologue(clock);
        if self.depth > 0 {
            return;
        }
        let since = self.over.max(called).min(now);
        self.begin(block, terms, clock);
        // The processor's time was not read when it began.
        (self.open.start, self.processor, self.page_faults) = (since, None, None);
        self.end(now, clock);
    }

    /// Whether an execution is one of many that were no longer than usual.
    #[inline(always)]
    fn is_typical(&self, variant: u32) -> bool {
        self.samples
            .get(variant as usize)
            .is_some_and(|samples| !samples.is_watched())
    }

    /// The beginning of an execution of another variant than the last, or of one of which little is known.
    #[cold]
    #[inline(never)]
    fn begin_slow_path(&mut self, block: u32, terms: &[i64], clock: &mut impl Clock) {
        self.open.variant = self.variants.number(block, terms);
        if self.open.variant as usize == self.samples.len() {
            self.samples.push(Samples::new(self.open.variant));
            if self.is_iteration_dependent(block) && !self.variants.is_binned(self.open.variant) {
                self.samples[self.open.variant as usize].keep_time_series();
                self.time_series
                    .insert(self.open.variant, TimeSeries::default());
            }
        }
        if !self.is_typical(self.open.variant) {
            let is_long = self.samples[self.open.variant as usize].usual() >= self.long as f64;
            // Reading the number of page faults is a system call, too slow for short blocks.
            self.page_faults = if is_long {
                Some(clock.page_faults())
            } else {
                None
            };
            self.processor = clock.processor();
        }
        self.open.start = clock.glance() + self.cost;
    }

    /// A block has ended; `now` was read as early as possible.
    #[inline(always)]
    pub fn end(&mut self, now: u64, clock: &mut impl Clock) {
        if self.depth != 1 {
            self.depth = self.depth.saturating_sub(1);
            return;
        }
        (self.depth, self.over) = (0, now);
        let RunningExecution { variant, start } = self.open;
        let elapsed = now.saturating_sub(start);
        let Some(samples) = self.samples.get_mut(variant as usize) else {
            return;
        };
        // In a new phase, the innermost loop must first note the variant, which only the slow path does.
        let is_typical = samples.phase == self.loops.phase() && elapsed < self.long;
        if !is_typical || !samples.add_typical(elapsed) {
            self.end_slow_path(elapsed, clock);
        }
    }

    /// The end of an execution that may have been interrupted, or of which little is known.
    #[cold]
    #[inline(never)]
    fn end_slow_path(&mut self, elapsed: u64, clock: &mut impl Clock) {
        let samples = &mut self.samples[self.open.variant as usize];
        samples.phase = self.loops.executed(self.open.variant);
        if elapsed < self.long && samples.add_typical(elapsed) {
            return;
        }
        let before = self
            .processor
            .filter(|_| samples.is_watched() && elapsed >= self.long);
        let processor = before.and_then(|before| Some(clock.processor()?.saturating_sub(before)));
        let ticks = samples.add(elapsed, processor, self.long);
        if let Some(before) = self.page_faults.take() {
            samples.add_page_faults(clock.page_faults().saturating_sub(before));
        }
        if samples.has_time_series()
            && let Some(course) = self.time_series.get_mut(&self.open.variant)
        {
            course.executed(ticks);
        }
    }

    fn is_iteration_dependent(&self, block: u32) -> bool {
        self.iteration_dependent.get(block as usize) == Some(&true)
    }

    /// A loop is about to be entered.
    pub fn enter_loop(&mut self, id: u32, iterations: Iterations, clock: &mut impl Clock) {
        self.end_prologue(clock);
        self.loops.enter(id, iterations, clock.wall());
    }

    /// Blocks may be executed in a loop that was entered whose work may be another one each time: however alike their
    /// times have been so far and however short, only measurements determine their later times, and what others execute this
    /// rank does not know. So it runs whole until its budget is spent.
    pub fn iteration_dependent_loop(&mut self, id: u32) {
        self.loops.has_iteration_dependent_work(id);
    }

    /// Whether a loop was entered that is not known to be over.
    pub fn is_in_loop(&self) -> bool {
        self.loops.is_any_active()
    }

    /// The next iteration of a loop is about to begin: its number from 0 and whether this rank has
    /// seen enough of the loop. `None` for a loop that was not entered.
    pub fn next_iteration(&mut self, id: u32, clock: &mut impl Clock) -> Option<(u64, bool)> {
        self.end_prologue(clock);
        let next = self.loops.next(id, clock.wall())?;
        let may = next.number >= MINIMUM_ITERATIONS && self.rule.cutting.allows(next.around);
        // Left early, it would leave other data in the caches than it does, and what runs behind it in the loop
        // around is measured for that one's sake.
        let stays = next.around > 0 && next.iterations == Iterations::OverData;
        let is_known = || {
            !stays
                && !next.has_iteration_dependent_work
                && self.is_known()
                && !self.finds_new_variants()
        };
        // A count of statements is exact from the first execution on, so no minimum time is needed.
        let is_long = next.spent >= self.rule.minimum_time || clock.unit() == Unit::Statements;
        let is_satisfied = may && (next.spent >= self.rule.budget || is_long && is_known());
        Some((next.number, is_satisfied))
    }

    /// Whether what was executed in the innermost loop is known well enough.
    fn is_known(&self) -> bool {
        let samples = |variant: u32| &self.samples[variant as usize];
        let whole = self
            .loops
            .variants()
            .map(|variant| samples(variant).sum())
            .sum();
        let is_unknown = |variant: &u32| self.known.get(*variant as usize) != Some(&true);
        stopping_rule::is_satisfied(
            &self.rule,
            self.loops.variants().filter(is_unknown).map(samples),
            whole,
        )
    }

    /// Whether the innermost loop still comes to new variants of a block whose times do not follow its work terms: only
    /// measuring determines what those take.
    fn finds_new_variants(&self) -> bool {
        let blocks: BTreeSet<u32> = self
            .loops
            .recent()
            .map(|variant| self.variants.block(variant))
            .collect();
        let contradicts = |block: u32| {
            linear_model::is_violated(
                &self.variant_times(block),
                self.share(block),
                self.rule.relative_interval,
            )
        };
        blocks.into_iter().any(contradicts)
    }

    /// How much of what the innermost loop has executed a block is.
    fn share(&self, block: u32) -> f64 {
        let mut of_block = 0.0;
        let mut of_all = 0.0;
        for variant in self.loops.variants() {
            let time = self.samples[variant as usize].sum();
            of_all += time;
            if self.variants.block(variant) == block {
                of_block += time;
            }
        }
        of_block / of_all
    }

    /// The innermost loop is left before its end: how often what it has executed would have been executed in the rest of
    /// it is not known, so nothing behind it has a number.
    pub fn leave_early(&mut self) {
        for variant in self.loops.variants() {
            self.time_series
                .get_mut(&variant)
                .into_iter()
                .for_each(TimeSeries::end);
        }
    }

    /// The variants of a block as far as the innermost loop has shown; of very many some, evenly, the last among them.
    fn variant_times(&self, block: u32) -> Vec<VariantTime> {
        let of_block = self
            .loops
            .variants()
            .filter(|&variant| self.variants.block(variant) == block);
        let measured: Vec<u32> = of_block
            .filter(|&variant| self.samples[variant as usize].count > 0)
            .collect();
        let every = measured.len().div_ceil(MAX_COMPARED_VARIANTS).max(1);
        let variant_times = |variant: u32| {
            let samples = &self.samples[variant as usize];
            let (terms, time, error) = (
                self.variants.variant(variant).1,
                samples.mean(),
                samples.half_width(),
            );
            VariantTime { terms, time, error }
        };
        // From the back, so that the latest variant is always among those compared.
        measured
            .into_iter()
            .rev()
            .step_by(every)
            .map(variant_times)
            .collect()
    }

    /// Everything measured, in picoseconds, in order of first execution.
    pub fn finish(&mut self, picoseconds_per_tick: f64) -> Vec<MeasuredVariant> {
        let whole: f64 = self.samples.iter().map(Samples::sum).sum();
        let parts = |course: &mut TimeSeries| course.segments(whole, picoseconds_per_tick);
        let mut time_series: BTreeMap<u32, Vec<TimeSeriesSegment>> = self
            .time_series
            .iter_mut()
            .map(|(&number, course)| (number, parts(course)))
            .collect();
        let measured = |(number, samples): (u32, &Samples)| {
            let (block, terms) = self.variants.variant(number);
            Some(MeasuredVariant {
                block: BlockId(block),
                terms,
                first: (self.first(number, samples)? * picoseconds_per_tick).round() as i64,
                warm: samples.warm(picoseconds_per_tick),
                disturbed: samples.disturbed,
                course: time_series.remove(&number).unwrap_or_default(),
                missing_pages: samples.page_faults() * self.page,
            })
        };
        (0..).zip(&self.samples).filter_map(measured).collect()
    }
}

impl Measure {
    /// The first execution, in ticks. Of variants that are taken together each may have a first one among the later
    /// executions, and their mean is what belongs to the mean of the terms.
    fn first(&self, number: u32, samples: &Samples) -> Option<f64> {
        match self.variants.is_binned(number) && samples.count > 0 {
            true => Some(samples.mean()),
            false => samples.first.map(|first| first as f64),
        }
    }
}

/// Ticks from which on a block is long. Preemption cannot change a count of executed statements: with that clock no block is.
fn long(clock: &mut impl Clock) -> u64 {
    match clock.unit() {
        Unit::Time => (LONG_BLOCK / clock.picoseconds_per_tick()) as u64,
        Unit::Statements => u64::MAX,
    }
}

#[cfg(test)]
mod tests;
