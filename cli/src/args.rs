//! Command-line arguments: every sub-command and every flag. The doc comments are the help texts.

mod measurement;
mod meta;
mod output_formats;
mod tasks;
mod value_parsers;

use crate::view::estimate::Detail;
use base_data::comm_data::LinkClass;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use estimator::comparison::CallSelector;
use estimator::formats::FORMATS;
use machine::network::{MODELS, ModelEntry};
use std::path::PathBuf;
use std::time::Duration;

pub use measurement::{MeasureArgs, MeasurementArgs, SoloInput};
pub use meta::{MetaArgs, ProfilingArgs};
pub use output_formats::{AnalysisFormat, SweepFormat};
pub use tasks::{TasksArgs, TasksFormat};

/// Predict how long an MPI program takes on a machine with N ranks, and explain why
///
/// A program is analysed and sliced, its probes run on one processing unit, and the result is replayed on
/// a described platform. `mpiete predict` does all of it; the other commands are its steps.
///
/// Exit codes: 0 done, 1 the program under test failed, 2 bad input, 3 a check or comparison differs.
#[derive(Parser, Debug)]
#[command(name = "mpiete", version, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

/// The program's command. Its options take negative numbers: why an option rejects -1 says more than that there is no option `-1`.
pub fn command() -> clap::Command {
    take_negative_numbers(Arguments::command())
}

fn take_negative_numbers(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|argument| {
        let is_option = !argument.is_positional() && argument.get_action().takes_values();
        argument.allow_negative_numbers(is_option)
    });
    command.mut_subcommands(take_negative_numbers)
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Print blocks, MPI calls, the slice and its assumptions
    Analyze(AnalyzeArgs),
    /// Write a study: probe programs, block table, makefile
    Prepare(PrepareArgs),
    /// Run the program probe (or any MPI binary) and write program data
    Record(RecordArgs),
    /// Run the compute probe and write compute data
    Measure(MeasureArgs),
    /// Write the network probe, or turn its samples into communication data
    Calibrate(CalibrateArgs),
    /// Combine base data into an estimate
    Estimate(EstimateArgs),
    /// Run an MPI program in virtual time on a described platform: for master/worker and other nondeterministic programs
    Emulate(EmulateArgs),
    /// Analyze, prepare, record, measure and estimate in one go
    Predict(PredictArgs),
    /// Estimate a program that is described by a meta-program
    Meta(MetaArgs),
    /// Predict a master/worker program from the times of some tasks
    Tasks(TasksArgs),
    /// Run an MPI program with N ranks on one processing unit
    Run(RunArgs),
    /// Record the MPI calls and times of a real run
    ///
    /// Inside mpirun or srun it observes one rank: `mpirun -n 4 mpiete observe ./program`.
    /// Outside, it runs the given launch command on one machine:
    /// `mpiete observe -- mpirun -n 4 ./program`. It supports MPI libraries of the MPICH family and Open MPI;
    /// programs are not recompiled.
    Observe(ObserveArgs),
    /// Estimate a program or a study for many rank counts, platforms and network parameters
    ///
    /// PROJECT may also be a study, or program data (one file per number of ranks) and compute data. Every combination
    /// of values is estimated. Parameters change the platform, not the program. Rank counts that the study has not
    /// recorded are recorded first.
    Sweep(SweepArgs),
    /// Print any mpiete file
    Show(ShowArgs),
    /// Combine base data of the same kind
    Merge(MergeArgs),
    /// Convert base data to and from other tools' formats
    Convert(ConvertArgs),
    /// Compare an estimate with an observed run: total, ranks, call sites, blocks
    Compare(CompareArgs),
}

/// A program given by its sources.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Input")]
pub struct ProjectArgs {
    /// Fortran sources, or a directory that contains them
    #[arg(
        help_heading = "Arguments",
        required_unless_present = "from_build",
        value_name = "PROJECT"
    )]
    pub sources: Vec<PathBuf>,
    /// Search this directory for INCLUDE and #include files (may be repeated)
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Define a preprocessor macro (may be repeated)
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Run this build command; the files that it compiles are the project
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["sources", "include", "define"])]
    pub from_build: Option<String>,
    /// Select the program if the build makes several
    #[arg(
        hide_short_help = true,
        long,
        value_name = "NAME",
        requires = "from_build"
    )]
    pub program: Option<String>,
    /// Predict this section: FILE:FIRST-LAST (executed once) or a procedure [default: the section that the program times, or the whole run]
    #[arg(long, value_name = "SECTION")]
    pub section: Option<String>,
    /// Predict the whole run even if the program times a section of it
    #[arg(long, conflicts_with = "section")]
    pub whole: bool,
    #[command(flatten)]
    pub assumptions: AssumptionArgs,
}

