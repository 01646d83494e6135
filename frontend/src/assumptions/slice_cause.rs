//! Why a slice is large: the single dependence without which it is smallest. Without a dependence, the slice loses the statements
//! that it dominates in the dependence graph.

use crate::assumptions::removal_conditions;
use crate::dataflow::control::Control;
use crate::effects::message_levels::{Agreed, MessageClass};
use crate::effects::model::Model;
use crate::effects::statement_effects::IndirectEffect;
use crate::graphs::assumed_outcomes::Clause;
use crate::ir::StatementId;
use crate::ir::analysis::{Open, SliceCause};
use crate::slice::dependence_graph::{DependenceGraph, Need};
use std::collections::BTreeSet;

/// Most candidates that are tried, those nearest to the MPI calls first.
const MAX_COUNT: usize = 200;
/// Demands that account for less of the program are not worth a sentence: a hundredth.
const LEAST: usize = 100;

/// The dependence whose removal makes the slice smallest; `None` if no single one accounts for a hundredth of the program.
pub(crate) fn find(
    model: &Model,
    control: &Control,
    needs: &DependenceGraph,
) -> Option<SliceCause> {
    let free = removal_conditions::all_free_clauses(model, control);
    let dominated = needs.dominated_statements();
    let all = dominated.first().map_or(0, |&(_, count)| count);
    let mut candidates = dominated;
    candidates.retain(|&(need, _)| is_candidate(model, &free, need));
    candidates.truncate(MAX_COUNT);
    let mut best: Option<(usize, Need)> = None;
    for (need, count) in candidates {
        if best.is_none_or(|(most, _)| count > most) {
            best = Some((count, need));
        }
    }
    let (count, need) = best?;
    if count < (model.outline.all().count() / LEAST).max(1) {
        return None;
    }
    let without = all - count;
    let at = needing(needs, need)?;
    let without = without as u64;
    Some(match need {
        Need::Evaluation(clause) => {
            let open: Vec<Open> = removal_conditions::open(model, &[Need::Evaluation(clause)]);
            SliceCause::Decision {
                open: open.into_iter().next()?,
                without,
            }
        }
        Need::Data(class) => {
            let mixed = matches!(
                class,
                MessageClass::PointToPoint(Agreed::Anything)
                    | MessageClass::Collective(_, Agreed::Anything)
            );
            SliceCause::Messages { at, mixed, without }
        }
        Need::Place(..) => SliceCause::File { at, without },
        _ => SliceCause::WithoutSource { at, without },
    })
}

/// Whether a user can do something about a dependence: assume a condition, separate messages or files, or give a source.
fn is_candidate(model: &Model, free: &BTreeSet<Clause>, need: Need) -> bool {
    match need {
        Need::Evaluation(clause) => free.contains(&clause),
        Need::Place(place, _) => model.locations.is_file(place),
        Need::Data(_) | Need::Globals | Need::CallsOf(IndirectEffect::WithoutSource) => true,
        Need::Criterion
        | Need::Statement(_)
        | Need::Decision(_)
        | Need::Entry(_)
        | Need::Terminations(_)
        | Need::Frame(_)
        | Need::CallsOf(IndirectEffect::Procedure(_)) => false,
    }
}

/// The statement that has a dependence, on a shortest chain of dependences from the MPI calls.
fn needing(needs: &DependenceGraph, target: Need) -> Option<StatementId> {
    let mut chain = needs.chain_to(target);
    chain.pop();
    for need in chain.into_iter().rev() {
        match need {
            Need::Statement(id) | Need::Decision(id) => return Some(id),
            Need::Evaluation(clause) => return Some(clause.statement),
            _ => {}
        }
    }
    None
}
