//! The work folder of a probe: a copy, so that the run overwrites no file of the user.

use anyhow::{Context, Result, bail};
use std::path::Path;
use token_runtime::host::TemporaryFolder;

/// Maximum bytes copied from the current folder. A folder named with --workdir has no limit.
const LARGEST_COPY: u64 = 1 << 30;

/// Folders nested deeper than this are assumed to be a cycle of links.
const DEEPEST: u32 = 40;

/// A fresh copy of `named` with all its folders, or of the regular files of the current folder.
/// Removed when dropped.
pub fn copy(named: Option<&Path>) -> Result<TemporaryFolder> {
    let target = TemporaryFolder::create("work-").context("nothing was run")?;
    match named {
        Some(folder) if folder.is_dir() => copy_tree(folder, target.path(), 0)?,
        Some(path) if path.exists() => bail!(
            "--workdir {}: is not a folder; name the folder of the input files",
            path.display()
        ),
        Some(path) => bail!(
            "--workdir {}: no such folder; create it (it may be empty) or name the folder of the input files",
            path.display()
        ),
        None => copy_current(target.path())?,
    }
    Ok(target)
}

fn copy_current(target: &Path) -> Result<()> {
    // Subfolders are copied only if the user names the folder: they may contain anything, such as studies.
    let mut files = Vec::new();
    let mut bytes = 0;
    for entry in std::fs::read_dir(".")? {
        let entry = entry?;
        // What ends between listing and copying, such as a lock file of an editor, is left out.
        let Ok(data) = std::fs::metadata(entry.path()) else {
            continue;
        };
        if data.is_file() {
            bytes += data.len();
            files.push(entry);
        }
    }
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

/// Copies folders, regular files and the targets of symbolic links. Pipes and devices are skipped: reading them may block.
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
