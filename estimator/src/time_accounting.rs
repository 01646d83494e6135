//! Time accounting of a replay: time per rank, block and call site in categories, within the section; how
//! much of the compute time is covered by measurements; times between reads of the clock.

use crate::block_times::{BlockTimesTable, Coverage};
use crate::replay::observer::{Observer, Stretch};
use crate::replay::program::{Clock, Step, Steps};
use crate::replay::snapshot::again;
use base_data::estimate_file::{Activity, Cell, ClockInterval};
use base_data::program_data::ProgramData;
use base_data::{BlockId, CallSiteId, Time};

/// Programs of more ranks have their cells by kind of rank: one row for all ranks that do the same,
/// under the number of the first of them. Cells of so many ranks would fill the memory, and no user reads them all.
pub const MOST_RANKS_WITH_CELLS: usize = 65_536;

/// Time accounts of one replay. Time outside the section is not accounted.
#[derive(Debug)]
pub(crate) struct TimeAccounts<'a> {
    times: &'a BlockTimesTable,
    blocks: usize,
    whole_run: bool,
    /// The blocks and call sites of each list of steps.
    activities: Activities,
    /// Rows of cells: each has a cell for what its list contains.
    cell_rows: Vec<CellRow>,
    /// The row of cells of each rank, and whether it is the rank's alone.
    rows: Vec<u32>,
    apart: bool,
    /// The rank that gives each row its number.
    row_ranks: Vec<u32>,
    ranks: Vec<RankTimeAccounts>,
    entries: Entries,
    /// As they were at the marks of the replay, by level.
    marks: Vec<Entries>,
    /// By clock: its number among those that every rank reads, [`NOT_OF_ALL`] for others.
    clock_numbers: Vec<u32>,
    /// How many clocks every rank reads.
    common_clocks: usize,
    /// By rank and clock that every rank reads: how often it was read, and when last.
    clocks: Vec<(u64, Time)>,
}

/// A clock that not every rank reads: no time between clocks is reported for it.
const NOT_OF_ALL: u32 = u32::MAX;

/// The blocks and call sites that occur in each list of steps, so that accounts are as large as what ranks
/// execute, not as ranks times blocks and call sites.
#[derive(Debug, Default)]
struct Activities {
    /// Ascending within each list: numbers of blocks, then of call sites behind all blocks.
    keys: Vec<u32>,
    /// By list: where its keys begin; behind the last list, their number.
    starts: Vec<u32>,
}

impl Activities {
    fn of(steps: &Steps) -> Self {
        let (mut keys, mut starts) = (Vec::new(), vec![0]);
        let mut last_list = vec![0; steps.blocks + steps.sites];
        for (number, list) in (1u32..).zip(&steps.lists) {
            let start = keys.len();
            for step in &list.steps {
                let key = match step {
                    Step::Compute { block, .. } => *block as usize,
                    Step::Enter { site } => steps.blocks + *site as usize,
                    _ => continue,
                };
                if last_list[key] != number {
                    last_list[key] = number;
                    keys.push(key as u32);
                }
            }
            keys[start..].sort_unstable();
            starts.push(keys.len() as u32);
        }
        Self { keys, starts }
    }

    fn range(&self, list: u32) -> std::ops::Range<usize> {
        self.starts[list as usize] as usize..self.starts[list as usize + 1] as usize
    }
}

/// The cells of one row, and the keys that they are for.
#[derive(Clone, Copy, Debug)]
struct CellRow {
    first_cell: usize,
    first_key: u32,
    length: u32,
    /// The cell used last: the next one is mostly the same or the one behind it.
    last: u32,
}

impl CellRow {
    fn cells(&self) -> std::ops::Range<usize> {
        self.first_cell..self.first_cell + self.length as usize
    }

    /// The cell of a key; `None` where the list does not contain it.
    #[inline]
    fn cell(&mut self, keys: &[u32], key: u32) -> Option<usize> {
        let own = &keys[self.first_key as usize..][..self.length as usize];
        if own.get(self.last as usize) != Some(&key) {
            let next = self.last + 1;
            self.last = match own.get(next as usize) {
                Some(found) if *found == key => next,
                _ => own.binary_search(&key).ok()? as u32,
            };
        }
        Some(self.first_cell + self.last as usize)
    }
}

/// What adds up.
#[derive(Clone, Debug, Default)]
struct Entries {
    /// By row and what its list contains: executions, and time by category.
    cells: Vec<(u64, [Time; 6])>,
    /// By rank: time by category.
    splits: Vec<[Time; 6]>,
    computed: Vec<Computed>,
}

#[derive(Clone, Debug, Default)]
struct RankTimeAccounts {
    inside: bool,
    /// Clocks in the order of their first read.
    clock_order: Vec<u32>,
}

