//! Parses command lines of compilers: sources, objects, settings. It knows flags of GNU, Intel, NVIDIA, Cray and IBM compilers
//! and passes others on. Response files are the only I/O.

use super::preprocessor_flags::{self, LanguageFlag, Source};
use crate::compile::enables_openmp;
use frontend::source::{Form, Reading};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Flags whose value is the next word.
pub const FLAGS_WITH_VALUE: [&str; 33] = [
    "-o",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-J",
    "-x",
    "--language",
    "--define-macro",
    "--undefine-macro",
    "-module",
    "-include",
    "-imacros",
    "-isystem",
    "-idirafter",
    "-iquote",
    "-iprefix",
    "-MF",
    "-MT",
    "-MQ",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-T",
    "-u",
    "-z",
    "-e",
    "-h",
    "-arch",
    "-framework",
    "--param",
    "-aux-info",
];

/// Flags that concern only the compilation of the original: its output, the folder of modules, dependencies for make.
const ORIGINAL_ONLY: [&str; 11] = [
    "-c", "-o", "-J", "-module", "-MF", "-MT", "-MQ", "-MD", "-MMD", "-MP", "-v",
];

/// Most response files that name each other: also ends one that names itself.
const MAX_RESPONSE_FILES: u32 = 16;

/// A language that programs are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    /// Fortran, in any form.
    Fortran,
    /// C.
    C,
    /// C++.
    Cxx,
}

impl Language {
    /// The language of a source file by its name.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        match ending {
            "C" | "cc" | "cpp" | "cxx" | "c++" | "ii" => return Some(Language::Cxx),
            "c" | "i" => return Some(Language::C),
            _ => {}
        }
        const FORTRAN: [&str; 10] = [
            "f", "for", "ftn", "f77", "fpp", "f90", "f95", "f03", "f08", "f18",
        ];
        if FORTRAN.contains(&ending.to_ascii_lowercase().as_str()) {
            return Some(Language::Fortran);
        }
        None
    }
}

/// Action of a compiler command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Compiles sources to objects.
    Compile,
    /// Links a program, compiling sources if there are any.
    Link,
    /// Links a shared library.
    LinkShared,
    /// Anything else, such as preprocessing or printing the version.
    Other,
}

/// How sources are compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Folders to look for included files and modules in.
    pub include: Vec<PathBuf>,
    /// Flags for folders that the preprocessor alone searches, before or after the others: `-isystem`, `-idirafter`, `-iquote`.
    pub preprocessor_folders: Vec<String>,
    /// `-DNAME[=VALUE]` and `-UNAME`, and IBM's `-WF,-DNAME`, in order.
    pub macros: Vec<String>,
    /// Form and columns.
    pub form: Option<Form>,
    /// Last column of fixed form, as in [`Reading::last_column`].
    pub last_column: Option<u32>,
    /// Whether a D in column 1 is a blank.
    pub debug_lines: bool,
    /// Whether the lines of OpenMP's conditional compilation are statements.
    pub conditional_lines: bool,
    /// Whether OpenMP's directives make threads.
    pub threads: bool,
    /// Whether Fortran sources go through a preprocessor; `None` for those whose names say so.
    pub preprocess: Option<bool>,
    /// The flag that asks for a preprocessor, as this compiler spells it.
    pub preprocess_flag: Option<String>,
    /// The language of the files that follow.
    pub language_flag: LanguageFlag,
    /// The other flags, which a probe is compiled with too.
    pub flags: Vec<String>,
}

impl Settings {
    /// Reads flags that apply to all sources.
    pub fn read(words: &[String]) -> Self {
        Settings::default().with(words)
    }

    /// Settings from the words between a compiler's name and the arguments of a command. Their flags are dropped, since the
    /// compiler that compiles the probe has them as well.
    pub fn of_compiler(words: &[String]) -> Self {
        Settings {
            flags: Vec::new(),
            ..Settings::read(words)
        }
    }

    /// The same settings after more flags.
    pub fn with(self, words: &[String]) -> Self {
        let mut settings = self;
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let value = if FLAGS_WITH_VALUE.contains(&word) {
                words.next()
            } else {
                None
            };
            settings.take(word, value);
        }
        settings
    }

    /// How the lines of a Fortran source are read.
    pub fn reading(&self, source: &Source) -> Reading {
        let language_flag = match source {
            // The order is gfortran's: `-ffree-form` overrides `-x f77`, which overrides the file
            // name.
            _ if source.is_fixed_by_language_flag() => Some(Form::Fixed),
            _ if source.is_free_by_default() => Some(Form::Free),
            _ => None,
        };
        Reading {
            form: self.form.or(language_flag),
            last_column: self.last_column,
            debug_lines: self.debug_lines,
            threads: self.threads,
        }
    }

    /// Whether a Fortran source goes through a preprocessor.
    pub fn preprocesses(&self, source: &Source) -> bool {
        self.preprocess.unwrap_or_else(|| source.is_preprocessed())
    }
}