/// Assumptions that replace computed conditions.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Assumptions")]
pub struct AssumptionArgs {
    /// Assume the outcome of a condition or loop: FILE:LINE=taken, =not-taken, =trips=N or =goto=LABEL (may be repeated)
    #[arg(long, value_name = "FILE:LINE=OUTCOME")]
    pub assume: Vec<String>,
    /// Take trip counts from a recording of the whole program (`prepare --check`, `record -- PROGRAM`)
    #[arg(long, value_name = "FILE")]
    pub trips_from: Option<PathBuf>,
    /// Make no assumptions except those given: compute every condition that determines an MPI call
    #[arg(hide_short_help = true, long)]
    pub strict: bool,
}

/// How trip counts that depend on computed data are determined.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Measurement")]
pub struct BoundedRunArgs {
    /// Run the whole program for this many seconds to count iterations of data-dependent loops; 0: never
    #[arg(hide_short_help = true, long, default_value = "5", value_parser = measurement::seconds, value_name = "SECONDS")]
    pub bounded_run: Duration,
}

#[derive(Args, Debug)]
pub struct AnalyzeArgs {
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Print why the statement at this line is in the slice: the dependence chain to an MPI call
    #[arg(help_heading = "Output", long, value_name = "FILE:LINE")]
    pub why: Option<String>,
    /// Print the assumptions that would remove the statement at this line from the slice
    #[arg(
        help_heading = "Output",
        long,
        value_name = "FILE:LINE",
        conflicts_with = "why"
    )]
    pub why_not: Option<String>,
    /// Output format
    #[arg(help_heading = "Output", long, value_enum, default_value_t = AnalysisFormat::Text)]
    pub format: AnalysisFormat,
}

#[derive(Args, Debug)]
pub struct PrepareArgs {
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Folder to write
    #[arg(help_heading = "Output", short, long, value_name = "STUDY")]
    pub output: PathBuf,
    /// Probes to write, comma-separated; `observed` is the original plus block marks, for real runs (`make observed`)
    #[arg(
        help_heading = "Measurement",
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "program,compute",
        value_name = "KINDS"
    )]
    pub kind: Vec<ProbeKind>,
    /// Clock of the compute and observed probes
    #[arg(help_heading = "Measurement", long, value_enum, default_value_t = ProbeClock::Time)]
    pub clock: ProbeClock,
    /// Run the sliced and the original program and require equal event streams
    #[arg(help_heading = "Check", long)]
    pub check: bool,
    /// Ranks for --check
    #[arg(help_heading = "Check", short = 'n', long, default_value_t = 4, value_parser = value_parsers::ranks, value_name = "N")]
    pub ranks: u32,
    #[command(flatten)]
    pub input: InputArgs,
}

/// Kinds of probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProbeKind {
    /// The slice, for `record`; with the original that `--check` compares it with
    Program,
    /// The original with measured blocks and shortened loops, for `measure`
    Compute,
    /// The original with block marks, for `observe`
    Observed,
}

/// Clocks of probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProbeClock {
    /// Elapsed time
    Time,
    /// Number of executed statements: a clock without noise
    Statements,
}

/// Input of a program that runs.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Folder with the program's input files, copied for each run [default: the regular files of the current folder]
    #[arg(long, value_name = "DIR")]
    pub workdir: Option<PathBuf>,
    /// Standard input of rank 0 [default: piped standard input]
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// Arguments of the program
    #[arg(help_heading = "Arguments", last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
}

