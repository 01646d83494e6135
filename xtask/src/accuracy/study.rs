//! Studies and programs in a temporary folder, each made once.

use super::cases::{CaseFilter, Cases};
use super::comparison::{self, Times};
use super::rows::Case;
use crate::fixture;
use crate::process;
use crate::scratch::Scratch;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Flags of the compiler.
const FLAGS: &str = "-O2";

/// Where and how is measured.
pub(super) struct Measurements {
    pub(super) cases: Cases,
    pub(super) choice: CaseFilter,
    scratch: Scratch,
    compiler: String,
    launcher: String,
}

/// Options with which a study is prepared.
pub(super) struct Preparation {
    pub(super) kinds: &'static str,
    /// The whole program, not its timed section.
    pub(super) is_whole: bool,
    pub(super) counts_statements: bool,
    pub(super) compilation: Compilation,
}

/// How probes are compiled.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Compilation {
    /// As mpiete does without settings.
    Default,
    /// With the flags of the program.
    WithFlags,
    /// Also by the program's compiler, MPI's: its wrapper adds flags of its own.
    AsProgram,
}

impl Measurements {
    pub(super) fn new(cases: Cases) -> Result<Measurements> {
        let variable = |name, usual: &str| std::env::var(name).unwrap_or(usual.to_string());
        Ok(Measurements {
            cases,
            choice: CaseFilter::from_environment(),
            scratch: Scratch::new(crate::mpiete())?,
            // Debian's names: `mpif90` and `mpirun` may be those of another MPI library.
            compiler: variable("MPIFC", "mpif90.mpich"),
            launcher: variable("MPIRUN", "mpirun.mpich"),
        })
    }

    /// The temporary folder, in which all commands run.
    pub(super) fn folder(&self) -> &Path {
        self.scratch.path()
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.scratch.contains(name)
    }

    pub(super) fn run_mpiete(&self, words: &[&str]) -> Result<String> {
        self.scratch.run_mpiete(words)
    }

    /// `mpiete`, which compiles probes with the flags of the program.
    pub(super) fn run_mpiete_with_flags(&self, words: &[&str]) -> Result<String> {
        let mut command = self.scratch.command(self.scratch.mpiete_path());
        // `measure` compiles, too, and reads the flags from its own environment.
        process::output(command.args(words).env("FFLAGS", FLAGS))
    }

    /// Predicts a program from its sources, as a user does.
    pub(super) fn predict(&self, case: &Case, words: &[&str]) -> Result<()> {
        let mut predict = self.scratch.mpiete("predict");
        predict.args(sources(&case.program)?);
        predict.arg("-I").arg(class_folder(case)).args(words);
        predict.env("FC", &self.compiler).env("FFLAGS", FLAGS);
        process::output(&mut predict)?;
        Ok(())
    }

    /// A study, prepared if it does not exist.
    pub(super) fn study(&self, name: &str, case: &Case, how: &Preparation) -> Result<()> {
        if self.contains(name) {
            return Ok(());
        }
        let mut prepare = self.scratch.mpiete("prepare");
        if how.is_whole {
            prepare.arg("--whole");
        }
        prepare.args(sources(&case.program)?);
        prepare.arg("-I").arg(class_folder(case));
        prepare.args(["-o", name, "--kind", how.kinds]);
        if how.counts_statements {
            prepare.args(["--clock", "statements"]);
        }
        match how.compilation {
            Compilation::Default => {}
            Compilation::WithFlags => {
                prepare.env("FFLAGS", FLAGS);
            }
            Compilation::AsProgram => {
                prepare.env("FC", &self.compiler).env("FFLAGS", FLAGS);
            }
        }
        process::output(&mut prepare)?;
        // mpiete compiles its own probes; this one belongs to the MPI library under which it runs.
        if how.kinds.contains("observed") {
            process::output(&mut self.make_observed_probe(name, how))?;
        }
        Ok(())
    }

    /// `make` in a folder. The user's choice of rank counts is not that of the network probe, whose makefile has a variable RANKS,
    /// too; `make accuracy` hands variables on in MAKEFLAGS.
    fn make(&self, folder: &str) -> Command {
        let mut make = self.scratch.command("make");
        make.env_remove("RANKS").env_remove("MAKEFLAGS");
        make.args(["-s", "-C", folder]);
        make
    }

