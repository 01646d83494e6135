//! The residuals of a regression ([`super::data_regression`]) by position: data that happen to lie in a rank's part. The
//! run with the most ranks shows the position best; a rank of another run has the residuals in its part, if another
//! measured run confirms them.

use super::rank_distribution::{LAYOUTS, Layout};
use super::sample::Sample;

/// The distribution must lower the residual of another run to this share of its former value.
const CONFIRMED_SHARE: f64 = 0.5;

/// Residuals of ranks by their position.
#[derive(Clone, Debug)]
pub(super) struct LocalDistribution {
    layout: Layout,
    /// By rank of the finest run.
    beside: Vec<f64>,
}

impl LocalDistribution {
    /// Of samples, each with its residual; `None` if not all ranks of two runs were sampled, once each, or
    /// if the runs do not agree where the data lie.
    pub(super) fn of(samples: &[(&Sample, f64)]) -> Option<Self> {
        let mut runs: Vec<u32> = samples.iter().map(|(sample, _)| sample.ranks).collect();
        runs.sort_unstable();
        runs.dedup();
        let mut runs: Vec<Vec<f64>> = runs
            .into_iter()
            .filter_map(|ranks| whole_run(samples, ranks))
            .collect();
        // The run with the most ranks is the finest; each coarser one must be a sum of its parts.
        let beside = runs.pop()?;
        let tried = LAYOUTS.map(|layout| Self {
            layout,
            beside: beside.clone(),
        });
        let residual = |local: &Self| {
            runs.iter()
                .map(|run| local.residual(run))
                .fold(None, |worst: Option<f64>, one| {
                    Some(worst.map_or(one, |worst| worst.max(one)))
                })
        };
        let confirmed = tried
            .into_iter()
            .filter_map(|local| Some((residual(&local)?, local)));
        let (residual, best) = confirmed.min_by(|a, b| a.0.total_cmp(&b.0))?;
        if residual <= CONFIRMED_SHARE {
            Some(best)
        } else {
            None
        }
    }

    /// The residual of a rank.
    pub(super) fn time(&self, rank: u32, ranks: u32) -> f64 {
        let finest = self.beside.len() as u32;
        let part =
            |(of, beside): (u32, &f64)| beside * self.layout.common((rank, ranks), (of, finest));
        (0..).zip(&self.beside).map(part).sum()
    }

    /// Residual of a run, relative to the deviation that there is to explain.
    fn residual(&self, run: &[f64]) -> f64 {
        let ranks = run.len() as u32;
        let left = (0..)
            .zip(run)
            .map(|(rank, beside)| (beside - self.time(rank, ranks)).powi(2))
            .sum::<f64>();
        let all = run.iter().map(|beside| beside * beside).sum::<f64>();
        if all > 0.0 {
            (left / all).sqrt()
        } else {
            f64::INFINITY
        }
    }
}

/// The residual of each rank of a run, in order, if each was sampled once.
fn whole_run(samples: &[(&Sample, f64)], ranks: u32) -> Option<Vec<f64>> {
    let mut of_run: Vec<(u32, f64)> = samples
        .iter()
        .filter(|(one, _)| one.ranks == ranks)
        .map(|(one, beside)| (one.rank, *beside))
        .collect();
    of_run.sort_by_key(|(rank, _)| *rank);
    let is_whole = of_run.iter().map(|(rank, _)| *rank).eq(0..ranks);
    if !is_whole {
        return None;
    }
    Some(of_run.into_iter().map(|(_, beside)| beside).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample(rank: u32, ranks: u32) -> Sample {
        Sample {
            rank,
            ranks,
            terms: Vec::new(),
            time: 1.0,
            error: 0.0,
            count: 1.0,
        }
    }

    /// What 16 ranks have beside a regression, and what 4 have: their sums in `layout`, with `noise` of their own.
    fn local(layout: Layout, fine: &[f64], noise: f64) -> Option<LocalDistribution> {
        let of_four = |rank| {
            (0..)
                .zip(fine)
                .map(|(of, one)| one * layout.common((rank, 4), (of, 16)))
                .sum::<f64>()
        };
        let all: Vec<(Sample, f64)> = (0..16)
            .map(|rank| (sample(rank, 16), fine[rank as usize]))
            .chain((0..4).map(|rank| {
                (
                    sample(rank, 4),
                    of_four(rank) + noise * (f64::from(rank) - 1.5),
                )
            }))
            .collect();
        let all: Vec<(&Sample, f64)> = all
            .iter()
            .map(|(sample, beside)| (sample, *beside))
            .collect();
        LocalDistribution::of(&all)
    }

    #[test]
    fn contradicting_runs_give_no_local_distribution() {
        let fine: Vec<f64> = (0..16).map(|rank| f64::from(rank * 7 % 16) - 7.5).collect();
        assert!(local(Layout::Grid, &fine, 0.1).is_some());
        assert!(local(Layout::Grid, &fine, 100.0).is_none());
        let one = sample(0, 1);
        assert!(
            LocalDistribution::of(&[(&one, 3.0)]).is_none(),
            "no other run confirms it"
        );
    }

    proptest! {
        /// Two ranks out of 16 become one out of 8.
        #[test]
        fn coarser_runs_have_the_sums(fine in prop::collection::vec(-100.0..100.0f64, 16), is_line: bool) {
            let layout = if is_line { Layout::Line } else { Layout::Grid };
            if let Some(found) = local(layout, &fine, 0.0).filter(|found| found.layout == layout) {
                for rank in 0..8u32 {
                    let (row, column) = (rank as usize / 4, rank as usize % 4);
                    let (a, b) = if is_line { (2 * rank as usize, 2 * rank as usize + 1) } else { (8 * row + column, 8 * row + 4 + column) };
                    prop_assert!((found.time(rank, 8) - fine[a] - fine[b]).abs() < 1e-9);
                }
            }
        }
    }
}
