//! The times of one rank while it runs: per entry of its stream the gap before it and its duration,
//! in ticks of a clock, in a few bytes each.
//!
//! A rank's own time in a gap is all of it but the waits for a processor that others have: time on a processor, asleep, and waiting for
//! files or for other threads. Time on a processor is known only if it was asked for at both ends, which costs a system call each: it
//! is asked for where the last gap after the same place was long, and where there was none yet. Where it is less than the gap, the
//! waits for a processor are asked for, and from then on at both ends of the gaps after the same place. Blocks are watched likewise.

use base_data::compute_data::Unit;
use base_data::ids::CallSiteId;
use base_data::observation::{ObservedRank, ProcessorTime, Stretch};
use base_data::rank_recording::RankRecording;
use base_data::time::Time;
use token_runtime::clock::Clock;

/// From this many picoseconds on the processor's time is asked for: some 3 % then.
const LONG: f64 = 20e6;
/// Stands for a time that does not fit, which is in the list of long ones.
const ELSEWHERE: u32 = u32::MAX;

/// See above.
#[derive(Debug)]
pub struct Times<C> {
    clock: C,
    /// Gap and duration of each entry.
    entries: Vec<[u32; 2]>,
    /// Those that do not fit, in order.
    longer: Vec<u64>,
    /// When the last entry was over.
    left: u64,
    /// Ticks from which on an interval is long; `None` if the clock has no processor time.
    long: Option<u64>,
    /// Ticks that beginning and ending a block add to its time; they belong to the gap after it.
    cost: u64,
    /// The account when the current interval began, if it was queried.
    account_left: Option<Account>,
    /// Waits for a processor when they were last asked for.
    queued: u64,
    /// (entry, kind of interval, ticks).
    processor: Vec<(u32, Stretch, u64)>,
    /// Where the rank was last, as an index into the list below.
    place: Option<usize>,
    /// Per place: how the last gap after it was, if there was one.
    gaps_after: Vec<Option<Length>>,
    /// Per block: how its last execution was, if there was one.
    blocks: Vec<Option<Length>>,
    /// The block that has begun and not ended.
    open: Option<RunningBlock>,
}

/// How an interval was, which determines what to ask for when the next one of its kind begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    Short,
    Long,
    /// Long, and the thread did not have the processor all the time.
    Interrupted,
}

/// What a thread had of processors up to a moment, in ticks.
#[derive(Clone, Copy, Debug)]
struct Account {
    processor: u64,
    /// How long it waited for one, if that was asked for.
    queued: Option<u64>,
}

/// The rank's own time in an interval.
#[derive(Clone, Copy, Debug)]
struct OwnTime {
    ticks: u64,
    /// Whether the thread did not have the processor all the time.
    is_interrupted: bool,
}

/// A block that has begun and not ended.
#[derive(Clone, Copy, Debug)]
struct RunningBlock {
    block: usize,
    begin: u64,
    account: Option<Account>,
}

/// The moment a call was entered, and the rank's own time in the gap before it if that was asked for.
#[derive(Clone, Copy, Debug)]
pub struct Entered {
    at: u64,
    own: Option<OwnTime>,
}

impl<C: Clock> Times<C> {
    /// Time begins now, as the first call is entered.
    pub fn begin(mut clock: C) -> (Self, Entered) {
        let left = clock.now();
        let long = match clock.unit() {
            Unit::Time => Some(u64::MAX),
            Unit::Statements => None,
        };
        let times = Self {
            long,
            cost: 0,
            clock,
            entries: Vec::new(),
            longer: Vec::new(),
            left,
            account_left: None,
            queued: 0,
            processor: Vec::new(),
            place: None,
            gaps_after: Vec::new(),
            blocks: Vec::new(),
            open: None,
        };
        (
            times,
            Entered {
                at: left,
                own: None,
            },
        )
    }

