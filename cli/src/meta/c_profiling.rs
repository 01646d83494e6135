//! Profiling directives in C programs: reads the sources through the preprocessor, and compiles the copy that measures.

use crate::args::ProfilingArgs;
use crate::build::Language;
use crate::build::command_line::Settings;
use crate::build::preprocessor_flags::Source;
use crate::build::source_expansion::Invocation;
use crate::build::{Program, wrapper};
use crate::compile::{self, BINARY, LIBRARY, OPENMP, enables_openmp};
use crate::{compiler_process, files, library};
use anyhow::{Context, Result, bail};
use frontend::c::CFile;
use instrumenter::c_profile::CProfile;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Flags if CFLAGS is not set.
const DEFAULT_FLAGS: &str = "-O2";
/// Wrapper of an MPI library if MPICC is not set.
const DEFAULT_WRAPPER: &str = "mpicc";
/// Name of the source file that measures.
const PROFILE_LIBRARY: &str = "mpiete_profile.c";

/// A program in C.
pub(super) struct CProgram {
    /// The first source, for messages and the profile.
    pub(super) name: String,
    pub(super) files: Vec<CFile>,
    /// Flags of the build for each file.
    flags: Vec<Vec<String>>,
    /// Inputs of the linker.
    link: Vec<String>,
    /// The compiler's name and first words.
    compiler: Vec<String>,
    /// Whether the compiler brings another MPI library.
    is_foreign: bool,
}

/// The named C sources, or those of a directory without Fortran; `None` if the sources are not in C.
///
/// # Errors
/// Sources in both languages.
pub(super) fn named_sources(given: &[PathBuf]) -> Result<Option<Vec<PathBuf>>> {
    let mut sources = Vec::new();
    let mut has_others = false;
    for path in given {
        if !path.exists() {
            bail!(
                "{} does not exist; name Fortran or C sources, or a directory that contains them",
                path.display()
            );
        }
        if !path.is_dir() {
            match is_c(path) {
                true => sources.push(path.clone()),
                false => has_others = true,
            }
            continue;
        }
        let mut found = Vec::new();
        let entries = std::fs::read_dir(path)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        for entry in entries.flatten() {
            found.push(entry.path());
        }
        // A directory with Fortran sources is a Fortran program.
        if found.iter().any(|path| crate::project::is_fortran(path)) {
            has_others = true;
            continue;
        }
        found.retain(|path| path.is_file() && is_c(path));
        // Folders have no order of their own; results must not depend on the file system.
        found.sort();
        if found.is_empty() {
            bail!(
                "{} contains neither Fortran nor C sources; name sources, or the directory that contains them",
                path.display()
            );
        }
        sources.extend(found);
    }
    match (sources.is_empty(), has_others) {
        (true, _) => Ok(None),
        (false, false) => Ok(Some(sources)),
        (false, true) => bail!(
            "directives are measured in programs of one language; name either C or Fortran sources"
        ),
    }
}

fn is_c(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "c")
}

impl CProgram {
    /// Reads named sources through the preprocessor of the compiler that will compile them. `include` is the folder of mpiete's own
    /// headers.
    pub(super) fn of_sources(
        paths: &[PathBuf],
        given: &ProfilingArgs,
        include: &Path,
    ) -> Result<Self> {
        let is_foreign = given.launch.is_some();
        let compiler = match is_foreign {
            true => compile::words("MPICC", DEFAULT_WRAPPER),
            false => compile::words("CC", "gcc"),
        };
        if wrapper::compiler_file(&compiler[0]).is_none() && !compiler[0].contains('/') {
            bail!(
                "no C compiler: '{}' was not found; install it, or set {} to another",
                compiler[0],
                if is_foreign { "MPICC" } else { "CC" }
            );
        }
        let mut settings = Settings::of_compiler(&compiler[1..]).with(&flags(DEFAULT_FLAGS));
        settings.include.extend(given.include.iter().cloned());
        if !is_foreign {
            settings.include.push(include.to_path_buf());
        }
        let defined = given.define.iter().map(|text| format!("-D{text}"));
        settings.macros.extend(defined);
        let invocation = Invocation {
            compiler: &compiler,
            folder: Path::new("."),
            shown_from: Path::new(""),
            settings: &settings,
        };
        let mut files = Vec::new();
        for path in paths {
            let source = Source {
                path: path.clone(),
                language: Language::C,
                language_flag: None,
            };
            let file = invocation.expand(&source)?;
            files.push(CFile::read(&file.path, file.text));
        }
        Ok(Self {
            name: name(&files),
            flags: vec![Vec::new(); files.len()],
            files,
            link: Vec::new(),
            compiler,
            is_foreign,
        })
    }

