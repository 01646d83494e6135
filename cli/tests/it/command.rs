//! Running `mpiete` in tests: always in a fresh folder, with no standard input.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("cli lies in the root")
        .to_path_buf()
}

/// What a command left.
pub struct CommandOutput {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// Runs `mpiete` with `arguments` in `folder`.
pub fn mpiete<S: AsRef<std::ffi::OsStr>>(folder: &Path, arguments: &[S]) -> CommandOutput {
    answer(
        Command::new(env!("CARGO_BIN_EXE_mpiete"))
            .args(arguments)
            .current_dir(folder),
    )
}

/// Runs any command with no standard input.
pub fn answer(command: &mut Command) -> CommandOutput {
    let Output {
        status,
        stdout,
        stderr,
    } = command
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    CommandOutput {
        code: status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&stdout).into_owned(),
        err: String::from_utf8_lossy(&stderr).into_owned(),
    }
}

/// Runs `mpiete` and expects it to succeed; gives what it printed.
pub fn done<S: AsRef<std::ffi::OsStr> + std::fmt::Debug>(folder: &Path, arguments: &[S]) -> String {
    let answer = mpiete(folder, arguments);
    assert_eq!(
        answer.code, 0,
        "mpiete {arguments:?}\n{}\n{}",
        answer.out, answer.err
    );
    answer.out
}

/// Runs `mpiete` in `folder` under the name of a compiler wrapper.
pub fn wrapper(folder: &Path, name: &str, words: &[&str]) -> CommandOutput {
    let link = folder.join(name);
    if !link.exists() {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_mpiete"), &link).unwrap();
    }
    let mut command = Command::new(link);
    command
        .args(words)
        .current_dir(folder)
        .env("XDG_CACHE_HOME", folder.join("cache"));
    // The tests' program lies beside its library.
    command.env(
        "MPIETE_LIB",
        Path::new(env!("CARGO_BIN_EXE_mpiete")).parent().unwrap(),
    );
    answer(&mut command)
}
