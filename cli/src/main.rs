//! `mpiete`: predicts how long an MPI program takes on a machine with N ranks, and why. This crate contains all input and
//! output, arguments and exit codes; the other crates compute, from data to data.
#![forbid(unsafe_code)]

/// Prints a line on standard error. A closed standard error does not end the command.
macro_rules! report {
    ($($what:tt)*) => {{
        use std::io::Write as _;
        _ = writeln!(std::io::stderr(), $($what)*);
    }};
}

/// Prints a line on standard error, once per command: several steps and several copies of a run may report the same.
macro_rules! report_once {
    ($($what:tt)*) => {{
        let sentence = format!($($what)*);
        if crate::printed_messages::is_new(&sentence) {
            report!("{sentence}");
        }
    }};
}

mod analysis_progress;
mod analysis_summary;
mod analyze;
mod args;
mod assumption_check;
mod base_files;
mod bounded_run;
mod build;
mod calibrate;
mod call_based_trip_counts;
mod clock_dependence;
mod code_loops;
#[cfg(test)]
mod command_reference;
mod compare;
mod compile;
mod compiler_process;
mod convert;
mod diagnostics;
mod emulate;
mod estimate;
mod external_procedures;
mod failure;
mod files;
mod gather;
mod input;
mod interrupt;
mod library;
mod main_program;
mod makefile;
mod measure;
mod merge;
mod meta;
mod modules;
mod observe;
mod origin;
mod platform;
mod predict;
mod prepare;
mod printed_messages;
mod project;
mod record;
mod run;
mod section;
mod show;
mod slice_explanation;
mod slice_share;
mod study;
mod study_files;
mod study_lock;
mod sweep;
mod symbolization;
mod tasks;
mod traces;
mod trip_counts;
mod user_assumptions;
mod view;
mod workdir;

use args::Command;
use clap::FromArgMatches;
use std::process::ExitCode;

/// Stack that the commands need at most: the usual limit of a main thread.
const STACK_BYTES: usize = 8 << 20;

/// Runs the command on a thread with a stack of its own, since the main thread's may be limited (`ulimit -s`) to less than the
/// parser of the arguments needs. Where the thread cannot be made, because addresses are limited, the main thread has to do.
fn main() -> ExitCode {
    let thread = std::thread::Builder::new()
        .name("main".into())
        .stack_size(STACK_BYTES);
    match thread.spawn(command) {
        // A panic has printed its message.
        Ok(running) => running.join().unwrap_or(ExitCode::from(PANICKED)),
        Err(_) => command(),
    }
}

/// Exit code of Rust programs after a panic.
const PANICKED: u8 = 101;

fn command() -> ExitCode {
    let words: Vec<String> = std::env::args_os()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    // Before the arguments are parsed: under the name of a compiler, all words are that compiler's.
    if let Some(role) = build::wrapper::role(words.first().map(String::as_str)) {
        let ended = build::wrapper::run(&role, &words[1..]);
        return ended.unwrap_or_else(|error| failure::exit_code(Err(error)));
    }
    let matches = args::command().get_matches();
    let arguments =
        args::Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    failure::exit_code(dispatch(arguments.command))
}

fn dispatch(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Analyze(arguments) => analyze::analyze(&arguments),
        Command::Prepare(arguments) => prepare::prepare(&arguments),
        Command::Record(arguments) => record::record(&arguments),
        Command::Measure(arguments) => measure::measure(&arguments),
        Command::Calibrate(arguments) => calibrate::calibrate(&arguments),
        Command::Estimate(arguments) => estimate::estimate(&arguments),
        Command::Emulate(arguments) => emulate::emulate(&arguments),
        Command::Predict(arguments) => predict::predict(&arguments),
        Command::Meta(arguments) => meta::meta(&arguments),
        Command::Tasks(arguments) => tasks::tasks(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Observe(arguments) => observe::observe(&arguments),
        Command::Sweep(arguments) => sweep::sweep(&arguments),
        Command::Show(arguments) => show::show(&arguments),
        Command::Merge(arguments) => merge::merge(&arguments),
        Command::Convert(arguments) => convert::convert(&arguments),
        Command::Compare(arguments) => compare::compare(&arguments),
    }
}
