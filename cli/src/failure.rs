//! Exit codes, and the sentence on standard error.

use std::fmt;
use std::process::ExitCode;

/// The program under test failed: exit code 1.
#[derive(Debug)]
pub struct ProgramFailed(pub String);

/// The program under test failed although all its ranks ran together with real data, so no other way to measure it helps.
#[derive(Debug)]
pub struct FailsOnAllRanks(pub String);

/// The program under test failed after a loop of it had been cut short.
#[derive(Debug)]
pub struct FailedAfterCut(pub String);

/// The ranks of a program cannot run or be recorded solo.
#[derive(Debug)]
pub struct RanksNotSeparable(pub String);

/// Solo representatives are not a sufficient sample of the ranks.
#[derive(Debug)]
pub struct SampleTooSmall(pub &'static str);

/// A check or comparison differs: exit code 3.
#[derive(Debug)]
pub struct Differs(pub String);

impl fmt::Display for ProgramFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for FailsOnAllRanks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for FailedAfterCut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for RanksNotSeparable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for SampleTooSmall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Display for Differs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ProgramFailed {}
impl std::error::Error for FailsOnAllRanks {}
impl std::error::Error for FailedAfterCut {}
impl std::error::Error for RanksNotSeparable {}
impl std::error::Error for SampleTooSmall {}
impl std::error::Error for Differs {}

/// Maximum number of characters of a line; the rest is not readable anyway.
const LONGEST_LINE: usize = 2000;

/// Exit code if the program under test or a build failed.
pub const PROGRAM_FAILED: u8 = 1;
/// Exit code of bad input.
pub const BAD_INPUT: u8 = 2;
/// Exit code if a check or comparison differs.
pub const DIFFERS: u8 = 3;

/// Prints an error and returns the exit code (the command reference lists them). A signal that ended the command gives 128 and
/// its number (130 after Ctrl-C). A reader that closed the pipe is not an error.
pub fn exit_code(result: anyhow::Result<()>) -> ExitCode {
    let Err(error) = result else {
        return ExitCode::SUCCESS;
    };
    // `mpiete show FILE | head` closes the pipe early on purpose.
    if is_broken_pipe(&error) {
        return ExitCode::SUCCESS;
    }
    // Messages quote paths and lines of files, which may contain escape sequences of terminals.
    report!("mpiete: {}", sanitized(&format!("{error:#}")));
    // First, since an interrupted run also ends with an error of another kind.
    if let Some(code) = crate::interrupt::exit_code() {
        ExitCode::from(code)
    } else if error.is::<ProgramFailed>()
        || error.is::<FailsOnAllRanks>()
        || error.is::<FailedAfterCut>()
    {
        ExitCode::from(PROGRAM_FAILED)
    } else if error.downcast_ref::<Differs>().is_some() {
        ExitCode::from(DIFFERS)
    } else {
        // Every other error has a remedy on the user's side: arguments, files or the environment.
        ExitCode::from(BAD_INPUT)
    }
}

/// Text that may quote a file, fit for a terminal: no control characters except tabs, no endless lines.
pub fn sanitized(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(sanitized_line).collect();
    lines.join("\n")
}

fn sanitized_line(line: &str) -> String {
    let mut clean = String::new();
    for (index, character) in line.chars().enumerate() {
        if index == LONGEST_LINE {
            clean.push('…');
            break;
        }
        // A quoted line may be indented with tabs, and the mark below it stands behind as many.
        if character.is_control() && character != '\t' {
            clean.push(char::REPLACEMENT_CHARACTER);
        } else {
            clean.push(character);
        }
    }
    clean
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    match error.downcast_ref::<std::io::Error>() {
        Some(error) => error.kind() == std::io::ErrorKind::BrokenPipe,
        None => false,
    }
}
