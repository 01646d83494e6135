//! Flags that make compilers preprocess Fortran sources, and that override the language of a file name. GNU, Intel, LLVM (flang),
//! NVIDIA, IBM, Cray, Fujitsu and Oracle.

use super::command_line::{FLAGS_WITH_VALUE, Language};
use std::path::{Path, PathBuf};

/// Flags that turn preprocessing on.
const ENABLING_FLAGS: [&str; 13] = [
    "-cpp",
    "-fpp",
    "-fpp1",
    "-fpp2",
    "-fpp3",
    "-Mpreprocess",
    "-qpreprocess",
    "-eT",
    "-eZ",
    "-eF",
    "-Cpp",
    "-xpp=fpp",
    "-xpp=cpp",
];

/// Flags that turn it off.
const DISABLING_FLAGS: [&str; 9] = [
    "-nocpp",
    "-nofpp",
    "-no-fpp",
    "-fpp0",
    "-Mnopreprocess",
    "-qnopreprocess",
    "-dT",
    "-dZ",
    "-Cnocpp",
];

/// Whether a flag turns preprocessing on or off; `None` if it does neither.
pub fn preprocessing_switch(flag: &str) -> Option<bool> {
    // Intel's flag may carry options for the preprocessor: `-fpp=-C`.
    let is_with_options = flag.starts_with("-fpp=") || flag.starts_with("-fpp:");
    if ENABLING_FLAGS.contains(&flag) || is_with_options {
        return Some(true);
    }
    if DISABLING_FLAGS.contains(&flag) {
        return Some(false);
    }
    None
}

/// The flag as one word where Cray's `-e Z` is two. For other compilers `-e` names the entry point of a program.
pub fn joined(flag: &str, value: Option<&str>) -> String {
    match (flag, value) {
        ("-e", Some(letter @ ("T" | "Z" | "F"))) => format!("-e{letter}"),
        _ => flag.to_string(),
    }
}

/// The words of a flag and its value that define or remove macros; none in other flags. IBM's keep their `-WF,`.
pub fn macros(flag: &str, value: Option<&str>) -> Vec<String> {
    for (letter, long) in [("-D", "--define-macro"), ("-U", "--undefine-macro")] {
        let glued = match flag.strip_prefix(long) {
            Some(rest) => rest.strip_prefix('='),
            None => flag.strip_prefix(letter).filter(|rest| !rest.is_empty()),
        };
        if let Some(text) = glued {
            return vec![format!("{letter}{text}")];
        }
        if flag == letter || flag == long {
            return value
                .map(|text| format!("{letter}{text}"))
                .into_iter()
                .collect();
        }
    }
    if flag.starts_with("-WF,") {
        vec![flag.to_string()]
    } else {
        Vec::new()
    }
}

/// A language as `-x` names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LanguageFlag {
    /// `none`: as the names of the files say.
    #[default]
    ByName,
    /// A language of sources, with its name.
    Source(Language, String),
    /// A language that is not analysed, such as assembler.
    Other,
}

impl LanguageFlag {
    /// The language that a flag states, in any of its spellings: `-x f77`, `-xf77`, `--language=f77`, `--language f77`.
    /// `-x` with other words is Intel's flag for processors, or Oracle's.
    pub fn by_flag(word: &str, value: Option<&str>) -> Option<Self> {
        match (word, value) {
            ("-x" | "--language", Some(name)) => {
                Some(Self::of(name).unwrap_or(LanguageFlag::Other))
            }
            // Only known names count: `-xHost` is Intel's and `-xpp=fpp` Oracle's flag.
            _ => Self::of(
                word.strip_prefix("-x")
                    .or_else(|| word.strip_prefix("--language="))?,
            ),
        }
    }

    fn of(name: &str) -> Option<Self> {
        let language = match name {
            "none" => return Some(LanguageFlag::ByName),
            "f77" | "f77-cpp-input" | "f95" | "f95-cpp-input" => Language::Fortran,
            "c" | "cpp-output" => Language::C,
            "c++" | "c++-cpp-output" => Language::Cxx,
            "assembler" | "assembler-with-cpp" | "ada" | "d" | "go" | "lto" => {
                return Some(LanguageFlag::Other);
            }
            _ => return None,
        };
        Some(LanguageFlag::Source(language, name.to_string()))
    }
}

/// A source of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its path.
    pub path: PathBuf,
    /// Its language.
    pub language: Language,
    /// The name of its language where `-x` states it.
    pub language_flag: Option<String>,
}

