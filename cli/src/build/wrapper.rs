//! The compiler wrappers: this program under the names `mpiete-fc` and `mpiete-cc`, and during a build under those of other
//! MPI wrappers and of plain compilers. They run the real compiler and record its commands.

use super::command_line::{Action, CommandLine, Language, LinkInput};
use super::log::{BuildLogEntry, Compiled, Linked, Log};
use super::mpi_libraries::without_mpi;
use super::objects::{self, Code, Linker};
use super::preprocessor_flags::{LanguageFlag, Source};
use super::separate::{self, SeparateCommands};
use super::source_expansion::Invocation;
use super::toolkit::Toolkit;
use super::wrapper_queries::{WrappedCompiler, WrapperQuery};
use crate::compiler_process;
use anyhow::{Context, Result};
use base_data::ids::Digest;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use token_runtime::host::TemporaryFolder;

/// Variable with the folder of the watched build.
pub const BUILD: &str = "MPIETE_BUILD";
/// Variable with the folder in which the user started the build.
pub const SHOWN_FROM: &str = "MPIETE_BUILD_FROM";
/// Folder of the wrappers within the build's.
pub const LINKS: &str = "bin";
/// Folder of the toolkit within the build's.
pub const TOOLKIT: &str = "mpi";

/// Names of MPI's wrappers, by language.
pub const MPI_NAMES: [(&str, Language); 16] = [
    ("mpiete-fc", Language::Fortran),
    ("mpif77", Language::Fortran),
    ("mpif90", Language::Fortran),
    ("mpif08", Language::Fortran),
    ("mpifort", Language::Fortran),
    ("mpifc", Language::Fortran),
    ("mpiifort", Language::Fortran),
    ("mpiifx", Language::Fortran),
    // Cray's driver, which links its MPI without a wrapper of another name.
    ("ftn", Language::Fortran),
    ("mpiete-cc", Language::C),
    ("mpicc", Language::C),
    ("mpiicc", Language::C),
    ("mpiicx", Language::C),
    ("mpicxx", Language::Cxx),
    ("mpic++", Language::Cxx),
    ("mpiCC", Language::Cxx),
];

/// Names of compilers that builds call directly, with flags for MPI of their own.
const PLAIN_NAMES: [(&str, Language); 19] = [
    ("gfortran", Language::Fortran),
    ("f77", Language::Fortran),
    ("f90", Language::Fortran),
    ("f95", Language::Fortran),
    ("ifort", Language::Fortran),
    ("ifx", Language::Fortran),
    ("flang", Language::Fortran),
    ("flang-new", Language::Fortran),
    ("nvfortran", Language::Fortran),
    ("cc", Language::C),
    ("gcc", Language::C),
    ("clang", Language::C),
    ("icc", Language::C),
    ("icx", Language::C),
    ("nvc", Language::C),
    ("c++", Language::Cxx),
    ("g++", Language::Cxx),
    ("clang++", Language::Cxx),
    ("icpc", Language::Cxx),
];

/// Role of this program, by the name that it was called by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    name: String,
    language: Language,
    mpi: bool,
}

/// The role for a name; `None` for `mpiete` itself.
pub fn role(called: Option<&str>) -> Option<Role> {
    let called = Path::new(called?).file_name()?.to_str()?;
    let mpi = MPI_NAMES.iter().find(|(name, _)| *name == called);
    let language = match mpi {
        Some((_, language)) => *language,
        None => plain_language(called)?,
    };
    Some(Role {
        name: called.to_string(),
        language,
        mpi: mpi.is_some(),
    })
}

/// The language of a plain compiler. Distributions install compilers with their target and version: `gfortran-12`,
/// `x86_64-linux-gnu-gfortran-12`.
pub fn plain_language(called: &str) -> Option<Language> {
    let is_version =
        |text: &str| text.starts_with(|first: char| first.is_ascii_digit()) && !text.contains('-');
    let unversioned = match called.rsplit_once('-') {
        Some((name, version)) if is_version(version) => name,
        _ => called,
    };
    for (name, language) in PLAIN_NAMES {
        // A target has at least two parts, so `my-gcc` is a script of the user.
        let is_targeted = unversioned
            .strip_suffix(name)
            .and_then(|target| target.strip_suffix('-'))
            .is_some_and(|target| target.contains('-'));
        if unversioned == name || is_targeted {
            return Some(language);
        }
    }
    None
}

