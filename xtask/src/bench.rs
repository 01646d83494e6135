//! Every figure of docs/results/benchmarks.md: a line NAME VALUE UNIT each. Nothing else goes to standard output.

use crate::numbers::{median, significant};
use crate::process::{self, BadInput};
use crate::scratch::Scratch;
use crate::{fixture, release, root};
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Runs of what is timed; the median is printed.
const REPETITIONS: u32 = 3;

/// How a figure is measured.
#[derive(Clone, Copy)]
enum Figure {
    /// The example of this name prints the figure, by its full name.
    Example(&'static str),
    /// The example of the frontend prints the figure for the kernels, problem class S.
    Frontend(&'static str),
    SliceShare,
    /// Processor time of the program probe over that of the program, 16 ranks, problem class B.
    ProbeTime(&'static str),
    VirtualRecording,
    ProgramDataSize,
    /// Processor time of measuring, in run times of the program, problem class B.
    MeasuringCost(&'static str, u32),
    EmptyBlock,
    ReplaySpeed,
    ObservedCall,
    /// What `token.c` prints when it is started by `mpiete` with the first words and gets the second ones.
    Token {
        command: &'static [&'static str],
        arguments: &'static [&'static str],
        unit: &'static str,
    },
    TokenStart,
    /// Elapsed time of `mpiete meta` for [`VARYING`].
    MetaProgram {
        ranks: u32,
        iterations: u32,
        is_ring: bool,
    },
    /// Elapsed time of `mpiete emulate` on 64 ranks over what the ranks compute.
    EmulationOverhead(EmulatedProgram),
}

#[derive(Clone, Copy)]
enum EmulatedProgram {
    /// One master, 1,024 uneven tasks.
    Mandelbrot,
    /// Problem class W: messages of 40 to 200 bytes, between each of which a rank computes for a few microseconds.
    Lu,
}

/// A meta-program whose messages and computation depend on the index of the loop; in a ring if RING is 1, otherwise in a line.
const VARYING: &str = "\
FOR k IN 0..ITERATIONS
  compute(k * 2)
  IF RING == 1
    msgsendrecv(8 + k % 1000 * 8, (ID + 1) % RANKS, (ID - 1) % RANKS)
  ELSE
    IF ID > 0
      msgrecv(8 + k % 1000 * 8, ID - 1)
    END
    IF ID < RANKS - 1
      msgsend(8 + k % 1000 * 8, ID + 1)
    END
  END
END
";

/// Names do not change: figures are compared over years.
const FIGURES: &[(&str, Figure)] = &[
    ("frontend.parse_ratio", Figure::Frontend("frontend_speed")),
    ("frontend.analyze", Figure::Frontend("frontend_speed")),
    ("frontend.analyze_large", Figure::Frontend("large_speed")),
    ("frontend.analyze_growth", Figure::Frontend("large_speed")),
    (
        "frontend.analyze_large_gigabytes",
        Figure::Frontend("large_speed"),
    ),
    ("slice.cg_kept", Figure::SliceShare),
    ("program_probe.cg_cpu_ratio", Figure::ProbeTime("cg")),
    ("program_probe.lu_cpu_ratio", Figure::ProbeTime("lu")),
    ("program_probe.virtual_lu_c_16384", Figure::VirtualRecording),
    ("program_data.cg_a_16_bytes", Figure::ProgramDataSize),
    ("compute.cost_walls_16_lu", Figure::MeasuringCost("lu", 16)),
    (
        "compute.cost_walls_128_lu",
        Figure::MeasuringCost("lu", 128),
    ),
    ("compute.cost_walls_16_cg", Figure::MeasuringCost("cg", 16)),
    (
        "compute.cost_walls_128_cg",
        Figure::MeasuringCost("cg", 128),
    ),
    ("compute.empty_block_ratio", Figure::EmptyBlock),
    ("replay.cg_w_16", Figure::ReplaySpeed),
    (
        "replay.dataflow_wavefront",
        Figure::Example("dataflow_speed"),
    ),
    (
        "replay.dataflow_over_bare",
        Figure::Example("dataflow_speed"),
    ),
    ("replay.growth_8192", Figure::Example("dataflow_speed")),
    (
        "replay.lu_c_1024_seconds",
        Figure::Example("dataflow_speed"),
    ),
    ("replay.timed_halo", Figure::Example("timed_speed")),
    ("replay.timed_alltoall", Figure::Example("timed_speed")),
    ("replay.timed_growth_8192", Figure::Example("timed_speed")),
    ("replay.flow_symmetric_1024", Figure::Example("timed_speed")),
    ("replay.flow_halo_1024", Figure::Example("timed_speed")),
    (
        "replay.collectives_1024",
        Figure::Example("collectives_speed"),
    ),
    (
        "meta.varying_ring_1024_seconds",
        Figure::MetaProgram {
            ranks: 1024,
            iterations: 1_000_000,
            is_ring: true,
        },
    ),
    (
        "meta.varying_line_64_seconds",
        Figure::MetaProgram {
            ranks: 64,
            iterations: 100_000,
            is_ring: false,
        },
    ),
    ("tasks.events", Figure::Example("tasks_speed")),
    ("tasks.growth_8192", Figure::Example("tasks_speed")),
    (
        "emulate.overhead_mandelbrot",
        Figure::EmulationOverhead(EmulatedProgram::Mandelbrot),
    ),
    (
        "emulate.overhead_lu_w",
        Figure::EmulationOverhead(EmulatedProgram::Lu),
    ),
    ("observe.call_ns", Figure::ObservedCall),
    (
        "token.handover_ratio",
        Figure::Token {
            command: &["run", "-n", "2"],
            arguments: &["switch", "20000"],
            unit: "ratio",
        },
    ),
    (
        "token.recorded_calls",
        Figure::Token {
            command: &["record", "-n", "2", "--"],
            arguments: &["record", "1000000"],
            unit: "calls/s",
        },
    ),
    ("token.start_1024", Figure::TokenStart),
    (
        "token.memory_16",
        Figure::Token {
            command: &["run", "-n", "16"],
            arguments: &["memory"],
            unit: "kB",
        },
    ),
    (
        "token.memory_128",
        Figure::Token {
            command: &["run", "-n", "128"],
            arguments: &["memory"],
            unit: "kB",
        },
    ),
    (
        "token.memory_1024",
        Figure::Token {
            command: &["run", "-n", "1024"],
            arguments: &["memory"],
            unit: "kB",
        },
    ),
];

/// Measures and prints the figures whose names begin with a prefix.
///
/// # Errors
///
/// [`BadInput`] if no figure does; or a command that fails.
pub fn print_figures(prefix: &str) -> Result<()> {
    let mut chosen = Vec::new();
    for &(name, figure) in FIGURES {
        if name.starts_with(prefix) {
            chosen.push((name, figure));
        }
    }
    if chosen.is_empty() {
        let names: Vec<&str> = FIGURES.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        return Err(BadInput(format!(
            "no figure begins with '{prefix}'; the figures are {names}"
        ))
        .into());
    }
    let bench = Bench {
        // Never MPIETE: the examples that are measured, and the library that they load, are those of the release build.
        scratch: Scratch::new(release().join("mpiete"))?,
    };
    for (name, figure) in chosen {
        // Printed one by one: if a later figure fails, the earlier ones are not lost.
        let measured = bench.measure(name, figure).with_context(|| name)?;
        process::print(&format!("{name} {measured}\n"))?;
    }
    Ok(())
}

/// A value and its unit, as they are printed.
struct Measured {
    value: f64,
    unit: String,
}

impl Measured {
    fn new(value: f64, unit: &str) -> Measured {
        Measured {
            value,
            unit: unit.to_string(),
        }
    }
}

impl std::fmt::Display for Measured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", significant(self.value, 6), self.unit)
    }
}

