//! Blocks for the statements outside compute blocks: loops, branches and calls that reach MPI. Where
//! statements are counted, the work of a rank is all its statements, so each basic block of the structure is a
//! block without work terms, in every probe at the same places. Where time is measured,
//! there are none: a timer would cost more than the block.

use super::{Insertion, InsertionPoint, Probe, ProbePlan, counters};
use base_data::block_table::{Block, BlockKey, BlockKind, BlockTable};
use base_data::{BlockId, Digest};
use frontend::analysis::{Analysis, StructurePlace};
use frontend::ir::{ProcedureId, StatementId};
use std::collections::BTreeMap;

/// The blocks of the structure.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// What they are in the table, behind the blocks of the analysis.
    blocks: Vec<Block>,
    /// Where each begins; a statement may have one before it and one in its body.
    places: BTreeMap<(StatementId, InsertionPoint), BlockId>,
}

impl Structure {
    /// Finds them: the basic blocks that begin at a statement of the structure.
    pub fn of(analysis: &Analysis) -> Self {
        let statements: BTreeMap<StatementId, &StructurePlace> = analysis
            .structure
            .iter()
            .map(|place| (place.statement, place))
            .collect();
        let mut structure = Self::default();
        let mut ordinals: BTreeMap<(Digest, ProcedureId), u32> = BTreeMap::new();
        for count in counters::counts(analysis) {
            let Some(found) = statements.get(&count.statement) else {
                continue;
            };
            let digest = digest(found, count.place);
            let next = ordinals.entry((digest, found.procedure)).or_default();
            let procedure = analysis.program.procedure(found.procedure).name.clone();
            let key = BlockKey {
                digest,
                procedure,
                ordinal: *next,
            };
            *next += 1;
            let id = BlockId::from_index(analysis.table.blocks.len() + structure.blocks.len());
            structure.places.insert((count.statement, count.place), id);
            structure.blocks.push(block(found, key));
        }
        structure
    }

    /// The table of the analysis with these blocks.
    pub fn table(&self, analysis: &Analysis) -> BlockTable {
        let mut table = analysis.table.clone();
        table.blocks.extend(self.blocks.iter().cloned());
        table
    }

    /// The block that begins at a place.
    pub(super) fn block(&self, at: &Insertion) -> Option<BlockId> {
        self.places.get(&(at.statement, at.place)).copied()
    }

    /// A mark of each block.
    pub(super) fn marks(&self) -> impl Iterator<Item = Insertion> + '_ {
        let mark =
            |(&(statement, place), &id): (&(StatementId, InsertionPoint), &BlockId)| Insertion {
                statement,
                place,
                probe: Probe::Block(id, Vec::new()),
            };
        self.places.iter().map(mark)
    }
}

fn digest(found: &StructurePlace, place: InsertionPoint) -> Digest {
    // One statement may begin two blocks, one before it and one in its body: their digests must differ.
    let kind: &[u8] = match place {
        InsertionPoint::Before | InsertionPoint::After => b"reached",
        InsertionPoint::BodyStart | InsertionPoint::CaseStart(_) => b"repeated",
    };
    Digest::of_parts([kind, &found.digest.0.to_le_bytes()])
}

fn block(found: &StructurePlace, key: BlockKey) -> Block {
    Block {
        key,
        kind: BlockKind::Compute,
        span: found.span.clone(),
        loop_path: found.loop_path.clone(),
        work_terms: Vec::new(),
        data_dependent: false,
    }
}

/// Puts probes of the structure where they belong: before a statement, behind marks of the section and ends of
/// repetitions and in front of all others (a mark of a call and the call stay together); in a body, behind the ways out of it.
pub(super) fn insert(analysis: &Analysis, plan: &mut ProbePlan, probes: Vec<Insertion>) {
    let (bodies, before): (Vec<Insertion>, Vec<Insertion>) = probes
        .into_iter()
        .partition(|probe| probe.place == InsertionPoint::BodyStart);
    // The plan's insertions begin with those that belong to the statements before, such as the end of a section.
    let mut front = 0;
    for insertion in &plan.insertions {
        let ends_previous = matches!(
            insertion.probe,
            Probe::LeaveInvariantLoop(_) | Probe::SectionBegin(_) | Probe::SectionEnd(_)
        );
        if !ends_previous && !super::is_epilogue(analysis, insertion) {
            break;
        }
        front += 1;
    }
    plan.insertions.splice(front..front, before);
    plan.insertions.extend(bodies);
}
