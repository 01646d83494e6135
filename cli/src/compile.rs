//! Compiling probes with the user's compiler and flags (FC, FFLAGS), and the makefile that does
//! the same on another machine.

use crate::study::{Probe, Study};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiler if FC is not set.
const DEFAULT_COMPILER: &str = "gfortran";
/// Flags if FFLAGS is not set.
const DEFAULT_FLAGS: &str = "-O2";
/// Name of the compiled probe in its folder.
const BINARY: &str = "probe";
/// What gfortran must not say of a probe: a loop may have been given another label.
const PROBE_FLAGS: &str = "-Wno-unused-label";
/// What it must not say of a slice: it holds less than the original, by intent.
const SLICE_FLAGS: [&str; 4] =
    ["-Wno-unused", "-Wno-unused-dummy-argument", "-Wno-return-type", "-Wno-maybe-uninitialized"];
/// Remembers what a probe was compiled with.
const STAMP: &str = "compiled-with";

/// The compiler in use.
#[derive(Clone, Debug)]
pub struct Compiler {
    command: Vec<String>,
    flags: Vec<String>,
    /// First line of what it says of itself.
    pub version: String,
}

impl Compiler {
    /// The compiler that FC and FFLAGS name; an error if it cannot be started.
    pub fn find() -> Result<Self> {
        let words = |name: &str, default: &str| -> Vec<String> {
            let text = std::env::var(name).ok().filter(|text| !text.trim().is_empty() || name == "FFLAGS");
            text.unwrap_or_else(|| default.into()).split_whitespace().map(String::from).collect()
        };
        let command = words("FC", DEFAULT_COMPILER);
        let shown = command.join(" ");
        let answer = Command::new(&command[0]).args(&command[1..]).arg("--version").output();
        let answer = answer
            .with_context(|| format!("no compiler: '{shown}' cannot be started; install gfortran or set FC to your Fortran compiler"))?;
        let version = String::from_utf8_lossy(&answer.stdout).lines().next().unwrap_or(&shown).to_string();
        Ok(Self { command, flags: words("FFLAGS", DEFAULT_FLAGS), version })
    }

    /// The flags, for provenance.
    pub fn flags(&self) -> String {
        self.flags.join(" ")
    }

    /// The flags for a probe.
    fn flags_for(&self, probe: Probe) -> Vec<String> {
        let quiet = if self.version.starts_with("GNU Fortran") { quiet_flags(probe) } else { Vec::new() };
        self.flags.iter().cloned().chain(quiet.into_iter().map(String::from)).collect()
    }

    fn stamp(&self) -> String {
        format!("{}\n{}\n{}\n", self.command.join(" "), self.version, self.flags())
    }

    fn run(&self, folder: &Path, arguments: &[String]) -> Result<()> {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).args(arguments).current_dir(folder);
        let output =
            command.output().with_context(|| format!("'{}' cannot be started", self.command.join(" ")))?;
        if !output.status.success() {
            let messages = String::from_utf8_lossy(&output.stderr);
            bail!(
                "the probe does not compile: `{} {}` in {} says\n{}\ncheck that the original compiles with FC and FFLAGS as they are set",
                self.command.join(" "),
                arguments.join(" "),
                folder.display(),
                messages.trim_end()
            );
        }
        Ok(())
    }
}

/// gfortran's flags that keep it from warning of what a probe is by intent.
fn quiet_flags(probe: Probe) -> Vec<&'static str> {
    match probe {
        Probe::Program => std::iter::once(PROBE_FLAGS).chain(SLICE_FLAGS).collect(),
        Probe::Compute | Probe::Reference => vec![PROBE_FLAGS],
    }
}

/// The compiled probe; compiled now if it is missing or was compiled otherwise.
pub fn binary(study_folder: &Path, study: &Study, probe: Probe, compiler: &Compiler) -> Result<PathBuf> {
    let folder = study_folder.join(probe.folder());
    let (binary, stamp) = (folder.join(BINARY), folder.join(STAMP));
    let is_current =
        binary.is_file() && std::fs::read_to_string(&stamp).is_ok_and(|text| text == compiler.stamp());
    if !is_current {
        let links = study_folder.join("lib");
        token_runtime::host::library_folder(&links, &crate::library::path()?)
            .with_context(|| format!("{} cannot be made", links.display()))?;
        for arguments in steps(study, &compiler.flags_for(probe)) {
            compiler.run(&folder, &arguments)?;
        }
        crate::files::write_bytes(&stamp, compiler.stamp().as_bytes())?;
    }
    Ok(std::path::absolute(binary)?)
}

/// The compiler's arguments, step by step, in a probe's folder.
fn steps(study: &Study, flags: &[String]) -> Vec<Vec<String>> {
    let words = |text: &[&str]| text.iter().map(|word| word.to_string()).collect::<Vec<_>>();
    let mut steps = Vec::new();
    let mut objects = Vec::new();
    if study.uses_module {
        steps.push(words(&["-c", "../include/mpi.f90", "-o", "mpi-module.o"]));
        objects.push("mpi-module.o".to_string());
    }
    for (index, file) in study.files.iter().enumerate() {
        let object = format!("{index}.o");
        let paths = words(&["-I.", "-I../include", "-I../included", "-c", file, "-o", &object]);
        steps.push([flags.to_vec(), paths].concat());
        objects.push(object);
    }
    steps.push([flags.to_vec(), words(&["-o", BINARY]), objects, words(&["-L../lib", "-lmpi"])].concat());
    steps
}

/// The makefile of a study: `make program`, `make compute`.
pub fn makefile(study: &Study) -> String {
    let mut text = String::from(
        "# Compiles the probes of this study. FC and FFLAGS as for the program itself; MPI_LIB is the folder\n\
         # with the links to mpiete's MPI library that `mpiete record` and `mpiete measure` make here.\n\
         FC ?= gfortran\nFFLAGS ?= -O2\nMPI_LIB ?= lib\n\
         # What gfortran must not say of probes and of slices, which hold less than the original by intent.\n\
         PROBE_FLAGS ?= PROBEFLAGS\nSLICE_FLAGS ?= SLICEFLAGS\n\nifeq ($(FC),f77)\nFC = gfortran\nendif\n\n\
         all: program compute\n.PHONY: all",
    );
    text =
        text.replace("PROBEFLAGS", PROBE_FLAGS).replace("SLICEFLAGS", &quiet_flags(Probe::Program).join(" "));
    Probe::ALL.iter().for_each(|probe| text += &format!(" {}", probe.folder()));
    text.push('\n');
    for probe in Probe::ALL {
        text += &format!("\n{}:\n", probe.folder());
        let flags = match probe {
            Probe::Program => "$(FFLAGS) $(SLICE_FLAGS)",
            Probe::Compute | Probe::Reference => "$(FFLAGS) $(PROBE_FLAGS)",
        };
        for step in steps(study, &[flags.into()]) {
            let quoted: Vec<String> = step.iter().map(|word| quoted(word)).collect();
            let line = quoted.join(" ").replace("-L../lib", "-L$(abspath $(MPI_LIB))");
            text += &format!("\tcd $@ && $(FC) {line}\n");
        }
    }
    text
}

/// A word as a shell in a makefile takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "$()-_./=+,@".contains(c);
    match word.starts_with("$(") || word.chars().all(is_plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''").replace('$', "$$")),
    }
}
