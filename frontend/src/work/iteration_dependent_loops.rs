//! Loops with communication that execute blocks with iteration-dependent work, also in called procedures. All ranks must
//! execute such a loop whole, also a rank without such a block: no rank can infer later iterations from earlier ones.
//!
//! The blocks are determined in [`crate::work::iteration_dependent_work`]; `token_runtime::measure` acts on the result.

use crate::blocks::block_finder::{self, ProgramElement};
use crate::dataflow::reachable_statements::ReachableStatements;
use crate::effects::model::Model;
use crate::ir::StatementId;
use std::collections::{BTreeMap, BTreeSet};

/// The loops with communication that must be executed whole. `changing` contains, for the compute blocks in order, the loops
/// in which the block's work depends on the iteration. Such a loop is executed whole, and so is each loop in it that executes
/// the block; a loop around it may repeat what it did.
pub(crate) fn loops(
    model: &Model,
    found: &[ProgramElement],
    changing: &[&[StatementId]],
) -> BTreeSet<StatementId> {
    let blocks = found.iter().filter_map(|found| found.kind.executed_with());
    let mut dependent: Vec<(StatementId, &[StatementId])> =
        blocks.zip(changing.iter().copied()).collect();
    dependent.retain(|(_, changing_in)| !changing_in.is_empty());
    if dependent.is_empty() {
        return BTreeSet::new();
    }
    let mut loops = LoopStatements::new();
    for repeat in block_finder::loops(found) {
        loops.insert(repeat, ReachableStatements::in_body(model, repeat));
    }
    // A block counts for a loop only if the loop on whose iteration it depends is the same or further out.
    let mut whole = BTreeSet::new();
    for &repeat in loops.keys() {
        for &(first, changing_in) in &dependent {
            if executes(&loops, repeat, first)
                && changing_in
                    .iter()
                    .any(|&around| around == repeat || executes(&loops, around, repeat))
            {
                whole.insert(repeat);
            }
        }
    }
    whole
}

/// What each loop with communication executes.
type LoopStatements<'a> = BTreeMap<StatementId, ReachableStatements<'a>>;

fn executes(loops: &LoopStatements, repeat: StatementId, statement: StatementId) -> bool {
    match loops.get(&repeat) {
        Some(executed) => executed.contains(statement),
        None => false,
    }
}
