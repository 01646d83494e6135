//! How often each rank executes each variant. Not here: what that takes.

use super::VariantTime;
use crate::replay::program::{Step, Steps};
use std::collections::BTreeMap;

/// Executions of variants by rank.
#[derive(Debug)]
pub(super) struct Executions {
    /// By list of steps.
    lists: Vec<BTreeMap<u32, u64>>,
    /// By rank: its list.
    ranks: Vec<u32>,
}

impl Executions {
    /// All that steps execute.
    pub(super) fn of(steps: &Steps) -> Self {
        let lists = steps.lists.iter().map(|list| executions(&list.steps)).collect();
        Self { lists, ranks: steps.ranks.iter().map(|found| found.list).collect() }
    }

    /// Ranks with the variants that they execute and how often.
    pub(super) fn by_rank(&self) -> impl Iterator<Item = (u32, &BTreeMap<u32, u64>)> {
        (0..).zip(self.ranks.iter().map(|&list| &self.lists[list as usize]))
    }

    /// What an execution of each block takes on average over all ranks, by the times of the variants.
    pub(super) fn means(&self, times: &[VariantTime]) -> BTreeMap<u32, f64> {
        let mut sums: BTreeMap<u32, [f64; 2]> = BTreeMap::new();
        for (_, executed) in self.by_rank() {
            for (&variant, &count) in executed.iter().filter(|&(_, &count)| count > 0) {
                let Some(time) = times.get(variant as usize) else { continue };
                let [all, number] = sums.entry(time.block).or_default();
                *all += time.first.mean + time.warm.mean * (count - 1) as f64;
                *number += count as f64;
            }
        }
        sums.into_iter().map(|(block, [all, number])| (block, all / number)).collect()
    }

    /// How often a rank executes a variant.
    pub(super) fn count(&self, rank: u32, variant: u32) -> u64 {
        let list = self.ranks.get(rank as usize).and_then(|&list| self.lists.get(list as usize));
        list.and_then(|list| list.get(&variant)).copied().unwrap_or(0)
    }
}

/// How often steps execute each variant.
fn executions(steps: &[Step]) -> BTreeMap<u32, u64> {
    let mut found = BTreeMap::new();
    let mut rest = steps;
    while let [step, after @ ..] = rest {
        rest = after;
        if let Step::Repeat { count, body } = step {
            let (inside, after) = rest.split_at(*body as usize);
            for (variant, once) in executions(inside) {
                let sum = found.entry(variant).or_insert(0u64);
                *sum = sum.saturating_add(once.saturating_mul(*count));
            }
            rest = after;
        } else if let Step::Compute { variant, .. } = step {
            *found.entry(*variant).or_insert(0) += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executions_are_counted_through_loops() {
        let compute = |variant| Step::Compute { block: 0, variant, index: 0 };
        let repeat = |count, body| Step::Repeat { count, body };
        let steps = [compute(1), repeat(3, 4), compute(2), repeat(5, 1), compute(1), compute(2), compute(3)];
        assert_eq!(executions(&steps), BTreeMap::from([(1, 16), (2, 6), (3, 1)]));
    }
}
