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
    #[arg(short = 'n', long, allow_negative_numbers = true, value_parser = super::bounds::ranks(), value_name = "N")]
    pub ranks: u32,
    /// File to write [default: compute-nN.mpiete in the study; with --co-run compute-nN-kK.mpiete, with T threads
    /// compute-nN-tT.mpiete]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Copies of the program that are measured at once, each on a PU of its own: times on a node with K ranks
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_name = "K",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub co_run: u32,
    #[command(flatten)]
    pub measuring: MeasuringArgs,
    #[command(flatten)]
    pub input: InputArgs,
}

/// When blocks count as measured.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Measurement")]
pub struct MeasuringArgs {
    /// Half of the 95 % confidence interval, relative to it, at which a loop's time counts as measured
    ///
    /// That is the time of all its blocks together; each that is 1 % of it or more is known to five times as much
    /// at worst (`mpiete show` tells how well).
    #[arg(hide_short_help = true, long, default_value_t = 0.02, allow_negative_numbers = true, value_parser = above_zero, value_name = "SHARE")]
    pub interval: f64,
    /// Seconds after which a loop is left even if its blocks still vary
    ///
    /// That is for all ranks together: one that runs alone has its part of them, not less than 0.1 s.
    #[arg(long, default_value = "30", allow_negative_numbers = true, value_parser = seconds, value_name = "SECONDS")]
    pub budget: Duration,
    /// Run all ranks in turn, with real data
    ///
    /// Otherwise a few ranks that together execute everything that any rank does are run
    /// instead, one after the other, each alone; all ranks where that does not work.
    #[arg(hide_short_help = true, long)]
    pub all_ranks: bool,
    /// What ranks receive that run alone
    #[arg(hide_short_help = true, long, value_enum, default_value_t = Feeding::Auto, conflicts_with = "all_ranks", value_name = "FEED")]
    pub feed: Feeding,
    /// How many times a rank's part of the run measuring may cost for the sake of blocks whose work hangs
    /// on data and is sampled over ranks; the first ranks, and half a second of processor time, are free
    #[arg(hide_short_help = true, long, default_value_t = 0.5, allow_negative_numbers = true, value_parser = factor, value_name = "FACTOR")]
    pub cost: f64,
}

/// What ranks receive that measure alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Feeding {
    /// What they last sent themselves if that is floating point; all ranks run in turn where it is not,
    /// since sizes and indices of another rank may decide how much is computed
    #[default]
    Auto,
    /// What they last sent themselves, whatever it is
    Echo,
    /// What a run of all ranks kept for them, which costs as much as measuring on all of them
    Log,
    /// Both, one after the other; blocks whose times differ use the log
    Both,
}

/// Seconds as people write them. Runs count in nanoseconds of 64 bits, some 580 years.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let given = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let countable = given.filter(|time| u64::try_from(time.as_nanos()).is_ok());
    countable.ok_or_else(|| "write a number of seconds from 0 to 18,000,000,000".into())
}

fn factor(text: &str) -> Result<f64, String> {
    let sane = |factor: &f64| *factor >= 0.0;
    text.parse().ok().filter(sane).ok_or_else(|| "write a number that is not below 0".into())
}

fn above_zero(text: &str) -> Result<f64, String> {
    let sane = |share: &f64| *share > 0.0;
    text.parse().ok().filter(sane).ok_or_else(|| "write a number above 0".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_none_are_refused() {
        for (text, is_time, is_factor, is_share) in [
            ("0", true, true, false),
            ("1.5", true, true, true),
            ("1e300", false, true, true),
            ("1e11", false, true, true),
            ("nan", false, false, false),
            ("-1", false, false, false),
            ("many", false, false, false),
        ] {
            let found = (seconds(text).is_ok(), factor(text).is_ok(), above_zero(text).is_ok());
            assert_eq!(found, (is_time, is_factor, is_share), "{text}");
        }
    }
}
