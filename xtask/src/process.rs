//! Commands that are run, and errors of the user.

use anyhow::{Context, Result, bail};
use std::fmt;
use std::io::Write;
use std::process::{Command, Stdio};

/// Characters that an error shows of a failed command's standard output: its end, where the reason stands.
const OUTPUT_SHOWN: usize = 2000;

/// An argument or a folder that a command cannot use: exit code 2.
#[derive(Debug)]
pub struct BadInput(pub String);

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadInput {}

/// Writes text to standard output. A closed pipe is an error here, while `print!` panics.
///
/// # Errors
///
/// What the system reports.
pub fn print(text: &str) -> Result<()> {
    let mut output = std::io::stdout();
    output.write_all(text.as_bytes())?;
    output.flush()?;
    Ok(())
}

/// Whether an error is a closed pipe, as after `| head`: no failure.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let Some(error) = error.downcast_ref::<std::io::Error>() else {
        return false;
    };
    error.kind() == std::io::ErrorKind::BrokenPipe
}

/// What a command prints on standard output. An error, with what it printed, if it fails.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let shown = shown(command);
    let done = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {shown}"))?;
    let printed = String::from_utf8_lossy(&done.stdout).into_owned();
    if !done.status.success() {
        let errors = String::from_utf8_lossy(&done.stderr);
        bail!("{shown}\n{}\n{errors}", end_of(&printed, OUTPUT_SHOWN));
    }
    Ok(printed)
}

/// The words of a command.
pub(crate) fn shown(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    for word in command.get_args() {
        words.push(word.to_string_lossy().into_owned());
    }
    words.join(" ")
}

/// The last characters of a text.
fn end_of(text: &str, characters: usize) -> &str {
    // By characters: a cut inside of one would panic.
    let surplus = text.chars().count().saturating_sub(characters);
    match text.char_indices().nth(surplus) {
        Some((begin, _)) => &text[begin..],
        None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_of_a_text_counts_characters() {
        assert_eq!(end_of("abc", 2), "bc");
        assert_eq!(end_of("abc", 5), "abc");
        assert_eq!(end_of("–é", 1), "é");
        assert_eq!(end_of("", 1), "");
    }

    #[test]
    fn failed_command_is_shown_with_its_output() {
        let mut command = Command::new("sh");
        let error = output(command.args(["-c", "echo printed; echo reason >&2; exit 3"]));
        let message = format!("{:#}", error.expect_err("it fails"));
        assert!(
            message.contains("printed") && message.contains("reason"),
            "{message}"
        );
    }
}
