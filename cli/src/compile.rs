//! Compiling probes with the user's compiler and flags (FC, FFLAGS) against mpiete's own MPI. The
//! makefile that does the same on another machine is in [`crate::makefile`].

use crate::study::{Probe, Study};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiler if FC is not set.
const DEFAULT_COMPILER: &str = "gfortran";
/// Flags if FFLAGS is not set.
const DEFAULT_FLAGS: &str = "-O2";
/// Name of the compiled probe in its folder.
pub const BINARY: &str = "probe";
/// What gfortran must not say of a probe: a loop may have been given another label.
pub const PROBE_FLAGS: &str = "-Wno-unused-label";
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
pub fn quiet_flags(probe: Probe) -> Vec<&'static str> {
    match probe {
        Probe::Program => std::iter::once(PROBE_FLAGS).chain(SLICE_FLAGS).collect(),
        Probe::Compute | Probe::Reference | Probe::Observed => vec![PROBE_FLAGS],
    }
}

/// The folder that a compiler runs in, and what it sees from there.
pub struct Here {
    /// The folder, below the probe's.
    folder: &'static str,
    /// Prefix of the probe's sources.
    sources: &'static str,
    /// The study.
    study: &'static str,
    /// Whether the headers are those of mpiete's MPI, or the compiler brings its own.
    own_headers: bool,
}

impl Here {
    /// In the probe's own folder, for mpiete's MPI.
    pub const PROBE: Here = Here { folder: "", sources: "", study: "../", own_headers: true };
    /// The same for another MPI.
    pub const FOREIGN: Here = Here { own_headers: false, ..Here::PROBE };
    /// The observed probe, whose folder is another MPI's, for mpiete's MPI.
    const BELOW: Here = Here { folder: "mpiete", sources: "../", study: "../../", own_headers: true };

    fn of(probe: Probe) -> Self {
        match probe {
            Probe::Program | Probe::Compute | Probe::Reference => Here::PROBE,
            Probe::Observed => Here::BELOW,
        }
    }
}

/// The probe compiled for mpiete's MPI; compiled now if it is missing or was compiled otherwise.
pub fn binary(study_folder: &Path, study: &Study, probe: Probe, compiler: &Compiler) -> Result<PathBuf> {
    refuse_missing(study_folder, study, probe)?;
    let here = Here::of(probe);
    let folder = study_folder.join(probe.folder()).join(here.folder);
    let (binary, stamp) = (folder.join(BINARY), folder.join(STAMP));
    let is_current =
        binary.is_file() && std::fs::read_to_string(&stamp).is_ok_and(|text| text == compiler.stamp());
    if !is_current {
        let links = study_folder.join("lib");
        token_runtime::host::library_folder(&links, &crate::library::path()?)
            .with_context(|| format!("{} cannot be made", links.display()))?;
        std::fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        for arguments in steps(study, &here, &compiler.flags_for(probe)) {
            compiler.run(&folder, &arguments)?;
        }
        crate::files::write_bytes(&stamp, compiler.stamp().as_bytes())?;
    }
    Ok(std::path::absolute(binary)?)
}

fn refuse_missing(folder: &Path, study: &Study, probe: Probe) -> Result<()> {
    if !study.probes.contains(&probe) {
        let name = probe.folder();
        bail!(
            "{} holds no {name} probe; make the study again with `mpiete prepare` and {name} among its --kind",
            folder.display()
        );
    }
    Ok(())
}

/// The compiler's arguments, step by step.
fn steps(study: &Study, here: &Here, flags: &[String]) -> Vec<Vec<String>> {
    let (mut steps, objects) = sources_to_objects(study, here, flags);
    let library = [format!("-L{}lib", here.study), "-lmpi".into()];
    steps.push([flags.to_vec(), words(&["-o", BINARY]), objects, library.to_vec()].concat());
    steps
}

/// The steps up to linking, and the objects they make.
pub fn sources_to_objects(study: &Study, here: &Here, flags: &[String]) -> (Vec<Vec<String>>, Vec<String>) {
    let mut steps = Vec::new();
    let mut objects = Vec::new();
    if study.uses_module && here.own_headers {
        steps.push(words(&["-c", &format!("{}include/mpi.f90", here.study), "-o", "mpi-module.o"]));
        objects.push("mpi-module.o".to_string());
    }
    let mut include = vec!["-I.".to_string()];
    include.extend(here.own_headers.then(|| format!("-I{}include", here.study)));
    for (index, file) in study.files.iter().enumerate() {
        let object = format!("{index}.o");
        let compile = words(&["-c", &format!("{}{file}", here.sources), "-o", &object]);
        steps.push([flags.to_vec(), include.clone(), compile].concat());
        objects.push(object);
    }
    (steps, objects)
}

fn words(text: &[&str]) -> Vec<String> {
    text.iter().map(|word| word.to_string()).collect()
}
