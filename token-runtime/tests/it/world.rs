//! Compiling and running the test programs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use token_runtime::headers;
use token_runtime::host::{Launch, Mode, Output, Recording, library_folder, run};

/// The shared object of the package `mpiete-mpi`, beside the tests.
pub fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let library = test.ancestors().nth(2).unwrap().join("libmpiete_mpi.so");
    assert!(
        library.is_file(),
        "{} is missing: run `cargo build -p mpiete-mpi` first",
        library.display()
    );
    library
}

/// A folder with our headers and links to our library, and what is compiled there.
pub struct World {
    folder: TempDir,
}

impl World {
    pub fn new() -> Self {
        let folder = TempDir::new().unwrap();
        for (name, text) in headers::ALL {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        library_folder(&folder.path().join("lib"), &library()).unwrap();
        Self { folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Compiles one of the programs beside this file (or several, in order) against our headers.
    pub fn compile(&self, sources: &[&str]) -> PathBuf {
        let compiler = if sources[0].ends_with(".c") {
            "gcc"
        } else {
            "gfortran"
        };
        let lib = self.path().join("lib");
        self.compile_with(
            compiler,
            sources,
            &["-I.", "-L", lib.to_str().unwrap(), "-lmpi"],
        )
    }

    /// Compiles with a compiler and flags of one's own.
    pub fn compile_with(&self, compiler: &str, sources: &[&str], flags: &[&str]) -> PathBuf {
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/programs");
        let place = |source: &&str| match *source {
            "mpi.f90" | "mpi_f08.f90" => self.path().join(source),
            source => programs.join(source),
        };
        let name = Path::new(sources.last().unwrap()).file_stem().unwrap();
        let program = self.path().join(name).with_extension("exe");
        let mut command = Command::new(compiler);
        command
            .current_dir(self.path())
            .args(["-O1", "-o"])
            .arg(&program);
        if compiler == "gfortran" {
            // One buffer argument takes many types, which mpif.h cannot declare to the compiler.
            command.args(["-fallow-argument-mismatch", "-w"]);
        }
        let output = command
            .args(sources.iter().map(place))
            .args(flags)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && said.is_empty(),
            "{compiler} {sources:?}: {said}"
        );
        program
    }

    pub fn launch(&self, program: &Path, ranks: u32, mode: Mode) -> Launch<'static> {
        Launch {
            program: program.to_path_buf(),
            ranks,
            mode,
            library: library(),
            work_dir: self.path().to_path_buf(),
            output: Output::Capture,
            ..Launch::default()
        }
    }

    pub fn run(&self, program: &Path, ranks: u32, mode: Mode) -> Recording {
        run(&self.launch(program, ranks, mode))
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()))
    }
}

/// Asks until there is an answer, half a minute at most.
pub fn until<T>(ask: impl Fn() -> Option<T>) -> Option<T> {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(30) {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        std::thread::yield_now();
    }
    None
}