/// What is linked, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkInput {
    /// A source, compiled by the same command.
    Source(Source),
    /// An object, an archive or a shared library.
    File(PathBuf),
    /// `-lNAME`.
    Library(String),
    /// Any other word for the linker.
    Word(String),
}

/// A command of a compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// Action.
    pub action: Action,
    /// Inputs.
    pub parts: Vec<LinkInput>,
    /// `-o`.
    pub output: Option<PathBuf>,
    /// Folders to look for libraries in.
    pub library_folders: Vec<PathBuf>,
    /// How sources are compiled.
    pub settings: Settings,
    /// Whether it compiles what comes from standard input, which is no source with a name.
    pub compiles_standard_input: bool,
}

impl CommandLine {
    /// Reads the words after the compiler's name.
    #[cfg(test)]
    pub fn read(words: &[String]) -> Self {
        Self::read_after(&[], words)
    }

    /// Reads the words of a command; `first` stand before them, with the compiler's name.
    pub fn read_after(first: &[String], words: &[String]) -> Self {
        let mut line = CommandLine {
            action: Action::Link,
            parts: Vec::new(),
            output: None,
            library_folders: Vec::new(),
            settings: Settings::of_compiler(first),
            compiles_standard_input: false,
        };
        let words = with_response_files(words, 0);
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let value = if FLAGS_WITH_VALUE.contains(&word) {
                words.next()
            } else {
                None
            };
            line.take(word, value);
        }
        let files = line
            .parts
            .iter()
            .any(|part| matches!(part, LinkInput::Source(_) | LinkInput::File(_)));
        // `gcc -E -` and the like only ask the compiler something.
        line.compiles_standard_input &= line.action != Action::Other;
        // `gcc -O2 -lm -v` links nothing; compilers report their settings for such a line.
        if !files && !line.compiles_standard_input {
            line.action = Action::Other;
        }
        line
    }

    /// The sources.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.parts.iter().filter_map(|part| match part {
            LinkInput::Source(source) => Some(source),
            LinkInput::File(_) | LinkInput::Library(_) | LinkInput::Word(_) => None,
        })
    }

    fn take(&mut self, word: &str, value: Option<&str>) {
        match (word, value) {
            // `Other` and `LinkShared` stay: in `-c -M` or `-M -c` the compiler only prints
            // dependencies.
            ("-c", _) if self.action == Action::Link => self.action = Action::Compile,
            ("-E" | "-EP" | "-S" | "-M" | "-MM" | "-fsyntax-only" | "-preprocess-only", _)
            | ("--version" | "-dumpversion" | "-###", _) => self.action = Action::Other,
            ("-shared" | "-dynamiclib", _) if self.action == Action::Link => {
                self.action = Action::LinkShared
            }
            ("-o", Some(path)) => self.output = Some(path.into()),
            ("-l", Some(name)) => self.parts.push(LinkInput::Library(name.into())),
            ("-L", Some(folder)) => self.library_folders.push(folder.into()),
            ("-", _) => self.compiles_standard_input = true,
            _ if !word.starts_with('-') => self.take_file(word),
            _ => self.take_flag(word, value),
        }
    }

    fn take_file(&mut self, word: &str) {
        let part = match Source::of(Path::new(word), &self.settings.language_flag) {
            Some(source) => LinkInput::Source(source),
            None => LinkInput::File(word.into()),
        };
        self.parts.push(part);
    }

    fn take_flag(&mut self, word: &str, value: Option<&str>) {
        // Libraries and linker words keep their position among the objects, because linkers resolve
        // symbols from left to right.
        if let Some(name) = attached_value(word, "-l") {
            self.parts.push(LinkInput::Library(name.into()));
        } else if let Some(folder) = attached_value(word, "-L") {
            self.library_folders.push(folder.into());
        } else if word.starts_with("-Wl,") || word == "-Xlinker" {
            self.parts.push(LinkInput::Word(word.into()));
            if let Some(value) = value {
                self.parts.push(LinkInput::Word(value.into()));
            }
        } else {
            self.settings.take(word, value);
        }
    }
}

