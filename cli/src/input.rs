//! Input of a program under test: arguments, standard input, and the folder that it reads.

use crate::args::InputArgs;
use crate::files;
use anyhow::{Context, Result};
use base_data::ids::Digest;
use std::path::{Path, PathBuf};

/// Input that is read once and used in every run of a command.
#[derive(Clone, Debug, Default)]
pub struct ProgramInput {
    /// Arguments.
    pub arguments: Vec<String>,
    /// Rank 0's standard input.
    pub stdin: Option<Vec<u8>>,
    /// Folder to copy for each run.
    pub workdir: Option<PathBuf>,
}

impl ProgramInput {
    /// Reads the input that the arguments name.
    pub fn read(given: &InputArgs) -> Result<Self> {
        Ok(Self {
            arguments: given.arguments.clone(),
            stdin: standard_input(given)?,
            workdir: given.workdir.clone(),
        })
    }

    /// Digest of standard input and arguments.
    pub fn digest(&self) -> Digest {
        let arguments = self.arguments.iter().map(String::as_bytes);
        Digest::of_parts(
            std::iter::once(self.stdin.as_deref().unwrap_or_default()).chain(arguments),
        )
    }
}

/// Standard input of the program: a named file, or a redirected file or pipe.
fn standard_input(input: &InputArgs) -> Result<Option<Vec<u8>>> {
    if let Some(path) = &input.stdin {
        return files::read_bytes(path).map(Some);
    }
    // A terminal is not read: the user would have to end input that most programs never use. Neither
    // is /dev/null.
    let is_given = std::fs::metadata("/dev/stdin").is_ok_and(|data| {
        use std::os::unix::fs::FileTypeExt;
        data.file_type().is_file() || data.file_type().is_fifo()
    });
    if is_given {
        read_piped().map(Some)
    } else {
        Ok(None)
    }
}

/// Reads standard input to its end. Prints a note if that takes long, since a pipe may stay open for ever.
fn read_piped() -> Result<Vec<u8>> {
    let (sender, receiver) = std::sync::mpsc::channel();
    // In a thread, since reading from a pipe has no timeout.
    std::thread::spawn(move || sender.send(files::read_bytes(Path::new("-"))));
    let silent_time = std::time::Duration::from_secs(2);
    if let Ok(bytes) = receiver.recv_timeout(silent_time) {
        return bytes;
    }
    report!(
        "mpiete: reading standard input to its end (redirect it from /dev/null if the program reads none)"
    );
    receiver.recv().context("standard input cannot be read")?
}
