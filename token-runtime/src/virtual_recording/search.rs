//! Selects the ranks to run: an initial set; then those that distinguish rules of equal fit, those at the
//! borders of rules, and at last so many at random that wrong ones among the others would be found.
//! Each one that the model was wrong about makes it be learnt anew. Where that leads to nothing, all
//! ranks are run.

use super::feature::sides;
use super::fitting::HypothesisSpace;
use super::generator::Generator;
use super::model::{Behaviour, Model, ObservedRanks, TreeNode};
use super::tree::Test;
use std::collections::BTreeSet;

/// Ranks as they can be run.
pub(crate) trait Ranks {
    /// Why one cannot be run.
    type Error;

    /// Runs ranks that were not run before; what each does, in their order.
    fn run(&mut self, ranks: &[u32]) -> Result<Vec<Behaviour>, Self::Error>;

    /// Whether what a rank does can be written down without running it.
    fn is_known(&self, rank: u32, does: &Behaviour) -> bool;
}

/// How sure to be of ranks that are not run.
#[derive(Clone, Copy, Debug)]
pub struct ValidationLevel {
    /// Consecutive ranks that are run only to check, without a fault: if a share of
    /// `s` of the others were wrong, that would be found with probability 1 − (1 − s)^checks.
    pub random_checks: usize,
    /// Ranks that are looked for on each side of a border.
    pub per_boundary: usize,
}

impl Default for ValidationLevel {
    /// That more than a share of 1 % is wrong is found with 99 %: 459 = ln 0.01 / ln 0.99.
    fn default() -> Self {
        Self {
            random_checks: 459,
            per_boundary: 4,
        }
    }
}

/// A model that no checked rank contradicts.
pub(crate) struct ValidatedModel {
    pub model: Model,
    /// Number of ranks that were run.
    pub run: usize,
    /// Number of ranks that were chosen at random and checked against the model.
    pub checked: usize,
}

/// Models that are tried.
const MOST_MODELS: usize = 60;
/// Models after which each one is made from a quarter more ranks: there may be no rule.
const FEW_MODELS: usize = 28;
/// Ranks of a place of a tree that are examined for distinguishing rules.
const MAX_EXAMINED_RANKS: usize = 256;
/// Ranks run at once, so that the first fault ends a check early.
const BATCH: usize = 96;
/// Ranks a leaf's rule is made from, where there are as many.
const MIN_RANKS_PER_LEAF: usize = 6;

/// A model of all ranks that no rank was found to contradict; `None` if all ranks are to be run.
pub(crate) fn find<R: Ranks>(
    ranks: u32,
    runner: &mut R,
    validation: ValidationLevel,
) -> Result<Option<ValidatedModel>, R::Error> {
    // The checks alone would run more than a quarter of the ranks.
    if (ranks as usize) < 4 * validation.random_checks {
        return Ok(None);
    }
    let hypotheses = HypothesisSpace::of(ranks);
    let mut search = Search {
        ranks,
        runner,
        validation,
        seen: ObservedRanks::new(),
        generator: Generator::new(u64::from(ranks)),
        hypotheses,
    };
    let first = search.first();
    search.run(first)?;
    for tried in 0..MOST_MODELS {
        // Even a correct model would save less than half of the runs.
        if search.seen.len() > ranks as usize / 2 {
            return Ok(None);
        }
        let Some(model) = Model::of(&search.seen, &search.hypotheses) else {
            let more = search.at_random(search.seen.len().min(4 * BATCH));
            search.run(more)?;
            continue;
        };
        if let Some(checked) = search.holds(&model)? {
            return Ok(Some(ValidatedModel {
                model,
                run: search.seen.len(),
                checked,
            }));
        }
        if tried >= FEW_MODELS {
            let more = search.at_random(search.seen.len() / 4);
            search.run(more)?;
        }
    }
    Ok(None)
}

