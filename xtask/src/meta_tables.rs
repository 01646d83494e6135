//! The tables of docs/results/meta.md: the experiments of Yuyama et al. 2005 with meta-programs. The reference time of
//! a run is that of an emulation of the program, so that one machine stands for a cluster. Its processing unit is the
//! one on which this command runs: the machine must be free of other work, and its load is printed with the tables.

use crate::numbers::{median, signed_percent};
use crate::process::{self, BadInput};
use crate::scratch::Scratch;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The page.
const PAGE: &str = "docs/results/meta.md";

/// Numbers of ranks of the paper.
const RANKS: [u32; 5] = [1, 2, 4, 8, 16];

/// Ranks of the cluster with two kinds of nodes: half of each.
const MIXED_RANKS: u32 = 8;

/// 1 GHz over 866 MHz: the faster nodes of that cluster.
const MIXED_SPEED: &str = "1.155";

/// The bundled platform.
const PLATFORM: &str = "fast-ethernet";

/// Emulations of each case; their median counts.
const RUNS: usize = 3;

/// Emulations of a program and of its profiled copy; the median of their ratios counts. The paper's overheads are around 1 %,
/// and a run of some tenths of a second varies by as much.
const OVERHEAD_RUNS: usize = 7;

/// A program of the paper with its meta-programs.
struct Program {
    name: &'static str,
    /// Title in tables.
    title: &'static str,
    /// Arguments of the program; `SIZE` stands for the size.
    arguments: &'static [&'static str],
    /// The same for the meta-program without directives.
    values: &'static [&'static str],
    /// The same for that with directives.
    profiled_values: &'static [&'static str],
    sizes: &'static [u32],
}

const EP: Program = Program {
    name: "ep",
    title: "EP",
    arguments: &["SIZE"],
    values: &["log2_pairs=SIZE"],
    profiled_values: &[],
    sizes: &[25, 26],
};

const MANDELBROT: Program = Program {
    name: "mandelbrot",
    title: "Mandelbrot set",
    arguments: &["SIZE"],
    values: &["N=SIZE"],
    profiled_values: &["N=SIZE"],
    sizes: &[1024, 2048, 4096],
};

const WAVE: Program = Program {
    name: "wave",
    title: "wave equation",
    arguments: &["SIZE", "200"],
    values: &["N=SIZE", "T=200"],
    profiled_values: &[],
    sizes: &[1_000_000],
};

/// Measures all tables and writes them into the page, or with `short` prints those of small sizes.
///
/// # Errors
///
/// A program or `mpiete` fails, or the page has no marks for the tables.
pub fn update(mpiete: &Path, short: bool) -> Result<()> {
    let bench = Bench::new(mpiete)?;
    let tables = bench.tables(short)?;
    if short {
        return process::print(&tables);
    }
    let path = crate::root().join(PAGE);
    let page = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    std::fs::write(&path, with_tables(&page, &tables)?)
        .with_context(|| format!("cannot write {}", path.display()))
}

fn with_tables(page: &str, tables: &str) -> Result<String> {
    let (begin, end) = ("<!-- tables -->\n", "<!-- end of tables -->");
    let missing = || format!("{PAGE} lacks the line '{}' or '{end}'", begin.trim_end());
    let (before, rest) = page.split_once(begin).with_context(missing)?;
    let (_, after) = rest.split_once(end).with_context(missing)?;
    Ok(format!("{before}{begin}{tables}{end}{after}"))
}

/// A folder with the compiled programs.
struct Bench {
    scratch: Scratch,
    programs: PathBuf,
}

/// What is used of an estimate.
#[derive(Deserialize)]
struct EstimateFile {
    content: EstimateContent,
}

#[derive(Deserialize)]
struct EstimateContent {
    /// Picoseconds.
    headline: f64,
}

