//! Flags of `mpiete meta`.

use super::{
    AssumptionArgs, Format, InputArgs, PlatformArgs, ProjectArgs, VerboseArgs, value_parsers,
};
use clap::Args;
use std::path::PathBuf;

/// Every rank executes MODEL. The expected costs and the estimate are those of the described program, which need not exist.
/// See docs/guide/meta.md for the language.
#[derive(Args, Debug)]
pub struct MetaArgs {
    /// The meta-program
    #[arg(value_name = "MODEL", required_unless_present = "from")]
    pub source: Option<PathBuf>,
    /// Value of a variable, or of the next @arg[0], @arg[1], … (may be repeated)
    #[arg(
        id = "values",
        help_heading = "Input",
        long = "arg",
        allow_hyphen_values = true,
        value_name = "[NAME=]VALUE"
    )]
    pub arguments: Vec<String>,
    /// Number of ranks [default: that of PARALLEL, or 1]
    #[arg(help_heading = "Input", short = 'n', long, value_parser = value_parsers::ranks, value_name = "N")]
    pub ranks: Option<u32>,
    /// Time of a unit of compute, such as 2.5ns [default: 1ns, with a warning]
    #[arg(help_heading = "Input", long, value_parser = value_parsers::short_time, value_name = "TIME")]
    pub compute_unit: Option<f64>,
    /// Time of a unit of input and output [default: none, with a warning]
    #[arg(help_heading = "Input", long, value_parser = value_parsers::short_time, value_name = "TIME")]
    pub stream_unit: Option<f64>,
    /// Bytes of a unit of messages
    #[arg(help_heading = "Input", long, default_value_t = 1.0, value_parser = value_parsers::positive_number, value_name = "BYTES")]
    pub message_unit: f64,
    #[command(flatten)]
    pub platform: PlatformArgs,
    /// Print the expected costs of each kind, in units of the meta-program, and estimate no time
    #[arg(help_heading = "Output", long, conflicts_with_all = ["output", "base_data", "platform", "comm"])]
    pub costs: bool,
    /// Print the meta-program in its standard form and do nothing else
    #[arg(help_heading = "Output", long, conflicts_with_all = ["costs", "output", "base_data", "platform", "comm", "values"])]
    pub format_source: bool,
    /// File to write the estimate to
    #[arg(help_heading = "Output", short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print a meta-program of a study or of program data and compute data (may be repeated)
    ///
    /// Costs are mean times of blocks on the platform, in nanoseconds. With -o the meta-program is written to FILE.
    #[arg(help_heading = "Input", long, conflicts_with_all = ["source", "values", "costs", "format_source", "base_data"], value_name = "STUDY|FILES")]
    pub from: Vec<PathBuf>,
    #[command(flatten)]
    pub profiling: ProfilingArgs,
    /// Folder to write program.mpiete and compute.mpiete to, for `mpiete estimate` and `mpiete sweep`
    #[arg(help_heading = "Output", long, value_name = "DIR")]
    pub base_data: Option<PathBuf>,
    /// Output format
    #[arg(help_heading = "Output", long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    #[command(flatten)]
    pub verbose: VerboseArgs,
}

/// Values of profiling directives.
#[derive(Args, Debug)]
#[command(next_help_heading = "Profiling")]
pub struct ProfilingArgs {
    /// Measure the values of directives in a run of these Fortran or C sources, or of a directory that contains them
    ///
    /// A copy of the sources with inserted code runs with -n ranks under the token runtime. Give the program's arguments
    /// after `--`. Values are those of each rank.
    #[arg(long, num_args = 1.., value_name = "PROJECT", conflicts_with_all = ["from", "format_source", "profile_from"])]
    pub profile: Vec<PathBuf>,
    /// Run this build command; the files that it compiles are profiled
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["from", "format_source", "profile_from", "profile", "include", "define"])]
    pub from_build: Option<String>,
    /// Select the program if the build makes several
    #[arg(
        hide_short_help = true,
        long,
        value_name = "NAME",
        requires = "from_build"
    )]
    pub program: Option<String>,
    /// Search this directory for INCLUDE and #include files (may be repeated)
    #[arg(short = 'I', value_name = "DIR", requires = "profile")]
    pub include: Vec<PathBuf>,
    /// Define a preprocessor macro (may be repeated)
    #[arg(short = 'D', value_name = "NAME[=VALUE]", requires = "profile")]
    pub define: Vec<String>,
    /// Run with this command, such as "mpirun -n 4", under the MPI library that the wrapper MPIFC (default: mpif90) or MPICC links
    #[arg(long, value_name = "COMMAND")]
    pub launch: Option<String>,
    /// File to write the measured values to
    #[arg(long, value_name = "FILE")]
    pub profile_output: Option<PathBuf>,
    /// Take the values of directives from a file that --profile-output wrote
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from", "format_source"])]
    pub profile_from: Option<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
}

impl ProfilingArgs {
    /// Whether a program is to be profiled.
    pub fn is_run(&self) -> bool {
        !self.profile.is_empty() || self.from_build.is_some()
    }

    /// The program to profile, as a whole.
    pub fn project(&self) -> ProjectArgs {
        ProjectArgs {
            sources: self.profile.clone(),
            include: self.include.clone(),
            define: self.define.clone(),
            from_build: self.from_build.clone(),
            program: self.program.clone(),
            section: None,
            whole: true,
            assumptions: AssumptionArgs::default(),
        }
    }
}
