//! What the probe prints, and what is made of it.

use super::*;
use base_data::Time;
use proptest::prelude::*;

fn text(points: &[(u64, i64)]) -> String {
    let line = |&(bytes, ns): &(u64, i64)| {
        format!("mpiete-sample ping-pong between-nodes 2 {bytes} 0 {ns} {ns} 0 100\n")
    };
    points.iter().map(line).collect()
}

/// Communication data of texts none of whose lengths are disturbed.
fn quiet(texts: &[(&str, &str)]) -> CommData {
    let made = calibrate(texts, &Run::default()).unwrap();
    assert_eq!(made.warnings, [""; 0]);
    made.data
}

fn curve(data: &CommData, link: LinkClass) -> Vec<(u64, i64)> {
    let fit = data.fit(mpiete::NAME, link).unwrap();
    fit.curve
        .iter()
        .map(|point| (point.bytes, point.time.picoseconds() / 1000))
        .collect()
}

#[test]
fn reads_what_the_probe_prints() {
    let printed = "make: Entering directory '/home/user/probe'\n# probe\n\
        mpiete-sample ping-pong between-nodes 2 0 0 50000 49000 400 100\n\
        \n\
        mpiete-sample ping-pong inside-node 2 8 0 900.5 800 30 100\n\
        mpiete-sample receive inside-node 2 0 0 900.5 800 30 100\n\
        mpiete-sample to-self to-self 2 8 0 120 110 3 100\n\
        mpiete-sample delayed between-nodes 2 1 1000 60000 1 2 100\n\
        make[1]: Leaving directory '/home/user/probe'\n";
    let data = quiet(&[("samples.txt", printed)]);
    assert_eq!(data.samples.len(), 5);
    assert_eq!(data.samples[1].median, Time::from_picoseconds(900_500));
    assert_eq!(curve(&data, LinkClass::BetweenNodes), [(0, 50_000)]);
    assert_eq!(curve(&data, LinkClass::ToSelf), [(8, 120)]);
    // One knot: the residual is the samples' own spread.
    let residual = data
        .fit(mpiete::NAME, LinkClass::ToSelf)
        .unwrap()
        .residual
        .unwrap();
    assert!((residual - 3.0 / 1.349 / 120.0).abs() < 1e-9);
}

