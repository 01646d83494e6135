//! Flags of `mpiete tasks`.

use super::{models, value_parsers};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The master sends tasks to workers, which send results and request more. A part of the tasks is measured, the times of the
/// others are interpolated, and the distribution of the tasks is simulated. See docs/guide/tasks.md.
#[derive(Args, Debug)]
pub struct TasksArgs {
    /// Table of measured task times: comma-separated values, parameters first and `seconds` last
    #[arg(value_name = "TABLE")]
    pub table: PathBuf,
    /// Numbers of ranks, masters and workers together, such as 16 or 8,16,32 or 8..64+4
    #[arg(
        help_heading = "Input",
        short = 'n',
        long,
        required_unless_present = "sample",
        value_name = "LIST"
    )]
    pub ranks: Option<String>,
    /// Numbers of masters, among which ranks and tasks are divided evenly
    #[arg(help_heading = "Input", long, default_value = "1", value_name = "LIST")]
    pub masters: String,
    /// Numbers of consecutive tasks that the master sends at a time, such as 16 or 1,16 or 1..4096*2
    #[arg(help_heading = "Input", long, default_value = "1", value_name = "LIST")]
    pub chunk: String,
    /// Values of a parameter: NAME=FIRST..LAST or NAME=FIRST..LAST+STEP [default: all between the measured ones] (may be repeated)
    #[arg(help_heading = "Input", long, value_name = "NAME=RANGE")]
    pub range: Vec<String>,
    /// Bytes of the master's messages: N, or N+M with M more bytes for each task
    #[arg(help_heading = "Input", long, default_value = "8", value_parser = value_parsers::message_by_tasks, value_name = "BYTES")]
    pub assignment_bytes: estimator::tasks::MessageLength,
    /// Bytes of the workers' messages: N, or N+M with M more bytes for each task
    #[arg(help_heading = "Input", long, default_value = "8", value_parser = value_parsers::message_by_tasks, value_name = "BYTES")]
    pub result_bytes: estimator::tasks::MessageLength,
    /// Table of a random sample of tasks, which corrects the interpolated times and bounds their error
    #[arg(help_heading = "Input", long, value_name = "TABLE")]
    pub check: Option<PathBuf>,
    /// Print this many random tasks, to be measured for --check, and do nothing else
    #[arg(help_heading = "Output", long, conflicts_with_all = ["ranks", "check"], value_name = "COUNT")]
    pub sample: Option<u64>,
    /// Seed of the random sample
    #[arg(
        help_heading = "Output",
        long,
        default_value_t = 1,
        value_parser = value_parsers::whole_number,
        requires = "sample",
        value_name = "NUMBER"
    )]
    pub seed: u64,
    /// Platform: a TOML file, the name of a bundled one, or `here` [default: fast-ethernet; with --comm here]
    #[arg(help_heading = "Platform", long, value_name = "PLATFORM")]
    pub platform: Option<String>,
    /// Communication data to use instead of the platform's
    #[arg(help_heading = "Platform", long, value_name = "FILE")]
    pub comm: Vec<PathBuf>,
    /// Scale the speed of workers by this factor, for a PU without measurements (a guess)
    #[arg(help_heading = "Platform", long, value_parser = value_parsers::speed, value_name = "FACTOR")]
    pub scale: Option<f64>,
    /// Network model [default: the first one the communication data have parameters for]
    #[arg(help_heading = "Platform", long, value_parser = models(), value_name = "MODEL")]
    pub model: Option<String>,
    /// Output format
    #[arg(help_heading = "Output", long, value_enum, default_value_t = TasksFormat::Text)]
    pub format: TasksFormat,
    /// File to write [default: standard output]
    #[arg(help_heading = "Output", short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Forms of output of `tasks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TasksFormat {
    /// For a terminal
    Text,
    /// One row per combination, for spreadsheets
    Csv,
    /// For other programs
    Json,
}
