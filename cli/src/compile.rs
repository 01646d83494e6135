//! Compiling probes with the user's compiler and flags (FC, FFLAGS) against mpiete's own MPI. The
//! makefile that does the same on another machine is in [`crate::makefile`].

mod compiler_flags;
mod placement;

pub use compiler_flags::{
    ARGUMENT_MISMATCH_FLAGS, OPENMP, PROBE_FLAGS, enables_openmp, link_flags, quiet_flags,
};
pub use placement::{FunctionPlacement, Placement};

use crate::build::Language;
use crate::build::preprocessor_flags::without_preprocessor;
use crate::study::{self, Probe, Study, StudyFile};
use crate::study_lock::StudyLock;
use crate::{compiler_process, failure, files};
use anyhow::{Context, Result, bail};
use base_data::ids::Digest;
use compiler_flags::{gnu_version, is_strict_about_arguments, traps_arithmetic};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiler if FC is not set, now or when the study was prepared.
pub const DEFAULT_COMPILER: &str = "gfortran";
/// Wrapper of an MPI library if MPIFC is not set.
const DEFAULT_WRAPPER: &str = "mpif90";
/// Flags if FFLAGS is not set.
const DEFAULT_FLAGS: &str = "-O2";
/// Name of the compiled probe in its folder.
pub const BINARY: &str = "probe";
/// The last of [`PROBE_FLAGS`].
const NO_POINTER: &str = "-fcheck=no-pointer";
/// File beside a probe that records the compiler and its flags.
const STAMP: &str = "compiled-with";
/// Prefix of the folders in which probes are being compiled.
const UNFINISHED: &str = ".build-";

/// The compiler in use.
#[derive(Clone, Debug)]
pub struct Compiler {
    command: Vec<String>,
    flags: Vec<String>,
    /// The flags that a build was seen to use, file by file; empty where none was watched.
    recorded: Vec<String>,
    /// Flags of mpiete's own for the compute probe, and for the program that it is compared with.
    own: Vec<String>,
    /// Where functions and loops of the compute probe begin.
    placement: Placement,
    /// First line of its `--version`.
    pub version: String,
}

impl Compiler {
    /// The compiler that FC names, with the flags of the study's build and those of FFLAGS. Unset variables have the values
    /// that they had when the study was prepared. An error if the compiler cannot be started.
    pub fn find(study: &Study) -> Result<Self> {
        // The study remembers FC: a job script on a compute node need not set the variables again.
        let default = if study.compiler.is_empty() {
            DEFAULT_COMPILER
        } else {
            &study.compiler
        };
        let command = words("FC", default);
        let shown = command.join(" ");
        let output = Command::new(&command[0])
            .args(&command[1..])
            .arg("--version")
            .output()
            .with_context(|| format!("no compiler: '{shown}' cannot be started; install gfortran or set FC to your Fortran compiler"))?;
        let version = String::from_utf8_lossy(&output.stdout)
            .lines()
            .next()
            .unwrap_or(&shown)
            .to_string();
        let mut recorded = Vec::new();
        for file in &study.files {
            if let Some(flags) = &file.flags {
                recorded.push(flags.join(" "));
            }
        }
        // Most files of a build have the same flags; provenance lists each set once.
        recorded.sort();
        recorded.dedup();
        let flags = match set("FFLAGS") {
            Some(text) => split(&text),
            None => study.flags.clone(),
        };
        if let Some(warning) = flags_warning(&study.flags, &flags) {
            // A command may compile several probes.
            report_once!("{warning}");
        }
        Ok(Self {
            command,
            flags,
            recorded,
            own: Vec::new(),
            placement: Placement::default(),
            version,
        })
    }

    /// The wrapper of the user's MPI library that MPIFC names, with the flags of this compiler.
    pub fn wrapper(&self) -> Self {
        Self {
            command: words("MPIFC", DEFAULT_WRAPPER),
            ..self.clone()
        }
    }

    /// The same compiler with flags of mpiete's own.
    pub fn with(&self, own: Vec<String>) -> Self {
        Self {
            own,
            ..self.clone()
        }
    }

