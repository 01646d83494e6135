//! Samples that something else than the network disturbed: what they must not do to the curve.

use super::*;
use base_data::Time;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Length, median, minimum and distance of the quartiles in ns.
type Row = (u64, i64, i64, i64);

fn lines(rows: &[Row]) -> String {
    let line = |&(bytes, median, minimum, spread): &Row| {
        format!("mpiete-sample ping-pong inside-node 2 {bytes} 0 {median} {minimum} {spread} 100\n")
    };
    rows.iter().map(line).collect()
}

/// What certain samples of lengths with these times look like.
fn certain(points: &[(u64, i64)]) -> Vec<Row> {
    points
        .iter()
        .map(|&(bytes, ns)| (bytes, ns, ns - ns / 20, ns / 20))
        .collect()
}

fn calibrated(rows: &[Row]) -> Calibration {
    calibrate(&[("samples", &lines(rows))], &Run::default()).unwrap()
}

/// Time in ns that the curve has for so many bytes.
fn at(made: &Calibration, bytes: u64) -> f64 {
    let curve = mpiete::Curve::new(made.data.fits[0].curve.clone()).unwrap();
    curve.time(bytes).seconds() * 1e9
}

#[track_caller]
fn near(found: f64, expected: f64, most: f64) {
    assert!(
        (found / expected - 1.0).abs() <= most,
        "{found} instead of {expected}"
    );
}

/// Lengths that the warning names.
fn named(made: &Calibration) -> Vec<u64> {
    let [warning] = &made.warnings[..] else {
        return Vec::new();
    };
    let (_, lengths) = warning.split_once(" at ").unwrap();
    let (lengths, _) = lengths.split_once(", whose").unwrap();
    lengths
        .split(", ")
        .map(|length| length.strip_suffix(" B").unwrap().parse().unwrap())
        .collect()
}

/// 1 us and 0.1 ns a byte, at 0 and powers of two up to 64 KiB.
fn clean() -> Vec<(u64, i64)> {
    let lengths = std::iter::once(0).chain((0..=16).map(|power| 1 << power));
    lengths
        .map(|bytes| (bytes, 1000 + bytes as i64 / 10))
        .collect()
}

#[test]
fn one_disturbed_length_moves_no_other() {
    let rows = [
        (0, 4_000_000, 1000, 2_000_000),
        (8, 1000, 900, 50),
        (64, 1000, 900, 50),
        (1024, 1100, 900, 50),
        (4096, 1500, 1400, 50),
    ];
    let made = calibrated(&rows);
    for (bytes, expected) in [
        (0, 1000.0),
        (8, 1000.0),
        (64, 1000.0),
        (1024, 1100.0),
        (4096, 1500.0),
    ] {
        near(at(&made, bytes), expected, 0.001);
    }
    assert_eq!(named(&made), [0]);
    let warning = &made.warnings[0];
    for expected in [
        "link class inside-node",
        "4.000 ms at 0 B",
        "1.000 us",
        "measure again",
    ] {
        assert!(warning.contains(expected), "{expected}: {warning}");
    }
    assert!(made.data.fits[0].source.contains("disturbed lengths: 0 B"));
}

/// Slices of the scheduler, of 2 ms, are alike: the disturbed samples agree, but not their quickest repetitions. Of one length a
/// third sample is right.
#[test]
fn first_lengths_that_waited_for_the_scheduler_are_named() {
    let slow = |(bytes, _): (u64, i64)| (bytes, 6_000_000, 1_990_000, 20_000);
    for (disturbed, again) in [(5, false), (5, true), (14, false), (14, true)] {
        let mut rows = certain(&clean());
        let good = rows[disturbed - 1];
        for row in &mut rows[..disturbed] {
            *row = slow((row.0, row.1));
        }
        if again {
            rows.push(rows[disturbed - 1]);
            rows.push(good);
        }
        let made = calibrated(&rows);
        let expected: Vec<u64> = clean()[..disturbed].iter().map(|point| point.0).collect();
        assert_eq!(named(&made), expected, "{:?}", made.warnings);
        for &(bytes, ns) in &clean()[disturbed..] {
            near(at(&made, bytes), ns as f64, 0.001);
        }
        assert!(at(&made, 0) < 3000.0, "{}", at(&made, 0));
    }
}