/// Compute time and what it rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Computed {
    pub(crate) time: Time,
    pub(crate) extrapolated: Time,
    pub(crate) executions: u64,
    /// Executions of blocks without any data.
    pub(crate) missing: u64,
}

impl Computed {
    /// Adds an execution.
    #[inline]
    pub(crate) fn add(&mut self, time: Time, coverage: Coverage) {
        self.time += time;
        self.executions += 1;
        match coverage {
            Coverage::Measured => {}
            Coverage::Extrapolated { .. } => self.extrapolated += time,
            Coverage::Missing => self.missing += 1,
        }
    }

    /// Adds what came since `mark` so many times more.
    pub(crate) fn repeat(&mut self, mark: &Self, times: u64) {
        let later = |now: Time, then: Time| now + (now - then).times(times);
        self.time = later(self.time, mark.time);
        self.extrapolated = later(self.extrapolated, mark.extrapolated);
        self.executions = again(self.executions, mark.executions, times);
        self.missing = again(self.missing, mark.missing, times);
    }

    fn plus(self, other: Self) -> Self {
        Self {
            time: self.time + other.time,
            extrapolated: self.extrapolated + other.extrapolated,
            executions: self.executions + other.executions,
            missing: self.missing + other.missing,
        }
    }
}

impl Entries {
    fn empty(ranks: usize, cells: usize) -> Self {
        let cells = vec![(0, [Time::ZERO; 6]); cells];
        let splits = vec![[Time::ZERO; 6]; ranks];
        Self {
            cells,
            splits,
            computed: vec![Computed::default(); ranks],
        }
    }

    /// Adds what came since `mark` so many times more.
    fn repeat(&mut self, mark: &Self, times: u64) {
        let later = |now: Time, then: Time| now + (now - then).times(times);
        for (now, then) in self
            .cells
            .iter_mut()
            .zip(&mark.cells)
            .filter(|(now, then)| now != then)
        {
            now.0 = again(now.0, then.0, times);
            for (now, then) in now.1.iter_mut().zip(then.1) {
                *now = later(*now, then);
            }
        }
        for (now, then) in self
            .splits
            .iter_mut()
            .flatten()
            .zip(mark.splits.iter().flatten())
        {
            *now = later(*now, *then);
        }
        for (now, then) in self.computed.iter_mut().zip(&mark.computed) {
            now.repeat(then, times);
        }
    }
}

impl<'a> TimeAccounts<'a> {
    /// Empty accounts.
    pub(crate) fn new(steps: &Steps, times: &'a BlockTimesTable) -> Self {
        Self::with_cells(steps, times, steps.ranks.len() <= MOST_RANKS_WITH_CELLS)
    }

    /// Empty accounts; `apart`: each rank has cells of its own.
    fn with_cells(steps: &Steps, times: &'a BlockTimesTable, apart: bool) -> Self {
        let (ranks, whole_run) = (steps.ranks.len(), !steps.has_section);
        let (rows, row_ranks) = rows(steps, apart);
        let activities = Activities::of(steps);
        let cell_rows = cell_rows(steps, &activities, &row_ranks);
        let cells = cell_rows.last().map_or(0, |last| last.cells().end);
        let (clock_numbers, common_clocks) = clocks_of_all(steps);
        // Rows of several ranks cannot be cleared when the time of one begins.
        let inside = whole_run
            && (apart
                || !steps
                    .lists
                    .iter()
                    .any(|list| list.steps.contains(&Step::Begin)));
        Self {
            times,
            blocks: steps.blocks,
            whole_run,
            ranks: vec![
                RankTimeAccounts {
                    inside,
                    clock_order: Vec::new()
                };
                ranks
            ],
            entries: Entries::empty(ranks, cells),
            activities,
            cell_rows,
            rows,
            apart,
            row_ranks,
            marks: Vec::new(),
            clocks: vec![(0, Time::ZERO); ranks * common_clocks],
            clock_numbers,
            common_clocks,
        }
    }

    /// The accounts of all ranks, from those of one rank for each group of equivalent ones.
    pub(crate) fn of_all(self, steps: &Steps, group_of: &[u32]) -> Self {
        let mut all = Self::with_cells(steps, self.times, true);
        let clocks = self.common_clocks;
        for (rank, &group) in group_of.iter().enumerate() {
            let group = group as usize;
            let (from, to) = (self.cell_rows[group].cells(), all.cell_rows[rank].cells());
            all.entries.cells[to].copy_from_slice(&self.entries.cells[from]);
            all.entries.splits[rank] = self.entries.splits[group];
            all.entries.computed[rank] = self.entries.computed[group];
            all.ranks[rank] = self.ranks[group].clone();
            all.clocks[rank * clocks..][..clocks].copy_from_slice(self.clocks_of(group));
        }
        all
    }

