//! A program as the user gives it: source files or a directory, INCLUDE directories, a section.

use crate::args::ProjectArgs;
use anyhow::{Context, Result, bail};
use frontend::source::{Loader, Sources};
use std::path::{Path, PathBuf};

/// Endings of Fortran source files.
const ENDINGS: [&str; 10] = ["f", "F", "for", "FOR", "f77", "F77", "f90", "F90", "f95", "f03"];

/// An analysed program with what is needed to write it out again.
pub struct Project {
    /// Its files, included ones too.
    pub sources: Sources,
    /// What the frontend found.
    pub analysis: frontend::Analysis,
}

/// Reads and analyses the program.
pub fn load(arguments: &ProjectArgs) -> Result<Project> {
    let paths = source_files(&arguments.sources)?;
    let mut sources = Sources::default();
    for path in &paths {
        let text = std::fs::read(path)
            .with_context(|| format!("{} cannot be read; check the path", path.display()))?;
        sources.add(&path.to_string_lossy(), &text);
    }
    let defines = defines(&std::env::var("FFLAGS").unwrap_or_default());
    let dialect = frontend::language::Dialect { defines };
    let options = frontend::Options { dialect, section: section(arguments)?, ..frontend::Options::default() };
    let loader = |name: &str, from: &str| include(name, from, &arguments.include);
    let analysis = frontend::analyze(&mut sources, &options, &loader as &Loader);
    Ok(Project { sources, analysis })
}

/// The macros that compiler flags define, `-DNAME` and `-DNAME=VALUE`: the branch of an #if that the
/// compiler takes is the one to analyse.
fn defines(flags: &str) -> Vec<(String, String)> {
    let macros = flags.split_whitespace().filter_map(|flag| flag.strip_prefix("-D"));
    macros
        .map(|text| text.split_once('=').unwrap_or((text, "1")))
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

fn source_files(given: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in given {
        if path.is_dir() {
            let found = fortran_files(path)?;
            if found.is_empty() {
                bail!(
                    "{} holds no Fortran files (.f, .f90, …); name the sources or their directory",
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
                    "{} is not a Fortran source by its name; sources end in .{}",
                    path.display(),
                    ENDINGS.join(", .")
                );
            }
            files.push(path.clone());
        } else {
            bail!("{} does not exist; name Fortran sources or a directory that holds them", path.display());
        }
    }
    Ok(files)
}

fn is_fortran(path: &Path) -> bool {
    path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| ENDINGS.contains(&ending))
}

fn is_c(path: &Path) -> bool {
    let endings = ["c", "cc", "cpp", "cxx", "C"];
    path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| endings.contains(&ending))
}

fn fortran_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path: &PathBuf| path.is_file() && is_fortran(path))
        .collect();
    files.sort();
    Ok(files)
}

/// Looks for an INCLUDE file beside the including file, then in the given directories.
fn include(name: &str, from: &str, directories: &[PathBuf]) -> Option<(String, Vec<u8>)> {
    let beside = Path::new(from).parent().unwrap_or(Path::new("."));
    let folders = std::iter::once(beside).chain(directories.iter().map(PathBuf::as_path));
    let found = folders.map(|folder| folder.join(name));
    found.into_iter().find_map(|path| Some((path.to_string_lossy().into_owned(), std::fs::read(&path).ok()?)))
}

fn section(arguments: &ProjectArgs) -> Result<Option<frontend::options::SectionRequest>> {
    let Some(text) = &arguments.section else { return Ok(None) };
    let Some((file, lines)) = text.rsplit_once(':') else {
        return Ok(Some(frontend::options::SectionRequest::Procedure(text.to_ascii_lowercase())));
    };
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) if first <= last && first > 0 => {
            Ok(Some(frontend::options::SectionRequest::Lines { file: file.to_string(), first, last }))
        }
        _ => bail!(
            "--section {text}: '{lines}' is not a range of lines; write FILE:FIRST-LAST or a procedure's name"
        ),
    }
}

/// Indices of the user's own files in an order in which modules come before their users; the given
/// order where nothing decides.
pub fn compile_order(project: &Project) -> Vec<usize> {
    let texts: Vec<String> = own_texts(project).collect();
    let defines: Vec<Vec<String>> = texts.iter().map(|text| words_after(text, "module")).collect();
    let uses: Vec<Vec<String>> = texts.iter().map(|text| words_after(text, "use")).collect();
    let mut order: Vec<usize> = Vec::new();
    while order.len() < texts.len() {
        let waits = |index: usize| {
            let open = (0..texts.len()).filter(|other| *other != index && !order.contains(other));
            open.into_iter().any(|other| uses[index].iter().any(|name| defines[other].contains(name)))
        };
        let rest: Vec<usize> = (0..texts.len()).filter(|index| !order.contains(index)).collect();
        // Modules in a circle do not compile anyway: the compiler says so best.
        let next = rest.iter().copied().find(|&index| !waits(index)).unwrap_or(rest[0]);
        order.push(next);
    }
    order
}

/// Whether any of the user's own files says `use NAME`.
pub fn uses_module(project: &Project, name: &str) -> bool {
    own_texts(project).any(|text| words_after(&text, "use").iter().any(|used| used == name))
}

fn own_texts(project: &Project) -> impl Iterator<Item = String> + '_ {
    let own = project.sources.files.iter().filter(|file| !file.included);
    own.map(|file| String::from_utf8_lossy(&file.text).to_ascii_lowercase())
}

/// The names in lines `KEYWORD name` or `KEYWORD, … :: name`.
fn words_after(text: &str, keyword: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix(keyword)?;
        let rest = rest.strip_prefix([' ', ',', ':'])?;
        let rest = rest.split_once("::").map_or(rest, |(_, name)| name).trim_start();
        let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        (!name.is_empty() && name != "procedure").then_some(name)
    });
    names.collect()
}
