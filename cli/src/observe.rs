//! `mpiete observe`: observes a real run. Inside `mpirun` or `srun` it executes the program in its own place; outside, it starts
//! the launcher. [`crate::gather`] merges the parts of the ranks.

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

/// The loader's variable of libraries that are loaded before all others.
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

/// Variables that contain the rank's number.
const RANK_NUMBER_VARIABLES: [&str; 5] = [
    "PMI_RANK",
    "PMIX_RANK",
    "OMPI_COMM_WORLD_RANK",
    "SLURM_PROCID",
    "PALS_RANKID",
];

/// Observes a run, or merges the parts of one.
pub fn observe(arguments: &ObserveArgs) -> Result<()> {
    if let Some(folder) = &arguments.gather {
        return gather::gather(folder, arguments);
    }
    let output = target_file(&arguments.output)?;
    let command = command(arguments, &output)?;
    let is_rank = RANK_VARIABLES
        .iter()
        .any(|name| std::env::var_os(name).is_some());
    if !is_rank {
        write_placeholder(&output, &arguments.command)?;
        return start(command, &output);
    }
    if is_first() {
        // If the file cannot be written, the observer reports that once for all ranks.
        let _ = write_placeholder(&output, &arguments.command);
    }
    exec_program(command)
}

/// The output file: the target of a link, and never a device, which would be replaced by a file.
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

/// Whether this is rank 0, or the rank is unknown.
fn is_first() -> bool {
    let rank = RANK_NUMBER_VARIABLES
        .iter()
        .find_map(|name| std::env::var(name).ok());
    rank.is_none_or(|rank| rank == "0")
}

/// Replaces the observation of an earlier run by an incomplete one. If this run fails, the earlier result must not be mistaken
/// for its result.
fn write_placeholder(output: &Path, command: &[String]) -> Result<()> {
    let provenance = Provenance {
        program: command[0].clone(),
        arguments: command[1..].to_vec(),
        ..origin::now()
    };
    let missing = vec!["no rank has left MPI_Init".to_string()];
    files::write(output, &observed_run::unfinished(1, provenance, missing))
}

/// The command of the program or launcher, with the observer loaded before the MPI library.
fn command(arguments: &ObserveArgs, output: &Path) -> Result<Command> {
    let settings = Settings {
        output: output.to_path_buf(),
        tool: std::env::current_exe().context("the path of this executable is unknown")?,
        study: arguments
            .study
            .as_ref()
            .map(std::path::absolute)
            .transpose()?,
        // One date for all ranks, whose clocks may differ.
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

/// The observer, followed by the libraries that are preloaded already.
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

/// Replaces this process by the program, so that exit code, signals and standard input are the program's own.
fn exec_program(mut command: Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    Err(command.exec()).with_context(|| format!("'{program}' cannot be started; check its path"))
}

/// Starts the command, waits for its end, and fails if it wrote no complete observation.
fn start(mut command: Command, output: &Path) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let before = identity(output);
    // A signal from the terminal also reaches the ranks and ends them. This process continues, to report the result.
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
    if is_new {
        format!("; {} contains the incomplete observation", output.display())
    } else {
        String::new()
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
    // The first ancestor is the program itself.
    for folder in program.ancestors().skip(1) {
        if folder.join(crate::study::MARKER).is_file() {
            return Some(folder.to_path_buf());
        }
    }
    None
}