/// Runs the compiler, returns its exit code, and records the command if a build is watched.
pub fn run(role: &Role, words: &[String]) -> Result<ExitCode> {
    let build = std::env::var_os(BUILD).map(PathBuf::from);
    let wrapper = Wrapper::new(role, build.as_deref())?;
    let mut query = None;
    let mut rest = Vec::new();
    // Queries such as `-show` are no flags of the compiler. The rest of the words still decides
    // whether the answer contains link flags.
    for word in words {
        match WrapperQuery::of(word) {
            Some(found) => query = query.or(Some(found)),
            None => rest.push(word.clone()),
        }
    }
    // MPIETE_FC may contain flags, such as `gfortran -cpp`, that change how sources are read.
    let line = CommandLine::read_after(&wrapper.compiler[1..], &rest);
    // An MPI wrapper behind this one answers its own queries, so without a toolkit the words are
    // passed on below.
    if let (Some(query), Some(toolkit)) = (query, &wrapper.toolkit) {
        let links = !rest
            .iter()
            .any(|word| matches!(word.as_str(), "-c" | "-E" | "-S" | "-M"));
        let answer = wrapper
            .wrapped_compiler(toolkit)
            .output(query, &rest, links);
        crate::files::print_line(answer)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut objects = None;
    if let Some(build) = &build
        && matches!(line.action, Action::Link | Action::LinkShared)
        && line.sources().next().is_some()
    {
        objects = SeparateObjects::of(words, build)?;
    }
    // The command is recorded only after it succeeded: its object must exist, since the log
    // identifies objects by the digest of their bytes.
    let mut code = match &objects {
        Some(objects) => wrapper.compile_separately(&objects.commands)?,
        None => wrapper.compile(words, &line)?,
    };
    if objects.is_some() && code != 0 {
        // Steps may fail where one command does not: compilers may reject flags of the linker.
        // What the build sees is what its own command does.
        objects = None;
        code = wrapper.compile(words, &line)?;
    }
    if let Some(build) = &build {
        let command = || format!("{} {}", role.name, words.join(" "));
        if code != 0 {
            // Builds such as `make -k` or scripts may ignore the failure. The message about a
            // missing program then names this command.
            Log::new(build).add(&[BuildLogEntry::Failed(command())])?;
        } else {
            wrapper.record_command(build, &line, objects.as_ref())?;
            if line.compiles_standard_input {
                Log::new(build).add(&[BuildLogEntry::FromStandardInput(command())])?;
            }
        }
    }
    Ok(ExitCode::from(code))
}

/// A command that compiles and links, carried out in steps so that its objects are known.
struct SeparateObjects {
    commands: SeparateCommands,
    /// The folder of the objects, which exists as long as this does.
    _folder: TemporaryFolder,
}

impl SeparateObjects {
    fn of(words: &[String], build: &Path) -> Result<Option<Self>> {
        let folder = TemporaryFolder::create_in(build, "objects-")
            .context("no folder for the objects of a command")?;
        let commands = separate::separate(words, folder.path());
        Ok(commands.map(|commands| Self {
            commands,
            _folder: folder,
        }))
    }

    /// The object of a source.
    fn object(&self, source: &Path) -> Option<&Path> {
        let mut steps = self.commands.compile.iter();
        let step = steps.find(|step| step.source == source)?;
        Some(&step.object)
    }
}

struct Wrapper<'a> {
    role: &'a Role,
    /// The real compiler's name and first words.
    compiler: Vec<String>,
    /// The MPI for programs, unless the compiler is an MPI wrapper itself or the build passes its own flags.
    toolkit: Option<Toolkit>,
    /// PATH without the wrappers.
    path: OsString,
}