impl Settings {
    /// Takes a flag of a compiler that concerns sources, with the value that is a word of its own.
    pub fn take(&mut self, word: &str, value: Option<&str>) {
        if let Some(language_flag) = LanguageFlag::by_flag(word, value) {
            self.language_flag = language_flag;
            return;
        }
        // The form is noted here and the flag is also kept below: the probe is compiled by the same
        // compiler, which must read the source in the same form.
        self.take_form(word);
        if self.take_macro(word, value) || is_original_only(word) {
            return;
        }
        self.flags.push(word.into());
        self.flags.extend(value.map(String::from));
    }

    fn take_macro(&mut self, word: &str, value: Option<&str>) -> bool {
        let joined = preprocessor_flags::joined(word, value);
        // Macros and switches are not kept as flags: the log stores sources after preprocessing.
        if let Some(is_on) = preprocessor_flags::preprocessing_switch(&joined) {
            self.preprocess = Some(is_on);
            self.preprocess_flag = if is_on { Some(joined) } else { None };
            return true;
        }
        let macros = preprocessor_flags::macros(word, value);
        if !macros.is_empty() {
            self.macros.extend(macros);
            return true;
        }
        if let ("-isystem" | "-idirafter" | "-iquote", Some(folder)) = (word, value) {
            self.preprocessor_folders.push(word.into());
            self.preprocessor_folders.push(folder.into());
            return true;
        }
        let folder = match word {
            "-I" => value,
            _ if word.starts_with("-I") => attached_value(word, "-I"),
            _ => return false,
        };
        if let Some(folder) = folder {
            self.include.push(folder.into());
        }
        true
    }

    /// Form and columns. These flags stay among those that a probe is compiled with.
    fn take_form(&mut self, word: &str) {
        match word {
            "-ffree-form" | "-free" | "-Mfree" | "-Mfreeform" | "-qfree" | "-ffree" => {
                self.form = Some(Form::Free);
            }
            "-ffixed-form" | "-fixed" | "-Mfixed" | "-nofree" | "-ffixed" => {
                self.form = Some(Form::Fixed)
            }
            "-132" | "-extend-source" | "-extend_source" | "-Mextend" => {
                self.last_column = Some(132)
            }
            "-80" => self.last_column = Some(80),
            "-fd-lines-as-code" | "-d-lines" => self.debug_lines = true,
            "-fd-lines-as-comments" | "-nod-lines" => self.debug_lines = false,
            // These compile conditional lines as well, but start no threads.
            "-fopenmp-simd" | "-qopenmp-stubs" => self.conditional_lines = true,
            "-fno-openmp" | "-qno-openmp" | "-nomp" => {
                self.conditional_lines = false;
                self.threads = false;
            }
            _ if enables_openmp(word) => {
                self.conditional_lines = true;
                self.threads = true;
            }
            _ => {}
        }
        for prefix in [
            "-ffixed-line-length-",
            "-ffixed-line-length=",
            "-extend-source:",
            "-qfixed=",
        ] {
            match word.strip_prefix(prefix) {
                // gfortran's word for lines of any length; 0 in [`Reading::last_column`].
                Some("none") => self.last_column = Some(0),
                Some(text) => self.last_column = text.parse().ok().or(self.last_column),
                None => {}
            }
        }
    }
}

/// The value of a flag in the same word: `-lm`. `None` if the word has another flag or no value.
fn attached_value<'a>(word: &'a str, flag: &str) -> Option<&'a str> {
    match word.strip_prefix(flag)? {
        "" => None,
        value => Some(value),
    }
}

/// Whether a flag has no effect on a probe. The compiler has printed its warnings for the original already.
fn is_original_only(word: &str) -> bool {
    let passes_on =
        word.starts_with("-Wl,") || word.starts_with("-Wa,") || word.starts_with("-Wp,");
    let warns = word.starts_with("-W") && !passes_on || word.starts_with("-pedantic");
    let names_files = word.starts_with("-J") || word.starts_with("-MF");
    warns || names_files || word == "-w" || word == "-pipe" || ORIGINAL_ONLY.contains(&word)
}

/// The words of a text as a shell takes them that expands nothing: quotes and `\` keep blanks in a word.
pub fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            // A backslash is literal inside single quotes, as in a shell.
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(characters.next()),
            (None, _) if character.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

/// The words with `@FILE` replaced by the words in that file, which may name further files; `depth` files are open.
pub fn with_response_files(words: &[String], depth: u32) -> Vec<String> {
    let mut expanded = Vec::new();
    for word in words {
        match response_file(word) {
            // CMake and Intel's wrappers pass long lists of objects this way, so the objects of a
            // program may be only in the file.
            Some(text) if depth < MAX_RESPONSE_FILES => {
                expanded.extend(with_response_files(&split(&text), depth + 1));
            }
            Some(_) | None => expanded.push(word.clone()),
        }
    }
    expanded
}