    /// A first estimate of the clock's rate exists now; until then no interval is long.
    pub fn calibrate(&mut self) {
        if self.long.is_some() {
            self.long = Some((LONG / self.clock.picoseconds_per_tick()) as u64);
            self.queued = self.clock.queued().unwrap_or(0);
        }
    }

    /// So many ticks are the timer's own in every block from now on.
    pub fn set_cost(&mut self, ticks: u64) {
        self.cost = ticks;
    }

    /// The usual ticks of the entries so far; 0 without any.
    pub fn usual_duration(&self) -> u64 {
        let mut durations: Vec<u32> = self.entries.iter().map(|&[_, duration]| duration).collect();
        durations.sort_unstable();
        durations
            .get(durations.len() / 2)
            .map_or(0, |&median| median.into())
    }

    /// A call is entered. Nothing is written down yet.
    #[inline]
    pub fn enter(&mut self) -> Entered {
        let at = self.clock.glance();
        self.close_block(at);
        let gap = at.saturating_sub(self.left);
        let own = match self.account_left {
            Some(account) if self.is_long(gap) => self.own_time(account, gap),
            Some(_) | None => None,
        };
        Entered { at, own }
    }

    /// The account at this moment; with waits for a processor if the last interval of this kind was interrupted.
    fn account(&mut self, last: Option<Length>) -> Option<Account> {
        let queued = match last {
            Some(Length::Interrupted) => self.clock.queued(),
            Some(Length::Short | Length::Long) | None => None,
        };
        let processor = self.clock.processor()?;
        Some(Account { processor, queued })
    }

    /// The rank's own time in an interval that ends now. `None` if the clock has no processor time.
    fn own_time(&mut self, begin: Account, elapsed: u64) -> Option<OwnTime> {
        let processor = self.clock.processor()?.saturating_sub(begin.processor);
        let processor = processor.min(elapsed);
        let is_interrupted = self.is_long(elapsed - processor);
        let ticks = match is_interrupted {
            true => self.without_waits(begin, elapsed).max(processor),
            false => processor,
        };
        Some(OwnTime {
            ticks,
            is_interrupted,
        })
    }

    /// What an interval that ends now has beside waits for a processor; 0 where the system does not state these.
    fn without_waits(&mut self, begin: Account, elapsed: u64) -> u64 {
        let Some(queued) = self.clock.queued() else {
            return 0;
        };
        // Without a reading at its beginning, waits between the last reading and the interval count as the interval's, and its
        // own time is at most too short.
        let since = begin.queued.unwrap_or(self.queued);
        self.queued = queued;
        elapsed.saturating_sub(queued.saturating_sub(since))
    }

    #[inline]
    fn is_long(&self, ticks: u64) -> bool {
        self.long.is_some_and(|long| ticks > long)
    }

    /// Whether the processor's time is worth its price: the last time was long, or nothing is known yet.
    #[inline]
    fn is_watched(&self, last: Option<Length>) -> bool {
        self.long.is_some() && last != Some(Length::Short)
    }

    /// How an interval that is over was.
    #[inline]
    fn length(&self, ticks: u64, own: Option<OwnTime>) -> Length {
        if !self.is_long(ticks) {
            return Length::Short;
        }
        match own {
            Some(own) if own.is_interrupted => Length::Interrupted,
            Some(_) | None => Length::Long,
        }
    }

    /// The call that was entered is an entry, is over, and stands at `site`. Reads the clock last.
    #[inline]
    pub fn leave(&mut self, entered: Entered, site: CallSiteId) {
        let gap = self.take_gap(entered);
        self.arrive(place(site), self.length(gap, entered.own));
        let now = self.clock.glance();
        self.push(gap, now.saturating_sub(entered.at));
        self.left = now;
    }

    /// Reads the clock inside an interval of computation.
    pub fn now(&mut self) -> u64 {
        self.clock.now()
    }

