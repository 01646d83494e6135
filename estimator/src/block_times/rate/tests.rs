//! Rates of blocks: what is recovered exactly, what never happens, what cross-validation says.

use super::*;
use proptest::prelude::*;

fn points(measured: &[(&[f64], f64)]) -> Vec<Point> {
    let point = |&(terms, time): &(&[f64], f64)| Point {
        terms: terms.to_vec(),
        time,
        error: 0.0,
        count: 1.0,
    };
    measured.iter().map(point).collect()
}

fn predicted(measured: &[(f64, f64)], size: f64) -> Predicted {
    let measured: Vec<Point> = measured
        .iter()
        .map(|&(size, time)| Point {
            terms: vec![size],
            time,
            error: 0.0,
            count: 1.0,
        })
        .collect();
    Rates::of(measured).predict(&[size])
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-4 * b.abs().max(1e-9)
}

#[test]
fn follows_the_rate() {
    let line = predicted(&[(10.0, 120.0), (20.0, 220.0), (40.0, 420.0)], 100.0);
    assert!(near(line.time, 1020.0), "{line:?}");
    let single = predicted(&[(10.0, 120.0)], 5.0);
    assert!(
        near(single.time, 60.0) && single.spread > UNKNOWN_SPREAD,
        "{single:?}"
    );
    let pair = predicted(&[(10.0, 100.0), (20.0, 100.0)], 40.0);
    assert!(near(pair.time, 100.0) && pair.spread == 1.0, "{pair:?}");
}

#[test]
fn without_work_terms_the_mean_is_used() {
    let none = Rates::of(points(&[(&[], 120.0)])).predict(&[]);
    assert!(near(none.time, 120.0), "{none:?}");
    let zero = predicted(&[(0.0, 120.0)], 7.0);
    assert!(near(zero.time, 120.0), "{zero:?}");
    assert_eq!(predicted(&[(0.0, 0.0)], 7.0).time, 0.0);
}

#[test]
fn more_work_never_takes_less_time() {
    let measured = [(10.0, 200.0), (20.0, 100.0), (30.0, 150.0)];
    let falling = predicted(&measured, 1000.0);
    assert!(
        (100.0..200.0).contains(&falling.time) && falling.spread > 0.2,
        "{falling:?}"
    );
}

/// Samples do not separate terms that grow together: all have one rate.
#[test]
fn collinear_terms_share_the_rate() {
    let rates = Rates::of(points(&[
        (&[10.0, 100.0], 110.0),
        (&[20.0, 200.0], 220.0),
        (&[40.0, 400.0], 440.0),
    ]));
    assert!(near(rates.predict(&[10.0, 200.0]).time, 210.0));
    assert!(rates.error().unwrap() < 1e-4);
}

/// A term that was 0 in all measured variants has the rate of the others.
#[test]
fn unseen_term_has_common_rate() {
    let rates = Rates::of(points(&[
        (&[10.0, 0.0], 30.0),
        (&[20.0, 0.0], 60.0),
        (&[30.0, 0.0], 90.0),
    ]));
    assert!(near(rates.predict(&[10.0, 5.0]).time, 45.0));
}

/// Beyond a level of cache each iteration takes thrice as long.
#[test]
fn levels_of_cache_have_rates_of_their_own() {
    let time = |size: f64| if size < 50.0 { size } else { 3.0 * size };
    let measured: Vec<(f64, f64)> = (1..=10)
        .map(|i| (f64::from(i) * 10.0, time(f64::from(i) * 10.0)))
        .collect();
    for size in [35.0, 75.0, 400.0] {
        assert!(
            near(predicted(&measured, size).time, time(size)),
            "{:?}",
            predicted(&measured, size)
        );
    }
    let rates = Rates::of(
        measured
            .iter()
            .map(|&(s, time)| Point {
                terms: vec![s],
                time,
                error: 0.0,
                count: 1.0,
            })
            .collect(),
    );
    assert_eq!(rates.pieces.len(), 2);
}

#[test]
fn one_rate_is_not_split() {
    let noisy = |i: i32| f64::from(i) * (100.0 + f64::from(i * 7 % 5));
    let measured: Vec<Point> = (1..=12)
        .map(|i| Point {
            terms: vec![f64::from(i)],
            time: noisy(i),
            error: 0.0,
            count: 1.0,
        })
        .collect();
    let rates = Rates::of(measured);
    assert_eq!(rates.pieces.len(), 1);
    assert!(rates.error().unwrap() < GOOD);
}

