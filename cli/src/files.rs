//! Reading and writing files: whole, atomically, with errors that name the file.

use anyhow::{Context, Result, bail};
use base_data::format::{self, FileContent, FileKind};
use base_data::program_data::ProgramData;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// First words of the text form of program data.
const TEXT_FORM: &[u8] = b"mpiete program text";

/// The name that means standard input or output.
const STANDARD_STREAM: &str = "-";

/// The bytes of a file, or of standard input for `-`.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    if path == Path::new(STANDARD_STREAM) {
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .context("standard input cannot be read")?;
        return Ok(bytes);
    }
    std::fs::read(path)
        .with_context(|| format!("{} cannot be read; check the path", path.display()))
}

/// A file that is read once from start to end.
pub fn open(path: &Path) -> Result<BufReader<File>> {
    let file = File::open(path)
        .with_context(|| format!("{} cannot be read; check the path", path.display()))?;
    Ok(BufReader::new(file))
}

/// The content of an mpiete file.
pub fn read<T: FileContent>(path: &Path) -> Result<T> {
    decode(path, &read_bytes(path)?)
}

/// The content of bytes that came from `path`.
pub fn decode<T: FileContent>(path: &Path, bytes: &[u8]) -> Result<T> {
    format::decode(bytes).map_err(|error| anyhow::anyhow!("{} {error}", path.display()))
}

/// Program data in either form.
pub fn decode_program(path: &Path, bytes: &[u8]) -> Result<ProgramData> {
    if !bytes.starts_with(TEXT_FORM) {
        return decode(path, bytes);
    }
    let text = String::from_utf8_lossy(bytes);
    base_data::program_text::read(&text)
        .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))
}

/// The kind of a file, from its header.
pub fn kind(path: &Path, bytes: &[u8]) -> Result<FileKind> {
    if bytes.starts_with(TEXT_FORM) {
        return Ok(FileKind::ProgramData);
    }
    format::kind_of(bytes).map_err(|error| anyhow::anyhow!("{} {error}", path.display()))
}

/// Writes an mpiete file.
pub fn write<T: FileContent>(path: &Path, content: &T) -> Result<()> {
    write_bytes(path, &format::encode(content))
}

/// Writes a file whole or not at all.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    write_with(path, |out| Ok(out.write_all(bytes)?))
}

/// Whether a path stands for standard output.
pub fn is_standard_output(path: &Path) -> bool {
    path == Path::new(STANDARD_STREAM)
}

/// Rejects the name of standard output for a folder, and for files that must be replaced as a whole.
fn reject_standard_output(path: &Path, remedy: &str) -> Result<()> {
    if is_standard_output(path) {
        bail!(
            "- stands for standard output, which cannot be used here; {remedy} (./- if it is to be called that)"
        );
    }
    Ok(())
}

/// Rejects the name of standard output for a data file.
pub fn check_file_name(path: &Path) -> Result<()> {
    reject_standard_output(path, "give the name of a file")
}

/// Rejects the name of standard output for a folder.
pub fn check_folder_name(path: &Path) -> Result<()> {
    reject_standard_output(path, "give the name of a folder")
}

/// Checks that text can be written to `path` now.
pub fn check_text_output(path: &Path) -> Result<()> {
    if is_standard_output(path) {
        return Ok(());
    }
    check_output(path)
}

/// Checks that a file can be written now. Commands call it before long work whose result would otherwise be lost.
pub fn check_output(path: &Path) -> Result<()> {
    if path.is_dir() {
        bail!(
            "{} is a folder; give the name of a file with -o",
            path.display()
        );
    }
    let path = replacement_target(path)?;
    // Only an attempt is reliable: permission bits say nothing about full disks, read-only mounts or quotas.
    tempfile::NamedTempFile::new_in(folder_of(&path))
        .map(drop)
        .with_context(|| cannot_write(&path))
}

