//! Compiling probes with the user's compiler and flags (FC, FFLAGS) against mpiete's own MPI. The
//! makefile that does the same on another machine is in [`crate::makefile`].

mod compiler_flags;
mod placement;

pub use compiler_flags::{
    ARGUMENT_MISMATCH_FLAGS, OPENMP, PROBE_FLAGS, enables_openmp, link_flags, quiet_flags,
};
pub use placement::Placement;

use crate::build::Language;
use crate::build::preprocessor_flags::without_preprocessor;
use crate::study::{self, Probe, Study, StudyFile};
use crate::study_lock::StudyLock;
use crate::{failure, files};
use anyhow::{Context, Result, bail};
use base_data::ids::Digest;
use compiler_flags::{gnu_version, is_strict_about_arguments, traps_arithmetic};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiler if FC is not set, now or when the study was prepared.
pub const DEFAULT_COMPILER: &str = "gfortran";
/// Flags if FFLAGS is not set.
const DEFAULT_FLAGS: &str = "-O2";
/// Name of the compiled probe in its folder.
pub const BINARY: &str = "probe";
/// The last of [`PROBE_FLAGS`].
const NO_POINTER: &str = "-fcheck=no-pointer";
/// Says what a probe was compiled with, beside it.
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
    /// Where functions of the compute probe begin.
    placement: Placement,
    /// First line of what it says of itself.
    pub version: String,
}

