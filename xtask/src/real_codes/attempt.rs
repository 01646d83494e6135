//! Builds, predicts and runs one code, in copies of its folder. A stage that fails leaves its figures out, and the row names it.

use super::calls;
use super::code::Code;
use super::rows::{Figures, RANKS, Row};
use crate::accuracy::comparison::{self, PICOSECOND};
use crate::numbers::{median, relative_spread};
use crate::process;
use crate::scratch::Scratch;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::cell::Cell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

/// Seconds after which a command counts as failed: codes are given inputs that take seconds, and a program that waits for a message
/// that never comes would not end.
const LIMIT_SECONDS: &str = "900";

/// The exit code of `timeout` for a command that it ended.
const ENDED_BY_TIMEOUT: i32 = 124;

/// The exit code of `mpiete compare` for streams that differ.
const DIFFERS: i32 = 3;

/// All ranks share a node, as in the observed runs. Only computation is compared, so that the times of messages are of no account.
const PLATFORM: &str = r#"format = 1
name = "one-node"
nodes = 1
ranks_per_node = 64

[[links]]
class = "inside-node"

[links.data]
network = "shared memory"

[[links.data.fits]]
model = "mpiete"
link = "inside-node"
curve = [{ bytes = 0, time = 400_000 }, { bytes = 65_536, time = 9_000_000 }]
source = "assumed"
"#;

/// The commands of the machine's MPI library, under which the built programs run.
#[derive(Clone)]
pub struct Mpi {
    /// The launcher.
    pub launcher: String,
    /// The C compiler, for the library that counts calls.
    pub c_compiler: String,
}

/// What is known of a code after everything was tried that could be. `runs` is the number of predictions and of observed runs.
///
/// # Errors
///
/// An error of the machine, such as a full disk. What fails of the code is in the row.
pub fn row(code: &Code, mpiete: &Path, mpi: &Mpi, runs: usize) -> Result<Row> {
    let scratch = Scratch::new(mpiete.to_path_buf())?;
    std::fs::write(scratch.path().join("platform.toml"), PLATFORM)?;
    let mut attempt = Attempt {
        code,
        mpi,
        runs,
        row: Row {
            name: code.name.clone(),
            build_command: code.build.clone(),
            chosen_after: code.chosen_after,
            ..Row::default()
        },
        copies: Cell::new(0),
        scratch,
    };
    attempt.go();
    Ok(attempt.row)
}

struct Attempt<'c> {
    code: &'c Code,
    mpi: &'c Mpi,
    runs: usize,
    row: Row,
    /// How many folders have been copied: each copy has a name of its own.
    copies: Cell<u32>,
    scratch: Scratch,
}

/// The share of an analysis, and what it was made with.
struct Share {
    lines: u64,
    kept_percent: f64,
    assumptions: u64,
}

/// A prediction with its study.
struct Prediction {
    copy: PathBuf,
    study: PathBuf,
    /// The message of a program that is emulated, because its control flow depends on timing.
    emulated: Option<String>,
}

