//! Why a slice is large: the single dependence without which it is smallest. Each candidate is removed from the dependence graph,
//! and the statements that are still reached are counted.

use crate::assumptions::removal_conditions;
use crate::assumptions::suggested_assumptions::kept_count;
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
    let (nearest, all) = reached(needs, None);
    let mut best: Option<(usize, Need)> = None;
    let mut candidates = nearest;
    candidates.retain(|&need| is_candidate(model, &free, need));
    candidates.truncate(MAX_COUNT);
    for need in candidates {
        let without = kept_count(&reached(needs, Some(need)).1);
        if best.is_none_or(|(least, _)| without < least) {
            best = Some((without, need));
        }
    }
    let (without, need) = best?;
    let hundredth = (model.outline.all().count() / LEAST).max(1);
    if without + hundredth > kept_count(&all) {
        return None;
    }
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

/// What the MPI calls need without one dependence: nearest first, and as a set.
fn reached(needs: &DependenceGraph, without: Option<Need>) -> (Vec<Need>, BTreeSet<Need>) {
    let mut reached = BTreeSet::new();
    let is_removed = |need| Some(need) == without;
    let found = needs.reach(&[Need::Criterion], is_removed, &mut reached);
    (found, reached)
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
