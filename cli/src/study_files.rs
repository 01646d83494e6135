//! Names of a program's sources in a study, and the order in which they compile. A probe's text is preprocessed already, so
//! its name must not request a preprocessor, and it must state the source form.

use crate::build::{Language, references};
use crate::project::{self, OtherSource, Project};
use crate::study::StudyFile;
use frontend::source::{Form, Sources};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Folder of the sources in other languages than Fortran.
const OTHERS: &str = "others";

/// All source files of each probe in the order of compilation.
pub fn all(project: &Project) -> Vec<StudyFile> {
    let names = fortran(&project.sources);
    let recorded = project.recorded.as_ref();
    let mut files = Vec::new();
    for index in project::compile_order(project) {
        let flags = recorded.map(|recorded| recorded.flags.get(index).cloned().unwrap_or_default());
        files.push(StudyFile {
            path: names[index].clone(),
            language: Language::Fortran,
            flags,
        });
    }
    for (source, path) in other_sources(project).iter().zip(other_names(project)) {
        files.push(StudyFile {
            path,
            language: source.language,
            // FFLAGS are flags of a Fortran compiler.
            flags: Some(source.flags.clone()),
        });
    }
    if reference_source(project).is_some() {
        files.push(StudyFile {
            path: references::FILE.into(),
            language: Language::Fortran,
            flags: None,
        });
    }
    files
}

/// The source of the procedure that refers to what the program refers to in its libraries; `None` if there is nothing.
pub fn reference_source(project: &Project) -> Option<String> {
    let symbols = &project.recorded.as_ref()?.references;
    if symbols.is_empty() {
        return None;
    }
    Some(references::source(symbols.iter().map(String::as_str)))
}

fn other_sources(project: &Project) -> &[OtherSource] {
    match &project.recorded {
        Some(recorded) => &recorded.others,
        None => &[],
    }
}

/// Names of the Fortran files below a probe's folder, in the order of the sources.
pub fn fortran(sources: &Sources) -> Vec<String> {
    let own: Vec<_> = sources.files.iter().filter(|file| !file.included).collect();
    let paths: Vec<&str> = own.iter().map(|file| file.path.as_str()).collect();
    let mut taken = BTreeSet::new();
    let mut names = Vec::new();
    for file in own {
        // The folder that is common to all would only lengthen names; deeper folders keep equal
        // names apart.
        let name = with_form(&relative(&file.path, &paths), file.form);
        names.push(unique(&name, &mut taken));
    }
    names
}

/// Names and texts of the other sources, below the study's folder.
pub fn others(project: &Project) -> impl Iterator<Item = (String, &[u8])> {
    let texts = other_sources(project).iter().map(|source| &source.text[..]);
    other_names(project).into_iter().zip(texts)
}

fn other_names(project: &Project) -> Vec<String> {
    let all = other_sources(project);
    let paths: Vec<&str> = all.iter().map(|source| source.path.as_str()).collect();
    let mut taken = BTreeSet::new();
    let mut names = Vec::new();
    for source in all {
        // Endings of preprocessed sources.
        let ending = match source.language {
            Language::C => "i",
            Language::Cxx => "ii",
            Language::Fortran => "f90",
        };
        let below = Path::new(OTHERS)
            .join(relative(&source.path, &paths))
            .with_extension(ending);
        names.push(unique(&below.to_string_lossy(), &mut taken));
    }
    names
}

/// A path below the deepest folder that contains all sources.
fn relative(path: &str, all: &[&str]) -> String {
    let mut shared: Option<PathBuf> = None;
    for path in all {
        let Some(parent) = Path::new(path).parent() else {
            continue;
        };
        shared = Some(match shared {
            Some(shared) => common_prefix(&shared, parent),
            None => parent.to_path_buf(),
        });
    }
    let path = Path::new(path);
    let below = path
        .strip_prefix(shared.unwrap_or_default())
        .unwrap_or(path);
    below
        .to_string_lossy()
        // `../a.f` must not name a file outside of the study.
        .trim_start_matches(['/', '.'])
        .to_string()
}

fn common_prefix(a: &Path, b: &Path) -> PathBuf {
    let mut common = PathBuf::new();
    for (left, right) in a.components().zip(b.components()) {
        if left != right {
            break;
        }
        common.push(left);
    }
    common
}

/// The name with an ending that compilers take for this form and do not preprocess.
fn with_form(name: &str, form: Form) -> String {
    let path = Path::new(name);
    let ending = path.extension().unwrap_or_default();
    let ending = ending.to_string_lossy().to_ascii_lowercase();
    let ending = match (form, ending.as_str()) {
        (Form::Fixed, "f" | "for" | "f77" | "ftn")
        | (Form::Free, "f90" | "f95" | "f03" | "f08") => ending,
        (Form::Fixed, _) => "f".into(),
        (Form::Free, _) => "f90".into(),
    };
    path.with_extension(ending).to_string_lossy().into_owned()
}

/// The name, numbered if another file has it.
fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let path = Path::new(name);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    let mut unique = name.to_string();
    let mut number = 2;
    while !taken.insert(unique.clone()) {
        let numbered = path.with_file_name(format!("{stem}_{number}.{ending}"));
        unique = numbered.to_string_lossy().into_owned();
        number += 1;
    }
    unique
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(files: &[(&str, &str)], expect: &[&str]) {
        let mut sources = Sources::default();
        for (path, text) in files {
            sources.add(path, text.as_bytes());
        }
        assert_eq!(fortran(&sources), expect);
    }

    #[test]
    fn names_state_the_form_without_preprocessing() {
        check(
            &[("a.F", ""), ("b.F90", ""), ("c.for", ""), ("d.fpp", "")],
            &["a.f", "b.f90", "c.for", "d.f"],
        );
        check(&[("free.f", "program p\nend\n")], &["free.f90"]);
    }

    #[test]
    fn names_stay_unique_and_relative() {
        check(
            &[("/x/y/a.F90", ""), ("/x/z/a.f90", "")],
            &["y/a.f90", "z/a.f90"],
        );
        check(
            &[("a.F90", ""), ("a.f90", ""), ("../a.f90", "")],
            &["a.f90", "a_2.f90", "a_3.f90"],
        );
    }
}