/// Studies and programs that several figures use; each is made once.
struct Bench {
    scratch: Scratch,
}

impl Bench {
    fn measure(&self, name: &str, figure: Figure) -> Result<Measured> {
        match figure {
            Figure::Example(example) => self.example(example, name),
            Figure::Frontend(example) => self.frontend(example, name),
            Figure::SliceShare => self.slice_share(),
            Figure::ProbeTime(program) => self.probe_time(program),
            Figure::VirtualRecording => self.virtual_recording(),
            Figure::ProgramDataSize => self.program_data_size(),
            Figure::MeasuringCost(program, ranks) => self.measuring_cost(program, ranks),
            Figure::EmptyBlock => self.empty_block(),
            Figure::ReplaySpeed => self.replay_speed(),
            Figure::ObservedCall => self.observed_call(),
            Figure::Token {
                command,
                arguments,
                unit,
            } => self.token(command, arguments, unit),
            Figure::TokenStart => self.token_start(),
            Figure::MetaProgram {
                ranks,
                iterations,
                is_ring,
            } => self.meta_program(ranks, iterations, is_ring),
            Figure::EmulationOverhead(program) => self.emulation_overhead(program),
        }
    }

    /// The examples of the replay take the figure's name; those of the dataflow replay without `replay.`.
    fn example(&self, example: &str, name: &str) -> Result<Measured> {
        let argument = match example {
            "dataflow_speed" => name.trim_start_matches("replay."),
            _ => name,
        };
        let mut command = self.scratch.command(example_path(example));
        figure_in(&process::output(command.arg(argument))?, name)
    }

