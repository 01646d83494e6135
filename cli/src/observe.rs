//! `mpiete observe`: a real run under observation. Inside `mpirun` or `srun` it becomes the program
//! itself; outside it starts the command that starts the program. The parts of the ranks are put
//! together in [`crate::gather`].

use crate::args::ObserveArgs;
use crate::failure::ProgramFailed;
use crate::{files, gather, interrupt, library, origin};
use anyhow::{Context, Result, bail};
use base_data::observation::Observation;
use base_data::provenance::Provenance;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use token_runtime::observed_run::{self, Settings};

/// Where the loader looks for libraries to load before all others.
const PRELOAD: &str = "LD_PRELOAD";

/// Variables that launchers set for each rank: those of the process managers, of Open MPI, of Slurm's
/// steps, of PALS, and of the token runtime.
const RANK_VARIABLES: [&str; 7] = [
    "PMI_RANK",
    "PMI_ID",
    "PMIX_RANK",
    "OMPI_COMM_WORLD_RANK",
    "SLURM_STEP_ID",
    "PALS_RANKID",
    token_runtime::environment::SEGMENT,
];

/// Those of them that hold the rank's number, and Slurm's.
const RANK_NUMBER_VARIABLES: [&str; 5] = [
    "PMI_RANK",
    "PMIX_RANK",
    "OMPI_COMM_WORLD_RANK",
    "SLURM_PROCID",
    "PALS_RANKID",
];

/// Observes, or puts together what was observed.
pub fn observe(arguments: &ObserveArgs) -> Result<()> {
    if let Some(folder) = &arguments.gather {
        return gather::gather(folder, arguments);
    }
    let output = target_file(&arguments.output)?;
    let command = command(arguments, &output)?;
    match RANK_VARIABLES
        .iter()
        .any(|name| std::env::var_os(name).is_some())
    {
        true => {
            if is_first() {
                // What forbids it is said by the observer, once for all ranks.
                let _ = write_placeholder(&output, &arguments.command);
            }
            exec_program(command)
        }
        false => {
            write_placeholder(&output, &arguments.command)?;
            start(command, &output)
        }
    }
}

/// The file that will be written: where a link leads to; never a device, which would be replaced.
fn target_file(output: &Path) -> Result<PathBuf> {
    files::check_file_name(output)?;
    match std::fs::metadata(output) {
        Ok(data) if data.is_file() => Ok(std::fs::canonicalize(output)?),
        Ok(_) => bail!(
            "{} is not a regular file; give another name with -o",
            output.display()
        ),
        Err(_) => Ok(std::path::absolute(output)?),
    }
}

/// Whether this is the first rank, or a launcher that does not say.
fn is_first() -> bool {
    let rank = RANK_NUMBER_VARIABLES
        .iter()
        .find_map(|name| std::env::var(name).ok());
    rank.is_none_or(|rank| rank == "0")
}

/// Puts an observation that says that there is none in place of an earlier run's: whatever becomes
/// of this run, nobody takes that one for it.
fn write_placeholder(output: &Path, command: &[String]) -> Result<()> {
    let provenance = Provenance {
        program: command[0].clone(),
        arguments: command[1..].to_vec(),
        ..origin::now()
    };
    let missing = vec!["no rank has left MPI_Init".to_string()];
    files::write(output, &observed_run::unfinished(1, provenance, missing))
}

/// The program, or what starts it, with the observer before its MPI library.
fn command(arguments: &ObserveArgs, output: &Path) -> Result<Command> {
    let settings = Settings {
        output: output.to_path_buf(),
        tool: std::env::current_exe().context("the path of this executable is unknown")?,
        study: arguments
            .study
            .as_ref()
            .map(std::path::absolute)
            .transpose()?,
        date: origin::now().date,
        one_at_a_time: arguments.one_at_a_time,
    };
    let mut command = Command::new(&arguments.command[0]);
    command
        .args(&arguments.command[1..])
        .envs(settings.variables())
        .env(PRELOAD, preload()?);
    Ok(command)
}

/// The observer, and behind it what is preloaded already.
fn preload() -> Result<String> {
    let observer = library::observer()?.to_string_lossy().into_owned();
    if observer.contains([' ', ':']) {
        bail!(
            "the loader cannot preload {observer}, since its path contains a blank or a colon; move \
            mpiete, or set MPIETE_LIB to another folder that contains it"
        );
    }
    let others = std::env::var(PRELOAD).unwrap_or_default();
    let others = others
        .split([' ', ':'])
        .filter(|other| !other.is_empty() && *other != observer);
    Ok(std::iter::once(observer.as_str())
        .chain(others)
        .collect::<Vec<_>>()
        .join(":"))
}

/// Exit codes, signals, standard input: all are the program's own from here on.
fn exec_program(mut command: Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    Err(command.exec()).with_context(|| format!("'{program}' cannot be started; check its path"))
}

/// Starts the command, waits for its end, and fails if it wrote no complete observation.
fn start(mut command: Command, output: &Path) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let before = identity(output);
    // A signal from the terminal ends the ranks; this program outlives them and says what became of them.
    interrupt::flag()?;
    let status = command
        .status()
        .with_context(|| format!("'{program}' cannot be started; check its path"))?;
    let is_new = identity(output).is_some_and(|now| Some(now) != before);
    if !status.success() {
        return Err(ProgramFailed(format!(
            "'{program}' failed: {status}{}",
            result_note(is_new, output)
        ))
        .into());
    }
    if !is_new {
        bail!(
            "nothing was observed: no program that '{program}' started has called MPI_Init, or it is linked with its MPI statically"
        );
    }
    let observation: Observation = files::read(output)?;
    match observation.missing.as_slice() {
        [] => Ok(()),
        missing => bail!("{} is incomplete: {}", output.display(), missing.join("; ")),
    }
}

fn result_note(is_new: bool, output: &Path) -> String {
    match is_new {
        true => format!("; {} contains the incomplete observation", output.display()),
        false => String::new(),
    }
}

/// Identity of a file. Observations are replaced and never rewritten, so a new one has another identity.
fn identity(path: &Path) -> Option<(u64, i64, i64)> {
    let data = std::fs::metadata(path).ok()?;
    Some((data.ino(), data.mtime(), data.mtime_nsec()))
}

/// The folder of the study that a program was compiled in: its own or one above.
pub fn study_of(program: &str) -> Option<PathBuf> {
    let program = crate::record::find_program(program).ok()?;
    let holds_a_study = |folder: &&Path| folder.join(crate::study::MARKER).is_file();
    program
        .ancestors()
        .skip(1)
        .find(holds_a_study)
        .map(Path::to_path_buf)
}