#[derive(Args, Debug)]
pub struct RecordArgs {
    /// Study to record; omit it to record a binary given after `--`
    pub study: Option<PathBuf>,
    /// Number of ranks
    #[arg(short = 'n', long, value_parser = value_parsers::ranks, value_name = "N")]
    pub ranks: u32,
    /// Record ranks solo, a few representatives for thousands of ranks
    ///
    /// From 1,836 ranks on, only representatives run. The data of other ranks are generalised from them and
    /// checked on further ranks until, with a probability of 99 %, at most 1 % of the ranks differ. This requires
    /// that the slice uses no received data except broadcast and scattered data and the colours of
    /// communicators; otherwise the command names the call and runs all ranks together.
    #[arg(long = "virtual", requires = "study")]
    pub virtual_ranks: bool,
    /// Start each rank as a process of its own instead of forking rank 0 at MPI_Init
    #[arg(long, conflicts_with = "virtual_ranks")]
    pub spawn: bool,
    /// File to write [default: program-nN.mpiete in the study]
    #[arg(help_heading = "Output", short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
}

#[derive(Args, Debug)]
pub struct CalibrateArgs {
    /// Write the network probe into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "samples")]
    pub write_probe: Option<PathBuf>,
    /// Largest message that the probe sends, in bytes [default: 4 MiB]
    #[arg(long, value_parser = value_parsers::message_length, value_name = "BYTES", requires = "write_probe")]
    pub largest: Option<u64>,
    /// Also measure every multiple of this size, in bytes
    #[arg(long, value_parser = value_parsers::message_length, value_name = "BYTES", requires = "write_probe")]
    pub step: Option<u64>,
    /// Output of the network probe, of OSU Micro-Benchmarks, Intel MPI Benchmarks or Netgauge
    #[arg(value_name = "SAMPLES")]
    pub samples: Vec<PathBuf>,
    /// Link class of outputs of other benchmarks: between-nodes (the default) or inside-node
    #[arg(long, value_parser = value_parsers::link_class, value_name = "CLASS", requires = "samples")]
    pub link: Option<LinkClass>,
    /// Number of ranks that ran OSU's collectives
    #[arg(short = 'n', long, value_parser = value_parsers::ranks, value_name = "N", requires = "samples")]
    pub ranks: Option<u32>,
    /// Ranks on each node in collectives of other benchmarks (default: 1)
    #[arg(long, value_parser = value_parsers::ranks, value_name = "N", requires = "samples")]
    pub ranks_per_node: Option<u32>,
    /// File to write
    #[arg(
        help_heading = "Output",
        short,
        long,
        default_value = "comm.mpiete",
        value_name = "FILE"
    )]
    pub output: PathBuf,
}

/// How much of an estimate the text report shows.
#[derive(Args, Debug, Clone, Copy)]
#[command(next_help_heading = "Output")]
pub struct VerboseArgs {
    /// Print every table of an estimate: blocks, call sites, critical path, sensitivities, provenance
    #[arg(long)]
    pub verbose: bool,
}

impl VerboseArgs {
    /// The report that the user wants.
    pub fn detail(self) -> Detail {
        if self.verbose {
            Detail::Full
        } else {
            Detail::Summary
        }
    }
}

/// The machine to predict for.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Platform")]
pub struct PlatformArgs {
    /// Platform: a TOML file, the name of a bundled one, or `here` [default: fast-ethernet; with --comm here]
    #[arg(long, value_name = "PLATFORM")]
    pub platform: Option<String>,
    /// Communication data to use instead of the platform's
    #[arg(long, value_name = "FILE")]
    pub comm: Vec<PathBuf>,
    /// Scale computation speed by this factor, for a PU without measurements (a guess)
    #[arg(hide_short_help = true, long, value_parser = value_parsers::speed, value_name = "FACTOR")]
    pub scale: Option<f64>,
    /// Network model [default: the first one the communication data have parameters for]
    #[arg(hide_short_help = true, long, value_parser = models(), value_name = "MODEL")]
    pub model: Option<String>,
    /// Number of replays with random block times for the interval; 0: mean times only, no interval
    #[arg(hide_short_help = true, long, default_value_t = 21, value_name = "COUNT",
          value_parser = value_parsers::draws)]
    pub draws: u32,
    /// Seed of the draws
    #[arg(
        hide_short_help = true,
        long,
        default_value_t = 1,
        value_parser = value_parsers::whole_number,
        value_name = "NUMBER"
    )]
    pub seed: u64,
}

