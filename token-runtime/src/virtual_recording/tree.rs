//! Decision trees over features of ranks: which ranks do the same, from some that were run; and which
//! ranks to run to learn whether the tree is right.

use super::feature::Feature;

/// Whether a feature of a rank is below a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Test {
    pub feature: Feature,
    pub below: u32,
}

impl Test {
    pub fn holds(self, rank: u32) -> bool {
        self.feature.of(rank) < self.below
    }
}

/// Ends in labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tree {
    Leaf(u32),
    Split {
        test: Test,
        held: Box<Tree>,
        failed: Box<Tree>,
    },
}

/// What is known of ranks that were run: the label of each, and other labels it could have as well.
pub(super) trait Labels {
    /// The rank's own label.
    fn label(&self, rank: u32) -> u32;
    /// Whether it could have this one.
    fn admits(&self, rank: u32, label: u32) -> bool;
}

impl Tree {
    /// A tree that gives each of the ranks a label that it admits.
    pub fn learn(ranks: &[u32], labels: &impl Labels, features: &[Feature]) -> Self {
        if let Some(label) = common(ranks, labels) {
            return Tree::Leaf(label);
        }
        let Some(test) = best_test(ranks, labels, features) else {
            return Tree::Leaf(labels.label(ranks[0]));
        };
        let (held, failed): (Vec<u32>, Vec<u32>) =
            ranks.iter().partition(|&&rank| test.holds(rank));
        let side = |ranks: &[u32]| Box::new(Self::learn(ranks, labels, features));
        Tree::Split {
            test,
            held: side(&held),
            failed: side(&failed),
        }
    }

    /// The label of a rank.
    pub fn label(&self, rank: u32) -> u32 {
        match self {
            Tree::Leaf(label) => *label,
            Tree::Split { test, held, failed } => {
                if test.holds(rank) { held } else { failed }.label(rank)
            }
        }
    }

    /// Calls `visit` with each test, the ranks that come to it and which of them were run, and each leaf
    /// without a test.
    pub fn visit(
        &self,
        all: &[u32],
        run: &[u32],
        visit: &mut impl FnMut(Option<Test>, &[u32], &[u32]),
    ) {
        match self {
            Tree::Leaf(_) => visit(None, all, run),
            Tree::Split { test, held, failed } => {
                visit(Some(*test), all, run);
                let part = |ranks: &[u32]| -> (Vec<u32>, Vec<u32>) {
                    ranks.iter().partition(|&&rank| test.holds(rank))
                };
                let ((all_held, all_failed), (run_held, run_failed)) = (part(all), part(run));
                held.visit(&all_held, &run_held, visit);
                failed.visit(&all_failed, &run_failed, visit);
            }
        }
    }
}

/// A label that all ranks admit.
fn common(ranks: &[u32], labels: &impl Labels) -> Option<u32> {
    let mut tried = Vec::new();
    for &rank in ranks {
        let label = labels.label(rank);
        if tried.contains(&label) {
            continue;
        }
        if ranks.iter().all(|&rank| labels.admits(rank, label)) {
            return Some(label);
        }
        tried.push(label);
    }
    None
}

/// The test after which the labels on both sides are the purest (Gini's index); of equal ones the first
/// feature's. `None` if no feature distinguishes the ranks.
fn best_test(ranks: &[u32], labels: &impl Labels, features: &[Feature]) -> Option<Test> {
    // Labels of these ranks, numbered in the order in which they occur.
    let mut known: Vec<u32> = Vec::new();
    let mut own: Vec<usize> = Vec::with_capacity(ranks.len());
    for &rank in ranks {
        let label = labels.label(rank);
        let number = match known.iter().position(|&other| other == label) {
            Some(number) => number,
            None => {
                known.push(label);
                known.len() - 1
            }
        };
        own.push(number);
    }
    let kinds = known.len();
    let mut best: Option<(f64, Test)> = None;
    let mut placed: Vec<(u32, usize)> = Vec::with_capacity(ranks.len());
    for &feature in features {
        placed.clear();
        for (&rank, &label) in ranks.iter().zip(&own) {
            placed.push((feature.of(rank), label));
        }
        placed.sort_unstable();
        if let Some((score, below)) = best_border(&placed, kinds)
            // The margin makes equal scores equal despite rounding; then the first feature wins.
            && best.is_none_or(|(least, _)| score < least - 1e-9)
        {
            best = Some((score, Test { feature, below }));
        }
    }
    best.map(|(_, test)| test)
}

