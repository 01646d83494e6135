//! The accuracy of predictions: measures, writes every figure as a row of docs/results/accuracy.csv and puts the tables into
//! docs/results/accuracy.md, which explains them.

mod cases;
pub(crate) mod comparison;
mod counted;
mod end_to_end;
mod in_time;
mod not_inflated;
mod page;
mod rows;
mod study;

use crate::files::{read, write};
use crate::process::BadInput;
use anyhow::{Context, Result};
use cases::Cases;
use rows::{Row, Table};
use std::path::{Path, PathBuf};
use study::Measurements;

/// Measures tables, all if none is named, and updates both files. Rows of other tables and cases stay.
///
/// With `short`, it measures the smallest case of each table and writes to copies of the files, which it removes: this shows that
/// every table can still be made.
///
/// # Errors
///
/// [`BadInput`] if there is no table of a name; or a command that fails. The files are then unchanged.
pub fn update(tables: &[String], short: bool) -> Result<()> {
    let tables = tables_named(tables)?;
    let cases = if short {
        Cases::shortest()
    } else {
        Cases::usual()
    };
    let measurements = Measurements::new(cases)?;
    let results = Files {
        folder: crate::root().join("docs/results"),
    };
    let files = if short {
        results.copied_to(measurements.folder())?
    } else {
        results
    };
    // Files that cannot be updated are found before the hours of measurement.
    files.with(Vec::new())?;
    let mut measured = Vec::new();
    for table in tables {
        progress(&format!("table {}", table.name()));
        measured.extend(measure(table, &measurements)?);
    }
    files.update(measured)
}

fn tables_named(names: &[String]) -> Result<Vec<Table>> {
    if names.is_empty() {
        return Ok(Table::ALL.to_vec());
    }
    let mut tables = Vec::new();
    for name in names {
        let Some(table) = Table::by_name(name) else {
            let all = Table::ALL.map(Table::name).join(", ");
            return Err(BadInput(format!("no table '{name}'; there are {all}")).into());
        };
        tables.push(table);
    }
    Ok(tables)
}

fn measure(table: Table, measurements: &Measurements) -> Result<Vec<Row>> {
    match table {
        Table::EndToEnd => end_to_end::rows(measurements),
        Table::ComputationCounted => counted::rows_of_measured_rank_counts(measurements),
        Table::ComputationReused => counted::rows_of_other_rank_counts(measurements),
        Table::InTime => in_time::rows(measurements),
        Table::NotInflated => not_inflated::rows(measurements),
    }
}

/// Reports what is measured now: most tables take minutes, some hours.
fn progress(text: &str) {
    eprintln!("{text}");
}

/// The two files of results.
struct Files {
    folder: PathBuf,
}

impl Files {
    fn csv(&self) -> PathBuf {
        self.folder.join("accuracy.csv")
    }

    fn page(&self) -> PathBuf {
        self.folder.join("accuracy.md")
    }

    fn copied_to(&self, folder: &Path) -> Result<Files> {
        let copies = Files {
            folder: folder.to_path_buf(),
        };
        std::fs::copy(self.csv(), copies.csv()).context("cannot copy accuracy.csv")?;
        std::fs::copy(self.page(), copies.page()).context("cannot copy accuracy.md")?;
        Ok(copies)
    }

    /// The texts of both files with these rows.
    fn with(&self, measured: Vec<Row>) -> Result<Texts> {
        let csv = self.csv();
        let mut rows = Vec::new();
        if csv.exists() {
            rows = rows::read(&read(&csv)?).with_context(|| csv.display().to_string())?;
        }
        let rows = rows::merged(rows, measured);
        Ok(Texts {
            page: page::with_tables(&read(&self.page())?, &rows)?,
            csv: rows::written(&rows),
        })
    }

    /// Both texts are complete before one of them is written.
    fn update(&self, measured: Vec<Row>) -> Result<()> {
        let texts = self.with(measured)?;
        write(&self.csv(), &texts.csv)?;
        write(&self.page(), &texts.page)
    }
}

/// What both files hold.
struct Texts {
    csv: String,
    page: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_table_is_bad_input() {
        let error = tables_named(&["in-tme".to_string()]).expect_err("there is no such table");
        assert!(error.is::<BadInput>());
        assert_eq!(
            error.to_string(),
            "no table 'in-tme'; there are end-to-end, computation-counted, computation-reused, in-time, not-inflated"
        );
    }

    /// The files that stand in the repository pass unchanged: a new figure changes no other line.
    #[test]
    fn update_without_measurements_changes_nothing() {
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
            let before = read(&before).expect("read");
            let after = read(&after).expect("read");
            for (before, after) in before.lines().zip(after.lines()) {
                assert_eq!(before, after);
            }
            assert_eq!(before, after);
        }
    }
}
