//! What samples must not do to the fits of LogGPS, LogGOPS and LogGP-2. That parameters return is tested in the estimator, with replayed
//! programs.

use crate::calibrate::{Calibration, Run, calibrate, fitted_times};
use base_data::comm_data::{LinkClass, ModelFit, SampleKind};
use proptest::prelude::*;

/// Times in ns, per byte where they are.
#[derive(Clone, Copy)]
struct Machine {
    overhead: f64,
    latency: f64,
    send: f64,
    receive: f64,
    gaps: [f64; 2],
    packet: f64,
}

const MACHINE: Machine = Machine {
    overhead: 1000.0,
    latency: 3000.0,
    send: 1.0,
    receive: 2.0,
    gaps: [3.0, 3.0],
    packet: 4096.0,
};

const LENGTHS: [u64; 9] = [0, 8, 64, 512, 1024, 4096, 8192, 32_768, 131_072];

struct Sample {
    kind: &'static str,
    bytes: u64,
    delay: f64,
    time: f64,
}

/// Samples of messages that are all sent without their receive.
fn samples(machine: &Machine, lengths: &[u64]) -> Vec<Sample> {
    let Machine {
        overhead,
        latency,
        send,
        receive,
        gaps,
        packet,
    } = *machine;
    let mut all = Vec::new();
    for &bytes in lengths {
        let length = bytes as f64;
        let short = length.min(packet);
        let network = latency + short * gaps[0] + (length - short) * gaps[1];
        let (sent, received) = (overhead + length * send, overhead + length * receive);
        let mut add = |kind, delay, time| {
            all.push(Sample {
                kind,
                bytes,
                delay,
                time,
            });
        };
        add("ping-pong", 0.0, sent + network + received);
        add("blocking-send", 0.0, sent);
        add("late-receive", 0.0, received);
        add("flood", 0.0, overhead + length * gaps[0].max(gaps[1]));
    }
    all
}

fn text(samples: &[Sample]) -> String {
    let mut text = String::new();
    for sample in samples {
        let Sample {
            kind,
            bytes,
            delay,
            time,
        } = sample;
        text.push_str(&format!(
            "mpiete-sample {kind} between-nodes 2 {bytes} {delay:.0} {time:.3} {time:.3} 0 100\n"
        ));
    }
    text
}

fn made(samples: &[Sample]) -> Calibration {
    calibrate(&[("s", &text(samples))], &Run::default()).unwrap()
}

fn fit<'a>(made: &'a Calibration, model: &str) -> &'a ModelFit {
    let fit = made.data.fit(model, LinkClass::BetweenNodes);
    fit.unwrap_or_else(|| panic!("no fit of {model}: {:?}", made.rejected))
}

fn value(fit: &ModelFit, name: &str) -> f64 {
    fit.parameter(name).unwrap()
}

/// Half of the 95 % interval of a parameter.
fn half_interval(fit: &ModelFit, name: &str) -> f64 {
    let place = fit.parameters.iter().position(|one| one.name == name);
    1.96 * fit.covariance[place.unwrap() * (fit.parameters.len() + 1)].sqrt()
}

/// Long messages that are slower per byte: the two lines cannot meet at an `s` of a sum of positive parameters.
#[test]
fn s_of_slower_long_messages_is_between_measured_lengths() {
    let machine = Machine {
        gaps: [1.0, 3.0],
        ..MACHINE
    };
    let made = made(&samples(&machine, &LENGTHS));
    let found = fit(&made, "loggps");
    let packet = value(found, "s");
    assert!((4096.0..8192.0).contains(&packet), "{packet}");
    for (name, expected) in [("Gs", 1.0), ("Gl", 3.0), ("L", 3000.0), ("o'", 1000.0)] {
        let error = value(found, name) / expected - 1.0;
        assert!(error.abs() < 0.01, "{name}: {error}");
    }
    // What the file says is what was compared with the samples.
    for one in fitted_times(&made.data) {
        let times = one.models.iter().find(|times| times.model == "loggps");
        for ((bytes, measured), fitted) in one.measured.iter().zip(&times.unwrap().times) {
            let error = fitted.seconds() / measured.seconds() - 1.0;
            assert!(error.abs() < 0.01, "{:?} {bytes} B: {error}", one.kind);
        }
    }
}

