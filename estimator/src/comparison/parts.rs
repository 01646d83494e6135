//! The sums of all ranks put together: means, differences, and the share of each part in the
//! difference of the mean times. Sums are exact, so parts add up to their whole.

use super::outcome::{ComponentDifference, RankTimes, RankTotal, TimeComponent};
use super::shared::Shared;
use super::side::Both;
use super::tally::{Account, Sum, Sums};
use base_data::Time;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Sums over all ranks so far.
#[derive(Default)]
pub(super) struct Parts {
    calls_count: bool,
    accounts: BTreeMap<Account, RankSum>,
    ranks: Vec<RankTimes>,
}

/// An account over ranks.
#[derive(Clone, Copy, Default)]
struct RankSum {
    executions: Both<u64>,
    /// Picoseconds; many ranks together leave the range of [`Time`].
    sum: Both<i128>,
    most: RankTotal,
}

impl Parts {
    /// Nothing yet; `calls_count` says whether times inside MPI mean anything.
    pub(super) fn new(calls_count: bool) -> Self {
        Self {
            calls_count,
            ..Self::default()
        }
    }

    /// Adds the next rank.
    pub(super) fn add(&mut self, sums: &Both<Sums>) {
        let rank = self.ranks.len() as u32;
        // An account that one side lacks has the sum 0 there.
        let of = |account| {
            sums.as_ref()
                .map(|sums| sums.get(&account).copied().unwrap_or_default())
        };
        let time = |account| of(account).map(|sum: Sum| sum.time);
        let calls = if self.calls_count {
            time(Account::Calls)
        } else {
            Both::default()
        };
        let (computing, waiting) = (time(Account::Computing), time(Account::Waiting));
        let total = computing
            .zip(waiting)
            .zip(calls)
            .map(|((computing, waiting), calls)| computing + waiting + calls);
        self.ranks.push(RankTimes {
            rank,
            total,
            computing,
            waiting,
            calls,
        });
        let mut accounts: Vec<Account> = sums.a.keys().chain(sums.b.keys()).copied().collect();
        accounts.sort_unstable();
        accounts.dedup();
        for account in accounts {
            self.accounts
                .entry(account)
                .or_default()
                .add(rank, of(account));
        }
    }

    /// Rank by rank.
    pub(super) fn ranks(&self) -> &[RankTimes] {
        &self.ranks
    }

    fn scale(&self) -> Scale {
        let whole = self
            .ranks
            .iter()
            .fold(Both::default(), |sum: Both<i128>, rank| {
                sum.zip(rank.total)
                    .map(|(sum, time)| sum + picoseconds(time))
            });
        Scale {
            ranks: self.ranks.len().max(1) as i128,
            whole,
        }
    }

    /// Mean time over ranks.
    pub(super) fn mean(&self) -> Both<Time> {
        let scale = self.scale();
        scale.whole.map(|sum| scale.mean(sum))
    }

    /// Everything by kind, parts without any time left out.
    pub(super) fn lists(&self, shared: &Shared, with_blocks: bool) -> Lists {
        let scale = self.scale();
        let mut lists = Lists::default();
        for (&account, over) in &self.accounts {
            if over.sum == Both::default() && !is_whole(account) {
                continue;
            }
            let list = match account {
                Account::Calls | Account::Call(_) if !self.calls_count => continue,
                Account::Computing | Account::Waiting | Account::Calls => &mut lists.parts,
                Account::Call(_) if shared.sites_match => &mut lists.calls,
                Account::Gap(..) if shared.sites_match => &mut lists.gaps,
                Account::Block(_) | Account::BesideBlocks if with_blocks => &mut lists.blocks,
                Account::Call(_) | Account::Gap(..) | Account::Block(_) | Account::BesideBlocks => {
                    continue;
                }
            };
            list.push(scale.part(what(account, shared), over));
        }
        for list in [&mut lists.calls, &mut lists.gaps, &mut lists.blocks] {
            let size = |time: Time| Reverse(time.picoseconds().unsigned_abs());
            // Stable: what is equal in all this stays in the order of the call sites.
            list.sort_by_key(|part| (size(part.difference), size(part.mean.a + part.mean.b)));
        }
        lists
    }
}

/// Parts by kind.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) parts: Vec<ComponentDifference>,
    pub(super) calls: Vec<ComponentDifference>,
    pub(super) gaps: Vec<ComponentDifference>,
    pub(super) blocks: Vec<ComponentDifference>,
}

fn picoseconds(time: Time) -> i128 {
    i128::from(time.picoseconds())
}

fn is_whole(account: Account) -> bool {
    match account {
        Account::Computing | Account::Calls => true,
        Account::Waiting
        | Account::Call(_)
        | Account::Gap(..)
        | Account::Block(_)
        | Account::BesideBlocks => false,
    }
}

fn what(account: Account, shared: &Shared) -> TimeComponent {
    match account {
        Account::Computing => TimeComponent::Computing,
        Account::Waiting => TimeComponent::Waiting,
        Account::Calls => TimeComponent::Calls,
        Account::Call(stop) => TimeComponent::Call {
            at: shared.stop_name(Some(stop)),
        },
        Account::Gap(from, to) => TimeComponent::Gap {
            from: shared.stop_name(from),
            to: shared.stop_name(to),
        },
        Account::Block(number) => TimeComponent::Block {
            at: shared.block_name(number),
        },
        Account::BesideBlocks => TimeComponent::BesideBlocks,
    }
}

impl RankSum {
    fn add(&mut self, rank: u32, found: Both<Sum>) {
        self.executions = self
            .executions
            .zip(found)
            .map(|(executions, sum)| executions + sum.executions);
        self.sum = self
            .sum
            .zip(found)
            .map(|(sum, found)| sum + picoseconds(found.time));
        let difference = found.b.time - found.a.time;
        // Strictly more: of equal differences the lowest rank stays.
        if difference.picoseconds().unsigned_abs() > self.most.time.picoseconds().unsigned_abs() {
            self.most = RankTotal {
                rank,
                time: difference,
            };
        }
    }
}

/// What sums are divided by.
struct Scale {
    ranks: i128,
    /// All ranks' time.
    whole: Both<i128>,
}

impl Scale {
    fn mean(&self, sum: i128) -> Time {
        Time::from_picoseconds(i64::try_from(sum / self.ranks).unwrap_or(i64::MAX))
    }

    fn part(&self, what: TimeComponent, over: &RankSum) -> ComponentDifference {
        let whole = self.whole.b - self.whole.a;
        let difference = over.sum.b - over.sum.a;
        let share = if whole == 0 {
            None
        } else {
            Some(difference as f64 / whole as f64)
        };
        let mean = over.sum.map(|sum| self.mean(sum));
        ComponentDifference {
            what,
            executions: over.executions,
            mean,
            difference: self.mean(difference),
            share,
            most: over.most,
        }
    }
}
