//! A slicer that breaks one of its rules is found out: for each rule a program that tells.

use crate::batch::{Outcome, Tried, outcomes};
use crate::{BATCH, TURN, of_seed};
use frontend::rules::{Rule, break_rule};
use rayon::prelude::*;
use std::ops::Range;

/// The first seed whose program tells that a rule is broken (`make soak` looks for them again).
const TELLING: [(Rule, u64); 17] = [
    (Rule::GotoDecides, 0),
    (Rule::ExitDecides, 0),
    (Rule::CycleDecides, 40),
    (Rule::ReturnDecides, 8),
    (Rule::StopDecides, 4),
    (Rule::CommonIsStorage, 28),
    (Rule::EquivalenceIsStorage, 28),
    (Rule::DummiesAreWritten, 35),
    (Rule::FunctionsWrite, 50),
    (Rule::PointersAlias, 69),
    (Rule::SavedStays, 14),
    (Rule::PartsLeaveTheRest, 14),
    (Rule::NamedExists, 2),
    (Rule::CollectivesCarry, 3),
    (Rule::MessagesCarry, 5),
    (Rule::IterationsCarry, 17),
    (Rule::NumbersDiffer, 89),
];

/// Seeds in which a rule must be found broken.
const WITHIN: u64 = 200;

/// Programs in one executable where most of them run for ever.
const FEW: u64 = 5;

/// The programs of some seeds, as a slicer without a rule slices them.
fn broken(rule: Rule, seeds: impl Iterator<Item = u64>) -> Vec<Tried> {
    break_rule(Some(rule));
    let programs = seeds.filter_map(|seed| of_seed(seed).ok()).collect();
    break_rule(None);
    programs
}

fn is_wrong(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Wrong(_))
}

#[test]
fn broken_rules_are_found_out() {
    let _turn = TURN.lock();
    let programs: Vec<Tried> =
        TELLING.iter().flat_map(|&(rule, seed)| broken(rule, std::iter::once(seed))).collect();
    let parts: Vec<&[Tried]> = programs.chunks(BATCH as usize).collect();
    let found: Vec<Outcome> = parts.into_par_iter().flat_map_iter(outcomes).collect();
    assert_eq!(found.len(), TELLING.len(), "a program was refused");
    let silent: Vec<&(Rule, u64)> = TELLING
        .iter()
        .zip(&found)
        .filter(|(_, outcome)| !is_wrong(outcome))
        .map(|(telling, _)| telling)
        .collect();
    assert!(silent.is_empty(), "broken, and the program of the seed does not tell: {silent:?}");
    let all: Vec<Rule> = TELLING.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(all, Rule::ALL);
}

/// Looks for the first program that tells, for each rule or the one that RULE names.
#[test]
#[ignore = "takes minutes: make soak"]
fn every_broken_rule_is_found_out_within_the_programs_of_the_test() {
    let _turn = TURN.lock();
    let mut missed = Vec::new();
    let named = std::env::var("RULE").ok();
    let wanted = |rule: &Rule| named.as_ref().is_none_or(|name| format!("{rule:?}") == *name);
    for rule in Rule::ALL.into_iter().filter(wanted) {
        match (0..WITHIN).step_by(FEW as usize).find_map(|from| first_telling(rule, from..from + FEW)) {
            Some(seed) => println!("(Rule::{rule:?}, {seed}),"),
            None => missed.push(rule),
        }
    }
    assert!(missed.is_empty(), "nothing tells that these are broken: {missed:?}");
}

/// The first of some seeds whose program tells.
fn first_telling(rule: Rule, seeds: Range<u64>) -> Option<u64> {
    let changed = |seed: u64| {
        let whole = of_seed(seed).ok()?;
        let one = broken(rule, std::iter::once(seed)).pop()?;
        (one.sliced != whole.sliced).then_some((seed, one))
    };
    let (seeds, programs): (Vec<u64>, Vec<Tried>) = seeds.filter_map(changed).unzip();
    if programs.is_empty() {
        return None;
    }
    outcomes(&programs).iter().position(is_wrong).map(|at| seeds[at])
}
