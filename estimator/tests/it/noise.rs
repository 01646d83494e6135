//! Draws of known distributions: what of them comes out of sums and of maxima.

use crate::builder::*;
use base_data::Time;
use base_data::estimate_file::Estimate;
use base_data::program_data::Op;
use estimator::{Inputs, Options};

/// Block 1 takes between 0.9 and 1.1 µs, all values alike.
fn drawn(streams: Vec<Vec<Op>>, draws: u32) -> Estimate {
    let values = (900_000..=1_100_000).step_by(200).collect();
    let data = program(streams, &[]);
    let options = Options { draws, explain: true, ..Options::default() };
    let inputs = Inputs { program: &data, compute: &[compute_of(vec![(1, values)])] };
    estimator::estimate(&inputs, &mpiete(), &options).expect("an estimate")
}

fn noise(found: &Estimate) -> f64 {
    let source = found.sources.iter().find(|source| source.name == "noise").expect("noise");
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
    assert!(is_near(noise(&found), EIGHTY_PERCENT * DEVIATION * 20.0, 0.25), "{}", noise(&found));
    assert!(is_near(found.headline.seconds(), 400e-6, 0.001), "{}", found.headline);
}

#[test]
fn the_slowest_of_many_is_not_the_mean() {
    let ranks = 16;
    let found = drawn(vec![vec![work(1)]; ranks], 400);
    // Half of all draws have a longest of 16 below 0.9 + 0.2 · 0.5^(1/16).
    let median = 0.9 + 0.2 * 0.5f64.powf(1.0 / ranks as f64);
    assert!(is_near(found.headline.microseconds(), median, 0.005), "{}", found.headline);
    let tenth = 0.9 + 0.2 * 0.1f64.powf(1.0 / ranks as f64);
    assert!(is_near(found.p10.microseconds(), tenth, 0.01), "{}", found.p10);
    // Beside it the replay with means, in which all ranks are equal.
    assert_eq!(found.explanation.critical_path.length, Time::from_nanoseconds(1000));
}

#[test]
fn as_many_draws_as_asked_for() {
    for draws in [1, 2, 7] {
        assert_eq!(drawn(vec![vec![work(1)]], draws).draws, draws);
    }
}