/// Times that jump have parallel lines on both sides, which meet nowhere.
#[test]
fn s_of_a_jump_is_between_measured_lengths() {
    let mut all = samples(&MACHINE, &LENGTHS);
    for sample in &mut all {
        if sample.kind == "ping-pong" && sample.bytes > 1024 {
            sample.time *= 1.5;
        }
    }
    let made = made(&all);
    let fits = made.data.fits.iter();
    for packet in fits.filter_map(|fit| fit.parameter("s")) {
        assert!((8.0..131_072.0).contains(&packet), "{packet}");
    }
}

#[test]
fn fits_that_no_length_can_be_left_out_of_are_rejected() {
    let made = made(&samples(&MACHINE, &[8, 65_536]));
    let fits = made.data.fits.iter();
    let models: Vec<&str> = fits.map(|fit| fit.model.as_str()).collect();
    assert_eq!(models, ["mpiete"]);
    let reason = "the residual of model 'loggps' of link class between-nodes is unknown";
    assert!(
        made.rejected.iter().any(|one| one.starts_with(reason)),
        "{:?}",
        made.rejected
    );
}

/// The limit of sends without their receive was found to the byte, and no round trips lie between it and the longest length below it.
#[test]
fn change_of_slope_that_determines_no_parameters_is_no_candidate() {
    let (eager, length) = (8255, 8192);
    let mut all = Vec::new();
    for sample in samples(&MACHINE, &LENGTHS) {
        let bytes = sample.bytes;
        let is_eager = bytes <= eager;
        let mut sample = sample;
        if !is_eager && sample.kind == "ping-pong" {
            sample.time = 6000.0 + 9000.0 + 2.0 * bytes as f64;
        }
        if !is_eager && sample.kind == "blocking-send" {
            sample.time = 5000.0 + 6000.0 + bytes as f64;
        }
        if is_eager || matches!(sample.kind, "ping-pong" | "blocking-send") {
            all.push(sample);
        }
    }
    for bytes in [length, eager, eager + 1] {
        let time = if bytes <= eager { 9000.0 } else { 1e7 };
        all.push(Sample {
            kind: "blocking-send",
            bytes,
            delay: 1e7,
            time,
        });
    }
    let made = made(&all);
    let found = fit(&made, "loggps");
    assert_eq!(
        (value(found, "s"), value(found, "S")),
        (eager as f64, eager as f64)
    );
}

#[test]
fn one_disturbed_length_rejects_no_fit() {
    // All three models describe constant overheads.
    let machine = Machine {
        send: 0.0,
        receive: 0.0,
        ..MACHINE
    };
    let mut all = samples(&machine, &LENGTHS);
    for (index, sample) in all.iter_mut().enumerate() {
        sample.time *= 1.0 + 0.02 * ((index % 3) as f64 - 1.0);
        if sample.bytes == 1024 {
            sample.time *= 900.0;
        }
    }
    let made = made(&all);
    for model in ["loggps", "loggops", "loggp-2"] {
        let found = fit(&made, model);
        assert!(found.residual.unwrap() < 0.1, "{model}: {found:?}");
        assert!(found.source.contains("1024 B"), "{}", found.source);
    }
}

/// Errors that are no disturbances are the model's, also where the other samples are described exactly.
#[test]
fn errors_of_a_few_lengths_are_part_of_the_residual() {
    let mut all = samples(&MACHINE, &LENGTHS);
    for sample in &mut all {
        if [64, 4096].contains(&sample.bytes) {
            sample.time *= 1.15;
        }
    }
    let residual = fit(&made(&all), "loggps").residual.unwrap();
    assert!((0.04..0.1).contains(&residual), "{residual}");
}

