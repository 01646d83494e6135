//! The estimate of a meta-program whose MPI calls are random. Each sample has random outcomes of its own. The report is that of the
//! sample with the median time; the headline is the mean of all, and the interval contains how they differ.

use super::{Source, estimate_of, total};
use ::meta::MetaData;
use anyhow::Result;
use base_data::Time;
use base_data::estimate_file::Estimate;
use estimator::Inputs;

/// Samples of random outcomes with their predicted times, in picoseconds.
struct Samples {
    /// Mean of the times.
    mean: f64,
    p10: f64,
    p90: f64,
    /// The seed of the median.
    median_seed: u64,
    median: f64,
    count: usize,
}

/// Estimates as many samples as draws were requested, and one in full. `first` is that of the first seed.
pub(super) fn estimate(source: &Source<'_>, first: MetaData) -> Result<Estimate> {
    let arguments = &source.arguments.platform;
    // One sample has no interval; it is what the user gets with --draws 0.
    if arguments.draws < 2 {
        return estimate_of(source, &first);
    }
    let mut times = Vec::new();
    for seed in seeds(arguments.seed, arguments.draws) {
        let sample = if seed == arguments.seed {
            None
        } else {
            Some(source.base_data(seed)?)
        };
        let time = mean_time(source, sample.as_ref().unwrap_or(&first))?;
        times.push((time, seed));
    }
    let samples = Samples::of(times);
    let mut median = source.base_data(samples.median_seed)?;
    // The estimate is that of all samples, so the note on a single one does not apply.
    median.program.time_dependent.clear();
    let result = estimate_of(source, &median)?;
    Ok(samples.around(result))
}

/// Seeds of the samples: that of the user first.
fn seeds(first: u64, count: u32) -> impl Iterator<Item = u64> {
    (0..u64::from(count)).map(move |number| first.wrapping_add(number))
}

/// The time of a sample with mean times of blocks.
fn mean_time(source: &Source<'_>, data: &MetaData) -> Result<Time> {
    let inputs = Inputs {
        program: &data.program,
        compute: std::slice::from_ref(&data.compute),
    };
    let platform = source.platform(data.program.ranks)?;
    Ok(total(&inputs, &platform, &source.arguments.platform)?.headline)
}

impl Samples {
    /// At least one time, each with its seed.
    fn of(mut times: Vec<(Time, u64)>) -> Self {
        times.sort_unstable();
        let (median, median_seed) = times[times.len() / 2];
        let times: Vec<Time> = times.into_iter().map(|(time, _)| time).collect();
        let picoseconds = |time: Time| time.picoseconds() as f64;
        let sum: f64 = times.iter().copied().map(picoseconds).sum();
        Self {
            mean: sum / times.len() as f64,
            p10: picoseconds(estimator::percentile(&times, 0.1)),
            p90: picoseconds(estimator::percentile(&times, 0.9)),
            median_seed,
            median: picoseconds(median),
            count: times.len(),
        }
    }

    /// The estimate of the median sample with the headline and the interval of all samples.
    fn around(&self, mut result: Estimate) -> Estimate {
        let headline = result.headline.picoseconds() as f64;
        let moved = headline + self.mean - self.median;
        // Random calls and the uncertainty within a sample are independent, so their distances add as squares.
        let distance = |inside: Time, outside: f64| {
            let inside = inside.picoseconds() as f64 - headline;
            inside.hypot(outside - self.mean)
        };
        let p10 = moved - distance(result.p10, self.p10);
        let p90 = moved + distance(result.p90, self.p90);
        let time = |picoseconds: f64| Time::from_picoseconds(picoseconds.max(0.0).round() as i64);
        result.add_source("random calls", time(self.p90 - self.p10));
        (result.headline, result.p10, result.p90) = (time(moved), time(p10), time(p90));
        result.warnings.push(format!(
            "random outcomes determine which MPI calls are made: time and interval are those of {} samples, the tables \
             those of the sample with the median time",
            self.count
        ));
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_contains_both_kinds_of_uncertainty() {
        let times = [10, 20, 60].map(|time| Time::from_picoseconds(time * 1_000_000));
        let numbered = (0..).zip(times).map(|(seed, time)| (time, seed)).collect();
        let samples = Samples::of(numbered);
        assert_eq!((samples.median_seed, samples.mean), (1, 30e6));
        let picoseconds = Time::from_picoseconds;
        let median = Estimate {
            headline: picoseconds(20_000_000),
            p10: picoseconds(17_000_000),
            p90: picoseconds(20_000_000),
            ..Estimate::default()
        };
        let result = samples.around(median);
        assert_eq!(result.headline, picoseconds(30_000_000));
        // 12 is the 10th percentile: 18 below the mean, and 3 below within the sample.
        assert_eq!(result.p10, picoseconds(11_751_712));
        assert_eq!(result.p90, picoseconds(52_000_000));
        assert_eq!(result.sources[0].name, "random calls");
    }
}
