//! The analysed program: source files, a directory or a build, and the section to predict.

use crate::analysis_progress::AnalysisProgress;
use crate::args::ProjectArgs;
use crate::build::command_line::{self, Settings};
use crate::build::preprocessor_flags::Source;
use crate::build::source_expansion::Invocation;
use crate::build::{self, Language, wrapper};
use crate::{call_based_trip_counts, compile, modules, trip_counts, user_assumptions};
use anyhow::{Context, Result, bail};
use base_data::program_data::Assumption;
use frontend::Analysis;
use frontend::options::{AssumptionRequest, LineRequest, SectionRequest};
use frontend::source::Sources;
use std::path::{Path, PathBuf};

/// An analysed program with its sources and compile flags.
pub struct Project {
    /// Its files, included ones too.
    pub sources: Sources,
    /// Result of the frontend.
    pub analysis: frontend::Analysis,
    /// How a build compiles it; `None` for sources that were given by name.
    pub recorded: Option<BuildRecord>,
    /// The options of the analysis.
    options: frontend::Options,
}

impl Project {
    /// The executable statements that the slice would keep, and all, if these procedures without source were declared
    /// data-only, too.
    pub fn share_with_data_only(&self, data_only: &[String]) -> (u64, u64) {
        let options = self.options_with(data_only);
        frontend::slice_share(&self.analysis, &self.sources, &options)
    }

    fn options_with(&self, data_only: &[String]) -> frontend::Options {
        let mut options = self.options.clone();
        options.data_only.extend_from_slice(data_only);
        options
    }

    /// The analysis if these procedures without source were declared data-only, too. Of its explanations, it contains only the
    /// removal conditions and the cause of a large slice.
    pub fn with_data_only(&self, data_only: &[String]) -> Analysis {
        let mut options = self.options_with(data_only);
        options.suggested_assumptions = false;
        // The files that INCLUDE lines name are among the sources already, so that none is added.
        let mut sources = self.sources.clone();
        frontend::analyze(&mut sources, &options, &|_, _| None)
    }

    /// Whether the user declared a procedure without source data-only.
    pub fn is_data_only(&self, name: &str) -> bool {
        self.data_only_names()
            .any(|known| known.eq_ignore_ascii_case(name))
    }

    /// The procedures that the user declared data-only.
    pub fn data_only_names(&self) -> impl Iterator<Item = &str> {
        self.options.data_only.iter().map(String::as_str)
    }

    /// From the next analysis on, proposes nothing about some conditions.
    pub fn compute(&mut self, conditions: &[Assumption]) {
        for condition in conditions {
            let line = self.line_of(condition);
            self.options.computed.push(line);
        }
    }

    /// The line of what is assumed.
    fn line_of(&self, assumption: &Assumption) -> LineRequest {
        let file = &self.analysis.table.files[assumption.span.file as usize];
        LineRequest {
            file: file.path.clone(),
            line: assumption.span.first_line,
        }
    }

    /// Repeats the analysis with further assumptions, each with its reason.
    pub fn assume(&mut self, known: &[Assumption]) {
        for assumption in known {
            let LineRequest { file, line } = self.line_of(assumption);
            self.options.assumptions.push(AssumptionRequest {
                file,
                line,
                outcome: assumption.outcome,
                origin: assumption.origin,
            });
        }
        self.analysis = frontend::analyze(&mut self.sources, &self.options, &|_, _| None);
        // The analysis gives its own reasons; these say where the outcome comes from.
        for (_, assumption) in &mut self.analysis.slice.assumptions {
            for one in known {
                if one.span == assumption.span && one.origin == assumption.origin {
                    assumption.reason.clone_from(&one.reason);
                    break;
                }
            }
        }
    }
}

/// How a build compiles a program.
#[derive(Clone, Debug, Default)]
pub struct BuildRecord {
    /// Flags of the user's own files, in order.
    pub flags: Vec<Vec<String>>,
    /// Sources in other languages.
    pub others: Vec<OtherSource>,
    /// Other inputs of the linker.
    pub link: Vec<String>,
    /// Symbols of them to which the program refers: probes refer to them, too, so that the same files are linked.
    pub references: Vec<String>,
    /// Its Fortran compilers, each once.
    pub compilers: Vec<String>,
}

