//! Model of all ranks learnt from those that were run: the shape of a rank's stream, and its
//! values. `search` selects the ranks to run; `streams` splits a stream into shape and values.

use super::fitting::{Fit, HypothesisSpace};
use super::tree::{Labels, Test, Tree, equivalent_tests};
use std::collections::{BTreeMap, HashMap};

/// What one rank does: equal shapes differ in values only, and have as many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Behaviour {
    pub shape: u32,
    pub values: Vec<i64>,
}

/// Ranks that were run.
pub(super) type ObservedRanks = BTreeMap<u32, Behaviour>;

/// A guess of what every rank does; right for those it was made from.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    shapes: Tree,
    /// By shape.
    values: HashMap<u32, Values>,
}

/// The values of ranks with one shape.
#[derive(Clone, Debug)]
struct Values {
    fits: Vec<Fit>,
    /// The fit of each value: many values are the same on all ranks.
    which: Vec<usize>,
}

/// A place of a tree, for those who doubt it.
pub(super) struct TreeNode<'a> {
    /// The test there; `None` at a leaf.
    pub test: Option<Test>,
    /// The ranks that come there.
    pub all: &'a [u32],
    /// Those of them that were run.
    pub run: &'a [u32],
}

struct Shapes<'a>(&'a ObservedRanks);

impl Labels for Shapes<'_> {
    fn label(&self, rank: u32) -> u32 {
        self.0[&rank].shape
    }

    fn admits(&self, rank: u32, label: u32) -> bool {
        self.label(rank) == label
    }
}

impl Model {
    /// `None` if the values of some shape have no rule that could be written down.
    pub fn of(seen: &ObservedRanks, hypotheses: &HypothesisSpace) -> Option<Self> {
        let ranks: Vec<u32> = seen.keys().copied().collect();
        let shapes = Tree::learn(&ranks, &Shapes(seen), &hypotheses.features);
        let mut by_shape: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        seen.iter()
            .for_each(|(&rank, does)| by_shape.entry(does.shape).or_default().push(rank));
        let values = by_shape
            .into_iter()
            .map(|(shape, ranks)| Some((shape, Values::of(&ranks, seen, hypotheses)?)));
        let model = Self {
            shapes,
            values: values.collect::<Option<_>>()?,
        };
        // A tree that finds no further test gives several labels one leaf, so the model may contradict its own data.
        if seen.iter().all(|(&rank, does)| model.agrees(rank, does)) {
            Some(model)
        } else {
            None
        }
    }

    /// The shape of a rank's stream.
    pub fn shape(&self, rank: u32) -> u32 {
        self.shapes.label(rank)
    }

    /// How value number `at` of a shape's ranks comes about.
    pub(super) fn fit(&self, shape: u32, at: usize) -> &Fit {
        let values = &self.values[&shape];
        &values.fits[values.which[at]]
    }

    /// What a rank does.
    pub fn behaviour(&self, rank: u32) -> Behaviour {
        let shape = self.shape(rank);
        let values = &self.values[&shape];
        let each: Vec<i64> = values.fits.iter().map(|fit| fit.value(rank)).collect();
        Behaviour {
            shape,
            values: values.which.iter().map(|&which| each[which]).collect(),
        }
    }

    /// Whether a rank does what the model says.
    pub fn agrees(&self, rank: u32, does: &Behaviour) -> bool {
        self.behaviour(rank) == *does
    }

    /// Shows the places of all trees.
    pub fn visit(&self, ranks: u32, seen: &ObservedRanks, visit: &mut impl FnMut(TreeNode<'_>)) {
        let all: Vec<u32> = (0..ranks).collect();
        let run: Vec<u32> = seen.keys().copied().collect();
        let mut show =
            |test: Option<Test>, all: &[u32], run: &[u32]| visit(TreeNode { test, all, run });
        self.shapes.visit(&all, &run, &mut show);
        let mut of_shape: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        all.iter()
            .for_each(|&rank| of_shape.entry(self.shape(rank)).or_default().push(rank));
        for (shape, all) in of_shape {
            let run: Vec<u32> = all
                .iter()
                .copied()
                .filter(|rank| seen.contains_key(rank))
                .collect();
            let mut shown: Vec<&Tree> = Vec::new();
            for fit in &self.values[&shape].fits {
                let Fit::Several { tree, .. } = fit else {
                    continue;
                };
                // Values often share a tree; its nodes are visited once.
                if !shown.contains(&tree) {
                    tree.visit(&all, &run, &mut show);
                    shown.push(tree);
                }
            }
        }
    }
}

impl Values {
    fn of(ranks: &[u32], seen: &ObservedRanks, hypotheses: &HypothesisSpace) -> Option<Self> {
        let count = ranks.first().map_or(0, |rank| seen[rank].values.len());
        let mut known: HashMap<Vec<i64>, usize> = HashMap::new();
        let (mut fits, mut which) = (Vec::new(), Vec::with_capacity(count));
        for at in 0..count {
            // Equal columns have one fit: fitting is the expensive step, and most values of a stream repeat.
            let column: Vec<i64> = ranks.iter().map(|rank| seen[rank].values[at]).collect();
            let next = fits.len();
            let number = *known.entry(column.clone()).or_insert(next);
            if number == next {
                let pairs: Vec<(u32, i64)> = ranks.iter().copied().zip(column).collect();
                fits.push(hypotheses.fit(&pairs)?);
            }
            which.push(number);
        }
        Some(Self { fits, which })
    }
}

impl TreeNode<'_> {
    /// Tests that part those that were run as the one here does, and might be meant instead.
    pub fn equivalent_tests(&self, hypotheses: &HypothesisSpace) -> Vec<(Test, bool)> {
        self.test.map_or_else(Vec::new, |test| {
            equivalent_tests(test, self.run, &hypotheses.features)
        })
    }
}