#[test]
fn disturbed_length_beside_a_good_run_is_not_named() {
    let mut rows = certain(&clean());
    rows.push((64, 3_000_000, 1_000_000, 2_000_000));
    let made = calibrated(&rows);
    assert!(made.warnings.is_empty());
    near(at(&made, 64), 1006.0, 0.001);
}

#[test]
fn unconfirmed_last_lengths_do_not_change_the_curve() {
    for (wide, count) in [(true, 1), (true, 3), (false, 1)] {
        let mut rows = certain(&clean());
        let last = rows.len() - count;
        for row in &mut rows[last..] {
            *row = (
                row.0,
                row.1 * 20,
                row.1 * 9,
                if wide { row.1 * 15 } else { row.1 / 20 },
            );
        }
        let made = calibrated(&rows);
        assert_eq!(named(&made).len(), count);
        for &(bytes, ns) in &clean() {
            near(at(&made, bytes), ns as f64, 0.15);
        }
    }
}

#[test]
fn confirmed_minimum_replaces_disturbed_sample() {
    let mut rows = certain(&clean());
    let last = rows.len() - 1;
    // Bimodal: most repetitions beside another program, some alone.
    rows[last] = (65536, 400_000, 7400, 300_000);
    rows[8] = (128, 90_000, 950, 80_000);
    let made = calibrated(&rows);
    assert_eq!(named(&made), [128, 65536]);
    let points: Vec<u64> = made.data.fits[0]
        .curve
        .iter()
        .map(|point| point.bytes)
        .collect();
    assert!(
        points.contains(&128) && points.contains(&65536),
        "{points:?}"
    );
    near(at(&made, 65536), 7553.0, 0.05);
}

/// 1 us and 0.1 ns a byte, at 0 and powers of two up to 4 MiB.
fn clean_to_4_mib() -> Vec<(u64, i64)> {
    let lengths = std::iter::once(0).chain((0..=22).map(|power| 1 << power));
    lengths
        .map(|bytes| (bytes, 1000 + bytes as i64 / 10))
        .collect()
}

/// Half of the repetitions took twice as long, so the times rise like a curve, and none is above a longer message.
#[test]
fn bimodal_lengths_are_named_and_follow_the_faster_mode() {
    let all = clean_to_4_mib();
    let longest = all[all.len() - 1].0;
    for (first, last) in [(1 << 15, 1 << 19), (0, 64), (1 << 19, longest), (512, 512)] {
        // The median of 100 repetitions of which 40 to 60 are slow lies in either mode or between them.
        for median in [100, 150, 200] {
            let mut rows = certain(&all);
            let mut expected = Vec::new();
            for row in rows
                .iter_mut()
                .filter(|row| (first..=last).contains(&row.0))
            {
                *row = (row.0, row.1 * median / 100, row.2, row.1);
                if median > 140 {
                    expected.push(row.0);
                }
            }
            let made = calibrated(&rows);
            assert_eq!(named(&made), expected, "{first} to {last} B, {median} %");
            for &(bytes, ns) in &all {
                near(at(&made, bytes), ns as f64, 0.05);
            }
        }
    }
}

#[test]
fn lengths_that_are_all_bimodal_have_a_warning_without_names() {
    let mut rows = certain(&clean());
    for row in &mut rows {
        *row = (row.0, row.1 * 2, row.2, row.1);
    }
    let made = calibrated(&rows);
    let [warning] = &made.warnings[..] else {
        panic!("{:?}", made.warnings);
    };
    assert!(warning.contains("at 18 of 18 lengths"), "{warning}");
}