/// A source in another language than Fortran, preprocessed.
#[derive(Clone, Debug)]
pub struct OtherSource {
    /// Path, as the build names it.
    pub path: String,
    /// Language.
    pub language: Language,
    /// Flags that the build compiles it with.
    pub flags: Vec<String>,
    /// Text after preprocessing.
    pub text: Vec<u8>,
}

/// Reads and analyses the program.
pub fn load(arguments: &ProjectArgs) -> Result<Project> {
    let explanations = Explanations {
        slice_cause: true,
        ..Explanations::default()
    };
    load_with(arguments, explanations)
}

/// Analyses a program that a build made.
pub fn load_built(arguments: &ProjectArgs, built: build::Program) -> Result<Project> {
    load_from(arguments, Explanations::default(), Some(built))
}

/// What explains the slice, if it is requested: each costs time in a large program.
#[derive(Default)]
pub struct Explanations {
    /// Further assumptions that would shrink the slice.
    pub suggested_assumptions: bool,
    /// The cause of a large slice.
    pub slice_cause: bool,
    /// The statement for which to find the assumptions that would remove it from the slice.
    pub removal_conditions: Option<LineRequest>,
}

/// Reads and analyses the program, with some explanations of its slice.
pub fn load_with(arguments: &ProjectArgs, explanations: Explanations) -> Result<Project> {
    load_from(arguments, explanations, None)
}

fn load_from(
    arguments: &ProjectArgs,
    explanations: Explanations,
    built: Option<build::Program>,
) -> Result<Project> {
    // Arguments and mpiete.toml before the build, which may take minutes.
    let section = section(arguments)?;
    let settings = user_assumptions::load(arguments)?;
    let mut sources = Sources::default();
    let mut options = frontend::Options {
        section,
        assumptions: settings.assumptions,
        data_only: settings.data_only,
        trusted: settings.trusted,
        proposals: settings.proposals,
        suggested_assumptions: explanations.suggested_assumptions,
        slice_cause: explanations.slice_cause,
        removal_conditions: explanations.removal_conditions,
        ..frontend::Options::default()
    };
    let program = match (built, &arguments.from_build) {
        (Some(program), _) => Some(program),
        (None, Some(command)) => Some(build::run(command, arguments.program.as_deref())?),
        (None, None) => None,
    };
    let recorded = match program {
        Some(program) => {
            let link = build::linked_code::LinkInputs {
                words: &program.link,
                flags: &program.flags,
                compiled: &program.units,
                fortran: program.fortran.as_deref(),
                mixed: &program.mixed,
            };
            let linked = build::linked_code::read(link, &options.trusted);
            let references = linked.references();
            options.linked = Some(linked);
            let mut recorded = add_built(&mut sources, program);
            recorded.references = references;
            Some(recorded)
        }
        None => {
            add_named(&mut sources, arguments)?;
            None
        }
    };
    let progress = AnalysisProgress::new();
    let analysis = frontend::analyze_by_stage(&mut sources, &options, &|_, _| None, &|stage| {
        progress.begin(stage);
    });
    drop(progress);
    let mut project = Project {
        sources,
        analysis,
        recorded,
        options,
    };
    if let Some(path) = &arguments.assumptions.trips_from
        && let Some(data) = settings.recording
    {
        if call_based_trip_counts::is_unsliced(&data) {
            call_based_trip_counts::assume(&mut project, path, &data)?;
        } else {
            trip_counts::complete(path, &data, &mut project.analysis)?;
        }
    }
    Ok(project)
}