struct Search<'a, R: Ranks> {
    ranks: u32,
    runner: &'a mut R,
    validation: ValidationLevel,
    seen: ObservedRanks,
    generator: Generator,
    hypotheses: HypothesisSpace,
}

impl<R: Ranks> Search<'_, R> {
    /// Ranks to begin with: corners, edges and neighbours of all grids that there may be, and others.
    fn first(&mut self) -> BTreeSet<u32> {
        let last = self.ranks - 1;
        let mut first: BTreeSet<u32> = (0..4).flat_map(|at| [at, last - at]).collect();
        let root = self.ranks.isqrt();
        for side in sides(self.ranks) {
            first.extend([
                side - 1,
                side,
                side + 1,
                last - side,
                self.ranks - side,
                last + 2 - side,
            ]);
            if (root / 4..=root * 4).contains(&side) {
                let rows = self.ranks / side;
                let row = [0, 1, rows.saturating_sub(2), rows - 1].map(|row| row * side);
                let column = [0, 1, side - 2, side - 1];
                first.extend(row.iter().flat_map(|row| column.map(|column| row + column)));
            }
        }
        first.extend(self.at_random(BATCH));
        first.retain(|&rank| rank < self.ranks);
        first
    }

    /// So many ranks that were not run, if there are as many.
    fn at_random(&mut self, count: usize) -> BTreeSet<u32> {
        let mut chosen = BTreeSet::new();
        let left = self.ranks as usize - self.seen.len();
        while chosen.len() < count.min(left) {
            let rank = self.generator.below(self.ranks as usize) as u32;
            if !self.seen.contains_key(&rank) {
                chosen.insert(rank);
            }
        }
        chosen
    }

    fn run(&mut self, ranks: BTreeSet<u32>) -> Result<(), R::Error> {
        let new: Vec<u32> = ranks
            .into_iter()
            .filter(|rank| !self.seen.contains_key(rank))
            .collect();
        if !new.is_empty() {
            let done = self.runner.run(&new)?;
            self.seen.extend(new.into_iter().zip(done));
        }
        Ok(())
    }

    /// Runs ranks; whether all do what the model says.
    fn agree(&mut self, model: &Model, ranks: BTreeSet<u32>) -> Result<bool, R::Error> {
        let new: Vec<u32> = ranks
            .iter()
            .copied()
            .filter(|rank| !self.seen.contains_key(rank))
            .collect();
        self.run(ranks)?;
        Ok(new.iter().all(|rank| model.agrees(*rank, &self.seen[rank])))
    }

    /// How many ranks have confirmed a model at random, and nothing has contradicted it; `None` if
    /// something has.
    fn holds(&mut self, model: &Model) -> Result<Option<usize>, R::Error> {
        let all: [fn(&mut Self, &Model) -> BTreeSet<u32>; 4] = [
            Self::sparse_leaves,
            Self::equivalent_test_ranks,
            Self::per_boundary,
            Self::unknown_ranks,
        ];
        for doubts in all {
            loop {
                let doubtful = doubts(self, model);
                if doubtful.is_empty() {
                    break;
                }
                if self.seen.len() > self.ranks as usize / 2 || !self.agree(model, doubtful)? {
                    return Ok(None);
                }
            }
        }
        // The checks must be consecutive and chosen after the model: a rank from which it was learnt confirms nothing.
        let mut checked = 0;
        while checked < self.validation.random_checks {
            let batch = self.at_random(BATCH.min(self.validation.random_checks - checked));
            checked += batch.len();
            if !self.agree(model, batch)? {
                return Ok(None);
            }
        }
        Ok(Some(checked))
    }

    /// Ranks of leaves of which too few were run.
    fn sparse_leaves(&mut self, model: &Model) -> BTreeSet<u32> {
        self.of_nodes(model, |search, place, chosen| {
            let wanted = MIN_RANKS_PER_LEAF
                .min(place.all.len())
                .saturating_sub(place.run.len());
            if place.test.is_none() && wanted > 0 {
                search.sample(place.all.iter().copied(), wanted, chosen);
            }
        })
    }

    /// Ranks for which rules that fit as well say something else.
    fn equivalent_test_ranks(&mut self, model: &Model) -> BTreeSet<u32> {
        self.of_nodes(model, |search, place, chosen| {
            let Some(test) = place.test else { return };
            let contradicts = |(rival, turned): &(Test, bool), rank: u32| {
                (rival.holds(rank) != *turned) != test.holds(rank)
            };
            let mut equivalent_tests = place.equivalent_tests(&search.hypotheses);
            // A random offset, so that repeated calls examine other ranks of a large node.
            let step = (place.all.len() / MAX_EXAMINED_RANKS).max(1);
            let offset = search.generator.below(step);
            let some: Vec<u32> = place
                .all
                .iter()
                .copied()
                .skip(offset)
                .step_by(step)
                .collect();
            // Each rank refutes the rule or all rivals that contradict it there.
            for _ in 0..2 {
                let against = |rank| {
                    equivalent_tests
                        .iter()
                        .filter(|rival| contradicts(rival, rank))
                        .count()
                };
                let most = some.iter().map(|&rank| (against(rank), rank)).max();
                let Some((1.., rank)) = most else { break };
                chosen.insert(rank);
                equivalent_tests.retain(|rival| !contradicts(rival, rank));
            }
        })
    }

    /// Ranks on both sides of each test, where they are next to each other.
    fn per_boundary(&mut self, model: &Model) -> BTreeSet<u32> {
        let each = self.validation.per_boundary;
        self.of_nodes(model, |search, place, chosen| {
            let Some(test) = place.test else { return };
            for side in [test.below - 1, test.below] {
                let border: Vec<u32> = place
                    .all
                    .iter()
                    .copied()
                    .filter(|&rank| test.feature.of(rank) == side)
                    .collect();
                let done = border
                    .iter()
                    .filter(|rank| search.seen.contains_key(rank))
                    .count();
                let wanted = each.min(border.len()).saturating_sub(done);
                search.sample(border.into_iter(), wanted, chosen);
            }
        })
    }

    /// Some of the ranks that must be run whatever the model says.
    fn unknown_ranks(&mut self, model: &Model) -> BTreeSet<u32> {
        let is_unknown = |rank: &u32| {
            !self.seen.contains_key(rank) && !self.runner.is_known(*rank, &model.behaviour(*rank))
        };
        let unknown: Vec<u32> = (0..self.ranks).filter(is_unknown).collect();
        let mut chosen = BTreeSet::new();
        self.sample(unknown.into_iter(), BATCH / 3, &mut chosen);
        chosen
    }

    fn of_nodes(
        &mut self,
        model: &Model,
        mut choose: impl FnMut(&mut Self, &TreeNode<'_>, &mut BTreeSet<u32>),
    ) -> BTreeSet<u32> {
        // `visit` borrows the observed ranks while `choose` needs the whole search, so the nodes are copied first.
        let (seen, ranks) = (std::mem::take(&mut self.seen), self.ranks);
        let mut places: Vec<(Option<Test>, Vec<u32>, Vec<u32>)> = Vec::new();
        model.visit(ranks, &seen, &mut |place| {
            places.push((place.test, place.all.to_vec(), place.run.to_vec()));
        });
        self.seen = seen;
        let mut chosen = BTreeSet::new();
        for (test, all, run) in &places {
            choose(
                self,
                &TreeNode {
                    test: *test,
                    all,
                    run,
                },
                &mut chosen,
            );
        }
        chosen
    }

    /// Up to so many of these ranks that were not run.
    fn sample(
        &mut self,
        ranks: impl Iterator<Item = u32>,
        count: usize,
        chosen: &mut BTreeSet<u32>,
    ) {
        let mut new: Vec<u32> = ranks.filter(|rank| !self.seen.contains_key(rank)).collect();
        for _ in 0..count.min(new.len()) {
            let at = self.generator.below(new.len());
            chosen.insert(new.swap_remove(at));
        }
    }
}
