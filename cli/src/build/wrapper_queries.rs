//! What wrappers say of themselves, as MPICH's and Open MPI's do: FindMPI of CMake and other people's
//! makefiles ask for the compiler, the folders and the libraries behind a wrapper.

use super::toolkit::Toolkit;

/// A question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrapperQuery {
    /// The whole command (`-show`, `-showme`, `-compile_info` and `-link_info` with files).
    Command,
    /// The command that compiles (`-compile_info`).
    CompileCommand,
    /// The command that links (`-link_info`).
    LinkCommand,
    /// The compiler alone.
    Compiler,
    /// Flags that compile.
    CompileFlags,
    /// Flags that link.
    LinkFlags,
    /// Folders of headers and modules.
    IncludeFolders,
    /// Folders of libraries.
    LibraryFolders,
    /// Names of libraries.
    Libraries,
    /// Version.
    Version,
}

impl WrapperQuery {
    /// The question that a word of a command line is, in any of its spellings.
    pub fn of(word: &str) -> Option<Self> {
        let plain = word.trim_start_matches('-');
        if plain.len() == word.len() {
            return None;
        }
        let question = match plain {
            "show" | "showme" => WrapperQuery::Command,
            "compile_info" | "compile-info" => WrapperQuery::CompileCommand,
            "link_info" | "link-info" => WrapperQuery::LinkCommand,
            "showme:command" => WrapperQuery::Compiler,
            "showme:compile" => WrapperQuery::CompileFlags,
            "showme:link" => WrapperQuery::LinkFlags,
            "showme:incdirs" => WrapperQuery::IncludeFolders,
            "showme:libdirs" => WrapperQuery::LibraryFolders,
            "showme:libs" => WrapperQuery::Libraries,
            "showme:version" => WrapperQuery::Version,
            _ => return None,
        };
        Some(question)
    }
}

/// What stands behind a wrapper.
pub struct WrappedCompiler<'a> {
    /// The compiler's name and first words.
    pub compiler: &'a [String],
    /// Headers and libraries.
    pub toolkit: &'a Toolkit,
    /// Whether programs are linked as Fortran ones.
    pub fortran: bool,
}

impl WrappedCompiler<'_> {
    /// Flags that compile.
    pub fn compile_flags(&self) -> Vec<String> {
        let flags = if self.fortran {
            self.toolkit.flags()
        } else {
            Vec::new()
        };
        flags
            .into_iter()
            .chain([format!("-I{}", self.toolkit.include().display())])
            .collect()
    }

    /// What stands before the words of a command that links: where programs find the library at run time, before all
    /// folders that a build names.
    pub fn leading_link_arguments(&self) -> Vec<String> {
        vec![format!("-Wl,-rpath,{}", self.toolkit.library().display())]
    }

    /// What stands behind them: the libraries by their paths, so that no folder of a build has another of the name.
    pub fn trailing_link_arguments(&self) -> Vec<String> {
        let files = self.toolkit.library_files(self.fortran);
        files
            .iter()
            .map(|file| file.display().to_string())
            .collect()
    }

    /// Flags that link, for others' commands; they stand last. Programs find the library at run time without being told where.
    pub fn link_flags(&self) -> Vec<String> {
        let folder = self.toolkit.library();
        let folder = [
            format!("-L{}", folder.display()),
            format!("-Wl,-rpath,{}", folder.display()),
        ]
        .into_iter();
        folder
            .chain(self.libraries().into_iter().map(|name| format!("-l{name}")))
            .collect()
    }

    /// The answer to a question; `words` are the other words of the command line.
    pub fn output(&self, question: WrapperQuery, words: &[String], links: bool) -> String {
        let compiler = || self.compiler.to_vec();
        let (compile, link) = (self.compile_flags(), self.link_flags());
        let link_if = |wanted: bool| {
            if wanted {
                self.link_flags()
            } else {
                Vec::new()
            }
        };
        let parts: Vec<Vec<String>> = match question {
            WrapperQuery::Command => vec![compiler(), compile, words.to_vec(), link_if(links)],
            WrapperQuery::CompileCommand => vec![compiler(), compile, words.to_vec()],
            WrapperQuery::LinkCommand => vec![compiler(), compile, words.to_vec(), link],
            WrapperQuery::Compiler => vec![compiler()],
            WrapperQuery::CompileFlags => vec![compile],
            WrapperQuery::LinkFlags => vec![link],
            WrapperQuery::IncludeFolders => {
                vec![vec![self.toolkit.include().display().to_string()]]
            }
            WrapperQuery::LibraryFolders => {
                vec![vec![self.toolkit.library().display().to_string()]]
            }
            WrapperQuery::Libraries => vec![self.libraries()],
            WrapperQuery::Version => vec![vec![format!("mpiete {}", env!("CARGO_PKG_VERSION"))]],
        };
        parts.concat().join(" ")
    }

    fn libraries(&self) -> Vec<String> {
        self.toolkit
            .libraries(self.fortran)
            .into_iter()
            .map(String::from)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_spelling_of_a_query() {
        for word in ["-show", "-showme", "--showme", "--show"] {
            assert_eq!(WrapperQuery::of(word), Some(WrapperQuery::Command));
        }
        assert_eq!(
            WrapperQuery::of("-compile-info"),
            Some(WrapperQuery::CompileCommand)
        );
        assert_eq!(
            WrapperQuery::of("--showme:incdirs"),
            Some(WrapperQuery::IncludeFolders)
        );
        for word in ["show", "-showme:", "-s", "-o", "a.f"] {
            assert_eq!(WrapperQuery::of(word), None);
        }
    }

    #[test]
    fn link_commands_name_the_library_by_path() {
        let toolkit = Toolkit::at(Path::new("/t"));
        let compiler = ["gfortran".to_string()];
        let words = |fortran| {
            let behind = WrappedCompiler {
                compiler: &compiler,
                toolkit: &toolkit,
                fortran,
            };
            [
                behind.leading_link_arguments(),
                behind.trailing_link_arguments(),
            ]
            .concat()
            .join(" ")
        };
        assert_eq!(
            words(true),
            "-Wl,-rpath,/t/lib /t/lib/libmpiete_modules.a /t/lib/libmpiete_mpi.so"
        );
        assert_eq!(words(false), "-Wl,-rpath,/t/lib /t/lib/libmpiete_mpi.so");
    }

    #[test]
    fn outputs() {
        let toolkit = Toolkit::at(Path::new("/t"));
        let compiler = ["gfortran".to_string()];
        let behind = WrappedCompiler {
            compiler: &compiler,
            toolkit: &toolkit,
            fortran: true,
        };
        let words = ["-c".to_string(), "a.f".to_string()];
        let cases = [
            (WrapperQuery::Command, "gfortran -I/t/include -c a.f"),
            (
                WrapperQuery::LinkCommand,
                "gfortran -I/t/include -c a.f -L/t/lib -Wl,-rpath,/t/lib -lmpiete_modules -lmpiete_mpi",
            ),
            (WrapperQuery::CompileFlags, "-I/t/include"),
            (
                WrapperQuery::LinkFlags,
                "-L/t/lib -Wl,-rpath,/t/lib -lmpiete_modules -lmpiete_mpi",
            ),
            (WrapperQuery::IncludeFolders, "/t/include"),
            (WrapperQuery::LibraryFolders, "/t/lib"),
            (WrapperQuery::Libraries, "mpiete_modules mpiete_mpi"),
            (WrapperQuery::Compiler, "gfortran"),
        ];
        for (question, expect) in cases {
            assert_eq!(behind.output(question, &words, false), expect);
        }
    }
}