/// Behind a rate limiter few messages pass at once. The curve of the other lengths confirms the slower mode.
#[test]
fn quick_repetitions_off_the_curve_do_not_count() {
    let mut rows = certain(&clean_to_4_mib());
    for row in rows
        .iter_mut()
        .filter(|row| (1 << 15..=1 << 19).contains(&row.0))
    {
        *row = (row.0, row.1, 1000, row.1 / 2);
    }
    let made = calibrated(&rows);
    assert!(made.warnings.is_empty(), "{:?}", made.warnings);
    for (bytes, ns) in clean_to_4_mib() {
        near(at(&made, bytes), ns as f64, 0.001);
    }
}

#[test]
fn step_at_the_eager_limit_is_no_outlier() {
    // Another protocol from 4 KiB on, also where its first length has a wide spread, or is the last but one.
    for factor in [2, 5, 400] {
        for (cut, spread) in [(0, 20), (0, 1), (3, 20)] {
            let step =
                |(bytes, ns): (u64, i64)| (bytes, if bytes >= 4096 { ns * factor } else { ns });
            let mut rows = certain(&clean().into_iter().map(step).collect::<Vec<_>>());
            rows.truncate(rows.len() - cut);
            for row in rows.iter_mut().filter(|row| row.0 == 4096) {
                row.3 = row.1 / spread;
            }
            let made = calibrated(&rows);
            assert!(made.warnings.is_empty(), "{:?}", made.warnings);
            for &(bytes, ns, ..) in &rows {
                near(at(&made, bytes), ns as f64, 0.001);
            }
        }
    }
}

#[test]
fn confirmed_decrease_is_kept() {
    // Copied twice up to 4 KiB, once from there on.
    for (copying, warnings) in [(4, 0), (1, 1)] {
        let double = |(bytes, ns): (u64, i64)| {
            (
                bytes,
                if bytes <= 4096 {
                    ns + bytes as i64 / copying
                } else {
                    ns
                },
            )
        };
        let rows = certain(&clean().into_iter().map(double).collect::<Vec<_>>());
        assert_eq!(
            calibrated(&rows).warnings.len(),
            warnings,
            "one run may have been disturbed"
        );
        let made = calibrated(&[&rows[..], &rows].concat());
        assert!(made.warnings.is_empty(), "{:?}", made.warnings);
        for &(bytes, ns, ..) in &rows {
            near(at(&made, bytes), ns as f64, 0.001);
        }
    }
}

#[test]
fn residual_is_that_of_the_samples_and_not_of_the_fit() {
    // Every second length takes 30 % more: all are pooled, and the pools are flat.
    let times = (0..10).map(|power| (1 << power, if power % 2 == 0 { 1300 } else { 1000 }));
    let made = calibrated(&certain(&times.collect::<Vec<_>>()));
    let residual = made.data.fits[0].residual.unwrap();
    assert!((0.1..0.3).contains(&residual), "{residual}");
    // Disturbed lengths say nothing of the network's own error.
    let mut rows = certain(&clean());
    let undisturbed = calibrated(&rows).data.fits[0].residual.unwrap();
    rows[3] = (4, 3_000_000, 20_000, 2_000_000);
    let residual = calibrated(&rows).data.fits[0].residual.unwrap();
    assert!(
        (residual - undisturbed).abs() < 0.01,
        "{residual} {undisturbed}"
    );
}

#[test]
fn samples_that_are_disturbed_throughout_have_a_large_residual() {
    let mut rows = certain(&clean());
    for row in rows.iter_mut().step_by(2) {
        *row = (row.0, row.1 * 50, row.1 * 40, row.1 * 2);
    }
    let residual = calibrated(&rows).data.fits[0].residual.unwrap();
    assert!(residual > 0.3, "{residual}");
}

