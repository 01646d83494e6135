//! Runs the user's own build with the wrappers in front of the compilers. The build writes only its own products; the log and
//! the wrappers are in a temporary folder.

use super::log::{BuildLogEntry, Log};
use super::toolkit::Toolkit;
use super::wrapper::{self, BUILD, LINKS, MPI_NAMES, SHOWN_FROM, TOOLKIT};
use super::{Language, Program, program};
use crate::failure::ProgramFailed;
use crate::interrupt;
use anyhow::{Context, Result, anyhow, bail};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;
use token_runtime::host::TemporaryFolder;

/// Interval at which the build's status is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Variables from which makefiles and CMake take their compilers.
const VARIABLES: [(&str, &str); 9] = [
    ("FC", "mpiete-fc"),
    ("F77", "mpiete-fc"),
    ("F90", "mpiete-fc"),
    ("MPIFC", "mpiete-fc"),
    ("MPIF77", "mpiete-fc"),
    ("MPIF90", "mpiete-fc"),
    ("CC", "mpiete-cc"),
    ("MPICC", "mpiete-cc"),
    ("MPICXX", "mpicxx"),
];

/// Runs `command` in a shell and returns the program that it made, whose calls of MPI are in Fortran.
///
/// # Errors
/// The build failed (its own output says why) or was interrupted; no program, or several.
pub fn run(command: &str, named: Option<&str>) -> Result<Program> {
    run_of(command, named, &[Language::Fortran])
}

/// The same, with calls of MPI in one of these languages.
///
/// # Errors
/// See [`run`].
pub fn run_of(command: &str, named: Option<&str>, languages: &[Language]) -> Result<Program> {
    let folder = TemporaryFolder::create("build-").context("nothing was built")?;
    let path = install_wrappers(&folder)?;
    let interrupted = interrupt::flag()?;
    // Polled rather than waited for: the build is in another process group, so Ctrl-C reaches mpiete
    // alone, which must end the build.
    let mut child = start(command, folder.path(), &path)?;
    let status = loop {
        if let Some(status) = child.try_wait().context("the build cannot be waited for")? {
            break status;
        }
        if interrupted.load(Ordering::Relaxed) {
            terminate(&mut child);
            return Err(
                ProgramFailed("the build was interrupted; nothing was written".into()).into(),
            );
        }
        std::thread::sleep(POLL_INTERVAL);
    };
    let log = Log::new(folder.path());
    check_status(command, status, &log)?;
    let program = program::select(&log, named, languages, Path::exists)?;
    if let Some(warning) = program.missing_source_warning() {
        report!("mpiete: {warning}");
    }
    Ok(program)
}

/// Links this program under the names of all wrappers and makes the toolkit. Returns the PATH of the build.
fn install_wrappers(folder: &TemporaryFolder) -> Result<OsString> {
    let this = std::env::current_exe().context("the path of this executable is unknown")?;
    let links = folder.path().join(LINKS);
    std::fs::create_dir(&links).with_context(|| format!("{} cannot be made", links.display()))?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    // A configuration script must not find a compiler that the machine does not have. MPI wrappers
    // are different: they exist through mpiete even where no MPI is installed.
    let mut names = plain_compilers(&path);
    names.extend(MPI_NAMES.map(|(name, _)| name.to_string()));
    for name in names {
        symlink(&this, links.join(name))?;
    }
    let compiler = wrapper::compiler(Language::Fortran);
    // A user's MPI wrapper in MPIETE_FC has headers and modules already.
    if !wrapper::is_mpi_wrapper(&compiler[0]) {
        install_toolkit(&folder.path().join(TOOLKIT), &compiler)?;
    }
    let others = std::env::split_paths(&path).collect::<Vec<_>>();
    // First in PATH, before the user's compilers and MPI wrappers.
    std::env::join_paths([links].into_iter().chain(others)).map_err(|_| {
        anyhow!(
            "nothing was built: the temporary folder {} must be a part of PATH, where a colon ends a name; set TMPDIR to a folder \
             without colons",
            folder.path().display()
        )
    })
}

/// The names of plain compilers in the folders of `path`.
fn plain_compilers(path: &OsString) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for folder in std::env::split_paths(path) {
        // A folder of PATH that cannot be read contains no compiler that a build could call.
        let Ok(entries) = std::fs::read_dir(folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if wrapper::plain_language(&name).is_some() && wrapper::find(&name, path).is_absolute()
            {
                names.insert(name);
            }
        }
    }
    names
}

/// Puts the toolkit at `place`. The programs of the build contain its path and outlive the build, so it is that of the user's cache;
/// only where there is no such folder it is made for the build alone.
fn install_toolkit(place: &Path, compiler: &[String]) -> Result<()> {
    match Toolkit::cached(compiler) {
        Ok(toolkit) => symlink(toolkit.folder(), place)
            .with_context(|| format!("{} cannot be made", place.display())),
        Err(_) => Toolkit::make(place, compiler).map(|_| ()),
    }
}

fn start(command: &str, folder: &Path, path: &OsString) -> Result<Child> {
    let here = std::env::current_dir().context("the current folder is unknown")?;
    let mut shell = Command::new("sh");
    shell
        .args(["-c", command])
        .env("PATH", path)
        .env(BUILD, folder)
        .env(SHOWN_FROM, here);
    shell.envs(VARIABLES.map(|(variable, name)| (variable, folder.join(LINKS).join(name))));
    // Output of the build is no data, so it goes to standard error: the standard output of mpiete may be a pipe.
    let messages = std::io::stderr();
    let messages = std::os::fd::AsFd::as_fd(&messages).try_clone_to_owned()?;
    // A process group of its own, so that an interrupt ends make together with the compilers that it started.
    shell.stdin(Stdio::null()).stdout(messages).process_group(0);
    shell.spawn().context("'sh' cannot be started")
}

/// Ends a build with all that it has started.
fn terminate(child: &mut Child) {
    let group = format!("-{}", child.id());
    // If the group has already ended, there is nothing to signal and `kill` fails.
    let _ = Command::new("kill")
        .args(["-TERM", "--", &group])
        .stderr(Stdio::null())
        .status();
    let _ = child.wait();
}

fn check_status(command: &str, status: ExitStatus, log: &Log) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    let how = status.code().map_or_else(
        || "was killed".into(),
        |code| format!("ended with exit code {code}"),
    );
    // The shell's code for a command that was not found. The user's setting is wrong then, not the
    // program: exit code 2 instead of that of a failed program.
    if status.code() == Some(127) {
        bail!(
            "the build `{command}` {how}: a command, or a library that a command needs, was not \
            found; its output is above"
        );
    }
    let mut message = format!("the build `{command}` {how}; its output is above");
    for entry in log.read()? {
        if let BuildLogEntry::Failed(failed) = entry
            && let Some(note) = wrapper::substitution_note(&failed)
        {
            message.push_str(&format!("; {note}"));
            break;
        }
    }
    Err(ProgramFailed(message).into())
}