impl<'a> Wrapper<'a> {
    fn new(role: &'a Role, build: Option<&Path>) -> Result<Self> {
        // A plain compiler keeps its own name: `ifort` called by the build must stay `ifort`,
        // whatever MPIETE_FC names.
        let compiler = if role.mpi {
            compiler(role.language)
        } else {
            vec![role.name.clone()]
        };
        let adds_own_mpi = is_mpi_wrapper(&compiler[0]);
        let toolkit = match (role.mpi && !adds_own_mpi, build) {
            (false, _) => None,
            // `intercept` made it before the build started, once for all commands.
            (true, Some(build)) => {
                let place = build.join(TOOLKIT);
                // Programs keep this path: it is that of the folder itself, not of the build's link to it.
                Some(Toolkit::at(&place.canonicalize().unwrap_or(place)))
            }
            (true, None) => Some(Toolkit::cached(&self::compiler(Language::Fortran))?),
        };
        let links = build.map(|build| build.join(LINKS));
        Ok(Self {
            role,
            compiler,
            toolkit,
            path: path_without(links.as_deref()),
        })
    }

    fn wrapped_compiler<'t>(&'t self, toolkit: &'t Toolkit) -> WrappedCompiler<'t> {
        WrappedCompiler {
            compiler: &self.compiler,
            toolkit,
            fortran: self.role.language == Language::Fortran,
        }
    }

    /// Runs the compiler and returns its exit code.
    fn compile(&self, words: &[String], line: &CommandLine) -> Result<u8> {
        let mut command = Command::new(find(&self.compiler[0], &self.path));
        command.args(&self.compiler[1..]).env("PATH", &self.path);
        // A query of the compiler, such as --version, needs no MPI.
        let needs_mpi = line.action != Action::Other || !line.parts.is_empty();
        match &self.toolkit {
            Some(toolkit) if needs_mpi => {
                let wrapped_compiler = self.wrapped_compiler(toolkit);
                if matches!(line.action, Action::Link | Action::LinkShared) {
                    command
                        .args(wrapped_compiler.leading_link_arguments())
                        // mpiete's library comes in place of the build's MPI: with both, whichever
                        // is first on the line would define MPI_Init.
                        .args(without_mpi(words))
                        .args(wrapped_compiler.compile_flags())
                        // Without it, `-x f77` of the command would also apply to the libraries that
                        // follow.
                        .args(language_flag_reset(line))
                        .args(wrapped_compiler.trailing_link_arguments());
                } else {
                    command.args(words).args(wrapped_compiler.compile_flags());
                }
            }
            Some(_) | None => {
                command.args(words);
            }
        }
        let status = compiler_process::status(&mut command).with_context(|| {
            format!(
                "{}: '{}' cannot be started; install it, or name another in MPIETE_FC or MPIETE_CC",
                self.role.name,
                self.compiler.join(" ")
            )
        })?;
        // A compiler that a signal ended has no code.
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        Ok(code.unwrap_or(1))
    }

    /// Compiles each source, then links. The first exit code that is no success ends it.
    fn compile_separately(&self, commands: &SeparateCommands) -> Result<u8> {
        let steps = commands.compile.iter().map(|step| &step.words);
        for words in steps.chain([&commands.link]) {
            let line = CommandLine::read_after(&self.compiler[1..], words);
            let code = self.compile(words, &line)?;
            if code != 0 {
                return Ok(code);
            }
        }
        Ok(0)
    }

    fn record_command(
        &self,
        build: &Path,
        line: &CommandLine,
        objects: Option<&SeparateObjects>,
    ) -> Result<()> {
        let folder = std::env::current_dir().context("the current folder is unknown")?;
        // A recursive make runs compilers in subfolders; all paths are shown relative to where the
        // user started.
        let shown_from = match std::env::var_os(SHOWN_FROM) {
            Some(path) => PathBuf::from(path),
            None => folder.clone(),
        };
        let mut settings = line.settings.clone();
        if let Some(toolkit) = &self.toolkit {
            settings.include.push(toolkit.include());
            let compiles_fortran = line
                .sources()
                .any(|source| source.language == Language::Fortran);
            // The flags are the Fortran compiler's: a C compiler rejects them.
            if self.role.language == Language::Fortran && compiles_fortran {
                settings.flags.extend(toolkit.flags());
            }
        }
        // By its path, because the PATH of the preprocessor's process still begins with the
        // wrappers.
        let file = find(&self.compiler[0], &self.path);
        let mut compiler = self.compiler.clone();
        compiler[0] = file.to_string_lossy().into_owned();
        let invocation = Invocation {
            compiler: &compiler,
            folder: &folder,
            shown_from: &shown_from,
            settings: &settings,
        };
        let recorder = CommandRecorder {
            log: Log::new(build),
            line,
            compiler: self.compiler.join(" "),
            invocation,
            objects,
        };
        match line.action {
            Action::Compile => recorder.compiled(),
            Action::Link => recorder.linked(false),
            Action::LinkShared => recorder.linked(true),
            Action::Other => Ok(()),
        }
    }
}