impl Attempt<'_> {
    fn go(&mut self) {
        let program = self.stage("build", Self::plain_program);
        if let Some(strict) = self.stage("analyze", |this| this.share(true)) {
            self.row.lines = Some(strict.lines);
            self.row.kept_strict = Some(strict.kept_percent);
        }
        if let Some(share) = self.stage("analyze", |this| this.share(false)) {
            self.row.kept = Some(share.kept_percent);
            self.row.assumptions = Some(share.assumptions);
        }
        for (place, ranks) in RANKS.into_iter().enumerate() {
            if self.code.ranks.contains(&ranks) {
                self.row.on_ranks[place] = self.on_ranks(ranks, program.as_deref());
            }
        }
    }

    /// Carries a stage out. Of those that fail, the row names the first.
    fn stage<T>(&mut self, name: &str, work: impl FnOnce(&Self) -> Result<T>) -> Option<T> {
        super::progress(&format!("{}: {name}", self.code.name));
        match work(self) {
            Ok(value) => Some(value),
            Err(error) => {
                self.fail(name, &format!("{error:#}"));
                None
            }
        }
    }

    fn fail(&mut self, stage: &str, message: &str) {
        super::progress(&format!("{}: {stage} failed: {message}", self.code.name));
        if self.row.failed_stage.is_empty() {
            self.row.failed_stage = stage.to_string();
            // Names of temporary folders differ from run to run.
            let folder = self.scratch.path().display().to_string();
            let message = message.replace(&folder, "");
            self.row.failure = message.lines().next().unwrap_or_default().to_string();
        }
    }

    fn on_ranks(&mut self, ranks: u32, program: Option<&Path>) -> Figures {
        let counted = match program {
            Some(program) => self.stage(&format!("run on {ranks}"), |this| {
                this.counted_run(program, ranks)
            }),
            None => None,
        };
        let mut figures = Figures::default();
        let predicted = self.stage(&format!("predict on {ranks}"), |this| this.predict(ranks));
        let Some(prediction) = predicted else {
            return figures;
        };
        if let Some(message) = &prediction.emulated {
            self.fail(&format!("record on {ranks}"), message);
        }
        if let (Some(counted), None) = (&counted, &prediction.emulated) {
            let difference = self.stage(&format!("count on {ranks}"), |this| {
                calls::difference(&this.recorded(&prediction, ranks)?, counted)
            });
            if let Some(difference) = difference {
                let is_equal = difference.is_none() && self.row.counts_equal != Some(false);
                self.row.counts_equal = Some(is_equal);
                if let Some(difference) = difference {
                    self.fail(&format!("count on {ranks}"), &difference);
                }
            }
        }
        self.time(&prediction, ranks, program, &mut figures);
        figures
    }

    /// Predictions and observed runs in turn, so that a slow phase of the machine meets both.
    fn time(
        &mut self,
        prediction: &Prediction,
        ranks: u32,
        program: Option<&Path>,
        figures: &mut Figures,
    ) {
        let (mut predicted, mut observed, mut walls) = (Vec::new(), Vec::new(), Vec::new());
        for run in 0..self.runs {
            let name = format!("run {} of {} on {ranks}", run + 1, self.runs);
            let estimate = match prediction.emulated {
                Some(_) => Some((estimate_of(&prediction.study, ranks), None)),
                None => self.stage(&format!("measure, {name}"), |this| {
                    this.measured(prediction, ranks)
                }),
            };
            let (Some((estimate, elapsed)), Some(program)) = (estimate, program) else {
                return;
            };
            let observation = self.stage(&format!("observe, {name}"), |this| {
                this.observe(program, ranks)
            });
            let Some(observation) = observation else {
                return;
            };
            let compared = self.stage(&format!("compare, {name}"), |this| {
                this.compare(&estimate, &observation)
            });
            let Some((printed, difference)) = compared else {
                return;
            };
            let is_equal = difference.is_none() && self.row.streams_equal != Some(false);
            self.row.streams_equal = Some(is_equal);
            if let Some(difference) = difference {
                self.fail(&format!("compare on {ranks}"), &difference);
                return;
            }
            let times = self.stage("compare", |_| {
                let times = comparison::read(&printed)?;
                let computing = times.mean_of(|rank| rank.computing)?;
                Ok((computing, times.totals.time.in_units(PICOSECOND)))
            });
            let Some((computing, total)) = times else {
                return;
            };
            predicted.push(computing.predicted);
            observed.push(computing.measured);
            if let Some(elapsed) = elapsed
                && total.measured > 0.0
            {
                walls.push(elapsed / total.measured);
            }
        }
        figures.predicted_spread = Some(relative_spread(&predicted));
        figures.observed_spread = Some(relative_spread(&observed));
        figures.predicted = median(predicted);
        figures.observed = median(observed);
        figures.walls = median(walls);
    }

    /// The program as its user builds it.
    fn plain_program(&self) -> Result<PathBuf> {
        let copy = self.copy()?;
        self.run(self.command("sh", &copy).arg("-c").arg(&self.code.build))?;
        let binary = copy.join(&self.code.binary);
        if !binary.is_file() {
            bail!("the build makes no {}", self.code.binary.display());
        }
        Ok(binary)
    }

    /// Analyzes the build.
    fn share(&self, is_strict: bool) -> Result<Share> {
        let copy = self.copy()?;
        let mut analyze = self.mpiete_of_build("analyze", &copy);
        analyze.args(["--format", "json"]);
        if is_strict {
            analyze.arg("--strict");
        }
        share_in(&self.run(&mut analyze)?)
    }

    /// Predicts from the build. The study stays, for measurements.
    fn predict(&self, ranks: u32) -> Result<Prediction> {
        let copy = self.copy()?;
        let study = copy.join("real-codes.study");
        let mut predict = self.mpiete_of_build("predict", &copy);
        predict.arg("-o").arg(&study).arg("--platform");
        predict.arg(self.scratch.path().join("platform.toml"));
        self.add_input(&mut predict, &copy, ranks);
        let done = self.done(&mut predict)?;
        let program = program_data_of(&study, ranks);
        let mut emulated = None;
        if !program.exists() {
            emulated = Some(reason_of_emulation(&String::from_utf8_lossy(&done.stderr)));
        }
        Ok(Prediction {
            copy,
            study,
            emulated,
        })
    }

    /// Calls by name that the program data of a study contain.
    fn recorded(&self, prediction: &Prediction, ranks: u32) -> Result<calls::Counts> {
        let mut show = self.command(self.scratch.mpiete_path(), self.scratch.path());
        show.arg("show")
            .arg(program_data_of(&prediction.study, ranks));
        calls::recorded(&self.run(show.args(["--format", "json"]))?)
    }

    /// Runs the program and counts its calls by the profiling interface.
    fn counted_run(&self, program: &Path, ranks: u32) -> Result<calls::Counts> {
        let library = self.scratch.path().join("libmpi_counts.so");
        if !library.exists() {
            let source = self.scratch.path().join("mpi_counts.c");
            std::fs::write(&source, calls::COUNTER)?;
            let mut compile = self.command(&self.mpi.c_compiler, self.scratch.path());
            compile.args(["-O1", "-shared", "-fPIC", "-w", "-o"]);
            self.run(compile.arg(&library).arg(&source))?;
        }
        let folder = self.new_folder()?;
        let run_in = self.run_folder(program)?;
        let mut launch = self.launcher(ranks, &run_in);
        launch.arg("env").arg(variable("LD_PRELOAD", &library));
        launch.arg(variable("MPI_COUNTS", &folder));
        self.add_program(&mut launch, program, &run_in, ranks)?;
        self.run(&mut launch)?;
        calls::counted(&folder)
    }

    /// Measures blocks: an estimate with their times, and the elapsed time in seconds.
    fn measured(&self, prediction: &Prediction, ranks: u32) -> Result<(PathBuf, Option<f64>)> {
        let folder = self.new_folder()?;
        let compute = folder.join("compute.mpiete");
        let estimate = folder.join("estimate.mpiete");
        let mut measure = self.command(self.scratch.mpiete_path(), &prediction.copy);
        measure.arg("measure").arg(&prediction.study);
        measure.arg("-o").arg(&compute);
        self.add_input(&mut measure, &prediction.copy, ranks);
        let begin = Instant::now();
        self.run(&mut measure)?;
        let elapsed = begin.elapsed().as_secs_f64();
        let mut combine = self.command(self.scratch.mpiete_path(), &folder);
        combine.arg("estimate");
        combine.arg(program_data_of(&prediction.study, ranks));
        combine.arg(&compute).arg("-o").arg(&estimate);
        combine.arg("--platform");
        combine.arg(self.scratch.path().join("platform.toml"));
        self.run(&mut combine)?;
        Ok((estimate, Some(elapsed)))
    }

    /// Observes a run of the program.
    fn observe(&self, program: &Path, ranks: u32) -> Result<PathBuf> {
        let observation = self.new_folder()?.join("observation.mpiete");
        let run_in = self.run_folder(program)?;
        let mut launch = self.launcher(ranks, &run_in);
        launch.arg(self.scratch.mpiete_path());
        launch.args(["observe", "-o"]).arg(&observation);
        self.add_program(&mut launch, program, &run_in, ranks)?;
        self.run(&mut launch)?;
        Ok(observation)
    }

    /// What `mpiete compare` prints as JSON, and how the streams differ.
    fn compare(&self, estimate: &Path, observation: &Path) -> Result<(String, Option<String>)> {
        let mut compare = self.command(self.scratch.mpiete_path(), self.scratch.path());
        compare.arg("compare").arg(estimate).arg(observation);
        compare.args(["--format", "json"]);
        let done = self.started(&mut compare)?;
        let printed = String::from_utf8_lossy(&done.stdout).into_owned();
        if !done.status.success() && done.status.code() != Some(DIFFERS) {
            bail!(message_in(&done));
        }
        let difference = comparison::difference_of_streams(&printed)?;
        Ok((printed, difference))
    }

    /// `mpiete SUBCOMMAND` of the build in a copy.
    fn mpiete_of_build(&self, subcommand: &str, copy: &Path) -> Command {
        let mut command = self.command(self.scratch.mpiete_path(), copy);
        // The whole run, as it is observed.
        command.args([subcommand, "--whole", "--from-build"]);
        command.arg(&self.code.build);
        if let Some(program) = &self.code.program {
            command.args(["--program", program]);
        }
        for assumption in &self.code.assume {
            command.args(["--assume", assumption]);
        }
        command
    }

    /// The ranks, files and arguments of a program that mpiete runs.
    fn add_input(&self, command: &mut Command, copy: &Path, ranks: u32) {
        let run_in = copy.join(&self.code.run_in);
        command.args(["-n", &ranks.to_string()]);
        command.arg("--workdir").arg(&run_in);
        if let Some(file) = &self.code.stdin {
            command.arg("--stdin").arg(run_in.join(file));
        }
        command.arg("--").args(self.code.arguments_on(ranks));
    }

    fn launcher(&self, ranks: u32, run_in: &Path) -> Command {
        let mut launch = self.command(&self.mpi.launcher, run_in);
        launch.args(["-n", &ranks.to_string()]);
        launch
    }

    /// The program, its arguments and its standard input.
    fn add_program(
        &self,
        launch: &mut Command,
        program: &Path,
        run_in: &Path,
        ranks: u32,
    ) -> Result<()> {
        launch.arg(program).args(self.code.arguments_on(ranks));
        if let Some(file) = &self.code.stdin {
            let path = run_in.join(file);
            let file = std::fs::File::open(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            launch.stdin(file);
        }
        Ok(())
    }

    /// A copy of the code's folder, set up.
    fn copy(&self) -> Result<PathBuf> {
        let copy = self.copy_of(&self.code.folder)?;
        if let Some(set_up) = &self.code.set_up {
            self.run(self.command("sh", &copy).arg("-c").arg(set_up))
                .context("set_up")?;
        }
        Ok(copy)
    }

    /// A copy of the folder in which the program runs: what it writes is no input of the next run.
    fn run_folder(&self, program: &Path) -> Result<PathBuf> {
        let depth = self.code.binary.components().count();
        let built = program
            .ancestors()
            .nth(depth)
            .context("the program lies beside its copy")?;
        self.copy_of(&built.join(&self.code.run_in))
    }

    fn copy_of(&self, folder: &Path) -> Result<PathBuf> {
        let copy = self.new_folder()?;
        // All but the history, which may be large.
        let mut entries = Vec::new();
        let unreadable = || format!("cannot read {}", folder.display());
        for entry in std::fs::read_dir(folder).with_context(unreadable)? {
            let entry = entry.with_context(unreadable)?;
            if entry.file_name() != ".git" {
                entries.push(entry.path());
            }
        }
        if !entries.is_empty() {
            let mut copy_all = self.command("cp", self.scratch.path());
            self.run(copy_all.arg("-a").args(entries).arg(&copy))?;
        }
        Ok(copy)
    }

    fn new_folder(&self) -> Result<PathBuf> {
        let number = self.copies.get() + 1;
        self.copies.set(number);
        let folder = self.scratch.path().join(number.to_string());
        std::fs::create_dir(&folder).context("cannot make a folder")?;
        Ok(folder)
    }

    /// A command in a folder, with the variables of the code, ended after [`LIMIT_SECONDS`].
    fn command(&self, program: impl AsRef<OsStr>, folder: &Path) -> Command {
        let mut command = self.scratch.command("timeout");
        command
            .args(["--kill-after=10", LIMIT_SECONDS])
            .arg(program);
        command.current_dir(folder).envs(&self.code.environment);
        // Those of `make`, under which this may run, are not for the makefiles of codes.
        for variable in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"] {
            command.env_remove(variable);
        }
        command.stdin(Stdio::null());
        command
    }

    /// What a command prints on standard output. An error, with a line of its message, if it fails.
    fn run(&self, command: &mut Command) -> Result<String> {
        let done = self.done(command)?;
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    }

    fn done(&self, command: &mut Command) -> Result<Output> {
        let done = self.started(command)?;
        if done.status.code() == Some(ENDED_BY_TIMEOUT) {
            bail!("not done after {LIMIT_SECONDS} s");
        }
        if !done.status.success() {
            bail!(message_in(&done));
        }
        Ok(done)
    }

    fn started(&self, command: &mut Command) -> Result<Output> {
        let shown = process::shown(command);
        command
            .output()
            .with_context(|| format!("cannot start {shown}"))
    }
}