/// Where to cut places with labels, and the impurity of what is left.
fn best_border(placed: &[(u32, usize)], kinds: usize) -> Option<(f64, u32)> {
    let square = |counts: &[u64]| counts.iter().map(|&count| count * count).sum::<u64>();
    let (mut before, mut after) = (vec![0u64; kinds], vec![0u64; kinds]);
    placed.iter().for_each(|&(_, label)| after[label] += 1);
    let (mut squares_before, mut squares_after) = (0, square(&after));
    let mut best: Option<(f64, u32)> = None;
    for (count, pair) in (1..).zip(placed.windows(2)) {
        let ((place, label), (next, _)) = (pair[0], pair[1]);
        // (n + 1)^2 = n^2 + 2n + 1 updates the sums of squares in constant time.
        squares_before += 2 * before[label] + 1;
        squares_after -= 2 * after[label] - 1;
        before[label] += 1;
        after[label] -= 1;
        // Equal places cannot be separated by a test.
        if place == next {
            continue;
        }
        let rest = placed.len() - count;
        let purity = squares_before as f64 / count as f64 + squares_after as f64 / rest as f64;
        if best.is_none_or(|(least, _)| -purity < least - 1e-9) {
            best = Some((-purity, next));
        }
    }
    best
}

/// Tests that part the ranks that were run as `test` does.
pub(super) fn equivalent_tests(test: Test, run: &[u32], features: &[Feature]) -> Vec<(Test, bool)> {
    let (held, failed): (Vec<u32>, Vec<u32>) = run.iter().partition(|&&rank| test.holds(rank));
    let span = |ranks: &[u32], feature: Feature| {
        let places = || ranks.iter().map(|&rank| feature.of(rank));
        places().min().zip(places().max())
    };
    let mut equivalent_tests = Vec::new();
    for &feature in features {
        let Some((held, failed)) = span(&held, feature).zip(span(&failed, feature)) else {
            continue;
        };
        let (lower, upper, is_turned) = if held.1 < failed.0 {
            (held.1, failed.0, false)
        } else {
            (failed.1, held.0, true)
        };
        if lower < upper {
            let middle = lower + (upper - lower).div_ceil(2);
            let mut borders = vec![lower + 1, middle, upper];
            borders.dedup();
            equivalent_tests.extend(
                borders
                    .into_iter()
                    .map(|below| (Test { feature, below }, is_turned)),
            );
        }
    }
    equivalent_tests
}

#[cfg(test)]
mod tests {
    use super::super::feature::features;
    use super::*;

    struct Given<F: Fn(u32) -> u32>(F);

    impl<F: Fn(u32) -> u32> Labels for Given<F> {
        fn label(&self, rank: u32) -> u32 {
            self.0(rank)
        }

        fn admits(&self, rank: u32, label: u32) -> bool {
            self.0(rank) == label
        }
    }

    /// From all ranks a tree gives all ranks their labels, and is as small as the rule is.
    fn check(ranks: u32, leaves: usize, rule: fn(u32) -> u32) {
        let all: Vec<u32> = (0..ranks).collect();
        let tree = Tree::learn(&all, &Given(rule), &features(ranks));
        assert!(all.iter().all(|&rank| tree.label(rank) == rule(rank)));
        let mut found = 0;
        tree.visit(&all, &all, &mut |test, _, _| {
            found += usize::from(test.is_none())
        });
        assert!(found <= leaves, "{found} leaves");
    }

    #[test]
    fn small_rules_give_small_trees() {
        check(64, 1, |_| 7);
        check(64, 2, |rank| rank.min(1));
        check(64, 2, |rank| u32::from(rank % 8 < 3));
        check(64, 9, |rank| {
            let (x, y) = (rank % 8, rank / 8);
            u32::from(x == 0)
                + 2 * u32::from(x == 7)
                + 3 * u32::from(y == 0)
                + 6 * u32::from(y == 7)
        });
        check(36, 2, |rank| (rank % 6 + rank / 6) % 2);
        check(64, 2, |rank| (rank % 4 + rank / 4 % 4 + rank / 16) % 2);
    }

    #[test]
    fn tests_with_equal_split_are_equivalent() {
        let features = features(16);
        let test = Test {
            feature: features[0],
            below: 8,
        };
        let equivalent_tests = equivalent_tests(test, &[1, 2, 9, 14], &features);
        assert!(
            equivalent_tests.iter().any(|(rival, _)| rival.below == 3)
                && equivalent_tests.iter().any(|(r, _)| r.below == 9)
        );
        for (rival, is_turned) in equivalent_tests {
            for rank in [1, 2, 9, 14] {
                assert_eq!(
                    rival.holds(rank) != is_turned,
                    test.holds(rank),
                    "{rival:?}"
                );
            }
        }
    }
}