#[derive(Args, Debug)]
pub struct EstimateArgs {
    /// A study, program data and compute data, an observation, or another tool's trace (see `mpiete convert --help`)
    #[arg(required = true, value_name = "STUDY|FILES")]
    pub files: Vec<PathBuf>,
    /// Number of ranks (with a study)
    #[arg(short = 'n', long, value_parser = value_parsers::ranks, value_name = "N")]
    pub ranks: Option<u32>,
    #[command(flatten)]
    pub platform: PlatformArgs,
    /// File to write the estimate to [default: estimate-nN.mpiete in the study]
    #[arg(help_heading = "Output", short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print only the predicted time and its interval, as text or csv, and write no file (much faster)
    #[arg(help_heading = "Output", long, conflicts_with = "output")]
    pub total_only: bool,
    /// Output format
    #[arg(help_heading = "Output", long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    #[command(flatten)]
    pub verbose: VerboseArgs,
}

#[derive(Args, Debug)]
pub struct EmulateArgs {
    /// A study, whose slice is emulated with the times of its compute data; with --sample: Fortran sources, or a directory that
    /// contains them
    #[arg(help_heading = "Arguments", value_name = "STUDY|PROJECT")]
    pub sources: Vec<PathBuf>,
    /// Execute K tasks of a subroutine, and interpolate the times of the others between them
    ///
    /// A call of the subroutine is a task; its INTEGER arguments identify it. K further tasks are drawn at random (--seed).
    /// They give the error of interpolated times, which corrects them and adds to the interval. The sources are analysed,
    /// and the program is compiled and emulated five times: without tasks, with the sampled ones, with the times of all
    /// tasks, and with both ends of the interval of these times. No MPI call may depend on results of tasks; the analysis
    /// proves that, or --results-unused asserts it.
    #[arg(
        help_heading = "Sampled tasks",
        long,
        value_name = "PROCEDURE=K",
        requires = "sources",
        conflicts_with_all = ["replay_times", "save_times", "in_place"]
    )]
    pub sample: Option<String>,
    /// With --sample: assert that no MPI call depends on what tasks compute, where the analysis cannot show it
    #[arg(help_heading = "Sampled tasks", long, requires = "sample")]
    pub results_unused: bool,
    /// With --sample: search this directory for INCLUDE and #include files (may be repeated)
    #[arg(
        help_heading = "Sampled tasks",
        short = 'I',
        value_name = "DIR",
        requires = "sample"
    )]
    pub include: Vec<PathBuf>,
    /// With --sample: define a preprocessor macro (may be repeated)
    #[arg(
        help_heading = "Sampled tasks",
        short = 'D',
        value_name = "NAME[=VALUE]",
        requires = "sample"
    )]
    pub define: Vec<String>,
    /// Number of ranks
    #[arg(short = 'n', long, value_parser = value_parsers::ranks, value_name = "N")]
    pub ranks: u32,
    #[command(flatten)]
    pub platform: PlatformArgs,
    /// Use these compute times instead of measuring them (a file of --save-times); equal times give equal results
    #[arg(help_heading = "Input", long, value_name = "FILE")]
    pub replay_times: Option<PathBuf>,
    /// Write the compute times of this run, for --replay-times
    #[arg(help_heading = "Output", long, value_name = "FILE")]
    pub save_times: Option<PathBuf>,
    /// Write the run, its calls with the messages that they received and its compute times, for `estimate` and `show`
    #[arg(help_heading = "Output", long, value_name = "FILE")]
    pub save_run: Option<PathBuf>,
    /// Run in the current folder instead of a copy, and print what the program prints
    #[arg(help_heading = "Input", long, conflicts_with = "workdir")]
    pub in_place: bool,
    /// Start each rank as a process of its own instead of forking rank 0 at MPI_Init
    #[arg(help_heading = "Input", hide_short_help = true, long)]
    pub spawn: bool,
    /// File to write the estimate to [default: none]
    #[arg(help_heading = "Output", short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Output format
    #[arg(help_heading = "Output", long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    #[command(flatten)]
    pub verbose: VerboseArgs,
    #[command(flatten)]
    pub input: InputArgs,
}

impl EmulateArgs {
    /// The program whose tasks are sampled, as a whole.
    pub fn project(&self) -> ProjectArgs {
        ProjectArgs {
            sources: self.sources.clone(),
            include: self.include.clone(),
            define: self.define.clone(),
            from_build: None,
            program: None,
            section: None,
            whole: true,
            assumptions: AssumptionArgs::default(),
        }
    }
}

