//! The compiler wrappers: this program under the names `mpiete-fc` and `mpiete-cc`, and during a build
//! under those of other MPI wrappers and of plain compilers. They compile and link in earnest, and write
//! down what they did.

use super::command_line::{Action, CommandLine, Language, LinkInput};
use super::log::{Compiled, Entry, Linked, Log};
use super::mpi_libraries::without_mpi;
use super::objects::Linker;
use super::preprocessor_flags::{LanguageFlag, Source};
use super::source_expansion::Invocation;
use super::toolkit::Toolkit;
use super::wrapper_queries::{WrappedCompiler, WrapperQuery};
use anyhow::{Context, Result};
use base_data::ids::Digest;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Says to wrappers of a build which folder is the build's.
pub const BUILD: &str = "MPIETE_BUILD";
/// Says to wrappers of a build where the user stands.
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
    ("ftn", Language::Fortran),
    ("mpiete-cc", Language::C),
    ("mpicc", Language::C),
    ("mpiicc", Language::C),
    ("mpiicx", Language::C),
    ("mpicxx", Language::Cxx),
    ("mpic++", Language::Cxx),
    ("mpiCC", Language::Cxx),
];

/// Names of compilers that builds call by themselves, with flags for MPI of their own.
pub const PLAIN_NAMES: [(&str, Language); 18] = [
    ("gfortran", Language::Fortran),
    ("f77", Language::Fortran),
    ("f90", Language::Fortran),
    ("f95", Language::Fortran),
    ("ifort", Language::Fortran),
    ("ifx", Language::Fortran),
    ("flang", Language::Fortran),
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

/// What this program is by the name it was called by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    name: String,
    language: Language,
    mpi: bool,
}

/// The role for a name; `None` for `mpiete` itself.
pub fn role(called: Option<&str>) -> Option<Role> {
    let name = Path::new(called?).file_name()?.to_str()?;
    let among = |names: &[(&str, Language)], mpi| {
        let (_, language) = names.iter().find(|(known, _)| *known == name)?;
        Some(Role {
            name: name.to_string(),
            language: *language,
            mpi,
        })
    };
    among(&MPI_NAMES, true).or_else(|| among(&PLAIN_NAMES, false))
}

