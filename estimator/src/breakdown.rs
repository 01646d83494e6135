//! The books of a replay: time per rank, block and call site in categories, within the section; how
//! much of the compute time is covered by measurements; times between reads of the clock.

use crate::block_times::{BlockTimesTable, Coverage};
use crate::replay::observer::{Observer, Stretch};
use crate::replay::program::{Clock, Steps};
use base_data::estimate_file::{Activity, Cell, ClockInterval};
use base_data::program_data::ProgramData;
use base_data::{BlockId, CallSiteId, Time};

/// Books of one replay. What happens outside the section is not booked.
#[derive(Debug)]
pub(crate) struct Books<'a> {
    times: &'a BlockTimesTable,
    blocks: usize,
    ranks: Vec<RankBooks>,
    whole_run: bool,
}

#[derive(Clone, Debug, Default)]
struct RankBooks {
    inside: bool,
    split: [Time; 6],
    /// Blocks, then call sites.
    cells: Vec<(u64, [Time; 6])>,
    compute: Computed,
    /// By clock: how often it was read, and when last.
    clocks: Vec<(u64, Time)>,
    /// Clocks in the order of their first read.
    clock_order: Vec<u32>,
}

/// Compute time and what it rests on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Computed {
    pub(crate) time: Time,
    pub(crate) extrapolated: Time,
    pub(crate) executions: u64,
    /// Executions of blocks without any data.
    pub(crate) missing: u64,
}

impl RankBooks {
    fn empty(cells: usize, clocks: usize, inside: bool) -> Self {
        Self {
            inside,
            cells: vec![(0, [Time::ZERO; 6]); cells],
            clocks: vec![(0, Time::ZERO); clocks],
            ..Self::default()
        }
    }
}

impl<'a> Books<'a> {
    /// Empty books.
    pub(crate) fn new(steps: &Steps, times: &'a BlockTimesTable) -> Self {
        let whole_run = !steps.has_section;
        let empty = RankBooks::empty(steps.blocks + steps.sites, steps.clocks.len(), whole_run);
        Self { times, blocks: steps.blocks, ranks: vec![empty; steps.ranks.len()], whole_run }
    }

    fn cell(&mut self, rank: u32, activity: Activity) -> &mut (u64, [Time; 6]) {
        let index = match activity {
            Activity::Block(block) => block.index(),
            Activity::Site(site) => self.blocks + site.index(),
        };
        &mut self.ranks[rank as usize].cells[index]
    }

    /// Split of a rank's time.
    pub(crate) fn split(&self, rank: usize) -> [Time; 6] {
        self.ranks[rank].split
    }

    /// All cells in which anything happened, by rank, then blocks, then sites.
    pub(crate) fn cells(&self) -> Vec<Cell> {
        let activity = |index: usize| match index.checked_sub(self.blocks) {
            None => Activity::Block(BlockId::from_index(index)),
            Some(site) => Activity::Site(CallSiteId::from_index(site)),
        };
        let of_rank = |(rank, books): (usize, &RankBooks)| -> Vec<Cell> {
            let filled = books.cells.iter().enumerate().filter(|(_, (count, _))| *count > 0);
            filled
                .map(|(index, &(count, split))| Cell {
                    rank: rank as u32,
                    activity: activity(index),
                    count,
                    split,
                })
                .collect()
        };
        self.ranks.iter().enumerate().flat_map(of_rank).collect()
    }

    /// Compute time of all ranks together.
    pub(crate) fn computed(&self) -> Computed {
        self.ranks.iter().fold(Computed::default(), |sum, rank| Computed {
            time: sum.time + rank.compute.time,
            extrapolated: sum.extrapolated + rank.compute.extrapolated,
            executions: sum.executions + rank.compute.executions,
            missing: sum.missing + rank.compute.missing,
        })
    }

    /// Times between clocks that every rank reads exactly once, in the order of rank 0.
    pub(crate) fn clock_intervals(&self, clocks: &[Clock], program: &ProgramData) -> Vec<ClockInterval> {
        let Some(first) = self.ranks.first() else { return Vec::new() };
        let once = |&&clock: &&u32| self.ranks.iter().all(|rank| rank.clocks[clock as usize].0 == 1);
        let order: Vec<u32> = first.clock_order.iter().filter(once).copied().collect();
        let site = |clock: u32| outermost_site(&clocks[clock as usize], program);
        let interval = |pair: &[u32]| {
            let length = |rank: &RankBooks| rank.clocks[pair[1] as usize].1 - rank.clocks[pair[0] as usize].1;
            let longest = self.ranks.iter().map(length).max().unwrap_or_default();
            ClockInterval { from: site(pair[0]), to: site(pair[1]), longest, rank_zero: length(first) }
        };
        order.windows(2).map(interval).collect()
    }
}

/// The site of a clock; of a timing routine that is called from several places, the place.
fn outermost_site(clock: &Clock, program: &ProgramData) -> CallSiteId {
    let path = clock.path.and_then(|path| program.call_paths.get(path as usize));
    path.and_then(|sites| sites.first().copied()).unwrap_or(clock.site)
}

impl Observer for Books<'_> {
    fn began(&mut self, rank: u32) {
        let books = &mut self.ranks[rank as usize];
        *books = RankBooks::empty(books.cells.len(), books.clocks.len(), self.whole_run);
    }

    fn executed(&mut self, rank: u32, activity: Activity) {
        if self.ranks[rank as usize].inside {
            self.cell(rank, activity).0 += 1;
        }
    }

    fn computed(&mut self, rank: u32, variant: u32, time: Time) {
        let books = &mut self.ranks[rank as usize];
        if !books.inside {
            return;
        }
        books.compute.time += time;
        books.compute.executions += 1;
        match self.times.of(rank, variant).coverage {
            Coverage::Measured => {}
            Coverage::Extrapolated { .. } => books.compute.extrapolated += time,
            Coverage::Missing => books.compute.missing += 1,
        }
    }

    fn spent(&mut self, stretch: Stretch) {
        let rank = stretch.rank as usize;
        if self.ranks[rank].inside {
            let (time, category) = (stretch.to - stretch.from, stretch.category.index());
            self.ranks[rank].split[category] += time;
            self.cell(stretch.rank, stretch.activity).1[category] += time;
        }
    }

    fn section(&mut self, rank: u32, begins: bool) {
        self.ranks[rank as usize].inside = begins;
    }

    fn clock(&mut self, rank: u32, clock: u32, at: Time) {
        let books = &mut self.ranks[rank as usize];
        let (count, last) = &mut books.clocks[clock as usize];
        if *count == 0 {
            books.clock_order.push(clock);
        }
        (*count, *last) = (*count + 1, at);
    }
}
