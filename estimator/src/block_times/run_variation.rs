//! Variation between measuring runs: a machine has slow phases that affect all blocks of a run together, so one run
//! does not show them. It compares entries of one variant that come from different runs.

use base_data::compute_data::{ComputeEntry, Feed};
use base_data::distribution::Distribution;

/// How runs differ, over blocks weighted by their time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Runs {
    /// Most runs that any variant was measured in.
    pub(crate) count: u32,
    weight: f64,
    squares: f64,
}

impl Runs {
    /// Adds the entries of one variant that is the same on all ranks, under one set of conditions.
    pub(super) fn add(&mut self, entries: &[&ComputeEntry]) {
        if let [_] = entries {
            self.count = self.count.max(1);
            return;
        }
        // Feeds give a rank other data, so only runs with the same one are compared.
        for feed in [Feed::All, Feed::Echo, Feed::Log] {
            let of_feed = entries.iter().filter(|entry| entry.feed == feed);
            self.add_runs(
                &of_feed
                    .map(|entry| warm_or_first(entry))
                    .collect::<Vec<_>>(),
            );
        }
    }

    fn add_runs(&mut self, runs: &[&Distribution]) {
        self.count = self.count.max(runs.len() as u32);
        let count = runs.len() as f64;
        let mean = runs.iter().map(|run| run.mean).sum::<f64>() / count;
        if runs.len() < 2 || mean <= 0.0 {
            return;
        }
        let squares: f64 = runs.iter().map(|run| (run.mean - mean).powi(2)).sum();
        // Part of it is that each mean has an error of its own.
        let own = runs
            .iter()
            .map(|run| run.standard_error().powi(2))
            .sum::<f64>()
            / count;
        let weight = runs
            .iter()
            .map(|run| run.mean * run.count as f64)
            .sum::<f64>();
        self.weight += weight;
        // Variance between runs less the variance of each mean, as in a one-way analysis of variance.
        self.squares += weight * (squares / (count - 1.0) - own).max(0.0) / (mean * mean);
    }

    /// Relative standard deviation of another run from the mean of those that were made.
    pub(crate) fn spread(&self) -> f64 {
        if self.weight > 0.0 {
            // The next run varies by σ, the mean of the measured ones by σ/√count.
            (self.squares / self.weight * (1.0 + 1.0 / f64::from(self.count.max(1)))).sqrt()
        } else {
            0.0
        }
    }

    /// Both together.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            count: self.count.max(other.count),
            weight: self.weight + other.weight,
            squares: self.squares + other.squares,
        }
    }
}

fn warm_or_first(entry: &ComputeEntry) -> &Distribution {
    if entry.warm.count > 0 {
        &entry.warm
    } else {
        &entry.first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(means: &[i64]) -> Runs {
        let all: Vec<Distribution> = means
            .iter()
            .map(|&mean| Distribution::of(vec![mean; 3]))
            .collect();
        let mut runs = Runs::default();
        runs.add_runs(&all.iter().collect::<Vec<_>>());
        runs
    }

    #[test]
    fn two_runs_show_run_to_run_variation() {
        assert_eq!((runs(&[100]).count, runs(&[100]).spread()), (1, 0.0));
        let two = runs(&[90, 110]);
        let expected = (0.02f64 * 1.5).sqrt();
        assert!(
            two.count == 2 && (two.spread() - expected).abs() < 1e-12,
            "{two:?}"
        );
        assert_eq!(runs(&[100, 100, 100]).spread(), 0.0);
    }

    #[test]
    fn the_error_of_a_mean_is_no_difference_of_runs() {
        let noisy = [
            Distribution::of(vec![50, 150]),
            Distribution::of(vec![60, 150]),
        ];
        let mut runs = Runs::default();
        runs.add_runs(&noisy.iter().collect::<Vec<_>>());
        assert_eq!((runs.count, runs.spread()), (2, 0.0));
    }
}