/// Adds the sources that a build compiled.
fn add_built(sources: &mut Sources, program: build::Program) -> BuildRecord {
    let mut recorded = BuildRecord {
        link: program.link,
        ..BuildRecord::default()
    };
    for (source, text) in program.sources {
        match source.language {
            Language::Fortran => {
                sources.add_as(&source.path, &text, source.reading());
                recorded.flags.push(source.flags);
                if !recorded.compilers.contains(&source.compiler) {
                    recorded.compilers.push(source.compiler);
                }
            }
            Language::C | Language::Cxx => {
                recorded.others.push(OtherSource {
                    path: source.path,
                    language: source.language,
                    flags: source.flags,
                    text,
                });
            }
        }
    }
    recorded
}

/// Adds the files that were named.
fn add_named(sources: &mut Sources, arguments: &ProjectArgs) -> Result<()> {
    let settings = settings(arguments);
    let paths = source_files(&arguments.sources)?;
    let named: Vec<Source> = paths
        .iter()
        .map(|path| named_source(path, &settings))
        .collect();
    let command = compile::command();
    let compiler = wrapper::compiler_file(&command[0]);
    // `analyze` works on machines without a compiler, for example a laptop with the sources only.
    if compiler.is_none() && named.iter().any(|source| settings.preprocesses(source)) {
        return add_without_compiler(sources, &named, settings, &command);
    }
    let here = Path::new(".");
    let invocation = Invocation {
        compiler: &command,
        folder: here,
        shown_from: Path::new(""),
        settings: &settings,
    };
    for source in &named {
        sources.files.push(invocation.expand(source)?);
    }
    Ok(())
}

/// A named file is Fortran. FFLAGS may state its source form.
fn named_source(path: &Path, settings: &Settings) -> Source {
    match Source::of(path, &settings.language_flag) {
        Some(source) if source.language == Language::Fortran => source,
        Some(_) | None => Source {
            path: path.to_path_buf(),
            language: Language::Fortran,
            language_flag: None,
        },
    }
}

/// Adds the named files where there is no preprocessor: the frontend evaluates conditions; macros are not expanded.
fn add_without_compiler(
    sources: &mut Sources,
    named: &[Source],
    mut settings: Settings,
    command: &[String],
) -> Result<()> {
    let missing = format!("no preprocessor: '{}' was not found", command.join(" "));
    report!(
        "mpiete: macros and #include are not expanded, only #if is evaluated: {missing}; install \
        gfortran or set FC"
    );
    let preprocessed: Vec<bool> = named
        .iter()
        .map(|source| settings.preprocesses(source))
        .collect();
    let macros = defines(&settings.macros);
    // The choice was evaluated above; from here on the text is read as it stands.
    settings.preprocess = Some(false);
    let here = Path::new(".");
    let invocation = Invocation {
        compiler: command,
        folder: here,
        shown_from: Path::new(""),
        settings: &settings,
    };
    for (source, is_preprocessed) in named.iter().zip(preprocessed) {
        let mut file = if is_preprocessed {
            invocation.read_as_it_is(source)?
        } else {
            invocation.read(source)?
        };
        if is_preprocessed {
            let used = frontend::language::follow_directives(&mut file, &macros);
            if let Some((line, name)) = used {
                // Its text would be parsed as a name, and the analysis would be of another program.
                bail!(
                    "{}:{line}: {name} is a macro, and it cannot be expanded: {missing}; install gfortran or set FC",
                    file.path
                );
            }
        }
        invocation.follow_lines(&mut file);
        sources.files.push(file);
    }
    Ok(())
}

/// The settings of FFLAGS and the command line, which apply to all sources.
fn settings(arguments: &ProjectArgs) -> Settings {
    let flags = std::env::var("FFLAGS").unwrap_or_default();
    let compiler = crate::compile::command();
    let mut settings = Settings::of_compiler(&compiler[1..]).with(&command_line::split(&flags));
    settings.include.extend(arguments.include.iter().cloned());
    settings
        .macros
        .extend(arguments.define.iter().map(|text| format!("-D{text}")));
    settings
}