    /// The same compiler with line numbers in the program, which do not change its code. Only flags of GNU compilers are known.
    pub fn with_line_numbers(&self) -> Self {
        if gnu_version(&self.version).is_none() {
            return self.clone();
        }
        self.with(vec!["-g1".to_string()])
    }

    /// The same compiler, with functions of the compute probe at these places.
    pub fn placing(&self, placement: Placement) -> Self {
        Self {
            placement,
            ..self.clone()
        }
    }

    /// Whether functions can be moved in its assembly, whose form is known for GNU on x86-64 only.
    pub fn moves_functions(&self) -> bool {
        cfg!(target_arch = "x86_64") && gnu_version(&self.version).is_some_and(|major| major >= 8)
    }

    /// The flags, for provenance: those of files that differ with bars between.
    pub fn flags(&self) -> String {
        let mut all = self.recorded.clone();
        if !self.flags.is_empty() {
            all.push(self.flags.join(" "));
        }
        all.join(" | ")
    }

    /// The flags for a probe.
    fn flags_for(&self, probe: Probe) -> Vec<String> {
        let mut flags = without_preprocessor(&self.flags);
        if self.version.starts_with("GNU Fortran") {
            for flag in quiet_flags(probe) {
                flags.push(flag.to_string());
            }
        }
        // Programs with `mpif.h` call MPI with buffers of any type, which gfortran 10 and later
        // reject by default.
        if is_strict_about_arguments(&self.version) {
            for flag in ARGUMENT_MISMATCH_FLAGS.split(' ') {
                flags.push(flag.to_string());
            }
        }
        // Only these two are compared instruction by instruction, or emulated, which needs line numbers (`-g1`).
        if matches!(probe, Probe::Compute | Probe::Plain) {
            flags.extend_from_slice(&self.own);
        }
        flags
    }

    /// Everything beside its text that a probe's code depends on.
    pub fn stamp(&self) -> String {
        let mut stamp = format!(
            "{}\n{}\n{}\n",
            self.command.join(" "),
            self.version,
            self.flags()
        );
        for flag in &self.own {
            stamp += flag;
            stamp.push('\n');
        }
        stamp + &self.placement.to_text()
    }

    /// Runs a step. If functions are to be moved, it compiles through assembly.
    fn place(&self, folder: &Path, step: &Step) -> Result<()> {
        // Compile steps end with `-c SOURCE -o OBJECT`; a link step has no assembly.
        let [before @ .., compile, source, output, object] = &step.arguments[..] else {
            return self.run(folder, step);
        };
        let is_compiled = step.language == Language::Fortran && compile == "-c" && output == "-o";
        if self.placement.is_empty() || !is_compiled {
            return self.run(folder, step);
        }
        let assembly = format!("{object}.s");
        let path = folder.join(&assembly);
        let to_assembly = list(&["-S", source, "-o", &assembly]);
        self.run(folder, &Step::fortran(before, &to_assembly))?;
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        files::write_bytes(&path, self.placement.apply(&text).as_bytes())?;
        // The flags before may contain a `-x` for the source.
        let to_object = list(&["-x", "assembler", "-c", &assembly, "-o", object]);
        self.run(folder, &Step::fortran(before, &to_object))
    }

    fn run(&self, folder: &Path, step: &Step) -> Result<()> {
        let arguments = &step.arguments;
        let called = match step.language {
            Language::Fortran => self.command.clone(),
            Language::C => words("CC", "gcc"),
            Language::Cxx => words("CXX", "g++"),
        };
        let mut command = Command::new(&called[0]);
        command
            .args(&called[1..])
            .args(arguments)
            .current_dir(folder);
        let output = compiler_process::output(&mut command)
            .with_context(|| format!("'{}' cannot be started", called.join(" ")))?;
        if !output.status.success() {
            let messages = String::from_utf8_lossy(&output.stderr);
            bail!(
                "the probe does not compile: `{} {}` in {} reports\n{}\ncheck that all sources are \
                named, and that the original compiles with FC and FFLAGS as they are set",
                called.join(" "),
                arguments.join(" "),
                folder.display(),
                messages.trim_end()
            );
        }
        Ok(())
    }
}

