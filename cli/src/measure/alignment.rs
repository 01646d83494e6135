//! Where the loops of the compute probe lie in memory: in the same place of a line of the instruction cache as in the
//! program itself. The marks of a probe move the code behind them, and a small loop that reaches over the end of a line may
//! need half as much time again. So each function of the probe is moved by itself until its loops lie as those of the program,
//! which is compiled from its own text with the same flags.
//!
//! Not here: what the loops of compiled code are ([`crate::code_loops`]).

use super::Job;
use crate::code_loops::{self, CodeLoop, LINE};
use crate::compile::{self, Compiler, Placement};
use crate::study::Probe;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Builds of a small program that are tried: one as the compiler places it, and one for each of [`STEP`] bytes in a line.
const MAXIMUM_BUILDS: u64 = 1 + LINE / STEP;
/// Bytes by which a function is moved from one build to the next where the loops in it are aligned by themselves: GCC aligns
/// to 8 bytes where 16 would take more than 10, and some multiple of 4 among 16 bytes does either.
const STEP: u64 = 4;
/// Bytes of source for which one is tried in any case.
const LARGE: u64 = 1 << 20;
/// Executions that a loop is taken to have for each of the loop around it.
const ITERATIONS: f64 = 32.0;
/// Share of the loops, by their assumed executions, that may lie elsewhere without a warning.
const NEGLIGIBLE: f64 = 0.1;
/// The file in the probe's folder that keeps what was chosen.
const ALIGNMENT_FILE: &str = "alignment";

/// What tells a loop of one binary from others: where it stands in the sources, and its instructions.
type LoopKey<'a> = (&'a (String, u32), &'a [String]);

/// How the loops of one function of the probe lie.
#[derive(Clone, Debug, Default)]
struct FunctionComparison {
    /// Where the function begins in a line.
    start: u64,
    /// Assumed executions of loops of the program that lie elsewhere in the probe, by the distance that the function must be
    /// moved.
    moved: BTreeMap<u64, f64>,
}

impl FunctionComparison {
    fn misplaced(&self) -> f64 {
        self.moved.values().sum()
    }

    /// Where the function must begin so that most loops lie as they should.
    fn wanted(&self) -> u64 {
        let largest = self
            .moved
            .iter()
            .max_by(|one, other| one.1.total_cmp(other.1));
        largest.map_or(self.start, |(distance, _)| (self.start + distance) % LINE)
    }
}

/// A loop that lies elsewhere in the probe.
#[derive(Clone, Debug, PartialEq)]
struct Misplaced {
    place: (String, u32),
    executions: f64,
    /// How many bytes further the probe's must lie in a line.
    distance: u64,
}

/// How the loops of a probe lie, compared with those of the program.
#[derive(Clone, Debug, Default)]
struct AlignmentComparison {
    /// Of each function of the probe that has loops of the program.
    functions: BTreeMap<String, FunctionComparison>,
    /// Assumed executions of all loops of the program.
    all: f64,
    /// The most executed loop that lies elsewhere.
    worst: Option<Misplaced>,
}

impl AlignmentComparison {
    fn of(program: &[CodeLoop], probe: &[CodeLoop]) -> Self {
        let mut unmatched: BTreeMap<LoopKey<'_>, Vec<&CodeLoop>> = BTreeMap::new();
        for one in probe.iter().rev() {
            unmatched
                .entry((&one.place, &one.mnemonics))
                .or_default()
                .push(one);
        }
        let mut found = AlignmentComparison::default();
        for one in program {
            let executions = ITERATIONS.powi(one.depth as i32);
            found.all += executions;
            let same = unmatched.get_mut(&(&one.place, &one.mnemonics[..]));
            let Some(other) = same.and_then(Vec::pop) else {
                continue;
            };
            let function = found.functions.entry(other.function.clone()).or_default();
            function.start = other.function_start % LINE;
            let distance = one.start.wrapping_sub(other.start) % LINE;
            if distance == 0 {
                continue;
            }
            *function.moved.entry(distance).or_default() += executions;
            if found
                .worst
                .as_ref()
                .is_none_or(|worst| executions > worst.executions)
            {
                found.worst = Some(Misplaced {
                    place: one.place.clone(),
                    executions,
                    distance,
                });
            }
        }
        found
    }

