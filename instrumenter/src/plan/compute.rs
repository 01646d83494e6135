//! The compute probe: the whole program with a timer round every compute block, and a way out of
//! every loop with communication. Its marks of calls say what the sequence of calls depends on, as those of
//! the program probe do, so that a rank that measures alone gets that from there. The observed probe: the same without the ways out, for real runs.

use super::{Insertion, Place, Probe, ProbePlan};
use frontend::analysis::{Analysis, BlockPlace, Extent, LoopPlace, MessageLevel};

/// The compute probe.
pub fn timed(analysis: &Analysis) -> ProbePlan {
    let mut insertions = super::section_marks(analysis);
    insertions.extend(super::call_marks(analysis, |site| site.level));
    insertions.extend(loop_marks(analysis));
    insertions.extend(marks_of_changing_work(analysis));
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
            Some(Probe::ChangingLoop(place.id))
        } else {
            None
        };
        let before = std::iter::once(enters)
            .chain(changes)
            .map(move |probe| at(Place::Before, probe));
        before.chain([at(Place::BodyStart, Probe::Cut(place.id))])
    });
    marks.collect()
}

/// Marks in front of the timers of blocks whose work changes while the loops around them run.
fn marks_of_changing_work(analysis: &Analysis) -> Vec<Insertion> {
    let blocks = super::compute_blocks(analysis).filter(|block| block.work_changes);
    let mark = |block: &BlockPlace| {
        let &statement = block.statements.first()?;
        Some(Insertion {
            statement,
            place: Place::Before,
            probe: Probe::Changing(block.id),
        })
    };
    blocks.filter_map(mark).collect()
}

/// Those of heads stand next to what they time.
fn timers(analysis: &Analysis) -> Vec<Insertion> {
    let (mut insertions, mut heads) = (Vec::new(), Vec::new());
    for block in super::compute_blocks(analysis) {
        let terms = super::terms(analysis, block);
        let (begin, all) = match block.extent {
            Extent::Whole => (Probe::Begin(block.id, terms), &mut insertions),
            Extent::Head { .. } => (Probe::Head(block.id, terms), &mut heads),
            Extent::Tail => (Probe::Tail(block.id, terms), &mut insertions),
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
            place: Place::After,
            probe: Probe::End(block.id),
        }));
    }
    insertions.extend(heads);
    insertions
}