/// The flags of FFLAGS, or the default ones; a watched build has its own, so its default is empty.
pub fn flags(files: &[StudyFile]) -> Vec<String> {
    let is_recorded = files.iter().any(|file| file.flags.is_some());
    words("FFLAGS", if is_recorded { "" } else { DEFAULT_FLAGS })
}

/// A warning if FFLAGS changed since the study was prepared. Flags for the preprocessor no longer matter.
fn flags_warning(prepared: &[String], now: &[String]) -> Option<String> {
    let prepared = without_preprocessor(prepared);
    let now = without_preprocessor(now);
    if prepared == now {
        return None;
    }
    Some(format!(
        "mpiete: probes are compiled with other flags than the study was prepared with: FFLAGS was '{}' when \
         it was prepared and is '{}' now; set it as for the program itself",
        failure::sanitized(&prepared.join(" ")),
        failure::sanitized(&now.join(" "))
    ))
}

/// The value of FC; empty if it is not set.
pub fn named_compiler() -> String {
    set("FC").unwrap_or_default()
}

/// The compiler that FC names.
pub fn command() -> Vec<String> {
    words("FC", DEFAULT_COMPILER)
}

/// The words of a variable, or of its default.
pub fn words(name: &str, default: &str) -> Vec<String> {
    match set(name) {
        Some(text) => split(&text),
        None => split(default),
    }
}

fn split(text: &str) -> Vec<String> {
    crate::build::command_line::split(text)
}

/// The value of a variable. An empty value counts as unset, except that FFLAGS may be empty.
fn set(name: &str) -> Option<String> {
    let text = std::env::var(name).ok()?;
    if text.trim().is_empty() && name != "FFLAGS" {
        return None;
    }
    Some(text)
}

/// The folder that a compiler runs in, and relative paths from there.
pub struct CompileFolder {
    /// The folder, below the probe's.
    folder: &'static str,
    /// Prefix of the probe's sources.
    sources: &'static str,
    /// The study.
    study: &'static str,
    /// Whether the headers are those of mpiete's MPI, or the compiler brings its own.
    own_headers: bool,
}

impl CompileFolder {
    /// In the probe's own folder, for mpiete's MPI: used by the makefile.
    pub const PROBE: CompileFolder = CompileFolder {
        folder: "",
        sources: "",
        study: "../",
        own_headers: true,
    };
    /// The same for another MPI.
    pub const FOREIGN: CompileFolder = CompileFolder {
        own_headers: false,
        ..CompileFolder::PROBE
    };
    /// In a folder of the probe's own folder, for mpiete's MPI.
    const FRESH_SUBFOLDER: CompileFolder = CompileFolder {
        folder: "",
        sources: "../",
        study: "../../",
        own_headers: true,
    };
    /// The same of the observed probe, whose own folder is another MPI's.
    const OBSERVED_SUBFOLDER: CompileFolder = CompileFolder {
        folder: "mpiete",
        sources: "../../",
        study: "../../../",
        own_headers: true,
    };

    fn of(probe: Probe) -> Self {
        match probe {
            Probe::Program | Probe::Compute | Probe::Reference | Probe::Plain | Probe::Profile => {
                CompileFolder::FRESH_SUBFOLDER
            }
            Probe::Observed => CompileFolder::OBSERVED_SUBFOLDER,
        }
    }
}

