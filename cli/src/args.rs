//! Every sub-command and every flag. The doc comments are the help texts.

mod bounds;
mod forms;
mod measuring;

use crate::view::estimate::Detail;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use estimator::comparison::Place;
use estimator::formats::FORMATS;
use machine::network::{MODELS, ModelEntry};
use std::path::PathBuf;
use std::time::Duration;

pub use forms::{AnalysisFormat, SweepFormat};
pub use measuring::{Feeding, MeasureArgs, MeasuringArgs};

/// How long will an MPI program take on that machine with N ranks, and why?
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

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Show blocks, MPI calls, the slice and its assumptions
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
    /// Analyze, prepare, record, measure and estimate in one go
    Predict(PredictArgs),
    /// Run an MPI program with N ranks on one processing unit
    Run(RunArgs),
    /// Observe a real run: what was called and how long everything took
    ///
    /// Inside mpirun or srun it observes the rank that it becomes: `mpirun -n 4 mpiete observe ./program`.
    /// Outside it starts the command that starts the program, on one machine:
    /// `mpiete observe -- mpirun -n 4 ./program`. Any MPI library of the MPICH family and Open MPI will do;
    /// programs need not be compiled for it.
    Observe(ObserveArgs),
    /// What if: estimates for many numbers of ranks, platforms, networks
    ///
    /// PROJECT may also be a study, or program data (one file per number of ranks) and compute data. Every combination
    /// of values is estimated. Parameters change the platform, not the program: what a study has not recorded for a
    /// number of ranks is recorded.
    Sweep(SweepArgs),
    /// Show any file of ours
    Show(ShowArgs),
    /// Put base data of the same kind together
    Merge(MergeArgs),
    /// Write base data as other tools' files, or other tools' files as base data
    Convert(ConvertArgs),
    /// Put an estimate beside an observed run: by how much do they differ, and where?
    Compare(CompareArgs),
}

/// A program given by its sources.
#[derive(Args, Debug, Clone)]
pub struct ProjectArgs {
    /// Fortran sources, or a directory that holds them
    #[arg(required_unless_present = "from_build", value_name = "PROJECT")]
    pub sources: Vec<PathBuf>,
    /// Directory to look for INCLUDE and #include files in (may be repeated)
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Macro for sources that are preprocessed: .F, .F90, or -cpp in FFLAGS (may be repeated)
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Command that builds the program; it runs as it is, and what it compiles is the project
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["sources", "include", "define"])]
    pub from_build: Option<String>,
    /// Which program, if the build makes several
    #[arg(long, value_name = "NAME", requires = "from_build")]
    pub program: Option<String>,
    /// What to predict: FILE:FIRST-LAST (run once) or a procedure [default: what the program times, or the whole run]
    #[arg(long, value_name = "SECTION")]
    pub section: Option<String>,
    /// Predict the whole run, also where the program times a part of it
    #[arg(long, conflicts_with = "section")]
    pub whole: bool,
    #[command(flatten)]
    pub assuming: AssumingArgs,
}

/// What is taken for granted instead of being computed.
#[derive(Args, Debug, Clone, Default)]
pub struct AssumingArgs {
    /// What becomes of the condition or loop at a line: FILE:LINE=taken, =not-taken, =trips=N or =goto=LABEL (may be repeated)
    #[arg(long, value_name = "FILE:LINE=OUTCOME")]
    pub assume: Vec<String>,
    /// How often loops run, from a recording of the whole program: what `prepare --check` or `record -- PROGRAM` leaves
    #[arg(long, value_name = "FILE")]
    pub trips_from: Option<PathBuf>,
    /// Assume nothing but what is given: whatever decides an MPI call is computed
    #[arg(long)]
    pub strict: bool,
}

/// How it is found out how often loops run that nobody has counted.
#[derive(Args, Debug, Clone)]
pub struct BoundedArgs {
    /// Seconds for which the whole program is run to see how often loops run that hang on computed data; 0: never
    #[arg(long, default_value = "5", allow_negative_numbers = true, value_parser = measuring::seconds, value_name = "SECONDS")]
    pub bounded_run: Duration,
}