/// Whether the machine code of a source's object is read: that of Fortran sources is analysed as source.
fn code_of(language: Language) -> Code {
    match language {
        Language::Fortran => Code::Skipped,
        _ => Code::Read,
    }
}

/// Records a command that succeeded.
struct CommandRecorder<'a> {
    log: Log,
    line: &'a CommandLine,
    /// The compiler as the build or the user names it.
    compiler: String,
    invocation: Invocation<'a>,
    /// The objects of the sources of a command that links.
    objects: Option<&'a SeparateObjects>,
}

impl CommandRecorder<'_> {
    fn compiled(&self) -> Result<()> {
        let mut entries = Vec::new();
        for source in self.line.sources() {
            let object = match &self.line.output {
                Some(output) => output.clone(),
                None => default_object(&source.path),
            };
            // A command such as -fsyntax-only writes no object.
            let Ok(bytes) = std::fs::read(self.invocation.folder.join(object)) else {
                continue;
            };
            entries.push(self.compiled_source(source, &bytes)?);
        }
        self.log.add(&entries)
    }

    fn compiled_source(&self, source: &Source, object: &[u8]) -> Result<BuildLogEntry> {
        Ok(BuildLogEntry::Compiled {
            source: self.source(source)?,
            object: Digest::of(object),
            symbols: objects::object_symbols(object, code_of(source.language)).map(Box::new),
        })
    }

    fn linked(&self, shared: bool) -> Result<()> {
        let output = self.line.output.clone().unwrap_or_else(|| "a.out".into());
        let output = self.invocation.folder.join(output);
        let mut linker = Linker::default();
        let mut parts = Vec::new();
        for part in &self.line.parts {
            parts.push(self.part(part, &mut linker)?);
        }
        let mut library = None;
        if shared {
            library = Some(Digest::of(&std::fs::read(&output)?));
        }
        self.log.add(&[BuildLogEntry::Linked {
            output,
            library,
            parts,
            flags: self.line.settings.flags.clone(),
        }])
    }

    fn part(&self, part: &LinkInput, linker: &mut Linker) -> Result<Linked> {
        Ok(match part {
            LinkInput::Source(source) => self.linked_source(source, linker)?,
            LinkInput::Word(word) => Linked::Word(word.clone()),
            LinkInput::File(path) => {
                let path = self.invocation.folder.join(path);
                Linked::Objects {
                    digests: linker.take(&path),
                    words: vec![path.to_string_lossy().into_owned()],
                }
            }
            LinkInput::Library(name) => self.library(name, linker),
        })
    }

    /// A source that the same command compiled, if possible by its object.
    fn linked_source(&self, source: &Source, linker: &mut Linker) -> Result<Linked> {
        let object = self.objects.and_then(|all| all.object(&source.path));
        let Some(object) = object else {
            return Ok(Linked::Source(self.source(source)?));
        };
        let bytes = crate::files::read_bytes(object)?;
        self.log.add(&[self.compiled_source(source, &bytes)?])?;
        Ok(Linked::Objects {
            digests: linker.take(object),
            words: vec![object.to_string_lossy().into_owned()],
        })
    }

    /// `-lNAME`: the first such file in the folders that the command names, or the linker's own.
    fn library(&self, name: &str, linker: &mut Linker) -> Linked {
        let word = format!("-l{name}");
        for folder in &self.line.library_folders {
            let folder = self.invocation.folder.join(folder);
            // In each folder a shared library comes before an archive, as linkers search.
            for ending in ["so", "a"] {
                let path = folder.join(format!("lib{name}.{ending}"));
                if path.is_file() {
                    return Linked::Objects {
                        digests: linker.take(&path),
                        words: vec![format!("-L{}", folder.display()), word],
                    };
                }
            }
        }
        Linked::Word(word)
    }

    fn source(&self, source: &Source) -> Result<Compiled> {
        let file = self.invocation.expand(source)?;
        let settings = self.invocation.settings;
        let mut flags = settings.flags.clone();
        for folder in &settings.include {
            let folder = self.invocation.folder.join(folder);
            // Otherwise a probe would be compiled with another MPI's constants and types than those
            // of the library that it is linked with.
            if !contains_mpi_headers(&folder) {
                flags.push(format!("-I{}", folder.display()));
            }
        }
        self.log
            .store(&file, source.language, self.compiler.clone(), flags)
    }
}

