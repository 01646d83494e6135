//! Flags of `mpiete measure`, and of other commands that measure.

use super::InputArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args, Debug)]
pub struct MeasureArgs {
    /// Study to measure
    pub study: PathBuf,
    /// Number of ranks
    #[arg(short = 'n', long, value_name = "N")]
    pub ranks: u32,
    /// File to write [default: compute-nN.mpiete in the study, with --co-run compute-nN-kK.mpiete]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Copies of the program that are measured at once, each on a PU of its own: times on a node with K ranks
    #[arg(long, default_value_t = 1, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub co_run: u32,
    #[command(flatten)]
    pub measuring: MeasuringArgs,
    #[command(flatten)]
    pub input: InputArgs,
}

/// When blocks count as measured.
#[derive(Args, Debug, Clone)]
pub struct MeasuringArgs {
    /// Relative half width of the 95 % confidence interval at which a block counts as measured
    #[arg(long, default_value_t = 0.02, value_name = "SHARE")]
    pub interval: f64,
    /// Seconds after which a loop is left even if its blocks still vary
    #[arg(long, default_value_t = 30.0, value_name = "SECONDS")]
    pub budget: f64,
    /// Run all ranks in turn, with real data
    ///
    /// Otherwise, from 5 ranks on, a few ranks that together execute everything that any rank does are run
    /// instead, one after the other, each alone; all ranks where that does not work.
    #[arg(long)]
    pub all_ranks: bool,
    /// What ranks receive that run alone
    #[arg(long, value_enum, default_value_t = Feeding::Auto, conflicts_with = "all_ranks", value_name = "FEED")]
    pub feed: Feeding,
    /// How many times a rank's part of the run measuring may cost for the sake of blocks whose work hangs
    /// on data and is sampled over ranks; the first ranks, and a second of processor time, are free
    #[arg(long, default_value_t = 0.5, value_name = "FACTOR")]
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
