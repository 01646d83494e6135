//! Aligns the loops of the compute probe in the instruction cache as in the program itself. The marks of a probe move the code
//! after them, and a small loop that crosses the end of a cache line may take 50 % longer. The program is therefore compiled from
//! its own text with the same flags, and the functions and loops of the probe are moved to the offsets that they have there.
//! [`crate::code_loops`] finds the loops of compiled code.

use super::Job;
use crate::code_loops::{self, CodeLoop, LINE};
use crate::compile::{self, Compiler, FunctionPlacement, Placement};
use crate::study::Probe;
use anyhow::Result;
use std::collections::BTreeMap;

/// Size of sources in bytes above which the probe is not compiled again, which would take a minute: its loops stay where they are.
const LARGE: u64 = 1 << 20;
/// Assumed iterations of a loop for each iteration of the enclosing loop.
const ITERATIONS: f64 = 32.0;
/// Share of misaligned loops, weighted by assumed executions, up to which no warning is printed.
const NEGLIGIBLE: f64 = 0.1;
/// The file in the probe's folder that stores the chosen placement, and which loops it leaves misaligned.
const ALIGNMENT_FILE: &str = "alignment";
/// First word of the line about misaligned loops.
const MISALIGNED: &str = "misaligned ";

/// Key by which loops of two binaries are matched: the place in the sources, and the instructions.
type LoopKey<'a> = (&'a (String, u32), &'a [String]);

/// Alignment of the loops of one function of the probe.
#[derive(Clone, Debug, Default)]
struct FunctionComparison {
    /// Offset of the function in a cache line.
    start: u64,
    /// Offsets of its innermost loops in the program, `None` for those that it does not have.
    wanted_loops: Vec<Option<u64>>,
    /// Assumed executions of loops, by the distance by which the function would have to be moved; 0 for those that are aligned.
    moved: BTreeMap<u64, f64>,
}

impl FunctionComparison {
    fn misplaced(&self) -> f64 {
        self.moved
            .iter()
            .filter(|(distance, _)| **distance != 0)
            .map(|(_, executions)| executions)
            .sum()
    }