/// A flag that ends the effect of an earlier `-x`: the files that follow have the language of their names.
fn language_flag_reset(line: &CommandLine) -> Option<&'static str> {
    match line.settings.language_flag {
        LanguageFlag::ByName => None,
        LanguageFlag::Source(..) | LanguageFlag::Other => Some("-xnone"),
    }
}

/// Whether a folder contains headers of an MPI. A probe has its own.
fn contains_mpi_headers(folder: &Path) -> bool {
    let headers = ["mpif.h", "mpi.h", "mpi.mod"];
    headers.iter().any(|name| folder.join(name).exists())
}

/// The object that a compiler writes without `-o`.
fn default_object(source: &Path) -> PathBuf {
    Path::new(source.file_name().unwrap_or_default()).with_extension("o")
}

/// The variable in which the user names the compiler behind MPI's wrappers, and the compiler without it.
fn compiler_variable(language: Language) -> (&'static str, &'static str) {
    match language {
        Language::Fortran => ("MPIETE_FC", "gfortran"),
        Language::C => ("MPIETE_CC", "gcc"),
        Language::Cxx => ("MPIETE_CXX", "g++"),
    }
}

/// The compiler behind MPI's wrappers: the user's choice, or GNU's.
pub fn compiler(language: Language) -> Vec<String> {
    let (variable, default) = compiler_variable(language);
    let words = named_compiler(variable);
    if words.is_empty() {
        vec![default.into()]
    } else {
        words
    }
}

/// The words of a compiler in a variable; none if the user named none.
fn named_compiler(variable: &str) -> Vec<String> {
    super::command_line::split(&std::env::var(variable).unwrap_or_default())
}

/// Which compiler an MPI wrapper of a command called, if the user named none: another one may be the one that the build needs.
pub fn substitution_note(command: &str) -> Option<String> {
    let Role {
        name,
        language,
        mpi,
    } = role(command.split_whitespace().next())?;
    let (variable, default) = compiler_variable(language);
    if !mpi || !named_compiler(variable).is_empty() {
        return None;
    }
    Some(format!(
        "{name} called {default}, since no compiler is named in {variable}; name the one behind your {name} there"
    ))
}

/// Whether a compiler is the wrapper of another MPI and adds that MPI's headers and libraries.
pub fn is_mpi_wrapper(compiler: &str) -> bool {
    let name = Path::new(compiler)
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    name.starts_with("mpi") || name == "ftn"
}

/// PATH without a folder.
fn path_without(folder: Option<&Path>) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Without this, the real compiler's name would find the wrapper again, which would start itself
    // forever.
    let others: Vec<PathBuf> = std::env::split_paths(&path)
        .filter(|one| Some(one.as_path()) != folder)
        .collect();
    std::env::join_paths(others).unwrap_or(path)
}

/// The file of a compiler that the user names, if it exists.
pub fn compiler_file(name: &str) -> Option<PathBuf> {
    let file = find(name, &std::env::var_os("PATH")?);
    if file.is_file() { Some(file) } else { None }
}

/// The file that a command's name stands for on a PATH.
pub fn find(name: &str, path: &OsString) -> PathBuf {
    if !name.contains('/') {
        for folder in std::env::split_paths(path) {
            let file = folder.join(name);
            if file.is_file() {
                return file;
            }
        }
    }
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_are_recognised_with_target_and_version() {
        for name in [
            "gfortran",
            "gfortran-12",
            "x86_64-linux-gnu-gfortran-12",
            "gfortran-12.3",
            "flang-new-18",
        ] {
            assert_eq!(plain_language(name), Some(Language::Fortran), "{name}");
        }
        assert_eq!(plain_language("g++-12"), Some(Language::Cxx));
        assert_eq!(plain_language("aarch64-linux-gnu-gcc"), Some(Language::C));
        for name in ["gcc-ar-12", "my-gcc", "gfortran-wrapper", "mpiete"] {
            assert_eq!(plain_language(name), None, "{name}");
        }
    }
}
