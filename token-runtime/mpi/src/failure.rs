//! Errors of a call, and the end of the run by a rank.

use token_runtime::termination::{self, Termination, TerminationReport};

/// Why a call did not do what it was asked.
pub enum Failure {
    /// A wrong argument: an error class, and the end of a sentence that begins with rank and call.
    /// Returned to the program if it has asked for that, otherwise the run ends.
    Argument(i32, String),
    /// The run ends.
    Fatal(Termination),
}

/// What the implementation of a call gives.
pub type Outcome = Result<(), Failure>;

/// A wrong argument.
pub fn wrong<T>(class: i32, sentence: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Argument(class, sentence.into()))
}

/// Leaves the report, unless another rank was first, and ends this process without running any more of the program.
pub fn end_run(report: TerminationReport, folder: Option<&std::path::Path>, first: bool) -> ! {
    let mut code = termination::EXIT_CODE;
    match folder {
        Some(folder) if first => {
            if let Err(error) = termination::write_report(folder, &report) {
                eprintln!(
                    "mpiete: rank {} ends the run ({report:?}), but cannot say so: {error}",
                    report.rank
                );
            }
        }
        Some(_) => {}
        None => {
            eprintln!("mpiete: {}", report.termination.of_single_process());
            code = report.termination.exit_code_of_single_process();
        }
    }
    // SAFETY: `_exit` takes any code and only ends the process; destructors are not run on purpose,
    // the program's state is not to be trusted any more.
    unsafe { libc::_exit(code) }
}
