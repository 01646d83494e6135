//! A command that compiles sources and links them, as commands that compile each source to an object, and one that links.
//!
//! The objects of such a command are temporary files that its compiler removes. Only with objects are the symbols of what is linked
//! known, and with them what procedures without source can do.

use super::command_line::{FLAGS_WITH_VALUE, Language, with_response_files};
use std::path::{Path, PathBuf};

/// Beginnings of flags with which the separate commands would do something else: they name files after the output (dependencies, coverage,
/// intermediate files), compile all sources as one, or give the files that follow a language, which would be that of the objects.
const OF_ONE_COMMAND: [&str; 22] = [
    "-M",
    "-save-temps",
    "--save-temps",
    "-dump",
    "-aux",
    "-fdump",
    "-ipo",
    "-qipa",
    "-fwhole-program",
    "--coverage",
    "-coverage",
    "-fprofile",
    "-ftest-coverage",
    "-fstack-usage",
    "-fcallgraph-info",
    "-fsave-optimization-record",
    "-fdiagnostics-format",
    "-ftime-trace",
    "-qopt-report",
    "-gsplit-dwarf",
    "-x",
    "--language",
];

/// Flags that are for the linker alone, each with its value in the next word. `-e` and `-h` are none: they are Cray's for compilation.
const FOR_LINKER: [&str; 7] = ["-o", "-l", "-L", "-Xlinker", "-T", "-u", "-z"];

/// A source that is compiled by a command of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileStep {
    /// The source.
    pub source: PathBuf,
    /// Its object.
    pub object: PathBuf,
    /// Words of the command.
    pub words: Vec<String>,
}

/// The commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeparateCommands {
    /// Compile, in the order of the sources: a module is compiled before what uses it.
    pub compile: Vec<CompileStep>,
    /// Words of the command that links.
    pub link: Vec<String>,
}

/// The commands for the words of one that compiles and links; the objects are in a folder. `None` if it has no source, or if the
/// effect would not be the same.
pub fn separate(words: &[String], folder: &Path) -> Option<SeparateCommands> {
    let words = with_response_files(words, 0);
    let is_of_one = |word: &String| OF_ONE_COMMAND.iter().any(|flag| word.starts_with(flag));
    // `-oNAME`; old versions of Intel's compilers have `-openmp`.
    let names_output =
        |word: &String| word.starts_with("-o") && word != "-o" && !word.starts_with("-openmp");
    // A file of words that is not read may contain flags for compilation.
    let is_unread = |word: &String| word.starts_with('@');
    if words.iter().any(is_of_one) || words.iter().any(names_output) || words.iter().any(is_unread)
    {
        return None;
    }
    let mut flags = vec!["-c".to_string()];
    let mut sources = Vec::new();
    let mut link = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let mut all = vec![word.clone()];
        if FLAGS_WITH_VALUE.contains(&word.as_str()) {
            all.extend(rest.next().cloned());
        }
        if !word.starts_with('-') {
            if Language::of(Path::new(word)).is_some() {
                let object = folder.join(format!("{}.o", sources.len()));
                all = vec![object.to_string_lossy().into_owned()];
                sources.push((PathBuf::from(word), object));
            }
        } else if !is_for_linker(word) {
            flags.extend_from_slice(&all);
        }
        link.extend(all);
    }
    let mut compile = Vec::new();
    for (source, object) in sources {
        let mut words = flags.clone();
        words.push("-o".to_string());
        words.push(object.to_string_lossy().into_owned());
        words.push(source.to_string_lossy().into_owned());
        compile.push(CompileStep {
            source,
            object,
            words,
        });
    }
    if compile.is_empty() {
        return None;
    }
    Some(SeparateCommands { compile, link })
}

fn is_for_linker(word: &str) -> bool {
    let is_attached = ["-l", "-L", "-Wl,"]
        .iter()
        .any(|flag| word.starts_with(flag));
    is_attached || FOR_LINKER.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn separated(text: &str) -> Option<String> {
        let words: Vec<String> = text.split_whitespace().map(String::from).collect();
        let commands = separate(&words, Path::new("/t"))?;
        let mut lines = Vec::new();
        for step in &commands.compile {
            lines.push(step.words.join(" "));
        }
        lines.push(commands.link.join(" "));
        Some(lines.join("\n"))
    }

    #[test]
    fn each_source_gets_a_command() {
        assert_eq!(
            separated("-O2 -J mod m.f90 -L. t.c b.o -o p -lx -Wl,-O1").unwrap(),
            "-c -O2 -J mod -o /t/0.o m.f90\n-c -O2 -J mod -o /t/1.o t.c\n\
             -O2 -J mod /t/0.o -L. /t/1.o b.o -o p -lx -Wl,-O1"
        );
    }

    #[test]
    fn commands_without_source_or_with_flags_of_one_command_stay() {
        for text in [
            "-O2 a.o -o p",
            "-x f77 a.f b.f",
            "-MD a.c -o p",
            "a.c -op",
            "--coverage a.f90",
        ] {
            assert_eq!(separated(text), None, "{text}");
        }
    }
}
