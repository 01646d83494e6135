//! Predictions of codes that the user names: docs/results/real-codes.csv and the tables of docs/results/real-codes.md. The
//! repository contains no code of others.

mod attempt;
mod calls;
pub mod code;
mod page;
pub mod rows;

pub use attempt::{Mpi, row};

use crate::files::{read, write};
use crate::process::BadInput;
use crate::scratch::Scratch;
use anyhow::{Context, Result};
use code::Code;
use rows::Row;
use std::path::{Path, PathBuf};

/// Predictions and observed runs per code and number of ranks.
const RUNS: usize = 5;

/// The code of the short form: a program of the fixtures.
const FIXTURE: &str = "[[code]]
name = 'ring'
folder = '.'
build = 'mpif90.mpich -g -O2 ring.f90 -o ring'
binary = 'ring'
";

/// What of a list is tried, and how.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The code of this name alone.
    pub only: Option<String>,
    /// Predictions and observed runs; the usual number if `None`.
    pub runs: Option<usize>,
}

/// Tries the codes of a list and updates both files after each. Rows of other codes stay.
///
/// # Errors
///
/// [`BadInput`] if the list cannot be used or contains no code of the chosen name. A code that fails is no error.
pub fn update(list: &Path, choice: &Choice) -> Result<()> {
    let mut codes = code::listed(list)?;
    if let Some(only) = &choice.only {
        codes.retain(|code| code.name == *only);
        if codes.is_empty() {
            return Err(BadInput(format!("{} lists no code '{only}'", list.display())).into());
        }
    }
    let files = Files {
        folder: crate::root().join("docs/results"),
    };
    try_all(&codes, &files, choice.runs.unwrap_or(RUNS))
}

/// Tries a program of the fixtures and writes to copies of the files, which it removes: this shows that the tables can be made.
///
/// # Errors
///
/// A stage that fails.
pub fn try_fixture() -> Result<()> {
    let scratch = Scratch::new(crate::mpiete())?;
    let folder = scratch.path();
    let source = crate::fixture("patterns/ring.f90");
    std::fs::copy(source, folder.join("ring.f90")).context("cannot copy ring.f90")?;
    std::fs::write(folder.join("real-codes.toml"), FIXTURE)?;
    let results = Files {
        folder: crate::root().join("docs/results"),
    };
    let copies = results.copied_to(folder)?;
    try_all(&code::listed(folder)?, &copies, 1)?;
    let rows = rows::read(&read(&copies.csv())?)?;
    let row = rows.iter().find(|row| row.name == "ring");
    let row = row.context("the file lacks the row of the fixture")?;
    if !row.failed_stage.is_empty() {
        anyhow::bail!("{}: {}", row.failed_stage, row.failure);
    }
    Ok(())
}

/// Both files are written after each code: the next one may take long, or be interrupted.
fn try_all(codes: &[Code], files: &Files, runs: usize) -> Result<()> {
    // Files that cannot be updated are found before the measurements.
    files.update(Vec::new())?;
    let mpi = mpi();
    for code in codes {
        let row = attempt::row(code, &crate::mpiete(), &mpi, runs)?;
        files.update(vec![row])?;
    }
    Ok(())
}

/// Debian's names: `mpirun` may be that of another MPI library. MPIRUN and MPICC name others.
fn mpi() -> Mpi {
    let variable = |name, usual: &str| std::env::var(name).unwrap_or(usual.to_string());
    Mpi {
        launcher: variable("MPIRUN", "mpirun.mpich"),
        c_compiler: variable("MPICC", "mpicc.mpich"),
    }
}

/// Reports what is done now.
fn progress(text: &str) {
    eprintln!("{text}");
}

/// The two files of results.
struct Files {
    folder: PathBuf,
}

impl Files {
    fn csv(&self) -> PathBuf {
        self.folder.join("real-codes.csv")
    }

    fn page(&self) -> PathBuf {
        self.folder.join("real-codes.md")
    }

    fn copied_to(&self, folder: &Path) -> Result<Files> {
        let copies = Files {
            folder: folder.to_path_buf(),
        };
        std::fs::copy(self.csv(), copies.csv()).context("cannot copy real-codes.csv")?;
        std::fs::copy(self.page(), copies.page()).context("cannot copy real-codes.md")?;
        Ok(copies)
    }

    /// Both texts are complete before one of them is written.
    fn update(&self, tried: Vec<Row>) -> Result<()> {
        let csv = self.csv();
        let mut rows = Vec::new();
        if csv.exists() {
            rows = rows::read(&read(&csv)?).with_context(|| csv.display().to_string())?;
        }
        let rows = rows::merged(rows, tried);
        let page = page::with_tables(&read(&self.page())?, &rows)?;
        write(&csv, &rows::written(&rows))?;
        write(&self.page(), &page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files that stand in the repository pass unchanged: a new row changes no other line.
    #[test]
    fn update_without_rows_changes_nothing() {
        let results = Files {
            folder: crate::root().join("docs/results"),
        };
        let folder = tempfile::tempdir().expect("a folder");
        let copies = results.copied_to(folder.path()).expect("copied");
        copies.update(Vec::new()).expect("updated");
        for (before, after) in [
            (results.csv(), copies.csv()),
            (results.page(), copies.page()),
        ] {
            assert_eq!(read(&before).expect("read"), read(&after).expect("read"));
        }
    }

    #[test]
    fn unknown_name_is_bad_input() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("real-codes.toml"), FIXTURE).expect("written");
        let choice = Choice {
            only: Some("rings".to_string()),
            runs: None,
        };
        let error = update(folder.path(), &choice).expect_err("there is no such code");
        assert!(error.is::<BadInput>());
        assert!(error.to_string().contains("lists no code 'rings'"));
    }
}
