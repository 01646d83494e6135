//! Expectations against known sums, and the distribution of random work against simulation.

use meta::{Arguments, MetaProgram, Units};

const UNITS: Units = Units {
    computation: 1000.0,
    stream: 0.0,
    message: 1.0,
};

fn computation(text: &str) -> f64 {
    let program = MetaProgram::parse("a.meta", text).unwrap();
    let costs = program.costs(&Arguments::default(), Some(1)).unwrap();
    costs.costs[0].1.computation
}

/// Mean and deviation of the only block.
fn work(text: &str) -> (f64, f64, Vec<i64>) {
    let program = MetaProgram::parse("a.meta", text).unwrap();
    let data = program
        .base_data(&Arguments::default(), Some(1), UNITS, 5)
        .unwrap();
    let [entry] = &data.compute.entries[..] else {
        panic!("{} entries", data.compute.entries.len());
    };
    let time = &entry.warm;
    // Every 5 %.
    let last = time.quantiles.len() - 1;
    let quantiles = (0..21).map(|i| time.quantiles[last * i / 20]).collect();
    (time.mean, time.standard_deviation, quantiles)
}

#[test]
fn figure_2_with_argument_20_costs_860() {
    let text = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/figures/figure02.meta"),
    )
    .unwrap();
    let program = MetaProgram::parse("figure02.meta", &text).unwrap();
    let mut arguments = Arguments::default();
    arguments.add("20").unwrap();
    let costs = program.costs(&arguments, None).unwrap();
    assert_eq!(costs.ranks, 1);
    assert_eq!(costs.costs[0].1.computation, 860.0);
}

#[test]
fn loops_with_random_ends_have_their_expected_length() {
    // The sum of 0.9^k for k from 0 to 19.
    let expected = (1.0 - 0.9f64.powi(20)) / 0.1;
    let found = computation("FOR 20\n compute(1)\n IF 0.1\n BREAK\n END\nEND");
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    // The same with an index that is used, so that iterations are added one by one.
    let found = computation("FOR k IN 0..20\n compute(1 + 0 * k)\n IF 0.1\n BREAK\n END\nEND");
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    // Rare ends: 1 − 10^-9 a billion times.
    let found = computation("FOR 1000000000\n compute(1)\n IF 0.000000001\n BREAK\n END\nEND");
    assert!((found / 632_120_558.9 - 1.0).abs() < 1e-6, "{found}");
}

#[test]
fn fractions_of_iterations_count_in_expectations() {
    assert_eq!(computation("FOR 7 / 2\n compute(4)\nEND"), 14.0);
}

/// Three iterations and a half, by hand: half of the fourth is executed if the first three stay.
#[test]
fn fractions_of_iterations_count_in_loops_with_random_ends() {
    let text = "FOR 7 / 2\n compute(4)\n IF 0.25\n compute(2)\n BREAK\n END\nEND";
    let (mean, deviation, quantiles) = work(text);
    // Executions that leave in the first, second, third and fourth iteration, and those that reach the end.
    let cases = [
        (0.25, 6.0),
        (0.75 * 0.25, 10.0),
        (0.75f64.powi(2) * 0.25, 14.0),
        (0.75f64.powi(3) * 0.25, 15.0),
        (0.75f64.powi(4), 14.0),
    ];
    let expected: f64 = cases.iter().map(|(share, cost)| share * cost).sum();
    let square: f64 = cases.iter().map(|(share, cost)| share * cost * cost).sum();
    assert!((computation(text) - expected).abs() < 1e-9);
    assert!((mean / 1000.0 - expected).abs() < 1e-6, "{mean} {expected}");
    let variance = square - expected * expected;
    assert!(
        (deviation / 1000.0 - variance.sqrt()).abs() < 1e-9,
        "{deviation} {variance}"
    );
    // The largest of a thousand samples is that of the fraction which leaves.
    let largest = *quantiles.last().unwrap() as f64 / 1000.0;
    assert!((largest - 15.0).abs() < 0.5, "{quantiles:?}");
    // A part of the first iteration alone.
    let (mean, deviation, _) = work("FOR 1 / 2\n IF 0.25\n compute(2)\n BREAK\n END\nEND");
    assert!((mean - 250.0).abs() < 1e-6, "{mean}");
    assert!(
        (deviation - (0.25f64 * 0.75).sqrt() * 1000.0).abs() < 1e-6,
        "{deviation}"
    );
}

#[test]
fn deviations_of_random_work_are_those_of_their_distributions() {
    // 1000 trials of probability 0.3: variance n p (1 − p).
    let (mean, deviation, quantiles) = work("FOR 1000\n IF 0.3\n compute(1)\n END\nEND");
    assert_eq!(mean, 300_000.0);
    let expected = (1000.0 * 0.3 * 0.7f64).sqrt() * 1000.0;
    assert!((deviation / expected - 1.0).abs() < 1e-9, "{deviation}");
    let spread = (quantiles[18] - quantiles[2]) as f64;
    // 80 % of a normal distribution are within 2.563 deviations.
    assert!((spread / expected - 2.563).abs() < 0.25, "{quantiles:?}");
}

#[test]
fn random_ends_have_the_deviation_of_the_geometric_distribution() {
    for (count, ends) in [(1_000_000, 0.01), (50, 0.02), (1000, 1e-7)] {
        let text = format!("FOR {count}\n compute(1)\n IF {ends}\n BREAK\n END\nEND");
        let (mean, deviation, _) = work(&text);
        let (mut expected, mut square) = (0.0, 0.0);
        let mut reaches = 1.0;
        for length in 1..=count {
            let ends_here = if length == count {
                reaches
            } else {
                reaches * ends
            };
            expected += ends_here * f64::from(length);
            square += ends_here * f64::from(length) * f64::from(length);
            reaches *= 1.0 - ends;
        }
        let variance: f64 = square - expected * expected;
        assert!(
            (mean / 1000.0 / expected - 1.0).abs() < 1e-9,
            "{count}: {mean}"
        );
        let found = deviation / 1000.0;
        assert!(
            (found - variance.sqrt()).abs() < 1e-3 * expected,
            "{count} {ends}: {found} {}",
            variance.sqrt()
        );
    }
}

#[test]
fn equal_seeds_give_equal_bytes() {
    let text = "FOR 100\n allreduce(8)\n IF 0.5\n compute(3)\n END\n IF 0.1\n barrier()\n END\nEND";
    let program = MetaProgram::parse("a.meta", text).unwrap();
    let data = |seed| {
        program
            .base_data(&Arguments::default(), Some(3), UNITS, seed)
            .unwrap()
    };
    let (first, again, other) = (data(1), data(1), data(2));
    assert_eq!(first.program, again.program);
    assert_eq!(first.compute, again.compute);
    assert_ne!(first.program.classes, other.program.classes);
}
