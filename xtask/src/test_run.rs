//! A run of the tests that ends with one line: how many tests ran, and how many were skipped, with their reasons.

use anyhow::{Context, Result};
use npb_fixtures::skipped::{FILE_VARIABLE, SEPARATOR};
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::io::{Read, Write};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long output may still come once the command has ended: a process that a failed test left behind can keep it open.
const LAST_OUTPUT: Duration = Duration::from_secs(2);

/// Runs a test command, such as `cargo test`, passes on what it prints and then prints the summary. The exit code is that of
/// the command.
///
/// # Errors
///
/// The command cannot be started.
pub fn run(command: &[OsString]) -> Result<ExitCode> {
    let [program, arguments @ ..] = command else {
        anyhow::bail!("which command?");
    };
    // A file, because tests run in many processes and their runner hides what passing ones print.
    let skipped = tempfile::NamedTempFile::new().context("cannot make a temporary file")?;
    let mut child = Command::new(program)
        .args(arguments)
        .env(FILE_VARIABLE, skipped.path())
        // Standard error is left alone: cargo shows its progress there, and no results.
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let output = child.stdout.take().context("no output")?;
    let printed = Arc::new(Mutex::new(Vec::new()));
    let copy = Arc::clone(&printed);
    // In a thread: a process that keeps the output open must not delay the end of the command.
    let reader = thread::spawn(move || pass_on(output, &copy));
    let status = child.wait()?;
    let end = Instant::now() + LAST_OUTPUT;
    while !reader.is_finished() && Instant::now() < end {
        thread::sleep(Duration::from_millis(10));
    }
    let printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
    let printed = String::from_utf8_lossy(&printed);
    let skipped = std::fs::read_to_string(skipped.path())?;
    // A command that a signal ends has no code.
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    let mut summary = Summary::of(&printed, &skipped);
    summary.is_incomplete = !status.success() && summary.failed == 0;
    // A closed standard output does not change the result of the tests.
    let _ = writeln!(std::io::stdout(), "{summary}");
    Ok(match code {
        Some(code) => ExitCode::from(code),
        None => ExitCode::FAILURE,
    })
}

/// Copies output to standard output and to `printed` as it comes: dots of a test that takes minutes cannot wait for the end of a
/// line. If standard output is closed, the tests go on, since their exit code still counts.
fn pass_on(mut output: impl Read, printed: &Mutex<Vec<u8>>) {
    let mut piece = [0; 4096];
    let mut has_reader = true;
    while let Ok(length) = output.read(&mut piece) {
        if length == 0 {
            return;
        }
        let piece = &piece[..length];
        let mut printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
        printed.extend_from_slice(piece);
        let mut terminal = std::io::stdout();
        has_reader = has_reader
            && terminal
                .write_all(piece)
                .and_then(|()| terminal.flush())
                .is_ok();
    }
}

/// Totals of all tests.
#[derive(Debug, Default, PartialEq)]
struct Summary {
    passed: u64,
    failed: u64,
    /// Tests that a usual run leaves out.
    ignored: u64,
    /// Names of tests that could not run, in whole or in part, by reason.
    skipped: BTreeMap<String, BTreeSet<String>>,
    /// The command failed without a failed test: a test program crashed, or did not compile.
    is_incomplete: bool,
}

impl Summary {
    /// From what the test runner printed and the lines that skipped tests wrote.
    fn of(printed: &str, skipped: &str) -> Summary {
        let mut summary = Summary::default();
        for line in printed.lines() {
            let Some((_, counts)) = line.split_once("test result: ") else {
                continue;
            };
            // One such line for each test program, so they are added.
            summary.passed += count(counts, "passed");
            summary.failed += count(counts, "failed");
            summary.ignored += count(counts, "ignored");
        }
        for line in skipped.lines() {
            if let Some((test, reason)) = line.split_once(SEPARATOR) {
                let tests = summary.skipped.entry(reason.to_string()).or_default();
                tests.insert(test.to_string());
            }
        }
        summary
    }

    /// A test with several reasons counts once.
    fn skipped_tests(&self) -> u64 {
        let tests: BTreeSet<&String> = self.skipped.values().flatten().collect();
        tests.len() as u64
    }
}

/// The number in front of a word: `3` of `ok. 3 passed; 0 failed`.
fn count(counts: &str, word: &str) -> u64 {
    for part in counts.split([';', '.']) {
        if let Some(number) = part.trim().strip_suffix(word) {
            return number.trim().parse().unwrap_or(0);
        }
    }
    0
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skipped = self.skipped_tests();
        // The test runner counts skipped tests as passed.
        let ran = (self.passed + self.failed).saturating_sub(skipped);
        write!(
            f,
            "tests: {ran} ran, {} failed, {} ignored, {skipped} skipped",
            self.failed, self.ignored
        )?;
        let mut separator = ": ";
        for (reason, tests) in &self.skipped {
            write!(f, "{separator}{reason} ({})", tests.len())?;
            separator = "; ";
        }
        if self.is_incomplete {
            write!(f, "; incomplete, because the command failed before its end")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "
running 3 tests
..i
test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.45s

running 2 tests
.F
test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 9 filtered out; finished in 1.00s
";

    #[test]
    fn results_of_all_programs_are_added() {
        assert_eq!(
            Summary::of(PRINTED, "").to_string(),
            "tests: 4 ran, 1 failed, 1 ignored, 0 skipped"
        );
    }

    #[test]
    fn skipped_tests_are_counted_once_and_their_reasons_named() {
        let skipped =
            "a::one\tno gfortran\na::one\tno gfortran\nb::two\tno gfortran\na::one\tno MPICH\n";
        assert_eq!(
            Summary::of(PRINTED, skipped).to_string(),
            "tests: 2 ran, 1 failed, 1 ignored, 2 skipped: no MPICH (1); no gfortran (2)"
        );
    }

    #[test]
    fn exit_code_is_that_of_the_command() {
        let script = format!("printf 'a::one\\tno gfortran\\n' >> \"${FILE_VARIABLE}\"; exit 101");
        let command = ["sh", "-c", &script].map(OsString::from);
        let code = run(&command).expect("it runs");
        assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::from(101)));
        assert!(run(&["no such command".into()]).is_err());
    }

    #[test]
    fn process_that_outlives_the_command_does_not_hold_the_run() {
        let begin = Instant::now();
        let command = ["sh", "-c", "sleep 30 & exit 3"].map(OsString::from);
        let code = run(&command).expect("it runs");
        assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::from(3)));
        assert!(begin.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn crash_of_a_test_program_is_said() {
        let mut summary = Summary::of(PRINTED, "");
        summary.is_incomplete = true;
        assert!(summary.to_string().contains("incomplete"));
    }
}