#[derive(Args, Debug)]
pub struct PredictArgs {
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Number of ranks
    #[arg(help_heading = "Input", short = 'n', long, value_parser = value_parsers::ranks, value_name = "N")]
    pub ranks: u32,
    #[command(flatten)]
    pub platform: PlatformArgs,
    #[command(flatten)]
    pub measurement: MeasurementArgs,
    #[command(flatten)]
    pub bounded_run: BoundedRunArgs,
    /// Folder for probes, base data, estimate and timeline [default: NAME.study]
    #[arg(help_heading = "Output", short, long, value_name = "STUDY")]
    pub output: Option<PathBuf>,
    /// Output format
    #[arg(help_heading = "Output", long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    #[command(flatten)]
    pub verbose: VerboseArgs,
    #[command(flatten)]
    pub input: InputArgs,
}

#[derive(Args, Debug)]
pub struct SweepArgs {
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Parameter and its values, ranks=4,8,16 or ranks=4..64*2 (may be repeated): ranks, platform, model, placement,
    /// ranks-per-node, speed, latency, overhead, overhead-per-byte, bandwidth, eager-threshold, split (docs/guide/sweep.md)
    #[arg(help_heading = "Platform", long, value_name = "NAME=VALUES")]
    pub vary: Vec<String>,
    /// Number of ranks, if it is not varied
    #[arg(help_heading = "Input", short = 'n', long, value_parser = value_parsers::ranks, value_name = "N")]
    pub ranks: Option<u32>,
    #[command(flatten)]
    pub platform: PlatformArgs,
    #[command(flatten)]
    pub measurement: MeasurementArgs,
    #[command(flatten)]
    pub bounded_run: BoundedRunArgs,
    /// Folder for probes and base data made from sources [default: NAME.study]
    #[arg(help_heading = "Output", long, value_name = "STUDY")]
    pub study: Option<PathBuf>,
    /// Smallest parallel efficiency of a recommended number of ranks
    #[arg(
        help_heading = "Output",
        long,
        default_value_t = 0.5,
        value_name = "SHARE"
    )]
    pub efficiency: f64,
    /// Output format
    #[arg(help_heading = "Output", long, value_enum, default_value_t = SweepFormat::Text)]
    pub format: SweepFormat,
    /// File to write [default: standard output]
    #[arg(help_heading = "Output", short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
}

/// Accepts the flags of mpirun. It has its own parser, because `-np 4` is not `-n p`.
#[derive(Args, Debug)]
#[command(disable_help_flag = true)]
pub struct RunArgs {
    /// [-n N] [OPTIONS] PROGRAM [ARGS]; `mpiete run --help` prints the options
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "MPIRUN-ARGS"
    )]
    pub words: Vec<String>,
}

#[derive(Args, Debug)]
pub struct ObserveArgs {
    /// File to write; all ranks must reach its folder
    #[arg(short, long, value_name = "FILE", default_value = token_runtime::observed_run::DEFAULT_OUTPUT)]
    pub output: PathBuf,
    /// Study of the observed probe [default: the study in a folder above the program]
    #[arg(long, value_name = "STUDY")]
    pub study: Option<PathBuf>,
    /// Let one rank per computer compute at a time. Times outside MPI are then correct with more ranks than cores;
    /// times inside MPI are meaningless
    #[arg(long)]
    pub one_at_a_time: bool,
    /// Combine the files that the ranks of a run wrote to this folder
    #[arg(long, value_name = "FOLDER")]
    pub gather: Option<PathBuf>,
    /// The program and its arguments, or the command that starts it
    #[arg(
        required_unless_present = "gather",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    pub command: Vec<String>,
}

