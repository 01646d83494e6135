//! Programs of a few lines, each of which shows one pattern of communication or one fault.

use crate::programs;
use std::path::PathBuf;

/// A small program.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// Name: that of the file without its extension.
    pub name: &'static str,
    /// Source file in `programs/patterns`.
    pub file: &'static str,
    /// Fewest ranks at which it shows its purpose.
    pub least_ranks: u32,
    /// How a run of it ends.
    pub outcome: Outcome,
}

/// How a run of a small program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Well; rank 0 or the last rank prints a line that begins, blanks aside, with this word.
    Ends(&'static str),
    /// This rank is ended by this signal.
    Signal {
        /// The rank.
        rank: u32,
        /// The signal's number.
        signal: i32,
    },
    /// Never: ranks wait for each other.
    Waits,
    /// It does not compile.
    DoesNotCompile,
}

/// All of them.
pub const PATTERNS: [Pattern; 9] = [
    // Blocking sends and receives once round a ring.
    Pattern {
        name: "ring",
        file: "ring.f90",
        least_ranks: 2,
        outcome: Outcome::Ends("ring SUCCESSFUL"),
    },
    // Communicators of rows and columns, with keys that reverse the order.
    Pattern {
        name: "split",
        file: "split.f90",
        least_ranks: 1,
        outcome: Outcome::Ends("split"),
    },
    // Blocking sends and receives as a pipeline.
    Pattern {
        name: "wavefront",
        file: "wavefront.f",
        least_ranks: 2,
        outcome: Outcome::Ends("wave"),
    },
    // One procedure executed once, one twice, one never; a timed section.
    Pattern {
        name: "section",
        file: "section.f",
        least_ranks: 1,
        outcome: Outcome::Ends("section"),
    },
    // Backward, computed and outward jumps round calls of MPI.
    Pattern {
        name: "goto",
        file: "goto.f",
        least_ranks: 1,
        outcome: Outcome::Ends("jumps"),
    },
    // One-sided calls, which are not supported.
    Pattern {
        name: "unknown_mpi",
        file: "unknown_mpi.f",
        least_ranks: 1,
        outcome: Outcome::Ends("put"),
    },
    // A segmentation fault on rank 1 while the others are in a barrier.
    Pattern {
        name: "crash",
        file: "crash.f90",
        least_ranks: 2,
        outcome: Outcome::Signal {
            rank: 1,
            signal: 11,
        },
    },
    // Two ranks that both receive before they send.
    Pattern {
        name: "deadlock",
        file: "deadlock.f90",
        least_ranks: 2,
        outcome: Outcome::Waits,
    },
    // Not Fortran.
    Pattern {
        name: "broken",
        file: "broken.f90",
        least_ranks: 1,
        outcome: Outcome::DoesNotCompile,
    },
];

impl Pattern {
    /// The small program of this name, if there is one.
    pub fn named(name: &str) -> Option<&'static Pattern> {
        const ALL: &[Pattern] = &PATTERNS;
        ALL.iter().find(|pattern| pattern.name == name)
    }

    /// Its source file.
    pub fn source(&self) -> PathBuf {
        programs().join("patterns").join(self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_is_listed() {
        let mut found: Vec<String> = std::fs::read_dir(programs().join("patterns"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let mut listed = PATTERNS.map(|pattern| pattern.file.to_string()).to_vec();
        found.sort();
        listed.sort();
        assert_eq!(found, listed);
        assert!(
            PATTERNS
                .iter()
                .all(|pattern| Pattern::named(pattern.name).unwrap().source().is_file())
        );
    }
}