#[derive(Args, Debug)]
pub struct AnalyzeArgs {
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Why is the statement at this line kept? The chain from it to an MPI call
    #[arg(long, value_name = "FILE:LINE")]
    pub why: Option<String>,
    /// What would have to be assumed for the statement at this line to leave the slice?
    #[arg(long, value_name = "FILE:LINE", conflicts_with = "why")]
    pub why_not: Option<String>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t = AnalysisFormat::Text)]
    pub format: AnalysisFormat,
}

#[derive(Args, Debug)]
pub struct PrepareArgs {
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Folder to write
    #[arg(short, long, value_name = "STUDY")]
    pub output: PathBuf,
    /// Probes to write, with commas between; `observed` is the original plus block marks, for real runs (`make observed`)
    #[arg(long, value_enum, value_delimiter = ',', default_value = "program,compute", value_name = "KINDS")]
    pub kind: Vec<ProbeKind>,
    /// What the compute and the observed probe measure with
    #[arg(long, value_enum, default_value_t = ProbeClock::Time)]
    pub clock: ProbeClock,
    /// Run sliced and original program side by side; their event streams must be equal
    #[arg(long)]
    pub check: bool,
    /// Ranks for --check
    #[arg(short = 'n', long, default_value_t = 4, allow_negative_numbers = true, value_parser = bounds::ranks(), value_name = "N")]
    pub ranks: u32,
    #[command(flatten)]
    pub input: InputArgs,
}

/// Probes that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProbeKind {
    /// The slice, for `record`; with the original that `--check` compares it with
    Program,
    /// The original with measured blocks and loops that are cut short, for `measure`
    Compute,
    /// The original with block marks, for `observe`
    Observed,
}

/// Clocks of probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProbeClock {
    /// Time that passes
    Time,
    /// Executed statements, counted: a clock without noise
    Statements,
}

/// What a program that runs is given.
#[derive(Args, Debug, Clone, Default)]
pub struct InputArgs {
    /// Folder whose files the program reads, copied whole for each run [default: the regular files of the current folder]
    #[arg(long, value_name = "DIR")]
    pub workdir: Option<PathBuf>,
    /// File that becomes rank 0's standard input [default: what is piped in]
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
}

#[derive(Args, Debug)]
pub struct RecordArgs {
    /// Study to record; leave out to record a binary given after `--`
    pub study: Option<PathBuf>,
    /// Number of ranks
    #[arg(short = 'n', long, allow_negative_numbers = true, value_parser = bounds::ranks(), value_name = "N")]
    pub ranks: u32,
    /// Run the ranks one by one, each alone, for thousands of ranks
    ///
    /// Of 1,836 ranks and more only some are run: the others' data are made from theirs, and checked on
    /// further ones until no more than 1 % can be wrong, with a probability of 99 %. It works where the
    /// program needs no answer of its ranks but broadcast and scattered data and the colours of
    /// communicators; otherwise the call that needs more is named and the ranks run together.
    #[arg(long = "virtual", requires = "study")]
    pub alone: bool,
    /// Start each rank as a process of its own, also where one could become all at MPI_Init
    #[arg(long, conflicts_with = "alone")]
    pub spawn: bool,
    /// File to write [default: program-nN.mpiete in the study]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
}

#[derive(Args, Debug)]
pub struct CalibrateArgs {
    /// Write the network probe into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "samples")]
    pub write_probe: Option<PathBuf>,
    /// Largest message the probe sends, bytes
    #[arg(long, allow_negative_numbers = true, value_parser = bounds::message_length, value_name = "BYTES", requires = "write_probe")]
    pub largest: Option<u64>,
    /// Measure every multiple of this size too, bytes
    #[arg(long, allow_negative_numbers = true, value_parser = bounds::message_length, value_name = "BYTES", requires = "write_probe")]
    pub step: Option<u64>,
    /// What the network probe printed
    #[arg(required_unless_present = "write_probe", value_name = "SAMPLES")]
    pub samples: Vec<PathBuf>,
    /// File to write
    #[arg(short, long, default_value = "comm.mpiete", value_name = "FILE")]
    pub output: PathBuf,
}

