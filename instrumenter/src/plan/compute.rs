//! The compute probe: the whole program with a timer around every compute block, and an early exit from every
//! loop with communication. Its call marks contain the same liveness levels as the program probe's, so that message
//! replay supplies a solo rank with the values on which the sequence of calls depends. The observed probe is the same
//! without the early exits, for real runs.

use super::{Insertion, InsertionPoint, Probe, ProbePlan};
use frontend::analysis::{Analysis, BlockPlace, Extent, LoopPlace, MessageLevel};

/// The compute probe.
pub fn timed(analysis: &Analysis) -> ProbePlan {
    let mut insertions = super::section_marks(analysis);
    insertions.extend(super::call_marks(analysis, |site| site.level));
    insertions.extend(loop_marks(analysis));
    // Before the timers: at one place the order of insertion is that of execution, and this mark applies to the
    // block that begins next.
    insertions.extend(iteration_dependent_marks(analysis));
    insertions.extend(timers(analysis));
    insertions.extend(super::memory_marks(analysis));
    super::sort_epilogues_first(analysis, &mut insertions);
    let declared = cuttable(analysis)
        .map(|place| (place.procedure, "mpiete_cut"))
        .collect();
    ProbePlan {
        insertions,
        declared,
        ..ProbePlan::default()
    }
}

/// The observed probe: runs as the original does, and reports every call and every block.
pub fn observed(analysis: &Analysis) -> ProbePlan {
    let mut insertions = marks(analysis);
    insertions.extend(timers(analysis));
    super::sort_epilogues_first(analysis, &mut insertions);
    ProbePlan {
        insertions,
        ..ProbePlan::default()
    }
}

/// Marks of the section and of every call, whose data the program needs.
fn marks(analysis: &Analysis) -> Vec<Insertion> {
    let mut insertions = super::section_marks(analysis);
    insertions.extend(super::call_marks(analysis, |_| MessageLevel::PayloadLive));
    insertions
}

/// The loops that may end before their end: not those that would leave requests behind.
fn cuttable(analysis: &Analysis) -> impl Iterator<Item = &LoopPlace> {
    analysis
        .loops
        .iter()
        .filter(|place| !place.holds_requests_open)
}

fn loop_marks(analysis: &Analysis) -> Vec<Insertion> {
    let marks = cuttable(analysis).flat_map(|place| {
        let at = |side, probe| Insertion {
            statement: place.statement,
            place: side,
            probe,
        };
        let enters = if place.is_over_data {
            Probe::DataLoop(place.id)
        } else {
            Probe::Loop(place.id)
        };
        let changes = if place.holds_changing_work {
            Some(Probe::IterationDependentLoop(place.id))
        } else {
            None
        };
        let before = std::iter::once(enters)
            .chain(changes)
            .map(move |probe| at(InsertionPoint::Before, probe));
        before.chain([at(InsertionPoint::BodyStart, Probe::Cut(place.id))])
    });
    marks.collect()
}

/// Marks in front of the timers of blocks whose work changes while the loops around them run.
fn iteration_dependent_marks(analysis: &Analysis) -> Vec<Insertion> {
    let blocks = super::compute_blocks(analysis).filter(|block| block.work_changes);
    let mark = |block: &BlockPlace| {
        let &statement = block.statements.first()?;
        Some(Insertion {
            statement,
            place: InsertionPoint::Before,
            probe: Probe::IterationDependentBlock(block.id),
        })
    };
    blocks.filter_map(mark).collect()
}

/// Timers of compute blocks. Those of prologues come last, next to the statements that they time.
fn timers(analysis: &Analysis) -> Vec<Insertion> {
    // A prologue ends when anything else begins, so another probe between it and its statement would end it at once.
    let (mut insertions, mut prologues) = (Vec::new(), Vec::new());
    for block in super::compute_blocks(analysis) {
        let terms = super::terms(analysis, block);
        let (begin, all) = match block.extent {
            Extent::Whole => (Probe::Begin(block.id, terms), &mut insertions),
            Extent::Head { .. } => (Probe::Prologue(block.id, terms), &mut prologues),
            Extent::Tail => (Probe::Epilogue(block.id, terms), &mut insertions),
        };
        let mark = |(statement, place)| Insertion {
            statement,
            place,
            probe: begin.clone(),
        };
        all.extend(super::places(block).map(mark));
        let last = block
            .statements
            .last()
            .filter(|_| block.extent == Extent::Whole);
        all.extend(last.map(|&statement| Insertion {
            statement,
            place: InsertionPoint::After,
            probe: Probe::End(block.id),
        }));
    }
    insertions.extend(prologues);
    insertions
}