fn program_data_of(study: &Path, ranks: u32) -> PathBuf {
    study.join(format!("program-n{ranks}.mpiete"))
}

fn estimate_of(study: &Path, ranks: u32) -> PathBuf {
    study.join(format!("estimate-n{ranks}.mpiete"))
}

fn variable(name: &str, path: &Path) -> String {
    format!("{name}={}", path.display())
}

/// Parts of lines that give a reason: of compilers and libraries, and of MPICH's launcher for a rank that a signal ended.
const REASONS: [&str; 2] = ["rror", "EXIT STRING"];

/// The line of a failed command's output that gives the reason.
fn message_in(done: &Output) -> String {
    let errors = String::from_utf8_lossy(&done.stderr).into_owned();
    let printed = String::from_utf8_lossy(&done.stdout).into_owned();
    // mpiete prints its reason last, after remarks on the program.
    let of_mpiete = errors.lines().rfind(|line| line.starts_with("mpiete: "));
    let reason = || {
        let mut lines = errors.lines().chain(printed.lines());
        lines.find(|line| REASONS.iter().any(|reason| line.contains(reason)))
    };
    let last = || {
        let mut lines = printed.lines().chain(errors.lines());
        lines.rfind(|line| !line.trim().is_empty())
    };
    match of_mpiete.or_else(reason).or_else(last) {
        Some(line) => line.trim().to_string(),
        None => done.status.to_string(),
    }
}