/// The probe compiled for mpiete's MPI; compiles it if it is missing or was compiled with other flags.
///
/// The folder of the result is named after the compiler and its flags, and appears complete. Commands that use other flags or
/// run the probe at the same time are not disturbed.
pub fn binary(
    study_folder: &Path,
    study: &Study,
    probe: Probe,
    compiler: &Compiler,
) -> Result<PathBuf> {
    require_probe(study_folder, study, probe)?;
    let compile_folder = CompileFolder::of(probe);
    let folder = study_folder
        .join(probe.folder())
        .join(compile_folder.folder);
    let compiled = folder.join(format!(
        "compiled-{}",
        Digest::of(compiler.stamp().as_bytes())
    ));
    let binary = compiled.join(BINARY);
    if !binary.is_file() {
        let lock = StudyLock::building(study_folder)?;
        // Another command may have compiled it meanwhile.
        if !binary.is_file() {
            // Sources of a probe that were edited would make blocks other than those of the block
            // table.
            study::check_unchanged(study_folder, study)?;
            std::fs::create_dir_all(&folder)
                .with_context(|| format!("{} cannot be made", folder.display()))?;
            // Without a lock, such a folder may belong to a command that is still compiling.
            if lock.is_held() {
                remove_unfinished(&folder);
            }
            build(study_folder, study, probe, compiler, &compiled)?;
        }
    }
    link_latest(&folder, &compiled)?;
    Ok(std::path::absolute(binary)?)
}

/// The probe compiled for another MPI library, by its wrapper, in a folder of its own.
pub fn foreign_binary(
    study_folder: &Path,
    study: &Study,
    probe: Probe,
    wrapper: &Compiler,
) -> Result<PathBuf> {
    require_probe(study_folder, study, probe)?;
    let folder = study_folder.join(probe.folder()).join("foreign");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("{} cannot be made", folder.display()))?;
    let compile_folder = CompileFolder {
        own_headers: false,
        ..CompileFolder::FRESH_SUBFOLDER
    };
    run_steps(study, &compile_folder, probe, wrapper, &folder)?;
    Ok(std::path::absolute(folder.join(BINARY))?)
}

/// Compiles a probe in a fresh folder that then becomes `compiled`.
fn build(
    study_folder: &Path,
    study: &Study,
    probe: Probe,
    compiler: &Compiler,
    compiled: &Path,
) -> Result<()> {
    let links = study_folder.join("lib");
    token_runtime::host::relative_library_folder(&links, &crate::library::path()?)
        .with_context(|| format!("{} cannot be made", links.display()))?;
    let parent = compiled.parent().unwrap_or(study_folder);
    let fresh = files::fresh_folder(UNFINISHED, parent)?;
    // The plain program serves as the reference for code placement, which depends on the linked libraries. It is therefore
    // linked with the user's MPI if there is one.
    let foreign = CompileFolder {
        own_headers: false,
        ..CompileFolder::FRESH_SUBFOLDER
    };
    let is_linked =
        probe == Probe::Plain && run_steps(study, &foreign, probe, compiler, fresh.path()).is_ok();
    if !is_linked {
        run_steps(
            study,
            &CompileFolder::of(probe),
            probe,
            compiler,
            fresh.path(),
        )?;
    }
    // The digest in the folder's name cannot be read back; the stamp shows the user which flags the
    // probe was compiled with.
    files::write_bytes(&fresh.path().join(STAMP), compiler.stamp().as_bytes())?;
    if let Err(error) = std::fs::rename(fresh.path(), compiled) {
        // Without locks, another command may have written the same result first.
        if compiled.join(BINARY).is_file() {
            return Ok(());
        }
        return Err(error).with_context(|| format!("{} cannot be made", compiled.display()));
    }
    // The temporary folder has been renamed, so there is nothing to remove.
    _ = fresh.keep();
    Ok(())
}

fn run_steps(
    study: &Study,
    compile_folder: &CompileFolder,
    probe: Probe,
    compiler: &Compiler,
    folder: &Path,
) -> Result<()> {
    for mut step in steps(study, compile_folder, &compiler.flags_for(probe)) {
        step.arguments
            // The slice does not compute floating-point data: its variables are uninitialised, and a
            // trap would end a program that is correct.
            .retain(|flag| probe != Probe::Program || !traps_arithmetic(flag));
        step.disable_openmp(probe);
        step.allow_absent_arrays();
        if probe == Probe::Compute {
            compiler.place(folder, &step)?;
        } else {
            compiler.run(folder, &step)?;
        }
    }
    Ok(())
}

