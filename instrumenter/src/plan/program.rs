//! The program probe: the slice with a mark at every MPI call and every compute block; and the
//! reference probe, the same marks in the whole program, to compare with.

use super::structure::{self, Structure};
use super::{Insertion, InsertionPoint, Probe, ProbePlan};
use frontend::analysis::{Analysis, LoopPlace, MessageLevel, ParallelRegion};
use frontend::ir::StatementId;
use std::collections::BTreeSet;

/// The sliced program with its marks.
pub fn sliced(analysis: &Analysis) -> ProbePlan {
    sliced_with(analysis, &Structure::default())
}

/// The same, with the blocks of the structure marked.
pub fn sliced_with(analysis: &Analysis, structure: &Structure) -> ProbePlan {
    let mut removed = Vec::new();
    for procedure in &analysis.program.procedures {
        collect_removed(analysis, &procedure.body, &mut removed);
    }
    // At one place the order of insertion is that of execution: the end of an invariant loop precedes all other probes
    // behind the loop, which are no part of its last iteration.
    let mut insertions = invariant_loop_ends(analysis);
    insertions.extend(super::section_marks(analysis));
    insertions.extend(super::call_marks(analysis, |site| site.level));
    insertions.extend(block_marks(analysis));
    insertions.extend(super::memory_marks(analysis));
    insertions.extend(invariant_loop_begins(analysis));
    insertions.extend(counted(analysis));
    super::sort_epilogues_first(analysis, &mut insertions);
    // Marks inside a removed construct go with it. A mark on the construct itself may stay: its block is what
    // the slice leaves out, and is recorded in its place.
    let inside = inside_removed(analysis, &removed);
    // What ended the statements before one that can never run may be gone, too: its block has no mark.
    let is_dead = |statement: StatementId| analysis.slice.dead[statement.0 as usize];
    let is_gone = |insertion: &Insertion| match insertion.probe {
        Probe::Call(..) => removed.contains(&insertion.statement),
        Probe::Block(..) => is_dead(insertion.statement),
        Probe::Allocate(..) | Probe::Free(_) => is_dead(insertion.statement),
        Probe::Begin(..)
        | Probe::IterationDependentBlock(_)
        | Probe::End(_)
        | Probe::Prologue(..)
        | Probe::Epilogue(..)
        | Probe::Loop(_)
        | Probe::DataLoop(_)
        | Probe::IterationDependentLoop(_)
        | Probe::Cut(_)
        | Probe::SectionBegin(_)
        | Probe::SectionEnd(_)
        | Probe::SelectionBranch(_)
        | Probe::Count(_)
        | Probe::Enter(_)
        | Probe::EnterLoop(_)
        | Probe::Leave(..)
        | Probe::Iteration(_)
        | Probe::Assumption(_)
        | Probe::BranchTaken(_)
        | Probe::Assign(_)
        | Probe::EnterInvariantLoop(_)
        | Probe::SkipIteration(..)
        | Probe::LeaveInvariantLoop(_)
        | Probe::Profile(_) => false,
    };
    let stays =
        |insertion: &Insertion| !inside.contains(&insertion.statement) && !is_gone(insertion);
    insertions.retain(stays);
    // Of a removed construct, only the place before it is left.
    let has_place = |mark: &Insertion| {
        mark.place == InsertionPoint::Before || !removed.contains(&mark.statement)
    };
    let marks = structure
        .marks()
        .filter(|mark| stays(mark) && has_place(mark))
        .collect();
    let declared = invariant_loops(analysis)
        .map(|(place, _)| (place.procedure, "mpiete_loop_iteration"))
        .collect();
    let parallel_regions = remaining_regions(analysis, &removed);
    let mut plan = ProbePlan {
        removed,
        insertions,
        declared,
        parallel_regions,
        ..ProbePlan::default()
    };
    super::assumed::substitute(analysis, &mut plan);
    structure::insert(analysis, &mut plan, marks);
    plan
}