impl Compiler {
    /// The compiler that FC names, with the flags of the study's build and those of FFLAGS; where these are not set now, what
    /// they were when the study was prepared. An error if it cannot be started.
    pub fn find(study: &Study) -> Result<Self> {
        let prepared = Some(&study.compiler).filter(|name| !name.is_empty());
        let command = words("FC", prepared.map_or(DEFAULT_COMPILER, |name| name));
        let shown = command.join(" ");
        let answer = Command::new(&command[0])
            .args(&command[1..])
            .arg("--version")
            .output();
        let answer = answer
            .with_context(|| format!("no compiler: '{shown}' cannot be started; install gfortran or set FC to your Fortran compiler"))?;
        let version = String::from_utf8_lossy(&answer.stdout)
            .lines()
            .next()
            .unwrap_or(&shown)
            .to_string();
        let mut recorded: Vec<String> = study
            .files
            .iter()
            .filter_map(|file| Some(file.flags.as_ref()?.join(" ")))
            .collect();
        recorded.sort();
        recorded.dedup();
        let flags = set("FFLAGS").map_or_else(|| study.flags.clone(), |text| split(&text));
        if let Some(remark) = flags_warning(&study.flags, &flags) {
            // Several probes may be compiled for one command.
            report_once!("{remark}");
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

    /// The same compiler with flags of mpiete's own.
    pub fn with(&self, own: Vec<String>) -> Self {
        Self {
            own,
            ..self.clone()
        }
    }

    /// The same compiler, with functions of the compute probe at these places.
    pub fn placing(&self, placement: Placement) -> Self {
        Self {
            placement,
            ..self.clone()
        }
    }

    /// Whether its assembly is known, so that functions can be moved in it.
    pub fn moves_functions(&self) -> bool {
        cfg!(target_arch = "x86_64") && gnu_version(&self.version).is_some_and(|major| major >= 8)
    }

    /// The flags, for provenance: those of files that differ with bars between.
    pub fn flags(&self) -> String {
        let own = (!self.flags.is_empty()).then(|| self.flags.join(" "));
        self.recorded
            .iter()
            .cloned()
            .chain(own)
            .collect::<Vec<_>>()
            .join(" | ")
    }

    /// The flags for a probe.
    fn flags_for(&self, probe: Probe) -> Vec<String> {
        let quiet = if self.version.starts_with("GNU Fortran") {
            quiet_flags(probe)
        } else {
            Vec::new()
        };
        let lenient =
            is_strict_about_arguments(&self.version).then(|| ARGUMENT_MISMATCH_FLAGS.split(' '));
        let flags = without_preprocessor(&self.flags).into_iter();
        let own = if matches!(probe, Probe::Compute | Probe::Plain) {
            self.own.clone()
        } else {
            Vec::new()
        };
        let words = quiet
            .into_iter()
            .chain(lenient.into_iter().flatten())
            .map(String::from);
        flags.chain(words).chain(own).collect()
    }

    /// What the code of a probe depends on beside its text.
    pub fn stamp(&self) -> String {
        let own: String = self.own.iter().map(|flag| format!("{flag}\n")).collect();
        let placement = self.placement.to_text();
        format!(
            "{}\n{}\n{}\n{own}{placement}",
            self.command.join(" "),
            self.version,
            self.flags()
        )
    }

    /// Runs a step, through assembly where it compiles code in which functions are to be moved.
    fn place(&self, folder: &Path, step: &Step) -> Result<()> {
        let [.., compile, source, output, object] = &step.arguments[..] else {
            return self.run(folder, step);
        };
        let is_compiled = step.language == Language::Fortran && compile == "-c" && output == "-o";
        if self.placement.is_empty() || !is_compiled {
            return self.run(folder, step);
        }
        let before = &step.arguments[..step.arguments.len() - 4];
        let assembly = format!("{object}.s");
        let path = folder.join(&assembly);
        let ending = |words: &[&str]| Step {
            language: Language::Fortran,
            arguments: [
                before.to_vec(),
                words.iter().map(|word| word.to_string()).collect(),
            ]
            .concat(),
        };
        self.run(folder, &ending(&["-S", source, "-o", &assembly]))?;
        let cannot = || format!("{} cannot be read", path.display());
        let text = std::fs::read_to_string(&path).with_context(cannot)?;
        files::write_bytes(&path, self.placement.apply(&text).as_bytes())?;
        // The flags may say which language sources are in.
        self.run(
            folder,
            &ending(&["-x", "assembler", "-c", &assembly, "-o", object]),
        )
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
        let output = command
            .output()
            .with_context(|| format!("'{}' cannot be started", called.join(" ")))?;
        if !output.status.success() {
            let messages = String::from_utf8_lossy(&output.stderr);
            bail!(
                "the probe does not compile: `{} {}` in {} reports\n{}\ncheck that the original \
                compiles with FC and FFLAGS as they are set",
                called.join(" "),
                arguments.join(" "),
                folder.display(),
                messages.trim_end()
            );
        }
        Ok(())
    }
}

/// What FFLAGS says, or what stands for it; nothing where a build was watched.
pub fn flags(files: &[StudyFile]) -> Vec<String> {
    let is_recorded = files.iter().any(|file| file.flags.is_some());
    words("FFLAGS", if is_recorded { "" } else { DEFAULT_FLAGS })
}

/// A sentence where FFLAGS says something else than when the study was prepared.
fn flags_warning(prepared: &[String], now: &[String]) -> Option<String> {
    // What was for the preprocessor has done its work.
    let shown = |flags: &Vec<String>| failure::sanitized(&flags.join(" "));
    let [prepared, now] = [without_preprocessor(prepared), without_preprocessor(now)];
    (prepared != now).then(|| {
        format!(
            "mpiete: FFLAGS was '{}' when the study was prepared and is '{}' now, which probes are compiled with; set it as \
             for the program itself",
            shown(&prepared),
            shown(&now)
        )
    })
}

/// What FC says; nothing where it is not set.
pub fn named_compiler() -> String {
    set("FC").unwrap_or_default()
}

/// The compiler that FC names.
pub fn command() -> Vec<String> {
    words("FC", DEFAULT_COMPILER)
}

/// The words of a variable, or of what stands for it.
fn words(name: &str, default: &str) -> Vec<String> {
    split(&set(name).unwrap_or_else(|| default.into()))
}

fn split(text: &str) -> Vec<String> {
    crate::build::command_line::split(text)
}

/// What a variable is set to. A command cannot be nothing; flags can.
fn set(name: &str) -> Option<String> {
    std::env::var(name)
        .ok()
        .filter(|text| !text.trim().is_empty() || name == "FFLAGS")
}

/// The folder that a compiler runs in, and what it sees from there.
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
    /// In the probe's own folder, for mpiete's MPI: the makefile's way.
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
            Probe::Program | Probe::Compute | Probe::Reference | Probe::Plain => {
                CompileFolder::FRESH_SUBFOLDER
            }
            Probe::Observed => CompileFolder::OBSERVED_SUBFOLDER,
        }
    }
}

/// The probe compiled for mpiete's MPI; compiled now if it is missing or was compiled otherwise.
///
/// What is compiled has a folder whose name says what with, and appears there whole: commands with other flags, and those that
/// run it already, are not disturbed.
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
            study::check_unchanged(study_folder, study)?;
            std::fs::create_dir_all(&folder)
                .with_context(|| format!("{} cannot be made", folder.display()))?;
            if lock.is_held() {
                remove_unfinished(&folder);
            }
            build(
                study_folder,
                study,
                (probe, &compile_folder),
                compiler,
                &compiled,
            )?;
        }
    }
    link_latest(&folder, &compiled)?;
    Ok(std::path::absolute(binary)?)
}

