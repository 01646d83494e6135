//! Number of executions of each variant by each rank.

use super::VariantTime;
use crate::replay::program::{Step, Steps};
use base_data::program_data::{ProgramData, Variant};
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
        Self::of_parts(steps, |list| list)
    }

    /// What is executed before the section; nothing without a section.
    pub(super) fn before_section(steps: &Steps) -> Self {
        Self::of_parts(steps, |list| {
            let begin = section_mark(list, true).unwrap_or(0);
            &list[..begin]
        })
    }

    /// What is executed before the end of the section; all without a section.
    pub(super) fn until_section_end(steps: &Steps) -> Self {
        Self::of_parts(steps, |list| {
            let end = section_mark(list, false).unwrap_or(list.len());
            &list[..end]
        })
    }

    fn of_parts(steps: &Steps, part: impl Fn(&[Step]) -> &[Step]) -> Self {
        let lists = steps
            .lists
            .iter()
            .map(|list| executions(part(&list.steps)))
            .collect();
        Self {
            lists,
            ranks: steps.ranks.iter().map(|found| found.list).collect(),
        }
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
                let Some(time) = times.get(variant as usize) else {
                    continue;
                };
                let [all, number] = sums.entry(time.block).or_default();
                *all += time.first.mean + time.warm.mean * (count - 1) as f64;
                *number += count as f64;
            }
        }
        sums.into_iter()
            .map(|(block, [all, number])| (block, all / number))
            .collect()
    }

    /// Which ranks execute each variant of the blocks whose work depends on data: only there have ranks times of their own.
    pub(super) fn executing<'p>(&self, program: &'p ProgramData) -> Executing<'p> {
        let is_data_dependent = |variant: &Variant| {
            program
                .table
                .blocks
                .get(variant.block.index())
                .is_some_and(|block| block.data_dependent)
        };
        let numbered = program
            .variants
            .iter()
            .enumerate()
            .filter(|(_, variant)| is_data_dependent(variant));
        let numbers: BTreeMap<u32, usize> = (0..)
            .zip(numbered.clone())
            .map(|(number, (variant, _))| (variant as u32, number))
            .collect();
        // Ranks that do the same share a list of steps, so executions are counted by list.
        let mut lists = vec![Vec::new(); numbers.len()];
        if !numbers.is_empty() {
            for (list, executed) in (0..).zip(&self.lists) {
                for (variant, _) in executed.iter().filter(|&(_, &count)| count > 0) {
                    if let Some(&number) = numbers.get(variant) {
                        lists[number].push(list);
                    }
                }
            }
        }
        let mut ranks = vec![Vec::new(); self.lists.len()];
        for (rank, &list) in (0..).zip(&self.ranks) {
            ranks[list as usize].push(rank);
        }
        let variants = (0..)
            .zip(numbered)
            .map(|(number, (_, variant))| ((variant.block.index(), &variant.terms[..]), number))
            .collect();
        Executing {
            variants,
            lists,
            ranks,
        }
    }

    /// How often a rank executes a variant.
    pub(super) fn count(&self, rank: u32, variant: u32) -> u64 {
        let list = self
            .ranks
            .get(rank as usize)
            .and_then(|&list| self.lists.get(list as usize));
        list.and_then(|list| list.get(&variant))
            .copied()
            .unwrap_or(0)
    }
}

/// Which ranks execute each variant. As large as the steps are, not as ranks times variants.
#[derive(Debug, Default)]
pub(super) struct Executing<'p> {
    /// Variants by block and work terms.
    variants: BTreeMap<(usize, &'p [i64]), usize>,
    /// By variant: the lists of steps that contain it.
    lists: Vec<Vec<u32>>,
    /// By list: the ranks that execute it.
    ranks: Vec<Vec<u32>>,
}

impl Executing<'_> {
    /// The ranks that execute a block with these work terms.
    pub(super) fn ranks(&self, block: usize, terms: &[i64]) -> impl Iterator<Item = u32> {
        let variant = self.variants.get(&(block, terms));
        let lists = variant.map_or(&[][..], |&variant| &self.lists[variant]);
        lists
            .iter()
            .flat_map(|&list| self.ranks[list as usize].iter().copied())
    }
}

