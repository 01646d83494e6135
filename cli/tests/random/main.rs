//! Random small MPI programs: sliced and whole, they make the same calls with the same arguments and run the
//! same blocks with the same work, on every rank. And if a rule of the slicer is broken, one of them tells.
#![forbid(unsafe_code)]
// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used)]

mod arriving;
mod batch;
mod branching;
mod broken_rules;
mod chance;
mod forms;
mod holding;
mod messages;
mod names;
mod pieces;
mod shrink;
mod statements;
mod steps;
mod storage;
mod telling;
mod wide;

use batch::{Outcome, Tried, outcomes, outcomes_alone, tried};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Mutex;

/// Programs in one executable.
const BATCH: u64 = 20;

/// Rules are broken for the whole process: one test at a time.
static TURN: Mutex<()> = Mutex::new(());

#[test]
fn slices_of_random_programs_make_equal_streams() {
    let _turn = TURN.lock();
    let equal = check(0..200);
    assert!(equal >= 150, "only {equal} of 200 programs could be compared");
}

/// Where ranks can run one by one: programs of little else than a few forms, and quiet ones.
#[test]
fn ranks_one_by_one_leave_what_they_leave_together() {
    let _turn = TURN.lock();
    let seeds: Vec<u64> = (0..200).filter(|seed| matches!(seed % 16, 0 | 7)).collect();
    let programs: Vec<(u64, Tried)> =
        seeds.into_iter().filter_map(|seed| Some((seed, of_seed(seed).ok()?))).collect();
    let (seeds, programs): (Vec<u64>, Vec<Tried>) = programs.into_iter().unzip();
    let found: Vec<Vec<Outcome>> =
        [4, 6].into_par_iter().map(|ranks| outcomes_alone(&programs, ranks)).collect();
    for (seed, outcome) in seeds.iter().cycle().zip(found.iter().flatten()) {
        if let Outcome::Wrong(said) = outcome {
            panic!("seed {seed}: {said}");
        }
    }
    let equal = found.iter().flatten().filter(|outcome| matches!(outcome, Outcome::Equal)).count();
    assert!(equal >= 10, "only {equal} programs could run rank by rank");
}

/// `make soak` gives SEEDS=first..last.
#[test]
#[ignore = "takes minutes, of make soak an hour"]
fn soak() {
    let _turn = TURN.lock();
    let all = seeds(200..400);
    for first in all.clone().step_by(100) {
        let range = first..(first + 100).min(all.end);
        println!("seeds {range:?}: {} programs compared", check(range.clone()));
    }
}

/// The seeds that SEEDS names, or others.
fn seeds(others: Range<u64>) -> Range<u64> {
    let Ok(all) = std::env::var("SEEDS") else { return others };
    let (first, last) = all.split_once("..").expect("SEEDS=first..last");
    first.parse().expect("a number")..last.parse().expect("a number")
}

/// Checks the programs of these seeds; how many could be compared. Panics with the smallest form of the first
/// that fails.
fn check(seeds: Range<u64>) -> usize {
    let starts: Vec<u64> = seeds.clone().step_by(BATCH as usize).collect();
    let batches = starts.into_par_iter().map(|first| of_seeds(first..(first + BATCH).min(seeds.end)));
    let found: Vec<(u64, Outcome)> = batches.collect::<Vec<_>>().into_iter().flatten().collect();
    if let Some((seed, Outcome::Wrong(said))) =
        found.iter().find(|(_, outcome)| matches!(outcome, Outcome::Wrong(_)))
    {
        let others: Vec<u64> = found
            .iter()
            .filter(|(_, outcome)| matches!(outcome, Outcome::Wrong(_)))
            .map(|(seed, _)| *seed)
            .collect();
        let (program, said) = shrink::smallest(&statements::program(*seed), said.clone());
        let assumed = &program.analysis.slice.assumptions;
        panic!(
            "seed {seed} (all that fail: {others:?}), {} ranks: {said}\n{}\nassumed: {assumed:?}",
            program.ranks,
            program.listing()
        );
    }
    found.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Equal)).count()
}

fn of_seeds(seeds: Range<u64>) -> Vec<(u64, Outcome)> {
    let all: Vec<(u64, Result<Tried, String>)> = seeds.map(|seed| (seed, of_seed(seed))).collect();
    let runnable: Vec<Tried> = all.iter().filter_map(|(_, one)| one.clone().ok()).collect();
    let mut found = outcomes(&runnable).into_iter();
    let outcome = |one| match one {
        Ok(_) => found.next().expect("one each"),
        Err(said) => Outcome::Wrong(said),
    };
    let (seeds, results): (Vec<u64>, Vec<_>) = all.into_iter().unzip();
    seeds.into_iter().zip(results.into_iter().map(outcome)).collect()
}

fn of_seed(seed: u64) -> Result<Tried, String> {
    let program = statements::program(seed);
    tried(program.ranks, &program.text())
}
