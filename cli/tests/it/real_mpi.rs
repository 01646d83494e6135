//! The MPI libraries of this computer that runs are observed over. Where one is missing its tests say
//! so and pass.

use crate::command::{CommandOutput, answer};
use npb_fixtures::skipped::skip;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard};

/// An MPI library.
pub struct Mpi {
    pub name: &'static str,
    pub fortran: String,
    pub c: String,
    launcher: Vec<String>,
}

/// Ranks that wait by looking again and again need the processors for themselves.
static PROCESSORS: Mutex<()> = Mutex::new(());

/// Held while a test runs ranks of a real MPI.
pub fn processors() -> MutexGuard<'static, ()> {
    PROCESSORS
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Mpi {
    /// Debian's MPICH, whose ranks wait busily: for two of them.
    pub fn mpich() -> Option<Self> {
        Self::found(
            "MPICH (package mpich)",
            ["mpif90.mpich", "mpicc.mpich", "mpirun.mpich"],
            &[],
        )
    }

    /// MPICH over sockets, whose ranks sleep while they wait: for any number of them.
    pub fn blocking_mpich() -> Option<Self> {
        let place = std::env::var("MPICH_SOCK").unwrap_or_else(|_| "/opt/mpich-sock".into());
        let tools = ["mpif90", "mpicc", "mpiexec"].map(|tool| format!("{place}/bin/{tool}"));
        Self::found(
            "the blocking MPICH (./setup mpich-sock)",
            tools.each_ref().map(String::as_str),
            &[],
        )
    }

    /// Open MPI.
    pub fn open_mpi() -> Option<Self> {
        let tools = ["mpif90.openmpi", "mpicc.openmpi", "mpirun.openmpi"];
        Self::found(
            "Open MPI (packages openmpi-bin, libopenmpi-dev)",
            tools,
            &["--allow-run-as-root", "--oversubscribe"],
        )
    }

    fn found(
        name: &'static str,
        [fortran, c, launcher]: [&str; 3],
        flags: &[&str],
    ) -> Option<Self> {
        let here = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
        if ![fortran, c, launcher].into_iter().all(here) {
            skip(&format!("{name} is not installed"));
            return None;
        }
        let launcher = std::iter::once(launcher)
            .chain(flags.iter().copied())
            .map(String::from)
            .collect();
        Some(Self {
            name,
            fortran: fortran.into(),
            c: c.into(),
            launcher,
        })
    }

    /// Compiles sources in `here`; those that end in `.c` with the C compiler.
    pub fn compile(&self, here: &Path, program: &str, sources: &[PathBuf], flags: &[&str]) {
        let is_c = sources
            .iter()
            .any(|source| source.extension().is_some_and(|ending| ending == "c"));
        let mut compiler = Command::new(if is_c { &self.c } else { &self.fortran });
        // Debian's wrapper of Open MPI names the folder of its modules, but not that of its links.
        let links = [
            "/usr/lib/x86_64-linux-gnu/openmpi/lib",
            "/usr/lib/aarch64-linux-gnu/openmpi/lib",
        ];
        let links = links
            .iter()
            .filter(|folder| self.name.starts_with("Open MPI") && Path::new(folder).is_dir());
        compiler.args(links.map(|folder| format!("-L{folder}")));
        compiler
            .args(flags)
            .args(sources)
            .args(["-o", program])
            .current_dir(here);
        let compiled = answer(&mut compiler);
        assert_eq!(compiled.code, 0, "{}: {}", self.name, compiled.err);
    }

    /// Starts so many ranks of a command.
    pub fn run<S: AsRef<std::ffi::OsStr>>(
        &self,
        here: &Path,
        ranks: u32,
        command: &[S],
    ) -> CommandOutput {
        answer(self.launch(ranks).args(command).current_dir(here))
    }

    /// The launcher, without the program to start.
    pub fn launch(&self, ranks: u32) -> Command {
        let mut launcher = Command::new(&self.launcher[0]);
        launcher
            .args(&self.launcher[1..])
            .args(["-n", &ranks.to_string()]);
        launcher
    }

    /// Starts a command with every rank observed; gives what it printed.
    pub fn observe(&self, here: &Path, ranks: u32, output: &str, command: &[&str]) -> String {
        let words = [
            &[env!("CARGO_BIN_EXE_mpiete"), "observe", "-o", output],
            command,
        ]
        .concat();
        let run = self.run(here, ranks, &words);
        assert_eq!(
            run.code, 0,
            "{}, {ranks} ranks: {}\n{}",
            self.name, run.out, run.err
        );
        run.out
    }
}
