//! `cargo xtask COMMAND`: the tools behind the targets of the Makefile.
#![forbid(unsafe_code)]

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::ffi::OsString;
#[cfg(feature = "product")]
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use xtask::process::{self, BadInput};
use xtask::real_codes::{self, Choice};
use xtask::{accuracy, bench, frontend_table, meta_tables, test_run};
#[cfg(feature = "product")]
use xtask::{listings, recordings};

/// Tools of the mpiete repository. The targets of the Makefile build what they need.
#[derive(Parser)]
#[command(name = "xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print every figure of docs/results/benchmarks.md as a line NAME VALUE UNIT
    Bench {
        /// Only the figures whose names begin with this prefix
        #[arg(default_value = "")]
        prefix: String,
    },
    /// Measure the accuracy of predictions and write docs/results/accuracy.csv and accuracy.md
    ///
    /// Rows of other tables and cases stay. PROGRAMS="cg lu", CLASSES="S W" and RANKS="8 16" in the environment restrict the
    /// cases: tables of counted statements take hours. MPIETE, MPIFC and MPIRUN name other commands than the usual ones.
    Accuracy {
        /// The smallest case of each table, written beside copies of both files
        #[arg(long)]
        short: bool,
        /// The tables to measure [default: all]
        tables: Vec<String>,
    },
    /// Measure the experiments with meta-programs and write the tables of docs/results/meta.md
    ///
    /// The machine must be free of other work for some twenty minutes. MPIETE names another binary than target/release/mpiete.
    MetaTables {
        /// Print the tables of small sizes and write nothing
        #[arg(long)]
        short: bool,
    },
    /// Predict and run codes that you name, and write docs/results/real-codes.csv and the tables of real-codes.md
    ///
    /// DIR contains checkouts and a file real-codes.toml, or is such a file; docs/results/real-codes.md describes it. Each code is
    /// built, analyzed, predicted and run in copies of its folder. MPIETE, MPIRUN and MPICC name other commands than the usual ones.
    RealCodes {
        /// Checkouts with real-codes.toml, or the file
        #[arg(required_unless_present = "short")]
        list: Option<PathBuf>,
        /// Only the code of this name [default: all]
        #[arg(long)]
        only: Option<String>,
        /// Number of predictions and of observed runs [default: 5]
        #[arg(long)]
        runs: Option<usize>,
        /// A program of the fixtures instead, written beside copies of both files
        #[arg(long, conflicts_with = "list")]
        short: bool,
    },
    /// Print the tables of docs/results/coverage.md that count what the frontend reads
    ///
    /// NPB_DIR names a configured tree of the NAS parallel benchmarks, MPIETE another binary than target/release/mpiete.
    FrontendTable,
    /// Write the recordings of the present version of the file format, which tests of base-data read
    #[cfg(feature = "product")]
    WriteRecordings,
    /// Run a test command and print how many tests ran and how many were skipped, with their reasons
    ///
    /// The exit code is that of the command.
    Test {
        /// The command, such as cargo test --workspace
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<OsString>,
    },
    /// Print random programs of tests
    ///
    /// Programs whose statements are counted run: this needs `make build`, or MPIETE.
    #[cfg(feature = "product")]
    Listings {
        /// Seeds, FIRST..LAST without LAST, or one
        #[arg(default_value = "0", value_parser = listings::seeds)]
        seeds: Range<u64>,
        /// Programs whose statements are counted (cli/tests/computing), not those whose slices are compared (cli/tests/random)
        #[arg(long)]
        counted: bool,
    },
}

fn main() -> ExitCode {
    let command = Arguments::parse().command;
    let name = command.name();
    let error = match command.run() {
        Ok(code) => return code,
        Err(error) => error,
    };
    if process::is_broken_pipe(&error) {
        return ExitCode::SUCCESS;
    }
    eprintln!("{name}: {error:#}");
    if error.is::<BadInput>() {
        ExitCode::from(2)
    } else {
        ExitCode::FAILURE
    }
}

impl Command {
    fn name(&self) -> &'static str {
        match self {
            Command::Bench { .. } => "bench",
            Command::Accuracy { .. } => "accuracy",
            Command::MetaTables { .. } => "meta-tables",
            Command::RealCodes { .. } => "real-codes",
            Command::FrontendTable => "frontend-table",
            #[cfg(feature = "product")]
            Command::WriteRecordings => "write-recordings",
            Command::Test { .. } => "test",
            #[cfg(feature = "product")]
            Command::Listings { .. } => "listings",
        }
    }

    fn run(self) -> Result<ExitCode> {
        match self {
            Command::Bench { prefix } => bench::print_figures(&prefix)?,
            Command::Accuracy { short, tables } => accuracy::update(&tables, short)?,
            Command::MetaTables { short } => meta_tables::update(&xtask::mpiete(), short)?,
            Command::RealCodes { short: true, .. } => real_codes::try_fixture()?,
            Command::RealCodes {
                list, only, runs, ..
            } => {
                let list = list.unwrap_or_default();
                // An empty name is that of a variable that is not set, as in the Makefile.
                let only = only.filter(|name| !name.is_empty());
                real_codes::update(&list, &Choice { only, runs })?;
            }
            Command::FrontendTable => print_frontend_table()?,
            #[cfg(feature = "product")]
            Command::WriteRecordings => recordings::write()?,
            // The only command whose exit code is that of another.
            Command::Test { command } => return test_run::run(&command),
            #[cfg(feature = "product")]
            Command::Listings { seeds, counted } => listings::print(seeds, counted)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print_frontend_table() -> Result<()> {
    // An empty variable is an unset one, as in the Makefile.
    let npb = std::env::var_os("NPB_DIR").filter(|folder| !folder.is_empty());
    let table = frontend_table::table(&xtask::mpiete(), npb.as_deref().map(AsRef::as_ref))?;
    process::print(&table)
}