#[test]
fn wrong_lines_are_named() {
    let good = "mpiete-sample ping-pong between-nodes 2 0 0 50000 49000 400 100";
    for (line, found, expected) in [
        (
            "hello",
            "found 'hello'",
            "expected mpiete-sample KIND LINK RANKS BYTES",
        ),
        (&good[..60], "found 'mpiete-sample ping-pong", "REPETITIONS"),
        (
            &good.replace("ping-pong", "pong"),
            "'pong' in column KIND",
            "one of ping-pong, receive",
        ),
        (
            &good.replace("between", "among"),
            "'among-nodes' in column LINK",
            "between-nodes, switches-N",
        ),
        (
            &good.replace(" 2 ", " -2 "),
            "'-2' in column RANKS",
            "a whole number",
        ),
        (
            &good.replace("50000", "NaN"),
            "'NaN' in column MEDIAN_NS",
            "a time in nanoseconds",
        ),
    ] {
        let text = format!("# first\n{good}\n{line}\n");
        let error = calibrate(&[("s.txt", &text)], &Run::default())
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("s.txt:3: ") && error.contains(found),
            "{error}"
        );
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn fit_without_samples_is_an_error() {
    let only_polls = "mpiete-sample poll between-nodes 2 0 0 100 90 4 100\n";
    let error = calibrate(&[("a", only_polls), ("b", "")], &Run::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("a, b hold no sample of kind ping-pong"),
        "{error}"
    );
}

#[test]
fn round_trips_come_before_receives() {
    let both = text(&[(8, 1000)])
        + "mpiete-sample receive between-nodes 2 8 0 10 10 0 1000\n\
           mpiete-sample receive between-nodes 2 16 0 1010 10 0 1000\n";
    let data = quiet(&[("both", &both)]);
    assert_eq!(
        curve(&data, LinkClass::BetweenNodes),
        [(8, 1000), (16, 1010)]
    );
}

#[test]
fn residual_is_that_of_left_out_knots() {
    let straight = quiet(&[("s", &text(&[(0, 1000), (100, 2000), (300, 4000)]))]);
    assert_eq!(straight.fits[0].residual, Some(0.0));
    // Predicted 2000, measured 1000.
    let bent = quiet(&[("s", &text(&[(0, 1000), (100, 1000), (200, 3000)]))]);
    assert_eq!(bent.fits[0].residual, Some(1.0));
}

const BEGIN: &str = "# MPI library: MPICH Version: 4.0.2\n# network probe, version 2\n";
const END: &str = "# end of samples\n";

/// The message of each file that makes no communication data, in words that it contains.
#[test]
fn bad_files_are_rejected_in_a_sentence() {
    let good = text(&[(8, 1000), (16, 1010)]);
    let other = "# MPI library: Open MPI v4.1.4\n";
    for (texts, words) in [
        (
            vec![text(&[(8, 1000), (8, 1001)])],
            [
                "all samples of link class between-nodes in f0 have 8 B",
                "measure several lengths",
            ],
        ),
        (
            vec![format!("{BEGIN}{good}{END}"), format!("{other}{good}")],
            [
                "f0:1 was measured with 'MPICH Version: 4.0.2' and f1:1 with 'Open MPI v4.1.4'",
                "into a file of their own",
            ],
        ),
        (
            vec![format!("{BEGIN}{good}")],
            [
                "f0:4: the file ends before the last sample",
                "run the probe again",
            ],
        ),
        (
            vec![format!("{BEGIN}{good}{BEGIN}{good}{END}")],
            [
                "f0:5: the file ends before the last sample",
                "run the probe again",
            ],
        ),
        (
            vec![good[..good.len() - 9].to_string()],
            [
                "f0:2: the file ends before the last sample",
                "run the probe again",
            ],
        ),
        (
            vec![good.replace(" 1010 ", " -1010 ")],
            ["f0:2: found '-1010' in column MEDIAN_NS", "of at least 0"],
        ),
    ] {
        let names: Vec<String> = (0..texts.len()).map(|index| format!("f{index}")).collect();
        let named: Vec<(&str, &str)> = names
            .iter()
            .zip(&texts)
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect();
        let error = calibrate(&named, &Run::default()).unwrap_err().to_string();
        for word in words {
            assert!(error.contains(word), "{error}");
        }
    }
    let whole = format!("{BEGIN}{good}{END}{BEGIN}{good}{END}");
    let data = quiet(&[("whole", &whole)]);
    assert_eq!(data.mpi_library, "MPICH Version: 4.0.2");
}

proptest! {
    /// A piecewise linear curve that never falls returns exactly, also beside one run that went
    /// wrong.
    #[test]
    fn recovers_a_piecewise_linear_curve(
        steps in prop::collection::vec((1u64..5000, 0i64..90_000), 2..20),
        outlier in 0usize..20, factor in 2i64..50,
    ) {
        let mut at = (0, 1000);
        let points: Vec<(u64, i64)> =
            steps.iter().map(|&(bytes, ns)| { at = (at.0 + bytes, at.1 + ns); at }).collect();
        let (bytes, ns) = points[outlier % points.len()];
        let wrong = text(&[(bytes, ns * factor)]);
        let once = text(&points);
        let data = quiet(&[("a", &once), ("b", &wrong), ("c", &once)]);
        prop_assert_eq!(curve(&data, LinkClass::BetweenNodes), points);
    }

    #[test]
    fn never_panics_on_any_text(text in "[ -~\n]{0,200}") {
        let _ = calibrate(&[("any", &text)], &Run::default());
    }
}

/// The time of each further element, without what a call costs; the later file counts.
#[test]
fn reduction_rates_are_slopes() {
    let line = |elements, ns| format!("mpiete-reduction sum real8 {elements} {ns} {ns} 0 100\n");
    let samples = text(&[(0, 100), (8, 200)]);
    let of = |times: [(u64, u64); 2]| samples.clone() + &times.map(|(n, ns)| line(n, ns)).concat();
    let first = of([(1, 100), (1001, 1100)]);
    let second = of([(1, 100), (1001, 2100)]);
    let rates = |texts: &[(&str, &str)]| -> Vec<f64> {
        let data = calibrate(texts, &Run::default()).unwrap().data;
        let rates = data.reduction_rates.iter();
        rates.map(|rate| rate.picoseconds_per_element).collect()
    };
    assert_eq!(rates(&[("a", &first)]), [1000.0]);
    assert_eq!(rates(&[("a", &first), ("b", &second)]), [2000.0]);
    // One number of elements shows no rate.
    assert_eq!(rates(&[("a", &(samples.clone() + &line(1, 100)))]), []);
}

#[test]
fn collectives_of_the_probe_become_curves() {
    let text = "# network probe, version 2\n\
        mpiete-collective barrier 16 4 0 5000 4000 100 20\n\
        mpiete-collective allreduce 16 4 64 9000 8000 100 20\n\
        mpiete-collective allreduce 16 4 8 7000 6000 100 20\n\
        # end of samples\n";
    let data = quiet(&[("a", text)]);
    let mut found = Vec::new();
    for curve in &data.collectives {
        let points = curve.points.iter();
        let points: Vec<_> = points
            .map(|point| (point.bytes, point.time.picoseconds() / 1000))
            .collect();
        found.push((curve.kind.name(), curve.ranks, curve.ranks_per_node, points));
    }
    let expected = [
        ("barrier", 16, 4, vec![(0, 5000)]),
        ("allreduce", 16, 4, vec![(8, 7000), (64, 9000)]),
    ];
    assert_eq!(found, expected);
}

#[test]
fn settings_that_a_platform_needs_are_named() {
    let samples = text(&[(0, 100), (8, 200)]);
    let of = |line: &str| samples.clone() + "mpiete-setting " + line + "\n";
    for line in ["progress asynchronous", "eager-credit unlimited"] {
        quiet(&[("a", &of(line))]);
    }
    let cases = [
        ("progress in-call", "put progress = \"in-call\" into it"),
        (
            "eager-credit 65536",
            "put eager_credit = { bytes = 65536 } into the platform",
        ),
    ];
    for (line, remedy) in cases {
        let made = calibrate(&[("a", &of(line))], &Run::default()).unwrap();
        assert!(made.warnings[0].contains(remedy), "{:?}", made.warnings);
    }
    let wrong = [
        ("progress often", "expected asynchronous or in-call"),
        ("eager-credit much", "expected a whole number"),
        ("colour red", "expected progress or eager-credit"),
        ("progress", "expected mpiete-setting NAME VALUE"),
    ];
    for (line, expected) in wrong {
        let error = calibrate(&[("a", &of(line))], &Run::default()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

/// Few predictions are off, but one by a factor of a thousand, which the root mean square does not forget.
#[test]
fn flow_with_a_residual_above_the_times_themselves_is_rejected() {
    let samples = |quick: u64| {
        let mut text = String::new();
        for bytes in [0u64, 8, 64, 512, 4096, 32768, 131_072, 262_144] {
            let exchange = if bytes == quick { 5 } else { 5000 + 6 * bytes };
            for (kind, time) in [
                ("ping-pong", 5000 + 6 * bytes),
                ("blocking-send", 1000 + bytes),
                ("late-receive", 1000 + 2 * bytes),
                ("flood", 1000 + 3 * bytes),
                ("exchange", exchange),
            ] {
                text += &format!(
                    "mpiete-sample {kind} between-nodes 2 {bytes} 0 {time} {time} 0 100\n"
                );
            }
        }
        text
    };
    for (quick, is_fitted) in [(u64::MAX, true), (64, false)] {
        let made = calibrate(&[("a", &samples(quick))], &Run::default()).unwrap();
        let fit = made.data.fit(flow::NAME, LinkClass::BetweenNodes);
        assert_eq!(fit.is_some(), is_fitted, "{:?}", made.warnings);
        let is_named = made.warnings.iter().any(|warning| {
            warning.starts_with("no fit: the residual of model 'flow'")
                && warning.contains("measure again")
        });
        assert_eq!(is_named, !is_fitted, "{:?}", made.warnings);
    }
}
