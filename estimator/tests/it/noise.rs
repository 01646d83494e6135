//! Draws of known distributions: what of them comes out of sums and of maxima.

use crate::builder::*;
use base_data::Time;
use base_data::estimate_file::Estimate;
use base_data::program_data::Op;
use estimator::{Inputs, Options};

/// Block 1 takes between 0.9 and 1.1 µs, all values alike.
fn drawn(streams: Vec<Vec<Op>>, draws: u32) -> Estimate {
    drawn_with_seed(streams, draws, 1)
}

fn drawn_with_seed(streams: Vec<Vec<Op>>, draws: u32, seed: u64) -> Estimate {
    let values = (900_000..=1_100_000).step_by(200).collect();
    let data = program(streams, &[]);
    let options = Options {
        draws,
        seed,
        explain: true,
        ..Options::default()
    };
    let inputs = Inputs {
        program: &data,
        compute: &[compute_of(vec![(1, values)])],
    };
    estimator::estimate(&inputs, &mpiete(), &options).expect("an estimate")
}

fn noise(found: &Estimate) -> f64 {
    let source = found
        .sources
        .iter()
        .find(|source| source.name == "noise")
        .expect("noise");
    source.width.picoseconds() as f64
}

fn is_near(found: f64, expected: f64, share: f64) -> bool {
    (found / expected - 1.0).abs() < share
}

/// 10th to 90th percentile of a normal distribution, in standard deviations.
const EIGHTY_PERCENT: f64 = 2.563;
/// Standard deviation of values that are alike between 0.9 and 1.1 µs.
const DEVIATION: f64 = 200_000.0 / 3.464_101_6;

#[test]
fn each_execution_draws_for_itself() {
    let found = drawn(vec![repeat(400, vec![work(1)])], 400);
    // A sum of 400 varies by √400 times one of them; were all one draw, by 400 times.
    assert!(
        is_near(noise(&found), EIGHTY_PERCENT * DEVIATION * 20.0, 0.25),
        "{}",
        noise(&found)
    );
    assert!(
        is_near(found.headline.seconds(), 400e-6, 0.001),
        "{}",
        found.headline
    );
}

#[test]
fn maximum_over_ranks_exceeds_the_mean() {
    let ranks = 16;
    let found = drawn(vec![vec![work(1)]; ranks], 400);
    // The longest of 16 is 0.9 + 0.2 · 16 / 17 on average.
    let mean = 0.9 + 0.2 * ranks as f64 / (ranks + 1) as f64;
    assert!(
        is_near(found.headline.microseconds(), mean, 0.002),
        "{}",
        found.headline
    );
    let tenth = 0.9 + 0.2 * 0.1f64.powf(1.0 / ranks as f64);
    assert!(
        is_near(found.p10.microseconds(), tenth, 0.01),
        "{}",
        found.p10
    );
    // Beside it the replay with means, in which all ranks are equal.
    assert_eq!(
        found.explanation.critical_path.length,
        Time::from_nanoseconds(1000)
    );
}

#[test]
fn as_many_draws_as_asked_for() {
    for draws in [1, 2, 7] {
        assert_eq!(drawn(vec![vec![work(1)]], draws).draws, draws);
    }
}

/// How far headlines and ends of intervals of 20 seeds are apart, relative to the first.
fn spans(estimate: impl Fn(u64) -> Estimate) -> [f64; 3] {
    let found: Vec<Estimate> = (1..=20).map(estimate).collect();
    [
        |one: &Estimate| one.headline,
        |one: &Estimate| one.p10,
        |one: &Estimate| one.p90,
    ]
    .map(|time| {
        let times: Vec<f64> = found.iter().map(|one| time(one).seconds()).collect();
        let (least, most) = times
            .iter()
            .fold((f64::MAX, 0.0_f64), |(a, b), t| (a.min(*t), b.max(*t)));
        (most - least) / times[0]
    })
}

#[test]
fn noise_does_not_move_the_headline_with_the_seed() {
    for (ranks, executions) in [(1, 1), (1, 5), (4, 1), (16, 20)] {
        let streams = vec![repeat(executions, vec![work(1)]); ranks];
        let [headline, ..] = spans(|seed| drawn_with_seed(streams.clone(), 5, seed));
        assert!(
            headline < 1e-9,
            "{ranks} ranks, {executions} executions: {headline}"
        );
    }
    // The mean of one rank's work is exact, and the longest of 4 is 0.9 + 0.2 · 4 / 5 on average.
    assert!(is_near(
        drawn(vec![vec![work(1)]], 5).headline.microseconds(),
        1.0,
        0.0005
    ));
    assert!(is_near(
        drawn(vec![vec![work(1)]; 4], 5).headline.microseconds(),
        1.06,
        0.003
    ));
}

#[test]
fn calibration_moves_neither_headline_nor_interval_with_the_seed() {
    let ping_pong = |rank: u32| match rank {
        0 => repeat(10, vec![send(1, 1, 1000), receive(2, 1, 1000)]),
        _ => repeat(10, vec![receive(2, 0, 1000), send(1, 0, 1000)]),
    };
    let data = program(vec![ping_pong(0), ping_pong(1)], &[]);
    let platform = mpiete_with("residual = 0.25");
    let means = try_estimate(
        &data,
        &platform,
        &Options {
            draws: 0,
            ..Options::default()
        },
    )
    .unwrap();
    let estimate = |seed| {
        try_estimate(
            &data,
            &platform,
            &Options {
                draws: 21,
                seed,
                ..Options::default()
            },
        )
        .unwrap()
    };
    let [headline, p10, p90] = spans(estimate);
    assert!(
        headline < 1e-9 && p10 < 0.002 && p90 < 0.002,
        "{headline} {p10} {p90}"
    );
    let found = estimate(1);
    assert_eq!(found.headline, means.headline);
    // 10 % of a normal distribution are below 1.28 standard deviations.
    assert!(
        is_near(
            found.p10.seconds() / means.headline.seconds(),
            1.0 - 0.25 * 1.2816,
            0.01
        ),
        "{}",
        found.p10
    );
    assert!(
        is_near(
            found.p90.seconds() / means.headline.seconds(),
            1.0 + 0.25 * 1.2816,
            0.01
        ),
        "{}",
        found.p90
    );
}