    /// The function at the offset at which most loops, weighted by executions, need no padding, and all loops at theirs.
    fn wanted(&self) -> FunctionPlacement {
        let largest = self
            .moved
            .iter()
            .max_by(|one, other| one.1.total_cmp(other.1));
        let distance = largest.map_or(0, |(distance, _)| *distance);
        FunctionPlacement {
            start: (self.start + distance) % LINE,
            loops: self.wanted_loops.clone(),
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
            function.wanted_loops.resize(other.innermost_loops, None);
            function.wanted_loops[other.number] = Some(one.start % LINE);
            let distance = one.start.wrapping_sub(other.start) % LINE;
            *function.moved.entry(distance).or_default() += executions;
            if distance == 0 {
                continue;
            }
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

/// What is left misaligned after the loops were moved.
#[derive(Clone, Debug, PartialEq)]
struct Remainder {
    /// Share of the loops, in percent, weighted by assumed executions.
    percent: f64,
    /// Bytes by which the worst loop is behind.
    behind: u64,
    /// `FILE:LINE` of the worst loop.
    place: String,
}

impl Remainder {
    /// `None` if a negligible share is left.
    fn of(comparison: &AlignmentComparison) -> Option<Self> {
        let worst = comparison.worst.as_ref()?;
        let misplaced = comparison.misplaced();
        if misplaced <= NEGLIGIBLE {
            return None;
        }
        let (file, line) = &worst.place;
        Some(Self {
            percent: (100.0 * misplaced).round(),
            behind: LINE - worst.distance,
            place: format!("{file}:{line}"),
        })
    }

    fn to_text(&self) -> String {
        let Self {
            percent,
            behind,
            place,
        } = self;
        format!("{MISALIGNED}{percent} {behind} {place}\n")
    }

    /// What [`Self::to_text`] wrote, without its first word.
    fn from_text(text: &str) -> Option<Self> {
        let mut words = text.splitn(3, ' ');
        Some(Self {
            percent: words.next()?.parse().ok()?,
            behind: words.next()?.parse().ok()?,
            place: words.next()?.to_string(),
        })
    }

    fn warn(&self) {
        let Self {
            percent,
            behind,
            place,
        } = self;
        report_once!(
            "mpiete: the time of small loops may be up to 50 % too long or too short: {percent} % of the \
            loops, weighted by depth, have another alignment in the instruction cache than in the \
            program, first {place}, {behind} bytes behind; compile the program with -falign-loops=64 \
            and measure with that flag in FFLAGS",
        );
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
    // Line numbers match loops of both binaries.
    let compiler = job.compiler.with_line_numbers();
    let described = compiler.stamp();
    if let Ok(text) = std::fs::read_to_string(&kept)
        // Another compiler or other flags place code differently, so the stored placement does not
        // apply.
        && let Some(rest) = text.strip_prefix(&described)
        && let Some((placement, remainder)) = read_alignment(rest)
    {
        // The measurement is no better than that for which the placement was chosen.
        if let Some(remainder) = remainder {
            remainder.warn();
        }
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
    let (placement, comparison) = best_placement(job, &compiler, &program)?;
    let remainder = Remainder::of(&comparison);
    let mut text = described + &placement.to_text();
    if let Some(remainder) = &remainder {
        remainder.warn();
        text += &remainder.to_text();
    }
    crate::files::write_bytes(&kept, text.as_bytes())?;
    Ok(compiler.placing(placement))
}

/// The placement, and what it leaves misaligned.
fn read_alignment(text: &str) -> Option<(Placement, Option<Remainder>)> {
    match text.split_once(MISALIGNED) {
        Some((places, remainder)) => Some((
            Placement::from_text(places)?,
            Some(Remainder::from_text(remainder.trim_end())?),
        )),
        None => Some((Placement::from_text(text)?, None)),
    }
}

/// The placement with which most loops are aligned, and the resulting comparison.
fn best_placement(
    job: &Job,
    compiler: &Compiler,
    program: &[CodeLoop],
) -> Result<(Placement, AlignmentComparison)> {
    let unmoved = Placement::default();
    let Some(before) = compared(job, compiler, program, &unmoved)? else {
        return Ok((unmoved, AlignmentComparison::default()));
    };
    if before.worst.is_none() || source_bytes(job) > LARGE {
        return Ok((unmoved, before));
    }
    // A moved function moves those after it, so all with loops of the program are placed.
    let moved = Placement::new(
        before
            .functions
            .iter()
            .map(|(name, found)| (name.clone(), found.wanted()))
            .collect(),
    );
    match compared(job, compiler, program, &moved)? {
        Some(after) if after.misplaced() < before.misplaced() => Ok((moved, after)),
        _ => Ok((unmoved, before)),
    }
}

/// The loops of a probe with this placement; `None` if its code cannot be read.
fn compared(
    job: &Job,
    compiler: &Compiler,
    program: &[CodeLoop],
    placement: &Placement,
) -> Result<Option<AlignmentComparison>> {
    let placed = compiler.placing(placement.clone());
    let binary = compile::binary(job.folder, job.study, Probe::Compute, &placed)?;
    let loops = code_loops::innermost(&binary);
    Ok(loops.map(|loops| AlignmentComparison::of(program, &loops)))
}

/// Size of the program's sources.
fn source_bytes(job: &Job) -> u64 {
    let folder = job.folder.join(Probe::Plain.folder());
    let mut bytes = 0;
    for file in &job.study.files {
        bytes += std::fs::metadata(folder.join(&file.path)).map_or(0, |data| data.len());
    }
    bytes
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
            number: line as usize / 9,
            innermost_loops: 2,
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
        assert_eq!(found.functions["MAIN__"].wanted().start, 16);
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
        assert_eq!(found.functions["MAIN__"].wanted().start, 0);
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
        assert_eq!(found.functions["MAIN__"].wanted().start, 16);
        assert_eq!(found.functions["work_"].wanted().start, 24);
    }

    #[test]
    fn each_loop_has_its_own_offset() {
        let program = [
            code_loop(3, 0x1730, 3, "mov jne"),
            code_loop(9, 0x1800, 1, "add jne"),
        ];
        let probe = [
            code_loop(3, 0x760, 3, "mov jne"),
            code_loop(9, 0x818, 1, "add jne"),
        ];
        let wanted = AlignmentComparison::of(&program, &probe).functions["MAIN__"].wanted();
        assert_eq!(wanted.loops, [Some(0x30), Some(0)]);
        assert_eq!(wanted.start, 16);
    }

    #[test]
    fn remainder_is_read_back() {
        let remainder = Remainder {
            percent: 23.0,
            behind: 16,
            place: "a b.f90:3".into(),
        };
        let text = format!("24 8, MAIN__\n{}", remainder.to_text());
        let (placement, read) = read_alignment(&text).unwrap();
        assert_eq!(placement.to_text(), "24 8, MAIN__\n");
        assert_eq!(read, Some(remainder));
    }
}
