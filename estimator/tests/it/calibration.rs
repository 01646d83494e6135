//! Parameters fitted from samples return those that the samples were made with. The samples are times of the network probe's
//! programs, replayed with the model, so that the fit's own equations are not what is tested against.

use crate::builder::*;
use base_data::comm_data::{LinkClass, ModelFit};
use base_data::program_data::Op;
use estimator::Inputs;
use machine::{Platform, calibrate, platforms};

/// Relative noise of a sample: 0.03 %, less than that of real samples. At this noise, parameters that matter return within 1 %. That
/// intervals contain them is tested with the noise of real samples.
const NOISE: f64 = 0.0003;
/// Half of the 99.7 % interval of a normal distribution, in standard deviations.
const INTERVAL: f64 = 3.0;

/// Numbers of a normal distribution with a standard deviation, the same each time.
struct Noise {
    state: u64,
    deviation: f64,
}

impl Noise {
    fn uniform(&mut self) -> f64 {
        // Steele, Lea, Flood: splitmix64.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) as f64 / u64::MAX as f64
    }

    /// The sum of twelve uniform numbers has variance 1.
    fn normal(&mut self) -> f64 {
        let sum: f64 = (0..12).map(|_| self.uniform()).sum();
        self.deviation * (sum - 6.0)
    }
}

/// The lengths of the probe by its default settings: powers of two, and from 128 B to 256 KiB the lengths halfway between them.
fn lengths() -> Vec<u64> {
    let mut lengths = vec![0];
    for power in 0..=22 {
        if (8..=18).contains(&power) {
            lengths.push(3 << (power - 2));
        }
        lengths.push(1 << power);
    }
    lengths
}

/// A platform and the noise of its samples.
struct Probe<'a> {
    platform: &'a Platform,
    noise: Noise,
    lines: String,
}

impl Probe<'_> {
    /// End of a rank in nanoseconds; block 1 takes `delay`.
    fn end(&self, streams: Vec<Vec<Op>>, rank: usize, delay: f64) -> f64 {
        let data = program(streams, &[]);
        let delay = (delay * 1e3) as i64;
        let inputs = Inputs {
            program: &data,
            compute: &[compute_of(vec![(1, vec![delay; 3])])],
        };
        let found = estimator::estimate(&inputs, self.platform, &means()).expect("an estimate");
        found.per_rank[rank].end.picoseconds() as f64 / 1e3
    }

    /// Prints a sample of which `exact` is known without noise.
    fn sample(&mut self, kind: &str, bytes: u64, delay: f64, exact: f64) {
        let time = exact * (1.0 + self.noise.normal());
        let spread = exact * self.noise.deviation;
        self.lines.push_str(&format!(
            "mpiete-sample {kind} between-nodes 2 {bytes} {delay:.0} {time:.3} {time:.3} {spread:.3} 100\n"
        ));
    }

    /// All samples of one length; whether its send waits for its receive.
    fn measure(&mut self, bytes: u64) -> bool {
        let size = bytes as i64;
        let round_trip = self.end(
            vec![
                vec![send(1, 1, size), receive(2, 1, size)],
                vec![receive(3, 0, size), send(4, 0, size)],
            ],
            0,
            0.0,
        );
        self.sample("ping-pong", bytes, 0.0, round_trip / 2.0);
        let sent = self.end(
            vec![vec![send(1, 1, size)], vec![receive(2, 0, size)]],
            0,
            0.0,
        );
        self.sample("blocking-send", bytes, 0.0, sent);
        let delay = (round_trip + 2e5).round();
        let late = vec![work(1), receive(2, 0, size)];
        let late_send = self.end(vec![vec![send(1, 1, size)], late.clone()], 0, delay);
        self.sample("blocking-send", bytes, delay, late_send);
        let delayed = self.end(
            vec![
                vec![send(1, 1, size), work(1), receive(2, 1, size)],
                vec![receive(3, 0, size), send(4, 0, size)],
            ],
            0,
            delay,
        );
        self.sample("delayed", bytes, delay, delayed);
        let waits = late_send > delay / 2.0;
        if !waits {
            let received = self.end(vec![vec![send(1, 1, size)], late], 1, delay) - delay;
            if received > 0.0 {
                self.sample("late-receive", bytes, 0.0, received);
            }
            let flood = self.flood(size, 20) - self.flood(size, 4);
            self.sample("flood", bytes, 0.0, flood / 16.0);
        }
        waits
    }

    fn flood(&self, bytes: i64, messages: u64) -> f64 {
        let mut sender = repeat(messages, vec![send(1, 1, bytes)]);
        let mut receiver = repeat(messages, vec![receive(2, 0, bytes)]);
        sender.push(receive(3, 1, 0));
        receiver.push(send(4, 0, 0));
        self.end(vec![sender, receiver], 0, 0.0)
    }

    /// As the probe does: all lengths, then the limit of sends without their receive, to the byte.
    fn run(&mut self) {
        let (mut eager, mut waiting) = (0, None);
        for bytes in lengths() {
            if !self.measure(bytes) {
                eager = bytes;
            } else if waiting.is_none() {
                waiting = Some(bytes);
            }
        }
        let Some(mut waiting) = waiting else {
            return;
        };
        while waiting - eager > 1 {
            let middle = (eager + waiting) / 2;
            let streams = vec![
                vec![send(1, 1, middle as i64)],
                vec![work(1), receive(2, 0, middle as i64)],
            ];
            let delay = 1e7;
            let time = self.end(streams, 0, delay);
            self.sample("blocking-send", middle, delay, time);
            if time > delay / 2.0 {
                waiting = middle;
            } else {
                eager = middle;
            }
        }
    }
}

