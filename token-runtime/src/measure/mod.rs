//! Mode `measure`: times of blocks in the rank that runs them, and when they have been seen often
//! enough for a loop to be cut short. The iteration at which all ranks leave is agreed on in
//! `kernel::cut`.

mod samples;

use crate::clock::Clock;
use crate::intern::Interner;
use base_data::compute_data::Unit;
use base_data::ids::BlockId;
use base_data::rank_recording::MeasuredVariant;
use samples::Samples;
use std::time::Duration;

/// When a block's time is known well enough.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Half width of the 95 % interval of the mean, relative to the mean.
    pub relative_interval: f64,
    /// Warm executions before that is looked at.
    pub minimum_samples: u32,
    /// Which loops may be cut.
    pub cutting: Cutting,
    /// Time one loop may take, over all its instances, before it is cut in any case: time that passes,
    /// also where statements are counted.
    pub budget: Duration,
}

impl Default for Rule {
    fn default() -> Self {
        let (cutting, budget) = (Cutting::Every, Duration::from_secs(10));
        Self { relative_interval: 0.02, minimum_samples: 5, cutting, budget }
    }
}

/// Which of the loops with communication may be cut short. A loop is cut at the same iteration of the
/// same instance on all ranks, and instances are told by how often a rank has entered the loop: ranks
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
const LONG: f64 = 20e6;
/// A loop makes at least this many iterations.
const MINIMUM_ITERATIONS: u64 = 2;

/// A block whose end has not come yet.
#[derive(Debug)]
struct Open {
    entry: u32,
    /// Blocks begun inside it, which do not count.
    depth: u32,
    processor: Option<u64>,
    start: u64,
}

/// A loop that was entered.
#[derive(Debug)]
struct ActiveLoop {
    id: u32,
    iteration: u64,
    entered: Duration,
    blocks: Vec<u64>,
}

/// All measurements of one rank.
#[derive(Debug)]
pub struct Measure {
    rule: Rule,
    long: u64,
    cost: u64,
    variants: Interner,
    entries: Vec<Samples>,
    open: Option<Open>,
    loops: Vec<ActiveLoop>,
    /// Time spent in each loop, by id.
    spent: Vec<Duration>,
    key: Vec<u64>,
}

impl Measure {
    /// Nothing measured yet; `clock` is the one that will be read.
    pub fn new(rule: Rule, clock: &mut impl Clock) -> Self {
        Self {
            rule,
            long: long(clock),
            cost: 0,
            variants: Interner::default(),
            entries: Vec::new(),
            open: None,
            loops: Vec::new(),
            spent: Vec::new(),
            key: Vec::new(),
        }
    }

    /// Ticks that beginning and ending a block add to its time; subtracted from every sample.
    pub fn set_cost(&mut self, ticks: u64) {
        self.cost = ticks;
    }

    /// A block begins. Reads the clock last.
    pub fn begin(&mut self, block: u32, terms: &[i64], clock: &mut impl Clock) {
        if let Some(open) = &mut self.open {
            open.depth += 1;
            return;
        }
        let entry = self.entry(block, terms);
        let is_watched = self.entries[entry as usize].is_watched(self.long);
        let processor = if is_watched { clock.processor() } else { None };
        let start = clock.now();
        self.open = Some(Open { entry, depth: 0, processor, start });
    }

    /// A block has ended; `now` was read as early as possible.
    pub fn end(&mut self, now: u64, clock: &mut impl Clock) {
        let Some(open) = &mut self.open else { return };
        if open.depth > 0 {
            open.depth -= 1;
            return;
        }
        let elapsed = now.saturating_sub(open.start).saturating_sub(self.cost);
        let (entry, before) = (open.entry, open.processor);
        self.open = None;
        let processor = match before {
            Some(before) if elapsed >= self.long => clock.processor().map(|p| p.saturating_sub(before)),
            Some(_) | None => None,
        };
        self.entries[entry as usize].add(elapsed, processor, self.long);
        let (word, bit) = (entry as usize / 64, entry % 64);
        for active in &mut self.loops {
            if active.blocks.len() <= word {
                active.blocks.resize(word + 1, 0);
            }
            active.blocks[word] |= 1 << bit;
        }
    }

    /// A loop is about to be entered.
    pub fn enter_loop(&mut self, id: u32, clock: &mut impl Clock) {
        self.leave_to(id);
        if self.loops.last().is_some_and(|active| active.id == id) {
            self.loops.pop();
        }
        self.loops.push(ActiveLoop { id, iteration: 0, entered: clock.wall(), blocks: Vec::new() });
    }