impl Bench {
    fn new(mpiete: &Path) -> Result<Self> {
        if !mpiete.is_file() {
            let message = format!(
                "{} does not exist; run `make build` or set MPIETE",
                mpiete.display()
            );
            return Err(BadInput(message).into());
        }
        let bench = Self {
            scratch: Scratch::new(mpiete.to_path_buf())?,
            programs: crate::root().join("meta/tests/programs"),
        };
        let compiler = bench.compiler();
        symlink(mpiete, &compiler).context("cannot link mpiete-cc")?;
        for program in [&EP, &MANDELBROT, &WAVE] {
            let source = bench.programs.join(format!("{}.c", program.name));
            let mut command = bench.command(&compiler);
            command
                .arg("-O2")
                .arg(source)
                .args(["-o", program.name, "-lm"]);
            process::output(&mut command)?;
        }
        let path = crate::root().join(format!("machine/src/platforms/{PLATFORM}.toml"));
        let mixed = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let nodes = format!(
            "pu = [{{ first_node = 0, nodes = {0} }}, {{ first_node = {0}, nodes = {1}, speed = {MIXED_SPEED} }}]",
            MIXED_RANKS / 2,
            64 - MIXED_RANKS / 2
        );
        let same = "pu = \"as measured\"";
        if !mixed.contains(same) {
            bail!("platform {PLATFORM} has no line '{same}'");
        }
        std::fs::write(
            bench.scratch.path().join("mixed.toml"),
            mixed.replace(same, &nodes),
        )?;
        Ok(bench)
    }

    fn compiler(&self) -> PathBuf {
        self.scratch.path().join("mpiete-cc")
    }

    /// A command that finds the library beside `mpiete`, also under another name.
    fn command(&self, program: &Path) -> Command {
        let mut command = self.scratch.command(program);
        if std::env::var_os("MPIETE_LIB").is_none()
            && let Some(folder) = self.scratch.mpiete_path().parent()
        {
            command.env("MPIETE_LIB", folder);
        }
        command
    }

    fn model(&self, program: &Program, profiled: bool) -> String {
        let ending = if profiled { "-profiled" } else { "" };
        let path = self.programs.join(format!("{}{ending}.meta", program.name));
        path.display().to_string()
    }

    /// The median of several emulations, in seconds.
    fn reference(&self, program: &Program, size: u32, ranks: u32, platform: &str) -> Result<f64> {
        let mut times = Vec::new();
        for _ in 0..RUNS {
            times.push(self.emulated(program, size, ranks, platform)?);
        }
        median(times).context("nothing was measured")
    }

    /// Seconds that an emulation takes in virtual time.
    fn emulated(&self, program: &Program, size: u32, ranks: u32, platform: &str) -> Result<f64> {
        let mut command = self.scratch.mpiete("emulate");
        command.args(["-n", &ranks.to_string(), "--platform", platform]);
        command.args(["--draws", "0", "--format", "json", "--"]);
        command.arg(format!("./{}", program.name));
        command.args(filled(program.arguments, size));
        headline(&process::output(&mut command)?)
    }

    /// The largest computation of a rank, in the units of the meta-program.
    fn computation(&self, program: &Program, size: u32, ranks: u32) -> Result<f64> {
        let mut command = self.scratch.mpiete("meta");
        command.args([&self.model(program, false), "-n", &ranks.to_string()]);
        for value in filled(program.values, size) {
            command.args(["--arg", &value]);
        }
        largest_computation(&process::output(
            command.args(["--costs", "--format", "csv"]),
        )?)
    }

    /// Measures the directives; gives the name of the profile.
    fn profile(&self, program: &Program, size: u32, ranks: u32) -> Result<String> {
        let name = format!("{}-{size}-{ranks}.profile", program.name);
        let source = self.programs.join(format!("{}.c", program.name));
        let mut command = self.scratch.mpiete("meta");
        command.args([&self.model(program, true), "-n", &ranks.to_string()]);
        for value in filled(program.profiled_values, size) {
            command.args(["--arg", &value]);
        }
        command.arg("--profile").arg(source);
        command.args(["--profile-output", &name, "--costs", "--"]);
        command.args(filled(program.arguments, size));
        process::output(&mut command)?;
        Ok(name)
    }

    fn profiled_words(&self, program: &Program, size: u32, ranks: u32, profile: &str) -> Command {
        let mut command = self.scratch.mpiete("meta");
        command.args([&self.model(program, true), "-n", &ranks.to_string()]);
        for value in filled(program.profiled_values, size) {
            command.args(["--arg", &value]);
        }
        command.args(["--profile-from", profile]);
        command
    }