fn samples(platform: &Platform, noise: Noise) -> String {
    let mut probe = Probe {
        platform,
        noise,
        lines: String::new(),
    };
    probe.run();
    probe.lines
}

fn fitted(platform: &Platform, model: &str, seed: u64) -> ModelFit {
    let noise = Noise {
        state: seed,
        deviation: NOISE,
    };
    fitted_with(platform, model, noise)
}

fn fitted_with(platform: &Platform, model: &str, noise: Noise) -> ModelFit {
    let lines = samples(platform, noise);
    let found = calibrate::calibrate(&[("samples.txt", &lines)], &calibrate::Run::default())
        .expect("a calibration");
    let fit = found.data.fit(model, LinkClass::BetweenNodes);
    fit.unwrap_or_else(|| panic!("no fit of {model}: {:?}", found.warnings))
        .clone()
}

/// Standard deviation of a parameter by the covariance of its fit.
fn deviation(fit: &ModelFit, name: &str) -> f64 {
    let index = fit.parameters.iter().position(|one| one.name == name);
    let index = index.expect("a parameter");
    fit.covariance[index * (fit.parameters.len() + 1)].sqrt()
}

/// Compares a fit with the parameters of its samples. Each lies inside its interval, and within 1 % unless its share of every time is
/// lost in the noise: `small` names these, which lie within 1 % of `of`, the times per byte that they are measured with.
fn check(truth: &ModelFit, found: &ModelFit, small: &[(&str, f64)]) {
    let mut wrong = Vec::new();
    for parameter in &truth.parameters {
        let value = found.parameter(&parameter.name).unwrap_or(f64::NAN);
        let error = (value - parameter.value).abs();
        let reference = small
            .iter()
            .find(|(name, _)| *name == parameter.name)
            .map_or(parameter.value, |(_, of)| *of);
        let half = INTERVAL * deviation(found, &parameter.name);
        if !(error <= 0.01 * reference && error <= half) {
            wrong.push(format!(
                "{}: {value} for {}, interval ± {half}",
                parameter.name, parameter.value
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn bundled(name: &str) -> (Platform, ModelFit) {
    let platform = platforms::load(name).expect("a bundled platform");
    let fit = platform.fit("loggps", LinkClass::BetweenNodes);
    let fit = fit.expect("LogGPS parameters").clone();
    (platform, fit)
}

#[test]
fn loggps_of_fast_ethernet_returns() {
    let (platform, truth) = bundled("fast-ethernet-2001");
    check(&truth, &fitted(&platform, "loggps", 1), &[]);
}

#[test]
fn loggps_of_myrinet_returns() {
    let (platform, truth) = bundled("myrinet-2001");
    // Gl is 0.4 % of the time per byte of any message.
    let per_byte = 5.02 + 4.72 + 0.04;
    check(&truth, &fitted(&platform, "loggps", 2), &[("Gl", per_byte)]);
}

#[test]
fn loggps_of_cenju_4_returns() {
    let (platform, truth) = bundled("cenju-4");
    // Gs is 0.2 % of the time per byte of messages up to S; s is S, where no change of slope below it is seen.
    let short = 19.61 + 1.98 + 0.04;
    let found = fitted(&platform, "loggps", 3);
    check(
        &truth,
        &found,
        &[("Gs", short), ("Gl", 7.02), ("Orl", 7.02)],
    );
    let sum = found.parameter("Orl").unwrap() + found.parameter("Gl").unwrap();
    assert!((sum / 0.28 - 1.0).abs() < 0.01, "{sum}");
}

#[test]
fn loggops_returns() {
    let parameters = [
        ("L", 5300, "ns"),
        ("o", 1500, "ns"),
        ("O", 1, "ns/byte"),
        ("g", 4000, "ns"),
        ("G", 3, "ns/byte"),
        ("S", 65536, "bytes"),
    ];
    let platform = loggops(&parameters);
    let truth = platform
        .fit("loggops", LinkClass::BetweenNodes)
        .unwrap()
        .clone();
    check(&truth, &fitted(&platform, "loggops", 4), &[]);
}

#[test]
fn loggp_2_returns() {
    let parameters = [
        ("L", 7000.0, "ns"),
        ("o", 3830.0, "ns"),
        ("o_long", 72880.0, "ns"),
        ("G", 24.98, "ns/byte"),
        ("G_long", 8.85, "ns/byte"),
        ("s", 8192.0, "bytes"),
        ("S", 16384.0, "bytes"),
    ];
    let platform = with_parameters("loggp-2", 64, &parameters);
    let mut truth = platform
        .fit("loggp-2", LinkClass::BetweenNodes)
        .unwrap()
        .clone();
    let found = fitted(&platform, "loggp-2", 5);
    // Times jump at `s`, so samples show only between which of the probe's lengths it is.
    let packet = found.parameter("s").unwrap();
    assert!((8192.0..12_288.0).contains(&packet), "{packet}");
    assert!((packet - 8192.0).abs() <= 1.96 * deviation(&found, "s"));
    truth.parameters.retain(|parameter| parameter.name != "s");
    check(&truth, &found, &[]);
}

/// With the noise of real samples, intervals hold the parameters as often as they claim to.
#[test]
fn intervals_hold_the_parameters() {
    let (platform, truth) = bundled("fast-ethernet-2001");
    let (mut inside, mut all) = (0, 0);
    for seed in 10..20 {
        let noise = Noise {
            state: seed,
            deviation: 0.01,
        };
        let found = fitted_with(&platform, "loggps", noise);
        for parameter in &truth.parameters {
            let error = (found.parameter(&parameter.name).unwrap() - parameter.value).abs();
            // 95 % of a normal distribution; `S` is known to the byte.
            if error <= 1.96 * deviation(&found, &parameter.name) {
                inside += 1;
            }
            all += 1;
        }
    }
    assert!(inside * 100 >= all * 85, "{inside} of {all}");
}