/// How much of an estimate the text report shows.
#[derive(Args, Debug, Clone, Copy)]
pub struct VerboseArgs {
    /// Print every table of an estimate: all blocks and call sites, critical path, sensitivities, provenance
    #[arg(long)]
    pub verbose: bool,
}

impl VerboseArgs {
    /// The report that the user wants.
    pub fn detail(self) -> Detail {
        if self.verbose { Detail::Full } else { Detail::Summary }
    }
}

/// The machine to predict for.
#[derive(Args, Debug, Clone)]
pub struct PlatformArgs {
    /// Platform: a TOML file, the name of a bundled one, or `here` [default: fast-ethernet; with --comm here]
    #[arg(long, value_name = "PLATFORM")]
    pub platform: Option<String>,
    /// Communication data to use instead of the platform's
    #[arg(long, value_name = "FILE")]
    pub comm: Vec<PathBuf>,
    /// Computation so many times as fast as the compute data say, for a PU that nobody measured: a guess
    #[arg(long, allow_negative_numbers = true, value_parser = bounds::speed, value_name = "FACTOR")]
    pub scale: Option<f64>,
    /// Network model [default: the first one the communication data have parameters for]
    #[arg(long, value_parser = models(), value_name = "MODEL")]
    pub model: Option<String>,
    /// Replays with drawn block times behind the interval; 0: mean times alone, no interval
    #[arg(long, default_value_t = 21, allow_negative_numbers = true, value_name = "COUNT",
          value_parser = bounds::draws())]
    pub draws: u32,
    /// Seed of the draws
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_name = "NUMBER")]
    pub seed: u64,
}

#[derive(Args, Debug)]
pub struct EstimateArgs {
    /// A study, program data and compute data, an observation, or another tool's trace (see `mpiete convert --help`)
    #[arg(required = true, value_name = "STUDY|FILES")]
    pub files: Vec<PathBuf>,
    /// Number of ranks (with a study)
    #[arg(short = 'n', long, allow_negative_numbers = true, value_parser = bounds::ranks(), value_name = "N")]
    pub ranks: Option<u32>,
    #[command(flatten)]
    pub platform: PlatformArgs,
    /// File to write the estimate to [default: estimate-nN.mpiete in the study]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print the predicted time and its interval alone, as text or csv, and write no file: much quicker
    #[arg(long, conflicts_with = "output")]
    pub total_only: bool,
    /// Form of what is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    #[command(flatten)]
    pub verbose: VerboseArgs,
}

#[derive(Args, Debug)]
pub struct PredictArgs {
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Number of ranks
    #[arg(short = 'n', long, allow_negative_numbers = true, value_parser = bounds::ranks(), value_name = "N")]
    pub ranks: u32,
    #[command(flatten)]
    pub platform: PlatformArgs,
    #[command(flatten)]
    pub measuring: MeasuringArgs,
    #[command(flatten)]
    pub bounded: BoundedArgs,
    /// Folder that keeps probes, base data, estimate and timeline [default: NAME.study]
    #[arg(short, long, value_name = "STUDY")]
    pub output: Option<PathBuf>,
    /// Form of what is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
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
    #[arg(long, value_name = "NAME=VALUES")]
    pub vary: Vec<String>,
    /// Number of ranks, where it is not varied
    #[arg(short = 'n', long, allow_negative_numbers = true, value_parser = bounds::ranks(), value_name = "N")]
    pub ranks: Option<u32>,
    #[command(flatten)]
    pub platform: PlatformArgs,
    #[command(flatten)]
    pub measuring: MeasuringArgs,
    #[command(flatten)]
    pub bounded: BoundedArgs,
    /// Folder that keeps what is made of sources [default: NAME.study]
    #[arg(long, value_name = "STUDY")]
    pub study: Option<PathBuf>,
    /// Parallel efficiency below which no number of ranks is recommended
    #[arg(long, default_value_t = 0.5, allow_negative_numbers = true, value_name = "SHARE")]
    pub efficiency: f64,
    /// Form of the output
    #[arg(long, value_enum, default_value_t = SweepFormat::Text)]
    pub format: SweepFormat,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
}

