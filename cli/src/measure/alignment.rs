//! Where the loops of the compute probe lie in memory: in the same place of a line of the instruction cache as in the
//! program itself. The marks of a probe move the code behind them, and a small loop that reaches over the end of a line may
//! need half as much time again. So the code of the probe is moved until its loops lie as those of the program, which is
//! compiled from its own text with the same flags.
//!
//! Not here: what the loops of compiled code are ([`crate::code_loops`]).

use super::Job;
use crate::code_loops::{self, CodeLoop, LINE};
use crate::compile::{self, Compiler};
use crate::study::Probe;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Builds of a small program that are tried.
const MOST_BUILDS: u64 = 16;
/// Bytes of source for which one is tried in any case.
const LARGE: u64 = 1 << 20;
/// Executions that a loop is taken to have for each of the loop around it.
const ITERATIONS: f64 = 32.0;
/// Share of the loops, by their assumed executions, that may lie elsewhere without a warning.
const NEGLIGIBLE: f64 = 0.1;
/// The file in the probe's folder that keeps what was chosen.
const CHOSEN: &str = "alignment";

/// What tells a loop of one binary from others: where it stands in the sources, and its instructions.
type LoopKey<'a> = (&'a (String, u32), &'a [String]);

/// How the loops of a probe lie, compared with those of the program.
#[derive(Clone, Debug, Default)]
struct Comparison {
    /// Assumed executions of loops of the program that lie elsewhere in the probe, by the distance that the probe's code must
    /// be moved.
    moved: BTreeMap<u64, f64>,
    /// The same of loops that are compiled to other instructions.
    other_code: f64,
    all: f64,
    /// The most executed loop that lies elsewhere.
    worst: Option<((String, u32), f64)>,
}

impl Comparison {
    fn of(program: &[CodeLoop], probe: &[CodeLoop]) -> Self {
        let mut unmatched: BTreeMap<LoopKey<'_>, Vec<u64>> = BTreeMap::new();
        for one in probe.iter().rev() {
            unmatched.entry((&one.place, &one.mnemonics)).or_default().push(one.start);
        }
        let mut found = Comparison::default();
        for one in program {
            let executions = ITERATIONS.powi(one.depth as i32);
            found.all += executions;
            let same = unmatched.get_mut(&(&one.place, &one.mnemonics[..]));
            match same.and_then(Vec::pop).map(|start| one.start.wrapping_sub(start) % LINE) {
                Some(0) => continue,
                Some(distance) => *found.moved.entry(distance).or_default() += executions,
                None => {
                    found.other_code += executions;
                    continue;
                }
            }
            if found.worst.as_ref().is_none_or(|(_, most)| executions > *most) {
                found.worst = Some((one.place.clone(), executions));
            }
        }
        found
    }

    /// Share of the program's loops that do not lie as they should.
    fn share(&self) -> f64 {
        if self.all == 0.0 { 0.0 } else { self.misplaced() + self.other_code / self.all }
    }

    /// Share of the program's loops that are the same code at another place of a line. Loops of other code are not counted: their
    /// times agreed within 3 % with those of the program where that was measured (dot products at -O2 and -O3).
    fn misplaced(&self) -> f64 {
        if self.all == 0.0 { 0.0 } else { self.moved.values().sum::<f64>() / self.all }
    }

    /// The distance by which most loops must be moved.
    fn distance(&self) -> Option<u64> {
        let largest = self.moved.iter().max_by(|one, other| one.1.total_cmp(other.1));
        largest.map(|(&distance, _)| distance)
    }
}

/// The compiler with flags for a compute probe whose loops lie as the program's, as far as that can be had.
pub fn matched(job: &Job) -> Result<Compiler> {
    if !job.compiler.moves_functions() || !job.folder.join(Probe::Plain.folder()).is_dir() {
        return Ok(job.compiler.clone());
    }
    let kept = job.folder.join(Probe::Compute.folder()).join(CHOSEN);
    let described = job.compiler.stamp();
    if let Ok(text) = std::fs::read_to_string(&kept)
        && let Some((distance, of)) = text.split_once('\n')
        && let Ok(distance) = distance.parse()
        && of == described
    {
        return Ok(moved_by(&job.compiler, distance));
    }
    let program = compile::binary(job.folder, job.study, Probe::Plain, &moved_by(&job.compiler, 0))?;
    let Some(program) = code_loops::innermost(&program) else {
        tell_once!(
            "mpiete: loops of the compute probe may lie elsewhere in memory than the program's, which changes the time of \
             small ones: objdump cannot read the code; install binutils and measure again"
        );
        return Ok(job.compiler.clone());
    };
    let (distance, comparison) = best(job, &program)?;
    warn_of(&comparison);
    crate::files::write_bytes(&kept, format!("{distance}\n{described}").as_bytes())?;
    Ok(moved_by(&job.compiler, distance))
}

