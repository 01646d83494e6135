//! Locks for commands that use a study at the same time, as in a job array: commands that read it share a lock, a command that
//! writes it has an exclusive lock, and one command at a time compiles probes.
//!
//! Locks prevent duplicate and wasted work. Files are complete even without them (some network file systems have no locks):
//! every file is written under a temporary name and renamed.

use crate::failure::ProgramFailed;
use crate::{interrupt, study};
use anyhow::Result;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;
use token_runtime::host::RunError;

/// Held by commands that use a study (shared) or write it (exclusive).
pub const USE: &str = ".lock";
/// Held by the command that compiles a probe.
const BUILD: &str = ".build-lock";
/// Pause between attempts to lock. A blocking call would not return on a signal, since handlers only set a flag.
const PAUSE: Duration = Duration::from_millis(50);
/// Attempts after which a command reports that it waits: two seconds.
const SILENT_TRIES: u32 = 40;

/// A lock on a study, until it is dropped or the process ends.
pub struct StudyLock {
    /// `None` where the file system has no locks or the study is read-only.
    file: Option<File>,
}

impl StudyLock {
    /// For a command that uses a study.
    pub fn shared(folder: &Path) -> Result<Self> {
        // A mistyped folder must not receive a lock file.
        let is_study = folder.join(study::MARKER).is_file();
        Self::wait(folder, USE, is_study, File::try_lock_shared)
    }

    /// For a command that writes a study.
    pub fn exclusive(folder: &Path) -> Result<Self> {
        Self::wait(folder, USE, true, File::try_lock)
    }

    /// For a command that compiles a probe.
    pub fn building(folder: &Path) -> Result<Self> {
        Self::wait(folder, BUILD, true, File::try_lock)
    }

    /// Whether the lock was obtained, so that no other command has it.
    pub fn is_held(&self) -> bool {
        self.file.is_some()
    }

    fn wait(
        folder: &Path,
        name: &str,
        create: bool,
        lock: fn(&File) -> Result<(), TryLockError>,
    ) -> Result<Self> {
        let path = folder.join(name);
        // NFS grants exclusive locks only on files that are open for writing.
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .create(create)
            .truncate(false)
            .open(path);
        let Ok(file) = opened else {
            return Ok(Self { file: None });
        };
        for tries in 0u32.. {
            match lock(&file) {
                Ok(()) => return Ok(Self { file: Some(file) }),
                Err(TryLockError::Error(error))
                    if error.kind() != std::io::ErrorKind::Interrupted =>
                {
                    return Ok(Self { file: None });
                }
                Err(TryLockError::Error(_)) => {}
                Err(TryLockError::WouldBlock) => {
                    if tries == SILENT_TRIES {
                        report_once!(
                            "mpiete: waiting for another command that is busy in {}; to avoid \
                            waiting, give this command a study of its own (-o)",
                            folder.display()
                        );
                    }
                    std::thread::sleep(PAUSE);
                }
            }
            if interrupt::is_interrupted() {
                return Err(ProgramFailed(RunError::Interrupted.to_string()).into());
            }
        }
        Ok(Self { file: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_free(folder: &Path, lock: fn(&File) -> Result<(), TryLockError>) -> bool {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(folder.join(USE))
            .unwrap();
        lock(&file).is_ok()
    }

    #[test]
    fn readers_share_a_study_and_a_writer_excludes_them() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(study::MARKER), "").unwrap();
        let shared = StudyLock::shared(folder.path()).unwrap();
        assert!(shared.is_held());
        assert!(is_free(folder.path(), File::try_lock_shared));
        assert!(!is_free(folder.path(), File::try_lock));
        drop(shared);
        let exclusive = StudyLock::exclusive(folder.path()).unwrap();
        assert!(!is_free(folder.path(), File::try_lock_shared));
        drop(exclusive);
        assert!(is_free(folder.path(), File::try_lock));
    }

    #[test]
    fn folder_without_study_is_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let lock = StudyLock::shared(folder.path()).unwrap();
        assert!(!lock.is_held());
        assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
    }

    #[test]
    fn folder_without_lock_is_used_unlocked() {
        let lock = StudyLock::shared(Path::new("/nowhere/at/all")).unwrap();
        assert!(!lock.is_held());
    }
}