    /// Share of the program's loops that are the same code at another place of a line. Loops of other code are not counted: their
    /// times agreed within 3 % with those of the program where that was measured (dot products at -O2 and -O3).
    fn misplaced(&self) -> f64 {
        let misplaced: f64 = self
            .functions
            .values()
            .map(FunctionComparison::misplaced)
            .sum();
        if self.all == 0.0 {
            0.0
        } else {
            misplaced / self.all
        }
    }
}

/// Where a function may begin, as far as was tried.
#[derive(Clone, Debug)]
struct Search {
    /// The best place, and the executions of loops that lie elsewhere with it.
    best_shift: (u64, f64),
    /// Where it should begin by the best result.
    wanted: u64,
    tried: BTreeSet<u64>,
}

impl Search {
    fn new(found: &FunctionComparison) -> Self {
        let (best_shift, wanted) = ((found.start, found.misplaced()), found.wanted());
        Self {
            best_shift,
            wanted,
            tried: BTreeSet::from([found.start]),
        }
    }

    fn add(&mut self, found: &FunctionComparison) {
        self.tried.insert(found.start);
        if found.misplaced() < self.best_shift.1 {
            self.best_shift = (found.start, found.misplaced());
            self.wanted = found.wanted();
        }
    }

    /// The place to try next: what the best result asks for, or some bytes before, which the alignment of a loop fills; the best
    /// one if nothing is left to try.
    fn next(&self) -> u64 {
        if self.best_shift.1 == 0.0 {
            return self.best_shift.0;
        }
        let earlier = (0..LINE)
            .step_by(STEP as usize)
            .map(|bytes| (LINE + self.wanted - bytes) % LINE);
        earlier
            .into_iter()
            .find(|place| !self.tried.contains(place))
            .unwrap_or(self.best_shift.0)
    }
}

/// The compiler with flags for a compute probe whose loops lie as the program's, as far as that can be had.
pub fn aligned_compiler(job: &Job) -> Result<Compiler> {
    if !job.compiler.moves_functions() || !job.folder.join(Probe::Plain.folder()).is_dir() {
        return Ok(job.compiler.clone());
    }
    let kept = job
        .folder
        .join(Probe::Compute.folder())
        .join(ALIGNMENT_FILE);
    let compiler = job.compiler.with(vec!["-g1".to_string()]);
    let described = compiler.stamp();
    if let Ok(text) = std::fs::read_to_string(&kept)
        && let Some(places) = text.strip_prefix(&described)
        && let Some(placement) = Placement::from_text(places)
    {
        return Ok(compiler.placing(placement));
    }
    let program = compile::binary(job.folder, job.study, Probe::Plain, &compiler)?;
    let Some(program) = code_loops::innermost(&program) else {
        report_once!(
            "mpiete: the time of small loops may be wrong: objdump cannot read the code, so the \
            alignment of the compute probe's loops is unknown; install binutils and measure again"
        );
        return Ok(job.compiler.clone());
    };
    let (placement, comparison) = best_shift(job, &compiler, &program)?;
    warn_misaligned(&comparison);
    crate::files::write_bytes(
        &kept,
        format!("{described}{}", placement.to_text()).as_bytes(),
    )?;
    Ok(compiler.placing(placement))
}

/// The placement with which most loops lie as they should, and what it gives.
fn best_shift(
    job: &Job,
    compiler: &Compiler,
    program: &[CodeLoop],
) -> Result<(Placement, AlignmentComparison)> {
    let mut best_shift: Option<(Placement, AlignmentComparison)> = None;
    let mut searches: BTreeMap<String, Search> = BTreeMap::new();
    let mut next = Placement::default();
    for _ in 0..builds(job) {
        let placed = compiler.placing(next.clone());
        let binary = compile::binary(job.folder, job.study, Probe::Compute, &placed)?;
        let Some(loops) = code_loops::innermost(&binary) else {
            break;
        };
        let comparison = AlignmentComparison::of(program, &loops);
        // Functions are independent of each other: each is aligned to a line before it is moved.
        for (name, found) in &comparison.functions {
            match searches.get_mut(name) {
                Some(search) => search.add(found),
                None => _ = searches.insert(name.clone(), Search::new(found)),
            }
        }
        if best_shift
            .as_ref()
            .is_none_or(|(_, known)| comparison.misplaced() < known.misplaced())
        {
            best_shift = Some((next.clone(), comparison));
        }
        let places = searches
            .iter()
            .map(|(name, search)| (name.clone(), search.next()))
            .collect();
        let wanted = Placement::new(places);
        let is_perfect = best_shift
            .as_ref()
            .is_some_and(|(_, known)| known.worst.is_none());
        if is_perfect || wanted == next {
            break;
        }
        next = wanted;
    }
    Ok(best_shift.unwrap_or_default())
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
    (LARGE / bytes.max(1)).clamp(1, MAXIMUM_BUILDS)
}