fn response_file(word: &str) -> Option<String> {
    let path = word.strip_prefix('@')?;
    std::fs::read_to_string(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> CommandLine {
        let words: Vec<String> = text.split_whitespace().map(String::from).collect();
        CommandLine::read(&words)
    }

    fn source(path: &str) -> LinkInput {
        LinkInput::Source(Source::of(Path::new(path), &LanguageFlag::ByName).unwrap())
    }

    #[test]
    fn actions_are_recognised() {
        let cases = [
            ("-c a.f", Action::Compile),
            ("a.o -o a", Action::Link),
            ("a.f b.c", Action::Link),
            ("-shared a.o -o liba.so", Action::LinkShared),
            ("-E a.F90", Action::Other),
            ("-c -M a.c", Action::Other),
            ("--version", Action::Other),
            ("-O2 -lm", Action::Other),
        ];
        for (text, action) in cases {
            assert_eq!(read(text).action, action, "{text}");
        }
    }

    #[test]
    fn settings_are_classified() {
        let line = read(
            "-c -O3 -Wall -Wp,-x -I inc -I../x -DA -D B=2 -U C -J mod -MD -MF a.d -fopenmp -g -r8 --param k=1 a.F90 -o x/a.o",
        );
        let settings = line.settings;
        assert_eq!(
            settings.include,
            [PathBuf::from("inc"), PathBuf::from("../x")]
        );
        assert_eq!(settings.macros, ["-DA", "-DB=2", "-UC"]);
        assert_eq!(
            settings.flags,
            ["-O3", "-Wp,-x", "-fopenmp", "-g", "-r8", "--param", "k=1"]
        );
        assert_eq!(
            read("-c -isystem s -I i a.F").settings.preprocessor_folders,
            ["-isystem", "s"]
        );
        assert_eq!(line.output, Some("x/a.o".into()));
        assert_eq!(line.parts, [source("a.F90")]);
    }

    #[test]
    fn macros_in_any_spelling() {
        let macros = |text: &str| CommandLine::read(&split(text)).settings.macros;
        assert_eq!(
            macros("-c a.F --define-macro=A --define-macro B=1"),
            ["-DA", "-DB=1"]
        );
        assert_eq!(
            macros("-c a.F --undefine-macro=A --undefine-macro B"),
            ["-UA", "-UB"]
        );
        assert_eq!(macros("-c a.F -WF,-DA,-DB=1 -Wall"), ["-WF,-DA,-DB=1"]);
        assert_eq!(
            macros("-c a.F -DA='x y' \"-DB=p q\" -DC=\\\"z\\\""),
            ["-DA=x y", "-DB=p q", "-DC=\"z\""]
        );
    }

    #[test]
    fn flags_that_belong_to_the_compiler() {
        let line = CommandLine::read_after(&split("-cpp -DX -O1"), &split("-c -O2 a.f"));
        assert!(line.settings.preprocesses(line.sources().next().unwrap()));
        assert_eq!(
            (line.settings.macros, line.settings.flags),
            (vec!["-DX".into()], vec!["-O2".into()])
        );
    }

    #[test]
    fn forms_and_columns() {
        let reading = |text| {
            let line = read(text);
            line.settings.reading(line.sources().next().unwrap())
        };
        let fixed = |last_column| Reading {
            last_column,
            ..Reading::default()
        };
        assert_eq!(reading("-c a.f"), Reading::default());
        assert_eq!(reading("-c -ffixed-line-length-132 a.f"), fixed(Some(132)));
        assert_eq!(reading("-c -ffixed-line-length-none a.f"), fixed(Some(0)));
        assert_eq!(reading("-c -extend-source a.f"), fixed(Some(132)));
        assert_eq!(reading("-c -ffree-form a.f").form, Some(Form::Free));
        assert_eq!(reading("-c -x f77 a.f90").form, Some(Form::Fixed));
        assert_eq!(
            reading("-c -x f77 -ffree-form a.f90").form,
            Some(Form::Free)
        );
        assert_eq!(reading("-c -x f95-cpp-input a.f").form, None);
        assert_eq!(reading("-c -x f95 a.inc").form, Some(Form::Free));
        assert!(reading("-c -fd-lines-as-code a.f").debug_lines);
        assert!(!reading("-c -fd-lines-as-code -fd-lines-as-comments a.f").debug_lines);
        assert_eq!(
            read("-c -ffree-form a.f").settings.flags,
            ["-ffree-form"],
            "a probe needs it too"
        );
    }

    #[test]
    fn openmp_flags_enable_conditional_lines() {
        let is = |text: &str| read(text).settings.conditional_lines;
        for flag in [
            "-fopenmp",
            "-fopenmp-simd",
            "-qopenmp",
            "-mp=multicore",
            "-qsmp=omp",
            "-fopenmp=libomp",
        ] {
            assert!(is(&format!("-c -O2 {flag} a.f")), "{flag}");
        }
        assert!(!is("-c -O2 a.f") && !is("-c -fopenacc a.f") && !is("-c -fopenmp -fno-openmp a.f"));
    }

    #[test]
    fn preprocessing_follows_names_and_flags() {
        let are = |text: &str| {
            let line = read(text);
            line.sources()
                .map(|source| line.settings.preprocesses(source))
                .collect::<Vec<_>>()
        };
        for ending in ["F", "FOR", "FTN", "F90", "F95", "F03", "F08", "FPP", "fpp"] {
            assert_eq!(are(&format!("-c a.{ending}")), [true], "{ending}");
            assert_eq!(are(&format!("-c -nocpp a.{ending}")), [false], "{ending}");
            assert_eq!(are(&format!("-c -x f95 a.{ending}")), [false], "{ending}");
        }
        for ending in ["f", "for", "ftn", "f90", "f95", "f03", "f08"] {
            assert_eq!(are(&format!("-c a.{ending}")), [false], "{ending}");
            for flag in [
                "-cpp",
                "-fpp",
                "-fpp=-C",
                "-Mpreprocess",
                "-eT",
                "-eZ",
                "-e Z",
                "-qpreprocess",
                "-xf77-cpp-input",
            ] {
                assert_eq!(
                    are(&format!("-c {flag} a.{ending}")),
                    [true],
                    "{flag} {ending}"
                );
            }
        }
        assert_eq!(are("-c -nocpp -cpp a.f"), [true]);
        assert_eq!(are("-c -fpp -nofpp a.f"), [false]);
        // Flags hold for all files, -x for those that follow it.
        assert_eq!(are("-c a.f -cpp b.f"), [true, true]);
        assert_eq!(
            are("a.f -x f77-cpp-input b.f -x f77 c.F -x none d.f e.F"),
            [false, true, false, false, true]
        );
        assert_eq!(are("-nocpp -x f77-cpp-input a.f"), [false]);
        assert_eq!(are("-cpp -x f77 a.f"), [true]);
    }

    #[test]
    fn language_flag_overrides_file_names() {
        let parts = |text: &str| read(text).parts;
        let languages = |text| {
            read(text)
                .sources()
                .map(|source| source.language)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            languages("-x c a.f -x none b.f"),
            [Language::C, Language::Fortran]
        );
        assert_eq!(languages("-x f95-cpp-input a.inc"), [Language::Fortran]);
        assert_eq!(
            parts("-x assembler a.f -x none b.o"),
            [LinkInput::File("a.f".into()), LinkInput::File("b.o".into())]
        );
        let flags = read("-xHost -x f77 -xf77-cpp-input --language=f95 -c a.f")
            .settings
            .flags;
        assert_eq!(flags, ["-xHost"], "a probe is no such input");
    }

    #[test]
    fn response_files_may_name_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| format!("{}/{name}", folder.path().display());
        std::fs::write(path("one"), format!("-cpp @{}", path("two"))).unwrap();
        std::fs::write(path("two"), format!("-DBIG @{}", path("two"))).unwrap();
        let line = read(&format!("-c @{} a.f", path("one")));
        assert!(line.settings.preprocesses(line.sources().next().unwrap()));
        assert_eq!(line.settings.macros[0], "-DBIG");
    }

    #[test]
    fn link_inputs_keep_their_order() {
        let line = read("a.o b.f -Lx -L y libz.a -lm -l k -Wl,-z,now -Xlinker -q -o p");
        let file = |path: &str| LinkInput::File(path.into());
        let expect = [
            file("a.o"),
            source("b.f"),
            file("libz.a"),
            LinkInput::Library("m".into()),
            LinkInput::Library("k".into()),
            LinkInput::Word("-Wl,-z,now".into()),
            LinkInput::Word("-Xlinker".into()),
            LinkInput::Word("-q".into()),
        ];
        assert_eq!(line.parts, expect);
        assert_eq!(
            line.library_folders,
            [PathBuf::from("x"), PathBuf::from("y")]
        );
    }
}
