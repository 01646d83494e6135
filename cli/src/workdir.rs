//! The copied folder a probe runs in, so that nothing of the user's is written over.

use anyhow::{Context, Result, bail};
use std::path::Path;
use token_runtime::host::TemporaryFolder;

/// More than this is not copied without being asked for by name.
const LARGEST_COPY: u64 = 1 << 30;

/// Folders nested deeper than this are taken for a circle of links.
const DEEPEST: u32 = 40;

/// A fresh copy of `named` with all its folders, or of the regular files of the current folder.
/// Removed when dropped.
pub fn copy(named: Option<&Path>) -> Result<TemporaryFolder> {
    let target = TemporaryFolder::create("work-").context("no folder for temporary files")?;
    match named {
        Some(folder) if folder.is_dir() => copy_tree(folder, target.path(), 0)?,
        Some(folder) => bail!(
            "--workdir {}: is not a folder; name the one whose files the program reads",
            folder.display()
        ),
        None => copy_current(target.path())?,
    }
    Ok(target)
}

fn copy_current(target: &Path) -> Result<()> {
    let files: Vec<_> = std::fs::read_dir(".")?
        .filter_map(Result::ok)
        .filter(|e| e.path().is_file())
        .collect();
    let bytes: u64 = files
        .iter()
        .filter_map(|entry| Some(entry.metadata().ok()?.len()))
        .sum();
    if bytes > LARGEST_COPY {
        bail!(
            "the current folder contains {bytes} bytes of files, too many to copy for each run; \
            name the folder the program reads with --workdir"
        );
    }
    for entry in files {
        copy_file(&entry.path(), &target.join(entry.file_name()))?;
    }
    Ok(())
}

/// Copies folders, regular files and what symbolic links lead to; pipes and devices stay where they are.
fn copy_tree(from: &Path, to: &Path, depth: u32) -> Result<()> {
    if depth > DEEPEST {
        bail!(
            "{} is nested more than {DEEPEST} folders deep; check for a symbolic link to a parent \
            folder",
            from.display()
        );
    }
    let entries =
        std::fs::read_dir(from).with_context(|| format!("{} cannot be read", from.display()))?;
    for entry in entries {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            std::fs::create_dir(&target)?;
            copy_tree(&source, &target, depth + 1)?;
        } else if source.is_file() {
            copy_file(&source, &target)?;
        }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to)
        .with_context(|| format!("{} cannot be copied into the work folder", from.display()))?;
    Ok(())
}
