//! Flags of `mpiete measure`, and of other commands that measure.

use super::InputArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args, Debug)]
pub struct MeasureArgs {
    /// Study to measure
    pub study: PathBuf,
    /// Number of ranks
    #[arg(short = 'n', long, value_parser = super::value_parsers::ranks, value_name = "N")]
    pub ranks: u32,
    /// File to write [default: compute-nN.mpiete in the study; with --co-run above 1 compute-nN-kK.mpiete, with T threads
    /// compute-nN-tT.mpiete]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Number of copies to measure at the same time, each on its own PU: times on a node with K ranks [default: 1 copy,
    /// then as many as ranks, PUs and memory allow]
    ///
    /// Ranks that share a node slow each other down. The estimate interpolates between the measured K.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub co_run: Option<u32>,
    #[command(flatten)]
    pub measurement: MeasurementArgs,
    #[command(flatten)]
    pub input: InputArgs,
}

/// When blocks count as measured.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Measurement")]
pub struct MeasurementArgs {
    /// Stop measuring a loop when the 95 % confidence interval of its time is within ±SHARE of the mean
    ///
    /// The time is that of all blocks of the loop. Each block with at least 1 % of it may have five times this
    /// interval (`mpiete show` prints it).
    #[arg(hide_short_help = true, long, default_value_t = 0.02, value_parser = super::value_parsers::positive_number, value_name = "SHARE")]
    pub interval: f64,
    /// Time limit in seconds for measuring a loop
    ///
    /// The limit is for all ranks: a solo rank has its share of it, at least 0.1 s.
    #[arg(long, default_value = "30", value_parser = seconds, value_name = "SECONDS")]
    pub budget: Duration,
    /// Measure on all ranks in turn, with real data
    ///
    /// By default a few representative ranks that together execute every block variant run solo,
    /// in sequence; all ranks run if that fails.
    #[arg(hide_short_help = true, long)]
    pub all_ranks: bool,
    /// Data source for receives of a rank that is measured alone
    #[arg(hide_short_help = true, long, value_enum, default_value_t = SoloInput::Auto, conflicts_with = "all_ranks", value_name = "SOURCE", alias = "feed")]
    pub solo_input: SoloInput,
    /// Limit of the processor time for sampling data-dependent blocks on ranks, as a multiple of one rank's time in
    /// the run; the first ranks and half a second are free
    #[arg(hide_short_help = true, long, default_value_t = 0.5, value_parser = non_negative, value_name = "FACTOR", alias = "cost")]
    pub sampling_budget: f64,
}

/// What ranks receive that measure alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SoloInput {
    /// The rank's last sent data (echo) for floating point; with other types all ranks run in turn,
    /// since sizes and indices of another rank may determine the work
    #[default]
    Auto,
    /// The rank's last sent data, of any type
    Echo,
    /// Messages logged in a run of all ranks, which costs as much as measuring on all of them
    Log,
    /// Both, in sequence; blocks with different times use the log
    Both,
}

/// Seconds as people write them. Runs count in nanoseconds of 64 bits, some 580 years.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let given = text
        .parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let countable = given.filter(|time| u64::try_from(time.as_nanos()).is_ok());
    countable.ok_or_else(|| "write a number of seconds from 0 to 18,000,000,000".into())
}

fn non_negative(text: &str) -> Result<f64, String> {
    let sane = |factor: &f64| factor.is_finite() && *factor >= 0.0;
    text.parse()
        .ok()
        .filter(sane)
        .ok_or_else(|| "write a number that is not below 0".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_numbers_are_rejected() {
        for (text, is_time, is_factor) in [
            ("0", true, true),
            ("1.5", true, true),
            ("1e300", false, true),
            ("1e11", false, true),
            ("inf", false, false),
            ("nan", false, false),
            ("-1", false, false),
            ("many", false, false),
        ] {
            let found = (seconds(text).is_ok(), non_negative(text).is_ok());
            assert_eq!(found, (is_time, is_factor), "{text}");
        }
    }
}
