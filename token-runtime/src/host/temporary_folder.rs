//! Temporary folders: that of a run, through which ranks and host exchange files, and all others of this process. Only their
//! owner may read them. Dropping a folder removes it. If the host is killed, a process that waits for this removes its
//! folders; if that process was killed, too, the next run does.

use rustix::fs::{FlockOperation, flock};
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// What the names of all begin with that lie where temporary files are kept.
const PREFIX: &str = "mpiete-";
/// The environment variable that names that place.
const VARIABLE: &str = "TMPDIR";
const RUN_PREFIX: &str = "run-";
/// Age from which an unlocked folder is stale: a younger one may belong to a host that has made it and is about to lock it.
const UNLOCKED: Duration = Duration::from_secs(60);

/// Waits until the other end of its input is gone, and removes the folder in its argument. Ranks that are about to
/// end may still write into it.
const REMOVE: &str = r#"read -r _; rm -rf -- "$0" || { sleep 1; rm -rf -- "$0"; }"#;

/// A folder that only this user may look into, and that does not outlive this process.
#[derive(Debug)]
pub struct TemporaryFolder {
    folder: TempDir,
    /// Removes the folder if this process cannot; none where there is no shell.
    remover: Option<Child>,
    /// Held as long as this process lives.
    _lock: File,
}

impl TemporaryFolder {
    /// Makes one where temporary files are kept, with this word in its name, and removes stale ones.
    ///
    /// # Errors
    /// The system's, with the place and the remedy.
    pub fn create(word: &str) -> io::Result<Self> {
        let place = std::env::temp_dir();
        // A folder that cannot be removed now does no harm.
        let _ = remove_abandoned(&place, SystemTime::now());
        Self::create_in(&place, &format!("{PREFIX}{word}")).map_err(|error| {
            let sentence = format!(
                "temporary files cannot be written to {} ({}): {error}; set {VARIABLE} to a folder that exists, has room and can \
                 be written",
                place.display(),
                match std::env::var_os(VARIABLE) {
                    Some(_) => format!("the value of {VARIABLE}"),
                    None => format!("{VARIABLE} is not set"),
                }
            );
            io::Error::new(error.kind(), sentence)
        })
    }

    /// The same in a folder, with a name that begins so.
    ///
    /// # Errors
    /// The system's.
    pub fn create_in(place: &Path, beginning: &str) -> io::Result<Self> {
        let only_own = Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new()
            .prefix(beginning)
            .permissions(only_own)
            .tempdir_in(place)?;
        let lock = File::open(folder.path())?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        let remover = remover(folder.path()).ok();
        Ok(Self {
            folder,
            remover,
            _lock: lock,
        })
    }

    /// That of a run.
    pub(super) fn of_run() -> io::Result<Self> {
        let folder = Self::create(RUN_PREFIX)?;
        crate::termination::reserve(folder.path())?;
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // One that has ended by itself is as good.
        self.remover
            .iter_mut()
            .for_each(|remover| _ = remover.kill().and_then(|()| remover.wait()));
    }
}

/// In a process group of its own, so that what the terminal sends does not end it.
fn remover(folder: &Path) -> io::Result<Child> {
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", REMOVE])
        .arg(folder)
        .env_clear()
        .process_group(0);
    shell
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

fn remove_abandoned(place: &Path, now: SystemTime) -> io::Result<()> {
    for entry in std::fs::read_dir(place)?.flatten() {
        let is_ours = entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.starts_with(PREFIX));
        if is_ours && is_abandoned(&entry.path(), now).unwrap_or(false) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

fn is_abandoned(folder: &Path, now: SystemTime) -> io::Result<bool> {
    let opened = File::open(folder)?;
    let age = now
        .duration_since(opened.metadata()?.modified()?)
        .unwrap_or_default();
    Ok(age > UNLOCKED && flock(&opened, FlockOperation::NonBlockingLockExclusive).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unlocked_folders_are_removed() {
        let place = TempDir::new().unwrap();
        let [held, left, other] =
            ["mpiete-run-held", "mpiete-run-left", "other"].map(|n| place.path().join(n));
        [&held, &left, &other]
            .into_iter()
            .for_each(|folder| std::fs::create_dir(folder).unwrap());
        let lock = File::open(&held).unwrap();
        flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap();
        remove_abandoned(place.path(), SystemTime::now()).unwrap();
        assert!(left.exists(), "it is new");
        remove_abandoned(place.path(), SystemTime::now() + 2 * UNLOCKED).unwrap();
        assert_eq!(
            [held, left, other].map(|folder| folder.exists()),
            [true, false, true]
        );
    }

    #[test]
    fn folder_is_private_to_its_owner() {
        let place = TempDir::new().unwrap();
        let folder = TemporaryFolder::create_in(place.path(), "x").unwrap();
        assert_eq!(
            std::fs::metadata(folder.path())
                .unwrap()
                .permissions()
                .mode()
                & 0o777,
            0o700
        );
        let path = folder.path().to_path_buf();
        drop(folder);
        assert!(!path.exists());
    }
}