/// Takes what people type for mpirun; its own parser, because `-np 4` is not `-n p`.
#[derive(Args, Debug)]
#[command(disable_help_flag = true)]
pub struct RunArgs {
    /// [-n N] [options of mpirun] PROGRAM [ARGS]
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "MPIRUN-ARGS")]
    pub words: Vec<String>,
}

#[derive(Args, Debug)]
pub struct ObserveArgs {
    /// File to write; all ranks must reach its folder
    #[arg(short, long, value_name = "FILE", default_value = token_runtime::observing::DEFAULT_OUTPUT)]
    pub output: PathBuf,
    /// Study whose observed probe it is [default: the one in a folder above the program]
    #[arg(long, value_name = "STUDY")]
    pub study: Option<PathBuf>,
    /// Let one rank of a computer compute at a time: times outside MPI are then right where there are more ranks
    /// than cores, times inside mean nothing
    #[arg(long)]
    pub one_at_a_time: bool,
    /// Put together what the ranks of a run left in this folder
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
    /// `platforms` for the list of bundled ones, `-` for standard input
    pub file: PathBuf,
    /// Form of the output; `stream` is the text form of program data that reads back
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    #[command(flatten)]
    pub verbose: VerboseArgs,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct MergeArgs {
    /// Compute data of one program, or communication data
    #[arg(required = true, value_name = "FILES")]
    pub files: Vec<PathBuf>,
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// Kinds of files are read from their content: `estimate` and `show` take GOAL schedules and time-independent
/// traces, too. What the other format cannot hold is said on standard error.
#[derive(Args, Debug)]
pub struct ConvertArgs {
    /// A study, program data and compute data, an observation, a GOAL schedule, or a time-independent trace (its index file, or one
    /// file with all ranks)
    #[arg(required = true, value_name = "STUDY|FILES")]
    pub files: Vec<PathBuf>,
    /// Number of ranks (with a study)
    #[arg(short = 'n', long, allow_negative_numbers = true, value_parser = bounds::ranks(), value_name = "N")]
    pub ranks: Option<u32>,
    /// Format to write
    #[arg(long, value_parser = conversions(), value_name = "FORMAT")]
    pub to: String,
    /// File to write [default: standard output]; with `mpiete` program data, with compute data in NAME.compute.mpiete
    /// beside them; with `ti` also the index file FILE.index
    #[arg(short, long, value_name = "FILE", required_if_eq("to", OWN_FORMAT))]
    pub output: Option<PathBuf>,
}

/// The word for our own files among formats.
pub const OWN_FORMAT: &str = "mpiete";

fn models() -> PossibleValuesParser {
    let value = |entry: &ModelEntry| PossibleValue::new(entry.name).help(entry.summary);
    PossibleValuesParser::new(MODELS.iter().map(value))
}

fn conversions() -> PossibleValuesParser {
    let others = FORMATS.iter().map(|format| PossibleValue::new(format.name).help(format.summary));
    let own = PossibleValue::new(OWN_FORMAT).help("program data and compute data");
    PossibleValuesParser::new(others.chain([own]))
}

/// Both files are of one program on the same number of ranks. The event streams are compared entry by entry
/// (where they differ, it says where first and exits with 3), the times by rank, call site, computation between
/// calls, and block. Differences are B minus A.
#[derive(Args, Debug)]
pub struct CompareArgs {
    /// An estimate, an observation, or program data (streams only)
    pub a: PathBuf,
    /// What to compare it with: the same kinds
    pub b: PathBuf,
    /// Compare from leaving one call to entering another: FILE:LINE, or FILE:LINE#N for its Nth execution
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"])]
    pub between: Vec<Place>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t = ComparisonFormat::Text)]
    pub format: ComparisonFormat,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
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
    /// Program data as text that reads back
    Stream,
}
