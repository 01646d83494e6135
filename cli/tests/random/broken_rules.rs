//! A slicer that breaks one of its rules is detected: for each rule by a program whose streams differ.

use super::batch::{Outcome, Tried, outcomes};
use super::statements::HIDING;
use super::{BATCH, TURN, of_seed, seeds};
use frontend::rules::{Rule, break_rule};
use rayon::prelude::*;

/// The first seed whose program detects a broken rule (`make soak` searches for them again).
const WITNESSES: [(Rule, u64); 34] = [
    (Rule::GotoDecides, 2),
    (Rule::ExitDecides, 6),
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
    (Rule::FilesAreShared, 10),
    (Rule::FilesHold, 10),
    (Rule::ValuesAreWanted, 1),
    (Rule::CalleesCarry, 28),
    (Rule::WritesMayNotHappen, 37),
    (Rule::WorkIsRead, 21),
    (Rule::MpiCallsBack, 192),
    (Rule::TextIsWritten, 21),
    (Rule::CalleesWriteBeside, 76),
    (Rule::DummiesMayBeOne, 44),
    (Rule::StatusesTell, 48),
    (Rule::CollectivesMeet, 149),
    (Rule::RandomNumbersGoOn, 37),
    (Rule::PassedIsRead, 0),
    (Rule::BlocksHide, HIDING + 7),
    (Rule::PrivateHides, HIDING + 31),
    (Rule::AssociatesHide, HIDING + 109),
];

/// Seeds in which a rule must be found broken.
const WITHIN: u64 = 200;

/// Programs in one executable where most of them run for ever.
const FEW: usize = 5;

/// Programs that are sliced before some of them are run.
const MANY: usize = 20;

/// The programs of some seeds, each with its seed, as a slicer without a rule slices them; without those that it refuses.
fn broken(rule: Rule, seeds: &[u64]) -> Vec<(u64, Tried)> {
    break_rule(Some(rule));
    let programs = seeds
        .par_iter()
        .filter_map(|&seed| Some((seed, of_seed(seed).ok()?)))
        .collect();
    break_rule(None);
    programs
}

fn is_wrong(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Wrong(_))
}

#[test]
fn broken_rules_are_detected() {
    let _turn = TURN.lock();
    let programs: Vec<Tried> = WITNESSES
        .iter()
        .flat_map(|&(rule, seed)| broken(rule, &[seed]))
        .map(|(_, one)| one)
        .collect();
    let parts: Vec<&[Tried]> = programs.chunks(BATCH as usize).collect();
    let found: Vec<Outcome> = parts.into_par_iter().flat_map_iter(outcomes).collect();
    assert_eq!(found.len(), WITNESSES.len(), "a program was refused");
    let silent: Vec<&(Rule, u64)> = WITNESSES
        .iter()
        .zip(&found)
        .filter(|(_, outcome)| !is_wrong(outcome))
        .map(|(rule_witness, _)| rule_witness)
        .collect();
    assert!(
        silent.is_empty(),
        "broken, but the program of the seed does not detect it: {silent:?}"
    );
    let known = |rule: &Rule| {
        WITNESSES
            .iter()
            .any(|(rule_witness, _)| rule_witness == rule)
    };
    assert!(Rule::ALL.iter().all(known), "a rule without a witness");
}

/// The seeds of the test: names hide others only in programs of seeds of their own.
fn of_the_test() -> Vec<u64> {
    match std::env::var_os("SEEDS") {
        Some(_) => seeds(0..WITHIN).collect(),
        None => (0..WITHIN).chain(HIDING..HIDING + WITHIN).collect(),
    }
}

/// Searches for the first program that detects each rule, or each of those that RULE lists with commas, among the
/// programs that SEEDS names, or those of the test.
#[test]
#[ignore = "takes minutes: make soak"]
fn every_broken_rule_is_detected_by_the_test_programs() {
    let _turn = TURN.lock();
    let mut missed = Vec::new();
    let slices: Vec<(u64, String)> = of_the_test()
        .into_par_iter()
        .filter_map(|seed| Some((seed, of_seed(seed).ok()?.sliced)))
        .collect();
    let named = std::env::var("RULE").ok();
    let wanted = |rule: &Rule| {
        named
            .as_ref()
            .is_none_or(|names| names.split(',').any(|name| format!("{rule:?}") == name))
    };
    for rule in Rule::ALL.into_iter().filter(wanted) {
        match first_witness(rule, &slices) {
            Some(seed) => println!("(Rule::{rule:?}, {seed}),"),
            None => missed.push(rule),
        }
    }
    assert!(
        missed.is_empty(),
        "no program detects that these are broken: {missed:?}"
    );
}

/// The first of some seeds, each with the slice of its program, whose program detects the broken rule.
fn first_witness(rule: Rule, slices: &[(u64, String)]) -> Option<u64> {
    let mut changed = slices.chunks(MANY).flat_map(|slices| {
        let seeds: Vec<u64> = slices.iter().map(|(seed, _)| *seed).collect();
        let is_changed = |(seed, one): &(u64, Tried)| {
            slices
                .iter()
                .any(|(of, slice)| of == seed && *slice != one.sliced)
        };
        broken(rule, &seeds)
            .into_iter()
            .filter(is_changed)
            .collect::<Vec<_>>()
    });
    loop {
        let (seeds, programs): (Vec<u64>, Vec<Tried>) = changed.by_ref().take(FEW).unzip();
        if programs.is_empty() {
            return None;
        }
        if let Some(at) = outcomes(&programs).iter().position(is_wrong) {
            return Some(seeds[at]);
        }
    }
}