/// Macros by names and values.
fn defines(macros: &[String]) -> Vec<(String, String)> {
    let mut defines = Vec::new();
    for word in macros {
        let Some(text) = word.strip_prefix("-D") else {
            continue;
        };
        let (name, value) = text.split_once('=').unwrap_or((text, "1"));
        defines.push((name.into(), value.into()));
    }
    defines
}

fn source_files(given: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in given {
        if path.is_dir() {
            let found = fortran_files(path)?;
            if found.is_empty() {
                bail!(
                    "{} contains no Fortran files (.f, .f90, …); name the sources or their \
                    directory",
                    path.display()
                );
            }
            files.extend(found);
        } else if path.exists() {
            if is_c(path) {
                bail!(
                    "{} is a C source, and only Fortran is analysed; record the compiled program instead: \
                     `mpiete record -n RANKS -- ./PROGRAM`",
                    path.display()
                );
            }
            if !is_fortran(path) {
                bail!(
                    "{} is not a Fortran source by its name; sources end in .f, .for, .f90, .F90 and the like",
                    path.display()
                );
            }
            files.push(path.clone());
        } else if path.as_os_str() == "-" {
            bail!(
                "sources are not read from standard input, since reports and probes need their files; write the source to a \
                 file and name that"
            );
        } else {
            bail!(
                "{} does not exist; name Fortran sources or a directory that contains them",
                path.display()
            );
        }
    }
    Ok(files)
}

/// Whether a file is Fortran by its name.
pub fn is_fortran(path: &Path) -> bool {
    Language::of(path) == Some(Language::Fortran)
}

fn is_c(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    matches!(ending, Some("c" | "cc" | "cpp" | "cxx" | "C"))
}

fn fortran_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_file() && is_fortran(&path) {
            files.push(path);
        }
    }
    // Folders have no order of their own; results must not depend on the file system.
    files.sort();
    Ok(files)
}

fn section(arguments: &ProjectArgs) -> Result<Option<SectionRequest>> {
    let Some(text) = &arguments.section else {
        return Ok(if arguments.whole {
            None
        } else {
            Some(SectionRequest::Timed)
        });
    };
    let Some((file, lines)) = text.rsplit_once(':') else {
        return Ok(Some(SectionRequest::Procedure(text.to_ascii_lowercase())));
    };
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) if first <= last && first > 0 => Ok(Some(SectionRequest::Lines {
            file: file.to_string(),
            first,
            last,
        })),
        _ => bail!(
            "--section {text}: '{lines}' is not a range of lines; write FILE:FIRST-LAST or a procedure's name"
        ),
    }
}

/// Indices of the user's own files in an order in which modules come before their users. Files without such a dependence
/// keep the given order.
pub fn compile_order(project: &Project) -> Vec<usize> {
    let texts: Vec<String> = own_texts(project).collect();
    let defines: Vec<Vec<String>> = texts.iter().map(|text| modules::defined(text)).collect();
    let uses: Vec<Vec<String>> = texts.iter().map(|text| modules::used(text)).collect();
    let mut rest: Vec<usize> = (0..texts.len()).collect();
    let mut order = Vec::new();
    while !rest.is_empty() {
        // Modules that use each other in a cycle do not compile in any order; the compiler reports that best.
        let mut next = 0;
        for (position, &file) in rest.iter().enumerate() {
            let waits = rest
                .iter()
                .any(|&other| other != file && intersects(&uses[file], &defines[other]));
            if !waits {
                next = position;
                break;
            }
        }
        order.push(rest.remove(next));
    }
    order
}

fn intersects(names: &[String], others: &[String]) -> bool {
    names.iter().any(|name| others.contains(name))
}

/// Whether any of the user's own files says `use NAME`.
pub fn uses_module(project: &Project, name: &str) -> bool {
    for text in own_texts(project) {
        if modules::used(&text).iter().any(|used| used == name) {
            return true;
        }
    }
    false
}

fn own_texts(project: &Project) -> impl Iterator<Item = String> + '_ {
    let own = project.sources.files.iter().filter(|file| !file.included);
    own.map(|file| String::from_utf8_lossy(&file.text).to_ascii_lowercase())
}
