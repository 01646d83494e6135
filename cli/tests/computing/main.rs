//! Random small MPI programs whose compute blocks do all that blocks do: what the compute probe predicts by
//! representatives, cut loops and rates is what the whole program counts, statement by statement, on every rank; or the
//! estimate says that it depends on data, and its interval holds the truth.
//!
//! `cli/tests/random` tests whether slices make the same calls.
#![forbid(unsafe_code)]
// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used)]

mod counts;
#[path = "../random/program_tree.rs"]
mod program_tree;
mod programs;
mod regressions;
#[path = "../random/rng.rs"]
mod rng;
mod statements;
mod trial;

use program_tree::Program;
use programs::program;
use rayon::prelude::*;
use std::ops::Range;
use std::path::PathBuf;
use trial::{Outcome, trial_of};

/// Programs of which the soak says at once what came of them.
const PIECE: usize = 50;

#[test]
fn random_programs_are_predicted_or_reported_data_dependent() {
    let tally = tally(0..30);
    assert!(
        tally.wrong.is_empty(),
        "programs that are predicted wrongly: {:?}",
        tally.wrong
    );
    assert!(tally.exact >= 15 && tally.not_run.is_empty(), "{tally:?}");
}

/// `make soak` gives SEEDS=first..last. Goes on behind programs that fail, and says at the end what came of all.
#[test]
#[ignore = "takes minutes, of make soak hours"]
fn soak() {
    let all = seeds(30..330);
    let mut sum = Tally::default();
    for first in all.clone().step_by(PIECE) {
        let range = first..(first + PIECE as u64).min(all.end);
        let tally = tally(range.clone());
        println!("seeds {range:?}: {tally:?}");
        sum.add(tally);
    }
    println!("seeds {all:?}, all: {sum:?}");
    assert!(
        sum.wrong.is_empty(),
        "programs that are predicted wrongly: {:?}",
        sum.wrong
    );
}

/// The command under test.
fn mpiete() -> PathBuf {
    env!("CARGO_BIN_EXE_mpiete").into()
}

/// The seeds that SEEDS names, or others.
fn seeds(others: Range<u64>) -> Range<u64> {
    let Ok(all) = std::env::var("SEEDS") else {
        return others;
    };
    let (first, last) = all.split_once("..").expect("SEEDS=first..last");
    first.parse().expect("a number")..last.parse().expect("a number")
}

/// What came of many programs.
#[derive(Debug, Default)]
struct Tally {
    /// Programs whose ranks are all predicted.
    exact: usize,
    /// Those of them in which some ranks have measured for all.
    in_part: usize,
    /// Programs whose estimate warns of unknown work, with an interval that contains the result.
    warned: usize,
    /// Seeds of programs that could not be compared.
    not_run: Vec<u64>,
    /// Seeds of programs that are predicted wrongly.
    wrong: Vec<u64>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.exact += other.exact;
        self.in_part += other.in_part;
        self.warned += other.warned;
        self.not_run.extend(other.not_run);
        self.wrong.extend(other.wrong);
    }
}

/// Tries the programs of these seeds, and prints the smallest form of each that fails.
fn tally(seeds: Range<u64>) -> Tally {
    let outcomes: Vec<(u64, Outcome)> = seeds
        .into_par_iter()
        .map(|seed| (seed, trial_of(&program(seed))))
        .collect();
    let mut tally = Tally::default();
    for (seed, outcome) in outcomes {
        match outcome {
            Outcome::Exact { in_part } => {
                tally.exact += 1;
                tally.in_part += usize::from(in_part);
            }
            Outcome::Warned => tally.warned += 1,
            Outcome::NotRun(said) => {
                tally.not_run.push(seed);
                println!("seed {seed} could not be compared: {said}");
            }
            Outcome::Wrong(said) => {
                tally.wrong.push(seed);
                let (program, said) = smallest(program(seed), said);
                println!(
                    "seed {seed}, {} ranks: {said}\n{}",
                    program.ranks,
                    program.text()
                );
            }
        }
    }
    tally
}

/// The smallest program found that is predicted wrongly as well, and how.
fn smallest(mut program: Program, mut said: String) -> (Program, String) {
    let mut size = program.pieces() / 2;
    while size > 0 {
        match smaller(&program, size) {
            Some(found) => (program, said) = found,
            None => size /= 2,
        }
        size = size.min(program.pieces());
    }
    (program, said)
}

/// The first variant without `size` neighbours that fails.
fn smaller(program: &Program, size: usize) -> Option<(Program, String)> {
    let starts: Vec<usize> = (0..program.pieces()).step_by(size).collect();
    let variants = starts.into_par_iter().flat_map_iter(|first| {
        [false, true]
            .into_iter()
            .map(move |keep| program.without(first, size, keep))
    });
    variants.find_map_first(|variant| match trial_of(&variant) {
        Outcome::Wrong(said) => Some((variant, said)),
        Outcome::Exact { .. } | Outcome::Warned | Outcome::NotRun(_) => None,
    })
}
