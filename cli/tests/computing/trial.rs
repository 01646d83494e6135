//! One program: predicted from the compute probe, counted by the observed probe, and compared rank by rank.

use super::counts::{counted, predicted};
use super::program_tree::Program;
use base_data::compute_data::ComputeData;
use base_data::estimate_file::Estimate;
use std::path::Path;
use std::process::{Command, Stdio};

/// Result of a program.
#[derive(Debug)]
pub enum Outcome {
    /// Each rank's statements are predicted, and the interval contains the longest rank's.
    Exact {
        /// Whether not all ranks have measured.
        in_part: bool,
    },
    /// They are not, but the estimate warns of unknown work, and its interval contains the longest rank's.
    Warned,
    /// It could not be compared: the message.
    NotRun(String),
    /// The prediction is wrong.
    Wrong(String),
}

/// Tolerance of a rank's statements, relative to the counted number.
const OFF: f64 = 0.03;
/// Words of warnings about unknown work.
const UNKNOWN: [&str; 2] = ["data-dependent", "echoed messages"];

/// Predicts and counts a program.
pub fn trial_of(program: &Program) -> Outcome {
    trial_of_text(&program.text(), program.ranks)
}

/// The same of its text.
pub fn trial_of_text(text: &str, ranks: u32) -> Outcome {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("t.f90"), text).expect("a source");
    match run(folder.path(), ranks) {
        Ok(()) => compared(folder.path(), ranks),
        Err(said) => Outcome::NotRun(said),
    }
}

fn run(here: &Path, ranks: u32) -> Result<(), String> {
    let ranks = &ranks.to_string();
    let kinds = [
        "--kind",
        "program,compute,observed",
        "--clock",
        "statements",
    ];
    mpiete(
        here,
        &[
            &[
                "prepare", "t.f90", "--whole", "-o", "study", "--check", "-n", ranks,
            ][..],
            &kinds,
        ]
        .concat(),
    )?;
    mpiete(here, &["record", "study", "-n", ranks])?;
    mpiete(here, &["measure", "study", "-n", ranks])?;
    mpiete(
        here,
        &["estimate", "study", "-n", ranks, "-o", "estimate.mpiete"],
    )?;
    let itself = &super::mpiete().display().to_string();
    let observe = [
        "observe",
        "-o",
        "observed.mpiete",
        "study/observed/mpiete/probe",
    ];
    mpiete(
        here,
        &[&["run", "-n", ranks, itself][..], &observe].concat(),
    )
}

fn mpiete(here: &Path, words: &[&str]) -> Result<(), String> {
    let mut command = Command::new(super::mpiete());
    let output = command
        .args(words)
        .current_dir(here)
        .stdin(Stdio::null())
        .output()
        .expect("mpiete");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok(()),
        false => Err(format!(
            "mpiete {}: {}{}",
            words[0],
            text(&output.stdout),
            text(&output.stderr)
        )),
    }
}

fn compared(here: &Path, ranks: u32) -> Outcome {
    let read = |name: &str| std::fs::read(here.join(name)).expect("a file");
    let estimate: Estimate =
        base_data::format::decode(&read("estimate.mpiete")).expect("an estimate");
    let measured: ComputeData =
        base_data::format::decode(&read(&format!("study/compute-n{ranks}.mpiete")))
            .expect("compute data");
    let observation = base_data::format::decode(&read("observed.mpiete")).expect("an observation");
    let (predicted, counted) = (predicted(&estimate), counted(&observation));
    let is_near = |(predicted, counted): (&f64, &f64)| (predicted - counted).abs() <= OFF * counted;
    let longest = counted.iter().copied().fold(0.0, f64::max);
    let [low, high] = [estimate.p10, estimate.p90].map(|time| time.picoseconds() as f64);
    let is_held = low * (1.0 - OFF) <= longest && longest <= high * (1.0 + OFF);
    if predicted.iter().zip(&counted).all(is_near) && is_held {
        return Outcome::Exact {
            in_part: measured.peak_memory.len() < predicted.len(),
        };
    }
    let says = |warning: &String| UNKNOWN.iter().any(|word| warning.contains(word));
    let is_warned = estimate.warnings.iter().any(says);
    if is_warned && is_held {
        return Outcome::Warned;
    }
    let whole = |counts: &[f64]| counts.iter().map(|count| *count as u64).collect::<Vec<_>>();
    let (predicted, counted) = (whole(&predicted), whole(&counted));
    Outcome::Wrong(format!(
        "predicted {predicted:?}, counted {counted:?}, between {low} and {high}; {}",
        if is_warned {
            "the interval does not hold it"
        } else {
            "nothing warns of it"
        }
    ))
}