    /// Seconds that the estimate of a profiled meta-program takes; `unit` is the time of a unit of compute.
    fn estimated(
        &self,
        program: &Program,
        size: u32,
        ranks: u32,
        unit: f64,
        platform: &str,
    ) -> Result<f64> {
        let profile = self.profile(program, size, ranks)?;
        let mut command = self.profiled_words(program, size, ranks, &profile);
        command.args(["--compute-unit", &format!("{}ns", unit * 1e9)]);
        command.args(["--platform", platform, "--draws", "0", "--format", "json"]);
        headline(&process::output(&mut command)?)
    }

    /// The time of a unit of compute: that of the run on one rank, of the smallest size.
    fn unit(&self, program: &Program, size: u32, profiled: bool, measured: f64) -> Result<f64> {
        let computation = match profiled {
            false => self.computation(program, size, 1)?,
            true => {
                let profile = self.profile(program, size, 1)?;
                let mut command = self.profiled_words(program, size, 1, &profile);
                largest_computation(&process::output(
                    command.args(["--costs", "--format", "csv"]),
                )?)?
            }
        };
        Ok(measured / computation)
    }

    fn tables(&self, short: bool) -> Result<String> {
        let before = load()?;
        let mut text = String::new();
        let ranks = if short { &RANKS[..2] } else { &RANKS[..] };
        let mut mixed = Vec::new();
        for (program, titles) in [
            (&MANDELBROT, "Mandelbrot set (tables 2 and 6)"),
            (&EP, "EP (table 5)"),
            (&WAVE, "Wave equation (table 7)"),
        ] {
            text += &format!(
                "### {titles}\n\n| size | ranks | reference, s | no profile, s | error | profile, s | error |\n\
                 | --- | --- | --- | --- | --- | --- | --- |\n"
            );
            let sizes: Vec<u32> = match short {
                true => vec![if program.name == "ep" { 18 } else { 256 }],
                false => program.sizes.to_vec(),
            };
            let first = self.reference(program, sizes[0], 1, PLATFORM)?;
            let plain_unit = self.unit(program, sizes[0], false, first)?;
            let profiled_unit = self.unit(program, sizes[0], true, first)?;
            for &size in &sizes {
                for &ranks in ranks {
                    // The unit of cost is made of the first case, so it has no error there.
                    let reference = match (size, ranks) == (sizes[0], 1) {
                        true => first,
                        false => self.reference(program, size, ranks, PLATFORM)?,
                    };
                    let plain = self.computation(program, size, ranks)? * plain_unit;
                    let profiled = self.estimated(program, size, ranks, profiled_unit, PLATFORM)?;
                    text += &format!(
                        "| {size} | {ranks} | {reference:.4} | {plain:.4} | {} | {profiled:.4} | {} |\n",
                        error(plain, reference),
                        error(profiled, reference)
                    );
                }
            }
            text.push('\n');
            if !short {
                let size = sizes[sizes.len() - 1];
                let reference = self.reference(program, size, MIXED_RANKS, "mixed.toml")?;
                let profiled =
                    self.estimated(program, size, MIXED_RANKS, profiled_unit, "mixed.toml")?;
                mixed.push(format!(
                    "| {} | {size} | {reference:.4} | {profiled:.4} | {} |\n",
                    program.title,
                    error(profiled, reference)
                ));
            }
        }
        if !short {
            text += "### Nodes of two speeds (table 9)\n\n| program | size | reference, s | profile, s | error |\n\
                     | --- | --- | --- | --- | --- |\n";
            text += &mixed.concat();
            text.push('\n');
        }
        text += &self.overheads(short)?;
        let after = load()?;
        Ok(format!(
            "Load of the machine (one minute): {before} before, {after} after the measurements.\n\n{text}"
        ))
    }