/// Removes folders of commands that were killed while they compiled.
fn remove_unfinished(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            // A folder that stays does no harm: new ones have other names.
            _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Makes the documented name of the probe a link to the latest result.
fn link_latest(folder: &Path, compiled: &Path) -> Result<()> {
    let Some(name) = compiled.file_name() else {
        return Ok(());
    };
    let (link, target) = (folder.join(BINARY), Path::new(name).join(BINARY));
    // Replacing an equal link would fail in a study that is read-only.
    if std::fs::read_link(&link).is_ok_and(|found| found == target) {
        return Ok(());
    }
    let made = token_runtime::host::replace_link(&target, &link);
    made.with_context(|| format!("{} cannot be made", link.display()))
}

fn require_probe(folder: &Path, study: &Study, probe: Probe) -> Result<()> {
    if probe != Probe::Plain && !study.probes.contains(&probe) {
        let name = probe.folder();
        bail!(
            "{} contains no {name} probe; create the study again with `mpiete prepare` and {name} \
            among its --kind",
            folder.display()
        );
    }
    Ok(())
}

/// A command of a compiler.
pub struct Step {
    /// Which compiler.
    pub language: Language,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl Step {
    fn fortran(before: &[String], last: &[String]) -> Self {
        Self {
            language: Language::Fortran,
            arguments: [before, last].concat(),
        }
    }

    /// Switches pointer checks off if a file's own flags request checks: the last flag of gfortran's counts ([`PROBE_FLAGS`]).
    fn allow_absent_arrays(&mut self) {
        let last_check = self
            .arguments
            .iter()
            .rfind(|flag| flag.starts_with("-fcheck"));
        if let Some(flag) = last_check
            && flag != NO_POINTER
        {
            self.arguments.push(NO_POINTER.into());
        }
    }

    /// Compiles a slice without OpenMP: the slice may lack the loops of directives, and no MPI call depends on directives. It
    /// is still linked with OpenMP, for functions that query threads. A profiled program has one thread, since its accumulators
    /// belong to the rank.
    pub fn disable_openmp(&mut self, probe: Probe) {
        if !matches!(probe, Probe::Program | Probe::Profile) {
            return;
        }
        if self.arguments.iter().any(|flag| flag == "-c") {
            self.arguments.retain(|flag| !enables_openmp(flag));
        } else if self.arguments.iter().any(|flag| enables_openmp(flag)) {
            self.arguments.push(KEEP_LIBRARIES.into());
        }
    }
}

/// All steps.
fn steps(study: &Study, compile_folder: &CompileFolder, flags: &[String]) -> Vec<Step> {
    let (mut steps, objects) = sources_to_objects(study, compile_folder, flags);
    let mut arguments = flags.to_vec();
    arguments.extend(list(&["-o", BINARY]));
    if compile_folder.own_headers {
        arguments.push(run_path(compile_folder));
    }
    // Libraries after the objects that use them: linkers search from left to right.
    arguments.extend(objects);
    arguments.extend(link_flags(study));
    arguments.extend_from_slice(&study.link);
    // Another MPI's wrapper adds its own library.
    if compile_folder.own_headers {
        arguments.push(format!("{}lib/{LIBRARY}", compile_folder.study));
    }
    steps.push(Step {
        language: Language::Fortran,
        arguments,
    });
    steps
}

/// The MPI library in a study's folder of libraries, which is linked by its path: other MPI libraries may lie in folders that
/// the build names.
pub const LIBRARY: &str = "libmpi.so";

/// The run path to the MPI library of the study, relative so that a study can be moved. It stands before all folders that the
/// build names.
pub fn run_path(compile_folder: &CompileFolder) -> String {
    format!("-Wl,-rpath,$ORIGIN/{}lib", compile_folder.study)
}

/// Linker flag after the libraries of a slice. The token runtime queries the number of threads in place of the slice, so the
/// linker must keep the OpenMP library although the slice does not call it.
pub const KEEP_LIBRARIES: &str = "-Wl,--no-as-needed";

/// The steps up to linking, and the objects they make.
pub fn sources_to_objects(
    study: &Study,
    compile_folder: &CompileFolder,
    flags: &[String],
) -> (Vec<Step>, Vec<String>) {
    let mut steps = Vec::new();
    let mut objects = Vec::new();
    for (name, is_used) in [("mpi", study.uses_module), ("mpi_f08", study.uses_mpi_f08)] {
        // Module files depend on the compiler's version, so a study contains their sources. Another
        // MPI's wrapper finds its own.
        if !is_used || !compile_folder.own_headers {
            continue;
        }
        let object = format!("{name}-module.o");
        let arguments = list(&[
            "-c",
            &format!("{}include/{name}.f90", compile_folder.study),
            "-o",
            &object,
        ]);
        steps.push(Step {
            language: Language::Fortran,
            arguments,
        });
        objects.push(object);
    }
    for (index, file) in study.files.iter().enumerate() {
        let object = format!("{index}.o");
        steps.push(compile_step(file, &object, compile_folder, flags));
        objects.push(object);
    }
    (steps, objects)
}

/// Folders of the study come before those of a build, which hold modules of the original.
fn compile_step(
    file: &StudyFile,
    object: &str,
    compile_folder: &CompileFolder,
    flags: &[String],
) -> Step {
    let recorded = file.flags.clone().unwrap_or_default();
    let (folders, mut arguments): (Vec<String>, Vec<String>) = recorded
        .into_iter()
        .partition(|flag| flag.starts_with("-I"));
    // Recorded flags come before FFLAGS: the last of two contradicting flags counts.
    let path = match file.language {
        Language::Fortran => {
            arguments.extend_from_slice(flags);
            // The probe's own module files first: a build's folders contain those of the original
            // with the same names.
            arguments.push("-I.".to_string());
            if compile_folder.own_headers {
                arguments.push(format!("-I{}include", compile_folder.study));
            }
            arguments.extend(folders);
            format!("{}{}", compile_folder.sources, file.path)
        }
        // These are preprocessed, so they need no folders of headers.
        Language::C | Language::Cxx => format!("{}{}", compile_folder.study, file.path),
    };
    arguments.extend(list(&["-c", &path, "-o", object]));
    Step {
        language: file.language,
        arguments,
    }
}

fn list(text: &[&str]) -> Vec<String> {
    text.iter().map(|word| word.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::{flags_warning, is_strict_about_arguments, traps_arithmetic};

    #[test]
    fn arithmetic_trap_flags_are_recognised() {
        let flags = "-O2 -ffpe-trap=zero -ftrapv -fsanitize=undefined -fno-sanitize-recover=all -fpeel-loops";
        let found: Vec<&str> = flags
            .split(' ')
            .filter(|flag| traps_arithmetic(flag))
            .collect();
        assert_eq!(
            found,
            ["-ffpe-trap=zero", "-ftrapv", "-fno-sanitize-recover=all"]
        );
    }

    #[test]
    fn changed_flags_are_reported() {
        let words = |text: &str| {
            text.split_whitespace()
                .map(String::from)
                .collect::<Vec<_>>()
        };
        let warning = |prepared, now| flags_warning(&words(prepared), &words(now));
        assert_eq!(warning("-O2 -cpp -DMPI", "-O2"), None);
        let removed = warning("-O2 -fopenmp", "-O2").unwrap();
        assert!(removed.contains("was '-O2 -fopenmp' when"), "{removed}");
        let added = warning("", "-O3").unwrap();
        assert!(added.contains("is '-O3' now"), "{added}");
    }

    #[test]
    fn gnu_version_follows_the_distribution_name() {
        for (version, is_strict) in [
            ("GNU Fortran (Debian 12.2.0-14+deb12u1) 12.2.0", true),
            ("GNU Fortran (GCC) 13.2.1 20231011 (Red Hat 13.2.1-4)", true),
            ("GNU Fortran (crosstool-NG 1.25.0) 9.5.0", false),
            ("GNU Fortran (GCC) 8.5.0 20210514 (Red Hat 8.5.0-26)", false),
            ("ifx (IFX) 2024.0.2 20231213", false),
            ("", false),
        ] {
            assert_eq!(is_strict_about_arguments(version), is_strict, "{version}");
        }
    }
}