    fn frontend(&self, example: &str, name: &str) -> Result<Measured> {
        let mut command = self.scratch.command(example_path(example));
        for kernel in ["cg", "ep", "lu"] {
            // A folder of sources and one for INCLUDE lines.
            let mut folders = OsString::from(fixture(kernel).join(""));
            folders.push(",");
            folders.push(class_folder(kernel, "S"));
            command.arg(folders);
        }
        figure_in(&process::output(&mut command)?, name)
    }

    fn slice_share(&self) -> Result<Measured> {
        let mut command = self.scratch.mpiete("analyze");
        command.arg(fixture("cg"));
        command.arg("-I").arg(class_folder("cg", "B"));
        let printed = process::output(command.args(["--format", "json"]))?;
        let analysis: AnalysisFile =
            serde_json::from_str(&printed).context("what mpiete analyze prints")?;
        let [kept, all] = analysis.content.slice_share;
        Ok(Measured::new(kept / all, "share_of_statements"))
    }

    fn probe_time(&self, program: &str) -> Result<Measured> {
        // Of the original only what it computes, of the probe all: its calls are what recording costs.
        let whole = self.record_original(program, 16)?;
        let study = self.study(program, "B")?;
        let probe = self.median_of_runs(|| {
            let printed = self.scratch.run_mpiete(&["record", &study, "-n", "16"])?;
            seconds(&printed, "of processor time")
        })?;
        Ok(Measured::new(probe / whole, "ratio"))
    }

    /// Problem class C with the fewest points a side that 128 x 128 ranks can share.
    fn virtual_recording(&self) -> Result<Measured> {
        let class = class_folder("lu", "C").join("problem.h");
        let problem = std::fs::read_to_string(&class)
            .with_context(|| format!("cannot read {}", class.display()))?;
        // A replacement without a match would measure the smaller problem.
        ensure!(
            problem.contains("npts = 162"),
            "{} does not set npts = 162",
            class.display()
        );
        let include = self.scratch.path().join("class-C-384");
        std::fs::create_dir(&include)?;
        let larger = problem.replace("npts = 162", "npts = 384");
        std::fs::write(include.join("problem.h"), larger)?;
        // Elapsed time from the sources on: what is shown is how long a user waits.
        let started = Instant::now();
        let mut prepare = self.scratch.mpiete("prepare");
        prepare.arg(fixture("lu")).arg("-I").arg(&include);
        process::output(prepare.args(["--kind", "program", "-o", "lu-384"]))?;
        self.scratch
            .run_mpiete(&["record", "lu-384", "-n", "16384", "--virtual"])?;
        Ok(Measured::new(started.elapsed().as_secs_f64(), "s"))
    }

    fn meta_program(&self, ranks: u32, iterations: u32, is_ring: bool) -> Result<Measured> {
        let bundled = root().join("machine/src/platforms/fast-ethernet.toml");
        let platform = std::fs::read_to_string(&bundled)
            .with_context(|| format!("cannot read {}", bundled.display()))?;
        // A replacement without a match would leave no room for the ranks.
        ensure!(
            platform.contains("nodes = 64"),
            "{} does not set nodes = 64",
            bundled.display()
        );
        let platform = platform.replace("nodes = 64", "nodes = 1024");
        let folder = self.scratch.path();
        std::fs::write(folder.join("large.toml"), platform)?;
        std::fs::write(folder.join("varying.meta"), VARYING)?;
        self.median_of_runs(|| {
            let mut command = self.scratch.mpiete("meta");
            command.args(["varying.meta", "-n", &ranks.to_string()]);
            command.args(["--platform", "large.toml", "--compute-unit", "1ns"]);
            command.args(["--arg", &format!("ITERATIONS={iterations}")]);
            command.args(["--arg", &format!("RING={}", u32::from(is_ring))]);
            let started = Instant::now();
            process::output(&mut command)?;
            Ok(started.elapsed().as_secs_f64())
        })
        .map(|seconds| Measured::new(seconds, "s"))
    }

