//! Queries of MPI wrappers, in the spellings of MPICH and Open MPI: CMake's FindMPI and makefiles query the compiler, the folders
//! and the libraries of a wrapper.

use super::toolkit::Toolkit;

/// A query.
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
    /// The query that a word of a command line is, in any of its spellings.
    pub fn of(word: &str) -> Option<Self> {
        let plain = word.trim_start_matches('-');
        if plain.len() == word.len() {
            return None;
        }
        let query = match plain {
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
        Some(query)
    }
}

/// The compiler and the libraries of a wrapper.
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
        let mut flags = Vec::new();
        if self.fortran {
            flags = self.toolkit.flags();
        }
        flags.push(format!("-I{}", self.toolkit.include().display()));
        flags
    }

    /// Words before those of a link command: the run path of the library. It precedes all folders of the build, which may contain
    /// another `libmpi.so`.
    pub fn leading_link_arguments(&self) -> Vec<String> {
        vec![format!("-Wl,-rpath,{}", self.toolkit.library().display())]
    }

    /// Words after those of a link command: the libraries by their paths, since a folder of the build may contain another library
    /// of the same name.
    pub fn trailing_link_arguments(&self) -> Vec<String> {
        let files = self.toolkit.library_files(self.fortran);
        files
            .iter()
            .map(|file| file.display().to_string())
            .collect()
    }

    /// Link flags for other commands, at their end. The run path makes programs find the library without LD_LIBRARY_PATH.
    pub fn link_flags(&self) -> Vec<String> {
        let folder = self.toolkit.library();
        let mut flags = vec![
            format!("-L{}", folder.display()),
            format!("-Wl,-rpath,{}", folder.display()),
        ];
        for name in self.libraries() {
            flags.push(format!("-l{name}"));
        }
        flags
    }

    /// The answer to a query; `words` are the other words of the command line. `links` is whether they would link.
    pub fn output(&self, query: WrapperQuery, words: &[String], links: bool) -> String {
        let compiler = || self.compiler.to_vec();
        let (compile, link) = (self.compile_flags(), self.link_flags());
        let parts: Vec<Vec<String>> = match query {
            // With -c, -E or -S the shown command stops before linking, so link flags would be wrong.
            WrapperQuery::Command if links => vec![compiler(), compile, words.to_vec(), link],
            WrapperQuery::Command | WrapperQuery::CompileCommand => {
                vec![compiler(), compile, words.to_vec()]
            }
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
