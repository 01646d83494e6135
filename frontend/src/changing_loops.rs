//! Loops with communication in which, in procedures that they call, too, blocks are executed whose work changes while
//! loops run: no rank can tell by what it has seen so far what is still to come, also one that executes no such block.
//!
//! Not here: which blocks those are ([`crate::changing_work`]), and what follows for measuring
//! (`token_runtime::measure`).

use crate::blocks::{Found, What};
use crate::executed::Executed;
use crate::ir::StatementId;
use crate::model::Model;
use std::collections::BTreeSet;

/// Those of the loops with communication; `changes` says it of the compute blocks in order.
pub(crate) fn loops(model: &Model, found: &[Found], changes: &[bool]) -> BTreeSet<StatementId> {
    let changing = first_statements(found, changes);
    if changing.is_empty() {
        return BTreeSet::new();
    }
    let all = found.iter().filter_map(|found| match found.what {
        What::Loop(statement) => Some(statement),
        What::Compute(_) | What::Site(..) | What::Unknown(..) | What::Structure(_) => None,
    });
    let holds = |&repeat: &StatementId| !Executed::in_body(model, repeat).statements.is_disjoint(&changing);
    all.filter(holds).collect()
}

/// Where those blocks begin.
fn first_statements(found: &[Found], changes: &[bool]) -> BTreeSet<StatementId> {
    let blocks = found.iter().filter_map(|found| match &found.what {
        What::Compute(statements) => Some(statements),
        What::Site(..) | What::Loop(_) | What::Unknown(..) | What::Structure(_) => None,
    });
    let changing = blocks.zip(changes).filter(|(_, changes)| **changes);
    changing.filter_map(|(statements, _)| statements.first().copied()).collect()
}