/// Two modes, one of them that of a network that lets some messages pass at once: the quick one counts.
#[test]
fn alternating_modes_follow_the_faster_one() {
    let times = [
        11_670, 11_670, 66_300, 12_100, 67_900, 62_500, 13_800, 60_100, 170_000, 272_000,
    ];
    let rows: Vec<Row> = times
        .iter()
        .enumerate()
        .map(|(power, &ns)| {
            (
                1 << power,
                ns,
                11_000,
                if ns < 20_000 { 57_000 } else { 1400 },
            )
        })
        .collect();
    let made = calibrated(&rows);
    for (bytes, expected) in [
        (4, 12_000.0),
        (16, 12_000.0),
        (32, 12_000.0),
        (64, 13_800.0),
    ] {
        near(at(&made, bytes), expected, 0.15);
    }
    assert_eq!(named(&made), [4, 16, 32]);
}

#[test]
fn coarse_clock_samples_are_accepted() {
    let made = calibrated(&[
        (0, 0, 0, 0),
        (8, 0, 0, 0),
        (64, 1000, 0, 1000),
        (1024, 0, 0, 0),
        (4096, 2000, 1000, 1000),
    ]);
    assert!(made.warnings.is_empty(), "{:?}", made.warnings);
    assert_eq!(at(&made, 8), 0.0);
    near(at(&made, 4096), 2000.0, 0.001);
}

/// Whether a length that takes a few times as long as it should lies among the disturbed lengths around this one.
/// It may be right, so that it leads the curve there.
fn leans_on_what_may_be_right(disturbed: &BTreeMap<usize, i64>, place: usize) -> bool {
    let is_disturbed = |other: &usize| disturbed.contains_key(other);
    let shorter = (0..=place).rev().take_while(is_disturbed);
    let longer = (place..).take_while(is_disturbed);
    shorter.chain(longer).any(|other| disturbed[&other] <= 4)
}

proptest! {
    /// Whatever few lengths are disturbed, and however much: no other length is off by more than the others say.
    #[test]
    fn few_disturbed_lengths_move_no_other(
        offset in 200i64..100_000, per_byte in 1i64..4,
        disturbed in prop::collection::btree_map(0usize..17, 2i64..5000, 0..4), wide: bool,
    ) {
        // Of three in a row and the next length, most are disturbed: no regression finds the one that is right.
        let in_a_row = |&place: &usize| disturbed.contains_key(&(place + 1)) && disturbed.contains_key(&(place + 2));
        prop_assume!(!disturbed.keys().any(in_a_row));
        let points: Vec<(u64, i64)> =
            clean().into_iter().map(|(bytes, _)| (bytes, offset + bytes as i64 * per_byte)).collect();
        let mut rows = certain(&points);
        for (&place, &factor) in &disturbed {
            let (bytes, ns, ..) = rows[place];
            let spread = if wide { ns * factor / 2 } else { ns * factor / 50 };
            rows[place] = (bytes, ns * factor, ns * factor * 9 / 10, spread);
        }
        let made = calibrated(&rows);
        for (place, &(bytes, ns)) in points.iter().enumerate() {
            if !leans_on_what_may_be_right(&disturbed, place) {
                let found = at(&made, bytes) / ns as f64;
                prop_assert!((0.6..1.5).contains(&found), "{bytes} B: {found} times, {:?}", made.warnings);
            }
        }
    }

    #[test]
    fn never_panics_on_any_samples(
        rows in prop::collection::vec((0u64..5000, 0i64..50, 0i64..50, 0i64..50), 2..40),
    ) {
        // Samples of one length alone are rejected.
        prop_assume!(rows.iter().any(|row| row.0 != rows[0].0));
        let made = calibrated(&rows);
        let curve = &made.data.fits[0].curve;
        prop_assert!(!curve.is_empty() && curve.iter().all(|point| point.time >= Time::ZERO));
    }
}