/// A jump between two lengths does not show where it is.
#[test]
fn s_of_loggp_2_is_known_to_be_between_two_lengths() {
    let machine = Machine {
        send: 0.0,
        receive: 0.0,
        ..MACHINE
    };
    let mut all = samples(&machine, &LENGTHS);
    for sample in &mut all {
        if sample.bytes > 4096 && sample.kind == "ping-pong" {
            sample.time += 40_000.0;
        }
        if sample.bytes > 4096 && sample.kind == "blocking-send" {
            sample.time += 20_000.0;
        }
    }
    let made = made(&all);
    let found = fit(&made, "loggp-2");
    let (packet, half) = (value(found, "s"), half_interval(found, "s"));
    assert_eq!(packet, (4096.0f64 + 8191.0).div_euclid(2.0));
    for possible in [4096.0, 8191.0] {
        assert!((packet - possible).abs() <= half, "{packet} ± {half}");
    }
}

/// Beside a long delay, a message that is 100 % off is 1 % off.
#[test]
fn samples_beside_a_delay_do_not_lower_the_residual() {
    let mut all = samples(&MACHINE, &LENGTHS);
    for (index, sample) in all.iter_mut().enumerate() {
        sample.time *= 1.0 + 0.05 * ((index % 3) as f64 - 1.0);
    }
    let alone = fit(&made(&all), "loggps").residual.unwrap();
    let longest = 1e8;
    for &bytes in &LENGTHS {
        all.push(Sample {
            kind: "delayed",
            bytes,
            delay: longest,
            time: longest + 2000.0 + 3.0 * bytes as f64,
        });
    }
    let beside = fit(&made(&all), "loggps").residual.unwrap();
    assert!(beside > 0.8 * alone, "{beside} beside, {alone} alone");
}

/// `--step` adds thousands of lengths: more than are tried as `s` at once, and than are left out one by one.
#[test]
fn many_lengths_are_fitted() {
    let machine = Machine {
        gaps: [3.0, 1.0],
        packet: 3.0e5,
        ..MACHINE
    };
    let lengths: Vec<u64> = (0..200).map(|index| index * 4096).collect();
    let made = made(&samples(&machine, &lengths));
    let found = fit(&made, "loggps");
    assert!((value(found, "s") / 3.0e5 - 1.0).abs() < 0.01, "{found:?}");
    assert_eq!(
        fitted_times(&made.data)[0].kind,
        SampleKind::PingPong,
        "samples are there"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the times are: an `s` is where rows change, and residual and variances are numbers.
    #[test]
    fn fits_of_any_times_have_possible_thresholds(
        factors in prop::collection::vec(0.2f64..5.0, 36), waiting in 0usize..9,
    ) {
        let mut all = samples(&MACHINE, &LENGTHS);
        for (sample, factor) in all.iter_mut().zip(&factors) {
            sample.time *= 1.0 + 0.2 * (factor - 1.0);
        }
        for (place, &bytes) in LENGTHS.iter().enumerate() {
            let time = if place > waiting { 1e9 } else { 1000.0 };
            all.push(Sample { kind: "blocking-send", bytes, delay: 1e9, time });
        }
        let made = made(&all);
        for fit in made.data.fits.iter().filter(|fit| fit.model != "mpiete" && fit.model != "flow") {
            prop_assert!(fit.residual.unwrap() > 0.0);
            prop_assert!(fit.covariance.iter().all(|value| value.is_finite()));
            prop_assert!(fit.parameters.iter().all(|parameter| parameter.value >= 0.0));
            if let Some(packet) = fit.parameter("s") {
                prop_assert!((1.0..131_072.0).contains(&packet), "{packet}");
                prop_assert!(packet <= fit.parameter("S").unwrap_or(f64::INFINITY));
            }
        }
    }
}