/// Where the section begins or ends, if not in a loop.
fn section_mark(steps: &[Step], begin: bool) -> Option<usize> {
    let mut at = 0;
    while let Some(step) = steps.get(at) {
        match step {
            Step::Section { begins } if *begins == begin => return Some(at),
            Step::Repeat { body, .. } => at += *body as usize,
            _ => {}
        }
        at += 1;
    }
    None
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
                *sum = sum.saturating_add(once.saturating_mul(count.get()));
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
    use base_data::block_table::{Block, BlockKey, BlockKind, SourceSpan};
    use base_data::{BlockId, Digest};

    #[test]
    fn executions_are_counted_through_loops() {
        let compute = |variant| Step::Compute {
            block: 0,
            variant,
            index: 0,
        };
        let repeat = Step::repeat;
        let steps = [
            compute(1),
            repeat(3, 4),
            compute(2),
            repeat(5, 1),
            compute(1),
            compute(2),
            compute(3),
        ];
        assert_eq!(
            executions(&steps),
            BTreeMap::from([(1, 16), (2, 6), (3, 1)])
        );
    }

    #[test]
    fn executions_are_counted_up_to_marks_outside_of_loops() {
        let compute = Step::Compute {
            block: 0,
            variant: 1,
            index: 0,
        };
        let section = |begins| Step::Section { begins };
        let steps = [
            compute,
            Step::repeat(3, 1),
            compute,
            section(true),
            Step::repeat(5, 1),
            compute,
            section(false),
            compute,
        ];
        assert_eq!(section_mark(&steps, true), Some(3));
        assert_eq!(section_mark(&steps, false), Some(6));
        assert_eq!(executions(&steps[..3]), BTreeMap::from([(1, 4)]));
        assert_eq!(executions(&steps[..6]), BTreeMap::from([(1, 9)]));
    }

    #[test]
    fn executing_ranks_are_as_many_as_the_steps_say() {
        // 1,000 ranks of which each executes another variant, and 1,000 that share a list; no rank executes the last.
        let alone = (0..1000u32).map(|variant| BTreeMap::from([(variant, 1)]));
        let shared = BTreeMap::from([(3, 2), (1000, 1), (1001, 0)]);
        let lists: Vec<BTreeMap<u32, u64>> = alone.chain([shared]).collect();
        let ranks = (0..2000).map(|rank| rank.min(1000)).collect();
        let variant = |term| Variant {
            block: BlockId(0),
            terms: vec![term],
        };
        let mut program = ProgramData {
            variants: (0..1002).map(variant).collect(),
            ..ProgramData::default()
        };
        let key = BlockKey {
            digest: Digest::default(),
            procedure: String::new(),
            ordinal: 0,
        };
        program.table.blocks.push(Block {
            key,
            kind: BlockKind::Compute,
            span: SourceSpan::default(),
            loop_path: Vec::new(),
            work_terms: Vec::new(),
            data_dependent: true,
        });
        let executions = Executions { lists, ranks };
        let executing = executions.executing(&program);
        let of = |term: i64| executing.ranks(0, &[term]).collect::<Vec<u32>>();
        assert_eq!(of(7), [7]);
        assert_eq!(
            (of(3).len(), of(1000).len(), of(1001).len(), of(5000).len()),
            (1001, 1000, 0, 0)
        );
        let kept: usize = executing
            .lists
            .iter()
            .chain(&executing.ranks)
            .map(Vec::len)
            .sum();
        assert_eq!(
            kept,
            1002 + 2000,
            "one entry per list and variant, and one per rank"
        );
        program.table.blocks[0].data_dependent = false;
        let executing = executions.executing(&program);
        assert_eq!(
            (executing.variants.len(), executing.lists.len()),
            (0, 0),
            "no rank has times of its own"
        );
    }
}