    #[inline]
    fn cell(&mut self, rank: u32, activity: Activity) -> Option<&mut (u64, [Time; 6])> {
        let key = match activity {
            Activity::Block(block) => block.0,
            Activity::Site(site) => self.blocks as u32 + site.0,
        };
        let row = &mut self.cell_rows[self.rows[rank as usize] as usize];
        // A message that arrives before the first call takes time of no call.
        let cell = row.cell(&self.activities.keys, key)?;
        self.entries.cells.get_mut(cell)
    }

    fn clocks_of(&self, rank: usize) -> &[(u64, Time)] {
        &self.clocks[rank * self.common_clocks..(rank + 1) * self.common_clocks]
    }

    /// Split of a rank's time.
    pub(crate) fn split(&self, rank: usize) -> [Time; 6] {
        self.entries.splits[rank]
    }

    /// All cells in which anything happened, by rank, then blocks, then sites; see
    /// [`MOST_RANKS_WITH_CELLS`].
    pub(crate) fn cells(&self) -> Vec<Cell> {
        let mut found = Vec::new();
        for (row, &rank) in self.cell_rows.iter().zip(&self.row_ranks) {
            let keys = &self.activities.keys[row.first_key as usize..];
            for (&(count, split), &key) in self.entries.cells[row.cells()].iter().zip(keys) {
                let activity = match (key as usize).checked_sub(self.blocks) {
                    None => Activity::Block(BlockId(key)),
                    Some(site) => Activity::Site(CallSiteId::from_index(site)),
                };
                if count > 0 {
                    found.push(Cell {
                        rank,
                        activity,
                        count,
                        split,
                    });
                }
            }
        }
        found
    }

    /// Compute time of all ranks together.
    pub(crate) fn computed(&self) -> Computed {
        self.entries
            .computed
            .iter()
            .copied()
            .fold(Computed::default(), Computed::plus)
    }

    /// Times between clocks that every rank reads exactly once, in the order of rank 0.
    pub(crate) fn clock_intervals(
        &self,
        clocks: &[Clock],
        program: &ProgramData,
    ) -> Vec<ClockInterval> {
        let Some(first) = self.ranks.first() else {
            return Vec::new();
        };
        let ranks = 0..self.ranks.len();
        let number = |clock: u32| self.clock_numbers[clock as usize] as usize;
        // Between clocks that are read repeatedly, there is no single interval.
        let once = |&&clock: &&u32| {
            ranks
                .clone()
                .all(|rank| self.clocks_of(rank)[number(clock)].0 == 1)
        };
        let order: Vec<u32> = first.clock_order.iter().filter(once).copied().collect();
        let site = |clock: u32| outermost_site(&clocks[clock as usize], program);
        let interval = |pair: &[u32]| {
            let length = |rank: usize| {
                let clocks = self.clocks_of(rank);
                clocks[number(pair[1])].1 - clocks[number(pair[0])].1
            };
            let longest = ranks.clone().map(length).max().unwrap_or_default();
            ClockInterval {
                from: site(pair[0]),
                to: site(pair[1]),
                longest,
                rank_zero: length(0),
            }
        };
        order.windows(2).map(interval).collect()
    }
}

/// The cells of each row: those of the list of the rank that gives the row its number.
fn cell_rows(steps: &Steps, activities: &Activities, row_ranks: &[u32]) -> Vec<CellRow> {
    let mut rows = Vec::with_capacity(row_ranks.len());
    let mut first_cell = 0;
    for &rank in row_ranks {
        let keys = activities.range(steps.ranks[rank as usize].list);
        let row = CellRow {
            first_cell,
            first_key: keys.start as u32,
            length: keys.len() as u32,
            last: 0,
        };
        first_cell = row.cells().end;
        rows.push(row);
    }
    rows
}

/// Numbers of the clocks that occur in all lists of steps, by clock, and how many there are.
fn clocks_of_all(steps: &Steps) -> (Vec<u32>, usize) {
    // By clock: in how many lists it occurs, and the last of them.
    let mut found = vec![(0, 0); steps.clocks.len()];
    for (number, list) in (1..).zip(&steps.lists) {
        for step in &list.steps {
            if let Step::Clock { clock } = step
                // Counted once per list, however often the list reads it. Lists are numbered from 1, so 0 is
                // none.
                && found[*clock as usize].1 != number
            {
                let (lists, last) = &mut found[*clock as usize];
                (*lists, *last) = (*lists + 1, number);
            }
        }
    }
    let mut numbers = vec![NOT_OF_ALL; found.len()];
    let mut count = 0;
    for (number, _) in numbers
        .iter_mut()
        .zip(&found)
        .filter(|(_, (lists, _))| *lists == steps.lists.len())
    {
        *number = count;
        count += 1;
    }
    (numbers, count as usize)
}

