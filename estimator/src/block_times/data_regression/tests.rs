//! Laws of data: what is recovered exactly, what is not believed in.

use super::*;
use crate::block_times::rank_distribution::Line;
use proptest::prelude::*;

/// A matrix of `size` rows and columns on a grid of ranks: rows of the rank, and its time.
fn samples(ranks: &[u32], size: f64, time: impl Fn(f64, u32, u32) -> f64) -> Vec<Sample> {
    let run = |&ranks: &u32| (0..ranks).map(move |rank| (rank, ranks));
    let sample = |(rank, ranks)| {
        let rows = rows_of(size, ranks);
        Sample {
            rank,
            ranks,
            terms: vec![rows],
            time: time(rows, rank, ranks),
            error: 0.0,
            count: 1.0,
        }
    };
    ranks.iter().flat_map(run).map(sample).collect()
}

/// On a grid with no more rows than columns.
fn rows_of(size: f64, ranks: u32) -> f64 {
    size / 2f64.powi((ranks.ilog2() / 2) as i32)
}

#[test]
fn rows_are_known_and_the_rest_is_divided() {
    let time = |rows: f64, _, ranks: u32| 4.0 * rows + 80_000.0 / f64::from(ranks);
    let model = Regression::of(&samples(&[4, 16], 1400.0, time)).expect("a model");
    assert!(!model.is_by_rank());
    for ranks in [8, 32, 64] {
        let rows = rows_of(1400.0, ranks);
        let (found, expected) = (model.time(&[rows], 1, ranks), time(rows, 1, ranks));
        assert!(
            (found / expected - 1.0).abs() < 1e-6,
            "{ranks}: {found} {expected}"
        );
    }
}

#[test]
fn work_growing_with_ranks_has_no_share_regression() {
    let time = |_, _, ranks: u32| 100.0 * f64::from(ranks);
    assert!(Regression::of(&samples(&[4, 16], 1400.0, time)).is_none());
}

/// A division that explains nothing is not taken because a few samples happen to lie so.
#[test]
fn ranks_that_differ_by_chance_are_alike() {
    let time = |rows: f64, rank: u32, ranks: u32| {
        let chance = (f64::from((rank * 7919 + ranks * 31) % 13) - 6.0) / 600.0;
        (4.0 * rows + 80_000.0 / f64::from(ranks)) * (1.0 + chance)
    };
    let model = Regression::of(&samples(&[4, 16], 1400.0, time)).expect("a model");
    assert!(!model.is_by_rank() && model.error > 0.002, "{model:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// From 4 and 16 ranks to others, whatever the rates and however the data are divided.
    #[test]
    fn laws_are_recovered(rate in 1.0..20.0f64, even in 1e4..1e6f64, uneven in 0.1..1.0f64, which in 0usize..4) {
        let division =
            [Division::Diagonal, Division::Rising(Line::Ranks), Division::Falling(Line::Ranks), Division::Even][which];
        let time = |rows: f64, rank: u32, ranks: u32| {
            rate * rows + even / f64::from(ranks) + uneven * even * division.share(rank, ranks)
        };
        let model = Regression::of(&samples(&[4, 16], 1400.0, time)).expect("a model");
        for (rank, ranks) in [(0, 8), (3, 8), (9, 64), (10, 64), (63, 64)] {
            let rows = rows_of(1400.0, ranks);
            let (found, expected) = (model.time(&[rows], rank, ranks), time(rows, rank, ranks));
            prop_assert!((found / expected - 1.0).abs() < 0.01, "{rank} of {ranks}: {found} {expected} {model:?}");
        }
    }

    #[test]
    fn times_are_never_negative(times in prop::collection::vec(0.0..1e6f64, 20), rows in 0.0..1e4f64) {
        let mut all = samples(&[4, 16], 1400.0, |_, _, _| 0.0);
        all.iter_mut().zip(times).for_each(|(sample, time)| sample.time = time);
        if let Some(model) = Regression::of(&all) {
            prop_assert!((0..64).all(|rank| model.time(&[rows], rank, 64) >= 0.0));
        }
    }
}

/// Columns dealt out in turn, of a triangle that shrinks from step to step: the term counts all columns of a rank, a condition
/// leaves out those that are done, so that of large ones and small ones a rank has many with the same term.
#[test]
fn skipped_part_follows_from_the_sum() {
    let work = |step: u32, rank: u32, ranks: u32| {
        let own = (0..240)
            .filter(|column| column % ranks == rank && *column > step)
            .count();
        let all = (0..240).filter(|column| column % ranks == rank).count();
        let rows = f64::from(240 - step);
        (all as f64 * rows, own as f64 * rows + 1.0)
    };
    let run =
        |ranks: u32| (0..ranks).flat_map(move |rank| (0..240).map(move |step| (step, rank, ranks)));
    let sample = |(step, rank, ranks)| {
        let (term, time) = work(step, rank, ranks);
        Sample {
            rank,
            ranks,
            terms: vec![term],
            time,
            error: 0.0,
            count: 1.0,
        }
    };
    let model = Regression::of(
        &[4, 9]
            .into_iter()
            .flat_map(run)
            .map(sample)
            .collect::<Vec<_>>(),
    )
    .expect("a model");
    for ranks in [2, 6, 16] {
        let [mut said, mut counted] = [0.0; 2];
        for (step, rank, ranks) in run(ranks) {
            let (term, time) = work(step, rank, ranks);
            said += model.time(&[term], rank, ranks);
            counted += time;
        }
        assert!(
            (said / counted - 1.0).abs() < 0.03,
            "{ranks}: {said} for {counted}"
        );
    }
}
