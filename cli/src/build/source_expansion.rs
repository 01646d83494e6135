//! Expands source files: runs the compiler's own preprocessor where a name or flag requires it and inserts the files of INCLUDE
//! lines, with line markers that lead back to the user's lines.

use super::command_line::{Language, Settings};
use super::preprocessor_flags::{Source, first_directive};
use crate::compiler_process;
use anyhow::{Context, Result, bail};
use frontend::line_markers;
use frontend::source::{SourceFile, Sources};
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// A compiler as it is called, and where.
pub struct Invocation<'a> {
    /// Its name and first words.
    pub compiler: &'a [String],
    /// The folder it runs in.
    pub folder: &'a Path,
    /// The folder whose paths are shown without it: the user's.
    pub shown_from: &'a Path,
    /// Settings of the command.
    pub settings: &'a Settings,
}

impl Invocation<'_> {
    /// A path of a command as messages show it: relative if it is below the user's folder.
    pub fn display_path(&self, path: &Path) -> String {
        let whole = normalized(&self.folder.join(path));
        let below = whole.strip_prefix(self.shown_from).map(Path::to_path_buf);
        below.unwrap_or(whole).to_string_lossy().into_owned()
    }

    /// The text of a source, with its form. C and C++ are preprocessed only.
    ///
    /// # Errors
    /// The file cannot be read, or the preprocessor reports an error.
    pub fn expand(&self, source: &Source) -> Result<SourceFile> {
        let mut file = self.read(source)?;
        if source.language == Language::Fortran {
            self.follow_lines(&mut file);
        }
        Ok(file)
    }

    /// The text of a source, preprocessed if its name or the flags require it.
    ///
    /// # Errors
    /// As [`Self::expand`], or the preprocessor fails.
    pub fn read(&self, source: &Source) -> Result<SourceFile> {
        let is_preprocessed =
            source.language != Language::Fortran || self.settings.preprocesses(source);
        if is_preprocessed {
            return Ok(self.file_of(source, &self.preprocessed(source)?));
        }
        let file = self.read_as_it_is(source)?;
        // A directive that is left stays in the text, so that the build goes on; the analysis rejects it with its line.
        if first_directive(&file.text).is_some() && self.always_preprocesses() {
            return Ok(self.file_of(source, &self.preprocessed(source)?));
        }
        Ok(file)
    }

    /// The text of a source, not preprocessed.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read_as_it_is(&self, source: &Source) -> Result<SourceFile> {
        let path = self.display_path(&source.path);
        let text = std::fs::read(self.folder.join(&source.path))
            .with_context(|| format!("{path} cannot be read; check the path"))?;
        Ok(self.file_of(source, &text))
    }

    fn file_of(&self, source: &Source, text: &[u8]) -> SourceFile {
        let mut sources = Sources::default();
        sources.add_as(
            &self.display_path(&source.path),
            text,
            self.settings.reading(source),
        );
        sources.files.swap_remove(0)
    }

    /// Follows the conditional and INCLUDE lines of a Fortran source.
    pub fn follow_lines(&self, file: &mut SourceFile) {
        self.follow_conditional_lines(file);
        frontend::language::follow_includes(file, &|name, from| self.included(name, from));
        self.follow_conditional_lines(file);
    }

    /// Called before INCLUDE lines are followed, since these may be conditional, and after, for the lines of the included files.
    fn follow_conditional_lines(&self, file: &mut SourceFile) {
        if self.settings.conditional_lines {
            frontend::language::follow_conditional_lines(file);
        }
    }

    /// The preprocessed text of a source, with paths in line markers as messages show them.
    fn preprocessed(&self, source: &Source) -> Result<Vec<u8>> {
        Ok(line_markers::rename(&self.preprocess(source)?, |name| {
            self.display_path(Path::new(name))
        }))
    }

    /// Whether the compiler follows directives in every file: LLVM's flang does, whose `-nocpp` only removes macros.
    fn always_preprocesses(&self) -> bool {
        let output = Command::new(&self.compiler[0])
            .args(&self.compiler[1..])
            .arg("--version")
            .output();
        output.is_ok_and(|output| is_llvm_flang(&String::from_utf8_lossy(&output.stdout)))
    }

    /// The output of the preprocessor for a source.
    fn preprocess(&self, source: &Source) -> Result<Vec<u8>> {
        let mut command = Command::new(&self.compiler[0]);
        command
            .args(&self.compiler[1..])
            .current_dir(self.folder)
            .arg("-E");
        if source.language == Language::Fortran {
            // The flag as the user spelled it: `-E` alone does not preprocess a file such as `a.f`, whose name does not require it.
            command.args(&self.settings.preprocess_flag);
        }
        let flags = self
            .settings
            .flags
            .iter()
            .filter(|flag| !is_form(flag) && !suppresses_line_markers(flag));
        command.args(&self.settings.macros).args(flags);
        command.args(
            self.settings
                .include
                .iter()
                .map(|folder| format!("-I{}", folder.display())),
        );
        command.args(&self.settings.preprocessor_folders);
        let shown = self.compiler.join(" ");
        if let Some(language_flag) = &source.language_flag {
            // After the flags and directly before the source, which it concerns.
            command.args(["-x", language_flag]);
        }
        let output = compiler_process::output(command.arg(&source.path));
        let output = output.with_context(|| {
            format!("no preprocessor: '{shown}' cannot be started; install gfortran or set FC")
        })?;
        if !output.status.success() {
            bail!(
                "{} cannot be preprocessed: {shown} reports\n{}\nname the folders of its #include \
                files with -I and its macros with -D",
                self.display_path(&source.path),
                String::from_utf8_lossy(&output.stderr).trim_end()
            );
        }
        Ok(output.stdout)
    }

    /// A file that an INCLUDE line names: beside the file that has the line, in the folder of the command,
    /// in those it names, then in the compiler's own.
    fn included(&self, name: &str, from: &str) -> Option<(String, Vec<u8>)> {
        let beside = self
            .shown_from
            .join(from)
            .parent()
            .map(Path::to_path_buf)
            .unwrap_or_default();
        let named = self
            .settings
            .include
            .iter()
            .map(|folder| self.folder.join(folder));
        // Fortran leaves the search to the compiler. This is gfortran's order.
        let folders = [beside, self.folder.to_path_buf()].into_iter().chain(named);
        let read = |path: PathBuf| Some((self.display_path(&path), std::fs::read(&path).ok()?));
        let found = folders.map(|folder| folder.join(name)).find_map(read);
        found.or_else(|| read(self.compiler_include_folder()?.join(name)))
    }

    /// GNU Fortran's folder of files such as `omp_lib.h`; other compilers have no flag that prints theirs.
    fn compiler_include_folder(&self) -> Option<PathBuf> {
        let mut command = Command::new(&self.compiler[0]);
        let output = command
            .args(&self.compiler[1..])
            .arg("-print-file-name=finclude")
            .output()
            .ok()?;
        let folder = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        // GNU prints the bare name `finclude` if the folder does not exist.
        if output.status.success() && folder.is_absolute() {
            Some(folder)
        } else {
            None
        }
    }
}