    /// The next iteration of a loop is about to begin: its number from 0 and whether this rank has
    /// seen enough of the loop. `None` for a loop that was not entered.
    pub fn next_iteration(&mut self, id: u32, clock: &mut impl Clock) -> Option<(u64, bool)> {
        self.leave_to(id);
        let active = self.loops.last_mut().filter(|active| active.id == id)?;
        let now = clock.wall();
        let spent = now.saturating_sub(active.entered);
        active.entered = now;
        let iteration = active.iteration;
        active.iteration += 1;
        if self.spent.len() <= id as usize {
            self.spent.resize(id as usize + 1, Duration::ZERO);
        }
        self.spent[id as usize] += spent;
        let enough = self.spent[id as usize] >= self.rule.budget
            || self.all_are_enough(&self.loops[self.loops.len() - 1]);
        let may = iteration >= MINIMUM_ITERATIONS && self.rule.cutting.allows(self.loops.len() - 1);
        Some((iteration, may && enough))
    }

    fn all_are_enough(&self, active: &ActiveLoop) -> bool {
        let seen = active.blocks.iter().enumerate().flat_map(|(i, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| i * 64 + bit)
        });
        seen.map(|entry| &self.entries[entry]).all(|entry| entry.are_enough(&self.rule))
    }

    /// Loops entered after loop `id` are over. A loop that was never entered ends nothing.
    fn leave_to(&mut self, id: u32) {
        if let Some(at) = self.loops.iter().rposition(|active| active.id == id) {
            self.loops.truncate(at + 1);
        }
    }

    fn entry(&mut self, block: u32, terms: &[i64]) -> u32 {
        self.key.clear();
        self.key.push(u64::from(block));
        self.key.extend(terms.iter().map(|&term| term as u64));
        let (number, new) = self.variants.number(&self.key);
        if new {
            self.entries.push(Samples::new(number));
        }
        number
    }

    /// Everything measured, in picoseconds, in order of first execution.
    pub fn finish(&self, picoseconds_per_tick: f64) -> Vec<MeasuredVariant> {
        let measured = |(number, samples): (usize, &Samples)| {
            let key = self.variants.sequence(number as u32);
            Some(MeasuredVariant {
                block: BlockId(key[0] as u32),
                terms: key[1..].iter().map(|&term| term as i64).collect(),
                first: (samples.first? as f64 * picoseconds_per_tick).round() as i64,
                warm: samples.warm(picoseconds_per_tick),
                disturbed: samples.disturbed,
            })
        };
        self.entries.iter().enumerate().filter_map(measured).collect()
    }
}