    fn program_data_size(&self) -> Result<Measured> {
        let study = self.study("cg", "A")?;
        self.scratch.run_mpiete(&["record", &study, "-n", "16"])?;
        let file = self.scratch.path().join(study).join("program-n16.mpiete");
        let size = std::fs::metadata(file)?.len();
        Ok(Measured::new(size as f64, "bytes"))
    }

    /// Processor time of measuring over what a rank computes in the real run. Ranks share one processor there, so that is
    /// the whole run's time outside MPI over their number.
    fn measuring_cost(&self, program: &str, ranks: u32) -> Result<Measured> {
        let whole = self.record_original(program, ranks)?;
        let study = self.study(program, "B")?;
        let ranks_word = ranks.to_string();
        let cost = self.median_of_runs(|| {
            let words = ["measure", &study, "-n", &ranks_word];
            seconds(&self.scratch.run_mpiete(&words)?, "of processor time")
        })?;
        Ok(Measured::new(cost * f64::from(ranks) / whole, "walls"))
    }

    fn empty_block(&self) -> Result<Measured> {
        let source = root().join("token-runtime/bench/empty_block.c");
        self.compile_c(&source, "empty_block")?;
        let ratio = self.median_of_runs(|| {
            // `mpiete run` does not time blocks: the timer works in mode `measure` only.
            let mut command = self.scratch.command(example_path("measured"));
            let printed = process::output(command.arg("./empty_block"))?;
            let cycles = numbers(&printed)?;
            // The second number is of a block with work terms.
            let &[empty, _, pair] = &cycles[..] else {
                anyhow::bail!("three numbers were expected: {printed}");
            };
            // Relative to the readings, which no timer avoids and whose cost differs by processor.
            Ok(empty / pair)
        })?;
        Ok(Measured::new(ratio, "ratio"))
    }

    fn replay_speed(&self) -> Result<Measured> {
        let study = self.study("cg", "W")?;
        self.scratch.run_mpiete(&["record", &study, "-n", "16"])?;
        self.scratch.run_mpiete(&["measure", &study, "-n", "16"])?;
        let study = self.scratch.path().join(study);
        let speed = self.median_of_runs(|| {
            let mut command = self.scratch.command(example_path("replay_speed"));
            // With files the example prints a bare number, without them several lines.
            for file in ["program-n16.mpiete", "compute-n16.mpiete"] {
                command.arg(study.join(file));
            }
            number(&process::output(&mut command)?)
        })?;
        Ok(Measured::new(speed, "messages/s"))
    }

    /// The cost of a call under `observe` beyond its cost without.
    fn observed_call(&self) -> Result<Measured> {
        let study = self.linked_study("S")?;
        let source = root().join("token-runtime/observer/bench/call.f90");
        let mut compiler = self.compiler("gfortran", &study);
        compiler.arg("-w").args(["-o", "call"]).arg(source);
        self.link(compiler, &study)?;
        let cost = |is_observed: bool| {
            self.median_of_runs(|| {
                let mut command = self.scratch.mpiete("run");
                if is_observed {
                    command.arg(self.scratch.mpiete_path());
                    command.args(["observe", "-o", "call.mpiete"]);
                }
                number(&process::output(command.arg("./call"))?)
            })
        };
        let observed = cost(true)?;
        let plain = cost(false)?;
        // The call itself is one of mpiete's own library, so only the difference is a figure of the observer.
        Ok(Measured::new(observed - plain, "ns"))
    }

    fn token(&self, command: &[&str], arguments: &[&str], unit: &str) -> Result<Measured> {
        self.compile_token_program()?;
        // Not standard output, to which `mpiete record` writes as well.
        let result = self.scratch.path().join("result");
        let result_word = result.display().to_string();
        let value = self.median_of_runs(|| {
            let program = ["./token"];
            let words = [command, &program, arguments, &[&result_word]].concat();
            self.scratch.run_mpiete(&words)?;
            number(&std::fs::read_to_string(&result)?)
        })?;
        Ok(Measured::new(value, unit))
    }

