//! The tables of docs/results/coverage.md: what the frontend reads of the fixtures, and of a tree of the NAS parallel
//! benchmarks.

use crate::fixture;
use crate::process::{self, BadInput};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

const HEADER: &str = "\
| program | files | lines | statements | parse errors | lost | procedures | blocks | MPI calls | not supported | unresolved names | no source |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
";

const KERNELS: [&str; 3] = ["cg", "ep", "lu"];

/// Files that every benchmark of NPB is linked with.
const NPB_COMMON: [&str; 3] = ["timers", "print_results", "randi8"];

/// The table, by the command `mpiete`. `npb` is the MPI folder of a tree of the NAS parallel benchmarks in which every benchmark
/// has been configured (npbparams.h).
///
/// # Errors
///
/// [`BadInput`] if that tree has no configured benchmark.
pub fn table(mpiete: &Path, npb: Option<&Path>) -> Result<String> {
    // Before the fixtures are analysed, so that a wrong folder is reported at once.
    let benchmarks = match npb {
        Some(tree) => benchmarks(tree)?,
        None => Vec::new(),
    };
    let mut table = HEADER.to_string();
    for kernel in KERNELS {
        let folder = fixture(kernel);
        let include = folder.join("class-S");
        table.push_str(&rows(mpiete, &[folder], Some(&include))?);
    }
    for pattern in entries(&fixture("patterns"))? {
        // Its syntax is wrong on purpose.
        if pattern.ends_with("broken.f90") {
            continue;
        }
        // One command each: every pattern is a program of its own.
        table.push_str(&rows(mpiete, &[pattern], None)?);
    }
    for benchmark in benchmarks {
        let include = &benchmark.folder;
        table.push_str(&rows(mpiete, &benchmark.sources, Some(include))?);
    }
    Ok(table)
}

fn rows(mpiete: &Path, sources: &[PathBuf], include: Option<&Path>) -> Result<String> {
    let mut command = Command::new(mpiete);
    command.arg("analyze").args(sources);
    if let Some(folder) = include {
        command.arg("-I").arg(folder);
    }
    process::output(command.args(["--format", "table"]))
}

/// A configured benchmark of NPB.
#[derive(Debug, PartialEq)]
struct Benchmark {
    folder: PathBuf,
    sources: Vec<PathBuf>,
}

fn benchmarks(tree: &Path) -> Result<Vec<Benchmark>> {
    if let Err(error) = std::fs::read_dir(tree) {
        return Err(BadInput(format!("cannot read {}: {error}", tree.display())).into());
    }
    let mut found = Vec::new();
    for folder in entries(tree)? {
        if !folder.join("npbparams.h").is_file() {
            continue;
        }
        let mut sources = Vec::new();
        for file in entries(&folder)? {
            if file.extension().is_some_and(|ending| ending == "f") && is_built(&file) {
                sources.push(file);
            }
        }
        // IS is written in C.
        if sources.is_empty() {
            continue;
        }
        for name in NPB_COMMON {
            sources.push(tree.join("common").join(format!("{name}.f")));
        }
        found.push(Benchmark { folder, sources });
    }
    if found.is_empty() {
        let tree = tree.display();
        return Err(BadInput(format!(
            "{tree} contains no configured benchmark (a folder with npbparams.h and *.f): set NPB_DIR to the tree's MPI folder"
        ))
        .into());
    }
    Ok(found)
}

/// Whether the usual build compiles a file. Of several files with the same procedures, or versions of them, it compiles one.
fn is_built(file: &Path) -> bool {
    const ALTERNATIVES: [&str; 4] = ["epio.f", "fortran_io.f", "full_mpiio.f", "simple_mpiio.f"];
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    !ALTERNATIVES.contains(&&*name) && !name.ends_with("_vec.f")
}

/// The visible entries of a folder, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let context = || format!("cannot read {}", folder.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(context)? {
        let entry = entry.with_context(context)?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            found.push(entry.path());
        }
    }
    // The order of a folder's entries depends on the file system; that of the table does not.
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str) {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, "").expect("written");
    }

    #[test]
    fn benchmarks_are_the_configured_folders_with_the_files_that_are_built() {
        let tree = tempfile::tempdir().expect("a folder");
        for name in [
            "BT/npbparams.h",
            "BT/bt.f",
            "BT/epio.f",
            "BT/solve_vec.f",
            "BT/README",
            "CG/cg.f",
            "IS/npbparams.h",
            "IS/is.c",
            "common/timers.f",
        ] {
            write(tree.path(), name);
        }
        let found = benchmarks(tree.path()).expect("one benchmark");
        let common = tree.path().join("common");
        assert_eq!(
            found,
            [Benchmark {
                folder: tree.path().join("BT"),
                sources: vec![
                    tree.path().join("BT/bt.f"),
                    common.join("timers.f"),
                    common.join("print_results.f"),
                    common.join("randi8.f"),
                ],
            }]
        );
    }

    #[test]
    fn tree_without_benchmarks_is_bad_input() {
        let tree = tempfile::tempdir().expect("a folder");
        write(tree.path(), "CG/cg.f");
        let error = benchmarks(tree.path()).expect_err("none is configured");
        assert!(error.is::<BadInput>());
        assert!(error.to_string().contains("no configured benchmark"));
    }
}
