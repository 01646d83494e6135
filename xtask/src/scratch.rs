//! A temporary folder in which commands run.

use crate::process;
use anyhow::{Context, Result};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A temporary folder and the `mpiete` that runs in it. Its drop removes the folder.
pub(crate) struct Scratch {
    folder: TempDir,
    mpiete: PathBuf,
}

impl Scratch {
    /// An empty folder.
    pub(crate) fn new(mpiete: PathBuf) -> Result<Scratch> {
        // New in each run of xtask: what an earlier build made is never measured.
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        Ok(Scratch { folder, mpiete })
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Whether the folder contains this file or folder.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }

    /// A command that runs in the folder.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        // Programs write files where they run; the repository stays clean.
        command.current_dir(self.path());
        command
    }

    /// A command `mpiete` that runs in the folder.
    pub(crate) fn mpiete(&self, subcommand: &str) -> Command {
        let mut command = self.command(&self.mpiete);
        command.arg(subcommand);
        command
    }

    /// The path of `mpiete`, for a launcher that starts it.
    pub(crate) fn mpiete_path(&self) -> &Path {
        &self.mpiete
    }

    /// What `mpiete` prints when it is run with these words.
    pub(crate) fn run_mpiete(&self, words: &[&str]) -> Result<String> {
        process::output(self.command(&self.mpiete).args(words))
    }
}
