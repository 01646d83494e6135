//! Runs a program on one rank in mode `measure`, with the MPI library beside this one, for the figures
//! in docs/results/benchmarks.md. It discards the measurements.

use std::path::PathBuf;
use std::process::ExitCode;
use token_runtime::host::{Launch, Mode, run};

fn main() -> ExitCode {
    let Some(program) = std::env::args_os().nth(1) else {
        eprintln!("measured: which program?");
        return ExitCode::from(2);
    };
    match library().map(|library| Launch {
        program: program.into(),
        ranks: 1,
        mode: Mode::Measure,
        library,
        work_dir: PathBuf::from("."),
        ..Launch::default()
    }) {
        Some(launch) => match run(&launch) {
            Ok(_) => ExitCode::SUCCESS,
            Err(error) => failed(&error.to_string()),
        },
        None => failed("no libmpiete_mpi.so two folders above"),
    }
}

fn library() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let library = own.ancestors().nth(2)?.join("libmpiete_mpi.so");
    library.is_file().then_some(library)
}

fn failed(sentence: &str) -> ExitCode {
    eprintln!("measured: {sentence}");
    ExitCode::FAILURE
}
