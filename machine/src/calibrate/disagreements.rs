//! Lengths at which the fitted models disagree. The curves follow the median of each length; the parameters of LogGPS and its
//! relatives come from all lengths together. So a length that something else slowed shows as a difference between the two, also where
//! the curve has no neighbours that refute it: at its end.

use super::curve_fit::FAR_OFF;
use super::fitted_times;
use base_data::comm_data::{CommData, SampleKind};

/// If more than one in so many lengths differ, the samples are not described by few parameters, and no length is suspect.
const EXCEPTIONS: usize = 4;
/// The model with a curve.
const CURVE: &str = crate::network::mpiete::NAME;
/// Models with few parameters. Their fits describe the samples, or they are rejected.
const FEW_PARAMETERS: [&str; 3] = ["loggps", "loggops", "loggp-2"];

/// A sentence for each link with such lengths.
pub(super) fn find(data: &CommData) -> Vec<String> {
    let mut sentences = Vec::new();
    for one in fitted_times(data) {
        if one.kind != SampleKind::PingPong {
            continue;
        }
        let times_of = |name: &str| one.models.iter().find(|model| model.model == name);
        let (Some(curve), Some(few)) = (
            times_of(CURVE),
            FEW_PARAMETERS.iter().find_map(|name| times_of(name)),
        ) else {
            continue;
        };
        let mut lengths = Vec::new();
        for ((bytes, _), (by_curve, by_few)) in
            one.measured.iter().zip(curve.times.iter().zip(&few.times))
        {
            // As far as a length that the curve itself calls disturbed.
            if by_curve.seconds() > FAR_OFF * by_few.seconds() {
                lengths.push(format!("{bytes} B ({by_curve} against {by_few})"));
            }
        }
        if lengths.is_empty() || lengths.len() * EXCEPTIONS > one.measured.len() {
            continue;
        }
        sentences.push(format!(
            "messages of link class {} may be predicted too slow by the models with a curve: they follow samples that are far above what \
             model {} makes of all lengths, at {}; if something disturbed them, measure again and give both files of samples",
            one.link,
            few.model,
            lengths.join(", ")
        ));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use crate::calibrate::{CalibrateError, Run, calibrate};

    /// Samples of LogGPS with o' 1000, L 3000 ns, Oss 1, Ors 2, Gs 3 ns per byte; times of the length `slowed` are multiplied by `factor`.
    fn samples(slowed: u64, factor: f64) -> String {
        let mut text = String::new();
        for bytes in [0u64, 8, 64, 512, 4096, 32768, 131_072, 262_144] {
            let factor = if bytes == slowed { factor } else { 1.0 };
            let mut add = |kind: &str, time: u64| {
                let time = time as f64 * factor;
                text.push_str(&format!(
                    "mpiete-sample {kind} between-nodes 2 {bytes} 0 {time:.0} {time:.0} 0 100\n"
                ));
            };
            add("ping-pong", 5000 + 6 * bytes);
            add("blocking-send", 1000 + bytes);
            add("late-receive", 1000 + 2 * bytes);
            add("flood", 1000 + 3 * bytes);
        }
        text
    }

    #[test]
    fn slowed_lengths_that_the_curve_follows_are_named() {
        let made =
            |factor| calibrate(&[("s", &samples(131_072, factor))], &Run::default()).unwrap();
        let named = |factor| {
            let warnings = made(factor).warnings;
            warnings.iter().any(|one| one.contains("131072 B"))
        };
        assert!(named(1.7));
        assert!(!named(1.0));
    }

    #[test]
    fn disturbed_last_length_does_not_move_parameters() {
        let text = samples(262_144, 6.0);
        let made = calibrate(&[("s", &text)], &Run::default()).unwrap();
        let fit = made.data.fits.iter().find(|fit| fit.model == "loggps");
        let gap = fit.unwrap().parameter("Gs").unwrap();
        assert!((gap - 3.0).abs() < 0.1, "{gap}");
    }

    #[test]
    fn samples_without_time_are_left_out_or_refused() {
        let nothing: String = samples(u64::MAX, 1.0)
            .lines()
            .map(|line| {
                let words: Vec<&str> = line.split(' ').collect();
                format!("{} 0 0 0 100\n", words[..6].join(" "))
            })
            .collect();
        let refused = calibrate(&[("s", &nothing)], &Run::default());
        assert!(
            matches!(refused, Err(CalibrateError::NoTime { .. })),
            "{refused:?}"
        );
        let made = calibrate(&[("s", &samples(262_144, 0.0))], &Run::default()).unwrap();
        assert!(
            made.warnings.iter().any(|one| one.contains("262144 B")),
            "{:?}",
            made.warnings
        );
        let longest = made.data.samples.iter().map(|sample| sample.bytes).max();
        assert_eq!(longest, Some(131_072));
    }
}
