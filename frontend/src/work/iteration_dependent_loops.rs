//! Loops with communication in which, in procedures that they call, too, blocks are executed whose work changes while
//! loops run: no rank can tell by what it has seen so far what is still to come, also one that executes no such block.
//!
//! Not here: which blocks those are ([`crate::work::iteration_dependent_work`]), and what follows for measuring
//! (`token_runtime::measure`).

use crate::blocks::block_finder::{self, Found};
use crate::effects::model::Model;
use crate::graphs::reachable_statements::ReachableStatements;
use crate::ir::StatementId;
use std::collections::{BTreeMap, BTreeSet};

/// Those of the loops with communication; `changing` says of the compute blocks in order in which loops they change. These
/// run whole, and what is executed in them around such a block; a loop around them may repeat what it did.
pub(crate) fn loops(
    model: &Model,
    found: &[Found],
    changing: &[&[StatementId]],
) -> BTreeSet<StatementId> {
    let blocks = found.iter().filter_map(|found| found.what.executed_with());
    let changing: Vec<(StatementId, &[StatementId])> = blocks
        .zip(changing)
        .filter(|(_, of)| !of.is_empty())
        .map(|(first, of)| (first, *of))
        .collect();
    if changing.is_empty() {
        return BTreeSet::new();
    }
    let executed: BTreeMap<StatementId, ReachableStatements> = block_finder::loops(found)
        .map(|repeat| (repeat, ReachableStatements::in_body(model, repeat)))
        .collect();
    let holds = |repeat: &StatementId, inner: &StatementId| {
        executed
            .get(repeat)
            .is_some_and(|found| found.statements.contains(inner))
    };
    let is_whole = |repeat: &StatementId| {
        changing.iter().any(|(first, of)| {
            holds(repeat, first)
                && of
                    .iter()
                    .any(|around| around == repeat || holds(around, repeat))
        })
    };
    executed.keys().copied().filter(is_whole).collect()
}