/// The row of cells of each rank, and the rank that gives each row its number.
fn rows(steps: &Steps, apart: bool) -> (Vec<u32>, Vec<u32>) {
    if apart {
        let rows: Vec<u32> = (0..steps.ranks.len() as u32).collect();
        return (rows.clone(), rows);
    }
    let rows: Vec<u32> = steps.ranks.iter().map(|rank| rank.list).collect();
    // Lists are numbered in the order of the first ranks that have them.
    let mut first_ranks: Vec<u32> = Vec::with_capacity(steps.lists.len());
    for (rank, &row) in (0..).zip(&rows) {
        if row as usize == first_ranks.len() {
            first_ranks.push(rank);
        }
    }
    (rows, first_ranks)
}

/// The site of a clock; of a timing routine that is called from several places, the place.
fn outermost_site(clock: &Clock, program: &ProgramData) -> CallSiteId {
    let path = clock
        .path
        .and_then(|path| program.call_paths.get(path as usize));
    path.and_then(|sites| sites.first().copied())
        .unwrap_or(clock.site)
}

impl Observer for TimeAccounts<'_> {
    fn began(&mut self, rank: u32) {
        let rank = rank as usize;
        if self.apart {
            // A shared row cannot be cleared for one rank: others may have begun already.
            self.entries.cells[self.cell_rows[rank].cells()].fill((0, [Time::ZERO; 6]));
        }
        (self.entries.splits[rank], self.entries.computed[rank]) =
            ([Time::ZERO; 6], Computed::default());
        self.ranks[rank] = RankTimeAccounts {
            inside: self.whole_run,
            clock_order: Vec::new(),
        };
        let number = self.common_clocks;
        self.clocks[rank * number..(rank + 1) * number].fill((0, Time::ZERO));
    }

    #[inline]
    fn executed(&mut self, rank: u32, activity: Activity) {
        if self.ranks[rank as usize].inside
            && let Some(cell) = self.cell(rank, activity)
        {
            cell.0 += 1;
        }
    }

    #[inline]
    fn computed(&mut self, rank: u32, variant: u32, time: Time) {
        if !self.ranks[rank as usize].inside {
            return;
        }
        let coverage = self.times.of(rank, variant).coverage;
        self.entries.computed[rank as usize].add(time, coverage);
    }

    #[inline]
    fn spent(&mut self, stretch: Stretch) {
        if self.ranks[stretch.rank as usize].inside {
            let (time, category) = (stretch.to - stretch.from, stretch.category.index());
            self.entries.splits[stretch.rank as usize][category] += time;
            if let Some(cell) = self.cell(stretch.rank, stretch.activity) {
                cell.1[category] += time;
            }
        }
    }

    fn section(&mut self, rank: u32, begins: bool) {
        self.ranks[rank as usize].inside = begins;
    }

    fn clock(&mut self, rank: u32, clock: u32, at: Time) {
        let number = self.clock_numbers[clock as usize];
        if number == NOT_OF_ALL {
            return;
        }
        let (count, last) = &mut self.clocks[rank as usize * self.common_clocks + number as usize];
        if *count == 0 {
            self.ranks[rank as usize].clock_order.push(clock);
        }
        (*count, *last) = (*count + 1, at);
    }

    fn mark(&mut self, level: usize) {
        if self.marks.len() <= level {
            self.marks.resize_with(level + 1, Entries::default);
        }
        self.marks[level].clone_from(&self.entries);
    }

    fn repeat(&mut self, level: usize, times: u64) {
        self.entries.repeat(&self.marks[level], times);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::program::{RankSteps, StepList};

    #[test]
    fn rows_of_ranks_that_do_the_same_are_one() {
        let work = Step::Compute {
            block: 0,
            variant: 0,
            index: 0,
        };
        let list = StepList {
            steps: vec![Step::Begin, work],
            ..StepList::default()
        };
        let rank = |list| RankSteps {
            list,
            first_channel: 0,
        };
        let steps = Steps {
            lists: vec![list.clone(), list],
            ranks: vec![rank(0), rank(0), rank(1), rank(0)],
            blocks: 1,
            ..Steps::default()
        };
        let table = BlockTimesTable::default();
        let cells = |apart| {
            let mut accounts = TimeAccounts::with_cells(&steps, &table, apart);
            for rank in 0..4 {
                let block = Activity::Block(BlockId(0));
                accounts.executed(rank, block);
                accounts.began(rank);
                (0..=rank).for_each(|_| accounts.executed(rank, block));
            }
            accounts
                .cells()
                .iter()
                .map(|cell| (cell.rank, cell.count))
                .collect::<Vec<_>>()
        };
        assert_eq!(cells(true), [(0, 1), (1, 2), (2, 3), (3, 4)]);
        assert_eq!(cells(false), [(0, 1 + 2 + 4), (2, 3)]);
    }
}
