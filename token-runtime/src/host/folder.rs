//! The folder of a run: what ranks and host leave for each other. It goes with the run, and when the host
//! is killed a process that waits for that removes it; if that one was killed, too, the next run does.

use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

const PREFIX: &str = "mpiete-run-";
/// A folder that nobody has locked may belong to a host that is about to; not for that long.
const UNLOCKED: Duration = Duration::from_secs(60);

/// Waits until the other end of its input is gone, and removes what it is told. Ranks that are about to
/// end may still write into it.
const REMOVE: &str = r#"read -r _; rm -rf -- "$0" || { sleep 1; rm -rf -- "$0"; }"#;

pub(super) struct RunFolder {
    folder: TempDir,
    /// Removes the folder if the host cannot; none where there is no shell.
    remover: Option<Child>,
    /// Held as long as the host lives.
    _lock: File,
}

impl RunFolder {
    /// Makes one where temporary files are kept, and removes those that nobody needs any more.
    pub(super) fn create() -> io::Result<Self> {
        let place = std::env::temp_dir();
        // What cannot be removed now is in nobody's way.
        let _ = remove_left(&place, SystemTime::now());
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&place)?;
        let lock = File::open(folder.path())?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        crate::ending::reserve(folder.path())?;
        let remover = remover(folder.path()).ok();
        Ok(Self { folder, remover, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        // One that has ended by itself is as good.
        self.remover.iter_mut().for_each(|remover| _ = remover.kill().and_then(|()| remover.wait()));
    }
}

/// In a process group of its own, so that what the terminal sends does not end it.
fn remover(folder: &Path) -> io::Result<Child> {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", REMOVE]).arg(folder).env_clear().process_group(0);
    shell.current_dir("/").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}

fn remove_left(place: &Path, now: SystemTime) -> io::Result<()> {
    for entry in std::fs::read_dir(place)?.flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if is_ours && is_left(&entry.path(), now).unwrap_or(false) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

fn is_left(folder: &Path, now: SystemTime) -> io::Result<bool> {
    let opened = File::open(folder)?;
    let age = now.duration_since(opened.metadata()?.modified()?).unwrap_or_default();
    Ok(age > UNLOCKED && flock(&opened, FlockOperation::NonBlockingLockExclusive).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_holds_is_removed() {
        let place = TempDir::new().unwrap();
        let [held, left, other] =
            ["mpiete-run-held", "mpiete-run-left", "other"].map(|n| place.path().join(n));
        [&held, &left, &other].into_iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
        let lock = File::open(&held).unwrap();
        flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap();
        remove_left(place.path(), SystemTime::now()).unwrap();
        assert!(left.exists(), "it is new");
        remove_left(place.path(), SystemTime::now() + 2 * UNLOCKED).unwrap();
        assert_eq!([held, left, other].map(|folder| folder.exists()), [true, false, true]);
    }
}