/// Functions begin so many bytes later than their alignment says; nothing executes what stands before them.
fn moved_by(compiler: &Compiler, distance: u64) -> Compiler {
    let mut flags = vec!["-g1".to_string()];
    if distance > 0 {
        flags.push(format!("-fpatchable-function-entry={distance},{distance}"));
    }
    compiler.with(flags)
}

/// The distance with which most loops lie as they should, and what it gives.
fn best(job: &Job, program: &[CodeLoop]) -> Result<(u64, Comparison)> {
    let mut best: Option<(u64, Comparison)> = None;
    let mut tried = BTreeSet::new();
    let mut next = 0;
    for _ in 0..builds(job) {
        tried.insert(next);
        let binary = compile::binary(job.folder, job.study, Probe::Compute, &moved_by(&job.compiler, next))?;
        let Some(loops) = code_loops::innermost(&binary) else { break };
        let comparison = Comparison::of(program, &loops);
        let wanted = comparison.distance().map(|distance| (next + distance) % LINE);
        if best.as_ref().is_none_or(|(_, known)| comparison.share() < known.share()) {
            best = Some((next, comparison));
        }
        let Some(wanted) = wanted else { break };
        // Several functions move what follows them together, so the distance found may be too far.
        let others = (0..LINE).step_by(8);
        let Some(untried) = std::iter::once(wanted).chain(others).find(|one| !tried.contains(one)) else {
            break;
        };
        next = untried;
    }
    Ok(best.unwrap_or_default())
}

/// How many builds are tried: fewer, the longer each takes.
fn builds(job: &Job) -> u64 {
    let folder = job.folder.join(Probe::Plain.folder());
    let sizes = job
        .study
        .files
        .iter()
        .map(|file| std::fs::metadata(folder.join(&file.path)).map_or(0, |of| of.len()));
    let bytes: u64 = sizes.sum();
    (LARGE / bytes.max(1)).clamp(1, MOST_BUILDS)
}

fn warn_of(comparison: &Comparison) {
    let Some(((file, line), _)) = &comparison.worst else { return };
    if comparison.misplaced() <= NEGLIGIBLE {
        return;
    }
    tell_once!(
        "mpiete: the time of small loops may be up to a half too long or too short: {:.0} % of the loops, by their depth, lie \
         elsewhere in a line of the instruction cache than in the program, first {file}:{line}; compile the program with \
         -falign-loops=64 and measure with that flag in FFLAGS",
        100.0 * comparison.misplaced()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code_loop(line: u32, start: u64, depth: u32, text: &str) -> CodeLoop {
        let mnemonics = text.split(' ').map(String::from).collect();
        CodeLoop { place: ("a.f90".into(), line), mnemonics, start, depth }
    }

    #[test]
    fn the_distance_is_that_of_the_deepest_loops() {
        let program = [code_loop(3, 0x1730, 3, "mov jne"), code_loop(9, 0x1800, 1, "add jne")];
        let probe = [code_loop(3, 0x760, 3, "mov jne"), code_loop(9, 0x840, 1, "add jne")];
        let found = Comparison::of(&program, &probe);
        assert_eq!(found.distance(), Some(16));
        assert!(found.share() > 0.99);
        assert_eq!(Comparison::of(&program, &program).share(), 0.0);
    }

    #[test]
    fn loops_compiled_to_other_code_are_told_apart() {
        let program = [code_loop(3, 0x1730, 2, "mov jne"), code_loop(3, 0x1760, 2, "mov jne")];
        let probe = [code_loop(3, 0x1730, 2, "mov jne"), code_loop(3, 0x1760, 2, "movapd jne")];
        let found = Comparison::of(&program, &probe);
        assert_eq!((found.distance(), found.share()), (None, 0.5));
        assert_eq!((found.misplaced(), found.worst), (0.0, None));
    }
}