/// The file that writing to `path` replaces: the target of a link, and never a device, pipe or socket.
fn replacement_target(path: &Path) -> Result<PathBuf> {
    check_file_name(path)?;
    match path.metadata() {
        Ok(found) if found.is_file() => {
            std::fs::canonicalize(path).with_context(|| cannot_write(path))
        }
        Ok(_) => bail!(
            "{} exists and is no regular file; give the name of a file",
            path.display()
        ),
        Err(_) => Ok(path.to_path_buf()),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| *parent != Path::new(""))
        .unwrap_or(Path::new("."))
}

fn cannot_write(path: &Path) -> String {
    format!(
        "{} cannot be written; check that its folder exists and has room",
        path.display()
    )
}

/// Writes a file whole or not at all, piece by piece.
pub fn write_with<T>(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<T>) -> Result<T> {
    let path = &replacement_target(path)?;
    let cannot = || cannot_write(path);
    // In the same folder, since a rename is atomic within one file system only. If anything below fails, the temporary file is
    // removed and the old file stays.
    let mut file = tempfile::NamedTempFile::new_in(folder_of(path)).with_context(cannot)?;
    let mut out = std::io::BufWriter::new(&mut file);
    let written = write(&mut out).map_err(|error| {
        // Other errors come from the content and have a remedy of their own.
        if error.is::<std::io::Error>() {
            error.context(cannot())
        } else {
            error
        }
    })?;
    out.flush().with_context(cannot)?;
    drop(out);
    // Before the rename: after a crash, the new name must not refer to an empty file.
    file.as_file().sync_all().with_context(cannot)?;
    make_readable(file.path()).with_context(cannot)?;
    file.persist(path)
        .map_err(|error| error.error)
        .with_context(cannot)?;
    Ok(written)
}

/// Makes a file readable for all: temporary files are private, results are not.
fn make_readable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644))
}

/// Prints to standard output, or writes a file if one is given that is not `-`.
pub fn write_text(output: Option<&Path>, text: &str) -> Result<()> {
    match output.filter(|path| !is_standard_output(path)) {
        Some(path) => write_bytes(path, text.as_bytes()),
        None => Ok(std::io::stdout().lock().write_all(text.as_bytes())?),
    }
}

/// Prints one line to standard output.
pub fn print_line(mut line: String) -> Result<()> {
    line.push('\n');
    write_text(None, &line)
}

/// A new folder in `parent` with the usual permissions of folders; removed when dropped.
pub fn fresh_folder(prefix: &str, parent: &Path) -> Result<tempfile::TempDir> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = tempfile::Builder::new();
    // The user's umask is subtracted. Temporary folders are private by default, and this one becomes part of a study.
    builder
        .prefix(prefix)
        .permissions(std::fs::Permissions::from_mode(0o777));
    builder.tempdir_in(parent).with_context(|| {
        format!(
            "{} cannot be written; check that it exists and has room",
            parent.display()
        )
    })
}

/// Writes the files of a generated program, each a name and a text, into a folder that is made if it does not exist. The first file
/// is the program; a folder with other files and without it is rejected.
pub fn write_program(folder: &Path, files: &[(String, String)]) -> Result<()> {
    let program = files.first().map_or("", |(name, _)| name);
    check_output_folder(folder, &[program])?;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{} cannot be made", folder.display()))?;
    for (name, text) in files {
        write_bytes(&folder.join(name), text.as_bytes())?;
    }
    Ok(())
}

/// Checks that a folder, if it exists, is empty or contains a file with one of the names `allowed`. The error names the first.
pub fn check_output_folder(path: &Path, allowed: &[&str]) -> Result<()> {
    check_folder_name(path)?;
    if !path.exists() {
        return Ok(());
    }
    if !path.is_dir() {
        bail!(
            "{} exists and is not a folder; give another name",
            path.display()
        );
    }
    // A mistyped -o must not overwrite files in a folder of the user's own.
    let is_empty = std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    let is_known = allowed.iter().any(|name| path.join(name).exists());
    if !is_empty && !is_known {
        let expected = allowed.first().unwrap_or(&"study");
        bail!(
            "{} contains other files and no {expected}; name another folder",
            path.display()
        );
    }
    Ok(())
}