    fn token_start(&self) -> Result<Measured> {
        self.compile_token_program()?;
        let value = self.median_of_runs(|| {
            // The program cannot time its own start: its processes exist before they read a clock.
            let started = Instant::now();
            let words = ["run", "-n", "1024", "./token", "start"];
            self.scratch.run_mpiete(&words)?;
            Ok(started.elapsed().as_secs_f64())
        })?;
        Ok(Measured::new(value, "s"))
    }

    fn emulation_overhead(&self, program: EmulatedProgram) -> Result<Measured> {
        let program = match program {
            EmulatedProgram::Mandelbrot => {
                self.compile_c(&fixture("masters").join("mandelbrot.c"), "mandelbrot")?;
                vec![
                    "./mandelbrot".to_string(),
                    "single".into(),
                    "1024".into(),
                    "4000".into(),
                ]
            }
            EmulatedProgram::Lu => vec![self.original("lu", "W")?],
        };
        let ratio = self.median_of_runs(|| {
            let started = Instant::now();
            let mut command = self.scratch.mpiete("emulate");
            // Without draws: the estimate of the run is part of the time, its interval is not.
            command.args(["-n", "64", "--draws", "0", "--save-times", "times", "--"]);
            process::output(command.args(&program))?;
            let elapsed = started.elapsed().as_secs_f64();
            let times = std::fs::read_to_string(self.scratch.path().join("times"))?;
            Ok(elapsed / computed_seconds(&times)?)
        })?;
        Ok(Measured::new(ratio, "ratio"))
    }

    fn median_of_runs(&self, value: impl Fn() -> Result<f64>) -> Result<f64> {
        let mut values = Vec::new();
        // The machine has other work: one slow run moves a mean, but not the median.
        for _ in 0..REPETITIONS {
            values.push(value()?);
        }
        median(values).context("nothing was run")
    }

    /// The study of a kernel, by its name in the folder.
    fn study(&self, program: &str, problem_class: &str) -> Result<String> {
        let name = format!("{program}-{problem_class}");
        if !self.scratch.contains(&name) {
            let mut prepare = self.scratch.mpiete("prepare");
            prepare.arg(fixture(program));
            prepare.arg("-I").arg(class_folder(program, problem_class));
            process::output(prepare.args(["-o", &name]))?;
        }
        Ok(name)
    }

    /// The study of CG, with the links to mpiete's MPI library, which `record` makes.
    fn linked_study(&self, problem_class: &str) -> Result<String> {
        let study = self.study("cg", problem_class)?;
        // One rank: only the links are needed, and they do not depend on the number.
        self.scratch.run_mpiete(&["record", &study, "-n", "1"])?;
        Ok(study)
    }

    /// The program itself, compiled with mpiete's MPI: how it is started.
    fn original(&self, program: &str, problem_class: &str) -> Result<String> {
        let study = self.study(program, problem_class)?;
        // This makes the links to the MPI library.
        self.scratch.run_mpiete(&["record", &study, "-n", "1"])?;
        let binary = format!("original-{study}");
        let mut compiler = self.compiler("gfortran", &study);
        compiler.arg(joined("-I", &class_folder(program, problem_class)));
        compiler.args(["-o", &binary]).args(fortran_files(program)?);
        self.link(compiler, &study)?;
        Ok(format!("./{binary}"))
    }

    /// Records the program itself, problem class B: its processor time outside MPI, in seconds.
    fn record_original(&self, program: &str, ranks: u32) -> Result<f64> {
        let binary = self.original(program, "B")?;
        let ranks = ranks.to_string();
        // The file is not read: the time stands in what the command prints.
        let words = ["record", "-n", &ranks, "-o", "whole.mpiete", "--", &binary];
        seconds(&self.scratch.run_mpiete(&words)?, "outside MPI")
    }

    /// The program behind the figures of the token runtime.
    fn compile_token_program(&self) -> Result<()> {
        if self.scratch.contains("token") {
            return Ok(());
        }
        self.compile_c(&root().join("token-runtime/bench/token.c"), "token")
    }

    fn compile_c(&self, source: &Path, binary: &str) -> Result<()> {
        let study = self.linked_study("S")?;
        let mut compiler = self.compiler("gcc", &study);
        compiler.args(["-o", binary]).arg(source);
        self.link(compiler, &study)
    }

    /// A compiler that finds mpiete's headers, which a study contains.
    fn compiler(&self, name: &str, study: &str) -> Command {
        let mut compiler = self.scratch.command(name);
        compiler.args(["-O2", &format!("-I{study}/include")]);
        compiler
    }