/// The first place that makes mpiete emulate a program, with its reason.
fn reason_of_emulation(errors: &str) -> String {
    let mut lines = errors.lines();
    let is_announced = lines.any(|line| line.contains("depends on timing:"));
    match lines.next() {
        Some(place) if is_announced => format!("emulated: {}", place.trim()),
        _ => "emulated: control flow depends on timing".to_string(),
    }
}

/// What `mpiete analyze --format json` prints, as far as it is used.
#[derive(Deserialize)]
struct Analysis {
    content: AnalysisContent,
}

#[derive(Deserialize)]
struct AnalysisContent {
    files: Vec<AnalysedFile>,
    /// Kept statements and all.
    slice_share: (u64, u64),
    assumptions: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct AnalysedFile {
    lines: u64,
}

fn share_in(printed: &str) -> Result<Share> {
    let analysis: Analysis = serde_json::from_str(printed).context("what mpiete analyze prints")?;
    let content = analysis.content;
    let (kept, all) = content.slice_share;
    if all == 0 {
        bail!("the program has no statement");
    }
    Ok(Share {
        lines: content.files.iter().map(|file| file.lines).sum(),
        kept_percent: 100.0 * kept as f64 / all as f64,
        assumptions: content.assumptions.len() as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    fn failed(printed: &str, errors: &str) -> Output {
        Output {
            status: std::process::ExitStatus::from_raw(256),
            stdout: printed.into(),
            stderr: errors.into(),
        }
    }

    #[test]
    fn message_is_the_reason_and_no_remark() {
        let cases = [
            (
                "",
                "a.f90:1: note: x\nmpiete: no MPI call\n",
                "mpiete: no MPI call",
            ),
            (
                "cc a.c\n",
                "make: x\na.f90: Error: bad\nlast\n",
                "a.f90: Error: bad",
            ),
            (
                "x\nTHE EXIT STRING: Segmentation fault\nsee the FAQ\n",
                "",
                "THE EXIT STRING: Segmentation fault",
            ),
            ("first\nlast\n\n", "", "last"),
            ("", "", "exit status: 1"),
        ];
        for (printed, errors, expected) in cases {
            assert_eq!(message_in(&failed(printed, errors)), expected);
        }
    }

    #[test]
    fn share_is_that_of_the_slice() {
        let printed = r#"{"content": {"files": [{"lines": 3}, {"lines": 4}], "slice_share": [1, 4], "assumptions": [{}]}}"#;
        let share = share_in(printed).expect("a share");
        assert_eq!(
            (share.lines, share.kept_percent, share.assumptions),
            (7, 25.0, 1)
        );
    }

    #[test]
    fn emulated_programs_have_a_reason() {
        let errors = "mpiete: t is emulated as a whole, since its control flow depends on timing:\na.f90:3: a poll\n";
        assert_eq!(reason_of_emulation(errors), "emulated: a.f90:3: a poll");
        assert_eq!(
            reason_of_emulation(""),
            "emulated: control flow depends on timing"
        );
    }
}
