//! Names of a program's sources in a study, and the order in which they compile. A probe's text needs no
//! preprocessor any more, so its name must not ask for one, and its form must be told by its name.

use crate::build::Language;
use crate::project::{self, Project};
use crate::study::StudyFile;
use frontend::source::{Form, Sources};
use std::collections::BTreeSet;
use std::path::Path;

/// Folder of the sources in other languages than Fortran.
const OTHERS: &str = "others";

/// All source files of each probe in the order of compilation.
pub fn all(project: &Project) -> Vec<StudyFile> {
    let names = fortran(&project.sources);
    let recorded = project.recorded.as_ref();
    let flags = |index: usize| {
        recorded.map(|recorded| recorded.flags.get(index).cloned().unwrap_or_default())
    };
    let order = project::compile_order(project).into_iter();
    let own = order.map(|index| StudyFile {
        path: names[index].clone(),
        language: Language::Fortran,
        flags: flags(index),
    });
    let others = recorded
        .into_iter()
        .flat_map(|recorded| recorded.others.iter().zip(other_names(project)));
    let others = others.map(|((_, language, flags, _), path)| StudyFile {
        path,
        language: *language,
        flags: Some(flags.clone()),
    });
    own.chain(others).collect()
}

/// Names of the Fortran files below a probe's folder, in the order of the sources.
pub fn fortran(sources: &Sources) -> Vec<String> {
    let own: Vec<_> = sources.files.iter().filter(|file| !file.included).collect();
    let paths: Vec<&str> = own.iter().map(|file| file.path.as_str()).collect();
    let mut taken = BTreeSet::new();
    let names = own.iter().map(|file| {
        unique(
            &with_form(&relative(&file.path, &paths), file.form),
            &mut taken,
        )
    });
    names.collect()
}

/// Names and texts of the other sources, below the study's folder.
pub fn others(project: &Project) -> impl Iterator<Item = (String, &[u8])> {
    let all = project
        .recorded
        .iter()
        .flat_map(|recorded| &recorded.others);
    other_names(project)
        .into_iter()
        .zip(all.map(|(_, _, _, text)| text.as_slice()))
}

fn other_names(project: &Project) -> Vec<String> {
    let all: Vec<_> = project
        .recorded
        .iter()
        .flat_map(|recorded| &recorded.others)
        .collect();
    let paths: Vec<&str> = all.iter().map(|(path, ..)| path.as_str()).collect();
    let mut taken = BTreeSet::new();
    let name = |(path, language, _, _): &&(String, Language, Vec<String>, Vec<u8>)| {
        let ending = match language {
            Language::C => "i",
            Language::Cxx => "ii",
            Language::Fortran => "f90",
        };
        let below = Path::new(OTHERS)
            .join(relative(path, &paths))
            .with_extension(ending);
        unique(&below.to_string_lossy(), &mut taken)
    };
    all.iter().map(name).collect()
}

/// A path below the folder that all sources share.
fn relative(path: &str, all: &[&str]) -> String {
    let parents = all.iter().filter_map(|path| Path::new(path).parent());
    let shared = parents.map(Path::to_path_buf).reduce(|a, b| {
        let common = a
            .components()
            .zip(b.components())
            .take_while(|(x, y)| x == y);
        common.map(|(component, _)| component).collect()
    });
    let shared = shared.unwrap_or_default();
    let below = Path::new(path)
        .strip_prefix(&shared)
        .unwrap_or(Path::new(path));
    below
        .to_string_lossy()
        .trim_start_matches(['/', '.'])
        .to_string()
}

/// The name with an ending that compilers take for this form and do not preprocess.
fn with_form(name: &str, form: Form) -> String {
    let path = Path::new(name);
    let ending = path
        .extension()
        .map(|ending| ending.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default();
    let ending = match (form, ending.as_str()) {
        (Form::Fixed, "f" | "for" | "f77" | "ftn")
        | (Form::Free, "f90" | "f95" | "f03" | "f08") => ending,
        (Form::Fixed, _) => "f".into(),
        (Form::Free, _) => "f90".into(),
    };
    path.with_extension(ending).to_string_lossy().into_owned()
}

/// The name, or one like it that no other file has.
fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let path = Path::new(name);
    let (stem, ending) = (
        path.file_stem().unwrap_or_default(),
        path.extension().unwrap_or_default(),
    );
    let numbered = |number: u32| {
        let file = format!(
            "{}_{number}.{}",
            stem.to_string_lossy(),
            ending.to_string_lossy()
        );
        path.with_file_name(file).to_string_lossy().into_owned()
    };
    let names = std::iter::once(name.to_string()).chain((2..).map(numbered));
    let mut free = names.filter(|name| !taken.contains(name));
    let name = free.next().unwrap_or_else(|| name.to_string());
    taken.insert(name.clone());
    name
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