/// Compiles a probe in a fresh folder that then becomes `compiled`.
fn build(
    study_folder: &Path,
    study: &Study,
    (probe, compile_folder): (Probe, &CompileFolder),
    compiler: &Compiler,
    compiled: &Path,
) -> Result<()> {
    let cannot = || format!("{} cannot be made", compiled.display());
    let links = study_folder.join("lib");
    token_runtime::host::library_folder(&links, &crate::library::path()?)
        .with_context(|| format!("{} cannot be made", links.display()))?;
    let parent = compiled.parent().unwrap_or(study_folder);
    let fresh = files::fresh_folder(UNFINISHED, parent)?;
    // Where the user's MPI is there, the program is linked with it, as it is by the user: what is linked moves code.
    let foreign = CompileFolder {
        own_headers: false,
        ..CompileFolder::FRESH_SUBFOLDER
    };
    let is_linked =
        probe == Probe::Plain && run_steps(study, &foreign, probe, compiler, fresh.path()).is_ok();
    if !is_linked {
        run_steps(study, compile_folder, probe, compiler, fresh.path())?;
    }
    files::write_bytes(&fresh.path().join(STAMP), compiler.stamp().as_bytes())?;
    match std::fs::rename(fresh.path(), compiled) {
        Ok(()) => _ = fresh.keep(),
        // Without locks another command may have been quicker, with the same result.
        Err(_) if compiled.join(BINARY).is_file() => {}
        Err(error) => return Err(error).with_context(cannot),
    }
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

/// Removes what commands left that were killed while they compiled.
fn remove_unfinished(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            // What cannot be removed is in nobody's way.
            _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Lets the name that users know lead to what was compiled last.
fn link_latest(folder: &Path, compiled: &Path) -> Result<()> {
    let Some(name) = compiled.file_name() else {
        return Ok(());
    };
    let (link, target) = (folder.join(BINARY), Path::new(name).join(BINARY));
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
    /// The last of gfortran's flags for checks says what is asked of arrays ([`PROBE_FLAGS`]), whatever a file's own flags say.
    fn allow_absent_arrays(&mut self) {
        if self
            .arguments
            .iter()
            .rfind(|flag| flag.starts_with("-fcheck"))
            .is_some_and(|flag| flag != NO_POINTER)
        {
            self.arguments.push(NO_POINTER.into());
        }
    }

    /// A slice is compiled without OpenMP: loops that directives belong to may be gone, and calls of MPI depend on none of
    /// them. It is linked with it, for functions that ask for threads.
    pub fn disable_openmp(&mut self, probe: Probe) {
        if probe != Probe::Program {
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
    // Another MPI's wrapper brings its own library.
    let (run_path, library) = match compile_folder.own_headers {
        true => (
            vec![run_path(compile_folder)],
            vec![format!("{}lib/{LIBRARY}", compile_folder.study)],
        ),
        false => (Vec::new(), Vec::new()),
    };
    let link = [link_flags(study), study.link.clone(), library].concat();
    let arguments = [
        flags.to_vec(),
        list(&["-o", BINARY]),
        run_path,
        objects,
        link,
    ]
    .concat();
    steps.push(Step {
        language: Language::Fortran,
        arguments,
    });
    steps
}

/// The MPI library in a study's folder of libraries, which is linked by its path: other MPI libraries may lie in folders that
/// the build names.
pub const LIBRARY: &str = "libmpi.so";

/// Where a probe looks for its MPI library first, wherever the study lies. It stands before all folders that the build names.
pub fn run_path(compile_folder: &CompileFolder) -> String {
    format!("-Wl,-rpath,$ORIGIN/{}lib", compile_folder.study)
}

/// Behind what a slice is linked with: what is only asked for the number of threads of a region, and by the token runtime
/// instead of the slice, must be there, too.
pub const KEEP_LIBRARIES: &str = "-Wl,--no-as-needed";

/// The steps up to linking, and the objects they make.
pub fn sources_to_objects(
    study: &Study,
    compile_folder: &CompileFolder,
    flags: &[String],
) -> (Vec<Step>, Vec<String>) {
    let mut steps = Vec::new();
    let mut objects = Vec::new();
    let modules = [("mpi", study.uses_module), ("mpi_f08", study.uses_mpi_f08)];
    for (name, _) in modules
        .into_iter()
        .filter(|(_, is_used)| *is_used && compile_folder.own_headers)
    {
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
    let (folders, recorded): (Vec<String>, Vec<String>) = recorded
        .into_iter()
        .partition(|flag| flag.starts_with("-I"));
    let compile = |path: String| list(&["-c", &path, "-o", object]);
    let arguments = match file.language {
        Language::Fortran => {
            let own = ["-I.".to_string()].into_iter();
            let own = own
                .chain(
                    compile_folder
                        .own_headers
                        .then(|| format!("-I{}include", compile_folder.study)),
                )
                .collect();
            [
                recorded,
                flags.to_vec(),
                own,
                folders,
                compile(format!("{}{}", compile_folder.sources, file.path)),
            ]
            .concat()
        }
        Language::C | Language::Cxx => [
            recorded,
            compile(format!("{}{}", compile_folder.study, file.path)),
        ]
        .concat(),
    };
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
        let told = |prepared, now| flags_warning(&words(prepared), &words(now));
        assert_eq!(told("-O2 -cpp -DMPI", "-O2"), None);
        assert!(
            told("-O2 -fopenmp", "-O2")
                .unwrap()
                .contains("was '-O2 -fopenmp' when")
        );
        assert!(told("", "-O3").unwrap().contains("is '-O3' now"));
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