/// Does what the compiler would do, ends as it ends, and writes it down if a build is watched.
pub fn run(role: &Role, words: &[String]) -> Result<ExitCode> {
    let build = std::env::var_os(BUILD).map(PathBuf::from);
    let wrapper = Wrapper::new(role, build.as_deref())?;
    let question = words.iter().find_map(|word| WrapperQuery::of(word));
    let rest: Vec<String> = words
        .iter()
        .filter(|word| WrapperQuery::of(word).is_none())
        .cloned()
        .collect();
    let line = CommandLine::read_after(&wrapper.compiler[1..], &rest);
    if let (Some(question), Some(toolkit)) = (question, &wrapper.toolkit) {
        let links = !rest
            .iter()
            .any(|word| matches!(word.as_str(), "-c" | "-E" | "-S" | "-M"));
        crate::files::print_line(
            wrapper
                .wrapped_compiler(toolkit)
                .output(question, &rest, links),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let code = wrapper.compile(words, &line)?;
    match &build {
        Some(build) if code == 0 => wrapper.record_command(build, &line)?,
        Some(build) => {
            Log::new(build).add(&[Entry::Failed(format!("{} {}", role.name, words.join(" ")))])?
        }
        None => {}
    }
    Ok(ExitCode::from(code))
}

struct Wrapper<'a> {
    role: &'a Role,
    /// The real compiler's name and first words.
    compiler: Vec<String>,
    /// Where programs get MPI from, unless the compiler is a wrapper or the build says so by itself.
    toolkit: Option<Toolkit>,
    /// PATH without the wrappers.
    path: OsString,
}

impl<'a> Wrapper<'a> {
    fn new(role: &'a Role, build: Option<&Path>) -> Result<Self> {
        let compiler = if role.mpi {
            compiler(role.language)
        } else {
            vec![role.name.clone()]
        };
        let brings_mpi = is_mpi_wrapper(&compiler[0]);
        let toolkit = match (role.mpi && !brings_mpi, build) {
            (false, _) => None,
            (true, Some(build)) => Some(Toolkit::at(&build.join(TOOLKIT))),
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

    /// Runs the compiler; gives its exit code.
    fn compile(&self, words: &[String], line: &CommandLine) -> Result<u8> {
        let mut command = Command::new(find(&self.compiler[0], &self.path));
        command.args(&self.compiler[1..]).env("PATH", &self.path);
        if let Some(toolkit) = self
            .toolkit
            .as_ref()
            .filter(|_| line.action != Action::Other || !line.parts.is_empty())
        {
            let wrapped_compiler = self.wrapped_compiler(toolkit);
            if matches!(line.action, Action::Link | Action::LinkShared) {
                command
                    .args(wrapped_compiler.leading_link_arguments())
                    .args(without_mpi(words));
                command
                    .args(wrapped_compiler.compile_flags())
                    .args(language_flag_reset(line));
                command.args(wrapped_compiler.trailing_link_arguments());
            } else {
                command.args(words).args(wrapped_compiler.compile_flags());
            }
        } else {
            command.args(words);
        }
        let shown = self.compiler.join(" ");
        let status = command.status().with_context(|| {
            format!(
                "{}: '{shown}' cannot be started; install it, or name another in MPIETE_FC or MPIETE_CC",
                self.role.name
            )
        })?;
        Ok(status
            .code()
            .and_then(|code| u8::try_from(code).ok())
            .unwrap_or(1))
    }

    fn record_command(&self, build: &Path, line: &CommandLine) -> Result<()> {
        let folder = std::env::current_dir().context("the current folder is unknown")?;
        let shown_from = std::env::var_os(SHOWN_FROM).map_or_else(|| folder.clone(), PathBuf::from);
        let mut settings = line.settings.clone();
        if let Some(toolkit) = &self.toolkit {
            settings.include.push(toolkit.include());
        }
        if self.role.language == Language::Fortran
            && line
                .sources()
                .any(|source| source.language == Language::Fortran)
        {
            settings
                .flags
                .extend(self.toolkit.iter().flat_map(Toolkit::flags));
        }
        let compiler = [
            vec![
                find(&self.compiler[0], &self.path)
                    .to_string_lossy()
                    .into_owned(),
            ],
            self.compiler[1..].to_vec(),
        ]
        .concat();
        let invocation = Invocation {
            compiler: &compiler,
            folder: &folder,
            shown_from: &shown_from,
            settings: &settings,
        };
        let scribe = CommandRecorder {
            log: Log::new(build),
            line,
            invocation,
        };
        match line.action {
            Action::Compile => scribe.compiled(),
            Action::Link => scribe.linked(false),
            Action::LinkShared => scribe.linked(true),
            Action::Other => Ok(()),
        }
    }
}

/// Writes down a command that succeeded.
struct CommandRecorder<'a> {
    log: Log,
    line: &'a CommandLine,
    invocation: Invocation<'a>,
}

impl CommandRecorder<'_> {
    fn compiled(&self) -> Result<()> {
        let mut entries = Vec::new();
        for source in self.line.sources() {
            let object = self.invocation.folder.join(
                self.line
                    .output
                    .clone()
                    .unwrap_or_else(|| default_object(&source.path)),
            );
            let Ok(bytes) = std::fs::read(&object) else {
                continue;
            };
            entries.push(Entry::Compiled {
                source: self.source(source)?,
                object: Digest::of(&bytes),
            });
        }
        self.log.add(&entries)
    }

    fn linked(&self, shared: bool) -> Result<()> {
        let output = self.line.output.clone().unwrap_or_else(|| "a.out".into());
        let output = self.invocation.folder.join(output);
        let mut linker = Linker::default();
        let parts = self
            .line
            .parts
            .iter()
            .map(|part| self.part(part, &mut linker))
            .collect::<Result<_>>()?;
        let library = shared
            .then(|| std::fs::read(&output).map(|bytes| Digest::of(&bytes)))
            .transpose()?;
        self.log.add(&[Entry::Linked {
            output,
            library,
            parts,
        }])
    }

    fn part(&self, part: &LinkInput, linker: &mut Linker) -> Result<Linked> {
        Ok(match part {
            LinkInput::Source(source) => Linked::Source(self.source(source)?),
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

    /// `-lNAME`: the first such file in the folders that the command names, or the linker's own.
    fn library(&self, name: &str, linker: &mut Linker) -> Linked {
        let folders = self
            .line
            .library_folders
            .iter()
            .map(|folder| self.invocation.folder.join(folder));
        let files = folders.flat_map(|folder| {
            ["so", "a"].map(|ending| folder.join(format!("lib{name}.{ending}")))
        });
        let found = files.into_iter().find(|path| path.is_file());
        let word = format!("-l{name}");
        match found {
            Some(path) => {
                let folder = path
                    .parent()
                    .map(|folder| format!("-L{}", folder.display()));
                Linked::Objects {
                    digests: linker.take(&path),
                    words: folder.into_iter().chain([word]).collect(),
                }
            }
            None => Linked::Word(word),
        }
    }

    fn source(&self, source: &Source) -> Result<Compiled> {
        let file = self.invocation.expand(source)?;
        let folders = self
            .invocation
            .settings
            .include
            .iter()
            .map(|folder| self.invocation.folder.join(folder));
        let flags = self.invocation.settings.flags.iter().cloned();
        let include = folders
            .filter(|folder| !contains_mpi_headers(folder))
            .map(|folder| format!("-I{}", folder.display()));
        self.log
            .store(&file, source.language, flags.chain(include).collect())
    }
}

/// What makes compilers take the files that follow for what their names say, after `-x` has said otherwise.
fn language_flag_reset(line: &CommandLine) -> Option<&'static str> {
    (line.settings.language_flag != LanguageFlag::ByName).then_some("-xnone")
}

/// Whether a folder holds headers of an MPI: a probe has its own.
fn contains_mpi_headers(folder: &Path) -> bool {
    ["mpif.h", "mpi.h", "mpi.mod"]
        .iter()
        .any(|name| folder.join(name).exists())
}

/// Where a compiler puts the object of a source that is not told where.
fn default_object(source: &Path) -> PathBuf {
    Path::new(source.file_name().unwrap_or_default()).with_extension("o")
}

/// The compiler behind MPI's wrappers: the user's choice, or GNU's.
pub fn compiler(language: Language) -> Vec<String> {
    let (variable, default) = match language {
        Language::Fortran => ("MPIETE_FC", "gfortran"),
        Language::C => ("MPIETE_CC", "gcc"),
        Language::Cxx => ("MPIETE_CXX", "g++"),
    };
    let named = std::env::var(variable).unwrap_or_default();
    let words = super::command_line::split(&named);
    if words.is_empty() {
        vec![default.into()]
    } else {
        words
    }
}

/// Whether a compiler brings an MPI of its own.
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
    let others: Vec<PathBuf> = std::env::split_paths(&path)
        .filter(|one| Some(one.as_path()) != folder)
        .collect();
    std::env::join_paths(others).unwrap_or(path)
}

/// The file of a compiler that the user names, if it is there.
pub fn compiler_file(name: &str) -> Option<PathBuf> {
    Some(find(name, &std::env::var_os("PATH")?)).filter(|file| file.is_file())
}

/// The file that a command's name stands for on a PATH.
pub fn find(name: &str, path: &OsString) -> PathBuf {
    if name.contains('/') {
        return name.into();
    }
    let places = std::env::split_paths(path).map(|folder| folder.join(name));
    places
        .into_iter()
        .find(|place| place.is_file())
        .unwrap_or_else(|| name.into())
}