/// Ticks from which on a block is long. Executed statements are nobody's to disturb: none is.
fn long(clock: &mut impl Clock) -> u64 {
    match clock.unit() {
        Unit::Time => (LONG / clock.picoseconds_per_tick()) as u64,
        Unit::Statements => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::MockClock;

    fn measure(rule: Rule) -> (Measure, MockClock) {
        let mut clock = MockClock::default();
        (Measure::new(rule, &mut clock), clock)
    }

    fn run(measure: &mut Measure, clock: &mut MockClock, block: u32, terms: &[i64], ticks: u64) {
        measure.begin(block, terms, clock);
        clock.time += ticks;
        let now = clock.time;
        measure.end(now, clock);
    }

    #[test]
    fn first_and_warm_are_kept_apart_per_variant() {
        let (mut m, mut clock) = measure(Rule::default());
        for ticks in [100, 10, 12, 14] {
            run(&mut m, &mut clock, 3, &[5], ticks);
        }
        run(&mut m, &mut clock, 3, &[6], 70);
        let measured = m.finish(2.0);
        assert_eq!((measured[0].first, measured[0].warm.count, measured[0].warm.mean), (200, 3, 24.0));
        assert_eq!(measured[0].warm.quantiles[0], 20);
        assert_eq!(
            (measured[1].terms.as_slice(), measured[1].first, measured[1].warm.count),
            (&[6][..], 140, 0)
        );
    }

    #[test]
    fn its_own_cost_is_subtracted_but_never_below_nothing() {
        let (mut m, mut clock) = measure(Rule::default());
        m.set_cost(30);
        run(&mut m, &mut clock, 1, &[], 100);
        run(&mut m, &mut clock, 1, &[], 20);
        let measured = m.finish(1.0);
        assert_eq!((measured[0].first, measured[0].warm.mean), (70, 0.0));
    }

    #[test]
    fn only_the_outermost_block_counts() {
        let (mut m, mut clock) = measure(Rule::default());
        m.begin(1, &[], &mut clock);
        run(&mut m, &mut clock, 2, &[], 5);
        clock.time += 10;
        m.end(15, &mut clock);
        let measured = m.finish(1.0);
        assert_eq!(measured.len(), 1);
        assert_eq!((measured[0].block.0, measured[0].first), (1, 15));
    }

    #[test]
    fn a_disturbed_execution_is_left_out() {
        let (mut m, mut clock) = measure(Rule::default());
        for (wall, processor) in
            [(50_000_000, 50_000_000), (50_000_000, 49_000_000), (900_000_000, 50_000_000)]
        {
            clock.processor = Some(0);
            m.begin(1, &[], &mut clock);
            clock.time += wall;
            clock.processor = Some(processor);
            let now = clock.time;
            m.end(now, &mut clock);
        }
        let measured = m.finish(1.0);
        assert_eq!((measured[0].warm.count, measured[0].warm.mean, measured[0].disturbed), (1, 49e6, 1));
    }

    /// Runs a loop whose blocks take these times until the rank has seen enough.
    fn iterations(rule: Rule, times: impl Fn(u64) -> u64) -> u64 {
        let (mut m, mut clock) = measure(rule);
        m.enter_loop(4, &mut clock);
        for i in 0..10_000 {
            let (iteration, enough) = m.next_iteration(4, &mut clock).unwrap();
            assert_eq!(iteration, i);
            if enough {
                return i;
            }
            run(&mut m, &mut clock, 1, &[], times(i));
        }
        10_000
    }

    #[test]
    fn a_loop_is_left_when_its_blocks_are_known() {
        assert_eq!(iterations(Rule::default(), |_| 100), 6, "the first and five warm executions");
        let noisy = iterations(Rule::default(), |i| 100 + i % 2 * 20);
        assert!(noisy > 20 && noisy < 200, "{noisy}");
        let budget = Rule { budget: Duration::from_nanos(1000), ..Rule::default() };
        assert_eq!(iterations(budget, |_| 400_000), 3, "the budget of 1000 ns is spent");
        let none = Rule { budget: Duration::ZERO, ..Rule::default() };
        assert_eq!(iterations(none, |_| 400), 2, "two iterations in any case");
    }

    #[test]
    fn no_count_of_statements_is_disturbed() {
        let mut clock = MockClock { unit: Unit::Statements, ..MockClock::default() };
        let mut m = Measure::new(Rule::default(), &mut clock);
        for ticks in [10, 10, 10, 10, 10, 10, 900_000_000, 10] {
            run(&mut m, &mut clock, 1, &[], ticks);
        }
        let measured = m.finish(1.0);
        assert_eq!((measured[0].warm.count, measured[0].disturbed), (7, 0));
    }

    #[test]
    fn loops_inside_others_may_be_left_uncut() {
        for (cutting, expected) in [
            (Cutting::Every, [true, true]),
            (Cutting::Outermost, [true, false]),
            (Cutting::Never, [false; 2]),
        ] {
            let (mut m, mut clock) = measure(Rule { cutting, budget: Duration::ZERO, ..Rule::default() });
            let mut enough = [false; 2];
            m.enter_loop(1, &mut clock);
            for _ in 0..3 {
                enough[0] = m.next_iteration(1, &mut clock).unwrap().1;
            }
            m.enter_loop(2, &mut clock);
            for _ in 0..3 {
                enough[1] = m.next_iteration(2, &mut clock).unwrap().1;
            }
            assert_eq!(enough, expected, "{cutting:?}");
        }
    }

    #[test]
    fn inner_loops_end_with_the_outer_iteration() {
        let (mut m, mut clock) = measure(Rule::default());
        m.enter_loop(1, &mut clock);
        m.next_iteration(1, &mut clock);
        m.enter_loop(2, &mut clock);
        m.next_iteration(2, &mut clock);
        assert_eq!(m.next_iteration(1, &mut clock), Some((1, false)));
        assert_eq!(m.next_iteration(2, &mut clock), None, "it was not entered again");
    }

    #[test]
    fn many_samples_keep_a_bounded_reservoir() {
        let (mut m, mut clock) = measure(Rule::default());
        for i in 0..10_000 {
            run(&mut m, &mut clock, 1, &[], 1000 + i % 100);
        }
        let warm = &m.finish(1.0)[0].warm;
        assert_eq!(warm.count, 9_999);
        assert!((warm.median() - 1049.5).abs() < 5.0, "{}", warm.median());
    }
}