#[test]
fn blocks_off_their_terms_are_detected() {
    let measured = [
        (10.0, 100.0),
        (20.0, 900.0),
        (30.0, 50.0),
        (40.0, 700.0),
        (50.0, 20.0),
    ];
    let rates = Rates::of(
        measured
            .iter()
            .map(|&(s, time)| Point {
                terms: vec![s],
                time,
                error: 0.0,
                count: 1.0,
            })
            .collect(),
    );
    assert!(rates.error().unwrap() > 0.5, "{:?}", rates.error());
}

/// A variant that is known badly moves the rate less than one that is known well.
#[test]
fn uncertain_samples_have_less_weight() {
    let with = |error| {
        let point = |size: f64, time, error| Point {
            terms: vec![size],
            time,
            error,
            count: 1.0,
        };
        let all = vec![
            point(10.0, 100.0, 0.0),
            point(20.0, 200.0, 0.0),
            point(30.0, 600.0, error),
        ];
        Rates::of(all).predict(&[15.0]).time
    };
    assert!((with(1.0) - 150.0).abs() < (with(0.01) - 150.0).abs());
    assert!(near(with(10.0), 150.0));
}

#[test]
fn many_variants_are_thinned() {
    let measured: Vec<(f64, f64)> = (1..=500)
        .map(|i| (f64::from(i), 7.0 * f64::from(i)))
        .collect();
    assert!(near(predicted(&measured, 1000.0).time, 7000.0));
}

/// Terms of a nest, its rates, and how far times are scaled.
fn nests() -> impl Strategy<Value = (Vec<[f64; 3]>, [f64; 4], f64)> {
    let terms = (1u32..60, 1u32..60, 1u32..60)
        .prop_map(|(n, m, k)| [f64::from(n), f64::from(m * 3), f64::from(k * 7)]);
    (
        prop::collection::vec(terms, 8..20),
        [0.0..500.0, 0.0..30.0, 0.0..30.0, 1.0..30.0],
        0.001..1000.0,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn rates_are_recovered((terms, rates, _) in nests()) {
        let time = |t: &[f64]| rates[0] + rates[1..].iter().zip(t).map(|(rate, term)| rate * term).sum::<f64>();
        let measured = terms.iter().map(|t| Point { terms: t.to_vec(), time: time(t), error: 0.0, count: 1.0 }).collect();
        let found = Rates::of(measured).predict(&[100.0, 10.0, 200.0]);
        prop_assert!((found.time / time(&[100.0, 10.0, 200.0]) - 1.0).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn times_and_spreads_are_never_negative((terms, rates, scale) in nests(), seed in 0u64..1000) {
        let time = |i: usize| (rates[i % 4] * scale * ((i as u64 * 7919 + seed) % 13) as f64).floor();
        let measured = terms.iter().enumerate().map(|(i, t)| Point { terms: t.to_vec(), time: time(i), error: 0.01, count: 1.0 });
        let found = Rates::of(measured.collect());
        for t in &terms {
            let predicted = found.predict(&t.map(|term| term * 3.0));
            prop_assert!(predicted.time >= 0.0 && (0.0..=1.0).contains(&predicted.spread), "{predicted:?}");
        }
    }

    #[test]
    fn another_unit_of_time_changes_nothing_else((terms, rates, scale) in nests()) {
        let time = |i: usize| 1.0 + rates[i % 4] * terms[i][2] + terms[i][0];
        let with = |scale: f64| {
            let point = |i: usize| Point { terms: terms[i].to_vec(), time: scale * time(i), error: 0.0, count: 1.0 };
            Rates::of((0..terms.len()).map(point).collect()).predict(&[9.0, 9.0, 9.0])
        };
        let (one, other) = (with(1.0), with(scale));
        prop_assert!((other.time / scale / one.time - 1.0).abs() < 1e-3, "{one:?} {other:?}");
        prop_assert!((other.spread - one.spread).abs() < 1e-3, "{one:?} {other:?}");
    }
}

/// A condition that no term covers takes one time in nearly all variants and a hundred times that in a few: the sum
/// over all of them is right, at any size.
#[test]
fn variants_off_their_terms_keep_their_total_time() {
    let time = |i: u32| f64::from(i) * if i.is_multiple_of(5) { 100.0 } else { 1.0 };
    let measured: Vec<Point> = (1..=50)
        .map(|i| Point {
            terms: vec![f64::from(i)],
            time: time(i),
            error: 0.0,
            count: f64::from(1 + i % 2),
        })
        .collect();
    let rates = Rates::of(measured.clone());
    let all =
        |of: &dyn Fn(&Point) -> f64| measured.iter().map(|one| one.count * of(one)).sum::<f64>();
    assert!(near(
        all(&|one| rates.predict(&one.terms).time),
        all(&|one| one.time)
    ));
}
