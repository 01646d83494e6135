//! Aligns the loops of the compute probe in the instruction cache as in the program itself. The marks of a probe move the code
//! after them, and a small loop that crosses the end of a cache line may take 50 % longer. Each function of the probe is therefore
//! moved separately until its loops have the same offsets as those of the program, which is compiled from its own text with
//! the same flags. [`crate::code_loops`] finds the loops of compiled code.

use super::Job;
use crate::code_loops::{self, CodeLoop, LINE};
use crate::compile::{self, Compiler, Placement};
use crate::study::Probe;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of builds of a small program: one as the compiler places it, and one for each [`STEP`] bytes of a line.
const MAXIMUM_BUILDS: u64 = 1 + LINE / STEP;
/// Bytes by which a function is moved between builds if the compiler aligns its loops: GCC aligns to 16 bytes, or to 8 if that
/// would need more than 10 bytes of padding. Some multiple of 4 within 16 bytes leads to each case.
const STEP: u64 = 4;
/// Size of source in bytes for which one build is made; smaller sources have proportionally more.
const LARGE: u64 = 1 << 20;
/// Assumed iterations of a loop for each iteration of the enclosing loop.
const ITERATIONS: f64 = 32.0;
/// Share of misaligned loops, weighted by assumed executions, up to which no warning is printed.
const NEGLIGIBLE: f64 = 0.1;
/// The file in the probe's folder that stores the chosen placement.
const ALIGNMENT_FILE: &str = "alignment";

/// Key by which loops of two binaries are matched: the place in the sources, and the instructions.
type LoopKey<'a> = (&'a (String, u32), &'a [String]);

/// Alignment of the loops of one function of the probe.
#[derive(Clone, Debug, Default)]
struct FunctionComparison {
    /// Offset of the function in a cache line.
    start: u64,
    /// Assumed executions of misaligned loops, by the distance by which the function would have to be moved.
    moved: BTreeMap<u64, f64>,
}

impl FunctionComparison {
    fn misplaced(&self) -> f64 {
        self.moved.values().sum()
    }

    /// The offset of the function at which most loops, weighted by executions, are aligned.
    fn wanted(&self) -> u64 {
        let largest = self
            .moved
            .iter()
            .max_by(|one, other| one.1.total_cmp(other.1));
        match largest {
            Some((distance, _)) => (self.start + distance) % LINE,
            None => self.start,
        }
    }
}

/// A misaligned loop of the probe.
#[derive(Clone, Debug, PartialEq)]
struct Misplaced {
    place: (String, u32),
    executions: f64,
    /// Bytes by which the probe's loop would have to be moved forward in a line.
    distance: u64,
}

/// Alignment of the loops of a probe, compared with those of the program.
#[derive(Clone, Debug, Default)]
struct AlignmentComparison {
    /// By function of the probe that contains loops of the program.
    functions: BTreeMap<String, FunctionComparison>,
    /// Assumed executions of all loops of the program.
    all: f64,
    /// The most executed misaligned loop.
    worst: Option<Misplaced>,
}

impl AlignmentComparison {
    fn of(program: &[CodeLoop], probe: &[CodeLoop]) -> Self {
        let mut unmatched: BTreeMap<LoopKey<'_>, Vec<&CodeLoop>> = BTreeMap::new();
        // In reverse, so that `pop` returns loops with equal keys in the order of their addresses.
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
            // Loops with other instructions are not comparable: the compiler made other code around
            // the marks.
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

    /// Share of the program's loops that have the same code at another offset in a line. Loops with other code are not counted:
    /// their measured times agreed within 3 % with those of the program (dot products at -O2 and -O3).
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

/// Search for the offset of a function.
#[derive(Clone, Debug)]
struct Search {
    /// The best offset so far, and the executions of misaligned loops with it.
    best_shift: (u64, f64),
    /// The offset that the best result suggests.
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

    /// The offset to try next: the one that the best result suggests, or one before it. If all were tried, the best one.
    fn next(&self) -> u64 {
        if self.best_shift.1 == 0.0 {
            return self.best_shift.0;
        }
        // The compiler may align loops with padding, which grows as the function moves back. So the wanted distance may come
        // from an earlier offset.
        for bytes in (0..LINE).step_by(STEP as usize) {
            let place = (LINE + self.wanted - bytes) % LINE;
            if !self.tried.contains(&place) {
                return place;
            }
        }
        self.best_shift.0
    }
}

/// The compiler with flags and placement for a compute probe whose loops are aligned like the program's, as far as possible.
pub fn aligned_compiler(job: &Job) -> Result<Compiler> {
    if !job.compiler.moves_functions() || !job.folder.join(Probe::Plain.folder()).is_dir() {
        return Ok(job.compiler.clone());
    }
    let kept = job
        .folder
        .join(Probe::Compute.folder())
        .join(ALIGNMENT_FILE);
    // Line numbers match loops of both binaries. They do not change the code.
    let compiler = job.compiler.with(vec!["-g1".to_string()]);
    let described = compiler.stamp();
    if let Ok(text) = std::fs::read_to_string(&kept)
        // Another compiler or other flags place code differently, so the stored placement does not
        // apply.
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

/// The placement with which most loops are aligned, and the resulting comparison.
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

/// Number of builds: fewer for large sources, which take longer to compile.
fn builds(job: &Job) -> u64 {
    let folder = job.folder.join(Probe::Plain.folder());
    let mut bytes = 0;
    for file in &job.study.files {
        bytes += std::fs::metadata(folder.join(&file.path)).map_or(0, |data| data.len());
    }
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
