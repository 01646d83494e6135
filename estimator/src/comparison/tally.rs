//! Sums of one rank's pieces of time: in MPI by call site, outside by the gap between two stops and by
//! block. Every picosecond of the window lies in exactly one gap or call; those of the gaps lie, a
//! second time, in exactly one block or beside all blocks.

use super::elements::{Element, Spent};
use super::shared::{Numbers, SharedStop};
use base_data::Time;
use std::collections::BTreeMap;
use std::ops::Range;

/// Where time is accounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Account {
    /// All computation.
    Computing,
    /// All waiting for a processor.
    Waiting,
    /// All calls.
    Calls,
    /// A call site.
    Call(SharedStop),
    /// Computation between two stops.
    Gap(Option<SharedStop>, Option<SharedStop>),
    /// Computation in a block.
    Block(u32),
    /// Computation beside all blocks.
    BesideBlocks,
}

/// Executions and time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) executions: u64,
    pub(super) time: Time,
}

/// The sums of one rank.
pub(super) type Sums = BTreeMap<Account, Sum>;

/// Accounts the pieces of a rank.
#[derive(Clone)]
pub(super) struct Rules<'a> {
    pub(super) numbers: Numbers<'a>,
    /// Whether section marks are stops.
    pub(super) sections: bool,
    /// The pieces that count.
    pub(super) window: Range<u64>,
}

/// Sums up a rank's pieces.
pub(super) fn tally(elements: impl Iterator<Item = Element>, rules: &Rules<'_>) -> Sums {
    let mut tally = Tally {
        rules,
        piece: 0,
        last: None,
        gap: Spent::default(),
        sums: Sums::new(),
    };
    for element in elements {
        match element {
            Element::Computing { block, spent } => {
                tally.computing(block.map(|id| rules.numbers.block(id)), spent)
            }
            Element::Stop { stop, time } => tally.stop(rules.numbers.stop(stop), time),
        }
    }
    tally.close_gap(None);
    tally.sums
}

struct Tally<'r, 'a> {
    rules: &'r Rules<'a>,
    piece: u64,
    last: Option<SharedStop>,
    gap: Spent,
    sums: Sums,
}

impl Tally<'_, '_> {
    fn counts(&self) -> bool {
        self.rules.window.contains(&self.piece)
    }

    fn record(&mut self, account: Account, time: Time) {
        let sum = self.sums.entry(account).or_default();
        sum.time += time;
        // What is beside all blocks is a rest, not executed as such.
        sum.executions += u64::from(account != Account::BesideBlocks);
    }

    fn computing(&mut self, block: Option<u32>, spent: Spent) {
        if !self.counts() {
            return;
        }
        self.gap += spent;
        match block {
            Some(block) => self.record(Account::Block(block), spent.computing),
            None if spent.computing == Time::ZERO => {}
            None => self.record(Account::BesideBlocks, spent.computing),
        }
    }

    fn stop(&mut self, stop: SharedStop, time: Time) {
        if !self.rules.sections && !matches!(stop, SharedStop::Site(_)) {
            return;
        }
        self.close_gap(Some(stop));
        // Gap, stop, gap, …: see [`super::window`].
        self.piece += 1;
        if self.counts() {
            self.record(Account::Call(stop), time);
            self.record(Account::Calls, time);
        }
        self.piece += 1;
        self.last = Some(stop);
    }

    fn close_gap(&mut self, next: Option<SharedStop>) {
        let gap = std::mem::take(&mut self.gap);
        if self.counts() {
            self.record(Account::Gap(self.last, next), gap.computing);
            self.record(Account::Computing, gap.computing);
            if gap.waiting != Time::ZERO {
                self.record(Account::Waiting, gap.waiting);
            }
        }
    }
}