    /// What has passed since `moment` was no computation and belongs to no entry.
    pub fn count_unsupported(&mut self, moment: u64) {
        let passed = self.clock.now() - moment;
        self.left += passed;
        if let Some(open) = &mut self.open {
            open.begin += passed;
        }
    }

    /// A point of the stream that takes no time.
    #[inline]
    pub fn mark(&mut self, entered: Entered, site: Option<CallSiteId>) {
        let gap = self.take_gap(entered);
        match site {
            Some(site) => self.arrive(place(site), self.length(gap, entered.own)),
            None => self.depart(self.length(gap, entered.own)),
        }
        self.push(gap, 0);
        self.left = entered.at;
    }

    /// A block begins; the gap ends when this is over. `entry` writes its entry into the stream.
    pub fn begin_block(&mut self, block: u32, entry: impl FnOnce()) {
        let entered = self.enter();
        entry();
        let gap = self.take_gap(entered);
        self.depart(self.length(gap, entered.own));
        let block = block as usize;
        let last = self.blocks.get(block).copied().flatten();
        let account = match self.is_watched(last) {
            true => self.account(last),
            false => None,
        };
        let begin = self.clock.now();
        self.push(begin - self.left, 0);
        self.left = begin;
        self.open = Some(RunningBlock {
            block,
            begin,
            account,
        });
    }

    /// What has passed since the last entry is a block. `entry` writes its entry into the stream.
    pub fn epilogue_block(&mut self, entry: impl FnOnce()) {
        let now = self.clock.now();
        self.close_block(now);
        entry();
        let since = std::mem::replace(&mut self.left, now);
        self.depart(Length::Short);
        self.push(0, now.saturating_sub(since));
    }

    /// The block that has begun ends.
    pub fn end_block(&mut self) {
        let now = self.clock.now();
        self.close_block(now);
    }

    /// Whatever comes first after its beginning ends a block.
    #[inline]
    fn close_block(&mut self, now: u64) {
        if let Some(open) = self.open.take() {
            self.finish_block(open, now);
        }
    }

    fn finish_block(&mut self, open: RunningBlock, now: u64) {
        let duration = (now - open.begin).saturating_sub(self.cost);
        let own = match open.account {
            Some(account) if self.is_long(duration) => self.own_time(account, duration),
            Some(_) | None => None,
        };
        if let Some(own) = own {
            let entry = self.entries.len() as u32 - 1;
            self.processor.push((entry, Stretch::Entry, own.ticks));
        }
        if self.blocks.len() <= open.block {
            self.blocks.resize(open.block + 1, None);
        }
        self.blocks[open.block] = Some(self.length(duration, own));
        let gap = self.entries.pop().map_or(0, |[gap, _]| gap);
        let gap = if gap == ELSEWHERE {
            self.longer.pop().unwrap_or(0)
        } else {
            u64::from(gap)
        };
        self.push(gap, duration);
        self.left = open.begin + duration;
    }

    /// The gap that ends where a call was entered.
    #[inline]
    fn take_gap(&mut self, entered: Entered) -> u64 {
        let gap = entered.at.saturating_sub(self.left);
        if let Some(own) = entered.own {
            self.processor
                .push((self.entries.len() as u32, Stretch::Gap, own.ticks.min(gap)));
        }
        gap
    }

    /// The gap after the last place is over. Gaps after blocks are not watched.
    #[inline]
    fn depart(&mut self, gap: Length) {
        if let Some(place) = self.place.take() {
            if self.gaps_after.len() <= place {
                self.gaps_after.resize(place + 1, None);
            }
            self.gaps_after[place] = Some(gap);
        }
        self.account_left = None;
    }

    /// The rank is at a place now; after it, the processor's time is asked for if that may be worthwhile.
    #[inline]
    fn arrive(&mut self, place: usize, gap: Length) {
        self.depart(gap);
        self.place = Some(place);
        let last = self.gaps_after.get(place).copied().flatten();
        if self.is_watched(last) {
            self.account_left = self.account(last);
        }
    }