/// The parallel regions outside removed constructs.
fn remaining_regions(analysis: &Analysis, removed: &[StatementId]) -> Vec<ParallelRegion> {
    let is_around = |statement: &StatementId, region: &ParallelRegion| {
        let span = analysis.source_map.statement(*statement).whole;
        span.file == region.file && span.start < region.begin && region.begin < span.end
    };
    let remains =
        |region: &&ParallelRegion| !removed.iter().any(|statement| is_around(statement, region));
    analysis
        .parallel_regions
        .iter()
        .filter(remains)
        .copied()
        .collect()
}

/// Invariant loops with their signatures.
fn invariant_loops(analysis: &Analysis) -> impl Iterator<Item = (&LoopPlace, &Vec<String>)> {
    analysis
        .loops
        .iter()
        .filter_map(|place| Some((place, place.invariant.as_ref()?)))
}

fn invariant_loop_begins(analysis: &Analysis) -> Vec<Insertion> {
    let marks = invariant_loops(analysis).flat_map(|(place, signature)| {
        let at = |side, probe| Insertion {
            statement: place.statement,
            place: side,
            probe,
        };
        [
            at(InsertionPoint::Before, Probe::EnterInvariantLoop(place.id)),
            at(
                InsertionPoint::BodyStart,
                Probe::SkipIteration(place.id, signature.clone()),
            ),
        ]
    });
    marks.collect()
}

fn invariant_loop_ends(analysis: &Analysis) -> Vec<Insertion> {
    let mark = |(place, _): (&LoopPlace, &Vec<String>)| Insertion {
        statement: place.statement,
        place: InsertionPoint::After,
        probe: Probe::LeaveInvariantLoop(place.id),
    };
    invariant_loops(analysis).map(mark).collect()
}

/// What stands in place of loops that only count.
fn counted(analysis: &Analysis) -> Vec<Insertion> {
    let assign = |(&statement, assignments): (&StatementId, &Vec<String>)| {
        let insertion = move |text: &String| Insertion {
            statement,
            place: InsertionPoint::Before,
            probe: Probe::Assign(text.clone()),
        };
        assignments.iter().map(insertion).collect::<Vec<_>>()
    };
    analysis.counting.iter().flat_map(assign).collect()
}

/// Statements inside removed constructs: an exit that is assumed not taken takes its calls along.
fn inside_removed(analysis: &Analysis, removed: &[StatementId]) -> BTreeSet<StatementId> {
    let children =
        |statement: StatementId| analysis.program.statement(statement).kind.bodies().concat();
    let mut stack: Vec<StatementId> = removed
        .iter()
        .flat_map(|&statement| children(statement))
        .collect();
    let mut inside = BTreeSet::new();
    while let Some(statement) = stack.pop() {
        inside.insert(statement);
        stack.extend(children(statement));
    }
    inside
}

/// The whole program with the same marks; every message is delivered.
pub fn reference(analysis: &Analysis) -> ProbePlan {
    reference_with(analysis, &Structure::default())
}

/// The same, with the blocks of the structure marked.
pub fn reference_with(analysis: &Analysis, structure: &Structure) -> ProbePlan {
    let mut insertions = super::section_marks(analysis);
    insertions.extend(super::call_marks(analysis, |_| MessageLevel::PayloadLive));
    insertions.extend(block_marks(analysis));
    insertions.extend(super::memory_marks(analysis));
    super::sort_epilogues_first(analysis, &mut insertions);
    let mut plan = ProbePlan {
        insertions,
        ..ProbePlan::default()
    };
    super::assumed::watch(analysis, &mut plan);
    structure::insert(analysis, &mut plan, structure.marks().collect());
    plan
}

fn collect_removed(analysis: &Analysis, list: &[StatementId], removed: &mut Vec<StatementId>) {
    for &statement in list {
        let only_counts = analysis.counting.contains_key(&statement);
        if only_counts || !analysis.slice.kept[statement.0 as usize] {
            removed.push(statement);
            continue;
        }
        for body in analysis.program.statement(statement).kind.bodies() {
            collect_removed(analysis, body, removed);
        }
    }
}

fn block_marks(analysis: &Analysis) -> Vec<Insertion> {
    super::compute_blocks(analysis)
        .flat_map(|block| {
            let probe = Probe::Block(block.id, super::terms(analysis, block));
            let mark = move |(statement, place)| Insertion {
                statement,
                place,
                probe: probe.clone(),
            };
            super::places(block).map(mark)
        })
        .collect()
}