fn warn_misaligned(comparison: &AlignmentComparison) {
    let Some(Misplaced {
        place: (file, line),
        distance,
        ..
    }) = &comparison.worst
    else {
        return;
    };
    if comparison.misplaced() <= NEGLIGIBLE {
        return;
    }
    report_once!(
        "mpiete: the time of small loops may be up to 50 % too long or too short: {:.0} % of the \
        loops, weighted by depth, have another alignment in the instruction cache than in the \
        program, first {file}:{line}, {} bytes behind; compile the program with -falign-loops=64 \
        and measure with that flag in FFLAGS",
        100.0 * comparison.misplaced(),
        LINE - distance
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code_loop(line: u32, start: u64, depth: u32, text: &str) -> CodeLoop {
        let mnemonics = text.split(' ').map(String::from).collect();
        let (function, function_start) = ("MAIN__".into(), 0x700);
        CodeLoop {
            place: ("a.f90".into(), line),
            mnemonics,
            start,
            depth,
            function,
            function_start,
        }
    }

    #[test]
    fn distance_follows_the_deepest_loops() {
        let program = [
            code_loop(3, 0x1730, 3, "mov jne"),
            code_loop(9, 0x1800, 1, "add jne"),
        ];
        let probe = [
            code_loop(3, 0x760, 3, "mov jne"),
            code_loop(9, 0x840, 1, "add jne"),
        ];
        let found = AlignmentComparison::of(&program, &probe);
        assert_eq!(found.functions["MAIN__"].wanted(), 16);
        assert!(found.misplaced() > 0.99);
        assert_eq!(found.worst.map(|worst| worst.distance), Some(16));
        assert_eq!(AlignmentComparison::of(&program, &program).misplaced(), 0.0);
    }

    #[test]
    fn loops_with_different_code_are_not_compared() {
        let program = [
            code_loop(3, 0x1730, 2, "mov jne"),
            code_loop(3, 0x1760, 2, "mov jne"),
        ];
        let probe = [
            code_loop(3, 0x1730, 2, "mov jne"),
            code_loop(3, 0x1760, 2, "movapd jne"),
        ];
        let found = AlignmentComparison::of(&program, &probe);
        assert_eq!(found.functions["MAIN__"].wanted(), 0);
        assert_eq!((found.misplaced(), found.worst), (0.0, None));
    }

    #[test]
    fn functions_want_their_own_places() {
        let other = |one: CodeLoop| CodeLoop {
            function: "work_".into(),
            function_start: 0x708,
            ..one
        };
        let program = [
            code_loop(3, 0x1730, 3, "mov jne"),
            other(code_loop(9, 0x1800, 1, "add jne")),
        ];
        let probe = [
            code_loop(3, 0x760, 3, "mov jne"),
            other(code_loop(9, 0x830, 1, "add jne")),
        ];
        let found = AlignmentComparison::of(&program, &probe);
        assert_eq!(found.functions["MAIN__"].wanted(), 16);
        assert_eq!(found.functions["work_"].wanted(), 24);
    }

    #[test]
    fn self_aligned_function_is_tried_earlier() {
        let found = |start, distance| FunctionComparison {
            start,
            moved: BTreeMap::from([(distance, 32.0)]),
        };
        let mut search = Search::new(&found(0, 8));
        assert_eq!(search.next(), 8);
        search.add(&found(8, 56));
        assert_eq!(search.next(), 4);
        search.add(&FunctionComparison {
            start: 4,
            moved: BTreeMap::new(),
        });
        assert_eq!((search.next(), search.best_shift.0), (4, 4));
    }
}