    #[inline]
    fn push(&mut self, gap: u64, duration: u64) {
        let entry = [gap, duration].map(|ticks| u32::try_from(ticks).unwrap_or(ELSEWHERE));
        self.entries.push(entry);
        if entry.contains(&ELSEWHERE) {
            let long = [gap, duration]
                .into_iter()
                .filter(|&ticks| ticks >= u64::from(ELSEWHERE));
            self.longer.extend(long);
        }
    }

    /// What the times count.
    pub fn unit(&self) -> Unit {
        self.clock.unit()
    }

    /// All times; the host and the beginning are not known here.
    pub fn finish(mut self) -> ObservedRank {
        let scale = self.clock.picoseconds_per_tick();
        let time = |ticks: u64| Time::from_picoseconds((ticks as f64 * scale).round() as i64);
        let mut longer = self.longer.into_iter();
        let mut ticks = |short: u32| match short {
            ELSEWHERE => longer.next().unwrap_or(0),
            short => u64::from(short),
        };
        let mut rank = ObservedRank::default();
        for [gap, duration] in self.entries {
            rank.gaps.push(time(ticks(gap)));
            rank.durations.push(time(ticks(duration)));
        }
        let processor = self.processor.into_iter();
        rank.processor = processor
            .map(|(entry, stretch, ticks)| ProcessorTime {
                entry,
                stretch,
                time: time(ticks),
            })
            .collect();
        rank
    }
}