    /// Runs a compiler with mpiete's MPI library. The study's folder is given by its full path, as programs find it when they
    /// are started elsewhere.
    fn link(&self, mut compiler: Command, study: &str) -> Result<()> {
        let library = self.scratch.path().join(study).join("lib");
        compiler.arg(joined("-L", &library)).arg("-lmpi");
        process::output(&mut compiler)?;
        Ok(())
    }
}

/// What `mpiete analyze --format json` prints, as far as it is used.
#[derive(Deserialize)]
struct AnalysisFile {
    content: AnalysisContent,
}

#[derive(Deserialize)]
struct AnalysisContent {
    /// Statements kept, and all.
    slice_share: [f64; 2],
}

fn class_folder(program: &str, problem_class: &str) -> PathBuf {
    fixture(program).join(format!("class-{problem_class}"))
}

fn example_path(name: &str) -> PathBuf {
    release().join("examples").join(name)
}

fn joined(option: &str, folder: &Path) -> OsString {
    let mut word = OsString::from(option);
    word.push(folder);
    word
}

/// The sources of a kernel in fixed form, by name.
fn fortran_files(program: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(fixture(program))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "f") {
            found.push(path);
        }
    }
    // The order of a folder's entries depends on the file system, and that of objects places procedures in the binary.
    found.sort();
    Ok(found)
}

/// The sum of the compute times of all ranks, of a text that `mpiete emulate --save-times` writes.
fn computed_seconds(text: &str) -> Result<f64> {
    let mut picoseconds = 0.0;
    // The first line is a header.
    for line in text.lines().skip(1) {
        picoseconds += numbers(line)?.iter().sum::<f64>();
    }
    ensure!(picoseconds > 0.0, "no rank has computed");
    Ok(picoseconds / 1e12)
}

/// The number in front of ` s WHAT` in a text.
fn seconds(text: &str, what: &str) -> Result<f64> {
    let unit = format!(" s {what}");
    for (end, _) in text.match_indices(&unit) {
        let before = &text[..end];
        let rest = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        if let Ok(value) = before[rest.len()..].parse() {
            return Ok(value);
        }
    }
    anyhow::bail!("'NUMBER s {what}' was expected: {text}")
}

/// The value and unit of the line `NAME VALUE UNIT`.
fn figure_in(text: &str, name: &str) -> Result<Measured> {
    // An example prints several figures where one measurement yields more than one.
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let &[found, value, unit] = &words[..]
            && found == name
        {
            return Ok(Measured::new(number(value)?, unit));
        }
    }
    anyhow::bail!("a line '{name} VALUE UNIT' was expected: {text}")
}

fn number(text: &str) -> Result<f64> {
    let text = text.trim();
    text.parse()
        .with_context(|| format!("a number was expected: '{text}'"))
}

fn numbers(text: &str) -> Result<Vec<f64>> {
    text.split_whitespace().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_stand_before_what_they_measure() {
        let text = "recorded: 1.5 s of time, x s of processor time, 0.25 s of processor time";
        assert_eq!(seconds(text, "of processor time").expect("found"), 0.25);
        assert_eq!(seconds(text, "of time").expect("found"), 1.5);
        assert!(seconds(text, "outside MPI").is_err());
    }

    #[test]
    fn compute_times_of_all_ranks_are_summed() {
        let text = "mpiete compute-times 1\n1000000000 2000000000\n\n500000000000\n";
        assert_eq!(computed_seconds(text).expect("times"), 0.503);
        assert!(computed_seconds("mpiete compute-times 1\n\n").is_err());
    }

    #[test]
    fn figures_are_found_by_their_whole_name() {
        let text = "replay.growth 1 x\nreplay.growth_8192 2.5 ratio\n";
        let found = figure_in(text, "replay.growth_8192").expect("found");
        assert_eq!(found.to_string(), "2.5 ratio");
        assert!(figure_in(text, "replay").is_err());
    }

    #[test]
    fn values_have_six_significant_digits() {
        let shown = Measured::new(1_234_567.0, "calls/s").to_string();
        assert_eq!(shown, "1.23457e+06 calls/s");
    }

    #[test]
    fn names_of_figures_are_unique() {
        let mut names: Vec<&str> = FIGURES.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FIGURES.len());
    }

    #[test]
    fn unknown_prefix_is_bad_input() {
        let error = print_figures("nothing").expect_err("there is no such figure");
        assert!(error.is::<BadInput>());
    }
}