impl Source {
    /// A file that follows the last `-x`; `None` if it is no source.
    pub fn of(path: &Path, language_flag: &LanguageFlag) -> Option<Self> {
        let (language, language_flag) = match language_flag {
            LanguageFlag::ByName => (Language::of(path)?, None),
            LanguageFlag::Source(language, name) => (*language, Some(name.clone())),
            LanguageFlag::Other => return None,
        };
        Some(Self {
            path: path.to_path_buf(),
            language,
            language_flag,
        })
    }

    /// Whether it is preprocessed if no flag overrides its name.
    pub fn is_preprocessed(&self) -> bool {
        match &self.language_flag {
            Some(name) => name.ends_with("-cpp-input"),
            None => {
                let ending = self.ending();
                // The convention of all compilers that mpiete knows: a capital ending is
                // preprocessed.
                ending.starts_with('F') || ending.eq_ignore_ascii_case("fpp")
            }
        }
    }

    /// Whether `-x` sets fixed form. With `-x f95`, the name determines the form.
    pub fn is_fixed_by_language_flag(&self) -> bool {
        self.language_flag
            .as_ref()
            .is_some_and(|name| name.starts_with("f77"))
    }

    /// Whether `-x` sets Fortran, and neither that nor the name determines the form: gfortran then assumes free form.
    pub fn is_free_by_default(&self) -> bool {
        let is_f95 = self
            .language_flag
            .as_ref()
            .is_some_and(|name| name.starts_with("f95"));
        is_f95 && Language::of(&self.path) != Some(Language::Fortran)
    }

    fn ending(&self) -> &str {
        self.path
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default()
    }
}

/// Flags without those for a preprocessor and without `-x`: sources of probes are preprocessed already, and their names
/// determine their language.
pub fn without_preprocessor(flags: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = flags.iter();
    while let Some(word) = words.next() {
        let value = if FLAGS_WITH_VALUE.contains(&word.as_str()) {
            words.next()
        } else {
            None
        };
        let defines = !macros(word, value.map(String::as_str)).is_empty();
        let is_switch = preprocessing_switch(&joined(word, value.map(String::as_str))).is_some();
        if defines || is_switch || LanguageFlag::by_flag(word, value.map(String::as_str)).is_some()
        {
            continue;
        }
        kept.push(word.clone());
        kept.extend(value.cloned());
    }
    kept
}

/// The first line of a text that only a preprocessor understands, from 1.
pub fn first_directive(text: &[u8]) -> Option<usize> {
    let mut rows = text.split(|&byte| byte == b'\n');
    let index = rows.position(|row| frontend::language::is_directive(row.trim_ascii_start()))?;
    Some(index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_flags_in_any_spelling() {
        let name = |word, value| match LanguageFlag::by_flag(word, value) {
            Some(LanguageFlag::Source(_, name)) => name,
            other => format!("{other:?}"),
        };
        assert_eq!(name("-x", Some("f77-cpp-input")), "f77-cpp-input");
        assert_eq!(name("-xf95-cpp-input", None), "f95-cpp-input");
        assert_eq!(name("--language=f77", None), "f77");
        assert_eq!(name("--language", Some("f95")), "f95");
        assert_eq!(name("-x", Some("none")), "Some(ByName)");
        assert_eq!(name("-x", Some("ratfor")), "Some(Other)");
        for processor in ["-xHost", "-xCORE-AVX512", "-xpp=fpp", "-xO3", "-X"] {
            assert_eq!(name(processor, None), "None", "{processor}");
        }
    }

    #[test]
    fn preprocessor_flags_are_removed_for_probes() {
        let flags = |text: &str| {
            let words: Vec<String> = text.split_whitespace().map(String::from).collect();
            without_preprocessor(&words).join(" ")
        };
        assert_eq!(
            flags("-O2 -cpp -DA -D B=1 -U C -UD -x f77-cpp-input -I x"),
            "-O2 -I x"
        );
        assert_eq!(
            flags("-O2 -e Z --define-macro A --undefine-macro=B -WF,-DC,-DD=1 -e main"),
            "-O2 -e main"
        );
        assert_eq!(
            flags("-xHost -xf95-cpp-input -Mpreprocess -fpp -g"),
            "-xHost -g"
        );
    }

    #[test]
    fn directives_are_recognised() {
        assert_eq!(first_directive(b"a\n  #ifdef B\n"), Some(2));
        assert_eq!(first_directive(b"# include \"x\"\n#endif\n"), Some(1));
        assert_eq!(
            first_directive(b"# 1 \"a.f\"\n#pragma x\na = '#if'\n#line 3\n"),
            None
        );
    }
}