#[derive(Args, Debug)]
pub struct ShowArgs {
    /// Program, compute or communication data, an estimate, an observation, a platform by file or name, a study;
    /// `platforms` for the list of bundled ones, `-` for standard input; `collective` with a name
    pub file: PathBuf,
    /// Collective to show after the word `collective`: barrier, broadcast, allreduce, alltoall, …; `ibcast`, `iallreduce`, … for
    /// nonblocking ones
    pub collective: Option<String>,
    #[command(flatten)]
    pub of_collective: CollectiveArgs,
    /// Output format; `stream` is the text form of program data, which can be read back
    #[arg(help_heading = "Output", long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    #[command(flatten)]
    pub verbose: VerboseArgs,
    /// File to write [default: standard output]
    #[arg(help_heading = "Output", short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// What `show collective` is about.
#[derive(Args, Debug)]
#[command(next_help_heading = "Collective")]
pub struct CollectiveArgs {
    /// Number of ranks of the collective
    #[arg(short = 'n', long, default_value_t = 16, value_parser = value_parsers::ranks, value_name = "N")]
    pub ranks: u32,
    /// Bytes of its operand; of collectives of blocks, of the block of one rank
    #[arg(long, default_value_t = 1024, value_parser = value_parsers::whole_number, value_name = "BYTES")]
    pub bytes: u64,
    /// Rank of the root
    #[arg(long, default_value_t = 0, value_name = "RANK")]
    pub root: u32,
    /// Algorithm instead of the one that the platform's MPI library chooses
    #[arg(long, value_name = "NAME")]
    pub algorithm: Option<String>,
    /// Platform: a TOML file or the name of a bundled one [default: fast-ethernet]
    #[arg(long, value_name = "PLATFORM")]
    pub platform: Option<String>,
}

#[derive(Args, Debug)]
pub struct MergeArgs {
    /// Compute data of one program, or communication data
    #[arg(required = true, value_name = "FILES")]
    pub files: Vec<PathBuf>,
    /// File to write
    #[arg(help_heading = "Output", short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// Kinds of files are read from their content: `estimate` and `show` take GOAL schedules and time-independent
/// traces, too. Data that the other format cannot represent are listed on standard error.
#[derive(Args, Debug)]
pub struct ConvertArgs {
    /// A study, program data and compute data, an observation, a GOAL schedule, or a time-independent trace (its index file, or one
    /// file with all ranks)
    #[arg(required = true, value_name = "STUDY|FILES")]
    pub files: Vec<PathBuf>,
    /// Number of ranks (with a study)
    #[arg(short = 'n', long, value_parser = value_parsers::ranks, value_name = "N")]
    pub ranks: Option<u32>,
    /// Format to write
    #[arg(long, value_parser = conversions(), value_name = "FORMAT")]
    pub to: String,
    /// File to write [default: standard output]; with `mpiete` program data, with compute data in NAME.compute.mpiete
    /// beside them; with `ti` also the index file FILE.index; with `skeleton` a folder
    #[arg(
        help_heading = "Output",
        short,
        long,
        value_name = "FILE",
        required_if_eq_any([("to", OWN_FORMAT), ("to", SKELETON)])
    )]
    pub output: Option<PathBuf>,
}

/// The name of mpiete's own files among formats.
pub const OWN_FORMAT: &str = "mpiete";
/// The name of a program with real messages among formats.
pub const SKELETON: &str = "skeleton";

fn models() -> PossibleValuesParser {
    let value = |entry: &ModelEntry| PossibleValue::new(entry.name).help(entry.summary);
    PossibleValuesParser::new(MODELS.iter().map(value))
}

fn conversions() -> PossibleValuesParser {
    let others = FORMATS
        .iter()
        .map(|format| PossibleValue::new(format.name).help(format.summary));
    let own = PossibleValue::new(OWN_FORMAT).help("program data and compute data");
    let skeleton = PossibleValue::new(SKELETON)
        .help("an MPI program with the messages, and with computation that only takes its time");
    PossibleValuesParser::new(others.chain([own, skeleton]))
}

/// Both files are of one program on the same number of ranks. The event streams are compared entry by entry
/// (at the first difference it prints the place and exits with 3), the times by rank, call site, computation between
/// calls, and block. Differences are B minus A.
#[derive(Args, Debug)]
pub struct CompareArgs {
    /// An estimate, an observation, or program data (streams only)
    pub a: PathBuf,
    /// The file to compare with: the same kinds
    pub b: PathBuf,
    /// Compare the time from the end of one call to the beginning of another: FILE:LINE, or FILE:LINE#N for its Nth execution
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"])]
    pub between: Vec<CallSelector>,
    /// Output format
    #[arg(help_heading = "Output", long, value_enum, default_value_t = ComparisonFormat::Text)]
    pub format: ComparisonFormat,
    /// File to write [default: standard output]
    #[arg(help_heading = "Output", short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Forms of output of `compare`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ComparisonFormat {
    /// For a terminal
    Text,
    /// One row per number, for spreadsheets
    Csv,
    /// For other programs
    Json,
    /// One self-contained page
    Html,
}

/// Forms of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a terminal
    Text,
    /// One self-contained page
    Html,
    /// For other programs
    Json,
    /// An estimate, one row per number, for spreadsheets
    Csv,
    /// Program data as text that mpiete reads, too
    Stream,
}
