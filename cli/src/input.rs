//! What a program under test is given: arguments, standard input, the folder it reads.

use crate::args::InputArgs;
use crate::files;
use anyhow::{Context, Result};
use base_data::ids::Digest;
use std::path::{Path, PathBuf};

/// Read once, given to every run of a command.
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
    /// What the command line gives.
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

/// What the program will read on standard input: a named file, or what is redirected or piped in.
fn standard_input(input: &InputArgs) -> Result<Option<Vec<u8>>> {
    if let Some(path) = &input.stdin {
        return files::read_bytes(path).map(Some);
    }
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

/// Standard input to its end; says so if that takes long, since a pipe may stay open for ever.
fn read_piped() -> Result<Vec<u8>> {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(files::read_bytes(Path::new("-"))));
    let patience = std::time::Duration::from_secs(2);
    if let Ok(bytes) = receiver.recv_timeout(patience) {
        return bytes;
    }
    report!(
        "mpiete: reading standard input to its end (redirect it from /dev/null if the program reads none)"
    );
    receiver.recv().context("standard input cannot be read")?
}