/// Whether a flag sets the line length. Preprocessing does not depend on it.
fn is_form(flag: &str) -> bool {
    flag.starts_with("-ffixed-line") || flag.starts_with("-ffree-line")
}

/// Whether a flag makes a preprocessor omit line markers, without which lines of the output have no place in the source.
fn suppresses_line_markers(flag: &str) -> bool {
    matches!(flag, "-P" | "-EP")
}

/// Whether a compiler with this `--version` is LLVM's flang. The older one, by NVIDIA, prints `clang version`.
fn is_llvm_flang(version: &str) -> bool {
    version
        .lines()
        .any(|line| line.contains("flang-new version") || line.contains("flang version"))
}

/// A path without `.` and, after a normal component, without `..`.
pub fn normalized(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(out.components().next_back(), Some(Component::Normal(_))) =>
            {
                out.pop();
            }
            Component::ParentDir
            | Component::Normal(_)
            | Component::RootDir
            | Component::Prefix(_) => {
                out.push(component);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(folder: &Path, source: &str, settings: &Settings) -> Result<SourceFile> {
        let compiler = ["gfortran".to_string()];
        let invocation = Invocation {
            compiler: &compiler,
            folder,
            shown_from: folder.parent().unwrap(),
            settings,
        };
        invocation.expand(&Source::of(Path::new(source), &settings.language_flag).unwrap())
    }

    #[test]
    fn macros_and_both_kinds_of_include_are_expanded() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().join("sub");
        std::fs::create_dir_all(here.join("inc")).unwrap();
        let files = [
            (
                "a.F",
                "#include \"n.h\"\n      program a\n      include 'd.h'\n      x(N) = 1\n      end\n",
            ),
            ("inc/n.h", "#define N 12\n"),
            ("inc/d.h", "      real x(3)\n"),
        ];
        for (name, text) in files {
            std::fs::write(here.join(name), text).unwrap();
        }
        let settings = Settings {
            include: vec!["inc".into()],
            ..Settings::default()
        };
        let file = expand(&here, "a.F", &settings).unwrap();
        let text = String::from_utf8(file.text).unwrap();
        assert_eq!(file.path, "sub/a.F");
        let expect = "      program a\n# 1 \"sub/inc/d.h\" 1\n      real x(3)\n# 4 \"sub/a.F\" 2\n      x(12) = 1\n      end\n";
        assert!(text.ends_with(expect), "{text}");
        let error = expand(&here, "a.F", &Settings::default())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("sub/a.F cannot be preprocessed") && error.contains("n.h"),
            "{error}"
        );
    }

    #[test]
    fn compiler_include_files_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let text = "program a\n  include 'omp_lib.h'\n  include 'none.h'\nend program\n";
        std::fs::write(folder.path().join("a.f90"), text).unwrap();
        let file = expand(folder.path(), "a.f90", &Settings::default()).unwrap();
        let text = String::from_utf8(file.text).unwrap();
        assert!(
            text.contains("omp_get_num_threads") && text.contains("include 'none.h'"),
            "{text}"
        );
    }

    /// Also where they name files, and in these.
    #[test]
    fn conditional_lines_are_statements_with_openmp() {
        let folder = tempfile::tempdir().unwrap();
        let files = [
            (
                "a.F",
                "!$    include 'd.h'\n#ifdef _OPENMP\nC$ 10 x = n\n#endif\n!$omp parallel\n      end\n",
            ),
            ("d.h", "*$    n = 1 +\n*$   & 2\n"),
        ];
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let mut settings = Settings::default();
        let without = expand(folder.path(), "a.F", &settings).unwrap();
        assert!(
            String::from_utf8(without.text)
                .unwrap()
                .contains("!$    include 'd.h'\n")
        );
        settings.take("-fopenmp", None);
        let text =
            String::from_utf8(expand(folder.path(), "a.F", &settings).unwrap().text).unwrap();
        assert!(text.contains("\n      n = 1 +\n     & 2\n"), "{text}");
        assert!(
            text.contains("\n   10 x = n\n") && text.contains("\n!$omp parallel\n"),
            "{text}"
        );
    }

    /// As gfortran takes them: `-x f77-cpp-input` in any spelling, whatever the file is called.
    #[test]
    fn sources_are_preprocessed_by_any_flag_spelling() {
        let folder = tempfile::tempdir().unwrap();
        let text =
            "      program a\n#ifdef BIG\n      n = 1\n#else\n      n = 2\n#endif\n      end\n";
        for name in ["a.f", "a.FOR", "a.inc"] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let left = |name: &str, flags: &str| {
            let words: Vec<String> = flags.split_whitespace().map(String::from).collect();
            let text = expand(folder.path(), name, &Settings::read(&words))
                .ok()?
                .text;
            let has = |part: &str| String::from_utf8_lossy(&text).contains(part);
            Some((has("n = 1"), has("n = 2")))
        };
        let (both, big, small) = (Some((true, true)), Some((true, false)), Some((false, true)));
        let cases = [
            ("a.f", "", both),
            ("a.f", "-cpp -DBIG", big),
            ("a.f", "-x f77-cpp-input -DBIG", big),
            ("a.f", "-xf77-cpp-input -D BIG", big),
            ("a.f", "--language=f95-cpp-input", small),
            ("a.f", "-cpp -P -DBIG", big),
            ("a.f", "-x f77 -cpp", small),
            ("a.f", "-x f77-cpp-input -nocpp", both),
            ("a.FOR", "", small),
            ("a.FOR", "-x f77 -DBIG", both),
            ("a.inc", "-x f77-cpp-input -DBIG", big),
        ];
        for (name, flags, expect) in cases {
            assert_eq!(left(name, flags), expect, "{name} {flags}");
        }
    }

    /// `-isystem` and `-idirafter` come after `-I`, wherever they stand.
    #[test]
    fn folders_are_searched_in_the_order_of_the_compiler() {
        let folder = tempfile::tempdir().unwrap();
        for (name, value) in [("i", 1), ("s", 2)] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
            let text = format!("#define N {value}\n");
            std::fs::write(folder.path().join(name).join("n.h"), text).unwrap();
        }
        let text = "#include \"n.h\"\nprogram a\nk = N\nend\n";
        std::fs::write(folder.path().join("a.F90"), text).unwrap();
        for flags in ["-isystem s -I i", "-idirafter s -Ii", "-I i -isystem s"] {
            let words: Vec<String> = flags.split(' ').map(String::from).collect();
            let file = expand(folder.path(), "a.F90", &Settings::read(&words)).unwrap();
            let text = String::from_utf8(file.text).unwrap();
            assert!(text.contains("k = 1"), "{flags}: {text}");
        }
    }

    #[test]
    fn llvm_flang_is_recognised() {
        for version in [
            "flang-new version 18.1.3",
            "Debian flang version 20.1.0\nTarget: x86_64",
        ] {
            assert!(is_llvm_flang(version), "{version}");
        }
        for version in [
            "clang version 9.0.1 (https://github.com/flang-compiler)",
            "GNU Fortran 12.2.0",
        ] {
            assert!(!is_llvm_flang(version), "{version}");
        }
    }

    #[test]
    fn paths_are_normalized() {
        for (path, expect) in [
            ("/a/./b/../c", "/a/c"),
            ("../x", "../x"),
            ("a/../../b", "../b"),
        ] {
            assert_eq!(normalized(Path::new(path)), Path::new(expect));
        }
    }
}
