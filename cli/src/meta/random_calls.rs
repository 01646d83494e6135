//! The estimate of a meta-program whose MPI calls are random. Each sample has random outcomes of its own, and noise of its own for
//! the blocks that it executes. The headline is the mean of the samples, and the interval contains them; the tables are those of the
//! sample with the median time.

use super::{Source, estimate_of};
use ::meta::MetaData;
use anyhow::Result;
use base_data::Time;
use base_data::estimate_file::{Estimate, IntervalSource};
use estimator::{Inputs, Options, SampleTimes};

/// Samples of random outcomes.
struct Samples {
    /// Mean of the times.
    mean: Time,
    p10: Time,
    p90: Time,
    /// Distance of the percentiles of mean times: what random outcomes alone contribute to the interval.
    width: Time,
    /// The seed of the median.
    median_seed: u64,
    count: usize,
}

/// Estimates as many samples as draws were requested, and one in full. `first` is that of the first seed.
pub(super) fn estimate(source: &Source<'_>, first: &MetaData) -> Result<Estimate> {
    let arguments = &source.arguments.platform;
    // One sample has no interval; it is what the user gets with --draws 0.
    if arguments.draws < 2 {
        return estimate_of(source, first);
    }
    let mut samples = Vec::new();
    for number in 0..arguments.draws {
        let seed = arguments.seed.wrapping_add(u64::from(number));
        let sample = if number == 0 {
            None
        } else {
            Some(source.base_data(seed)?)
        };
        let times = times(source, sample.as_ref().unwrap_or(first), number)?;
        samples.push((seed, times));
    }
    let samples = Samples::of(&samples);
    let mut median = source.base_data(samples.median_seed)?;
    // The estimate is that of all samples, so the note on a single one does not apply.
    median.program.time_dependent.clear();
    let result = estimate_of(source, &median)?;
    Ok(samples.around(result))
}

fn times(source: &Source<'_>, data: &MetaData, number: u32) -> Result<SampleTimes> {
    let arguments = &source.arguments.platform;
    let inputs = Inputs {
        program: &data.program,
        compute: std::slice::from_ref(&data.compute),
    };
    let options = Options {
        model: arguments.model.clone(),
        draws: arguments.draws,
        seed: arguments.seed,
        timeline: false,
        explain: false,
    };
    let platform = source.platform(data.program.ranks)?;
    Ok(estimator::sample_times(
        &inputs, &platform, &options, number,
    )?)
}

impl Samples {
    /// At least one sample, each with its seed.
    fn of(samples: &[(u64, SampleTimes)]) -> Self {
        let sorted = |time: &dyn Fn(&SampleTimes) -> Time| {
            let mut times: Vec<Time> = samples.iter().map(|(_, times)| time(times)).collect();
            times.sort_unstable();
            times
        };
        let means = sorted(&|times| times.mean);
        let uncertain = sorted(&|times| times.uncertain);
        let mut by_time: Vec<(Time, u64)> = samples
            .iter()
            .map(|&(seed, times)| (times.mean, seed))
            .collect();
        by_time.sort_unstable();
        let sum: f64 = samples
            .iter()
            .map(|(_, times)| times.noisy.picoseconds() as f64)
            .sum();
        let mean = Time::from_picoseconds((sum / samples.len() as f64).round() as i64);
        let percentile = estimator::percentile;
        Self {
            mean,
            // Few samples may all lie on one side of their mean, which has another draw of the noise.
            p10: percentile(&uncertain, 0.1).min(mean),
            p90: percentile(&uncertain, 0.9).max(mean),
            width: percentile(&means, 0.9) - percentile(&means, 0.1),
            median_seed: by_time[by_time.len() / 2].1,
            count: samples.len(),
        }
    }

    /// The estimate of the median sample with the headline and the interval of all samples.
    fn around(&self, mut result: Estimate) -> Estimate {
        result.add_source(IntervalSource::RANDOM_CALLS, self.width);
        (result.headline, result.p10, result.p90) = (self.mean, self.p10, self.p90);
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
    fn headline_and_interval_are_those_of_samples_with_their_own_noise() {
        let time = |microseconds: i64| Time::from_picoseconds(microseconds * 1_000_000);
        let sample = |mean, noisy, uncertain| SampleTimes {
            mean: time(mean),
            noisy: time(noisy),
            uncertain: time(uncertain),
        };
        // The sample without the block, twice, and one in which it took a long time.
        let samples = [
            (1, sample(10, 10, 10)),
            (2, sample(20, 110, 60)),
            (3, sample(10, 10, 10)),
        ];
        let samples = Samples::of(&samples);
        assert_eq!(samples.median_seed, 3);
        let result = samples.around(Estimate::default());
        assert_eq!(result.headline.picoseconds(), 43_333_333);
        assert_eq!([result.p10, result.p90], [time(10), time(50)]);
        assert_eq!(result.sources[0].name, "random calls");
        assert_eq!(result.sources[0].width, time(8));
    }
}