    /// The program that a build made.
    pub(super) fn of_build(program: Program, given: &ProfilingArgs) -> Result<Self> {
        if given.launch.is_some() {
            bail!(
                "--launch needs the C sources by name: those of a build have the constants of the token runtime's MPI; give \
                 --profile SOURCES"
            );
        }
        let mut files = Vec::new();
        let mut flags = Vec::new();
        for (source, text) in program.sources {
            if source.language != Language::C {
                bail!(
                    "{} is not C; directives are measured in programs of one language, C or Fortran",
                    source.path
                );
            }
            files.push(CFile::read(&source.path, text));
            flags.push(source.flags);
        }
        Ok(Self {
            name: name(&files),
            files,
            flags,
            link: program.link,
            compiler: compile::words("CC", "gcc"),
            is_foreign: false,
        })
    }

    /// Whether the program makes threads, whose times are not measured.
    pub(super) fn has_threads(&self) -> bool {
        let own = flags(DEFAULT_FLAGS);
        let all = self.flags.iter().flatten().chain(&own);
        all.into_iter().any(|flag| OPENMP.contains(&flag.as_str()))
    }

    /// Compiles the profiled program in a folder; gives the path of the program. `include` is the folder of mpiete's own headers.
    pub(super) fn compile(
        &self,
        profiled: &CProfile,
        library: &str,
        include: &Path,
        folder: &Path,
    ) -> Result<PathBuf> {
        let is_recorded = self.flags.iter().any(|flags| !flags.is_empty());
        let own = flags(if is_recorded { "" } else { DEFAULT_FLAGS });
        let mut objects = Vec::new();
        for (number, (text, recorded)) in profiled.files.iter().zip(&self.flags).enumerate() {
            // The ending of preprocessed C.
            let source = format!("{number}.i");
            files::write_bytes(&folder.join(&source), text)?;
            let flags = recorded.iter().chain(&own).cloned().collect();
            objects.push(self.object(folder, &source, flags)?);
        }
        files::write_bytes(&folder.join(PROFILE_LIBRARY), library.as_bytes())?;
        let mut flags = own.clone();
        if !self.is_foreign {
            flags.push(format!("-I{}", include.display()));
        }
        objects.push(self.object(folder, PROFILE_LIBRARY, flags)?);
        let mut arguments = own;
        arguments.retain(|flag| !enables_openmp(flag));
        arguments.extend(["-o".to_string(), BINARY.to_string()]);
        arguments.extend(objects);
        arguments.extend_from_slice(&self.link);
        // Without effect where nothing of it is used.
        arguments.push("-lm".into());
        if !self.is_foreign {
            let links = folder.join("lib");
            token_runtime::host::library_folder(&links, &library::path()?)
                .with_context(|| format!("{} cannot be made", links.display()))?;
            arguments.push("-Wl,-rpath,$ORIGIN/lib".into());
            arguments.push(format!("lib/{LIBRARY}"));
        }
        self.run(folder, &arguments)?;
        Ok(std::path::absolute(folder.join(BINARY))?)
    }

    fn object(&self, folder: &Path, source: &str, mut flags: Vec<String>) -> Result<String> {
        // Accumulators belong to the rank, so the program has one thread.
        flags.retain(|flag| !enables_openmp(flag));
        let object = format!("{source}.o");
        // Warnings were shown when the user compiled the original; -Werror must not count them here.
        let last = ["-w", "-c", source, "-o", &object];
        flags.extend(last.map(String::from));
        self.run(folder, &flags)?;
        Ok(object)
    }

    fn run(&self, folder: &Path, arguments: &[String]) -> Result<()> {
        let shown = self.compiler.join(" ");
        let mut command = Command::new(&self.compiler[0]);
        command
            .args(&self.compiler[1..])
            .args(arguments)
            .current_dir(folder);
        let output = compiler_process::output(&mut command)
            .with_context(|| format!("'{shown}' cannot be started"))?;
        if output.status.success() {
            return Ok(());
        }
        bail!(
            "the profiled program does not compile: `{shown} {}` reports\n{}\ncheck that all sources are named, and that the \
             original compiles with CC and CFLAGS as they are set; the copy needs the extensions of GNU C",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
    }
}

fn name(files: &[CFile]) -> String {
    files.first().map_or_else(String::new, |file| {
        let path = Path::new(&file.path);
        let stem = path.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    })
}

/// The flags of CFLAGS, or default ones.
fn flags(default: &str) -> Vec<String> {
    compile::words("CFLAGS", default)
}