/// Places of calls with and without a mark, one numbering.
#[inline]
fn place(site: CallSiteId) -> usize {
    match site.0.checked_sub(RankRecording::UNMARKED) {
        Some(unmarked) => unmarked as usize * 2 + 1,
        None => site.0 as usize * 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use token_runtime::clock::MockClock;

    const SITE: CallSiteId = CallSiteId(3);

    fn times() -> Times<MockClock> {
        let (mut times, _) = Times::begin(MockClock {
            time: 0,
            processor: Some(0),
            queued: Some(0),
            ..MockClock::default()
        });
        times.calibrate();
        times
    }

    /// A call after `gap` picoseconds, `own` of them the processor's, that takes `duration`.
    fn call(times: &mut Times<MockClock>, gap: u64, own: u64, duration: u64) {
        times.clock.time += gap;
        times.clock.processor = times.clock.processor.map(|time| time + own);
        let entered = times.enter();
        times.clock.time += duration;
        times.leave(entered, SITE);
    }

    fn picoseconds(times: &[Time]) -> Vec<i64> {
        times.iter().map(|time| time.picoseconds()).collect()
    }

    #[test]
    fn gaps_and_durations_are_contiguous() {
        let mut times = times();
        let long = u64::from(u32::MAX);
        for (gap, duration) in [(0, 5), (7, long), (long + 1, long + 2), (long - 1, 0)] {
            call(&mut times, gap, gap, duration);
        }
        times.clock.time += 9;
        let entered = times.enter();
        times.clock.time += 2;
        times.mark(entered, Some(SITE));
        call(&mut times, 1, 1, 1);
        let end = times.clock.time as i64;
        let rank = times.finish();
        let long = long as i64;
        assert_eq!(picoseconds(&rank.gaps), [0, 7, long + 1, long - 1, 9, 3]);
        assert_eq!(picoseconds(&rank.durations), [5, long, long + 2, 0, 0, 1]);
        assert_eq!(rank.whole().picoseconds(), end);
    }

    #[test]
    fn processor_time_is_read_after_call_sites_with_long_gaps() {
        let mut times = times();
        let long = LONG as u64 + 1;
        for (gap, own) in [
            (0, 0),
            (long, 11),
            (long, 12),
            (5, 5),
            (long, 13),
            (long, 14),
        ] {
            call(&mut times, gap, own, 1);
        }
        let found: Vec<(u32, i64)> = times
            .finish()
            .processor
            .iter()
            .map(|p| (p.entry, p.time.picoseconds()))
            .collect();
        assert_eq!(found, [(1, 11), (2, 12), (5, 14)]);
    }

    #[test]
    fn sleep_is_own_time_and_waiting_for_a_processor_is_not() {
        let mut times = times();
        let long = LONG as u64 * 10;
        let mut call_after = |asleep: u64, queued: u64| {
            times.clock.queued = times.clock.queued.map(|time| time + queued);
            call(&mut times, 5 + asleep + queued, 5, 1);
        };
        call_after(0, 0);
        call_after(long, 0);
        call_after(long, 2 * long);
        call_after(0, long);
        let found: Vec<i64> = times
            .finish()
            .processor
            .iter()
            .map(|p| p.time.picoseconds())
            .collect();
        let long = long as i64;
        assert_eq!(found, [5 + long, 5 + long, 5]);
    }

    #[test]
    fn preemption_of_a_single_block_execution_is_detected() {
        let mut times = times();
        call(&mut times, 0, 0, 1);
        let long = LONG as u64 + 1;
        for (length, own) in [(long, 7), (5, 5), (long, 8), (long, 9)] {
            times.begin_block(2, || ());
            times.clock.time += length;
            times.clock.processor = times.clock.processor.map(|time| time + own);
            times.end_block();
        }
        let found: Vec<(u32, i64)> = times
            .finish()
            .processor
            .iter()
            .map(|p| (p.entry, p.time.picoseconds()))
            .collect();
        assert_eq!(found, [(1, 7), (4, 9)]);
    }

    #[test]
    fn timer_overhead_is_excluded_from_block_time() {
        let mut times = times();
        times.set_cost(3);
        call(&mut times, 0, 0, 1);
        for length in [30, 2] {
            times.begin_block(7, || ());
            times.clock.time += length;
            times.end_block();
        }
        assert_eq!(times.usual_duration(), 1);
        call(&mut times, 0, 0, 1);
        let rank = times.finish();
        assert_eq!(picoseconds(&rank.durations), [1, 27, 0, 1]);
        assert_eq!(picoseconds(&rank.gaps), [0, 0, 3, 2]);
    }

    #[test]
    fn epilogue_block_begins_after_the_call() {
        let mut times = times();
        call(&mut times, 4, 4, 6);
        times.clock.time += 9;
        times.epilogue_block(|| ());
        call(&mut times, 2, 2, 1);
        let rank = times.finish();
        assert_eq!(picoseconds(&rank.durations), [6, 9, 1]);
        assert_eq!(picoseconds(&rank.gaps), [4, 0, 2]);
    }

    #[test]
    fn excluded_time_is_in_no_interval() {
        let mut times = times();
        let pause = |times: &mut Times<MockClock>| {
            let moment = times.now();
            times.clock.time += 1000;
            times.count_unsupported(moment);
        };
        times.clock.time += 2;
        pause(&mut times);
        call(&mut times, 3, 3, 1);
        times.begin_block(7, || ());
        times.clock.time += 20;
        pause(&mut times);
        times.end_block();
        call(&mut times, 4, 4, 1);
        let rank = times.finish();
        assert_eq!(picoseconds(&rank.gaps), [5, 0, 4]);
        assert_eq!(picoseconds(&rank.durations), [1, 20, 1]);
    }

    #[test]
    fn next_event_ends_a_prologue_block() {
        let mut times = times();
        call(&mut times, 0, 0, 1);
        for (gap, length, ends) in [(2, 30, true), (4, 50, false)] {
            times.clock.time += gap;
            times.begin_block(7, || ());
            times.clock.time += length;
            if ends {
                times.end_block();
            }
        }
        call(&mut times, 0, 0, 6);
        times.end_block();
        let rank = times.finish();
        assert_eq!(picoseconds(&rank.gaps), [0, 2, 4, 0]);
        assert_eq!(picoseconds(&rank.durations), [1, 30, 50, 6]);
    }
}