    /// Times of profiled programs over those of the originals.
    fn overheads(&self, short: bool) -> Result<String> {
        let mut text = String::from(
            "### Overhead of profiling (table 8)\n\n| program | size | ranks | original, s | overhead, median | single pairs |\n\
             | --- | --- | --- | --- | --- | --- |\n",
        );
        for program in [&EP, &MANDELBROT, &WAVE] {
            let size = match short {
                true => 18.max(program.sizes[0] / 1000),
                false => program.sizes[program.sizes.len() - 1],
            };
            for ranks in [1, 4] {
                let mut originals = Vec::new();
                let mut ratios = Vec::new();
                // In turn, so that what drifts changes both.
                for _ in 0..if short { 1 } else { OVERHEAD_RUNS } {
                    let original = self.emulated(program, size, ranks, PLATFORM)?;
                    ratios.push(self.emulated_profiled(program, size, ranks)? / original);
                    originals.push(original);
                }
                let original = median(originals).context("nothing was measured")?;
                let smallest = ratios.iter().copied().fold(f64::INFINITY, f64::min);
                let largest = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let ratio = median(ratios).context("nothing was measured")?;
                text += &format!(
                    "| {} | {size} | {ranks} | {original:.4} | {} | {} to {} |\n",
                    program.title,
                    error(ratio, 1.0),
                    error(smallest, 1.0),
                    error(largest, 1.0)
                );
            }
        }
        text.push('\n');
        Ok(text)
    }

    /// The same of the copy that measures its directives: the launcher of the profiled program is an emulation.
    fn emulated_profiled(&self, program: &Program, size: u32, ranks: u32) -> Result<f64> {
        let result = "profiled.mpiete";
        let path = self.scratch.path().join(result);
        let launch = format!(
            "{} emulate -n {ranks} --platform {PLATFORM} --draws 0 -o {} --",
            self.scratch.mpiete_path().display(),
            path.display()
        );
        let _ = std::fs::remove_file(&path);
        let source = self.programs.join(format!("{}.c", program.name));
        let mut command = self.command(self.scratch.mpiete_path());
        command.arg("meta").arg(self.model(program, true));
        for value in filled(program.profiled_values, size) {
            command.args(["--arg", &value]);
        }
        command.arg("--profile").arg(source);
        command.args(["--launch", &launch, "--costs", "--"]);
        command.args(filled(program.arguments, size));
        process::output(command.env("MPICC", self.compiler()))?;
        let show = ["show", result, "--format", "json"];
        headline(&self.scratch.run_mpiete(&show)?)
    }
}

fn headline(text: &str) -> Result<f64> {
    let file: EstimateFile = serde_json::from_str(text).context("mpiete printed no estimate")?;
    Ok(file.content.headline / 1e12)
}

fn largest_computation(csv: &str) -> Result<f64> {
    let mut largest: f64 = 0.0;
    for row in csv.lines().skip(1) {
        let cell = row.split(',').nth(1).context("mpiete printed no costs")?;
        largest = largest.max(cell.parse().context("mpiete printed no costs")?);
    }
    Ok(largest)
}

fn filled(words: &[&str], size: u32) -> Vec<String> {
    let size = size.to_string();
    words
        .iter()
        .map(|word| word.replace("SIZE", &size))
        .collect()
}

fn error(value: f64, reference: f64) -> String {
    signed_percent(Some(value / reference - 1.0), 1)
}

/// The load of the machine over a minute.
fn load() -> Result<String> {
    let text = std::fs::read_to_string("/proc/loadavg").context("cannot read /proc/loadavg")?;
    Ok(text
        .split_whitespace()
        .next()
        .unwrap_or("unknown")
        .to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_stand_between_their_marks() {
        let page = "a\n<!-- tables -->\nold\n<!-- end of tables -->\nb\n";
        let page = with_tables(page, "new\n").expect("the marks are there");
        assert_eq!(page, "a\n<!-- tables -->\nnew\n<!-- end of tables -->\nb\n");
        assert!(with_tables("a", "new").is_err());
    }

    #[test]
    fn largest_computation_is_that_of_all_ranks() {
        let csv = "rank,comp_cost,other\n0,3.5,9\n1,7,9\n";
        assert_eq!(largest_computation(csv).ok(), Some(7.0));
    }
}