    fn make_observed_probe(&self, study: &str, how: &Preparation) -> Command {
        let mut make = self.make(study);
        make.arg("observed");
        make.arg(format!("MPIFC={}", self.compiler));
        if how.compilation != Compilation::Default {
            make.env("FFLAGS", FLAGS);
        }
        make
    }

    /// Measures this machine: communication data in the file `comm.mpiete`.
    pub(super) fn calibrate(&self) -> Result<()> {
        self.run_mpiete(&["calibrate", "--write-probe", "probe"])?;
        let mut make = self.make("probe");
        make.args(["run", "LINK=inside-node"]);
        make.arg(format!("MPIFC={}", self.compiler));
        make.arg(format!("MPIRUN={}", self.launcher));
        let samples = process::output(&mut make)?;
        std::fs::write(self.folder().join("samples"), samples)?;
        self.run_mpiete(&["calibrate", "samples", "-o", "comm.mpiete"])?;
        Ok(())
    }

    /// The program as its user compiles it, without probes: its path.
    pub(super) fn plain_program(&self, case: &Case) -> Result<String> {
        let binary = format!("{}-{}", case.program, case.problem_class);
        if !self.contains(&binary) {
            let mut compiler = self.scratch.command(&self.compiler);
            // With `-g` the observation names its call sites by line.
            compiler.args([FLAGS, "-g", "-I"]).arg(class_folder(case));
            compiler.arg("-I").arg(fixture(&case.program));
            compiler.args(["-o", &binary]);
            process::output(compiler.args(sources(&case.program)?))?;
        }
        // The whole path: launchers look for a bare name in PATH.
        Ok(self.folder().join(binary).display().to_string())
    }

    /// Observes a program under the MPI library of this machine.
    pub(super) fn observe(&self, ranks: u32, words: &[&str]) -> Result<()> {
        let mut launcher = self.scratch.command(&self.launcher);
        launcher.args(["-n", &ranks.to_string()]);
        launcher.arg(self.scratch.mpiete_path()).arg("observe");
        process::output(launcher.args(words))?;
        Ok(())
    }

    /// Observes a program under mpiete's MPI library.
    pub(super) fn observe_under_token_runtime(&self, ranks: u32, words: &[&str]) -> Result<()> {
        let mut run = self.scratch.mpiete("run");
        run.args(["-n", &ranks.to_string()]);
        run.arg(self.scratch.mpiete_path()).arg("observe");
        process::output(run.args(words))?;
        Ok(())
    }

    /// The version of MPICH, as the launcher prints it.
    pub(super) fn mpi_version(&self) -> Result<String> {
        let mut launcher = self.scratch.command(&self.launcher);
        let printed = process::output(launcher.arg("--version"))?;
        version_in(&printed).with_context(|| format!("no version in: {printed}"))
    }

    /// What `mpiete compare` prints of an estimate and an observation. The streams must be equal.
    pub(super) fn compare(&self, estimate: &str, observation: &str) -> Result<Times> {
        let words = ["compare", estimate, observation, "--format", "json"];
        let printed = self.run_mpiete(&words)?;
        comparison::read(&printed).with_context(|| format!("{estimate} and {observation}"))
    }
}

fn version_in(printed: &str) -> Option<String> {
    let (_, after) = printed.rsplit_once("Version:")?;
    after.split_whitespace().next().map(str::to_string)
}

/// The sources of a program, by name.
fn sources(program: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(fixture(program))? {
        let path = entry?.path();
        let is_source = path
            .extension()
            .is_some_and(|ending| ending == "f" || ending == "f90");
        if is_source {
            found.push(path);
        }
    }
    // The order of a folder's entries depends on the file system, and that of objects places procedures in the binary.
    found.sort();
    Ok(found)
}

fn class_folder(case: &Case) -> PathBuf {
    fixture(&case.program).join(format!("class-{}", case.problem_class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_stands_behind_its_name() {
        let printed =
            "HYDRA build details:\n    Version:                                 4.0.2\n    CC: gcc";
        assert_eq!(version_in(printed).as_deref(), Some("4.0.2"));
        assert_eq!(version_in("Open MPI"), None);
    }
}
